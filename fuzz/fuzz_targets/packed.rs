//! Any bytes as a packed file: gzip or Zstandard, as the intake unpacks it, and the head by which it decides how much to read.

#![no_main]

use iotrial_import::{head_of, refusal_of_large, text_of, unpack};

/// More than any input unpacks to by itself, and little enough to be fast.
const MOST_BYTES: usize = 1 << 20;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    head_of(bytes);
    if let Ok(unpacked) = unpack(bytes, MOST_BYTES) {
        assert!(unpacked.len() <= MOST_BYTES.max(bytes.len()));
        drop(text_of(&unpacked));
    }
    drop(refusal_of_large(bytes));
});
