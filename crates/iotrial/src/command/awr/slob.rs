//! `iotrial awr --slob`: a series of runs of SLOB.

use iotrial_analysis::awr::{SlobReport, SlobSeries};
use iotrial_report::document::Document;

use crate::cli::AwrArgs;
use crate::failure::Failure;
use crate::presentation::{Presentation, Value};

/// Shows the runs.
pub fn show(args: &AwrArgs, reports: Vec<SlobReport>) -> Result<(), Failure> {
    let series = SlobSeries::of(reports);
    let document = Document::of_slob(&series);
    Presentation::new(&document, vec![Value::alone(&series)]).show(&args.files, args.json)
}
