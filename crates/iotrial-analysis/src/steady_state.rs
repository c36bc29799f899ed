//! Whether a load had stopped changing while it was measured.
//!
//! The criteria are those of the SNIA Solid State Storage Performance Test Specification (PTS 2.0, «steady
//! state»): over five rounds the values range over at most 20 % of their average, and the line of least
//! squares through them rises or falls by at most 10 % of it. SNIA takes rounds of a minute and repeats them
//! until the criteria are met, which a [`SteadyWatch`] does for a load that runs until it is steady. Of any
//! load the fifths of the measured phase are rounds, and the answer says whether they met the criteria.
//!
//! SNIA tracks what its test is about: IOPS, throughput or latency. Here a load is steady when all of these
//! are that it can vary on its own: IOPS always; bandwidth where there are several block sizes, because with
//! one it is a multiple of IOPS; mean latency of open loads, because their rate is given and a closed load's
//! latency follows from its rate. In a group commit that is the commits' latency, whose writes take the same
//! time however many commits wait. And a load whose queue grows is not steady, whatever its latencies are so
//! far.
//!
//! SNIA's tests are closed loads, whose rounds differ by little. The mean latency of random arrivals near the capacity of a device differs by
//! half from one minute to the next though nothing changes, so that what chance makes of the rounds is within both criteria.

use std::time::Duration;

use iotrial_model::finding::{Changing, MOST_BACKLOG_GROWTH_PERCENT, MOST_RANGE_PERCENT, MOST_SLOPE_PERCENT};
use iotrial_model::load::Direction;
use iotrial_model::plan::{Arrival, Job, PhaseKind, Plan, STEADY_ROUNDS, UntilSteady};
use iotrial_model::record::{Interval, JobCounts, OpCounts};
use iotrial_model::subject::Subject;
use serde::Serialize;

use crate::student::student_limit;

/// The rounds that are compared.
// From the model, where the plan uses the same number to know how long the last five rounds are.
pub(crate) const ROUND_COUNT: usize = STEADY_ROUNDS as usize;
/// A queue that grew by fewer is the last moment's.
// A choice: chance alone leaves a few I/Os waiting at any moment.
const LEAST_BACKLOG_GROWTH: f64 = 16.0;
/// Two rounds of a steady load differ by more than what chance explains with this probability: one in ten thousand for the ten pairs of them
/// (Bonferroni), because latencies near the capacity are further from normal than what Student assumes.
const CHANCE_SHARE: f64 = 1e-5;
/// The same in standard errors, of a normal distribution.
const CHANCE_ERRORS: f64 = 4.417;
/// Neighbouring intervals are looked at for autocorrelation up to this distance. A queue that remembers longer than some seconds belongs to a
/// device with so few I/Os that a load of minutes says nothing of it either.
const LAGS: usize = 2;

/// How far the measured phase was from steady.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SteadyState {
    /// Whether everything that is tracked meets both criteria.
    pub held: bool,
    /// IOPS, all jobs together.
    #[serde(flatten)]
    pub iops: Rounds,
    /// MiB/s, all jobs together; `None` where there is one block size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Rounds>,
    /// Mean latency of the open loads in µs; `None` where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Rounds>,
    /// The part of what came to be due over the rounds that only made the queue longer, in percent, of the
    /// open job whose grew most; `None` where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backlog_growth_percent: Option<f64>,
}

/// One tracked value over the rounds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rounds {
    /// Largest minus smallest round, in percent of their average.
    pub range_percent: f64,
    /// What the fitted line gains from the first round to the last, in percent of the average; negative when
    /// the value falls.
    pub slope_percent: f64,
    /// Up to here chance alone explains both, in percent of the average.
    pub chance_percent: f64,
    /// The value of each round.
    pub rounds: [f64; ROUND_COUNT],
}

impl Rounds {
    /// `chance_percent` is that of a value that has this average. `None` when the average is zero.
    fn new(rounds: [f64; ROUND_COUNT], chance_percent: impl FnOnce(f64) -> f64) -> Option<Self> {
        let average = rounds.iter().sum::<f64>() / ROUND_COUNT as f64;
        // Without any I/O there is nothing that could be steady, and nothing to divide by.
        if average <= 0.0 {
            return None;
        }
        let largest = rounds.iter().copied().fold(f64::MIN, f64::max);
        let smallest = rounds.iter().copied().fold(f64::MAX, f64::min);
        let range_percent = 100.0 * (largest - smallest) / average;
        // By the slope per round times four: SNIA's excursion of the fitted line, from the first round to the
        // last.
        let slope_percent = 100.0 * least_squares_slope(&rounds) * (ROUND_COUNT - 1) as f64 / average;
        Some(Self { range_percent, slope_percent, chance_percent: chance_percent(average), rounds })
    }

