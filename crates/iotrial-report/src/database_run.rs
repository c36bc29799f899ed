//! The document of a load on a database: how much was done, what held it back, what database and devices say.

use iotrial_analysis::database_run::{
    CountedBy, DatabaseAnswer, DatabaseRunAnswer, DriverAnswer, LoadLimit, TransactionsAnswer,
};
use iotrial_analysis::watch::{DiskAnswer, WatchAnswer};
use iotrial_analysis::words::{latency_in_words, number_in_words, rate_in_words, seconds_in_words};
use iotrial_model::database_run::DatabaseRemark;
use iotrial_model::units::ByteSize;
use iotrial_model::words::counted;
use iotrial_words::database_run::{LimitWords, headline, remark, sentence};

use crate::chart::ChartGroup;
use crate::document::{Answer, Beside, Block, Document, FindingLine, Front, KeyFigure, Section};
use crate::finding_line::About;
use crate::quantity::Quantity;
use crate::table::{Column, Table, TableOf, Value};
use crate::watch::{charts, disks_note, disks_table, queue_table};

impl Document {
    /// What a load on a database came to. `label` is what the user calls it.
    pub fn of_database_run(answer: &DatabaseRunAnswer, label: Option<&str>) -> Self {
        let mut sections = vec![section("answer", "", Block::Statement(summary(answer)))];
        if !answer.remarks.is_empty() {
            let line = |one: &DatabaseRemark| {
                FindingLine::about(About::Database(one.id()), one.severity(), remark(one))
            };
            let heading =
                if answer.is_beyond_doubt() { "Good to know" } else { "What puts the figures in doubt" };
            let lines = answer.remarks.iter().map(line).collect();
            sections.push(section("remarks", heading, Block::Findings(lines)));
        }
        if let Some(database) = &answer.database {
            let table = database_table(database, &answer.limit);
            let shown = table.map(|table| section("database", "What the database says", Block::Table(table)));
            sections.extend(shown);
        }
        sections.extend(answer.storage.iter().flat_map(devices));
        Self {
            title: label.map_or_else(|| "What did the database do?".to_owned(), str::to_owned),
            byline: byline(answer),
            in_brief: circumstances(answer),
            sections,
            chapters: Vec::new(),
            front: front(answer),
        }
    }
}

fn section(id: &'static str, heading: &'static str, block: Block) -> Section {
    Section { id, heading, note: None, blocks: vec![block] }
}

