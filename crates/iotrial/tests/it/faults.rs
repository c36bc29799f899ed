//! Bad input and faults: one clear error with a hint, the right exit code, nothing written.

use crate::support::Bench;
use serde_json::Value;

#[track_caller]
fn refused(bench: &Bench, arguments: &[&str], code: i32, parts: &[&str]) {
    let before = bench.data_files();
    let ran = bench.run(arguments).expect_code(code);
    for part in parts {
        assert!(ran.stderr.contains(part), "`{part}` is missing in:\n{}", ran.stderr);
    }
    assert_eq!((ran.stdout.as_str(), bench.data_files()), ("", before));
    assert!(bench.stored(".json").is_empty() && bench.stored(".journal").is_empty());
}

#[test]
fn wrong_words_on_the_command_line_are_refused_with_the_right_ones() {
    let bench = Bench::new();
    let check = |arguments: &[&str], parts: &[&str]| refused(&bench, arguments, 2, parts);
    check(
        &["run", "sqlserver-oltb"],
        &["no built-in profile `sqlserver-oltb`", "hint: did you mean `sqlserver-oltp`?"],
    );
    check(
        &["run", "sqlserver"],
        &[
            "hint: did you mean `sqlserver-oltp`? There are also sqlserver-checkpoint, sqlserver-log, sqlserver-commit, sqlserver-dss",
        ],
    );
    check(&["run", "--thresholds", "oci"], &["hint: did you mean `oci-sqlserver`?"]);
    check(&["run", "./absent.toml"], &["cannot read the profile `./absent.toml`", "No such file", "hint:"]);
    check(&["run", "--size", "2"], &["no unit", "GiB"]);
    check(&["run", "--size", "2XiB"], &["unknown unit `XiB`"]);
    check(&["run", "--size", "0k"], &["more than zero", "hint:"]);
    check(&["run", "--size=-1GiB"], &["zero or more"]);
    check(&["run", "--duration", "20"], &["no unit", "ms, s, m"]);
    check(&["run", "--duration", "0s"], &["longer than zero"]);
    check(&["run", "--engine", "libaio"], &["possible values: uring, iocp, threads"]);
    check(&["run", "--attribute", "volumes"], &["KEY=VALUE"]);
    check(&["run", "--thresholds", "flahs"], &["flahs", "hint: did you mean `flash`?"]);
    check(&["run", "--size", "4k"], &["4 KiB", "hint: give a larger --size"]);
    check(&["run", "--destroy", "0123"], &["more --destroy tokens than raw devices"]);
    std::fs::create_dir(bench.path().join("volume")).unwrap();
    check(&["run", "--need", "volume", "--dry-run"], &["`volume` is a folder", "`iotrial run --need` takes"]);
    check(&["report", "01ABC"], &["neither a file nor an id or label", "hint: `iotrial records`"]);
}

#[test]
fn a_usage_line_asks_for_no_store_where_the_environment_names_one() {
    // The bench sets IOTRIAL_STORE.
    let bench = Bench::new();
    for command in ["report", "compare", "audit"] {
        let ran = bench.run(&[command]).expect_code(2);
        assert!(ran.stderr.contains("Usage:") && !ran.stderr.contains("--store"), "{}", ran.stderr);
    }
}

#[test]
fn the_usage_of_label_says_when_the_label_may_be_left_out() {
    let told = Bench::new().run(&["label", "last"]).expect_code(2).stderr;
    let usage = "Usage: iotrial label [OPTIONS] <RESULT> <LABEL>\n       \
                 iotrial label [OPTIONS] --metric <NAME=VALUE> <RESULT> [LABEL]\n";
    assert!(told.contains(usage), "{told}");
}

#[test]
fn the_names_that_fio_and_diskspd_have_for_the_duration_are_understood() {
    let bench = Bench::new();
    let plan = |option: &str| {
        bench
            .run(&["run", "--engine", "sim", "--seed", "1", "--dry-run", "--json", option, "7s"])
            .expect_code(0)
            .stdout
    };
    let expected = plan("--duration");
    assert_eq!((plan("--time"), plan("--runtime")), (expected.clone(), expected));
}

#[test]
fn mistakes_in_a_profile_are_all_named_with_their_places() {
    let bench = Bench::new();
    let text = bench.run(&["profiles", "sqlserver-log"]).expect_code(0).stdout;
    let text = text.replace("block_size", "blok_size").replace("iodepth = ", "iodepth = -");
    std::fs::write(bench.path().join("mine.toml"), &text).unwrap();
    let line = text.lines().position(|line| line.starts_with("blok_size")).unwrap() + 1;
    let place = format!("line {line}, column 1: unknown key `blok_size` (did you mean `block_size`?)");
    refused(
        &bench,
        &["run", "./mine.toml"],
        2,
        &[&place, "`iodepth` must be from 1 to 4096", "hint: `iotrial docs profiles`"],
    );
}

