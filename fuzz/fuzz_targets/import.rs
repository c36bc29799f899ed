//! Any bytes through the one door of the import, also as what lies beside the file.

#![no_main]

use iotrial_import::{ForeignFile, Naming, import};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let beside = |_: &str| Some(bytes.to_vec());
    let file = ForeignFile { name: "f", bytes, beside: &beside };
    if let Ok(imported) = import(&file, &Naming::default()) {
        imported.records.iter().for_each(|record| record.check().expect("the import checks what it gives"));
    }
});
