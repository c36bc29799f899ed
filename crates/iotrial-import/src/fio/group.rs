//! Whose figures an entry of fio has: those of all copies of one job, or of a group of several, of which only one has its options
//! listed.

use iotrial_model::imported::{StatedLoad, StatedOps, StatedStream};

use super::name_of;
use crate::Reading;
use crate::json::Node;

/// I/Os that came back short, or were dropped. fio counts each flush as a short read, also where nothing is read, and the
/// flushes of one job of a group with all of them.
pub(super) fn warn_of_short(
    node: &Node<'_>,
    ops: &StatedOps,
    load: &StatedLoad,
    is_of_others: bool,
    path: &str,
    reading: &mut Reading<'_>,
) {
    let flushes = ops.sync.is_some()
        || load.flush_every.is_some()
        || ["fsync", "fdatasync", "sync_file_range"]
            .iter()
            .any(|option| load.options.get(*option).is_some_and(|value| value.trim() != "0"));
    for (name, stream) in [("read", &ops.read), ("write", &ops.write)] {
        let Some(stream) = stream else { continue };
        let count = |key: &str| node.get(name)?.get(key)?.whole().filter(|count| *count > 0);
        // More than all of its I/Os cannot be its own.
        let short = count("short_ios").filter(|count| *count <= stream.io_count.unwrap_or(u64::MAX));
        if let Some(count) = short.filter(|_| !(name == "read" && flushes)) {
            // Of a group only one job's options are listed, and another may flush.
            let or = if is_of_others && name == "read" {
                "; fio also counts flushes of other jobs of the group here"
            } else {
                ""
            };
            let ios = if count == 1 { "I/O" } else { "I/Os" };
            reading
                .notes
                .warn(format!("{path}.{name}.short_ios"), format!("{count} {ios} came back short{or}"));
        }
        if let Some(count) = count("drop_ios") {
            let ios = if count == 1 { "I/O was" } else { "I/Os were" };
            reading.notes.warn(format!("{path}.{name}.drop_ios"), format!("{count} {ios} dropped"));
        }
    }
}

/// Whether a load is that of one job of a group only. The entry of a group has the name of its first job and
/// the options of its last one. That there are others shows in the name among the options (of a command
/// line), in I/Os that the options do not make, and in the times of all copies, added up.
pub(super) fn has_other_jobs(node: &Node<'_>, ops: &StatedOps, load: &StatedLoad) -> bool {
    let (_, name) = name_of(node);
    // fio cuts the name of a job behind 127 bytes, and the option keeps all of it.
    const LONGEST_NAME: usize = 127;
    let is_cut = |other: &str| name.len() >= LONGEST_NAME && other.starts_with(name);
    // A name among the global options is one of all jobs, and none of them has to bear it.
    let own = node.get("job options").and_then(|options| options.get("name")?.text());
    let is_other = own.is_some_and(|other| other != name && !is_cut(other));
    // Reads of a job that writes are those of its verification, where it has one. A group has the I/Os of the job whose options are
    // listed as well: where those are missing altogether they are not of others, but told under the wrong direction.
    let is_more = match load.rwmix_read_percent {
        Some(0.0) => ops.read.is_some() && ops.write.is_some() && !load.verifies(),
        Some(100.0) => ops.write.is_some() && ops.read.is_some(),
        _ => false,
    };
    let Times { all_ms, longest_ms, asked_ms } = times_of(node, ops, load);
    // A time that its own totals and rates deny is no sign of anything.
    let is_sound = ops.streams().all(|(_, stream)| runtime_fits(stream));
    let has_run_longer = is_sound
        && longest_ms > 0.0
        && all_ms.is_some_and(|all_ms| all_ms > asked_ms * 1.02 + longest_ms / 2.0);
    is_other || is_more || has_run_longer
}

/// Whether a stream made its I/Os in its time at its rate, as far as it tells all three.
fn runtime_fits(stream: &StatedStream) -> bool {
    let Some(((count, rate), runtime)) = stream.io_count.zip(stream.iops).zip(stream.runtime_s) else {
        return true;
    };
    let made = rate.value * runtime.value;
    // Far from any rounding, and far from twice the time.
    (made - count as f64).abs() <= 0.1 * made + 2.0
}

/// How long the copies of an entry ran.
struct Times {
    /// All of them, added up; `None` of versions that do not tell it.
    all_ms: Option<f64>,
    longest_ms: f64,
    /// What the copies of the job would take together. No copy runs longer than the longest, and clocks tick in milliseconds: 2 % and
    /// half a run are less than another copy would add, and more than starts and ends of copies differ by.
    asked_ms: f64,
}

fn times_of(node: &Node<'_>, ops: &StatedOps, load: &StatedLoad) -> Times {
    let ran_ms = ops.streams().filter_map(|(_, stream)| stream.runtime_s).map(|stated| stated.value * 1e3);
    // What is verified is read after it was written, so that a job takes the time of both.
    let longest_ms = if load.verifies() { ran_ms.sum() } else { ran_ms.fold(0.0, f64::max) };
    Times {
        all_ms: node.get("job_runtime").and_then(Node::number),
        longest_ms,
        asked_ms: longest_ms * load.numjobs.unwrap_or(1) as f64,
    }
}

/// Whether the copies of the job account for all the time that the entry tells.
pub(super) fn ran_as_long_as_asked(node: &Node<'_>, ops: &StatedOps, load: &StatedLoad) -> bool {
    let Times { all_ms, longest_ms, asked_ms } = times_of(node, ops, load);
    all_ms.is_some_and(|all_ms| longest_ms > 0.0 && all_ms >= asked_ms * 0.98 - longest_ms / 2.0)
}
