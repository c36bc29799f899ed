#![allow(clippy::unwrap_used, reason = "tests")]

use iotrial_model::counters::CounterSeries;
use iotrial_model::database_run::{CpuShares, DatabaseRemarkId, DriverEnd, DriverReport};

use super::*;

/// A sample of a load that does 500 transactions a second, each with a sync of the log of 0.8 ms, and reads one page in four.
fn sample(at_s: f64, waiting: f64) -> DatabaseSample {
    let done = 500.0 * at_s;
    // Each answer before it was a commit, too.
    let values = [
        (DatabaseCounter::Commits, 1_000.0 + done + at_s),
        (DatabaseCounter::Rollbacks, 3.0),
        (DatabaseCounter::PageHits, 3.0 * done),
        (DatabaseCounter::PageReads, done),
        (DatabaseCounter::PageReadMs, 0.0),
        (DatabaseCounter::LogBytes, 4_096.0 * done),
        (DatabaseCounter::LogSyncs, done),
        (DatabaseCounter::LogSyncMs, 0.8 * done),
        (DatabaseCounter::CheckpointsTimed, 7.0),
        (DatabaseCounter::CheckpointsRequested, 1.0),
        (DatabaseCounter::BusySessions, 4.0),
        (DatabaseCounter::StorageWaits, waiting),
        (DatabaseCounter::LockWaits, 0.0),
    ];
    DatabaseSample { at_s, values: values.into() }
}

/// A run of 40 s with a ramp of 10 s, in which the driver does 400 transactions a second instead of 500.
fn run() -> DatabaseRun {
    let settings = [
        ("server_version", "15.18"),
        ("block_size", "8192"),
        ("shared_buffers", "134217728"),
        ("fsync", "on"),
        ("full_page_writes", "on"),
        ("synchronous_commit", "on"),
        ("max_wal_size", "1073741824"),
        ("track_wal_io_timing", "on"),
    ];
    let interval = |second: u32| {
        let is_ramp = second < 10;
        DriverInterval {
            start_s: f64::from(second) + 0.02,
            duration_s: 1.0,
            transactions_per_s: if is_ramp { 400.0 } else { 500.0 },
            mean_ms: Some(if is_ramp { 10.0 } else { 8.0 }),
        }
    };
    DatabaseRun {
        host: "db01".to_owned(),
        started_at: "2026-11-29T00:00:00Z".to_owned(),
        ramp_s: 10.0,
        ended_s: 40.2,
        is_stopped: false,
        database: Some(DatabaseFacts {
            kind: DatabaseKind::Postgres,
            settings: settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            samples: (0..=40).map(|at| sample(f64::from(at), 3.0)).collect(),
            failure: None,
        }),
        disks: CounterSeries::new("iotrial watch"),
        cpu: Some(CpuShares { busy_percent: Some(30.0), driver_cpus: Some(0.3) }),
        driver: Some(DriverEnd { program: "pgbench".to_owned(), code: Some(0) }),
        report: DriverReport {
            name: Some("pgbench".to_owned()),
            intervals: (0..40).map(interval).collect(),
            client_count: Some(4),
            thread_count: Some(1),
            ..DriverReport::default()
        },
    }
}

fn database(run: &mut DatabaseRun) -> &mut DatabaseFacts {
    run.database.as_mut().unwrap()
}

/// Sets a counter in all samples from one on.
fn set_from(run: &mut DatabaseRun, from: usize, counter: DatabaseCounter, value: f64) {
    for sample in &mut database(run).samples[from..] {
        sample.values.insert(counter, value);
    }
}

fn ids(run: &DatabaseRun) -> Vec<DatabaseRemarkId> {
    DatabaseRunAnswer::of(run).remarks.iter().map(DatabaseRemark::id).collect()
}

#[track_caller]
fn near(value: Option<f64>, wanted: f64) {
    assert!(
        value.is_some_and(|value| (value - wanted).abs() <= 1e-9 * wanted.abs().max(1.0)),
        "{value:?}, not {wanted}"
    );
}

