//! A sweep: kinds of I/O, each at several loads, volume by volume and together.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use iotrial_analysis::threshold::ThresholdSet;
use iotrial_measure::activity::ActivitySnapshot;
use iotrial_measure::control::Control;
use iotrial_model::content::Checksum;
use iotrial_model::plan::{Plan, PlanError, ProbeRequest};
use iotrial_model::record::{Ended, EndedHow, Layout, RunRecord, TargetRecord};
use iotrial_model::sweep::{SWEEP_FORMAT, SweepRecord, SweepSettings};
use iotrial_model::units::duration_in_words;

use crate::fault::Fault;
use crate::host_warning::HostWarnings;
use crate::judged_profile::JudgedProfile;
use crate::observer::Observer;
use crate::quiet::QuietWait;
use crate::request::{Aim, LoadRequest, SweepRequest};
use crate::rig::{Rig, RigError};
use crate::setup::{Setup, SetupError};
use crate::store::NotKept;

mod course;
mod sweeper;

pub use course::{Course, CourseError, Test};

use sweeper::Sweeper;

/// A sweep that could begin: everything is looked at and decided.
pub struct SweepSetup {
    course: Course,
    setup: Setup,
}

/// A sweep that is over, however it ended.
pub struct Swept {
    /// Every probe that was made, and how the sweep ended.
    pub record: SweepRecord,
    /// The file of the record in the store, or where it is instead.
    pub path: PathBuf,
    /// Whether the store took it. What was measured is shown first, whatever became of its file.
    pub kept: Result<(), NotKept>,
    /// Whether the targets were given back. The measurements are safe: what is wrong with them is for after they were shown.
    pub released: Result<(), RigError>,
}