    /// Whether both criteria are met, as far as chance lets anybody see.
    // The slope has a standard error of 4 / √10 = 1.26 of a round's, and a difference of two rounds 1.41: one limit does for both.
    pub fn held(&self) -> bool {
        self.range_percent <= MOST_RANGE_PERCENT.max(self.chance_percent)
            && self.slope_percent.abs() <= MOST_SLOPE_PERCENT.max(self.chance_percent)
    }
}

impl SteadyState {
    /// Judges the measured phase. `None` when it has fewer intervals than there are rounds, or no I/O, or rounds with a part
    /// of a period of bursts, which differ whatever the device does.
    pub fn of(subject: &Subject<'_>) -> Option<Self> {
        let plan = subject.plan?;
        let sums: Vec<Sums> = subject.measured_intervals().map(|interval| Sums::of(plan, interval)).collect();
        Self::of_sums(plan, &sums)
    }

    fn of_sums(plan: &Plan, sums: &[Sums]) -> Option<Self> {
        // With fewer intervals than rounds, neighbours would share an interval and look steady because of it.
        if sums.len() < ROUND_COUNT || !holds_whole_periods(plan, sums) {
            return None;
        }
        // Quotients of sums, so an interval that was cut short weighs as long as it lasted.
        let per_second = |of: fn(&Sums) -> f64| in_rounds(sums, |one| (of(one), one.duration_s));
        let by_count = |_| chance_of_counts(sums);
        let iops = Rounds::new(per_second(|one| one.io_count), by_count)?;
        let bandwidth =
            // `then` and `flatten`: a value that is tracked and has no average is left out rather than taken
            // for steady or not.
            tracks_bandwidth(plan)
                .then(|| Rounds::new(per_second(|one| one.bytes / 1_048_576.0), by_count))
                .flatten();
        let mean_latency_us = |one: &Sums| (one.open_latency_us, one.open_io_count);
        let latency = tracks_latency(plan)
            .then(|| {
                let rounds = in_rounds(sums, mean_latency_us);
                Rounds::new(rounds, |average| chance_of_quotients(sums, mean_latency_us, &rounds, average))
            })
            .flatten();
        let backlog_growth_percent = backlog_growth_percent(plan, sums);
        let are_steady =
            [Some(&iops), bandwidth.as_ref(), latency.as_ref()].into_iter().flatten().all(Rounds::held);
        // Latency of a queue that grows slowly can pass both criteria for a long time, while the load is
        // lost.
        let held = are_steady && !has_grown(backlog_growth_percent);
        Some(Self { held, iops, bandwidth, latency, backlog_growth_percent })
    }

    /// Whether the queue of an open job grew by more than [`MOST_BACKLOG_GROWTH_PERCENT`].
    pub(crate) fn backlog_grew(&self) -> bool {
        has_grown(self.backlog_growth_percent)
    }

    /// The first tracked value that does not meet the criteria.
    pub fn moving(&self) -> Option<(Changing, &Rounds)> {
        let tracked = [
            (Changing::Iops, Some(&self.iops)),
            (Changing::Bandwidth, self.bandwidth.as_ref()),
            (Changing::MeanLatency, self.latency.as_ref()),
        ];
        tracked
            .into_iter()
            .filter_map(|(value, rounds)| Some((value, rounds?)))
            .find(|(_, rounds)| !rounds.held())
    }
}

/// Whether a round holds whole periods of the bursts of the load; true without bursts.
fn holds_whole_periods(plan: &Plan, sums: &[Sums]) -> bool {
    let Some(period) = plan.burst_period() else { return true };
    let round_s = sums.iter().map(|one| one.duration_s).sum::<f64>() / ROUND_COUNT as f64;
    let periods = round_s / period.as_secs_f64();
    // A phase may end some milliseconds late.
    // More than half a period, or zero would count as a whole number of them.
    periods > 0.5 && (periods - periods.round()).abs() < 0.01
}

fn tracks_bandwidth(plan: &Plan) -> bool {
    // A group commit writes blocks of different size, one for each group.
    let varies = |job: &Job| !job.block_size.shares().is_empty() || job.group_commit.is_some();
    plan.jobs.iter().any(|job| job.block_size != plan.jobs[0].block_size || varies(job))
}

