//! The documents of a cut: what the check after it found, and what was written until it ended by itself.

use iotrial_analysis::crash::{ArmAnswer, CrashAnswer};
use iotrial_model::crash::{Armed, CrashCheck, CrashOutcome, CrashRemark, Tear};
use iotrial_model::units::ByteSize;
use iotrial_words::crash as words;

use crate::document::{Answer, Block, Document, Front, KeyFigure, PointList, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};
use crate::verification::{kinds, places};

impl Document {
    /// What a cut left.
    pub fn of_crash_check(answer: &CrashAnswer) -> Self {
        let check = &answer.check;
        let mut sections = vec![section("answer", "", vec![Block::Answer(summary(answer))])];
        if !check.counts.is_empty() {
            let blocks = vec![
                Block::Table(kinds(&check.counts, &check.faults)),
                Block::Table(places(&check.faults, "after the cut")),
            ];
            sections.push(section("faults", "What is wrong", blocks));
        }
        sections.push(section("pages", "What was compared", vec![Block::Table(compared(check))]));
        if !check.tears.is_empty() {
            sections.push(section("tears", "Pages torn in flight", vec![Block::Table(tears(&check.tears))]));
        }
        let title = format!("Does the storage keep what it flushed? (cut: {})", check.cut);
        document(title, &check.armed, sections, front(check))
    }

    /// What was written until it ended by itself.
    pub fn of_armed_run(answer: &ArmAnswer) -> Self {
        let run = &answer.run;
        let points = answer.remarks.iter().map(|remark| words::armed_remark(*remark, run));
        let answer = Answer {
            is_good: answer.has_failed().then_some(false),
            headline: words::armed_headline(run.ended).to_owned(),
            sentence: words::armed_sentence(run),
            points: points.collect(),
            lists: Vec::new(),
        };
        let sections = vec![section("answer", "", vec![Block::Answer(answer)])];
        document("Writing for a cut".to_owned(), &run.armed, sections, Front::default())
    }
}

fn document(title: String, armed: &Armed, sections: Vec<Section>, front: Front) -> Document {
    let size = ByteSize::bytes(armed.pages.saturating_mul(armed.page_bytes));
    let page = ByteSize::bytes(armed.page_bytes);
    Document {
        title,
        byline: format!("{} · {} · {size} in pages of {page}", armed.host, armed.path.display()),
        in_brief: Vec::new(),
        sections,
        chapters: Vec::new(),
        front,
    }
}

fn section(id: &'static str, heading: &'static str, blocks: Vec<Block>) -> Section {
    Section { id, heading, note: None, blocks }
}

fn summary(answer: &CrashAnswer) -> Answer {
    let CrashAnswer { outcome, remarks, check } = answer;
    let remarks: Vec<String> = remarks.iter().map(|one| line(*one, check)).collect();
    let list = PointList { heading: "Good to know", points: remarks };
    Answer {
        is_good: match outcome {
            CrashOutcome::Kept => Some(true),
            CrashOutcome::Lost => Some(false),
            CrashOutcome::Inconclusive => None,
        },
        headline: words::headline(*outcome, check.cut).to_owned(),
        sentence: words::sentence(check),
        points: [Some(words::promised(check)), Some(words::proves(check.cut).to_owned())]
            .into_iter()
            .chain([words::rule_of_three(*outcome).map(str::to_owned)])
            .flatten()
            .collect(),
        lists: if list.points.is_empty() { Vec::new() } else { vec![list] },
    }
}

fn line(remark: CrashRemark, check: &CrashCheck) -> String {
    format!("{} [{remark}]", words::remark(remark, check))
}

fn front(check: &CrashCheck) -> Front {
    let count = |name: &str, count: u64| KeyFigure::new(name, Quantity::Count, Value::Count(count));
    let faults = KeyFigure { is_beyond: check.fault_count() > 0, ..count("faults", check.fault_count()) };
    Front {
        figures: vec![
            faults,
            count("pages", check.pages_checked),
            count("flushed writes", check.flushed_writes),
            count("under way", check.in_flight.writes),
        ],
        ..Front::default()
    }
}

fn compared(check: &CrashCheck) -> Table {
    let flight = &check.in_flight;
    let rows = [
        ("pages compared", check.pages_checked),
        ("writes flushed before the cut", check.flushed_writes),
        ("writes that may have been under way", flight.writes),
        ("of these: there whole", flight.kept),
        ("of these: torn", flight.torn),
        ("of these: missing", flight.missing),
        ("there whole although an earlier one is not", flight.kept_out_of_order),
    ];
    let row = |(what, count): (&str, u64)| Row {
        cells: vec![Value::Text(what.to_owned()), Value::Count(count)],
        is_total: false,
    };
    Table {
        caption: "What was compared".to_owned(),
        columns: vec![Column::new("what", Quantity::Words), Column::new("number", Quantity::Count)],
        rows: rows.into_iter().map(row).collect(),
        at_a_glance: true,
    }
}

fn tears(tears: &[Tear]) -> Table {
    let row = |tear: &Tear| Row {
        cells: vec![
            Value::Count(tear.offset_bytes),
            Value::Count(tear.torn_at_byte - tear.offset_bytes),
            Value::Count(tear.new_sectors),
        ],
        is_total: false,
    };
    Table {
        caption: "Pages that hold a part of an unflushed write".to_owned(),
        columns: vec![
            Column::new("page at byte", Quantity::Count),
            Column::new("torn behind bytes", Quantity::Count),
            Column::new("new sectors", Quantity::Count),
        ],
        rows: tears.iter().map(row).collect(),
        at_a_glance: false,
    }
}
