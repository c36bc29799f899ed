//! The section about the machine and the storage that a database needs.

use iotrial_analysis::awr::{Licences, Provision, RightSizing, Sized};
use iotrial_analysis::words::number_in_words;
use iotrial_model::awr::{Level, Method, Provided};
use iotrial_words::awr as said;

use crate::document::{Answer, Block, PointList, Section};
use crate::quantity::{Quantity, without_trailing_zeros};
use crate::table::{Column, Row, Table, Value};

const HEADING: &str = "Right-sizing";

/// The whole section, for one database.
pub(super) fn right_size(sizing: &RightSizing) -> Section {
    let mut blocks = vec![Block::Statement(answer(sizing))];
    let rows = rows(sizing);
    let all: Vec<(String, &Sized)> = rows.iter().map(|one| (one.method.as_str().to_owned(), *one)).collect();
    blocks.push(Block::Table(machine("method", &all)));
    blocks.push(Block::Table(storage("method", &all)));
    if !sizing.provision.is_empty() {
        blocks.push(Block::Table(provision(&sizing.provision, sizing.part.is_some())));
    }
    Section { id: "right-size", heading: HEADING, note: Some(methods(sizing)), blocks }
}

/// What the methods do. The list of factors has the values that apply to the chosen one: they may have been changed.
fn methods(sizing: &RightSizing) -> String {
    let doubled = if sizing.is_estimate {
        " With fewer than 20 intervals, `iotrial` and `peak` also double CPU and I/O, unless you give factors."
    } else {
        ""
    };
    format!(
        "Three methods; the chosen one (`--method`) comes first. `iotrial`: CPU time with headroom, and I/O as measured. `omat`: one CPU for each active session, and everything doubled, as Microsoft's Oracle Migration Assistant Tool (OMAT) does. `peak`: the highest interval of each figure, or the highest minute if the source has it, with CPUs that may be fully busy.{doubled} vCPUs “by CPU” and “by sessions” follow from the database's own CPU time and active sessions; the CPUs “used” are those of the whole host."
    )
}

