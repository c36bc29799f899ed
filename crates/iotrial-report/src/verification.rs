//! What a run that verifies compared, and what it found.

use std::collections::BTreeMap;

use iotrial_analysis::summary::Summary;
use iotrial_model::verification::{FaultKind, Noticed, PageFault, Verification};

use crate::document::{Block, KeyFigure, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// Absent where nobody compared.
pub(crate) fn section(summary: &Summary) -> Option<Section> {
    let verification = summary.verification.as_ref()?;
    // What is wrong is read first.
    let mut blocks = Vec::new();
    if verification.fault_count() > 0 {
        blocks.push(Block::Table(kinds(&verification.counts, &verification.faults)));
    }
    blocks.push(Block::Table(compared(verification)));
    if !verification.faults.is_empty() {
        blocks.push(Block::Table(places(&verification.faults, "after the load")));
    }
    if !verification.kernel_log.is_empty() {
        blocks.push(Block::Table(kernel_log(&verification.kernel_log)));
    }
    Some(Section {
        id: "verification",
        heading: "What was written and read back",
        note: Some(
            "Each page was compared with the last write to it that was acknowledged. What a power cut leaves was not tried."
                .to_owned(),
        ),
        blocks,
    })
}

/// The figures that a page shows first; `None` where nobody compared.
pub(crate) fn key_figures(summary: &Summary) -> Option<Vec<KeyFigure>> {
    let verification = summary.verification.as_ref()?;
    let count = |name: &str, count: u64| KeyFigure::new(name, Quantity::Count, Value::Count(count));
    let faults = count("faults", verification.fault_count());
    Some(vec![
        KeyFigure { is_beyond: verification.fault_count() > 0, ..faults },
        count("pages", verification.pages),
        count("comparisons", verification.pages_checked.saturating_add(verification.pages_scanned)),
        count("writes", verification.writes),
    ])
}

fn compared(verification: &Verification) -> Table {
    let Verification { pages_checked, pages_scanned, pages_overlapped, writes, pages_followed, .. } =
        verification;
    let mut rows = vec![
        ("writes that were acknowledged", writes),
        ("pages compared under the load", pages_checked),
        ("pages compared after the load", pages_scanned),
        ("pages read while they were written, not compared", pages_overlapped),
    ];
    rows.extend(pages_followed.iter().map(|pages| ("pages whose last write was known", pages)));
    Table {
        caption: "What was compared".to_owned(),
        columns: vec![Column::new("what", Quantity::Words), Column::new("number", Quantity::Count)],
        rows: rows.into_iter().map(|(what, count)| row(vec![words(what), Value::Count(*count)])).collect(),
        at_a_glance: true,
    }
}

/// How often each kind was found, and where first.
pub(crate) fn kinds(counts: &BTreeMap<FaultKind, u64>, faults: &[PageFault]) -> Table {
    let rows = counts.iter().map(|(kind, count)| {
        let first = faults.iter().find(|fault| fault.kind == *kind);
        row(vec![
            words(kind.as_str()),
            Value::Count(*count),
            first.map_or(Value::Absent, |first| Value::Count(first.offset_bytes)),
            Value::text(first.map(|first| first.path.display().to_string())),
        ])
    });
    Table {
        caption: "Faults by kind".to_owned(),
        columns: vec![
            Column::new("kind", Quantity::Words),
            Column::new("number", Quantity::Count),
            Column::new("first at byte", Quantity::Count),
            Column::new("of", Quantity::Words),
        ],
        rows: rows.collect(),
        at_a_glance: true,
    }
}

/// The first faults; `at_end` is when the last comparison was.
pub(crate) fn places(faults: &[PageFault], at_end: &str) -> Table {
    let rows = faults.iter().map(|fault| {
        let elsewhere = fault.other_place.as_ref();
        let elsewhere =
            elsewhere.map(|place| format!("{}, byte {}", place.path.display(), place.offset_bytes));
        row(vec![
            words(fault.kind.as_str()),
            Value::Text(fault.path.display().to_string()),
            Value::Count(fault.first_bad_byte.unwrap_or(fault.offset_bytes)),
            fault.device_byte.map_or(Value::Absent, Value::Count),
            fault.bad_sectors.map_or(Value::Absent, Value::Count),
            words(match fault.noticed {
                Noticed::BeforeOverwrite => "before it was overwritten",
                Noticed::Read => "when it was read",
                Noticed::Write => "when it was written",
                Noticed::EndScan => at_end,
            }),
            fault.good_rereads.map_or(Value::Absent, |good| Value::Count(good.into())),
            Value::text(elsewhere),
        ])
    });
    Table {
        caption: "The first faults".to_owned(),
        columns: vec![
            Column::new("kind", Quantity::Words),
            Column::new("file or device", Quantity::Words),
            Column::new("byte", Quantity::Count),
            Column::new("byte of the device", Quantity::Count),
            Column::new("sectors", Quantity::Count),
            Column::new("noticed", Quantity::Words),
            Column::new("right when repeated, of 3", Quantity::Count),
            Column::new("other end", Quantity::Words),
        ],
        rows: rows.collect(),
        at_a_glance: false,
    }
}

/// What the kernel said of the devices.
fn kernel_log(lines: &[String]) -> Table {
    Table {
        caption: "What the kernel logged on the devices".to_owned(),
        columns: vec![Column::new("line", Quantity::Words)],
        rows: lines.iter().map(|line| row(vec![words(line)])).collect(),
        at_a_glance: false,
    }
}

fn words(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn row(cells: Vec<Value>) -> Row {
    Row { cells, is_total: false }
}
