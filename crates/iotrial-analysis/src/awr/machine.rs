//! The machine of a database: its CPUs and memory, and how much of both is used.

use iotrial_model::awr::{AwrFigure, AwrFigures, AwrReport, Named, Quoted};
use iotrial_model::imported::Stated;

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
