//! What a list of the store says of one of its files.

use std::path::{Path, PathBuf};

use iotrial_model::record::EndedHow;
use iotrial_model::study::{CellEnd, Progress};
use iotrial_model::subject::Subject;
use serde::Serialize;

use super::kind::Kind;
use super::read::{
    ReadRecordError, Unreadable, read_imported, read_record, read_sweep, read_unpacked, reading,
};

/// A file of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// ULID: where a name stands for a record, its beginning is enough.
    pub id: String,
    /// Where the file lies, in the folder of the store with its links resolved.
    pub path: PathBuf,
    /// When measuring or the study began, RFC 3339 in UTC; empty where another tool does not say it.
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
            Some(Kind::Sweep) => Self::of(Kind::Sweep, &Subject::of_sweep(&read_sweep(path)?), path),
            Some(Kind::Study) => return Self::read_study(path),
            Some(Kind::Journal) | None => return Ok(None),
        };
        Ok(Some(entry))
    }

    /// A result, or a sweep, of which every probe is one.
    pub(super) fn of(kind: Kind, subject: &Subject<'_>, path: &Path) -> Self {
        Self {
            id: subject.id.to_owned(),
            path: path.to_owned(),
            started_at: subject.measured_at.unwrap_or_default().to_owned(),
            profile: subject.profile().to_owned(),
            label: subject.label.map(str::to_owned),
            targets: subject.targets_in_words(),
            ended: ended_word(subject.ended_how()).to_owned(),
            kind,
        }
    }

    /// A study, by its journal; `None` where a crash left not even the first line.
    fn read_study(path: &Path) -> Result<Option<Self>, ReadRecordError> {
        let progress = reading(path, "journal of a study", || {
            let read =
                Progress::read(&read_unpacked(path)?).map_err(|error| Unreadable::Check(error.into()))?;
            Ok(read.map(|(progress, _)| progress))
        })?;
        let Some(progress) = progress else { return Ok(None) };
        let study = progress.study();
        let mut targets: Vec<String> =
            study.configurations.iter().flat_map(|one| &one.targets).map(ToString::to_string).collect();
        targets.dedup();
        // A measurement that failed does not make the study fail: it is tried again when the study is resumed.
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
