//! What the devices counted, against what was issued to them.

use iotrial_model::finding::{CacheByDevices, Evidence, Finding, FindingId, ForeignLoad, SeenIn, Severity};
use iotrial_model::load::Direction;

use super::Judge;
use super::limit::FlatLimit;
use super::observed::Observed;
use crate::device_chain::ChainStep;

/// More than this in excess of what was issued is someone else's, or amplification. Journals and metadata of file
/// systems on a quiet host stay below.
const MOST_EXCESS_PERCENT: f64 = 10.0;
/// Of a part of the load with devices of its own, the excess is also held against all that was issued: journal and metadata of a file
/// system below a quiet log are more than a tenth of what the log writes, and nobody's load.
const LEAST_EXCESS_PERCENT: f64 = 1.0;
/// Less than this of what was issued means that something above the device answered a part. The counters are read
/// within milliseconds of the phase's ends, so that even one second is exact to a few percent.
const LEAST_SEEN_PERCENT: f64 = 90.0;
/// Less than this, and most of the figures are those of what answered.
const LEAST_BELIEVED_PERCENT: f64 = 50.0;
/// Up to this share of merges the I/Os at the device are those that were issued.
const MOST_MERGED_PERCENT: f64 = 10.0;

/// For the table in `findings.rs`.
pub(super) const JUDGES: &[Judge] = &[foreign_load, amplified_io, merged_io];

/// The steps that can be judged: where the page cache decides when it is written and read, the one from the load is
/// left out.
fn steps<'o>(seen: &'o Observed<'_, '_>) -> impl Iterator<Item = &'o ChainStep> + use<'o> {
    let is_direct = seen.subject.direct != Some(false);
    seen.steps.iter().filter(move |step| is_direct || !step.is_from_load())
}

/// The devices moved much more than was issued, and someone else may have used them.
///
/// The excess of each direction is held against all that was issued, so that the few writes that every host makes
/// do not stand out of a load that only reads. It is told of the load's own devices, and of a disk whose other partitions
/// were used; that an array or file system further down moves more is amplification, see [`amplified_io`].
pub(super) fn foreign_load(seen: &Observed<'_, '_>) -> Option<Finding> {
    // Of a part of the load that does little, what a quiet host does beside it is much.
    let of_load = steps(seen).filter(|step| step.is_from_load()).map(above_bytes).sum::<u64>() as f64;
    let is_worth_it = |step: &&ChainStep| {
        step.roles.is_empty() || excess_bytes(step) as f64 > LEAST_EXCESS_PERCENT / 100.0 * of_load
    };
    let step = steps(seen)
        .filter(|step| step.is_from_load() || step.is_partition)
        .filter(is_worth_it)
        .find(|step| excess_of_above_percent(step) > MOST_EXCESS_PERCENT)?;
    let targets = seen.subject.targets;
    // A raw device has no journal and no metadata above it, so that only somebody else is left.
    let is_bare = targets.iter().all(|target| target.kind == "device") && !targets.is_empty();
    let ChainStep { read, write, .. } = step;
    let evidence = Evidence::ForeignLoad(ForeignLoad {
        devices: step.below.clone(),
        share_percent: step.excess_percent.unwrap_or_default(),
        issued_read_bytes: read.above_bytes,
        issued_write_bytes: write.above_bytes,
        device_read_bytes: read.below_bytes,
        device_write_bytes: write.below_bytes,
        roles: step.roles.clone(),
        partitions: if step.is_partition { step.above.clone() } else { Vec::new() },
        is_bare,
    });
    Some(Finding::new(FindingId::ForeignLoad, Severity::Warning, evidence))
}

/// The excess of a step in percent of what came from above; zero where nothing came, because then there is nothing to hold
/// it against.
fn excess_of_above_percent(step: &ChainStep) -> f64 {
    let (above, excess) = (above_bytes(step), excess_bytes(step));
    if above == 0 { 0.0 } else { 100.0 * excess as f64 / above as f64 }
}

