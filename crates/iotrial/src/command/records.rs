//! `iotrial records`: what the store holds.

use std::process::ExitCode;

use crate::cli::RecordsArgs;
use crate::failure::Failure;
use crate::store::Store;

/// Lists the records, the newest first.
pub fn records(args: &RecordsArgs) -> Result<ExitCode, Failure> {
    let store = Store::open(args.store.store.as_deref()).map_err(Failure::execution)?;
    let entries = store.entries().map_err(Failure::execution)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&entries).expect("entries are plain data"));
        return Ok(ExitCode::SUCCESS);
    }
    if entries.is_empty() {
        eprintln!("no records in {}; `iotrial run` makes one", store.folder().display());
    }
    for entry in entries {
        let started = entry.started_at.get(..16).unwrap_or(&entry.started_at).replace('T', " ");
        let label = entry.label.as_deref().unwrap_or("–");
        println!(
            "{}  {started}  {:<20} {:<12} {label:<20} {}",
            entry.id, entry.profile, entry.ended, entry.targets
        );
    }
    Ok(ExitCode::SUCCESS)
}
