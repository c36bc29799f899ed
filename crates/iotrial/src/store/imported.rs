//! Imported results in a folder: written once, because their names follow from what they hold.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use iotrial_model::imported::{IMPORTED_FORMAT, ImportedRecord};
use tempfile::NamedTempFile;

use super::packed::packed;
use super::{
    COMPRESS_ABOVE_BYTES, COMPRESSED_IMPORTED_SUFFIX, Entry, IMPORTED_SUFFIX, ZSTD_MAGIC, check_format,
    check_objects, head_contains, read_bytes,
};

/// Where a record is, and whether it came only now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its file.
    pub path: PathBuf,
    /// Whether it was not there before.
    pub is_new: bool,
}

/// Whether a file holds an imported result: by what it says of itself.
pub(super) fn is_imported(path: &Path) -> bool {
    head_contains(path, "iotrial.imported/")
}

/// Writes a record into a folder, unless it is there already. It appears under its name only when it is whole. Nothing waits for
/// the disk: after a power failure the import is made again, which finds what is missing.
pub fn keep_imported(folder: &Path, record: &ImportedRecord) -> anyhow::Result<Kept> {
    let mut bytes = serde_json::to_vec(record)?;
    bytes.push(b'\n');
    let is_large = bytes.len() > COMPRESS_ABOVE_BYTES;
    let suffix = if is_large { COMPRESSED_IMPORTED_SUFFIX } else { IMPORTED_SUFFIX };
    let path = folder.join(format!("{}{suffix}", record.id));
    if is_whole(&path) {
        return Ok(Kept { path, is_new: false });
    }
    let write = || -> std::io::Result<()> {
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
    write().with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(Kept { path, is_new: true })
}

/// Whether the file is there with its last line, or packed.
fn is_whole(path: &Path) -> bool {
    let look = || -> std::io::Result<bool> {
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

/// Reads an imported record.
pub(super) fn read_imported(path: &Path) -> anyhow::Result<ImportedRecord> {
    let read = || imported_of(&read_bytes(path)?);
    read().with_context(|| format!("`{}` is no imported record that can be read", path.display()))
}

/// The imported record in the text of its file.
pub fn imported_of(text: &[u8]) -> anyhow::Result<ImportedRecord> {
    check_objects(text)?;
    let record: ImportedRecord = serde_json::from_slice(text)?;
    check_format(&record.format, IMPORTED_FORMAT)?;
    record.check()?;
    Ok(record)
}

impl Entry {
    /// What the index knows of an imported result.
    pub(super) fn of_imported(record: &ImportedRecord, path: &Path) -> Self {
        let mut targets: Vec<&str> =
            record.jobs.iter().flat_map(|job| &job.load.targets).map(String::as_str).collect();
        targets.dedup();
        let has_failed = record.jobs.iter().any(|job| job.error.is_some());
        Self {
            id: record.id.clone(),
            path: path.to_owned(),
            started_at: record.measured_at.clone().unwrap_or_default(),
            profile: record.source.kind.as_str().to_owned(),
            label: record.label.clone(),
            targets: targets.join(", "),
            ended: if has_failed { "failed" } else { "complete" }.to_owned(),
        }
    }
}
