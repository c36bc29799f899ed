//! Carries a study out: round by round, configuration by configuration, load by load.
//!
//! What goes wrong with one configuration costs its measurements and no others. The command after a configuration is run
//! whatever happened before it. When it fails, the study stops: the next configuration would be measured on a host whose
//! state nobody knows.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use iotrial_analysis::figures::Figures;
use iotrial_engine::targets::remove_left_by;
use iotrial_measure::control::Control;
use iotrial_model::record::{EndedHow, OpCounts, RunRecord, StudyPlace};
use iotrial_model::study::{Cell, Configuration, JournalLine, Progress};
use iotrial_model::units::duration_in_words;
use iotrial_model::units::group_thousands;

use super::StudyError;
use super::file::{StudyFile, Ways};
use super::journal::StudyJournal;
use super::outlook::{Outlook, idle};
use super::released::Released;
use super::shell::{Shell, Surroundings};
use crate::fault::{Fault, explained, on_one_line};
use crate::host_warning::HostWarnings;
use crate::observer::Observer;
use crate::quiet::QuietWait;
use crate::request::{HostLook, StudyRequest};
use crate::rig::{Rig, Saved};
use crate::run::{self, what_follows};
use crate::setup::Setup;
use crate::store::Store;
use iotrial_model::foreign_text::harmless;
use iotrial_words::numbers::rate_in_words;

/// Whatever is needed to carry a study out.
pub(super) struct Carrier<'a> {
    file: &'a StudyFile,
    store: &'a Store,
    journal: StudyJournal,
    control: Arc<Control>,
    observer: Arc<dyn Observer>,
    released: Released,
    shell: Shell,
    /// Whether the records say nothing of whose machine it was.
    anonymous: bool,
    /// How the hosts are looked at.
    host: HostLook,
    /// What is critical about the hosts, as far as it was said.
    warnings: HostWarnings,
    /// Measurements that were begun or given up, of those that were missing.
    count: usize,
    missing_count: usize,
    /// How each measurement waits for a quiet host; `None` where none does.
    pub(super) wait: Option<QuietWait<'a>>,
}

/// A configuration in its place.
#[derive(Clone, Copy)]
struct Visit<'a> {
    configuration: &'a Configuration,
    repeat: u32,
    position: u32,
}

impl<'a> Carrier<'a> {
    /// Nothing is done yet.
    pub(super) fn new(
        file: &'a StudyFile,
        request: &StudyRequest,
        store: &'a Store,
        journal: StudyJournal,
        control: Arc<Control>,
        observer: Arc<dyn Observer>,
        released: Released,
    ) -> Self {
        let shell = Shell::new(Arc::clone(&control), request.quiet);
        let anonymous = request.anonymous;
        Self {
            file,
            store,
            journal,
            control,
            observer,
            released,
            shell,
            anonymous,
            host: request.host.clone(),
            warnings: HostWarnings::default(),
            count: 0,
            missing_count: 0,
            wait: None,
        }
    }

    /// What is done in the end.
    pub(super) fn into_progress(self) -> Progress {
        self.journal.progress().clone()
    }

    /// Measures all that is missing here.
    pub(super) fn carry_out(&mut self, outlook: &Outlook) -> Result<(), StudyError> {
        self.missing_count = outlook.missing_count();
        if self.missing_count > 0 {
            let time = duration_in_words(outlook.duration());
            self.say(&format!(
                "{} measurements to go: {time}, plus the creation of test files",
                self.missing_count
            ));
        }
        // Of all configurations before the first is measured: whoever has to change something wants to know it now, not in the night.
        for load in &outlook.loads {
            let profile = &self.file.load(&load.profile).profile.name;
            self.warnings.tell(load.seen_host.as_ref(), profile, &*self.observer);
        }
        let file = self.file;
        // Round by round and not configuration by configuration: storage drifts over hours, and what it does in one of them must not
        // fall on one configuration alone. The order within a round is balanced for the same reason.
        for (round, repeat) in file.study.rounds().into_iter().zip(1..) {
            for (configuration, position) in round.into_iter().zip(1..) {
                let cell = |profile: &str| Cell {
                    label: configuration.label.clone(),
                    profile: profile.to_owned(),
                    repeat,
                };
                let profiles = file.study.profiles_of_round(repeat).into_iter();
                let missing: Vec<Cell> =
                    profiles.map(cell).filter(|cell| !self.journal.is_done(cell)).collect();
                if missing.is_empty() {
                    continue;
                }
                self.visit(Visit { configuration, repeat, position }, missing)?;
                if self.control.is_stopping() {
                    return Ok(());
                }
            }
        }
        // Of loads that were killed when their record was safe, so that nothing was missing and nobody came by.
        file.study
            .configurations
            .iter()
            .filter(|one| !has_commands(one) && !one.elsewhere)
            .for_each(|one| self.remove_what_was_left(one));
        Ok(())
    }

