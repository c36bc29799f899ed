//! `iotrial watch`: is the storage good enough, by counters that somebody else made grow; of a file, or live.

mod files;
mod live;
mod live_block;

use std::path::Path;
use std::process::ExitCode;

use anyhow::anyhow;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_analysis::watch::{WatchAnswer, WatchRequest, demand_of, threshold_sets};
use iotrial_model::counters::CounterSeries;
use iotrial_report::document::Document;
use iotrial_session::judged_profile::load_thresholds;

use crate::cli::WatchArgs;
use crate::command::size::demand::counted_demand;
use crate::failure::{Failure, INCONCLUSIVE};
use crate::intake::{STANDARD_INPUT, expect_thresholds};
use crate::next::{self, DURATIONS};
use crate::output::harmless;
use crate::outputs::{Content, Outputs};
use crate::presentation::{Presentation, Value};
use crate::shell_line::quoted;

/// What is watched live, where it is not recorded.
const THIS_HOST: &str = "this host";

/// What the figures of a series are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Basis {
    /// Rates of each interval.
    Rates,
    /// Means since the machine was started, which are not a demand.
    SinceStart,
}

/// Latencies are beyond the limits.
const NOT_GOOD_ENOUGH: u8 = 1;

/// Reads files of counters, or watches disks.
pub fn watch(args: &WatchArgs) -> Result<ExitCode, Failure> {
    let outputs = Outputs::new(&args.files, args.json)
        .and("--demand", args.demand.as_ref(), Content::Format("iotrial.demand/"))
        .and("--record", args.record.as_ref(), Content::Format("iotrial.watch/"))
        .checked()?;
    let request = request_of(args)?;
    let is_file = |path: &&std::path::PathBuf| path.as_path() == Path::new(STANDARD_INPUT) || path.is_file();
    match args.what.iter().filter(is_file).count() {
        0 => live::watch_live(args, &outputs, &request),
        count if count == args.what.len() => files::watch_files(args, &outputs, &request),
        _ => {
            let error = anyhow!("counter files and disks to watch live cannot be combined");
            Err(Failure::input(error)
                .hint("a directory or a device is watched, a regular file is read".to_owned()))
        }
    }
}

fn request_of(args: &WatchArgs) -> Result<WatchRequest, Failure> {
    let sets: Vec<ThresholdSet> = if args.thresholds.is_empty() {
        let names = threshold_sets(args.database.map(Into::into));
        names
            .iter()
            .map(|name| ThresholdSet::builtin(name))
            .collect::<Result<_, _>>()
            .map_err(Failure::input)?
    } else {
        let load = |name: &String| {
            expect_thresholds(Some(name), "watch --thresholds")?;
            load_thresholds(Path::new(""), name).map_err(Failure::from)
        };
        args.thresholds.iter().map(load).collect::<Result<_, _>>()?
    };
    Ok(WatchRequest {
        thresholds: sets,
        roles: args.roles.clone(),
        disks: args.disks.clone(),
        stripes: args.stripes.iter().map(|names| names.0.clone()).collect(),
        baseline: args
            .baseline
            .as_ref()
            .map(|path| files::read(std::slice::from_ref(path), true).map(|(series, _)| series))
            .transpose()?,
    })
}

/// What counters say, as files, on the terminal, or as JSON; with the demand where it is wanted.
fn show(
    args: &WatchArgs,
    outputs: &Outputs,
    series: &CounterSeries,
    request: &WatchRequest,
    (name, basis): (&str, Basis),
) -> Result<ExitCode, Failure> {
    let answer = WatchAnswer::of(series, request).map_err(|error| {
        let hint = format!("there are {}", harmless(&error.known.join(", ")));
        Failure::input(error).hint(hint)
    })?;
    let document = Document::of_watch(&answer, &harmless(name));
    if let Some(path) = &args.demand {
        let demand = counted_demand(name, series, request, args.percentile)?;
        outputs.write(path, demand.to_toml().as_bytes())?;
    }
    let others = args.demand.iter().map(|path| ("demand", &**path)).collect();
    let presentation = Presentation { others, ..Presentation::new(&document, vec![Value::alone(&answer)]) };
    presentation.with_next(next_step(args, outputs, series, request, (name, basis))).show(outputs)?;
    Ok(exit_code_of(&answer))
}

fn exit_code_of(answer: &WatchAnswer) -> ExitCode {
    match answer.is_good {
        Some(true) => ExitCode::SUCCESS,
        Some(false) => ExitCode::from(NOT_GOOD_ENOUGH),
        None => ExitCode::from(INCONCLUSIVE),
    }
}

/// What to do with the answer.
fn next_step(
    args: &WatchArgs,
    outputs: &Outputs,
    series: &CounterSeries,
    request: &WatchRequest,
    (name, basis): (&str, Basis),
) -> Option<String> {
    if let Some(path) = &args.demand {
        let path = quoted(&path.display().to_string());
        return Some(format!("iotrial size --demand {path}   # what to buy for it"));
    }
    // What came through a pipe is gone.
    if name == STANDARD_INPUT {
        return None;
    }
    if name == THIS_HOST {
        let typed = next::without("watch", &DURATIONS)?;
        return Some(format!("{typed} --duration 10m --record watch.jsonl   # long enough for a demand"));
    }
    let typed = match &args.record {
        // Roles are in it already.
        Some(_) => format!("iotrial watch {}", quoted(name)),
        None => next::without("watch", &[])?,
    };
    if basis == Basis::Rates && demand_of(name, series, request, 95.0).is_ok() {
        // Not both at once: what is not good enough ends with another code than 0.
        return Some(format!("{typed} --demand demand.toml   # writes the demand for `iotrial size`"));
    }
    outputs.page().is_none().then(|| format!("{typed} --html watch.html   # a page with charts"))
}
