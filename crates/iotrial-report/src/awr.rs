//! The documents of AWR reports: what one says of its database, a database over many intervals (`series`), databases that share
//! their storage (`fleet`), the load that was made of them (`replay`), and runs of SLOB (`slob`).

mod change;
mod course;
mod cut_off;
mod exadata;
mod fleet;
mod matrix;
mod opening;
mod replay;
mod right_size;
mod segments;
mod series;
mod slob;

pub use fleet::by_need;

use iotrial_analysis::awr::{AwrAnswer, WaitLatency};
use iotrial_analysis::words::number_in_words;
use iotrial_model::awr::{AwrFigure, AwrKind, AwrReport, AwrUnit, IoStat, Quoted, Standing, TopDatabase};
use iotrial_model::units::seconds_in_words;

use crate::document::{Block, Document, Front, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Fact, Row, Table, Value};

/// Tablespaces that are shown; JSON has all.
const MOST_TABLESPACES: usize = 10;
/// Waits that are shown.
const MOST_WAITS: usize = 14;

impl Document {
    /// What one report says; `file` is its name, as the user gave it.
    pub fn of_awr(answer: &AwrAnswer, file: &str) -> Self {
        let report = &answer.awr;
        let mut sections: Vec<Section> = answer.cut_off.iter().map(cut_off::of_report).collect();
        sections.extend([opening::opening(answer), asked(answer), load(answer)]);
        sections.extend(answer.right_size.as_ref().map(right_size::right_size));
        let away = answer.away_from_exadata.as_ref();
        sections.extend(away.map(|away| exadata::away_from_exadata(away, answer.part.as_ref())));
        sections.extend(waits(answer));
        sections.extend(io_stats("functions", "I/O by function", &report.io_by_function));
        sections.extend(io_stats("file-types", "I/O by kind of file", &report.io_by_file_type));
        sections.extend(matrix::matrix(report));
        sections.extend(tablespaces(report));
        sections.extend(segments::segments(report));
        sections.extend(memory(report));
        sections.extend(cells(report));
        sections.push(origin(answer));
        Self {
            title: format!("AWR: {}", report.database.title()),
            byline: format!("{}, from {file}", covers(report)),
            in_brief: in_brief(report),
            sections,
            chapters: Vec::new(),
            front: Front::default(),
        }
    }
}

fn section(id: &'static str, heading: &'static str, note: Option<&str>, block: Block) -> Section {
    Section { id, heading, note: note.map(str::to_owned), blocks: vec![block] }
}

fn words(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}

fn value(quoted: Option<&Quoted>) -> Value {
    Value::number(quoted.and_then(|one| one.value()))
}

/// How far a value may be relied on, for the column `basis`.
fn standing(quoted: Option<&Quoted>) -> Value {
    match quoted {
        None => Value::Absent,
        Some(one) => match (one.standing, &one.note) {
            (Standing::Printed, _) => words("printed"),
            (standing, Some(note)) => words(format!("{standing}: {note}")),
            (standing, None) => words(standing.as_str()),
        },
    }
}

fn covers(report: &AwrReport) -> String {
    let interval = &report.interval;
    let time = |time: &Option<String>| time.as_ref().map(|time| time.replace('T', " "));
    match (time(&interval.begin), time(&interval.end)) {
        (Some(begin), Some(end)) => format!("{begin} to {end}"),
        _ => "an interval without times".to_owned(),
    }
}

fn in_brief(report: &AwrReport) -> Vec<(&'static str, String)> {
    let database = &report.database;
    let mut lines = Vec::new();
    let release = database.release.as_deref().unwrap_or("release not stated");
    let role = database.role.as_deref().map_or_else(String::new, |role| format!(", {}", role.to_lowercase()));
    let kind = match report.kind {
        AwrKind::Instance => "report of one instance",
        AwrKind::Cluster => "report of the cluster",
        AwrKind::Pluggable => "report of a pluggable database",
        AwrKind::Statspack => "Statspack report",
        AwrKind::Miner => "output of AWR-Miner",
    };
    lines.push(("Database", format!("{} ({kind}), {release}{role}", database.title())));
    let names: Vec<String> = report
        .instances
        .iter()
        .map(|one| match &one.host {
            Some(host) => format!("{} on {host}", one.name),
            None => one.name.clone(),
        })
        .collect();
    if !names.is_empty() {
        lines.push((if names.len() == 1 { "Instance" } else { "Instances" }, names.join(", ")));
    }
    let host = &report.host;
    let mut parts = Vec::new();
    let amounts = [
        (&host.cpus, "CPU", "CPUs"),
        (&host.cores, "core", "cores"),
        (&host.memory_gib, "GiB of memory", "GiB of memory"),
    ];
    for (quoted, one, several) in amounts {
        // Counts of CPUs have no decimals, and memory as a program sums it up has fourteen.
        let number =
            |value: f64| if value.fract() == 0.0 { format!("{value:.0}") } else { number_in_words(value) };
        let words = |value: f64| format!("{} {}", number(value), if value == 1.0 { one } else { several });
        parts.extend(quoted.value().map(words));
    }
    if !parts.is_empty() {
        lines.push(("Host", parts.join(", ")));
    }
    if let Some(elapsed) = report.interval.elapsed_s.value() {
        let snapshots = match (report.interval.begin_snapshot, report.interval.end_snapshot) {
            (Some(begin), Some(end)) => format!(", snapshots {begin} to {end}"),
            _ => String::new(),
        };
        lines.push(("Interval", format!("{}{snapshots}", seconds_in_words(elapsed))));
    }
    if let Some(model) = report.exadata.as_ref().and_then(|exadata| exadata.model.as_ref()) {
        lines.push(("Storage", model.clone()));
    }
    lines
}

