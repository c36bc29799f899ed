//! The disks below what is watched, as Windows numbers them.

use std::io;
use std::path::{Path, PathBuf};

use iotrial_host::physical_disk::{PhysicalDisk, below};

use super::{WatchError, Watched, WatchedDisk};

/// Numbers of disks that are tried. They are given in order and used again, so that a host with more has had more at once.
const MOST_DISKS: u32 = 256;

pub(super) fn find(targets: &[PathBuf]) -> Result<Watched, WatchError> {
    let mut watched = Watched::default();
    let mut add = |name: String, target: String| {
        if !watched.disks.iter().any(|disk: &WatchedDisk| disk.name == name) {
            watched.disks.push(WatchedDisk { name, role: None, target, depth: 0 });
        }
    };
    if targets.is_empty() {
        let disks = (0..MOST_DISKS).map(PhysicalDisk::open);
        // Not drives without a medium.
        disks.filter(|disk| disk.geometry().is_some_and(|(_, size)| size.get() > 0)).for_each(|disk| {
            add(disk.name(), String::new());
        });
    }
    for target in targets {
        let disks = match disk_of(target) {
            Some(disk) => vec![disk],
            None => below_of(target)?,
        };
        if disks.is_empty() {
            return Err(WatchError::NoDevice { target: target.clone() });
        }
        disks.into_iter().for_each(|name| add(name, target.display().to_string()));
    }
    Ok(watched)
}

/// The disk that is named by its number, such as `PhysicalDrive1` or `\\.\PhysicalDrive1`, where it is there.
fn disk_of(target: &Path) -> Option<String> {
    let text = target.to_str()?;
    let name = text.strip_prefix(r"\\.\").unwrap_or(text);
    let (word, digits) = name.split_at_checked("PhysicalDrive".len())?;
    let number = digits.parse().ok().filter(|_| word.eq_ignore_ascii_case("PhysicalDrive"))?;
    let disk = PhysicalDisk::open(number);
    disk.refusal().is_none().then(|| disk.name())
}

/// The disks of the volume that holds a directory or file.
fn below_of(target: &Path) -> Result<Vec<String>, WatchError> {
    let failed = |source: io::Error| WatchError::Target { target: target.to_owned(), source };
    let place = std::fs::canonicalize(target).map_err(failed)?;
    Ok(below(&place).disks.into_iter().map(|disk| disk.name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_told_and_all_disks_are_those_with_a_medium() {
        let told = find(&[PathBuf::from(r"C:\no\such\place")]).unwrap_err().to_string();
        assert_eq!(told, r"cannot watch `C:\no\such\place`");
        assert!(find(&[PathBuf::from("PhysicalDrive4000")]).is_err());
        assert!(find(&[]).unwrap().disks.iter().all(|disk| disk.name.starts_with("PhysicalDrive")));
    }
}
