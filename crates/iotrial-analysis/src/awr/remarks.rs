//! Where the time of users goes, and what an expert would remark: each remark with its numbers.

mod parameters;

use std::ops::Add;

use iotrial_model::awr::{
    AwrFigure, AwrFigures, AwrKind, AwrReport, BusyFunction, CellReads, IoStat, Part, Quoted, Remark,
    Standing, WaitSide, WaitedFor,
};
use iotrial_model::range::Range;
use iotrial_model::stated::{Rounding, Stated};
use serde::Serialize;

use super::latencies::WaitLatency;
use crate::verdict::Category;

/// Events with a smaller share of DB time limit nothing.
// 004's rule for what is worth moving, and a usual one for what is worth tuning.
const WORTH_NAMING_PERCENT: f64 = 10.0;
/// CPU may be a little more than DB time by rounding.
const MOST_OF_DB_TIME: f64 = 105.0;
/// Waits of idle classes and rounding leave less than this unexplained.
const UNKNOWN_PERCENT: f64 = 20.0;
/// From here on an average hides the busy minutes.
const LONG_INTERVAL_S: f64 = 2.0 * 3600.0;
/// Switches more often than every ten minutes are checkpoints more often than anybody wants; Oracle's advice is 15 to 20.
const MANY_SWITCHES_PER_HOUR: f64 = 6.0;
/// A commit that takes this many times the write of its redo waits for CPU or for a standby, and not for the disk.
const COMMIT_BEYOND_WRITE: f64 = 3.0;

/// Events of sessions that wait for work: Oracle's wait class Idle, as far as sessions of users have them.
const IDLE: [&str; 16] = [
    "SQL*Net message from client",
    "SQL*Net vector message from client",
    "LNS ASYNC end of log",
    "PL/SQL lock timer",
    "PX Deq: Execution Msg",
    "PX Idle Wait",
    "Streams AQ: waiting for messages in the queue",
    "class slave wait",
    "dispatcher timer",
    "jobq slave wait",
    "pipe get",
    "shared server idle wait",
    "single-task message",
    "virtual circuit next request",
    "wait for unread message on broadcast channel",
    "watchdog main loop",
];

/// Whether it is the event, whose name text reports cut off.
pub(super) fn is_event(printed: &str, event: &str) -> bool {
    printed == event || (printed.len() >= 26 && event.starts_with(printed))
}

/// Whether sessions that wait for it wait for work.
pub(super) fn is_idle(event: &str) -> bool {
    IDLE.iter().any(|idle| is_event(event, idle))
}

/// A share of the time of users.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limit {
    /// `DB CPU`, or an event.
    pub what: String,
    /// Share of DB time.
    pub percent: f64,
}

/// Shares of DB time of what users wait for.
fn shares_of_waits(report: &AwrReport) -> impl Iterator<Item = Limit> {
    report.waits.iter().filter(|wait| wait.side == WaitSide::Foreground).filter_map(|wait| {
        // Idle events have no share in the report of an instance; that of a cluster has one, beyond all DB time.
        let percent = wait.percent.sound()?;
        (percent > 0.0 && !is_idle(&wait.event)).then(|| Limit { what: wait.event.clone(), percent })
    })
}

/// CPU as a share of DB time. More CPU than time is another way of counting, and no share (see `work`).
fn share_of_cpu(report: &AwrReport) -> Option<f64> {
    let time_of = |name| AwrReport::named(&report.time_model, name).and_then(Quoted::sound);
    // The header has minutes, the time model hundredths of a second.
    let db_time = time_of("DB time").or(report.interval.db_time_s.sound()).filter(|time| *time > 0.0)?;
    Some(100.0 * time_of("DB CPU")? / db_time).filter(|percent| *percent <= MOST_OF_DB_TIME)
}

/// The largest of these shares.
pub(super) fn limits_of(report: &AwrReport) -> Vec<Limit> {
    let mut limits = shares_of_db_time(report);
    limits.truncate(10);
    limits
}

