//! The curves of one result: over time, how its latencies spread, and its latency by percentile.

use iotrial_analysis::latency_map::LatencyMap;
use iotrial_analysis::series::{Series, SeriesPoint, unmeasured_stretches};
use iotrial_analysis::verdict::Judged;
use iotrial_model::figure::Figure;
use iotrial_model::load::Role;
use iotrial_model::plan::{Job, PhaseKind, Plan};
use iotrial_model::record::Interval;
use iotrial_model::stream::Stream;
use iotrial_model::subject::{Subject, SubjectStep};

use crate::chart::{
    Axis, Chart, ChartGroup, Dash, HeatMap, LATENCY_AXIS, Limit, Line, Scale, Shape, Span, SpanKind, TIME,
};
use crate::document::{Block, Section};
use crate::heat;
use crate::quantity::Quantity;
use crate::text::cut;

/// With fewer I/Os due but not issued, a chart shows nothing: Poisson arrivals alone cause such short queues.
const LEAST_BACKLOG: u64 = 16;
/// Names in legends are cut to this many characters.
const LONGEST_NAME: usize = 40;
/// More lines than this are not told apart in one chart; further jobs of a source are left out.
const MOST_LINES: usize = 8;

/// Rates interval by interval.
pub(crate) fn throughput_over_time(subject: &Subject<'_>, series: &[Series]) -> Option<Section> {
    let chart = |id: &str, title: &str, figure: Figure| {
        let y = Axis { name: "", quantity: figure.unit().into(), scale: Scale::Linear, to: 0.0 };
        over_time(subject, id, title, y, courses(series, figure))
    };
    let charts = [
        chart("chart-iops", "I/Os per second", Figure::Iops),
        chart("chart-bandwidth", "Bandwidth", Figure::Bandwidth),
    ];
    section("throughput", "Throughput over time", None, charts.into_iter().collect())
}

/// Latencies interval by interval, with the limits by which they are judged.
pub(crate) fn latency_over_time(
    subject: &Subject<'_>,
    series: &[Series],
    judged: &[Judged],
) -> Option<Section> {
    let chart = |id: &str, title: &str, figure: Figure| Chart {
        limits: limits(judged, |one| (one.statistic == figure).then_some(None)),
        ..over_time(subject, id, title, LATENCY_AXIS, courses(series, figure))
    };
    let charts = [
        chart("chart-lat-mean", "Mean latency", Figure::LatencyMean),
        chart("chart-lat-p99", "p99 latency", Figure::LatencyP99),
    ];
    let note = "Of the I/Os that completed in each interval, on a logarithmic scale.";
    section("latency", "Latency over time", Some(note), charts.into_iter().collect())
}

/// A section with the charts that have a line; `None` if none has one.
fn section(
    id: &'static str,
    heading: &'static str,
    note: Option<&str>,
    charts: Vec<Chart>,
) -> Option<Section> {
    let charts: Vec<Chart> = charts.into_iter().filter(|chart| !chart.lines.is_empty()).collect();
    (!charts.is_empty()).then(|| Section {
        id,
        heading,
        note: note.map(str::to_owned),
        blocks: vec![Block::Charts(ChartGroup { charts })],
    })
}

/// What was due and not issued at the end of each interval, for the jobs whose queue was ever worth a look: exact at the end of
/// the load and of its rounds, from the rate elsewhere.
pub(crate) fn backlog_over_time(plan: &Plan, subject: &Subject<'_>) -> Option<ChartGroup> {
    let intervals = subject.whole_course.counted();
    let line = |(index, job): (usize, &Job)| {
        let at = |interval: &Interval| interval.backlog.get(index).copied().unwrap_or_default();
        let is_worth_it = intervals.iter().any(|interval| at(interval) >= LEAST_BACKLOG);
        let point = |interval: &Interval| {
            ((interval.start + interval.duration).as_secs_f64(), Some(at(interval) as f64))
        };
        is_worth_it.then(|| Line {
            name: job.name.clone(),
            hue: hue_of(job.role),
            dash: Dash::of_series(
                Line::HUE_COUNT * plan.jobs[..index].iter().filter(|other| other.role == job.role).count(),
            ),
            shape: Shape::Course,
            points: intervals.iter().map(point).collect(),
        })
    };
    let lines: Vec<Line> = plan.jobs.iter().enumerate().filter_map(line).collect();
    let y = Axis { name: "", quantity: Quantity::Count, scale: Scale::Linear, to: 0.0 };
    (!lines.is_empty()).then(|| ChartGroup {
        charts: vec![over_time(subject, "chart-backlog", "Backlog: due and not issued", y, lines)],
    })
}

