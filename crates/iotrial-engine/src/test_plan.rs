//! Plans for the tests of the loop.

use std::path::Path;
use std::sync::Arc;

use iotrial_model::load::Role;
use iotrial_model::plan::{EngineKind, Plan, PlanRequest, TargetFacts, TargetKind};
use iotrial_model::profile::Profile;
use iotrial_model::units::ByteSize;

use crate::targets::{Prepared, prepare, probe};
use crate::verify::Verifier;

const HEAD: &str = r#"
format = "iotrial.profile/1"
name = "test"
title = "Test"
schedule = { duration = "2s" }
quick = { size = "SIZE", duration = "2s" }
"#;

/// Two seconds of random 8 KiB reads, evenly spaced.
pub(crate) fn open_job(iops: u32, iodepth: u32) -> Plan {
    let job = format!(
        r#"
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
    let target = TargetFacts {
        path: "/simulated".into(),
        roles: Vec::new(),
        kind: TargetKind::Device { size: ByteSize::gib(64), destroy: true },
        sector_size: ByteSize::bytes(512),
    };
    decide(&(HEAD.replace("SIZE", "1GiB") + &job), EngineKind::Sim, target)
}

/// A log on two volumes, with these keys besides what a log has.
pub(crate) fn striped_log(keys: &str) -> Plan {
    let job = format!(
        r#"
[[job]]
name = "log"
role = "log"
pattern = "sequential"
rwmix_read_percent = 0
iodepth = 1
size = "1GiB"
{keys}
"#
    );
    let volume = |path: &str| TargetFacts {
        path: path.into(),
        roles: vec![Role::Log],
        kind: TargetKind::Device { size: ByteSize::gib(1), destroy: true },
        sector_size: ByteSize::bytes(512),
    };
    let profile = Profile::parse(&(HEAD.replace("SIZE", "1GiB") + &job)).unwrap();
    Plan::decide(&profile, &PlanRequest::of_engine(EngineKind::Sim), &[volume("/a"), volume("/b")]).unwrap()
}

/// A file of 8 MiB in a directory, laid out, and the plan for it.
pub(crate) fn laid_out(directory: &Path) -> (Plan, Prepared) {
    laid_out_as(directory, false, 1, ONE_SIZE)
}

/// The same with a stamp in each sector, and what compares it.
pub(crate) fn laid_out_verified(directory: &Path) -> (Prepared, Arc<Verifier>) {
    compared(laid_out_as(directory, true, 1, ONE_SIZE))
}

/// The same where eight pages share an entry of the map.
pub(crate) fn laid_out_verified_in_part(directory: &Path) -> (Prepared, Arc<Verifier>) {
    compared(laid_out_as(directory, true, 8, ONE_SIZE))
}

/// The same with I/Os of one page and of four.
pub(crate) fn laid_out_verified_with_large_blocks(directory: &Path) -> (Prepared, Arc<Verifier>) {
    let sizes = r#"block_sizes = [{ size = "8KiB", weight = 1 }, { size = "32KiB", weight = 1 }]"#;
    compared(laid_out_as(directory, true, 1, sizes))
}

fn compared((plan, prepared): (Plan, Prepared)) -> (Prepared, Arc<Verifier>) {
    let verifier = Arc::new(Verifier::new(&plan, &prepared.areas).unwrap());
    (prepared, verifier)
}

const ONE_SIZE: &str = r#"block_size = "8KiB""#;

fn laid_out_as(directory: &Path, verified: bool, pages_per_entry: u32, sizes: &str) -> (Plan, Prepared) {
    let job = r#"
[[job]]
name = "writes"
role = "data"
pattern = "random"
rwmix_read_percent = 0
iodepth = 4
size = "1GiB"
"#;
    let targets = [probe(directory, None, &[]).unwrap()];
    let profile = HEAD.replace("SIZE", "8MiB") + job + sizes;
    let plan = decide(&profile, EngineKind::Threads, targets[0].facts.clone());
    let plan = Plan { direct: false, verified, pages_per_entry, ..plan };
    let prepared = prepare([0; 16], &plan, &targets, &|_, _| (), &|| false).unwrap();
    (plan, prepared)
}

fn decide(profile: &str, engine: EngineKind, target: TargetFacts) -> Plan {
    let request = PlanRequest::of_engine(engine);
    Plan::decide(&Profile::parse(profile).unwrap(), &request, &[target]).unwrap()
}
