//! `iotrial import` as a user meets it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Bench, Ran};
use serde_json::Value;

fn golden(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../iotrial-import/tests/golden")
        .join(name)
        .display()
        .to_string()
}

/// A folder of results of others, which are data to check against and no part of the project.
fn shared(folder: &str) -> Option<String> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from).join("data").join(folder);
    if folder.is_dir() {
        return Some(folder.display().to_string());
    }
    eprintln!("skipped: there is no `{}`; IOTRIAL_SHARED names the folder of the data", folder.display());
    None
}

#[test]
fn a_result_is_kept_once_and_shown_like_a_record() {
    let bench = Bench::new();
    let mix = golden("fio/mix.json");
    let first = bench.run(&["import", &mix, "--json", "--label", "a mix"]).expect_code(0).json();
    assert_eq!((&first["kinds"][0]["kind"], &first["kinds"][0]["new"]), (&"fio-json".into(), &1.into()));
    let again = bench.run(&["import", &mix, "--json", "--label", "a mix"]).expect_code(0).json();
    assert_eq!(again["kinds"][0]["new"], 0);
    assert_eq!(again["records"][0]["id"], first["records"][0]["id"]);
    assert_eq!(bench.stored(".iotrial-imported.json").len(), 1);
    // Under another name it is another configuration.
    let other = bench.run(&["import", &mix, "--json", "--label", "another"]).expect_code(0).json();
    assert_ne!(other["records"][0]["id"], first["records"][0]["id"]);
    let listed = bench.run(&["records", "--json"]).expect_code(0).json();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["profile"]), (2, &"fio JSON".into()));
    // From the store by its id, and straight from the file.
    let id = first["records"][0]["id"].as_str().unwrap();
    let from_store = bench.run(&["report", id, "--json"]).json();
    let from_file = bench.run(&["report", &mix, "--json"]).json();
    assert_eq!(from_store["total"], from_file["total"]);
    let source: Value = serde_json::from_str(&std::fs::read_to_string(&mix).unwrap()).unwrap();
    assert_eq!(from_store["total"]["read"]["iops"], source["jobs"][0]["read"]["iops"]);
}

#[test]
fn one_bad_file_among_others_does_not_stop_them_and_the_exit_code_says_so() {
    let bench = Bench::new();
    let folder = bench.data();
    for name in ["fio/mix.json", "sqlio/two-runs.txt", "diskspd/two-spans.xml"] {
        std::fs::copy(golden(name), folder.join(name.replace('/', "-"))).unwrap();
    }
    let whole = std::fs::read(golden("fio/mix.json")).unwrap();
    std::fs::write(folder.join("cut.json"), &whole[..whole.len() / 2]).unwrap();
    std::fs::write(folder.join("notes.txt"), "bought new disks").unwrap();
    let ran = bench.run(&["import", "data", "--json"]).expect_code(1);
    let outcome = ran.json();
    let kinds: Vec<&str> =
        outcome["kinds"].as_array().unwrap().iter().map(|kind| kind["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["fio-json", "diskspd-xml", "sqlio"]);
    assert_eq!(outcome["records"].as_array().unwrap().len(), 5);
    assert_eq!(outcome["passed_over"].as_array().unwrap().len(), 1);
    let failed = &outcome["failed"][0];
    assert!(failed["file"].as_str().unwrap().ends_with("cut.json"));
    assert!(failed["error"].as_str().unwrap().contains("it ends before its JSON is complete"), "{failed}");
    assert!(ran.stderr.contains("cut.json"), "{}", ran.stderr);
    // Named itself, a file that is nothing known is an error with a hint.
    let refused = bench.run(&["import", "data/notes.txt"]).expect_code(2);
    assert!(refused.stderr.contains("not a result format that iotrial recognises"), "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: results of fio"), "{}", refused.stderr);
    bench.run(&["import", "data/nowhere.json"]).expect_code(2);
}

#[test]
fn logs_beside_a_result_are_part_of_it_and_the_data_of_a_test_is_no_result() {
    let bench = Bench::new();
    let folder = bench.data();
    for name in ["mix.json", "mix_iops.1.log", "mix_bw.1.log", "mix_lat.1.log"] {
        std::fs::copy(golden(&format!("fio/{name}")), folder.join(name)).unwrap();
    }
    // Larger than anything that is read, and no text.
    std::fs::File::create(folder.join("fio.dat")).unwrap().set_len(65 << 20).unwrap();
    let outcome = bench.run(&["import", "data", "--json"]).expect_code(0).json();
    let names = |key: &str| outcome[key].as_array().unwrap().len();
    assert_eq!((names("records"), names("beside"), names("passed_over"), names("failed")), (1, 3, 1, 0));
    let audited = bench.run(&["audit", "data"]).expect_code(0);
    assert!(!audited.stderr.contains(".log"), "{}", audited.stderr);
    assert!(audited.stderr.contains("fio.dat` is not a result"), "{}", audited.stderr);
    let refused = bench.run(&["import", "data/mix.json", "--label", "{nme}"]).expect_code(2);
    assert!(refused.stderr.contains("the words are {name}, {stem}, {folder}"), "{}", refused.stderr);
}

#[test]
fn a_slip_in_the_name_of_a_column_is_told() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("t.csv"), "label,read.iops,read.bandwith,other.tpm\nx,1000,2,300\n")
        .unwrap();
    let outcome = bench.run(&["import", "t.csv", "--json"]).expect_code(0).json();
    let warnings = outcome["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{outcome:#}");
    assert_eq!(warnings[0]["place"], "line 1, column 3");
    assert!(
        warnings[0]["message"].as_str().unwrap().contains("did you mean `read.bandwidth_mib_per_s`?"),
        "{outcome:#}"
    );
}

