//! The figures of one interval, each from the counter that every kind of report has, and from what else says the same where that
//! one is missing.

use std::ops::Add;

use iotrial_model::awr::{
    AwrFigure, AwrFigures, AwrKind, AwrReport, AwrSource, AwrUnit, IoStat, Quoted, Standing, Wait, WaitSide,
};
use iotrial_model::imported::Stated;

use super::machine;

/// Bytes of a MiB, which Oracle calls MB.
const MIB: f64 = 1_048_576.0;

/// The figures of a report, by their sources in the table of figures.
pub(super) fn figures_of(report: &AwrReport) -> AwrFigures {
    let mut figures = AwrFigures::default();
    for (figure, value) in &report.printed_figures {
        figures.put(*figure, value.clone());
    }
    // A snapshot of AWR-Miner has no section that could lack a figure.
    let has_sections = report.kind != AwrKind::Miner;
    for figure in AwrFigure::ALL.iter().copied() {
        if figures.get(figure).is_some() {
            continue;
        }
        let row = figure.row();
        let value = first(row.sources.iter().filter_map(|source| found(*source, figure, report)).collect());
        if value.is_there() || (row.is_expected && has_sections) {
            figures.put(figure, value);
        }
    }
    if has_sections {
        machine::log_writes(report, &mut figures);
    }
    ratios(&mut figures);
    figures
}

/// What a report has in one place; `None` of what follows from other figures.
fn found(source: AwrSource, figure: AwrFigure, report: &AwrReport) -> Option<Quoted> {
    let unit = figure.unit();
    // Bytes are counted one by one, and memory is in MiB.
    let per_counted = if unit == AwrUnit::MibPerS { 1.0 / MIB } else { 1.0 };
    let per_mib = if unit == AwrUnit::Kib { 1024.0 } else { 1.0 };
    Some(match source {
        AwrSource::Counter(name) => rate(report, name).scaled(per_counted),
        AwrSource::Counters(names, how) => {
            sum_of(names.iter().map(|name| rate(report, name)), how).unwrap_or_default()
        }
        AwrSource::LoadProfile(name) => named(&report.load_profile, name).scaled(per_counted),
        AwrSource::Blocks(names) => blocks_of(report, names),
        AwrSource::IoProfile(name, column) => {
            report.io_profile_row(name).map(column).cloned().unwrap_or_default()
        }
        AwrSource::AllFiles(column) => {
            let all = report.io_by_file_type.iter().find(|one| one.is_total());
            all.map(column).cloned().unwrap_or_default()
        }
        AwrSource::Files(kinds, column) => files_of(report, kinds, column).unwrap_or_default(),
        AwrSource::Efficiency(name) => named(&report.efficiency, name),
        AwrSource::DbTime => by_elapsed(report, report.interval.db_time_s.clone(), "DB time"),
        AwrSource::TimeModel(name, what) => by_elapsed(report, named(&report.time_model, name), what),
        AwrSource::MeanWait(events, side) => weighted_wait(report, events, side),
        AwrSource::WaitCount(events, side) => by_elapsed(report, waits_of(report, events, side), "waits"),
        AwrSource::Memory(names, how) => {
            let parts = names.iter().map(|name| named(&report.memory, name));
            sum_of(parts, how).unwrap_or_default().scaled(per_mib)
        }
        AwrSource::Host(column) => {
            // Memory of the machine is in GiB.
            let factor = if unit == AwrUnit::Mib { 1024.0 } else { 1.0 };
            column(&report.host).clone().scaled(factor)
        }
        AwrSource::Computed => computed(figure, report),
        AwrSource::Sum(..) | AwrSource::Rest { .. } | AwrSource::KibPer(..) | AwrSource::Share(..) => {
            return None;
        }
    })
}

