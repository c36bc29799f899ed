//! `iotrial report`: results shown again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::record::RunRecord;
use iotrial_session::judged_profile::load_thresholds;

use crate::cli::ReportArgs;
use crate::command::sweep;
use crate::failure::Failure;
use crate::intake::{Folders, Input, Intake, Kind, Takes};

mod shown;

pub use shown::{Judged, Record, Shown};

const TAKES: Takes = Takes {
    command: "report",
    what: "records of runs, results of other tools, printed tables and studies, or one sweep alone",
};

/// What judges a result that does not say by what it was judged.
const USUAL_THRESHOLDS: &str = "flash";

/// Shows results.
pub fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    args.files.check(args.json, &[])?;
    args.files.check_are_writable()?;
    let named = args.thresholds.as_deref().map(|name| load_thresholds(Path::new(""), name)).transpose()?;
    let usual = named.clone().map_or_else(|| load_thresholds(Path::new(""), USUAL_THRESHOLDS), Ok)?;
    let intake = Intake {
        takes: TAKES,
        folders: Folders::Records,
        store: Some(args.store.store.as_deref()),
        study_profile: Some(args.profile.as_deref()),
    };
    let sources = intake.find(&args.records)?;
    let mut results: Vec<(PathBuf, Judged)> = Vec::new();
    let mut seen: Vec<PathBuf> = Vec::new();
    let opened = intake.open_all(sources, |_, input| input)?;
    let count = opened.len();
    for (source, input) in opened {
        let path = source.path;
        let place = path.canonicalize().unwrap_or_else(|_| path.clone());
        if seen.contains(&place) {
            eprintln!("note: `{}` was given twice, and stands once", path.display());
            continue;
        }
        seen.push(place);
        match input {
            Err(error) if error.is_foreign() && !source.is_named => {}
            Err(error) => return Err(error.into()),
            Ok(Input::Sweep(record)) if count == 1 => return sweep::report(args, &path, &record),
            Ok(Input::Run(mut record)) => {
                if let Some((label, attributes)) = source.name {
                    (record.label, record.attributes) = (Some(label), attributes);
                }
                let thresholds = named.clone().map_or_else(|| thresholds_of(&record), Ok)?;
                results.push((path, Judged::of(Record::Run(record), &thresholds)));
            }
            Ok(Input::Kept(record)) => {
                results.push((path, Judged::of(Record::Imported(record), &usual)));
            }
            Ok(Input::Results(imported)) => {
                for record in imported.records {
                    let record = Record::Imported(Box::new(record));
                    results.push((path.clone(), Judged::of(record, &usual)));
                }
            }
            Ok(other) if source.is_named || other.kind() == Kind::Sweep => {
                return Err(TAKES.refuse(&path.to_string_lossy(), other.kind()));
            }
            Ok(_) => {}
        }
    }
    if results.is_empty() {
        return Err(Failure::input(anyhow::anyhow!("there is no result among these files")));
    }
    let shown = Shown::new(results);
    shown.present(&args.files, args.json)?;
    Ok(shown.exit_code())
}

/// The set that judged when the record was made. It stands in the record itself: a stranger's record
/// must not decide which files are read here.
fn thresholds_of(record: &RunRecord) -> Result<ThresholdSet, Failure> {
    if record.thresholds.is_empty() {
        return Ok(load_thresholds(Path::new(""), USUAL_THRESHOLDS)?);
    }
    ThresholdSet::parse(&record.thresholds)
        .context("the threshold set in the record is not valid")
        .map_err(|error| Failure::input(error).hint("--thresholds names another one".to_owned()))
}
