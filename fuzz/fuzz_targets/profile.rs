//! Any text as a profile, and the plan that follows from it on a simulated device.

#![no_main]

use iotrial_model::engine::EngineKind;
use iotrial_model::plan::{Plan, PlanRequest, TargetFacts, TargetKind};
use iotrial_model::profile::Profile;
use iotrial_model::units::ByteSize;

fn target() -> TargetFacts {
    TargetFacts {
        path: "t".into(),
        roles: Vec::new(),
        kind: TargetKind::Imagined,
        sector_size: ByteSize::bytes(512),
    }
}

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(profile) = Profile::parse(text) else { return };
    profile.full_size();
    profile.total_iodepth();
    for full in [false, true] {
        let request = PlanRequest { full, ..PlanRequest::of_engine(EngineKind::Sim) };
        drop(Plan::decide(&profile, &request, &[target()]));
    }
});
