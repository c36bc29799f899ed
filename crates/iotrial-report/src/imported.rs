//! The document of an imported result: its figures, what speaks against them, and everything that its source states of the load.

use iotrial_analysis::figures::Figures;
use iotrial_analysis::stream::Streams;
use iotrial_analysis::summary::Summary;
use iotrial_model::imported::{ImportedJob, ImportedRecord, StatedStream};
use iotrial_model::load_pattern::LoadPattern;
use iotrial_model::record::Severity;

use crate::chart::{Axis, Chart, ChartGroup, Dash, Line, Scale, Shape};
use crate::document::{Block, Document, Fact, FindingLine, Section, VerdictBlock};
use crate::finding_line::About;
use crate::quantity::{Quantity, in_seconds};
use crate::run::{self, figures_row, figures_table};
use crate::table::{Column, Row, Table, Value};
use crate::text::cut;

/// A title is not a text, and stands in every row of a CSV.
const LONGEST_TITLE: usize = 200;
/// Beside its load a name has room for so many characters.
const LONGEST_NAME: usize = 32;
/// Jobs whose loads stand in the short forms; the section has all of them.
const MOST_LOADS: usize = 3;
/// Options of a job are shown up to this many characters each.
const LONGEST_OPTION: usize = 120;
/// Rows of a table of percentiles or classes; the record has all of them.
const MOST_ROWS: usize = 400;
/// Lines of a chart; jobs beyond them are left out of it.
const MOST_LINES: usize = 8;

impl Document {
    /// The document of one imported result. `summary` is the one of `record`.
    pub fn of_imported(record: &ImportedRecord, summary: &Summary) -> Self {
        let sections = [
            Some(verdict(summary)),
            findings(summary),
            figures(summary),
            distribution(record),
            over_time(record),
            loads(record),
            Some(source(record, summary)),
            warnings(summary),
        ];
        let tool = match &record.source.version {
            Some(version) => format!("{} {version}", record.source.tool),
            None => record.source.tool.clone(),
        };
        let at = record
            .measured_at
            .as_ref()
            .map_or_else(|| "at a time that is not stated".to_owned(), |at| run::start_of(at));
        Self {
            title: cut(&title(record), LONGEST_TITLE),
            byline: format!("{at}, {}", cut(&tool, LONGEST_TITLE)),
            in_brief: in_brief(record, summary),
            sections: sections.into_iter().flatten().collect(),
            chapters: Vec::new(),
        }
    }

    /// The document of several of them: their figures in one table, then each by itself.
    pub fn of_imported_results(results: &[(&ImportedRecord, &Summary)]) -> Self {
        if let [(record, summary)] = results {
            return Self::of_imported(record, summary);
        }
        let rows = results.iter().enumerate().flat_map(|(index, (record, summary))| {
            let name = format!("{} {}", index + 1, cut(&title(record), LONGEST_NAME));
            let load = load_in_short(record).map_or_else(String::new, |load| format!(", {load}"));
            stream_rows(&[&cut(&format!("{name}{load}"), 60)], &summary.total, false)
        });
        let table = figures_table("Figures side by side", &["result"], rows.collect(), true);
        Self {
            title: format!("{} imported results", results.len()),
            byline: "Side by side, then each by itself".to_owned(),
            in_brief: Vec::new(),
            sections: vec![Section {
                id: "figures",
                heading: "Figures side by side",
                note: None,
                blocks: vec![Block::Table(table)],
            }],
            chapters: results.iter().map(|(record, summary)| Self::of_imported(record, summary)).collect(),
        }
    }
}

/// The label, else the one job, else the file.
fn title(record: &ImportedRecord) -> String {
    match (&record.label, record.jobs.as_slice()) {
        (Some(label), _) => label.clone(),
        (None, [only]) if !only.name.is_empty() => only.name.clone(),
        (None, _) => record.source.file.clone(),
    }
}

