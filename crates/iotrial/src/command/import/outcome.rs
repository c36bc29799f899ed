//! What came of an import: file by file, and all of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use iotrial_analysis::sweep::SweepSummary;
use iotrial_model::imported::{ImportedRecord, SourceKind};
use iotrial_session::store::keep_imported;
use serde::Serialize;

use super::{MOST_TOLD, TAKES};
use crate::failure::Failure;
use crate::intake::{self, Input, IntakeError, Kind, Source, awr_reports};
use crate::output::{harmless, next_line, say};
use crate::presentation::aligned;
use crate::shell_line::quoted;

/// What came of all files.
#[derive(Debug, Default, Serialize)]
pub(super) struct Outcome {
    /// Files that were looked at.
    pub(super) files: usize,
    /// How many files and records there were of each format.
    pub(super) kinds: Vec<KindCount>,
    /// Files of no known format, in folders.
    pub(super) passed_over: Vec<String>,
    /// How many of them are AWR reports, which another command reads.
    #[serde(skip)]
    pub(super) awr_reports: usize,
    /// Files that were read with the results that they lie beside.
    pub(super) beside: Vec<String>,
    /// Files that could not be read.
    pub(super) failed: Vec<FailedFile>,
    /// What was not understood.
    pub(super) warnings: Vec<FileWarning>,
    /// Every record that was made, or was there already.
    pub(super) records: Vec<RecordLine>,
    /// Where they are.
    pub(super) folder: PathBuf,
    /// The curves, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sweep: Option<SweepSummary>,
    /// Results that are no point of a curve.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) left_out: Vec<String>,
}

/// What came of all files of one format.
#[derive(Debug, Serialize)]
pub(super) struct KindCount {
    pub(super) kind: SourceKind,
    pub(super) files: usize,
    pub(super) records: usize,
    /// Records that came only now; the others were there.
    pub(super) new: usize,
    pub(super) warnings: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct FailedFile {
    pub(super) file: String,
    pub(super) error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct FileWarning {
    pub(super) file: String,
    pub(super) place: String,
    pub(super) message: String,
}

#[derive(Debug, Serialize)]
pub(super) struct RecordLine {
    pub(super) id: String,
    pub(super) path: PathBuf,
    pub(super) file: String,
    pub(super) place: String,
    pub(super) is_new: bool,
}

impl Outcome {
    /// A line for each kind, where the records are, and what shows them: those in the store by its list. `sources` are what was asked for.
    pub(super) fn text(&self, is_store: bool, sources: &[PathBuf]) -> String {
        let mut rows = Vec::new();
        let mut row = |cells: Vec<String>| rows.push(cells);
        if !self.kinds.is_empty() {
            row(["kind", "files", "records", "new", "warnings"].map(str::to_owned).to_vec());
        }
        for one in &self.kinds {
            // Records and files differ: one file of fio may hold many results, and one result may take many logs.
            let counts = [one.files, one.records, one.new, one.warnings].map(|count| count.to_string());
            row([vec![one.kind.as_str().to_owned()], counts.to_vec()].concat());
        }
        let others = [
            ("could not be read", self.failed.len()),
            ("logs next to a result", self.beside.len()),
            ("not results, skipped", self.passed_over.len()),
        ];
        // What did not happen is not worth a line.
        let others = others.into_iter().filter(|(_, count)| *count > 0);
        others.for_each(|(what, count)| row(vec![what.to_owned(), count.to_string()]));
        let text = aligned(&rows, &[1, 2, 3, 4], &[22, 6, 7, 6, 8]);
        let (place, next) = match self.records.as_slice() {
            [] if self.failed.is_empty() && self.awr_reports > 0 => {
                let names =
                    sources.iter().map(|source| format!(" {}", quoted(&source.display().to_string())));
                let next = next_line(&format!("iotrial awr{}", names.collect::<String>()));
                return text + &format!("nothing was imported: {}\n{next}", awr_reports(self.awr_reports));
            }
            [] if self.failed.is_empty() => {
                return text
                    + "nothing was imported; `iotrial docs import` lists the formats that can be read\n";
            }
            [] => return text + "nothing was imported\n",
            [only] => (format!("record  {}", only.path.display()), next_with("report", &only.path)),
            _ if is_store => (format!("records  {}", self.folder.display()), "iotrial records".to_owned()),
            _ => (format!("records  {}", self.folder.display()), next_with("compare", &self.folder)),
        };
        text + &format!("{}\n{}", harmless(&place), next_line(&next))
    }

    /// On standard error, what could not be read or not be understood; `--json` has all of it.
    pub(super) fn tell(&self) {
        for failed in self.failed.iter().take(MOST_TOLD) {
            say!("error: `{}`: {}", failed.file, failed.error);
            // With several files the hints would be the same sentence again and again.
            if let Some(hint) = failed.hint.as_ref().filter(|_| self.failed.len() == 1) {
                say!("hint: {hint}");
            }
        }
        tell_more(self.failed.len(), "files that could not be read");
        for warning in self.warnings.iter().take(MOST_TOLD) {
            say!("warning: `{}`, {}: {}", warning.file, warning.place, warning.message);
        }
        tell_more(self.warnings.len(), "warnings");
    }
}

fn tell_more(count: usize, what: &str) {
    if count > MOST_TOLD {
        say!("and {} more {what}; --json lists all of them", count - MOST_TOLD);
    }
}

/// What came of one file.
pub(super) enum FileOutcome {
    Read {
        kind: SourceKind,
        records: Vec<RecordLine>,
        warnings: Vec<FileWarning>,
        beside: Vec<PathBuf>,
        results: Vec<ImportedRecord>,
    },
    /// What it is, as far as iotrial knows.
    PassedOver(Option<Kind>),
    Failed(FailedFile),
    /// The record could not be written.
    Broken(anyhow::Error),
}

/// Keeps the records of a file. The results themselves stay in memory only where curves are made of them.
pub(super) fn take_file(
    source: &Source,
    read: Result<Input, IntakeError>,
    folder: &Path,
    with_results: bool,
) -> FileOutcome {
    let Source { path, is_named, .. } = source;
    let file = harmless(&path.display().to_string());
    let imported = match read {
        Ok(Input::Results(imported)) => *imported,
        // A folder of results holds scripts and notes too; a file that was named is meant.
        Err(error) if error.is_foreign() && !is_named => return FileOutcome::PassedOver(None),
        Err(error) => {
            let (error, hint) = (harmless(&error.reason()), error.hint().map(str::to_owned));
            return FileOutcome::Failed(FailedFile { file, error, hint });
        }
        Ok(other) if !is_named => return FileOutcome::PassedOver(Some(other.kind())),
        Ok(other) => {
            let failure = TAKES.refuse(&path.to_string_lossy(), other.kind());
            let (error, hint) = (failure.reason(), failure.into_hint());
            return FileOutcome::Failed(FailedFile { file, error, hint });
        }
    };
    // Those of the records first: they say what a figure lacks, those of the file what was skipped.
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
            // A full disk ends everything: every further file would fail alike.
            Err(error) => return FileOutcome::Broken(error.into()),
        }
    }
    let mut results = if with_results { imported.records } else { Vec::new() };
    // A curve needs a few figures of each; their histories would fill the memory.
    results.iter_mut().for_each(intake::forget_course);
    let beside = imported.beside.iter().map(|name| path.with_file_name(name)).collect();
    FileOutcome::Read { kind: imported.kind, records, warnings, beside, results }
}

