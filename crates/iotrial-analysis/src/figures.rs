//! The figures of one stream of I/Os: rate, bandwidth, latency.
//!
//! What was counted has them all. Of what a source states, figures are those that it states and what follows from them exactly:
//! a rate from a count and a time, rates of jobs added up, a percentile of merged histograms. What does not follow stays
//! unknown; percentiles are never averaged.

use std::borrow::Cow;
use std::time::Duration;

use iotrial_model::figure::Figure;
use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::imported::StatedStream;
use iotrial_model::record::OpCounts;
use iotrial_model::subject::{Facts, Subject};
use serde::Serialize;

/// What is said of reads, writes or commits. Latencies are total latencies (creation to completion).
///
/// Of a run of ours only a latency can be `None`, when no I/O succeeded; of an imported result, whatever its source does not
/// state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// I/Os that succeeded.
    pub io_count: Option<u64>,
    /// I/Os that failed.
    pub error_count: Option<u64>,
    /// Succeeded I/Os per second of the measured phase.
    pub iops: Option<f64>,
    /// Bytes of succeeded I/Os per second of the measured phase, in MiB.
    pub bandwidth_mib_per_s: Option<f64>,
    /// Mean total latency, from the exact sum and not from buckets.
    pub lat_mean_us: Option<f64>,
    /// Median total latency. Of a histogram this and the other percentiles are the upper edge of a bucket, at most 0.1 %
    /// above the true value.
    pub lat_p50_us: Option<f64>,
    /// 90th percentile of the total latency.
    pub lat_p90_us: Option<f64>,
    /// 95th percentile of the total latency.
    pub lat_p95_us: Option<f64>,
    /// 99th percentile of the total latency.
    pub lat_p99_us: Option<f64>,
    /// 99.9th percentile of the total latency. It needs 10,000 I/Os to be more than the fate of a few, see
    /// [`Figure::least_io_count`].
    pub lat_p999_us: Option<f64>,
    /// 99.99th percentile of the total latency; it needs 100,000 I/Os.
    pub lat_p9999_us: Option<f64>,
    /// The longest total latency: the fate of one I/O, exact.
    pub lat_max_us: Option<f64>,
    /// Mean of the part before submission to the operating system ended; `None` where it is not known of a fair sample.
    pub slat_mean_us: Option<f64>,
}

impl Figures {
    /// Figures of which none is known.
    pub(crate) fn unknown() -> Self {
        Self::of_facts(&[Facts::Stated(&StatedStream::default())])
    }

    /// The value of a figure; `None` where it is not known, or nothing was done.
    pub const fn get(&self, figure: Figure) -> Option<f64> {
        match figure {
            Figure::Iops => self.iops,
            Figure::Bandwidth => self.bandwidth_mib_per_s,
            Figure::LatencyMean => self.lat_mean_us,
            Figure::LatencyP50 => self.lat_p50_us,
            Figure::LatencyP90 => self.lat_p90_us,
            Figure::LatencyP95 => self.lat_p95_us,
            Figure::LatencyP99 => self.lat_p99_us,
            Figure::LatencyP999 => self.lat_p999_us,
            Figure::LatencyP9999 => self.lat_p9999_us,
            Figure::LatencyMax => self.lat_max_us,
        }
    }

    /// The same without its latencies.
    #[must_use]
    pub(crate) const fn without_latencies(self) -> Self {
        // What stays is listed, not what goes: a latency that is added later cannot stay by mistake.
        Self {
            io_count: self.io_count,
            error_count: self.error_count,
            iops: self.iops,
            bandwidth_mib_per_s: self.bandwidth_mib_per_s,
            lat_mean_us: None,
            lat_p50_us: None,
            lat_p90_us: None,
            lat_p95_us: None,
            lat_p99_us: None,
            lat_p999_us: None,
            lat_p9999_us: None,
            lat_max_us: None,
            slat_mean_us: None,
        }
    }

