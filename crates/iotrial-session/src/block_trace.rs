//! A trace of block I/O while it happens: an instance of tracefs of our own, which nobody else's tracing notices.
//!
//! The instance has the process and its start in its name. One of a process that is gone, after kill -9, is removed when the next trace begins.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use iotrial_measure::control::Control;
use rustix::fs::OFlags;

use crate::fault::Fault;
use crate::watch::{WatchError, Watched, WatchedRequest};

/// The events that are traced.
const EVENTS: [&str; 2] = ["block_rq_issue", "block_rq_complete"];
/// What the names of our instances begin with.
const OURS: &str = "iotrial-";
/// The buffers of all CPUs together, in KiB, and the least of one.
const BUFFER_KIB: usize = 64 << 10;
const LEAST_BUFFER_KIB: usize = 1 << 10;
/// The buffer of one CPU, in KiB, on hosts with few of them.
const MOST_BUFFER_KIB: usize = 8 << 10;
/// Nothing to read: looked again after so long.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Marks that are written to see what one costs.
const MARKS: u32 = 256;

/// Why nothing can be traced.
#[derive(Debug, thiserror::Error)]
pub enum BlockTraceError {
    /// The devices of the target.
    #[error(transparent)]
    Target(#[from] WatchError),
    /// There is no such process.
    #[error("there is no process {process}")]
    NoProcess {
        /// Its number.
        process: u32,
    },
    /// It has nothing open on a disk.
    #[error("process {process} has no file open on a disk that this host shows")]
    NoFiles {
        /// Its number.
        process: u32,
    },
    /// There is no tracefs.
    #[error("tracefs is not mounted on this host")]
    NotMounted,
    /// It is only for root.
    #[error("tracing block I/O is only for root")]
    NotPermitted(#[source] io::Error),
    /// The kernel has no such events or no instances.
    #[error("the kernel of this host has no `{}`", missing.display())]
    Missing {
        /// Which file of tracefs.
        missing: PathBuf,
    },
    /// A file of tracefs.
    #[error("cannot trace: `{}`", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the operating system answered.
        #[source]
        source: io::Error,
    },
}

impl Fault for BlockTraceError {
    fn is_of_input(&self) -> bool {
        match self {
            Self::Target(error) => error.is_of_input(),
            Self::NoProcess { .. } | Self::NoFiles { .. } => true,
            _ => false,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Target(error) => error.hint(),
            Self::NoProcess { .. } | Self::NoFiles { .. } => Some(
                "give the main process of the database, as root, or its directory with --target".to_owned(),
            ),
            Self::NotMounted => Some(
                "mount it on the host itself, not in a container: mount -t tracefs nodev /sys/kernel/tracing"
                    .to_owned(),
            ),
            Self::NotPermitted(_) => {
                Some("run it with sudo, or give it a trace that root wrote: iotrial capture FILE".to_owned())
            }
            Self::Missing { .. } => Some(
                "trace with another tool, such as perf, and give its text: iotrial capture FILE".to_owned(),
            ),
            Self::Io { .. } => None,
        }
    }
}

/// What is to be traced.
#[derive(Debug, Clone)]
pub struct BlockTraceRequest {
    /// Directories and devices; without them and a process, all disks.
    pub targets: Vec<PathBuf>,
    /// A process: the disks on which it and its children have files open. Not only its own I/O: page writes and syncs of a database often
    /// come from threads of the kernel.
    pub process: Option<u32>,
    /// For how long.
    pub duration: Duration,
}

/// What came of a live trace, beside its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traced {
    /// How long it was traced.
    pub seconds: f64,
    /// Events that the buffers lost.
    pub lost_count: u64,
    /// CPU time of this process meanwhile, in seconds.
    pub cpu_s: f64,
    /// What a mark in the buffer took, in microseconds.
    pub mark_us: Option<f64>,
}

/// Traces until `duration` is over or somebody stops it, and hands out each line. Nothing of it is left in the kernel then, whatever happens.
///
/// # Errors
///
/// When a target is not there, or the kernel cannot or may not be asked.
pub fn trace_block_io(
    request: &BlockTraceRequest,
    control: &Control,
    hear: &mut dyn FnMut(&str),
) -> Result<Traced, BlockTraceError> {
    let filter = filter_of(request)?;
    let duration = request.duration;
    let tracefs = tracefs()?;
    remove_stale(&tracefs.join("instances"));
    let instance = Instance::new(&tracefs)?;
    instance.begin(&filter)?;
    let mut pipe = instance.open_pipe()?;
    let mark_us = instance.mark_us();
    let (begin, cpu_begin_s) = (Instant::now(), cpu_s());
    instance.write("tracing_on", "1")?;
    let mut text = Lines::default();
    while begin.elapsed() < duration && !control.is_stopping() {
        if !text.read(&mut pipe, &instance, hear)? {
            std::thread::sleep(LOOK_EVERY.min(duration.saturating_sub(begin.elapsed())));
        }
    }
    instance.write("tracing_on", "0")?;
    let seconds = begin.elapsed().as_secs_f64();
    while text.read(&mut pipe, &instance, hear)? {}
    Ok(Traced { seconds, lost_count: instance.lost_count(), cpu_s: cpu_s() - cpu_begin_s, mark_us })
}