#[test]
fn figures_are_those_behind_the_ramp() {
    let answer = DatabaseRunAnswer::of(&run());
    let transactions = answer.transactions.unwrap();
    assert_eq!((transactions.counted_by, transactions.interval_count), (CountedBy::Driver, 30));
    near(Some(transactions.per_s), 500.0);
    near(transactions.mean_ms, 8.0);
    // Seconds that are all alike leave nothing uncertain.
    let range = transactions.per_s_confidence.unwrap();
    assert!(range.low > 499.9 && range.high < 500.1, "{range:?}");
    let database = answer.database.unwrap();
    near(database.commits_per_s, 500.0);
    near(database.commit_count, 20_000.0);
    near(database.log_sync_us, 800.0);
    near(database.log_bytes_per_s, 500.0 * 4_096.0);
    near(database.cache_hit_percent, 75.0);
    near(database.page_read_bytes_per_s, 500.0 * 8_192.0);
    near(database.busy_sessions, 4.0);
    assert_eq!(database.page_read_us, None, "zero is what it counts where it times nothing");
}

#[test]
fn without_progress_the_commits_of_the_database_count_without_those_of_asking() {
    let mut run = run();
    run.report.intervals.clear();
    let transactions = DatabaseRunAnswer::of(&run).transactions.unwrap();
    assert_eq!((transactions.counted_by, transactions.mean_ms), (CountedBy::Database, None));
    near(Some(transactions.per_s), 500.0);
    assert!(ids(&run).contains(&DatabaseRemarkId::NoProgress));
    run.database = None;
    assert_eq!(DatabaseRunAnswer::of(&run).transactions, None);
}

#[test]
fn counters_that_went_back_are_unknown_and_not_negative() {
    let mut run = run();
    let facts = database(&mut run);
    facts.samples[30].values.insert(DatabaseCounter::LogBytes, 0.0);
    for sample in &mut facts.samples {
        sample.values.remove(&DatabaseCounter::Rollbacks);
    }
    let answer = DatabaseRunAnswer::of(&run).database.unwrap();
    assert_eq!((answer.log_bytes_per_s, answer.rollbacks_per_s), (None, None));
}

#[test]
fn what_held_the_load_back_is_named_only_where_something_says_so() {
    let by = |change: &dyn Fn(&mut DatabaseRun)| {
        let mut run = run();
        change(&mut run);
        DatabaseRunAnswer::of(&run).limit.by
    };
    let waiting =
        |count: f64| move |run: &mut DatabaseRun| set_from(run, 0, DatabaseCounter::StorageWaits, count);
    // Three of four clients.
    assert_eq!(by(&|_| ()), HeldBackBy::Storage);
    assert_eq!(by(&waiting(2.0)), HeldBackBy::Storage);
    assert_eq!(by(&waiting(1.0)), HeldBackBy::Unknown);
    assert_eq!(by(&waiting(0.5)), HeldBackBy::NotStorage);
    // Three of twenty clients, which pause most of the time.
    assert_eq!(by(&|run| run.report.client_count = Some(20)), HeldBackBy::NotStorage);
    let cpu = |busy, driver, waits| {
        move |run: &mut DatabaseRun| {
            waiting(waits)(run);
            run.cpu = Some(CpuShares { busy_percent: Some(busy), driver_cpus: Some(driver) });
        }
    };
    assert_eq!(by(&cpu(60.0, 0.95, 1.0)), HeldBackBy::Driver);
    assert_eq!(by(&cpu(95.0, 0.5, 1.0)), HeldBackBy::Cpu);
    // Clients wait for storage as well: neither is accused.
    assert_eq!(by(&cpu(60.0, 0.95, 3.0)), HeldBackBy::Unknown);
    // Of how many threads it uses the CPUs, nobody knows.
    let unknown_threads = |run: &mut DatabaseRun| {
        cpu(60.0, 3.9, 3.0)(run);
        run.report.thread_count = None;
    };
    assert_eq!(by(&unknown_threads), HeldBackBy::Storage);
    let locks = |run: &mut DatabaseRun| {
        waiting(0.5)(run);
        set_from(run, 0, DatabaseCounter::LockWaits, 3.0);
    };
    assert_eq!(by(&locks), HeldBackBy::Locks);
    // A rate that was given and kept is no limit of anything, also where CPUs are used up.
    let given = |lag_ms: f64| {
        move |run: &mut DatabaseRun| {
            cpu(95.0, 0.5, 1.0)(run);
            run.report.schedule_lag_ms = Some(lag_ms);
        }
    };
    assert_eq!(by(&given(0.2)), HeldBackBy::Rate);
    assert_eq!(by(&given(900.0)), HeldBackBy::Cpu);
    let queue = |length| move |run: &mut DatabaseRun| run.report.queue_length = Some(length);
    assert_eq!((by(&queue(0)), by(&queue(80))), (HeldBackBy::Rate, HeldBackBy::Storage));
    assert_eq!(by(&|run| run.database = None), HeldBackBy::Unknown);
    assert_eq!(by(&|run| database(run).samples.truncate(15)), HeldBackBy::Unknown);
}

