//! The journal of a run that goes on: what a crash leaves of it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use iotrial_model::journal;
use iotrial_model::record::{Interval, RecordLimit, RunRecord};

use super::StoreError;
use super::kind::Kind;
use super::read::READABLE;
use crate::atomic_file::{AtomicFile, Durability, Existing};

/// The journal of a run that goes on; locked, so that nobody takes it for a left-over.
pub struct JournalWriter {
    path: PathBuf,
    file: File,
    /// How much more it may hold, so that it can be read after a crash.
    room: RecordLimit,
    /// A line could not be written, or there is no more room. What would follow it belongs to nothing, so that nothing follows.
    is_cut_off: bool,
}

impl JournalWriter {
    /// Begins the journal of a run with what is known before the load.
    pub(super) fn begin(folder: &Path, record: &RunRecord) -> Result<Self, StoreError> {
        let path = Kind::Journal.path(folder, &record.id);
        let begin = || -> io::Result<(File, RecordLimit)> {
            let mut new = AtomicFile::begin(folder)?;
            // It appears under its name only when it is locked and has its first line: between a name and a lock, another iotrial
            // would take it for a left-over, and one without its first line would be put aside as spoilt.
            new.as_file().lock()?;
            let line = journal::record_line(record)?;
            new.write_all(&line)?;
            // Nobody else has this id.
            Ok((new.place(&path, Existing::Replaced, Durability::AtOnce)?, READABLE.without(&line)))
        };
        let (file, room) = begin().map_err(|source| StoreError::Journal { path: path.clone(), source })?;
        Ok(Self { path, file, room, is_cut_off: false })
    }

    /// Appends the record as far as it is known now, and brings it to the disk.
    ///
    /// # Errors
    ///
    /// When it cannot be written. Later lines are then left out without another error.
    pub fn record(&mut self, record: &RunRecord) -> Result<(), StoreError> {
        self.append(|| journal::record_line(record))?;
        // The content alone: that the file has grown is a part of it, and when it was changed is of no use to anybody.
        self.file.sync_data().map_err(|source| self.failure(source))
    }

    /// Appends an interval. It is left to the operating system when that reaches the disk: a flush would be
    /// load on the device under trial.
    ///
    /// # Errors
    ///
    /// As above.
    pub fn interval(&mut self, interval: &Interval) -> Result<(), StoreError> {
        self.append(|| journal::interval_line(interval))
    }

    /// Appends a line; after one that could not be written, or would be beyond what is read, none. A journal that nothing reads keeps
    /// nothing of a run that is killed, and one that ends early all but its end.
    fn append(&mut self, line: impl FnOnce() -> serde_json::Result<Vec<u8>>) -> Result<(), StoreError> {
        if self.is_cut_off {
            return Ok(());
        }
        let line = line().map_err(|error| self.failure(error.into()))?;
        self.room = self.room.without(&line);
        if self.room.bytes == 0 || self.room.objects == 0 {
            self.is_cut_off = true;
            return Ok(());
        }
        let written = self.file.write_all(&line);
        self.is_cut_off = written.is_err();
        written.map_err(|source| self.failure(source))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
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

#[cfg(test)]
impl JournalWriter {
    /// With less room than there is.
    pub(super) fn with_room(mut self, bytes: u64) -> Self {
        self.room.bytes = bytes;
        self
    }
}
