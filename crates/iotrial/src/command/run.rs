//! `iotrial run`: one profile on one set of targets, with a verdict and a report at the end.

use std::process::ExitCode;

use iotrial_model::record::EndedHow;
use iotrial_model::units::format_duration;

use crate::cli::RunArgs;
use crate::command::dry_run;
use crate::command::report::{Judged, Record, Shown, load_thresholds};
use crate::failure::{Failure, NOT_CARRIED_OUT};
use crate::fio_job::{check_fio_args, fio_profile};
use crate::report_files::{ReportFiles, check_is_writable};
use crate::rig::{Rig, Trial};
use crate::setup::{Setup, plan_failure};

mod search;

/// Runs a profile, or a job of fio, and shows what came of it.
pub fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    check_fio_args(args.fio_job.as_deref(), &args.fio)?;
    if args.until_steady.is_some() && args.latency_limit.is_some() {
        let error = anyhow::anyhow!("--latency-limit and --until-steady exclude each other");
        let hint = "find the rate first, and give it to the jobs of a profile that runs until it is steady";
        return Err(Failure::input(error).hint(hint.to_owned()));
    }
    let mut load = args.load.clone();
    let mut setup = match &args.fio_job {
        None => Setup::of(&load)?,
        Some(job) => {
            let profile = fio_profile(job, &args.fio, load.duration)?;
            // A job of fio says how much and how long; a shorter form is for the command line to ask for.
            load.full = true;
            let thresholds = load.thresholds.as_ref().unwrap_or(&profile.thresholds);
            let thresholds = load_thresholds(thresholds, None)?;
            Setup::with(&load, profile, thresholds)?
        }
    };
    let search = args.latency_limit.map(|limit| search::plan(limit, &setup.plan)).transpose()?;
    if let Some(limit) = args.until_steady {
        setup.plan = setup.plan.until_steady(limit).map_err(plan_failure)?;
    }
    if args.dry_run {
        dry_run::print(&setup.plan, &setup.layout, args.latency_limit, args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(html) = &args.html {
        check_is_writable(html, args.overwrite)?;
    }
    let mut rig = Rig::new(&load.rig, setup)?;
    let mut trial = rig.begin(rig.setup().plan.clone())?;
    let time = format_duration(trial.record.plan.duration());
    let then = match &search {
        Some(_) => format!(
            "searches: a closed load, about ten probes of up to {time}, and at most eight runs of {time} that confirm"
        ),
        None if trial.record.plan.until_steady.is_some() => {
            format!("runs until it is steady, {time} at most")
        }
        None => format!("runs {time}"),
    };
    if rig.prepare_for(&mut trial, &then)? {
        match search {
            Some(search) => search::carry_out(&mut rig, &mut trial, search)?,
            None => rig.run(&mut trial)?,
        }
    }
    // The record and the figures come first: files that cannot be removed must not cost the measurement.
    let closed = close(args, &rig, trial);
    rig.release()?;
    closed
}

/// Writes the record and the report, and shows them.
fn close(args: &RunArgs, rig: &Rig<'_>, trial: Trial) -> Result<ExitCode, Failure> {
    let (record, record_path) = rig.save(trial)?;
    let is_complete = record.ended.how == EndedHow::Complete;
    let beside = || rig.store().folder().join(format!("{}.html", record.id));
    let files = ReportFiles {
        html: Some(args.html.clone().unwrap_or_else(beside)),
        overwrite: args.overwrite,
        ..ReportFiles::default()
    };
    let judged = Judged::of(Record::Run(Box::new(record)), &rig.setup().thresholds);
    let shown = Shown::new(vec![(record_path, judged)]);
    shown.present(&files, args.json)?;
    Ok(if is_complete { shown.exit_code() } else { ExitCode::from(NOT_CARRIED_OUT) })
}
