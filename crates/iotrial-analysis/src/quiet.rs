//! Whether other programs keep a host too busy to measure storage on it.

use iotrial_model::finding::{Finding, FindingId, MOST_DELAY_PERCENT};
use iotrial_model::record::{ActivityLook, BusyProcess, DiskActivity};

use crate::summary::Summary;

/// A load whose I/Os are due finds no free CPU with this probability at most.
// What `generator-busy` allows an open load: from here on p99 is the scheduler's.
const MOST_NO_CPU: f64 = 0.04;
/// Less than this of the CPUs is no disturbance, however few there are.
// A choice: a single CPU is never left alone entirely, and a look of three seconds knows a share to a percent or two.
const LEAST_CPU_PERCENT: f64 = 10.0;
/// More than this of the CPUs is one, however many there are.
// A choice: caches, clock rates and what serves I/Os below the load are shared by all of them.
const MOST_CPU_PERCENT: f64 = 50.0;
/// Less than this of all CPUs is not steal that matters: an idle host has a tick of it now and then.
const LEAST_STEAL_PERCENT: f64 = 1.0;
/// At this utilization one I/O in ten meets another one: p90 and all above it would be somebody else's.
const MOST_DISK_BUSY_PERCENT: f64 = 10.0;
/// Utilization says little of a device that serves many I/Os at once, and nothing of the limits of a volume.
// A choice: 3 % of the 3,000 IOPS of the usual small volume of the clouds.
const MOST_DISK_IOPS: f64 = 100.0;
/// The same: 8 % of its 125 MiB/s.
const MOST_DISK_BYTES_PER_S: f64 = 10.0 * 1_048_576.0;

/// Why a host is not quiet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Disturbance<'l> {
    /// Others use the CPUs.
    Cpu,
    /// The hypervisor takes them away.
    Steal,
    /// Others use a disk below the targets.
    Disk(&'l DiskActivity),
}

/// What keeps a host from being quiet, before a load; nothing where it is quiet, or where nothing could be read.
pub fn disturbances(look: &ActivityLook, cpu_count: u32) -> Vec<Disturbance<'_>> {
    // If others occupied CPUs independently of each other, all of them would be taken for this share of the time, to the power of their number.
    let most_cpu_percent = (100.0 * MOST_NO_CPU.powf(1.0 / f64::from(cpu_count.max(1))))
        .clamp(LEAST_CPU_PERCENT, MOST_CPU_PERCENT);
    let others_percent = look.others_cpu_percent.unwrap_or_default();
    let steal_percent = look.steal_percent.unwrap_or_default();
    // Of the time in which there was something to run: an idle host has nothing that can be taken away.
    let is_stolen = steal_percent >= LEAST_STEAL_PERCENT
        && steal_percent > MOST_DELAY_PERCENT / 100.0 * (others_percent + steal_percent);
    let cpu = (others_percent > most_cpu_percent).then_some(Disturbance::Cpu);
    let is_used = |disk: &&DiskActivity| {
        disk.busy_percent.is_some_and(|percent| percent > MOST_DISK_BUSY_PERCENT)
            || disk.read_iops + disk.write_iops > MOST_DISK_IOPS
            || disk.read_bytes_per_s + disk.write_bytes_per_s > MOST_DISK_BYTES_PER_S
    };
    let disks = look.disks.iter().filter(is_used).map(Disturbance::Disk);
    cpu.into_iter().chain(is_stolen.then_some(Disturbance::Steal)).chain(disks).collect()
}

/// The processes that were busy beside a run which was disturbed; empty where it was not, and where they are not known.
pub fn busy_beside(summary: &Summary) -> &[BusyProcess] {
    const OF_OTHERS: [FindingId; 3] =
        [FindingId::GeneratorBusy, FindingId::LateIssues, FindingId::ForeignLoad];
    let is_found = |finding: &Finding| OF_OTHERS.contains(&finding.id);
    let mut probes = summary.search.iter().flat_map(|search| &search.probes);
    let is_disturbed = summary.findings.iter().any(is_found)
        || probes.any(|probe| OF_OTHERS.iter().any(|id| probe.doubts.contains(*id)));
    let during = summary.host_activity.as_ref().and_then(|activity| activity.during.as_ref());
    during.filter(|_| is_disturbed).map_or(&[], |look| &look.processes)
}

