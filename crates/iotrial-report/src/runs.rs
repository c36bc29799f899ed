//! The document of several runs: the comparison of their configurations, or their figures side by side if a comparison would
//! not be fair; what belongs to each run alone; then each run as a chapter. Imported results may be among them.

use std::collections::BTreeSet;

use iotrial_analysis::comparison::Comparison;
use iotrial_analysis::figures::Figures;
use iotrial_analysis::series::{Series, SeriesPoint};
use iotrial_analysis::summary::Summary;
use iotrial_model::figure::Figure;
use iotrial_model::finding::FindingId;
use iotrial_model::load::Role;
use iotrial_model::record::EndedHow;
use iotrial_model::stream::Stream;
use iotrial_model::subject::Subject;

use crate::chart::{Axis, Chart, ChartGroup, Dash, LATENCY_AXIS, Line, Scale, Shape, TIME};
use crate::comparison::{self, charts};
use crate::document::{Block, Document, FindingLine, Front, Section};
use crate::figure_rows;
use crate::quantity::Quantity;
use crate::result;
use crate::stated;
use crate::table::{Column, Row, Table, Value};
use crate::text::cut;

/// Names in legends are cut to this many characters.
const LONGEST_NAME: usize = 40;
/// The name of a result and its load in a table are cut to this many characters.
const LONGEST_RESULT: usize = 60;
/// More runs than this are not told apart in one chart.
const MOST_DRAWN: usize = 8;

/// A run with what is shown of it throughout.
struct Run<'r> {
    subject: &'r Subject<'r>,
    summary: &'r Summary,
    /// Key of its configuration; `None` where it measured nothing.
    key: Option<&'r str>,
    /// Its label, with its number where its configuration has several.
    title: String,
    /// Key, with its number where its configuration has several: `A`, `A run 2`.
    short: String,
    /// Key and title, short enough for a legend.
    name: String,
    hue: usize,
    dash: Dash,
    series: Vec<Series>,
}

