//! The section about the machine and the storage that a database needs.

use iotrial_analysis::awr::{Level, Licences, Provision, RightSizing, Sized};

use super::said;
use crate::document::{Answer, Block, PointList, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

const HEADING: &str = "Right-sizing";

/// All of it, of one database.
pub(super) fn right_size(sizing: &RightSizing) -> Section {
    let mut blocks = vec![Block::Answer(answer(sizing))];
    let rows = rows(sizing);
    let all: Vec<(String, &Sized)> = rows.iter().map(|one| (one.method.as_str().to_owned(), *one)).collect();
    blocks.push(Block::Table(machine("method", &all)));
    blocks.push(Block::Table(storage("method", &all)));
    if !sizing.provision.is_empty() {
        blocks.push(Block::Table(provision(&sizing.provision)));
    }
    let note = "Hardware threads from CPU time, and from sessions that work or wait. What was asked for comes first.";
    Section { id: "right-size", heading: HEADING, note: Some(note.to_owned()), blocks }
}

/// What was asked for of each of several databases.
pub(super) fn right_sizes(databases: &[(&str, &RightSizing)]) -> Option<Section> {
    let (_, first) = databases.first()?;
    let all: Vec<(String, &Sized)> =
        databases.iter().map(|(name, sizing)| ((*name).to_owned(), &sizing.chosen)).collect();
    let factors: Vec<String> =
        first.factors.iter().map(|one| format!("--{} {}", one.name, one.value)).collect();
    Some(Section {
        id: "right-size",
        heading: HEADING,
        note: Some(format!(
            "Each database by itself, by the method {}: {}. Reports of one database alone show the other methods and levels, and what is over-provisioned.",
            first.chosen.method.as_str(),
            factors.join(", ")
        )),
        blocks: vec![Block::Table(machine("database", &all)), Block::Table(storage("database", &all))],
    })
}

fn answer(sizing: &RightSizing) -> Answer {
    let chosen = &sizing.chosen;
    let mut parts = Vec::new();
    parts.extend(chosen.vcpus.map(|vcpus| format!("{vcpus} vCPUs")));
    parts.extend(chosen.memory_gib.map(|gib| format!("{} GiB of memory", said(gib))));
    if let (Some(reads), Some(writes)) = (chosen.reads_per_s, chosen.writes_per_s) {
        parts.push(format!("{} reads and {} writes per second", said(reads), said(writes)));
    }
    let mut sentence = format!("By the method {}, {}", chosen.method.as_str(), level(sizing));
    if let (Some(read), Some(write)) = (chosen.read_mib_per_s, chosen.write_mib_per_s) {
        sentence.push_str(&format!("; {} MiB/s read and {} MiB/s written", said(read), said(write)));
    }
    let factors = sizing.factors.iter().map(|one| format!("--{} {}: {}", one.name, one.value, one.why));
    let over = sizing.provision.iter().filter(|one| one.is_over);
    let mut points: Vec<String> = over
        .map(|one| {
            format!("over-provisioned: {}: {} where {} do", one.what, whole(one.has), whole(one.needs))
        })
        .collect();
    points.extend(chosen.licences.as_ref().map(licences));
    let mut lists = vec![PointList { heading: "Factors", points: factors.collect() }];
    if !sizing.notes.is_empty() {
        lists.push(PointList { heading: "What to know", points: sizing.notes.clone() });
    }
    Answer { is_good: None, headline: parts.join(", "), sentence: format!("{sentence}."), points, lists }
}

fn level(sizing: &RightSizing) -> String {
    match (sizing.is_estimate, sizing.chosen.level) {
        (true, Level::Average) => "from one average".to_owned(),
        (true, _) => "from the highest of a few intervals".to_owned(),
        (false, level) => format!("level {}", level.as_str()),
    }
}

/// Without decimals, but of small numbers that have any.
fn whole(number: f64) -> String {
    if number >= 10.0 || number.fract() == 0.0 {
        iotrial_model::units::group_thousands(&format!("{number:.0}"))
    } else {
        format!("{number:.1}")
    }
}

fn licences(licences: &Licences) -> String {
    let se2 = match licences.standard_edition_2 {
        Some(count) => format!("{count} of Standard Edition 2 there"),
        None => "beyond the 8 vCPUs that Standard Edition 2 may have there".to_owned(),
    };
    format!(
        "processor licences: {} of Enterprise Edition on own x86 hardware, {} in an authorised cloud, {se2}",
        licences.own_hardware, licences.authorised_cloud
    )
}

/// What was asked for, its other levels, and the other methods, each once.
fn rows(sizing: &RightSizing) -> Vec<&Sized> {
    let mut rows = vec![&sizing.chosen];
    for one in sizing.levels.iter().chain(&sizing.methods) {
        let is_known = |other: &&Sized| other.method == one.method && other.level == one.level;
        if !rows.iter().any(is_known) {
            rows.push(one);
        }
    }
    rows
}

fn machine(label: &'static str, rows: &[(String, &Sized)]) -> Table {
    let count = |number: Option<u32>| number.map_or(Value::Absent, |number| Value::Count(u64::from(number)));
    let row = |(name, one): &(String, &Sized)| {
        let licences = one.licences.as_ref();
        let mut cells = [name, one.level.as_str()].map(|word| Value::Text(word.to_owned())).to_vec();
        cells.extend([
            count(one.vcpus),
            Value::number(one.vcpus_by_cpu),
            Value::number(one.vcpus_by_sessions),
            Value::number(one.memory_gib),
            count(licences.map(|one| one.own_hardware)),
            count(licences.map(|one| one.authorised_cloud)),
            count(licences.and_then(|one| one.standard_edition_2)),
        ]);
        Row { cells, is_total: false }
    };
    Table {
        caption: "Machine".to_owned(),
        columns: vec![
            Column::new(label, Quantity::Words),
            Column::new("level", Quantity::Words),
            Column::new("needed", Quantity::Count).under("vCPUs"),
            Column::new("from CPU", Quantity::Unitless).under("vCPUs"),
            Column::new("from sessions", Quantity::Unitless).under("vCPUs"),
            Column::new("memory, GiB", Quantity::Unitless),
            Column::new("EE own x86", Quantity::Count).under("licences"),
            Column::new("EE cloud", Quantity::Count).under("licences"),
            Column::new("SE2 cloud", Quantity::Count).under("licences").optional(),
        ],
        rows: rows.iter().map(row).collect(),
        at_a_glance: true,
    }
}

fn storage(label: &'static str, rows: &[(String, &Sized)]) -> Table {
    let row = |(name, one): &(String, &Sized)| {
        let mut cells = [name, one.level.as_str()].map(|word| Value::Text(word.to_owned())).to_vec();
        cells.extend(
            [one.reads_per_s, one.writes_per_s, one.read_mib_per_s, one.write_mib_per_s].map(Value::number),
        );
        Row { cells, is_total: false }
    };
    Table {
        caption: "Storage".to_owned(),
        columns: vec![
            Column::new(label, Quantity::Words),
            Column::new("level", Quantity::Words),
            Column::new("reads", Quantity::Iops),
            Column::new("writes", Quantity::Iops),
            Column::new("read", Quantity::BandwidthMibPerS),
            Column::new("written", Quantity::BandwidthMibPerS),
        ],
        rows: rows.iter().map(row).collect(),
        at_a_glance: true,
    }
}

fn provision(provision: &[Provision]) -> Table {
    let row = |one: &Provision| Row {
        cells: vec![
            Value::Text(one.what.clone()),
            Value::Number(one.has),
            Value::number(one.uses),
            Value::Number(one.needs),
            Value::Text(match one {
                _ if one.is_over => "over-provisioned".to_owned(),
                _ if one.has < one.needs => {
                    format!("too small: {:.0} % of the need", 100.0 * one.has / one.needs)
                }
                _ => "fits".to_owned(),
            }),
        ],
        is_total: false,
    };
    Table {
        caption: "What is there today".to_owned(),
        columns: vec![
            Column::new("what", Quantity::Words),
            Column::new("there is", Quantity::Unitless),
            Column::new("used", Quantity::Unitless),
            Column::new("needed", Quantity::Unitless),
            Column::new("verdict", Quantity::Words),
        ],
        rows: provision.iter().map(row).collect(),
        at_a_glance: true,
    }
}