#[test]
fn targets_that_cannot_be_used_are_refused_with_the_reason() {
    let bench = Bench::new();
    // Another path would mend these: they are wrong input, whatever the command.
    let run = |target: &str, parts: &[&str]| {
        refused(&bench, &["run", "--target", target, "--size", "32MiB"], 2, parts)
    };
    run("absent/below", &["absent", "hint:"]);
    run("/dev/sdzz", &["/dev/sdzz", "hint:"]);
    run("/proc", &["/proc", "hint:"]);
    refused(&bench, &["target", "data"], 2, &["is a directory, not a block device", "hint:"]);
    refused(&bench, &["target", "/dev/sdzz"], 2, &["/dev/sdzz", "hint:"]);
    std::fs::write(bench.path().join("notes.txt"), "mine").unwrap();
    run("notes.txt", &["notes.txt", "hint:"]);
    assert_eq!(std::fs::read_to_string(bench.path().join("notes.txt")).unwrap(), "mine");
    refused(&bench, &["run", "--target", "data", "--size", "9000TiB"], 3, &["may be used", "hint:"]);
    let foreign = bench.data().join("sql-log.iotrial");
    std::fs::write(&foreign, "a database's log").unwrap();
    refused(&bench, &["run", "--target", "data", "--size", "32MiB"], 3, &["sql-log.iotrial", "hint:"]);
    assert_eq!(std::fs::read_to_string(&foreign).unwrap(), "a database's log");
}

#[test]
fn a_report_never_takes_the_place_of_a_record_a_profile_or_a_study() {
    let bench = Bench::new();
    bench.run(&["run", "mysql-oltp", "--engine", "sim", "--ramp", "0s", "--duration", "1s", "--quiet"]);
    let record = bench.stored(".iotrial.json").remove(0);
    let before = std::fs::read(&record).unwrap();
    let name = record.to_str().unwrap();
    let ran = bench.run(&["report", name, "--html", name, "--overwrite"]).expect_code(2);
    assert!(ran.stderr.contains("hint:"), "{}", ran.stderr);
    assert_eq!(std::fs::read(&record).unwrap(), before);
    let study = "# mine\nformat = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"t\"\nprofiles = [\"mysql-oltp\"]\nrepeats = 1\n\
                 [load]\nengine = \"sim\"\nramp = \"0s\"\nduration = \"1s\"\n[[configuration]]\nlabel = \"a\"\n[[configuration]]\nlabel = \"b\"\n";
    std::fs::write(bench.path().join("s.toml"), study).unwrap();
    for resume in [&[][..], &["--resume"], &["--overwrite"]] {
        let arguments = [&["study", "s.toml", "--html", "s.toml"], resume].concat();
        assert_eq!(bench.run(&arguments).code, 2, "{resume:?}");
        assert_eq!(std::fs::read_to_string(bench.path().join("s.toml")).unwrap(), study);
    }
}

#[test]
fn a_damaged_index_is_made_anew_and_a_damaged_record_is_named() {
    let bench = Bench::new();
    bench.run(&["run", "--closed", "--engine", "sim", "--duration", "1s", "--quiet", "--json"]);
    assert_eq!(bench.run(&["records", "--json"]).json().as_array().unwrap().len(), 1);
    let index = bench.store().join("index.jsonl");
    let mut bytes = std::fs::read(&index).unwrap();
    bytes[100..].fill(0xff);
    std::fs::write(&index, bytes).unwrap();
    let ran = bench.run(&["records", "--json"]).expect_code(0);
    assert_eq!((ran.json().as_array().unwrap().len(), ran.stderr.as_str()), (1, ""));
    // Somebody else's file of that name is left alone, and done without.
    std::fs::write(&index, "songs").unwrap();
    let ran = bench.run(&["records", "--json"]).expect_code(0);
    assert!(ran.stderr.contains("is not an index that iotrial made"), "{}", ran.stderr);
    assert_eq!(
        (ran.json().as_array().unwrap().len(), std::fs::read(&index).unwrap().as_slice()),
        (1, &b"songs"[..])
    );
    std::fs::remove_file(bench.store().join("index.jsonl")).unwrap();
    std::fs::write(bench.store().join("01X.iotrial.json"), "{}").unwrap();
    let ran = bench.run(&["records", "--json"]).expect_code(0);
    assert_eq!(ran.json().as_array().unwrap().len(), 1);
    assert!(ran.stderr.contains("01X.iotrial.json"), "{}", ran.stderr);
}

