//! Whether the storage did what the figures say, or a cache before it.

use std::collections::BTreeMap;

use iotrial_model::audit::{AuditFinding, AuditPlace, Cause, Compared, Reason, Weight};
use iotrial_model::record::AttributeValue;
use iotrial_model::stream::Stream as StreamKind;
use iotrial_model::subject::Device;

use super::part::{Part, bytes};
use super::tally::Tally;

/// Ticks and counters of the operating system are read a moment before and after the I/Os; more than this share is no such moment.
const COUNTER_SHARE: f64 = 0.02;

/// Tools read the counters of devices from time to time, fio every 250 ms: what came after the last time is not in them.
const LATE_COUNTERS_S: f64 = 0.5;

const GIB: f64 = 1_073_741_824.0;

/// Reads that the devices did not see, and loads that fit into memory.
pub(super) fn check_cache(
    parts: &[Part<'_>],
    devices: &[Device<'_>],
    attributes: &BTreeMap<String, AttributeValue>,
    tally: &mut Tally,
) {
    check_devices(parts, devices, tally);
    // No format that is imported states the memory of its host, so it can only come from an attribute.
    let memory = match attributes.get("memory_gib") {
        Some(AttributeValue::Integer(gib)) => u64::try_from(*gib).ok().map(|gib| bytes(gib) * GIB),
        Some(AttributeValue::Number(gib)) => Some(gib * GIB),
        _ => None,
    };
    let Some(memory) = memory else { return };
    for part in parts.iter().filter(|part| part.loads.iter().any(|load| load.direct == Some(false))) {
        let sizes: Option<Vec<f64>> =
            part.loads.iter().map(|load| load.size.map(|size| bytes(size.get()))).collect();
        let Some(size) = sizes.map(|sizes| sizes.iter().sum::<f64>()).filter(|size| *size < memory) else {
            continue;
        };
        let finding = AuditFinding::of_figures(&part.place, Compared::Memory, size / GIB, memory / GIB);
        tally.found(finding.weighing(Weight::Doubt));
    }
}

/// Engines of fio whose I/Os pass the block layer of the host, which counts them at its devices. Those of `rbd`, `nfs`, `http`,
/// `libiscsi` and their kin leave over the network, those of `io_uring_cmd`, `sg` or `dev-dax` go past its counters.
const COUNTED_ENGINES: [&str; 11] = [
    "sync",
    "psync",
    "vsync",
    "pvsync",
    "pvsync2",
    "libaio",
    "posixaio",
    "io_uring",
    "splice",
    "solarisaio",
    "windowsaio",
];

/// Devices that count fewer random reads than were made did not do them. Each I/O is one that a device completed or one that was
/// merged into another before. Counters that hold more than one run, or several devices that lie on one another, count more and
/// accuse nobody.
fn check_devices(parts: &[Part<'_>], devices: &[Device<'_>], tally: &mut Tally) {
    // Without a name it is the usual one of the platform, which is counted.
    let is_uncounted = |engine: &&str| !COUNTED_ENGINES.contains(engine);
    let engines = parts.iter().flat_map(|part| &part.loads).filter_map(|load| load.engine.as_deref());
    if let (Some(engine), false) = (engines.clone().find(is_uncounted), devices.is_empty()) {
        return tally.unchecked(Reason::UncountedEngine(engine.to_owned()));
    }
    let counted: Option<u64> = devices
        .iter()
        .map(|device| device.read.io_count?.checked_add(device.read.merge_count.unwrap_or(0)))
        .sum();
    let Some(counted) = counted.filter(|_| !devices.is_empty()) else { return };
    // A part of several jobs repeats what each of them counts.
    let jobs: Vec<&Part<'_>> = parts.iter().filter(|part| part.loads.len() == 1).collect();
    let is_known = !jobs.is_empty() && jobs.iter().all(|part| part.is_random());
    let streams = || jobs.iter().filter_map(|part| part.stream(StreamKind::Read));
    let reads: u64 = streams().filter_map(|stream| stream.stated.io_count).sum();
    let rate: f64 = streams().filter_map(|stream| stream.stated.iops).map(|iops| iops.value).sum();
    if !is_known || reads == 0 {
        return;
    }
    let missing = 1.0 - bytes(counted) / bytes(reads);
    let agree = missing <= COUNTER_SHARE;
    // One that waits behind many others, as of a slow device, is done all at once with them: merged, or after the last time.
    let under_way = jobs.iter().map(|part| part.edge_count()).sum::<f64>();
    if !agree && missing * bytes(reads) <= (rate * LATE_COUNTERS_S).max(under_way) {
        let missing_percent = 100.0 * missing;
        return tally.unchecked(Reason::LateCounters { missing_percent, late_s: LATE_COUNTERS_S });
    }
    let place = if let [one] = &jobs[..] { (&one.place).into() } else { AuditPlace::AllJobs };
    let is_direct = jobs.iter().all(|part| part.is_direct());
    let cause = if is_direct { Cause::SparseFile } else { Cause::Usual };
    let finding = AuditFinding::of_figures(place, Compared::DeviceReads, bytes(reads), bytes(counted));
    tally.compare(agree, finding.because(cause));
}
