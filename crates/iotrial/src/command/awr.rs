//! `iotrial awr`: what reports of Oracle say of I/O.

mod replay;
mod slob;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use iotrial_analysis::awr::{
    AwrAnswer, AwrFleet, AwrSample, AwrSeries, DatabaseSeries, Replay, SlobReport, is_slob_report,
};
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::awr::{AwrKind, AwrReport, FileFact, FileNote};
use iotrial_model::demand::Demand;
use iotrial_model::words::in_brief;
use iotrial_report::awr::by_need;
use iotrial_report::document::Document;
use iotrial_words::awr::file_note;
use serde::Serialize;

use crate::cli::AwrArgs;
use crate::failure::{Failure, NOT_ALL_READ};
use crate::intake::{Folders, Input, Intake, IntakeError, Source, Takes};
use crate::next;
use crate::output::{self, harmless, say};
use crate::outputs::{Content, Outputs};
use crate::presentation::{Presentation, Value};
use crate::shell_line::{self, quoted};

const TAKES: Takes = Takes { command: "awr", what: "AWR and Statspack reports, and output of AWR-Miner" };

/// Names in one line.
const MOST_NAMES: usize = 6;

/// What is kept of a file: the whole report only where it is the only one.
struct OfFile {
    samples: Vec<AwrSample>,
    whole: Option<Box<AwrReport>>,
    /// Only where runs of SLOB are asked for.
    slob: Vec<SlobReport>,
}

/// Reads the reports, and shows what they say.
pub fn awr(args: &AwrArgs) -> Result<ExitCode, Failure> {
    let thresholds = args.profile.as_deref().map(|profile| replay::thresholds_of(profile).into());
    let outputs = Outputs::new(&args.files, args.json)
        .and("--demand", args.demand.as_ref(), Content::Format("iotrial.demand/"))
        .and("--profile", args.profile.as_ref(), Content::Format("iotrial.profile/"))
        .and("the limits of --profile", thresholds.as_ref(), Content::Format("iotrial.thresholds/"))
        .checked()?;
    let intake = Intake { takes: TAKES, folders: Folders::Files, store: None, study_profile: None };
    let sources = intake.find(&args.reports)?;
    let is_only_one = sources.len() == 1;
    let opened = intake.open_all(sources, |source, input| of_file(source, input, is_only_one, args.slob))?;
    let mut of_slob = Vec::new();
    let (mut samples, mut whole, mut failed, mut unread, mut passed_over) =
        (Vec::new(), None, Vec::new(), Vec::new(), Vec::new());
    for (source, result) in opened {
        match result {
            Ok(file) => {
                samples.extend(file.samples);
                of_slob.extend(file.slob);
                whole = file.whole.map(|report| (report, source.path));
            }
            Err(Unread::Failed { failure, why }) => {
                let file = harmless(&source.path.display().to_string());
                unread.push(FileNote { file, fact: FileFact::Unread(harmless(&why)) });
                failed.push(failure);
            }
            Err(Unread::SomethingElse) => passed_over.push(harmless(&source.path.display().to_string())),
        }
    }
    if !passed_over.is_empty() {
        let names = in_brief(&passed_over, MOST_NAMES, MOST_NAMES - 1);
        let what = match passed_over.len() {
            1 => "1 file in the folder that is not an AWR report".to_owned(),
            count => format!("{count} files in the folder that are not AWR reports"),
        };
        say!("note: skipped {what}: {names}");
    }
    // Before the answer, so that they are not lost above pages of it.
    if samples.is_empty() {
        let last = failed.pop();
        failed.iter().for_each(output::tell);
        return Err(
            last.unwrap_or_else(|| Failure::input(anyhow!("there is no AWR report among these files")))
        );
    }
    failed.iter().for_each(output::tell);
    let named = args.reports.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ");
    let cut_off: Vec<FileNote> = samples.iter().filter_map(AwrSample::cut_note).collect();
    let has_cut = !cut_off.is_empty();
    if args.slob {
        slob::show(&outputs, of_slob, cut_off)?;
    } else {
        let mut series = AwrSeries::of(samples).sized(&args.sizing.request());
        series.unread = unread;
        let shifts = &mut args.clock.iter();
        shifts.try_for_each(|one| series.shift(&one.database, one.seconds)).map_err(Failure::input)?;
        series.keep(&args.database).map_err(Failure::input)?;
        let fleet = AwrFleet::of(&series);
        show(args, &outputs, &Many { series: &series, fleet: fleet.as_ref(), named: &named }, whole)?;
    }
    // What was cut off was not read whole either.
    Ok(if failed.is_empty() && !has_cut { ExitCode::SUCCESS } else { ExitCode::from(NOT_ALL_READ) })
}

/// What the reports say together.
#[derive(Clone, Copy, Serialize)]
struct Many<'a> {
    #[serde(flatten)]
    series: &'a AwrSeries,
    /// What several databases ask together; absent of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    fleet: Option<&'a AwrFleet>,
    /// What the user calls the reports.
    #[serde(skip)]
    named: &'a str,
}

/// What `--json` prints: what is said of the reports, and what the profile has in it.
#[derive(Serialize)]
struct WithReplay<'w, T> {
    #[serde(flatten)]
    value: &'w T,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<&'w Replay>,
}