/// Where a latency stands among all of them: as far from p90 to p99 as from there to p99.9.
pub(crate) const PERCENTILE_AXIS: Axis =
    Axis { name: "percentile", quantity: Quantity::Percent, scale: Scale::Nines, to: 0.0 };

/// A figure of each series that has it, interval by interval.
fn courses(series: &[Series], figure: Figure) -> Vec<Line> {
    let point = |point: &SeriesPoint| (point.middle_s, point.figures.get(figure));
    let points = |one: &Series| one.points.iter().map(point).collect::<Vec<_>>();
    lines(series, |one| Some(points(one)).filter(|points| points.iter().any(|(_, value)| value.is_some())))
}

/// A line for each series of which `points` has some.
fn lines(series: &[Series], points: impl Fn(&Series) -> Option<Vec<(f64, Option<f64>)>>) -> Vec<Line> {
    let mut names: Vec<&str> = Vec::new();
    let mut lines = Vec::new();
    for one in series {
        if !names.contains(&one.name.as_str()) {
            names.push(&one.name);
        }
        let place = names.iter().position(|name| *name == one.name).unwrap_or_default();
        lines.extend(points(one).map(|points| Line {
            name: cut(&format!("{} {}", one.name, one.stream.key()), LONGEST_NAME),
            // Lines of a role look alike in the charts of all results; jobs that a source names have their own order.
            hue: one.role.filter(|_| is_of_role(one)).map_or(place, hue_of),
            dash: dash_of(one.stream),
            shape: Shape::Course,
            points,
        }));
    }
    if !series.iter().all(is_of_role) {
        lines.truncate(MOST_LINES);
    }
    lines
}

fn is_of_role(one: &Series) -> bool {
    one.role.is_some_and(|role| one.name == role.as_str())
}

fn over_time(subject: &Subject<'_>, id: &str, title: &str, y: Axis, lines: Vec<Line>) -> Chart {
    let course = subject.whole_course;
    Chart {
        id: id.to_owned(),
        title: title.to_owned(),
        x: Axis { name: TIME, quantity: Quantity::Seconds, scale: Scale::Linear, to: course.end_s() },
        y,
        lines,
        spans: spans(subject),
        limits: Vec::new(),
    }
}

/// The phases that are not measured, and the steps of those that are.
fn spans(subject: &Subject<'_>) -> Vec<Span> {
    let phase = |(phase, from, to): (PhaseKind, f64, f64)| {
        let name = phase.as_str().to_owned();
        Span { name, kind: SpanKind::Apart, from, to }
    };
    let step = |step: &SubjectStep<'_>| Span {
        name: match &step.planned.name {
            Some(_) => step.planned.short_label(step.number),
            None => format!("{}: {}", step.number, step.planned.load_in_words()),
        },
        kind: SpanKind::Step,
        from: step.start_s,
        to: step.start_s + step.subject.measured.unwrap_or_default().as_secs_f64(),
    };
    let phases = unmeasured_stretches(subject.whole_course.counted()).into_iter().map(phase);
    phases.chain(subject.steps.iter().map(step)).collect()
}

/// The heat maps, one for each stream.
pub(crate) fn latency_spread(subject: &Subject<'_>) -> Option<Section> {
    let map = |map: LatencyMap| HeatMap {
        id: format!("heat-{}-{}", map.role, map.stream),
        title: format!("Latency of {} {}s", map.role, map.stream),
        x: heat::TIME_AXIS,
        y: LATENCY_AXIS,
        x_range: (0.0, map.end_s),
        y_range: map.bands_us,
        shares_percent: map.shares_percent,
        spans: spans(subject),
    };
    let maps: Vec<HeatMap> = LatencyMap::all(subject).into_iter().map(map).collect();
    (!maps.is_empty()).then(|| Section {
        id: "spread",
        heading: "Latency distribution over time",
        note: Some(heat::HOW_TO_READ.to_owned()),
        blocks: vec![Block::HeatMaps(maps)],
    })
}

