//! Which files are meant, by whatever name: files, folders of them, ids or labels in the store, studies.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use iotrial_import::Naming;
use iotrial_model::record::AttributeValue;
use iotrial_session::store::{is_called_record, records_in};
use iotrial_session::study::{self, OfferedRecord};

use super::file::STANDARD_INPUT;
use super::{Input, IntakeError, Kind, Takes, archive, open, open_source, open_with_text};
use crate::cli::StoreArgs;
use crate::failure::Failure;
use crate::output::say;
use crate::parallel::in_parallel;
use crate::store::open_store_to_read;

/// Folders in folders beyond this are not looked into.
const DEEPEST_FOLDER: usize = 16;

/// Label and attributes of a configuration, as a study has them.
type Name = (String, BTreeMap<String, AttributeValue>);

/// A file that is meant.
#[derive(Debug, Clone)]
pub struct Source {
    /// Where it lies; `-` is standard input.
    pub path: PathBuf,
    /// Whether it is meant itself, by its path, its id or its label, and not only its folder.
    pub is_named: bool,
    /// What its configuration is called, where a study says it.
    pub name: Option<Name>,
}

/// What a folder stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folders {
    /// The records of iotrial in it; without any, all files in it and below.
    Records,
    /// The records of iotrial in it, and all other files in it and below.
    RecordsAndFiles,
    /// The files in it and below that are no records of iotrial.
    Files,
    /// Nothing: one result is wanted.
    Refused,
}

/// How a command takes what the user names.
pub struct Intake<'i> {
    /// What it has a use for.
    pub takes: Takes,
    /// What it makes of a folder.
    pub folders: Folders,
    /// Where ids and labels are looked up; `None` where names are paths only.
    pub store: Option<&'i StoreArgs>,
    /// Whether a study stands for what is measured of it, and under which profile; `None` where a study is refused.
    pub study_profile: Option<Option<&'i str>>,
}

impl Intake<'_> {
    /// The files that are meant, in the order in which they were named.
    pub fn find<N: AsRef<Path>>(&self, names: &[N]) -> Result<Vec<Source>, Failure> {
        let mut sources: Vec<Source> = Vec::new();
        let named: HashSet<&Path> = names.iter().map(AsRef::as_ref).collect();
        let meant = |path: PathBuf| Source { path, is_named: true, name: None };
        // Paths need no store.
        let mut store = None;
        for name in names {
            let path = name.as_ref();
            // A folder before the store: a label that is also a folder is meant as what a shell shows.
            if path.is_dir() {
                let in_folder =
                    |path: PathBuf| Source { is_named: named.contains(path.as_path()), ..meant(path) };
                match self.files_of(path) {
                    Ok(files) => sources.extend(files.into_iter().map(in_folder)),
                    // Volumes and what was measured on them are often called alike.
                    Err(failure) => {
                        let labelled = self.labelled(path).ok_or(failure)?;
                        say!("note: `{0}` is the label; the folder `./{0}` has no records", path.display());
                        sources.extend(labelled.into_iter().map(meant));
                    }
                }
            } else if let Some(listed) = self.in_archive(path) {
                let listed = listed?.into_iter();
                sources.extend(listed.map(|path| Source { is_named: false, ..meant(path) }));
            } else if path == Path::new(STANDARD_INPUT) || path.symlink_metadata().is_ok() {
                sources.push(meant(path.to_owned()));
            } else {
                // After the paths: what a shell completed must mean that file, whatever somebody called a result.
                let Some(args) = self.store else { return Err(nowhere(path)) };
                let opened = match store.take() {
                    Some(opened) => opened,
                    None => open_store_to_read(args)?,
                };
                sources.extend(opened.named(&path.to_string_lossy())?.into_iter().map(meant));
                store = Some(opened);
            }
        }
        Ok(sources)
    }

    /// The records that a bare name stands for in the store; `None` where it is none of its labels, or a path.
    fn labelled(&self, name: &Path) -> Option<Vec<PathBuf>> {
        let text = name.to_str().filter(|text| !text.contains(['/', '\\']) && !text.starts_with('.'))?;
        open_store_to_read(self.store?).ok()?.named(text).ok()
    }

    /// What an archive stands for, as a folder does; `None` of what is none, and where one result is wanted.
    fn in_archive(&self, path: &Path) -> Option<Result<Vec<PathBuf>, Failure>> {
        if self.folders == Folders::Refused {
            return None;
        }
        let listed = archive::list(path)?.map_err(|error| IntakeError::of_read(path, error).into());
        Some(listed.and_then(|mut files| {
            let is_of_iotrial = |path: &PathBuf| {
                path.file_name().is_some_and(|name| name.to_string_lossy().contains(".iotrial"))
            };
            match self.folders {
                Folders::Files => files.retain(|path| !is_of_iotrial(path)),
                Folders::Records if files.iter().any(|path| is_called_record(path)) => {
                    files.retain(|path| is_called_record(path));
                }
                _ => {}
            }
            files.sort_by_cached_key(|path| in_order(path));
            if files.is_empty() {
                return Err(Failure::input(anyhow!("the archive `{}` has no files", path.display())));
            }
            Ok(files)
        }))
    }

    fn files_of(&self, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
        let records = || records_in(folder).map_err(Failure::input);
        let files = || files_in(folder).map_err(Failure::input);
        let found = match self.folders {
            Folders::Refused => return Err(self.takes.refuse(&folder.to_string_lossy(), Kind::Folder)),
            Folders::Files => files()?,
            Folders::RecordsAndFiles => [records()?, files()?].concat(),
            // Records alone where there are any: the pages and exports beside them were made from them.
            Folders::Records => match records()? {
                none if none.is_empty() => files()?,
                records => records,
            },
        };
        // An empty folder is an error and no empty answer: it is mostly the wrong one.
        if !found.is_empty() {
            return Ok(found);
        }
        let folder = folder.display();
        Err(match self.folders {
            Folders::Records => Failure::input(anyhow!("the folder `{folder}` has no records"))
                .hint("records end in .iotrial.json or .iotrial.json.zst".to_owned()),
            _ => Failure::input(anyhow!("the folder `{folder}` has no files")),
        })
    }

    /// Opens files, several at a time, and makes of each at once what is kept of it, so that never all of them are in memory.
    /// What is measured of a study stands in its place.
    pub fn open_all<T: Send>(
        &self,
        sources: Vec<Source>,
        work: impl Fn(&Source, Result<Input, IntakeError>) -> T + Sync,
    ) -> Result<Vec<(Source, T)>, Failure> {
        let opened = in_parallel(&sources, |source| match open_source(source, &Naming::default()) {
            Ok(Input::Other(Kind::Study)) if source.is_named && self.study_profile.is_some() => None,
            input => Some(work(source, input)),
        });
        let mut all = Vec::with_capacity(sources.len());
        // Studies are opened one after the other, because what they stand for is in the store, and known only now.
        for (source, done) in sources.into_iter().zip(opened) {
            match done {
                Some(done) => all.push((source, done)),
                None => {
                    let measured = self.measured_of(&source.path)?;
                    let done = in_parallel(&measured, |one| work(one, open_source(one, &Naming::default())));
                    all.extend(measured.into_iter().zip(done));
                }
            }
        }
        Ok(all)
    }

    fn measured_of(&self, study: &Path) -> Result<Vec<Source>, Failure> {
        if study == Path::new(STANDARD_INPUT) {
            let error = anyhow!(
                "a study cannot be read from standard input: its paths are relative to the folder it is in"
            );
            return Err(Failure::input(error).hint("give the path of the study file".to_owned()));
        }
        let store = open_store_to_read(self.store.unwrap_or(&StoreArgs::default()))?;
        let measured = study::measured(study, self.study_profile.flatten(), &store)?;
        let source = |one: study::Measured| Source {
            path: one.record,
            is_named: true,
            name: Some((one.label, one.attributes)),
        };
        Ok(measured.into_iter().map(source).collect())
    }

    /// The records of runs that are meant, each with its text; anything else is refused.
    pub fn open_runs<N: AsRef<Path>>(&self, names: &[N]) -> Result<Vec<OfferedRecord>, Failure> {
        let open = |Source { path, .. }: Source| match open_with_text(&path)
            .map_err(|error| self.takes.with_hint(error))?
        {
            (Input::Run(record), text) => Ok(OfferedRecord { path, record: *record, text }),
            (other, _) => Err(self.takes.refuse(&path.display().to_string(), other.kind())),
        };
        self.find(names)?.into_iter().map(open).collect()
    }

    /// The one result that is meant.
    pub fn open_one(&self, name: &str) -> Result<Input, Failure> {
        let sources = self.find(&[name])?;
        let [source] = sources.as_slice() else {
            let error = anyhow!("`{name}` is the label of {} records, but one is needed", sources.len());
            return Err(
                Failure::input(error).hint("`iotrial records` lists them: give one by its id".to_owned())
            );
        };
        open(&source.path, &Naming::default()).map_err(|error| self.takes.with_hint(error))
    }
}

