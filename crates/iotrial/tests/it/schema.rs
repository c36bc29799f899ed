//! `iotrial schema`, held against records and against the types that read them.

#[path = "support/json_schema.rs"]
mod json_schema;

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use crate::support::Bench;
use iotrial_model::imported::{IMPORTED_FORMAT, ImportedRecord};
use iotrial_model::record::{RECORD_FORMAT, RunRecord};
use iotrial_model::sweep::{SWEEP_FORMAT, SweepRecord};
use json_schema::{OtherKeys, Validator};
use serde_json::{Value, json};

const STUDY: &str = "\
format = \"iotrial.study/1\"
name = \"sims\"
title = \"One device\"
profiles = [\"sqlserver-log\"]
repeats = 1
[load]
engine = \"sim\"
ramp = \"0s\"
duration = \"1s\"
[[configuration]]
label = \"one\"
[[configuration]]
label = \"two\"
";

/// What any of the jobs of a profile may have, at once.
const EVERYTHING: &str = "\
format = \"iotrial.profile/1\"
name = \"everything\"
title = \"Everything that a job may have\"
schedule = { duration = \"2s\" }
quick = { size = \"1GiB\", duration = \"2s\" }
[[job]]
name = \"hot\"
role = \"data\"
pattern = \"random\"
rwmix_read_percent = 70
block_sizes = [{ size = \"8KiB\", weight = 3 }, { size = \"64KiB\", weight = 1 }]
distribution = \"zipf\"
zipf_theta = 0.99
iodepth = 4
size = \"512MiB\"
[[job]]
name = \"spots\"
role = \"data\"
pattern = \"random\"
rwmix_read_percent = 100
block_size = \"8KiB\"
distribution = \"hotspot\"
hot_io_percent = 80
hot_space_percent = 20
iodepth = 4
size = \"256MiB\"
rate = \"2000 iops\"
spacing = \"poisson\"
[[job]]
name = \"log\"
role = \"log\"
pattern = \"sequential\"
rwmix_read_percent = 0
block_size = \"4KiB\"
durability = \"dsync\"
iodepth = 1
size = \"256MiB\"
";

fn schema(name: &str) -> Validator {
    let schema = Bench::new().run(&["schema", name]).expect_code(0);
    Validator::new(schema.json())
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .unwrap()
}

/// Records of real runs that are kept with the tests.
fn kept() -> Vec<(String, Value)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/undisturbed");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let records = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let records: Vec<_> = records.map(|path| (path.display().to_string(), read(&path))).collect();
    assert!(records.len() >= 8, "{}", records.len());
    records
}

/// Results of other tools that are kept with the tests of the import.
fn sources() -> Vec<PathBuf> {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../iotrial-import/tests/golden");
    let folders = std::fs::read_dir(golden).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.filter(|path| path.is_dir()).flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let files = files.map(|entry| entry.unwrap().path());
    files.filter(|path| !path.to_string_lossy().ends_with(".facts.txt")).collect()
}

/// A run with a record of its own, which begins to measure and is killed: the next command makes a record of its journal.
fn kill_a_run(bench: &Bench) {
    let arguments = ["run", "--closed", "--target", "data", "--size", "16MiB", "--ramp", "0s"];
    let mut child =
        bench.command(&[&arguments[..], &["--duration", "60s", "--json"]].concat()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let measures = lines.any(|line| line.is_ok_and(|line| line.starts_with("measure, 0:0")));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(measures, "the run never measured");
}

/// Records of every kind in the store, as the program writes them today.
fn made(bench: &Bench) -> Vec<(String, Value)> {
    std::fs::write(bench.path().join("everything.toml"), EVERYTHING).unwrap();
    std::fs::write(bench.path().join("study.toml"), STUDY).unwrap();
    let sim = ["--engine", "sim", "--seed", "1", "--ramp", "0s", "--quiet"];
    let failing = "error_share=0.01,short_share=0.01,service_time_us=500,parallelism=1";
    let pauses = [0.2, 1.2, 2.2, 3.2, 4.2].map(|start_s| format!("{{start_s={start_s},duration_s=0.1}}"));
    let away = format!("service_time_us=500,parallelism=16,host_pauses=[{}]", pauses.join(","));
    let runs: [&[&str]; 9] = [
        &["run", "--need", "4000iops", "--duration", "10s", "--sim", &away],
        &["run", "--closed", "--duration", "2s", "--label", "mine", "--attribute", "volumes=3"],
        &["run", "--need", "500iops", "--duration", "2s", "--attribute", "driver=sr-iov", "--anonymous"],
        &["run", "postgresql-oltp", "--need", "500iops", "--steps", "50%,100%", "--duration", "4s"],
        &["run", "sqlserver-checkpoint", "--closed", "--metric", "batch_requests_per_s=13100"],
        &["run", "--closed", "--until-steady", "10s", "--duration", "5s"],
        &["run", "mysql-oltp", "--closed", "--duration", "2s", "--sim", failing],
        &["run", "./everything.toml", "--closed", "--duration", "2s", "--sim", failing],
        &["sweep", "--pattern", "randwrite-8k", "--step", "1s", "--precondition", "1s", "--until-steady"],
    ];
    for run in runs {
        // A sweep has no ramp.
        let sim = sim.iter().filter(|word| run[0] == "run" || !["--ramp", "0s"].contains(word));
        let ran = bench.run(&run.iter().chain(sim).copied().collect::<Vec<_>>());
        assert!([0, 1, 4].contains(&ran.code), "{run:?}: {}", ran.stderr);
    }
    bench.run(&["study", "study.toml", "--yes", "--json"]).expect_code(0);
    let real = ["run", "--closed", "--size", "32MiB", "--ramp", "0s", "--duration", "1s", "--quiet"];
    let targets = ["--target", "data,tempdb,log=data", "--target", "log=logs"];
    let ran = bench.run(&[&real[..], &targets].concat());
    assert!([0, 1, 4].contains(&ran.code), "{}", ran.stderr);
    keep_a_verified_run(bench);
    kill_a_run(bench);
    bench.run(&["records"]).expect_code(0);
    for source in sources() {
        // Each that can be imported alone: parameters of SQLIO and logs of fio go with their result.
        bench.run(&["import", source.to_str().unwrap()]);
    }
    let records: Vec<_> =
        bench.stored(".json").iter().map(|path| (path.display().to_string(), read(path))).collect();
    let count_of = |format: &str| records.iter().filter(|(_, record)| record["format"] == *format).count();
    let counts = [RECORD_FORMAT, SWEEP_FORMAT, IMPORTED_FORMAT].map(count_of);
    assert!(counts[0] == 13 && counts[1] == 1 && counts[2] >= 20, "{counts:?}");
    assert!(records.iter().any(|(_, record)| record["ended"]["how"] == "interrupted"));
    records
}

/// A load that was verified, with all that is known of a fault: no device here lies.
fn keep_a_verified_run(bench: &Bench) {
    let path = bench.stored(".json").into_iter().find(|path| read(path)["label"] == "mine").unwrap();
    let mut record = read(&path);
    record.as_object_mut().unwrap().remove("checksum");
    record["id"] = json!("01JDVERFED0000000000000000");
    record["plan"]["verified"] = json!(true);
    record["plan"]["io_deadline_s"] = json!(15.0);
    record["plan"]["pages_per_entry"] = json!(2);
    record["plan"]["saturates"] = json!(true);
    let fault = json!({
        "kind": "misdirected-write", "path": "/data/a", "offset_bytes": 8192, "length_bytes": 8192, "noticed": "end-scan",
        "first_bad_byte": 8192, "bad_sectors": 16, "bad_bits": 2, "good_rereads": 0, "os_error": 5,
        "other_place": { "path": "/data/a", "offset_bytes": 65536 }, "device_byte": 1056768, "under_way_s": 16.5,
    });
    record["verification"] = json!({
        "pages": 2048, "pages_followed": 1024, "map_bytes": 8192, "writes": 9000, "pages_checked": 18000, "pages_overlapped": 3, "pages_scanned": 2048,
        "scan_complete": true, "pages_unknown": 1, "counts": { "misdirected-write": 1 }, "faults": [fault],
        "capacities": [{ "path": "/data/a", "written_bytes": 16777216, "kept_bytes": 8388608 }],
        "kernel_log": ["I/O error, dev sda, sector 2048"],
    });
    let name = "01JDVERFED0000000000000000.iotrial.json";
    std::fs::write(path.with_file_name(name), record.to_string()).unwrap();
}

/// Whether iotrial itself can make a record of it.
fn is_readable(format: &Value, record: Value) -> bool {
    match format.as_str().unwrap() {
        RECORD_FORMAT => serde_json::from_value::<RunRecord>(record).is_ok(),
        SWEEP_FORMAT => serde_json::from_value::<SweepRecord>(record).is_ok(),
        IMPORTED_FORMAT => serde_json::from_value::<ImportedRecord>(record).is_ok(),
        other => panic!("{other}"),
    }
}

/// The places of all values in a document, of those that differ only in an index the first one.
fn places(value: &Value, at: &str, kind: &str, seen: &mut BTreeSet<String>, all: &mut Vec<String>) {
    let mut go = |key: &str, kind_of_key: &str, within: &Value, all: &mut Vec<String>| {
        // As a JSON Pointer has it (RFC 6901).
        let escaped = key.replace('~', "~0").replace('/', "~1");
        let (at, kind) = (format!("{at}/{escaped}"), format!("{kind}/{kind_of_key}"));
        if seen.insert(kind.clone()) {
            all.push(at.clone());
        }
        places(within, &at, &kind, seen, all);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, within)| go(key, key, within, all)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, within)| go(&index.to_string(), "*", within, all));
        }
        _ => {}
    }
}

/// The document without what is at a place.
fn without(document: &Value, place: &str) -> Value {
    let (parent, key) = place.rsplit_once('/').unwrap();
    let mut changed = document.clone();
    if let Some(Value::Object(members)) = changed.pointer_mut(parent) {
        members.remove(&key.replace("~1", "/").replace("~0", "~"));
    }
    changed
}

fn with(document: &Value, place: &str, value: Value) -> Value {
    let mut changed = document.clone();
    *changed.pointer_mut(place).unwrap() = value;
    changed
}

/// Values that are of another kind than the one that is there.
fn of_another_kind(value: &Value) -> Vec<Value> {
    match value {
        Value::String(_) => vec![json!([]), json!({ "a": 1 })],
        Value::Number(number) if number.is_f64() => vec![json!("x"), json!([]), json!(-1.0)],
        Value::Number(_) => vec![json!("x"), json!([]), json!(-1), json!(1.5)],
        Value::Bool(_) => vec![json!("x"), json!(1)],
        Value::Array(_) | Value::Object(_) => vec![json!("x"), json!(1)],
        Value::Null => vec![],
    }
}

/// Every key of a record, each taken away and given a value of another kind: whatever iotrial cannot read, the schema refuses, and
/// what it refuses, iotrial cannot read.
fn check_agreement(schema: &Validator, name: &str, record: &Value, seen: &mut BTreeSet<String>) -> usize {
    let mut places_of_record = Vec::new();
    places(record, "", record["format"].as_str().unwrap(), seen, &mut places_of_record);
    let agree = |place: &str, changed: Value, what: &str| {
        let mistakes = schema.mistakes(&changed, OtherKeys::PassedOver);
        let is_readable = is_readable(&record["format"], changed);
        assert_eq!(is_readable, mistakes.is_empty(), "{name}: {place} {what}: {mistakes:?}");
    };
    for place in &places_of_record {
        agree(place, without(record, place), "taken away");
        // Both are looser in reading than in writing: settings of a later version are passed over, and the range of a metric is
        // checked after reading.
        let is_looser = place.contains("/host_facts/") || place.starts_with("/metrics/");
        for value in of_another_kind(record.pointer(place).unwrap()).into_iter().filter(|_| !is_looser) {
            let what = format!("as {value}");
            agree(place, with(record, place, value), &what);
        }
    }
    places_of_record.len()
}

/// What `report` prints of a result, held against its schema; the names of its keys are added to `seen`.
fn check_summary(bench: &Bench, schema: &Validator, path: &str, seen: &mut BTreeSet<String>) {
    let gates = ["--gate", "read.p99 < 1s", "--gate", "write.p99 < 1s"];
    for gates in [&[][..], &gates[..2], &gates[2..]] {
        let shown = bench.run(&[&["report", path, "--json"], gates].concat());
        // There is no gate on what a load does not have.
        if shown.code == 2 && !gates.is_empty() {
            continue;
        }
        let summary = shown.json();
        let mistakes = schema.mistakes(&summary, OtherKeys::Refused);
        assert!(mistakes.is_empty(), "{path}: {mistakes:#?}");
        keys_of(&summary, seen);
    }
}

fn keys_of(value: &Value, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            all.extend(members.keys().cloned());
            members.values().for_each(|within| keys_of(within, all));
        }
        Value::Array(items) => items.iter().for_each(|within| keys_of(within, all)),
        _ => {}
    }
}

