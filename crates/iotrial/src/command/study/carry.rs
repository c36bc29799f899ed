//! Carries a study out: round by round, configuration by configuration, load by load.
//!
//! What goes wrong with one configuration costs its measurements and no others. The command after a configuration is run
//! whatever happened before it. When it fails, the study stops: the next configuration would be measured on a host whose
//! state nobody knows.

use std::io::Write;
use std::sync::Arc;

use iotrial_analysis::figures::Figures;
use iotrial_analysis::words::with_thousands;
use iotrial_measure::control::Control;
use iotrial_model::record::{EndedHow, OpCounts, RunRecord, StudyPlace};
use iotrial_model::study::{Cell, Configuration, JournalLine};
use iotrial_model::units::format_duration;

use super::file::{StudyFile, Ways};
use super::journal::StudyJournal;
use super::outlook::{Outlook, idle};
use super::released::Released;
use super::shell::{Shell, Surroundings};
use crate::cli::StudyArgs;
use crate::failure::Failure;
use crate::output::harmless;
use crate::rig::Rig;
use crate::store::Store;

/// Whatever is needed to carry a study out.
pub struct Carrier<'a> {
    args: &'a StudyArgs,
    file: &'a StudyFile,
    store: &'a Store,
    journal: StudyJournal,
    control: Arc<Control>,
    released: Released,
    shell: Shell,
    /// Measurements that were begun or given up, of those that were missing.
    count: usize,
    missing_count: usize,
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
    pub fn new(
        args: &'a StudyArgs,
        file: &'a StudyFile,
        store: &'a Store,
        journal: StudyJournal,
        control: Arc<Control>,
        released: Released,
    ) -> Self {
        let shell = Shell::new(Arc::clone(&control), args.quiet);
        Self { args, file, store, journal, control, released, shell, count: 0, missing_count: 0 }
    }

    /// What is done by now.
    pub fn journal(&self) -> &StudyJournal {
        &self.journal
    }

    /// Measures all that is missing here.
    pub fn carry_out(&mut self, outlook: &Outlook) -> Result<(), Failure> {
        self.missing_count = outlook.missing_count();
        self.detach_what_was_left()?;
        if self.missing_count > 0 {
            let time = format_duration(outlook.duration());
            self.say(&format!("{} to be measured: {time} and the time to lay out files", self.missing_count));
        }
        let file = self.file;
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
                    self.say("stopped; --resume goes on from here");
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Detaches what an earlier program attached before it was killed.
    fn detach_what_was_left(&mut self) -> Result<(), Failure> {
        let Some((label, after)) = self.journal.attached() else { return Ok(()) };
        if let Some(command) = after {
            self.say(&format!("`{}` was left attached: runs {}", harmless(&label), harmless(&command)));
            let attached = self.journal.progress().study().configuration(&label).cloned();
            let gone = Configuration {
                label: label.clone(),
                attributes: std::collections::BTreeMap::new(),
                targets: Vec::new(),
                before: None,
                after: None,
                elsewhere: false,
                sim: None,
            };
            let configuration = attached.unwrap_or(gone);
            // A host that was started again has nothing attached, so that this fails.
            if let Err(reason) = self.shell.run(&command, &self.surroundings(&configuration, 1)) {
                self.say(&format!("warning: {}", harmless(&reason)));
            }
        }
        self.journal.note(JournalLine::Detached { label })
    }

    /// Attaches a configuration, makes its loads, and detaches it.
    fn visit(&mut self, visit: Visit<'_>, missing: Vec<Cell>) -> Result<(), Failure> {
        let Visit { configuration, repeat, .. } = visit;
        let has_commands = configuration.before.is_some() || configuration.after.is_some();
        if has_commands {
            self.journal.note(JournalLine::Attached { label: configuration.label.clone() })?;
        }
        let attached = self.command("before", configuration.before.as_deref(), configuration, repeat);
        let measured = match &attached {
            Ok(()) => missing.into_iter().try_for_each(|cell| self.measure_cell(visit, cell)),
            Err(_) if self.control.is_stopping() => Ok(()),
            Err(reason) => missing.into_iter().try_for_each(|cell| {
                self.count += 1;
                self.journal.note(JournalLine::Failed { cell, reason: reason.clone(), record: None })
            }),
        };
        let detached = self.command("after", configuration.after.as_deref(), configuration, repeat);
        match detached {
            Err(reason) if attached.is_ok() => {
                measured?;
                let label = harmless(&configuration.label);
                let error =
                    anyhow::anyhow!("configuration `{label}` could not be detached: {}", harmless(&reason));
                let hint = "the study stops, because what is attached now is not known; put that right, then --resume";
                Err(Failure::execution(error).hint(hint.to_owned()))
            }
            // What could not be attached need not be detached.
            _ if has_commands => {
                measured?;
                self.journal.note(JournalLine::Detached { label: configuration.label.clone() })
            }
            _ => measured,
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
    fn measure_cell(&mut self, visit: Visit<'_>, cell: Cell) -> Result<(), Failure> {
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
                (EndedHow::Interrupted, _) => {
                    self.say(&format!("[{place}] interrupted"));
                    return Ok(());
                }
                (EndedHow::Failed, reason) => {
                    (Some(record.id), reason.clone().unwrap_or_else(|| "the load failed".to_owned()))
                }
            },
            Ok(None) => return Ok(()),
            Err(failure) => {
                self.warn(&failure.to_string());
                (None, failure.reason())
            }
        };
        self.say(&format!("[{place}] failed: {}", harmless(&reason)));
        self.journal.note(JournalLine::Failed { cell, reason, record })
    }

    /// Lays the targets out, leaves them alone for the idle time, and makes the load. `None` where the user stopped it before
    /// anything was measured.
    fn load(&mut self, visit: Visit<'_>, cell: &Cell) -> Result<Option<RunRecord>, Failure> {
        let ways =
            Ways { quiet: self.args.quiet, store: Some(self.store.folder()), released: Some(&self.released) };
        let args = self.file.load_args(visit.configuration, &cell.profile, cell.repeat, &ways);
        let mut setup = self.file.setup(&args)?;
        setup.study = Some(StudyPlace {
            name: self.file.study.whole_name().to_owned(),
            profile: cell.profile.clone(),
            repeat: cell.repeat,
            position: visit.position,
        });
        let idle = idle(&self.file.study, &setup.plan);
        let mut rig = Rig::controlled(&args.rig, setup, Arc::clone(&self.control))?;
        let mut trial = rig.begin(rig.setup().plan.clone())?;
        self.journal.note(JournalLine::Begun { cell: cell.clone(), record: trial.record.id.clone() })?;
        let is_prepared = rig.prepare(&mut trial)?;
        if is_prepared && !idle.is_zero() {
            self.say(&format!("idle for {}", format_duration(idle)));
            rig.pause(idle);
        }
        let measured = if is_prepared && !rig.is_stopping() {
            rig.run(&mut trial).and_then(|()| rig.save(trial)).map(|(record, _)| Some(record))
        } else {
            drop(trial);
            Ok(None)
        };
        // Before the devices are given back: afterwards nobody knows who wrote what is on them.
        match rig.tokens_left() {
            Ok(left) => self.released.renew(left),
            Err(failure) => self.warn(&failure.to_string()),
        }
        if let Err(failure) = rig.release() {
            // The measurement is safe; that its files are still there must not cost it.
            self.warn(&failure.to_string());
        }
        measured
    }

    /// Progress, unless nobody wants it.
    fn say(&self, text: &str) {
        if !self.args.quiet {
            self.warn(text);
        }
    }

    /// A line on standard error; whoever does not listen any more must not end the study.
    #[expect(clippy::unused_self, reason = "the study says it")]
    fn warn(&self, text: &str) {
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

/// What a measurement came to, in a few words: reads and writes together.
fn figures(record: &RunRecord) -> String {
    let mut both = OpCounts::default();
    record.jobs.iter().flat_map(|job| job.read.iter().chain(&job.write)).for_each(|op| both.merge(op));
    let figures = Figures::new(&both, record.measured_duration());
    let ms = |us: Option<f64>| us.map_or_else(|| "–".to_owned(), |us| format!("{:.2} ms", us / 1_000.0));
    let (iops, bandwidth) = (figures.iops.unwrap_or(0.0), figures.bandwidth_mib_per_s.unwrap_or(0.0));
    let (mean, p99) = (ms(figures.lat_mean_us), ms(figures.lat_p99_us));
    format!("{} IOPS, {bandwidth:.1} MiB/s, avg {mean}, p99 {p99}", with_thousands(iops))
}
