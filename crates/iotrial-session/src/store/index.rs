//! The index of a store: a file of JSON lines that can be thrown away at any time, because all that is in it is read from the records again.
//!
//! It saves time and nothing else. Whatever keeps it from being used costs that time and never the list. So nobody locks it: a line is
//! added by one write, the last line about a file counts, and one that was torn or lost only makes the next list read that file.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::os;
use crate::atomic_file::{AtomicFile, Durability, Existing};

/// The file in the folder of the store.
pub(super) const NAME: &str = "index.jsonl";

/// How each index of iotrial begins, whatever its version.
const MAGIC: &[u8] = br#"{"iotrial_index":"#;

/// Whose findings and verdicts the lines hold. They are never stored as truth: another version reads the records again.
const MADE_BY: &str = env!("CARGO_PKG_VERSION");

/// More is no index. One of a million records has about half of it.
const MOST_BYTES: u64 = 1 << 30;

/// The first line.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    /// Of the lines below. An index of another layout is made anew.
    iotrial_index: u32,
    made_by: String,
}

impl Header {
    fn current() -> Self {
        Self { iotrial_index: 9, made_by: MADE_BY.to_owned() }
    }
}

/// Each other line; `E` is an entry, or a reference to one where it is written.
#[derive(Debug, Serialize, Deserialize)]
struct Line<E> {
    stamp: Stamp,
    entry: E,
}

/// How a file is recognised as the one that was read: a sweep and the journal of a study grow under their names. In a store that came
/// from elsewhere the index may say anything; there the files have other times of change, which nobody can choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    length: u64,
    modified_ns: u64,
    changed_ns: u64,
}

impl Stamp {
    /// Of the file as it is now.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self {
            length: metadata.len(),
            modified_ns: u64::try_from(modified.as_nanos()).ok()?,
            changed_ns: os::changed_ns(&metadata)?,
        })
    }
}

/// An index, and what is in it.
pub(super) struct Index {
    path: PathBuf,
    known: BTreeMap<PathBuf, (Stamp, Entry)>,
    /// Whether the file has lines that say nothing any more, so many that it is better written anew.
    is_worn: bool,
}

/// Why an index cannot be used now.
#[derive(Debug, thiserror::Error)]
pub(super) enum IndexError {
    /// Something else has its name.
    #[error("`{}` is not an index that iotrial made; move it away, and the store gets one", path.display())]
    Foreign {
        /// What has the name.
        path: PathBuf,
    },
    /// The operating system does not let it be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Index {
    /// Reads the index of a store; an empty one where there is none, or only that of another version.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or what has its name is not an index of iotrial. It is left as it is.
    pub(super) fn read(folder: &Path) -> Result<Self, IndexError> {
        let path = folder.join(NAME);
        let mut index = Self { path, known: BTreeMap::new(), is_worn: false };
        let Some(file) = index.opened()? else { return Ok(index) };
        if !os::is_closed_to_others(&file.metadata()?) {
            index.is_worn = true;
            return Ok(index);
        }
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let header = lines.next().and_then(|line| serde_json::from_slice::<Header>(line).ok());
        if header != Some(Header::current()) {
            index.is_worn = !bytes.is_empty();
            return Ok(index);
        }
        let mut line_count = 0;
        for line in lines {
            line_count += 1;
            match serde_json::from_slice::<Line<Entry>>(line) {
                Ok(Line { stamp, entry }) => {
                    index.known.insert(entry.path.clone(), (stamp, entry));
                }
                Err(_) => index.is_worn = true,
            }
        }
        // Half of it may be outdated before it is worth writing all again.
        index.is_worn |= line_count > 2 * index.known.len() + 100;
        Ok(index)
    }

