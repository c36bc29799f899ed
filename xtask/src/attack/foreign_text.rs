//! Text of strangers on its way to the terminal: values and keys of files, names of files, arguments, records, journals.
//!
//! A valid file of each kind is spoilt in one place after the other, and shown by every command that reads it. Whatever the command
//! says of it, no character may reach the terminal that steers it or cannot be seen.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::Ground;
use super::ground::{PROFILE, Ran};

/// What no line may begin with, also behind a few blanks, as further lines of an error have them.
const FORGED: &str = "error: forged";

/// A title, a colour, a clearing of the screen, with an escape and with its single character; a text turned round, and one hidden; and a
/// line that looks like one of ours.
const HOSTILE: &str =
    "x\u{1b}]0;owned\u{7}\u{1b}[31m\u{9b}2J\u{202e}txt\u{2066}\u{200b}\u{2028}\r\u{85}y\nerror: forged";

/// The same as TOML and JSON write it.
const ESCAPED: &str =
    r"x\u001b]0;owned\u0007\u001b[31m\u009b2J\u202etxt\u2066\u200b\u2028\r\u0085y\nerror: forged";

const STUDY: &str = r#"
format = "iotrial.study/1"
name = "s"
title = "t"
profiles = ["mini.toml"]
repeats = 1
[load]
engine = "sim"
duration = "1s"
[[configuration]]
label = "a"
targets = ["x"]
before = "true"
attributes = { volumes = 3, driver = "d" }
metric_commands = { tps = "echo 1" }
[[configuration]]
label = "b"
targets = ["y"]
"#;

const TABLE: &str = r#"
format = "iotrial.table/1"
title = "t"
source = "page 3"
runtime_s = 300
[[row]]
id = "A"
label = "one"
attributes = { volumes = 1, driver = "d" }
read = { iops = 12400, lat_mean_us = 812.5 }
[[row]]
id = "B"
label = "two"
read = { iops = "x", lat_mean_us = 402 }
"#;

const DEMAND: &str = r#"
format = "iotrial.demand/1"
title = "ERP"
read = { iops = 40000, block_size = "8KiB" }
write = { bandwidth = "80MB/s", block_size = "16KiB" }
capacity = "4TiB"
os = "windows"
source = "s"
"#;

const CONFIGURATION: &str = r#"
format = "iotrial.configuration/1"
title = "option 1"
provider = "oci"
machine = "VM.Standard.E4.Flex"
ocpus = 16
memory = "64GiB"
os = "windows"
[[pool]]
volume = "block-volume"
level = "vpu-90"
size = "1430GiB"
attachment = "paravirtualized"
"#;

const FIO_JOB: &str = "
[global]
ioengine=libaio
runtime=1
time_based
description=d
[a]
rw=randread
bs=8k
size=1g
include=x
filename=/dev/x
";

const FIO_RESULT: &str = r#"{ "fio version": "fio-3.36", "timestamp": 1, "time": "t", "global options": { "rw": "read" }, "jobs": [
    { "jobname": "a", "groupid": 0, "error": 0, "job options": { "bs": "8k", "name": "n", "filename": "f" }, "read": { "io_bytes": 81920,
      "bw_bytes": 81920, "iops": 10.0, "runtime": 1000, "total_ios": 10, "lat_ns": { "min": 1, "max": 9, "mean": 5.0, "stddev": 1.0, "N": 10 } } } ] }"#;

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    let simulated = ground.run(&["run", "mini.toml", "--engine", "sim", "--quiet", "--label", "first"])?;
    anyhow::ensure!(simulated.is_done(), "no record: {}", simulated.seen());
    toml_files(ground)?;
    json_files(ground)?;
    fio_jobs(ground)?;
    names(ground)?;
    arguments(ground)?;
    settings(ground)?;
    store(ground)
}

