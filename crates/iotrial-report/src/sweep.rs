//! The document of a sweep: knee and ceiling of every pattern, what limits them, the curves, and every probe.

use iotrial_analysis::comparison::Circumstances;
use iotrial_analysis::saturation::{Confidence, KneeBound, Model, Saturation};
use iotrial_analysis::sweep::{Curve, JUDGED_BY, Limit, Scaling, SweepSummary};
use iotrial_analysis::verdict::Outcome;
use iotrial_model::figure::Figure;
use iotrial_model::finding::{Finding, FindingId, Severity};
use iotrial_model::subject::Subject;
use iotrial_model::sweep::{ProbePurpose, SweepMethod, SweepRecord};
use iotrial_model::units::duration_in_words;
use iotrial_model::words::{counted, enumerate};

mod answer;

mod charts;

mod compared;

mod front;

mod grid;

use crate::brief;
use crate::chart::{Axis, Chart, ChartGroup, Dash, Line, Scale, Shape};
use crate::comparison::measured::in_words;
use crate::document::{Block, Document, Fact, FindingLine, Section};
use crate::finding_line::About;
use crate::possible_causes;
use crate::proposals;
use crate::quantity::Quantity;
use crate::result;
use crate::settings::{activity_facts, cache_of_array};
use crate::table::{Column, Row, Table, Value};
use crate::text::cut;
use iotrial_words::numbers::{outstanding_in_words, seconds_in_words};
use iotrial_words::rate_limit::{kind_in_words, says};

/// Points from one load to its double on a fitted line.
const POINTS_PER_DOUBLING: u32 = 8;
/// Names of volumes are cut to this many characters.
const LONGEST_NAME: usize = 40;

const OUTSTANDING: Axis =
    Axis { name: "outstanding I/Os", quantity: Quantity::Count, scale: Scale::Doublings, to: 0.0 };
const LATENCY: Axis = Axis { name: "", quantity: Quantity::LatencyUs, scale: Scale::Log, to: 0.0 };

/// Where a sweep comes from.
#[derive(Debug, Clone, Copy)]
pub enum SweepOf<'r> {
    /// Measured here; the summary is that of the record.
    Record(&'r SweepRecord),
    /// Results of other tools over a grid of loads.
    Results {
        /// Where they come from, in words.
        sources: &'r str,
        /// What was measured.
        circumstances: &'r Circumstances,
    },
}

impl Document {
    /// The document of one sweep.
    pub fn of_sweep(of: SweepOf<'_>, summary: &SweepSummary) -> Self {
        let record = match of {
            SweepOf::Record(record) => Some(record),
            SweepOf::Results { .. } => None,
        };
        let circumstances = match of {
            SweepOf::Record(record) => Circumstances::of(&Subject::of_sweep(record)),
            SweepOf::Results { circumstances, .. } => circumstances.clone(),
        };
        let is_series = summary.method == SweepMethod::Sqlio;
        let sections = [
            answer::section(summary, circumstances.is_simulated),
            ended(summary),
            measured(of, summary, &circumstances),
            charts::throughput_latency(summary),
            saturation(record.map_or(1, |record| record.settings.repeats), summary),
            is_series.then(|| charts::series(summary)).flatten(),
            limits(summary),
            possible_causes::section(&summary.possible_causes),
            scaling(summary),
            findings(summary),
            curves(summary),
            grid::section(summary),
            fits(summary),
            probes(summary),
            proposals::proposals(&summary.settings),
            record.and_then(settings_of),
        ];
        let (title, byline) = match of {
            SweepOf::Record(record) => (
                record.label.clone().unwrap_or_else(|| title(record).to_owned()),
                format!(
                    "{}, {} {}",
                    result::start_of(&record.started_at),
                    record.tool.name,
                    record.tool.version
                ),
            ),
            SweepOf::Results { sources, .. } => ("Imported results by load".to_owned(), sources.to_owned()),
        };
        let sections: Vec<Section> = sections.into_iter().flatten().collect();
        let front = front::of(record, &title, summary, &sections);
        Self {
            title,
            byline,
            in_brief: record.map(attributes).unwrap_or_default(),
            sections,
            chapters: Vec::new(),
            front,
        }
    }
}

