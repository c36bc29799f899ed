//! Measured figures beside the limits of the configuration that was measured: which limit was reached, or whether too
//! little was asked of it, or whether something was the limit that no catalog knows.

use std::collections::BTreeMap;

use iotrial_model::imported::TablePlace;
use iotrial_model::load::{Direction, Role};
use iotrial_model::record::AttributeValue;
use iotrial_model::subject::{Subject, SubjectRate};
use iotrial_model::table::PublishedTable;
use serde::Serialize;

use crate::chain::{Chain, ElementKind};
use crate::configuration::{ConfigurationError, Resolved};
use crate::measure::{Load, LoadStream, Measure, is_sequential, is_shipped};
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
    /// What more I/Os outstanding do, where another load shows it; `None` of a load by itself.
    pub deeper: Option<DeeperLoad>,
    /// What contradicts itself in it.
    pub contradictions: Vec<RateContradiction>,
    /// Why the figures may not be those of a device under this load: a simulation, a run that was cut short.
    pub caveats: Vec<String>,
    /// Streams of which only MiB/s are stated, so that the I/Os per second follow from them and the block size.
    pub derived: Vec<String>,
    /// What the measured configuration was, as far as it is told.
    pub attributes: BTreeMap<String, AttributeValue>,
}

/// What a load of the same kind with more I/Os outstanding does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeeperLoad {
    /// A higher rate.
    DoesMore,
    /// The same rate, with longer latencies: the ceiling is reached.
    DoesNoMore,
}

