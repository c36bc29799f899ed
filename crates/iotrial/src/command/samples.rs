//! Records read for a comparison: of each is kept what a comparison needs.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use iotrial_analysis::comparison::Sample;

use crate::store::read_record;

/// Reads records in this order, several at a time, and never holds all of them at once.
pub fn read_samples(paths: &[PathBuf]) -> Vec<anyhow::Result<Sample>> {
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<anyhow::Result<Sample>>>> = paths.iter().map(|_| Mutex::new(None)).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(paths.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mine = || {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    Some((paths.get(index)?, slots.get(index)?))
                };
                while let Some((path, slot)) = mine() {
                    let read = read_record(path)
                        .map(|record| Sample::of_record(&record, path.display().to_string()));
                    *slot.lock().expect("no thread panics while it writes one value") = Some(read);
                }
            });
        }
    });
    let read = |slot: Mutex<Option<anyhow::Result<Sample>>>| {
        let read = slot.into_inner().expect("no thread panics while it writes one value");
        read.expect("every record is read before the threads end")
    };
    slots.into_iter().map(read).collect()
}
