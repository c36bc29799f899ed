//! A demand as TOML, so that what was worked out from counters, a record or a report can be kept, edited and asked again.

use serde::Serialize;

use super::{DEMAND_FORMAT, Demand, DemandPool, DemandStream, LatencyClass, Mirror, Os};
use crate::load::{Direction, Role};
use crate::units::ByteSize;

/// The file as it is written: plain values come before tables, as TOML wants it. What has its default is left out.
#[derive(Serialize)]
struct File<'d> {
    format: &'static str,
    title: &'d str,
    source: Option<&'d str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'d [String],
    capacity: Option<String>,
    growth_percent_per_year: Option<f64>,
    load_growth_percent_per_year: Option<f64>,
    years: Option<u32>,
    latency: Option<LatencyClass>,
    os: Option<Os>,
    licence: Option<bool>,
    vcpus_min: Option<u32>,
    memory_min: Option<String>,
    clustered: Option<bool>,
    mirror: Option<Mirror>,
    replicas: Option<u32>,
    #[serde(skip_serializing_if = "<[Role]>::is_empty")]
    shipped: &'d [Role],
    allow_burst: Option<bool>,
    outstanding: Option<u32>,
    read: Option<Streams>,
    write: Option<Streams>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    role: Vec<RoleTable>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pool: Vec<PoolTable<'d>>,
}

#[derive(Serialize)]
struct PoolTable<'d> {
    roles: &'d [Role],
    capacity: Option<String>,
    latency: Option<LatencyClass>,
    durable: Option<bool>,
    cache_hit_percent: Option<f64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    volumes: &'d [String],
}

#[derive(Serialize)]
struct RoleTable {
    name: Role,
    read: Option<Streams>,
    write: Option<Streams>,
}

/// A table where there is one, and otherwise a list.
#[derive(Serialize)]
#[serde(untagged)]
enum Streams {
    One(Stream),
    Many(Vec<Stream>),
}

/// IOPS and block size; bandwidth in place of a block size that is a mean and no whole number of bytes.
#[derive(Serialize)]
struct Stream {
    iops: f64,
    bandwidth: Option<String>,
    block_size: Option<String>,
}

impl Demand {
    /// The demand as TOML; [`Demand::parse`] makes the same one of it, with rates in whole bytes per second.
    pub fn to_toml(&self) -> String {
        let size = |size: ByteSize| (size.get() > 0).then(|| size.exact());
        let streams = |role: Option<Role>, direction| -> Option<Streams> {
            let of_it = |stream: &&DemandStream| stream.role == role && stream.direction == direction;
            let mut all: Vec<Stream> = self.streams.iter().filter(of_it).map(stream).collect();
            match all.len() {
                0 => None,
                1 => all.pop().map(Streams::One),
                _ => Some(Streams::Many(all)),
            }
        };
        let mut roles: Vec<Role> = Vec::new();
        for role in self.streams.iter().filter_map(|stream| stream.role) {
            if !roles.contains(&role) {
                roles.push(role);
            }
        }
        let role_table = |role: Role| RoleTable {
            name: role,
            read: streams(Some(role), Direction::Read),
            write: streams(Some(role), Direction::Write),
        };
        let pools = self.pools.iter().map(|pool| PoolTable {
            roles: &pool.roles,
            capacity: size(pool.capacity),
            latency: pool.latency,
            // Only where it is not what the roles make of it.
            durable: (pool.durable != DemandPool::new(pool.roles.clone()).durable).then_some(pool.durable),
            cache_hit_percent: positive(pool.cache_hit_percent),
            volumes: &pool.volumes,
        });
        let file = File {
            format: DEMAND_FORMAT,
            title: &self.title,
            source: self.source.as_deref(),
            notes: &self.notes,
            capacity: size(self.capacity),
            growth_percent_per_year: positive(self.growth_percent_per_year),
            load_growth_percent_per_year: positive(self.load_growth_percent_per_year),
            years: (self.years > 0).then_some(self.years),
            latency: self.latency,
            os: (self.os != Os::Linux).then_some(self.os),
            licence: (!self.licence).then_some(false),
            vcpus_min: (self.vcpus_min > 0).then_some(self.vcpus_min),
            memory_min: size(self.memory_min),
            clustered: self.clustered.then_some(true),
            mirror: (self.mirror != Mirror::None).then_some(self.mirror),
            replicas: (self.replicas > 0).then_some(self.replicas),
            shipped: &self.shipped,
            allow_burst: self.allow_burst.then_some(true),
            outstanding: self.outstanding,
            read: streams(None, Direction::Read),
            write: streams(None, Direction::Write),
            role: roles.into_iter().map(role_table).collect(),
            pool: pools.collect(),
        };
        toml::to_string(&file).expect("a demand is plain data")
    }
}

fn positive(number: f64) -> Option<f64> {
    (number > 0.0).then_some(number)
}

fn stream(stream: &DemandStream) -> Stream {
    // A mean of several sizes is seldom a whole number of bytes, and a size in a file is one; the bandwidth says the same and
    // can be rounded.
    let is_whole = stream.block_size_bytes.fract() == 0.0;
    Stream {
        iops: stream.iops,
        bandwidth: (!is_whole).then(|| bytes_per_second(stream.bandwidth().max(1.0))),
        block_size: is_whole.then(|| match stream.block_size_bytes / 1024.0 {
            kib if kib.fract() == 0.0 => format!("{kib}KiB"),
            _ => format!("{}B", stream.block_size_bytes),
        }),
    }
}

/// Whole bytes, with a unit that can be read and edited.
fn bytes_per_second(rate: f64) -> String {
    let rate = rate.round();
    if rate < 1e6 { format!("{rate:.0}B/s") } else { format!("{}MB/s", rate / 1e6) }
}
