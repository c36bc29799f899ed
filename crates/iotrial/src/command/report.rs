//! `iotrial report`: records shown again.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use iotrial_analysis::comparison::{Comparison, Sample};
use iotrial_analysis::summary::Summary;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::record::RunRecord;
use iotrial_model::subject::Subject;
use iotrial_report::document::Document;
use iotrial_report::html::render_html;
use iotrial_report::terminal::{TerminalStyle, render_terminal};
use serde::Serialize;

use crate::cli::ReportArgs;
use crate::command::sources::{Source, find_sources};
use crate::command::sweep;
use crate::failure::{Failure, NOT_QUALIFIED};
use crate::output;
use crate::report_files::{write_output, written_lines};
use crate::store::{is_sweep, read_record};

mod imported;

/// Shows records.
pub fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    args.files.check(args.json, &[])?;
    args.files.check_are_writable()?;
    let named = args.thresholds.as_deref().map(|name| load_thresholds(name, None)).transpose()?;
    let mut records = Vec::new();
    let mut imported = Vec::new();
    let sources = find_sources(&args.records, args.profile.as_deref(), args.store.store.as_deref())?;
    let count = sources.len();
    let mut seen: Vec<PathBuf> = Vec::new();
    for Source { path, name } in sources {
        let place = path.canonicalize().unwrap_or_else(|_| path.clone());
        if seen.contains(&place) {
            eprintln!("note: `{}` was given twice, and stands once", path.display());
            continue;
        }
        seen.push(place);
        if is_sweep(&path) {
            if count > 1 {
                let error = anyhow::anyhow!("`{}` is a sweep, which is shown alone", path.display());
                return Err(Failure::input(error).hint("give it in a call of its own".to_owned()));
            }
            return sweep::report(args, &path);
        }
        if let Some(results) = imported::read(&path)? {
            imported.extend(results.into_iter().map(|result| (path.clone(), result)));
            continue;
        }
        let mut record = read_record(&path).map_err(Failure::input)?;
        if let Some((label, attributes)) = name {
            (record.label, record.attributes) = (Some(label), attributes);
        }
        let own = if named.is_none() { Some(thresholds_of(&record)?) } else { None };
        records.push((path, record, own));
    }
    if !imported.is_empty() {
        if let Some((path, ..)) = records.first() {
            let error =
                anyhow::anyhow!("`{}` is a run of iotrial, and others are imported results", path.display());
            let hint =
                "`iotrial compare` holds them against each other; `report` shows them in calls of their own";
            return Err(Failure::input(error).hint(hint.to_owned()));
        }
        return imported::report(args, &imported, named.as_ref());
    }
    let judged = records
        .iter()
        .filter_map(|(path, record, own)| Some((path.as_path(), record, own.as_ref().or(named.as_ref())?)));
    let shown = Shown::of_several(&judged.collect::<Vec<_>>());
    let (written, result) = args.files.write(&shown.document);
    if !args.files.take_standard_output() {
        let paths: Vec<&Path> = records.iter().map(|(path, ..)| path.as_path()).collect();
        shown.print_all(args.json, &paths, args.files.html.as_deref(), &written)?;
    }
    result?;
    Ok(shown.exit_code())
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

/// One record or several, with their figures and the document of all.
pub struct Shown {
    summaries: Vec<Summary>,
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
        let summary = Summary::new(&Subject::of_run(record), thresholds);
        Self { document: Document::of_run(record, &summary), summaries: vec![summary] }
    }

    /// The same for several records, in this order, each with where it lies and what judges it.
    fn of_several(records: &[(&Path, &RunRecord, &ThresholdSet)]) -> Self {
        if let [(_, record, thresholds)] = records {
            return Self::new(record, thresholds);
        }
        let summary = |(_, record, thresholds): &(&Path, &RunRecord, &ThresholdSet)| {
            Summary::new(&Subject::of_run(record), thresholds)
        };
        let summaries: Vec<Summary> = records.iter().map(summary).collect();
        let samples =
            records.iter().map(|(path, record, _)| Sample::of_record(record, path.display().to_string()));
        let comparison = Comparison::or_beside(samples.collect());
        let runs: Vec<(&RunRecord, &Summary)> =
            records.iter().map(|(_, record, _)| *record).zip(&summaries).collect();
        Self { document: Document::of_runs(&runs, &comparison), summaries }
    }

    /// Writes the HTML report, whole or not at all.
    pub fn write_html(&self, path: &Path, overwrite: bool) -> Result<(), Failure> {
        let html = render_html(&self.document).map_err(Failure::execution)?;
        write_output(path, html.as_bytes(), overwrite)
    }

    /// Prints the figures, and where everything is.
    pub fn print(&self, json: bool, record: &Path, html: Option<&Path>) -> Result<(), Failure> {
        let written: Vec<PathBuf> = html.map(Path::to_owned).into_iter().collect();
        self.print_all(json, &[record], html, &written)
    }

    /// The same for several records; `written` are the files of the report that are there. As JSON one record is its
    /// summary, and several are a list of summaries.
    fn print_all(
        &self,
        json: bool,
        records: &[&Path],
        html: Option<&Path>,
        written: &[PathBuf],
    ) -> Result<(), Failure> {
        if json {
            let report = html.filter(|html| written.iter().any(|path| path == html));
            let summaries = records.iter().zip(&self.summaries);
            let summaries: Vec<JsonSummary<'_>> =
                summaries.map(|(record, summary)| JsonSummary { record, report, summary }).collect();
            return match summaries.as_slice() {
                [one] => output::json(one),
                several => output::json(&several),
            };
        }
        let mut text = render_terminal(&self.document, terminal_style());
        text.push('\n');
        records.iter().for_each(|record| text.push_str(&format!("record  {}\n", record.display())));
        text.push_str(&written_lines(written));
        output::text(&text)
    }

    /// 0 where the storage of every record is qualified, or the rate that was sought was found; 1 where one is not.
    pub fn exit_code(&self) -> ExitCode {
        let qualified = self.summaries.iter().all(|summary| summary.verdict.is_yes());
        if qualified { ExitCode::SUCCESS } else { ExitCode::from(NOT_QUALIFIED) }
    }
}

/// Columns where nobody says how wide the page is: a file or a pipe can be scrolled, and tables are not cut short for it.
const WITHOUT_TERMINAL: usize = 140;

/// As wide as the terminal, with colour where it is one and `NO_COLOR` is not set.
pub fn terminal_style() -> TerminalStyle {
    let stdout = std::io::stdout();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let width =
        console::Term::stdout().size_checked().map_or(WITHOUT_TERMINAL, |(_, columns)| usize::from(columns));
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    TerminalStyle { width, color: stdout.is_terminal() && !no_color && !is_dumb }
}
