//! Measured figures beside the limits of the configuration that was measured: which limit was reached, or whether too
//! little was asked of it, or whether something was the limit that no catalog knows.

use iotrial_model::imported::ImportedRecord;
use iotrial_model::load::{Direction, Role};
use iotrial_model::plan::Arrival;
use iotrial_model::record::RunRecord;
use iotrial_model::table::{PrintedRow, PublishedTable};
use serde::Serialize;

use crate::chain::Chain;
use crate::configuration::{ConfigurationError, Resolved};
use crate::measure::{Load, LoadStream, Measure, grouped};
use crate::requirement::{Share, shares};

/// From so much of a limit on it counts as reached: vendors state limits in round numbers, and devices keep them to some
/// percent.
const REACHED_PERCENT: f64 = 95.0;
/// From so many of the I/Os that were offered on, all of them count as in flight: the generator needs some time between
/// one and the next.
const IN_FLIGHT_PERCENT: f64 = 90.0;
/// Printed figures that differ by more do not describe the same measurement.
const CONTRADICTION_PERCENT: f64 = 2.0;

/// What somebody measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measurement {
    /// What it is called.
    pub label: String,
    /// Rates by role and direction, never empty.
    pub streams: Vec<MeasuredStream>,
    /// I/Os that were offered at once, where the load was closed and they are known.
    pub outstanding: Option<f64>,
    /// What contradicts itself in it.
    pub notes: Vec<String>,
}

/// I/O of one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredStream {
    /// What it was for.
    pub role: Option<Role>,
    /// Reads or writes.
    pub direction: Direction,
    /// I/Os per second.
    pub iops: f64,
    /// Mean size of an I/O.
    pub block_size: f64,
    /// What one took on average.
    pub latency_mean_us: Option<f64>,
}

impl Measurement {
    /// What a run measured.
    #[expect(clippy::cast_precision_loss, reason = "rates to 15 digits")]
    pub fn of_record(record: &RunRecord) -> Self {
        let seconds = record.measured_duration().as_secs_f64();
        let mut streams = Vec::new();
        for (job, counts) in record.plan.jobs.iter().zip(&record.jobs) {
            for direction in Direction::ALL {
                let Some(counts) = counts.get(direction).filter(|counts| counts.io_count() > 0) else {
                    continue;
                };
                let io_count = counts.io_count() as f64;
                streams.push(MeasuredStream {
                    role: Some(job.role),
                    direction,
                    iops: io_count / seconds,
                    block_size: counts.bytes as f64 / io_count,
                    latency_mean_us: counts.total_latency.mean_us(),
                });
            }
        }
        // What is issued when it is due is not limited by what may be in flight.
        let is_closed = record.plan.jobs.iter().all(|job| job.arrival == Arrival::Closed);
        Self {
            label: record.label.clone().unwrap_or_else(|| record.id.clone()),
            streams,
            outstanding: is_closed.then(|| f64::from(record.plan.total_iodepth())),
            notes: Vec::new(),
        }
    }

    /// What another tool measured, as far as it states rates by direction with a block size or a bandwidth.
    #[expect(clippy::cast_precision_loss, reason = "rates to 15 digits")]
    pub fn of_imported(record: &ImportedRecord) -> Self {
        let mut streams = Vec::new();
        for job in &record.jobs {
            for (direction, stream) in [(Direction::Read, &job.ops.read), (Direction::Write, &job.ops.write)]
            {
                let Some(stream) = stream.as_ref().filter(|stream| !stream.is_idle()) else { continue };
                let counted = || Some(stream.io_count? as f64 / stream.runtime_s?.value);
                let Some(iops) =
                    stream.iops.map(|iops| iops.value).or_else(counted).filter(|iops| *iops > 0.0)
                else {
                    continue;
                };
                let by_bandwidth = stream.bandwidth_mib_per_s.map(|rate| rate.value * 1_048_576.0 / iops);
                let configured = job.load.block_size().map(|size| size.get() as f64);
                let Some(block_size) = configured.or(by_bandwidth) else { continue };
                let latency = stream.total_latency.mean_us.or(stream.completion_latency.mean_us);
                streams.push(MeasuredStream {
                    role: job.role,
                    direction,
                    iops,
                    block_size,
                    latency_mean_us: latency.map(|latency| latency.value),
                });
            }
        }
        let is_closed = record.jobs.iter().all(|job| !job.load.is_held_back());
        let offered: Option<u64> = record.jobs.iter().map(|job| job.load.total_outstanding()).sum();
        Self {
            label: record.label.clone().unwrap_or_else(|| record.id.clone()),
            streams,
            outstanding: offered.filter(|offered| is_closed && *offered > 0).map(|offered| offered as f64),
            notes: Vec::new(),
        }
    }

