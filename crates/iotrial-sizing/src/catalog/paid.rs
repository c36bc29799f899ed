//! What a bill has beside machines and volumes at their hourly price: commitments, licences of databases, sizes with fewer
//! processors to license, backups and traffic.

use std::collections::BTreeMap;

use iotrial_model::toml_reader::{Scalar, TableReader};
use serde::Serialize;

use super::read::Context;
use super::{Machine, Processors};

/// How long one is bound to a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub enum Term {
    /// Not at all: by the hour.
    #[default]
    #[serde(rename = "on-demand")]
    OnDemand,
    /// For a year.
    #[serde(rename = "1y")]
    OneYear,
    /// For three years.
    #[serde(rename = "3y")]
    ThreeYears,
}

impl Term {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OnDemand, Self::OneYear, Self::ThreeYears];

    /// The word in files and options.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OnDemand => "on-demand",
            Self::OneYear => "1y",
            Self::ThreeYears => "3y",
        }
    }

    /// For sentences.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::OnDemand => "on demand",
            Self::OneYear => "committed for 1 year",
            Self::ThreeYears => "committed for 3 years",
        }
    }

    /// The fewest years for which a machine has to stay the same.
    pub(crate) const fn years(self) -> u32 {
        match self {
            Self::OnDemand | Self::OneYear => 1,
            Self::ThreeYears => 3,
        }
    }
}

/// A database that is licensed by the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Database {
    /// SQL Server Standard Edition.
    #[serde(rename = "sqlserver-standard")]
    SqlServerStandard,
    /// SQL Server Enterprise Edition.
    #[serde(rename = "sqlserver-enterprise")]
    SqlServerEnterprise,
    /// Oracle Database Enterprise Edition, without options.
    OracleEe,
    /// Oracle Database Standard Edition 2.
    #[serde(rename = "oracle-se2")]
    OracleSe2,
}

impl Database {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::SqlServerStandard, Self::SqlServerEnterprise, Self::OracleEe, Self::OracleSe2];

    /// The word in files and options.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SqlServerStandard => "sqlserver-standard",
            Self::SqlServerEnterprise => "sqlserver-enterprise",
            Self::OracleEe => "oracle-ee",
            Self::OracleSe2 => "oracle-se2",
        }
    }

    /// For sentences.
    pub const fn title(self) -> &'static str {
        match self {
            Self::SqlServerStandard => "SQL Server Standard",
            Self::SqlServerEnterprise => "SQL Server Enterprise",
            Self::OracleEe => "Oracle Enterprise Edition",
            Self::OracleSe2 => "Oracle Standard Edition 2",
        }
    }

    /// What is counted.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::SqlServerStandard | Self::SqlServerEnterprise => "core licences",
            Self::OracleEe => "processors",
            Self::OracleSe2 => "sockets",
        }
    }

    /// Whether there is one for processors that are not x86.
    pub(crate) const fn runs_on_arm(self) -> bool {
        matches!(self, Self::OracleEe | Self::OracleSe2)
    }

    /// Whether clouds usually sell it by the hour with the machine.
    pub const fn is_sold_with_machines(self) -> bool {
        matches!(self, Self::SqlServerStandard | Self::SqlServerEnterprise)
    }
}

/// Whether the second machine of a pair, on which nobody works, needs licences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passive {
    /// It needs as many as the first.
    Counted,
    /// It needs none.
    Free,
    /// It needs none where both machines share their disks, and as many as the first where it has a copy of the data.
    FreeInCluster,
}

/// How licences of a database are counted with a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabaseLicence {
    /// The database.
    pub database: Database,
    /// Hardware threads that one licence covers.
    pub vcpus_per_unit: f64,
    /// The same where a core has one thread, as ARM processors do.
    pub arm_vcpus_per_unit: f64,
    /// The fewest licences of one machine.
    pub units_min: f64,
    /// The largest machine on which it may run, in hardware threads.
    pub vcpus_max: Option<u32>,
    /// What the provider asks for one licence and hour; `None` where it does not sell it, or no source has the price.
    pub per_unit_hour: Option<f64>,
    /// Whether the second machine of a pair needs licences.
    pub passive: Passive,
    /// The same where they come from the provider with the machine.
    pub passive_included: Passive,
    /// Name in [`super::Catalog::sources`].
    pub source: String,
    /// The same for `per_unit_hour`.
    pub price_source: String,
}

impl DatabaseLicence {
    /// How many licences a machine needs.
    pub(crate) fn units(&self, vcpus: u32, arm: bool) -> f64 {
        let per_unit = if arm { self.arm_vcpus_per_unit } else { self.vcpus_per_unit };
        // Licences are whole: three vCPU are two processors.
        (f64::from(vcpus) / per_unit).ceil().max(self.units_min)
    }
}

