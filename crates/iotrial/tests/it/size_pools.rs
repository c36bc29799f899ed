//! `iotrial size --pool`: data, log and tempdb on volumes of their own, in all forms.

use crate::support::Bench;

/// What is asked on the command line, in one search with three pools.
const ASKED: &[&str] = &[
    "size",
    "--provider",
    "azure",
    "--os",
    "windows",
    "--memory",
    "112GiB",
    "--read",
    "data=24000iops@8KiB",
    "--write",
    "data=6000iops@8KiB",
    "--write",
    "log=4000iops@16KiB",
    "--read",
    "tempdb=5000iops@16KiB",
    "--write",
    "tempdb=5000iops@16KiB",
    "--pool",
    "data=1TiB,cache=75",
    "--pool",
    "log=200GiB,sub-ms",
    "--pool",
    "tempdb=150GiB",
];

fn asked(more: &[&'static str]) -> Vec<&'static str> {
    ASKED.iter().chain(more).copied().collect()
}

#[test]
fn pools_have_a_line_each_on_the_screen_and_are_kept_in_every_form() {
    let bench = Bench::new();
    let ran = bench.run(&asked(&["--html", "a.html", "--xlsx", "a.xlsx", "--csv", "a.csv", "--details"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for words in ["The pools", "for data + ", " for log", "for tempdb", "may be on the machine's own disk"] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    let page = std::fs::read_to_string(bench.path().join("a.html")).unwrap();
    assert!(page.contains("The pools") && page.contains("tempdb"));
    assert!(bench.path().join("a.xlsx").exists());
    // What was asked can be kept, and asked again with the same answer; and the answer can be explained at the same cost.
    let kept = bench.run(&asked(&["--save-demand", "asked.toml", "--config", "best.toml", "--json"])).json();
    let again = bench.run(&["size", "--provider", "azure", "--demand", "asked.toml", "--json"]).json();
    assert_eq!(kept["headline"], again["headline"]);
    let best = &kept["found"][0]["answers"][0];
    assert_eq!(best["pools"].as_array().map(Vec::len), Some(3));
    assert_eq!(best["pools"][1]["name"], "log");
    assert_eq!(best["pools"][1]["asked_gib"], 200.0);
    assert!(best["pools"][1]["fullest"]["percent"].as_f64().unwrap() <= 100.0001);
    let explained = bench.run(&["size", "explain", "best.toml", "--demand", "asked.toml", "--json"]);
    assert_eq!(explained.code, 0, "{}{}", explained.stdout, explained.stderr);
    assert_eq!(explained.json()["cost"]["per_month"], best["cost"]["per_month"]);
}

#[test]
fn the_study_of_an_answer_with_pools_has_a_target_for_each_role() {
    let bench = Bench::new();
    let ran = bench.run(&asked(&["--study", "prove.toml"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let study = std::fs::read_to_string(bench.path().join("prove.toml")).unwrap();
    let command =
        "study export FILE --label LABEL --target data=/data --target log=/log --target tempdb=/tempdb`";
    for words in [command, "expected_log_write_iops = ", "data_volumes = ", "tempdb_size_gib = "] {
        assert!(study.contains(words), "{words}: {study}");
    }
    // And the command does what it says.
    let places = ["--target", "data=/data", "--target", "log=/log", "--target", "tempdb=/tempdb"];
    let export = ["study", "export", "prove.toml", "--label", "azure"];
    let ran = bench.run(&[&export[..], &places].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn pools_that_cannot_be_laid_out_are_refused_with_what_would_be_right() {
    let bench = Bench::new();
    let check = |more: &[&'static str], words: &str| {
        let ran = bench.run(&asked(more));
        assert_eq!(ran.code, 2, "{more:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    };
    check(&["--pool", "log=1GiB"], "the role `log` is in two pools");
    check(&["--capacity", "4TiB"], "and here every role has one");
    check(&["--pool", "redo=1GiB"], "`redo` is not a role; there are data, tempdb, log, scan, backup");
    check(&["--pool", "backup=1GiB,volume=gp9"], "no catalog has a volume `gp9`");
    check(&["--write", "redo=1iops@8KiB"], "`redo` is not a role");
    check(&["--by-year", "--years", "3", "--growth", "20"], "--by-year plans a single stripe set");
    let file = "format = \"iotrial.demand/1\"\nread = { iops = 10, block_size = \"8KiB\" }\n[[pool]]\nroles = [\"log\"]\n[[pool]]\nroles = [\"log\"]\n";
    std::fs::write(bench.path().join("twice.toml"), file).unwrap();
    let ran = bench.run(&["size", "--demand", "twice.toml"]);
    assert!(ran.code == 2 && ran.stderr.contains("the role `log` is in two pools"), "{}", ran.stderr);
}
