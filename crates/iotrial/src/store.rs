//! The store: one folder of records, journals of runs that go on, and an index of them.
//!
//! The records are the truth. The index is an SQLite file beside them that can be thrown away at any
//! time: whatever is missing in it is read from the records again.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use iotrial_analysis::findings::findings;
use iotrial_model::journal;
use iotrial_model::record::{EndedHow, Interval, RECORD_FORMAT, RunRecord};
use iotrial_model::subject::Subject;
use iotrial_model::sweep::{SWEEP_FORMAT, SweepRecord};
use rusqlite::Connection;
use ruzstd::decoding::StreamingDecoder;
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::output::harmless;

mod imported;
mod packed;

pub use imported::{imported_of, keep_imported};
use imported::{is_imported, read_imported};

/// Larger records are compressed.
const COMPRESS_ABOVE_BYTES: usize = 1 << 20;

/// A stranger's file beyond this, packed or unpacked, is not read.
pub const MOST_RECORD_BYTES: u64 = 256 << 20;

/// More objects than any run makes; each takes far more memory than it takes bytes in a file.
const MOST_OBJECTS: usize = 4_000_000;

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

const RECORD_SUFFIX: &str = ".iotrial.json";
const COMPRESSED_SUFFIX: &str = ".iotrial.json.zst";
const SWEEP_SUFFIX: &str = ".iotrial-sweep.json";
const IMPORTED_SUFFIX: &str = ".iotrial-imported.json";
const COMPRESSED_IMPORTED_SUFFIX: &str = ".iotrial-imported.json.zst";
const JOURNAL_SUFFIX: &str = ".iotrial.journal";

/// A folder of records.
pub struct Store {
    folder: PathBuf,
}

/// What the index knows of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its ULID.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// Name of the profile.
    pub profile: String,
    /// What the user calls it.
    pub label: Option<String>,
    /// Where it ran.
    pub targets: String,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
}

impl Store {
    /// The store in `folder`, or in the platform's data folder; made if it is not there.
    ///
    /// Journals of runs that were killed become records.
    pub fn open(folder: Option<&Path>) -> anyhow::Result<Self> {
        let folder = Self::locate(folder).context("there is no home directory to keep records in")?;
        fs::create_dir_all(&folder).with_context(|| {
            let place = folder.display();
            format!("cannot make the store `{place}`; --store or IOTRIAL_STORE names another place")
        })?;
        let folder = folder.canonicalize().with_context(|| format!("cannot open `{}`", folder.display()))?;
        let store = Self { folder };
        store.recover_journals()?;
        Ok(store)
    }