fn attributes(record: &SweepRecord) -> Vec<(&'static str, String)> {
    brief::attributes_in_brief(&record.attributes).into_iter().collect()
}

const fn title(record: &SweepRecord) -> &'static str {
    match record.settings.method {
        SweepMethod::Search | SweepMethod::Grid => "Sweep of outstanding I/Os",
        SweepMethod::Sqlio => "Series of the SQLIO paper",
        SweepMethod::Channel => "Sweep of the channel",
    }
}

/// Where, under what load, when and by what.
fn measured(of: SweepOf<'_>, summary: &SweepSummary, circumstances: &Circumstances) -> Option<Section> {
    let patterns = enumerate(&summary.curves.iter().map(|curve| curve.pattern.to_string()).fold(
        Vec::new(),
        |mut known: Vec<String>, one| {
            if !known.contains(&one) {
                known.push(one);
            }
            known
        },
    ));
    let loads = || summary.curves.iter().flat_map(|curve| &curve.probes).map(|probe| probe.outstanding);
    let load = loads().min().zip(loads().max()).map(|(least, most)| {
        let from = if least == most { String::new() } else { format!("{least} to ") };
        format!("{patterns}; {from}{}", outstanding_in_words(most.into()))
    });
    // Also the loads on several volumes at once, which are in no curve.
    let (count, what) = match of {
        SweepOf::Record(record) => (record.probes.len(), "probe"),
        SweepOf::Results { .. } => (summary.curves.iter().map(|curve| curve.probes.len()).sum(), "result"),
    };
    let mut facts = in_words(circumstances);
    // In results of other tools, the names of what was swept distinguish configurations.
    if let (SweepOf::Results { .. }, false) = (of, summary.volumes.is_empty()) {
        let names: Vec<String> = summary.volumes.iter().map(|name| cut(name, LONGEST_NAME)).collect();
        facts.insert(0, ("of", names.join("; ")));
    }
    facts.extend(load.map(|load| ("load", load)));
    facts.push((
        "probes",
        format!("{}, {} measured", counted(count as u64, what), seconds_in_words(summary.measured_s)),
    ));
    if let SweepOf::Record(record) = of {
        let sizes = record.settings.sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        facts.extend((!sizes.is_empty()).then_some(("data on each volume", sizes)));
    }
    let rows = facts.into_iter().map(|(name, words)| Row {
        cells: vec![Value::Text(name.to_owned()), Value::Text(words)],
        is_total: false,
    });
    let columns = vec![Column::new("what", Quantity::Words), Column::new("value", Quantity::Words)];
    let caption = "What was measured".to_owned();
    let table = Table { caption, columns, rows: rows.collect(), at_a_glance: true };
    section("measured", "What was measured", None, vec![Block::Table(table)])
}

fn section(
    id: &'static str,
    heading: &'static str,
    note: Option<String>,
    blocks: Vec<Block>,
) -> Option<Section> {
    (!blocks.is_empty()).then_some(Section { id, heading, note, blocks })
}

/// The findings that have a section of their own, as lines.
fn lines(summary: &SweepSummary, ids: &[FindingId]) -> Vec<Block> {
    let mine = summary.findings.iter().filter(|finding| ids.contains(&finding.id));
    let lines: Vec<FindingLine> = mine.map(FindingLine::brief).collect();
    if lines.is_empty() { Vec::new() } else { vec![Block::Findings(lines)] }
}

fn ended(summary: &SweepSummary) -> Option<Section> {
    section("ended", "How it ended", None, lines(summary, &[FindingId::Ended]))
}

fn name_of(summary: &SweepSummary, volume: usize) -> String {
    summary.volumes.get(volume).map_or_else(|| "?".to_owned(), |path| cut(path, LONGEST_NAME))
}

