//! What people type who know another tool, and what it is called here; put into the message that a command line is wrong.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use clap::{Command, Error};
use iotrial_model::builtin::builtin_profiles;
use iotrial_model::toml_reader::nearest;

use crate::shell_line::quoted;

/// Words that are no part of this command line but of another, and what is said of them.
struct Habit {
    /// Options, with their dashes, and commands.
    typed: &'static [&'static str],
    /// The commands in which they mean this; none for all.
    commands: &'static [&'static str],
    /// One tip each.
    tips: &'static [&'static str],
}

/// The commands that make a load.
const LOADS: &[&str] = &["run", "sweep"];

const OWN_PROFILE: &str =
    "to change a load: `iotrial profiles NAME > mine.toml`, then `iotrial run ./mine.toml`";
const FIO_JOB: &str = "to run a job of fio as it is: `iotrial run --fio-job 'fio --bs=8k …'`";

/// Options of fio and diskspd, and words that many programs have. The first row that fits counts.
const HABITS: &[Habit] = &[
    Habit {
        typed: &["--bs", "--blocksize", "--block-size", "--bssplit", "-b"],
        commands: &[],
        tips: &["one block size: `iotrial sweep --pattern randread-8k`", OWN_PROFILE, FIO_JOB],
    },
    Habit {
        typed: &["--rw", "--readwrite", "--rwmixread", "--rwmixwrite", "-r", "-w"],
        commands: &[],
        tips: &["one mix of reads and writes: `iotrial sweep --pattern randrw70-8k`", OWN_PROFILE, FIO_JOB],
    },
    Habit {
        typed: &["--iodepth", "--numjobs", "--threads", "--jobs"],
        commands: &[],
        tips: &["a series of depths: `iotrial sweep --grid 1,2,4,8,16,32`", OWN_PROFILE, FIO_JOB],
    },
    Habit {
        typed: &["-o"],
        commands: LOADS,
        tips: &[
            "outstanding I/Os, as in diskspd: `iotrial sweep --grid 1,2,4,8,16,32`",
            "a page or a file of the result: --html FILE, --xlsx FILE, --markdown FILE, --csv FILE, --json",
        ],
    },
    Habit {
        typed: &["--output", "--out", "-o", "--format", "--output-format", "-f"],
        commands: &[],
        tips: &["a page or a file: --html FILE, --xlsx FILE, --markdown FILE, --csv FILE, --json"],
    },
    Habit {
        typed: &["--pdf"],
        commands: &[],
        tips: &["write a page with --html FILE, and print it from the browser as PDF"],
    },
    Habit {
        typed: &["--filename", "--directory", "--file", "--dir", "--path", "--device"],
        commands: &[],
        tips: &["the place to test is --target PATH: a directory, a file or a device"],
    },
    Habit { typed: &["--direct", "-S"], commands: &[], tips: &["I/O is direct unless --buffered is given"] },
    Habit {
        typed: &["--ioengine"],
        commands: &[],
        tips: &["--engine uring or --engine threads; the best that works here is the default"],
    },
    Habit { typed: &["--ramp_time", "--warmup", "-W"], commands: &[], tips: &["--ramp TIME, such as 5s"] },
    Habit { typed: &["-c"], commands: LOADS, tips: &["the size of the test files is --size, such as 2GiB"] },
    Habit {
        typed: &["--rate_iops", "--rate-iops", "--rate", "--iops", "-g"],
        commands: LOADS,
        tips: &["can it sustain a rate? `iotrial run --need 20000iops`"],
    },
    Habit {
        typed: &["--iops"],
        commands: &["size"],
        tips: &["`iotrial size --read 14000iops@8KiB --write 6000iops@8KiB`"],
    },
    Habit {
        typed: &["--latency_target", "--latency_percentile", "--latency"],
        commands: LOADS,
        tips: &["the highest rate within a latency: `iotrial run --latency-limit 2ms@p99`"],
    },
    Habit {
        typed: &[
            "--time_based",
            "--group_reporting",
            "--norandommap",
            "--randrepeat",
            "--percentile_list",
            "-L",
            "-D",
        ],
        commands: LOADS,
        tips: &["not needed: a load lasts its whole time, and latency is always recorded"],
    },
    Habit {
        typed: &["--profile", "-p"],
        commands: &["run"],
        tips: &["a profile is named without an option: `iotrial run oracle-oltp`"],
    },
    Habit { typed: &["--verbose", "-v"], commands: &[], tips: &["the version: `iotrial --version`"] },
    Habit { typed: &["version"], commands: &[], tips: &["`iotrial --version`"] },
    Habit {
        typed: &["explain"],
        commands: &[],
        tips: &["a term or an id: `iotrial help knee`", "a configuration: `iotrial size explain CONFIG`"],
    },
    Habit {
        typed: &["serve", "listen", "exporter", "--port"],
        commands: &[],
        tips: &["figures for Prometheus: `iotrial watch --listen 9464`, `iotrial run --listen 9464`"],
    },
    Habit {
        typed: &["update", "upgrade"],
        commands: &[],
        tips: &["iotrial does not replace itself: `iotrial docs install`"],
    },
    Habit {
        typed: &["test", "bench", "benchmark", "start", "measure"],
        commands: &[],
        tips: &["`iotrial run`"],
    },
    Habit {
        typed: &["fio", "diskspd"],
        commands: &[],
        tips: &["a job of fio: `iotrial run --fio-job FILE`", "results: `iotrial import FILE`"],
    },
    Habit { typed: &["delete"], commands: &[], tips: &["`iotrial remove RESULT`"] },
];

