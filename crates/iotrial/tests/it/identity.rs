//! What something is, follows from what it says and not from what it calls itself: threshold sets, profiles, catalogs, rules and records.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Bench, Ran};

/// A run of a simulated device that is far too slow for `flash`; returns the path of its record.
fn run(bench: &Bench, label: &str, more: &[&str]) -> PathBuf {
    let device = "service_time_us = 20000, parallelism = 64";
    let short = ["--closed", "--engine", "sim", "--sim", device, "--ramp", "0s", "--duration", "20s"];
    let quiet = ["--json", "--quiet", "--label", label];
    let ran = bench.run(&[&["run", "sqlserver-log"], &short[..], &quiet, more].concat());
    ran.json()["record"].as_str().unwrap().into()
}

/// The set `flash` with limits that are a thousand times as high.
fn easy(bench: &Bench) -> String {
    let text = bench.run(&["thresholds", "flash"]).expect_code(0).stdout;
    text.lines()
        .map(|line| {
            if line.trim_start().starts_with('#') {
                return format!("{line}\n");
            }
            format!("{}\n", line.replace("ms\"", "s\"").replace("us\"", "ms\""))
        })
        .collect()
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Writes a record as somebody may who knows the format: without its checksum, or with the one that it has.
fn write_record(bench: &Bench, name: &str, record: &Value) -> String {
    fs::write(bench.path().join(name), record.to_string()).unwrap();
    name.to_owned()
}

fn without_checksum(mut record: Value) -> Value {
    record.as_object_mut().unwrap().remove("checksum");
    record
}

fn refused(ran: Ran, file: &str, name: &str) {
    let stderr = ran.expect_code(2).stderr;
    assert!(stderr.contains(file) && stderr.contains(&format!("`{name}`")), "{stderr}");
    assert!(stderr.contains("hint: ") && stderr.contains(&format!("my-{name}")), "{stderr}");
}

#[test]
fn a_set_or_profile_that_takes_the_name_of_a_built_in_one_is_refused_wherever_one_is_named() {
    let bench = Bench::new();
    fs::write(bench.path().join("easy.toml"), easy(&bench)).unwrap();
    let profile = bench.run(&["profiles", "sqlserver-log"]).stdout.replace("iodepth = 1", "iodepth = 2");
    fs::write(bench.path().join("ours.toml"), profile).unwrap();
    let record = run(&bench, "a", &[]);
    let record = record.to_str().unwrap();
    let sim = ["--engine", "sim", "--quiet"];
    for of_set in [
        &["run", "sqlserver-log", "--thresholds", "./easy.toml", sim[0], sim[1]][..],
        &["run", "sqlserver-log", "--thresholds", "./easy.toml", "--dry-run", sim[0], sim[1]],
        &["report", record, "--thresholds", "./easy.toml"],
        &["thresholds", "./easy.toml"],
    ] {
        refused(bench.run(of_set), "./easy.toml", "flash");
    }
    for of_profile in [&["run", "./ours.toml", sim[0], sim[1]][..], &["profiles", "./ours.toml"]] {
        refused(bench.run(of_profile), "./ours.toml", "sqlserver-log");
    }
    let study = "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"S\"\nprofiles = [PROFILE]\n[load]\nengine = \"sim\"\nSET\n\
                 [[configuration]]\nlabel = \"a\"\n[[configuration]]\nlabel = \"b\"\n";
    for (profile, set, file, name) in [
        ("\"./ours.toml\"", "", "./ours.toml", "sqlserver-log"),
        ("\"sqlserver-log\"", "thresholds = \"./easy.toml\"", "./easy.toml", "flash"),
    ] {
        fs::write(bench.path().join("s.toml"), study.replace("PROFILE", profile).replace("SET", set))
            .unwrap();
        refused(bench.run(&["study", "s.toml", "--yes", "--quiet"]), file, name);
    }
    // A folder's settings need no option.
    fs::write(bench.path().join("iotrial.toml"), "thresholds = \"./easy.toml\"\n").unwrap();
    let mut by_settings = bench.command(&["run", "sqlserver-log", sim[0], sim[1]]);
    refused(Ran::from(by_settings.env_remove("IOTRIAL_CONFIG").output().unwrap()), "./easy.toml", "flash");
    assert_eq!(bench.stored(".iotrial.json").len(), 1);
}

/// `cargo xtask attack foreign_text` found it: the name and the text behind it are lines of the plan.
#[test]
fn no_name_of_a_strangers_profile_begins_a_line_of_the_plan() {
    let bench = Bench::new();
    let profile = bench.run(&["profiles", "sqlserver-log"]).stdout;
    let named = profile.replacen("name = \"sqlserver-log\"", "name = \"ours\\nerror: forged\"", 1);
    fs::write(bench.path().join("ours.toml"), named).unwrap();
    for more in [&["--dry-run"][..], &["--full", "--dry-run"], &["--closed"]] {
        let ran = bench.run(&[&["run", "./ours.toml", "--engine", "sim", "--quiet"], more].concat());
        let shown = [ran.stdout, ran.stderr].concat();
        assert!(
            shown.contains("ours") && shown.lines().all(|line| !line.starts_with("error: forged")),
            "{shown}"
        );
    }
}

#[test]
fn a_fio_job_whose_file_is_called_like_a_built_in_profile_gets_a_name_of_its_own() {
    let bench = Bench::new();
    let job =
        "[a]\nrw=randread\nbs=8k\nsize=64m\nruntime=2\ntime_based=1\nioengine=libaio\ndirect=1\nfilename=x\n";
    fs::write(bench.path().join("etcd"), job).unwrap();
    let plan = bench.run(&["run", "--fio-job", "etcd", "--engine", "sim", "--dry-run"]).expect_code(0).stdout;
    assert!(plan.contains("fio-etcd"), "{plan}");
    let printed = bench.run(&["profiles", "--from-fio", "etcd"]).expect_code(0).stdout;
    fs::write(bench.path().join("printed.toml"), printed).unwrap();
    bench.run(&["profiles", "./printed.toml"]).expect_code(0);
}

#[test]
fn a_record_that_was_judged_by_another_set_of_a_built_in_name_says_so_wherever_the_name_stands() {
    let bench = Bench::new();
    let flash = run(&bench, "a", &[]);
    let mut forged = without_checksum(read(&flash));
    forged["thresholds"] = easy(&bench).into();
    forged["id"] = "01JD0000000000000000000000".into();
    forged["label"] = "b".into();
    let forged = write_record(&bench, "forged.iotrial.json", &forged);
    let shown = bench.run(&["report", &forged, "--json", "--html", "page.html"]);
    let verdict = &shown.json()["verdict"];
    let name = "flash (differs from the built-in)";
    assert_eq!(verdict["thresholds"], name);
    let of_flash = bench.run(&["report", flash.to_str().unwrap(), "--json"]).json();
    assert_eq!(of_flash["verdict"]["thresholds"], "flash");
    assert_ne!(verdict["thresholds_sha256"], of_flash["verdict"]["thresholds_sha256"]);
    let listed = bench.run(&["thresholds", "--json"]).json();
    assert_eq!(listed[0]["sha256"], of_flash["verdict"]["thresholds_sha256"]);
    assert_eq!(read(&flash)["content_sha256"]["thresholds"], listed[0]["sha256"]);
    // Wherever the one stands the other does, except in the text of the set itself.
    let page = fs::read_to_string(bench.path().join("page.html")).unwrap();
    assert!(page.contains(name), "{page}");
    for quoted in ["`flash`", "“flash”", ">flash<"] {
        assert!(!page.contains(quoted), "{quoted} stands in the page");
    }
    let compared = bench.run(&["compare", flash.to_str().unwrap(), &forged, "--json"]).json();
    let findings = compared["findings"].as_array().unwrap();
    let difference = findings.iter().find(|one| one["id"] == "other-content");
    let message = difference.unwrap_or_else(|| panic!("{findings:#?}"))["message"].as_str().unwrap();
    assert!(message.contains("`flash`") && message.contains(&format!("`{name}`")), "{message}");
    let outcomes = &compared["configurations"][1]["outcomes"][0];
    assert_eq!(outcomes["thresholds"], name, "{outcomes}");
    // Two sets of one name that nobody built in differ as well.
    let own = |limit: &str| {
        format!(
            "format = \"iotrial.thresholds/1\"\nname = \"own\"\ntitle = \"Own\"\n[[bands]]\nroles = [\"log\"]\nsource = \"us\"\nmean = {{ acceptable_below = \"{limit}\" }}\n"
        )
    };
    for (name, limit) in [("one", "1ms"), ("other", "1s")] {
        fs::write(bench.path().join("own.toml"), own(limit)).unwrap();
        run(&bench, name, &["--thresholds", "./own.toml"]);
    }
    let compared = bench.run(&["compare", "one", "other", "--json"]).json();
    assert!(compared["findings"].to_string().contains("other-content"), "{}", compared["findings"]);
    // The same set with other comments is no difference.
    fs::write(bench.path().join("own.toml"), format!("# ours\n{}", own("1s"))).unwrap();
    run(&bench, "commented", &["--thresholds", "./own.toml"]);
    let compared = bench.run(&["compare", "commented", "other", "--json"]).json();
    assert!(!compared["findings"].to_string().contains("other-content"), "{}", compared["findings"]);
}

#[test]
fn a_record_with_another_profile_under_a_built_in_name_says_so_wherever_the_name_stands() {
    let bench = Bench::new();
    let mut record = without_checksum(read(&run(&bench, "a", &[])));
    record["label"] = Value::Null;
    let text = record["profile"].as_str().unwrap().replace("iodepth = 1", "iodepth = 2");
    record["profile"] = text.into();
    let forged = write_record(&bench, "forged.iotrial.json", &record);
    let name = "sqlserver-log (differs from the built-in)";
    let shown = bench.run(&["report", &forged, "--markdown", "-"]).stdout;
    let mut lines = shown.lines().filter(|line| line.contains("sqlserver-log")).peekable();
    assert!(lines.peek().is_some(), "{shown}");
    // But for the text of the profile itself.
    lines.for_each(|line| assert!(line.contains(name) || line.starts_with("name = "), "{line}"));
    let sentence = bench.run(&["report", &forged, "--json"]).json()["verdict"]["sentence"].to_string();
    assert!(sentence.contains(name), "{sentence}");
    fs::rename(
        bench.path().join(&forged),
        bench.store().join(format!("{}.iotrial.json", record["id"].as_str().unwrap())),
    )
    .unwrap();
    assert_eq!(bench.run(&["records", "--json"]).json()[0]["profile"], name);
}

#[test]
fn a_search_within_another_set_of_a_built_in_name_says_so() {
    let bench = Bench::new();
    let device = "service_time_us = 300, parallelism = 8";
    let search =
        ["run", "postgresql-oltp", "--engine", "sim", "--sim", device, "--ramp", "0s", "--duration", "5s"];
    let found = bench.run(&[&search[..], &["--json", "--quiet"]].concat()).json();
    let mut record = without_checksum(read(Path::new(found["record"].as_str().unwrap())));
    assert_eq!(record["search"]["limit"], "flash", "it searched: {found}");
    record["thresholds"] = easy(&bench).into();
    let forged = write_record(&bench, "forged.iotrial.json", &record);
    let shown = bench.run(&["report", &forged, "--json"]).json();
    for limit in [&shown["search"]["limit"], &shown["capacity"]["limit"]] {
        assert_eq!(limit, "flash (differs from the built-in)");
    }
    let all = shown.to_string();
    assert!(!all.contains("`flash`") && all.contains("`flash (differs"), "{all}");
}

#[test]
fn a_record_that_was_changed_is_contradicted_by_the_audit_and_gets_no_answer_from_a_report() {
    let bench = Bench::new();
    let whole = read(&run(&bench, "a", &[]));
    let good = write_record(&bench, "good.iotrial.json", &whole);
    let audited = bench.run(&["audit", &good, "--json"]).expect_code(0).json();
    let counts = audited["checks"].as_array().unwrap();
    let held = counts.iter().find(|one| one["check"] == "checksum").unwrap();
    assert_eq!((&held["held"], &held["contradicted"]), (&json!(1), &json!(0)), "{held}");
    // Facts of every kind, and a key that only another version knows.
    for (pointer, value) in [
        ("/label", json!("b")),
        ("/started_at", json!("2020-01-01T00:00:00Z")),
        ("/host/name", json!("another")),
        ("/plan/seed", json!(1)),
        ("/thresholds", json!(easy(&bench))),
        ("/profile", json!("")),
        ("/tool/version", json!("9.9.9")),
        ("/content_sha256/thresholds", json!("0")),
        ("/newer", json!(1)),
        ("/checksum", json!("0")),
    ] {
        let mut changed = whole.clone();
        match changed.pointer_mut(pointer) {
            Some(place) => *place = value,
            None => changed["newer"] = value,
        }
        let path = write_record(&bench, "changed.iotrial.json", &changed);
        let audited = bench.run(&["audit", &path, "--json"]).expect_code(1).json();
        let found = audited["findings"].as_array().unwrap();
        assert!(found.iter().any(|one| one["check"] == "checksum"), "{pointer}: {found:#?}");
        let shown = bench.run(&["report", &path, "--json"]).expect_code(4).json();
        assert_eq!(shown["verdict"]["outcome"], "inconclusive", "{pointer}");
        assert!(
            shown["findings"].as_array().unwrap().iter().any(|one| one["id"] == "altered-record"),
            "{pointer}"
        );
        // Of an older version, or of another program: nothing to hold it against.
        let path = write_record(&bench, "older.iotrial.json", &without_checksum(changed));
        let audited = bench.run(&["audit", &path, "--json"]).json();
        assert!(!audited.to_string().contains("checksum"), "{pointer}: {audited}");
    }
}

#[test]
fn a_sweep_and_an_imported_result_that_were_changed_say_so() {
    let bench = Bench::new();
    let sweep = ["sweep", "--pattern", "randread-8k", "--engine", "sim", "--step", "1s", "--quiet", "--json"];
    bench.run(&sweep).json();
    let mut changed = read(&bench.stored(".iotrial-sweep.json")[0]);
    let is_altered = |path: &str| {
        let shown = bench.run(&["report", path, "--json"]).json();
        shown["findings"].as_array().unwrap().iter().any(|one| one["id"] == "altered-record")
    };
    let path = write_record(&bench, "s.iotrial-sweep.json", &changed);
    assert!(!is_altered(&path));
    changed["settings"]["seed"] = 2.into();
    let path = write_record(&bench, "s.iotrial-sweep.json", &changed);
    assert!(is_altered(&path));
    let source = format!("{}/../iotrial-import/tests/golden/fio", env!("CARGO_MANIFEST_DIR"));
    let source = fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path());
    let source = source.filter(|path| path.extension().is_some_and(|ending| ending == "json")).min().unwrap();
    bench.run(&["import", source.to_str().unwrap()]);
    let mut changed = read(&bench.stored(".iotrial-imported.json")[0]);
    let path = write_record(&bench, "i.iotrial-imported.json", &changed);
    assert!(!is_altered(&path));
    changed["id"] = "01JD0000000000000000000000".into();
    let path = write_record(&bench, "i.iotrial-imported.json", &changed);
    assert!(is_altered(&path));
    let audited = bench.run(&["audit", &path, "--json"]).expect_code(1).json();
    assert!(audited["findings"].to_string().contains("checksum"), "{audited}");
}

