//! Any bytes as the journal that a run leaves when it is killed. What can be read of it is shown as a record is; of most journals
//! something can, so that only one in 64 is, by its bytes.

#![no_main]

use iotrial_fuzz::mutate_json::mutate_json;
use iotrial_fuzz::show;
use iotrial_session::store::record_of;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(record) = record_of(bytes, true) {
        if bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)) % 64 == 0 {
            show::run(&record);
        }
    }
});

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_json(data, size, max_size, seed)
});
