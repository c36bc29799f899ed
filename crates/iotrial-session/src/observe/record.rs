//! What is kept of a load on a database: a result of its driver, with what database and devices say as figures beside it.

use std::collections::BTreeMap;

use iotrial_analysis::database_run::{DatabaseRunAnswer, DriverAnswer};
use iotrial_analysis::watch::{DirectionAnswer, DiskAnswer, Spread, WatchAnswer};
use iotrial_model::content::digest_of_digests;
use iotrial_model::database_run::OutputLine;
use iotrial_model::imported::{
    ImportedRecord, Source, SourceKind, Stated, StatedDevice, StatedHost, StatedOps, Warning,
};
use iotrial_model::metric::APPLICATION;
use iotrial_model::record::AttributeValue;
use iotrial_words::database_run::remark;
use ulid::Ulid;

/// What the record says of who made it.
const READ_BY: &str = concat!("iotrial ", env!("CARGO_PKG_VERSION"));

/// The names that the user gives a load.
#[derive(Debug, Clone, Default)]
pub struct ObservedName {
    /// What the configuration is called.
    pub label: Option<String>,
    /// What distinguishes it.
    pub attributes: BTreeMap<String, AttributeValue>,
}

/// The record of a load. Figures of the application are ranked and compared by their units; those of database, devices and host are amounts: a
/// database that reads less is not worse.
pub fn record_of(answer: &DatabaseRunAnswer, output: &[OutputLine], name: &ObservedName) -> ImportedRecord {
    let driver = answer.driver.as_ref();
    let database = answer.database.as_ref();
    let tool = driver
        .and_then(|driver| driver.name.clone())
        .or_else(|| database.map(|database| database.kind.title().to_owned()))
        .unwrap_or_else(|| "iotrial observe".to_owned());
    let mut record = ImportedRecord::of_source(Source {
        kind: SourceKind::Application,
        tool,
        version: None,
        file: driver.map_or_else(|| "iotrial observe".to_owned(), |driver| driver.program.clone()),
        place: "observed".to_owned(),
        sha256: digest_of_digests(output.iter().map(|line| line.text.as_str())),
        read_by: READ_BY.to_owned(),
    });
    record.id = Ulid::generate().to_string();
    record.label.clone_from(&name.label);
    record.attributes.clone_from(&name.attributes);
    record.measured_at = Some(answer.started_at.clone());
    record.host = StatedHost { name: Some(answer.host.clone()), cpu_count: None };
    record.total = Some(StatedOps::default());
    record.other = figures(answer);
    record.devices =
        answer.storage.iter().flat_map(|storage| &storage.disks).map(|disk| device(disk, answer)).collect();
    record.warnings = answer
        .remarks
        .iter()
        .filter(|one| one.is_doubt())
        .map(|one| Warning { place: one.id().to_string(), message: remark(one) })
        .collect();
    record
}

fn figures(answer: &DatabaseRunAnswer) -> BTreeMap<String, Stated> {
    let mut figures = BTreeMap::new();
    let mut put = |place: &str, name: &str, value: Option<f64>| {
        let value = value.filter(|value| value.is_finite() && *value >= 0.0);
        figures.extend(value.map(|value| (format!("{place}.{name}"), Stated::exact(value))));
    };
    // What the driver says of the whole run comes first, and gives way to what was seen behind the ramp.
    if let Some(DriverAnswer { summary, metrics, .. }) = &answer.driver {
        summary.iter().for_each(|(name, value)| put(APPLICATION, name, Some(*value)));
        metrics.iter().for_each(|(name, value)| put(APPLICATION, name, Some(*value)));
    }
    let transactions = answer.transactions.as_ref();
    put(APPLICATION, "transactions_per_s", transactions.map(|one| one.per_s));
    put(APPLICATION, "transaction_mean_ms", transactions.and_then(|one| one.mean_ms));
    if let Some(database) = &answer.database {
        put(APPLICATION, "log_sync_mean_ms", database.log_sync_us.map(|us| us / 1e3));
        put("database", "commits_per_s", database.commits_per_s);
        put("database", "log_mib_per_s", database.log_bytes_per_s.map(mib));
        put("database", "log_syncs_per_s", database.log_syncs_per_s);
        put("database", "cache_hit_percent", database.cache_hit_percent);
        put("database", "page_read_mib_per_s", database.page_read_bytes_per_s.map(mib));
        put("database", "busy_sessions", database.busy_sessions);
    }
    put("database", "storage_wait_percent", answer.limit.storage_wait_percent);
    put("host", "cpu_busy_percent", answer.cpu_busy_percent);
    if let Some(all) = answer.storage.as_ref().and_then(together) {
        for (word, did) in [("read", &all.read), ("write", &all.write)] {
            let mean = |spread: Option<Spread>| spread.map(|spread| spread.mean);
            put("device", &format!("{word}_iops"), mean(did.iops));
            put("device", &format!("{word}_mib_per_s"), mean(did.bytes_per_s).map(mib));
            put("device", &format!("{word}_lat_mean_us"), mean(did.latency_us));
        }
    }
    figures
}

fn mib(bytes: f64) -> f64 {
    bytes / f64::from(1 << 20)
}

/// All devices together; of a single one that one, which has latencies.
fn together(storage: &WatchAnswer) -> Option<&DiskAnswer> {
    storage.total.as_ref().or_else(|| storage.disks.first())
}

/// What a device did in the measured time.
fn device(disk: &DiskAnswer, answer: &DatabaseRunAnswer) -> StatedDevice {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rates of a device over hours"
    )]
    let count = |rate: Option<Spread>| rate.map(|rate| (rate.mean * answer.measured_s).round() as u64);
    let of = |did: &DirectionAnswer| (count(did.iops), count(did.bytes_per_s));
    let ((read_count, read_bytes), (write_count, write_bytes)) = (of(&disk.read), of(&disk.write));
    StatedDevice {
        name: disk.name.clone(),
        read_count,
        write_count,
        read_bytes,
        write_bytes,
        busy_percent: disk.busy_percent.map(|busy| Stated::exact(busy.mean)),
        ..StatedDevice::default()
    }
}
