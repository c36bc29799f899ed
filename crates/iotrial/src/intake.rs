//! The one way in: whatever the user names becomes one typed [`Input`].
//!
//! A name is found ([`find`]), its file is opened once and read within one limit ([`mod@file`]), and what it is follows from what
//! stands in it, never from its name. A command matches on [`Input`], takes what it can use, and refuses the rest by
//! [`Takes::refuse`], so that all of them say the same of the same file.

mod file;
mod archive;
mod kind;
mod find;
mod labels;
mod summary;

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use iotrial_import::awr::{AwrError, looks_like_awr, read_awr};
use iotrial_import::counters::{CountersError, looks_like_perfmon, read_counters};
use iotrial_import::{ForeignFile, ImportError, Imported, Naming, import, text_of};
use iotrial_model::awr::AwrReport;
use iotrial_model::counters::Counters;
use iotrial_model::demand::Demand;
use iotrial_model::imported::ImportedRecord;
use iotrial_model::record::RunRecord;
use iotrial_model::subject::Subject;
use iotrial_model::sweep::SweepRecord;
use iotrial_model::table::PublishedTable;
use iotrial_model::toml_reader::Mistakes;
use iotrial_session::judged_profile::is_file_name;
use iotrial_session::read_files;
use iotrial_session::store::{imported_of, is_called_journal, is_called_record, record_of, sweep_of};
use iotrial_session::wall_clock::{self, is_ahead};
use iotrial_sizing::catalog::Catalog;
use iotrial_sizing::configuration::Configuration;

pub use file::{STANDARD_INPUT, named_text, text};
pub use find::{Folders, Intake, Source};
pub use kind::{Kind, Takes, awr_reports};
pub use labels::labels_of;

use crate::failure::Failure;
use crate::output::{harmless, say};
use file::{ReadError, Whole};
use summary::record_of_summary;

/// What a file holds.
pub enum Input {
    /// The record of a run, whole or as the journal that a crash left.
    Run(Box<RunRecord>),
    /// The record of a sweep.
    Sweep(Box<SweepRecord>),
    /// A result of another tool that was imported before.
    Kept(Box<ImportedRecord>),
    /// Results of another tool as it wrote them, or a printed table.
    Results(Box<Imported>),
    /// What an operating system counted at its disks, or a database at its files.
    Counters(Counters),
    /// Reports of Oracle about a database; of AWR-Miner one for each snapshot. Never empty.
    Awr(Vec<AwrReport>),
    /// What is asked of storage.
    Demand(Box<Demand>),
    /// What could be bought, or was.
    Configuration(Box<Configuration>),
    /// What a provider sells.
    Catalog(Box<Catalog>),
    /// A file of iotrial by its format, which the command that carries it out reads with all that it names.
    Other(Kind),
}

/// What the format of a record of iotrial begins with after `iotrial.`: JSON, whoever wrote it again.
const JSON_KINDS: [(&str, Kind); 5] = [
    ("record/", Kind::Run),
    ("sweep/", Kind::Sweep),
    ("imported/", Kind::Kept),
    ("study-journal/", Kind::StudyJournal),
    ("watch/", Kind::Counters),
];

/// The same of the files that people write as TOML.
const TOML_KINDS: [(&str, Kind); 7] = [
    ("iotrial.study/", Kind::Study),
    ("iotrial.table/", Kind::Table),
    ("iotrial.demand/", Kind::Demand),
    ("iotrial.configuration/", Kind::Configuration),
    ("iotrial.catalog/", Kind::Catalog),
    ("iotrial.profile/", Kind::Profile),
    ("iotrial.thresholds/", Kind::Thresholds),
];

