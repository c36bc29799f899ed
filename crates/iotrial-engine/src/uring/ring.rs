//! Kinds of rings, and which of them is the cheapest on the kernel and the device at hand.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use io_uring::IoUring;
use iotrial_measure::clock::{Clock, MonotonicClock};
use iotrial_measure::random::{Random, RandomStream};
use iotrial_measure::recorder::Outcome;
use iotrial_model::load::{Direction, Durability};
use iotrial_model::plan::Plan;
use rustix::time::{ClockId, clock_gettime};

use super::UringQueue;
use crate::content::Content;
use crate::queue::{Handing, IoQueue, OpenArea, Request};

/// A kind that is not the usual one must cost so much less, with one read at a time and with many.
// Other programs move single rounds by 10 %. What the median of five rounds leaves of that must not decide,
// or two runs on one host would use different rings.
const WORTH_IT: f64 = 0.95;
/// The kinds are tried in turn, so often.
const ROUNDS: usize = 5;
/// Each of these tries ends with so many reads, or after so long; where fewer than the least come back, CPU
/// is nothing that decides, nor known well.
const TRIES: [Try; 2] = [
    Try { at_once: 32, most_reads: 500, least_reads: 250, most_ns: 40_000_000 },
    Try { at_once: 1, most_reads: 100, least_reads: 50, most_ns: 20_000_000 },
];
const READ_BYTES: u32 = 8192;
/// Reads stay within so much of the first area: what they leave in caches is nothing to the load.
const MOST_RANGE: u64 = 64 << 20;
/// Reads that take longer than this are left to the kernel.
const PATIENCE_NS: u64 = 1_000_000_000;

/// The kind of ring that suits the targets at hand, found out once for all loads on them.
///
/// It is remembered beside the targets because finding out reads for up to 0.9 s: a sweep of fifty short
/// loads would read for longer than it measures, and two of its loads might get different rings.
#[derive(Debug, Default)]
pub(crate) struct Tuning(OnceLock<RingKind>);

impl Tuning {
    /// The kind for a load.
    pub(crate) fn ring_for(
        &self,
        plan: &Plan,
        areas: &[OpenArea],
        is_stopping: &dyn Fn() -> bool,
    ) -> RingKind {
        match (plan.polled, plan.direct) {
            (true, _) => RingKind::Polled,
            // Through the page cache all kinds cost the same, and reading would warm it.
            (false, false) => RingKind::default(),
            (false, true) => *self.0.get_or_init(|| RingKind::cheapest(plan, areas, is_stopping)),
        }
    }
}

/// A few reads that show what a ring costs.
#[derive(Debug, Clone, Copy)]
struct Try {
    at_once: u32,
    most_reads: u64,
    least_reads: u64,
    most_ns: u64,
}

/// How the kernel tells the thread of a ring that an I/O is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum RingKind {
    /// When the thread enters the kernel anyway (`IORING_SETUP_COOP_TASKRUN`, Linux 5.19; `SINGLE_ISSUER`,
    /// 6.0).
    #[default]
    Cooperative,
    /// When the thread asks for it (`IORING_SETUP_DEFER_TASKRUN`, Linux 6.1).
    Deferred,
    /// By interrupting the thread.
    Interrupting,
    /// Not at all: the thread asks the devices (`IORING_SETUP_IOPOLL`).
    Polled,
}

impl RingKind {
    /// The kind that takes the least CPU for a read, on this kernel and the device below the plan's first
    /// area. It reads at most 9,000 blocks there, within 0.9 s.
    fn cheapest(plan: &Plan, areas: &[OpenArea], is_stopping: &dyn Fn() -> bool) -> Self {
        let (Some(OpenArea { file, .. }), Some(area)) = (areas.first(), plan.areas.first()) else {
            return Self::default();
        };
        let range = area.offset.get()..area.offset.get() + area.length.get().min(MOST_RANGE);
        let mut random = Random::new(plan.seed, RandomStream::RingProbe);
        cheapest(
            |kind, one| {
                if is_stopping() { None } else { cpu_of_a_read(file, &range, kind, one, &mut random) }
            },
        )
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Cooperative => "coop-taskrun",
            Self::Deferred => "defer-taskrun",
            Self::Interrupting => "interrupt",
            Self::Polled => "polled",
        }
    }

    /// A ring of this kind, or the next that the kernel has.
    pub(super) fn build(self, entries: u32) -> io::Result<(IoUring, Self)> {
        // No other kind in its place: polling is asked for by the user, who reads the figures as those of
        // polling.
        if self == Self::Polled {
            return Ok((IoUring::builder().setup_iopoll().build(entries)?, self));
        }
        if self == Self::Interrupting {
            return Ok((IoUring::new(entries)?, self));
        }
        // The flag says in shared memory that completions wait in the kernel: a loop that watches the clock
        // sees them without entering the kernel to look, and not only when something else enters it.
        let mut cooperative = IoUring::builder();
        cooperative.setup_coop_taskrun().setup_taskrun_flag();
        let mut single_issuer = cooperative.clone();
        single_issuer.setup_single_issuer();
        // The kernel refuses to defer without a single issuer.
        let mut deferred = IoUring::builder();
        deferred.setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag();
        let ladder = [
            (deferred, Self::Deferred),
            (single_issuer, Self::Cooperative),
            (cooperative, Self::Cooperative),
        ];
        // Kernels are not asked for their version, which distributions patch: a kind that is refused is one
        // that is not there.
        let from = usize::from(self != Self::Deferred);
        for (builder, kind) in &ladder[from..] {
            if let Ok(ring) = builder.build(entries) {
                return Ok((ring, *kind));
            }
        }
        Ok((IoUring::new(entries)?, Self::Interrupting))
    }
}

