//! Imported results in a folder: written once, because their names follow from what they hold.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use iotrial_model::imported::ImportedRecord;
use tempfile::NamedTempFile;

use super::COMPRESS_ABOVE_BYTES;
use super::kind::Kind;
use super::packed::packed;
use super::read::ZSTD_MAGIC;
use crate::atomic_file::WriteFileError;

/// Where a record is, and whether it came only now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its file.
    pub path: PathBuf,
    /// Whether it was not there before.
    pub is_new: bool,
}

/// Writes a record into a folder, unless it is there already. It appears under its name only when it is whole. Nothing waits for
/// the disk: after a power failure the import is made again, which finds what is missing.
///
/// # Errors
///
/// When it cannot be written.
pub fn keep_imported(folder: &Path, record: &ImportedRecord) -> Result<Kept, WriteFileError> {
    let plain = Kind::Imported.path(folder, &record.id);
    let mut bytes = serde_json::to_vec(record)
        .map_err(|error| WriteFileError { path: plain.clone(), source: error.into() })?;
    bytes.push(b'\n');
    let is_large = bytes.len() > COMPRESS_ABOVE_BYTES;
    let path = if is_large { Kind::Imported.packed_path(folder, &record.id) } else { plain };
    if is_whole(&path) {
        return Ok(Kept { path, is_new: false });
    }
    let write = || -> io::Result<()> {
        let file = if is_large {
            packed(bytes.as_slice(), folder)?
        } else {
            let mut file = NamedTempFile::new_in(folder)?;
            file.write_all(&bytes)?;
            file
        };
        file.persist(&path)?;
        Ok(())
    };
    write().map_err(|source| WriteFileError { path: path.clone(), source })?;
    Ok(Kept { path, is_new: true })
}

/// Whether the file is there with its last line, or packed.
fn is_whole(path: &Path) -> bool {
    let look = || -> io::Result<bool> {
        let mut file = File::open(path)?;
        let mut head = [0; 4];
        file.read_exact(&mut head)?;
        let mut last = [0; 1];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        Ok(head == ZSTD_MAGIC || (head[0] == b'{' && last == *b"\n"))
    };
    look().unwrap_or(false)
}
