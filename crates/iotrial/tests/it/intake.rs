//! What the commands make of whatever they are given: each kind of input, by every way to name it, and garbage.

use std::fs::{self, File};
use std::io::Write as _;

use crate::support::{Bench, Ran};
use serde_json::Value;

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

const TABLE: &str = r#"
format = "iotrial.table/1"
title = "T"
[[row]]
id = "A"
attributes = { disks = 1 }
read = { iops = 1000, lat_mean_us = 900, bandwidth_mib_per_s = 7.8 }
[[row]]
id = "B"
attributes = { disks = 2 }
read = { iops = 1369, lat_mean_us = 700, bandwidth_mib_per_s = 10.7 }
"#;

const STUDY: &str = r#"
format = "iotrial.study/1"
name = "sims"
title = "A slow device and a fast one"
profiles = ["sqlserver-log"]
repeats = 1
[load]
engine = "sim"
ramp = "0s"
duration = "1s"
[[configuration]]
label = "slow"
sim = { service_time_us = 800.0 }
[[configuration]]
label = "fast"
sim = { service_time_us = 200.0 }
"#;

const COUNTERS: &str = "Linux 6.1 (db01) 11/21/26

Device            r/s     w/s     rkB/s     wkB/s  %util
sda            100.00   50.00   800.00    400.00   1.00

Device            r/s     w/s     rkB/s     wkB/s  %util
sda            200.00   50.00   1600.00    400.00   1.00
";

const DEMAND: &str = "format = \"iotrial.demand/1\"\nread = { iops = 1000, block_size = \"8KiB\" }\n";

const AWR: &str = include_str!("../../../iotrial-import/tests/awr/instance-19c.html");

