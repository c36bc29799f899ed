//! What the threads of a load hand over, put together to intervals.

use std::collections::BTreeMap;
use std::sync::mpsc::Sender;
use std::time::Duration;

use iotrial_model::plan::{Arrival, PhaseKind, Plan};
use iotrial_model::record::{Interval, JobCounts};

use crate::control::{Decision, Watcher};
use crate::kernel_threads::KernelThreads;
use crate::recorder::JobRecorder;
use crate::window::{Window, as_ns};

/// A job whose every I/O fails for so many intervals on end, stops the run.
// A device that has answered may come back, as one does whose path fails over; one that never did has the
// wrong permissions, size or flags, and waiting mends none of them. So the latter stops the run after one
// interval.
const FAILED_INTERVALS: u32 = 3;

/// What one thread hands over: one interval, as far as it lasted.
pub struct Handover {
    /// Which thread counted, from 0 in the order in which they were started.
    pub worker: usize,
    /// Index into the windows.
    pub window: usize,
    /// When counting ended: the end of the window, or earlier where the load was stopped.
    pub end_ns: u64,
    /// What it counted, by job. They are lent: [`Collector::add`] empties them and sends them back.
    pub recorders: Vec<JobRecorder>,
    /// By job: I/Os of open lanes that were due and not issued at the end of the interval. Exact where the
    /// load may end with it, elsewhere from the rate.
    pub backlog: Vec<u64>,
    /// Time for which the thread did nothing but watch the clock, so as to be on time.
    pub watched_ns: u64,
}

/// Puts the threads' handovers together to intervals.
pub struct Collector<'r> {
    plan: &'r Plan,
    windows: &'r [Window],
    worker_count: usize,
    /// Windows that some threads have handed over, and others have not.
    open: BTreeMap<usize, OpenInterval>,
    intervals: Vec<Interval>,
    /// Start and end of what counts, where that was decided before the planned end. Nothing is added after
    /// it.
    measured: Option<(u64, u64)>,
    /// By job: whether it ever succeeded, and for how many intervals on end every I/O failed.
    health: Vec<(bool, u32)>,
    step_borders: Vec<Duration>,
    /// By window and worker, the time watched.
    watched_ns: BTreeMap<usize, Vec<u64>>,
}

/// An interval that not all threads have handed over yet.
struct OpenInterval {
    arrived: usize,
    end_ns: u64,
    jobs: Vec<JobCounts>,
    backlog: Vec<u64>,
}

impl<'r> Collector<'r> {
    /// Nothing is collected yet; so many threads will hand their windows over.
    pub fn new(plan: &'r Plan, windows: &'r [Window], worker_count: usize) -> Self {
        let health = vec![(false, 0); plan.jobs.len()];
        let (open, intervals) = (BTreeMap::new(), Vec::new());
        let watched_ns = BTreeMap::new();
        let step_borders = plan.step_borders();
        Self {
            plan,
            windows,
            worker_count,
            open,
            intervals,
            measured: None,
            health,
            step_borders,
            watched_ns,
        }
    }

    /// Adds what one thread counted in one window, with what the kernel's threads made of it. The recorders go back to it, empty; `watcher` sees the
    /// interval that is whole by that.
    pub fn add(
        &mut self,
        mut handover: Handover,
        spares: &Sender<Vec<JobRecorder>>,
        kernel_threads: Option<&KernelThreads>,
        watcher: &mut dyn Watcher,
    ) {
        // The threads go on until they see the brake. What they hand over meanwhile was not seen when the
        // decision was made, and is in no figure.
        if self.measured.is_some() {
            return;
        }
        let job_count = self.plan.jobs.len();
        let open = self.open.entry(handover.window).or_insert_with(|| OpenInterval {
            arrived: 0,
            end_ns: 0,
            jobs: vec![JobCounts::default(); job_count],
            backlog: vec![0; job_count],
        });
        let watched_ns = self.watched_ns.entry(handover.window).or_insert_with(|| vec![0; self.worker_count]);
        watched_ns[handover.worker] = handover.watched_ns;
        open.arrived += 1;
        // What ended in this window is known from now on.
        kernel_threads.into_iter().for_each(KernelThreads::look);
        // The same for all threads, except where the load was stopped: then the interval lasts as long as any
        // of them counted.
        open.end_ns = handover.end_ns.max(open.end_ns);
        for (total, recorder) in open.jobs.iter_mut().zip(&mut handover.recorders) {
            total.merge(&recorder.take(kernel_threads));
        }
        for (total, backlog) in open.backlog.iter_mut().zip(&handover.backlog) {
            *total += backlog;
        }
        // A thread that has ended needs no recorders any more.
        let _ = spares.send(handover.recorders);
        if open.arrived < self.worker_count {
            return;
        }
        // Each thread hands its windows over in order, so that they become whole in order, and are pushed as
        // they come.
        let open = self.open.remove(&handover.window).expect("it was added above");
        let window = self.windows[handover.window];
        let is_open_load = self.plan.jobs.iter().any(|job| job.arrival != Arrival::Closed);
        let interval = Interval {
            phase: window.phase,
            start: Duration::from_nanos(window.start_ns),
            duration: Duration::from_nanos(open.end_ns - window.start_ns),
            jobs: open.jobs,
            backlog: if is_open_load { open.backlog } else { Vec::new() },
        };
        self.note_health(&interval);
        if let Decision::Complete { measured_from } = watcher.interval(&interval) {
            self.measured = Some((as_ns(measured_from), open.end_ns));
        }
        // The load went on after the one before: what was under way at its end has been counted since, or is
        // unfinished still.
        let step_borders = &self.step_borders;
        self.intervals.last_mut().into_iter().for_each(|one| one.forget_unfinished(step_borders));
        self.intervals.push(interval);
    }

