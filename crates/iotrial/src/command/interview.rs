//! `iotrial` alone on a terminal: a few questions, the command that they come to, a last one before anything is written, and the work.

mod compare;
mod place;

use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::anyhow;
use dialoguer::theme::{ColorfulTheme, SimpleTheme, Theme};
use dialoguer::{Confirm, FuzzySelect, Input, Select};
use iotrial_model::given_target::GivenTarget;
use iotrial_model::need::{Need, ParseNeedError};
use iotrial_model::units::{duration_in_words, format_duration};
use iotrial_session::judged_profile::JudgedProfile;
use iotrial_session::request::{Aim, LoadRequest, RigRequest};
use iotrial_session::setup::Setup;

use crate::cli::{Cli, Command, StoreArgs, program};
use crate::command::run;
use crate::effective;
use crate::failure::{Failure, NOT_CARRIED_OUT};
use crate::output::{self, harmless, say, stderr_has_colours, stderr_is_terminal};
use crate::shell_line::quoted;
use place::ask_place;

const DATABASES: &[(&str, &str)] = &[
    ("SQL Server, many small transactions (OLTP)", "sqlserver-oltp"),
    ("SQL Server, fixed demand with checkpoints and log reads", "sqlserver-checkpoint"),
    ("SQL Server, the transaction log alone", "sqlserver-log"),
    ("SQL Server, commits that share log writes", "sqlserver-commit"),
    ("SQL Server, reports and scans (DSS)", "sqlserver-dss"),
    ("SQL Server, brokerage transactions (as TPC-E)", "tpce-profile"),
    ("SQL Server, brokerage transactions that hardly write", "tpce-read-heavy"),
    ("SQL Server, the mix of a published OCI comparison", "sqlserver-oci-published"),
    ("Oracle, many small transactions (OLTP)", "oracle-oltp"),
    ("Oracle, random single-block reads (as SLOB)", "oracle-slob-random"),
    ("Oracle, full scans", "oracle-slob-scan"),
    ("Oracle, archiving its redo log beside transactions", "oracle-archivelog"),
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

// With the time in all, these and other answers have to fit a line of 80 columns: a list of choices is painted line by line.
/// What each is good for, and how long the answer is then measured. How long the whole run takes follows from the load.
const HOW_LONG: &[(&str, Option<Duration>)] = &[
    ("a quick look", None),
    ("enough for a first decision: measures 5 min", Some(Duration::from_secs(300))),
    ("shows burst credits run out: measures 30 min", Some(Duration::from_secs(1800))),
];

/// So many of them are shown at once: 24 rows have room for them below what was asked before.
const MOST_CHOICES: usize = 15;

/// Asks what is wanted, prints the command, and carries it out.
pub fn interview() -> Result<ExitCode, Failure> {
    // In a script the questions would wait for ever; help and code 2 say what is wrong.
    if !std::io::stdin().is_terminal() || !stderr_is_terminal() {
        output::lines(program().render_help());
        return Ok(ExitCode::from(2));
    }
    output::lines("A few questions: arrow keys choose, Tab completes paths, Ctrl-C ends.\n");
    let theme = theme();
    let wishes = ["Is this storage fast enough for a database?", "Which of two places is faster?"];
    let wish = Select::with_theme(&*theme).with_prompt("What do you want to know").items(wishes).default(0);
    match wish.interact().map_err(ended)? {
        0 => one_place(&*theme),
        _ => compare::two_places(&*theme),
    }
}

/// Colours only where they are wanted.
fn theme() -> Box<dyn Theme> {
    if stderr_has_colours() { Box::new(ColorfulTheme::default()) } else { Box::new(SimpleTheme) }
}

fn ended(error: dialoguer::Error) -> Failure {
    Failure::execution(anyhow::Error::new(error).context("the conversation ended"))
}

/// Asks for a run, prints it, and makes it.
fn one_place(theme: &dyn Theme) -> Result<ExitCode, Failure> {
    let profile = ask_profile(theme).map_err(ended)?;
    let place = ask_place(theme, profile, "Directory for the test files", "./iotrial-data").map_err(ended)?;
    let need = ask_need(theme, profile, &place.target).map_err(ended)?;
    let answers = Answers { profile, target: place.target.clone(), need, duration: None };
    let answers = ask_duration(theme, answers).map_err(ended)?;
    // So that nobody has to answer the questions a second time.
    output::lines(format_args!("\n  {}\n", harmless(&answers.command())));
    let load = JudgedProfile::load(Path::new(""), answers.profile, None)?;
    // Asked with the command in view, and before the first byte is written: whoever mistyped the directory sees it here.
    let setup = Setup::new(load, &answers.request())?;
    if !confirmed(theme, &outlook(&setup)).map_err(ended)? {
        say!("nothing was written");
        return Ok(ExitCode::from(NOT_CARRIED_OUT));
    }
    // By the words that were shown, so that the defaults of the user's own hold as they do for those.
    match effective::parse(answers.words().into_iter().map(Into::into).collect())? {
        Ok(Cli { command: Some(Command::Run(args)) }) => run::run(&args),
        _ => Err(Failure::execution(anyhow!("`{}` is not understood", answers.command()))),
    }
}

fn confirmed(theme: &dyn Theme, question: &str) -> dialoguer::Result<bool> {
    Confirm::with_theme(theme).with_prompt(question).default(true).interact()
}

fn ask_profile(theme: &dyn Theme) -> dialoguer::Result<&'static str> {
    // Before the directory, because what that must have room for follows from it.
    let names: Vec<&str> = DATABASES.iter().map(|(name, _)| *name).collect();
    // A list as long as the terminal leaves rows of itself behind when it is scrolled.
    let database = FuzzySelect::with_theme(theme)
        .with_prompt("Which database (type to search)")
        .items(&names)
        .max_length(MOST_CHOICES)
        .default(0);
    Ok(DATABASES[database.interact()?].1)
}