/// What a curve is called: its pattern, and its volume where there are several.
fn curve_name(summary: &SweepSummary, curve: &Curve) -> String {
    match summary.volumes.len() {
        0 | 1 => curve.pattern.to_string(),
        _ => format!("{} on {}", curve.pattern, name_of(summary, curve.volume)),
    }
}

/// Labels of a row: the pattern, and the volume where there are several.
fn labels(summary: &SweepSummary, pattern: &impl ToString, volume: Option<usize>) -> Vec<Value> {
    let mut cells = vec![Value::Text(pattern.to_string())];
    if summary.volumes.len() > 1 {
        let name = volume.map_or_else(|| "together".to_owned(), |volume| name_of(summary, volume));
        cells.push(Value::Text(name));
    }
    cells
}

fn label_columns(summary: &SweepSummary) -> Vec<Column> {
    let mut columns = vec![Column::new("pattern", Quantity::Words)];
    if summary.volumes.len() > 1 {
        columns.push(Column::new("volume", Quantity::Words));
    }
    columns
}

fn found(summary: &SweepSummary) -> impl Iterator<Item = (&Curve, &Saturation)> {
    summary.curves.iter().filter_map(|curve| Some((curve, curve.saturation.as_ref()?)))
}

fn saturation(repeats: u32, summary: &SweepSummary) -> Option<Section> {
    let row = |(curve, found): (&Curve, &Saturation)| {
        let of_knee = |value: f64| (found.knee_bound != Some(KneeBound::Unknown)).then_some(value);
        let mut cells = labels(summary, &curve.pattern, Some(curve.volume));
        cells.extend([
            Value::Text(curve.limit.as_ref().map_or("–", |limit| kind_in_words(limit.kind)).to_owned()),
            Value::Text(
                match found.knee_bound {
                    None | Some(KneeBound::Unknown) => "",
                    Some(KneeBound::AtOrBelow) => "≤",
                    Some(KneeBound::AtOrAbove) => "≥",
                }
                .to_owned(),
            ),
            Value::number(of_knee(found.knee.outstanding)),
            Value::number(of_knee(found.knee.lat_mean_us)),
            Value::Text(if found.is_reached { "" } else { "≥" }.to_owned()),
            Value::Number(found.ceiling_iops),
            Value::Number(found.ceiling_mib_per_s),
            Value::Number(found.saturated.lat_mean_us),
            Value::Number(found.saturated.outstanding),
            within(found.knee_confidence, found.knee.outstanding),
            within(found.ceiling_confidence, found.ceiling_iops),
        ]);
        Row { cells, is_total: false }
    };
    let rows: Vec<Row> = found(summary).map(row).collect();
    if rows.is_empty() {
        return None;
    }
    let mut columns = label_columns(summary);
    let first = columns.len();
    columns.extend([
        Column::new("limit", Quantity::Words),
        Column::new("", Quantity::Words),
        Column::new("knee", Quantity::Load),
        Column::new("knee lat", Quantity::LatencyUs),
        Column::new("", Quantity::Words),
        Column::new("ceiling", Quantity::Iops),
        Column::new("ceiling", Quantity::BandwidthMibPerS),
        Column::new("sat. lat", Quantity::LatencyUs).optional(),
        Column::new("saturated", Quantity::Count).optional(),
        Column::new("± knee", Quantity::Percent).optional(),
        Column::new("± ceiling", Quantity::Percent).optional(),
    ]);
    let mut table = Table { caption: "Knee and ceiling".to_owned(), columns, rows, at_a_glance: true };
    let (knee_mark, ceiling_mark) = (first + 1, first + 4);
    if found(summary).all(|(_, found)| found.is_reached) {
        table.without_column(ceiling_mark);
    }
    let bound = if found(summary).all(|(_, found)| found.knee_bound.is_none()) {
        table.without_column(knee_mark);
        ""
    } else {
        " If the loads do not show the knee, ≤ means that it is at or below this load, and ≥ that it is at or above it."
    };
    let repeats = match repeats {
        1 => String::new(),
        2 => " Each load was measured twice if time allowed.".to_owned(),
        count => format!(" Each load was measured {count} times if time allowed."),
    };
    section(
        "saturation",
        "Where it saturates",
        Some(format!(
            "Loads are numbers of outstanding I/Os. The knee is where latency begins to grow faster than the rate. The ceiling is the rate that more outstanding I/Os do not raise; “saturated” is the lowest measured load that reaches 95 % of it. Figures at loads that were measured are measurements; the others come from the fitted curve.{bound} Latencies are means; ± is a 95 % confidence interval.{repeats}"
        )),
        vec![Block::Table(table)],
    )
}

