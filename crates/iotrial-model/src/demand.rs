//! A demand: what a database asks of storage and machine, before anything is bought. Format `iotrial.demand/1`
//! (`docs/size.md`).
//!
//! Every stream of I/O has a rate and a block size: «4 TB and 80,000 IOPS» describes several machines of very different
//! price, so a demand without block sizes is refused.

use std::str::FromStr;

use serde::Serialize;

use crate::load::{Direction, Role, words};
use crate::subject::Subject;
use crate::toml_reader::{Mistakes, TableReader, read_toml};
use crate::units::{ByteSize, ParseQuantityError, Rate};

mod of_counters;

mod pool;

mod text;

pub use of_counters::{CounterDemandError, USUAL_PERCENTILE};
pub use pool::{DemandPool, LaidOutPool, ParsePoolError, PoolError};
use pool::{parse_role, read_pool};

/// The value of `format` in a file.
pub(crate) const DEMAND_FORMAT: &str = "iotrial.demand/1";

/// More years than anybody plans for.
const MOST_YEARS: u64 = 30;
/// A larger block than any database reads at once.
const LARGEST_BLOCK: u64 = 1 << 30;

words! {
    /// How fast storage answers, as vendors promise it. In the order of the list: the first is the fastest.
    LatencyClass {
        /// Below a millisecond on average.
        SubMs = "sub-ms",
        /// From 1 to 10 ms on average, which vendors call single-digit milliseconds.
        SingleDigitMs = "single-digit-ms",
        /// What rotating disks take.
        Hdd = "hdd",
    }
}

words! {
    /// The operating system, as far as attachments and licences depend on it.
    Os {
        /// Any Linux; licences of distributions are not counted.
        Linux = "linux",
        /// Windows Server; its licence has a price of its own unless the user brings one.
        Windows = "windows",
    }
}

words! {
    /// How often the machine itself writes everything, as a software mirror or ASM does.
    Mirror {
        /// Once: the storage protects the data.
        None = "none",
        /// Twice, as in RAID 1, RAID 10 or ASM normal redundancy.
        TwoWay = "two-way",
        /// Three times, as in ASM high redundancy.
        ThreeWay = "three-way",
    }
}

impl Mirror {
    /// How often each write goes to a volume, and how much capacity each byte takes.
    pub const fn copies(self) -> u32 {
        match self {
            Self::None => 1,
            Self::TwoWay => 2,
            Self::ThreeWay => 3,
        }
    }
}

/// I/O of one direction and size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DemandStream {
    /// What it is for; decides on the pool where roles are placed apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Reads or writes.
    pub direction: Direction,
    /// I/Os per second, more than zero.
    pub iops: f64,
    /// Mean size of an I/O, more than zero.
    pub block_size_bytes: f64,
}

impl DemandStream {
    /// Bytes per second.
    pub fn bandwidth(&self) -> f64 {
        self.iops * self.block_size_bytes
    }
}

/// What a database asks for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Demand {
    /// One line for headings.
    pub title: String,
    /// Where the figures come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What is to be known of the figures, each in one sentence without a full stop.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The I/O, never empty.
    pub streams: Vec<DemandStream>,
    /// The pools that are kept apart, each with its own size; empty puts everything together. See [`Demand::layout`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pools: Vec<DemandPool>,
    /// What is stored today outside of pools with a size of their own, each byte once.
    #[serde(rename = "capacity_bytes")]
    pub capacity: ByteSize,
    /// By how much `capacity` grows.
    pub growth_percent_per_year: f64,
    /// By how much the rates of `streams` grow.
    pub load_growth_percent_per_year: f64,
    /// How long it has to last.
    pub years: u32,
    /// The slowest that is acceptable; `None` takes any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<LatencyClass>,
    /// The operating system of the machine.
    pub os: Os,
    /// Whether the price includes the licence of the operating system; otherwise one is brought along.
    pub licence: bool,
    /// At least so many hardware threads; 0 takes any.
    pub vcpus_min: u32,
    /// At least so much memory; 0 takes any.
    #[serde(rename = "memory_min_bytes")]
    pub memory_min: ByteSize,
    /// Whether machines share the volumes, as a failover cluster does.
    pub clustered: bool,
    /// How often the machine writes everything.
    pub mirror: Mirror,
    /// To how many other machines the writes of the shipped roles go over the network, as with Data Guard or Always On.
    pub replicas: u32,
    /// The roles of which replicas get the writes; empty is the log.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shipped: Vec<Role>,
    /// Whether rates count that hold for half an hour a day.
    pub allow_burst: bool,
    /// I/Os in flight at once, where that is known; with a latency it limits the rate (Little's law).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outstanding: Option<u32>,
}

