//! Settings of databases that follow from what was measured, each as a proposal with the numbers that it comes from.
//!
//! A rule is the vendor's, and needs exactly the measurements that it names; where one is missing there is no proposal, and nothing is
//! guessed. The rules with their sources stand in `docs/settings.md`.

use iotrial_model::load::{Pattern, Role};
use iotrial_model::record::EndedHow;
use iotrial_model::subject::{Facts, Subject};
use iotrial_model::units::{ByteSize, group_thousands};
use serde::Serialize;

use crate::words::{latency_in_words, with_thousands};

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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserve: Option<&'static str>,
}

/// What a proposal comes from. Keys and units are those of the fields.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SettingEvidence {
    /// Of the cost of a page that is read at random.
    PageCosts {
        /// Mean latency of a random read of one page, with one outstanding.
        random_page_us: f64,
        /// Mean latency of a sequential read with one outstanding, for each page in it.
        sequential_page_us: f64,
        /// Size of that sequential read.
        sequential_block_bytes: u64,
        /// The quotient of the two.
        ratio: f64,
    },
    /// Of outstanding I/Os.
    Knee {
        /// Outstanding I/Os at the knee of the curve.
        knee_outstanding: f64,
        /// I/Os per second there.
        knee_iops: f64,
    },
    /// Of pages that are written in the background.
    PageWrites {
        /// Random writes per second of that page.
        write_iops: f64,
        /// Size of the page.
        block_size_bytes: u64,
        /// Whether that is all that the storage does, and not what was written beside other I/O.
        is_ceiling: bool,
    },
    /// Of logical processors.
    Processors {
        /// Those of the host that was measured.
        cpu_count: u32,
    },
    /// Of the size of sequential reads.
    ReadSizes {
        /// The smallest size that reaches 95 % of the highest bandwidth.
        block_size_bytes: u64,
        /// Its bandwidth at saturation.
        bandwidth_mib_per_s: f64,
        /// The highest of all sizes.
        most_mib_per_s: f64,
        /// How many sizes were measured.
        size_count: usize,
    },
}

impl Setting {
    /// The same with what speaks against the measurements. What follows from the host alone is as sure as before.
    #[must_use]
    pub(crate) fn with_reserve(self, reserve: Option<&'static str>) -> Self {
        let is_measured = !matches!(self.evidence, SettingEvidence::Processors { .. });
        Self { reserve: reserve.filter(|_| is_measured), ..self }
    }

    /// The value as it is written into a configuration file.
    pub fn written(&self) -> String {
        self.write(self.value)
    }

    fn write(&self, value: f64) -> String {
        match self.evidence {
            SettingEvidence::PageCosts { .. } => format!("{value:.1}"),
            _ => format!("{value:.0}"),
        }
    }

    /// What it comes from, in a clause or two.
    pub fn from(&self) -> String {
        let bounded = self.computed.map_or_else(String::new, |computed| {
            let (which, edge) =
                if computed > self.value { ("more", "at most") } else { ("less", "at least") };
            format!(
                "; the rule gives {}, but {which} is not proposed: {edge} {}",
                self.write(computed),
                self.written()
            )
        });
        format!("{}{bounded}", self.evidence_in_words())
    }

    fn evidence_in_words(&self) -> String {
        let kib = |bytes: u64| ByteSize::bytes(bytes).to_string();
        match &self.evidence {
            SettingEvidence::PageCosts {
                random_page_us,
                sequential_page_us,
                sequential_block_bytes,
                ratio,
            } => {
                format!(
                    "a random 8 KiB read takes {}, one page of a sequential {} read {}: a factor of {ratio:.0}, divided by ten because nine of ten pages are assumed cached",
                    latency_in_words(*random_page_us),
                    kib(*sequential_block_bytes),
                    latency_in_words(*sequential_page_us)
                )
            }
            SettingEvidence::Knee { knee_outstanding, knee_iops } => format!(
                "more than {knee_outstanding:.0} outstanding random 8 KiB reads gain little ({} IOPS)",
                with_thousands(*knee_iops)
            ),
            SettingEvidence::PageWrites { write_iops, block_size_bytes, is_ceiling } => format!(
                "{} random writes of {} per second{}",
                with_thousands(*write_iops),
                kib(*block_size_bytes),
                if *is_ceiling { " at saturation" } else { " while reads ran too" }
            ),
            SettingEvidence::Processors { cpu_count } => {
                let plural = if *cpu_count == 1 { "" } else { "s" };
                format!("{} logical processor{plural} of this host", group_thousands(&cpu_count.to_string()))
            }
            SettingEvidence::ReadSizes {
                block_size_bytes,
                bandwidth_mib_per_s,
                most_mib_per_s,
                size_count,
            } => {
                format!(
                    "sequential reads of {} reach {} MiB/s; the highest of {size_count} measured sizes is {} MiB/s",
                    kib(*block_size_bytes),
                    with_thousands(*bandwidth_mib_per_s),
                    with_thousands(*most_mib_per_s)
                )
            }
        }
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
