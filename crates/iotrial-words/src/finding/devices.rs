//! What is said of devices: what they counted, who shares them, and what limits them.

use iotrial_model::finding::{
    CacheByDevices, CacheByLatency, FlatRate, ForeignLoad, GAP_RATIO, SharedHolder,
};
use iotrial_model::given_target::in_words;
use iotrial_model::load::Role;
use iotrial_model::units::ByteSize;
use iotrial_model::words::{enumerate, in_brief};

use crate::numbers::{latency_in_words, rate_in_words};

pub(super) fn cache_by_devices(cache: &CacheByDevices) -> String {
    let CacheByDevices { direction, devices, cache_percent, above, roles, .. } = cache;
    let (counted, issued) = (ByteSize::bytes(cache.device_bytes), ByteSize::bytes(cache.issued_bytes));
    let seen_percent = 100.0 - cache_percent;
    if above.is_empty() {
        format!(
            "{}the devices counted only {counted} of the {issued} that iotrial issued as {direction}s ({seen_percent:.0} %): a cache or holes in the file answered the rest, or the I/O went to devices that iotrial does not know",
            whose(roles)
        )
    } else {
        format!(
            "{} counted only {counted} of the {issued} that {} passed on as {direction}s ({seen_percent:.0} %): a cache between them answered the rest, or still holds it",
            devices.join(", "),
            above.join(", ")
        )
    }
}

pub(super) fn cache_by_latency(cache: &CacheByLatency) -> String {
    let CacheByLatency { direction, job, cache_percent, fast_median_us, slow_median_us, gap_from_us, .. } =
        cache;
    let or_else = if cache.area_count > 1 { ", or its files are on devices of different speed" } else { "" };
    format!(
        "the {direction}s of `{job}` have two separate latencies: {cache_percent:.0} % around {} and the rest around {}, with almost none between {} and {}: a cache answers some of them{or_else}",
        latency_in_words(*fast_median_us),
        latency_in_words(*slow_median_us),
        latency_in_words(*gap_from_us),
        latency_in_words(GAP_RATIO * gap_from_us)
    )
}

pub(super) fn foreign_load(load: &ForeignLoad) -> String {
    let ForeignLoad {
        devices,
        share_percent,
        issued_read_bytes,
        issued_write_bytes,
        device_read_bytes,
        device_write_bytes,
        roles,
        partitions,
        is_bare,
    } = load;
    let excess = device_read_bytes.saturating_sub(*issued_read_bytes)
        + device_write_bytes.saturating_sub(*issued_write_bytes);
    let issued = issued_read_bytes + issued_write_bytes;
    let devices = devices.join(", ");
    if !partitions.is_empty() {
        return format!(
            "{share_percent:.0} % of the bytes that {devices} moved ({}) belong to partitions other than {}: something else used the disk",
            ByteSize::bytes(excess),
            partitions.join(", ")
        );
    }
    let who = if *is_bare {
        "something else used them"
    } else {
        "something else used them, or the file system adds I/Os of its own"
    };
    let of_issued_percent = if issued == 0 { 0.0 } else { 100.0 * excess as f64 / issued as f64 };
    format!(
        "{}the devices moved {} more than the {} that iotrial issued ({of_issued_percent:.0} % of that, and {share_percent:.0} % of all that {devices} moved): {who}",
        whose(roles),
        ByteSize::bytes(excess),
        ByteSize::bytes(issued)
    )
}

pub(super) fn flat_limit(rate: &FlatRate) -> String {
    let (roles, devices) = (in_words(&rate.roles), enumerate(&rate.devices));
    let (whose, where_set) = match (rate.roles.as_slice(), rate.devices.as_slice()) {
        ([], _) => (String::new(), "the device, the volume or the instance".to_owned()),
        (_, []) => (format!("{roles}: "), "its device, the volume or the instance".to_owned()),
        (_, [only]) => (format!("{roles} on {only}: "), format!("{only} or a layer below it")),
        (_, _) => (format!("{roles} on {devices}: "), format!("{devices} or a layer below them")),
    };
    let value = match (rate.limit_iops, rate.limit_mib_per_s) {
        (Some(iops), _) => format!("{} IOPS", rate_in_words(iops)),
        (None, mib_per_s) => format!("{:.1} MiB/s", mib_per_s.unwrap_or_default()),
    };
    let [of_these, for_these] = ["of", "for"]
        .map(|word| rate.direction.map(|direction| format!(" {word} {direction}s")).unwrap_or_default());
    format!(
        "{whose}{value}{of_these} in every second of {:.0} s (the sum was never off by more than {:.0} ms), while {:.0} I/Os waited {:.0} times as long as on the idle device: {where_set} has a limit of that rate{for_these}",
        rate.measured_s,
        (1e3 * rate.drift_s).ceil().max(1.0),
        rate.in_flight,
        rate.lat_mean_us / rate.lat_min_us
    )
}

/// More targets than this are counted instead of named.
const MOST_NAMED: usize = 6;

pub(super) fn shared_disk(devices: &[String], holders: &[SharedHolder], are_disks: bool) -> String {
    let name = |holder: &SharedHolder| match holder.roles.as_slice() {
        [] => format!("`{}`", holder.path),
        roles => format!("{} (`{}`)", in_words(roles), holder.path),
    };
    let names: Vec<String> = holders.iter().map(name).collect();
    let names = if names.len() > MOST_NAMED { in_brief(&names, MOST_NAMED, 3) } else { enumerate(&names) };
    let noun = if are_disks { "disk" } else { "device" };
    let s = if devices.len() == 1 { "" } else { "s" };
    let others = if holders.len() == 2 { "other" } else { "others" };
    format!(
        "{names} are on the same {noun}{s}, {}: they share its performance, and each waits for the I/O of the {others}",
        enumerate(devices)
    )
}

/// Roles before what is said of their part of the load.
fn whose(roles: &[Role]) -> String {
    if roles.is_empty() { String::new() } else { format!("{}: ", in_words(roles)) }
}
