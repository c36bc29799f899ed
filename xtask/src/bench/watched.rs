//! A program run to its end while its CPU time, threads and memory are watched from outside.
//!
//! Both tools tell their own CPU time, but not the same: iotrial that of the whole process, fio that of its
//! job threads, without its main thread and the kernel's workers for it. So both are measured here, in the
//! same way: the CPU time of all threads of the process, from `/proc/PID/task/*/schedstat` in nanoseconds,
//! between two moments in which the load surely ran. Setup and report fall outside and need not be subtracted.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::options::Times;
use crate::carried_out::{carried_out, how_it_ended};

/// How often a process is looked at. A look takes about 5 µs for each thread.
pub(crate) const SELDOM: Duration = Duration::from_millis(100);
/// For memory, whose peak may come in the last moments: only what grows after the last look is missed.
pub(crate) const OFTEN: Duration = Duration::from_millis(2);

/// What a program wrote, and what it took.
#[derive(Debug)]
pub(crate) struct Watched {
    /// The JSON document that it wrote to standard output.
    pub(crate) document: Value,
    /// From its start to its end.
    wall: Duration,
    looks: Vec<Look>,
}

/// What was seen in one moment.
#[derive(Debug, Clone, Copy)]
struct Look {
    /// Since the start of the program.
    at: Duration,
    /// Of all its threads, those that have ended included.
    cpu: Duration,
    threads: Threads,
    peak_resident_bytes: u64,
}

/// The threads of a process by who made them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Threads {
    /// Its own.
    pub(crate) own: usize,
    /// Workers that io_uring adds where an I/O would block, such as a write through the page cache.
    pub(crate) kernel_workers: usize,
}

impl Watched {
    /// Runs iotrial, which writes one JSON document. Its verdict is not judged here.
    ///
    /// # Errors
    ///
    /// When it could not be started, did not do what was asked, or wrote something else.
    pub(crate) fn iotrial(command: &mut Command, every: Duration) -> anyhow::Result<Self> {
        Self::run(command, every, carried_out, |out| Ok(serde_json::from_slice(out)?))
    }

    /// Runs another program, which writes one JSON document.
    ///
    /// # Errors
    ///
    /// When it could not be started, failed, or wrote something else.
    pub(crate) fn other(command: &mut Command, every: Duration) -> anyhow::Result<Self> {
        Self::run(command, every, |status| status.success(), |out| Ok(serde_json::from_slice(out)?))
    }

    /// The same of a program that writes text, which `read` makes a document of.
    ///
    /// # Errors
    ///
    /// As [`Self::other`].
    pub(crate) fn text(
        command: &mut Command,
        every: Duration,
        read: fn(&str) -> anyhow::Result<Value>,
    ) -> anyhow::Result<Self> {
        Self::run(command, every, |status| status.success(), |out| read(&String::from_utf8_lossy(out)))
    }

