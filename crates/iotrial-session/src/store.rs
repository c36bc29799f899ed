//! The store: one folder of records, journals of what goes on, and an index of them.
//!
//! The files are the truth. The index is a file beside them that can be thrown away at any time: whatever is missing in it,
//! or has changed since it was noted, is read from the files again.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use iotrial_model::record::RunRecord;
use iotrial_model::sweep::SweepRecord;

use crate::atomic_file::{AtomicFile, Durability, Existing, WriteFileError, write_whole};
use crate::fault::{Fault, on_one_line};
use crate::observer::Observer;
use iotrial_model::foreign_text::harmless;

mod kind;
mod checksum;
mod packed;
mod read;
mod run_journal;
mod imported;
mod entry;
mod index;
mod find;
mod recovery;
mod relabel;
mod trash;

#[cfg(unix)]
#[path = "store/unix.rs"]
mod os;
#[cfg(windows)]
#[path = "store/windows.rs"]
mod os;

pub use entry::{Entry, KeyLatency};
pub use find::FindError;
pub use imported::{Kept, keep_imported};
pub use kind::Kind;
pub(crate) use read::READABLE;
pub use read::{
    MOST_RECORD_BYTES, ReadRecordError, Unreadable, imported_of, is_called_journal, is_called_record,
    read_record, record_of, sweep_of,
};
pub use relabel::{Change, RelabelError};
pub use run_journal::JournalWriter;
pub use trash::MoveError;

use index::{Index, IndexError, Stamp};
use kind::file_name;

/// Larger records are packed, in bytes of their text.
// A choice: the intervals of a long run repeat the same keys every second and pack well. What is smaller stays text for anybody.
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
        /// Where it would be, as it was named or as the platform has it.
        place: PathBuf,
        /// As the operating system says it.
        #[source]
        source: io::Error,
    },
    /// It is there and cannot be reached.
    #[error("cannot open `{}`", folder.display())]
    Open {
        /// Where it is, before links were resolved.
        folder: PathBuf,
        /// As the operating system says it.
        #[source]
        source: io::Error,
    },
    /// Its files cannot be listed.
    #[error("cannot list `{}`", folder.display())]
    List {
        /// The store, or a folder of records that the user named.
        folder: PathBuf,
        /// As the operating system says it.
        #[source]
        source: io::Error,
    },
    /// A record cannot be written.
    #[error(transparent)]
    Write(#[from] WriteFileError),
    /// The journal of a run cannot be written.
    #[error("cannot write the journal `{}`", path.display())]
    Journal {
        /// The file that it has, or would have once its first line is written.
        path: PathBuf,
        /// As the operating system says it.
        #[source]
        source: io::Error,
    },
}

/// Why what was measured is not in the store. It is not lost: `path` says where it is.
#[derive(Debug, thiserror::Error)]
#[error("the record is not in the store")]
pub struct NotKept {
    /// The record, or what its journal holds of it.
    pub path: PathBuf,
    is_whole: bool,
    /// The store.
    folder: PathBuf,
    #[source]
    why: Box<StoreError>,
}

impl Fault for NotKept {
    fn is_of_input(&self) -> bool {
        false
    }

    fn hint(&self) -> Option<String> {
        let (path, folder) = (self.path.display(), self.folder.display());
        Some(if self.is_whole {
            format!(
                "it is in {path}; move it to {folder} when there is space, and it becomes part of the store"
            )
        } else {
            format!("its journal {path} holds what could be written")
        })
    }
}