/// Streams in rows, so that requests, bytes and sizes of one kind are side by side.
fn asked(answer: &AwrAnswer) -> Section {
    let figures = &answer.figures;
    let small_reads = match opening::blocks_of_uncounted_reads(answer) {
        Some(_) => "reads below the multi-block counter",
        None => "single-block reads",
    };
    let rows = [
        ("all reads", AwrFigure::Reads, Some(AwrFigure::ReadMib), Some(AwrFigure::MeanReadKib)),
        (small_reads, AwrFigure::SingleBlockReads, None, None),
        ("multi-block reads", AwrFigure::MultiBlockReads, None, None),
        ("database reads only", AwrFigure::DatabaseReads, Some(AwrFigure::DatabaseReadMib), None),
        ("all writes", AwrFigure::Writes, Some(AwrFigure::WriteMib), Some(AwrFigure::MeanWriteKib)),
        ("single-block writes", AwrFigure::SingleBlockWrites, None, None),
        ("multi-block writes", AwrFigure::MultiBlockWrites, None, None),
        ("database writes only", AwrFigure::DatabaseWrites, Some(AwrFigure::DatabaseWriteMib), None),
        ("redo", AwrFigure::RedoWrites, Some(AwrFigure::RedoMib), Some(AwrFigure::MeanRedoWriteKib)),
        ("redo, to all log members", AwrFigure::LogWrites, Some(AwrFigure::LogWriteMib), None),
        ("reads from temporary files", AwrFigure::TempReads, Some(AwrFigure::TempReadMib), None),
        ("writes to temporary files", AwrFigure::TempWrites, Some(AwrFigure::TempWriteMib), None),
        ("archiver and backup writes", AwrFigure::BackupWrites, Some(AwrFigure::BackupWriteMib), None),
    ];
    // Only some reports tell kinds of files apart.
    let is_told = |requests: AwrFigure| {
        let of_files =
            [AwrFigure::LogWrites, AwrFigure::TempReads, AwrFigure::TempWrites, AwrFigure::BackupWrites];
        !of_files.contains(&requests) || figures.value(requests) > Some(0.0)
    };
    let rows = rows.into_iter().filter(|(_, requests, ..)| is_told(*requests));
    let row = |(name, requests, mib, size): (&str, AwrFigure, Option<AwrFigure>, Option<AwrFigure>)| {
        let quoted = figures.get(requests);
        Row {
            cells: vec![
                words(name),
                value(quoted),
                value(mib.and_then(|mib| figures.get(mib))),
                value(size.and_then(|size| figures.get(size))),
                standing(quoted),
            ],
            is_total: false,
        }
    };
    // With one decimal, the kinds of a few I/Os per second would not add up to all of them.
    let rates = match figures.value(AwrFigure::Requests) {
        Some(..100.0) => Quantity::Unitless,
        _ => Quantity::Iops,
    };
    let table = Table {
        caption: "What the database asks of its storage".to_owned(),
        columns: vec![
            Column::new("I/O", Quantity::Words),
            Column::new("IOPS", rates),
            Column::new("throughput", Quantity::BandwidthMibPerS),
            Column::new("mean size, KiB", Quantity::Unitless),
            Column::new("basis", Quantity::Words).optional(),
        ],
        rows: rows.map(row).collect(),
        at_a_glance: true,
    };
    section(
        "asked",
        "What the database asks of its storage",
        Some(
            "Averages over the interval. “All” includes redo, control files, archiver and backup; AWR's MB are MiB.",
        ),
        Block::Table(table),
    )
}

