//! The statements that MySQL and MariaDB are asked, and what their status variables count.

use super::{DatabaseCounter, END};

/// What each status variable counts.
const STATUS: [(&str, DatabaseCounter); 12] = [
    ("Com_commit", DatabaseCounter::Commits),
    ("Com_rollback", DatabaseCounter::Rollbacks),
    ("Questions", DatabaseCounter::Statements),
    ("Innodb_buffer_pool_read_requests", DatabaseCounter::PageHits),
    ("Innodb_buffer_pool_reads", DatabaseCounter::PageReads),
    ("Innodb_data_reads", DatabaseCounter::DataReads),
    ("Innodb_data_read", DatabaseCounter::DataReadBytes),
    ("Innodb_data_writes", DatabaseCounter::DataWrites),
    ("Innodb_data_written", DatabaseCounter::DataWriteBytes),
    ("Innodb_os_log_written", DatabaseCounter::LogBytes),
    ("Innodb_log_writes", DatabaseCounter::LogWrites),
    ("Innodb_os_log_fsyncs", DatabaseCounter::LogSyncs),
];

/// Variables that decide what a measurement means.
const VARIABLES: [&str; 9] = [
    VERSION,
    "innodb_page_size",
    "innodb_buffer_pool_size",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_doublewrite",
    "innodb_log_file_size",
    "log_bin",
    "sync_binlog",
];

/// The version for people.
pub const VERSION: &str = "version";

/// The counter that a status variable is.
pub(super) fn counter(name: &str) -> Option<DatabaseCounter> {
    STATUS.iter().find(|(variable, _)| variable.eq_ignore_ascii_case(name)).map(|(_, counter)| *counter)
}

/// All counters, on one line.
pub fn sample() -> String {
    let names: Vec<&str> = STATUS.iter().map(|(name, _)| *name).collect();
    format!("SHOW GLOBAL STATUS WHERE Variable_name IN ('{}'); SELECT '{END}', '';\n", names.join("', '"))
}

/// The variables, on one line.
pub fn settings() -> String {
    format!(
        "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('{}'); SELECT '{END}', '';\n",
        VARIABLES.join("', '")
    )
}

/// All statements for somebody who runs them by hand.
pub fn by_hand() -> String {
    let without_end = |statement: String| statement.split("; ").next().unwrap_or_default().to_owned();
    format!(
        "-- settings, once\n{};\n\n-- counters: before the load, after it, and as often as wanted meanwhile\n{};\n",
        without_end(settings()),
        without_end(sample())
    )
}
