//! What is done of a study and what is missing, as text and as JSON.

use std::path::PathBuf;

use iotrial_analysis::comparison::LoadMatrix;
use iotrial_model::study::{Progress, Study};
use iotrial_session::store::Store;
use iotrial_session::study::{CellState, CellStatus, cells};
use serde::Serialize;

use super::compared::{OfProfile, StudyCompared};
use crate::failure::Failure;
use crate::output::{self, JsonForm, harmless, say};
use crate::outputs::Outputs;
use crate::presentation::aligned;

/// A study with what is measured of it.
pub struct Shown<'s> {
    study: &'s Study,
    began_at: Option<String>,
    cells: Vec<CellStatus>,
    compared: Option<StudyCompared>,
    /// The command that goes on, where the user has just stopped it and wants to see no more than that.
    stopped: Option<String>,
}

#[derive(Serialize)]
struct JsonStudy<'s> {
    study: &'s str,
    title: &'s str,
    journal: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    began_at: Option<&'s str>,
    complete: bool,
    done_count: usize,
    failed_count: usize,
    missing_count: usize,
    cells: &'s [CellStatus],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    comparisons: &'s [OfProfile],
    #[serde(skip_serializing_if = "Option::is_none")]
    over_loads: Option<&'s LoadMatrix>,
}

impl<'s> Shown<'s> {
    /// Holds the study against its journal and the store. `progress` is `None` where it never began.
    pub fn new(study: &'s Study, progress: Option<&Progress>, store: &Store) -> Result<Self, Failure> {
        Ok(Self {
            study,
            began_at: progress.map(|progress| progress.began_at.clone()),
            cells: cells(study, progress, store)?,
            compared: None,
            stopped: None,
        })
    }

    /// Whether everything is done that this machine measures.
    pub fn is_measured_here(&self) -> bool {
        self.cells.iter().filter(|cell| !cell.elsewhere).all(|cell| cell.state == CellState::Done)
    }

    /// Holds the configurations against each other, under each profile and over all of them.
    #[must_use]
    pub fn compared(self) -> Self {
        let compared = StudyCompared::new(self.study, &self.cells);
        Self { compared, ..self }
    }

    /// After the user stopped it, with the command that goes on.
    #[must_use]
    pub fn stopped(self, again: Option<String>) -> Self {
        Self { stopped: again, ..self }
    }

    /// Writes the files of the report that are wanted, and prints what is known: whatever is wrong with a file must not hide
    /// it.
    pub fn write_and_print(mut self, store: &Store, outputs: &Outputs) -> Result<(), Failure> {
        let json = outputs.json();
        let written = self.compared.as_mut().map_or(Ok(()), |compared| compared.write(outputs));
        if self.compared.is_none() && outputs.have_report() && self.stopped.is_none() {
            // A note and no error: the study may have just begun, and its state is what was asked for.
            say!("note: there is nothing to compare yet, so no report was written");
        }
        if let Some(again) = self.stopped.as_ref().filter(|_| !json.is_json() && !outputs.has_details()) {
            let (done, all) = (self.count(CellState::Done), self.cells.len());
            let kept = format!("stopped after {done} of {all} measurements, which are kept");
            output::text(&format!("{kept}\nagain: {again}\n"))?;
            return written;
        }
        if json.is_json() || !outputs.take_standard_output() {
            self.print(store, json, outputs.has_details())?;
        }
        // On standard error and after the figures, because that is where a reader goes on.
        self.print_hints();
        written
    }

    fn count(&self, state: CellState) -> usize {
        self.cells.iter().filter(|cell| cell.state == state).count()
    }

