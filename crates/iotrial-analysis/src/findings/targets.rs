//! What the load worked on: a device, or something that only looks like one.

use iotrial_model::finding::{Evidence, Finding, FindingId, Severity, SharedHolder};
use iotrial_model::imported::SourceKind;
use iotrial_model::load::Role;
use iotrial_model::plan::{EngineKind, LEAST_TIMES_ARRAY_CACHE};
use iotrial_model::record::TargetRecord;
use iotrial_model::units::ByteSize;

use super::Judge;
use super::observed::Observed;
use crate::shared_device::SharedDevices;

/// For the table in `findings.rs`.
pub(super) const JUDGES: &[Judge] =
    &[in_memory_target, smb_share, buffered_io, unknown_cache, small_working_set, array_cache];

/// A file system in memory was measured.
pub(super) fn in_memory_target(seen: &Observed<'_, '_>) -> Option<Finding> {
    let in_memory = seen.subject.targets.iter().filter(|target| target.in_memory);
    let paths: Vec<String> = in_memory.map(|target| target.path.clone()).collect();
    (!paths.is_empty()).then(|| {
        Finding::new(FindingId::InMemoryTarget, Severity::Serious, Evidence::InMemoryTarget { paths })
    })
}

/// A share of an SMB file server was measured.
// `smb` is what Windows says, the others are the file systems of Linux that speak the protocol.
pub(super) fn smb_share(seen: &Observed<'_, '_>) -> Option<Finding> {
    let is_share = |filesystem: &str| matches!(filesystem, "smb" | "smb3" | "cifs");
    let shares =
        seen.subject.targets.iter().filter(|target| target.filesystem.as_deref().is_some_and(is_share));
    let paths: Vec<String> = shares.map(|target| target.path.clone()).collect();
    (!paths.is_empty())
        .then(|| Finding::new(FindingId::SmbShare, Severity::Note, Evidence::SmbShare { paths }))
}

/// Whether there was anything that a page cache could stand before; of a source that does not say how it made its load, yes.
fn touches_targets(seen: &Observed<'_, '_>) -> bool {
    seen.subject.engine.is_none_or(EngineKind::touches_targets)
}

/// The page cache stood between the load and the device.
pub(super) fn buffered_io(seen: &Observed<'_, '_>) -> Option<Finding> {
    (seen.subject.direct == Some(false) && touches_targets(seen)).then(|| {
        let evidence = match seen.subject.source {
            Some(_) => Evidence::Nothing {},
            None => Evidence::BufferedIo { direct: false },
        };
        Finding::new(FindingId::BufferedIo, Severity::Warning, evidence)
    })
}

/// Nobody says whether it did. What is printed about a test never says so, and a note on every row would say nothing.
pub(super) fn unknown_cache(seen: &Observed<'_, '_>) -> Option<Finding> {
    let source = seen.subject.source?;
    let is_printed = matches!(source.kind, SourceKind::Table | SourceKind::Csv);
    let is_unknown = seen.subject.direct.is_none() && !seen.subject.jobs.is_empty();
    (is_unknown && !is_printed).then(|| match answered_by_memory(seen) {
        Some(evidence) => Finding::new(FindingId::UnknownCache, Severity::Warning, evidence),
        None => Finding::new(FindingId::UnknownCache, Severity::Note, Evidence::Nothing {}),
    })
}

/// No device answers half of its I/Os faster, in µs: a command and its block cross PCIe, and the kernel is passed twice.
// A choice: the fastest, of 3D XPoint, take 7 µs and more through the kernel (Intel, Optane SSD DC P5800X, 2020).
const LEAST_MEDIAN_US: f64 = 5.0;

/// I/Os that memory answered, whatever the source says of the cache. Writes that are flushed afterwards are memory's at first.
fn answered_by_memory(seen: &Observed<'_, '_>) -> Option<Evidence> {
    let jobs = seen.subject.jobs.iter().filter(|job| job.ops.flushes_apart().is_none());
    let streams = jobs.flat_map(|job| job.ops.streams());
    let streams = streams.filter(|(name, _)| matches!(*name, "read" | "write"));
    let medians = streams
        .filter_map(|(name, facts)| Some((name, facts.stated()?.distribution().percentile(50.0)?.value)));
    let (name, median) = medians.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    (median < LEAST_MEDIAN_US)
        .then(|| Evidence::MemoryAnswered { lat_p50_us: median, stream: name.to_owned() })
}

