//! The journal of a study as a file of the store: locked while it is written, each line on the disk before what it announces.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use iotrial_engine::targets::RunId;
use iotrial_model::foreign_text::harmless;
use iotrial_model::record::EndedHow;
use iotrial_model::study::{Cell, CellEnd, JOURNAL_FORMAT, JournalError, JournalLine, Progress, Study};
use ulid::Ulid;

use crate::atomic_file::{AtomicFile, Durability, Existing};
use crate::bounded_file::{Pipes, ReadFileError, read_bytes, read_to_end_within, refuse_special};
use crate::fault::Fault;
use crate::rig::run_id;
use crate::store::{MOST_RECORD_BYTES, Store, StoreError, read_record};
use crate::wall_clock::now;

/// Why the journal of a study cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StudyJournalError {
    /// The operating system refused, it is no file, or it is larger than any study makes it.
    #[error("cannot read the journal `{}`", path.display())]
    Read {
        /// Where it lies in the store.
        path: PathBuf,
        /// Why nothing of the file was read.
        #[source]
        source: ReadFileError,
    },
    /// A line in it makes no sense.
    #[error("the journal `{}` cannot be read", path.display())]
    Spoilt {
        /// Where it lies in the store.
        path: PathBuf,
        /// Which line, and why.
        #[source]
        source: JournalError,
    },
    /// Not even its first line is whole.
    #[error("the journal `{}` holds no study", path.display())]
    Empty {
        /// Where it lies in the store.
        path: PathBuf,
    },
    /// The file cannot be made.
    #[error("cannot begin the journal `{}`", path.display())]
    Begin {
        /// Where it lies in the store.
        path: PathBuf,
        /// As the operating system says it.
        #[source]
        source: io::Error,
    },
    /// A line could not be brought to the disk; what it would have announced is not done.
    #[error("cannot write the journal `{}`", path.display())]
    Write {
        /// Where it lies in the store.
        path: PathBuf,
        /// As the operating system says it.
        #[source]
        source: io::Error,
    },
    /// It could not get another name, so that the study cannot begin anew.
    #[error("cannot rename the journal `{}`", path.display())]
    PutAside {
        /// Where it lies in the store.
        path: PathBuf,
        /// As the operating system says it.
        #[source]
        source: io::Error,
    },
    /// It is there and cannot be opened for reading and writing.
    #[error("cannot open the journal `{}`", path.display())]
    Open {
        /// Where it lies in the store.
        path: PathBuf,
        /// As the operating system says it.
        #[source]
        source: io::Error,
    },
    /// Its file system has no locks, or refuses this one: nobody could tell whether another iotrial writes it.
    #[error("cannot lock the journal `{}`", path.display())]
    Lock {
        /// Where it lies in the store.
        path: PathBuf,
        /// As the operating system says it.
        #[source]
        source: io::Error,
    },
    /// Another iotrial holds its lock, or began the study a moment earlier.
    #[error("another iotrial is carrying out the study `{study}`{}", begun(.began_at.as_deref()))]
    Busy {
        /// Name of the study.
        study: String,
        /// When it was begun, RFC 3339 in UTC; `None` where its journal cannot be read now.
        began_at: Option<String>,
    },
    /// The store of which it is a file cannot be listed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Fault for StudyJournalError {
    fn is_of_input(&self) -> bool {
        false
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Spoilt { .. } | Self::Empty { .. } => {
                Some("--restart puts it aside and starts over; the records stay in the store".to_owned())
            }
            Self::Busy { .. } => Some(
                "--status shows how far it is; wait until it has ended, or give this study another `name`"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}

fn begun(at: Option<&str>) -> String {
    at.map(|at| format!(", which was begun at {}", harmless(at))).unwrap_or_default()
}

/// A journal that only this program writes.
pub(super) struct StudyJournal {
    path: PathBuf,
    file: File,
    progress: Progress,
    /// Ids of the records of a study that was put aside.
    earlier_records: Vec<String>,
}

impl StudyJournal {
    /// How far a study came, whoever is carrying it out; `None` where it never began.
    pub(super) fn look(store: &Store, study: &Study) -> Result<Option<Progress>, StudyJournalError> {
        let path = store.study_journal(&study.name);
        // Without its lock: who is asked for the state of a study that runs must not be refused, and lines are only ever added. A
        // last line that is half written reads as one that is not there yet.
        let bytes = match read_bytes(&path, Pipes::Refused, MOST_RECORD_BYTES) {
            Err(error) if error.is_not_found() => return Ok(None),
            read => read.map_err(|source| StudyJournalError::Read { path: path.clone(), source })?,
        };
        Ok(read(&path, &bytes)?.map(|(progress, _)| progress))
    }

    /// Opens the journal of a study that began earlier, for this program alone.
    pub(super) fn open(store: &Store, study: &Study) -> Result<Option<Self>, StudyJournalError> {
        let path = store.study_journal(&study.name);
        let Some(mut file) = lock(&path, study)? else { return Ok(None) };
        let mut bytes = Vec::new();
        read_to_end_within(&file, None, MOST_RECORD_BYTES, &mut bytes)
            .map_err(|source| StudyJournalError::Read { path: path.clone(), source })?;
        let Some((progress, whole)) = read(&path, &bytes)? else {
            return Err(StudyJournalError::Empty { path });
        };
        // What a crash left of a last line must not spoil the next one.
        file.set_len(whole as u64)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .map_err(|source| StudyJournalError::Write { path: path.clone(), source })?;
        Ok(Some(Self { path, file, progress, earlier_records: Vec::new() }))
    }

    /// Begins the journal of a study. It appears under its name only when it is locked and has its first line, and never in the
    /// place of another: who began the study a moment earlier keeps it.
    pub(super) fn create(store: &Store, study: &Study) -> Result<Self, StudyJournalError> {
        let path = store.study_journal(&study.name);
        let (id, at) = (Ulid::generate().to_string(), now().to_string());
        let create = || -> io::Result<File> {
            let mut new = AtomicFile::begin(store.folder())?;
            new.as_file().lock()?;
            new.write_all(&head(&id, &at, study).to_bytes())?;
            new.place(&path, Existing::Kept, Durability::AtOnce)
        };
        let file = create().map_err(|source| match source.kind() {
            ErrorKind::AlreadyExists => busy(&path, study),
            _ => StudyJournalError::Begin { path: path.clone(), source },
        })?;
        let progress = Progress::new(id, at, study.clone());
        Ok(Self { path, file, progress, earlier_records: Vec::new() })
    }

    /// Begins a study anew: its earlier journal is put under another name, and where that is. What was left attached is known
    /// to the new journal, too.
    pub(super) fn restart(
        store: &Store,
        study: &Study,
    ) -> Result<(Self, Option<PathBuf>), StudyJournalError> {
        let path = store.study_journal(&study.name);
        let Some(earlier) = lock(&path, study)? else { return Ok((Self::create(store, study)?, None)) };
        let mut bytes = Vec::new();
        // A journal that cannot be read is put aside all the same: that is what its hint promises.
        let progress = read_to_end_within(&earlier, None, MOST_RECORD_BYTES, &mut bytes)
            .ok()
            .and_then(|()| Progress::read(&bytes).ok().flatten())
            .map(|(progress, _)| progress);
        let aside = store.folder().join(format!("{}.{}.old-study", study.name, Ulid::generate()));
        fs::rename(&path, &aside).map_err(|source| StudyJournalError::PutAside { path, source })?;
        let left =
            progress.as_ref().and_then(|progress| Some((progress.attached_form()?, progress.attached()?.0)));
        let mut journal = match left {
            None => Self::create(store, study)?,
            // In the form of the study in which it was attached: only that one knows the command that detaches it, which may be
            // gone from the study of today.
            Some((form, label)) => {
                let mut journal = Self::create(store, form)?;
                journal.note(JournalLine::Attached { label: label.to_owned() })?;
                journal.accept(study)?;
                journal
            }
        };
        // What its loads left is this study's to remove.
        journal.earlier_records = progress.map(|progress| progress.records().to_vec()).unwrap_or_default();
        Ok((journal, Some(aside)))
    }

    /// How far the study came.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// By which the files are known that loads of the study made.
    pub(super) fn runs(&self) -> Vec<RunId> {
        self.progress.records().iter().chain(&self.earlier_records).filter_map(|id| run_id(id)).collect()
    }

    /// Whether the cell is measured.
    pub(super) fn is_done(&self, cell: &Cell) -> bool {
        matches!(self.progress.end_of(cell), CellEnd::Done { .. })
    }

    /// The configuration that was left attached, and what detaches it.
    pub(super) fn attached(&self) -> Option<(String, Option<String>)> {
        self.progress.attached().map(|(label, after)| (label.to_owned(), after.map(str::to_owned)))
    }

    /// The study goes on in another form.
    pub(super) fn accept(&mut self, study: &Study) -> Result<(), StudyJournalError> {
        let at = now().to_string();
        let line = head(&self.progress.id.clone(), &at, study);
        self.write(&line)?;
        self.progress.accept(study.clone());
        Ok(())
    }

    /// Writes a line about a cell or a configuration, and brings it to the disk.
    pub(super) fn note(&mut self, line: JournalLine) -> Result<(), StudyJournalError> {
        self.write(&line)?;
        self.progress.note(&line);
        Ok(())
    }

    /// Holds the journal against the store: a cell whose record was written before a crash kept the journal from saying so is
    /// done, and one whose record is gone is not.
    pub(super) fn settle(&mut self, store: &Store) -> Result<(), StudyJournalError> {
        let paths = store.paths_by_id()?;
        // At most one: measurements follow one another, and each has its line before the record can exist.
        if let Some(begun) = self.progress.begun().cloned() {
            let record = paths.get(&begun.record).and_then(|path| read_record(path).ok());
            if record.is_some_and(|record| record.ended.how == EndedHow::Complete) {
                self.note(JournalLine::Done { cell: begun.cell, record: begun.record })?;
            }
        }
        for cell in self.progress.study().cells() {
            let CellEnd::Done { record } = self.progress.end_of(&cell) else { continue };
            // A line takes it back rather than a change of the earlier one: what was written to the journal stays as it was.
            if !paths.contains_key(record) {
                let reason = format!("its record {record} is no longer in the store");
                self.note(JournalLine::Failed { cell, reason, record: None })?;
            }
        }
        Ok(())
    }

    fn write(&mut self, line: &JournalLine) -> Result<(), StudyJournalError> {
        // To the disk with every line: a line announces what is done next, such as to attach a volume, and a power failure must not
        // leave the volume attached and the journal without a word of it.
        self.file
            .write_all(&line.to_bytes())
            .and_then(|()| self.file.sync_data())
            .map_err(|source| StudyJournalError::Write { path: self.path.clone(), source })
    }
}

fn head(id: &str, at: &str, study: &Study) -> JournalLine {
    JournalLine::Study {
        format: JOURNAL_FORMAT.to_owned(),
        id: id.to_owned(),
        at: at.to_owned(),
        text: study.to_toml(),
    }
}

fn read(path: &Path, bytes: &[u8]) -> Result<Option<(Progress, usize)>, StudyJournalError> {
    Progress::read(bytes).map_err(|source| StudyJournalError::Spoilt { path: path.to_owned(), source })
}

/// Without its lock, as far as it can be read.
fn busy(path: &Path, study: &Study) -> StudyJournalError {
    let bytes = read_bytes(path, Pipes::Refused, MOST_RECORD_BYTES).ok();
    let progress = bytes.and_then(|bytes| Progress::read(&bytes).ok().flatten());
    let began_at = progress.map(|(progress, _)| progress.began_at);
    StudyJournalError::Busy { study: study.name.clone(), began_at }
}

/// The file, locked for this program; `None` where there is none.
fn lock(path: &Path, study: &Study) -> Result<Option<File>, StudyJournalError> {
    match refuse_special(path, Pipes::Refused) {
        Err(error) if error.is_not_found() => return Ok(None),
        looked => looked.map_err(|source| StudyJournalError::Read { path: path.to_owned(), source })?,
    }
    // To write as well, even where it is only put aside: on NFS, a lock that keeps others out needs a file that may be written.
    let file = match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|source| StudyJournalError::Open { path: path.to_owned(), source })?,
    };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(busy(path, study)),
        Err(TryLockError::Error(source)) => Err(StudyJournalError::Lock { path: path.to_owned(), source }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::sync::Arc;

    use iotrial_model::plan::Plan;
    use iotrial_model::record::{Interval, RunRecord};

    use super::*;
    use crate::observer::Observer;

    struct Silent;

    impl Observer for Silent {
        fn say(&self, _: &str) {}
        fn warn(&self, _: &str) {}
        fn layout(&self, _: u64, _: u64) {}
        fn start(&self, _: &RunRecord, _: bool) {}
        fn interval(&self, _: &Plan, _: &Interval) {}
        fn finish(&self) {}
    }

    #[test]
    fn who_begins_a_study_a_moment_later_is_told_that_it_runs() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(Some(folder.path()), Arc::new(Silent)).unwrap();
        let text = "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"s\"\nprofiles = [\"sqlserver-log\"]\nrepeats = 1\n\
                    [[configuration]]\nlabel = \"a\"\ntargets = [\"x\"]\n";
        let study = Study::parse(text).unwrap();
        let first = StudyJournal::create(&store, &study).unwrap();
        let busy =
            [StudyJournal::create(&store, &study).map(drop), StudyJournal::open(&store, &study).map(drop)];
        for refused in busy {
            let Err(StudyJournalError::Busy { began_at, .. }) = refused else { panic!("{refused:?}") };
            // Windows lets nobody read what is locked.
            assert!(began_at.is_none_or(|at| at == first.progress().began_at));
        }
    }
}
