//! Files read for a comparison: of each is kept what a comparison needs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use anyhow::Context;
use iotrial_analysis::comparison::Sample;
use iotrial_analysis::imported::imported_findings;
use iotrial_import::Naming;
use iotrial_model::imported::ImportedRecord;
use iotrial_model::subject::Subject;

use crate::foreign;
use crate::output::harmless;
use crate::parallel::in_parallel;
use crate::store::{is_imported, is_record, is_sweep, read_imported, read_record};

/// What a file holds, as far as a comparison needs it.
pub enum Content {
    /// A record of iotrial.
    Run(Box<Sample>),
    /// Results of other tools.
    Imported(Vec<Sample>),
    /// A file in a folder that is no result at all.
    Nothing,
}

/// Reads records of iotrial, in this order.
pub fn read_samples(paths: &[PathBuf]) -> Vec<anyhow::Result<Sample>> {
    in_parallel(paths, |path| sample_of(path))
}

/// Reads whatever can be compared, in this order. `named` are the files that the user named themselves.
pub fn read_contents(paths: &[PathBuf], named: &[String]) -> Vec<anyhow::Result<Content>> {
    let is_named = |path: &Path| named.iter().any(|name| Path::new(name) == path);
    let labels = labels_of(paths, &is_named);
    let jobs: Vec<(&PathBuf, Option<String>)> = paths.iter().zip(labels).collect();
    in_parallel(&jobs, |(path, label)| read_content(path, label.clone(), is_named(path)))
}

/// What results of other tools are called where they do not say it: a file that was named itself by its name without the
/// ending, one of a folder by the name of the folder. Where that would give one name to several, as much of the path stands
/// before it as tells them apart: `old/fio` and `new/fio`.
fn labels_of(paths: &[PathBuf], is_named: &dyn Fn(&Path) -> bool) -> Vec<Option<String>> {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // The path that the name is cut from, and whether it is that of a folder.
    let plain: Vec<Option<(PathBuf, bool)>> = paths
        .iter()
        .map(|path| match is_named(path) {
            true => path.file_stem().map(|_| (whole(path).with_extension(""), false)),
            false => {
                path.parent().filter(|folder| folder.file_name().is_some()).map(|one| (whole(one), true))
            }
        })
        .collect();
    let mut sharing: BTreeMap<&PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
    for (path, one) in paths.iter().zip(&plain) {
        if let Some((stem, is_folder)) = one {
            let whole = if *is_folder { stem.clone() } else { whole(path) };
            sharing.entry(stem).or_default().insert(whole);
        }
    }
    // Files that differ in their endings only keep them.
    let full: Vec<Option<PathBuf>> = paths
        .iter()
        .zip(&plain)
        .map(|(path, one)| {
            let (stem, is_folder) = one.as_ref()?;
            Some(if *is_folder || sharing[stem].len() == 1 { stem.clone() } else { whole(path) })
        })
        .collect();
    let mut users: HashMap<String, BTreeSet<&PathBuf>> = HashMap::new();
    for one in full.iter().flatten() {
        for count in 1..=one.components().count() {
            users.entry(last_parts(one, count)).or_default().insert(one);
        }
    }
    let label = |one: &PathBuf| {
        let endings = (1..=one.components().count()).map(|count| last_parts(one, count));
        let label = endings.into_iter().find(|ending| users[ending].len() == 1);
        harmless(&label.unwrap_or_else(|| one.display().to_string()))
    };
    full.iter().map(|one| one.as_ref().map(label)).collect()
}

/// The last parts of a path, joined by `/` on every system.
fn last_parts(path: &Path, count: usize) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts[parts.len().saturating_sub(count)..].join("/")
}

fn sample_of(path: &Path) -> anyhow::Result<Sample> {
    let record = read_record(path)?;
    Ok(Sample::of(&Subject::of_run(&record), &record.findings, path.display().to_string()))
}

fn imported_sample(record: &ImportedRecord) -> Sample {
    Sample::of(&Subject::of_imported(record), &imported_findings(record), record.whence())
}

/// A record of iotrial, an imported one, or a result of another tool, which is called `label` where it does not say it.
fn read_content(path: &Path, label: Option<String>, is_named: bool) -> anyhow::Result<Content> {
    if is_imported(path) {
        return Ok(Content::Imported(vec![imported_sample(&read_imported(path)?)]));
    }
    if is_record(path) || is_sweep(path) {
        return Ok(Content::Run(Box::new(sample_of(path)?)));
    }
    match foreign::read(path, &Naming::default()) {
        Ok(mut imported) => {
            for record in &mut imported.records {
                record.label = record.label.take().or_else(|| label.clone());
            }
            Ok(Content::Imported(imported.records.iter().map(imported_sample).collect()))
        }
        Err(error) if error.is_foreign() && !is_named => Ok(Content::Nothing),
        // Whoever names a file that is nothing known most likely means a record.
        Err(error) if error.is_foreign() => read_record(path).map(|_| Content::Nothing),
        Err(error) => Err(error)
            .with_context(|| format!("`{}` cannot be imported", harmless(&path.display().to_string()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_short_as_tells_them_apart() {
        let check = |named: &[&str], of_folders: &[&str], expected: &[&str]| {
            let paths: Vec<PathBuf> = named.iter().chain(of_folders).map(PathBuf::from).collect();
            let is_named = |path: &Path| named.iter().any(|one| Path::new(one) == path);
            let labels: Vec<String> = labels_of(&paths, &is_named).into_iter().flatten().collect();
            assert_eq!(labels, expected);
        };
        check(&["old/fio.json", "new/b.json"], &[], &["fio", "b"]);
        check(&["old/fio.json", "new/fio.json", "a.json"], &[], &["old/fio", "new/fio", "a"]);
        check(&["x/old/fio.json", "y/old/fio.json"], &[], &["x/old/fio", "y/old/fio"]);
        check(&["a/fio.json", "a/fio.txt"], &[], &["fio.json", "fio.txt"]);
        check(
            &[],
            &["old/run/1.json", "old/run/2.json", "new/run/1.json"],
            &["old/run", "old/run", "new/run"],
        );
        check(&["fio.json"], &["fio/1.json"], &["fio.json", "fio"]);
        // Twice the same is one name.
        check(&["a/fio.json", "a/fio.json"], &[], &["fio", "fio"]);
    }
}