impl Demand {
    /// A demand of this I/O that asks for nothing else.
    pub fn new(title: impl Into<String>, streams: Vec<DemandStream>) -> Self {
        Self {
            title: title.into(),
            source: None,
            notes: Vec::new(),
            streams,
            pools: Vec::new(),
            capacity: ByteSize::bytes(0),
            growth_percent_per_year: 0.0,
            load_growth_percent_per_year: 0.0,
            years: 0,
            latency: None,
            os: Os::Linux,
            licence: true,
            vcpus_min: 0,
            memory_min: ByteSize::bytes(0),
            clustered: false,
            mirror: Mirror::None,
            replicas: 0,
            shipped: Vec::new(),
            allow_burst: false,
            outstanding: None,
        }
    }

    /// Reads a demand from its TOML text.
    ///
    /// # Errors
    ///
    /// Every mistake with line and column.
    pub fn parse(text: &str) -> Result<Self, Mistakes> {
        read_toml(text, |top| {
            top.required("format", |top, key| top.word(key, &[(DEMAND_FORMAT, ())]));
            let title = top.text("title").unwrap_or_else(|| "the demand".to_owned());
            // Streams without a role come first, as they do in what is written (`to_toml`).
            let mut streams = read_streams(top, None);
            let roles = top.tables("role", |table| {
                let names: Vec<_> = Role::ALL.iter().map(|role| (role.as_str(), *role)).collect();
                let role = table.required("name", |table, key| table.word(key, &names));
                let streams = read_streams(table, role);
                if streams.is_empty() && role.is_some() {
                    table.refuse::<()>("name", "a role needs `read` or `write`".to_owned());
                }
                Some(streams)
            });
            streams.extend(roles.unwrap_or_default().into_iter().flatten());
            let mut demand = Self::new(title, streams);
            demand.source = top.text("source");
            demand.notes = top.texts("notes").unwrap_or_default();
            demand.capacity = top.size("capacity").unwrap_or_default();
            demand.pools = top.tables("pool", read_pool).unwrap_or_default();
            demand.growth_percent_per_year = top.number("growth_percent_per_year").unwrap_or(0.0);
            demand.load_growth_percent_per_year = top.number("load_growth_percent_per_year").unwrap_or(0.0);
            demand.years = small(top.integer("years", 0..=MOST_YEARS));
            demand.latency = top.word("latency", &words(LatencyClass::ALL, LatencyClass::as_str));
            demand.os = top.word("os", &words(Os::ALL, Os::as_str)).unwrap_or(Os::Linux);
            demand.licence = top.boolean("licence").unwrap_or(true);
            demand.vcpus_min = small(top.integer("vcpus_min", 0..=1 << 16));
            demand.memory_min = top.size("memory_min").unwrap_or_default();
            demand.clustered = top.boolean("clustered").unwrap_or(false);
            demand.mirror = top.word("mirror", &words(Mirror::ALL, Mirror::as_str)).unwrap_or(Mirror::None);
            demand.replicas = small(top.integer("replicas", 0..=16));
            if top.has("shipped") {
                demand.shipped = top.words("shipped", &words(Role::ALL, Role::as_str)).unwrap_or_default();
            }
            demand.allow_burst = top.boolean("allow_burst").unwrap_or(false);
            demand.outstanding = top.integer("outstanding", 1..=1 << 24).map(|number| small(Some(number)));
            if demand.streams.is_empty() && !top.has("read") && !top.has("write") && !top.has("role") {
                return top.refuse("format", "a demand needs `read`, `write` or both".to_owned());
            }
            if let Err(error) = demand.check_pools() {
                return top.refuse("pool", error.to_string());
            }
            Some(demand)
        })
    }

