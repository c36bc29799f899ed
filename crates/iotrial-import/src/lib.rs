//! Results of other tools, and printed ones, as records; the jobs of fio as profiles ([`fio_job`]); what
//! an operating system counted at its disks ([`counters`]); and what a driver prints while it loads a database ([`driver`]).
//!
//! [`import`] recognises a format by the content of the file, never by its name, and hands it to the reader
//! of that format. Each reader is in a file of its own and takes over what the source states: units are
//! converted exactly, nothing is worked out or filled in, and what it does not understand is a warning with
//! its place. Nothing here opens a file: what lies beside one is asked for by name.

#![forbid(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

mod text;
mod mail;
mod scan;
mod weight;
mod json;
mod fio_options;
mod fio;
mod fio_log;
mod fio_terse;
mod fio_text;
mod diskspd;
mod diskspd_text;
mod sqlio;
mod iometer;
mod crystaldiskmark;
mod vdbench;
mod fio_summary;
mod sysbench;
mod elbencho;
mod pg_test_fsync;
mod application;
mod prometheus;
mod figures_csv;
mod printed_table;
mod format;
pub mod fio_job;
pub mod counters;
pub mod awr;
pub mod block_trace;
pub mod driver;
pub mod archive;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use iotrial_model::imported::{CheckImportedError, ImportedJob, ImportedRecord, Source, SourceKind, Warning};
use iotrial_model::load::{Pattern, Role};
use iotrial_model::record::AttributeValue;
use iotrial_model::table::PublishedTable;
use iotrial_model::toml_reader::Mistakes;
use sha2::{Digest, Sha256};
use ulid::Ulid;

use format::format_of;
pub use text::{HEAD_BYTES, MOST_BYTES, head_of, refusal_of_large, text_of, unpack, unpack_text};
use text::{Notes, decode, without_escapes};
use weight::weight;

/// The reading program with its version, which every record names.
const READ_BY: &str = concat!("iotrial ", env!("CARGO_PKG_VERSION"));

/// The most runs that are read of one file.
const MOST_RECORDS: usize = 20_000;

/// Bytes that all records of a file take in memory: as much as those of a large one do.
// The weight is estimated (`weight.rs`), so the limit is well below what a machine has.
const MOST_WEIGHT: usize = 384 << 20;

/// What is looked for and read beside a file.
// Logs of all copies of all jobs are looked for by name.
const MOST_FILES_BESIDE: usize = 20_000;
const MOST_BYTES_BESIDE: usize = 256 << 20;

/// What the user says of the results.
#[derive(Debug, Clone, Default)]
pub struct Naming {
    /// What the configuration is called; otherwise the label of the source, where it has one.
    pub label: Option<String>,
    /// What distinguishes the configuration, beside what the source says itself.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// What the load stands for, where the source does not say.
    pub role: Option<Role>,
}

/// A file to import.
pub struct ForeignFile<'f> {
    /// As it is named in messages and records.
    pub name: &'f str,
    /// The bytes of the file, packed or not.
    pub bytes: &'f [u8],
    /// The content of a file beside it, by its name; `None` where there is none.
    pub beside: &'f dyn Fn(&str) -> Option<Vec<u8>>,
}

/// What a file stated.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The format that was recognised.
    pub kind: SourceKind,
    /// One for each run, in the order of the file; never empty.
    pub records: Vec<ImportedRecord>,
    /// What belongs to no run.
    pub warnings: Vec<Warning>,
    /// Files that were read beside it, by their names.
    pub beside: Vec<String>,
    /// A printed table itself, with what its text claims: no record has that.
    pub table: Option<PublishedTable>,
}

/// Why a file could not be imported. The message says nothing of the file: the caller names it.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It is beyond what is read at all.
    #[error("it is larger than {most_mib} MiB, or would be when unpacked")]
    TooLarge {
        /// What is read at most.
        most_mib: usize,
    },
    /// There is nothing in it.
    #[error("it is empty")]
    Empty,
    /// It is a program, an image or the like.
    #[error("it is not text")]
    Binary,
    /// It is packed in a way that is not unpacked here.
    #[error("it is {what}")]
    Archive {
        /// Such as `a ZIP archive`.
        what: &'static str,
        /// What the reader can do.
        hint: &'static str,
    },
    /// It is an archive that was made to do harm, or no archive of results.
    #[error("the archive is refused: {why}")]
    RefusedArchive {
        /// What is wrong with it.
        why: String,
    },
    /// It is text in an encoding that is not known.
    #[error("{place} has characters that are not UTF-8")]
    Encoding {
        /// Where the first of them stands.
        place: String,
    },
    /// It is packed and broken.
    #[error("it cannot be unpacked: {message}")]
    Packed {
        /// What the unpacker said.
        message: String,
    },
    /// It is text of another kind.
    #[error("it is not a result format that iotrial recognises")]
    Unknown,
    /// It is a log of fio, which is read with the JSON that it belongs to.
    #[error("it is a log of fio, which is read with the JSON next to it")]
    LogAlone,
    /// It is one of several files of a run, and another one beside it has all of it.
    #[error("it is a part of the run in `{whole}` next to it")]
    Part {
        /// The name of that file.
        whole: &'static str,
    },
    /// It is of a known kind, and cannot be understood.
    #[error("{place}: {message}")]
    Broken {
        /// The format that was recognised.
        kind: SourceKind,
        /// Where: `line 12, column 7`.
        place: String,
        /// What is wrong there.
        message: String,
    },
    /// It is a printed table with mistakes.
    #[error("it is not a valid table")]
    Table {
        /// All of them, with their places.
        #[source]
        source: Mistakes,
    },
    /// It is of a known kind, and has no result in it.
    #[error("it looks like {}, but has no results: {why}", .kind.as_str())]
    NoResult {
        /// The format that was recognised.
        kind: SourceKind,
        /// What is missing.
        why: String,
    },
    /// It has a value that no device can have.
    #[error("{place}: {source}")]
    Absurd {
        /// The run in which it is: a place in the file.
        place: String,
        /// Which value, and what it may be.
        #[source]
        source: CheckImportedError,
    },
}

