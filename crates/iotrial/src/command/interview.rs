//! `iotrial` alone on a terminal: three questions, the command that they come to, and the run.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::CommandFactory;
use dialoguer::{Input, Select};
use iotrial_model::units::format_duration;
use iotrial_session::judged_profile::JudgedProfile;
use iotrial_session::request::{LoadRequest, RigRequest};

use crate::cli::{Cli, StoreArgs};
use crate::command::run::{self, RunOutput};
use crate::failure::Failure;

const DATABASES: &[(&str, &str)] = &[
    ("SQL Server, many small transactions (OLTP)", "sqlserver-oltp"),
    ("SQL Server, fixed demand with checkpoints and log reads", "sqlserver-checkpoint"),
    ("SQL Server, the transaction log alone", "sqlserver-log"),
    ("SQL Server, commits that share log writes", "sqlserver-commit"),
    ("SQL Server, reports and scans (DSS)", "sqlserver-dss"),
    ("SQL Server, brokerage transactions (as TPC-E)", "tpce-profile"),
    ("SQL Server, the mix of a published OCI comparison", "sqlserver-oci-published"),
    ("Oracle, many small transactions (OLTP)", "oracle-oltp"),
    ("Oracle, random single-block reads (as SLOB)", "oracle-slob-random"),
    ("Oracle, full scans", "oracle-slob-scan"),
    ("PostgreSQL, OLTP", "postgresql-oltp"),
    ("PostgreSQL, commits that share WAL flushes", "postgresql-commit"),
    ("MySQL, OLTP", "mysql-oltp"),
    ("MongoDB, many small operations", "mongodb-oltp"),
    ("MongoDB, fixed demand with a checkpoint every minute", "mongodb-checkpoint"),
    ("etcd", "etcd"),
    ("Kafka, default settings", "kafka"),
    ("Kafka, every batch synced", "kafka-flush"),
    ("Backup and restore", "backup-restore"),
    ("64 KiB I/Os, random reads", "oci-64k-randread"),
    ("64 KiB I/Os, random writes", "oci-64k-randwrite"),
    ("64 KiB I/Os, sequential reads", "oci-64k-read"),
    ("64 KiB I/Os, sequential writes", "oci-64k-write"),
    ("64 KiB I/Os, random, 40 % reads", "oci-64k-randrw"),
    ("64 KiB I/Os, sequential, 40 % reads", "oci-64k-rw"),
];

const HOW_LONG: &[(&str, Option<Duration>)] = &[
    ("a quick look: half a minute", None),
    ("five minutes: enough for a first decision", Some(Duration::from_secs(300))),
    ("half an hour: shows burst credits run out", Some(Duration::from_secs(1800))),
];

/// Asks which database, where and how long, prints the command, and runs it.
pub fn interview() -> Result<ExitCode, Failure> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        eprintln!("{}", Cli::command().render_help());
        return Ok(ExitCode::from(2));
    }
    let answers = ask()
        .map_err(|error| Failure::execution(anyhow::Error::new(error).context("the conversation ended")))?;
    eprintln!("\n  {}\n", answers.command());
    let load = JudgedProfile::load(Path::new(""), answers.profile, None)?;
    run::carry_out(load, &answers.request(), &RunOutput::default())
}

/// What was answered; everything else is as it is when nothing is said.
struct Answers {
    profile: &'static str,
    target: String,
    /// `None` is the profile's quick one.
    duration: Option<Duration>,
}

/// Asks the three questions.
fn ask() -> dialoguer::Result<Answers> {
    eprintln!("Three questions: the arrow keys choose, Enter answers, Ctrl-C ends.\n");
    let names: Vec<&str> = DATABASES.iter().map(|(name, _)| *name).collect();
    let database = Select::new().with_prompt("Which database").items(&names).default(0).interact()?;
    let target: String = Input::new()
        .with_prompt("Directory for the test files")
        .default("./iotrial-data".to_owned())
        .interact_text()?;
    let times: Vec<&str> = HOW_LONG.iter().map(|(name, _)| *name).collect();
    let time = Select::new().with_prompt("How long").items(&times).default(0).interact()?;
    Ok(Answers { profile: DATABASES[database].1, target, duration: HOW_LONG[time].1 })
}

impl Answers {
    fn request(&self) -> LoadRequest {
        let rig = RigRequest {
            targets: vec![self.target.clone().into()],
            store: StoreArgs::of_environment().store,
            ..RigRequest::default()
        };
        LoadRequest { duration: self.duration, rig, ..LoadRequest::default() }
    }

    /// The command that does the same, for the next time.
    fn command(&self) -> String {
        let mut words = ["iotrial", "run", self.profile, "--target", &self.target].map(quoted).to_vec();
        if let Some(duration) = self.duration {
            words.extend(["--duration".to_owned(), quoted(&format_duration(duration))]);
        }
        words.join(" ")
    }
}

/// As a shell takes it back.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@\\".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use clap::Parser;
    use iotrial_model::builtin::builtin_profiles;

    use super::*;
    use crate::cli::Command;

    #[test]
    fn the_printed_command_asks_for_the_run_that_is_made() {
        for (_, duration) in HOW_LONG {
            let answers = Answers { profile: "mysql-oltp", target: "/mnt/a".to_owned(), duration: *duration };
            let command = answers.command();
            let Some(Command::Run(args)) = Cli::try_parse_from(command.split(' ')).unwrap().command else {
                panic!("{command}")
            };
            assert_eq!(args.request().unwrap(), answers.request(), "{command}");
            assert_eq!((args.load.profile.as_str(), args.load.thresholds.is_none()), (answers.profile, true));
        }
    }

    #[test]
    fn every_built_in_profile_can_be_chosen() {
        let mut offered: Vec<&str> = DATABASES.iter().map(|(_, profile)| *profile).collect();
        let mut built_in: Vec<&str> = builtin_profiles().iter().map(|profile| profile.name).collect();
        offered.sort_unstable();
        built_in.sort_unstable();
        assert_eq!(offered, built_in);
    }

    #[test]
    fn the_printed_command_survives_a_shell() {
        assert_eq!(quoted("/mnt/a"), "/mnt/a");
        assert_eq!(quoted("/mnt/my disk"), "'/mnt/my disk'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