    /// Adds a line about a file without reading the others.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or what has its name is not an index of iotrial.
    pub(super) fn note(folder: &Path, stamp: Stamp, entry: &Entry) -> Result<(), IndexError> {
        let index = Self { path: folder.join(NAME), known: BTreeMap::new(), is_worn: false };
        let mut first = Vec::new();
        if let Some(file) = index.opened()? {
            // The next list makes it anew, with this entry.
            if !os::is_closed_to_others(&file.metadata()?) {
                return Ok(());
            }
            BufReader::new(file.take(1_000)).read_until(b'\n', &mut first)?;
        }
        let is_current =
            serde_json::from_slice(&first).is_ok_and(|header: Header| header == Header::current());
        // To that of another version nothing is added: the next list makes it anew, with this entry.
        if first.is_empty() || is_current { Ok(index.append(&[(stamp, entry)])?) } else { Ok(()) }
    }

    /// What was noted of a file; `None` unless it is still the same.
    pub(super) fn entry(&self, path: &Path, stamp: Option<Stamp>) -> Option<&Entry> {
        self.known.get(path).filter(|(noted, _)| Some(*noted) == stamp).map(|(_, entry)| entry)
    }

    /// Everything that was noted.
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.known.values().map(|(_, entry)| entry)
    }

    /// Notes what files hold, in place of what was known of them, and forgets others.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub(super) fn update(&mut self, changed: &[(Stamp, &Entry)], gone: &[PathBuf]) -> io::Result<()> {
        for path in gone {
            self.known.remove(path);
        }
        for (stamp, entry) in changed {
            self.known.insert(entry.path.clone(), (*stamp, (*entry).clone()));
        }
        if self.is_worn || !gone.is_empty() {
            self.write_anew()
        } else if changed.is_empty() {
            Ok(())
        } else {
            self.append(changed)
        }
    }

    /// The file, unless there is none or an empty one.
    fn opened(&self) -> Result<Option<File>, IndexError> {
        let foreign = || IndexError::Foreign { path: self.path.clone() };
        let metadata = match self.path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            metadata => metadata?,
        };
        // A link would lead out of the store, and a pipe would be waited for.
        if !metadata.is_file() || metadata.len() > MOST_BYTES {
            return Err(foreign());
        }
        let mut begin = Vec::new();
        File::open(&self.path)?.take(MAGIC.len() as u64).read_to_end(&mut begin)?;
        // A beginning that was cut off is ours as well.
        if !MAGIC.starts_with(&begin) {
            return Err(foreign());
        }
        Ok(if begin.is_empty() { None } else { Some(File::open(&self.path)?) })
    }

    fn append(&self, added: &[(Stamp, &Entry)]) -> io::Result<()> {
        // Readable by its user alone, as the records are: it has their labels and paths.
        let mut file = os::private_file().create(true).append(true).open(&self.path)?;
        let mut text = Vec::new();
        if file.metadata()?.len() == 0 {
            push_line(&mut text, &Header::current())?;
        } else {
            // Ends the line that a full disk may have cut off. An empty one does no harm.
            text.push(b'\n');
        }
        for (stamp, entry) in added {
            push_line(&mut text, &Line { stamp: *stamp, entry })?;
        }
        file.write_all(&text)
    }

    /// In the place of the one that is there. What another iotrial adds meanwhile is lost, and read again by the next list.
    fn write_anew(&self) -> io::Result<()> {
        let mut text = Vec::new();
        push_line(&mut text, &Header::current())?;
        for (stamp, entry) in self.known.values() {
            push_line(&mut text, &Line { stamp: *stamp, entry })?;
        }
        let folder = self.path.parent().expect("the index is in the folder of the store");
        let mut file = AtomicFile::begin(folder)?;
        file.write_all(&text)?;
        file.place(&self.path, Existing::Replaced, Durability::Later).map(drop)
    }
}

