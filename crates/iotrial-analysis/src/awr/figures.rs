//! The figures of one interval, each from the counter that every kind of report has, and from what else says the same where that
//! one is missing.

use std::ops::Add;

use iotrial_model::awr::{
    AwrFigure, AwrFigures, AwrKind, AwrReport, IoStat, Quoted, Standing, Wait, WaitSide,
};
use iotrial_model::imported::Stated;

use super::machine;

/// Bytes of a MiB, which Oracle calls MB.
const MIB: f64 = 1_048_576.0;

/// Reads of one block by an index, under the names that they have on plain storage and on Exadata.
const SINGLE_BLOCK_READS: [&str; 5] = [
    "db file sequential read",
    "cell single block physical read",
    "cell single block physical read: flash cache",
    "cell single block physical read: pmem cache",
    "cell single block physical read: RDMA",
];

/// Reads of several blocks into the cache. Those by direct path are not waited for one by one.
const MULTI_BLOCK_READS: [&str; 2] = ["db file scattered read", "cell multiblock physical read"];

/// Kinds of files, as IOStat by Filetype calls them, that are written by the archiver, by backups and by exports.
const BACKUP_FILES: [&str; 6] = [
    "Archive Log",
    "Archive Log Backup",
    "Data File Backup",
    "Data File Copy",
    "Data File Incremental Backup",
    "Data Pump Dump File",
];

pub(super) fn figures_of(report: &AwrReport) -> AwrFigures {
    let mut figures = AwrFigures::default();
    for (figure, value) in &report.printed_figures {
        figures.put(*figure, value.clone());
    }
    if report.kind != AwrKind::Miner {
        counted(report, &mut figures);
        machine::log_writes(report, &mut figures);
    }
    machine::machine(report, &mut figures);
    ratios(&mut figures);
    figures
}

pub(super) fn rate(report: &AwrReport, name: &str) -> Quoted {
    report
        .statistic(name)
        .map_or_else(|| Quoted::absent("", format!("no counter `{name}`")), |one| one.per_second.clone())
}

/// The first that is there and not contradicted; otherwise the first that is there.
pub(super) fn first(candidates: Vec<Quoted>) -> Quoted {
    let sound = candidates.iter().position(|one| one.sound().is_some());
    let at = sound.or_else(|| candidates.iter().position(Quoted::is_there)).unwrap_or(0);
    candidates.into_iter().nth(at).unwrap_or_default()
}

pub(super) fn named(list: &[iotrial_model::awr::Named], name: &str) -> Quoted {
    AwrReport::named(list, name).cloned().unwrap_or_else(|| Quoted::absent("", format!("no `{name}`")))
}