fn has_grown(backlog_growth_percent: Option<f64>) -> bool {
    backlog_growth_percent.is_some_and(|percent| percent > MOST_BACKLOG_GROWTH_PERCENT)
}

/// Of the open job whose queue grew most: by how much from the end of the first interval to the end of the
/// last, in percent of what came to be due between. The queue of a job that comes in bursts grows and shrinks
/// by plan.
fn backlog_growth_percent(plan: &Plan, sums: &[Sums]) -> Option<f64> {
    let [first, others @ ..] = sums else { return None };
    let last = others.last()?;
    let growth = |(index, _): (usize, &Job)| {
        // Records without a backlog count as having none.
        let backlog = |one: &Sums| one.backlog.get(index).copied().unwrap_or_default() as f64;
        let done: f64 = others.iter().map(|one| one.arrivals[index]).sum();
        let growth = backlog(last) - backlog(first);
        // What came to be due is what was done and what is left waiting. The first interval only gives the
        // starting level, so its arrivals are not among those counted.
        if growth < LEAST_BACKLOG_GROWTH { 0.0 } else { 100.0 * growth / (growth + done) }
    };
    let has_queue = |job: &Job| match job.arrival {
        Arrival::Closed => false,
        Arrival::Open { bursts, .. } => bursts.is_none(),
        Arrival::Following { .. } => true,
    };
    let open = plan.jobs.iter().enumerate().filter(|(_, job)| has_queue(job));
    open.map(growth).reduce(f64::max)
}

fn tracks_latency(plan: &Plan) -> bool {
    plan.jobs.iter().any(|job| has_given_rate(plan, job))
}

/// Whether a job has a rate that is the same all the time, or follows one that has: between bursts there is
/// no latency.
fn has_given_rate(plan: &Plan, job: &Job) -> bool {
    match job.arrival {
        Arrival::Closed => false,
        Arrival::Open { bursts, .. } => bursts.is_none(),
        Arrival::Following { job, .. } => plan
            .jobs
            .get(job)
            .is_some_and(|leader| matches!(leader.arrival, Arrival::Open { bursts: None, .. })),
    }
}

/// Looks at the intervals of a load that runs until it is steady, one after the other.
pub struct SteadyWatch<'p> {
    plan: &'p Plan,
    until: UntilSteady,
    /// Of the measured phase so far.
    sums: Vec<Sums>,
    starts: Vec<Duration>,
    limit: Duration,
}

/// How the waiting for a steady state ended.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadyEnd {
    /// The last five rounds, which are what was measured, start here; counted from the start of the load.
    pub measured_from: Duration,
    /// The time from the start of the measured phase to its end.
    pub after: Duration,
    /// Whether they were steady; if not, the limit was reached.
    pub held: bool,
}

impl<'p> SteadyWatch<'p> {
    /// `None` for a plan that does not wait.
    pub fn new(plan: &'p Plan) -> Option<Self> {
        let (sums, starts) = (Vec::new(), Vec::new());
        Some(Self { plan, until: plan.until_steady?, sums, starts, limit: plan.measured() })
    }

    /// The next interval; the end when it completed five steady rounds, or reached the limit.
    pub fn see(&mut self, interval: &Interval) -> Option<SteadyEnd> {
        if interval.phase != PhaseKind::Measure {
            return None;
        }
        self.sums.push(Sums::of(self.plan, interval));
        self.starts.push(interval.start);
        let after = interval.start + interval.duration - self.starts[0];
        // Exact, because windows are cut by the plan and not by the clock.
        let is_round_end = after.as_nanos().is_multiple_of(self.until.round.as_nanos());
        if !is_round_end || after < self.until.window() {
            return None;
        }
        let measured_from = interval.start + interval.duration - self.until.window();
        // Starts ascend, so the first interval of the window is found by halving.
        let first = self.starts.partition_point(|start| *start < measured_from);
        let held = SteadyState::of_sums(self.plan, &self.sums[first..]).is_some_and(|steady| steady.held);
        // At the limit the answer is given all the same, and says that it did not hold.
        (held || after >= self.limit).then_some(SteadyEnd { measured_from, after, held })
    }
}

