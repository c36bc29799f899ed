//! `iotrial records`: what the store holds.

use std::process::ExitCode;

use crate::cli::RecordsArgs;
use crate::failure::Failure;
use crate::output::{self, harmless};
use crate::store::open_store;

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
    let row = |[id, started, profile, ended, label, targets]: [&str; 6]| {
        format!("{id:<26}  {started:<16}  {profile:<18}  {ended:<11}  {label:<20}  {targets}\n")
    };
    let mut text = row(["id", "started, UTC", "profile", "ended", "label", "targets"]);
    for entry in entries {
        let started = entry.started_at.get(..16).unwrap_or(&entry.started_at).replace('T', " ");
        let label = entry.label.as_deref().map_or_else(|| "–".to_owned(), harmless);
        let targets = harmless(&entry.targets);
        text.push_str(&row([&entry.id, &started, &harmless(&entry.profile), &entry.ended, &label, &targets]));
    }
    output::text(&text)?;
    Ok(ExitCode::SUCCESS)
}
