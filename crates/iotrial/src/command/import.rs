//! `iotrial import`: results of other tools become records.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use iotrial_analysis::sweep::SweepSummary;
use iotrial_import::{Imported, Naming};
use iotrial_model::imported::{ImportedRecord, SourceKind};
use iotrial_model::record::AttributeValue;
use iotrial_report::document::Document;
use iotrial_report::terminal::render_terminal;
use serde::Serialize;

use crate::cli::ImportArgs;
use crate::command::report::terminal_style;
use crate::failure::{Failure, NOT_ALL_READ};
use crate::foreign::{self, ForeignError, STANDARD_INPUT};
use crate::output::{self, harmless};
use crate::parallel::in_parallel;
use crate::store::{Store, keep_imported};

/// Warnings and errors beyond these are only counted on a terminal; `--json` has all of them.
const MOST_TOLD: usize = 20;

/// What came of all files.
#[derive(Debug, Default, Serialize)]
struct Outcome {
    /// Files that were looked at.
    files: usize,
    /// By format.
    kinds: Vec<KindCount>,
    /// Files of no known format, in folders.
    passed_over: Vec<String>,
    /// Files that were read with the results that they lie beside.
    beside: Vec<String>,
    /// Files that could not be read.
    failed: Vec<FailedFile>,
    /// What was not understood.
    warnings: Vec<FileWarning>,
    /// Every record.
    records: Vec<RecordLine>,
    /// Where they are.
    folder: PathBuf,
    /// The curves, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    sweep: Option<SweepSummary>,
    /// Results that are no point of a curve.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
}

/// One format.
#[derive(Debug, Serialize)]
struct KindCount {
    kind: SourceKind,
    files: usize,
    records: usize,
    /// Records that came only now; the others were there.
    new: usize,
    warnings: usize,
}

#[derive(Debug, Serialize)]
struct FailedFile {
    file: String,
    error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Debug, Serialize)]
struct FileWarning {
    file: String,
    place: String,
    message: String,
}

#[derive(Debug, Serialize)]
struct RecordLine {
    id: String,
    path: PathBuf,
    file: String,
    place: String,
    is_new: bool,
}

/// What came of one file.
enum FileOutcome {
    Read {
        kind: SourceKind,
        records: Vec<RecordLine>,
        warnings: Vec<FileWarning>,
        beside: Vec<PathBuf>,
        results: Vec<ImportedRecord>,
    },
    PassedOver,
    Failed(FailedFile),
    /// The record could not be written.
    Broken(anyhow::Error),
}

/// Imports, and tells what came of it.
pub fn import(args: &ImportArgs) -> Result<ExitCode, Failure> {
    args.files.check(args.json, &[])?;
    check_names(args)?;
    args.files.check_are_writable()?;
    if !args.as_sweep
        && (args.files.take_standard_output()
            || args.files.html.is_some()
            || args.files.xlsx.is_some()
            || args.files.markdown.is_some()
            || args.files.csv.is_some())
    {
        let error = anyhow::anyhow!("a report is made of the curves of --as-sweep");
        return Err(
            Failure::input(error).hint("add --as-sweep, or give the records to `iotrial report`".to_owned())
        );
    }
    let sources = find_files(&args.sources)?;
    let folder = match &args.output {
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder `{}`", folder.display()))
                .map_err(Failure::execution)?;
            folder.clone()
        }
        None => Store::open(args.store.store.as_deref()).map_err(Failure::execution)?.folder().to_owned(),
    };
    let bar = progress(args, sources.len());
    let outcomes = in_parallel(&sources, |(path, is_named)| {
        let read = foreign::read(path, &naming(args, path));
        let outcome = take_file(path, *is_named, read, &folder, args.as_sweep);
        bar.inc(1);
        outcome
    });
    bar.finish_and_clear();
    let (mut outcome, results) = gather(outcomes, &sources, folder)?;
    let document = args.as_sweep.then(|| sweep_document(&mut outcome, &results, args)).transpose()?;
    show(args, &outcome, document.as_ref())?;
    Ok(match (outcome.failed.is_empty(), outcome.records.is_empty()) {
        (_, true) => ExitCode::from(2),
        (false, false) => ExitCode::from(NOT_ALL_READ),
        (true, false) => ExitCode::SUCCESS,
    })
}

/// The files that are meant, and whether each was named itself or lies in a folder that was.
fn find_files(sources: &[PathBuf]) -> Result<Vec<(PathBuf, bool)>, Failure> {
    let mut files = Vec::new();
    for source in sources {
        if source.is_dir() {
            let found = foreign::files_in(source).map_err(Failure::execution)?;
            if found.is_empty() {
                let error = anyhow::anyhow!("the folder `{}` has no files", source.display());
                return Err(Failure::input(error));
            }
            files.extend(found.into_iter().map(|path| (path, false)));
        } else if source == Path::new(STANDARD_INPUT) || source.exists() {
            files.push((source.clone(), true));
        } else {
            let error = anyhow::anyhow!("there is no file or folder `{}`", source.display());
            return Err(Failure::input(error).hint("- stands for standard input".to_owned()));
        }
    }
    Ok(files)
}

