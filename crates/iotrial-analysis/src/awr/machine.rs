//! The machine of a database: its CPUs and memory, and how much of both is used.

use iotrial_model::awr::{AwrFigure, AwrFigures, AwrReport, Named, Quoted, WaitSide};
use iotrial_model::imported::Stated;

use super::figures::by_elapsed;
use super::remarks::unexplained_percent;
use super::right_size::OMAT_BUSY;

/// Sessions wait for this where a plan of the Resource Manager, or a cap on CPUs, has no CPU for them.
const RESOURCE_MANAGER: &str = "resmgr:cpu quantum";
/// A smaller share of DB time that is neither CPU nor a wait is rounding and what is not instrumented.
// A choice: what has a tenth of the time is worth a decision, as everywhere in the remarks.
const UNEXPLAINED_PERCENT: f64 = 10.0;

/// Writes of the log by kind of file have the members of a group in them; without that table, what the log writer counts.
pub(super) fn log_writes(report: &AwrReport, figures: &mut AwrFigures) {
    let file = report.io_by_file_type.iter().find(|one| one.name.eq_ignore_ascii_case("Log File"));
    let redo = |figure| figures.get(figure).cloned().unwrap_or_default();
    let (writes, mib) = (redo(AwrFigure::RedoWrites), redo(AwrFigure::RedoMib));
    let by_file = file.map(|one| (one.writes_per_s.clone(), one.write_mib_per_s.clone()));
    // Of a small log the table has no digits left: it must not have less than the log writer made.
    let is_whole = |(by_file, mib_by_file): &(Quoted, Quoted)| {
        by_file.sound() >= writes.sound() && mib_by_file.sound() >= mib.sound() && by_file.sound().is_some()
    };
    let (writes, mib) = by_file.filter(is_whole).unwrap_or((writes, mib));
    figures.put(AwrFigure::LogWrites, writes);
    figures.put(AwrFigure::LogWriteMib, mib);
}

fn named(list: &[Named], name: &str) -> Quoted {
    AwrReport::named(list, name).cloned().unwrap_or_default()
}

/// The share of busy time, of all CPUs. Times are in hundredths of a second for an instance and in seconds for a cluster.
pub(super) fn busy_cpus(report: &AwrReport) -> Quoted {
    let cpus = report.host.cpus.value();
    let of = |name| named(&report.host_statistics, name);
    let (busy, idle) = (of("BUSY_TIME"), of("IDLE_TIME"));
    let (busy, idle) =
        if busy.is_there() { (busy, idle) } else { (of("Time (s) Busy"), of("Time (s) Idle")) };
    match (busy.value(), idle.value(), cpus) {
        (Some(busy_time), Some(idle_time), Some(cpus)) if busy_time + idle_time > 0.0 => Quoted::derived(
            Stated::exact(cpus * busy_time / (busy_time + idle_time)),
            busy.place,
            "the share of busy time of all CPUs",
        ),
        // AWR-Miner has a percentage.
        _ => {
            let percent = of("os_cpu");
            match (percent.number, cpus) {
                (Some(number), Some(cpus)) => {
                    let used = number.scaled(cpus).per(100.0);
                    Quoted::derived(used, percent.place, "the percentage of all CPUs")
                }
                _ => busy,
            }
        }
    }
}

/// Sessions of users that had no CPU although they were ready; `None` where nothing shows any. Time that is neither CPU nor a wait counts
/// where CPUs are busy: of hosts with idle ones there are reports in which it is two thirds of DB time. `OS_CPU_WAIT_TIME` is no sign by
/// itself: AIX counts as much of it as DB time where four of five CPUs are idle.
pub(super) fn cpu_waits(report: &AwrReport) -> Option<Quoted> {
    let managed = report.wait(RESOURCE_MANAGER, WaitSide::Foreground).map(|wait| wait.total_s.clone());
    let managed = managed.map(|seconds| by_elapsed(report, seconds, "the waits for the Resource Manager"));
    let managed = managed.filter(|sessions| sessions.value().is_some_and(|sessions| sessions > 0.0));
    let busy = busy_cpus(report).value().zip(report.host.cpus.value());
    let is_busy = busy.is_some_and(|(busy, cpus)| cpus > 0.0 && busy / cpus > OMAT_BUSY);
    let unexplained =
        unexplained_percent(report).filter(|percent| is_busy && *percent >= UNEXPLAINED_PERCENT);
    let unexplained = unexplained.map(|percent| {
        by_elapsed(report, report.interval.db_time_s.clone(), "DB time that is neither CPU nor a wait,")
            .scaled(percent / 100.0)
    });
    match (managed, unexplained.filter(Quoted::is_there)) {
        (Some(one), Some(other)) => Some(Quoted::derived(
            one.number? + other.number?,
            one.place,
            "waits for the Resource Manager, and DB time that is neither CPU nor a wait, divided by the elapsed time",
        )),
        (one, other) => one.or(other),
    }
}
