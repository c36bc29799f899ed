//! Files of counters.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use iotrial_analysis::watch::WatchRequest;
use iotrial_import::Naming;
use iotrial_model::counters::{CounterSeries, Counters, Snapshots};

use super::{Basis, show};
use crate::cli::WatchArgs;
use crate::command::size::demand::series_of;
use crate::failure::Failure;
use crate::intake::{Folders, Input, Intake, Takes, open_source, pass_over};
use crate::output::say;
use crate::outputs::Outputs;

const TAKES: Takes = Takes {
    command: "watch",
    what: "counters: PerfMon CSV, iostat, sar, snapshots of files, or a recording of its own",
};

/// Shows what the files say. Several are a log that rolled over, or snapshots of one system: the rates are between them.
pub fn watch_files(args: &WatchArgs, outputs: &Outputs, request: &WatchRequest) -> Result<ExitCode, Failure> {
    for (option, is_given) in [
        ("--record", args.record.is_some()),
        ("--listen", args.listen.is_some()),
        ("--duration", args.duration.is_some()),
    ] {
        if is_given {
            let error = anyhow!("{option} is for disks that are watched live, and a file was given");
            return Err(Failure::input(error).hint("leave it out, or leave the file out".to_owned()));
        }
    }
    // A mean since the start is shown, and is no demand.
    let (series, basis) = read(&args.what, args.demand.is_some())?;
    let name = args.what.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ");
    show(args, outputs, &series, request, (&name, basis))
}

/// The rates in some files, consecutive ones of one system; of a single snapshot the mean since the start, unless there must be several.
pub(super) fn read(paths: &[PathBuf], needs_rates: bool) -> Result<(CounterSeries, Basis), Failure> {
    // An archive stands for the files in it; a folder is watched live, and does not come here.
    let intake = Intake { takes: TAKES, folders: Folders::Files, store: None, study_profile: None };
    let (mut snapshots, mut series): (Option<Snapshots>, Vec<(String, CounterSeries)>) = Default::default();
    let sources = intake.find(paths)?;
    for source in &sources {
        let name = source.path.display().to_string();
        let counters = match open_source(source, &Naming::default()) {
            Ok(Input::Counters(counters)) => counters,
            Ok(other) if source.is_named => return Err(TAKES.refuse(&name, other.kind())),
            Ok(other) => {
                pass_over(&TAKES.refuse(&name, other.kind()));
                continue;
            }
            Err(error) if error.is_foreign() && !source.is_named => {
                pass_over(&error.into());
                continue;
            }
            Err(error) => return Err(TAKES.with_hint(error)),
        };
        match (counters, &mut snapshots) {
            (Counters::Series(one), None) => series.push((name, one)),
            (Counters::Snapshots(one), _) if series.is_empty() => {
                snapshots = Some(match snapshots.take() {
                    Some(earlier) => joined(earlier, one)?,
                    None => one,
                });
            }
            _ => {
                let error = anyhow!(
                    "snapshots and rates cannot be combined, and `{name}` has a different kind than the file before it"
                );
                return Err(Failure::input(error).hint("give the snapshots alone".to_owned()));
            }
        }
    }
    if snapshots.is_none() && series.is_empty() {
        return Err(Failure::input(anyhow!("there are no counters among the {} files", sources.len())));
    }
    let name = paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ");
    let (series, basis) = match snapshots {
        Some(snapshots) => match snapshots.since_start().filter(|_| !needs_rates) {
            Some(since_start) => (since_start, Basis::SinceStart),
            None => (series_of(&name, Counters::Snapshots(snapshots))?, Basis::Rates),
        },
        None => {
            let joined = CounterSeries::of_files(series).map_err(|error| {
                let hint = error.hint().to_owned();
                Failure::input(error).hint(hint)
            })?;
            (joined, Basis::Rates)
        }
    };
    if series.interval_count == 0 {
        say!("warning: there is no interval in it");
    }
    Ok((series, basis))
}

fn joined(some: Snapshots, more: Snapshots) -> Result<Snapshots, Failure> {
    some.join(more).map_err(|error| {
        let hint = error.hint().map(str::to_owned);
        Failure::input(error).hint(hint)
    })
}
