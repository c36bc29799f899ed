//! What others do, as `/proc` has it.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use super::{ActivitySnapshot, CpuTicks, ProcessTicks};
use crate::disk_stats::parse_disk_stats;

/// `PF_KTHREAD` (include/linux/sched.h).
const KERNEL_THREAD: u64 = 0x0020_0000;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

pub(super) fn snapshot() -> Option<ActivitySnapshot> {
    let tick = Duration::from_secs(1) / u32::try_from(rustix::param::clock_ticks_per_second()).ok()?;
    Some(read(Path::new("/proc"), START.elapsed(), tick))
}

/// What the files below `proc` say; what cannot be read is left out, such as processes that ended meanwhile or are hidden.
fn read(proc: &Path, at: Duration, tick: Duration) -> ActivitySnapshot {
    // As bytes: the name of a process may hold any.
    let text = |path: &Path| fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let processes = fs::read_dir(proc).into_iter().flatten().flatten().filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        Some((pid, process(&text(&entry.path().join("stat"))?)?))
    });
    ActivitySnapshot {
        at,
        cpus: text(&proc.join("stat")).and_then(|stat| cpus(&stat)),
        processes: processes.collect(),
        disks: text(&proc.join("diskstats"))
            .map(|text| parse_disk_stats(&text).collect())
            .unwrap_or_default(),
        tick,
    }
}

/// A line of `/proc/PID/stat` (proc_pid_stat(5)); the name in it may hold anything, also blanks and parentheses.
fn process(stat: &str) -> Option<ProcessTicks> {
    let (before, rest) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    // The state and 19 numbers: parent (field 4), flags (9), times (14 to 17), start (22).
    let fields: Vec<&str> = rest.split_whitespace().take(20).collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(ProcessTicks {
        name: name.to_owned(),
        parent: u32::try_from(number(4)?).ok()?,
        started: number(22)?,
        is_of_kernel: number(9)? & KERNEL_THREAD != 0,
        used: number(14)?.checked_add(number(15)?)?,
        // Signed in the manual page, and never below zero.
        used_by_children: number(16)?.checked_add(number(17)?)?,
    })
}