/// From so many times the I/Os outstanding on, another load shows what more of them do.
const DEEPER: f64 = 1.5;
/// A rate that is so many times as high is higher: below, repeats of one load differ as much.
const HIGHER_RATE: f64 = 1.1;
/// Block sizes and shares of the rate within this are those of one load.
const SAME_LOAD: f64 = 0.02;

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
    pub block_size_bytes: f64,
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
            block_size_bytes: rate.block_size_bytes,
            latency_mean_us: rate.latency_mean_us,
        });
        let mut contradictions: Vec<RateContradiction> =
            rates.iter().filter_map(RateContradiction::of).collect();
        // Both directions of a total have the same one.
        contradictions.dedup();
        let mut derived: Vec<String> = rates.iter().filter(|rate| rate.is_derived).map(stream_name).collect();
        derived.dedup();
        (!rates.is_empty()).then(|| Self {
            label: subject.label.unwrap_or(subject.id).to_owned(),
            streams: streams.collect(),
            outstanding: subject.offered_outstanding().map(|offered| offered as f64),
            deeper: None,
            contradictions,
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

    fn iops(&self) -> f64 {
        self.streams.iter().map(|stream| stream.iops).sum()
    }

    /// Whether another one has the same streams in the same proportions, on what is told to be the same.
    fn is_same_load(&self, other: &Self) -> bool {
        let is_near = |one: f64, other: f64| (one - other).abs() <= SAME_LOAD * one.max(other);
        let is_same = |(one, two): (&MeasuredStream, &MeasuredStream)| {
            (one.role, one.direction) == (two.role, two.direction)
                && is_near(one.block_size_bytes, two.block_size_bytes)
                && (one.iops / self.iops() - two.iops / other.iops()).abs() <= SAME_LOAD
        };
        self.attributes == other.attributes
            && self.streams.len() == other.streams.len()
            && self.streams.iter().zip(&other.streams).all(is_same)
    }

    /// Compares loads that differ only in the I/Os outstanding, where nothing else told what more of them do.
    pub fn compare_depths(all: &mut [Self]) {
        let deeper = |one: &Self| {
            let outstanding = one.outstanding?;
            // Of several, the highest rate: a load far deeper may be beyond the best one.
            let others = all.iter().filter(|other| {
                other.outstanding.is_some_and(|other| other >= DEEPER * outstanding)
                    && one.is_same_load(other)
            });
            let most = others.map(Self::iops).max_by(f64::total_cmp);
            let shallower = || {
                let is_shallower = |other: &&Self| {
                    other.outstanding.is_some_and(|other| outstanding >= DEEPER * other)
                        && one.is_same_load(other)
                };
                all.iter().filter(is_shallower).map(Self::iops).max_by(f64::total_cmp)
            };
            match most {
                Some(most) if most >= HIGHER_RATE * one.iops() => Some(DeeperLoad::DoesMore),
                Some(_) => Some(DeeperLoad::DoesNoMore),
                // The deepest one is at the ceiling if a clearly shallower one did as much.
                None => {
                    shallower().filter(|less| one.iops() < HIGHER_RATE * less).map(|_| DeeperLoad::DoesNoMore)
                }
            }
        };
        let found: Vec<Option<DeeperLoad>> =
            all.iter().map(|one| one.deeper.or_else(|| deeper(one))).collect();
        all.iter_mut().zip(found).for_each(|(one, found)| one.deeper = found);
    }

    /// I/Os in flight on average, by Little's law: rate times latency. `None` where a latency is missing.
    pub fn in_flight(&self) -> Option<f64> {
        self.streams.iter().map(|stream| Some(stream.iops * stream.latency_mean_us? / 1e6)).sum()
    }
}

/// IOPS and MiB/s that cannot both be true at the size of the load: the IOPS stand for themselves then.
#[derive(Debug, Clone, PartialEq)]
pub struct RateContradiction {
    /// Which stream.
    pub stream: String,
    /// I/Os per second that are stated.
    pub iops: f64,
    /// What they are at the size of the load.
    pub bandwidth_mib_per_s: f64,
    /// What is stated instead.
    pub stated_mib_per_s: f64,
    /// Whether that is right in MB/s.
    pub is_in_mb_per_s: bool,
}

impl RateContradiction {
    fn of(rate: &SubjectRate<'_>) -> Option<Self> {
        let (stated, sizes, rates) = (rate.facts.stated()?, rate.configured_sizes?, rate.contradiction?);
        let iops = stated.iops?.value;
        Some(Self {
            stream: stream_name(rate),
            iops,
            bandwidth_mib_per_s: iops * sizes.middle() / 1_048_576.0,
            stated_mib_per_s: stated.bandwidth_mib_per_s?.value,
            is_in_mb_per_s: rates.is_in_mb_per_s(),
        })
    }
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
    /// As much was in flight as was offered, and a deeper load does more.
    Concurrency,
    /// The storage itself, below every limit that the catalog knows: a deeper load does no more.
    Ceiling,
    /// Neither, as far as it can be told.
    Unknown,
    /// More than a limit allows: these are figures of another configuration.
    OtherConfiguration,
    /// More than a limit allows for good, and no more than it allows for a while: a burst, which ends.
    Burst,
}

/// What was the limit, with what shows it.
#[derive(Debug, Clone, PartialEq)]
pub enum MeasuredBound {
    /// The figures are of another machine, and say nothing of this one.
    OtherMachine {
        /// The machine that was measured.
        measured: String,
        /// The machine of the configuration.
        own: String,
    },
    /// The figures exceed this limit, and so are of another configuration.
    Beyond(Share),
    /// The figures exceed this limit, which the configuration does for a while.
    Burst {
        /// The limit that holds for good.
        share: Share,
        /// I/Os per second of this load that last.
        lasting_iops: f64,
    },
    /// This limit was reached.
    Configuration {
        /// The fullest limit.
        share: Share,
        /// What was in flight, where that was all that was offered: more would only wait.
        full: Option<InFlight>,
    },
    /// All that was offered was in flight, and a deeper load does more.
    Concurrency {
        /// The fullest limit.
        share: Share,
        /// What was in flight.
        full: InFlight,
    },
    /// A deeper load does no more, and no limit of the catalog was reached.
    Ceiling {
        /// The fullest limit.
        share: Share,
        /// As many of parallel parts as carry that much, where it is a whole number of them.
        part: Option<PartOfPath>,
    },
    /// All that was offered was in flight, as it always is in a closed load, and no other load shows what more would do.
    OneLoad {
        /// The fullest limit.
        share: Share,
        /// What was in flight.
        full: InFlight,
    },
    /// Neither was reached.
    Neither {
        /// The fullest limit.
        share: Share,
        /// What was in flight.
        in_flight: InFlight,
    },
    /// No limit was reached, and nobody knows what was in flight.
    NotInFlight(Share),
    /// The catalog has no limit for the configuration.
    NoLimit,
}

/// As much as some of several parallel parts carry: the others may be dead, or not used.
#[derive(Debug, Clone, PartialEq)]
pub struct PartOfPath {
    /// What one is called.
    pub name: String,
    /// How many carry the rate.
    pub used: u32,
    /// How many there are.
    pub count: u32,
}

/// What some of several parts carry is met within this: makers state what an adapter carries in round numbers.
const SAME_PART: f64 = 0.1;

impl PartOfPath {
    fn of(share: &Share, resolved: &Resolved<'_>) -> Option<Self> {
        let paths = resolved.catalog.paths.iter().chain(&resolved.machine.machine.paths);
        let path = paths
            .filter(|path| share.kind == ElementKind::Path && path.count > 1)
            .find(|path| share.element == format!("{} × {}", path.count, path.name))?;
        let carried = |used: &u32| share.most * f64::from(*used) / f64::from(path.count);
        let used = (1..path.count).find(|used| (share.used / carried(used) - 1.0).abs() <= SAME_PART)?;
        Some(Self { name: path.name.clone(), used, count: path.count })
    }
}

/// I/Os in flight, of those that were offered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InFlight {
    /// On average, by Little's law.
    pub in_flight: f64,
    /// At once.
    pub offered: f64,
}

