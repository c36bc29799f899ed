//! The only way out of the program: data on standard output, everything else on standard error.
//!
//! Whatever is shown passes here, so that two things hold everywhere. Text of strangers (names, labels, values, arguments) reaches a
//! terminal harmless, whoever forgot to think of it. And an output that is full, closed or gone is an error that is reported and never a
//! panic: `println!` and its like panic, and clippy forbids them in the whole program.

use std::fmt;
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use iotrial_measure::process::terminal_takes_escapes;
use iotrial_model::foreign_text::harmless_json;
pub use iotrial_model::foreign_text::{harmless, harmless_lines};
use iotrial_report::text::wrap;
use serde::Serialize;

use crate::failure::Failure;
use crate::plain_text::for_this_locale;

/// Says one line on standard error, as `eprintln!` does, but harmless, and without a panic where nobody can hear it. A line break in it is
/// a stranger's, and is shown as `\n`.
macro_rules! say {
    ($($line:tt)*) => { $crate::output::line(format_args!($($line)*)) };
}
pub(crate) use say;

/// The command that makes sense after an answer, as a line. It may name files and labels of strangers.
pub fn next_line(command: &str) -> String {
    format!("next: {}\n", harmless(command))
}

/// Writes lines for people, in which all line breaks are ours.
pub fn text(text: &str) -> Result<(), Failure> {
    bytes(for_this_locale(&harmless_lines(text), stdout_is_terminal()).as_bytes())
}

/// Writes one line, such as a path.
pub fn text_line(line: impl fmt::Display) -> Result<(), Failure> {
    text(&(harmless(&line.to_string()) + "\n"))
}

/// The same of lines with colours in them, from the renderer of terminals, which makes foreign text harmless before it colours it.
pub fn painted(text: &str) -> Result<(), Failure> {
    bytes(for_this_locale(&harmless_but_colours(text), stdout_is_terminal()).as_bytes())
}

/// Writes what stands in a file: word for word where it may become a file again, harmless to a terminal.
pub fn verbatim(text: &str) -> Result<(), Failure> {
    if stdout_is_terminal() { self::text(text) } else { bytes(text.as_bytes()) }
}

/// Writes one JSON document.
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    let mut document = serde_json::to_string_pretty(value).expect("what is shown is plain data");
    // A line of its own, so that several documents in a file stay apart.
    document.push('\n');
    bytes(harmless_json(&document).as_bytes())
}

/// How a result goes to programs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum JsonForm {
    /// It does not: people read it.
    #[default]
    None,
    /// As one document.
    Document,
    /// As the last line of a stream.
    LastLine,
}

impl JsonForm {
    /// What --json and --json-stream ask for.
    pub const fn of(json: bool, json_stream: bool) -> Self {
        match (json, json_stream) {
            (_, true) => Self::LastLine,
            (true, false) => Self::Document,
            (false, false) => Self::None,
        }
    }

    /// Whether standard output belongs to a program.
    pub const fn is_json(self) -> bool {
        !matches!(self, Self::None)
    }

    /// The option that asks for it.
    pub const fn option(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Document => Some("--json"),
            Self::LastLine => Some("--json-stream"),
        }
    }

    /// Writes the result; nothing where people read it.
    pub fn write(self, value: &impl Serialize) -> Result<(), Failure> {
        #[derive(Serialize)]
        struct LastLine<'v, T> {
            kind: &'static str,
            #[serde(flatten)]
            value: &'v T,
        }
        match self {
            Self::None => Ok(()),
            Self::Document => json(value),
            // A reader that has seen enough is no error.
            Self::LastLine => json_line(&LastLine { kind: "summary", value }).map(drop),
        }
    }
}

impl From<bool> for JsonForm {
    fn from(json: bool) -> Self {
        Self::of(json, false)
    }
}

/// Writes one JSON value as one line of a stream; `false` where nobody reads on.
pub fn json_line(value: &impl Serialize) -> Result<bool, Failure> {
    line_of_json(&json_text(value))
}