    /// What a result did, as a demand: its rates and mean block sizes by role. `name` is what the user calls it; `None` where it
    /// has no rates with a block size.
    pub fn of(subject: &Subject<'_>, name: &str) -> Option<Self> {
        let streams = streams_of(subject);
        let (title, source) = match subject.source {
            Some(_) => (format!("the load of {name}"), format!("imported result {name}")),
            None => {
                let source = format!("record {}", subject.id);
                (subject.label.map_or_else(|| format!("the load of {source}"), str::to_owned), source)
            }
        };
        (!streams.is_empty()).then(|| Self { source: Some(source), ..Self::new(title, streams) })
    }

    /// The factor by which the rates grow until the end.
    pub fn load_growth(&self) -> f64 {
        growth(self.load_growth_percent_per_year, self.years)
    }

    /// What has to be bought at the end of the years, of all pools and with all copies, in GiB.
    pub fn capacity_gib(&self) -> f64 {
        let all: ByteSize = ByteSize::bytes(
            self.layout().iter().map(|one| one.pool.capacity.get()).fold(0, u64::saturating_add),
        );
        self.grown_gib(all) * f64::from(self.mirror.copies())
    }

    /// What a capacity of today is at the end of the years, each byte once, in GiB.
    pub fn grown_gib(&self, today: ByteSize) -> f64 {
        today.get() as f64 / ByteSize::GIB.get() as f64 * growth(self.growth_percent_per_year, self.years)
    }
}

/// Counts of a role add up exactly. What a source states of each job stays apart, with its own size.
fn streams_of(subject: &Subject<'_>) -> Vec<DemandStream> {
    let mut streams = Vec::new();
    for role in Role::ALL.iter().copied().map(Some).chain([None]) {
        for direction in Direction::ALL.iter().copied() {
            let of_role = subject.jobs.iter().filter(|job| job.role == role);
            let (mut io_count, mut bytes) = (0, 0);
            for counts in of_role.filter_map(|job| job.ops.get(direction)?.counts()) {
                io_count += counts.io_count();
                bytes += counts.bytes;
            }
            let seconds = subject.measured.map_or(0.0, |measured| measured.as_secs_f64());
            if io_count > 0 && seconds > 0.0 {
                streams.push(DemandStream {
                    role,
                    direction,
                    iops: io_count as f64 / seconds,
                    block_size_bytes: bytes as f64 / io_count as f64,
                });
            }
        }
    }
    // What was counted is in already; a rate of it once more would be a second stream of the same I/O.
    let stated = subject.rates().into_iter().filter(|rate| rate.facts.stated().is_some());
    streams.extend(stated.map(|rate| DemandStream {
        role: rate.role,
        direction: rate.direction,
        iops: rate.iops,
        block_size_bytes: rate.block_size_bytes,
    }));
    streams
}

/// The factor after so many whole years of compound growth; 1 after none.
fn growth(percent_per_year: f64, years: u32) -> f64 {
    (1.0 + percent_per_year / 100.0).powf(f64::from(years))
}

fn words<T: Copy>(all: &'static [T], word: fn(T) -> &'static str) -> Vec<(&'static str, T)> {
    all.iter().map(|one| (word(*one), *one)).collect()
}

fn small(number: Option<u64>) -> u32 {
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
}

fn read_streams(table: &mut TableReader<'_>, role: Option<Role>) -> Vec<DemandStream> {
    let read = table.table_or_tables("read", |stream| read_stream(stream, role, Direction::Read));
    let write = table.table_or_tables("write", |stream| read_stream(stream, role, Direction::Write));
    read.into_iter().chain(write).flatten().collect()
}

