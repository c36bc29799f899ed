//! Machines of a catalog from TOML.

use std::collections::BTreeMap;

use iotrial_model::toml_reader::{Scalar, TableReader};

use super::read::{Context, LIMITS, MB, read_plain, refuse_twice};
use super::{
    HostCacheLimit, LocalDisk, Machine, MachineLimit, MachineMeasure, MachinePrice, Network, Processors,
    SharedPath, VolumeKind,
};
use crate::measure::Measure;

/// One gigabit per second in bytes.
const GBIT: f64 = 1e9 / 8.0;

pub(super) fn read_machine(
    table: &mut TableReader<'_>,
    context: &Context,
    volumes: &[VolumeKind],
) -> Machine {
    let machine = Machine {
        name: table.needed("name", TableReader::name),
        processors: read_processors(table),
        constrained_from: None,
        arm: table.boolean("arm").unwrap_or_default(),
        volumes_max: table.count("volumes_max", 1..=1 << 16),
        volumes_max_by_attachment: table
            .table("volumes_max_by_attachment", |counts| Some(read_counts(counts, volumes)))
            .unwrap_or_default(),
        network: table.table("network", read_network),
        limits: table.list("limit", |table| read_limit(table, volumes)),
        paths: table.list("path", |table| read_path(table, volumes)),
        // All three or none: a cache with an unknown limit would make reads appear free.
        host_cache: table.table("host_cache", |cache| {
            Some(HostCacheLimit {
                iops: cache.needed("iops", TableReader::number),
                bandwidth: cache.needed("mb_per_s", TableReader::number) * MB,
                size_gib: cache.needed("size_gib", TableReader::number),
            })
        }),
        local_disk: table.table("local_disk", |disk| Some(read_local_disk(disk))),
        price: table.table("price", |price| Some(read_price(price, context))),
        gap: table.text("gap"),
        source: context.source(table),
    };
    // The local disk then has no limit of its own to fall back on.
    table.refuse_if(
        machine.local_disk.as_ref().is_some_and(|disk| disk.with_host_cache) && !table.has("host_cache"),
        "local_disk",
        "`with_host_cache` needs `host_cache`",
    );
    // A machine without limits would carry everything. Where no source states them, `gap` says so, and the
    // search leaves the machine out.
    table.refuse_if(
        machine.limits.is_empty() && machine.paths.is_empty() && machine.gap.is_none(),
        "name",
        "a limit for volumes is missing: [[machine.limit]], [[machine.path]], or `gap` with the reason",
    );
    refuse_twice(table, "limit", &machine.limits, |limit| &limit.name);
    let mut limits = machine.limits.iter().flat_map(|limit| &limit.limits);
    table.refuse_if(
        limits.any(|limit| limit.per_network.is_some()) && !table.has("network"),
        "name",
        "`network` is missing: some limits are per Gbit/s of it",
    );
    machine
}

fn read_processors(table: &mut TableReader<'_>) -> Processors {
    if !table.has("vcpus_per_ocpu") {
        return Processors::Fixed {
            ocpus: table.count("ocpus", 1..=4096),
            vcpus: table.needed("vcpus", |table, key| table.count(key, 1..=8192)),
            memory_gib: table.needed("memory_gib", TableReader::number),
        };
    }
    let (ocpus_min, ocpus_max) = table.needed("ocpus", |table, key| {
        table.table(key, |ocpus| {
            let [min, max] =
                ["min", "max"].map(|key| ocpus.needed(key, |table, key| table.count(key, 1..=4096)));
            ocpus.refuse_if(min > max, "max", "`max` must not be less than `min`");
            Some((min, max))
        })
    });
    let (memory_min_gib, memory_max_gib, memory_per_ocpu_max_gib) =
        table.needed("memory_gib", |table, key| {
            table.table(key, |memory| {
                let [min, max] = ["min", "max"].map(|key| memory.needed(key, TableReader::number));
                Some((min, max, memory.number("per_ocpu_max").unwrap_or(f64::INFINITY)))
            })
        });
    Processors::Flexible {
        ocpus_min,
        ocpus_max,
        vcpus_per_ocpu: table.needed("vcpus_per_ocpu", |table, key| table.count(key, 1..=8)),
        memory_min_gib,
        memory_max_gib,
        memory_per_ocpu_max_gib,
    }
}

