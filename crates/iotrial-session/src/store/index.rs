//! The index of a store: an SQLite file that can be thrown away at any time, because all that is in it is read from the files again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rusqlite::Connection;

use super::entry::Entry;
use super::kind::Kind;

/// Of the tables below. An index of another layout is emptied.
const LAYOUT: i64 = 2;

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

/// Opens the index of a store, made anew where it is missing, damaged, or of another layout.
pub(super) fn open(folder: &Path) -> rusqlite::Result<Connection> {
    let path = folder.join("index.sqlite");
    open_file(&path).or_else(|_| {
        let _ = fs::remove_file(&path);
        open_file(&path)
    })
}

fn open_file(path: &Path) -> rusqlite::Result<Connection> {
    let mut index = Connection::open(path)?;
    let layout = |index: &Connection| index.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    if layout(&index)? != LAYOUT {
        // Not by removing the file: another iotrial may have it open. `record` was the table of layout 0.
        let change = index.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        if layout(&change)? != LAYOUT {
            change.execute_batch(&format!(
                "DROP TABLE IF EXISTS record;
                 DROP TABLE IF EXISTS entry;
                 CREATE TABLE entry (
                     path TEXT PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, started_at TEXT NOT NULL,
                     profile TEXT NOT NULL, label TEXT, targets TEXT NOT NULL, ended TEXT NOT NULL,
                     length INTEGER NOT NULL, modified_ns INTEGER NOT NULL
                 ) STRICT;
                 PRAGMA user_version = {LAYOUT};"
            ))?;
        }
        change.commit()?;
    }
    // A damaged file may open and only fail when it is read.
    index.query_row("SELECT count(*) FROM entry", [], |_| Ok(()))?;
    Ok(index)
}

/// Notes what a file holds, in place of what was known of it.
pub(super) fn insert(index: &Connection, entry: &Entry, stamp: Stamp) -> rusqlite::Result<()> {
    index.execute(
        "INSERT OR REPLACE INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        (
            entry.path.to_string_lossy(),
            entry.kind.as_str(),
            &entry.id,
            &entry.started_at,
            &entry.profile,
            &entry.label,
            &entry.targets,
            &entry.ended,
            stamp.length,
            stamp.modified_ns,
        ),
    )?;
    Ok(())
}

/// Forgets a file that is gone.
pub(super) fn remove(index: &Connection, path: &Path) -> rusqlite::Result<()> {
    index.execute("DELETE FROM entry WHERE path = ?1", [path.to_string_lossy()]).map(drop)
}

/// Everything that is known, by file.
pub(super) fn select(index: &Connection) -> rusqlite::Result<BTreeMap<PathBuf, (Stamp, Entry)>> {
    let mut statement = index.prepare(
        "SELECT path, kind, id, started_at, profile, label, targets, ended, length, modified_ns FROM entry",
    )?;
    let rows = statement.query_map([], |row| {
        let Some(kind) = Kind::of_word(&row.get::<_, String>(1)?) else { return Ok(None) };
        let path = PathBuf::from(row.get::<_, String>(0)?);
        let entry = Entry {
            path: path.clone(),
            kind,
            id: row.get(2)?,
            started_at: row.get(3)?,
            profile: row.get(4)?,
            label: row.get(5)?,
            targets: row.get(6)?,
            ended: row.get(7)?,
        };
        Ok(Some((path, (Stamp { length: row.get(8)?, modified_ns: row.get(9)? }, entry))))
    })?;
    rows.filter_map(Result::transpose).collect()
}
