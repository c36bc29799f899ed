//! What the way to the storage allows: no more bytes per second than it carries, and no I/O faster than its block crosses it.

use std::collections::BTreeMap;

use iotrial_model::range::{Range, write_change, write_number, write_stated};
use iotrial_model::record::AttributeValue;

use super::part::Part;
use super::tally::{AuditFinding, Check, Tally, Weight};

/// A direct I/O is a command that the device fetches and a block that it moves, each over PCIe, where a single round trip takes
/// half a microsecond or more (Neugebauer and others, Understanding PCIe performance for end host networking, 2018).
pub(super) const LEAST_DEVICE_US: f64 = 1.0;

/// Light in glass goes a kilometre in 5 µs, and an answer comes back the same way.
const ROUND_TRIP_US_PER_KM: f64 = 10.0;

const MIB: f64 = 1_048_576.0;

/// The way to the storage, as the attributes tell it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Link {
    /// Bytes per second that it carries in each direction, all of its parts together.
    bytes_per_s: f64,
    /// The same of one part, which carries one I/O.
    one_bytes_per_s: f64,
    /// Whether reads and writes share it.
    is_shared: bool,
    /// What it is, in words.
    words: String,
}

/// Attributes that give the rate of one part in numbers, with the bytes per second of their unit.
const RATE_ATTRIBUTES: [(&str, f64); 7] = [
    ("link_gbit_s", 125e6),
    ("network_gbit_s", 125e6),
    ("nic_gbit_s", 125e6),
    ("egress_gbit_s", 125e6),
    ("link_mib_per_s", MIB),
    ("link_mb_per_s", 1e6),
    ("link_mb_s", 1e6),
];

/// Words for links, with the payload that their line code leaves in MB/s, and whether both directions share it.
const NAMED_LINKS: [(&str, f64, bool); 9] = [
    ("sata", 600.0, true),
    ("sas-6g", 600.0, false),
    ("sas-12g", 1_200.0, false),
    ("fc-8g", 800.0, false),
    ("fc-16g", 1_600.0, false),
    ("fc-32g", 3_200.0, false),
    ("pcie3-x4", 3_938.0, false),
    ("pcie4-x4", 7_877.0, false),
    ("pcie5-x4", 15_754.0, false),
];

/// Attributes that hold such a word.
const NAME_ATTRIBUTES: [&str; 3] = ["interconnect", "attachment", "bus"];

/// Attributes that count the parts of a link: each host has one, and each named link belongs to one device.
const HOST_COUNTS: [&str; 2] = ["hosts", "links"];
const DEVICE_COUNTS: [&str; 2] = ["volumes", "disks"];

impl Link {
    /// The narrowest that the attributes tell; `None` where they tell none.
    pub(super) fn of(attributes: &BTreeMap<String, AttributeValue>) -> Option<Self> {
        let count = |names: [&str; 2]| {
            let counts = names.iter().filter_map(|name| number(attributes.get(*name)?));
            counts.fold(1.0, f64::max)
        };
        let hosts = count(HOST_COUNTS);
        let rated = RATE_ATTRIBUTES.iter().filter_map(|(name, unit)| {
            let rate = number(attributes.get(*name)?).filter(|rate| *rate > 0.0)? * unit;
            let words = format!("{name} = {}{}", attributes[*name], times(hosts));
            Some(Self { bytes_per_s: rate * hosts, one_bytes_per_s: rate, is_shared: false, words })
        });
        let named = NAME_ATTRIBUTES.iter().filter_map(|name| {
            let AttributeValue::Text(text) = attributes.get(*name)? else { return None };
            let (word, mb_per_s, is_shared) =
                NAMED_LINKS.iter().find(|(word, ..)| word.eq_ignore_ascii_case(text))?;
            let parts = hosts * count(DEVICE_COUNTS);
            let words = format!("{word}: {mb_per_s} MB/s{}", times(parts));
            let one = mb_per_s * 1e6;
            Some(Self { bytes_per_s: one * parts, one_bytes_per_s: one, is_shared: *is_shared, words })
        });
        // All of them lie on the same way, one after the other, so the narrowest decides.
        rated.chain(named).min_by(|a, b| a.bytes_per_s.total_cmp(&b.bytes_per_s))
    }
}

fn times(count: f64) -> String {
    if count > 1.0 { format!(", {count} times") } else { String::new() }
}

fn number(value: &AttributeValue) -> Option<f64> {
    match value {
        AttributeValue::Integer(integer) => Some(precise(*integer)),
        AttributeValue::Number(number) => Some(*number),
        AttributeValue::Text(_) => None,
    }
}

fn precise(integer: i64) -> f64 {
    integer as f64
}

