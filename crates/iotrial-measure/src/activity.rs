//! What other programs do on this host: the CPU time of each process, and what the disks do, between two readings.
//!
//! Only names of executables are read, and no command line: it may hold secrets.

use std::collections::BTreeMap;
use std::time::Duration;

use iotrial_model::database_run::CpuShares;
use iotrial_model::record::{ActivityLook, BusyProcess, DiskActivity};

use crate::disk_stats::DiskStat;

#[cfg(target_os = "linux")]
#[path = "activity/linux.rs"]
mod os;
#[cfg(windows)]
#[path = "activity/windows.rs"]
mod os;

/// Less than this of one CPU is not worth a name.
// A choice: on an idle host dozens of processes use up to a percent or two, and none of them is why a load is disturbed.
const LEAST_CPU_PERCENT: f64 = 5.0;
/// More processes than this are not named: those behind the fifth are hardly why.
const MOST_PROCESSES: usize = 5;

/// What processes, CPUs and disks have counted since they began.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ActivitySnapshot {
    /// Of a clock that only goes on.
    at: Duration,
    /// In units of `tick`; `None` where it could not be read.
    cpus: Option<CpuTicks>,
    /// By number.
    processes: BTreeMap<u32, ProcessTicks>,
    disks: Vec<DiskStat>,
    /// The unit of all CPU times.
    tick: Duration,
}

/// CPU time of the whole host since it started, in ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct CpuTicks {
    busy: u64,
    steal: u64,
    /// Those two, and the time in which nothing ran.
    all: u64,
}

/// One process, its CPU time in ticks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ProcessTicks {
    name: String,
    parent: u32,
    /// When it began: another process may get its number later.
    started: u64,
    /// A thread of the kernel.
    is_of_kernel: bool,
    used: u64,
    /// Of its children that ended and were waited for, with theirs.
    used_by_children: u64,
}

impl ActivitySnapshot {
    /// What was counted until now; `None` where the operating system is not asked.
    pub fn now() -> Option<Self> {
        os::snapshot()
    }

    /// What others than process `own` did since `earlier`, when no load of iotrial was under way. `disks` are the disks that matter.
    pub fn look_since(&self, earlier: &Self, own: u32, disks: &[&str]) -> ActivityLook {
        let seconds = self.at.saturating_sub(earlier.at).as_secs_f64();
        let pairs = disks.iter().filter_map(|name| {
            let named = |stats: &'_ [DiskStat]| stats.iter().position(|stat| stat.name == *name);
            Some((&self.disks[named(&self.disks)?], &earlier.disks[named(&earlier.disks)?]))
        });
        let disks = pairs.map(|(now, then)| disk_activity(now, then, seconds)).collect();
        ActivityLook { disks, ..self.look(earlier, own, true) }
    }

    /// The same beside a load: disks and threads of the kernel are left out, because they work for the load as well.
    pub fn look_beside_load(&self, earlier: &Self, own: u32) -> ActivityLook {
        self.look(earlier, own, false)
    }

    /// What the CPUs did since `earlier`, and what process `driver` used of them with all that it started.
    pub fn cpu_since(&self, earlier: &Self, driver: Option<u32>) -> CpuShares {
        let wall_s = self.at.saturating_sub(earlier.at).as_secs_f64();
        let of_all = self.cpus.zip(earlier.cpus).and_then(|(now, then)| {
            let all = now.all.saturating_sub(then.all);
            (all > 0).then(|| 100.0 * now.busy.saturating_sub(then.busy) as f64 / all as f64)
        });
        let of_driver = driver.filter(|_| wall_s > 0.0).map(|driver| {
            let used = self.used_since(earlier);
            let ticks: u64 =
                used.iter().filter(|(pid, _)| self.is_within(**pid, driver)).map(|(_, ticks)| ticks).sum();
            ticks as f64 * self.tick.as_secs_f64() / wall_s
        });
        CpuShares { busy_percent: of_all, driver_cpus: of_driver }
    }

