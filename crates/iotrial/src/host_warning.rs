//! What is critical about the host, said before a load begins: a result under it would be void, or the data at risk.

use std::path::{Path, PathBuf};

use iotrial_analysis::host_check::{Database, Weight};
use iotrial_session::host_check::{CheckRequest, check_host};

use crate::output::say;

/// Warns of critical findings below the targets. `profile` says by its name for which database.
pub fn warn_of_host<'p>(targets: impl Iterator<Item = &'p Path>, profile: &str) {
    // A target that is still to be made lies on what holds the folder above it.
    let mut places: Vec<PathBuf> = targets
        .filter_map(|path| path.ancestors().find(|place| place.exists()))
        .map(Path::to_owned)
        .collect();
    places.sort();
    places.dedup();
    let Some(first) = places.first().map(|place| place.display().to_string()) else { return };
    let database = Database::ALL.into_iter().find(|database| profile.starts_with(database.as_str()));
    // Whatever keeps the host from being looked at is no reason not to measure.
    let Ok(answer) = check_host(&CheckRequest { targets: places, database, ..CheckRequest::default() })
    else {
        return;
    };
    for finding in answer.findings.iter().filter(|finding| finding.severity == Weight::Critical) {
        say!("warning: {} ({})", finding.title, finding.parts.join(", "));
    }
    if answer.count(Weight::Critical) > 0 {
        say!("`iotrial check --target {first}` says what to change");
    }
}
