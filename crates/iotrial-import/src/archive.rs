//! Archives of results: ZIP, and tar that is plain or compressed by gzip or Zstandard. Nothing is written anywhere: what is in one is held in
//! memory, within limits, and an archive that breaks one of them is refused as a whole.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::{Component, Path, PathBuf};

use crate::ImportError;
use crate::text::{MOST_BYTES, is_packed, quote, unpack};

/// No larger archive is opened.
pub const MOST_ARCHIVE_BYTES: usize = 64 << 20;
/// What may be in archives, unpacked, all of those together that one command is given.
pub const MOST_UNPACKED_BYTES: usize = 256 << 20;
/// Files and folders in one.
// As many as there are runs of a file.
const MOST_ENTRIES: usize = 20_000;
/// Beyond this many bytes, content that is so much larger than its archive was made to be large: logs and JSON shrink to a tenth or a
/// thirtieth.
const FREE_BYTES: usize = 16 << 20;
const MOST_RATIO: usize = 200;

/// What is in an archive, by its path there.
pub type Members = BTreeMap<PathBuf, Vec<u8>>;

/// Whether the beginning of a file is that of an archive. Of one that is compressed, its first 192 KiB may be needed.
pub fn is_archive(head: &[u8]) -> bool {
    let is_tar = |head: &[u8]| head.get(257..262) == Some(b"ustar");
    head.starts_with(b"PK\x03\x04")
        || is_tar(head)
        || (is_packed(head) && is_tar(&crate::text::head_of(head)))
}

/// The files in an archive. Folders and links are none.
///
/// # Errors
///
/// When it is broken or cut off, when it has too much in it or files that cannot be told apart or lie elsewhere, and for a workbook.
pub fn members_of(bytes: &[u8]) -> Result<Members, ImportError> {
    if bytes.len() > MOST_ARCHIVE_BYTES {
        return Err(ImportError::too_large(MOST_ARCHIVE_BYTES));
    }
    let mut taken = Taken { limit: limit_for(bytes.len()), ..Taken::default() };
    if bytes.starts_with(b"PK\x03\x04") {
        add_zip(bytes, &mut taken)?;
    } else {
        let plain = unpack(bytes, taken.limit).map_err(|error| match error {
            ImportError::TooLarge { .. } => refused(TOO_MUCH),
            error => error,
        })?;
        add_tar(&plain, &mut taken)?;
    }
    Ok(taken.members)
}

const TOO_MUCH: &str = "its content is far larger than results are";

/// What may come out of so many bytes.
fn limit_for(packed: usize) -> usize {
    packed.saturating_mul(MOST_RATIO).clamp(FREE_BYTES, MOST_UNPACKED_BYTES)
}

fn refused(why: impl Into<String>) -> ImportError {
    ImportError::RefusedArchive { why: why.into() }
}

fn broken(error: impl std::fmt::Display) -> ImportError {
    ImportError::Packed { message: quote(&error.to_string()) }
}

/// What was taken out so far.
#[derive(Default)]
struct Taken {
    members: Members,
    entries: usize,
    bytes: usize,
    limit: usize,
}

impl Taken {
    /// Counts a file, a folder or a link.
    fn count(&mut self) -> Result<(), ImportError> {
        self.entries += 1;
        if self.entries > MOST_ENTRIES {
            return Err(refused(format!("it has more than {MOST_ENTRIES} entries")));
        }
        Ok(())
    }

