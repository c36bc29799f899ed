//! The areas of a plan, verified and held: what an engine opens its handles from.
//!
//! An engine needs handles of its own, because what it does with them depends on flags that only an open can
//! set: overlapped I/O of Windows is one. A second open by name would ask anew who the name leads to. So the
//! handle by which an area was verified stays open for as long as the area is held, and every later one is
//! compared with it: see `reopen_verified`.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::os::{self, Access, HandleFlags};
use crate::content::Content;
use crate::queue::OpenArea;
use crate::uring::Tuning;

/// Handles as the area was verified, with nothing added.
pub(crate) const NO_FLAGS: HandleFlags = 0;

/// An area of the plan that was verified, and how its jobs use it.
#[derive(Debug)]
pub(super) struct HeldArea {
    pub(super) path: PathBuf,
    /// Verified, and tried with direct I/O where that is asked. Whoever prepared the area keeps the lock or
    /// the claim.
    pub(super) verified: File,
    pub(super) access: Access,
    pub(super) direct: bool,
    pub(super) content: Content,
}

/// The areas of a plan in its order; none where the engine touches no target.
#[derive(Debug, Default)]
pub struct HeldAreas {
    areas: Vec<HeldArea>,
    /// What the engine found out about them, for the loads that follow.
    pub(crate) tuning: Tuning,
}

/// An area cannot be opened for a load.
#[derive(Debug, thiserror::Error)]
#[error("cannot open `{}` for the load", path.display())]
pub struct OpenAreaError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

impl HeldAreas {
    pub(super) fn new(areas: Vec<HeldArea>) -> Self {
        Self { areas, ..Self::default() }
    }

    /// The handles by which the areas were verified, with what is written to each.
    pub(crate) fn handles(&self) -> impl Iterator<Item = (&File, Content)> {
        self.areas.iter().map(|area| (&area.verified, area.content))
    }

    /// The handle by which an area was verified, and what it is called.
    pub(super) fn verified(&self, place: usize) -> (&Path, &File) {
        let area = &self.areas[place];
        (&area.path, &area.verified)
    }

    /// A file that nobody verified, through the page cache: for trying engines on files that misbehave.
    /// Nothing but tests may use it: it looks for no header, no lock and no claim.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, or is no regular file.
    #[doc(hidden)]
    pub fn of_file(path: &Path, writes: bool) -> io::Result<Self> {
        let access = Access::of(writes);
        let verified = os::open_existing(path, access, false)?;
        if !verified.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        Ok(Self::new(vec![HeldArea {
            path: path.to_owned(),
            verified,
            access,
            direct: false,
            content: Content::new(0, 0),
        }]))
    }

    /// A handle on each area, as its jobs use it: reading only where none writes, direct where the plan is.
    ///
    /// # Errors
    ///
    /// When one cannot be opened, or is no longer the one that was verified.
    pub(crate) fn open(&self, flags: HandleFlags) -> Result<Arc<[OpenArea]>, OpenAreaError> {
        let open = |area: &HeldArea| {
            let HeldArea { path, verified, access, direct, content } = area;
            let file = if flags == NO_FLAGS {
                // The verified handle again. Closing one that was opened for a load would end each load on a
                // raw device with a close after writing, upon which udev looks at the device: I/O of others,
                // in the next load.
                verified.try_clone()
            } else {
                os::reopen_verified(path, verified, *access, *direct, flags)
                    .and_then(|file| is_same(&file, verified).map(|()| file))
            };
            let file = file.map(|file| OpenArea { file, content: *content });
            file.map_err(|source| OpenAreaError { path: path.clone(), source })
        };
        self.areas.iter().map(open).collect()
    }
}

/// While the verified handle is open, nothing else can come by the identity that it has.
fn is_same(file: &File, verified: &File) -> io::Result<()> {
    if os::file_id(file)? == os::file_id(verified)? {
        return Ok(());
    }
    Err(io::Error::other("something else took its place"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_on_another_file_is_not_taken_for_the_verified_one() {
        let (verified, other) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        assert!(is_same(&verified.try_clone().unwrap(), &verified).is_ok());
        assert!(is_same(&other, &verified).is_err());
    }

    #[cfg(target_os = "linux")]
    mod on_linux {
        use super::*;

        #[test]
        fn an_engine_gets_the_file_that_was_verified_whatever_became_of_its_name() {
            use std::os::unix::fs::{FileExt as _, symlink};

            let place = tempfile::tempdir().unwrap();
            let (path, foreign) = (place.path().join("a"), place.path().join("foreign"));
            std::fs::write(&path, "ours").unwrap();
            std::fs::write(&foreign, "not ours").unwrap();
            let areas = HeldAreas::of_file(&path, true).unwrap();
            // The name is given to another file, and then to a link to one.
            for is_link in [false, true] {
                std::fs::remove_file(&path).unwrap();
                if is_link {
                    symlink(&foreign, &path).unwrap();
                } else {
                    std::fs::copy(&foreign, &path).unwrap();
                }
                // As it was verified, and with a flag that only an open can set.
                for flags in [NO_FLAGS, libc::O_DSYNC] {
                    let file = &areas.open(flags).unwrap()[0].file;
                    let mut content = [0; 4];
                    file.read_exact_at(&mut content, 0).unwrap();
                    assert_eq!(&content, b"ours");
                    file.write_all_at(b"mine", 0).unwrap();
                    file.write_all_at(b"ours", 0).unwrap();
                    assert_eq!(std::fs::read_to_string(&path).unwrap(), "not ours");
                }
            }
            assert_eq!(std::fs::read_to_string(&foreign).unwrap(), "not ours");
        }
    }
}
