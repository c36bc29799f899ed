//! The example that reads records into pandas, in a virtual environment with released packages: its figures are those of iotrial.
//!
//! The environment is in the target folder, made once for each list of packages, and needs Python 3.11 and the network for that. Without
//! them the tests are skipped with a message.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::support::{Bench, Ran};
use serde_json::{Value, json};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python");

/// The last line of what a command says where it fails.
fn outcome(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{:?}: {error}", command.get_program()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    Err(text(&output.stderr).lines().last().unwrap_or("it fails without a word").to_owned())
}

/// Makes the environment, unless it is there; says why it cannot.
fn make_environment() -> Result<PathBuf, String> {
    let requirements = Path::new(FOLDER).join("requirements.txt");
    let mut hasher = DefaultHasher::new();
    std::fs::read_to_string(&requirements).unwrap().hash(&mut hasher);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("python-{:016x}", hasher.finish()));
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    // Last, so that an environment that was made in part is made again.
    let ready = folder.join("ready");
    if ready.exists() {
        return Ok(python);
    }
    let system = if cfg!(windows) { "python" } else { "python3" };
    outcome(
        Command::new(system)
            .args(["-c", "import sys; sys.exit(sys.version_info < (3, 11) and 'older than 3.11')"]),
    )?;
    outcome(Command::new(system).args(["-m", "venv", "--clear"]).arg(&folder))?;
    let quick = [
        "--quiet",
        "--disable-pip-version-check",
        "--only-binary",
        ":all:",
        "--retries",
        "1",
        "--timeout",
        "15",
    ];
    outcome(
        Command::new(&python)
            .args(["-m", "pip", "install"])
            .args(quick)
            .arg("--requirement")
            .arg(&requirements),
    )?;
    std::fs::write(&ready, "").unwrap();
    Ok(python)
}

/// The Python of the environment; `None` where there is none, after saying why.
fn python() -> Option<&'static Path> {
    static ENVIRONMENT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match ENVIRONMENT.get_or_init(make_environment) {
        Ok(python) => Some(python),
        Err(why) => {
            eprintln!("skipped: no Python with the packages of examples/python/requirements.txt: {why}");
            None
        }
    }
}

fn read_records(python: &Path, bench: &Bench, arguments: &[&str]) -> Ran {
    let mut command = Command::new(python);
    command.arg(Path::new(FOLDER).join("read_records.py")).args(arguments);
    // No files of bytecode beside the example.
    command
        .env("IOTRIAL", env!("CARGO_BIN_EXE_iotrial"))
        .env("IOTRIAL_STORE", bench.store())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(bench.path());
    Ran::from(command.output().unwrap())
}

/// Two numbers that are the same but for the rounding of text.
fn is_same(ours: &Value, theirs: &Value) -> bool {
    match (ours.as_f64(), theirs.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Every figure that Python makes of a record is the one that iotrial prints of it; returns how many there are.
fn check_figures(rows: &[Value], summary: &Value) -> usize {
    let mut count = 0;
    for row in rows {
        let (role, stream) = (row["role"].as_str().unwrap(), row["stream"].as_str().unwrap());
        let of_role = if role == "total" { &summary["total"] } else { &summary["roles"][role] };
        for (figure, ours) in
            of_role[stream].as_object().unwrap_or_else(|| panic!("{role} {stream}: {summary:#}"))
        {
            // It is of a sample, and not in every record a fair one.
            if figure != "slat_mean_us" {
                assert!(is_same(ours, &row[figure]), "{role} {stream} {figure}: {ours} and {}", row[figure]);
                count += 1;
            }
        }
    }
    let of_roles =
        summary["roles"].as_object().unwrap().values().map(|streams| streams.as_object().unwrap().len());
    assert_eq!(rows.len(), summary["total"].as_object().unwrap().len() + of_roles.sum::<usize>());
    count
}

/// The rows of one record, in a list of those of several.
fn rows_of<'r>(rows: &'r [Value], id: &str) -> Vec<&'r Value> {
    rows.iter().filter(|row| row["id"] == *id).collect()
}

