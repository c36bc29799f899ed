//! `iotrial awr`: what reports of Oracle say of I/O.

mod replay;
mod slob;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use iotrial_analysis::awr::{
    AwrAnswer, AwrSample, AwrSeries, DatabaseSeries, Level, Replay, SlobReport, is_slob_report,
};
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::awr::{AwrKind, AwrReport};
use iotrial_model::demand::Demand;
use iotrial_report::document::Document;
use serde::Serialize;

use crate::cli::{AwrArgs, DemandLevel};
use crate::failure::Failure;
use crate::intake::{Folders, Input, Intake, IntakeError, Source, Takes};
use crate::output::{self, harmless, say};
use crate::presentation::{Presentation, Value};
use crate::report_files::{check_is_writable, write_output};

const TAKES: Takes = Takes { command: "awr", what: "AWR and Statspack reports, and output of AWR-Miner" };

/// Some files of several could not be read.
const NOT_ALL: u8 = 1;

/// What is kept of a file: the whole report only where it is the only one.
struct OfFile {
    samples: Vec<AwrSample>,
    whole: Option<Box<AwrReport>>,
    /// Only where runs of SLOB are asked for.
    slob: Vec<SlobReport>,
}

/// What `--json` prints: what is said of the reports, and what the profile has in it.
#[derive(Serialize)]
struct WithReplay<'w, T> {
    #[serde(flatten)]
    value: &'w T,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<&'w Replay>,
}

/// Reads the reports, and shows what they say.
pub fn awr(args: &AwrArgs) -> Result<ExitCode, Failure> {
    let thresholds = args.profile.as_deref().map(replay::thresholds_of);
    let written = [("--demand", args.demand.as_deref()), ("--profile", args.profile.as_deref())];
    let written = written.into_iter().chain([("the limits of --profile", thresholds.as_deref())]);
    let written: Vec<_> = written.filter_map(|(option, path)| Some((option, path?))).collect();
    args.files.check(args.json, &written)?;
    args.files.check_are_writable()?;
    if let Some(path) = &args.demand {
        check_is_writable(path, args.files.overwrite)?;
    }
    replay::check_files(args)?;
    let intake = Intake { takes: TAKES, folders: Folders::Files, store: None, study_profile: None };
    let sources = intake.find(&args.reports)?;
    let is_only_one = sources.len() == 1;
    let opened = intake.open_all(sources, |source, input| of_file(source, input, is_only_one, args.slob))?;
    let (mut samples, mut whole, mut failed, mut passed_over) = (Vec::new(), None, Vec::new(), 0);
    let mut of_slob = Vec::new();
    for (source, result) in opened {
        match result {
            Ok(file) => {
                samples.extend(file.samples);
                of_slob.extend(file.slob);
                whole = file.whole.map(|report| (report, source.path));
            }
            Err(Some(failure)) => failed.push(failure),
            Err(None) => passed_over += 1,
        }
    }
    if passed_over > 0 {
        say!("note: {passed_over} files in the folder are no AWR reports, and left out");
    }
    // Before the answer, so that they are not lost above pages of it.
    let failures = failed.len();
    if samples.is_empty() {
        let none = || Failure::input(anyhow!("there is no AWR report among these files"));
        return Err(failed.into_iter().next().unwrap_or_else(none));
    }
    failed.iter().for_each(|failure| say!("{failure}"));
    let named = args.reports.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ");
    if args.slob {
        slob::show(args, of_slob)?;
    } else {
        show(args, AwrSeries::of(samples), whole, &named)?;
    }
    Ok(if failures > 0 { ExitCode::from(NOT_ALL) } else { ExitCode::SUCCESS })
}

fn show(
    args: &AwrArgs,
    series: AwrSeries,
    whole: Option<(Box<AwrReport>, PathBuf)>,
    named: &str,
) -> Result<(), Failure> {
    let load = replay::replay(args, &series, named)?;
    let mut others: Vec<_> = args.demand.iter().map(|path| ("demand", path.as_path())).collect();
    let replay = load.as_ref().map(|load| &load.replay);
    let write = || {
        write_demand(args, &series, named)?;
        load.as_ref().map_or(Ok(()), |load| load.write(args.files.overwrite))
    };
    if let Some(load) = &load {
        others.extend(load.others());
    }
    let with_load = |mut document: Document| {
        replay.into_iter().for_each(|replay| document.add_awr_replay(replay));
        document
    };
    match whole {
        Some((report, path)) => {
            let thresholds = ThresholdSet::builtin("flash").map_err(Failure::input)?;
            let answer = AwrAnswer::of(*report, &thresholds);
            let document = with_load(Document::of_awr(&answer, &harmless(&path.display().to_string())));
            write()?;
            let shown = WithReplay { value: &answer, replay };
            let values = vec![Value::of_file(&path, &shown)];
            Presentation { others, ..Presentation::new(&document, values) }.show(&args.files, args.json)?;
        }
        None => {
            let document = with_load(Document::of_awr_series(&series));
            write()?;
            let shown = WithReplay { value: &series, replay };
            let values = vec![Value::alone(&shown)];
            Presentation { others, ..Presentation::new(&document, values) }.show(&args.files, args.json)?;
        }
    }
    if !args.json && !args.files.take_standard_output() {
        let next = match (&load, &args.demand) {
            (Some(load), _) => load.next(),
            (None, Some(path)) => format!("iotrial size --demand {}", path.display()),
            (None, None) if series.databases.len() == 1 => {
                format!("iotrial awr {named} --demand demand.toml")
            }
            (None, None) => format!("iotrial awr {named} --html awr.html"),
        };
        output::text(&format!("\nnext: {}\n", harmless(&next)))?;
    }
    Ok(())
}

/// `None` as an error: a folder of reports holds other things too.
fn of_file(
    source: &Source,
    input: Result<Input, IntakeError>,
    is_only_one: bool,
    for_slob: bool,
) -> Result<OfFile, Option<Failure>> {
    let input = match input {
        Ok(input) => input,
        Err(error) if error.is_foreign() && !source.is_named => return Err(None),
        Err(error) => return Err(Some(TAKES.with_hint(error))),
    };
    let kind = input.kind();
    let Input::Awr(reports) = input else {
        let refuse = || TAKES.refuse(&source.path.to_string_lossy(), kind);
        return Err(source.is_named.then(refuse));
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

fn write_demand(args: &AwrArgs, series: &AwrSeries, named: &str) -> Result<(), Failure> {
    let Some(path) = &args.demand else { return Ok(()) };
    let database = only_database(series, "a demand")?;
    let demand: Demand = database.demand(level_of(args.level), named).ok_or_else(|| {
        Failure::input(anyhow!("the reports of {} have no rates with a size of I/O", database.database))
    })?;
    write_output(path, demand.to_toml().as_bytes(), args.files.overwrite)
}

/// The database whose I/O is asked for; `what` is of one.
fn only_database<'s>(series: &'s AwrSeries, what: &str) -> Result<&'s DatabaseSeries, Failure> {
    let [database] = series.databases.as_slice() else {
        let error =
            anyhow!("these are reports of {} databases, and {what} is of one", series.databases.len());
        return Err(Failure::input(error).hint("give the reports of one database".to_owned()));
    };
    Ok(database)
}

const fn level_of(level: DemandLevel) -> Level {
    match level {
        DemandLevel::Average => Level::Average,
        DemandLevel::P95 => Level::P95,
        DemandLevel::P99 => Level::P99,
        DemandLevel::Peak => Level::Peak,
    }
}
