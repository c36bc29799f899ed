//! What is said of a load on a database: what held it back, and what a reader should know.

use iotrial_model::database_run::{DatabaseRemark, DatabaseRemarkId, HeldBackBy};
use iotrial_model::finding::Severity;
use iotrial_model::units::ByteSize;
use iotrial_model::words::{counted, in_brief};
use serde::{Serialize, Serializer};

use crate::numbers::{seconds_in_words, with_decimals};

/// What held a load back, in numbers.
#[derive(Debug, Clone, Copy)]
pub struct LimitWords<'l> {
    /// What it was.
    pub by: HeldBackBy,
    /// Share of their time in which clients waited for storage.
    pub storage_wait_percent: Option<f64>,
    /// The same for locks.
    pub lock_wait_percent: Option<f64>,
    /// Whether driver or host had no CPU time left.
    pub is_cpu_used_up: bool,
    /// Devices that look saturated.
    pub saturated: &'l [String],
    /// CPUs that the driver used.
    pub driver_cpus: Option<f64>,
    /// Its threads.
    pub driver_threads: Option<u32>,
    /// CPU time of the host.
    pub busy_percent: Option<f64>,
}

/// What held the load back, in a few words.
pub const fn headline(by: HeldBackBy) -> &'static str {
    match by {
        HeldBackBy::Rate => "the driver kept its rate",
        HeldBackBy::Driver => "the driver was the limit",
        HeldBackBy::Cpu => "CPUs were the limit",
        HeldBackBy::Storage => "storage was the limit",
        HeldBackBy::Locks => "locks were the limit",
        HeldBackBy::NotStorage => "storage was not the limit",
        HeldBackBy::Unknown => "what limited it is not known",
    }
}

/// The same in one sentence with its numbers.
pub fn sentence(limit: &LimitWords<'_>) -> String {
    let percent = |share: Option<f64>| format!("{} %", with_decimals(share.unwrap_or_default(), 0));
    let waited = percent(limit.storage_wait_percent);
    match limit.by {
        HeldBackBy::Rate => "The driver kept the rate that it was given: how much more this database can do was not tried.".to_owned(),
        HeldBackBy::Driver => format!(
            "The driver used {} CPUs for {}: it had no more time, so faster storage changes little. Give it more threads or another machine.",
            with_decimals(limit.driver_cpus.unwrap_or_default(), 1),
            counted(limit.driver_threads.unwrap_or_default().into(), "thread"),
        ),
        HeldBackBy::Cpu => format!(
            "The CPUs of this host were busy for {} of the time: faster storage changes little.",
            percent(limit.busy_percent)
        ),
        HeldBackBy::Storage if limit.saturated.is_empty() => format!(
            "The clients waited for storage for {waited} of their time. No device was seen to be saturated: more clients may do more."
        ),
        HeldBackBy::Storage => format!(
            "The clients waited for storage for {waited} of their time, and {} saturated.",
            devices(limit.saturated)
        ),
        HeldBackBy::Locks => format!(
            "The clients waited for locks of each other for {} of their time. Who held the lock may have waited for storage.",
            percent(limit.lock_wait_percent)
        ),
        HeldBackBy::NotStorage => {
            format!("The clients waited for storage for {waited} of their time.")
        }
        HeldBackBy::Unknown if limit.is_cpu_used_up => format!(
            "The clients waited for storage for {waited} of their time, and the CPUs of driver or host were used up: either may be the limit."
        ),
        HeldBackBy::Unknown => match limit.storage_wait_percent {
            Some(_) if limit.saturated.is_empty() => format!(
                "The clients waited for storage for {waited} of their time and for locks for {}: neither decides.",
                percent(limit.lock_wait_percent)
            ),
            Some(_) => format!(
                "The clients waited for storage for {waited} of their time only, but {} saturated.",
                devices(limit.saturated)
            ),
            None => "What the clients waited for is not known: the database does not tell, or it was watched for less than ten seconds.".to_owned(),
        },
    }
}

fn devices(names: &[String]) -> String {
    format!("{} {}", in_brief(names, 4, 3), if names.len() == 1 { "was" } else { "were" })
}

