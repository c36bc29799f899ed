//! `iotrial` alone on a terminal: three questions, then the command that it runs.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::CommandFactory;
use dialoguer::{Input, Select};
use iotrial_model::units::format_duration;

use crate::cli::{Cli, RunArgs};
use crate::command::run;
use crate::failure::Failure;

const DATABASES: &[(&str, &str)] = &[
    ("SQL Server, many small transactions (OLTP)", "sqlserver-oltp"),
    ("SQL Server, the transaction log alone", "sqlserver-log"),
    ("SQL Server, reports and scans (DSS)", "sqlserver-dss"),
    ("Oracle, random reads and writes (as SLOB)", "oracle-slob-random"),
    ("Oracle, full scans", "oracle-slob-scan"),
    ("PostgreSQL, OLTP", "postgresql-oltp"),
    ("MySQL, OLTP", "mysql-oltp"),
    ("64 KiB I/Os, as cloud vendors test", "oci-64k"),
];

const HOW_LONG: &[(&str, Option<Duration>)] = &[
    ("a quick look: half a minute", None),
    ("five minutes: enough for a first decision", Some(Duration::from_secs(300))),
    ("half an hour: shows burst credits and caches run out", Some(Duration::from_secs(1800))),
];

/// Asks which database, where and how long, prints the command, and runs it.
pub fn interview() -> Result<ExitCode, Failure> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        eprintln!("{}", Cli::command().render_help());
        return Ok(ExitCode::from(2));
    }
    let args = ask()
        .map_err(|error| Failure::execution(anyhow::Error::new(error).context("the conversation ended")))?;
    let mut command =
        format!("iotrial run {} --target {}", args.profile, quoted(&args.targets[0].to_string_lossy()));
    if let Some(duration) = args.duration {
        command.push_str(&format!(" --duration {}", format_duration(duration)));
    }
    eprintln!("\n  {command}\n");
    run::run(&args)
}

fn ask() -> dialoguer::Result<RunArgs> {
    let names: Vec<&str> = DATABASES.iter().map(|(name, _)| *name).collect();
    let database = Select::new().with_prompt("Which database").items(&names).default(0).interact()?;
    let target: String = Input::new()
        .with_prompt("Where would it keep its files (a directory; its content stays untouched)")
        .default("./iotrial-data".to_owned())
        .interact_text()?;
    let times: Vec<&str> = HOW_LONG.iter().map(|(name, _)| *name).collect();
    let time = Select::new().with_prompt("How long").items(&times).default(0).interact()?;
    Ok(RunArgs {
        profile: DATABASES[database].1.to_owned(),
        targets: vec![PathBuf::from(target)],
        duration: HOW_LONG[time].1,
        ..RunArgs::default()
    })
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
mod tests {
    use iotrial_model::builtin::builtin_profiles;

    use super::*;

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
