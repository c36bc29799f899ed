//! Packing a record on its way into a file, without holding what comes out of it.

use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use ruzstd::encoding::{CompressionLevel, compress};

use crate::atomic_file::AtomicFile;

/// The text of a record, packed, in a file that nobody has named yet.
pub(super) fn packed(text: impl Read, folder: &Path) -> io::Result<AtomicFile> {
    let packed = AtomicFile::begin(folder)?;
    // The packer takes no errors, and would panic on one: they are kept, and told when it is done.
    let mut source = Keeping { inner: text, error: None };
    let mut drain = Keeping { inner: BufWriter::new(packed.as_file()), error: None };
    // Of the levels that the packer has by now, `Fastest` is the only one that packs at all.
    compress(&mut source, &mut drain, CompressionLevel::Fastest);
    // By hand: a buffer that is dropped swallows the error of its last write, which is the one that meets a full disk.
    drain.inner.flush()?;
    let error = source.error.or(drain.error.take());
    drop(drain);
    error.map_or(Ok(packed), Err)
}

/// Ends what it reads, and swallows what it writes, from the first error on.
struct Keeping<T> {
    inner: T,
    error: Option<io::Error>,
}

impl<T> Keeping<T> {
    /// What `one` gives, asked again after a signal; `instead` after an error.
    fn kept<V>(&mut self, instead: V, mut one: impl FnMut(&mut T) -> io::Result<V>) -> io::Result<V> {
        loop {
            match one(&mut self.inner) {
                Ok(value) => return Ok(value),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.error.get_or_insert(error);
                    return Ok(instead);
                }
            }
        }
    }
}

impl<R: Read> Read for Keeping<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.kept(0, |inner| inner.read(bytes))
    }
}

impl<W: Write> Write for Keeping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.kept(bytes.len(), |inner| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.kept((), W::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_file_unpacks_to_what_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let content = "a record, ".repeat(100_000);
        let file = packed(content.as_bytes(), folder.path()).unwrap();
        let mut unpacked = String::new();
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(file.reopen().unwrap()).unwrap();
        decoder.read_to_string(&mut unpacked).unwrap();
        assert_eq!(unpacked, content);
    }

    #[test]
    fn a_full_disk_is_an_error_and_no_panic() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Err(io::ErrorKind::StorageFull.into())
            }
        }
        let mut drain = Keeping { inner: Full, error: None };
        compress(&mut "text".as_bytes(), &mut drain, CompressionLevel::Fastest);
        assert_eq!(drain.error.unwrap().kind(), io::ErrorKind::StorageFull);
    }
}
