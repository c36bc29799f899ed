//! Devices below several targets: what lies there shares what they can do.

use std::collections::{BTreeMap, BTreeSet};

use iotrial_model::record::{BlockDevice, TargetRecord};

/// Devices that all of some targets lie on, and no other target does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedDevices {
    /// Kernel names, the nearest to the targets: of an array the array and not its members, of a partition its disk.
    pub(crate) names: Vec<String>,
    /// Whether nothing is known to carry them.
    pub(crate) are_disks: bool,
    /// Indices into the targets; at least two.
    pub(crate) targets: Vec<usize>,
}

impl SharedDevices {
    /// All of them, those of most targets first.
    pub(crate) fn all(targets: &[TargetRecord]) -> Vec<Self> {
        let mut order: Vec<&BlockDevice> = Vec::new();
        let mut holders_of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, target) in targets.iter().enumerate() {
            // A partition is never what is shared alone: its disk is too, and has the limits.
            for device in target.devices.iter().filter(|device| !device.is_partition) {
                let holders = holders_of.entry(&device.name).or_default();
                if holders.is_empty() {
                    order.push(device);
                }
                if holders.last() != Some(&index) {
                    holders.push(index);
                }
            }
        }
        let mut shared: Vec<(Vec<usize>, Vec<&BlockDevice>)> = Vec::new();
        for device in order {
            let holders = holders_of.remove(device.name.as_str()).unwrap_or_default();
            if holders.len() < 2 {
                continue;
            }
            match shared.iter_mut().find(|(others, _)| *others == holders) {
                Some((_, devices)) => devices.push(device),
                None => shared.push((holders, vec![device])),
            }
        }
        let named = |(holders, devices): (Vec<usize>, Vec<&BlockDevice>)| {
            let known = &targets[holders[0]].devices;
            let is_below = |device: &BlockDevice| {
                devices.iter().any(|above| below(above, known).contains(device.name.as_str()))
            };
            let mut nearest: Vec<&BlockDevice> =
                devices.iter().copied().filter(|device| !is_below(device)).collect();
            // Only devices that carry each other in a circle, as no kernel has them, are all below another one.
            if nearest.is_empty() {
                nearest = devices;
            }
            Self {
                names: nearest.iter().map(|device| device.name.clone()).collect(),
                are_disks: nearest.iter().all(|device| device.carried_by.is_empty()),
                targets: holders,
            }
        };
        let mut all: Vec<Self> = shared.into_iter().map(named).collect();
        // Stable: what is nearer to the first target stays before what is below it.
        all.sort_by_key(|one| std::cmp::Reverse(one.targets.len()));
        all
    }
}

/// Names of all that carries a device, level after level.
fn below<'d>(device: &'d BlockDevice, known: &'d [BlockDevice]) -> BTreeSet<&'d str> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let mut next: Vec<&str> = device.carried_by.iter().map(String::as_str).collect();
    while let Some(name) = next.pop() {
        // Each once: a stranger's record may have devices that carry each other in a circle.
        if found.insert(name) {
            let carrier = known.iter().find(|one| one.name == name);
            next.extend(carrier.into_iter().flat_map(|one| &one.carried_by).map(String::as_str));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A target with its devices: name, and what carries it. A name with a `p` in it is a partition.
    fn target(links: &[(&str, &str)]) -> TargetRecord {
        let device = |(name, carried_by): &(&str, &str)| BlockDevice {
            name: (*name).to_owned(),
            carried_by: carried_by.split_whitespace().map(str::to_owned).collect(),
            is_partition: name.contains('p'),
            ..BlockDevice::default()
        };
        TargetRecord { devices: links.iter().map(device).collect(), ..TargetRecord::default() }
    }

    fn shared(targets: &[&[(&str, &str)]]) -> Vec<SharedDevices> {
        let targets: Vec<TargetRecord> = targets.iter().map(|links| target(links)).collect();
        SharedDevices::all(&targets)
    }

    fn on(names: &[&str], are_disks: bool, targets: &[usize]) -> SharedDevices {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        SharedDevices { names, are_disks, targets: targets.to_vec() }
    }

    #[test]
    fn partitions_of_one_disk_share_the_disk_and_those_of_two_share_nothing() {
        let (a1, a2) = ([("ap1", "a"), ("a", "")], [("ap2", "a"), ("a", "")]);
        assert_eq!(shared(&[&a1, &a2]), [on(&["a"], true, &[0, 1])]);
        assert_eq!(shared(&[&a1, &a1]), [on(&["a"], true, &[0, 1])]);
        assert_eq!(shared(&[&a1, &[("bp1", "b"), ("b", "")]]), []);
        assert_eq!(shared(&[&a1]), []);
        assert_eq!(shared(&[&[], &[]]), []);
    }

    #[test]
    fn the_nearest_device_that_is_shared_is_named_and_not_what_it_is_made_of() {
        let array = [("md0", "ap1 bp1"), ("ap1", "a"), ("bp1", "b"), ("a", ""), ("b", "")];
        assert_eq!(shared(&[&array, &array]), [on(&["md0"], false, &[0, 1])]);
        // A member that is used past the array, too.
        assert_eq!(shared(&[&array, &[("ap2", "a"), ("a", "")]]), [on(&["a"], true, &[0, 1])]);
        let striped = [("a", ""), ("b", "")];
        assert_eq!(shared(&[&striped, &striped]), [on(&["a", "b"], true, &[0, 1])]);
    }

    #[test]
    fn files_on_one_disk_that_are_devices_share_it_and_two_of_them_may_share_more() {
        let loop_on = |name: &'static str| [(name, "ap1"), ("ap1", "a"), ("a", "")];
        let [first, second] = ["lo0", "lo1"].map(loop_on);
        assert_eq!(
            shared(&[&first, &second, &second]),
            [on(&["a"], true, &[0, 1, 2]), on(&["lo1"], false, &[1, 2])]
        );
    }

    #[test]
    fn devices_that_carry_each_other_in_a_circle_end_the_search_all_the_same() {
        let circle = [("a", "b"), ("b", "a")];
        assert_eq!(shared(&[&circle, &circle]), [on(&["a", "b"], false, &[0, 1])]);
    }
}
