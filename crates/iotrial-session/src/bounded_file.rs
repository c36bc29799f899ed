//! Files that somebody else may have written: opened once, and never read beyond a limit.
//!
//! A study may name `/dev/zero` as its profile, and a folder of records may hold a pipe that nobody writes to. Neither may cost more
//! than a message.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use iotrial_model::wide_text::in_plain_utf8;

use crate::read_files;

#[cfg(unix)]
#[path = "bounded_file/unix.rs"]
mod os;
#[cfg(windows)]
#[path = "bounded_file/windows.rs"]
mod os;

/// The largest profile, threshold set or study that is read, in bytes.
// As of a printed table (iotrial-import). A study that brings fifty profiles along stays below one, and a document takes many times
// its text in memory.
pub(crate) const MOST_TEXT_BYTES: u64 = 4 << 20;

/// Whether a pipe may stand in the place of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pipes {
    /// It is read to its end, as `<(…)` of a shell makes them. For what the user names, who also knows who writes to it.
    Read,
    /// For what a file names, and for what lies in a folder: opening a pipe waits until somebody writes to it, maybe for ever.
    Refused,
}

/// Why nothing could be read of a file. The message does not name it: whoever knows what it would be does.
#[derive(Debug, thiserror::Error)]
pub enum ReadFileError {
    /// The operating system refused to open or to read it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The name exists, and what it leads to does not.
    #[error("it is a link that leads nowhere")]
    Link,
    /// A directory has the name.
    #[error("it is a folder")]
    Folder,
    /// A block or character device, which is not even opened.
    #[error("it is a device, not a file")]
    Device,
    /// A pipe or a socket, where a file is wanted that can be read without anybody's help.
    #[error("it is a pipe or a socket, not a file")]
    Pipe,
    /// By its length, or because more came than was allowed.
    #[error("it is larger than {} MiB", most_bytes >> 20)]
    TooLarge {
        /// What is read at most.
        most_bytes: u64,
    },
    /// Of a file that a person writes.
    #[error("it is not UTF-8 text")]
    NotText,
}

impl ReadFileError {
    /// Whether there is nothing of that name, and not even a link.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// A file that may be read.
#[derive(Debug)]
pub struct OpenedFile {
    /// At its beginning.
    pub file: File,
    /// In bytes; `None` of a pipe, which has none before it ends.
    pub length: Option<u64>,
}

/// Opens a file to read it, unless it is something else. From then on it counts as read ([`read_files`]).
///
/// # Errors
///
/// When it is not there or cannot be opened, and for a folder, a device, and a pipe that is not wanted.
pub fn open_to_read(path: &Path, pipes: Pipes) -> Result<OpenedFile, ReadFileError> {
    refuse_special(path, pipes)?;
    let file = File::open(path)?;
    read_files::note(&file);
    let length = file.metadata().ok().filter(Metadata::is_file).map(|metadata| metadata.len());
    Ok(OpenedFile { file, length })
}

/// Refuses what has the name and is no file to be read.
pub(crate) fn refuse_special(path: &Path, pipes: Pipes) -> Result<(), ReadFileError> {
    // By the name and before it is opened: opening a pipe may wait for ever, opening a tape rewinds it, and /dev/zero never ends.
    let metadata = path.metadata().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if path.is_symlink() => ReadFileError::Link,
        _ => ReadFileError::Io(error),
    })?;
    if metadata.is_dir() {
        return Err(ReadFileError::Folder);
    }
    if os::is_device(&metadata) {
        return Err(ReadFileError::Device);
    }
    if !metadata.is_file() && pipes == Pipes::Refused {
        return Err(ReadFileError::Pipe);
    }
    Ok(())
}

/// Reads a source to its end, behind what `bytes` holds of it already. `length` is that of the whole, where it is known; `most` is
/// what `bytes` may come to.
///
/// # Errors
///
/// When it cannot be read, or there is more; `bytes` then holds some of it.
pub fn read_to_end_within(
    source: impl Read,
    length: Option<u64>,
    most: u64,
    bytes: &mut Vec<u8>,
) -> Result<(), ReadFileError> {
    let too_large = || ReadFileError::TooLarge { most_bytes: most };
    if length.is_some_and(|length| length > most) {
        return Err(too_large());
    }
    // One byte more than the file has shows its end; without it, the reader would double the buffer only to find that out.
    let expected = length.and_then(|length| usize::try_from(length + 1).ok()).unwrap_or(0);
    bytes.reserve_exact(expected.saturating_sub(bytes.len()));
    // Not the length decides: a file may grow while it is read, and those in /proc say that they are empty.
    source.take((most + 1).saturating_sub(bytes.len() as u64)).read_to_end(bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(()) }
}

