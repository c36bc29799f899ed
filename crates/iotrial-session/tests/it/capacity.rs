//! The highest rate within limits, on simulated devices whose capacity is known and which live on from one load to the next.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use iotrial_analysis::rate_search::{Limits, RateSearch};
use iotrial_analysis::summary::Summary;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_analysis::verdict::Category;
use iotrial_engine::run::run as run_load;
use iotrial_engine::targets::HeldAreas;
use iotrial_measure::control::{Control, Decision};
use iotrial_model::need::Need;
use iotrial_model::plan::{EngineKind, Plan, SimDevice, SimStall};
use iotrial_model::profile::Profile;
use iotrial_model::record::{Interval, RunRecord};
use iotrial_model::search::Search;
use iotrial_model::subject::Subject;
use iotrial_session::judged_profile::JudgedProfile;
use iotrial_session::observer::Observer;
use iotrial_session::request::{Aim, LoadRequest, RigRequest};
use iotrial_session::run;
use iotrial_session::setup::Setup;

/// Reads and writes of a data file, 7 to 3.
const PROFILE: &str = r#"
format = "iotrial.profile/1"
name = "mix"
title = "Mix"
schedule = { ramp = "2s", duration = "30s" }
quick = { size = "1GiB", ramp = "2s", duration = "30s" }
[[job]]
name = "pages"
role = "data"
pattern = "random"
rwmix_read_percent = 70
block_size = "8KiB"
iodepth = 64
size = "1GiB"
"#;

struct Nobody;

impl Observer for Nobody {
    fn say(&self, _: &str) {}
    fn warn(&self, _: &str) {}
    fn layout(&self, _: u64, _: u64) {}
    fn start(&self, _: &RunRecord, _: bool) {}
    fn interval(&self, _: &Plan, _: &Interval) {}
    fn finish(&self) {}
}

/// A load on `sim`, as a session makes it.
fn load(store: &Path, profile: &str, sim: &SimDevice, seed: u64) -> RunRecord {
    let load = JudgedProfile {
        profile: Profile::parse(profile).unwrap(),
        thresholds: ThresholdSet::builtin("flash").unwrap(),
    };
    let rig = RigRequest {
        engine: Some(EngineKind::Sim),
        sim: Some(sim.clone()),
        seed: Some(seed),
        store: Some(store.to_owned()),
        ..RigRequest::default()
    };
    let request = LoadRequest { aim: Aim::Figures, rig, ..LoadRequest::default() };
    let setup = Setup::new(load, &request).unwrap();
    run::run(setup, Arc::<Control>::default(), Arc::new(Nobody)).unwrap().record
}

/// The highest rate of a grid of half a percent at which a run of two minutes has no figure beyond its limit: what a patient person finds by
/// hand.
fn truth(sim: &SimDevice, from: f64, to: f64) -> f64 {
    let store = tempfile::tempdir().unwrap();
    let set = ThresholdSet::builtin("flash").unwrap();
    let holds = |iops: f64| {
        let profile = PROFILE
            .replace("30s", "120s")
            .replace("iodepth = 64", &format!("iodepth = 256\nrate = \"{iops:.1} iops\""));
        let record = load(store.path(), &profile, sim, 7);
        let subject = Subject::of_run(&record);
        let summary = Summary::new(&subject, &set);
        summary.verdict.category.is_some_and(|category| category <= Category::Acceptable)
    };
    let rate = |step: u32| from * 1.005f64.powi(step.try_into().unwrap());
    let (mut low, mut high) = (0, ((to / from).ln() / 1.005f64.ln()).ceil() as u32);
    assert!(holds(rate(low)) && !holds(rate(high)), "the grid does not hold the truth");
    while high - low > 1 {
        let middle = u32::midpoint(low, high);
        if holds(rate(middle)) { low = middle } else { high = middle }
    }
    rate(low)
}

/// A device that remembers: its stall comes once, at a time that counts over all loads, and its credits are what earlier loads left.
struct LastingDevice {
    sim: SimDevice,
    clock_s: f64,
    /// How many seconds of its cap it has left, of `burst_s`.
    credit_s: f64,
}

impl LastingDevice {
    fn new(sim: SimDevice) -> Self {
        Self { credit_s: sim.burst_s, clock_s: 0.0, sim }
    }

    /// The device as a load meets it.
    fn now(&self) -> SimDevice {
        let stalls =
            self.sim.stalls.iter().map(|stall| SimStall { start_s: stall.start_s - self.clock_s, ..*stall });
        SimDevice {
            stalls: stalls.filter(|stall| stall.start_s >= 0.0).collect(),
            credit_s: Some(self.credit_s),
            ..self.sim.clone()
        }
    }

    fn has_done(&mut self, intervals: &[Interval]) {
        for interval in intervals {
            let seconds = interval.duration.as_secs_f64();
            let ops = interval.jobs.iter().flat_map(|job| job.read.iter().chain(&job.write));
            let done = ops.map(|op| op.io_count()).sum::<u64>() as f64;
            self.clock_s += seconds;
            if let Some(cap) = self.sim.iops_cap {
                self.credit_s = (self.credit_s + seconds - done / cap).clamp(0.0, self.sim.burst_s);
            }
        }
        // The pause between two loads.
        self.clock_s += 0.5;
    }
}

/// What laying the files out has taken of the two minutes: 2 GiB at 170 MiB/s.
const LAYOUT: Duration = Duration::from_secs(12);

