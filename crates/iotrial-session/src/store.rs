//! The store: one folder of records, journals of what goes on, and an index of them.
//!
//! The files are the truth. The index is an SQLite file beside them that can be thrown away at any time: whatever is missing in it,
//! or has changed since it was noted, is read from the files again.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use iotrial_analysis::findings::findings;
use iotrial_model::record::RunRecord;
use iotrial_model::subject::Subject;
use iotrial_model::sweep::SweepRecord;
use tempfile::NamedTempFile;

use crate::atomic_file::{Existing, WriteFileError, place, write_whole};
use crate::fault::{Fault, on_one_line};
use crate::harmless;
use crate::observer::Observer;

mod kind;
mod packed;
mod read;
mod run_journal;
mod imported;
mod entry;
mod index;
mod find;
mod relabel;
mod trash;

pub use entry::Entry;
pub use find::FindError;
pub use imported::{Kept, keep_imported};
pub use kind::Kind;
pub use read::{
    MOST_RECORD_BYTES, ReadRecordError, Unreadable, imported_of, is_called_journal, is_called_record,
    read_record, record_of, sweep_of,
};
pub use relabel::RelabelError;
pub use run_journal::JournalWriter;
pub use trash::MoveError;

use index::Stamp;
use kind::file_name;
use read::{ZSTD_MAGIC, read_limited};

/// Larger records are compressed.
const COMPRESS_ABOVE_BYTES: usize = 1 << 20;

/// A folder of records.
pub struct Store {
    folder: PathBuf,
    observer: Arc<dyn Observer>,
}