/// Refuses braces that stand for nothing: they would be names of results for ever.
fn check_names(args: &ImportArgs) -> Result<(), Failure> {
    let of_attributes = args.attributes.iter().filter_map(|(_, value)| match value {
        AttributeValue::Text(text) => Some(text.as_str()),
        _ => None,
    });
    for text in args.label.as_deref().into_iter().chain(of_attributes) {
        let left = PLACEHOLDERS.iter().fold(text.to_owned(), |text, known| text.replace(known, ""));
        if left.contains('{') && left.contains('}') {
            let error = anyhow::anyhow!("`{text}` has braces around a word that stands for nothing");
            let hint = format!("the words are {}", PLACEHOLDERS.join(", "));
            return Err(Failure::input(error).hint(hint));
        }
    }
    Ok(())
}

/// What stands for the name of a file, the same without its ending, and the folder that it lies in.
const PLACEHOLDERS: [&str; 3] = ["{name}", "{stem}", "{folder}"];

/// The names that the user gives to the results of a file.
fn naming(args: &ImportArgs, path: &Path) -> Naming {
    let part = |part: Option<&std::ffi::OsStr>| {
        part.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let (name, stem) = (part(path.file_name()), part(path.file_stem()));
    let folder = part(path.parent().and_then(Path::file_name));
    let filled =
        |text: &str| text.replace("{name}", &name).replace("{stem}", &stem).replace("{folder}", &folder);
    let value = |value: &AttributeValue| match value {
        AttributeValue::Text(text) => AttributeValue::from_text(&filled(text)),
        number => number.clone(),
    };
    Naming {
        label: args.label.as_deref().map(filled).filter(|label| !label.trim().is_empty()),
        attributes: args.attributes.iter().map(|(key, one)| (key.clone(), value(one))).collect(),
        role: args.role,
    }
}

fn progress(args: &ImportArgs, count: usize) -> ProgressBar {
    if args.quiet || count < 2 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("import   {wide_bar} {pos}/{len}  ETA {eta}");
    ProgressBar::new(count as u64).with_style(style.expect("the template is right"))
}

/// Keeps the records of a file. The results themselves stay in memory only where curves are made of them.
fn take_file(
    path: &Path,
    is_named: bool,
    read: Result<Imported, ForeignError>,
    folder: &Path,
    with_results: bool,
) -> FileOutcome {
    let file = harmless(&path.display().to_string());
    let imported = match read {
        Ok(imported) => imported,
        Err(error) if error.is_foreign() && !is_named => return FileOutcome::PassedOver,
        Err(error) => {
            let hint = error.hint();
            return FileOutcome::Failed(FailedFile {
                file,
                error: harmless(&format!("{:#}", anyhow::Error::from(error))),
                hint,
            });
        }
    };
    let of_records = imported.records.iter().flat_map(|record| &record.warnings);
    let warnings = of_records.chain(&imported.warnings).map(|warning| FileWarning {
        file: file.clone(),
        place: harmless(&warning.place),
        message: harmless(&warning.message),
    });
    let warnings = warnings.collect();
    let mut records = Vec::with_capacity(imported.records.len());
    for record in &imported.records {
        match keep_imported(folder, record) {
            Ok(kept) => records.push(RecordLine {
                id: record.id.clone(),
                path: kept.path,
                file: file.clone(),
                place: harmless(&record.source.place),
                is_new: kept.is_new,
            }),
            Err(error) => return FileOutcome::Broken(error),
        }
    }
    let mut results = if with_results { imported.records } else { Vec::new() };
    results.iter_mut().for_each(foreign::forget_course);
    let beside = imported.beside.iter().map(|name| path.with_file_name(name)).collect();
    FileOutcome::Read { kind: imported.kind, records, warnings, beside, results }
}

fn gather(
    outcomes: Vec<FileOutcome>,
    sources: &[(PathBuf, bool)],
    folder: PathBuf,
) -> Result<(Outcome, Vec<ImportedRecord>), Failure> {
    let mut all = Outcome { folder, files: sources.len(), ..Outcome::default() };
    let mut results = Vec::new();
    let mut kinds: BTreeMap<SourceKind, KindCount> = BTreeMap::new();
    let mut used: BTreeSet<PathBuf> = BTreeSet::new();
    let mut passed_over: Vec<&Path> = Vec::new();
    for ((path, _), outcome) in sources.iter().zip(outcomes) {
        match outcome {
            FileOutcome::Read { kind, records, warnings, beside, results: of_file } => {
                used.extend(beside);
                let none = KindCount { kind, files: 0, records: 0, new: 0, warnings: 0 };
                let count = kinds.entry(kind).or_insert(none);
                count.files += 1;
                count.records += records.len();
                count.new += records.iter().filter(|record| record.is_new).count();
                count.warnings += warnings.len();
                all.records.extend(records);
                all.warnings.extend(warnings);
                results.extend(of_file);
            }
            FileOutcome::PassedOver => passed_over.push(path),
            FileOutcome::Failed(failed) => all.failed.push(failed),
            FileOutcome::Broken(error) => return Err(Failure::execution(error)),
        }
    }
    let (beside, passed_over): (Vec<&Path>, _) =
        passed_over.into_iter().partition(|path| used.contains(*path));
    let names = |paths: Vec<&Path>| paths.iter().map(|path| harmless(&path.display().to_string())).collect();
    (all.beside, all.passed_over) = (names(beside), names(passed_over));
    all.kinds = kinds.into_values().collect();
    Ok((all, results))
}

fn sweep_document(
    outcome: &mut Outcome,
    results: &[ImportedRecord],
    args: &ImportArgs,
) -> Result<Document, Failure> {
    let (summary, left_out) = SweepSummary::of_imported(results);
    outcome.left_out = left_out.iter().map(|one| harmless(&one.to_string())).collect();
    if summary.curves.is_empty() && !results.is_empty() {
        let hint = outcome.left_out.first().cloned();
        return Err(Failure::input(anyhow::anyhow!("none of the results is a point of a curve")).hint(hint));
    }
    let sources: Vec<String> = args.sources.iter().map(|source| source.display().to_string()).collect();
    let document = Document::of_imported_sweep(&summary, format!("From {}", sources.join(", ")));
    outcome.sweep = Some(summary);
    Ok(document)
}

fn show(args: &ImportArgs, outcome: &Outcome, document: Option<&Document>) -> Result<(), Failure> {
    for failed in outcome.failed.iter().take(MOST_TOLD) {
        eprintln!("error: `{}`: {}", failed.file, failed.error);
        if let Some(hint) = failed.hint.as_ref().filter(|_| outcome.failed.len() == 1) {
            eprintln!("hint: {hint}");
        }
    }
    tell_more(outcome.failed.len(), "files that could not be read");
    for warning in outcome.warnings.iter().take(MOST_TOLD) {
        eprintln!("warning: `{}`, {}: {}", warning.file, warning.place, warning.message);
    }
    tell_more(outcome.warnings.len(), "warnings");
    let (written, result) =
        document.map_or_else(|| (Vec::new(), Ok(())), |document| args.files.write(document));
    if args.json {
        output::json(outcome)?;
    } else if !args.files.take_standard_output() {
        let mut text = summary_lines(outcome);
        if let Some(document) = document {
            text.push('\n');
            text.push_str(&render_terminal(document, terminal_style()));
        }
        written.iter().for_each(|path| text.push_str(&format!("report  {}\n", path.display())));
        output::text(&text)?;
    }
    result
}

fn tell_more(count: usize, what: &str) {
    if count > MOST_TOLD {
        eprintln!("and {} more {what}; --json lists all of them", count - MOST_TOLD);
    }
}

/// One line for each kind.
fn summary_lines(outcome: &Outcome) -> String {
    let mut text = String::new();
    if !outcome.kinds.is_empty() {
        text.push_str(&format!(
            "{:<22} {:>7} {:>8} {:>7} {:>9}\n",
            "kind", "files", "records", "new", "warnings"
        ));
    }
    for kind in &outcome.kinds {
        let name = kind.kind.as_str();
        let (files, records, new, warnings) = (kind.files, kind.records, kind.new, kind.warnings);
        text.push_str(&format!("{name:<22} {files:>7} {records:>8} {new:>7} {warnings:>9}\n"));
    }
    if !outcome.failed.is_empty() {
        text.push_str(&format!("{:<22} {:>7}\n", "could not be read", outcome.failed.len()));
    }
    if !outcome.beside.is_empty() {
        text.push_str(&format!("{:<22} {:>7}\n", "logs beside a result", outcome.beside.len()));
    }
    if !outcome.passed_over.is_empty() {
        text.push_str(&format!("{:<22} {:>7}\n", "no results, passed over", outcome.passed_over.len()));
    }
    match outcome.records.as_slice() {
        [] => text.push_str("nothing was imported\n"),
        [only] => text.push_str(&format!("record  {}\n", only.path.display())),
        _ => text.push_str(&format!("records  {}\n", outcome.folder.display())),
    }
    text
}
