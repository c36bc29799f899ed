//! `iotrial awr`: what reports of Oracle say of I/O.

use std::process::ExitCode;

use anyhow::anyhow;
use iotrial_analysis::awr::{AwrAnswer, AwrFleet, AwrSample, AwrSeries, LeftOut, Level};
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::awr::{AwrKind, AwrReport};
use iotrial_model::demand::Demand;
use iotrial_model::words::in_brief;
use iotrial_report::document::Document;
use serde::Serialize;

use crate::cli::{AwrArgs, DemandLevel};
use crate::failure::{Failure, NOT_ALL_READ};
use crate::intake::{Folders, Input, Intake, IntakeError, Source, Takes};
use crate::output::{self, harmless, say};
use crate::presentation::{Presentation, Value};
use crate::report_files::{check_is_writable, write_output};

const TAKES: Takes = Takes { command: "awr", what: "AWR and Statspack reports, and output of AWR-Miner" };

/// Names in one line.
const MOST_NAMES: usize = 6;

/// What is kept of a file: the whole report only where it is the only one.
struct OfFile {
    samples: Vec<AwrSample>,
    whole: Option<Box<AwrReport>>,
}

/// Reads the reports, and shows what they say.
pub fn awr(args: &AwrArgs) -> Result<ExitCode, Failure> {
    args.files.check(args.json, &[])?;
    args.files.check_are_writable()?;
    if let Some(path) = &args.demand {
        check_is_writable(path, args.files.overwrite)?;
    }
    let intake = Intake { takes: TAKES, folders: Folders::Files, store: None, study_profile: None };
    let sources = intake.find(&args.reports)?;
    let is_only_one = sources.len() == 1;
    let opened = intake.open_all(sources, |source, input| of_file(source, input, is_only_one))?;
    let (mut samples, mut whole, mut failed, mut unread, mut passed_over) =
        (Vec::new(), None, Vec::new(), Vec::new(), Vec::new());
    for (source, result) in opened {
        match result {
            Ok(file) => {
                samples.extend(file.samples);
                whole = file.whole.map(|report| (report, source.path));
            }
            Err(Unread::Failed { failure, why }) => {
                let file = harmless(&source.path.display().to_string());
                unread.push(LeftOut { file, why: harmless(&why) });
                failed.push(failure);
            }
            Err(Unread::SomethingElse) => passed_over.push(harmless(&source.path.display().to_string())),
        }
    }
    if !passed_over.is_empty() {
        let names = in_brief(&passed_over, MOST_NAMES, MOST_NAMES - 1);
        let what = match passed_over.len() {
            1 => "1 file in the folder is not an AWR report".to_owned(),
            count => format!("{count} files in the folder are not AWR reports"),
        };
        say!("note: {what}, and left out: {names}");
    }
    // Before the answer, so that they are not lost above pages of it.
    if samples.is_empty() {
        let last = failed.pop();
        failed.iter().for_each(|failure| say!("{failure}"));
        return Err(
            last.unwrap_or_else(|| Failure::input(anyhow!("there is no AWR report among these files")))
        );
    }
    failed.iter().for_each(|failure| say!("{failure}"));
    let named = args.reports.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ");
    let mut series = AwrSeries::of(samples);
    series.unread = unread;
    args.clock.iter().try_for_each(|one| series.shift(&one.database, one.seconds)).map_err(Failure::input)?;
    series.keep(&args.database).map_err(Failure::input)?;
    let fleet = AwrFleet::of(&series);
    let others = args.demand.iter().map(|path| ("demand", path.as_path())).collect();
    match whole {
        Some((report, path)) => {
            let thresholds = ThresholdSet::builtin("flash").map_err(Failure::input)?;
            let answer = AwrAnswer::of(*report, &thresholds);
            let document = Document::of_awr(&answer, &harmless(&path.display().to_string()));
            write_demand(args, &series, fleet.as_ref(), &named)?;
            let values = vec![Value::of_file(&path, &answer)];
            Presentation { others, ..Presentation::new(&document, values) }.show(&args.files, args.json)?;
        }
        None => {
            let document = Document::of_awr_series(&series, fleet.as_ref());
            write_demand(args, &series, fleet.as_ref(), &named)?;
            let answer = ManyAnswer { series: &series, fleet: fleet.as_ref() };
            let values = vec![Value::alone(&answer)];
            Presentation { others, ..Presentation::new(&document, values) }.show(&args.files, args.json)?;
        }
    }
    if !args.json && !args.files.take_standard_output() {
        let next = next_of(args, &series, fleet.as_ref(), &named);
        output::text(&format!("\nnext: {}\n", harmless(&next)))?;
    }
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(NOT_ALL_READ) })
}