impl InFlight {
    fn is_full(self) -> bool {
        100.0 * self.in_flight / self.offered >= IN_FLIGHT_PERCENT
    }
}

impl MeasuredBound {
    /// Everything that was at its limit; never empty.
    pub const fn by(&self) -> &'static [BoundBy] {
        match self {
            Self::OtherMachine { .. } | Self::Beyond(_) => &[BoundBy::OtherConfiguration],
            Self::Burst { .. } => &[BoundBy::Burst],
            Self::Configuration { full: None, .. } => &[BoundBy::Configuration],
            Self::Configuration { full: Some(_), .. } => &[BoundBy::Configuration, BoundBy::Concurrency],
            Self::Concurrency { .. } => &[BoundBy::Concurrency],
            Self::Ceiling { .. } => &[BoundBy::Ceiling],
            Self::OneLoad { .. } | Self::Neither { .. } | Self::NotInFlight(_) | Self::NoLimit => {
                &[BoundBy::Unknown]
            }
        }
    }

    /// What a measurement was limited by, unless it is of another machine.
    fn new(shares: &[Share], measurement: &Measurement, resolved: &Resolved<'_>) -> Self {
        let fullest = shares.iter().find(|share| share.measure != Measure::Outstanding).cloned();
        let Some(share) = fullest else { return Self::NoLimit };
        let in_flight = measurement.in_flight().zip(measurement.outstanding);
        let in_flight = in_flight.map(|(in_flight, offered)| InFlight { in_flight, offered });
        let full = in_flight.filter(|queue| queue.is_full());
        if share.percent > MOST_PERCENT {
            return Self::Beyond(share);
        }
        if share.percent >= REACHED_PERCENT {
            return Self::Configuration { share, full };
        }
        match (full, in_flight) {
            _ if measurement.deeper == Some(DeeperLoad::DoesNoMore) => {
                let part = PartOfPath::of(&share, resolved);
                Self::Ceiling { share, part }
            }
            (Some(full), _) if measurement.deeper == Some(DeeperLoad::DoesMore) => {
                Self::Concurrency { share, full }
            }
            (Some(full), _) => Self::OneLoad { share, full },
            (None, Some(in_flight)) => Self::Neither { share, in_flight },
            (None, None) => Self::NotInFlight(share),
        }
    }

    /// The same of a load that the configuration carries for a while, by the limits of that while.
    fn or_burst(self, load: &Load, of_burst: &[Share]) -> Self {
        let fits = of_burst
            .iter()
            .all(|share| share.measure == Measure::Outstanding || share.percent <= MOST_PERCENT);
        match self {
            Self::Beyond(share) if fits => {
                Self::Burst { lasting_iops: load.iops() * 100.0 / share.percent, share }
            }
            other => other,
        }
    }
}