/// Blocks by their size, in MiB. Nothing where the report does not have the size: it is 8 KiB by default, and warehouses have others.
fn blocks_of(report: &AwrReport, names: &[&str]) -> Quoted {
    const BYTES_OF_KIB: f64 = 1024.0;
    let blocks = first(names.iter().map(|name| named(&report.load_profile, name)).collect());
    let block_mib = named(&report.memory, "Std Block Size").value();
    match (blocks.number, block_mib) {
        (Some(number), Some(mib)) => {
            let how = format!("blocks of {:.0} KiB", mib * BYTES_OF_KIB);
            Quoted::derived(number.scaled(mib), blocks.place, how)
        }
        _ => Quoted::absent(blocks.place, "the report has neither their bytes nor the size of a block"),
    }
}

/// Figures that no row of the table describes; those of redo logs follow from others (`machine::log_writes`).
fn computed(figure: AwrFigure, report: &AwrReport) -> Quoted {
    match figure {
        AwrFigure::BufferHitPercent => buffer_hits(report),
        AwrFigure::FlashCacheHitPercent => flash_hits(report),
        AwrFigure::HostBusyCpus => Some(machine::busy_cpus(report)),
        AwrFigure::CpuWaitSessions => machine::cpu_waits(report),
        _ => None,
    }
    .unwrap_or_default()
}

/// All of several values together; `None` where one of them is not there. One alone stays as it is printed.
fn sum_of(parts: impl Iterator<Item = Quoted>, how: &str) -> Option<Quoted> {
    parts.map(|part| part.is_there().then_some(part)).reduce(|sum, part| {
        let (sum, part) = (sum?, part?);
        Some(Quoted::derived(sum.number? + part.number?, sum.place, how))
    })?
}

