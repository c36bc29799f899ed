//! Snapshots of what a database counted, as CSV with a header: `sys.dm_io_virtual_file_stats` of SQL Server, `pg_stat_io` of PostgreSQL.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use iotrial_model::counters::{Snapshot, SnapshotCounts, Snapshots, When};
use iotrial_model::load::Role;
use jiff::civil::DateTime;

use super::CountersError;
use crate::text::quote;

/// Whose snapshots they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    SqlServer,
    PostgreSql,
}

impl Kind {
    const fn tool(self) -> &'static str {
        match self {
            Self::SqlServer => "sys.dm_io_virtual_file_stats",
            Self::PostgreSql => "pg_stat_io",
        }
    }

    const fn hint(self) -> &'static str {
        match self {
            Self::SqlServer => {
                "take another one later with `sample_ms` in it, and give both files; `iotrial docs watch` has the query"
            }
            Self::PostgreSql => {
                "take another one later, each with `now() AS captured_at`, and give both files; `iotrial docs watch` has the query"
            }
        }
    }
}

/// By the names of the columns, with any delimiter. A file without a header is numbers alone, and nobody knows of what.
pub(super) fn kind_of(text: &str) -> Option<Kind> {
    let header = text.lines().next()?;
    if header.len() > 4_096 {
        return None;
    }
    let names = header.to_ascii_lowercase();
    let has = |name: &str| names.contains(name);
    if has("num_of_reads") && has("io_stall_read_ms") {
        return Some(Kind::SqlServer);
    }
    (has("backend_type") && has("context") && has("reads") && has("writes")).then_some(Kind::PostgreSql)
}

/// The columns by name.
struct Header {
    places: HashMap<String, usize>,
}

impl Header {
    /// The cell of the first of these columns that there is.
    fn text<'r>(&self, row: &'r csv::StringRecord, names: &[&str]) -> Option<&'r str> {
        let place = names.iter().find_map(|name| self.places.get(*name))?;
        row.get(*place).map(str::trim).filter(|text| !text.is_empty() && !text.eq_ignore_ascii_case("null"))
    }

    fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.places.contains_key(*name))
    }
}

const READ_BYTES: [&str; 3] = ["num_of_bytes_read", "bytes_read", "read_bytes"];
const WRITE_BYTES: [&str; 4] = ["num_of_bytes_written", "bytes_written", "write_bytes", "written_bytes"];
/// As monitoring tools and the documentation call the moment of a snapshot.
const CALENDAR: [&str; 10] = [
    "captured_at",
    "capture_time",
    "capture_date",
    "collection_time",
    "sample_time",
    "snapshot_time",
    "checkdate",
    "time",
    "timestamp",
    "now",
];

/// What SSMS shows as text: columns as wide as the dashes below their names, with only blanks between them. `None` of anything else.
fn in_columns(text: &str) -> Option<String> {
    let mut lines = text.lines();
    let (header, ruler) = (lines.next()?, lines.next()?);
    let is_ruler = ruler.contains("- -") && ruler.chars().all(|letter| matches!(letter, '-' | ' '));
    if !is_ruler || header.contains(['\t', ';', '|', ',']) {
        return None;
    }
    let mut widths: Vec<usize> = ruler.split_inclusive(' ').map(str::len).collect();
    // The last column is as wide as its line.
    widths.pop();
    let cells = |line: &str| {
        let mut rest = line;
        let mut cells = Vec::new();
        for width in &widths {
            let end = rest.char_indices().nth(*width).map_or(rest.len(), |(at, _)| at);
            let (cell, after) = rest.split_at(end);
            cells.push(cell.trim());
            rest = after;
        }
        cells.push(rest.trim());
        cells.join("\t")
    };
    // Below the rows it counts them.
    let rows = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('('));
    Some(rows.map(|line| cells(line) + "\n").collect())
}

