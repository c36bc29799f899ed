//! What is put into a command line, and what is not.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use std::fs;
use std::path::Path;

use crate::settings::{Form, SETTINGS, Source, in_force_of};

fn program() -> Command {
    let mut program = Cli::command();
    program.build();
    program
}

#[test]
fn every_setting_stands_for_an_option_of_each_command_that_it_names() {
    let program = program();
    for setting in &SETTINGS {
        assert!(argument_in(&program, setting).is_some(), "{}", setting.key);
        for name in setting.commands {
            let command =
                name.split(' ').fold(&program, |command, word| command.find_subcommand(word).unwrap());
            assert!(argument_of(command, name, setting).is_some(), "{name} has no {}", setting.key);
        }
        for long in setting.not_beside {
            let has = |command: &Command| command.get_arguments().any(|one| one.get_long() == Some(long));
            assert!(program.get_subcommands().any(has), "{}: {long}", setting.key);
        }
    }
}

fn value(key: &str, words: &[&str]) -> Value {
    let setting = SETTINGS.iter().find(|setting| setting.key == key).unwrap();
    let words = words.iter().map(OsString::from).collect();
    Value { setting, words, source: Source::Environment(setting.variable()) }
}

/// The line as it is carried out, with these settings.
#[track_caller]
fn check_line(line: &str, settings: &[Value], expected: &str) {
    let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
    let program = program();
    let matches = Cli::command().try_get_matches_from(&typed).unwrap();
    let asked = Asked::of(&program, &matches).unwrap();
    let found = InForce { values: settings.to_vec(), ..InForce::default() };
    let mut words = typed.clone();
    let place = asked.place(&typed);
    words.splice(place..place, asked.chosen(&found).into_iter().flat_map(|value| asked.words(value)));
    let words: Vec<String> = words.into_iter().map(|word| word.into_string().unwrap()).collect();
    assert_eq!(words.join(" "), expected);
    Cli::command().try_get_matches_from(words).unwrap();
}

#[test]
fn what_is_typed_goes_before_what_is_set_and_a_list_is_replaced_as_a_whole() {
    let target = value("target", &["data=/mnt/a", "log=/mnt/b"]);
    let all = [target, value("thresholds", &["ours.toml"])];
    check_line(
        "iotrial run",
        &all,
        "iotrial run --target=data=/mnt/a --target=log=/mnt/b --thresholds=ours.toml",
    );
    check_line("iotrial run -t /x -q", &all, "iotrial run --thresholds=ours.toml -t /x -q");
    check_line(
        "iotrial run --until-steady -- etcd",
        &[value("label", &["a b"])],
        "iotrial run --label=a b --until-steady -- etcd",
    );
}

#[test]
fn a_setting_is_left_out_where_it_excludes_what_was_typed() {
    let thresholds = [value("thresholds", &["flash"])];
    check_line("iotrial watch --for oracle a.csv", &thresholds, "iotrial watch --for oracle a.csv");
    let profile = [value("profile", &["etcd"])];
    check_line("iotrial run", &profile, "iotrial run etcd");
    check_line("iotrial run mysql-oltp", &profile, "iotrial run mysql-oltp");
    check_line("iotrial run --fio-job a.fio", &profile, "iotrial run --fio-job a.fio");
    let folder = [value("html_folder", &["pages"])];
    check_line("iotrial run --html -", &folder, "iotrial run --html -");
    let target = [value("target", &["/mnt/a"])];
    check_line("iotrial check --list-rules", &target, "iotrial check --list-rules");
    check_line("iotrial check --root ./db01", &target, "iotrial check --root ./db01");
}

#[test]
fn each_command_takes_its_own_settings_alone() {
    let all = [
        value("target", &["data,log=/mnt/a", "tempdb=/mnt/a"]),
        value("label", &["x"]),
        value("currency", &["EUR"]),
        value("store", &["s"]),
    ];
    check_line("iotrial check", &all, "iotrial check --target=/mnt/a");
    check_line("iotrial records", &all, "iotrial records --store=s");
    check_line("iotrial size explain a.toml", &all, "iotrial size explain --currency=EUR --store=s a.toml");
    check_line("iotrial study new /a /b", &all, "iotrial study new /a /b");
    check_line("iotrial study add a.toml b", &all, "iotrial study add --store=s a.toml b");
}

#[test]
fn a_wrong_value_is_told_in_the_words_of_its_option() {
    let program = program();
    let wrong =
        |key: &str, word: &str| check(&program, value(key, &[]).setting, OsStr::new(word)).unwrap_err();
    assert!(wrong("database", "db2").contains("sqlserver, oracle"), "{}", wrong("database", "db2"));
    assert!(wrong("attributes", "volumes").contains("KEY=VALUE"));
    assert!(wrong("target", "lgo=/mnt/a").contains("`lgo` is not a role"));
    assert!(wrong("currency", "€").contains('€'));
}

#[test]
fn help_below_a_command_is_help_of_it() {
    let words = |line: &str| help_first(line.split(' ').map(OsString::from).collect()).join(OsStr::new(" "));
    assert_eq!(words("iotrial study help new"), "iotrial help study new");
    assert_eq!(words("iotrial run help"), "iotrial run help");
}

/// Everything of a command line that was not put in as the value of its own option: each other argument with its values, and where these
/// are from.
fn beside(asked: &Asked<'_>, setting: &Setting) -> Vec<String> {
    let own = asked.argument(setting).map(Arg::get_id);
    let arguments = asked.command.get_arguments().filter(|one| Some(one.get_id()) != own);
    let seen = |one: &Arg| {
        let id = one.get_id().as_str();
        let raw = asked.matches.try_get_raw(id).ok().flatten().map(|values| values.collect::<Vec<_>>());
        format!("{id} {:?} {raw:?}", asked.matches.value_source(id))
    };
    arguments.map(seen).collect()
}