/// Why the record of another store was not taken.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// Files are named by ids, and this one could name any file.
    #[error("its id `{id}` is not a ULID")]
    NoUlid {
        /// What the record says, made harmless.
        id: String,
    },
    /// The store cannot be listed, or the record not be written into it.
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
        // With its links resolved: the index knows files by their paths, and one file must not have two of them.
        make_folder(&place).map_err(|source| StoreError::Make { place: place.clone(), source })?;
        let folder = os::resolved(&place).map_err(|source| StoreError::Open { folder: place, source })?;
        let store = Self { folder, observer };
        store.clear_up()?;
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

    /// Makes records of the journals that crashes left, and removes the files that they left unfinished.
    // In one look at the folder: among ten thousand records each costs milliseconds, and every run begins with it.
    fn clear_up(&self) -> Result<(), StoreError> {
        let is_journal = |name: &OsStr| Kind::of_file_name(name) == Some(Kind::Journal);
        let left = list_where(&self.folder, |name| is_journal(name) || AtomicFile::is_unplaced(name))?;
        for path in left {
            if path.file_name().is_some_and(is_journal) {
                self.recover_journal(&path);
            } else {
                AtomicFile::remove_abandoned(&path);
            }
        }
        Ok(())
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
    /// When the store does not take it, such as because it is full by now. The record is then in a folder for temporary files, or its
    /// journal stays.
    pub fn finish(&self, record: &RunRecord, journal: JournalWriter) -> Result<PathBuf, NotKept> {
        // Record, then journal: whenever the program is killed, at least one of the two is there. Both at once are told apart when the
        // store is opened.
        match self.write(record) {
            Ok(path) => {
                // The record is safe: the next iotrial finds both and drops the journal.
                if let Err(error) = journal.discard() {
                    self.warn(&format!("cannot remove the journal: {error}"));
                }
                self.note(&Entry::of_run(record, &path));
                Ok(path)
            }
            Err(why) => Err(match elsewhere(|folder| write_record(folder, record)) {
                Some(path) => {
                    // What it holds is less than the record, and it would come back as a second one of the same run.
                    let _ = journal.discard();
                    self.not_kept(path, true, why)
                }
                None => self.not_kept(journal.path().to_owned(), false, why),
            }),
        }
    }

    fn not_kept(&self, path: PathBuf, is_whole: bool, why: WriteFileError) -> NotKept {
        NotKept { path, is_whole, folder: self.folder.clone(), why: Box::new(why.into()) }
    }

    /// Adds a file to the index.
    fn note(&self, entry: &Entry) {
        let Some(stamp) = Stamp::of(&entry.path) else { return };
        // Only a convenience: the file is safe whether the index takes it or not, and the next list finds what is missing in it.
        let _ = Index::note(&self.folder, stamp, entry);
    }

    fn write(&self, record: &RunRecord) -> Result<PathBuf, WriteFileError> {
        write_record(&self.folder, record)
    }

    /// Everything that a list of the store has, the newest first.
    ///
    /// # Errors
    ///
    /// When the folder cannot be listed. A file that cannot be read is told to the observer and left out.
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
        let mut index = self.index();
        let mut entries = Vec::new();
        let mut stamps = Vec::new();
        let files = self.files(kinds)?;
        for path in &files {
            // Looked at before it is read: what is written to it in between is noticed the next time.
            let stamp = Stamp::of(path);
            match index.as_ref().and_then(|index| index.entry(path, stamp)) {
                Some(entry) => entries.push(entry.clone()),
                None => match Entry::read(path) {
                    Ok(Some(entry)) => {
                        stamps.extend(stamp.map(|stamp| (stamp, entries.len())));
                        entries.push(entry);
                    }
                    Ok(None) => {}
                    Err(error) => self.warn(&on_one_line(&error)),
                },
            }
        }
        if let Some(index) = &mut index {
            let changed: Vec<(Stamp, &Entry)> =
                stamps.into_iter().map(|(stamp, position)| (stamp, &entries[position])).collect();
            // Of these kinds only: files of others were not looked for, and are not gone.
            let gone = index.entries().filter(|entry| kinds.contains(&entry.kind));
            let gone: Vec<PathBuf> = gone
                .filter(|entry| files.binary_search(&entry.path).is_err())
                .map(|entry| entry.path.clone())
                .collect();
            if let Err(error) = index.update(&changed, &gone) {
                self.tell_of_index(&error.into());
            }
        }
        entries.sort_by(|a, b| b.id.cmp(&a.id));
        Ok(entries)
    }

    /// The index; none where it cannot be used now, and the files have to be read.
    fn index(&self) -> Option<Index> {
        Index::read(&self.folder).map_err(|error| self.tell_of_index(&error)).ok()
    }

    fn tell_of_index(&self, error: &IndexError) {
        let (folder, error) = (self.folder.display(), on_one_line(error));
        self.observer.warn(&format!(
            "note: the index of the store `{folder}` cannot be used now: {error}; the files of the store were read instead"
        ));
    }

    /// Keeps the record of a sweep as far as it is known now.
    ///
    /// # Errors
    ///
    /// When it cannot be written; what was kept before is still there.
    pub(crate) fn write_sweep(&self, record: &SweepRecord) -> Result<PathBuf, WriteFileError> {
        write_sweep(&self.folder, record)
    }

    /// The same at its end, when there is no later time to try again.
    ///
    /// # Errors
    ///
    /// When the store does not take it; it is then in a folder for temporary files, or the store has it as it was before.
    pub(crate) fn finish_sweep(&self, record: &SweepRecord) -> Result<PathBuf, NotKept> {
        self.write_sweep(record).map_err(|why| match elsewhere(|folder| write_sweep(folder, record)) {
            Some(path) => self.not_kept(path, true, why),
            None => self.not_kept(Kind::Sweep.path(&self.folder, &record.id), false, why),
        })
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

    /// Takes the record of another store, of which `text` is the JSON; one that is here already stays as it is.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or its id is none.
    pub(crate) fn adopt(&self, record: &RunRecord, text: &[u8]) -> Result<(), AdoptError> {
        // Before anything is made of it: the id becomes the name of a file, and a stranger may have written `../../.bashrc` there.
        if ulid::Ulid::from_string(&record.id).is_err() {
            return Err(AdoptError::NoUlid { id: harmless(&record.id) });
        }
        if self.paths_by_id()?.contains_key(&record.id) {
            return Ok(());
        }
        // The text and not the record written anew: a newer version may have put facts into it that this one does not know. And the
        // text that was read, not the file once more, which may be another one by now, or a pipe.
        let adopted =
            write_run(&self.folder, &record.id, |file| file.write_all(text)).map_err(StoreError::from)?;
        self.note(&Entry::of_run(record, &adopted));
        Ok(())
    }

    fn warn(&self, text: &str) {
        self.observer.warn(&format!("warning: {text}"));
    }
}

