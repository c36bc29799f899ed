//! The course of a sweep: probe after probe on one rig, each kept as soon as it is measured.

use std::path::PathBuf;
use std::time::Duration;

use iotrial_analysis::knee_search::SearchBounds;
use iotrial_analysis::saturation::{KneeBound, LoadPoint};
use iotrial_analysis::steady_state::SteadyState;
use iotrial_analysis::sweep::{Probe, SweepSummary, load_for_together, stood_still};
use iotrial_measure::activity::ActivitySnapshot;
use iotrial_model::load::Direction;
use iotrial_model::plan::{PhaseKind, Plan, ProbeRequest};
use iotrial_model::record::{Ended, EndedHow, JobCounts, RunRecord};
use iotrial_model::subject::Subject;
use iotrial_model::sweep::{LoadPattern, ProbePurpose, ProbeRecord, ProbeSecond, SweepMethod, SweepRecord};
use iotrial_model::units::{duration_in_words, group_thousands};

use super::SweepError;
use super::course::{Course, Test};
use crate::fault::on_one_line;
use crate::quiet::note_during;
use crate::rig::Rig;
use crate::store::NotKept;
use iotrial_words::numbers::rate_in_words;

/// A search goes no further; whoever needs more gives a grid.
// Linux gives a queue of an NVMe device 1,024 entries. What is beyond waits in the host, and the curve would be of that.
const MOST_OUTSTANDING: u32 = 1_024;
/// The engine `threads` has a thread for each.
// A choice: with more of them the scheduler is measured rather than the device.
const MOST_THREADS: u32 = 256;
/// Buffers of all outstanding I/Os take at most this part of the memory.
// 1,024 outstanding I/Os of 1 MiB on several volumes would push a host into its swap space, which may lie on the device under trial.
const MEMORY_PART: u64 = 8;
/// A rate of fewer I/Os is too much left to chance: 200 of them are 7 % of it, as the square root has it.
const LEAST_IOS: u64 = 200;
/// Outstanding I/Os that bring a volume to its lasting state, where loads are searched for.
// A choice: those of the random tests in the SQLIO paper, and more than most devices serve at once.
const PRECONDITION_OUTSTANDING: u32 = 32;

/// Makes the probes.
pub(super) struct Sweeper<'r> {
    rig: &'r mut Rig,
    course: &'r Course,
    /// What all probes have in common: areas, engine, access.
    base: Plan,
    record: SweepRecord,
    /// Whether the store did not take the record the last time.
    is_unkept: bool,
}

/// Why no further probe is made. An error has its own way out.
enum Stop {
    /// By the user, or because the device failed; the record says which.
    Ended,
    Failed(SweepError),
}

impl<E: Into<SweepError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl<'r> Sweeper<'r> {
    /// A sweep that has not begun.
    pub(super) fn new(rig: &'r mut Rig, course: &'r Course, base: Plan, record: SweepRecord) -> Self {
        Self { rig, course, base, record, is_unkept: false }
    }

