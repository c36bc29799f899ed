//! Two places compared: a study of both, written to a file and measured.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use dialoguer::Select;
use dialoguer::theme::Theme;
use iotrial_model::need::Need;
use iotrial_model::units::format_duration;
use iotrial_session::setup::Setup;
use iotrial_session::store::Store;

use super::place::{Place, ask_place};
use super::{Answers, ask_need, ask_profile, confirmed, ended, in_minutes, look_at};
use crate::cli::{Cli, Command, StoreArgs, StudyNewArgs};
use crate::command::study;
use crate::failure::{Failure, NOT_CARRIED_OUT};
use crate::output::{self, harmless, say};
use crate::shell_line::quoted;
use crate::store::open_store_to_read;

/// What each is good for, how often each place is measured, and for how long.
const HOW_OFTEN: &[(&str, u32, Option<Duration>)] = &[
    ("shows large differences: 3 times each", 3, None),
    ("shows small differences: 5 times each", 5, None),
    ("the same, measuring 5 min each time", 5, Some(Duration::from_secs(300))),
];

/// The study that the answers come to.
struct Comparison {
    profile: &'static str,
    targets: [String; 2],
    need: Option<Need>,
    repeats: u32,
    duration: Option<Duration>,
}

/// Asks for two places, prints the commands, and measures them in turn.
pub(super) fn two_places(theme: &dyn Theme) -> Result<ExitCode, Failure> {
    let profile = ask_profile(theme).map_err(ended)?;
    let [one, other] = ask_places(theme, profile).map_err(ended)?;
    let need = ask_need(theme, profile, &one.target).map_err(ended)?;
    let targets = [one.target.clone(), other.target.clone()];
    let asked = Comparison { profile, targets, need, repeats: 3, duration: None };
    let (comparison, question) = asked.ask_how_often(theme).map_err(ended)?;
    // To look only: nothing is made before the last question is answered.
    let store = open_store_to_read(&StoreArgs::default())?;
    let (name, file) = free_name(&store);
    let [make, measure] = comparison.commands(&name, &file);
    output::lines(format_args!("\n  {}\n  {}\n", harmless(&make), harmless(&measure)));
    if !confirmed(theme, &question).map_err(ended)? {
        say!("nothing was written");
        return Ok(ExitCode::from(NOT_CARRIED_OUT));
    }
    study::write_new(&comparison.study(&name), &file)?;
    // By its own command line, so that what was printed is what is done.
    match Cli::parse_from(["iotrial".into(), "study".into(), file.into_os_string()]).command {
        Some(Command::Study(args)) => study::study(&args),
        _ => unreachable!("it is the command line of a study"),
    }
}

/// Two places that are not the same one.
fn ask_places(theme: &dyn Theme, profile: &'static str) -> dialoguer::Result<[Place; 2]> {
    let one = ask_place(theme, profile, "First directory", "./iotrial-data")?;
    loop {
        let other = ask_place(theme, profile, "Second directory", "./iotrial-data-2")?;
        if is_same(&one.target, &other.target) {
            say!("that is the first directory");
            continue;
        }
        let shared = other.devices.iter().find(|device| one.devices.contains(device));
        if let Some(device) = shared {
            say!("  note: both are on {device}, so a difference between them is not one between disks");
        }
        return Ok([one, other]);
    }
}

/// Whether two names are those of one directory, also of one that is still to be made.
fn is_same(one: &str, other: &str) -> bool {
    let place = |text: &str| {
        let path = std::path::absolute(text).unwrap_or_else(|_| PathBuf::from(text));
        // One that is still to be made has at least a directory above it.
        let in_parent = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
        path.canonicalize().ok().or_else(in_parent).unwrap_or(path)
    };
    place(one) == place(other)
}