fn read_counts(table: &mut TableReader<'_>, volumes: &[VolumeKind]) -> BTreeMap<String, u32> {
    let is_known =
        |name: &str| volumes.iter().flat_map(|kind| &kind.attachments).any(|known| known.name == name);
    let mut counts = BTreeMap::new();
    for (name, value) in table.scalars() {
        let count = match value {
            Scalar::Number { text, .. } => text.parse::<u32>().ok(),
            _ => None,
        };
        // A name that no volume has is nearly always a typo; the limit would silently apply to nothing.
        let unknown = format!("no volume has an attachment `{name}`");
        table.refuse_if(count.is_some() && !is_known(&name), &name, &unknown);
        table.refuse_if(count.is_none(), &name, &format!("`{name}` must be a number of volumes"));
        counts.insert(name, count.unwrap_or_default());
    }
    counts
}

fn read_network(table: &mut TableReader<'_>) -> Option<Network> {
    let both = table.number("gbit_per_s");
    let egress = table.number("egress_gbit_per_s");
    let ingress = table.number("ingress_gbit_per_s");
    let per_ocpu = table.number("gbit_per_s_per_ocpu");
    let most = table.number("gbit_per_s_max");
    let bytes = |gbit: f64| gbit * GBIT;
    match (both, egress, per_ocpu, most) {
        // «gbit_per_s» is stated for both directions. Egress alone leaves ingress unknown (Azure bounds only
        // what leaves the machine), and unknown stays unknown here: the chain decides what to assume.
        (Some(both), None, None, None) if ingress.is_none() => {
            Some(Network { egress: bytes(both), ingress: Some(bytes(both)), per_ocpu: None })
        }
        (None, Some(egress), None, None) => {
            Some(Network { egress: bytes(egress), ingress: ingress.map(bytes), per_ocpu: None })
        }
        (None, None, Some(per_ocpu), Some(most)) if ingress.is_none() => {
            // By core, up to a ceiling: flexible shapes of OCI.
            Some(Network { egress: bytes(most), ingress: Some(bytes(most)), per_ocpu: Some(bytes(per_ocpu)) })
        }
        _ => table.refuse(
            "gbit_per_s",
            "give a network as `gbit_per_s`, or `egress_gbit_per_s` with `ingress_gbit_per_s` if known, or `gbit_per_s_per_ocpu` and `gbit_per_s_max`"
                .to_owned(),
        ),
    }
}

/// Names of volumes that exist.
pub(super) fn read_volumes(table: &mut TableReader<'_>, known: &[VolumeKind]) -> Vec<String> {
    let volumes = table.texts("volumes").unwrap_or_default();
    if let Some(unknown) = volumes.iter().find(|name| !known.iter().any(|kind| kind.name == **name)) {
        // One without a name has been refused for that.
        let known = known.iter().map(|kind| kind.name.as_str()).filter(|name| !name.is_empty());
        let known: Vec<&str> = known.collect();
        let message = format!("no volume is named `{unknown}`; there are {}", known.join(", "));
        table.refuse::<()>("volumes", message);
    }
    volumes
}

