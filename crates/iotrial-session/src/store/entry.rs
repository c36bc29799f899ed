//! What a list of the store says of one of its files.

use std::path::{Path, PathBuf};

use iotrial_model::record::EndedHow;
use iotrial_model::study::{CellEnd, Progress};
use iotrial_model::subject::Subject;
use iotrial_model::sweep::SweepRecord;
use serde::Serialize;

use super::kind::Kind;
use super::read::{
    ReadRecordError, Unreadable, read_imported, read_limited, read_record, read_sweep, reading,
};

/// A file of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its ULID.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// Name of the profile, or of the tool; `sweep` and `study` of those.
    pub profile: String,
    /// What the user calls it.
    pub label: Option<String>,
    /// Where it ran.
    pub targets: String,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    /// What it is.
    pub kind: Kind,
}

impl Entry {
    /// Reads what a list says of a file; `None` where its name is none that a list has.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, ReadRecordError> {
        let entry = match Kind::of_name(path) {
            Some(Kind::Run) => Self::of(Kind::Run, &Subject::of_run(&read_record(path)?), path),
            Some(Kind::Imported) => {
                Self::of(Kind::Imported, &Subject::of_imported(&read_imported(path)?), path)
            }
            Some(Kind::Sweep) => Self::of_sweep(&read_sweep(path)?, path),
            Some(Kind::Study) => return Self::read_study(path),
            Some(Kind::Journal) | None => return Ok(None),
        };
        Ok(Some(entry))
    }

    /// A run or a result of another tool.
    pub(super) fn of(kind: Kind, subject: &Subject<'_>, path: &Path) -> Self {
        let profile = match (subject.plan, subject.source) {
            (Some(plan), _) => plan.profile.clone(),
            (None, Some(source)) => source.kind.as_str().to_owned(),
            (None, None) => String::new(),
        };
        let mut targets: Vec<&str> = subject.targets.iter().map(|target| target.path.as_str()).collect();
        let stated = subject.jobs.iter().flat_map(|job| &job.load.targets).map(String::as_str);
        if subject.plan.is_none() {
            targets.extend(stated);
            targets.dedup();
        }
        let has_failed = subject.jobs.iter().any(|job| job.error.is_some());
        let ended = match subject.ended {
            Some(ended) => ended.how,
            None if has_failed => EndedHow::Failed,
            None => EndedHow::Complete,
        };
        Self {
            id: subject.id.to_owned(),
            path: path.to_owned(),
            started_at: subject.measured_at.unwrap_or_default().to_owned(),
            profile,
            label: subject.label.map(str::to_owned),
            targets: targets.join(", "),
            ended: ended_word(ended).to_owned(),
            kind,
        }
    }

    /// A sweep, of which every probe is a result.
    pub(super) fn of_sweep(record: &SweepRecord, path: &Path) -> Self {
        let targets: Vec<&str> = record.targets.iter().map(|target| target.path.as_str()).collect();
        Self {
            id: record.id.clone(),
            path: path.to_owned(),
            started_at: record.started_at.clone(),
            profile: "sweep".to_owned(),
            label: record.label.clone(),
            targets: targets.join(", "),
            ended: ended_word(record.ended.how).to_owned(),
            kind: Kind::Sweep,
        }
    }

    /// A study, by its journal; `None` where a crash left not even the first line.
    fn read_study(path: &Path) -> Result<Option<Self>, ReadRecordError> {
        let progress = reading(path, "journal of a study", || {
            let bytes = read_limited(std::fs::File::open(path)?, 0)?;
            let read = Progress::read(&bytes).map_err(|error| Unreadable::Check(error.into()))?;
            Ok(read.map(|(progress, _)| progress))
        })?;
        let Some(progress) = progress else { return Ok(None) };
        let study = progress.study();
        let mut targets: Vec<&str> =
            study.configurations.iter().flat_map(|one| &one.targets).map(String::as_str).collect();
        targets.dedup();
        let is_done = study.cells().iter().all(|cell| matches!(progress.end_of(cell), CellEnd::Done { .. }));
        Ok(Some(Self {
            id: progress.id.clone(),
            path: path.to_owned(),
            started_at: progress.began_at.clone(),
            profile: "study".to_owned(),
            label: Some(study.name.clone()),
            targets: targets.join(", "),
            ended: ended_word(if is_done { EndedHow::Complete } else { EndedHow::Interrupted }).to_owned(),
            kind: Kind::Study,
        }))
    }
}

const fn ended_word(how: EndedHow) -> &'static str {
    match how {
        EndedHow::Complete => "complete",
        EndedHow::Interrupted => "interrupted",
        EndedHow::Failed => "failed",
    }
}