/// Shares of DB time of waits and of CPU, the largest first.
pub(super) fn shares_of_db_time(report: &AwrReport) -> Vec<Limit> {
    let mut limits: Vec<Limit> = shares_of_waits(report).collect();
    limits.extend(share_of_cpu(report).map(|percent| Limit { what: "DB CPU".to_owned(), percent }));
    limits.sort_by(|a, b| b.percent.total_cmp(&a.percent));
    limits
}

pub(super) fn remarks_of(
    report: &AwrReport,
    figures: &AwrFigures,
    latencies: &[WaitLatency],
    part: Option<&Part>,
) -> Vec<Remark> {
    let mut all: Vec<Remark> = report.contradictions.iter().cloned().map(Remark::Contradiction).collect();
    all.extend(report.corrections.iter().cloned().map(Remark::Correction));
    interval(report, part, &mut all);
    who_asks(report, figures, &mut all);
    waits(report, figures, latencies, &mut all);
    work(report, figures, &mut all);
    parameters::remark_on(report, &mut all);
    exadata(report, &mut all);
    all
}

fn interval(report: &AwrReport, part: Option<&Part>, all: &mut Vec<Remark>) {
    let elapsed_s = report.interval.elapsed_s.value().unwrap_or(0.0);
    if elapsed_s > LONG_INTERVAL_S {
        all.push(Remark::LongInterval { elapsed_s });
    }
    if elapsed_s > 0.0 && elapsed_s < 600.0 {
        all.push(Remark::ShortInterval { elapsed_s });
    }
    all.extend(part.cloned().map(|part| {
        if report.kind == AwrKind::Cluster && part.of_instances.is_some() {
            Remark::MissingInstances(part)
        } else {
            Remark::OneOfSeveralInstances(part)
        }
    }));
    if report.kind == AwrKind::Pluggable {
        all.push(Remark::PluggableDatabase);
    }
}

/// I/O that the Load Profile does not have.
fn who_asks(report: &AwrReport, figures: &AwrFigures, all: &mut Vec<Remark>) {
    let value = |figure| figures.value(figure);
    if let (Some(all_per_s), Some(load_profile_per_s)) =
        (value(AwrFigure::Reads), value(AwrFigure::DatabaseReads))
        && all_per_s > 1.5 * load_profile_per_s + 1.0
    {
        all.push(Remark::ReadsBeyondTheDatabase { load_profile_per_s, all_per_s });
    }
    let of_functions = [
        ("ARCH", BusyFunction::Archiver),
        ("RMAN", BusyFunction::Backup),
        ("Data Pump", BusyFunction::DataPump),
        ("Recovery", BusyFunction::Recovery),
    ];
    all.extend(of_functions.into_iter().filter_map(|(name, function)| {
        // Of a rate printed as .1 the share may be anything.
        let is_worth_naming =
            |share: &Stated| Range::of_rounded(*share, Rounding::Nearest).low >= WORTH_NAMING_PERCENT;
        let share = share_of_function(report, name).filter(is_worth_naming)?;
        Some(Remark::BusyFunction { function, percent: share.value })
    }));
    let flashback = report.io_by_file_type.iter().find(|one| one.name.eq_ignore_ascii_case("Flashback Log"));
    let written = flashback.and_then(|one| one.write_mib_per_s.sound()).zip(value(AwrFigure::WriteMib));
    if let Some((flashback, written)) = written
        && flashback >= WORTH_NAMING_PERCENT / 100.0 * written
        && written > 0.0
    {
        all.push(Remark::Flashback { percent: 100.0 * flashback / written });
    }
    let standby = report
        .parameters
        .iter()
        .filter(|one| one.name.starts_with("log_archive_dest_"))
        .any(|one| one.value.to_lowercase().contains("service"));
    let redo = value(AwrFigure::RedoMib).filter(|_| standby);
    all.extend(redo.map(|redo_mib_per_s| Remark::Standby { redo_mib_per_s }));
}

/// Reads and writes in MiB per second. Statspack leaves a cell blank where there are none.
fn moved(one: &IoStat) -> Stated {
    let both = [&one.read_mib_per_s, &one.write_mib_per_s];
    both.into_iter().filter_map(Quoted::sound_number).fold(Stated::exact(0.0), Stated::add)
}