#[cfg(test)]
mod tests {
    use iotrial_model::record::HostActivity;
    use iotrial_model::subject::Subject;

    use super::*;
    use crate::test_record::healthy;
    use crate::threshold::ThresholdSet;

    fn look(others: f64, steal: f64, disk: (f64, f64, f64)) -> ActivityLook {
        let (busy, iops, mib) = disk;
        let disk = DiskActivity {
            name: "vda".into(),
            read_iops: iops / 2.0,
            write_iops: iops / 2.0,
            read_bytes_per_s: mib * 1_048_576.0,
            write_bytes_per_s: 0.0,
            busy_percent: Some(busy),
        };
        ActivityLook {
            others_cpu_percent: Some(others),
            steal_percent: Some(steal),
            disks: vec![disk],
            ..ActivityLook::default()
        }
    }

    #[test]
    fn a_host_is_quiet_until_a_load_would_wait_for_a_cpu_or_meet_other_ios() {
        const IDLE: (f64, f64, f64) = (1.0, 8.0, 0.3);
        // CPUs, others', steal, disk; whether CPU, steal and disk disturb.
        let cases = [
            (2, 2.0, 0.0, IDLE, [false, false, false]),
            (1, 9.0, 0.0, IDLE, [false, false, false]),
            (1, 12.0, 0.0, IDLE, [true, false, false]),
            (2, 19.0, 0.0, IDLE, [false, false, false]),
            (2, 25.0, 0.0, IDLE, [true, false, false]),
            // One busy program on many CPUs leaves enough of them.
            (8, 12.5, 0.0, IDLE, [false, false, false]),
            (8, 45.0, 0.0, IDLE, [false, false, false]),
            (64, 51.0, 0.0, IDLE, [true, false, false]),
            // What was taken of little work on an idle host says nothing; of much it does.
            (2, 2.0, 0.9, IDLE, [false, false, false]),
            (2, 6.0, 1.5, IDLE, [false, true, false]),
            (2, 60.0, 3.0, IDLE, [true, false, false]),
            (2, 60.0, 9.0, IDLE, [true, true, false]),
            (2, 2.0, 0.0, (11.0, 8.0, 0.3), [false, false, true]),
            (2, 2.0, 0.0, (3.0, 150.0, 0.6), [false, false, true]),
            (2, 2.0, 0.0, (3.0, 20.0, 20.0), [false, false, true]),
        ];
        for (cpus, others, steal, disk, expected) in cases {
            let look = look(others, steal, disk);
            let found = disturbances(&look, cpus);
            let has = [
                found.contains(&Disturbance::Cpu),
                found.contains(&Disturbance::Steal),
                found.iter().any(|one| matches!(one, Disturbance::Disk(_))),
            ];
            assert_eq!(has, expected, "{cpus} CPUs, {others} %, {steal} % stolen, {disk:?}");
        }
        assert_eq!(disturbances(&ActivityLook::default(), 2), []);
    }

    #[test]
    fn processes_beside_a_run_are_named_where_something_disturbed_it_and_nowhere_else() {
        let named = |host_busy_s: f64, run_queue_delay_s: f64| {
            let mut record = healthy();
            let process = BusyProcess { name: "postgres".into(), pid: 7, cpu_percent: 85.0 };
            let during = ActivityLook { processes: vec![process], ..ActivityLook::default() };
            record.host_activity = Some(HostActivity { during: Some(during), ..HostActivity::default() });
            let cpu = record.cpu.as_mut().expect("a run has one");
            (cpu.host_busy_s, cpu.run_queue_delay_s) = (Some(host_busy_s), Some(run_queue_delay_s));
            let thresholds = ThresholdSet::builtin("flash").expect("it is built in");
            busy_beside(&Summary::new(&Subject::of_run(&record), &thresholds)).len()
        };
        assert_eq!((named(30.0, 0.0), named(600.0, 250.0)), (0, 1));
    }
}
