//! `iotrial compare`: configurations held against each other.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context;
use iotrial_analysis::comparison::{CompareRequest, Comparison, Sample};
use iotrial_import::Naming;
use iotrial_model::imported::ImportedRecord;
use iotrial_model::table::PublishedTable;
use iotrial_report::document::Document;
use iotrial_report::html::render_html;
use iotrial_report::terminal::render_terminal;
use serde::Serialize;

use crate::cli::CompareArgs;
use crate::command::report::terminal_style;
use crate::failure::{Failure, GATE_MISSED};
use crate::foreign;
use crate::output::{self, harmless};
use crate::store::{Store, is_imported, is_record, read_imported, read_record, records_in, write_whole};

/// A larger table is not read; the published ones have some ten KiB.
const MOST_TABLE_BYTES: u64 = 16 << 20;

/// What `--json` prints.
#[derive(Serialize)]
struct JsonComparison<'c> {
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'c Path>,
    #[serde(flatten)]
    comparison: &'c Comparison,
}

/// Compares, and shows what came of it.
pub fn compare(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let mut samples = read_samples(&find_records(args)?, &args.records, args.force)?;
    for table in &args.tables {
        samples.extend(read_table(table)?);
    }
    let request = CompareRequest {
        baseline: args.baseline.clone(),
        by: args.by.clone(),
        gates: args.gates.clone(),
        force: args.force,
    };
    let comparison = Comparison::new(samples, &request).map_err(|error| {
        // Labels come from strangers' files.
        let hint = error.hint().map(|hint| harmless(&hint));
        Failure::input(anyhow::Error::msg(harmless(&error.to_string()))).hint(hint)
    })?;
    let document = Document::of_comparison(&comparison);
    let html = args.html.as_deref();
    let written = html.map_or(Ok(()), |html| write_html(&document, html));
    let html = html.filter(|_| written.is_ok());
    if args.json {
        output::json(&JsonComparison { report: html, comparison: &comparison })?;
    } else {
        let mut text = render_terminal(&document, terminal_style());
        if let Some(html) = html {
            text.push_str(&format!("\nreport  {}\n", html.display()));
        }
        output::text(&text)?;
    }
    written?;
    Ok(if comparison.keeps_gates() { ExitCode::SUCCESS } else { ExitCode::from(GATE_MISSED) })
}

fn write_html(document: &Document, path: &Path) -> Result<(), Failure> {
    let html = render_html(document).map_err(Failure::execution)?;
    write_whole(path, html.as_bytes()).map_err(Failure::execution)
}

/// The files that are meant, in the order in which they were named.
fn find_records(args: &CompareArgs) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    // Paths need no store.
    let mut store = None;
    for name in &args.records {
        let path = Path::new(name);
        if path.is_file() {
            paths.push(path.to_owned());
        } else if path.is_dir() {
            let records = records_in(path).map_err(Failure::input)?;
            // Without records of iotrial, it may be one of results of other tools.
            let found =
                if records.is_empty() { foreign::files_in(path).map_err(Failure::input)? } else { records };
            if found.is_empty() {
                let error = anyhow::anyhow!("the folder `{name}` has no records");
                return Err(Failure::input(error)
                    .hint("records end in .iotrial.json or .iotrial.json.zst".to_owned()));
            }
            paths.extend(found);
        } else {
            let store = match &store {
                Some(store) => store,
                None => store.insert(Store::open(args.store.store.as_deref()).map_err(Failure::execution)?),
            };
            paths.extend(find_in_store(store, name)?);
        }
    }
    Ok(paths)
}

/// All records with the label, or the one with the id.
fn find_in_store(store: &Store, name: &str) -> Result<Vec<PathBuf>, Failure> {
    let labelled = store.labelled(name).map_err(Failure::execution)?;
    if !labelled.is_empty() {
        return Ok(labelled);
    }
    let found = store.find(name).map_err(|error| {
        Failure::input(error.context(format!("no record is labelled `{name}`")))
            .hint("`iotrial records` lists what the store holds, with labels".to_owned())
    })?;
    Ok(vec![found])
}

/// What a file holds, as far as a comparison needs it.
enum Content {
    Run(Box<Sample>),
    Imported(Vec<ImportedRecord>),
    /// A file in a folder that is no result at all.
    Nothing,
}