/// Latency by percentile, if there are histograms, with the limits by which it is judged.
pub(crate) fn latency_distribution(
    subject: &Subject<'_>,
    series: &[Series],
    judged: &[Judged],
) -> Option<Section> {
    let chart = |id: &str, title: &str, wanted: fn(Stream) -> bool| {
        let shown = |one: &&Series| wanted(one.stream) && !one.latency_curve.is_empty();
        // A job without a role is judged as data.
        let is_judged = |one: &Series, judged: &Judged| {
            one.role.unwrap_or(Role::Data) == judged.role && one.stream == judged.stream
        };
        let is_shown = |judged: &Judged| series.iter().filter(shown).any(|one| is_judged(one, judged));
        Chart {
            id: id.to_owned(),
            title: title.to_owned(),
            x: PERCENTILE_AXIS,
            y: LATENCY_AXIS,
            lines: lines(series, |one| Some(one).filter(shown).map(curve)),
            spans: Vec::new(),
            limits: limits(judged, |one| one.statistic.percent().filter(|_| is_shown(one)).map(Some)),
        }
    };
    let charts = [
        chart("chart-curve-read", "Latency of reads by percentile", |stream| stream == Stream::Read),
        chart("chart-curve-write", "Latency of writes by percentile", |stream| {
            matches!(stream, Stream::Write | Stream::Commit)
        }),
        chart("chart-curve-all", "Latency of reads and writes by percentile", |stream| {
            stream == Stream::Mixed
        }),
    ];
    let over = subject.peak.and_then(|peak| subject.steps.get(peak)).map(SubjectStep::label);
    let over = over.unwrap_or_else(|| "the measured phase".to_owned());
    let note = format!("Over {over}. Each curve ends at its slowest single I/O.");
    section("distribution", "Latency distribution", Some(&note), charts.into_iter().collect())
}

/// The points of a latency curve.
fn curve(series: &Series) -> Vec<(f64, Option<f64>)> {
    series.latency_curve.iter().map(|at| (at.percent, Some(at.latency_us))).collect()
}

/// Lines of a role look alike in all charts of a run.
fn hue_of(role: Role) -> usize {
    Role::ALL.iter().position(|one| *one == role).unwrap_or_default()
}

/// Streams are told apart without colour.
const fn dash_of(stream: Stream) -> Dash {
    match stream {
        Stream::Read => Dash::Solid,
        Stream::Write => Dash::Dashed,
        Stream::Commit | Stream::Mixed => Dash::DashDot,
    }
}

/// One limit for each value and reach, named after all roles that it holds for, such as `data, tempdb write`. `until` picks the figures
/// and says how far their limit reaches.
fn limits(judged: &[Judged], until: impl Fn(&Judged) -> Option<Option<f64>>) -> Vec<Limit> {
    let picked: Vec<(&Judged, Option<f64>)> =
        judged.iter().filter_map(|one| Some((one, until(one)?))).collect();
    let is_same = |limit: &Limit, one: &Judged, until: Option<f64>| {
        limit.until == until && limit.value.total_cmp(&one.limit_us).is_eq()
    };
    let mut limits: Vec<Limit> = Vec::new();
    for (one, until) in &picked {
        if !limits.iter().any(|limit| is_same(limit, one, *until)) {
            limits.push(Limit { name: String::new(), value: one.limit_us, until: *until });
        }
    }
    for limit in &mut limits {
        let reach = limit.until;
        let of_role = |role: Role| {
            picked.iter().filter(move |(one, until)| one.role == role && *until == reach).map(|(one, _)| *one)
        };
        let name = |role: Role| {
            let streams: Vec<String> = of_role(role)
                .filter(|one| is_same(limit, one, reach))
                .map(|one| one.stream.to_string())
                .collect();
            // A limit of all streams of a role needs no more than its name; the margin of a chart is narrow.
            match (streams.len(), of_role(role).count()) {
                (0, _) => None,
                (these, all) if these == all => Some(role.to_string()),
                _ => Some(format!("{role} {}", streams.join(", "))),
            }
        };
        let roles = judged_roles(&picked);
        limit.name = roles.into_iter().filter_map(name).collect::<Vec<_>>().join(", ");
    }
    limits
}

/// The roles of judged figures, each once, in their order.
fn judged_roles(judged: &[(&Judged, Option<f64>)]) -> Vec<Role> {
    let mut roles: Vec<Role> = Vec::new();
    for (one, _) in judged {
        if !roles.contains(&one.role) {
            roles.push(one.role);
        }
    }
    roles
}