    /// Takes a file out, of which the archive says how long it is.
    fn add(&mut self, name: &Path, length: u64, content: impl Read) -> Result<(), ImportError> {
        let name = plain_path(name).ok_or_else(|| {
            refused(format!("its entry `{}` points outside of it", quote(&name.display().to_string())))
        })?;
        let left = self.limit - self.bytes;
        if length > left as u64 {
            return Err(refused(TOO_MUCH));
        }
        let mut bytes = Vec::new();
        // Whatever length it states: what comes decides.
        content.take(left as u64 + 1).read_to_end(&mut bytes).map_err(broken)?;
        if bytes.len() > left {
            return Err(refused(TOO_MUCH));
        }
        if (bytes.len() as u64) < length {
            return Err(broken(format!("its entry `{}` is cut off", quote(&name.display().to_string()))));
        }
        self.bytes += bytes.len();
        // What is packed once more counts as it will be unpacked.
        if is_packed(&bytes)
            && let Ok(unpacked) = unpack(&bytes, MOST_BYTES.min(self.limit - self.bytes))
        {
            self.bytes += unpacked.len();
        } else if is_packed(&bytes) {
            return Err(refused(format!(
                "its entry `{}` is compressed again, and broken or far larger than results are",
                quote(&name.display().to_string())
            )));
        }
        if self.members.contains_key(&name) {
            let name = quote(&name.display().to_string());
            return Err(refused(format!(
                "its entry `{name}` occurs twice, and nobody knows which one counts"
            )));
        }
        self.members.insert(name, bytes);
        Ok(())
    }
}

/// A path that stays where it is, without dots; `None` of one that leads elsewhere.
fn plain_path(path: &Path) -> Option<PathBuf> {
    let text = path.to_str()?;
    // On Windows these lead elsewhere, and no archive has them in the name of a result.
    if text.contains(['\\', ':', '\0']) {
        return None;
    }
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => plain.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (plain != Path::new("")).then_some(plain)
}

fn add_zip(bytes: &[u8], taken: &mut Taken) -> Result<(), ImportError> {
    // Before the list is read, which takes more memory than it has bytes.
    let entries =
        entries_of_zip(bytes).ok_or_else(|| broken("the list of its files is missing: it was cut off"))?;
    if entries > MOST_ENTRIES {
        return Err(refused(format!("it has more than {MOST_ENTRIES} entries")));
    }
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.index_for_name("[Content_Types].xml").is_some() {
        return Err(refused("it is a workbook or a document; save its sheets as CSV"));
    }
    // The reader keeps one of two entries of a name, and its list has all.
    if archive.len() < entries {
        return Err(refused("an entry occurs twice, and nobody knows which one counts"));
    }
    for at in 0..archive.len() {
        taken.count()?;
        let file = archive.by_index(at).map_err(broken)?;
        if file.is_dir() || file.is_symlink() {
            continue;
        }
        let name = PathBuf::from(file.name().map_err(broken)?.into_owned());
        let length = file.size();
        taken.add(&name, length, file)?;
    }
    Ok(())
}

/// How many entries its list has, by the record at its end, which is at most 64 KiB long (APPNOTE 4.3.16). One with more than 65,534 has
/// the largest number there.
fn entries_of_zip(bytes: &[u8]) -> Option<usize> {
    const MARK: &[u8] = b"PK\x05\x06";
    const LONGEST: usize = 22 + 65_535;
    let tail = &bytes[bytes.len().saturating_sub(LONGEST)..];
    let at = tail.windows(MARK.len()).rposition(|mark| mark == MARK)?;
    let count = tail.get(at + 10..at + 12)?;
    Some(usize::from(u16::from_le_bytes([count[0], count[1]])))
}

