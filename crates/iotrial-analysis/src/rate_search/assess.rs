//! What one load of a search says: whether everything that has a limit stayed within it.

use std::time::Duration;

use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::latency_limit::LimitStatistic;
use iotrial_model::load::Role;
use iotrial_model::plan::{Arrival, Job, PhaseKind, Plan};
use iotrial_model::record::{Interval, OpCounts};
use iotrial_model::search::{NotHeld, WorstLatency};
use iotrial_model::stream::Stream;
use iotrial_model::subject::{Facts, Subject, SubjectJob};

use super::limits::{Limits, StreamLimit};
use crate::figures::percentile_us;
use crate::findings::Observed;
use crate::generator_part::{AgainstLimit, StreamLatency, intervals_left_alone, is_open};
use crate::stream::judged_streams;

/// Share of what was due by which a queue may grow before the rate counts as not kept.
// One percent, as for the steady state: below that the queue's ups and downs decide.
const MOST_GROWTH: f64 = 0.01;
/// A queue without drift wanders by no more than this multiple of the root of twice what was due: four
/// standard deviations of arrivals and completions that are both left to chance.
// Arrivals vary by √n and so do completions, together by √(2n). Chance exceeds four deviations once in 30,000
// probes.
const MOST_WANDERING: f64 = 4.0;
/// Share of failed I/Os above which it counts as another load.
// As in the finding `io-errors`.
const MOST_ERRORS: f64 = 0.001;

/// Every role and stream of the plan that is judged.
pub(super) fn streams(plan: &Plan) -> impl Iterator<Item = (Role, Stream)> {
    plan.roles()
        .into_iter()
        .flat_map(move |role| judged_streams(plan, role).into_iter().map(move |stream| (role, stream)))
}

/// The stream with the fewest I/Os of a load, in words, and how many it did a second. Rarest at saturation is rarest at any share of
/// it, since the mix is kept.
pub(super) fn rarest_stream(plan: &Plan, subject: &Subject<'_>) -> (String, f64) {
    let measured_s = subject.measured.unwrap_or_default().as_secs_f64();
    let rates = streams(plan).map(|(role, stream)| {
        let counts = stream.counts_of(subject, Some(role));
        (format!("{role} {stream}"), counts.io_count() as f64 / measured_s)
    });
    rates.min_by(|a, b| a.1.total_cmp(&b.1)).expect("a plan has jobs")
}

/// What one load says about the limits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Assessed {
    /// What used up most of its limit.
    pub(super) worst: Option<WorstLatency>,
    /// Why the load does not stay within all limits; `None` where it does.
    pub(super) why_not: Option<NotHeld>,
    /// Whether that is so however late the generator was.
    pub(super) is_sure: bool,
    /// Whether what the generator made of it is the only reason that is known.
    pub(super) is_by_generator: bool,
}

/// Compares a load with the limits.
pub(super) fn assess(plan: &Plan, subject: &Subject<'_>, limits: &Limits) -> Assessed {
    let (found, missing) = worst_latency(plan, subject, limits, true);
    let failing = found.as_ref().filter(|one| !one.against.holds());
    let not_kept = rate_not_kept(plan, subject);
    // A rate that stands still while I/Os wait is that of a limit, whoever waited for a CPU.
    let is_limited = not_kept.is_some() && Observed::of(subject).has_flat_limit();
    let is_sure = is_limited || failing.is_some_and(|one| one.against.is_sure());
    let is_by_generator = failing.is_some_and(|one| !is_sure && is_open(subject, one.latency.role));
    let too_slow = failing.map(|one| NotHeld::TooSlow {
        worst: one.latency.clone(),
        has_one_limit: limits.one_latency().is_some(),
    });
    // In this order: with errors it is another load, and with a growing queue the latency is whatever the end
    // of the run makes it.
    let why_not = errors(subject).or(not_kept).or(missing).or(too_slow);
    Assessed { worst: found.map(|one| one.latency), why_not, is_sure, is_by_generator }
}

fn errors(subject: &Subject<'_>) -> Option<NotHeld> {
    let facts = subject.all_facts();
    let failed_count: u64 = facts.iter().filter_map(|one| one.error_count()).sum();
    let io_count: u64 = failed_count + facts.iter().filter_map(|one| one.io_count()).sum::<u64>();
    // Compared as a product, so that no I/O at all does not divide by zero.
    (failed_count as f64 > MOST_ERRORS * io_count as f64)
        .then_some(NotHeld::Errors { failed_count, io_count })
}

/// What arrives at a job that does not set its own pace, by the second, and how much of that only made its
/// queue longer.
struct Arriving {
    rate: f64,
    growth: f64,
    /// Whether the queue grew all the while, and by more than chance lets it.
    drifts: bool,
}

