//! What a load on a database says of its storage: how much was done behind the ramp, what it waited for, what held it back, and what puts the
//! figures in doubt.

use std::collections::BTreeMap;
use std::time::Duration;

use iotrial_bootstrap::Units;
use iotrial_model::application::ApplicationMetrics;
use iotrial_model::database::{
    DatabaseCounter, DatabaseKind, DatabaseSample, DatabaseSettings, mysql, postgres,
};
use iotrial_model::database_run::{DatabaseFacts, DatabaseRemark, DatabaseRun, DriverInterval, HeldBackBy};
use iotrial_model::figure::Figure;
use iotrial_model::observation::ObservedDisks;
use iotrial_model::record::OpCounts;
use iotrial_model::stream::{Stream, StreamOf};
use serde::Serialize;

use crate::host_check::Database;
use crate::student::{CONFIDENCE, student_limit};
use crate::threshold::ThresholdSet;
use crate::watch::{WatchAnswer, WatchRequest, threshold_sets};

/// From this share of its CPU time on, a driver or a host has none to spare.
// A choice: threads that hand work to each other do not reach all of it, and the mean over seconds hides full ones.
const FULL: f64 = 0.9;
/// Clients that wait for something for this share of their time are held back by it.
// A choice: with half of the waiting gone they would do a third more at most.
const HELD_BACK_PERCENT: f64 = 50.0;
/// Clients that wait for storage less than this are not held back by it.
// A choice: storage that takes no time at all would let them do a quarter more.
const FREE_PERCENT: f64 = 20.0;
/// Transactions that begin later than this are no longer those of the rate that was given, where their response time is not known; it is ms.
const MOST_LAG_MS: f64 = 10.0;
/// Fewer looks at the sessions say nothing of what they wait for.
// A choice: with ten, a share is known to about 15 points.
const LEAST_LOOKS: usize = 10;
/// From this share of pages in the cache on, and below this rate of reads, storage is hardly asked to read.
const FITS_PERCENT: f64 = 99.0;
const FITS_BYTES_PER_S: f64 = 1e6;
/// Checkpoints that the log forces at less than this distance are too many.
// The usual `checkpoint_timeout`.
const LEAST_BETWEEN_CHECKPOINTS_S: f64 = 300.0;

/// What a load on a database came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatabaseRunAnswer {
    /// The machine that watched.
    pub host: String,
    /// When watching began, RFC 3339 in UTC.
    pub started_at: String,
    /// What was left out at the beginning, in seconds.
    pub ramp_s: f64,
    /// How long it was measured behind that.
    pub measured_s: f64,
    /// Whether it was stopped before its end.
    pub is_stopped: bool,
    /// Transactions; absent where neither driver nor database counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transactions: Option<TransactionsAnswer>,
    /// What held the load back.
    pub limit: LoadLimit,
    /// What a reader should know, doubts first.
    #[serde(serialize_with = "iotrial_words::database_run::remarks_in_json")]
    pub remarks: Vec<DatabaseRemark>,
    /// What the database says; absent where none was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<DatabaseAnswer>,
    /// The driver; absent where the load ran already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<DriverAnswer>,
    /// CPU time of the whole host, in percent of all CPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_busy_percent: Option<f64>,
    /// What the devices did, as `watch` says it; absent where nothing was counted behind the ramp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage: Option<WatchAnswer>,
}

/// Transactions behind the ramp.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TransactionsAnswer {
    /// Who counted.
    pub counted_by: CountedBy,
    /// Transactions per second.
    pub per_s: f64,
    /// Where that rate lies with 95 % confidence; absent with fewer than twelve intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_s_confidence: Option<Range>,
    /// Mean response time in ms; absent where the driver does not print it for each interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_ms: Option<f64>,
    /// Where that mean lies with 95 % confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_ms_confidence: Option<Range>,
    /// How many intervals there are.
    pub interval_count: usize,
}

/// Who counted transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountedBy {
    /// The driver, in its progress.
    Driver,
    /// The database: its commits, of all clients.
    Database,
}

/// From the lowest to the highest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Range {
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

