//! The index of a store: an SQLite file that can be thrown away at any time, because all that is in it is read from the files again.
//!
//! It saves time and nothing else. Whatever keeps it from being used costs that time and never the list.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use iotrial_analysis::verdict::Outcome;
use rusqlite::ffi::SQLITE_ERROR;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::entry::{Entry, KeyLatency};
use super::kind::Kind;
use super::os;

/// Of the tables below. An index of another layout is emptied.
const LAYOUT: i64 = 6;

/// Says in the header of the file that it is an index of iotrial: `IOTR`. Somebody else's database of that name is left alone.
const APPLICATION_ID: u32 = 0x494f_5452;

/// Of the header of an SQLite file (the SQLite file format, 1.3): what it begins with, how long it is, and where its application id is.
const MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER_BYTES: usize = 100;
const APPLICATION_ID_AT: usize = 68;

/// Whose findings and verdicts the rows hold. They are never stored as truth: another version reads the files again.
const MADE_BY: &str = env!("CARGO_PKG_VERSION");

/// How long to wait for another iotrial that writes the index.
// It does so within one short transaction; whoever takes longer sits on a disk that is as slow as reading the files instead.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// What is known of the files of a store, by their paths.
pub(super) type Known = BTreeMap<PathBuf, (Stamp, Entry)>;

/// By what a file is recognised as the one that was read: a sweep and the journal of a study grow under their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    length: i64,
    modified_ns: i64,
}

impl Stamp {
    /// Of the file as it is now.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self {
            length: i64::try_from(metadata.len()).ok()?,
            modified_ns: i64::try_from(modified.as_nanos()).ok()?,
        })
    }
}

/// An index, and what is in it.
pub(super) struct Index {
    connection: Connection,
    path: PathBuf,
    patience: Duration,
}

/// Why an index cannot be used now.
#[derive(Debug, thiserror::Error)]
pub(super) enum IndexError {
    /// SQLite cannot read or write it.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// Something else has its name.
    #[error("`{}` is not an index that iotrial made; move it away, and the store gets one", path.display())]
    Foreign {
        /// What has the name.
        path: PathBuf,
    },
    /// The operating system does not let it be made or looked at.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What has the name of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// Nothing, or an empty file.
    Nobodys,
    /// An index of iotrial, whole or not.
    Ours,
    /// A database that does not say whose it is, as older versions of iotrial made them.
    Unsaid,
    /// Something else.
    Foreign,
}

impl Index {
    /// Opens the index of a store and reads it. One that is missing or of another layout is made; one that is damaged is thrown away
    /// and made anew.
    ///
    /// # Errors
    ///
    /// When it cannot be used now: another iotrial writes it for longer than `patience`, or the folder cannot be written. It is left
    /// as it is.
    pub(super) fn open(folder: &Path, patience: Duration) -> Result<(Self, Known), IndexError> {
        let path = folder.join("index.sqlite");
        let whose = whose(&path)?;
        let foreign = || IndexError::Foreign { path: path.clone() };
        match whose {
            Whose::Foreign => return Err(foreign()),
            // Readable by its user alone, as the records are: it has their labels and paths. SQLite itself would ask the umask.
            Whose::Nobodys => make_private(&path)?,
            Whose::Unsaid if !is_earlier_index(&path)? => return Err(foreign()),
            Whose::Ours | Whose::Unsaid => {}
        }
        match Self::open_file(&path, patience) {
            // Only then: the index of another iotrial that is at work may be busy, and must not vanish under it.
            Err(error) if is_damage(&error) && whose == Whose::Ours => {
                Ok(Self::anew(path.clone(), patience)?)
            }
            opened => Ok(opened?),
        }
    }

    fn open_file(path: &Path, patience: Duration) -> rusqlite::Result<(Self, Known)> {
        let connection = connect(path, patience)?;
        // A damaged file may open, and even count its rows, and fail only when they are read. So reading is a part of opening.
        let known = select(&connection)?;
        Ok((Self { connection, path: path.to_owned(), patience }, known))
    }

    /// In the place of a damaged one.
    fn anew(path: PathBuf, patience: Duration) -> Result<(Self, Known), IndexError> {
        // A rollback journal that lies beside it need not go: SQLite drops the one of a database that is empty.
        let _ = fs::remove_file(&path);
        make_private(&path)?;
        Ok(Self::open_file(&path, patience)?)
    }