/// Asks for the rate that is needed, where the load can be made at one.
fn ask_need(theme: &dyn Theme, profile: &'static str, target: &str) -> dialoguer::Result<Option<Need>> {
    let quick = Answers::quick(profile, target);
    // A load whose rates are given, or that has none, is judged as it is.
    if look_at(&quick).is_ok_and(|setup| setup.search.is_none()) {
        return Ok(None);
    }
    let check = |text: &String| match needed(text)? {
        Some(need) => look_at(&Answers { need: Some(need), ..quick.clone() }).map(drop),
        None => Ok(()),
    };
    let text: String = Input::with_theme(theme)
        .with_prompt("How many IOPS do you need (empty if you do not know)")
        .allow_empty(true)
        .validate_with(check)
        .interact_text()?;
    // It was checked just now.
    Ok(needed(&text).ok().flatten())
}

/// `20000`, `20,000` and `20k` as people write them, and whatever `--need` takes.
fn needed(text: &str) -> Result<Option<Need>, String> {
    let plain = text.trim().to_ascii_lowercase();
    if plain.is_empty() {
        return Ok(None);
    }
    match Need::typed(&plain) {
        Err(error @ ParseNeedError::Thousands(_)) => return Err(error.to_string()),
        typed if plain.contains('=') => return typed.map(Some).map_err(|error| error.to_string()),
        _ => {}
    }
    let number = plain.trim_end_matches("iops").trim().replace([',', ' '], "");
    let (digits, factor) = match number.strip_suffix('k') {
        Some(thousands) => (thousands, 1e3),
        None => (number.as_str(), 1.0),
    };
    match digits.parse::<f64>() {
        Ok(count) if count > 0.0 && (count * factor).is_finite() => Ok(Some(Need::Total(count * factor))),
        _ => Err(format!("`{}` is not a number of I/Os per second, such as 20000", text.trim())),
    }
}

/// Asks how long, with what each answer comes to.
fn ask_duration(theme: &dyn Theme, answers: Answers) -> dialoguer::Result<Answers> {
    let times: Vec<String> = HOW_LONG
        .iter()
        .map(|(name, duration)| how_long(&Answers { duration: *duration, ..answers.clone() }, name))
        .collect();
    let time = Select::with_theme(theme).with_prompt("How long").items(&times).default(0).interact()?;
    Ok(Answers { duration: HOW_LONG[time].1, ..answers })
}

/// What a time is good for, with all that the run takes.
fn how_long(answers: &Answers, name: &str) -> String {
    match look_at(answers) {
        Ok(setup) => format!("{name} ({} in all)", in_minutes(setup.expected_time())),
        // The load of the next question would be refused; the run says why.
        Err(_) => name.to_owned(),
    }
}

/// Nobody chooses by seconds what takes minutes.
fn in_minutes(time: Duration) -> String {
    let step = match time.as_secs() {
        0..90 => 1,
        90..7_200 => 60,
        _ => 3_600,
    };
    format!("about {}", duration_in_words(Duration::from_secs((time.as_secs() + step / 2) / step * step)))
}

/// What the load would find in a directory, or why it cannot run there, on one line. Touches nothing.
fn look_at(answers: &Answers) -> Result<Setup, String> {
    let Answers { profile, target, .. } = answers;
    let path = Path::new(target);
    // A run takes a file or a device as well; here a path that leads to one is a slip.
    if path.exists() && !path.is_dir() {
        let name = path.display();
        return Err(if path.is_file() {
            format!("{name} is a file, and the test files need a directory")
        } else {
            format!(
                "{name} is not a directory; `iotrial target {name}` shows what is on a raw device, and `iotrial run --target {name}` measures it"
            )
        });
    }
    let reason = |error: Failure| match (error.reason(), error.into_hint()) {
        (reason, Some(hint)) => format!("{reason}; {hint}"),
        (reason, None) => reason,
    };
    let load = JudgedProfile::load(Path::new(""), profile, None).map_err(|error| reason(error.into()))?;
    Setup::new(load, &answers.request()).map_err(|error| reason(error.into()))
}

