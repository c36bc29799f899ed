//! Loop devices, mounts and processes for the tests of hostile targets. Whatever is set up is taken down on
//! drop, after a panic too.

#![allow(dead_code, unreachable_pub, reason = "each test file uses another part of it")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says why it skips"
)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::{FileExt as _, FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard};

use iotrial_engine::targets::{PrepareError, Prepared, ProbeError, ProbedTarget, prepare, probe};
use iotrial_model::plan::{EngineKind, Plan, PlanRequest, TargetKind};
use iotrial_model::profile::Profile;
use iotrial_model::units::ByteSize;

pub const MIB: u64 = 1 << 20;

/// The tests of one process take turns: a child that is about to start has all descriptors of its parent for
/// a moment, and would be seen as another process that has the device open.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(|broken| broken.into_inner())
}

/// Whether loop devices and mounts can be made here; says so when not.
pub fn is_root(test: &str) -> bool {
    if !rustix::process::geteuid().is_root() || !Path::new("/dev/loop-control").exists() {
        eprintln!("{test}: skipped, because it needs root and loop devices");
        return false;
    }
    let tools = ["losetup", "addpart", "mkfs.ext4", "mkfs.btrfs", "mkswap", "swapon", "unshare", "setpriv"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |tool: &&str| std::env::split_paths(&path).any(|directory| directory.join(tool).exists());
    if let Some(tool) = tools.iter().find(|tool| !is_there(tool)) {
        eprintln!("{test}: skipped, because `{tool}` is not installed");
        return false;
    }
    true
}

/// Runs a command that has to succeed; answers with what it printed.
pub fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn run_at_the_end(program: &str, arguments: &[&str]) {
    match Command::new(program).args(arguments).output() {
        Ok(output) if output.status.success() => {}
        output => eprintln!("left over: {program} {arguments:?}: {output:?}"),
    }
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What was set up for a case; taken down in the opposite order.
#[derive(Default)]
pub struct Guards(Vec<Box<dyn std::any::Any>>);

impl Guards {
    pub fn add(&mut self, guard: impl std::any::Any) {
        self.0.push(Box::new(guard));
    }
}

impl Drop for Guards {
    fn drop(&mut self) {
        while let Some(guard) = self.0.pop() {
            drop(guard);
        }
    }
}

/// A loop device over a file of its own, or over something else.
pub struct Loop {
    pub node: PathBuf,
}

impl Loop {
    pub fn over(backing: &Path, options: &[&str]) -> Self {
        let arguments = [options, &["--find", "--show", text(backing)]].concat();
        // Another program may take the free device between the two steps of losetup.
        for _ in 0..5 {
            let output = Command::new("losetup").args(&arguments).output().unwrap();
            if output.status.success() {
                return Self { node: String::from_utf8_lossy(&output.stdout).trim().into() };
            }
        }
        panic!("losetup {arguments:?}");
    }

    pub fn name(&self) -> &str {
        self.node.file_name().unwrap().to_str().unwrap()
    }

    /// Makes a partition, as the kernel would after reading a table.
    pub fn add_partition(&self, number: u32, start: u64, length: u64) -> PathBuf {
        let [number_text, start, length] =
            [number.into(), start / 512, length / 512].map(|n: u64| n.to_string());
        run("addpart", &[text(&self.node), &number_text, &start, &length]);
        PathBuf::from(format!("{}p{number}", text(&self.node)))
    }

    /// Gives the file back; the same number may serve another one.
    pub fn detach(self) {
        drop(self);
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let partitions = fs::read_dir(format!("/sys/block/{}", self.name())).into_iter().flatten().flatten();
        for partition in partitions.filter(|entry| entry.path().join("partition").exists()) {
            let number = fs::read_to_string(partition.path().join("partition")).unwrap_or_default();
            run_at_the_end("delpart", &[text(&self.node), number.trim()]);
        }
        // The kernel keeps this state for the next file under the same number.
        run_at_the_end("blockdev", &["--setrw", text(&self.node)]);
        run_at_the_end("losetup", &["--detach", text(&self.node)]);
    }
}

/// A file of zeros without blocks.
pub fn sparse(path: &Path, size: u64) -> PathBuf {
    File::create(path).unwrap().set_len(size).unwrap();
    path.to_owned()
}

/// A mount.
pub struct Mount(PathBuf);

impl Mount {
    pub fn new(arguments: &[&str], mount_point: &Path) -> Self {
        fs::create_dir_all(mount_point).unwrap();
        run("mount", &[arguments, &[text(mount_point)]].concat());
        Self(mount_point.to_owned())
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        run_at_the_end("umount", &[text(&self.0)]);
    }
}

/// A swap area that is in use.
pub struct Swap(PathBuf);

impl Swap {
    pub fn on(path: &Path) -> Self {
        run("swapon", &[text(path)]);
        Self(path.to_owned())
    }
}

impl Drop for Swap {
    fn drop(&mut self) {
        run_at_the_end("swapoff", &[text(&self.0)]);
    }
}

/// Removes a file or node outside the test's own directory.
pub struct Removed(pub PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A process that does something and then waits to be ended.
pub struct Process(Child);

impl Process {
    /// `script` runs in a shell, as the last command of which a reading of standard input keeps it alive.
    pub fn start(wrapper: &[&str], script: &str) -> Self {
        let script = format!("{script}; echo ready; read end");
        let command = [wrapper, &["sh", "-ec", &script]].concat();
        let mut child = Command::new(command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "{script}");
        Self(child)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // End of input ends the shell; what it mounted in a namespace of its own goes with it.
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// A file system in which nothing moves by itself, on the first `size` bytes of the device or on all of it.
pub fn make_ext4(device: &Path, size: Option<u64>) {
    let features = ["-q", "-F", "-O", "^has_journal", "-E", "lazy_itable_init=0,nodiscard"];
    let size = size.map(|bytes| format!("{}k", bytes / 1024));
    let mut arguments = [&features[..], &[text(device)]].concat();
    arguments.extend(size.as_deref());
    run("mkfs.ext4", &arguments);
    settle(device);
}

/// Brings all that was written to the device down to the file behind it.
pub fn settle(device: &Path) {
    let file = File::open(device).unwrap();
    // A device that is read only has nothing to bring down.
    let _ = file.sync_all();
}

pub fn write(device: &Path, offset: u64, bytes: &[u8]) {
    let file = File::options().write(true).open(device).unwrap();
    file.write_all_at(bytes, offset).unwrap();
    file.sync_all().unwrap();
}

/// All that a path holds, by name below it: types, modes, sizes, and content.
pub type Fingerprint = BTreeMap<PathBuf, (u32, u64, u64)>;

/// Of files, directories and whatever is in them, without following links.
pub fn fingerprint(paths: &[PathBuf]) -> Fingerprint {
    let mut found = Fingerprint::new();
    let mut open = paths.to_vec();
    while let Some(path) = open.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let kind = metadata.file_type();
        let mut content = 0;
        if kind.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if kind.is_symlink() {
            content = hash(fs::read_link(&path).unwrap().as_os_str().as_encoded_bytes());
        } else if kind.is_file() || kind.is_block_device() {
            let mut bytes = Vec::new();
            File::open(&path).unwrap().read_to_end(&mut bytes).unwrap();
            content = hash(&bytes);
        }
        let length = if kind.is_file() { metadata.len() } else { 0 };
        found.insert(path, (metadata.mode(), length, content));
    }
    found
}

fn hash(bytes: &[u8]) -> u64 {
    use std::hash::Hasher as _;
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// How an attempt to write ended: the name of the error, its text, its hint.
#[derive(Debug, PartialEq)]
pub struct Refusal {
    pub kind: String,
    pub message: String,
    pub hint: Option<String>,
}

fn kind_of(error: &impl std::fmt::Debug) -> String {
    format!("{error:?}").split([' ', '(', '{']).next().unwrap().to_owned()
}

impl From<ProbeError> for Refusal {
    fn from(error: ProbeError) -> Self {
        Self { kind: kind_of(&error), message: error.to_string(), hint: error.hint() }
    }
}

impl From<PrepareError> for Refusal {
    fn from(error: PrepareError) -> Self {
        Self { kind: kind_of(&error), message: error.to_string(), hint: error.hint() }
    }
}

const PROFILE: &str = r#"
format = "iotrial.profile/1"
name = "hostile"
title = "Writes wherever it can"
schedule = { ramp = "1s", duration = "10s" }
quick = { size = "8MiB", ramp = "1s", duration = "5s" }
[[job]]
name = "data"
role = "data"
pattern = "random"
rwmix_read_percent = READS
block_size = "8KiB"
numjobs = 1
iodepth = 8
size = "1GiB"
"#;

/// A plan of one job on 8 MiB or what the target holds, that writes or only reads.
pub fn plan(target: &ProbedTarget, writes: bool) -> Plan {
    let room = match target.facts.kind {
        TargetKind::File { data_size } => data_size,
        TargetKind::Device { size, .. } => size,
        TargetKind::Directory(_) | TargetKind::Imagined => ByteSize::mib(8),
    };
    let request = PlanRequest {
        size: Some(room.min(ByteSize::mib(8))),
        seed: 3,
        cpu_count: 2,
        ..PlanRequest::of_engine(EngineKind::Threads)
    };
    let profile = PROFILE.replace("READS", if writes { "0" } else { "100" });
    Plan::decide(&Profile::parse(&profile).unwrap(), &request, std::slice::from_ref(&target.facts)).unwrap()
}

/// The whole way to the first written byte.
pub fn attempt(path: &Path, token: Option<&str>, protected: &[PathBuf]) -> Result<Prepared, Refusal> {
    finish(&probe(path, token, protected)?)
}

/// The second half of that way.
pub fn finish(target: &ProbedTarget) -> Result<Prepared, Refusal> {
    Ok(prepare([0; 16], &plan(target, true), std::slice::from_ref(target), &|_, _| (), &|| false)?)
}
