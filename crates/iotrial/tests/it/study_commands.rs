//! The commands of a study, and what kills it: attached configurations are detached, and nothing is measured twice.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};

use crate::support::{Bench, Ran};
use serde_json::Value;

/// Two simulated devices whose commands write down what they were called for.
const STUDY: &str = r#"
format = "iotrial.study/1"
name = "sims"
title = "With commands"
profiles = ["sqlserver-log", "postgresql-oltp"]
repeats = 3

[load]
engine = "sim"
ramp = "0s"
duration = "2s"

[[configuration]]
label = "with commands"
attributes = { volumes = 3, "free key" = "x" }
targets = ["a", "b c"]
before = 'echo "attach $IOTRIAL_STUDY/$IOTRIAL_LABEL/$IOTRIAL_REPEAT/$IOTRIAL_ATTRIBUTE_VOLUMES/$IOTRIAL_ATTRIBUTE_FREE_KEY" "$IOTRIAL_TARGETS" | tee -a log'
after = 'echo detach $IOTRIAL_REPEAT >> log'

[[configuration]]
label = "plain"
"#;

fn write(bench: &Bench, text: &str) {
    std::fs::write(bench.path().join("study.toml"), text).unwrap();
}

#[track_caller]
fn with(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

fn run(bench: &Bench, more: &[&str]) -> Ran {
    bench.run(&[&["study", "study.toml", "--json"], more].concat())
}

/// What the commands wrote down.
fn log(bench: &Bench) -> Vec<String> {
    let text = std::fs::read_to_string(bench.path().join("log")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn count(status: &Value, label: &str, state: &str) -> usize {
    let cells = status["cells"].as_array().unwrap();
    cells.iter().filter(|cell| cell["label"] == label && cell["state"] == state).count()
}

/// Complete records of the store, by configuration, profile and repeat.
fn complete_records(bench: &Bench) -> BTreeMap<(String, String, u64), usize> {
    let mut counts = BTreeMap::new();
    for path in bench.stored(".iotrial.json") {
        let record: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        if record["ended"]["how"] == "complete" {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let study = &record["study"];
            let cell = (text(&record["label"]), text(&study["profile"]), study["repeat"].as_u64().unwrap());
            *counts.entry(cell).or_default() += 1;
        }
    }
    counts
}

#[test]
fn commands_need_consent_and_are_shown_before_anything_is_done() {
    let bench = Bench::new();
    write(&bench, STUDY);
    let ran = run(&bench, &[]).expect_code(2);
    for part in [
        "before `with commands`: echo",
        "after `with commands`: echo detach",
        "no terminal to confirm",
        "hint: read them, and add --yes",
    ] {
        assert!(ran.stderr.contains(part), "{part} is missing in:\n{}", ran.stderr);
    }
    assert!(log(&bench).is_empty() && bench.stored(".study").is_empty() && bench.stored(".json").is_empty());
}

#[test]
fn commands_frame_the_loads_of_a_round_and_are_told_what_it_is_about() {
    let bench = Bench::new();
    write(&bench, STUDY);
    let ran = run(&bench, &["--yes"]).expect_code(0);
    assert_eq!(ran.json()["complete"], true);
    let expected: Vec<String> = (1..=3)
        .flat_map(|repeat| {
            [
                format!("attach sims/with commands/{repeat}/3/x a"),
                "b c".to_owned(),
                format!("detach {repeat}"),
            ]
        })
        .collect();
    assert_eq!(log(&bench), expected);
    assert!(ran.stderr.contains("attach sims/with commands/1"), "their output is shown: {}", ran.stderr);
    // Nothing is missing, so nothing is attached.
    run(&bench, &["--resume"]).expect_code(0);
    assert_eq!(log(&bench), expected);
}

#[test]
fn a_command_before_that_fails_costs_its_configuration_and_the_command_after_runs_all_the_same() {
    let bench = Bench::new();
    let text = with(STUDY, "before = 'echo", "before = 'test -e ready && echo");
    write(&bench, &with(&text, ">> log'", ">> log; test -e ready'"));
    let ran = run(&bench, &["--yes"]).expect_code(3);
    let status = ran.json();
    assert_eq!((count(&status, "with commands", "failed"), count(&status, "plain", "done")), (6, 6));
    assert!(
        status["cells"][0]["reason"].as_str().unwrap().contains("the command before it failed"),
        "{}",
        status["cells"][0]
    );
    assert_eq!(log(&bench), ["detach 1", "detach 2", "detach 3"]);
    assert!(
        ran.stderr.contains("error: configuration `with commands`: the command before it failed"),
        "{}",
        ran.stderr
    );
    std::fs::write(bench.path().join("ready"), "").unwrap();
    assert_eq!(run(&bench, &["--resume", "--yes"]).expect_code(0).json()["complete"], true);
    assert_eq!(complete_records(&bench).len(), 12);
    assert!(complete_records(&bench).values().all(|count| *count == 1));
}

#[test]
fn a_command_after_that_fails_stops_the_study() {
    let bench = Bench::new();
    write(&bench, &with(STUDY, ">> log'", ">> log; test -e ready'"));
    let ran = run(&bench, &["--yes"]).expect_code(3);
    for part in ["configuration `with commands` could not be detached", "hint: the study stops"] {
        assert!(ran.stderr.contains(part), "{part} is missing in:\n{}", ran.stderr);
    }
    assert_eq!(count(&ran.json(), "with commands", "done"), 2);
    std::fs::write(bench.path().join("ready"), "").unwrap();
    let ran = run(&bench, &["--resume", "--yes"]).expect_code(0);
    assert!(ran.stderr.contains("`with commands` was left attached"), "{}", ran.stderr);
    assert_eq!(log(&bench).iter().filter(|line| *line == "detach 1").count(), 2);
    assert!(complete_records(&bench).values().all(|count| *count == 1));
}

#[test]
fn a_killed_study_detaches_what_it_left_and_measures_only_what_is_missing() {
    let bench = Bench::new();
    let kill = r#"before = 'if [ "$IOTRIAL_REPEAT" = 2 ] && ! [ -e killed ]; then touch killed; kill -9 $PPID; fi; echo"#;
    write(&bench, &with(STUDY, "before = 'echo", kill));
    let killed = run(&bench, &["--yes"]);
    assert_eq!(killed.code, -1, "{}", killed.stderr);
    let status = run(&bench, &["--status"]).expect_code(0).json();
    let done = status["done_count"].as_u64().unwrap();
    assert!((2..=8).contains(&done), "{status:#}");
    let resumed = run(&bench, &["--resume", "--yes"]).expect_code(0);
    assert!(resumed.stderr.contains("`with commands` was left attached"), "{}", resumed.stderr);
    assert!(resumed.stderr.contains(&format!("[1 of {}]", 12 - done)), "{}", resumed.stderr);
    assert_eq!(resumed.json()["complete"], true);
    let records = complete_records(&bench);
    assert_eq!((records.len(), records.values().sum::<usize>()), (12, 12));
}

#[test]
fn a_killed_study_that_begins_anew_detaches_what_it_left_as_it_was_attached() {
    let bench = Bench::new();
    write(
        &bench,
        &with(STUDY, "before = 'echo", "before = 'test -e killed || { touch killed; kill -9 $PPID; }; echo"),
    );
    assert_eq!(run(&bench, &["--yes"]).code, -1);
    let plain = STUDY.find("[[configuration]]\nlabel = \"plain\"").unwrap();
    let start = STUDY.find("[[configuration]]").unwrap();
    write(&bench, &[&STUDY[..start], &STUDY[plain..]].concat());
    let ran = run(&bench, &["--restart", "--yes"]).expect_code(0);
    assert!(ran.stderr.contains("`with commands` was left attached: runs echo detach"), "{}", ran.stderr);
    assert_eq!((ran.json()["complete"].as_bool(), bench.stored(".old-study").len()), (Some(true), 1));
    assert!(log(&bench).iter().any(|line| line.starts_with("detach")), "{:?}", log(&bench));
}

/// Kills the program after each number of lines that it says, until none is left to say.
#[test]
fn a_study_that_is_killed_again_and_again_measures_each_cell_once() {
    let bench = Bench::new();
    write(&bench, STUDY);
    let mut kill_count = 0;
    for line_count in 1.. {
        assert!(line_count < 200, "the study never ends");
        let mut child =
            bench.command(&["study", "study.toml", "--json", "--resume", "--yes"]).spawn().unwrap();
        // Both at once: the document is larger than what a pipe holds.
        let mut printed = child.stdout.take().unwrap();
        let document = std::thread::spawn(move || std::io::read_to_string(&mut printed).unwrap());
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        // Each time a little further than to the first measurement that is missing.
        let mut measured =
            lines.map_while(Result::ok).filter(|line| line.starts_with('[') || line.starts_with("after"));
        let was_seen = measured.nth(line_count % 4).is_some();
        if was_seen {
            child.kill().unwrap();
        }
        let code = child.wait().unwrap().code();
        let document = document.join().unwrap();
        if code == Some(0) {
            let document: serde_json::Value = serde_json::from_str(&document).unwrap();
            assert_eq!(document["complete"], true);
            break;
        }
        assert_eq!(code, None, "it was killed");
        kill_count += 1;
    }
    assert!(kill_count >= 3, "{kill_count}");
    let records = complete_records(&bench);
    assert_eq!((records.len(), records.values().sum::<usize>()), (12, 12), "{records:?}");
    let lines = log(&bench);
    assert!(lines.last().unwrap().starts_with("detach"), "{lines:?}");
}

/// Sends Ctrl-C, as a script does it: to the program alone.
fn interrupt(program: &std::process::Child) {
    let sent = std::process::Command::new("kill").args(["-INT", &program.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_signal_stops_the_study_after_the_command_that_detaches_and_a_second_one_at_once() {
    for count in [1, 2] {
        stopped_while_it_measures(count);
    }
}

fn stopped_while_it_measures(signal_count: u32) {
    let bench = Bench::new();
    let real = with(STUDY, "engine = \"sim\"", "size = \"64MiB\"");
    let real = with(&real, "duration = \"2s\"", "duration = \"60s\"");
    let real = with(&real, "targets = [\"a\", \"b c\"]", "targets = [\"data\"]");
    let plain = real.find("[[configuration]]\nlabel = \"plain\"").unwrap();
    write(&bench, &real[..plain]);
    let mut child = bench.interruptible(&["study", "study.toml", "--json", "--yes"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("measure, 0:0")), "the study never measured");
    let rest = std::thread::spawn(move || lines.map(Result::unwrap).collect::<Vec<_>>());
    (0..signal_count).for_each(|_| interrupt(&child));
    let ran = Ran::from(child.wait_with_output().unwrap()).expect_code(130);
    assert_eq!((ran.json()["missing_count"].as_u64(), ran.json()["done_count"].as_u64()), (Some(6), Some(0)));
    assert!(log(&bench).last().unwrap().starts_with("detach 1"), "{:?}", log(&bench));
    assert!(bench.data_files().is_empty() && bench.stored(".journal").is_empty());
    let said = rest.join().unwrap().join("\n");
    assert!(said.contains("`iotrial study FILE --resume`"), "{said}");
    let shown = bench.run(&["report", "last", "--json"]).json();
    assert_eq!(shown["ended"], "interrupted", "{shown:#}");
}

#[test]
fn a_second_signal_ends_a_command_with_all_that_it_started_and_leaves_files_and_records_in_order() {
    let bench = Bench::new();
    // The first configuration is measured; the command of the second one waits for its child, which outlives no study.
    let waits = "before = 'test ! -e measured || { (sleep 60; echo survived >> log) & echo begun; wait; }; touch measured; echo";
    let text = with(STUDY, "before = 'echo", waits);
    let text = with(
        &text,
        "label = \"plain\"",
        &format!("label = \"plain\"\n{waits} plain >> log'\ntargets = [\"data\"]"),
    );
    let text = with(&text, "[\"sqlserver-log\", \"postgresql-oltp\"]", "[\"sqlserver-log\"]");
    let text = with(&text, "repeats = 3", "repeats = 1");
    let text = with(&text, "engine = \"sim\"", "size = \"32MiB\"");
    let text = with(&text, "duration = \"2s\"", "duration = \"1s\"");
    write(&bench, &with(&text, "[\"a\", \"b c\"]", "[\"data\"]"));
    let mut child = bench.interruptible(&["study", "study.toml", "--json", "--yes"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "begun"), "the second configuration never came");
    interrupt(&child);
    assert!(lines.any(|line| line.starts_with("stopping after")), "the first signal was not heard");
    interrupt(&child);
    let ran = Ran::from(child.wait_with_output().unwrap()).expect_code(130);
    // Whoever still ran would hold this pipe, to which commands write, and say so in the end.
    let said: Vec<String> = lines.collect();
    assert!(!log(&bench).iter().any(|line| line == "survived"), "{said:#?}");
    assert_eq!((ran.json()["done_count"].as_u64(), ran.json()["missing_count"].as_u64()), (Some(1), Some(1)));
    assert!(bench.data_files().is_empty() && bench.stored(".journal").is_empty(), "{said:#?}");
    assert_eq!(bench.run(&["report", "last", "--json"]).json()["ended"], "complete");
    std::fs::remove_file(bench.path().join("measured")).unwrap();
    assert_eq!(run(&bench, &["--yes", "--resume"]).expect_code(0).json()["complete"], true);
}

#[test]
fn two_programs_do_not_carry_out_one_study_at_once() {
    let bench = Bench::new();
    let again = format!(
        "before = '{} study study.toml --resume --yes > inner 2>&1; echo $? >> inner; echo",
        env!("CARGO_BIN_EXE_iotrial")
    );
    write(&bench, &with(STUDY, "before = 'echo", &again));
    assert_eq!(run(&bench, &["--yes"]).expect_code(0).json()["complete"], true);
    let inner = std::fs::read_to_string(bench.path().join("inner")).unwrap();
    assert!(
        inner.contains("another iotrial is carrying out the study `sims`") && inner.ends_with("3\n"),
        "{inner}"
    );
    assert!(complete_records(&bench).values().all(|count| *count == 1));
}

#[test]
fn each_load_of_a_study_can_be_a_search_for_the_rate_that_holds_a_latency() {
    let bench = Bench::new();
    let study = with(STUDY, "duration = \"2s\"\n", "duration = \"2s\"\nlatency_limit = \"5ms@p99\"\n");
    let study = with(
        &study,
        "profiles = [\"sqlserver-log\", \"postgresql-oltp\"]\nrepeats = 3",
        "profiles = [\"postgresql-oltp\"]\nrepeats = 1",
    );
    let study = with(&study, "before = ", "# ");
    let study = with(&study, "after = ", "# ");
    write(&bench, &study);
    run(&bench, &["--yes"]).expect_code(0);
    let records = bench.stored(".iotrial.json");
    assert_eq!(records.len(), 2);
    for path in records {
        let record: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(record["search"]["limit"], "5ms@p99", "{}", record["search"]);
        assert!(record["search"]["probes"].as_array().unwrap().len() > 2);
        assert_eq!(record["study"]["name"], "sims");
    }
}

#[test]
fn what_is_wrong_with_the_places_of_a_new_study_is_told_without_lines_of_a_file_that_nobody_has() {
    let bench = Bench::new();
    let refused = bench.run(&["study", "new", "a", "a"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("another configuration already has the label `a`"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("line "), "{}", refused.stderr);
}

#[test]
fn what_a_killed_study_left_is_detached_also_when_another_target_is_refused() {
    for again in ["--resume", "--restart"] {
        let bench = Bench::new();
        let text = with(
            STUDY,
            "before = 'echo",
            "before = 'test -e killed || { touch killed; kill -9 $PPID; }; echo",
        );
        let text = with(&text, "label = \"plain\"", "label = \"plain\"\ntargets = [\"later\"]");
        // Real files, so that the targets are looked at.
        let text = with(&text, "engine = \"sim\"", "size = \"64MiB\"");
        let text = with(&text, "[\"sqlserver-log\", \"postgresql-oltp\"]", "[\"sqlserver-log\"]");
        let text = with(&text, "[\"a\", \"b c\"]", "[\"data\"]");
        write(&bench, &text);
        std::fs::create_dir(bench.path().join("later")).unwrap();
        assert_eq!(run(&bench, &["--yes"]).code, -1);
        std::fs::remove_dir(bench.path().join("later")).unwrap();
        std::fs::write(bench.path().join("later"), "somebody's").unwrap();
        let ran = run(&bench, &["--yes", again]);
        assert_ne!(ran.code, 0, "{}", ran.stderr);
        // The command that was killed with its study may go on to the end of its line.
        let detached =
            || log(&bench).into_iter().filter(|line| line.starts_with("detach")).collect::<Vec<_>>();
        assert_eq!(detached(), ["detach 1"], "{again}: {}", ran.stderr);
        assert!(ran.stderr.contains("later"), "why it did not go on: {}", ran.stderr);
        // Once is enough.
        run(&bench, &["--yes", "--resume"]);
        assert_eq!(detached(), ["detach 1"], "{again}");
    }
}

/// A study of real files whose command after the load lists what lies at the target then.
fn of_real_files(bench: &Bench, commands: &str) {
    let text = format!(
        "format = \"iotrial.study/1\"\nname = \"real\"\ntitle = \"Real files\"\nprofiles = [\"sqlserver-log\"]\nrepeats = 1\n\
         [load]\nsize = \"16MiB\"\nramp = \"0s\"\nduration = \"2s\"\n\
         [[configuration]]\nlabel = \"a\"\ntargets = [\"data\"]\n{commands}\n"
    );
    write(bench, &text);
}

/// Kills a study while its first load is measured, with its files at the target.
fn kill_in_a_load(bench: &Bench) {
    let mut child = bench.command(&["study", "study.toml", "--json", "--yes"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("measure, 0:0")), "the study never measured");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!bench.data_files().is_empty());
}

#[test]
fn what_a_killed_load_left_goes_with_the_study_that_is_resumed_and_before_its_command() {
    let listed = "before = \"true\"\nafter = \"ls data >> listed\"";
    for (commands, way) in [(listed, "--resume"), ("", "--resume"), (listed, "--restart"), ("", "--restart")]
    {
        let bench = Bench::new();
        of_real_files(&bench, commands);
        kill_in_a_load(&bench);
        // A file that another run kept there is that run's.
        let kept = "run postgresql-oltp --target data --size 16MiB --ramp 0s --duration 1s --closed --keep-files --quiet";
        bench.run(&kept.split(' ').collect::<Vec<_>>());
        let theirs = |path: &std::path::PathBuf| !path.to_string_lossy().contains("sql-log");
        let before: Vec<_> = bench.data_files().into_iter().filter(theirs).collect();
        assert_eq!(run(&bench, &[way, "--yes"]).expect_code(0).json()["complete"], true);
        let after = bench.data_files();
        assert_eq!(
            after.iter().filter(|path| theirs(path)).count(),
            before.len(),
            "{way} {commands}: {after:?}"
        );
        assert_eq!(after.len(), before.len(), "{way} {commands}: {after:?}");
        // Detached twice: what was left attached, and what was attached again.
        let listed = std::fs::read_to_string(bench.path().join("listed")).unwrap_or_default();
        assert_eq!(
            listed.lines().count(),
            if commands.is_empty() { 0 } else { 2 * before.len() },
            "{way}: {listed}"
        );
    }
}

#[test]
fn of_studies_that_begin_at_once_one_measures_and_the_others_say_so() {
    let bench = Bench::new();
    let hold = "before = 'while ! [ -e go ]; do sleep 0.05; done; echo";
    write(&bench, &with(STUDY, "before = 'echo", hold));
    let (ends, ended) = std::sync::mpsc::channel();
    for _ in 0..4 {
        let (child, ends) =
            (bench.command(&["study", "study.toml", "--json", "--yes"]).spawn().unwrap(), ends.clone());
        std::thread::spawn(move || ends.send(Ran::from(child.wait_with_output().unwrap())));
    }
    // The one that carries it out waits for its command, and the others end.
    let others = [(); 3].map(|()| ended.recv().unwrap());
    std::fs::write(bench.path().join("go"), "").unwrap();
    for other in others {
        assert_eq!(other.code, 3, "{}", other.stderr);
        assert!(
            other.stderr.contains("another iotrial is carrying out the study `sims`, which was begun at 2"),
            "{}",
            other.stderr
        );
        assert!(other.stderr.contains("hint: --status shows"), "{}", other.stderr);
    }
    let one = ended.recv().unwrap().expect_code(0);
    assert_eq!(one.json()["complete"], true);
}
