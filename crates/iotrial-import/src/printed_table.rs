//! A printed table as TOML, `docs/table-format.md`.

use iotrial_model::imported::TablePlace;
use iotrial_model::table::PublishedTable;

use crate::text::has_line;
use crate::{ImportError, MOST_RECORDS, READ_BY, Reading};

/// What the format of any version of a printed table begins with.
const ANY_TABLE: &str = "iotrial.table/";

/// A larger table in TOML takes more memory than it is worth; the published ones have some ten KiB.
const MOST_BYTES: usize = 4 << 20;

/// Whether a text is a table, with mistakes or without.
pub(crate) fn is_table(text: &str) -> bool {
    let is_format = |line: &str| {
        let value = line.trim_start().strip_prefix("format").map(str::trim_start);
        let value = value.and_then(|value| value.strip_prefix('=')).map(str::trim_start);
        value.is_some_and(|value| value.trim_start_matches(['"', '\'']).starts_with(ANY_TABLE))
    };
    has_line(text, ANY_TABLE, is_format) && begins_as_toml(text)
}

/// Whether the first line that is not a comment sets something: a page about a format shows the format, but
/// is not a file of it.
fn begins_as_toml(text: &str) -> bool {
    let mut lines = text.lines().map(|line| line.trim_start_matches('\u{feff}').trim());
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| line.starts_with('[') || line.contains('='))
}

/// Makes a record of each row, and keeps the table itself.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    if text.len() > MOST_BYTES {
        return Err(
            reading.broken("the whole file", "a table has at most 4 MiB; larger ones are given as CSV")
        );
    }
    // The parser of TOML keeps a tree for every table, so they are counted before it begins.
    if text.matches("[[").take(MOST_RECORDS + 1).count() > MOST_RECORDS {
        return Err(reading.broken("the whole file", format!("it has more than {MOST_RECORDS} tables")));
    }
    let table = PublishedTable::parse(text).map_err(|source| ImportError::Table { source })?;
    let place = TablePlace {
        file: reading.file.name.to_owned(),
        sha256: reading.sha256.clone(),
        read_by: READ_BY.to_owned(),
    };
    // Rows become records elsewhere, as other commands take tables directly.
    reading.records = table.records(&place);
    reading.table = Some(table);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_about_tables_is_no_table_and_one_with_a_mistake_is() {
        let line = "format = \"iotrial.table/1\"\n";
        let page = format!("# Tables\n\nEach begins with its format:\n\n```toml\n{line}```\n");
        assert!(!is_table(&page));
        for before in ["", "\u{feff}# printed\n\n", "title = \"Disks\n", "[[row]]\n"] {
            assert!(is_table(&format!("{before}{line}")), "{before}");
        }
    }
}
