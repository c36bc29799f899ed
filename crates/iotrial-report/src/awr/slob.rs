//! Runs of SLOB: how much at once, how it scales, and SLOB's own row of figures for each report.

use std::collections::BTreeSet;

use iotrial_analysis::awr::{SlobHosts, SlobReport, SlobRun, SlobSeries, SlobWait};
use iotrial_analysis::words::number_in_words;
use iotrial_words::awr as said;

use super::{section, value, words};
use crate::chart::{Axis, Chart, ChartGroup, Dash, LATENCY_AXIS, Line, Scale, Shape};
use crate::document::{Answer, Block, Document, Front, PointList, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Table, Value};

impl Document {
    /// A series of runs.
    pub fn of_slob(series: &SlobSeries) -> Self {
        let mut sections = vec![opening(series)];
        if series.by_hosts.len() > 1 {
            sections.push(section(
                "hosts",
                "Hosts",
                Some(
                    "The best run with each number of hosts; 100 % means in proportion to the fewest hosts.",
                ),
                Block::Table(hosts(series)),
            ));
        }
        sections.push(section(
            "runs",
            "Runs",
            Some("Reports of the same time are one run. IOPS are reads and writes of the databases, without redo. 100 % over sessions means in proportion to the smallest run on the same number of hosts; 100 % over hosts, in proportion to the fewest hosts with the same number of sessions on each."),
            Block::Table(runs(series)),
        ));
        sections.extend(charts(series));
        sections.push(section(
            "reports",
            "Reports",
            Some("The figures of SLOB's awr_info.sh under its names. PREADS and PWRITES are requests of the database; MiB are of all I/O."),
            Block::Table(reports(series)),
        ));
        let count = series.runs.iter().map(|run| run.reports.len()).sum::<usize>();
        let runs = series.runs.len();
        Self {
            title: format!("SLOB: {runs} run{}", plural(runs)),
            byline: format!("from {count} report{}", plural(count)),
            in_brief: Vec::new(),
            sections,
            chapters: Vec::new(),
            front: Front::default(),
        }
    }
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn on_hosts(hosts: usize) -> String {
    format!("{hosts} host{}", plural(hosts))
}

fn opening(series: &SlobSeries) -> Section {
    let sentence_of = |one: &SlobHosts| {
        let mut sentence =
            format!("{} I/Os per second on {}", number_in_words(one.best_iops), on_hosts(one.hosts));
        if let Some(sessions) = one.sessions_per_host {
            let each = if one.hosts > 1 { " each" } else { "" };
            // Numbers from file names are whole; a number of active sessions is a mean.
            let decimals = usize::from(sessions.fract() > 0.0);
            sentence.push_str(&format!(" with {sessions:.decimals$} sessions{each}"));
        }
        if let Some(wait) = one.read_wait {
            sentence.push_str(&format!("; `{}` takes {:.2} ms", wait.event, wait.mean_us / 1e3));
        }
        sentence
    };
    let best = series.by_hosts.last();
    let headline = best.map_or_else(
        || "The reports have no rates of I/O".to_owned(),
        |best| match (best.of_fewest_hosts_percent, series.by_hosts.first()) {
            (Some(percent), Some(fewest)) => {
                format!(
                    "{} do {percent:.0} % of {} times the rate of {}",
                    on_hosts(best.hosts),
                    best.hosts / fewest.hosts.max(1),
                    on_hosts(fewest.hosts)
                )
            }
            _ => format!("{} I/Os per second at most", number_in_words(best.best_iops)),
        },
    );
    let notes = series.notes.iter().map(said::slob_note).collect::<Vec<_>>();
    let left_out = series.left_out.iter().map(said::file_note).collect();
    let lists = [("What to know", notes), ("Not counted", left_out)];
    let lists = lists.into_iter().filter(|(_, points)| !points.is_empty());
    section(
        "answer",
        "",
        None,
        Block::Statement(Answer {
            is_good: None,
            headline,
            sentence: String::new(),
            points: series.by_hosts.iter().map(sentence_of).collect(),
            lists: lists.map(|(heading, points)| PointList { heading, points }).collect(),
        }),
    )
}

fn hosts(series: &SlobSeries) -> Table {
    Table::of_columns(
        "The best run with each number of hosts",
        &series.by_hosts,
        [
            (Column::new("hosts", Quantity::Count), &|one| Value::Count(one.hosts as u64)),
            (Column::new("IOPS", Quantity::Iops), &|one| Value::Number(one.best_iops)),
            (Column::new("over hosts", Quantity::Percent), &|one| Value::number(one.of_fewest_hosts_percent)),
            (on_each(), &|one| Value::number(one.sessions_per_host)),
            (Column::new("read wait", Quantity::LatencyUs), &|one| mean_of(one.read_wait)),
            (Column::new("event", Quantity::Words), &|one| event_of(one.read_wait)),
            (Column::new("runs", Quantity::Count).optional(), &|one| Value::Count(one.runs as u64)),
        ],
    )
}

fn on_each() -> Column {
    Column::new("sessions", Quantity::Load).under("on each")
}

fn mean_of(wait: Option<SlobWait>) -> Value {
    Value::number(wait.map(|wait| wait.mean_us))
}

fn event_of(wait: Option<SlobWait>) -> Value {
    Value::text(wait.map(|wait| wait.name))
}

fn runs(series: &SlobSeries) -> Table {
    let moved = |name| Column::new(name, Quantity::BandwidthMibPerS).under("throughput").optional();
    let over = |name| Column::new(name, Quantity::Percent).under("scaling");
    let mut table = Table::of_columns(
        "Runs by hosts and sessions",
        &series.runs,
        [
            (Column::new("hosts", Quantity::Count), &|run| Value::Count(run.hosts as u64)),
            (on_each(), &|run| Value::number(run.sessions_per_host)),
            (Column::new("IOPS", Quantity::Iops), &|run| Value::number(run.iops)),
            (moved("read"), &|run| Value::number(run.read_mib_per_s)),
            (moved("written"), &|run| Value::number(run.write_mib_per_s)),
            (Column::new("read wait", Quantity::LatencyUs), &|run| mean_of(run.read_wait)),
            (Column::new("event", Quantity::Words), &|run| event_of(run.read_wait)),
            (over("over sessions"), &|run| Value::number(run.of_first_percent)),
            (over("over hosts"), &|run| Value::number(run.of_fewest_hosts_percent)),
        ],
    );
    for column in [8, 7] {
        if table.rows.iter().all(|row| row.cells[column] == Value::Absent) {
            table.without_column(column);
        }
    }
    table
}

fn reports(series: &SlobSeries) -> Table {
    let all = series.runs.iter().flat_map(|run| &run.reports);
    let number = |name| Column::new(name, Quantity::Unitless);
    let wait = |name| Column::new(name, Quantity::LatencyUs).under("mean wait");
    let words_of = |name| Column::new(name, Quantity::Words);
    let top =
        |one: &SlobReport| one.top_wait.as_ref().map(|top| format!("{} ({:.1} %)", top.what, top.percent));
    // If there is little room, the columns that say least about storage are left out first.
    Table::of_columns(
        "SLOB's figures of each report",
        all,
        [
            (words_of("FILE"), &|one| words(one.file.as_str())),
            (Column::new("SESSIONS", Quantity::Load), &|one| Value::number(one.sessions)),
            (words_of("from").first_to_go(), &|one| words(one.sessions_from)),
            (Column::new("ELAPSED", Quantity::Seconds).first_to_go(), &|one| value(Some(&one.elapsed_s))),
            (number("DB CPU").first_to_go(), &|one| value(Some(&one.db_cpu))),
            (number("DB Tm").optional(), &|one| value(Some(&one.db_time))),
            (number("EXECUTES").first_to_go(), &|one| value(Some(&one.executes_per_s))),
            (number("LIO").first_to_go(), &|one| value(Some(&one.logical_reads_per_s))),
            (number("PREADS"), &|one| value(Some(&one.reads_per_s))),
            // MBS says the unit.
            (number("READ_MBS").optional(), &|one| value(Some(&one.read_mib_per_s))),
            (number("PWRITES"), &|one| value(Some(&one.writes_per_s))),
            (number("WRITE_MBS").optional(), &|one| value(Some(&one.write_mib_per_s))),
            (number("REDO_MBS").optional(), &|one| value(Some(&one.redo_mib_per_s))),
            (words_of("TOP WAIT").optional(), &|one| Value::text(top(one))),
            (wait("DFSR_LAT"), &|one| value(Some(&one.sequential_read_us))),
            (wait("DPR_LAT").optional(), &|one| value(Some(&one.direct_read_us))),
            (wait("DFPR_LAT").optional(), &|one| value(Some(&one.parallel_read_us))),
            (wait("DFPW_LAT").optional(), &|one| value(Some(&one.parallel_write_us))),
            (wait("LFPW_LAT").optional(), &|one| value(Some(&one.redo_write_us))),
        ],
    )
}

/// Rate and latency over the sessions of a host, a line for each number of hosts.
fn charts(series: &SlobSeries) -> Option<Section> {
    let counts: BTreeSet<usize> = series.runs.iter().map(|run| run.hosts).collect();
    let chart = |id: &str, title: &str, y: Axis, of: fn(&SlobRun) -> Option<f64>| {
        let lines: Vec<Line> = counts
            .iter()
            .enumerate()
            .map(|(at, hosts)| Line {
                name: on_hosts(*hosts),
                hue: at % Line::HUE_COUNT,
                dash: Dash::of_series(at),
                shape: Shape::Course,
                points: series
                    .runs
                    .iter()
                    .filter(|run| run.hosts == *hosts)
                    .filter_map(|run| Some((run.sessions_per_host?, of(run))))
                    .collect(),
            })
            .collect();
        let points = lines.iter().map(|line| line.points.iter().filter(|(_, y)| y.is_some()).count());
        // A line needs two points, and lines of one point each say what the table says.
        (points.max() > Some(1)).then(|| Chart {
            id: id.to_owned(),
            title: title.to_owned(),
            x: Axis {
                name: "sessions on each host",
                quantity: Quantity::Unitless,
                scale: Scale::Linear,
                to: 0.0,
            },
            y,
            lines,
            spans: Vec::new(),
            limits: Vec::new(),
        })
    };
    let rate = |quantity| Axis { name: "", quantity, scale: Scale::Linear, to: 0.0 };
    let charts: Vec<Chart> = [
        chart("slob-iops", "IOPS of all hosts", rate(Quantity::Iops), |run| run.iops),
        chart("slob-latency", "Mean wait for a read", LATENCY_AXIS, |run| {
            run.read_wait.map(|wait| wait.mean_us)
        }),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!charts.is_empty())
        .then(|| section("over-sessions", "Over sessions", None, Block::Charts(ChartGroup { charts })))
}
