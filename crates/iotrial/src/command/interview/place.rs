//! Where the test files go: asked until there is a directory that the load fits in.

use std::fs;
use std::path::{Path, PathBuf};

use dialoguer::theme::Theme;
use dialoguer::{Completion, Confirm, Input};
use iotrial_model::plan::TargetKind;
use iotrial_session::setup::Setup;

use super::{Answers, look_at};
use crate::output::{harmless, say};

/// A directory that the load fits in.
pub(super) struct Place {
    /// As it was typed, with the home folder written out.
    pub(super) target: String,
    /// Directories that were made for it, the outermost first.
    made: Vec<PathBuf>,
    /// What lies below it, to be compared with another place.
    pub(super) devices: Vec<String>,
}

impl Place {
    /// Removes the directories that were made, as long as they are empty.
    pub(super) fn take_back(self) {
        // Whatever is in one by now is not ours, and one that stays behind empty does no harm.
        self.made.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

/// Asks for a directory until there is one that the load fits in, says what is there, and asks again where that is doubtful.
pub(super) fn ask_place(
    theme: &dyn Theme,
    profile: &'static str,
    prompt: &str,
    usual: &str,
) -> dialoguer::Result<Place> {
    loop {
        let text: String = Input::with_theme(theme)
            .with_prompt(prompt)
            .default(usual.to_owned())
            .completion_with(&Folders)
            .validate_with(|text: &String| check(profile, &written_out(text)))
            .interact_text()?;
        let target = written_out(&text);
        let missing = missing_above(Path::new(&target));
        let mut place = Place { target, made: missing.clone(), devices: Vec::new() };
        if let (Some(first), Some(last)) = (missing.first(), missing.last()) {
            let question = format!("{} does not exist; create it", harmless(&first.to_string_lossy()));
            if !Confirm::with_theme(theme).with_prompt(question).default(true).interact()? {
                continue;
            }
            if let Err(error) = fs::create_dir_all(last) {
                say!("cannot create `{}`: {error}", last.display());
                place.take_back();
                continue;
            }
        }
        let setup = match look_at(&Answers::quick(profile, &place.target)) {
            Ok(setup) => setup,
            Err(reason) => {
                say!("{reason}");
                place.take_back();
                continue;
            }
        };
        say!("  {}", found(&setup));
        let is_taken = match doubt(&setup) {
            None => true,
            Some((doubt, default)) => {
                let question = format!("{doubt}. Use it anyway");
                Confirm::with_theme(theme).with_prompt(question).default(default).interact()?
            }
        };
        if is_taken {
            let records = setup.targets();
            let names = records.iter().flat_map(|target| target.nearest_devices());
            place.devices = names.map(str::to_owned).collect();
            return Ok(place);
        }
        place.take_back();
    }
}

/// Whether the load can run there, as far as it can be known; directories that are missing can be made.
fn check(profile: &'static str, target: &str) -> Result<(), String> {
    // Below /dev only a device is looked for otherwise, and this is no device.
    if Path::new(target).starts_with("/dev/shm") {
        return Err("/dev/shm is in memory, not on a disk".to_owned());
    }
    match missing_above(Path::new(target)).first().and_then(|first| first.parent()) {
        None => look_at(&Answers::quick(profile, target)).map(drop),
        // As if it were there: whether files can be made in it is known of the one above.
        Some(above) => {
            let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
            let inside = above.join(".iotrial-data");
            look_at(&Answers::quick(profile, &inside.to_string_lossy())).map(drop)
        }
    }
}

/// Directories above this one that are not there, the outermost first; the run makes the last part itself.
fn missing_above(target: &Path) -> Vec<PathBuf> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && fs::symlink_metadata(path).is_err();
    let mut missing: Vec<PathBuf> =
        target.ancestors().skip(1).take_while(is_missing).map(Path::to_owned).collect();
    missing.reverse();
    // Below a file nothing can be made, and below /dev nothing should be: that is for the look at the target to say.
    let is_made_in = |first: &PathBuf| {
        let above = first.parent().filter(|above| !above.as_os_str().is_empty());
        above.is_none_or(|above| above.is_dir() && !above.starts_with("/dev"))
    };
    if missing.first().is_some_and(is_made_in) { missing } else { Vec::new() }
}

/// `ext4 on sda1 at /mnt/a, 812 GiB free; the test files take 2 GiB until the end`.
fn found(setup: &Setup) -> String {
    let Some(probed) = setup.probed.first() else { return String::new() };
    let record = &probed.record;
    let mut words = record.filesystem.clone().unwrap_or_else(|| "file system".to_owned());
    let devices: Vec<&str> = record.nearest_devices().collect();
    if !devices.is_empty() {
        words += &format!(" on {}", devices.join(", "));
    }
    // Without the options, which stand behind it.
    let mount = record.mount.as_deref().map(|mount| mount.rsplit_once(" (").map_or(mount, |(at, _)| at));
    words.extend(mount.iter().map(|mount| format!(" at {mount}")));
    if let TargetKind::Directory(space) = &probed.facts.kind {
        words += &format!(", {} free", space.available);
    }
    harmless(&format!("{words}; the test files take {} until the end", setup.layout.written))
}

/// Why the place may not be the one that is meant, and what Enter then answers.
fn doubt(setup: &Setup) -> Option<(String, bool)> {
    let one = setup.probed.first()?;
    let name = harmless(&one.record.path);
    if one.record.in_memory {
        return Some((format!("{name} is in memory, so memory is measured and not a disk"), false));
    }
    let is_overlay = one.record.filesystem.as_deref() == Some("overlay");
    is_overlay.then(|| {
        (format!("{name} is in the layers of a container (overlay), where no database keeps its files; a volume has a mount point of its own"), true)
    })
}

/// A path as it was typed, with `~` as the home folder: no shell has seen it.
fn written_out(text: &str) -> String {
    let text = text.trim();
    let home = || std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => home()
            .and_then(|home| Some(format!("{}{rest}", home.to_str()?)))
            .unwrap_or_else(|| text.to_owned()),
        _ => text.to_owned(),
    }
}

