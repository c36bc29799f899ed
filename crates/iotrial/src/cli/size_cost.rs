//! Options of `size` for what is paid besides machine, operating system and volumes.

use clap::{Args, value_parser};
use iotrial_model::units::ByteSize;
use iotrial_sizing::catalog::{Database, Term};
use iotrial_sizing::price::{Counted, DatabaseCount, LicencesFrom, Pair};

use super::size::{parse_number, parse_word};
use crate::heading;

/// What the cost includes.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = heading::COST)]
pub struct CountedArgs {
    /// Commitment for the machine: on-demand, 1y or 3y (reservations, committed use). If the catalog has no price for that
    /// term, the on-demand price is used and the answer says so [default: on-demand].
    #[arg(long, value_name = "TERM", value_parser = parse_term)]
    pub term: Option<Term>,

    /// Include the cost of database licences: sqlserver-standard, sqlserver-enterprise, oracle-ee or oracle-se2. Azure
    /// machines with fewer active vCPUs at the same price are then considered, too.
    #[arg(long, value_name = "DATABASE", value_parser = parse_database)]
    pub database: Option<Database>,

    /// Where the database licences come from: included (by the hour, from the provider), list (bought at list price, with support),
    /// own (you have them: their number is shown, without a price), or your yearly price per licence in the currency of the answer,
    /// such as 1400 (licensed per core for SQL Server, per processor for oracle-ee, per socket for oracle-se2) [default:
    /// included for SQL Server, list for Oracle].
    #[arg(long, value_name = "SOURCE|AMOUNT", requires = "database", value_parser = parse_licences)]
    pub database_licences: Option<LicencesFrom>,

    /// Spread the list price of a licence over this number of years.
    #[arg(long, value_name = "YEARS", requires = "database", default_value_t = 3, value_parser = value_parser!(u32).range(1..=10))]
    pub write_off: u32,

    /// Include a standby of the same size: replica (with volumes of its own, as for Always On and Data Guard) or cluster (on the
    /// same volumes). The standby is licensed according to the rules of the database vendor.
    #[arg(long, value_name = "KIND", value_parser = parse_pair)]
    pub pair: Option<Pair>,

    /// Include the cost of this much backup storage, such as 10TiB of snapshots.
    #[arg(long, value_name = "SIZE")]
    pub backup: Option<ByteSize>,

    /// Include the cost of this much traffic to the internet per month, such as 5TiB.
    #[arg(long, value_name = "SIZE")]
    pub egress: Option<ByteSize>,
}

impl CountedArgs {
    /// As the library counts it.
    pub fn counted(&self) -> Counted {
        let gib = |size: ByteSize| size.get() as f64 / ByteSize::GIB.get() as f64;
        let database = self.database.map(|database| DatabaseCount {
            database,
            from: self.database_licences.unwrap_or(if database.is_sold_with_machines() {
                LicencesFrom::Included
            } else {
                LicencesFrom::List
            }),
            // Only a default value of clap is missing here, where the options were not parsed.
            write_off_years: self.write_off.max(1),
        });
        Counted {
            term: self.term.unwrap_or_default(),
            database,
            pair: self.pair,
            backup_gib: self.backup.map(gib),
            egress_gib: self.egress.map(gib),
        }
    }
}

fn parse_term(text: &str) -> Result<Term, String> {
    parse_word(text, &Term::ALL, Term::as_str)
}

fn parse_database(text: &str) -> Result<Database, String> {
    parse_word(text, &Database::ALL, Database::as_str)
}

fn parse_pair(text: &str) -> Result<Pair, String> {
    parse_word(text, &Pair::ALL, Pair::as_str)
}

fn parse_licences(text: &str) -> Result<LicencesFrom, String> {
    match text {
        "included" => Ok(LicencesFrom::Included),
        "list" => Ok(LicencesFrom::List),
        "own" => Ok(LicencesFrom::Own),
        _ => {
            parse_number(text, 0.0..=1e9, "it must be one of included, list, own, or an amount a year: that")
                .map(LicencesFrom::PerYear)
        }
    }
}
