//! `iotrial sweep`: where more outstanding I/O buys no more throughput.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use iotrial_analysis::findings::shared_disks;
use iotrial_analysis::sweep::SweepSummary;
use iotrial_measure::control::Control;
use iotrial_model::given_target::with_roles;
use iotrial_model::record::EndedHow;
use iotrial_model::sweep::{SweepMethod, SweepRecord};
use iotrial_model::units::duration_in_words;
use iotrial_report::document::Document;
use iotrial_report::sweep::SweepOf;
use iotrial_session::observer::Observer;
use iotrial_session::quiet::QuietWait;
use iotrial_session::setup::Setup;
use iotrial_session::sweep::{Course, SweepSetup, Swept};
use serde::Serialize;

use iotrial_words::finding::message;

use crate::cli::{ReportArgs, SweepArgs};
use crate::command::dry_run;
use crate::command::run::{RunOutput, carry_out, named_profile};
use crate::effective;
use crate::failure::{Failure, INTERRUPTED, NOT_CARRIED_OUT};
use crate::next;
use crate::output::{self, JsonForm};
use crate::outputs::Outputs;
use crate::presentation::{Presentation, Value};
use crate::quiet::wait_for_quiet;
use crate::report_files::check_takes_pages;
use crate::signal::StopSignals;
use crate::stopped::{self, Files};
use crate::watchers::{Wanted, Watchers};

