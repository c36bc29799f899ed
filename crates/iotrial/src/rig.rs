//! The rig: targets made ready once, and whatever a load on them needs.
//!
//! Laying out takes minutes and a load may take seconds, so a command that makes several loads makes them on one rig:
//! [`Rig::prepare`] once, then a [`Trial`] for each record, and [`Rig::release`] at the end.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use iotrial_analysis::findings::findings;
use iotrial_analysis::steady_state::{SteadyEnd, SteadyWatch};
use iotrial_engine::control::{Control, Decision, Watcher};
use iotrial_engine::run::{self, RingKind, RunOutcome};
use iotrial_engine::target::{self, PrepareError, Prepared};
use iotrial_model::plan::Plan;
use iotrial_model::record::{EndedHow, Interval, Layout, RunRecord};
use iotrial_model::subject::Subject;
use iotrial_model::units::format_duration;

use crate::cli::RigArgs;
use crate::failure::Failure;
use crate::live::Live;
use crate::setup::{Setup, prepare_failure};
use crate::signal::control_by_signals;
use crate::store::{JournalWriter, Store};

/// A load without a journal shows its progress from this duration on.
const SHOWN_FROM: Duration = Duration::from_secs(5);
/// I/Os that are still with the device so long after the end of a load are worth a word.
const PATIENCE: Duration = Duration::from_secs(5);
/// A pause looks at the brake so often.
const PAUSE_TICK: Duration = Duration::from_millis(50);

/// Targets, the store, the live view and the brake.
pub struct Rig<'a> {
    args: &'a RigArgs,
    setup: Setup,
    store: Store,
    live: Live,
    control: Arc<Control>,
    /// `None` until the targets are laid out, and where the engine touches none.
    prepared: Option<Prepared>,
    ring: RingKind,
}

/// A record on its way into the store.
///
/// From its beginning it has a journal there, so that a crash leaves what was known. The journal of a trial that is
/// dropped without [`Rig::save`] goes: it could not begin.
pub struct Trial {
    /// What is known so far.
    pub record: RunRecord,
    journal: TrialJournal,
}

/// The journal of a trial, until the record is saved.
struct TrialJournal(Option<JournalWriter>);

impl<'a> Rig<'a> {
    /// A rig whose targets are not laid out yet. One program has one.
    pub fn new(args: &'a RigArgs, setup: Setup) -> Result<Self, Failure> {
        let control = control_by_signals().context("cannot catch Ctrl-C").map_err(Failure::execution)?;
        Self::controlled(args, setup, control)
    }

    /// A rig with a brake that others pull too. One program may have several of them, one after the other.
    pub fn controlled(args: &'a RigArgs, setup: Setup, control: Arc<Control>) -> Result<Self, Failure> {
        let store = Store::open(args.store.store.as_deref()).map_err(Failure::execution)?;
        let live = Live::new(args.quiet);
        Ok(Self { args, setup, store, live, control, prepared: None, ring: RingKind::default() })
    }

    /// Where the records go.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Tells the user something while nothing is asked of them.
    pub fn say(&self, text: &str) {
        self.live.say(text);
    }

    /// What was asked and decided.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Begins the record of a run of `plan`.
    pub fn begin(&self, plan: Plan) -> Result<Trial, Failure> {
        let mut record = self.setup.record(self.args, plan);
        record.layout = self.prepared.as_ref().and_then(|prepared| prepared.layout);
        let journal = self.store.begin(&record).map_err(Failure::execution)?;
        Ok(Trial { record, journal: TrialJournal(Some(journal)) })
    }

    /// Lays the targets out, for `trial` and all that follow on the same areas. False when the user stopped it: the
    /// record says so, and there is nothing to run on.
    pub fn prepare(&mut self, trial: &mut Trial) -> Result<bool, Failure> {
        let then = format!("runs {}", format_duration(trial.record.plan.duration()));
        self.prepare_for(trial, &then)
    }