fn counted(report: &AwrReport, figures: &mut AwrFigures) {
    let profile = |name: &str, is_read: bool| match report.io_profile_row(name) {
        Some(row) if is_read => row.read.clone(),
        Some(row) => row.write.clone(),
        None => Quoted::default(),
    };
    let files = report.io_by_file_type.iter().find(|one| one.is_total());
    let total = |statistic: &str, row: &str, is_read: bool, of_files: Option<&Quoted>, factor: f64| {
        let sum_of_files = of_files.cloned().unwrap_or_default();
        first(vec![rate(report, statistic).scaled(factor), profile(row, is_read), sum_of_files])
    };
    let mut put = |figure, value| figures.put(figure, value);
    put(
        AwrFigure::Reads,
        total(
            "physical read total IO requests",
            "Total Requests",
            true,
            files.map(|files| &files.reads_per_s),
            1.0,
        ),
    );
    put(
        AwrFigure::Writes,
        total(
            "physical write total IO requests",
            "Total Requests",
            false,
            files.map(|files| &files.writes_per_s),
            1.0,
        ),
    );
    put(
        AwrFigure::ReadMib,
        total(
            "physical read total bytes",
            "Total (MB)",
            true,
            files.map(|files| &files.read_mib_per_s),
            1.0 / MIB,
        ),
    );
    put(
        AwrFigure::WriteMib,
        total(
            "physical write total bytes",
            "Total (MB)",
            false,
            files.map(|files| &files.write_mib_per_s),
            1.0 / MIB,
        ),
    );
    put(AwrFigure::MultiBlockReads, rate(report, "physical read total multi block requests"));
    put(AwrFigure::MultiBlockWrites, rate(report, "physical write total multi block requests"));
    let load = |names: [&str; 2]| first(names.map(|name| named(&report.load_profile, name)).to_vec());
    put(
        AwrFigure::DatabaseReads,
        first(vec![rate(report, "physical read IO requests"), load(["Read IO requests", ""])]),
    );
    put(
        AwrFigure::DatabaseWrites,
        first(vec![rate(report, "physical write IO requests"), load(["Write IO requests", ""])]),
    );
    put(
        AwrFigure::RedoMib,
        first(vec![rate(report, "redo size"), load(["Redo size (bytes)", "Redo size"])]).scaled(1.0 / MIB),
    );
    put(AwrFigure::RedoWrites, rate(report, "redo writes"));
    put(AwrFigure::Transactions, transactions(report));
    for (figure, value) in by_kind_of_file(report) {
        put(figure, value);
    }
    let elapsed = report.interval.elapsed_s.value().filter(|elapsed| *elapsed > 0.0);
    let by_elapsed = |time: &Quoted, what: &str| match (time.number, elapsed) {
        (Some(seconds), Some(elapsed)) => {
            let how = format!("{what} divided by the elapsed time");
            Quoted::derived(seconds.per(elapsed), time.place.clone(), how)
        }
        _ => time.clone(),
    };
    put(AwrFigure::ActiveSessions, by_elapsed(&report.interval.db_time_s, "DB time"));
    put(AwrFigure::CpuSessions, by_elapsed(&named(&report.time_model, "DB CPU"), "DB CPU"));
    put(AwrFigure::BufferHitPercent, buffer_hits(report));
    if let Some(hits) = flash_hits(report) {
        put(AwrFigure::FlashCacheHitPercent, hits);
    }
    put(AwrFigure::SingleBlockReadUs, weighted_wait(report, &SINGLE_BLOCK_READS, WaitSide::Foreground));
    let multi_block = weighted_wait(report, &MULTI_BLOCK_READS, WaitSide::Foreground);
    if multi_block.is_there() {
        put(AwrFigure::MultiBlockReadUs, multi_block);
    }
    for (figure, events) in [
        (AwrFigure::SingleBlockReadWaits, &SINGLE_BLOCK_READS[..]),
        (AwrFigure::MultiBlockReadWaits, &MULTI_BLOCK_READS),
    ] {
        let waits = waits_of(report, events, WaitSide::Foreground);
        if waits.is_there() {
            put(figure, by_elapsed(&waits, "waits"));
        }
    }
    put(
        AwrFigure::RedoWriteUs,
        first(vec![
            weighted_wait(report, &["log file parallel write"], WaitSide::Background),
            weighted_wait(report, &["log file parallel write"], WaitSide::Foreground),
        ]),
    );
    put(AwrFigure::CommitUs, weighted_wait(report, &["log file sync"], WaitSide::Foreground));
}

