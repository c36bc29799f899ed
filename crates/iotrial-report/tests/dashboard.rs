//! The dashboard for Grafana asks for nothing that is not served.

#![allow(clippy::unwrap_used, reason = "a test")]

use iotrial_report::exposition::{ExposedDisk, Exposition, metric_names};
use serde_json::Value;

const DASHBOARD: &str = include_str!("../../../dashboards/iotrial.json");

/// Every query: of panels, and of the variables above them.
fn queries(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(text) if ["expr", "query", "definition"].contains(&key.as_str()) => {
                        found.push(text.clone())
                    }
                    other => queries(other, found),
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|one| queries(one, found)),
        _ => {}
    }
}

/// The names in a query that are of iotrial.
fn names(query: &str) -> Vec<&str> {
    let words = query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("iotrial_")).collect()
}

#[test]
fn every_query_of_the_dashboard_is_of_metrics_and_labels_that_are_served() {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut all = Vec::new();
    queries(&dashboard, &mut all);
    // `prometheus` is the kind of source that its variable lists.
    let asked: Vec<&String> = all.iter().filter(|query| *query != "prometheus").collect();
    assert!(asked.len() >= 12, "{asked:#?}");
    let known: Vec<&str> = metric_names().collect();
    let disk = ExposedDisk {
        name: "sda".to_owned(),
        role: None,
        target: String::new(),
        limits_s: [Some(0.02), Some(0.02)],
    };
    let text = Exposition::new("0.1.0", "db01", 1.0, vec![disk]).text();
    for query in asked {
        let named = names(query);
        assert!(!named.is_empty(), "{query}");
        for name in named {
            assert!(known.contains(&name), "`{name}` is not served: {query}");
            // The labels in its braces; Prometheus adds `instance` itself.
            let braces = query.split(name).nth(1).unwrap_or_default();
            let Some(inside) = braces.strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
                continue;
            };
            for label in inside.0.split(',').filter_map(|one| one.split_once('=')) {
                let is_served = label.0 == "instance"
                    || text
                        .lines()
                        .any(|line| line.starts_with(name) && line.contains(&format!("{}=\"", label.0)));
                assert!(is_served, "`{}` is not a label of `{name}`: {query}", label.0);
            }
        }
    }
    // What is served and never asked for would be a panel that was forgotten.
    for name in known {
        let is_asked =
            all.iter().any(|query| names(query).contains(&name)) || name == "iotrial_watch_interval_seconds";
        assert!(is_asked, "no panel shows `{name}`");
    }
}

#[test]
fn every_panel_has_a_place_of_its_own_and_says_what_it_shows() {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let mut places: Vec<(u64, u64)> = Vec::new();
    for panel in panels {
        let at = |key: &str| panel["gridPos"][key].as_u64().unwrap();
        assert!(at("x") + at("w") <= 24 && !places.contains(&(at("x"), at("y"))), "{panel:#}");
        places.push((at("x"), at("y")));
        assert!(panel["description"].as_str().is_some_and(|text| text.len() > 10), "{panel:#}");
    }
    let ids: std::collections::BTreeSet<u64> =
        panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len());
}
