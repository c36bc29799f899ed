//! What a configuration delivers, what binds, which rules it breaks, and what it costs.

use iotrial_model::demand::{Demand, LatencyClass};
use iotrial_model::load::Direction;
use serde::Serialize;

use crate::chain::{Chain, Headroom};
use crate::configuration::{Configuration, ConfigurationError, Resolved};
use crate::measure::{Load, LoadStream, Measure};
use crate::measured::{MeasuredAgainst, MeasuredTogether, Measurement};
use crate::pool_report::PoolReport;
use crate::price::{Cost, Money, NoRate, cost_of};
use crate::requirement::Fit;
use crate::rule::{BrokenRule, broken_rules};

/// A mix at a block size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mix {
    /// Share of reads in the I/Os.
    pub read_percent: f64,
    /// Bytes of an I/O.
    pub block_size_bytes: f64,
}

impl Mix {
    /// What is shown without being asked: pages of databases, and the larger I/Os of scans.
    pub const USUAL: [Self; 6] = [
        Self { read_percent: 100.0, block_size_bytes: 8192.0 },
        Self { read_percent: 70.0, block_size_bytes: 8192.0 },
        Self { read_percent: 0.0, block_size_bytes: 8192.0 },
        Self { read_percent: 100.0, block_size_bytes: 65536.0 },
        Self { read_percent: 40.0, block_size_bytes: 65536.0 },
        Self { read_percent: 0.0, block_size_bytes: 65536.0 },
    ];
}

impl std::str::FromStr for Mix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a mix; a mix is READ_PERCENT@BLOCK_SIZE, such as 70@8KiB");
        let (percent, block) = text.split_once('@').ok_or_else(wrong)?;
        // People write both «70@8KiB» and «70%@8KiB».
        let read_percent: f64 = percent.trim().trim_end_matches('%').parse().map_err(|_| wrong())?;
        let block: iotrial_model::units::ByteSize =
            block.parse().map_err(|error| format!("{}: {error}", wrong()))?;
        // 1 GiB is far beyond any I/O; above it the arithmetic would still work and the answer mean nothing.
        if !(0.0..=100.0).contains(&read_percent) || block.get() == 0 || block.get() > 1 << 30 {
            return Err(wrong());
        }
        Ok(Self { read_percent, block_size_bytes: block.get() as f64 })
    }
}

/// What is asked about a configuration besides the usual.
#[derive(Debug, Clone, Default)]
pub struct Question<'q> {
    /// The mixes to compute; empty for [`Mix::USUAL`].
    pub mixes: &'q [Mix],
    /// The demand that it is to carry, if any.
    pub demand: Option<&'q Demand>,
    /// What was measured on it.
    pub measurements: &'q [Measurement],
    /// Currency, rates and length of a month.
    pub money: Money,
    /// Whether rates count that hold only for a while.
    pub burst: bool,
}

/// Why there is no explanation.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExplainError {
    /// The configuration cannot be had.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// Its price is in another currency.
    #[error(transparent)]
    NoRate(#[from] NoRate),
}

impl ExplainError {
    /// What the reader can do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Configuration(error) => error.hint(),
            Self::NoRate(error) => Some(error.hint()),
        }
    }
}

/// Everything about one configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// As it was given.
    pub configuration: Configuration,
    /// Cores, where they are known.
    pub ocpus: Option<u32>,
    /// How fast the slowest of its volumes answers; `None` where no source says.
    pub latency: Option<LatencyClass>,
    /// Whether its processor is ARM rather than x86.
    pub arm: bool,
    /// Hardware threads of all cores.
    pub vcpus: u32,
    /// Memory in GiB.
    pub memory_gib: f64,
    /// Out of the machine, in Gbit/s; `None` where no source says.
    pub network_gbit_per_s: Option<f64>,
    /// What holds data, each byte once.
    pub usable_gib: f64,
    /// How many volumes are bought; the disk of the machine itself is none of them.
    pub volumes: u32,
    /// Each pool; empty where there is only one.
    pub pools: Vec<PoolReport>,
    /// Whether rates are included that hold only for a while.
    pub burst: bool,
    /// From the volumes to the program.
    pub chain: Chain,
    /// Each direction and measure alone, for each pool.
    pub alone: Vec<PureReach>,
    /// Mixes at a block size, for each pool.
    pub mixes: Vec<MixReach>,
    /// Those that forbid first.
    pub broken_rules: Vec<BrokenRule>,
    /// What it costs.
    pub cost: Cost,
    /// Whether it does what was asked.
    pub fit: Option<Fit>,
    /// What was measured on it.
    pub measured: Vec<MeasuredAgainst>,
    /// All measurements together; `None` where there are fewer than two.
    pub measured_together: Option<MeasuredTogether>,
}