/// All of them together, and the results where they were kept in memory.
pub(super) fn gather(
    outcomes: Vec<FileOutcome>,
    sources: &[Source],
    folder: PathBuf,
) -> Result<(Outcome, Vec<ImportedRecord>), Failure> {
    let mut all = Outcome { folder, files: sources.len(), ..Outcome::default() };
    let mut results = Vec::new();
    let mut kinds: BTreeMap<SourceKind, KindCount> = BTreeMap::new();
    let mut used: BTreeSet<PathBuf> = BTreeSet::new();
    let mut passed_over: Vec<&Path> = Vec::new();
    for (Source { path, .. }, outcome) in sources.iter().zip(outcomes) {
        match outcome {
            // In the order of the names, so that two imports of one folder print the same.
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
            FileOutcome::PassedOver(kind) => {
                all.awr_reports += usize::from(kind == Some(Kind::Awr));
                passed_over.push(path);
            }
            FileOutcome::Failed(failed) => all.failed.push(failed),
            FileOutcome::Broken(error) => return Err(Failure::execution(error)),
        }
    }
    // Known only now: a log may come before the result that it belongs to.
    let (beside, passed_over): (Vec<&Path>, _) =
        passed_over.into_iter().partition(|path| used.contains(*path));
    let names = |paths: Vec<&Path>| paths.iter().map(|path| harmless(&path.display().to_string())).collect();
    (all.beside, all.passed_over) = (names(beside), names(passed_over));
    all.kinds = kinds.into_values().collect();
    Ok((all, results))
}

/// The command that shows what lies there.
fn next_with(command: &str, path: &Path) -> String {
    format!("iotrial {command} {}", quoted(&path.display().to_string()))
}
