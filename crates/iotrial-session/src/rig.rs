//! The rig: targets made ready once, and whatever a load on them needs.
//!
//! Laying out takes minutes and a load may take seconds, so a command that makes several loads makes them on one rig:
//! `Rig::prepare` once, then a [`Trial`] for each record, and `Rig::release` at the end.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use iotrial_analysis::findings::{findings, shared_disks};
use iotrial_analysis::rate_search::EarlyEnd;
use iotrial_analysis::steady_state::{SteadyEnd, SteadyWatch};
use iotrial_engine::run::{self, RunOutcome, StartRunError};
use iotrial_engine::targets::{self, HeldAreas, PrepareError, Prepared, RunId};
use iotrial_engine::verify::{ScanEnd, Verifier};
use iotrial_measure::control::{Control, Decision, Watcher};
use iotrial_model::given_target::in_words;
use iotrial_model::plan::{AreaKind, Plan, SimDevice};
use iotrial_model::record::{Ended, EndedHow, Interval, Layout, RunRecord};
use iotrial_model::search::Search;
use iotrial_model::subject::Subject;
use iotrial_model::units::duration_in_words;
use iotrial_model::verification::Verification;
use iotrial_model::words::enumerate;
use ulid::Ulid;

use iotrial_words::finding::{message, to_record};

use crate::fault::{Fault, on_one_line};
use crate::metric_command::{TIMEOUT, measure_metrics};
use crate::observer::Observer;
use crate::setup::Setup;
use crate::store::{JournalWriter, NotKept, READABLE, Store, StoreError};
use iotrial_model::foreign_text::harmless;

/// A load without a journal that is shorter is brief.
// A choice: it is over before anybody has read what a bar is of.
const BRIEF: Duration = Duration::from_secs(5);
/// I/Os that are still with the device so long after the end of a load are worth a word.
// A healthy device answers within a second, and by default Linux gives up on one after 30 s. Until then nobody would know why
// nothing happens.
const PATIENCE: Duration = Duration::from_secs(5);
/// A pause looks at the brake so often: soon enough for a person, and seldom enough not to be load.
const PAUSE_TICK: Duration = Duration::from_millis(50);

/// Targets, the store, who watches, and the brake.
pub struct Rig {
    setup: Setup,
    store: Store,
    observer: Arc<dyn Observer>,
    control: Arc<Control>,
    /// Where what is read is compared with what was written. Dropped before the files, which it has open.
    verifier: Option<Arc<Verifier>>,
    /// `None` until the targets are laid out, and where the engine touches none.
    prepared: Option<Prepared>,
    /// The simulated device as the last load left it; `None` before the first.
    sim_left: Option<SimDevice>,
}

/// A record on its way into the store.
///
/// From its beginning it has a journal there, so that a crash leaves what was known. The journal of a trial that is
/// dropped without `Rig::save` goes: it could not begin.
pub struct Trial {
    /// What is known so far.
    pub record: RunRecord,
    journal: TrialJournal,
}

/// A record that is whole, whatever became of its file.
pub(crate) struct Saved {
    pub(crate) record: RunRecord,
    pub(crate) kept: Result<PathBuf, NotKept>,
}

/// The journal of a trial, until the record is saved.
struct TrialJournal(Option<JournalWriter>);