/// Completes directories.
struct Folders;

impl Completion for Folders {
    fn get(&self, input: &str) -> Option<String> {
        completed(&written_out(input))
    }
}

/// The only directory that begins so, with a slash for what is in it; of several what they have in common.
fn completed(input: &str) -> Option<String> {
    let cut = input.rfind(std::path::is_separator).map_or(0, |at| at + 1);
    let (folder, begin) = input.split_at(cut);
    let is_meant = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        // What a terminal would take for an order cannot be shown, and so cannot be offered.
        let is_shown = !name.is_empty() && harmless(name) == name;
        is_shown && name.starts_with(begin) && (begin.starts_with('.') || !name.starts_with('.'))
    };
    let entries = fs::read_dir(if folder.is_empty() { "." } else { folder }).ok()?.flatten();
    let names = entries.filter(is_meant).filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> =
        names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let (first, last) = (names.first()?, names.last()?);
    if names.len() == 1 {
        return Some(format!("{folder}{first}/"));
    }
    // Sorted, so that what the first and the last have in common all of them have.
    let common: String =
        first.chars().zip(last.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    (common.len() > begin.len()).then(|| format!("{folder}{common}"))
}

#[cfg(test)]
#[allow(clippy::print_stderr, clippy::unwrap_used, reason = "tests, which say what they skip")]
mod tests {
    use super::*;

    #[test]
    fn tab_completes_directories_as_far_as_they_agree() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["data-one", "data-two", "log", ".hidden"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("loud"), "x").unwrap();
        let at = |name: &str| format!("{}/{name}", folder.path().display());
        for (typed, expected) in [
            ("d", Some("data-")),
            ("data-", None),
            ("data-t", Some("data-two/")),
            // A file is no place for test files.
            ("l", Some("log/")),
            ("x", None),
            (".", Some(".hidden/")),
        ] {
            assert_eq!(completed(&at(typed)), expected.map(at), "{typed}");
        }
        assert_eq!(completed("/no/such/folder/x"), None);
    }

    #[test]
    fn directories_that_are_missing_can_be_made_and_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a/b/data");
        assert_eq!(missing_above(&target), [folder.path().join("a"), folder.path().join("a/b")]);
        assert_eq!(missing_above(&folder.path().join("data")), Vec::<PathBuf>::new());
        assert_eq!(missing_above(Path::new("data")), Vec::<PathBuf>::new());
        check("sqlserver-log", &target.to_string_lossy()).unwrap();
        assert!(!folder.path().join("a").exists(), "a check makes nothing");
        let (made, devices) = (missing_above(&target), Vec::new());
        fs::create_dir_all(made.last().unwrap()).unwrap();
        Place { target: target.to_string_lossy().into_owned(), made, devices }.take_back();
        assert!(!folder.path().join("a").exists());
        // Nothing is made below a file, or among the devices.
        let file = folder.path().join("file");
        fs::write(&file, "x").unwrap();
        for wrong in [file.join("a/b"), "/dev/no/such/disk".into()] {
            assert!(check("sqlserver-log", &wrong.to_string_lossy()).is_err(), "{}", wrong.display());
        }
    }

    #[cfg(target_os = "linux")]
    mod on_linux {
        use super::*;

        #[test]
        fn a_file_system_in_memory_is_noticed() {
            let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
                return eprintln!("skipped: there is no /dev/shm to write to");
            };
            match look_at(&Answers::quick("sqlserver-log", &memory.path().to_string_lossy())) {
                Ok(setup) => {
                    assert!(
                        doubt(&setup).is_some_and(|(doubt, default)| doubt.contains("in memory") && !default)
                    )
                }
                Err(reason) => eprintln!("skipped: {reason}"),
            }
        }
    }
}
