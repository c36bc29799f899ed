//! A file as it is: opened once, and never read beyond a limit.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;

use iotrial_import::counters::{MOST_LOG_BYTES, looks_like_perfmon};
use iotrial_import::{HEAD_BYTES, ImportError, MOST_BYTES, head_of, refusal_of_large, text_of, unpack_text};
use iotrial_session::bounded_file::{OpenedFile, Pipes, ReadFileError, open_to_read, read_to_end_within};
use iotrial_session::read_files;
use iotrial_session::store::MOST_RECORD_BYTES;

use super::archive;

/// Stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// What stands in a file.
pub struct Whole {
    /// As they lie there, packed or not.
    pub bytes: Vec<u8>,
    /// The beginning, unpacked and in UTF-8.
    pub head: Vec<u8>,
}

impl Whole {
    /// All of it, unpacked and in UTF-8, whatever encoding a shell of Windows redirected it in.
    pub fn unpacked(&self) -> Result<Cow<'_, [u8]>, ImportError> {
        unpack_text(&self.bytes, most_record_bytes())
    }
}

/// Why nothing could be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is no file, or cannot be opened.
    #[error(transparent)]
    File(#[from] ReadFileError),
    /// It is beyond the limit, or no text.
    #[error(transparent)]
    Content(#[from] ImportError),
}

impl ReadError {
    /// What the reader can do.
    pub fn hint(&self, name: &str) -> Option<String> {
        match self {
            Self::File(ReadFileError::Device) => {
                Some(format!("`iotrial target {name}` shows a block device; `-` is standard input"))
            }
            Self::File(_) => None,
            Self::Content(error) => error.hint().map(str::to_owned),
        }
    }
}

/// Reads a file, or standard input.
pub fn read(path: &Path) -> Result<Whole, ReadError> {
    // A file of that name can be given as `./-`, as everywhere.
    if path == Path::new(STANDARD_INPUT) {
        read_files::note_standard_input();
        return read_from(io::stdin().lock(), None);
    }
    if let Some(content) = archive::content(path) {
        return read_from(content.as_slice(), Some(content.len() as u64));
    }
    let OpenedFile { file, length } = open_to_read(path, Pipes::Read)?;
    read_from(file, length)
}

/// The head is looked at before the rest is read: how much may follow depends on what it is, and a file that is too large is
/// refused without reading it.
fn read_from(mut source: impl Read, length: Option<u64>) -> Result<Whole, ReadError> {
    let mut bytes = Vec::new();
    source.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut bytes).map_err(ReadFileError::Io)?;
    let head = head_of(&bytes);
    // Only records of iotrial, which are JSON, and logs of PerfMon are that large.
    let is_json = head.trim_ascii_start().first() == Some(&b'{');
    let is_log = looks_like_perfmon(&head);
    let most = match (is_json, is_log) {
        (true, _) => most_record_bytes(),
        (false, true) => MOST_LOG_BYTES,
        (false, false) => MOST_BYTES,
    };
    match read_to_end_within(source, length, most as u64, &mut bytes) {
        Ok(()) => Ok(Whole { bytes, head }),
        Err(ReadFileError::TooLarge { .. }) if is_json || is_log => {
            Err(ImportError::TooLarge { most_mib: most >> 20 }.into())
        }
        Err(ReadFileError::TooLarge { .. }) => Err(refusal_of_large(&bytes).into()),
        Err(error) => Err(error.into()),
    }
}

fn most_record_bytes() -> usize {
    usize::try_from(MOST_RECORD_BYTES).unwrap_or(usize::MAX)
}

/// The text of a file that another file names. It may be a stranger who wrote the name, so that no pipe is waited for.
pub fn named_text(path: &Path) -> Result<String, ReadError> {
    let OpenedFile { file, length } = open_to_read(path, Pipes::Refused)?;
    Ok(text_of(&read_from(file, length)?.bytes)?)
}

/// The text of a file that a person wrote, or of standard input.
pub fn text(path: &Path) -> Result<String, ReadError> {
    Ok(text_of(&read(path)?.bytes)?)
}