/// Half the width of a confidence interval in percent of the value.
fn within(confidence: Option<Confidence>, value: f64) -> Value {
    Value::number(confidence.map(|one| 50.0 * (one.high - one.low) / value))
}

/// What is said about curves in addition to their limits; the figures of these findings are in the table of the curves.
const OF_CURVES: [FindingId; 7] = [
    FindingId::KneeNotResolved,
    FindingId::Drift,
    FindingId::Burst,
    FindingId::FallsAgain,
    FindingId::SplitMatters,
    FindingId::AboveCeiling,
    FindingId::RoughFit,
];

fn limits(summary: &SweepSummary) -> Option<Section> {
    let of_curves = summary.findings.iter().filter(|finding| OF_CURVES.contains(&finding.id));
    let mut lines: Vec<FindingLine> = of_curves.map(FindingLine::brief).collect();
    // What holds for several curves is listed once.
    let mut limits: Vec<(&Limit, Vec<String>)> = Vec::new();
    for (curve, limit) in summary.curves.iter().filter_map(|curve| Some((curve, curve.limit.as_ref()?))) {
        match limits.iter_mut().find(|(known, _)| *known == limit) {
            Some((_, curves)) => curves.push(curve_name(summary, curve)),
            None => limits.push((limit, vec![curve_name(summary, curve)])),
        }
    }
    lines.extend(limits.into_iter().map(|(limit, curves)| {
        let message = format!("{}: {}", curves.join(", "), says(&limit.cause));
        FindingLine::about(About::Limit(limit.kind), Severity::Note, message)
    }));
    let blocks = if lines.is_empty() { Vec::new() } else { vec![Block::Findings(lines)] };
    section("limits", "What limits it", None, blocks)
}

fn scaling(summary: &SweepSummary) -> Option<Section> {
    let rows = summary.scaling.iter().flat_map(|one| {
        one.rows.iter().map(move |row| Row {
            cells: vec![
                Value::Text(one.pattern.to_string()),
                Value::Count(row.volume_count as u64),
                Value::Count(row.outstanding.into()),
                Value::Number(row.iops),
                Value::Number(row.bandwidth_mib_per_s),
                Value::number(row.lat_mean_us),
                Value::number(row.lat_p99_us),
                Value::Number(row.sum_of_alone_iops),
                Value::Number(row.efficiency_percent),
            ],
            is_total: false,
        })
    });
    let rows: Vec<Row> = rows.collect();
    if rows.is_empty() {
        return None;
    }
    let table = Table {
        caption: "Volumes together".to_owned(),
        columns: vec![
            Column::new("pattern", Quantity::Words),
            Column::new("volumes", Quantity::Count),
            Column::new("outst.", Quantity::Count).optional(),
            Column::of_figure(Figure::Iops),
            Column::of_figure(Figure::Bandwidth),
            Column::of_figure(Figure::LatencyMean),
            Column::of_figure(Figure::LatencyP99).optional(),
            Column::new("sum alone", Quantity::Iops),
            Column::new("efficiency", Quantity::Percent),
        ],
        rows,
        at_a_glance: true,
    };
    let line = |one: &Scaling| {
        let message = format!("{}: {}", one.pattern, says(&one.limit.cause));
        FindingLine::about(About::Limit(one.limit.kind), Severity::Note, message)
    };
    section(
        "scaling",
        "Volumes together",
        Some("Each volume gets as many outstanding I/Os as the fastest single volume had. Efficiency is the rate of all volumes together, in percent of the sum of their rates alone.".to_owned()),
        [Some(Block::Table(table)), charts::scaling(&summary.scaling), Some(Block::Findings(summary.scaling.iter().map(line).collect()))].into_iter().flatten().collect(),
    )
}

