//! The document of an imported result: its figures, what speaks against them, and everything that its source states of the load.

use iotrial_analysis::stream::Streams;
use iotrial_analysis::summary::Summary;
use iotrial_model::figure::Figure;
use iotrial_model::imported::{Source, Stated, StatedStream, Warning};
use iotrial_model::load_pattern::LoadPattern;
use iotrial_model::record::Severity;
use iotrial_model::stream::Stream;
use iotrial_model::subject::{Ops, Subject, SubjectJob};

use crate::chart::{Axis, Chart, ChartGroup, LATENCY_AXIS, Line, Scale, Shape, TIME};
use crate::document::{Block, Document, Fact, FindingLine, Section};
use crate::finding_line::About;
use crate::quantity::{Quantity, in_seconds};
use crate::run::{self, LONGEST_TITLE, figures_row, figures_table};
use crate::settings;
use crate::table::{Column, Row, Table, Value};
use crate::text::cut;

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
    /// The document of what a source states. `summary` is the one of `subject`.
    pub(crate) fn of_stated(subject: &Subject<'_>, summary: &Summary) -> Self {
        let sections = [
            Some(run::verdict(subject, summary)),
            run::findings(&summary.findings),
            figures(summary),
            distribution(subject),
            over_time(subject),
            loads(subject),
            subject.source.map(|from| source(subject, from)),
            warnings(summary),
        ];
        Self {
            title: cut(title(subject), LONGEST_TITLE),
            byline: format!("{}, {}", run::started_at(subject), cut(&settings::tool(subject), LONGEST_TITLE)),
            in_brief: in_brief(subject, summary),
            sections: sections.into_iter().flatten().collect(),
            chapters: Vec::new(),
        }
    }
}

