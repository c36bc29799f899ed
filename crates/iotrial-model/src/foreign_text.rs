//! Text of strangers on its way to a person: names of files, values in them, arguments.
//!
//! It may hold characters that move the cursor of a terminal, colour it, set its title, turn the direction of the text round, or cannot
//! be seen at all. Everything that shows such text passes one of these functions; the last of them, [`harmless_lines`], stands where
//! the program prints, so that no message needs to think of it.

use std::borrow::Cow;

/// Whether a character does something else than to show itself: it steers a terminal, turns the direction of text, ends a line, or is
/// invisible.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Direction: marks, embeddings, overrides and isolates (Unicode Standard Annex #9).
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Separators of lines and paragraphs, which some terminals and spreadsheets take for a line break.
            | '\u{2028}' | '\u{2029}'
            // Without a width, or without ink: two texts that differ in them look the same (`Default_Ignorable_Code_Point` of the Unicode
            // Character Database, and the blank of Braille). The joiners U+200C and U+200D and the selectors U+FE00 to U+FE0F are not among
            // them: words of Persian and many signs are misspelt without.
            | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'
            | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            // Tags and further selectors: a whole alphabet that nothing shows.
            | '\u{e0000}'..='\u{e0fff}')
}

/// Text for one line: each hidden character becomes its escape, such as `\u{1b}`, and so does a line break.
pub fn harmless(text: &str) -> String {
    visible(text, is_hidden)
}

/// The same for text of several lines: line breaks and tabs stay.
pub fn harmless_lines(text: &str) -> String {
    visible(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

/// What a text holds that nobody sees, as its escape; `None` where all of it can be seen. For text that is refused instead of shown.
pub fn hidden_in(text: &str) -> Option<String> {
    text.chars().find(|c| is_hidden(*c)).map(|c| harmless(c.encode_utf8(&mut [0; 4])))
}

/// A list of what is wrong, the only error whose message may have several lines. A line break within one of them is escaped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(|line| harmless(line)).collect::<Vec<_>>().join("\n"))]
pub struct Listed(pub Vec<String>);

/// A JSON document with the same meaning, in which each hidden character is escaped. The line breaks of its layout stay.
pub fn harmless_json(document: &str) -> Cow<'_, str> {
    let is_raw = |c: char| is_hidden(c) && c != '\n';
    if !document.contains(is_raw) {
        return Cow::Borrowed(document);
    }
    let mut escaped = String::with_capacity(document.len());
    for c in document.chars() {
        if is_raw(c) {
            // As JSON escapes them: in units of 16 bits. Outside of a string there are none, so that nothing else is changed.
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}")));
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

fn visible(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        // Escaped and not left out: a text that is shorter than it was could become another name that exists.
        if is_escaped(c) { visible.extend(escape(c)) } else { visible.push(c) }
    }
    visible
}

/// `\n`, `\t` and `\r` as everybody writes them, and `\u{202e}` for the rest.
fn escape(c: char) -> std::char::EscapeDefault {
    c.escape_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_steer_a_terminal_or_hide_is_shown_as_its_escape() {
        assert_eq!(harmless("a\u{1b}[31m\u{7}b\u{9b}"), "a\\u{1b}[31m\\u{7}b\\u{9b}");
        assert_eq!(harmless("rm \u{202e}txt\u{2066}\u{200b}"), "rm \\u{202e}txt\\u{2066}\\u{200b}");
        assert_eq!(harmless("one\ntwo\r\t"), "one\\ntwo\\r\\t");
        for unseen in ["\u{ad}", "\u{3164}", "\u{2800}", "\u{ffa0}", "\u{180e}", "\u{e0101}", "\u{1d173}"] {
            assert!(hidden_in(unseen).is_some(), "{}", unseen.escape_unicode());
        }
        assert_eq!(harmless_lines("one\n\ttwo\r\u{85}"), "one\n\ttwo\\r\\u{85}");
        assert_eq!(harmless("µs – 数据, نمی\u{200c}خواهم"), "µs – 数据, نمی\u{200c}خواهم");
    }

    #[test]
    fn a_list_has_the_lines_that_are_its_own() {
        let list = Listed(vec!["no `a\nhint: run this\u{1b}`".to_owned(), "two".to_owned()]);
        assert_eq!(list.to_string(), "no `a\\nhint: run this\\u{1b}`\ntwo");
        assert_eq!(hidden_in("a\nb").as_deref(), Some("\\n"));
        assert_eq!(hidden_in("µs – 数据"), None);
    }

    #[test]
    fn a_json_document_keeps_its_meaning() {
        let value = serde_json::json!({ "a": "\u{1b}\u{9b}\u{202e}\u{e0041}\n\u{7f}", "µ": [1, 2] });
        let document = serde_json::to_string_pretty(&value).expect("plain data");
        let shown = harmless_json(&document);
        assert!(!shown.contains(|c| is_hidden(c) && c != '\n'), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).expect("it is JSON"), value);
        assert!(matches!(harmless_json("{\n  \"a\": 1\n}"), Cow::Borrowed(_)));
    }
}