/// Why a load could not be made, or what it left not be put right.
#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// The store takes no record.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The targets cannot be made ready.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// What is laid out cannot be opened to be compared.
    #[error("cannot open the test files to compare them")]
    Verifier(#[source] io::Error),
    /// The load could not begin.
    #[error(transparent)]
    Start(#[from] StartRunError),
    /// What is on the devices now is not known.
    #[error("cannot look at what the load left on its devices")]
    TokensLeft(#[source] io::Error),
    /// Files are still there.
    #[error("cannot remove the files of this run")]
    Release {
        /// The directories that they lie in, as a person is shown them.
        directories: Vec<String>,
        /// What the operating system says.
        source: io::Error,
    },
}

impl Fault for RigError {
    fn is_of_input(&self) -> bool {
        false
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Prepare(error) => error.hint(),
            Self::Release { directories, .. } => Some(format!(
                "`iotrial clean {}` removes what is left, once the storage answers again",
                directories.join(" ")
            )),
            _ => None,
        }
    }
}

impl Rig {
    /// A rig whose targets are not laid out yet. Others may pull the brake and have the observer too; several rigs may follow one
    /// another on the same ones.
    ///
    /// # Errors
    ///
    /// When the store cannot be opened.
    pub fn new(setup: Setup, control: Arc<Control>, observer: Arc<dyn Observer>) -> Result<Self, RigError> {
        let store = Store::open(setup.request.store.as_deref(), Arc::clone(&observer))?;
        Ok(Self { setup, store, observer, control, verifier: None, prepared: None, sim_left: None })
    }

    /// Where the records go.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Tells the observer how long everything still takes, at most.
    pub fn say_left(&self, left: Duration) {
        self.observer.left(left);
    }

    /// Tells the observer what everybody must know.
    pub(crate) fn warn(&self, text: &str) {
        self.observer.warn(text);
    }

    /// Tells the observer how it goes.
    pub fn say(&self, text: &str) {
        self.observer.say(text);
    }

    /// Tells the observer what came of one load of several.
    pub(crate) fn say_load(&self, text: &str) {
        self.observer.load_over(text);
    }

    /// Tells the observer that a load of a search follows.
    pub(crate) fn searching(&self, search: &Search) {
        self.observer.searching(search);
    }

    /// What was asked and decided.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Begins the record of a run of `plan`.
    pub fn begin(&self, plan: Plan) -> Result<Trial, RigError> {
        let mut record = self.setup.record(plan);
        // Of an earlier trial on the same rig, so that a record of every one says how its files came about.
        record.layout = self.prepared.as_ref().and_then(|prepared| prepared.layout);
        let journal = self.store.begin(&record)?;
        Ok(Trial { record, journal: TrialJournal(Some(journal)) })
    }

    /// Lays the targets out, for `trial` and all that follow on the same areas; `then` says what follows, and for how long. False
    /// when the user stopped it: the record says so, and there is nothing to run on.
    pub fn prepare(&mut self, trial: &mut Trial, then: &str) -> Result<bool, RigError> {
        let plan = &trial.record.plan;
        for note in &plan.notes {
            self.observer.say(&format!("note: {note}"));
        }
        if !plan.engine.touches_targets() {
            return Ok(true);
        }
        let targets = &trial.record.targets;
        // Whoever gave them to roles can still stop before anything is written where it does not belong.
        for target in targets.iter().filter(|target| !target.roles.is_empty()) {
            let on: Vec<&str> = target.nearest_devices().collect();
            let on = if on.is_empty() { String::new() } else { format!(" on {}", enumerate(&on)) };
            let line = format!("{}: {}{on}", in_words(&target.roles), target.path);
            self.observer.say(&harmless(&line));
        }
        for found in shared_disks(targets) {
            self.observer.say(&format!("note: {}", harmless(&message(&found))));
        }
        let Layout { written, reused, .. } = self.setup.layout;
        let and_reused = if reused.get() > 0 { format!(", reuses {reused}") } else { String::new() };
        let time = Duration::from_secs(self.setup.expected_layout_time().as_secs());
        let about =
            if time.is_zero() { String::new() } else { format!(" (about {})", duration_in_words(time)) };
        self.observer.say(&format!("creates {written} of test files{about}{and_reused}, then {then}"));
        let progress = |done, total| self.observer.layout(done, total);
        let run = run_id(&trial.record.id).unwrap_or_default();
        match targets::prepare(run, plan, &self.setup.probed, &progress, &|| self.control.is_stopping()) {
            Ok(prepared) => {
                if plan.verified {
                    let verifier = Verifier::new(plan, &prepared.areas).map_err(RigError::Verifier)?;
                    self.verifier = Some(Arc::new(verifier));
                }
                trial.record.layout = prepared.layout;
                self.prepared = Some(prepared);
                Ok(true)
            }
            // No error: the user has what was asked for, a record that says so.
            Err(PrepareError::Interrupted) => {
                trial.record.ended.reason = Some("stopped while the test files were created".to_owned());
                Ok(false)
            }
            // What the load was made to find out.
            Err(PrepareError::Hung(fault)) => {
                self.observer.finish();
                if plan.areas.iter().any(|area| area.kind == AreaKind::ManagedFile) {
                    self.warn_of_files_left();
                }
                let reason = "the storage hung while the test files were created".to_owned();
                trial.record.ended = Ended { how: EndedHow::Failed, reason: Some(reason) };
                trial.record.verification = Some(Verification::of_fault(*fault));
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn warn_of_files_left(&self) {
        self.observer
            .warn("warning: the storage hangs, so the test files stay; `iotrial clean` removes them later");
    }

    /// Runs the plan of the trial, and writes down what happened.
    ///
    /// A plan that waits for a steady state ends with it, or at its limit. What an earlier load of the same trial
    /// brought is no longer in the record.
    pub fn run(&mut self, trial: &mut Trial) -> Result<(), RigError> {
        self.run_watched(trial, None)
    }

    /// Compares all pages once more where the load was one that compares, and notes what came of it.
    fn verify(&self, record: &mut RunRecord) {
        let Some(verifier) = &self.verifier else { return };
        let was_complete = record.ended.how == EndedHow::Complete;
        let end = was_complete.then(|| {
            // The display of the load has its end.
            self.observer.finish();
            let progress = |done, total| self.observer.comparing(done, total);
            verifier.scan(&progress, &|| self.control.is_stopping())
        });
        let ended = match end {
            None | Some(ScanEnd::Complete) => None,
            Some(ScanEnd::Stopped) => {
                Some((EndedHow::Interrupted, "stopped while pages were compared after the load"))
            }
            Some(ScanEnd::Stuck) => {
                Some((EndedHow::Failed, "the storage hung while pages were compared after the load"))
            }
        };
        if let Some((how, reason)) = ended {
            record.ended = Ended { how, reason: Some(reason.to_owned()) };
        }
        let devices = record.targets.iter().flat_map(|target| &target.devices);
        let devices: Vec<String> = devices.map(|device| device.name.clone()).collect();
        record.verification = Some(verifier.verification(end == Some(ScanEnd::Complete), &devices));
    }

    /// The same of a load that `early_end` may end behind any interval: by the time from which on its figures count.
    pub(crate) fn run_watched(
        &mut self,
        trial: &mut Trial,
        mut early_end: Option<EarlyEnd>,
    ) -> Result<(), RigError> {
        // To the disk before the load, with the plan: what follows of intervals can be read only by their plan. A store that is full by
        // now does not take it, and may have room again at the end; the figures are in memory until then.
        let mut journal_error = trial.begin_load().err();
        let Trial { record, journal } = trial;
        let mut watch = SteadyWatch::new(&record.plan);
        let mut steady_end = None;
        self.observer.start(record, false);
        let (observer, plan) = (&self.observer, &record.plan);
        let longest = early_end.as_ref().map(EarlyEnd::longest);
        let outcome = self.load(record, longest, &mut |interval| {
            observer.interval(plan, interval);
            if let Err(error) = journal.writer().interval(interval) {
                // As above.
                journal_error.get_or_insert(error);
            }
            steady_end = watch.as_mut().and_then(|watch| watch.see(interval));
            let lost = early_end.as_mut().and_then(|early_end| early_end.see(interval));
            match steady_end.as_ref().map(|end| end.measured_from).or(lost) {
                Some(measured_from) => Decision::Complete { measured_from },
                None => Decision::GoOn,
            }
        })?;
        // Only now: a line in the middle of the load would tear the display, and nothing could be done about it.
        if let Some(error) = journal_error {
            let error = on_one_line(&error);
            self.observer.say(&format!("warning: {error}; a crash would have lost the run"));
        }
        note_outcome(record, outcome);
        // Of a load that came to its end: one that was left behind may have I/Os with a device that hangs.
        // One that is compared is read whole, and what is wrong then has its name.
        if record.ended.how == EndedHow::Complete
            && self.verifier.is_none()
            && let Some(reason) = self.prepared.as_ref().and_then(Prepared::damage)
        {
            record.ended = Ended { how: EndedHow::Failed, reason: Some(reason) };
        }
        self.verify(record);
        // Only where it ended by itself: a user who stopped it did not wait for it to be steady.
        if let (Some(SteadyEnd { after, held, .. }), EndedHow::Complete) = (steady_end, record.ended.how) {
            let was = if held { "steady" } else { "not steady" };
            record.ended.reason = Some(format!("{was} after {}", duration_in_words(after)));
        }
        self.observer.ended(record);
        Ok(())
    }

    /// Runs a plan on the targets without a journal, for a command that keeps what comes of it in its own way.
    ///
    /// A plan that waits for a steady state ends with it, or at its limit. A simulated device that lasts is the one that the last load
    /// left.
    pub fn measure(&mut self, mut plan: Plan) -> Result<RunRecord, RigError> {
        plan.sim = plan.sim.map(|sim| self.sim_left.take().unwrap_or(sim));
        self.observer.finish();
        let mut record = self.setup.record(plan);
        self.observer.start(&record, record.plan.duration() < BRIEF);
        let (observer, plan) = (&self.observer, &record.plan);
        let mut watch = SteadyWatch::new(plan);
        let outcome = self.load(&record, None, &mut |interval| {
            observer.interval(plan, interval);
            match watch.as_mut().and_then(|watch| watch.see(interval)) {
                Some(SteadyEnd { measured_from, .. }) => Decision::Complete { measured_from },
                None => Decision::GoOn,
            }
        })?;
        note_outcome(&mut record, outcome);
        self.observer.ended(&record);
        self.observer.finish();
        self.sim_left = record.plan.sim.as_ref().map(|sim| sim.after(&record.intervals));
        record.findings = findings(&Subject::of_run(&record)).iter().map(to_record).collect();
        Ok(record)
    }

    /// Whether the user wants an end.
    pub fn is_stopping(&self) -> bool {
        self.control.is_stopping()
    }

    /// Waits without load; a stop ends it.
    pub(crate) fn pause(&self, duration: Duration) {
        let end = Instant::now() + duration;
        while !self.is_stopping() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(PAUSE_TICK));
        }
    }

    /// Puts a load on the targets. One that is measured for the `longest` time at most may end behind any interval.
    fn load(
        &self,
        record: &RunRecord,
        longest: Option<Duration>,
        decide: &mut dyn FnMut(&Interval) -> Decision,
    ) -> Result<RunOutcome, RigError> {
        let none = HeldAreas::default();
        let areas = self.prepared.as_ref().map_or(&none, |prepared| &prepared.areas);
        // Each once: two targets on one disk would count its I/Os twice.
        let mut device_names: Vec<String> = Vec::new();
        for device in record.targets.iter().flat_map(|target| &target.devices) {
            if !device_names.contains(&device.name) {
                device_names.push(device.name.clone());
            }
        }
        let mut plan = record.plan.clone();
        longest.into_iter().for_each(|longest| plan.set_measured(longest));
        let plan = Arc::new(plan);
        let mut watch = LoadWatch {
            decide,
            may_end_anywhere: longest.is_some(),
            observer: &*self.observer,
            control: &self.control,
            has_told: false,
        };
        Ok(run::run(&plan, areas, self.verifier.as_ref(), &device_names, &self.control, &mut watch)?)
    }

    /// Finds what is odd about the record, and puts it into the store.
    pub(crate) fn save(&self, trial: Trial) -> Saved {
        self.observer.finish();
        let Trial { mut record, mut journal } = trial;
        // Where nothing was measured, such as after a layout that was stopped: the counts are zero, and every job has them.
        if record.jobs.is_empty() {
            record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
        }
        // First, so that the findings name what the record names.
        if record.anonymous {
            record.anonymize();
        }
        // Before anything is found in it: what is shown now is what the record shows later. A record that cannot be written as JSON is
        // told when it is written.
        let _ = record.keep_within(READABLE);
        // Into the record for whoever reads it without iotrial; whenever iotrial shows it they are found again.
        record.findings = findings(&Subject::of_run(&record)).iter().map(to_record).collect();
        let journal = journal.0.take().expect("a trial is saved once");
        let kept = self.store.finish(&record, journal);
        Saved { record, kept }
    }

    /// Asks the commands of the request for the metrics of the application, once the load of `trial` is over.
    pub(crate) fn ask_for_metrics(&self, trial: &mut Trial) {
        let (commands, folder) = &self.setup.metric_commands;
        // Of a load that did not come to its end there is nothing to be told.
        if trial.record.ended.how == EndedHow::Complete && !commands.is_empty() {
            self.observer.finish();
            measure_metrics(&mut trial.record, commands, folder, TIMEOUT, &*self.observer);
        }
    }

    /// The devices that were given up to this rig, each with the token for what its loads left on it.
    pub fn tokens_left(&self) -> Result<Vec<(PathBuf, String)>, RigError> {
        let left = self.prepared.as_ref().map(Prepared::tokens_left).transpose();
        Ok(left.map_err(RigError::TokensLeft)?.unwrap_or_default())
    }

    /// Gives the targets back: files that were made are removed, or kept where that was asked.
    pub fn release(mut self) -> Result<(), RigError> {
        let Some(prepared) = self.prepared.take() else { return Ok(()) };
        let hangs = self.verifier.take().is_some_and(|verifier| verifier.is_given_up());
        if hangs && prepared.made_files().next().is_some() {
            self.warn_of_files_left();
        }
        // To remove a file may hang as well.
        if self.setup.request.keep_files || hangs {
            prepared.keep_made();
            return Ok(());
        }
        let targets = self.setup.probed.iter().map(|target| &target.record);
        let directories = targets.filter(|target| target.kind == "directory");
        let directories = directories.map(|target| harmless(&target.path)).collect();
        prepared.remove_made().map_err(|source| RigError::Release { directories, source })
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        // A load that ended with an error did not come to give the terminal back.
        self.observer.finish();
    }
}

/// By which the files of a run are known, from the id of its record.
pub(crate) fn run_id(record: &str) -> Option<RunId> {
    Ulid::from_string(record).ok().map(|id| id.to_bytes())
}

/// Passes intervals on, and tells of a device that keeps its I/Os.
struct LoadWatch<'w> {
    decide: &'w mut dyn FnMut(&Interval) -> Decision,
    may_end_anywhere: bool,
    observer: &'w dyn Observer,
    control: &'w Control,
    has_told: bool,
}

impl Watcher for LoadWatch<'_> {
    fn interval(&mut self, interval: &Interval) -> Decision {
        (self.decide)(interval)
    }

    fn may_end_anywhere(&self) -> bool {
        self.may_end_anywhere
    }

    fn draining(&mut self, since: Duration) {
        if let Some(warning) = drain_warning(since, self.control.is_stopping()).filter(|_| !self.has_told) {
            self.has_told = true;
            self.observer.warn(&warning);
        }
    }
}

