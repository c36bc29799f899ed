//! `iotrial sweep`: where more outstanding I/O buys no more throughput.

use std::path::Path;
use std::process::ExitCode;

use iotrial_analysis::sweep::SweepSummary;
use iotrial_model::plan::{Plan, PlanError};
use iotrial_model::profile::Profile;
use iotrial_model::record::{Ended, EndedHow, RunRecord};
use iotrial_model::sweep::{SWEEP_FORMAT, SweepMethod, SweepRecord, SweepSettings};
use iotrial_model::units::format_duration;
use iotrial_report::document::Document;
use serde::Serialize;

use crate::cli::{LoadArgs, ReportArgs, SweepArgs};
use crate::command::report::load_thresholds;
use crate::failure::{Failure, NOT_CARRIED_OUT};
use crate::output;
use crate::presentation::{Presentation, Value};
use crate::report_files::ReportFiles;
use crate::rig::Rig;
use crate::setup::{Setup, plan_failure};

mod course;
mod sweeper;

use course::Course;
use sweeper::Sweeper;

/// Sweeps, and shows what came of it.
pub fn sweep(args: &SweepArgs) -> Result<ExitCode, Failure> {
    args.files.check(args.json, &[])?;
    let course = Course::of(args)?;
    let load = load_args(args);
    let text = course.profile_text(args.rig.targets.len());
    let profile = Profile::parse(&text).expect("it is built from valid values");
    let setup = Setup::with(&load, profile, load_thresholds("flash", None)?).map_err(|failure| {
        let needs_token = matches!(failure.cause(), Some(PlanError::DeviceNotReleased { .. }));
        if needs_token {
            failure.hint("--pattern randread-8k,read-64k,read-512k only reads; for writes `iotrial target` shows the token for --destroy".to_owned())
        } else {
            failure
        }
    })?;
    let engine = setup.plan.engine;
    if !engine.touches_targets() && args.rig.targets.len() > 1 {
        let (name, count) = (engine.as_str(), args.rig.targets.len());
        let error = anyhow::anyhow!("the engine `{name}` has one device, and {count} targets were given");
        return Err(Failure::input(error).hint("leave --target out: it touches none of them".to_owned()));
    }
    check_blocks(&course, &setup.plan)?;
    if args.dry_run {
        print_course(&course, &setup, args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    args.files.check_are_writable()?;
    let mut rig = Rig::new(&load.rig, setup)?;
    let mut trial = rig.begin(rig.setup().plan.clone())?;
    let is_prepared = rig.prepare(&mut trial)?;
    let record = sweep_record(&course, &trial.record);
    let base = trial.record.plan.clone();
    // Its journal goes: the probes are kept in the record of the sweep.
    drop(trial);
    let mut sweeper = Sweeper::new(&mut rig, &course, base, record);
    let swept = if is_prepared { sweeper.sweep() } else { Ok(()) };
    let closed = swept.and_then(|()| close(args, sweeper));
    rig.release()?;
    closed
}

/// Keeps the record, writes the report, and shows both.
fn close(args: &SweepArgs, mut sweeper: Sweeper<'_, '_>) -> Result<ExitCode, Failure> {
    sweeper.keep()?;
    let path = sweeper.path.clone().expect("it was kept just now");
    let shown = Shown::new(&sweeper.record);
    let beside = || path.with_file_name(format!("{}.html", sweeper.record.id));
    let files =
        ReportFiles { html: args.files.html.clone().or_else(|| Some(beside())), ..args.files.clone() };
    shown.write_and_print(&files, args.json, &path)
}

/// What the sweep asks of whatever makes a load.
fn load_args(args: &SweepArgs) -> LoadArgs {
    LoadArgs {
        profile: "sweep".to_owned(),
        size: args.size,
        duration: None,
        ramp: None,
        full: false,
        thresholds: None,
        rig: args.rig.clone(),
    }
}

/// Every block size has to suit every target, and every load the memory.
fn check_blocks(course: &Course, plan: &Plan) -> Result<(), Failure> {
    for test in &course.tests {
        let block = test.pattern.block_size;
        let misfit = |area: &&iotrial_model::plan::Area| !block.get().is_multiple_of(area.sector_size.get());
        if let Some(area) = plan.areas.iter().find(misfit) {
            return Err(plan_failure(PlanError::Misaligned {
                job: test.pattern.to_string(),
                block_size: block,
                sector_size: area.sector_size,
                path: area.path.clone(),
            }));
        }
    }
    Ok(())
}

fn sweep_record(course: &Course, run: &RunRecord) -> SweepRecord {
    SweepRecord {
        format: SWEEP_FORMAT.to_owned(),
        id: run.id.clone(),
        label: run.label.clone(),
        attributes: run.attributes.clone(),
        tool: run.tool.clone(),
        started_at: run.started_at.clone(),
        host: run.host.clone(),
        targets: run.targets.clone(),
        settings: SweepSettings {
            method: course.method,
            engine: run.plan.engine,
            engine_reason: run.plan.engine_reason.clone(),
            sim: run.plan.sim.clone(),
            direct: run.plan.direct,
            seed: run.plan.seed,
            step: course.step,
            idle: course.idle,
            repeats: course.repeats,
            sizes: run.plan.areas.iter().map(|area| area.length).collect(),
            notes: run.plan.notes.clone(),
        },
        layout: run.layout,
        probes: Vec::new(),
        ended: Ended {
            how: EndedHow::Interrupted,
            reason: Some(match &run.ended.reason {
                Some(reason) => reason.clone(),
                None => "the program ended before the sweep did".to_owned(),
            }),
        },
    }
}

/// What `--dry-run --json` prints.
#[derive(Serialize)]
struct JsonCourse {
    would_write_bytes: u64,
    would_reuse_bytes: u64,
    method: SweepMethod,
    patterns: Vec<String>,
    /// Of a grid or a series, in the order of the patterns.
    outstanding: Vec<Vec<u32>>,
    volumes: Vec<String>,
    size_bytes: Vec<u64>,
    step_s: Vec<f64>,
    idle_s: f64,
    repeats: u32,
    most_s: f64,
}

/// Every decision, before anything is done.
fn print_course(course: &Course, setup: &Setup, json: bool) -> Result<(), Failure> {
    let areas = &setup.plan.areas;
    let most = course.duration(areas.len());
    if json {
        return output::json(&JsonCourse {
            would_write_bytes: setup.layout.written.get(),
            would_reuse_bytes: setup.layout.reused.get(),
            method: course.method,
            patterns: course.tests.iter().map(|test| test.pattern.to_string()).collect(),
            outstanding: course.tests.iter().map(|test| test.loads.clone()).collect(),
            volumes: areas.iter().map(|area| area.path.display().to_string()).collect(),
            size_bytes: areas.iter().map(|area| area.length.get()).collect(),
            step_s: course.tests.iter().map(|test| test.step.as_secs_f64()).collect(),
            idle_s: course.idle.as_secs_f64(),
            repeats: course.repeats,
            most_s: most.as_secs_f64(),
        });
    }
    let plan = &setup.plan;
    let access = if plan.direct { "direct I/O" } else { "through the page cache" };
    let mut lines = vec![
        format!("engine    {}, {access}, seed {}", plan.engine.as_str(), plan.seed),
        format!("time      at most {} after the layout", format_duration(most)),
        format!("writes    {} before the load, and what the patterns write", setup.layout.written),
    ];
    lines.extend(plan.notes.iter().map(|note| format!("note      {note}")));
    for area in areas {
        lines.push(format!("volume    {}  {}", output::harmless(&area.path.to_string_lossy()), area.length));
    }
    for test in &course.tests {
        let loads = if test.loads.is_empty() {
            format!("searched, then {} beyond the knee", format_duration(test.step))
        } else {
            let loads: Vec<String> = test.loads.iter().map(ToString::to_string).collect();
            format!("{} outstanding, {} each", loads.join(", "), format_duration(test.step))
        };
        lines.push(format!("pattern   {:<13} {loads}", test.pattern));
    }
    for count in Course::groups(areas.len()) {
        lines.push(format!("together  {count} volumes"));
    }
    output::text(&(lines.join("\n") + "\n\nnothing was written\n"))
}

/// Shows a sweep again.
pub fn report(args: &ReportArgs, path: &Path, record: &SweepRecord) -> Result<ExitCode, Failure> {
    if args.thresholds.is_some() {
        let error = anyhow::anyhow!("a sweep has no verdict, so --thresholds has nothing to judge");
        return Err(Failure::input(error).hint("leave it out".to_owned()));
    }
    Shown::new(record).write_and_print(&args.files, args.json, path)
}

/// A sweep with its figures and its document.
struct Shown {
    summary: SweepSummary,
    document: Document,
}

impl Shown {
    /// Computes every figure once.
    fn new(record: &SweepRecord) -> Self {
        let summary = SweepSummary::new(record);
        let document = Document::of_sweep(record, &summary);
        Self { summary, document }
    }

    /// Writes the files that are wanted, and shows the figures and where everything is.
    fn write_and_print(&self, files: &ReportFiles, json: bool, record: &Path) -> Result<ExitCode, Failure> {
        let values = vec![Value::of_record(record, &self.summary)];
        Presentation::new(&self.document, values).show(files, json)?;
        Ok(self.exit_code())
    }

    /// 0 where the sweep was carried out.
    fn exit_code(&self) -> ExitCode {
        match self.summary.ended {
            EndedHow::Complete => ExitCode::SUCCESS,
            EndedHow::Interrupted | EndedHow::Failed => ExitCode::from(NOT_CARRIED_OUT),
        }
    }
}
