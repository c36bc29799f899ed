//! A managed file: one that iotrial made, and therefore may overwrite and remove.
//!
//! Its first page says so. Everything else of that name is somebody's data and is refused, whatever
//! it is: a file without the page, with a damaged one, with a second name, a symbolic link, a pipe.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use iotrial_model::plan::FILE_HEADER_SIZE;
use iotrial_model::units::ByteSize;
use sha2::{Digest as _, Sha256};

use super::directory::Directory;
use super::held::NO_FLAGS;
use super::os;

/// The ending of every managed file.
pub(crate) const EXTENSION: &str = "iotrial";

const PAGE_SIZE: usize = 4096;
const MAGIC: &[u8; 16] = b"iotrial\0managed\n";
const FORMAT_VERSION: u32 = 1;

/// The bytes of the page that the checksum covers: all fields before it.
const CHECKED: usize = 64;

/// The run that made a file: the bits of the ULID of its record. Files that version 0.1.0 made have another number
/// there, which is the id of no run.
pub type RunId = [u8; 16];

/// The first page of a managed file.
///
/// Little-endian: magic (16 bytes), format version (4), state (4), id of the run that made it (16), size of the
/// data (8), fill seed (8), zero (8), then the SHA-256 of all that, zeros to the end of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) run: RunId,
    pub(crate) data_size: ByteSize,
    pub(crate) fill_seed: u64,
    pub(crate) state: State,
}

/// How far the making of a managed file came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It may have holes.
    Filling,
    /// Every byte of the data was written and is on stable storage.
    Whole,
}

impl Header {
    fn to_page(self) -> [u8; PAGE_SIZE] {
        let mut page = [0; PAGE_SIZE];
        let state: u32 = match self.state {
            State::Filling => 1,
            State::Whole => 2,
        };
        page[..16].copy_from_slice(MAGIC);
        page[16..20].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        page[20..24].copy_from_slice(&state.to_le_bytes());
        page[24..40].copy_from_slice(&self.run);
        page[40..48].copy_from_slice(&self.data_size.get().to_le_bytes());
        page[48..56].copy_from_slice(&self.fill_seed.to_le_bytes());
        let checksum = Sha256::digest(&page[..CHECKED]);
        page[CHECKED..CHECKED + 32].copy_from_slice(&checksum);
        page
    }

    /// `None` unless every bit of the page is as iotrial writes it.
    fn from_page(page: &[u8; PAGE_SIZE]) -> Option<Self> {
        let word = |at: usize| -> [u8; 8] { page[at..at + 8].try_into().expect("a slice of 8 bytes") };
        let state = match u32::from_le_bytes(page[20..24].try_into().expect("a slice of 4 bytes")) {
            1 => State::Filling,
            2 => State::Whole,
            _ => return None,
        };
        let header = Self {
            run: page[24..40].try_into().expect("a slice of 16 bytes"),
            data_size: ByteSize::bytes(u64::from_le_bytes(word(40))),
            fill_seed: u64::from_le_bytes(word(48)),
            state,
        };
        // Written again and compared whole: one rule for magic, version, checksum and every byte that has to
        // be zero.
        (header.to_page() == *page).then_some(header)
    }

    /// Puts the page at the start of the file, and on stable storage.
    pub(crate) fn write(self, file: &File) -> io::Result<()> {
        os::write_all_at(file, &self.to_page(), 0)?;
        file.sync_all()
    }