/// What one measure reaches when nothing else is asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PureReach {
    /// Index of the pool.
    pub pool: usize,
    /// Reads or writes, in IOPS or bandwidth.
    pub measure: Measure,
    /// What each part carries of it by itself, in the order of the chain; bandwidth in bytes per second.
    pub parts: Vec<PartReach>,
    /// The least of the parts; absent where nothing is stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
    /// Which part that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binds: Option<String>,
    /// The part that would bind next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
}

/// What one part carries by itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartReach {
    /// Name of the part.
    pub element: String,
    /// The most it carries, in units of the measure.
    pub most: f64,
}

/// The part that binds when the first one does no longer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Next {
    /// Name of the part.
    pub element: String,
    /// At how many times the load of the first part it is reached.
    pub times: f64,
}

/// How far a mix reaches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MixReach {
    /// Index of the pool.
    pub pool: usize,
    /// Share of reads.
    pub read_percent: f64,
    /// Bytes of an I/O.
    pub block_size_bytes: f64,
    /// Where the ray leaves the limits; absent where nothing limits it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// The same in bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_bytes_per_s: Option<f64>,
    /// The part that binds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binds: Option<String>,
    /// By which of its limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Measure>,
    /// The part that would bind next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
    /// IOPS that each part carries of the mix by itself, in the order of the chain.
    pub parts: Vec<PartReach>,
}

impl Explanation {
    /// Explains a configuration.
    ///
    /// # Errors
    ///
    /// When a role is assigned to no pool, or a price is in a currency for which there is no rate.
    pub fn new(resolved: &Resolved<'_>, question: &Question<'_>) -> Result<Self, ExplainError> {
        let chain = Chain::of(resolved, question.burst);
        let mixes = if question.mixes.is_empty() { &Mix::USUAL } else { question.mixes };
        let pools = 0..resolved.pools.len();
        let mut fit = match question.demand {
            Some(demand) => {
                let load = resolved.load_of(demand)?;
                Some(Fit::new(resolved, &chain, demand, &load))
            }
            None => None,
        };
        let mut broken_rules = broken_rules(resolved);
        if let Some(rule) = question.money.counted.forbids(resolved.catalog, &resolved.machine) {
            // What forbids comes first, and nothing that is forbidden meets a demand.
            broken_rules.insert(0, rule);
            fit.iter_mut().for_each(|fit| fit.is_met = false);
        }
        let measured = question
            .measurements
            .iter()
            .map(|measurement| MeasuredAgainst::new(measurement, resolved, &chain))
            .collect::<Result<Vec<_>, ConfigurationError>>()?;
        Ok(Self {
            configuration: resolved.configuration.clone(),
            ocpus: resolved.machine.ocpus,
            latency: resolved
                .pools
                .iter()
                // The slowest class, and unknown if any of them is: a pool of unknown latency could be the
                // slowest one.
                .map(|pool| pool.kind.latency)
                .collect::<Option<Vec<_>>>()
                .and_then(|all| all.into_iter().max()),
            arm: resolved.machine.machine.arm,
            vcpus: resolved.machine.vcpus,
            memory_gib: resolved.machine.memory_gib,
            network_gbit_per_s: resolved.machine.egress.map(|bytes| bytes * 8.0 / 1e9),
            usable_gib: resolved.usable_gib(),
            volumes: resolved.volume_count(),
            pools: PoolReport::all(resolved, &chain, question.demand, &question.money)?,
            burst: question.burst,
            alone: pools
                .clone()
                .flat_map(|pool| {
                    PURE.map(|(measure, direction)| pure(resolved, &chain, pool, measure, direction))
                })
                .collect(),
            mixes: pools
                .flat_map(|pool| mixes.iter().map(move |one| (pool, one)))
                .map(|(pool, one)| mix(resolved, &chain, pool, *one))
                .collect(),
            broken_rules,
            cost: cost_of(resolved, &question.money)?,
            fit,
            measured_together: MeasuredTogether::of(&measured),
            measured,
            chain,
        })
    }
}

