//! The dashboard for Grafana asks for nothing that is not served.

use std::time::Duration;

use iotrial_analysis::live_load::LiveLoad;
use iotrial_model::plan::PhaseKind;
use iotrial_model::record::{Interval, JobCounts, OpCounts, RunRecord};
use iotrial_report::exposition::{DiskExposition, ExposedDisk, LoadExposition, metrics};
use serde_json::{Value, json};

const DASHBOARD: &str = include_str!("../../../../dashboards/iotrial.json");

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

/// The names in a query that are metrics of iotrial.
fn names(query: &str) -> Vec<&str> {
    let words = query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("iotrial_")).collect()
}

/// What is served in the middle of a load with every kind of job.
fn exposition_of_a_load() -> String {
    let op = |latency_us: u64| {
        let mut op = OpCounts { bytes: 8_192, ..OpCounts::default() };
        op.total_latency.record_n(Duration::from_micros(latency_us), 1);
        Some(op)
    };
    let record: RunRecord = serde_json::from_value(json!({
        "format": "iotrial.record/1", "id": "01JD", "label": "one", "started_at": "",
        "tool": { "name": "iotrial", "version": "0.1.0", "method_version": 1 },
        "host": { "name": "db01", "os": "Linux", "cpu_count": 4 },
        "targets": [], "profile": "", "jobs": [], "intervals": [], "findings": [], "ended": { "how": "complete" },
        "plan": {
            "profile": "p", "quick": true, "engine": "sim", "threads": 1, "direct": true, "seed": 1, "interval_s": 1.0,
            "phases": [{ "kind": "measure", "duration_s": 10.0 }], "areas": [],
            "jobs": [{
                "name": "pages", "role": "data", "pattern": "random", "rwmix_read_percent": 50, "block_size_bytes": 8192,
                "iodepth": 1, "numjobs": 1, "arrival": { "kind": "open", "iops": 100.0, "spacing": "poisson" },
                "durability": "none", "areas": [], "working_set_bytes": 8192,
            }],
        },
    }))
    .unwrap();
    let interval = Interval {
        phase: PhaseKind::Measure,
        start: Duration::ZERO,
        duration: Duration::from_secs(1),
        jobs: vec![JobCounts { read: op(500), write: op(2_000), ..JobCounts::default() }],
        backlog: vec![3],
    };
    let mut exposition = LoadExposition::new("0.1.0", "db01");
    exposition.start(&record);
    let mut live = LiveLoad::default();
    live.start(&record.plan);
    exposition.interval(&live.interval(&record.plan, &interval));
    exposition.text(&live)
}

#[test]
fn every_query_of_the_dashboard_is_of_metrics_and_labels_that_are_served() {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut all = Vec::new();
    queries(&dashboard, &mut all);
    // `prometheus` is the kind of source that its variable lists.
    let asked: Vec<&String> = all.iter().filter(|query| *query != "prometheus").collect();
    assert!(asked.len() >= 12, "{asked:#?}");
    let known: Vec<&str> = metrics().map(|(name, ..)| *name).collect();
    let disk = ExposedDisk {
        name: "sda".to_owned(),
        role: None,
        target: String::new(),
        limits_s: [Some(0.02), Some(0.02)],
    };
    let disks = DiskExposition::new("0.1.0", "db01", 1.0, vec![disk]).text();
    let text = disks + &exposition_of_a_load();
    // A histogram is served as three names.
    let of_histogram = |name: &str| {
        let base = ["_bucket", "_sum", "_count"].into_iter().find_map(|suffix| name.strip_suffix(suffix));
        base.filter(|base| known.contains(base) && text.contains(&format!("# TYPE {base} histogram")))
            .map(str::to_owned)
    };
    for query in asked {
        let named = names(query);
        assert!(!named.is_empty(), "{query}");
        for name in named {
            assert!(known.contains(&name) || of_histogram(name).is_some(), "`{name}` is not served: {query}");
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
    for name in known.iter().copied() {
        let asks = |query: &String| {
            names(query).iter().any(|one| *one == name || of_histogram(one).as_deref() == Some(name))
        };
        let is_asked = all.iter().any(asks) || name == "iotrial_watch_interval_seconds";
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
