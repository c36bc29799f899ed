//! The journal of a study as a file of the store: locked while it is written, each line on the disk before what it announces.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::PathBuf;

use anyhow::Context;
use iotrial_model::record::EndedHow;
use iotrial_model::study::{Cell, CellEnd, JOURNAL_FORMAT, JournalLine, Progress, Study};
use ulid::Ulid;

use crate::failure::Failure;
use crate::store::{Store, read_record, sync_folder};

const SUFFIX: &str = ".iotrial.study";

/// A journal that only this program writes.
pub struct StudyJournal {
    path: PathBuf,
    file: File,
    progress: Progress,
}

impl StudyJournal {
    /// How far a study came, whoever is carrying it out; `None` where it never began.
    pub fn look(store: &Store, study: &Study) -> Result<Option<Progress>, Failure> {
        let path = path_in(store, study);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read
                .with_context(|| format!("cannot read the journal `{}`", path.display()))
                .map_err(Failure::execution)?,
        };
        Ok(read(&path, &bytes)?.map(|(progress, _)| progress))
    }

    /// Opens the journal of a study that began earlier, for this program alone.
    pub fn open(store: &Store, study: &Study) -> Result<Option<Self>, Failure> {
        let path = path_in(store, study);
        let Some(mut file) = lock(&path, study)? else { return Ok(None) };
        let mut bytes = Vec::new();
        let read_all = std::io::Read::read_to_end(&mut file, &mut bytes);
        read_all
            .with_context(|| format!("cannot read the journal `{}`", path.display()))
            .map_err(Failure::execution)?;
        let Some((progress, whole)) = read(&path, &bytes)? else {
            let error = anyhow::anyhow!("the journal `{}` holds no study", path.display());
            return Err(Failure::execution(error).hint(ASIDE.to_owned()));
        };
        // What a crash left of a last line must not spoil the next one.
        file.set_len(whole as u64)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .with_context(|| format!("cannot write the journal `{}`", path.display()))
            .map_err(Failure::execution)?;
        Ok(Some(Self { path, file, progress }))
    }

    /// Begins the journal of a study. It appears under its name only when it is locked and has its first line.
    pub fn create(store: &Store, study: &Study) -> Result<Self, Failure> {
        let path = path_in(store, study);
        let (id, at) = (Ulid::generate().to_string(), jiff::Timestamp::now().to_string());
        let create = || -> anyhow::Result<File> {
            let mut new = tempfile::NamedTempFile::new_in(store.folder())?;
            new.write_all(&head(&id, &at, study).to_bytes())?;
            new.as_file().sync_all()?;
            new.as_file().lock()?;
            let file = new.persist_noclobber(&path)?;
            sync_folder(store.folder())?;
            Ok(file)
        };
        let file = create()
            .with_context(|| format!("cannot begin the journal `{}`", path.display()))
            .map_err(Failure::execution)?;
        Ok(Self { path, file, progress: Progress::new(id, at, study.clone()) })
    }

    /// Begins a study anew: its earlier journal is put under another name, and where that is. What was left attached is known
    /// to the new journal, too.
    pub fn restart(store: &Store, study: &Study) -> Result<(Self, Option<PathBuf>), Failure> {
        let path = path_in(store, study);
        let Some(mut earlier) = lock(&path, study)? else { return Ok((Self::create(store, study)?, None)) };
        let mut bytes = Vec::new();
        // A journal that cannot be read is put aside all the same.
        let progress = std::io::Read::read_to_end(&mut earlier, &mut bytes)
            .ok()
            .and_then(|_| Progress::read(&bytes).ok().flatten())
            .map(|(progress, _)| progress);
        let aside = store.folder().join(format!("{}.{}.old-study", study.name, Ulid::generate()));
        fs::rename(&path, &aside)
            .with_context(|| format!("cannot rename the journal `{}`", path.display()))
            .map_err(Failure::execution)?;
        let left =
            progress.as_ref().and_then(|progress| Some((progress.attached_form()?, progress.attached()?.0)));
        let journal = match left {
            None => Self::create(store, study)?,
            Some((form, label)) => {
                let mut journal = Self::create(store, form)?;
                journal.note(JournalLine::Attached { label: label.to_owned() })?;
                journal.accept(study)?;
                journal
            }
        };
        Ok((journal, Some(aside)))
    }

    /// How far the study came.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Whether the cell is measured.
    pub fn is_done(&self, cell: &Cell) -> bool {
        matches!(self.progress.end_of(cell), CellEnd::Done { .. })
    }

    /// The configuration that was left attached, and what detaches it.
    pub fn attached(&self) -> Option<(String, Option<String>)> {
        self.progress.attached().map(|(label, after)| (label.to_owned(), after.map(str::to_owned)))
    }

    /// The study goes on in another form.
    pub fn accept(&mut self, study: &Study) -> Result<(), Failure> {
        let at = jiff::Timestamp::now().to_string();
        let line = head(&self.progress.id.clone(), &at, study);
        self.write(&line)?;
        self.progress.accept(study.clone());
        Ok(())
    }

    /// Writes a line about a cell or a configuration, and brings it to the disk.
    pub fn note(&mut self, line: JournalLine) -> Result<(), Failure> {
        self.write(&line)?;
        self.progress.note(&line);
        Ok(())
    }

    /// Holds the journal against the store: a cell whose record was written before a crash kept the journal from saying so is
    /// done, and one whose record is gone is not.
    pub fn settle(&mut self, store: &Store) -> Result<(), Failure> {
        let paths = store.paths_by_id().map_err(Failure::execution)?;
        if let Some(begun) = self.progress.begun().cloned() {
            let record = paths.get(&begun.record).and_then(|path| read_record(path).ok());
            if record.is_some_and(|record| record.ended.how == EndedHow::Complete) {
                self.note(JournalLine::Done { cell: begun.cell, record: begun.record })?;
            }
        }
        for cell in self.progress.study().cells() {
            let CellEnd::Done { record } = self.progress.end_of(&cell) else { continue };
            if !paths.contains_key(record) {
                let reason = format!("its record {record} is no longer in the store");
                self.note(JournalLine::Failed { cell, reason, record: None })?;
            }
        }
        Ok(())
    }

    fn write(&mut self, line: &JournalLine) -> Result<(), Failure> {
        self.file
            .write_all(&line.to_bytes())
            .and_then(|()| self.file.sync_data())
            .with_context(|| format!("cannot write the journal `{}`", self.path.display()))
            .map_err(Failure::execution)
    }
}

