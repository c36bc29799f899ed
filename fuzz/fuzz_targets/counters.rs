//! Any bytes as counters of PerfMon, iostat or sar, and the demand that follows from them.

#![no_main]

use iotrial_import::counters::read_counters;
use iotrial_model::demand::Demand;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(series) = read_counters(bytes) else { return };
    for percentile in [0.0, 95.0, 100.0] {
        if let Ok(demand) = Demand::of_counters("it", &series, &[], percentile) {
            Demand::parse(&demand.to_toml()).expect("a demand that was made can be read");
        }
    }
});
