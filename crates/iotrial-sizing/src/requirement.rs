//! What a demand asks for besides rates: capacity, processors, memory, latency, operating system. And whether
//! rates and all of this are met.

use iotrial_model::demand::{Demand, LaidOutPool, LatencyClass};
use iotrial_model::units::ByteSize;
use serde::Serialize;

use crate::catalog::{Effect, Route, VolumeKind};
use crate::chain::{Chain, ElementKind, ROUNDING};
use crate::configuration::{Resolved, SizedMachine};
use crate::measure::{Load, Measure, grouped};
use crate::rule::broken_rules;

/// Something that a demand asks for and a configuration does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unmet {
    /// Short name of the requirement, such as `capacity`.
    pub what: &'static str,
    /// In one sentence, without a full stop.
    pub message: String,
}

/// How much of one limit a load takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Share {
    /// What the part is.
    pub kind: ElementKind,
    /// Name of the part.
    pub element: String,
    /// What is bounded.
    pub measure: Measure,
    /// How much the load takes, with what counts several times; bandwidth in bytes per second.
    pub used: f64,
    /// How much there is.
    pub most: f64,
    /// The first in percent of the second.
    pub percent: f64,
}

impl Share {
    /// The share in words: `1,983 of 1,920 MB/s`.
    pub fn written(&self) -> String {
        // The unit is printed once, after the second number.
        let (unit, one) = self.measure.unit_for(self.used);
        format!("{} of {} {unit}", grouped(self.used / one), grouped(self.most / one))
    }

    /// The limit as a phrase within a sentence: `the IOPS of 2 × vpu-10`, `the EBS limit on bandwidth`.
    pub fn in_words(&self) -> String {
        let Self { kind, element, measure, .. } = self;
        let is_counted = element.starts_with(|letter: char| letter.is_ascii_digit());
        match kind {
            // The part is called by what it bounds: I/Os in flight.
            ElementKind::Concurrency => format!("the {element}"),
            _ if element.ends_with(" limit") => format!("the {element} on {measure}"),
            _ if is_counted => format!("the {measure} of {element}"),
            ElementKind::Network => {
                let outgoing = element.replacen("network out", "outgoing network", 1);
                format!("the {measure} of the {}", outgoing.replacen("network in", "incoming network", 1))
            }
            // The names in a catalog are anybody's.
            ElementKind::Machine if !element.starts_with("network") => {
                format!("the {measure} limit “{element}”")
            }
            _ => format!("the {measure} of the {element}"),
        }
    }

    /// The limit as short as a cell of a table: `2 × vpu-10 (IOPS)`.
    pub fn in_short(&self) -> String {
        format!("{} ({})", self.element, self.measure)
    }
}

/// The shares of a load of every limit that it touches, the fullest first.
pub fn shares(chain: &Chain, load: &Load) -> Vec<Share> {
    let share = |headroom: crate::chain::Headroom<'_>| Share {
        kind: headroom.element.kind,
        element: headroom.element.name.clone(),
        measure: headroom.limit.measure,
        used: headroom.limit.usage(load),
        most: headroom.limit.most,
        // The factor says how many times the load fits, so its reciprocal is how full the limit is.
        percent: 100.0 / headroom.factor,
    };
    chain.headrooms(load).into_iter().map(share).collect()
}

/// Whether a configuration does what a demand asks for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fit {
    /// Whether everything is met, and no rule forbids it.
    pub is_met: bool,
    /// How many times the load is carried; `None` where nothing limits it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carries_times: Option<f64>,
    /// The fullest first.
    pub shares: Vec<Share>,
    /// What is asked for and not there; rates are in `shares`.
    pub unmet: Vec<Unmet>,
}

impl Fit {
    /// Compares a configuration with a demand, given as a load on its pools.
    pub fn new(resolved: &Resolved<'_>, chain: &Chain, demand: &Demand, load: &Load) -> Self {
        let mut unmet = machine_unmet(&resolved.machine, demand);
        if demand.pools.is_empty() {
            unmet.extend(unmet_together(resolved, demand));
        } else {
            unmet.extend(unmet_by_pool(resolved, demand));
        }
        let configuration = &resolved.configuration;
        if configuration.os != demand.os {
            let message = format!("it runs {}, but {} is required", configuration.os, demand.os);
            unmet.push(Unmet { what: "operating system", message });
        }
        for rule in broken_rules(resolved).into_iter().filter(|rule| rule.effect == Effect::Forbids) {
            unmet.push(Unmet { what: "rule", message: rule.message });
        }
        // Pools of the same kind would repeat the same message; they are neighbours, so `dedup` is enough.
        unmet.dedup();
        let reach = chain.reach(load);
        Self {
            // All three count: a configuration that carries the rates but cannot be ordered is not an answer.
            is_met: unmet.is_empty() && reach >= 1.0 - ROUNDING,
            carries_times: reach.is_finite().then_some(reach),
            shares: shares(chain, load),
            unmet,
        }
    }
}

/// What of capacity and latency is missing where everything may be anywhere.
fn unmet_together(resolved: &Resolved<'_>, demand: &Demand) -> Vec<Unmet> {
    let mut unmet = Vec::new();
    let need = demand.capacity_gib();
    // Capacity of a demand already includes growth and copies, so it is compared with everything that
    // lasts and not with what is usable.
    let have = resolved.lasting_gib();
    if have < need * (1.0 - ROUNDING) {
        let message =
            format!("{} GiB are needed with growth and copies, but it has {}", grouped(need), grouped(have));
        unmet.push(Unmet { what: "capacity", message });
    }
    for pool in &resolved.pools {
        unmet.extend(latency_unmet(pool.kind, demand.latency, None));
    }
    unmet
}

