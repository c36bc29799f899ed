//! What the HTML file is and is not.

mod fixture;

use std::collections::BTreeSet;

use iotrial_model::record::RunRecord;
use iotrial_report::document::Document;
use iotrial_report::html::render_html;

fn page_of(record: &RunRecord) -> String {
    render_html(&Document::of_run(record, &fixture::summary(record))).expect("the template fits")
}

fn all_records() -> [RunRecord; 6] {
    [
        fixture::oltp(),
        fixture::oltp_of(30, 1_200),
        fixture::interrupted(),
        fixture::empty(),
        fixture::simulated(),
        fixture::hostile(),
    ]
}

/// Every tag with its attributes as written, `/` first where it closes.
fn tags(page: &str) -> Vec<&str> {
    let (before, rest) = page.split_once("<style>").expect("a page has a style sheet");
    let (_, after) = rest.split_once("</style>").expect("the style sheet ends");
    [before, after]
        .into_iter()
        .flat_map(|part| {
            part.split('<').skip(1).map(|tag| tag.split_once('>').expect("a `<` begins a tag").0)
        })
        .collect()
}

fn name(tag: &str) -> &str {
    tag.split([' ', '/', '\n']).find(|part| !part.is_empty()).unwrap_or_default()
}

#[test]
fn a_page_stays_below_one_mebibyte() {
    for record in all_records().iter().chain([&fixture::oltp_of(30, 300), &fixture::oltp_of(100, 500)]) {
        let size = page_of(record).len();
        assert!(size < 1 << 20, "{size} bytes for {} intervals", record.intervals.len());
    }
}

#[test]
fn tags_are_closed_in_the_order_in_which_they_were_opened() {
    const VOID: [&str; 2] = ["meta", "!doctype"];
    for record in all_records() {
        let page = page_of(&record);
        let mut open = Vec::new();
        for tag in tags(&page) {
            if let Some(closed) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(closed), "`</{closed}>`");
            } else if !VOID.contains(&name(tag)) && !tag.ends_with('/') {
                open.push(name(tag));
            }
        }
        assert_eq!(open, Vec::<&str>::new());
    }
}

#[test]
fn ids_are_unique_and_what_refers_to_them_finds_them() {
    for record in all_records() {
        let page = page_of(&record);
        let values = |key: &str| -> Vec<String> {
            let key = format!(" {key}=\"");
            let parts = page.split(key.as_str()).skip(1);
            parts.map(|part| part.split('"').next().unwrap_or_default().to_owned()).collect()
        };
        let ids = values("id");
        let unique: BTreeSet<&String> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len());
        for references in values("aria-labelledby") {
            assert!(references.split(' ').all(|id| unique.contains(&id.to_owned())), "{references}");
        }
    }
}

#[test]
fn nothing_is_loaded_and_nothing_runs() {
    let page = page_of(&fixture::hostile());
    for tag in tags(&page) {
        let forbidden =
            ["script", "img", "link", "iframe", "object", "embed", "base", "form", "use", "image", "a"];
        assert!(!forbidden.contains(&name(tag)), "<{tag}>");
        for attribute in [" src=", " href=", " style=", " on", " xlink"] {
            let outside_quotes: String = tag.split('"').step_by(2).collect();
            assert!(!outside_quotes.contains(attribute), "<{tag}>");
        }
    }
    let style = &page[page.find("<style>").unwrap()..page.find("</style>").unwrap()];
    assert!(!style.contains("url(") && !style.contains("@import"));
}

#[test]
fn the_policy_admits_one_style_sheet_by_its_hash_and_nothing_else() {
    let page = page_of(&fixture::oltp());
    let policy =
        page.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(page.find("Content-Security-Policy") < page.find("<style>"));
}

#[test]
fn text_from_files_stays_text() {
    let page = page_of(&fixture::hostile());
    assert!(!page.contains("<script") && !page.contains("<img"));
    assert!(page.contains("&lt;script&gt;alert(1)") && page.contains("{{ 7*7 }}"));
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
}

#[test]
fn the_verdict_comes_before_any_figure() {
    let page = page_of(&fixture::oltp());
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no `{text}`"));
    let order =
        ["<strong>not qualified", "id=\"findings\"", "id=\"throughput\"", "id=\"latency\"", "id=\"roles\""];
    assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])));
}

#[test]
fn every_interval_of_a_short_run_can_be_pointed_at() {
    let page = page_of(&fixture::oltp());
    assert!(page.contains("<title>17.5 s\ndata read: "), "no column for second 17");
}

#[test]
fn a_run_without_io_has_no_charts_and_no_number_that_is_none() {
    let page = page_of(&fixture::empty());
    assert!(!page.contains("<svg") && page.contains("–"));
    for record in all_records() {
        assert!(!page_of(&record).contains("NaN") && !page_of(&record).contains("inf "));
    }
}
