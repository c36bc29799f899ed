//! Kinds of rings, and which of them is the cheapest on the kernel and the device at hand.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use io_uring::IoUring;
use iotrial_model::load::{Direction, Durability};
use iotrial_model::plan::{EngineKind, Plan};
use rustix::time::{ClockId, clock_gettime};

use super::UringQueue;
use crate::clock::{Clock, MonotonicClock};
use crate::queue::{Handing, IoQueue, Outcome, Request};
use crate::random::Random;

/// A kind that is not the usual one must cost so much less: 5 %, well above what the same kind differs by from itself.
const WORTH_IT: f64 = 0.95;
/// The kinds are tried in turn, so often.
const ROUNDS: usize = 5;
/// Each time for so many reads, or so long.
const READS: u64 = 2_000;
const SLICE_NS: u64 = 40_000_000;
/// Where fewer come back in that time, their CPU is nothing that decides, nor known well.
const LEAST_READS: u64 = 400;
/// So many at a time, each of so many bytes.
const READS_AT_ONCE: u32 = 32;
const READ_BYTES: u32 = 8192;
/// Reads that take longer than this are left to the kernel.
const PATIENCE_NS: u64 = 1_000_000_000;
/// A stream of randomness that no lane has.
const STREAM: u64 = 1 << 34;

/// How the kernel tells the thread of a ring that an I/O is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RingKind {
    /// When the thread enters the kernel anyway (`IORING_SETUP_COOP_TASKRUN`, Linux 5.19; `SINGLE_ISSUER`, 6.0).
    Cooperative,
    /// When the thread asks for it (`IORING_SETUP_DEFER_TASKRUN`, Linux 6.1).
    Deferred,
    /// By interrupting the thread.
    Interrupting,
    /// Not at all: the thread asks the devices (`IORING_SETUP_IOPOLL`).
    Polled,
}

impl RingKind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Cooperative => "coop-taskrun",
            Self::Deferred => "defer-taskrun",
            Self::Interrupting => "interrupt",
            Self::Polled => "polled",
        }
    }

    /// The kind for a plan on its open areas. The kernel and the device decide what is cheap, so the first direct load of the
    /// program reads a little of its first area to find out, and what it found holds for all that follow.
    pub(crate) fn of_plan(plan: &Plan, areas: &[File]) -> Self {
        static CHEAPEST: OnceLock<RingKind> = OnceLock::new();
        if plan.polled {
            return Self::Polled;
        }
        // Through the page cache all kinds cost the same, and reading would warm it.
        let is_tried = plan.engine == EngineKind::Uring && plan.direct;
        match (is_tried, areas.first(), plan.areas.first()) {
            (true, Some(file), Some(area)) => *CHEAPEST.get_or_init(|| {
                let range = area.offset.get()..area.offset.get() + area.length.get();
                cheapest(plan.seed, |kind, random| cpu_of_a_read(file, &range, kind, SLICE_NS, random))
            }),
            _ => Self::Cooperative,
        }
    }

    /// A ring of this kind, or the next that the kernel has.
    pub(super) fn build(self, entries: u32) -> io::Result<(IoUring, Self)> {
        if self == Self::Polled {
            return Ok((IoUring::builder().setup_iopoll().build(entries)?, self));
        }
        if self == Self::Interrupting {
            return Ok((IoUring::new(entries)?, self));
        }
        let mut cooperative = IoUring::builder();
        cooperative.setup_coop_taskrun().setup_taskrun_flag();
        let mut single_issuer = cooperative.clone();
        single_issuer.setup_single_issuer();
        let mut deferred = IoUring::builder();
        deferred.setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag();
        let ladder = [
            (deferred, Self::Deferred),
            (single_issuer, Self::Cooperative),
            (cooperative, Self::Cooperative),
        ];
        let from = usize::from(self != Self::Deferred);
        for (builder, kind) in &ladder[from..] {
            if let Ok(ring) = builder.build(entries) {
                return Ok((ring, *kind));
            }
        }
        Ok((IoUring::new(entries)?, Self::Interrupting))
    }
}

/// The kind that is worth leaving the usual one for: by the median of its costs, each as a share of that of the usual kind in the same
/// round. `cost` gives `None` where a kind cannot be tried, or its cost does not matter.
fn cheapest(seed: u64, mut cost: impl FnMut(RingKind, &mut Random) -> Option<f64>) -> RingKind {
    const USUAL: RingKind = RingKind::Cooperative;
    let mut random = Random::new(seed, STREAM);
    let mut others = [(RingKind::Deferred, Vec::new()), (RingKind::Interrupting, Vec::new())];
    for _ in 0..ROUNDS {
        let Some(usual) = cost(USUAL, &mut random) else { return USUAL };
        for (kind, shares) in &mut others {
            shares.extend(cost(*kind, &mut random).map(|other| other / usual));
        }
    }
    let median = |mut shares: Vec<f64>| {
        shares.sort_by(f64::total_cmp);
        shares.get(ROUNDS / 2).copied().filter(|_| shares.len() == ROUNDS)
    };
    let medians = others.into_iter().filter_map(|(kind, shares)| Some((median(shares)?, kind)));
    let best = medians.min_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(share, _)| *share <= WORTH_IT).map_or(USUAL, |(_, kind)| kind)
}