    /// The figures of streams that ran at once. What not all of them state is unknown of all; without any stream nothing was
    /// done.
    pub fn together(facts: &[Facts<'_>]) -> Self {
        match Counted::of(facts) {
            Some(counted) => Self::new(&counted.counts, counted.measured),
            None => Self::of_facts(facts),
        }
    }

    /// Reads and writes of a result as one; `None` where there is neither.
    pub fn of_all(subject: &Subject<'_>) -> Option<Self> {
        let facts = subject.all_facts();
        let is_sampled_fairly = !subject.jobs.iter().any(|job| job.ops.issued_when_due);
        (!facts.is_empty()).then(|| Self::together(&facts).with_submission(is_sampled_fairly))
    }

    /// The same without its submission latency, unless that stands for all I/Os.
    #[must_use]
    pub(crate) fn with_submission(self, is_sampled_fairly: bool) -> Self {
        Self { slat_mean_us: self.slat_mean_us.filter(|_| is_sampled_fairly), ..self }
    }

    /// Of what not all were counted.
    fn of_facts(streams: &[Facts<'_>]) -> Self {
        let all = |of: &dyn Fn(Facts<'_>) -> Option<f64>| -> Option<Vec<f64>> {
            streams.iter().map(|one| of(*one)).collect()
        };
        let sum = |of: &dyn Fn(Facts<'_>) -> Option<f64>| Some(all(of)?.iter().sum::<f64>());
        let count = |of: &dyn Fn(Facts<'_>) -> Option<u64>| -> Option<u64> {
            streams.iter().map(|one| of(*one)).sum()
        };
        // Weighted by what was done in each of them: by counts, or where not all are known by rates, to which the counts of
        // streams that ran at once are in proportion. Never one by its count and another by its rate, whose units differ.
        let mean = |of: &dyn Fn(Facts<'_>) -> Option<f64>| {
            let means = all(of)?;
            if let [only] = means.as_slice() {
                return Some(*only);
            }
            let weights = all(&|one| Some(one.io_count()? as f64)).or_else(|| all(&|one| one.iops()))?;
            let weight: f64 = weights.iter().sum();
            (weight > 0.0)
                .then(|| means.iter().zip(&weights).map(|(mean, weight)| mean * weight).sum::<f64>() / weight)
        };
        let histogram = merged_histogram(streams);
        let at = |percent: f64| percentile_of(streams, histogram.as_deref(), percent);
        Self {
            io_count: count(&|one| one.io_count()),
            error_count: count(&|one| one.error_count()),
            iops: sum(&|one| one.iops()),
            bandwidth_mib_per_s: sum(&|one| one.bandwidth_mib_per_s()),
            lat_mean_us: mean(&|one| one.latency_mean_us()),
            lat_p50_us: at(50.0),
            lat_p90_us: at(90.0),
            lat_p95_us: at(95.0),
            lat_p99_us: at(99.0),
            lat_p999_us: at(99.9),
            lat_p9999_us: at(99.99),
            lat_max_us: all(&|one| one.latency_max_us())
                .filter(|all| !all.is_empty())
                .map(|all| all.into_iter().fold(0.0, f64::max)),
            slat_mean_us: mean(&submission_mean_us),
        }
    }

    /// The figures of `counts` that were collected in `duration`; a duration of zero gives rates of zero.
    pub fn new(counts: &OpCounts, duration: Duration) -> Self {
        let per_second = |amount: f64| if duration.is_zero() { 0.0 } else { amount / duration.as_secs_f64() };
        let latency = &counts.total_latency;
        let io_count = counts.io_count();
        let lat_mean_us = latency.mean_us();
        // A part that is longer than the whole comes of a sample that does not stand for all.
        let slat_mean_us = counts
            .submission_latency_mean_ns()
            .map(|ns| ns / 1_000.0)
            .filter(|slat_us| lat_mean_us.is_some_and(|lat_us| *slat_us <= lat_us));
        Self {
            io_count: Some(io_count),
            error_count: Some(counts.error_count),
            iops: Some(per_second(io_count as f64)),
            bandwidth_mib_per_s: Some(per_second(counts.bytes as f64) / 1_048_576.0),
            lat_mean_us,
            lat_p50_us: percentile_us(latency, 50.0),
            lat_p90_us: percentile_us(latency, 90.0),
            lat_p95_us: percentile_us(latency, 95.0),
            lat_p99_us: percentile_us(latency, 99.0),
            lat_p999_us: percentile_us(latency, 99.9),
            lat_p9999_us: percentile_us(latency, 99.99),
            lat_max_us: latency.max().map(as_us),
            slat_mean_us,
        }
    }
}

/// Streams that were counted over one phase, merged.
pub(crate) struct Counted<'r> {
    /// Borrowed where there is only one: a histogram is not copied to be looked at.
    pub(crate) counts: Cow<'r, OpCounts>,
    pub(crate) measured: Duration,
}

impl<'r> Counted<'r> {
    /// `None` where there is no stream, or where one was not counted.
    pub(crate) fn of(facts: &[Facts<'r>]) -> Option<Self> {
        let mut all = facts.iter().map(|one| match one {
            Facts::Counted(counts, measured) => Some((*counts, *measured)),
            Facts::Stated(_) => None,
        });
        let (first, measured) = all.next()??;
        let mut counts = Cow::Borrowed(first);
        for one in all {
            counts.to_mut().merge(one?.0);
        }
        Some(Self { counts, measured })
    }
}

fn submission_mean_us(facts: Facts<'_>) -> Option<f64> {
    match facts {
        Facts::Counted(counts, measured) => Figures::new(counts, measured).slat_mean_us,
        Facts::Stated(stream) => stream.submission_latency.mean_us.map(|mean| mean.value),
    }
}

/// The distribution of all of them; `None` where one has none.
fn merged_histogram<'s>(streams: &[Facts<'s>]) -> Option<Cow<'s, LatencyHistogram>> {
    let mut all = streams.iter().map(|one| one.histogram());
    let mut merged = Cow::Borrowed(all.next()??);
    for one in all {
        merged.to_mut().merge(one?);
    }
    Some(merged)
}

