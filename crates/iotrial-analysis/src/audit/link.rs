//! What the way to the storage allows: no more bytes per second than it carries, and no I/O faster than its block crosses it.

use std::collections::BTreeMap;

use iotrial_model::audit::{AuditFinding, Compared, Link, LinkName, Unit, Weight};
use iotrial_model::bound::BoundRelation;
use iotrial_model::imported::Stated;
use iotrial_model::range::Range;
use iotrial_model::record::AttributeValue;
use iotrial_model::stream::Stream as StreamKind;

use super::part::Part;
use super::tally::Tally;

/// A direct I/O is a command that the device fetches and a block that it moves, each over PCIe, where a single round trip takes
/// half a microsecond or more (Neugebauer and others, Understanding PCIe performance for end host networking, 2018).
pub(super) const LEAST_DEVICE_US: f64 = 1.0;

/// Light in glass goes a kilometre in 5 µs, and an answer comes back the same way.
const ROUND_TRIP_US_PER_KM: f64 = 10.0;

const MIB: f64 = 1_048_576.0;

/// What the way to the storage carries, as the attributes tell it.
#[derive(Debug, Clone, PartialEq)]
struct LinkRate {
    /// Bytes per second that it carries in each direction, all of its parts together.
    bytes_per_s: f64,
    /// The same of one part, which carries one I/O.
    one_bytes_per_s: f64,
    /// Whether reads and writes share it.
    is_shared: bool,
    /// What it is.
    link: Link,
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

impl LinkRate {
    /// The narrowest that the attributes tell; `None` where they tell none.
    fn of(attributes: &BTreeMap<String, AttributeValue>) -> Option<Self> {
        let count = |names: [&str; 2]| {
            let counts = names.iter().filter_map(|name| number(attributes.get(*name)?));
            counts.fold(1.0, f64::max)
        };
        let hosts = count(HOST_COUNTS);
        let rated = RATE_ATTRIBUTES.iter().filter_map(|(name, unit)| {
            let rate = number(attributes.get(*name)?).filter(|rate| *rate > 0.0)? * unit;
            let name = LinkName::Attribute { name, value: attributes[*name].clone() };
            let link = Link { name, count: hosts };
            Some(Self { bytes_per_s: rate * hosts, one_bytes_per_s: rate, is_shared: false, link })
        });
        let named = NAME_ATTRIBUTES.iter().filter_map(|name| {
            let AttributeValue::Text(text) = attributes.get(*name)? else { return None };
            let (word, mb_per_s, is_shared) =
                NAMED_LINKS.iter().find(|(word, ..)| word.eq_ignore_ascii_case(text))?;
            let parts = hosts * count(DEVICE_COUNTS);
            let link = Link { name: LinkName::Kind { word, mb_per_s: *mb_per_s }, count: parts };
            let one = mb_per_s * 1e6;
            Some(Self { bytes_per_s: one * parts, one_bytes_per_s: one, is_shared: *is_shared, link })
        });
        // All of them lie on the same way, one after the other, so the narrowest decides.
        rated.chain(named).min_by(|a, b| a.bytes_per_s.total_cmp(&b.bytes_per_s))
    }
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
    if let Some(rate) = LinkRate::of(attributes) {
        check_bandwidth(part, &rate, tally);
        check_latency(part, &rate, tally);
    }
    let distance = attributes.get("distance_km").and_then(number).filter(|km| *km > 0.0);
    let mut floors = Vec::new();
    floors.extend(
        distance.map(|km| (Compared::Distance(km), km * ROUND_TRIP_US_PER_KM, Weight::Contradiction)),
    );
    if part.is_direct() {
        // Only a doubt: the bound is that of PCIe, and memory that poses as a disk has no such way.
        floors.push((Compared::AnyDevice, LEAST_DEVICE_US, Weight::Doubt));
    }
    for (compared, floor_us, weight) in floors {
        for stream in &part.streams {
            let Some(mean) = stream.latency().mean_us else { continue };
            let place = part.place.stream(stream.kind);
            let finding = AuditFinding::of_figures(place, compared.clone(), mean, floor_us).weighing(weight);
            compare_with_least(mean, floor_us, finding, tally);
        }
    }
}

fn check_bandwidth(part: &Part<'_>, rate: &LinkRate, tally: &mut Tally) {
    use StreamKind::{Mixed, Read, Write};
    let of = |kind| part.stream(kind)?.stated.bandwidth_mib_per_s.map(Range::of);
    // Where reads and writes do not share a link, each direction has all of it to itself; of a total it is the larger direction
    // that is compared.
    let (read, write, total) = (of(Read), of(Write), of(Mixed));
    let mut loads: Vec<(&[StreamKind], Range)> = Vec::new();
    if rate.is_shared {
        loads.extend(read.zip(write).map(|(read, write)| (&[Read, Write][..], read + write)));
        loads.extend(total.map(|total| (&[Mixed][..], total)));
    } else if let (Some(total), Some(share)) = (total, part.read_share()) {
        // Of a sum, the larger direction has this share.
        loads.push((&[Mixed], total.scaled(share.max(1.0 - share))));
    }
    loads.extend(read.map(|read| (&[Read][..], read)));
    loads.extend(write.map(|write| (&[Write][..], write)));
    for (streams, bandwidth) in loads {
        let most = rate.bytes_per_s / MIB;
        let (place, compared) = (part.place.streams(streams), Compared::LinkBandwidth(rate.link.clone()));
        let finding = AuditFinding::of_figures(place, compared, bandwidth, most)
            .expecting(Some(BoundRelation::AtMost), Unit::MibPerS)
            .with_difference();
        tally.compare(!bandwidth.is_above(Range::exact(most)), finding);
    }
}

fn check_latency(part: &Part<'_>, rate: &LinkRate, tally: &mut Tally) {
    for stream in &part.streams {
        let (Some(block), Some(mean)) = (part.block_range(stream.kind), stream.latency().mean_us) else {
            continue;
        };
        // The smallest block, because a mean over several sizes may be mostly of that one; and one part of the link, because an
        // I/O does not spread over several.
        let least = block.low / rate.one_bytes_per_s * 1e6;
        let (place, compared) = (part.place.stream(stream.kind), Compared::BlockOverLink(rate.link.clone()));
        compare_with_least(mean, least, AuditFinding::of_figures(place, compared, mean, least), tally);
    }
}

/// A mean latency is no less than the least that the way to the storage allows.
fn compare_with_least(mean: Stated, least_us: f64, finding: AuditFinding, tally: &mut Tally) {
    let agree = !Range::exact(least_us).is_above(Range::of(mean));
    tally.compare(agree, finding.expecting(Some(BoundRelation::AtLeast), Unit::Us).with_difference());
}