#[test]
fn standard_input_is_read_and_names_come_from_files() {
    let bench = Bench::new();
    let mut child = bench.command(&["import", "-", "--json"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&std::fs::read(golden("sqlio/two-runs.txt")).unwrap()).unwrap();
    let outcome: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(outcome["records"].as_array().unwrap().len(), 2);
    let mix = golden("fio/mix.json");
    bench
        .run(&[
            "import",
            &mix,
            "--label",
            "{stem} of {folder}",
            "--attribute",
            "disks=3",
            "--role",
            "log",
            "--output",
            "out",
        ])
        .expect_code(0);
    let written = std::fs::read_dir(bench.path().join("out")).unwrap().next().unwrap().unwrap().path();
    let record: Value = serde_json::from_slice(&std::fs::read(written).unwrap()).unwrap();
    assert_eq!((&record["label"], &record["attributes"]["disks"]), (&"mix of fio".into(), &3.into()));
    assert_eq!(record["jobs"][0]["role"], "log");
    bench.run(&["import", &mix, "--role", "lgo"]).expect_code(2);
}

#[test]
fn printed_rows_give_the_same_comparison_as_toml_as_csv_and_imported() {
    let bench = Bench::new();
    let toml = golden("table/two.toml");
    let direct = bench.run(&["compare", "--table", &toml, "--json"]).expect_code(0).json();
    bench.run(&["import", &toml]).expect_code(0);
    let imported = bench.run(&["compare", "one volume", "three volumes", "--json"]).expect_code(0).json();
    let as_csv = bench.run(&["compare", &golden("table/two.csv"), "--json"]).expect_code(0).json();
    for other in [&imported, &as_csv] {
        let iops = |comparison: &Value| comparison["against_baseline"][0]["deltas"][0].clone();
        assert_eq!(iops(other), iops(&direct));
        assert_eq!(other["factors"][0]["attribute"], "volumes");
    }
}

/// Runs fio among the data; says so where that cannot be.
fn fio_runs(bench: &Bench, arguments: &[&str]) -> bool {
    let fio = Command::new("fio").args(arguments).current_dir(bench.data()).output();
    let runs = fio.is_ok_and(|output| output.status.success());
    if !runs {
        eprintln!("skipped: there is no fio here that runs");
    }
    runs
}

/// The figures that fio prints itself, in its own short form, against what the import makes of its JSON.
#[test]
fn a_run_of_fio_imports_with_the_figures_that_fio_prints() {
    let bench = Bench::new();
    let job = ["--name=here", "--filename=fio.dat", "--size=4m", "--rw=randrw", "--rwmixread=70", "--bs=4k"];
    let output = ["--number_ios=2000", "--output-format=terse,json", "--output=both.txt"];
    if !fio_runs(&bench, &[&job[..], &output].concat()) {
        return;
    }
    let text = std::fs::read_to_string(bench.data().join("both.txt")).unwrap();
    let terse: Vec<&str> = text.lines().find(|line| line.starts_with("3;fio-")).unwrap().split(';').collect();
    let summary = bench.run(&["report", "data/both.txt", "--json"]).json();
    for (name, first) in [("read", 5), ("write", 46)] {
        let printed = |field: usize| terse[first + field].parse::<f64>().unwrap();
        let found = |key: &str| summary["total"][name][key].as_f64().unwrap();
        let near = |found: f64, printed: f64, step: f64| (found - printed).abs() <= step;
        assert!(near(found("iops"), printed(2), 1.0), "{name}: {} and {}", found("iops"), printed(2));
        assert!(near(found("bandwidth_mib_per_s") * 1_024.0, printed(1), 1.0), "{name}");
        assert!(
            near(found("lat_mean_us"), printed(34), 1e-3),
            "{name}: {} and {}",
            found("lat_mean_us"),
            printed(34)
        );
        assert!(near(found("lat_max_us"), printed(33), 1.0), "{name}");
        let p99 =
            terse[first + 12..first + 32].iter().find_map(|field| field.strip_prefix("99.000000%=")).unwrap();
        assert!(near(found("lat_p99_us"), p99.parse().unwrap(), 1.0), "{name}");
    }
}

#[test]
fn a_run_stands_beside_that_of_fio_with_the_same_job() {
    let bench = Bench::new();
    let job = "[global]\nioengine=psync\ndirect=1\nsize=32m\nruntime=1\ntime_based\nnorandommap\n\
        [pages]\nfilename=fio.dat\nrw=randrw\nrwmixread=70\nbs=8k\nnumjobs=2\n\
        [log]\nfilename=log.dat\nrw=write\nbs=4k\nfdatasync=1\n";
    std::fs::write(bench.data().join("mix.fio"), job).unwrap();
    if !fio_runs(&bench, &["--output-format=json", "--output=theirs.json", "mix.fio"]) {
        return;
    }
    let ours =
        ["run", "--fio-job", "data/mix.fio", "--target", "data", "--label", "ours", "--json", "--quiet"];
    bench.run(&ours).json();
    let comparison = bench.run(&["compare", "ours", "data/theirs.json", "--json"]).expect_code(0).json();
    let finding = |id: &str| {
        let all = comparison["findings"].as_array().unwrap();
        all.iter().find(|one| one["id"] == id).unwrap_or_else(|| panic!("no {id} in {all:#?}")).clone()
    };
    assert!(finding("other-tool")["message"].as_str().unwrap().contains("by iotrial and"));
    // fio times the flushes of the log apart, so that its writes are no match; and a second shows nothing.
    assert_eq!(finding("flushes-apart")["severity"], "warning");
    let theirs = &comparison["configurations"][1]["figures"];
    assert!(theirs["write.iops"].is_number() && theirs["read.lat_mean_us"].is_number(), "{theirs:#}");
    assert!(theirs["write.lat_mean_us"].is_null(), "{theirs:#}");
    assert!(comparison["recommendation"]["best"].is_null(), "{}", comparison["recommendation"]);

    let report = bench.run(&["report", "data/theirs.json", "--json"]).json();
    let ids: Vec<&str> =
        report["findings"].as_array().unwrap().iter().filter_map(|one| one["id"].as_str()).collect();
    assert!(ids.contains(&"flushes-apart"), "{ids:?}");
    let judged = report["verdict"].to_string();
    assert!(!judged.contains("log write mean is"), "{judged}");
}

/// The curve of a pattern, of results over a grid of loads.
fn curve(bench: &Bench, folder: &str, pattern: &str) -> Option<Value> {
    let folder = shared(&format!("fio/{folder}"))?;
    let outcome = bench.run(&["import", &folder, "--as-sweep", "--json", "--quiet"]).expect_code(0).json();
    let curves = outcome["sweep"]["curves"].as_array().unwrap();
    let found = curves.iter().find(|curve| curve["pattern"] == pattern).unwrap().clone();
    let probes = found["probes"].as_array().unwrap();
    assert_eq!(probes.len(), 49, "{folder}");
    // The knee by definition, straight from the points: where X² / N is largest.
    let mut sums = std::collections::BTreeMap::<u64, (f64, f64)>::new();
    for probe in probes {
        let load = sums.entry(probe["outstanding"].as_u64().unwrap()).or_default();
        *load = (load.0 + probe["iops"].as_f64().unwrap(), load.1 + 1.0);
    }
    let power =
        |(outstanding, (sum, count)): (&u64, &(f64, f64))| (sum / count).powi(2) / *outstanding as f64;
    let best = sums.iter().max_by(|a, b| power(*a).total_cmp(&power(*b))).unwrap().0;
    let steps = (number(&found, "/saturation/knee/outstanding") / *best as f64).log2();
    assert!(steps.abs() <= 1.0, "{folder} {pattern}: {best} by the points");
    Some(found)
}

fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).unwrap()
}