/// What held the load back, with what says so.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoadLimit {
    /// What it was.
    pub by: HeldBackBy,
    /// Share of their time in which the clients waited for storage; absent where the database does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_wait_percent: Option<f64>,
    /// The same for locks of each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock_wait_percent: Option<f64>,
    /// Whether driver or host had no CPU time left.
    pub is_cpu_used_up: bool,
    /// Devices that look saturated or throttled.
    pub saturated: Vec<String>,
}

/// What a database says of the measured time. Rates are per second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatabaseAnswer {
    /// Which one.
    pub kind: DatabaseKind,
    /// Its version; absent where it does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Commits, of all clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits_per_s: Option<f64>,
    /// Commits from before the load until after it, without those of asking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_count: Option<f64>,
    /// Transactions that were rolled back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollbacks_per_s: Option<f64>,
    /// Mean time of a sync of the log in µs, which a commit waits for; absent where the database does not time it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_sync_us: Option<f64>,
    /// Syncs of the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_syncs_per_s: Option<f64>,
    /// Bytes of log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_bytes_per_s: Option<f64>,
    /// Pages that were found in the buffer cache, in percent of those wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_hit_percent: Option<f64>,
    /// The size of that cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_bytes: Option<f64>,
    /// Bytes of pages that were not found there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_read_bytes_per_s: Option<f64>,
    /// Mean time of such a read in µs; absent where the database does not time it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_read_us: Option<f64>,
    /// Sessions with a statement or a transaction under way, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_sessions: Option<f64>,
    /// Checkpoints that were begun, for whatever reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_count: Option<f64>,
    /// Settings when watching began, by the names of the server.
    pub settings: DatabaseSettings,
}

/// The program that made the load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DriverAnswer {
    /// The name of its file.
    pub program: String,
    /// Whose output it printed, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its exit code; absent where a signal ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// CPUs that it used on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<f64>,
    /// Its threads, where it tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_count: Option<u32>,
    /// Its clients, where it tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_count: Option<u32>,
    /// Transactions of the whole run, with its ramp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_count: Option<u64>,
    /// Its summary: figures of the whole run, with its ramp.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub summary: BTreeMap<String, f64>,
    /// Metrics that it printed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: ApplicationMetrics,
}

impl DatabaseRunAnswer {
    /// Looks at a run.
    pub fn of(run: &DatabaseRun) -> Self {
        let measured = run.database.as_ref().map(|facts| Measured::of(facts, run));
        let storage = (run.disks.interval_count > 0)
            .then(|| WatchAnswer::of(&run.disks, &watched_as_flash()).ok())
            .flatten()
            .filter(|answer| !answer.disks.is_empty());
        let database = measured.as_ref().map(Measured::answer);
        let report = &run.report;
        let driver = run.driver.as_ref().map(|end| DriverAnswer {
            program: end.program.clone(),
            name: report.name.clone(),
            code: end.code,
            cpus: run.cpu.and_then(|cpu| cpu.driver_cpus),
            thread_count: report.thread_count,
            client_count: report.client_count,
            transaction_count: report.transaction_count,
            summary: report.summary.iter().map(|(name, figure)| (name.clone(), figure.value)).collect(),
            metrics: report.metrics.clone(),
        });
        let transactions = transactions(run, measured.as_ref());
        let mean_ms = transactions.as_ref().and_then(|transactions| transactions.mean_ms);
        let limit = limit(run, measured.as_ref(), storage.as_ref(), mean_ms);
        let mut remarks = remarks(run, measured.as_ref(), database.as_ref());
        // Stable: those of one weight stay in the order of their names.
        remarks.sort_by_key(|remark| std::cmp::Reverse(remark.severity()));
        Self {
            host: run.host.clone(),
            started_at: run.started_at.clone(),
            ramp_s: run.ramp_s,
            measured_s: measured_s(run),
            is_stopped: run.is_stopped,
            transactions,
            limit,
            remarks,
            database,
            driver,
            cpu_busy_percent: run.cpu.and_then(|cpu| cpu.busy_percent),
            storage,
        }
    }

    /// Whether nothing puts the figures in doubt.
    pub fn is_beyond_doubt(&self) -> bool {
        !self.remarks.iter().any(DatabaseRemark::is_doubt)
    }
}

