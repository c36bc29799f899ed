//! Any bytes through the one door of the import, also as what lies beside the file.

#![no_main]

use iotrial_import::{ForeignFile, Naming, import};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // What follows this line lies beside: the logs of fio, and the `param.txt` of SQLIO.
    let apart = b"\n=====\n";
    let at = bytes.windows(apart.len()).position(|window| window == apart);
    let (bytes, other) = at.map_or((bytes, bytes), |at| (&bytes[..at], &bytes[at + apart.len()..]));
    let beside = |_: &str| Some(other.to_vec());
    let file = ForeignFile { name: "f", bytes, beside: &beside };
    if let Ok(imported) = import(&file, &Naming::default()) {
        imported.records.iter().for_each(|record| record.check().expect("the import checks what it gives"));
    }
});