/// A remark in one sentence without a full stop.
pub fn remark(remark: &DatabaseRemark) -> String {
    match remark {
        DatabaseRemark::FsyncOff => {
            "fsync is off: nothing waits for storage, and a power cut loses the database".to_owned()
        }
        DatabaseRemark::NoPageProtection { setting } => format!(
            "{setting} is off: fewer bytes are written than by a database that survives a torn page"
        ),
        DatabaseRemark::CommitNotDurable { setting, value } => {
            format!("{setting} is {value}: a commit does not wait until it is on storage")
        }
        DatabaseRemark::LogTooSmall { count, measured_s, limit_bytes } => format!(
            "the log forced {} in {}{}: each makes whole pages be written to the log again",
            counted(*count, "checkpoint"),
            seconds_in_words(measured_s.round()),
            limit_bytes.map_or_else(String::new, |bytes| format!(" (max_wal_size is {})", size(bytes)))
        ),
        DatabaseRemark::DriverFailed { code: Some(code) } => {
            format!("the driver ended with exit code {code}: the load may not be the one that was asked for")
        }
        DatabaseRemark::DriverFailed { code: None } => {
            "a signal ended the driver: the load may not be the one that was asked for".to_owned()
        }
        DatabaseRemark::DatabaseSilent { why } => {
            format!("the database was not asked until the end: {why}")
        }
        DatabaseRemark::FitsCache { hit_percent, cache_bytes } => format!(
            "{} % of the pages were in the buffer cache{}: how fast storage reads was not tried",
            with_decimals(*hit_percent, 1),
            cache_bytes.map_or_else(String::new, |bytes| format!(" of {}", size(bytes)))
        ),
        DatabaseRemark::NoCheckpoint => {
            "no checkpoint began in the measured time: its writes are not in the figures".to_owned()
        }
        DatabaseRemark::LogNotTimed => {
            "how long a sync of the log takes is not known: `track_wal_io_timing` is off".to_owned()
        }
        DatabaseRemark::NoProgress => {
            "the driver printed no progress, so its own figures have the ramp in them: add `-P 1` to pgbench, `--report-interval=1` to sysbench"
                .to_owned()
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes of caches and logs")]
fn size(bytes: f64) -> ByteSize {
    ByteSize::bytes(bytes.max(0.0) as u64)
}

/// For `serialize_with`: remarks in JSON.
///
/// # Errors
///
/// Those of the serializer.
pub fn remarks_in_json<S: Serializer>(remarks: &[DatabaseRemark], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct InJson {
        id: DatabaseRemarkId,
        severity: Severity,
        message: String,
    }
    serializer.collect_seq(remarks.iter().map(|one| InJson {
        id: one.id(),
        severity: one.severity(),
        message: remark(one),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remark_and_every_limit_has_its_words() {
        let remarks = [
            DatabaseRemark::FsyncOff,
            DatabaseRemark::NoPageProtection { setting: "full_page_writes" },
            DatabaseRemark::CommitNotDurable { setting: "synchronous_commit", value: "off".to_owned() },
            DatabaseRemark::LogTooSmall { count: 4, measured_s: 60.0, limit_bytes: Some(67_108_864.0) },
            DatabaseRemark::DriverFailed { code: Some(2) },
            DatabaseRemark::DatabaseSilent { why: "`psql` ended".to_owned() },
            DatabaseRemark::FitsCache { hit_percent: 99.96, cache_bytes: Some(134_217_728.0) },
            DatabaseRemark::NoCheckpoint,
            DatabaseRemark::LogNotTimed,
            DatabaseRemark::NoProgress,
        ];
        let ids: Vec<DatabaseRemarkId> = remarks.iter().map(DatabaseRemark::id).collect();
        assert_eq!(ids, DatabaseRemarkId::ALL);
        let limit = |by: HeldBackBy, saturated| LimitWords {
            by,
            storage_wait_percent: (by != HeldBackBy::Unknown).then_some(78.4),
            lock_wait_percent: Some(55.0),
            is_cpu_used_up: false,
            saturated,
            driver_cpus: Some(0.97),
            driver_threads: Some(1),
            busy_percent: Some(96.0),
        };
        let names = ["sda".to_owned()];
        let of_limits =
            HeldBackBy::ALL.iter().map(|by| format!("{}: {}", headline(*by), sentence(&limit(*by, &names))));
        let lines: Vec<String> = remarks.iter().map(remark).chain(of_limits).collect();
        insta::assert_snapshot!("page", lines.join("\n"));
    }
}
