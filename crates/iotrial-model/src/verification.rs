//! What a load that verifies found out about what the storage gave back.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::load::words;
use crate::units::optional_seconds;

/// So many faults are kept whole; the rest is counted.
pub const FAULTS_KEPT: usize = 100;

/// What became of what was written, by every page that was looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// Pages whose content is known: all that the layout wrote.
    pub pages: u64,
    /// Pages of which the last write was known; absent where it was of all. Of the others it is only known that they should hold one write of
    /// the run, all of it, in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages_followed: Option<u64>,
    /// Memory that held what is on each page that was followed, in bytes.
    pub map_bytes: u64,
    /// Writes of the load that were acknowledged.
    pub writes: u64,
    /// Pages that were compared under the load: before they were overwritten, and when the load read them.
    pub pages_checked: u64,
    /// Pages that the load read while they were written: what they should hold is not known then.
    pub pages_overlapped: u64,
    /// Pages that were compared after the load, all of them where it was not stopped.
    pub pages_scanned: u64,
    /// Whether the comparison after the load came to its end.
    pub scan_complete: bool,
    /// Pages whose content was not known at the end, because their last write failed.
    pub pages_unknown: u64,
    /// How often each kind of fault was found, in pages or I/Os.
    pub counts: BTreeMap<FaultKind, u64>,
    /// The first of them, up to [`FAULTS_KEPT`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<PageFault>,
    /// Files and devices that keep less than they take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capacities: Vec<KeptCapacity>,
    /// Where there are faults: what the kernel logged on the devices below during the run, the first 50 lines. Absent where it may not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kernel_log: Vec<String>,
}

/// A file or device that takes more than it keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptCapacity {
    /// The file or device.
    pub path: PathBuf,
    /// Up to where it was written, from its start.
    pub written_bytes: u64,
    /// What it keeps of that, from its start.
    pub kept_bytes: u64,
}

impl Verification {
    /// Nothing but a fault that came before anything could be compared.
    pub fn of_fault(fault: PageFault) -> Self {
        Self { counts: BTreeMap::from([(fault.kind, 1)]), faults: vec![fault], ..Self::default() }
    }

    /// All faults of all kinds.
    pub fn fault_count(&self) -> u64 {
        // A record of a stranger may have any numbers.
        self.counts.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// How likely it is that none of so many lost or stale pages is one that was followed, from 0 to 1.
    ///
    /// Which page of an entry is followed is drawn for each run, and neighbours have different entries: (1 − followed ÷ pages)^`lost_pages`.
    pub fn chance_to_miss(&self, lost_pages: u64) -> f64 {
        let Some(followed) = self.pages_followed else { return 0.0 };
        let exponent = i32::try_from(lost_pages).unwrap_or(i32::MAX);
        (1.0 - followed as f64 / self.pages.max(1) as f64).clamp(0.0, 1.0).powi(exponent)
    }
}

words! {
    /// What is wrong with a page or an I/O of a run that verifies, the most telling first.
    FaultKind {
        /// The device keeps less than it says: addresses beyond its true end lead to others, or writes there are dropped (`capacities` has what it keeps).
        MissingCapacity = "missing-capacity",
        /// The page holds an earlier write, also when it is read again: the last one was acknowledged and is not there.
        LostWrite = "lost-write",
        /// A part of a write is there and a part is not, also when it is read again: within the page, or in other pages of the same write.
        TornWrite = "torn-write",
        /// A write came to another place: found where it does not belong, or missing where it belongs and found elsewhere.
        MisdirectedWrite = "misdirected-write",
        /// A read gave an earlier write, and a repeated read the last one.
        StaleRead = "stale-read",
        /// A read gave something else than was written, and a repeated read what was written.
        TransferError = "transfer-error",
        /// Up to 64 bits of a sector differ from what was written, also when it is read again.
        BitFlip = "bit-flip",
        /// The page holds nothing that was ever written to it.
        DamagedPage = "damaged-page",
        /// The page holds what another run wrote.
        ForeignData = "foreign-data",
        /// After a cut, the page holds a write that the journal does not know yet: the journal lost entries, or is not of this target.
        FutureWrite = "future-write",
        /// A read was acknowledged and left the buffer as it was.
        ReadWithoutTransfer = "read-without-transfer",
        /// Fewer bytes were moved than asked, without an error.
        ShortIo = "short-transfer",
        /// A read failed.
        ReadError = "read-error",
        /// A write failed, or the flush that belongs to it.
        WriteError = "write-error",
        /// An I/O did not come back within the deadline (`--io-deadline`): not at all, or later.
        Hang = "hang",
        /// There was no room for a write.
        NoSpace = "no-space",
        /// The device went away: it no longer exists, or a block device says that it is full.
        DeviceGone = "device-gone",
    }
}

/// When a fault was noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Noticed {
    /// The page was about to be overwritten.
    BeforeOverwrite,
    /// The load read the page.
    Read,
    /// The load wrote the page.
    Write,
    /// After the load.
    EndScan,
}

/// One fault, with what is needed to look for its cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageFault {
    /// What it is.
    pub kind: FaultKind,
    /// The file or device.
    pub path: PathBuf,
    /// Where the page or the I/O begins, from the start of the file or device.
    pub offset_bytes: u64,
    /// Bytes of the page or of the I/O.
    pub length_bytes: u64,
    /// When it was noticed.
    pub noticed: Noticed,
    /// The first byte that is not as it was written, from the start of the file or device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_bad_byte: Option<u64>,
    /// Where that byte, or the I/O, is on the block device that holds the file system (a sector, or LBA, has 512 bytes of it). Absent of raw devices, where it
    /// is the same, and of file systems that do not tell (Linux: ext4 and XFS do).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_byte: Option<u64>,
    /// Sectors of 512 bytes that are not as they were written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bad_sectors: Option<u64>,
    /// Bits that differ from what was written, where it can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bad_bits: Option<u64>,
    /// The other end of a misdirected write: where its data belongs, or where it went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_place: Option<OtherPlace>,
    /// How many of three repeated reads gave what was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good_rereads: Option<u8>,
    /// Number of the operating system's error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os_error: Option<i32>,
    /// How long an I/O that hangs had been under way when it came back, or when nobody waited any more.
    #[serde(
        rename = "under_way_s",
        with = "optional_seconds",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub under_way: Option<Duration>,
}

impl PageFault {
    /// One of which nothing more is known: an I/O that failed.
    pub const fn new(
        kind: FaultKind,
        path: PathBuf,
        offset_bytes: u64,
        length_bytes: u64,
        noticed: Noticed,
    ) -> Self {
        Self {
            kind,
            path,
            offset_bytes,
            length_bytes,
            noticed,
            first_bad_byte: None,
            device_byte: None,
            bad_sectors: None,
            bad_bits: None,
            other_place: None,
            good_rereads: None,
            os_error: None,
            under_way: None,
        }
    }
}

/// A place in a file or on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherPlace {
    /// The file or device.
    pub path: PathBuf,
    /// From its start.
    pub offset_bytes: u64,
}
