//! Answers of Windows to questions about storage, as they lie in memory (`winioctl.h`, `ntddstor.h`).
//!
//! Read as bytes and not as structures: how long an answer is only the driver knows, and a structure that is laid over a shorter one
//! would reach beyond it. So the reading is safe code, which is tested on every system.

/// A piece of a disk that a volume is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) disk: u32,
    pub(crate) start_bytes: i64,
    pub(crate) length_bytes: i64,
}

/// `VOLUME_DISK_EXTENTS`: the number of extents, and from byte 8 on one each 24 bytes.
pub(crate) fn extents(answer: &[u8]) -> Vec<Extent> {
    let count = number_u32(answer, 0).unwrap_or(0) as usize;
    let extent = |at: usize| {
        let from = 8 + at * 24;
        Some(Extent {
            disk: number_u32(answer, from)?,
            start_bytes: number_i64(answer, from + 8)?,
            length_bytes: number_i64(answer, from + 16)?,
        })
    };
    // Not more than there are bytes for.
    (0..count.min(answer.len() / 24)).map_while(extent).collect()
}

/// `STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR`: bytes of a logical and of a physical sector.
pub(crate) fn sectors(answer: &[u8]) -> Option<(u32, u32)> {
    Some((number_u32(answer, 16)?, number_u32(answer, 20)?))
}

/// `DEVICE_SEEK_PENALTY_DESCRIPTOR`: whether a seek takes time, as on a rotating disk.
pub(crate) fn has_seek_penalty(answer: &[u8]) -> Option<bool> {
    answer.get(8).map(|byte| *byte != 0)
}

/// `DISK_GEOMETRY_EX`: bytes of a sector, and of the disk.
pub(crate) fn geometry(answer: &[u8]) -> Option<(u32, u64)> {
    Some((number_u32(answer, 20)?, u64::try_from(number_i64(answer, 24)?).ok()?))
}

/// `STORAGE_WRITE_CACHE_PROPERTY`: whether the disk keeps writes in a cache that is lost without power; `None` where it does not say.
pub(crate) fn has_write_cache(answer: &[u8]) -> Option<bool> {
    // WRITE_CACHE_ENABLE: 0 unknown, 1 disabled, 2 enabled.
    match number_u32(answer, 12)? {
        1 => Some(false),
        2 => Some(true),
        _ => None,
    }
}

/// `STORAGE_DEVICE_NUMBER`: of a disk, and not of a partition, a drive for discs or a tape.
pub(crate) fn disk_number(answer: &[u8]) -> Option<u32> {
    const FILE_DEVICE_DISK: u32 = 7;
    (number_u32(answer, 0)? == FILE_DEVICE_DISK).then_some(number_u32(answer, 4)?)
}

/// What a disk says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Vendor and product.
    pub(crate) model: String,
    /// Empty where it does not say.
    pub(crate) serial: String,
    /// `STORAGE_BUS_TYPE`.
    pub(crate) bus: u32,
}

/// `STORAGE_DEVICE_DESCRIPTOR`: places of texts within the answer, and the bus.
pub(crate) fn identity(answer: &[u8]) -> Option<Identity> {
    let text = |offset: usize| -> String {
        let place = number_u32(answer, offset).unwrap_or(0) as usize;
        // 0 says that there is none.
        let bytes = if place == 0 { &[][..] } else { answer.get(place..).unwrap_or_default() };
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
    };
    let names = [text(12), text(16)];
    let model: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    Some(Identity { model: model.join(" "), serial: text(24), bus: number_u32(answer, 28)? })
}

/// The word of a transport for a `STORAGE_BUS_TYPE`, as other systems have it.
pub(crate) const fn transport(bus: u32) -> &'static str {
    match bus {
        1 => "scsi",
        3 | 11 => "ata",
        6 => "fc",
        7 => "usb",
        8 => "raid",
        9 => "iscsi",
        10 => "sas",
        14 | 15 => "virtual",
        16 => "storage-spaces",
        17 => "nvme",
        18 => "memory",
        _ => "unknown",
    }
}

fn number_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn number_i64(bytes: &[u8], at: usize) -> Option<i64> {
    bytes.get(at..at + 8)?.try_into().ok().map(i64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extents_of_a_striped_volume_are_read_and_no_more_than_are_there() {
        let mut answer = vec![2, 0, 0, 0, 0, 0, 0, 0];
        for disk in [1_u32, 2] {
            answer.extend_from_slice(&disk.to_le_bytes());
            answer.extend_from_slice(&[0; 4]);
            answer.extend_from_slice(&1_048_576_i64.to_le_bytes());
            answer.extend_from_slice(&(1_i64 << 30).to_le_bytes());
        }
        let extent = |disk| Extent { disk, start_bytes: 1_048_576, length_bytes: 1 << 30 };
        assert_eq!(extents(&answer), [extent(1), extent(2)]);
        assert_eq!(extents(&answer[..40]), [extent(1)]);
        assert_eq!(extents(&[255; 12]), []);
        assert_eq!(extents(&[]), []);
    }

    #[test]
    fn geometry_cache_and_number_are_read_and_what_the_disk_does_not_say_is_absent() {
        let mut answer = vec![0; 32];
        answer[20..24].copy_from_slice(&4096_u32.to_le_bytes());
        answer[24..32].copy_from_slice(&(1_u64 << 40).to_le_bytes());
        assert_eq!((geometry(&answer), geometry(&answer[..31])), (Some((4096, 1 << 40)), None));
        answer[31] = 0xff;
        assert_eq!(geometry(&answer), None, "a size below zero");
        let cache = |enabled: u8| has_write_cache(&[0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, enabled, 0, 0, 0]);
        assert_eq!([0, 1, 2, 9].map(cache), [None, Some(false), Some(true), None]);
        assert_eq!(disk_number(&[7, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]), Some(3));
        assert_eq!((disk_number(&[2, 0, 0, 0, 3, 0, 0, 0]), disk_number(&[7, 0, 0, 0])), (None, None));
    }

    #[test]
    fn sectors_identity_and_seek_penalty_are_read_and_garbage_gives_nothing() {
        let mut answer = vec![0; 28];
        answer[16..20].copy_from_slice(&512_u32.to_le_bytes());
        answer[20..24].copy_from_slice(&4096_u32.to_le_bytes());
        assert_eq!((sectors(&answer), sectors(&answer[..22])), (Some((512, 4096)), None));
        let mut answer = vec![0; 36];
        answer[12..16].copy_from_slice(&36_u32.to_le_bytes());
        answer[16..20].copy_from_slice(&41_u32.to_le_bytes());
        answer[24..28].copy_from_slice(&55_u32.to_le_bytes());
        answer[28..32].copy_from_slice(&17_u32.to_le_bytes());
        answer.extend_from_slice(b"Msft\0Virtual Disk \0 S12\0");
        let found = identity(&answer).unwrap();
        assert_eq!((found.model.as_str(), transport(found.bus)), ("Msft Virtual Disk", "nvme"));
        assert_eq!(found.serial, "S12");
        // A place beyond the answer, and one without an end.
        answer[12..16].copy_from_slice(&9_999_u32.to_le_bytes());
        answer.truncate(50);
        assert_eq!(identity(&answer).unwrap().model, "Virtual D");
        assert_eq!(identity(&[1; 20]), None);
        assert_eq!(
            (has_seek_penalty(&[0, 0, 0, 0, 0, 0, 0, 0, 1]), has_seek_penalty(&[1])),
            (Some(true), None)
        );
    }
}