    /// Looks at what is missing and its targets once more.
    pub(super) fn outlook(&self, request: &StudyRequest) -> Result<Outlook, StudyError> {
        let StudyRequest { store, anonymous, host, .. } = request;
        let ways = Ways {
            store: store.as_deref(),
            released: Some(&self.released),
            anonymous: *anonymous,
            host: Some(host),
        };
        Outlook::of(self.file, &ways, |cell| !self.journal.is_done(cell))
    }

    /// Detaches what an earlier program attached before it was killed.
    pub(super) fn detach_what_was_left(&mut self) -> Result<(), StudyError> {
        let Some((label, after)) = self.journal.attached() else { return Ok(()) };
        if let Some(command) = after {
            self.say(&format!("`{}` was left attached: runs {}", harmless(&label), harmless(&command)));
            let attached = self.journal.progress().study().configuration(&label).cloned();
            let gone = Configuration {
                label: label.clone(),
                attributes: BTreeMap::new(),
                targets: Vec::new(),
                before: None,
                after: None,
                metric_commands: BTreeMap::new(),
                elsewhere: false,
                sim: None,
            };
            let configuration = attached.unwrap_or(gone);
            self.remove_what_was_left(&configuration);
            // A host that was started again has nothing attached, so that this fails: it is told, and the study goes on.
            if let Err(reason) = self.shell.run(&command, &self.surroundings(&configuration, 1)) {
                self.say(&format!("warning: {}", harmless(&reason)));
            }
        }
        // After the command: killed in between, the next program runs it again, which harms less than never.
        Ok(self.journal.note(JournalLine::Detached { label })?)
    }

    /// Attaches a configuration, makes its loads, and detaches it.
    fn visit(&mut self, visit: Visit<'_>, missing: Vec<Cell>) -> Result<(), StudyError> {
        let Visit { configuration, repeat, .. } = visit;
        if has_commands(configuration) {
            // On the disk before the command runs: whatever ends the program from here on, the next one knows what to detach.
            self.journal.note(JournalLine::Attached { label: configuration.label.clone() })?;
        }
        let attached = self.command("before", configuration.before.as_deref(), configuration, repeat);
        let measured = match &attached {
            Ok(()) => missing.into_iter().try_for_each(|cell| self.measure_cell(visit, cell)),
            // Ctrl-C reaches the command as well: that it failed says nothing about the configuration.
            Err(_) if self.control.is_stopping() => Ok(()),
            Err(reason) => missing.into_iter().try_for_each(|cell| {
                self.count += 1;
                Ok(self.journal.note(JournalLine::Failed { cell, reason: reason.clone(), record: None })?)
            }),
        };
        self.remove_what_was_left(configuration);
        // Whatever was measured, and even where the user stopped: a volume that is left attached costs money.
        let detached = self.command("after", configuration.after.as_deref(), configuration, repeat);
        match detached {
            Err(reason) if attached.is_ok() => {
                measured?;
                let label = harmless(&configuration.label);
                Err(StudyError::NotDetached { label, reason: harmless(&reason) })
            }
            // What could not be attached need not be detached.
            _ if has_commands(configuration) => {
                measured?;
                Ok(self.journal.note(JournalLine::Detached { label: configuration.label.clone() })?)
            }
            _ => measured,
        }
    }