#[test]
fn three_striped_ssds_reach_three_times_the_ceiling_of_one_at_a_later_knee() {
    let bench = Bench::new();
    for pattern in ["randread-4k", "randwrite-4k"] {
        let (Some(one), Some(three)) =
            (curve(&bench, "mx200-x1", pattern), curve(&bench, "mx200-x3-raid0", pattern))
        else {
            return;
        };
        let (ceiling, knee) = ("/saturation/ceiling_iops", "/saturation/knee/outstanding");
        let ratio = number(&three, ceiling) / number(&one, ceiling);
        assert!((ratio / 3.0 - 1.0).abs() < 0.05, "{pattern}: {ratio}");
        assert_eq!(
            (&one["saturation"]["is_reached"], &three["saturation"]["is_reached"]),
            (&true.into(), &true.into())
        );
        if pattern == "randwrite-4k" {
            // A single write already waits for as much as it gets: the cache of the drive answers it.
            assert!(number(&one, knee) < 2.0 && number(&three, knee) < 2.0);
            continue;
        }
        assert!(
            (number(&one, ceiling) / 47_000.0 - 1.0).abs() < 0.03
                && (8.0..=24.0).contains(&number(&one, knee))
        );
        assert!(
            (number(&three, ceiling) / 143_000.0 - 1.0).abs() < 0.03
                && (24.0..=64.0).contains(&number(&three, knee))
        );
        // One I/O alone takes as long on one as on three of them.
        let latency = "/saturation/knee/lat_mean_us";
        assert!((number(&three, latency) / number(&one, latency) - 1.0).abs() < 0.5);
    }
}