/// Sweeps, and shows what came of it.
pub fn sweep(args: &SweepArgs) -> Result<ExitCode, Failure> {
    let outputs = Outputs::new(&args.files, JsonForm::of(args.json, args.json_stream)).checked()?;
    if let Some(profile) = &args.profile {
        return raise(args, profile, outputs);
    }
    let mut setup = SweepSetup::new(&args.request()?)?;
    // Before anything is touched, and after everything is decided: it refuses what the sweep would refuse.
    if args.dry_run {
        print_course(&setup, args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    // Minutes of measuring must not end at a folder that is not there.
    outputs.all_is_read()?;
    check_takes_pages(args.rig.page.html_folder.as_deref())?;
    let (quiet, listen) = (args.rig.quiet, args.rig.listen.listen);
    let watchers = Watchers::new(Wanted { quiet, listen, json_stream: args.json_stream })?;
    let signals = StopSignals::catch()?;
    let wait = |wait: QuietWait<'_>, control: &Control| setup.wait_for_quiet(wait, control, &*watchers);
    if let Some(stopped) = wait_for_quiet(args.rig.wait_for_quiet, &signals, wait) {
        return Ok(stopped);
    }
    let control = signals.control;
    let files = Files::of(setup.plan(), args.rig.keep_files);
    let swept = setup.carry_out(control, Arc::clone(&watchers) as Arc<dyn Observer>);
    // Before anything else is printed; whatever became of the stream, the record is in the store.
    let streamed = watchers.end_stream();
    let swept = swept?;
    let files = if swept.released.is_ok() { files } else { Files::Unknown };
    let shown = show(args, outputs, &swept, files);
    // The figures come first: neither a full store nor files that cannot be removed may hide them.
    if let (Err(_), Err(failure)) = (&swept.kept, &shown) {
        output::tell(failure);
    }
    swept.kept?;
    swept.released?;
    streamed?;
    shown
}

/// Raises a whole profile step by step. What comes of it is a run, with its verdict and its page.
fn raise(args: &SweepArgs, profile: &str, outputs: Outputs) -> Result<ExitCode, Failure> {
    let request = args.raised()?;
    let load = named_profile(profile, None, "sweep")?;
    if args.dry_run {
        dry_run::print(&Setup::new(load, &request)?, args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let rig = &args.rig;
    let output = RunOutput {
        outputs,
        html_folder: rig.page.html_folder.clone(),
        wanted: Wanted { quiet: rig.quiet, listen: rig.listen.listen, json_stream: args.json_stream },
        wait_for_quiet: rig.wait_for_quiet,
        ..RunOutput::default()
    };
    carry_out(load, &request, output)
}

/// Writes the report, beside the record unless it is said where, and shows the figures.
fn show(args: &SweepArgs, outputs: Outputs, swept: &Swept, files: Files) -> Result<ExitCode, Failure> {
    let folder = args.rig.page.html_folder.as_deref();
    let outputs = outputs.with_page(&swept.path, &swept.record.id, folder);
    // Only what is in the store has an id there; what is not is named by the error.
    let open = format!("iotrial open {}", swept.record.id);
    let next = swept.kept.is_ok().then(|| format!("{}   # the page with the curves", next::in_store(&open)));
    let again =
        effective::typed("sweep").unwrap_or_else(|| stopped::on_targets("sweep", &swept.record.targets));
    let stopped = lines_if_stopped(&swept.record, files, &again);
    let is_stopped = stopped.is_some();
    let code = Shown::new(&swept.record).write_and_print(&outputs, &swept.path, stopped, next)?;
    Ok(if is_stopped { ExitCode::from(INTERRUPTED) } else { code })
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
    /// Before the first load of each pattern on a volume; 0 where nothing runs before.
    precondition_s: Vec<f64>,
    /// Of the loads of each pattern that have to last, how long they wait for a steady state at most; null where they do not.
    until_steady_s: Vec<Option<f64>>,
    idle_s: f64,
    repeats: u32,
    most_s: f64,
}

/// Every decision, before anything is done.
fn print_course(setup: &SweepSetup, json: bool) -> Result<(), Failure> {
    let (course, plan, layout) = (setup.course(), setup.plan(), setup.layout());
    let areas = &plan.areas;
    // A search ends earlier when it finds the knee early; only the longest time is known.
    let most = course.duration(areas.len());
    if json {
        return output::json(&JsonCourse {
            would_write_bytes: layout.written.get(),
            would_reuse_bytes: layout.reused.get(),
            method: course.method,
            patterns: course.tests.iter().map(|test| test.pattern.to_string()).collect(),
            outstanding: course.tests.iter().map(|test| test.loads.clone()).collect(),
            volumes: areas.iter().map(|area| area.path.display().to_string()).collect(),
            size_bytes: areas.iter().map(|area| area.length.get()).collect(),
            step_s: course.tests.iter().map(|test| test.step.as_secs_f64()).collect(),
            precondition_s: course.tests.iter().map(|test| test.precondition.as_secs_f64()).collect(),
            until_steady_s: course
                .tests
                .iter()
                .map(|test| test.steady.map(|times| times.longest.as_secs_f64()))
                .collect(),
            idle_s: course.idle.as_secs_f64(),
            repeats: course.repeats,
            most_s: most.as_secs_f64(),
        });
    }
    let access = if plan.direct { "direct I/O" } else { "through the page cache" };
    let mut lines = vec![
        format!("engine    {}, {access}, seed {}", plan.engine.as_str(), plan.seed),
        format!("time      at most {} after the test files are created", duration_in_words(most)),
        format!("writes    {} of test files, plus what the patterns write", layout.written),
    ];
    lines.extend(plan.notes.iter().map(|note| format!("note      {note}")));
    let targets = setup.targets();
    for area in areas {
        let target = targets.iter().find(|target| target.holds(area));
        let roles = target.map(|target| target.roles.as_slice()).unwrap_or_default();
        let name = with_roles(roles, &area.path.to_string_lossy());
        lines.push(format!("volume    {}  {}", output::harmless(&name), area.length));
    }
    lines.extend(
        shared_disks(&targets).iter().map(|found| format!("note      {}", output::harmless(&message(found)))),
    );
    for test in &course.tests {
        let time = match test.steady {
            None => duration_in_words(test.step),
            Some(times) => format!("at most {}", duration_in_words(times.longest)),
        };
        let loads = if test.loads.is_empty() {
            format!("search for the knee, then {time} at the ceiling")
        } else {
            let loads: Vec<String> = test.loads.iter().map(ToString::to_string).collect();
            format!("{} outstanding, {time} each", loads.join(", "))
        };
        lines.push(format!("pattern   {:<13} {loads}", test.pattern));
        if !test.precondition.is_zero() {
            let time = duration_in_words(test.precondition);
            lines.push(format!("{:<24}preconditioned for {time} on each volume", ""));
        }
        if let Some(times) = test.steady {
            let round = duration_in_words(times.until.round);
            lines.push(format!("{:<24}each until its last five rounds of {round} are steady", ""));
        }
    }
    for count in Course::groups(areas.len()) {
        lines.push(format!("together  {count} volumes"));
    }
    output::text(&(lines.join("\n") + "\n\nnothing was written\n"))
}

/// Shows a sweep again.
pub fn report(
    args: &ReportArgs,
    outputs: &Outputs,
    path: &Path,
    record: &SweepRecord,
) -> Result<ExitCode, Failure> {
    // Ignored in silence, it would look as if the sweep had been judged.
    if args.thresholds.is_some() {
        let error = anyhow::anyhow!("a sweep has no verdict, so --thresholds has nothing to judge");
        return Err(Failure::input(error).hint("leave it out".to_owned()));
    }
    let again = stopped::on_targets("sweep", &record.targets);
    let stopped = lines_if_stopped(record, Files::Unknown, &again);
    let stopped = stopped.map(|lines| format!("{lines}\nMore: the same with --details\n"));
    let next = next::with_page("report", outputs, "the page with the curves");
    Shown::new(record).write_and_print(outputs, path, stopped, next)
}

/// The document of a sweep that is there, for its page.
pub fn document(record: &SweepRecord) -> Document {
    Shown::new(record).document
}

/// What is shown of a sweep that the user stopped.
fn lines_if_stopped(record: &SweepRecord, files: Files, again: &str) -> Option<String> {
    let is_stopped = record.ended.how == EndedHow::Interrupted;
    is_stopped.then(|| stopped::lines(stopped::time_of_sweep(record), files, again))
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
        let document = Document::of_sweep(SweepOf::Record(record), &summary);
        Self { summary, document }
    }

    /// Writes the files that are wanted, and shows the figures and where everything is, or that it was `stopped`.
    fn write_and_print(
        &self,
        outputs: &Outputs,
        record: &Path,
        stopped: Option<String>,
        next: Option<String>,
    ) -> Result<ExitCode, Failure> {
        let values = vec![Value::of_record(record, &self.summary)];
        let next = next.filter(|_| stopped.is_none());
        let shown = Presentation::new(&self.document, values).with_next(next);
        Presentation { instead: stopped, ..shown }.show(outputs)?;
        Ok(self.exit_code())
    }

    /// 0 where the sweep was carried out.
    fn exit_code(&self) -> ExitCode {
        match self.summary.ended {
            EndedHow::Complete => ExitCode::SUCCESS,
            // What was measured is shown, but a script must not take half a curve for a whole one.
            EndedHow::Interrupted | EndedHow::Failed => ExitCode::from(NOT_CARRIED_OUT),
        }
    }
}
