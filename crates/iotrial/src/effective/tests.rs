//! What is put into a command line, and what is not.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::settings::{SETTINGS, Source};

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
