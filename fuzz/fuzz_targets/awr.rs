//! Any bytes as an AWR report; the words by which one is recognised are put in front of half of them.

#![no_main]

use iotrial_import::awr::{looks_like_awr, read_awr};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut report = match bytes.first() {
        Some(first) if first % 4 == 0 => b"WORKLOAD REPOSITORY report for\n".to_vec(),
        Some(first) if first % 4 == 1 => b"<html>WORKLOAD REPOSITORY REPORT (RAC)".to_vec(),
        _ => Vec::new(),
    };
    report.extend_from_slice(bytes);
    looks_like_awr(&report);
    if let Ok(reports) = read_awr(&report) {
        assert!(!reports.is_empty());
    }
});
