//! Options of `check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use iotrial_analysis::host_check::Database;
use iotrial_host::cloud::METADATA_SERVICE;
use iotrial_session::host_check::CheckRequest;

use crate::report_files::ReportFiles;

/// Options of `check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # is this host set up for SQL Server, with its files in /data?
  iotrial check --target /data --for sqlserver
  # data and log on separate volumes
  iotrial check --target /u01 --target /u02 --for oracle
  # all findings and facts as a page, or for a program
  iotrial check --target /data --html host.html
  iotrial check --target /data --json | jq '.findings[].title'
  # list the rules; add your own
  iotrial check --list-rules
  iotrial check --target /data --rules ./our-rules
  # on a cloud machine, also ask its metadata service about machine and volumes
  iotrial check --target /data --cloud
  # another host, from a copy of its /proc, /sys and /etc
  iotrial check --root ./db01 --target /data

Changes nothing, writes nothing to the targets, runs no other program, and opens no network connection without --cloud. Settings that \
cannot be read are listed as unknown and never count as good; root can read more. `iotrial docs check` explains the format of rules \
and what is not checked.

Exit codes: 0 no finding of severity critical or high; 1 at least one such finding; 2 wrong usage, rules or target; 3 failed.")]
pub struct CheckArgs {
    /// Directory, file or block device to check, down to the hardware (repeatable); without it, only kernel, memory and CPUs are
    /// checked.
    #[arg(long = "target", value_name = "PATH")]
    pub targets: Vec<PathBuf>,

    /// The database that will run here; without it, only the rules for all databases apply.
    #[arg(long = "for", value_name = "DATABASE", ignore_case = true)]
    pub database: Option<DatabaseArg>,

    /// Your own rules: a TOML file or a folder of them (repeatable). A rule with the same id as a built-in rule
    /// replaces that rule.
    #[arg(long, value_name = "FILE|DIR")]
    pub rules: Vec<PathBuf>,

    /// List the rules without checking anything.
    #[arg(long, conflicts_with = "targets")]
    pub list_rules: bool,

    /// Also ask the cloud's metadata service (169.254.169.254) for instance type, volume types and host caching.
    #[arg(long, conflicts_with = "root")]
    pub cloud: bool,

    /// Check another host, whose /proc, /sys and /etc were copied to this folder.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// A database on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub enum DatabaseArg {
    /// Microsoft SQL Server.
    #[value(alias = "mssql")]
    SqlServer,
    /// Oracle Database.
    Oracle,
    /// PostgreSQL.
    #[value(alias = "postgres")]
    PostgreSql,
    /// MySQL and MariaDB.
    #[value(alias = "mariadb")]
    MySql,
}

impl From<DatabaseArg> for Database {
    fn from(database: DatabaseArg) -> Self {
        match database {
            DatabaseArg::SqlServer => Self::SqlServer,
            DatabaseArg::Oracle => Self::Oracle,
            DatabaseArg::PostgreSql => Self::PostgreSql,
            DatabaseArg::MySql => Self::MySql,
        }
    }
}

impl CheckArgs {
    /// The request to a session.
    pub fn request(&self) -> CheckRequest {
        CheckRequest {
            targets: self.targets.clone(),
            database: self.database.map(Database::from),
            rules: self.rules.clone(),
            cloud: self.cloud.then_some(METADATA_SERVICE),
            captured: self.root.clone(),
        }
    }
}
