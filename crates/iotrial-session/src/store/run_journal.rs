//! The journal of a run that goes on: what a crash leaves of it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use iotrial_model::journal;
use iotrial_model::record::{Interval, RunRecord};

use super::StoreError;
use super::kind::Kind;
use crate::atomic_file::{AtomicFile, Durability, Existing};

/// The journal of a run that goes on; locked, so that nobody takes it for a left-over.
pub struct JournalWriter {
    path: PathBuf,
    file: File,
}

impl JournalWriter {
    /// Begins the journal of a run with what is known before the load.
    pub(super) fn begin(folder: &Path, record: &RunRecord) -> Result<Self, StoreError> {
        let path = Kind::Journal.path(folder, &record.id);
        let begin = || -> io::Result<File> {
            let mut new = AtomicFile::begin(folder)?;
            // It appears under its name only when it is locked and has its first line: between a name and a lock, another iotrial
            // would take it for a left-over, and one without its first line would be put aside as spoilt.
            new.as_file().lock()?;
            new.write_all(&journal::record_line(record)?)?;
            // Nobody else has this id.
            new.place(&path, Existing::Replaced, Durability::AtOnce)
        };
        let file = begin().map_err(|source| StoreError::Journal { path: path.clone(), source })?;
        Ok(Self { path, file })
    }

    /// Appends the record as far as it is known now, and brings it to the disk.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn record(&mut self, record: &RunRecord) -> Result<(), StoreError> {
        let line = journal::record_line(record).map_err(io::Error::from);
        // The content alone: that the file has grown is a part of it, and when it was changed is of no use to anybody.
        let written = line.and_then(|line| self.file.write_all(&line)).and_then(|()| self.file.sync_data());
        written.map_err(|source| self.failure(source))
    }

    /// Appends an interval. It is left to the operating system when that reaches the disk: a flush would be
    /// load on the device under trial.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn interval(&mut self, interval: &Interval) -> Result<(), StoreError> {
        let line = journal::interval_line(interval).map_err(io::Error::from);
        line.and_then(|line| self.file.write_all(&line)).map_err(|source| self.failure(source))
    }

    /// Removes the journal: its run is recorded, or never began.
    ///
    /// # Errors
    ///
    /// When it cannot be removed.
    pub(crate) fn discard(self) -> io::Result<()> {
        fs::remove_file(self.path)
    }

    fn failure(&self, source: io::Error) -> StoreError {
        StoreError::Journal { path: self.path.clone(), source }
    }
}
