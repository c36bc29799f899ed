//! Measured figures beside the limits of the configuration that was measured: which limit was reached, or whether too
//! little was asked of it, or whether something was the limit that no catalog knows.

use std::collections::BTreeMap;

use iotrial_model::imported::TablePlace;
use iotrial_model::load::{Direction, Role};
use iotrial_model::record::AttributeValue;
use iotrial_model::subject::{Subject, SubjectRate};
use iotrial_model::table::PublishedTable;
use serde::Serialize;

use crate::chain::Chain;
use crate::configuration::{ConfigurationError, Resolved};
use crate::measure::{Load, LoadStream, Measure, grouped, is_sequential, is_shipped};
use crate::requirement::{Share, shares};

/// From so much of a limit on it counts as reached: vendors state limits in round numbers, and devices keep them to some
/// percent.
const REACHED_PERCENT: f64 = 95.0;
/// Beyond so much of a limit it is not the limit of what was measured. Published figures of a configuration at its limit reach 103 %:
/// vendors round, and devices are a little better than promised.
const MOST_PERCENT: f64 = 105.0;
/// From so many of the I/Os that were offered on, all of them count as in flight: the generator needs some time between
/// one and the next.
const IN_FLIGHT_PERCENT: f64 = 90.0;

/// The attributes by which people name the machine that was measured.
const MACHINE_KEYS: [&str; 6] = ["machine", "shape", "instance_type", "instance", "vm_size", "vm"];

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
    /// Why the figures may not be those of a device under this load: a simulation, a run that was cut short.
    pub caveats: Vec<String>,
    /// Streams of which only MiB/s are stated, so that the I/Os per second follow from them and the block size.
    pub derived: Vec<String>,
    /// What the measured configuration was, as far as it is told.
    pub attributes: BTreeMap<String, AttributeValue>,
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
    /// What a result measured, as far as it has rates by direction with a block size; `None` where it has none.
    pub fn of(subject: &Subject<'_>) -> Option<Self> {
        let rates = subject.rates();
        let streams = rates.iter().map(|rate| MeasuredStream {
            role: rate.role,
            direction: rate.direction,
            iops: rate.iops,
            block_size: rate.block_size_bytes,
            latency_mean_us: rate.latency_mean_us,
        });
        let mut notes: Vec<String> = rates.iter().filter_map(contradiction).collect();
        // Both directions of a total have the same one.
        notes.dedup();
        let mut derived: Vec<String> = rates.iter().filter(|rate| rate.is_derived).map(stream_name).collect();
        derived.dedup();
        (!rates.is_empty()).then(|| Self {
            label: subject.label.unwrap_or(subject.id).to_owned(),
            streams: streams.collect(),
            outstanding: subject.offered_outstanding().map(|offered| offered as f64),
            notes,
            caveats: Vec::new(),
            derived,
            attributes: subject.attributes.clone().into_owned(),
        })
    }

    /// Every row of a printed table that has rates.
    pub fn of_table(table: &PublishedTable) -> Vec<Self> {
        let records = table.records(&TablePlace::default());
        records.iter().filter_map(|record| Self::of(&Subject::of_imported(record))).collect()
    }

    /// The machine that it was measured on, where it is told and is another one.
    fn other_machine(&self, machine: &str) -> Option<String> {
        let told = MACHINE_KEYS.iter().find_map(|key| match self.attributes.get(*key) {
            Some(AttributeValue::Text(name)) => Some(name),
            _ => None,
        })?;
        let plain = |name: &str| -> String {
            name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
        };
        let (told_plain, own) = (plain(told), plain(machine));
        // People leave out the vendor's prefix, and add how many cores there were.
        let is_same = told_plain.is_empty() || own.contains(&told_plain) || told_plain.contains(&own);
        (!is_same).then(|| told.clone())
    }

    /// I/Os in flight on average, by Little's law: rate times latency. `None` where a latency is missing.
    pub fn in_flight(&self) -> Option<f64> {
        self.streams.iter().map(|stream| Some(stream.iops * stream.latency_mean_us? / 1e6)).sum()
    }
}

/// IOPS and MiB/s that cannot both be true at the size of the load: the IOPS stand for themselves then.
fn contradiction(rate: &SubjectRate<'_>) -> Option<String> {
    let (stated, sizes, rates) = (rate.facts.stated()?, rate.configured_sizes?, rate.contradiction?);
    let (iops, printed) = (stated.iops?.value, stated.bandwidth_mib_per_s?.value);
    let stream = stream_name(rate);
    let guess = if rates.is_in_mb_per_s() { "; the printed figure is in MB/s" } else { "" };
    Some(format!(
        "{stream}: {} IOPS of this size are {} MiB/s, but the result shows {printed}{guess}",
        grouped(iops),
        grouped(iops * sizes.middle() / 1_048_576.0)
    ))
}