/// What is shown by itself.
const PURE: [(Measure, Direction); 4] = [
    (Measure::ReadIops, Direction::Read),
    (Measure::WriteIops, Direction::Write),
    (Measure::ReadBandwidth, Direction::Read),
    (Measure::WriteBandwidth, Direction::Write),
];

/// One measure by itself: only limits of its kind count, since I/Os may be as small or as large as one likes.
// One byte per I/O: then the same load serves as a unit for both measures, and its factor is the amount
// itself.
fn pure(
    resolved: &Resolved<'_>,
    chain: &Chain,
    pool: usize,
    measure: Measure,
    direction: Direction,
) -> PureReach {
    // Bandwidth is at its most where I/Os can be merged, IOPS where they are small and random.
    let is_sequential = measure.is_bandwidth();
    let (iops, block_size_bytes) = (1.0, 1.0);
    let one = LoadStream { pool, direction, iops, block_size_bytes, is_sequential: false, is_shipped: false };
    let load = resolved.as_on(pool, &Load { streams: vec![one] });
    let load = load.known_as(is_sequential, load.streams[0].is_shipped);
    let headrooms = chain.headrooms(&load);
    let counts = |headroom: &Headroom<'_>| {
        // Of disks with throughput credits even the smallest I/O takes a whole unit of bandwidth.
        if !measure.is_bandwidth() && headroom.limit.bounds_small_io() {
            return true;
        }
        // Concurrency bounds I/Os, and I/Os can be as large as one likes, so it says nothing about bandwidth
        // alone.
        let is_concurrency = headroom.limit.measure == Measure::Outstanding && !measure.is_bandwidth();
        is_concurrency
            || headroom.limit.measure.is_bandwidth() == measure.is_bandwidth()
                && headroom.limit.measure != Measure::Outstanding
    };
    let nearest: Vec<Headroom<'_>> = headrooms.into_iter().filter(counts).collect();
    PureReach {
        pool,
        measure,
        parts: parts(chain, &nearest, 1.0),
        most: nearest.first().map(|first| first.factor),
        binds: nearest.first().map(|first| first.element.name.clone()),
        next: next(&nearest),
    }
}

fn mix(resolved: &Resolved<'_>, chain: &Chain, pool: usize, mix: Mix) -> MixReach {
    let load = resolved.as_on(pool, &Load::mix(pool, mix.read_percent, mix.block_size_bytes));
    let nearest = chain.headrooms(&load);
    let first = nearest.first();
    let iops = first.map(|first| first.factor * load.iops());
    MixReach {
        pool,
        read_percent: mix.read_percent,
        block_size_bytes: mix.block_size_bytes,
        iops,
        bandwidth_bytes_per_s: iops.map(|iops| iops * mix.block_size_bytes),
        binds: first.map(|first| first.element.name.clone()),
        by: first.map(|first| first.limit.measure),
        next: next(&nearest),
        parts: parts(chain, &nearest, load.iops()),
    }
}

/// The nearest limit of each part, in the order of the chain.
fn parts(chain: &Chain, nearest: &[Headroom<'_>], unit: f64) -> Vec<PartReach> {
    // The list is sorted, so the first limit found of a part is its tightest.
    let of = |element| nearest.iter().find(move |headroom| std::ptr::eq(headroom.element, element));
    chain
        .elements
        .iter()
        .filter_map(|element| {
            Some(PartReach { element: element.name.clone(), most: of(element)?.factor * unit })
        })
        .collect()
}

/// The nearest limit of another part than the first.
fn next(nearest: &[Headroom<'_>]) -> Option<Next> {
    let first = nearest.first()?;
    // By identity: two parts may carry the same name, and another limit of the same part is not the next
    // part.
    let other = nearest.iter().find(|headroom| !std::ptr::eq(headroom.element, first.element))?;
    Some(Next { element: other.element.name.clone(), times: other.factor / first.factor })
}
