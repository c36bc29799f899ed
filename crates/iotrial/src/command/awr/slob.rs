//! `iotrial awr --slob`: a series of runs of SLOB.

use iotrial_analysis::awr::{SlobReport, SlobSeries};
use iotrial_model::awr::{FileNote, SlobNote};
use iotrial_report::document::Document;

use crate::failure::Failure;
use crate::outputs::Outputs;
use crate::presentation::{Presentation, Value};

/// Shows the runs; `cut_off` says which reports were cut.
pub fn show(outputs: &Outputs, reports: Vec<SlobReport>, cut_off: Vec<FileNote>) -> Result<(), Failure> {
    let mut series = SlobSeries::of(reports);
    series.notes.splice(0..0, cut_off.into_iter().map(SlobNote::CutOff));
    let document = Document::of_slob(&series);
    Presentation::new(&document, vec![Value::alone(&series)]).show(outputs)
}
