//! What a file is, by its content.

use iotrial_model::imported::SourceKind;

use crate::{figures_csv, fio_terse, fio_text, vdbench};

/// What the format of any version of a printed table begins with.
const ANY_TABLE: &str = "iotrial.table/";

/// The format of a text; `None` for anything else. The name of a file says nothing.
pub fn recognise(text: &str) -> Option<SourceKind> {
    // A text of many lines is looked at line by line only where the word is in it at all.
    // `contains` is fast over a large text, a closure for each line is not.
    let has_line = |word: &str, is_it: fn(&str) -> bool| text.contains(word) && text.lines().any(is_it);
    let is_table = |line: &str| {
        let value = line.trim_start().strip_prefix("format").map(str::trim_start);
        let value = value.and_then(|value| value.strip_prefix('=')).map(str::trim_start);
        value.is_some_and(|value| value.trim_start_matches(['"', '\'']).starts_with(ANY_TABLE))
    };
    // Their order decides: formats with a word of their own first, columns by name later, and what fio says
    // before it fails last.
    // Those that no other text contains come first.
    if text.contains("\"fio version\"") {
        Some(SourceKind::FioJson)
    } else if has_line(ANY_TABLE, is_table) && begins_as_toml(text) {
        Some(SourceKind::Table)
    } else if text.contains("<Results>") && (text.contains("<TimeSpan>") || text.contains("<System>")) {
        Some(SourceKind::DiskspdXml)
    } else if has_line(";", fio_terse::is_terse) {
        Some(SourceKind::FioTerse)
    } else if text.contains("Results for timespan")
        || (text.contains("Input parameters:") && text.contains("timespan:"))
    {
        Some(SourceKind::DiskspdText)
    } else if has_line("sqlio v", |line| line.starts_with("sqlio v"))
        || (text.contains("throughput metrics:") && text.contains("IOs/sec:"))
    {
        Some(SourceKind::Sqlio)
    } else if has_line("'Access specifications", |line| line.starts_with("'Access specifications"))
        || has_line("'Target Type,", |line| line.starts_with("'Target Type,"))
    {
        Some(SourceKind::Iometer)
    } else if text.contains("CrystalDiskMark ") && text.contains("MB/s") {
        Some(SourceKind::Crystaldiskmark)
    } else if has_line("(groupid=", fio_text::is_entry) {
        Some(SourceKind::FioText)
    } else if vdbench::is_vdbench(text) {
        Some(SourceKind::Vdbench)
    } else if figures_csv::header(text).is_some() {
        Some(SourceKind::Csv)
        // fio's messages, redirected, are all there is of a run that failed.
    } else if has_line("fio: ", |line| line.starts_with("fio: ")) || text.contains(": verify failed at file ")
    {
        // fio broke off before it had anything to tell.
        Some(SourceKind::FioJson)
    } else {
        None
    }
}

/// Whether the first line that is not a comment sets something: a page about a format shows the format, but
/// is not a file of it.
fn begins_as_toml(text: &str) -> bool {
    let mut lines = text.lines().map(|line| line.trim_start_matches('\u{feff}').trim());
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| line.starts_with('[') || line.contains('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_about_tables_is_no_table_and_one_with_a_mistake_is() {
        let line = "format = \"iotrial.table/1\"\n";
        let page = format!("# Tables\n\nEach begins with its format:\n\n```toml\n{line}```\n");
        assert_eq!(recognise(&page), None);
        for before in ["", "\u{feff}# printed\n\n", "title = \"Disks\n", "[[row]]\n"] {
            assert_eq!(recognise(&format!("{before}{line}")), Some(SourceKind::Table), "{before}");
        }
    }
}