#[test]
fn a_catalog_that_takes_the_place_of_a_built_in_one_is_named_wherever_the_provider_stands() {
    let bench = Bench::new();
    for provider in ["oci", "azure", "aws", "gcp"] {
        let text = bench.run(&["size", "catalogs", provider, "--print", "toml"]).expect_code(0).stdout;
        let ask = |text: &str| {
            fs::write(bench.path().join("ours.toml"), text).unwrap();
            let size = ["size", "--read", "2000iops@8KiB", "--capacity", "500GiB", "--provider", provider];
            bench
                .run(&[&size[..], &["--catalog", "ours.toml", "--markdown", "-"]].concat())
                .expect_code(0)
                .stdout
        };
        // With other comments it is the built-in one.
        let same = ask(&format!("# a copy\n{text}"));
        assert!(!same.contains("not the built-in"), "{same}");
        // 744 and 730 become 644 and 630.
        let cheaper = text.replacen("hours_per_month = 7", "hours_per_month = 6", 1);
        assert_ne!(cheaper, text);
        let other = ask(&cheaper);
        assert!(other.contains(&format!("{provider} (of ours.toml, not the built-in)")), "{other}");
        let listed = bench.run(&["size", "catalogs", "--catalog", "ours.toml", "--json"]).json();
        let named: Vec<&Value> =
            listed.as_array().unwrap().iter().filter(|one| one.get("catalog_file").is_some()).collect();
        assert_eq!((named.len(), &named[0]["provider"]), (1, &json!(provider)));
        // A provider of one's own is nobody else's.
        let own = ask(&cheaper.replacen(&format!("provider = \"{provider}\""), "provider = \"ours\"", 1));
        assert!(!own.contains("not the built-in"), "{own}");
    }
}

