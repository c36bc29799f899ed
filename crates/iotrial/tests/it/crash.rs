//! `iotrial verify crash`, as a user meets it: cuts of the process, which are the only ones that a test may make.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;

use serde_json::Value;

use crate::support::{Bench, Ran, start};

/// A folder on another device than the data: main memory.
struct Elsewhere(tempfile::TempDir);

impl Elsewhere {
    /// `None` where the system has no such place, which is said.
    fn new(test: &str) -> Option<Self> {
        let place = Path::new("/dev/shm");
        if !place.is_dir() {
            println!("skipped: {test}: there is no {}", place.display());
            return None;
        }
        Some(Self(tempfile::tempdir_in(place).unwrap()))
    }

    fn journal(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn target(bench: &Bench) -> PathBuf {
    bench.data().join("crash.iotrial")
}

/// The arguments of a writer on 64 pages, so that it comes around often.
fn arm<'a>(journal: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments =
        vec!["verify", "crash", "arm", "--target", "data", "--size", "1536KiB", "--quiet", "--journal"];
    arguments.push(text(journal));
    arguments.extend(more);
    arguments
}

fn check(bench: &Bench, journal: &Path, cut: &str) -> Ran {
    bench.run(&["verify", "crash", "check", text(journal), "--cut", cut, "--quiet", "--json"])
}

/// A writer that has so many entries in its journal.
fn armed(bench: &Bench, journal: &Path, entries: usize) -> Child {
    let mut child = start(&mut bench.interruptible(&arm(journal, &[])));
    until(&mut child, journal, entries);
    child
}

fn until(child: &mut Child, journal: &Path, entries: usize) {
    while entries_of(journal) < entries {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was cut");
        std::thread::yield_now();
    }
}

fn entries_of(journal: &Path) -> usize {
    fs::read_to_string(journal).map_or(0, |text| text.matches(" flushed ").count())
}

fn cut(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

fn kinds(checked: &Value) -> BTreeSet<&str> {
    checked["counts"].as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_writer_that_is_killed_at_any_moment_accuses_nobody() {
    let Some(elsewhere) = Elsewhere::new("a_writer_that_is_killed_at_any_moment_accuses_nobody") else {
        return;
    };
    let bench = Bench::new();
    for moment in 0..20 {
        let journal = elsewhere.journal(&moment.to_string());
        cut(armed(&bench, &journal, 1 + 7 * moment));
        let checked = check(&bench, &journal, "process").expect_code(4).json();
        assert_eq!(
            (&checked["outcome"], &checked["counts"]),
            (&"inconclusive".into(), &serde_json::json!({}))
        );
        assert_eq!(checked["pages_checked"], checked["armed"]["pages"]);
        let flight = |key: &str| checked["in_flight"][key].as_u64().unwrap();
        assert_eq!(flight("kept") + flight("missing") + flight("torn"), flight("writes"));
        assert!(checked["flushes"].as_u64().unwrap() >= 7 * moment as u64, "{checked}");
        assert_eq!(checked["ended"], Value::Null);
    }
}

#[test]
fn what_was_flushed_and_is_gone_is_found_and_the_check_changes_nothing() {
    let name = "what_was_flushed_and_is_gone_is_found_and_the_check_changes_nothing";
    let Some(elsewhere) = Elsewhere::new(name) else { return };
    let bench = Bench::new();
    let (journal, target) = (elsewhere.journal("j"), target(&bench));
    let mut child = armed(&bench, &journal, 2);
    let before = fs::read(&target).unwrap();
    // Two epochs later every page was written again.
    until(&mut child, &journal, 300);
    cut(child);
    let after = fs::read(&target).unwrap();
    // As if the storage had lost all of it. A later check of a process that was killed is a fault all the same.
    fs::write(&target, &before).unwrap();
    for cut in ["process", "guest", "host", "power"] {
        let checked = check(&bench, &journal, cut).expect_code(1).json();
        assert_eq!(checked["outcome"], "lost");
        assert!(kinds(&checked).is_subset(&BTreeSet::from(["lost-write", "torn-write"])), "{checked}");
        assert!(checked["counts"]["lost-write"].as_u64().unwrap() > 50, "{checked}");
    }
    assert_eq!(fs::read(&target).unwrap(), before);
    fs::write(&target, &after).unwrap();
    let whole = check(&bench, &journal, "process").expect_code(4).json();
    assert_eq!(kinds(&whole), BTreeSet::new());
    // This host still runs, so that neither it nor a guest was cut.
    let remarks = |cut: &str, code| {
        let checked = check(&bench, &journal, cut).expect_code(code).json();
        checked["remarks"].as_array().unwrap().iter().any(|one| one == "host-stayed-up")
    };
    assert!(!remarks("process", 4) && remarks("guest", 4) && remarks("host", 4) && remarks("power", 4));
    // Of one page, and of the header, which is no page.
    let mut damaged = after.clone();
    let last = damaged.len() - 4096;
    damaged[last..].fill(0);
    damaged[..4096].fill(0);
    fs::write(&target, &damaged).unwrap();
    let checked = check(&bench, &journal, "power").expect_code(1).json();
    assert_eq!(
        (kinds(&checked), &checked["counts"]["damaged-page"]),
        (BTreeSet::from(["damaged-page"]), &1.into())
    );
    // A check that is killed leaves everything as it was.
    let arguments = ["verify", "crash", "check", text(&journal), "--cut", "power"];
    for _ in 0..5 {
        cut(start(&mut bench.command(&arguments)));
        assert_eq!(fs::read(&target).unwrap(), damaged);
    }
    let page = bench.path().join("page.html");
    let shown =
        bench.run(&["verify", "crash", "check", text(&journal), "--cut", "power", "--html", text(&page)]);
    let shown = shown.expect_code(1);
    assert!(shown.stdout.lines().count() <= 24, "{}", shown.stdout);
    bench.expect_file("page.html", "<!doctype html>");
}

#[test]
fn a_journal_that_cannot_be_relied_upon_is_refused_before_anything_is_written() {
    let name = "a_journal_that_cannot_be_relied_upon_is_refused_before_anything_is_written";
    let Some(elsewhere) = Elsewhere::new(name) else { return };
    let bench = Bench::new();
    // On the device of the target: both are named.
    let beside = bench.path().join("j");
    let refused = bench.run(&arm(&beside, &[])).expect_code(2);
    assert!(
        refused.stderr.contains("crash.iotrial") && refused.stderr.contains(text(&beside)),
        "{}",
        refused.stderr
    );
    // One that is there already.
    let journal = elsewhere.journal("j");
    fs::write(&journal, "mine").unwrap();
    bench.run(&arm(&journal, &[])).expect_code(2);
    assert_eq!(fs::read_to_string(&journal).unwrap(), "mine");
    bench.run(&arm(&elsewhere.journal("no/j"), &[])).expect_code(2);
    bench.run(&arm(&elsewhere.journal("a"), &["--flush-every", "0"])).expect_code(2);
    bench.run(&arm(&elsewhere.journal("a"), &["--page-size", "3KiB"])).expect_code(2);
    assert!(bench.data_files().is_empty() && !beside.exists());
}

#[test]
fn a_target_or_a_journal_that_is_another_one_is_an_error_and_no_loss() {
    let name = "a_target_or_a_journal_that_is_another_one_is_an_error_and_no_loss";
    let Some(elsewhere) = Elsewhere::new(name) else { return };
    let bench = Bench::new();
    let (journal, target) = (elsewhere.journal("j"), target(&bench));
    let child = armed(&bench, &journal, 20);
    let refused = check(&bench, &journal, "process").expect_code(2);
    assert!(refused.stderr.contains("in use"), "{}", refused.stderr);
    cut(child);
    let whole = fs::read_to_string(&journal).unwrap();
    let refused = |name: &str, content: &str| {
        let path = elsewhere.journal(name);
        fs::write(&path, content).unwrap();
        assert!(check(&bench, &path, "power").expect_code(2).stdout.is_empty(), "{name}");
    };
    refused("empty", "");
    refused("begun", &whole[..40]);
    refused("foreign", "{\"format\": \"iotrial.run/1\"}\n");
    refused("newer", &whole.replacen("itj1", "itj7", 1));
    refused("damaged", &whole.replacen(" flushed ", " flusher ", 1));
    refused(
        "missing entry",
        &whole
            .lines()
            .enumerate()
            .filter(|(at, _)| *at != 3)
            .map(|(_, line)| format!("{line}\n"))
            .collect::<String>(),
    );
    refused("another place", &whole.replacen("data", "dbta", 1));
    assert!(
        bench
            .run(&["verify", "crash", "check", "nowhere", "--cut", "power"])
            .expect_code(2)
            .stdout
            .is_empty()
    );
    // An entry that a cut left in part is none.
    fs::write(elsewhere.journal("cut"), format!("{whole}itj1 flush")).unwrap();
    check(&bench, &elsewhere.journal("cut"), "process").expect_code(4);
    // Older than the target: the journal itself lost entries that it had.
    let old: String = whole.lines().take(5).map(|line| format!("{line}\n")).collect();
    fs::write(elsewhere.journal("old"), old).unwrap();
    let checked = check(&bench, &elsewhere.journal("old"), "power").expect_code(1).json();
    assert!(kinds(&checked).contains("future-write"), "{checked}");

    let bytes = fs::read(&target).unwrap();
    fs::write(&target, &bytes[..bytes.len() - 4096]).unwrap();
    assert!(check(&bench, &journal, "power").expect_code(2).stderr.contains("bytes"));
    // Nothing says that it is the one, until the user or its header does.
    let mut zeros = vec![0; bytes.len()];
    fs::write(&target, &zeros).unwrap();
    assert!(check(&bench, &journal, "power").expect_code(2).stdout.is_empty());
    let named =
        ["verify", "crash", "check", text(&journal), "--cut", "power", "--quiet", "--json", "--target"];
    let lost = bench.run(&[&named[..], &[text(&target)]].concat()).expect_code(1).json();
    assert_eq!(
        (kinds(&lost), &lost["pages_checked"]),
        (BTreeSet::from(["damaged-page"]), &lost["counts"]["damaged-page"])
    );
    zeros[..4096].copy_from_slice(&bytes[..4096]);
    fs::write(&target, &zeros).unwrap();
    check(&bench, &journal, "power").expect_code(1);
    fs::remove_file(&target).unwrap();
    assert!(check(&bench, &journal, "power").expect_code(2).stderr.contains("missing"));
    fs::create_dir(&target).unwrap();
    assert!(check(&bench, &journal, "power").expect_code(2).stdout.is_empty());
    fs::remove_dir(&target).unwrap();
    // Where it is now, if it has another name.
    let moved = bench.path().join("moved");
    fs::write(&moved, &bytes).unwrap();
    let here =
        ["verify", "crash", "check", text(&journal), "--cut", "process", "--quiet", "--target", "moved"];
    bench.run(&here).expect_code(4);
    // Armed once more in its place.
    let next = elsewhere.journal("next");
    bench.run(&arm(&next, &["--duration", "100ms"])).expect_code(0);
    assert!(check(&bench, &journal, "power").expect_code(2).stderr.contains("another run"));
    let ended = check(&bench, &next, "process").expect_code(4).json();
    assert_eq!((&ended["ended"], &ended["in_flight"]["writes"]), (&"stopped".into(), &0.into()));
}

#[test]
fn a_journal_on_another_host_has_what_the_writer_sends_and_nothing_else() {
    let name = "a_journal_on_another_host_has_what_the_writer_sends_and_nothing_else";
    let Some(elsewhere) = Elsewhere::new(name) else { return };
    let bench = Bench::new();
    let journal = elsewhere.journal("j");
    let program = env!("CARGO_BIN_EXE_iotrial");
    let writer = format!(
        "echo hello; {program} {}; echo bye; exit 7",
        arm(Path::new("-"), &["--duration", "200ms"]).join(" ")
    );
    let keep = |journal: &Path, command: &str| {
        bench.run(&["verify", "crash", "keep", text(journal), "--", "sh", "-c", command])
    };
    let kept = keep(&journal, &writer).expect_code(7);
    assert!(
        kept.stdout.is_empty() && kept.stderr.contains("hello") && kept.stderr.contains("bye"),
        "{}",
        kept.stderr
    );
    let lines = fs::read_to_string(&journal).unwrap();
    assert!(lines.lines().all(|line| line.starts_with("itj1 ")) && lines.lines().count() > 2);
    let checked = check(&bench, &journal, "process").expect_code(4).json();
    assert_eq!((kinds(&checked), &checked["ended"]), (BTreeSet::new(), &"stopped".into()));
    let piped = format!("{program} verify crash check - --cut process --quiet < {}", text(&journal));
    assert_eq!(bench.command(&[]).arg("--version").status().unwrap().code(), Some(0));
    let shell =
        std::process::Command::new("sh").args(["-c", &piped]).current_dir(bench.path()).output().unwrap();
    assert_eq!(shell.status.code(), Some(4), "{shell:?}");
    // Never over another one, and no entry that was damaged on its way.
    keep(&journal, &writer).expect_code(2);
    assert_eq!(fs::read_to_string(&journal).unwrap(), lines);
    let first = lines.lines().next().unwrap();
    let damaged = format!(
        "printf '%s\\n' '{first}'; read answer; printf 'itj1 flushed 1 2 3 00000000\\n'; read answer; echo never"
    );
    let refused = keep(&elsewhere.journal("damaged"), &damaged).expect_code(3);
    assert!(!refused.stderr.contains("never\n"), "{}", refused.stderr);
    // Whoever does not acknowledge gets no further entry.
    let silent = format!("{program} {} < /dev/null | grep -c flushed", arm(Path::new("-"), &[]).join(" "));
    let silent =
        std::process::Command::new("sh").args(["-c", &silent]).current_dir(bench.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&silent.stdout).trim(), "0");
}

#[test]
fn a_writer_that_is_stopped_says_what_its_journal_has() {
    let Some(elsewhere) = Elsewhere::new("a_writer_that_is_stopped_says_what_its_journal_has") else {
        return;
    };
    let bench = Bench::new();
    let journal = elsewhere.journal("j");
    let ran = bench.run(&arm(
        &journal,
        &["--duration", "200ms", "--page-size", "16KiB", "--durability", "dsync", "--json"],
    ));
    let ran = ran.expect_code(0).json();
    assert_eq!((&ran["ended"], &ran["armed"]["page_bytes"]), (&"stopped".into(), &16_384.into()));
    assert_eq!(ran["is_interrupted"], false);
    // Each write is durable by itself, so that no flush was timed.
    assert_eq!(ran["flush_p50_ns"], Value::Null);
    let checked = check(&bench, &journal, "process").expect_code(4).json();
    assert_eq!(checked["flushed_writes"], ran["flushed_writes"]);
    let interrupted = elsewhere.journal("interrupted");
    let child = armed(&bench, &interrupted, 5);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = Ran::from(child.wait_with_output().unwrap()).expect_code(130);
    assert!(output.stdout.contains("verify crash check"), "{}", output.stdout);
    assert_eq!(check(&bench, &interrupted, "process").expect_code(4).json()["ended"], "stopped");
    // The file is one of iotrial's, which `clean` knows.
    bench.run(&["clean", "data", "--yes"]).expect_code(0);
    assert!(bench.data_files().is_empty());
}
