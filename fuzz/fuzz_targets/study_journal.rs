//! Any bytes as the journal of a study.

#![no_main]

use iotrial_fuzz::mutate_json::mutate_json;
use iotrial_model::study::Progress;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(Some((progress, whole))) = Progress::read(bytes) else { return };
    assert!(whole <= bytes.len());
    let study = progress.study();
    if study.configurations.len() * study.repeats as usize <= 1_000 {
        study.cells().iter().for_each(|cell| drop(progress.end_of(cell).clone()));
    }
    progress.begun();
    progress.attached();
    progress.attached_form();
    progress.is_untouched();
});

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_json(data, size, max_size, seed)
});
