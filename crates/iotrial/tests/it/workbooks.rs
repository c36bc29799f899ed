//! Workbooks of every kind of answer: what stays in sight while the rest is scrolled.

use std::collections::BTreeSet;
use std::io::Read as _;

use crate::study;
use crate::support::Bench;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../iotrial-import/tests");

/// The parts of a workbook with their text.
fn parts(bench: &Bench, name: &str) -> Vec<(String, String)> {
    let file = std::fs::File::open(bench.path().join(name)).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let count = archive.len();
    let read = |index: usize| {
        let mut part = archive.by_index(index).unwrap();
        let mut text = String::new();
        part.read_to_string(&mut text).unwrap();
        (part.name().unwrap().into_owned(), text)
    };
    (0..count).map(read).collect()
}

/// The styles of headers: they alone have a line below them.
fn header_styles(styles: &str) -> BTreeSet<usize> {
    let items = |list: &str, item: &str| -> Vec<String> {
        let list = styles.split(&format!("<{list} ")).nth(1).unwrap().split(&format!("</{list}>")).next();
        list.unwrap().split(&format!("<{item}")).skip(1).map(str::to_owned).collect()
    };
    let has_line: Vec<bool> =
        items("borders", "border>").iter().map(|one| one.contains("<bottom style=")).collect();
    let border = |cell: &String| -> usize {
        cell.split("borderId=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    items("cellXfs", "xf ")
        .iter()
        .enumerate()
        .filter(|(_, cell)| has_line[border(cell)])
        .map(|(at, _)| at)
        .collect()
}

/// How many sheets have frozen headers, or a filter; each has one row of headers.
fn frozen(bench: &Bench, name: &str) -> usize {
    let parts = parts(bench, name);
    let styles = header_styles(&parts.iter().find(|(part, _)| part == "xl/styles.xml").unwrap().1);
    let mut count = 0;
    for (part, sheet) in parts.iter().filter(|(part, _)| part.starts_with("xl/worksheets/sheet")) {
        let mut rows = BTreeSet::new();
        for cell in sheet.split("<c r=\"").skip(1).map(|cell| cell.split('>').next().unwrap()) {
            let style = cell.split(" s=\"").nth(1).and_then(|rest| rest.split('"').next()?.parse().ok());
            if style.is_some_and(|style: usize| styles.contains(&style)) {
                let place = cell.split('"').next().unwrap();
                rows.insert(place.trim_start_matches(|c: char| c.is_ascii_uppercase()).to_owned());
            }
        }
        if sheet.contains("state=\"frozen\"") || sheet.contains("<autoFilter") {
            count += 1;
            assert_eq!(rows.len(), 1, "{name}, {part}: headers in rows {rows:?}");
        }
    }
    count
}

#[test]
fn a_sheet_with_frozen_headers_has_one_row_of_them_whatever_is_asked() {
    let bench = Bench::new();
    let study = study::with(study::STUDY, r#"["sqlserver-log"]"#, r#"["sqlserver-log", "sqlserver-oltp"]"#);
    std::fs::write(bench.path().join("study.toml"), study).unwrap();
    let run = ["--engine", "sim", "--seed", "1", "--ramp", "0s", "--duration", "2s", "--quiet"];
    bench.run(&[&["run", "--closed", "--label", "one", "--xlsx", "run.xlsx"], &run[..]].concat());
    bench.run(
        &[&["run", "--closed", "--label", "other", "--sim", "service_time_us = 900"], &run[..]].concat(),
    );
    bench.run(&["compare", "one", "other", "--xlsx", "compare.xlsx"]);
    bench.run(&["study", "study.toml", "--quiet", "--xlsx", "study.xlsx"]);
    bench.run(&["awr", &format!("{GOLDEN}/awr"), "--xlsx", "awr.xlsx"]);
    for (name, least) in [("run.xlsx", 4), ("compare.xlsx", 3), ("study.xlsx", 5), ("awr.xlsx", 4)] {
        let count = frozen(&bench, name);
        assert!(count >= least, "{count} sheets of {name}");
    }
}
