//! The same on Linux: `/proc/PID/comm` and `schedstat` of kernel threads.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::Waits;

/// How the names of work queues and threads begin through which I/Os end: direct I/O and journals of file systems, the block layer, and
/// devices that are made of others.
const OF_IO: [&str; 24] = [
    "dio/", "kblockd", "kthrotld", "ext4-", "jbd2/", "xfs", "btrfs", "f2fs", "z_", "loop", "dm", "kcryptd",
    "bcache", "md", "raid", "nvme", "scsi", "iscsi", "nfsiod", "rpciod", "xprtiod", "ceph", "rbd", "drbd",
];

/// `kthreadd`, the parent of all kernel threads.
const KTHREADD: &str = "2";

/// Looks through all processes. What is a program is asked once.
#[derive(Debug, Default)]
pub(super) struct Scan {
    programs: BTreeSet<u64>,
}

impl Scan {
    /// The waits of all workers and of all threads that complete I/Os, and which of them do: these, and the other workers of their pools,
    /// which may take the next piece of work.
    pub(super) fn all(&mut self) -> (Vec<(u64, Waits)>, Vec<u64>) {
        self.read(Path::new("/proc"))
    }

    /// Threads that ended meanwhile, or are hidden, are left out.
    fn read(&mut self, proc: &Path) -> (Vec<(u64, Waits)>, Vec<u64>) {
        let entries = fs::read_dir(proc).into_iter().flatten().flatten();
        let ids: BTreeSet<u64> =
            entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        self.programs.retain(|id| ids.contains(id));
        let mut found = Vec::new();
        for id in ids {
            if self.programs.contains(&id) {
                continue;
            }
            // A worker is called after what it did last, so that its name is asked each time.
            let Some(name) = text(proc, id, "comm") else { continue };
            let thread = Thread::of(name.trim_end());
            let is_of_kernel = || text(proc, id, "stat").is_some_and(|stat| parent(&stat) == Some(KTHREADD));
            if !(thread.is_of_io || thread.pool.is_some()) || !is_of_kernel() {
                self.programs.insert(id);
                continue;
            }
            let waits = text(proc, id, "schedstat").and_then(|text| schedstat(&text));
            found.extend(waits.map(|waits| (id, thread, waits)));
        }
        let busy: BTreeSet<String> = found
            .iter()
            .filter(|(_, thread, _)| thread.is_of_io)
            .filter_map(|one| one.1.pool.clone())
            .collect();
        let is_watched =
            |thread: &Thread| thread.is_of_io || thread.pool.iter().any(|pool| busy.contains(pool));
        let watched = found.iter().filter(|one| is_watched(&one.1)).map(|one| one.0).collect();
        (found.into_iter().map(|(id, _, waits)| (id, waits)).collect(), watched)
    }
}

/// What the name of a kernel thread tells.
#[derive(Debug, PartialEq)]
struct Thread {
    /// Such as `kworker/1`, of a worker. Those of high priority are another pool.
    pool: Option<String>,
    /// Whether it completes I/Os, or did so last.
    is_of_io: bool,
}

impl Thread {
    /// A worker is called after its pool, and behind `+` or `-` after the queue that it works for, or worked for last:
    /// `kworker/1:59-dio/vda` (`wq_worker_comm`, kernel/workqueue.c).
    fn of(name: &str) -> Self {
        let (pool, queue) = match name.strip_prefix("kworker/") {
            Some(worker) => {
                let (worker, queue) = worker.split_once(['+', '-']).unwrap_or((worker, ""));
                let (pool, number) = worker.split_once(':').unwrap_or((worker, ""));
                let priority = if number.ends_with('H') { "H" } else { "" };
                (Some(format!("{pool}{priority}")), queue)
            }
            None => (None, name),
        };
        Self { pool, is_of_io: OF_IO.iter().any(|begin| queue.starts_with(begin)) }
    }
}

/// Of these threads, as far as they are still there.
pub(super) fn waits(threads: &[u64]) -> Vec<(u64, Waits)> {
    let of = |id: &u64| Some((*id, schedstat(&text(Path::new("/proc"), *id, "schedstat")?)?));
    threads.iter().filter_map(of).collect()
}

// As bytes: the name of a process may hold any.
fn text(proc: &Path, id: u64, file: &str) -> Option<String> {
    let bytes = fs::read(proc.join(id.to_string()).join(file)).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The fourth field of `/proc/PID/stat`; the name before it may hold anything.
fn parent(stat: &str) -> Option<&str> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)
}

/// Time on a CPU, time waiting for one, both in ns, and how often it was given one (Documentation/scheduler/sched-stats.rst).
fn schedstat(text: &str) -> Option<Waits> {
    let mut fields = text.split_whitespace().skip(1).map_while(|field| field.parse::<u64>().ok());
    Some(Waits { delay: Duration::from_nanos(fields.next()?), slice_count: fields.next()? })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn workers_are_known_by_the_queue_that_they_work_for() {
        for name in [
            "kworker/1:59+dio/vda",
            "kworker/1:1H-kblockd",
            "kworker/u8:2+loop0",
            "kworker/u8:6-ext4-rsv-conversion",
            "jbd2/vda-8",
            "md0_raid1",
        ] {
            assert!(Thread::of(name).is_of_io, "{name}");
        }
        for name in
            ["kworker/0:1-mm_percpu_wq", "kworker/0:0H", "kdamond.0", "ksoftirqd/1", "bash", "kworker/"]
        {
            assert!(!Thread::of(name).is_of_io, "{name}");
        }
    }

    #[test]
    fn only_threads_of_the_kernel_count_whatever_a_program_calls_itself() {
        let proc = tempfile::tempdir().unwrap();
        for (pid, name, parent) in [
            (50, "kworker/1:0-dio/vda", 2),
            (60, "loop (a) b", 1),
            (70, "kworker/1:1-events", 2),
            (71, "kworker/0:1-events", 2),
            (72, "kworker/1:1H-events_highpri", 2),
            (80, "bash", 1),
        ] {
            let folder = proc.path().join(pid.to_string());
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("comm"), format!("{name}\n")).unwrap();
            fs::write(folder.join("stat"), format!("{pid} ({name}) I {parent} 0 0 0 -1 69238880 0\n"))
                .unwrap();
            fs::write(folder.join("schedstat"), "2500 70000 12\n").unwrap();
        }
        fs::create_dir(proc.path().join("self")).unwrap();
        let waits = Waits { delay: Duration::from_micros(70), slice_count: 12 };
        let mut scan = Scan::default();
        let all = vec![(50, waits), (70, waits), (71, waits), (72, waits)];
        // The workers of its CPU may take the turn of the one that completed I/Os.
        assert_eq!(scan.read(proc.path()), (all.clone(), vec![50, 70]));
        assert_eq!(scan.programs, [60, 80].into());
        fs::write(proc.path().join("71/comm"), "kworker/0:1+loop0\n").unwrap();
        assert_eq!(scan.read(proc.path()), (all, vec![50, 70, 71]));
        assert_eq!(schedstat("2500 70"), None);
        assert_eq!(parent("12 (a"), None);
    }
}