/// Devices are judged as `watch` judges those of these databases.
fn watched_as_flash() -> WatchRequest {
    let names = threshold_sets(Some(Database::PostgreSql));
    let thresholds = names.iter().filter_map(|name| ThresholdSet::builtin(name).ok()).collect();
    WatchRequest { thresholds, ..WatchRequest::default() }
}

fn measured_s(run: &DatabaseRun) -> f64 {
    (run.ended_s - run.ramp_s).max(0.0)
}

/// What a database counted behind the ramp: from the first answer behind it to the last before the end.
struct Measured<'m> {
    facts: &'m DatabaseFacts,
    samples: Vec<&'m DatabaseSample>,
}

impl<'m> Measured<'m> {
    fn of(facts: &'m DatabaseFacts, run: &DatabaseRun) -> Self {
        // The last answer is of a time without the load.
        let is_in = |sample: &&DatabaseSample| sample.at_s >= run.ramp_s && sample.at_s <= run.ended_s;
        Self { facts, samples: facts.samples.iter().filter(is_in).collect() }
    }

    fn seconds(&self) -> Option<f64> {
        let seconds = self.samples.last()?.at_s - self.samples.first()?.at_s;
        (seconds > 0.0).then_some(seconds)
    }

    /// How much a counter grew; `None` where it is not counted, or went back because somebody reset it.
    fn growth(&self, counter: DatabaseCounter) -> Option<f64> {
        growth(self.samples.iter().copied(), counter)
    }

    fn per_s(&self, counter: DatabaseCounter) -> Option<f64> {
        Some(self.growth(counter)? / self.seconds()?)
    }

    /// Milliseconds over events, in µs; `None` where nothing was timed: the database counts zero then.
    fn mean_us(&self, ms: DatabaseCounter, events: DatabaseCounter) -> Option<f64> {
        let (ms, events) = (self.growth(ms)?, self.growth(events)?);
        (ms > 0.0 && events > 0.0).then(|| 1e3 * ms / events)
    }

    /// The sum over the looks at the sessions.
    fn sum(&self, counter: DatabaseCounter) -> Option<f64> {
        let values: Vec<f64> = self.samples.iter().filter_map(|sample| sample.get(counter)).collect();
        (!values.is_empty()).then(|| values.iter().sum())
    }

    fn setting(&self, name: &str) -> Option<&str> {
        self.facts.settings.get(name).map(String::as_str)
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.setting(name)?.parse().ok()
    }

    fn is_off(&self, name: &str) -> bool {
        self.setting(name).is_some_and(|value| value.eq_ignore_ascii_case("off") || value == "0")
    }

    /// Pages that were found in the cache, and those that were not.
    fn pages(&self) -> Option<(f64, f64)> {
        let (hits, reads) =
            (self.growth(DatabaseCounter::PageHits)?, self.growth(DatabaseCounter::PageReads)?);
        Some(match self.facts.kind {
            DatabaseKind::Postgres => (hits, reads),
            // It counts all that were wanted.
            DatabaseKind::Mysql => ((hits - reads).max(0.0), reads),
        })
    }

    fn answer(&self) -> DatabaseAnswer {
        let (version, cache, page) = match self.facts.kind {
            DatabaseKind::Postgres => (postgres::VERSION, "shared_buffers", "block_size"),
            DatabaseKind::Mysql => (mysql::VERSION, "innodb_buffer_pool_size", "innodb_page_size"),
        };
        let hit_percent =
            |(hits, reads): (f64, f64)| (hits + reads > 0.0).then(|| 100.0 * hits / (hits + reads));
        let looks = self.samples.len() as f64;
        let checkpoints = [DatabaseCounter::CheckpointsTimed, DatabaseCounter::CheckpointsRequested];
        DatabaseAnswer {
            kind: self.facts.kind,
            version: self.setting(version).map(str::to_owned),
            commits_per_s: self
                .seconds()
                .and_then(|seconds| Some(commit_count(self.facts.kind, &self.samples)? / seconds)),
            commit_count: commit_count(self.facts.kind, &self.facts.samples.iter().collect::<Vec<_>>()),
            rollbacks_per_s: self.per_s(DatabaseCounter::Rollbacks),
            log_sync_us: self.mean_us(DatabaseCounter::LogSyncMs, DatabaseCounter::LogSyncs),
            log_syncs_per_s: self.per_s(DatabaseCounter::LogSyncs),
            log_bytes_per_s: self.per_s(DatabaseCounter::LogBytes),
            cache_hit_percent: self.pages().and_then(hit_percent),
            cache_bytes: self.number(cache),
            page_read_bytes_per_s: self
                .per_s(DatabaseCounter::PageReads)
                .and_then(|rate| Some(rate * self.number(page)?)),
            page_read_us: self.mean_us(DatabaseCounter::PageReadMs, DatabaseCounter::PageReads),
            busy_sessions: self.sum(DatabaseCounter::BusySessions).map(|sum| sum / looks),
            checkpoint_count: checkpoints
                .into_iter()
                .filter_map(|counter| self.growth(counter))
                .reduce(|one, other| one + other),
            settings: self.facts.settings.clone(),
        }
    }
}

