//! `iotrial compare` as a user meets it.

use crate::support::{Bench, Ran};
use serde_json::Value;

/// A run of the simulated device, whose service time is spread; returns the path of its record.
fn run(bench: &Bench, label: &str, seed: &str, service_time_us: u32, more: &[&str]) -> String {
    let device = format!("service_time_us = {service_time_us}, service_spread = 0.5, parallelism = 32");
    let base = [
        "run",
        "--closed",
        "--engine",
        "sim",
        "--sim",
        &device,
        "--seed",
        seed,
        "--ramp",
        "1s",
        "--duration",
        "20s",
        "--json",
        "--quiet",
        "--label",
        label,
    ];
    let ran = bench.run(&[&base, more].concat());
    ran.json()["record"].as_str().unwrap().to_owned()
}

fn compare(bench: &Bench, arguments: &[&str]) -> Ran {
    bench.run(&[&["compare"], arguments].concat())
}

/// The change of a metric in the only pair.
fn delta<'c>(comparison: &'c Value, metric: &str) -> &'c Value {
    let deltas = comparison["against_baseline"][0]["deltas"].as_array().unwrap();
    deltas
        .iter()
        .find(|delta| delta["metric"] == metric)
        .unwrap_or_else(|| panic!("no {metric} in {comparison:#}"))
}

#[test]
fn labels_in_the_store_are_compared_with_all_their_runs() {
    let bench = Bench::new();
    for seed in ["1", "2"] {
        run(&bench, "slow", seed, 300, &["--attribute", "driver=a"]);
        run(&bench, "fast", seed, 200, &["--attribute", "driver=b"]);
    }
    let comparison = compare(&bench, &["slow", "fast", "--json"]).expect_code(0).json();
    assert_eq!(comparison["configurations"][0]["sources"].as_array().unwrap().len(), 2);
    assert_eq!(comparison["recommendation"]["best"], "B");
    let percent = delta(&comparison, "read.iops")["percent"].as_f64().unwrap();
    assert!((percent - 50.0).abs() < 3.0, "300 µs against 200 µs: {percent}");
    assert_eq!(comparison["factors"][0]["attribute"], "driver");
}

#[test]
fn every_form_has_the_charts_or_the_figures_of_one_document() {
    let bench = Bench::new();
    let (first, other) = (run(&bench, "x", "1", 300, &[]), run(&bench, "y", "2", 200, &[]));
    let files = ["--html", "c.html", "--xlsx", "c.xlsx", "--markdown", "c.md", "--csv", "c.csv", "--details"];
    let ran = compare(&bench, &[&[first.as_str(), &other][..], &files].concat()).expect_code(0);
    for (file, begin) in
        [("c.html", "<!doctype html>"), ("c.xlsx", "PK"), ("c.md", "# sqlserver-oltp"), ("c.csv", "run,")]
    {
        bench.expect_file(file, begin);
        assert!(ran.stdout.contains(&format!("report  {file}")), "{}", ran.stdout);
    }
    let html = std::fs::read_to_string(bench.path().join("c.html")).unwrap();
    assert!(html.contains("<title>sqlserver-oltp: 2 configurations compared</title>"));
    for id in ["bars-iops", "bars-lat-p999-us", "against-baseline-0", "curve-read", "heat-write-1"] {
        assert!(html.contains(&format!("aria-labelledby=\"{id}-t ")), "{id}");
    }
    assert!(html.contains("class=\"error-bar\""));
    // A change on the terminal is the same one everywhere.
    let comparison = compare(&bench, &[&first, &other, "--json"]).json();
    let shown = format!("{:+.1}", delta(&comparison, "read.iops")["percent"].as_f64().unwrap());
    let markdown = std::fs::read_to_string(bench.path().join("c.md")).unwrap();
    for text in [&ran.stdout, &html, &markdown] {
        assert!(text.contains(&shown), "{shown}");
    }
    let piped = compare(&bench, &[&first, &other, "--csv", "-"]).expect_code(0).stdout;
    assert!(piped.starts_with("run,section,") && piped.contains("I/Os per second"), "{piped}");
    let refused = compare(&bench, &[&first, &other, "--csv", "-", "--json"]).expect_code(2).stderr;
    assert!(refused.contains("--json and --csv would both write to standard output"), "{refused}");
}