/// What an interval adds to the rounds.
#[derive(Debug, Clone)]
struct Sums {
    duration_s: f64,
    io_count: f64,
    bytes: f64,
    /// Of the jobs whose rate is given; of a group commit its commits.
    open_io_count: f64,
    /// All their latencies together.
    open_latency_us: f64,
    /// By job, what arrived and is done: I/Os, or commits.
    arrivals: Vec<f64>,
    /// By job, what was due and not issued at its end.
    backlog: Vec<u64>,
}

impl Sums {
    fn of(plan: &Plan, interval: &Interval) -> Self {
        let mut sums = Self {
            duration_s: interval.duration.as_secs_f64(),
            io_count: 0.0,
            bytes: 0.0,
            open_io_count: 0.0,
            open_latency_us: 0.0,
            arrivals: Vec::with_capacity(plan.jobs.len()),
            backlog: interval.backlog.clone(),
        };
        for (job, counts) in plan.jobs.iter().zip(&interval.jobs) {
            sums.add(counts, has_given_rate(plan, job));
        }
        sums
    }

    fn add(&mut self, counts: &JobCounts, is_open: bool) {
        let ios = || Direction::ALL.into_iter().filter_map(|direction| counts.get(direction));
        self.io_count += ios().map(|op| op.io_count() as f64).sum::<f64>();
        self.bytes += ios().map(|op| op.bytes as f64).sum::<f64>();
        // In a group commit sessions wait for the commit, and the write is how it is done.
        let arrivals: Vec<&OpCounts> =
            counts.commit.as_ref().map_or_else(|| ios().collect(), |one| vec![one]);
        let arrived: f64 = arrivals.iter().map(|op| op.io_count() as f64).sum();
        self.arrivals.push(arrived);
        if is_open {
            self.open_io_count += arrived;
            let latency_us =
                // A sum, because means of intervals cannot be averaged without their counts.
                |op: &&OpCounts| op.total_latency.mean_us().unwrap_or_default() * op.io_count() as f64;
            self.open_latency_us += arrivals.iter().map(latency_us).sum::<f64>();
        }
    }
}

/// A quotient of sums in each fifth of the time that the intervals cover one after the other; zero where
/// there is nothing to divide by. An interval on the border of two rounds is divided between them by time.
fn in_rounds(sums: &[Sums], of: impl Fn(&Sums) -> (f64, f64)) -> [f64; ROUND_COUNT] {
    let round_s = sums.iter().map(|one| one.duration_s).sum::<f64>() / ROUND_COUNT as f64;
    let mut quotients = [(0.0, 0.0); ROUND_COUNT];
    let mut start_s = 0.0;
    for one in sums {
        let end_s = start_s + one.duration_s;
        let (above, below) = of(one);
        for (round, sum) in quotients.iter_mut().enumerate() {
            let (round_start_s, round_end_s) = (round as f64 * round_s, (round + 1) as f64 * round_s);
            // Negative where interval and round do not meet at all.
            let share = (end_s.min(round_end_s) - start_s.max(round_start_s)) / one.duration_s;
            if share > 0.0 {
                sum.0 += above * share;
                sum.1 += below * share;
            }
        }
        start_s = end_s;
    }
    // A round without I/Os has a rate of zero, which makes the range large, as it should.
    quotients.map(|(above, below)| if below > 0.0 { above / below } else { 0.0 })
}

/// By how much the rates of two rounds differ by chance, in percent: arrivals that are independent of each other have a standard deviation of √n,
/// and the I/Os of a closed load less.
fn chance_of_counts(sums: &[Sums]) -> f64 {
    let of_round = sums.iter().map(|one| one.io_count).sum::<f64>() / ROUND_COUNT as f64;
    100.0 * CHANCE_ERRORS * (2.0 / of_round).sqrt()
}

