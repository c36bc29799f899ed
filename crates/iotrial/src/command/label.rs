//! `iotrial label`: what results are called, after the fact.

use std::process::ExitCode;

use crate::cli::LabelArgs;
use crate::failure::Failure;
use crate::output;
use crate::store::{named, open_store_to_read};

/// Gives the results that are meant another label, and prints where they are.
pub fn label(args: &LabelArgs) -> Result<ExitCode, Failure> {
    let store = open_store_to_read(&args.store)?;
    // As `run --label` takes it: blanks are no name.
    let label = Some(args.label.trim()).filter(|label| !label.is_empty());
    for path in named(&store, std::slice::from_ref(&args.result))? {
        store.relabel(&path, label)?;
        output::text(&format!("{}\n", path.display()))?;
        // A page is of the day on which it was written, and may have been sent to somebody.
        let page = super::open::page_of(&path);
        if page.is_file() {
            eprintln!(
                "note: its page shows the earlier label; `iotrial report {} --html {} --overwrite` writes it again",
                path.display(),
                page.display()
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}
