//! Small pages of every kind of block. That all pages of the documentation fit is held where they are (`docs.rs`).

use super::*;

#[track_caller]
fn check(width: usize, markdown: &str, expected: &str) {
    let target = |address: &str| address.ends_with(".md").then(|| format!("see {address}"));
    assert_eq!(render(markdown, PageStyle { width, color: false }, target), expected);
}

#[test]
fn headings_are_underlined_and_prose_is_wrapped() {
    check(
        24,
        "# Title\n\nOne two three four\nfive *six* `seven`.",
        "Title\n═════\n\nOne two three four five\nsix `seven`.\n",
    );
}

#[test]
fn lists_keep_their_marks_and_wrapped_lines_stand_below_the_text() {
    check(24, "1. one two three four five\n2. b\n", "1. one two three four\n   five\n2. b\n");
    check(40, "- a\n\n  b\n- c\n  - d", "• a\n\n  b\n\n• c\n\n  • d\n");
}

#[test]
fn code_blocks_stay_word_for_word_however_long_their_lines_are() {
    let code = "    iotrial run   --target /mnt/a # a comment behind it\n\n    done\n";
    check(20, "```console\niotrial run   --target /mnt/a # a comment behind it\n\ndone\n```", code);
}

#[test]
fn a_table_is_fitted_to_the_width_and_is_a_list_where_it_is_too_narrow() {
    let table =
        "| key | meaning |\n| --- | --- |\n| `a` | one two three four five six |\n| `b` | [x](y.md) |\n";
    check(
        60,
        table,
        "key  meaning\n───  ───────────────────────────\n`a`  one two three four five six\n`b`  x (see y.md)\n",
    );
    check(
        24,
        table,
        "key  meaning\n───  ───────────────────\n`a`  one two three four\n     five six\n`b`  x (see y.md)\n",
    );
    let wide =
        "| first | second | third |\n| --- | --- | ---: |\n| alphabetical | beta | gamma-delta-epsilon |\n";
    check(20, wide, "first:\n  alphabetical\n  second: beta\n  third:\n    gamma-delta-epsi\n    lon\n");
}

#[test]
fn numbers_are_flush_right() {
    check(40, "| a | n |\n| --- | ---: |\n| x | 5 |\n| y | 100 |\n", "a    n\n─  ───\nx    5\ny  100\n");
}

#[test]
fn quotes_have_a_bar_and_links_say_where_they_lead() {
    check(60, "(see [that.md](that.md)), [a b](c.md).", "(see see that.md), a b (see c.md).\n");
    check(
        60,
        "> see [that](that.md) and [this](#below)\n>\n> b",
        "│ see that (see that.md) and this\n│\n│ b\n",
    );
}

#[test]
fn colours_take_the_place_of_the_marks_of_code() {
    let style = PageStyle { width: 40, color: true };
    assert_eq!(render("a `b` **c**", style, |_| None), "a \x1b[36mb\x1b[0m \x1b[1mc\x1b[0m\n");
}
