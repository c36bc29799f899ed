//! A configuration as TOML, so that what the search finds can be kept, edited and explained.

use iotrial_model::load::Role;
use serde::Serialize;

use super::{CONFIGURATION_FORMAT, Configuration};
use crate::catalog::HostCache;

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
    outstanding: Option<u32>,
    latency_mean: Option<String>,
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
    iops: Option<f64>,
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
            // Whole bytes per second: unlike MB/s this loses nothing, whether the catalog sells in MB/s or
            // MiB/s.
            bandwidth: pool.bandwidth.filter(|one| one.is_finite()).map(|one| format!("{one:.0}B/s")),
        };
        let texts: Vec<PoolTableOwned> = self.pools.iter().map(pool).collect();
        let pools = self.pools.iter().zip(texts).map(|(pool, text)| PoolTable {
            roles: &pool.roles,
            volume: &pool.volume,
            level: &pool.level,
            count: pool.count,
            size: text.size,
            iops: pool.iops,
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
            outstanding: self.outstanding,
            // In microseconds, the unit it is kept in, so that no conversion loses digits.
            latency_mean: self.latency_mean_us.map(|us| format!("{us}us")),
            pool: pools.collect(),
        };
        toml::to_string(&file).expect("a configuration is plain data")
    }
}

/// What of a pool has to be written down first.
struct PoolTableOwned {
    size: Option<String>,
    bandwidth: Option<String>,
}