/// The first line of `/proc/stat`: `cpu user nice system idle iowait irq softirq steal`, with guests in user and nice already.
fn cpus(stat: &str) -> Option<CpuTicks> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_whitespace().map_while(|field| field.parse().ok()).take(8).collect();
    let [user, nice, system, _idle, _iowait, irq, softirq, more @ ..] = ticks.as_slice() else { return None };
    let sum = |parts: &[u64]| parts.iter().try_fold(0u64, |sum, part| sum.checked_add(*part));
    Some(CpuTicks {
        busy: sum(&[*user, *nice, *system, *irq, *softirq])?,
        steal: more.first().copied().unwrap_or(0),
        all: sum(&ticks)?,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const TICK: Duration = Duration::from_millis(10);

    /// A process of a captured tree: number, name, parent, flags, its CPU ticks and those of its children, when it began.
    type Process<'n> = (u32, &'n str, u32, u64, [u64; 2], u64);

    /// A `/proc` as a kernel shows it.
    fn captured(cpu: &str, processes: &[Process<'_>], disk: &str) -> tempfile::TempDir {
        let proc = tempfile::tempdir().unwrap();
        fs::write(proc.path().join("stat"), format!("cpu  {cpu} 0 0\ncpu0 1 2 3\nbtime 5\n")).unwrap();
        fs::write(proc.path().join("diskstats"), format!(" 254 0 {disk}\n")).unwrap();
        fs::create_dir(proc.path().join("self")).unwrap();
        for (pid, name, parent, flags, [used, of_children], started) in processes {
            let folder = proc.path().join(pid.to_string());
            fs::create_dir(&folder).unwrap();
            let line = format!(
                "{pid} ({name}) R {parent} 1 1 0 -1 {flags} 5 0 0 0 {used} 0 {of_children} 0 20 0 1 0 {started} 9 9\n"
            );
            fs::write(folder.join("stat"), line).unwrap();
        }
        proc
    }

    #[test]
    fn a_captured_host_shows_who_was_busy_and_what_its_disk_did() {
        let before = captured(
            "100 0 100 800 0 0 0 0",
            &[
                (1, "systemd", 0, 0, [50, 900], 1),
                (2, "kthreadd", 0, KERNEL_THREAD, [0, 0], 1),
                (9, "md0_resync", 2, KERNEL_THREAD, [10, 0], 2),
                (40, "make", 1, 0, [5, 700], 30),
                (41, "cc1 (a) b", 40, 0, [60, 0], 80),
                (70, "iotrial", 1, 0, [10, 0], 90),
                (71, "old", 1, 0, [10_000, 0], 90),
            ],
            "vda 10 0 80 5 20 0 160 9 0 7 14",
        );
        let after = captured(
            "400 0 200 980 0 0 0 20",
            &[
                (1, "systemd", 0, 0, [52, 901], 1),
                (2, "kthreadd", 0, KERNEL_THREAD, [0, 0], 1),
                (9, "md0_resync", 2, KERNEL_THREAD, [100, 0], 2),
                // The compiler ended, with 60 ticks from before; 250 more are those of it and of others that came and went.
                (40, "make", 1, 0, [15, 700 + 60 + 250], 30),
                (70, "iotrial", 1, 0, [110, 0], 90),
                (72, "helper", 70, 0, [30, 0], 95),
                // Another process has the number now.
                (71, "new", 1, 0, [40, 0], 99),
            ],
            "vda 310 0 600080 5 620 0 160 9 0 2259 14",
        );
        let at = |proc: &tempfile::TempDir, seconds| read(proc.path(), Duration::from_secs(seconds), TICK);
        let look = at(&after, 13).look_since(&at(&before, 10), 70, &["vda", "vdb"]);
        let named: Vec<(&str, u32, String)> = look
            .processes
            .iter()
            .map(|one| (one.name.as_str(), one.pid, format!("{:.1}", one.cpu_percent)))
            .collect();
        let expected = [("make", 40, "86.7"), ("md0_resync", 9, "30.0"), ("new", 71, "13.3")];
        assert_eq!(named, expected.map(|(name, pid, percent)| (name, pid, percent.to_owned())));
        // 400 of 600 ticks were busy, 130 of them with iotrial and what it started.
        assert_eq!((look.others_cpu_percent, look.steal_percent), (Some(45.0), Some(100.0 * 20.0 / 600.0)));
        let disk = &look.disks[0];
        assert_eq!(
            (look.disks.len(), disk.name.as_str(), disk.read_iops, disk.write_iops),
            (1, "vda", 100.0, 200.0)
        );
        assert!((disk.read_bytes_per_s - 102_400_000.0).abs() < 1.0 && disk.write_bytes_per_s == 0.0);
        assert!(disk.busy_percent.is_some_and(|percent| (percent - 75.066).abs() < 0.01), "{disk:?}");
        // A driver counts with the children that it has waited for.
        let shares = at(&after, 13).cpu_since(&at(&before, 10), Some(40));
        assert_eq!(shares.busy_percent, Some(100.0 * 400.0 / 600.0));
        assert!(shares.driver_cpus.is_some_and(|cpus| (cpus - 2.6 / 3.0).abs() < 1e-9), "{shares:?}");
        assert_eq!(at(&after, 13).cpu_since(&at(&before, 10), None).driver_cpus, None);
        // Beside a load neither the kernel nor the disks are somebody else's for certain.
        let look = at(&after, 13).look_beside_load(&at(&before, 10), 70);
        let named: Vec<&str> = look.processes.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((named, look.disks.len()), (vec!["make", "new"], 0));
    }

    #[test]
    fn what_is_no_table_of_processes_gives_nothing_and_never_a_panic() {
        for line in ["", ")", "(", "1 (a", "1 (a) R", "1 (a) R 1 1 1 0 -1 0 5 0 0 0 x 0 0 0 20 0 1 0 7"] {
            assert_eq!(process(line), None, "{line}");
        }
        let max = u64::MAX;
        assert_eq!(process(&format!("1 (a) R 1 1 1 0 -1 0 5 0 0 0 {max} {max} 0 0 20 0 1 0 7")), None);
        assert_eq!((cpus("cpu  1 2"), cpus(&format!("cpu  {max} {max} 1 1 1 1 1 1"))), (None, None));
        let nothing = read(Path::new("/none-such"), TICK, TICK);
        let look = nothing.look_since(&nothing, 1, &["vda"]);
        assert_eq!(look, iotrial_model::record::ActivityLook::default());
    }

    #[test]
    fn a_host_whose_processes_are_each_others_parents_is_read() {
        let circle: [Process<'_>; 2] = [(5, "a", 6, 0, [0, 0], 1), (6, "b", 5, 0, [0, 0], 1)];
        let proc = captured("1 1 1 1 1 1 1 1", &circle, "vda 1 1 1 1 1 1 1");
        let read = read(proc.path(), TICK, TICK);
        assert_eq!(read.look_beside_load(&ActivitySnapshot::default(), 1).processes.len(), 0);
    }

    #[test]
    fn this_host_is_read() {
        let now = snapshot().unwrap();
        assert!(now.cpus.is_some() && now.processes.contains_key(&std::process::id()));
    }
}