    /// Prints what is done and missing, and the comparisons below it.
    fn print(&self, store: &Store, json: JsonForm, details: bool) -> Result<(), Failure> {
        let complete = self.count(CellState::Done) == self.cells.len();
        if json.is_json() {
            return json.write(&JsonStudy {
                study: &self.study.name,
                title: &self.study.title,
                journal: store.study_journal(&self.study.name),
                began_at: self.began_at.as_deref(),
                complete,
                done_count: self.count(CellState::Done),
                failed_count: self.count(CellState::Failed),
                missing_count: self.count(CellState::Missing),
                cells: &self.cells,
                comparisons: self.compared.as_ref().map_or(&[], StudyCompared::comparisons),
                over_loads: self.compared.as_ref().and_then(StudyCompared::over_loads),
            });
        }
        let above = self.text();
        output::text(&above)?;
        self.compared.as_ref().map_or(Ok(()), |compared| {
            // A blank line between both.
            output::painted(&format!("\n{}", compared.text(&(above + "\n"), details)))
        })
    }

    /// On standard error what the user can do next.
    fn print_hints(&self) {
        self.hints().iter().for_each(|hint| say!("{hint}"));
    }

    fn text(&self) -> String {
        let (done, all) = (self.count(CellState::Done), self.cells.len());
        let mut text = format!("study    {}: {}\n", self.study.name, harmless(&self.study.title));
        let failed = match self.count(CellState::Failed) {
            0 => String::new(),
            count => format!(", {count} failed"),
        };
        text.push_str(&format!("state    {done} of {all} measurements are done{failed}\n\n"));
        let mut rows = vec![["configuration", "profile", "done", "missing"].map(str::to_owned).to_vec()];
        // Neighbours are repeats of one load: the cells come in the order of the file.
        for of_load in self.cells.chunk_by(|a, b| (&a.label, &a.profile) == (&b.label, &b.profile)) {
            let is_done = |cell: &&CellStatus| cell.state == CellState::Done;
            let missing: Vec<String> =
                of_load.iter().filter(|cell| !is_done(cell)).map(|cell| cell.repeat.to_string()).collect();
            let elsewhere = if of_load[0].elsewhere { " elsewhere" } else { "" };
            rows.push(vec![
                harmless(&of_load[0].label),
                harmless(&of_load[0].profile),
                format!("{} of {}", of_load.iter().filter(is_done).count(), of_load.len()),
                match missing.len() {
                    0 => String::new(),
                    1 => format!("repeat {}{elsewhere}", missing[0]),
                    _ => format!("repeats {}{elsewhere}", missing.join(", ")),
                },
            ]);
        }
        text.push_str(&aligned(&rows, &[], &[]));
        for cell in self.cells.iter().filter(|cell| cell.state == CellState::Failed) {
            text.push_str(&format!(
                "\nfailed   {}, {}, repeat {}: {}\n",
                harmless(&cell.label),
                harmless(&cell.profile),
                cell.repeat,
                harmless(cell.reason.as_deref().unwrap_or_default())
            ));
        }
        text
    }

    /// What the user can do next.
    fn hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        if self.began_at.is_some() && !self.is_measured_here() {
            hints.push("hint: `iotrial study FILE --resume` measures what is missing or failed".to_owned());
        }
        let is_awaited = |cell: &&CellStatus| cell.elsewhere && cell.state != CellState::Done;
        let mut awaited: Vec<&str> =
            self.cells.iter().filter(is_awaited).map(|cell| cell.label.as_str()).collect();
        // The cells of a configuration stand together, so that neighbours are all there are.
        awaited.dedup();
        for label in awaited {
            let label = harmless(label);
            hints.push(format!(
                "hint: `{label}` is measured elsewhere: `iotrial study export FILE --label '{label}'` there, and `iotrial study \
                 add FILE RECORD…` brings its records here"
            ));
        }
        if let Some(whole) = self.study.part_of.as_deref().filter(|_| self.is_measured_here()) {
            let records = self
                .cells
                .iter()
                .filter_map(|cell| cell.record.as_ref().map(|path| format!("  {}", path.display())));
            hints.push(format!(
                "hint: this is a part of the study `{}`; bring these records there with `iotrial study add FILE RECORD…`:",
                harmless(whole)
            ));
            hints.extend(records);
        }
        hints
    }
}
