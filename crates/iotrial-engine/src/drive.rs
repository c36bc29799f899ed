//! The loop: one for every engine. It draws the next I/O, stamps, submits, reaps, records.
//!
//! The load is closed: each completion makes room for the next I/O of the same copy, so that the
//! outstanding I/Os stay what the plan says. The loop takes no lock and shares no counter; once per
//! interval it swaps its recorders for empty ones and hands the full ones over.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Duration;

use iotrial_model::histogram::LatencyRecorder;
use iotrial_model::load::{Direction, Durability};
use iotrial_model::plan::{Job, PhaseKind, Plan};
use iotrial_model::record::{JobCounts, OpCounts};

use crate::clock::Clock;
use crate::control::Control;
use crate::offset::Offsets;
use crate::queue::{Completion, IoQueue, Outcome, Request};
use crate::random::Random;

/// The longest time that the loop waits without looking whether it is to stop.
const LONGEST_WAIT_NS: u64 = 100_000_000;

/// One copy of a job: its outstanding I/Os and where they go.
pub(crate) struct Lane {
    /// Index into the plan's jobs.
    job: usize,
    area: u32,
    offsets: Offsets,
    random: Random,
    rwmix_read_percent: u8,
    durable: bool,
    block_size: u32,
    iodepth: u32,
}

impl Lane {
    /// All copies of all jobs, in the order of the plan.
    pub(crate) fn all(plan: &Plan) -> Vec<Self> {
        let copies = |job: &Job| 0..u64::from(job.numjobs);
        let lanes = plan
            .jobs
            .iter()
            .enumerate()
            .flat_map(|(index, job)| copies(job).map(move |copy| (index, job, copy)));
        lanes
            .enumerate()
            .map(|(stream, (index, job, copy))| {
                let area_count = job.areas.len() as u64;
                let on_area = copy % area_count;
                let area = job.areas[usize::try_from(on_area).expect("fewer than the areas")];
                // The copies that share this area: every `area_count`-th one.
                let copies_here = (u64::from(job.numjobs) - on_area).div_ceil(area_count);
                let first_byte = plan.areas[area].offset.get();
                let block_size = job.block_size.get();
                Self {
                    job: index,
                    area: u32::try_from(area).expect("a plan has few areas"),
                    offsets: Offsets::new(
                        job.pattern,
                        first_byte,
                        job.working_set.get(),
                        block_size,
                        copy / area_count,
                        copies_here,
                    ),
                    random: Random::new(plan.seed, stream as u64),
                    rwmix_read_percent: job.rwmix_read_percent,
                    durable: job.durability == Durability::Dsync,
                    block_size: u32::try_from(block_size).expect("a block is at most 64 MiB"),
                    iodepth: job.iodepth,
                }
            })
            .collect()
    }

    /// How many I/Os are outstanding.
    pub(crate) fn iodepth(&self) -> u32 {
        self.iodepth
    }

    /// The largest I/O of each of the lanes' slots, slot by slot.
    pub(crate) fn slot_lengths(lanes: &[Self]) -> Vec<u32> {
        lanes.iter().flat_map(|lane| std::iter::repeat_n(lane.block_size, lane.iodepth as usize)).collect()
    }

    #[inline]
    fn next_request(&mut self, slot: u32) -> Request {
        let reads = match self.rwmix_read_percent {
            0 => false,
            100 => true,
            percent => self.random.below(100) < u64::from(percent),
        };
        Request {
            slot,
            area: self.area,
            offset: self.offsets.next(&mut self.random),
            length: self.block_size,
            direction: if reads { Direction::Read } else { Direction::Write },
            durable: self.durable && !reads,
        }
    }
}

/// A stretch of a phase that is handed over as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) phase: PhaseKind,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
}

impl Window {
    /// The whole load, cut at the plan's interval and at the borders of phases.
    pub(crate) fn all(plan: &Plan) -> Vec<Self> {
        let interval_ns = as_ns(plan.interval);
        let mut windows = Vec::new();
        let mut start_ns = 0;
        for phase in &plan.phases {
            let phase_end_ns = start_ns + as_ns(phase.duration);
            while start_ns < phase_end_ns {
                let end_ns = (start_ns + interval_ns).min(phase_end_ns);
                windows.push(Self { phase: phase.kind, start_ns, end_ns });
                start_ns = end_ns;
            }
        }
        windows
    }
}