    /// Every row of a printed table that has rates.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub fn of_table(table: &PublishedTable) -> Vec<Self> {
        let offered = |row: &PrintedRow| {
            if let Some(outstanding) = row.load.as_ref().and_then(|load| load.outstanding) {
                return Some(outstanding as f64);
            }
            let jobs: Option<Vec<u64>> =
                table.jobs.iter().map(|job| Some(job.iodepth? * job.numjobs.unwrap_or(1))).collect();
            jobs.filter(|jobs| !jobs.is_empty()).map(|jobs| jobs.iter().sum::<u64>() as f64)
        };
        table.rows.iter().filter_map(|row| Self::of_row(row, offered(row))).collect()
    }

    fn of_row(row: &PrintedRow, outstanding: Option<f64>) -> Option<Self> {
        let load = row.load.as_ref();
        let mut measurement = Self { label: row.label.clone(), outstanding, ..Self::default() };
        for (name, direction) in [("read", Direction::Read), ("write", Direction::Write)] {
            if let Some((iops, block_size)) = printed_rate(row, name, &mut measurement.notes) {
                let latency = row.figure(&format!("{name}.lat_mean_us")).map(|number| number.value);
                measurement.streams.push(MeasuredStream {
                    role: None,
                    direction,
                    iops,
                    block_size,
                    latency_mean_us: latency,
                });
            }
        }
        if measurement.streams.is_empty()
            && let Some((iops, block_size)) = printed_rate(row, "total", &mut measurement.notes)
        {
            // Without the share of reads nobody knows what of it went in which direction.
            let read = load.and_then(|load| load.read_percent)? / 100.0;
            let latency_mean_us = row.figure("total.lat_mean_us").map(|number| number.value);
            let part = |direction, share: f64| MeasuredStream {
                role: None,
                direction,
                iops: iops * share,
                block_size,
                latency_mean_us,
            };
            let parts = [part(Direction::Read, read), part(Direction::Write, 1.0 - read)];
            measurement.streams.extend(parts.into_iter().filter(|stream| stream.iops > 0.0));
        }
        (!measurement.streams.is_empty()).then_some(measurement)
    }

    /// I/Os in flight on average, by Little's law: rate times latency. `None` where a latency is missing.
    pub fn in_flight(&self) -> Option<f64> {
        self.streams.iter().map(|stream| Some(stream.iops * stream.latency_mean_us? / 1e6)).sum()
    }
}