/// Sixteen jobs, so that five minutes of them are more than is kept as text.
const MANY_JOBS: &str = r#"
format = "iotrial.profile/1"
name = "many"
title = "Many jobs"
closed = true
schedule = { duration = "300s" }
quick = { size = "16MiB", duration = "300s" }
"#;

#[test]
fn a_spoilt_byte_in_a_packed_record_is_found_by_its_checksum_and_the_other_records_are_shown() {
    let bench = Bench::new();
    let jobs = (0..16).map(|number| {
        format!(
            "[[job]]\nname = \"j{number}\"\nrole = \"data\"\npattern = \"random\"\nrwmix_read_percent = 70\nblock_size = \"8KiB\"\n\
             numjobs = 1\niodepth = 1\nsize = \"1MiB\"\n"
        )
    });
    std::fs::write(bench.path().join("many.toml"), MANY_JOBS.to_owned() + &jobs.collect::<String>()).unwrap();
    let device = "service_time_us=20000, service_spread=0.9, parallelism=64";
    let sim = ["run", "./many.toml", "--engine", "sim", "--sim", device, "--quiet", "--label"];
    bench.run(&[&sim[..], &["spoilt"]].concat());
    let packed = bench.stored(".zst");
    let [packed] = packed.as_slice() else { panic!("it is not kept packed: {packed:?}") };
    for label in ["whole", "other"] {
        bench.run(&["run", "--closed", "--engine", "sim", "--duration", "2s", "--quiet", "--label", label]);
    }
    let whole = std::fs::read(packed).unwrap();
    let report = |bench: &Bench| bench.run(&["report", packed.to_str().unwrap(), "--json"]);
    let shown = report(&bench).stdout;
    // In the middle, where it mostly unpacks to another number in valid JSON, and in the checksum itself.
    let places = (1..40).map(|part| whole.len() * part / 40).chain([whole.len() - 1]);
    let mut found_by_checksum = 0;
    for place in places {
        let mut spoilt = whole.clone();
        spoilt[place] ^= 0xff;
        std::fs::write(packed, &spoilt).unwrap();
        let refused = report(&bench);
        // Not each byte matters: a repetition may be copied from another place that holds the same (RFC 8878, 3.1.1.3.2.1.1), and two bits of
        // each block mean nothing. What unpacks to the same bytes is the same record, and its checksum says so.
        if refused.stdout == shown {
            continue;
        }
        let refused = refused.expect_code(2);
        found_by_checksum += u32::from(refused.stderr.contains("checksum"));
        assert!(
            refused.stderr.contains("is not a record that can be read"),
            "byte {place}: {}",
            refused.stderr
        );
    }
    assert!(found_by_checksum > 1, "{found_by_checksum}");
    // A list and a folder say which one, and go on with the others.
    let name = packed.file_name().unwrap().to_str().unwrap();
    let listed = bench.run(&["records", "--json"]).expect_code(0);
    assert_eq!(listed.json().as_array().unwrap().len(), 2);
    assert!(listed.stderr.contains(name) && listed.stderr.contains("checksum"), "{}", listed.stderr);
    let store = bench.store();
    let compared = bench.run(&["compare", store.to_str().unwrap(), "--json"]);
    assert_eq!(compared.json()["configurations"].as_array().unwrap().len(), 2, "{}", compared.stderr);
    assert!(compared.stderr.contains(name) && compared.stderr.contains("checksum"), "{}", compared.stderr);
    let missing = bench.run(&["report", "spoilt"]).expect_code(2);
    assert!(missing.stderr.contains("checksum") || missing.stderr.contains("label"), "{}", missing.stderr);
    std::fs::write(packed, &whole).unwrap();
    assert_eq!(bench.run(&["records", "--json"]).expect_code(0).json().as_array().unwrap().len(), 3);
}

#[test]
fn a_report_that_cannot_be_written_is_known_before_the_run_and_replaces_nothing_else() {
    let bench = Bench::new();
    refused(
        &bench,
        &["run", "--engine", "sim", "--html", "absent/a.html"],
        2,
        &["cannot write `absent/a.html`"],
    );
    std::fs::write(bench.path().join("out.partial"), "foreign").unwrap();
    let run = ["run", "--closed", "--engine", "sim", "--duration", "1s", "--quiet", "--html"];
    bench.run(&[&run[..], &["out.html"]].concat()).expect_code(4);
    assert_eq!(std::fs::read_to_string(bench.path().join("out.partial")).unwrap(), "foreign");
}