fn in_brief(record: &ImportedRecord, summary: &Summary) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if !record.attributes.is_empty() {
        let pairs = record.attributes.iter().map(|(name, value)| format!("{name} = {value}"));
        lines.push(("Attributes", pairs.collect::<Vec<_>>().join(", ")));
    }
    let host = record
        .host
        .name
        .clone()
        .into_iter()
        .chain(record.host.cpu_count.map(|count| format!("{count} CPUs")));
    let host: Vec<String> = host.collect();
    if !host.is_empty() {
        lines.push(("Host", host.join(", ")));
    }
    let mut targets: Vec<String> = record.jobs.iter().flat_map(|job| &job.load.targets).cloned().collect();
    targets.dedup();
    if !targets.is_empty() {
        lines.push(("Target", cut(&targets.join("; "), LONGEST_OPTION)));
    }
    let stated: Vec<String> = record
        .jobs
        .iter()
        .filter_map(|job| Some((job, load_words(job)?)))
        .map(|(job, words)| match record.jobs.len() {
            1 => words,
            _ => format!("{}: {words}", cut(&job.name, LONGEST_NAME)),
        })
        .collect();
    if !stated.is_empty() {
        let more = stated.len().saturating_sub(MOST_LOADS);
        let others = if more > 0 { format!("; and {more} more") } else { String::new() };
        lines.push(("Load", format!("{}{others}", stated[..stated.len() - more].join("; "))));
    }
    lines.push(("File", cut(&record.whence(), LONGEST_OPTION)));
    if let Some(seconds) = summary.measured_s {
        lines.push(("Measured", in_seconds(seconds)));
    }
    lines
}

fn verdict(summary: &Summary) -> Section {
    let verdict = &summary.verdict;
    Section {
        id: "verdict",
        heading: "",
        note: None,
        blocks: vec![Block::Verdict(VerdictBlock {
            qualified: verdict.qualified,
            headline: None,
            category: verdict.category,
            sentence: verdict.sentence.clone(),
            reasons: verdict.reasons.clone(),
            ended: None,
        })],
    }
}

fn findings(summary: &Summary) -> Option<Section> {
    (!summary.findings.is_empty()).then(|| Section {
        id: "findings",
        heading: "Findings",
        note: None,
        blocks: vec![Block::Findings(summary.findings.iter().map(FindingLine::of).collect())],
    })
}

fn stream_rows(labels: &[&str], streams: &Streams, is_total: bool) -> Vec<Row> {
    let all = [("read", &streams.read), ("write", &streams.write), ("all", &streams.all)];
    let there =
        all.into_iter().filter_map(|(name, figures): (_, &Option<Figures>)| Some((name, figures.as_ref()?)));
    there.map(|(name, figures)| figures_row(labels, name, Some(figures), is_total)).collect()
}

fn figures(summary: &Summary) -> Option<Section> {
    let mut rows = Vec::new();
    if summary.jobs.len() > 1 {
        rows.extend(summary.jobs.iter().flat_map(|job| stream_rows(&[&job.name], &job.streams, false)));
    }
    let name = match summary.jobs.as_slice() {
        [only] => only.name.as_str(),
        _ => "total",
    };
    rows.extend(stream_rows(&[name], &summary.total, summary.jobs.len() > 1));
    (!rows.is_empty()).then(|| Section {
        id: "figures",
        heading: "Figures",
        note: Some(
            "As the source states them, or as they follow from it exactly. What it does not state is left out.".to_owned(),
        ),
        blocks: vec![Block::Table(figures_table("Figures by job", &["job"], rows, true))],
    })
}

/// What stands in the table of figures already.
const USUAL_PERCENTILES: [f64; 5] = [50.0, 90.0, 99.0, 99.9, 99.99];

/// Percentiles beside the usual ones, and the coarse classes of a histogram: all that the source tells of how latencies spread.
fn distribution(record: &ImportedRecord) -> Option<Section> {
    let (mut percentiles, mut classes) = (Vec::new(), Vec::new());
    let all = record.total.iter().map(|ops| ("all jobs", ops));
    for (job, ops) in all.chain(record.jobs.iter().map(|job| (job.name.as_str(), &job.ops))) {
        for (stream, stated) in ops.streams() {
            for (kind, latency) in [("", &stated.total_latency), (" completion", &stated.completion_latency)]
            {
                let labels = || vec![Value::Text(cut(job, 60)), Value::Text(format!("{stream}{kind}"))];
                let row = |cells: Vec<Value>| Row { cells: [labels(), cells].concat(), is_total: false };
                let is_usual = |percent: f64| USUAL_PERCENTILES.contains(&percent);
                if latency.percentiles_us.iter().any(|one| !is_usual(one.percent)) {
                    percentiles.extend(latency.percentiles_us.iter().map(|one| {
                        row(vec![Value::Text(format!("p{}", one.percent)), Value::Number(one.at.value)])
                    }));
                }
                classes.extend(latency.bands.iter().filter(|band| band.percent.value > 0.0).map(|band| {
                    let below = Value::number(band.below_us);
                    row(vec![Value::Number(band.from_us), below, Value::Number(band.percent.value)])
                }));
            }
        }
    }
    let table = |caption: &str, columns: Vec<Column>, mut rows: Vec<Row>| {
        rows.truncate(MOST_ROWS);
        let labels = vec![Column::new("job", Quantity::Words), Column::new("stream", Quantity::Words)];
        let columns = labels.into_iter().chain(columns).collect();
        Block::Table(Table { caption: caption.to_owned(), columns, rows, at_a_glance: false })
    };
    let mut blocks = Vec::new();
    if !percentiles.is_empty() {
        let latency = Column::new("latency", Quantity::LatencyUs);
        let columns = vec![Column::new("percentile", Quantity::Words), latency];
        blocks.push(table("All percentiles", columns, percentiles));
    }
    if !classes.is_empty() {
        let edge = |name| Column::new(name, Quantity::LatencyUs);
        let columns = vec![edge("from"), edge("below"), Column::new("share", Quantity::Percent)];
        blocks.push(table("Classes of latency", columns, classes));
    }
    (!blocks.is_empty()).then(|| Section {
        id: "distribution",
        heading: "Distribution",
        note: Some("As the source states it; percentiles of all parts are never averaged.".to_owned()),
        blocks,
    })
}

