//! Files that are there whole or not at all.
//!
//! A file is written under a name that nobody knows, in the folder in which it will be, brought to the disk, and renamed. Whatever
//! ends the program before the rename leaves the earlier file as it was.
//!
//! One exception: a file system that can neither rename without replacing nor link, where a file that has the name by then is to be kept.
//! There the name is taken first and the content follows, so that a program that is killed meanwhile leaves a part of it.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::{NamedTempFile, PersistError};

#[cfg(unix)]
#[path = "atomic_file/unix.rs"]
mod os;
#[cfg(windows)]
#[path = "atomic_file/windows.rs"]
mod os;

use os::{keep_rights, not_through_links, sync_folder};

/// Why a file was not written. Nothing is left of the new one, and what was there before is as it was.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`", path.display())]
pub struct WriteFileError {
    /// Where it would be.
    pub path: PathBuf,
    /// What the operating system said, or what of the content could not be written as JSON.
    #[source]
    pub source: io::Error,
}

/// What becomes of a file that has the name already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the new one is not written.
    Kept,
    /// The new one takes its place.
    Replaced,
}

/// From when on a file survives a power failure. A crash of the program alone never costs a file that was placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// From the moment in which it is placed.
    AtOnce,
    /// From the moment in which the operating system gets to it; until then it may be cut off or empty under its name. Only for what
    /// can be made again, and is recognised when it is not whole.
    // An import may write twenty thousand files, and each wait for the disk takes milliseconds.
    Later,
}

/// What a file that is not placed yet is called: whoever finds one after a crash knows whose it was.
const UNPLACED: (&str, &str) = (".iotrial-", ".tmp");
/// One that nobody has written to for so long has nobody any more. The longest is written in minutes.
const UNPLACED_FOR: Duration = Duration::from_secs(3_600);

/// A new file that nobody sees before it is placed; gone when it is dropped before.
#[derive(Debug)]
pub(crate) struct AtomicFile(NamedTempFile);

impl AtomicFile {
    /// Begins an empty file in the folder in which it will be.
    ///
    /// # Errors
    ///
    /// When nothing can be made there.
    pub(crate) fn begin(folder: &Path) -> io::Result<Self> {
        // In the same folder, because a rename does not lead from one file system to another.
        let (prefix, suffix) = UNPLACED;
        let begun = tempfile::Builder::new().prefix(prefix).suffix(suffix).tempfile_in(folder);
        begun.map(Self).map_err(without_temporary_name)
    }

    /// Whether a file of that name was begun and is not placed yet.
    pub(crate) fn is_unplaced(name: &OsStr) -> bool {
        let name = name.as_encoded_bytes();
        name.starts_with(UNPLACED.0.as_bytes()) && name.ends_with(UNPLACED.1.as_bytes())
    }

    /// Removes a file that [is not placed](Self::is_unplaced) and never will be, because its program was killed.
    // By its age and not by a lock, which another handle of the same program could not read through everywhere. What cannot be looked at
    // or removed is in nobody's way.
    pub(crate) fn remove_abandoned(unplaced: &Path) {
        let is_old = |metadata: &fs::Metadata| {
            let age = metadata.modified().ok().and_then(|at| at.elapsed().ok());
            metadata.is_file() && age.is_some_and(|age| age > UNPLACED_FOR)
        };
        if unplaced.symlink_metadata().is_ok_and(|metadata| is_old(&metadata)) {
            let _ = fs::remove_file(unplaced);
        }
    }

    /// The file as it is by now, to lock it or to ask for its length.
    pub(crate) fn as_file(&self) -> &File {
        self.0.as_file()
    }

    /// What is in it by now, from its beginning.
    ///
    /// # Errors
    ///
    /// When it cannot be opened again.
    pub(crate) fn reopen(&self) -> io::Result<File> {
        self.0.reopen()
    }

