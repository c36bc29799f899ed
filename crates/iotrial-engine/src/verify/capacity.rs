//! Whether a device keeps less than it takes: beyond its true end its addresses begin again, or writes are dropped.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use iotrial_model::verification::{FaultKind, KeptCapacity};

use super::VerifiedArea;
use super::found::{Found, FoundFault};
use crate::content::SECTOR;

/// Pages with data that belongs elsewhere, from which on a common distance is no chance.
// A choice: that of sixteen random distances all are multiples of more than a few pages is less likely than 1 in 10,000.
const STRANGERS: usize = 16;

/// Where writes are dropped, at least this part of what was written is missing, as a divisor.
// A choice: fakes say that they have at least twice what they have; a device with a damaged end is no fake.
const MISSING_PART: u64 = 8;

/// No device keeps less, in bytes.
// Writes that go astray at random are some pages apart, and the greatest divisor of their distances is small.
const LEAST_KEPT: u64 = 1 << 20;

/// What was right when an area was read after the load.
#[derive(Debug, Default)]
pub(super) struct ReadBack {
    right_bytes: AtomicU64,
    /// Where the last page that was right ends, from the start of the file or device; 0 where none was.
    right_end: AtomicU64,
}

impl ReadBack {
    /// A page was right.
    pub(super) fn note(&self, offset: u64, length: u64) {
        self.right_bytes.fetch_add(length, Ordering::Relaxed);
        self.right_end.fetch_max(offset + length, Ordering::Relaxed);
    }
}

/// A file or device, with what is right of all areas on it.
#[derive(Debug, Clone, Copy, Default)]
struct Device {
    start: u64,
    end: u64,
    length: u64,
    right_bytes: u64,
    right_end: u64,
}

/// The files and devices that keep less than they take. Their faults get that name; all others keep theirs.
///
/// Every page must have been read after the load.
pub(super) fn kept_capacities(areas: &[VerifiedArea], found: &mut Found) -> Vec<KeptCapacity> {
    let mut devices: BTreeMap<&Path, Device> = BTreeMap::new();
    for VerifiedArea { path, first_byte, length, read_back, .. } in areas {
        let device = devices.entry(path).or_insert(Device { start: u64::MAX, ..Device::default() });
        device.start = device.start.min(*first_byte);
        device.end = device.end.max(first_byte + length);
        device.length += length;
        device.right_bytes += read_back.right_bytes.load(Ordering::Relaxed);
        device.right_end = device.right_end.max(read_back.right_end.load(Ordering::Relaxed));
    }
    let mut capacities = Vec::new();
    for (path, device) in devices {
        let is_here = |area: u16| areas.get(usize::from(area)).is_some_and(|area| area.path == path);
        let wrapped = || wrap(device, found.of_path(path), is_here).map(|kept| (kept, &WRAPPED[..]));
        let dropped = || drop_at(device, found.of_path(path)).map(|kept| (kept, &DROPPED[..]));
        if let Some((kept_bytes, kinds)) = wrapped().or_else(dropped) {
            found.rename(path, kinds, FaultKind::MissingCapacity);
            capacities.push(KeptCapacity { path: path.to_owned(), written_bytes: device.end, kept_bytes });
        }
    }
    capacities
}

/// What a page is called whose place another one has, too.
const WRAPPED: [FaultKind; 1] = [FaultKind::MisdirectedWrite];

/// What a page is called that was never there.
const DROPPED: [FaultKind; 3] =
    [FaultKind::DamagedPage, FaultKind::ForeignData, FaultKind::ReadWithoutTransfer];

/// After how many bytes the addresses of a device begin again; `None` where they do not.
///
/// All that lies in the wrong place is a multiple of it away. And of what was written, as much is right as such a device has places for:
/// the last page that was written to each of them.
fn wrap<'f>(
    device: Device,
    faults: impl Iterator<Item = &'f FoundFault>,
    is_here: impl Fn(u16) -> bool,
) -> Option<u64> {
    let distances: Vec<u64> = faults
        .filter_map(|found| {
            let stranger = found.stranger.filter(|stranger| is_here(stranger.area))?;
            Some((found.fault.first_bad_byte? / SECTOR as u64).abs_diff(stranger.sector))
        })
        .collect();
    let kept = distances.iter().copied().reduce(greatest_divisor)? * SECTOR as u64;
    let is_full = device.right_bytes <= kept && device.right_bytes >= kept / 2;
    (distances.len() >= STRANGERS && (LEAST_KEPT..device.end).contains(&kept) && is_full).then_some(kept)
}

/// Where the true end of a device is that drops what is written behind it; `None` where it drops nothing, or not all.
fn drop_at<'f>(device: Device, mut faults: impl Iterator<Item = &'f FoundFault>) -> Option<u64> {
    let is_one_stretch = device.length == device.end - device.start;
    let is_right_before =
        device.right_end > device.start && device.right_bytes == device.right_end - device.start;
    let is_large =
        device.end - device.right_end >= device.length / MISSING_PART && device.end > device.right_end;
    // Behind it, nothing was ever there: no write of the run, from wherever.
    let behind = |found: &FoundFault| found.fault.offset_bytes >= device.right_end;
    let is_nothing = |found: &FoundFault| {
        DROPPED.contains(&found.fault.kind) || found.fault.kind == FaultKind::MissingCapacity
    };
    (is_one_stretch && is_right_before && is_large && faults.all(|found| behind(found) == is_nothing(found)))
        .then_some(device.right_end)
}

