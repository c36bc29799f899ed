//! Another label for a result that is there, or metrics of an application: the one value is replaced in the text of its file, and no other byte changes.
//!
//! Reading a record and writing it again would lose what a newer iotrial noted in it and this one does not know.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use iotrial_model::application::ApplicationMetrics;
use iotrial_model::content::{CHECKSUM, Checksum, checksum_of};
use iotrial_model::imported::Stated;
use iotrial_model::metric::APPLICATION;
use iotrial_model::subject::Subject;
use serde::Serialize;

use super::kind::Kind;
use super::packed::packed;
use super::read::{
    ReadRecordError, Stored, Unreadable, imported_of, is_called_journal, read_stored, reading, record_of,
    sweep_of,
};
use super::{Store, WriteFileError};
use crate::atomic_file::{Durability, Existing, write_whole};
use crate::fault::Fault;

/// Why a result keeps its label.
#[derive(Debug, thiserror::Error)]
pub enum RelabelError {
    /// It is something else than a run, a sweep or an imported result.
    #[error("`{}` is not a result with a label of its own", path.display())]
    NoResult {
        /// The file, as the user named it.
        path: PathBuf,
    },
    /// A sweep is many loads, and nobody could say to which of them a figure belongs.
    #[error("`{}` is a sweep, and metrics belong to one load", path.display())]
    NoMetrics {
        /// The file, as the user named it.
        path: PathBuf,
    },
    /// It cannot be read, before or after the change.
    #[error(transparent)]
    Read(#[from] ReadRecordError),
    /// It cannot be written; it is then as it was.
    #[error(transparent)]
    Write(#[from] WriteFileError),
}

impl Fault for RelabelError {
    fn is_of_input(&self) -> bool {
        !matches!(self, Self::Write(_))
    }
}

/// What changes in a result.
#[derive(Debug, Clone, Copy)]
pub struct Change<'c> {
    /// Another label, or none; absent where it stays as it is.
    pub label: Option<Option<&'c str>>,
    /// Figures of an application that are added, or take the place of those of the same name.
    pub metrics: &'c ApplicationMetrics,
}

impl Store {
    /// Gives a result of this store a label, or takes it away, and adds metrics. The index notices the change by itself.
    ///
    /// # Errors
    ///
    /// When it cannot be read or written; it is then as it was.
    pub fn change(&self, path: &Path, change: &Change<'_>) -> Result<(), RelabelError> {
        let kind = Kind::of_name(path).filter(|kind| Kind::NAMED_BY_ID.contains(kind));
        let kind = kind.ok_or_else(|| RelabelError::NoResult { path: path.to_owned() })?;
        if kind == Kind::Sweep && !change.metrics.is_empty() {
            return Err(RelabelError::NoMetrics { path: path.to_owned() });
        }
        let Stored { text, is_packed } = reading(path, "result", || {
            let Stored { text: before, is_packed } = read_stored(path)?;
            let mut text = before.clone();
            if let Some(label) = change.label {
                text = with_value(&text, "label", &label)?;
            }
            if !change.metrics.is_empty() {
                text = with_metrics(kind, path, &text, change.metrics)?;
            }
            let text = renewed(&before, text)?;
            // Whatever the file had before these keys, a record without the right ones must not take its place.
            if is_as_asked(kind, path, &text, change)? {
                Ok(Stored { text, is_packed })
            } else {
                let why = "its label or its metrics are not where this version of iotrial looks for them";
                Err(Unreadable::Check(why.into()))
            }
        })?;
        if !is_packed {
            return Ok(write_whole(path, &text, Existing::Replaced)?);
        }
        let write = || -> io::Result<()> {
            packed(text.as_slice(), &self.folder)?.place(path, Existing::Replaced, Durability::AtOnce)?;
            Ok(())
        };
        Ok(write().map_err(|source| WriteFileError { path: path.to_owned(), source })?)
    }
}

fn is_as_asked(kind: Kind, path: &Path, text: &[u8], change: &Change<'_>) -> Result<bool, Unreadable> {
    let check = |subject: &Subject<'_>| {
        let has = |(name, value): (&String, &f64)| {
            let known = subject.other.get(&format!("{APPLICATION}.{name}"));
            known.is_some_and(|known| known.value == *value)
        };
        change.label.is_none_or(|label| subject.label == label) && change.metrics.iter().all(has)
    };
    Ok(match kind {
        Kind::Sweep => check(&Subject::of_sweep(&sweep_of(text)?)),
        Kind::Imported => check(&Subject::of_imported(&imported_of(text)?)),
        _ => check(&Subject::of_run(&record_of(text, is_called_journal(path))?)),
    })
}

