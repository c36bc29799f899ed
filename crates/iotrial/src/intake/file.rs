//! A file as it is: opened once, and never read beyond a limit.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use iotrial_import::{HEAD_BYTES, ImportError, MOST_BYTES, head_of, refusal_of_large, text_of, unpack};
use iotrial_session::store::MOST_RECORD_BYTES;

/// Stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// What stands in a file.
pub struct Whole {
    /// As they lie there, packed or not.
    pub bytes: Vec<u8>,
    /// The beginning, unpacked.
    pub head: Vec<u8>,
}

impl Whole {
    /// All of it, unpacked.
    pub fn unpacked(&self) -> Result<Cow<'_, [u8]>, ImportError> {
        unpack(&self.bytes, most_record_bytes())
    }
}

/// Why nothing could be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The operating system refused.
    #[error("it cannot be opened")]
    Io(#[source] io::Error),
    #[error("it is a link that leads nowhere")]
    Link,
    #[error("it is a folder")]
    Folder,
    #[error("it is a device, not a file")]
    Device,
    /// It is beyond the limit, or no text.
    #[error(transparent)]
    Content(#[from] ImportError),
}

impl ReadError {
    /// What the reader can do.
    pub fn hint(&self, name: &str) -> Option<String> {
        match self {
            Self::Io(_) | Self::Link | Self::Folder => None,
            Self::Device => {
                Some(format!("`iotrial target {name}` shows a block device; `-` is standard input"))
            }
            Self::Content(error) => error.hint().map(str::to_owned),
        }
    }
}

/// Reads a file, or standard input.
pub fn read(path: &Path) -> Result<Whole, ReadError> {
    // A file of that name can be given as `./-`, as everywhere.
    if path == Path::new(STANDARD_INPUT) {
        return read_from(io::stdin().lock(), None);
    }
    let metadata = path.metadata().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if path.is_symlink() => ReadError::Link,
        _ => ReadError::Io(error),
    })?;
    if metadata.is_dir() {
        return Err(ReadError::Folder);
    }
    // Opening a device may already do something, and one like /dev/zero never ends.
    if is_device(&metadata) {
        return Err(ReadError::Device);
    }
    let file = File::open(path).map_err(ReadError::Io)?;
    // A pipe has no length.
    let length = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
    read_from(file, length)
}

/// The head is looked at before the rest is read: how much may follow depends on what it is, and a file that is too large is
/// refused without reading it.
fn read_from(mut source: impl Read, length: Option<u64>) -> Result<Whole, ReadError> {
    let mut bytes = Vec::new();
    source.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    let head = head_of(&bytes);
    // Only records of iotrial, which are JSON, are that large.
    let is_json = head.trim_ascii_start().first() == Some(&b'{');
    let most = if is_json { most_record_bytes() } else { MOST_BYTES };
    let refusal = |bytes: &[u8]| match is_json {
        true => ImportError::TooLarge { most_mib: most >> 20 },
        false => refusal_of_large(bytes),
    };
    if length.is_some_and(|length| length > most as u64) {
        return Err(refusal(&bytes).into());
    }
    // One byte more than the file has shows its end.
    let length = length.and_then(|length| usize::try_from(length + 1).ok()).unwrap_or(0);
    bytes.reserve_exact(length.saturating_sub(bytes.len()));
    let left = (most + 1 - bytes.len()) as u64;
    source.take(left).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() > most { Err(refusal(&bytes).into()) } else { Ok(Whole { bytes, head }) }
}

fn most_record_bytes() -> usize {
    usize::try_from(MOST_RECORD_BYTES).unwrap_or(usize::MAX)
}

/// The text of a file that a person wrote, or of standard input.
pub fn text(path: &Path) -> Result<String, ReadError> {
    Ok(text_of(&read(path)?.bytes)?)
}

#[cfg(unix)]
fn is_device(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    metadata.file_type().is_char_device() || metadata.file_type().is_block_device()
}

/// Windows names its devices in another way.
#[cfg(not(unix))]
fn is_device(_: &std::fs::Metadata) -> bool {
    false
}