    fn look(&self, earlier: &Self, own: u32, with_kernel: bool) -> ActivityLook {
        let duration = self.at.saturating_sub(earlier.at);
        let wall_ticks = duration.as_secs_f64() / self.tick.as_secs_f64().max(f64::MIN_POSITIVE);
        let used = self.used_since(earlier);
        let own_ticks: u64 =
            used.iter().filter(|(pid, _)| self.is_within(**pid, own)).map(|(_, ticks)| ticks).sum();
        let others = used.iter().filter(|(pid, _)| !self.is_within(**pid, own));
        let others = others.filter(|(pid, _)| with_kernel || !self.processes[pid].is_of_kernel);
        let mut processes: Vec<BusyProcess> = others
            .map(|(pid, ticks)| BusyProcess {
                name: self.processes[pid].name.clone(),
                pid: *pid,
                cpu_percent: if wall_ticks > 0.0 { 100.0 * *ticks as f64 / wall_ticks } else { 0.0 },
            })
            .filter(|process| process.cpu_percent >= LEAST_CPU_PERCENT)
            .collect();
        processes.sort_by(|a, b| b.cpu_percent.total_cmp(&a.cpu_percent));
        processes.truncate(MOST_PROCESSES);
        let cpus = self.cpus.zip(earlier.cpus);
        let percent = |ticks: fn(CpuTicks, CpuTicks, u64) -> u64| {
            let (now, then) = cpus?;
            let all = now.all.saturating_sub(then.all);
            (all > 0).then(|| 100.0 * ticks(now, then, own_ticks) as f64 / all as f64)
        };
        ActivityLook {
            duration,
            others_cpu_percent: percent(|now, then, own| {
                now.busy.saturating_sub(then.busy).saturating_sub(own)
            }),
            steal_percent: percent(|now, then, _| now.steal.saturating_sub(then.steal)),
            processes,
            disks: Vec::new(),
        }
    }

    /// What each process that is still there used since `earlier`, in ticks, with those of its children that came and went meanwhile: the
    /// hundred compilers of a build are seen as the program that started them.
    fn used_since(&self, earlier: &Self) -> BTreeMap<u32, u64> {
        let mut from_children: BTreeMap<u32, u64> = BTreeMap::new();
        for (pid, now) in &self.processes {
            let then = earlier.processes.get(pid).filter(|then| then.started == now.started);
            let then = then.map_or(0, |then| then.used_by_children);
            from_children.insert(*pid, now.used_by_children.saturating_sub(then));
        }
        // What a child had used before `earlier` comes to its parent as well when it ends, and is not of this time.
        for (pid, gone) in earlier.processes.iter().filter(|(pid, then)| !self.has(**pid, then)) {
            if let Some(ancestor) = self.ancestor_of_gone(earlier, *pid)
                && let Some(ticks) = from_children.get_mut(&ancestor)
            {
                *ticks = ticks.saturating_sub(gone.used + gone.used_by_children);
            }
        }
        let used = self.processes.iter().map(|(pid, now)| {
            let then = earlier.processes.get(pid).filter(|then| then.started == now.started);
            let own = now.used.saturating_sub(then.map_or(0, |then| then.used));
            (*pid, own + from_children[pid])
        });
        used.collect()
    }

    /// Whether the process is still there.
    fn has(&self, pid: u32, then: &ProcessTicks) -> bool {
        self.processes.get(&pid).is_some_and(|now| now.started == then.started)
    }

    /// The closest process above one that is gone, of those that are still there.
    fn ancestor_of_gone(&self, earlier: &Self, pid: u32) -> Option<u32> {
        let above = ancestors(&earlier.processes, pid);
        above.into_iter().find(|pid| earlier.processes.get(pid).is_some_and(|then| self.has(*pid, then)))
    }

    /// Whether a process is `own`, or was started by it.
    fn is_within(&self, pid: u32, own: u32) -> bool {
        pid == own || ancestors(&self.processes, pid).contains(&own)
    }
}

/// The parent, its parent, and so on.
fn ancestors(processes: &BTreeMap<u32, ProcessTicks>, pid: u32) -> Vec<u32> {
    let mut above = Vec::new();
    let mut at = pid;
    // A table that was read while processes came and went may have a circle.
    while let Some(process) = processes.get(&at).filter(|process| process.parent != 0 && above.len() < 64) {
        at = process.parent;
        above.push(at);
    }
    above
}

fn disk_activity(now: &DiskStat, then: &DiskStat, seconds: f64) -> DiskActivity {
    let did = now.since(then, seconds);
    DiskActivity {
        name: did.name,
        read_iops: did.read_iops.unwrap_or_default(),
        write_iops: did.write_iops.unwrap_or_default(),
        read_bytes_per_s: did.read_bytes_per_s.unwrap_or_default(),
        write_bytes_per_s: did.write_bytes_per_s.unwrap_or_default(),
        busy_percent: did.busy_share.map(|share| 100.0 * share),
    }
}
