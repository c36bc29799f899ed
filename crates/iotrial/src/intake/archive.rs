//! Archives as folders: what is in `results.zip` has the path `results.zip/fio.json`, which nothing on the disk has.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use iotrial_import::archive::{MOST_ARCHIVE_BYTES, MOST_UNPACKED_BYTES, Members, is_archive, members_of};
use iotrial_import::{HEAD_BYTES, ImportError};
use iotrial_session::bounded_file::{OpenedFile, Pipes, open_to_read, read_to_end_within};

use super::file::ReadError;

/// What is in the archives that this process was given, by their paths.
// Kept, because each file in it is opened by its own path, as those of a folder are.
static OPENED: Mutex<BTreeMap<PathBuf, Members>> = Mutex::new(BTreeMap::new());

fn opened() -> MutexGuard<'static, BTreeMap<PathBuf, Members>> {
    OPENED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The paths of all files in an archive; `None` of what is none.
pub(super) fn list(path: &Path) -> Option<Result<Vec<PathBuf>, ReadError>> {
    let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file());
    (is_file && begins_as_archive(path)).then(|| {
        let members = open(path)?;
        let mut paths: Vec<PathBuf> = members.keys().map(|name| path.join(name)).collect();
        paths.sort();
        let mut all = opened();
        all.insert(path.to_owned(), members);
        let bytes: usize = all.values().flat_map(Members::values).map(Vec::len).sum();
        if bytes > MOST_UNPACKED_BYTES {
            return Err(ImportError::TooLarge { most_mib: MOST_UNPACKED_BYTES >> 20 }.into());
        }
        Ok(paths)
    })
}

/// Looked at without counting as read: most files that are named are none.
fn begins_as_archive(path: &Path) -> bool {
    let head_of = |length: u64| {
        let mut head = Vec::new();
        File::open(path).and_then(|file| file.take(length).read_to_end(&mut head)).map(|_| head)
    };
    // Compressed ones show it only when a whole block is there.
    let begins = |head: &[u8]| {
        const MAGIC: [&[u8]; 2] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd"];
        MAGIC.iter().any(|magic| head.starts_with(magic))
    };
    match head_of(512) {
        Ok(head) if begins(&head) => head_of(HEAD_BYTES as u64).is_ok_and(|head| is_archive(&head)),
        Ok(head) => is_archive(&head),
        Err(_) => false,
    }
}

fn open(path: &Path) -> Result<Members, ReadError> {
    let OpenedFile { file, length } = open_to_read(path, Pipes::Refused)?;
    let mut bytes = Vec::new();
    read_to_end_within(file, length, MOST_ARCHIVE_BYTES as u64, &mut bytes)?;
    Ok(members_of(&bytes)?)
}

/// The content of a file in an archive that was listed.
pub(super) fn content(path: &Path) -> Option<Vec<u8>> {
    let all = opened();
    all.iter().find_map(|(archive, members)| members.get(path.strip_prefix(archive).ok()?).cloned())
}

/// Whether it is such a file.
pub(super) fn has(path: &Path) -> bool {
    let all = opened();
    all.iter()
        .any(|(archive, members)| path.strip_prefix(archive).is_ok_and(|name| members.contains_key(name)))
}
