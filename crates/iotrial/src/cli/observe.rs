//! Options of `observe`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};
use iotrial_model::database::DatabaseKind;
use iotrial_model::record::AttributeValue;
use iotrial_model::units::parse_duration;

use super::StoreArgs;
use super::rig::{parse_attribute, parse_label};
use crate::output_file::OutputFile;
use crate::report_files::ReportFiles;

/// Options of `observe`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # a load of pgbench, its first 10 s left out
  iotrial observe --database postgres --ramp 10s -- pgbench -T 70 -P 1 bench
  # another server than psql would find, and only the devices of its data
  iotrial observe --database postgres --connect dbname=b --target /pg -- ./load
  # sysbench on MariaDB, under a name to compare it by
  iotrial observe --database mysql --label nvme -- sysbench oltp_read_write run
  # what runs already: watch it for ten minutes
  iotrial observe --database postgres --duration 10m
  # which of two volumes does more transactions?
  iotrial compare one-volume striped
  # the statements, to run them by hand
  iotrial observe --sql sqlserver

iotrial runs the command, or watches what runs already. Each second it asks the database for its statistics through `psql` or `mysql`, \
with the credentials that these find by themselves, and counts what devices and CPUs do. The output of the command goes to standard error. It \
reads the progress and the summary of pgbench and sysbench; of any program, lines such as batch_requests_per_s=1310 are metrics. Run it on the \
host of the database, whose devices it counts. `iotrial docs observe` says what each figure means.

Exit codes: 0 done; 2 wrong usage or input; 3 the database does not answer, or the command ended with an error; 4 a setting or an event puts the \
figures in doubt; 130 stopped before its end.")]
pub struct ObserveArgs {
    /// The database to ask for its statistics [default: none; only driver, devices and CPUs].
    #[arg(long, value_name = "DATABASE", ignore_case = true)]
    pub database: Option<ObservedDatabase>,

    /// How the client reaches it. For psql a connection string, such as `host=/run/pg dbname=bench`; for mysql options without dashes, such as
    /// `socket=/run/mysqld.sock user=bench` [default: as the client does by itself].
    #[arg(long, value_name = "CONNINFO", requires = "database", value_parser = parse_connect)]
    pub connect: Option<String>,

    /// Directory or device of the database, of which the devices are counted (repeatable) [default: all disks of this host].
    #[arg(short, long = "target", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub targets: Vec<PathBuf>,

    /// Leave this time at the beginning out of the figures: caches fill and clients connect.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = parse_duration)]
    pub ramp: Duration,

    /// Without a command: stop this time after the ramp [default: run until Ctrl-C].
    #[arg(short, long, value_name = "TIME", value_parser = parse_duration, conflicts_with = "command")]
    pub duration: Option<Duration>,

    /// Name of this configuration; results with the same label and attributes count as repeats.
    #[arg(short, long, value_parser = parse_label)]
    pub label: Option<String>,

    /// What distinguishes this configuration, such as volumes=3 (repeatable).
    #[arg(short, long = "attribute", value_name = "KEY=VALUE", value_parser = parse_attribute)]
    pub attributes: Vec<(String, AttributeValue)>,

    /// Print the statements for a database, to run them by hand, and do nothing else.
    #[arg(long, value_name = "DATABASE", ignore_case = true, conflicts_with_all = ["database", "command", "duration"])]
    pub sql: Option<StatementsOf>,

    /// Write every second to this file: devices, database and output of the command. `iotrial watch FILE` reads the devices of it.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub record: Option<OutputFile>,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,

    /// The program that makes the load, with its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// A database that can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub enum ObservedDatabase {
    /// PostgreSQL, through psql.
    #[value(alias = "postgresql")]
    Postgres,
    /// MySQL and MariaDB, through mariadb or mysql.
    #[value(alias = "mariadb")]
    Mysql,
}

impl From<ObservedDatabase> for DatabaseKind {
    fn from(database: ObservedDatabase) -> Self {
        match database {
            ObservedDatabase::Postgres => Self::Postgres,
            ObservedDatabase::Mysql => Self::Mysql,
        }
    }
}

/// A database whose statements are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub enum StatementsOf {
    /// PostgreSQL.
    #[value(alias = "postgresql")]
    Postgres,
    /// MySQL and MariaDB.
    #[value(alias = "mariadb")]
    Mysql,
    /// Microsoft SQL Server.
    #[value(alias = "mssql")]
    SqlServer,
    /// Oracle Database.
    Oracle,
}

/// Words by which a connection gives a password away: of `psql`, and with the abbreviations that `mysql` takes.
const SECRETS: [&str; 4] = ["password", "sslpassword", "passwd", "pass"];

/// A connection without its password, which everybody on the host could read in the list of processes.
fn parse_connect(text: &str) -> Result<String, String> {
    let lower = text.to_lowercase();
    let has_word = lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| SECRETS.contains(&word));
    // `postgresql://user:password@host/`
    let authority = lower.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or_default());
    let user = authority.and_then(|authority| authority.rsplit_once('@')).map(|(user, _)| user);
    if has_word || user.is_some_and(|user| user.contains(':')) {
        return Err("no password passes through iotrial: put it into ~/.pgpass or ~/.my.cnf, where the client finds it".to_owned());
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_with_a_password_is_refused() {
        for text in [
            "host=db01 password=x",
            "postgresql://a:b@db01/bench",
            "PASSWORD='x y'",
            "user=a --password=b",
            "user=a pass=b",
        ] {
            assert!(parse_connect(text).is_err(), "{text}");
        }
        for text in [
            "host=db01 dbname=bench",
            "postgresql://a@db01:5432/bench",
            "postgresql:///bench?host=/run",
            "bench",
        ] {
            assert_eq!(parse_connect(text).as_deref(), Ok(text));
        }
    }
}