fn as_ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// What one thread counts for one job in one interval.
#[derive(Debug, Clone)]
pub(crate) struct JobRecorder {
    /// Read and write; absent where the job never does it.
    ops: [Option<Box<OpRecorder>>; 2],
}

#[derive(Debug, Clone, Default)]
struct OpRecorder {
    total_latency: LatencyRecorder,
    submission_latency_sum_ns: u64,
    bytes: u64,
    error_count: u64,
    first_error: Option<Failure>,
}

/// How an I/O failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    Os(i32),
    Short { moved: u32, asked: u32 },
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Os(number) => io::Error::from_raw_os_error(*number).fmt(f),
            Self::Short { moved, asked } => write!(f, "only {moved} of {asked} bytes were moved"),
        }
    }
}

impl JobRecorder {
    /// Empty recorders for the jobs of a plan.
    pub(crate) fn all(plan: &Plan) -> Vec<Self> {
        plan.jobs
            .iter()
            .map(|job| Self { ops: [job.reads(), job.writes()].map(|used| used.then(Box::default)) })
            .collect()
    }

    fn op(&mut self, direction: Direction) -> &mut OpRecorder {
        self.ops[direction as usize].as_mut().expect("the job does I/O in this direction")
    }

    /// Takes what was counted, as facts, and leaves the recorder empty.
    pub(crate) fn take(&mut self) -> JobCounts {
        let [read, write] = &mut self.ops;
        let take = |op: &mut Option<Box<OpRecorder>>| op.as_mut().map(|op| op.take());
        JobCounts { read: take(read), write: take(write) }
    }
}

impl OpRecorder {
    fn take(&mut self) -> OpCounts {
        let counts = OpCounts {
            bytes: self.bytes,
            error_count: self.error_count,
            first_error: self.first_error.map(|failure| failure.to_string()),
            submission_latency_sum_ns: self.submission_latency_sum_ns,
            total_latency: (&self.total_latency).into(),
        };
        self.total_latency.clear();
        (self.submission_latency_sum_ns, self.bytes, self.error_count, self.first_error) = (0, 0, 0, None);
        counts
    }
}

/// What one thread hands over: one interval, as far as it lasted.
pub(crate) struct Handover {
    /// Which thread.
    pub(crate) worker: usize,
    /// Index into the windows.
    pub(crate) window: usize,
    /// When counting ended: the end of the window, or earlier where the load was stopped.
    pub(crate) end_ns: u64,
    pub(crate) recorders: Vec<JobRecorder>,
}

/// One outstanding I/O.
#[derive(Clone, Copy)]
struct Slot {
    lane: u32,
    direction: Direction,
    length: u32,
    created_at_ns: u64,
    submitted_at_ns: u64,
}

/// Drives some lanes on one queue.
pub(crate) struct Driver<'r, Q, C> {
    pub(crate) worker: usize,
    pub(crate) queue: Q,
    pub(crate) clock: C,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) windows: &'r [Window],
    pub(crate) control: &'r Control,
    /// Full recorders go out here.
    pub(crate) handovers: SyncSender<Handover>,
    /// Empty ones come back here.
    pub(crate) spares: Receiver<Vec<JobRecorder>>,
    pub(crate) plan: &'r Plan,
}