    /// Removes the files that a load of this study made on the targets of a configuration before it was killed. The loads that follow
    /// use them again, so this comes behind them, and before the command that takes the targets away.
    fn remove_what_was_left(&self, configuration: &Configuration) {
        let runs = self.journal.runs();
        let mut directories: Vec<PathBuf> =
            configuration.targets.iter().map(|target| self.file.folder().join(&target.path)).collect();
        directories.dedup();
        for directory in directories.iter().filter(|directory| directory.is_dir()) {
            match remove_left_by(&runs, directory) {
                Ok(0) => {}
                Ok(count) => {
                    let (files, place) = (if count == 1 { "file" } else { "files" }, directory.display());
                    self.say(&harmless(&format!(
                        "removed {count} test {files} of a killed load from {place}"
                    )));
                }
                Err(error) => self.warn(&explained(&error, error.hint().as_deref())),
            }
        }
    }

    /// Runs a command of a configuration, where it has one.
    fn command(
        &self,
        when: &str,
        command: Option<&str>,
        configuration: &Configuration,
        repeat: u32,
    ) -> Result<(), String> {
        let Some(command) = command else { return Ok(()) };
        self.say(&format!("{when} `{}`: {}", harmless(&configuration.label), harmless(command)));
        let done = self.shell.run(command, &self.surroundings(configuration, repeat));
        // With what was run: the reason is kept in the journal, where nobody sees the line above.
        let done = done.map_err(|reason| format!("the command {when} it failed: {reason}"));
        if let Err(reason) = &done {
            self.warn(&format!(
                "error: configuration `{}`: {}",
                harmless(&configuration.label),
                harmless(reason)
            ));
        }
        done
    }

    fn surroundings<'s>(&'s self, configuration: &'s Configuration, repeat: u32) -> Surroundings<'s> {
        Surroundings { folder: self.file.folder(), study: &self.file.study, configuration, repeat }
    }

    /// Measures one cell, and notes how that ended.
    fn measure_cell(&mut self, visit: Visit<'_>, cell: Cell) -> Result<(), StudyError> {
        if self.control.is_stopping() {
            return Ok(());
        }
        self.count += 1;
        let place = format!("{} of {}", self.count, self.missing_count);
        let (label, profile) = (harmless(&cell.label), harmless(&cell.profile));
        self.say(&format!(
            "[{place}] {label}, {profile}, repeat {} of {}",
            cell.repeat, self.file.study.repeats
        ));
        let (record, reason) = match self.load(visit, &cell) {
            Ok(Some(record)) => match (record.ended.how, &record.ended.reason) {
                (EndedHow::Complete, _) => {
                    self.journal.note(JournalLine::Done { cell, record: record.id.clone() })?;
                    self.say(&format!("[{place}] done: {}", figures(&record)));
                    return Ok(());
                }
                // No line: the cell is missing as before, and `--resume` measures it from its beginning.
                (EndedHow::Interrupted, _) => return Ok(()),
                (EndedHow::Failed, reason) => {
                    (Some(record.id), reason.clone().unwrap_or_else(|| "the load failed".to_owned()))
                }
            },
            Ok(None) => return Ok(()),
            Err(error) => {
                self.warn_of(&error);
                (None, on_one_line(&error))
            }
        };
        self.say(&format!("[{place}] failed: {}", harmless(&reason)));
        Ok(self.journal.note(JournalLine::Failed { cell, reason, record })?)
    }