/// What was touched fits into the host's memory, and most likely into caches further down.
pub(super) fn small_working_set(seen: &Observed<'_, '_>) -> Option<Finding> {
    let subject = seen.subject;
    let was_measured = touches_targets(seen) && subject.measured.is_some_and(|measured| !measured.is_zero());
    let memory = subject.host?.memory.filter(|_| was_measured)?;
    let touched = subject.touched?;
    let evidence = Evidence::SmallWorkingSet { touched_bytes: touched, memory_bytes: memory };
    (touched < memory).then(|| Finding::new(FindingId::SmallWorkingSet, Severity::Note, evidence))
}

/// What was touched may be in the cache of the array whose size the user gave.
fn array_cache(seen: &Observed<'_, '_>) -> Option<Finding> {
    let subject = seen.subject;
    let touched = subject.touched.filter(|_| subject.measured.is_some_and(|measured| !measured.is_zero()))?;
    within_array_cache(touched, subject.plan?.array_cache?)
}

/// `touched`: what a load works on, or one volume of a sweep.
pub(crate) fn within_array_cache(touched: ByteSize, cache: ByteSize) -> Option<Finding> {
    let evidence = Evidence::ArrayCache { touched_bytes: touched, array_cache_bytes: cache };
    (touched.get() / LEAST_TIMES_ARRAY_CACHE < cache.get())
        .then(|| Finding::new(FindingId::ArrayCache, Severity::Warning, evidence))
}

/// So many findings of this kind are told; more of them are none of a real host.
const MOST_SHARED: usize = 20;

/// Targets that lie on one disk, where several may have been meant to be apart; the disk of most targets first.
///
/// The one finding that needs no measurement, so that it is known before there is one.
pub fn shared_disks(targets: &[TargetRecord]) -> Vec<Finding> {
    let of = |shared: SharedDevices| {
        let holders: Vec<&TargetRecord> = shared.targets.iter().map(|index| &targets[*index]).collect();
        let has = |role: &Role| holders.iter().any(|target| target.roles.contains(role));
        let holder =
            |target: &&TargetRecord| SharedHolder { roles: target.roles.clone(), path: target.path.clone() };
        let evidence = Evidence::SharedDisk {
            targets: holders.iter().map(|target| target.named()).collect(),
            roles: Role::ALL.iter().copied().filter(has).collect(),
            holders: holders.iter().map(holder).collect(),
            are_disks: shared.are_disks,
            devices: shared.names,
        };
        Finding::new(FindingId::SharedDisk, Severity::Note, evidence)
    };
    SharedDevices::all(targets).into_iter().take(MOST_SHARED).map(of).collect()
}