/// Reads records and keeps of each what a comparison needs; several at a time, and never all of them at once.
fn read_samples(paths: &[PathBuf], named: &[String], force: bool) -> Result<Vec<Sample>, Failure> {
    let next = AtomicUsize::new(0);
    let slots: Vec<Slot> = paths.iter().map(|_| Mutex::new(None)).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(paths.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((path, slot)) = next_of(&next, paths, &slots) {
                    let is_named = named.iter().any(|name| Path::new(name) == path);
                    let read = read_content(path, is_named);
                    *slot.lock().expect("no thread panics while it writes one value") = Some(read);
                }
            });
        }
    });
    let mut contents = Vec::with_capacity(paths.len());
    let mut broken = Vec::new();
    for slot in slots {
        match slot.into_inner().expect("no thread panics while it writes one value") {
            Some(Ok(content)) => contents.push(content),
            Some(Err(error)) => broken.push(error),
            None => unreachable!("every record is read before the threads end"),
        }
    }
    if force {
        broken.drain(..).for_each(|error| eprintln!("warning: left out: {error:#}"));
    }
    let more = broken.len().saturating_sub(1);
    match broken.into_iter().next() {
        None => Ok(samples_of(contents)),
        Some(first) => {
            let others =
                if more > 0 { format!(", and {more} more cannot be read either;") } else { ";".to_owned() };
            Err(Failure::input(first).hint(format!("take it out{others} --force compares the others")))
        }
    }
}

/// Whether imported results are under several loads shows only when all of them are known.
fn samples_of(contents: Vec<Content>) -> Vec<Sample> {
    let imported: Vec<ImportedRecord> = contents
        .iter()
        .filter_map(|content| match content {
            Content::Imported(records) => Some(records.clone()),
            Content::Run(_) | Content::Nothing => None,
        })
        .flatten()
        .collect();
    let mut of_imported = Sample::of_imported(&imported).into_iter();
    let mut samples = Vec::new();
    for content in contents {
        match content {
            Content::Run(sample) => samples.push(*sample),
            Content::Imported(records) => samples.extend(of_imported.by_ref().take(records.len())),
            Content::Nothing => {}
        }
    }
    samples
}

/// A record of iotrial, an imported one, or a result of another tool, which is called after its folder, or after itself
/// where it was named itself.
fn read_content(path: &Path, is_named: bool) -> anyhow::Result<Content> {
    if is_imported(path) {
        let mut record = read_imported(path)?;
        foreign::forget_course(&mut record);
        return Ok(Content::Imported(vec![record]));
    }
    if is_record(path) {
        let record = read_record(path)?;
        return Ok(Content::Run(Box::new(Sample::of_record(&record, path.display().to_string()))));
    }
    let label = if is_named { path.file_stem() } else { path.parent().and_then(Path::file_name) };
    let label = label.map(|label| harmless(&label.to_string_lossy()));
    match foreign::read(path, &Naming::default()) {
        Ok(mut imported) => {
            for record in &mut imported.records {
                record.label = record.label.take().or_else(|| label.clone());
                foreign::forget_course(record);
            }
            Ok(Content::Imported(imported.records))
        }
        Err(error) if error.is_foreign() && !is_named => Ok(Content::Nothing),
        // Whoever names a file that is nothing known most likely means a record.
        Err(error) if error.is_foreign() => read_record(path).map(|_| Content::Nothing),
        Err(error) => Err(error)
            .with_context(|| format!("`{}` cannot be imported", harmless(&path.display().to_string()))),
    }
}

type Slot = Mutex<Option<anyhow::Result<Content>>>;

fn next_of<'p>(
    next: &AtomicUsize,
    paths: &'p [PathBuf],
    slots: &'p [Slot],
) -> Option<(&'p PathBuf, &'p Slot)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((paths.get(index)?, slots.get(index)?))
}

fn read_table(path: &Path) -> Result<Vec<Sample>, Failure> {
    let name = path.display();
    let read = || -> anyhow::Result<String> {
        let mut bytes = Vec::new();
        File::open(path)?.take(MOST_TABLE_BYTES + 1).read_to_end(&mut bytes)?;
        anyhow::ensure!(
            bytes.len() as u64 <= MOST_TABLE_BYTES,
            "it is larger than {} MiB",
            MOST_TABLE_BYTES >> 20
        );
        String::from_utf8(bytes).context("it is not UTF-8 text")
    };
    let text = read().with_context(|| format!("cannot read the table `{name}`")).map_err(Failure::input)?;
    let table = PublishedTable::parse(&text)
        .with_context(|| format!("`{name}` is not a valid table"))
        .map_err(|error| Failure::input(error).hint("docs/table-format.md describes every key".to_owned()))?;
    Ok(Sample::of_table(&table, &format!("`{name}`")))
}
