//! What is said of what another tool states.

use iotrial_model::finding::{Contradiction, DerivedRate};
use iotrial_model::range::Range;
use iotrial_model::words::enumerate;

use crate::numbers::{rate_in_words, with_thousands};
use crate::stated::{write_number, write_range, write_sizes};

/// In what two figures contradict each other, as a clause.
pub fn contradiction(contradiction: &Contradiction) -> String {
    match contradiction {
        Contradiction::Rates { iops, direction, sizes_bytes, mib_per_s, is_in_mb_per_s } => {
            let stream = direction.map_or_else(|| "reads and writes".to_owned(), |one| format!("{one}s"));
            let sizes = Range { low: sizes_bytes.0, high: sizes_bytes.1 };
            format!(
                "{} IOPS of its {stream} at {} are {} MiB/s, but it states {} MiB/s{}",
                rate_in_words(*iops),
                write_sizes(sizes),
                write_range((Range::exact(*iops) * sizes).scaled(1.0 / 1_048_576.0)),
                with_thousands(*mib_per_s),
                if *is_in_mb_per_s { "; they match if the unit is MB/s" } else { "" }
            )
        }
        Contradiction::Outstanding { in_flight: (low, high), outstanding } => format!(
            "its rates times its mean latencies give {} I/Os in flight, but its load has at most {}",
            write_range(Range { low: *low, high: *high }),
            write_number(*outstanding)
        ),
        Contradiction::LatencyParts { stream, total_us, parts_us, .. } => format!(
            "the mean latency of its {stream} is {} µs, but its parts add up to {}, so percentiles of a part are left out",
            write_number(*total_us),
            write_number(*parts_us)
        ),
        Contradiction::ClippedPercentile { stream, percent, end_us } => format!(
            "p{percent} of its {stream} is the end of fio's histogram, not a latency: the I/Os took {} s or longer",
            write_number(end_us / 1e6)
        ),
        Contradiction::PercentileBeyondLongest { stream, percent, at_us, longest_us } => format!(
            "p{percent} of its {stream} is {} µs, but the longest I/O took {}",
            write_number(*at_us),
            write_number(*longest_us)
        ),
        Contradiction::MeanBeyondExtreme { stream, mean_us, extreme_us } => format!(
            "the mean of its {stream} is {} µs, but the {} I/O took {}",
            write_number(*mean_us),
            if extreme_us < mean_us { "longest" } else { "shortest" },
            write_number(*extreme_us)
        ),
    }
}

pub(super) fn coarse_latency(resolution_us: f64, lat_mean_us: f64, tool: &str, stream: &str) -> String {
    let step = if (resolution_us - 1_000.0).abs() < 1e-9 {
        "whole milliseconds".to_owned()
    } else {
        format!("steps of {resolution_us} µs")
    };
    format!(
        "{tool} reports latencies in {step}: the mean of {} ms of {stream} may be off by as much",
        lat_mean_us / 1_000.0
    )
}

pub(super) fn derived_rates(rates: &[DerivedRate]) -> String {
    let of = |rate: &DerivedRate| {
        let (iops, kib) = (rate_in_words(rate.iops), rate.block_size_bytes / 1_024.0);
        format!("{iops} for {}s (of {kib} KiB)", rate.direction)
    };
    format!(
        "IOPS are not stated, and are computed from MiB/s and block size: {}",
        enumerate(&rates.iter().map(of).collect::<Vec<_>>())
    )
}
