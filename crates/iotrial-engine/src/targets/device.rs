//! Raw block devices: what is on them, the token that allows to destroy it, and the claim that holds them.

use std::path::{Path, PathBuf};

use iotrial_model::units::ByteSize;
use sha2::{Digest as _, Sha256};

use super::obstacle::Obstacle;
use super::probe::ProbeError;
use super::sample::ContentSample;
use super::signature::Signature;

mod look;

// On Windows nothing is written to raw devices, and no token is made.
#[cfg(any(target_os = "linux", test))]
mod token;

#[cfg(target_os = "linux")]
#[path = "device/linux.rs"]
mod os;
#[cfg(windows)]
#[path = "device/windows.rs"]
mod os;

pub(crate) use os::{Claim, Claimed, claim, probe};

/// All that is known of a device before its content may be destroyed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceReport {
    /// With links resolved.
    pub path: PathBuf,
    /// Kernel name, such as `nvme0n1`.
    pub name: String,
    /// Model and vendor; `None` where the device does not tell.
    pub model: Option<String>,
    /// Serial number or world-wide name; `None` where the device does not tell.
    pub serial: Option<String>,
    /// All of it.
    pub size: ByteSize,
    /// Smallest unit of direct I/O.
    pub sector_size: ByteSize,
    /// Why it can never be written; mostly empty.
    pub obstacles: Vec<Obstacle>,
    /// Who left a mark on it, by name and place.
    pub signatures: Vec<Signature>,
    /// Whether it holds anything.
    pub content: ContentSample,
    /// The consent to destroy the content, to be given with `--destroy`; `None` when there is an obstacle.
    pub token: Option<String>,
}

/// Looks at a device, and makes the token that allows to destroy its content. Writes nothing.
///
/// `protected` are paths whose devices are never written, such as the record store.
///
/// # Errors
///
/// When there is no block device at `path`, or it cannot be read.
pub fn inspect_device(path: &Path, protected: &[PathBuf]) -> Result<DeviceReport, ProbeError> {
    os::inspect(path, protected)
}

/// What makes a device this one and no other, as far as the kernel tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Major and minor number; on Windows the number of the disk.
    pub(crate) number: String,
    pub(crate) serial: Option<String>,
    pub(crate) size: ByteSize,
    /// Counts up whenever another medium comes under the same number; `None` before Linux 5.15.
    pub(crate) diskseq: Option<u64>,
}

impl Identity {
    /// What differs from `earlier`, for people.
    pub(crate) fn changed_since(&self, earlier: &Self) -> Option<String> {
        if self == earlier {
            return None;
        }
        let what = if self.size != earlier.size {
            format!("it had {}, and has {} now", earlier.size, self.size)
        } else {
            "another device took its place".to_owned()
        };
        Some(what)
    }

    /// Chooses the pages that are sampled.
    pub(crate) fn seed(&self) -> u64 {
        u64::from_le_bytes(self.digest()[..8].try_into().expect("a slice of 8 bytes"))
    }

    /// Of all parts.
    fn digest(&self) -> [u8; 32] {
        // A zero ends each part, and `None` is written unlike an empty text: no two identities become the
        // same text.
        let text = format!("{}\0{:?}\0{}\0{:?}", self.number, self.serial, self.size.get(), self.diskseq);
        Sha256::digest(text).into()
    }
}
