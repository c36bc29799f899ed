//! `iotrial compare`: configurations held against each other.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use iotrial_analysis::comparison::{CompareRequest, Comparison, Sample};
use iotrial_model::table::PublishedTable;
use iotrial_report::document::Document;
use iotrial_report::terminal::render_terminal;
use serde::Serialize;

use crate::cli::CompareArgs;
use crate::command::report::terminal_style;
use crate::command::samples::{Content, read_contents};
use crate::command::sources::{Name, Source, find_sources, is_table};
use crate::failure::{Failure, GATE_MISSED};
use crate::output::{self, harmless};
use crate::report_files::written_lines;

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
    args.files.check(args.json, &[])?;
    args.files.check_are_writable()?;
    if let Some(table) = args.records.iter().find(|name| is_table(Path::new(name))) {
        let error = anyhow::anyhow!("`{table}` is a table of printed figures");
        return Err(Failure::input(error).hint(format!("--table {table} reads it")));
    }
    let sources = find_sources(&args.records, args.profile.as_deref(), args.store.store.as_deref())?;
    let mut samples = samples_of(sources, args)?;
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
    let (written, result) = args.files.write(&document);
    if args.json {
        let report = args.files.html_of(&written);
        output::json(&JsonComparison { report, comparison: &comparison })?;
    } else if !args.files.take_standard_output() {
        let mut text = render_terminal(&document, terminal_style());
        if !written.is_empty() {
            text.push_str(&format!("\n{}", written_lines(&written)));
        }
        output::text(&text)?;
    }
    result?;
    Ok(if comparison.keeps_gates() { ExitCode::SUCCESS } else { ExitCode::from(GATE_MISSED) })
}

/// What the files tell; one that cannot be read is an error, or left out by `force`.
fn samples_of(sources: Vec<Source>, args: &CompareArgs) -> Result<Vec<Sample>, Failure> {
    let (paths, names): (Vec<PathBuf>, Vec<Option<Name>>) =
        sources.into_iter().map(|one| (one.path, one.name)).unzip();
    let mut contents: Vec<(Content, Option<Name>)> = Vec::with_capacity(paths.len());
    let mut broken = Vec::new();
    for (read, name) in read_contents(&paths, &args.records).into_iter().zip(names) {
        match read {
            Ok(content) => contents.push((content, name)),
            Err(error) if args.force => eprintln!("warning: left out: {error:#}"),
            Err(error) => broken.push(error),
        }
    }
    let others = match broken.len().saturating_sub(1) {
        0 => ";".to_owned(),
        more => format!(", and {more} more cannot be read either;"),
    };
    match broken.into_iter().next() {
        None => Ok(in_order(contents)),
        Some(first) => {
            Err(Failure::input(first).hint(format!("take it out{others} --force compares the others")))
        }
    }
}

/// Runs by the names that a study gave them.
fn in_order(contents: Vec<(Content, Option<Name>)>) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (content, name) in contents {
        match (content, name) {
            (Content::Run(sample), Some((label, attributes))) => {
                samples.push(sample.named(label, attributes))
            }
            (Content::Run(sample), None) => samples.push(*sample),
            (Content::Imported(of_file), _) => samples.extend(of_file),
            (Content::Nothing, _) => {}
        }
    }
    samples
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
