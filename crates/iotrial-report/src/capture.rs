//! The document of a captured load: what it is made of, and how well its profile agrees with it.

use iotrial_analysis::capture::{CaptureAnswer, Compared, ComparedFigure, DirectionAnswer};
use iotrial_analysis::words::{
    latency_in_words, number_in_words, rate_in_words, seconds_in_words, with_decimals,
};
use iotrial_model::block_trace::TraceSource;
use iotrial_model::units::ByteSize;
use iotrial_model::words::counted;
use iotrial_words::capture::remark;

use crate::document::{Answer, Block, Document, Front, KeyFigure, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Fact, Table, TableOf, Value};

impl Document {
    /// What a trace says of a load. `compared` has the profile beside it.
    pub fn of_capture(answer: &CaptureAnswer, compared: &[Compared]) -> Self {
        let rows = [("reads", &answer.read), ("writes", &answer.write)];
        let directions = rows.into_iter().filter_map(|(name, one)| Some((name, one.as_ref()?)));
        let mut sections = vec![
            section("answer", "", Block::Statement(summary(answer, compared))),
            section("directions", "What was captured", Block::Table(directions_table(directions.collect()))),
        ];
        sections.push(section("profile", "Capture and profile", Block::Table(compared_table(compared))));
        sections.extend(cost(answer));
        Self {
            title: "What I/O does the database do?".to_owned(),
            byline: byline(answer),
            in_brief: Vec::new(),
            sections,
            chapters: Vec::new(),
            front: Front {
                figures: vec![
                    KeyFigure::new("I/Os per second", Quantity::Iops, Value::Number(answer.iops)),
                    KeyFigure::new("reads", Quantity::Percent, Value::Number(answer.read_percent)),
                    KeyFigure::new("sequential", Quantity::Percent, Value::Number(answer.sequential_percent)),
                    KeyFigure::new("syncs per second", Quantity::Unitless, Value::Number(answer.syncs.per_s)),
                ],
                ..Front::default()
            },
        }
    }
}

fn section(id: &'static str, heading: &'static str, block: Block) -> Section {
    Section { id, heading, note: None, blocks: vec![block] }
}

