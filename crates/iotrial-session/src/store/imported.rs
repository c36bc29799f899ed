//! Imported results in a folder: written once, because their names follow from what they hold.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use iotrial_model::imported::ImportedRecord;

use super::COMPRESS_ABOVE_BYTES;
use super::checksum::text_of;
use super::kind::Kind;
use super::packed::packed;
use super::read::read_unpacked;
use crate::atomic_file::{AtomicFile, Durability, Existing, WriteFileError};

/// Where a record is, and whether it came only now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The file of the record, packed where it is large.
    pub path: PathBuf,
    /// Whether it was written now; false where an earlier import left it there.
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
    let bytes =
        text_of(record).map_err(|error| WriteFileError { path: plain.clone(), source: error.into() })?;
    // Serialised in memory, other than a run: its size decides its name, and its reader had all of it in memory a moment ago.
    let is_large = bytes.len() > COMPRESS_ABOVE_BYTES;
    let path = if is_large { Kind::Imported.packed_path(folder, &record.id) } else { plain };
    // What is there is not written again, even where this version would write other bytes: the id follows from the content of the
    // foreign file, so it is the same result, and a newer version may have kept more of it.
    if is_whole(&path) {
        return Ok(Kept { path, is_new: false });
    }
    let write = || -> io::Result<()> {
        let file = if is_large {
            packed(bytes.as_slice(), folder)?
        } else {
            let mut file = AtomicFile::begin(folder)?;
            file.write_all(&bytes)?;
            file
        };
        // Replaced, because a file that is there is one that a power failure cut off. Two imports of the same result at once write
        // the same bytes.
        file.place(&path, Existing::Replaced, Durability::Later)?;
        Ok(())
    };
    write().map_err(|source| WriteFileError { path: path.clone(), source })?;
    Ok(Kept { path, is_new: true })
}

/// Whether the file is there to its last line.
fn is_whole(path: &Path) -> bool {
    // All of it and not only its ends: a power failure may leave a packed file with its head and zeros behind it.
    read_unpacked(path).is_ok_and(|text| text.starts_with(b"{") && text.ends_with(b"\n"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::fs;

    use super::*;

    fn record(option_count: usize) -> ImportedRecord {
        let record = serde_json::json!({
            "format": iotrial_model::imported::IMPORTED_FORMAT,
            "id": "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
            "label": "x".repeat(option_count),
            "source": {
                "kind": "fio-json", "tool": "fio", "file": "a.json", "place": "jobs[0]", "sha256": "", "read_by": "a test",
            },
        });
        serde_json::from_value(record).unwrap()
    }

    #[test]
    fn what_a_power_failure_left_of_an_import_is_written_again_and_what_is_whole_is_not() {
        for record in [record(10), record(2 * COMPRESS_ABOVE_BYTES)] {
            let folder = tempfile::tempdir().unwrap();
            let keep = || keep_imported(folder.path(), &record).unwrap();
            let first = keep();
            let whole = fs::read(&first.path).unwrap();
            assert!(first.is_new && !keep().is_new);
            let cut = [&whole[..whole.len() / 2], &vec![0; whole.len() / 2]].concat();
            for left in [Vec::new(), whole[..whole.len() - 1].to_vec(), cut] {
                fs::write(&first.path, left).unwrap();
                assert!(keep().is_new);
                assert_eq!(fs::read(&first.path).unwrap(), whole);
            }
        }
    }
}