#[test]
fn a_sound_run_has_no_doubts_and_each_planted_one_is_found() {
    let sound = run();
    assert!(DatabaseRunAnswer::of(&sound).is_beyond_doubt());
    assert_eq!(ids(&sound), [DatabaseRemarkId::NoCheckpoint]);
    let check = |wanted: DatabaseRemarkId, change: &dyn Fn(&mut DatabaseRun)| {
        let mut run = run();
        change(&mut run);
        assert!(ids(&run).contains(&wanted), "{wanted}: {:?}", ids(&run));
        let is_doubt =
            DatabaseRunAnswer::of(&run).remarks.iter().any(|one| one.id() == wanted && one.is_doubt());
        assert_eq!(is_doubt, !DatabaseRunAnswer::of(&run).is_beyond_doubt(), "{wanted}");
    };
    let set = |name: &'static str, value: &'static str| {
        move |run: &mut DatabaseRun| {
            database(run).settings.insert(name.to_owned(), value.to_owned());
        }
    };
    check(DatabaseRemarkId::FsyncOff, &set("fsync", "off"));
    check(DatabaseRemarkId::NoPageProtection, &set("full_page_writes", "off"));
    check(DatabaseRemarkId::NoPageProtection, &set("innodb_doublewrite", "OFF"));
    check(DatabaseRemarkId::CommitNotDurable, &set("synchronous_commit", "off"));
    check(DatabaseRemarkId::CommitNotDurable, &set("innodb_flush_log_at_trx_commit", "2"));
    check(DatabaseRemarkId::LogNotTimed, &set("track_wal_io_timing", "off"));
    check(DatabaseRemarkId::DriverFailed, &|run| run.driver.as_mut().unwrap().code = Some(1));
    check(DatabaseRemarkId::DatabaseSilent, &|run| database(run).failure = Some("gone".to_owned()));
    check(DatabaseRemarkId::NoProgress, &|run| run.report.intervals.clear());
    check(DatabaseRemarkId::LogTooSmall, &|run| {
        set_from(run, 20, DatabaseCounter::CheckpointsRequested, 4.0)
    });
    check(DatabaseRemarkId::FitsCache, &|run| set_from(run, 0, DatabaseCounter::PageReads, 9.0));
    // A binary log that is off need not be synced.
    let mut run = run();
    set("sync_binlog", "0")(&mut run);
    set("log_bin", "OFF")(&mut run);
    assert!(DatabaseRunAnswer::of(&run).is_beyond_doubt());
    set("log_bin", "ON")(&mut run);
    assert!(!DatabaseRunAnswer::of(&run).is_beyond_doubt());
}