const fn greatest_divisor(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

#[cfg(test)]
mod tests {
    use iotrial_model::verification::{Noticed, PageFault};

    use super::*;
    use crate::content::Stamp;

    const PAGE: u64 = 8192;
    const KEPT: u64 = 256 * PAGE;
    const WRITTEN: u64 = 1024 * PAGE;

    fn device(right_bytes: u64, right_end: u64) -> Device {
        Device { start: 0, end: WRITTEN, length: WRITTEN, right_bytes, right_end }
    }

    fn fault(kind: FaultKind, offset: u64, stranger: Option<u64>) -> FoundFault {
        let stranger =
            stranger.map(|home| Stamp { run: 1, generation: 1, sector: home / SECTOR as u64, area: 0 });
        let fault = PageFault {
            first_bad_byte: Some(offset),
            ..PageFault::new(kind, "a".into(), offset, PAGE, Noticed::EndScan)
        };
        FoundFault { fault, expected: None, stranger }
    }

    fn strays(homes: impl Iterator<Item = (u64, u64)>) -> Vec<FoundFault> {
        homes.map(|(at, home)| fault(FaultKind::MisdirectedWrite, at * PAGE, Some(home * PAGE))).collect()
    }

    #[test]
    fn addresses_that_begin_again_are_told_from_writes_that_went_astray() {
        let wrapped = strays((0..768).map(|page| (page, page + (3 - page / 256) * 256)));
        let all = |_| true;
        assert_eq!(wrap(device(KEPT, WRITTEN), wrapped.iter(), all), Some(KEPT));
        // Of another file or device.
        assert_eq!(wrap(device(KEPT, WRITTEN), wrapped.iter(), |_| false), None);
        // More is right than has room.
        assert_eq!(wrap(device(KEPT + PAGE, WRITTEN), wrapped.iter(), all), None);
        // Everything lies one page, or a stripe, away: nothing is where it belongs.
        let shifted = strays((1..1024).map(|page| (page, page - 1)));
        assert_eq!(wrap(device(0, 0), shifted.iter(), all), None);
        // A controller that mixes up two stripes now and then.
        let some = strays((0..40).map(|page| (page * 16, page * 16 + 8)));
        assert_eq!(wrap(device(WRITTEN - 40 * PAGE, WRITTEN), some.iter(), all), None);
        // Anywhere, with hardly anything right.
        let random = strays((0..900).map(|page| (page, page * 7 % 1024)));
        assert_eq!(wrap(device(PAGE, WRITTEN), random.iter(), all), None);
        assert_eq!(wrap(device(KEPT, WRITTEN), wrapped[..STRANGERS - 1].iter(), all), None);
        // As few as say something, and half of what has room.
        let least = strays((0..STRANGERS as u64).map(|page| (page, page + 256)));
        for (right, kept) in [(KEPT / 2, Some(KEPT)), (KEPT / 2 - PAGE, None)] {
            assert_eq!(wrap(device(right, WRITTEN), least.iter(), all), kept);
        }
        // Beyond all that was written.
        let beyond = strays((0..100).map(|page| (page, page + 1024)));
        assert_eq!(wrap(device(WRITTEN, WRITTEN), beyond.iter(), all), None);
    }

    #[test]
    fn writes_that_are_dropped_behind_an_end_are_told_from_damage() {
        let zeros = |pages: std::ops::Range<u64>| -> Vec<FoundFault> {
            pages.map(|page| fault(FaultKind::DamagedPage, page * PAGE, None)).collect()
        };
        let behind = zeros(256..1024);
        assert_eq!(drop_at(device(KEPT, KEPT), behind.iter()), Some(KEPT));
        // A page behind it was right, one before it was not, or one held something.
        assert_eq!(drop_at(device(KEPT + PAGE, WRITTEN), behind[..767].iter()), None);
        assert_eq!(drop_at(device(KEPT - PAGE, KEPT), zeros(255..1024).iter()), None);
        let mut with_lost = zeros(256..1024);
        with_lost.push(fault(FaultKind::LostWrite, 300 * PAGE, None));
        assert_eq!(drop_at(device(KEPT, KEPT), with_lost.iter()), None);
        let mut with_damage = zeros(256..1024);
        with_damage.push(fault(FaultKind::DamagedPage, 10 * PAGE, None));
        assert_eq!(drop_at(device(KEPT, KEPT), with_damage.iter()), None);
        // A page before it is missing in another way.
        let mut with_lost = zeros(256..1024);
        with_lost.push(fault(FaultKind::LostWrite, 10 * PAGE, None));
        assert_eq!(drop_at(device(KEPT - PAGE, KEPT), with_lost.iter()), None);
        // Of two areas with a gap nobody knows where between them it begins.
        let with_gap = Device { length: WRITTEN - PAGE, ..device(KEPT, KEPT) };
        assert_eq!(drop_at(with_gap, behind.iter()), None);
        // An eighth is enough, and less is not.
        for (end, kept) in [(896, Some(896 * PAGE)), (897, None)] {
            assert_eq!(drop_at(device(end * PAGE, end * PAGE), zeros(end..1024).iter()), kept);
        }
        // The last pages alone, and nothing at all.
        assert_eq!(drop_at(device(WRITTEN - PAGE, WRITTEN - PAGE), zeros(1023..1024).iter()), None);
        assert_eq!(drop_at(device(0, 0), zeros(0..1024).iter()), None);
        assert_eq!(drop_at(device(WRITTEN, WRITTEN), [].iter()), None);
    }
}
