//! How often two single runs of one device are called different, and how often a slower one is noticed: `cargo bench -p iotrial-session --bench
//! equal_pairs [-- --pairs N] [--case INDEX]... [--smallest]`. Prints JSON; `cargo xtask bench equal-pairs` makes a table of it.
//!
//! Each case is a simulated device under a load. Pairs of runs that differ in their seed alone are compared as `iotrial compare` does it;
//! whatever is called a difference between equals is a mistake, of which 5 % of the pairs may have one. Hundreds of pairs take minutes, so
//! that this is no test; `docs/compare.md` quotes it.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for whoever changes the statistics")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use iotrial_analysis::comparison::{CompareRequest, Comparison, Reading, Sample};
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_engine::run::run as run_load;
use iotrial_engine::targets::HeldAreas;
use iotrial_measure::control::{Control, Decision};
use iotrial_model::plan::{EngineKind, PhaseKind, Plan, SimDevice};
use iotrial_model::profile::Profile;
use iotrial_model::record::{Interval, RunRecord};
use iotrial_model::subject::Subject;
use iotrial_session::judged_profile::JudgedProfile;
use iotrial_session::observer::Observer;
use iotrial_session::request::{Aim, LoadRequest, RigRequest};
use iotrial_session::run;
use iotrial_session::setup::Setup;
use serde_json::{Value, json};

/// Pairs of each case, where no number is given: 5 % of 400 is 20 ± 9.
const PAIRS: u64 = 400;

/// Long enough for a comparison, and no more: with `--smallest`, which shows that the program works.
const SMALLEST_SECONDS: u64 = 2;

/// A device under a load.
struct Case {
    parallelism: u32,
    service_us: f64,
    spread: f64,
    /// Of an open load the share of what the device can do; `None` for twice as many outstanding I/Os as it does at once.
    utilisation: Option<f64>,
    seconds: u64,
    /// How many times as long the second of a pair takes for each I/O.
    slower: f64,
}

const fn open(parallelism: u32, service_us: f64, utilisation: f64, seconds: u64, slower: f64) -> Case {
    Case { parallelism, service_us, spread: 0.0, utilisation: Some(utilisation), seconds, slower }
}

const CASES: &[Case] = &[
    open(1, 500.0, 0.5, 60, 1.0),
    open(1, 500.0, 0.8, 60, 1.0),
    open(1, 500.0, 0.9, 60, 1.0),
    open(1, 500.0, 0.95, 60, 1.0),
    open(1, 500.0, 0.95, 300, 1.0),
    open(8, 2_000.0, 0.95, 60, 1.0),
    open(16, 500.0, 0.97, 60, 1.0),
    Case { parallelism: 4, service_us: 1_000.0, spread: 0.8, utilisation: None, seconds: 30, slower: 1.0 },
    open(1, 500.0, 0.5, 60, 1.1),
    open(1, 500.0, 0.8, 60, 1.1),
    open(1, 500.0, 0.95, 60, 1.05),
    Case { parallelism: 4, service_us: 1_000.0, spread: 0.8, utilisation: None, seconds: 30, slower: 1.02 },
];

struct Nobody;

impl Observer for Nobody {
    fn say(&self, _: &str) {}
    fn warn(&self, _: &str) {}
    fn layout(&self, _: u64, _: u64) {}
    fn start(&self, _: &RunRecord, _: bool) {}
    fn interval(&self, _: &Plan, _: &Interval) {}
    fn finish(&self) {}
}

impl Case {
    fn device(&self, factor: f64) -> SimDevice {
        SimDevice {
            service_time_us: self.service_us * factor,
            service_spread: self.spread,
            parallelism: self.parallelism,
            ..SimDevice::default()
        }
    }

    /// A record of the load that all runs of the case make, with a second of it.
    fn base(&self, store: &Path) -> RunRecord {
        let load = match self.utilisation {
            Some(share) => {
                let rate = f64::from(self.parallelism) * 1e6 / self.service_us * share;
                format!("iodepth = 4096\nrate = \"{rate:.0} iops\"\nspacing = \"poisson\"")
            }
            None => format!("iodepth = {}", 2 * self.parallelism),
        };
        let profile = format!(
            "format = \"iotrial.profile/1\"\nname = \"reads\"\ntitle = \"Reads\"\nschedule = {{ ramp = \"2s\", duration = \"1s\" }}\n\
             quick = {{ size = \"1GiB\", ramp = \"2s\", duration = \"1s\" }}\n[[job]]\nname = \"reads\"\nrole = \"data\"\n\
             pattern = \"random\"\nrwmix_read_percent = 100\nblock_size = \"8KiB\"\nsize = \"1GiB\"\n{load}\n"
        );
        let load = JudgedProfile {
            profile: Profile::parse(&profile).unwrap(),
            thresholds: ThresholdSet::builtin("flash").unwrap(),
        };
        let rig = RigRequest {
            engine: Some(EngineKind::Sim),
            sim: Some(self.device(1.0)),
            store: Some(store.to_owned()),
            ..RigRequest::default()
        };
        let request = LoadRequest { aim: Aim::Figures, rig, ..LoadRequest::default() };
        let setup = Setup::new(load, &request).unwrap();
        run::run(setup, Arc::<Control>::default(), Arc::new(Nobody)).unwrap().record
    }

