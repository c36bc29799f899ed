//! `iotrial audit`: does a result agree with itself?

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use iotrial_analysis::audit::Audit;
use iotrial_report::document::Document;

use crate::cli::AuditArgs;
use crate::failure::{CONTRADICTED, Failure};
use crate::intake::{Folders, Input, Intake, IntakeError, Kind, Source, Takes, told_beside};
use crate::next::{self, all_quoted};
use crate::output::{self, harmless, say};
use crate::outputs::Outputs;
use crate::presentation::{Presentation, Value};

const TAKES: Takes =
    Takes { command: "audit", what: "records of runs, results of other tools and printed tables" };

/// Up to so many files that are not results are named; more of them would push the warnings off the screen.
const MOST_NAMED: usize = 5;

/// Audits, and shows what came of it.
pub fn audit(args: &AuditArgs) -> Result<ExitCode, Failure> {
    let outputs = Outputs::new(&args.files, args.json).checked()?;
    let intake = Intake {
        takes: TAKES,
        folders: Folders::RecordsAndFiles,
        store: Some(&args.store),
        study_profile: None,
    };
    let sources = intake.find(&args.results)?;
    let audited = intake.open_all(sources, audit_input)?;
    let count = audited.len();
    // Logs beside a result were read with it: to call them «no result» would be wrong, and they are known only when all are
    // read.
    let beside: BTreeSet<PathBuf> =
        audited.iter().filter_map(|(_, one)| one.as_ref().ok()).flat_map(|one| one.beside.clone()).collect();
    let (mut audits, mut unreadable, mut no_results) = (Vec::new(), Vec::new(), Vec::new());
    let (mut others, mut has_table) = (Vec::new(), false);
    for (source, audited) in audited {
        // In the order in which they were named, although they were read in parallel: warnings then stand above what they
        // are about.
        match audited {
            Ok(Audited { other: Some(kind), .. }) => {
                others.push(kind);
                no_results.push(harmless(&source.path.display().to_string()));
            }
            Ok(one) => {
                one.warnings.iter().for_each(|warning| say!("{warning}"));
                has_table |= one.is_table;
                let is_without_file = one.is_table && count > 1;
                audits.extend(one.audits.into_iter().map(|audit| match is_without_file {
                    // Its title alone does not say which of the files it is.
                    true => {
                        Audit { subject: format!("{}, {}", source.path.display(), audit.subject), ..audit }
                    }
                    false => audit,
                }));
            }
            Err(None) if beside.contains(&source.path) => {}
            Err(None) => {
                no_results.push(harmless(&source.path.display().to_string()));
            }
            Err(Some(failure)) => unreadable.push(failure),
        }
    }
    match no_results.as_slice() {
        [first, .., last] if no_results.len() > MOST_NAMED => say!(
            "note: {} files are not results and were left out, from `{first}` to `{last}`",
            no_results.len()
        ),
        few => few.iter().for_each(|name| say!("note: `{name}` is not a result and was left out")),
    }
    // One that cannot be read does not keep the others from their audit; with none of them it is all there is to say.
    let mut unreadable = unreadable.into_iter();
    if audits.is_empty() {
        let none = || TAKES.none_among(&args.results, &others);
        return Err(unreadable.next().unwrap_or_else(none));
    }
    // They come before the audit, so that they are not lost below pages of it.
    let unreadable_count = unreadable.map(|failure| output::tell(&failure)).count();
    let document = Document::of_audits(&audits);
    let values = audits.iter().map(Value::alone).collect();
    let is_contradicted = audits.iter().any(Audit::has_contradictions);
    let more = (audits.len() > 1).then(|| next::without("audit", &[])).flatten();
    let more = more.map(|typed| format!("{typed} --details"));
    Presentation { more, ..Presentation::new(&document, values) }
        .with_next(next_step(args, &outputs, is_contradicted, has_table))
        .show(&outputs)?;
    // After the audit is shown: code 2 says that it is not the whole of what was asked.
    if unreadable_count > 0 {
        let error = anyhow::anyhow!("{unreadable_count} of {count} files could not be audited");
        return Err(Failure::input(error));
    }
    // Last: a file that cannot be read outweighs a contradiction, because nobody knows what stands in it.
    Ok(if is_contradicted { ExitCode::from(CONTRADICTED) } else { ExitCode::SUCCESS })
}

/// What came of one file, which may hold several results.
#[derive(Default)]
struct Audited {
    audits: Vec<Audit>,
    /// Whether they are of printed rows, of which there is no report.
    is_table: bool,
    /// What it is instead of a result.
    other: Option<Kind>,
    /// For standard error, when it is the turn of this file.
    warnings: Vec<String>,
    /// Files that were read with it.
    beside: Vec<PathBuf>,
}

/// `None` as an error: a folder of results holds other things too.
fn audit_input(source: &Source, input: Result<Input, IntakeError>) -> Result<Audited, Option<Failure>> {
    let input = input.map_err(|error| {
        let is_passed_over = error.is_foreign() && !source.is_named;
        (!is_passed_over).then(|| error.into())
    })?;
    if let Some(table) = input.table() {
        return Ok(Audited { audits: vec![Audit::of_table(table)], is_table: true, ..Audited::default() });
    }
    let Some(subjects) = input.subjects() else {
        let kind = input.kind();
        if source.is_named {
            return Err(Some(TAKES.refuse(&source.path.to_string_lossy(), kind)));
        }
        return Ok(Audited { other: Some(kind), ..Audited::default() });
    };
    let (warnings, beside) = match &input {
        Input::Results(results) => told_beside(&source.path, results),
        _ => Default::default(),
    };
    Ok(Audited { audits: subjects.iter().map(Audit::of).collect(), warnings, beside, ..Audited::default() })
}

/// Figures that contradict each other are for whoever measured them; others are worth a look.
fn next_step(args: &AuditArgs, outputs: &Outputs, is_contradicted: bool, has_table: bool) -> Option<String> {
    if is_contradicted || has_table {
        return next::with_page("audit", outputs, "a page for whoever measured it");
    }
    // What came through a pipe is gone.
    let is_here = args.results.iter().all(|result| result != "-");
    let report = format!("iotrial report{}", all_quoted(&args.results));
    is_here.then(|| format!("{}   # the figures and the verdict", next::in_store(&report)))
}
