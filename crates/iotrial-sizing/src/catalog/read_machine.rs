//! Machines of a catalog from TOML.

use std::collections::BTreeMap;

use iotrial_model::toml_reader::{Scalar, TableReader};

use super::read::{Context, MB, MIB, read_plain, refuse_twice};
use super::{
    HostCacheLimit, LocalDisk, Machine, MachineLimit, MachineMeasure, MachinePrice, Network, Processors,
    SharedPath, VolumeKind,
};
use crate::measure::Measure;

/// One gigabit per second in bytes.
const GBIT: f64 = 1e9 / 8.0;

/// The keys of a machine's limit: the most, for each Gbit/s of its network, for a while.
struct Keys {
    measure: Measure,
    unit: f64,
    max: &'static str,
    per_gbit: &'static str,
    burst: &'static str,
}

macro_rules! machine_keys {
    ($($measure:ident $unit:expr, $name:literal;)+) => {
        [$(Keys {
            measure: Measure::$measure,
            unit: $unit,
            max: $name,
            per_gbit: concat!($name, "_per_gbit_per_s"),
            burst: concat!("burst_", $name),
        }),+]
    };
}

const KEYS: [Keys; 9] = machine_keys! {
    Iops 1.0, "iops";
    ReadIops 1.0, "read_iops";
    WriteIops 1.0, "write_iops";
    Bandwidth MB, "mb_per_s";
    Bandwidth MIB, "mib_per_s";
    ReadBandwidth MB, "read_mb_per_s";
    ReadBandwidth MIB, "read_mib_per_s";
    WriteBandwidth MB, "write_mb_per_s";
    WriteBandwidth MIB, "write_mib_per_s";
};

pub(super) fn read_machine(
    table: &mut TableReader<'_>,
    context: &Context,
    volumes: &[VolumeKind],
) -> Option<Machine> {
    let names: Vec<String> = volumes.iter().map(|kind| kind.name.clone()).collect();
    let attachments: Vec<&String> =
        volumes.iter().flat_map(|kind| &kind.attachments).map(|attachment| &attachment.name).collect();
    let name = table.required("name", TableReader::name);
    let processors = read_processors(table);
    let arm = table.boolean("arm").unwrap_or(false);
    let volumes_max = table.integer("volumes_max", 1..=1 << 16).and_then(|count| u32::try_from(count).ok());
    let by_attachment =
        table.table("volumes_max_by_attachment", |counts| Some(read_counts(counts, &attachments)));
    let network = table.table("network", read_network);
    let limits = table.tables("limit", |table| read_limit(table, &names)).unwrap_or_default();
    let paths = table.tables("path", |table| read_path(table, &names)).unwrap_or_default();
    // All three or none: a cache with an unknown limit would make reads appear free.
    let host_cache = table.table("host_cache", |cache| {
        let iops = cache.required("iops", TableReader::number);
        let bandwidth = cache.required("mb_per_s", TableReader::number);
        let size_gib = cache.required("size_gib", TableReader::number);
        Some(HostCacheLimit { iops: iops?, bandwidth: bandwidth? * MB, size_gib: size_gib? })
    });
    let local_disk = table.table("local_disk", read_local_disk);
    // The local disk then has no limit of its own to fall back on.
    if local_disk.as_ref().is_some_and(|disk| disk.with_host_cache) && !table.has("host_cache") {
        table.refuse::<()>("local_disk", "`with_host_cache` needs `host_cache`".to_owned());
    }
    let price = table.table("price", |price| read_price(price, context));
    let gap = table.text("gap");
    let source = context.source(table);
    // A machine without limits would carry everything. Where no source states them, `gap` says so, and the
    // search leaves the machine out.
    if limits.is_empty() && paths.is_empty() && gap.is_none() {
        let message =
            "a limit for volumes is missing: [[machine.limit]], [[machine.path]], or `gap` with the reason";
        table.refuse::<()>("name", message.to_owned());
    }
    let names: Vec<String> = limits.iter().map(|limit| limit.name.clone()).collect();
    refuse_twice(table, "limit", &names);
    let relative = limits.iter().flat_map(|limit| &limit.limits).any(|limit| limit.per_network.is_some());
    // `has` as well, so that a network that is there but wrong is reported once.
    if relative && network.is_none() && !table.has("network") {
        table.refuse::<()>("name", "`network` is missing: some limits are per Gbit/s of it".to_owned());
    }
    Some(Machine {
        name: name?,
        processors: processors?,
        constrained_from: None,
        arm,
        volumes_max,
        volumes_max_by_attachment: by_attachment.unwrap_or_default(),
        network,
        limits,
        paths,
        host_cache,
        local_disk,
        price,
        gap,
        source: source?,
    })
}