/// Other names of databases, in small letters, and how the names of their profiles begin.
const DATABASES: &[(&str, &str)] = &[
    ("mssql", "sqlserver"),
    ("sql-server", "sqlserver"),
    ("tsql", "sqlserver"),
    ("pg", "postgresql"),
    ("pgsql", "postgresql"),
    ("mariadb", "mysql"),
    ("innodb", "mysql"),
    ("wiredtiger", "mongodb"),
    ("slob", "oracle-slob"),
];

/// What a value of this kind needs behind a bare number.
const UNITS: &[(&str, &str)] = &[("TIME", "s"), ("LIMIT", "s"), ("SIZE", "GiB")];

/// The message about a wrong command line, with what it should have been where that is known, and without guesses that are none.
pub fn advised(mut usage: Error, words: &[String], program: Command) -> Error {
    let text = |kind| match usage.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let argument = text(ContextKind::InvalidArg);
    let tips =
        match (text(ContextKind::InvalidValue), argument.clone().or(text(ContextKind::InvalidSubcommand))) {
            (Some(value), _) => {
                let tip = |argument: String| {
                    unit_for(&argument, &value).or_else(|| without_rules(&argument, &value))
                };
                argument.and_then(tip).into_iter().collect()
            }
            (None, Some(unknown)) => {
                let tips: Vec<String> = match size_by_rate(words) {
                    Some(tip) if unknown.starts_with("--iops") => vec![tip],
                    _ => of_habit(&unknown, words).iter().map(|tip| (*tip).to_owned()).collect(),
                };
                if drop_guesses(&mut usage, &unknown, !tips.is_empty()) {
                    // It was that of the option that clap guessed.
                    let line = ContextValue::StyledStr(asked_for(program, words).render_usage());
                    usage.insert(ContextKind::Usage, line);
                }
                tips
            }
            (None, None) => Vec::new(),
        };
    if !tips.is_empty() {
        let tips = tips.into_iter().map(StyledStr::from).collect();
        usage.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    usage
}

/// The name of a profile, unless it is another name of a database that has some.
pub fn profile(name: &str) -> Result<String, String> {
    let lower = name.to_lowercase();
    let meant = match DATABASES.iter().find(|(known, _)| *known == lower) {
        Some((_, begins)) => *begins,
        None if lower != name && !lower.is_empty() => &*lower,
        None => return Ok(name.to_owned()),
    };
    let names = builtin_profiles().iter().map(|one| one.name).filter(|one| one.starts_with(meant));
    match &names.collect::<Vec<_>>()[..] {
        [] => Ok(name.to_owned()),
        names => Err(format!("give the name of a profile: {}", names.join(", "))),
    }
}

/// A rate without its mix, as `size` takes it: the rest of the line stays as it is.
fn size_by_rate(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| word == "--iops" || word.starts_with("--iops="))?;
    let (rate, behind) = match words[at].split_once('=') {
        Some((_, rate)) => (rate, at + 1),
        None => (words.get(at + 1)?.as_str(), at + 2),
    };
    let (number, times) = match rate.trim_end_matches("iops").trim_end_matches(['k', 'K']) {
        number if rate.to_lowercase().contains('k') => (number, 1e3),
        number => (number, 1.0),
    };
    let iops = times * number.replace([',', '_'], "").parse::<f64>().ok().filter(|iops| *iops >= 10.0)?;
    let rest = words[..at].iter().chain(words.iter().skip(behind)).map(|word| quoted(word));
    // Seven of ten I/Os of most databases are reads.
    let (reads, writes) = ((0.7 * iops).round(), iops.round() - (0.7 * iops).round());
    (words[0] == "size").then(|| {
        format!(
            "iotrial {} --read {reads:.0}iops@8KiB --write {writes:.0}iops@8KiB   # 70 % reads of 8 KiB: change it to yours",
            rest.collect::<Vec<_>>().join(" ")
        )
    })
}