impl ImportError {
    pub(crate) const fn too_large(most: usize) -> Self {
        Self::TooLarge { most_mib: most >> 20 }
    }

    /// What the reader can do.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unknown => Some(format::READABLE),
            Self::LogAlone => Some("import the JSON of the same run; logs next to it are found"),
            Self::Part { .. } => Some("give that file, or the folder"),
            Self::Table { .. } => Some("`iotrial docs table-format` describes every key"),
            Self::NoResult { .. } => Some("the run probably failed: the file contains nothing else"),
            Self::TooLarge { .. } => Some("split it, or import the runs one by one"),
            Self::Encoding { .. } => Some("save it as UTF-8"),
            Self::Archive { hint, .. } => Some(hint),
            Self::Broken { .. } | Self::Packed { .. } => {
                Some("the place says where to look; a file that ends too early was cut off: copy it again")
            }
            Self::RefusedArchive { .. } => {
                Some("unpack it in an empty folder, and pass the results that are in it")
            }
            Self::Empty | Self::Binary | Self::Absurd { .. } => None,
        }
    }

    /// Whether the file is simply none of a known kind, as others in a folder may be.
    pub const fn is_foreign(&self) -> bool {
        matches!(
            self,
            Self::Unknown
                | Self::Binary
                | Self::Archive { .. }
                | Self::Empty
                | Self::LogAlone
                | Self::Part { .. }
        )
    }
}

/// What readers share: the file, what is beside it, and the warnings so far.
pub(crate) struct Reading<'r> {
    pub(crate) file: &'r ForeignFile<'r>,
    pub(crate) kind: SourceKind,
    pub(crate) sha256: String,
    pub(crate) notes: Notes,
    /// The records so far, and what they weigh.
    records: Vec<ImportedRecord>,
    weight: usize,
    /// How many files were looked for beside it, and how many bytes they had.
    looked_for: usize,
    read_beside: usize,
    /// Names of the files that were read beside it.
    beside: Vec<String>,
    /// The table, where it is one.
    table: Option<PublishedTable>,
}

impl Reading<'_> {
    /// A record of which only the source is known.
    pub(crate) fn record(
        &self,
        tool: &str,
        version: Option<&str>,
        place: impl Into<String>,
    ) -> ImportedRecord {
        ImportedRecord::of_source(Source {
            kind: self.kind,
            tool: tool.to_owned(),
            version: version.map(str::to_owned),
            file: self.file.name.to_owned(),
            place: place.into(),
            sha256: self.sha256.clone(),
            read_by: READ_BY.to_owned(),
        })
    }

    /// Keeps a record that is done, with the warnings since the last one.
    pub(crate) fn keep(&mut self, mut record: ImportedRecord) -> Result<(), ImportError> {
        // Warnings belong to the run that was being read when they came up.
        record.warnings.extend(self.notes.take());
        self.weight = self.weight.saturating_add(weight(&record));
        if self.records.len() >= MOST_RECORDS {
            return Err(self.broken("the whole file", format!("it has more than {MOST_RECORDS} runs")));
        }
        self.make_room(0)?;
        self.records.push(record);
        Ok(())
    }

    /// A file beside it that is only looked at.
    pub(crate) fn look_beside(&mut self, name: &str) -> Option<Vec<u8>> {
        self.looked_for += 1;
        (self.file.beside)(name)
    }

    /// A file beside it; `None` also where more was read already than belongs to any result.
    pub(crate) fn beside(&mut self, name: &str) -> Option<Vec<u8>> {
        if !self.may_look_beside() {
            return None;
        }
        // Counted whether it is there or not: asking for twenty thousand names takes time, too.
        self.looked_for += 1;
        let bytes = (self.file.beside)(name)?;
        self.read_beside += bytes.len();
        self.beside.push(name.to_owned());
        if !self.may_look_beside() {
            self.notes.warn(
                format!("`{}`", text::quote(name)),
                "is the last file next to the result that is read: there are too many",
            );
        }
        Some(bytes)
    }

    /// Whether any further file beside it would be read.
    pub(crate) fn may_look_beside(&self) -> bool {
        self.looked_for < MOST_FILES_BESIDE && self.read_beside < MOST_BYTES_BESIDE
    }

    /// Refuses a file whose records would take more memory than any result does, counting `more` bytes that
    /// are still to come.
    pub(crate) fn make_room(&self, more: usize) -> Result<(), ImportError> {
        if self.weight.saturating_add(more) <= MOST_WEIGHT {
            return Ok(());
        }
        let message =
            format!("its runs, jobs and options take more than {} MiB of memory", MOST_WEIGHT >> 20);
        Err(self.broken("the whole file", message))
    }

    pub(crate) fn broken(&self, place: impl Into<String>, message: impl Into<String>) -> ImportError {
        ImportError::Broken { kind: self.kind, place: place.into(), message: message.into() }
    }

    pub(crate) fn no_result(&self, why: impl Into<String>) -> ImportError {
        ImportError::NoResult { kind: self.kind, why: why.into() }
    }
}