/// By how much two rounds of a quotient of sums differ by chance, in percent of their average.
///
/// Within a round an interval is off the quotient of the round by chance, and by what changes within a round, which makes the answer larger and
/// not smaller. The standard error of a ratio of sums is that of the mean of `above − quotient × below` (Cochran, Sampling Techniques, 6.4),
/// with the autocorrelation of neighbours by Bartlett's weights (Newey and West 1987) as far as it is positive. Zero where there are too few
/// intervals to tell, so that the criteria are those of SNIA.
fn chance_of_quotients(
    sums: &[Sums],
    of: impl Fn(&Sums) -> (f64, f64),
    rounds: &[f64; ROUND_COUNT],
    average: f64,
) -> f64 {
    let count = sums.len() as f64;
    let degrees = count - ROUND_COUNT as f64;
    let below = sums.iter().map(|one| of(one).1).sum::<f64>() / count;
    if degrees < ROUND_COUNT as f64 || below <= 0.0 {
        return 0.0;
    }
    // An interval that reaches into two rounds is taken to the one in which its larger part lies, or its first half.
    let residuals: Vec<(usize, f64)> = (0..sums.len())
        .map(|index| {
            let round = index * ROUND_COUNT / sums.len();
            let (above, below) = of(&sums[index]);
            (round, above - rounds[round] * below)
        })
        .collect();
    let squares: f64 = residuals.iter().map(|(_, residual)| residual * residual).sum();
    let correlation = |lag: usize| {
        let pairs = residuals.iter().zip(&residuals[lag..]).filter(|(one, other)| one.0 == other.0);
        let (sum, pair_count) =
            pairs.fold((0.0, 0.0), |all, (one, other)| (all.0 + one.1 * other.1, all.1 + 1.0));
        // The residuals of a round add up to zero, so that those of independent intervals have a correlation of −1 / (intervals of a round).
        if pair_count > 0.0 && squares > 0.0 {
            sum / pair_count / (squares / count) + ROUND_COUNT as f64 / count
        } else {
            0.0
        }
    };
    let weight = |lag: usize| 1.0 - lag as f64 / (LAGS + 1) as f64;
    let inflation = 1.0 + 2.0 * (1..=LAGS).map(|lag| weight(lag) * correlation(lag)).sum::<f64>();
    let variance = squares / degrees * inflation.max(1.0) / (count / ROUND_COUNT as f64);
    let standard_error = variance.sqrt() / below / average;
    100.0 * student_limit(CHANCE_SHARE, degrees) * std::f64::consts::SQRT_2 * standard_error
}

