//! Any bytes as the record of a run; one that can be read is judged, compared, audited and shown.

#![no_main]

use iotrial_fuzz::mutate_json::mutate_json;
use iotrial_fuzz::show;
use iotrial_session::store::record_of;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(record) = record_of(bytes, false) {
        show::run(&record);
    }
});

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_json(data, size, max_size, seed)
});
