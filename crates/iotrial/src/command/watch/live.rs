//! Disks of this host, live.

use std::fs::File;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, anyhow};
use iotrial_analysis::watch::{WatchAnswer, WatchRequest, limit_us};
use iotrial_host::machine::machine;
use iotrial_measure::disk_stats::disk_stats_of_this_host;
use iotrial_model::counters::RecordedInterval;
use iotrial_model::load::Direction;
use iotrial_report::exposition::{DiskExposition, ExposedDisk};
use iotrial_session::watch::{Watch, WatchError, Watched, WatchedDisk, WatchedRequest};
use serde::Serialize;

use super::live_block::{LiveBlock, plain_header, plain_lines};
use super::{Basis, THIS_HOST, exit_code_of, show};
use crate::cli::WatchArgs;
use crate::failure::Failure;
use crate::metrics_server::MetricsServer;
use crate::output::{self, say};
use crate::outputs::Outputs;
use crate::signal::control_without_a_word;

/// A header comes again after so many lines of intervals.
const HEADER_EVERY: usize = 20;

/// The last line of `--json`.
#[derive(Serialize)]
struct Summary<'a> {
    summary: &'a WatchAnswer,
}

/// Watches until the time is over or somebody stops it, and says then what it was.
pub fn watch_live(args: &WatchArgs, outputs: &Outputs, request: &WatchRequest) -> Result<ExitCode, Failure> {
    outputs.all_is_read()?;
    let mut targets = args.what.clone();
    targets.extend(args.disks.iter().map(std::path::PathBuf::from));
    let wanted = WatchedRequest { targets, roles: args.roles.clone(), stripes: request.stripes.clone() };
    let watched = Watched::find(&wanted).map_err(Failure::from)?;
    if watched.disks.is_empty() {
        let error = anyhow!("this host shows no disk");
        return Err(Failure::input(error)
            .hint("in a container the disks are those of its host: watch there".to_owned()));
    }
    let source = disk_stats_of_this_host().map_err(|error| Failure::from(WatchError::Counters(error)))?;
    let control = control_without_a_word()?;
    let host = machine().name;
    let mut watch = Watch::begin(watched, source, args.interval).map_err(Failure::from)?;
    // Before anything is written: a port in use must not cost the earlier recording.
    let server = args.listen.map(MetricsServer::bind).transpose()?;
    let mut recording = args.record.as_deref().map(|path| outputs.create(path)).transpose()?;
    let head = watch.head(&host);
    if let Some(file) = &mut recording {
        write_line(file, &head)?;
    }
    let (exposed, _serving) = match server {
        None => (None, None),
        Some(server) => {
            let exposed = Arc::new(Mutex::new(exposition(&watch, &host, args, request)));
            let shared = Arc::clone(&exposed);
            let serving = server.serve("the names and counters of these disks", move || {
                shared.lock().unwrap_or_else(PoisonError::into_inner).text()
            })?;
            (Some(exposed), Some(serving))
        }
    };
    let mut screen = Screen::new(args, &host, watch.watched());
    let mut is_heard = !args.json || output::json_line(&head)?;
    if is_heard {
        watch.run(args.duration, &control, |watch, interval| {
            if let Some(file) = &mut recording {
                write_line(file, interval)?;
            }
            if let Some(exposed) = &exposed {
                exposed.lock().unwrap_or_else(PoisonError::into_inner).add(interval);
            }
            is_heard = screen.show(watch.watched(), interval, request)?;
            // Who records or serves goes on without somebody who looks.
            if !is_heard && recording.is_none() && exposed.is_none() {
                control.stop();
            }
            Ok::<(), Failure>(())
        })?;
    }
    let series = watch.series(&host);
    if series.interval_count == 0 {
        say!("stopped before the first interval was over");
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &args.record {
        say!("recorded `{}`", path.display());
    }
    // Roles are at the disks already, by whatever name they were given.
    let request =
        WatchRequest { roles: Vec::new(), disks: Vec::new(), stripes: Vec::new(), ..request.clone() };
    if args.json {
        let answer = WatchAnswer::of(&series, &request).map_err(Failure::input)?;
        output::json_line(&Summary { summary: &answer })?;
        return Ok(exit_code_of(&answer));
    }
    if screen.has_painted() {
        output::text("\n")?;
    }
    let name = args.record.as_ref().map_or_else(|| THIS_HOST.to_owned(), |path| path.display().to_string());
    show(args, outputs, &series, &request, (&name, Basis::Rates))
}

/// What Prometheus is served, before anything happened.
fn exposition(watch: &Watch, host: &str, args: &WatchArgs, request: &WatchRequest) -> DiskExposition {
    let limit =
        |role, direction| limit_us(&request.thresholds, role, direction).map(|limit_us| limit_us / 1e6);
    let disk = |disk: &WatchedDisk| ExposedDisk {
        name: disk.name.clone(),
        role: disk.role,
        target: disk.target.clone(),
        limits_s: [Direction::Read, Direction::Write].map(|direction| limit(disk.role, direction)),
    };
    let disks = watch.watched().disks.iter().map(disk).collect();
    DiskExposition::new(env!("CARGO_PKG_VERSION"), host, args.interval.as_secs_f64(), disks)
}

/// One line, at once: a recording is whole up to the last interval, whatever happens next.
fn write_line(file: &mut File, value: &impl Serialize) -> Result<(), Failure> {
    let mut line = serde_json::to_string(value).expect("a recording is plain data");
    line.push('\n');
    file.write_all(line.as_bytes()).context("cannot write the recording").map_err(Failure::execution)
}

/// Where intervals are shown.
enum Screen {
    Json,
    /// How many lines came.
    Lines(usize),
    /// How many lines the block has that is there.
    Terminal(Box<LiveBlock>, usize),
}

impl Screen {
    fn new(args: &WatchArgs, host: &str, watched: &Watched) -> Self {
        if args.json {
            Self::Json
        } else if output::takes_escapes() {
            Self::Terminal(Box::new(LiveBlock::new(host, args.interval.as_secs_f64(), watched)), 0)
        } else {
            Self::Lines(0)
        }
    }

    /// Shows an interval; `false` where nobody looks any more.
    fn show(
        &mut self,
        watched: &Watched,
        interval: &RecordedInterval,
        request: &WatchRequest,
    ) -> Result<bool, Failure> {
        match self {
            Self::Json => output::json_line(interval),
            Self::Lines(count) => {
                let mut text = if *count % HEADER_EVERY == 0 { plain_header() } else { String::new() };
                *count += 1;
                text.push_str(&plain_lines(watched, interval, &request.thresholds));
                output::line_of_stream(&text)
            }
            Self::Terminal(block, earlier) => {
                block.add(watched, interval);
                // Asked each time: a window is resized while it is looked at.
                let (rows, columns) = console::Term::stdout().size();
                let size = (usize::from(columns), usize::from(rows));
                let lines = block.lines(watched, interval, &request.thresholds, size, output::has_colours());
                let is_heard = output::repaint(*earlier, &(lines.join("\n") + "\n"))?;
                *earlier = lines.len();
                Ok(is_heard)
            }
        }
    }

    const fn has_painted(&self) -> bool {
        matches!(self, Self::Terminal(_, 1..))
    }
}
