//! Records read from files, which may be a stranger's.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use iotrial_model::imported::{IMPORTED_FORMAT, ImportedRecord};
use iotrial_model::record::{RECORD_FORMAT, RunRecord};
use iotrial_model::sweep::{SWEEP_FORMAT, SweepRecord};
use ruzstd::decoding::StreamingDecoder;

use super::kind::Kind;
use crate::fault::Fault;
use crate::harmless;

/// A stranger's file beyond this, packed or unpacked, is not read.
pub const MOST_RECORD_BYTES: u64 = 256 << 20;

/// More objects than any run makes; each takes far more memory than it takes bytes in a file.
const MOST_OBJECTS: usize = 4_000_000;

pub(super) const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Why a file is no record that can be read.
#[derive(Debug, thiserror::Error)]
#[error("`{}` is no {what} that can be read", path.display())]
pub struct ReadRecordError {
    path: PathBuf,
    /// Such as `record`.
    what: &'static str,
    #[source]
    why: Unreadable,
}

/// What is wrong with a record.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// A sweep where a run is wanted.
    #[error("it is the record of a sweep, which `iotrial report` shows")]
    Sweep,
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The compression is broken.
    #[error(transparent)]
    Packed(#[from] ruzstd::decoding::errors::FrameDecoderError),
    /// It is not JSON, or a key has a value that it cannot have.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The journal of a run is broken at its beginning.
    #[error(transparent)]
    Journal(#[from] iotrial_model::journal::JournalError),
    /// It is something else, or of a later major version.
    #[error("its format is `{found}`, not `{expected}`")]
    Format {
        /// What it says of itself.
        found: String,
        /// What it would have to say.
        expected: &'static str,
    },
    /// It contradicts itself.
    #[error(transparent)]
    Check(Box<dyn std::error::Error + Send + Sync>),
    /// Beyond [`MOST_RECORD_BYTES`], packed or unpacked.
    #[error("it is larger than {} MiB", MOST_RECORD_BYTES >> 20)]
    TooLarge,
    /// Making them would take more memory than any record needs.
    #[error("it has more than {MOST_OBJECTS} JSON objects")]
    TooManyObjects,
}

impl Fault for ReadRecordError {
    fn is_of_input(&self) -> bool {
        true
    }
}

/// Reads a record in any of its forms: plain, compressed, or the journal that a crash left.
///
/// # Errors
///
/// When it cannot be read or understood, or contradicts itself.
pub fn read_record(path: &Path) -> Result<RunRecord, ReadRecordError> {
    reading(path, "record", || {
        if is_sweep(path) {
            return Err(Unreadable::Sweep);
        }
        record_of(&read_bytes(path)?, is_called_journal(path))
    })
}

/// The record in the text of its file, or in that of the journal that a crash left.
///
/// # Errors
///
/// When it cannot be understood, or contradicts itself.
pub fn record_of(text: &[u8], is_journal: bool) -> Result<RunRecord, Unreadable> {
    check_objects(text)?;
    let record: RunRecord =
        if is_journal { RunRecord::from_journal(text)? } else { serde_json::from_slice(text)? };
    check_format(&record.format, RECORD_FORMAT)?;
    record.check().map_err(|error| Unreadable::Check(error.into()))?;
    Ok(record)
}

/// Whether the name is that of a journal: the first line alone is one, and a record as well.
pub fn is_called_journal(path: &Path) -> bool {
    Kind::of_name(path) == Some(Kind::Journal)
}

/// Whether the name is one that iotrial gives to a result, so that a damaged one is reported as such.
pub fn is_called_record(path: &Path) -> bool {
    matches!(Kind::of_name(path), Some(Kind::Run | Kind::Journal | Kind::Sweep | Kind::Imported))
}

/// Reads the record of a sweep.
///
/// # Errors
///
/// When it cannot be read or understood, or contradicts itself.
pub(super) fn read_sweep(path: &Path) -> Result<SweepRecord, ReadRecordError> {
    reading(path, "record of a sweep", || sweep_of(&read_bytes(path)?))
}

/// The record of a sweep in the text of its file.
///
/// # Errors
///
/// When it cannot be understood, or contradicts itself.
pub fn sweep_of(text: &[u8]) -> Result<SweepRecord, Unreadable> {
    check_objects(text)?;
    let record: SweepRecord = serde_json::from_slice(text)?;
    check_format(&record.format, SWEEP_FORMAT)?;
    record.check().map_err(|error| Unreadable::Check(error.into()))?;
    Ok(record)
}

/// Reads an imported record.
///
/// # Errors
///
/// When it cannot be read or understood, or contradicts itself.
pub(super) fn read_imported(path: &Path) -> Result<ImportedRecord, ReadRecordError> {
    reading(path, "imported record", || imported_of(&read_bytes(path)?))
}

/// The imported record in the text of its file.
///
/// # Errors
///
/// When it cannot be understood, or contradicts itself.
pub fn imported_of(text: &[u8]) -> Result<ImportedRecord, Unreadable> {
    check_objects(text)?;
    let record: ImportedRecord = serde_json::from_slice(text)?;
    check_format(&record.format, IMPORTED_FORMAT)?;
    record.check().map_err(|error| Unreadable::Check(error.into()))?;
    Ok(record)
}

pub(super) fn reading<R>(
    path: &Path,
    what: &'static str,
    read: impl FnOnce() -> Result<R, Unreadable>,
) -> Result<R, ReadRecordError> {
    read().map_err(|why| ReadRecordError { path: path.to_owned(), what, why })
}

fn check_format(found: &str, expected: &'static str) -> Result<(), Unreadable> {
    if found == expected { Ok(()) } else { Err(Unreadable::Format { found: harmless(found), expected }) }
}

/// Whether a file holds the record of a sweep rather than that of a run: by what it says of itself.
fn is_sweep(path: &Path) -> bool {
    head_contains(path, Kind::Sweep.format())
}

/// Whether the first bytes of a file, unpacked, contain a word.
fn head_contains(path: &Path, word: &str) -> bool {
    let read = || -> Result<Vec<u8>, Unreadable> {
        let mut head = Vec::new();
        File::open(path)?.take(64).read_to_end(&mut head)?;
        if head.starts_with(&ZSTD_MAGIC) {
            head.clear();
            StreamingDecoder::new(File::open(path)?)?.take(64).read_to_end(&mut head)?;
        }
        Ok(head)
    };
    read().is_ok_and(|head| String::from_utf8_lossy(&head).contains(word))
}

/// A stranger's file, unpacked, within what is read at all.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, Unreadable> {
    let file = File::open(path)?;
    // A pipe has no length, and one byte more than the file has shows its end.
    let length = file.metadata().map_or(0, |metadata| metadata.len().min(MOST_RECORD_BYTES) + 1);
    let bytes = read_limited(file, length)?;
    let is_compressed = bytes.starts_with(&ZSTD_MAGIC);
    if is_compressed { read_limited(StreamingDecoder::new(bytes.as_slice())?, 0) } else { Ok(bytes) }
}

/// Counted before anything is made of them: braces are counted in a millisecond, and objects take the memory.
fn check_objects(text: &[u8]) -> Result<(), Unreadable> {
    let object_count = text.chunks(255).map(count_of_objects).sum::<usize>();
    if object_count > MOST_OBJECTS { Err(Unreadable::TooManyObjects) } else { Ok(()) }
}

/// In a chunk of at most 255 bytes, so that the count fits a byte: the processor then looks at many at once.
fn count_of_objects(chunk: &[u8]) -> usize {
    chunk.iter().fold(0u8, |count, byte| count.wrapping_add(u8::from(*byte == b'{'))).into()
}

/// `length` is what is expected.
pub(super) fn read_limited(source: impl Read, length: u64) -> Result<Vec<u8>, Unreadable> {
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    source.take(MOST_RECORD_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_RECORD_BYTES { Err(Unreadable::TooLarge) } else { Ok(bytes) }
}
