//! The charts of a comparison: what configurations reach, what changes between them, and how their latencies spread.

use iotrial_analysis::comparison::{Comparison, Configuration, Metric, Pair, Scaling};
use iotrial_analysis::latency_course::AlignedCourses;
use iotrial_model::figure::{Better, FigureUnit};
use iotrial_model::metric::MetricKey;
use iotrial_model::stream::Stream;

use super::{CONTRADICTORY, UnderLoad, keys, marked, metric_of, ranking_figures, stream_name, streams};
use crate::chart::{
    Axis, Bar, BarChart, BarSeries, Chart, ChartGroup, Dash, LATENCY_AXIS, Line, Scale, Shape,
};
use crate::curves;
use crate::document::{Block, Section};
use crate::heat;
use crate::quantity::Quantity;
use crate::table::Column;
use crate::text::cut;

/// More configurations than this are not told apart in one chart.
const MOST_DRAWN: usize = 8;
/// More pairs than this are not told apart in one chart.
const MOST_PAIRS: usize = 5;
/// More streams and loads than this are left to the table.
const MOST_GROUPS: usize = 8;
/// Changes are drawn at least this far if their intervals reach it.
const LEAST_REACH_PERCENT: f64 = 100.0;
/// Names in legends are cut to this many characters.
const LONGEST_NAME: usize = 40;

/// A configuration as it is drawn throughout.
struct Drawn<'c> {
    configuration: &'c Configuration,
    name: String,
}

/// The keys of all configurations; of very many those of the baseline and the best, which come first.
pub(super) fn drawn_keys(comparison: &Comparison) -> Vec<&str> {
    let best = comparison.recommendation.standings.iter().map(|standing| standing.configuration.as_str());
    let given = comparison.configurations.iter().map(|one| one.key.as_str());
    let mut chosen: Vec<&str> = Vec::new();
    for key in std::iter::once(comparison.baseline.as_str()).chain(best).chain(given) {
        if chosen.len() < MOST_DRAWN && !chosen.contains(&key) {
            chosen.push(key);
        }
    }
    chosen
}

/// All configurations; of very many the baseline and the best, in the order in which they were given.
fn drawn(comparison: &Comparison) -> Vec<Drawn<'_>> {
    let chosen = drawn_keys(comparison);
    let is_chosen = |one: &&Configuration| chosen.contains(&one.key.as_str());
    let drawn = |configuration| Drawn {
        configuration,
        name: cut(&Configuration::title(configuration), LONGEST_NAME),
    };
    comparison.configurations.iter().filter(is_chosen).map(drawn).collect()
}

/// What a load does, without the number of outstanding I/Os: `randread 4 KiB` for `randread 4 KiB 4 x 16`.
fn kind_of((load, of): UnderLoad<'_>) -> (String, String) {
    let load = load.unwrap_or_default();
    let is_amount = |word: &&str| *word == "x" || word.bytes().all(|byte| byte.is_ascii_digit());
    let words: Vec<&str> = load.split_whitespace().collect();
    // Sizes are numbers too, so only the numbers at the end count, with the words between them.
    let end =
        words.iter().rposition(|word| !is_amount(word) && *word != "outstanding").map_or(0, |at| at + 1);
    (words[..end].join(" "), of.to_string())
}

/// The streams and loads that a chart has room for: some of each kind of I/O, from its lowest load to its highest. The first ones alone
/// would all be of one kind, and a page about a write cache would have no writes.
fn of_every_kind<'c>(all: &[UnderLoad<'c>]) -> Vec<UnderLoad<'c>> {
    if all.len() <= MOST_GROUPS {
        return all.to_vec();
    }
    let mut kinds: Vec<((String, String), Vec<usize>)> = Vec::new();
    for (index, one) in all.iter().enumerate() {
        let kind = kind_of(*one);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, mine)) => mine.push(index),
            None => kinds.push((kind, vec![index])),
        }
    }
    kinds.truncate(MOST_GROUPS);
    let (each, more) = (MOST_GROUPS / kinds.len(), MOST_GROUPS % kinds.len());
    let mut chosen: Vec<usize> = Vec::new();
    for (number, (_, mine)) in kinds.iter().enumerate() {
        let count = (each + usize::from(number < more)).min(mine.len());
        // Evenly from the first to the last.
        chosen.extend((0..count).map(|at| mine[at * (mine.len() - 1) / (count - 1).max(1)]));
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|index| all[index]).collect()
}

