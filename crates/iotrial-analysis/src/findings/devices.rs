//! What the devices counted, against what was issued to them.

use iotrial_model::finding::{Evidence, Finding, FindingId, SeenIn, Severity};
use iotrial_model::given_target::in_words;
use iotrial_model::load::Direction;
use iotrial_model::units::ByteSize;

use super::limit::FlatLimit;
use super::observed::Observed;
use crate::device_chain::{ChainStep, StepFlow};
use crate::words::with_thousands;

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
    Some(Finding {
        id: FindingId::ForeignLoad,
        severity: Severity::Warning,
        message: foreign_words(step, is_bare),
        evidence: Evidence::ForeignLoad {
            devices: step.below.clone(),
            share_percent: step.excess_percent.unwrap_or_default(),
            issued_read_bytes: read.above_bytes,
            issued_write_bytes: write.above_bytes,
            device_read_bytes: read.below_bytes,
            device_write_bytes: write.below_bytes,
        },
    })
}

/// `is_bare` where no file system lies above the devices, which could multiply.
fn foreign_words(step: &ChainStep, is_bare: bool) -> String {
    let ChainStep { read, write, .. } = step;
    let excess = ByteSize::bytes(read.excess_bytes() + write.excess_bytes());
    let above = ByteSize::bytes(read.above_bytes + write.above_bytes);
    let share_percent = step.excess_percent.unwrap_or_default();
    let below = step.below.join(", ");
    let whose = if step.roles.is_empty() { String::new() } else { format!("{}: ", in_words(&step.roles)) };
    if step.is_partition {
        return format!(
            "{share_percent:.0} % of the bytes that {below} moved ({excess}) belong to partitions other than {}: something else used the disk",
            step.above.join(", ")
        );
    }
    let who = if is_bare {
        "something else used them"
    } else {
        "something else used them, or the file system adds I/Os of its own"
    };
    format!(
        "{whose}the devices moved {excess} more than the {above} that iotrial issued ({:.0} % of that, and {share_percent:.0} % of all that {below} moved): {who}",
        excess_of_above_percent(step)
    )
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
    Some(Finding {
        id: FindingId::AmplifiedIo,
        severity: Severity::Note,
        message: amplified_words(step),
        evidence: Evidence::AmplifiedIo {
            devices: step.below.clone(),
            above: step.above.clone(),
            read_bytes_ratio: step.read.bytes_ratio,
            write_bytes_ratio: step.write.bytes_ratio,
            excess_percent: step.excess_percent,
        },
    })
}

fn amplified_words(step: &ChainStep) -> String {
    let times =
        |flow: &StepFlow| flow.bytes_ratio.map_or_else(|| "no".to_owned(), |ratio| format!("{ratio:.2}"));
    format!(
        "{} read {} and wrote {} bytes for each byte of {}: the layer between them adds I/Os, or others use the devices too",
        step.below.join(", "),
        times(&step.read),
        times(&step.write),
        step.above.join(", ")
    )
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
    Some(Finding {
        id: FindingId::CacheServed,
        severity: if is_believed { Severity::Note } else { Severity::Warning },
        message: cache_below_words(step, direction, seen_percent),
        evidence: Evidence::CacheByDevices {
            seen_in: SeenIn::DeviceCounters,
            direction,
            devices: step.below.clone(),
            issued_bytes: flow.above_bytes,
            device_bytes: flow.below_bytes,
            cache_percent: 100.0 - seen_percent,
        },
    })
}

fn cache_below_words(step: &ChainStep, direction: Direction, seen_percent: f64) -> String {
    let flow = step.flow(direction);
    let (counted, above) = (ByteSize::bytes(flow.below_bytes), ByteSize::bytes(flow.above_bytes));
    if step.is_from_load() {
        let whose =
            if step.roles.is_empty() { String::new() } else { format!("{}: ", in_words(&step.roles)) };
        return format!(
            "{whose}the devices counted only {counted} of the {above} that iotrial issued as {direction}s ({seen_percent:.0} %): a cache or holes in the file answered the rest, or the I/O went to devices that iotrial does not know"
        );
    }
    format!(
        "{} counted only {counted} of the {above} that {} passed on as {direction}s ({seen_percent:.0} %): a cache between them answered the rest, or still holds it",
        step.below.join(", "),
        step.above.join(", ")
    )
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
    Some(Finding {
        id: FindingId::MergedIo,
        severity: Severity::Note,
        message: merged_words(flow, direction, percent, &step.below),
        evidence: Evidence::MergedIo {
            direction,
            merged_percent: percent,
            issued_count: flow.above_count,
            device_count: flow.below_count,
        },
    })
}