/// The text of a record with further metrics; an imported one has them among the figures of its source.
fn with_metrics(
    kind: Kind,
    path: &Path,
    text: &[u8],
    metrics: &ApplicationMetrics,
) -> Result<Vec<u8>, Unreadable> {
    if kind == Kind::Imported {
        let mut other = imported_of(text)?.other;
        let new =
            metrics.iter().map(|(name, value)| (format!("{APPLICATION}.{name}"), Stated::exact(*value)));
        other.extend(new);
        return with_value(text, "other", &other);
    }
    let mut all = record_of(text, is_called_journal(path))?.metrics;
    all.extend(metrics.iter().map(|(name, value)| (name.clone(), *value)));
    with_value(text, "metrics", &all)
}

/// The text of a record after a change that is ours, with the checksum that goes with it. One that did not match before stays as it is: a
/// new label must not make a record that somebody altered whole again.
fn renewed(before: &[u8], text: Vec<u8>) -> Result<Vec<u8>, Unreadable> {
    // Of a journal, which is several documents, there is none.
    match Checksum::check(before) {
        Ok(Checksum::Matches) => with_value(&text, CHECKSUM, &checksum_of(text.as_slice())?),
        _ => Ok(text),
    }
}

/// The text of a record with another value of a key.
fn with_value(text: &[u8], key: &str, value: &impl Serialize) -> Result<Vec<u8>, Unreadable> {
    let value = serde_json::to_vec(value)?;
    let (place, new) = match (value_of(text, key.as_bytes()), value_of(text, b"id")) {
        (Some(place), _) => (place, Cow::Borrowed(value.as_slice())),
        // A record without the value has no such key; it goes behind the id.
        (None, Some(id)) => {
            (id.end..id.end, Cow::Owned([b",\"", key.as_bytes(), b"\":", value.as_slice()].concat()))
        }
        (None, None) => return Err(Unreadable::Check("it has no id".into())),
    };
    Ok([&text[..place.start], &new, &text[place.end..]].concat())
}

/// Where the value of a key of the outermost object lies in JSON text, without the white space around it.
fn value_of(text: &[u8], wanted: &[u8]) -> Option<Range<usize>> {
    let (mut depth, mut index) = (0_usize, 0);
    let mut expects_key = false;
    let mut begin = None;
    let trimmed = |begin: usize, end: usize| begin..begin + text[begin..end].trim_ascii_end().len();
    while let Some(byte) = text.get(index) {
        match byte {
            b'"' => {
                let end = index + 1 + end_of_string(&text[index + 1..])?;
                if depth == 1 && expects_key {
                    expects_key = false;
                    if &text[index + 1..end - 1] == wanted {
                        let is_before = |byte: &u8| *byte == b':' || byte.is_ascii_whitespace();
                        begin = Some(end + text[end..].iter().take_while(|byte| is_before(byte)).count());
                    }
                }
                index = end;
                continue;
            }
            b'{' | b'[' => {
                depth += 1;
                expects_key = depth == 1;
            }
            b'}' | b']' => {
                if depth == 1 {
                    return begin.map(|begin| trimmed(begin, index));
                }
                depth = depth.checked_sub(1)?;
            }
            b',' if depth == 1 => {
                if let Some(begin) = begin {
                    return Some(trimmed(begin, index));
                }
                expects_key = true;
            }
            _ => {}
        }
        index += 1;
    }
    None
}

/// How many bytes there are up to the quotes that end a string, and with them.
fn end_of_string(text: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    let end = text.iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    })?;
    Some(end + 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn only_the_label_of_the_record_itself_changes() {
        let check = |before: &str, label: Option<&str>, after: &str| {
            assert_eq!(
                String::from_utf8(with_value(before.as_bytes(), "label", &label).unwrap()).unwrap(),
                after
            );
        };
        check(r#"{"id":"01","label":"a","b":1}"#, Some("c"), r#"{"id":"01","label":"c","b":1}"#);
        check(r#"{"id":"01","label":"a"}"#, None, r#"{"id":"01","label":null}"#);
        check(r#"{"id":"01","b":{"label":"x"}}"#, Some("c"), r#"{"id":"01","label":"c","b":{"label":"x"}}"#);
        check(r#"{"b":["label"],"id":"01"}"#, Some("c"), r#"{"b":["label"],"id":"01","label":"c"}"#);
        // Quotes and braces in strings, and the key as a value.
        check(
            r#"{"k":"label","q":"\\\"}","id":"01","label":"\"a,}"}"#,
            Some("\"}"),
            r#"{"k":"label","q":"\\\"}","id":"01","label":"\"}"}"#,
        );
        let pretty = "{\n  \"id\": \"01\",\n  \"label\": \"a\"\n}\n";
        check(pretty, Some("b"), "{\n  \"id\": \"01\",\n  \"label\": \"b\"\n}\n");
        let none: Option<&str> = None;
        assert!(with_value(b"[]", "label", &none).is_err() && with_value(b"{\"id", "label", &none).is_err());
    }
}
