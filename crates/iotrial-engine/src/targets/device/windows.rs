//! Raw disks on Windows (`\\.\PhysicalDrive0`): shown and read, and never written.
//!
//! What would guard them for writing there (the disk of the system, page files, clusters, pools, volumes that must be locked and
//! dismounted) could not be tried on real hardware, and a guard that was never tried is none.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf, Prefix};

use iotrial_host::physical_disk::{PhysicalDisk, disk_number};
use iotrial_model::plan::{TargetFacts, TargetKind};
use iotrial_model::record::{BlockDevice, TargetRecord};
use iotrial_model::units::ByteSize;

use super::super::obstacle::{Obstacle, Reason};
use super::super::os;
use super::super::prepare_error::PrepareError;
use super::super::probe::{ProbeError, ProbedTarget, examine};
use super::look::look;
use super::{DeviceReport, Identity};

/// What must still hold when the disk is opened.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
    number: u32,
    identity: Identity,
}

/// A disk that was found to be the claimed one. It is only read, so nobody is kept from it.
#[derive(Debug)]
pub(crate) struct Claimed {
    path: PathBuf,
    number: u32,
}

impl Claimed {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the disk once more, for reading.
    pub(crate) fn open(&self, writes: bool, direct: bool) -> io::Result<File> {
        assert!(!writes, "no plan can exist that writes to a disk");
        open(&self.path, self.number, direct)
    }

    /// None: it is only read.
    pub(crate) fn token_now(&self) -> io::Result<Option<String>> {
        Ok(None)
    }
}

/// A disk as it answers, and what a record says of it.
struct Disk {
    path: PathBuf,
    number: u32,
    identity: Identity,
    sector_size: ByteSize,
    facts: BlockDevice,
}

/// The number in `\\.\PhysicalDrive7`; `None` of another device.
fn number_of(path: &Path) -> Option<u32> {
    let Some(Component::Prefix(prefix)) = path.components().next() else { return None };
    let Prefix::DeviceNS(name) = prefix.kind() else { return None };
    let (word, digits) = name.to_str()?.split_at_checked("PhysicalDrive".len())?;
    let is_disk =
        word.eq_ignore_ascii_case("PhysicalDrive") && digits.bytes().all(|byte| byte.is_ascii_digit());
    // With anything behind it, it is the name of something else.
    let is_whole = path.components().all(|part| matches!(part, Component::Prefix(_) | Component::RootDir));
    if is_disk && is_whole { digits.parse().ok() } else { None }
}

fn find(path: &Path) -> Result<Disk, ProbeError> {
    let Some(number) = number_of(path) else {
        let path = path.to_owned();
        return Err(match std::fs::symlink_metadata(&path) {
            _ if os::names_a_device(&path) => {
                ProbeError::NotATarget { path, what: "a volume or another device, not a physical disk" }
            }
            Ok(metadata) => ProbeError::NotADevice { what: os::kind_of(&metadata), path },
            Err(_) => ProbeError::NoSuchDevice { path },
        });
    };
    let disk = PhysicalDisk::open(number);
    match disk.refusal() {
        None => {}
        Some(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(ProbeError::NoSuchDevice { path: path.to_owned() });
        }
        Some(error) => {
            let source = io::Error::from_raw_os_error(error.raw_os_error().unwrap_or_default());
            return Err(ProbeError::Examine { path: path.to_owned(), source });
        }
    }
    let (sector, size) = disk.geometry().unwrap_or_default();
    let facts = disk.block_device();
    let identity = Identity { number: number.to_string(), serial: facts.serial.clone(), size, diskseq: None };
    // As the system spells it, whatever the user did.
    let path = PathBuf::from(format!(r"\\.\{}", disk.name()));
    let sector_size = ByteSize::bytes(if sector > 0 { sector.into() } else { 4096 });
    Ok(Disk { path, number, identity, sector_size, facts })
}

/// Opens the disk for reading, and looks whether it still is the one of that number.
fn open(path: &Path, number: u32, direct: bool) -> io::Result<File> {
    let file = os::open_existing(path, os::Access::Read, direct)?;
    match disk_number(&file) {
        Some(found) if found != number => Err(io::Error::other("another disk took its place")),
        _ => Ok(file),
    }
}

