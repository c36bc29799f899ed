//! `iotrial sweep` on simulated devices whose truth is known beyond a knee and a ceiling: what limits them, what changes while they are measured, and
//! what is said of it. Each was told wrong once.

use crate::support::Bench;
use serde_json::Value;

/// A curve and its truth.
struct Curve {
    pattern: &'static str,
    /// Between these; `None` where there is none.
    knee: Option<(f64, f64)>,
    /// `None` where no rate lasts.
    ceiling_iops: Option<f64>,
    /// The kind, and of a mix that one direction holds also that direction.
    limit: &'static str,
}

/// A device, its curves, and all that has to be said of it.
struct Case {
    name: &'static str,
    sim: &'static str,
    curves: &'static [Curve],
    findings: &'static [&'static str],
}

const fn curve(pattern: &'static str, knee: (f64, f64), ceiling_iops: f64, limit: &'static str) -> Curve {
    Curve { pattern, knee: Some(knee), ceiling_iops: Some(ceiling_iops), limit }
}

const CASES: &[Case] = &[
    Case {
        name: "a cap before many servers, and one of bandwidth that chance rounds",
        sim: "service_time_us = 1000, parallelism = 64, iops_cap = 20000, bandwidth_cap_mib_per_s = 200",
        curves: &[
            curve("randread-8k", (19.0, 23.0), 20_000.0, "iops-cap"),
            curve("randread-64k", (2.9, 3.3), 3_200.0, "bandwidth-cap"),
        ],
        findings: &[],
    },
    Case {
        name: "a slow cap before servers that one I/O after the other does not fill",
        sim: "service_time_us = 4000, parallelism = 4, iops_cap = 137",
        curves: &[curve("randread-8k", (1.0, 1.05), 137.0, "iops-cap")],
        findings: &[],
    },
    Case {
        name: "a bandwidth cap between whole loads",
        sim: "service_time_us = 500, parallelism = 6, bandwidth_cap_mib_per_s = 37.5",
        curves: &[
            curve("randread-4k", (4.7, 5.1), 9_600.0, "bandwidth-cap"),
            curve("randread-16k", (1.14, 1.26), 2_400.0, "bandwidth-cap"),
            curve("randread-128k", (1.0, 1.02), 300.0, "bandwidth-cap"),
        ],
        findings: &[],
    },
    Case {
        name: "two exact servers",
        sim: "service_time_us = 1000, parallelism = 2, service_spread = 0",
        curves: &[curve("randread-8k", (1.98, 2.02), 2_000.0, "device")],
        findings: &[],
    },
    Case {
        name: "five servers at a round rate",
        sim: "service_time_us = 2000, parallelism = 5, service_spread = 0.1",
        curves: &[curve("randread-8k", (4.9, 5.1), 2_500.0, "device")],
        findings: &[],
    },
    Case {
        name: "a disk that seeks",
        sim: "service_time_us = 6000, parallelism = 1, service_spread = 0.9",
        curves: &[curve("randread-8k", (1.0, 1.1), 167.0, "device")],
        findings: &[],
    },
    Case {
        name: "a device that more I/Os make slower",
        sim: "service_time_us = 1000, parallelism = 8, crowding_share = 0.02",
        curves: &[curve("randread-8k", (7.6, 8.4), 7_018.0, "device")],
        findings: &["falls-again"],
    },
    Case {
        name: "reads and writes of different length on six servers",
        sim: "service_time_us = 500, write_service_time_us = 3000, parallelism = 6",
        curves: &[
            curve("randread-8k", (5.8, 6.2), 12_000.0, "device"),
            curve("randwrite-8k", (5.8, 6.2), 2_000.0, "device"),
            curve("randrw70-8k", (5.7, 6.3), 4_800.0, "device"),
        ],
        findings: &[],
    },
    Case {
        name: "a device that more I/Os make slower, fastest between the loads of a search",
        sim: "service_time_us = 700, service_spread = 0.3, parallelism = 10, crowding_share = 0.02",
        curves: &[curve("randread-8k", (9.5, 10.1), 12_105.0, "device")],
        findings: &["falls-again"],
    },
    Case {
        name: "a cap of each direction, and a mix that does as much as one of them by chance",
        sim: "service_time_us = 800, parallelism = 16, read_iops_cap = 3000, write_iops_cap = 900",
        curves: &[
            curve("randread-8k", (2.3, 2.5), 3_000.0, "iops-cap"),
            curve("randwrite-8k", (1.0, 1.05), 900.0, "iops-cap"),
            curve("randrw70-8k", (2.0, 2.7), 3_000.0, "iops-cap of write"),
        ],
        findings: &[],
    },
    Case {
        name: "a cap of each direction, of which one holds a mix",
        sim: "service_time_us = 800, parallelism = 16, read_iops_cap = 3000, write_iops_cap = 700",
        curves: &[
            curve("randread-8k", (2.3, 2.5), 3_000.0, "iops-cap"),
            curve("randwrite-8k", (1.0, 1.05), 700.0, "iops-cap"),
            curve("randrw70-8k", (1.6, 2.2), 2_333.0, "iops-cap of write"),
        ],
        findings: &[],
    },
    Case {
        name: "one cap of both directions together",
        sim: "service_time_us = 800, parallelism = 16, iops_cap = 3000",
        curves: &[
            curve("randread-8k", (2.3, 2.5), 3_000.0, "iops-cap"),
            curve("randwrite-8k", (2.3, 2.5), 3_000.0, "iops-cap"),
            curve("randrw70-8k", (2.3, 2.5), 3_000.0, "iops-cap"),
        ],
        findings: &[],
    },
    Case {
        name: "a write cache that becomes full while the load goes up",
        sim: "service_time_us = 400, parallelism = 8, write_cache_mib = 200, write_drain_mib_per_s = 12, lasting = true",
        curves: &[curve("randwrite-8k", (1.0, 1.05), 1_536.0, "bandwidth-cap")],
        findings: &["burst"],
    },
    Case {
        name: "a small write cache that one probe fills",
        sim: "service_time_us = 400, parallelism = 8, write_cache_mib = 20, write_drain_mib_per_s = 12, lasting = true",
        curves: &[
            curve("randwrite-8k", (1.0, 1.05), 1_536.0, "bandwidth-cap"),
            curve("write-64k", (1.0, 1.05), 192.0, "bandwidth-cap"),
        ],
        findings: &["burst"],
    },
    Case {
        name: "credits that all probes share",
        sim: "service_time_us = 600, parallelism = 8, iops_cap = 1500, burst_s = 20, lasting = true",
        curves: &[curve("randread-8k", (1.0, 1.05), 1_500.0, "iops-cap")],
        findings: &["burst"],
    },
    Case {
        name: "a cap of 4,000 before twelve servers",
        sim: "service_time_us = 1000, parallelism = 12, service_spread = 0.4, iops_cap = 4000, bandwidth_cap_mib_per_s = 100",
        curves: &[
            curve("randread-8k", (3.8, 4.2), 4_000.0, "iops-cap"),
            curve("randread-64k", (1.5, 1.7), 1_600.0, "bandwidth-cap"),
        ],
        findings: &[],
    },
    Case {
        name: "a device that becomes slower",
        sim: "service_time_us = 1000, parallelism = 4, drift_percent_per_s = 5, lasting = true",
        curves: &[Curve { pattern: "randread-8k", knee: None, ceiling_iops: None, limit: "unknown" }],
        findings: &["drift", "knee-not-resolved"],
    },
    Case {
        name: "a stall while the load goes up",
        sim: "service_time_us = 1000, parallelism = 4, stalls = [{start_s = 2, duration_s = 3}], lasting = true",
        curves: &[curve("randread-8k", (3.9, 4.1), 4_000.0, "device")],
        findings: &["stalled"],
    },
    Case {
        name: "a stall in the long probe",
        sim: "service_time_us = 1000, parallelism = 4, stalls = [{start_s = 12, duration_s = 3}], lasting = true",
        curves: &[curve("randread-8k", (3.9, 4.1), 4_000.0, "device")],
        findings: &["stalled"],
    },
];