impl Arriving {
    /// `None` for a closed load. Of a group commit it is commits that arrive.
    fn at(plan: &Plan, subject: &Subject<'_>, index: usize) -> Option<Self> {
        let intervals = subject.intervals.counted();
        // The backlog at the end of the ramp is where the measured phase begins.
        let before = intervals.iter().take_while(|one| one.phase != PhaseKind::Measure).last();
        let backlog = |interval: Option<&Interval>| {
            interval.and_then(|one| one.backlog.get(index)).copied().unwrap_or_default() as f64
        };
        let measured_s = subject.measured?.as_secs_f64();
        let growth = (backlog(intervals.last()) - backlog(before)) / measured_s;
        let rate = match plan.jobs[index].arrival {
            Arrival::Closed => return None,
            Arrival::Open { iops, .. } => iops,
            // What follows has no rate of its own: what arrived is what was done and what is left.
            Arrival::Following { .. } => {
                growth + subject.jobs.get(index).map_or(0, arrived_count) as f64 / measured_s
            }
        };
        let middle = subject.measured_intervals().nth(subject.measured_intervals().count() / 2);
        let grown = [growth * measured_s, backlog(middle) - backlog(before)];
        let wandering = MOST_WANDERING * (2.0 * rate * measured_s).sqrt();
        // A queue that drifts has half of its growth in each half of the time; one that a moment filled has
        // all of it in one.
        let is_even = (0.25..0.75).contains(&(grown[1] / grown[0]));
        Some(Self { rate, growth, drifts: grown[0] > wandering && is_even })
    }
}

/// What arrived at a job and was done.
fn arrived_count(job: &SubjectJob<'_>) -> u64 {
    job.arrivals().filter_map(Facts::io_count).sum()
}

/// The queue of a job grew over the measured phase.
fn rate_not_kept(plan: &Plan, subject: &Subject<'_>) -> Option<NotHeld> {
    plan.jobs.iter().enumerate().find_map(|(index, job)| {
        let Arriving { rate, growth, drifts } = Arriving::at(plan, subject, index)?;
        // Kept is what arrived less what only made the queue longer.
        (drifts || growth > MOST_GROWTH * rate).then(|| NotHeld::NotIssued {
            job: job.name.clone(),
            kept_iops: rate - growth,
            asked_iops: rate,
        })
    })
}

/// A latency beside its limit.
pub(super) struct LimitedLatency {
    pub(super) latency: WorstLatency,
    against: AgainstLimit,
}

/// The statistic that used up most of its limit, and a stream that should have one and has none. Where `counts_waiting`, I/Os that waited
/// longer than the limit when the load ended count with the least that they can have waited; of a closed load that is not asked.
pub(super) fn worst_latency(
    plan: &Plan,
    subject: &Subject<'_>,
    limits: &Limits,
    counts_waiting: bool,
) -> (Option<LimitedLatency>, Option<NotHeld>) {
    let mut worst: Option<LimitedLatency> = None;
    let mut missing = None;
    for (role, stream) in streams(plan) {
        let counts = stream.counts_of(subject, Some(role));
        for limit in limits.of(role, stream) {
            let mut shown = counts.total_latency.clone();
            let with_device = waiting_with_device(&counts, limit);
            if counts_waiting {
                add_waiting(&mut shown, &counts, plan, subject, (role, stream), limit);
            }
            let Some(shown_us) = value_of(&shown, limit.statistic) else {
                missing = Some(NotHeld::NothingCompleted(role, stream));
                continue;
            };
            if !limit.is_judged(shown.io_count(), &counts) {
                continue;
            }
            let against = StreamLatency {
                counts: &counts,
                shown_us,
                waiting_count: if counts_waiting { with_device } else { 0 },
                is_open: counts_waiting && is_open(subject, role),
                intervals_share: intervals_left_alone(subject, role, stream),
            };
            let found = LimitedLatency::new(
                (role, stream),
                limit,
                shown_us,
                against.against(limit.statistic, |us| limit.holds(us)),
            );
            // What misses its limit for sure comes before what misses it, and that before what only comes close to its own.
            if worst.as_ref().is_none_or(|other| found.rank() > other.rank()) {
                worst = Some(found);
            }
        }
    }
    (worst, missing)
}

impl LimitedLatency {
    fn new((role, stream): (Role, Stream), limit: StreamLimit, shown_us: f64, against: AgainstLimit) -> Self {
        let (latency_us, untouched) = match against {
            AgainstLimit::HoldsUntouched(us, untouched) | AgainstLimit::FailsUntouched(us, untouched) => {
                (us, Some(untouched))
            }
            _ => (shown_us, None),
        };
        let latency = WorstLatency {
            role,
            stream,
            statistic: Some(limit.statistic.to_string()),
            latency_us,
            limit_us: Some(limit.limit_us),
            untouched,
        };
        Self { latency, against }
    }

    fn rank(&self) -> (bool, bool, f64) {
        let fails = !self.against.holds();
        let share = self.latency.latency_us / self.latency.limit_us.unwrap_or(f64::INFINITY);
        (fails && self.against.is_sure(), fails, share)
    }
}

/// I/Os beyond the limit that the device still had at the end.
fn waiting_with_device(counts: &OpCounts, limit: StreamLimit) -> u64 {
    let is_beyond = |age: Duration| !limit.holds(age.as_secs_f64() * 1e6);
    counts.unfinished_age.buckets().filter(|(age, _)| is_beyond(*age)).map(|(_, count)| count).sum()
}

