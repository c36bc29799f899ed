//! `iotrial size` as a user runs it.

use crate::support::{Bench, CONFIGURATION};

#[test]
fn explain_says_what_binds_and_what_it_costs() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("one.toml"), CONFIGURATION).unwrap();
    // The month of Oracle's calculator, which the article has.
    let ran = bench.run(&[
        "size",
        "explain",
        "one.toml",
        "--currency",
        "EUR",
        "--hours-per-month",
        "744",
        "--details",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for words in
        ["1,599 EUR a month", "first limit: network for volumes", "64 KiB, 40 % reads", "1 USD is 0.93 EUR"]
    {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    let ran =
        bench.run(&["size", "explain", "one.toml", "--json", "--html", "one.html", "--xlsx", "one.xlsx"]);
    let explained = ran.json();
    assert_eq!(explained["cost"]["per_month"].as_f64().map(f64::round), Some(1_692.0));
    assert_eq!(explained["cost"]["hours_per_month"], 730.0, "as long as in every other command");
    assert_eq!(explained["alone"][2]["binds"], "network for volumes");
    assert_eq!(explained["report"], "one.html");
    let page = std::fs::read_to_string(bench.path().join("one.html")).unwrap();
    assert!(page.contains("network for volumes – the limit"), "the picture marks the limit");
    assert!(bench.path().join("one.xlsx").exists());
}

#[test]
fn a_run_stands_beside_the_limits_of_its_configuration() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("one.toml"), CONFIGURATION).unwrap();
    let sim = "service_time_us = 500, parallelism = 64";
    let ran = bench.run(&[
        "run",
        "--closed",
        "oracle-slob-random",
        "--engine",
        "sim",
        "--sim",
        sim,
        "--duration",
        "5s",
        "--ramp",
        "1s",
        "--seed",
        "1",
        "--json",
        "--label",
        "run",
    ]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let record = ran.json()["record"].as_str().unwrap().to_owned();
    let explained = bench.run(&["size", "explain", "one.toml", "--record", &record, "--json"]).json();
    let measured = &explained["measured"][0];
    assert!(measured["in_flight"].as_f64().unwrap() > 0.0, "{measured}");
    assert_eq!(measured["bound_by"][0], "unknown", "{measured}");
    // The same run is a demand, too.
    let ran = bench.run(&["size", "--demand", &record, "--provider", "gcp", "--json"]);
    let sizing = ran.json();
    let streams = sizing["demand"]["streams"].as_array().unwrap();
    assert!(
        !streams.is_empty() && sizing["demand"]["source"].as_str().unwrap().starts_with("record "),
        "{sizing}"
    );
}

#[test]
fn what_another_tool_measured_stands_beside_the_limits_too() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("one.toml"), CONFIGURATION).unwrap();
    let fio = r#"{"fio version":"fio-3.35","global options":{"bs":"8k","iodepth":"32"},"jobs":[{"jobname":"j","job options":{"rw":"randread","bs":"8k","iodepth":"32","numjobs":"1"},
        "read":{"io_bytes":8192000000,"bw":800000,"iops":100000.0,"runtime":10000,"total_ios":1000000,"lat_ns":{"min":100000,"max":900000,"mean":310000.0,"stddev":1.0,"N":1000000}}}]}"#;
    std::fs::write(bench.path().join("fio.json"), fio).unwrap();
    let imported = bench.run(&["import", "fio.json"]);
    assert!(imported.code <= 1, "{}{}", imported.stdout, imported.stderr);
    let stored = std::fs::read_dir(bench.store()).unwrap().map(|entry| entry.unwrap().path());
    let record = stored.into_iter().find(|path| path.to_string_lossy().contains("imported")).unwrap();
    let explained =
        bench.run(&["size", "explain", "one.toml", "--record", record.to_str().unwrap(), "--json"]).json();
    let measured = &explained["measured"][0];
    assert_eq!(measured["iops"], 100_000.0, "{explained}");
    assert_eq!(measured["bound_by"][0], "unknown", "31 of 32 in flight, and no other load: {measured}");
}