fn stream_name(rate: &SubjectRate<'_>) -> String {
    if rate.is_of_both { "total".to_owned() } else { rate.direction.to_string() }
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
    /// More than a limit allows: these are figures of another configuration.
    OtherConfiguration,
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
    /// Why the figures may not be those of a device; absent where nothing speaks against it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<String>,
    /// Streams whose I/Os per second follow from MiB/s and block size; absent where all are stated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<String>,
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
        let shipped = &resolved.configuration.shipped;
        let log_is_apart = measurement.streams.iter().any(|stream| stream.role == Some(Role::Log));
        let streams = measurement.streams.iter().map(|stream| {
            Ok(LoadStream {
                pool: resolved.pool_of(stream.role)?,
                direction: stream.direction,
                iops: stream.iops,
                block_size: stream.block_size,
                is_sequential: is_sequential(stream.role),
                is_shipped: is_shipped(shipped, stream.role, log_is_apart),
            })
        });
        let load = Load { streams: streams.collect::<Result<_, ConfigurationError>>()? };
        let shares = shares(chain, &load);
        let in_flight = measurement.in_flight();
        let (bound_by, mut sentence) = match measurement.other_machine(&resolved.configuration.machine) {
            Some(other) => (vec![BoundBy::OtherConfiguration], other_machine_words(&other, resolved)),
            None => judge(&shares, in_flight, measurement.outstanding),
        };
        if bound_by.contains(&BoundBy::OtherConfiguration) && !measurement.attributes.is_empty() {
            let own = measurement.attributes.iter().map(|(name, value)| format!("{name} = {value}"));
            sentence.push_str(&format!("; measured with {}", own.collect::<Vec<_>>().join(", ")));
        }
        if !measurement.notes.is_empty() {
            sentence.push_str(" (from contradictory figures)");
        }
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
            caveats: measurement.caveats.clone(),
            derived: measurement.derived.clone(),
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
        reached.iter().map(|(part, count, range)| format!("{count} limited by {part} ({range})")).collect();
    let others = by_part(&by(BoundBy::OtherConfiguration));
    let concurrency = by(BoundBy::Concurrency).len();
    if concurrency > 0 {
        limited.push(format!("{concurrency} limited by the concurrency"));
    }
    let mut words = Vec::new();
    if !limited.is_empty() {
        words.push(limited.join(", "));
    }
    let below = by_part(&by(BoundBy::Unknown));
    words.extend(
        below
            .iter()
            .map(|(part, count, range)| format!("{count} below every limit, closest to {part} ({range})")),
    );
    words.extend(others.iter().map(|(part, count, range)| {
        format!("{count} not from this configuration, above the limit of {part} ({range})")
    }));
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

/// What becomes of figures of another machine: they say nothing of this one.
fn other_machine_words(other: &str, resolved: &Resolved<'_>) -> String {
    format!(
        "these figures are not from this configuration: they come from {other}, and this one has {}",
        resolved.configuration.machine
    )
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
    let limit = |share: &Share| format!("{:.0} % of {}", share.percent, share.in_words());
    if let Some(share) = fullest.filter(|share| share.percent > MOST_PERCENT) {
        let sentence = format!(
            "these figures are not from this configuration, which cannot reach them: {} ({})",
            share.written(),
            limit(share)
        );
        return (vec![BoundBy::OtherConfiguration], sentence);
    }
    match (reached, fullest, full_queue) {
        (Some(share), _, queue_state) => {
            let mut bound_by = vec![BoundBy::Configuration];
            let mut sentence =
                format!("the configuration was the limit: {} ({})", share.written(), limit(share));
            if queue_state.is_some_and(|(_, _, is_full)| is_full) {
                bound_by.push(BoundBy::Concurrency);
                sentence.push_str(&format!(
                    "; {}, so more outstanding I/Os would only wait",
                    queue.unwrap_or_default()
                ));
            }
            (bound_by, sentence)
        }
        (None, Some(share), Some((_, _, true))) => (
            vec![BoundBy::Concurrency],
            format!(
                "the concurrency was the limit: {}, and the load reached at most {} ({}); more outstanding I/Os would give more",
                queue.unwrap_or_default(),
                limit(share),
                share.written()
            ),
        ),
        (None, Some(share), Some((_, _, false))) => (
            vec![BoundBy::Unknown],
            format!(
                "the limit is unknown: only {}, and the load reached at most {} ({})",
                queue.unwrap_or_default(),
                limit(share),
                share.written()
            ),
        ),
        (None, Some(share), None) => (
            vec![BoundBy::Unknown],
            format!(
                "no limit was reached: the load used at most {} ({}). Without outstanding I/Os and latency, it is not known whether concurrency was the limit",
                limit(share),
                share.written()
            ),
        ),
        (None, None, _) => {
            (vec![BoundBy::Unknown], "the catalog has no limit for this configuration".to_owned())
        }
    }
}