/// Two of rate, bandwidth and block size.
fn read_stream(
    table: &mut TableReader<'_>,
    role: Option<Role>,
    direction: Direction,
) -> Option<DemandStream> {
    let iops = table.number("iops");
    let (bandwidth, block) = (table.bandwidth("bandwidth"), table.size("block_size"));
    if block.is_some_and(|block| block.get() == 0 || block.get() > LARGEST_BLOCK) {
        return table.refuse("block_size", "`block_size` must be from 1B to 1GiB".to_owned());
    }
    let block = block.map(|block| block.get() as f64);
    let (iops, block_size_bytes) = match (iops, bandwidth, block) {
        (Some(_), Some(_), Some(_)) => {
            let message =
                "give only two of `iops`, `bandwidth` and `block_size`: the third follows from them";
            return table.refuse("block_size", message.to_owned());
        }
        (Some(iops), None, Some(block)) => (iops, block),
        (None, Some(bandwidth), Some(block)) => (bandwidth / block, block),
        (Some(iops), Some(bandwidth), None) if iops > 0.0 => (iops, bandwidth / iops),
        _ if table.has("iops") || table.has("bandwidth") => {
            let message = "`block_size` is missing: what storage delivers depends on it, such as \"8KiB\"";
            return table.refuse("block_size", message.to_owned());
        }
        _ => {
            let message = "a stream needs `iops` or `bandwidth`, and `block_size`";
            return table.refuse("iops", message.to_owned());
        }
    };
    (iops > 0.0).then_some(DemandStream { role, direction, iops, block_size_bytes })
}

/// A stream as it stands on a command line: `40000iops@8KiB`, `log=320MB/s@64KiB`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StreamText {
    /// What it is for, where that is said.
    pub role: Option<Role>,
    /// I/Os per second.
    pub iops: f64,
    /// Size of each I/O, from 1 byte to 1 GiB.
    pub block_size_bytes: f64,
}

/// Why a text is no stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseStreamError {
    /// There is no block size.
    #[error(
        "`{text}` has no block size: what storage delivers depends on it, such as 40000iops@8KiB or 320MB/s@64KiB"
    )]
    NoBlockSize {
        /// What was given.
        text: String,
    },
    /// The block is empty, or larger than any.
    #[error("the block size in `{text}` must be from 1B to 1GiB")]
    BlockSize {
        /// What was given.
        text: String,
    },
    /// What is before the `=` is no role.
    #[error("{0}")]
    Role(String),
    /// Rate or block size cannot be read.
    #[error(transparent)]
    Quantity(#[from] ParseQuantityError),
}

impl FromStr for StreamText {
    type Err = ParseStreamError;