    fn run(
        command: &mut Command,
        every: Duration,
        is_done: fn(ExitStatus) -> bool,
        read: impl Fn(&[u8]) -> anyhow::Result<Value>,
    ) -> anyhow::Result<Self> {
        let program = Path::new(command.get_program()).display().to_string();
        let start = Instant::now();
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{program}`"))?;
        let folder = format!("/proc/{}", child.id());
        let (ended, is_ended) = mpsc::channel::<()>();
        let watch = thread::spawn(move || {
            let mut watch = Watch::default();
            let mut looks = Vec::new();
            while is_ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                looks.extend(watch.look(Path::new(&folder), start));
            }
            looks
        });
        let output = child.wait_with_output();
        let wall = start.elapsed();
        drop(ended);
        let looks = watch.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let output = output.with_context(|| format!("cannot wait for `{program}`"))?;
        let ended = || how_it_ended(output.status, &output.stderr);
        if !is_done(output.status) {
            bail!("`{program}` failed: {}", ended());
        }
        let document =
            read(&output.stdout).with_context(|| format!("`{program}` wrote no result: {}", ended()))?;
        Ok(Self { document, wall, looks })
    }

    /// From its start to its end, in seconds.
    pub(crate) fn wall_s(&self) -> f64 {
        self.wall.as_secs_f64()
    }

    /// CPUs in use while the load of these times was measured, such as 0.7.
    ///
    /// What the program took beside them was setup or report. Neither is longer than both, so the load surely
    /// ran that long after the start until that long before the end.
    ///
    /// # Errors
    ///
    /// When the system tells no CPU times, or the program took too long beside its load.
    pub(crate) fn cpus_in_load(&self, times: Times) -> anyhow::Result<f64> {
        let looks = self.looks_in_load(times)?;
        let (first, last) = (looks[0], looks[looks.len() - 1]);
        Ok((last.cpu - first.cpu).as_secs_f64() / (last.at - first.at).as_secs_f64())
    }

    /// The most threads of each kind that it had at once in that time. Before it iotrial lays files out with
    /// several threads.
    ///
    /// # Errors
    ///
    /// As [`Self::cpus_in_load`].
    pub(crate) fn most_threads_in_load(&self, times: Times) -> anyhow::Result<Threads> {
        let looks = self.looks_in_load(times)?.iter().map(|look| look.threads);
        Ok(looks.fold(Threads::default(), |most, one| Threads {
            own: most.own.max(one.own),
            kernel_workers: most.kernel_workers.max(one.kernel_workers),
        }))
    }

    /// What was seen while the load surely ran: half of the measured time or more.
    fn looks_in_load(&self, times: Times) -> anyhow::Result<&[Look]> {
        let Times { ramp, runtime, is_whole } = times;
        if is_whole && self.looks.len() > 1 {
            return Ok(&self.looks);
        }
        let beside = self.wall.saturating_sub(ramp + runtime);
        let from = self.looks.partition_point(|look| look.at < beside + ramp);
        let until = self.looks.partition_point(|look| look.at <= self.wall.saturating_sub(beside));
        let looks = self.looks.get(from..until).unwrap_or_default();
        match looks {
            [first, .., last] if last.at - first.at >= runtime / 2 => Ok(looks),
            _ if self.looks.is_empty() => bail!("the system does not tell the CPU time of other processes"),
            _ => {
                bail!("the program took {beside:.1?} beside its load of {runtime:?}: take a longer --runtime")
            }
        }
    }

    /// The most memory that was resident at once, in bytes: the kernel's own mark, as it was seen last.
    pub(crate) fn peak_resident_bytes(&self) -> Option<u64> {
        self.looks.iter().map(|look| look.peak_resident_bytes).max()
    }
}

/// The CPU time of each thread as it was seen last: the kernel forgets a thread when it ends.
#[derive(Debug, Default)]
struct Watch {
    cpu_ns_by_thread: BTreeMap<String, u64>,
}

impl Watch {
    /// `None` where there is nothing to be seen: the process has ended, or the system has no `/proc` like Linux's.
    fn look(&mut self, folder: &Path, start: Instant) -> Option<Look> {
        let at = start.elapsed();
        let mut threads = Threads::default();
        for task in fs::read_dir(folder.join("task")).ok()?.flatten() {
            let read = |name: &str| fs::read_to_string(task.path().join(name));
            // A thread may end between two looks at it.
            let (Ok(text), Ok(name)) = (read("schedstat"), read("comm")) else { continue };
            let cpu_ns = text.split(' ').next()?.parse().ok()?;
            self.cpu_ns_by_thread.insert(task.file_name().to_string_lossy().into_owned(), cpu_ns);
            if name.starts_with("iou-") {
                threads.kernel_workers += 1;
            } else {
                threads.own += 1;
            }
        }
        let peak_resident_bytes = high_water_mark(&fs::read_to_string(folder.join("status")).ok()?)?;
        let cpu = Duration::from_nanos(self.cpu_ns_by_thread.values().sum());
        Some(Look { at, cpu, threads, peak_resident_bytes })
    }
}

/// The line `VmHWM` of a process's status, in bytes. It begins anew with the program, unlike `ru_maxrss`, which
/// remembers what its parent had.
fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that was looked at every 100 ms of `wall_ms`, and used 0.5 CPUs from 1 s on until 1 s before its
    /// end, and a whole one elsewhere.
    fn watched(wall_ms: u64) -> Watched {
        let mut cpu = Duration::ZERO;
        let looks = (0..wall_ms / 100).map(|look| {
            let at = Duration::from_millis(look * 100);
            let in_load = (1_000..=wall_ms - 1_000).contains(&(look * 100));
            // Of the three threads of its own one is there beside the load only, and then a worker comes.
            let threads = Threads { own: 3 - usize::from(in_load), kernel_workers: usize::from(in_load) };
            let one = Look { at, cpu, threads, peak_resident_bytes: look };
            cpu += Duration::from_millis(if in_load { 50 } else { 100 });
            one
        });
        let looks = looks.collect();
        Watched { document: Value::Null, wall: Duration::from_millis(wall_ms), looks }
    }

    #[cfg(unix)]
    #[test]
    fn an_answer_of_iotrial_is_measured_whatever_it_is_and_a_failure_names_exit_code_and_last_line() {
        let ends_with = |code: i32| {
            let mut shell = Command::new("sh");
            shell.args([
                "-c",
                &format!("echo '{{\"code\": {code}}}'; echo 'error: no room' >&2; exit {code}"),
            ]);
            shell
        };
        for code in [0, 1, 4] {
            let watched = Watched::iotrial(&mut ends_with(code), SELDOM).unwrap();
            assert_eq!(watched.document["code"], code);
        }
        for code in [2, 3, 101] {
            let error = Watched::iotrial(&mut ends_with(code), SELDOM).unwrap_err().to_string();
            let named = [format!("exit code {code}"), "error: no room".to_owned()];
            assert!(named.iter().all(|part| error.contains(part)), "{error}");
        }
        // Of another tool every exit code but 0 is a failure.
        assert!(Watched::other(&mut ends_with(0), SELDOM).is_ok());
        assert!(Watched::other(&mut ends_with(1), SELDOM).is_err());
    }

    fn of_ms(ramp: u64, runtime: u64) -> Times {
        let [ramp, runtime] = [ramp, runtime].map(Duration::from_millis);
        Times { ramp, runtime, is_whole: false }
    }

    #[test]
    fn only_the_time_in_which_the_load_surely_ran_counts() {
        // 0.5 s of ramp and 9.5 s measured in 11 s: setup and report took 1 s, and nobody knows which of them.
        let program = watched(11_000);
        let times = of_ms(500, 9_500);
        let cpus = program.cpus_in_load(times).unwrap();
        assert!((cpus - 0.5).abs() < 1e-9, "{cpus}");
        assert_eq!(program.peak_resident_bytes(), Some(109));
        let threads = program.most_threads_in_load(times);
        assert_eq!(threads.unwrap(), Threads { own: 2, kernel_workers: 1 });
    }

    #[test]
    fn a_program_that_takes_long_beside_its_load_is_refused_with_a_way_out() {
        let error = watched(11_000).cpus_in_load(of_ms(1_000, 3_000)).unwrap_err();
        assert!(error.to_string().contains("--runtime"), "{error}");
        // To see that a row works, all of it counts.
        let whole = Times { is_whole: true, ..of_ms(1_000, 3_000) };
        assert!(watched(11_000).cpus_in_load(whole).is_ok());
    }

    #[test]
    fn the_high_water_mark_is_read_in_bytes() {
        assert_eq!(high_water_mark("Name:\tx\nVmHWM:\t   2048 kB\nVmRSS:\t 1 kB\n"), Some(2_097_152));
        assert_eq!(high_water_mark("Name:\tx\n"), None);
    }
}