#[test]
fn two_runs_of_the_same_device_show_no_difference() {
    let bench = Bench::new();
    let (first, other) = (run(&bench, "x", "1", 200, &[]), run(&bench, "y", "2", 200, &[]));
    let comparison = compare(&bench, &[&first, &other, "--json"]).expect_code(0).json();
    for delta in comparison["against_baseline"][0]["deltas"].as_array().unwrap() {
        let expected = match delta["metric"].as_str().unwrap() {
            // The longest of all I/Os says nothing by one run, and how much was moved is neither better nor worse.
            metric if metric.ends_with("lat_max_us") => "no-interval",
            metric if metric.ends_with("total_gib") => "amount",
            _ => "no-difference",
        };
        assert_eq!(delta["reading"], expected, "{delta:#}");
    }
    assert_eq!(comparison["recommendation"]["best"], Value::Null);
}

#[test]
fn a_gate_that_is_missed_ends_with_1_and_says_which() {
    let bench = Bench::new();
    let (before, after) = (run(&bench, "before", "1", 200, &[]), run(&bench, "after", "2", 300, &[]));
    let gate = |gate: &str| compare(&bench, &[&before, &after, "--gate", gate, "--details"]);
    let missed = gate("write.p99 <= +10%").expect_code(1);
    assert!(
        missed.stdout.contains("write.p99 <= +10%") && missed.stdout.contains("failed"),
        "{}",
        missed.stdout
    );
    gate("write.p99 <= +90%").expect_code(0);
    gate("log.write.p99 <= +90%").expect_code(0);
    gate("data.read.p95 < 1us").expect_code(1);
    gate("tempdb.write.iops >= 1iops").expect_code(0);
    // Without gates a long page ends with its answer.
    let answer = |text: &str| text.lines().find(|line| line.starts_with(['✓', '?', '✗'])).unwrap().to_owned();
    let plain = compare(&bench, &[before.as_str(), &after, "--details"]).expect_code(0).stdout;
    let again = format!("iotrial compare {before} {after} --details --html compare.html");
    let end = format!("\n\n{}\nnext: {again}   # a page with all figures\n", answer(&plain));
    assert!(plain.lines().count() > 40 && plain.ends_with(&end), "{plain}");
    // The last lines are the gates and what came of all.
    let lines: Vec<&str> = missed.stdout.lines().collect();
    let [.., empty, of_gate, of_all] = lines.as_slice() else { panic!("{}", missed.stdout) };
    assert!(
        empty.is_empty() && of_gate.starts_with("✗ failed     write.p99 <= +10%  B (after)  +"),
        "{of_gate}"
    );
    assert_eq!(*of_all, "✗ gates: 1 failed");
    let wrong = gate("write.p98 <= +10%").expect_code(2);
    assert!(wrong.stderr.contains("no configuration has the metric `write.p98`"), "{}", wrong.stderr);
    gate("write.p99 <= much").expect_code(2);
}

#[test]
fn a_gate_that_is_undecided_ends_with_4_or_strictly_with_1_and_a_ci_system_sees_why() {
    let bench = Bench::new();
    let (before, after) = (run(&bench, "before", "1", 200, &[]), run(&bench, "a<b>", "2", 200, &[]));
    let gates = ["--gate", "read.max <= +10%", "--gate", "write.p99 <= +10%"];
    let gate = |more: &[&str]| compare(&bench, &[&[before.as_str(), &after][..], &gates, more].concat());
    let undecided = gate(&["--junit", "gates.xml", "--github-summary=summary.md"]).expect_code(4);
    assert!(
        undecided.stdout.contains("? undecided  read.max <= +10%")
            && undecided.stdout.contains(": single runs do not show how much it varies"),
        "{}",
        undecided.stdout
    );
    assert!(undecided.stdout.ends_with("? gates: 1 undecided, 1 passed\n"), "{}", undecided.stdout);
    let xml = std::fs::read_to_string(bench.path().join("gates.xml")).unwrap();
    assert!(xml.contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""), "{xml}");
    assert!(xml.contains("<skipped message=\"read.max &lt;= +10% is undecided"), "{xml}");
    assert!(xml.contains("classname=\"iotrial.a&lt;b&gt;\""), "{xml}");
    gate(&["--strict"]).expect_code(1);
    gate(&["--junit", "gates.xml"]).expect_code(2);
    gate(&["--github-summary=summary.md"]).expect_code(4);
    let summary = std::fs::read_to_string(bench.path().join("summary.md")).unwrap();
    assert_eq!(summary.matches("# iotrial gates: 1 undecided, 1 passed").count(), 2, "{summary}");
    let json = gate(&["--json"]).expect_code(4);
    assert_eq!(json.json()["gates"][0]["outcome"], "undecided");
    assert!(json.stderr.ends_with("? gates: 1 undecided, 1 passed\n"), "{}", json.stderr);
    let unset = gate(&["--github-summary"]).expect_code(2).stderr;
    assert!(unset.contains("--github-summary needs the variable GITHUB_STEP_SUMMARY"), "{unset}");
}

