//! What a file is, by what stands in it.

use iotrial_model::imported::SourceKind;
use iotrial_model::table::TABLE_FORMAT;

use crate::{figures_csv, fio_terse, vdbench};

/// The format of a text; `None` for anything else. The name of a file says nothing.
pub fn recognise(text: &str) -> Option<SourceKind> {
    let has_line = |is_it: fn(&str) -> bool| text.lines().any(is_it);
    let is_table = |line: &str| {
        let value = line.trim_start().strip_prefix("format").map(str::trim_start)?;
        let value = value.strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
        Some(value.starts_with(TABLE_FORMAT.trim_end_matches('1')))
    };
    // Those that no other text contains come first.
    if text.contains("\"fio version\"") {
        Some(SourceKind::FioJson)
    } else if text.lines().any(|line| is_table(line) == Some(true)) {
        Some(SourceKind::Table)
    } else if text.contains("<Results>") && (text.contains("<TimeSpan>") || text.contains("<System>")) {
        Some(SourceKind::DiskspdXml)
    } else if has_line(fio_terse::is_terse) {
        Some(SourceKind::FioTerse)
    } else if text.contains("Results for timespan")
        || (text.contains("Input parameters:") && text.contains("timespan:"))
    {
        Some(SourceKind::DiskspdText)
    } else if has_line(|line| line.starts_with("sqlio v"))
        || (text.contains("throughput metrics:") && text.contains("IOs/sec:"))
    {
        Some(SourceKind::Sqlio)
    } else if has_line(|line| line.starts_with("'Access specifications") || line.starts_with("'Target Type,"))
    {
        Some(SourceKind::Iometer)
    } else if text.contains("CrystalDiskMark ") && text.contains("MB/s") {
        Some(SourceKind::Crystaldiskmark)
    } else if has_line(vdbench::is_header) {
        Some(SourceKind::Vdbench)
    } else if figures_csv::header(text).is_some() {
        Some(SourceKind::Csv)
    } else if has_line(|line| line.starts_with("fio: ") || line.contains(": verify failed at file ")) {
        // fio broke off before it had anything to tell.
        Some(SourceKind::FioJson)
    } else {
        None
    }
}
