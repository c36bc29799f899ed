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
  # data and log on volumes of their own
  iotrial check --target /u01 --target /u02 --for oracle
  # all findings and facts as a page, or for a program
  iotrial check --target /data --html host.html
  iotrial check --target /data --json | jq '.findings[].title'
  # what is checked, and with rules of the company as well
  iotrial check --list-rules
  iotrial check --target /data --rules ./our-rules
  # on a cloud machine, with what its metadata service says of shape and volumes
  iotrial check --target /data --cloud
  # another host, of which a copy of /proc, /sys and /etc is here
  iotrial check --root ./db01 --target /data

Changes nothing, writes nothing to the targets, runs no other program, and opens no connection without --cloud. Settings that cannot be read are \
listed as unknown and never count as good; as root more can be read. `iotrial docs check` has the rules' format and what is not \
looked at.

Exit codes: 0 no critical or high finding; 1 at least one; 2 wrong usage, rules or target; 3 could not be carried out.")]
pub struct CheckArgs {
    /// A directory, file or block device whose chain down to the hardware is checked; may be repeated.
    #[arg(long = "target", value_name = "PATH")]
    pub targets: Vec<PathBuf>,

    /// The database that is to run here; without it only rules are asked that hold for all of them.
    #[arg(long = "for", value_name = "DATABASE")]
    pub database: Option<DatabaseArg>,

    /// Rules of your own: a TOML file, or a folder of them; may be repeated. One with the id of a built-in rule replaces it.
    #[arg(long, value_name = "FILE|DIR")]
    pub rules: Vec<PathBuf>,

    /// List the rules, and check nothing.
    #[arg(long, conflicts_with = "targets")]
    pub list_rules: bool,

    /// Also ask the cloud's metadata service (169.254.169.254) for shape, volume types and host caching.
    #[arg(long, conflicts_with = "root")]
    pub cloud: bool,

    /// Check the host whose /proc, /sys and /etc were copied into this folder.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,

    #[command(flatten)]
    pub files: ReportFiles,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// A database on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub enum DatabaseArg {
    /// Microsoft SQL Server.
    SqlServer,
    /// Oracle Database.
    Oracle,
    /// PostgreSQL.
    PostgreSql,
    /// MySQL and MariaDB.
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
    /// What a session is asked for.
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
