//! What a task that is ended from outside would leave: loop devices, mounts, control groups, folders.
//!
//! Signals are answered by a flag, so that the guards of whatever is set up are dropped in their order. SIGKILL is answered by the next task
//! that begins: a folder of a task carries a lock that ends with it.

#![allow(dead_code, reason = "the ordinary tests make no devices")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;

/// The name of the lock in a folder of a task.
const LOCK: &str = ".lock";
/// What the control groups of a task begin with; their process follows.
pub(crate) const GROUP_PREFIX: &str = "iotrial-attack-";
/// Where control groups are, by controller.
pub(crate) const GROUPS: &str = "/sys/fs/cgroup";

static STOPPED: AtomicBool = AtomicBool::new(false);

/// From now on SIGINT, SIGTERM and SIGHUP only set what [`ensure_not_stopped`] asks; a second one ends the process.
pub(crate) fn stop_in_order() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if STOPPED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot answer signals")
}

/// An error once a signal asked to stop: the guards on the way out take down what was set up.
pub(crate) fn ensure_not_stopped() -> anyhow::Result<()> {
    anyhow::ensure!(!STOPPED.load(Ordering::Relaxed), "stopped by a signal");
    Ok(())
}

/// Waits for a child; one that is not done when a signal asks to stop is ended.
pub(crate) fn wait(child: &mut Child) -> anyhow::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if let Err(stopped) = ensure_not_stopped() {
            child.kill()?;
            child.wait()?;
            return Err(stopped);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A folder that is marked as in use as long as this lives, and gone afterwards.
#[derive(Debug)]
pub(crate) struct OwnFolder {
    folder: tempfile::TempDir,
    _lock: File,
}

impl OwnFolder {
    /// Below `within`, with a name that begins so.
    pub(crate) fn new(within: &Path, prefix: &str) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(within)?;
        let lock = File::create(folder.path().join(LOCK))?;
        lock.lock()?;
        Ok(Self { folder, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Takes down what tasks left that were killed: in folders below `within` whose name begins so, and that nobody uses.
pub(crate) fn take_down(within: &Path, prefix: &str) -> anyhow::Result<()> {
    for entry in fs::read_dir(within)?.flatten() {
        let folder = entry.path();
        if entry.file_name().to_string_lossy().starts_with(prefix) && folder.is_dir() && !is_used(&folder) {
            println!("taking down what a task left in {}", folder.display());
            take_down_folder(&folder)?;
        }
    }
    groups();
    Ok(())
}

/// Whether its task is still there. A folder without a lock was left between two calls, or is being made.
fn is_used(folder: &Path) -> bool {
    let Ok(lock) = File::options().write(true).open(folder.join(LOCK)) else {
        let age = fs::metadata(folder).and_then(|metadata| metadata.modified());
        return !age.is_ok_and(|at| at.elapsed().is_ok_and(|age| age.as_secs() > 60));
    };
    lock.try_lock().is_err()
}

fn take_down_folder(folder: &Path) -> anyhow::Result<()> {
    let folder = folder.canonicalize()?;
    // The last that was mounted goes first: it may lie on another one.
    for mounted in mounts_below(&folder)?.iter().rev() {
        quietly(Command::new("umount").arg("--lazy").arg(mounted));
    }
    for device in devices_of(&folder) {
        quietly(Command::new("losetup").arg("--detach").arg(device));
    }
    fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))
}

fn quietly(command: &mut Command) {
    let _ = command.stdin(Stdio::null()).stderr(Stdio::null()).status();
}

fn mounts_below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    // The fifth word is the mount point. None of ours has a character that would be written in another way there.
    let points = table.lines().filter_map(|line| line.split(' ').nth(4)).map(PathBuf::from);
    Ok(points.filter(|point| point.starts_with(folder)).collect())
}

/// The loop devices whose file is in the folder.
fn devices_of(folder: &Path) -> Vec<PathBuf> {
    let blocks = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let has_file = |block: &fs::DirEntry| {
        let file = fs::read_to_string(block.path().join("loop/backing_file")).unwrap_or_default();
        // Of a file that was removed the kernel says so behind its name.
        Path::new(file.trim_end()).starts_with(folder)
    };
    blocks.filter(has_file).map(|block| Path::new("/dev").join(block.file_name())).collect()
}

/// Control groups whose task is gone, with whatever is still in them: only what that task started can be.
fn groups() {
    for controller in fs::read_dir(GROUPS).into_iter().flatten().flatten() {
        for group in fs::read_dir(controller.path()).into_iter().flatten().flatten() {
            let name = group.file_name().to_string_lossy().into_owned();
            let owner =
                name.strip_prefix(GROUP_PREFIX).and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
            if owner.is_some_and(|owner| !Path::new("/proc").join(owner.to_string()).exists()) {
                remove_group(&group.path());
            }
        }
    }
}

/// Ends what is in a control group, and removes it.
pub(crate) fn remove_group(group: &Path) {
    // What is frozen cannot end.
    let _ = fs::write(group.join("freezer.state"), "THAWED");
    for _ in 0..200 {
        for process in fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default().lines() {
            quietly(Command::new("kill").args(["-KILL", process]));
        }
        // A group is busy for a moment after its last process has ended.
        if fs::remove_dir(group).is_ok() || !group.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    println!("left over: {}", group.display());
}