    /// Where the store is or would be: in `folder`, or in the platform's data folder.
    pub fn locate(folder: Option<&Path>) -> Option<PathBuf> {
        folder.map(Path::to_owned).or_else(default_folder)
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Begins the journal of a run with what is known before the load.
    ///
    /// It appears under its name only when it is locked and has its first line, so that no other iotrial takes
    /// it for a left-over.
    pub fn begin(&self, record: &RunRecord) -> anyhow::Result<JournalWriter> {
        let path = self.folder.join(format!("{}{JOURNAL_SUFFIX}", record.id));
        let new = self.folder.join(format!("{}.new", record.id));
        let write = || -> anyhow::Result<JournalWriter> {
            let file = OpenOptions::new().write(true).create_new(true).open(&new)?;
            file.lock()?;
            let mut journal = JournalWriter { path: path.clone(), file };
            journal.record(record)?;
            fs::rename(&new, &path)?;
            Ok(journal)
        };
        write().with_context(|| format!("cannot write the journal `{}`", path.display()))
    }

    /// Writes a whole record, and drops its journal.
    pub fn finish(&self, record: &RunRecord, journal: JournalWriter) -> anyhow::Result<PathBuf> {
        let path = self.write(record)?;
        journal.discard().context("cannot remove the journal")?;
        self.note(record, &path);
        Ok(path)
    }

    /// Adds a record to the index, which is only a convenience: the record is safe whether it takes it or not.
    fn note(&self, record: &RunRecord, path: &Path) {
        let _ = self.index().and_then(|index| insert(&index, &Entry::of(record, path)));
    }

    /// Never holds the text of a record, which may be larger than the record in memory.
    fn write(&self, record: &RunRecord) -> anyhow::Result<PathBuf> {
        let path_with = |suffix| self.folder.join(format!("{}{suffix}", record.id));
        let write = || -> anyhow::Result<PathBuf> {
            let mut text = BufWriter::new(NamedTempFile::new_in(&self.folder)?);
            serde_json::to_writer(&mut text, record)?;
            text.write_all(b"\n")?;
            let text = text.into_inner()?;
            let is_large = text.as_file().metadata()?.len() > COMPRESS_ABOVE_BYTES as u64;
            let (file, path) = if is_large {
                (packed::packed(BufReader::new(text.reopen()?), &self.folder)?, path_with(COMPRESSED_SUFFIX))
            } else {
                (text, path_with(RECORD_SUFFIX))
            };
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(path)
        };
        write().with_context(|| format!("cannot write `{}`", path_with(RECORD_SUFFIX).display()))
    }

    /// All records, the newest first.
    pub fn entries(&self) -> anyhow::Result<Vec<Entry>> {
        let mut index = self.index().context("cannot open the index of the store")?;
        let known = select(&index)?;
        let mut known: BTreeMap<PathBuf, Entry> =
            known.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
        let mut entries = Vec::new();
        // An import may bring thousands at once: they are written together.
        let change = index.transaction()?;
        let suffixes = [RECORD_SUFFIX, COMPRESSED_SUFFIX, IMPORTED_SUFFIX, COMPRESSED_IMPORTED_SUFFIX];
        for path in self.files(&suffixes)? {
            match known.remove(&path) {
                Some(entry) => entries.push(entry),
                None => match Entry::read(&path) {
                    Ok(entry) => {
                        insert(&change, &entry)?;
                        entries.push(entry);
                    }
                    Err(error) => eprintln!("warning: {error:#}"),
                },
            }
        }
        for gone in known.keys() {
            change.execute("DELETE FROM record WHERE path = ?1", [gone.to_string_lossy()])?;
        }
        change.commit()?;
        entries.sort_by(|a, b| b.id.cmp(&a.id));
        Ok(entries)
    }

    /// Keeps the record of a sweep as far as it is known now.
    pub fn write_sweep(&self, record: &SweepRecord) -> anyhow::Result<PathBuf> {
        let path = self.folder.join(format!("{}{SWEEP_SUFFIX}", record.id));
        let mut bytes = serde_json::to_vec(record)?;
        bytes.push(b'\n');
        write_whole(&path, &bytes, Existing::Replaced)?;
        Ok(path)
    }

    /// All sweeps, the newest first. They are few, so no index knows them.
    pub fn sweeps(&self) -> anyhow::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for path in self.files(&[SWEEP_SUFFIX])?.into_iter().rev() {
            match read_sweep(&path) {
                Ok(record) => entries.push(Entry::of_sweep(&record, &path)),
                Err(error) => eprintln!("warning: {error:#}"),
            }
        }
        Ok(entries)
    }

    /// Every record by its id.
    pub fn paths_by_id(&self) -> anyhow::Result<BTreeMap<String, PathBuf>> {
        let id = |path: &Path| file_name(path).split('.').next().unwrap_or_default().to_owned();
        let files = self.files(&[RECORD_SUFFIX, COMPRESSED_SUFFIX])?;
        Ok(files.into_iter().map(|path| (id(&path), path)).collect())
    }