fn nowhere(path: &Path) -> Failure {
    Failure::input(anyhow!("there is no file or folder `{}`", path.display()))
        .hint("- stands for standard input".to_owned())
}

/// Every regular file in a folder and those in it, by name. Links are not followed, and records of iotrial are no files of other tools.
fn files_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    add_files(folder, 0, &mut files)?;
    // The order of a folder differs from one file system to the next, and labels and tables follow from it.
    files.sort_by_cached_key(|path| in_order(path));
    Ok(files)
}

/// What files are sorted by: their names with each number as a number, so that `qd4` comes before `qd16`.
fn in_order(path: &Path) -> Vec<(String, u64)> {
    let name = path.to_string_lossy();
    let mut parts = Vec::new();
    let mut rest: &str = name.as_ref();
    while !rest.is_empty() {
        let words = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest[words..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - words);
        // A number that is too large for any load is last, and after it the text decides.
        parts.push((rest[..words].to_owned(), rest[words..words + digits].parse().unwrap_or(u64::MAX)));
        rest = &rest[words + digits..];
    }
    parts.push((name.into_owned(), 0));
    parts
}

fn add_files(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    // Links are left alone: one that leads upwards would never end.
    let listing = std::fs::read_dir(folder).with_context(|| format!("cannot list `{}`", folder.display()))?;
    for entry in listing {
        let entry = entry.with_context(|| format!("cannot list `{}`", folder.display()))?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = entry.file_name().to_string_lossy().into_owned();
        if kind.is_dir() && depth < DEEPEST_FOLDER {
            add_files(&path, depth + 1, files)?;
        } else if kind.is_file() && !name.contains(".iotrial") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_loads_are_in_the_order_of_their_numbers() {
        let mut files = ["qd64.json", "qd1.json", "qd16.json", "qd4.json"].map(Path::new);
        files.sort_by_cached_key(|path| in_order(path));
        assert_eq!(files, ["qd1.json", "qd4.json", "qd16.json", "qd64.json"].map(Path::new));
    }
}