pub(super) fn read(text: &str, kind: Kind) -> Result<Snapshots, CountersError> {
    let columns = in_columns(text);
    let text = columns.as_deref().unwrap_or(text);
    let first = text.lines().next().unwrap_or_default();
    let delimiter =
        [b'\t', b';', b'|', b','].into_iter().find(|one| first.as_bytes().contains(one)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let broken = |place: String, message: &str| CountersError::Broken { place, message: message.to_owned() };
    let headers =
        reader.headers().map_err(|error| broken("the header".to_owned(), &quote(&error.to_string())))?;
    let places = headers.iter().enumerate().map(|(at, name)| (name.to_ascii_lowercase(), at)).collect();
    let header = Header { places };
    let lacking = |missing| CountersError::Lacking { tool: kind.tool(), missing, hint: kind.hint() };
    match kind {
        Kind::SqlServer if !header.has(&READ_BYTES) || !header.has(&WRITE_BYTES) => {
            return Err(lacking("num_of_bytes_read and num_of_bytes_written"));
        }
        Kind::PostgreSql if !header.has(&["op_bytes"]) && !header.has(&["read_bytes"]) => {
            return Err(lacking("read_bytes and write_bytes, or op_bytes"));
        }
        _ => {}
    }
    let mut snapshots: Vec<Snapshot> = Vec::new();
    // A tool that lists file by file has the moments again and again.
    let mut moments: HashMap<String, usize> = HashMap::new();
    let (mut known, mut names) = (HashMap::new(), HashSet::new());
    for row in reader.records() {
        let row = row.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            broken(format!("line {line}"), &quote(&error.to_string()))
        })?;
        let is_underline = row.iter().all(|cell| cell.chars().all(|letter| letter == '-'));
        // What `sqlcmd` prints below its header, and how many rows it counted below the last one.
        if is_underline || row.len() < 3 {
            continue;
        }
        let when = when(&header, &row);
        let key = format!(
            "{:?} {:?}",
            when.calendar_s,
            if when.calendar_s.is_some() { None } else { when.running_s }
        );
        let place = *moments.entry(key).or_insert_with(|| {
            snapshots.push(Snapshot { when, parts: Vec::new() });
            snapshots.len() - 1
        });
        let line = row.position().map_or(0, csv::Position::line);
        let part = match kind {
            Kind::SqlServer => file(&header, &row),
            Kind::PostgreSql => kind_of_io(&header, &row),
        };
        let part =
            part.ok_or_else(|| broken(format!("line {line}"), "a count is missing or is not a number"))?;
        let parts = &mut snapshots[place].parts;
        // Rows of one name at one moment are added up: what cannot be told apart would take the place of the other.
        match known.entry((place, part.name.clone())) {
            Entry::Occupied(at) => add(&mut parts[*at.get()], &part),
            Entry::Vacant(at) => {
                at.insert(parts.len());
                names.insert(part.name.clone());
                parts.push(part);
            }
        }
        // The series has room for every part at every moment, whether it was there or not.
        if names.len() > super::MOST_DISKS || snapshots.len().saturating_mul(names.len()) > super::MOST_RATES
        {
            return Err(CountersError::TooMany);
        }
    }
    let mut notes = Vec::new();
    if kind == Kind::PostgreSql {
        notes.push(
            "times are as PostgreSQL measured them, including reads from the page cache of the system"
                .to_owned(),
        );
        if forget_times_that_were_not_taken(&mut snapshots) {
            notes.push("track_io_timing was off, so there are no latencies".to_owned());
        }
    }
    Ok(Snapshots { tool: kind.tool(), hint: kind.hint(), snapshots, notes })
}

fn when(header: &Header, row: &csv::StringRecord) -> When {
    let number = |names: &[&str]| header.text(row, names)?.parse::<f64>().ok();
    When {
        running_s: number(&["sample_ms"]).map(|ms| ms / 1_000.0),
        calendar_s: header.text(row, &CALENDAR).and_then(calendar),
    }
}

/// `2026-11-21 10:00:00.000`, with or without fraction, zone or `T`.
fn calendar(text: &str) -> Option<f64> {
    let text = text.replace('T', " ");
    let seconds = DateTime::strptime("%Y-%m-%d %H:%M:%S", text.get(..19)?).ok()?;
    let fraction: String = text[19..].chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let whole = seconds.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0)).as_secs_f64();
    Some(whole + fraction.parse::<f64>().ok().filter(|part| *part < 1.0).unwrap_or(0.0))
}

