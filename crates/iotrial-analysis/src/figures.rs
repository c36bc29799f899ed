//! The figures of one stream of I/Os: rate, bandwidth, latency.

use std::time::Duration;

use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::record::OpCounts;
use serde::Serialize;

pub(crate) mod stated;

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
    /// Mean.
    pub lat_mean_us: Option<f64>,
    /// Median.
    pub lat_p50_us: Option<f64>,
    /// 90th percentile.
    pub lat_p90_us: Option<f64>,
    /// 99th percentile.
    pub lat_p99_us: Option<f64>,
    /// 99.9th percentile.
    pub lat_p999_us: Option<f64>,
    /// 99.99th percentile.
    pub lat_p9999_us: Option<f64>,
    /// Longest.
    pub lat_max_us: Option<f64>,
    /// Mean of the part before submission to the operating system ended; `None` where it is not known of a fair sample.
    pub slat_mean_us: Option<f64>,
}

impl Figures {
    /// The same without its latencies.
    #[must_use]
    pub fn without_latencies(self) -> Self {
        Self {
            lat_mean_us: None,
            lat_p50_us: None,
            lat_p90_us: None,
            lat_p99_us: None,
            lat_p999_us: None,
            lat_p9999_us: None,
            lat_max_us: None,
            slat_mean_us: None,
            ..self
        }
    }

    /// The figures of `counts` that were collected in `duration`; a duration of zero gives rates of zero.
    #[expect(clippy::cast_precision_loss, reason = "rates to 15 digits")]
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
            lat_p99_us: percentile_us(latency, 99.0),
            lat_p999_us: percentile_us(latency, 99.9),
            lat_p9999_us: percentile_us(latency, 99.99),
            lat_max_us: latency.max().map(as_us),
            slat_mean_us,
        }
    }
}

/// A percentile (0 to 100) in microseconds; `None` when nothing was recorded.
pub fn percentile_us(latency: &LatencyHistogram, percent: f64) -> Option<f64> {
    latency.percentile(percent).map(as_us)
}

// By way of nanoseconds, so that 5 ms are exactly 5,000 µs and fall on the edge of a band, not beside it.
#[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
fn as_us(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_without_io_has_rates_of_zero_and_no_latency() {
        let figures = Figures::new(&OpCounts::default(), Duration::from_secs(10));
        assert_eq!((figures.io_count, figures.iops, figures.lat_mean_us), (Some(0), Some(0.0), None));
        assert_eq!(Figures::new(&OpCounts::default(), Duration::ZERO).iops, Some(0.0));
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
