//! The figures that a source states, and what follows from them exactly: a rate from a count and a time, rates of jobs
//! added up, a percentile of merged histograms. What does not follow stays unknown; percentiles are never averaged.

use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::imported::{Stated, StatedLatency, StatedStream};

use super::{Figures, percentile_us};

impl Figures {
    /// The figures of a stream as its source states them.
    pub fn of_stated(stream: &StatedStream) -> Self {
        Self::together(&[stream])
    }

    /// The figures of streams that ran at once. What not all of them state is unknown of all.
    pub(crate) fn together(streams: &[&StatedStream]) -> Self {
        let all = |of: &dyn Fn(&StatedStream) -> Option<f64>| -> Option<Vec<f64>> {
            streams.iter().map(|stream| of(stream)).collect()
        };
        let sum = |of: &dyn Fn(&StatedStream) -> Option<f64>| Some(all(of)?.iter().sum::<f64>());
        let count = |of: &dyn Fn(&StatedStream) -> Option<u64>| -> Option<u64> {
            streams.iter().map(|stream| of(stream)).sum()
        };
        let longest = |of: &dyn Fn(&StatedStream) -> Option<f64>| {
            Some(all(of)?.into_iter().fold(0.0, f64::max)).filter(|_| !streams.is_empty())
        };
        // Weighted by what was done in each of them.
        let mean = |of: &dyn Fn(&StatedStream) -> Option<f64>| {
            let means = all(of)?;
            if let [only] = means.as_slice() {
                return Some(*only);
            }
            let weights = all(&|one| rough_count(one))?;
            let weight: f64 = weights.iter().sum();
            (weight > 0.0)
                .then(|| means.iter().zip(&weights).map(|(mean, weight)| mean * weight).sum::<f64>() / weight)
        };
        let at = |percent: f64| percentile_of(streams, percent);
        Self {
            io_count: count(&|one| one.io_count),
            error_count: count(&|one| one.error_count),
            iops: sum(&rate),
            bandwidth_mib_per_s: sum(&bandwidth),
            lat_mean_us: mean(&|one| latency_of(one).mean_us.map(value)),
            lat_p50_us: at(50.0),
            lat_p90_us: at(90.0),
            lat_p99_us: at(99.0),
            lat_p999_us: at(99.9),
            lat_p9999_us: at(99.99),
            lat_max_us: longest(&|one| latency_of(one).max_us.map(value)),
            slat_mean_us: mean(&|one| one.submission_latency.mean_us.map(value)),
        }
    }
}

fn value(stated: Stated) -> f64 {
    stated.value
}

fn per_second(amount: Option<u64>, stream: &StatedStream) -> Option<f64> {
    let seconds = stream.runtime_s?.value;
    (seconds > 0.0).then_some(amount? as f64 / seconds)
}

fn rate(stream: &StatedStream) -> Option<f64> {
    stream.iops.map(value).or_else(|| per_second(stream.io_count, stream))
}

fn bandwidth(stream: &StatedStream) -> Option<f64> {
    let of_bytes = || per_second(stream.bytes, stream).map(|bytes| bytes / 1_048_576.0);
    stream.bandwidth_mib_per_s.map(value).or_else(of_bytes)
}

/// As a weight only.
fn rough_count(stream: &StatedStream) -> Option<f64> {
    stream.io_count.map(|count| count as f64).or_else(|| stream.iops.map(value))
}

/// The total latency; where a tool was told not to time it, the one to completion.
pub(crate) fn latency_of(stream: &StatedStream) -> &StatedLatency {
    if stream.total_latency.mean_us.is_some() || stream.completion_latency.mean_us.is_none() {
        &stream.total_latency
    } else {
        &stream.completion_latency
    }
}

/// The latency whose percentiles are stated: most versions of fio have them of the completion latency only.
pub(crate) fn distribution_of(stream: &StatedStream) -> &StatedLatency {
    let has_any = |latency: &StatedLatency| !latency.percentiles_us.is_empty() || latency.histogram.is_some();
    if has_any(&stream.total_latency) { &stream.total_latency } else { &stream.completion_latency }
}

fn percentile_of(streams: &[&StatedStream], percent: f64) -> Option<f64> {
    if let [only] = streams {
        let latency = distribution_of(only);
        let of_histogram =
            || latency.histogram.as_ref().and_then(|histogram| percentile_us(histogram, percent));
        return latency.percentile(percent).map(value).or_else(of_histogram);
    }
    let histograms: Option<Vec<&LatencyHistogram>> =
        streams.iter().map(|stream| distribution_of(stream).histogram.as_ref()).collect();
    let mut merged = LatencyHistogram::default();
    histograms?.into_iter().for_each(|histogram| merged.merge(histogram));
    percentile_us(&merged, percent)
}