impl Input {
    /// What it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Run(_) => Kind::Run,
            Self::Sweep(_) => Kind::Sweep,
            Self::Kept(_) => Kind::Kept,
            Self::Results(results) if results.table.is_some() => Kind::Table,
            Self::Results(_) => Kind::Results,
            Self::Counters(_) => Kind::Counters,
            Self::Awr(_) => Kind::Awr,
            Self::Demand(_) => Kind::Demand,
            Self::Configuration(_) => Kind::Configuration,
            Self::Catalog(_) => Kind::Catalog,
            Self::Other(kind) => *kind,
        }
    }

    /// The results in it, in the order of the file; `None` of what is no result, or none by itself, as a sweep.
    pub fn subjects(&self) -> Option<Vec<Subject<'_>>> {
        match self {
            Self::Run(record) => Some(vec![Subject::of_run(record)]),
            Self::Kept(record) => Some(vec![Subject::of_imported(record)]),
            Self::Results(results) => Some(results.records.iter().map(Subject::of_imported).collect()),
            Self::Sweep(_)
            | Self::Counters(_)
            | Self::Awr(_)
            | Self::Demand(_)
            | Self::Configuration(_)
            | Self::Catalog(_)
            | Self::Other(_) => None,
        }
    }

    /// What the probes of a sweep have in common.
    fn sweep(&self) -> Option<Subject<'_>> {
        match self {
            Self::Sweep(record) => Some(Subject::of_sweep(record)),
            _ => None,
        }
    }

    /// The printed table that it is.
    pub fn table(&self) -> Option<&PublishedTable> {
        match self {
            Self::Results(results) => results.table.as_ref(),
            _ => None,
        }
    }
}

/// Why nothing can be made of a file.
#[derive(Debug)]
pub struct IntakeError {
    /// What was to be done, with the name of the file.
    about: String,
    error: anyhow::Error,
    hint: Option<String>,
    is_foreign: bool,
    /// Whether nothing says what it is.
    is_unknown: bool,
}

impl IntakeError {
    /// Whether the file is simply no result, as others in a folder may be.
    pub const fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// Whether the file is a result of another tool, or meant to be one, and broken as that.
    pub fn is_of_another_tool(&self) -> bool {
        matches!(
            self.error.downcast_ref(),
            Some(
                ImportError::Broken { .. }
                    | ImportError::Table { .. }
                    | ImportError::NoResult { .. }
                    | ImportError::Absurd { .. }
            )
        )
    }

    /// Whether nothing says what the file is.
    pub const fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// Why, on one line, without the name of the file.
    pub fn reason(&self) -> String {
        format!("{:#}", self.error)
    }

    /// What the reader can do.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    fn of_import(name: &str, error: ImportError) -> Self {
        let is_foreign = error.is_foreign();
        let is_unknown = matches!(error, ImportError::Unknown | ImportError::Empty);
        let hint = error.hint().map(str::to_owned);
        Self { about: format!("cannot read `{name}`"), error: error.into(), hint, is_foreign, is_unknown }
    }

    /// Of what `--json` printed, in the place of the record that it was made from.
    fn of_summary(name: &str, record: &str) -> Self {
        let error = anyhow!("it is the summary that `--json` prints, and not the record");
        let hint = format!("the record is `{record}`; a copy of that file is what other hosts can read");
        Self::of_no_result(format!("cannot read `{name}`"), error, Some(&hint))
    }

    fn of_read(path: &Path, error: ReadError) -> Self {
        let name = harmless(&path.display().to_string());
        if let ReadError::Content(error) = error {
            return Self::of_import(&name, error);
        }
        let hint = error.hint(&name);
        Self::of_known(format!("cannot read `{name}`"), error, hint.as_deref())
    }

    /// Of a file that is known and has mistakes; `hint` says what to do about them.
    fn of_known(about: String, error: impl Into<anyhow::Error>, hint: Option<&str>) -> Self {
        let hint = hint.map(str::to_owned);
        Self { about, error: error.into(), hint, is_foreign: false, is_unknown: false }
    }

    /// The same of one that would be no result without its mistakes.
    fn of_no_result(about: String, error: impl Into<anyhow::Error>, hint: Option<&str>) -> Self {
        Self { is_foreign: true, ..Self::of_known(about, error, hint) }
    }
}

impl From<IntakeError> for Failure {
    fn from(error: IntakeError) -> Self {
        Self::input(error.error.context(error.about)).hint(error.hint)
    }
}

/// Opens a file, or standard input, and says what it is. Results of other tools get the names of `naming`.
pub fn open(path: &Path, naming: &Naming) -> Result<Input, IntakeError> {
    let input = open_whole(path, &read_whole(path)?, naming)?;
    warn_if_ahead(path, &input);
    Ok(input)
}

