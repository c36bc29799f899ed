//! What the devices counted, against what was issued to them.

use iotrial_model::load::Direction;
use iotrial_model::record::{Finding, RunRecord, Severity};
use iotrial_model::units::ByteSize;
use serde_json::json;

use super::finding;
use crate::device_chain::{ChainStep, StepFlow};

/// More than this in excess of what was issued is someone else's, or amplification. Journals and metadata of file
/// systems on a quiet host stay below.
const MOST_EXCESS_PERCENT: f64 = 10.0;
/// Less than this of what was issued means that something above the device answered a part. The counters are read
/// within milliseconds of the phase's ends, so that even one second is exact to a few percent.
const LEAST_SEEN_PERCENT: f64 = 90.0;
/// Less than this, and most of the figures are those of what answered.
const LEAST_BELIEVED_PERCENT: f64 = 50.0;
/// Up to this share of merges the I/Os at the device are those that were issued.
const MOST_MERGED_PERCENT: f64 = 10.0;

/// The steps that can be judged: where the page cache decides when it is written and read, the one from the load is
/// left out.
fn steps(record: &RunRecord) -> Vec<ChainStep> {
    let mut steps = ChainStep::all(record);
    steps.retain(|step| record.plan.direct || !step.is_from_load());
    steps
}

/// The devices moved much more than was issued, and someone else may have used them.
///
/// The excess of each direction is held against all that was issued, so that the few writes that every host makes
/// do not stand out of a load that only reads. It is told of the load's own devices, and of a disk whose other partitions
/// were used; that an array or file system further down moves more is amplification, see [`amplified_io`].
pub(crate) fn foreign_load(record: &RunRecord) -> Option<Finding> {
    let step = steps(record)
        .into_iter()
        .filter(|step| step.is_from_load() || step.is_partition)
        .find(|step| excess_of_above_percent(step) > MOST_EXCESS_PERCENT)?;
    let ChainStep { read, write, .. } = step;
    let excess = read.excess_bytes() + write.excess_bytes();
    let above = read.above_bytes + write.above_bytes;
    let share_percent = step.excess_percent.unwrap_or_default();
    let is_bare = record.targets.iter().all(|target| target.kind == "device") && !record.targets.is_empty();
    let below = step.below.join(", ");
    let message = if step.is_partition {
        format!(
            "{share_percent:.0} % of what {below} moved ({}) went to other partitions than {}: someone else used the disk",
            ByteSize::bytes(excess),
            step.above.join(", ")
        )
    } else {
        let who = if is_bare {
            "someone else used them"
        } else {
            "someone else used them, or the file system above them multiplies I/Os"
        };
        format!(
            "the devices moved {} more than the {} that were issued ({:.0} %; {share_percent:.0} % of what {below} moved): {who}",
            ByteSize::bytes(excess),
            ByteSize::bytes(above),
            excess_of_above_percent(&step)
        )
    };
    Some(finding(
        "foreign-load",
        Severity::Warning,
        message,
        [
            ("devices", json!(step.below)),
            ("share_percent", json!(share_percent)),
            ("issued_read_bytes", json!(read.above_bytes)),
            ("issued_write_bytes", json!(write.above_bytes)),
            ("device_read_bytes", json!(read.below_bytes)),
            ("device_write_bytes", json!(write.below_bytes)),
        ],
    ))
}

/// The excess of a step in percent of what came from above; zero where nothing came, because then there is nothing to hold
/// it against.
#[expect(clippy::cast_precision_loss, reason = "a share to 15 digits")]
fn excess_of_above_percent(step: &ChainStep) -> f64 {
    let above = step.read.above_bytes + step.write.above_bytes;
    let excess = step.read.excess_bytes() + step.write.excess_bytes();
    if above == 0 { 0.0 } else { 100.0 * excess as f64 / above as f64 }
}

/// Devices further down moved more than those that they carry: an array, a mapping or a file system multiplies, or others
/// use them. The step that multiplies most is named.
pub(super) fn amplified_io(record: &RunRecord) -> Option<Finding> {
    let step = steps(record)
        .into_iter()
        .filter(|step| !step.is_from_load() && !step.is_partition)
        .filter(|step| excess_of_above_percent(step) > MOST_EXCESS_PERCENT)
        .max_by(|a, b| excess_of_above_percent(a).total_cmp(&excess_of_above_percent(b)))?;
    let times = |flow: &StepFlow| flow.bytes_ratio.map(|ratio| format!("{ratio:.2}"));
    let absent = || "no".to_owned();
    Some(finding(
        "amplified-io",
        Severity::Note,
        format!(
            "{} read {} and wrote {} bytes for each byte of {}: what lies between them multiplies I/Os, or others use the devices too",
            step.below.join(", "),
            times(&step.read).unwrap_or_else(absent),
            times(&step.write).unwrap_or_else(absent),
            step.above.join(", ")
        ),
        [
            ("devices", json!(step.below)),
            ("above", json!(step.above)),
            ("read_bytes_ratio", json!(step.read.bytes_ratio)),
            ("write_bytes_ratio", json!(step.write.bytes_ratio)),
            ("excess_percent", json!(step.excess_percent)),
        ],
    ))
}