#[test]
fn a_disk_has_its_knee_at_one_and_a_ssd_that_falls_again_is_told() {
    let bench = Bench::new();
    let (Some(disk), Some(ssd)) =
        (curve(&bench, "hgst-7k2", "randread-4k"), curve(&bench, "intel-s4610-hba", "randread-4k"))
    else {
        return;
    };
    assert!(number(&disk, "/saturation/knee/outstanding") <= 2.0, "{disk}");
    assert!((number(&disk, "/saturation/ceiling_iops") / 113.0 - 1.0).abs() < 0.05, "{disk}");
    // 51,000 up to some depth, 35,000 beyond.
    assert!(
        number(&ssd, "/saturation/falls_by_percent") > 25.0
            && number(&ssd, "/saturation/ceiling_iops") > 48_000.0
    );
}

#[test]
fn three_striped_ssds_are_recommended_over_one_with_reasons() {
    let bench = Bench::new();
    let (Some(one), Some(three)) = (shared("fio/mx200-x1"), shared("fio/mx200-x3-raid0")) else { return };
    bench.run(&["import", &one, "--label", "one SSD", "--attribute", "disks=1"]).expect_code(0);
    bench.run(&["import", &three, "--label", "three striped", "--attribute", "disks=3"]).expect_code(0);
    let comparison = bench.run(&["compare", "one SSD", "three striped", "--json"]).expect_code(0).json();
    let recommendation = &comparison["recommendation"];
    assert_eq!(recommendation["best"], "B");
    assert!(recommendation["sentence"].as_str().unwrap().contains("three striped"), "{recommendation}");
    assert!(!recommendation["reasons"].as_array().unwrap().is_empty());
    assert_eq!(comparison["factors"][0]["attribute"], "disks");
    let deltas = comparison["against_baseline"][0]["deltas"].as_array().unwrap();
    let delta = |metric: &str| {
        let one =
            deltas.iter().find(|delta| delta["metric"] == metric).unwrap_or_else(|| panic!("no {metric}"));
        one["percent"].as_f64().unwrap()
    };
    // Three times as much where it is saturated, nothing where one I/O waits for one disk.
    assert!((delta("random read 4 KiB 16 x 16: read.iops") - 200.0).abs() < 15.0);
    assert!(delta("random read 4 KiB 1 x 1: read.iops").abs() < 10.0);
    // Straight from the folders it is the same answer.
    let direct = bench.run(&["compare", &one, &three, "--json"]).expect_code(0).json();
    assert_eq!(direct["recommendation"]["best"], "B");
    assert_eq!(direct["configurations"][1]["label"], "mx200-x3-raid0");
}

