//! What a workbook holds, read back by another library and as the XML that Excel reads.

use crate::fixture;

use std::collections::BTreeSet;
use std::io::{Cursor, Read};

use calamine::{Data, Range, Reader, Xlsx, open_workbook_from_rs};
use iotrial_model::record::RunRecord;
use iotrial_model::subject::Subject;
use iotrial_report::document::Document;
use iotrial_report::html::render_html;
use iotrial_report::xlsx::render_xlsx;

fn document_of(record: &RunRecord) -> Document {
    Document::of_result(&Subject::of_run(record), &fixture::summary(record))
}

fn open(document: &Document) -> Xlsx<Cursor<Vec<u8>>> {
    let bytes = render_xlsx(document).expect("it fits into a workbook");
    open_workbook_from_rs(Cursor::new(bytes)).expect("calamine reads it")
}

fn sheet(document: &Document, name: &str) -> Range<Data> {
    open(document).worksheet_range(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// All parts of the file with their text.
fn parts(document: &Document) -> Vec<(String, String)> {
    let bytes = render_xlsx(document).expect("it fits into a workbook");
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("a workbook is an archive");
    let count = archive.len();
    let read = |index: usize| {
        let mut file = archive.by_index(index).expect("a part");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("parts are text");
        (file.name().expect("a name in UTF-8").into_owned(), text)
    };
    (0..count).map(read).collect()
}

/// The rows of the first table of a section of the page: the text of every number.
fn numbers_of_page(page: &str, section: &str) -> Vec<Vec<String>> {
    let section = page.split(&format!("<section id=\"{section}\"")).nth(1).expect("the section");
    let body = section.split("<tbody>").nth(1).expect("a table").split("</tbody>").next().unwrap_or_default();
    let cells = |row: &str| -> Vec<String> {
        let cells = row.split("<td class=\"number\">").skip(1);
        cells.map(|cell| cell.split('<').next().unwrap_or_default().to_owned()).collect()
    };
    body.split("<tr").skip(1).map(cells).collect()
}

/// `12,345.60` has two decimals.
fn decimals(text: &str) -> usize {
    text.split_once('.').map_or(0, |(_, fraction)| fraction.len())
}

#[test]
fn a_workbook_shows_the_figures_of_the_page_as_real_numbers() {
    let document = document_of(&fixture::oltp());
    let page = render_html(&document).unwrap();
    for (id, name) in [("roles", "By role"), ("jobs", "By job"), ("judged", "Judged figures")] {
        let shown = numbers_of_page(&page, id);
        let range = sheet(&document, name);
        let numbers = |row: &[Data]| -> Vec<f64> {
            row.iter()
                .filter_map(|cell| if let Data::Float(number) = cell { Some(*number) } else { None })
                .collect()
        };
        let stored: Vec<Vec<f64>> = range.rows().map(numbers).filter(|row| !row.is_empty()).collect();
        assert_eq!(stored.len(), shown.len(), "{name}");
        for (stored, shown) in stored.iter().zip(&shown) {
            let shown: Vec<&String> = shown.iter().filter(|text| *text != "–").collect();
            assert_eq!(stored.len(), shown.len(), "{name}");
            for (number, text) in stored.iter().zip(shown) {
                assert_eq!(format!("{number:.*}", decimals(text)), text.replace(',', ""), "{name}");
            }
        }
    }
}

#[test]
fn a_header_says_the_unit() {
    let document = document_of(&fixture::oltp());
    let range = sheet(&document, "By role");
    let headers = range.rows().find(|row| row[0] == Data::String("role".into())).expect("the row of headers");
    let headers: Vec<String> = headers.iter().map(ToString::to_string).collect();
    assert_eq!(headers[..6], ["role", "stream", "IOPS", "MiB/s", "lat mean, ms", "lat p50, ms"]);
}

#[test]
fn every_part_of_the_document_has_a_sheet() {
    let names = open(&document_of(&fixture::oltp())).sheet_names();
    let expected = [
        "Summary",
        "Findings",
        "Throughput over time",
        "Latency over time",
        "Latency spread over time",
        "Latency distribution",
        "By role",
        "Judged figures",
        "By job",
        "Suggested settings",
        "Host",
        "Targets",
        "Settings",
        "Profile",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_search_and_a_comparison_have_native_charts_over_real_numbers() {
    let searched = sheet(&document_of(&fixture::searched()), "Highest rate");
    let has = |range: &Range<Data>, number: f64| {
        range.rows().flatten().any(|cell| matches!(cell, Data::Float(found) if (found - number).abs() < 1e-9))
    };
    assert!(has(&searched, 36_000.0) && (has(&searched, 2.6) || has(&searched, 260.0)));

    let document = fixture::comparison();
    let parts = parts(&document);
    let charts: Vec<&String> =
        parts.iter().filter(|(name, _)| name.starts_with("xl/charts/chart")).map(|(_, text)| text).collect();
    // Five figures side by side and again by role, the changes of reads, writes and commits, and three streams by percentile.
    assert_eq!(charts.len(), 5 + 5 + 3 + 3);
    // Of such short runs p99.9 has no interval, neither side by side nor by role.
    assert_eq!(charts.iter().filter(|chart| chart.contains("<c:errBars>")).count(), 5 + 5 + 3 - 2);
    let names = open(&document).sheet_names();
    let named = |begin: &str| names.iter().find(|name| name.starts_with(begin));
    let bars = named("Throughput and latency").unwrap_or_else(|| panic!("{names:?}"));
    assert!(sheet(&document, bars).rows().any(|row| row[0] == Data::String("read".into())));
    assert!(named("Latency spread").is_some(), "{names:?}");
}

#[test]
fn charts_are_native_and_refer_to_the_numbers_on_their_sheet() {
    let parts = parts(&document_of(&fixture::oltp()));
    let charts: Vec<&(String, String)> =
        parts.iter().filter(|(name, _)| name.starts_with("xl/charts/chart")).collect();
    assert_eq!(charts.len(), 6);
    let iops = &charts[0].1;
    assert!(iops.contains("scatterChart") && iops.contains("'Throughput over time'!$B$"), "{iops}");
    let curve = &charts[4].1;
    assert!(curve.contains("<c:logBase val=\"10\"/>") && curve.contains("maxMin"), "{curve}");
}

#[test]
fn a_second_without_latency_is_an_empty_cell_and_not_zero() {
    let mut record = fixture::oltp();
    record.intervals[10].jobs.iter_mut().for_each(|job| job.read = None);
    let range = sheet(&document_of(&record), "Latency over time");
    let second = range.rows().find(|row| row[0] == Data::Float(10.5)).expect("the row of second 10");
    assert_eq!(second[1], Data::Empty);
    assert!(matches!(second[2], Data::Float(_)));
}

#[test]
fn a_heat_map_is_a_grid_of_shares() {
    let range = sheet(&document_of(&fixture::oltp()), "Latency spread over time");
    let column = |column: usize| -> f64 {
        let rows = range.rows().skip_while(|row| row[0] != Data::String("up to, ms".into())).skip(1);
        let below_first_map = rows.take_while(|row| matches!(row[0], Data::Float(_)));
        below_first_map
            .filter_map(|row| if let Data::Float(share) = row[column] { Some(share) } else { None })
            .sum()
    };
    for second in 1..=35 {
        assert!((column(second) - 100.0).abs() < 1e-6, "column {second}: {}", column(second));
    }
}

#[test]
fn error_bars_and_fits_are_native_too() {
    let parts = parts(&fixture::kinds());
    let chart = |number: usize| {
        &parts.iter().find(|(name, _)| name.ends_with(&format!("chart{number}.xml"))).unwrap().1
    };
    assert!(chart(1).contains("<c:errBars>") && chart(1).contains("barChart"));
    assert!(chart(2).contains("<c:logBase val=\"2\"/>") && chart(2).contains("<c:symbol val=\"circle\"/>"));
}

#[test]
fn text_is_never_a_formula() {
    for document in [
        document_of(&fixture::formulas()),
        document_of(&fixture::hostile()),
        fixture::document_of_several(&[fixture::formulas(), fixture::hostile()]),
        fixture::kinds(),
    ] {
        for (name, text) in parts(&document) {
            let is_sheet = name.starts_with("xl/worksheets/sheet");
            assert!(!is_sheet || !text.contains("<f>") && !text.contains("<f "), "{name}");
            assert!(!text.contains("hyperlink") || !is_sheet, "{name}");
        }
    }
    let range = sheet(&document_of(&fixture::formulas()), "Summary");
    assert!(range.get_value((0, 0)).unwrap().to_string().starts_with("=HYPERLINK("));
}

#[test]
fn text_that_looks_like_a_formula_is_marked_as_text() {
    let parts = parts(&document_of(&fixture::formulas()));
    let styles = &parts.iter().find(|(name, _)| name == "xl/styles.xml").unwrap().1;
    assert!(styles.contains("quotePrefix=\"1\""), "{styles}");
}

#[test]
fn every_part_is_xml_without_forbidden_characters() {
    for document in [document_of(&fixture::formulas()), document_of(&fixture::hostile())] {
        for (name, text) in parts(&document) {
            let forbidden = |c: &char| {
                (c.is_control() && !matches!(c, '\n' | '\r' | '\t')) || matches!(c, '\u{fffe}' | '\u{ffff}')
            };
            assert_eq!(text.chars().find(forbidden), None, "{name}");
        }
    }
}

#[test]
fn the_same_document_gives_the_same_bytes() {
    let document = document_of(&fixture::oltp());
    assert_eq!(render_xlsx(&document).unwrap(), render_xlsx(&document).unwrap());
}

#[test]
fn runs_that_were_interrupted_or_never_measured_have_a_workbook() {
    for record in [fixture::interrupted(), fixture::empty(), fixture::simulated()] {
        let names = open(&document_of(&record)).sheet_names();
        assert_eq!(names[0], "Summary");
    }
    let names = open(&document_of(&fixture::empty())).sheet_names();
    assert!(!names.contains(&"By role".to_owned()), "{names:?}");
}

#[test]
fn each_run_of_several_has_its_own_sheets() {
    let document = fixture::document_of_several(&fixture::several());
    let names = open(&document).sheet_names();
    for name in
        ["Side by side", "Every change", "Runs over time", "1 By role", "one volume By role", "2 Summary"]
    {
        assert!(names.contains(&name.to_owned()), "{name} is not among {names:?}");
    }
}

/// The ends of the axis of values of each chart of bars.
fn ends_of_bars(parts: &[(String, String)]) -> Vec<(f64, f64)> {
    let number = |text: &str, name: &str| -> f64 {
        let text = text.split(&format!("<c:{name} val=\"")).nth(1).unwrap_or_else(|| panic!("no {name}"));
        text.split('"').next().and_then(|number| number.parse().ok()).expect("a number")
    };
    let bars = parts.iter().filter(|(_, text)| text.contains("<c:barChart>"));
    bars.map(|(_, text)| text.split("<c:valAx>").nth(1).expect("an axis of values"))
        .map(|axis| (number(axis, "min"), number(axis, "max")))
        .collect()
}

#[test]
fn bars_begin_at_zero_and_error_bars_end_in_the_plot() {
    let document = fixture::comparison();
    let all = parts(&document);
    let ends = ends_of_bars(&all);
    assert!(!ends.is_empty() && ends.iter().all(|(least, most)| *least <= 0.0 && *most > 0.0), "{ends:?}");
    // Side by side nothing is below zero.
    assert!(ends[..5].iter().all(|(least, _)| *least == 0.0), "{ends:?}");
    let range = sheet(&document, "Throughput and latency");
    let mut checked = 0;
    let mut drawn: Vec<usize> = Vec::new();
    for row in range.rows() {
        if row.iter().any(|cell| cell == &Data::String("drawn up by".into())) {
            drawn = (0..row.len()).filter(|at| row[*at] == Data::String("drawn up by".into())).collect();
            continue;
        }
        for at in &drawn {
            // The value is four columns before: value, low end, high end, drawn down by, drawn up by.
            if let (Some(Data::Float(value)), Some(Data::Float(up))) = (row.get(at - 4), row.get(*at)) {
                let most = ends[..5].iter().map(|(_, most)| *most).fold(0.0, f64::max);
                assert!(value + up <= most + 1e-9, "{value} + {up} is beyond {most}");
                checked += 1;
            }
        }
    }
    assert!(checked > 0);
}

#[test]
fn a_table_keeps_its_headers_in_sight_and_can_be_filtered() {
    let all = parts(&document_of(&fixture::oltp()));
    let sheets: Vec<&String> = all
        .iter()
        .filter(|(name, _)| name.starts_with("xl/worksheets/sheet"))
        .map(|(_, text)| text)
        .collect();
    let with = |word: &str| sheets.iter().filter(|text| text.contains(word)).count();
    assert!(with("<pane ") >= 4, "{}", with("<pane "));
    assert!(with("<autoFilter ") >= 2, "{}", with("<autoFilter "));
}

#[test]
fn a_paragraph_is_one_cell() {
    let document = fixture::comparison();
    let changes = document.sections.iter().find(|section| section.id == "changes").expect("changes");
    let note = changes.note.clone().expect("how to read them");
    assert!(note.len() > 110);
    let range = sheet(&document, "Every change");
    assert!(range.rows().any(|row| row[0] == Data::String(note.clone())), "{note}");
}

#[test]
fn limits_are_named_in_the_legend_and_differ_in_how_their_lines_are_broken() {
    let all = parts(&document_of(&fixture::oltp()));
    let with_limits: Vec<&String> = all
        .iter()
        .filter(|(name, text)| name.starts_with("xl/charts/chart") && text.contains("\"sysDot\""))
        .map(|(_, text)| text)
        .collect();
    assert!(!with_limits.is_empty());
    for chart in with_limits {
        // Labels would lie over each other.
        assert!(!chart.contains("<c:dLbls>") && !chart.contains("<c:legendEntry>"), "{chart}");
        assert!(chart.contains("<c:legendPos val=\"r\"/>"), "{chart}");
    }
    let range = sheet(&document_of(&fixture::oltp()), "Latency over time");
    let names = range.rows().flatten().map(ToString::to_string);
    assert!(names.into_iter().any(|name| name.starts_with("limit 5 ms: ")));
}

/// A sheet as Excel reads it.
fn sheet_text(document: &Document, name: &str) -> String {
    let at = open(document).sheet_names().iter().position(|one| one == name).expect("the sheet") + 1;
    let path = format!("xl/worksheets/sheet{at}.xml");
    parts(document).into_iter().find(|(part, _)| *part == path).expect("its part").1
}

#[test]
fn a_message_has_a_wide_column_and_a_row_as_high_as_its_text() {
    let text = sheet_text(&document_of(&fixture::oltp()), "Findings");
    let columns = text.split("<cols>").nth(1).unwrap().split("</cols>").next().unwrap();
    let message = columns.split("<col ").find(|column| column.starts_with("min=\"5\"")).expect("the fifth");
    let width = message.split("width=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(width.parse::<f64>().unwrap() > 75.0, "{message}");
    assert!(text.contains("customHeight=\"1\""), "{text}");
}

#[test]
fn words_behind_a_number_do_not_touch_it() {
    let document = document_of(&fixture::oltp());
    let all = parts(&document);
    let styles = &all.iter().find(|(name, _)| name == "xl/styles.xml").unwrap().1;
    let cells = styles.split("<cellXfs").nth(1).unwrap();
    let formats: Vec<&str> = cells.split("<xf ").skip(1).collect();
    let judged = sheet_text(&document, "Judged figures");
    let row = judged.split("<row ").last().unwrap().split("</row>").next().unwrap();
    // The last cell is the category, behind the figure and its limit.
    let last = row.split("<c ").last().unwrap();
    let style: usize = last.split("s=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    // Without the alignment LibreOffice ignores the indent.
    let format = formats[style];
    assert!(format.contains("indent=\"1\"") && format.contains("horizontal=\"left\""), "{format}");
}

/// The styles of cells that are headers: only these have a line below them.
fn header_styles(styles: &str) -> BTreeSet<usize> {
    let list = |name: &str, item: &str| -> Vec<String> {
        let all =
            styles.split(&format!("<{name} ")).nth(1).unwrap().split(&format!("</{name}>")).next().unwrap();
        all.split(&format!("<{item}")).skip(1).map(str::to_owned).collect()
    };
    let has_line: Vec<bool> =
        list("borders", "border>").iter().map(|border| border.contains("<bottom style=")).collect();
    let border = |cell: &String| -> usize {
        cell.split("borderId=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    let cells = list("cellXfs", "xf ");
    (0..cells.len()).filter(|at| has_line[border(&cells[*at])]).collect()
}

#[test]
fn a_sheet_whose_headers_stay_in_sight_has_one_row_of_them() {
    let documents = [
        document_of(&fixture::oltp()),
        document_of(&fixture::searched()),
        fixture::comparison(),
        fixture::kinds(),
        fixture::document_of_several(&fixture::several()),
    ];
    let mut frozen_count = 0;
    for document in &documents {
        let parts = parts(document);
        let styles = header_styles(&parts.iter().find(|(name, _)| name == "xl/styles.xml").unwrap().1);
        for (name, sheet) in parts.iter().filter(|(name, _)| name.starts_with("xl/worksheets/sheet")) {
            let row_of = |cell: &str| -> String { cell.chars().filter(char::is_ascii_digit).collect() };
            let style = |cell: &str| cell.split(" s=\"").nth(1)?.split('"').next()?.parse::<usize>().ok();
            let cells = sheet.split("<c r=\"").skip(1).map(|cell| cell.split('>').next().unwrap());
            let headers: BTreeSet<String> = cells
                .filter(|cell| style(cell).is_some_and(|style| styles.contains(&style)))
                .map(|cell| row_of(cell.split('"').next().unwrap()))
                .collect();
            if sheet.contains("state=\"frozen\"") || sheet.contains("<autoFilter") {
                frozen_count += 1;
                assert_eq!(headers.len(), 1, "{name}: headers in rows {headers:?}");
            }
        }
    }
    assert!(frozen_count > 10, "{frozen_count} sheets are frozen");
}