    fn from_str(text: &str) -> Result<Self, ParseStreamError> {
        let (role, io) = match text.split_once('=') {
            Some((role, io)) => (Some(parse_role(role.trim()).map_err(ParseStreamError::Role)?), io),
            None => (None, text),
        };
        let (rate, block) =
            io.split_once('@').ok_or_else(|| ParseStreamError::NoBlockSize { text: text.to_owned() })?;
        let rate: Rate = rate.trim().parse()?;
        let block: ByteSize = block.trim().parse()?;
        if block.get() == 0 || block.get() > LARGEST_BLOCK {
            return Err(ParseStreamError::BlockSize { text: text.to_owned() });
        }
        let block_size_bytes = block.get() as f64;
        let iops = match rate {
            Rate::Iops(iops) => iops,
            Rate::BytesPerSecond(bytes) => bytes / block_size_bytes,
        };
        Ok(Self { role, iops, block_size_bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
format = "iotrial.demand/1"
title = "ERP at month end"
read = { iops = 40000, block_size = "8KiB" }
write = { bandwidth = "80MB/s", block_size = "16kB" }
capacity = "4TiB"
growth_percent_per_year = 20
years = 3
os = "windows"
memory_min = "64GiB"
mirror = "two-way"
"#;

    #[test]
    fn any_two_of_rate_bandwidth_and_block_size_make_a_stream() {
        let demand = Demand::parse(SMALL).unwrap();
        assert_eq!(demand.streams[0].bandwidth(), 40_000.0 * 8192.0);
        assert_eq!(demand.streams[1].iops, 5_000.0);
        let both = SMALL
            .replace("bandwidth = \"80MB/s\", block_size = \"16kB\"", "iops = 100, bandwidth = \"1MB/s\"");
        assert_eq!(Demand::parse(&both).unwrap().streams[1].block_size_bytes, 10_000.0);
        assert_eq!("320MB/s@64kB".parse::<StreamText>().unwrap().iops, 5_000.0);
        assert_eq!("log=320MB/s@64kB".parse::<StreamText>().unwrap().role, Some(Role::Log));
        let error = "redo=1iops@8KiB".parse::<StreamText>().unwrap_err().to_string();
        assert!(error.contains("`redo` is not a role; there are data"), "{error}");
    }

    #[test]
    fn a_demand_is_the_same_after_it_was_written_and_read() {
        let check = |demand: &Demand| {
            let text = demand.to_toml();
            assert_eq!(&Demand::parse(&text).unwrap(), demand, "{text}");
        };
        let small = Demand::parse(SMALL).unwrap();
        check(&small);
        let stream = |role, direction, block_size_bytes| DemandStream {
            role,
            direction,
            iops: 1_000.0,
            block_size_bytes,
        };
        check(&Demand {
            source: Some("AWR of PROD, 2026-01-05".to_owned()),
            notes: vec!["means over an hour".to_owned()],
            licence: false,
            replicas: 1,
            shipped: vec![Role::Log, Role::Data],
            pools: vec![
                "log=200GiB,sub-ms,volume=io2".parse().unwrap(),
                "tempdb=30GiB".parse().unwrap(),
                "scan,backup=1TiB,local,cache=40".parse().unwrap(),
            ],
            latency: Some(LatencyClass::SubMs),
            // The mean of sizes: 12,345,678 bytes in 1,000 I/Os.
            streams: vec![
                stream(None, Direction::Read, 8192.0),
                stream(None, Direction::Read, 12_345.678),
                stream(Some(Role::Log), Direction::Write, 5_000.0),
                stream(Some(Role::Data), Direction::Read, 65_536.0),
            ],
            ..small
        });
    }

    #[test]
    fn capacity_grows_by_compound_interest_and_is_bought_for_each_copy() {
        let gib = Demand::parse(SMALL).unwrap().capacity_gib();
        assert!((gib - 4096.0 * 1.728 * 2.0).abs() < 1e-6, "{gib}");
    }

    #[track_caller]
    fn check_mistake(replace: &str, by: &str, expected: &str) {
        assert!(SMALL.contains(replace), "{replace}");
        let mistakes = Demand::parse(&SMALL.replacen(replace, by, 1)).unwrap_err().to_string();
        assert!(mistakes.contains(expected), "{mistakes}");
    }

    #[test]
    fn a_demand_that_leaves_the_block_size_open_is_refused_with_the_reason() {
        check_mistake(
            "iops = 40000, block_size = \"8KiB\"",
            "iops = 40000",
            "`block_size` is missing: what storage",
        );
        check_mistake("block_size = \"8KiB\"", "block_size = \"0B\"", "must be from 1B to 1GiB");
        check_mistake("\"80MB/s\"", "\"80 iops\"", "`bandwidth` is a size per second");
        check_mistake("years = 3", "years = 300", "`years` must be from 0 to 30");
        check_mistake("4TiB", "4", "has no unit");
        check_mistake("os = \"windows\"", "os = \"window\"", "did you mean \"windows\"?");
        check_mistake("mirror", "miror", "did you mean `mirror`?");
        let error = "40000iops".parse::<StreamText>().unwrap_err().to_string();
        assert!(error.contains("has no block size"), "{error}");
    }
}