/// Opens what is meant. A file that only lies in a folder that was named, and is nothing that can be read, counts as not read: the page
/// that was made of the others the last time may be replaced.
pub fn open_source(source: &Source, naming: &Naming) -> Result<Input, IntakeError> {
    let opened = open(&source.path, naming);
    if !source.is_named && opened.as_ref().is_err_and(IntakeError::is_foreign) {
        read_files::forget(&source.path);
    }
    opened
}

/// The same as [`open`], with the text of the file, unpacked, for whoever keeps it as it was written.
pub fn open_with_text(path: &Path) -> Result<(Input, Vec<u8>), IntakeError> {
    let whole = read_whole(path)?;
    let input = open_whole(path, &whole, &Naming::default())?;
    warn_if_ahead(path, &input);
    let name = || harmless(&path.display().to_string());
    let text = whole.unpacked().map_err(|error| IntakeError::of_import(&name(), error))?;
    Ok((input, text.into_owned()))
}

/// Says of results that are of a time to come that they are: a clock was wrong, or somebody wrote it so.
fn warn_if_ahead(path: &Path, input: &Input) {
    let (sweep, results) = (input.sweep(), input.subjects());
    let now = wall_clock::now();
    for result in results.into_iter().flatten().chain(sweep) {
        let start = result.measured_at.unwrap_or_default();
        if is_ahead(result.id, start, now) {
            let name = path.display();
            say!("warning: `{name}` started in the future by the clock of this host: {start}");
        }
    }
}

fn read_whole(path: &Path) -> Result<Whole, IntakeError> {
    file::read(path).map_err(|error| IntakeError::of_read(path, error))
}

fn open_whole(path: &Path, whole: &Whole, naming: &Naming) -> Result<Input, IntakeError> {
    let name = harmless(&path.display().to_string());
    // Records of iotrial first: they say so within a few bytes, and reading them as another tool's would take longest.
    if let Some(kind) = json_kind(whole) {
        return open_record(kind, path, &name, whole);
    }
    // So do logs of PerfMon, and all that follows takes its time with files that are as large as theirs.
    if looks_like_perfmon(&whole.head)
        && let Some(opened) = open_counters(&name, &whole.bytes)
    {
        return opened;
    }
    // A report of Oracle has a title of its own, and may quote any other format in its statements.
    if looks_like_awr(&whole.bytes) {
        match read_awr(&whole.bytes) {
            Ok(reports) => return Ok(Input::Awr(reports)),
            // A page that only speaks of such reports.
            Err(AwrError::Unknown) => {}
            Err(error) => {
                let hint = error.hint();
                return Err(IntakeError::of_known(format!("cannot read `{name}`"), error, hint));
            }
        }
    }
    // Then other tools, whose formats are told by their content; TOML and counters come last, because they are told by
    // little.
    let error = match import_from(path, &whole.bytes, naming) {
        Ok(imported) => return Ok(Input::Results(Box::new(imported))),
        Err(error @ ImportError::Unknown) => match open_other(&name, &whole.bytes) {
            Some(opened) => return opened,
            None => match whole.unpacked().ok().and_then(|text| record_of_summary(&text)) {
                Some(record) => return Err(IntakeError::of_summary(&name, &harmless(&record))),
                None => error,
            },
        },
        Err(error) => error,
    };
    let error = IntakeError::of_import(&name, error);
    Err(match path.extension() {
        // Whoever gives such a file means a record, which is damaged.
        _ if is_called_record(path) => {
            IntakeError { about: no_record(&name), hint: None, is_foreign: false, ..error }
        }
        Some(extension) if extension == "toml" && error.is_foreign => {
            let hint = "a file of iotrial says what it is, such as `format = \"iotrial.study/1\"`";
            IntakeError { hint: Some(hint.to_owned()), ..error }
        }
        _ => error,
    })
}

fn no_record(name: &str) -> String {
    format!("`{name}` is not a record that can be read")
}

/// A record of iotrial, by the value of its `format`.
fn json_kind(whole: &Whole) -> Option<Kind> {
    let of_text = |text: &str| {
        let mut rest = text;
        // The same word within a string has a backslash before its quotes.
        while let Some((before, after)) = rest.split_once("\"iotrial.") {
            let key = before.trim_end().strip_suffix(':').map(str::trim_end);
            if key.is_some_and(|key| key.ends_with("\"format\"")) {
                return JSON_KINDS.iter().find(|(begin, _)| after.starts_with(begin)).map(|(_, kind)| *kind);
            }
            rest = after;
        }
        None
    };
    if whole.head.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    // As iotrial writes it, the format comes first; other programs sort the keys.
    let head = String::from_utf8_lossy(&whole.head[..whole.head.len().min(256)]);
    of_text(&head).or_else(|| of_text(std::str::from_utf8(&whole.unpacked().ok()?).ok()?))
}