fn percentile_of(streams: &[Facts<'_>], histogram: Option<&LatencyHistogram>, percent: f64) -> Option<f64> {
    // A percentile that the source states goes before one from its histogram: it is the number that the tool shows. Of several
    // streams only histograms can be merged, percentiles cannot.
    let stated = match streams {
        [Facts::Stated(only)] => only.distribution().percentile(percent).map(|stated| stated.value),
        _ => None,
    };
    stated.or_else(|| percentile_us(histogram?, percent))
}

/// A percentile (0 to 100) in microseconds; `None` when nothing was recorded.
pub fn percentile_us(latency: &LatencyHistogram, percent: f64) -> Option<f64> {
    latency.percentile(percent).map(as_us)
}

// By way of nanoseconds, so that 5 ms are exactly 5,000 µs and fall on the edge of a band, not beside it.
fn as_us(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use iotrial_model::imported::Stated;

    use super::*;

    #[test]
    fn a_stream_without_io_has_rates_of_zero_and_no_latency() {
        let figures = Figures::new(&OpCounts::default(), Duration::from_secs(10));
        assert_eq!((figures.io_count, figures.iops, figures.lat_mean_us), (Some(0), Some(0.0), None));
        assert_eq!(Figures::new(&OpCounts::default(), Duration::ZERO).iops, Some(0.0));
    }

    #[test]
    fn of_counted_and_stated_streams_what_both_know_is_added_up_and_the_rest_is_unknown() {
        let mut counts = OpCounts { bytes: 300 * 8192, ..OpCounts::default() };
        counts.total_latency.record_n(Duration::from_micros(100), 300);
        let counted = Facts::Counted(&counts, Duration::from_secs(1));
        let mut stated =
            StatedStream { io_count: Some(100), iops: Some(Stated::exact(100.0)), ..StatedStream::default() };
        stated.total_latency.mean_us = Some(Stated::exact(500.0));
        let both = Figures::together(&[counted, Facts::Stated(&stated)]);
        assert_eq!((both.io_count, both.iops, both.lat_mean_us), (Some(400), Some(400.0), Some(200.0)));
        let unknown = (both.error_count, both.bandwidth_mib_per_s, both.lat_p99_us, both.lat_max_us);
        assert_eq!(unknown, (None, None, None, None));
        assert_eq!(both, Figures::together(&[Facts::Stated(&stated), counted]));
    }

    #[test]
    fn a_stream_of_which_only_the_rate_is_known_weighs_as_much_as_another_of_that_rate() {
        let mut counts = OpCounts::default();
        counts.total_latency.record_n(Duration::from_micros(100), 300);
        let counted = Facts::Counted(&counts, Duration::from_secs(10));
        let mut stated = StatedStream { iops: Some(Stated::exact(30.0)), ..StatedStream::default() };
        stated.total_latency.mean_us = Some(Stated::exact(500.0));
        let both = Figures::together(&[counted, Facts::Stated(&stated)]);
        assert_eq!((both.io_count, both.lat_mean_us), (None, Some(300.0)));
    }

    #[test]
    fn rates_are_per_second_of_the_measured_phase() {
        let mut counts = OpCounts { bytes: 100 * 8192, ..OpCounts::default() };
        counts.total_latency.record_n(Duration::from_micros(500), 100);
        counts.submission_latency_sum_ns = 100 * 4_000;
        let figures = Figures::new(&counts, Duration::from_secs(2));
        assert_eq!((figures.iops, figures.bandwidth_mib_per_s), (Some(50.0), Some(0.390_625)));
        assert_eq!((figures.lat_mean_us, figures.slat_mean_us), (Some(500.0), Some(4.0)));
        assert_eq!(figures.lat_p99_us, Some(500.0));
    }

    #[test]
    fn a_part_of_the_latency_is_never_told_as_more_than_the_whole() {
        let mut counts = OpCounts { submission_latency_count: Some(2), ..OpCounts::default() };
        counts.total_latency.record_n(Duration::from_micros(200), 100);
        let slat_us = |sum_ns| {
            let counts = OpCounts { submission_latency_sum_ns: sum_ns, ..counts.clone() };
            Figures::new(&counts, Duration::from_secs(1)).slat_mean_us
        };
        assert_eq!((slat_us(8_000), slat_us(800_000)), (Some(4.0), None));
    }
}
