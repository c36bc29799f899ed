//! Plans for the tests of the loop.

use iotrial_model::plan::{EngineKind, Plan, PlanRequest, SimDevice, TargetFacts, TargetKind};
use iotrial_model::profile::Profile;
use iotrial_model::units::ByteSize;

/// Two seconds of random 8 KiB reads, evenly spaced.
pub(crate) fn open_job(iops: u32, iodepth: u32) -> Plan {
    let profile = format!(
        r#"
format = "iotrial.profile/1"
name = "test"
title = "Test"
schedule = {{ duration = "2s" }}
quick = {{ size = "1GiB", duration = "2s" }}
[[job]]
name = "reads"
role = "data"
pattern = "random"
rwmix_read_percent = 100
block_size = "8KiB"
iodepth = {iodepth}
size = "1GiB"
rate = "{iops} iops"
spacing = "uniform"
"#
    );
    let request = PlanRequest {
        full: false,
        size: None,
        measure: None,
        ramp: None,
        engine: EngineKind::Sim,
        engine_reason: None,
        sim: SimDevice::default(),
        direct: true,
        polled: false,
        seed: 1,
        cpu_count: 1,
        memory: None,
    };
    let target = TargetFacts {
        path: "/simulated".into(),
        kind: TargetKind::Device { size: ByteSize::gib(64), destroy: true },
        sector_size: ByteSize::bytes(512),
    };
    Plan::decide(&Profile::parse(&profile).unwrap(), &request, &[target]).unwrap()
}
