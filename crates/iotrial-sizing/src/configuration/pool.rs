//! A pool of a configuration: equal volumes, what they are ordered with, and whether that can be ordered.

use std::fmt::Write as _;

use iotrial_model::load::Role;
use iotrial_model::toml_reader::TableReader;
use iotrial_model::units::ByteSize;
use serde::Serialize;

use super::{ConfigurationError, ResolvedPool};
use crate::catalog::{Catalog, HostCache, Level, Machine, Route, unknown_name};
use crate::measure::BandwidthUnit;

/// Equal volumes that share the load evenly.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pool {
    /// The roles whose data is on it; empty takes every role that no other pool takes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// Name of the kind of volume in the catalog.
    pub volume: String,
    /// Name of its level; empty where it has only one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub level: String,
    /// How many, striped.
    pub count: u32,
    /// Of each; 0 takes the only size that the level has.
    pub size_gib: u64,
    /// Bought for each, where IOPS are bought; `None` takes the least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// Bought for each in bytes per second, where bandwidth is bought; `None` takes the least.
    #[serde(rename = "bandwidth_bytes_per_s", skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<f64>,
    /// How they are attached; `None` where there is no choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachment: Option<String>,
    /// What the host caches of it.
    pub host_cache: HostCache,
    /// Share of reads that the host's cache serves.
    pub cache_hit_percent: f64,
}