    pub(crate) fn read(file: &File) -> io::Result<Option<Self>> {
        let mut page = [0; PAGE_SIZE];
        match os::read_exact_at(file, &mut page, 0) {
            Ok(()) => Ok(Self::from_page(&page)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Why something is not a managed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// Not a regular file, or one that does not hold what is written to it.
    NotAFile(&'static str),
    /// It has a second name, through which somebody may count on its content.
    HardLinked,
    /// The header is absent or damaged.
    NoHeader,
}

impl std::fmt::Display for Foreign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotAFile(what) => write!(f, "it is {what}"),
            Self::HardLinked => f.write_str("it has a second name (hard link)"),
            Self::NoHeader => f.write_str("it does not begin with the header of such a file"),
        }
    }
}

/// A managed file that exists, open for reading and writing through the page cache.
#[derive(Debug)]
pub(crate) struct ManagedFile {
    pub(crate) path: PathBuf,
    directory: Arc<Directory>,
    name: OsString,
    pub(crate) file: File,
    pub(crate) header: Header,
    /// As it was when the file was opened or made.
    pub(crate) metadata: Metadata,
    /// Of the open file, whatever its name leads to by now.
    pub(crate) id: os::FileId,
}

/// What stands at a path.
#[derive(Debug)]
pub(crate) enum Found {
    Nothing,
    Managed(Box<ManagedFile>),
    Foreign(Foreign),
}

impl ManagedFile {
    /// Looks what stands at `path`, which has no links in it.
    pub(crate) fn find(path: &Path, writable: bool) -> io::Result<Found> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Ok(Found::Nothing);
        };
        match Directory::open(parent) {
            Ok(directory) => Self::find_in(&Arc::new(directory), name, writable),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found::Nothing),
            Err(error) => Err(error),
        }
    }

    /// Looks what has the name, without following a link and without waking a pipe or a device.
    pub(crate) fn find_in(directory: &Arc<Directory>, name: &OsStr, writable: bool) -> io::Result<Found> {
        // From here on it is the one that was found that is asked, whatever takes the name.
        let Some(found) = directory.find(name)? else { return Ok(Found::Nothing) };
        if let Some(foreign) = foreign(&found.metadata()?) {
            return Ok(Found::Foreign(foreign));
        }
        let path = directory.path().join(name);
        let open = |access| os::reopen_verified(&path, &found, access, false, NO_FLAGS);
        // A reader that may not write should still learn whose file it is, so reading comes first.
        let reader = open(os::Access::Read)?;
        if Header::read(&reader)?.is_none() {
            return Ok(Found::Foreign(Foreign::NoHeader));
        }
        let file = if writable { open(os::Access::ReadWrite)? } else { reader };
        // Where the way leads by the name, it may have been given to another file between the two; and what was
        // asked before is asked once more of the handle that will be used.
        let (metadata, id) = (file.metadata()?, os::file_id(&file)?);
        if let Some(foreign) = foreign(&metadata) {
            return Ok(Found::Foreign(foreign));
        }
        // The header may be another one by now, too: a run that makes the file says in it that it is whole.
        let header = if id == os::file_id(&found)? { Header::read(&file)? } else { None };
        let Some(header) = header else { return Ok(Found::Foreign(Foreign::NoHeader)) };
        let (directory, name) = (Arc::clone(directory), name.to_owned());
        Ok(Found::Managed(Box::new(Self { path, directory, name, file, header, metadata, id })))
    }

    /// Makes the file, with a header that says it is not whole. Fails if anything has that name.
    pub(crate) fn make(directory: &Arc<Directory>, name: &OsStr, header: Header) -> io::Result<Self> {
        // Locked and marked before it has its name: no other run can begin to use it, and a program that is
        // killed leaves no file that nobody knows.
        let file = directory.make_file(name, &|file| {
            if !os::lock(file)? {
                return Err(io::ErrorKind::ResourceBusy.into());
            }
            header.write(file)
        })?;
        let (metadata, id) = (file.metadata()?, os::file_id(&file)?);
        let (path, directory, name) = (directory.path().join(name), Arc::clone(directory), name.to_owned());
        Ok(Self { path, directory, name, file, header, metadata, id })
    }

    /// Opens it once more, without the page cache if `direct`. The first handle keeps the lock.
    pub(crate) fn reopen(&self, access: os::Access, direct: bool) -> io::Result<File> {
        let file = os::reopen_verified(&self.path, &self.file, access, direct, NO_FLAGS)?;
        // Where the way leads by the name, it may lead to another file by now.
        if os::file_id(&file)? != self.id {
            return Err(io::Error::other("another file took its place"));
        }
        Ok(file)
    }

    /// Whether all of the data is there: written to the end, without a hole or an unwritten extent.
    pub(crate) fn is_whole(&self) -> io::Result<bool> {
        let length = FILE_HEADER_SIZE.get().checked_add(self.header.data_size.get());
        if self.header.state != State::Whole || length != Some(self.file.metadata()?.len()) {
            return Ok(false);
        }
        os::is_written(&self.file, FILE_HEADER_SIZE.get(), self.header.data_size.get())
    }

    /// Keeps other runs away for as long as the file is open; `false` when one was faster.
    pub(crate) fn lock(&self) -> io::Result<bool> {
        os::lock(&self.file)
    }

    /// Whether a running iotrial works on it.
    pub(crate) fn is_locked(&self) -> io::Result<bool> {
        // The only way to ask is to try. Whoever tries in the same moment finds the file in use, for as long
        // as this takes.
        if os::lock(&self.file)? {
            os::unlock(&self.file)?;
            return Ok(false);
        }
        Ok(true)
    }

    /// The run that its header names by now; `None` where that is no header any more.
    pub(crate) fn run_now(&self) -> io::Result<Option<RunId>> {
        Ok(Header::read(&self.file)?.map(|header| header.run))
    }

    /// Whether its name still leads to this very file.
    pub(crate) fn is_at_its_path(&self) -> io::Result<bool> {
        Ok(self.directory.id_of(&self.name)? == Some(self.id))
    }

    /// Removes the file; `false` if its name was given to another one meanwhile, which stays.
    pub(crate) fn remove(self) -> io::Result<bool> {
        self.directory.remove(&self.name, self.file)
    }
}