impl<Q: IoQueue, C: Clock> Driver<'_, Q, C> {
    /// Runs the whole load and waits for the I/Os in flight at its end.
    ///
    /// # Errors
    ///
    /// When the queue broke.
    pub(crate) fn run(mut self) -> io::Result<()> {
        let mut slots: Vec<Slot> = Vec::new();
        for (lane, one) in self.lanes.iter().enumerate() {
            let lane = u32::try_from(lane).expect("a thread drives fewer than 2^32 lanes");
            let slot =
                Slot { lane, direction: Direction::Read, length: 0, created_at_ns: 0, submitted_at_ns: 0 };
            slots.extend(std::iter::repeat_n(slot, one.iodepth as usize));
        }
        let mut staged: Vec<Request> = Vec::with_capacity(slots.len());
        let mut completions: Vec<Completion> = Vec::with_capacity(slots.len());
        let mut recorders = JobRecorder::all(self.plan);
        let mut window = 0;

        let now_ns = self.clock.now_ns();
        for slot in 0..u32::try_from(slots.len()).expect("a queue has fewer than 2^32 slots") {
            self.stage(&mut slots, slot, now_ns, &mut staged);
        }
        self.submit(&mut slots, &mut staged)?;
        while window < self.windows.len() && !self.control.is_stopping() {
            let wait_until_ns = self.windows[window].end_ns.min(self.clock.now_ns() + LONGEST_WAIT_NS);
            self.queue.reap(&mut completions, wait_until_ns)?;
            let now_ns = self.clock.now_ns();
            for completion in completions.drain(..) {
                while window < self.windows.len() && completion.completed_at_ns >= self.windows[window].end_ns
                {
                    self.hand_over(&mut window, &mut recorders);
                }
                self.record(&slots, &mut recorders, &completion);
                self.stage(&mut slots, completion.slot, now_ns, &mut staged);
            }
            while window < self.windows.len() && now_ns >= self.windows[window].end_ns {
                self.hand_over(&mut window, &mut recorders);
            }
            if window < self.windows.len() {
                self.submit(&mut slots, &mut staged)?;
            }
        }
        if let Some(cut_short) = self.windows.get(window) {
            let end_ns = self.clock.now_ns().clamp(cut_short.start_ns, cut_short.end_ns);
            // Whoever reads the handovers may have gone after an abort.
            let _ = self.handovers.send(Handover { worker: self.worker, window, end_ns, recorders });
        }
        let in_flight = slots.len() - staged.len();
        self.drain(in_flight, completions)
    }

    /// Draws the next I/O of the slot's lane.
    #[inline]
    fn stage(&mut self, slots: &mut [Slot], slot: u32, now_ns: u64, staged: &mut Vec<Request>) {
        let state = &mut slots[slot as usize];
        let request = self.lanes[state.lane as usize].next_request(slot);
        (state.direction, state.length, state.created_at_ns) = (request.direction, request.length, now_ns);
        staged.push(request);
    }

    #[inline]
    fn submit(&mut self, slots: &mut [Slot], staged: &mut Vec<Request>) -> io::Result<()> {
        if staged.is_empty() {
            return Ok(());
        }
        self.queue.submit(staged)?;
        let submitted_at_ns = self.clock.now_ns();
        for request in staged.drain(..) {
            slots[request.slot as usize].submitted_at_ns = submitted_at_ns;
        }
        Ok(())
    }

    #[inline]
    fn record(&mut self, slots: &[Slot], recorders: &mut [JobRecorder], completion: &Completion) {
        let slot = &slots[completion.slot as usize];
        let op = recorders[self.lanes[slot.lane as usize].job].op(slot.direction);
        match completion.outcome {
            Outcome::Bytes(moved) if moved == slot.length => {
                op.bytes += u64::from(moved);
                op.submission_latency_sum_ns += slot.submitted_at_ns.saturating_sub(slot.created_at_ns);
                op.total_latency.record_ns(completion.completed_at_ns.saturating_sub(slot.created_at_ns));
            }
            Outcome::Bytes(moved) => {
                op.error_count += 1;
                op.first_error.get_or_insert(Failure::Short { moved, asked: slot.length });
            }
            Outcome::Error(number) => {
                op.error_count += 1;
                op.first_error.get_or_insert(Failure::Os(number));
            }
        }
    }

    /// Ends the window: its recorders go out, empty ones take their place.
    #[cold]
    fn hand_over(&mut self, window: &mut usize, recorders: &mut Vec<JobRecorder>) {
        let empty = self.spares.try_recv().unwrap_or_else(|_| JobRecorder::all(self.plan));
        let recorders = std::mem::replace(recorders, empty);
        let end_ns = self.windows[*window].end_ns;
        // Whoever reads the handovers may have gone after an abort.
        let _ = self.handovers.send(Handover { worker: self.worker, window: *window, end_ns, recorders });
        *window += 1;
    }

    /// Waits for what is in flight; it counts nowhere.
    fn drain(&mut self, mut in_flight: usize, mut completions: Vec<Completion>) -> io::Result<()> {
        while in_flight > 0 && !self.control.is_aborted() {
            let wait_until_ns = self.clock.now_ns() + LONGEST_WAIT_NS;
            self.queue.reap(&mut completions, wait_until_ns)?;
            in_flight -= completions.drain(..).count();
        }
        Ok(())
    }
}
