//! Words of a page, escaped: where a line may end within them, and where it may not.

use minijinja::HtmlEscape;

use crate::text::is_unit;

/// A name of more letters than this may be broken after a dot, a slash or an underscore.
// A choice: half a line of a phone's largest letters. Shorter names find room on the next line.
const LONGEST_WHOLE_NAME: usize = 12;
/// An option of more letters than this may be broken wherever a browser breaks a word.
// A phone has no room for more in one line.
const LONGEST_WHOLE_OPTION: usize = 24;
/// At least this many letters of a name stay together at its beginning and at its end.
// Browsers fill every line: «VM.» alone at the end of one is of no use.
const LEAST_PIECE: usize = 4;
/// Code of more letters than this is broken like other words.
const LONGEST_WHOLE_CODE: usize = 16;

/// A text for the page. Left alone, browsers break `--memory` after its hyphens and a long name in front of its last letter.
pub(super) fn breakable(text: &str) -> String {
    text.split_inclusive(char::is_whitespace).map(word).collect()
}

/// The same as code. Short code stays on one line.
pub(super) fn code(text: &str) -> String {
    match text.chars().count() <= LONGEST_WHOLE_CODE {
        true => format!(r#"<code class="whole">{}</code>"#, HtmlEscape(text)),
        false => format!("<code>{}</code>", breakable(text)),
    }
}

/// The page with each number and its unit on one line, but for what is copied as it is: code, and the style sheet.
///
/// Here and not where a text is escaped: numbers come into the page by many ways, and some of them in an element of their own.
pub(super) fn with_units_kept(page: &str) -> String {
    let mut kept = String::with_capacity(page.len() + page.len() / 64);
    let (mut verbatim, mut follows_digit) = (0_usize, false);
    for piece in page.split_inclusive('>') {
        let (text, tag) = piece.split_at(piece.find('<').unwrap_or(piece.len()));
        if verbatim > 0 {
            kept.push_str(text);
        } else {
            let mut words = text.split(' ').peekable();
            while let Some(word) = words.next() {
                kept.push_str(word);
                follows_digit = word.chars().next_back().map_or(follows_digit, |last| last.is_ascii_digit());
                if let Some(next) = words.peek() {
                    // A slash is escaped.
                    let is_unit = is_unit(&next.lines().next().unwrap_or_default().replace("&#x2f;", "/"));
                    kept.push(if follows_digit && is_unit { '\u{a0}' } else { ' ' });
                    follows_digit &= is_unit;
                }
            }
        }
        kept.push_str(tag);
        let name: &str = tag.trim_start_matches(['<', '/']).split([' ', '>']).next().unwrap_or_default();
        if matches!(name, "code" | "pre" | "style") {
            verbatim = if tag.starts_with("</") { verbatim.saturating_sub(1) } else { verbatim + 1 };
        }
    }
    kept
}

/// One word, with the blank behind it if there is one.
fn word(word: &str) -> String {
    let bare = word.trim_end();
    let blank = &word[bare.len()..];
    let length = bare.chars().count();
    if is_option(bare) && length <= LONGEST_WHOLE_OPTION {
        return format!(r#"<span class="whole">{}</span>{}"#, HtmlEscape(bare), HtmlEscape(blank));
    }
    if length <= LONGEST_WHOLE_NAME {
        return HtmlEscape(word).to_string();
    }
    let letters: Vec<char> = bare.chars().collect();
    let mut broken = String::new();
    let mut piece = String::new();
    for (at, letter) in letters.iter().enumerate() {
        piece.push(*letter);
        let next = letters.get(at + 1);
        let is_inside = at + 1 >= LEAST_PIECE && letters.len() - at > LEAST_PIECE;
        // Not within `://` or `..`, not in front of a comma, and no number is taken apart.
        let goes_on = next.is_some_and(|next| next.is_alphanumeric());
        let is_number = *letter == '.'
            && next.is_some_and(char::is_ascii_digit)
            && at.checked_sub(1).is_some_and(|before| letters[before].is_ascii_digit());
        if matches!(letter, '.' | '/' | '_') && is_inside && goes_on && !is_number {
            broken.push_str(&HtmlEscape(&std::mem::take(&mut piece)).to_string());
            broken.push_str("<wbr>");
        }
    }
    broken + &HtmlEscape(&piece).to_string() + &HtmlEscape(blank).to_string()
}

/// Whether a word is an option, such as `--memory` or `-j`, perhaps in a bracket.
fn is_option(word: &str) -> bool {
    let word = word.trim_start_matches(['(', '«', '"']);
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_its_unit_stay_on_one_line_and_code_stays_as_it_is() {
        let check =
            |page: &str, expected: &str| assert_eq!(with_units_kept(page).replace('\u{a0}', "_"), expected);
        check("<p>at 25 % or 3 MiB&#x2f;s, 12 I&#x2f;Os</p>", "<p>at 25_% or 3_MiB&#x2f;s, 12 I&#x2f;Os</p>");
        check("<b>25</b> % of <i>it</i>", "<b>25</b>_% of <i>it</i>");
        check("<pre>a 25 %</pre><code>5 s</code> 5 s.", "<pre>a 25 %</pre><code>5 s</code> 5_s.");
        check("2 min 5 s", "2_min 5_s");
        check("% s", "% s");
    }

    #[test]
    fn a_long_name_may_be_broken_after_its_dots_slashes_and_underscores_only() {
        assert_eq!(breakable("VM.Standard.E4.Flex"), "VM.Standard.<wbr>E4.<wbr>Flex");
        assert_eq!(breakable("Standard_E2bs_v5, and"), "Standard_<wbr>E2bs_v5, and");
        assert_eq!(breakable("r8gb.large a/b 12_345"), "r8gb.large a&#x2f;b 12_345");
        assert_eq!(breakable("of 1,234,567,890.25 ms..."), "of 1,234,567,890.25 ms...");
        assert_eq!(breakable("/mnt/database"), "&#x2f;mnt&#x2f;<wbr>database");
    }

    #[test]
    fn no_line_ends_within_an_option() {
        assert_eq!(
            breakable("; --memory 16GiB, -j"),
            "; <span class=\"whole\">--memory</span> 16GiB, <span class=\"whole\">-j</span>"
        );
        assert_eq!(breakable("a - b, -5 and –"), "a - b, -5 and –");
    }

    #[test]
    fn short_code_stays_on_one_line_and_long_code_is_broken_between_words() {
        assert_eq!(code("--vcpus N"), "<code class=\"whole\">--vcpus N</code>");
        assert_eq!(
            code("iotrial size --capacity 2TiB"),
            "<code>iotrial size <span class=\"whole\">--capacity</span> 2TiB</code>"
        );
    }

    #[test]
    fn whatever_is_broken_is_escaped() {
        assert_eq!(
            breakable("<script>.x.y</script>"),
            "&lt;script&gt;.<wbr>x.<wbr>y&lt;&#x2f;<wbr>script&gt;"
        );
        assert!(!code("<b>").contains("<b>"));
    }
}