/// The courses that the source logged.
fn over_time(record: &ImportedRecord) -> Option<Section> {
    let last = record.intervals.iter().map(|one| one.start_s + one.duration_s).fold(0.0, f64::max);
    let chart = |id: &str, title: &str, y: Axis, of: &dyn Fn(&StatedStream) -> Option<f64>| Chart {
        id: id.to_owned(),
        title: title.to_owned(),
        x: Axis { name: run::TIME, quantity: Quantity::Seconds, scale: Scale::Linear, to: last },
        y,
        lines: lines(record, of),
        spans: Vec::new(),
        limits: Vec::new(),
    };
    let rate = Axis { name: "", quantity: Quantity::Iops, scale: Scale::Linear, to: 0.0 };
    let charts = [
        chart("chart-iops", "I/Os per second", rate, &|one| one.iops.map(|stated| stated.value)),
        chart("chart-lat-mean", "Mean latency", run::LATENCY_AXIS, &|one| {
            one.total_latency.mean_us.map(|stated| stated.value)
        }),
    ];
    let charts: Vec<Chart> = charts.into_iter().filter(|chart| !chart.lines.is_empty()).collect();
    (!charts.is_empty()).then(|| Section {
        id: "over-time",
        heading: "Over time",
        note: Some("As the tool logged it.".to_owned()),
        blocks: vec![Block::Charts(ChartGroup { charts })],
    })
}

fn lines(record: &ImportedRecord, of: &dyn Fn(&StatedStream) -> Option<f64>) -> Vec<Line> {
    let mut jobs: Vec<Option<usize>> = record.intervals.iter().map(|one| one.job).collect();
    jobs.sort_unstable();
    jobs.dedup();
    let mut lines = Vec::new();
    for (hue, job) in jobs.iter().enumerate() {
        let name = job.and_then(|job| record.jobs.get(job)).map_or("all", |job| job.name.as_str());
        for (stream, dash) in [("read", Dash::Solid), ("write", Dash::Dashed), ("all", Dash::DashDot)] {
            let points: Vec<(f64, Option<f64>)> = record
                .intervals
                .iter()
                .filter(|one| one.job == *job)
                .filter_map(|one| {
                    let stated = one.ops.streams().find(|(name, _)| *name == stream)?.1;
                    Some((one.start_s + one.duration_s / 2.0, Some(of(stated)?)))
                })
                .collect();
            if !points.is_empty() {
                lines.push(Line {
                    name: cut(&format!("{name} {stream}"), 40),
                    hue,
                    dash,
                    shape: Shape::Course,
                    points,
                });
            }
        }
    }
    lines.truncate(MOST_LINES);
    lines
}

fn fact(name: impl Into<String>, text: impl Into<String>) -> Fact {
    Fact { name: name.into(), quantity: Quantity::Words, value: Value::Text(text.into()) }
}

fn loads(record: &ImportedRecord) -> Option<Section> {
    let facts: Vec<Fact> = record.jobs.iter().flat_map(load_facts).collect();
    (!facts.is_empty()).then(|| Section {
        id: "load",
        heading: "Load",
        note: Some("As it was configured, as far as the source says.".to_owned()),
        blocks: vec![Block::Facts(facts)],
    })
}