/// What is said of a word that this command line does not know.
fn of_habit(word: &str, words: &[String]) -> &'static [&'static str] {
    let word = word.split('=').next().unwrap_or_default();
    let fits = |habit: &&Habit| {
        let is_here = habit.commands.is_empty() || words.iter().any(|one| habit.commands.contains(&&**one));
        is_here && habit.typed.contains(&word)
    };
    HABITS.iter().find(fits).map(|habit| habit.tips).unwrap_or_default()
}

/// What a bare number was meant to be; the argument is the option with its placeholder, such as `--duration <TIME>`.
fn unit_for(argument: &str, value: &str) -> Option<String> {
    let (option, placeholder) = argument.split_once(' ')?;
    let placeholder = placeholder.trim_matches(['[', ']', '<', '>']);
    let (_, usual) = UNITS.iter().find(|(name, _)| *name == placeholder)?;
    // Results are looked back at for days, and loads last seconds.
    let unit = if option == "--since" { "d" } else { *usual };
    let number = value.parse::<f64>().ok()?;
    // There is no use for a file or a map of nothing.
    Some(if number == 0.0 && placeholder == "SIZE" {
        format!("give a size above zero, such as `{option} 2GiB`, or leave it out")
    } else {
        format!("did you mean `{option} {value}{unit}`?")
    })
}

/// What is said of a database that iotrial makes loads of, and has no rules or limits of its own for.
fn without_rules(argument: &str, value: &str) -> Option<String> {
    let value = value.to_lowercase();
    let is_database =
        !value.is_empty() && builtin_profiles().iter().any(|one| one.name.split('-').next() == Some(&value));
    (argument.starts_with("--for ") && is_database).then(|| {
        format!(
            "there is nothing for {value} alone: leave --for out, and what holds for all databases applies"
        )
    })
}

