//! Any text as a threshold set.

#![no_main]

use iotrial_analysis::threshold::ThresholdSet;

libfuzzer_sys::fuzz_target!(|text: &str| drop(ThresholdSet::parse(text)));
