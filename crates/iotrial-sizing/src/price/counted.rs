//! What of a bill is counted besides machine, operating system and volumes: how one is bound, the licences of the database, a second
//! machine, backups and traffic.

use iotrial_model::demand::Demand;
use serde::Serialize;

use crate::catalog::{Catalog, Database, Passive, Term};
use crate::configuration::SizedMachine;
use crate::rule::{Breach, BrokenRule};

/// What is counted. Without any option: one machine, on demand, without a database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Counted {
    /// How long one is bound to the machine.
    pub term: Term,
    /// The database that runs on it, and where its licences come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<DatabaseCount>,
    /// A second machine that takes over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<Pair>,
    /// Backups that are kept, in GiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup_gib: Option<f64>,
    /// Traffic to the internet a month, in GiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub egress_gib: Option<f64>,
}

impl Default for Counted {
    fn default() -> Self {
        Self { term: Term::OnDemand, database: None, pair: None, backup_gib: None, egress_gib: None }
    }
}

/// Licences of a database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatabaseCount {
    /// Which one.
    pub database: Database,
    /// Where its licences come from.
    pub from: LicencesFrom,
    /// Over how many years a licence that is bought is paid.
    pub write_off_years: u32,
}

/// Where licences come from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LicencesFrom {
    /// From the provider, by the hour.
    Included,
    /// From the vendor at list price, with support.
    List,
    /// They are there already.
    Own,
    /// They cost so much each a year, in the money of the sum.
    PerYear(f64),
}

/// A second machine of the same size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pair {
    /// With volumes of its own, which get the log: Always On availability groups, Data Guard.
    Replica,
    /// On the volumes of the first: a failover cluster.
    Cluster,
}

impl Pair {
    /// The words of options.
    pub const ALL: [Self; 2] = [Self::Replica, Self::Cluster];

    /// The word in options.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Replica => "replica",
            Self::Cluster => "cluster",
        }
    }
}

/// How many licences a configuration needs, and who says so.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Licences {
    /// Licences of all machines that need some.
    pub(super) units: f64,
    /// How they are counted, for a sentence.
    pub(super) source: String,
}

impl Counted {
    /// Whether anything is counted that would not be without an option.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// How many machines are paid.
    pub(crate) fn machines(&self) -> f64 {
        if self.pair.is_some() { 2.0 } else { 1.0 }
    }

    /// How many sets of the volumes are paid.
    pub(crate) fn volume_sets(&self) -> f64 {
        if self.pair == Some(Pair::Replica) { 2.0 } else { 1.0 }
    }

    /// The database whose licences count.
    pub(crate) fn licensed(&self) -> Option<Database> {
        self.database.as_ref().map(|one| one.database)
    }

    /// What a second machine asks of the first: the log has to leave it, or it shares its volumes.
    #[must_use]
    pub fn under_pair(&self, demand: Demand) -> Demand {
        match self.pair {
            None => demand,
            Some(Pair::Replica) => Demand { replicas: demand.replicas.max(1), ..demand },
            Some(Pair::Cluster) => Demand { clustered: true, ..demand },
        }
    }

    /// How many licences a machine of this size needs, with the second one of a pair.
    pub(super) fn licences(&self, catalog: &Catalog, sized: &SizedMachine<'_>) -> Option<Licences> {
        let asked = self.database.as_ref()?;
        let rule = catalog.paid.licence_of(asked.database)?;
        let is_included = asked.from == LicencesFrom::Included;
        let passive = if is_included { rule.passive_included } else { rule.passive };
        let second = match (self.pair, passive) {
            (None, _) | (Some(_), Passive::Free) | (Some(Pair::Cluster), Passive::FreeInCluster) => 0.0,
            (Some(_), Passive::Counted) | (Some(Pair::Replica), Passive::FreeInCluster) => 1.0,
        };
        let units = rule.units(sized.vcpus, sized.machine.arm) * (1.0 + second);
        Some(Licences { units, source: catalog.cited(&rule.source) })
    }

    /// Why the database may not run on a machine.
    pub(crate) fn forbids(&self, catalog: &Catalog, sized: &SizedMachine<'_>) -> Option<BrokenRule> {
        let database = self.licensed()?;
        if sized.machine.arm && !database.runs_on_arm() {
            return Some(BrokenRule {
                breach: Breach::DatabaseOnArm(database),
                source: "Microsoft, SQL Server system requirements".to_owned(),
            });
        }
        let rule = catalog.paid.licence_of(database)?;
        let most_vcpus = rule.vcpus_max.filter(|most| sized.vcpus > *most)?;
        let machine = sized.machine.name.clone();
        Some(BrokenRule {
            breach: Breach::DatabaseTooLarge { database, most_vcpus, machine, vcpus: sized.vcpus },
            source: catalog.cited(&rule.source),
        })
    }
}
