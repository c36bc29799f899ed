//! The index of a store: an SQLite file that can be thrown away at any time, because all that is in it is read from the files again.
//!
//! It saves time and nothing else. Whatever keeps it from being used costs that time and never the list.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use iotrial_analysis::verdict::Outcome;
use rusqlite::ffi::SQLITE_ERROR;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use super::entry::{Entry, KeyLatency};
use super::kind::Kind;

/// Of the tables below. An index of another layout is emptied.
const LAYOUT: i64 = 3;

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
}

impl Index {
    /// Opens the index of a store and reads it. One that is missing or of another layout is made; one that is damaged is thrown away
    /// and made anew.
    ///
    /// # Errors
    ///
    /// When it cannot be used now: another iotrial writes it for longer than `patience`, or the folder cannot be written. It is left
    /// as it is.
    pub(super) fn open(folder: &Path, patience: Duration) -> rusqlite::Result<(Self, Known)> {
        let path = folder.join("index.sqlite");
        let open = || {
            let connection = open_file(&path, patience)?;
            // A damaged file may open, and even count its rows, and fail only when they are read. So reading is a part of opening.
            let known = select(&connection)?;
            Ok((Self { connection }, known))
        };
        open().or_else(|error| {
            // Only then: the index of another iotrial that is at work may be busy, and must not vanish under it.
            if !is_damage(&error) {
                return Err(error);
            }
            // A rollback journal that lies beside it need not go: SQLite drops the one of a database that is empty.
            let _ = fs::remove_file(&path);
            open()
        })
    }

    /// Notes what files hold, in place of what was known of them, and forgets others.
    pub(super) fn update(&mut self, changed: &[(Stamp, &Entry)], gone: &[&Path]) -> rusqlite::Result<()> {
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

fn open_file(path: &Path, patience: Duration) -> rusqlite::Result<Connection> {
    let mut index = Connection::open(path)?;
    index.busy_timeout(patience)?;
    let layout = |index: &Connection| index.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    if layout(&index)? != LAYOUT {
        // Not by removing the file: another iotrial may have it open. `record` was the table of layout 0.
        let change = index.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Asked again: another iotrial may have changed it while this one waited for its turn.
        if layout(&change)? != LAYOUT {
            change.execute_batch(&format!(
                "DROP TABLE IF EXISTS record;
                 DROP TABLE IF EXISTS entry;
                 CREATE TABLE entry (
                     path TEXT PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, started_at TEXT NOT NULL,
                     profile TEXT NOT NULL, label TEXT, targets TEXT NOT NULL, ended TEXT NOT NULL,
                     outcome TEXT, capacity_iops REAL, is_lower_bound INTEGER NOT NULL, latency TEXT, latency_us REAL,
                     made_by TEXT NOT NULL, length INTEGER NOT NULL, modified_ns INTEGER NOT NULL
                 ) STRICT;
                 PRAGMA user_version = {LAYOUT};"
            ))?;
        }
        change.commit()?;
    }
    Ok(index)
}

fn insert(index: &Connection, entry: &Entry, stamp: Stamp) -> rusqlite::Result<()> {
    index.execute(
        "INSERT OR REPLACE INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
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
            entry.capacity_iops,
            entry.is_lower_bound,
            entry.key_latency.as_ref().map(|latency| &latency.metric),
            entry.key_latency.as_ref().map(|latency| latency.us),
            MADE_BY,
            stamp.length,
            stamp.modified_ns,
        ],
    )?;
    Ok(())
}

fn select(index: &Connection) -> rusqlite::Result<Known> {
    let mut statement = index.prepare(
        "SELECT path, kind, id, started_at, profile, label, targets, ended, length, modified_ns,
                outcome, capacity_iops, is_lower_bound, latency, latency_us
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
            capacity_iops: row.get(11)?,
            is_lower_bound: row.get(12)?,
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
            capacity_iops: Some(41_200.5),
            is_lower_bound: true,
            key_latency: Some(KeyLatency { metric: "commit.p99".to_owned(), us: 420.5 }),
            kind: Kind::Run,
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
    fn an_index_without_its_table_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        drop(Index::open(folder.path(), PATIENCE).unwrap());
        let other = Connection::open(folder.path().join("index.sqlite")).unwrap();
        other.execute_batch("DROP TABLE entry").unwrap();
        drop(other);
        assert!(Index::open(folder.path(), PATIENCE).unwrap().1.is_empty());
    }
}
