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

/// CPUs, memory and the size of a block, of every kind of source.
pub(super) fn machine(report: &AwrReport, figures: &mut AwrFigures) {
    let mut put = |figure, value: Quoted| {
        // What a source does not have at all would be a row of nothing in every table.
        if value.is_there() && figures.get(figure).is_none() {
            figures.put(figure, value);
        }
    };
    put(AwrFigure::BlockKib, named(&report.memory, "Std Block Size").scaled(1024.0));
    put(AwrFigure::HostCpus, report.host.cpus.clone());
    put(AwrFigure::HostCores, report.host.cores.clone());
    put(AwrFigure::HostMemoryMib, host_memory(report));
    put(AwrFigure::HostBusyCpus, busy_cpus(report));
    put(AwrFigure::MemoryMib, memory(report));
    let background = ["background cpu time", "bg CPU"].map(|name| named(&report.time_model, name));
    let background = background.into_iter().find(Quoted::is_there);
    let elapsed = report.interval.elapsed_s.value().filter(|elapsed| *elapsed > 0.0);
    if let (Some(time), Some(elapsed)) = (background, elapsed)
        && let Some(seconds) = time.number
    {
        let how = "CPU time of background processes divided by the elapsed time";
        let sessions = Quoted::derived(seconds.per(elapsed), time.place, how);
        put(AwrFigure::BackgroundCpuSessions, sessions);
    }
}

fn named(list: &[Named], name: &str) -> Quoted {
    AwrReport::named(list, name).cloned().unwrap_or_default()
}

fn host_memory(report: &AwrReport) -> Quoted {
    let printed = named(&report.memory, "Host Mem");
    if printed.is_there() { printed } else { report.host.memory_gib.clone().scaled(1024.0) }
}

/// The share of busy time, of all CPUs. Times are in hundredths of a second for an instance and in seconds for a cluster.
fn busy_cpus(report: &AwrReport) -> Quoted {
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

/// SGA and PGA in use; where only targets are printed, those.
fn memory(report: &AwrReport) -> Quoted {
    let of = |name: &str| named(&report.memory, name);
    let sum = |[one, other]: [Quoted; 2], how: &str| match (one.number, other.number) {
        (Some(a), Some(b)) => Quoted::derived(a + b, one.place, how),
        _ => Quoted::default(),
    };
    let used = sum([of("SGA use"), of("PGA use")], "SGA use and PGA use");
    if used.is_there() {
        return used;
    }
    let targets = sum(
        [of("SGA target"), of("PGA target")],
        "the targets of SGA and PGA; the report does not have their use",
    );
    if targets.is_there() {
        return targets;
    }
    // An SGA without a target is the sum of its pools, which are set one by one.
    let pools = sum([of("Buffer Cache"), of("Shared Pool Size")], "");
    sum(
        [pools, of("PGA target")],
        "the buffer cache, the shared pool and the target of the PGA; the report has neither their use nor smaller pools",
    )
}
