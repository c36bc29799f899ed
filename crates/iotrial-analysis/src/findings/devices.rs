//! What the devices counted, against what was issued to them.

use iotrial_model::load::Direction;
use iotrial_model::record::{Finding, OpCounts, RunRecord, Severity};
use iotrial_model::units::ByteSize;
use serde_json::json;

use super::finding;

/// More than this in excess of what was issued is someone else's, or amplification.
const MOST_EXCESS_PERCENT: f64 = 10.0;
/// Less than this of what was issued means that something above the device answered.
const LEAST_SEEN_PERCENT: f64 = 50.0;

/// Bytes of one direction over the measured phase.
#[derive(Debug, Clone, Copy, PartialEq)]
struct DeviceShare {
    direction: Direction,
    issued: u64,
    counted: u64,
}

impl DeviceShare {
    /// What the devices counted, in percent of what was issued.
    #[expect(clippy::cast_precision_loss, reason = "a share to 15 digits")]
    fn seen_percent(&self) -> f64 {
        100.0 * self.counted as f64 / self.issued as f64
    }
}

/// Both directions; `None` where no device is known, or where the page cache decides when it is written and read.
fn shares(record: &RunRecord) -> Option<[DeviceShare; 2]> {
    if record.devices.is_empty() || !record.plan.direct {
        return None;
    }
    let issued = |direction| {
        record.jobs.iter().filter_map(|job| job.get(direction)).map(|one: &OpCounts| one.bytes).sum()
    };
    let counted = |direction| {
        let of_one = record.devices.iter().map(|device| match direction {
            Direction::Read => device.read_bytes,
            Direction::Write => device.write_bytes,
        });
        of_one.sum()
    };
    Some(Direction::ALL.map(|direction| DeviceShare {
        direction,
        issued: issued(direction),
        counted: counted(direction),
    }))
}

/// The devices moved much more than was issued.
///
/// The excess of each direction is held against all that was issued, so that the few writes that every host makes
/// do not stand out of a load that only reads.
#[expect(clippy::cast_precision_loss, reason = "shares to 15 digits")]
pub(super) fn foreign_load(record: &RunRecord) -> Option<Finding> {
    let shares = shares(record)?;
    let issued: u64 = shares.iter().map(|share| share.issued).sum();
    let excess: u64 = shares.iter().map(|share| share.counted.saturating_sub(share.issued)).sum();
    let excess_percent = if issued == 0 { 0.0 } else { 100.0 * excess as f64 / issued as f64 };
    (excess_percent > MOST_EXCESS_PERCENT).then(|| {
        let [read, write] = shares;
        finding(
            "foreign-load",
            Severity::Warning,
            format!(
                "the devices moved {} more than the {} that were issued ({excess_percent:.0} %): someone else used them, or the file system or RAID above them multiplies I/Os",
                ByteSize::bytes(excess),
                ByteSize::bytes(issued)
            ),
            [
                ("issued_read_bytes", json!(read.issued)),
                ("issued_write_bytes", json!(write.issued)),
                ("device_read_bytes", json!(read.counted)),
                ("device_write_bytes", json!(write.counted)),
            ],
        )
    })
}

/// The devices saw less than half of what was issued; the direction of which they saw least is named.
pub(super) fn cache_served(record: &RunRecord) -> Option<Finding> {
    let share = shares(record)?
        .into_iter()
        .filter(|share| share.issued > 0 && share.seen_percent() < LEAST_SEEN_PERCENT)
        .min_by(|a, b| a.seen_percent().total_cmp(&b.seen_percent()))?;
    Some(finding(
        "cache-served",
        Severity::Warning,
        format!(
            "the devices counted {} of the {} that were issued as {}s ({:.0} %): a cache or holes in the file answered above them, or the load reached devices that are not known",
            ByteSize::bytes(share.counted),
            ByteSize::bytes(share.issued),
            share.direction,
            share.seen_percent()
        ),
        [
            ("direction", json!(share.direction)),
            ("issued_bytes", json!(share.issued)),
            ("device_bytes", json!(share.counted)),
        ],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_record::healthy;

    #[test]
    fn a_tenth_more_than_issued_is_tolerated_and_no_more() {
        let mut record = healthy();
        let issued = record.devices[0].read_bytes + record.devices[0].write_bytes;
        record.devices[0].read_bytes += issued / 10;
        assert_eq!(foreign_load(&record), None);
        record.devices[0].read_bytes += issued / 100;
        let found = foreign_load(&record).unwrap();
        assert!(found.message.contains("(11 %)"), "{}", found.message);
    }

    #[test]
    fn reads_that_a_cache_answered_do_not_hide_foreign_writes() {
        let mut record = healthy();
        record.devices[0].read_bytes = 0;
        record.devices[0].write_bytes *= 2;
        assert!(foreign_load(&record).is_some());
    }

    #[test]
    fn less_than_half_at_the_device_means_that_something_else_answered() {
        let mut record = healthy();
        let half = record.devices[0].read_bytes.div_ceil(2);
        record.devices[0].read_bytes = half;
        assert_eq!(cache_served(&record), None);
        record.devices[0].read_bytes = half - 1_000_000_000;
        let found = cache_served(&record).unwrap();
        assert_eq!((found.severity, &found.evidence["direction"]), (Severity::Warning, &json!("read")));
        assert!(found.message.contains("issued as reads (4"), "{}", found.message);
    }

    #[test]
    fn nothing_is_said_without_counters_or_with_the_page_cache_between() {
        let mut record = healthy();
        record.devices[0].read_bytes = 0;
        record.devices[0].write_bytes *= 9;
        record.plan.direct = false;
        assert_eq!((cache_served(&record), foreign_load(&record)), (None, None));
        record.plan.direct = true;
        record.devices.clear();
        assert_eq!((cache_served(&record), foreign_load(&record)), (None, None));
    }
}