#[test]
fn a_simulated_device_that_cannot_be_is_refused() {
    let bench = Bench::new();
    let sim = |device: &str, parts: &[&str]| {
        refused(&bench, &["run", "--engine", "sim", "--sim", device], 2, parts)
    };
    sim("service_time_us = 0", &["`service_time_us` must be from 0.01"]);
    sim("iops_cap = 0.0", &["`iops_cap` must be from"]);
    sim("error_share = nan", &["`error_share` must be from 0 to 1"]);
    // It would answer every I/O at once, and the simulated clock would stand still for ever.
    sim("cache_hit_share = 1", &["`cache_hit_us` must be from 0.01"]);
    sim("parallelism = 0", &["`parallelism` must be from 1"]);
    sim("speed = 3", &["unknown field `speed`"]);
    refused(&bench, &["run", "--sim", "parallelism = 3", "--engine", "null"], 2, &["hint: add --engine sim"]);
}

/// A record that the program wrote, spoilt by a stranger.
#[test]
fn a_strangers_record_is_read_or_refused_and_never_crashes_or_reads_other_files() {
    let bench = Bench::new();
    let run = [
        "run",
        "--closed",
        "sqlserver-log",
        "--engine",
        "sim",
        "--duration",
        "2s",
        "--ramp",
        "0s",
        "--quiet",
        "--json",
    ];
    let path = bench.run(&run).json()["record"].as_str().unwrap().to_owned();
    let whole: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let spoilt = bench.path().join("spoilt.iotrial.json");
    let check = |pointer: &str, value: Value, part: &str| {
        let mut record = whole.clone();
        *record.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        std::fs::write(&spoilt, record.to_string()).unwrap();
        let ran = bench.run(&["report", "spoilt.iotrial.json"]).expect_code(2);
        assert!(ran.stderr.contains(part), "{pointer}: {}", ran.stderr);
    };
    let huge = || Value::from(u64::MAX);
    check("/format", "iotrial.record/9".into(), "its format is `iotrial.record/9`");
    check("/plan/jobs/0/iodepth", u32::MAX.into(), "outstanding I/O is out of range");
    check("/plan/jobs/0/areas", serde_json::json!([7]), "works on an area that does not exist");
    check("/plan/areas/0/length_bytes", huge(), "size of an area is out of range");
    check("/plan/phases/0/duration_s", 1.8e19.into(), "length of a phase is out of range");
    check("/intervals/0/duration_s", 1.8e19.into(), "duration is out of range");
    check("/intervals/0/duration_s", (-1.0).into(), "not a record that can be read");
    check("/intervals/0/jobs/0/write/bytes", huge(), "count is out of range");
    check("/jobs/0/write/submission_latency_sum_ns", huge(), "count is out of range");
    check("/jobs", serde_json::json!([]), "do not match the 1 jobs");
    check("/jobs/0/write/total_latency/hdr_v2_ns", "AAAA".into(), "not a record that can be read");
    check("/thresholds", "format = 3".into(), "the threshold set in the record is not valid");
    std::fs::write(&spoilt, "{".repeat(5_000_000)).unwrap();
    bench.run(&["report", "spoilt.iotrial.json"]).expect_code(2);
    std::fs::write(&spoilt, "[".repeat(1_000_000)).unwrap();
    bench.run(&["report", "spoilt.iotrial.json"]).expect_code(2);
}

#[test]
fn the_verdict_of_a_record_is_the_one_of_its_run_wherever_it_is_shown() {
    let bench = Bench::new();
    let own = bench.run(&["profiles", "sqlserver-log"]).stdout.replace("thresholds = \"flash\"", "");
    let own = own.replace("\"sqlserver-log\"", "\"mine\"");
    let set = "format = \"iotrial.thresholds/1\"\nname = \"own\"\ntitle = \"Own\"\n[[bands]]\nroles = [\"log\"]\nsource = \"us\"\n\
               mean = { good_below = \"1us\", acceptable_below = \"2us\" }\n";
    std::fs::create_dir(bench.path().join("profiles")).unwrap();
    std::fs::write(bench.path().join("profiles/set.toml"), set).unwrap();
    let named = own.replacen("title = ", "thresholds = \"./set.toml\"\ntitle = ", 1);
    std::fs::write(bench.path().join("profiles/own.toml"), named).unwrap();
    let run =
        ["run", "--closed", "profiles/own.toml", "--engine", "sim", "--duration", "1s", "--quiet", "--json"];
    let summary = bench.run(&run).json();
    assert_eq!(summary["verdict"]["thresholds"], "own", "{summary:#}");
    std::fs::remove_file(bench.path().join("profiles/set.toml")).unwrap();
    let again = bench.run(&["report", summary["record"].as_str().unwrap(), "--json"]).json();
    assert_eq!(again["verdict"], summary["verdict"]);
}
