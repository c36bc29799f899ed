//! Who watches a load while it is made: the terminal, Prometheus, and whoever reads a stream. All of them see the same.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use iotrial_analysis::live_load::LiveLoad;
use iotrial_host::machine::machine;
use iotrial_model::plan::Plan;
use iotrial_model::record::{Interval, RunRecord};
use iotrial_model::search::Search;
use iotrial_report::exposition::LoadExposition;
use iotrial_session::observer::Observer;

use crate::failure::Failure;
use crate::http_server::Serving;
use crate::json_stream::JsonStream;
use crate::live::Live;
use crate::metrics_server::MetricsServer;
use crate::output::line;

/// What is wanted of a load beside its result.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    /// Whether standard error stays free of progress.
    pub quiet: bool,
    /// Where its figures are served meanwhile.
    pub listen: Option<SocketAddr>,
    /// Whether standard output has every second of it.
    pub json_stream: bool,
}

/// The watchers of a session, as its observer.
pub struct Watchers {
    live: Live,
    quiet: bool,
    seen: Arc<Mutex<Seen>>,
    stream: Option<JsonStream>,
    /// Serves until all is over; `None` where nobody is served.
    _serving: Option<Serving>,
}

/// What is known of the load by now.
#[derive(Clone, Default)]
struct Seen {
    load: LiveLoad,
    /// `None` where nobody is served.
    exposition: Option<LoadExposition>,
}

impl Watchers {
    /// Those that are wanted. Takes the address at once, so that one in use is refused before anything is written.
    pub fn new(wanted: Wanted) -> Result<Arc<Self>, Failure> {
        let Wanted { quiet, listen, json_stream } = wanted;
        let seen = Arc::new(Mutex::new(Seen::default()));
        let mut serving = None;
        if let Some(address) = listen {
            let server = MetricsServer::bind(address)?;
            let exposition = LoadExposition::new(env!("CARGO_PKG_VERSION"), &machine().name);
            lock(&seen).exposition = Some(exposition);
            let shared = Arc::clone(&seen);
            let what = "the names of these targets and the figures of their load";
            // A copy is taken under the lock and written as text behind it: the load's coordinator never waits for more than that.
            serving = Some(server.serve(what, move || {
                let Seen { load, exposition } = lock(&shared).clone();
                exposition.map_or_else(String::new, |exposition| exposition.text(&load))
            })?);
        }
        let stream = json_stream.then(JsonStream::begin).transpose()?;
        Ok(Arc::new(Self { live: Live::new(quiet, json_stream), quiet, seen, stream, _serving: serving }))
    }

    /// Whoever hears what everybody must know, where there is no load to be shown.
    pub fn quiet() -> Arc<Self> {
        let live = Live::new(true, false);
        Arc::new(Self { live, quiet: true, seen: Arc::default(), stream: None, _serving: None })
    }

    /// Ends the stream, where there is one: what is printed after this comes behind it.
    pub fn end_stream(&self) -> Result<(), Failure> {
        self.stream.as_ref().map_or(Ok(()), JsonStream::end)
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Observer for Watchers {
    fn say(&self, text: &str) {
        self.live.say(text);
    }

    fn warn(&self, text: &str) {
        if self.quiet { line(text) } else { self.live.say(text) }
    }

    fn load_over(&self, text: &str) {
        self.live.load_over(text);
    }

    fn searching(&self, search: &Search) {
        self.live.searching(search);
    }

    fn layout(&self, done_bytes: u64, total_bytes: u64) {
        lock(&self.seen).load.layout(done_bytes, total_bytes);
        self.live.bytes("creating files", done_bytes, total_bytes);
        self.stream.iter().for_each(|stream| stream.layout(done_bytes, total_bytes));
    }

    fn comparing(&self, done_bytes: u64, total_bytes: u64) {
        self.live.bytes("comparing pages", done_bytes, total_bytes);
    }

    fn left(&self, left: Duration) {
        lock(&self.seen).load.say_left(left);
    }

    fn start(&self, record: &RunRecord, is_brief: bool) {
        {
            let mut seen = lock(&self.seen);
            seen.load.start(&record.plan);
            seen.exposition.iter_mut().for_each(|exposition| exposition.start(record));
        }
        self.live.start(&record.plan, is_brief);
        self.stream.iter().for_each(|stream| stream.start(record));
    }

    fn interval(&self, plan: &Plan, interval: &Interval) {
        let mut seen = lock(&self.seen);
        let interval = seen.load.interval(plan, interval);
        seen.exposition.iter_mut().for_each(|exposition| exposition.interval(&interval));
        drop(seen);
        self.live.interval(&interval);
        self.stream.iter().for_each(|stream| stream.interval(&interval));
    }

    fn ended(&self, record: &RunRecord) {
        self.stream.iter().for_each(|stream| stream.ended(record));
    }

    fn finish(&self) {
        {
            let mut seen = lock(&self.seen);
            seen.load.finish();
            seen.exposition.iter_mut().for_each(LoadExposition::finish);
        }
        self.live.finish();
    }
}