/// A measurement beside the limits.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredAgainst {
    /// What it is called.
    pub label: String,
    /// I/Os per second in all.
    pub iops: f64,
    /// Bytes per second in all.
    pub bandwidth_bytes_per_s: f64,
    /// How much of each limit, the fullest first.
    pub shares: Vec<Share>,
    /// On average, by Little's law; `None` where latencies are missing.
    pub in_flight: Option<f64>,
    /// What was offered at once; `None` where it is not known.
    pub outstanding: Option<f64>,
    /// What was the limit.
    pub bound: MeasuredBound,
    /// What the measured configuration was, as far as it is told.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// What contradicts itself in the measurement.
    pub contradictions: Vec<RateContradiction>,
    /// Why the figures may not be those of a device.
    pub caveats: Vec<String>,
    /// Streams whose I/Os per second follow from MiB/s and block size.
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
                block_size_bytes: stream.block_size_bytes,
                is_sequential: is_sequential(stream.role),
                is_shipped: is_shipped(shipped, stream.role, log_is_apart),
            })
        });
        let load = Load { streams: streams.collect::<Result<_, ConfigurationError>>()? };
        let shares = shares(chain, &load);
        let in_flight = measurement.in_flight();
        let machine = &resolved.configuration.machine;
        let bound = match measurement.other_machine(machine) {
            Some(measured) => MeasuredBound::OtherMachine { measured, own: machine.clone() },
            None => MeasuredBound::new(&shares, measurement, resolved)
                .or_burst(&load, &self::shares(&Chain::of(resolved, true), &load)),
        };
        Ok(Self {
            label: measurement.label.clone(),
            iops: load.iops(),
            bandwidth_bytes_per_s: load.bandwidth(),
            shares,
            in_flight,
            outstanding: measurement.outstanding,
            bound,
            attributes: measurement.attributes.clone(),
            contradictions: measurement.contradictions.clone(),
            caveats: measurement.caveats.clone(),
            derived: measurement.derived.clone(),
        })
    }
}

/// What was the limit of several measurements of one configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredTogether {
    /// How many there are.
    pub count: usize,
    /// Those that a limit of the configuration bound, by part.
    pub reached: Vec<OfPart>,
    /// How many the concurrency bound.
    pub concurrency: usize,
    /// Those below every limit, at a ceiling of their own or not, by the part that they came closest to.
    pub below: Vec<OfPart>,
    /// Bursts, by the part whose lasting limit they exceed.
    pub bursts: Vec<OfPart>,
    /// Those of another configuration, by the part whose limit they exceed.
    pub others: Vec<OfPart>,
}

/// Measurements that came nearest to the limits of one part.
#[derive(Debug, Clone, PartialEq)]
pub struct OfPart {
    /// Name of the part.
    pub part: String,
    /// How many there are.
    pub count: usize,
    /// The least share of its limit.
    pub least_percent: f64,
    /// The largest.
    pub most_percent: f64,
}

impl MeasuredTogether {
    /// Of at least two measurements.
    pub fn of(measured: &[MeasuredAgainst]) -> Option<Self> {
        let by = |bound: BoundBy| {
            let first = move |one: &&MeasuredAgainst| one.bound.by().first() == Some(&bound);
            measured.iter().filter(first)
        };
        (measured.len() > 1).then(|| Self {
            count: measured.len(),
            reached: by_part(by(BoundBy::Configuration)),
            concurrency: by(BoundBy::Concurrency).count(),
            below: by_part(by(BoundBy::Unknown).chain(by(BoundBy::Ceiling))),
            bursts: by_part(by(BoundBy::Burst)),
            others: by_part(by(BoundBy::OtherConfiguration)),
        })
    }
}

/// The parts to which measurements came nearest, the part with the most first.
fn by_part<'m>(measured: impl Iterator<Item = &'m MeasuredAgainst>) -> Vec<OfPart> {
    let mut parts: Vec<OfPart> = Vec::new();
    for share in measured.filter_map(|one| one.shares.first()) {
        match parts.iter_mut().find(|one| one.part == share.element) {
            Some(one) => {
                one.count += 1;
                one.least_percent = one.least_percent.min(share.percent);
                one.most_percent = one.most_percent.max(share.percent);
            }
            None => parts.push(OfPart {
                part: share.element.clone(),
                count: 1,
                least_percent: share.percent,
                most_percent: share.percent,
            }),
        }
    }
    parts.sort_by_key(|one| std::cmp::Reverse(one.count));
    parts
}