/// Why a store could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nobody says where it is.
    #[error("there is no home directory to keep records in")]
    NoHome,
    /// There is none, and it cannot be made.
    #[error("cannot make the store `{}`; --store or IOTRIAL_STORE names another place", place.display())]
    Make {
        /// Where it would be.
        place: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// It is there and cannot be reached.
    #[error("cannot open `{}`", folder.display())]
    Open {
        /// Where it is.
        folder: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// Its files cannot be listed.
    #[error("cannot list `{}`", folder.display())]
    List {
        /// Which folder.
        folder: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// A record cannot be written.
    #[error(transparent)]
    Write(#[from] WriteFileError),
    /// The journal of a run cannot be written.
    #[error("cannot write the journal `{}`", path.display())]
    Journal {
        /// Its file.
        path: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// The journal of a run that is recorded cannot be removed.
    #[error("cannot remove the journal")]
    DropJournal(#[source] io::Error),
    /// The index cannot be made, even anew.
    #[error("cannot open the index of the store")]
    Index(#[from] rusqlite::Error),
}

/// Why the record of another store was not taken.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// Files are named by ids, and this one could name any file.
    #[error("its id `{id}` is no ULID")]
    NoUlid {
        /// As it says.
        id: String,
    },
    /// It cannot be read again.
    #[error(transparent)]
    Read(io::Error),
    /// It cannot be listed or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Fault for StoreError {
    fn is_of_input(&self) -> bool {
        false
    }
}

impl Store {
    /// The store in `folder`, or in the platform's data folder; made if it is not there. `observer` hears what is odd about its
    /// files, now and later.
    ///
    /// Journals of runs that were killed become records.
    ///
    /// # Errors
    ///
    /// When it can neither be opened nor made.
    pub fn open(folder: Option<&Path>, observer: Arc<dyn Observer>) -> Result<Self, StoreError> {
        let place = Self::locate(folder).ok_or(StoreError::NoHome)?;
        fs::create_dir_all(&place).map_err(|source| StoreError::Make { place: place.clone(), source })?;
        let folder = place.canonicalize().map_err(|source| StoreError::Open { folder: place, source })?;
        let store = Self { folder, observer };
        store.recover_journals()?;
        Ok(store)
    }

    /// The same for somebody who only reads: where no store is, none is made, and it is an empty one.
    ///
    /// # Errors
    ///
    /// When it is there and cannot be opened.
    pub fn open_to_read(folder: Option<&Path>, observer: Arc<dyn Observer>) -> Result<Self, StoreError> {
        let place = Self::locate(folder).ok_or(StoreError::NoHome)?;
        if place.exists() { Self::open(folder, observer) } else { Ok(Self { folder: place, observer }) }
    }

    /// Where the store is or would be: in `folder`, or in the platform's data folder.
    pub fn locate(folder: Option<&Path>) -> Option<PathBuf> {
        folder.map(Path::to_owned).or_else(default_folder)
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Begins the journal of a run with what is known before the load.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn begin(&self, record: &RunRecord) -> Result<JournalWriter, StoreError> {
        JournalWriter::begin(&self.folder, record)
    }

    /// Writes a whole record, and drops its journal.
    ///
    /// # Errors
    ///
    /// When it cannot be written; the journal then stays, and is what is left of the run.
    pub fn finish(&self, record: &RunRecord, journal: JournalWriter) -> Result<PathBuf, StoreError> {
        // In this order: whenever the program is killed, at least one of the two is there. Both at once are told apart when the
        // store is opened.
        let path = self.write(record)?;
        journal.discard().map_err(StoreError::DropJournal)?;
        self.note(&Entry::of(Kind::Run, &Subject::of_run(record), &path));
        Ok(path)
    }

    /// Adds a file to the index, which is only a convenience: the file is safe whether it takes it or not.
    fn note(&self, entry: &Entry) {
        let Some(stamp) = Stamp::of(&entry.path) else { return };
        let _ = index::open(&self.folder).and_then(|index| index::insert(&index, entry, stamp));
    }

    /// Never holds the text of a record, which may be larger than the record in memory.
    fn write(&self, record: &RunRecord) -> Result<PathBuf, WriteFileError> {
        let plain = Kind::Run.path(&self.folder, &record.id);
        let write = || -> io::Result<PathBuf> {
            let mut text = BufWriter::new(NamedTempFile::new_in(&self.folder)?);
            serde_json::to_writer(&mut text, record)?;
            text.write_all(b"\n")?;
            let text = text.into_inner().map_err(io::IntoInnerError::into_error)?;
            let is_large = text.as_file().metadata()?.len() > COMPRESS_ABOVE_BYTES as u64;
            let (file, path) = if is_large {
                let packed = packed::packed(BufReader::new(text.reopen()?), &self.folder)?;
                (packed, Kind::Run.packed_path(&self.folder, &record.id))
            } else {
                (text, plain.clone())
            };
            place(file, &path, Existing::Replaced)?;
            Ok(path)
        };
        write().map_err(|source| WriteFileError { path: plain.clone(), source })
    }

    /// Everything that a list of the store has, the newest first.
    ///
    /// # Errors
    ///
    /// When the folder cannot be listed, or no index can be made. A file that cannot be read is told to the observer and left out.
    pub fn entries(&self) -> Result<Vec<Entry>, StoreError> {
        self.entries_of(&Kind::LISTED)
    }

    /// The files of some kinds, by name; none where there is no folder.
    fn files(&self, kinds: &[Kind]) -> Result<Vec<PathBuf>, StoreError> {
        if self.folder.exists() { list(&self.folder, kinds) } else { Ok(Vec::new()) }
    }

    fn entries_of(&self, kinds: &[Kind]) -> Result<Vec<Entry>, StoreError> {
        if !self.folder.exists() {
            // Not even an index is made in it.
            return Ok(Vec::new());
        }
        let mut index = index::open(&self.folder)?;
        let mut known = index::select(&index)?;
        let mut entries = Vec::new();
        // An import may bring thousands at once: they are written together.
        let change = index.transaction()?;
        for path in self.files(kinds)? {
            // Looked at before it is read: what is written to it in between is noticed the next time.
            let stamp = Stamp::of(&path);
            match known.remove(&path) {
                Some((noted, entry)) if Some(noted) == stamp => entries.push(entry),
                _ => match Entry::read(&path) {
                    Ok(Some(entry)) => {
                        if let Some(stamp) = stamp {
                            index::insert(&change, &entry, stamp)?;
                        }
                        entries.push(entry);
                    }
                    Ok(None) => {}
                    Err(error) => self.warn(&on_one_line(&error)),
                },
            }
        }
        for (path, (_, gone)) in known {
            if kinds.contains(&gone.kind) {
                index::remove(&change, &path)?;
            }
        }
        change.commit()?;
        entries.sort_by(|a, b| b.id.cmp(&a.id));
        Ok(entries)
    }

    /// Keeps the record of a sweep as far as it is known now.
    ///
    /// # Errors
    ///
    /// When it cannot be written; what was kept before is still there.
    pub(crate) fn write_sweep(&self, record: &SweepRecord) -> Result<PathBuf, StoreError> {
        let path = Kind::Sweep.path(&self.folder, &record.id);
        let mut bytes = serde_json::to_vec(record)
            .map_err(|error| WriteFileError { path: path.clone(), source: error.into() })?;
        bytes.push(b'\n');
        write_whole(&path, &bytes, Existing::Replaced)?;
        Ok(path)
    }

    /// Where the journal of a study of that name is or would be.
    pub fn study_journal(&self, name: &str) -> PathBuf {
        Kind::Study.path(&self.folder, name)
    }

    /// Every record of a run by its id.
    ///
    /// # Errors
    ///
    /// When the folder cannot be listed.
    pub(crate) fn paths_by_id(&self) -> Result<BTreeMap<String, PathBuf>, StoreError> {
        let id = |path: &Path| file_name(path).split('.').next().unwrap_or_default().to_owned();
        let files = self.files(&[Kind::Run])?;
        Ok(files.into_iter().map(|path| (id(&path), path)).collect())
    }

    /// Takes the record of another store, byte for byte; one that is here already stays as it is.
    ///
    /// # Errors
    ///
    /// When it cannot be read or written, or its id is none.
    pub(crate) fn adopt(&self, record: &RunRecord, path: &Path) -> Result<(), AdoptError> {
        if ulid::Ulid::from_string(&record.id).is_err() {
            return Err(AdoptError::NoUlid { id: harmless(&record.id) });
        }
        if self.paths_by_id()?.contains_key(&record.id) {
            return Ok(());
        }
        let mut bytes = Vec::new();
        File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(AdoptError::Read)?;
        let adopted = if bytes.starts_with(&ZSTD_MAGIC) {
            Kind::Run.packed_path(&self.folder, &record.id)
        } else {
            Kind::Run.path(&self.folder, &record.id)
        };
        write_whole(&adopted, &bytes, Existing::Replaced).map_err(StoreError::from)?;
        self.note(&Entry::of(Kind::Run, &Subject::of_run(record), &adopted));
        Ok(())
    }

    /// Makes records of the journals that crashes left. One that cannot be recovered is told, and does not
    /// keep the others from it.
    fn recover_journals(&self) -> Result<(), StoreError> {
        for path in self.files(&[Kind::Journal])? {
            if let Err(error) = self.recover_journal(&path) {
                self.warn(&on_one_line(&error));
            }
        }
        Ok(())
    }

    fn recover_journal(&self, path: &Path) -> Result<(), RecoverError> {
        let mut file = match File::open(path) {
            // Its run has just ended.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened.map_err(|source| RecoverError::Open { path: path.to_owned(), source })?,
        };
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
        match read_limited(&mut file, 0).and_then(|bytes| Ok(RunRecord::from_journal(&bytes)?)) {
            Ok(mut record) => {
                record.findings = findings(&Subject::of_run(&record)).iter().map(Into::into).collect();
                let written = self.write(&record)?;
                self.note(&Entry::of(Kind::Run, &Subject::of_run(&record), &written));
                let place = written.display();
                self.observer.warn(&format!("note: a run was cut off; what it measured is kept in {place}"));
                for target in record.targets.iter().filter(|target| target.kind == "directory") {
                    let target = harmless(&target.path);
                    self.observer
                        .warn(&format!("hint: `iotrial clean {target}` removes the files that it left"));
                }
                remove_if_there(path)
            }
            Err(why) => {
                // Not even its head was written: there is nothing to keep, and nothing to lose.
                let spoilt = path.with_extension("spoilt");
                fs::rename(path, &spoilt).map_err(RecoverError::Rename)?;
                Err(RecoverError::Spoilt { spoilt, why })
            }
        }
    }

    fn warn(&self, text: &str) {
        self.observer.warn(&format!("warning: {text}"));
    }
}

/// Why the journal that a crash left became no record.
#[derive(Debug, thiserror::Error)]
enum RecoverError {
    #[error("cannot open `{}`", path.display())]
    Open {
        path: PathBuf,
        #[source]
        source: io::Error,
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
        why: Unreadable,
    },
}

/// The records in a folder that need not be a store, by name, and so by time.
///
/// # Errors
///
/// When it cannot be listed.
pub fn records_in(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    list(folder, &Kind::COMPARED)
}

/// The id in the name of a file of a store: what stands before the ending that says its kind.
pub fn id_of(path: &Path) -> String {
    kind::stem(path)
}

fn list(folder: &Path, kinds: &[Kind]) -> Result<Vec<PathBuf>, StoreError> {
    let failure = |source| StoreError::List { folder: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failure)? {
        let path = entry.map_err(failure)?.path();
        if Kind::of_name(&path).is_some_and(|kind| kinds.contains(&kind)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn remove_if_there(path: &Path) -> Result<(), RecoverError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(|source| RecoverError::Remove { path: path.to_owned(), source }),
    }
}

/// `$XDG_DATA_HOME/iotrial` or `~/.local/share/iotrial`; `%LOCALAPPDATA%\iotrial` on Windows.
fn default_folder() -> Option<PathBuf> {
    let from_environment =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = if cfg!(windows) {
        from_environment("LOCALAPPDATA")
    } else {
        from_environment("XDG_DATA_HOME")
            .or_else(|| std::env::home_dir().map(|home| home.join(".local/share")))
    };
    data.map(|data| data.join("iotrial"))
}

#[cfg(test)]
mod tests;