fn toml_files(ground: &mut Ground) -> anyhow::Result<()> {
    let thresholds = ground.run(&["thresholds", "flash"])?.out();
    let catalog = ground.run(&["size", "catalogs", "oci", "--print", "toml"])?.out();
    let read = "--read=1iops@8KiB";
    let kinds: [(&str, &str, &[&[&str]]); 7] = [
        (
            "profile",
            PROFILE,
            &[&["run", "FILE", "--engine", "sim", "--dry-run"], &["report", "FILE"], &["audit", "FILE"]],
        ),
        (
            "thresholds",
            &thresholds,
            &[
                &["report", "last", "--thresholds", "FILE"],
                &["run", "mini.toml", "--dry-run", "--thresholds", "FILE"],
            ],
        ),
        (
            "study",
            STUDY,
            &[&["study", "FILE", "--dry-run"], &["study", "FILE", "--status"], &["study", "FILE"]],
        ),
        ("table", TABLE, &[&["audit", "FILE"], &["compare", "--table", "FILE"], &["import", "FILE"]]),
        ("demand", DEMAND, &[&["size", "--demand", "FILE"]]),
        ("configuration", CONFIGURATION, &[&["size", "explain", "FILE"], &["size", "explain", "FILE", read]]),
        (
            "catalog",
            &catalog,
            &[&["size", read, "--catalog", "FILE"], &["size", "catalogs", "--catalog", "FILE"]],
        ),
    ];
    for (kind, text, commands) in kinds {
        for (number, spoilt) in spoilt_lines(text).into_iter().enumerate() {
            let name = format!("{kind}.toml");
            ground.file(&name, spoilt)?;
            for command in commands {
                let command: Vec<&str> =
                    command.iter().map(|word| if *word == "FILE" { name.as_str() } else { word }).collect();
                check(ground, format!("{kind} {number}: {}", command.join(" ")), &command)?;
            }
        }
    }
    Ok(())
}

/// The text with one key, or one value, spoilt; each line of a kind once, so that a catalog of a thousand lines has a few dozen.
fn spoilt_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut seen = Vec::new();
    let mut all = Vec::new();
    for (position, line) in lines.iter().enumerate() {
        let Some((key, value)) = line.split_once('=').filter(|(key, _)| !key.trim_start().starts_with('#'))
        else {
            continue;
        };
        if seen.contains(&key.trim()) || seen.len() > 40 {
            continue;
        }
        seen.push(key.trim());
        let mut with = |line: String| {
            let mut spoilt = lines.clone();
            spoilt[position] = &line;
            all.push(spoilt.join("\n"));
        };
        with(format!("{key}= \"{ESCAPED}\""));
        with(format!("\"{ESCAPED}\" ={value}"));
        with(format!("{line}\n\"{ESCAPED}\" = 1"));
        // No TOML: the parser quotes the line.
        with(format!("{key}= {HOSTILE}"));
        if value.contains('"') {
            with(format!("{key}={}", value.replacen('"', &format!("\"{ESCAPED}"), 1)));
        }
    }
    all
}

fn json_files(ground: &mut Ground) -> anyhow::Result<()> {
    let record = fs::read_dir(ground.store())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.to_string_lossy().ends_with(".iotrial.json"));
    let record = fs::read_to_string(record.ok_or_else(|| anyhow::anyhow!("no record in the store"))?)?;
    let kinds: [(&str, &str, &[&[&str]]); 2] = [
        (
            "record.iotrial.json",
            &record,
            &[
                &["report", "FILE"],
                &["report", "FILE", "--json"],
                &["report", "FILE", "--csv", "-"],
                &["report", "FILE", "--markdown", "-"],
                &["audit", "FILE"],
                &["compare", "FILE", "FILE"],
            ],
        ),
        (
            "fio.json",
            FIO_RESULT,
            &[
                &["report", "FILE"],
                &["audit", "FILE"],
                &["import", "FILE", "--json"],
                &["compare", "FILE", "FILE"],
            ],
        ),
    ];
    for (name, text, commands) in kinds {
        let value: Value = serde_json::from_str(text)?;
        for spoilt in spoilt_values(&value) {
            ground.file(name, spoilt.1.to_string())?;
            for command in commands {
                let command: Vec<&str> =
                    command.iter().map(|word| if *word == "FILE" { name } else { word }).collect();
                check(ground, format!("{} of {}", spoilt.0, command.join(" ")), &command)?;
            }
        }
    }
    Ok(())
}