    /// The same, where more than one run of the plan follows: `then` says what, and for how long.
    pub fn prepare_for(&mut self, trial: &mut Trial, then: &str) -> Result<bool, Failure> {
        let plan = &trial.record.plan;
        for note in &plan.notes {
            self.live.say(&format!("note: {note}"));
        }
        if !plan.engine.touches_targets() {
            return Ok(true);
        }
        let Layout { written, reused, .. } = self.setup.layout;
        let and_reused = if reused.get() > 0 { format!(", reuses {reused}") } else { String::new() };
        self.live.say(&format!("lays out {written}{and_reused}, then {then}"));
        let progress = |done, total| self.live.layout(done, total);
        match target::prepare(plan, &self.setup.probed, &progress, &|| self.control.is_stopping()) {
            Ok(prepared) => {
                trial.record.layout = prepared.layout;
                self.ring = RingKind::cheapest(plan, &prepared.areas, &|| self.control.is_stopping());
                self.prepared = Some(prepared);
                Ok(true)
            }
            Err(PrepareError::Interrupted) => {
                trial.record.ended.reason =
                    Some("stopped while the files were laid out; nothing was measured".to_owned());
                Ok(false)
            }
            Err(error) => Err(prepare_failure(error)),
        }
    }

    /// Runs the plan of the trial, and writes down what happened.
    ///
    /// A plan that waits for a steady state ends with it, or at its limit. What an earlier load of the same trial
    /// brought is no longer in the record.
    pub fn run(&mut self, trial: &mut Trial) -> Result<(), Failure> {
        trial.begin_load()?;
        let Trial { record, journal } = trial;
        let mut journal_error = None;
        let mut watch = SteadyWatch::new(&record.plan);
        let mut steady_end = None;
        self.live.start(&record.plan);
        let (live, plan) = (&self.live, &record.plan);
        let outcome = self.load(record, &mut |interval| {
            live.interval(plan, interval);
            if let Err(error) = journal.writer().interval(interval) {
                // The figures are still in memory; the run goes on and the end says what was lost.
                journal_error.get_or_insert(error);
            }
            steady_end = watch.as_mut().and_then(|watch| watch.see(interval));
            match &steady_end {
                Some(end) => Decision::Complete { measured_from: end.measured_from },
                None => Decision::GoOn,
            }
        })?;
        if let Some(error) = journal_error {
            self.live.say(&format!("warning: {error:#}; a crash would have lost the run"));
        }
        note_outcome(record, outcome);
        if let (Some(SteadyEnd { after, held, .. }), EndedHow::Complete) = (steady_end, record.ended.how) {
            let was = if held { "steady" } else { "not steady" };
            record.ended.reason = Some(format!("{was} after {}", format_duration(after)));
        }
        Ok(())
    }

    /// Runs a plan on the targets without a journal, for a command that keeps what comes of it in its own way.
    pub fn measure(&mut self, plan: Plan) -> Result<RunRecord, Failure> {
        self.live.finish();
        // A bar for a second or two would only flicker.
        let is_shown = plan.duration() >= SHOWN_FROM;
        if is_shown {
            self.live.start(&plan);
        }
        let mut record = self.setup.record(self.args, plan);
        let (live, plan) = (&self.live, &record.plan);
        let outcome = self.load(&record, &mut |interval| {
            if is_shown {
                live.interval(plan, interval);
            }
            Decision::GoOn
        })?;
        self.live.finish();
        note_outcome(&mut record, outcome);
        record.findings = findings(&Subject::of_run(&record)).iter().map(Into::into).collect();
        Ok(record)
    }

    /// Whether the user wants an end.
    pub fn is_stopping(&self) -> bool {
        self.control.is_stopping()
    }

