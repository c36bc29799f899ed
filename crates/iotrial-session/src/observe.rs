//! Standing beside a load on a database: its driver is run or runs already, and each second devices, CPUs and the database are asked what they did.
//!
//! The clients of the database and the driver are programs of others. Whatever becomes of the database, the load goes on and what was seen of it
//! is kept; whatever becomes of the load, no process of it is left behind.

mod client;
mod record;

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use iotrial_measure::activity::ActivitySnapshot;
use iotrial_measure::control::Control;
use iotrial_measure::disk_stats::disk_stats_of_this_host;
use iotrial_model::counters::{CounterSeries, RecordedInterval, RecordingHead};
use iotrial_model::database::{DatabaseKind, DatabaseSample, mysql, postgres};
use iotrial_model::database_run::{
    CpuShares, DatabaseFacts, DatabaseRun, DriverEnd, DriverReport, OutputLine,
};
use serde::Serialize;

pub use client::{ClientError, ClientRequest};
pub use record::{ObservedName, record_of};

use crate::fault::{Fault, on_one_line};
use crate::shell_command;
use crate::wall_clock;
use crate::watch::{Watch, WatchError, Watched, WatchedRequest};
use client::{Client, ClientAnswer};

/// What is asked of everybody so often.
const INTERVAL: Duration = Duration::from_secs(1);
/// Answers, output, the end of the driver and a stop are noticed within so long.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// A driver that was asked to end has so long.
const GRACE: Duration = Duration::from_secs(3);
/// Sessions report what they did when they end, which they may do a little after their client.
const SETTLE: Duration = Duration::from_millis(500);
/// What a driver printed last is waited for so long: a program that it left behind may hold its output open.
const LAST_OUTPUT: Duration = Duration::from_secs(1);
/// Of longer lines this much stays together.
const MOST_LINE: u64 = 1 << 16;
/// More output than this is kept without its beginning.
const MOST_OUTPUT: usize = 16 << 20;

/// What is to be watched.
#[derive(Debug, Clone)]
pub struct ObserveRequest {
    /// The database; `None` where it is not asked.
    pub database: Option<ClientRequest>,
    /// The devices.
    pub watched: WatchedRequest,
    /// What is left out at the beginning.
    pub ramp: Duration,
    /// How long it is watched behind the ramp; `None` until the driver ends or somebody stops it.
    pub duration: Option<Duration>,
    /// The driver with its arguments; empty where it runs already.
    pub command: Vec<OsString>,
}

/// Why nothing can be watched, before any load was made.
#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    /// The devices.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// The database does not answer.
    #[error("cannot ask {} for its statistics", kind.title())]
    Database {
        /// Which one.
        kind: DatabaseKind,
        /// Why.
        #[source]
        source: ClientError,
    },
    /// Somebody stopped it before it began.
    #[error("stopped before the load began")]
    Stopped,
    /// The driver cannot be started.
    #[error("cannot start `{program}`")]
    Driver {
        /// As it was given.
        program: String,
        /// What the operating system answered.
        #[source]
        source: io::Error,
    },
}

impl Fault for ObserveError {
    fn is_of_input(&self) -> bool {
        match self {
            Self::Watch(error) => error.is_of_input(),
            Self::Driver { .. } => true,
            Self::Database { .. } | Self::Stopped => false,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Watch(error) => error.hint(),
            Self::Database { source, .. } => Some(source.hint()),
            Self::Driver { .. } => Some(
                "give the program with its arguments behind `--`; for a pipe or a variable, `-- sh -c '…'`"
                    .to_owned(),
            ),
            Self::Stopped => None,
        }
    }
}