fn findings(summary: &SweepSummary) -> Option<Section> {
    let is_elsewhere = |finding: &&Finding| finding.id == FindingId::Ended || OF_CURVES.contains(&finding.id);
    let others = summary.findings.iter().filter(|finding| !is_elsewhere(finding));
    let lines: Vec<FindingLine> = others.map(FindingLine::of).collect();
    let blocks = if lines.is_empty() { Vec::new() } else { vec![Block::Findings(lines)] };
    section("findings", "Findings", None, blocks)
}

/// Throughput and latency over outstanding I/Os, a pair of charts for each pattern.
fn curves(summary: &SweepSummary) -> Option<Section> {
    let mut patterns = Vec::new();
    for (curve, _) in found(summary) {
        if !patterns.contains(&curve.pattern) {
            patterns.push(curve.pattern);
        }
    }
    let group = |pattern| {
        let mine = || found(summary).filter(move |(curve, _)| curve.pattern == pattern);
        let several = mine().count() > 1;
        let mut rates = Vec::new();
        let mut latencies = Vec::new();
        for (hue, (curve, found)) in mine().enumerate() {
            let name = |what: &str| {
                if several { format!("{}, {what}", name_of(summary, curve.volume)) } else { what.to_owned() }
            };
            let line =
                |what: &str, shape, points| Line { name: name(what), hue, dash: Dash::Solid, shape, points };
            let measured = |of: fn(&iotrial_analysis::figures::Figures) -> Option<f64>| {
                let mut points: Vec<(f64, Option<f64>)> =
                    curve.probes.iter().map(|one| (f64::from(one.outstanding), of(&one.figures))).collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                points
            };
            let loads = loads(curve);
            rates.push(line("measured", Shape::Points, measured(|f| f.iops)));
            latencies.push(line("measured", Shape::Points, measured(|f| f.lat_mean_us)));
            if let Some(fit) = &found.fit {
                let fitted = |of: fn(f64, f64) -> f64| {
                    loads.iter().map(|n| (*n, Some(of(*n, fit.model.iops(*n))))).collect::<Vec<_>>()
                };
                rates.push(line("fitted", Shape::Fit, fitted(|_, iops| iops)));
                latencies.push(line("fitted", Shape::Fit, fitted(|n, iops| 1e6 * n / iops)));
            }
            let what = match found.knee_bound {
                None => "knee",
                Some(KneeBound::AtOrBelow) => "knee at or below",
                Some(KneeBound::AtOrAbove) => "knee at or above",
                Some(KneeBound::Unknown) => continue,
            };
            let knee = |y: f64| line(what, Shape::Ring, vec![(found.knee.outstanding, Some(y))]);
            rates.push(knee(found.knee.iops));
            latencies.push(knee(found.knee.lat_mean_us));
        }
        let chart = |kind: &str, what: &str, y, lines| Chart {
            id: format!("{kind}-{pattern}"),
            title: format!("{what} of {pattern}"),
            x: OUTSTANDING,
            y,
            lines,
            spans: Vec::new(),
            limits: Vec::new(),
        };
        let rate = Axis { name: "", quantity: Quantity::Iops, scale: Scale::Linear, to: 0.0 };
        Block::Charts(ChartGroup {
            charts: vec![
                chart("rate", "I/Os per second", rate, rates),
                chart("latency", "Mean latency", LATENCY, latencies),
            ],
        })
    };
    section(
        "curves",
        "Curves",
        Some("Points are measured, lines are fitted, and rings are knees or the loads that bound them. Outstanding I/Os and latency have logarithmic scales.".to_owned()),
        patterns.into_iter().map(group).collect(),
    )
}