fn golden(name: &str) -> String {
    format!("{}/../iotrial-import/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn put(bench: &Bench, name: &str, bytes: impl AsRef<[u8]>) {
    fs::write(bench.path().join(name), bytes).unwrap();
}

/// A run of the simulated device; returns the path of its record.
fn run(bench: &Bench, label: &str, seed: &str) -> String {
    let ran = bench.run(&[
        "run",
        "--closed",
        "sqlserver-log",
        "--engine",
        "sim",
        "--seed",
        seed,
        "--ramp",
        "0s",
        "--duration",
        "2s",
        "--json",
        "--quiet",
        "--label",
        label,
    ]);
    ran.json()["record"].as_str().unwrap().to_owned()
}

/// Two files of each kind of input, by the name of the kind: `run-1.in` and `run-2.in`. No name says what is in it.
fn fixtures(bench: &Bench) {
    for (number, label) in ["1", "2"].into_iter().zip(["a", "b"]) {
        let copy = |from: &str, kind: &str| {
            fs::copy(from, bench.path().join(format!("{kind}-{number}.in"))).unwrap();
        };
        copy(&run(bench, label, number), "run");
        let sweep = [
            "sweep",
            "--engine",
            "sim",
            "--pattern",
            "randread-8k",
            "--grid",
            "1,2",
            "--step",
            "1s",
            "--quiet",
            "--json",
        ];
        copy(bench.run(&sweep).json()["record"].as_str().unwrap(), "sweep");
        let mix = golden("fio/mix.json");
        copy(&mix, "result");
        let imported = bench.run(&["import", &mix, "--label", label, "--json"]).expect_code(0).json();
        copy(imported["records"][0]["path"].as_str().unwrap(), "kept");
        let text = |text: &str, kind: &str| put(bench, &format!("{kind}-{number}.in"), text);
        text(&TABLE.replace("id = \"", &format!("id = \"{number}")), "table");
        text(STUDY, "study");
        text(COUNTERS, "counters");
        text(DEMAND, "demand");
        text(AWR, "awr");
        text(CONFIGURATION, "configuration");
        text(&bench.run(&["size", "catalogs", "oci", "--print", "toml"]).stdout, "catalog");
        text(&bench.run(&["profiles", "sqlserver-log"]).stdout, "profile");
        copy(
            &format!("{}/../iotrial-analysis/thresholds/flash.toml", env!("CARGO_MANIFEST_DIR")),
            "thresholds",
        );
    }
    bench.run(&["study", "study-1.in", "--quiet", "--json"]).expect_code(0);
    for number in ["1", "2"] {
        let journal = bench.stored(".iotrial.study").remove(0);
        fs::copy(journal, bench.path().join(format!("journal-{number}.in"))).unwrap();
    }
}

/// Every kind, and how it is called.
const KINDS: [(&str, &str); 14] = [
    ("run", "the record of a run"),
    ("sweep", "the record of a sweep"),
    ("kept", "an imported result"),
    ("result", "a result of another tool"),
    ("table", "a printed table"),
    ("study", "a study"),
    ("journal", "the journal of a study"),
    ("counters", "a file of counters"),
    ("awr", "an AWR report"),
    ("demand", "a demand"),
    ("configuration", "a configuration"),
    ("catalog", "a catalog"),
    ("profile", "a profile"),
    ("thresholds", "a threshold set"),
];

/// A command: its name, its arguments before and after the input, and what it has a use for.
type Command = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

/// Every command that is given results or what is asked of them.
const COMMANDS: [Command; 19] = [
    ("report", &["report"], &[], &["run", "sweep", "kept", "result", "table", "study"]),
    ("compare", &["compare"], &["run-2.in"], &["run", "kept", "result", "table", "study"]),
    ("audit", &["audit"], &[], &["run", "kept", "result", "table"]),
    ("awr", &["awr"], &[], &["awr"]),
    ("watch", &["watch"], &[], &["counters"]),
    ("import", &["import"], &["--quiet"], &["result", "table"]),
    (
        "size --demand",
        &["size", "--demand"],
        &["--provider", "oci"],
        &["run", "kept", "result", "table", "counters", "demand"],
    ),
    ("size --catalog", &["size", "--read", "10iops@8KiB", "--catalog"], &[], &["catalog"]),
    ("size --against", &["size", "--read", "10iops@8KiB", "--against"], &[], &["configuration"]),
    ("size explain", &["size", "explain"], &[], &["configuration"]),
    (
        "size explain --record",
        &["size", "explain", "configuration-1.in", "--record"],
        &[],
        &["run", "sweep", "kept", "result", "table"],
    ),
    ("study", &["study"], &["--status"], &["study"]),
    ("study add", &["study", "add", "study-1.in"], &[], &["run"]),
    ("run", &["run"], &SHORT_RUN, &["profile"]),
    ("run --thresholds", &["run", "sqlserver-log", "--thresholds"], &SHORT_RUN, &["thresholds"]),
    ("report --thresholds", &["report", "run-1.in", "--thresholds"], &[], &["thresholds"]),
    ("profiles", &["profiles"], &[], &["profile"]),
    ("thresholds", &["thresholds"], &[], &["thresholds"]),
    (
        "size --profile",
        &[
            "size",
            "--read",
            "10iops@8KiB",
            "--provider",
            "oci",
            "--study",
            "out.toml",
            "--overwrite",
            "--profile",
        ],
        &[],
        &["profile"],
    ),
];

/// A run that leaves as little behind as one can.
const SHORT_RUN: [&str; 8] =
    ["--engine", "sim", "--seed", "1", "--ramp=0s", "--duration=1s", "--quiet", "--json"];

/// Commands that take names as well as files, and so want a path.
const WANT_PATHS: [&str; 6] =
    ["run", "run --thresholds", "report --thresholds", "profiles", "thresholds", "size --profile"];

#[test]
fn every_command_takes_every_kind_of_input_or_refuses_it_in_the_same_words() {
    let bench = Bench::new();
    fixtures(&bench);
    for (command, before, after, taken) in COMMANDS {
        for (kind, words) in KINDS {
            let here = if WANT_PATHS.contains(&command) { "./" } else { "" };
            let file = format!("{here}{kind}-1.in");
            let ran = bench.run(&[before, &[file.as_str()], after].concat());
            let refusal = format!("`{file}` is {words}; `iotrial {command}` takes ");
            let is_refused = ran.stderr.contains(&refusal);
            let shown = format!("{command} of {kind}: {}\n{}{}", ran.code, ran.stdout, ran.stderr);
            assert_eq!(is_refused, !taken.contains(&kind), "{shown}");
            if is_refused {
                assert_eq!(ran.code, 2, "{shown}");
                assert!(ran.stderr.contains("hint: `iotrial "), "{shown}");
                continue;
            }
            // What is left are answers, and reasons that lie in these very results.
            let reasons = [
                "cannot be compared",
                "both measured here and stated",
                "has 2 results",
                "cannot be added to the study",
            ];
            let is_answered =
                matches!(ran.code, 0 | 1 | 4) || reasons.iter().any(|reason| ran.stderr.contains(reason));
            assert!(is_answered, "{shown}");
        }
    }
}

#[test]
fn two_of_a_kind_are_compared_and_audited_whatever_their_files_are_called() {
    let bench = Bench::new();
    fixtures(&bench);
    for kind in ["run", "kept", "table"] {
        let (one, other) = (format!("{kind}-1.in"), format!("{kind}-2.in"));
        let comparison = bench.run(&["compare", &one, &other, "--json"]).expect_code(0).json();
        assert!(comparison["configurations"].as_array().unwrap().len() >= 2, "{kind}");
        let audits = bench.run(&["audit", &one, &other, "--json"]).expect_code(0).json();
        assert_eq!(audits.as_array().unwrap().len(), 2, "{kind}");
    }
    // A name of another kind changes nothing.
    let check = |file: &str, name: &str| {
        fs::copy(bench.path().join(file), bench.path().join(name)).unwrap();
        let by_name = bench.run(&["audit", name, "--json"]).expect_code(0).json();
        assert_eq!(by_name["checks"], bench.run(&["audit", file, "--json"]).json()["checks"], "{name}");
    };
    check("run-1.in", "table.toml");
    check("run-1.in", "fio.json");
    check("result-1.in", "record.iotrial.json");
    check("table-1.in", "record.iotrial-imported.json");
    // Keys in another order, as other programs write them.
    let record: Value = serde_json::from_slice(&fs::read(bench.path().join("run-1.in")).unwrap()).unwrap();
    put(&bench, "sorted.json", serde_json::to_string_pretty(&record).unwrap());
    check("run-1.in", "again.json");
    let sorted = bench.run(&["report", "sorted.json", "--json"]).json();
    assert_eq!(sorted["total"], bench.run(&["report", "run-1.in", "--json"]).json()["total"]);
}

/// The forms in which shells and editors of Windows write a text: UTF-16 of either order, and UTF-8 with a mark; with its line ends.
fn as_windows_writes(text: &[u8]) -> [Vec<u8>; 3] {
    let marked = format!("\u{feff}{}", String::from_utf8(text.to_vec()).unwrap().replace('\n', "\r\n"));
    let wide = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> { marked.encode_utf16().flat_map(unit).collect() };
    [wide(u16::to_le_bytes), wide(u16::to_be_bytes), marked.clone().into_bytes()]
}

/// What is in a file, unpacked.
fn text_of(bench: &Bench, name: &str) -> Vec<u8> {
    iotrial_import::unpack(&fs::read(bench.path().join(name)).unwrap(), 1 << 28).unwrap().into_owned()
}

#[test]
fn every_kind_of_input_is_read_in_the_encodings_of_windows() {
    let bench = Bench::new();
    fixtures(&bench);
    // The journal of a run that was ended from outside: the record as it began, and a line for each interval.
    let mut record: Value = serde_json::from_slice(&text_of(&bench, "run-2.in")).unwrap();
    let intervals = record["intervals"].take();
    record["intervals"] = Value::Array(Vec::new());
    let lines = [&[record][..], intervals.as_array().unwrap().as_slice()].concat();
    assert!(lines.len() > 1);
    put(&bench, "begun-1.in", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    let check = |command: &[&str], kind: &str| {
        let name = format!("{kind}-1.in");
        let run = || bench.run(&[command, &[format!("./{name}").as_str()]].concat());
        let (text, plain) = (text_of(&bench, &name), run());
        assert!(matches!(plain.code, 0 | 1 | 4), "{kind}: {}", plain.stderr);
        for written in as_windows_writes(&text) {
            put(&bench, &name, &written);
            let ran = run();
            // Some print the file itself, with the line ends that it has.
            let stdout = ran.stdout.replace('\r', "");
            assert_eq!((ran.code, &stdout), (plain.code, &plain.stdout), "{kind}: {}", ran.stderr);
        }
    };
    check(&["report"], "run");
    check(&["report"], "begun");
    check(&["report"], "sweep");
    check(&["report"], "kept");
    check(&["report"], "result");
    check(&["audit"], "table");
    check(&["study", "--status"], "study");
    check(&["watch"], "counters");
    check(&["awr"], "awr");
    check(&["size", "--provider", "oci", "--demand"], "demand");
    check(&["size", "explain"], "configuration");
    check(&["size", "--read", "10iops@8KiB", "--catalog"], "catalog");
    check(&["profiles"], "profile");
    check(&["thresholds"], "thresholds");
    // Half a character is damage.
    put(&bench, "half.in", [&as_windows_writes(&text_of(&bench, "run-2.in"))[0][..], &[0, 0xd8]].concat());
    let refused = bench.run(&["report", "half.in"]).expect_code(2).stderr;
    assert!(refused.contains("`half.in` is not a record that can be read"), "{refused}");
}

#[test]
fn a_record_in_the_store_may_be_in_an_encoding_of_windows_and_a_label_makes_it_plain() {
    let bench = Bench::new();
    let path = run(&bench, "before", "1");
    let text = text_of(&bench, &path);
    for written in as_windows_writes(&text) {
        fs::write(&path, &written).unwrap();
        let listed = bench.run(&["records", "--json"]).expect_code(0).json();
        assert_eq!(listed[0]["label"], "before");
        bench.run(&["label", "before", "after"]).expect_code(0);
        let relabelled: Value = serde_json::from_slice(&text_of(&bench, &path)).unwrap();
        assert_eq!(relabelled["label"], "after");
    }
}

#[test]
fn a_summary_in_the_place_of_its_record_is_refused_with_the_place_of_the_record() {
    let bench = Bench::new();
    let record = run(&bench, "a", "1");
    let summary = bench.run(&["report", &record, "--json"]).stdout;
    for written in [&as_windows_writes(summary.as_bytes())[..], &[summary.clone().into_bytes()]].concat() {
        put(&bench, "r.json", written);
        for reader in READERS {
            let ran = bench.run(&[reader, &["r.json"][..]].concat()).expect_code(2);
            assert!(
                ran.stderr.contains("it is the summary that `--json` prints"),
                "{reader:?}: {}",
                ran.stderr
            );
            assert!(ran.stderr.contains(&format!("hint: the record is `{record}`")), "{}", ran.stderr);
        }
    }
}

#[test]
fn a_result_is_found_by_its_id_by_the_beginning_of_it_and_by_its_label() {
    let bench = Bench::new();
    let record = run(&bench, "before", "1");
    let id = bench.run(&["records", "--json"]).json()[0]["id"].as_str().unwrap().to_owned();
    for name in [record.as_str(), &id, &id[..20], &id.to_lowercase(), "before"] {
        bench.run(&["audit", name]).expect_code(0);
        let shown = bench.run(&["report", name, "--json"]).json();
        assert!(
            shown["record"].as_str().unwrap().ends_with(&format!("{id}.iotrial.json")),
            "{name}: {shown}"
        );
        let sized =
            bench.run(&["size", "--demand", name, "--provider", "oci", "--json"]).expect_code(0).json();
        assert_eq!(sized["demand"]["source"], format!("record {id}"), "{name}");
    }
    run(&bench, "before", "2");
    assert_eq!(bench.run(&["audit", "before", "--json"]).expect_code(0).json().as_array().unwrap().len(), 2);
    let refused = bench.run(&["size", "--demand", "before"]).expect_code(2).stderr;
    assert!(refused.contains("`before` is the label of 2 records, but one is needed"), "{refused}");
    let sweep = [
        "sweep",
        "--engine",
        "sim",
        "--pattern",
        "randread-8k",
        "--grid",
        "1,2",
        "--step",
        "1s",
        "--quiet",
        "--label",
        "curve",
    ];
    bench.run(&sweep).expect_code(0);
    bench.run(&["report", "curve"]).expect_code(0);
    let refused = bench.run(&["audit", "curve"]).expect_code(2).stderr;
    assert!(refused.contains("is the record of a sweep; `iotrial audit` takes"), "{refused}");
    let unknown = |arguments: &[&str]| {
        let refused = bench.run(arguments).expect_code(2).stderr;
        assert!(refused.contains("`nowhere` is neither a file nor an id or label"), "{refused}");
        assert!(refused.contains("hint: `iotrial records` lists all results with their labels"), "{refused}");
    };
    unknown(&["report", "nowhere"]);
    unknown(&["compare", "nowhere"]);
    unknown(&["audit", "nowhere"]);
    unknown(&["size", "--demand", "nowhere"]);
}

#[test]
fn a_command_that_only_reads_makes_no_store() {
    let bench = Bench::new();
    put(&bench, "table.toml", TABLE);
    put(&bench, "study.toml", STUDY);
    let check = |arguments: &[&str], code: i32| {
        bench.run(arguments).expect_code(code);
        assert!(!bench.store().exists(), "{arguments:?} made a store");
    };
    for name in ["nosuch.json", "last", "01JD"] {
        check(&["audit", name], 2);
        check(&["report", name], 2);
        check(&["compare", name], 2);
        check(&["open", name], 2);
        check(&["label", name, "x"], 2);
        check(&["remove", name], 2);
        check(&["remove", "--restore", name], 2);
        check(&["size", "--demand", name], 2);
    }
    check(&["records"], 0);
    check(&["records", "--trash", "--json"], 0);
    check(&["audit", "table.toml"], 0);
    check(&["study", "study.toml", "--status"], 0);
    check(&["study", "study.toml", "--dry-run"], 0);
    check(&["report", "study.toml"], 2);
    check(&["run", "--engine", "sim", "--dry-run"], 0);
    check(&["target", "data"], 2);
    check(&["thresholds"], 0);
    check(&["profiles"], 0);
}

#[test]
fn a_damaged_result_in_a_folder_does_not_keep_the_others_from_being_shown() {
    let bench = Bench::new();
    fs::write(bench.data().join("table.toml"), TABLE).unwrap();
    // What iotrial itself put beside its results, and what a full disk left of one.
    bench.run(&["report", "data/table.toml", "--html", "data/page.html", "--markdown", "data/page.md"]);
    assert!(bench.data().join("page.html").exists());
    fs::write(bench.data().join("cut.json"), "{\"format\":\"iotrial.record/1\",\"id\":").unwrap();
    for command in ["report", "compare", "import"] {
        let ran = bench.run(&[command, "data"]);
        assert!(ran.code <= 1, "{command}: {}", ran.stderr);
    }
    for command in ["report", "compare"] {
        let told = bench.run(&[command, "data"]).stderr;
        assert_eq!(told.matches("note: skipped: `data/cut.json`").count(), 1, "{told}");
        assert_eq!(told.matches("skipped").count(), 1, "{told}");
    }
    // Records as well, one of which was cut off.
    let folder = bench.path().join("records");
    fs::create_dir(&folder).unwrap();
    let whole = fs::read(run(&bench, "a", "1")).unwrap();
    fs::write(folder.join("01A.iotrial.json"), &whole).unwrap();
    fs::copy(run(&bench, "b", "2"), folder.join("01C.iotrial.json")).unwrap();
    fs::write(folder.join("01B.iotrial.json"), &whole[..whole.len() / 2]).unwrap();
    for command in ["report", "compare"] {
        let ran = bench.run(&[command, "records", "--json"]);
        assert!(
            matches!(ran.code, 0 | 4) && ran.stderr.contains("skipped: `records/01B.iotrial.json`"),
            "{}",
            ran.stderr
        );
        // Whoever names the file itself means it.
        let named = bench.run(&[command, "records/01A.iotrial.json", "records/01B.iotrial.json"]);
        assert_eq!(named.code, 2, "{}", named.stderr);
    }
    // With nothing left, what is wrong is the answer.
    fs::remove_file(folder.join("01A.iotrial.json")).unwrap();
    fs::remove_file(folder.join("01C.iotrial.json")).unwrap();
    for command in ["report", "compare"] {
        let alone = bench.run(&[command, "records"]).expect_code(2).stderr;
        assert!(
            alone.contains("error: `records/01B.iotrial.json` is not a record that can be read"),
            "{alone}"
        );
    }
}

#[test]
fn runs_and_imported_results_are_reported_together() {
    let bench = Bench::new();
    let (one, mix) = (run(&bench, "ours", "1"), golden("fio/mix.json"));
    let ran = bench.run(&["report", &one, &mix, "--json", "--html", "both.html"]);
    let both = ran.json();
    assert_eq!(both.as_array().unwrap().len(), 2);
    assert_eq!(both[0]["total"], bench.run(&["report", &one, "--json"]).json()["total"]);
    assert_eq!(both[1]["total"], bench.run(&["report", &mix, "--json"]).json()["total"]);
    assert_eq!(
        (both[0]["report"].as_str(), both[1]["report"].as_str()),
        (Some("both.html"), Some("both.html"))
    );
    let html = fs::read_to_string(bench.path().join("both.html")).unwrap();
    for part in ["id=\"runs\"", "id=\"imported\"", "Imported results", "id=\"figures\""] {
        assert!(html.contains(part), "{part}");
    }
    let shown = bench.run(&["report", &mix, &one, "--details"]).stdout;
    assert!(shown.contains("1  ours") && shown.contains("Imported results"), "{shown}");
    // The key by which the runs of the comparison are told from it, not its place among the imported ones.
    let imported = shown.split("Imported results").nth(1).unwrap();
    assert!(imported.contains("key"), "{shown}");
}

#[test]
fn a_result_of_another_tool_has_the_sections_that_its_facts_allow_in_the_order_of_a_run() {
    let bench = Bench::new();
    bench.run(&["report", &golden("fio/mix.json"), "--html", "one.html"]);
    let html = fs::read_to_string(bench.path().join("one.html")).unwrap();
    // The table first, then the appendix; the logs that fio wrote beside its result are its course.
    let sections = ["verdict", "figures", "throughput", "latency", "judged", "load", "source"];
    let places: Vec<Option<usize>> = sections.iter().map(|id| html.find(&format!("id=\"{id}\""))).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    for id in ["roles", "spread", "arrivals", "host", "settings", "profile"] {
        assert!(!html.contains(&format!("id=\"{id}\"")), "{id}");
    }
}

/// Commands whose input must be a result, each before its name.
const READERS: [&[&str]; 5] = [
    &["report"],
    &["compare"],
    &["audit"],
    &["import", "--quiet"],
    &["size", "--provider", "oci", "--demand"],
];

#[track_caller]
fn refused(bench: &Bench, name: &str, message: &str) {
    for reader in READERS {
        let ran: Ran = bench.run(&[reader, &[name]].concat()).expect_code(2);
        assert!(
            ran.stderr.contains(message) && ran.stderr.contains(name),
            "{reader:?} {name}: {}",
            ran.stderr
        );
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
}

#[test]
fn garbage_is_refused_by_every_command_with_one_message() {
    let bench = Bench::new();
    put(&bench, "empty.json", "");
    refused(&bench, "empty.json", "it is empty");
    put(&bench, "zeros.json", [0; 4_096]);
    refused(&bench, "zeros.json", "it is not text");
    put(&bench, "notes.txt", "bought new disks");
    refused(&bench, "notes.txt", "it is not a result format that iotrial recognises");
    put(&bench, "mine.toml", "title = \"a study, I thought\"\n");
    refused(&bench, "mine.toml", "it is not a result format that iotrial recognises");
    put(&bench, "cut.gz", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b]);
    refused(&bench, "cut.gz", "it cannot be unpacked");
    put(&bench, "cut.zst", [0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58]);
    refused(&bench, "cut.zst", "it cannot be unpacked");
    // A record that a crash or a copy cut off.
    put(&bench, "cut.json", "{\"format\":\"iotrial.record/1\",\"id\":");
    for reader in READERS.iter().filter(|reader| reader[0] != "import") {
        let ran = bench.run(&[reader, &["cut.json"][..]].concat()).expect_code(2);
        assert!(ran.stderr.contains("`cut.json` is not a record that can be read"), "{}", ran.stderr);
    }
}

#[test]
fn what_lies_beside_results_in_a_folder_is_left_out_whatever_it_is() {
    let bench = Bench::new();
    let put = |name: &str, text: &str| fs::write(bench.data().join(name), text).unwrap();
    put("table.toml", TABLE);
    put("demand.toml", "format = \"iotrial.demand/1\"\nspeed = 3\n");
    put("study.toml", STUDY);
    put("page.md", &format!("# A demand\n\n```toml\n{DEMAND}```\n"));
    put("iostat.txt", COUNTERS);
    let audited = bench.run(&["audit", "data", "--json"]).expect_code(0);
    assert_eq!(audited.json()["kind"], "table");
    assert_eq!(audited.stderr.matches("is not a result and was left out").count(), 4, "{}", audited.stderr);
    let imported = bench.run(&["import", "data", "--json"]).expect_code(0).json();
    assert_eq!(imported["passed_over"].as_array().unwrap().len(), 4);
    for command in ["report", "compare"] {
        assert!(bench.run(&[command, "data"]).code <= 1, "{command}");
    }
    let page = bench.run(&["audit", "data/page.md"]).expect_code(2).stderr;
    assert!(page.contains("it is not a result format that iotrial recognises"), "{page}");
}

#[test]
fn a_file_that_is_too_large_is_refused_before_it_is_read() {
    let bench = Bench::new();
    let sparse = |name: &str, begin: &[u8]| {
        let mut file = File::create(bench.path().join(name)).unwrap();
        file.write_all(begin).unwrap();
        file.set_len(5 << 30).unwrap();
    };
    sparse("record.json", b"{\"format\":\"iotrial.record/1\",");
    refused(&bench, "record.json", "it is larger than 256 MiB");
    sparse("text.csv", &[b'x'; 8_192]);
    refused(&bench, "text.csv", "it is larger than 64 MiB");
    // What a test worked on is no result, however large it is.
    sparse("data.bin", &[]);
    refused(&bench, "data.bin", "it is not text");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_and_never_waited_for() {
    let bench = Bench::new();
    let path = |name: &str| bench.path().join(name);
    std::os::unix::fs::symlink("nowhere", path("broken")).unwrap();
    refused(&bench, "broken", "it is a link that leads nowhere");
    refused(&bench, "/dev/zero", "it is a device, not a file");
    refused(&bench, "/dev/null", "it is a device, not a file");
    fs::create_dir(path("folder")).unwrap();
    refused(&bench, "folder", "folder");
    let folder = bench.run(&["size", "--demand", "folder"]).expect_code(2).stderr;
    assert!(folder.contains("`folder` is a folder; `iotrial size --demand` takes"), "{folder}");
    put(&bench, "secret.json", "{}");
    fs::set_permissions(path("secret.json"), std::os::unix::fs::PermissionsExt::from_mode(0o0)).unwrap();
    if File::open(path("secret.json")).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    refused(&bench, "secret.json", "ermission denied");
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_command_or_a_study_names_is_refused_when_it_is_no_file_or_too_large() {
    let bench = Bench::new();
    let pipe = bench.path().join("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    File::create(bench.path().join("huge.toml")).unwrap().set_len(5 << 30).unwrap();
    put(&bench, "study.toml", STUDY);
    let check = |arguments: &[&str], why: &str| {
        let ran = bench.run(arguments).expect_code(2);
        assert!(ran.stderr.contains(why), "{arguments:?}: {}", ran.stderr);
    };
    let (device, pipe, huge) =
        ("it is a device, not a file", "it is a pipe or a socket, not a file", "it is larger than 4 MiB");
    let sim = ["run", "oci-64k-randrw", "--engine", "sim", "--thresholds"];
    check(&[&sim[..], &["/dev/zero"]].concat(), device);
    check(&[&sim[..], &["./huge.toml"]].concat(), huge);
    check(&["run", "/dev/zero", "--engine", "sim"], device);
    check(&["study", "/dev/zero"], device);
    check(&["study", "export", "/dev/zero", "--label", "a"], device);
    check(&["study", "add", "study.toml", "/dev/zero"], device);
    for (name, why) in [("/dev/zero", device), ("./pipe.toml", pipe), ("./huge.toml", huge)] {
        put(&bench, "named.toml", STUDY.replace("\"sqlserver-log\"", &format!("\"{name}\"")));
        check(&["study", "named.toml"], why);
        let judged = STUDY.replace("[load]", &format!("[load]\nthresholds = \"{name}\""));
        put(&bench, "judged.toml", judged);
        check(&["study", "judged.toml", "--dry-run"], why);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_profile_and_a_threshold_set_may_come_through_a_pipe() {
    let bench = Bench::new();
    let pipe = bench.path().join("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let feed = |text: String| {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::write(pipe, text))
    };
    // Of a simulated device, so that it is inconclusive; but it is a run.
    let is_run = |arguments: &[&str]| {
        let short = ["--engine", "sim", "--ramp", "0s", "--duration", "1s", "--quiet"];
        let ran = bench.run(&[&["run"], arguments, &short[..]].concat());
        assert_eq!(ran.code, 4, "{}", ran.stderr);
    };
    let profile = bench.run(&["profiles", "sqlserver-log"]).stdout;
    let fed = feed(profile);
    is_run(&["./pipe.toml"]);
    fed.join().unwrap().unwrap();
    let set = format!("{}/../iotrial-analysis/thresholds/flash.toml", env!("CARGO_MANIFEST_DIR"));
    let fed = feed(fs::read_to_string(set).unwrap());
    is_run(&["sqlserver-log", "--thresholds", "./pipe.toml"]);
    fed.join().unwrap().unwrap();
}

/// A pipe is read to its end, as `<(…)` of a shell makes them.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_read_once_and_an_empty_one_is_empty() {
    let bench = Bench::new();
    let pipe = bench.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let feed = |bytes: Vec<u8>| {
        let pipe = pipe.clone();
        std::thread::spawn(move || File::options().write(true).open(pipe).unwrap().write_all(&bytes))
    };
    for reader in READERS {
        let fed = feed(Vec::new());
        let ran = bench.run(&[reader, &["pipe"]].concat()).expect_code(2);
        assert!(ran.stderr.contains("it is empty"), "{reader:?}: {}", ran.stderr);
        fed.join().unwrap().unwrap();
    }
    let fed = feed(fs::read(golden("fio/mix.json")).unwrap());
    bench.run(&["audit", "pipe"]).expect_code(0);
    fed.join().unwrap().unwrap();
}
