//! Records read from files, which may be a stranger's.

use std::path::{Path, PathBuf};

use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::content::Checksum;
use iotrial_model::imported::{IMPORTED_FORMAT, ImportedRecord};
use iotrial_model::record::{RECORD_FORMAT, RecordLimit, RunRecord};
use iotrial_model::sweep::{SWEEP_FORMAT, SweepRecord};
use iotrial_model::wide_text::in_plain_utf8;
use ruzstd::decoding::StreamingDecoder;

use super::kind::Kind;
use crate::bounded_file::{Pipes, ReadFileError, read_bytes, read_to_end_within};
use crate::fault::Fault;
use iotrial_model::foreign_text::harmless;

/// The largest record or journal that is read, in bytes: packed, and again unpacked.
// A choice: all of it is in memory at once, and a packed file of a stranger may be a thousand times larger than it looks.
pub const MOST_RECORD_BYTES: u64 = 256 << 20;

/// The most JSON objects of a record that is read.
// More than any run makes. Each takes far more memory than bytes in a file: `{},` has three, and becomes dozens.
const MOST_OBJECTS: usize = 4_000_000;

/// What a record may have when it is written, so that it can be read again.
pub(crate) const READABLE: RecordLimit = RecordLimit {
    // Its findings come after it was measured, and a label may be added later: room for both.
    bytes: MOST_RECORD_BYTES - (1 << 20),
    objects: MOST_OBJECTS as u64 - (1 << 16),
};

/// What of a record is looked at to tell what it is: iotrial writes the format first.
const HEAD_BYTES: usize = 64;

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Why a file is no record that can be read.
#[derive(Debug, thiserror::Error)]
#[error("`{}` is not {what} that can be read", path.display())]
pub struct ReadRecordError {
    path: PathBuf,
    /// What it should be, with its article: `a record`, `a journal of a study`.
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
    /// It is no file that can be read, or is beyond [`MOST_RECORD_BYTES`], packed or unpacked.
    #[error(transparent)]
    File(#[from] ReadFileError),
    /// The compression is broken.
    #[error(transparent)]
    Packed(#[from] ruzstd::decoding::errors::FrameDecoderError),
    /// Something changed it since it was packed: its checksum is that of another text.
    #[error("it is damaged: its checksum does not match its content")]
    Damaged,
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
    reading(path, "a record", || {
        let text = read_unpacked(path)?;
        // By what it says of itself, and before it is read as a run: the first key that is missing in it would be no help.
        if says(&text, Kind::Sweep.format()) {
            return Err(Unreadable::Sweep);
        }
        record_of(&text, is_called_journal(path))
    })
}

/// The record in the text of its file, or in that of the journal that a crash left.
///
/// # Errors
///
/// When it cannot be understood, or contradicts itself.
pub fn record_of(text: &[u8], is_journal: bool) -> Result<RunRecord, Unreadable> {
    check_objects(text)?;
    let mut record: RunRecord =
        if is_journal { RunRecord::from_journal(text)? } else { serde_json::from_slice(text)? };
    check_format(&record.format, RECORD_FORMAT)?;
    record.check().map_err(|error| Unreadable::Check(error.into()))?;
    if !is_journal {
        record.checksum = Checksum::check(text)?;
    }
    // A set that is no longer valid limits nothing that could be called by its name.
    if let Some(search) = &mut record.search
        && let Ok(set) = ThresholdSet::parse(&record.thresholds)
    {
        search.limit_differs = set.falsely_named_as().is_some();
    }
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
    reading(path, "a record of a sweep", || sweep_of(&read_unpacked(path)?))
}

/// The record of a sweep in the text of its file.
///
/// # Errors
///
/// When it cannot be understood, or contradicts itself.
pub fn sweep_of(text: &[u8]) -> Result<SweepRecord, Unreadable> {
    check_objects(text)?;
    let mut record: SweepRecord = serde_json::from_slice(text)?;
    check_format(&record.format, SWEEP_FORMAT)?;
    record.check().map_err(|error| Unreadable::Check(error.into()))?;
    record.checksum = Checksum::check(text)?;
    Ok(record)
}

/// Reads an imported record.
///
/// # Errors
///
/// When it cannot be read or understood, or contradicts itself.
pub(super) fn read_imported(path: &Path) -> Result<ImportedRecord, ReadRecordError> {
    reading(path, "an imported record", || imported_of(&read_unpacked(path)?))
}

/// The imported record in the text of its file.
///
/// # Errors
///
/// When it cannot be understood, or contradicts itself.
pub fn imported_of(text: &[u8]) -> Result<ImportedRecord, Unreadable> {
    check_objects(text)?;
    let mut record: ImportedRecord = serde_json::from_slice(text)?;
    check_format(&record.format, IMPORTED_FORMAT)?;
    record.check().map_err(|error| Unreadable::Check(error.into()))?;
    record.checksum = Checksum::check(text)?;
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

/// Whether the beginning of a record contains a word.
fn says(text: &[u8], word: &str) -> bool {
    String::from_utf8_lossy(&text[..text.len().min(HEAD_BYTES)]).contains(word)
}

/// A stranger's file, unpacked, within what is read at all.
pub(super) fn read_unpacked(path: &Path) -> Result<Vec<u8>, Unreadable> {
    read_stored(path).map(|stored| stored.text)
}

/// What the file of a record holds.
pub(super) struct Stored {
    /// The record, unpacked and in UTF-8.
    pub(super) text: Vec<u8>,
    /// Whether it lies there packed.
    pub(super) is_packed: bool,
}

/// The same, for whoever writes the file again in the form that it has.
pub(super) fn read_stored(path: &Path) -> Result<Stored, Unreadable> {
    // Nothing of a store is a pipe. One that lies in its folder all the same would keep every list of it waiting.
    let bytes = read_bytes(path, Pipes::Refused, MOST_RECORD_BYTES)?;
    // By the first bytes and not by the name, which anybody may have changed.
    if !bytes.starts_with(&ZSTD_MAGIC) {
        return Ok(Stored { text: in_utf8(bytes)?, is_packed: false });
    }
    let mut text = Vec::new();
    let mut decoder = StreamingDecoder::new(bytes.as_slice())?;
    // The length that a packed file states is the word of a stranger: what comes out is counted.
    read_to_end_within(&mut decoder, None, MOST_RECORD_BYTES, &mut text)?;
    // The unpacker leaves this to whoever unpacks. A flipped bit mostly unpacks to another text that is as valid, with another figure in it.
    let frame = &decoder.decoder;
    if frame.get_checksum_from_data().is_some_and(|stated| frame.get_calculated_checksum() != Some(stated)) {
        return Err(Unreadable::Damaged);
    }
    Ok(Stored { text: in_utf8(text)?, is_packed: true })
}

/// A record that went through a shell or an editor of Windows may be in UTF-16, or have a mark, and is the same record.
fn in_utf8(text: Vec<u8>) -> Result<Vec<u8>, Unreadable> {
    let text = in_plain_utf8(text.into()).map_err(|_| ReadFileError::NotText)?;
    Ok(text.into_owned())
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
