//! `iotrial audit` as a user meets it.

use iotrial_model::audit::Reason;
use iotrial_words::audit::not_checked;

use crate::support::Bench;

const TABLE: &str = "\
format = \"iotrial.table/1\"
title = \"A vendor's sheet\"
[[row]]
id = \"A\"
load = { block_size_bytes = 8192, outstanding = 32 }
read = { iops = 54321, bandwidth_mib_per_s = 424.4, lat_mean_us = 588.1 }
[[row]]
id = \"B\"
load = { block_size_bytes = 8192, outstanding = 32 }
read = { iops = 60123, bandwidth_mib_per_s = 469.7, lat_mean_us = 531.2 }
[[claim]]
kind = \"delta\"
metric = \"read.iops\"
baseline = \"A\"
row = \"B\"
percent = 10.7
";

#[test]
fn of_a_folder_each_result_that_contradicts_itself_has_its_name_and_a_line_with_the_place() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path().join("in")).unwrap();
    let put = |name: &str, text: String| std::fs::write(bench.path().join("in").join(name), text).unwrap();
    let rows = |bandwidth: &str| TABLE.replace("469.7", bandwidth);
    put("a-good.toml", TABLE.to_owned());
    for name in ["b.toml", "c.toml", "d.toml"] {
        put(name, rows("492.5").replace("10.7", "12.1").replace("424.4", "500.4"));
    }
    let shown = bench.run(&["audit", "in"]).expect_code(1).stdout;
    assert!(shown.lines().count() <= 23, "{shown}");
    let lines: Vec<&str> = shown.lines().collect();
    for name in ["b.toml", "c.toml", "d.toml"] {
        let at = lines.iter().position(|line| line.contains(name)).unwrap();
        assert!(lines[at].contains('✗') && lines[at + 1].starts_with("  ✗ "), "{name}\n{shown}");
    }
    assert!(lines.iter().any(|line| line.starts_with("More: iotrial audit in --details")), "{shown}");
}

#[test]
fn a_table_that_agrees_ends_with_0_and_one_that_does_not_with_1() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("good.toml"), TABLE).unwrap();
    std::fs::write(bench.path().join("bad.toml"), TABLE.replace("10.7", "12.1").replace("469.7", "492.5"))
        .unwrap();
    let good = bench.run(&["audit", "good.toml"]).expect_code(0);
    assert!(good.stdout.contains("It is consistent"), "{}", good.stdout);
    let bad = bench.run(&["audit", "bad.toml", "--json"]).expect_code(1).json();
    let findings: Vec<&str> =
        bad["findings"].as_array().unwrap().iter().map(|one| one["check"].as_str().unwrap()).collect();
    assert_eq!(findings, ["iops-bandwidth", "claimed-change"]);
    assert_eq!(bad["findings"][1]["right"], "+10.7 %");
    let both = bench.run(&["audit", "good.toml", "bad.toml", "--html", "audit.html"]).expect_code(1);
    assert!(both.stdout.contains("1 result contradicts itself"), "{}", both.stdout);
    assert!(both.stdout.contains("report  audit.html"), "{}", both.stdout);
    let html = std::fs::read_to_string(bench.path().join("audit.html")).unwrap();
    // The page says what the JSON says.
    let cause = bad["findings"][0]["cause"].as_str().unwrap();
    assert!(html.contains(&cause.replace('/', "&#x2f;")), "{html}");
}

#[test]
fn a_run_is_audited_by_its_id_and_by_its_file() {
    let bench = Bench::new();
    let device = "service_time_us = 200, parallelism = 32";
    let run = [
        "run",
        "--closed",
        "--engine",
        "sim",
        "--sim",
        device,
        "--seed",
        "1",
        "--duration",
        "20s",
        "--json",
        "--quiet",
    ];
    let record = bench.run(&run).json()["record"].as_str().unwrap().to_owned();
    let by_file = bench.run(&["audit", &record, "--json"]).expect_code(0).json();
    assert_eq!(by_file["findings"].as_array().unwrap().len(), 0, "{by_file:#}");
    let id = record.rsplit('/').next().unwrap().split('.').next().unwrap();
    let by_id = bench.run(&["audit", id, "--json"]).expect_code(0).json();
    assert_eq!(by_id, by_file);
}

