//! What Markdown and CSV hold, and what they keep out.

use crate::fixture;

use iotrial_model::record::RunRecord;
use iotrial_model::subject::Subject;
use iotrial_report::csv::render_csv;
use iotrial_report::document::Document;
use iotrial_report::markdown::render_markdown;
use iotrial_report::table::Value;

fn document_of(record: &RunRecord) -> Document {
    Document::of_result(&Subject::of_run(record), &fixture::summary(record))
}

fn all_documents() -> Vec<Document> {
    let records = [
        fixture::oltp(),
        fixture::interrupted(),
        fixture::empty(),
        fixture::simulated(),
        fixture::hostile(),
        fixture::formulas(),
    ];
    let mut documents: Vec<Document> = records.iter().map(document_of).collect();
    documents.push(fixture::document_of_several(&fixture::several()));
    documents.push(fixture::kinds());
    documents
}

/// The rows of the CSV, without the header.
fn rows(document: &Document) -> Vec<Vec<String>> {
    let text = render_csv(document).expect("it can be written");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let fields = |record: csv::StringRecord| record.iter().map(str::to_owned).collect();
    reader.records().map(|record| fields(record.expect("every row has as many fields"))).collect()
}

#[test]
fn markdown_has_verdict_findings_and_tables() {
    insta::assert_snapshot!(render_markdown(&document_of(&fixture::oltp())));
}

#[test]
fn markdown_of_several_runs_has_them_side_by_side_and_then_each() {
    let text = render_markdown(&fixture::document_of_several(&fixture::several()));
    let headings: Vec<&str> =
        text.lines().filter(|line| line.starts_with("# ") || line.starts_with("## ")).collect();
    assert_eq!(
        headings,
        [
            "# sqlserver-main: 2 configurations compared",
            "## Findings",
            "## Runs",
            "## Side by side",
            "## What each factor changes",
            "## Ranking",
            "## By role",
            "## Every change",
            "## 1 db-prod-07, three striped volumes",
            "## 2 db-prod-07, three striped volumes",
            "## 3 one volume"
        ]
    );
}

#[test]
fn every_row_of_a_markdown_table_has_as_many_cells_as_its_header() {
    for document in all_documents() {
        let text = render_markdown(&document);
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        let mut header = None;
        for line in text.lines() {
            if line.starts_with('|') {
                assert_eq!(cells(line), *header.get_or_insert(cells(line)), "{line}");
            } else {
                header = None;
            }
        }
    }
}

#[test]
fn names_from_files_are_no_markup() {
    for record in [fixture::hostile(), fixture::formulas()] {
        // What stands behind a backslash is text.
        let text = render_markdown(&document_of(&record)).replace("\\]", "");
        for markup in ["<script", "<img", "](http", "**bold**", "\u{1b}", "\u{202e}", "://evil"] {
            assert!(!text.contains(markup), "{markup}");
        }
    }
}

#[test]
fn csv_has_every_figure_of_the_tables_with_all_digits() {
    let document = document_of(&fixture::oltp());
    let rows = rows(&document);
    let table = document.tables().find(|table| table.at_a_glance).unwrap();
    for row in &table.rows {
        let Value::Text(role) = &row.cells[0] else { panic!("a label is text") };
        let Value::Text(stream) = &row.cells[1] else { panic!("a label is text") };
        let label = format!("{role}, {stream}");
        for (value, column) in row.cells.iter().zip(&table.columns).skip(2) {
            let Value::Number(number) = value else { continue };
            let figure = if column.group.is_empty() {
                column.name.to_string()
            } else {
                format!("{} {}", column.group, column.name)
            };
            let found = rows.iter().find(|one| one[1] == "By role" && one[3] == label && one[6] == figure);
            let found = found.unwrap_or_else(|| panic!("no {figure} of {label}"));
            assert_eq!(found[8].parse::<f64>().unwrap().to_bits(), number.to_bits());
            assert!(["IOPS", "MiB/s", "us"].contains(&found[7].as_str()), "{found:?}");
        }
    }
}

#[test]
fn csv_has_a_point_of_a_chart_in_each_row() {
    let rows = rows(&document_of(&fixture::oltp()));
    let points = rows.iter().filter(|row| row[6] == "p99 latency" && row[3] == "data read");
    assert_eq!(points.clone().count(), 35);
    assert!(points.clone().all(|row| row[5] == "s" && row[7] == "us" && row[4].parse::<f64>().is_ok()));
}

#[test]
fn csv_is_what_rfc_4180_says() {
    for document in all_documents() {
        let text = render_csv(&document).unwrap();
        assert!(text.ends_with("\r\n"));
        assert!(text.starts_with("run,section,table,row,at,at_unit,figure,unit,value\r\n"));
        assert!(rows(&document).iter().all(|row| row.len() == 9));
    }
}

#[test]
fn no_field_of_csv_is_a_formula_and_no_number_is_guarded() {
    for document in all_documents() {
        for row in rows(&document) {
            for field in &row {
                let looks_like_formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']);
                assert!(!looks_like_formula || field.parse::<f64>().is_ok(), "{field}");
            }
        }
    }
    let rows = rows(&document_of(&fixture::formulas()));
    assert!(rows.iter().any(|row| row[3].starts_with("'=cmd|")), "the name of a job");
}
