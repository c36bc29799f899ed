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
mod segments;
mod text;
mod time;
mod waits;
mod whole;

use std::borrow::Cow;
use std::ops::Range;

use iotrial_model::awr::{AwrKind, AwrReport, Database, Host, Interval};

use crate::mail::unwrapped;
use crate::text::{MOST_BYTES, Notes, decode, head_of, is_packed, unpack, without_escapes, without_prefixes};
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
    /// Its layout needs the lines between its tables.
    #[error("an AWR report as text without its empty lines, which part its tables")]
    NoEmptyLines,
    /// Somebody changed its lines.
    #[error("an AWR report {}: the file was changed on its way", how.as_str())]
    Changed {
        /// How.
        how: Change,
    },
    /// Rows of another table go on in one: what was between them is missing, or something was put between them.
    #[error(
        "an AWR report that is not in one piece: from line {line} on, its table `{table}` has rows of another table"
    )]
    Joined {
        /// The heading of the table.
        table: String,
        /// The first row that is none of its own.
        line: usize,
    },
    /// The report of a cluster as text.
    #[error("a report of a cluster (awrgrpt) as text, of which only the HTML page is read")]
    ClusterText,
    /// A figure that no database has, as of a page that something was taken from.
    #[error("an AWR report with {what}, which no database has: the file was changed on its way")]
    Implausible {
        /// The figure.
        what: String,
    },
    /// It has more than any report.
    #[error("larger than any AWR report: more than {} table cells", page::MOST_CELLS)]
    TooLarge,
}

/// What somebody did to a report, so that columns move, numbers change, or words are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// `> ` within the tags of a page.
    QuotedPage,
    /// A page whose tags are text.
    Source,
    /// What a browser copies of a page.
    TextOfPage,
    /// Lines are broken, as of a mail.
    Wrapped,
    /// Lines end at a width.
    Narrow,
    /// Each line is there twice.
    Doubled,
    /// Tabs where columns need blanks.
    Tabs,
    /// No blanks in front of lines.
    Dedented,
    /// Commas for decimal points.
    DecimalCommas,
    /// Another mark than a comma between thousands, or none.
    Thousands,
    /// Letters are all small or all capital.
    Letters,
    /// Lines are in another order.
    Order,
    /// A value of JSON, with signs for the ends of lines.
    Json,
    /// The first lines are missing, which say whose report it is.
    Headless,
}

