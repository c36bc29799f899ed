//! The checksum of a record, put behind its last key when the file is written.

use std::io::{self, BufReader, BufWriter, Seek as _, SeekFrom, Write as _};

use iotrial_model::content::{CHECKSUM, checksum_of};
use serde::Serialize;

use crate::atomic_file::AtomicFile;

/// What stands in the place of the last bracket of a record: the checksum, the bracket and the end of the line.
fn end_with(checksum: &str) -> String {
    format!(",\"{CHECKSUM}\":\"{checksum}\"}}\n")
}

/// The text of a record with its checksum.
pub(super) fn text_of(record: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut json = serde_json::to_vec(record)?;
    let end = end_with(&checksum_of(json.as_slice())?);
    json.pop();
    json.extend(end.into_bytes());
    Ok(json)
}

/// Writes the same into a file. The text may be larger than the record in memory, so that it is never held: it is written, and read once
/// more for its checksum.
pub(super) fn write_into(file: &AtomicFile, record: &impl Serialize) -> io::Result<()> {
    let mut text = BufWriter::new(file.as_file());
    serde_json::to_writer(&mut text, record)?;
    text.flush()?;
    let end = end_with(&checksum_of(BufReader::new(file.reopen()?))?);
    let mut file = file.as_file();
    file.seek(SeekFrom::End(-1))?;
    file.write_all(end.as_bytes())
}
