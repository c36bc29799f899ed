//! Clocks that were wrong: results, journals, imports and recordings of any date are read without a panic, and none of a time to come is
//! `last`.

use std::fs;
use std::path::Path;

use crate::support::{Bench, Ran};
use serde_json::{Value, json};

/// Starts that a record may claim: far back, at the ends of what clocks and calendars can count, beyond them, and no time at all.
const STARTS: [&str; 16] = [
    "-009999-01-01T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "1600-02-29T00:00:00Z",
    "1969-12-31T23:59:59Z",
    "1970-01-01T00:00:00Z",
    "1980-01-01T00:00:00Z",
    "2038-01-19T03:14:08Z",
    "2056-11-26T12:00:00Z",
    "9999-12-30T22:00:00.999999999Z",
    "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59.999999999+25:59",
    "10000-01-01T00:00:00Z",
    "+010000-01-01T00:00:00Z",
    "9223372036854775807",
    "yesterday",
    "",
];

/// Times of ids, as a ULID writes them: in 1970, in 2056, and the last of all.
const IDS: [&str; 3] = ["0000000000", "02FT2HSV00", "7ZZZZZZZZZ"];

/// Neither a panic nor a signal, whatever the answer.
#[track_caller]
fn check(bench: &Bench, arguments: &[&str]) -> Ran {
    let ran = bench.run(arguments);
    assert!((0..=4).contains(&ran.code), "{arguments:?} ended with {}: {}", ran.code, ran.stderr);
    ran
}

/// The path of the record of a short run of a simulated device.
fn run(bench: &Bench) -> String {
    let arguments =
        ["run", "--closed", "sqlserver-log", "--engine", "sim", "--duration=1s", "--ramp=0s", "--json"];
    bench.run(&arguments).json()["record"].as_str().unwrap().to_owned()
}

/// Puts a copy of a record into the store under another id and start.
fn plant(bench: &Bench, record: &str, id: &str, start: &str) {
    let mut record: Value = serde_json::from_slice(&fs::read(record).unwrap()).unwrap();
    (record["id"], record["started_at"]) = (json!(id), json!(start));
    fs::write(bench.store().join(format!("{id}.iotrial.json")), record.to_string()).unwrap();
}

fn stem(path: &Value) -> String {
    Path::new(path.as_str().unwrap()).file_name().unwrap().to_string_lossy()[..26].to_owned()
}

#[test]
fn last_prefers_the_past_and_a_start_in_the_future_is_told() {
    let bench = Bench::new();
    let (first, second) = (run(&bench), run(&bench));
    let by_id = format!("{}0000000000000000", IDS[1]);
    // A clock that was wrong is in both of them; somebody who wants to be the newest writes only one.
    let by_start = second.rsplit('/').next().unwrap()[..10].to_owned() + "ZZZZZZZZZZZZZZZZ";
    plant(&bench, &first, &by_id, STARTS[7]);
    plant(&bench, &first, &by_start, STARTS[7]);
    let mut past = [first, second].map(|path| stem(&json!(path)));
    past.sort();
    for (name, id) in [("last", &past[1]), ("last~1", &past[0]), ("last~2", &by_id), ("last~3", &by_start)] {
        let shown = bench.run(&["report", name, "--json"]);
        assert_eq!(
            (stem(&shown.json()["record"]), shown.stderr.contains("warning: ")),
            (id.clone(), true),
            "{name}"
        );
    }
    let told = |arguments: &[&str]| assert!(bench.run(arguments).stderr.contains(&by_id), "{arguments:?}");
    told(&["records"]);
    told(&["records", "--json"]);
    told(&["report", &by_id]);
    told(&["open", "last", "--print"]);
    told(&["label", "last", "named"]);
    let named = bench.run(&["records", "--label", "named", "--json"]).json();
    assert_eq!(named[0]["id"], json!(past[1]));
    told(&["remove", "last"]);
    assert!(!bench.store().join(format!("{}.iotrial.json", past[1])).exists());
    assert!(bench.store().join(format!("{by_id}.iotrial.json")).exists());
    // What is known to be of the past is told without a word.
    bench.run(&["remove", &by_id, &by_start]).expect_code(0);
    let quiet = bench.run(&["report", "last", "--json"]);
    assert!(!quiet.stderr.contains("future"), "{}", quiet.stderr);
}