/// The CPU time of the thread for one read, in ns; `None` where the kernel has no such ring, a read fails, or few come back.
fn cpu_of_a_read(
    file: &File,
    range: &Range<u64>,
    kind: RingKind,
    slice_ns: u64,
    random: &mut Random,
) -> Option<f64> {
    let blocks = (range.end - range.start) / u64::from(READ_BYTES);
    if blocks == 0 {
        return None;
    }
    let areas: Arc<[File]> = Arc::new([file.try_clone().ok()?]);
    let clock = MonotonicClock::before_start();
    clock.start();
    let lengths = [READ_BYTES; READS_AT_ONCE as usize];
    let mut queue = UringQueue::new(clock.clone(), &areas, &lengths, 0, kind, random).ok()?;
    if queue.kind != kind {
        return None;
    }
    let mut read = |slot| Request {
        slot,
        area: 0,
        offset: range.start + random.below(blocks) * u64::from(READ_BYTES),
        length: READ_BYTES,
        direction: Direction::Read,
        durability: Durability::None,
    };
    let mut requests: Vec<Request> = (0..READS_AT_ONCE).map(&mut read).collect();
    let mut completions = Vec::with_capacity(lengths.len());
    let before_ns = thread_cpu_ns();
    let mut count = 0;
    while count < READS && clock.now_ns() < slice_ns {
        queue.submit(&requests, Handing::WithReap).ok()?;
        requests.clear();
        queue.reap(&mut completions, slice_ns).ok()?;
        for completion in completions.drain(..) {
            matches!(completion.outcome, Outcome::Bytes(READ_BYTES)).then_some(())?;
            requests.push(read(completion.slot));
            count += 1;
        }
    }
    let cpu_ns = thread_cpu_ns() - before_ns;
    let drained_by_ns = clock.now_ns() + PATIENCE_NS;
    while queue.in_flight > 0 {
        queue.reap(&mut completions, drained_by_ns).ok()?;
        if clock.now_ns() >= drained_by_ns {
            return None;
        }
    }
    (count >= LEAST_READS).then(|| cpu_ns as f64 / count as f64)
}

fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let part = |number: i64| u64::try_from(number).unwrap_or_default();
    1_000_000_000 * part(time.tv_sec) + part(time.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AN_HOUR_NS: u64 = 3_600_000_000_000;

    /// What is chosen where the kinds cost so much in every round but the first, in which the deferred one is a bargain.
    fn choice(usual: Option<f64>, deferred: Option<f64>, interrupting: Option<f64>) -> RingKind {
        let mut is_first = true;
        cheapest(1, |kind, _| match kind {
            RingKind::Deferred if std::mem::take(&mut is_first) => deferred.map(|cost| cost / 10.0),
            RingKind::Deferred => deferred,
            RingKind::Interrupting => interrupting,
            _ => usual,
        })
    }

    #[test]
    fn the_usual_ring_is_left_for_one_that_costs_clearly_less() {
        assert_eq!(choice(Some(3.4), Some(4.0), Some(3.3)), RingKind::Cooperative, "one bargain is noise");
        assert_eq!(choice(Some(3.4), Some(3.0), Some(3.3)), RingKind::Deferred);
        assert_eq!(choice(Some(3.4), Some(3.0), Some(2.9)), RingKind::Interrupting);
    }

    #[test]
    fn what_cannot_be_tried_is_not_chosen() {
        assert_eq!(choice(None, Some(1.0), Some(1.0)), RingKind::Cooperative);
        assert_eq!(choice(Some(3.4), None, Some(3.0)), RingKind::Interrupting);
        assert_eq!(choice(Some(3.4), None, None), RingKind::Cooperative);
    }

    #[test]
    fn every_kind_reads_a_file_and_tells_what_it_costs() {
        if let Some(refusal) = crate::uring::refusal() {
            return eprintln!("skipped: {refusal}");
        }
        let file = tempfile::tempfile().unwrap();
        let length = 64 * u64::from(READ_BYTES);
        file.set_len(length).unwrap();
        let cost = |range, kind| cpu_of_a_read(&file, &range, kind, AN_HOUR_NS, &mut Random::new(1, 0));
        for kind in [RingKind::Cooperative, RingKind::Deferred, RingKind::Interrupting] {
            // An older kernel gives another kind.
            if kind.build(2).unwrap().1 == kind {
                let cost_ns = cost(0..length, kind).expect("a hole is read");
                assert!(cost_ns > 0.0, "{kind:?}");
            }
        }
        assert!(cost(0..512, RingKind::Cooperative).is_none(), "there is nothing to read");
        assert!(cost(length..2 * length, RingKind::Cooperative).is_none(), "a read of nothing is a failure");
    }
}