fn merged_words(flow: &StepFlow, direction: Direction, percent: f64, below: &[String]) -> String {
    format!(
        "{percent:.0} % of the {direction}s were merged with their neighbours before they reached the device: {} of them became {} I/Os of {}, so the device itself did fewer IOPS than shown",
        with_thousands(flow.above_count as f64),
        with_thousands(flow.below_count as f64),
        below.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
        record.devices[0].read_bytes += issued / 100;
        let found = foreign_load(&record).unwrap();
        assert!(
            found.message.contains("(11 % of that, and 10 % of all that nvme0n1 moved)"),
            "{}",
            found.message
        );
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
        assert!(found.message.starts_with("log: the devices moved"), "{}", found.message);
        assert_eq!(found.evidence.facts()["devices"], json!(["sdc"]));
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
        record.devices[0].read_bytes = issued / 100 * 91;
        assert_eq!(cache_served(&record), None);
        record.devices[0].read_bytes = issued / 100 * 51;
        assert_eq!(cache_served(&record).unwrap().severity, Severity::Note);
        record.devices[0].read_bytes = issued / 100 * 49;
        let found = cache_served(&record).unwrap();
        assert_eq!(
            (found.severity, &found.evidence.facts()["direction"]),
            (Severity::Warning, &json!("read"))
        );
        assert!(found.message.contains("issued as reads (49 %)"), "{}", found.message);
    }

    #[test]
    fn a_cache_between_two_levels_is_found_where_it_lies() {
        let mut record = healthy();
        chain(&mut record, &[("loop0", 1, "vda", 1.0), ("vda", 2, "", 0.2)]);
        let found = cache_served(&record).unwrap();
        assert!(found.message.starts_with("vda counted"), "{}", found.message);
        assert!(found.message.contains("that loop0 passed on"), "{}", found.message);
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
        assert!(found.message.starts_with("20 % of the bytes that sda moved"), "{}", found.message);
        assert_eq!(amplified_io(&record), None);

        chain(
            &mut record,
            &[("md0", 1, "nvme0n1 nvme1n1", 1.0), ("nvme0n1", 2, "", 1.0), ("nvme1n1", 2, "", 1.0)],
        );
        assert_eq!(foreign_load(&record), None);
        let found = amplified_io(&record).unwrap();
        assert_eq!(found.evidence.facts()["write_bytes_ratio"], json!(2.0));
        assert!(
            found.message.starts_with("nvme0n1, nvme1n1 read 2.00 and wrote 2.00 bytes"),
            "{}",
            found.message
        );
        chain(
            &mut record,
            &[("md0", 1, "nvme0n1 nvme1n1", 1.0), ("nvme0n1", 2, "", 0.5), ("nvme1n1", 2, "", 0.5)],
        );
        assert_eq!((foreign_load(&record), amplified_io(&record), cache_served(&record)), (None, None, None));
    }

    #[test]
    fn merges_are_named_from_a_tenth_on() {
        let mut record = healthy();
        record.devices[0].write_count = 900;
        record.devices[0].write_merge_count = 100;
        assert_eq!(merged_io(&record), None);
        record.devices[0].write_merge_count = 400;
        let found = merged_io(&record).unwrap();
        assert!(found.message.starts_with("31 % of the writes were merged"), "{}", found.message);
    }

    #[test]
    fn merges_of_what_somebody_else_wrote_are_not_ours() {
        let mut record = healthy();
        // More than was issued, and as many again were merged into them.
        record.devices[0].write_count = 50_000_000;
        record.devices[0].write_merge_count = 50_000_000;
        assert_eq!(merged_io(&record), None);
        record.devices[0].write_count = 900;
        record.devices[0].write_merge_count = 900;
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