const ASIDE: &str = "--restart puts it aside and begins anew; the records stay in the store";

/// Where the journal of a study lies.
pub fn path_in(store: &Store, study: &Study) -> PathBuf {
    store.folder().join(format!("{}{SUFFIX}", study.name))
}

fn head(id: &str, at: &str, study: &Study) -> JournalLine {
    JournalLine::Study {
        format: JOURNAL_FORMAT.to_owned(),
        id: id.to_owned(),
        at: at.to_owned(),
        text: study.to_toml(),
    }
}

fn read(path: &std::path::Path, bytes: &[u8]) -> Result<Option<(Progress, usize)>, Failure> {
    Progress::read(bytes)
        .with_context(|| format!("the journal `{}` cannot be read", path.display()))
        .map_err(|error| Failure::execution(error).hint(ASIDE.to_owned()))
}

/// The file, locked for this program; `None` where there is none.
fn lock(path: &std::path::Path, study: &Study) -> Result<Option<File>, Failure> {
    let file = match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened
            .with_context(|| format!("cannot open the journal `{}`", path.display()))
            .map_err(Failure::execution)?,
    };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => {
            let error = anyhow::anyhow!("another iotrial is carrying out the study `{}`", study.name);
            Err(Failure::execution(error)
                .hint("--status shows how far it is; wait until it has ended".to_owned()))
        }
        Err(TryLockError::Error(error)) => Err(Failure::execution(
            anyhow::Error::new(error).context(format!("cannot lock the journal `{}`", path.display())),
        )),
    }
}