    /// Takes the record of another store, byte for byte; one that is here already stays as it is.
    pub fn adopt(&self, record: &RunRecord, path: &Path) -> anyhow::Result<()> {
        let is_id = ulid::Ulid::from_string(&record.id).is_ok();
        anyhow::ensure!(is_id, "its id `{}` is no ULID", harmless(&record.id));
        if self.paths_by_id()?.contains_key(&record.id) {
            return Ok(());
        }
        let mut bytes = Vec::new();
        File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))?;
        let suffix = if bytes.starts_with(&ZSTD_MAGIC) { COMPRESSED_SUFFIX } else { RECORD_SUFFIX };
        let adopted = self.folder.join(format!("{}{suffix}", record.id));
        write_whole(&adopted, &bytes, Existing::Replaced)?;
        self.note(record, &adopted);
        Ok(())
    }

    /// The record whose id begins so.
    pub fn find(&self, name: &str) -> anyhow::Result<PathBuf> {
        let matches: Vec<PathBuf> = self
            .files(&[
                RECORD_SUFFIX,
                COMPRESSED_SUFFIX,
                SWEEP_SUFFIX,
                IMPORTED_SUFFIX,
                COMPRESSED_IMPORTED_SUFFIX,
            ])?
            .into_iter()
            .filter(|path| file_name(path).to_lowercase().starts_with(&name.to_lowercase()))
            .collect();
        match matches.as_slice() {
            [one] => Ok(one.clone()),
            [] => anyhow::bail!("`{name}` is neither a file nor a record in `{}`", self.folder.display()),
            several => anyhow::bail!("`{name}` begins the ids of {} records", several.len()),
        }
    }

    /// The records that the user calls so, the oldest first.
    pub fn labelled(&self, label: &str) -> anyhow::Result<Vec<PathBuf>> {
        let mut entries = self.entries()?;
        entries.retain(|entry| entry.label.as_deref() == Some(label));
        Ok(entries.into_iter().rev().map(|entry| entry.path).collect())
    }

    /// Makes records of the journals that crashes left. One that cannot be recovered is told, and does not
    /// keep the others from it.
    fn recover_journals(&self) -> anyhow::Result<()> {
        for path in self.files(&[JOURNAL_SUFFIX])? {
            if let Err(error) = self.recover_journal(&path) {
                eprintln!("warning: {error:#}");
            }
        }
        Ok(())
    }

    fn recover_journal(&self, path: &Path) -> anyhow::Result<()> {
        let mut file = match File::open(path) {
            // Its run has just ended.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened.with_context(|| format!("cannot open `{}`", path.display()))?,
        };
        match file.try_lock() {
            Ok(()) => {}
            // Its run goes on.
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock `{}`", path.display()));
            }
        }
        let id = file_name(path).trim_end_matches(JOURNAL_SUFFIX).to_owned();
        let is_recorded = [RECORD_SUFFIX, COMPRESSED_SUFFIX]
            .iter()
            .any(|end| self.folder.join(format!("{id}{end}")).exists());
        // The run ended between our look and our lock, or was killed after its record was whole.
        if is_recorded || !path.exists() {
            return remove_if_there(path);
        }
        match read_limited(&mut file, 0).and_then(|bytes| Ok(RunRecord::from_journal(&bytes)?)) {
            Ok(mut record) => {
                record.findings = findings(&Subject::of_run(&record)).iter().map(Into::into).collect();
                let written = self.write(&record)?;
                self.note(&record, &written);
                eprintln!("note: a run was cut off; what it measured is kept in {}", written.display());
                for target in record.targets.iter().filter(|target| target.kind == "directory") {
                    eprintln!(
                        "hint: `iotrial clean {}` removes the files that it left",
                        harmless(&target.path)
                    );
                }
                remove_if_there(path)
            }
            Err(error) => {
                // Not even its head was written: there is nothing to keep, and nothing to lose.
                let spoilt = path.with_extension("spoilt");
                fs::rename(path, &spoilt)?;
                Err(error
                    .context(format!("a journal cannot be read, and was renamed to {}", spoilt.display())))
            }
        }
    }

    fn files(&self, suffixes: &[&str]) -> anyhow::Result<Vec<PathBuf>> {
        list(&self.folder, suffixes)
    }

    /// The index, made anew where it is missing or damaged.
    fn index(&self) -> rusqlite::Result<Connection> {
        let path = self.folder.join("index.sqlite");
        open_index(&path).or_else(|_| {
            let _ = fs::remove_file(&path);
            open_index(&path)
        })
    }
}

