//! Reads a TOML table key by key, and keeps the place of everything that is wrong.
//!
//! Profiles and thresholds are written by people. They get every mistake of a file at once, each with
//! line and column, and the key that they probably meant.

use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::foreign_text::{harmless, hidden_in};
use crate::units::{ByteSize, Rate, parse_duration};

/// One mistake in a TOML file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong, with the values.
    pub message: String,
    /// What to write instead, where that can be guessed.
    pub hint: Option<String>,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Keys and values of the file are quoted in it.
        write!(f, "line {}, column {}: {}", self.line, self.column, harmless(&self.message))?;
        match &self.hint {
            Some(hint) => write!(f, " ({})", harmless(hint)),
            None => Ok(()),
        }
    }
}

/// All mistakes of one file; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Mistakes(pub Vec<Mistake>);

/// Parses `text` and hands its top table to `read`; succeeds only when no mistake was noted.
///
/// # Errors
///
/// Every mistake that `read` noted, or the syntax error.
pub fn read_toml<T>(text: &str, read: impl FnOnce(&mut TableReader<'_>) -> Option<T>) -> Result<T, Mistakes> {
    let sink = Sink { text, mistakes: std::cell::RefCell::default() };
    let value = match DeTable::parse(text) {
        Ok(document) => {
            let mut reader = TableReader::new(document.get_ref(), document.span(), &sink);
            let value = read(&mut reader);
            reader.refuse_the_rest();
            value
        }
        Err(error) => {
            sink.note(error.span().unwrap_or(0..0), error.message().to_owned(), None);
            None
        }
    };
    let mut mistakes = sink.mistakes.into_inner();
    // Mistakes are noted in the order in which keys are read, and shown in the order of the file.
    mistakes.sort_by_key(|mistake| (mistake.line, mistake.column));
    match value {
        Some(value) if mistakes.is_empty() => Ok(value),
        _ => {
            // A reader that gives up without saying why would leave the user with nothing.
            assert!(!mistakes.is_empty(), "a file without a value must have a mistake");
            Err(Mistakes(mistakes))
        }
    }
}

/// A file with more mistakes is of another kind. Finding the line of each takes a look at all of the text
/// before it.
// A choice: nobody mends a hundred mistakes at once.
const MOST_MISTAKES: usize = 100;

struct Sink<'t> {
    text: &'t str,
    mistakes: std::cell::RefCell<Vec<Mistake>>,
}

impl Sink<'_> {
    /// Whether nobody would read any further one.
    fn is_full(&self) -> bool {
        self.mistakes.borrow().len() > MOST_MISTAKES
    }

    fn note(&self, span: Range<usize>, message: String, hint: Option<String>) {
        let (message, hint) = match self.mistakes.borrow().len() {
            // One line more, which says so; beyond it nothing is added.
            MOST_MISTAKES => ("there are more mistakes, which are not listed".to_owned(), None),
            count if count > MOST_MISTAKES => return,
            _ => (message, hint),
        };
        // A span need not begin at the border of a character, and slicing anywhere else would panic.
        let before = &self.text[..self.text.floor_char_boundary(span.start)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        self.mistakes.borrow_mut().push(Mistake {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message,
            hint,
        });
    }
}

/// One table of the file. Every `…` method takes the key out; what is left at the end is a misspelt key.
///
/// The methods return `None` both for an absent key and for a wrong value; the latter also notes a
/// mistake, so that [`read_toml`] fails.
pub struct TableReader<'t> {
    table: &'t DeTable<'t>,
    span: Range<usize>,
    sink: &'t Sink<'t>,
    known: Vec<&'static str>,
    /// Whether any key is allowed, because the writer chooses the names.
    is_open: bool,
}

/// A value that is neither a list nor a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// A decimal number, and how it is written.
    Number {
        /// Digit for digit.
        text: String,
        /// What it means.
        value: f64,
    },
    /// A string, as it is after escapes.
    Text(String),
    /// True or false.
    Boolean(bool),
}

impl<'t> TableReader<'t> {
    fn new(table: &'t DeTable<'t>, span: Range<usize>, sink: &'t Sink<'t>) -> Self {
        Self { table, span, sink, known: Vec::new(), is_open: false }
    }

    fn get(&mut self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        // Every key that is asked for is known, whether it is there or not; so readers have to ask for all of
        // them, also for those that a mistake makes pointless.
        self.known.push(key);
        self.table.get(key)
    }

    fn wrong(&self, span: Range<usize>, message: String) {
        self.sink.note(span, message, None);
    }

