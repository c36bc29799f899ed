//! Where the test files go: asked until there is a directory that the load fits in.

#[cfg(target_os = "linux")]
mod volumes;
#[cfg(not(target_os = "linux"))]
#[path = "place/no_volumes.rs"]
mod volumes;

use std::fs;
use std::path::Path;

use dialoguer::theme::Theme;
use dialoguer::{Completion, Confirm, Input, Select};
use iotrial_model::plan::TargetKind;
use iotrial_session::setup::Setup;

use super::{Answers, look_at};
use crate::output::{harmless, say};
use crate::presentation::aligned;

/// A directory that the load fits in.
pub(super) struct Place {
    /// As it was typed, with the home folder written out.
    pub(super) target: String,
    /// What lies below it, to be compared with another place.
    pub(super) devices: Vec<String>,
}

/// The last choice in the list of volumes.
const ANOTHER: &str = "another directory …";

/// Asks for a volume or a directory until there is one that the load fits in, says what is there, and asks again where that is doubtful.
pub(super) fn ask_place(
    theme: &dyn Theme,
    profile: &'static str,
    prompt: &str,
    usual: &str,
) -> dialoguer::Result<Place> {
    loop {
        let target = match ask_volume(theme, profile)? {
            Some(target) => target,
            None => {
                let text: String = Input::with_theme(theme)
                    .with_prompt(prompt)
                    .default(usual.to_owned())
                    .completion_with(&Folders)
                    .validate_with(|text: &String| check(profile, &written_out(text)))
                    .interact_text()?;
                written_out(&text)
            }
        };
        let setup = match look_at(&Answers::quick(profile, &target)) {
            Ok(setup) => setup,
            Err(reason) => {
                say!("{reason}");
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
            let devices = names.map(str::to_owned).collect();
            return Ok(Place { target, devices });
        }
    }
}

/// Asks which of the volumes that are mounted; `None` is another directory.
fn ask_volume(theme: &dyn Theme, profile: &'static str) -> dialoguer::Result<Option<String>> {
    let volumes: Vec<(String, Setup)> = volumes::directories()
        .into_iter()
        .filter_map(|target| look_at(&Answers::quick(profile, &target)).ok().map(|setup| (target, setup)))
        .collect();
    let rows: Vec<Vec<String>> = volumes.iter().map(|(target, setup)| volume_row(target, setup)).collect();
    let table = aligned(&rows, &[], &[]);
    let items: Vec<&str> = table.lines().chain([ANOTHER]).collect();
    // Whoever only presses Enter does not test the disk of the system where there is another one.
    let usual = volumes.iter().position(|(_, setup)| !is_of_system(setup)).unwrap_or_default();
    let chosen = Select::with_theme(theme).with_prompt("Where").items(&items).default(usual).interact()?;
    Ok(volumes.into_iter().nth(chosen).map(|(target, _)| target))
}

/// Directory, file system, device, size, room, and whether the system lives there.
fn volume_row(target: &str, setup: &Setup) -> Vec<String> {
    let Some(probed) = setup.probed.first() else { return vec![target.to_owned()] };
    let record = &probed.record;
    let size = record.devices.first().and_then(|device| device.size);
    let free = match &probed.facts.kind {
        TargetKind::Directory(space) => format!("{} free", space.available),
        _ => String::new(),
    };
    vec![
        target.to_owned(),
        record.filesystem.clone().unwrap_or_default(),
        record.nearest_devices().collect::<Vec<_>>().join(", "),
        size.map(|size| size.to_string()).unwrap_or_default(),
        free,
        if is_of_system(setup) { "system disk".to_owned() } else { String::new() },
    ]
}

/// Whether a directory is on the disk of the root file system.
fn is_of_system(setup: &Setup) -> bool {
    let system = volumes::system_disk();
    let mut devices = setup.probed.iter().flat_map(|probed| &probed.record.devices);
    system.is_some_and(|system| devices.any(|device| device.name == system))
}

/// Whether the load can run there, as far as it can be known: what the command line refuses is refused here too, in the same words.
fn check(profile: &'static str, target: &str) -> Result<(), String> {
    // Below /dev only a device is looked for otherwise, and this is no device.
    if Path::new(target).starts_with("/dev/shm") {
        return Err("/dev/shm is in memory, not on a disk".to_owned());
    }
    look_at(&Answers::quick(profile, target)).map(drop)
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
    if is_of_system(setup) {
        words += ", the system disk,";
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
    fn a_directory_that_is_missing_above_the_one_for_the_files_is_refused_and_nothing_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "x").unwrap();
        for wrong in [folder.path().join("a/b/data"), file.join("a/b"), "/dev/no/such/disk".into()] {
            assert!(check("sqlserver-log", &wrong.to_string_lossy()).is_err(), "{}", wrong.display());
        }
        check("sqlserver-log", &folder.path().join("data").to_string_lossy()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
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