/// The load of the only job in a few words, as fio would name it: `randread-4k 16 x 16`.
fn load_in_short(record: &ImportedRecord) -> Option<String> {
    let [only] = record.jobs.as_slice() else { return None };
    let load = &only.load;
    let mut words: Vec<String> = Vec::new();
    match (load.pattern, load.rwmix_read_percent, load.block_size()) {
        (Some(order), Some(percent), Some(block_size)) => {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
            let rwmix_read_percent = percent.round().clamp(0.0, 100.0) as u8;
            words.push(LoadPattern { order, rwmix_read_percent, block_size }.to_string());
        }
        (order, _, block_size) => {
            words.extend(order.map(|order| order.to_string()));
            words.extend(block_size.map(|size| size.to_string()));
        }
    }
    words.extend(match (load.numjobs, load.iodepth, load.outstanding) {
        (Some(numjobs), Some(iodepth), _) => Some(format!("{numjobs} x {iodepth}")),
        (_, _, Some(outstanding)) => Some(format!("{outstanding} outst.")),
        (_, Some(iodepth), None) => Some(format!("iodepth {iodepth}")),
        _ => None,
    });
    (!words.is_empty()).then(|| words.join(" "))
}

/// What a job does and how much of it at once; `None` where nothing of that is stated.
fn load_words(job: &ImportedJob) -> Option<String> {
    let words = main_words(job);
    (!words.is_empty()).then(|| words.join(", "))
}

fn main_words(job: &ImportedJob) -> Vec<String> {
    let load = &job.load;
    let mut words: Vec<String> = Vec::new();
    words.extend(job.role.map(|role| role.to_string()));
    words.extend(load.pattern.map(|pattern| pattern.to_string()));
    words.extend(load.rwmix_read_percent.map(|percent| format!("{percent} % reads")));
    words.extend(load.block_sizes.iter().map(|one| {
        let of =
            one.direction.map_or_else(String::new, |direction| format!(" {direction:?}s").to_lowercase());
        let share = one.percent.map_or_else(String::new, |percent| format!(" ({percent} %)"));
        format!("{}{of}{share}", one.size)
    }));
    match (load.numjobs, load.iodepth, load.outstanding) {
        (Some(numjobs), Some(iodepth), _) => words.push(format!("{numjobs} x {iodepth} outstanding")),
        (_, _, Some(outstanding)) => words.push(format!("{outstanding} outstanding")),
        (_, Some(iodepth), None) => words.push(format!("iodepth {iodepth}")),
        _ => {}
    }
    words
}

fn load_facts(job: &ImportedJob) -> Vec<Fact> {
    let load = &job.load;
    let mut words = main_words(job);
    words.extend(
        load.direct.map(|direct| if direct { "direct" } else { "through the page cache" }.to_owned()),
    );
    words.extend(load.durability.map(|durability| format!("durability {durability}")));
    words.extend(load.flush_every.map(|every| format!("a flush after {every} writes")));
    words.extend(load.rate_iops.map(|rate| format!("at {rate} IOPS")));
    words.extend(load.paced.then(|| "held back by a rate or by pauses".to_owned()));
    words.extend(load.engine.clone());
    words.extend(load.size.map(|size| format!("{size} each")));
    if load.inferred {
        words.push("worked out by somebody, not stated".to_owned());
    }
    if words.is_empty() {
        words.push("not stated".to_owned());
    }
    let mut facts = vec![fact(job.name.clone(), words.join(", "))];
    if !load.options.is_empty() {
        let options: Vec<String> = load
            .options
            .iter()
            .map(|(name, value)| cut(&format!("{name}={value}"), LONGEST_OPTION))
            .collect();
        facts.push(fact("options", options.join(" ")));
    }
    facts
}

fn source(record: &ImportedRecord, summary: &Summary) -> Section {
    let source = &record.source;
    let mut facts = vec![
        fact("format", source.kind.as_str()),
        fact("file", source.file.clone()),
        fact("place", source.place.clone()),
        fact("SHA-256", source.sha256.clone()),
        fact("read by", source.read_by.clone()),
    ];
    if let Some(cpu) = &summary.stated_cpu {
        let share = |name: &str, stated: Option<iotrial_model::imported::Stated>| {
            stated.map(|stated| Fact {
                name: name.to_owned(),
                quantity: Quantity::Percent,
                value: Value::Number(stated.value),
            })
        };
        facts.extend(share("CPU user", cpu.usr_percent));
        facts.extend(share("CPU system", cpu.sys_percent));
    }
    facts.extend(record.other.iter().map(|(name, stated)| Fact {
        name: name.clone(),
        quantity: Quantity::Unitless,
        value: Value::Number(stated.value),
    }));
    Section { id: "source", heading: "Source", note: None, blocks: vec![Block::Facts(facts)] }
}

fn warnings(summary: &Summary) -> Option<Section> {
    let line = |warning: &iotrial_model::imported::Warning| {
        FindingLine::about(About::Import, Severity::Note, warning.to_string())
    };
    (!summary.warnings.is_empty()).then(|| Section {
        id: "warnings",
        heading: "What was not understood",
        note: None,
        blocks: vec![Block::Findings(summary.warnings.iter().map(line).collect())],
    })
}
