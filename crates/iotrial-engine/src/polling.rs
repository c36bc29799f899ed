//! Whether the targets can be polled for completions (`io_uring_setup(2)`, IORING_SETUP_IOPOLL). Writes
//! nothing.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use iotrial_model::plan::TargetKind;
use rustix::fs::OFlags;

use crate::targets::ProbedTarget;
use crate::uring;

/// Why the targets cannot be polled.
#[derive(Debug, thiserror::Error)]
pub enum PollingError {
    /// A device below has no queues for it.
    #[error("device `{device}` below `{}` cannot be polled for completions", path.display())]
    Device {
        /// Path of the target, with links resolved.
        path: PathBuf,
        /// The device's kernel name.
        device: String,
    },
    /// Nothing is known of what lies below.
    #[error("no block device is known below `{}` that could be polled for completions", path.display())]
    NoDevice {
        /// Path of the target, with links resolved.
        path: PathBuf,
    },
    /// The first polled read failed.
    #[error("cannot read `{}` by polling", path.display())]
    Read {
        /// Path of the target, with links resolved.
        path: PathBuf,
        /// What opening it for direct I/O, or the ring, answered.
        #[source]
        source: io::Error,
    },
}

/// Asks every device below the targets whether it can be polled, and reads what is there to be read. The
/// files of a directory are first read when the load starts.
///
/// # Errors
///
/// When one of them cannot.
pub fn check_polling(targets: &[ProbedTarget]) -> Result<(), PollingError> {
    for target in targets {
        let path = &target.facts.path;
        // ZFS and network file systems show no device that could be asked.
        if target.record.devices.is_empty() {
            return Err(PollingError::NoDevice { path: path.clone() });
        }
        let unable = |device: &&str| !polls(Path::new("/sys/class/block"), device);
        let names = target.record.devices.iter().map(|device| device.name.as_str());
        if let Some(device) = names.into_iter().find(unable) {
            return Err(PollingError::Device { path: path.clone(), device: device.to_owned() });
        }
        // That all devices poll does not say that what stands above them passes the request on: only a read
        // does. It is direct, because the page cache has nothing to poll.
        if !matches!(target.facts.kind, TargetKind::Directory(_)) {
            let direct = OFlags::DIRECT.bits().cast_signed();
            let opened = File::options().read(true).custom_flags(direct).open(path);
            opened
                .and_then(|file| uring::read_polled(&file))
                .map_err(|source| PollingError::Read { path: path.clone(), source })?;
        }
    }
    Ok(())
}

/// Whether the device polls, by `queue/io_poll`; the queue of a partition is that of its disk.
fn polls(sys_class_block: &Path, device: &str) -> bool {
    // The entry is a link into the tree of devices, in which the folder of a partition is within that of its
    // disk.
    let own = sys_class_block.join(device);
    let Ok(own) = fs::canonicalize(own) else { return false };
    let folders = [Some(own.as_path()), own.parent()];
    let read = |folder: &Path| fs::read_to_string(folder.join("queue/io_poll")).ok();
    folders.into_iter().flatten().find_map(read).is_some_and(|text| text.trim() == "1")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_device_polls_where_its_queue_or_that_of_its_disk_does() {
        let sys = tempfile::tempdir().unwrap();
        for (disk, io_poll) in [("nvme0n1", "1\n"), ("sda", "0\n")] {
            let folder = sys.path().join("devices").join(disk);
            fs::create_dir_all(folder.join("queue")).unwrap();
            fs::write(folder.join("queue/io_poll"), io_poll).unwrap();
            let partition = format!("{disk}p1");
            fs::create_dir(folder.join(&partition)).unwrap();
            symlink(folder.join(&partition), sys.path().join(partition)).unwrap();
            symlink(&folder, sys.path().join(disk)).unwrap();
        }
        let found = ["nvme0n1", "nvme0n1p1", "sda", "sdap1", "gone"].map(|device| polls(sys.path(), device));
        assert_eq!(found, [true, true, false, false, false]);
    }
}
