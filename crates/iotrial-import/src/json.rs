//! JSON as tools print it: several documents in one text, words around them, a key twice, NaN where a number
//! should be.
//!
//! A [`Node`] keeps every key, also one that occurs twice, and its text is borrowed. How many nodes a
//! document may have is limited before they are made, as is their depth (by `serde_json`).

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::text::quote;

/// All documents of a file of 64 MiB, as tools print them, have fewer together.
// 64 MiB divided by it leave 22 bytes for each value, fewer than any tool prints.
const MOST_NODES: usize = 3_000_000;
/// Keys that occur twice are reported up to this number.
const MOST_TOLD: usize = 100;
/// How many places may look like the beginning of a document and not be one before the search ends.
// Each failure may read on to the end of the text, so their number is what bounds the time.
const MOST_FAILURES: usize = 1_000;

/// A value of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node<'t> {
    Null,
    Boolean(bool),
    Whole(u64),
    Number(f64),
    Text(Cow<'t, str>),
    List(Vec<Node<'t>>),
    Map(Vec<(Cow<'t, str>, Node<'t>)>),
}

impl<'t> Node<'t> {
    /// The value of a key; the first one where it occurs twice.
    // Maps are lists: documents have few keys for each map, their order is kept, and both of two equal keys.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Keys and values; none of anything but a map.
    pub(crate) fn entries(&self) -> &[(Cow<'t, str>, Self)] {
        match self {
            Self::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Members; none of anything but a list.
    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Whole(whole) => Some(*whole as f64),
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn whole(&self) -> Option<u64> {
        match self {
            Self::Whole(whole) => Some(*whole),
            _ => None,
        }
    }

    /// In a word, for messages.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Boolean(boolean) => boolean.to_string(),
            Self::Whole(whole) => whole.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => format!("\"{}\"", quote(text)),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) => "a group of values".to_owned(),
        }
    }

    /// Hands over every map that is one of those looked for, from the outside to the inside, and looks into none of these.
    pub(crate) fn look_for<'n>(&'n self, is_it: &dyn Fn(&Self) -> bool, take: &mut dyn FnMut(&'n Self)) {
        if is_it(self) {
            return take(self);
        }
        self.items().iter().for_each(|item| item.look_for(is_it, take));
        self.entries().iter().for_each(|(_, value)| value.look_for(is_it, take));
    }

    /// The paths of keys that stand twice in one map, in the order in which they stand.
    pub(crate) fn keys_twice(&self) -> Vec<String> {
        let mut twice = Vec::new();
        self.look_for_keys_twice(&mut String::new(), &mut twice);
        twice
    }

    fn look_for_keys_twice(&self, path: &mut String, twice: &mut Vec<String>) {
        let length = path.len();
        if twice.len() > MOST_TOLD {
            return;
        }
        for (index, item) in self.items().iter().enumerate() {
            path.push_str(&format!("[{index}]"));
            item.look_for_keys_twice(path, twice);
            // One buffer for the path, cut back after each step; a path for each node would be most of the
            // memory.
            path.truncate(length);
        }
        let mut seen = std::collections::HashSet::new();
        for (key, value) in self.entries() {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&quote(key));
            if !seen.insert(key.as_ref()) && twice.len() <= MOST_TOLD {
                twice.push(path.clone());
            }
            value.look_for_keys_twice(path, twice);
            path.truncate(length);
        }
    }
}

/// A document in a text.
#[derive(Debug)]
pub(crate) struct Document<'t> {
    /// The line on which it begins, from 1.
    pub(crate) line: usize,
    pub(crate) node: Node<'t>,
    /// The most digits behind the point that any of its numbers has.
    pub(crate) decimals: u32,
}

/// Why something that looks like the beginning of a document is not one.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
    /// Whether the text ended before the document did.
    pub(crate) is_cut_off: bool,
}

/// All documents of a text, and what looked like one. A document begins where a line does, or anywhere on a line if `first_key` is its
/// first key: loggers put words before it, and scripts make a list of them.
pub(crate) fn documents<'t>(text: &'t str, first_key: &str) -> (Vec<Document<'t>>, Vec<Broken>) {
    let (mut documents, mut broken) = (Vec::new(), Vec::new());
    let (mut at, mut line, mut line_start) = (0, 1, 0);
    let counter = Counter { nodes: Cell::new(0), decimals: Cell::new(0) };
    while let Some(start) = next_start(text, at, first_key) {
        line += newlines(&text[at..start]);
        line_start = text[at..start].rfind('\n').map_or(line_start, |newline| at + newline + 1);
        counter.decimals.set(0);
        let mut deserializer = serde_json::Deserializer::from_str(&text[start..]);
        let read = NodeSeed { counter: &counter }.deserialize(&mut deserializer);
        // Only a stream of documents says how far it has read. At least one, so that the search always goes
        // on.
        let consumed = deserializer.into_iter::<serde::de::IgnoredAny>().byte_offset().max(1);
        match read {
            Ok(node) => documents.push(Document { line, node, decimals: counter.decimals.get() }),
            Err(error) => {
                // `serde_json` counts columns from the beginning of the document, which need not begin its
                // line.
                let before = if error.line() == 1 { start - line_start } else { 0 };
                broken.push(Broken {
                    line: line + error.line().max(1) - 1,
                    column: before + error.column(),
                    message: words_of(&error),
                    is_cut_off: error.is_eof(),
                });
                // The budget of values is for all documents of a text together.
                if broken.len() >= MOST_FAILURES || counter.nodes.get() >= MOST_NODES {
                    break;
                }
            }
        }
        let end = next_char_boundary(text, start + consumed);
        line += newlines(&text[start..end]);
        line_start = text[start..end].rfind('\n').map_or(line_start, |newline| start + newline + 1);
        at = end;
    }
    (documents, broken)
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

fn next_char_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// The message of `serde_json` without the place, which is counted from the beginning of the document there.
fn words_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.as_str(), |(words, _)| words).to_owned()
}