fn open_index(path: &Path) -> rusqlite::Result<Connection> {
    let index = Connection::open(path)?;
    index.execute_batch(
        "CREATE TABLE IF NOT EXISTS record (
            path TEXT PRIMARY KEY, id TEXT NOT NULL, started_at TEXT NOT NULL, profile TEXT NOT NULL,
            label TEXT, targets TEXT NOT NULL, ended TEXT NOT NULL
        ) STRICT;",
    )?;
    // A damaged file may open and only fail when it is read.
    index.query_row("SELECT count(*) FROM record", [], |_| Ok(()))?;
    Ok(index)
}

fn insert(index: &Connection, entry: &Entry) -> rusqlite::Result<()> {
    index.execute(
        "INSERT OR REPLACE INTO record VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        (
            entry.path.to_string_lossy(),
            &entry.id,
            &entry.started_at,
            &entry.profile,
            &entry.label,
            &entry.targets,
            &entry.ended,
        ),
    )?;
    Ok(())
}

fn select(index: &Connection) -> rusqlite::Result<Vec<Entry>> {
    let mut statement =
        index.prepare("SELECT path, id, started_at, profile, label, targets, ended FROM record")?;
    let rows = statement.query_map([], |row| {
        Ok(Entry {
            path: PathBuf::from(row.get::<_, String>(0)?),
            id: row.get(1)?,
            started_at: row.get(2)?,
            profile: row.get(3)?,
            label: row.get(4)?,
            targets: row.get(5)?,
            ended: row.get(6)?,
        })
    })?;
    rows.collect()
}

impl Entry {
    fn read(path: &Path) -> anyhow::Result<Self> {
        if is_imported(path) {
            return Ok(Self::of_imported(&read_imported(path)?, path));
        }
        Ok(Self::of(&read_record(path)?, path))
    }

    fn of(record: &RunRecord, path: &Path) -> Self {
        let targets: Vec<&str> = record.targets.iter().map(|target| target.path.as_str()).collect();
        Self {
            id: record.id.clone(),
            path: path.to_owned(),
            started_at: record.started_at.clone(),
            profile: record.plan.profile.clone(),
            label: record.label.clone(),
            targets: targets.join(", "),
            ended: ended_word(record.ended.how).to_owned(),
        }
    }

    fn of_sweep(record: &SweepRecord, path: &Path) -> Self {
        let targets: Vec<&str> = record.targets.iter().map(|target| target.path.as_str()).collect();
        Self {
            id: record.id.clone(),
            path: path.to_owned(),
            started_at: record.started_at.clone(),
            profile: "sweep".to_owned(),
            label: record.label.clone(),
            targets: targets.join(", "),
            ended: ended_word(record.ended.how).to_owned(),
        }
    }
}

const fn ended_word(how: EndedHow) -> &'static str {
    match how {
        EndedHow::Complete => "complete",
        EndedHow::Interrupted => "interrupted",
        EndedHow::Failed => "failed",
    }
}

/// The journal of a run that goes on; locked, so that nobody takes it for a left-over.
pub struct JournalWriter {
    path: PathBuf,
    file: File,
}

impl JournalWriter {
    /// Appends the record as far as it is known now, and brings it to the disk.
    pub fn record(&mut self, record: &RunRecord) -> anyhow::Result<()> {
        self.append(&journal::record_line(record)?)?;
        self.file.sync_data().with_context(|| self.failure())
    }

    /// Appends an interval. It is left to the operating system when that reaches the disk: a flush would be
    /// load on the device under trial.
    pub fn interval(&mut self, interval: &Interval) -> anyhow::Result<()> {
        self.append(&journal::interval_line(interval)?)
    }

    /// Removes the journal: its run is recorded, or never began.
    pub fn discard(self) -> io::Result<()> {
        fs::remove_file(self.path)
    }