#[test]
fn a_run_that_fell_behind_its_rate_is_not_accused_of_its_queue() {
    let bench = Bench::new();
    let device = "service_time_us = 1000, parallelism = 4";
    let run =
        ["run", "sqlserver-oltp", "--engine", "sim", "--sim", device, "--seed", "7", "--duration", "5s"];
    let summary = bench.run(&[&run[..], &["--need", "6000iops", "--json", "--quiet"]].concat()).json();
    // It asks for half as much again as the device does, so that seconds of I/Os wait, all but a few of them not issued.
    let mean_us = summary["roles"]["data"]["read"]["lat_mean_us"].as_f64().unwrap();
    assert!(mean_us > 200_000.0, "{summary:#}");
    let record = summary["record"].as_str().unwrap();
    let audit = bench.run(&["audit", record, "--json"]).expect_code(0).json();
    assert_eq!(audit["findings"], serde_json::json!([]), "{audit:#}");
    let unchecked = audit["unchecked"].as_array().unwrap();
    let reason = not_checked(&Reason::CountsFromDue.into());
    assert!(unchecked.iter().any(|one| one.as_str().unwrap().ends_with(&reason)), "{audit:#}");
}

/// A file as a tool wrote it.
fn golden(name: &str) -> String {
    format!("{}/../iotrial-import/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_result_of_another_tool_is_audited_from_its_file_and_from_the_store() {
    let bench = Bench::new();
    let mix = golden("fio/mix.json");
    let imported = bench.run(&["import", &mix, "--json"]).expect_code(0).json();
    let id = imported["records"][0]["id"].as_str().unwrap();
    let by_id = bench.run(&["audit", id, "--json"]).expect_code(0).json();
    let by_file = bench.run(&["audit", &mix, "--json"]).expect_code(0).json();
    // The store has a record of it, with a checksum; otherwise the checks are the same.
    let (checksum, others) = by_id["checks"].as_array().unwrap().split_first().unwrap();
    assert_eq!((&checksum["check"], &checksum["held"]), (&"checksum".into(), &1.into()));
    assert_eq!((&by_id["kind"], others), (&"import".into(), &by_file["checks"].as_array().unwrap()[..]));
    let held: u64 = by_id["checks"].as_array().unwrap().iter().map(|one| one["held"].as_u64().unwrap()).sum();
    assert!(held > 10, "{by_id:#}");
    // The same file with one figure changed: more I/Os than rate and runtime give.
    let text = std::fs::read_to_string(&mix).unwrap();
    let before = text.split("\"total_ios\" : ").nth(1).unwrap().split(',').next().unwrap();
    let changed =
        text.replacen(&format!("\"total_ios\" : {before}"), &format!("\"total_ios\" : {before}0"), 1);
    std::fs::write(bench.path().join("changed.json"), changed).unwrap();
    let audit = bench.run(&["audit", "changed.json", "--json"]).expect_code(1).json();
    let found: Vec<&str> =
        audit["findings"].as_array().unwrap().iter().map(|one| one["check"].as_str().unwrap()).collect();
    assert!(found.contains(&"totals"), "{audit:#}");
}

#[test]
fn no_result_that_a_tool_wrote_contradicts_itself() {
    let bench = Bench::new();
    for name in [
        "fio/mix.json",
        "fio/stonewall.json",
        "fio/terse-3.txt",
        "diskspd/two-spans.xml",
        "fio/group.json",
        "fio/group-of-two.json",
        "fio/status.json",
        "fio/synchronous.json",
        "fio/client.json",
        "fio/terse-5.txt",
        "diskspd/two-spans.txt",
        "diskspd/two-targets.txt",
        "sqlio/two-runs.txt",
        "iometer/2006.csv",
        "iometer/1.1.csv",
        "crystaldiskmark/8.txt",
        "vdbench/flatfile.html",
    ] {
        let ran = bench.run(&["audit", &golden(name), "--json"]);
        assert_eq!(ran.code, 0, "{name}: {}\n{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_result_of_diskspd_or_sqlio_with_one_figure_changed_contradicts_itself() {
    let bench = Bench::new();
    let check = |name: &str, from: &str, to: &str, check: &str| {
        let text = std::fs::read_to_string(golden(name)).unwrap();
        assert!(text.contains(from), "{name}: {from}");
        let changed = name.replace('/', "-");
        std::fs::write(bench.path().join(&changed), text.replacen(from, to, 1)).unwrap();
        let told = bench.run(&["audit", &changed, "--json"]).expect_code(1).json();
        // Each file has two runs, and the first one was changed.
        let findings = told[0]["findings"].as_array().unwrap();
        assert!(findings.iter().any(|finding| finding["check"] == check), "{name}: {from}: {told:#}");
    };
    check("diskspd/two-spans.xml", "<ReadCount>75000<", "<ReadCount>150000<", "totals");
    check("diskspd/two-spans.xml", "<WriteCount>25000<", "<WriteCount>250000<", "totals");
    check("diskspd/two-spans.xml", "<ReadBytes>614400000<", "<ReadBytes>153600000<", "transfer-size");
    check("diskspd/two-spans.xml", "<TestTimeSeconds>10.00<", "<TestTimeSeconds>5.00<", "littles-law");
    check("diskspd/two-targets.txt", "819200000 |       100000 |", "819200000 |       100100 |", "totals");
    check("sqlio/two-runs.txt", "%: 10 20 30", "%: 48 20 30", "histogram-shares");
}

#[test]
fn what_is_no_result_is_refused() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("x.txt"), "hello").unwrap();
    std::fs::write(bench.path().join("t.toml"), "format = \"iotrial.table/1\"\n").unwrap();
    std::fs::create_dir(bench.path().join("empty")).unwrap();
    let check = |name: &str, message: &str| {
        let told = bench.run(&["audit", name]).expect_code(2).stderr;
        assert!(told.contains(message), "{name}: {told}");
    };
    check("x.txt", "cannot read `x.txt`");
    check("t.toml", "it is not a valid table");
    check("empty", "the folder `empty` has no files");
    check("gone", "hint: `iotrial records` lists all results");
}

#[test]
fn one_bad_file_in_a_folder_does_not_keep_the_others_from_their_audit() {
    let bench = Bench::new();
    let folder = bench.path().join("results");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("a.toml"), TABLE).unwrap();
    std::fs::write(folder.join("README.md"), "what these results are of").unwrap();
    let ran = bench.run(&["audit", "results"]).expect_code(0);
    assert!(ran.stderr.contains("README.md` is not a result and was left out"), "{}", ran.stderr);
    let scripts: Vec<_> = (1..=5).map(|number| folder.join(format!("{number}.sh"))).collect();
    scripts.iter().for_each(|script| std::fs::write(script, "#!/bin/sh\n").unwrap());
    let many = bench.run(&["audit", "results"]).expect_code(0).stderr;
    assert!(
        many.contains("note: 6 files are not results and were left out, from `results/1.sh` to `"),
        "{many}"
    );
    assert_eq!(many.lines().count(), 1, "{many}");
    scripts.iter().for_each(|script| std::fs::remove_file(script).unwrap());
    std::fs::write(folder.join("b.toml"), "format = \"iotrial.table/1\"\n").unwrap();
    let ran = bench.run(&["audit", "results"]).expect_code(2);
    assert!(ran.stdout.contains("It is consistent"), "{}", ran.stdout);
    assert!(ran.stderr.contains("error: 1 of 3 files could not be audited"), "{}", ran.stderr);
}