/// One JSON value as one line of a stream.
pub fn json_text(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("what is shown is plain data");
    line.push('\n');
    harmless_json(&line).into_owned()
}

/// Writes a line from [`json_text`]; `false` where nobody reads on.
pub fn line_of_json(line: &str) -> Result<bool, Failure> {
    stream(line.as_bytes())
}

/// Writes lines for people that are part of a stream; `false` where nobody reads on.
pub fn line_of_stream(text: &str) -> Result<bool, Failure> {
    stream(for_this_locale(&harmless_lines(text), stdout_is_terminal()).as_bytes())
}

/// Writes a block of lines to a terminal in the place of the one before, which had `earlier` lines.
pub fn repaint(earlier: usize, block: &str) -> Result<bool, Failure> {
    // Cursor up, to the first column, and everything below it is cleared (ECMA-48).
    let up = if earlier == 0 { String::new() } else { format!("\x1b[{earlier}A\r\x1b[J") };
    stream(format!("{up}{}", for_this_locale(&harmless_but_colours(block), true)).as_bytes())
}

/// What goes on for as long as somebody reads: a reader that has seen enough ends it, and is no error.
fn stream(bytes: &[u8]) -> Result<bool, Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error).context("cannot write to standard output").map_err(Failure::execution),
    }
}

/// Writes bytes as they are. A reader that has seen enough (`| head`) is no error, and the exit code stays that of the work, such as
/// whether a gate was missed; a full disk is an error.
pub fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    // Flushed here: at the end of the program nobody could report that the disk is full.
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output").map_err(Failure::execution),
    }
}

/// Says a line on standard error, as `say!` does: above the block, where there is one.
pub fn line(line: impl fmt::Display) {
    lines(harmless(&line.to_string()));
}

/// The same of text of several lines, in which all line breaks are ours.
pub fn lines(text: impl fmt::Display) {
    // In one piece, so that lines of several threads stay whole.
    let line = for_this_locale(&harmless_lines(&format!("{text}\n")), stderr_is_terminal()).into_owned();
    let block = block();
    let all = if block.is_empty() { line } else { painted_over(&block, stderr_columns(), &line, &block) };
    // There is no other place where it could be said that nobody hears this one, and it is not worth ending a run.
    let _ = io::stderr().write_all(all.as_bytes());
}

/// Says an error. Its layout is ours, and what it quotes is harmless.
pub fn tell(failure: &Failure) {
    lines(failure);
}

/// The lines at the end of standard error that are painted again and again.
// One for the whole program, so that whoever says a line, such as the handler of a signal, does not tear it.
static BLOCK: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn block() -> MutexGuard<'static, Vec<String>> {
    BLOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows lines on standard error, a terminal that takes escapes, in the place of those that were shown before. The cursor stays visible and
/// at the beginning of a line below them, so that a program that is killed leaves nothing to be put right.
pub fn show_block(lines: Vec<String>) {
    let lines: Vec<String> =
        lines.iter().map(|line| for_this_locale(&harmless_but_colours(line), true).into_owned()).collect();
    let mut block = block();
    let _ = io::stderr().write_all(painted_over(&block, stderr_columns(), "", &lines).as_bytes());
    *block = lines;
}

/// Takes the block away.
pub fn clear_block() {
    let mut block = block();
    if !block.is_empty() {
        let _ = io::stderr().write_all(painted_over(&block, stderr_columns(), "", &[]).as_bytes());
        block.clear();
    }
}

fn stderr_columns() -> usize {
    usize::from(console::Term::stderr().size().1)
}