/// The kind that is worth leaving the usual one for. `cost` gives `None` where a kind cannot be tried, or its
/// cost does not matter.
fn cheapest(mut cost: impl FnMut(RingKind, Try) -> Option<f64>) -> RingKind {
    const USUAL: RingKind = RingKind::Cooperative;
    let mut others =
        [RingKind::Deferred, RingKind::Interrupting].map(|kind| (kind, TRIES.map(|_| Vec::new())));
    for _ in 0..ROUNDS {
        for (index, one) in TRIES.into_iter().enumerate() {
            // With one at a time a slow device brings too few; then many at a time decide.
            let Some(usual) = cost(USUAL, one) else { continue };
            for (kind, shares) in &mut others {
                // Relative to the usual ring in the same round: a machine that others use changes from round
                // to round, and takes all kinds with it.
                shares[index].extend(cost(*kind, one).map(|other| other / usual));
            }
        }
    }
    // The worse of both depths counts: the load may be of any, and no kind may make it dearer.
    let worst = |shares: [Vec<f64>; TRIES.len()]| {
        let [many, one] = shares.map(median_of_all);
        many.map(|many| one.map_or(many, |one| many.max(one)))
    };
    let all = others.into_iter().filter_map(|(kind, shares)| Some((worst(shares)?, kind)));
    let best = all.min_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(share, _)| *share <= WORTH_IT).map_or(USUAL, |(_, kind)| kind)
}

/// The median of what came from every round; `None` where some brought nothing.
fn median_of_all(mut shares: Vec<f64>) -> Option<f64> {
    shares.sort_by(f64::total_cmp);
    shares.get(ROUNDS / 2).copied().filter(|_| shares.len() == ROUNDS)
}

/// The CPU time of the thread for one read, in ns; `None` where the kernel has no such ring, a read fails, or
/// few come back.
fn cpu_of_a_read(
    file: &File,
    range: &Range<u64>,
    kind: RingKind,
    Try { at_once, most_reads, least_reads, most_ns }: Try,
    random: &mut Random,
) -> Option<f64> {
    let blocks = (range.end - range.start) / u64::from(READ_BYTES);
    if blocks == 0 {
        return None;
    }
    let file = file.try_clone().ok()?;
    // Nothing is written.
    let areas: Arc<[OpenArea]> = Arc::new([OpenArea { file, content: Content::new(0, 0) }]);
    let clock = MonotonicClock::before_start();
    clock.start();
    let lengths = vec![READ_BYTES; at_once as usize];
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
        generation: 0,
    };
    let mut requests: Vec<Request> = (0..at_once).map(&mut read).collect();
    let mut completions = Vec::with_capacity(lengths.len());
    // The time of this thread and not of the process: others may be at work, and the kernel charges what it
    // does for a ring to the thread that enters it. From here on, because memory and ring are made once for a
    // load.
    let before_ns = thread_cpu_ns();
    let mut count = 0;
    while count < most_reads && clock.now_ns() < most_ns {
        queue.submit(&requests, Handing::WithReap).ok()?;
        requests.clear();
        queue.reap(&mut completions, most_ns).ok()?;
        for completion in completions.drain(..) {
            matches!(completion.outcome, Outcome::Bytes(READ_BYTES)).then_some(())?;
            requests.push(read(completion.slot));
            count += 1;
        }
    }
    // Before the rest is waited for, which brings no reads that count.
    let cpu_ns = thread_cpu_ns() - before_ns;
    let drained_by_ns = clock.now_ns() + PATIENCE_NS;
    while queue.in_flight > 0 {
        queue.reap(&mut completions, drained_by_ns).ok()?;
        if clock.now_ns() >= drained_by_ns {
            return None;
        }
    }
    (count >= least_reads).then(|| cpu_ns as f64 / count as f64)
}

fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let part = |number: i64| u64::try_from(number).unwrap_or_default();
    1_000_000_000 * part(time.tv_sec) + part(time.tv_nsec)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// What is chosen where the kinds cost so much, with many reads at once and with one, in every round but
    /// the first, in which the deferred one is a bargain.
    fn choice(costs: impl Fn(RingKind) -> [Option<f64>; 2]) -> RingKind {
        let mut left = TRIES.len();
        cheapest(|kind, one| {
            let cost = costs(kind)[usize::from(one.at_once == 1)]?;
            let is_bargain = kind == RingKind::Deferred && left > 0;
            left -= usize::from(is_bargain);
            Some(if is_bargain { cost / 10.0 } else { cost })
        })
    }

    fn costs(usual: [f64; 2], deferred: [f64; 2], interrupting: [f64; 2]) -> RingKind {
        choice(|kind| match kind {
            RingKind::Deferred => deferred.map(Some),
            RingKind::Interrupting => interrupting.map(Some),
            _ => usual.map(Some),
        })
    }

    #[test]
    fn the_usual_ring_is_left_for_one_that_costs_clearly_less_whatever_the_depth() {
        let usual = [3.4, 18.2];
        assert_eq!(costs(usual, [4.0, 21.0], [3.3, 18.0]), RingKind::Cooperative, "one bargain is noise");
        assert_eq!(costs(usual, [3.0, 17.0], [3.3, 18.0]), RingKind::Deferred);
        assert_eq!(costs(usual, [3.0, 17.0], [2.9, 16.0]), RingKind::Interrupting);
        assert_eq!(
            costs(usual, [4.0, 21.0], [2.9, 19.8]),
            RingKind::Cooperative,
            "dearer with one at a time"
        );
    }

    #[test]
    fn what_cannot_be_tried_is_not_chosen() {
        let deferred_is_cheap = |kind| match kind {
            RingKind::Deferred => [Some(1.0); 2],
            _ => [Some(3.4); 2],
        };
        assert_eq!(choice(deferred_is_cheap), RingKind::Deferred);
        assert_eq!(
            choice(|kind| if kind == RingKind::Cooperative { [None; 2] } else { [Some(1.0); 2] }),
            RingKind::default()
        );
        assert_eq!(
            choice(|kind| if kind == RingKind::Deferred { [None; 2] } else { [Some(3.4); 2] }),
            RingKind::default()
        );
        // A device so slow that one at a time says nothing.
        assert_eq!(choice(|kind| [deferred_is_cheap(kind)[0], None]), RingKind::Deferred);
    }

    #[test]
    fn every_kind_reads_a_file_and_tells_what_it_costs() {
        if let Some(refusal) = crate::uring::refusal() {
            return eprintln!("skipped: {refusal}");
        }
        let file = tempfile::tempfile().unwrap();
        let length = 64 * u64::from(READ_BYTES);
        file.set_len(length).unwrap();
        let cost = |range, kind, one| {
            cpu_of_a_read(&file, &range, kind, one, &mut Random::new(1, RandomStream::Copy(0)))
        };
        for one in TRIES {
            // However slow the machine is.
            let one = Try { most_ns: 3_600_000_000_000, ..one };
            for kind in [RingKind::Cooperative, RingKind::Deferred, RingKind::Interrupting] {
                // An older kernel gives another kind.
                if kind.build(2).unwrap().1 == kind {
                    let cost_ns = cost(0..length, kind, one).expect("a hole is read");
                    assert!(cost_ns > 0.0, "{kind:?}");
                }
            }
            assert!(cost(0..512, RingKind::Cooperative, one).is_none(), "there is nothing to read");
            assert!(
                cost(length..2 * length, RingKind::Cooperative, one).is_none(),
                "a read of nothing is a failure"
            );
        }
    }

    #[test]
    fn only_direct_loads_are_tried_and_each_target_once() {
        let plan = crate::test_plan::open_job(1_000, 1);
        let never = || -> bool { panic!("nothing is to be tried") };
        let areas = [OpenArea { file: tempfile::tempfile().unwrap(), content: Content::new(0, 0) }];
        let tuning = Tuning::default();
        for (direct, polled, kind) in [(false, false, RingKind::Cooperative), (true, true, RingKind::Polled)]
        {
            let plan = Plan { direct, polled, ..plan.clone() };
            assert_eq!(tuning.ring_for(&plan, &areas, &never), kind);
        }
        let plan = Plan { direct: true, ..plan };
        let tries = Cell::new(0);
        let stopping = || {
            tries.set(tries.get() + 1);
            true
        };
        // A load that is stopped meanwhile takes the usual one.
        assert_eq!(tuning.ring_for(&plan, &areas, &stopping), RingKind::Cooperative);
        assert!(tries.get() > 0, "a direct load is tried");
        assert_eq!(tuning.ring_for(&plan, &areas, &never), RingKind::Cooperative);
    }
}