/// What temporary files and copies have of all I/O. Nothing where the report does not tell kinds of files apart, or where
/// their sum contradicts the counters: a part of what is wrong is wrong too.
fn by_kind_of_file(report: &AwrReport) -> Vec<(AwrFigure, Quoted)> {
    let total = report.io_by_file_type.iter().find(|one| one.is_total());
    let is_doubtful = |value: &Quoted| value.standing == Standing::Inconsistent;
    if total.is_some_and(|total| is_doubtful(&total.reads_per_s) || is_doubtful(&total.writes_per_s)) {
        return Vec::new();
    }
    let sum = |kinds: &[&str], value: fn(&IoStat) -> &Quoted| {
        let rows = report.io_by_file_type.iter().filter(|one| kinds.contains(&one.name.as_str()));
        let sound = rows.map(value).filter(|value| value.sound().is_some()).cloned();
        sound.reduce(|sum, one| match (sum.number, one.number) {
            (Some(a), Some(b)) => Quoted::derived(a + b, sum.place, "the sum over kinds of files"),
            _ => sum,
        })
    };
    let temp = ["Temp File"];
    [
        (AwrFigure::TempReads, sum(&temp, |one| &one.reads_per_s)),
        (AwrFigure::TempReadMib, sum(&temp, |one| &one.read_mib_per_s)),
        (AwrFigure::TempWrites, sum(&temp, |one| &one.writes_per_s)),
        (AwrFigure::TempWriteMib, sum(&temp, |one| &one.write_mib_per_s)),
        (AwrFigure::BackupWrites, sum(&BACKUP_FILES, |one| &one.writes_per_s)),
        (AwrFigure::BackupWriteMib, sum(&BACKUP_FILES, |one| &one.write_mib_per_s)),
    ]
    .into_iter()
    .filter_map(|(figure, value)| Some((figure, value?)))
    .collect()
}

fn transactions(report: &AwrReport) -> Quoted {
    let (commits, rollbacks) = (rate(report, "user commits"), rate(report, "user rollbacks"));
    match (commits.number, rollbacks.number) {
        (Some(a), Some(b)) => Quoted::derived(a + b, commits.place, "user commits and user rollbacks"),
        _ => named(&report.load_profile, "Transactions"),
    }
}

/// The printed percentage; where there is none, from the counters of the cache.
fn buffer_hits(report: &AwrReport) -> Quoted {
    let printed = named(&report.efficiency, "Buffer Hit %");
    if printed.is_there() {
        return printed;
    }
    let reads = rate(report, "physical reads cache");
    let gets: Vec<Quoted> =
        ["consistent gets from cache", "db block gets from cache"].map(|name| rate(report, name)).to_vec();
    let sum: Option<f64> = gets.iter().map(Quoted::value).sum();
    match (reads.value(), sum) {
        (Some(value), Some(gets)) if gets > 0.0 => Quoted::derived(
            Stated { value: 100.0 * (1.0 - value / gets).max(0.0), resolution: 0.1 },
            reads.place,
            "physical reads cache divided by the gets from cache",
        ),
        _ => printed,
    }
}

/// `None` where there is no flash cache of storage servers.
fn flash_hits(report: &AwrReport) -> Option<Quoted> {
    let hits = report.statistic("cell flash cache read hits")?.per_second.clone();
    let reads = rate(report, "physical read total IO requests").value().filter(|reads| *reads > 0.0)?;
    let number = hits.number.filter(|hits| hits.value > 0.0)?;
    let how = "cell flash cache read hits divided by all read requests";
    let share = Quoted::derived(number.scaled(100.0).per(reads), hits.place, how);
    // Hits of a smart scan count more than once.
    Some(if number.value > reads * 1.01 { share.contradicted("more hits than reads") } else { share })
}

/// The waits for several events, each once: where a longer name is missing, a text report may have cut it off to that of another event.
fn waits_for<'r>(report: &'r AwrReport, events: &[&str], side: WaitSide) -> Vec<&'r Wait> {
    let mut all: Vec<&Wait> = Vec::new();
    for wait in events.iter().filter_map(|event| report.wait(event, side)) {
        if !all.iter().any(|known| std::ptr::eq(*known, wait)) {
            all.push(wait);
        }
    }
    all
}

/// How often several events were waited for. Nothing where the report has no waits, none where it has no such event.
fn waits_of(report: &AwrReport, events: &[&str], side: WaitSide) -> Quoted {
    let Some(first) = report.waits.iter().find(|one| one.side == side || one.side == WaitSide::Both) else {
        return Quoted::default();
    };
    let counts: Vec<&Quoted> = waits_for(report, events, side).into_iter().map(|wait| &wait.waits).collect();
    if counts.iter().any(|count| count.sound().is_none()) {
        return Quoted::default();
    }
    let Some(last) = counts.last() else {
        return Quoted::derived(Stated::exact(0.0), first.waits.place.clone(), "nobody waited");
    };
    let sum = counts.iter().filter_map(|count| count.number).fold(Stated::exact(0.0), Stated::add);
    Quoted::derived(sum, last.place.clone(), "the waits of all such events")
}