/// Devices saw less than what came from above: something between answered. The step and direction of which least was
/// seen are named.
pub(super) fn cache_served(record: &RunRecord) -> Option<Finding> {
    let seen_percent = |flow: &StepFlow| flow.bytes_ratio.map(|ratio| 100.0 * ratio);
    let (step, direction, seen) = steps(record)
        .into_iter()
        .flat_map(|step| Direction::ALL.map(|direction| (step.clone(), direction)))
        .filter_map(|(step, direction)| {
            let seen = seen_percent(step.flow(direction))?;
            Some((step, direction, seen))
        })
        .filter(|(_, _, seen)| *seen < LEAST_SEEN_PERCENT)
        .min_by(|a, b| a.2.total_cmp(&b.2))?;
    let flow = step.flow(direction);
    let severity = if seen < LEAST_BELIEVED_PERCENT { Severity::Warning } else { Severity::Note };
    let (below, counted) = (step.below.join(", "), ByteSize::bytes(flow.below_bytes));
    let above = ByteSize::bytes(flow.above_bytes);
    let message = if step.is_from_load() {
        format!(
            "the devices counted {counted} of the {above} that were issued as {direction}s ({seen:.0} %): a cache or holes in the file answered above them, or the load reached devices that are not known"
        )
    } else {
        format!(
            "{below} counted {counted} of the {above} that {} passed on as {direction}s ({seen:.0} %): a cache between them answered, or holds them back",
            step.above.join(", ")
        )
    };
    Some(finding(
        "cache-served",
        severity,
        message,
        [
            ("seen_in", json!("device counters")),
            ("direction", json!(direction)),
            ("devices", json!(step.below)),
            ("issued_bytes", json!(flow.above_bytes)),
            ("device_bytes", json!(flow.below_bytes)),
            ("cache_percent", json!(100.0 - seen)),
        ],
    ))
}

/// The nearest devices merged I/Os, so that they did fewer and larger ones than were issued.
pub(super) fn merged_io(record: &RunRecord) -> Option<Finding> {
    let step = steps(record).into_iter().find(ChainStep::is_from_load)?;
    let (direction, percent) = Direction::ALL
        .into_iter()
        .filter_map(|direction| Some((direction, step.flow(direction).merged_percent?)))
        .filter(|(direction, percent)| {
            *percent > MOST_MERGED_PERCENT && step.flow(*direction).above_count > 0
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    let flow = step.flow(direction);
    Some(finding(
        "merged-io",
        Severity::Note,
        format!(
            "{percent:.0} % of the {direction}s were merged with their neighbours above the device: {} of them became {} I/Os of {}, so the device does not do the IOPS that are shown",
            flow.above_count,
            flow.below_count,
            step.below.join(", ")
        ),
        [
            ("direction", json!(direction)),
            ("merged_percent", json!(percent)),
            ("issued_count", json!(flow.above_count)),
            ("device_count", json!(flow.below_count)),
        ],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_record::{chain, healthy};

    #[test]
    fn a_tenth_more_than_issued_is_tolerated_and_no_more() {
        let mut record = healthy();
        let issued = record.devices[0].read_bytes + record.devices[0].write_bytes;
        record.devices[0].read_bytes += issued / 10;
        assert_eq!(foreign_load(&record), None);
        record.devices[0].read_bytes += issued / 100;
        let found = foreign_load(&record).unwrap();
        assert!(found.message.contains("(11 %; 10 % of what nvme0n1 moved)"), "{}", found.message);
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
        assert_eq!((found.severity, &found.evidence["direction"]), (Severity::Warning, &json!("read")));
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
        assert!(found.message.starts_with("20 % of what sda moved"), "{}", found.message);
        assert_eq!(amplified_io(&record), None);

        chain(
            &mut record,
            &[("md0", 1, "nvme0n1 nvme1n1", 1.0), ("nvme0n1", 2, "", 1.0), ("nvme1n1", 2, "", 1.0)],
        );
        assert_eq!(foreign_load(&record), None);
        let found = amplified_io(&record).unwrap();
        assert_eq!(found.evidence["write_bytes_ratio"], json!(2.0));
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
