//! Any bytes as the record of a sweep; one that can be read is shown, and compared with itself.

#![no_main]

use iotrial_fuzz::mutate_json::mutate_json;
use iotrial_fuzz::show;
use iotrial_session::store::sweep_of;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(record) = sweep_of(bytes) {
        show::sweep(&record);
    }
});

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_json(data, size, max_size, seed)
});