/// The mean over several events, by how often each was waited for.
fn weighted_wait(report: &AwrReport, events: &[&str], side: WaitSide) -> Quoted {
    // Where the number of waits is not there, somebody may have waited.
    let waits = waits_for(report, events, side).into_iter();
    let waits = waits.filter(|wait| wait.waits.sound().is_none_or(|count| count > 0.0));
    let (known, unknown): (Vec<_>, Vec<_>) = waits.partition(|wait| wait.mean_us.is_there());
    match known.as_slice() {
        [] => unknown.first().map_or_else(
            || Quoted::absent("", format!("nobody waited for `{}`", events[0])),
            |wait| wait.mean_us.clone(),
        ),
        [one] => one.mean_us.clone(),
        several if several.iter().any(|wait| wait.waits.sound().is_none()) => {
            Quoted::absent("", "the report does not have how often each was waited for")
        }
        several => {
            let sum = |value: fn(f64, f64) -> f64| -> f64 {
                let parts =
                    several.iter().filter_map(|wait| Some(value(wait.waits.value()?, wait.mean_us.value()?)));
                parts.sum()
            };
            let (count, time) = (sum(|count, _| count), sum(|count, mean| count * mean));
            let steps = several.iter().filter_map(|wait| Some(wait.mean_us.number?.resolution));
            let mean = Stated { value: time / count, resolution: steps.fold(0.0, f64::max) };
            let names: Vec<&str> = several.iter().map(|wait| wait.event.as_str()).collect();
            let place = several[0].mean_us.place.clone();
            Quoted::derived(mean, place, format!("the mean over {}", names.join(", ")))
        }
    }
}

/// What follows from other figures, whoever they are from.
pub(super) fn ratios(figures: &mut AwrFigures) {
    let value = |figures: &AwrFigures, figure| figures.get(figure).cloned().unwrap_or_default();
    let difference = |figures: &AwrFigures, all, part| {
        let (all, part) = (value(figures, all), value(figures, part));
        match (all.number, part.number) {
            (Some(a), Some(b)) => {
                let rest = a - b;
                let room = rest.resolution / 2.0 + 0.01 * a.value;
                let is_too_much = -rest.value > room;
                let rest = Stated { value: rest.value.max(0.0), ..rest };
                let rest = Quoted::derived(rest, all.place, "all requests minus the multi-block ones");
                if is_too_much { rest.contradicted("more multi-block requests than requests") } else { rest }
            }
            _ => Quoted::absent(part.place, part.note.unwrap_or_default()),
        }
    };
    let quotient = |figures: &AwrFigures, over, under, factor: f64, how: &str| {
        let (over, under) = (value(figures, over), value(figures, under));
        let quotient = over.number.zip(under.number).and_then(|(a, b)| a.scaled(factor).over(b));
        quotient.map(|quotient| Quoted::derived(quotient, over.place, how)).unwrap_or_default()
    };
    let sum = |figures: &AwrFigures, one, other| {
        let (one, other) = (value(figures, one), value(figures, other));
        match (one.number, other.number) {
            (Some(a), Some(b)) => {
                let sum = Quoted::derived(a + b, one.place.clone(), "reads and writes");
                match [one, other].into_iter().find(|part| part.sound().is_none()).and_then(|part| part.note)
                {
                    Some(why) => sum.contradicted(why),
                    None => sum,
                }
            }
            _ => Quoted::default(),
        }
    };
    let put = [
        (AwrFigure::Requests, sum(figures, AwrFigure::Reads, AwrFigure::Writes)),
        (AwrFigure::Throughput, sum(figures, AwrFigure::ReadMib, AwrFigure::WriteMib)),
        (AwrFigure::SingleBlockReads, difference(figures, AwrFigure::Reads, AwrFigure::MultiBlockReads)),
        (AwrFigure::SingleBlockWrites, difference(figures, AwrFigure::Writes, AwrFigure::MultiBlockWrites)),
        (
            AwrFigure::MeanReadKib,
            quotient(
                figures,
                AwrFigure::ReadMib,
                AwrFigure::Reads,
                1024.0,
                "read bytes divided by read requests",
            ),
        ),
        (
            AwrFigure::MeanWriteKib,
            quotient(
                figures,
                AwrFigure::WriteMib,
                AwrFigure::Writes,
                1024.0,
                "written bytes divided by write requests",
            ),
        ),
        (
            AwrFigure::MeanRedoWriteKib,
            quotient(
                figures,
                AwrFigure::RedoMib,
                AwrFigure::RedoWrites,
                1024.0,
                "redo size divided by redo writes",
            ),
        ),
        (AwrFigure::ReadPercent, read_share(figures)),
    ];
    for (figure, value) in put {
        // What a source does not tell apart at all is left out rather than shown as absent in every row.
        if value.is_there() || figures.get(figure).is_some() {
            figures.put(figure, value);
        }
    }
}