#[test]
fn results_under_other_conditions_are_not_compared() {
    let bench = Bench::new();
    let refused = bench.run(&["compare", &golden("fio/mix.json"), &golden("fio/client.json")]).expect_code(2);
    assert!(refused.stderr.contains("cannot be compared: load: "), "{}", refused.stderr);
    let tools = bench.run(&["compare", &golden("fio/mix.json"), &golden("diskspd/two-spans.txt"), "--force"]);
    assert!(tools.stdout.contains("Compared by force") || tools.code == 2, "{}", tools.stderr);
}

#[test]
fn files_of_one_name_in_two_folders_are_two_configurations() {
    let bench = Bench::new();
    let text = std::fs::read_to_string(golden("fio/mix.json")).unwrap();
    for folder in ["old", "new"] {
        std::fs::create_dir(bench.path().join(folder)).unwrap();
        // Not the same file twice.
        let end = if folder == "old" { "\n" } else { "\n\n" };
        std::fs::write(bench.path().join(folder).join("fio.json"), format!("{text}{end}")).unwrap();
    }
    let compared = bench.run(&["compare", "old/fio.json", "new/fio.json", "--json"]).expect_code(0).json();
    let labels: Vec<&str> = compared["configurations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["old/fio", "new/fio"]);
}

#[test]
fn two_repeats_give_the_figures_of_one_of_them_and_tell_how_far_they_lie_apart() {
    let bench = Bench::new();
    let text = std::fs::read_to_string(golden("fio/mix.json")).unwrap();
    let write = |name: &str, factor: f64| {
        let mut result: Value = serde_json::from_str(&text).unwrap();
        for job in result["jobs"].as_array_mut().unwrap() {
            for direction in ["read", "write"] {
                let stream = &mut job[direction];
                stream["iops"] = (stream["iops"].as_f64().unwrap() * factor).into();
                stream["lat_ns"]["mean"] = (stream["lat_ns"]["mean"].as_f64().unwrap() / factor).into();
            }
        }
        std::fs::write(bench.path().join(name), result.to_string()).unwrap();
    };
    std::fs::create_dir(bench.path().join("rep")).unwrap();
    write("rep/1.json", 3.0);
    write("rep/2.json", 1.0);
    write("other.json", 2.0);
    let compare = |names: &[&str]| {
        let arguments = [&["compare"], names, &["--json"]].concat();
        bench.run(&arguments).expect_code(0).json()
    };
    let each = compare(&["rep/1.json", "rep/2.json"]);
    let together = compare(&["rep", "other.json"]);
    let rep = &together["configurations"][0];
    assert_eq!(rep["figures"], each["configurations"][1]["figures"]);
    let range = &rep["ranges"]["read.iops"];
    assert_eq!(range[0], each["configurations"][1]["figures"]["read.iops"]);
    assert_eq!(range[1], each["configurations"][0]["figures"]["read.iops"]);
    assert_eq!(together["configurations"][1]["ranges"], serde_json::json!({}));
    let findings = together["findings"].as_array().unwrap();
    let finding = findings.iter().find(|one| one["id"] == "repeats-apart").unwrap();
    assert_eq!(finding["severity"], "warning");
    let message = finding["message"].as_str().unwrap();
    assert!(message.contains("A: its 2 runs differ by up to 200 %"), "{message}");
    // What lies between the two is no other.
    let deltas = together["against_baseline"][0]["deltas"].as_array().unwrap();
    let of_iops = deltas.iter().find(|delta| delta["metric"] == "read.iops").unwrap();
    assert_eq!(of_iops["reading"], "no-difference");
}

/// The curves of some files of a folder.
fn curves_of(bench: &Bench, files: &[String], more: &[&str]) -> Ran {
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    bench.run(&[&["import"], files.as_slice(), &["--as-sweep", "--quiet"], more].concat()).expect_code(0)
}

#[test]
fn loads_beyond_saturation_bound_the_knee_and_claim_nothing_of_the_device() {
    let bench = Bench::new();
    let grid = |folder: &str, copies: &[u32]| -> Option<Vec<String>> {
        copies.iter().map(|count| shared(&format!("fio/{folder}/randread-{count}-64.json"))).collect()
    };
    let (Some(disk), Some(ssd)) = (grid("hgst-7k2", &[32, 64]), grid("mx200-x1", &[8, 16, 32, 64])) else {
        return;
    };
    for (files, lowest, lowest_said, ceiling) in
        [(disk, 2_048.0, "2,048", 113.0), (ssd, 512.0, "512", 47_000.0)]
    {
        let found = curves_of(&bench, &files, &["--json"]).json();
        let curve = &found["sweep"]["curves"][0];
        let saturation = &curve["saturation"];
        assert_eq!(saturation["knee_bound"], "at-or-below", "{saturation:#}");
        assert_eq!(saturation["knee"]["outstanding"], lowest);
        assert!(saturation["knee_confidence"].is_null() && saturation["fit"].is_null(), "{saturation:#}");
        assert!((number(saturation, "/ceiling_iops") / ceiling - 1.0).abs() < 0.05, "{saturation:#}");
        assert_eq!(curve["limit"]["kind"], "unknown");
        let text = curves_of(&bench, &files, &[]).stdout;
        assert!(!text.contains("in proportion (") && !text.contains("has work for"), "{text}");
        assert!(text.contains("≤") && text.contains("knee-not-resolved"), "{text}");
        let bound = format!("the knee is at or below {lowest_said} outstanding I/Os");
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(&bound), "{text}");
    }
}