impl Pool {
    pub(super) fn on<'c>(
        &self,
        catalog: &'c Catalog,
        machine: &Machine,
    ) -> Result<ResolvedPool<'c>, ConfigurationError> {
        let kind = catalog.volume(&self.volume)?;
        let provider = &catalog.provider;
        let level_names = || kind.levels.iter().map(|level| level.name.as_str()).collect::<Vec<_>>();
        let level = if self.level.is_empty() && !kind.levels[0].name.is_empty() {
            let hint = format!("there are {}", level_names().join(", "));
            return Err(ConfigurationError::Missing { key: "level", name: kind.name.clone(), hint });
        } else {
            kind.level(provider, &self.level)?
        };
        let called = if level.name.is_empty() { kind.name.clone() } else { level.name.clone() };
        // What is a part of the machine is as large as the machine has it.
        let local = match (&machine.local_disk, kind.route) {
            (None, Route::Local) => {
                return Err(ConfigurationError::NoLocalDisk { machine: machine.name.clone() });
            }
            (local, Route::Local) => local.as_ref(),
            _ => None,
        };
        let size_gib = match (self.size_gib, level.size_min_gib == level.size_max_gib) {
            // The local disk has no size of its own in the catalog's kind; a machine brings it.
            (0, _) if local.is_some() => local.map_or(0, |disk| disk.size_gib),
            (0, true) => level.size_min_gib,
            (0, false) => {
                let hint = format!("choose from {} to {} GiB", level.size_min_gib, level.size_max_gib);
                return Err(ConfigurationError::Missing { key: "size", name: called, hint });
            }
            (size, _) => size,
        };
        let out_of_range = |what, allowed: String, given: String| ConfigurationError::OutOfRange {
            what,
            name: called.clone(),
            allowed,
            given,
        };
        let largest = local.map_or(level.size_max_gib, |disk| disk.size_gib);
        if !(level.size_min_gib..=largest).contains(&size_gib) {
            let allowed = if level.size_min_gib == level.size_max_gib {
                format!("{} GiB", level.size_min_gib)
            } else {
                format!("from {} to {largest} GiB", level.size_min_gib)
            };
            return Err(out_of_range("the size", allowed, format!("{size_gib} GiB")));
        }
        let attachment = match (&self.attachment, kind.attachments.is_empty()) {
            (None, true) => None,
            (Some(_), true) => {
                return Err(ConfigurationError::NoChoice { key: "attachment", name: kind.name.clone() });
            }
            (name, false) => {
                let names: Vec<&str> = kind.attachments.iter().map(|one| one.name.as_str()).collect();
                let Some(name) = name else {
                    let hint = format!("there are {}", names.join(", "));
                    return Err(ConfigurationError::Missing {
                        key: "attachment",
                        name: kind.name.clone(),
                        hint,
                    });
                };
                let found = kind.attachments.iter().find(|one| one.name == *name);
                Some(found.ok_or_else(|| unknown_name(provider, "attachment", name, &names))?)
            }
        };
        let (iops, bandwidth) = self.bought(level, size_gib, &out_of_range)?;
        Ok(ResolvedPool {
            kind,
            level,
            attachment,
            count: self.count,
            size_gib,
            iops,
            bandwidth,
            host_cache: self.host_cache,
            cache_hit: self.cache_hit_percent / 100.0,
        })
    }

    /// IOPS and bytes per second that are bought for each volume; zero where none are.
    fn bought(
        &self,
        level: &Level,
        size_gib: u64,
        out_of_range: &impl Fn(&'static str, String, String) -> ConfigurationError,
    ) -> Result<(f64, f64), ConfigurationError> {
        let Some(provisioned) = &level.provisioned else {
            let name = || self.volume.clone();
            if self.iops.is_some() {
                return Err(ConfigurationError::NoChoice { key: "iops", name: name() });
            }
            if self.bandwidth.is_some() {
                return Err(ConfigurationError::NoChoice { key: "bandwidth", name: name() });
            }
            return Ok((0.0, 0.0));
        };
        let most = provisioned.most_iops(size_gib);
        // Least by default: what is not asked for is not paid for.
        let iops = self.iops.unwrap_or(provisioned.iops_min);
        if iops < provisioned.iops_min || iops > most {
            let allowed = format!("from {} to {most} at {size_gib} GiB", provisioned.iops_min);
            return Err(out_of_range("the IOPS", allowed, iops.to_string()));
        }
        // Nobody sells a part of one, and the price would be that of something that cannot be ordered.
        if iops.fract() != 0.0 {
            return Err(out_of_range("the IOPS", "a whole number".to_owned(), iops.to_string()));
        }
        let Some(own) = &provisioned.bandwidth else {
            if self.bandwidth.is_some() {
                return Err(ConfigurationError::NoChoice { key: "bandwidth", name: self.volume.clone() });
            }
            // No separate bandwidth: it is then bounded by other parts only, and infinity is dropped from the
            // list of limits.
            return Ok((iops, f64::INFINITY));
        };
        let most = own.most(iops);
        // Bandwidth that follows the IOPS is a consequence, so it cannot be ordered.
        if !own.is_bought {
            if self.bandwidth.is_some() {
                return Err(ConfigurationError::NoChoice { key: "bandwidth", name: self.volume.clone() });
            }
            return Ok((iops, most));
        }
        let least = own.least(iops);
        let bandwidth = self.bandwidth.unwrap_or(least);
        // A person writes 2000MB/s for 2,000 of them, and a file written by the search rounds to whole bytes;
        // neither should fail in the last bit.
        if bandwidth < least * (1.0 - 1e-9) || bandwidth > most * (1.0 + 1e-9) {
            let (least, most) = (least / own.step, most / own.step);
            let allowed = format!("from {least:.0} to {most:.0} {} at {iops} IOPS", own.unit().as_str());
            return Err(out_of_range("the bandwidth", allowed, BandwidthUnit::written(bandwidth)));
        }
        // The most may lie between two steps, where it follows from the IOPS.
        let steps = bandwidth / own.step;
        if (steps - steps.round()).abs() > 1e-6 && bandwidth < most * (1.0 - 1e-9) {
            let unit = own.unit().as_str();
            return Err(out_of_range(
                "the bandwidth",
                format!("in whole {unit}"),
                format!("{steps:.3} {unit}"),
            ));
        }
        Ok((iops, bandwidth))
    }

    /// As few words as tell it from others of the same provider: `5 × 1,134 GiB vpu-20`.
    pub fn label(&self) -> String {
        let mut text = if self.count > 1 { format!("{} × ", self.count) } else { String::new() };
        if self.size_gib > 0 {
            let _ = write!(text, "{} GiB ", crate::measure::grouped(self.size_gib as f64));
        }
        text.push_str(&telling_name(&self.volume, &self.level));
        if self.host_cache != HostCache::None {
            text.push_str(" cached");
        }
        text
    }

    /// In a few words: `5 × 1,134 GiB block-volume vpu-20 iscsi`.
    pub fn in_short(&self) -> String {
        let mut text = String::new();
        if self.count > 1 {
            let _ = write!(text, "{} × ", self.count);
        }
        if self.size_gib > 0 {
            let size = crate::measure::grouped(self.size_gib as f64);
            let _ = write!(text, "{size} GiB ");
        }
        text.push_str(&self.volume);
        if !self.level.is_empty() {
            let _ = write!(text, " {}", self.level);
        }
        if let Some(iops) = self.iops {
            let _ = write!(text, " {} IOPS", crate::measure::grouped(iops));
        }
        if let Some(bandwidth) = self.bandwidth.filter(|bandwidth| bandwidth.is_finite()) {
            let _ = write!(text, " {}", BandwidthUnit::written(bandwidth));
        }
        if let Some(attachment) = &self.attachment {
            let _ = write!(text, " {attachment}");
        }
        if self.host_cache != HostCache::None {
            let _ = write!(text, " with a {} cache", self.host_cache.as_str());
            if self.cache_hit_percent > 0.0 {
                let _ = write!(text, " assumed to serve {} % of the reads", self.cache_hit_percent);
            }
        }
        text
    }
}