/// The figures of several results in one table.
pub(crate) fn side_by_side(results: &[&(Subject<'_>, &Summary)]) -> Section {
    let rows = results.iter().enumerate().flat_map(|(index, (subject, summary))| {
        let name = format!("{} {}", index + 1, cut(title(subject), LONGEST_NAME));
        let load = load_in_short(subject).map_or_else(String::new, |load| format!(", {load}"));
        stream_rows(&[&cut(&format!("{name}{load}"), 60)], &summary.total, false)
    });
    let table = figures_table("Figures side by side", &["result"], rows.collect(), true);
    Section { id: "figures", heading: "Figures side by side", note: None, blocks: vec![Block::Table(table)] }
}

/// The label, else the one job, else the file.
fn title<'s>(subject: &'s Subject<'_>) -> &'s str {
    match (subject.label, subject.jobs.as_slice()) {
        (Some(label), _) => label,
        (None, [only]) if !only.name.is_empty() => &only.name,
        (None, _) => subject.source.map_or(subject.id, |source| &source.file),
    }
}

fn in_brief(subject: &Subject<'_>, summary: &Summary) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    lines.extend(settings::attributes_in_brief(&subject.attributes));
    let host = subject.stated_host.into_iter().flat_map(|host| {
        host.name.clone().into_iter().chain(host.cpu_count.map(|count| format!("{count} CPUs")))
    });
    let host: Vec<String> = host.collect();
    if !host.is_empty() {
        lines.push(("Host", host.join(", ")));
    }
    let mut targets: Vec<String> = subject.jobs.iter().flat_map(|job| &job.load.targets).cloned().collect();
    targets.dedup();
    if !targets.is_empty() {
        lines.push(("Target", cut(&targets.join("; "), LONGEST_OPTION)));
    }
    let stated: Vec<String> = subject
        .jobs
        .iter()
        .filter_map(|job| Some((job, load_words(job)?)))
        .map(|(job, words)| match subject.jobs.len() {
            1 => words,
            _ => format!("{}: {words}", cut(&job.name, LONGEST_NAME)),
        })
        .collect();
    if !stated.is_empty() {
        let more = stated.len().saturating_sub(MOST_LOADS);
        let others = if more > 0 { format!("; and {more} more") } else { String::new() };
        lines.push(("Load", format!("{}{others}", stated[..stated.len() - more].join("; "))));
    }
    lines.extend(subject.whence().map(|whence| ("File", cut(&whence, LONGEST_OPTION))));
    if let Some(seconds) = summary.measured_s {
        lines.push(("Measured", in_seconds(seconds)));
    }
    lines
}

fn stream_rows(labels: &[&str], streams: &Streams, is_total: bool) -> Vec<Row> {
    let there = Stream::ALL.iter().filter_map(|stream| Some((*stream, streams.get(*stream)?)));
    there.map(|(stream, figures)| figures_row(labels, stream.key(), Some(figures), is_total)).collect()
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

/// Percentiles beside the usual ones, and the coarse classes of a histogram: all that the source tells of how latencies spread.
fn distribution(subject: &Subject<'_>) -> Option<Section> {
    let (mut percentiles, mut classes) = (Vec::new(), Vec::new());
    let all = subject.stated_total.map(|total| ("all jobs", Ops::of_stated(total)));
    for (job, ops) in all.into_iter().chain(subject.jobs.iter().map(|job| (&*job.name, job.ops))) {
        for (stream, stated) in ops.streams().filter_map(|(name, facts)| Some((name, facts.stated()?))) {
            for (kind, latency) in [("", &stated.total_latency), (" completion", &stated.completion_latency)]
            {
                let labels = || vec![Value::Text(cut(job, 60)), Value::Text(format!("{stream}{kind}"))];
                let row = |cells: Vec<Value>| Row { cells: [labels(), cells].concat(), is_total: false };
                // What stands in the table of figures already.
                let is_usual = |percent: f64| Figure::ALL.iter().any(|one| one.percent() == Some(percent));
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
fn over_time(subject: &Subject<'_>) -> Option<Section> {
    let last = subject.stated_intervals.iter().map(|one| one.start_s + one.duration_s).fold(0.0, f64::max);
    let chart = |id: &str, title: &str, y: Axis, of: &dyn Fn(&StatedStream) -> Option<f64>| Chart {
        id: id.to_owned(),
        title: title.to_owned(),
        x: Axis { name: TIME, quantity: Quantity::Seconds, scale: Scale::Linear, to: last },
        y,
        lines: lines(subject, of),
        spans: Vec::new(),
        limits: Vec::new(),
    };
    let rate = Axis { name: "", quantity: Quantity::Iops, scale: Scale::Linear, to: 0.0 };
    let charts = [
        chart("chart-iops", "I/Os per second", rate, &|one| one.iops.map(|stated| stated.value)),
        chart("chart-lat-mean", "Mean latency", LATENCY_AXIS, &|one| {
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

fn lines(subject: &Subject<'_>, of: &dyn Fn(&StatedStream) -> Option<f64>) -> Vec<Line> {
    let mut jobs: Vec<Option<usize>> = subject.stated_intervals.iter().map(|one| one.job).collect();
    jobs.sort_unstable();
    jobs.dedup();
    let mut lines = Vec::new();
    for (hue, job) in jobs.iter().enumerate() {
        let name = job.and_then(|job| subject.jobs.get(job)).map_or("all", |job| &*job.name);
        for stream in Stream::STATED {
            let points: Vec<(f64, Option<f64>)> = subject
                .stated_intervals
                .iter()
                .filter(|one| one.job == *job)
                .filter_map(|one| {
                    let stated = one.ops.get(stream)?;
                    Some((one.start_s + one.duration_s / 2.0, Some(of(stated)?)))
                })
                .collect();
            if !points.is_empty() {
                lines.push(Line {
                    name: cut(&format!("{name} {}", stream.key()), 40),
                    hue,
                    dash: run::dash_of(stream),
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

fn loads(subject: &Subject<'_>) -> Option<Section> {
    let facts: Vec<Fact> = subject.jobs.iter().flat_map(load_facts).collect();
    (!facts.is_empty()).then(|| Section {
        id: "load",
        heading: "Load",
        note: Some("As it was configured, as far as the source says.".to_owned()),
        blocks: vec![Block::Facts(facts)],
    })
}

/// The load of the only job in a few words, as fio would name it: `randread-4k 16 x 16`.
fn load_in_short(subject: &Subject<'_>) -> Option<String> {
    let [only] = subject.jobs.as_slice() else { return None };
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
fn load_words(job: &SubjectJob<'_>) -> Option<String> {
    let words = main_words(job);
    (!words.is_empty()).then(|| words.join(", "))
}

fn main_words(job: &SubjectJob<'_>) -> Vec<String> {
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

fn load_facts(job: &SubjectJob<'_>) -> Vec<Fact> {
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
    let mut facts = vec![fact(&*job.name, words.join(", "))];
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

fn source(subject: &Subject<'_>, source: &Source) -> Section {
    let mut facts = vec![
        fact("format", source.kind.as_str()),
        fact("file", source.file.clone()),
        fact("place", source.place.clone()),
        fact("SHA-256", source.sha256.clone()),
        fact("read by", source.read_by.clone()),
    ];
    if let Some(cpu) = subject.stated_cpu {
        let share = |name: &str, stated: Option<Stated>| {
            stated.map(|stated| Fact {
                name: name.to_owned(),
                quantity: Quantity::Percent,
                value: Value::Number(stated.value),
            })
        };
        facts.extend(share("CPU user", cpu.usr_percent));
        facts.extend(share("CPU system", cpu.sys_percent));
    }
    facts.extend(subject.other.into_iter().flatten().map(|(name, stated)| Fact {
        name: name.clone(),
        quantity: Quantity::Unitless,
        value: Value::Number(stated.value),
    }));
    Section { id: "source", heading: "Source", note: None, blocks: vec![Block::Facts(facts)] }
}

fn warnings(summary: &Summary) -> Option<Section> {
    let line = |warning: &Warning| FindingLine::about(About::Import, Severity::Note, warning.to_string());
    (!summary.warnings.is_empty()).then(|| Section {
        id: "warnings",
        heading: "What was not understood",
        note: None,
        blocks: vec![Block::Findings(summary.warnings.iter().map(line).collect())],
    })
}
