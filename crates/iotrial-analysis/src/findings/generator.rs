//! Who made the load: the engine, whether it kept its I/Os in flight, and whether its CPU sufficed.

use iotrial_model::finding::{
    Evidence, Finding, FindingId, GeneratorUse, MOST_DELAY_PERCENT, PolledIo, Severity, Shortage,
};
use iotrial_model::load::Direction;
use iotrial_model::plan::Arrival;
use iotrial_model::record::CpuUse;
use iotrial_model::subject::Subject;

use super::Judge;
use super::observed::Observed;

/// The I/Os in flight may differ from those planned by this much: those under way at the edges of a phase of some seconds count in
/// one of the two only.
const MOST_DEVIATION_PERCENT: f64 = 3.0;
/// Above this share of its CPUs the generator measures itself: with one thread at 90 % an I/O that completes finds it
/// busy nine times of ten.
const MOST_BUSY_PERCENT: f64 = 90.0;
/// The same for the busiest thread, which the mean over all of them can hide. Higher, because the thread counts
/// what the coordinator and others used as well when it is read in ticks of 10 ms.
const MOST_BUSIEST_PERCENT: f64 = 95.0;
/// As [`MOST_DELAY_PERCENT`], for an open load, whose I/Os fall due while the thread waits and are late by what is left of that: at 4 % of the time the percentiles
/// from the 96th on are the scheduler's, and with them p99.
const MOST_DELAY_OF_OPEN_PERCENT: f64 = 4.0;
/// The kernel's threads that complete I/Os may wait for this part of the time, beyond what is usual: p99 is the scheduler's from there on.
// Measured on a virtual machine of two CPUs, 600 writes a second: 0 to 0.06 % with nothing beside the load, 4 to 145 % beside two busy
// programs, where p99 of commits was 350 to 1,250 ms and no request took the device longer than 19 ms.
const MOST_KERNEL_DELAY_PERCENT: f64 = 1.0;
/// They wait for others only where others have this part of the CPUs; otherwise it is the load itself that uses them up.
const LEAST_OTHERS_PERCENT: f64 = 20.0;
/// Each involuntary switch costs a timeslice of about 3 ms on a busy host, so this many for each driving CPU are a tenth of
/// the time.
const MOST_SWITCHES_PER_S: f64 = 33.0;
/// Time that the hypervisor took, of all CPUs: what holds for waiting holds for this.
const MOST_STEAL_PERCENT: f64 = 10.0;
/// From this share of its time on a CPU is used up: it holds the rate, and does not only make I/Os slower. The same for
/// the busiest thread, because a rate needs no more certainty than the mean over the threads.
const USED_UP_PERCENT: f64 = 90.0;

/// For the table in `findings.rs`.
pub(super) const JUDGES: &[Judge] = &[engine_fallback, polled_io, littles_law, generator_busy];

/// Another engine than the usual one made the load.
pub(super) fn engine_fallback(seen: &Observed<'_, '_>) -> Option<Finding> {
    let (engine, reason) = (seen.subject.engine?, seen.subject.engine_reason?);
    let evidence = Evidence::EngineFallback { engine, reason: reason.to_owned() };
    Some(Finding::new(FindingId::EngineFallback, Severity::Note, evidence))
}

/// The load asked the devices for completions, which no database does.
pub(super) fn polled_io(seen: &Observed<'_, '_>) -> Option<Finding> {
    let evidence = Evidence::PolledIo(PolledIo { polled: true });
    seen.subject.plan?.polled.then(|| Finding::new(FindingId::PolledIo, Severity::Note, evidence))
}