    /// Waits without load; a stop ends it.
    pub fn pause(&self, duration: Duration) {
        let end = Instant::now() + duration;
        while !self.is_stopping() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(PAUSE_TICK));
        }
    }

    /// Puts a load on the targets.
    fn load(
        &self,
        record: &RunRecord,
        decide: &mut dyn FnMut(&Interval) -> Decision,
    ) -> Result<RunOutcome, Failure> {
        let files: Result<Vec<File>, _> =
            self.prepared.iter().flat_map(|prepared| &prepared.areas).map(File::try_clone).collect();
        let areas = files.context("cannot open the files again").map_err(Failure::execution)?;
        let mut device_names: Vec<String> = Vec::new();
        for device in record.targets.iter().flat_map(|target| &target.devices) {
            if !device_names.contains(&device.name) {
                device_names.push(device.name.clone());
            }
        }
        let plan = Arc::new(record.plan.clone());
        let mut watch = LoadWatch { decide, live: &self.live, control: &self.control, has_told: false };
        let outcome =
            run::run_until(&plan, &areas.into(), self.ring, &device_names, &self.control, &mut watch);
        outcome.map_err(Failure::execution)
    }

    /// Finds what is odd about the record, and puts it into the store.
    pub fn save(&self, trial: Trial) -> Result<(RunRecord, PathBuf), Failure> {
        self.live.finish();
        let Trial { mut record, mut journal } = trial;
        if record.jobs.is_empty() {
            record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
        }
        record.findings = findings(&Subject::of_run(&record)).iter().map(Into::into).collect();
        let journal = journal.0.take().expect("a trial is saved once");
        let path = self.store.finish(&record, journal).map_err(Failure::execution)?;
        Ok((record, path))
    }

    /// The devices that were given up to this rig, each with the token for what its loads left on it.
    pub fn tokens_left(&self) -> Result<Vec<(PathBuf, String)>, Failure> {
        let left = self.prepared.as_ref().map(Prepared::tokens_left).transpose();
        let left = left.context("cannot look at what the load left on its devices");
        Ok(left.map_err(Failure::execution)?.unwrap_or_default())
    }

    /// Gives the targets back: files that were made are removed, or kept where that was asked.
    pub fn release(self) -> Result<(), Failure> {
        let Some(prepared) = self.prepared else { return Ok(()) };
        if self.args.keep_files {
            prepared.keep_made();
            return Ok(());
        }
        prepared.remove_made().context("cannot remove the files of this run").map_err(Failure::execution)
    }
}

/// Passes intervals on, and tells of a device that keeps its I/Os.
struct LoadWatch<'w> {
    decide: &'w mut dyn FnMut(&Interval) -> Decision,
    live: &'w Live,
    control: &'w Control,
    has_told: bool,
}

impl Watcher for LoadWatch<'_> {
    fn interval(&mut self, interval: &Interval) -> Decision {
        (self.decide)(interval)
    }

    fn draining(&mut self, since: Duration) {
        if let Some(warning) = drain_warning(since, self.control.is_stopping()).filter(|_| !self.has_told) {
            self.has_told = true;
            self.live.warn(&warning);
        }
    }
}

/// What is said when I/Os are not back so long after the end of a load; `is_stopping` where the user has ended it.
fn drain_warning(since: Duration, is_stopping: bool) -> Option<String> {
    let way_out = if is_stopping { "Ctrl-C once more" } else { "Ctrl-C twice" };
    (since >= PATIENCE).then(|| {
        let patience = format_duration(PATIENCE);
        format!("warning: I/Os are not back {patience} after the end of the load; waiting for them, {way_out} leaves them to the kernel")
    })
}

/// Writes into a record what its load brought.
fn note_outcome(record: &mut RunRecord, outcome: RunOutcome) {
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &outcome.intervals);
    record.intervals = outcome.intervals;
    record.engine_setup = Some(outcome.engine_setup);
    record.cpu = outcome.cpu;
    record.devices = outcome.devices;
    record.ended = outcome.ended;
}

impl Trial {
    /// Forgets an earlier load, and brings what is known by now to the disk.
    fn begin_load(&mut self) -> Result<(), Failure> {
        (self.record.jobs, self.record.intervals) = (Vec::new(), Vec::new());
        self.journal.writer().record(&self.record).map_err(Failure::execution)
    }
}

impl TrialJournal {
    fn writer(&mut self) -> &mut JournalWriter {
        self.0.as_mut().expect("a trial has its journal until it is saved")
    }
}

impl Drop for TrialJournal {
    fn drop(&mut self) {
        // After a panic the journal is all that is left of the run.
        if let Some(journal) = self.0.take().filter(|_| !std::thread::panicking()) {
            // One that cannot be removed becomes a record, which is interrupted and empty.
            let _ = journal.discard();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_a_device_that_keeps_its_ios_is_told_the_way_out() {
        assert_eq!(drain_warning(PATIENCE - Duration::from_millis(1), false), None);
        assert!(drain_warning(PATIENCE, false).is_some_and(|warning| warning.contains("Ctrl-C twice")));
        assert!(drain_warning(PATIENCE, true).is_some_and(|warning| warning.contains("Ctrl-C once more")));
    }
}
