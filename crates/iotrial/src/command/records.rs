//! `iotrial records`: what the store holds.

use std::process::ExitCode;

use crate::cli::RecordsArgs;
use crate::failure::Failure;
use crate::output::{self, harmless};
use crate::presentation::aligned;
use crate::store::open_store;

const HEADERS: [&str; 6] = ["id", "started, UTC", "profile", "ended", "label", "targets"];

/// Lists the records, the newest first.
pub fn records(args: &RecordsArgs) -> Result<ExitCode, Failure> {
    let store = open_store(args.store.store.as_deref())?;
    let entries = store.entries()?;
    if args.json {
        output::json(&entries)?;
        return Ok(ExitCode::SUCCESS);
    }
    if entries.is_empty() {
        eprintln!("no records in {}; `iotrial run` makes one", store.folder().display());
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = vec![HEADERS.map(str::to_owned).to_vec()];
    rows.extend(entries.into_iter().map(|entry| {
        let started = entry.started_at.get(..16).unwrap_or(&entry.started_at).replace('T', " ");
        let label = entry.label.as_deref().map_or_else(|| "–".to_owned(), harmless);
        vec![entry.id, started, harmless(&entry.profile), entry.ended, label, harmless(&entry.targets)]
    }));
    let text = aligned(&rows, &[], &[26, 16, 18, 11, 20]);
    output::text(&text)?;
    Ok(ExitCode::SUCCESS)
}