fn search(sim: &SimDevice, need: Option<&str>, seed: u64) -> Search {
    let store = tempfile::tempdir().unwrap();
    let mut record = load(store.path(), PROFILE, sim, seed);
    let mut device = LastingDevice::new(sim.clone());
    let need = need.map(|need| need.parse::<Need>().unwrap());
    let limits = Limits::Thresholds(ThresholdSet::builtin("flash").unwrap());
    let mut search = RateSearch::new(limits, need, record.plan.clone()).unwrap();
    let whole = search.whole_time(LAYOUT);
    assert_eq!(whole, Duration::from_secs(120));
    let spent = |device: &LastingDevice| LAYOUT + Duration::from_secs_f64(device.clock_s);
    while let Some(mut load) = search.next_load(search.left(LAYOUT, spent(&device))).unwrap() {
        load.plan.sim = Some(device.now());
        let mut early_end = search.early_end(&load);
        let mut all = |interval: &Interval| {
            let lost = early_end.as_mut().and_then(|early_end| early_end.see(interval));
            lost.map_or(Decision::GoOn, |measured_from| Decision::Complete { measured_from })
        };
        let longest = load.plan_of(load.longest);
        let outcome =
            run_load(&Arc::new(longest), &HeldAreas::default(), None, &[], &Arc::default(), &mut all)
                .unwrap();
        device.has_done(&outcome.intervals);
        record.plan = load.plan.clone();
        record.jobs = RunRecord::totals_of_intervals(&record.plan, &outcome.intervals);
        record.intervals = outcome.intervals;
        record.ended = outcome.ended;
        search.note(&load, &Subject::of_run(&record)).unwrap();
        assert!(spent(&device) <= whole, "{:?} of {whole:?}: {:#?}", spent(&device), search.search());
    }
    search.search().clone()
}

/// Twenty searches with twenty seeds, each of which has to be within 5 %.
#[track_caller]
fn check(kind: &str, truth: f64, device: impl Fn(u64) -> SimDevice) {
    for seed in 0..20 {
        let found = search(&device(seed), None, 1_000 + seed);
        let held = found.result.as_ref().map(|result| result.held_iops);
        assert!(
            held.is_some_and(|held| (held / truth - 1.0).abs() <= 0.05),
            "{kind}, seed {seed}: {held:?} instead of {truth}: {found:#?}"
        );
    }
}

fn capped() -> SimDevice {
    SimDevice { iops_cap: Some(2_000.0), burst_s: 0.05, ..SimDevice::default() }
}

#[test]
fn a_cap_on_iops_is_found_with_every_seed() {
    check("cap", truth(&capped(), 1_500.0, 2_100.0), |_| capped());
}

#[test]
fn a_cap_on_bandwidth_is_found_with_every_seed() {
    // 8 KiB each.
    let device = SimDevice { bandwidth_cap_mib_per_s: Some(16.0), burst_s: 0.05, ..SimDevice::default() };
    check("bandwidth", truth(&device, 1_500.0, 2_150.0), |_| device.clone());
}

#[test]
fn servers_that_are_busy_are_found_with_every_seed() {
    let device =
        SimDevice { service_time_us: 250.0, service_spread: 0.2, parallelism: 1, ..SimDevice::default() };
    check("servers", truth(&device, 3_000.0, 4_200.0), |_| device.clone());
}

#[test]
fn a_freeze_of_four_tenths_of_a_second_does_not_spoil_the_answer() {
    // Whenever it comes: in the closed load, in any probe, in the confirmation.
    check("freeze", truth(&capped(), 1_500.0, 2_100.0), |seed| SimDevice {
        stalls: vec![SimStall { start_s: 3.0 + 4.0 * seed as f64, duration_s: 0.4 }],
        ..capped()
    });
}

#[test]
fn burst_credits_do_not_count_as_capacity() {
    // Ten seconds of the cap at the start; the device behind it does five times as much.
    let device = SimDevice {
        iops_cap: Some(2_000.0),
        burst_s: 10.0,
        service_time_us: 200.0,
        parallelism: 2,
        ..SimDevice::default()
    };
    // What it does when they are gone.
    let spent = SimDevice { credit_s: Some(0.0), ..device.clone() };
    check("burst", truth(&spent, 1_500.0, 2_400.0), |_| device.clone());
}

#[test]
fn a_need_below_the_cap_is_carried_and_one_above_it_is_not_with_every_seed() {
    for seed in 0..20 {
        let carried = search(&capped(), Some("1500iops"), seed);
        assert_eq!(carried.carries_need, Some(true), "{carried:#?}");
        let headroom = carried.result.as_ref().unwrap().held_iops / 1_500.0 - 1.0;
        assert!((0.2..=0.34).contains(&headroom), "{headroom}: {carried:#?}");
        assert_eq!(search(&capped(), Some("2500iops"), seed).carries_need, Some(false));
    }
}

#[test]
fn a_quick_profile_takes_two_minutes_with_the_layout_of_its_files() {
    let store = tempfile::tempdir().unwrap();
    let plan = load(store.path(), PROFILE, &capped(), 1).plan;
    let limits = Limits::Thresholds(ThresholdSet::builtin("flash").unwrap());
    let search = RateSearch::new(limits, None, plan).unwrap();
    for layout in [Duration::ZERO, LAYOUT] {
        assert_eq!(search.whole_time(layout), Duration::from_secs(120));
    }
}
