//! Any text as a job of fio; what follows a line of `=====` is the file that it includes. What becomes a profile is a valid one.

#![no_main]

use iotrial_import::fio_job::{FioJobRequest, Surroundings, profile_of_fio_job};

libfuzzer_sys::fuzz_target!(|text: &str| {
    // Not the whole text: one that includes itself is read 256 times, and a fuzzer would find little else.
    let (text, included) = text.split_once("\n=====\n").unwrap_or((text, ""));
    let surroundings = Surroundings {
        file: &|_| Ok(included.to_owned()),
        variable: &|name| Some(name.to_owned()),
        cpu_count: 4,
        memory_mib: 8192,
        page_bytes: 4096,
    };
    for leaves_out in [false, true] {
        let request = FioJobRequest { name: text.to_owned(), leaves_out, ..FioJobRequest::default() };
        if let Err(error) = profile_of_fio_job(text, &request, &surroundings) {
            let told = error.to_string();
            assert!(!told.contains("no valid profile comes out of it"), "{told}");
        }
    }
});
