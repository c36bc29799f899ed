//! `iotrial audit`: does a result agree with itself?

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use iotrial_analysis::audit::Audit;
use iotrial_analysis::findings::findings;
use iotrial_import::Naming;
use iotrial_model::subject::Subject;
use iotrial_report::document::Document;
use iotrial_report::terminal::render_terminal;

use crate::cli::AuditArgs;
use crate::command::report::terminal_style;
use crate::failure::{CONTRADICTED, Failure};
use crate::foreign::{self, STANDARD_INPUT, files_in};
use crate::output::{self, harmless};
use crate::parallel::in_parallel;
use crate::store::{Store, is_imported, is_record, read_imported, read_record, records_in};

/// Audits, and shows what came of it.
pub fn audit(args: &AuditArgs) -> Result<ExitCode, Failure> {
    args.files.check(args.json, &[])?;
    args.files.check_are_writable()?;
    let results = find_results(args)?;
    let (mut audits, mut unreadable) = (Vec::new(), Vec::new());
    let audited = in_parallel(&results, |found| audit_file(&found.path));
    let beside = audited.iter().flatten().flat_map(|audited| &audited.beside);
    let beside: BTreeSet<PathBuf> = beside.cloned().collect();
    for (found, audited) in results.iter().zip(audited) {
        match audited {
            Ok(Audited { audits: several, warnings, .. }) => {
                warnings.iter().for_each(|warning| eprintln!("{warning}"));
                audits.extend(several);
            }
            // A folder of results holds other things too.
            Err(AuditFileError { is_foreign: true, .. }) if !found.is_named => {
                if !beside.contains(&found.path) {
                    eprintln!("note: `{}` is no result, and left out", found.name());
                }
            }
            Err(AuditFileError { failure, .. }) => unreadable.push(failure),
        }
    }
    // One that cannot be read does not keep the others from their audit; with none of them it is all there is to say.
    let mut unreadable = unreadable.into_iter();
    if audits.is_empty() {
        return Err(unreadable
            .next()
            .unwrap_or_else(|| Failure::input(anyhow::anyhow!("there is no result among these files"))));
    }
    let unreadable_count = unreadable.map(|failure| eprintln!("{failure}")).count();
    let document = Document::of_audits(&audits);
    let (written, result) = args.files.write(&document);
    if args.json {
        match audits.as_slice() {
            [one] => output::json(one)?,
            several => output::json(&several)?,
        }
    } else if !args.files.take_standard_output() {
        let mut text = render_terminal(&document, terminal_style());
        if !written.is_empty() {
            text.push('\n');
        }
        written.iter().for_each(|path| text.push_str(&format!("report  {}\n", path.display())));
        output::text(&text)?;
    }
    result?;
    if unreadable_count > 0 {
        let error = anyhow::anyhow!("{unreadable_count} of {} files could not be audited", results.len());
        return Err(Failure::input(error));
    }
    let is_contradicted = audits.iter().any(Audit::has_contradictions);
    Ok(if is_contradicted { ExitCode::from(CONTRADICTED) } else { ExitCode::SUCCESS })
}

/// A file to audit.
struct Found {
    path: PathBuf,
    /// Whether it was named itself, and not only its folder.
    is_named: bool,
}

impl Found {
    const fn named(path: PathBuf) -> Self {
        Self { path, is_named: true }
    }

    fn name(&self) -> String {
        harmless(&self.path.display().to_string())
    }
}

/// The files that are meant, in the order in which they were named.
fn find_results(args: &AuditArgs) -> Result<Vec<Found>, Failure> {
    let mut paths = Vec::new();
    for name in &args.results {
        let path = Path::new(name);
        if path.is_dir() {
            let mut files = records_in(path).map_err(Failure::input)?;
            files.extend(files_in(path).map_err(Failure::input)?);
            if files.is_empty() {
                return Err(Failure::input(anyhow::anyhow!("the folder `{name}` has no files")));
            }
            paths.extend(files.into_iter().map(|path| Found { path, is_named: false }));
        } else if path.is_file() || name == STANDARD_INPUT {
            paths.push(Found::named(path.to_owned()));
        } else {
            let store = Store::open(args.store.store.as_deref()).map_err(Failure::execution)?;
            let hint =
                "a result is a file, a folder of them, or an id that `iotrial records` lists".to_owned();
            let found = store.find(name).map_err(|error| Failure::input(error).hint(hint))?;
            paths.push(Found::named(found));
        }
    }
    Ok(paths)
}

/// Why a file could not be audited.
struct AuditFileError {
    failure: Failure,
    /// Whether it is no result at all, as others in a folder may be.
    is_foreign: bool,
}

impl From<Failure> for AuditFileError {
    fn from(failure: Failure) -> Self {
        Self { failure, is_foreign: false }
    }
}

/// What came of one file, which may hold several results.
struct Audited {
    audits: Vec<Audit>,
    /// For standard error, when it is the turn of this file.
    warnings: Vec<String>,
    /// Files that were read with it.
    beside: Vec<PathBuf>,
}

impl Audited {
    fn one(audit: Audit) -> Self {
        Self { audits: vec![audit], warnings: Vec::new(), beside: Vec::new() }
    }
}

/// What a file holds is told by what stands in it, never by its name.
fn audit_file(path: &Path) -> Result<Audited, AuditFileError> {
    if is_record(path) {
        let record = read_record(path).map_err(Failure::input)?;
        return Ok(Audited::one(Audit::of(&Subject::of_run(&record), &findings(&record))));
    }
    if is_imported(path) {
        let record = read_imported(path).map_err(Failure::input)?;
        return Ok(Audited::one(Audit::of(&Subject::of_imported(&record), &[])));
    }
    let name = harmless(&path.display().to_string());
    let imported = foreign::read(path, &Naming::default()).map_err(|error| {
        let (hint, is_foreign) = (error.hint(), error.is_foreign());
        let failure = Failure::input(error).context(format!("cannot audit `{name}`")).hint(hint);
        AuditFileError { failure, is_foreign }
    })?;
    if let Some(table) = &imported.table {
        return Ok(Audited::one(Audit::of_table(table)));
    }
    let of_records = imported.records.iter().flat_map(|record| &record.warnings);
    let warnings = imported.warnings.iter().chain(of_records);
    Ok(Audited {
        audits: imported.records.iter().map(|one| Audit::of(&Subject::of_imported(one), &[])).collect(),
        warnings: warnings
            .map(|warning| format!("warning: `{name}`: {}", harmless(&warning.to_string())))
            .collect(),
        beside: imported.beside.iter().map(|name| path.with_file_name(name)).collect(),
    })
}