/// How much a counter grew from the first sample to the last; `None` where it is not counted, or went back between two.
fn growth<'s>(samples: impl Iterator<Item = &'s DatabaseSample>, counter: DatabaseCounter) -> Option<f64> {
    let values: Vec<f64> = samples.filter_map(|sample| sample.get(counter)).collect();
    let is_rising = values.windows(2).all(|pair| pair[0] <= pair[1]);
    (values.len() >= 2 && is_rising).then(|| values[values.len() - 1] - values[0])
}

/// Commits of others from the first answer to the last. Each answer of PostgreSQL is a transaction of its own.
fn commit_count(kind: DatabaseKind, samples: &[&DatabaseSample]) -> Option<f64> {
    let all = growth(samples.iter().copied(), DatabaseCounter::Commits)?;
    let own = match kind {
        DatabaseKind::Postgres => samples.len().saturating_sub(1) as f64,
        DatabaseKind::Mysql => 0.0,
    };
    Some((all - own).max(0.0))
}

/// Transactions of the progress that the driver printed, else the commits of the database.
fn transactions(run: &DatabaseRun, measured: Option<&Measured<'_>>) -> Option<TransactionsAnswer> {
    let of_driver = progress(run);
    let (counted_by, intervals) = if of_driver.is_empty() {
        (CountedBy::Database, measured.map(commits).unwrap_or_default())
    } else {
        (CountedBy::Driver, of_driver)
    };
    let seconds: f64 = intervals.iter().map(|one| one.duration_s).sum();
    if seconds <= 0.0 {
        return None;
    }
    let count = |one: &DriverInterval| one.transactions_per_s * one.duration_s;
    let all: f64 = intervals.iter().map(count).sum();
    // A mean over transactions: one over seconds would count an idle second like a busy one.
    let has_means = intervals.iter().all(|one| one.mean_ms.is_some() || one.transactions_per_s == 0.0);
    let times: f64 = intervals.iter().map(|one| count(one) * one.mean_ms.unwrap_or_default()).sum();
    let mean_ms = (has_means && all > 0.0).then(|| times / all);
    let (rate, mean) = confidence(&intervals);
    Some(TransactionsAnswer {
        counted_by,
        per_s: all / seconds,
        per_s_confidence: rate,
        mean_ms,
        mean_ms_confidence: mean.filter(|_| mean_ms.is_some()),
        interval_count: intervals.len(),
    })
}

/// Progress behind the ramp.
fn progress(run: &DatabaseRun) -> Vec<DriverInterval> {
    // Lines come a little after what they say, and a driver begins a little after its process.
    let is_in = |one: &&DriverInterval| one.start_s + 0.1 * one.duration_s >= run.ramp_s;
    run.report.intervals.iter().filter(is_in).copied().collect()
}

/// Commits of the database, from answer to answer, without those of asking.
fn commits(measured: &Measured<'_>) -> Vec<DriverInterval> {
    let interval = |pair: &[&DatabaseSample]| {
        let duration_s = pair[1].at_s - pair[0].at_s;
        let count = commit_count(measured.facts.kind, pair)?;
        (duration_s > 0.0).then(|| DriverInterval {
            start_s: pair[0].at_s,
            duration_s,
            transactions_per_s: count / duration_s,
            mean_ms: None,
        })
    };
    measured.samples.windows(2).filter_map(interval).collect()
}