/// The figures contradict each other: in a closed load every outstanding I/O is always in flight, so by Little's
/// law (J. D. C. Little, 1961: L = λ W) IOPS times mean latency, summed over all streams, is their number.
///
/// It is not asked of a load with errors, whose failed I/Os were in flight without being in a histogram, nor of the
/// null engine, whose I/Os are done before they are begun.
pub(super) fn littles_law(seen: &Observed<'_, '_>) -> Option<Finding> {
    let subject = seen.subject;
    // Of an open load nobody knows how much was outstanding, and what was not back yet is in no latency. What a source states
    // is rounded: only the audit, which knows the digits, can hold it against the law.
    let outstanding = subject.offered_outstanding().filter(|_| subject.stated_streams().next().is_none())?;
    let is_unknown = seen.errors.is_some() || seen.stall.is_some() || subject.load_changes;
    let measured_us = subject.measured?.as_secs_f64() * 1e6;
    // In less than a second the I/Os that are under way at its ends are too large a part.
    if measured_us < 1e6 || is_unknown || !subject.has_device() {
        return None;
    }
    let streams = subject.jobs.iter().flat_map(|job| Direction::ALL.map(|direction| job.counts(direction)));
    let total_latency_us: f64 = streams
        .flatten()
        .filter_map(|counts| Some(counts.io_count() as f64 * counts.total_latency.mean_us()?))
        .sum();
    let in_flight = total_latency_us / measured_us;
    let deviation_percent = 100.0 * (in_flight / outstanding as f64 - 1.0);
    (deviation_percent.abs() > MOST_DEVIATION_PERCENT).then(|| {
        let evidence = Evidence::LittlesLaw { in_flight, outstanding, deviation_percent };
        Finding::new(FindingId::LittlesLaw, Severity::Warning, evidence)
    })
}

/// How much of the CPU that it needed the generator had; `None` where that was not read.
///
/// Shares are of the CPUs that drive the load: wall time times the driving threads, at most the host's CPUs. Time in which
/// a thread only watched the clock, so as not to be late for an I/O, was there for the load if it had needed it.
pub(super) fn generator_use(subject: &Subject<'_>) -> Option<GeneratorUse> {
    let (cpu, host) = (subject.cpu?.counted()?, subject.host?);
    let threads = subject.driving_threads.or_else(|| recorded_threads(subject))?;
    let driven_cpu_count = threads.min(host.cpu_count.unwrap_or(1)).max(1);
    let wall_s = cpu.wall.as_secs_f64();
    if wall_s == 0.0 {
        return None;
    }
    let driven_s = wall_s * f64::from(driven_cpu_count);
    let host_s = wall_s * f64::from(host.all_cpu_count().unwrap_or(1));
    Some(GeneratorUse {
        busy_percent: 100.0 * cpu.work_s() / driven_s,
        driven_cpu_count,
        user_s: cpu.user.as_secs_f64(),
        system_s: cpu.system.as_secs_f64(),
        watched_s: cpu.watched_s,
        busiest_thread_percent: cpu.busiest_s().map(|busiest_s| 100.0 * busiest_s / wall_s),
        run_queue_delay_percent: cpu.run_queue_delay_s.map(|delay_s| 100.0 * delay_s / driven_s),
        kernel_io_delay_percent: cpu.kernel_io_delay_s.map(|delay_s| 100.0 * delay_s / wall_s),
        involuntary_switches_per_s: cpu.involuntary_switch_count.map(|count| count as f64 / wall_s),
        host_busy_percent: cpu.host_busy_s.map(|busy_s| 100.0 * busy_s / host_s),
        host_steal_percent: cpu.host_steal_s.map(|steal_s| 100.0 * steal_s / host_s),
        stolen_percent: stolen_s(cpu, driven_s).map(|stolen_s| 100.0 * stolen_s / driven_s),
        others_percent: cpu.host_busy_s.map(|busy_s| 100.0 * (busy_s - cpu.work_s()).max(0.0) / host_s),
        wall_s,
        shortage: None,
    })
}

/// A probe of an older version does not say how many threads drove it, but where the generator was short of CPU, the finding that
/// was made then does.
fn recorded_threads(subject: &Subject<'_>) -> Option<u32> {
    subject.recorded_findings.iter().find_map(|recorded| match recorded.typed()?.evidence {
        Evidence::GeneratorBusy(use_then) => Some(use_then.driven_cpu_count),
        _ => None,
    })
}

/// The part of the stolen time that was taken from the work of the generator, at most.
///
/// Steal is counted for the whole host, and a virtual CPU loses time only while it has something to run, so that what is
/// taken hits all that runs in proportion. Busy time is counted without it (`host/linux.rs`), as is the CPU time of threads.
/// Of the CPUs that drive the load no more can have been taken than was not worked: on a host of many CPUs that did nothing
/// else, all of the steal falls to the few that drive the load, and may be many times their time.
fn stolen_s(cpu: &CpuUse, driven_s: f64) -> Option<f64> {
    let (steal_s, host_busy_s) = (cpu.host_steal_s?, cpu.host_busy_s?);
    // Counted in ticks: a host that did nothing but our work may seem to have done less.
    let own_share = if host_busy_s > 0.0 { (cpu.work_s() / host_busy_s).min(1.0) } else { 0.0 };
    Some((steal_s * own_share).min(driven_s - cpu.work_s()).max(0.0))
}