fn open_record(kind: Kind, path: &Path, name: &str, whole: &Whole) -> Result<Input, IntakeError> {
    // Read as it is, packed or not, and refused in the words of counters.
    if kind == Kind::Counters
        && let Some(opened) = open_counters(name, &whole.bytes)
    {
        return opened;
    }
    let read = || -> anyhow::Result<Input> {
        // Unpacked only now: of a file that is none of ours the head was enough.
        let text = whole.unpacked()?;
        Ok(match kind {
            Kind::Sweep => Input::Sweep(Box::new(sweep_of(&text)?)),
            Kind::Kept => Input::Kept(Box::new(imported_of(&text)?)),
            Kind::StudyJournal => Input::Other(kind),
            _ => Input::Run(Box::new(record_of(
                &text,
                is_called_journal(path) || has_several_documents(&text),
            )?)),
        })
    };
    read().map_err(|error| {
        let about = match kind {
            Kind::Sweep => format!("`{name}` is not a record of a sweep that can be read"),
            Kind::Kept => format!("`{name}` is not an imported record that can be read"),
            _ => no_record(name),
        };
        IntakeError::of_known(about, error, None)
    })
}

/// Whether a second line begins a document of its own, as in a journal; the lines of one that is only laid out for people are
/// indented, or end it.
fn has_several_documents(text: &[u8]) -> bool {
    // A record is one line of megabytes, and this search for its end is many times as fast as one byte by byte.
    let mut after_line = text;
    after_line.skip_until(b'\n').is_ok() && after_line.first() == Some(&b'{')
}

/// A file of iotrial that a person wrote, or counters; `None` for anything else.
fn open_other(name: &str, bytes: &[u8]) -> Option<Result<Input, IntakeError>> {
    match text_of(bytes) {
        Ok(text) => {
            if let Some(kind) = toml_kind(&text) {
                return Some(open_toml(kind, name, &text));
            }
        }
        Err(error) if toml_kind(&String::from_utf8_lossy(bytes)).is_some() => {
            return Some(Err(IntakeError::of_import(name, error)));
        }
        // Counters may still have bytes of another code page, such as in the name of a disk, which files of ours never have.
        Err(_) => {}
    }
    open_counters(name, bytes)
}

/// Counters; `None` of anything else.
fn open_counters(name: &str, bytes: &[u8]) -> Option<Result<Input, IntakeError>> {
    match read_counters(bytes) {
        Ok(counters) => Some(Ok(Input::Counters(counters))),
        Err(CountersError::Unknown | CountersError::Unreadable(_)) => None,
        Err(error) => {
            let (about, hint) = (format!("`{name}` cannot be read as counters"), error.hint());
            Some(Err(IntakeError::of_no_result(about, error, hint)))
        }
    }
}

