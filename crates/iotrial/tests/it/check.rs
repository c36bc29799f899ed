//! `iotrial check` as a user runs it, on whatever host this is.

use crate::support::Bench;
use iotrial_model::host_fact::PartKind;
use serde_json::Value;

#[test]
fn a_check_of_this_host_is_one_json_document_with_a_chain_from_the_file_system_downwards() {
    let bench = Bench::new();
    let before = bench.data_files();
    let ran = bench.run(&["check", "--target", "data", "--for", "postgresql", "--json"]);
    let answer = ran.json();
    let grave = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .any(|one| matches!(one["severity"].as_str().unwrap(), "critical" | "high"));
    assert_eq!(ran.code, i32::from(grave), "{answer:#}");
    assert_eq!(answer["for"], "postgresql");
    let chain = &answer["host"]["chains"][0];
    assert_eq!(chain["target"], "data");
    assert_eq!(bench.data_files(), before, "nothing is made");
    if cfg!(target_os = "linux") {
        assert_eq!(chain["parts"][0]["kind"], "filesystem", "{chain:#}");
        assert!(answer["host"]["host"]["facts"].as_array().unwrap().len() > 10);
    } else {
        assert!(chain["ends"].is_string(), "{chain:#}");
    }
}

#[test]
fn every_fact_is_read_or_unknown_with_a_reason_and_says_where_it_is_from() {
    let answer = Bench::new().run(&["check", "--target", "data", "--json"]).json();
    let parts = answer["host"]["chains"][0]["parts"].as_array().unwrap().iter();
    let facts = parts.chain([&answer["host"]["host"]]).flat_map(|part| part["facts"].as_array().unwrap());
    for fact in facts {
        assert_ne!(fact.get("value").is_some(), fact["unknown"].is_string(), "{fact}");
        assert!(fact["from"].as_str().is_some_and(|from| !from.is_empty()), "{fact}");
    }
}

#[test]
fn a_target_that_is_not_there_and_rules_with_mistakes_are_wrong_input() {
    let bench = Bench::new();
    let refused = |arguments: &[&str], expected: &str| {
        let ran = bench.run(&[&["check"], arguments].concat()).expect_code(2);
        assert!(ran.stderr.contains(expected) && ran.stdout.is_empty(), "{}", ran.stderr);
    };
    refused(&["--target", "nowhere"], "cannot examine `nowhere`");
    refused(&["--root", "data", "--target", "/"], "not a copy of a host");
    refused(&["--rules", "data"], "no file ends in .toml");
    std::fs::write(bench.path().join("mine.toml"), "format = \"iotrial.host-rules/1\"\n[[rule]]\nid = 7\n")
        .unwrap();
    refused(&["--rules", "mine.toml"], "line 3");
    refused(&["--for", "db2"], "sqlserver");
}

#[test]
fn the_list_of_rules_has_every_rule_with_its_source() {
    let bench = Bench::new();
    let text = bench.run(&["check", "--list-rules"]).expect_code(0).stdout;
    assert!(text.contains("queue-depth") && text.contains("nfs-soft"), "{text}");
    let rules = bench.run(&["check", "--list-rules", "--json"]).expect_code(0).json();
    for rule in rules["rules"].as_array().unwrap() {
        assert!(rule["source"].as_str().is_some_and(|source| source.len() > 10), "{rule}");
    }
}

#[test]
fn the_forms_of_a_report_have_the_findings_with_their_commands() {
    let bench = Bench::new();
    let rules = "format = \"iotrial.host-rules/1\"\n[[rule]]\nid = \"ours\"\ntitle = \"a clock of ours\"\nof = [\"host\"]\n\
                 fact = \"cpu_count\"\nwant.any = { at_least = 100000 }\nseverity = \"low\"\nwhy = \"Because.\"\n\
                 change = \"buy {limit}\"\nsource = \"our standard\"\n";
    std::fs::write(bench.path().join("ours.toml"), rules).unwrap();
    let arguments =
        ["check", "--rules", "ours.toml", "--html", "h.html", "--markdown", "m.md", "--csv", "c.csv"];
    let ran = bench.run(&arguments);
    if !cfg!(target_os = "linux") {
        return;
    }
    for text in [
        ran.stdout,
        std::fs::read_to_string(bench.path().join("h.html")).unwrap(),
        std::fs::read_to_string(bench.path().join("m.md")).unwrap(),
        std::fs::read_to_string(bench.path().join("c.csv")).unwrap(),
    ] {
        for part in ["a clock of ours", "buy 100000", "at least 100,000", "our standard"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }
}

#[test]
fn every_kind_and_key_of_the_answer_is_documented() {
    let page = include_str!("../../../../docs/check.md");
    for kind in PartKind::ALL {
        assert!(page.contains(&format!("`{}`", kind.as_str())), "{}", kind.as_str());
    }
    let answer = Bench::new().run(&["check", "--target", "data", "--for", "sqlserver", "--json"]).json();
    let mut keys: Vec<String> = Vec::new();
    let objects = [&answer, &answer["host"], &answer["host"]["chains"][0], &answer["host"]["host"]];
    let lists = ["findings", "unknown", "good"].map(|list| &answer[list][0]);
    for value in objects.into_iter().chain(lists) {
        keys.extend(value.as_object().into_iter().flat_map(|object| object.keys().cloned()));
    }
    for key in keys {
        assert!(page.contains(&format!("`{key}`")), "{key}");
    }
    assert!(matches!(answer["host"], Value::Object(_)));
}
