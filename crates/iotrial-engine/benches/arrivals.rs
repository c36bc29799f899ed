//! Poisson arrivals as the loop really issues them: `cargo bench -p iotrial-engine --bench arrivals [--
//! --seconds 5] [--smallest]`.
//!
//! Twice, and both through the loop that every engine runs on. On a clock that only moves when the loop waits
//! for it, no issue is late, and what is seen are the due times themselves. On the clock of the machine it is
//! seen what becomes of them. The device completes an I/O in the moment in which it gets it. Prints JSON;
//! `cargo xtask bench poisson` judges it.

#![allow(
    dead_code,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark: it prints, and a broken plan may end it"
)]

#[path = "../tests/it/support/mod.rs"]
mod support;

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use iotrial_engine::one_queue::{OneQueueOutcome, drive_one_queue};
use iotrial_engine::queue::{Completion, Handing, IoQueue, Request};
use iotrial_measure::clock::{Clock, MonotonicClock, SimClock};
use iotrial_measure::recorder::Outcome;
use iotrial_model::plan::{EngineKind, PhaseKind, Plan, SimDevice};
use serde_json::{Value, json};
use support::{job, plan};

/// How much is measured.
struct Amount {
    rates: &'static [u32],
    /// So many arrivals make a rate.
    rate_arrivals: usize,
    /// So many gaps make a sample of the Kolmogorov–Smirnov test, and so many samples are taken.
    gaps: usize,
    seeds: u64,
}

/// A million arrivals have a standard deviation of 0.1 %.
const FULL: Amount = Amount {
    rates: &[1_000, 10_000, 100_000, 300_000, 600_000],
    rate_arrivals: 1_000_000,
    gaps: 100_000,
    seeds: 200,
};

/// Shows that the program works, and nothing else.
const SMALLEST: Amount = Amount { rates: &[1_000], rate_arrivals: 1_000, gaps: 100, seeds: 2 };

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let seconds = arguments.iter().skip_while(|one| *one != "--seconds").nth(1);
    let seconds: u64 = seconds.map_or(5, |text| text.parse().expect("--seconds is a whole number"));
    let amount = if arguments.iter().any(|one| one == "--smallest") { SMALLEST } else { FULL };
    let of_rate = |rate: &u32| json!({ "rate": rate, "ideal": ideal(*rate, &amount), "real": real(*rate, seconds, amount.gaps) });
    let rates: Vec<Value> = amount.rates.iter().map(of_rate).collect();
    println!("{:#}", json!({ "rates": rates }));
}

/// On a clock that waits for the loop.
fn ideal(rate: u32, amount: &Amount) -> Value {
    let issued_ns = issues_on_sim_clock(rate, 1, amount.rate_arrivals);
    let found_rate =
        (issued_ns.len() - 1) as f64 / (issued_ns[issued_ns.len() - 1] - issued_ns[0]) as f64 * 1e9;
    let distances: Vec<f64> = (1..=amount.seeds)
        .map(|seed| distance(&issues_on_sim_clock(rate, seed, amount.gaps + 1), rate))
        .collect();
    json!({ "arrival_count": issued_ns.len(), "found_rate": found_rate, "ks": distances })
}

/// On the clock of the machine.
fn real(rate: u32, seconds: u64, gaps: usize) -> Value {
    let plan = poisson(rate, 1, Duration::from_secs(seconds));
    let clock = MonotonicClock::before_start();
    let queue = Witness::new(clock.clone(), |_| {}, (u64::from(rate) * (seconds + 1)) as usize);
    let issued_ns = Rc::clone(&queue.issued_ns);
    clock.start();
    let OneQueueOutcome { jobs, backlog_count } = drive_one_queue(&plan, queue, clock).unwrap();
    let issued_ns = issued_ns.borrow();
    let lateness = &jobs[0].read.as_ref().unwrap().total_latency;
    let late_us = |percent| lateness.percentile(percent).unwrap().as_secs_f64() * 1e6;
    json!({
        "seconds": seconds,
        "issued_count": issued_ns.len(),
        "due_count": issued_ns.len() as u64 + backlog_count,
        "ks": distance(&issued_ns[..issued_ns.len().min(gaps + 1)], rate),
        "gap_count": issued_ns.len().min(gaps + 1) - 1,
        "late_p50_us": late_us(50.0),
        "late_p99_us": late_us(99.0),
        "late_p999_us": late_us(99.9),
    })
}

