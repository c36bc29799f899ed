//! `iotrial size`: the cheapest configurations that meet a demand, and what binds a given one.

mod catalogs;

mod explain;

mod input;

mod proof;

use std::path::Path;
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
use crate::report_files::{OtherFile, ReportFiles, check_is_writable, write_output};

/// Nothing meets the demand.
const NOTHING_MEETS_IT: u8 = 1;

/// Searches, or does what else is asked.
pub fn size(args: &SizeArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        Some(SizeCommand::Explain(args)) => return explain::explain(args),
        Some(SizeCommand::Catalogs(args)) => return catalogs::catalogs(args),
        None => {}
    }
    let files = [(Also::Study, &args.study), (Also::Config, &args.config), (Also::Demand, &args.save_demand)];
    let wanted: Vec<(Also, &Path)> =
        files.into_iter().filter_map(|(what, path)| Some((what, path.as_deref()?))).collect();
    let others: Vec<OtherFile<'_>> = wanted.iter().map(|(what, path)| (what.option(), *path)).collect();
    args.files.check(args.json, &others)?;
    args.files.check_are_writable()?;
    others.iter().try_for_each(|(_, path)| check_is_writable(path, args.files.overwrite))?;
    args.profile.as_deref().map_or(Ok(()), proof::check_profile)?;
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
    let best = answers(&sizing).next();
    let (mut written, mut left_out, mut result) = (Vec::new(), Vec::new(), Ok(()));
    for (what, path) in wanted {
        let text = match (what, best) {
            (Also::Demand, _) => Ok(sizing.demand.to_toml()),
            (Also::Study, Some(_)) => proof::study_of(&sizing, args.profile.as_deref()),
            (Also::Config, Some(best)) => Ok(best.configuration.to_toml()),
            (Also::Study | Also::Config, None) => {
                left_out.push(path);
                continue;
            }
        };
        match text.and_then(|text| write_output(path, text.as_bytes(), args.files.overwrite)) {
            Ok(()) => written.push((what.word(), path)),
            Err(failure) => result = result.and(Err(failure)),
        }
    }
    let document = Document::of_sizing(&sizing, input::byline(&catalogs));
    let shown = show(&args.files, args.json, &document, &sizing, &written);
    for path in left_out {
        eprintln!("note: nothing meets the demand, so `{}` is not written", path.display());
    }
    result.and(shown)?;
    Ok(if best.is_some() { ExitCode::SUCCESS } else { ExitCode::from(NOTHING_MEETS_IT) })
}

/// A file besides the report.
#[derive(Debug, Clone, Copy)]
enum Also {
    Study,
    Config,
    Demand,
}

impl Also {
    const fn option(self) -> &'static str {
        match self {
            Self::Study => "--study",
            Self::Config => "--config",
            Self::Demand => "--save-demand",
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Study => "study",
            Self::Config => "config",
            Self::Demand => "demand",
        }
    }
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
fn show(
    files: &ReportFiles,
    json: bool,
    document: &Document,
    value: &impl Serialize,
    also: &[(&str, &Path)],
) -> Result<(), Failure> {
    let (written, result) = files.write(document);
    if json {
        let report = files.html.as_deref().filter(|html| written.iter().any(|path| path == html));
        output::json(&Json { report, value })?;
    } else if !files.take_standard_output() {
        let mut text = render_terminal(document, terminal_style());
        let line = |what: &str, path: &Path| format!("{what:<7} {}\n", path.display());
        let mut lines: Vec<String> = written.iter().map(|path| line("report", path)).collect();
        lines.extend(also.iter().map(|(what, path)| line(what, path)));
        if !lines.is_empty() {
            text.push('\n');
        }
        lines.iter().for_each(|line| text.push_str(line));
        output::text(&text)?;
    }
    result
}
