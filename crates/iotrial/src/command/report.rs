//! `iotrial report`: a record shown again.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use iotrial_analysis::summary::Summary;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_analysis::verdict::judge;
use iotrial_model::record::RunRecord;
use iotrial_report::document::Document;
use iotrial_report::html::render_html;
use iotrial_report::terminal::{TerminalStyle, render_terminal};
use serde::Serialize;

use crate::cli::ReportArgs;
use crate::failure::{Failure, NOT_QUALIFIED};
use crate::output;
use crate::store::{Store, read_record, write_whole};

/// Shows a record.
pub fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let path = find(args)?;
    let record = read_record(&path).map_err(Failure::input)?;
    let thresholds = match &args.thresholds {
        Some(name) => load_thresholds(name, None)?,
        None => thresholds_of(&record)?,
    };
    let shown = Shown::new(&record, &thresholds);
    let html = args.html.as_deref();
    let written = html.map_or(Ok(()), |html| shown.write_html(html));
    shown.print(args.json, &path, html.filter(|_| written.is_ok()))?;
    written?;
    Ok(shown.exit_code())
}

/// The file that is meant: a path, or the id of a record in the store, which is not needed for a path.
fn find(args: &ReportArgs) -> Result<PathBuf, Failure> {
    let path = PathBuf::from(&args.record);
    if path.is_file() {
        return Ok(path);
    }
    let store = Store::open(args.store.store.as_deref()).map_err(Failure::execution)?;
    let hint = "`iotrial records` lists what the store holds".to_owned();
    store.find(&args.record).map_err(|error| Failure::input(error).hint(hint))
}

/// The set that judged when the record was made. It stands in the record itself: a stranger's record
/// must not decide which files are read here.
fn thresholds_of(record: &RunRecord) -> Result<ThresholdSet, Failure> {
    if record.thresholds.is_empty() {
        return load_thresholds("flash", None);
    }
    ThresholdSet::parse(&record.thresholds)
        .context("the threshold set in the record is not valid")
        .map_err(|error| Failure::input(error).hint("--thresholds names another one".to_owned()))
}

/// A built-in threshold set, or the one in a file, whose path counts from `folder`.
pub fn load_thresholds(name: &str, folder: Option<&Path>) -> Result<ThresholdSet, Failure> {
    if !is_file_name(name) {
        return ThresholdSet::builtin(name).map_err(|error| {
            let hint = error.nearest.map_or_else(
                || "a file is given with its path, such as ./mine.toml".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            Failure::input(error).hint(hint)
        });
    }
    let path = folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the threshold set `{name}`"))
        .map_err(Failure::input)?;
    ThresholdSet::parse(&text)
        .with_context(|| format!("`{name}` is not a valid threshold set"))
        .map_err(Failure::input)
}

/// Whether what stands for a profile or a threshold set is a path rather than a name.
pub fn is_file_name(name: &str) -> bool {
    name.contains(['/', '\\']) || name.ends_with(".toml")
}

/// A record with its figures and its document.
pub struct Shown {
    summary: Summary,
    document: Document,
}

/// What `--json` prints.
#[derive(Serialize)]
struct JsonSummary<'s> {
    record: &'s Path,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'s Path>,
    #[serde(flatten)]
    summary: &'s Summary,
}

impl Shown {
    /// Computes every figure once.
    pub fn new(record: &RunRecord, thresholds: &ThresholdSet) -> Self {
        let summary = Summary::new(record, judge(record, thresholds));
        let document = Document::of_run(record, &summary);
        Self { summary, document }
    }

    /// Writes the HTML report, whole or not at all.
    pub fn write_html(&self, path: &Path) -> Result<(), Failure> {
        let html = render_html(&self.document).map_err(Failure::execution)?;
        write_whole(path, html.as_bytes()).map_err(Failure::execution)
    }

    /// Prints the figures, and where everything is.
    pub fn print(&self, json: bool, record: &Path, html: Option<&Path>) -> Result<(), Failure> {
        if json {
            let summary = JsonSummary { record, report: html, summary: &self.summary };
            return output::json(&summary);
        }
        let mut text = render_terminal(&self.document, terminal_style());
        text.push_str(&format!("\nrecord  {}\n", record.display()));
        if let Some(html) = html {
            text.push_str(&format!("report  {}\n", html.display()));
        }
        output::text(&text)
    }

    /// 0 where the storage is qualified, 1 where it is not.
    pub fn exit_code(&self) -> ExitCode {
        if self.summary.verdict.qualified { ExitCode::SUCCESS } else { ExitCode::from(NOT_QUALIFIED) }
    }
}

/// As wide as the terminal, with colour where it is one and `NO_COLOR` is not set.
pub fn terminal_style() -> TerminalStyle {
    let stdout = std::io::stdout();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let width = console::Term::stdout().size_checked().map_or(100, |(_, columns)| usize::from(columns));
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    TerminalStyle { width, color: stdout.is_terminal() && !no_color && !is_dumb }
}