    /// Lays the targets out, leaves them alone for the idle time, and makes the load. `None` where the user stopped it before
    /// anything was measured.
    fn load(&mut self, visit: Visit<'_>, cell: &Cell) -> Result<Option<RunRecord>, StudyError> {
        let ways = Ways {
            store: Some(self.store.folder()),
            released: Some(&self.released),
            anonymous: self.anonymous,
            host: Some(&self.host),
        };
        let load = self.file.load(&cell.profile);
        let request = self.file.request(visit.configuration, &load.profile, cell.repeat, &ways);
        let mut setup = Setup::new(load.clone(), &request)
            .map_err(|source| StudyError::setup(visit.configuration, &cell.profile, source))?;
        // Again, because what a command attached was not there before.
        self.warnings.tell(setup.seen_host.as_ref(), &setup.plan.profile, &*self.observer);
        setup.study = Some(StudyPlace {
            name: self.file.study.whole_name().to_owned(),
            profile: cell.profile.clone(),
            repeat: cell.repeat,
            position: visit.position,
        });
        // Before the layout, which is work on the disk that is waited for.
        if let Some(wait) = &mut self.wait {
            setup.wait_for_quiet(wait.again(), &self.control, &*self.observer);
            if self.control.is_stopping() {
                return Ok(None);
            }
        }
        // A rig for each cell and not one for all: what was attached for this one is gone when the next one begins.
        let idle = idle(&self.file.study, &setup.plan);
        let search = setup.search.take();
        let mut rig = Rig::new(setup, Arc::clone(&self.control), Arc::clone(&self.observer))?;
        let mut trial = rig.begin(rig.setup().plan.clone())?;
        // After the journal of the run is there, and before anything is measured: a record that is written and not noted as done is
        // found by its id.
        self.journal.note(JournalLine::Begun { cell: cell.clone(), record: trial.record.id.clone() })?;
        let then = what_follows(rig.setup(), &trial.record.plan, search.as_ref());
        let is_prepared = rig.prepare(&mut trial, &then)?;
        // After the layout, whose writes a cache is still bringing to the disk.
        if is_prepared && !idle.is_zero() {
            self.say(&format!("idle for {}", duration_in_words(idle)));
            rig.pause(idle);
        }
        let measured = if is_prepared && !rig.is_stopping() {
            let made = run::measure(&mut rig, &mut trial, search).map_err(StudyError::from);
            made.and_then(|()| {
                let Saved { record, kept } = rig.save(trial);
                // The study holds a measurement to be done only when its record is in the store, but the figures are known.
                if kept.is_err() {
                    self.say(&format!("measured: {}", figures(&record)));
                }
                kept?;
                Ok(Some(record))
            })
        } else {
            drop(trial);
            Ok(None)
        };
        // Before the devices are given back: afterwards nobody knows who wrote what is on them.
        match rig.tokens_left() {
            Ok(left) => self.released.renew(left),
            Err(error) => self.warn_of(&error),
        }
        if let Err(error) = rig.release() {
            // The measurement is safe; that its files are still there must not cost it.
            self.warn_of(&error);
        }
        measured
    }

    fn say(&self, text: &str) {
        self.observer.say(text);
    }

    fn warn(&self, text: &str) {
        self.observer.warn(text);
    }

    /// Tells an error that costs one measurement and not the study.
    fn warn_of(&self, error: &dyn Fault) {
        explained(error, error.hint().as_deref()).lines().for_each(|line| self.warn(line));
    }
}

const fn has_commands(configuration: &Configuration) -> bool {
    configuration.before.is_some() || configuration.after.is_some()
}

/// What a measurement came to, in a few words: reads and writes together.
fn figures(record: &RunRecord) -> String {
    let mut both = OpCounts::default();
    record.jobs.iter().flat_map(|job| job.read.iter().chain(&job.write)).for_each(|op| both.merge(op));
    let figures = Figures::new(&both, record.measured_duration());
    let ms = |us: Option<f64>| us.map_or_else(|| "–".to_owned(), |us| format!("{:.2} ms", us / 1_000.0));
    let (iops, bandwidth) = (figures.iops.unwrap_or(0.0), figures.bandwidth_mib_per_s.unwrap_or(0.0));
    let bandwidth = group_thousands(&format!("{bandwidth:.1}"));
    let (mean, p99) = (ms(figures.lat_mean_us), ms(figures.lat_p99_us));
    format!("{} IOPS, {bandwidth} MiB/s, mean {mean}, p99 {p99}", rate_in_words(iops))
}