/// The kind of limit, and the direction of a mix that it holds.
fn limit_of(curve: &Value) -> String {
    let kind = curve["limit"]["kind"].as_str().unwrap();
    curve["limit"]["direction"].as_str().map_or_else(|| kind.to_owned(), |one| format!("{kind} of {one}"))
}

/// The one curve of a sweep of a simulated device.
fn curve_of(bench: &Bench, sim: &str, pattern: &str, seed: &str) -> Value {
    let base = ["sweep", "--engine", "sim", "--json", "--quiet", "--seed", seed];
    let ran = bench.run(&[&base[..], &["--pattern", pattern, "--sim", sim]].concat());
    ran.expect_code(0).json()["curves"][0].take()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// Why a curve is not that of its truth.
fn wrong(curve: &Value, truth: &Curve) -> Option<String> {
    let saturation = &curve["saturation"];
    let knee = saturation["knee"]["outstanding"].as_f64().unwrap();
    let knee_iops = saturation["knee"]["iops"].as_f64().unwrap();
    let ceiling = saturation["ceiling_iops"].as_f64().unwrap();
    let is_reached = saturation["is_reached"].as_bool().unwrap();
    let limit = limit_of(curve);
    let (knee_is, ceiling_is) = match (truth.knee, truth.ceiling_iops) {
        (Some((low, high)), Some(iops)) => (
            saturation["knee_bound"].is_null() && (low..=high).contains(&knee),
            is_reached && (ceiling / iops - 1.0).abs() < 0.03 && knee_iops <= 1.03 * ceiling,
        ),
        _ => (saturation["knee_bound"] == "unknown", !is_reached),
    };
    (!knee_is || !ceiling_is || limit != truth.limit).then(|| {
        format!(
            "{}: knee {knee:.2} {} at {knee_iops:.0} IOPS, ceiling {ceiling:.0} ({is_reached}), {limit}: {}",
            truth.pattern, saturation["knee_bound"], curve["limit"]["sentence"]
        )
    })
}

#[test]
fn devices_of_known_truth_have_their_knee_their_ceiling_and_the_right_name_for_it() {
    let bench = Bench::new();
    let mut all_wrong = Vec::new();
    for case in CASES {
        let patterns: Vec<&str> = case.curves.iter().map(|curve| curve.pattern).collect();
        let patterns = patterns.join(",");
        for seed in ["1", "2", "3"] {
            let base = ["sweep", "--engine", "sim", "--json", "--quiet", "--seed", seed];
            let arguments = [&base[..], &["--pattern", &patterns, "--sim", case.sim]].concat();
            let summary = bench.run(&arguments).expect_code(0).json();
            let curves = summary["curves"].as_array().unwrap().iter().zip(case.curves);
            let mut faults: Vec<String> = curves.filter_map(|(curve, truth)| wrong(curve, truth)).collect();
            let found = summary["findings"].as_array().unwrap().iter();
            let mut found: Vec<&str> = found.map(|finding| finding["id"].as_str().unwrap()).collect();
            found.sort_unstable();
            if found != case.findings {
                faults.push(format!("{found:?} instead of {:?}", case.findings));
            }
            all_wrong.extend(faults.into_iter().map(|fault| format!("{}, seed {seed}: {fault}", case.name)));
        }
    }
    assert!(all_wrong.is_empty(), "{all_wrong:#?}");
}

#[test]
fn the_ceiling_of_a_rate_that_falls_again_is_enclosed_by_its_interval() {
    let bench = Bench::new();
    let mut all_wrong = Vec::new();
    for (service_us, spread, servers, crowding) in [
        (700.0, 0.3, 10.0, 0.02),
        (500.0, 0.3, 20.0, 0.01),
        (400.0, 0.4, 12.0, 0.05),
        (900.0, 0.3, 25.0, 0.002),
        (1_500.0, 0.3, 14.0, 0.03),
        (600.0, 0.6, 5.0, 0.01),
        (2_500.0, 0.2, 60.0, 0.004),
        (2_000.0, 0.1, 3.0, 0.1),
    ] {
        let sim = format!(
            "service_time_us = {service_us}, service_spread = {spread}, parallelism = {servers}, crowding_share = {crowding}"
        );
        let truth = 1e6 * servers / (service_us * (1.0 + crowding * (servers - 1.0)));
        let curve = curve_of(&bench, &sim, "randread-8k", "1");
        let found = &curve["saturation"];
        let ceiling = number(&found["ceiling_iops"]);
        let [low, high] = ["low", "high"].map(|end| number(&found["ceiling_confidence"][end]));
        let load_count = curve["probes"].as_array().unwrap().len();
        // What is left of chance in the long probe.
        let is_enclosed = 0.998 * low <= truth && truth <= 1.002 * high && high <= 1.05 * ceiling;
        if !is_enclosed || (ceiling / truth - 1.0).abs() > 0.03 || load_count > 21 {
            all_wrong.push(format!("{sim}: {ceiling} from {low} to {high} of {truth}, {load_count} probes"));
        }
    }
    assert!(all_wrong.is_empty(), "{all_wrong:#?}");
}

/// Devices that do not fall: pattern, ceiling, limit, and how many probes they take at most.
const MONOTONE: &[(&str, &str, f64, &str, usize)] = &[
    ("service_time_us = 90, service_spread = 0.1, parallelism = 1", "randread-8k", 11_111.0, "device", 5),
    ("service_time_us = 1500, parallelism = 5", "randwrite-8k", 3_333.0, "device", 11),
    ("service_time_us = 5000, service_spread = 0.9, parallelism = 7", "randread-8k", 1_400.0, "device", 11),
    ("service_time_us = 700, service_spread = 0.3, parallelism = 10", "randread-8k", 14_286.0, "device", 11),
    ("service_time_us = 1200, service_spread = 0, parallelism = 12", "randread-4k", 10_000.0, "device", 11),
    ("service_time_us = 2500, parallelism = 20", "randread-16k", 8_000.0, "device", 13),
    ("service_time_us = 900, service_spread = 0.6, parallelism = 31", "randread-8k", 34_444.0, "device", 13),
    ("service_time_us = 3000, parallelism = 50", "randread-8k", 16_667.0, "device", 13),
    (
        "service_time_us = 6000, service_spread = 0.2, parallelism = 120",
        "randread-8k",
        20_000.0,
        "device",
        11,
    ),
    ("service_time_us = 10000, parallelism = 300", "randread-8k", 30_000.0, "device", 11),
    ("service_time_us = 12000, parallelism = 1, service_spread = 0.8", "randread-8k", 83.3, "device", 5),
    (
        "service_time_us = 1000, parallelism = 3, cache_hit_share = 0.3, cache_hit_us = 20",
        "randread-8k",
        4_286.0,
        "device",
        9,
    ),
    (
        "service_time_us = 500, write_service_time_us = 1500, parallelism = 9",
        "randrw70-8k",
        11_250.0,
        "device",
        11,
    ),
    ("service_time_us = 800, parallelism = 1, iops_cap = 500", "randread-8k", 500.0, "iops-cap", 5),
    ("service_time_us = 600, parallelism = 16, iops_cap = 3100", "randread-8k", 3_100.0, "iops-cap", 9),
    ("service_time_us = 1500, parallelism = 64, iops_cap = 7500", "randwrite-8k", 7_500.0, "iops-cap", 11),
    ("service_time_us = 250, parallelism = 32, iops_cap = 20000", "randread-4k", 20_000.0, "iops-cap", 11),
    ("service_time_us = 1000, parallelism = 12, iops_cap = 11000", "randread-8k", 11_000.0, "iops-cap", 11),
    (
        "service_time_us = 640, parallelism = 17, service_spread = 0.25, write_iops_cap = 2600",
        "randwrite-16k",
        2_600.0,
        "iops-cap",
        9,
    ),
    (
        "service_time_us = 900, parallelism = 24, bandwidth_cap_mib_per_s = 61",
        "read-64k",
        976.0,
        "bandwidth-cap",
        5,
    ),
    (
        "service_time_us = 2000, parallelism = 48, bandwidth_cap_mib_per_s = 250",
        "read-128k",
        2_000.0,
        "bandwidth-cap",
        7,
    ),
];

#[test]
fn a_device_that_does_not_fall_keeps_kind_and_ceiling_and_takes_no_more_probes() {
    let bench = Bench::new();
    let mut all_wrong = Vec::new();
    for (sim, pattern, truth, limit, most_probes) in MONOTONE {
        let curve = curve_of(&bench, sim, pattern, "1");
        let ceiling = number(&curve["saturation"]["ceiling_iops"]);
        let probe_count = curve["probes"].as_array().unwrap().len();
        if (ceiling / truth - 1.0).abs() > 0.02 || limit_of(&curve) != *limit || probe_count > *most_probes {
            all_wrong
                .push(format!("{sim}: {ceiling} of {truth}, {}, {probe_count} probes", limit_of(&curve)));
        }
    }
    assert!(all_wrong.is_empty(), "{all_wrong:#?}");
}
