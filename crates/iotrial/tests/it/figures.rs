//! One rounding of each figure: what a sentence of a golden record quotes has the digits of its tables.

use std::path::Path;

use crate::support::Bench;

/// Numbers that are this close are the same figure.
const SAME: f64 = 0.004;

/// `159,324` and `9.20` of a cell or the end of some words.
fn number(text: &str) -> Option<f64> {
    let digits = text.trim_start_matches(['≥', '≤', '<', '>', '~', ' ', '(']);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit());
    is_number.then(|| digits.replace(',', "").parse().ok()).flatten()
}

/// Whether so few digits can be a round number that somebody chose.
fn is_round(text: &str) -> bool {
    text.replace(['.', ','], "").trim_matches('0').len() < 3
}

/// The rates and latencies that the lines quote, with the words they are from.
fn quoted<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<(f64, &'t str)> {
    let mut all = Vec::new();
    // What is said of a chart has the edges of its cells and the ends of its curves, and no figures.
    let is_of_chart =
        |line: &&str| line.starts_with("most up to") || line.contains(" to ") && line.contains("; ");
    for line in lines.filter(|line| !is_of_chart(line)) {
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words.windows(2) {
            let unit = pair[1].trim_end_matches([',', ';', '.', ')', ':']);
            if (unit == "IOPS" || unit == "ms") && !is_round(pair[0]) {
                all.extend(number(pair[0]).map(|number| (number, line)));
            }
        }
    }
    all
}

/// How many figures of sentences are in a table too; one that is there with other digits fails the test.
fn agreeing(what: &str, sentences: &str, tables: &str) -> usize {
    let rows = tables.lines().filter(|line| line.starts_with('|'));
    let cells: Vec<f64> =
        rows.flat_map(|row| row.split('|')).filter_map(|cell| number(cell.trim())).collect();
    let mut same = 0;
    for (figure, line) in quoted(sentences.lines().filter(|line| !line.starts_with('|'))) {
        let is_near = |cell: &&f64| (**cell / figure - 1.0).abs() < SAME;
        let near: Vec<&f64> = cells.iter().filter(is_near).collect();
        assert!(near.is_empty() || near.contains(&&figure), "{what}: {figure} and {near:?}: {line}");
        same += usize::from(!near.is_empty());
    }
    same
}

/// Of a result: what its screen, its page and its details say.
fn check(bench: &Bench, name: &str) -> usize {
    let written =
        bench.run(&["report", name, "--markdown", "r.md", "--html", "r.html", "--details", "--overwrite"]);
    assert!([0, 1, 4].contains(&written.code), "{name}: {}", written.stderr);
    let read = |file: &str| std::fs::read_to_string(bench.path().join(file)).unwrap();
    let tables = read("r.md");
    // Tags end words, and what is in them is not read.
    let page: String = read("r.html").split('<').filter_map(|part| part.split_once('>')).fold(
        String::new(),
        |text, (tag, words)| match tag.split([' ', '/']).next() {
            Some("desc" | "style" | "td" | "th" | "svg" | "text" | "title") => text,
            _ => text + words + "\n",
        },
    );
    let screen = bench.run(&["report", name]).stdout;
    [&tables, &page, &screen, &written.stdout].iter().map(|one| agreeing(name, one, &tables)).sum()
}

#[test]
fn what_a_sentence_quotes_has_the_digits_of_the_tables() {
    let bench = Bench::new();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut same = 0;
    for folder in ["undisturbed", "windows"] {
        for path in std::fs::read_dir(golden.join(folder)).unwrap().map(|entry| entry.unwrap().path()) {
            if path.to_string_lossy().ends_with(".iotrial.json") {
                same += check(&bench, path.to_str().unwrap());
            }
        }
    }
    assert!(same > 60, "{same}");
}
