//! The journals that crashes left, made into records.

use std::fs::{self, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use iotrial_analysis::findings::findings;
use iotrial_model::journal::JournalError;
use iotrial_model::record::RunRecord;
use iotrial_model::subject::Subject;

use iotrial_words::finding::to_record;

use super::Store;
use super::entry::Entry;
use super::kind::{self, Kind};
use super::read::MOST_RECORD_BYTES;
use crate::atomic_file::WriteFileError;
use crate::bounded_file::{OpenedFile, Pipes, ReadFileError, open_to_read, read_to_end_within};
use crate::fault::on_one_line;
use iotrial_model::foreign_text::harmless;

impl Store {
    /// Makes a record of the journal that a crash left. One that cannot be recovered is told.
    pub(super) fn recover_journal(&self, path: &Path) {
        if let Err(error) = self.record_of_journal(path) {
            self.warn(&on_one_line(&error));
        }
    }

    fn record_of_journal(&self, path: &Path) -> Result<(), RecoverError> {
        let OpenedFile { file, length } = match open_to_read(path, Pipes::Refused) {
            // Its run has just ended.
            Err(error) if error.is_not_found() => return Ok(()),
            opened => opened.map_err(|source| RecoverError::Open { path: path.to_owned(), source })?,
        };
        // The lock says whether the run goes on, and nothing else does: an id of a process may be another one's by now, and the store
        // may lie on a share that several hosts use.
        match file.try_lock() {
            Ok(()) => {}
            // Its run goes on.
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(TryLockError::Error(source)) => {
                return Err(RecoverError::Lock { path: path.to_owned(), source });
            }
        }
        let id = kind::stem(path);
        let recorded = [Kind::Run.path(&self.folder, &id), Kind::Run.packed_path(&self.folder, &id)];
        // The run ended between our look and our lock, or was killed after its record was whole.
        if recorded.iter().any(|record| record.exists()) || !path.exists() {
            return remove_if_there(path);
        }
        // Of the file that is locked, and not of its name. One that cannot be read now stays as it is: a disk may come back, and a
        // newer version may take what is too large for this one.
        let mut bytes = Vec::new();
        read_to_end_within(&file, length, MOST_RECORD_BYTES, &mut bytes)
            .map_err(|source| RecoverError::Read { path: path.to_owned(), source })?;
        match record_in(&bytes, &id) {
            Ok(mut record) => {
                // By their paths as they are, before the record forgets them.
                let directories = record.targets.iter().filter(|target| target.kind == "directory");
                let directories: Vec<String> = directories.map(|target| harmless(&target.path)).collect();
                if record.anonymous {
                    record.anonymize();
                }
                record.findings = findings(&Subject::of_run(&record)).iter().map(to_record).collect();
                let written = self.write(&record)?;
                self.note(&Entry::of_run(&record, &written));
                let place = written.display();
                self.observer.warn(&format!("note: a run was cut off; what it measured is kept in {place}"));
                // Those of a study may lie on a volume that is not there any more, and the study knows how to get it back.
                let way = |target: &String| match &record.study {
                    Some(place) => format!("resuming the study `{}`", harmless(&place.name)),
                    None => format!("`iotrial clean {target}`"),
                };
                let mut ways: Vec<String> = directories.iter().map(way).collect();
                ways.dedup();
                for way in ways {
                    self.observer.warn(&format!("hint: {way} removes the files that it left"));
                }
                // Last, as at the end of a run: until the record is whole, the journal is all that there is.
                remove_if_there(path)
            }
            Err(why) => {
                // Its head was not written, or somebody else wrote it. It stays for whoever wants to look, under a name that is free.
                let mut spoilt = path.with_extension("spoilt");
                if spoilt.symlink_metadata().is_ok() {
                    spoilt = path.with_extension(format!("{}.spoilt", ulid::Ulid::generate()));
                }
                fs::rename(path, &spoilt).map_err(RecoverError::Rename)?;
                Err(RecoverError::Spoilt { spoilt, why })
            }
        }
    }
}

/// The record of which a journal holds the beginning. Nothing in it is believed: its id, which names the file that is written, is the
/// one in the name of the journal, which iotrial looked up in the store.
fn record_in(journal: &[u8], id: &str) -> Result<RunRecord, Spoilt> {
    let record = RunRecord::from_journal(journal)?;
    if record.id != id || ulid::Ulid::from_string(id).is_err() {
        return Err(Spoilt::Id { found: harmless(&record.id) });
    }
    Ok(record)
}

/// Why nothing is made of a journal.
#[derive(Debug, thiserror::Error)]
enum Spoilt {
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A name that is no id, or the id of another run: its record would take the place of that one's, or of a file elsewhere.
    #[error("its name is not that of its run, `{found}`")]
    Id { found: String },
}

/// Why the journal that a crash left became no record.
#[derive(Debug, thiserror::Error)]
enum RecoverError {
    #[error("cannot open `{}`", path.display())]
    Open {
        path: PathBuf,
        #[source]
        source: ReadFileError,
    },
    #[error("cannot read the journal `{}`", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: ReadFileError,
    },
    #[error("cannot lock `{}`", path.display())]
    Lock {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot remove `{}`", path.display())]
    Remove {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Write(#[from] WriteFileError),
    #[error(transparent)]
    Rename(io::Error),
    #[error("a journal cannot be read, and was renamed to {}", spoilt.display())]
    Spoilt {
        spoilt: PathBuf,
        #[source]
        why: Spoilt,
    },
}

fn remove_if_there(path: &Path) -> Result<(), RecoverError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(|source| RecoverError::Remove { path: path.to_owned(), source }),
    }
}