/// Leaves of what clap suggests only what may have been a slip: it sees likeness where nobody else does. Tells whether an option is no
/// longer suggested.
fn drop_guesses(usage: &mut Error, word: &str, is_known: bool) -> bool {
    let name = word.trim_start_matches('-');
    let is_like =
        |guess: &String| !is_known && nearest(name, [guess.trim_start_matches('-')].into_iter()).is_some();
    if let Some(ContextValue::Strings(mut guesses)) = usage.remove(ContextKind::SuggestedSubcommand) {
        guesses.retain(is_like);
        if !guesses.is_empty() {
            usage.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(guesses));
        }
    }
    // How an option could be passed as a value: nobody means that.
    if let Some(ContextValue::StyledStrs(mut tips)) = usage.remove(ContextKind::Suggested) {
        tips.retain(|tip| !word.starts_with('-') || !tip.to_string().starts_with("to pass "));
        if !tips.is_empty() {
            usage.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    match usage.remove(ContextKind::SuggestedArg) {
        Some(ContextValue::String(guess)) if is_like(&guess) => {
            usage.insert(ContextKind::SuggestedArg, ContextValue::String(guess));
            false
        }
        guess => guess.is_some(),
    }
}

/// The command that the words name.
fn asked_for(mut program: Command, words: &[String]) -> Command {
    program.build();
    let mut command = program;
    for word in words.iter().filter(|word| !word.starts_with('-')) {
        match command.find_subcommand(word) {
            Some(below) => command = below.clone(),
            None => break,
        }
    }
    command
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use clap::error::ErrorKind;

    use super::*;
    use crate::cli::{Cli, program};

    /// The message about a line, as far as it can be asked: the kind, and the tips.
    fn asked(line: &str) -> (ErrorKind, String) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let usage = program().try_get_matches_from(&words).expect_err(line);
        let usage = advised(usage, &words[1..], program());
        assert_eq!(usage.exit_code(), 2, "{line}");
        let shown = usage.render().to_string();
        (usage.kind(), shown)
    }

    /// A command line that has a word which another tool knows.
    fn line(habit: &Habit, word: &str) -> String {
        let command = habit.commands.first().copied().unwrap_or("run");
        if word.starts_with('-') { format!("iotrial {command} {word}") } else { format!("iotrial {word}") }
    }

    #[test]
    fn every_habit_is_answered_with_its_tips_alone() {
        for habit in HABITS {
            for word in habit.typed {
                // Where a command has a row of its own for the word, this one is for the others.
                let line = line(habit, word);
                let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
                let line = if of_habit(word, &words) == habit.tips {
                    line
                } else {
                    format!("iotrial report x {word}")
                };
                let (kind, shown) = asked(&line);
                assert!(matches!(kind, ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand), "{line}");
                for tip in habit.tips {
                    assert!(shown.contains(&format!("tip: {tip}")), "{line}: {shown}");
                }
                assert_eq!(shown.matches("tip:").count(), habit.tips.len(), "{line}: {shown}");
            }
        }
    }

    #[test]
    fn a_rate_to_size_by_becomes_the_line_that_asks_for_it() {
        for (line, reads, writes) in [
            ("iotrial size --iops 20000 --capacity 2TiB", "14000iops@8KiB", "6000iops@8KiB"),
            ("iotrial size --capacity 2TiB --iops=25k", "17500iops@8KiB", "7500iops@8KiB"),
        ] {
            let (_, shown) = asked(line);
            let tip = shown.lines().find_map(|line| line.trim().strip_prefix("tip: ")).unwrap();
            let command: Vec<&str> = tip.split("   #").next().unwrap().split(' ').collect();
            assert_eq!(
                command,
                ["iotrial", "size", "--capacity", "2TiB", "--read", reads, "--write", writes]
            );
            assert!(program().try_get_matches_from(&command).is_ok(), "{tip}");
        }
    }

    #[test]
    fn what_a_tip_names_exists() {
        let mut program = Cli::command();
        program.build();
        let has = |long: &str| {
            let of = |command: &Command| command.get_arguments().any(|arg| arg.get_long() == Some(long));
            of(&program) || program.get_subcommands().any(of)
        };
        let tips = HABITS.iter().flat_map(|habit| habit.tips);
        let longs =
            tips.flat_map(|tip| tip.split([' ', '`', '\'', ','])).filter_map(|word| word.strip_prefix("--"));
        let missing: Vec<&str> = longs.filter(|long| !long.starts_with("bs=") && !has(long)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        for (_, begins) in DATABASES {
            assert!(builtin_profiles().iter().any(|one| one.name.starts_with(begins)), "{begins}");
        }
    }

    #[test]
    fn a_word_with_a_value_is_known_by_its_name() {
        for word in ["--direct=1", "-w30", "-o32", "-b8K", "--iodepth=32"] {
            let (_, shown) = asked(&format!("iotrial run {word}"));
            assert!(shown.contains("tip:") && !shown.contains("--quiet"), "{shown}");
            assert!(shown.contains("Usage: iotrial run [OPTIONS] [PROFILE]"), "{shown}");
        }
    }

    #[test]
    fn a_number_without_a_unit_is_answered_with_one() {
        let check = |line: &str, meant: &str| {
            let (kind, shown) = asked(line);
            assert_eq!(kind, ErrorKind::ValueValidation, "{line}");
            assert!(shown.contains(&format!("`{meant}`")), "{line}: {shown}");
        };
        check("iotrial run -d 60", "--duration 60s");
        check("iotrial run -d60", "--duration 60s");
        check("iotrial watch --runtime 90", "--duration 90s");
        check("iotrial run --until-steady 60", "--until-steady 60s");
        check("iotrial run -s 2", "--size 2GiB");
        check("iotrial verify --map-memory 0", "--map-memory 2GiB");
        check("iotrial run --ramp 0", "--ramp 0s");
        check("iotrial records --since 7", "--since 7d");
        assert!(!asked("iotrial run -d soon").1.contains("tip:"));
        assert!(asked("iotrial check --for etcd").1.contains("tip: there is nothing for etcd alone"));
        assert!(!asked("iotrial check --for etdc").1.contains("tip: there is nothing"));
        assert!(program().try_get_matches_from(["iotrial", "check", "--for", "SQLServer"]).is_ok());
    }

    #[test]
    fn only_what_may_be_a_slip_is_suggested() {
        let is_suggested = |line: &str, what: &str| {
            let (_, shown) = asked(line);
            assert!(shown.contains(&format!("exists: '{what}'")), "{line}: {shown}");
        };
        is_suggested("iotrial run --durtion 5s", "--duration");
        is_suggested("iotrial study x.toml --resum", "--resume");
        is_suggested("iotrial recrods", "records");
        for line in [
            "iotrial run --lunch",
            "iotrial size --noise",
            "iotrial zzz",
            "iotrial compare a --mood",
            "iotrial run -z",
        ] {
            let (_, shown) = asked(line);
            assert!(!shown.contains("tip:"), "{line}: {shown}");
        }
    }

    #[test]
    fn another_name_of_a_database_lists_its_profiles() {
        let check = |name: &str, expected: &[&str]| {
            let told = profile(name).unwrap_err();
            for one in expected {
                assert!(told.contains(one), "{name}: {told}");
            }
        };
        check("mssql", &["sqlserver-oltp", "sqlserver-log"]);
        check("SQLServer", &["sqlserver-oltp"]);
        check("mariadb", &["mysql-oltp"]);
        for name in ["etcd", "oracle-oltp", "./Mine.toml", "nothing", ""] {
            assert_eq!(profile(name), Ok(name.to_owned()));
        }
        assert_eq!(asked("iotrial run mssql").0, ErrorKind::ValueValidation);
    }

    #[test]
    fn names_that_other_tools_have_for_the_same_are_taken() {
        for line in [
            "iotrial run --runtime 60s",
            "iotrial run --time 60s",
            "iotrial ls",
            "iotrial list",
            "iotrial rm last",
        ] {
            assert!(program().try_get_matches_from(line.split(' ')).is_ok(), "{line}");
        }
    }
}