/// What each pool that is asked for lacks where its roles lie. Pools of the demand may share one of the configuration.
fn unmet_by_pool(resolved: &Resolved<'_>, demand: &Demand) -> Vec<Unmet> {
    let mut unmet = Vec::new();
    let copies = f64::from(resolved.configuration.mirror.copies());
    let mut needs = vec![0.0; resolved.pools.len()];
    for LaidOutPool { pool: asked, .. } in demand.layout() {
        let Ok(place) = resolved.pool_of(asked.roles.first().copied()) else {
            let message = format!("there is no pool for {}", asked.name());
            unmet.push(Unmet { what: "pool", message });
            continue;
        };
        let pool = &resolved.pools[place];
        let is_local = pool.kind.route == Route::Local;
        // Nobody mirrors the disk of the machine itself.
        needs[place] += demand.grown_gib(asked.capacity) * if is_local { 1.0 } else { copies };
        if is_local && asked.durable {
            let message =
                format!("{} must survive the machine, but {} is lost with it", asked.name(), pool.kind.title);
            unmet.push(Unmet { what: "durability", message });
        }
        unmet.extend(latency_unmet(pool.kind, asked.latency.or(demand.latency), Some(&asked.name())));
    }
    for (place, (pool, need)) in resolved.pools.iter().zip(needs).enumerate() {
        let have = pool.total_gib();
        if have < need * (1.0 - ROUNDING) {
            let message = format!(
                "{} GiB are needed for {} with growth and copies, but it has {}",
                grouped(need),
                resolved.pool_name(place),
                grouped(have)
            );
            unmet.push(Unmet { what: "capacity", message });
        }
    }
    unmet
}

/// What of processors and memory is missing.
pub(crate) fn machine_unmet(sized: &SizedMachine<'_>, demand: &Demand) -> Vec<Unmet> {
    let mut unmet = Vec::new();
    if sized.vcpus < demand.vcpus_min {
        let message = format!("{} vCPUs are needed, but it has {}", demand.vcpus_min, sized.vcpus);
        unmet.push(Unmet { what: "vcpus", message });
    }
    let memory = memory_gib(demand);
    // Memory is compared as GiB in floating point, so the last bits must not decide; processors are whole
    // numbers.
    if sized.memory_gib < memory * (1.0 - ROUNDING) {
        let message =
            format!("{} GiB of memory are needed, but it has {}", grouped(memory), grouped(sized.memory_gib));
        unmet.push(Unmet { what: "memory", message });
    }
    unmet
}

/// The memory that is asked for.
pub(crate) fn memory_gib(demand: &Demand) -> f64 {
    demand.memory_min.get() as f64 / ByteSize::GIB.get() as f64
}

/// Whether a kind of volume is as fast as asked of a pool, or of everything, as far as a source says.
pub(crate) fn latency_unmet(
    kind: &VolumeKind,
    asked: Option<LatencyClass>,
    pool: Option<&str>,
) -> Option<Unmet> {
    let asked = asked?;
    let of = pool.map_or_else(String::new, |pool| format!(" for {pool}"));
    let message = match kind.latency {
        // The class is ordered from fast to slow. A kind of unknown latency does not meet a requirement:
        // nobody has promised anything.
        Some(latency) if latency <= asked => return None,
        Some(latency) => format!("the latency of {} is {latency}, but {asked} is required{of}", kind.title),
        None => {
            format!("the latency of {} is not in the catalog, but {asked} is required{of}", kind.title)
        }
    };
    Some(Unmet { what: "latency", message })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(kind: ElementKind, element: &str, measure: Measure) -> Share {
        Share { kind, element: element.to_owned(), measure, used: 28_160.0, most: 1.2e8, percent: 0.02 }
    }

    #[test]
    fn a_limit_is_a_phrase_whatever_its_part_is_called() {
        let check = |kind, element: &str, measure, phrase: &str| {
            assert_eq!(share(kind, element, measure).in_words(), phrase);
        };
        check(ElementKind::Volumes, "2 × vpu-10", Measure::Iops, "the IOPS of 2 × vpu-10");
        check(ElementKind::Machine, "EBS limit", Measure::Bandwidth, "the EBS limit on bandwidth");
        check(
            ElementKind::Machine,
            "network for volumes",
            Measure::ReadBandwidth,
            "the read bandwidth of the network for volumes",
        );
        check(
            ElementKind::Machine,
            "uncached, Premium SSD",
            Measure::Iops,
            "the IOPS limit “uncached, Premium SSD”",
        );
        check(
            ElementKind::Network,
            "network in (same as out)",
            Measure::ReadBandwidth,
            "the read bandwidth of the incoming network (same as out)",
        );
        check(ElementKind::Concurrency, "queues of 2 × HBA", Measure::Outstanding, "the queues of 2 × HBA");
    }

    #[test]
    fn both_numbers_of_a_share_have_the_unit_of_the_first() {
        let small = share(ElementKind::Volumes, "1 × vpu-10", Measure::Bandwidth);
        assert_eq!(small.written(), "28.2 of 120,000 kB/s");
    }
}