/// Which loads are not drawn, in a sentence.
fn loads_left_out(count: usize) -> String {
    if count > MOST_GROUPS {
        format!(
            " Of {count} loads and streams {MOST_GROUPS} are drawn, some of each kind of I/O; the tables have all of them."
        )
    } else {
        String::new()
    }
}

/// What is not drawn, in a sentence.
fn left_out(comparison: &Comparison) -> &'static str {
    if comparison.configurations.len() > MOST_DRAWN {
        " Only the baseline and the best configurations are drawn."
    } else {
        ""
    }
}

/// What each configuration reaches: a chart for each figure, with a bar for each configuration under each stream.
pub(crate) fn bars(comparison: &Comparison) -> Option<Section> {
    let groups = streams(comparison, false);
    let Block::Bars(charts) = bars_of(comparison, "bars", &groups) else { return None };
    let has_intervals = charts.iter().flat_map(|chart| &chart.series).flat_map(|series| &series.bars);
    let has_intervals = has_intervals.flatten().any(|bar| bar.interval.is_some());
    let note = if has_intervals {
        "Error bars are 95 % confidence intervals of each figure by itself. Whether two configurations differ is in the table of changes."
    } else {
        ""
    };
    let note = format!("{note}{}{}", left_out(comparison), loads_left_out(groups.len()));
    (!charts.is_empty() && !groups.is_empty()).then(|| Section {
        id: "bars",
        heading: "Throughput and latency side by side",
        note: Some(note.trim().to_owned()).filter(|note| !note.is_empty()),
        blocks: vec![Block::Bars(charts)],
    })
}

/// The bars of these streams; `id` begins the ids of the charts.
pub(super) fn bars_of(comparison: &Comparison, id: &str, streams: &[UnderLoad<'_>]) -> Block {
    let drawn = drawn(comparison);
    let groups = &of_every_kind(streams)[..];
    let charts = ranking_figures(comparison)
        .into_iter()
        .map(|figure| {
            let bar = |one: &Configuration, group: &UnderLoad<'_>| {
                let metric = metric_of(*group, figure);
                one.figure(&metric).map(|value| Bar { value, interval: one.interval(&metric), reading: None })
            };
            let series = |(hue, one): (usize, &Drawn<'_>)| BarSeries {
                key: marked(comparison, &one.configuration.key),
                name: one.name.clone(),
                hue,
                bars: groups.iter().map(|group| bar(one.configuration, group)).collect(),
            };
            let series: Vec<BarSeries> = drawn.iter().enumerate().map(series).collect();
            BarChart {
                reach: 2.0 * largest(&series),
                id: format!("{id}-{}", figure.key().replace('_', "-")),
                title: match figure.unit() {
                    FigureUnit::Iops => "I/Os per second".to_owned(),
                    FigureUnit::MibPerS => "Bandwidth".to_owned(),
                    FigureUnit::Us => format!("Latency, {figure}"),
                },
                value: Axis { name: "", quantity: figure.unit().into(), scale: Scale::Linear, to: 0.0 },
                groups: groups.iter().map(|group| stream_name(*group)).collect(),
                series,
                decisive: None,
                mark: None,
            }
        })
        .collect();
    Block::Bars(charts)
}

