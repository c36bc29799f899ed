//! Directories on Linux: every step leads through the open directory (`openat` and its family), never through
//! its path again.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, RenameFlags, StatxFlags};
use rustix::io::Errno;

use super::super::os::{FileId, file_id, id_of_stat};

/// A directory, held by an open handle.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    /// A file, though of a directory: the identity of both is asked in the same way.
    handle: File,
}

/// A file or directory is found, but nothing in it is read or woken.
const LOOK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Only its owner reads and writes a file that is made.
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

impl Directory {
    /// Opens the directory at `path`, and refuses a symbolic link anywhere in the path (`ENOTDIR`).
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        // Step by step, each from the last: what `openat2` does with RESOLVE_NO_SYMLINKS, but on every kernel,
        // and also where a container's filter knows no `openat2`.
        let mut handle: Option<OwnedFd> = None;
        let step = |from: Option<&OwnedFd>, name: &OsStr| match from {
            Some(from) => rustix::fs::openat(from, name, LOOK | OFlags::DIRECTORY, Mode::empty()),
            None => rustix::fs::openat(CWD, name, LOOK | OFlags::DIRECTORY, Mode::empty()),
        };
        for component in path.components() {
            let name = match component {
                Component::RootDir => OsStr::new("/"),
                Component::CurDir => OsStr::new("."),
                Component::ParentDir => OsStr::new(".."),
                Component::Normal(name) => name,
                Component::Prefix(_) => continue,
            };
            handle = Some(step(handle.as_ref(), name)?);
        }
        let handle = match handle {
            Some(handle) => handle,
            None => step(None, OsStr::new("."))?,
        };
        Ok(Self { path: path.to_owned(), handle: handle.into() })
    }

    /// The name by which it was opened, for messages; where it leads by now does not matter.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn id(&self) -> io::Result<FileId> {
        file_id(&self.handle)
    }

    /// A path that leads into this directory, whatever its name leads to: for questions that only take a path.
    pub(crate) fn way(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.handle.as_raw_fd()).into()
    }

    /// All names in it but `.` and `..`, in any order.
    pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        // A handle that reads: the one that is held only leads there.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        for entry in Dir::new(rustix::fs::openat(&self.handle, ".", flags, Mode::empty())?)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        Ok(names)
    }

    /// A handle on what has the name, whatever it is, without following it or waking it; `None` where nothing
    /// has. Nothing can be read by it: `reopen_verified` makes a handle of it that can.
    pub(crate) fn find(&self, name: &OsStr) -> io::Result<Option<File>> {
        match rustix::fs::openat(&self.handle, name, LOOK, Mode::empty()) {
            Ok(found) => Ok(Some(found.into())),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a regular file that only its owner can read, and hands it to `finish` before it gets its name: a
    /// program that is killed in between leaves nothing. Fails if anything has the name.
    pub(crate) fn make_file(
        &self,
        name: &OsStr,
        finish: &dyn Fn(&File) -> io::Result<()>,
    ) -> io::Result<File> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.handle, ".", flags, PRIVATE_FILE) {
            Ok(unnamed) => {
                let unnamed = File::from(unnamed);
                finish(&unnamed)?;
                let way = format!("/proc/self/fd/{}", unnamed.as_raw_fd());
                match rustix::fs::linkat(CWD, way, &self.handle, name, AtFlags::SYMLINK_FOLLOW) {
                    Ok(()) => return Ok(unnamed),
                    Err(Errno::EXIST) => return Err(Errno::EXIST.into()),
                    // Without links, or without `/proc`; the file is gone with its handle.
                    Err(_) => {}
                }
            }
            // FAT, NFS and file systems in user space know no files without a name.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOSYS | Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        self.make_file_aside(name, finish)
    }

    /// The same under a name that `clean` knows, until the file is finished.
    fn make_file_aside(&self, name: &OsStr, finish: &dyn Fn(&File) -> io::Result<()>) -> io::Result<File> {
        let aside = name_aside();
        let new = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&self.handle, &*aside, new, PRIVATE_FILE)?);
        match finish(&file).and_then(|()| self.rename_if_free(&aside, name)) {
            Ok(()) => Ok(file),
            Err(error) if is_lacking(&error) => {
                self.unlink(&aside)?;
                // Nothing is left but to take the name first. Killed before the end of `finish`, the program
                // leaves a file that nobody knows.
                let file = File::from(rustix::fs::openat(&self.handle, name, new, PRIVATE_FILE)?);
                match finish(&file) {
                    Ok(()) => Ok(file),
                    Err(error) => {
                        let _ = self.remove(name, file);
                        Err(error)
                    }
                }
            }
            Err(error) => {
                let _ = self.unlink(&aside);
                Err(error)
            }
        }
    }

    /// Removes the name if it is that of `file`; `false` if it is another one's by now, which stays.
    /// `file` and its lock stay until that is done: nobody can begin to use it in between.
    pub(crate) fn remove(&self, name: &OsStr, file: File) -> io::Result<bool> {
        let id = file_id(&file)?;
        if self.id_of(name)? != Some(id) {
            return Ok(false);
        }
        // No call removes a name only if it leads to a certain file, and between a look and the removal
        // anybody may give the name to another one. Under a name that nobody knows there is nobody to do that.
        // It is one that `clean` finds, should this program be killed before the next step.
        let aside = name_aside();
        rustix::fs::renameat(&self.handle, name, &self.handle, &*aside)?;
        if self.id_of(&aside)? == Some(id) {
            self.unlink(&aside)?;
            return Ok(true);
        }
        // It was another one's already. Should the name be taken once more meanwhile, both stay.
        self.rename_if_free(&aside, name).map_err(|error| {
            let (name, aside) = (name.display(), aside.display());
            io::Error::new(error.kind(), format!("`{name}` was exchanged, and is now named `{aside}`"))
        })?;
        Ok(false)
    }

    /// Makes one directory that only its owner can enter, and opens it.
    pub(crate) fn make_directory(&self, name: &OsStr) -> io::Result<Self> {
        rustix::fs::mkdirat(&self.handle, name, Mode::RWXU)?;
        let handle = rustix::fs::openat(&self.handle, name, LOOK | OFlags::DIRECTORY, Mode::empty())?;
        Ok(Self { path: self.path.join(name), handle: handle.into() })
    }

    /// Removes the directory `made` if it still has the name and nothing is in it; `false` if it stays.
    pub(crate) fn remove_directory(&self, name: &OsStr, made: &Self) -> io::Result<bool> {
        // Not renamed first, as a file is: others may be at work in it. What could be removed wrongly in the
        // moment between the two calls is a directory without anything in it.
        if self.id_of(name)? != Some(made.id()?) {
            return Ok(false);
        }
        match rustix::fs::unlinkat(&self.handle, name, AtFlags::REMOVEDIR) {
            Ok(()) => Ok(true),
            // POSIX allows either for one that is not empty.
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Whose name it is, without following a link; `None` where nothing has it.
    pub(crate) fn id_of(&self, name: &OsStr) -> io::Result<Option<FileId>> {
        // Without a handle: what was made must be removable also where no further file can be opened.
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(id_of_stat(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The id of the mount that it is on, where the kernel tells it.
    pub(crate) fn mount_id(&self) -> Option<u64> {
        let statx = rustix::fs::statx(&self.handle, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?;
        (statx.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(statx.stx_mnt_id)
    }

    fn unlink(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    /// Gives a file another name unless anything has it.
    fn rename_if_free(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (here, kept) = (&self.handle, RenameFlags::NOREPLACE);
        match rustix::fs::renameat_with(here, from, here, to, kept) {
            // NFS and others rename, but not on this condition. A link is made only where the name is free.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                rustix::fs::linkat(here, from, here, to, AtFlags::empty())?;
                self.unlink(from)
            }
            renamed => Ok(renamed?),
        }
    }
}

/// Whether a file system has neither the rename nor the link that was tried.
fn is_lacking(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(errno, Some(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL))
}

/// A name that nobody else knows, and that `clean` takes for one of iotrial's.
fn name_aside() -> OsString {
    // The keys of a new hasher come from the system's random numbers.
    let number = std::hash::RandomState::new().build_hasher().finish();
    OsStr::from_bytes(format!("{}{number:016x}.iotrial", super::ASIDE).as_bytes()).to_owned()
}