/// What volumes are called for short: by their level where it says what it is of, as P30 or vpu-20 does and `premium` does not.
pub(crate) fn telling_name(volume: &str, level: &str) -> String {
    if level.is_empty() {
        volume.to_owned()
    } else if level.contains(|letter: char| letter.is_ascii_digit()) {
        level.to_owned()
    } else {
        format!("{volume} {level}")
    }
}

pub(super) fn read_pool(table: &mut TableReader<'_>) -> Option<Pool> {
    let role_words: Vec<_> = Role::ALL.iter().map(|role| (role.as_str(), *role)).collect();
    let roles = if table.has("roles") { table.words("roles", &role_words) } else { None };
    let volume = table.required("volume", TableReader::name);
    let level = table.text("level").unwrap_or_default();
    let count = table.count("count", 1..=4096).unwrap_or(1);
    let size = table.size("size");
    let iops = table.number("iops");
    let bandwidth = table.bandwidth("bandwidth");
    let attachment = table.text("attachment");
    let host_cache = table.word("host_cache", &HostCache::WORDS).unwrap_or_default();
    let cache_hit_percent = table.number("cache_hit_percent").unwrap_or(0.0);
    // Volumes are sold in whole GiB; a rounded size would not be the one that was priced.
    if size.is_some_and(|size| !size.get().is_multiple_of(ByteSize::GIB.get()) || size.get() == 0) {
        return table.refuse("size", "`size` must be whole GiB, such as \"1134GiB\"".to_owned());
    }
    if cache_hit_percent > 100.0 {
        return table.refuse("cache_hit_percent", "`cache_hit_percent` must be from 0 to 100".to_owned());
    }
    // Otherwise reads would be taken off the volumes with no cache to serve them.
    if cache_hit_percent > 0.0 && host_cache == HostCache::None {
        return table.refuse("cache_hit_percent", "`cache_hit_percent` needs `host_cache`".to_owned());
    }
    Some(Pool {
        roles: roles.unwrap_or_default(),
        volume: volume?,
        level,
        count,
        size_gib: size.map_or(0, |size| size.get() / ByteSize::GIB.get()),
        iops,
        bandwidth,
        attachment,
        host_cache,
        cache_hit_percent,
    })
}
