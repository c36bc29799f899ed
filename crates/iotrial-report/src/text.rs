//! Text from other people's files: it may contain characters that control a terminal or the direction of text, and have any length.

use iotrial_model::foreign_text::is_hidden;

/// The text with each such character, and each invisible one, replaced by U+FFFD. Line breaks and tabs stay.
// One for one, and not the escape that a terminal shows: cells and headings have a longest length.
pub(crate) fn without_steering(text: &str) -> String {
    let is_replaced = |c: char| is_hidden(c) && !matches!(c, '\n' | '\r' | '\t');
    text.chars().map(|c| if is_replaced(c) { '\u{fffd}' } else { c }).collect()
}

/// The text, cut to at most `longest` characters; an ellipsis at the end says that there was more.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    text.chars().take(longest - 1).chain(['…']).collect()
}

/// Units that stay on the line of their number.
const UNITS: [&str; 13] =
    ["%", "ns", "µs", "ms", "s", "min", "h", "IOPS", "MiB/s", "KiB", "MiB", "GiB", "TiB"];

/// Whether a word, with the punctuation behind it, is a unit of the number before it.
pub(crate) fn is_unit(word: &str) -> bool {
    UNITS.contains(&word.trim_end_matches(['.', ',', ';', ':', ')']))
}

/// The words of a text; a number and its unit are one.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match words.last_mut().filter(|last| is_unit(word) && last.ends_with(|c: char| c.is_ascii_digit())) {
            Some(number) => *number = format!("{number} {word}"),
            None => words.push(word.to_owned()),
        }
    }
    words
}

/// Lines of at most `width` characters, broken between words where there is a place for it.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut line_width = 0;
    for word in words(text) {
        let letters: Vec<char> = word.chars().collect();
        for (index, piece) in letters.chunks(width).enumerate() {
            let space = usize::from(index == 0 && line_width > 0);
            if line_width + space + piece.len() > width || index > 0 {
                lines.push(std::mem::take(&mut line));
                line_width = 0;
            } else if space > 0 {
                line.push(' ');
                line_width += 1;
            }
            line.extend(piece);
            line_width += piece.len();
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_broken_between_words_and_only_words_that_are_too_long_within() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a abcdefghij z", 4), ["a", "abcd", "efgh", "ij z"]);
        assert_eq!(wrap("", 7), [""]);
        assert_eq!(wrap("more by 3.4 %, and 12 µs", 12), ["more by", "3.4 %, and", "12 µs"]);
    }

    #[test]
    fn escapes_and_turns_of_direction_are_replaced_and_other_text_is_left_alone() {
        assert_eq!(without_steering("a\u{1b}[31m\u{202e}b\u{9b}"), "a\u{fffd}[31m\u{fffd}b\u{fffd}");
        assert_eq!(without_steering("µs – 数据\n\tx"), "µs – 数据\n\tx");
    }
}
