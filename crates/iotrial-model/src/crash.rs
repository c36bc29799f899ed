//! A cut on purpose: what the storage had promised before it, and what was there after it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::load::words;
use crate::record::BlockDevice;
use crate::verification::{FaultKind, PageFault};

/// Tears that are kept whole; the rest is counted.
pub const TEARS_KEPT: usize = 100;

words! {
    /// What was cut. It decides what the answer proves.
    CutKind {
        /// The process was ended (kill -9). Proves nothing about the storage: everything below the process stayed up.
        Process = "process",
        /// A virtual machine was ended or reset. Proves that guest and virtual disk pass flushes on; the host kept its caches.
        Guest = "guest",
        /// The host was reset without losing power. Proves that the caches of the host were flushed; those of the device kept their power.
        Host = "host",
        /// The power of the device was cut. Proves that the device keeps what it flushed.
        Power = "power",
    }
}

words! {
    /// How writing ended, where it was not cut.
    ArmEnd {
        /// The user or a signal stopped it, or its time was over.
        Stopped = "stopped",
        /// A write failed, or moved fewer bytes than asked.
        WriteFailed = "write-failed",
        /// A flush failed: what was written since the last good one is unknown, also if a repeated flush succeeds.
        FlushFailed = "flush-failed",
        /// A write or a flush did not come back within eight times `--io-deadline`: what was written since the last good flush is unknown.
        Hung = "hung",
    }
}

words! {
    /// What came of a cut.
    CrashOutcome {
        /// Everything that was flushed before the cut is there.
        Kept = "kept",
        /// Something that was flushed is not there, or something is there that nobody wrote.
        Lost = "lost",
        /// No answer about the storage: nothing but the process was cut, or not all pages were compared.
        Inconclusive = "inconclusive",
    }
}

words! {
    /// What a reader should know about a cut, beside its faults.
    CrashRemark {
        /// A page that was being written at the cut holds a part of the new write and a part of the old one. That is allowed, but it
        /// means that pages of this size are not written whole.
        TornInFlight = "torn-in-flight",
        /// A sector of 512 bytes that was being written at the cut holds a part of the new write and a part of the old one. Logs that
        /// rely on whole sectors can be damaged by that.
        TornSector = "torn-sector",
        /// A write that was not flushed is there, and an earlier one that was not flushed either is missing. Allowed: only a flush orders writes.
        KeptOutOfOrder = "kept-out-of-order",
        /// Writing had ended by itself before the cut, so no write was under way when it came.
        EndedBeforeCut = "ended-before-cut",
        /// The host has not restarted since writing began, although it or its power is said to have been cut.
        HostStayedUp = "host-stayed-up",
        /// Half of all flushes took less than 20 µs on a device that has a volatile write cache: they may not reach it.
        ImplausibleFlush = "implausible-flush",
        /// No block device can be seen below the target: it is in main memory, on a network, or hidden by a container.
        UnknownDevice = "unknown-device",
    }
}

/// The first entry of a journal: what is written, where and by whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Armed {
    /// Id of the run, a ULID. The managed file carries it in its header, and each sector half of it in its stamp.
    pub run: String,
    /// Decides the order of writes and the sizes of batches.
    pub key: u64,
    /// Bytes of a page: each is one write.
    pub page_bytes: u64,
    /// Pages of the target.
    pub pages: u64,
    /// Where the first page begins, from the start of the file or device.
    pub first_byte: u64,
    /// At most this many writes between two flushes.
    pub flush_every: u64,
    /// The file or device, with links resolved.
    pub path: PathBuf,
    /// Whether it is a raw device.
    pub is_device: bool,
    /// The devices below the target, the nearest first; none where they cannot be seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<BlockDevice>,
    /// Network name of the host.
    pub host: String,
    /// Differs after each start of the kernel; absent where the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    /// When writing began: RFC 3339, UTC.
    pub started_at: String,
    /// Version of iotrial.
    pub version: String,
}

/// What a cut left, by every page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrashCheck {
    /// What was written, where and by whom.
    pub armed: Armed,
    /// What was cut, as the user says.
    pub cut: CutKind,
    /// Writes that were flushed before the cut, beside the first filling.
    pub flushed_writes: u64,
    /// Flushes that came back.
    pub flushes: u64,
    /// Half of the flushes took at most so long, in ns; absent where none was timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_p50_ns: Option<u64>,
    /// How writing ended; absent where it was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<ArmEnd>,
    /// Whether the host is still in the same start of its kernel as when writing began; absent where that cannot be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_boot: Option<bool>,
    /// Pages that were read and compared.
    pub pages_checked: u64,
    /// Whether all pages were.
    pub scan_complete: bool,
    /// Writes that may have been under way at the cut.
    pub in_flight: InFlight,
    /// Pages that hold a part of such a write, the first [`TEARS_KEPT`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tears: Vec<Tear>,
    /// How often each kind of fault was found, in pages.
    pub counts: BTreeMap<FaultKind, u64>,
    /// The first of them, up to [`crate::verification::FAULTS_KEPT`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<PageFault>,
}

impl CrashCheck {
    /// All faults of all kinds.
    pub fn fault_count(&self) -> u64 {
        self.counts.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Those that say what a page holds: a read that hangs says nothing.
    pub fn lost_count(&self) -> u64 {
        let told = self.counts.iter().filter(|(kind, _)| **kind != FaultKind::Hang);
        told.fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }
}

/// What became of the writes that were not flushed when the cut came. Each outcome is allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InFlight {
    /// All of them.
    pub writes: u64,
    /// Those that are there whole.
    pub kept: u64,
    /// Those of which nothing is there.
    pub missing: u64,
    /// Those of which a part is there.
    pub torn: u64,
    /// Those that are there whole although an earlier one is missing or torn.
    pub kept_out_of_order: u64,
    /// Sectors of 512 bytes that hold a part of such a write.
    pub torn_sectors: u64,
}

/// A page that holds a part of a write that was under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tear {
    /// Where the page begins, from the start of the file or device.
    pub offset_bytes: u64,
    /// Sectors of 512 bytes that hold the new write.
    pub new_sectors: u64,
    /// The first byte from which on another write is there than at the start of the page.
    pub torn_at_byte: u64,
}

/// What was written until it ended by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArmedRun {
    /// What was written, where and by whom.
    pub armed: Armed,
    /// How it ended.
    pub ended: ArmEnd,
    /// Number of the operating system's error, where one ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os_error: Option<i32>,
    /// Writes that were flushed, beside the first filling.
    pub flushed_writes: u64,
    /// Flushes that came back.
    pub flushes: u64,
    /// Half of the flushes took at most so long, in ns; absent where none was timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_p50_ns: Option<u64>,
}
