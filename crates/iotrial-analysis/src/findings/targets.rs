//! What the load worked on: a device, or something that only looks like one.

use iotrial_model::record::{Finding, RunRecord, Severity};
use iotrial_model::units::ByteSize;
use iotrial_model::words::in_brief;
use serde_json::json;

use super::finding;

/// A file system in memory was measured.
pub(super) fn in_memory_target(record: &RunRecord) -> Option<Finding> {
    let paths: Vec<&str> =
        record.targets.iter().filter(|target| target.in_memory).map(|target| target.path.as_str()).collect();
    let quoted: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    (!paths.is_empty()).then(|| {
        finding(
            "in-memory-target",
            Severity::Serious,
            format!(
                "{} lies in memory: the figures are those of memory, not of a device",
                in_brief(&quoted, 1, 1)
            ),
            [("paths", json!(paths))],
        )
    })
}

/// The page cache stood between the load and the device.
pub(super) fn buffered_io(record: &RunRecord) -> Option<Finding> {
    let buffered = !record.plan.direct && record.plan.engine.touches_targets();
    buffered.then(|| {
        finding(
            "buffered-io",
            Severity::Warning,
            "the I/O went through the page cache (direct = false): the figures mix memory and device"
                .to_owned(),
            [("direct", json!(false))],
        )
    })
}

/// What was touched fits into the host's memory, and most likely into caches further down.
pub(super) fn small_working_set(record: &RunRecord) -> Option<Finding> {
    let was_measured = record.plan.engine.touches_targets() && record.measured_intervals().next().is_some();
    let memory = record.host.memory.filter(|_| was_measured)?;
    let touched: ByteSize = record.plan.jobs.iter().map(|job| job.working_set * job.areas.len() as u64).sum();
    (touched < memory).then(|| {
        finding(
            "small-working-set",
            Severity::Note,
            format!(
                "{touched} were touched and the host has {memory} of memory: a cache in the array, the hypervisor or the drive may have answered part of the I/Os"
            ),
            [("touched_bytes", json!(touched)), ("memory_bytes", json!(memory))],
        )
    })
}

/// The plan changed what was asked.
pub(super) fn size_reduced(record: &RunRecord) -> impl Iterator<Item = Finding> {
    record.plan.notes.iter().map(|note| {
        finding(
            "size-reduced",
            Severity::Note,
            note.clone(),
            [("laid_out_bytes", json!(record.plan.bytes_to_lay_out()))],
        )
    })
}

#[cfg(test)]
mod tests {
    use iotrial_model::plan::EngineKind;

    use super::*;
    use crate::test_record::healthy;

    #[test]
    fn a_target_in_memory_is_serious() {
        let mut record = healthy();
        assert_eq!(in_memory_target(&record), None);
        record.targets.push(record.targets[0].clone());
        record.targets[1].path = "/dev/shm".to_owned();
        record.targets[1].in_memory = true;
        let found = in_memory_target(&record).unwrap();
        assert_eq!(found.severity, Severity::Serious);
        assert!(found.message.starts_with("`/dev/shm` lies in memory"), "{}", found.message);
        record.targets[0].in_memory = true;
        let found = in_memory_target(&record).unwrap();
        assert!(found.message.starts_with("`/data` and 1 more lies"), "{}", found.message);
    }

    #[test]
    fn the_page_cache_is_named_where_there_is_one() {
        let mut record = healthy();
        assert_eq!(buffered_io(&record), None);
        record.plan.direct = false;
        assert_eq!(buffered_io(&record).unwrap().severity, Severity::Warning);
        record.plan.engine = EngineKind::Sim;
        assert_eq!(buffered_io(&record), None);
    }

    #[test]
    fn touching_less_than_memory_is_a_caution_only() {
        let mut record = healthy();
        assert_eq!(small_working_set(&record), None);
        record.host.memory = Some(ByteSize::gib(65));
        let found = small_working_set(&record).unwrap();
        assert_eq!(found.severity, Severity::Note);
        assert!(found.message.contains("the host has 65 GiB of memory"), "{}", found.message);
        record.host.memory = None;
        assert_eq!(small_working_set(&record), None);
    }

    #[test]
    fn what_the_plan_changed_is_said_in_its_words() {
        let mut record = healthy();
        assert_eq!(size_reduced(&record).count(), 0);
        record.plan.notes = vec!["all files together are 1 GiB instead of 2 GiB".to_owned()];
        let found: Vec<Finding> = size_reduced(&record).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].message, record.plan.notes[0]);
    }
}