impl Change {
    /// In words that follow `an AWR report`.
    const fn as_str(self) -> &'static str {
        match self {
            Self::QuotedPage => "as a page that was quoted, with `> ` within its tags",
            Self::Source => "as a page that shows its tags",
            Self::TextOfPage => "without the borders or the rulers of its tables, as the text of a page",
            Self::Wrapped => "whose lines were broken, which parts its columns",
            Self::Narrow => "whose lines were cut at a width",
            Self::Doubled => "with each line twice",
            Self::Tabs => "with tabs for blanks, which part its columns",
            Self::Dedented => "as text without the blanks in front of its lines, which part its columns",
            Self::DecimalCommas => "with commas for decimal points, which Oracle never writes",
            Self::Thousands => "without the commas between thousands that Oracle writes",
            Self::Letters => "whose letters were all made small or capital, which changes its names",
            Self::Order => "whose lines are in another order",
            Self::Json => "as a value of JSON, with `\\n` for the ends of its lines",
            Self::Headless => "without its beginning, which says whose it is",
        }
    }
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
            Self::Joined { .. } => {
                Some("something between these rows was lost, or was put there: copy the file itself again")
            }
            Self::NoEmptyLines | Self::Changed { .. } => {
                Some("copy the file itself, not its text from a page or a mail")
            }
            Self::ClusterText => {
                Some("`@?/rdbms/admin/awrgrpt.sql` writes it as HTML when it asks for the type")
            }
            Self::Implausible { .. } => {
                Some("copy the file that Oracle wrote, without an editor, a mail or a browser in between")
            }
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
    // An old Mac has no line feeds.
    let text = match text.contains('\r') {
        true => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
        false => text,
    };
    let text = unwrapped(&text);
    if let Some(how) = rewritten(&text) {
        return Err(AwrError::Changed { how });
    }
    // Blanks that do not break are blanks.
    let text = match !text.is_ascii() && text.contains(UNBROKEN) {
        true => Cow::Owned(text.replace(UNBROKEN, " ")),
        false => text,
    };
    // A page of a megabyte has no prefixes, and is not looked through for them.
    let text = match is_page(&text) {
        true if text.trim_start().starts_with("> ") => {
            return Err(AwrError::Changed { how: Change::QuotedPage });
        }
        true => text,
        false => {
            let text = without_pages(without_escapes(&text));
            unspaced(dedented(without_prefixes(&text, &FIRST_WORDS).into_owned())).into()
        }
    };
    if is_doubled(&text) {
        return Err(AwrError::Changed { how: Change::Doubled });
    }
    let kind = kind_of(head_of_text(&text)).ok_or_else(|| unknown(&text))??;
    if kind == AwrKind::Miner {
        return miner::read(&text);
    }
    let mut reports = Vec::new();
    for begin in begins(&text) {
        // Lines keep their numbers.
        let before = "\n".repeat(text[..begin.start].matches('\n').count());
        let one =
            if begin == (0..text.len()) { Cow::Borrowed(&*text) } else { Cow::Owned(before + &text[begin]) };
        reports.push(read_one(&one, std::mem::take(&mut notes))?);
    }
    Ok(reports)
}

/// What a word processor or a page has for some blanks.
const UNBROKEN: [char; 2] = ['\u{a0}', '\u{202f}'];