/// What variable and file make of a text, where they do not refuse it.
fn read_as(program: &Command, setting: &'static Setting, text: &str, file: &Path) -> Vec<InForce> {
    let check = |setting: &Setting, word: &OsStr| check(program, setting, word);
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let (key, value) = (setting.key, quoted(text));
    let line = match setting.form {
        Form::One => format!("{key} = {value}"),
        Form::Several => format!("{key} = [{value}]"),
        Form::Pairs => {
            let (name, value) = text.split_once('=').unwrap();
            format!("{key} = {{ {} = {} }}", quoted(name), quoted(value))
        }
    };
    fs::write(file, line).unwrap();
    let of_variable = |name: &str| (name == setting.variable()).then(|| text.into());
    let of_file = in_force_of(&|_| None, vec![Source::Folder(file.to_owned())], &check);
    let all = [in_force_of(&of_variable, Vec::new(), &check), of_file];
    let all: Vec<InForce> =
        all.into_iter().filter_map(Result::ok).filter(|found| !found.values.is_empty()).collect();
    // The argument without a name of its own is the one that could be taken for an option.
    let is_option = |word: &OsString| setting.is_argument() && word.to_string_lossy().starts_with('-');
    assert!(
        !all.iter().flat_map(|found| &found.values).flat_map(|value| &value.words).any(is_option),
        "{text}"
    );
    all
}

#[test]
fn a_value_is_only_ever_the_value_of_its_own_option_whatever_it_is_called() {
    let program = program();
    // Every name that any command has: of options, with and without a value, and of the commands themselves.
    let mut words: Vec<String> = ["--", "-", "-h", "--help", "--version"].map(str::to_owned).to_vec();
    let mut commands = vec![("", &program)];
    let mut lines: Vec<String> = Vec::new();
    while let Some((above, command)) = commands.pop() {
        for below in command.get_subcommands() {
            lines.push(format!("{above} {}", below.get_name()).trim().to_owned());
            words.push(below.get_name().to_owned());
            commands.push((below.get_name(), below));
        }
        for argument in command.get_arguments() {
            for long in argument.get_long_and_visible_aliases().unwrap_or_default() {
                words.extend([format!("--{long}"), format!("--{long}=/etc/x.toml")]);
            }
            words.extend(argument.get_short().into_iter().flat_map(|c| [format!("-{c}"), format!("-{c}x")]));
        }
    }
    words.sort();
    words.dedup();
    // What the readers of variables and files take of them.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("iotrial.toml");
    let taken = |setting: &'static Setting| {
        let texts = words.iter().flat_map(|word| match setting.form {
            Form::Pairs => vec![format!("x={word}"), format!("{word}=x")],
            Form::One | Form::Several => vec![word.clone()],
        });
        texts.flat_map(|text| read_as(&program, setting, &text, &file)).collect::<Vec<_>>()
    };
    let taken: Vec<(&'static Setting, Vec<InForce>)> =
        SETTINGS.iter().map(|setting| (setting, taken(setting))).collect();
    // One for all: it takes longer to make than to read a line.
    let mut parser = program.clone();
    let mut tried = 0;
    for line in &lines {
        // What each command asks for, so that its line is whole without the settings.
        let found = |arguments: &str| {
            let typed: Vec<OsString> =
                format!("iotrial {line} {arguments}").split_whitespace().map(OsString::from).collect();
            let matches = program.clone().try_get_matches_from(&typed).ok()?;
            Some((typed, matches))
        };
        let usual = ["", "a", "a b", "a --label b", "--read 1iops@8KiB", "a --root b", "--target a"];
        let Some((typed, matches)) = usual.into_iter().find_map(found) else { continue };
        let Some(asked) = Asked::of(&program, &matches) else { continue };
        for (setting, all) in taken.iter().filter(|(setting, _)| asked.argument(setting).is_some()) {
            for found in all {
                let mut whole = typed.clone();
                let place = asked.place(&typed);
                let put_in: Vec<OsString> =
                    asked.chosen(found).into_iter().flat_map(|value| asked.words(value)).collect();
                whole.splice(place..place, put_in);
                // Two options that exclude each other are an error, and do nothing.
                let Ok(with) = parser.try_get_matches_from_mut(&whole) else { continue };
                let with = Asked::of(&program, &with).unwrap();
                assert_eq!(with.name, asked.name, "{whole:?}");
                assert_eq!(beside(&with, setting), beside(&asked, setting), "{whole:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 1_000, "{tried} of {} commands", lines.len());
}

#[test]
fn what_cannot_be_seen_is_no_part_of_a_value() {
    for setting in &SETTINGS {
        for hidden in ["x\nerror: forged", "\u{1b}[2J", "x\u{202e}y", "\r", "x\u{2028}"] {
            assert!(setting.check_is_value(OsStr::new(hidden)).is_err(), "{} {hidden:?}", setting.key);
        }
    }
}

#[test]
fn a_mistake_on_the_command_line_is_told_in_words_that_can_be_seen() {
    for typed in [["iotrial", "run", "--no\nsuch"], ["iotrial", "run", "--size=7\nerror: forged"]] {
        let words: Vec<OsString> = typed.map(OsString::from).to_vec();
        let usage = parse(words).unwrap().unwrap_err().render().to_string();
        assert!(usage.contains("\\n") && !usage.contains("\nerror: forged"), "{usage}");
    }
    // Here they are the mistake, and the whole message is one.
    let label = ["iotrial", "run", "--label", "x\nerror: forged"].map(OsString::from).to_vec();
    let told = parse(label).err().unwrap().to_string();
    assert!(!told.lines().any(|line| line.trim_start().starts_with("error: forged")), "{told}");
}