/// The name of a device that a trace has as `8,0`; the numbers where there is none.
pub fn device_name(numbers: &str) -> String {
    let link = fs::read_link(Path::new("/sys/dev/block").join(numbers.replace(',', ":")));
    let name = link.ok().and_then(|link| Some(link.file_name()?.to_string_lossy().into_owned()));
    name.unwrap_or_else(|| numbers.to_owned())
}

/// Text that comes in pieces, as lines.
#[derive(Default)]
struct Lines {
    rest: Vec<u8>,
}

impl Lines {
    /// Whether there was anything.
    fn read(
        &mut self,
        pipe: &mut File,
        instance: &Instance,
        hear: &mut dyn FnMut(&str),
    ) -> Result<bool, BlockTraceError> {
        let mut piece = [0; 1 << 16];
        let length = match pipe.read(&mut piece) {
            Ok(length) => length,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => 0,
            Err(source) => return Err(BlockTraceError::Io { path: instance.0.join("trace_pipe"), source }),
        };
        self.rest.extend_from_slice(&piece[..length]);
        let whole = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        for line in self.rest[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            hear(&String::from_utf8_lossy(line));
        }
        self.rest.drain(..whole);
        Ok(length > 0)
    }
}

/// An instance of tracefs, which is removed when it is dropped.
struct Instance(PathBuf);

impl Instance {
    fn new(tracefs: &Path) -> Result<Self, BlockTraceError> {
        for part in [tracefs.join("events/block").join(EVENTS[0]), tracefs.join("instances")] {
            if let Err(error) = fs::metadata(&part) {
                return Err(match error.kind() {
                    io::ErrorKind::NotFound => BlockTraceError::Missing { missing: part },
                    _ => fault(part, error),
                });
            }
        }
        let own = std::process::id();
        let name = format!("{OURS}{own}-{}", start_of(&own.to_string()).unwrap_or_default());
        let path = tracefs.join("instances").join(name);
        fs::create_dir(&path).map_err(|error| fault(path.clone(), error))?;
        Ok(Self(path))
    }

    fn begin(&self, filter: &str) -> Result<(), BlockTraceError> {
        self.write("tracing_on", "0")?;
        // Clocks of CPUs agree in this one, and it goes on where the machine sleeps.
        self.write("trace_clock", "mono")?;
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let size = (BUFFER_KIB / cpus).clamp(LEAST_BUFFER_KIB, MOST_BUFFER_KIB);
        self.write("buffer_size_kb", &size.to_string())?;
        for event in EVENTS {
            if !filter.is_empty() {
                self.write(&format!("events/block/{event}/filter"), filter)?;
            }
            self.write(&format!("events/block/{event}/enable"), "1")?;
        }
        Ok(())
    }

    fn write(&self, file: &str, text: &str) -> Result<(), BlockTraceError> {
        let path = self.0.join(file);
        let written =
            OpenOptions::new().write(true).open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| fault(path, error))
    }

    fn open_pipe(&self) -> Result<File, BlockTraceError> {
        let path = self.0.join("trace_pipe");
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(&path);
        opened.map_err(|error| fault(path, error))
    }

    /// What a mark takes that is written into the buffer: a call into the kernel, and an entry as an event is one.
    fn mark_us(&self) -> Option<f64> {
        let mut marker = OpenOptions::new().write(true).open(self.0.join("trace_marker")).ok()?;
        self.write("tracing_on", "1").ok()?;
        let begin = Instant::now();
        let is_written = (0..MARKS).all(|_| marker.write_all(b"iotrial").is_ok());
        let mark_us = begin.elapsed().as_secs_f64() * 1e6 / f64::from(MARKS);
        self.write("tracing_on", "0").ok()?;
        is_written.then_some(mark_us)
    }

    /// Events that were overwritten before they were read.
    fn lost_count(&self) -> u64 {
        let cpus = fs::read_dir(self.0.join("per_cpu")).into_iter().flatten().flatten();
        let lost = |stats: String| {
            let counts = stats.lines().filter_map(|line| {
                let (name, count) = line.split_once(": ")?;
                ["overrun", "dropped events"].contains(&name).then(|| count.trim().parse::<u64>().ok())?
            });
            counts.sum::<u64>()
        };
        cpus.filter_map(|cpu| fs::read_to_string(cpu.path().join("stats")).ok()).map(lost).sum()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

/// Switches an instance off and removes it. Nothing is made of an error: there is nobody who could do more.
fn remove(path: &Path) {
    for event in EVENTS {
        let _ = fs::write(path.join(format!("events/block/{event}/enable")), "0");
    }
    let _ = fs::remove_dir(path);
}

/// Removes instances of processes that are gone.
fn remove_stale(instances: &Path) {
    for entry in fs::read_dir(instances).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name.strip_prefix(OURS).and_then(|owner| owner.split_once('-'));
        if let Some((process, start)) = owner
            && start_of(process).as_deref() != Some(start)
        {
            remove(&entry.path());
        }
    }
}

