//! The kinds of files in a store: one table of their names and of what they say of themselves.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What a file of a store holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The record of a run.
    Run,
    /// The record of a sweep.
    Sweep,
    /// A result of another tool.
    Imported,
    /// The journal of a study.
    Study,
    /// The journal of a run that goes on, or that a crash left.
    Journal,
}

/// What is known of a kind.
struct Row {
    kind: Kind,
    /// In the index, in JSON and in CSV.
    word: &'static str,
    /// How the names of its files end.
    suffix: &'static str,
    /// How they end where the file is packed; `None` where it never is, because it is short or grows.
    packed_suffix: Option<&'static str>,
    /// What such a file says of itself within its first bytes, whatever its version.
    format: &'static str,
}

const ROWS: [Row; 5] = [
    Row {
        kind: Kind::Run,
        word: "run",
        suffix: ".iotrial.json",
        packed_suffix: Some(".iotrial.json.zst"),
        format: "iotrial.record/",
    },
    Row {
        kind: Kind::Sweep,
        word: "sweep",
        suffix: ".iotrial-sweep.json",
        packed_suffix: None,
        format: "iotrial.sweep/",
    },
    Row {
        kind: Kind::Imported,
        word: "imported",
        suffix: ".iotrial-imported.json",
        packed_suffix: Some(".iotrial-imported.json.zst"),
        format: "iotrial.imported/",
    },
    Row {
        kind: Kind::Study,
        word: "study",
        suffix: ".iotrial.study",
        packed_suffix: None,
        format: "iotrial.study-journal/",
    },
    Row {
        kind: Kind::Journal,
        word: "journal",
        suffix: ".iotrial.journal",
        packed_suffix: None,
        format: "iotrial.record/",
    },
];

impl Kind {
    /// What `iotrial records` lists. A run that goes on is listed when it is recorded.
    pub(crate) const LISTED: [Self; 4] = [Self::Run, Self::Sweep, Self::Imported, Self::Study];
    /// Results whose files are named by their ids, so that the beginning of one finds them.
    pub(super) const NAMED_BY_ID: [Self; 3] = [Self::Run, Self::Sweep, Self::Imported];
    /// Results that labels and folders of records stand for: those that can be held against each other.
    pub(super) const COMPARED: [Self; 2] = [Self::Run, Self::Imported];

    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.kind == self).expect("every kind has a row, as a test holds")
    }

    /// The word in CSV.
    pub fn as_str(self) -> &'static str {
        self.row().word
    }

    /// What a file is by its name; `None` where the name is not one that a store gives.
    pub(super) fn of_name(path: &Path) -> Option<Self> {
        path.file_name().and_then(Self::of_file_name)
    }

    /// The same of a name alone. Nothing is allocated: a store is asked for tens of thousands of them.
    pub(super) fn of_file_name(name: &OsStr) -> Option<Self> {
        let name = name.as_encoded_bytes();
        // No suffix is the end of another one (`.iotrial.json`, `.iotrial-sweep.json`), so that the order of the rows does not matter.
        let ends = |row: &&Row| {
            let mut suffixes = row.packed_suffix.into_iter().chain([row.suffix]);
            suffixes.any(|suffix| name.ends_with(suffix.as_bytes()))
        };
        ROWS.iter().find(ends).map(|row| row.kind)
    }

    /// What a file says of itself within its first bytes.
    pub(super) fn format(self) -> &'static str {
        self.row().format
    }

    /// Where the file of that name lies.
    pub(super) fn path(self, folder: &Path, stem: &str) -> PathBuf {
        folder.join(format!("{stem}{}", self.row().suffix))
    }

    /// The same of a packed file.
    pub(super) fn packed_path(self, folder: &Path, stem: &str) -> PathBuf {
        let suffix = self.row().packed_suffix.expect("only kinds that may be packed are");
        folder.join(format!("{stem}{suffix}"))
    }
}

/// The part of a file's name before what the store adds: an id, or the name of a study.
pub(super) fn stem(path: &Path) -> String {
    let name = file_name(path);
    let suffixes = ROWS.iter().flat_map(|row| row.packed_suffix.into_iter().chain([row.suffix]));
    suffixes.into_iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(&name).to_owned()
}

pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const ALL: [Kind; 5] = [Kind::Run, Kind::Sweep, Kind::Imported, Kind::Study, Kind::Journal];

    #[test]
    fn every_kind_is_known_by_the_names_and_the_word_that_it_gives() {
        for kind in ALL {
            let path = kind.path(Path::new("/store"), "01JD");
            assert_eq!((Kind::of_name(&path), stem(&path).as_str()), (Some(kind), "01JD"), "{path:?}");
            if kind.row().packed_suffix.is_some() {
                let path = kind.packed_path(Path::new("/store"), "01JD");
                assert_eq!((Kind::of_name(&path), stem(&path).as_str()), (Some(kind), "01JD"), "{path:?}");
            }
        }
        for other in ["index.jsonl", "01JD.html", "01JD.iotrial.spoilt", "s.01JD.old-study", "01JD.new"] {
            assert_eq!(Kind::of_name(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn the_formats_are_those_that_are_written() {
        assert!(iotrial_model::record::RECORD_FORMAT.starts_with(Kind::Run.format()));
        assert!(iotrial_model::sweep::SWEEP_FORMAT.starts_with(Kind::Sweep.format()));
        assert!(iotrial_model::imported::IMPORTED_FORMAT.starts_with(Kind::Imported.format()));
        assert!(iotrial_model::study::JOURNAL_FORMAT.starts_with(Kind::Study.format()));
    }
}
