//! Raw block devices: what is on them, the token that allows to destroy it, and the claim that holds them.

use std::path::{Path, PathBuf};

use iotrial_model::units::ByteSize;
use sha2::{Digest as _, Sha256};

use super::obstacle::Obstacle;
use super::probe::ProbeError;
use super::sample::ContentSample;
use super::signature::Signature;

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
    /// Major and minor number.
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

    fn digest(&self) -> [u8; 32] {
        // A zero ends each part, and `None` is written unlike an empty text: no two identities become the
        // same text.
        let text = format!("{}\0{:?}\0{}\0{:?}", self.number, self.serial, self.size.get(), self.diskseq);
        Sha256::digest(text).into()
    }
}

/// The consent to destroy this content on this device of this host: 64 bits of a hash, as 16 digits.
///
/// It is no secret. It proves that somebody looked at this very device, and it cannot be pasted from another
/// host, nor become a habit in a script.
pub(crate) fn token(
    host_id: &str,
    identity: &Identity,
    signatures: &[Signature],
    content: &ContentSample,
) -> String {
    let mut digest = Sha256::new();
    // The number changes when what goes into a token does: one of an earlier version then means nothing, and
    // not something else.
    digest.update(b"iotrial token 1\0");
    digest.update(Sha256::digest(host_id));
    digest.update(identity.digest());
    for Signature { name, offset } in signatures {
        digest.update(format!("{name}\0{offset}\0"));
    }
    digest.update(content.digest);
    digest.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_for_one_host_one_device_and_one_content() {
        let identity = Identity {
            number: "8:0".into(),
            serial: Some("S1".into()),
            size: ByteSize::GIB,
            diskseq: Some(9),
        };
        let signatures = [Signature { name: "xfs".into(), offset: 0 }];
        let content =
            ContentSample { sampled_bytes: 0, used_bytes: 0, first_used_offset: None, digest: [1; 32] };
        let first = token("host", &identity, &signatures, &content);
        assert_eq!(first.len(), 16);
        assert_eq!(first, token("host", &identity.clone(), &signatures, &content));
        let others = [
            token("other host", &identity, &signatures, &content),
            token("host", &Identity { number: "8:1".into(), ..identity.clone() }, &signatures, &content),
            token("host", &Identity { serial: None, ..identity.clone() }, &signatures, &content),
            token("host", &Identity { size: ByteSize::MIB, ..identity.clone() }, &signatures, &content),
            token("host", &Identity { diskseq: Some(10), ..identity.clone() }, &signatures, &content),
            token("host", &identity, &[], &content),
            token("host", &identity, &signatures, &ContentSample { digest: [2; 32], ..content.clone() }),
        ];
        assert!(!others.contains(&first));
    }
}
