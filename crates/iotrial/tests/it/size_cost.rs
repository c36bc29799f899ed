//! `iotrial size` where cost is counted as it is paid, and several configurations are compared.

use crate::support::{Bench, CONFIGURATION};

/// The four configurations of Oracle's article on Windows, with their printed prices.
const ARTICLE: [(&str, &str, u32, &str, u32, u32, &str); 4] = [
    ("one UHP 90", "VM.Standard.E4.Flex", 16, "vpu-90", 1, 1_430, "paravirtualized"),
    ("one UHP 120", "VM.Standard.E4.Flex", 24, "vpu-120", 1, 1_490, "paravirtualized"),
    ("five HP", "VM.Optimized3.Flex", 4, "vpu-20", 5, 1_134, "iscsi"),
    ("eight HP", "VM.Optimized3.Flex", 10, "vpu-20", 8, 1_134, "iscsi"),
];

fn article(bench: &Bench) {
    for (number, (title, machine, ocpus, level, count, size, attachment)) in ARTICLE.iter().enumerate() {
        let text = format!(
            "format = \"iotrial.configuration/1\"\ntitle = \"{title}\"\nprovider = \"oci\"\nmachine = \"{machine}\"\nocpus = {ocpus}\nmemory = \"64GiB\"\nos = \"windows\"\n[attributes]\n\"set up in\" = {number}\n[[pool]]\nvolume = \"block-volume\"\nlevel = \"{level}\"\ncount = {count}\nsize = \"{size}GiB\"\nattachment = \"{attachment}\"\n"
        );
        std::fs::write(bench.path().join(format!("{}.toml", number + 1)), text).unwrap();
    }
}