/// The document with one text replaced by the hostile one, with a number so, and with a key so; each name of a key once.
fn spoilt_values(value: &Value) -> Vec<(String, Value)> {
    let mut seen = Vec::new();
    let mut pointers = Vec::new();
    collect(value, String::new(), &mut seen, &mut pointers);
    let mut all = Vec::new();
    for pointer in pointers {
        let mut spoilt = value.clone();
        if let Some(place) = spoilt.pointer_mut(&pointer) {
            *place = Value::String(HOSTILE.to_owned());
            all.push((pointer.clone(), spoilt));
        }
        let mut spoilt = value.clone();
        let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        if let Some(Value::Object(map)) = spoilt.pointer_mut(parent) {
            map.insert(HOSTILE.to_owned(), Value::String(HOSTILE.to_owned()));
            all.push((format!("{pointer} beside"), spoilt));
        }
    }
    all
}

fn collect(value: &Value, at: String, seen: &mut Vec<String>, pointers: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if !seen.contains(key) {
                    seen.push(key.clone());
                    pointers.push(format!("{at}/{key}"));
                }
                collect(value, format!("{at}/{key}"), seen, pointers);
            }
        }
        // The first stands for all.
        Value::Array(items) => {
            items.iter().take(1).for_each(|item| collect(item, format!("{at}/0"), seen, pointers))
        }
        _ => {}
    }
}

fn fio_jobs(ground: &mut Ground) -> anyhow::Result<()> {
    let lines: Vec<&str> = FIO_JOB.lines().collect();
    for position in 1..lines.len() {
        let (key, value) = lines[position].split_once('=').unwrap_or((lines[position], ""));
        for line in [
            format!("{key}={HOSTILE}"),
            format!("{HOSTILE}={value}"),
            format!("[{HOSTILE}]"),
            format!("include {HOSTILE}"),
            format!("bs=${{{HOSTILE}}}"),
        ] {
            // A line break would only end the option.
            let line = line.replace(['\r', '\n', '\u{85}', '\u{2028}'], "");
            let mut spoilt = lines.clone();
            spoilt[position] = &line;
            ground.file("job.fio", spoilt.join("\n"))?;
            for command in [
                &["profiles", "--from-fio", "job.fio", "--json"][..],
                &["run", "--fio-job", "job.fio", "--engine", "sim", "--dry-run"],
            ] {
                check(ground, format!("{line:?}: {}", command.join(" ")), command)?;
            }
        }
    }
    Ok(())
}