/// The plan changed what was asked, which it says in its own words.
pub(super) fn size_reduced(seen: &Observed<'_, '_>) -> Vec<Finding> {
    let Some(plan) = seen.subject.plan else { return Vec::new() };
    let of = |note: &String| {
        let evidence = Evidence::SizeReduced { laid_out_bytes: plan.bytes_to_lay_out(), note: note.clone() };
        Finding::new(FindingId::SizeReduced, Severity::Note, evidence)
    };
    plan.notes.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use iotrial_model::record::{BlockDevice, RunRecord};
    use iotrial_model::subject::Subject;

    use super::*;
    use crate::findings::found;
    use crate::test_record::healthy;

    fn in_memory_target(record: &RunRecord) -> Option<Finding> {
        found(record, super::in_memory_target)
    }

    fn buffered_io(record: &RunRecord) -> Option<Finding> {
        found(record, super::buffered_io)
    }

    fn small_working_set(record: &RunRecord) -> Option<Finding> {
        found(record, super::small_working_set)
    }

    fn size_reduced(record: &RunRecord) -> Vec<Finding> {
        found(record, super::size_reduced)
    }

    #[test]
    fn a_share_of_a_file_server_is_named_and_a_local_file_system_is_not() {
        let mut record = healthy();
        let smb_share = |record: &RunRecord| found(record, super::smb_share);
        assert!(smb_share(&record).is_none());
        record.targets[0].filesystem = Some("smb".to_owned());
        record.targets[0].path = r"\\nas\sql".to_owned();
        let evidence = Evidence::SmbShare { paths: vec![r"\\nas\sql".to_owned()] };
        assert_eq!(smb_share(&record).unwrap().evidence, evidence);
    }

    #[test]
    fn a_target_in_memory_is_serious() {
        let mut record = healthy();
        assert_eq!(in_memory_target(&record), None);
        record.targets.push(record.targets[0].clone());
        record.targets[1].path = "/dev/shm".to_owned();
        record.targets[1].in_memory = true;
        let found = in_memory_target(&record).unwrap();
        assert_eq!(found.severity, Severity::Serious);
        assert_eq!(found.evidence, Evidence::InMemoryTarget { paths: vec!["/dev/shm".to_owned()] });
        record.targets[0].in_memory = true;
        let paths = vec!["/data".to_owned(), "/dev/shm".to_owned()];
        assert_eq!(in_memory_target(&record).unwrap().evidence, Evidence::InMemoryTarget { paths });
    }

    #[test]
    fn the_page_cache_is_named_where_there_is_one() {
        let mut record = healthy();
        assert_eq!(buffered_io(&record), None);
        record.plan.direct = false;
        let found = buffered_io(&record).unwrap();
        assert_eq!(
            (found.severity, found.evidence),
            (Severity::Warning, Evidence::BufferedIo { direct: false })
        );
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
        assert_eq!(found.evidence.facts()["memory_bytes"], ByteSize::gib(65).get());
        // Of what was measured on a target, and only where it is less.
        record.host.memory = Some(ByteSize::gib(63));
        assert_eq!(small_working_set(&record), None);
        record.host.memory = Some(ByteSize::gib(65));
        let with = |change: fn(&mut RunRecord)| {
            let mut record = record.clone();
            change(&mut record);
            small_working_set(&record)
        };
        assert_eq!(with(|record| record.plan.engine = EngineKind::Null), None);
        assert_eq!(with(|record| record.intervals.clear()), None);
        assert_eq!(with(|record| record.host.memory = None), None);
    }

    #[test]
    fn shares_of_smb_are_named_by_their_file_systems() {
        let share = |filesystem: Option<&str>| {
            let mut record = healthy();
            record.targets[0].filesystem = filesystem.map(str::to_owned);
            found(&record, super::smb_share).map(|found| (found.severity, found.evidence))
        };
        let evidence = Evidence::SmbShare { paths: vec!["/data".to_owned()] };
        for filesystem in ["smb", "smb3", "cifs"] {
            assert_eq!(share(Some(filesystem)), Some((Severity::Note, evidence.clone())));
        }
        assert_eq!((share(Some("ext4")), share(None)), (None, None));
    }

    #[test]
    fn a_result_of_another_tool_went_through_the_page_cache_or_nobody_says() {
        use iotrial_model::imported::{ImportedJob, StatedLoad};
        let of = |direct: Option<bool>, kind: SourceKind, job_count: usize| {
            let mut record = crate::test_record::imported();
            record.source.kind = kind;
            let load = StatedLoad { direct, ..StatedLoad::default() };
            record.jobs = vec![ImportedJob { load, ..ImportedJob::default() }; job_count];
            let subject = iotrial_model::subject::Subject::of_imported(&record);
            let seen = Observed::of(&subject);
            let told = |found: Finding| (found.id, found.severity, found.evidence);
            (super::buffered_io(&seen).map(told), super::unknown_cache(&seen).map(told))
        };
        let buffered = (FindingId::BufferedIo, Severity::Warning, Evidence::Nothing {});
        let unknown = (FindingId::UnknownCache, Severity::Note, Evidence::Nothing {});
        assert_eq!(of(Some(false), SourceKind::FioJson, 1), (Some(buffered), None));
        assert_eq!(of(Some(true), SourceKind::FioJson, 1), (None, None));
        assert_eq!(of(None, SourceKind::FioJson, 1), (None, Some(unknown)));
        // What is printed never says so, and without jobs there is nothing to say it of.
        for kind in [SourceKind::Table, SourceKind::Csv] {
            assert_eq!(of(None, kind, 1), (None, None));
        }
        assert_eq!(of(None, SourceKind::FioJson, 0), (None, None));
        assert_eq!(found(&healthy(), super::unknown_cache), None);
    }

    #[test]
    fn roles_that_lie_on_one_disk_are_named_with_it_and_those_that_do_not_are_not() {
        let device = |name: &str, carried_by: &[&str]| BlockDevice {
            name: name.to_owned(),
            carried_by: carried_by.iter().map(|name| (*name).to_owned()).collect(),
            is_partition: !carried_by.is_empty(),
            ..BlockDevice::default()
        };
        let target = |path: &str, roles: &[Role], disk: &str| TargetRecord {
            path: path.to_owned(),
            roles: roles.to_vec(),
            devices: vec![device(&format!("{disk}1"), &[disk]), device(disk, &[])],
            ..TargetRecord::default()
        };
        let mut record = healthy();
        record.targets = vec![
            target("/a", &[Role::Data, Role::Tempdb], "vda"),
            target("/b", &[Role::Log], "vda"),
            target("/c", &[Role::Backup], "vdb"),
        ];
        let [found] = <[Finding; 1]>::try_from(shared_disks(&record.targets)).unwrap();
        assert_eq!(found.severity, Severity::Note);
        assert_eq!(
            serde_json::to_value(found.evidence.facts()).unwrap(),
            serde_json::json!({"devices": ["vda"], "targets": ["data,tempdb=/a", "log=/b"], "roles": ["data", "tempdb", "log"]})
        );
        let all = crate::findings::findings(&iotrial_model::subject::Subject::of_run(&record));
        assert!(all.iter().any(|one| one.id == FindingId::SharedDisk), "{all:?}");
        record.targets.remove(0);
        assert_eq!(shared_disks(&record.targets), []);
        // Targets that were given to no role are named by their paths.
        record.targets[0].roles.clear();
        record.targets[1] = target("/d", &[], "vda");
        let found = &shared_disks(&record.targets)[0];
        let Evidence::SharedDisk { holders, are_disks: true, .. } = &found.evidence else {
            panic!("{found:?}")
        };
        let paths: Vec<&str> = holders.iter().map(|holder| holder.path.as_str()).collect();
        assert_eq!((paths, holders[0].roles.len()), (vec!["/b", "/d"], 0));
        let pair =
            |disk: usize| [0, 1].map(|of| target(&format!("/{disk}/{of}"), &[], &format!("vd{disk}x")));
        let many: Vec<TargetRecord> = (0..21).flat_map(pair).collect();
        assert_eq!(shared_disks(&many).len(), 20);
    }

    #[test]
    fn what_the_plan_changed_is_said_in_its_words() {
        let mut record = healthy();
        assert_eq!(size_reduced(&record), []);
        record.plan.notes = vec!["all files together are 1 GiB instead of 2 GiB".to_owned()];
        let found: Vec<Finding> = size_reduced(&record);
        assert_eq!((found.len(), found[0].severity), (1, Severity::Note));
        assert!(
            matches!(&found[0].evidence, Evidence::SizeReduced { note, .. } if *note == record.plan.notes[0])
        );
    }

    #[test]
    fn what_is_less_than_twice_the_cache_of_the_array_is_in_doubt_and_nothing_is_where_none_was_given() {
        let mut record = healthy();
        let touched = Subject::of_run(&record).touched.unwrap();
        assert_eq!(found(&record, array_cache), None);
        record.plan.array_cache = Some(ByteSize::bytes(touched.get() / 2));
        assert_eq!(found(&record, array_cache), None);
        record.plan.array_cache = Some(touched);
        assert_eq!(found(&record, array_cache).map(|found| found.id), Some(FindingId::ArrayCache));
    }
}