/// What of its time the CPUs of the generator either worked or were taken away.
fn used_or_stolen_percent(used: &GeneratorUse) -> f64 {
    used.busy_percent + used.stolen_percent.unwrap_or_default()
}

/// `is_open` where I/Os have times at which they are due.
fn shortage(used: &GeneratorUse, is_open: bool) -> Option<Shortage> {
    let above = |value: Option<f64>, most: f64| value.is_some_and(|value| value > most);
    let most_delay_percent = if is_open { MOST_DELAY_OF_OPEN_PERCENT } else { MOST_DELAY_PERCENT };
    // Where the kernel does not tell how long threads waited, it tells how often they were pushed aside.
    let is_preempted = used.run_queue_delay_percent.is_none()
        && above(used.host_busy_percent, MOST_BUSY_PERCENT)
        && above(used.involuntary_switches_per_s, MOST_SWITCHES_PER_S * f64::from(used.driven_cpu_count));
    let shortages = [
        (used.busy_percent > MOST_BUSY_PERCENT, Shortage::OwnCpu),
        (above(used.busiest_thread_percent, MOST_BUSIEST_PERCENT), Shortage::OneThread),
        // Before the waiting: of a thread that waits on a host whose CPUs are taken away, that is why.
        (used_or_stolen_percent(used) > MOST_BUSY_PERCENT, Shortage::Stolen),
        (above(used.run_queue_delay_percent, most_delay_percent), Shortage::RunQueue),
        (is_open && kernel_waited(used), Shortage::KernelThreads),
        (is_preempted, Shortage::Preempted),
        (above(used.host_steal_percent, MOST_STEAL_PERCENT), Shortage::Steal),
    ];
    shortages.into_iter().find(|(is_short, _)| *is_short).map(|(_, shortage)| shortage)
}

/// Whether the kernel's threads that complete I/Os waited for CPUs that others used: the device may have answered long before.
fn kernel_waited(used: &GeneratorUse) -> bool {
    used.kernel_io_delay_percent.is_some_and(|percent| percent > MOST_KERNEL_DELAY_PERCENT)
        && used.others_percent.is_some_and(|percent| percent >= LEAST_OTHERS_PERCENT)
}

/// Whether the generator had not the CPU that it needed.
pub(super) fn is_short_of_cpu(used: &GeneratorUse, subject: &Subject<'_>) -> bool {
    shortage(used, is_open(subject)).is_some()
}

/// Whether any of its I/Os have times at which they are due.
fn is_open(subject: &Subject<'_>) -> bool {
    subject.plan.is_some_and(|plan| plan.jobs.iter().any(|job| job.arrival != Arrival::Closed))
}

/// Whether all CPUs of the host had work, whosever it was. What serves I/Os below iotrial waits for a CPU then as well, also where iotrial itself
/// does not: the threads of a loop device, of an encrypted or a network one.
pub(super) fn is_on_a_full_host(used: &GeneratorUse) -> bool {
    used.host_busy_percent.is_some_and(|percent| percent > MOST_BUSY_PERCENT)
}

/// Whether the generator had no CPU left, rather than waiting for one now and then, which makes I/Os slower and holds no
/// rate while others are outstanding.
pub(crate) fn holds_the_rate(used: &GeneratorUse) -> bool {
    used_or_stolen_percent(used) >= USED_UP_PERCENT
        || used.busiest_thread_percent.is_some_and(|percent| percent >= USED_UP_PERCENT)
}

