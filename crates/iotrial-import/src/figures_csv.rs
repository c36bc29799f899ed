//! Printed figures as CSV, a row for each configuration under each load; the columns are those of
//! `docs/import.md`.

use std::collections::BTreeMap;

use iotrial_model::bound::BoundRelation;
use iotrial_model::imported::{ImportedJob, ImportedRecord, StatedBound, StatedLoad, StatedOps};
use iotrial_model::load::Pattern;
use iotrial_model::metric::MetricKey;
use iotrial_model::record::AttributeValue;
use iotrial_model::stream::Stream;
use iotrial_model::table::KnownFigures;
use iotrial_model::toml_reader::nearest;
use iotrial_model::units::ByteSize;

use crate::text::{Notes, count, kept, number, quote};
use crate::{ImportError, Reading};

const NAMES: [&str; 5] = ["id", "label", "tool", "source", "version"];
const LOAD: [&str; 4] = ["load.pattern", "load.read_percent", "load.block_size_bytes", "load.outstanding"];
const MOST_COLUMNS: usize = 1_000;
/// Most cells of a row; with more the file is refused.
const MOST_CELLS: usize = 100_000;

/// The separator and the line with the names of columns: the first line that is not a comment, if it names a
/// figure of a stream.
pub(crate) fn header(text: &str) -> Option<(u8, &str)> {
    let line = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'))?;
    [b',', b';', b'\t'].into_iter().find_map(|separator| {
        // The first separator that yields a known figure wins.
        let mut names = line.split(char::from(separator)).take(MOST_COLUMNS);
        names.any(|name| is_figure(name.trim().trim_matches('"'))).then_some((separator, line))
    })
}

/// Such as `read.iops`.
fn is_figure(name: &str) -> bool {
    // The list of streams is the one of the record itself, so that this cannot differ from what is taken over.
    let Some(MetricKey::Figure(stream, _)) = MetricKey::from_key(name) else { return false };
    Stream::STATED.contains(&stream)
}

/// Whether a column holds something that a record has a place for.
fn is_known(name: &str) -> bool {
    let is_of_row = |(place, figure): (&str, &str)| {
        KnownFigures::of_place(place).is_some_and(|known| known.contain(figure))
    };
    NAMES.contains(&name)
        || LOAD.contains(&name)
        || name == "runtime_s"
        || name.strip_prefix("attribute.").is_some_and(|rest| !rest.is_empty())
        || name.split_once('.').is_some_and(is_of_row)
}

/// A column of another name is a slip, and its figures would be lost in silence.
fn warn_of_unknown(columns: &[String], notes: &mut Notes) {
    for (index, name) in columns.iter().enumerate().filter(|(_, name)| !is_known(name)) {
        let (stream, figure) = name.split_once('.').unwrap_or(("", name));
        let of_stream = KnownFigures::of_place(stream).filter(|_| Stream::from_metric_word(stream).is_some());
        let meant = match of_stream {
            Some(known) => known.nearest(figure).map(|figure| format!("{stream}.{figure}")),
            None => nearest(name, NAMES.iter().chain(&LOAD).copied().chain(["runtime_s"])).map(str::to_owned),
        };
        let meant = meant.map_or_else(
            || "figures of an application begin with `other.`".to_owned(),
            |meant| format!("did you mean `{meant}`?"),
        );
        notes.warn(
            format!("line 1, column {}", index + 1),
            format!("`{}` is not a known column and is ignored; {meant}", quote(name)),
        );
    }
}

