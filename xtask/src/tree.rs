//! The files of a workspace, and which of them are code that ships.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::source::Source;

/// Where compilers put what they make, below the folder of the workspace. Only there: a module may be named `target`.
const MADE: [&str; 3] = ["target", "fuzz/target", ".git"];

/// A crate, with its code read.
pub(crate) struct Crate {
    pub(crate) name: String,
    /// Below that of the workspace.
    pub(crate) folder: String,
    /// Files below `src` that are compiled without `cfg(test)`, by their paths below the folder of the crate.
    pub(crate) production: BTreeMap<String, Source>,
    /// All other Rust files: tests, benches, examples, and modules of `src` that only tests have.
    pub(crate) tests: BTreeMap<String, Source>,
}

impl Crate {
    /// Reads a crate of the workspace in `root`.
    fn read(root: &Path, folder: PathBuf) -> anyhow::Result<Self> {
        let name = folder.file_name().context("a crate has a folder")?.to_string_lossy().into_owned();
        let mut production = BTreeMap::new();
        let mut tests = BTreeMap::new();
        let mut of_tests = BTreeSet::new();
        for path in files(root, &folder, "rs") {
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
            let source = Source::read(&text);
            let below = path.strip_prefix(&folder)?.to_string_lossy().replace('\\', "/");
            of_tests.extend(source.test_modules().iter().map(|module| module.file_of(&below)));
            if below.starts_with("src/") { &mut production } else { &mut tests }.insert(below, source);
        }
        let folder = folder.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
        let is_of_tests = |path: &str| {
            of_tests.iter().any(|stem| {
                path.strip_prefix(stem.as_str()).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
            })
        };
        tests.extend(production.extract_if(.., |path, _| is_of_tests(path)));
        Ok(Self { name, folder, production, tests })
    }

    /// Whether other crates can use it.
    pub(crate) fn is_library(&self) -> bool {
        self.production.contains_key("src/lib.rs")
    }
}

/// Every crate of the workspace in `root`, by name.
pub(crate) fn crates(root: &Path) -> anyhow::Result<Vec<Crate>> {
    let members = fs::read_dir(root.join("crates"))?;
    let mut folders: Vec<PathBuf> = members.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    folders.push(root.join("xtask"));
    folders.sort();
    folders.into_iter().map(|folder| Crate::read(root, folder)).collect()
}

/// The files below `folder`, a part of the workspace in `root`, that end in `extension`, and not those that a compiler made.
pub(crate) fn files(root: &Path, folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            if !path.strip_prefix(root).is_ok_and(is_made) {
                found.extend(files(root, &path, extension));
            }
        } else if path.extension().is_some_and(|one| one == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Whether a folder below that of the workspace holds what a compiler made.
fn is_made(folder: &Path) -> bool {
    MADE.iter().any(|made| folder == Path::new(made))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_folder_named_target_is_seen_and_those_of_the_compiler_are_not() {
        for made in ["target", "fuzz/target", ".git"] {
            assert!(is_made(Path::new(made)), "{made}");
        }
        for ours in ["crates/iotrial-engine/src/target", "crates/target", "fuzz", "docs/target"] {
            assert!(!is_made(Path::new(ours)), "{ours}");
        }
    }

    #[test]
    fn every_file_that_git_knows_is_seen() {
        let root = crate::workspace::root().unwrap();
        let listed = std::process::Command::new("git").args(["ls-files", "*.rs"]).current_dir(&root).output();
        let listed = match listed {
            Ok(listed) if listed.status.success() => listed,
            _ => return eprintln!("skipped: this is no checkout of git"),
        };
        let seen: BTreeSet<PathBuf> = files(&root, &root, "rs").into_iter().collect();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let lost: Vec<&str> = listed
            .lines()
            .filter(|file| root.join(file).exists() && !seen.contains(&root.join(file)))
            .collect();
        assert!(lost.is_empty(), "the checks do not see {lost:#?}");
    }

    #[test]
    fn what_only_tests_compile_does_not_count_as_production() {
        let crates = crates(&crate::workspace::root().unwrap()).unwrap();
        let production = |file: &str| crates.iter().any(|one| one.production.contains_key(file));
        let tests = |file: &str| crates.iter().any(|one| one.tests.contains_key(file));
        for file in ["src/audit/tests.rs", "src/architecture.rs", "src/sweep/tests.rs", "tests/it/program.rs"]
        {
            assert!(tests(file) && !production(file), "{file}");
        }
        for file in ["src/lib.rs", "src/main.rs", "src/audit.rs", "src/sweep.rs"] {
            assert!(production(file) && !tests(file), "{file}");
        }
    }
}
