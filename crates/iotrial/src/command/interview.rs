//! `iotrial` alone on a terminal: three questions, then the command that it runs.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser};
use dialoguer::{Input, Select};
use iotrial_model::units::format_duration;

use crate::cli::{Cli, Command};
use crate::command::run;
use crate::failure::Failure;

const DATABASES: &[(&str, &str)] = &[
    ("SQL Server, many small transactions (OLTP)", "sqlserver-oltp"),
    ("SQL Server, the transaction log alone", "sqlserver-log"),
    ("SQL Server, commits that share log writes", "sqlserver-commit"),
    ("SQL Server, reports and scans (DSS)", "sqlserver-dss"),
    ("Oracle, many small transactions (OLTP)", "oracle-oltp"),
    ("Oracle, random single-block reads (as SLOB)", "oracle-slob-random"),
    ("Oracle, full scans", "oracle-slob-scan"),
    ("PostgreSQL, OLTP", "postgresql-oltp"),
    ("PostgreSQL, commits that share WAL flushes", "postgresql-commit"),
    ("MySQL, OLTP", "mysql-oltp"),
    ("64 KiB I/Os, as cloud vendors test", "oci-64k"),
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
    let words = ask()
        .map_err(|error| Failure::execution(anyhow::Error::new(error).context("the conversation ended")))?;
    let command: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    eprintln!("\n  {}\n", command.join(" "));
    // Parsed as if it had been typed, so that defaults and the environment count as they would then.
    match Cli::try_parse_from(&words).map_err(Failure::input)?.command {
        Some(Command::Run(args)) => run::run(&args),
        _ => unreachable!("the words say `run`"),
    }
}

/// The command line that the answers make.
fn ask() -> dialoguer::Result<Vec<String>> {
    eprintln!("Three questions: the arrow keys choose, Enter answers, Ctrl-C ends.\n");
    let names: Vec<&str> = DATABASES.iter().map(|(name, _)| *name).collect();
    let database = Select::new().with_prompt("Which database").items(&names).default(0).interact()?;
    let target: String = Input::new()
        .with_prompt("Directory for the test files")
        .default("./iotrial-data".to_owned())
        .interact_text()?;
    let times: Vec<&str> = HOW_LONG.iter().map(|(name, _)| *name).collect();
    let time = Select::new().with_prompt("How long").items(&times).default(0).interact()?;
    let mut words =
        ["iotrial", "run", DATABASES[database].1, "--target", &target].map(str::to_owned).to_vec();
    if let Some(duration) = HOW_LONG[time].1 {
        words.extend(["--duration".to_owned(), format_duration(duration)]);
    }
    Ok(words)
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