/// What several reports say.
#[derive(Serialize)]
struct ManyAnswer<'a> {
    #[serde(flatten)]
    series: &'a AwrSeries,
    /// What several databases ask together; absent of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    fleet: Option<&'a AwrFleet>,
}

/// What to do with the answer.
fn next_of(args: &AwrArgs, series: &AwrSeries, fleet: Option<&AwrFleet>, named: &str) -> String {
    if let Some(path) = &args.demand {
        return format!("iotrial size --demand {}", path.display());
    }
    let is_together = fleet.is_none_or(|fleet| !fleet.figures.is_empty());
    match series.databases.first() {
        // Never of the same time: one by one.
        Some(first) if !is_together => {
            format!("iotrial awr {named} --database '{}' --demand demand.toml", first.database)
        }
        _ if fleet.is_some() && args.files.html.is_none() => {
            format!("iotrial awr {named} --demand fleet.toml --html fleet.html")
        }
        _ => format!("iotrial awr {named} --demand demand.toml"),
    }
}

/// Why a file has no samples.
enum Unread {
    /// A report that cannot be read, or a file that was named and is something else.
    Failed {
        /// As it is said.
        failure: Failure,
        /// The same without the name of the file.
        why: String,
    },
    /// A folder of reports holds other things too.
    SomethingElse,
}

fn of_file(source: &Source, input: Result<Input, IntakeError>, is_only_one: bool) -> Result<OfFile, Unread> {
    let input = match input {
        Ok(input) => input,
        Err(error) if error.is_foreign() && !source.is_named => return Err(Unread::SomethingElse),
        Err(error) => {
            let why = error.reason();
            return Err(Unread::Failed { failure: TAKES.with_hint(error), why });
        }
    };
    let kind = input.kind();
    let Input::Awr(reports) = input else {
        let failure = TAKES.refuse(&source.path.to_string_lossy(), kind);
        let why = failure.reason();
        return Err(if source.is_named { Unread::Failed { failure, why } } else { Unread::SomethingElse });
    };
    let name = harmless(&source.path.display().to_string());
    let samples = reports.iter().map(|report| AwrSample::of(report, &name)).collect();
    // A snapshot of AWR-Miner is a point of a series, also where there is only one.
    let whole = match reports.into_iter().next() {
        Some(report) if is_only_one && report.kind != AwrKind::Miner => Some(Box::new(report)),
        _ => None,
    };
    Ok(OfFile { samples, whole })
}

fn write_demand(
    args: &AwrArgs,
    series: &AwrSeries,
    fleet: Option<&AwrFleet>,
    named: &str,
) -> Result<(), Failure> {
    let Some(path) = &args.demand else { return Ok(()) };
    let level = match args.level {
        DemandLevel::Average => Level::Average,
        DemandLevel::P95 => Level::P95,
        DemandLevel::P99 => Level::P99,
        DemandLevel::Peak => Level::Peak,
    };
    let demand: Option<Demand> = match (fleet, series.databases.first()) {
        (Some(fleet), _) if fleet.figures.is_empty() => {
            let error = anyhow!(
                "the reports of these {} databases are never of the same time for all, and a demand of all of them would be made up",
                series.databases.len()
            );
            return Err(Failure::input(error).hint(
                "give reports of the same snapshots, or name those that are with --database NAME".to_owned(),
            ));
        }
        (Some(fleet), _) => fleet.demand(level, named),
        (None, database) => database.and_then(|database| database.demand(level, named)),
    };
    let demand = demand.ok_or_else(|| {
        let names: Vec<&str> = series.databases.iter().map(|one| one.database.as_str()).collect();
        let names = in_brief(&names, MOST_NAMES, MOST_NAMES - 1);
        Failure::input(anyhow!("the reports of {names} have no rates with a size of I/O"))
    })?;
    write_output(path, demand.to_toml().as_bytes(), args.files.overwrite)
}