/// What there is to see meanwhile.
pub enum ObserveEvent<'e> {
    /// What a recording begins with.
    Begin(&'e RecordingHead),
    /// A line of the driver.
    Output(&'e str),
    /// What everybody must know.
    Warning(&'e str),
    /// A second is over.
    Interval(&'e ObservedInterval<'e>),
}

/// A second: a line of a recording. What counters of devices are read from it by `watch`.
#[derive(Debug, Serialize)]
pub struct ObservedInterval<'i> {
    /// The devices.
    #[serde(flatten)]
    pub interval: &'i RecordedInterval,
    /// The newest answer of the database; absent where none came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<&'i DatabaseSample>,
    /// What the driver printed.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub output: &'i [String],
}

/// The facts of a load, without what its output means: that reads whoever knows the programs.
pub struct Observed {
    /// All but the report of the driver.
    pub run: DatabaseRun,
    /// The lines of the driver.
    pub output: Vec<OutputLine>,
}

/// Runs the driver, or watches for a time, until its end.
///
/// # Errors
///
/// When a device, the database or the driver is not there, all before any load; or when the devices cannot be counted any more, which ends
/// the load. What else fails later is in what comes back.
pub fn observe(
    request: &ObserveRequest,
    host: &str,
    control: &Control,
    hear: &mut dyn FnMut(ObserveEvent<'_>),
) -> Result<Observed, ObserveError> {
    let watched = Watched::find(&request.watched)?;
    let mut database = request.database.as_ref().map(|client| Database::open(client, control)).transpose()?;
    let source = disk_stats_of_this_host().map_err(WatchError::Counters)?;
    let mut watch = Watch::begin(watched, source, INTERVAL)?;
    let started_at = wall_clock::now().to_string();
    let mut driver = Driver::start(&request.command)?;
    let clock = Instant::now();
    if let Some(database) = &mut database {
        database.begin(clock);
    }
    hear(ObserveEvent::Begin(&watch.head(host)));
    let mut cpu = CpuWatch::default();
    if request.ramp.is_zero() {
        cpu.look();
    }
    let mut due = clock;
    let end = request.duration.map(|duration| clock + request.ramp + duration);
    loop {
        // From the start and not from the last reading, so that delays do not add up; what was missed is not made up for.
        due = (due + INTERVAL).max(Instant::now());
        let next = end.map_or(due, |end| due.min(end));
        let is_over = loop {
            driver.hear(clock, hear);
            if let Some(database) = &mut database {
                database.hear(clock, hear);
            }
            let now = Instant::now();
            let is_stopped = control.is_stopping() && !driver.is_there();
            if is_stopped || driver.has_ended(control) || end.is_some_and(|end| now >= end) {
                break true;
            }
            if now >= next {
                break false;
            }
            std::thread::sleep(LOOK_EVERY.min(next - now));
        };
        if is_over {
            break;
        }
        step(&mut watch, &mut driver, database.as_mut(), hear)?;
        if let Some(database) = &mut database {
            database.ask();
        }
        if clock.elapsed() >= request.ramp {
            cpu.look();
        }
    }
    let ended_s = clock.elapsed().as_secs_f64();
    let cpu = cpu.shares(driver.pid());
    driver.hear_out(clock, hear);
    step(&mut watch, &mut driver, database.as_mut(), hear)?;
    let database = database.map(|database| database.end(clock, control, hear));
    let (driver, output) = driver.end();
    Ok(Observed {
        run: DatabaseRun {
            host: host.to_owned(),
            started_at,
            ramp_s: request.ramp.as_secs_f64(),
            ended_s,
            is_stopped: control.is_stopping() && driver.is_some(),
            database,
            disks: measured(watch.series(host), request.ramp),
            cpu,
            driver,
            report: DriverReport::default(),
        },
        output,
    })
}

/// Reads the counters of the devices, and hands out what came since the last time.
fn step(
    watch: &mut Watch,
    driver: &mut Driver,
    database: Option<&mut Database>,
    hear: &mut dyn FnMut(ObserveEvent<'_>),
) -> Result<(), WatchError> {
    let interval = watch.step()?;
    let output = driver.take_new();
    let sample = database.and_then(Database::take_new);
    hear(ObserveEvent::Interval(&ObservedInterval {
        interval: &interval,
        database: sample.as_ref(),
        output: &output,
    }));
    Ok(())
}

/// Without the intervals that began in the ramp, and without the rest of a second at the end, which says more of the end than of the load.
fn measured(mut series: CounterSeries, ramp: Duration) -> CounterSeries {
    if series.durations_s.last().is_some_and(|length_s| *length_s < INTERVAL.as_secs_f64() / 2.0) {
        series.remove_last();
    }
    let mut begins_s = 0.0;
    // One that begins a little before the end of the ramp is not of it: no interval ends exactly when it should.
    let slack_s = INTERVAL.as_secs_f64() / 10.0;
    while series.interval_count > 0 && begins_s + slack_s < ramp.as_secs_f64() {
        begins_s += series.durations_s.first().copied().unwrap_or(INTERVAL.as_secs_f64());
        series.remove_first();
    }
    series
}

/// CPU times behind the ramp: the first and the last look.
#[derive(Default)]
struct CpuWatch {
    first: Option<ActivitySnapshot>,
    last: Option<ActivitySnapshot>,
}

impl CpuWatch {
    fn look(&mut self) {
        let now = ActivitySnapshot::now();
        if self.first.is_none() {
            self.first = now;
        } else {
            self.last = now;
        }
    }

    fn shares(&self, driver: Option<u32>) -> Option<CpuShares> {
        Some(self.last.as_ref()?.cpu_since(self.first.as_ref()?, driver))
    }
}

/// The program that makes the load, or nothing where it runs already.
struct Driver {
    process: Option<Process>,
    lines: VecDeque<OutputLine>,
    bytes: usize,
    /// Lines since the last interval.
    new: Vec<String>,
}

struct Process {
    child: Child,
    program: String,
    output: mpsc::Receiver<(Instant, String)>,
    status: Option<ExitStatus>,
    asked_to_end: Option<Instant>,
    /// Whether nothing more can come.
    is_heard_out: bool,
}

impl Driver {
    fn start(words: &[OsString]) -> Result<Self, ObserveError> {
        let process = if words.is_empty() { None } else { Some(Process::start(words)?) };
        Ok(Self { process, lines: VecDeque::new(), bytes: 0, new: Vec::new() })
    }

    const fn is_there(&self) -> bool {
        self.process.is_some()
    }

    fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(|process| process.child.id())
    }

    /// Whether it is over; a stop ends it.
    fn has_ended(&mut self, control: &Control) -> bool {
        self.process.as_mut().is_some_and(|process| process.has_ended(control))
    }

    /// Takes what it printed.
    fn hear(&mut self, clock: Instant, hear: &mut dyn FnMut(ObserveEvent<'_>)) {
        let Some(process) = &mut self.process else { return };
        loop {
            let (at, text) = match process.output.try_recv() {
                Ok(line) => line,
                Err(mpsc::TryRecvError::Empty) => return,
                Err(mpsc::TryRecvError::Disconnected) => {
                    process.is_heard_out = true;
                    return;
                }
            };
            hear(ObserveEvent::Output(&text));
            self.bytes += text.len();
            while self.bytes > MOST_OUTPUT {
                // The summary is at the end.
                let Some(first) = self.lines.pop_front() else { break };
                self.bytes -= first.text.len();
            }
            self.new.push(text.clone());
            let at_s = at.saturating_duration_since(clock).as_secs_f64();
            self.lines.push_back(OutputLine { at_s, text });
        }
    }

    fn take_new(&mut self) -> Vec<String> {
        std::mem::take(&mut self.new)
    }

    /// Takes what it printed at its end.
    fn hear_out(&mut self, clock: Instant, hear: &mut dyn FnMut(ObserveEvent<'_>)) {
        let waited = Instant::now();
        loop {
            self.hear(clock, hear);
            let is_heard_out = self.process.as_ref().is_none_or(|process| process.is_heard_out);
            if is_heard_out || waited.elapsed() >= LAST_OUTPUT {
                return;
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// How it ended, and all that it printed.
    fn end(self) -> (Option<DriverEnd>, Vec<OutputLine>) {
        let end = self.process.map(|process| DriverEnd {
            code: process.status.and_then(|status| status.code()),
            program: process.program.clone(),
        });
        (end, self.lines.into())
    }
}

impl Process {
    fn start(words: &[OsString]) -> Result<Self, ObserveError> {
        let name = Path::new(&words[0]).file_name().unwrap_or(&words[0]);
        let program = name.to_string_lossy().into_owned();
        let mut command = shell_command::program(words);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|source| {
            // With its folder, as it was given: that may be what is wrong.
            ObserveError::Driver { program: words[0].to_string_lossy().into_owned(), source }
        })?;
        let (sender, output) = mpsc::channel();
        let streams: [Option<Box<dyn Read + Send>>; 2] = [
            child.stdout.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>),
            child.stderr.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>),
        ];
        for stream in streams.into_iter().flatten() {
            let sender = sender.clone();
            // Without a thread its output is lost, and it goes on until a pipe is full: closed, it gets an error instead.
            let _ = std::thread::Builder::new().spawn(move || read_lines(stream, &sender));
        }
        Ok(Self { child, program, output, status: None, asked_to_end: None, is_heard_out: false })
    }

    fn has_ended(&mut self, control: &Control) -> bool {
        if self.status.is_some() {
            return true;
        }
        match self.child.try_wait() {
            Ok(None) => {}
            Ok(status) => {
                self.status = status;
                if self.asked_to_end.is_some() {
                    // What it started may not have listened.
                    shell_command::end(&mut self.child);
                }
                return true;
            }
            // Nobody can wait for it any more.
            Err(_) => return true,
        }
        if control.is_stopping() {
            let asked = *self.asked_to_end.get_or_insert_with(|| {
                shell_command::ask_to_end(&mut self.child);
                Instant::now()
            });
            if control.is_aborted() || asked.elapsed() >= GRACE {
                shell_command::end(&mut self.child);
                self.status = self.child.wait().ok();
                return true;
            }
        }
        false
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Where watching failed in the middle, the load does not go on alone.
        if self.status.is_none() {
            shell_command::end(&mut self.child);
            let _ = self.child.wait();
        }
    }
}

fn read_lines(stream: impl Read, sender: &mpsc::Sender<(Instant, String)>) {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut reader).take(MOST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\n', '\r']).to_owned();
        if sender.send((Instant::now(), text)).is_err() {
            return;
        }
    }
}

/// The database as it is asked.
struct Database {
    kind: DatabaseKind,
    client: Option<Client>,
    statement: String,
    settings: BTreeMap<String, String>,
    /// What it answered before the clock began.
    before: Option<ClientAnswer>,
    samples: Vec<DatabaseSample>,
    failure: Option<String>,
    /// How many samples were shown.
    shown: usize,
}

impl Database {
    /// Starts the client, asks for the settings, and for the counters before the load.
    fn open(request: &ClientRequest, control: &Control) -> Result<Self, ObserveError> {
        let kind = request.kind;
        let failed = |source| ObserveError::Database { kind, source };
        let mut client = Client::start(request).map_err(failed)?;
        let mut ask = |statement: &str| {
            let answer = client.answer(statement, || control.is_stopping()).map_err(failed)?;
            answer.ok_or(ObserveError::Stopped)
        };
        let statement = match kind {
            DatabaseKind::Postgres => postgres::settings(),
            DatabaseKind::Mysql => mysql::settings(),
        };
        let settings: BTreeMap<String, String> = ask(&statement)?.rows.into_iter().collect();
        let version = settings.get(postgres::VERSION_NUMBER).and_then(|number| number.parse().ok());
        let statement = match kind {
            DatabaseKind::Postgres => postgres::sample(version.unwrap_or_default()),
            DatabaseKind::Mysql => mysql::sample(),
        };
        let before = ask(&statement)?;
        Ok(Self {
            kind,
            client: Some(client),
            statement,
            settings,
            before: Some(before),
            samples: Vec::new(),
            failure: None,
            shown: 0,
        })
    }

    /// The load begins.
    fn begin(&mut self, clock: Instant) {
        if let Some(before) = self.before.take() {
            self.keep(&before, clock);
        }
    }

    fn keep(&mut self, answer: &ClientAnswer, clock: Instant) {
        let at_s = answer.at.saturating_duration_since(clock).as_secs_f64();
        self.samples.push(DatabaseSample::of_rows(self.kind, at_s, &answer.rows));
    }

    fn ask(&mut self) {
        if let Some(client) = &mut self.client {
            client.ask(&self.statement);
        }
    }

    /// Takes an answer that came.
    fn hear(&mut self, clock: Instant, hear: &mut dyn FnMut(ObserveEvent<'_>)) {
        let Some(client) = &mut self.client else { return };
        match client.poll() {
            Ok(Some(answer)) => self.keep(&answer, clock),
            Ok(None) => {}
            Err(error) => self.give_up(&error, hear),
        }
    }

    fn give_up(&mut self, error: &ClientError, hear: &mut dyn FnMut(ObserveEvent<'_>)) {
        let why = on_one_line(error);
        hear(ObserveEvent::Warning(&format!(
            "warning: the database is not asked any more, and the load goes on: {why}"
        )));
        self.failure = Some(why);
        self.client = None;
    }

    fn take_new(&mut self) -> Option<DatabaseSample> {
        let is_new = self.shown < self.samples.len();
        self.shown = self.samples.len();
        self.samples.last().filter(|_| is_new).cloned()
    }

    /// Asks a last time, when the sessions of the load have reported what they did.
    fn end(
        mut self,
        clock: Instant,
        control: &Control,
        hear: &mut dyn FnMut(ObserveEvent<'_>),
    ) -> DatabaseFacts {
        if let Some(mut client) = self.client.take() {
            std::thread::sleep(SETTLE);
            match client.answer(&self.statement, || control.is_aborted()) {
                Ok(Some(answer)) => self.keep(&answer, clock),
                Ok(None) => {}
                Err(error) => self.give_up(&error, hear),
            }
        }
        DatabaseFacts {
            kind: self.kind,
            settings: self.settings,
            samples: self.samples,
            failure: self.failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::counters::{Counter, DiskCounters, Times};

    use super::*;

    #[test]
    fn the_ramp_and_the_rest_of_a_second_at_the_end_are_left_out_of_the_devices() {
        let durations_s = vec![1.0, 1.01, 0.99, 1.0, 0.2];
        let mut disk = DiskCounters::new("sda");
        for at in 0..durations_s.len() {
            disk.set(Counter::ReadIops, at, at as f64);
        }
        let series = CounterSeries {
            interval_count: durations_s.len(),
            times: Times::OfCalendar(vec![1.0, 2.01, 3.0, 4.0, 4.2]),
            durations_s,
            disks: vec![disk],
            ..CounterSeries::new("iotrial watch")
        };
        let left = measured(series.clone(), Duration::from_secs(2));
        assert_eq!((left.interval_count, left.times.seconds()), (2, [3.0, 4.0].as_slice()));
        let rates: Vec<_> = (0..3).map(|at| left.disks[0].at(Counter::ReadIops, at)).collect();
        assert_eq!(rates, [Some(2.0), Some(3.0), None]);
        assert_eq!(measured(series, Duration::from_secs(60)).interval_count, 0);
    }
}
