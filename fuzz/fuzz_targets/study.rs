//! Any text as a study: its cells, their order, its parts, and the form in which it is written again.

#![no_main]

use iotrial_model::study::Study;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(study) = Study::parse(text) else { return };
    // A thousand repeats of a thousand configurations are allowed; what is done with each cell is the same.
    if study.configurations.len() * study.repeats as usize <= 1_000 {
        study.cells();
        study.rounds();
        study.is_balanced();
    }
    study.configurations.iter().for_each(|one| drop(study.part(one)));
    let again = Study::parse(&study.to_toml()).expect("a study that was written can be read");
    assert!(again.changes_since(&study).is_empty(), "a study says the same when it is written again");
});