impl Document {
    /// The document of several results, in this order. Each summary is the one of its subject, and `comparison` is that of all of
    /// them. With runs among them it is that of the runs, with the figures of the others next to theirs and each of them as a
    /// chapter.
    pub fn of_results(results: &[(Subject<'_>, &Summary)], comparison: &Comparison) -> Self {
        let chapter = |(subject, summary): &(Subject<'_>, &Summary)| Self::of_result(subject, summary);
        let (runs, others): (Vec<_>, Vec<_>) =
            results.iter().partition(|(subject, _)| subject.plan.is_some());
        let is_imported = others.iter().all(|(subject, _)| subject.source.is_some());
        let what = if is_imported { "imported result" } else { "result" };
        if runs.is_empty() {
            return Self {
                title: format!("{} {what}s", others.len()),
                byline: "Side by side, then one by one".to_owned(),
                in_brief: Vec::new(),
                sections: vec![side_by_side(&others, None)],
                chapters: others.into_iter().map(chapter).collect(),
                front: Front::default(),
            };
        }
        let mut all = Self::of_runs(&runs, comparison);
        if others.is_empty() {
            return all;
        }
        let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        if comparison.not_compared.is_none() {
            let (runs, others) = (
                count(runs.len(), "run"),
                count(others.len(), if is_imported { what } else { "other result" }),
            );
            all.byline = format!("From {runs} and {others}; each one follows");
        } else {
            all.title = format!("{} results", results.len());
        }
        let figures = side_by_side(&others, Some(comparison));
        let figures = Section {
            id: if is_imported { "imported" } else { "others" },
            heading: if is_imported { "Imported results" } else { "Other results" },
            ..figures
        };
        let after_runs = all.sections.iter().position(|section| section.id == "runs").map_or(0, |at| at + 1);
        all.sections.insert(after_runs, figures);
        all.chapters.extend(others.into_iter().map(chapter));
        all
    }

    fn of_runs(runs: &[&(Subject<'_>, &Summary)], comparison: &Comparison) -> Self {
        let chapters: Vec<Self> =
            runs.iter().map(|(subject, summary)| Self::of_result(subject, summary)).collect();
        let runs: Vec<Run<'_>> = runs
            .iter()
            .zip(&chapters)
            .map(|((subject, summary), chapter)| Run::new(subject, summary, &chapter.title, comparison))
            .collect();
        let streams = streams(&runs);
        let first = not_compared(comparison).unwrap_or_else(|| comparison::recommendation(comparison));
        let sections = [
            Some(first),
            comparison::findings(&comparison.findings),
            Some(overview(&runs)),
            comparison::hosts::section(&comparison.host_differences),
            Some(comparison::side_by_side(comparison)),
            charts::bars(comparison),
            comparison::factors(comparison),
            comparison::against_baseline(comparison),
            comparison::ranking(comparison),
            over_time(&runs, &streams),
            charts::distribution(comparison),
            charts::spread(comparison),
            by_role(&runs, &streams),
            comparison::changes(comparison),
        ];
        let is_compared = comparison.not_compared.is_none();
        Self {
            title: if is_compared { comparison::title(comparison) } else { format!("{} runs", runs.len()) },
            byline: if is_compared {
                format!("From {} runs; each one follows", runs.len())
            } else {
                "Side by side, then one by one".to_owned()
            },
            in_brief: if is_compared { comparison::in_brief(comparison) } else { Vec::new() },
            sections: sections.into_iter().flatten().filter(|section| !section.blocks.is_empty()).collect(),
            chapters,
            front: if is_compared { comparison::front::of(comparison) } else { Front::default() },
        }
    }
}

/// The figures of several results in one table, each with the key by which `comparison` knows it, or else numbered.
fn side_by_side(results: &[&(Subject<'_>, &Summary)], comparison: Option<&Comparison>) -> Section {
    let rows = results.iter().enumerate().flat_map(|(index, (subject, summary))| {
        let place = comparison.and_then(|all| Some(&all.configurations[all.place_of_run(subject.id)?.0]));
        let key = comparison.map(|_| place.map_or("–", |configuration| configuration.key.as_str()));
        let number = if comparison.is_some() { String::new() } else { format!("{} ", index + 1) };
        let load = stated::load_in_short(subject).map_or_else(String::new, |load| format!(", {load}"));
        let name = cut(subject.title(), stated::LONGEST_NAME);
        let is_contradictory =
            summary.findings.iter().any(|finding| finding.id == FindingId::ContradictoryFigures);
        let mark = if is_contradictory { " !" } else { "" };
        let name = format!("{}{mark}", cut(&format!("{number}{name}{load}"), LONGEST_RESULT));
        let labels: Vec<&str> = key.into_iter().chain([name.as_str()]).collect();
        result::total_rows(subject, summary, &labels, false)
    });
    let labels: &[&str] = if comparison.is_some() { &["key", "result"] } else { &["result"] };
    let table = figure_rows::figures_table("Figures side by side", labels, rows.collect(), true);
    let has_any = |(_, summary): &&(Subject<'_>, &Summary)| {
        summary.findings.iter().any(|finding| finding.id == FindingId::ContradictoryFigures)
    };
    let note = results.iter().any(has_any).then(|| "! its own figures contradict each other.".to_owned());
    Section { id: "figures", heading: "Figures side by side", note, blocks: vec![Block::Table(table)] }
}

/// Every stream of a role that any of the runs has, in the order of tables.
fn streams(runs: &[Run<'_>]) -> Vec<(Role, Stream)> {
    let all = runs.iter().flat_map(|run| run.series.iter().filter_map(|one| Some((one.role?, one.stream))));
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

impl<'r> Run<'r> {
    fn new(subject: &'r Subject<'r>, summary: &'r Summary, title: &str, comparison: &'r Comparison) -> Self {
        let place = comparison.place_of_run(subject.id);
        let of_several = place.filter(|(index, _)| comparison.configurations[*index].run_count() > 1);
        let numbered = |name: &str| match of_several {
            Some((_, number)) => format!("{name} run {}", number + 1),
            None => name.to_owned(),
        };
        let title = numbered(title);
        let key = place.map(|(index, _)| comparison.configurations[index].key.as_str());
        let (hue, number) = place.unwrap_or_default();
        Self {
            subject,
            summary,
            key,
            short: numbered(key.unwrap_or("–")),
            name: cut(&key.map_or_else(|| title.clone(), |key| format!("{key} {title}")), LONGEST_NAME),
            title,
            hue,
            // Repeats have the hue of their configuration.
            dash: Dash::of_series(hue + number * Line::HUE_COUNT),
            series: Series::of(subject),
        }
    }

    fn figures(&self, role: Role, stream: Stream) -> Option<&Figures> {
        self.summary.roles.get(&role).and_then(|streams| streams.get(stream))
    }

    fn series(&self, role: Role, stream: Stream) -> Option<&Series> {
        self.series.iter().find(|one| one.role == Some(role) && one.stream == stream)
    }

    fn was_measured(&self) -> bool {
        self.summary.measured_s.is_some_and(|measured_s| measured_s > 0.0)
    }
}

/// Why the runs are not compared, and what the reader can do; `None` if they are.
fn not_compared(comparison: &Comparison) -> Option<Section> {
    let why = comparison.findings.iter().find(|finding| finding.id == FindingId::NotCompared)?;
    Some(Section {
        id: "not-compared",
        heading: "Side by side",
        note: None,
        blocks: vec![Block::Findings(vec![FindingLine::brief(why)])],
    })
}

fn overview(runs: &[Run<'_>]) -> Section {
    let row = |run: &Run<'_>| {
        let verdict = &run.summary.verdict;
        let attributes = run.subject.attributes.iter().map(|(name, value)| format!("{name}={value}"));
        let attributes = attributes.collect::<Vec<_>>().join(" ");
        Row {
            cells: vec![
                Value::text(run.key.map(str::to_owned)),
                Value::Text(run.title.clone()),
                Value::text((!attributes.is_empty()).then_some(attributes)),
                Value::Text(run.subject.profile().to_owned()),
                Value::Text(result::started_at(run.subject)),
                Value::number(run.summary.measured_s),
                Value::Text(
                    match run.subject.ended_how() {
                        EndedHow::Complete => "complete",
                        EndedHow::Interrupted => "interrupted",
                        EndedHow::Failed => "failed",
                    }
                    .to_owned(),
                ),
                Value::Text(verdict.word().to_owned()),
                verdict.category.map_or(Value::Absent, Value::Category),
            ],
            is_total: false,
        }
    };
    Section {
        id: "runs",
        heading: "Runs",
        note: None,
        blocks: vec![Block::Table(Table {
            caption: "Runs".to_owned(),
            columns: vec![
                Column::new("key", Quantity::Words),
                Column::new("run", Quantity::Words),
                Column::new("attributes", Quantity::Words).optional(),
                Column::new("profile", Quantity::Words).optional(),
                Column::new("started", Quantity::Words).optional(),
                Column::new("measured", Quantity::Seconds),
                Column::new("ended", Quantity::Words),
                Column::new("outcome", Quantity::Words),
                Column::new("category", Quantity::Words),
            ],
            rows: runs.iter().map(row).collect(),
            at_a_glance: true,
        })],
    }
}

/// The rows of one stream are together, a row for each run; absent if there is only one role, which the
/// comparison already shows.
fn by_role(runs: &[Run<'_>], streams: &[(Role, Stream)]) -> Option<Section> {
    let roles: BTreeSet<Role> = streams.iter().map(|(role, _)| *role).collect();
    let row = |role: Role, stream: Stream, run: &Run<'_>| {
        figure_rows::figures_row(&[&format!("{role} {stream}")], &run.short, run.figures(role, stream), false)
    };
    let measured = || runs.iter().filter(|run| run.was_measured());
    let rows: Vec<Row> =
        streams.iter().flat_map(|(role, stream)| measured().map(|run| row(*role, *stream, run))).collect();
    let mut table = figure_rows::figures_table("Figures by role and run", &["stream"], rows, true);
    table.columns[1].name = "run".into();
    (roles.len() > 1 && measured().next().is_some()).then(|| Section {
        id: "roles",
        heading: "By role",
        note: Some("Latency is total latency, from the time an I/O was created (in an open load, was due) to its completion.".to_owned()),
        blocks: vec![Block::Table(table)],
    })
}

/// A curve for each run, in a chart for each stream and figure.
fn over_time(runs: &[Run<'_>], streams: &[(Role, Stream)]) -> Option<Section> {
    let drawn = &runs[..runs.len().min(MOST_DRAWN)];
    let rate = Axis { name: "", quantity: Quantity::Iops, scale: Scale::Linear, to: 0.0 };
    let charts: Vec<Chart> = streams
        .iter()
        .flat_map(|(role, stream)| {
            let chart = |kind: &str, what: &str, y, figure: Figure| Chart {
                id: format!("{kind}-{role}-{stream}"),
                title: format!("{what} of {role} {stream}s"),
                x: Axis { name: TIME, quantity: Quantity::Seconds, scale: Scale::Linear, to: 0.0 },
                y,
                lines: lines(drawn, *role, *stream, |one| {
                    one.points
                        .iter()
                        .map(|point: &SeriesPoint| (point.middle_s, point.figures.get(figure)))
                        .collect()
                }),
                spans: Vec::new(),
                limits: Vec::new(),
            };
            [
                chart("iops", "I/Os per second", rate, Figure::Iops),
                chart("p99", "p99 latency", LATENCY_AXIS, Figure::LatencyP99),
            ]
        })
        .filter(|chart| !chart.lines.is_empty())
        .collect();
    let left_out = if runs.len() > MOST_DRAWN {
        format!(" The first {MOST_DRAWN} of {} runs are drawn.", runs.len())
    } else {
        String::new()
    };
    (!charts.is_empty()).then(|| Section {
        id: "over-time",
        heading: "Runs over time",
        note: Some(format!(
            "Each from the start of its load, ramp included. Latency has a logarithmic scale.{left_out}"
        )),
        blocks: vec![Block::Charts(ChartGroup { charts })],
    })
}

/// A line for each run that has points.
fn lines(
    runs: &[Run<'_>],
    role: Role,
    stream: Stream,
    points: impl Fn(&Series) -> Vec<(f64, Option<f64>)>,
) -> Vec<Line> {
    let line = |run: &Run<'_>| {
        let points = points(run.series(role, stream)?);
        (!points.is_empty()).then(|| Line {
            name: run.name.clone(),
            hue: run.hue,
            dash: run.dash,
            shape: Shape::Course,
            points,
        })
    };
    runs.iter().filter_map(line).collect()
}