    /// Notes what files hold, in place of what was known of them, and forgets others. One that shows only now that it is damaged is
    /// made anew, with what changed; the rest is read from its files the next time.
    pub(super) fn update(&mut self, changed: &[(Stamp, &Entry)], gone: &[&Path]) -> Result<(), IndexError> {
        match self.change(changed, gone) {
            Err(error) if is_damage(&error) => {
                let (anew, _) = Self::anew(self.path.clone(), self.patience)?;
                *self = anew;
                Ok(self.change(changed, gone)?)
            }
            changed => Ok(changed?),
        }
    }

    fn change(&mut self, changed: &[(Stamp, &Entry)], gone: &[&Path]) -> rusqlite::Result<()> {
        if changed.is_empty() && gone.is_empty() {
            return Ok(());
        }
        // All at once: an import may bring thousands, and each transaction of its own would wait for the disk. Immediate, because a
        // transaction that begins by reading cannot wait for another writer: SQLite then gives up at once.
        let change = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (stamp, entry) in changed {
            insert(&change, entry, *stamp)?;
        }
        for path in gone {
            change.execute("DELETE FROM entry WHERE path = ?1", [path.to_string_lossy()])?;
        }
        change.commit()
    }
}

/// Whether the file is no index any more, rather than one that cannot be used now.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{
        FromSqlConversionFailure, InvalidColumnType, SqlInputError, SqliteFailure, Utf8Error,
    };
    match error {
        SqliteFailure(error, _) => {
            matches!(error.code, ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)
                || error.extended_code == SQLITE_ERROR
        }
        // There is no such table, or it has other columns than its layout promises.
        SqlInputError { .. } => true,
        FromSqlConversionFailure(..) | InvalidColumnType(..) | Utf8Error(..) => true,
        _ => false,
    }
}

/// By the header of the file, before SQLite touches it.
fn whose(path: &Path) -> io::Result<Whose> {
    let metadata = match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Whose::Nobodys),
        metadata => metadata?,
    };
    // A link would lead out of the store, and a pipe would be waited for.
    if !metadata.is_file() {
        return Ok(Whose::Foreign);
    }
    let mut header = Vec::new();
    File::open(path)?.take(HEADER_BYTES as u64).read_to_end(&mut header)?;
    if header.is_empty() {
        return Ok(Whose::Nobodys);
    }
    let id = header.get(APPLICATION_ID_AT..APPLICATION_ID_AT + 4);
    let id = id.and_then(|bytes| Some(u32::from_be_bytes(bytes.try_into().ok()?)));
    Ok(match id.filter(|_| header.starts_with(MAGIC)) {
        Some(APPLICATION_ID) => Whose::Ours,
        Some(0) => Whose::Unsaid,
        _ => Whose::Foreign,
    })
}

/// Whether a database that does not say whose it is has the one table that versions of iotrial before the application id made.
fn is_earlier_index(path: &Path) -> rusqlite::Result<bool> {
    let index = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut statement =
        index.prepare("SELECT name FROM sqlite_schema WHERE type <> 'index' ORDER BY name")?;
    let names: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let made_by = "SELECT count(*) FROM pragma_table_info('entry') WHERE name IN ('made_by', 'modified_ns')";
    Ok(names == ["entry"] && index.query_row(made_by, [], |row| row.get::<_, i64>(0))? == 2)
}

/// An empty file that only its user reads, where there is none yet.
fn make_private(path: &Path) -> io::Result<()> {
    os::private_file().write(true).create(true).truncate(false).open(path).map(drop)
}

fn connect(path: &Path, patience: Duration) -> rusqlite::Result<Connection> {
    let mut index = Connection::open(path)?;
    index.busy_timeout(patience)?;
    let layout = |index: &Connection| index.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    if layout(&index)? != LAYOUT {
        // Not by removing the file: another iotrial may have it open.
        let change = index.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Asked again: another iotrial may have changed it while this one waited for its turn.
        if layout(&change)? != LAYOUT {
            change.execute_batch(&format!(
                "DROP TABLE IF EXISTS entry;
                 CREATE TABLE entry (
                     path TEXT PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, started_at TEXT NOT NULL,
                     profile TEXT NOT NULL, label TEXT, targets TEXT NOT NULL, ended TEXT NOT NULL,
                     outcome TEXT, iops REAL, capacity_iops REAL, ceiling_iops REAL, is_lower_bound INTEGER NOT NULL,
                     latency TEXT, latency_us REAL, is_simulated INTEGER NOT NULL,
                     made_by TEXT NOT NULL, length INTEGER NOT NULL, modified_ns INTEGER NOT NULL
                 ) STRICT;
                 PRAGMA application_id = {APPLICATION_ID};
                 PRAGMA user_version = {LAYOUT};"
            ))?;
        }
        change.commit()?;
    }
    Ok(index)
}