fn read_limit(table: &mut TableReader<'_>, known: &[VolumeKind]) -> MachineLimit {
    let name = table.needed("name", TableReader::name);
    let volumes = read_volumes(table, known);
    let mut limits: Vec<MachineMeasure> = Vec::new();
    for keys in &LIMITS {
        let [max, per_network, burst] = [keys.plain, keys.per_gbit, keys.burst]
            .map(|key| table.number(key).map(|amount| amount * keys.unit));
        if max.is_none() && per_network.is_none() {
            table.refuse_if(burst.is_some(), keys.burst, &format!("`{}` must be given as well", keys.plain));
            continue;
        }
        let is_limited = limits.iter().any(|other| other.measure == keys.measure);
        keys.refuse_both_units(table, keys.plain, is_limited);
        limits.push(MachineMeasure {
            measure: keys.measure,
            // Only relative to the network: then the network is the ceiling.
            max: max.unwrap_or(f64::INFINITY),
            // The key is per Gbit/s as vendors state it; the division makes it per byte per second, the unit of
            // `Network`.
            per_network: per_network.map(|amount| amount / GBIT),
            burst,
        });
    }
    let message = "a limit is missing: `iops`, `mb_per_s`, `read_mb_per_s` and so on";
    table.refuse_if(limits.is_empty(), "name", message);
    MachineLimit { name, volumes, limits }
}

/// A path without its source.
pub(super) fn read_path(table: &mut TableReader<'_>, known: &[VolumeKind]) -> SharedPath {
    let path = SharedPath {
        name: table.needed("name", TableReader::name),
        count: table.count("count", 1..=10_000).unwrap_or(1),
        volumes: read_volumes(table, known),
        limits: read_plain(table),
        queue_depth: table.number("queue_depth"),
        source: None,
    };
    let message = "a limit is missing: `mb_per_s_max`, `queue_depth` and so on";
    table.refuse_if(path.limits.is_empty() && path.queue_depth.is_none(), "name", message);
    path
}

/// The disks of the machine itself.
fn read_local_disk(table: &mut TableReader<'_>) -> LocalDisk {
    let with_host_cache = table.boolean("with_host_cache").unwrap_or_default();
    let mut limits = read_plain(table);
    limits.extend(bandwidth_of_4_kib(&limits));
    // With `with_host_cache` the limits are those of the cache, where the vendor states both together.
    let message = "a limit is missing: `iops_max`, `read_mb_per_s_max` and so on, or `with_host_cache`";
    table.refuse_if(limits.is_empty() && !with_host_cache, "size_gib", message);
    LocalDisk {
        size_gib: table.needed("size_gib", |table, key| table.integer(key, 1..=1 << 24)),
        limits,
        with_host_cache,
    }
}

/// What I/Os of 4 KiB at the stated rates move, where no bandwidth is stated: vendors state IOPS of local disks at 4 KiB, and without this
/// large I/Os would be bound by nothing. Disks move more at larger sizes, so that it is on the safe side.
fn bandwidth_of_4_kib(limits: &[(Measure, f64)]) -> Vec<(Measure, f64)> {
    const STATED_AT_BYTES: f64 = 4_096.0;
    let of = |measure| match measure {
        Measure::Iops => Some(Measure::Bandwidth),
        Measure::ReadIops => Some(Measure::ReadBandwidth),
        Measure::WriteIops => Some(Measure::WriteBandwidth),
        _ => None,
    };
    let is_bandwidth =
        |measure| matches!(measure, Measure::Bandwidth | Measure::ReadBandwidth | Measure::WriteBandwidth);
    if limits.iter().any(|(measure, _)| is_bandwidth(*measure)) {
        return Vec::new();
    }
    limits.iter().filter_map(|(measure, most)| Some((of(*measure)?, STATED_AT_BYTES * most))).collect()
}

fn read_price(table: &mut TableReader<'_>, context: &Context) -> MachinePrice {
    let [per_month, per_hour, per_ocpu_hour, per_memory_gib_hour] =
        ["per_month", "per_hour", "per_ocpu_hour", "per_memory_gib_hour"]
            .map(|key| table.number(key).unwrap_or_default());
    MachinePrice {
        currency: context.price_currency(table),
        per_month,
        per_hour,
        per_ocpu_hour,
        per_memory_gib_hour,
        source: context.source(table),
    }
}