    fn wrong_type(&self, key: &str, value: &Spanned<DeValue<'_>>, wanted: &str) {
        self.wrong(value.span(), format!("`{key}` must be {wanted}, not {}", value.get_ref().type_str()));
    }

    fn missing<T>(&self, key: &str) -> Option<T> {
        // At the beginning of the table, since what is missing has no place of its own.
        self.sink.note(self.span.start..self.span.start, format!("`{key}` is missing"), None);
        None
    }

    /// Notes a mistake about the value of `key`, for rules that span several keys.
    pub fn refuse<T>(&self, key: &str, message: String) -> Option<T> {
        let span = self.table.get(key).map_or(self.span.clone(), Spanned::span);
        self.wrong(span, message);
        None
    }

    /// The same where a rule is broken, for readers that go on: the file is refused in any case.
    pub fn refuse_if(&self, is_broken: bool, key: &str, message: &str) {
        if is_broken {
            self.refuse::<()>(key, message.to_owned());
        }
    }

    /// Whether the key is there, whatever its value.
    pub fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Whether the value of the key is a table.
    pub fn is_table(&self, key: &str) -> bool {
        self.table.get(key).is_some_and(|value| value.get_ref().is_table())
    }

    /// The string of a key.
    pub fn text(&mut self, key: &'static str) -> Option<String> {
        let value = self.get(key)?;
        match value.get_ref().as_str() {
            Some(text) => Some(text.to_owned()),
            None => {
                self.wrong_type(key, value, "a string");
                None
            }
        }
    }

    /// The string of a key that may become a word of somebody's command: it is not taken for an option there, and all of it can be
    /// seen.
    pub fn name(&mut self, key: &'static str) -> Option<String> {
        let name = self.text(key)?;
        self.check_name(key, &name).then_some(name)
    }

    /// The same of a name that was read in another way, such as a key that the writer chose.
    pub fn check_name(&self, key: &str, name: &str) -> bool {
        let reason = match hidden_in(name) {
            Some(hidden) => format!("it contains `{hidden}`, which cannot be seen"),
            None if name.starts_with('-') => "it begins with `-`, as options do".to_owned(),
            None => return true,
        };
        self.refuse::<()>(key, format!("\"{name}\" cannot be a name: {reason}"));
        false
    }

