//! Any bytes as an AWR report; the words by which one is recognised are put in front of half of them.

#![no_main]

use iotrial_analysis::awr::{AwrAnswer, AwrSample, AwrSeries, Level};
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_fuzz::show;
use iotrial_import::awr::{looks_like_awr, read_awr};
use iotrial_report::document::Document;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut report = match bytes.first() {
        Some(first) if first % 4 == 0 => b"WORKLOAD REPOSITORY report for\n".to_vec(),
        Some(first) if first % 4 == 1 => b"<html>WORKLOAD REPOSITORY REPORT (RAC)".to_vec(),
        _ => Vec::new(),
    };
    report.extend_from_slice(bytes);
    looks_like_awr(&report);
    let Ok(reports) = read_awr(&report) else { return };
    assert!(!reports.is_empty());
    let series = AwrSeries::of(reports.iter().map(|report| AwrSample::of(report, "f")).collect());
    show::json(&series);
    show::document(&Document::of_awr_series(&series));
    for database in &series.databases {
        if let Some(demand) = database.demand(Level::P95, "f") {
            demand.to_toml();
        }
    }
    let thresholds = ThresholdSet::builtin("flash").expect("it is built in");
    if let Some(first) = reports.into_iter().next() {
        let answer = AwrAnswer::of(first, &thresholds);
        show::json(&answer);
        show::document(&Document::of_awr(&answer, "f"));
    }
});