fn byline(answer: &DatabaseRunAnswer) -> String {
    let database = answer.database.as_ref().map(|one| {
        // `15.18 (Debian 15.18-0+deb12u1)`
        let version = one.version.as_ref().and_then(|version| version.split_whitespace().next());
        let version = version.map_or_else(String::new, |version| format!(" {version}"));
        format!("{}{version}", one.kind.title())
    });
    let driver = answer.driver.as_ref().map(|one| one.program.clone());
    let ramp = if answer.ramp_s > 0.0 {
        format!(" after a ramp of {}", seconds_in_words(answer.ramp_s))
    } else {
        String::new()
    };
    let stopped = if answer.is_stopped { ", stopped" } else { "" };
    let time = format!("{}{ramp}{stopped}", seconds_in_words(answer.measured_s.round()));
    let parts = [Some(answer.host.clone()), database, driver, Some(time)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn summary(answer: &DatabaseRunAnswer) -> Answer {
    let rate = answer.transactions.as_ref().map_or_else(
        || "Transactions were not counted".to_owned(),
        |one| format!("{} transactions per second", rate_in_words(one.per_s)),
    );
    let limit = &answer.limit;
    let words = LimitWords {
        by: limit.by,
        storage_wait_percent: limit.storage_wait_percent,
        lock_wait_percent: limit.lock_wait_percent,
        is_cpu_used_up: limit.is_cpu_used_up,
        saturated: &limit.saturated,
        driver_cpus: answer.driver.as_ref().and_then(|driver| driver.cpus),
        driver_threads: answer.driver.as_ref().and_then(|driver| driver.thread_count),
        busy_percent: answer.cpu_busy_percent,
    };
    let mut points: Vec<String> = answer.transactions.iter().map(transactions).collect();
    points.extend(commit(answer));
    points.extend(answer.database.as_ref().and_then(working_set));
    Answer {
        is_good: None,
        headline: format!("{rate}; {}", headline(limit.by)),
        sentence: sentence(&words),
        points,
        lists: Vec::new(),
    }
}

fn transactions(one: &TransactionsAnswer) -> String {
    let by = match one.counted_by {
        CountedBy::Driver => "counted by the driver",
        CountedBy::Database => "commits of the database",
    };
    let range = one.per_s_confidence.map_or_else(
        || "; too few seconds for a confidence interval".to_owned(),
        |range| format!(", 95 % confidence {} to {}", rate_in_words(range.low), rate_in_words(range.high)),
    );
    let mean = one
        .mean_ms
        .map_or_else(String::new, |ms| format!(", {} each on average", latency_in_words(1e3 * ms)));
    format!("{} per second{mean} ({by}{range})", rate_in_words(one.per_s))
}

/// How long a commit waits for the log, beside what the device takes for a write.
fn commit(answer: &DatabaseRunAnswer) -> Option<String> {
    let sync_us = answer.database.as_ref()?.log_sync_us?;
    let sync = format!("a sync of the log, which a commit waits for, takes {}", latency_in_words(sync_us));
    Some(match slowest_writes(answer.storage.as_ref()) {
        Some((disk, us)) => format!("{sync}; {} takes {} for a write", disk.name, latency_in_words(us)),
        None => sync,
    })
}

/// The device with the longest mean latency of writes.
fn slowest_writes(storage: Option<&WatchAnswer>) -> Option<(&DiskAnswer, f64)> {
    let disks = storage?.disks.iter();
    let writes = disks.filter_map(|disk| Some((disk, disk.write.latency_us?.mean)));
    writes.max_by(|one, other| one.1.total_cmp(&other.1))
}

fn working_set(database: &DatabaseAnswer) -> Option<String> {
    let hits = database.cache_hit_percent?;
    let cache = database.cache_bytes.map_or_else(String::new, |bytes| format!(" of {}", size(bytes)));
    let reads = database.page_read_bytes_per_s.map_or_else(String::new, |bytes| {
        format!("; {} MB/s of pages were not", number_in_words(bytes / 1e6))
    });
    Some(format!("{} % of the pages were in the buffer cache{cache}{reads}", number_in_words(hits)))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the size of a cache")]
fn size(bytes: f64) -> ByteSize {
    ByteSize::bytes(bytes.max(0.0) as u64)
}

/// One row: what is not known has no column. `None` where nothing is known.
fn database_table(database: &DatabaseAnswer, limit: &LoadLimit) -> Option<Table> {
    let mb = |bytes: Option<f64>| bytes.map(|bytes| bytes / 1e6);
    let cells = [
        (Column::new("commits/s", Quantity::Unitless), database.commits_per_s),
        (Column::new("rollbacks/s", Quantity::Unitless).first_to_go(), database.rollbacks_per_s),
        (Column::new("log", Quantity::BandwidthMbPerS), mb(database.log_bytes_per_s)),
        (Column::new("log syncs/s", Quantity::Unitless).optional(), database.log_syncs_per_s),
        (Column::new("log sync", Quantity::LatencyUs), database.log_sync_us),
        (Column::new("in cache", Quantity::Percent), database.cache_hit_percent),
        (Column::new("pages read", Quantity::BandwidthMbPerS), mb(database.page_read_bytes_per_s)),
        (Column::new("page read", Quantity::LatencyUs).optional(), database.page_read_us),
        (Column::new("busy sessions", Quantity::Unitless).optional(), database.busy_sessions),
        (Column::new("wait for storage", Quantity::Percent).optional(), limit.storage_wait_percent),
    ];
    let known = cells.into_iter().filter(|(_, value)| value.is_some());
    let caption = "Behind the ramp; of waiting the share of the time of the clients";
    let add = |table: TableOf<'static, ()>, (column, value): (Column, Option<f64>)| {
        table.column(column, move |()| Value::number(value))
    };
    let table = known.fold(TableOf::new(caption), add).rows([()]);
    // What decides is in the points above it; a screen has room for the devices.
    (!table.columns.is_empty()).then_some(Table { at_a_glance: false, ..table })
}

fn devices(storage: &WatchAnswer) -> Vec<Section> {
    let tables = [disks_table(storage), queue_table(storage)];
    let devices = Section {
        id: "disks",
        heading: "What the devices do",
        note: (storage.interval_count > 1).then(|| disks_note(storage).to_owned()),
        blocks: tables.into_iter().flatten().map(Block::Table).collect(),
    };
    let course = storage.course.iter().flat_map(|course| charts(course, storage));
    let course = Section {
        id: "course",
        heading: "Over time",
        note: None,
        blocks: course.map(|chart| Block::Charts(ChartGroup { charts: vec![chart] })).collect(),
    };
    [devices, course].into_iter().filter(|section| !section.blocks.is_empty()).collect()
}

fn circumstances(answer: &DatabaseRunAnswer) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    lines.extend(answer.driver.as_ref().map(|driver| ("driver", driver_line(driver))));
    lines.extend(
        answer
            .cpu_busy_percent
            .map(|percent| ("CPU", format!("{} % of the host's CPUs busy", number_in_words(percent)))),
    );
    lines
}

fn driver_line(driver: &DriverAnswer) -> String {
    let counts = [(driver.client_count, "client"), (driver.thread_count, "thread")];
    let counts = counts.into_iter().filter_map(|(count, noun)| Some(counted(count?.into(), noun)));
    let cpus = driver.cpus.map(|cpus| format!("{} CPUs used", number_in_words(cpus)));
    let all =
        driver.transaction_count.map(|count| format!("{} in the whole run", counted(count, "transaction")));
    let code = driver.code.filter(|code| *code != 0).map(|code| format!("exit code {code}"));
    let parts: Vec<String> = counts.chain(all).chain(cpus).chain(code).collect();
    if parts.is_empty() {
        driver.program.clone()
    } else {
        format!("{}: {}", driver.program, parts.join(", "))
    }
}

fn front(answer: &DatabaseRunAnswer) -> Front {
    let mut figures = Vec::new();
    if let Some(one) = &answer.transactions {
        let rate = KeyFigure::new("transactions/s", Quantity::Unitless, Value::Number(one.per_s));
        figures.push(rate.beside(one.per_s_confidence.map(|range| Beside::Range(range.low, range.high))));
        figures.extend(one.mean_ms.map(|ms| {
            KeyFigure::new("mean response", Quantity::LatencyUs, Value::Number(1e3 * ms))
                .beside(one.mean_ms_confidence.map(|range| Beside::Range(1e3 * range.low, 1e3 * range.high)))
        }));
    }
    let database = answer.database.as_ref();
    let named = [
        ("log sync", Quantity::LatencyUs, database.and_then(|one| one.log_sync_us)),
        ("in cache", Quantity::Percent, database.and_then(|one| one.cache_hit_percent)),
        ("wait for storage", Quantity::Percent, answer.limit.storage_wait_percent),
    ];
    let known = named.into_iter().filter_map(|(name, quantity, value)| Some((name, quantity, value?)));
    figures.extend(known.map(|(name, quantity, value)| KeyFigure::new(name, quantity, Value::Number(value))));
    Front { figures, ..Front::default() }
}