/// IOPS and block size as printed: the IOPS stand for themselves, the size is the one of the load where it is known.
#[expect(clippy::cast_precision_loss, reason = "block sizes are small")]
fn printed_rate(row: &PrintedRow, stream: &str, notes: &mut Vec<String>) -> Option<(f64, f64)> {
    let iops = row.figure(&format!("{stream}.iops"))?.value;
    let printed = row.figure(&format!("{stream}.bandwidth_mib_per_s"));
    let known = row.load.as_ref().and_then(|load| load.block_size).map(|size| size.get() as f64);
    if iops <= 0.0 {
        return None;
    }
    match (known, printed) {
        (Some(block_size), Some(printed)) => {
            let mib_per_s = iops * block_size / 1_048_576.0;
            if (printed.value / mib_per_s - 1.0).abs() * 100.0 > CONTRADICTION_PERCENT {
                let is_decimal = (printed.value / (mib_per_s * 1.048_576) - 1.0).abs() < 0.002;
                let guess = if is_decimal { "; the printed figure is in MB/s" } else { "" };
                notes.push(format!(
                    "{stream}: {} IOPS of this size are {} MiB/s, and {} are printed{guess}",
                    grouped(iops),
                    grouped(mib_per_s),
                    printed.text
                ));
            }
            Some((iops, block_size))
        }
        (Some(block_size), None) => Some((iops, block_size)),
        (None, Some(printed)) => Some((iops, printed.value * 1_048_576.0 / iops)),
        (None, None) => None,
    }
}

/// What was the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundBy {
    /// A limit of the configuration that the catalog knows.
    Configuration,
    /// As much was in flight as was offered, and the configuration can do more.
    Concurrency,
    /// Neither, as far as it can be told.
    Unknown,
}

/// A measurement beside the limits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasuredAgainst {
    /// What it is called.
    pub label: String,
    /// I/Os per second in all.
    pub iops: f64,
    /// Bytes per second in all.
    pub bandwidth_bytes_per_s: f64,
    /// How much of each limit, the fullest first.
    pub shares: Vec<Share>,
    /// On average, by Little's law; absent where latencies are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<f64>,
    /// What was offered at once; absent where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outstanding: Option<f64>,
    /// Everything that was at its limit; never empty.
    pub bound_by: Vec<BoundBy>,
    /// That in words.
    pub sentence: String,
    /// What contradicts itself in the measurement.
    pub notes: Vec<String>,
}

impl MeasuredAgainst {
    /// Holds a measurement against the limits of a configuration.
    ///
    /// # Errors
    ///
    /// When a role lies on no pool, or on several.
    pub fn new(
        measurement: &Measurement,
        resolved: &Resolved<'_>,
        chain: &Chain,
    ) -> Result<Self, ConfigurationError> {
        let streams = measurement.streams.iter().map(|stream| {
            Ok(LoadStream {
                pool: resolved.pool_of(stream.role)?,
                direction: stream.direction,
                iops: stream.iops,
                block_size: stream.block_size,
            })
        });
        let load = Load { streams: streams.collect::<Result<_, ConfigurationError>>()? };
        let shares = shares(chain, &load);
        let in_flight = measurement.in_flight();
        let (bound_by, sentence) = judge(&shares, in_flight, measurement.outstanding);
        Ok(Self {
            label: measurement.label.clone(),
            iops: load.iops(),
            bandwidth_bytes_per_s: load.bandwidth(),
            shares,
            in_flight,
            outstanding: measurement.outstanding,
            bound_by,
            sentence,
            notes: measurement.notes.clone(),
        })
    }
}

/// What was the limit of several measurements of one configuration, in one sentence; `None` of fewer than two.
pub fn together(measured: &[MeasuredAgainst]) -> Option<String> {
    if measured.len() < 2 {
        return None;
    }
    let by = |bound: BoundBy| {
        let first = move |one: &&MeasuredAgainst| one.bound_by.first() == Some(&bound);
        measured.iter().filter(first).collect::<Vec<_>>()
    };
    let reached = by_part(&by(BoundBy::Configuration));
    let mut limited: Vec<String> =
        reached.iter().map(|(part, count, range)| format!("{count} by {part} ({range})")).collect();
    let concurrency = by(BoundBy::Concurrency).len();
    if concurrency > 0 {
        limited.push(format!("{concurrency} by the concurrency"));
    }
    let mut words = Vec::new();
    if !limited.is_empty() {
        words.push(format!("limited {}", limited.join(", ")));
    }
    let below = by_part(&by(BoundBy::Unknown));
    words.extend(
        below
            .iter()
            .map(|(part, count, range)| format!("{count} below every limit, nearest to {part} ({range})")),
    );
    Some(format!("{} measurements: {}", measured.len(), words.join("; ")))
}