#[test]
fn the_answer_has_all_its_forms_and_leads_back_to_a_test() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("one.toml"), CONFIGURATION).unwrap();
    let demand = [
        "size",
        "--read",
        "1920MB/s@64KiB",
        "--os",
        "windows",
        "--memory",
        "64GiB",
        "--provider",
        "oci",
        "--provider",
        "gcp",
    ];
    let mut with_files = demand.to_vec();
    with_files.extend([
        "--against",
        "one.toml",
        "--study",
        "prove.toml",
        "--config",
        "best.toml",
        "--html",
        "a.html",
        "--csv",
        "a.csv",
        "--json",
    ]);
    let ran = bench.run(&with_files);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let sizing = ran.json();
    let best = &sizing["found"][0]["answers"][0];
    assert!(best["cost"]["per_month"].as_f64().unwrap() <= 676.0, "{best}");
    assert_eq!(sizing["cheapest"], 0);
    assert!(
        sizing["against"][0]["sentence"].as_str().unwrap().contains("more (licence"),
        "{}",
        sizing["against"]
    );
    let page = std::fs::read_to_string(bench.path().join("a.html")).unwrap();
    assert!(page.contains("cost-curve") && page.contains("– the limit"));
    // What was found can be explained, and costs the same.
    let explained = bench.run(&["size", "explain", "best.toml", "--json"]).json();
    assert_eq!(explained["cost"]["per_month"], best["cost"]["per_month"]);
    let dry = bench.run(&["study", "prove.toml", "--dry-run", "--json"]);
    let outlook = dry.json();
    assert_eq!(outlook["elsewhere"].as_array().map(Vec::len), Some(2), "{}{}", dry.stdout, dry.stderr);
    let study = std::fs::read_to_string(bench.path().join("prove.toml")).unwrap();
    assert!(
        study.contains("expected_read_bandwidth_mb_per_s = 1920") && study.contains("rate = \"29297 iops\""),
        "{study}"
    );
}

#[test]
fn wrong_input_is_answered_with_what_would_be_right() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("one.toml"), CONFIGURATION).unwrap();
    std::fs::write(bench.path().join("typo.toml"), CONFIGURATION.replace("E4.Flex", "E4.Flx")).unwrap();
    std::fs::write(bench.path().join("own.toml"), "format = \"iotrial.catalog/1\"\nprovider = \"own\"\ncurrency = \"EUR\"\nhours_per_month = 730\nspeed = 3\n").unwrap();
    let check = |arguments: &[&str], code: i32, words: &[&str]| {
        // A command that is refused is refused all the same.
        let details: &[&str] = if code == 2 { &[] } else { &["--details"] };
        let ran = bench.run(&[arguments, details].concat());
        assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        for words in words {
            assert!(
                ran.stderr.contains(words) || ran.stdout.contains(words),
                "{words}: {}{}",
                ran.stdout,
                ran.stderr
            );
        }
    };
    check(&["size"], 2, &["no demand is given", "--read 40000iops@8KiB"]);
    check(&["size", "--read", "40000iops"], 2, &["has no block size"]);
    check(
        &["size", "--read", "1iops@8KiB", "--provider", "ocl"],
        2,
        &["unknown provider `ocl`", "there are oci"],
    );
    check(
        &["size", "--read", "1iops@8KiB", "--currency", "EUR"],
        2,
        &["no exchange rate from USD to EUR", "--rate USD/EUR="],
    );
    check(
        &["size", "--read", "1iops@8KiB", "--volume", "gp3", "--volume", "gp9"],
        2,
        &["no catalog has a volume `gp9`", "gp3"],
    );
    check(&["size", "--read", "1iops@8KiB", "--machine", "Cray"], 2, &["no machine has `Cray` in its name"]);
    check(&["size", "--read", "1iops@8KiB", "--load-growth", "20"], 2, &["needs the number of years"]);
    check(&["size", "--read", "1iops@8KiB", "--growth", "20", "--years", "3"], 2, &["needs a capacity"]);
    // What a rule forbids is not all well.
    std::fs::write(bench.path().join("iscsi.toml"), CONFIGURATION.replace("paravirtualized", "iscsi"))
        .unwrap();
    check(&["size", "explain", "iscsi.toml"], 1, &["This configuration is not possible", "iSCSI multipath"]);
    check(
        &["size", "--read", "1iops@8KiB", "--catalog", "own.toml"],
        2,
        &["unknown key `speed`", "`iotrial docs catalogs`"],
    );
    check(&["size", "explain", "one.toml", "--capacity", "1TiB"], 2, &["a demand needs rates"]);
    check(&["size", "explain", "one.toml", "--write", "1000MB/s@64KiB"], 0, &["It meets the demand"]);
    // Data Guard sends every write once more.
    check(
        &["size", "explain", "one.toml", "--write", "1100MB/s@64KiB", "--replicas", "1"],
        1,
        &["✗ VM.Standard.E4.Flex", "It does not meet the demand", "network out"],
    );
    check(&["size", "explain", "typo.toml"], 2, &["has no machine", "VM.Standard.E4.Flex"]);
    check(&["size", "explain", "one.toml", "--currency", "GBP"], 2, &["no exchange rate from USD to GBP"]);
    check(
        &["size", "--read", "9000000iops@4KiB", "--provider", "oci", "--provider", "aws"],
        1,
        &["✗ Nothing meets the demand", "the limiting factor is", "comes closest"],
    );
    check(
        &["size", "--read", "100iops@8KiB", "--memory", "900TiB"],
        1,
        &["the limiting factor is the memory: 900 TiB is needed", "comes closest"],
    );
}

