//! One database over many intervals: how much, when, and how far the peak is above the usual.

use iotrial_analysis::awr::{AwrFleet, AwrSeries, AwrStatistics, DatabaseSeries, SeriesInterval};
use iotrial_analysis::words::{capital, number_in_words};
use iotrial_model::awr::{AwrFigure, AwrUnit};
use iotrial_model::units::seconds_in_words;
use iotrial_words::awr as said;

use super::course::{calendar, levels};
use super::opening::limit_points;
use super::{cut_off, quantity, right_size, section, words};
use crate::chart::{Axis, Chart, ChartGroup, Dash, LATENCY_AXIS, Line, Scale, Shape};
use crate::document::{Answer, Block, Document, Front, PointList, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// The busiest intervals that are shown at a glance.
const MOST_BUSIEST: usize = 5;
/// Intervals that a page lists; JSON has all.
const MOST_INTERVALS: usize = 400;
/// The heading of what limits the database.
const LIMITS: &str = "Where DB time goes";
/// How many of the busiest by bytes are shown in addition to those by requests.
const MOST_BY_BYTES: usize = 3;
/// Points of one list.
const MOST_POINTS: usize = 12;

impl Document {
    /// Databases over many intervals; `fleet` is what several of them ask together.
    pub fn of_awr_series(series: &AwrSeries, fleet: Option<&AwrFleet>) -> Self {
        if let Some(fleet) = fleet {
            return super::fleet::document(series, fleet);
        }
        let mut document = series.databases.first().map(chapter).unwrap_or_else(|| Self {
            title: "AWR".to_owned(),
            byline: String::new(),
            in_brief: Vec::new(),
            sections: Vec::new(),
            chapters: Vec::new(),
            front: Front::default(),
        });
        document.title = format!("AWR: {}", document.title);
        // What is left out belongs to the whole, not to one of several databases.
        if let Some(Block::Statement(answer)) =
            document.sections.first_mut().and_then(|section| section.blocks.first_mut())
        {
            let notes = series.databases.first().map(notes_of).unwrap_or_default();
            let limits = answer.lists.iter().position(|list| list.heading == LIMITS);
            let limits = limits.map(|at| answer.lists.remove(at));
            answer.lists = lists_of(series, notes);
            answer.lists.splice(0..0, limits);
            for table in document.sections.iter_mut().flat_map(|section| &mut section.blocks) {
                if let Block::Table(table) = table {
                    table.at_a_glance = table.caption != ALL_INTERVALS;
                }
            }
        }
        document.sections.splice(0..0, cut_off::of_many(&series.cut_off, reports_of(series)));
        document
    }
}

/// How many reports were read.
pub(super) fn reports_of(series: &AwrSeries) -> usize {
    let counted =
        series.databases.iter().flat_map(|one| &one.intervals).map(|one| one.files.len()).sum::<usize>();
    counted + series.left_out.len()
}

/// As a person reads it: `2025-03-03 10:00`.
pub(super) fn moment(text: &str) -> String {
    text.get(..16).unwrap_or(text).replace('T', " ")
}

/// `2025-03-03 10:00 to 11:00`.
pub(super) fn span_of(begin: &str, end: &str) -> String {
    let (begin, end) = (moment(begin), moment(end));
    match (begin.split_once(' '), end.split_once(' ')) {
        (Some((day, _)), Some((same, time))) if day == same => format!("from {begin} to {time}"),
        _ => format!("from {begin} to {end}"),
    }
}

/// The first points, and how many more there are.
fn cut_list(mut points: Vec<String>) -> Vec<String> {
    if points.len() > MOST_POINTS {
        let more = points.len() - MOST_POINTS;
        points.truncate(MOST_POINTS);
        points.push(format!("and {more} more: --json has all"));
    }
    points
}

/// What the reader should know in addition to the figures: notes, reports that are not counted, files that could not be read.
pub(super) fn lists_of(series: &AwrSeries, notes: Vec<String>) -> Vec<PointList> {
    let lists = [
        ("Could not be read", cut_list(series.unread.iter().map(said::file_note).collect())),
        ("What to know", cut_list(notes)),
        ("Not counted", cut_list(series.left_out.iter().map(said::file_note).collect())),
    ];
    let lists = lists.into_iter().filter(|(_, points): &(_, Vec<String>)| !points.is_empty());
    lists.map(|(heading, points)| PointList { heading, points }).collect()
}

/// What to know of the figures of a database.
pub(super) fn notes_of(one: &DatabaseSeries) -> Vec<String> {
    one.notes.iter().map(said::series_note).collect()
}

/// One database over time.
pub(super) fn chapter(one: &DatabaseSeries) -> Document {
    let mut sections = vec![opening(one)];
    sections.extend(busiest(one));
    sections.push(statistics_section(one));
    sections.extend(one.right_size.as_ref().map(right_size::right_size));
    sections.extend(courses(one));
    sections.extend(all_intervals(one));
    let (first, last) = (one.intervals.first(), one.intervals.last());
    let begin = first.and_then(|first| first.begin.as_deref());
    let end = last.and_then(|last| last.end.as_deref());
    let intervals = plural(one.intervals.len(), "interval");
    let byline = match (begin, end) {
        (Some(begin), Some(end)) => {
            format!(
                "{} to {}, {intervals}, {} covered",
                moment(begin),
                moment(end),
                seconds_in_words(one.covered_s)
            )
        }
        _ => format!("{intervals}, {} covered", seconds_in_words(one.covered_s)),
    };
    Document {
        title: one.database.clone(),
        byline,
        in_brief: Vec::new(),
        sections,
        chapters: Vec::new(),
        front: Front::default(),
    }
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn opening(one: &DatabaseSeries) -> Section {
    let of = |figure| one.statistics(figure);
    let (requests, throughput) = (of(AwrFigure::Requests), of(AwrFigure::Throughput));
    let rates = |level: fn(&AwrStatistics) -> f64| {
        let iops = requests.map(|one| format!("{} IOPS", number_in_words(level(one))));
        let mib = throughput.map(|one| format!("{} MiB/s", number_in_words(level(one))));
        [iops, mib].into_iter().flatten().collect::<Vec<_>>().join(" and ")
    };
    let headline = match requests.or(throughput) {
        None => "The reports have no rates of I/O".to_owned(),
        Some(_) if one.intervals.len() == 1 => format!("{} on average", rates(|one| one.average)),
        // Minutes within an interval can have more than its average.
        Some(_) if !one.has_percentiles() => {
            format!(
                "At most {} in any of {} intervals, each an average",
                rates(|one| one.peak),
                one.intervals.len()
            )
        }
        Some(_) => format!("At most {} for 95 % of the time", rates(|one| one.p95.unwrap_or(one.peak))),
    };
    let headline = match one.about.large_part() {
        Some(part) => format!("{}: {}", capital(&said::part(part)), uncapital(&headline)),
        None => headline,
    };
    let mut points = Vec::new();
    for (figure, unit) in [(AwrFigure::Requests, "IOPS"), (AwrFigure::Throughput, "MiB/s")] {
        if one.intervals.len() > 1
            && let Some(statistics) = of(figure)
            && let Some(busiest) = highest(one, figure).first()
        {
            let times = if statistics.average > 0.0 {
                let average = right_size::finely(statistics.average);
                format!(", {:.1} times the average of {average}", statistics.peak / statistics.average)
            } else {
                String::new()
            };
            let cause = busiest.limits.first().map_or_else(String::new, |limit| {
                format!("; most of DB time then: {} ({:.0} %)", limit.what, limit.percent)
            });
            points.push(format!(
                "peak {} {unit}{times}{}{cause}",
                number_in_words(statistics.peak),
                when(busiest)
            ));
        }
    }
    if let Some(minute) = of(AwrFigure::Reads).and_then(|one| one.peak_minute) {
        points.push(format!("the busiest minute has {} reads per second", number_in_words(minute)));
    }
    for figure in [AwrFigure::SingleBlockReadUs, AwrFigure::RedoWriteUs, AwrFigure::CommitUs] {
        if let Some(statistics) = of(figure) {
            let ms = |us: f64| format!("{:.2} ms", us / 1_000.0);
            let peak = if one.intervals.len() > 1 {
                format!(", {} in the slowest interval", ms(statistics.peak))
            } else {
                String::new()
            };
            points.push(format!("{} {} on average{peak}", figure.title(), ms(statistics.average)));
        }
    }
    let lists = [(LIMITS, limit_points(&one.about.limits)), ("What to know", notes_of(one))];
    let lists = lists.into_iter().filter(|(_, points)| !points.is_empty());
    let lists = lists.map(|(heading, points)| PointList { heading, points }).collect();
    let sentence = match (of(AwrFigure::ReadPercent), of(AwrFigure::ActiveSessions)) {
        _ if one.intervals.len() < 2 => {
            "One interval is one average: it does not show the busy minutes.".to_owned()
        }
        (Some(reads), Some(sessions)) => format!(
            "On average {}, {:.0} % of the requests are reads; {} sessions are active.",
            rates(|one| one.average),
            reads.average,
            number_in_words(sessions.average)
        ),
        _ => format!("On average {}.", rates(|one| one.average)),
    };
    section("answer", "", None, Block::Statement(Answer { is_good: None, headline, sentence, points, lists }))
}

fn when(interval: &SeriesInterval) -> String {
    match (&interval.begin, &interval.end) {
        (Some(begin), Some(end)) => format!(", {}", span_of(begin, end)),
        _ => String::new(),
    }
}

/// The intervals by a figure, the highest first.
fn highest(one: &DatabaseSeries, figure: AwrFigure) -> Vec<&SeriesInterval> {
    let mut all: Vec<&SeriesInterval> =
        one.intervals.iter().filter(|interval| interval.value(figure).is_some()).collect();
    all.sort_by(|a, b| b.value(figure).unwrap_or(0.0).total_cmp(&a.value(figure).unwrap_or(0.0)));
    all
}

/// What a table of intervals has.
const OF_AN_INTERVAL: [AwrFigure; 10] = [
    AwrFigure::Requests,
    AwrFigure::Reads,
    AwrFigure::Writes,
    AwrFigure::Throughput,
    AwrFigure::ReadMib,
    AwrFigure::WriteMib,
    AwrFigure::ActiveSessions,
    AwrFigure::SingleBlockReadUs,
    AwrFigure::RedoWriteUs,
    AwrFigure::CommitUs,
];

/// The caption of the table with all intervals.
const ALL_INTERVALS: &str = "All intervals";

fn interval_table<'s>(
    caption: &str,
    intervals: impl Iterator<Item = &'s SeriesInterval> + Clone,
    at_a_glance: bool,
) -> Table {
    let figures: Vec<AwrFigure> = OF_AN_INTERVAL
        .into_iter()
        .filter(|figure| intervals.clone().any(|one| one.value(*figure).is_some()))
        .collect();
    let mut columns = vec![Column::new("from", Quantity::Words), Column::new("minutes", Quantity::Count)];
    for figure in &figures {
        let (group, name) = match figure {
            AwrFigure::Requests => ("requests", "all"),
            AwrFigure::Reads => ("requests", "reads"),
            AwrFigure::Writes => ("requests", "writes"),
            AwrFigure::Throughput => ("throughput", "all"),
            AwrFigure::ReadMib => ("throughput", "read"),
            AwrFigure::WriteMib => ("throughput", "written"),
            AwrFigure::ActiveSessions => ("", "sessions"),
            AwrFigure::SingleBlockReadUs => ("wait", "read"),
            AwrFigure::RedoWriteUs => ("wait", "redo"),
            _ => ("wait", "commit"),
        };
        let column = Column::new(name, quantity(figure.unit())).under(group);
        // In 80 columns there is room for the sums.
        let is_sum = matches!(figure, AwrFigure::Requests | AwrFigure::Reads | AwrFigure::Throughput);
        columns.push(if is_sum { column } else { column.optional() });
    }
    let row = |one: &SeriesInterval| {
        let begin = one.begin.as_deref().or(one.end.as_deref());
        let mut cells = vec![Value::text(begin.map(moment)), Value::Number(one.seconds / 60.0)];
        cells.extend(figures.iter().map(|figure| Value::number(one.value(*figure))));
        Row { cells, is_total: false }
    };
    Table { caption: caption.to_owned(), rows: intervals.map(row).collect(), columns, at_a_glance }
}

fn busiest(one: &DatabaseSeries) -> Option<Section> {
    if one.intervals.len() < 2 {
        return None;
    }
    let by_requests: Vec<&SeriesInterval> =
        highest(one, AwrFigure::Requests).into_iter().take(MOST_BUSIEST).collect();
    let by_bytes: Vec<&SeriesInterval> =
        highest(one, AwrFigure::Throughput).into_iter().take(MOST_BY_BYTES).collect();
    let is_in =
        |list: &[&SeriesInterval], one: &SeriesInterval| list.iter().any(|other| std::ptr::eq(*other, one));
    let others = by_bytes.iter().filter(|one| !is_in(&by_requests, one));
    let all: Vec<&SeriesInterval> = by_requests.iter().chain(others).copied().collect();
    let heading = if all.len() < one.intervals.len() {
        "The busiest intervals"
    } else {
        "All intervals, the busiest first"
    };
    let mut table = interval_table(heading, all.iter().copied(), false);
    // Few are busiest in both: an interval full of scans has few requests. Among all intervals, none is there for a reason.
    if all.len() < one.intervals.len() {
        table.columns.insert(2, Column::new("busiest by", Quantity::Words));
        for (row, one) in table.rows.iter_mut().zip(&all) {
            let why = match (is_in(&by_requests, one), is_in(&by_bytes, one)) {
                (true, true) => "requests, bytes",
                (true, false) => "requests",
                _ => "bytes",
            };
            row.cells.insert(2, words(why));
        }
    }
    (!table.rows.is_empty()).then(|| section("busiest", heading, None, Block::Table(table)))
}

/// The first letter within a sentence; an abbreviation stays.
fn uncapital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

fn all_intervals(one: &DatabaseSeries) -> Option<Section> {
    if one.intervals.len() <= MOST_BUSIEST {
        return None;
    }
    let table = interval_table(ALL_INTERVALS, one.intervals.iter().take(MOST_INTERVALS), false);
    let note =
        (one.intervals.len() > MOST_INTERVALS).then_some("The first intervals; --json has all of them.");
    Some(section("intervals", "All intervals", note, Block::Table(table)))
}

/// The figures of a database over time: what decides on storage.
const SERIES_FIGURES: [AwrFigure; 13] = [
    AwrFigure::Requests,
    AwrFigure::Reads,
    AwrFigure::SingleBlockReads,
    AwrFigure::MultiBlockReads,
    AwrFigure::Writes,
    AwrFigure::Throughput,
    AwrFigure::ReadMib,
    AwrFigure::WriteMib,
    AwrFigure::RedoMib,
    AwrFigure::ActiveSessions,
    AwrFigure::SingleBlockReadUs,
    AwrFigure::RedoWriteUs,
    AwrFigure::CommitUs,
];

fn statistics_section(one: &DatabaseSeries) -> Section {
    let tables = [
        ("Requests per second", AwrUnit::PerSecond),
        ("Throughput", AwrUnit::MibPerS),
        ("Active sessions", AwrUnit::Sessions),
        ("Waits", AwrUnit::Us),
    ];
    let table = |(caption, unit): (&str, AwrUnit)| {
        let row = |of: &AwrStatistics| Row {
            cells: vec![
                words(of.figure.title()),
                Value::Number(of.average),
                Value::number(of.p95),
                Value::number(of.p99),
                Value::Number(of.peak),
                Value::number(of.peak_minute),
            ],
            is_total: false,
        };
        let figures = SERIES_FIGURES.iter().filter(|figure| figure.unit() == unit);
        let rows: Vec<Row> = figures.filter_map(|figure| one.statistics(*figure).map(row)).collect();
        let quantity = quantity(unit);
        let mut table = Table {
            caption: caption.to_owned(),
            columns: vec![
                Column::new("figure", Quantity::Words),
                Column::new("average", quantity),
                Column::new("p95", quantity),
                Column::new("p99", quantity),
                Column::new("peak", quantity),
                Column::new("peak minute", quantity),
            ],
            rows,
            at_a_glance: false,
        };
        // Only AWR-Miner has it.
        if table.rows.iter().all(|row| row.cells[5] == Value::Absent) {
            table.without_column(5);
        }
        table
    };
    let tables = tables.into_iter().map(table).filter(|table| !table.rows.is_empty());
    let percentiles = if one.has_percentiles() {
        "p95 and p99 are not exceeded for 95 % and 99 % of the time"
    } else {
        "Fewer than 20 intervals have no p95 and p99"
    };
    Section {
        id: "statistics",
        heading: "Average, percentiles and peak",
        note: Some(format!("{percentiles}; the peak is the highest interval.")),
        blocks: tables.map(Block::Table).collect(),
    }
}

/// Seconds of the calendar, where the interval has its times.
fn calendar_of(interval: &SeriesInterval) -> Option<(f64, f64)> {
    let (begin, end) = interval.calendar_s()?;
    Some((begin as f64, end as f64))
}

/// A figure over the intervals, with a gap where there is none.
fn steps(one: &DatabaseSeries, figure: AwrFigure) -> Vec<(f64, Option<f64>)> {
    let mut points: Vec<(f64, Option<f64>)> = Vec::new();
    let mut until: Option<f64> = None;
    for (interval, (begin, end)) in one.intervals.iter().filter_map(|one| Some((one, calendar_of(one)?))) {
        if let Some(until) = until.filter(|until| *until < begin) {
            points.push((until, None));
        }
        // The instances of a cluster overlap by seconds, and a line does not run backwards.
        points.push((until.map_or(begin, |until| until.max(begin)), interval.value(figure)));
        until = Some(end);
    }
    points.extend(until.map(|until| (until, None)));
    points.dedup_by(|next, before| next.0 <= before.0);
    points
}

/// Rates, sessions and waits over the calendar.
fn courses(one: &DatabaseSeries) -> Option<Section> {
    let placed = one.intervals.iter().filter_map(calendar_of);
    let (from, to) =
        placed.fold((f64::INFINITY, 0.0_f64), |(low, high), (begin, end)| (low.min(begin), high.max(end)));
    if one.intervals.len() < 2 || to <= from {
        return None;
    }
    let line = |at: usize, name: &str, figure: AwrFigure| Line {
        name: name.to_owned(),
        hue: at % Line::HUE_COUNT,
        dash: Dash::of_series(at),
        shape: Shape::Step,
        points: steps(one, figure),
    };
    let chart = |id: &str, title: &str, y: Axis, lines: &[(&str, AwrFigure)], of: Option<AwrFigure>| {
        let mut lines: Vec<Line> = lines
            .iter()
            .enumerate()
            .map(|(at, (name, figure))| line(at, name, *figure))
            .filter(|line| line.points.iter().any(|(_, value)| value.is_some()))
            .collect();
        if lines.is_empty() {
            return None;
        }
        if let Some(statistics) = of.and_then(|figure| one.statistics(figure)) {
            let (p95, peak) = (("p95", statistics.p95), ("peak of all", statistics.peak));
            lines.extend(levels(p95, peak, from, to));
        }
        Some(Chart {
            id: id.to_owned(),
            title: title.to_owned(),
            x: calendar(),
            y,
            lines,
            spans: Vec::new(),
            limits: Vec::new(),
        })
    };
    let axis = |quantity| Axis { name: "", quantity, scale: Scale::Linear, to: 0.0 };
    let of_rates = [
        chart(
            "awr-requests",
            "Requests",
            axis(Quantity::Iops),
            &[("all", AwrFigure::Requests), ("read", AwrFigure::Reads), ("written", AwrFigure::Writes)],
            Some(AwrFigure::Requests),
        ),
        chart(
            "awr-throughput",
            "Throughput",
            axis(Quantity::BandwidthMibPerS),
            &[("all", AwrFigure::Throughput), ("read", AwrFigure::ReadMib), ("written", AwrFigure::WriteMib)],
            Some(AwrFigure::Throughput),
        ),
    ];
    let of_waits = [chart(
        "awr-waits",
        "Mean waits",
        LATENCY_AXIS,
        &[
            ("single-block read", AwrFigure::SingleBlockReadUs),
            ("redo write", AwrFigure::RedoWriteUs),
            ("commit", AwrFigure::CommitUs),
        ],
        None,
    )];
    let of_sessions = [chart(
        "awr-sessions",
        "Active sessions",
        axis(Quantity::Unitless),
        &[("active", AwrFigure::ActiveSessions), ("on CPU", AwrFigure::CpuSessions)],
        None,
    )];
    let groups = [Vec::from(of_rates), Vec::from(of_waits), Vec::from(of_sessions)];
    let blocks: Vec<Block> = groups
        .into_iter()
        .map(|charts| charts.into_iter().flatten().collect::<Vec<Chart>>())
        .filter(|charts| !charts.is_empty())
        .map(|charts| Block::Charts(ChartGroup { charts }))
        .collect();
    (!blocks.is_empty()).then(|| Section {
        id: "course",
        heading: "Over time",
        note: Some("The average of each interval, in the time of the database's host.".to_owned()),
        blocks,
    })
}