/// Where rate and mean response time lie, by the bootstrap over the intervals that runs are compared with (`docs/compare.md`): transactions take
/// the place of I/Os, each with the mean of its interval.
fn confidence(intervals: &[DriverInterval]) -> (Option<Range>, Option<Range>) {
    /// The same facts give the same answer.
    const SEED: u64 = 1;
    let stream = StreamOf::all(Stream::Mixed);
    let counts = |one: &DriverInterval| {
        let mut counts = OpCounts::default();
        let response = Duration::try_from_secs_f64(one.mean_ms.unwrap_or(1.0) / 1e3).unwrap_or_default();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count of transactions"
        )]
        let count = (one.transactions_per_s * one.duration_s).round() as u64;
        counts.total_latency.record_n(response, count);
        counts
    };
    let all: Vec<OpCounts> = intervals.iter().map(counts).collect();
    let mut total = OpCounts::default();
    all.iter().for_each(|one| total.total_latency.merge(&one.total_latency));
    let units = all.iter().map(|one| vec![one]).collect();
    let durations = intervals.iter().map(|one| one.duration_s).collect();
    let units = Units::new(durations, &[(stream, &total, units)]);
    let Some(spread) = units.spread_of_intervals(SEED) else { return (None, None) };
    let seconds: f64 = intervals.iter().map(|one| one.duration_s).sum();
    let range = |figure: Figure, value: f64| {
        let row = spread.position(stream, figure)?;
        let reach = student_limit(1.0 - CONFIDENCE, spread.degrees[row]) * spread.standard_errors[row];
        let range = Range { low: value * (-reach).exp(), high: value * reach.exp() };
        (range.low.is_finite() && range.high.is_finite()).then_some(range)
    };
    let mean_ms = total.total_latency.mean_us().map(|us| us / 1e3);
    (
        range(Figure::Iops, total.io_count() as f64 / seconds),
        mean_ms.and_then(|mean_ms| range(Figure::LatencyMean, mean_ms)),
    )
}

/// What held the load back; `mean_ms` is the response time of its transactions.
fn limit(
    run: &DatabaseRun,
    measured: Option<&Measured<'_>>,
    storage: Option<&WatchAnswer>,
    mean_ms: Option<f64>,
) -> LoadLimit {
    let mut saturated: Vec<String> = Vec::new();
    for observation in storage.iter().flat_map(|answer| &answer.observations) {
        if let ObservedDisks::Disk(name) = &observation.of
            && observation.kind().is_limit()
            && !saturated.contains(name)
        {
            saturated.push(name.clone());
        }
    }
    let waits = measured.and_then(|measured| {
        if measured.samples.len() < LEAST_LOOKS {
            return None;
        }
        // Of clients that pause between transactions most of the time is their own.
        let of_clients =
            run.report.client_count.map(|count| f64::from(count) * measured.samples.len() as f64);
        let busy = measured.sum(DatabaseCounter::BusySessions)?;
        let all = of_clients.unwrap_or(busy).max(busy);
        let percent = |counter| Some(100.0 * measured.sum(counter)? / all);
        (all > 0.0)
            .then(|| Some((percent(DatabaseCounter::StorageWaits)?, percent(DatabaseCounter::LockWaits)?)))
            .flatten()
    });
    let threads = run.report.thread_count.map(f64::from).filter(|threads| *threads > 0.0);
    let driver_cpus = run.cpu.and_then(|cpu| cpu.driver_cpus);
    let is_driver_full = driver_cpus.zip(threads).is_some_and(|(cpus, threads)| cpus >= FULL * threads);
    let is_cpu_full = run.cpu.and_then(|cpu| cpu.busy_percent).is_some_and(|percent| percent >= 100.0 * FULL);
    let waited = |percent: f64| percent >= HELD_BACK_PERCENT;
    let report = &run.report;
    let is_rate_kept = report.schedule_lag_ms.map_or(
        report.queue_length.is_some_and(|queue| queue <= report.thread_count.unwrap_or(1)),
        |lag_ms| lag_ms < mean_ms.map_or(MOST_LAG_MS, |mean_ms| mean_ms / 2.0),
    );
    let is_used_up = is_driver_full || is_cpu_full;
    let by = match waits {
        // More was not asked for, whatever else was used up.
        _ if is_rate_kept => HeldBackBy::Rate,
        // Clients that wait for storage while there is no CPU time left: either may be it.
        Some((storage, _)) if waited(storage) && is_used_up => HeldBackBy::Unknown,
        _ if is_driver_full => HeldBackBy::Driver,
        _ if is_cpu_full => HeldBackBy::Cpu,
        Some((storage, _)) if waited(storage) => HeldBackBy::Storage,
        Some((_, locks)) if waited(locks) => HeldBackBy::Locks,
        Some((storage, locks)) if storage + locks < FREE_PERCENT && saturated.is_empty() => {
            HeldBackBy::NotStorage
        }
        _ => HeldBackBy::Unknown,
    };
    LoadLimit {
        by,
        storage_wait_percent: waits.map(|(storage, _)| storage),
        lock_wait_percent: waits.map(|(_, locks)| locks),
        is_cpu_used_up: is_used_up,
        saturated,
    }
}

