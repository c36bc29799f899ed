//! `iotrial report` of imported results, and of files of other tools.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use iotrial_analysis::summary::Summary;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_import::Naming;
use iotrial_model::imported::ImportedRecord;
use iotrial_model::subject::Subject;
use iotrial_report::document::Document;
use iotrial_report::terminal::render_terminal;
use serde::Serialize;

use super::{load_thresholds, terminal_style};
use crate::cli::ReportArgs;
use crate::failure::{Failure, NOT_QUALIFIED};
use crate::foreign;
use crate::output::{self, harmless};
use crate::store::{is_imported, is_record, read_imported};

/// What `--json` prints.
#[derive(Serialize)]
struct JsonImported<'s> {
    /// The file that was given.
    record: &'s Path,
    #[serde(flatten)]
    summary: &'s Summary,
}

/// The results in a file that is no record of a run; `None` for one that is, or that may be a broken one.
pub(super) fn read(path: &Path) -> Result<Option<Vec<ImportedRecord>>, Failure> {
    if is_imported(path) {
        return read_imported(path).map(|record| Some(vec![record])).map_err(Failure::input);
    }
    if is_record(path) {
        return Ok(None);
    }
    match foreign::read(path, &Naming::default()) {
        Ok(imported) => Ok(Some(imported.records)),
        Err(error) if error.is_foreign() => Ok(None),
        Err(error) => {
            let hint = error.hint();
            let error = Err(error)
                .with_context(|| format!("`{}` cannot be imported", harmless(&path.display().to_string())));
            error.map_err(|error: anyhow::Error| Failure::input(error).hint(hint))
        }
    }
}

/// Shows them.
pub(super) fn report(
    args: &ReportArgs,
    results: &[(PathBuf, ImportedRecord)],
    thresholds: Option<&ThresholdSet>,
) -> Result<ExitCode, Failure> {
    let usual;
    let thresholds = match thresholds {
        Some(thresholds) => thresholds,
        None => {
            usual = load_thresholds("flash", None)?;
            &usual
        }
    };
    let summaries: Vec<Summary> =
        results.iter().map(|(_, record)| Summary::new(&Subject::of_imported(record), thresholds)).collect();
    let pairs: Vec<(&ImportedRecord, &Summary)> =
        results.iter().map(|(_, record)| record).zip(&summaries).collect();
    let document = Document::of_imported_results(&pairs);
    let (written, result) = args.files.write(&document);
    if !args.files.take_standard_output() {
        if args.json {
            let all = results.iter().zip(&summaries);
            let all: Vec<JsonImported<'_>> =
                all.map(|((record, _), summary)| JsonImported { record, summary }).collect();
            match all.as_slice() {
                [one] => output::json(one)?,
                several => output::json(&several)?,
            }
        } else {
            let mut text = render_terminal(&document, terminal_style());
            text.push('\n');
            written.iter().for_each(|path| text.push_str(&format!("report  {}\n", path.display())));
            output::text(&text)?;
        }
    }
    result?;
    let qualified = summaries.iter().all(|summary| summary.verdict.qualified);
    Ok(if qualified { ExitCode::SUCCESS } else { ExitCode::from(NOT_QUALIFIED) })
}
