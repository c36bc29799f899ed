//! What the source of a result states in addition to its figures: percentiles and classes of latency, the load as it was
//! configured, where everything comes from.

use iotrial_analysis::summary::Summary;
use iotrial_model::figure::Figure;
use iotrial_model::imported::Warning;
use iotrial_model::load_pattern::LoadPattern;
use iotrial_model::record::Severity;
use iotrial_model::subject::{Ops, Subject, SubjectJob};
use iotrial_model::words::counted;

use crate::document::{Block, Fact, FindingLine, Section};
use crate::finding_line::About;
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};
use crate::text::cut;

/// How many characters a name may have next to its load.
pub(crate) const LONGEST_NAME: usize = 32;
/// The number of jobs whose loads the short forms show; the section has all of them.
const MOST_LOADS: usize = 3;
/// Options of a job, and paths in one line, are shown up to this many characters each.
pub(crate) const LONGEST_OPTION: usize = 120;
/// Rows of a table of percentiles or classes; the record has all of them.
const MOST_ROWS: usize = 400;

/// The loads of the jobs as a source states them, in one line; `None` if it states none.
pub(crate) fn loads_in_brief(subject: &Subject<'_>) -> Option<String> {
    let stated = subject.jobs.iter().filter(|job| job.planned.is_none());
    let stated = stated.filter_map(|job| Some((job, load_words(job)?)));
    let stated: Vec<String> = stated
        .map(|(job, words)| match subject.jobs.len() {
            1 => words,
            _ => format!("{}: {words}", cut(&job.name, LONGEST_NAME)),
        })
        .collect();
    let more = stated.len().saturating_sub(MOST_LOADS);
    let others = if more > 0 { format!("; and {more} more") } else { String::new() };
    (!stated.is_empty()).then(|| format!("{}{others}", stated[..stated.len() - more].join("; ")))
}

/// Percentiles other than the usual ones, and the coarse classes of a histogram: everything that the source says about the spread of latencies.
pub(crate) fn distribution(subject: &Subject<'_>) -> Option<Section> {
    let (mut percentiles, mut classes) = (Vec::new(), Vec::new());
    let all = subject.stated_total.map(|total| ("all jobs", Ops::of_stated(total)));
    for (job, ops) in all.into_iter().chain(subject.jobs.iter().map(|job| (&*job.name, job.ops))) {
        for (stream, stated) in ops.streams().filter_map(|(name, facts)| Some((name, facts.stated()?))) {
            for (kind, latency) in [("", &stated.total_latency), (" completion", &stated.completion_latency)]
            {
                let labels = || vec![Value::Text(cut(job, 60)), Value::Text(format!("{stream}{kind}"))];
                let row = |cells: Vec<Value>| Row { cells: [labels(), cells].concat(), is_total: false };
                // Already in the table of figures.
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
        id: "percentiles",
        heading: "Percentiles and classes",
        note: Some("As given by the source; percentiles of parts are never averaged.".to_owned()),
        blocks,
    })
}

fn fact(name: impl Into<String>, text: impl Into<String>) -> Fact {
    Fact { name: name.into(), quantity: Quantity::Words, value: Value::Text(text.into()) }
}

/// The load of each job as it was configured; what a plan decided is in the settings.
pub(crate) fn loads(subject: &Subject<'_>) -> Option<Section> {
    let facts: Vec<Fact> =
        subject.jobs.iter().filter(|job| job.planned.is_none()).flat_map(load_facts).collect();
    (!facts.is_empty()).then(|| Section {
        id: "load",
        heading: "Load",
        note: Some("As it was configured, as far as the source says.".to_owned()),
        blocks: vec![Block::Facts(facts)],
    })
}

/// The load of the only job in a few words, as fio would name it: `randread-4k 16 x 16`.
pub(crate) fn load_in_short(subject: &Subject<'_>) -> Option<String> {
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

/// What a job does, and with how many I/Os at once; `None` if neither is stated.
fn load_words(job: &SubjectJob<'_>) -> Option<String> {
    let words = main_words(job);
    (!words.is_empty()).then(|| words.join(", "))
}

fn main_words(job: &SubjectJob<'_>) -> Vec<String> {
    let load = &job.load;
    let mut words: Vec<String> = Vec::new();
    words.extend(job.role.map(|role| role.to_string()));
    let order = load.pattern.map(|pattern| pattern.to_string());
    match (order, load.rwmix_read_percent.map(mix_in_words)) {
        // One kind of I/O is one phrase: `random writes`.
        (Some(order), Some((mix, true))) => words.push(format!("{order} {mix}")),
        (order, mix) => words.extend(order.into_iter().chain(mix.map(|(mix, _)| mix))),
    }
    words.extend(load.block_sizes.iter().map(|one| {
        let of =
            one.direction.map_or_else(String::new, |direction| format!(" {direction:?}s").to_lowercase());
        let share = one.percent.map_or_else(String::new, |percent| format!(" ({percent} %)"));
        format!("{}{of}{share}", one.size)
    }));
    match (load.numjobs, load.iodepth, load.outstanding) {
        (Some(1), Some(iodepth), _) => words.push(in_flight(iodepth)),
        (Some(numjobs), Some(iodepth), _) => {
            words.push(format!("{numjobs} jobs with {} each", in_flight(iodepth)));
        }
        (_, _, Some(outstanding)) => words.push(in_flight(outstanding)),
        (_, Some(iodepth), None) => words.push(format!("iodepth {iodepth}")),
        _ => {}
    }
    words
}

/// What a load does with its I/Os, and whether it does only that.
fn mix_in_words(read_percent: f64) -> (String, bool) {
    match read_percent {
        0.0 => ("writes".to_owned(), true),
        100.0 => ("reads".to_owned(), true),
        percent => (format!("{percent} % reads"), false),
    }
}

fn in_flight(outstanding: u64) -> String {
    counted(outstanding, "outstanding I/O")
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
        words.push("inferred, not stated".to_owned());
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

/// Where the result comes from, with facts in the source that are not figures of storage.
pub(crate) fn source(subject: &Subject<'_>) -> Option<Section> {
    let source = subject.source?;
    let mut facts = vec![
        fact("format", source.kind.as_str()),
        fact("file", source.file.clone()),
        fact("place", source.place.clone()),
        fact("SHA-256", source.sha256.clone()),
        fact("read by", source.read_by.clone()),
    ];
    facts.extend(subject.other.iter().map(|(name, stated)| Fact {
        name: name.clone(),
        quantity: Quantity::Unitless,
        value: Value::Number(stated.value),
    }));
    Some(Section { id: "source", heading: "Source", note: None, blocks: vec![Block::Facts(facts)] })
}

/// What an import did not understand.
pub(crate) fn warnings(summary: &Summary) -> Option<Section> {
    let line = |warning: &Warning| FindingLine::about(About::Import, Severity::Note, warning.to_string());
    (!summary.warnings.is_empty()).then(|| Section {
        id: "warnings",
        heading: "What was not understood",
        note: None,
        blocks: vec![Block::Findings(summary.warnings.iter().map(line).collect())],
    })
}
