//! `iotrial label`: what results are called, and what an application did meanwhile, after the fact.

use std::process::ExitCode;

use iotrial_session::store::Change;

use crate::cli::{LabelArgs, metrics_of};
use crate::failure::Failure;
use crate::output::{self, say};
use crate::store::{named, open_store_to_read};

/// Gives the results that are meant another label, or metrics, and prints where they are.
pub fn label(args: &LabelArgs) -> Result<ExitCode, Failure> {
    let store = open_store_to_read(&args.store)?;
    let metrics = metrics_of(&args.metrics, &[])?;
    // As `run --label` takes it: blanks are no name.
    let label = args.label.as_ref().map(|label| Some(label.trim()).filter(|label| !label.is_empty()));
    for path in named(&store, std::slice::from_ref(&args.result))? {
        store.change(&path, &Change { label, metrics: &metrics })?;
        output::text_line(path.display())?;
        // Not on standard output, which a script reads.
        match label {
            Some(Some(label)) => say!("labelled `{}`", output::harmless(label)),
            Some(None) => say!("label removed"),
            None => {}
        }
        // A page is of the day on which it was written, and may have been sent to somebody.
        let page = super::open::page_of(&path);
        if page.is_file() {
            say!(
                "note: its page shows what the record said before; `iotrial report {} --html {} --overwrite` writes it again",
                path.display(),
                page.display()
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}
