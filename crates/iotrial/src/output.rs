//! The only way out of the program: data on standard output, everything else on standard error.
//!
//! Whatever is shown passes here, so that two things hold everywhere. Text of strangers (names, labels, values, arguments) reaches a
//! terminal harmless, whoever forgot to think of it. And an output that is full, closed or gone is an error that is reported and never a
//! panic: `println!` and its like panic, and clippy forbids them in the whole program.

use std::fmt;
use std::io::{self, ErrorKind, IsTerminal as _, Write};

use anyhow::Context;
use iotrial_measure::process::terminal_takes_escapes;
use iotrial_model::foreign_text::harmless_json;
pub use iotrial_model::foreign_text::{harmless, harmless_lines};
use serde::Serialize;

use crate::failure::Failure;

/// Says a line on standard error, as `eprintln!` does, but harmless, and without a panic where nobody can hear it.
macro_rules! say {
    ($($line:tt)*) => { $crate::output::line(format_args!($($line)*)) };
}
pub(crate) use say;

/// Writes lines for people.
pub fn text(text: &str) -> Result<(), Failure> {
    bytes(harmless_lines(text).as_bytes())
}

/// The same of lines with colours in them, from the renderer of terminals, which makes foreign text harmless before it colours it.
pub fn painted(text: &str) -> Result<(), Failure> {
    bytes(harmless_but_colours(text).as_bytes())
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

/// Writes one JSON value as one line of a stream; `false` where nobody reads on.
pub fn json_line(value: &impl Serialize) -> Result<bool, Failure> {
    let mut line = serde_json::to_string(value).expect("what is shown is plain data");
    line.push('\n');
    stream(harmless_json(&line).as_bytes())
}

/// Writes lines for people that are part of a stream; `false` where nobody reads on.
pub fn line_of_stream(text: &str) -> Result<bool, Failure> {
    stream(harmless_lines(text).as_bytes())
}

/// Writes a block of lines to a terminal in the place of the one before, which had `earlier` lines.
pub fn repaint(earlier: usize, block: &str) -> Result<bool, Failure> {
    // Cursor up, to the first column, and everything below it is cleared (ECMA-48).
    let up = if earlier == 0 { String::new() } else { format!("\x1b[{earlier}A\r\x1b[J") };
    stream(format!("{up}{}", harmless_but_colours(block)).as_bytes())
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

/// Says a line, or several, on standard error, as `say!` does.
pub fn line(line: impl fmt::Display) {
    // In one piece, so that lines of several threads stay whole.
    let line = harmless_lines(&format!("{line}\n"));
    // There is no other place where it could be said that nobody hears this one, and it is not worth ending a run.
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Whether somebody looks at standard output, rather than a file or a program.
pub fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether standard output is a terminal that takes colours and moves its cursor.
pub fn takes_escapes() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stdout_is_terminal() && !is_dumb && terminal_takes_escapes()
}

/// Whether colours may be written to standard output: to a terminal that has them, where `NO_COLOR` is not set.
pub fn has_colours() -> bool {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !no_color && takes_escapes()
}

/// Columns where nobody says how wide the page is: a file or a pipe can be scrolled, and tables are not cut short for it.
const WITHOUT_TERMINAL: usize = 140;

/// Columns of what shows standard output.
pub fn columns() -> usize {
    // Of the terminal that shows it, and not of COLUMNS, which a pipe inherits.
    console::Term::stdout().size_checked().map_or(WITHOUT_TERMINAL, |(_, columns)| usize::from(columns))
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