fn insert(index: &Connection, entry: &Entry, stamp: Stamp) -> rusqlite::Result<()> {
    index.execute(
        // By their names: a column that somebody added takes no part.
        "INSERT OR REPLACE INTO entry (path, kind, id, started_at, profile, label, targets, ended, outcome, iops, capacity_iops,
             is_lower_bound, latency, latency_us, made_by, length, modified_ns, ceiling_iops, is_simulated)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
        rusqlite::params![
            entry.path.to_string_lossy(),
            entry.kind.as_str(),
            &entry.id,
            &entry.started_at,
            &entry.profile,
            &entry.label,
            &entry.targets,
            &entry.ended,
            entry.outcome.map(Outcome::key),
            entry.iops,
            entry.capacity_iops,
            entry.is_lower_bound,
            entry.key_latency.as_ref().map(|latency| &latency.metric),
            entry.key_latency.as_ref().map(|latency| latency.us),
            MADE_BY,
            stamp.length,
            stamp.modified_ns,
            entry.ceiling_iops,
            entry.is_simulated,
        ],
    )?;
    Ok(())
}

fn select(index: &Connection) -> rusqlite::Result<Known> {
    let mut statement = index.prepare(
        "SELECT path, kind, id, started_at, profile, label, targets, ended, length, modified_ns,
                outcome, capacity_iops, is_lower_bound, latency, latency_us, iops,
                ceiling_iops, is_simulated
         FROM entry WHERE made_by = ?1",
    )?;
    let rows = statement.query_map([MADE_BY], |row| {
        // A newer iotrial may share the store: what it keeps there is its own.
        let Some(kind) = Kind::of_word(&row.get::<_, String>(1)?) else { return Ok(None) };
        let path = PathBuf::from(row.get::<_, String>(0)?);
        let (latency, latency_us): (Option<String>, Option<f64>) = (row.get(13)?, row.get(14)?);
        let entry = Entry {
            path: path.clone(),
            kind,
            id: row.get(2)?,
            started_at: row.get(3)?,
            profile: row.get(4)?,
            label: row.get(5)?,
            targets: row.get(6)?,
            ended: row.get(7)?,
            outcome: row.get::<_, Option<String>>(10)?.as_deref().and_then(Outcome::from_key),
            iops: row.get(15)?,
            capacity_iops: row.get(11)?,
            ceiling_iops: row.get(16)?,
            is_lower_bound: row.get(12)?,
            is_simulated: row.get(17)?,
            key_latency: latency.zip(latency_us).map(|(metric, us)| KeyLatency { metric, us }),
        };
        Ok(Some((path, (Stamp { length: row.get(8)?, modified_ns: row.get(9)? }, entry))))
    })?;
    rows.filter_map(Result::transpose).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn entry(folder: &Path) -> Entry {
        let path = folder.join("01JD.iotrial.json");
        Entry {
            id: "01JD".to_owned(),
            path,
            started_at: String::new(),
            profile: "p".to_owned(),
            label: None,
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

    const STAMP: Stamp = Stamp { length: 1, modified_ns: 1 };

    #[test]
    fn an_index_that_another_iotrial_writes_is_left_alone_and_whole() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Index::open(folder.path(), Duration::ZERO);
        let entry = entry(folder.path());
        let (mut index, known) = open().unwrap();
        assert!(known.is_empty());
        index.update(&[(STAMP, &entry)], &[]).unwrap();
        let other = Connection::open(folder.path().join("index.sqlite")).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE; UPDATE entry SET label = 'theirs'").unwrap();
        let busy = open().map(drop).unwrap_err();
        let IndexError::Sqlite(busy) = busy else { panic!("{busy}") };
        assert_eq!(busy.sqlite_error_code(), Some(ErrorCode::DatabaseBusy));
        assert!(index.update(&[(STAMP, &entry)], &[]).is_err());
        other.execute_batch("COMMIT").unwrap();
        // What the other one wrote arrived in the file that is there.
        assert_eq!(open().unwrap().1[&entry.path].1.label.as_deref(), Some("theirs"));
    }

    #[test]
    fn an_index_that_is_damaged_behind_its_first_page_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let entry = entry(folder.path());
        Index::open(folder.path(), PATIENCE).unwrap().0.update(&[(STAMP, &entry)], &[]).unwrap();
        let path = folder.path().join("index.sqlite");
        let mut bytes = fs::read(&path).unwrap();
        bytes[4096..].fill(0xff);
        fs::write(&path, bytes).unwrap();
        let (mut index, known) = Index::open(folder.path(), PATIENCE).unwrap();
        assert!(known.is_empty());
        index.update(&[(STAMP, &entry)], &[]).unwrap();
        assert_eq!(Index::open(folder.path(), PATIENCE).unwrap().1.len(), 1);
    }

    #[test]
    fn an_entry_comes_back_as_it_was_and_one_of_another_version_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let entry = entry(folder.path());
        Index::open(folder.path(), PATIENCE).unwrap().0.update(&[(STAMP, &entry)], &[]).unwrap();
        assert_eq!(Index::open(folder.path(), PATIENCE).unwrap().1[&entry.path], (STAMP, entry));
        let other = Connection::open(folder.path().join("index.sqlite")).unwrap();
        other.execute_batch("UPDATE entry SET made_by = '0.0.1'").unwrap();
        drop(other);
        assert!(Index::open(folder.path(), PATIENCE).unwrap().1.is_empty());
    }

    #[test]
    fn an_index_of_the_layout_before_is_emptied_and_not_misread() {
        let folder = tempfile::tempdir().unwrap();
        let entry = entry(folder.path());
        Index::open(folder.path(), PATIENCE).unwrap().0.update(&[(STAMP, &entry)], &[]).unwrap();
        let before = Connection::open(folder.path().join("index.sqlite")).unwrap();
        before.pragma_update(None, "user_version", LAYOUT - 1).unwrap();
        drop(before);
        let (mut index, known) = Index::open(folder.path(), PATIENCE).unwrap();
        assert!(known.is_empty());
        index.update(&[(STAMP, &entry)], &[]).unwrap();
        assert_eq!(Index::open(folder.path(), PATIENCE).unwrap().1[&entry.path], (STAMP, entry));
    }

    #[test]
    fn an_index_that_lost_its_table_or_got_another_one_is_made_anew() {
        for spoil in [
            "DROP TABLE entry",
            "ALTER TABLE entry ADD COLUMN extra TEXT",
            "ALTER TABLE entry DROP COLUMN label",
            "DROP TABLE entry; CREATE VIEW entry AS SELECT 1",
            "CREATE TRIGGER t BEFORE INSERT ON entry BEGIN INSERT INTO gone VALUES (1); END",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let entry = entry(folder.path());
            drop(Index::open(folder.path(), PATIENCE).unwrap());
            let other = Connection::open(folder.path().join("index.sqlite")).unwrap();
            other.execute_batch(spoil).unwrap();
            drop(other);
            let (mut index, known) = Index::open(folder.path(), PATIENCE).unwrap();
            assert!(known.is_empty());
            index.update(&[(STAMP, &entry)], &[]).unwrap_or_else(|error| panic!("{spoil}: {error}"));
            assert_eq!(Index::open(folder.path(), PATIENCE).unwrap().1.len(), 1, "{spoil}");
        }
    }

    #[test]
    fn what_somebody_else_made_under_that_name_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.sqlite");
        let refused = |what: &str| {
            let before = fs::read(&path).unwrap();
            let error = Index::open(folder.path(), PATIENCE).map(drop).unwrap_err();
            assert!(matches!(error, IndexError::Foreign { .. }), "{what}: {error}");
            assert_eq!(fs::read(&path).unwrap(), before, "{what}");
            fs::remove_file(&path).unwrap();
        };
        fs::write(&path, "my own index of songs").unwrap();
        refused("text");
        let songs = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        songs("CREATE TABLE entry (song TEXT); INSERT INTO entry VALUES ('mine')");
        refused("a database with a table of that name");
        songs("PRAGMA application_id = 7; CREATE TABLE entry (made_by, modified_ns)");
        refused("a database that says whose it is");
    }

    #[cfg(unix)]
    mod on_unix {
        use super::*;

        #[test]
        fn a_link_to_the_index_of_another_store_is_left_as_it_is() {
            let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let (path, other) = (folder.path().join("index.sqlite"), elsewhere.path().join("index.sqlite"));
            drop(Index::open(elsewhere.path(), PATIENCE).unwrap());
            std::os::unix::fs::symlink(&other, &path).unwrap();
            let before = fs::read(&other).unwrap();
            let error = Index::open(folder.path(), PATIENCE).map(drop).unwrap_err();
            assert!(matches!(error, IndexError::Foreign { .. }), "{error}");
            assert_eq!(fs::read(&other).unwrap(), before);
        }

        #[test]
        fn nobody_else_reads_the_index() {
            use std::os::unix::fs::PermissionsExt as _;
            let folder = tempfile::tempdir().unwrap();
            Index::open(folder.path(), PATIENCE)
                .unwrap()
                .0
                .update(&[(STAMP, &entry(folder.path()))], &[])
                .unwrap();
            let mode = fs::metadata(folder.path().join("index.sqlite")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
