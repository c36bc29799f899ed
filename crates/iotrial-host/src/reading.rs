//! Reads facts from files, and keeps the reason where one cannot be read.

use std::io;
use std::path::Path;

use iotrial_model::host_fact::{Fact, FactId, FactValue, Reading};

use crate::block::{Kernel, chosen};
use crate::text;

/// How the text of a file becomes a value; `None` where it makes no sense.
pub(crate) type Parse = fn(&str) -> Option<FactValue>;

/// A number as it is.
pub(crate) fn number(text: &str) -> Option<FactValue> {
    text.parse().ok().map(FactValue::Number)
}

/// `1` and `0`.
pub(crate) fn flag(text: &str) -> Option<FactValue> {
    match text {
        "1" => Some(FactValue::Flag(true)),
        "0" => Some(FactValue::Flag(false)),
        _ => None,
    }
}

/// Words as they are.
pub(crate) fn word(text: &str) -> Option<FactValue> {
    (!text.is_empty()).then(|| FactValue::text(text))
}

/// The chosen one of `none [mq-deadline] kyber`.
pub(crate) fn choice(text: &str) -> Option<FactValue> {
    word(&chosen(text))
}

/// The facts of one part, in the order in which they are read.
pub(crate) struct Facts<'k> {
    kernel: &'k Kernel,
    list: Vec<Fact>,
}

impl<'k> Facts<'k> {
    pub(crate) const fn new(kernel: &'k Kernel) -> Self {
        Self { kernel, list: Vec::new() }
    }

    pub(crate) const fn kernel(&self) -> &'k Kernel {
        self.kernel
    }

    pub(crate) fn into_list(self) -> Vec<Fact> {
        self.list
    }

    /// A fact that was found otherwise; `from` says where.
    pub(crate) fn known(&mut self, id: FactId, value: FactValue, from: impl Into<String>) {
        self.list.push(Fact { id, reading: Reading::Known(value), from: from.into() });
    }

    /// A fact that could not be read.
    pub(crate) fn unknown(&mut self, id: FactId, why: impl Into<String>, from: impl Into<String>) {
        self.list.push(Fact { id, reading: Reading::Unknown(why.into()), from: from.into() });
    }

    /// A fact that every part of this kind has: a file that is missing leaves it unknown.
    pub(crate) fn read(&mut self, id: FactId, path: &Path, parse: Parse) {
        self.take(id, path, text::line(path), parse);
    }

    /// A fact that only some have: where its file is missing, the part does not have it.
    pub(crate) fn read_if_there(&mut self, id: FactId, path: &Path, parse: Parse) {
        match text::line(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            result => self.take(id, path, result, parse),
        }
    }

    fn take(&mut self, id: FactId, path: &Path, result: io::Result<String>, parse: Parse) {
        let from = self.kernel.shown(path).display().to_string();
        match result {
            Ok(text) => match parse(&text) {
                Some(value) => self.known(id, value, from),
                None if text.is_empty() => self.unknown(id, "the file is empty", from),
                None => {
                    let shown: String = text.chars().take(40).collect();
                    self.unknown(id, format!("`{shown}` makes no sense"), from);
                }
            },
            Err(error) => self.unknown(id, text::reason(&error), from),
        }
    }
}