/// Writes a record under its id, with its checksum.
fn write_record(folder: &Path, record: &RunRecord) -> Result<PathBuf, WriteFileError> {
    write_run(folder, &record.id, |file| checksum::write_into(file, record))
}

/// Writes the text of a record under its id, packed where it is large.
fn write_run(
    folder: &Path,
    id: &str,
    write: impl FnOnce(&mut AtomicFile) -> io::Result<()>,
) -> Result<PathBuf, WriteFileError> {
    let plain = Kind::Run.path(folder, id);
    let written = || -> io::Result<PathBuf> {
        // Into a file and from there into the packed one: the text of a record may be larger than the record in memory, so it
        // is never held, and how large it is, which decides its name, is known only when all of it was written.
        let mut text = AtomicFile::begin(folder)?;
        write(&mut text)?;
        let is_large = text.as_file().metadata()?.len() > COMPRESS_ABOVE_BYTES as u64;
        let (file, path) = if is_large {
            let packed = packed::packed(BufReader::new(text.reopen()?), folder)?;
            (packed, Kind::Run.packed_path(folder, id))
        } else {
            (text, plain.clone())
        };
        // A record is never rewritten: what has its name is whole, whoever put it there.
        file.place(&path, Existing::Kept, Durability::AtOnce)?;
        Ok(path)
    };
    written().map_err(|source| WriteFileError { path: plain.clone(), source })
}

fn write_sweep(folder: &Path, record: &SweepRecord) -> Result<PathBuf, WriteFileError> {
    let path = Kind::Sweep.path(folder, &record.id);
    let bytes = checksum::text_of(record)
        .map_err(|error| WriteFileError { path: path.clone(), source: error.into() })?;
    write_whole(&path, &bytes, Existing::Replaced)?;
    Ok(path)
}

/// Writes what the store does not take into the first of the folders that everybody may write to; `None` where none takes it.
fn elsewhere(mut write: impl FnMut(&Path) -> Result<PathBuf, WriteFileError>) -> Option<PathBuf> {
    // The current one comes last: it may be the volume that was under trial.
    [std::env::temp_dir(), PathBuf::from(".")].iter().find_map(|folder| write(folder).ok())
}

/// Makes the folder of a store, and those above it, for this user alone: records name hosts, disks and paths.
fn make_folder(place: &Path) -> io::Result<()> {
    os::make_private_folder(place)
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
    list_where(folder, |name| Kind::of_file_name(name).is_some_and(|kind| kinds.contains(&kind)))
}

fn list_where(folder: &Path, is_wanted: impl Fn(&OsStr) -> bool) -> Result<Vec<PathBuf>, StoreError> {
    let failure = |source| StoreError::List { folder: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failure)? {
        let entry = entry.map_err(failure)?;
        if is_wanted(&entry.file_name()) {
            files.push(entry.path());
        }
    }
    // The order of a folder is anybody's; by name it is that of the ids, which begin with the time.
    files.sort();
    Ok(files)
}

/// `$XDG_DATA_HOME/iotrial` or `~/.local/share/iotrial`; `%LOCALAPPDATA%\iotrial` on Windows.
fn default_folder() -> Option<PathBuf> {
    os::data_folder().map(|data| data.join("iotrial"))
}

#[cfg(test)]
mod tests;