/// What will be written, where, how long it takes and what is left of it, as a question.
fn outlook(setup: &Setup) -> String {
    format!("Write {}, run for {}, remove the files", setup.layout.written, in_minutes(setup.expected_time()))
}

/// What was answered; everything else is as it is when nothing is said.
#[derive(Debug, Clone)]
struct Answers {
    profile: &'static str,
    target: String,
    /// `None` where nobody knows it.
    need: Option<Need>,
    /// `None` is the profile's quick one.
    duration: Option<Duration>,
}

impl Answers {
    /// The shortest of the loads: where that cannot run, no other can.
    fn quick(profile: &'static str, target: &str) -> Self {
        Self { profile, target: target.to_owned(), need: None, duration: None }
    }

    fn request(&self) -> LoadRequest {
        // Everything else stays as `run` has it: the printed command must do the same.
        let rig = RigRequest {
            targets: vec![GivenTarget::for_all(&self.target)],
            store: StoreArgs::default().place(),
            ..RigRequest::default()
        };
        let aim = match &self.need {
            None => Aim::Usual,
            Some(need) => Aim::Capacity { limit: None, need: Some(need.clone()) },
        };
        LoadRequest { duration: self.duration, aim, rig, ..LoadRequest::default() }
    }

    /// The command that does the same, for the next time.
    fn command(&self) -> String {
        self.words().iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    fn words(&self) -> Vec<String> {
        let mut words =
            ["iotrial", "run", self.profile, "--target", &self.target].map(str::to_owned).to_vec();
        if let Some(need) = &self.need {
            words.extend(["--need".to_owned(), need.to_string()]);
        }
        if let Some(duration) = self.duration {
            words.extend(["--duration".to_owned(), format_duration(duration)]);
        }
        words
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
        for need in [None, Some(Need::Total(20_000.0)), needed("log=900iops, data=18000iops").unwrap()] {
            for (_, duration) in HOW_LONG {
                let target = "/mnt/a".to_owned();
                let answers =
                    Answers { profile: "mysql-oltp", target, need: need.clone(), duration: *duration };
                let command = answers.command();
                let Some(Command::Run(args)) = Cli::try_parse_from(command.split(' ')).unwrap().command
                else {
                    panic!("{command}")
                };
                let asked = args.need.as_ref().map(|need| need.parse().unwrap());
                assert_eq!(args.request(asked).unwrap(), answers.request(), "{command}");
                assert_eq!((args.load.profile(), args.load.thresholds.is_none()), (answers.profile, true));
            }
        }
    }

    #[test]
    fn a_need_is_taken_as_people_write_it() {
        for text in ["20000", "20,000", "20 000", "20k", "20000 iops", "20000IOPS"] {
            assert_eq!(needed(text), Ok(Some(Need::Total(20_000.0))), "{text}");
        }
        assert_eq!(needed("  "), Ok(None));
        for text in ["many", "-5", "0", "inf", "20 MiB/s", "data=fast"] {
            assert!(needed(text).is_err(), "{text}");
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
    fn a_place_that_cannot_take_the_files_is_refused_when_it_is_typed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        let check = |path: &Path, part: &str| {
            let quick = Answers::quick("sqlserver-log", &path.to_string_lossy());
            let refused = look_at(&quick).map(drop).unwrap_err();
            assert!(refused.contains(part) && !refused.contains('\n'), "{refused}");
        };
        check(&file, "is a file, and the test files need a directory");
        check(&folder.path().join("no/such"), "nor the directory above it exists");
        check(&file.join("below"), "a file is where a directory should be");
        // One that can be made stays unmade.
        let new = folder.path().join("new");
        let quick = Answers::quick("sqlserver-log", &new.to_string_lossy());
        let setup = look_at(&quick).unwrap();
        assert!(outlook(&setup).starts_with(&format!("Write {}, run for ", setup.layout.written)));
        assert!(!new.exists());
        // What is chosen by is the whole run: its layout and ramp come on top of what was asked.
        let of = |duration| how_long(&Answers { duration, ..quick.clone() }, "x");
        assert_eq!(of(None), format!("x ({} in all)", in_minutes(setup.expected_time())));
        let minutes = |text: &str| text.split(' ').find_map(|word| word.parse::<u64>().ok());
        assert!(minutes(&of(Some(Duration::from_secs(1_800)))) >= Some(30));
        let words = [60, 120, 9_000].map(|seconds| in_minutes(Duration::from_secs(seconds)));
        assert_eq!(words, ["about 60 s", "about 2 min", "about 3 h"]);
    }
}
