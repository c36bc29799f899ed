//! AWR reports of Oracle, as HTML and as text: one instance, a cluster, or a pluggable database; Statspack, and the output of
//! AWR-Miner.
//!
//! The layout changes with every release, so that nothing is taken by its position: a page becomes tables with headings, columns and
//! rows (`page`), whichever form it had, and each group of sections finds its own by heading and column names. What is blank is
//! absent and never zero.

mod activity;
mod advisory;
mod cell_rows;
mod checks;
mod exadata;
mod html;
mod identity;
mod io_matrix;
mod io_stat;
mod memory;
mod miner;
mod number;
mod page;
mod profile;
mod text;
mod time;
mod waits;

use std::borrow::Cow;

use iotrial_model::awr::{AwrKind, AwrReport, Cut, Database, Host, Interval};

use crate::text::{MOST_BYTES, Notes, decode, head_of, is_packed, unpack};
use crate::{HEAD_BYTES, ImportError};

/// Why a report could not be read. The message says nothing of the file: the caller names it.
#[derive(Debug, thiserror::Error)]
pub enum AwrError {
    /// The file cannot be read at all.
    #[error(transparent)]
    Unreadable(#[from] ImportError),
    /// It is something else.
    #[error("not an AWR or Statspack report, nor output of AWR-Miner")]
    Unknown,
    /// It has the figures of two periods side by side.
    #[error(
        "a compare-period report: its columns cover two periods, and iotrial reads reports of one period"
    )]
    ComparePeriods,
    /// It is about a statement.
    #[error("an AWR report about one SQL statement, which does not cover the I/O of the whole database")]
    OneStatement,
    /// Nothing in it has a known name.
    #[error(
        "an AWR report in which no section has a name that iotrial knows: {tables} tables were found, such as `{example}`"
    )]
    UnknownSections {
        /// How many tables there are.
        tables: usize,
        /// A heading.
        example: String,
    },
    /// It was cut off.
    #[error("an AWR report that ends in line {line}, before {what}")]
    Incomplete {
        /// Its last line.
        line: usize,
        /// What is missing.
        what: &'static str,
    },
    /// It has more than any report.
    #[error("larger than any AWR report: more than {} table cells", page::MOST_CELLS)]
    TooLarge,
}

impl AwrError {
    /// What the reader can do.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unreadable(error) => error.hint(),
            Self::Unknown | Self::OneStatement => Some(
                "`@?/rdbms/admin/awrrpt.sql` writes the report of an instance, `awrgrpt.sql` that of a cluster: `iotrial docs awr`",
            ),
            Self::ComparePeriods => Some("give the reports of the two periods: `iotrial awr FIRST SECOND`"),
            Self::UnknownSections { .. } => Some(
                "Oracle writes its headings in English: a translated page cannot be read; export the report again",
            ),
            Self::Incomplete { .. } => Some("the file was probably cut off: copy it again"),
            Self::TooLarge => None,
        }
    }
}

/// What the beginning of a page says that it is.
fn kind_of(text: &str) -> Option<Result<AwrKind, AwrError>> {
    if text.contains(miner::FIRST_BLOCK) {
        return Some(Ok(AwrKind::Miner));
    }
    let is_one = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if is_one(&["AWR Compare Period Report", "WORKLOAD REPOSITORY COMPARE PERIOD"]) {
        return Some(Err(AwrError::ComparePeriods));
    }
    if is_one(&["WORKLOAD REPOSITORY SQL Report", "AWR SQL Report for"]) {
        return Some(Err(AwrError::OneStatement));
    }
    if is_one(&["WORKLOAD REPOSITORY REPORT (RAC)", "AWR RAC Report for"]) {
        return Some(Ok(AwrKind::Cluster));
    }
    if is_one(&["WORKLOAD REPOSITORY PDB report", "AWR PDB Report"]) {
        return Some(Ok(AwrKind::Pluggable));
    }
    if is_one(&["STATSPACK report for"]) {
        return Some(Ok(AwrKind::Statspack));
    }
    is_one(&["WORKLOAD REPOSITORY report", "AWR Report for DB"]).then_some(Ok(AwrKind::Instance))
}

/// Whether the first bytes of a file are those of a report, whole or not, packed or not.
pub fn looks_like_awr(bytes: &[u8]) -> bool {
    // Of what is not packed more is at hand: a log of the session may stand in front of a report.
    let head = if is_packed(bytes) {
        Cow::Owned(head_of(bytes))
    } else {
        Cow::Borrowed(&bytes[..bytes.len().min(HEAD_BYTES)])
    };
    decode(&head, &mut Notes::default()).is_ok_and(|head| kind_of(&head).is_some())
}