/// Why nothing is ever written to it.
fn obstacles(disk: &Disk) -> Vec<Obstacle> {
    let name = disk.facts.name.clone();
    let empty = disk.identity.size.get() == 0;
    let reason = if empty { Reason::NoMedium } else { Reason::NeverTried };
    vec![Obstacle { device: name, reason }]
}

pub(crate) fn probe(
    path: PathBuf,
    destroy: Option<&str>,
    _protected: &[PathBuf],
) -> Result<ProbedTarget, ProbeError> {
    let disk = find(&path)?;
    if destroy.is_some() || disk.identity.size.get() == 0 {
        return Err(ProbeError::Obstructed { path: disk.path.clone(), obstacles: obstacles(&disk) });
    }
    // Whether it may be read at all is better said now than after a plan was made for it.
    examine(&disk.path, open(&disk.path, disk.number, false))?;
    let Disk { path, number, identity, sector_size, facts } = disk;
    let record = TargetRecord {
        path: path.display().to_string(),
        kind: "device".to_owned(),
        sector_size,
        devices: vec![facts],
        ..TargetRecord::default()
    };
    let kind = TargetKind::Device { size: identity.size, destroy: false };
    let claim = Claim { path: path.clone(), number, identity };
    Ok(ProbedTarget {
        facts: TargetFacts { path, roles: Vec::new(), kind, sector_size },
        record,
        claim: Some(claim),
        directory: None,
        is_there: true,
    })
}

pub(super) fn inspect(path: &Path, _protected: &[PathBuf]) -> Result<DeviceReport, ProbeError> {
    let disk = find(path)?;
    let file = examine(&disk.path, open(&disk.path, disk.number, true))?;
    let (signatures, content) = examine(&disk.path, look(&file, &disk.identity, &|| false))?;
    Ok(DeviceReport {
        obstacles: obstacles(&disk),
        name: disk.facts.name,
        model: disk.facts.model,
        serial: disk.identity.serial,
        size: disk.identity.size,
        sector_size: disk.sector_size,
        path: disk.path,
        signatures,
        content,
        token: None,
    })
}

/// Asks once more whether the disk is the one that was probed.
pub(crate) fn claim(
    claim: &Claim,
    writes: bool,
    _stop: &(dyn Fn() -> bool + Sync),
) -> Result<Claimed, PrepareError> {
    let Claim { path, number, identity } = claim;
    let changed = |what: String| PrepareError::Changed { path: path.clone(), what };
    if writes {
        return Err(PrepareError::NoToken { path: path.clone() });
    }
    let now = find(path).map_err(|_| changed("it is gone".to_owned()))?;
    match now.identity.changed_since(identity) {
        Some(what) => Err(changed(what)),
        None => Ok(Claimed { path: path.clone(), number: *number }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_known_by_its_number_however_it_is_spelt_and_a_volume_is_none() {
        let number = |path: &str| number_of(Path::new(path));
        assert_eq!(number(r"\\.\PhysicalDrive0"), Some(0));
        assert_eq!(number(r"\\.\physicaldrive12"), Some(12));
        assert_eq!(number("//./PHYSICALDRIVE3"), Some(3));
        for other in [
            r"\\.\C:",
            r"\\.\PhysicalDrive",
            r"\\.\PhysicalDrive-1",
            r"\\.\PhysicalDriveX",
            r"C:\PhysicalDrive0",
        ] {
            assert_eq!(number(other), None, "{other}");
        }
        assert_eq!(number(r"\\.\PhysicalDrive0\a"), None);
    }

    #[test]
    fn a_disk_that_is_not_there_and_what_is_no_disk_are_refused_each_with_its_words() {
        let refused = |path: &str| probe(PathBuf::from(path), None, &[]).unwrap_err().to_string();
        assert!(refused(r"\\.\PhysicalDrive4000").contains("there is no device"));
        assert!(refused(r"\\.\C:").contains("not a physical disk"));
    }
}