/// Where a fitted line is drawn: from the lowest to the highest load, with the knee, where it bends.
fn loads(curve: &Curve) -> Vec<f64> {
    let all = || curve.probes.iter().map(|one| f64::from(one.outstanding));
    let (lowest, highest) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let mut loads: Vec<f64> = (0..)
        .map(|step| lowest * 2f64.powf(f64::from(step) / f64::from(POINTS_PER_DOUBLING)))
        .take_while(|load| *load < highest)
        .collect();
    loads.extend([highest]);
    loads.extend(curve.saturation.as_ref().map(|found| found.knee.outstanding));
    loads.sort_by(f64::total_cmp);
    loads.dedup();
    loads
}

fn fits(summary: &SweepSummary) -> Option<Section> {
    let row = |(curve, found): (&Curve, &Saturation)| {
        let fit = found.fit.as_ref()?;
        let (alone_us, contention, coherency, ceiling, sharpness) = match fit.model {
            Model::Queueing { alone_us, contention, ceiling_iops, sharpness } => {
                (alone_us, contention, None, ceiling_iops, sharpness)
            }
            Model::UniversalScalabilityLaw { alone_us, contention, coherency } => {
                (alone_us, contention, Some(coherency), None, None)
            }
        };
        let mut cells = labels(summary, &curve.pattern, Some(curve.volume));
        cells.extend([
            Value::Text(fit.model.name().to_owned()),
            Value::Number(alone_us),
            Value::Number(contention),
            Value::number(coherency),
            Value::number(ceiling),
            Value::number(sharpness),
            Value::Number(fit.rms_percent),
            Value::number(fit.r_squared),
            Value::Count(fit.point_count as u64),
        ]);
        Some(Row { cells, is_total: false })
    };
    let rows: Vec<Row> = found(summary).filter_map(row).collect();
    if rows.is_empty() {
        return None;
    }
    let mut columns = label_columns(summary);
    columns.extend([
        Column::new("model", Quantity::Words),
        Column::new("R₀", Quantity::LatencyUs),
        Column::new("σ", Quantity::Unitless),
        Column::new("κ", Quantity::Unitless),
        Column::new("C", Quantity::Iops),
        Column::new("p", Quantity::Unitless),
        Column::new("off by", Quantity::Percent),
        Column::new("R²", Quantity::Unitless),
        Column::new("points", Quantity::Count),
    ]);
    let table = Table { caption: "Fitted models".to_owned(), columns, rows, at_a_glance: false };
    section(
        "fits",
        "How well the models fit",
        Some("Queueing with a ceiling: X(N) = min(C, N / (R₀ (1 + σ (N − 1)))), or with a round corner N / (R₀ (1 + (N / (C R₀))ᵖ)^(1/p)). Universal scalability law: X(N) = N / (R₀ (1 + σ (N − 1) + κ N (N − 1))). “Off by” is the root mean square of the relative distances of the points from the curve.".to_owned()),
        vec![Block::Table(table)],
    )
}

