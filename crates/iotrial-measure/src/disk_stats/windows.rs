//! What Windows counts at its physical disks (`IOCTL_DISK_PERFORMANCE`), each by its number as in `\\.\PhysicalDrive0`.
//!
//! A disk is opened without the right to read or to write, so that every user may ask. The first question has Windows begin to count
//! where nothing else did, and it goes on while somebody has the disk open.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::AsRawHandle as _;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::IOCTL_DISK_PERFORMANCE;

use super::performance::{LENGTH, disk_stat};
use super::{DiskStat, DiskStatsSource, Moment};

/// Numbers of disks that are tried. They are given in order and used again, so that a host with more has had more at once.
const MOST_DISKS: u32 = 256;

/// A disk that is open, and what it had counted when it was asked last.
#[derive(Debug)]
pub(crate) struct CountedDisk {
    name: String,
    device: File,
    latest: Option<DiskStat>,
}

impl CountedDisk {
    /// The disk of that name, such as `PhysicalDrive0`.
    pub(crate) fn open(name: &str) -> io::Result<Self> {
        // FILE_SHARE_READ and FILE_SHARE_WRITE: others have it open, and go on using it.
        let device = OpenOptions::new().access_mode(0).share_mode(0x1 | 0x2).open(format!(r"\\.\{name}"))?;
        Ok(Self { name: name.to_owned(), device, latest: None })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What it has counted until now.
    pub(crate) fn read(&mut self) -> io::Result<&DiskStat> {
        let mut answer = [0_u8; LENGTH];
        let mut returned = 0;
        let length = u32::try_from(answer.len()).expect("88");
        #[expect(unsafe_code, reason = "questions to devices are not in std")]
        // SAFETY: the handle is open, the answer has as many bytes as are told, and both outlive the call, which waits for its end: the
        // handle was not opened for overlapped I/O.
        let done = unsafe {
            DeviceIoControl(
                self.device.as_raw_handle(),
                IOCTL_DISK_PERFORMANCE,
                std::ptr::null(),
                0,
                answer.as_mut_ptr().cast(),
                length,
                &raw mut returned,
                std::ptr::null_mut(),
            )
        };
        if done == 0 {
            return Err(io::Error::last_os_error());
        }
        let stat = disk_stat(&self.name, &answer[..returned.min(length) as usize], self.latest.as_ref());
        let stat = stat.ok_or_else(|| io::Error::other("the answer of the disk is too short"))?;
        Ok(self.latest.insert(stat))
    }
}

struct ThisHost {
    disks: Vec<CountedDisk>,
    start: Instant,
}

pub(super) fn open() -> io::Result<Box<dyn DiskStatsSource + Send>> {
    let named = (0..MOST_DISKS).map(|number| format!("PhysicalDrive{number}"));
    let mut disks: Vec<CountedDisk> = named.filter_map(|name| CountedDisk::open(&name).ok()).collect();
    // Those without counters are passed over: a drive without a medium, and disks of systems that are not quite Windows.
    disks.retain_mut(|disk| disk.read().is_ok());
    if disks.is_empty() {
        let words = "no disk of this host tells its counters; PerfMon's CSV can be read instead";
        return Err(io::Error::new(io::ErrorKind::Unsupported, words));
    }
    Ok(Box::new(ThisHost { disks, start: Instant::now() }))
}

impl DiskStatsSource for ThisHost {
    fn read(&mut self, stats: &mut Vec<DiskStat>) -> io::Result<Moment> {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let moment =
            Moment { monotonic_s: self.start.elapsed().as_secs_f64(), unix_s: since_epoch.as_secs_f64() };
        stats.clear();
        // A disk that is gone is simply not there.
        stats.extend(self.disks.iter_mut().filter_map(|disk| disk.read().ok().cloned()));
        Ok(moment)
    }

    fn sequence(&mut self, _: &str) -> Option<u64> {
        // Not needed: a disk that is open stays the one that was opened, whoever gets its number.
        None
    }
}
