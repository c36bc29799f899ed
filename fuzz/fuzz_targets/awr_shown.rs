//! What AWR reports say, and the demand that follows, shown; the reader alone is a target of its own.

#![no_main]

use iotrial_analysis::awr::{AwrAnswer, AwrSample, AwrSeries, Level};
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_fuzz::show;
use iotrial_import::awr::read_awr;
use iotrial_report::document::Document;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(reports) = read_awr(bytes) else { return };
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
