//! `iotrial run`: one profile on one set of targets, with a verdict and a report at the end.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::record::{EndedHow, RunRecord};
use iotrial_session::judged_profile::{JudgedProfile, is_file_name, load_thresholds};
use iotrial_session::request::{Aim, LoadRequest};
use iotrial_session::run::{self, Finished};
use iotrial_session::setup::Setup;

use crate::cli::RunArgs;
use crate::command::dry_run;
use crate::command::report::{Judged, Record, Shown};
use crate::failure::{Failure, NOT_CARRIED_OUT};
use crate::fio_job::{check_fio_args, fio_profile};
use crate::intake::{self, Kind, Takes};
use crate::live::Live;
use crate::report_files::ReportFiles;
use crate::signal::control_by_signals;

const TAKES: Takes = Takes { command: "run", what: "a profile" };

/// What becomes of a run beside its record.
#[derive(Debug, Default)]
pub struct RunOutput {
    /// The forms of the report; a page is always written, beside the record where nothing else is said.
    pub files: ReportFiles,
    /// One JSON document instead of text.
    pub json: bool,
    /// Whether standard error stays free of progress.
    pub quiet: bool,
}

/// Runs a profile, or a job of fio, and shows what came of it.
pub fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    // All that is wrong with the words themselves, before any file is read.
    args.files.check(args.json, &[])?;
    check_fio_args(args.fio_job.as_deref(), &args.fio)?;
    let request = args.request()?;
    let here = Path::new("");
    let named = args.load.thresholds.as_deref();
    intake::expect_thresholds(named, "run --thresholds")?;
    let load = match &args.fio_job {
        None => {
            // A record or a study given by mistake is told as what it is, instead of as a profile with forty unknown keys.
            if is_file_name(&args.load.profile) {
                intake::expect(Kind::Profile, Path::new(&args.load.profile), &TAKES)?;
            }
            JudgedProfile::load(here, &args.load.profile, named)?
        }
        // The thresholds come after the profile, because that of a fio job names them only when it is made.
        Some(job) => {
            let profile = fio_profile(job, &args.fio, request.duration)?;
            let thresholds = load_thresholds(here, named.unwrap_or(&profile.thresholds))?;
            JudgedProfile { profile, thresholds }
        }
    };
    if args.dry_run {
        return show_plan(load, &request, args.json);
    }
    let output = RunOutput { files: args.files.clone(), json: args.json, quiet: args.load.rig.quiet };
    carry_out(load, &request, &output)
}

/// Every decision, before anything is done.
fn show_plan(load: JudgedProfile, request: &LoadRequest, json: bool) -> Result<ExitCode, Failure> {
    let setup = Setup::new(load, request)?;
    let limit = match request.aim {
        Aim::Rate(limit) => Some(limit),
        Aim::Figures | Aim::Steady { .. } => None,
    };
    dry_run::print(&setup.plan, &setup.layout, limit, json)?;
    Ok(ExitCode::SUCCESS)
}

/// Makes a load, and shows what came of it.
pub fn carry_out(
    load: JudgedProfile,
    request: &LoadRequest,
    output: &RunOutput,
) -> Result<ExitCode, Failure> {
    let setup = Setup::new(load, request)?;
    // After the setup, which touches nothing, and before the load: a report that has no place to go must not cost a run.
    output.files.check_are_writable()?;
    let Finished { record, path, thresholds, released } =
        run::run(setup, control_by_signals()?, Arc::new(Live::new(output.quiet)))?;
    let shown = show(record, path, &thresholds, output);
    // The figures come first: files that cannot be removed must not hide them.
    released?;
    shown
}

/// Writes the report, and shows the figures.
fn show(
    record: RunRecord,
    path: PathBuf,
    thresholds: &ThresholdSet,
    output: &RunOutput,
) -> Result<ExitCode, Failure> {
    let is_complete = record.ended.how == EndedHow::Complete;
    let beside = || path.with_file_name(format!("{}.html", record.id));
    let files =
        ReportFiles { html: output.files.html.clone().or_else(|| Some(beside())), ..output.files.clone() };
    let judged = Judged::of(Record::Run(Box::new(record)), thresholds);
    let shown = Shown::new(vec![(path, judged)]);
    shown.present(&files, output.json)?;
    // A run that was stopped has figures, but no verdict may rest on them.
    Ok(if is_complete { shown.exit_code() } else { ExitCode::from(NOT_CARRIED_OUT) })
}