fn push_line(text: &mut Vec<u8>, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *text, line)?;
    text.push(b'\n');
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use iotrial_analysis::verdict::Outcome;

    use super::*;
    use crate::store::entry::KeyLatency;
    use crate::store::kind::Kind;

    fn entry(folder: &Path, id: &str) -> Entry {
        Entry {
            id: id.to_owned(),
            path: folder.join(format!("{id}.iotrial.json")),
            started_at: String::new(),
            profile: "p".to_owned(),
            label: Some("two\nlines".to_owned()),
            targets: String::new(),
            ended: "complete".to_owned(),
            outcome: Some(Outcome::Inconclusive),
            iops: Some(20_000.25),
            capacity_iops: Some(41_200.5),
            ceiling_iops: Some(52_000.75),
            is_lower_bound: true,
            key_latency: Some(KeyLatency { metric: "commit.p99".to_owned(), us: 420.5 }),
            kind: Kind::Run,
            is_simulated: true,
        }
    }

    const STAMP: Stamp = Stamp { length: 1, modified_ns: 1, changed_ns: 1 };
    const LATER: Stamp = Stamp { length: 2, ..STAMP };

    fn known(folder: &Path) -> Vec<(Stamp, Entry)> {
        Index::read(folder).unwrap().known.into_values().collect()
    }

    /// The whole file, for tests that spoil it.
    fn text(folder: &Path) -> String {
        fs::read_to_string(folder.join(NAME)).unwrap()
    }

    #[test]
    fn an_entry_comes_back_as_it_was_and_the_last_line_about_a_file_counts() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let (one, other) = (entry(folder, "01JA"), entry(folder, "01JB"));
        Index::note(folder, STAMP, &one).unwrap();
        Index::note(folder, STAMP, &other).unwrap();
        let renamed = Entry { label: None, ..one.clone() };
        Index::note(folder, LATER, &renamed).unwrap();
        assert_eq!(known(folder), [(LATER, renamed.clone()), (STAMP, other.clone())]);
        let mut index = Index::read(folder).unwrap();
        assert_eq!(index.entry(&one.path, Some(LATER)), Some(&renamed));
        assert_eq!(index.entry(&one.path, Some(STAMP)), None, "the file has changed");
        index.update(&[], std::slice::from_ref(&one.path)).unwrap();
        assert_eq!(known(folder), [(STAMP, other)]);
    }

    #[test]
    fn an_index_of_another_version_is_not_believed_and_made_anew_by_the_next_list() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let one = entry(folder, "01JA");
        for (is, was) in [(MADE_BY, "0.0.1"), ("\"iotrial_index\":9", "\"iotrial_index\":8")] {
            Index::note(folder, STAMP, &one).unwrap();
            let other = text(folder).replacen(is, was, 1);
            fs::write(folder.join(NAME), &other).unwrap();
            Index::note(folder, STAMP, &one).unwrap();
            assert_eq!(text(folder), other, "nothing is added to it");
            let mut index = Index::read(folder).unwrap();
            assert_eq!(index.entries().count(), 0);
            index.update(&[(STAMP, &one)], &[]).unwrap();
            assert_eq!(known(folder), [(STAMP, one.clone())]);
        }
    }

    #[test]
    fn whatever_is_cut_off_or_damaged_costs_its_lines_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let entries: Vec<Entry> = ["01JA", "01JB", "01JC"].map(|id| entry(folder, id)).into();
        for entry in &entries {
            Index::note(folder, STAMP, entry).unwrap();
        }
        let whole = text(folder);
        for length in 0..whole.len() {
            fs::write(folder.join(NAME), &whole[..length]).unwrap();
            let left = known(folder);
            assert!(left.iter().all(|(_, one)| entries.contains(one)), "cut at {length}");
            // Added behind a line that was cut off, it is there all the same, unless the header itself is gone.
            Index::note(folder, LATER, &entries[2]).unwrap();
            let mut index = Index::read(folder).unwrap();
            index.update(&[(LATER, &entries[2])], &[]).unwrap();
            assert!(known(folder).contains(&(LATER, entries[2].clone())), "cut at {length}");
        }
        let lines: Vec<&str> = whole.lines().filter(|line| !line.is_empty()).collect();
        fs::write(folder.join(NAME), [lines[0], "{\"stamp\":", lines[3]].join("\n")).unwrap();
        assert_eq!(known(folder), [(STAMP, entries[2].clone())]);
    }

    #[test]
    fn outdated_lines_are_dropped_before_they_are_most_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let one = entry(folder, "01JA");
        for _ in 0..200 {
            Index::note(folder, STAMP, &one).unwrap();
        }
        Index::read(folder).unwrap().update(&[], &[]).unwrap();
        assert_eq!(text(folder).lines().count(), 2);
    }

    #[test]
    fn what_somebody_else_made_under_that_name_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for theirs in ["my own index of songs", "{\"songs\":1}\n", "\0\0\0\0"] {
            fs::write(folder.join(NAME), theirs).unwrap();
            let read = Index::read(folder).map(drop).unwrap_err();
            let noted = Index::note(folder, STAMP, &entry(folder, "01JA")).unwrap_err();
            assert!(matches!((read, noted), (IndexError::Foreign { .. }, IndexError::Foreign { .. })));
            assert_eq!(text(folder), theirs);
        }
    }

    #[cfg(unix)]
    mod on_unix {
        use std::os::unix::fs::PermissionsExt as _;

        use super::*;

        #[test]
        fn a_link_to_the_index_of_another_store_is_left_as_it_is() {
            let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            Index::note(elsewhere.path(), STAMP, &entry(elsewhere.path(), "01JA")).unwrap();
            let before = text(elsewhere.path());
            std::os::unix::fs::symlink(elsewhere.path().join(NAME), folder.path().join(NAME)).unwrap();
            let error = Index::note(folder.path(), STAMP, &entry(folder.path(), "01JB")).unwrap_err();
            assert!(matches!(error, IndexError::Foreign { .. }), "{error}");
            assert!(Index::read(folder.path()).is_err());
            assert_eq!(text(elsewhere.path()), before);
        }

        /// What others wrote into it would be listed in place of what the records say.
        #[test]
        fn an_index_that_others_may_write_to_is_not_believed_and_made_anew() {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            let (one, other) = (entry(folder, "01JA"), entry(folder, "01JB"));
            for mode in [0o606, 0o660] {
                Index::note(folder, STAMP, &one).unwrap();
                fs::set_permissions(folder.join(NAME), fs::Permissions::from_mode(mode)).unwrap();
                Index::note(folder, STAMP, &other).unwrap();
                let mut index = Index::read(folder).unwrap();
                assert_eq!(index.entries().count(), 0, "{mode:o}");
                index.update(&[(LATER, &other)], &[]).unwrap();
                assert_eq!(known(folder), [(LATER, other.clone())]);
            }
        }

        /// As in an archive, whose times and lengths are those of the index in it.
        #[test]
        fn the_index_of_a_store_that_came_from_elsewhere_knows_none_of_its_files() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("01JA.iotrial.json");
            fs::write(&path, "{}").unwrap();
            let original = fs::metadata(&path).unwrap();
            let stamp = Stamp::of(&path);
            assert_eq!(stamp, Stamp::of(&path));
            // Until the clock of the file system has gone on.
            while os::changed_ns(&fs::metadata(&path).unwrap()) == os::changed_ns(&original) {
                fs::write(&path, "{}").unwrap();
                File::options()
                    .append(true)
                    .open(&path)
                    .unwrap()
                    .set_modified(original.modified().unwrap())
                    .unwrap();
            }
            assert_ne!(stamp, Stamp::of(&path));
        }

        #[test]
        fn nobody_else_reads_the_index() {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            let one = entry(folder, "01JA");
            let mode = || fs::metadata(folder.join(NAME)).unwrap().permissions().mode() & 0o777;
            Index::note(folder, STAMP, &one).unwrap();
            assert_eq!(mode(), 0o600);
            Index::read(folder).unwrap().update(&[], std::slice::from_ref(&one.path)).unwrap();
            assert_eq!(mode(), 0o600);
        }
    }
}