#[test]
fn a_run_and_a_report_take_gates_on_values_and_a_misspelt_one_costs_no_run() {
    let bench = Bench::new();
    let load =
        ["run", "--closed", "--engine", "sim", "--seed", "1", "--ramp", "1s", "--duration", "20s", "--quiet"];
    let gated = |gates: &[&str]| bench.run(&[&load, gates].concat());
    let kept = gated(&["--gate", "log.write.p99 < 1s", "--label", "x", "--details"]).expect_code(0);
    // Code 0 below an inconclusive verdict is explained.
    let last = "✓ gates: 1 passed; the exit code is that of the gates, not of the verdict (inconclusive)\n";
    assert!(kept.stdout.ends_with(last), "{}", kept.stdout);
    assert!(kept.stdout.contains("✓ passed     log.write.p99 < 1s  x  "), "{}", kept.stdout);
    // Decided as what was simulated, and told as that.
    let words = kept.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        kept.stdout.contains(", simulated\n✓ gates") && words.contains("say nothing about real storage"),
        "{}",
        kept.stdout
    );
    gated(&["--gate", "data.read.mean < 1us"]).expect_code(1);
    let none = gated(&["--gate", "scan.read.p99 < 2ms", "--label", "never"]).expect_code(2).stderr;
    assert!(none.contains("no configuration has the metric `scan.read.p99`; there are"), "{none}");
    assert!(none.contains("; the roles are data, tempdb, log"), "{none}");
    // A role that there is none of is a mistake before anything is measured, and when only the plan is shown.
    for more in [&["--label", "never"][..], &["--dry-run"]] {
        let nonsense = gated(&[&["--gate", "nonsense.p99 < 2ms"][..], more].concat()).expect_code(2).stderr;
        assert!(nonsense.contains("no configuration has the metric `nonsense.p99`"), "{nonsense}");
        assert!(nonsense.contains("; the roles are data, tempdb, log"), "{nonsense}");
    }
    let change = gated(&["--gate", "write.p99 <= +10%", "--label", "never"]).expect_code(2).stderr;
    assert!(change.contains("is about a change, and there is no baseline"), "{change}");
    assert!(bench.run(&["records", "--label", "never", "--json"]).json().as_array().unwrap().is_empty());
    let report = bench.run(&["report", "x", "--gate", "tempdb.read.p99 < 1s", "--json"]).expect_code(0);
    let outcome = &report.json()["gates"][0];
    assert_eq!((&outcome["outcome"], &outcome["metric"]), (&"kept".into(), &"tempdb.read.lat_p99_us".into()));
    assert_eq!(outcome["simulated"], true);
    assert!(outcome["value"].as_f64().unwrap() < outcome["value_interval"]["high"].as_f64().unwrap());
}

