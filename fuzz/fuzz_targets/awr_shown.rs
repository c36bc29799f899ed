//! What AWR reports say, and the demand that follows, shown; the reader alone is a target of its own.

#![no_main]

use iotrial_analysis::awr::{AwrAnswer, AwrSample, AwrSeries, SizeRequest};
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_fuzz::show;
use iotrial_import::awr::read_awr;
use iotrial_model::awr::Level;
use iotrial_report::document::Document;
use iotrial_report::replay_files::{profile_toml, thresholds_toml};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(reports) = read_awr(bytes) else { return };
    let request = SizeRequest::default();
    let samples = reports.iter().map(|report| AwrSample::of(report, "f")).collect();
    let series = AwrSeries::of(samples).sized(&request);
    show::json(&series);
    show::document(&Document::of_awr_series(&series, None));
    for database in &series.databases {
        if let Some(demand) = database.demand(&request, "f") {
            demand.to_toml();
        }
        if let Some(replay) = database.replay(Level::P95, 1.0, "f") {
            profile_toml(&replay, "./f.thresholds.toml");
            thresholds_toml(&replay);
        }
    }
    let thresholds = ThresholdSet::builtin("flash").expect("it is built in");
    if let Some(first) = reports.into_iter().next() {
        let answer = AwrAnswer::of(first, &thresholds);
        show::json(&answer);
        show::document(&Document::of_awr(&answer, "f"));
    }
});
