//! `iotrial size`: the cheapest configurations that meet a demand, and what binds a given one.

mod catalogs;

mod explain;

mod input;

mod proof;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use iotrial_report::document::Document;
use iotrial_report::terminal::render_terminal;
use iotrial_sizing::search::Search;
use iotrial_sizing::sizing::{Sizing, size as find};
use serde::Serialize;

use crate::cli::{SizeArgs, SizeCommand};
use crate::command::report::terminal_style;
use crate::failure::Failure;
use crate::output;
use crate::report_files::{ReportFiles, check_is_writable, write_output};

/// Nothing meets the demand.
const NOTHING_MEETS_IT: u8 = 1;

/// Searches, or does what else is asked.
pub fn size(args: &SizeArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        Some(SizeCommand::Explain(args)) => return explain::explain(args),
        Some(SizeCommand::Catalogs(args)) => return catalogs::catalogs(args),
        None => {}
    }
    args.files.check(args.json)?;
    args.files.check_are_writable()?;
    let others = args.study.iter().chain(&args.config).chain(&args.save_demand);
    others.into_iter().try_for_each(|path| check_is_writable(path, args.files.overwrite))?;
    let demand = input::demand(&args.demand, &args.store)?.ok_or_else(no_demand)?;
    let catalogs = input::catalogs(&args.catalogs)?;
    let against =
        args.against.iter().map(|path| input::configuration(path)).collect::<Result<Vec<_>, Failure>>()?;
    let request = Search {
        money: input::money(&args.money),
        answers: args.top as usize,
        volumes: args.volumes.clone(),
        machines: args.machines.clone(),
        volumes_max: args.volumes_max,
        no_arm: args.no_arm,
    };
    input::check_restrictions(&catalogs, &request)?;
    let sizing = find(&catalogs, &demand, &request, &against).map_err(|error| {
        let hint = error.hint();
        Failure::input(error).hint(hint)
    })?;
    if let Some(path) = &args.study {
        let study = proof::study_of(&sizing, args.profile.as_deref())?;
        write_output(path, study.as_bytes(), args.files.overwrite)?;
    }
    if let Some(path) = &args.save_demand {
        write_output(path, sizing.demand.to_toml().as_bytes(), args.files.overwrite)?;
    }
    if let Some(path) = &args.config {
        let answer = answers(&sizing).next().ok_or_else(|| {
            Failure::input(anyhow::anyhow!(
                "nothing meets the demand, so there is nothing to write to `{}`",
                path.display()
            ))
        })?;
        write_output(path, answer.configuration.to_toml().as_bytes(), args.files.overwrite)?;
    }
    let document = Document::of_sizing(&sizing, input::byline(&catalogs));
    let also = [("study", &args.study), ("config", &args.config), ("demand", &args.save_demand)]
        .map(|(what, path)| path.as_ref().map(|path| (what, path)));
    show(&args.files, args.json, &document, &sizing, also.into_iter().flatten())?;
    let is_met = answers(&sizing).next().is_some();
    Ok(if is_met { ExitCode::SUCCESS } else { ExitCode::from(NOTHING_MEETS_IT) })
}

/// The answers of all providers, the cheapest of the cheapest first.
fn answers(sizing: &Sizing) -> impl Iterator<Item = &iotrial_sizing::explanation::Explanation> {
    let first = sizing.cheapest.and_then(|index| sizing.found[index].answers.first());
    let others = sizing.found.iter().enumerate().filter(|(index, _)| Some(*index) != sizing.cheapest);
    first.into_iter().chain(others.filter_map(|(_, found)| found.answers.first()))
}

fn no_demand() -> Failure {
    Failure::input(anyhow::anyhow!("nothing is asked for"))
        .hint("--read 40000iops@8KiB --write 10000iops@8KiB, or --demand FILE".to_owned())
}

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'j, T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'j Path>,
    #[serde(flatten)]
    value: &'j T,
}

/// Writes the forms that are wanted, and shows the rest. `also` are other files that were written.
fn show<'f>(
    files: &ReportFiles,
    json: bool,
    document: &Document,
    value: &impl Serialize,
    also: impl Iterator<Item = (&'f str, &'f PathBuf)>,
) -> Result<(), Failure> {
    let (written, result) = files.write(document);
    if json {
        let report = files.html.as_deref().filter(|html| written.iter().any(|path| path == html));
        output::json(&Json { report, value })?;
    } else if !files.take_standard_output() {
        let mut text = render_terminal(document, terminal_style());
        let line = |what: &str, path: &Path| format!("{what:<7} {}\n", path.display());
        let mut lines: Vec<String> = written.iter().map(|path| line("report", path)).collect();
        lines.extend(also.map(|(what, path)| line(what, path)));
        if !lines.is_empty() {
            text.push('\n');
        }
        lines.iter().for_each(|line| text.push_str(line));
        output::text(&text)?;
    }
    result
}