/// A name that no study of the store and no file here has: `comparison`, `comparison-2`.
fn free_name(store: &Store) -> (String, PathBuf) {
    let names = std::iter::once("comparison".to_owned()).chain((2..).map(|n| format!("comparison-{n}")));
    let file = |name: String| (PathBuf::from(format!("{name}.toml")), name);
    let is_free = |(file, name): &(PathBuf, String)| !file.exists() && !store.study_journal(name).exists();
    let (file, name) = names.map(file).find(is_free).expect("numbers do not end");
    (name, file)
}

impl Comparison {
    /// Asks how often, with what each answer comes to; and the last question.
    fn ask_how_often(self, theme: &dyn Theme) -> dialoguer::Result<(Self, String)> {
        let time = |repeats: u32, duration: Option<Duration>| {
            let of = |target: &String| {
                let answers =
                    Answers { need: self.need.clone(), duration, ..Answers::quick(self.profile, target) };
                // Without a need a study makes the load as the profile has it, and looks for no rate.
                let one = |setup: Setup| match self.need {
                    Some(_) => setup.expected_time(),
                    None => setup.expected_layout_time() + setup.plan.duration(),
                };
                look_at(&answers).map(|setup| repeats * one(setup))
            };
            self.targets.iter().map(of).sum::<Result<Duration, String>>().ok()
        };
        let item = |(name, repeats, duration): &(&str, u32, Option<Duration>)| match time(*repeats, *duration)
        {
            Some(time) => format!("{name} ({} in all)", in_minutes(time)),
            None => (*name).to_owned(),
        };
        let items: Vec<String> = HOW_OFTEN.iter().map(item).collect();
        let chosen =
            Select::with_theme(theme).with_prompt("How often").items(&items).default(0).interact()?;
        let (_, repeats, duration) = HOW_OFTEN[chosen];
        let all =
            time(repeats, duration).map_or_else(String::new, |time| format!(", {} in all", in_minutes(time)));
        let question = format!("Measure both in turn, {repeats} times each{all}");
        Ok((Self { repeats, duration, ..self }, question))
    }

    fn study(&self, name: &str) -> StudyNewArgs {
        StudyNewArgs {
            targets: self.targets.to_vec(),
            profiles: vec![self.profile.to_owned()],
            repeats: self.repeats,
            name: name.to_owned(),
            size: None,
            duration: self.duration,
            need: self.need.clone(),
        }
    }

    /// The commands that do the same.
    fn commands(&self, name: &str, file: &Path) -> [String; 2] {
        let [one, other] = self.targets.each_ref().map(|target| quoted(target));
        let mut make =
            format!("iotrial study new {one} {other} --profile {} --repeats {}", self.profile, self.repeats);
        if name != "comparison" {
            make += &format!(" --name {name}");
        }
        if let Some(need) = &self.need {
            make += &format!(" --need {}", quoted(&need.to_string()));
        }
        if let Some(duration) = self.duration {
            make += &format!(" --duration {}", format_duration(duration));
        }
        [format!("{make} > {}", file.display()), format!("iotrial study {}", file.display())]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::cli::StudyCommand;

    #[test]
    fn the_printed_commands_make_the_study_that_is_measured() {
        for (need, duration) in [(None, None), (Some(Need::Total(5_000.0)), Some(Duration::from_secs(300)))] {
            let targets = ["/mnt/a".to_owned(), "/mnt/b".to_owned()];
            let comparison = Comparison { profile: "etcd", targets, need, repeats: 5, duration };
            for name in ["comparison", "comparison-3"] {
                let [make, _] = comparison.commands(name, Path::new("c.toml"));
                let (make, _) = make.split_once(" > ").unwrap();
                let Some(Command::Study(args)) = Cli::try_parse_from(make.split(' ')).unwrap().command else {
                    panic!("{make}")
                };
                let Some(StudyCommand::New(args)) = args.command else { panic!("{make}") };
                assert_eq!(args, comparison.study(name), "{make}");
            }
        }
    }

    #[test]
    fn one_directory_by_two_names_is_one() {
        assert!(is_same("./new", "new/") && is_same("src/../new", "new") && !is_same("new", "newer"));
        assert!(is_same("/tmp/../tmp", "/tmp") && !is_same("/tmp", "/"));
    }
}