/// From the article: 1,599, 2,327, 784 (with the Windows licence) and 1,579 EUR for 1,920, 2,680, 1,920 and 4,800 MB/s.
#[test]
fn the_four_configurations_of_the_article_stand_side_by_side() {
    let bench = Bench::new();
    article(&bench);
    let files = ["1.toml", "2.toml", "3.toml", "4.toml"];
    let explain = |more: &[&str]| {
        let args: Vec<&str> = ["size", "explain"].iter().chain(&files).chain(more).copied().collect();
        bench.run(&args)
    };
    // The month of Oracle's calculator, which the article has.
    let ran = explain(&["--currency", "EUR", "--hours-per-month", "744", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let side = ran.json();
    let all = side["configurations"].as_array().unwrap();
    let figure = |key: &str| -> Vec<f64> {
        all.iter().map(|one| (one[key].as_f64().unwrap() * 100.0).round() / 100.0).collect()
    };
    assert_eq!(figure("per_mb_per_s"), [0.83, 0.87, 0.41, 0.33]);
    let delivers: Vec<f64> =
        all.iter().map(|one| one["bandwidth_bytes_per_s"]["most"].as_f64().unwrap() / 1e6).collect();
    assert_eq!(delivers, [1_920.0, 2_680.0, 1_920.0, 4_800.0]);
    assert_eq!(all[3]["best_at"], serde_json::json!(["iops", "bandwidth", "per_mb_per_s"]));
    assert_eq!(all[2]["best_at"], serde_json::json!(["cost", "per_thousand_iops"]));
    // The article: a storage pool cannot be extended, a single volume can; and it is the simpler one.
    assert_eq!(all[0]["criteria"]["expandable"], "yes: the volume");
    assert!(all[3]["criteria"]["expandable"].as_str().unwrap().starts_with("no:"));
    assert_eq!(all[0]["criteria"]["effort"], "low: 1 volume");
    assert_eq!(all[3]["criteria"]["effort"], "high: 8 volumes");
    assert_eq!(all[3]["criteria"]["set up in"], "3");
    let ran = explain(&[
        "--html",
        "side.html",
        "--xlsx",
        "side.xlsx",
        "--markdown",
        "side.md",
        "--csv",
        "side.csv",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("eight HP has the cheapest MB/s"), "{}", ran.stdout);
    assert!(std::fs::read_to_string(bench.path().join("side.md")).unwrap().contains("per 1,000 IOPS"));
}

#[test]
fn a_sweep_is_what_was_measured_of_the_configuration_that_its_number_names() {
    let bench = Bench::new();
    article(&bench);
    let sim = "service_time_us = 500, parallelism = 64";
    let sweep = [
        "sweep",
        "--engine",
        "sim",
        "--sim",
        sim,
        "--pattern",
        "randread-64k",
        "--grid",
        "8,64",
        "--label",
        "swept",
    ];
    let ran = bench.run(&sweep);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = bench.run(&["size", "explain", "1.toml", "4.toml", "--record", "2=swept", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let side = ran.json();
    assert!(side["configurations"][0]["explanation"]["measured"].is_null());
    let measured = side["configurations"][1]["explanation"]["measured"].as_array().unwrap().clone();
    assert_eq!(measured.len(), 1, "the highest rate of the pattern");
    assert!(measured[0]["label"].as_str().unwrap().contains("64 outstanding"), "{}", measured[0]);
    assert!(measured[0]["caveats"][0].as_str().unwrap().contains("simulated"));
    // A sweep stands beside the limits of a single configuration, too.
    let alone = bench.run(&["size", "explain", "4.toml", "--record", "swept", "--json"]).json();
    assert_eq!(alone["measured"][0]["iops"], measured[0]["iops"]);
    let ran = bench.run(&["size", "explain", "1.toml", "4.toml", "--record", "swept"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("does not say which of the 2 configurations"), "{}", ran.stderr);
}

/// A price that is known in part is no price of a MB/s, and never the lowest.
#[test]
fn what_has_no_price_is_best_at_nothing_that_costs_money() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("one.toml"), CONFIGURATION).unwrap();
    let anf = "format = \"iotrial.configuration/1\"\ntitle = \"files\"\nprovider = \"azure\"\nmachine = \"Standard_E96ds_v5\"\n[[pool]]\nvolume = \"netapp-files\"\nlevel = \"ultra\"\nsize = \"20480GiB\"\n";
    std::fs::write(bench.path().join("files.toml"), anf).unwrap();
    let side = bench.run(&["size", "explain", "one.toml", "files.toml", "--json"]).json();
    let files = &side["configurations"][1];
    if files["explanation"]["cost"]["missing"].as_array().unwrap().is_empty() {
        return; // The catalog has a price of it by now.
    }
    assert!(files["per_mb_per_s"].is_null() && files["per_thousand_iops"].is_null(), "{files}");
    let best: Vec<&str> =
        files["best_at"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert!(best.iter().all(|one| ["iops", "bandwidth"].contains(one)), "{best:?}");
}

#[test]
fn what_is_counted_is_said_and_written_in_every_form() {
    let bench = Bench::new();
    let demand = [
        "--read",
        "16000iops@8KiB",
        "--write",
        "4000iops@8KiB",
        "--capacity",
        "2TiB",
        "--memory",
        "64GiB",
        "--os",
        "windows",
    ];
    let counted = [
        "--database",
        "sqlserver-standard",
        "--pair",
        "replica",
        "--backup",
        "10TiB",
        "--egress",
        "5TiB",
        "--term",
        "3y",
    ];
    let files = ["--html", "a.html", "--xlsx", "a.xlsx", "--markdown", "a.md", "--csv", "a.csv", "--details"];
    let args: Vec<&str> = ["size"]
        .iter()
        .chain(&demand)
        .chain(&counted)
        .chain(&["--growth", "30%", "--years", "3", "--by-year", "--provider", "azure"])
        .chain(&files)
        .copied()
        .collect();
    let ran = bench.run(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for words in [
        "database licences are",
        "the second machine needs none",
        "committed for 3 years",
        "bought when needed, 3 years cost",
        "What is bought when",
        "10,240 GiB of backups",
    ] {
        // Sentences are wrapped.
        let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(words), "{words}: {text}");
    }
    let args: Vec<&str> =
        ["size"].iter().chain(&demand).chain(&counted).chain(&["--json"]).copied().collect();
    let sizing = bench.run(&args).json();
    assert_eq!(sizing["counted"]["term"], "3y");
    assert_eq!(sizing["counted"]["database"]["database"], "sqlserver-standard");
    assert_eq!(sizing["counted"]["pair"], "replica");
    assert_eq!(sizing["demand"]["replicas"], 1, "the log leaves the machine");
    let args: Vec<&str> = ["size"].iter().chain(&demand).chain(&["--json"]).copied().collect();
    assert!(bench.run(&args).json()["counted"].is_null(), "nothing was asked to be counted");
}

#[test]
fn a_plan_by_year_needs_years() {
    let bench = Bench::new();
    let ran = bench.run(&["size", "--read", "100iops@8KiB", "--by-year"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--years 3"), "{}", ran.stderr);
}