    /// Puts the file where it belongs, in the folder in which it was begun. The open file comes back, with its locks.
    ///
    /// # Errors
    ///
    /// When that fails, or a file is there that has to be kept. The new file is gone then.
    pub(crate) fn place(self, path: &Path, existing: Existing, durability: Durability) -> io::Result<File> {
        let Self(file) = self;
        if durability == Durability::AtOnce {
            // Before the rename: otherwise a power failure could leave the new name on a file whose content never arrived.
            file.as_file().sync_all()?;
        }
        let placed = match existing {
            Existing::Kept => rename_if_free(file, path, |file, path| file.persist_noclobber(path))?,
            Existing::Replaced => file.persist(path)?,
        };
        if durability == Durability::AtOnce {
            // After the rename, which changes the folder and not the file. The file is whole without this, too. After a power failure
            // it might be missing, and a folder that cannot be brought to the disk, as on some network file systems, is no worse.
            let _ = sync_folder(folder_of(path));
        }
        Ok(placed)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The error without the name of a temporary file, which nobody has seen or ever will: the library adds it to what the system says.
pub fn without_temporary_name(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path \"") {
        Some((said, _)) => io::Error::new(error.kind(), said),
        None => error,
    }
}

/// Renames a file without ever replacing another one. `rename` is the way that the operating system has for that, in one step.
fn rename_if_free(
    file: NamedTempFile,
    path: &Path,
    rename: impl FnOnce(NamedTempFile, &Path) -> Result<File, PersistError>,
) -> io::Result<File> {
    let refused = match rename(file, path) {
        Ok(file) => return Ok(file),
        Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => return Err(refused.error),
        Err(refused) => refused,
    };
    // Some file systems (FAT, some over a network or in user space) can neither rename without replacing nor link. To look whether
    // the name is free and then rename would replace what came in between, and so would taking the name with an empty file first:
    // whoever writes into that one in the moment before the rename loses what was written. So the content goes into the file that took
    // the name, and nothing is ever renamed onto it.
    let mut placed = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
    let copied = copy_whole(refused.file.as_file(), &mut placed);
    copied.map(|()| placed).inspect_err(|_| {
        // Made by us, and not whole.
        let _ = fs::remove_file(path);
    })
}

fn copy_whole(from: &File, to: &mut File) -> io::Result<()> {
    let mut from = from.try_clone()?;
    from.seek(SeekFrom::Start(0))?;
    io::copy(&mut from, to)?;
    // A lock does not come along with the content. What needs none may lie where there are none.
    let _ = to.try_lock();
    to.sync_all()
}

/// Writes a file so that it is there whole or not at all.
///
/// A symbolic link that has the name is replaced like a file and never followed. What is no regular file, such as a device, a pipe or a
/// folder, is left alone, also at the end of a link.
///
/// # Errors
///
/// When it cannot be written, or is there and has to be kept. Nothing is left of it.
pub fn write_whole(path: &Path, bytes: &[u8], existing: Existing) -> Result<(), WriteFileError> {
    write_with(path, existing, |file| file.write_all(bytes))
        .map(drop)
        .map_err(|source| WriteFileError { path: path.to_owned(), source })
}

/// Makes an empty file in the place of the one that has the name, and leaves it open. For what is written line by line: the file of that
/// name is whole up to the last line, and the one before it is not written into, whatever other names it has.
///
/// # Errors
///
/// As of [`write_whole`].
pub fn create(path: &Path, existing: Existing) -> Result<File, WriteFileError> {
    write_with(path, existing, |_| Ok(())).map_err(|source| WriteFileError { path: path.to_owned(), source })
}

fn write_with(
    path: &Path,
    existing: Existing,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<File> {
    // Looked at through links: what a link leads to decides whether there is anything that a rename must not replace.
    if path.exists() && !path.is_file() {
        return Err(not_regular());
    }
    let mut file = AtomicFile::begin(folder_of(path))?;
    write(&mut file)?;
    if existing == Existing::Replaced {
        keep_rights(path, file.as_file());
    }
    file.place(path, existing, Durability::AtOnce)
}

/// Opens a file to write behind its end, and makes it where there is none. Only a regular file, looked at after it was opened: a device
/// has no end, and what is appended to one goes to its beginning. No link is followed, and none that leads nowhere makes a file there.
///
/// # Errors
///
/// When it cannot be opened, is a link, or is no regular file. Nothing is written.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    let file = not_through_links(OpenOptions::new().append(true).create(true)).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

/// The folder of a file; the present one for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// A folder with a file `a` that holds `old`.
    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        (folder, path)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn until_the_new_file_is_whole_the_old_one_is_there() {
        let (folder, path) = folder();
        let write = |file: &mut dyn Write| {
            file.write_all(b"new")?;
            // Whoever pulls the plug now finds this.
            assert_eq!(fs::read(&path).unwrap(), b"old");
            Ok(())
        };
        write_with(&path, Existing::Replaced, write).unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"new".to_vec(), vec!["a".to_owned()]));
    }

    #[test]
    fn a_full_disk_is_an_error_that_leaves_nothing_and_the_old_file() {
        let (folder, path) = folder();
        let full = |file: &mut dyn Write| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        };
        let error = write_with(&path, Existing::Replaced, full).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"old".to_vec(), vec!["a".to_owned()]));
        let new = folder.path().join("b");
        assert!(write_with(&new, Existing::Kept, full).is_err());
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn what_a_killed_program_began_is_removed_and_what_is_being_written_is_not() {
        let (folder, _) = folder();
        let old = std::time::SystemTime::now() - 2 * UNPLACED_FOR;
        let begun = || AtomicFile::begin(folder.path()).unwrap().0.keep().unwrap();
        let [(left, left_at), (_, written_at)] = [begun(), begun()];
        left.set_modified(old).unwrap();
        let foreign_at = folder.path().join(".tmpAbCdEf");
        File::create(&foreign_at).unwrap().set_modified(old).unwrap();
        let unplaced = [&left_at, &written_at, &foreign_at]
            .map(|path| AtomicFile::is_unplaced(path.file_name().unwrap()));
        assert_eq!(unplaced, [true, true, false]);
        for path in [&left_at, &written_at] {
            AtomicFile::remove_abandoned(path);
        }
        assert_eq!([left_at, written_at, foreign_at].map(|path| path.exists()), [false, true, true]);
    }

    #[test]
    fn a_file_that_is_there_is_replaced_only_when_that_is_asked() {
        let (folder, path) = folder();
        let error = write_whole(&path, b"new", Existing::Kept).unwrap_err();
        assert_eq!(error.source.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"old".to_vec(), vec!["a".to_owned()]));
        write_whole(&path, b"new", Existing::Replaced).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_file_system_that_can_only_replace_keeps_what_has_the_name_all_the_same() {
        let (folder, path) = folder();
        // What FAT says to a rename that must not replace, and to a hard link.
        let cannot = |file, _: &Path| Err(PersistError { error: io::ErrorKind::Unsupported.into(), file });
        let new = || {
            let mut file = AtomicFile::begin(folder.path()).unwrap();
            file.write_all(b"new").unwrap();
            file.0
        };
        let error = rename_if_free(new(), &path, cannot).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"old".to_vec(), vec!["a".to_owned()]));
        let free = folder.path().join("b");
        let mut placed = rename_if_free(new(), &free, cannot).unwrap();
        assert_eq!((fs::read(&free).unwrap(), names(folder.path()).len()), (b"new".to_vec(), 2));
        // It is the open file that comes back, at its end.
        placed.write_all(b"er").unwrap();
        assert_eq!(fs::read(&free).unwrap(), b"newer");
    }

    #[test]
    fn a_file_system_that_can_only_replace_never_renames_onto_a_name_that_was_taken() {
        let (folder, _) = folder();
        let path = folder.path().join("b");
        let mut file = AtomicFile::begin(folder.path()).unwrap();
        file.write_all(b"new").unwrap();
        // Whoever has the file open under its name from its first moment on has the one that stays: nothing takes its place.
        let cannot = |file, _: &Path| Err(PersistError { error: io::ErrorKind::Unsupported.into(), file });
        let mut placed = rename_if_free(file.0, &path, cannot).unwrap();
        placed.write_all(b"er").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"newer");
        drop(placed);
        assert_eq!(names(folder.path()), ["a", "b"]);
    }

    #[test]
    fn a_file_keeps_its_lock_when_it_gets_its_name() {
        let (folder, path) = folder();
        let file = AtomicFile::begin(folder.path()).unwrap();
        file.as_file().lock().unwrap();
        let placed = file.place(&path, Existing::Replaced, Durability::AtOnce).unwrap();
        let other = File::open(&path).unwrap();
        assert!(matches!(other.try_lock(), Err(fs::TryLockError::WouldBlock)));
        drop(placed);
        other.try_lock().unwrap();
    }

    #[test]
    fn a_file_in_a_folder_that_is_not_there_is_an_error() {
        let (folder, _) = folder();
        let path = folder.path().join("none").join("a");
        assert_eq!(
            write_whole(&path, b"", Existing::Kept).unwrap_err().source.kind(),
            io::ErrorKind::NotFound
        );
    }

    #[test]
    fn a_bare_name_is_in_the_present_folder() {
        assert_eq!(folder_of(Path::new("a")), Path::new("."));
        assert_eq!(folder_of(Path::new("b/a")), Path::new("b"));
    }

    #[cfg(unix)]
    mod on_unix {
        use super::*;

        #[test]
        fn a_page_that_is_replaced_keeps_the_rights_that_it_had() {
            use std::os::unix::fs::PermissionsExt as _;
            let (_folder, path) = folder();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).unwrap();
            write_whole(&path, b"new", Existing::Replaced).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o664);
        }

        #[test]
        fn a_link_is_replaced_and_what_it_leads_to_stays() {
            let (folder, path) = folder();
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&path, &link).unwrap();
            write_whole(&link, b"new", Existing::Replaced).unwrap();
            assert_eq!(
                (fs::read(&path).unwrap(), fs::read(&link).unwrap()),
                (b"old".to_vec(), b"new".to_vec())
            );
            assert!(!link.is_symlink());
            let nowhere = folder.path().join("nowhere");
            std::os::unix::fs::symlink(folder.path().join("gone"), &nowhere).unwrap();
            assert!(write_whole(&nowhere, b"new", Existing::Kept).is_err() && nowhere.is_symlink());
        }

        #[test]
        fn a_file_that_is_replaced_keeps_its_readers_and_a_new_one_has_none() {
            use std::os::unix::fs::PermissionsExt as _;
            let (folder, path) = folder();
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).unwrap();
            write_whole(&path, b"new", Existing::Replaced).unwrap();
            assert_eq!(mode(&path), 0o664);
            let new = folder.path().join("new");
            write_whole(&new, b"new", Existing::Replaced).unwrap();
            assert_eq!(mode(&new), 0o600);
        }

        #[test]
        fn what_is_no_regular_file_is_never_written_to() {
            let (folder, path) = folder();
            let at = |name: &str| folder.path().join(name);
            std::os::unix::fs::symlink(&path, at("link")).unwrap();
            std::os::unix::fs::symlink(at("gone"), at("nowhere")).unwrap();
            std::os::unix::fs::symlink("/dev/null", at("null")).unwrap();
            let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
            fs::create_dir(at("folder")).unwrap();
            for refused in [Path::new("/dev/null"), &at("null"), &at("socket"), &at("folder")] {
                write_whole(refused, b"new", Existing::Replaced).unwrap_err();
                create(refused, Existing::Replaced).unwrap_err();
                open_to_append(refused).unwrap_err();
            }
            for refused in ["link", "nowhere"] {
                open_to_append(&at(refused)).unwrap_err();
            }
            assert_eq!((fs::read(&path).unwrap(), at("gone").exists()), (b"old".to_vec(), false));
            assert!(!Path::new("/dev/null").is_file());
        }

        #[test]
        fn a_file_that_is_made_for_lines_is_not_written_through_its_other_names() {
            let (folder, path) = folder();
            let other = folder.path().join("other");
            fs::hard_link(&path, &other).unwrap();
            create(&path, Existing::Replaced).unwrap().write_all(b"new").unwrap();
            assert_eq!(
                (fs::read(&path).unwrap(), fs::read(&other).unwrap()),
                (b"new".to_vec(), b"old".to_vec())
            );
            create(&path, Existing::Kept).unwrap_err();
        }
    }

    #[test]
    fn what_is_appended_comes_behind_what_is_there() {
        let (folder, path) = folder();
        open_to_append(&path).unwrap().write_all(b" new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old new");
        open_to_append(&folder.path().join("b")).unwrap();
        assert_eq!(names(folder.path()), ["a", "b"]);
    }
}
