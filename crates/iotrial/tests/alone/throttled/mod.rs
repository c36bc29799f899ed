//! Limits of a real kernel, for the tests that need root.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test, which says what it leaves"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::rig::{self, Loop};

/// A folder in memory, where the host has such a file system: what others do to the disk does not disturb a device in it.
pub fn memory_folder() -> tempfile::TempDir {
    let prefix = "iotrial-test-";
    let in_memory = tempfile::Builder::new().prefix(prefix).tempdir_in("/dev/shm");
    in_memory.or_else(|_| tempfile::Builder::new().prefix(prefix).tempdir()).unwrap()
}

/// Whether the tests that measure for minutes are asked for. How busy the host is decides whether they can show anything, so that they are
/// a row of the benchmark and no condition of a change.
pub fn is_measured(test: &str) -> bool {
    let is_asked = std::env::var_os("IOTRIAL_TEST_TRUTH").is_some();
    if !is_asked {
        eprintln!("{test}: skipped, because it measures for minutes: `cargo xtask bench truth` runs it");
    }
    is_asked
}

/// A profile that only reads.
pub const READS: &str = r#"
format = "iotrial.profile/1"
name = "reads"
title = "Random reads of 8 KiB"
schedule = { ramp = "1s", duration = "60s" }
quick = { size = "64MiB", duration = "12s" }
[[job]]
name = "reads"
role = "data"
pattern = "random"
rwmix_read_percent = 100
block_size = "8KiB"
numjobs = 1
iodepth = 32
size = "1GiB"
"#;

/// A file of that many MiB that has blocks.
pub fn filled(folder: &Path, name: &str, size_mib: u64) -> PathBuf {
    let path = folder.join(name);
    let count = format!("count={size_mib}");
    rig::run("dd", &["if=/dev/urandom", &format!("of={}", rig::text(&path)), "bs=1M", &count, "conv=fsync"]);
    path
}

/// Runs a test until it holds, three times at most. What one run on a busy host cannot show, another one may: the host can
/// hold I/Os back and so keep a rate below a limit, and nothing makes a limit that is not there.
pub fn within_three_tries(test: impl Fn() -> Result<(), String>) {
    let failed: Vec<String> = (0..3).map_while(|_| test().err()).collect();
    assert!(failed.len() < 3, "{}", failed.join("\n"));
    failed.iter().for_each(|reason| eprintln!("tried again: {reason}"));
}

/// An error that says what is not so, and of what.
pub fn ensure(holds: bool, what: &str, of: &serde_json::Value) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{what}: {of:#}")) }
}

/// What is limited of a device, and to how much of it a second.
#[derive(Debug, Clone, Copy)]
pub enum Cap {
    Reads(u32),
    Writes(u32),
    ReadBytes(u32),
}

/// A control group of its own with a limit on each of some devices; gone at the end.
pub struct Throttled(PathBuf);

impl Throttled {
    /// The same number of reads a second for each; `None` where the kernel has no such groups.
    pub fn new(devices: &[&Loop], reads_per_s: u32) -> Option<Self> {
        let caps: Vec<(&Loop, Cap)> =
            devices.iter().map(|device| (*device, Cap::Reads(reads_per_s))).collect();
        Self::with(&caps)
    }

    /// A limit of its own for each; `None` where the kernel has no such groups.
    pub fn with(caps: &[(&Loop, Cap)]) -> Option<Self> {
        let groups = Path::new("/sys/fs/cgroup/blkio");
        if !groups.join("blkio.throttle.read_iops_device").exists() {
            return None;
        }
        let group = Self(groups.join(format!("iotrial-test-{}", std::process::id())));
        fs::create_dir(&group.0).ok()?;
        for (device, cap) in caps {
            let (file, per_s) = match cap {
                Cap::Reads(per_s) => ("read_iops", per_s),
                Cap::Writes(per_s) => ("write_iops", per_s),
                Cap::ReadBytes(per_s) => ("read_bps", per_s),
            };
            let number = fs::read_to_string(format!("/sys/block/{}/dev", device.name())).unwrap();
            let limit = format!("{} {per_s}", number.trim());
            fs::write(group.0.join(format!("blkio.throttle.{file}_device")), limit).ok()?;
        }
        Some(group)
    }

    /// The command, run in the group from its first I/O on.
    pub fn run(&self, command: &Command) -> Command {
        let mut within = Command::new("sh");
        within.args(["-ec", "echo $$ > \"$0\"; exec \"$@\"", rig::text(&self.0.join("cgroup.procs"))]);
        within.arg(command.get_program()).args(command.get_args());
        within.current_dir(command.get_current_dir().unwrap());
        within.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        within.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        within
    }
}

impl Drop for Throttled {
    fn drop(&mut self) {
        // A group is busy for a moment after its last process has ended.
        for _ in 0..50 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::yield_now();
        }
        eprintln!("left over: {}", self.0.display());
    }
}
