//! Where the time of users goes, and what an expert would remark. A remark has its numbers in it, and says what to do where there is
//! something to do.

mod parameters;

use iotrial_model::awr::{AwrFigure, AwrFigures, AwrKind, AwrReport, Quoted, Standing, WaitSide};
use iotrial_model::finding::Severity;
use serde::Serialize;

use super::latencies::WaitLatency;
use super::part::Part;
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
const IDLE: [&str; 15] = [
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
    "watchdog main loop",
];

/// Whether it is the event, whose name text reports cut off.
fn is_event(printed: &str, event: &str) -> bool {
    printed == event || (printed.len() >= 26 && event.starts_with(printed))
}

/// A share of the time of users.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limit {
    /// `DB CPU`, or an event.
    pub what: String,
    /// Share of DB time.
    pub percent: f64,
}

/// Something to know.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Remark {
    /// The same for the same kind of remark.
    pub id: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// One sentence with its numbers.
    pub text: String,
}

/// Shares of DB time of what users wait for.
fn shares_of_waits(report: &AwrReport) -> impl Iterator<Item = Limit> {
    report.waits.iter().filter(|wait| wait.side == WaitSide::Foreground).filter_map(|wait| {
        // Idle events have no share in the report of an instance; that of a cluster has one, beyond all DB time.
        let percent = wait.percent.sound()?;
        (percent > 0.0 && !IDLE.iter().any(|idle| is_event(&wait.event, idle)))
            .then(|| Limit { what: wait.event.clone(), percent })
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
    let mut remarks = Vec::new();
    let mut say = |id, severity, text: String| remarks.push(Remark { id, severity, text });
    for text in &report.contradictions {
        say("contradiction", Severity::Warning, text.clone());
    }
    for text in &report.corrections {
        say("correction", Severity::Note, text.clone());
    }
    interval(report, part, &mut say);
    who_asks(report, figures, &mut say);
    waits(report, figures, latencies, &mut say);
    work(report, figures, &mut say);
    parameters::remark(report, &mut say);
    exadata(report, &mut say);
    remarks
}

type Say<'s> = &'s mut dyn FnMut(&'static str, Severity, String);

fn interval(report: &AwrReport, part: Option<&Part>, say: Say<'_>) {
    let elapsed = report.interval.elapsed_s.value.unwrap_or(0.0);
    if elapsed > LONG_INTERVAL_S {
        say(
            "long-interval",
            Severity::Warning,
            format!(
                "the report covers {:.1} hours: its averages hide the busy minutes; give reports of single snapshots, or the output of AWR-Miner, to see average and peak",
                elapsed / 3600.0
            ),
        );
    }
    if elapsed > 0.0 && elapsed < 600.0 {
        let text = match elapsed {
            ..100.0 => format!("the report covers {elapsed:.0} seconds: too little to size by"),
            _ => format!("the report covers {:.1} minutes: too little to size by", elapsed / 60.0),
        };
        say("short-interval", Severity::Note, text);
    }
    match part {
        Some(part) if report.kind == AwrKind::Cluster && part.of_instances.is_some() => {
            let text = format!("the report covers only {}, so its sums are too low", part.words());
            say("missing-instances", Severity::Warning, text);
        }
        Some(part) => {
            say("one-of-several-instances", Severity::Warning, format!("{}: {}", part.words(), Part::ADVICE));
        }
        None => {}
    }
    if report.kind == AwrKind::Pluggable {
        say(
            "pluggable-database",
            Severity::Note,
            "this is the report of a pluggable database: redo, log writes and archiving belong to the container and are not included".to_owned(),
        );
    }
}

/// I/O that the Load Profile does not have.
fn who_asks(report: &AwrReport, figures: &AwrFigures, say: Say<'_>) {
    let value = |figure| figures.value(figure);
    if let (Some(all), Some(database)) = (value(AwrFigure::Reads), value(AwrFigure::DatabaseReads))
        && all > 1.5 * database + 1.0
    {
        say(
            "reads-beyond-the-database",
            Severity::Note,
            format!(
                "the Load Profile shows {database:.1} reads per second, but the instance did {all:.1}: only the second figure includes control files, archiver, backup and recovery, which the storage must serve too"
            ),
        );
    }
    let share = |names: &[&str]| {
        let mib = |one: &iotrial_model::awr::IoStat| {
            one.read_mib_per_s.sound().unwrap_or(0.0) + one.write_mib_per_s.sound().unwrap_or(0.0)
        };
        let total = report
            .io_by_function
            .iter()
            .find(|one| one.is_total())
            .map_or_else(|| report.io_by_function.iter().map(mib).sum(), mib);
        let of: f64 =
            report.io_by_function.iter().filter(|one| names.contains(&one.name.as_str())).map(mib).sum();
        (total > 0.0).then(|| 100.0 * of / total)
    };
    for (names, id, what) in [
        (&["ARCH"][..], "archiver", "the archiver"),
        (&["RMAN"][..], "backup", "backup and recovery (RMAN)"),
        (&["Data Pump"][..], "data-pump", "Data Pump"),
        (&["Recovery"][..], "recovery", "recovery"),
    ] {
        if let Some(percent) = share(names).filter(|percent| *percent >= WORTH_NAMING_PERCENT) {
            say(
                id,
                Severity::Note,
                format!(
                    "{what} moved {percent:.0} % of all bytes: decide whether the demand should include it"
                ),
            );
        }
    }
    let flashback = report.io_by_file_type.iter().find(|one| one.name.eq_ignore_ascii_case("Flashback Log"));
    let written = flashback.and_then(|one| one.write_mib_per_s.sound()).zip(value(AwrFigure::WriteMib));
    if let Some((flashback, all)) = written
        && flashback >= WORTH_NAMING_PERCENT / 100.0 * all
        && all > 0.0
    {
        say(
            "flashback",
            Severity::Note,
            format!(
                "flashback logs are {:.0} % of the bytes written: a target without flashback does not have this I/O",
                100.0 * flashback / all
            ),
        );
    }
    let standby = report
        .parameters
        .iter()
        .filter(|one| one.name.starts_with("log_archive_dest_"))
        .any(|one| one.value.to_lowercase().contains("service"));
    if standby && let Some(redo) = value(AwrFigure::RedoMib) {
        say(
            "standby",
            Severity::Note,
            format!(
                "redo is also sent to a standby over the network: {redo:.2} MiB/s on average, in addition to the local writes"
            ),
        );
    }
}

fn waits(report: &AwrReport, figures: &AwrFigures, latencies: &[WaitLatency], say: Say<'_>) {
    for one in latencies.iter().filter(|one| one.judged >= Some(Category::Poor)) {
        let (Some(mean), Some(category)) = (one.mean_us.value, one.category) else { continue };
        // A handful of waits on an idle system says nothing of its storage.
        if one.per_second.unwrap_or(0.0) < 0.1 {
            continue;
        }
        say(
            "slow-wait",
            Severity::Warning,
            format!("`{}` ({}) takes {:.2} ms on average: {category}", one.event, one.side, mean / 1e3),
        );
    }
    let (commit, write) = (figures.value(AwrFigure::CommitUs), figures.value(AwrFigure::RedoWriteUs));
    let commits = report.wait("log file sync", WaitSide::Foreground).and_then(|wait| wait.waits.value);
    if let (Some(commit), Some(write)) = (commit, write)
        && commit > COMMIT_BEYOND_WRITE * write
        && commits.unwrap_or(0.0) > 1_000.0
    {
        say(
            "commit-beyond-write",
            Severity::Note,
            format!(
                "a commit takes {:.2} ms but its redo write only {:.2} ms: the rest is CPU, scheduling or a synchronous standby, so faster disks do not help",
                commit / 1e3,
                write / 1e3
            ),
        );
    }
    for (events, id, what) in [
        (
            &["log file switch (checkpoint incomplete)", "log file switch completion"][..],
            "log-switch",
            "sessions waited for log switches: use larger or more redo logs, or make writes to the data files faster",
        ),
        (
            &["free buffer waits"][..],
            "free-buffers",
            "sessions waited for free buffers: the writers do not keep up with the changes",
        ),
        (
            &["log buffer space"][..],
            "log-buffer",
            "sessions waited for space in the log buffer: redo is generated faster than it is written",
        ),
    ] {
        let seconds: f64 =
            events.iter().filter_map(|event| report.wait(event, WaitSide::Foreground)?.total_s.sound()).sum();
        if seconds >= 1.0 {
            say(id, Severity::Warning, format!("{what} ({seconds:.0} s in all)"));
        }
    }
    if latencies.iter().any(|one| one.event.starts_with("direct path") && one.percent.value > Some(1.0)) {
        say(
            "direct-path",
            Severity::Note,
            "a wait for direct path I/O covers several overlapping I/Os: its mean is not a storage latency, and has no category here".to_owned(),
        );
    }
}

fn work(report: &AwrReport, figures: &AwrFigures, say: Say<'_>) {
    let sessions = figures.value(AwrFigure::CpuSessions).zip(figures.value(AwrFigure::ActiveSessions));
    if let Some((cpu, active)) = sessions
        && active > 0.0
        && 100.0 * cpu / active > MOST_OF_DB_TIME
    {
        say(
            "cpu-beyond-db-time",
            Severity::Warning,
            format!(
                "DB CPU is {:.0} % of DB time: one of them is counted wrongly, so shares of DB time are unreliable",
                100.0 * cpu / active
            ),
        );
    }
    if let Some(cpu) = share_of_cpu(report) {
        let waits: Vec<Limit> = shares_of_waits(report).collect();
        let unknown = 100.0 - cpu - waits.iter().map(|wait| wait.percent).sum::<f64>();
        // A report without its waits says nothing of them.
        if unknown >= UNKNOWN_PERCENT && !waits.is_empty() {
            say(
                "unknown-db-time",
                Severity::Note,
                format!(
                    "{unknown:.0} % of DB time is neither CPU nor a wait in the report: sessions were ready but got no CPU, or this release does not count that work"
                ),
            );
        }
    }
    let temp = report.io_by_file_type.iter().find(|one| one.name.eq_ignore_ascii_case("Temp File"));
    let total = figures.value(AwrFigure::ReadMib).zip(figures.value(AwrFigure::WriteMib));
    if let (Some(temp), Some((read, write))) = (temp, total) {
        let mib = temp.read_mib_per_s.sound().unwrap_or(0.0) + temp.write_mib_per_s.sound().unwrap_or(0.0);
        let percent = 100.0 * mib / (read + write).max(1e-9);
        if percent >= WORTH_NAMING_PERCENT {
            say(
                "temp",
                Severity::Note,
                format!("temporary files are {percent:.0} % of all bytes: a larger PGA may avoid this I/O"),
            );
        }
    }
    if let (Some(multi), Some(all)) =
        (figures.value(AwrFigure::MultiBlockReads), figures.value(AwrFigure::Reads))
        && all > 1.0
        && multi > 0.5 * all
    {
        say(
            "scans",
            Severity::Note,
            format!(
                "{:.0} % of the reads are multi-block reads: throughput matters more than the latency of one block",
                100.0 * multi / all
            ),
        );
    }
    if let Some(hours) = report.interval.elapsed_s.value.map(|elapsed| elapsed / 3600.0) {
        let switches = report.statistic("log switches (derived)").and_then(|one| one.total.value);
        if let Some(switches) = switches.filter(|switches| *switches / hours > MANY_SWITCHES_PER_HOUR) {
            say(
                "many-log-switches",
                Severity::Warning,
                format!(
                    "{:.1} log switches per hour: each starts a checkpoint; larger redo logs switch less often",
                    switches / hours
                ),
            );
        }
    }
    let hit = figures.get(AwrFigure::BufferHitPercent);
    if let Some(percent) = hit.filter(|hit| hit.standing != Standing::Inconsistent).and_then(|hit| hit.value)
        && percent < 90.0
        && figures.value(AwrFigure::DatabaseReads) > Some(100.0)
    {
        say(
            "buffer-cache",
            Severity::Note,
            format!(
                "the buffer cache answers {percent:.1} % of the logical reads: a larger one may save reads, see SGA Target Advisory"
            ),
        );
    }
}

fn exadata(report: &AwrReport, say: Say<'_>) {
    let Some(exadata) = &report.exadata else { return };
    if !exadata.outliers.is_empty() {
        say(
            "cell-outliers",
            Severity::Warning,
            format!("{} values of cells or disks are marked as out of range", exadata.outliers.len()),
        );
    }
    for group in &exadata.disk_groups {
        if let (Some(size), Some(used)) = (group.size_gib.value, group.used_gib.value)
            && size > 0.0
            && used > 0.85 * size
        {
            say(
                "full-disk-group",
                Severity::Note,
                format!(
                    "disk group {} is {:.0} % full ({} redundancy)",
                    group.name,
                    100.0 * used / size,
                    group.redundancy
                ),
            );
        }
    }
    let share = |prefix: &str| -> f64 {
        let waits = report.waits.iter().filter(|wait| wait.side == WaitSide::Foreground);
        waits.filter(|wait| wait.event.starts_with(prefix)).filter_map(|wait| wait.percent.sound()).sum()
    };
    for (prefix, what) in [
        ("cell smart", "smart scan, which other storage does not have"),
        ("cell multiblock physical read", "multi-block reads from the cells"),
        ("cell single block physical read", "single-block reads from the cells"),
    ] {
        let percent = share(prefix);
        if percent >= WORTH_NAMING_PERCENT {
            say("cell-reads", Severity::Note, format!("{percent:.1} % of DB time is {what}"));
        }
    }
}
