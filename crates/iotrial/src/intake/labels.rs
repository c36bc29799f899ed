//! What results of other tools are called where they do not say it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::Source;
use crate::output::harmless;

/// What results of other tools are called where they do not say it: a file that was named itself by its name without the
/// ending, one of a folder by the name of the folder. Where that would give one name to several, as much of the path stands
/// before it as tells them apart: `old/fio` and `new/fio`.
pub fn labels_of(sources: &[Source]) -> HashMap<PathBuf, String> {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // The path that the name is cut from, and whether it is that of a folder.
    let plain: Vec<Option<(PathBuf, bool)>> = sources
        .iter()
        .map(|Source { path, is_named, .. }| match is_named {
            true => path.file_stem().map(|_| (whole(path).with_extension(""), false)),
            false => {
                path.parent().filter(|folder| folder.file_name().is_some()).map(|one| (whole(one), true))
            }
        })
        .collect();
    let mut sharing: BTreeMap<&PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
    for (source, one) in sources.iter().zip(&plain) {
        if let Some((stem, is_folder)) = one {
            let whole = if *is_folder { stem.clone() } else { whole(&source.path) };
            sharing.entry(stem).or_default().insert(whole);
        }
    }
    // Files that differ in their endings only keep them.
    let full: Vec<Option<PathBuf>> = sources
        .iter()
        .zip(&plain)
        .map(|(source, one)| {
            let (stem, is_folder) = one.as_ref()?;
            Some(if *is_folder || sharing[stem].len() == 1 { stem.clone() } else { whole(&source.path) })
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
    let labels =
        sources.iter().zip(&full).map(|(source, one)| Some((source.path.clone(), label(one.as_ref()?))));
    labels.flatten().collect()
}

/// The last parts of a path, joined by `/` on every system.
fn last_parts(path: &Path, count: usize) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts[parts.len().saturating_sub(count)..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_short_as_tells_them_apart() {
        let check = |named: &[&str], of_folders: &[&str], expected: &[&str]| {
            let source = |path: &&str| Source {
                path: PathBuf::from(path),
                is_named: named.contains(path),
                name: None,
            };
            let sources: Vec<Source> = named.iter().chain(of_folders).map(source).collect();
            let labels = labels_of(&sources);
            let labels: Vec<&str> = sources.iter().map(|one| labels[&one.path].as_str()).collect();
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