/// What is said when I/Os are not back so long after the end of a load; `is_stopping` where the user has ended it.
fn drain_warning(since: Duration, is_stopping: bool) -> Option<String> {
    let way_out = if is_stopping { "Ctrl-C once more" } else { "Ctrl-C twice" };
    (since >= PATIENCE).then(|| {
        let patience = duration_in_words(PATIENCE);
        format!("warning: I/Os have not returned {patience} after the end of the load; waiting for them ({way_out} leaves them to the kernel)")
    })
}

/// Writes into a record what its load brought.
fn note_outcome(record: &mut RunRecord, outcome: RunOutcome) {
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &outcome.intervals);
    record.steps = RunRecord::steps_of_intervals(&record.plan, &outcome.intervals);
    for (step, used) in record.steps.iter_mut().zip(outcome.steps) {
        (step.cpu, step.devices) = used.map_or((None, Vec::new()), |(cpu, devices)| (Some(cpu), devices));
    }
    record.intervals = outcome.intervals;
    record.engine_setup = Some(outcome.engine_setup);
    record.cpu = outcome.cpu;
    record.devices = outcome.devices;
    record.pauses = outcome.pauses;
    record.ended = outcome.ended;
}

impl Trial {
    /// Forgets an earlier load, and brings what is known by now to the disk.
    fn begin_load(&mut self) -> Result<(), StoreError> {
        (self.record.jobs, self.record.intervals) = (Vec::new(), Vec::new());
        self.record.steps.clear();
        self.journal.writer().record(&self.record)
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