fn show(
    args: &AwrArgs,
    outputs: &Outputs,
    many: &Many<'_>,
    whole: Option<(Box<AwrReport>, PathBuf)>,
) -> Result<(), Failure> {
    let load = replay::replay(args, many.series, many.named)?;
    let mut others: Vec<_> = args.demand.iter().map(|path| ("demand", &**path)).collect();
    others.extend(load.iter().flat_map(replay::ReplayFiles::others));
    let replay = load.as_ref().map(|load| &load.replay);
    let write = || {
        write_demand(args, outputs, many)?;
        load.as_ref().map_or(Ok(()), |load| load.write(outputs))
    };
    let with_load = |mut document: Document| {
        replay.into_iter().for_each(|replay| document.add_awr_replay(replay));
        document
    };
    let next = load.as_ref().map_or_else(|| next_of(args, outputs, many), |load| Some(load.next()));
    match whole {
        Some((report, path)) => {
            let thresholds = ThresholdSet::builtin("flash").map_err(Failure::input)?;
            let answer = AwrAnswer::of(*report, &thresholds).sized(&args.sizing.request());
            let document = with_load(Document::of_awr(&answer, &harmless(&path.display().to_string())));
            write()?;
            let shown = WithReplay { value: &answer, replay };
            let values = vec![Value::of_file(&path, &shown)];
            Presentation { others, ..Presentation::new(&document, values) }.with_next(next).show(outputs)
        }
        None => {
            let document = with_load(Document::of_awr_series(many.series, many.fleet));
            write()?;
            let shown = WithReplay { value: many, replay };
            let values = vec![Value::alone(&shown)];
            Presentation { others, ..Presentation::new(&document, values) }.with_next(next).show(outputs)
        }
    }
}

/// What to do with the answer.
fn next_of(args: &AwrArgs, outputs: &Outputs, many: &Many<'_>) -> Option<String> {
    if let Some(path) = &args.demand {
        let path = quoted(&path.display().to_string());
        return Some(format!("iotrial size --demand {path}   # or: iotrial run --need {path} --target DIR"));
    }
    // What has no demand together may have one of each database.
    let command = if demand_of(args, many).is_ok() {
        let both = many.fleet.is_some() && args.files.html.is_none();
        let files = if both { "--demand fleet.toml --html fleet.html" } else { "--demand demand.toml" };
        next::without("awr", &[]).map(|typed| format!("{typed} {files}"))
    } else {
        let needed = by_need(many.series);
        let first = needed.first().filter(|_| many.fleet.is_some());
        first.and_then(|first| {
            let typed = next::without("awr", &["--database"])?;
            Some(format!(
                "{typed} {} --demand demand.toml",
                shell_line::option("--database", &first.database)
            ))
        })
    };
    command.map_or_else(
        || next::with_page("awr", outputs, "a page with the figures"),
        |command| Some(format!("{command}   # writes the demand for `iotrial size`")),
    )
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

fn of_file(
    source: &Source,
    input: Result<Input, IntakeError>,
    is_only_one: bool,
    for_slob: bool,
) -> Result<OfFile, Unread> {
    let input = match input {
        Ok(input) => input,
        Err(error) if (error.is_foreign() || error.is_of_another_tool()) && !source.is_named => {
            return Err(Unread::SomethingElse);
        }
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
    let of_slob = reports.iter().filter(|report| for_slob && is_slob_report(report));
    let slob = of_slob.map(|report| SlobReport::of(report, &name)).collect();
    // A snapshot of AWR-Miner is a point of a series, also where there is only one.
    let whole = match reports.into_iter().next() {
        Some(report) if is_only_one && report.kind != AwrKind::Miner => Some(Box::new(report)),
        _ => None,
    };
    Ok(OfFile { samples, whole, slob })
}

fn write_demand(args: &AwrArgs, outputs: &Outputs, many: &Many<'_>) -> Result<(), Failure> {
    let Some(path) = &args.demand else { return Ok(()) };
    outputs.write(path, demand_of(args, many)?.to_toml().as_bytes())
}

/// What the reports ask for, as `iotrial size` reads it.
fn demand_of(args: &AwrArgs, Many { series, fleet, named }: &Many<'_>) -> Result<Demand, Failure> {
    let request = args.sizing.request();
    let demand: Option<Demand> = match (*fleet, series.databases.first()) {
        (Some(fleet), _) if fleet.figures.is_empty() => {
            let error = anyhow!(
                "the reports of these {} databases never cover the same time, so there is no common demand",
                series.databases.len()
            );
            return Err(Failure::input(error).hint(
                "give reports that cover the same period, or select databases that have them with --database NAME"
                    .to_owned(),
            ));
        }
        (Some(fleet), _) => fleet.demand(&request, named),
        (None, database) => database.and_then(|database| database.demand(&request, named)),
    };
    // Whoever sizes by the file may never see the reports.
    let cut_off = series.cut_off.iter().map(file_note);
    let demand = demand.map(|demand| Demand { notes: cut_off.chain(demand.notes).collect(), ..demand });
    demand.ok_or_else(|| {
        let names: Vec<&str> = series.databases.iter().map(|one| one.database.as_str()).collect();
        let names = in_brief(&names, MOST_NAMES, MOST_NAMES - 1);
        Failure::input(anyhow!("the reports of {names} have no I/O rates with sizes"))
    })
}

/// The database whose I/O is asked for; `what` is of one.
fn only_database<'s>(series: &'s AwrSeries, what: &str) -> Result<&'s DatabaseSeries, Failure> {
    let [database] = series.databases.as_slice() else {
        let error = anyhow!(
            "these are reports of {} databases, but {what} needs a single one",
            series.databases.len()
        );
        return Err(Failure::input(error).hint("choose one with --database NAME".to_owned()));
    };
    Ok(database)
}
