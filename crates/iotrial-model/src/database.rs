//! What a database says of itself while it works: its counters at a moment, and the settings that decide what a measurement of it means.
//!
//! It is asked through the client of its administrator, by the statements of [`postgres`] and [`mysql`]. What they print has one form: a name,
//! a tab and a value in each line, and [`END`] in the last.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::load::words;

pub mod mysql;
pub mod postgres;

words! {
    /// A database that can be asked while it works.
    DatabaseKind {
        /// PostgreSQL.
        Postgres = "postgres",
        /// MySQL and MariaDB.
        Mysql = "mysql",
    }
}

impl DatabaseKind {
    /// As its makers write it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::Mysql => "MySQL or MariaDB",
        }
    }
}

/// The name in the last line of an answer.
pub const END: &str = "iotrial_end";

words! {
    /// What a database is asked each second. Counts are those since its statistics began, of the whole server; sessions are those of the moment.
    DatabaseCounter {
        /// Transactions that were committed. MySQL counts those with a statement of their own (`Com_commit`).
        Commits = "commits",
        /// Transactions that were rolled back.
        Rollbacks = "rollbacks",
        /// Statements of clients (MySQL).
        Statements = "statements",
        /// Pages that were wanted and found in the buffer cache. MySQL counts all that were wanted.
        PageHits = "page_hits",
        /// Pages that were wanted and not in the buffer cache; the page cache of the operating system may have had them.
        PageReads = "page_reads",
        /// Milliseconds that those reads took; zero unless the database times them.
        PageReadMs = "page_read_ms",
        /// Read requests for data (`pg_stat_io`, `Innodb_data_reads`).
        DataReads = "data_reads",
        /// Their bytes.
        DataReadBytes = "data_read_bytes",
        /// Write requests for data.
        DataWrites = "data_writes",
        /// Their bytes.
        DataWriteBytes = "data_write_bytes",
        /// Bytes of temporary files (PostgreSQL).
        TempBytes = "temp_bytes",
        /// Bytes of log (WAL, redo).
        LogBytes = "log_bytes",
        /// Writes of log.
        LogWrites = "log_writes",
        /// Syncs of the log.
        LogSyncs = "log_syncs",
        /// Milliseconds that those syncs took; zero unless the database times them.
        LogSyncMs = "log_sync_ms",
        /// Checkpoints that were due by time (PostgreSQL).
        CheckpointsTimed = "checkpoints_timed",
        /// Checkpoints that somebody or the size of the log asked for (PostgreSQL).
        CheckpointsRequested = "checkpoints_requested",
        /// Sessions of clients with a statement or a transaction under way, without the one that asks (PostgreSQL).
        BusySessions = "busy_sessions",
        /// Those of them that wait for storage: for a read, a write or a sync, or for another session that writes the log (PostgreSQL).
        StorageWaits = "storage_waits",
        /// Those of them that wait for a lock of another session (PostgreSQL).
        LockWaits = "lock_waits",
    }
}

/// What a database answered at a moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatabaseSample {
    /// When the answer came, in seconds since the watching began.
    pub at_s: f64,
    /// What it counts; a counter that this version does not have is absent.
    #[serde(flatten)]
    pub values: BTreeMap<DatabaseCounter, f64>,
}

impl DatabaseSample {
    /// The counters among the rows of an answer.
    pub fn of_rows(kind: DatabaseKind, at_s: f64, rows: &[(String, String)]) -> Self {
        let counter = |name: &str| match kind {
            DatabaseKind::Postgres => DatabaseCounter::ALL.iter().copied().find(|one| one.as_str() == name),
            DatabaseKind::Mysql => mysql::counter(name),
        };
        let value = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
        let values = rows.iter().filter_map(|(name, text)| Some((counter(name)?, value(text)?)));
        Self { at_s, values: values.collect() }
    }

    /// What it counts.
    pub fn get(&self, counter: DatabaseCounter) -> Option<f64> {
        self.values.get(&counter).copied()
    }
}

/// Settings by the names of the server; sizes in bytes, times in the unit of the server.
pub type DatabaseSettings = BTreeMap<String, String>;

/// A row of an answer; `None` of a line that is none, such as a notice.
pub fn row(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('\t')?;
    Some((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of an answer that was captured.
    fn rows(text: &str) -> Vec<(String, String)> {
        text.lines().filter_map(row).collect()
    }

    #[test]
    fn an_answer_is_read_by_the_names_of_each_database_and_what_is_absent_is_not_zero() {
        // As the servers answered the statements of `--sql`, after a load of pgbench and after their start.
        let captured = rows(include_str!("../tests/database/postgres-15.txt"));
        let sample = DatabaseSample::of_rows(DatabaseKind::Postgres, 0.0, &captured);
        assert_eq!(sample.get(DatabaseCounter::LogSyncs), Some(8503.0));
        assert_eq!(sample.get(DatabaseCounter::LogSyncMs), Some(14814.236));
        assert_eq!((sample.values.len(), sample.get(DatabaseCounter::DataReads)), (15, None));
        let captured = rows(include_str!("../tests/database/mariadb-10.11.txt"));
        let sample = DatabaseSample::of_rows(DatabaseKind::Mysql, 0.0, &captured);
        assert_eq!(sample.get(DatabaseCounter::PageHits), Some(914.0));
        assert_eq!(sample.get(DatabaseCounter::DataReadBytes), Some(2_703_360.0));
        assert_eq!(sample.get(DatabaseCounter::LogSyncs), None, "MariaDB counts them no more");
        let postgres = rows("commits\t1204\npage_hits\t1.2e+15\nlog_sync_ms\t\nNOTICE\nunknown\t5\n");
        let sample = DatabaseSample::of_rows(DatabaseKind::Postgres, 1.5, &postgres);
        assert_eq!(sample.get(DatabaseCounter::Commits), Some(1_204.0));
        assert_eq!(sample.get(DatabaseCounter::PageHits), Some(1.2e15));
        assert_eq!(sample.get(DatabaseCounter::LogSyncMs), None);
        assert_eq!((sample.values.len(), sample.at_s), (2, 1.5));
        let mysql = rows("Com_commit\t7\nInnodb_os_log_fsyncs\t9\nUptime\t100\n");
        let sample = DatabaseSample::of_rows(DatabaseKind::Mysql, 0.0, &mysql);
        assert_eq!(sample.get(DatabaseCounter::Commits), Some(7.0));
        assert_eq!((sample.get(DatabaseCounter::LogSyncs), sample.values.len()), (Some(9.0), 2));
    }
}