fn byline(answer: &CaptureAnswer) -> String {
    let devices = match &answer.facts.devices[..] {
        few if few.len() <= 3 => few.join(", "),
        many => counted(many.len() as u64, "device"),
    };
    let parts = [
        answer.facts.host.clone(),
        Some(match answer.facts.source {
            TraceSource::Live => devices,
            source => format!("{} of {devices}", source.as_str()),
        }),
        Some(seconds_in_words(answer.duration_s)),
        Some(counted(answer.io_count, "I/O")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn summary(answer: &CaptureAnswer, compared: &[Compared]) -> Answer {
    let percent = |share: f64| with_decimals(share, 0);
    let mut points = vec![syncs(answer)];
    points.extend(answer.outstanding.map(|one| {
        format!(
            "{} outstanding on average, at most {} for 99 % of the I/Os",
            number_in_words(one.mean),
            one.p99
        )
    }));
    points.extend(arrivals(answer));
    points.extend(answer.hot_spots.map(|one| {
        format!(
            "random I/Os touch {} MiB; its busiest 1 % gets {} %, 10 % {} %, 20 % {} % of them",
            number_in_words(one.region_count as f64),
            percent(one.busiest_1_percent),
            percent(one.busiest_10_percent),
            percent(one.busiest_20_percent)
        )
    }));
    points.extend(profile(compared));
    points.extend(answer.remarks.iter().map(|one| remark(*one, &answer.facts)));
    Answer {
        is_good: None,
        headline: format!(
            "{} I/Os per second, {} % reads, {} % sequential",
            rate_in_words(answer.iops),
            percent(answer.read_percent),
            percent(answer.sequential_percent)
        ),
        sentence: String::new(),
        points,
        lists: Vec::new(),
    }
}

fn syncs(answer: &CaptureAnswer) -> String {
    let syncs = &answer.syncs;
    let writes = syncs
        .writes_per_sync
        .map_or_else(String::new, |writes| format!(", one for {} writes", number_in_words(writes)));
    let flush = syncs.flush_p99_us.map_or_else(String::new, |us| {
        format!("; 99 % of the flushes take at most {}", latency_in_words(us))
    });
    format!("{} syncs per second{writes}{flush}", number_in_words(syncs.per_s))
}

fn arrivals(answer: &CaptureAnswer) -> Option<String> {
    let arrivals = answer.arrivals;
    Some(format!(
        "counts in 10 ms vary by {} of their mean (by chance {}); the busiest second has {} times the mean",
        number_in_words(arrivals.variation_per_10_ms?),
        number_in_words(arrivals.variation_by_chance?),
        number_in_words(arrivals.peak_second_ratio?)
    ))
}

/// What the profile makes of it: on a small screen there is no room for the table.
fn profile(compared: &[Compared]) -> Option<String> {
    let of = |figure| compared.iter().find(|one| one.figure == figure).map(|one| one.profile);
    Some(format!(
        "the profile makes {} I/Os per second, {} % reads, {} % sequential, {} syncs per second",
        rate_in_words(of(ComparedFigure::Iops)?),
        with_decimals(of(ComparedFigure::ReadPercent)?, 0),
        with_decimals(of(ComparedFigure::SequentialPercent)?, 0),
        number_in_words(of(ComparedFigure::SyncsPerS)?)
    ))
}

fn directions_table(rows: Vec<(&'static str, &DirectionAnswer)>) -> Table {
    TableOf::new("Latency from issue to completion, as the device has it")
        .words("", |(name, _): &(&'static str, &DirectionAnswer)| (*name).to_owned())
        .column(Column::new("IOPS", Quantity::Iops), |(_, one)| Value::Number(one.iops))
        .column(Column::new("bandwidth", Quantity::BandwidthMbPerS), |(_, one)| {
            Value::Number(one.bytes_per_s / 1e6)
        })
        .column(Column::new("sequential", Quantity::Percent), |(_, one)| {
            Value::Number(one.sequential_percent)
        })
        .column(Column::new("p50", Quantity::LatencyUs).under("lat"), |(_, one)| Value::number(one.p50_us))
        .column(Column::new("p99", Quantity::LatencyUs).under("lat"), |(_, one)| Value::number(one.p99_us))
        .words("sizes", |(_, one)| sizes(one))
        .rows(rows)
}

fn sizes(one: &DirectionAnswer) -> String {
    let share = |size: &iotrial_analysis::capture::SizeShare| {
        format!("{} {} %", ByteSize::bytes(size.bytes), with_decimals(size.percent, 0))
    };
    one.sizes.iter().take(3).map(share).collect::<Vec<_>>().join(", ")
}

fn compared_table(compared: &[Compared]) -> Table {
    let cell = |figure: ComparedFigure, number: f64| match figure {
        ComparedFigure::ReadPercent | ComparedFigure::SequentialPercent => {
            format!("{} %", with_decimals(number, 1))
        }
        ComparedFigure::ReadBytes | ComparedFigure::WriteBytes => {
            format!("{} KiB", with_decimals(number / 1_024.0, 1))
        }
        ComparedFigure::Iops | ComparedFigure::SyncsPerS => number_in_words(number),
    };
    TableOf::new("The profile with its own rates")
        .words("figure", |one: &Compared| title(one.figure).to_owned())
        .words("capture", move |one| cell(one.figure, one.capture))
        .words("profile", move |one| cell(one.figure, one.profile))
        .rows(compared.iter().copied())
}

const fn title(figure: ComparedFigure) -> &'static str {
    match figure {
        ComparedFigure::Iops => "I/Os per second",
        ComparedFigure::ReadPercent => "reads",
        ComparedFigure::ReadBytes => "mean size of reads",
        ComparedFigure::WriteBytes => "mean size of writes",
        ComparedFigure::SequentialPercent => "sequential",
        ComparedFigure::SyncsPerS => "syncs per second",
    }
}

/// What tracing cost, and what it lost.
fn cost(answer: &CaptureAnswer) -> Option<Section> {
    let cost = answer.facts.cost?;
    let fact = |name: &str, quantity, value| Fact { name: name.to_owned(), quantity, value };
    let events = answer.event_count as f64;
    let facts = vec![
        fact("events per second", Quantity::Unitless, Value::Number(events / answer.duration_s)),
        fact("events lost", Quantity::Count, Value::Count(answer.facts.lost_count)),
        fact("CPU of iotrial", Quantity::Percent, Value::Number(100.0 * cost.cpu_s / answer.duration_s)),
        fact("CPU per event of the load, about", Quantity::CpuTimeUs, Value::number(cost.mark_us)),
    ];
    Some(section("cost", "What tracing cost", Block::Facts(facts)))
}