fn remarks(
    run: &DatabaseRun,
    measured: Option<&Measured<'_>>,
    answer: Option<&DatabaseAnswer>,
) -> Vec<DatabaseRemark> {
    let mut remarks = Vec::new();
    if let Some(end) = run.driver.as_ref().filter(|end| end.code != Some(0) && !run.is_stopped) {
        remarks.push(DatabaseRemark::DriverFailed { code: end.code });
    }
    let of_driver = run.driver.is_some() && run.report.intervals.is_empty();
    if of_driver && run.report.name.is_some() {
        remarks.push(DatabaseRemark::NoProgress);
    }
    let (Some(measured), Some(answer)) = (measured, answer) else { return remarks };
    if let Some(why) = &measured.facts.failure {
        remarks.push(DatabaseRemark::DatabaseSilent { why: why.clone() });
    }
    settings(measured, &mut remarks);
    if let (Some(hit_percent), Some(rate)) = (answer.cache_hit_percent, answer.page_read_bytes_per_s)
        && hit_percent >= FITS_PERCENT
        && rate < FITS_BYTES_PER_S
    {
        remarks.push(DatabaseRemark::FitsCache { hit_percent, cache_bytes: answer.cache_bytes });
    }
    if let Some(count) = measured.growth(DatabaseCounter::CheckpointsRequested)
        && count >= 2.0
        && measured_s(run) / count < LEAST_BETWEEN_CHECKPOINTS_S
    {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of checkpoints")]
        let count = count as u64;
        let limit_bytes = measured.number("max_wal_size");
        remarks.push(DatabaseRemark::LogTooSmall { count, measured_s: measured_s(run), limit_bytes });
    }
    if answer.checkpoint_count == Some(0.0) {
        remarks.push(DatabaseRemark::NoCheckpoint);
    }
    let has_syncs = answer.log_syncs_per_s.is_some_and(|rate| rate > 0.0);
    if measured.is_off("track_wal_io_timing") && has_syncs {
        remarks.push(DatabaseRemark::LogNotTimed);
    }
    remarks
}

/// Settings with which the figures are not those of a database that keeps what it commits.
fn settings(measured: &Measured<'_>, remarks: &mut Vec<DatabaseRemark>) {
    if measured.is_off("fsync") {
        remarks.push(DatabaseRemark::FsyncOff);
    }
    for setting in ["full_page_writes", "innodb_doublewrite"] {
        if measured.is_off(setting) {
            remarks.push(DatabaseRemark::NoPageProtection { setting });
        }
    }
    let has_binlog = measured.setting("log_bin").is_some() && !measured.is_off("log_bin");
    // What each must be for a commit to wait for storage; the first has more values that do.
    let wants = [
        ("synchronous_commit", None),
        ("innodb_flush_log_at_trx_commit", Some("1")),
        ("sync_binlog", Some("1")),
    ];
    let is_durable =
        |value: &str, wanted: Option<&str>| wanted.map_or(value != "off", |wanted| value == wanted);
    for (setting, wanted) in wants {
        if let Some(value) = measured.setting(setting).filter(|value| !is_durable(value, wanted))
            && (setting != "sync_binlog" || has_binlog)
        {
            remarks.push(DatabaseRemark::CommitNotDurable { setting, value: value.to_owned() });
        }
    }
}

#[cfg(test)]
mod tests;
