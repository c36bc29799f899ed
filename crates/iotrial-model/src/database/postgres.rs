//! The statements that PostgreSQL is asked. Which views there are, and what their columns are called, depends on the version.

use std::fmt::Write as _;

use super::{DatabaseCounter, END};

/// What is asked of one view.
struct Source {
    /// The view, with its condition.
    from: &'static str,
    /// The first version that has it so, as `server_version_num` counts: 160004 is 16.4.
    since: u32,
    /// The first version that has it no more.
    before: u32,
    columns: &'static [(DatabaseCounter, &'static str)],
}

use DatabaseCounter as Counter;

/// A session that waits for storage: for I/O of a file, or for its turn while another one writes the log (`WALWriteLock` until 12).
const WAITS_FOR_STORAGE: &str = "count(*) FILTER (WHERE state = 'active' AND (wait_event_type = 'IO' OR wait_event IN ('WALWrite', 'WALWriteLock')))";

// Manual, «The Cumulative Statistics System», of each version.
const SOURCES: [Source; 10] = [
    Source {
        from: "pg_stat_database",
        since: 0,
        before: u32::MAX,
        columns: &[
            (Counter::Commits, "sum(xact_commit)"),
            (Counter::Rollbacks, "sum(xact_rollback)"),
            (Counter::PageHits, "sum(blks_hit)"),
            (Counter::PageReads, "sum(blks_read)"),
            (Counter::PageReadMs, "sum(blk_read_time)"),
            (Counter::TempBytes, "sum(temp_bytes)"),
        ],
    },
    Source {
        from: "pg_stat_bgwriter",
        since: 0,
        before: 170_000,
        columns: &[
            (Counter::CheckpointsTimed, "sum(checkpoints_timed)"),
            (Counter::CheckpointsRequested, "sum(checkpoints_req)"),
        ],
    },
    Source {
        from: "pg_stat_checkpointer",
        since: 170_000,
        before: u32::MAX,
        columns: &[
            (Counter::CheckpointsTimed, "sum(num_timed)"),
            (Counter::CheckpointsRequested, "sum(num_requested)"),
        ],
    },
    Source {
        from: "pg_stat_wal",
        since: 140_000,
        before: u32::MAX,
        columns: &[(Counter::LogBytes, "sum(wal_bytes)")],
    },
    Source {
        from: "pg_stat_wal",
        since: 140_000,
        before: 180_000,
        columns: &[
            (Counter::LogWrites, "sum(wal_write)"),
            (Counter::LogSyncs, "sum(wal_sync)"),
            (Counter::LogSyncMs, "sum(wal_sync_time)"),
        ],
    },
    Source {
        from: "pg_stat_io WHERE object = 'wal' AND context = 'normal'",
        since: 180_000,
        before: u32::MAX,
        columns: &[
            (Counter::LogWrites, "sum(writes)"),
            (Counter::LogSyncs, "sum(fsyncs)"),
            (Counter::LogSyncMs, "sum(fsync_time)"),
        ],
    },
    Source {
        from: "pg_stat_io WHERE object <> 'wal'",
        since: 160_000,
        before: u32::MAX,
        columns: &[(Counter::DataReads, "sum(reads)"), (Counter::DataWrites, "sum(writes)")],
    },
    Source {
        from: "pg_stat_io",
        since: 160_000,
        before: 180_000,
        columns: &[
            (Counter::DataReadBytes, "sum(reads * op_bytes)"),
            (Counter::DataWriteBytes, "sum(writes * op_bytes)"),
        ],
    },
    Source {
        from: "pg_stat_io WHERE object <> 'wal'",
        since: 180_000,
        before: u32::MAX,
        columns: &[
            (Counter::DataReadBytes, "sum(read_bytes)"),
            (Counter::DataWriteBytes, "sum(write_bytes)"),
        ],
    },
    Source {
        from: "pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
        since: 0,
        before: u32::MAX,
        columns: &[
            (Counter::BusySessions, "count(*) FILTER (WHERE state <> 'idle')"),
            (Counter::StorageWaits, WAITS_FOR_STORAGE),
            (Counter::LockWaits, "count(*) FILTER (WHERE state = 'active' AND wait_event_type = 'Lock')"),
        ],
    },
];