/// What changes within pairs: a chart for each stream, with a bar for each pair under each figure. `id` begins their ids,
/// `what` their titles.
pub(super) fn changes(comparison: &Comparison, id: &str, what: &str, pairs: &[&Pair]) -> Option<Block> {
    let shown = &pairs[..pairs.len().min(MOST_PAIRS)];
    let figures = ranking_figures(comparison);
    let chart = |(number, stream): (usize, UnderLoad<'_>)| {
        let metrics: Vec<(String, Metric)> = figures
            .iter()
            .map(|figure| (Column::of_figure(*figure).full_name(""), metric_of(stream, *figure)))
            .filter(|(_, metric)| shown.iter().any(|pair| pair.delta(metric).is_some()))
            .collect();
        let bar = |pair: &Pair, metric: &Metric| {
            let delta = pair.delta(metric)?;
            let interval = delta.interval.map(|one| (one.low_percent, one.high_percent));
            Some(Bar { value: delta.percent, interval, reading: Some(delta.reading) })
        };
        let series = |(hue, pair): (usize, &&Pair)| BarSeries {
            key: keys(comparison, pair),
            name: titles(comparison, pair),
            hue,
            bars: metrics.iter().map(|(_, metric)| bar(pair, metric)).collect(),
        };
        let series: Vec<BarSeries> = shown.iter().enumerate().map(series).collect();
        (!metrics.is_empty()).then(|| BarChart {
            reach: (3.0 * largest(&series)).max(LEAST_REACH_PERCENT),
            id: format!("{id}-{number}"),
            title: format!("{what}: {}", stream_name(stream)),
            value: Axis { name: "change", quantity: Quantity::ChangePercent, scale: Scale::Linear, to: 0.0 },
            groups: metrics.iter().map(|(title, metric)| with_direction(title, metric)).collect(),
            series,
            decisive: None,
            mark: None,
        })
    };
    let mut streams = streams(comparison, false);
    // Reads and writes together follow from the two, which are drawn.
    let has_reads = streams.iter().any(|(_, of)| of.stream == Stream::Read);
    streams.retain(|(load, of)| load.is_some() || of.stream != Stream::Mixed || !has_reads);
    let streams = of_every_kind(&streams);
    let charts: Vec<BarChart> = streams.into_iter().enumerate().filter_map(chart).collect();
    (!charts.is_empty()).then_some(Block::Bars(charts))
}

/// Both by their names if these are short: names say more than letters.
fn titles(comparison: &Comparison, pair: &Pair) -> String {
    let title = |key: &str| {
        let title = comparison.configuration(key).map_or_else(|| key.to_owned(), Configuration::title);
        let mark = if marked(comparison, key) == key { "" } else { CONTRADICTORY };
        format!("{}{mark}", cut(&title, LONGEST_NAME))
    };
    format!("{} → {}", title(&pair.baseline), title(&pair.configuration))
}

/// What a larger number of the same thing brings, compared with growth in proportion.
pub(crate) fn scaling(comparison: &Comparison) -> Option<Section> {
    let mut kinds: Vec<(&str, &Metric)> = Vec::new();
    for one in &comparison.scaling {
        if !kinds.contains(&(one.attribute.as_str(), &one.metric)) {
            kinds.push((&one.attribute, &one.metric));
        }
    }
    kinds.truncate(MOST_GROUPS);
    let chart = |(number, (attribute, metric)): (usize, &(&str, &Metric))| {
        let mine: Vec<&Scaling> = comparison
            .scaling
            .iter()
            .filter(|one| one.attribute == *attribute && one.metric == **metric)
            .collect();
        let mut starts: Vec<&str> = Vec::new();
        for one in &mine {
            if !starts.contains(&one.from.as_str()) {
                starts.push(&one.from);
            }
        }
        let lines = starts.iter().take(MOST_DRAWN).enumerate().flat_map(|(hue, start)| {
            let of_start: Vec<&&Scaling> = mine.iter().filter(|one| one.from == *start).collect();
            let first = of_start[0];
            let mut points = vec![(first.from_count, Some(first.from_value))];
            points.extend(of_start.iter().map(|one| (one.to_count, Some(one.to_value))));
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let ideal = points
                .iter()
                .map(|(count, _)| (*count, Some(first.from_value / first.from_count * count)))
                .collect();
            let line = |what: &str, dash, shape, points| Line {
                name: format!("from {start}, {what}"),
                hue,
                dash,
                shape,
                points,
            };
            [
                line("in proportion", Dash::Dashed, Shape::Fit, ideal),
                line("measured", Dash::Solid, Shape::Course, points),
            ]
        });
        let quantity = match metric.key {
            MetricKey::Figure(_, figure) => figure.unit().into(),
            MetricKey::Capacity => Quantity::Iops,
            _ => Quantity::Unitless,
        };
        Chart {
            id: format!("scaling-{number}"),
            title: format!("{} by {}", metric.title(), cut(attribute, LONGEST_NAME)),
            x: Axis { name: "how many", quantity: Quantity::Count, scale: Scale::Linear, to: 0.0 },
            y: Axis { name: "", quantity, scale: Scale::Linear, to: 0.0 },
            lines: lines.collect(),
            spans: Vec::new(),
            limits: Vec::new(),
        }
    };
    let charts: Vec<Chart> = kinds.iter().enumerate().map(chart).collect();
    (!charts.is_empty()).then(|| Section {
        id: "scaling",
        heading: "Scaling",
        note: Some(
            "What a larger number brings, compared with growth in proportion to the number.".to_owned(),
        ),
        blocks: charts.into_iter().map(|chart| Block::Charts(ChartGroup { charts: vec![chart] })).collect(),
    })
}

