//! What the kernel logs during a run on the devices below.

use std::fs::File;
use std::io::Read as _;

/// More lines say nothing more.
const LINES_KEPT: usize = 50;

/// No record of the kernel is longer.
const LONGEST_RECORD: usize = 8192;

/// The log from a moment on; nothing where it may not be read.
#[derive(Debug)]
pub(super) struct KernelLog {
    file: Option<File>,
}

impl KernelLog {
    /// From now on.
    pub(super) fn from_now() -> Self {
        Self { file: os::open_at_end() }
    }

    /// The lines since then that name one of the devices, by its name in the kernel; the first 50. What was read is not read again.
    pub(super) fn lines_on(&mut self, devices: &[String]) -> Vec<String> {
        let mut lines = Vec::new();
        let Some(file) = &mut self.file else { return lines };
        let mut record = [0; LONGEST_RECORD];
        while lines.len() < LINES_KEPT {
            match file.read(&mut record) {
                Ok(length) if length > 0 => lines.extend(line_on(&record[..length], devices)),
                // Older records were overwritten before they were read; the next read goes on behind them.
                Err(error) if os::is_overrun(&error) => {}
                // Nothing is left.
                _ => break,
            }
        }
        lines
    }
}

#[cfg(target_os = "linux")]
mod os {
    use std::fs::File;
    use std::io::{self, Seek as _, SeekFrom};
    use std::os::unix::fs::OpenOptionsExt as _;

    pub(super) fn open_at_end() -> Option<File> {
        let mut file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open("/dev/kmsg").ok()?;
        file.seek(SeekFrom::End(0)).ok()?;
        Some(file)
    }

    pub(super) fn is_overrun(error: &io::Error) -> bool {
        error.raw_os_error() == Some(libc::EPIPE)
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use std::fs::File;
    use std::io;

    pub(super) const fn open_at_end() -> Option<File> {
        None
    }

    pub(super) const fn is_overrun(_: &io::Error) -> bool {
        false
    }
}

/// The text of a record such as `3,1054,5140900,-;I/O error, dev sda, sector 2048`, where it names one of the devices.
fn line_on(record: &[u8], devices: &[String]) -> Option<String> {
    let record = String::from_utf8_lossy(record);
    // Lines behind the first are keys for programs.
    let text = record.split_once(';')?.1.lines().next()?;
    let mut words = text.split(|one: char| !one.is_ascii_alphanumeric() && one != '-' && one != '_');
    let names_one = words.any(|word| devices.iter().any(|device| device == word));
    names_one.then(|| text.chars().filter(|one| !one.is_control()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_that_name_a_device_and_no_other_with_a_longer_name() {
        let devices = ["sda".to_owned(), "dm-3".to_owned()];
        let line = |text: &str| line_on(text.as_bytes(), &devices);
        let error = "I/O error, dev sda, sector 2048 op 0x1:(WRITE) flags 0x8800";
        assert_eq!(line(&format!("3,1054,5140900,-;{error}\n SUBSYSTEM=block\n")).as_deref(), Some(error));
        assert!(line("3,1,1,-;EXT4-fs warning (device dm-3): something").is_some());
        for other in ["3,1,1,-;sdab: gone", "3,1,1,-;dm-31: gone", "6,1,1,-;eth0 up\n DEVICE=sda", "sda", ""]
        {
            assert_eq!(line(other), None, "{other}");
        }
    }

    #[test]
    fn a_log_that_may_not_be_read_or_says_nothing_has_no_lines() {
        let mut log = KernelLog { file: None };
        assert!(log.lines_on(&["sda".to_owned()]).is_empty());
        let mut log = KernelLog::from_now();
        assert!(log.lines_on(&["no-such-device".to_owned()]).is_empty());
    }
}