/// What a TOML file says that it is. A page that shows such a line is no such file: it begins with something else.
fn toml_kind(text: &str) -> Option<Kind> {
    // The log of another tool may have a million lines, and none that has this.
    if !text.contains("iotrial.") {
        return None;
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines.clone().next()?;
    if !first.starts_with('[') && !first.contains('=') {
        return None;
    }
    let value = lines.find_map(|line| {
        let value = line.strip_prefix("format")?.trim_start().strip_prefix('=')?.trim_start();
        value.strip_prefix(['"', '\''])
    })?;
    TOML_KINDS.iter().find(|(begin, _)| value.starts_with(begin)).map(|(_, kind)| *kind)
}

fn open_toml(kind: Kind, name: &str, text: &str) -> Result<Input, IntakeError> {
    let keys = match kind {
        Kind::Catalog => "`iotrial docs catalogs` describes every key",
        _ => "`iotrial docs size` describes every key",
    };
    let parsed = |parsed: Result<Input, Mistakes>| {
        parsed.map_err(|mistakes| {
            IntakeError::of_no_result(
                format!("`{name}` is not a valid {}", kind.noun()),
                mistakes,
                Some(keys),
            )
        })
    };
    match kind {
        Kind::Demand => parsed(Demand::parse(text).map(|demand| Input::Demand(Box::new(demand)))),
        Kind::Configuration => {
            parsed(Configuration::parse(text).map(|one| Input::Configuration(Box::new(one))))
        }
        Kind::Catalog => parsed(Catalog::parse(text).map(|catalog| Input::Catalog(Box::new(catalog)))),
        _ => Ok(Input::Other(kind)),
    }
}

/// Refuses something else than a threshold set where one is named by its path; names are looked up elsewhere.
pub fn expect_thresholds(name: Option<&str>, option: &'static str) -> Result<(), Failure> {
    let takes = Takes { command: option, what: "a threshold set" };
    match name {
        Some(name) if is_file_name(name) => expect(Kind::Thresholds, Path::new(name), &takes),
        _ => Ok(()),
    }
}

/// Refuses a file that is of another kind than the one that a reader of its own, which lists all mistakes, is to have.
pub fn expect(kind: Kind, path: &Path, takes: &Takes) -> Result<(), Failure> {
    // Of what is not there, that reader says best what it would have read. A pipe can be read only once, and that is for the reader.
    if !path.is_file() && !path.is_dir() {
        return Ok(());
    }
    match open(path, &Naming::default()) {
        Ok(input) if input.kind() != kind => Err(takes.refuse(&path.display().to_string(), input.kind())),
        // Nothing says what it is, or that it has mistakes.
        Err(error) if !error.is_unknown && !error.is_foreign => Err(error.into()),
        _ => Ok(()),
    }
}

/// Opens a file that has to be of one kind. One that does not say what it is, is read as that, which finds all its mistakes.
pub fn open_as(kind: Kind, path: &Path, takes: &Takes) -> Result<Input, Failure> {
    let input = match open(path, &Naming::default()) {
        Ok(input) => input,
        Err(error) if error.is_unknown && kind != Kind::Table => match text(path) {
            Ok(text) => open_toml(kind, &harmless(&path.display().to_string()), &text)?,
            Err(_) => return Err(error.into()),
        },
        Err(error) => return Err(error.into()),
    };
    if input.kind() == kind {
        Ok(input)
    } else {
        Err(takes.refuse(&path.display().to_string(), input.kind()))
    }
}

/// Imports what was read, with the files that lie beside it.
fn import_from(path: &Path, bytes: &[u8], naming: &Naming) -> Result<Imported, ImportError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    // Standard input lies in no folder, and has nothing beside it.
    let is_stdin = path == Path::new(STANDARD_INPUT);
    let beside = |name: &str| -> Option<Vec<u8>> {
        // A name that a stranger chose leads nowhere else.
        let is_plain = !is_stdin && !name.contains(['/', '\\']) && name != "..";
        let path = folder.join(name);
        let is_file = || path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        let is_there = is_plain && (archive::has(&path) || is_file());
        if is_there { file::read(&path).ok().map(|whole| whole.bytes) } else { None }
    };
    let name = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
    import(&ForeignFile { name: &name, bytes, beside: &beside }, naming)
}

/// Says on standard error that a file in a folder is left out. It is a note and no warning: the folder was named, and not the file.
pub fn pass_over(failure: &Failure) {
    say!("note: skipped: {}", harmless(&failure.reason()));
}

/// What figures do not need, and what takes most of the memory.
pub fn forget_course(record: &mut ImportedRecord) {
    record.intervals = Vec::new();
    record.devices = Vec::new();
    record.jobs.iter_mut().for_each(|job| job.load.options.clear());
}

/// The warnings of an import, for standard error, and the files that were read with it.
pub fn told_beside(path: &Path, results: &Imported) -> (Vec<String>, Vec<PathBuf>) {
    let name = harmless(&path.display().to_string());
    let of_records = results.records.iter().flat_map(|record| &record.warnings);
    let warnings = results.warnings.iter().chain(of_records);
    let warnings = warnings.map(|warning| format!("warning: `{name}`: {}", harmless(&warning.to_string())));
    (warnings.collect(), results.beside.iter().map(|name| path.with_file_name(name)).collect())
}