/// Every command that takes a path, with a hostile name: of nothing, of a file that holds nothing of use, of a folder.
fn names(ground: &mut Ground) -> anyhow::Result<()> {
    let commands: &[&[&str]] = &[
        &["run", "./FILE"],
        &["run", "mini.toml", "--target", "FILE/none/none", "--dry-run"],
        &["run", "mini.toml", "--target", "FILE", "--dry-run"],
        &["run", "mini.toml", "--engine", "sim", "--thresholds", "./FILE"],
        &["run", "--fio-job", "FILE"],
        &["run", "mini.toml", "--engine", "sim", "--html", "FILE/none/x.html"],
        &["report", "FILE"],
        &["report", "last", "--html", "FILE/none/x.html"],
        &["report", "last", "--csv", "FILE"],
        &["audit", "FILE"],
        &["compare", "FILE", "FILE"],
        &["compare", "--table", "FILE"],
        &["import", "FILE"],
        &["import", "fio.json", "--output", "FILE"],
        &["size", "--demand", "FILE"],
        &["size", "explain", "FILE"],
        &["size", "--read=1iops@8KiB", "--catalog", "FILE"],
        &["study", "FILE"],
        &["study", "add", "FILE", "FILE"],
        &["study", "export", "FILE", "--label", "x"],
        &["clean", "FILE"],
        &["target", "FILE"],
        &["man", "FILE"],
        &["records", "--store", "FILE"],
        &["report", "x", "--store", "FILE"],
        &["sweep", "--target", "FILE/none/none", "--dry-run"],
        &["sweep", "--target", "FILE", "--dry-run"],
        &["open", "FILE"],
        &["label", "FILE", "x"],
        &["remove", "FILE"],
    ];
    ground.file("fio.json", FIO_RESULT)?;
    for (kind, name) in [
        ("none", format!("none{HOSTILE}")),
        ("file", format!("file{HOSTILE}")),
        ("folder", format!("folder{HOSTILE}")),
    ] {
        for command in commands {
            let path = ground.path().join(&name);
            match kind {
                "file" if path.symlink_metadata().is_err() => fs::write(&path, "nothing of use")?,
                "folder" if path.symlink_metadata().is_err() => fs::create_dir(&path)?,
                _ => {}
            }
            let command: Vec<String> = command.iter().map(|word| word.replace("FILE", &name)).collect();
            let words: Vec<&str> = command.iter().map(String::as_str).collect();
            check(
                ground,
                format!("{kind}: {}", words[..words.len().min(3)].join(" ").escape_debug()),
                &words,
            )?;
        }
    }
    // A name that is no text.
    let path = ground.path().join(std::ffi::OsStr::from_bytes(b"bytes\xff\x9b31m\x1b[31m"));
    fs::write(&path, "nothing of use")?;
    for command in ["report", "audit", "import", "study", "clean", "target", "run"] {
        let mut run = ground.command(&[command]);
        run.arg(&path);
        let ran = ground.end(run)?;
        ground.case(format!("no text: {command}"), raw(&ran));
    }
    Ok(())
}

fn arguments(ground: &mut Ground) -> anyhow::Result<()> {
    let options = [
        "--size",
        "--duration",
        "--ramp",
        "--seed",
        "--engine",
        "--attribute",
        "--label",
        "--latency-limit",
        "--need",
        "--gate",
        "--metric",
        "--metric-command",
        "--sim",
        "--destroy",
        "--thresholds",
        "--store",
        "--target",
        "--steps",
        "--fio-set",
        "--junit",
        "--no-such-option",
    ];
    for option in options {
        for command in ["run", "sweep"] {
            check(ground, format!("{command} {option}"), &[command, "--dry-run", option, HOSTILE])?;
            check(
                ground,
                format!("{command} {option}=7"),
                &[command, "--dry-run", option, &format!("7{HOSTILE}")],
            )?;
        }
        check(ground, format!("run {option}, as one word"), &["run", &format!("{option}{HOSTILE}=1")])?;
    }
    let words: &[&[&str]] = &[
        &[HOSTILE],
        &["help", HOSTILE],
        &["run", HOSTILE],
        &["report", HOSTILE],
        &["compare", HOSTILE, HOSTILE],
        &["profiles", HOSTILE],
        &["thresholds", HOSTILE],
        &["docs", HOSTILE],
        &["completions", HOSTILE],
        &["records", "--since", HOSTILE],
        &["records", "--label", HOSTILE],
        &["records", "--sort", HOSTILE],
        &["size", "--read", HOSTILE],
        &["size", "--provider", HOSTILE],
        &["size", "catalogs", HOSTILE],
        &["label", "last", HOSTILE],
        &["records"],
        &["report", "last"],
        &["audit", "last"],
        &["compare", "last", "last"],
        &["report", "last", "--gate", HOSTILE],
        &["report", "last", "--gate", "x.p99<1ms"],
        &["compare", "last", "last", "--gate", HOSTILE],
    ];
    for command in words {
        check(ground, command.join(" ").escape_debug(), command)?;
    }
    Ok(())
}