fn add_tar(bytes: &[u8], taken: &mut Taken) -> Result<(), ImportError> {
    let mut archive = tar::Archive::new(bytes);
    for entry in archive.entries().map_err(broken)? {
        let entry = entry.map_err(broken)?;
        taken.count()?;
        // Sparse files of no content, links, devices and pipes are no results.
        if !matches!(entry.header().entry_type(), tar::EntryType::Regular | tar::EntryType::Continuous) {
            continue;
        }
        let name = entry.path().map_err(broken)?.into_owned();
        let length = entry.size();
        taken.add(&name, length, entry)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(bytes).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    /// Names are set as bytes, because the library refuses the ones that are tried here.
    fn tar_of(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_ustar();
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(bytes.len() as u64);
            header.set_entry_type(tar::EntryType::Regular);
            header.set_cksum();
            archive.append(&header, *bytes).unwrap();
        }
        archive.into_inner().unwrap()
    }

    fn gzip_of(bytes: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    #[track_caller]
    fn is_refused(bytes: &[u8]) {
        assert!(is_archive(bytes));
        let error = members_of(bytes).unwrap_err();
        assert!(matches!(error, ImportError::RefusedArchive { .. }), "{error}");
    }

    const FILES: [(&str, &[u8]); 2] = [("a/one.json", b"{}"), ("./two.txt", b"two")];

    #[test]
    fn files_are_found_whatever_they_are_packed_in() {
        for bytes in [zip_of(&FILES), tar_of(&FILES), gzip_of(&tar_of(&FILES))] {
            assert!(is_archive(&bytes));
            let members = members_of(&bytes).unwrap();
            let expected = [("a/one.json", &b"{}"[..]), ("two.txt", b"two")];
            let expected = expected.map(|(name, bytes)| (PathBuf::from(name), bytes.to_vec()));
            assert_eq!(members, Members::from(expected));
        }
        assert!(!is_archive(&gzip_of(b"a result")) && !is_archive(b"a result"));
    }

    #[test]
    fn a_path_that_leads_out_of_it_refuses_all_of_it() {
        for name in ["../x", "a/../../x", "/etc/x", "C:\\x", "a\\..\\x"] {
            is_refused(&zip_of(&[(name, b"x")]));
            is_refused(&tar_of(&[(name, b"x")]));
        }
    }

    #[test]
    fn a_name_that_occurs_twice_refuses_all_of_it() {
        is_refused(&tar_of(&[("x", b"1"), ("./x", b"2")]));
        // The library writes none: the second name is made the first.
        let mut twice = zip_of(&[("x1", b"1"), ("x2", b"2")]);
        for at in 0..twice.len() - 1 {
            if &twice[at..at + 2] == b"x2" {
                twice[at + 1] = b'1';
            }
        }
        is_refused(&twice);
    }

    #[test]
    fn links_and_folders_are_no_files() {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default();
        archive.add_symlink("link", "/etc/passwd", options).unwrap();
        archive.add_directory("folder/", options).unwrap();
        assert_eq!(members_of(&archive.finish().unwrap().into_inner()).unwrap(), Members::new());
        let mut archive = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        archive.append_link(&mut header, "link", "/etc/passwd").unwrap();
        assert_eq!(members_of(&archive.into_inner().unwrap()).unwrap(), Members::new());
    }

    #[test]
    fn what_was_made_to_be_large_is_refused() {
        let zeros = vec![0; FREE_BYTES + 1];
        is_refused(&zip_of(&[("x", &zeros)]));
        is_refused(&gzip_of(&tar_of(&[("x", &zeros)])));
        // Packed twice.
        let packed = gzip_of(&vec![0; 9 << 20]);
        is_refused(&zip_of(&[("1.gz", &packed), ("2.gz", &packed)]));
        assert_eq!(members_of(&zip_of(&[("1.gz", &packed)])).unwrap().len(), 1);
    }

    #[test]
    fn so_many_files_are_no_results() {
        let names: Vec<String> = (0..100_000).map(|at| format!("{at}")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
        is_refused(&zip_of(&files[..MOST_ENTRIES + 1]));
        is_refused(&tar_of(&files));
    }

    #[test]
    fn an_archive_in_it_is_a_file_that_is_not_opened() {
        let inner = zip_of(&FILES);
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let stored =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        archive.start_file("inner.zip", stored).unwrap();
        archive.write_all(&inner).unwrap();
        let members = members_of(&archive.finish().unwrap().into_inner()).unwrap();
        assert_eq!(members, Members::from([(PathBuf::from("inner.zip"), inner)]));
    }

    #[test]
    fn what_is_cut_off_is_broken() {
        for bytes in [zip_of(&FILES), tar_of(&[("x", &[b'x'; 2_000])]), gzip_of(&tar_of(&FILES))] {
            for end in [bytes.len() / 2, 600.min(bytes.len() - 1)] {
                let error = members_of(&bytes[..end]).unwrap_err();
                assert!(matches!(error, ImportError::Packed { .. }), "{end} of {}: {error}", bytes.len());
            }
        }
    }

    #[test]
    fn a_workbook_is_none() {
        is_refused(&zip_of(&[("[Content_Types].xml", b"<x/>")]));
    }
}