/// When a process was started, in ticks of the kernel: another process of the same number has another start.
fn start_of(process: &str) -> Option<String> {
    stat_field(process, 19)
}

/// CPU time of this process, with its threads, in seconds.
fn cpu_s() -> f64 {
    // Ticks are hundredths of a second wherever Linux shows them.
    let ticks = |at| stat_field("self", at).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or(0);
    (ticks(11) + ticks(12)) as f64 / 100.0
}

/// A field of `/proc/PID/stat`, counted behind the name, which may have blanks.
fn stat_field(process: &str, at: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split_whitespace().nth(at).map(str::to_owned)
}

/// Where tracefs is mounted.
fn tracefs() -> Result<PathBuf, BlockTraceError> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let place = mounts.lines().find_map(|line| {
        let mut words = line.split(' ');
        let (_, place, kind) = (words.next()?, words.next()?, words.next()?);
        (kind == "tracefs").then(|| PathBuf::from(place))
    });
    place.ok_or(BlockTraceError::NotMounted)
}

fn fault(path: PathBuf, source: io::Error) -> BlockTraceError {
    match source.kind() {
        io::ErrorKind::PermissionDenied => BlockTraceError::NotPermitted(source),
        _ => BlockTraceError::Io { path, source },
    }
}

/// What an event must be of; empty for all devices.
fn filter_of(request: &BlockTraceRequest) -> Result<String, BlockTraceError> {
    let mut numbers = BTreeSet::new();
    let find = |targets: &[PathBuf]| {
        Watched::find(&WatchedRequest { targets: targets.to_vec(), ..WatchedRequest::default() })
    };
    let mut add = |watched: Watched| {
        watched.disks.iter().filter(|disk| disk.depth == 0).for_each(|disk| leaves(&disk.name, &mut numbers));
    };
    if let Some(process) = request.process {
        // Some of its files are on no disk, such as libraries in an image.
        open_files(process)?
            .iter()
            .filter_map(|file| find(std::slice::from_ref(file)).ok())
            .for_each(&mut add);
    } else if !request.targets.is_empty() {
        add(find(&request.targets)?);
    }
    match (numbers.is_empty(), request.process) {
        (true, Some(process)) => return Err(BlockTraceError::NoFiles { process }),
        (true, None) => return Ok(String::new()),
        _ => {}
    }
    let devices: Vec<String> = numbers.into_iter().map(|number| format!("dev == {number}")).collect();
    Ok(devices.join(" || "))
}

/// The files and devices that a process and its children have open: one of each file system.
fn open_files(process: u32) -> Result<Vec<PathBuf>, BlockTraceError> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let known: Vec<(u32, u32)> =
        names.filter_map(|name| Some((name.parse().ok()?, stat_field(&name, 1)?.parse().ok()?))).collect();
    if !known.iter().any(|(own, _)| *own == process) {
        return Err(BlockTraceError::NoProcess { process });
    }
    let mut family = vec![process];
    let mut at = 0;
    while let Some(parent) = family.get(at).copied() {
        family.extend(known.iter().filter(|(own, of)| *of == parent && *own != parent).map(|(own, _)| *own));
        at += 1;
    }
    let mut files = BTreeMap::new();
    for process in family {
        for entry in fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten() {
            let Ok(file) = fs::read_link(entry.path()) else { continue };
            let Ok(facts) = fs::metadata(&file) else { continue };
            if facts.is_file() || facts.file_type().is_block_device() {
                files.entry((facts.dev(), facts.rdev())).or_insert(file);
            }
        }
    }
    Ok(files.into_values().collect())
}

/// The disks below a device, which have the queues, by the number that the kernel has for them.
fn leaves(name: &str, numbers: &mut BTreeSet<u64>) {
    let device = Path::new("/sys/class/block").join(name.replace('/', "!"));
    let below = fs::read_dir(device.join("slaves")).into_iter().flatten().flatten();
    let below: Vec<String> = below.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    if !below.is_empty() {
        below.iter().for_each(|name| leaves(name, numbers));
        return;
    }
    // A partition has the queue of its disk.
    let real = fs::canonicalize(&device).unwrap_or(device);
    let disk = if real.join("partition").exists() { real.parent().unwrap_or(&real) } else { &real };
    let number = fs::read_to_string(disk.join("dev")).ok();
    let number = number.as_ref().and_then(|text| text.trim().split_once(':'));
    let number =
        number.and_then(|(major, minor)| Some((major.parse::<u64>().ok()?, minor.parse::<u64>().ok()?)));
    numbers.extend(number.map(|(major, minor)| major << 20 | minor));
}
