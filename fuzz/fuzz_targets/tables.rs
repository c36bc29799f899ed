//! Any text as what a person or a counter writes in tables: a printed table with its audit, counters, a profile, a study.

#![no_main]

use iotrial_analysis::audit::Audit;
use iotrial_import::counters::read_counters;
use iotrial_model::profile::Profile;
use iotrial_model::study::Study;
use iotrial_model::table::PublishedTable;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(table) = PublishedTable::parse(text) {
        let _ = Audit::of_table(&table);
    }
    let _ = read_counters(text.as_bytes());
    let _ = Profile::parse(text);
    let _ = Study::parse(text);
});