/// The slope of the line of least squares through (0, values[0]), (1, values[1]), …, per step.
fn least_squares_slope(values: &[f64]) -> f64 {
    // Centred, so that the intercept drops out and Σ x y / Σ x² is the slope.
    let middle = (values.len() - 1) as f64 / 2.0;
    let offsets = || (0..values.len()).map(|index| index as f64 - middle);
    let covariance: f64 = offsets().zip(values).map(|(offset, value)| offset * value).sum();
    covariance / offsets().map(|offset| offset * offset).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use iotrial_model::load::{BlockSizes, GroupCommit, LogTail, Spacing};
    use iotrial_model::units::ByteSize;

    use iotrial_model::record::RunRecord;

    use super::*;
    use crate::test_record::{counts, measured};

    fn of(record: &RunRecord) -> Option<SteadyState> {
        SteadyState::of(&Subject::of_run(record))
    }

    fn of_rounds(rounds: [f64; ROUND_COUNT]) -> Rounds {
        Rounds::new(rounds, |_| 0.0).unwrap()
    }

    #[test]
    fn bursts_are_held_against_each_other_only_where_rounds_hold_whole_periods() {
        // A burst in each tenth second.
        let with_period = |seconds, period_s| {
            let mut record = measured(seconds, |second| if second % 10 == 0 { 10_000 } else { 8 });
            let bursts = iotrial_model::load::Bursts {
                period: Duration::from_secs(period_s),
                spread: Duration::from_secs(1),
            };
            record.plan.jobs[0].arrival =
                Arrival::Open { iops: 1_000.0, spacing: Spacing::Uniform, bursts: Some(bursts) };
            of(&record)
        };
        assert!(with_period(100, 10).unwrap().held);
        assert_eq!((with_period(30, 10), with_period(60, 10)), (None, None));
    }

    #[test]
    fn a_constant_rate_is_steady() {
        let steady = of_rounds([1000.0; 5]);
        assert_eq!((steady.held(), steady.range_percent, steady.slope_percent), (true, 0.0, 0.0));
    }

    #[test]
    fn the_criteria_hold_on_their_edges_and_not_beyond() {
        let check = |rounds, held, range_percent: f64, slope_percent: f64| {
            let steady = of_rounds(rounds);
            assert_eq!(steady.held(), held, "{rounds:?}");
            assert!((steady.range_percent - range_percent).abs() < 1e-9, "{rounds:?}: {steady:?}");
            assert!((steady.slope_percent - slope_percent).abs() < 1e-9, "{rounds:?}: {steady:?}");
        };
        // Up and down around the same level: no slope, and the range decides.
        check([90.0, 110.0, 100.0, 110.0, 90.0], true, 20.0, 0.0);
        check([89.0, 111.0, 100.0, 111.0, 89.0], false, 22.0, 0.0);
        // A straight line: range and slope are the same, and the slope decides.
        check([95.0, 97.5, 100.0, 102.5, 105.0], true, 10.0, 10.0);
        check([94.0, 97.0, 100.0, 103.0, 106.0], false, 12.0, 12.0);
        check([106.0, 103.0, 100.0, 97.0, 94.0], false, 12.0, -12.0);
    }

    #[test]
    fn burst_credits_that_run_out_are_not_a_steady_state() {
        let record = measured(300, |second| if second < 100 { 16_000 } else { 3_000 });
        let steady = of(&record).unwrap();
        assert!(!steady.held && steady.iops.slope_percent < -100.0, "{steady:?}");
        assert_eq!(steady.moving().unwrap().0, Changing::Iops);
        // The profile has one block size and no rate: there is nothing else to track.
        assert_eq!((&steady.bandwidth, &steady.latency), (&None, &None));
    }

    #[test]
    fn a_ripple_shorter_than_a_round_does_not_matter() {
        let steady = of(&measured(300, |second| 10_000 + 4_000 * (second % 2))).unwrap();
        assert!(steady.held, "{steady:?}");
    }

    #[test]
    fn fewer_intervals_than_rounds_say_nothing() {
        assert_eq!(of(&measured(4, |_| 1000)), None);
        assert!(of(&measured(5, |_| 1000)).is_some());
        assert_eq!(of(&measured(5, |_| 0)), None);
    }

    /// Where the watch ends a load with these IOPS by second, in rounds of two seconds and at most 15 of
    /// them.
    fn watched(iops: impl Fn(u64) -> u64) -> (SteadyEnd, SteadyState) {
        let mut record = measured(10, |_| 1);
        record.plan = record.plan.until_steady(Some(Duration::from_secs(30))).unwrap();
        record.intervals = measured(30, iops).intervals;
        let mut watch = SteadyWatch::new(&record.plan).unwrap();
        let end = record.intervals.iter().find_map(|interval| watch.see(interval)).unwrap();
        record.intervals.retain(|one| one.start >= end.measured_from);
        record.intervals.truncate(10);
        (end, of(&record).unwrap())
    }

    #[test]
    fn a_constant_load_is_steady_after_five_rounds() {
        let (end, steady) = watched(|_| 1_000);
        let (from, after) = (Duration::ZERO, Duration::from_secs(10));
        assert_eq!(end, SteadyEnd { measured_from: from, after, held: true });
        assert!(steady.held);
    }

    #[test]
    fn a_burst_is_waited_out_until_no_round_holds_any_of_it() {
        // Three seconds of it reach into the second round.
        let (end, steady) = watched(|second| if second < 3 { 16_000 } else { 2_000 });
        assert_eq!((end.measured_from.as_secs(), end.after.as_secs(), end.held), (4, 14, true));
        assert_eq!(steady.iops.rounds, [2_250.0; 5]);
    }

    #[test]
    fn a_load_that_never_settles_ends_at_the_limit_with_its_last_five_rounds() {
        let (end, steady) = watched(|second| 1_000 + 100 * second);
        assert_eq!((end.measured_from.as_secs(), end.after.as_secs(), end.held), (20, 30, false));
        // The record of these rounds says the same.
        assert!(!steady.held);
    }

    #[test]
    fn a_rate_that_is_given_is_steady_only_when_its_latency_is() {
        let mut record = measured(50, |_| 1_000);
        record.plan.jobs[0].arrival =
            Arrival::Open { iops: 1_000.0, spacing: Spacing::Poisson, bursts: None };
        assert!(of(&record).unwrap().latency.unwrap().held());
        for (second, interval) in (0..).zip(&mut record.intervals) {
            interval.jobs[0].read = Some(counts(500, Duration::from_millis(1 + second)));
        }
        let steady = of(&record).unwrap();
        assert!(!steady.held && steady.iops.held());
        assert_eq!(steady.moving().unwrap().0, Changing::MeanLatency);
    }

    /// An open load of 500 reads a second whose mean latency in each second is told.
    fn open(seconds: u64, latency: impl Fn(u64) -> Duration) -> SteadyState {
        let mut record = measured(seconds, |_| 1_000);
        record.plan.jobs[0].arrival =
            Arrival::Open { iops: 1_000.0, spacing: Spacing::Poisson, bursts: None };
        for (second, interval) in (0..).zip(&mut record.intervals) {
            interval.jobs[0].read = Some(counts(500, latency(second)));
            interval.jobs[0].write = None;
        }
        of(&record).unwrap()
    }

    /// Exponential, so that a second in twenty takes three times as long as the average; always the same.
    fn by_chance(seed: u64) -> f64 {
        let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        -((mixed >> 11) as f64 / (1_u64 << 53) as f64).max(1e-9).ln()
    }

    #[test]
    fn rounds_that_differ_by_chance_alone_are_steady_and_a_change_within_that_chance_is_not() {
        let mut beyond_the_criteria = 0;
        for seed in 0..300 {
            let steady = open(60, |second| Duration::from_secs_f64(1e-3 * by_chance(1_000 * seed + second)));
            let latency = steady.latency.as_ref().unwrap();
            beyond_the_criteria += usize::from(latency.range_percent > 20.0);
            assert!(steady.held, "{seed}: {latency:?}");
            // The device becomes three times as slow after half of the time, or little by little.
            let step = |second: u64| if second < 33 { 1.0 } else { 3.0 };
            let ramp = |second: u64| 1.0 + second as f64 / 20.0;
            for change in [&step as &dyn Fn(u64) -> f64, &ramp] {
                let of_second = |second| 1e-3 * change(second) * (10.0 + by_chance(1_000 * seed + second));
                let steady = open(60, |second| Duration::from_secs_f64(of_second(second)));
                assert_eq!(steady.moving().unwrap().0, Changing::MeanLatency, "{seed}");
            }
        }
        assert!(beyond_the_criteria > 250, "{beyond_the_criteria}");
    }

    #[test]
    fn chance_is_what_the_seconds_of_a_round_differ_by() {
        // 12 seconds of 1 or 3 ms in turn: a standard deviation of 1.03, neighbours that are no copies of each other; 55 degrees of freedom.
        let in_turn = open(60, |second| Duration::from_millis(1 + 2 * (second % 2))).latency.unwrap();
        let standard_error = (60.0_f64 / 55.0 / 12.0).sqrt() / 2.0;
        assert!(
            (in_turn.chance_percent - 100.0 * 4.864 * 2.0_f64.sqrt() * standard_error).abs() < 0.5,
            "{in_turn:?}"
        );
        // Three by three they are.
        let in_threes = open(60, |second| Duration::from_millis(1 + 2 * (second / 3 % 2))).latency.unwrap();
        assert!(in_threes.chance_percent > 1.2 * in_turn.chance_percent, "{in_threes:?}");
        // Too few to tell.
        assert_eq!(
            open(9, |second| Duration::from_millis(1 + second % 2)).latency.unwrap().chance_percent,
            0.0
        );
        // Ten arrivals a second: 120 a round, with a standard deviation of 9 %.
        let few = of(&measured(60, |_| 10)).unwrap().iops;
        assert!((few.chance_percent - 100.0 * 4.417 * (2.0_f64 / 132.0).sqrt()).abs() < 0.5, "{few:?}");
    }

    #[test]
    fn a_group_commit_is_steady_only_when_its_commits_are() {
        let mut record = measured(50, |_| 1_000);
        record.plan.jobs[1].arrival =
            Arrival::Open { iops: 1_000.0, spacing: Spacing::Poisson, bursts: None };
        record.plan.jobs[1].group_commit = Some(GroupCommit {
            commit_size: ByteSize::bytes(700),
            largest_write: ByteSize::kib(60),
            tail: LogTail::Pad,
        });
        let with = |record: &mut RunRecord, latency_ms: fn(u64) -> u64, backlog: fn(u64) -> u64| {
            for (second, interval) in (0..).zip(&mut record.intervals) {
                let commits = counts(1_000, Duration::from_millis(latency_ms(second)));
                interval.jobs[1].commit = Some(commits);
                interval.backlog = vec![0, backlog(second)];
            }
            of(record).unwrap()
        };
        let steady = with(&mut record, |_| 2, |second| second % 2);
        assert!(steady.held, "{steady:?}");
        assert_eq!(steady.latency.unwrap().rounds.map(|us| (us / 100.0).round()), [20.0; ROUND_COUNT]);
        // Its writes take as long as ever.
        let steady = with(&mut record, |second| 2 + second, |_| 0);
        assert!(!steady.held && !steady.backlog_grew(), "{steady:?}");
        assert_eq!(steady.moving().unwrap().0, Changing::MeanLatency);
        // A queue that grows by 2 % of what is due, and one that grew before.
        let steady = with(&mut record, |_| 2, |second| 20 * second);
        assert!(!steady.held && steady.backlog_grew() && steady.moving().is_none(), "{steady:?}");
        assert!((steady.backlog_growth_percent.unwrap() - 100.0 * 20.0 / 1_020.0).abs() < 1e-9, "{steady:?}");
        assert!(with(&mut record, |_| 2, |_| 30_000).held);
    }

    #[test]
    fn with_several_block_sizes_bandwidth_has_to_stand_still_too() {
        let mut record = measured(50, |_| 1_000);
        record.plan.jobs[1].block_size = BlockSizes::one(ByteSize::kib(64));
        for (second, interval) in (0..).zip(&mut record.intervals) {
            // Ever more of the larger I/Os, and as many fewer of the others.
            interval.jobs[0].read = Some(counts(500 - 9 * second, Duration::from_millis(1)));
            interval.jobs[1].write = Some(OpCounts {
                bytes: (125 + 9 * second) << 16,
                ..counts(125 + 9 * second, Duration::from_millis(1))
            });
        }
        let steady = of(&record).unwrap();
        assert!(!steady.held && steady.iops.held());
        assert_eq!(steady.moving().unwrap().0, Changing::Bandwidth);
    }

    /// The same by hand: I/Os are laid on a grid of milliseconds, the line is fitted by its normal equations.
    fn slow_and_obvious(intervals_ms: &[(usize, u32)]) -> (bool, Rounds) {
        let mut grid = Vec::new();
        for (duration_ms, io_count) in intervals_ms {
            grid.extend(std::iter::repeat_n(f64::from(*io_count) / *duration_ms as f64, *duration_ms));
        }
        let length = grid.len() / 5;
        let mut rounds = [0.0; 5];
        for (round, iops) in rounds.iter_mut().enumerate() {
            let part = &grid[round * length..(round + 1) * length];
            *iops = part.iter().sum::<f64>() / (length as f64 / 1000.0);
        }
        let average = (rounds[0] + rounds[1] + rounds[2] + rounds[3] + rounds[4]) / 5.0;
        let mut sorted = rounds;
        sorted.sort_by(f64::total_cmp);
        let (n, sum_x, sum_xx) = (5.0, 10.0, 30.0);
        let sum_y: f64 = rounds.iter().sum();
        let sum_xy = rounds[1] + 2.0 * rounds[2] + 3.0 * rounds[3] + 4.0 * rounds[4];
        let slope = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
        let intercept = (sum_y - slope * sum_x) / n;
        let line = |x: f64| intercept + slope * x;
        let range_percent = (sorted[4] - sorted[0]) / average * 100.0;
        let slope_percent = (line(4.0) - line(0.0)) / average * 100.0;
        let held = range_percent <= 20.0 && slope_percent.abs() <= 10.0;
        (held, Rounds { range_percent, slope_percent, chance_percent: 0.0, rounds })
    }

    proptest! {
        #[test]
        fn the_answer_is_that_of_the_slow_and_obvious_way(
            intervals in prop::collection::vec((1usize..40, 1u32..10_000), 5..30)
        ) {
            // Durations in fives of milliseconds, so that the borders of rounds fall on the grid.
            let intervals_ms: Vec<_> = intervals.iter().map(|(ms, io_count)| (ms * 5, *io_count)).collect();
            let sums: Vec<_> = intervals_ms
                .iter()
                .map(|(ms, io_count)| Sums {
                    duration_s: *ms as f64 / 1000.0,
                    io_count: f64::from(*io_count),
                    bytes: 0.0,
                    open_io_count: 0.0,
                    open_latency_us: 0.0,
                    arrivals: Vec::new(),
                    backlog: Vec::new(),
                })
                .collect();
            let fast = of_rounds(in_rounds(&sums, |one| (one.io_count, one.duration_s)));
            let (held, slow) = slow_and_obvious(&intervals_ms);
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + a.abs().max(b.abs()));
            prop_assert!(close(fast.range_percent, slow.range_percent), "{fast:?} {slow:?}");
            prop_assert!(close(fast.slope_percent, slow.slope_percent), "{fast:?} {slow:?}");
            prop_assert!(fast.rounds.iter().zip(slow.rounds).all(|(a, b)| close(*a, b)), "{fast:?} {slow:?}");
            prop_assert_eq!(fast.held(), held);
        }
    }
}
