//! The results that an import gives, judged, compared, audited and shown. A thousand times slower than the import alone, which is a
//! target of its own; its corpus is the one to begin with.

#![no_main]

use iotrial_fuzz::show;
use iotrial_import::{ForeignFile, Naming, import};
use iotrial_model::subject::Subject;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let beside = |_: &str| Some(bytes.to_vec());
    let file = ForeignFile { name: "f", bytes, beside: &beside };
    let Ok(imported) = import(&file, &Naming::default()) else { return };
    // Printed tables have a target of their own.
    if imported.table.is_none() {
        let subjects = || imported.records.iter().map(Subject::of_imported).collect::<Vec<_>>();
        show::results(subjects, None);
        show::curves(subjects);
    }
});