    /// Thread and time watched in what is measured, of each worker; `within` a stretch of it, where that is named.
    pub fn watched(
        &self,
        thread_ids: &[Option<u64>],
        within: Option<(u64, u64)>,
    ) -> Vec<(Option<u64>, Duration)> {
        let (from_ns, to_ns) = within.or(self.measured).unwrap_or((0, u64::MAX));
        let is_measured = |window: &usize| {
            let Window { phase, start_ns, .. } = self.windows[*window];
            phase == PhaseKind::Measure && start_ns >= from_ns && start_ns < to_ns
        };
        let measured = || self.watched_ns.iter().filter(|(window, _)| is_measured(window));
        let of_worker = |worker: usize| measured().map(|(_, by_worker)| by_worker[worker]).sum();
        let all = thread_ids.iter().enumerate();
        all.map(|(worker, id)| (*id, Duration::from_nanos(of_worker(worker)))).collect()
    }

    /// All intervals, in order; those before what counts are precondition.
    pub fn intervals(mut self) -> Vec<Interval> {
        for interval in &mut self.intervals {
            let counts = self.measured.is_none_or(|(start_ns, _)| as_ns(interval.start) >= start_ns);
            if interval.phase == PhaseKind::Measure && !counts {
                interval.phase = PhaseKind::Precondition;
            }
        }
        self.intervals
    }

    fn note_health(&mut self, interval: &Interval) {
        for (health, counts) in self.health.iter_mut().zip(&interval.jobs) {
            let ops = || counts.read.iter().chain(&counts.write);
            // An interval without any I/O says nothing: between two bursts there is none.
            if ops().any(|op| op.io_count() > 0) {
                *health = (true, 0);
            } else if ops().any(|op| op.error_count > 0) {
                health.1 += 1;
            }
        }
    }

    /// Why the run cannot go on: a job that does nothing but fail.
    pub fn failed_job(&self) -> Option<String> {
        let failed = |(ever_succeeded, intervals): &(bool, u32)| {
            *intervals >= if *ever_succeeded { FAILED_INTERVALS } else { 1 }
        };
        let job = self.health.iter().position(failed)?;
        let last = &self.intervals.last()?.jobs[job];
        let error = last.read.iter().chain(&last.write).find_map(|op| op.first_error.as_ref());
        Some(format!(
            "every I/O of job `{}` fails: {}",
            self.plan.jobs[job].name,
            error.map_or_else(|| "no reason given".to_owned(), ToString::to_string)
        ))
    }

    /// Start and end of what counts, in ns, where that was decided before the planned end.
    pub fn measured(&self) -> Option<(u64, u64)> {
        self.measured
    }

    /// Whether everything that counts is there.
    pub fn is_complete(&self) -> bool {
        if self.measured.is_some() {
            return true;
        }
        // The number of intervals is not enough: a load that was stopped within its last window has one for
        // each, too.
        let end = self.windows.last().map(|window| Duration::from_nanos(window.end_ns));
        self.intervals.len() == self.windows.len()
            && self.intervals.last().map(|interval| interval.start + interval.duration) == end
    }
}