    fn name(&self) -> String {
        let load = self.utilisation.map_or("closed".to_owned(), |share| format!("at {share}"));
        let Self { parallelism, service_us, spread, seconds, slower, .. } = self;
        let slower =
            if *slower > 1.0 { format!(", {:+.0} %", 100.0 * (slower - 1.0)) } else { String::new() };
        format!("{parallelism} x {service_us} µs ± {:.0} %, {load}, {seconds} s{slower}", 100.0 * spread)
    }

    fn sample(&self, base: &RunRecord, seed: u64, factor: f64) -> Sample {
        let mut record = base.clone();
        record.id = format!("01JD{seed:022}");
        record.label = Some(format!("run {seed}"));
        record.plan.seed = seed;
        record.plan.sim = Some(self.device(factor));
        let measured = record.plan.phases.iter_mut().find(|phase| phase.kind == PhaseKind::Measure);
        measured.unwrap().duration = Duration::from_secs(self.seconds);
        let mut all = |_: &Interval| Decision::GoOn;
        let plan = Arc::new(record.plan.clone());
        let outcome = run_load(&plan, &HeldAreas::default(), None, &[], &Arc::default(), &mut all).unwrap();
        record.jobs = RunRecord::totals_of_intervals(&record.plan, &outcome.intervals);
        record.intervals = outcome.intervals;
        record.ended = outcome.ended;
        Sample::of(&Subject::of_run(&record), record.id.clone())
    }

    fn check(&self, base: &RunRecord, pair: u64, told: &mut Told) {
        let seed = 10_000 + 2 * pair;
        let samples = vec![self.sample(base, seed, 1.0), self.sample(base, seed + 1, self.slower)];
        let comparison = Comparison::new(samples, &CompareRequest::default()).unwrap();
        told.pairs += 1;
        let mut differs = false;
        for delta in &comparison.against_baseline[0].deltas {
            let metric = told.metrics.entry(delta.metric.key.to_string()).or_default();
            match (delta.reading, delta.interval) {
                (Reading::Amount | Reading::NoInterval, _) => {}
                (reading, Some(interval)) => {
                    metric.judged += 1;
                    let is_told = reading.is_better() || reading.is_worse();
                    metric.told += u64::from(is_told);
                    differs |= is_told;
                    metric.half_widths.push((interval.high_percent - interval.low_percent) / 2.0);
                }
                (_, None) => metric.unknown += 1,
            }
        }
        told.pairs_told += u64::from(differs);
    }
}

#[derive(Default)]
struct Told {
    pairs: u64,
    /// Pairs with any difference.
    pairs_told: u64,
    metrics: BTreeMap<String, Metric>,
}

#[derive(Default)]
struct Metric {
    judged: u64,
    told: u64,
    /// Without an interval, because too little was measured.
    unknown: u64,
    half_widths: Vec<f64>,
}

impl Metric {
    fn json(mut self) -> Value {
        self.half_widths.sort_by(f64::total_cmp);
        json!({
            "different": self.told,
            "judged": self.judged,
            "not_judged": self.unknown,
            "half_width_median_percent": self.half_widths.get(self.half_widths.len() / 2),
        })
    }
}

impl Told {
    fn merge(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.pairs_told += other.pairs_told;
        for (key, metric) in other.metrics {
            let mine = self.metrics.entry(key).or_default();
            mine.judged += metric.judged;
            mine.told += metric.told;
            mine.unknown += metric.unknown;
            mine.half_widths.extend(metric.half_widths);
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers = |option: &str| -> Vec<u64> {
        let pairs = arguments.windows(2).filter(|pair| pair[0] == option);
        pairs.map(|pair| pair[1].parse().expect("a whole number")).collect()
    };
    let pairs = numbers("--pairs").first().copied().unwrap_or(PAIRS);
    let only = numbers("--case");
    let is_smallest = arguments.iter().any(|argument| argument == "--smallest");
    let store = tempfile::tempdir().unwrap();
    let mut cases = Vec::new();
    for (index, case) in (0..).zip(CASES) {
        if !only.is_empty() && !only.contains(&index) {
            continue;
        }
        let seconds = if is_smallest { SMALLEST_SECONDS } else { case.seconds };
        let case = Case { seconds, ..*case };
        let base = case.base(store.path());
        let next = AtomicU64::new(0);
        let work = || {
            let mut told = Told::default();
            loop {
                let pair = next.fetch_add(1, Ordering::Relaxed);
                if pair >= pairs {
                    return told;
                }
                case.check(&base, pair, &mut told);
            }
        };
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let mut all = Told::default();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..cpus).map(|_| scope.spawn(work)).collect();
            threads.into_iter().for_each(|thread| all.merge(thread.join().unwrap()));
        });
        cases.push(json!({
            "index": index,
            "name": case.name(),
            "slower_percent": 100.0 * (case.slower - 1.0),
            "pairs": all.pairs,
            "pairs_different": all.pairs_told,
            "metrics": all.metrics.into_iter().map(|(key, metric)| (key, metric.json())).collect::<serde_json::Map<_, _>>(),
        }));
    }
    println!("{:#}", json!({ "cases": cases }));
}
