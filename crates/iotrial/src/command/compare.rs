//! `iotrial compare`: configurations held against each other.

use std::process::ExitCode;

use iotrial_analysis::comparison::{CompareRequest, Comparison};
use iotrial_report::document::Document;

use crate::cli::CompareArgs;
use crate::failure::{Failure, GATE_MISSED};
use crate::intake::{Folders, Intake, Takes};
use crate::output::harmless;
use crate::presentation::{Presentation, Value};

mod samples;

const TAKES: Takes =
    Takes { command: "compare", what: "records of runs, results of other tools, printed tables and studies" };

/// Compares, and shows what came of it.
pub fn compare(args: &CompareArgs) -> Result<ExitCode, Failure> {
    args.files.check(args.json, &[])?;
    args.files.check_are_writable()?;
    let intake = Intake {
        takes: TAKES,
        folders: Folders::Records,
        store: Some(&args.store),
        study_profile: Some(args.profile.as_deref()),
    };
    // Nothing of the request depends on the files: a mistake in a gate is known before they are read.
    let request = CompareRequest {
        baseline: args.baseline.clone(),
        by: args.by.clone(),
        gates: args.gates.clone(),
        force: args.force,
    };
    let comparison = Comparison::new(samples::read(&intake, args)?, &request).map_err(|error| {
        // Labels come from strangers' files.
        let hint = error.hint().map(|hint| harmless(&hint));
        Failure::input(anyhow::Error::msg(harmless(&error.to_string()))).hint(hint)
    })?;
    let document = Document::of_comparison(&comparison);
    Presentation::new(&document, vec![Value::alone(&comparison)]).show(&args.files, args.json)?;
    // After everything is shown and written: a missed gate is when the figures are needed most.
    Ok(if comparison.keeps_gates() { ExitCode::SUCCESS } else { ExitCode::from(GATE_MISSED) })
}