/// Where each figure is from; shown only in the forms that can be scrolled.
fn origin(answer: &AwrAnswer) -> Section {
    let all: Vec<(AwrFigure, &Quoted)> = answer.figures.iter().collect();
    let column = |name| Column::new(name, Quantity::Words);
    let table = Table::of_columns(
        "Where the figures are from",
        &all,
        [
            (column("figure"), &|(figure, _)| words(figure.title())),
            (column("basis"), &|(_, quoted)| standing(Some(*quoted))),
            (column("place"), &|(_, quoted)| words(quoted.place.as_str())),
        ],
    );
    let table = Table { at_a_glance: false, ..table };
    section("origin", "Where the figures are from", None, Block::Table(table))
}

const fn quantity(unit: AwrUnit) -> Quantity {
    match unit {
        AwrUnit::PerSecond => Quantity::Iops,
        AwrUnit::MibPerS => Quantity::BandwidthMibPerS,
        AwrUnit::Kib | AwrUnit::Mib | AwrUnit::Sessions => Quantity::Unitless,
        AwrUnit::Percent => Quantity::Percent,
        AwrUnit::Us => Quantity::LatencyUs,
    }
}

fn load(answer: &AwrAnswer) -> Section {
    let figures = [
        AwrFigure::ReadPercent,
        AwrFigure::ActiveSessions,
        AwrFigure::CpuSessions,
        AwrFigure::Transactions,
        AwrFigure::BufferHitPercent,
        AwrFigure::FlashCacheHitPercent,
        AwrFigure::SingleBlockReadUs,
        AwrFigure::MultiBlockReadUs,
        AwrFigure::RedoWriteUs,
        AwrFigure::CommitUs,
    ];
    let facts = figures
        .into_iter()
        .filter_map(|figure| {
            let quoted = answer.figures.get(figure)?;
            // Not I/Os per second.
            let quantity =
                if figure == AwrFigure::Transactions { Quantity::Unitless } else { quantity(figure.unit()) };
            let name = match figure {
                AwrFigure::Transactions => "transactions per second".to_owned(),
                _ => figure.title().to_owned(),
            };
            let name = match quoted.standing {
                Standing::Inconsistent => format!("{name} (inconsistent)"),
                _ => name,
            };
            Some(Fact { name, quantity, value: value(Some(quoted)) })
        })
        .collect();
    section("load", "Load and latencies", None, Block::Facts(facts))
}

fn waits(answer: &AwrAnswer) -> Option<Section> {
    let below = |edge: Option<f64>| match edge {
        Some(number) => Value::Bounded { sign: "<", number, reading: None },
        None => Value::Absent,
    };
    // A row of a wait that happens once in ten seconds and takes no time would be all zeros.
    let is_worth_a_row =
        |one: &&WaitLatency| one.percent.value() >= Some(0.05) || one.per_second >= Some(0.1);
    let all = answer.latencies.iter().filter(is_worth_a_row).take(MOST_WAITS);
    let percentile = |name| Column::new(name, Quantity::LatencyUs).optional();
    let table = Table::of_columns(
        "Waits for I/O",
        all,
        [
            (Column::new("event", Quantity::Words), &|one| words(one.event.as_str())),
            (Column::new("side", Quantity::Words), &|one| words(one.side.as_str())),
            (Column::new("per second", Quantity::Unitless), &|one| Value::number(one.per_second)),
            (Column::new("mean", Quantity::LatencyUs), &|one| value(Some(&one.mean_us))),
            (Column::new("category", Quantity::Words), &|one| {
                one.judged.map_or(Value::Absent, Value::Category)
            }),
            (percentile("p50"), &|one| below(one.half_below_us)),
            (percentile("p95"), &|one| below(one.p95_below_us)),
            (percentile("p99"), &|one| below(one.p99_below_us)),
            (Column::new("share", Quantity::Percent), &|one| value(Some(&one.percent))),
            (Column::new("basis of the mean", Quantity::Words).first_to_go(), &|one| {
                standing(Some(&one.mean_us))
            }),
        ],
    );
    (!table.rows.is_empty()).then(|| {
        section(
            "waits",
            "Waits for I/O",
            Some("The category rates the mean by the threshold set `flash`, which has different limits for single-block reads, scans and the log. Direct path reads and smart scans wait for several I/Os at once and have no category. Shares are of DB time; those of background processes are of background time."),
            Block::Table(table),
        )
    })
}

fn io_stats(id: &'static str, heading: &'static str, stats: &[IoStat]) -> Option<Section> {
    let row = |one: &IoStat| Row {
        cells: vec![
            words(one.name.trim_end_matches(':')),
            // A contradicted figure is not shown next to those that are not.
            Value::number(one.reads_per_s.sound()),
            Value::number(one.writes_per_s.sound()),
            Value::number(one.read_mib_per_s.sound()),
            Value::number(one.write_mib_per_s.sound()),
            value(Some(&one.mean_us)),
        ],
        is_total: one.is_total(),
    };
    (!stats.is_empty()).then(|| {
        section(
            id,
            heading,
            None,
            Block::Table(Table {
                caption: heading.to_owned(),
                columns: vec![
                    Column::new("what", Quantity::Words),
                    Column::new("reads", Quantity::Iops),
                    Column::new("writes", Quantity::Iops),
                    Column::new("read", Quantity::BandwidthMibPerS),
                    Column::new("written", Quantity::BandwidthMibPerS),
                    Column::new("mean time", Quantity::LatencyUs).optional(),
                ],
                rows: stats.iter().map(row).collect(),
                at_a_glance: false,
            }),
        )
    })
}

