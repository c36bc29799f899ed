//! Settings of databases that follow from what was measured, each as a proposal with the numbers that it comes from.
//!
//! A rule is the vendor's, and needs exactly the measurements that it names; where one is missing there is no proposal, and nothing is
//! guessed. The rules with their sources stand in `docs/settings.md`.

use iotrial_model::load::{Pattern, Role};
use iotrial_model::record::EndedHow;
use iotrial_model::setting::{SettingEvidence, SettingReserve};
use iotrial_model::subject::{Facts, Subject};
use iotrial_model::units::ByteSize;
use iotrial_words::setting::setting_reserve;
use serde::{Serialize, Serializer};

/// Whose setting it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Database {
    /// PostgreSQL.
    #[serde(rename = "PostgreSQL")]
    PostgreSql,
    /// MySQL with InnoDB.
    #[serde(rename = "MySQL")]
    MySql,
    /// Microsoft SQL Server.
    #[serde(rename = "SQL Server")]
    SqlServer,
    /// Oracle Database.
    Oracle,
}

impl Database {
    /// The name for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PostgreSql => "PostgreSQL",
            Self::MySql => "MySQL",
            Self::SqlServer => "SQL Server",
            Self::Oracle => "Oracle",
        }
    }

    /// The one whose load a profile makes, by the first word of its name; `None` of any other.
    fn of_profile(profile: &str) -> Option<Self> {
        match profile.split('-').next()? {
            "postgresql" => Some(Self::PostgreSql),
            "mysql" => Some(Self::MySql),
            "sqlserver" => Some(Self::SqlServer),
            "oracle" => Some(Self::Oracle),
            _ => None,
        }
    }
}

/// A value that is proposed for a setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    /// Whose it is.
    pub database: Database,
    /// As the database calls it; what has no name of its own is in words.
    pub name: &'static str,
    /// What is proposed, in the unit that the database has for it.
    pub value: f64,
    /// What the rule comes to, where that lies outside of what the setting should be: the value is then the nearest of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed: Option<f64>,
    /// The measurements behind it.
    pub evidence: SettingEvidence,
    /// Why the measurements may not be those of a device; absent where nothing speaks against them.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "said_reserve")]
    pub reserve: Option<SettingReserve>,
}

fn said_reserve<S: Serializer>(reserve: &Option<SettingReserve>, serializer: S) -> Result<S::Ok, S::Error> {
    reserve.map(setting_reserve).serialize(serializer)
}

impl Setting {
    /// The same with what speaks against the measurements. What follows from the host alone is as sure as before.
    #[must_use]
    pub(crate) fn with_reserve(self, reserve: Option<SettingReserve>) -> Self {
        let is_measured = !matches!(self.evidence, SettingEvidence::Processors { .. });
        Self { reserve: reserve.filter(|_| is_measured), ..self }
    }
}

/// The value within its bounds, and what it was where it lay beyond them.
pub(crate) fn bounded(computed: f64, (least, most): (f64, f64)) -> (f64, Option<f64>) {
    let value = computed.clamp(least, most);
    // Rounding is not told: only what the setting shows.
    (value, Some(computed).filter(|computed| (computed - value).abs() > 0.05))
}

/// `innodb_page_size` by default.
pub(crate) const INNODB_PAGE: ByteSize = ByteSize::kib(16);
/// The lowest `innodb_io_capacity`, and the highest that is recommended unless less is known to be too little.
const IO_CAPACITY: (f64, f64) = (100.0, 20_000.0);
/// Beyond so many files of tempdb contention should be seen before there are more.
const MOST_TEMPDB_FILES: u32 = 8;

/// What follows from a run of the profile of a database.
pub(crate) fn settings_of_run(subject: &Subject<'_>) -> Vec<Setting> {
    // Without a long run the record of a search is its last probe of a few seconds, whether its rate held or not.
    let is_whole = subject.search.is_none_or(|search| search.result.is_some())
        && subject.ended_how() == EndedHow::Complete
        // The rates of a load that also compares propose nothing.
        && subject.verification.is_none()
        && subject.measured.is_some_and(|measured| !measured.is_zero());
    let database = subject.plan.and_then(|plan| Database::of_profile(&plan.profile));
    match database.filter(|_| is_whole) {
        Some(Database::MySql) => {
            let writes = page_writes(subject);
            writes.map_or_else(Vec::new, |write_iops| io_capacities(write_iops, 2.0 * write_iops, false))
        }
        Some(Database::SqlServer) => tempdb_files(subject).into_iter().collect(),
        // What these need are loads that no single run has.
        Some(Database::PostgreSql | Database::Oracle) | None => Vec::new(),
    }
}

/// The writes of data pages of a run: random, of InnoDB's page size, by jobs that do nothing else.
fn page_writes(subject: &Subject<'_>) -> Option<f64> {
    let jobs = subject.jobs.iter().filter(|job| {
        let is_pages = job.load.block_size() == Some(INNODB_PAGE);
        let is_random = job.load.pattern == Some(Pattern::Random);
        job.role == Some(Role::Data) && is_pages && is_random && job.load.rwmix_read_percent == Some(0.0)
    });
    let rates: Vec<f64> = jobs.filter_map(|job| job.ops.write.and_then(Facts::iops)).collect();
    Some(rates.iter().sum::<f64>()).filter(|iops| *iops > 0.0)
}

/// Both capacities of InnoDB: `write_iops` for the usual background work, `most_iops` where it falls behind.
pub(crate) fn io_capacities(write_iops: f64, most_iops: f64, is_ceiling: bool) -> Vec<Setting> {
    let setting = |name: &'static str, iops: f64, most: f64| {
        let (value, computed) = bounded(two_digits(iops), (IO_CAPACITY.0, most));
        Setting {
            database: Database::MySql,
            name,
            value,
            computed,
            evidence: SettingEvidence::PageWrites {
                write_iops: if is_ceiling { most_iops } else { write_iops },
                block_size_bytes: INNODB_PAGE.get(),
                is_ceiling,
            },
            reserve: None,
        }
    };
    vec![
        setting("innodb_io_capacity", write_iops, IO_CAPACITY.1),
        // Twice the other one is its default, and a good place to start by the manual.
        setting("innodb_io_capacity_max", most_iops, 2.0 * IO_CAPACITY.1),
    ]
}

/// Rounded down to two digits: no rule of these is more exact, and less is safer.
fn two_digits(number: f64) -> f64 {
    let unit = 10f64.powf((number.max(1.0).log10().floor() - 1.0).max(0.0));
    (number / unit).floor() * unit
}

fn tempdb_files(subject: &Subject<'_>) -> Option<Setting> {
    let cpu_count = subject.host.as_ref()?.cpu_count?;
    let (value, computed) = bounded(f64::from(cpu_count), (1.0, f64::from(MOST_TEMPDB_FILES)));
    Some(Setting {
        database: Database::SqlServer,
        name: "number of tempdb data files",
        value,
        computed,
        evidence: SettingEvidence::Processors { cpu_count },
        reserve: None,
    })
}