/// The requested method and level for each of several databases.
pub(super) fn right_sizes(databases: &[(&str, &RightSizing)]) -> Option<Section> {
    let (_, first) = databases.first()?;
    let all: Vec<(String, &Sized)> =
        databases.iter().map(|(name, sizing)| (marked(name, sizing), &sizing.chosen)).collect();
    // A factor that replaces a level exists only if the source does not have that level.
    let values = |name: &str| {
        let of = databases.iter().filter_map(|(_, one)| one.factors.iter().find(|one| one.name == name));
        let mut values: Vec<String> = of.map(|one| one.value.to_string()).collect();
        values.sort();
        values.dedup();
        values.join(" or ")
    };
    let factors: Vec<String> =
        first.factors.iter().map(|one| format!("--{} {}", one.name, values(one.name))).collect();
    let is_part = databases.iter().any(|(_, one)| one.part.is_some());
    let mark =
        if is_part { " * is sized from reports of some of its instances only: add the others." } else { "" };
    Some(Section {
        id: "right-size",
        heading: HEADING,
        note: Some(format!(
            "Each database on its own, with the {} method: {}. The section of each database below also shows the other methods and levels, and what is over-provisioned.{mark}",
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
    parts.extend(chosen.memory_gib.map(|gib| format!("{} GiB of memory", number_in_words(gib))));
    if let (Some(reads), Some(writes)) = (chosen.reads_per_s, chosen.writes_per_s) {
        parts.push(format!(
            "{} reads and {} writes per second",
            number_in_words(reads),
            number_in_words(writes)
        ));
    }
    let headline = match (parts.as_slice(), &sizing.part) {
        ([], _) => "The report has neither CPU time nor rates to size by".to_owned(),
        (parts, Some(part)) => {
            let (of, alone) = match part.lacking_intervals {
                0 => ("For", ""),
                _ if part.is_throughout() => ("For", " alone"),
                _ => ("From", ""),
            };
            format!("{of} {}{alone}: {}", said::part(part), parts.join(", "))
        }
        (parts, None) => parts.join(", "),
    };
    let factors = sizing
        .factors
        .iter()
        .map(|one| format!("--{} {}: {}", one.name, one.value, said::factor_reason(one.why)));
    let over = sizing.provision.iter().filter(|one| one.is_over);
    let mut points: Vec<String> =
        over.map(|one| format!("{}: {}", over_words(one, sizing.part.is_some()), amounts(one))).collect();
    if chosen.memory_gib.is_none() {
        points.push("memory: the report has neither the use nor the sizes of SGA and PGA".to_owned());
    }
    points.extend(chosen.licences.as_ref().map(licences));
    let mut lists = Vec::new();
    if !sizing.notes.is_empty() {
        lists.push(PointList {
            heading: "Notes on sizing",
            points: sizing.notes.iter().map(said::size_note).collect(),
        });
    }
    lists.push(PointList { heading: "Factors", points: factors.collect() });
    Answer { is_good: None, headline, sentence: measured(sizing), points, lists }
}

/// What the rates are a multiple of.
fn measured(sizing: &RightSizing) -> String {
    let chosen = &sizing.chosen;
    let factor = chosen.factor_io;
    let times = match factor {
        1.0 => String::new(),
        2.0 => "twice ".to_owned(),
        factor => format!("{factor} times "),
    };
    let level = match (chosen.level, chosen.method) {
        (Level::Average, _) => "the measured average",
        (_, Method::Peak) => "the highest that was measured",
        (Level::Peak, _) => "the highest interval",
        (Level::P95, _) => "the 95th percentile",
        (Level::P99, _) => "the 99th percentile",
    };
    let rates = |[reads, writes, read, write]: [Option<f64>; 4], written: fn(f64) -> String| {
        let requests = reads.zip(writes);
        let requests =
            requests.map(|(a, b)| format!("{} reads and {} writes per second", written(a), written(b)));
        let bytes = read.zip(write);
        let bytes = bytes.map(|(a, b)| format!("{} MiB/s read and {} MiB/s written", written(a), written(b)));
        [requests, bytes].into_iter().flatten().collect::<Vec<_>>()
    };
    let bytes = [None, None, chosen.read_mib_per_s, chosen.write_mib_per_s];
    let mut sentence = format!("Sized with the {} method. The I/O is {times}{level}", chosen.method.as_str());
    let all = [chosen.reads_per_s, chosen.writes_per_s, chosen.read_mib_per_s, chosen.write_mib_per_s];
    let of = rates(all.map(|rate| chosen.measured(rate)), finely);
    if factor != 1.0 && !of.is_empty() {
        sentence.push_str(&format!(" ({})", of.join(", ")));
    }
    for words in rates(bytes, number_in_words) {
        sentence.push_str(&format!(": {words}"));
    }
    sentence.push('.');
    sentence
}

/// With a digit more than the multiple of it, so that the multiple agrees with what is shown.
pub(super) fn finely(number: f64) -> String {
    let decimals = match number.abs() {
        100.0.. => 1,
        1.0.. => 2,
        0.0005.. => 3,
        _ => return number_in_words(number),
    };
    iotrial_model::units::group_thousands(&format!("{number:.decimals$}"))
}

/// Disk groups belong to all databases; everything else also serves the rest of the database.
fn over_words(one: &Provision, has_part: bool) -> &'static str {
    match one.kind {
        Provided::DiskGroup(_) => "over-provisioned",
        _ if has_part => "over-provisioned for the instances reported",
        _ => "over-provisioned",
    }
}

/// CPUs that are not counted as vCPUs say how many of those they are, because the size is in vCPUs.
fn name_of(one: &Provision) -> String {
    match &one.kind {
        Provided::Cpus { vcpus_each } if (vcpus_each - 1.0).abs() > 0.01 => {
            format!("CPUs counted as {} vCPUs each", without_trailing_zeros(&number_in_words(*vcpus_each)))
        }
        kind => said::provided(kind),
    }
}

/// What there is and what is needed, each with its unit.
fn amounts(one: &Provision) -> String {
    let (has, needs) = (whole(one.has), whole(one.needs));
    match &one.kind {
        Provided::Cpus { .. } => format!("{} (has {has}, needs {needs})", name_of(one)),
        Provided::Memory => format!("memory (has {has} GiB, needs {needs} GiB)"),
        Provided::Licences => format!(
            "Enterprise Edition licences on x86 (today's CPUs need {has}, the new size needs {needs})"
        ),
        Provided::DiskGroup(name) => {
            format!("disk group {name} of all databases (has {has} GiB, needs {needs} GiB)")
        }
    }
}

/// Without decimals, except for small numbers that have some.
fn whole(number: f64) -> String {
    if number >= 10.0 || number.fract() == 0.0 {
        iotrial_model::units::group_thousands(&format!("{number:.0}"))
    } else {
        format!("{number:.1}")
    }
}

fn licences(licences: &Licences) -> String {
    let se2 = match (licences.standard_edition_2, &licences.no_standard_edition_2) {
        (Some(count), _) => format!(" or {count} Standard Edition 2"),
        (None, Some(why)) => {
            format!("; not Standard Edition 2: {}", said::no_standard_edition_2(why))
        }
        (None, None) => String::new(),
    };
    format!(
        "processor licences: {} Enterprise Edition on your own x86 hardware; in an authorised cloud {} Enterprise Edition{se2}",
        licences.own_hardware, licences.authorised_cloud
    )
}

/// The requested method and level, its other levels, and the other methods, each once.
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
    let mut table = Table {
        caption: "Machine".to_owned(),
        columns: vec![
            Column::new(label, Quantity::Words),
            Column::new("level", Quantity::Words),
            Column::new("needed", Quantity::Count).under("vCPUs"),
            Column::new("by CPU", Quantity::Unitless).under("vCPUs"),
            Column::new("by sessions", Quantity::Unitless).under("vCPUs"),
            Column::new("memory, GiB", Quantity::Unitless),
            Column::new("EE own", Quantity::Count).under("licences"),
            Column::new("EE cloud", Quantity::Count).under("licences"),
            Column::new("SE2", Quantity::Count).under("licences").optional(),
        ],
        rows: rows.iter().map(row).collect(),
        at_a_glance: true,
    };
    // A column that is empty in all rows says nothing.
    for at in [8, 5] {
        if table.rows.iter().all(|row| row.cells[at] == Value::Absent) {
            table.without_column(at);
        }
    }
    without_one_level(table)
}

/// The levels of a single interval are all its average.
fn without_one_level(mut table: Table) -> Table {
    if table.rows.len() > 1 && table.rows.iter().all(|row| row.cells[1] == table.rows[0].cells[1]) {
        table.without_column(1);
    }
    table
}

/// What has the factor in it.
const PLANNED: &str = "planned";

/// What is planned, beside what was measured and the factor between them.
fn storage(label: &'static str, rows: &[(String, &Sized)]) -> Table {
    let measured = |name| Column::new(name, Quantity::Iops).under("measured");
    let bandwidth = |name| Column::new(name, Quantity::BandwidthMibPerS).under(PLANNED).optional();
    let table = Table::of_columns(
        "Storage",
        rows,
        [
            (Column::new(label, Quantity::Words), &|(name, _)| Value::Text(name.clone())),
            (Column::new("level", Quantity::Words), &|(_, one)| Value::Text(one.level.as_str().to_owned())),
            (measured("reads"), &|(_, one)| Value::number(one.measured(one.reads_per_s))),
            (measured("writes"), &|(_, one)| Value::number(one.measured(one.writes_per_s))),
            (Column::new("factor", Quantity::Unitless), &|(_, one)| Value::Number(one.factor_io)),
            (Column::new("reads", Quantity::Iops).under(PLANNED), &|(_, one)| Value::number(one.reads_per_s)),
            (Column::new("writes", Quantity::Iops).under(PLANNED), &|(_, one)| {
                Value::number(one.writes_per_s)
            }),
            (bandwidth("read"), &|(_, one)| Value::number(one.read_mib_per_s)),
            (bandwidth("written"), &|(_, one)| Value::number(one.write_mib_per_s)),
        ],
    );
    without_one_level(table)
}

/// The name of a database, marked where its reports have a part of it.
fn marked(name: &str, sizing: &RightSizing) -> String {
    format!("{name}{}", if sizing.part.is_some() { " *" } else { "" })
}

fn provision(provision: &[Provision], has_part: bool) -> Table {
    let row = |one: &Provision| Row {
        cells: vec![
            Value::Text(name_of(one)),
            Value::Number(one.has),
            Value::number(one.uses),
            Value::Number(one.needs),
            Value::Text(match one {
                _ if one.is_over => over_words(one, has_part).to_owned(),
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
            Column::new("today", Quantity::Unitless),
            Column::new("used", Quantity::Unitless),
            Column::new("needed", Quantity::Unitless),
            Column::new("result", Quantity::Words),
        ],
        rows: provision.iter().map(row).collect(),
        at_a_glance: true,
    }
}
