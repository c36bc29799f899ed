//! What records take in memory, roughly. A stranger's file may ask for far more of it than it has bytes: an
//! empty job has two.

use iotrial_model::imported::{
    ImportedJob, ImportedRecord, LatencyBand, StatedInterval, StatedLatency, StatedLoad, StatedOps,
    StatedPercentile,
};

/// What a small piece of text or an entry of a map takes beside its characters.
// A string or map entry has about three words, and an allocator rounds up.
const PIECE: usize = 64;

/// Bytes of a record with all that hangs on it.
pub(crate) fn weight(record: &ImportedRecord) -> usize {
    let jobs = record.jobs.iter().map(|job| size_of::<ImportedJob>() + of_load(&job.load) + of_ops(&job.ops));
    let intervals =
        record.intervals.iter().map(|interval| size_of::<StatedInterval>() + of_ops(&interval.ops));
    let warnings = record.warnings.iter().map(|one| one.place.len() + one.message.len() + PIECE);
    let other = record.other.keys().chain(record.attributes.keys()).map(|name| name.len() + PIECE);
    size_of::<ImportedRecord>()
        + jobs.sum::<usize>()
        + intervals.sum::<usize>()
        + warnings.sum::<usize>()
        + other.sum::<usize>()
        + record.total.as_ref().map_or(0, of_ops)
        + record.devices.len() * PIECE * 2
}

fn of_load(load: &StatedLoad) -> usize {
    let options = load.options.iter().map(|(name, value)| name.len() + value.len() + 2 * PIECE);
    let targets = load.targets.iter().map(|target| target.len() + PIECE);
    options.sum::<usize>() + targets.sum::<usize>() + size_of_val(load.block_sizes.as_slice())
}

fn of_ops(ops: &StatedOps) -> usize {
    let streams = ops.streams().flat_map(|(_, stream)| {
        [&stream.total_latency, &stream.completion_latency, &stream.submission_latency]
    });
    streams.map(of_latency).sum()
}

fn of_latency(latency: &StatedLatency) -> usize {
    latency.percentiles_us.len() * size_of::<StatedPercentile>()
        + latency.bands.len() * size_of::<LatencyBand>()
}