#[test]
fn capacities_are_compared_and_what_the_streams_do_at_them_is_not_judged() {
    let bench = Bench::new();
    let search = |label: &str, service_time_us: u32| {
        let device = format!("service_time_us = {service_time_us}, parallelism = 32");
        let base = [
            "run",
            "--engine",
            "sim",
            "--sim",
            &device,
            "--seed",
            "1",
            "--duration",
            "20s",
            "--quiet",
            "--json",
        ];
        bench.run(&[&base[..], &["--label", label]].concat()).json()["capacity"]["iops"].as_f64().unwrap()
    };
    let truth = search("slow", 800) / search("fast", 400);
    let gates = ["--gate", "capacity >= 1000iops", "--gate", "write.p99 <= +10%"];
    let compared = compare(&bench, &[&["fast", "slow", "--json"][..], &gates].concat()).expect_code(4).json();
    let capacity = delta(&compared, "total.capacity_iops");
    assert!((capacity["percent"].as_f64().unwrap() - 100.0 * (truth - 1.0)).abs() < 1e-6, "{capacity:#}");
    assert_eq!(delta(&compared, "write.lat_p99_us")["reading"], "other-rate");
    assert_eq!(compared["rankings"].as_array().unwrap().len(), 1, "{:#}", compared["rankings"]);
    assert_eq!(compared["recommendation"]["best"], "A");
    assert!(compared["findings"].as_array().unwrap().iter().any(|finding| finding["id"] == "own-rates"));
    let outcomes: Vec<&str> =
        compared["gates"].as_array().unwrap().iter().map(|gate| gate["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["kept", "undecided"]);
    // The list of the store has them too.
    let entries = bench.run(&["records", "--json"]).json();
    for entry in entries.as_array().unwrap() {
        assert!(entry["capacity_iops"].as_f64().unwrap() > 1_000.0, "{entry:#}");
        assert_eq!(
            (&entry["outcome"], &entry["key_latency"]["metric"]),
            (&"inconclusive".into(), &"commit.p99".into())
        );
    }
}

#[test]
fn a_folder_is_compared_whole_and_a_broken_record_is_passed_over_in_it_and_refused_by_its_name() {
    let bench = Bench::new();
    run(&bench, "x", "1", 200, &[]);
    run(&bench, "y", "2", 200, &[]);
    let store = bench.store();
    let folder = store.to_str().unwrap();
    compare(&bench, &[folder]).expect_code(0);
    std::fs::write(store.join("broken.iotrial.json"), "{").unwrap();
    let noted = compare(&bench, &[folder, "--json"]).expect_code(0);
    assert!(noted.stderr.contains("broken.iotrial.json` is not a record"), "{}", noted.stderr);
    assert_eq!(noted.json()["configurations"].as_array().unwrap().len(), 2);
    let broken = store.join("broken.iotrial.json");
    let named = ["x", "y", broken.to_str().unwrap()];
    let refused = compare(&bench, &named).expect_code(2);
    assert!(refused.stderr.contains("broken.iotrial.json` is not a record"), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("hint: leave it out, or compare the others with --force"),
        "{}",
        refused.stderr
    );
    let forced = compare(&bench, &[&named[..], &["--force", "--json"]].concat()).expect_code(0);
    assert!(forced.stderr.contains("warning: left out"), "{}", forced.stderr);
    assert_eq!(forced.json()["configurations"].as_array().unwrap().len(), 2);
}

#[test]
fn wrong_input_is_refused_with_what_can_be_done() {
    let bench = Bench::new();
    let one = run(&bench, "x", "1", 200, &[]);
    let other = run(&bench, "y", "2", 200, &["--buffered"]);
    let check = |arguments: &[&str], expected: &[&str]| {
        let refused = compare(&bench, arguments).expect_code(2);
        assert!(expected.iter().all(|part| refused.stderr.contains(part)), "{}", refused.stderr);
        assert_eq!(refused.stdout, "");
    };
    check(&[&one], &["there is only one configuration", "hint: give two or more records"]);
    check(&[&one, &other], &["cannot be compared: I/O: direct against buffered", "hint: --force compares"]);
    let sweep = ["sweep", "--engine", "sim", "--pattern", "randread-8k", "--step", "1s", "--quiet", "--json"];
    let sweep = bench.run(&sweep).json()["record"].as_str().unwrap().to_owned();
    check(&[&one, &sweep], &["is the record of a sweep; `iotrial compare` takes", "hint: `iotrial report"]);
    check(
        &[&one, "nowhere"],
        &["`nowhere` is neither a file nor an id or label", "hint: `iotrial records` lists"],
    );
    check(&[&one, "data"], &["the folder `data` has no records"]);
    check(&["--table", "none.toml"], &["cannot read `none.toml`", "No such file"]);
    check(&[], &["required"]);
    std::fs::write(bench.path().join("bad.toml"), "format = \"iotrial.table/1\"\ntitle = 3\n").unwrap();
    check(
        &["--table", "bad.toml"],
        &[
            "cannot read `bad.toml`",
            "it is not a valid table",
            "line 2, column 9",
            "hint: `iotrial docs table-format`",
        ],
    );
}

#[test]
fn a_printed_table_is_shown_the_same_on_the_terminal_and_in_html() {
    let bench = Bench::new();
    let table = "format = \"iotrial.table/1\"\ntitle = \"T\"\n\
        [[row]]\nid = \"A\"\nlabel = \"<one>\"\nattributes = { tier = 1 }\nread = { iops = 1000, lat_mean_us = 900 }\n\
        [[row]]\nid = \"B\"\nattributes = { tier = 2 }\nread = { iops = 1369, lat_mean_us = 700 }\n";
    std::fs::write(bench.path().join("t.toml"), table).unwrap();
    let ran = compare(&bench, &["--table", "t.toml", "--html", "c.html"]).expect_code(0);
    let html = std::fs::read_to_string(bench.path().join("c.html")).unwrap();
    for text in ["+36.9", "−22.2", "Recommended: B"] {
        assert!(ran.stdout.contains(text) && html.contains(text), "{text}\n{}", ran.stdout);
    }
    assert!(html.contains("&lt;one&gt;") && !html.contains("<one>"));
    // The option is for those who like to say it.
    let named = compare(&bench, &["t.toml", "--json"]).expect_code(0).stdout;
    assert_eq!(named, compare(&bench, &["--table", "t.toml", "--json"]).expect_code(0).stdout);
}

#[test]
fn sweeps_are_compared_with_sweeps_by_ceilings_and_nothing_is_interpolated() {
    let bench = Bench::new();
    let sweep = |label: &str, service_us: u32, grid: &str| {
        let sim = format!("service_time_us = {service_us}, parallelism = 16, service_spread = 0.3");
        let all = ["sweep", "--engine", "sim", "--pattern", "randread-8k", "--grid", grid, "--step", "2s"];
        let more = ["--label", label, "--quiet", "--sim", &sim, "--json"];
        bench.run(&[&all[..], &more].concat()).expect_code(0);
    };
    sweep("before", 200, "1,4,8,16,32,64");
    sweep("after", 260, "1,4,16,64,128");
    let gates = ["--gate", "ceiling >= -5%", "--gate", "randread-8k.ceiling > 50000iops"];
    let ran =
        compare(&bench, &[&["before", "after", "--html", "s.html"][..], &gates].concat()).expect_code(1);
    for part in ["Simulated, not measured: lower ceilings: B (after)", "randread-8k −2", "1 failed, 1 passed"]
    {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    let compared = compare(&bench, &["before", "after", "--json"]).expect_code(0).json();
    let curve = &compared["curves"][0];
    assert_eq!(curve["pattern"], "randread-8k");
    let loads: Vec<(u64, usize)> = curve["loads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|load| (load["outstanding"].as_u64().unwrap(), load["cells"].as_array().unwrap().len()))
        .collect();
    // What one of them did not measure stands alone.
    assert_eq!(loads, [(1, 2), (4, 2), (8, 1), (16, 2), (32, 1), (64, 2), (128, 1)]);
    let ceiling = &curve["figures"][0];
    assert_eq!(ceiling["figure"], "ceiling_iops");
    let delta = &ceiling["cells"][1]["delta"];
    let percent = delta["percent"].as_f64().unwrap();
    assert!((-25.0..-21.0).contains(&percent) && delta["reading"] == "worse", "{delta}");
    let alone = compare(&bench, &["before"]).expect_code(2).stderr;
    assert!(alone.contains("there is only one sweep"), "{alone}");
    let unknown = compare(&bench, &["before", "after", "--gate", "write.p99 <= +5%"]).expect_code(2).stderr;
    assert!(unknown.contains("ceiling"), "{unknown}");
}

#[test]
fn two_sweeps_of_one_device_miss_no_gate() {
    let bench = Bench::new();
    for seed in ["1", "2"] {
        let sim = "service_time_us = 200, parallelism = 16, service_spread = 0.3";
        let all = [
            "sweep",
            "--engine",
            "sim",
            "--pattern",
            "randread-8k",
            "--grid",
            "1,4,8,16,32,64",
            "--step",
            "2s",
        ];
        let label = format!("sweep {seed}");
        let more = ["--seed", seed, "--label", &label, "--quiet", "--sim", sim, "--json"];
        bench.run(&[&all[..], &more].concat()).expect_code(0);
    }
    let ran = compare(&bench, &["sweep 1", "sweep 2", "--gate", "ceiling >= -5%"]).expect_code(0);
    assert!(
        ran.stdout.contains("No ceiling is shown to have changed")
            || ran.stdout.contains("no ceiling is shown to have changed"),
        "{}",
        ran.stdout
    );
}