#[test]
fn no_date_of_a_record_panics_in_any_command_that_reads_records() {
    let bench = Bench::new();
    let record = run(&bench);
    let mut ids = Vec::new();
    for (at, start) in STARTS.iter().enumerate() {
        let id = format!("{}00000000000000{at:02}", IDS[at % IDS.len()]);
        plant(&bench, &record, &id, start);
        ids.push(id);
    }
    for id in &ids {
        check(&bench, &["report", id]);
        check(&bench, &["report", id, "--json"]);
    }
    for zone in ["UTC", "Pacific/Kiritimati", "Etc/GMT+12"] {
        let ran = bench.command(&["records"]).env("TZ", zone).output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{zone}");
    }
    for since in
        ["-009999-01-01", "1600-01-01", "9999-12-31", "9999-12-31T23:59Z", "4294967295d", "10000-01-01"]
    {
        check(&bench, &["records", "--json", &format!("--since={since}")]);
    }
    let all: Vec<&str> = ids.iter().map(String::as_str).collect();
    check(&bench, &["records", "--csv"]);
    check(&bench, &[&["report"], &all[..]].concat());
    check(
        &bench,
        &[&["report", "--html", "a.html", "--xlsx", "a.xlsx", "--csv", "a.csv"], &all[..]].concat(),
    );
    check(&bench, &[&["report", "--markdown", "a.md", "--junit", "a.xml"], &all[..1]].concat());
    check(&bench, &["compare", all[0], all[8]]);
    check(&bench, &[&["audit"], &all[..]].concat());
    check(&bench, &["size", "--demand", all[9], "--provider", "oci"]);
    for name in ["last", "last~3", "last~15"] {
        check(&bench, &["open", name, "--print"]);
        check(&bench, &["label", name, "x"]);
    }
    check(&bench, &[&["remove"], &all[..]].concat());
    check(&bench, &["records", "--trash"]);
    check(&bench, &[&["remove", "--restore"], &all[..]].concat());
}

#[test]
fn no_date_of_a_study_an_import_or_a_recording_panics() {
    let bench = Bench::new();
    let study = "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"s\"\nprofiles = [\"sqlserver-log\"]\nrepeats = 1\n[load]\n\
                 engine = \"sim\"\nramp = \"0s\"\nduration = \"1s\"\n[[configuration]]\nlabel = \"a\"\n";
    fs::write(bench.path().join("s.toml"), study).unwrap();
    bench.run(&["study", "s.toml"]).expect_code(0);
    let journal = bench.store().join("s.iotrial.study");
    let text = fs::read_to_string(&journal).unwrap();
    let (before, rest) = text.split_once("\"at\":\"").unwrap();
    let after = rest.split_once('"').unwrap().1;
    for start in STARTS {
        fs::write(&journal, format!("{before}\"at\":\"{start}\"{after}")).unwrap();
        check(&bench, &["study", "s.toml", "--status"]);
        check(&bench, &["study", "s.toml", "--resume"]);
        check(&bench, &["records"]);
    }

    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../iotrial-import/tests/golden/fio/mix.json");
    let mut fio: Value = serde_json::from_slice(&fs::read(golden).unwrap()).unwrap();
    let seconds: [f64; 12] = [
        -9.3e18,
        -377_705_116_801.0,
        -11_676_096_000.0,
        -1.0,
        0.0,
        315_532_800.0,
        2_147_483_648.0,
        4_294_967_296.0,
        253_402_300_799.0,
        253_402_300_800.0,
        9.3e18,
        1e300,
    ];
    for at_s in seconds {
        #[expect(clippy::cast_possible_truncation, reason = "as far as it goes")]
        let (whole, ms) = (at_s as i64, (1e3 * at_s) as i64);
        (fio["timestamp"], fio["timestamp_ms"]) = (json!(whole), json!(ms));
        fs::write(bench.path().join("fio.json"), fio.to_string()).unwrap();
        check(&bench, &["report", "fio.json"]);
        check(&bench, &["import", "fio.json"]);
        let line = |at: f64| json!({ "at_s": at, "duration_s": 1.0, "disks": [{ "name": "sda", "read_iops": 9.0 }] });
        let gone = json!({ "at_s": at_s + 2.0, "duration_s": 1.0, "disks": [] });
        let head = json!({ "format": "iotrial.watch/1", "version": "0.1.0", "host": "h", "interval_s": 1.0 });
        let lines = [head, line(at_s), line(at_s + 1.0), gone].map(|line| line.to_string() + "\n").concat();
        fs::write(bench.path().join("w.jsonl"), lines).unwrap();
        check(&bench, &["watch", "w.jsonl", "--html", "w.html", "--overwrite"]);
        check(&bench, &["watch", "w.jsonl", "--json"]);
        check(&bench, &["watch", "w.jsonl", "--xlsx", "w.xlsx", "--csv", "w.csv", "--overwrite"]);
    }
    check(&bench, &["records"]);
    check(&bench, &["report", "last"]);
}
