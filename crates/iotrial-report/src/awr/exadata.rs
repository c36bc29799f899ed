//! The sections about Exadata: what its storage does for the database, and what other storage would be asked.

use iotrial_analysis::awr::{Ask, ExadataMove};
use iotrial_model::awr::{Part, Quoted, Use};
use iotrial_model::words::enumerate;
use iotrial_words::awr as said;

use crate::document::{Answer, Block, PointList, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

fn words(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}

pub(super) fn away_from_exadata(answer: &ExadataMove, part: Option<&Part>) -> Section {
    let mut blocks = vec![Block::Statement(opening(answer, part))];
    blocks.extend(throughput(answer).map(Block::Table));
    blocks.extend(latencies(answer).map(Block::Table));
    blocks.push(Block::Table(features(answer)));
    if answer.time.iter().any(|one| one.percent.is_some()) {
        blocks.push(Block::Table(time(answer)));
    }
    if !answer.savings.is_empty() {
        blocks.push(Block::Table(savings(answer)));
    }
    Section {
        id: "away-from-exadata",
        heading: "Away from Exadata",
        note: Some(
            "What the storage servers do for this database today, and what plain storage would have to do for the same work, as a range from low to high."
                .to_owned(),
        ),
        blocks,
    }
}

fn opening(answer: &ExadataMove, part: Option<&Part>) -> Answer {
    let headline = match (answer.difficulty, part) {
        (Some(difficulty), None) => format!("Leaving Exadata: {}", difficulty.as_str()),
        (Some(difficulty), Some(_)) => {
            format!("Leaving Exadata: {} for this part, open for the whole database", difficulty.as_str())
        }
        (None, _) => "The report does not say how hard it is to leave Exadata".to_owned(),
    };
    let counted: Vec<&str> =
        answer.features.iter().filter(|one| one.score() > 0).map(|one| one.name).collect();
    let sentence = match counted.as_slice() {
        [] if answer.difficulty.is_none() => {
            "It lacks the counters, or the waits of users, that show which features of Exadata are used."
                .to_owned()
        }
        [] => "No feature of Exadata is used enough to be missed.".to_owned(),
        names => format!("Something has to take the place of {}.", enumerate(names)),
    };
    let sentence = match part {
        Some(part) => format!(
            "{sentence} That is what {} shows: what the rest of the database uses is not in this report.",
            said::part(part)
        ),
        None => sentence,
    };
    let reasons = answer.features.iter().filter(|one| one.score() > 0);
    let mut lists = Vec::new();
    let memory: Vec<String> = answer.memory.iter().map(|one| one.text.clone()).collect();
    for (heading, points) in [
        ("Assumptions behind the ranges", answer.assumptions.iter().map(said::range_assumption).collect()),
        ("What more memory would save", memory),
        ("Storage servers", answer.cells.iter().map(said::cell_state).collect()),
    ] {
        if !points.is_empty() {
            lists.push(PointList { heading, points });
        }
    }
    Answer {
        is_good: None,
        headline,
        sentence,
        points: reasons
            .map(|one| format!("{}: {}", one.name, one.text))
            .chain(part.and_then(|part| part.on_cells.as_ref()).map(said::on_cells))
            .collect(),
        lists,
    }
}

fn ask<'a>(answer: &'a ExadataMove, id: &str) -> Option<&'a Ask> {
    answer.ask.iter().find(|one| one.id == id)
}

fn cells(ask: Option<&Ask>) -> [Value; 3] {
    [ask.map(|one| one.today), ask.map(|one| one.low), ask.map(|one| one.high)].map(Value::number)
}

fn throughput(answer: &ExadataMove) -> Option<Table> {
    let row = |(name, mib, requests): (&str, &str, &str)| {
        let (mib, requests) = (ask(answer, mib), ask(answer, requests));
        (mib.is_some() || requests.is_some()).then(|| {
            let mut all = vec![words(name)];
            all.extend(cells(mib));
            all.extend(cells(requests));
            Row { cells: all, is_total: false }
        })
    };
    let rows: Vec<Row> =
        [("reads", "read_mib_per_s", "reads_per_s"), ("writes", "write_mib_per_s", "writes_per_s")]
            .into_iter()
            .filter_map(row)
            .collect();
    let group = |name: &'static str, quantity| {
        ["today", "low", "high"].map(|column| Column::new(column, quantity).under(name))
    };
    let mut columns = vec![Column::new("I/O", Quantity::Words)];
    columns.extend(group("throughput", Quantity::BandwidthMibPerS));
    columns.extend(group("requests", Quantity::Iops));
    (!rows.is_empty()).then(|| Table {
        caption: "What plain storage would have to do".to_owned(),
        columns,
        rows,
        at_a_glance: true,
    })
}

fn latencies(answer: &ExadataMove) -> Option<Table> {
    let rows: Vec<Row> =
        [("read of a single block", "single_block_read_us"), ("write of redo", "redo_write_us")]
            .into_iter()
            .filter_map(|(name, id)| {
                let one = ask(answer, id)?;
                let cells = vec![words(name), Value::Number(one.low), Value::Number(one.high)];
                Some(Row { cells, is_total: false })
            })
            .collect();
    (!rows.is_empty()).then(|| Table {
        caption: "How fast plain storage would have to be".to_owned(),
        columns: vec![
            Column::new("mean of a wait", Quantity::Words),
            Column::new("as today", Quantity::LatencyUs),
            Column::new("DB time 10 % longer", Quantity::LatencyUs),
        ],
        rows,
        at_a_glance: true,
    })
}

fn features(answer: &ExadataMove) -> Table {
    // Features in use first, the heaviest at the top; the others in their order.
    let mut sorted: Vec<_> = answer.features.iter().collect();
    sorted.sort_by_key(|one| (one.used != Use::Used, std::cmp::Reverse(one.score())));
    let column = |name| Column::new(name, Quantity::Words);
    let table = Table::of_columns(
        "Features of Exadata",
        sorted,
        [
            (column("feature"), &|one| words(one.name)),
            (column("today"), &|one| words(one.used.as_str())),
            (column("what the report says"), &|one| words(one.text.as_str())),
        ],
    );
    Table { at_a_glance: false, ..table }
}

fn time(answer: &ExadataMove) -> Table {
    Table::of_columns(
        "DB time in reads from cells",
        &answer.time,
        [
            (Column::new("reads", Quantity::Words), &|one| words(one.what)),
            (Column::new("use of offloading", Quantity::Words), &|one| words(one.offload)),
            (Column::new("of DB time", Quantity::Percent), &|one| Value::number(one.percent)),
            (Column::new("10 % rule", Quantity::Words), &|one| {
                words(if one.is_much { "10 % or more" } else { "less" })
            }),
        ],
    )
}

fn savings(answer: &ExadataMove) -> Table {
    let value = |quoted: &Option<Quoted>| Value::number(quoted.as_ref().and_then(Quoted::value));
    Table::of_columns(
        "What the storage servers save today",
        &answer.savings,
        [
            (Column::new("what", Quantity::Words), &|one| words(one.what)),
            (Column::new("of", Quantity::Words), &|one| words(one.whose.as_str())),
            // The units alone, or a terminal of 80 columns has no room for the table.
            (Column::new("MiB/s", Quantity::BandwidthMibPerS), &|one| value(&one.mib_per_s)),
            (Column::new("IOPS", Quantity::Iops), &|one| value(&one.per_s)),
            (Column::new("share", Quantity::Percent), &|one| Value::number(one.percent)),
            (Column::new("share of", Quantity::Words).optional(), &|one| words(one.of)),
        ],
    )
}