/// What takes a terminal from one block to another one, with `text` above it. In one piece, so that nothing flickers.
fn painted_over(before: &[String], columns: usize, text: &str, lines: &[String]) -> String {
    // A terminal that became narrower has wrapped the lines that it shows.
    let rows = |line: &String| console::measure_text_width(line).div_ceil(columns.max(1)).max(1);
    let up: usize = before.iter().map(rows).sum();
    // Cursor up and to the first column; each line is cleared behind its end, and so is everything below the last one (ECMA-48).
    let mut all = if up == 0 { String::new() } else { format!("\x1b[{up}A\r") };
    for line in text.lines().chain(lines.iter().map(String::as_str)) {
        all.push_str(line);
        all.push_str("\x1b[K\n");
    }
    all.push_str("\x1b[J");
    all
}

/// Whether somebody looks at standard output, rather than a file or a program.
pub fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether standard output is a terminal that takes colours and moves its cursor.
pub fn takes_escapes() -> bool {
    stdout_is_terminal() && !is_dumb() && terminal_takes_escapes()
}

/// The same of standard error.
pub fn stderr_takes_escapes() -> bool {
    stderr_is_terminal() && !is_dumb() && terminal_takes_escapes()
}

/// Whether colours may be written to standard output: to a terminal that has them, where `NO_COLOR` is not set.
pub fn has_colours() -> bool {
    !is_without_colours() && takes_escapes()
}

/// The same of standard error.
pub fn stderr_has_colours() -> bool {
    !is_without_colours() && stderr_takes_escapes()
}

fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

fn is_without_colours() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// Columns where nobody says how wide the page is: a file or a pipe can be scrolled, and tables are not cut short for it.
const WITHOUT_TERMINAL: usize = 140;

/// Columns of what shows standard output.
pub fn columns() -> usize {
    // Of the terminal that shows it, and not of COLUMNS, which a pipe inherits.
    console::Term::stdout().size_checked().map_or(WITHOUT_TERMINAL, |(_, columns)| usize::from(columns))
}

/// Lines of prose, those that are wider than the terminal broken between their words. Where there is no terminal they stay as they are.
pub fn broken_between_words(text: &str) -> String {
    let columns = columns();
    let is_kept = |line: &str| !stdout_is_terminal() || line.chars().count() <= columns;
    let broken =
        |line: &str| if is_kept(line) { line.to_owned() } else { wrap(line, columns.max(20)).join("\n") };
    text.lines().map(|line| broken(line) + "\n").collect()
}

/// Whether somebody looks at standard error.
pub fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Select graphic rendition (ECMA-48) stays; every other escape is shown as text.
pub fn harmless_but_colours(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let mut shown = pieces.next().map(harmless_lines).unwrap_or_default();
    for piece in pieces {
        let digits = piece.len() - piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').len();
        let is_colour = digits <= "1;32".len() && piece[digits..].starts_with('m');
        shown.push_str(if is_colour { "\x1b[" } else { "\\u{1b}[" });
        shown.push_str(&harmless_lines(piece));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_painted_over_even_where_the_terminal_has_become_narrower() {
        let before = ["x".repeat(50), "y".to_owned()];
        let over = |columns, text: &str| painted_over(&before, columns, text, &["z".to_owned()]);
        assert_eq!(over(80, ""), "\x1b[2A\rz\x1b[K\n\x1b[J");
        assert_eq!(over(20, "said\n"), "\x1b[4A\rsaid\x1b[K\nz\x1b[K\n\x1b[J");
        assert_eq!(painted_over(&[], 80, "", &["z".to_owned()]), "z\x1b[K\n\x1b[J");
    }

    #[test]
    fn only_colours_pass() {
        let painted = "\x1b[1;32mgood\x1b[0m\n";
        assert_eq!(harmless_but_colours(painted), painted);
        assert_eq!(
            harmless_but_colours("\x1b[2J\x1b]0;t\x07\u{9b}1m"),
            "\\u{1b}[2J\\u{1b}]0;t\\u{7}\\u{9b}1m"
        );
        assert_eq!(harmless_but_colours("\x1b[1;32;5;6mx"), "\\u{1b}[1;32;5;6mx");
    }
}