const fn above_bytes(step: &ChainStep) -> u64 {
    step.read.above_bytes + step.write.above_bytes
}

const fn excess_bytes(step: &ChainStep) -> u64 {
    step.read.excess_bytes() + step.write.excess_bytes()
}

/// Devices further down moved more than those that they carry: an array, a mapping or a file system multiplies, or others
/// use them. The step that multiplies most is named.
pub(super) fn amplified_io(seen: &Observed<'_, '_>) -> Option<Finding> {
    let step = steps(seen)
        .filter(|step| !step.is_from_load() && !step.is_partition)
        .filter(|step| excess_of_above_percent(step) > MOST_EXCESS_PERCENT)
        .max_by(|a, b| excess_of_above_percent(a).total_cmp(&excess_of_above_percent(b)))?;
    let evidence = Evidence::AmplifiedIo {
        devices: step.below.clone(),
        above: step.above.clone(),
        read_bytes_ratio: step.read.bytes_ratio,
        write_bytes_ratio: step.write.bytes_ratio,
        excess_percent: step.excess_percent,
    };
    Some(Finding::new(FindingId::AmplifiedIo, Severity::Note, evidence))
}

/// Devices saw less than what came from above: something between answered. The step and direction of which least was
/// seen are named.
pub(super) fn cache_below(seen: &Observed<'_, '_>) -> Option<Finding> {
    let (step, direction, seen_percent) = steps(seen)
        .flat_map(|step| Direction::ALL.map(|direction| (step, direction)))
        .filter_map(|(step, direction)| Some((step, direction, 100.0 * step.flow(direction).bytes_ratio?)))
        .filter(|(_, _, seen_percent)| *seen_percent < LEAST_SEEN_PERCENT)
        .min_by(|a, b| a.2.total_cmp(&b.2))?;
    let is_believed = seen_percent >= LEAST_BELIEVED_PERCENT;
    let flow = step.flow(direction);
    let evidence = Evidence::CacheByDevices(CacheByDevices {
        seen_in: SeenIn::DeviceCounters,
        direction,
        devices: step.below.clone(),
        issued_bytes: flow.above_bytes,
        device_bytes: flow.below_bytes,
        cache_percent: 100.0 - seen_percent,
        above: step.above.clone(),
        roles: step.roles.clone(),
    });
    let severity = if is_believed { Severity::Note } else { Severity::Warning };
    Some(Finding::new(FindingId::CacheServed, severity, evidence))
}

