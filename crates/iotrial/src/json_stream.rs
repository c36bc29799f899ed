//! `--json-stream`: a load in JSON Lines while it is made.
//!
//! A thread of its own writes, so that a reader that is slow never delays the load: what it does not take in time is left out, and the
//! numbers of the lines show the gap. One that goes away ends the stream and nothing else.

use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use iotrial_analysis::live_load::{LiveFigures, LiveInterval, LoadFigures};
use iotrial_model::load::{BlockSizes, Pattern, Role};
use iotrial_model::plan::Job;
use iotrial_model::record::{EndedHow, RunRecord};
use serde::Serialize;

use crate::failure::Failure;
use crate::output;

/// Lines that wait for the reader, at most: a quarter of an hour.
const MOST_WAITING: usize = 900;
/// The layout is told no more often.
const LAYOUT_EVERY: Duration = Duration::from_secs(1);

/// Writes what happens, line by line.
pub struct JsonStream {
    state: Mutex<State>,
}

struct State {
    /// `None` where nobody reads on, and after the end.
    lines: Option<SyncSender<String>>,
    writer: Option<JoinHandle<Result<(), Failure>>>,
    /// Lines so far, with those that were left out.
    count: u64,
    left_out: u64,
    /// The load under way, from 1.
    load: u64,
    layout: Option<Instant>,
}

/// One line. The number comes first, so that a gap is seen by whoever looks.
#[derive(Serialize)]
struct Line<T> {
    kind: &'static str,
    line: u64,
    #[serde(flatten)]
    value: T,
}

#[derive(Serialize)]
struct Layout {
    phase: &'static str,
    done_bytes: u64,
    total_bytes: u64,
}

#[derive(Serialize)]
struct Load<'r> {
    load: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'r str>,
    profile: &'r str,
    engine: &'static str,
    duration_s: f64,
    /// Outstanding I/Os of all jobs.
    iodepth: u32,
    jobs: Vec<LoadJob<'r>>,
}

#[derive(Serialize)]
struct LeftOut {
    line_count: u64,
}

/// A job, by the keys of a plan.
#[derive(Serialize)]
struct LoadJob<'r> {
    name: &'r str,
    role: Role,
    pattern: Pattern,
    rwmix_read_percent: u8,
    #[serde(flatten)]
    block_size: &'r BlockSizes,
    iodepth: u32,
}

#[derive(Serialize)]
struct Interval<'i> {
    load: u64,
    phase: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<usize>,
    elapsed_s: f64,
    left_s: f64,
    measured_s: f64,
    #[serde(flatten)]
    figures: &'i LiveFigures,
}

#[derive(Serialize)]
struct LoadEnd<'r> {
    load: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'r str>,
    ended: EndedHow,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_reason: Option<&'r str>,
    #[serde(flatten)]
    figures: LoadFigures,
}

impl<'r> LoadJob<'r> {
    fn of(job: &'r Job) -> Self {
        Self {
            name: &job.name,
            role: job.role,
            pattern: job.pattern,
            rwmix_read_percent: job.rwmix_read_percent,
            block_size: &job.block_size,
            iodepth: job.total_iodepth(),
        }
    }
}

impl JsonStream {
    /// A stream to standard output.
    pub fn begin() -> Result<Self, Failure> {
        let (lines, waiting) = sync_channel::<String>(MOST_WAITING);
        let write = move || -> Result<(), Failure> {
            // Ends with the last line, or where nobody reads on: what is sent then goes nowhere.
            for line in waiting {
                if !output::line_of_json(&line)? {
                    break;
                }
            }
            Ok(())
        };
        let writer = std::thread::Builder::new().name("json-stream".to_owned()).spawn(write);
        let writer = writer.context("cannot start a thread").map_err(Failure::execution)?;
        let state =
            State { lines: Some(lines), writer: Some(writer), count: 0, left_out: 0, load: 0, layout: None };
        Ok(Self { state: Mutex::new(state) })
    }

    /// So many bytes of all test files are written.
    pub fn layout(&self, done_bytes: u64, total_bytes: u64) {
        let mut state = self.state();
        let is_due = state.layout.is_none_or(|told| told.elapsed() >= LAYOUT_EVERY);
        if is_due || done_bytes >= total_bytes {
            state.layout = Some(Instant::now());
            state.send("layout", Layout { phase: "layout", done_bytes, total_bytes });
        }
    }

    /// The load of a record begins.
    pub fn start(&self, record: &RunRecord) {
        let mut state = self.state();
        state.load += 1;
        let plan = &record.plan;
        let line = Load {
            load: state.load,
            label: record.label.as_deref(),
            profile: &plan.profile,
            engine: plan.engine.as_str(),
            duration_s: plan.duration().as_secs_f64(),
            iodepth: plan.total_iodepth(),
            jobs: plan.jobs.iter().map(LoadJob::of).collect(),
        };
        state.send("load", line);
    }

    /// An interval of it is over.
    pub fn interval(&self, interval: &LiveInterval<'_>) {
        let line = Interval {
            load: interval.load(),
            phase: interval.phase().as_str(),
            step: interval.step().map(|(step, _)| step),
            elapsed_s: interval.elapsed().as_secs_f64(),
            left_s: interval.left().as_secs_f64(),
            measured_s: interval.duration().as_secs_f64(),
            figures: interval.figures(),
        };
        self.state().send("interval", line);
    }

    /// The load is over, and what it brought is in its record.
    pub fn ended(&self, record: &RunRecord) {
        let mut state = self.state();
        let line = LoadEnd {
            load: state.load,
            label: record.label.as_deref(),
            ended: record.ended.how,
            ended_reason: record.ended.reason.as_deref(),
            figures: LoadFigures::of(record),
        };
        state.send("load-end", line);
    }

    /// Waits until everything is written, and says how much a slow reader missed; what follows on standard output comes behind it.
    pub fn end(&self) -> Result<(), Failure> {
        let (writer, line, line_count) = {
            let mut state = self.state();
            state.lines = None;
            (state.writer.take(), state.count + 1, state.left_out)
        };
        match writer.map(JoinHandle::join) {
            None => return Ok(()),
            Some(Ok(written)) => written?,
            Some(Err(_)) => {
                return Err(Failure::execution(anyhow!("the thread of --json-stream ended by itself")));
            }
        }
        if line_count > 0 {
            // Nobody may read on by now, which is no error.
            output::json_line(&Line { kind: "left-out", line, value: LeftOut { line_count } })?;
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Hands a line over, and waits for nobody.
    fn send(&mut self, kind: &'static str, value: impl Serialize) {
        let Some(lines) = &self.lines else { return };
        self.count += 1;
        let line = output::json_text(&Line { kind, line: self.count, value });
        match lines.try_send(line) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => self.left_out += 1,
            Err(TrySendError::Disconnected(_)) => self.lines = None,
        }
    }
}
