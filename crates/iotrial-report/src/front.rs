//! What a page shows first of one result.

use iotrial_analysis::figures::Figures;
use iotrial_analysis::summary::Summary;
use iotrial_analysis::verdict::{Capacity, Judged};
use iotrial_model::figure::Figure;
use iotrial_model::stream::Stream;
use iotrial_model::subject::Subject;
use iotrial_words::numbers::latency_in_words;
use iotrial_words::verdict::roles_of;

use crate::chart::{Axis, Bar, BarChart, BarSeries, Chart, ChartGroup, Mark, Scale};
use crate::document::{Beside, Block, Front, KeyFigure, MOST_FIGURES, Section};
use crate::quantity::Quantity;
use crate::table::Value;
use crate::text::cut;
use crate::verification;

/// Judged latencies with a bar of their own: a stream of each role has one.
const MOST_BARS: usize = 8;
/// Latencies among the figures, where there are rates as well.
const MOST_LATENCIES: usize = 2;
/// A bar ends here, in percent of its limit: one of a hundred times the limit would leave nothing of the others.
const REACH_PERCENT: f64 = 250.0;
/// The name of a target in a title is cut to this many characters.
const LONGEST_TARGET: usize = 60;

/// The front of one result, of whose document these are the sections.
pub(crate) fn of_result(subject: &Subject<'_>, summary: &Summary, sections: &[Section]) -> Front {
    let judged = worst_of_each(&summary.verdict.judged);
    if let Some(figures) = verification::key_figures(summary) {
        return Front { title: title(subject), figures, chart: None, lines: Vec::new(), closing: None };
    }
    let mut figures: Vec<KeyFigure> = rates(subject, summary);
    let latencies: Vec<KeyFigure> = match judged.is_empty() {
        false => judged.iter().take(MOST_LATENCIES).map(|one| latency(one)).collect(),
        true => unjudged(summary),
    };
    figures.extend(latencies);
    figures.extend(summary.together.map(|all| {
        let quantity = Quantity::BandwidthMibPerS;
        KeyFigure::new("reads and writes", quantity, Value::Number(all.bandwidth_mib_per_s))
    }));
    let measured_s = summary.measured_s.filter(|measured_s| *measured_s > 0.0);
    figures.extend(
        measured_s.map(|seconds| KeyFigure::new("measured", Quantity::Seconds, Value::Number(seconds))),
    );
    figures.truncate(MOST_FIGURES);
    Front {
        title: title(subject),
        figures,
        chart: limits(&judged).or_else(|| first_chart(sections, "throughput")),
        lines: Vec::new(),
        closing: None,
    }
}

/// The title of the result with its profile and its target, where the title does not say them already.
fn title(subject: &Subject<'_>) -> Option<String> {
    let title = subject.title();
    let profile =
        Some(subject.profile()).filter(|profile| subject.plan.is_some() && !title.contains(profile));
    let target = match subject.targets {
        [only] => Some(cut(&only.named(), LONGEST_TARGET)),
        _ => None,
    };
    let title = profile.map_or_else(|| title.to_owned(), |profile| format!("{title}, {profile}"));
    Some(target.map_or_else(|| title.clone(), |target| format!("{title} on {target}")))
}

/// The rate that is the answer of a search, else the one that was made; with what saturates the storage.
fn rates(subject: &Subject<'_>, summary: &Summary) -> Vec<KeyFigure> {
    let iops = |name: &str, iops: f64| KeyFigure::new(name, Quantity::Iops, Value::Number(iops));
    let Some(capacity) = &summary.capacity else {
        if let Some(all) = summary.together {
            return vec![iops("reads and writes", all.iops)];
        }
        // A source that states no bytes: what it states of each stream.
        let rate = |stream: &Stream| {
            let rate = summary.total.get(*stream)?.get(Figure::Iops)?;
            Some(iops(&format!("{}s", stream.as_str()), rate))
        };
        return Stream::ALL.iter().filter_map(rate).collect();
    };
    let mut rates = Vec::new();
    rates.extend(capacity.iops.map(|held| within(capacity, held)));
    if capacity.iops.is_none() {
        // What was made for longest, which is what the latencies are of.
        let made = Figures::of_all(subject).and_then(|all| all.get(Figure::Iops));
        let beside = capacity.need_iops.map(Beside::Needed);
        rates.extend(made.map(|made| KeyFigure {
            is_beyond: capacity.carries_need == Some(false),
            ..iops("measured rate", made).beside(beside)
        }));
    }
    rates.extend(capacity.saturation_iops.map(|full| iops("at full load", full)));
    rates
}

