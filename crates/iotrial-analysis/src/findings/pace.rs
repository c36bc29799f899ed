//! The pace of a load: what the device did in each interval, for the findings that look at rates over time.

use iotrial_model::load::Direction;
use iotrial_model::plan::{Arrival, EngineKind, Job, PhaseKind, Plan};
use iotrial_model::record::{Interval, OpCounts, RunRecord};

/// One interval, all jobs together but those that come in bursts, whose rate changes by plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pace {
    pub(super) phase: PhaseKind,
    /// From the start of the load.
    pub(super) start_s: f64,
    pub(super) duration_s: f64,
    pub(super) iops: f64,
    pub(super) mib_per_s: f64,
    /// Sum of the latencies of the I/Os that completed in it.
    total_latency_s: f64,
    shortest_latency_s: Option<f64>,
}

impl Pace {
    /// Every whole interval of all phases; none where no device was behind the load. What a stop or the end of a phase cut
    /// short is left out, because its edges weigh too much.
    pub(super) fn of(record: &RunRecord) -> Vec<Self> {
        if record.plan.engine == EngineKind::Null {
            return Vec::new();
        }
        let whole_s = 0.9 * record.plan.interval.as_secs_f64();
        record
            .intervals
            .iter()
            .filter(|interval| interval.duration.as_secs_f64() >= whole_s)
            .map(|interval| Self::of_interval(interval, &record.plan))
            .collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "rates to 15 digits")]
    fn of_interval(interval: &Interval, plan: &Plan) -> Self {
        let comes_in_bursts = |job: &Job| matches!(job.arrival, Arrival::Open { bursts: Some(_), .. });
        let jobs = || interval.jobs.iter().zip(&plan.jobs).filter(|(_, job)| !comes_in_bursts(job));
        let counts =
            || jobs().flat_map(|(counts, _)| Direction::ALL.into_iter().filter_map(|one| counts.get(one)));
        let duration_s = interval.duration.as_secs_f64();
        let total_latency =
            |one: &OpCounts| one.total_latency.mean_us().unwrap_or_default() / 1e6 * one.io_count() as f64;
        let shortest = counts().filter_map(|one| one.total_latency.min()).min();
        Self {
            phase: interval.phase,
            start_s: interval.start.as_secs_f64(),
            duration_s,
            iops: counts().map(OpCounts::io_count).sum::<u64>() as f64 / duration_s,
            mib_per_s: counts().map(|one| one.bytes).sum::<u64>() as f64 / duration_s / 1_048_576.0,
            total_latency_s: counts().map(total_latency).sum(),
            shortest_latency_s: shortest.map(|latency| latency.as_secs_f64()),
        }
    }
}

/// I/Os in flight on average, by Little's law.
pub(super) fn in_flight(paces: &[Pace]) -> f64 {
    let duration_s: f64 = paces.iter().map(|pace| pace.duration_s).sum();
    paces.iter().map(|pace| pace.total_latency_s).sum::<f64>() / duration_s
}

/// The shortest latency of all: what one I/O takes on a device that is idle, as the first ones of a load find it.
pub(super) fn shortest_latency_s(paces: &[Pace]) -> Option<f64> {
    paces.iter().filter_map(|pace| pace.shortest_latency_s).min_by(f64::total_cmp)
}

/// Whether the load kept the device under pressure: half or more of the I/Os that may be outstanding were. An open load
/// that the device carries does not, and its rate is what was asked for, not what the device can do.
pub(super) fn is_pressed(record: &RunRecord, paces: &[Pace]) -> bool {
    in_flight(paces) >= 0.5 * f64::from(record.plan.total_iodepth())
}

/// The middle of the values, by size.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Whether all but one value of twenty lie within `percent` of `level`.
pub(super) fn is_flat(values: impl Iterator<Item = f64>, level: f64, percent: f64) -> bool {
    let (mut count, mut outside) = (0, 0);
    for value in values {
        count += 1;
        outside += usize::from((value / level - 1.0).abs() > percent / 100.0);
    }
    level > 0.0 && outside * 20 <= count
}
