//! Any bytes through the one door of the import, also as what lies beside the file; what comes out of it is judged, compared, audited
//! and shown.

#![no_main]

use iotrial_fuzz::show;
use iotrial_import::{ForeignFile, Naming, import};
use iotrial_model::subject::Subject;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let beside = |_: &str| Some(bytes.to_vec());
    let file = ForeignFile { name: "f", bytes, beside: &beside };
    let Ok(imported) = import(&file, &Naming::default()) else { return };
    imported.records.iter().for_each(|record| record.check().expect("the import checks what it gives"));
    // Printed tables have a target of their own.
    if imported.table.is_none() {
        let subjects = || imported.records.iter().map(Subject::of_imported).collect::<Vec<_>>();
        show::results(subjects, None);
        show::curves(subjects);
    }
});