/// The nearest devices merged I/Os, so that they did fewer and larger ones than were issued.
///
/// It is not said where a limit on bytes holds the rate: I/Os that wait for it together are merged when they are let go, and what is limited, the bytes, is
/// the same whether they are or not.
pub(super) fn merged_io(seen: &Observed<'_, '_>) -> Option<Finding> {
    if seen.flat.iter().any(FlatLimit::is_on_bytes) {
        return None;
    }
    let (step, direction, percent) = steps(seen)
        .filter(|step| step.is_from_load())
        .flat_map(|step| Direction::ALL.map(|direction| (step, direction)))
        .filter_map(|(step, direction)| Some((step, direction, step.flow(direction).merged_percent?)))
        .filter(|(step, direction, percent)| {
            let flow = step.flow(*direction);
            // Where the devices did more I/Os than were issued, somebody else's were merged.
            *percent > MOST_MERGED_PERCENT && flow.below_count < flow.above_count
        })
        .max_by(|a, b| a.2.total_cmp(&b.2))?;
    let flow = step.flow(direction);
    let evidence = Evidence::MergedIo {
        direction,
        merged_percent: percent,
        issued_count: flow.above_count,
        device_count: flow.below_count,
        devices: step.below.clone(),
    };
    Some(Finding::new(FindingId::MergedIo, Severity::Note, evidence))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use iotrial_model::load::Role;
    use iotrial_model::record::RunRecord;
    use serde_json::json;

    use super::*;
    use crate::findings::found;
    use crate::test_record::{apart, chain, counts, healthy};

    fn foreign_load(record: &RunRecord) -> Option<Finding> {
        found(record, super::foreign_load)
    }

    fn amplified_io(record: &RunRecord) -> Option<Finding> {
        found(record, super::amplified_io)
    }

    fn cache_served(record: &RunRecord) -> Option<Finding> {
        found(record, super::cache_below)
    }

    fn merged_io(record: &RunRecord) -> Option<Finding> {
        found(record, super::merged_io)
    }

    #[test]
    fn a_tenth_more_than_issued_is_tolerated_and_no_more() {
        let mut record = healthy();
        let issued = record.devices[0].read_bytes + record.devices[0].write_bytes;
        record.devices[0].read_bytes += issued / 10;
        assert_eq!(foreign_load(&record), None);
        record.devices[0].read_bytes += issued / 2_000;
        assert_eq!(foreign_load(&record).unwrap().severity, Severity::Warning);
        // More of what was issued is no amplification by itself.
        assert_eq!(amplified_io(&record), None);
        record.devices[0].read_bytes += issued / 100 - issued / 2_000;
        let found = foreign_load(&record).unwrap();
        let share_percent = found.evidence.facts()["share_percent"].as_f64().unwrap();
        assert!((share_percent - 11.0 / 1.11).abs() < 0.1, "{share_percent}");
    }

    #[test]
    fn what_a_journal_adds_to_a_quiet_log_on_a_disk_of_its_own_is_no_foreign_load() {
        let mut record = healthy();
        // A log that writes once a second beside data at full rate: 300 blocks, and a journal that writes as much.
        for interval in &mut record.intervals {
            interval.jobs[1].write = Some(counts(1, Duration::from_micros(500)));
        }
        record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
        apart(&mut record);
        record.devices[1].write_bytes *= 2;
        assert_eq!(foreign_load(&record), None);
        // What somebody else does there is a load, also where it is little beside the data.
        record.devices[1].write_bytes += record.devices[0].read_bytes / 20;
        let found = foreign_load(&record).unwrap();
        let Evidence::ForeignLoad(ForeignLoad { devices, roles, .. }) = &found.evidence else {
            panic!("{found:?}")
        };
        assert_eq!((roles.as_slice(), devices.as_slice()), (&[Role::Log][..], &["sdc".to_owned()][..]));
        // A hundredth of all that was issued to both.
        let ops = record.jobs.iter().flat_map(|job| job.read.iter().chain(&job.write));
        let hundredth = ops.map(|one| one.bytes).sum::<u64>() / 100;
        let of_log = record.jobs[1].write.as_ref().unwrap().bytes;
        let mut with = |excess: u64| {
            record.devices[1].write_bytes = of_log + excess;
            foreign_load(&record).is_some()
        };
        assert!(!with(hundredth / 1_000 * 999) && with(hundredth / 1_000 * 1_005));
    }

    #[test]
    fn reads_that_a_cache_answered_do_not_hide_foreign_writes() {
        let mut record = healthy();
        record.devices[0].read_bytes = 0;
        record.devices[0].write_bytes *= 2;
        assert!(foreign_load(&record).is_some());
    }

    #[test]
    fn less_at_the_device_than_issued_means_that_something_else_answered() {
        let mut record = healthy();
        let issued = record.devices[0].read_bytes;
        record.devices[0].read_bytes = issued / 1_000 * 901;
        assert_eq!(cache_served(&record), None);
        record.devices[0].read_bytes = issued / 1_000 * 899;
        assert!(cache_served(&record).is_some());
        record.devices[0].read_bytes = issued / 1_000 * 501;
        assert_eq!(cache_served(&record).unwrap().severity, Severity::Note);
        record.devices[0].read_bytes = issued / 100 * 49;
        let found = cache_served(&record).unwrap();
        assert_eq!(
            (found.severity, &found.evidence.facts()["direction"]),
            (Severity::Warning, &json!("read"))
        );
        assert!((found.evidence.facts()["cache_percent"].as_f64().unwrap() - 51.0).abs() < 0.1);
        // Of both directions the one of which least was seen.
        record.devices[0].write_bytes /= 5;
        assert_eq!(cache_served(&record).unwrap().evidence.facts()["direction"], json!("write"));
    }

    #[test]
    fn only_a_raw_device_has_no_file_system_that_could_multiply() {
        let is_bare = |kinds: &[&str]| {
            let mut record = healthy();
            record.devices[0].write_bytes *= 9;
            let target = |kind: &&str| iotrial_model::record::TargetRecord {
                kind: (*kind).to_owned(),
                ..record.targets[0].clone()
            };
            record.targets = kinds.iter().map(target).collect();
            let found = foreign_load(&record).unwrap();
            let Evidence::ForeignLoad(ForeignLoad { is_bare, .. }) = found.evidence else {
                panic!("{found:?}")
            };
            is_bare
        };
        assert!(is_bare(&["device"]) && is_bare(&["device", "device"]));
        assert!(!is_bare(&["directory"]) && !is_bare(&["device", "file"]) && !is_bare(&[]));
    }

    #[test]
    fn a_cache_between_two_levels_is_found_where_it_lies() {
        let mut record = healthy();
        chain(&mut record, &[("loop0", 1, "vda", 1.0), ("vda", 2, "", 0.2)]);
        let found = cache_served(&record).unwrap();
        let Evidence::CacheByDevices(CacheByDevices { devices, above, .. }) = &found.evidence else {
            panic!("{found:?}")
        };
        assert_eq!(
            (devices.as_slice(), above.as_slice()),
            (&["vda".to_owned()][..], &["loop0".to_owned()][..])
        );
        // The page cache above the first device does not hide what happens below it.
        record.plan.direct = false;
        assert!(cache_served(&record).is_some());
    }

    #[test]
    fn what_other_partitions_did_is_foreign_and_what_a_mirror_does_is_amplified() {
        let mut record = healthy();
        chain(&mut record, &[("sda1", 1, "sda", 1.0), ("sda", 2, "", 1.05)]);
        assert_eq!((foreign_load(&record), amplified_io(&record)), (None, None));
        chain(&mut record, &[("sda1", 1, "sda", 1.0), ("sda", 2, "", 1.25)]);
        let found = foreign_load(&record).unwrap();
        let Evidence::ForeignLoad(ForeignLoad { partitions, share_percent, .. }) = &found.evidence else {
            panic!("{found:?}")
        };
        assert_eq!((partitions.as_slice(), share_percent.round()), (&["sda1".to_owned()][..], 20.0));
        assert_eq!(amplified_io(&record), None);

        chain(
            &mut record,
            &[("md0", 1, "nvme0n1 nvme1n1", 1.0), ("nvme0n1", 2, "", 1.0), ("nvme1n1", 2, "", 1.0)],
        );
        assert_eq!(foreign_load(&record), None);
        let found = amplified_io(&record).unwrap();
        assert_eq!(found.evidence.facts()["write_bytes_ratio"], json!(2.0));
        assert_eq!(found.severity, Severity::Note);
        assert_eq!(found.evidence.facts()["devices"], json!(["nvme0n1", "nvme1n1"]));
        chain(
            &mut record,
            &[("md0", 1, "nvme0n1 nvme1n1", 1.0), ("nvme0n1", 2, "", 0.5), ("nvme1n1", 2, "", 0.5)],
        );
        assert_eq!((foreign_load(&record), amplified_io(&record), cache_served(&record)), (None, None, None));
    }

    #[test]
    fn the_step_that_multiplies_most_is_named_from_a_tenth_on() {
        let mut record = healthy();
        let mut amplified = |of_disk: f64| {
            chain(&mut record, &[("md0", 1, "vda", 1.0), ("vda", 2, "", of_disk)]);
            amplified_io(&record).is_some()
        };
        assert!(!amplified(1.099) && amplified(1.1005));
        chain(&mut record, &[("md0", 1, "dm-0", 1.0), ("dm-0", 2, "vda", 1.2), ("vda", 3, "", 2.4)]);
        let facts = amplified_io(&record).unwrap().evidence.facts();
        assert_eq!((&facts["above"], &facts["devices"]), (&json!(["dm-0"]), &json!(["vda"])));
        chain(&mut record, &[("md0", 1, "dm-0", 1.0), ("dm-0", 2, "vda", 2.4), ("vda", 3, "", 3.0)]);
        assert_eq!(amplified_io(&record).unwrap().evidence.facts()["devices"], json!(["dm-0"]));
    }

    #[test]
    fn merges_are_named_from_a_tenth_on() {
        let mut record = healthy();
        record.devices[0].write_count = 900;
        record.devices[0].write_merge_count = 100;
        assert_eq!(merged_io(&record), None);
        (record.devices[0].write_count, record.devices[0].write_merge_count) = (8_995, 1_005);
        assert_eq!(merged_io(&record).unwrap().severity, Severity::Note);
        (record.devices[0].write_count, record.devices[0].write_merge_count) = (900, 400);
        let found = merged_io(&record).unwrap();
        let facts = found.evidence.facts();
        assert_eq!(
            (&facts["direction"], facts["merged_percent"].as_f64().unwrap().round()),
            (&json!("write"), 31.0)
        );
        // The direction of which more were merged.
        (record.devices[0].read_count, record.devices[0].read_merge_count) = (900, 900);
        assert_eq!(merged_io(&record).unwrap().evidence.facts()["direction"], json!("read"));
    }

    #[test]
    fn merges_are_told_of_the_nearest_devices_and_not_where_a_limit_on_bytes_holds_the_rate() {
        let mut below = healthy();
        chain(&mut below, &[("md0", 1, "vda", 1.0), ("vda", 2, "", 1.0)]);
        (below.devices[1].write_count, below.devices[1].write_merge_count) = (900, 900);
        assert_eq!(merged_io(&below), None);
        let limited = |iops: u64, shortest_us: u64| {
            let mut record = crate::test_record::measured(60, |_| iops);
            let first = counts(1, Duration::from_micros(shortest_us));
            let read = record.intervals[0].jobs[0].read.as_mut().unwrap();
            read.total_latency.merge(&first.total_latency);
            (record.devices[0].write_count, record.devices[0].write_merge_count) = (900, 900);
            let flat = found(&record, super::super::limit::flat_limits);
            (flat.first().map(|one| one.id), merged_io(&record).is_some())
        };
        assert_eq!(limited(1_600, 200), (Some(FindingId::FlatIopsLimit), true));
        // 128,000 of 8 KiB are 1,000 MiB/s.
        assert_eq!(limited(113_778, 5), (Some(FindingId::FlatBandwidthLimit), false));
    }

    #[test]
    fn merges_of_what_somebody_else_wrote_are_not_ours() {
        let mut record = healthy();
        // More than was issued, and as many again were merged into them.
        record.devices[0].write_count = 50_000_000;
        record.devices[0].write_merge_count = 50_000_000;
        assert_eq!(merged_io(&record), None);
        // Exactly as many as were issued are not fewer.
        let issued = [&record.jobs[0], &record.jobs[1]].map(|job| job.write.as_ref().unwrap().io_count());
        record.devices[0].write_count = issued.iter().sum();
        assert_eq!(merged_io(&record), None);
        record.devices[0].write_count -= 1;
        assert!(merged_io(&record).is_some());
    }

    #[test]
    fn nothing_is_said_without_counters_or_with_the_page_cache_between() {
        let mut record = healthy();
        record.devices[0].read_bytes = 0;
        record.devices[0].write_bytes *= 9;
        record.plan.direct = false;
        assert_eq!((cache_served(&record), foreign_load(&record)), (None, None));
        record.plan.direct = true;
        record.devices.clear();
        assert_eq!((cache_served(&record), foreign_load(&record)), (None, None));
    }
}