/// What the vendor of a database asks for one licence.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabasePrice {
    /// The database.
    pub database: Database,
    /// Once, for one licence.
    pub per_unit: f64,
    /// Support or Software Assurance, each year, in percent of `per_unit`.
    pub support_percent: f64,
    /// The currency of `per_unit`, ISO 4217.
    pub currency: String,
    /// Name in [`super::Catalog::sources`].
    pub source: String,
}

/// What machines cost when one is bound to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Commitment {
    /// For how long.
    pub term: Term,
    /// Beginnings of names of machines; empty takes all that `per_hour` names.
    pub machines: Vec<String>,
    /// The share of the price on demand.
    pub times: Option<f64>,
    /// Prices of machines by their names, in the catalog's currency.
    pub per_hour: BTreeMap<String, f64>,
    /// Name in [`super::Catalog::sources`].
    pub source: String,
}

/// What a committed machine costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Committed {
    /// This share of the price on demand.
    Times(f64),
    /// So much an hour.
    PerHour(f64),
}

/// Storage for backups: snapshots, or what the provider has for them.
#[derive(Debug, Clone, PartialEq)]
pub struct BackupPrice {
    /// What it is, for lists.
    pub name: String,
    /// For each GiB, a month.
    pub per_gib_month: f64,
    /// Name in [`super::Catalog::sources`].
    pub source: String,
}

/// The price of traffic to the internet from an amount on.
#[derive(Debug, Clone, PartialEq)]
pub struct EgressStep {
    /// From so many GiB a month on.
    pub from_gib: f64,
    /// For each GiB; zero is free.
    pub per_gib: f64,
    /// Name in [`super::Catalog::sources`].
    pub source: String,
}

/// All of it that a catalog has.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Paid {
    /// Prices of those who bind themselves.
    pub commitments: Vec<Commitment>,
    /// Price lists of the vendors of databases.
    pub databases: Vec<DatabasePrice>,
    /// How licences are counted.
    pub database_licences: Vec<DatabaseLicence>,
    /// Machines of the catalog with fewer processors at the same price. They are searched only where licences count.
    pub constrained: Vec<Machine>,
    /// Storage for backups.
    pub backup: Option<BackupPrice>,
    /// By amount, the first from zero on.
    pub egress: Vec<EgressStep>,
}

impl Paid {
    /// What a machine costs for a term, and who says so.
    pub(crate) fn committed(&self, term: Term, machine: &Machine) -> Option<(Committed, &str)> {
        // A size with fewer processors is billed as the one that it is cut from.
        let name = machine.constrained_from.as_ref().map_or(&*machine.name, |from| &*from.name);
        let name = name.split_once('/').map_or(name, |(name, _)| name);
        let of_term = || self.commitments.iter().filter(move |one| one.term == term);
        let by_name = of_term().find_map(|one| {
            one.per_hour.get(name).map(|per_hour| (Committed::PerHour(*per_hour), one.source.as_str()))
        });
        // A price of its own goes before the share of a family.
        by_name.or_else(|| {
            of_term().find_map(|one| {
                let is_meant = one.machines.iter().any(|beginning| name.starts_with(beginning.as_str()));
                let times = one.times.filter(|_| is_meant)?;
                Some((Committed::Times(times), one.source.as_str()))
            })
        })
    }

    /// How licences of a database are counted here.
    pub(crate) fn licence_of(&self, database: Database) -> Option<&DatabaseLicence> {
        self.database_licences.iter().find(|one| one.database == database)
    }

    /// What its vendor asks for one.
    pub(crate) fn list_price_of(&self, database: Database) -> Option<&DatabasePrice> {
        self.databases.iter().find(|one| one.database == database)
    }
}

fn database(table: &mut TableReader<'_>) -> Database {
    table.needed_word("database", &Database::ALL.map(|one| (one.as_str(), one)))
}

/// The tables of the file. Machines come first, because some of these name them.
pub(super) fn read_paid(top: &mut TableReader<'_>, context: &Context, machines: &[Machine]) -> Paid {
    let egress = top.list("egress", |table| EgressStep {
        from_gib: table.number("from_gib").unwrap_or_default(),
        per_gib: table.needed("per_gib", TableReader::number),
        source: context.source(table),
    });
    let is_wrong = egress.first().is_some_and(|first| first.from_gib > 0.0)
        || !egress.is_sorted_by(|a, b| a.from_gib < b.from_gib);
    top.refuse_if(is_wrong, "egress", "the steps of `egress` must begin at 0 and rise");
    let constrained = top.list("constrained", |table| read_constrained(table, context, machines));
    Paid {
        commitments: top.list("commitment", |table| read_commitment(table, context)),
        databases: top.list("database", |table| DatabasePrice {
            database: database(table),
            per_unit: table.needed("per_unit", TableReader::number),
            support_percent: table.number("support_percent").unwrap_or_default(),
            currency: context.price_currency(table),
            source: context.source(table),
        }),
        database_licences: top.list("database_licence", |table| read_licence(table, context)),
        constrained: constrained.into_iter().flatten().collect(),
        backup: top.table("backup", |table| {
            Some(BackupPrice {
                name: table.needed("name", TableReader::name),
                per_gib_month: table.needed("per_gib_month", TableReader::number),
                source: context.source(table),
            })
        }),
        egress,
    }
}

