//! Every page is there, and every page can be read on every terminal.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::*;

#[test]
fn every_page_is_there_but_those_about_building_iotrial() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.filter_map(|name| Some(name.to_str()?.strip_suffix(".md")?.to_owned()));
    let mut names: Vec<String> =
        names.filter(|name| name != "architecture" && name != "benchmarks").collect();
    let mut known: Vec<&str> = PAGES.iter().map(|page| page.name).collect();
    names.sort_unstable();
    known.sort_unstable();
    assert_eq!(names, known);
}

/// The text of a page and its code blocks, without any marks.
fn parts_of(page: &Page) -> (String, Vec<String>) {
    let (mut text, mut blocks, mut in_block) = (String::new(), Vec::new(), false);
    let mut address = String::new();
    for event in Parser::new_ext(page.text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => {
                in_block = true;
                blocks.push(String::new());
            }
            Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock) => in_block = false,
            Event::Start(Tag::Link { dest_url, .. }) => address = dest_url.to_string(),
            // What is shown in its place is tried below.
            Event::Text(part) if *part == *address => {}
            Event::Text(part) | Event::Html(part) if in_block => blocks.last_mut().unwrap().push_str(&part),
            Event::Text(part) | Event::Code(part) | Event::InlineHtml(part) | Event::Html(part) => {
                text.push_str(&part);
            }
            _ => {}
        }
    }
    (text, blocks)
}

/// How often each character occurs that is no space: wrapped cells stand side by side, and words in another order.
fn counted(text: &str) -> BTreeMap<char, usize> {
    let mut counts = BTreeMap::new();
    text.chars().filter(|c| !c.is_whitespace()).for_each(|c| *counts.entry(c).or_default() += 1);
    counts
}

const WIDTHS: [usize; 3] = [40, 80, 140];

#[test]
fn no_line_of_a_page_is_wider_than_the_terminal_but_code_and_single_words() {
    for page in &PAGES {
        let (_, blocks) = parts_of(page);
        let code = blocks.iter().flat_map(|block| block.lines()).map(str::trim_end);
        let code: Vec<&str> = code.filter(|line| !line.is_empty()).collect();
        for width in WIDTHS {
            for line in page.rendered(PageStyle { width, color: false }).lines() {
                let inside = line.trim_start_matches("│ ");
                let is_code = inside.starts_with("    ") && code.iter().any(|one| line.ends_with(one));
                let is_word = inside.trim().trim_start_matches("• ").split_whitespace().count() == 1;
                let is_narrow = console::measure_text_width(line) <= width;
                assert!(is_narrow || is_code || is_word, "{} at {width}: {line}", page.name);
            }
        }
    }
}

#[test]
fn nothing_of_a_page_is_lost_at_any_width() {
    for page in &PAGES {
        let (text, blocks) = parts_of(page);
        let wanted = counted(&(text + &blocks.concat()));
        for width in WIDTHS {
            let shown = page.rendered(PageStyle { width, color: false });
            let found = counted(&shown);
            for (c, count) in &wanted {
                let has = found.get(c).copied().unwrap_or(0);
                assert!(has >= *count, "{} at {width}: `{c}` {has} times of {count}", page.name);
            }
            for line in blocks.iter().flat_map(|block| block.lines()) {
                assert!(shown.contains(line.trim_end()), "{} at {width}: {line}", page.name);
            }
        }
    }
}

#[test]
fn colours_change_no_word() {
    for page in &PAGES {
        let shown = |color| page.rendered(PageStyle { width: 1000, color });
        let plain = console::strip_ansi_codes(&shown(true)).replace('`', "");
        let words =
            |text: &str| text.split_whitespace().map(|word| word.replace(['─', '═'], "")).collect::<String>();
        assert_eq!(words(&plain), words(&shown(false).replace('`', "")), "{}", page.name);
    }
}

#[test]
fn links_to_pages_name_the_command_and_no_path() {
    for page in &PAGES {
        let shown = page.rendered(PageStyle { width: 1000, color: false });
        assert!(!shown.contains("]("), "{}", page.name);
    }
    assert_eq!(command_of("study.md#raw-devices").as_deref(), Some("iotrial docs study"));
    assert_eq!(command_of("#here"), None);
    assert_eq!(command_of("architecture.md"), None);
}
