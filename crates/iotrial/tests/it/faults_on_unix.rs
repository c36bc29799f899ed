//! Faults as Unix has them: signals, pipes that nobody reads, names that are not text, and files that are links.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use crate::support::{Bench, Ran};
use serde_json::Value;

/// A run that goes on for a minute, seen to be in its measured phase.
fn running(bench: &Bench, more: &[&str]) -> Child {
    let arguments = [
        "run",
        "--closed",
        "--target",
        "data",
        "--size",
        "32MiB",
        "--ramp",
        "0s",
        "--duration",
        "60s",
        "--json",
    ];
    let mut child = bench.interruptible(&[&arguments[..], more].concat()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("measure, 0:0")), "the run never measured");
    // Whoever writes into a closed pipe is told so; the program must not mind.
    std::thread::spawn(move || lines.for_each(drop));
    child
}

fn signal(child: &Child, name: &str) {
    let status = std::process::Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn a_killed_run_leaves_a_readable_record_up_to_the_last_interval() {
    let bench = Bench::new();
    let mut child = running(&bench, &[]);
    assert_eq!(bench.stored(".journal").len(), 1);
    // What is shown of an interval comes before it is written.
    let written = || std::fs::read_to_string(&bench.stored(".journal")[0]).unwrap();
    let begin = std::time::Instant::now();
    while !written().lines().any(|line| line.contains("\"phase\":\"measure\"") && line.ends_with('}')) {
        assert!(begin.elapsed().as_secs() < 60, "no interval was written");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // Whatever the host had it write until then: each interval is a line, and the last one may be torn.
    let journal = std::fs::read_to_string(&bench.stored(".journal")[0]).unwrap();
    let whole = journal.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok());
    let measured: f64 = whole.filter(|line| line.contains("\"phase\":\"measure\"")).map(|_| 1.0).sum();
    assert!(measured > 0.0, "{journal}");
    let records = bench.run(&["records", "--json"]).expect_code(0).json();
    assert_eq!(records[0]["ended"], "interrupted");
    assert_eq!(bench.stored(".journal").len(), 0);
    let shown = bench.run(&["report", records[0]["id"].as_str().unwrap(), "--json"]).expect_code(4).json();
    let shown_s = shown["measured_s"].as_f64().unwrap();
    assert!((shown_s - measured).abs() < 0.5, "{shown_s} of {measured} s");
    assert!(shown["total"]["read"]["io_count"].as_u64().unwrap() > 0);
    // Its files are still there; the next command finds and removes them.
    assert!(!bench.data_files().is_empty());
    bench.run(&["clean", "data", "--yes"]).expect_code(0);
    assert!(bench.data_files().is_empty());
}

#[test]
fn a_signal_stops_cleanly_and_two_end_at_once_both_with_a_record() {
    for names in [&["-INT"][..], &["-TERM"], &["-INT", "-INT"]] {
        let bench = Bench::new();
        let child = running(&bench, &[]);
        names.iter().for_each(|name| signal(&child, name));
        let ran = Ran::from(child.wait_with_output().unwrap()).expect_code(130);
        let summary: Value = ran.json();
        assert_eq!(summary["ended"], "interrupted", "{names:?}");
        assert_eq!(summary["verdict"]["outcome"], "inconclusive");
        assert!(bench.data_files().is_empty(), "{names:?}");
        assert_eq!((bench.stored(".iotrial.json").len(), bench.stored(".journal").len()), (1, 0));
        // The report of it has the same two lines, and what shows the rest; it was not stopped itself.
        let report = bench.run(&["report", "last"]).expect_code(4).stdout;
        assert_eq!(report.lines().filter(|line| !line.is_empty()).count(), 3, "{report}");
        let details = bench.run(&["report", "last", "--details"]).expect_code(4).stdout;
        assert!(details.lines().count() > 10, "{details}");
    }
}

/// A command that is stopped when its first load has begun: what it printed.
fn stopped(bench: &Bench, arguments: &[&str]) -> String {
    let mut child = bench.interruptible(arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let is_of_load = |line: String| line.starts_with("ramp, 0:0") || line.starts_with("measure, 0:0");
    assert!(lines.any(is_of_load), "{arguments:?} never came so far");
    std::thread::spawn(move || lines.for_each(drop));
    signal(&child, "-INT");
    let ran = Ran::from(child.wait_with_output().unwrap()).expect_code(130);
    assert!(bench.data_files().is_empty() && bench.stored(".journal").is_empty(), "{arguments:?}");
    ran.stdout
}

#[test]
fn who_stops_a_run_a_need_a_sweep_or_a_study_reads_two_lines_and_gets_130() {
    let real = ["--target", "data", "--size", "32MiB", "--ramp", "0s"];
    let run = [&["run", "--closed", "--duration", "60s"], &real[..]].concat();
    let need = [&["run", "--need", "100iops", "--duration", "60s"], &real[..]].concat();
    let sweep = [
        "sweep",
        "--pattern",
        "randread-8k",
        "--target",
        "data",
        "--size",
        "32MiB",
        "--grid",
        "1",
        "--step",
        "60s",
    ];
    for arguments in [&run[..], &need, &sweep] {
        let bench = Bench::new();
        let shown = stopped(&bench, arguments);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 2, "{shown}");
        assert!(lines[0].starts_with("stopped ") && lines[0].ends_with("files removed"), "{shown}");
        assert_eq!(lines[1], format!("again: iotrial {}", arguments.join(" ")));
    }
    let bench = Bench::new();
    std::fs::create_dir(bench.path().join("other")).unwrap();
    let new = [
        "study",
        "new",
        "data",
        "other",
        "--profile",
        "sqlserver-log",
        "--duration",
        "60s",
        "--size",
        "32MiB",
    ];
    std::fs::write(bench.path().join("study.toml"), bench.run(&new).expect_code(0).stdout).unwrap();
    let shown = stopped(&bench, &["study", "study.toml"]);
    assert_eq!(shown.lines().count(), 2, "{shown}");
    assert!(shown.ends_with("again: iotrial study study.toml --resume\n"), "{shown}");
    assert_eq!(std::fs::read_dir(bench.path().join("other")).unwrap().count(), 0);
}

#[test]
fn the_report_of_a_stopped_verify_says_how_the_same_is_begun_again() {
    let bench = Bench::new();
    let arguments = ["verify", "--target", "data", "--size", "32MiB", "--duration", "60s", "--ramp", "0s"];
    stopped(&bench, &arguments);
    let report = bench.run(&["report", "last"]).stdout;
    let again = report.lines().find_map(|line| line.strip_prefix("again: iotrial ")).unwrap();
    let words: Vec<&str> = again.split_whitespace().collect();
    assert_eq!(words[0], "verify", "{again}");
    let plan = |words: &[&str]| {
        let plan = bench.run(&[words, &["--dry-run", "--json"]].concat()).expect_code(0).json();
        let measured =
            plan["phases"].as_array().unwrap().iter().find(|phase| phase["kind"] == "measure").cloned();
        (plan["areas"].clone(), measured.unwrap())
    };
    assert_eq!(plan(&words).1, plan(&arguments).1, "{again}");
    assert_eq!(plan(&words).0, plan(&arguments).0, "{again}");
}

#[test]
fn an_argument_that_is_not_text_is_named_in_one_line() {
    use std::os::unix::ffi::OsStrExt as _;
    let bench = Bench::new();
    let name = std::ffi::OsStr::from_bytes(b"nu/a\xff.json");
    let ran = Ran::from(bench.command(&["report"]).arg(name).output().unwrap()).expect_code(2);
    assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(r"`nu/a\xff.json`"), "{}", ran.stderr);
    assert!(!ran.stderr.contains(r"\n"), "{}", ran.stderr);
}