/// All that the way to the storage says of a part.
pub(super) fn check_link(part: &Part<'_>, attributes: &BTreeMap<String, AttributeValue>, tally: &mut Tally) {
    if let Some(link) = Link::of(attributes) {
        check_bandwidth(part, &link, tally);
        check_latency(part, &link, tally);
    }
    let distance = attributes.get("distance_km").and_then(number).filter(|km| *km > 0.0);
    let mut floors = Vec::new();
    floors.extend(distance.map(|km| {
        let words = format!(
            "light needs {} µs for {} km there and back",
            write_number(km * ROUND_TRIP_US_PER_KM),
            write_number(km)
        );
        (Check::LinkLatency, km * ROUND_TRIP_US_PER_KM, words, Weight::Contradiction)
    }));
    if part.is_direct() {
        // Only a doubt: the bound is that of PCIe, and memory that poses as a disk has no such way.
        let words = "no device answers a direct I/O in less than 1 µs".to_owned();
        floors.push((Check::DeviceLatency, LEAST_DEVICE_US, words, Weight::Doubt));
    }
    for (check, floor_us, words, weight) in floors {
        for stream in &part.streams {
            let latency = stream.latency();
            let Some(mean) = latency.mean_us else { continue };
            if Range::exact(floor_us).is_above(Range::of(mean)) {
                tally.found(AuditFinding {
                    check,
                    weight,
                    place: format!("{}, {}", part.place, stream.name),
                    message: format!("the mean latency is {} µs, but {words}", write_stated(mean)),
                    cause: "something answered the I/Os before they reached the storage: a cache on this side, blocks that were never written, or an engine without a device".to_owned(),
                    right: Some(format!("at least {} µs", write_number(floor_us))),
                    off_by_percent: Some(100.0 * (mean.value / floor_us - 1.0)),
                });
            } else {
                tally.held(check);
            }
        }
    }
}

fn check_bandwidth(part: &Part<'_>, link: &Link, tally: &mut Tally) {
    let of = |name: &str| {
        let stream = part.streams.iter().find(|stream| stream.name == name)?;
        stream.stated.bandwidth_mib_per_s.map(Range::of)
    };
    // Where reads and writes do not share a link, each direction has all of it to itself; of a total it is the larger direction
    // that is compared.
    let (read, write, total) = (of("read"), of("write"), of("total"));
    let mut loads = Vec::new();
    if link.is_shared {
        loads.extend(read.zip(write).map(|(read, write)| ("read and write", read + write)));
    } else if let (Some(total), Some(share)) = (total, part.read_share()) {
        // Of a sum, the larger direction has this share.
        loads.push(("total", total.scaled(share.max(1.0 - share))));
    }
    if link.is_shared {
        loads.extend(total.map(|total| ("total", total)));
    }
    loads.extend(read.map(|read| ("read", read)));
    loads.extend(write.map(|write| ("write", write)));
    for (name, bandwidth) in loads {
        let most = Range::exact(link.bytes_per_s / MIB);
        if !bandwidth.is_above(most) {
            tally.held(Check::LinkBandwidth);
            continue;
        }
        let off = 100.0 * (bandwidth.middle() / most.high - 1.0);
        tally.found(AuditFinding {
            check: Check::LinkBandwidth,
            weight: Weight::Contradiction,
            place: format!("{}, {name}", part.place),
            message: format!(
                "{bandwidth} MiB/s are reported over a link that carries at most {} MiB/s ({}): {}",
                write_number(most.high),
                link.words,
                write_change(off)
            ),
            cause: "a cache on this side of the link answered, the data was compressed, or the link is a different one".to_owned(),
            right: Some(format!("at most {} MiB/s", write_number(most.high))),
            off_by_percent: Some(off),
        });
    }
}

fn check_latency(part: &Part<'_>, link: &Link, tally: &mut Tally) {
    for stream in &part.streams {
        let (Some(block), Some(mean)) = (part.block_range(stream.name), stream.latency().mean_us) else {
            continue;
        };
        // The smallest block, because a mean over several sizes may be mostly of that one; and one part of the link, because an
        // I/O does not spread over several.
        let least = Range::exact(block.low / link.one_bytes_per_s * 1e6);
        if !least.is_above(Range::of(mean)) {
            tally.held(Check::LinkLatency);
            continue;
        }
        let off = 100.0 * (mean.value / least.low - 1.0);
        tally.found(AuditFinding {
            check: Check::LinkLatency,
            weight: Weight::Contradiction,
            place: format!("{}, {}", part.place, stream.name),
            message: format!(
                "the mean latency is {} µs, but a block alone takes {} µs over the link ({}): {}",
                write_stated(mean),
                write_number(least.low),
                link.words,
                write_change(off)
            ),
            cause: "a cache on this side of the link answered, or the latency has another unit".to_owned(),
            right: Some(format!("at least {} µs", write_number(least.low))),
            off_by_percent: Some(off),
        });
    }
}