/// The parts to which measurements came nearest: how many, and how near (`75 to 89 %`); the part with the most first.
fn by_part(measured: &[&MeasuredAgainst]) -> Vec<(String, usize, String)> {
    let mut parts: Vec<(&str, Vec<f64>)> = Vec::new();
    for share in measured.iter().filter_map(|one| one.shares.first()) {
        match parts.iter_mut().find(|(part, _)| *part == share.element) {
            Some((_, percents)) => percents.push(share.percent),
            None => parts.push((&share.element, vec![share.percent])),
        }
    }
    parts.sort_by_key(|(_, percents)| std::cmp::Reverse(percents.len()));
    let words = |percents: &[f64]| {
        let least = percents.iter().copied().fold(f64::INFINITY, f64::min);
        let most = percents.iter().copied().fold(0.0, f64::max);
        let range = match (format!("{least:.0}"), format!("{most:.0}")) {
            (least, most) if least == most => least,
            (least, most) => format!("{least} to {most}"),
        };
        format!("{range} %")
    };
    parts.into_iter().map(|(part, percents)| (part.to_owned(), percents.len(), words(&percents))).collect()
}

/// What was the limit, and that in words.
fn judge(shares: &[Share], in_flight: Option<f64>, outstanding: Option<f64>) -> (Vec<BoundBy>, String) {
    let fullest = shares.iter().find(|share| share.measure != Measure::Outstanding);
    let reached = fullest.filter(|share| share.percent >= REACHED_PERCENT);
    let full_queue = match (in_flight, outstanding) {
        (Some(in_flight), Some(outstanding)) => {
            Some((in_flight, outstanding, 100.0 * in_flight / outstanding >= IN_FLIGHT_PERCENT))
        }
        _ => None,
    };
    let queue = full_queue.map(|(in_flight, outstanding, _)| {
        format!("{} of the {} I/Os offered were in flight", grouped(in_flight.round()), grouped(outstanding))
    });
    let limit = |share: &Share| format!("{:.0} % of {}, {}", share.percent, share.element, share.measure);
    match (reached, fullest, full_queue) {
        (Some(share), _, queue_state) => {
            let mut bound_by = vec![BoundBy::Configuration];
            let mut sentence =
                format!("the configuration was the limit: {} ({})", share.written(), limit(share));
            if queue_state.is_some_and(|(_, _, is_full)| is_full) {
                bound_by.push(BoundBy::Concurrency);
                sentence
                    .push_str(&format!("; {}, so more of them would only wait", queue.unwrap_or_default()));
            }
            (bound_by, sentence)
        }
        (None, Some(share), Some((_, _, true))) => (
            vec![BoundBy::Concurrency],
            format!(
                "the concurrency was the limit: {}, and the nearest limit of the configuration was used to {} ({}); more outstanding I/Os would bring more",
                queue.unwrap_or_default(),
                limit(share),
                share.written()
            ),
        ),
        (None, Some(share), Some((_, _, false))) => (
            vec![BoundBy::Unknown],
            format!(
                "something unknown was the limit: only {}, and the nearest limit was used to {} ({})",
                queue.unwrap_or_default(),
                limit(share),
                share.written()
            ),
        ),
        (None, Some(share), None) => (
            vec![BoundBy::Unknown],
            format!(
                "no limit was reached, the nearest was used to {} ({}); without outstanding I/Os and latency nobody can tell whether the concurrency was the limit",
                limit(share),
                share.written()
            ),
        ),
        (None, None, _) => {
            (vec![BoundBy::Unknown], "the catalog knows no limit of this configuration".to_owned())
        }
    }
}