/// Reads all rows.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let Some((separator, _)) = header(text) else { return Ok(()) };
    // Before the reader starts, which would keep all cells of a row.
    if text.lines().any(|line| line.split(char::from(separator)).nth(MOST_CELLS).is_some()) {
        return Err(reading.broken("the whole file", format!("a row has more than {MOST_CELLS} cells")));
    }
    let mut table = csv::ReaderBuilder::new();
    let mut table =
        table.delimiter(separator).comment(Some(b'#')).trim(csv::Trim::All).from_reader(text.as_bytes());
    let broken = |error: csv::Error, reading: &Reading<'_>| {
        let line = error.position().map_or(1, csv::Position::line);
        reading.broken(format!("line {line}"), error.to_string())
    };
    let columns: Vec<String> = match table.headers() {
        Ok(header) => header.iter().take(MOST_COLUMNS).map(str::to_owned).collect(),
        Err(error) => return Err(broken(error, reading)),
    };
    // Compared with each other only within `MOST_COLUMNS`.
    for (index, name) in columns.iter().enumerate() {
        if columns[..index].contains(name) {
            reading.notes.warn(
                format!("column {}", index + 1),
                format!("`{}` occurs twice; the last one counts", quote(name)),
            );
        }
    }
    warn_of_unknown(&columns, &mut reading.notes);
    for row in table.records() {
        let row = row.map_err(|error| broken(error, reading))?;
        let line = row.position().map_or(0, csv::Position::line);
        // Empty cells state nothing, and must not count as zero.
        let cells: BTreeMap<&str, &str> =
            columns.iter().map(String::as_str).zip(row.iter()).filter(|(_, cell)| !cell.is_empty()).collect();
        let record = read_row(&cells, line, reading);
        reading.keep(record)?;
    }
    Ok(())
}

fn read_row(cells: &BTreeMap<&str, &str>, line: u64, reading: &mut Reading<'_>) -> ImportedRecord {
    let text = |name: &str| cells.get(name).map(|text| kept(text));
    // A result needs a tool in its record; the place where it was printed is the next best.
    let tool = text("tool").or_else(|| text("source")).unwrap_or_else(|| reading.file.name.to_owned());
    let mut record = reading.record(&tool, text("version").as_deref(), format!("line {line}"));
    record.label = text("label").or_else(|| text("id"));
    let notes = &mut reading.notes;
    let mut total = StatedOps::default();
    let mut runtime_s = None;
    for (name, cell) in cells {
        let place = || format!("line {line}, `{}`", quote(name));
        if let Some(attribute) = name.strip_prefix("attribute.") {
            record.attributes.insert(quote(attribute), AttributeValue::from_text(cell));
            continue;
        }
        if NAMES.contains(name) || LOAD.contains(name) {
            continue;
        }
        if !is_known(name) {
            continue;
        }
        if let Some((relation, cell)) = BoundRelation::split_from(cell)
            && *name != "runtime_s"
        {
            let bound = |number| StatedBound { metric: quote(name), relation, number };
            record.bounds.extend(number(cell, place, notes).map(bound));
            continue;
        }
        let Some(stated) = number(cell, place, notes) else { continue };
        if *name == "runtime_s" {
            runtime_s = Some(stated);
            // What is not of a stream or of the CPU is a figure of an application, by its own name.
        } else if !total.put(&mut record.cpu, name, stated) {
            record.other.insert(quote(name), stated);
        }
    }
    for stream in [&mut total.read, &mut total.write, &mut total.all].into_iter().flatten() {
        stream.runtime_s = runtime_s;
    }
    record.total = Some(total);
    if LOAD.iter().any(|name| cells.contains_key(name)) {
        let load = load_of(cells, line, notes);
        record.jobs.push(ImportedJob { name: "load".to_owned(), load, ..ImportedJob::default() });
    }
    record
}

fn load_of(cells: &BTreeMap<&str, &str>, line: u64, notes: &mut Notes) -> StatedLoad {
    let place = |name: &str| format!("line {line}, `{name}`");
    let mut whole =
        |name: &'static str| count(cells.get(name)?, || place(name), notes).filter(|count| *count > 0);
    let (size, outstanding) = (whole("load.block_size_bytes"), whole("load.outstanding"));
    let pattern = cells.get("load.pattern").and_then(|word| {
        let known = Pattern::ALL.iter().copied().find(|pattern| pattern.as_str() == *word);
        if known.is_none() {
            notes.warn(place("load.pattern"), format!("`{}` is neither random nor sequential", quote(word)));
        }
        known
    });
    let percent =
        cells.get("load.read_percent").and_then(|cell| number(cell, || place("load.read_percent"), notes));
    let load = StatedLoad {
        pattern,
        rwmix_read_percent: percent.map(|percent| percent.value).filter(|percent| *percent <= 100.0),
        outstanding,
        ..StatedLoad::default()
    };
    load.with_block_size(size.map(ByteSize::bytes))
}