/// The times at which the loop issues its first `count` I/Os on a clock that waits for it.
fn issues_on_sim_clock(rate: u32, seed: u64, count: usize) -> Vec<u64> {
    // Longer than the arrivals take, by more than their number scatters, and then cut.
    let longer = 1.02 + 6.0 / (count as f64).sqrt();
    let duration = Duration::from_secs_f64(count as f64 / f64::from(rate) * longer);
    let plan = poisson(rate, seed, duration);
    let clock = SimClock::default();
    let moved = clock.clone();
    let queue = Witness::new(clock.clone(), move |until_ns| moved.advance_to(until_ns), count * 2);
    let issued_ns = Rc::clone(&queue.issued_ns);
    drive_one_queue(&plan, queue, clock).unwrap();
    issued_ns.take()[..count].to_vec()
}

fn poisson(rate: u32, seed: u64, duration: Duration) -> Plan {
    let open = job("a", 100, "8KiB", 1, 4_096) + &format!("rate = \"{rate} iops\"\nspacing = \"poisson\"\n");
    let mut plan = plan(&open, EngineKind::Null, SimDevice::default());
    plan.seed = seed;
    plan.phases.retain(|phase| phase.kind == PhaseKind::Measure);
    plan.phases[0].duration = duration;
    plan.interval = Duration::from_secs(1 + duration.as_secs() / 100);
    plan
}

/// The Kolmogorov–Smirnov distance of the gaps from the exponential distribution, times the root of their
/// number.
fn distance(issued_ns: &[u64], rate: u32) -> f64 {
    let mut gaps: Vec<f64> =
        issued_ns.windows(2).map(|pair| (pair[1] - pair[0]) as f64 * f64::from(rate) / 1e9).collect();
    gaps.sort_by(f64::total_cmp);
    let count = gaps.len() as f64;
    let distances = gaps.iter().enumerate().map(|(rank, gap)| {
        let expected = 1.0 - (-gap).exp();
        (expected - rank as f64 / count).abs().max(((rank + 1) as f64 / count - expected).abs())
    });
    distances.fold(0.0, f64::max) * count.sqrt()
}

/// Notes when each I/O is issued and completes it with that time, so that its latency is how late it was
/// issued.
struct Witness<C, W> {
    clock: C,
    /// What waiting does, where nothing is done.
    wait: W,
    issued_ns: Rc<RefCell<Vec<u64>>>,
    done: Vec<Completion>,
}

impl<C: Clock, W: FnMut(u64)> Witness<C, W> {
    fn new(clock: C, wait: W, capacity: usize) -> Self {
        let issued_ns = Rc::new(RefCell::new(Vec::with_capacity(capacity)));
        Self { clock, wait, issued_ns, done: Vec::with_capacity(4_096) }
    }
}

impl<C: Clock, W: FnMut(u64)> IoQueue for Witness<C, W> {
    fn submit(&mut self, requests: &[Request], _handing: Handing) -> io::Result<()> {
        let mut issued_ns = self.issued_ns.borrow_mut();
        for request in requests {
            let completed_at_ns = self.clock.now_ns();
            issued_ns.push(completed_at_ns);
            let outcome = Outcome::Bytes(request.length);
            self.done.push(Completion { slot: request.slot, completed_at_ns, outcome });
        }
        Ok(())
    }

    fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
        if self.done.is_empty() {
            (self.wait)(wait_until_ns);
        }
        completions.append(&mut self.done);
        Ok(())
    }
}