/// Reads a file, whatever it is.
///
/// # Errors
///
/// When nothing in it can be used. What is only partly understood comes with warnings.
pub fn import(file: &ForeignFile<'_>, naming: &Naming) -> Result<Imported, ImportError> {
    let mut notes = Notes::default();
    if file.bytes.len() > MOST_BYTES {
        return Err(refusal_of_large(file.bytes));
    }
    let bytes = unpack(file.bytes, MOST_BYTES)?;
    let text = decode(&bytes, &mut notes)?;
    let text = without_escapes(&text);
    // Lines are counted alike wherever the text comes from.
    let text = if text.contains('\r') { text.replace("\r\n", "\n").into() } else { text };
    let (kind, read) = match format_of(&text) {
        Some(format) => format,
        // After all formats, because a log of fio is only columns of numbers.
        None if fio_log::looks_like_log(&text) => return Err(ImportError::LogAlone),
        None => return Err(ImportError::Unknown),
    };
    let mut reading = Reading {
        file,
        kind,
        // Of the file as it is, packed or not: it is what identifies it.
        sha256: hexadecimal(&Sha256::digest(file.bytes)),
        notes,
        records: Vec::new(),
        weight: 0,
        looked_for: 0,
        read_beside: 0,
        beside: Vec::new(),
        table: None,
    };
    read(&text, &mut reading)?;
    let mut records = std::mem::take(&mut reading.records);
    if records.is_empty() {
        // Every reader may skip runs without figures; a file of nothing else is no result.
        return Err(reading.no_result("no run in it finished"));
    }
    for record in &mut records {
        name(record, naming);
        record
            // Values that no device has would spoil every later step, such as charts; so they end here.
            .check()
            .map_err(|source| ImportError::Absurd { place: record.source.place.clone(), source })?;
    }
    let Reading { mut notes, beside, table, .. } = reading;
    Ok(Imported { kind, records, warnings: notes.take(), beside, table })
}

/// Gives a record the names of the user, and the id that follows from all of it: the same result under the
/// same names has the same id, so that it is kept once.
fn name(record: &mut ImportedRecord, naming: &Naming) {
    if let Some(label) = &naming.label {
        record.label = Some(label.clone());
    }
    record.attributes.extend(naming.attributes.clone());
    // The source's own role is not replaced; what the user says goes before what the load shows.
    for job in &mut record.jobs {
        job.role = job.role.or(naming.role).or_else(|| role_of_flushes(job));
    }
    // Label, attributes and role are part of the identity: the same file under two labels is two
    // configurations.
    let named = serde_json::json!([
        record.source.sha256,
        record.source.place,
        record.label,
        record.attributes,
        record.jobs.iter().map(|job| job.role).collect::<Vec<_>>(),
    ]);
    let digest = Sha256::digest(named.to_string());
    // A ULID has 80 random bits; sixteen bytes of the digest are more than enough, and the time comes first,
    // so records sort by it.
    let (_, random) = digest.split_at(16);
    let random = random.iter().fold(0u128, |sum, byte| (sum << 8) | u128::from(*byte));
    let at = record.measured_at.as_ref().and_then(|at| at.parse::<jiff::Timestamp>().ok());
    let ms = at.and_then(|at| u64::try_from(at.as_millisecond()).ok()).unwrap_or(0);
    record.id = Ulid::from_parts(ms, random).to_string();
}

/// A job that only writes, one block behind the other, and waits for a flush after each is a log: nothing else of a database does so.
fn role_of_flushes(job: &ImportedJob) -> Option<Role> {
    let is_log = job.ops.sync.is_some()
        && job.ops.read.is_none()
        && job.load.flush_every == Some(1)
        && job.load.pattern == Some(Pattern::Sequential);
    is_log.then_some(Role::Log)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
