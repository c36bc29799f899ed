//! A configuration as TOML, so that what the search finds can be kept, edited and explained.

use std::collections::BTreeMap;

use iotrial_model::load::Role;
use serde::Serialize;

use super::{CONFIGURATION_FORMAT, Configuration};
use crate::catalog::HostCache;
use crate::measure::BandwidthUnit;

/// The file as it is written: plain values come before tables, as TOML wants it.
#[derive(Serialize)]
struct File<'c> {
    format: &'static str,
    title: &'c str,
    provider: &'c str,
    machine: &'c str,
    ocpus: Option<u32>,
    memory: Option<String>,
    os: &'static str,
    licence: bool,
    clustered: bool,
    mirror: &'static str,
    replicas: u32,
    #[serde(skip_serializing_if = "<[Role]>::is_empty")]
    shipped: &'c [Role],
    outstanding: Option<u32>,
    latency_mean: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attributes: &'c BTreeMap<String, String>,
    pool: Vec<PoolTable<'c>>,
}

#[derive(Serialize)]
struct PoolTable<'c> {
    #[serde(skip_serializing_if = "<[Role]>::is_empty")]
    roles: &'c [Role],
    volume: &'c str,
    #[serde(skip_serializing_if = "str::is_empty")]
    level: &'c str,
    count: u32,
    size: Option<String>,
    iops: Option<Bought>,
    bandwidth: Option<String>,
    attachment: Option<&'c str>,
    host_cache: Option<&'static str>,
    cache_hit_percent: Option<f64>,
}

impl Configuration {
    /// The configuration as TOML; [`Configuration::parse`] makes the same one of it.
    pub fn to_toml(&self) -> String {
        let pool = |pool: &super::Pool| PoolTableOwned {
            // Size 0 means «the only size that there is» and is left out, so that the file reads back the
            // same.
            size: (pool.size_gib > 0).then(|| format!("{}GiB", pool.size_gib)),
            // In the unit in which the vendor sells it, so that it can be typed into the vendor's form.
            bandwidth: pool.bandwidth.filter(|one| one.is_finite()).map(bandwidth_words),
        };
        let texts: Vec<PoolTableOwned> = self.pools.iter().map(pool).collect();
        let pools = self.pools.iter().zip(texts).map(|(pool, text)| PoolTable {
            roles: &pool.roles,
            volume: &pool.volume,
            level: &pool.level,
            count: pool.count,
            size: text.size,
            iops: pool.iops.map(Bought::of),
            bandwidth: text.bandwidth,
            attachment: pool.attachment.as_deref(),
            // Defaults are left out to keep the file short enough to edit.
            host_cache: (pool.host_cache != HostCache::None).then(|| pool.host_cache.as_str()),
            cache_hit_percent: (pool.cache_hit_percent > 0.0).then_some(pool.cache_hit_percent),
        });
        let file = File {
            format: CONFIGURATION_FORMAT,
            title: &self.title,
            provider: &self.provider,
            machine: &self.machine,
            ocpus: self.ocpus,
            memory: self.memory_gib.map(|gib| format!("{gib}GiB")),
            os: self.os.as_str(),
            licence: self.licence,
            clustered: self.clustered,
            mirror: self.mirror.as_str(),
            replicas: self.replicas,
            shipped: &self.shipped,
            outstanding: self.outstanding,
            // In microseconds, the unit it is kept in, so that no conversion loses digits.
            latency_mean: self.latency_mean_us.map(|us| format!("{us}us")),
            attributes: &self.attributes,
            pool: pools.collect(),
        };
        toml::to_string(&file).expect("a configuration is plain data")
    }
}

/// IOPS as they are ordered: a whole number without a decimal point.
#[derive(Serialize)]
#[serde(untagged)]
enum Bought {
    Whole(u64),
    Other(f64),
}

impl Bought {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be whole and in range"
    )]
    fn of(iops: f64) -> Self {
        let is_whole = iops.fract() == 0.0 && (0.0..1e15).contains(&iops);
        if is_whole { Self::Whole(iops as u64) } else { Self::Other(iops) }
    }
}

/// A bandwidth with its unit and nothing lost: whole MB/s, whole MiB/s, or bytes.
fn bandwidth_words(bandwidth: f64) -> String {
    match BandwidthUnit::of(bandwidth) {
        Some(unit) => format!("{:.0}{}", bandwidth / unit.bytes(), unit.as_str()),
        None => format!("{bandwidth:.0}B/s"),
    }
}

/// What of a pool has to be written down first.
struct PoolTableOwned {
    size: Option<String>,
    bandwidth: Option<String>,
}