/// A file of a database of SQL Server.
fn file(header: &Header, row: &csv::StringRecord) -> Option<SnapshotCounts> {
    let text = |names: &[&str]| header.text(row, names);
    let number = |names: &[&str]| {
        text(names)?.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
    };
    let database =
        text(&["database_name", "databasename", "db_name", "database", "database_id"]).unwrap_or("?");
    let path = text(&["physical_name", "physicalname", "filepath"]);
    let logical = text(&[
        "logical_name",
        "file_logical_name",
        "filelogicalname",
        "logical_file_name",
        "name",
        "file_name",
    ]);
    // One database has the same names as the next, and a file of another the same number.
    let name = match (path, logical) {
        (Some(path), _) => path.to_owned(),
        (None, Some(logical)) => format!("{database} {logical}"),
        (None, None) => format!("{database} file {}", text(&["file_id", "fileid"]).unwrap_or("?")),
    };
    let is_tempdb = database.eq_ignore_ascii_case("tempdb") || database == "2";
    let is_log = text(&["type_desc", "typedesc", "file_type", "type"]).map_or_else(
        || {
            let ends = |name: &str| name.to_ascii_lowercase().ends_with(".ldf");
            // Number 2 is the first log file of every database (sys.database_files).
            path.is_some_and(ends) || (path.is_none() && text(&["file_id", "fileid"]) == Some("2"))
        },
        |kind| kind.eq_ignore_ascii_case("log") || kind == "1",
    );
    Some(SnapshotCounts {
        name: quote(&name),
        // The log of tempdb waits for no commit.
        role: Some(if is_tempdb {
            Role::Tempdb
        } else if is_log {
            Role::Log
        } else {
            Role::Data
        }),
        read_count: number(&["num_of_reads"])?,
        read_bytes: number(&READ_BYTES)?,
        read_s: number(&["io_stall_read_ms"]).map(|ms| ms / 1_000.0),
        write_count: number(&["num_of_writes"])?,
        write_bytes: number(&WRITE_BYTES)?,
        write_s: number(&["io_stall_write_ms"]).map(|ms| ms / 1_000.0),
    })
}

/// A kind of I/O of PostgreSQL: who, of what, in which way.
fn kind_of_io(header: &Header, row: &csv::StringRecord) -> Option<SnapshotCounts> {
    let text = |names: &[&str]| header.text(row, names);
    // What a kind of process never does is null.
    let number = |name: &str| match text(&[name]) {
        None => Some(0.0),
        Some(text) => text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0),
    };
    let (backend, object, context) = (text(&["backend_type"])?, text(&["object"])?, text(&["context"])?);
    let each = number("op_bytes")?;
    // Since version 18 bytes are counted; before, each operation has one size.
    let bytes = |counted: &str, count: f64| {
        if header.has(&[counted]) { number(counted) } else { Some(count * each) }
    };
    let (reads, writes, extends) = (number("reads")?, number("writes")?, number("extends")?);
    let role = match (object, context) {
        ("wal", _) => Role::Log,
        ("temp relation", _) => Role::Tempdb,
        (_, "bulkread" | "bulkwrite") => Role::Scan,
        _ => Role::Data,
    };
    Some(SnapshotCounts {
        name: quote(&format!("{backend}, {object}, {context}")),
        role: Some(role),
        read_count: reads,
        read_bytes: bytes("read_bytes", reads)?,
        read_s: Some(number("read_time")? / 1_000.0),
        // A file that grows is written, too.
        write_count: writes + extends,
        write_bytes: bytes("write_bytes", writes)? + bytes("extend_bytes", extends)?,
        write_s: Some((number("write_time")? + number("extend_time")?) / 1_000.0),
    })
}

fn add(sum: &mut SnapshotCounts, more: &SnapshotCounts) {
    let both = |one: Option<f64>, other: Option<f64>| one.zip(other).map(|(one, other)| one + other);
    sum.read_count += more.read_count;
    sum.read_bytes += more.read_bytes;
    sum.read_s = both(sum.read_s, more.read_s);
    sum.write_count += more.write_count;
    sum.write_bytes += more.write_bytes;
    sum.write_s = both(sum.write_s, more.write_s);
}

/// Without track_io_timing all times are zero, which is not what an I/O took.
fn forget_times_that_were_not_taken(snapshots: &mut [Snapshot]) -> bool {
    let parts = || snapshots.iter().flat_map(|one| &one.parts);
    let is_timed = parts().any(|part| part.read_s.unwrap_or(0.0) + part.write_s.unwrap_or(0.0) > 0.0);
    let does_anything = parts().any(|part| part.read_count + part.write_count > 0.0);
    if is_timed || !does_anything {
        return false;
    }
    for part in snapshots.iter_mut().flat_map(|one| &mut one.parts) {
        (part.read_s, part.write_s) = (None, None);
    }
    true
}