#[test]
fn two_loads_are_shown_without_a_curve_and_the_ceiling_is_the_highest_of_them() {
    let bench = Bench::new();
    let Some(folder) = shared("sqlio") else { return };
    let outcome = bench.run(&["import", &folder, "--as-sweep", "--json", "--quiet"]).expect_code(0).json();
    for curve in outcome["sweep"]["curves"].as_array().unwrap() {
        let saturation = &curve["saturation"];
        let rates = curve["probes"].as_array().unwrap().iter().map(|probe| probe["iops"].as_f64().unwrap());
        let highest = rates.fold(0.0, f64::max);
        assert!((number(saturation, "/ceiling_iops") / highest - 1.0).abs() < 1e-9, "{curve:#}");
        assert!(saturation["fit"].is_null() && !saturation["knee_bound"].is_null(), "{curve:#}");
        assert_ne!(curve["limit"]["kind"], "device", "{curve:#}");
    }
    let text = bench.run(&["import", &folder, "--as-sweep", "--quiet"]).expect_code(0).stdout;
    assert!(!text.contains("up to 128 outstanding latency stays in proportion"), "{text}");
}

#[test]
fn a_bound_in_a_csv_is_kept_judged_and_shown_with_its_sign() {
    let bench = Bench::new();
    let csv = "label,read.iops,read.lat_mean_us,write.lat_mean_us\nultra,> 80000,< 1000,<= 300\n";
    std::fs::write(bench.path().join("printed.csv"), csv).unwrap();
    bench.run(&["import", "printed.csv", "-o", "records"]).expect_code(0);
    let record = std::fs::read_dir(bench.path().join("records")).unwrap().next().unwrap().unwrap().path();
    let record = record.to_str().unwrap();
    let json = bench.run(&["report", record, "--json"]).expect_code(0).json();
    assert_eq!(json["bounds"]["read.lat_mean_us"], serde_json::json!({ "below": 1000.0 }));
    assert_eq!(json["bounds"]["write.lat_mean_us"], serde_json::json!({ "at_most": 300.0 }));
    assert_eq!(json["verdict"]["outcome"], "qualified");
    assert_eq!(json["verdict"]["judged"][0]["bound"], "below");
    let shown = bench.run(&["report", record, "--html", "r.html", "--csv", "r.csv"]).expect_code(0).stdout;
    assert!(shown.contains("> 80,000") && shown.contains("< 1.00 ") && shown.contains("≤ 0.300"), "{shown}");
    let read = |name: &str| std::fs::read_to_string(bench.path().join(name)).unwrap();
    assert!(read("r.html").contains("&lt; 1.00") || read("r.html").contains("&#60; 1.00"));
    assert!(read("r.csv").contains(",us,< 1000"), "{}", read("r.csv"));
}