    /// Makes all probes, or those until it is stopped.
    pub(super) fn sweep(&mut self) -> Result<(), SweepError> {
        match self.all_tests() {
            Ok(()) => {
                self.record.ended = Ended { how: EndedHow::Complete, reason: None };
                Ok(())
            }
            Err(Stop::Ended) => Ok(()),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    /// Notes what other programs did beside the sweep; of an anonymous one not what they are called.
    pub(super) fn note_activity(&mut self, before: Option<&ActivitySnapshot>, is_anonymous: bool) {
        note_during(&mut self.record.host_activity, before);
        if let Some(activity) = self.record.host_activity.as_mut().filter(|_| is_anonymous) {
            activity.anonymize();
        }
    }

    /// Keeps the record, as it is in the end.
    pub(super) fn finish(self) -> (SweepRecord, Result<PathBuf, NotKept>) {
        let kept = self.rig.store().finish_sweep(&self.record);
        (self.record, kept)
    }

    /// Brings what is known to the disk. A store that does not take it now may do so after the next probe.
    fn keep(&mut self) {
        let error = self.rig.store().write_sweep(&self.record).err();
        // Once, and not after each of a hundred probes.
        if let (Some(error), false) = (&error, self.is_unkept) {
            self.rig.warn(&format!("warning: {}; a crash would lose the sweep", on_one_line(error)));
        }
        self.is_unkept = error.is_some();
    }

    fn all_tests(&mut self) -> Result<(), Stop> {
        let course = self.course;
        let volume_count = self.base.areas.len();
        self.say_volumes();
        // Each volume alone before several together: what is asked of the group is the load with which its members did most.
        for test in &course.tests {
            for volume in 0..volume_count {
                self.rest()?;
                self.precondition(test, volume)?;
                match course.method {
                    SweepMethod::Search | SweepMethod::Channel => self.search(test, volume)?,
                    SweepMethod::Grid | SweepMethod::Sqlio => self.grid(test, volume)?,
                }
            }
            for count in Course::groups(volume_count) {
                self.rest()?;
                self.together(test, count)?;
            }
        }
        Ok(())
    }

    /// No load for a while, before every kind of I/O but the first.
    fn rest(&mut self) -> Result<(), Stop> {
        // A write cache that is still being emptied, or a burst credit that is used up, would be charged to the next kind of I/O.
        if !self.record.probes.is_empty() && self.base.engine.touches_targets() {
            self.rig.pause(self.course.idle);
        }
        self.go_on()
    }

    fn go_on(&mut self) -> Result<(), Stop> {
        if self.rig.is_stopping() {
            let reason = Some("stopped by the user or a signal".to_owned());
            self.record.ended = Ended { how: EndedHow::Interrupted, reason };
            return Err(Stop::Ended);
        }
        Ok(())
    }

    /// Makes the load of a kind that writes without counting it, so that what is measured next on the volume is its lasting state.
    fn precondition(&mut self, test: &Test, volume: usize) -> Result<(), Stop> {
        if test.precondition.is_zero() {
            return Ok(());
        }
        let searched = || PRECONDITION_OUTSTANDING.min(self.most_outstanding(test.pattern));
        let outstanding = test.loads.iter().copied().max().unwrap_or_else(searched);
        let mut plan = self.base.probe(&ProbeRequest {
            pattern: test.pattern,
            volumes: &[volume],
            outstanding,
            ramp: Duration::ZERO,
            measure: test.precondition,
            // That of the first probe, which in sequence begins at the start: all of the volume is written.
            number: 0,
            cpu_count: self.record.host.cpu_count,
            memory: self.record.host.memory,
        })?;
        plan.phases.iter_mut().for_each(|phase| phase.kind = PhaseKind::Precondition);
        // Other places than those of any probe.
        plan.seed = plan.seed.wrapping_sub(1);
        let time = duration_in_words(test.precondition);
        self.rig
            .say(&format!("{:<13} is preconditioned for {time} at {outstanding} outstanding", test.pattern));
        let run = self.rig.measure(plan)?;
        match run.ended.how {
            EndedHow::Complete => Ok(()),
            EndedHow::Interrupted | EndedHow::Failed => Err(self.note_end(
                run.ended,
                &format!("preconditioning {} at {outstanding} outstanding", test.pattern),
            )),
        }
    }

    /// Notes how the sweep ended, and with what.
    fn note_end(&mut self, ended: Ended, at: &str) -> Stop {
        let reason = ended.reason.map_or_else(|| at.to_owned(), |reason| format!("{at}: {reason}"));
        self.record.ended = Ended { how: ended.how, reason: Some(reason) };
        Stop::Ended
    }

    fn search(&mut self, test: &Test, volume: usize) -> Result<(), Stop> {
        let bounds = SearchBounds {
            most_outstanding: self.most_outstanding(test.pattern),
            repeats: self.course.repeats,
        };
        let mut step = self.course.search_step();
        let mut left = self.course.search_budget();
        let mut points: Vec<LoadPoint> = Vec::new();
        while let Some(outstanding) = bounds.next(&points).filter(|_| left >= step) {
            let probe = self.probe(test, &[volume], outstanding, ProbePurpose::Search, step)?;
            left -= step;
            // What a standstill made of it is no rate of this load: the load is measured again, as long as there is time.
            if self.record.probes.last().is_some_and(stood_still) {
                continue;
            }
            // By the first probe, which has one I/O in flight: every later one has more, and so at least as many in the same time.
            if points.is_empty() {
                step = long_enough(step, probe.figures.io_count.unwrap_or(0));
            }
            points.push(probe.point());
        }
        if let Some(outstanding) = bounds.sustained(&points) {
            let long = self.probe(test, &[volume], outstanding, ProbePurpose::Sustained, test.step)?;
            points.push(long.point());
        }
        // Short probes may have seen a ceiling where there is none: where the long one did more, the search is not over. Whatever is
        // left of the budget, because a knee below a ceiling that is none would be wrong.
        while let Some(outstanding) = bounds.higher(&points) {
            let probe = self.probe(test, &[volume], outstanding, ProbePurpose::Search, step)?;
            points.push(probe.point());
        }
        self.say_knee(test.pattern, volume);
        Ok(())
    }

    fn grid(&mut self, test: &Test, volume: usize) -> Result<(), Stop> {
        // Round by round and not load by load, so that a drift does not look like a difference between loads.
        for _ in 0..self.course.repeats {
            for outstanding in &test.loads {
                self.probe(test, &[volume], *outstanding, ProbePurpose::Grid, test.step)?;
            }
        }
        // The published series has one load for each kind of I/O, which is no curve.
        if self.course.method == SweepMethod::Grid {
            self.say_knee(test.pattern, volume);
        }
        Ok(())
    }

    /// The first `count` volumes at once, each with a load that saturates any of them alone.
    fn together(&mut self, test: &Test, count: usize) -> Result<(), Stop> {
        // None where no volume was measured under this pattern, so that there is nothing that the group could be compared with.
        let Some(outstanding) = load_for_together(&self.record, test.pattern) else { return Ok(()) };
        let volumes: Vec<usize> = (0..count).collect();
        self.probe(test, &volumes, outstanding, ProbePurpose::Together, test.step)?;
        Ok(())
    }

    fn most_outstanding(&self, pattern: LoadPattern) -> u32 {
        let most = if self.base.engine.facts().thread_for_each_io { MOST_THREADS } else { MOST_OUTSTANDING };
        let memory = self.record.host.memory.map_or(u64::MAX, |memory| memory.get() / MEMORY_PART);
        let volumes = self.base.areas.len() as u64;
        u32::try_from(memory / pattern.block_size.get() / volumes).unwrap_or(u32::MAX).clamp(1, most)
    }

    /// Puts one load on some volumes and keeps what came of it. A load that has to last may wait for a steady state.
    fn probe(
        &mut self,
        test: &Test,
        volumes: &[usize],
        outstanding: u32,
        purpose: ProbePurpose,
        measure: Duration,
    ) -> Result<Probe, Stop> {
        self.go_on()?;
        let pattern = test.pattern;
        let is_short = purpose == ProbePurpose::Search;
        // A short probe needs more of a ramp for its time: queues fill and caches warm up within the first tenths of a second, however
        // long the measured phase is.
        let ramp = if is_short { measure / 2 } else { test.ramp() };
        let mut plan = self.base.probe(&ProbeRequest {
            pattern,
            volumes,
            outstanding,
            ramp,
            measure,
            number: self.record.probes.len() as u64,
            cpu_count: self.record.host.cpu_count,
            memory: self.record.host.memory,
        })?;
        let steady = test.steady.filter(|_| !is_short);
        if let Some(times) = steady {
            plan = plan.until_steady(Some(times.longest))?;
        }
        let job_volumes: Vec<usize> = plan.jobs.iter().map(|job| job.areas[0]).collect();
        let run = self.rig.measure(plan)?;
        self.record.settings.granted_priority = run.engine_setup.as_ref().and_then(|setup| setup.priority);
        let ended = run.ended.clone();
        if ended.how == EndedHow::Complete {
            let was_steady =
                steady.map(|_| SteadyState::of(&Subject::of_run(&run)).is_some_and(|rounds| rounds.held));
            let probe = probe_record(run, pattern, volumes, outstanding, purpose, &job_volumes);
            self.say_probe(&probe, was_steady);
            self.record.probes.push(probe);
            // To the disk with each probe: whatever ends the program costs no more than the probe under way.
            self.keep();
        } else {
            return Err(self.note_end(ended, &format!("{pattern} at {outstanding} outstanding")));
        }
        let last = self.record.probes.last().expect("it was kept just now");
        Ok(Probe::of(&Subject::of_probe(&self.record, last), last.purpose))
    }

    /// Which number stands for which volume in the lines that follow; paths would not fit into them.
    fn say_volumes(&self) {
        for (number, area) in (1..).zip(&self.base.areas).filter(|_| self.base.areas.len() > 1) {
            let target = self.record.targets.iter().find(|target| target.holds(area));
            let path =
                target.map_or_else(|| area.path.to_string_lossy(), |target| target.path.as_str().into());
            self.rig.say(&format!("volume {number}: {path}"));
        }
    }

    /// `was_steady` is of a probe that waited for that.
    fn say_probe(&self, probe: &ProbeRecord, was_steady: Option<bool>) {
        let figures = Probe::of(&Subject::of_probe(&self.record, probe), probe.purpose);
        let where_to = match probe.volumes.as_slice() {
            [_] if self.base.areas.len() == 1 => String::new(),
            [one] => format!("volume {}  ", one + 1),
            several => format!("{} volumes  ", several.len()),
        };
        let mean =
            figures.figures.lat_mean_us.map_or_else(|| "–".to_owned(), |us| format!("{:.3}", us / 1e3));
        let purpose = if probe.purpose == ProbePurpose::Sustained { "  sustained" } else { "" };
        let steady = was_steady.map(|was_steady| {
            let waited = probe.course.iter().filter(|second| second.phase != PhaseKind::Ramp);
            let waited: Duration = waited.map(|second| second.duration).sum();
            let was = if was_steady { "steady" } else { "not steady" };
            format!("  {was} after {}", duration_in_words(waited))
        });
        self.rig.say_load(&format!(
            "{:<13} {where_to}{:>5} outstanding {:>10} IOPS {:>9} MiB/s  mean {mean} ms{purpose}{}",
            probe.pattern,
            figures.outstanding,
            rate_in_words(figures.point().iops),
            group_thousands(&format!("{:.1}", figures.point().mib_per_s)),
            steady.unwrap_or_default()
        ));
    }

    fn say_knee(&self, pattern: LoadPattern, volume: usize) {
        let summary = SweepSummary::new(&self.record);
        let curve = summary.curves.iter().find(|curve| (curve.pattern, curve.volume) == (pattern, volume));
        let Some(found) = curve.and_then(|curve| curve.saturation.as_ref()) else { return };
        let at = match found.knee_bound {
            None => "at",
            Some(KneeBound::AtOrBelow) => "at or below",
            Some(KneeBound::AtOrAbove) => "at or above",
            Some(KneeBound::Unknown) => return,
        };
        let ceiling = if found.is_reached { "ceiling" } else { "no ceiling up to" };
        // The knee is of short loads and the ceiling of a long one: a knee above its ceiling is at it.
        let rate = if found.knee.iops < found.ceiling_iops {
            format!("{} IOPS, ", rate_in_words(found.knee.iops))
        } else {
            String::new()
        };
        self.rig.say(&format!(
            "{pattern:<13} knee {at} {:.1} outstanding, {rate}{:.3} ms; {ceiling} {} IOPS, {} MiB/s",
            found.knee.outstanding,
            found.knee.lat_mean_us / 1e3,
            rate_in_words(found.ceiling_iops),
            group_thousands(&format!("{:.1}", found.ceiling_mib_per_s))
        ));
    }
}

/// So long that a slow device does enough I/Os, and at most twice as long.
fn long_enough(step: Duration, first_io_count: u64) -> Duration {
    let factor = LEAST_IOS as f64 / first_io_count.max(1) as f64;
    step.mul_f64(factor.clamp(1.0, 2.0))
}

/// What of a run belongs to its probe; the rest is the same for all of them.
fn probe_record(
    run: RunRecord,
    pattern: LoadPattern,
    volumes: &[usize],
    outstanding: u32,
    purpose: ProbePurpose,
    job_volumes: &[usize],
) -> ProbeRecord {
    let counts = |volume: &usize| {
        let mut all = JobCounts::default();
        let mine = run.jobs.iter().zip(job_volumes).filter(|(_, of)| *of == volume);
        mine.for_each(|(counts, _)| all.merge(counts));
        all
    };
    let io_count = |jobs: &[JobCounts]| {
        let ops = jobs.iter().flat_map(|job| Direction::ALL.into_iter().filter_map(|one| job.get(one)));
        ops.map(iotrial_model::record::OpCounts::io_count).sum()
    };
    ProbeRecord {
        pattern,
        outstanding,
        volumes: volumes.to_vec(),
        purpose,
        measured: run.measured_duration(),
        counts: volumes.iter().map(counts).collect(),
        course: run
            .intervals
            .iter()
            .map(|one| ProbeSecond {
                phase: one.phase,
                duration: one.duration,
                io_count: io_count(&one.jobs),
            })
            .collect(),
        driving_threads: Subject::of_run(&run).driving_threads,
        cpu: run.cpu,
        devices: run.devices,
        findings: run.findings,
    }
}
