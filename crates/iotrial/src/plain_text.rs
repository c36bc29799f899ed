//! Symbols of our own for terminals whose locale has no UTF-8.
//!
//! Each becomes ASCII of the same width, so that tables stay aligned, except for signs whose meaning would be lost (≤, ≥, ±). Letters of other
//! languages stay as they are: a terminal that shows names and paths showed them before. What is no terminal gets UTF-8: it may become a
//! file, or be read by a program.

use std::borrow::Cow;
use std::sync::LazyLock;

/// What stands for each symbol that people are shown.
const IN_ASCII: [(char, &str); 42] = [
    ('✓', "+"),
    ('✗', "x"),
    ('≈', "~"),
    ('•', "*"),
    ('·', "."),
    ('–', "-"),
    ('—', "-"),
    ('−', "-"),
    ('‑', "-"),
    ('─', "-"),
    ('━', "="),
    ('═', "="),
    ('╸', "="),
    ('│', "|"),
    ('├', "|"),
    ('└', "`"),
    ('→', ">"),
    ('←', "<"),
    ('›', ">"),
    ('≤', "<="),
    ('≥', ">="),
    ('±', "+-"),
    ('×', "x"),
    ('µ', "u"),
    ('²', "2"),
    ('₀', "0"),
    ('σ', "s"),
    ('κ', "k"),
    ('“', "\""),
    ('”', "\""),
    ('’', "'"),
    ('…', "."),
    ('€', "E"),
    ('▁', "_"),
    ('▂', "_"),
    ('▃', "."),
    ('▄', "-"),
    ('▅', "-"),
    ('▆', "="),
    ('▇', "="),
    ('█', "#"),
    ('\u{a0}', " "),
];

/// Whether the locale of this process has characters beyond ASCII.
static HAS_UTF8: LazyLock<bool> = LazyLock::new(|| {
    has_utf8(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
});

/// The text as it can be shown.
pub fn for_this_locale(text: &str, is_terminal: bool) -> Cow<'_, str> {
    if !is_terminal || *HAS_UTF8 { Cow::Borrowed(text) } else { in_ascii(text) }
}

/// By the variables of POSIX, the first one that is set; without any of them, as in most containers, terminals show UTF-8 today.
fn has_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let given = |name| variable(name).filter(|value: &String| !value.is_empty());
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(given);
    set.is_none_or(|value| {
        let value = value.to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}

fn in_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for symbol in text.chars() {
        match IN_ASCII.iter().find(|(known, _)| *known == symbol) {
            Some((_, ascii)) => plain.push_str(ascii),
            None => plain.push(symbol),
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides_and_without_any_there_is_utf8() {
        fn check(variables: &[(&str, &str)], expected: bool) {
            let found = has_utf8(|name| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            });
            assert_eq!(found, expected, "{variables:?}");
        }
        check(&[], true);
        check(&[("LANG", "de_DE.UTF-8")], true);
        check(&[("LANG", "C.utf8")], true);
        check(&[("LC_ALL", "C")], false);
        check(&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")], false);
        check(&[("LC_ALL", ""), ("LC_CTYPE", "en_US.UTF-8"), ("LANG", "C")], true);
        check(&[("LANG", "en_US.ISO-8859-1")], false);
    }

    #[test]
    fn symbols_become_ascii_of_the_same_width_and_names_stay() {
        let shown = "✓ 1 → 2: 3 µs ≈ 4 %, “a” … ─ Müller 数据";
        let plain = in_ascii(shown);
        assert_eq!(plain, "+ 1 > 2: 3 us ~ 4 %, \"a\" . - Müller 数据");
        assert_eq!(console::measure_text_width(&plain), console::measure_text_width(shown));
        assert_eq!(in_ascii("≥ 1, ≤ 2"), ">= 1, <= 2");
        assert!(IN_ASCII.iter().all(|(_, plain)| plain.is_ascii()));
    }
}