/// The generator had not the CPU that it needed: it used up its own, or waited for it, or the hypervisor took it.
pub(super) fn generator_busy(seen: &Observed<'_, '_>) -> Option<Finding> {
    let used = seen.generator.as_ref()?;
    let shortage = Some(shortage(used, is_open(seen.subject))?);
    let evidence = Evidence::GeneratorBusy(GeneratorUse { shortage, ..*used });
    Some(Finding::new(FindingId::GeneratorBusy, Severity::Warning, evidence))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use iotrial_model::plan::EngineKind;
    use iotrial_model::record::RunRecord;

    use super::*;
    use crate::findings::found;
    use crate::test_record::{counts, healthy};

    fn polled_io(record: &RunRecord) -> Option<Finding> {
        found(record, super::polled_io)
    }

    fn engine_fallback(record: &RunRecord) -> Option<Finding> {
        found(record, super::engine_fallback)
    }

    fn littles_law(record: &RunRecord) -> Option<Finding> {
        found(record, super::littles_law)
    }

    fn generator_busy(record: &RunRecord) -> Option<Finding> {
        found(record, super::generator_busy)
    }

    #[test]
    fn polling_is_named() {
        let mut record = healthy();
        assert_eq!(polled_io(&record), None);
        record.plan.polled = true;
        let found = polled_io(&record).unwrap();
        let evidence = Evidence::PolledIo(PolledIo { polled: true });
        assert_eq!((found.severity, found.evidence), (Severity::Note, evidence));
    }

    #[test]
    fn another_engine_is_named_with_its_reason() {
        let mut record = healthy();
        assert_eq!(engine_fallback(&record), None);
        record.plan.engine = EngineKind::Threads;
        record.plan.engine_reason = Some("io_uring is disabled on this kernel".to_owned());
        let reason = "io_uring is disabled on this kernel".to_owned();
        let evidence = Evidence::EngineFallback { engine: EngineKind::Threads, reason };
        let found = engine_fallback(&record).unwrap();
        assert_eq!((found.severity, found.evidence), (Severity::Note, evidence));
    }

    #[test]
    fn littles_law_tolerates_three_percent_and_says_which_way_it_is_broken() {
        let with_reads_of = |latency_us: u64| {
            let mut record = healthy();
            record.jobs[0].read = Some(counts(8_000 * 300, Duration::from_micros(latency_us)));
            littles_law(&record)
        };
        // Nine are outstanding, four of them reads of 500 µs: 30 µs more are 0.24 I/Os, 2.7 %.
        assert_eq!(with_reads_of(500), None);
        assert_eq!(with_reads_of(530), None);
        assert_eq!(with_reads_of(470), None);
        // 33.6 µs more are 0.2688 I/Os, 2.99 %, and 34 µs 3.02 %.
        assert_eq!(with_reads_of(533), None);
        let found = with_reads_of(534).unwrap();
        assert_eq!(found.severity, Severity::Warning);
        let Evidence::LittlesLaw { in_flight, outstanding, deviation_percent } =
            with_reads_of(540).unwrap().evidence
        else {
            panic!()
        };
        assert_eq!(((10.0 * in_flight).round(), outstanding), (93.0, 9));
        assert!((deviation_percent - 3.556).abs() < 0.01, "{deviation_percent}");
        assert!(with_reads_of(250).unwrap().evidence.facts()["deviation_percent"].as_f64().unwrap() < 0.0);
    }

    #[test]
    fn littles_law_is_not_asked_where_it_cannot_hold() {
        let mut record = healthy();
        record.jobs[0].read = Some(counts(8_000 * 300, Duration::from_micros(1)));
        assert!(littles_law(&record).is_some());
        record.plan.engine = EngineKind::Null;
        assert_eq!(littles_law(&record), None);
        record.plan.engine = EngineKind::Uring;
        record.jobs[0].write.as_mut().unwrap().error_count = 1;
        assert_eq!(littles_law(&record), None);
        assert_eq!(littles_law(&crate::test_record::measured(0, |_| 0)), None);
        // Not of a load that changed all the time, nor of less than a second.
        record.jobs[0].write.as_mut().unwrap().error_count = 0;
        let subject = Subject::of_run(&record);
        let law = |subject: Subject<'_>| super::littles_law(&Observed::of(&subject)).is_some();
        assert!(law(subject.clone()) && !law(Subject { load_changes: true, ..subject.clone() }));
        let lasting = |measured: Duration| law(Subject { measured: Some(measured), ..subject.clone() });
        assert!(lasting(Duration::from_secs(1)) && !lasting(Duration::from_millis(999)));
        let mut stalled = record.clone();
        let write = stalled.intervals[41].jobs[1].write.as_mut().unwrap();
        write.total_latency.record_n(Duration::from_secs(6), 1);
        assert_eq!(littles_law(&stalled), None);
    }

    /// A generator with nothing wrong, driven by two CPUs.
    fn idle() -> GeneratorUse {
        let record = healthy();
        let used = generator_use(&Subject::of_run(&record)).unwrap();
        assert_eq!(used.driven_cpu_count, 2);
        GeneratorUse { busy_percent: 0.0, ..used }
    }

    #[test]
    fn each_shortage_begins_at_its_limit_and_the_first_one_is_told() {
        let check = |is_open: bool, set: fn(&mut GeneratorUse, f64), most: f64, expected: Shortage| {
            let at = |value: f64| {
                let mut used = idle();
                set(&mut used, value);
                shortage(&used, is_open)
            };
            assert_eq!((at(most), at(most * 1.005)), (None, Some(expected)));
        };
        check(false, |used, value| used.busy_percent = value, 90.0, Shortage::OwnCpu);
        check(false, |used, value| used.busiest_thread_percent = Some(value), 95.0, Shortage::OneThread);
        check(false, |used, value| used.stolen_percent = Some(value), 90.0, Shortage::Stolen);
        check(false, |used, value| used.run_queue_delay_percent = Some(value), 10.0, Shortage::RunQueue);
        check(true, |used, value| used.run_queue_delay_percent = Some(value), 4.0, Shortage::RunQueue);
        check(false, |used, value| used.host_steal_percent = Some(value), 10.0, Shortage::Steal);
        let kernel_waits = |used: &mut GeneratorUse, value: f64| {
            (used.kernel_io_delay_percent, used.others_percent) = (Some(value), Some(20.0));
        };
        check(true, kernel_waits, 1.0, Shortage::KernelThreads);
        let mut used = idle();
        kernel_waits(&mut used, 30.0);
        assert_eq!(shortage(&used, false), None);
        // Beside the load alone it is the load that uses up the CPUs.
        used.others_percent = Some(19.9);
        assert_eq!(shortage(&used, true), None);
        let preempted = |used: &mut GeneratorUse, host_busy: f64, switches_per_s: f64| {
            used.run_queue_delay_percent = None;
            used.host_busy_percent = Some(host_busy);
            used.involuntary_switches_per_s = Some(switches_per_s);
        };
        // 33 for each CPU.
        let by_switches = |used: &mut GeneratorUse, value: f64| {
            used.run_queue_delay_percent = None;
            used.host_busy_percent = Some(99.0);
            used.involuntary_switches_per_s = Some(value);
        };
        check(false, by_switches, 66.0, Shortage::Preempted);
        let mut used = idle();
        preempted(&mut used, 90.0, 100.0);
        assert_eq!(shortage(&used, false), None);
        preempted(&mut used, 90.5, 100.0);
        assert_eq!(shortage(&used, false), Some(Shortage::Preempted));
        assert!(
            is_on_a_full_host(&used)
                && !is_on_a_full_host(&GeneratorUse { host_busy_percent: Some(90.0), ..used })
        );
        assert!(!is_on_a_full_host(&GeneratorUse { host_busy_percent: None, ..used }));
        let all = GeneratorUse { busy_percent: 91.0, busiest_thread_percent: Some(96.0), ..used };
        assert_eq!(shortage(&all, false), Some(Shortage::OwnCpu));
    }

    #[test]
    fn a_generator_without_cpu_that_is_left_holds_the_rate() {
        let holds = |busy_percent: f64, stolen_percent: Option<f64>, busiest_thread_percent: Option<f64>| {
            let used = GeneratorUse { busy_percent, stolen_percent, busiest_thread_percent, ..idle() };
            holds_the_rate(&used)
        };
        assert!(holds(90.0, None, None) && !holds(89.9, None, None));
        assert!(holds(45.0, Some(45.0), None) && !holds(45.0, Some(44.9), None));
        assert!(holds(0.0, None, Some(90.0)) && !holds(0.0, None, Some(89.9)));
    }

    #[test]
    fn shares_are_of_the_cpus_that_drive_the_load_or_of_all_of_the_host() {
        let mut record = healthy();
        let cpu = record.cpu.as_mut().unwrap();
        (cpu.user, cpu.system) = (cpu.wall / 2, Duration::ZERO);
        (cpu.run_queue_delay_s, cpu.involuntary_switch_count) = (Some(30.0), Some(6_000));
        (cpu.host_busy_s, cpu.host_steal_s) = (Some(600.0), Some(60.0));
        cpu.busiest_thread_s = Some(75.0);
        let of = |record: &RunRecord| generator_use(&Subject::of_run(record));
        // 300 s, two driving threads, four CPUs.
        let used = of(&record).unwrap();
        assert_eq!((used.busy_percent, used.busiest_thread_percent), (25.0, Some(25.0)));
        assert_eq!((used.run_queue_delay_percent, used.involuntary_switches_per_s), (Some(5.0), Some(20.0)));
        assert_eq!((used.host_busy_percent, used.host_steal_percent), (Some(50.0), Some(5.0)));
        // A quarter of what the host did is ours, and of what was taken from it.
        assert_eq!(used.stolen_percent, Some(2.5));
        // Threads have no more CPUs than the host, and at least one.
        record.host.cpu_count = 1;
        assert_eq!(of(&record).map(|used| (used.driven_cpu_count, used.busy_percent)), Some((1, 50.0)));
        record.host.cpu_count = 64;
        record.plan.threads = 0;
        assert!(of(&record).is_some_and(|used| used.driven_cpu_count >= 1));
        let stolen = |user_cpus: u32, host_busy_s: f64| {
            let mut record = record.clone();
            let cpu = record.cpu.as_mut().unwrap();
            (cpu.user, cpu.host_busy_s, cpu.host_steal_s) =
                (cpu.wall * user_cpus, Some(host_busy_s), Some(60.0));
            of(&record).unwrap().stolen_percent
        };
        // Of more work than the CPUs have time nothing was taken, nor of a host that seems to have done nothing.
        assert_eq!((stolen(9, 3_000.0), stolen(1, 0.0)), (Some(0.0), Some(0.0)));
        record.cpu.as_mut().unwrap().wall = Duration::ZERO;
        assert_eq!(of(&record), None);
        let healthy = healthy();
        let subject = Subject::of_run(&healthy);
        assert!(!is_open(&subject) && !is_open(&Subject { plan: None, ..subject.clone() }));
    }

    fn used(record: &RunRecord) -> Option<GeneratorUse> {
        match generator_busy(record)?.evidence {
            Evidence::GeneratorBusy(used) => Some(used),
            other => panic!("{other:?}"),
        }
    }

    /// Of what, and how many CPUs drive the load.
    fn short_of(record: &RunRecord) -> Option<(Shortage, u32)> {
        let used = used(record)?;
        Some((used.shortage.unwrap(), used.driven_cpu_count))
    }

    #[test]
    fn a_generator_that_needs_all_of_its_cpus_says_so() {
        let mut record = healthy();
        assert_eq!(generator_busy(&record), None);
        // Two copies of jobs are driven by two threads, so two of the four CPUs are the limit.
        assert_eq!(record.plan.threads, 2);
        let used = |record: &mut RunRecord, cpus: f64| {
            let cpu = record.cpu.as_mut().unwrap();
            (cpu.user, cpu.system) = (cpu.wall.mul_f64(cpus), Duration::ZERO);
        };
        used(&mut record, 1.79);
        assert_eq!(generator_busy(&record), None);
        used(&mut record, 1.81);
        assert_eq!(short_of(&record), Some((Shortage::OwnCpu, 2)));
        assert_eq!(generator_busy(&record).unwrap().severity, Severity::Warning);
        record.plan.engine = EngineKind::Threads;
        assert_eq!(generator_busy(&record), None);
        record.plan.engine = EngineKind::Uring;
        record.cpu.as_mut().unwrap().busiest_thread_s = Some(300.0);
        used(&mut record, 1.1);
        assert_eq!(short_of(&record), Some((Shortage::OneThread, 2)));
        record.cpu = None;
        assert_eq!(generator_busy(&record), None);
    }

    #[test]
    fn watching_the_clock_is_no_work() {
        let with = |watched_s: f64, busiest_work_s: Option<f64>| {
            let mut record = healthy();
            let cpu = record.cpu.as_mut().unwrap();
            (cpu.user, cpu.system) = (cpu.wall.mul_f64(1.9), Duration::ZERO);
            (cpu.watched_s, cpu.busiest_thread_s) = (watched_s, Some(299.0));
            cpu.busiest_work_s = busiest_work_s;
            generator_busy(&record)
        };
        // Two threads, one of them watching for most of the 300 s.
        assert_eq!(with(250.0, Some(280.0)), None);
        assert!(with(20.0, Some(280.0)).is_some());
        assert!(with(250.0, Some(290.0)).is_some());
        assert!(with(250.0, None).is_some());
    }

    #[test]
    fn waiting_for_a_cpu_and_losing_it_count_as_well_as_using_it() {
        // 300 s, two driving threads, four CPUs.
        let with = |change: fn(&mut CpuUse)| {
            let mut record = healthy();
            change(record.cpu.as_mut().unwrap());
            used(&record)
        };
        assert_eq!(with(|cpu| cpu.run_queue_delay_s = Some(59.0)), None);
        let waited = with(|cpu| cpu.run_queue_delay_s = Some(61.0)).unwrap();
        assert_eq!((waited.shortage, waited.driven_cpu_count), (Some(Shortage::RunQueue), 2));
        assert!((waited.run_queue_delay_percent.unwrap() - 10.17).abs() < 0.01, "{waited:?}");
        assert_eq!(with(|cpu| cpu.host_steal_s = Some(119.0)), None);
        assert_eq!(with(|cpu| cpu.host_steal_s = Some(130.0)).unwrap().shortage, Some(Shortage::Steal));
        // Many switches on an idle host are short ones; on a busy host each of them is a timeslice.
        assert_eq!(with(|cpu| cpu.involuntary_switch_count = Some(300 * 1_000)), None);
        let busy = |cpu: &mut CpuUse| {
            cpu.involuntary_switch_count = Some(300 * 100);
            cpu.host_busy_s = Some(4.0 * 300.0 * 0.95);
        };
        assert_eq!(with(busy).unwrap().shortage, Some(Shortage::Preempted));
        // Where the kernel counts the waiting itself, that decides.
        assert_eq!(
            with(|cpu| {
                cpu.involuntary_switch_count = Some(300 * 100);
                cpu.host_busy_s = Some(4.0 * 300.0 * 0.95);
                cpu.run_queue_delay_s = Some(1.0);
            }),
            None
        );
    }

    #[test]
    fn an_open_load_waits_for_a_cpu_less_long_before_its_percentiles_are_the_schedulers() {
        use iotrial_model::load::Spacing;
        let with = |delay_ms_per_s: f64, is_open: bool| {
            let mut record = healthy();
            if is_open {
                record.plan.jobs[0].arrival =
                    Arrival::Open { iops: 16_000.0, spacing: Spacing::Poisson, bursts: None };
            }
            // Of both driving threads.
            record.cpu.as_mut().unwrap().run_queue_delay_s = Some(2.0 * 300.0 * delay_ms_per_s / 1e3);
            used(&record)
        };
        assert_eq!((with(50.0, false), with(30.0, true)), (None, None));
        let found = with(50.0, true).unwrap();
        assert_eq!((found.shortage, found.run_queue_delay_percent), (Some(Shortage::RunQueue), Some(5.0)));
    }

    #[test]
    fn what_the_hypervisor_takes_from_the_driving_cpus_counts_as_used_up() {
        // 300 s, two driving threads; half of the time of their CPUs is worked, on a host of 64 CPUs that does nothing else.
        let with = |host_busy_cpus: f64, stolen_cpus: f64| {
            let mut record = healthy();
            record.host.cpu_count = 64;
            let cpu = record.cpu.as_mut().unwrap();
            (cpu.user, cpu.system) = (cpu.wall, Duration::ZERO);
            (cpu.host_busy_s, cpu.host_steal_s) = (Some(300.0 * host_busy_cpus), Some(300.0 * stolen_cpus));
            used(&record)
        };
        let stolen = with(1.0, 0.9).unwrap();
        assert_eq!((stolen.shortage, stolen.busy_percent), (Some(Shortage::Stolen), 50.0));
        assert_eq!(stolen.stolen_percent.unwrap().round(), 45.0);
        assert_eq!(with(1.0, 0.7), None);
        // On a busy host most of it was taken from others.
        assert_eq!(with(30.0, 0.9), None);
        // More stolen time than busy time is the ticks' doing: no more than all of it is ours.
        let stolen_percent = |used: Option<GeneratorUse>| used.unwrap().stolen_percent.unwrap();
        assert!((stolen_percent(with(0.1, 0.9)) - 45.0).abs() < 1e-9);
        // Nor can more have been taken than the time that was not worked.
        assert_eq!(stolen_percent(with(1.0, 30.0)), 50.0);
        assert_eq!(stolen_percent(with(10.0, 30.0)), 50.0);
    }
}