    fn append(&mut self, line: &[u8]) -> anyhow::Result<()> {
        self.file.write_all(line).with_context(|| self.failure())
    }

    fn failure(&self) -> String {
        format!("cannot write the journal `{}`", self.path.display())
    }
}

/// The records in a folder that need not be a store, by name, and so by time.
pub fn records_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    list(folder, &[RECORD_SUFFIX, COMPRESSED_SUFFIX, IMPORTED_SUFFIX, COMPRESSED_IMPORTED_SUFFIX])
}

fn list(folder: &Path, suffixes: &[&str]) -> anyhow::Result<Vec<PathBuf>> {
    let listing = fs::read_dir(folder).with_context(|| format!("cannot list `{}`", folder.display()))?;
    let mut files = Vec::new();
    for entry in listing {
        let path = entry?.path();
        if suffixes.iter().any(|suffix| file_name(&path).ends_with(suffix)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Reads a record in any of its forms: plain, compressed, or the journal that a crash left.
pub fn read_record(path: &Path) -> anyhow::Result<RunRecord> {
    let read = || -> anyhow::Result<RunRecord> {
        anyhow::ensure!(!is_sweep(path), "it is the record of a sweep, which `iotrial report` shows");
        record_of(&read_bytes(path)?, is_called_journal(path))
    };
    read().with_context(|| format!("`{}` is no record that can be read", path.display()))
}

/// The record in the text of its file, or in that of the journal that a crash left.
pub fn record_of(text: &[u8], is_journal: bool) -> anyhow::Result<RunRecord> {
    check_objects(text)?;
    let record: RunRecord =
        if is_journal { RunRecord::from_journal(text)? } else { serde_json::from_slice(text)? };
    check_format(&record.format, RECORD_FORMAT)?;
    record.check()?;
    Ok(record)
}

/// Whether the name is that of a journal: the first line alone is one, and a record as well.
pub fn is_called_journal(path: &Path) -> bool {
    file_name(path).ends_with(JOURNAL_SUFFIX)
}

/// Whether the name is one that this program gives to a record, so that a damaged one is told as such.
pub fn is_called_record(path: &Path) -> bool {
    const SUFFIXES: [&str; 6] = [
        RECORD_SUFFIX,
        COMPRESSED_SUFFIX,
        JOURNAL_SUFFIX,
        SWEEP_SUFFIX,
        IMPORTED_SUFFIX,
        COMPRESSED_IMPORTED_SUFFIX,
    ];
    let name = file_name(path);
    SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

fn check_format(format: &str, expected: &str) -> anyhow::Result<()> {
    anyhow::ensure!(format == expected, "its format is `{}`, not `{expected}`", harmless(format));
    Ok(())
}

/// Whether a file holds the record of a sweep rather than that of a run: by what it says of itself.
fn is_sweep(path: &Path) -> bool {
    head_contains(path, "iotrial.sweep/")
}

/// Whether the first bytes of a file, unpacked, contain a word.
fn head_contains(path: &Path, word: &str) -> bool {
    let read = || -> anyhow::Result<Vec<u8>> {
        let mut head = Vec::new();
        File::open(path)?.take(64).read_to_end(&mut head)?;
        if head.starts_with(&ZSTD_MAGIC) {
            head.clear();
            StreamingDecoder::new(File::open(path)?)?.take(64).read_to_end(&mut head)?;
        }
        Ok(head)
    };
    read().is_ok_and(|head| String::from_utf8_lossy(&head).contains(word))
}

/// Reads the record of a sweep.
fn read_sweep(path: &Path) -> anyhow::Result<SweepRecord> {
    let read = || sweep_of(&read_bytes(path)?);
    read().with_context(|| format!("`{}` is no record of a sweep that can be read", path.display()))
}

/// The record of a sweep in the text of its file.
pub fn sweep_of(text: &[u8]) -> anyhow::Result<SweepRecord> {
    check_objects(text)?;
    let record: SweepRecord = serde_json::from_slice(text)?;
    check_format(&record.format, SWEEP_FORMAT)?;
    record.check()?;
    Ok(record)
}

/// A stranger's file, unpacked, within what is read at all.
fn read_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let file = File::open(path)?;
    // A pipe has no length, and one byte more than the file has shows its end.
    let length = file.metadata().map_or(0, |metadata| metadata.len().min(MOST_RECORD_BYTES) + 1);
    let bytes = read_limited(file, length)?;
    let is_compressed = bytes.starts_with(&ZSTD_MAGIC);
    if is_compressed { read_limited(StreamingDecoder::new(bytes.as_slice())?, 0) } else { Ok(bytes) }
}

fn check_objects(text: &[u8]) -> anyhow::Result<()> {
    let object_count = text.chunks(255).map(count_of_objects).sum::<usize>();
    anyhow::ensure!(object_count <= MOST_OBJECTS, "it has more than {MOST_OBJECTS} JSON objects");
    Ok(())
}

/// In a chunk of at most 255 bytes, so that the count fits a byte: the processor then looks at many at once.
fn count_of_objects(chunk: &[u8]) -> usize {
    chunk.iter().fold(0u8, |count, byte| count.wrapping_add(u8::from(*byte == b'{'))).into()
}

/// `length` is what is expected.
fn read_limited(source: impl Read, length: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    source.take(MOST_RECORD_BYTES + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(
        bytes.len() as u64 <= MOST_RECORD_BYTES,
        "it is larger than {} MiB",
        MOST_RECORD_BYTES >> 20
    );
    Ok(bytes)
}

/// What becomes of a file that has the name already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the new one is not written.
    Kept,
    /// The new one takes its place.
    Replaced,
}

/// Writes a file so that it is there whole or not at all. What stands there and is no regular file, such as
/// `/dev/null` or a pipe, is written to and never replaced; a block device is left alone, because it holds data.
pub fn write_whole(path: &Path, bytes: &[u8], existing: Existing) -> anyhow::Result<()> {
    let write = || -> io::Result<()> {
        if path.exists() && !path.is_file() {
            if is_block_device(path)? {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a block device"));
            }
            return OpenOptions::new().write(true).open(path)?.write_all(bytes);
        }
        let folder = folder_of(path);
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        let placed = match existing {
            Existing::Kept => file.persist_noclobber(path),
            Existing::Replaced => file.persist(path),
        };
        placed.or_else(|refused| match refused.error.kind() {
            io::ErrorKind::AlreadyExists => Err(refused),
            // Some file systems can do no more than rename.
            _ => refused.file.persist(path),
        })?;
        // The file is whole without this, too. After a crash it might be missing, and a folder that cannot be brought to the
        // disk is no worse than that.
        let _ = sync_folder(folder);
        Ok(())
    };
    write().with_context(|| format!("cannot write `{}`", path.display()))
}

/// The folder of a file; the present one for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Brings the names in a folder to the disk: a new file is there after a crash only when its folder is.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Windows brings names to the disk with their files.
#[cfg(not(unix))]
pub fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether a report must not be written there: what stands on a block device would be gone.
#[cfg(unix)]
pub fn is_block_device(path: &Path) -> io::Result<bool> {
    Ok(std::os::unix::fs::FileTypeExt::is_block_device(&fs::metadata(path)?.file_type()))
}

/// Windows names its devices in another way, and they are no paths that exist.
#[cfg(not(unix))]
pub fn is_block_device(_: &Path) -> io::Result<bool> {
    Ok(false)
}

fn remove_if_there(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.with_context(|| format!("cannot remove `{}`", path.display())),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// `$XDG_DATA_HOME/iotrial` or `~/.local/share/iotrial`; `%LOCALAPPDATA%\iotrial` on Windows.
fn default_folder() -> Option<PathBuf> {
    let from_environment =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = if cfg!(windows) {
        from_environment("LOCALAPPDATA")
    } else {
        from_environment("XDG_DATA_HOME")
            .or_else(|| std::env::home_dir().map(|home| home.join(".local/share")))
    };
    data.map(|data| data.join("iotrial"))
}
