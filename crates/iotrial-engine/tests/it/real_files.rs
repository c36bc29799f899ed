//! The engines that really read and write, on files that misbehave.

use std::io::Write;
use std::time::Duration;

use crate::support::{job, plan, run_on};
use iotrial_engine::run::refusal_of;
use iotrial_engine::targets::HeldAreas;
use iotrial_model::load::Durability;
use iotrial_model::plan::{EngineKind, Plan, SimDevice};
use iotrial_model::record::{EndedHow, Failure, OpCounts, RunRecord};
use iotrial_model::units::ByteSize;

/// Those that read and write, as far as this host allows them.
fn engines() -> Vec<EngineKind> {
    let may_run = |engine: &EngineKind| match refusal_of(*engine) {
        None => true,
        Some(refusal) => {
            eprintln!("skipped for `{}`: {refusal}", engine.as_str());
            false
        }
    };
    EngineKind::ALL.into_iter().filter(|engine| engine.touches_targets()).filter(may_run).collect()
}

/// A short load over the first two MiB of a file.
fn short_plan(engine: EngineKind, read_percent: u8) -> Plan {
    let mut plan = plan(&job("a", read_percent, "8KiB", 1, 4), engine, SimDevice::default());
    plan.interval = Duration::from_millis(50);
    plan.phases.retain(|phase| phase.kind == iotrial_model::plan::PhaseKind::Measure);
    plan.phases[0].duration = Duration::from_millis(200);
    plan.jobs[0].working_set = ByteSize::mib(2);
    plan
}

/// A file of one MiB, half of what the plans work on.
fn half_a_file() -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&vec![7; 1 << 20]).unwrap();
    file
}

#[test]
fn a_read_that_ends_early_is_a_failure_and_not_a_fast_io() {
    for engine in engines() {
        let plan = short_plan(engine, 100);
        let outcome = run_on(&plan, &HeldAreas::of_file(half_a_file().path(), true).unwrap());
        let read: OpCounts =
            RunRecord::totals_of_intervals(&plan, &outcome.intervals)[0].read.clone().unwrap();
        assert_eq!(outcome.ended.how, EndedHow::Complete, "{engine:?}");
        assert!(read.error_count > 0 && read.io_count() > 0, "{engine:?}: {read:?}");
        assert_eq!(read.first_error, Some(Failure::Short { moved: 0, asked: 8192 }), "{engine:?}");
        assert_eq!(read.bytes, read.io_count() * 8192, "{engine:?}");
    }
}

#[test]
fn what_the_operating_system_says_of_a_failure_reaches_the_outcome() {
    for engine in engines() {
        let file = half_a_file();
        let read_only = HeldAreas::of_file(file.path(), false).unwrap();
        let outcome = run_on(&short_plan(engine, 0), &read_only);
        assert_eq!(outcome.ended.how, EndedHow::Failed, "{engine:?}");
        let reason = outcome.ended.reason.unwrap();
        assert!(reason.starts_with("every I/O of job `a` fails: "), "{reason}");
        #[cfg(target_os = "linux")]
        assert!(reason.contains("os error 9"), "{reason}");
    }
}

/// Short durable writes, one in three of them with its flush.
fn flushing_plan(engine: EngineKind) -> Plan {
    let mut plan = short_plan(engine, 0);
    plan.jobs[0].durability = Durability::Fdatasync;
    plan.jobs[0].flush_every = 3;
    plan
}

#[test]
fn a_write_with_its_flush_is_one_io() {
    for engine in engines() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&vec![0; 2 << 20]).unwrap();
        let plan = flushing_plan(engine);
        let outcome = run_on(&plan, &HeldAreas::of_file(file.path(), true).unwrap());
        let write = RunRecord::totals_of_intervals(&plan, &outcome.intervals)[0].write.clone().unwrap();
        assert_eq!((outcome.ended.how, write.error_count), (EndedHow::Complete, 0), "{engine:?}: {write:?}");
        assert_eq!(write.bytes, write.io_count() * 8192, "{engine:?}");
        assert!(write.io_count() > 0, "{engine:?}");
    }
}

#[test]
fn a_failed_write_is_told_and_not_the_flush_that_never_was() {
    for engine in engines() {
        let file = half_a_file();
        let outcome = run_on(&flushing_plan(engine), &HeldAreas::of_file(file.path(), false).unwrap());
        let reason = outcome.ended.reason.unwrap();
        assert!(reason.starts_with("every I/O of job `a` fails: "), "{reason}");
        #[cfg(target_os = "linux")]
        assert!(reason.contains("os error 9"), "{reason}");
    }
}

#[test]
fn writes_reach_the_file_and_nothing_beyond_the_working_set() {
    for engine in engines() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&vec![0; 4 << 20]).unwrap();
        let plan = short_plan(engine, 0);
        let outcome = run_on(&plan, &HeldAreas::of_file(file.path(), true).unwrap());
        assert_eq!(outcome.ended.how, EndedHow::Complete, "{engine:?}");
        let content = std::fs::read(file.path()).unwrap();
        let (inside, outside) = content.split_at(2 << 20);
        assert!(inside.chunks(8192).any(|block| block.iter().any(|byte| *byte != 0)), "{engine:?}");
        assert!(outside.iter().all(|byte| *byte == 0), "{engine:?}");
    }
}