fn tablespaces(report: &AwrReport) -> Option<Section> {
    let elapsed = report.interval.elapsed_s.value().filter(|elapsed| *elapsed > 0.0)?;
    let rate = |count: &Quoted| Value::number(count.value().map(|count| count / elapsed));
    let table = Table::of_columns(
        "Tablespaces",
        report.tablespaces.iter().take(MOST_TABLESPACES),
        [
            (Column::new("tablespace", Quantity::Words), &|one| words(one.tablespace.as_str())),
            (Column::new("reads", Quantity::Iops), &|one| rate(&one.reads)),
            (Column::new("mean read", Quantity::LatencyUs), &|one| Value::number(one.read_us.sound())),
            (Column::new("blocks per read", Quantity::Unitless), &|one| value(Some(&one.blocks_per_read))),
            (Column::new("writes", Quantity::Iops), &|one| rate(&one.writes)),
            (Column::new("basis of writes", Quantity::Words).first_to_go(), &|one| {
                standing(Some(&one.writes))
            }),
        ],
    );
    let table = Table { at_a_glance: false, ..table };
    (!table.rows.is_empty()).then(|| {
        section(
            "tablespaces",
            "Tablespaces",
            Some("The busiest ones; --json has all of them, and the files."),
            Block::Table(table),
        )
    })
}

fn memory(report: &AwrReport) -> Option<Section> {
    let facts: Vec<Fact> = report
        .memory
        .iter()
        .map(|one| Fact {
            name: format!("{}, MiB", one.name),
            quantity: Quantity::Unitless,
            value: value(Some(&one.value)),
        })
        .collect();
    (!facts.is_empty()).then(|| section("memory", "Memory", None, Block::Facts(facts)))
}

fn cells(report: &AwrReport) -> Vec<Section> {
    let Some(exadata) = &report.exadata else { return Vec::new() };
    let mut sections = Vec::new();
    if !exadata.top_databases.is_empty() {
        let mut databases: Vec<&TopDatabase> = exadata.top_databases.iter().collect();
        // The one with the most bytes first; the one without a name of its own is the rest.
        databases.sort_by(|a, b| {
            let rest = |one: &TopDatabase| one.name == "OTHER";
            let mib = |one: &TopDatabase| one.mib_per_s.value().unwrap_or(0.0);
            rest(a).cmp(&rest(b)).then(mib(b).total_cmp(&mib(a)))
        });
        let percent = |name| Column::new(name, Quantity::Percent).optional();
        let moved = |name| Column::new(name, Quantity::BandwidthMibPerS).under("throughput");
        let named = |one: &TopDatabase| {
            if one.is_current { format!("{} (this one)", one.name) } else { one.name.clone() }
        };
        // Who else uses the cells, and how much: average flash and disk I/O by database.
        let table = Table::of_columns(
            "Databases on the storage servers",
            databases,
            [
                (Column::new("database", Quantity::Words), &|one| words(named(one))),
                (Column::new("IOPS", Quantity::Iops), &|one| value(Some(&one.requests_per_s))),
                (percent("from flash"), &|one| value(Some(&one.flash_requests_percent))),
                (moved("all"), &|one| value(Some(&one.mib_per_s))),
                (moved("flash"), &|one| value(Some(&one.flash_mib_per_s))),
                (moved("disk"), &|one| value(Some(&one.disk_mib_per_s))),
                (percent("from flash").under("throughput"), &|one| value(Some(&one.flash_mib_percent))),
            ],
        );
        sections.push(section(
            "top-databases",
            "Databases on the storage servers",
            Some("As counted by the storage cells, for all databases on them."),
            Block::Table(table),
        ));
    }
    if !exadata.outliers.is_empty() {
        let column = |name| Column::new(name, Quantity::Words);
        let table = Table::of_columns(
            "Outliers of cells and disks",
            &exadata.outliers,
            [
                (column("what"), &|one| words(one.what.as_str())),
                (column("cell or disk"), &|one| words(one.name.as_str())),
                (column("value"), &|one| words(one.value.as_str())),
            ],
        );
        let table = Table { at_a_glance: false, ..table };
        sections.push(section("outliers", "Outliers of cells and disks", None, Block::Table(table)));
    }
    sections
}