fn read_processors(table: &mut TableReader<'_>) -> Option<Processors> {
    // The ranges below fit in 32 bits, so nothing is lost here.
    let count = |number: Option<u64>| number.and_then(|number| u32::try_from(number).ok());
    if table.has("vcpus_per_ocpu") {
        let per_ocpu = count(table.integer("vcpus_per_ocpu", 1..=8));
        let ocpus = table.required("ocpus", |table, key| {
            table.table(key, |ocpus| {
                let min = count(ocpus.required("min", |table, key| table.integer(key, 1..=4096)));
                let max = count(ocpus.required("max", |table, key| table.integer(key, 1..=4096)));
                if min > max {
                    return ocpus.refuse("max", "`max` must not be less than `min`".to_owned());
                }
                Some((min?, max?))
            })
        });
        let memory = table.required("memory_gib", |table, key| {
            table.table(key, |memory| {
                let min = memory.required("min", TableReader::number);
                let max = memory.required("max", TableReader::number);
                let per_ocpu_max = memory.number("per_ocpu_max").unwrap_or(f64::INFINITY);
                Some((min?, max?, per_ocpu_max))
            })
        });
        let ((ocpus_min, ocpus_max), (memory_min_gib, memory_max_gib, memory_per_ocpu_max_gib)) =
            (ocpus?, memory?);
        return Some(Processors::Flexible {
            ocpus_min,
            ocpus_max,
            vcpus_per_ocpu: per_ocpu?,
            memory_min_gib,
            memory_max_gib,
            memory_per_ocpu_max_gib,
        });
    }
    let ocpus = count(table.integer("ocpus", 1..=4096));
    let vcpus = table.required("vcpus", |table, key| table.integer(key, 1..=8192));
    let memory_gib = table.required("memory_gib", TableReader::number);
    Some(Processors::Fixed { ocpus, vcpus: count(vcpus)?, memory_gib: memory_gib? })
}

fn read_counts(table: &mut TableReader<'_>, attachments: &[&String]) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for (name, value) in table.scalars() {
        let count = match value {
            Scalar::Number { text, .. } => text.parse::<u32>().ok(),
            _ => None,
        };
        match count {
            // A name that no volume has is nearly always a typo; the limit would silently apply to nothing.
            Some(count) if attachments.iter().any(|known| **known == name) => {
                counts.insert(name, count);
            }
            Some(_) => {
                table.refuse::<()>(&name, format!("no volume has an attachment `{name}`")).unwrap_or(())
            }
            None => table.refuse::<()>(&name, format!("`{name}` must be a number of volumes")).unwrap_or(()),
        }
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
pub(super) fn read_volumes(table: &mut TableReader<'_>, known: &[String]) -> Vec<String> {
    let volumes = table.texts("volumes").unwrap_or_default();
    if let Some(unknown) = volumes.iter().find(|name| !known.contains(name)) {
        let message = format!("no volume is named `{unknown}`; there are {}", known.join(", "));
        table.refuse::<()>("volumes", message);
    }
    volumes
}

fn read_limit(table: &mut TableReader<'_>, names: &[String]) -> Option<MachineLimit> {
    let name = table.required("name", TableReader::name);
    let volumes = read_volumes(table, names);
    let mut limits: Vec<MachineMeasure> = Vec::new();
    for keys in &KEYS {
        let max = table.number(keys.max);
        // The key is per Gbit/s as vendors state it; the division makes it per byte per second, the unit of
        // `Network`.
        let per_network = table.number(keys.per_gbit).map(|amount| amount * keys.unit / GBIT);
        let burst = table.number(keys.burst).map(|amount| amount * keys.unit);
        if max.is_none() && per_network.is_none() {
            if burst.is_some() {
                table.refuse::<()>(keys.burst, format!("`{}` must be given as well", keys.max));
            }
            continue;
        }
        if limits.iter().any(|other| other.measure == keys.measure) {
            let message = format!("{} is limited in MB/s or in MiB/s, not both", keys.measure);
            table.refuse::<()>(keys.max, message);
        }
        // Only relative to the network: then the network is the ceiling.
        let max = max.map_or(f64::INFINITY, |max| max * keys.unit);
        limits.push(MachineMeasure { measure: keys.measure, max, per_network, burst });
    }
    if limits.is_empty() {
        return table
            .refuse("name", "a limit is missing: `iops`, `mb_per_s`, `read_mb_per_s` and so on".to_owned());
    }
    Some(MachineLimit { name: name?, volumes, limits })
}

/// A path without its source.
pub(super) fn read_path(table: &mut TableReader<'_>, names: &[String]) -> Option<SharedPath> {
    let name = table.required("name", TableReader::name);
    let count = table.integer("count", 1..=10_000).and_then(|count| u32::try_from(count).ok()).unwrap_or(1);
    let volumes = read_volumes(table, names);
    let limits = read_plain(table);
    let queue_depth = table.number("queue_depth");
    if limits.is_empty() && queue_depth.is_none() {
        return table
            .refuse("name", "a limit is missing: `mb_per_s_max`, `queue_depth` and so on".to_owned());
    }
    Some(SharedPath { name: name?, count, volumes, limits, queue_depth, source: None })
}

/// The disks of the machine itself.
fn read_local_disk(table: &mut TableReader<'_>) -> Option<LocalDisk> {
    let size_gib = table.required("size_gib", |table, key| table.integer(key, 1..=1 << 24));
    let with_host_cache = table.boolean("with_host_cache").unwrap_or(false);
    let mut limits = read_plain(table);
    limits.extend(bandwidth_of_4_kib(&limits));
    // With `with_host_cache` the limits are those of the cache, where the vendor states both together.
    if limits.is_empty() && !with_host_cache {
        let message = "a limit is missing: `iops_max`, `read_mb_per_s_max` and so on, or `with_host_cache`";
        return table.refuse("size_gib", message.to_owned());
    }
    Some(LocalDisk { size_gib: size_gib?, limits, with_host_cache })
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

fn read_price(table: &mut TableReader<'_>, context: &Context) -> Option<MachinePrice> {
    let currency = context.price_currency(table);
    let mut amount = |key| table.number(key).unwrap_or(0.0);
    let per_month = amount("per_month");
    let per_hour = amount("per_hour");
    let per_ocpu_hour = amount("per_ocpu_hour");
    let per_memory_gib_hour = amount("per_memory_gib_hour");
    let source = context.source(table);
    Some(MachinePrice {
        currency: currency?,
        per_month,
        per_hour,
        per_ocpu_hour,
        per_memory_gib_hour,
        source: source?,
    })
}