#[test]
fn figures_that_python_makes_of_records_are_those_of_iotrial() {
    let Some(python) = python() else { return };
    let bench = Bench::new();
    let sim = ["--engine", "sim", "--seed", "1", "--ramp", "1s", "--quiet"];
    let failing = "error_share=0.01,service_time_us=500,service_spread=0.9,parallelism=4";
    let slow = "service_time_us=500,parallelism=4";
    let runs: [&[&str]; 4] = [
        &["run", "--closed", "--duration", "5s", "--label", "closed", "--sim", slow],
        &["run", "postgresql-oltp", "--closed", "--duration", "5s", "--sim", failing],
        &["run", "--need", "500iops", "--duration", "5s", "--sim", slow],
        // So large that its record is packed.
        &["run", "--closed", "--duration", "900s", "--sim", "service_time_us=20000,parallelism=1"],
    ];
    for run in runs {
        let ran = bench.run(&[run, &sim].concat());
        assert!([0, 1, 4].contains(&ran.code), "{}", ran.stderr);
    }
    assert_eq!((bench.stored(".iotrial.json").len(), bench.stored(".iotrial.json.zst").len()), (3, 1));
    let table = read_records(python, &bench, &["--json"]).expect_code(0).json();
    let table = table.as_array().unwrap();
    let ids: Vec<String> = bench
        .run(&["records", "--json"])
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 4);
    let mut count = 0;
    for id in &ids {
        let rows: Vec<Value> = rows_of(table, id).into_iter().cloned().collect();
        count += check_figures(&rows, &bench.run(&["report", id, "--json"]).json());
    }
    // Real runs, whose latencies no formula made.
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/undisturbed");
    for name in ["oltp", "open", "threads"] {
        let path = format!("{golden}/{name}.iotrial.json");
        let rows = read_records(python, &bench, &[&path, "--json"]).expect_code(0).json();
        count += check_figures(rows.as_array().unwrap(), &bench.run(&["report", &path, "--json"]).json());
    }
    assert!(count > 300, "{count}");
}

#[test]
fn seconds_and_the_list_of_the_store_are_read_as_well() {
    let Some(python) = python() else { return };
    let bench = Bench::new();
    let run =
        ["run", "--closed", "--engine", "sim", "--seed", "1", "--ramp", "1s", "--duration", "3s", "--quiet"];
    bench.run(&[&run[..], &["--label", "mine"]].concat());
    bench.run(&["sweep", "--engine", "sim", "--pattern", "randread-8k", "--step", "1s", "--quiet"]);
    let listed = bench.run(&["records", "--json", "--sort", "started", "--reverse"]).expect_code(0).json();
    let rows = read_records(python, &bench, &["--list", "--json"]).expect_code(0).json();
    assert_eq!(rows.as_array().unwrap().len(), 2, "{rows:#}");
    for (row, listed) in rows.as_array().unwrap().iter().zip(listed.as_array().unwrap()) {
        for key in ["id", "kind", "started_at", "profile", "label", "ended"] {
            assert_eq!(
                row[key],
                listed.get(key).cloned().unwrap_or(Value::Null),
                "{key}: {row:#} {listed:#}"
            );
        }
    }
    let whole = read_records(python, &bench, &["--json"]).expect_code(0).json();
    let seconds = read_records(python, &bench, &["--seconds", "--json"]).expect_code(0).json();
    let reads = |rows: &Value, wanted: &[(&str, &str)]| -> u64 {
        let is_wanted = |row: &&Value| wanted.iter().all(|(key, value)| row[*key] == *value);
        rows.as_array().unwrap().iter().filter(is_wanted).map(|row| row["io_count"].as_u64().unwrap()).sum()
    };
    let of_seconds = reads(&seconds, &[("stream", "read"), ("phase", "measure")]);
    assert_eq!(of_seconds, reads(&whole, &[("stream", "read"), ("role", "total")]));
    assert!(of_seconds > 0 && reads(&seconds, &[("stream", "read"), ("phase", "ramp")]) > 0);
}

#[test]
fn a_full_validator_takes_records_of_every_kind_and_names_what_is_wrong_in_a_spoilt_one() {
    let Some(python) = python() else { return };
    let bench = Bench::new();
    let schema = bench.run(&["schema", "record"]).expect_code(0).stdout;
    std::fs::write(bench.path().join("schema.json"), schema).unwrap();
    let sim = ["--engine", "sim", "--seed", "1", "--quiet"];
    bench.run(
        &[&["run", "postgresql-oltp", "--need", "500iops", "--ramp", "1s", "--duration", "2s"], &sim[..]]
            .concat(),
    );
    bench.run(&[&["sweep", "--pattern", "randread-8k", "--step", "1s"], &sim[..]].concat());
    let fio = concat!(env!("CARGO_MANIFEST_DIR"), "/../iotrial-import/tests/golden/fio/mix.json");
    bench.run(&["import", fio]).expect_code(0);
    let check = |more: &[&str]| read_records(python, &bench, &[&["--schema", "schema.json"], more].concat());
    check(&[]).expect_code(0);
    let run = &bench.stored(".iotrial.json")[0];
    let whole: Value = serde_json::from_slice(&std::fs::read(run).unwrap()).unwrap();
    let refused = |pointer: &str, value: Value, why: &str| {
        let mut record = whole.clone();
        *record.pointer_mut(pointer).unwrap() = value;
        std::fs::write(bench.path().join("spoilt.json"), record.to_string()).unwrap();
        let refused = check(&["spoilt.json"]).expect_code(1).stderr;
        assert!(refused.starts_with("spoilt.json: $") && refused.contains(why), "{refused}");
    };
    refused("/plan/seed", json!("one"), "$.plan.seed: 'one' is not of type 'integer'");
    refused("/plan/jobs/0/arrival", json!({ "kind": "sometimes" }), "$.plan.jobs[0].arrival");
    refused("/host", json!({ "name": "a", "os": "b" }), "$.host: 'cpu_count' is a required property");
}