/// A file that is there is replaced only where that is said, whichever option names it; and a kept demand is one.
#[test]
fn files_that_are_there_stay_as_they_are() {
    let bench = Bench::new();
    let demand = "format = \"iotrial.demand/1\"\nread = { iops = 1000, block_size = \"8KiB\" }\n";
    std::fs::write(bench.path().join("mine.toml"), demand).unwrap();
    let with =
        |more: &[&str]| bench.run(&[&["size", "--demand", "mine.toml", "--provider", "oci"], more].concat());
    for option in ["--config", "--study", "--save-demand", "--html"] {
        let ran = with(&[option, "mine.toml"]);
        assert_eq!(ran.code, 2, "{option}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(std::fs::read_to_string(bench.path().join("mine.toml")).unwrap(), demand, "{option}");
    }
    let ran = with(&["--config", "best.toml", "--study", "prove.toml", "--save-demand", "kept.toml"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(bench.run(&["size", "--demand", "kept.toml", "--provider", "oci"]).code, 0);
}

#[test]
fn two_outputs_never_go_to_one_file() {
    let bench = Bench::new();
    let asked = ["size", "--read", "1000iops@8KiB", "--provider", "oci"];
    for (one, other) in [("--study", "--config"), ("--html", "--save-demand"), ("--csv", "--study")] {
        for same in ["./a.toml", "data/../a.toml"] {
            let ran = bench.run(&[&asked[..], &[one, "a.toml", other, same]].concat());
            assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
            assert!(ran.stderr.contains("would both write to"), "{}", ran.stderr);
            assert!(!bench.path().join("a.toml").exists());
        }
    }
}

#[test]
fn the_walls_are_shown_whatever_was_to_be_written() {
    let bench = Bench::new();
    let asked = ["size", "--read", "1000iops@8KiB", "--memory", "900TiB", "--provider", "oci"];
    let files = ["--study", "prove.toml", "--config", "best.toml", "--save-demand", "kept.toml"];
    let [alone, with] = [bench.run(&asked), bench.run(&[&asked[..], &files].concat())];
    assert_eq!((alone.code, with.code), (1, 1), "{}{}", with.stdout, with.stderr);
    let walls = alone.stdout.trim_end();
    assert!(walls.contains("the limiting factor is") && with.stdout.starts_with(walls), "{}", with.stdout);
    for (file, is_there) in [("prove.toml", false), ("best.toml", false), ("kept.toml", true)] {
        assert_eq!(bench.path().join(file).exists(), is_there, "{file}");
        assert_eq!(with.stderr.contains(&format!("`{file}` is not written")), !is_there, "{}", with.stderr);
    }
}

/// Counters of a machine, and a demand without roles at a configuration with pools by role.
#[test]
fn counters_are_a_demand_and_go_to_the_pool_of_data() {
    let bench = Bench::new();
    let report = |reads: u32| {
        format!(
            "Device            r/s     w/s     rkB/s     wkB/s  %util\nsda            {reads}.00   50.00   {}.00    400.00   1.00\nsda1           {reads}.00   50.00   {}.00    400.00   1.00\n\n",
            reads * 8,
            reads * 8
        )
    };
    let text: String = (0..=100).map(|number| report(100 * number)).collect();
    std::fs::write(bench.path().join("io.txt"), format!("Linux 6.1 (db01) 11/21/26\n\n{text}")).unwrap();
    let ran = bench.run(&["size", "--demand", "io.txt", "--percentile", "90", "--provider", "oci", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let sizing = ran.json();
    let read = &sizing["demand"]["streams"][0];
    assert_eq!((read["iops"].as_f64(), read["block_size_bytes"].as_f64()), (Some(9_000.0), Some(8_192.0)));
    assert!(
        sizing["demand"]["source"].as_str().unwrap().contains("90th percentile of 100 intervals"),
        "{sizing}"
    );
    let shown = bench.run(&["size", "--demand", "io.txt", "--provider", "oci", "--details"]);
    assert!(shown.stdout.contains("How the demand was worked out"), "{}", shown.stdout);
    let apart = CONFIGURATION.replace("[[pool]]", "[[pool]]\nroles = [\"data\"]")
        + "[[pool]]\nroles = [\"log\"]\nvolume = \"block-volume\"\nlevel = \"vpu-10\"\nsize = \"100GiB\"\nattachment = \"paravirtualized\"\n";
    std::fs::write(bench.path().join("apart.toml"), apart).unwrap();
    let ran = bench.run(&["size", "explain", "apart.toml", "--demand", "io.txt", "--details"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let ran = bench.run(&["size", "--demand", "io.txt", "--disk", "sdz", "--details"]);
    assert!(ran.code == 2 && ran.stderr.contains("there are sda, sda1"), "{}", ran.stderr);
    let ran = bench.run(&[
        "size",
        "explain",
        "apart.toml",
        "--read",
        "1iops@8KiB",
        "--percentile",
        "50",
        "--details",
    ]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}

#[test]
fn catalogs_tell_their_age_and_what_they_do_not_know() {
    let bench = Bench::new();
    let ran = bench.run(&["size", "catalogs"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for words in ["oci", "azure", "aws", "gcp", "sources are older than a year", "missing: "] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    let printed = bench.run(&["size", "catalogs", "oci", "--print", "toml"]);
    std::fs::write(
        bench.path().join("mine.toml"),
        printed.stdout.replace("hours_per_month = 744", "hours_per_month = 700"),
    )
    .unwrap();
    let listed = bench.run(&["size", "catalogs", "--catalog", "mine.toml", "--json"]).json();
    assert_eq!(listed[0]["hours_per_month"], 700.0, "an own catalog takes the place of the built-in one");
    assert_eq!(listed.as_array().map(Vec::len), Some(4));
}

#[test]
fn room_beyond_ten_times_is_not_counted_in_thousands_of_percent() {
    let bench = Bench::new();
    // Whatever the catalogs say, no volume is so small.
    let shown =
        bench.run(&["size", "--read", "1iops@8KiB", "--provider", "oci", "--details"]).expect_code(0).stdout;
    let is_said = ["far more than the demand", "times the demand"].iter().any(|words| shown.contains(words));
    assert!(is_said && !shown.contains("% headroom"), "{shown}");
    assert!(shown.contains("> +1,000"), "{shown}");
    // There is I/O, so nothing is shown as 0 MB/s.
    let joined = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["reads 1 IOPS of 8 KiB (8.2 kB/s)", "uses less than 1 % of every limit", " kB/s "] {
        assert!(joined.contains(words), "{words}: {shown}");
    }
    assert!(!joined.contains(" 0 MB/s"), "{shown}");
}

/// What a simulated run did, and what a load with all its I/Os in flight did, is no demand of a database; both are said in the report as well.
#[test]
fn a_demand_says_what_speaks_against_its_source() {
    let bench = Bench::new();
    let sim = "service_time_us = 500, parallelism = 64";
    let run = [
        "run",
        "--closed",
        "oracle-slob-random",
        "--engine",
        "sim",
        "--sim",
        sim,
        "--duration",
        "5s",
        "--ramp",
        "1s",
    ];
    let ran = bench.run(&[&run[..], &["--seed", "1", "--json"]].concat());
    let record = ran.json()["record"].as_str().unwrap().to_owned();
    let sized = bench.run(&[
        "size",
        "--demand",
        &record,
        "--provider",
        "aws",
        "--json",
        "--save-demand",
        "kept.toml",
    ]);
    assert!(
        sized.stderr.contains("warning: ") && sized.stderr.contains("the device was simulated"),
        "{}",
        sized.stderr
    );
    let notes = sized.json()["demand"]["notes"].to_string();
    for words in ["the device was simulated", "in flight all the time", "the demand is a lower bound"] {
        assert!(notes.contains(words), "{words}: {notes}");
    }
    // The file that is kept says it, too.
    assert!(std::fs::read_to_string(bench.path().join("kept.toml")).unwrap().contains("lower bound"));
    std::fs::write(bench.path().join("one.toml"), CONFIGURATION).unwrap();
    let explained = bench.run(&["size", "explain", "one.toml", "--record", &record, "--json"]).json();
    assert_eq!(
        explained["measured"][0]["caveats"][0],
        "the device was simulated: these are not rates of real storage"
    );
}

#[test]
fn the_screen_has_processors_latency_and_what_other_numbers_of_volumes_cost() {
    let bench = Bench::new();
    let asked = [
        "size",
        "--read",
        "40000iops@8KiB",
        "--write",
        "10000iops@8KiB",
        "--capacity",
        "4TiB",
        "--memory",
        "128GiB",
    ];
    let shown = bench.run(&[&asked[..], &["--provider", "azure", "--details"]].concat()).stdout;
    for words in [
        "vCPU",
        "Gbit/s",
        "sub-ms",
        "How many volumes",
        "(recommended)",
        "only machines with at least 16 vCPUs are compared",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    // Ten times the load is room enough: nobody reads millions of per cent.
    let tiny = bench.run(&["size", "--read", "10iops@8KiB", "--provider", "azure", "--details"]).stdout;
    assert!(tiny.contains("> +1,000"), "{tiny}");
    let count = |more: &[&str]| {
        let sized = bench
            .run(&[&asked[..], &["--provider", "aws", "--volume", "gp3", "--json"], more].concat())
            .json();
        let best = &sized["found"][0]["answers"][0];
        (
            best["configuration"]["pools"][0]["count"].as_u64().unwrap(),
            best["cost"]["per_month"].as_f64().unwrap(),
        )
    };
    let (exact, usual, generous) = (count(&["--tolerance", "0"]), count(&[]), count(&["--tolerance", "40%"]));
    assert!(generous.0 < usual.0 && usual.0 <= exact.0, "{exact:?}, {usual:?}, {generous:?}");
    assert!(exact.1 <= usual.1 && usual.1 <= exact.1 * 1.01 + 1e-6, "{exact:?}, {usual:?}");
}

#[test]
fn levels_can_be_named_and_sequential_io_may_lie_on_what_rotates() {
    let bench = Bench::new();
    let volume = |arguments: &[&str]| {
        let sized = bench.run(&[&["size", "--json"], arguments].concat()).json();
        let pool = &sized["found"][0]["answers"][0]["configuration"]["pools"][0];
        (
            pool["volume"].as_str().unwrap_or_default().to_owned(),
            pool["level"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let small = ["--read", "500iops@8KiB", "--capacity", "2TiB"];
    assert_ne!(volume(&[&small[..], &["--provider", "oci"]].concat()).1, "vpu-0");
    assert_eq!(volume(&[&small[..], &["--provider", "oci", "--volume", "vpu-0"]].concat()).1, "vpu-0");
    let is_rotating = |name: &str| ["st1", "sc1"].contains(&name);
    assert!(!is_rotating(&volume(&[&small[..], &["--provider", "aws"]].concat()).0));
    let scan = ["--read", "80MB/s@256KiB", "--capacity", "4TiB", "--provider", "aws"];
    assert!(!is_rotating(&volume(&scan).0));
    // 76.3 MiB/s take 6,511 GiB of sc1 (12 MiB/s for each TiB), 98 USD; 4,096 GiB of st1 are 184.
    assert_eq!(volume(&[&scan[..], &["--sequential"]].concat()).0, "sc1");
    assert_eq!(volume(&[&scan[..], &["--sequential", "--volume", "st1"]].concat()).0, "st1");
    let refused = bench.run(&["size", "--sequential", "--capacity", "1TiB"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
}

#[test]
fn replicas_get_the_roles_that_are_named() {
    let bench = Bench::new();
    let demand = "format = \"iotrial.demand/1\"\nreplicas = 1\n[[role]]\nname = \"tempdb\"\nwrite = { bandwidth = \"200MB/s\", block_size = \"64KiB\" }\n\
                  [[role]]\nname = \"log\"\nwrite = { bandwidth = \"50MB/s\", block_size = \"32KiB\" }\n";
    std::fs::write(bench.path().join("demand.toml"), demand).unwrap();
    let today = "format = \"iotrial.configuration/1\"\nprovider = \"azure\"\nmachine = \"Standard_DS14_v2\"\n\
                 [[pool]]\nvolume = \"premium-ssd\"\nlevel = \"P30\"\ncount = 8\n";
    std::fs::write(bench.path().join("today.toml"), today).unwrap();
    let leaves = |more: &[&str]| {
        let explain = ["size", "explain", "today.toml", "--demand", "demand.toml", "--json"];
        let explained = bench.run(&[&explain[..], more].concat()).json();
        let shares = explained["fit"]["shares"].as_array().unwrap().clone();
        let out = shares.iter().find(|share| share["element"] == "network out").unwrap();
        out["used"].as_f64().unwrap().round()
    };
    assert_eq!(leaves(&[]), 50e6);
    assert_eq!(leaves(&["--ship", "log", "--ship", "tempdb"]), 250e6);
}

/// One of two adapters is not used: the sweep has found the ceiling, and more I/Os in flight would not raise it.
#[test]
fn a_sweep_at_its_ceiling_is_not_told_to_go_deeper() {
    let bench = Bench::new();
    let site = include_str!("../../../../catalogs/example-own-site.toml");
    std::fs::write(bench.path().join("site.toml"), site).unwrap();
    let own = "format = \"iotrial.configuration/1\"\nprovider = \"own-site\"\nmachine = \"db01\"\n[[pool]]\nroles = [\"data\", \"log\", \"tempdb\", \"scan\", \"backup\"]\nvolume = \"lun\"\nlevel = \"raid10-8\"\nsize = \"500GiB\"\ncount = 8\n";
    std::fs::write(bench.path().join("own.toml"), own).unwrap();
    let sim = "service_time_us = 200, bandwidth_cap_mib_per_s = 190.7";
    let all = ["sweep", "--pattern", "read-64k", "--engine", "sim", "--sim", sim, "--seed", "1", "--json"];
    let sweep = bench.run(&all).json()["record"].as_str().unwrap().to_owned();
    let explain = ["size", "explain", "own.toml", "--catalog", "site.toml", "--record", &sweep, "--json"];
    let measured = bench.run(&explain).json()["measured"][0].clone();
    assert_eq!(measured["bound_by"], serde_json::json!(["ceiling"]), "{measured}");
    // What lasted, and not the fastest probe.
    assert!((measured["iops"].as_f64().unwrap() / 3_051.2 - 1.0).abs() < 0.001, "{measured}");
}