    /// A value that must be there: absence is noted here, a wrong value by `read`.
    pub fn required<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Self, &'static str) -> Option<T>,
    ) -> Option<T> {
        if self.table.contains_key(key) {
            return read(self, key);
        }
        self.known.push(key);
        self.missing(key)
    }

    /// A value that must be there. A default takes the place of one that is missing or wrong: that is noted, so nobody gets to see it.
    pub fn needed<T: Default>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Self, &'static str) -> Option<T>,
    ) -> T {
        self.required(key, read).unwrap_or_default()
    }

    /// One of several words, which must be there. The first takes the place of one that is missing or wrong, like a default in
    /// [`TableReader::needed`].
    pub fn needed_word<T: Copy>(&mut self, key: &'static str, words: &[(&'static str, T)]) -> T {
        self.required(key, |table, key| table.word(key, words)).unwrap_or(words[0].1)
    }

    /// A number of things from `range`.
    pub fn count(&mut self, key: &'static str, range: std::ops::RangeInclusive<u32>) -> Option<u32> {
        let range = u64::from(*range.start())..=u64::from(*range.end());
        self.integer(key, range).and_then(|count| u32::try_from(count).ok())
    }

    /// A whole number from `range`.
    pub fn integer(&mut self, key: &'static str, range: std::ops::RangeInclusive<u64>) -> Option<u64> {
        let value = self.get(key)?;
        let Some(integer) = value.get_ref().as_integer() else {
            self.wrong_type(key, value, "a whole number");
            return None;
        };
        // In 128 bits, so that −1 and 2^64 get the message about the range instead of one about syntax.
        // Hexadecimal numbers are fine.
        let parsed = i128::from_str_radix(integer.as_str(), integer.radix()).ok();
        match parsed.and_then(|number| u64::try_from(number).ok()).filter(|number| range.contains(number)) {
            Some(number) => Some(number),
            None => {
                let (low, high) = (range.start(), range.end());
                self.wrong(
                    value.span(),
                    format!("`{key}` must be from {low} to {high}, not {}", integer.as_str()),
                );
                None
            }
        }
    }

    /// A number of zero or more, whole or not.
    pub fn number(&mut self, key: &'static str) -> Option<f64> {
        let value = self.get(key)?;
        // Both kinds: people write `2` where a format wants `2.0`. The text is parsed here, because it is
        // also what the message quotes.
        let text = match value.get_ref() {
            DeValue::Integer(integer) => integer.as_str().to_owned(),
            DeValue::Float(float) => float.as_str().to_owned(),
            _ => {
                self.wrong_type(key, value, "a number");
                return None;
            }
        };
        // No key of ours is negative, and TOML's `inf` and `nan` are no figures.
        match text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0) {
            Some(number) => Some(number),
            None => {
                self.wrong(value.span(), format!("`{key}` must be a number of zero or more, not {text}"));
                None
            }
        }
    }

    /// A size with its unit, as a string.
    pub fn size(&mut self, key: &'static str) -> Option<ByteSize> {
        self.quantity(key, "8KiB", str::parse)
    }

    /// A time with its unit, as a string.
    pub fn duration(&mut self, key: &'static str) -> Option<std::time::Duration> {
        self.quantity(key, "30s", parse_duration)
    }

    /// A rate with its unit, as a string.
    pub fn rate(&mut self, key: &'static str) -> Option<Rate> {
        self.quantity(key, "5000 iops", str::parse)
    }

    /// A size per second with its unit, as a string; in bytes per second.
    pub fn bandwidth(&mut self, key: &'static str) -> Option<f64> {
        match self.rate(key)? {
            Rate::BytesPerSecond(bytes) => Some(bytes),
            Rate::Iops(_) => self.refuse(key, format!("`{key}` is a size per second, such as \"320MB/s\"")),
        }
    }

    fn quantity<T, E: fmt::Display>(
        &mut self,
        key: &'static str,
        example: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Option<T> {
        let value = self.get(key)?;
        // A bare number is refused: what is `60` of, seconds or minutes?
        let Some(text) = value.get_ref().as_str() else {
            self.wrong_type(key, value, &format!("a string with a unit, such as \"{example}\""));
            return None;
        };
        match parse(text) {
            Ok(quantity) => Some(quantity),
            Err(error) => {
                self.wrong(value.span(), format!("`{key}`: {error}"));
                None
            }
        }
    }

    /// True or false.
    pub fn boolean(&mut self, key: &'static str) -> Option<bool> {
        let value = self.get(key)?;
        let boolean = value.get_ref().as_bool();
        if boolean.is_none() {
            self.wrong_type(key, value, "true or false");
        }
        boolean
    }

    /// A list of strings of any kind.
    pub fn texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        let value = self.get(key)?;
        let Some(array) = value.get_ref().as_array() else {
            self.wrong_type(key, value, "a list of strings");
            return None;
        };
        let text = |item: &'t Spanned<DeValue<'t>>| {
            let text = item.get_ref().as_str();
            if text.is_none() {
                self.wrong_type(key, item, "a list of strings");
            }
            text.map(str::to_owned)
        };
        array.iter().map(text).collect()
    }

    /// A string, or a list of them.
    pub fn text_or_texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        match self.table.get(key).map(Spanned::get_ref) {
            Some(DeValue::Array(_)) => self.texts(key),
            _ => self.text(key).map(|text| vec![text]),
        }
    }

    /// One of several words.
    pub fn word<T: Copy>(&mut self, key: &'static str, words: &[(&'static str, T)]) -> Option<T> {
        let value = self.get(key)?;
        self.word_in(key, value, words)
    }

    /// A list of words, each one of several; at least one.
    pub fn words<T: Copy>(&mut self, key: &'static str, words: &[(&'static str, T)]) -> Option<Vec<T>> {
        let value = self.get(key)?;
        let Some(array) = value.get_ref().as_array() else {
            self.wrong_type(key, value, "a list of strings");
            return None;
        };
        if array.is_empty() {
            self.wrong(value.span(), format!("`{key}` needs at least one word"));
            return None;
        }
        array.iter().map(|item| self.word_in(key, item, words)).collect()
    }

    fn word_in<T: Copy>(
        &self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let Some(text) = value.get_ref().as_str() else {
            self.wrong_type(key, value, "a string");
            return None;
        };
        if let Some((_, found)) = words.iter().find(|(word, _)| *word == text) {
            return Some(*found);
        }
        let list: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        // A guess is a hint and never taken by itself.
        let hint = nearest(text, list.iter().copied()).map(|word| format!("did you mean \"{word}\"?"));
        let message = format!("`{key}` must be one of {}, not \"{text}\"", list.join(", "));
        self.sink.note(value.span(), message, hint);
        None
    }

    /// A number, a string, true or false.
    pub fn scalar(&mut self, key: &'static str) -> Option<Scalar> {
        let value = self.get(key)?;
        self.scalar_in(key, value)
    }

    /// Everything in this table, for tables whose keys are names that the writer chooses.
    pub fn scalars(&mut self) -> Vec<(String, Scalar)> {
        // In such a table no key can be misspelt.
        self.is_open = true;
        let all = self.table.iter().filter_map(|(key, value)| {
            let key: &str = key.get_ref();
            self.scalar_in(key, value).map(|scalar| (key.to_owned(), scalar))
        });
        all.collect()
    }

    fn scalar_in(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Scalar> {
        let number = |text: &str| {
            let number = text.parse().ok().filter(|number: &f64| number.is_finite());
            number.map(|value| Scalar::Number { text: text.to_owned(), value })
        };
        let scalar = match value.get_ref() {
            DeValue::String(text) => Some(Scalar::Text(text.to_string())),
            DeValue::Boolean(boolean) => Some(Scalar::Boolean(*boolean)),
            // A hexadecimal number has no printed digits to keep.
            DeValue::Integer(integer) if integer.radix() == 10 => number(integer.as_str()),
            DeValue::Float(float) => number(float.as_str()),
            _ => None,
        };
        if scalar.is_none() {
            self.wrong_type(key, value, "a decimal number, a string, true or false");
        }
        scalar
    }

    /// A value whose form its type knows.
    pub(crate) fn deserialized<T: serde::de::DeserializeOwned>(&mut self, key: &'static str) -> Option<T> {
        let value = self.get(key)?;
        match T::deserialize(ValueDeserializer::from(value.clone())) {
            Ok(read) => Some(read),
            Err(error) => {
                // The error knows the place of the key that is wrong inside the value, if it has one.
                let place = error.span().unwrap_or_else(|| value.span());
                self.wrong(place, format!("`{key}`: {}", error.message()));
                None
            }
        }
    }

    /// A table below this one, read by `read`.
    pub fn table<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut TableReader<'_>) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(key)?;
        match value.get_ref().as_table() {
            Some(table) => self.below(table, value.span(), read),
            None => {
                self.wrong_type(key, value, &format!("a table, written as [{key}]"));
                None
            }
        }
    }

    /// A list of tables, each read by `read`; those with a mistake are left out, and noted.
    pub fn tables<T>(
        &mut self,
        key: &'static str,
        read: impl FnMut(&mut TableReader<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let value = self.get(key)?;
        self.list_of_tables(key, value, read)
    }

    /// A list of tables, each read by `read`; none where the key is absent or has a mistake.
    pub fn list<T>(&mut self, key: &'static str, mut read: impl FnMut(&mut TableReader<'_>) -> T) -> Vec<T> {
        self.tables(key, |table| Some(read(table))).unwrap_or_default()
    }

    /// One table, or a list of them, each read by `read`; those with a mistake are left out, and noted.
    pub(crate) fn table_or_tables<T>(
        &mut self,
        key: &'static str,
        read: impl FnMut(&mut TableReader<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let value = self.get(key)?;
        match value.get_ref().as_table() {
            Some(table) => Some(self.below(table, value.span(), read).into_iter().collect()),
            None => self.list_of_tables(key, value, read),
        }
    }

    fn list_of_tables<T>(
        &self,
        key: &str,
        value: &'t Spanned<DeValue<'t>>,
        mut read: impl FnMut(&mut TableReader<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Some(array) = value.get_ref().as_array() else {
            self.wrong_type(key, value, &format!("a list of tables, written as [[{key}]]"));
            return None;
        };
        if array.is_empty() {
            // `[]` is nearly always a list that somebody meant to fill.
            self.wrong(value.span(), format!("`{key}` needs at least one table"));
        }
        let mut all = Vec::new();
        for item in array.iter() {
            match item.get_ref().as_table() {
                Some(table) => all.extend(self.below(table, item.span(), &mut read)),
                None => self.wrong_type(key, item, &format!("a table, written as [[{key}]]")),
            }
        }
        Some(all)
    }

    /// A table of tables whose names the writer chooses, such as [source.page]; those with a mistake are left
    /// out, and noted.
    pub fn named_tables<T>(
        &mut self,
        key: &'static str,
        mut read: impl FnMut(&mut TableReader<'_>) -> Option<T>,
    ) -> Option<Vec<(String, T)>> {
        let value = self.get(key)?;
        let Some(table) = value.get_ref().as_table() else {
            self.wrong_type(key, value, &format!("tables, written as [{key}.NAME]"));
            return None;
        };
        let mut all = Vec::new();
        for (name, item) in table.iter() {
            let name: &str = name.get_ref();
            match item.get_ref().as_table() {
                Some(table) => {
                    all.extend(self.below(table, item.span(), &mut read).map(|read| (name.to_owned(), read)));
                }
                None => self.wrong_type(name, item, &format!("a table, written as [{key}.{name}]")),
            }
        }
        Some(all)
    }

    fn below<T>(
        &self,
        table: &'t DeTable<'t>,
        span: Range<usize>,
        read: impl FnOnce(&mut TableReader<'_>) -> Option<T>,
    ) -> Option<T> {
        let mut reader = TableReader::new(table, span, self.sink);
        let value = read(&mut reader);
        reader.refuse_the_rest();
        value
    }

    fn refuse_the_rest(&self) {
        if self.is_open {
            return;
        }
        for key in self.table.keys() {
            // Looking for the nearest of all known keys is the slow part, so it ends where nobody would see
            // the result.
            if self.sink.is_full() {
                return;
            }
            let name: &str = key.get_ref();
            if !self.known.contains(&name) {
                // A key whose unit was left out is the beginning of one that has it.
                let begins =
                    |known: &&str| known.strip_prefix(name).is_some_and(|unit| unit.starts_with('_'));
                let with_unit = self.known.iter().copied().find(begins);
                let hint = match with_unit.or_else(|| nearest(name, self.known.iter().copied())) {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => format!("the keys here are {}", self.known.join(", ")),
                };
                self.sink.note(key.span(), format!("unknown key `{name}`"), Some(hint));
            }
        }
    }
}

/// The candidate that `text` is probably a misspelling of.
pub fn nearest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .map(|candidate| (strsim::jaro_winkler(text, candidate), candidate))
        // A choice: from 0.8 on Jaro and Winkler's likeness, which favours a common beginning, is a slip of
        // the fingers.
        .filter(|(likeness, _)| *likeness > 0.8)
        // A common beginning alone is none: half of the letters that were typed are right at least, of the whole or of its beginning.
        .filter(|(_, candidate)| {
            let typed = text.chars().count();
            let beginning: String = candidate.chars().take(typed).collect();
            2 * strsim::osa_distance(text, candidate).min(strsim::osa_distance(text, &beginning)) <= typed
        })
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> Vec<String> {
        let outcome = read_toml(text, |top| {
            let size = top.size("block_size");
            top.integer("iodepth", 1..=4096);
            top.tables("job", |job| job.required("name", TableReader::text));
            size
        });
        outcome.unwrap_err().0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn only_what_may_be_a_slip_of_the_fingers_is_near() {
        let known = ["none-shared", "duration", "etcd", "late-issues"];
        let near = |text: &str| nearest(text, known.into_iter());
        assert_eq!(
            ["durtion", "etdc", "late-issue", "nonsense-id", "dur"].map(near),
            [Some("duration"), Some("etcd"), Some("late-issues"), None, Some("duration")]
        );
    }

    #[test]
    fn every_mistake_is_reported_with_its_place() {
        assert_eq!(
            mistakes("block_sise = \"8KiB\"\niodepth = 0\nblock_size = 8192\n\n[[job]]\nname = 3\n[[job]]\n"),
            [
                "line 1, column 1: unknown key `block_sise` (did you mean `block_size`?)",
                "line 2, column 11: `iodepth` must be from 1 to 4096, not 0",
                "line 3, column 14: `block_size` must be a string with a unit, such as \"8KiB\", not integer",
                "line 6, column 8: `name` must be a string, not integer",
                "line 7, column 1: `name` is missing",
            ]
        );
    }

    #[test]
    fn a_file_of_mistakes_has_a_hundred_of_them_and_says_that_there_are_more() {
        let text: String = (0..100_000).map(|key| format!("k{key} = 1\n")).collect();
        let found = mistakes(&text);
        assert_eq!(found.len(), 101);
        assert!(found.iter().any(|one| one.contains("there are more mistakes")), "{found:?}");
    }

    #[test]
    fn a_syntax_error_has_its_place_too() {
        assert!(mistakes("block_size = \n")[0].starts_with("line 1, column 1"));
    }
}