/// What somebody made of a report as a whole, so that nothing of it says any more what it is.
fn rewritten(text: &str) -> Option<Change> {
    let lines = || text.lines();
    let has_line_ends = || text.matches("\\n").take(50).count() == 50;
    if text.trim_start().starts_with(['{', '[', '"']) && has_line_ends() && is_of_reports(text) {
        return Some(Change::Json);
    }
    // The beginning has hundreds of letters of each kind.
    let head = head_of_text(text).as_bytes();
    if !head.iter().any(u8::is_ascii_lowercase) || !head.iter().any(u8::is_ascii_uppercase) {
        let lower = head_of_text(text).to_ascii_lowercase();
        let words =
            ["workload repository", "statspack report for", "awr report for db", "awr rac report for"];
        return words.iter().any(|words| lower.contains(words)).then_some(Change::Letters);
    }
    // A page may be one line.
    let is_end = |line: &str| line.len() < 200 && line.contains("End of Report");
    let is_backwards = lines().take(5).any(is_end);
    // Numbers of lines in front of all of them are sorted, too.
    let is_numbered = || lines().all(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    let is_sorted = lines().nth(50).is_some() && lines().is_sorted() && !is_numbered();
    ((is_backwards || is_sorted) && is_of_reports(text)).then_some(Change::Order)
}

/// Without what a pager or a printer puts between lines, and with the rulers that a word processor made of fewer dashes.
fn without_pages(text: Cow<'_, str>) -> Cow<'_, str> {
    const DASH: char = '\u{2013}';
    let text = match text.contains(&[DASH; 3].iter().collect::<String>()) {
        true => Cow::Owned(text.replace(DASH, "--")),
        false => text,
    };
    let is_between = |line: &str| {
        let line = line.trim();
        let page = line.strip_prefix("Page ").map(str::trim_start);
        line.starts_with("--More--")
            || page.is_some_and(|page| !page.is_empty() && page.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if !text.lines().any(is_between) {
        return text;
    }
    Cow::Owned(text.lines().filter(|line| !is_between(line)).map(|line| format!("{line}\n")).collect())
}

/// Without the indentation that all lines share, as of a block of code.
fn dedented(text: String) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let Some(first) = lines().next().map(|line| &line[..indent(line)]) else { return text };
    let shared = lines().fold(first.len(), |shared, line| {
        let alike = line.bytes().zip(first.bytes()).take_while(|(one, other)| one == other).count();
        shared.min(alike)
    });
    if shared == 0 {
        return text;
    }
    text.lines().map(|line| format!("{}\n", line.get(shared..).unwrap_or_default())).collect()
}

/// What does not begin as a report does: the rest of one, or something else.
fn unknown(text: &str) -> AwrError {
    if is_of_reports(text) { AwrError::Changed { how: Change::Headless } } else { AwrError::Unknown }
}

/// Whether it has what only reports have, in any order.
fn is_of_reports(text: &str) -> bool {
    const WORDS: [&str; 5] = ["DB/Inst:", "class=\"awr", "class=\"\"awr", "class=\\\"awr", "class='awr"];
    WORDS.iter().any(|words| text.matches(words).take(5).count() == 5)
}

/// Without the empty line that something put behind each line.
fn unspaced(text: String) -> String {
    let lines = || text.trim_start().lines();
    let is_spaced = lines().count() > 60 && lines().skip(1).step_by(2).all(str::is_empty);
    if !is_spaced {
        return text;
    }
    lines().step_by(2).map(|line| format!("{line}\n")).collect()
}

/// The same of a page.
fn changed_page(text: &str) -> Option<Change> {
    if text.matches("&lt;td").take(50).count() == 50 {
        return Some(Change::Source);
    }
    let cells = || head_of_text(text).split(['<', '>']);
    let mut words = cells().flat_map(str::split_whitespace);
    if may_have_decimal_commas(head_of_text(text)) && words.any(has_decimal_comma) {
        return Some(Change::DecimalCommas);
    }
    is_in_other_thousands(text, cells()).then_some(Change::Thousands)
}

/// Whether several numbers have another mark between thousands, and none a comma.
fn is_in_other_thousands<'t>(text: &str, numbers: impl Iterator<Item = &'t str>) -> bool {
    !has_thousands(text) && numbers.filter(|number| has_other_mark(number)).take(3).count() == 3
}

/// Whether a comma is between thousands anywhere, as in each report that has a table.
fn has_thousands(text: &str) -> bool {
    text.as_bytes().windows(5).any(|part| match part {
        [first, b',', rest @ ..] => first.is_ascii_digit() && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    })
}

/// `1 234`, `1'234.5`, `1.234.567`. Two groups with a point may be a fraction, and four an address.
fn has_other_mark(number: &str) -> bool {
    let number = number.trim();
    let is_mark = |letter: &char| matches!(letter, ' ' | '\'' | '’' | '.');
    let Some(mark) = number.chars().find(|letter| !letter.is_ascii_digit()).filter(is_mark) else {
        return false;
    };
    let whole = if mark == '.' { number } else { number.split('.').next().unwrap_or_default() };
    let mut groups = whole.split(mark);
    let first = groups.next().unwrap_or_default();
    let is_group = |group: &str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
    let others = groups.clone().count();
    (1..=3).contains(&first.len())
        && groups.all(is_group)
        && if mark == '.' { others == 2 } else { others > 0 }
}

/// Whether lines of a page were cut: many have exactly the greatest length, and no table is in one line. Lines that were only broken
/// look alike, and are read.
fn is_narrow(text: &str) -> bool {
    let lengths = || text.lines().map(str::len);
    let longest = lengths().max().unwrap_or(0);
    longest <= 300 && lengths().filter(|length| *length == longest).count() > 100
}

/// Whether each line is there twice.
fn is_doubled(text: &str) -> bool {
    let lines = || text.trim_start().lines();
    let mut pairs = lines().step_by(2).zip(lines().skip(1).step_by(2)).take(50);
    lines().nth(50).is_some() && pairs.all(|pair| pair.0 == pair.1)
}

/// What somebody did to a text report, where that moves columns or changes numbers.
fn changed(text: &str) -> Option<Change> {
    let lines = || text.trim_start().lines();
    let is_long = lines().nth(50).is_some();
    let is_ruler =
        |line: &&str| line.starts_with("---") && line.bytes().all(|byte| matches!(byte, b'-' | b' '));
    if is_long && !lines().take(100).any(|line| is_ruler(&line.trim_start())) {
        return Some(Change::TextOfPage);
    }
    // A ruler of several columns never follows another one.
    let is_broken = |pair: &(&str, &str)| {
        is_ruler(&pair.0.trim_start()) && is_ruler(&pair.1) && pair.0.trim().contains(' ')
    };
    if lines().zip(lines().skip(1)).filter(is_broken).take(2).count() == 2 {
        return Some(Change::Wrapped);
    }
    // Rulers and labels of each report are indented.
    if is_long && lines().all(|line| !line.starts_with([' ', '\t'])) {
        return Some(Change::Dedented);
    }
    // Tabs stand for blanks up to the next eighth column, or for others: nobody knows.
    if lines().take(100).any(|line| line.trim().contains('\t')) {
        return Some(Change::Tabs);
    }
    // Numbers of the header and the load profile; statements, which may have anything, come later.
    let words = || lines().take(100).flat_map(str::split_whitespace);
    if words().any(has_decimal_comma) {
        return Some(Change::DecimalCommas);
    }
    if is_in_other_thousands(text, text.split_whitespace()) {
        return Some(Change::Thousands);
    }
    // The identity of a database is in lines of 78 letters, and rulers of 80 follow.
    const NARROWEST: usize = 75;
    (is_long && lines().all(|line| line.trim_end().len() < NARROWEST)).then_some(Change::Narrow)
}

/// `1.234,5`
fn has_decimal_comma(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    word.split_once(',').is_some_and(|(whole, fraction)| {
        let thousands = whole.split_once('.').filter(|(_, last)| last.len() == 3);
        is_number(fraction) && thousands.is_some_and(|(first, last)| is_number(first) && is_number(last))
    })
}

/// Whether such a number may be anywhere; hardly any report has words that are worth a look.
fn may_have_decimal_commas(text: &str) -> bool {
    text.as_bytes().windows(6).any(|part| {
        part[0] == b'.'
            && part[4] == b','
            && part[5].is_ascii_digit()
            && part[1..4].iter().all(u8::is_ascii_digit)
    })
}

/// Begins a text report.
const FIRST_WORDS: [&str; 3] = ["WORKLOAD REPOSITORY ", "STATSPACK report for", "AWR-Miner"];

fn head_of_text(text: &str) -> &str {
    &text[..text.floor_char_boundary(HEAD_BYTES)]
}

/// Whether it is HTML.
fn is_page(text: &str) -> bool {
    let lower = head_of_text(text).to_ascii_lowercase();
    lower.contains("<table") || lower.contains("<html")
}

/// Where the reports of a file are, of which somebody put several together. What stands before the first belongs to it.
fn begins(text: &str) -> Vec<Range<usize>> {
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = line.trim_start_matches(['\u{c}', ' ']);
        let is_text =
            ["WORKLOAD REPOSITORY report for", "WORKLOAD REPOSITORY PDB report", "STATSPACK report for"]
                .iter()
                .any(|words| start.starts_with(words));
        if is_text || start.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case("<html")) {
            starts.push(at);
        }
        at += line.len();
    }
    // A page may quote a text, and the other way round: the first of them is what the others are as well.
    if let Some(first) = starts.first().copied() {
        let is_tag = |at: &usize| text[*at..].trim_start().starts_with('<');
        let is_first = is_tag(&first);
        starts.retain(|at| is_tag(at) == is_first);
    }
    // Of one report alone, or of a list that nobody has.
    if starts.len() < 2 || starts.len() > MOST_REPORTS {
        return std::iter::once(0..text.len()).collect();
    }
    starts[0] = 0;
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// Reports of one file beyond these are read as one, which then contradicts itself.
// A choice: a year of hours.
const MOST_REPORTS: usize = 10_000;

fn read_one(text: &str, mut notes: Notes) -> Result<AwrReport, AwrError> {
    let kind = kind_of(head_of_text(text.trim_start())).ok_or(AwrError::Unknown)??;
    // A text report may quote a tag in a statement; only pages have tables.
    let is_html = is_page(text.trim_start());
    let lines = || text.trim_start().lines();
    // A screen of text is as long; every report has one before its first table.
    if !is_html && lines().nth(50).is_some() && lines().take(50).all(|line| !line.trim().is_empty()) {
        return Err(AwrError::NoEmptyLines);
    }
    if let Some(how) = if is_html { changed_page(text) } else { changed(text) } {
        return Err(AwrError::Changed { how });
    }
    let page = if is_html { html::read(text) } else { text::read(text) };
    if page.is_too_large {
        return Err(AwrError::TooLarge);
    }
    let narrow = || is_html && is_narrow(text);
    if let Some((table, line)) = whole::joined_table(&page) {
        return Err(if narrow() {
            AwrError::Changed { how: Change::Narrow }
        } else if !is_html && !has_thousands(text) {
            // Columns moved where a number became shorter, or two.
            AwrError::Changed { how: Change::Thousands }
        } else {
            AwrError::Joined { table, line }
        });
    }
    let mut report = blank(kind);
    identity::read(&page, &mut report, &mut notes);
    profile::read(&page, &mut report);
    activity::read(&page, &mut report);
    waits::read(&page, &mut report);
    io_stat::read(&page, &mut report);
    io_matrix::read(&page, &mut report);
    segments::read(&page, &mut report);
    memory::read(&page, &mut report);
    advisory::read(&page, &mut report);
    exadata::read(&page, &mut report);
    cell_rows::read(&page, &mut report);
    identity::host_elsewhere(&page, &mut report);
    identity::names_of_title(head_of_text(text.trim_start()), &mut report);
    let has_figures =
        !report.activity.is_empty() || !report.io_profile.is_empty() || !report.load_profile.is_empty();
    if !has_figures {
        let has_identity = report.database.id.is_some() || report.interval.end_snapshot.is_some();
        let headed = page.sections.iter().find(|section| section.rows.len() > 1);
        return Err(match headed {
            _ if kind == AwrKind::Cluster && !is_html => AwrError::ClusterText,
            _ if narrow() => AwrError::Changed { how: Change::Narrow },
            _ if has_identity => AwrError::Incomplete { line: page.last_line, what: "its first figures" },
            Some(section) if page.sections.len() > 3 => AwrError::UnknownSections {
                tables: page.sections.len(),
                example: crate::text::quote(section.name()),
            },
            // The style sheet alone has 4 KB.
            _ if is_headed_as_report(text) && !page.is_whole => {
                AwrError::Incomplete { line: page.last_line, what: "its first table" }
            }
            // A page that only speaks of such reports.
            _ => AwrError::Unknown,
        });
    }
    report.cut = whole::cut_of(&page, &report);
    if let Some(what) = checks::implausible(&report) {
        return Err(AwrError::Implausible { what });
    }
    checks::check(&mut report);
    report.warnings = notes.take();
    Ok(report)
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
        wait_classes: Vec::new(),
        histograms: Vec::new(),
        io_by_function: Vec::new(),
        io_by_file_type: Vec::new(),
        io_matrix: Vec::new(),
        tablespaces: Vec::new(),
        files: Vec::new(),
        segments: Vec::new(),
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