/// Files of the store that a stranger put there.
fn store(ground: &mut Ground) -> anyhow::Result<()> {
    let store = ground.store();
    let hostile_json = format!(
        "{{\"format\":\"iotrial.record/1\",\"id\":\"{ESCAPED}\",\"plan\":{{\"engine\":\"{ESCAPED}\"}}}}"
    );
    let files: [(String, &str); 6] = [
        (format!("{HOSTILE}.iotrial.json"), "{}"),
        ("01A.iotrial.json".to_owned(), &hostile_json),
        (format!("{HOSTILE}.iotrial.journal"), "torn"),
        ("01B.iotrial.journal".to_owned(), &hostile_json),
        (format!("{HOSTILE}.iotrial.study"), "no journal\n"),
        ("index.jsonl".to_owned(), HOSTILE),
    ];
    for (name, text) in files {
        fs::write(store.join(&name), text)?;
        for command in [&["records"][..], &["records", "--json"], &["report", "nobody"]] {
            check(ground, format!("{}: {}", name.escape_debug(), command.join(" ")), command)?;
        }
        let _ = fs::remove_file(store.join(&name));
    }
    Ok(())
}

fn check(ground: &mut Ground, case: impl std::fmt::Display, command: &[&str]) -> anyhow::Result<()> {
    let command = ground.command(command);
    check_ran(ground, case, command)
}

/// Settings, in the file of a folder, in the user's own and in variables.
fn settings(ground: &mut Ground) -> anyhow::Result<()> {
    let listed = ground.run(&["config", "--json"])?;
    let listed: Value = serde_json::from_slice(&listed.stdout)?;
    let names = listed["settings"].as_array().into_iter().flatten().filter_map(|one| one["name"].as_str());
    let commands: &[&[&str]] = &[
        &["run", "mini.toml", "--engine", "sim", "--quiet", "--closed"],
        &["sweep", "--dry-run"],
        &["check"],
        &["size", "--read", "1iops@8KiB"],
        &["config"],
    ];
    let file = ground.path().join("iotrial.toml");
    for name in names {
        for command in commands {
            for text in [
                format!("{name} = \"{ESCAPED}\""),
                format!("{name} = [\"{ESCAPED}\"]"),
                format!("{name} = {{ \"{ESCAPED}\" = \"{ESCAPED}\" }}"),
            ] {
                fs::write(&file, text)?;
                fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
                check(ground, format!("{name} of the folder: {}", command.join(" ")), command)?;
                let mut own = ground.command(command);
                own.current_dir(ground.store()).env("IOTRIAL_CONFIG", &file);
                check_ran(ground, format!("{name} of the user: {}", command.join(" ")), own)?;
                fs::remove_file(&file)?;
            }
            let mut with = ground.command(command);
            with.env(format!("IOTRIAL_{}", name.to_ascii_uppercase()), HOSTILE);
            check_ran(ground, format!("{name} as a variable: {}", command.join(" ")), with)?;
        }
    }
    Ok(())
}

fn check_ran(
    ground: &mut Ground,
    case: impl std::fmt::Display,
    command: std::process::Command,
) -> anyhow::Result<()> {
    if !ground.tries() {
        return Ok(());
    }
    let ran = ground.end(command)?;
    let wrong = raw(&ran).or_else(|| ran.crash());
    ground.case(case, wrong);
    Ok(())
}

/// What of the output would do something to a terminal, or look like a line of ours.
fn raw(ran: &Ran) -> Option<String> {
    let steers = |c: &char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    // Lines of CSV end with both (RFC 4180).
    let text = [ran.out(), ran.err()].concat().replace("\r\n", "\n");
    // Further in, it is a cell of a table that was wrapped between two words.
    let begins = |line: &&str| line.trim_start().starts_with(FORGED) && !line.starts_with("     ");
    if let Some(line) = text.lines().find(begins) {
        return Some(format!("a line of its own: {}", line.escape_debug()));
    }
    let at = text.char_indices().find(|(_, c)| steers(c))?.0;
    let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let shown: String = text[line..].chars().take(200).collect();
    Some(format!("raw in {}", shown.escape_debug()))
}
