//! Studies as text and as journals.

use super::*;

const SMALLEST: &str = r#"
format = "iotrial.study/1"
name = "volumes"
title = "One volume or three"
profiles = ["sqlserver-oltp"]

[[configuration]]
label = "one"
targets = ["/mnt/one"]

[[configuration]]
label = "three"
targets = ["/mnt/a", "/mnt/b", "/mnt/c"]
"#;

fn study() -> Study {
    Study::parse(SMALLEST).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn changed(from: &str, to: &str) -> Result<Study, Mistakes> {
    assert!(SMALLEST.contains(from), "{from}");
    Study::parse(&SMALLEST.replacen(from, to, 1))
}

fn cell(label: &str, repeat: u32) -> Cell {
    Cell { label: label.to_owned(), profile: "sqlserver-oltp".to_owned(), repeat }
}

#[test]
fn the_smallest_study_has_the_defaults_of_the_documents() {
    let study = study();
    assert_eq!((study.repeats, study.idle, study.seed), (3, Duration::ZERO, 1));
    assert_eq!(study.load, StudyLoad::default());
    assert_eq!(study.cells().len(), 6);
}

#[test]
fn the_example_of_the_documentation_is_valid() {
    let documentation = include_str!("../../../../docs/study.md");
    let example = documentation.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let study = Study::parse(example).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert!(study.configurations.len() >= 3 && study.configurations.iter().any(|one| one.elsewhere));
}

const BY_ROLE: &str = "{ log = [\"/mnt/l\"], data = [\"/mnt/a\", \"/mnt/b\"], others = [\"/mnt/c\"] }";

#[test]
fn targets_of_roles_survive_a_round_trip_in_the_order_of_the_roles() {
    let study = changed("[\"/mnt/one\"]", BY_ROLE).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let named: Vec<String> = study.configurations[0].targets.iter().map(ToString::to_string).collect();
    assert_eq!(named, ["data=/mnt/a", "data=/mnt/b", "log=/mnt/l", "/mnt/c"]);
    let text = study.to_toml();
    assert!(text.contains("[configuration.targets]"), "{text}");
    assert_eq!(Study::parse(&text).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}")), study);
    let told = study.changes_since(&changed("[\"/mnt/one\"]", "[\"/mnt/a\"]").unwrap());
    let expected =
        "configuration `one`, targets: [/mnt/a] changed to [data=/mnt/a, data=/mnt/b, log=/mnt/l, /mnt/c]";
    assert_eq!(told, [expected]);
}

#[test]
fn a_part_that_is_exported_has_the_targets_by_role() {
    let mut study = study();
    study.configurations[0].elsewhere = true;
    // As the command line gives them: several roles in one word, in any order.
    study.configurations[0].targets = vec![
        GivenTarget { roles: vec![Role::Log, Role::Data], path: "/mnt/x".into() },
        GivenTarget { roles: vec![Role::Data], path: "/mnt/y".into() },
    ];
    let part = study.part(&study.configurations[0]);
    let named: Vec<String> = part.configurations[0].targets.iter().map(ToString::to_string).collect();
    assert_eq!(named, ["data=/mnt/x", "data=/mnt/y", "log=/mnt/x"]);
    assert_eq!(Study::parse(&part.to_toml()).unwrap(), part);
}

#[test]
fn every_mistake_names_its_place_and_what_to_write() {
    let check = |from: &str, to: &str, message: &str| {
        let told = changed(from, to).unwrap_err().to_string();
        assert!(told.contains(message), "{from} -> {to}: {told}");
    };
    check("\"three\"", "\"one\"", "line 12, column 9: another configuration already has the label `one`");
    check("\"volumes\"", "\"../volumes\"", "line 3, column 8: `name` must be up to 64 letters");
    check("[\"sqlserver-oltp\"]", "[]", "line 5, column 12: `profiles` needs at least one profile");
    check("[\"sqlserver-oltp\"]", "[\"a\", \"a\"]", "the profile `a` is named twice");
    check("[\"sqlserver-oltp\"]", "\"sqlserver-oltp\"", "`profiles` must be a list of strings");
    check("targets = [\"/mnt/one\"]", "", "line 8, column 9: `targets` is missing; `elsewhere = true` marks");
    check("targets = [\"/mnt/one\"]", "targets = []", "`targets` needs at least one path");
    check("\"one\"", "\" one\"", "`label` must be text without spaces");
    check("label = \"one\"", "lable = \"one\"", "unknown key `lable` (did you mean `label`?)");
    check("profiles =", "repeats = 0\nprofiles =", "`repeats` must be from 1 to 1000, not 0");
    check("profiles =", "idle = 60\nprofiles =", "a string with a unit, such as \"30s\"");
    check("label = \"one\"", "label = \"one\"\nsim = {}", "`sim` is for `engine = \"sim\"` in [load]");
    let simulated = SMALLEST.replacen("[[configuration]]", "[load]\nengine = \"sim\"\n[[configuration]]", 1);
    let told = |sim: &str| {
        let text = simulated.replacen("label = \"one\"", &format!("label = \"one\"\nsim = {sim}"), 1);
        Study::parse(&text).map_or_else(|mistakes| mistakes.to_string(), |_| "no mistake".to_owned())
    };
    assert!(told("{ parallelism = 0 }").contains("`sim`: `parallelism` must be from 1"));
    assert!(
        told("{ speed = 3 }").contains("line 11, column 9: `sim`: unknown field `speed`"),
        "{}",
        told("{ speed = 3 }")
    );
    assert_eq!(told("{ iops_cap = 2000.0 }"), "no mistake");
    let alone = SMALLEST.split("[[configuration]]").next().unwrap();
    assert!(Study::parse(alone).unwrap_err().to_string().contains("`configuration` is missing"));
}

#[test]
fn a_study_survives_its_text_form() {
    let text = r#"
format = "iotrial.study/1"
name = "whole"
title = "Every key: \"quoted\", and ''' too"
profiles = ["sqlserver-oltp", "./mine.toml"]
repeats = 4
idle = "1.5s"
seed = 99
[load]
full = true
size = "1000001B"
duration = "90s"
ramp = "1ms"
engine = "sim"
buffered = true
polled = true
latency_limit = "2ms@p99.9"
keep_files = true
thresholds = "./set.toml"
[[configuration]]
label = "a"
attributes = { volumes = 3, driver = "sr-iov", ratio = 0.5, "free key" = true }
sim = { service_time_us = 150.0, stalls = [{ start_s = 1.0, duration_s = 2.0 }] }
before = "mount /dev/x /mnt && echo 'ä'"
after = "umount /mnt"
[[configuration]]
label = "b"
elsewhere = true
[[embedded]]
name = "sqlserver-oltp"
text = "a = 'x'\nb = \"\"\"y\"\"\"\n"
thresholds = ""
"#;
    let study = Study::parse(text).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let again =
        Study::parse(&study.to_toml()).unwrap_or_else(|mistakes| panic!("{mistakes}\n{}", study.to_toml()));
    assert_eq!(again, study);
    let part = study.part(&study.configurations[1]);
    assert_eq!((part.name.as_str(), part.whole_name(), part.cells().len()), ("whole-b", "whole", 8));
    assert_eq!(Study::parse(&part.to_toml()).unwrap(), part);
}

#[test]
fn what_changed_is_told_and_what_is_only_written_otherwise_is_not() {
    let check = |from: &str, to: &str, told: &[&str]| {
        let now = changed(from, to).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        assert_eq!(now.changes_since(&study()), told, "{from} -> {to}");
    };
    check("title = ", "# a comment\ntitle   = ", &[]);
    check("profiles =", "repeats = 3\nprofiles =", &[]);
    check("profiles =", "repeats = 5\nprofiles =", &["repeats: 3 changed to 5"]);
    check("\"/mnt/one\"", "\"/mnt/1\"", &["configuration `one`, targets: [/mnt/one] changed to [/mnt/1]"]);
    check("\"one\"", "\"1\"", &["configuration `1` is new", "configuration `one` was removed"]);
    check(
        "[[configuration]]",
        "[load]\nsize = \"1GiB\"\n[[configuration]]",
        &["load.size: the default changed to 1 GiB"],
    );
}

/// The lines of a journal, and what it says.
fn read(lines: &[JournalLine]) -> Progress {
    let bytes: Vec<u8> = lines.iter().flat_map(JournalLine::to_bytes).collect();
    Progress::read(&bytes).unwrap().unwrap().0
}

fn head(study: &Study) -> JournalLine {
    JournalLine::Study {
        format: JOURNAL_FORMAT.to_owned(),
        id: "01J".to_owned(),
        at: "2026-01-01T00:00:00Z".to_owned(),
        text: study.to_toml(),
    }
}

fn done(cell: Cell) -> JournalLine {
    JournalLine::Done { record: format!("record of {}", cell.label), cell }
}

#[test]
fn a_journal_that_is_cut_anywhere_says_what_its_whole_lines_say() {
    let begun = JournalLine::Begun { cell: cell("one", 1), record: "r".to_owned() };
    let lines = [
        head(&study()),
        JournalLine::Attached { label: "one".to_owned() },
        begun,
        done(cell("one", 1)),
        JournalLine::Detached { label: "one".to_owned() },
    ];
    let bytes: Vec<u8> = lines.iter().flat_map(JournalLine::to_bytes).collect();
    let mut seen = std::collections::BTreeSet::new();
    for cut in 0..=bytes.len() {
        let Some((progress, whole)) = Progress::read(&bytes[..cut]).unwrap() else {
            assert!(cut < lines[0].to_bytes().len());
            continue;
        };
        assert!(whole <= cut && bytes[whole - 1] == b'\n');
        let is_done = matches!(progress.end_of(&cell("one", 1)), CellEnd::Done { .. });
        seen.insert((progress.attached().is_some(), progress.begun().is_some(), is_done));
    }
    let expected = [
        (false, false, false),
        (false, false, true),
        (true, false, false),
        (true, false, true),
        (true, true, false),
    ];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_done_counts_after_accepted_changes_that_do_not_touch_it() {
    let more = changed("profiles =", "repeats = 5\nprofiles =").unwrap();
    let other = changed("\"/mnt/one\"", "\"/mnt/1\"").unwrap();
    let is_done = |lines: &[JournalLine], label: &str| {
        matches!(read(lines).end_of(&cell(label, 1)), CellEnd::Done { .. })
    };
    let lines = [head(&study()), done(cell("one", 1)), done(cell("three", 1)), head(&more)];
    assert!(is_done(&lines, "one") && is_done(&lines, "three"));
    let lines = [head(&study()), done(cell("one", 1)), done(cell("three", 1)), head(&other)];
    assert!(!is_done(&lines, "one") && is_done(&lines, "three"));
    // What was begun for the earlier form and found to be done later belongs to the earlier one.
    let begun = JournalLine::Begun { cell: cell("one", 1), record: "r".to_owned() };
    let lines = [head(&study()), begun, head(&other), done(cell("one", 1))];
    assert!(!is_done(&lines, "one"));
}

#[test]
fn the_command_that_detaches_is_the_one_of_the_time_of_attaching() {
    let with_after = changed("\"one\"\n", "\"one\"\nafter = \"umount /mnt/one\"\n").unwrap();
    let attached = JournalLine::Attached { label: "one".to_owned() };
    let progress = read(&[head(&with_after), attached, head(&study())]);
    assert_eq!(progress.attached(), Some(("one", Some("umount /mnt/one"))));
}

#[test]
fn a_journal_of_something_else_is_refused() {
    let newer = String::from_utf8(head(&study()).to_bytes()).unwrap().replace("journal/1", "journal/2");
    for (text, message) in [
        ("{}\n", "line 1 cannot be read"),
        ("{\"line\":\"detached\",\"label\":\"one\"}\n", "does not begin with a study"),
        (newer.as_str(), "its format is `iotrial.study-journal/2`"),
        (
            "{\"line\":\"study\",\"format\":\"iotrial.study-journal/1\",\"id\":\"\",\"at\":\"\",\"text\":\"\"}\n",
            "holds no valid study",
        ),
    ] {
        assert!(Progress::read(text.as_bytes()).unwrap_err().to_string().contains(message), "{text}");
    }
    assert!(Progress::read(b"").unwrap().is_none() && Progress::read(b"{\"line\"").unwrap().is_none());
}
