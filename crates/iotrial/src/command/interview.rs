//! `iotrial` alone on a terminal: three questions, the command that they come to, a last one before anything is written, and the run.

use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::anyhow;
use clap::CommandFactory;
use dialoguer::{Confirm, Input, Select};
use iotrial_model::given_target::GivenTarget;
use iotrial_model::plan::TargetKind;
use iotrial_model::units::format_duration;
use iotrial_session::judged_profile::JudgedProfile;
use iotrial_session::request::{LoadRequest, RigRequest};
use iotrial_session::setup::Setup;

use crate::cli::{Cli, Command, StoreArgs};
use crate::command::run;
use crate::effective;
use crate::failure::{Failure, NOT_CARRIED_OUT};
use crate::output::{say, stderr_is_terminal};

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

/// What each is good for, and how long the answer is then measured. How long the whole run takes follows from the load.
const HOW_LONG: &[(&str, Option<Duration>)] = &[
    ("a quick look", None),
    ("enough for a first decision: measures for five minutes", Some(Duration::from_secs(300))),
    ("shows burst credits run out: measures for half an hour", Some(Duration::from_secs(1800))),
];

/// Asks which database, where and how long, prints the command, and runs it.
pub fn interview() -> Result<ExitCode, Failure> {
    // In a script the questions would wait for ever; help and code 2 say what is wrong.
    if !std::io::stdin().is_terminal() || !stderr_is_terminal() {
        say!("{}", Cli::command().render_help());
        return Ok(ExitCode::from(2));
    }
    let ended = |error| Failure::execution(anyhow::Error::new(error).context("the conversation ended"));
    let answers = ask().map_err(ended)?;
    // So that nobody has to answer the questions a second time.
    say!("\n  {}\n", answers.command());
    let load = JudgedProfile::load(Path::new(""), answers.profile, None)?;
    // Asked with the command in view, and before the first byte is written: whoever mistyped the directory sees it here.
    let setup = Setup::new(load, &answers.request())?;
    if !Confirm::new().with_prompt(outlook(&setup)).default(true).interact().map_err(ended)? {
        say!("nothing was written");
        return Ok(ExitCode::from(NOT_CARRIED_OUT));
    }
    // By the words that were shown, so that the defaults of the user's own hold as they do for those.
    match effective::parse(answers.words().into_iter().map(Into::into).collect())? {
        Ok(Cli { command: Some(Command::Run(args)) }) => run::run(&args),
        _ => Err(Failure::execution(anyhow!("`{}` is not understood", answers.command()))),
    }
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
    say!("Three questions: the arrow keys choose, Enter answers, Ctrl-C ends.\n");
    // The database comes first, because what the directory must have room for follows from it.
    let names: Vec<&str> = DATABASES.iter().map(|(name, _)| *name).collect();
    let database = Select::new().with_prompt("Which database").items(&names).default(0).interact()?;
    let profile = DATABASES[database].1;
    let target = ask_place(profile)?;
    let times: Vec<String> =
        HOW_LONG.iter().map(|(name, time)| how_long(profile, &target, name, *time)).collect();
    let time = Select::new().with_prompt("How long").items(&times).default(0).interact()?;
    Ok(Answers { profile, target, duration: HOW_LONG[time].1 })
}

/// What a time is good for, with all that the run takes.
fn how_long(profile: &'static str, target: &str, name: &str, duration: Option<Duration>) -> String {
    match look_at(&Answers { profile, target: target.to_owned(), duration }) {
        Ok(setup) => format!("{name} ({} in all)", in_minutes(setup.expected_time())),
        // The load of the next question would be refused; the run says why.
        Err(_) => name.to_owned(),
    }
}

/// Nobody chooses by seconds what takes minutes.
fn in_minutes(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..90 => format!("about {seconds} s"),
        seconds => format!("about {} minutes", (seconds + 30) / 60),
    }
}

/// Asks for a directory until there is one that the load fits in.
fn ask_place(profile: &'static str) -> dialoguer::Result<String> {
    loop {
        let target: String = Input::new()
            .with_prompt("Directory for the test files")
            .default("./iotrial-data".to_owned())
            .validate_with(|text: &String| look_at(&quick(profile, text)).map(drop))
            .interact_text()?;
        let in_memory = look_at(&quick(profile, &target)).is_ok_and(|setup| is_in_memory(&setup));
        let question =
            format!("{target} is in memory, so this would measure memory and no disk. Use it anyway");
        if !in_memory || Confirm::new().with_prompt(question).default(false).interact()? {
            return Ok(target);
        }
    }
}

/// The shortest of the loads: where that cannot run, no other can.
fn quick(profile: &'static str, target: &str) -> Answers {
    Answers { profile, target: target.to_owned(), duration: None }
}