/// The names of the keys that a schema has.
fn keys_in(schema: &Value, all: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            all.extend(
                members
                    .get("properties")
                    .and_then(Value::as_object)
                    .into_iter()
                    .flatten()
                    .map(|(key, _)| key.clone()),
            );
            members.values().for_each(|within| keys_in(within, all));
        }
        Value::Array(items) => items.iter().for_each(|within| keys_in(within, all)),
        _ => {}
    }
}

/// Keys of what others did beside a run, and how busy the generator was.
const OF_BUSY_HOST: [&str; 7] =
    ["busy_percent", "cpu_percent", "during", "others_cpu_percent", "pid", "processes", "steal_percent"];

/// Keys that no result of this test has: of bounds in other words, changes, loads in doubt, steps that cross a limit, ramps of a load, proposals out of their range, a
/// threshold set that says what a category means, and of the page of `run`.
const NOT_HERE: [&str; 20] = [
    "about",
    "at_most",
    "before",
    "computed",
    "crossed",
    "device_iops",
    "disks",
    "from_percent",
    "further_roles",
    "high_percent",
    "impact",
    "low_percent",
    "meaning",
    "not_held_doubts",
    "read_bytes_per_s",
    "report",
    "suitable_for",
    "time_ran_out",
    "waited_s",
    "write_bytes_per_s",
];

