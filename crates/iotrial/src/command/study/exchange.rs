//! Configurations on other machines: `study export` makes the part that is measured there, `study add` takes the records back.

use std::path::Path;
use std::process::ExitCode;

use iotrial_session::study::{self, Added, StudyFile};

use super::TAKES;
use super::shown::Shown;
use crate::cli::{StudyAddArgs, StudyExportArgs};
use crate::failure::Failure;
use crate::intake::{self, Folders, Intake, Kind, Takes};
use crate::output::{self, say};
use crate::outputs::Outputs;
use crate::report_files::ReportFiles;
use crate::store::open_store;

const STUDY: Takes = Takes { command: "study add", what: "a study, and records of runs" };

const RECORDS: Takes = Takes { command: "study add", what: "records of runs" };

/// Prints the part of a study that another machine measures.
pub fn export(args: &StudyExportArgs) -> Result<ExitCode, Failure> {
    let part = study::part(&read(&args.file, &TAKES)?, &args.label, &args.targets)?;
    let study = part.whole_name();
    output::text(&format!(
        "# The part of the study `{study}` that is one configuration, with all that it needs.\n\
         # `iotrial study THIS_FILE` measures it; `iotrial study add FILE RECORD…` brings its records back to the study.\n\n{}",
        part.to_toml()
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Takes records into a study: all of them, or none.
pub fn add(args: &StudyAddArgs) -> Result<ExitCode, Failure> {
    // Both before the store, which is made where there is none: a wrong file must leave nothing behind.
    let file = read(&args.file, &STUDY)?;
    let store = Some(&args.store);
    let intake = Intake { takes: RECORDS, folders: Folders::Records, store, study_profile: None };
    let offered = intake.open_runs(&args.records)?;
    let store = open_store(&args.store)?;
    let Added { progress, known } = study::add(&file, &store, offered)?;
    known.iter().for_each(|path| say!("note: {} is a part of the study already", path.display()));
    let shown = Shown::new(&file.study, Some(&progress), &store)?;
    shown.write_and_print(&store, &Outputs::new(&ReportFiles::default(), args.json))?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path, takes: &Takes) -> Result<StudyFile, Failure> {
    intake::expect(Kind::Study, path, takes)?;
    Ok(StudyFile::read(path)?)
}
