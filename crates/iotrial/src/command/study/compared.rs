//! What a study came to: its configurations held against each other, under each profile and over all of them.

use std::path::{Path, PathBuf};

use iotrial_analysis::comparison::{
    CompareError, CompareRequest, Comparison, ComparisonMatrix, LoadMatrix, Sample,
};
use iotrial_model::study::Study;
use iotrial_report::document::Document;
use iotrial_session::store::read_record;
use iotrial_session::study::{CellState, CellStatus};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{harmless, say};
use crate::outputs::Outputs;
use crate::parallel::in_parallel;
use crate::presentation::{screen_of, text_of};

/// The configurations of a study, held against each other under each of its profiles.
pub struct StudyCompared {
    /// One for each profile under which two configurations or more are measured.
    comparisons: Vec<OfProfile>,
    /// The answer over all profiles, of a study with several.
    over_loads: Option<LoadMatrix>,
    document: Document,
    report: Option<PathBuf>,
    /// The files of the report that are there.
    written: Vec<PathBuf>,
}

/// The configurations of a study under one profile, held against each other.
#[derive(Serialize)]
pub struct OfProfile {
    /// As the study names it.
    profile: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<PathBuf>,
    #[serde(flatten)]
    comparison: Comparison,
}

impl StudyCompared {
    /// Compares what is measured; `None` where fewer than two configurations are, under every profile.
    pub fn new(study: &Study, cells: &[CellStatus]) -> Option<Self> {
        let done: Vec<&CellStatus> = cells.iter().filter(|cell| cell.state == CellState::Done).collect();
        // One configuration alone has nothing beside it; the state of the study says how far it is.
        let has_several = |profile: &str| {
            let mut labels = done.iter().filter(|cell| cell.profile == profile).map(|cell| &cell.label);
            labels.next().is_some_and(|first| labels.any(|label| label != first))
        };
        let mut done: Vec<&CellStatus> =
            done.iter().filter(|cell| has_several(&cell.profile)).copied().collect();
        let compared = loop {
            if done.is_empty() {
                return None;
            }
            let error = match ComparisonMatrix::new(samples(&done), &CompareRequest::default()) {
                Ok(compared) => break compared,
                Err(error) => error,
            };
            say!("warning: no comparison: {}", harmless(&error.to_string()));
            // The records are safe, and what can be compared is to be seen.
            let CompareError::UnderLoad { sources, .. } = error else { return None };
            let is_of_load =
                |cell: &&CellStatus| source_of(cell).is_some_and(|source| sources.contains(&source));
            let before = done.len();
            done.retain(|cell| !is_of_load(cell));
            if done.len() == before {
                return None;
            }
        };
        let measured = format!("{} of {} measurements are done", done.len(), cells.len());
        Some(Self::shown(study, &done, compared, &measured))
    }

    fn shown(study: &Study, done: &[&CellStatus], compared: ComparisonMatrix, measured: &str) -> Self {
        let mut document = Document::of_matrix(&compared);
        let profiles: Vec<&str> = compared.rows.iter().map(|one| one.load.as_str()).collect();
        document.title = format!("{}: {}", study.title, profiles.join(", "));
        let order = if study.is_balanced() {
            "in an order that has each configuration equally often in each position"
        } else {
            "in a nearly balanced order"
        };
        document.in_brief.insert(0, ("study", format!("{}, {measured}, {order}", study.name)));
        let of_profile = |comparison: Comparison| {
            let is_in =
                |source: &String| comparison.configurations.iter().any(|one| one.sources.contains(source));
            let cell = done.iter().find(|cell| source_of(cell).is_some_and(|source| is_in(&source)));
            OfProfile {
                profile: cell.map_or_else(|| comparison.subjects.join(", "), |cell| cell.profile.clone()),
                report: None,
                comparison,
            }
        };
        let over_loads = compared.over_loads;
        let comparisons = compared.rows.into_iter().map(|one| of_profile(one.comparison)).collect();
        Self { comparisons, over_loads, document, report: None, written: Vec::new() }
    }

    /// Writes the comparison in every form that is wanted.
    pub fn write(&mut self, outputs: &Outputs) -> Result<(), Failure> {
        let (written, result) = outputs.write_report(&self.document);
        self.report = outputs.page_of(&written).map(Path::to_owned);
        for one in &mut self.comparisons {
            one.report.clone_from(&self.report);
        }
        self.written = written;
        result
    }

    /// One comparison for each profile.
    pub fn comparisons(&self) -> &[OfProfile] {
        &self.comparisons
    }

    /// The answer over all profiles, of a study with several.
    pub const fn over_loads(&self) -> Option<&LoadMatrix> {
        self.over_loads.as_ref()
    }

    /// As a terminal shows it below the text `above`: what fits one screen with it, or with `details` all.
    pub fn text(&self, above: &str, details: bool) -> String {
        let files: Vec<(&str, &Path)> = self.written.iter().map(|path| ("report", path.as_path())).collect();
        if details {
            text_of(&self.document, &files)
        } else {
            screen_of(&self.document, &files, above, Some("the same with --status --details"))
        }
    }
}

/// What the comparison calls the record of a measurement.
fn source_of(cell: &CellStatus) -> Option<String> {
    cell.record.as_ref().map(|path| path.display().to_string())
}

/// What a comparison needs of each measurement, by the name that the study has for its configuration. A record that cannot
/// be read is left out.
fn samples(cells: &[&CellStatus]) -> Vec<Sample> {
    let path = |cell: &&CellStatus| cell.record.clone().expect("what is done has a record");
    let paths: Vec<PathBuf> = cells.iter().map(path).collect();
    let named = |(read, cell): (anyhow::Result<Sample>, &&CellStatus)| match read {
        Ok(sample) => Some(sample.named(&cell.label, cell.attributes.clone())),
        Err(error) => {
            // The study goes on to be shown: one damaged file of forty must not hide thirty-nine.
            say!("warning: left out of the comparison: {error:#}");
            None
        }
    };
    let sample = |path: &PathBuf| {
        let record = read_record(path)?;
        Ok(Sample::of_run(&record, path.display().to_string()))
    };
    in_parallel(&paths, sample).into_iter().zip(cells).filter_map(named).collect()
}
