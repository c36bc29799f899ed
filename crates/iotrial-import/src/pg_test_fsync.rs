//! pg_test_fsync of PostgreSQL: how long a write with its flush takes, by each method of `wal_sync_method`, one after the other.
//!
//! The first section is what a commit does. The others compare two writes, sizes of a write and descriptors, and are no commits.

use std::collections::BTreeMap;
use std::path::Path;

use iotrial_model::imported::{ImportedJob, Stated, StatedLoad, StatedOps, StatedStream};
use iotrial_model::load::Role;
use iotrial_model::record::AttributeValue;

use crate::scan::{after, binary_size};
use crate::text::{numbered, quote, without_prefixes};
use crate::{ImportError, Reading};

/// Begins the section of commits: `Compare file sync methods using one 8kB write:`.
const SECTION: &str = "Compare file sync methods using one ";

/// What `wal_sync_method` may be.
const METHODS: [&str; 5] = ["open_datasync", "fdatasync", "fsync", "fsync_writethrough", "open_sync"];

/// Whether a text has that section.
pub(crate) fn is_it(text: &str) -> bool {
    text.contains(SECTION)
}

/// Reads the section of commits, a record for each method that the system has.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let text = without_prefixes(text, &[SECTION]);
    let mut runtime_s = None;
    let mut block_size = None;
    let mut is_within = false;
    for (line, whole) in numbered(&text) {
        let whole = whole.trim();
        // `5 seconds per test`
        if let Some((seconds, _)) = whole.split_once(" second").filter(|(_, rest)| rest.contains(" per test"))
        {
            runtime_s = Stated::parse(seconds);
        }
        if let Some(size) = after(whole, SECTION, &[' ']) {
            (is_within, block_size) = (true, binary_size(size));
        } else if whole.is_empty() {
            is_within = false;
        }
        let mut words = whole.split_whitespace();
        let Some(method) = words.next().filter(|word| is_within && METHODS.contains(word)) else { continue };
        let (Some(rate), Some("ops/sec")) = (words.next().and_then(Stated::parse), words.next()) else {
            // `n/a`
            continue;
        };
        // Before 9.3 the rate stands alone; what comes one after the other takes the time between two of them.
        let printed = words.next().and_then(Stated::parse);
        let mean_us = printed.or_else(|| Stated::exact(1e6).over(rate));
        let mut flushes = StatedStream { iops: Some(rate), runtime_s, ..StatedStream::default() };
        flushes.total_latency.mean_us = mean_us;
        let load = StatedLoad {
            rwmix_read_percent: Some(0.0),
            iodepth: Some(1),
            numjobs: Some(1),
            flush_every: Some(1),
            ..StatedLoad::default()
        };
        let mut record = reading.record("pg_test_fsync", None, format!("line {line}"));
        // The methods of a file are configurations that are compared; those of another file are others.
        let stem = Path::new(reading.file.name).file_stem().unwrap_or_default().to_string_lossy();
        record.label = Some(quote(&format!("{stem} {method}")));
        record.attributes =
            BTreeMap::from([("wal_sync_method".to_owned(), AttributeValue::Text(method.to_owned()))]);
        record.jobs.push(ImportedJob {
            name: method.to_owned(),
            role: Some(Role::Log),
            load: load.with_block_size(block_size),
            ops: StatedOps { sync: Some(flushes), ..StatedOps::default() },
            ..ImportedJob::default()
        });
        reading.keep(record)?;
    }
    Ok(())
}
