//! Charts as files: what programs need that know no page.

use std::collections::BTreeSet;

use iotrial_model::subject::Subject;
use iotrial_report::document::Document;
use iotrial_report::html::render_html;
use iotrial_report::svg_files::chart_files;

use crate::fixture;

fn documents() -> Vec<Document> {
    let of = |record| Document::of_result(&Subject::of_run(&record), &fixture::summary(&record));
    vec![
        of(fixture::oltp()),
        of(fixture::searched()),
        of(fixture::hostile()),
        fixture::comparison(),
        fixture::kinds(),
        fixture::document_of_several(&fixture::several()),
    ]
}

#[test]
fn each_chart_of_a_page_has_a_file_whose_name_is_its_own() {
    for document in documents() {
        let files = chart_files(&document);
        let names: BTreeSet<String> = files.iter().map(|file| file.name.to_lowercase()).collect();
        assert_eq!(names.len(), files.len());
        let on_page = render_html(&document).unwrap().matches("<svg class=\"chart\"").count();
        // A chart of the first view that stands in a section as well is one file.
        assert!(!files.is_empty() && files.len() <= on_page, "{} of {on_page}", files.len());
        for name in names {
            let stem = name.strip_suffix(".svg").unwrap();
            assert!(
                !stem.is_empty() && stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'),
                "{name}"
            );
        }
    }
}

#[test]
fn a_file_needs_nothing_but_itself_and_nothing_that_only_browsers_know() {
    for file in documents().iter().flat_map(chart_files) {
        let svg = &file.svg;
        assert!(
            svg.starts_with("<?xml version=\"1.0\"") && svg.contains("xmlns=\"http://www.w3.org/2000/svg\"")
        );
        for foreign in [
            "class=",
            "var(",
            "color-mix",
            "<style",
            "<script",
            "foreignObject",
            "href",
            "NaN",
            "paint-order",
            "rem\"",
        ] {
            assert!(!svg.contains(foreign), "{foreign} in {}", file.name);
        }
        // Well-formed: every tag is closed in its order, and there is one element around all.
        let mut open = Vec::new();
        for tag in svg.split('<').skip(2).map(|tag| tag.split('>').next().unwrap()) {
            let name = tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap();
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "{}", file.name);
            } else if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{open:?}");
        assert_eq!(svg.matches("<svg ").count(), 1);
        // Every drawn thing has a colour of its own: the default is black.
        for path in svg.split("<path ").skip(1).map(|path| path.split('>').next().unwrap()) {
            assert!(path.contains("fill=\"") || path.contains("stroke=\""), "{path} in {}", file.name);
        }
    }
}
