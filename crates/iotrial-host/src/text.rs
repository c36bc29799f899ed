//! Small text files of a kernel, or of a copy that somebody else made of one.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// More than any file of sysfs or procfs that is read here has.
// The mount table of a host with ten thousand containers has some 3 MiB.
const MOST_BYTES: u64 = 8 << 20;

/// The content of a file, as far as it is read.
///
/// # Errors
///
/// When it cannot be read, or is no regular file: a pipe in a copy would wait for ever.
pub(crate) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The content without the blanks around it. Firmware may have put any bytes there.
pub(crate) fn line(path: &Path) -> io::Result<String> {
    let bytes = bytes(path)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned())
}

/// Why something was not read, in words.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied; run as root to read it".to_owned(),
        // What a driver answers that does not implement an attribute.
        io::ErrorKind::InvalidInput => "the driver does not tell".to_owned(),
        _ => error.to_string(),
    }
}
