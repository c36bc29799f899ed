//! Any bytes as counters of PerfMon, iostat, sar or a database, what is said of them, and the demand that follows.

#![no_main]

use iotrial_analysis::threshold::ThresholdSet;
use iotrial_analysis::watch::{WatchAnswer, WatchRequest, threshold_sets};
use iotrial_import::counters::read_counters;
use iotrial_model::counters::Counters;
use iotrial_model::demand::Demand;
use iotrial_report::document::Document;
use iotrial_report::terminal::{TerminalStyle, render_terminal};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(series) = read_counters(bytes).map(Counters::series) else { return };
    let Ok(series) = series else { return };
    let stripes = vec![series.disks.iter().take(3).map(|disk| disk.name.clone()).collect()];
    let thresholds = threshold_sets(None).iter().filter_map(|name| ThresholdSet::builtin(name).ok()).collect();
    let request = WatchRequest { thresholds, stripes, ..WatchRequest::default() };
    let answer = WatchAnswer::of(&series, &request).expect("its own disks are there");
    render_terminal(&Document::of_watch(&answer, "it"), TerminalStyle { width: 80, color: false });
    for percentile in [0.0, 95.0, 100.0] {
        if let Ok(demand) = Demand::of_counters("it", &series, &[], percentile) {
            Demand::parse(&demand.to_toml()).expect("a demand that was made can be read");
        }
    }
});