#[test]
fn records_and_what_is_printed_of_them_are_as_the_schemas_say_and_what_iotrial_cannot_read_is_refused() {
    let bench = Bench::new();
    let (of_records, of_summaries) = (schema("record"), schema("summary"));
    let (mut seen, mut printed, mut count) = (BTreeSet::new(), BTreeSet::new(), 0);
    for (path, mut record) in kept().into_iter().chain(made(&bench)) {
        let mistakes = of_records.mistakes(&record, OtherKeys::Refused);
        assert!(mistakes.is_empty(), "{path}: {mistakes:#?}");
        if record["format"] != SWEEP_FORMAT {
            check_summary(&bench, &of_summaries, &path, &mut printed);
        }
        // A few of the seconds have all keys that there are.
        for key in ["intervals", "probes"] {
            if let Some(Value::Array(items)) = record.get_mut(key) {
                items.truncate(3);
            }
        }
        count += check_agreement(&of_records, &path, &record, &mut seen);
    }
    assert!(count > 400, "{count}");
    let mut known = BTreeSet::new();
    keys_in(&bench.run(&["schema", "summary"]).json(), &mut known);
    // Only of a busy host, or of one that tells.
    known.retain(|key| !OF_BUSY_HOST.contains(&key.as_str()));
    let never: Vec<&str> = known.difference(&printed).map(String::as_str).collect();
    assert_eq!(never, NOT_HERE, "keys of the schema that nothing has");
}

#[test]
fn the_schema_of_one_kind_of_record_does_not_take_another() {
    let (schema, (_, record)) = (schema("record"), kept().remove(0));
    for format in [SWEEP_FORMAT, IMPORTED_FORMAT, "iotrial.record/2", ""] {
        let changed = with(&record, "/format", json!(format));
        assert!(!schema.mistakes(&changed, OtherKeys::PassedOver).is_empty(), "{format}");
    }
    let newer = json!({ "later": 1 });
    let mut changed = record.clone();
    changed["later"] = newer;
    assert!(schema.mistakes(&changed, OtherKeys::PassedOver).is_empty());
    assert_eq!(schema.mistakes(&changed, OtherKeys::Refused), ["/later is not in the schema"]);
}

#[test]
fn schemas_are_listed_and_an_unknown_one_is_refused_with_the_names() {
    let bench = Bench::new();
    let listed = bench.run(&["schema"]).expect_code(0);
    assert!(listed.stdout.starts_with("record "), "{}", listed.stdout);
    let refused = bench.run(&["schema", "recrod"]).expect_code(2);
    assert!(refused.stderr.contains("there is no schema `recrod`"), "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: there are record, summary"), "{}", refused.stderr);
}
