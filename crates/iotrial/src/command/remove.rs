//! `iotrial remove`: results into the trash of the store, and out of it again.

use std::process::ExitCode;

use crate::cli::RemoveArgs;
use crate::failure::Failure;
use crate::output::{self, say};
use crate::store::{named, open_store_to_read};

/// Moves the results that are meant, and prints where they are now.
pub fn remove(args: &RemoveArgs) -> Result<ExitCode, Failure> {
    let store = open_store_to_read(&args.store)?;
    let from = if args.restore { &store.trash() } else { &store };
    // All names are looked up before the first file is moved: a slip in the third one must not leave half of the work done, and
    // `last` must mean the same one however many go before it.
    for path in named(from, &args.results)? {
        let place = if args.restore { store.restore(&path)? } else { store.remove(&path)? };
        output::text_line(place.display())?;
    }
    if !args.restore {
        say!("`iotrial remove --restore` brings results back; `iotrial records --trash` lists them");
    }
    Ok(ExitCode::SUCCESS)
}