fn read_share(figures: &AwrFigures) -> Quoted {
    let [reads, writes] = [AwrFigure::Reads, AwrFigure::Writes].map(|figure| figures.get(figure));
    let share = |reads: &Quoted, writes: &Quoted| {
        let number = reads.number?;
        let share = number.scaled(100.0).over(number + writes.number?)?;
        Some(Quoted::derived(share, reads.place.clone(), "read requests by all requests"))
    };
    reads.zip(writes).and_then(|(reads, writes)| share(reads, writes)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::replay::tests::report;
    use super::*;

    fn wait(event: &str, waits: Quoted, mean_us: f64) -> Wait {
        Wait {
            event: event.to_owned(),
            side: WaitSide::Foreground,
            waits,
            total_s: Quoted::default(),
            mean_us: Quoted::printed(Stated { value: mean_us, resolution: 10.0 }, "mean"),
            percent: Quoted::default(),
        }
    }

    fn single_block_read_us(waits: Vec<Wait>) -> Option<f64> {
        let report = AwrReport { kind: AwrKind::Instance, waits, ..report(&[], Vec::new()) };
        figures_of(&report).value(AwrFigure::SingleBlockReadUs)
    }

    #[test]
    fn a_number_of_waits_that_is_absent_is_not_nobody() {
        let count = |count: f64| Quoted::printed(Stated { value: count, resolution: 1.0 }, "waits");
        let too_wide = || Quoted::absent("waits", "too wide for its column in the report");
        let of_plain = |waits| wait("db file sequential read", waits, 500.0);
        let of_flash = |waits| wait("cell single block physical read: flash cache", waits, 900.0);
        assert_eq!(single_block_read_us(vec![of_plain(too_wide())]), Some(500.0));
        assert_eq!(single_block_read_us(vec![of_plain(count(0.0))]), None);
        assert_eq!(single_block_read_us(vec![of_plain(count(30.0)), of_flash(count(10.0))]), Some(600.0));
        // Without its number one of two cannot be weighed.
        assert_eq!(single_block_read_us(vec![of_plain(count(30.0)), of_flash(too_wide())]), None);
    }

    #[test]
    fn a_wait_whose_longer_names_are_missing_counts_once() {
        let count = |count: f64| Quoted::printed(Stated { value: count, resolution: 1.0 }, "waits");
        let plain = wait("cell single block physical read", count(30.0), 500.0);
        let sequential = wait("db file sequential read", count(10.0), 900.0);
        let waits = || vec![plain.clone(), sequential.clone()];
        assert_eq!(single_block_read_us(waits()), Some(600.0));
        let report = AwrReport { kind: AwrKind::Instance, waits: waits(), ..report(&[], Vec::new()) };
        assert_eq!(waits_of(&report, &SINGLE_BLOCK_READS, WaitSide::Foreground).value(), Some(40.0));
    }
}
