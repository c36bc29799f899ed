//! `iotrial compare`: configurations held against each other.

use std::process::ExitCode;

use anyhow::anyhow;
use iotrial_analysis::awr::AwrChange;
use iotrial_analysis::comparison::{
    CompareRequest, ComparisonMatrix, GateOutcome, Reservation, SweepComparison, UnderLoad,
};
use iotrial_report::document::Document;
use serde::Serialize;

use crate::cli::CompareArgs;
use crate::failure::Failure;
use crate::gates::refused;
use crate::intake::{Folders, Intake, Takes};
use crate::next::{self, all_quoted};
use crate::outputs::Outputs;
use crate::presentation::{Presentation, Value};
use crate::shell_line;

mod samples;

use samples::{Measured, Samples};

const TAKES: Takes = Takes {
    command: "compare",
    what: "records of runs, results of other tools, printed tables and studies, sweeps with sweeps, or two AWR reports",
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
        Samples::Awr(reports) => {
            if !request.gates.is_empty() || request.baseline.is_some() || request.by.is_some() {
                let error = anyhow!("`--gate`, `--baseline` and `--by` are for results, not for AWR reports");
                return Err(Failure::input(error));
            }
            let [(before, one), (after, other)] = &*reports;
            let change = AwrChange::of((before, one), (after, other));
            show(args, &outputs, &Document::of_awr_change(&change), &change, &[], None)?;
            Vec::new()
        }
        Samples::Sweeps(sweeps) => {
            let compared = SweepComparison::new(sweeps, &request).map_err(|error| refused(&error))?;
            show(args, &outputs, &Document::of_compared_sweeps(&compared), &compared, &compared.gates, None)?;
            compared.gates
        }
        Samples::Runs(runs, measured) => {
            let run_count = runs.len();
            let compared = ComparisonMatrix::new(runs, &request).map_err(|error| refused(&error))?;
            let study =
                measured.filter(|_| has_too_few_runs(&compared, run_count)).and_then(|runs| study(&runs));
            show(args, &outputs, &Document::of_matrix(&compared), &compared, &compared.gates, study)?;
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
    study: Option<String>,
) -> Result<(), Failure> {
    let next = study.or_else(|| next::with_page("compare", outputs, "a page with all figures"));
    let mut presentation = Presentation::new(document, vec![Value::alone(value)]).with_next(next);
    presentation.after += &args.gates.last_lines(gates, None);
    presentation.show(outputs)
}

/// Fewer runs of a configuration seldom tell a small difference from chance (`iotrial docs compare`).
const ENOUGH_RUNS: usize = 5;

/// Whether no configuration is the best, and more runs of each might say which.
fn has_too_few_runs(compared: &ComparisonMatrix, run_count: usize) -> bool {
    let is_open = |row: &UnderLoad| {
        let recommendation = &row.comparison.recommendation;
        recommendation.best.is_none() && !recommendation.reservations.iter().any(Reservation::stops)
    };
    let of_each = |row: &UnderLoad| row.comparison.configurations.len();
    compared.rows.iter().all(is_open)
        && run_count < ENOUGH_RUNS * compared.rows.iter().map(of_each).sum::<usize>()
}

/// The study that measures all of them in turn; `None` where they have one place only.
fn study(runs: &[Measured]) -> Option<String> {
    let each_once = |word: fn(&Measured) -> &String| {
        let mut all: Vec<String> = Vec::new();
        for one in runs.iter().map(word) {
            if !all.contains(one) {
                all.push(one.clone());
            }
        }
        all
    };
    let (profiles, targets) = (each_once(|run| &run.profile), each_once(|run| &run.target));
    let profiles: String =
        profiles.iter().map(|one| format!(" {}", shell_line::option("--profile", one))).collect();
    (targets.len() > 1).then(|| {
        format!(
            "iotrial study new{}{profiles} > comparison.toml && iotrial study comparison.toml   # in turn, {ENOUGH_RUNS} times each",
            all_quoted(&targets)
        )
    })
}