/// What the load would find in a directory, or why it cannot run there, on one line. Touches nothing.
fn look_at(answers: &Answers) -> Result<Setup, String> {
    let Answers { profile, target, .. } = answers;
    // A run takes a file or a device as well; here a path that leads to one is a slip.
    if Path::new(target).exists() && !Path::new(target).is_dir() {
        return Err(format!("{target} is not a directory"));
    }
    let reason = |error: Failure| match (error.reason(), error.into_hint()) {
        (reason, Some(hint)) => format!("{reason}; {hint}"),
        (reason, None) => reason,
    };
    let load = JudgedProfile::load(Path::new(""), profile, None).map_err(|error| reason(error.into()))?;
    Setup::new(load, &answers.request()).map_err(|error| reason(error.into()))
}

fn is_in_memory(setup: &Setup) -> bool {
    setup.probed.iter().any(|one| one.record.in_memory)
}

/// What will be written, where, how long it takes and what is left of it, as a question.
fn outlook(setup: &Setup) -> String {
    let free = setup.probed.iter().find_map(|one| match &one.facts.kind {
        TargetKind::Directory(space) => Some(format!(", where {} are free", space.available)),
        _ => None,
    });
    format!(
        "Write {} of test files{}, run for {}, then remove the files",
        setup.layout.written,
        free.unwrap_or_default(),
        in_minutes(setup.expected_time())
    )
}

impl Answers {
    fn request(&self) -> LoadRequest {
        // Everything else stays as `run` has it: the printed command must do the same.
        let rig = RigRequest {
            targets: vec![GivenTarget::for_all(&self.target)],
            store: StoreArgs::default().place(),
            ..RigRequest::default()
        };
        LoadRequest { duration: self.duration, rig, ..LoadRequest::default() }
    }

    /// The command that does the same, for the next time.
    fn command(&self) -> String {
        self.words().iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    fn words(&self) -> Vec<String> {
        let mut words =
            ["iotrial", "run", self.profile, "--target", &self.target].map(str::to_owned).to_vec();
        if let Some(duration) = self.duration {
            words.extend(["--duration".to_owned(), format_duration(duration)]);
        }
        words
    }
}

/// As a shell takes it back.
pub fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@\\=,%".contains(c);
    // Plain words stay plain, because people read the command as well as paste it.
    // A word that begins with `=` is the path of a program in zsh; further on it is a sign like others.
    if !text.is_empty() && !text.starts_with('=') && text.chars().all(is_plain) {
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
            assert_eq!(args.request(None).unwrap(), answers.request(), "{command}");
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
    fn a_place_that_cannot_take_the_files_is_refused_when_it_is_typed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        let check = |path: &Path, part: &str| {
            let refused = look_at(&quick("sqlserver-log", &path.to_string_lossy())).map(drop).unwrap_err();
            assert!(refused.contains(part) && !refused.contains('\n'), "{refused}");
        };
        check(&file, "is not a directory");
        check(&folder.path().join("no/such"), "nor the directory above it exists");
        check(&file.join("below"), "a file stands where a directory should be");
        // One that can be made stays unmade.
        let new = folder.path().join("new");
        let setup = look_at(&quick("sqlserver-log", &new.to_string_lossy())).unwrap();
        assert!(
            outlook(&setup).starts_with(&format!("Write {} of test files, where ", setup.layout.written))
        );
        assert!(!new.exists());
        // What is chosen by is the whole run: its layout and ramp come on top of what was asked.
        let of = |duration| how_long("sqlserver-log", &new.to_string_lossy(), "x", duration);
        assert_eq!(of(None), format!("x ({} in all)", in_minutes(setup.expected_time())));
        let minutes = |text: &str| text.split(' ').find_map(|word| word.parse::<u64>().ok());
        assert!(minutes(&of(Some(Duration::from_secs(1_800)))) >= Some(30));
        assert_eq!(in_minutes(Duration::from_secs(120)), "about 2 minutes");
    }

    #[test]
    fn the_printed_command_survives_a_shell() {
        assert_eq!(quoted("/mnt/a"), "/mnt/a");
        assert_eq!(quoted("data,log=/mnt/a"), "data,log=/mnt/a");
        assert_eq!(quoted("=ls"), "'=ls'");
        assert_eq!(quoted("/mnt/my disk"), "'/mnt/my disk'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }

    #[cfg(target_os = "linux")]
    mod on_linux {
        use super::*;

        #[test]
        fn a_file_system_in_memory_is_noticed() {
            let memory = Path::new("/dev/shm");
            if !memory.is_dir() {
                return eprintln!("skipped: there is no /dev/shm");
            }
            let setup = look_at(&quick("sqlserver-log", "/dev/shm/iotrial-data"));
            match setup {
                Ok(setup) => assert!(is_in_memory(&setup)),
                Err(reason) => eprintln!("skipped: {reason}"),
            }
        }
    }
}