/// Share of all bytes in percent, with what its digits are worth; `None` where no function moved any, or the total has a part missing.
fn share_of_function(report: &AwrReport, name: &str) -> Option<Stated> {
    let all = || report.io_by_function.iter();
    let sum = |part: &mut dyn Iterator<Item = &IoStat>| part.map(moved).fold(Stated::exact(0.0), Stated::add);
    let total = match all().find(|one| one.is_total()) {
        Some(total) => total.read_mib_per_s.sound_number()? + total.write_mib_per_s.sound_number()?,
        None => sum(&mut all()),
    };
    sum(&mut all().filter(|one| one.name == name)).scaled(100.0).over(total)
}

fn waits(report: &AwrReport, figures: &AwrFigures, latencies: &[WaitLatency], all: &mut Vec<Remark>) {
    for one in latencies.iter().filter(|one| one.judged >= Some(Category::Poor)) {
        let (Some(mean_us), Some(category)) = (one.mean_us.value(), one.judged) else { continue };
        // A handful of waits on an idle system says nothing of its storage.
        if one.per_second.unwrap_or(0.0) < 0.1 {
            continue;
        }
        all.push(Remark::SlowWait { event: one.event.clone(), side: one.side, mean_us, category });
    }
    let (commit, write) = (figures.value(AwrFigure::CommitUs), figures.value(AwrFigure::RedoWriteUs));
    let commits = report.wait("log file sync", WaitSide::Foreground).and_then(|wait| wait.waits.value());
    if let (Some(commit_us), Some(write_us)) = (commit, write)
        && commit_us > COMMIT_BEYOND_WRITE * write_us
        && commits.unwrap_or(0.0) > 1_000.0
    {
        all.push(Remark::CommitBeyondWrite { commit_us, write_us });
    }
    for (events, what) in [
        (
            &["log file switch (checkpoint incomplete)", "log file switch completion"][..],
            WaitedFor::LogSwitch,
        ),
        (&["free buffer waits"][..], WaitedFor::FreeBuffers),
        (&["log buffer space"][..], WaitedFor::LogBuffer),
    ] {
        let seconds: f64 =
            events.iter().filter_map(|event| report.wait(event, WaitSide::Foreground)?.total_s.sound()).sum();
        if seconds >= 1.0 {
            all.push(Remark::SessionsWaited { what, seconds });
        }
    }
    if latencies.iter().any(|one| one.event.starts_with("direct path") && one.percent.value() > Some(1.0)) {
        all.push(Remark::DirectPath);
    }
}

fn work(report: &AwrReport, figures: &AwrFigures, all: &mut Vec<Remark>) {
    let sessions = figures.value(AwrFigure::CpuSessions).zip(figures.value(AwrFigure::ActiveSessions));
    let of_db_time = sessions.filter(|(_, active)| *active > 0.0).map(|(cpu, active)| 100.0 * cpu / active);
    let beyond = of_db_time.filter(|percent| *percent > MOST_OF_DB_TIME);
    all.extend(beyond.map(|percent| Remark::CpuBeyondDbTime { percent }));
    let unknown = unexplained_percent(report).filter(|percent| *percent >= UNKNOWN_PERCENT);
    all.extend(unknown.map(|percent| Remark::UnknownDbTime { percent }));
    let temp = report.io_by_file_type.iter().find(|one| one.name.eq_ignore_ascii_case("Temp File"));
    let total = figures.value(AwrFigure::ReadMib).zip(figures.value(AwrFigure::WriteMib));
    if let (Some(mib), Some((read, write))) = (temp.map(|temp| moved(temp).value), total) {
        let percent = 100.0 * mib / (read + write).max(1e-9);
        if percent >= WORTH_NAMING_PERCENT {
            all.push(Remark::Temp { percent });
        }
    }
    if let (Some(multi), Some(reads)) =
        (figures.value(AwrFigure::MultiBlockReads), figures.value(AwrFigure::Reads))
        && reads > 1.0
        && multi > 0.5 * reads
    {
        all.push(Remark::Scans { percent: 100.0 * multi / reads });
    }
    if let Some(hours) = report.interval.elapsed_s.value().map(|elapsed| elapsed / 3600.0) {
        let switches = report.statistic("log switches (derived)").and_then(|one| one.total.value());
        let per_hour = switches.map(|switches| switches / hours);
        let many = per_hour.filter(|per_hour| *per_hour > MANY_SWITCHES_PER_HOUR);
        all.extend(many.map(|per_hour| Remark::ManyLogSwitches { per_hour }));
    }
    let hit = figures.get(AwrFigure::BufferHitPercent);
    let hit = hit.filter(|hit| hit.standing != Standing::Inconsistent).and_then(|hit| hit.value());
    if let Some(hit_percent) = hit
        && hit_percent < 90.0
        && figures.value(AwrFigure::DatabaseReads) > Some(100.0)
    {
        all.push(Remark::BufferCache { hit_percent });
    }
}

