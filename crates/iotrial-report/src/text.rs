//! Text from strangers' files: it may hold characters that steer a terminal or the direction of text, and have any length.

/// The text with each such character replaced by U+FFFD. Line breaks and tabs stay.
pub(crate) fn without_steering(text: &str) -> String {
    text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect()
}

/// At most so many characters; the last one says that there were more.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    text.chars().take(longest - 1).chain(['…']).collect()
}

/// Lines of at most `width` characters, broken between words where there is a place for it.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut line_width = 0;
    for word in text.split_whitespace() {
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

fn steers(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // No XML may hold these two.
    let is_no_character = matches!(c, '\u{fffe}' | '\u{ffff}');
    turns || is_no_character || (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_broken_between_words_and_only_words_that_are_too_long_within() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a abcdefghij z", 4), ["a", "abcd", "efgh", "ij z"]);
        assert_eq!(wrap("", 7), [""]);
    }

    #[test]
    fn escapes_and_turns_of_direction_are_replaced_and_other_text_is_left_alone() {
        assert_eq!(without_steering("a\u{1b}[31m\u{202e}b\u{9b}"), "a\u{fffd}[31m\u{fffd}b\u{fffd}");
        assert_eq!(without_steering("µs – 数据\n\tx"), "µs – 数据\n\tx");
    }
}