/// What is in a file.
///
/// # Errors
///
/// When it cannot be read, or has more than `most` bytes.
pub(crate) fn read_bytes(path: &Path, pipes: Pipes, most: u64) -> Result<Vec<u8>, ReadFileError> {
    bytes_of(open_to_read(path, pipes)?, most)
}

fn bytes_of(OpenedFile { file, length }: OpenedFile, most: u64) -> Result<Vec<u8>, ReadFileError> {
    let mut bytes = Vec::new();
    read_to_end_within(file, length, most, &mut bytes)?;
    Ok(bytes)
}

/// The text of a file that a person writes.
///
/// # Errors
///
/// When it cannot be read, is larger than 4 MiB, or neither UTF-8 nor UTF-16 text.
pub fn read_text(path: &Path, pipes: Pipes) -> Result<String, ReadFileError> {
    text_of(open_to_read(path, pipes)?)
}

/// The same of a file that is open.
///
/// # Errors
///
/// As [`read_text`].
pub fn text_of(opened: OpenedFile) -> Result<String, ReadFileError> {
    let bytes = bytes_of(opened, MOST_TEXT_BYTES)?;
    // What iotrial itself prints (`iotrial profiles NAME > mine.toml`) is in UTF-16 when PowerShell wrote the file.
    let text = in_plain_utf8(bytes.into()).map_err(|_| ReadFileError::NotText)?;
    String::from_utf8(text.into_owned()).map_err(|_| ReadFileError::NotText)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn text_is_read_as_editors_and_shells_of_windows_write_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let wide: Vec<u8> = "\u{feff}title = \"é\"\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [wide.as_slice(), "\u{feff}title = \"é\"\r\n".as_bytes(), "title = \"é\"\r\n".as_bytes()]
        {
            fs::write(&path, bytes).unwrap();
            assert_eq!(read_text(&path, Pipes::Refused).unwrap(), "title = \"é\"\r\n");
        }
    }

    #[test]
    fn a_file_beyond_the_limit_is_refused_by_its_length_and_a_source_without_one_by_what_comes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, [b'x'; 100]).unwrap();
        let read = |most| read_bytes(&path, Pipes::Refused, most);
        assert_eq!(read(100).unwrap().len(), 100);
        assert!(matches!(read(99), Err(ReadFileError::TooLarge { most_bytes: 99 })));
        // Five GiB, of which nothing is read.
        File::create(&path).unwrap().set_len(5 << 30).unwrap();
        assert_eq!(read_text(&path, Pipes::Refused).unwrap_err().to_string(), "it is larger than 4 MiB");
        let endless = || io::repeat(b'x');
        let mut bytes = b"head".to_vec();
        let error = read_to_end_within(endless(), None, 1_000, &mut bytes).unwrap_err();
        assert!(matches!(error, ReadFileError::TooLarge { .. }) && bytes.len() == 1_001, "{error}");
        let mut bytes = b"head".to_vec();
        read_to_end_within(endless().take(996), None, 1_000, &mut bytes).unwrap();
        assert_eq!(bytes.len(), 1_000);
    }

    #[test]
    fn what_is_no_file_or_no_text_is_said_to_be_so() {
        let folder = tempfile::tempdir().unwrap();
        let check = |path: &Path, why: &str| {
            assert_eq!(read_text(path, Pipes::Refused).unwrap_err().to_string(), why, "{path:?}");
        };
        check(folder.path(), "it is a folder");
        // UTF-16 with half a character.
        fs::write(folder.path().join("a"), [0xff, 0xfe, 0, 0xd8]).unwrap();
        check(&folder.path().join("a"), "it is not UTF-8 text");
        assert!(read_text(&folder.path().join("none"), Pipes::Read).unwrap_err().is_not_found());
    }

    #[cfg(target_os = "linux")]
    mod on_linux {
        use super::*;

        #[test]
        fn a_device_a_pipe_without_a_writer_and_a_link_to_nothing_are_not_even_opened() {
            let folder = tempfile::tempdir().unwrap();
            let check = |path: &Path, why: &str| {
                assert_eq!(read_text(path, Pipes::Refused).unwrap_err().to_string(), why, "{path:?}");
            };
            check(Path::new("/dev/zero"), "it is a device, not a file");
            let link = folder.path().join("link");
            std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
            check(&link, "it is a device, not a file");
            let nowhere = folder.path().join("nowhere");
            std::os::unix::fs::symlink("gone", &nowhere).unwrap();
            check(&nowhere, "it is a link that leads nowhere");
            let pipe = folder.path().join("pipe");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            check(&pipe, "it is a pipe or a socket, not a file");
            let text = std::thread::spawn({
                let pipe = pipe.clone();
                move || read_text(&pipe, Pipes::Read).unwrap()
            });
            fs::write(&pipe, "from a shell").unwrap();
            assert_eq!(text.join().unwrap(), "from a shell");
        }
    }
}