/// Seconds, or a count, of the interval by its elapsed time. Nothing where that is not known.
pub(super) fn by_elapsed(report: &AwrReport, amount: Quoted, what: &str) -> Quoted {
    let Some(number) = amount.number else { return amount };
    match report.interval.elapsed_s.value().filter(|elapsed| *elapsed > 0.0) {
        Some(elapsed) => {
            let how = format!("{what} divided by the elapsed time");
            Quoted::derived(number.per(elapsed), amount.place, how)
        }
        None => Quoted::absent(amount.place, "the report does not have the elapsed time"),
    }
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

/// What kinds of files have of all I/O. `None` where the report does not tell kinds apart, or where their sum contradicts the
/// counters: a part of what is wrong is wrong too.
fn files_of(report: &AwrReport, kinds: &[&str], column: fn(&IoStat) -> &Quoted) -> Option<Quoted> {
    let total = report.io_by_file_type.iter().find(|one| one.is_total());
    let is_doubtful = |value: &Quoted| value.standing == Standing::Inconsistent;
    if total.is_some_and(|total| is_doubtful(&total.reads_per_s) || is_doubtful(&total.writes_per_s)) {
        return None;
    }
    let rows = report.io_by_file_type.iter().filter(|one| kinds.contains(&one.name.as_str()));
    let sound = rows.map(column).filter(|value| value.sound().is_some()).cloned();
    sound.reduce(|sum, one| match (sum.number, one.number) {
        (Some(a), Some(b)) => Quoted::derived(a + b, sum.place, "the sum over kinds of files"),
        _ => sum,
    })
}

/// Buffer cache hits from the counters of the cache.
fn buffer_hits(report: &AwrReport) -> Option<Quoted> {
    let reads = rate(report, "physical reads cache");
    let gets =
        ["consistent gets from cache", "db block gets from cache"].map(|name| rate(report, name).value());
    let gets = gets.into_iter().sum::<Option<f64>>().filter(|gets| *gets > 0.0)?;
    let percent = 100.0 * (1.0 - reads.value()? / gets).max(0.0);
    let how = "physical reads cache divided by the gets from cache";
    Some(Quoted::derived(Stated { value: percent, resolution: 0.1 }, reads.place, how))
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
    let mut derived = Vec::new();
    for figure in AwrFigure::ALL {
        derived
            .extend(figure.row().sources.iter().filter_map(|one| Some((*figure, follows(*one, figures)?))));
    }
    for (figure, value) in derived {
        // What a source does not tell apart at all is left out rather than shown as absent in every row.
        if value.is_there() || figures.get(figure).is_some() {
            figures.put(figure, value);
        }
    }
}

/// A figure from others; `None` of what is found in a report.
fn follows(source: AwrSource, figures: &AwrFigures) -> Option<Quoted> {
    let value = |figure| figures.get(figure).cloned().unwrap_or_default();
    Some(match source {
        AwrSource::Sum(one, other) => sum_of_directions(value(one), value(other)),
        AwrSource::Rest { of, without } => rest(value(of), value(without)),
        AwrSource::KibPer(mib, requests, how) => {
            let mib = value(mib);
            let size = mib.number.zip(value(requests).number).and_then(|(a, b)| a.scaled(1024.0).over(b));
            size.map(|size| Quoted::derived(size, mib.place, how)).unwrap_or_default()
        }
        AwrSource::Share(part, other) => {
            let part = value(part);
            let both = part.number.zip(value(other).number);
            let share = both.and_then(|(part, other)| part.scaled(100.0).over(part + other));
            share
                .map(|share| Quoted::derived(share, part.place, "read requests by all requests"))
                .unwrap_or_default()
        }
        _ => return None,
    })
}

fn sum_of_directions(one: Quoted, other: Quoted) -> Quoted {
    let (Some(a), Some(b)) = (one.number, other.number) else { return Quoted::default() };
    let sum = Quoted::derived(a + b, one.place.clone(), "reads and writes");
    match [one, other].into_iter().find(|part| part.sound().is_none()).and_then(|part| part.note) {
        Some(why) => sum.contradicted(why),
        None => sum,
    }
}

fn rest(all: Quoted, part: Quoted) -> Quoted {
    let (Some(a), Some(b)) = (all.number, part.number) else {
        return Quoted::absent(part.place, part.note.unwrap_or_default());
    };
    let rest = a - b;
    let room = rest.resolution / 2.0 + 0.01 * a.value;
    let is_too_much = -rest.value > room;
    let rest = Stated { value: rest.value.max(0.0), ..rest };
    let rest = Quoted::derived(rest, all.place, "all requests minus the multi-block ones");
    if is_too_much { rest.contradicted("more multi-block requests than requests") } else { rest }
}

#[cfg(test)]
mod tests {
    use iotrial_model::awr::Interval;

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
    fn seconds_of_an_unknown_time_are_no_sessions() {
        let seconds = |seconds| Quoted::printed(Stated { value: seconds, resolution: 1.0 }, "seconds");
        let sessions = |elapsed_s| {
            let interval = Interval { elapsed_s, db_time_s: seconds(7_200.0), ..Interval::default() };
            let report = AwrReport { kind: AwrKind::Instance, interval, ..report(&[], Vec::new()) };
            figures_of(&report).value(AwrFigure::ActiveSessions)
        };
        assert_eq!(sessions(seconds(3_600.0)), Some(2.0));
        assert_eq!(sessions(Quoted::default()), None);
    }

    #[test]
    fn a_wait_whose_longer_names_are_missing_counts_once() {
        let count = |count: f64| Quoted::printed(Stated { value: count, resolution: 1.0 }, "waits");
        let plain = wait("cell single block physical read", count(30.0), 500.0);
        let sequential = wait("db file sequential read", count(10.0), 900.0);
        let waits = || vec![plain.clone(), sequential.clone()];
        assert_eq!(single_block_read_us(waits()), Some(600.0));
        let report = AwrReport { kind: AwrKind::Instance, waits: waits(), ..report(&[], Vec::new()) };
        assert_eq!(
            waits_of(
                &report,
                &["db file sequential read", "cell single block physical read"],
                WaitSide::Foreground
            )
            .value(),
            Some(40.0)
        );
    }
}