fn probes(summary: &SweepSummary) -> Option<Section> {
    let is_series = summary.method == SweepMethod::Sqlio;
    let rows = summary.curves.iter().flat_map(|curve| {
        curve.probes.iter().map(|probe| {
            let figures = &probe.figures;
            let mut cells = labels(summary, &curve.pattern, Some(curve.volume));
            cells.extend([
                Value::Count(probe.outstanding.into()),
                Value::Text(
                    match probe.purpose {
                        ProbePurpose::Search => "search",
                        ProbePurpose::Sustained => "sustained",
                        ProbePurpose::Grid | ProbePurpose::Together => "",
                    }
                    .to_owned(),
                ),
                Value::Number(probe.measured_s),
                Value::number(figures.iops),
                Value::number(figures.bandwidth_mib_per_s),
                Value::number(figures.lat_mean_us),
                Value::number(figures.lat_p50_us),
                Value::number(figures.lat_p99_us),
                Value::number(figures.lat_max_us),
                figures.error_count.map_or(Value::Absent, Value::Count),
                Value::Text(outcome_words(probe.outcome).to_owned()),
                Value::Text(probe.why_not.clone().unwrap_or_default()),
            ]);
            Row { cells, is_total: false }
        })
    });
    let rows: Vec<Row> = rows.collect();
    if rows.is_empty() {
        return None;
    }
    let mut columns = label_columns(summary);
    columns.extend([
        Column::new("outst.", Quantity::Count),
        Column::new("purpose", Quantity::Words).optional(),
        Column::new("measured", Quantity::Seconds).optional(),
        Column::of_figure(Figure::Iops),
        Column::of_figure(Figure::Bandwidth),
        Column::of_figure(Figure::LatencyMean),
        Column::of_figure(Figure::LatencyP50).optional(),
        Column::of_figure(Figure::LatencyP99),
        Column::of_figure(Figure::LatencyMax).optional(),
        Column::new("errors", Quantity::Count).optional(),
        Column::new("limits", Quantity::Words),
        Column::new("why not", Quantity::Words).optional(),
    ]);
    let mut table = Table { caption: "Every probe".to_owned(), columns, rows, at_a_glance: is_series };
    if is_series {
        // All tests of a series are for the same.
        let purpose = table.columns.iter().position(|column| column.name == "purpose");
        table.without_column(purpose.expect("it was added just now"));
    }
    let note = format!(
        "“Within” and “beyond” refer to what {JUDGED_BY} calls acceptable for data files. “In doubt”: something other than the device may have decided it, or there were too few I/Os."
    );
    let heading = if is_series { "The tests" } else { "Every probe" };
    section("probes", heading, Some(note), vec![Block::Table(table)])
}

/// The outcome of one load, next to others.
const fn outcome_words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Qualified => "within",
        Outcome::Inconclusive => "in doubt",
        Outcome::NotQualified => "beyond",
    }
}

fn settings_of(record: &SweepRecord) -> Option<Section> {
    let settings = &record.settings;
    let fact = |name: &str, text: String| Fact {
        name: name.to_owned(),
        quantity: Quantity::Words,
        value: Value::Text(text),
    };
    let access = match (settings.engine.touches_targets(), settings.direct) {
        (false, _) => "none touched",
        (true, true) => "direct I/O",
        (true, false) => "through the page cache",
    };
    let method = match settings.method {
        SweepMethod::Search => "search for the knee",
        SweepMethod::Grid => "grid as given",
        SweepMethod::Sqlio => "series of the SQLIO paper",
        SweepMethod::Channel => "search on files that fit into a cache of the storage",
    };
    let mut facts = vec![
        fact("method", method.to_owned()),
        fact("step", duration_in_words(settings.step)),
        fact("idle between kinds of I/O", duration_in_words(settings.idle)),
        fact("repeats", settings.repeats.to_string()),
        fact("engine", settings.engine.as_str().to_owned()),
        fact("access to the volumes", access.to_owned()),
        fact("seed", settings.seed.to_string()),
    ];
    let precondition = settings.precondition.map(duration_in_words);
    facts.extend(precondition.map(|time| fact("precondition of writes", time)));
    let waited =
        settings.until_steady.map(|limit| format!("waited for, {} at most", duration_in_words(limit)));
    facts.extend(waited.map(|waited| fact("steady state of writes", waited)));
    facts.extend(settings.array_cache.map(cache_of_array));
    facts.extend((!settings.priority.is_normal()).then(|| fact("priority", settings.priority.to_string())));
    facts.extend(settings.granted_priority.map(|granted| fact("priority granted", granted.to_string())));
    facts.extend(settings.engine_reason.iter().map(|reason| fact("engine chosen because", reason.clone())));
    for (target, size) in record.targets.iter().zip(&settings.sizes) {
        facts.push(fact("volume", format!("{}, {size} of data", target.named())));
    }
    if let Some(memory) = record.host.memory {
        facts.push(fact("memory of the host", memory.to_string()));
    }
    facts.extend(record.host_activity.iter().flat_map(activity_facts));
    facts.extend(settings.notes.iter().map(|note| fact("note", note.clone())));
    section("settings", "Settings", None, vec![Block::Facts(facts)])
}
