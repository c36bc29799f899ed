//! Which files this process has read: none of them may be replaced by what it writes.
//!
//! Of the whole process and not of one command, because it is asked where files are opened. A list that each command kept of its own
//! inputs would be as complete as the memory of whoever added the last option.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use iotrial_engine::targets::{FileId, file_id, file_id_at};

#[cfg(unix)]
#[path = "read_files/unix.rs"]
mod os;
#[cfg(windows)]
#[path = "read_files/windows.rs"]
mod os;

/// How often each was read. By the file and not by its name: a link, a hard link and another spelling lead to the same one.
static READ: Mutex<BTreeMap<FileId, u32>> = Mutex::new(BTreeMap::new());

/// Notes a file that is read.
pub fn note(file: &File) {
    // One that the system cannot tell from others has no name either that an output could take.
    if let Ok(id) = file_id(file) {
        count(id);
    }
}

/// Notes the file that a shell redirected standard input from.
pub fn note_standard_input() {
    if let Ok(file) = os::standard_input() {
        note(&file);
    }
}

/// Notes a file before it is opened, or one that is worked on in another way.
pub fn note_at(path: &Path) {
    if let Ok(id) = id_of(path) {
        count(id);
    }
}

/// Takes one reading of a file back that was only looked at: it lies in a folder that was named, and is of no use to the command. An
/// option may name the same file, and that reading stays.
pub fn forget(path: &Path) {
    let Ok(id) = id_of(path) else { return };
    if let Entry::Occupied(mut times) = read().entry(id) {
        *times.get_mut() -= 1;
        if *times.get() == 0 {
            times.remove();
        }
    }
}

/// Whether a file was read.
pub fn contains(id: FileId) -> bool {
    read().contains_key(&id)
}

/// The standard stream that a shell redirected into a file, which would be gone if another took its place.
pub fn stream_into(id: FileId) -> Option<&'static str> {
    let streams = [("standard output", os::standard_output()), ("standard error", os::standard_error())];
    let goes_there = |file: File| file_id(&file).is_ok_and(|other| other == id);
    streams.into_iter().find_map(|(name, stream)| stream.is_ok_and(goes_there).then_some(name))
}

/// Of what the path leads to, which is not opened: that may be a pipe.
fn id_of(path: &Path) -> io::Result<FileId> {
    file_id_at(&path.canonicalize()?)
}

fn count(id: FileId) {
    *read().entry(id).or_insert(0) += 1;
}

fn read() -> MutexGuard<'static, BTreeMap<FileId, u32>> {
    READ.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::fs;

    use super::*;
    use crate::bounded_file::{Pipes, read_text};

    #[test]
    fn a_file_that_was_read_is_known_by_all_its_names_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // Other tests of this process read files and remove them, and a new file may get the number of one of those.
        let _kept: Vec<File> = ["a", "b"].iter().flat_map(|name| new_to_this_process(&at(name))).collect();
        fs::hard_link(at("a"), at("c")).unwrap();
        let is_read = |name: &str| contains(file_id_at(&at(name)).unwrap());
        read_text(&at("a"), Pipes::Refused).unwrap();
        assert_eq!(["a", "b", "c"].map(is_read), [true, false, true]);
        forget(&at("c"));
        assert_eq!(["a", "b", "c"].map(is_read), [false; 3]);
        // An option names it, and then it is found in a folder.
        note_at(&at("b"));
        read_text(&at("b"), Pipes::Refused).unwrap();
        for is_still_read in [true, false, false] {
            forget(&at("b"));
            assert_eq!(is_read("b"), is_still_read);
        }
    }

    /// Makes a file that nothing has read yet, and returns the others that it made for that, whose numbers are taken while they are open.
    fn new_to_this_process(path: &Path) -> Vec<File> {
        let mut others = Vec::new();
        loop {
            fs::write(path, "text").unwrap();
            if !contains(file_id_at(path).unwrap()) {
                return others;
            }
            others.push(File::open(path).unwrap());
            fs::remove_file(path).unwrap();
        }
    }
}