fn read_commitment(table: &mut TableReader<'_>, context: &Context) -> Commitment {
    let terms = [Term::OneYear, Term::ThreeYears].map(|term| (term.as_str(), term));
    let machines = table.texts("machines").unwrap_or_default();
    let times = table.number("times");
    let per_hour = table.table("per_hour", |table| Some(numbers(table)));
    let message = "a commitment has `machines` with `times`, or `per_hour` with a price by machine";
    let is_wrong = times.is_some() == machines.is_empty() || (times.is_none() && per_hour.is_none());
    table.refuse_if(is_wrong, "term", message);
    Commitment {
        term: table.needed_word("term", &terms),
        machines,
        times,
        per_hour: per_hour.unwrap_or_default(),
        source: context.source(table),
    }
}

fn read_licence(table: &mut TableReader<'_>, context: &Context) -> DatabaseLicence {
    let passive_words =
        [("counted", Passive::Counted), ("free", Passive::Free), ("free-in-cluster", Passive::FreeInCluster)];
    let vcpus_per_unit = table.required("vcpus_per_unit", TableReader::number);
    let arm = table.number("arm_vcpus_per_unit");
    // It is divided by.
    let is_zero = vcpus_per_unit == Some(0.0) || arm == Some(0.0);
    table.refuse_if(is_zero, "vcpus_per_unit", "a licence must cover more than 0 vCPUs");
    let passive = table.needed_word("passive", &passive_words);
    let source = context.source(table);
    let price_source = table.text("price_source");
    context.check_source(table, "price_source", price_source.as_deref());
    DatabaseLicence {
        database: database(table),
        vcpus_per_unit: vcpus_per_unit.unwrap_or_default(),
        arm_vcpus_per_unit: arm.or(vcpus_per_unit).unwrap_or_default(),
        units_min: table.number("units_min").unwrap_or(1.0),
        vcpus_max: table.count("vcpus_max", 1..=1 << 16),
        per_unit_hour: table.number("per_unit_hour"),
        passive,
        passive_included: table.word("passive_included", &passive_words).unwrap_or(passive),
        price_source: price_source.unwrap_or_else(|| source.clone()),
        source,
    }
}

/// The machine that a size with fewer processors is cut from.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstrainedFrom {
    /// Its name, by which it is billed.
    pub name: String,
    /// Its hardware threads, for which the operating system is paid.
    pub vcpus: u32,
}

/// The same machine under other names, with fewer processors; none where they cannot be told apart from it.
fn read_constrained(table: &mut TableReader<'_>, context: &Context, machines: &[Machine]) -> Vec<Machine> {
    let name = table.required("machine", TableReader::name);
    let sizes = table.needed("vcpus", |table, key| table.table(key, |table| Some(numbers(table))));
    let source = context.source(table);
    let Some(name) = name else { return Vec::new() };
    let Some(base) = machines.iter().find(|machine| machine.name == name) else {
        table.refuse::<()>("machine", format!("no machine is named `{name}`"));
        return Vec::new();
    };
    let Processors::Fixed { vcpus: full, memory_gib, .. } = base.processors else {
        let message = format!(
            "the number of processors of `{name}` is chosen when ordering, so it has no constrained sizes"
        );
        table.refuse::<()>("machine", message);
        return Vec::new();
    };
    let fewer = |(size, vcpus): (String, f64)| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let vcpus = vcpus.clamp(0.0, 65_536.0) as u32;
        let most = full.saturating_sub(1);
        let message = format!("`{size}` must have from 1 to {most} vCPUs");
        // A machine without processors has been refused for that.
        table.refuse_if(full > 0 && !(1..=most).contains(&vcpus), "vcpus", &message);
        table.check_name("vcpus", &size);
        Machine {
            name: size,
            // The cores are not those that a licence by the core would count.
            processors: Processors::Fixed { ocpus: None, vcpus, memory_gib },
            constrained_from: Some(ConstrainedFrom { name: name.clone(), vcpus: full }),
            source: source.clone(),
            ..base.clone()
        }
    };
    sizes.into_iter().map(fewer).collect()
}

/// Numbers by names that the writer chooses.
fn numbers(table: &mut TableReader<'_>) -> BTreeMap<String, f64> {
    let number = |(name, scalar): (String, Scalar)| match scalar {
        Scalar::Number { value, .. } if value >= 0.0 => Some((name, value)),
        _ => None,
    };
    let all = table.scalars();
    let (count, read): (usize, BTreeMap<String, f64>) =
        (all.len(), all.into_iter().filter_map(number).collect());
    if read.len() < count {
        table.refuse::<()>("", "each of these must be a number of at least 0".to_owned());
    }
    read
}