/// The next brace that is the first thing on its line, follows the end of the last document, or has `first_key` behind it.
fn next_start(text: &str, at: usize, first_key: &str) -> Option<usize> {
    let is_known = |brace: usize| {
        let rest = text[brace + 1..].trim_start().strip_prefix('"');
        rest.and_then(|rest| rest.strip_prefix(first_key)).is_some_and(|rest| rest.starts_with('"'))
    };
    let mut from = at;
    while let Some(found) = text[from..].find('{') {
        let brace = from + found;
        // Only the line's beginning counts: a brace in a message of fio is no document. Behind another brace of its line it is not
        // there, so that no line is looked at twice.
        let line_start = text[from..brace].rfind('\n').map(|newline| from + newline + 1);
        let line_start = line_start.or((from == at).then_some(at));
        let is_first = line_start.is_some_and(|start| text[start..brace].trim().is_empty());
        if is_first || is_known(brace) {
            return Some(brace);
        }
        from = brace + 1;
    }
    None
}

struct Counter {
    nodes: Cell<usize>,
    decimals: Cell<u32>,
}

#[derive(Clone, Copy)]
struct NodeSeed<'c> {
    counter: &'c Counter,
}

impl<'de> DeserializeSeed<'de> for NodeSeed<'_> {
    type Value = Node<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node<'de>, D::Error> {
        let count = self.counter.nodes.get() + 1;
        if count > MOST_NODES {
            return Err(D::Error::custom(format!("there are more than {MOST_NODES} values")));
        }
        self.counter.nodes.set(count);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NodeSeed<'_> {
    type Value = Node<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, boolean: bool) -> Result<Node<'de>, E> {
        Ok(Node::Boolean(boolean))
    }

    // Only whole numbers that are not negative come here; negative ones go to `visit_i64` and are no counts.
    fn visit_u64<E>(self, whole: u64) -> Result<Node<'de>, E> {
        Ok(Node::Whole(whole))
    }

    fn visit_i64<E>(self, whole: i64) -> Result<Node<'de>, E> {
        Ok(Node::Number(whole as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node<'de>, E> {
        // The shortest form that reads back as the number. Zeros at its end are lost, but hardly those of all
        // numbers: the longest of the whole document tells how many decimals the tool printed.
        if self.counter.decimals.get() < 6 {
            let text = number.to_string();
            let decimals = text.split_once('.').map_or(0, |(_, behind)| behind.len());
            let decimals = u32::try_from(decimals).unwrap_or(u32::MAX).min(6);
            self.counter.decimals.set(self.counter.decimals.get().max(decimals));
        }
        Ok(Node::Number(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node<'de>, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key_seed(KeySeed)? {
            entries.push((key, map.next_value_seed(self)?));
        }
        Ok(Node::Map(entries))
    }
}

struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeySeed {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_found_between_words_and_one_behind_the_other() {
        let (found, broken) =
            documents("fio: a {word}\n{\"a\": 1.25}{\"b\": [2]}\nbye {\"c\": 3}\n  {\"d\": 4}\n", "a");
        let keys: Vec<(usize, &str)> =
            found.iter().map(|one| (one.line, one.node.entries()[0].0.as_ref())).collect();
        assert_eq!(keys, [(2, "a"), (2, "b"), (4, "d")]);
        assert!(broken.is_empty(), "{broken:?}");
        assert_eq!(found[0].decimals, 2);
    }

    #[test]
    fn a_broken_document_is_told_with_its_place_and_the_next_one_is_found() {
        let (found, broken) = documents("{\"a\": 1,\n  \"b\": x}\n{\"c\": 3}\n{\"d\": [1, 2", "x");
        assert_eq!(found.len(), 1);
        assert_eq!((broken[0].line, broken[0].column, broken[0].is_cut_off), (2, 8, false), "{broken:?}");
        assert!(broken[1].is_cut_off && broken[1].line == 4, "{broken:?}");
    }

    #[test]
    fn a_key_that_stands_twice_is_told_with_its_path() {
        let (found, _) = documents("{\"jobs\": [{\"a\": 1, \"a\": 2}], \"b\": {\"c\": 0, \"c\": 0}}", "x");
        assert_eq!(found[0].node.keys_twice(), ["jobs[0].a", "b.c"]);
        assert_eq!(found[0].node.get("jobs").unwrap().items()[0].get("a"), Some(&Node::Whole(1)));
    }

    #[test]
    fn depth_is_limited_and_so_is_the_number_of_values() {
        let deep = format!("{{\"a\":{}", "[".repeat(10_000));
        let (found, broken) = documents(&deep, "x");
        assert!(found.is_empty() && broken[0].message.contains("recursion limit"), "{broken:?}");
        let many = format!("{{\"a\":[{}0]}}", "0,".repeat(MOST_NODES));
        let (found, broken) = documents(&many, "x");
        assert!(
            found.is_empty() && broken[0].message.contains("more than 3000000 values"),
            "{:?}",
            broken[0]
        );
    }
}