#[test]
fn a_rule_that_takes_the_place_of_a_built_in_one_is_named() {
    let bench = Bench::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../iotrial-analysis/host-rules");
    let rules =
        |place: &str| bench.run(&["check", "--list-rules", "--rules", place, "--json"]).expect_code(0).json();
    let built_in = bench.run(&["check", "--list-rules", "--json"]).expect_code(0).json();
    assert!(built_in.get("replaced").is_none());
    let count = built_in["rules"].as_array().unwrap().len();
    // Copies of the built-in rules are the built-in rules.
    assert!(rules(folder.to_str().unwrap()).get("replaced").is_none());
    let mut replaced = 0;
    for file in fs::read_dir(&folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let text: String = text
            .lines()
            .map(|line| match line.strip_prefix("why = \"") {
                Some(why) => format!("why = \"We think: {why}\n"),
                None => format!("{line}\n"),
            })
            .collect();
        fs::write(bench.path().join("ours.toml"), &text).unwrap();
        let listed = rules("ours.toml");
        let all = listed["replaced"].as_array().unwrap();
        assert!(all.iter().all(|one| one["by"] == "ours.toml"), "{all:?}");
        assert_eq!(all.len(), text.matches("\nid = \"").count());
        assert_ne!(listed["sha256"], built_in["sha256"]);
        replaced += all.len();
        let shown = bench.run(&["check", "--list-rules", "--rules", "ours.toml", "--markdown", "-"]).stdout;
        assert!(shown.contains("of ours.toml, not the built-in"), "{shown}");
    }
    assert_eq!(replaced, count);
    let answer = bench.run(&["check", "--rules", "ours.toml", "--json"]).json();
    assert!(!answer["replaced_rules"].as_array().unwrap().is_empty());
    assert!(
        bench
            .run(&["check", "--rules", "ours.toml", "--markdown", "-"])
            .stdout
            .contains("in the place of built-in ones")
    );
}