/// The highest rate within the limits.
fn within(capacity: &Capacity, iops: f64) -> KeyFigure {
    let value = match capacity.is_lower_bound {
        true => Value::Bounded { sign: "≥", number: iops, reading: None },
        false => Value::Number(iops),
    };
    KeyFigure {
        is_beyond: capacity.carries_need == Some(false),
        ..KeyFigure::new("within the limits", Quantity::Iops, value)
            .beside(capacity.need_iops.map(Beside::Needed))
    }
}

/// Of each stream of each role the judged latency that is closest to its limit or furthest beyond it, the worst first.
fn worst_of_each(judged: &[Judged]) -> Vec<&Judged> {
    let mut worst: Vec<&Judged> = Vec::new();
    for one in Judged::by_weight(judged) {
        let is_same = |known: &&Judged| known.roles() == one.roles() && known.stream == one.stream;
        if !worst.iter().any(is_same) {
            worst.push(one);
        }
    }
    worst
}

/// `log commit p99`.
fn name_of(judged: &Judged) -> String {
    format!("{} {} {}", roles_of(judged), judged.stream, judged.statistic)
}

fn latency(judged: &Judged) -> KeyFigure {
    KeyFigure {
        is_beyond: !judged.is_acceptable(),
        ..KeyFigure::new(name_of(judged), Quantity::LatencyUs, Value::amount(Some(judged.amount())))
            .beside(Some(Beside::Limit(judged.limit_us)))
    }
}

/// The tail of each stream, or its mean, where nothing is judged.
fn unjudged(summary: &Summary) -> Vec<KeyFigure> {
    let of_stream = |stream: &Stream| {
        let figures = summary.total.get(*stream)?;
        let mut known = [Figure::LatencyP99, Figure::LatencyMean].into_iter();
        let (figure, us) = known.find_map(|figure| Some((figure, figures.get(figure)?)))?;
        let name = format!("{stream} {figure}");
        Some(KeyFigure::new(name, Quantity::LatencyUs, Value::Number(us)))
    };
    Stream::ALL.iter().filter_map(of_stream).take(MOST_LATENCIES).collect()
}

/// How much of its limit each latency uses, a bar for each.
fn limits(judged: &[&Judged]) -> Option<Block> {
    let shown = &judged[..judged.len().min(MOST_BARS)];
    let percent = |one: &Judged| 100.0 * one.value_us / one.limit_us;
    let group = |one: &&Judged| {
        let sign = one.amount().shown().0.map_or_else(String::new, |sign| format!("{sign} "));
        let (value, limit) = (latency_in_words(one.value_us), latency_in_words(one.limit_us));
        format!("{}: {sign}{value} of {limit}", name_of(one))
    };
    let bar = |one: &&Judged| Some(Bar { value: percent(one), interval: None, reading: None });
    (!shown.is_empty()).then(|| {
        Block::Bars(vec![BarChart {
            id: "front-limits".to_owned(),
            title: "How much of its limit each latency uses".to_owned(),
            value: Axis {
                name: "of the limit",
                quantity: Quantity::Percent,
                scale: Scale::Linear,
                to: 100.0,
            },
            reach: REACH_PERCENT,
            groups: shown.iter().map(group).collect(),
            series: vec![BarSeries {
                key: String::new(),
                name: String::new(),
                hue: 0,
                bars: shown.iter().map(bar).collect(),
            }],
            decisive: None,
            mark: Some(Mark { name: "limit", value: 100.0, is_limit: true }),
        }])
    })
}

/// The first chart of a section, as one of its own.
fn first_chart(sections: &[Section], id: &str) -> Option<Block> {
    let section = sections.iter().find(|section| section.id == id)?;
    let chart = section.blocks.iter().find_map(|block| match block {
        Block::Charts(group) => group.charts.first(),
        _ => None,
    })?;
    // Ids are unique in a page.
    let chart = Chart { id: format!("front-{}", chart.id), ..chart.clone() };
    Some(Block::Charts(ChartGroup { charts: vec![chart] }))
}
