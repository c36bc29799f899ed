//! A directory held open, in which files are made, found and removed whatever its name leads to by now.
//!
//! Between a look and the next call by the same path, anybody who may write to a directory above can put another
//! one in its place, or a symbolic link. What goes through the open directory goes where the look went.

use std::ffi::OsStr;
use std::fs::File;

#[cfg(target_os = "linux")]
#[path = "directory/linux.rs"]
mod held;
#[cfg(windows)]
#[path = "directory/windows.rs"]
mod held;

pub(crate) use held::Directory;

/// How the names begin under which files stand that are not finished yet, or that are about to go.
pub(crate) const ASIDE: &str = ".iotrial-";

/// Whether the file is one that a program made under such a name and did not come to mark: it has that name, and
/// no more in it than a mark that was cut off.
pub(crate) fn is_unfinished(name: &OsStr, file: &File) -> bool {
    // What is longer was marked before it grew.
    const MARKED_FROM: u64 = 4096;
    let number = name.to_str().and_then(|name| name.strip_prefix(ASIDE)?.strip_suffix(".iotrial"));
    let is_named = number
        .is_some_and(|number| number.len() == 16 && number.bytes().all(|byte| byte.is_ascii_hexdigit()));
    is_named && file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() < MARKED_FROM)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;
    use std::io::{self, Read as _, Write as _};
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    const NAME: &str = "data.iotrial";

    fn place() -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(place.path()).unwrap();
        (place, path)
    }

    fn make(directory: &Directory) -> io::Result<File> {
        directory.make_file(OsStr::new(NAME), &|mut file| file.write_all(b"ours"))
    }

    #[test]
    fn a_link_anywhere_in_the_path_is_refused() {
        let (_place, path) = place();
        fs::create_dir_all(path.join("real/below")).unwrap();
        symlink(path.join("real"), path.join("link")).unwrap();
        let kind = |path: &Path| Directory::open(path).unwrap_err().kind();
        assert_eq!(kind(&path.join("link")), io::ErrorKind::NotADirectory);
        assert_eq!(kind(&path.join("link/below")), io::ErrorKind::NotADirectory);
        assert_eq!(kind(&path.join("none")), io::ErrorKind::NotFound);
        assert!(Directory::open(&path.join("real/below")).is_ok());
    }

    #[test]
    fn what_is_made_and_removed_is_in_the_directory_that_was_opened_whatever_took_its_name() {
        let (_place, path) = place();
        let (here, there, victim) = (path.join("here"), path.join("there"), path.join("victim"));
        fs::create_dir(&here).unwrap();
        fs::create_dir(&victim).unwrap();
        fs::write(victim.join(NAME), "somebody's").unwrap();
        let directory = Directory::open(&here).unwrap();
        fs::rename(&here, &there).unwrap();
        symlink(&victim, &here).unwrap();
        let file = make(&directory).unwrap();
        assert_eq!(fs::read_to_string(there.join(NAME)).unwrap(), "ours");
        assert_eq!(directory.names().unwrap(), [NAME]);
        assert!(directory.remove(OsStr::new(NAME), file).unwrap());
        assert_eq!(fs::read_dir(&there).unwrap().count(), 0);
        assert_eq!(fs::read_to_string(victim.join(NAME)).unwrap(), "somebody's");
    }

    #[test]
    fn nothing_is_there_before_a_file_is_finished_and_nothing_after_it_fails() {
        let (_place, path) = place();
        let directory = Directory::open(&path).unwrap();
        let failed = directory.make_file(OsStr::new(NAME), &|_| {
            // Killed here, the program would leave this.
            assert!(fs::read_dir(&path).unwrap().all(|one| {
                let name = one.unwrap().file_name();
                is_unfinished(&name, &directory.find(&name).unwrap().unwrap())
            }));
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
        make(&directory).unwrap();
        assert_eq!(make(&directory).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_takes_the_name_at_any_moment_of_the_removal_stays() {
        let (_place, path) = place();
        let directory = Directory::open(&path).unwrap();
        let (name, foreign) = (path.join(NAME), path.join("foreign"));
        let mut exchanged_count = 0;
        for _ in 0..300 {
            let ours = make(&directory).unwrap();
            fs::write(&foreign, "somebody's").unwrap();
            let begins = AtomicBool::new(false);
            let is_removed = std::thread::scope(|scope| {
                scope.spawn(|| {
                    while !begins.load(Ordering::Acquire) {
                        std::hint::spin_loop();
                    }
                    fs::rename(&foreign, &name).unwrap();
                });
                begins.store(true, Ordering::Release);
                directory.remove(OsStr::new(NAME), ours).unwrap()
            });
            exchanged_count += usize::from(!is_removed);
            // Under its own name or under the one that it took, and nowhere else.
            let mut content = String::new();
            File::open(&name).unwrap().read_to_string(&mut content).unwrap();
            assert_eq!(content, "somebody's");
            assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
            fs::remove_file(&name).unwrap();
        }
        // Says how often the other one was first; any number is right.
        println!("exchanged before the removal: {exchanged_count} of 300");
    }

    #[test]
    fn a_directory_is_removed_if_it_is_the_one_that_was_made_and_empty() {
        let (_place, path) = place();
        let directory = Directory::open(&path).unwrap();
        let new = OsStr::new("new");
        let made = directory.make_directory(new).unwrap();
        fs::write(path.join("new/file"), "somebody's").unwrap();
        assert!(!directory.remove_directory(new, &made).unwrap());
        fs::rename(path.join("new"), path.join("old")).unwrap();
        fs::create_dir(path.join("new")).unwrap();
        assert!(!directory.remove_directory(new, &made).unwrap());
        assert!(path.join("new").is_dir() && path.join("old/file").exists());
    }
}