#[test]
fn a_record_that_the_store_did_not_take_is_named_by_its_file() {
    let bench = Bench::new();
    let elsewhere = bench.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let arguments =
        ["run", "--closed", "--target", "data", "--size", "32MiB", "--ramp", "0s", "--duration", "2s"];
    let mut child = bench.interruptible(&arguments).env("TMPDIR", &elsewhere).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("measure, 0:0")), "the run never measured");
    std::fs::rename(bench.store(), bench.path().join("gone")).unwrap();
    std::thread::spawn(move || lines.for_each(drop));
    let ran = Ran::from(child.wait_with_output().unwrap()).expect_code(3);
    let more = ran.stdout.lines().find_map(|line| line.strip_prefix("More: iotrial ")).unwrap();
    bench.run(&more.split_whitespace().collect::<Vec<_>>()).expect_code(4);
    assert!(more.contains("elsewhere/"), "{more}");
}

#[test]
fn a_signal_that_was_ignored_when_the_program_began_does_not_end_a_run() {
    let bench = Bench::new();
    let mut shell = std::process::Command::new("sh");
    let line = format!(
        "trap '' HUP INT; exec {} run --closed --target data --size 32MiB --ramp 0s --duration 6s --json",
        env!("CARGO_BIN_EXE_iotrial")
    );
    shell.args(["-c", &line]).env("IOTRIAL_STORE", bench.store()).current_dir(bench.path());
    let mut child = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("measure, 0:0")), "the run never measured");
    std::thread::spawn(move || lines.for_each(drop));
    // `nohup` in a terminal that closes, and a job of a script in the background.
    signal(&child, "-HUP");
    signal(&child, "-INT");
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.json()["ended"], "complete", "{}", ran.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_whose_name_is_not_text_is_refused_before_anything_is_made() {
    use std::os::unix::ffi::OsStrExt as _;
    let bench = Bench::new();
    let odd = bench.path().join(std::ffi::OsStr::from_bytes(b"odd-\xff\xfe"));
    for is_there in [false, true] {
        if is_there {
            std::fs::create_dir(&odd).unwrap();
        }
        let mut command = bench.command(&["run", "--size", "32MiB", "--duration", "1s", "--target"]);
        let output = command.arg(&odd).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("is not valid UTF-8") && error.contains("hint:"), "{error}");
        assert!(!bench.store().exists() || std::fs::read_dir(bench.store()).unwrap().count() == 0);
    }
    assert_eq!(std::fs::read_dir(&odd).unwrap().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn reports_and_stores_may_have_names_that_are_not_text() {
    use std::os::unix::ffi::OsStrExt as _;
    let bench = Bench::new();
    for option in ["--html", "--xlsx", "--markdown", "--csv", "--store"] {
        let odd =
            bench.path().join(std::ffi::OsStr::from_bytes(&[b"odd-\xff\xfe", option.as_bytes()].concat()));
        let mut command = bench.command(&[
            "run",
            "--engine",
            "sim",
            "--closed",
            "--duration",
            "1s",
            "--ramp",
            "0s",
            "--quiet",
            option,
        ]);
        let output = command.arg(&odd).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 1 | 4)), "{option}: {} {error}", output.status);
        assert!(odd.exists(), "{option}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("next: iotrial "), "{option}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error_and_a_full_disk_is_one() {
    let bench = Bench::new();
    bench.run(&["run", "--closed", "--engine", "sim", "--duration", "1s", "--quiet", "--json"]);
    for arguments in [&["profiles"][..], &["records", "--json"], &["completions", "bash"], &["report", "0"]] {
        let mut command = bench.command(arguments);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = Ran::from(command.stdout(writer).output().unwrap());
        assert!(
            matches!(ran.code, 0 | 4) && !ran.stderr.contains("panicked"),
            "{arguments:?}: {}",
            ran.stderr
        );
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let ran = Ran::from(command.stdout(full).output().unwrap()).expect_code(3);
        assert!(ran.stderr.contains("cannot write to standard output"), "{}", ran.stderr);
        assert!(ran.stderr.contains("\nhint: "), "{}", ran.stderr);
    }
}

#[test]
fn a_run_goes_on_and_cleans_up_when_nobody_listens_to_its_progress() {
    let bench = Bench::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let run = [
        "run",
        "--closed",
        "--target",
        "data",
        "--size",
        "32MiB",
        "--ramp",
        "0s",
        "--duration",
        "1s",
        "--json",
    ];
    let ran = Ran::from(bench.command(&run).stderr(writer).output().unwrap());
    assert_eq!(ran.json()["ended"], "complete");
    assert!(bench.data_files().is_empty());
}

/// Whether a process catches SIGINT by now, which is signal 2.
#[cfg(target_os = "linux")]
fn catches_interrupts(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(caught.trim(), 16).is_ok_and(|mask| mask & 0b10 != 0)
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_while_a_load_waits_for_a_quiet_host_leaves_nothing() {
    let of_run: &[&str] = &["run", "--closed", "--size", "32MiB"];
    let of_sweep: &[&str] = &["sweep", "--pattern", "randread-8k", "--size", "32MiB"];
    for arguments in [of_run, of_sweep] {
        let bench = Bench::new();
        let more = ["--target", "data", "--wait-for-quiet", "10m", "--json"];
        let child = bench.interruptible(&[arguments, &more].concat()).spawn().unwrap();
        // The first look alone takes seconds.
        let begin = std::time::Instant::now();
        while !catches_interrupts(&child) {
            assert!(begin.elapsed().as_secs() < 60, "it never caught signals");
            std::thread::yield_now();
        }
        signal(&child, "-INT");
        let ran = Ran::from(child.wait_with_output().unwrap()).expect_code(130);
        let own: Vec<&str> = ran.stderr.lines().filter(|line| !is_of_wait(line)).collect();
        assert_eq!((ran.stdout.as_str(), own.len()), ("", 2), "{}", ran.stderr);
        assert_eq!(bench.data_files(), Vec::<std::path::PathBuf>::new());
        assert_eq!((bench.stored(".iotrial.json").len(), bench.stored(".journal").len()), (0, 0));
    }
}

/// What is said of a host that is busy before the wait begins.
#[cfg(target_os = "linux")]
fn is_of_wait(line: &str) -> bool {
    line.starts_with("busy host: ") || line.starts_with("waiting until ")
}