/// Share of DB time that is neither CPU nor a wait; below zero where waits overlap.
pub(super) fn unexplained_percent(report: &AwrReport) -> Option<f64> {
    let cpu = share_of_cpu(report)?;
    let waits: Vec<Limit> = shares_of_waits(report).collect();
    // A report without its waits says nothing of them.
    (!waits.is_empty()).then(|| 100.0 - cpu - waits.iter().map(|wait| wait.percent).sum::<f64>())
}

fn exadata(report: &AwrReport, all: &mut Vec<Remark>) {
    let Some(exadata) = &report.exadata else { return };
    if !exadata.outliers.is_empty() {
        all.push(Remark::CellOutliers { count: exadata.outliers.len() });
    }
    for group in &exadata.disk_groups {
        if let (Some(size), Some(used)) = (group.size_gib.value(), group.used_gib.value())
            && size > 0.0
            && used > 0.85 * size
        {
            all.push(Remark::FullDiskGroup {
                group: group.name.clone(),
                percent: 100.0 * used / size,
                redundancy: group.redundancy.clone(),
            });
        }
    }
    for (prefix, reads) in [
        ("cell smart", CellReads::SmartScans),
        ("cell multiblock physical read", CellReads::MultiBlock),
        ("cell single block physical read", CellReads::SingleBlock),
    ] {
        let waits = report.waits.iter().filter(|wait| wait.side == WaitSide::Foreground);
        let named = waits.filter(|wait| wait.event.starts_with(prefix));
        let percent: f64 = named.filter_map(|wait| wait.percent.sound()).sum();
        if percent >= WORTH_NAMING_PERCENT {
            all.push(Remark::CellReads { reads, percent });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::replay::tests::report;
    use super::*;

    #[test]
    fn a_share_of_bytes_that_are_absent_or_have_no_digits_is_none() {
        let mib = |text: &str| Quoted::printed(Stated::parse(text).unwrap(), "");
        let function = |name: &str, write_mib_per_s: Quoted| IoStat {
            name: name.to_owned(),
            reads_per_s: Quoted::default(),
            writes_per_s: Quoted::default(),
            read_mib_per_s: mib("0"),
            write_mib_per_s,
            mean_us: Quoted::default(),
        };
        let shares = |part: &str, total: Quoted| -> Vec<f64> {
            let io_by_function = vec![function("ARCH", mib(part)), function("TOTAL:", total)];
            let report = AwrReport { io_by_function, ..report(&[], Vec::new()) };
            let mut all = Vec::new();
            who_asks(&report, &AwrFigures::default(), &mut all);
            let percent = |facts: &Remark| match facts {
                Remark::BusyFunction { percent, .. } => Some(*percent),
                _ => None,
            };
            all.iter().filter_map(percent).collect()
        };
        assert_eq!(shares("2000", mib("4000")), [50.0]);
        assert_eq!(shares(".1", mib(".2")), [0.0; 0]);
        assert_eq!(shares("2000", Quoted::absent("", "too wide for its column in the report")), [0.0; 0]);
    }
}
