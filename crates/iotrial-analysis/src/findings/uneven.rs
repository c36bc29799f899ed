//! One of several disks that carry a load together worked much more than the others.

use iotrial_model::finding::{Evidence, Finding, FindingId, Severity};
use iotrial_model::subject::Device;

use super::observed::Observed;

/// Two disks differ by nature; with three there is one that the others bear out.
const LEAST_DISKS: usize = 3;
/// A disk that is busy for less of the time holds nobody back.
const BUSY_PERCENT: f64 = 80.0;
/// How many times as long as the disk in the middle it has to be busy: disks of one array are within some percent of each other.
const TIMES_THE_MIDDLE: f64 = 1.5;

/// The load of an array is as fast as its slowest disk, which is the one that is busy while the others wait for it.
pub(super) fn uneven_devices(seen: &Observed<'_, '_>) -> Option<Finding> {
    // What lies on the disks is told beside them, and its own time says nothing of one of them.
    let is_disk =
        |device: &&Device<'_>| !["md", "dm-", "loop"].iter().any(|kind| device.name.starts_with(kind));
    let busy = |device: &Device<'_>| Some((device.name.to_owned(), device.busy_percent?.value));
    let mut disks: Vec<(String, f64)> =
        seen.subject.devices.iter().filter(is_disk).filter_map(busy).collect();
    if disks.len() < LEAST_DISKS {
        return None;
    }
    disks.sort_by(|a, b| b.1.total_cmp(&a.1));
    let ((name, most), others) = disks.split_first()?;
    let middle = others[others.len() / 2].1;
    // Disks that did nothing carry another load, or none.
    let is_uneven = *most >= BUSY_PERCENT && middle > 0.0 && *most >= TIMES_THE_MIDDLE * middle;
    is_uneven.then(|| {
        let evidence = Evidence::UnevenDevices {
            device: name.clone(),
            busy_percent: *most,
            other_count: others.len(),
            least_percent: others[others.len() - 1].1,
            most_percent: others[0].1,
        };
        Finding::new(FindingId::UnevenDevices, Severity::Warning, evidence)
    })
}

#[cfg(test)]
mod tests {
    use iotrial_model::imported::{Stated, StatedDevice};
    use iotrial_model::subject::Subject;

    use super::*;
    use crate::findings::findings;

    fn is_uneven(busy: &[(&str, f64)]) -> bool {
        uneven(busy).is_some()
    }

    fn uneven(busy: &[(&str, f64)]) -> Option<Finding> {
        let mut record = crate::test_record::imported();
        let device = |(name, percent): &(&str, f64)| StatedDevice {
            name: (*name).to_owned(),
            busy_percent: Some(Stated::exact(*percent)),
            ..StatedDevice::default()
        };
        record.devices = busy.iter().map(device).collect();
        let found = findings(&Subject::of_imported(&record));
        found.into_iter().find(|one| one.id == FindingId::UnevenDevices)
    }

    #[test]
    fn one_disk_that_is_busy_while_the_others_wait_is_told_and_nothing_else_is() {
        assert!(is_uneven(&[("md0", 0.0), ("sda", 95.0), ("sdb", 46.0), ("sdc", 45.0), ("sdd", 47.0)]));
        assert!(!is_uneven(&[("sda", 95.0), ("sdb", 90.0), ("sdc", 92.0)]));
        // Two alone do not tell which is the odd one, and a disk that did nothing is of another load.
        assert!(!is_uneven(&[("md0", 50.0), ("sda", 95.0), ("sdb", 46.0)]));
        assert!(!is_uneven(&[("sda", 95.0), ("sdb", 0.0), ("sdc", 0.0)]));
        assert!(!is_uneven(&[("sda", 60.0), ("sdb", 20.0), ("sdc", 21.0)]));
        // From 80 % on, and half as much again as the middle one.
        assert!(is_uneven(&[("sda", 80.0), ("sdb", 50.0), ("sdc", 40.0)]));
        assert!(!is_uneven(&[("sda", 79.9), ("sdb", 50.0), ("sdc", 40.0)]));
        assert!(is_uneven(&[("sda", 90.0), ("sdb", 70.0), ("sdc", 60.0), ("sdd", 10.0)]));
        assert!(!is_uneven(&[("sda", 90.0), ("sdb", 70.0), ("sdc", 60.1), ("sdd", 10.0)]));
        // Neither an array nor a mapping or a loop device is a disk.
        for name in ["md0", "dm-1", "loop2"] {
            assert!(!is_uneven(&[("sda", 95.0), ("sdb", 46.0), (name, 45.0)]), "{name}");
        }
    }

    #[test]
    fn the_odd_disk_is_told_with_what_the_others_did() {
        let found = uneven(&[("sdb", 46.0), ("sda", 95.0), ("sdc", 44.0), ("sdd", 47.0)]).unwrap();
        assert_eq!(found.severity, Severity::Warning);
        let evidence = Evidence::UnevenDevices {
            device: "sda".to_owned(),
            busy_percent: 95.0,
            other_count: 3,
            least_percent: 44.0,
            most_percent: 47.0,
        };
        assert_eq!(found.evidence, evidence);
    }
}