pub(super) fn value_of(latency: &LatencyHistogram, statistic: LimitStatistic) -> Option<f64> {
    match statistic {
        LimitStatistic::Mean => latency.mean_us(),
        LimitStatistic::Percentile(percent) => percentile_us(latency, percent),
    }
}

/// Adds what was with the device or not even issued at the end, and had waited for longer than `limit` by
/// then. Its latency is longer still. What had waited for less says nothing yet, and could only make the rate
/// look better.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a latency limit is positive and below hours"
)]
fn add_waiting(
    shown: &mut LatencyHistogram,
    counts: &OpCounts,
    plan: &Plan,
    subject: &Subject<'_>,
    (role, stream): (Role, Stream),
    limit: StreamLimit,
) {
    let limit = Duration::from_nanos((limit.limit_us * 1e3) as u64);
    add_longer(shown, &counts.unfinished_age, limit, 1.0);
    for (job, done) in plan.jobs.iter().zip(&subject.jobs).filter(|(job, _)| job.role == role) {
        // What was never issued has no direction yet; the mix divides it.
        let share = stream_share(job, stream);
        done.not_issued_age.into_iter().for_each(|ages| {
            add_longer(shown, ages, limit, share);
        });
    }
}

/// Adds a share of those ages that are above the limit.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a count")]
fn add_longer(latency: &mut LatencyHistogram, ages: &LatencyHistogram, limit: Duration, share: f64) {
    // What a bucket's share leaves goes to the next one: many buckets hold a single I/O.
    let mut left = 0.0;
    for (age, count) in ages.buckets().filter(|(age, _)| *age > limit) {
        left += count as f64 * share;
        // Rounded down, with the rest carried over, so that no more are added than there are.
        latency.record_n(age, left as u64);
        left -= left.floor();
    }
}

/// The share of what arrives at a job that belongs to the stream.
pub(super) fn stream_share(job: &Job, stream: Stream) -> f64 {
    let read_share = f64::from(job.rwmix_read_percent) / 100.0;
    match stream {
        Stream::Commit if job.group_commit.is_some() => 1.0,
        _ if job.group_commit.is_some() => 0.0,
        Stream::Read => read_share,
        Stream::Write => 1.0 - read_share,
        Stream::Commit if job.is_commit() => 1.0 - read_share,
        Stream::Commit | Stream::Mixed => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::load::{GroupCommit, LogTail};
    use iotrial_model::record::RunRecord;
    use iotrial_model::units::ByteSize;

    use super::*;
    use crate::test_record::healthy;

    fn grouped(record: &mut RunRecord) {
        record.plan.jobs[1].group_commit = Some(GroupCommit {
            commit_size: ByteSize::bytes(700),
            largest_write: ByteSize::kib(60),
            tail: LogTail::Pad,
        });
    }

    #[test]
    fn what_arrives_at_a_job_belongs_to_its_streams_by_the_mix() {
        let mut record = healthy();
        let shares = |job: &Job| {
            [Stream::Read, Stream::Write, Stream::Commit, Stream::Mixed]
                .map(|stream| stream_share(job, stream))
        };
        record.plan.jobs[0].rwmix_read_percent = 70;
        let of_data = shares(&record.plan.jobs[0]);
        assert!(
            of_data
                .iter()
                .zip([0.7, 0.3, 0.0, 0.0])
                .all(|(share, expected)| (share - expected).abs() < 1e-12)
        );
        assert_eq!(shares(&record.plan.jobs[1]), [0.0, 1.0, 1.0, 0.0]);
        grouped(&mut record);
        assert_eq!(shares(&record.plan.jobs[1]), [0.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn the_writes_of_a_log_that_commits_in_groups_have_no_limit_of_their_own() {
        let mut record = healthy();
        let all = |record: &RunRecord| streams(&record.plan).collect::<Vec<_>>();
        let of_data = [(Role::Data, Stream::Read), (Role::Data, Stream::Write)];
        let commits = (Role::Log, Stream::Commit);
        assert_eq!(all(&record), [of_data[0], of_data[1], commits]);
        grouped(&mut record);
        assert_eq!(all(&record), [of_data[0], of_data[1], commits]);
        // Beside writes of another job of the role they have.
        let mut other = record.plan.jobs[0].clone();
        (other.name, other.role) = ("other".to_owned(), Role::Log);
        record.plan.jobs.push(other);
        assert!(all(&record).contains(&(Role::Log, Stream::Write)));
    }

    #[test]
    fn one_failed_io_of_a_thousand_is_borne() {
        let failing = |count: u64| {
            let mut record = healthy();
            let all: u64 = record
                .jobs
                .iter()
                .flat_map(|job| job.read.iter().chain(&job.write))
                .map(OpCounts::io_count)
                .sum();
            assert_eq!(all, 5_400_000);
            record.jobs[0].read.as_mut().unwrap().error_count = count;
            errors(&Subject::of_run(&record)).is_some()
        };
        assert!(!failing(5_405) && failing(5_406));
    }
}