/// Why a sweep could not begin, or not go on.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// What is asked for contradicts itself.
    #[error(transparent)]
    Course(#[from] CourseError),
    /// It does not fit the targets.
    #[error(transparent)]
    Setup(SetupError),
    /// Engines that touch no target have no second one.
    #[error("the engine `{engine}` has one device, and {count} targets were given")]
    OneDevice {
        /// `sim` or `null`, as it is asked for.
        engine: &'static str,
        /// Targets that were given, at least two.
        count: usize,
    },
    /// A load that is to be measured does not fit the targets or the host.
    #[error(transparent)]
    Probe(#[from] PlanError),
    /// A probe could not be made.
    #[error(transparent)]
    Rig(#[from] RigError),
}

impl Fault for SweepError {
    fn is_of_input(&self) -> bool {
        match self {
            Self::Course(_) | Self::OneDevice { .. } | Self::Probe(_) => true,
            Self::Setup(error) => error.is_of_input(),
            Self::Rig(_) => false,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Course(error) => error.hint(),
            Self::Setup(SetupError::Plan(PlanError::DeviceNotReleased { .. })) => Some("--pattern randread-8k,read-64k,read-512k only reads; for writes `iotrial target` shows the token for --destroy".to_owned()),
            Self::Setup(error) => error.hint(),
            Self::OneDevice { .. } => Some("leave --target out: it touches none of them".to_owned()),
            Self::Probe(PlanError::Misaligned { sector_size, .. }) => {
                Some(format!("use block sizes that are multiples of {sector_size}, or --buffered"))
            }
            Self::Probe(PlanError::TooDeep { .. } | PlanError::TooMuchMemory { .. }) => {
                Some("lower the numbers of --grid, or the block size of --pattern".to_owned())
            }
            Self::Probe(PlanError::SizeTooSmall { .. }) => Some("give a larger --size".to_owned()),
            Self::Probe(_) => None,
            Self::Rig(error) => error.hint(),
        }
    }
}

impl SweepSetup {
    /// Decides the course, looks at the targets, and rehearses the layout.
    ///
    /// # Errors
    ///
    /// Whatever would keep the sweep from beginning or from reaching its end, as far as it can be known now.
    pub fn new(request: &SweepRequest) -> Result<Self, SweepError> {
        let course = Course::of(request)?;
        let target_count = request.rig.targets.len();
        // The sweep has no profile of its own, and laying out needs one: a load that is never made, with the largest blocks and the
        // writes of all patterns, so that one layout suits every probe.
        // Nothing judges a sweep; whatever is kept of it after a crash names a set all the same.
        let thresholds = ThresholdSet::builtin("flash").expect("a test holds that it is built in");
        let load = JudgedProfile { profile: course.profile(target_count), thresholds };
        let asked = LoadRequest {
            full: false,
            size: request.size,
            array_cache: request.array_cache,
            duration: None,
            ramp: None,
            staircase: Vec::new(),
            aim: Aim::Figures,
            rig: request.rig.clone(),
            ..LoadRequest::default()
        };
        let setup = Setup::of_volumes(load, &asked).map_err(SweepError::Setup)?;
        let engine = setup.plan.engine;
        // Several volumes that are one imagined device would all have the same curve, and together the sum of nothing.
        if !engine.touches_targets() && target_count > 1 {
            return Err(SweepError::OneDevice { engine: engine.as_str(), count: target_count });
        }
        check_probes(&course, &setup)?;
        Ok(Self { course, setup })
    }

    /// What it is going to do.
    pub fn course(&self) -> &Course {
        &self.course
    }

    /// The plan that lays the files out, one for each volume.
    pub fn plan(&self) -> &Plan {
        &self.setup.plan
    }

    /// The volumes, as they will stand in the record.
    pub fn targets(&self) -> Vec<TargetRecord> {
        self.setup.targets()
    }

    /// What the layout will do.
    pub fn layout(&self) -> &Layout {
        &self.setup.layout
    }

    /// Waits until nobody else keeps the host busy, before anything is written.
    pub fn wait_for_quiet(&mut self, wait: QuietWait<'_>, control: &Control, observer: &dyn Observer) {
        self.setup.wait_for_quiet(wait, control, observer);
    }

    /// Lays the targets out and makes all probes, or those until it is stopped.
    ///
    /// # Errors
    ///
    /// When a probe could not be made; those before it are in the store.
    pub fn carry_out(self, control: Arc<Control>, observer: Arc<dyn Observer>) -> Result<Swept, SweepError> {
        let Self { course, setup } = self;
        // A sweep is of patterns and not of a database.
        HostWarnings::default().tell(setup.seen_host.as_ref(), "", &*observer);
        let mut rig = Rig::new(setup, control, observer)?;
        let mut trial = rig.begin(rig.setup().plan.clone())?;
        let then = format!("runs {} at most", duration_in_words(trial.record.plan.duration()));
        let is_prepared = rig.prepare(&mut trial, &then)?;
        // Of the trial: one host, one layout, one time of beginning for all probes, and the id that the journal had.
        let mut told = trial.record.clone();
        let is_anonymous = told.anonymous;
        if is_anonymous {
            told.anonymize();
        }
        let record = sweep_record(&course, &told);
        let base = trial.record.plan.clone();
        // Its journal goes: the probes are kept in the record of the sweep.
        drop(trial);
        // Not while it is measured: a table of a thousand processes takes some milliseconds to read.
        let touches_targets = record.settings.engine.touches_targets() && is_prepared;
        let before = touches_targets.then(ActivitySnapshot::now).flatten();
        let mut sweeper = Sweeper::new(&mut rig, &course, base, record);
        let swept = if is_prepared { sweeper.sweep() } else { Ok(()) };
        sweeper.note_activity(before.as_ref(), is_anonymous);
        let finished = swept.map(|()| sweeper.finish());
        // Whatever happened, the targets are given back, before an error leaves this function.
        let released = rig.release();
        let (record, kept) = finished?;
        let (path, kept) = match kept {
            Ok(path) => (path, Ok(())),
            Err(error) => (error.path.clone(), Err(error)),
        };
        Ok(Swept { record, path, kept, released })
    }
}

/// Every block size has to suit every target, and every load that is known by now the threads and the memory: better refused before
/// files are laid out than after hours of other probes.
fn check_probes(course: &Course, setup: &Setup) -> Result<(), PlanError> {
    let all: Vec<usize> = (0..setup.plan.areas.len()).collect();
    let check = |test: &Test, volumes: &[usize], outstanding: u32| {
        let request = ProbeRequest {
            pattern: test.pattern,
            volumes,
            outstanding,
            ramp: Duration::ZERO,
            measure: test.step,
            number: 0,
            cpu_count: setup.host.cpu_count,
            memory: setup.host.memory,
        };
        setup.plan.probe(&request).map(drop)
    };
    for test in &course.tests {
        // Every volume with one I/O for the block size, and the first with each load for the threads and the memory, which are those
        // of the host and not of the volume. A search cannot be checked like that: it keeps to what the memory allows by itself.
        check(test, &all, 1)?;
        test.loads.iter().try_for_each(|outstanding| check(test, &all[..1], *outstanding))?;
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
        host_facts: run.host_facts.clone(),
        host_activity: run.host_activity.clone(),
        targets: run.targets.clone(),
        settings: SweepSettings {
            method: course.method,
            engine: run.plan.engine,
            engine_reason: run.plan.engine_reason.clone(),
            sim: run.plan.sim.clone(),
            direct: run.plan.direct,
            priority: run.plan.priority,
            granted_priority: None,
            seed: run.plan.seed,
            step: course.step,
            idle: course.idle,
            repeats: course.repeats,
            precondition: course.precondition(),
            until_steady: course.longest_wait(),
            sizes: run.plan.areas.iter().map(|area| area.length).collect(),
            array_cache: run.plan.array_cache,
            notes: run.plan.notes.clone(),
        },
        layout: run.layout,
        probes: Vec::new(),
        // Until it has ended. The record is written after every probe, and what a crash leaves of it must say so.
        ended: Ended {
            how: EndedHow::Interrupted,
            reason: Some(match &run.ended.reason {
                Some(reason) => reason.clone(),
                None => "the program ended before the sweep did".to_owned(),
            }),
        },
        checksum: Checksum::Absent,
    }
}