/// The name of a figure, and which way is good.
fn with_direction(title: &str, metric: &Metric) -> String {
    match metric.better() {
        Some(Better::Higher) => format!("{title} → more is better"),
        Some(Better::Lower) => format!("{title} ← less is better"),
        None => title.to_owned(),
    }
}

/// The largest distance of a bar from zero. With two or three runs, an interval may reach many times as far, and the bars
/// would be too short to see.
fn largest(series: &[BarSeries]) -> f64 {
    series.iter().flat_map(|one| &one.bars).flatten().map(|bar| bar.value.abs()).fold(0.0, f64::max)
}

/// Which pairs are not drawn, in a sentence.
pub(super) fn pairs_left_out(count: usize) -> String {
    if count > MOST_PAIRS {
        format!(" The first {MOST_PAIRS} of {count} pairs are drawn.")
    } else {
        String::new()
    }
}

/// The streams that any of the configurations measured, in the order of tables.
fn measured_streams(drawn: &[Drawn<'_>]) -> Vec<Stream> {
    let has =
        |stream: &Stream| drawn.iter().any(|one| one.configuration.streams().any(|known| known == *stream));
    Stream::OF_RUNS.into_iter().filter(has).collect()
}

/// The percentile curves of all configurations in one chart.
pub(crate) fn distribution(comparison: &Comparison) -> Option<Section> {
    let drawn = drawn(comparison);
    let line = |stream: Stream, index: usize, one: &Drawn<'_>| {
        let curve = one.configuration.latency_curve(stream);
        let points: Vec<_> = curve.iter().map(|at| (at.percent, Some(at.latency_us))).collect();
        (!points.is_empty()).then(|| Line {
            name: one.name.clone(),
            hue: index,
            dash: Dash::of_series(index),
            shape: Shape::Course,
            points,
        })
    };
    let chart = |stream: Stream| Chart {
        id: format!("curve-{stream}"),
        title: format!("Latency of {stream}s by percentile"),
        x: curves::PERCENTILE_AXIS,
        y: LATENCY_AXIS,
        lines: drawn.iter().enumerate().filter_map(|(index, one)| line(stream, index, one)).collect(),
        spans: Vec::new(),
        limits: Vec::new(),
    };
    let charts: Vec<Chart> = measured_streams(&drawn).into_iter().map(chart).collect();
    let charts: Vec<Chart> = charts.into_iter().filter(|chart| !chart.lines.is_empty()).collect();
    (!charts.is_empty()).then(|| Section {
        id: "distribution",
        heading: "Latency distribution",
        note: Some(format!(
            "Over all runs of a configuration together. Each curve ends at its slowest single I/O.{}",
            left_out(comparison)
        )),
        blocks: vec![Block::Charts(ChartGroup { charts })],
    })
}

/// Heat maps side by side, with the same bands of latency in all maps of a stream.
pub(crate) fn spread(comparison: &Comparison) -> Option<Section> {
    let drawn = drawn(comparison);
    let maps = |stream: Stream| {
        let shown: Vec<_> =
            drawn.iter().filter_map(|one| Some((one, one.configuration.course(stream)?))).collect();
        let courses: Vec<_> = shown.iter().map(|(_, course)| *course).collect();
        let titles = shown.iter().map(|(one, _)| format!("Latency of {stream}s, {}", one.name));
        let aligned = AlignedCourses::new(&courses)?;
        Some(Block::HeatMaps(heat::side_by_side(stream.as_str(), titles, aligned)))
    };
    let blocks: Vec<Block> = measured_streams(&drawn).into_iter().filter_map(maps).collect();
    let of_first = if drawn.iter().any(|one| one.configuration.run_count() > 1) {
        " If a configuration has several runs, the first one is drawn."
    } else {
        ""
    };
    (!blocks.is_empty()).then(|| Section {
        id: "spread",
        heading: "Latency distribution over time",
        note: Some(format!(
            "{} All maps of a stream have the same bands.{of_first}{}",
            heat::HOW_TO_READ,
            left_out(comparison)
        )),
        blocks,
    })
}