#[test]
fn an_archive_is_a_folder_and_a_hostile_one_is_refused() {
    let bench = Bench::new();
    let archive_of = |name: &str, files: &[(&str, &str)]| {
        let path = bench.path().join(name);
        let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        for (name, file) in files {
            archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(&std::fs::read(golden(file)).unwrap()).unwrap();
        }
        archive.finish().unwrap();
        path.display().to_string()
    };
    let results = archive_of(
        "results.zip",
        &[("a/mix.json", "fio/mix.json"), ("a/mix_lat.1.log", "fio/mix_lat.1.log")],
    );
    let imported = bench.run(&["import", &results, "--json"]).expect_code(0).json();
    assert_eq!(
        (imported["kinds"][0]["new"].as_u64(), imported["failed"].as_array().unwrap().len()),
        (Some(1), 0)
    );
    // What lies beside it in the archive is read with it.
    assert_eq!(imported["beside"].as_array().unwrap().len(), 1);
    let record = bench.run(&["report", &results, "--json"]).json();
    let plain = bench.run(&["report", &golden("fio/mix.json"), "--json"]).json();
    assert_eq!(record["total"], plain["total"]);
    bench.run(&["audit", &archive_of("out.zip", &[("../mix.json", "fio/mix.json")])]).expect_code(2);
    assert!(!bench.path().parent().unwrap().join("mix.json").exists());
}

#[test]
fn methods_of_pg_test_fsync_are_judged_as_commits_and_compared() {
    let bench = Bench::new();
    let file = golden("pg-test-fsync/15.txt");
    let reports = bench.run(&["report", &file, "--thresholds", "etcd", "--json"]).json();
    let judged: Vec<f64> = reports
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let judged = &one["verdict"]["judged"][0];
            assert_eq!((&judged["role"], &judged["stream"]), (&"log".into(), &"commit".into()));
            judged["value_us"].as_f64().unwrap()
        })
        .collect();
    assert_eq!(judged, [3_831.0, 2_675.0, 2_642.0, 2_781.0]);
    let comparison = bench.run(&["compare", &file, "--json"]).expect_code(0).json();
    assert_eq!(comparison["configurations"].as_array().unwrap().len(), 4, "{comparison:#}");
}

#[test]
fn of_a_percentile_that_is_known_by_its_bucket_that_end_decides_which_can() {
    let bench = Bench::new();
    // Between 4 and 8 ms, where 10 ms are the limit.
    let within =
        bench.run(&["report", &golden("prometheus/etcd-twice.txt"), "--thresholds", "etcd", "--json"]);
    let judged = |report: &Value| {
        let all = report["verdict"]["judged"].as_array().unwrap().clone();
        let p99 = all.into_iter().find(|one| one["statistic"] == "p99").unwrap();
        (p99["bound"].as_str().unwrap().to_owned(), p99["value_us"].as_f64().unwrap())
    };
    assert_eq!(judged(&within.json()), ("at_most".to_owned(), 8_000.0));
    let Some(cases) = shared("cases/field") else { return };
    let beyond =
        bench.run(&["report", &format!("{cases}/11-etcd-metrics.txt"), "--thresholds", "etcd", "--json"]);
    let report = beyond.json();
    assert_eq!(report["verdict"]["outcome"], "not-qualified");
    assert_eq!(judged(&report), ("at_least".to_owned(), 16_000.0));
}
