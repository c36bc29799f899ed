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
    fn escapes_and_turns_of_direction_are_replaced_and_other_text_is_left_alone() {
        assert_eq!(without_steering("a\u{1b}[31m\u{202e}b\u{9b}"), "a\u{fffd}[31m\u{fffd}b\u{fffd}");
        assert_eq!(without_steering("µs – 数据\n\tx"), "µs – 数据\n\tx");
    }
}
