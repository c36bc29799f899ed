//! The figures of a load for Prometheus, while it is made.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use iotrial_host::machine::machine;
use iotrial_model::plan::Plan;
use iotrial_model::record::{Interval, RunRecord};
use iotrial_report::exposition::LoadExposition;
use iotrial_session::observer::Observer;

use crate::failure::Failure;
use crate::live::Live;
use crate::metrics_server::MetricsServer;

/// Who watches a load: the terminal, and Prometheus where there is an address for it. Takes the address at once, so that one in use is
/// refused before anything is written.
pub fn observer(quiet: bool, listen: Option<SocketAddr>) -> Result<Arc<dyn Observer>, Failure> {
    let live = Live::new(quiet);
    let Some(address) = listen else { return Ok(Arc::new(live)) };
    let server = MetricsServer::bind(address)?;
    let exposition = LoadExposition::new(env!("CARGO_PKG_VERSION"), &machine().name);
    let exposition = Arc::new(Mutex::new(exposition));
    let shared = Arc::clone(&exposition);
    let what = "the names of these targets and the figures of their load";
    // A copy is taken under the lock and written as text behind it: the load's coordinator never waits for more than that.
    server.serve(what, move || {
        let copy = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        copy.text()
    })?;
    Ok(Arc::new(Served { live, exposition }))
}

/// Shows what a session does, and serves it.
struct Served {
    live: Live,
    exposition: Arc<Mutex<LoadExposition>>,
}

impl Served {
    fn note(&self, what: impl FnOnce(&mut LoadExposition)) {
        what(&mut self.exposition.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Observer for Served {
    fn say(&self, text: &str) {
        self.live.say(text);
    }

    fn warn(&self, text: &str) {
        self.live.warn(text);
    }

    fn layout(&self, done_bytes: u64, total_bytes: u64) {
        self.note(|exposition| exposition.layout(done_bytes, total_bytes));
        self.live.layout(done_bytes, total_bytes);
    }

    fn left(&self, left: Duration) {
        self.note(|exposition| exposition.left(left));
        self.live.left(left);
    }

    fn start(&self, record: &RunRecord, is_brief: bool) {
        self.note(|exposition| exposition.start(record));
        self.live.start(record, is_brief);
    }

    fn interval(&self, plan: &Plan, interval: &Interval) {
        self.note(|exposition| exposition.interval(plan, interval));
        self.live.interval(plan, interval);
    }

    fn finish(&self) {
        self.note(LoadExposition::finish);
        self.live.finish();
    }
}