fn foreign(metadata: &Metadata) -> Option<Foreign> {
    if !metadata.is_file() {
        return Some(Foreign::NotAFile(os::kind_of(metadata)));
    }
    // One that iotrial made and somebody altered since is no longer what its header says.
    if let Some(what) = os::altered(metadata) {
        return Some(Foreign::NotAFile(what));
    }
    (os::link_count(metadata) > 1).then_some(Foreign::HardLinked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header { run: [7; 16], data_size: ByteSize::mib(3), fill_seed: 11, state: State::Whole }
    }

    fn make(path: &Path) -> io::Result<ManagedFile> {
        let directory = Arc::new(Directory::open(path.parent().unwrap())?);
        ManagedFile::make(&directory, path.file_name().unwrap(), header())
    }

    #[test]
    fn a_header_is_read_as_it_was_written() {
        for state in [State::Filling, State::Whole] {
            let header = Header { state, ..header() };
            assert_eq!(Header::from_page(&header.to_page()), Some(header));
        }
    }

    #[test]
    fn a_header_with_any_bit_changed_is_not_ours() {
        let page = header().to_page();
        for byte in 0..PAGE_SIZE {
            for bit in [0, 3, 7] {
                let mut damaged = page;
                damaged[byte] ^= 1 << bit;
                assert_eq!(Header::from_page(&damaged), None, "bit {bit} of byte {byte}");
            }
        }
    }

    #[test]
    fn a_made_file_is_found_and_a_second_making_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.iotrial");
        assert!(matches!(ManagedFile::find(&path, true).unwrap(), Found::Nothing));
        let made = make(&path).unwrap();
        assert_eq!(make(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let Found::Managed(found) = ManagedFile::find(&path, false).unwrap() else { panic!("not found") };
        assert_eq!(found.header, header());
        assert!(found.is_locked().unwrap());
        assert!(!found.is_whole().unwrap(), "it is too short");
        drop(made);
        assert!(!found.is_locked().unwrap());
        assert!(found.remove().unwrap());
        assert!(!path.exists());
    }

    #[test]
    fn an_id_is_that_of_the_file_whatever_handle_or_path_is_asked_and_of_no_other() {
        let place = tempfile::tempdir().unwrap();
        let directory = Directory::open(&std::fs::canonicalize(place.path()).unwrap()).unwrap();
        // So many at once that some are made at the same tick of any clock.
        let names: Vec<OsString> = (0..100).map(|number| number.to_string().into()).collect();
        let make = |name: &OsString| directory.make_file(name, &|_| Ok(())).unwrap();
        let files: Vec<File> = names.iter().map(make).collect();
        let ids: Vec<os::FileId> = files.iter().map(|file| os::file_id(file).unwrap()).collect();
        for (index, (id, name)) in ids.iter().zip(&names).enumerate() {
            assert!(!ids[..index].contains(id), "{id:?}");
            assert_eq!(directory.id_of(name).unwrap(), Some(*id));
            let path = place.path().join(name);
            let again = os::open_existing(&path, os::Access::Read, false).unwrap();
            assert_eq!(os::file_id(&again).unwrap(), *id);
        }
    }

    #[cfg(windows)]
    mod on_windows {
        use super::*;

        #[test]
        fn nobody_takes_the_name_of_a_file_that_is_held() {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("a.iotrial");
            let made = make(&path).unwrap();
            // Who holds a file there does not share the right to remove it.
            assert!(std::fs::remove_file(&path).is_err());
            assert!(made.remove().unwrap() && !path.exists());
        }
    }

    #[cfg(unix)]
    mod on_unix {
        use super::*;

        #[test]
        fn a_file_that_took_the_name_meanwhile_is_not_removed() {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("a.iotrial");
            let made = make(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            std::fs::write(&path, "not ours").unwrap();
            assert!(!made.remove().unwrap());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "not ours");
        }
    }
}