impl Source {
    const fn is_in(&self, version: u32) -> bool {
        self.since <= version && version < self.before
    }

    /// A row for each counter. As `float8`, because the types of the columns differ.
    fn select(&self) -> String {
        let columns: Vec<String> =
            self.columns.iter().map(|(counter, column)| format!("({column})::float8 AS {counter}")).collect();
        let rows: Vec<String> =
            self.columns.iter().map(|(counter, _)| format!("('{counter}', s.{counter})")).collect();
        format!(
            "SELECT v.name, v.value::text FROM (SELECT {} FROM {}) AS s CROSS JOIN LATERAL (VALUES {}) AS v (name, value)",
            columns.join(", "),
            self.from,
            rows.join(", ")
        )
    }
}

/// One statement for all counters of a version, which is one transaction of its own.
pub fn sample(version: u32) -> String {
    let parts: Vec<String> =
        SOURCES.iter().filter(|source| source.is_in(version)).map(Source::select).collect();
    format!("{} UNION ALL SELECT '{END}', '';\n", parts.join(" UNION ALL "))
}

/// The number of the version among the settings, as [`sample`] takes it.
pub const VERSION_NUMBER: &str = "server_version_num";
/// The version for people.
pub const VERSION: &str = "server_version";
/// How large the database is that is connected to, in bytes; no setting.
pub const DATABASE_BYTES: &str = "database_bytes";

/// Asks for the settings.
pub fn settings() -> String {
    format!("{} UNION ALL SELECT '{END}', '';\n", select_settings())
}

/// The settings that decide what a measurement means. With a unit of bytes they are in bytes.
fn select_settings() -> String {
    const NAMES: [&str; 14] = [
        VERSION,
        VERSION_NUMBER,
        "block_size",
        "shared_buffers",
        "fsync",
        "full_page_writes",
        "synchronous_commit",
        "wal_sync_method",
        "max_wal_size",
        "checkpoint_timeout",
        "track_io_timing",
        "track_wal_io_timing",
        "data_checksums",
        "wal_compression",
    ];
    // `pg_size_bytes` wants a number before the unit, which is `8kB` of some settings and `MB` of others.
    let bytes = "CASE WHEN unit ~ 'B$' THEN (setting::numeric * pg_size_bytes(CASE WHEN unit ~ '^[0-9]' THEN unit ELSE '1' || unit END))::text ELSE setting END";
    format!(
        "SELECT name, {bytes} FROM pg_settings WHERE name IN ('{}') UNION ALL SELECT '{DATABASE_BYTES}', pg_database_size(current_database())::text",
        NAMES.join("', '")
    )
}

/// All statements for somebody who runs them by hand, each with the versions that take it.
pub fn by_hand() -> String {
    let mut text = format!(
        "-- settings, once\n{};\n\n-- counters: before the load, after it, and as often as wanted meanwhile\n",
        select_settings()
    );
    for source in &SOURCES {
        let versions = match (source.since / 10_000, source.before) {
            (0, u32::MAX) => "every version".to_owned(),
            (0, before) => format!("before version {}", before / 10_000),
            (since, u32::MAX) => format!("version {since} and later"),
            (since, before) => format!("version {since} to {}", before / 10_000 - 1),
        };
        // A text in memory takes every line.
        let _ = writeln!(text, "-- {versions}\n{};", source.select());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_asked_for_each_counter_once_and_only_by_views_that_it_has() {
        for version in [120_022, 150_018, 160_004, 170_002, 180_000] {
            let asked = SOURCES.iter().filter(|source| source.is_in(version));
            let mut counters: Vec<Counter> =
                asked.flat_map(|source| source.columns.iter().map(|(counter, _)| *counter)).collect();
            let count = counters.len();
            counters.sort_unstable();
            counters.dedup();
            assert_eq!(counters.len(), count, "{version}");
            let statement = sample(version);
            assert_eq!(statement.contains("pg_stat_io"), version >= 160_000, "{version}");
            assert_eq!(statement.contains("pg_stat_wal"), version >= 140_000, "{version}");
            assert_eq!(statement.contains("pg_stat_bgwriter"), version < 170_000, "{version}");
            assert_eq!(
                (statement.matches(';').count(), statement.matches('\n').count()),
                (1, 1),
                "{version}"
            );
        }
    }
}
