//! Results with their figures and the one document of all of them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use iotrial_analysis::comparison::{Comparison, Sample};
use iotrial_analysis::imported::ImportedSummary;
use iotrial_analysis::summary::Summary;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_analysis::verdict::{Verdict, judge};
use iotrial_model::imported::ImportedRecord;
use iotrial_model::record::RunRecord;
use iotrial_report::document::Document;
use iotrial_session::judged_profile::load_thresholds;
use serde::Serialize;

use crate::failure::{Failure, NOT_QUALIFIED};
use crate::presentation::{Presentation, Value};
use crate::report_files::ReportFiles;

/// A result with its figures, whoever measured it.
pub enum Judged {
    Run(Box<RunRecord>, Box<Summary>),
    Imported(Box<ImportedRecord>, Box<ImportedSummary>),
}

impl Judged {
    /// A run, judged by a set.
    pub fn of_run(record: Box<RunRecord>, thresholds: &ThresholdSet) -> Self {
        let summary = Summary::new(&record, judge(&record, thresholds));
        Self::Run(record, Box::new(summary))
    }

    /// What another tool measured, judged by the usual set where no other is named.
    pub fn of_imported(record: ImportedRecord, thresholds: Option<&ThresholdSet>) -> Result<Self, Failure> {
        let summary = match thresholds {
            Some(thresholds) => ImportedSummary::new(&record, thresholds),
            None => ImportedSummary::new(&record, &load_thresholds(Path::new(""), "flash")?),
        };
        Ok(Self::Imported(Box::new(record), Box::new(summary)))
    }

    fn verdict(&self) -> &Verdict {
        match self {
            Self::Run(_, summary) => &summary.verdict,
            Self::Imported(_, summary) => &summary.verdict,
        }
    }
}

/// One result or several, with the document of all.
pub struct Shown {
    /// Each with the file that it comes from.
    results: Vec<(PathBuf, Judged)>,
    document: Document,
}

/// What `--json` prints of a result.
#[derive(Serialize)]
#[serde(untagged)]
enum Figures<'s> {
    Run(&'s Summary),
    Imported(&'s ImportedSummary),
}

impl Shown {
    /// At least one result. Each figure is computed once.
    pub fn new(results: Vec<(PathBuf, Judged)>) -> Self {
        let (mut runs, mut imported) = (Vec::new(), Vec::new());
        for (path, judged) in &results {
            match judged {
                Judged::Run(record, summary) => runs.push((path.as_path(), &**record, &**summary)),
                Judged::Imported(record, summary) => imported.push((&**record, &**summary)),
            }
        }
        let document = match (runs.as_slice(), imported.as_slice()) {
            ([], imported) => Document::of_imported_results(imported),
            ([(_, record, summary)], []) => Document::of_run(record, summary),
            (runs, imported) => of_several(runs, imported),
        };
        Self { results, document }
    }

    /// Writes the files that are wanted, and shows the rest.
    pub fn present(&self, files: &ReportFiles, json: bool) -> Result<(), Failure> {
        let figures: Vec<Figures<'_>> = self
            .results
            .iter()
            .map(|(_, judged)| match judged {
                Judged::Run(_, summary) => Figures::Run(summary),
                Judged::Imported(_, summary) => Figures::Imported(summary),
            })
            .collect();
        let values = self.results.iter().zip(&figures);
        let values = values.map(|((path, _), figures)| match figures {
            Figures::Run(_) => Value::of_record(path, figures),
            Figures::Imported(_) => Value::of_file(path, figures),
        });
        let values = values.collect();
        Presentation::new(&self.document, values).show(files, json)
    }

    /// 0 where the storage of every result is qualified, or the rate that was sought was found; 1 where one is not.
    pub fn exit_code(&self) -> ExitCode {
        let qualified = self.results.iter().all(|(_, judged)| judged.verdict().is_yes());
        if qualified { ExitCode::SUCCESS } else { ExitCode::from(NOT_QUALIFIED) }
    }
}

/// Runs, or runs and imported results: compared where that is fair, and else beside one another.
fn of_several(
    runs: &[(&Path, &RunRecord, &Summary)],
    imported: &[(&ImportedRecord, &ImportedSummary)],
) -> Document {
    let mut samples: Vec<Sample> =
        runs.iter().map(|(path, record, _)| Sample::of_record(record, path.display().to_string())).collect();
    let records: Vec<ImportedRecord> = imported.iter().map(|(record, _)| (*record).clone()).collect();
    samples.extend(Sample::of_imported(&records));
    let comparison = Comparison::or_beside(samples);
    let runs: Vec<(&RunRecord, &Summary)> =
        runs.iter().map(|(_, record, summary)| (*record, *summary)).collect();
    Document::of_results(&runs, imported, &comparison)
}