#[test]
fn a_study_of_another_version_is_measured_and_says_what_differs() {
    let bench = Bench::new();
    let study = "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"S\"\nprofiles = [\"sqlserver-log\"]\nrepeats = 1\n[load]\nengine = \"sim\"\n\
                 ramp = \"0s\"\nduration = \"1s\"\n[[configuration]]\nlabel = \"a\"\nelsewhere = true\n[[configuration]]\nlabel = \"b\"\n";
    fs::write(bench.path().join("s.toml"), study).unwrap();
    let own = bench.run(&["study", "export", "s.toml", "--label", "a"]).expect_code(0).stdout;
    fs::write(bench.path().join("s.toml"), &own).unwrap();
    let quiet = bench.run(&["study", "s.toml", "--dry-run"]).expect_code(0).stderr;
    assert!(!quiet.contains("differs from the built-in"), "{quiet}");
    let renamed = own.replacen("name = \"sqlserver-log\"", "name = \"easy\"", 2);
    assert_eq!(renamed.matches("\"easy\"").count(), 2, "its own name, and that of the profile in its text");
    let renamed = renamed.replacen("name = \"easy\"", "name = \"sqlserver-log\"", 1);
    fs::write(bench.path().join("s.toml"), renamed).unwrap();
    let told = bench.run(&["study", "s.toml", "--dry-run"]).expect_code(2).stderr;
    assert!(told.contains("`sqlserver-log` is called `easy`"), "{told}");
    fs::write(bench.path().join("s.toml"), own.replace("iodepth = 1", "iodepth = 2")).unwrap();
    let ran = bench.run(&["study", "s.toml", "--yes", "--json"]).expect_code(0);
    assert!(ran.stderr.contains("the profile `sqlserver-log` of this study differs"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("the threshold set"), "{}", ran.stderr);
    let listed = bench.run(&["records", "--json"]).json();
    let runs = listed.as_array().unwrap().iter().filter(|one| one["kind"] == "run");
    assert!(runs.clone().count() == 1, "{listed:#}");
    runs.for_each(|one| assert_eq!(one["profile"], "sqlserver-log (differs from the built-in)"));
}

#[test]
fn the_program_of_the_documentation_computes_the_checksum() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/record.md")).unwrap();
    let program = page.split_once("```python\n").and_then(|(_, rest)| rest.split_once("```")).unwrap().0;
    let bench = Bench::new();
    fs::write(bench.path().join("check.py"), program).unwrap();
    let path = run(&bench, "é \u{1F600} \" \\", &["--attribute", "volumes=3", "--attribute", "share=0.1"]);
    let mut record = read(&path);
    let check = |path: &Path| {
        let python = if cfg!(windows) { "python" } else { "python3" };
        let ran = std::process::Command::new(python).arg(bench.path().join("check.py")).arg(path).output();
        ran.map(|ran| String::from_utf8_lossy(&ran.stdout).trim().to_owned())
    };
    match check(&path) {
        Ok(answer) => assert_eq!(answer, "matches"),
        Err(error) => return eprintln!("skipped: there is no Python: {error}"),
    }
    record["attributes"]["share"] = 0.2.into();
    let changed = write_record(&bench, "changed.iotrial.json", &record);
    assert_eq!(check(&bench.path().join(changed)).unwrap(), "differs");
}
