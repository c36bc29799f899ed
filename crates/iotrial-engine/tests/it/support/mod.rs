//! Plans for tests, without files or devices behind them.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "tests; each file uses its part")]

use std::sync::Arc;

use iotrial_engine::run::{RunOutcome, run};
use iotrial_engine::targets::HeldAreas;
use iotrial_measure::control::Decision;
use iotrial_model::plan::{EngineKind, Plan, PlanRequest, SimDevice, TargetFacts, TargetKind};
use iotrial_model::profile::Profile;
use iotrial_model::record::Interval;
use iotrial_model::units::ByteSize;

const HEAD: &str = r#"
format = "iotrial.profile/1"
name = "test"
title = "Test"
schedule = { ramp = "2s", duration = "10s" }
quick = { size = "1GiB", ramp = "2s", duration = "10s" }
"#;

/// One job of a profile, random over 1 GiB.
pub fn job(name: &str, read_percent: u8, block_size: &str, numjobs: u32, iodepth: u32) -> String {
    format!(
        "[[job]]\nname = \"{name}\"\nrole = \"data\"\npattern = \"random\"\nrwmix_read_percent = {read_percent}\n\
         block_size = \"{block_size}\"\nnumjobs = {numjobs}\niodepth = {iodepth}\nsize = \"1GiB\"\n"
    )
}

/// These jobs on a device of 64 GiB: two seconds of ramp, ten that are measured.
pub fn plan(jobs: &str, engine: EngineKind, sim: SimDevice) -> Plan {
    let profile = Profile::parse(&format!("{HEAD}{jobs}")).unwrap();
    let request = PlanRequest { sim, seed: 42, cpu_count: 2, ..PlanRequest::of_engine(engine) };
    let target = TargetFacts {
        path: "/simulated".into(),
        roles: Vec::new(),
        kind: TargetKind::Device { size: ByteSize::gib(64), destroy: true },
        sector_size: ByteSize::bytes(512),
    };
    Plan::decide(&profile, &request, &[target]).unwrap()
}

/// Carries a plan out on some areas, to its end.
pub fn run_on(plan: &Plan, areas: &HeldAreas) -> RunOutcome {
    let mut watcher = |_: &Interval| Decision::GoOn;
    run(&Arc::new(plan.clone()), areas, None, &[], &Arc::default(), &mut watcher).unwrap()
}
