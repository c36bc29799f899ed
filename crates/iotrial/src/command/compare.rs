//! `iotrial compare`: configurations held against each other.

use std::process::ExitCode;

use iotrial_analysis::comparison::{CompareRequest, ComparisonMatrix, GateOutcome, SweepComparison};
use iotrial_report::document::Document;
use serde::Serialize;

use crate::cli::CompareArgs;
use crate::effective;
use crate::failure::Failure;
use crate::gates::refused;
use crate::intake::{Folders, Intake, Takes};
use crate::outputs::Outputs;
use crate::presentation::{Presentation, Value};

mod samples;

use samples::Samples;

const TAKES: Takes = Takes {
    command: "compare",
    what: "records of runs, results of other tools, printed tables and studies, or sweeps with sweeps",
};

/// Compares, and shows what came of it.
pub fn compare(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let outputs = args.gates.and_files(Outputs::new(&args.files, args.json))?;
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
        gates: args.gates.gates.clone(),
        force: args.force,
    };
    let gates = match samples::read(&intake, args)? {
        Samples::Sweeps(sweeps) => {
            let compared = SweepComparison::new(sweeps, &request).map_err(|error| refused(&error))?;
            show(args, &outputs, &Document::of_compared_sweeps(&compared), &compared, &compared.gates)?;
            compared.gates
        }
        Samples::Runs(runs) => {
            let compared = ComparisonMatrix::new(runs, &request).map_err(|error| refused(&error))?;
            show(args, &outputs, &Document::of_matrix(&compared), &compared, &compared.gates)?;
            compared.gates
        }
    };
    if gates.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    // After everything is shown and written: a failed gate is when the figures are needed most.
    args.gates.end(&gates, None, &outputs)
}

fn show<T: Serialize>(
    args: &CompareArgs,
    outputs: &Outputs,
    document: &Document,
    value: &T,
    gates: &[GateOutcome],
) -> Result<(), Failure> {
    let typed = effective::typed("compare").unwrap_or_else(|| "iotrial compare".to_owned());
    let next =
        outputs.page().is_none().then(|| format!("{typed} --html compare.html   # a page with charts"));
    let mut presentation = Presentation::new(document, vec![Value::alone(value)]).with_next(next);
    presentation.after += &args.gates.last_lines(gates, None);
    presentation.show(outputs)
}