/// Reads a report; of AWR-Miner one for each snapshot and instance. Never empty.
///
/// # Errors
///
/// [`AwrError::Unknown`] or [`AwrError::Unreadable`] where nothing says that it is a report; another one where it is, and
/// cannot be used.
pub fn read_awr(bytes: &[u8]) -> Result<Vec<AwrReport>, AwrError> {
    if bytes.len() > MOST_BYTES {
        return Err(ImportError::too_large(MOST_BYTES).into());
    }
    let bytes = unpack(bytes, MOST_BYTES)?;
    let mut notes = Notes::default();
    let text = decode(&bytes, &mut notes)?;
    let mut head = text.len().min(HEAD_BYTES);
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let kind = kind_of(&text[..head]).ok_or(AwrError::Unknown)??;
    if kind == AwrKind::Miner {
        return miner::read(&text);
    }
    // A text report may quote a tag in a statement; only pages have tables.
    let lower = text[..head].to_ascii_lowercase();
    let is_html = lower.contains("<table") || lower.contains("<html");
    let page = if is_html { html::read(&text) } else { text::read(&text) };
    if page.is_too_large {
        return Err(AwrError::TooLarge);
    }
    let mut report = blank(kind);
    identity::read(&page, &mut report, &mut notes);
    profile::read(&page, &mut report);
    activity::read(&page, &mut report);
    waits::read(&page, &mut report);
    io_stat::read(&page, &mut report);
    io_matrix::read(&page, &mut report);
    memory::read(&page, &mut report);
    advisory::read(&page, &mut report);
    exadata::read(&page, &mut report);
    cell_rows::read(&page, &mut report);
    let has_figures =
        !report.activity.is_empty() || !report.io_profile.is_empty() || !report.load_profile.is_empty();
    if !has_figures {
        let has_identity = report.database.id.is_some() || report.interval.end_snapshot.is_some();
        let headed = page.sections.iter().find(|section| section.rows.len() > 1);
        return Err(match headed {
            _ if has_identity => AwrError::Incomplete { line: page.last_line, what: "its first figures" },
            Some(section) if page.sections.len() > 3 => AwrError::UnknownSections {
                tables: page.sections.len(),
                example: crate::text::quote(section.name()),
            },
            // The style sheet alone has 4 KB.
            _ if is_headed_as_report(&text) && !page.is_whole => {
                AwrError::Incomplete { line: page.last_line, what: "its first table" }
            }
            // A page that only speaks of such reports.
            _ => AwrError::Unknown,
        });
    }
    report.cut = (!page.is_whole).then(|| Cut {
        line: page.last_line,
        after: page.sections.last().map(|section| crate::text::quote(section.name())).unwrap_or_default(),
    });
    checks::check(&mut report);
    report.warnings = notes.take();
    Ok(vec![report])
}

/// Whether a page without tables begins as a report does, by its title or its first words, and is none that only speaks of reports.
fn is_headed_as_report(text: &str) -> bool {
    const TITLES: [&str; 3] = ["awr report for db", "awr rac report for", "awr pdb report"];
    const FIRST_WORDS: [&str; 2] = ["workload repository", "statspack report for"];
    let lower = text.to_ascii_lowercase();
    let title = lower.split_once("<title>").map(|(_, title)| title.trim_start());
    // A page that ends is whole, whatever its title says.
    let is_titled = title.is_some_and(|title| TITLES.iter().any(|words| title.starts_with(words)));
    let first = lower.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    // A heading of its own, and no sentence.
    let is_heading = FIRST_WORDS.iter().any(|words| first.starts_with(words)) && !first.ends_with('.');
    (is_titled && !lower.contains("</html>")) || is_heading
}

/// A report in which nothing is known but its kind.
fn blank(kind: AwrKind) -> AwrReport {
    AwrReport {
        kind,
        database: Database::default(),
        instances: Vec::new(),
        running_instances: None,
        host: Host::default(),
        interval: Interval::default(),
        load_profile: Vec::new(),
        io_profile: Vec::new(),
        activity: Vec::new(),
        waits: Vec::new(),
        histograms: Vec::new(),
        io_by_function: Vec::new(),
        io_by_file_type: Vec::new(),
        io_matrix: Vec::new(),
        tablespaces: Vec::new(),
        files: Vec::new(),
        memory: Vec::new(),
        advisories: Vec::new(),
        efficiency: Vec::new(),
        time_model: Vec::new(),
        host_statistics: Vec::new(),
        parameters: Vec::new(),
        exadata: None,
        peaks: Vec::new(),
        printed_figures: Vec::new(),
        contradictions: Vec::new(),
        corrections: Vec::new(),
        cut: None,
        warnings: Vec::new(),
    }
}
