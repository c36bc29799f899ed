//! A latency with its mean, extremes and percentiles held against itself.

use iotrial_model::imported::{LatencyBand, Stated, StatedLatency, StatedStream};
use iotrial_model::range::{Range, write_change, write_number, write_stated};

use super::part::Part;
use super::tally::{AuditFinding, Check, Tally, Weight};

/// Percentiles come from buckets. The widest of a tool that is imported are those of fio: 64 for each power of two, so that a
/// value is at most this share of itself away (fio, stat.h, `FIO_IO_U_PLAT_BITS`).
const BUCKET_SHARE: f64 = 1.0 / 64.0;

/// The middle of the last bucket of fio, in µs: of its histogram in ns (29 groups), and of the one in µs before 3.0 (19 groups).
/// Every I/O that takes longer is counted there, and shows as this.
const LAST_BUCKETS_US: [f64; 2] = [17_112_760.32, 16_711_680.0];

/// Where the last bucket of fio ends, in µs.
const LAST_BUCKET_END_US: f64 = 17_179_869.184;

/// Clocks are read between the parts, and older tools cut each part off to whole microseconds.
const PARTS_SHARE: f64 = 0.01;
const PARTS_US: f64 = 3.0;

/// All latencies of a part.
pub(super) fn check_latencies(part: &Part<'_>, tally: &mut Tally) {
    for stream in &part.streams {
        check_parts(&stream.stated, &format!("{}, {} latency", part.place, stream.name), tally);
        let kinds = [
            ("latency", &stream.stated.total_latency),
            ("completion latency", &stream.stated.completion_latency),
            ("submission latency", &stream.stated.submission_latency),
        ];
        for (name, latency) in kinds {
            let place = format!("{}, {} {name}", part.place, stream.name);
            let clipped = check_clipped(latency, &place, tally);
            check_order(latency, &place, tally);
            check_mean(latency, &place, tally);
            check_shares(latency, &place, tally);
            // The end of a histogram is no latency, and would be an upper bound for the mean that does not hold.
            if !clipped {
                check_mean_by_percentiles(latency, &place, tally);
            }
            check_deviation(latency, &place, tally);
        }
    }
}

/// An I/O is created, submitted and completed: the mean of all of it is the sum of the means of its parts, and where the first
/// part is not told it is no less than the other.
fn check_parts(stream: &StatedStream, place: &str, tally: &mut Tally) {
    let (Some(total), Some(completion)) = (stream.total_latency.mean_us, stream.completion_latency.mean_us)
    else {
        return;
    };
    let parts = Range::of(completion);
    let whole = Range::of(total).widened(PARTS_SHARE);
    let whole = Range { low: whole.low - PARTS_US, high: whole.high + PARTS_US };
    let (parts, is_right, words) = match stream.submission_latency.mean_us {
        Some(submission) => {
            let parts = parts + Range::of(submission);
            (parts, parts.overlaps(whole), "submission and completion take")
        }
        None => (parts, !parts.is_above(whole), "completion alone takes"),
    };
    if is_right {
        return tally.held(Check::LatencyParts);
    }
    let off = 100.0 * (total.value / parts.middle() - 1.0);
    tally.found(AuditFinding {
        right: Some(format!("{} µs", write_number(parts.middle()))),
        off_by_percent: Some(off),
        ..contradiction(
            Check::LatencyParts,
            place,
            format!(
                "the mean is {}, and {words} {} µs: {}",
                us(total),
                write_number(parts.middle()),
                write_change(off)
            ),
            "one of them was changed, or is of another run or unit",
        )
    });
}

fn contradiction(check: Check, place: &str, message: String, cause: &str) -> AuditFinding {
    AuditFinding {
        check,
        weight: Weight::Contradiction,
        place: place.to_owned(),
        message,
        cause: cause.to_owned(),
        right: None,
        off_by_percent: None,
    }
}

fn us(stated: Stated) -> String {
    format!("{} µs", write_stated(stated))
}

fn name_of(percent: f64) -> String {
    format!("p{percent}")
}

/// Whether a percentile is only the end of a histogram.
fn check_clipped(latency: &StatedLatency, place: &str, tally: &mut Tally) -> bool {
    let ends: Vec<_> = latency
        .percentiles_us
        .iter()
        .filter(|one| {
            let range = Range::of(one.at);
            // A round number may be anything; the end of a histogram is none.
            one.at.resolution <= 1_000.0
                && LAST_BUCKETS_US.iter().any(|end| range.overlaps(Range::exact(*end)))
        })
        .collect();
    let Some(first) = ends.first() else { return false };
    let longest = latency.max_us.map_or_else(String::new, |max| format!(", and at most {}", us(max)));
    tally.found(AuditFinding {
        right: Some(format!("at least {} µs{longest}", write_number(LAST_BUCKET_END_US))),
        ..contradiction(
            Check::ClippedHistogram,
            place,
            format!(
                "{} is {}, which is the last bucket of fio's histogram and no latency{}",
                name_of(first.percent),
                us(first.at),
                match ends.len() {
                    1 => String::new(),
                    count => format!("; so are {} higher percentiles", count - 1),
                }
            ),
            "I/Os took longer than 17.2 s, and fio counts all of them in its last bucket",
        )
    });
    true
}

fn check_order(latency: &StatedLatency, place: &str, tally: &mut Tally) {
    let percentiles = &latency.percentiles_us;
    if percentiles.is_empty() {
        return;
    }
    let before = tally.findings.len();
    for pair in percentiles.windows(2) {
        if Range::of(pair[0].at).is_above(Range::of(pair[1].at)) {
            tally.found(contradiction(
                Check::PercentileOrder,
                place,
                format!(
                    "{} is {}, and {} is less: {}",
                    name_of(pair[0].percent),
                    us(pair[0].at),
                    name_of(pair[1].percent),
                    us(pair[1].at)
                ),
                "two figures changed places, or are of different runs",
            ));
        }
    }
    // The highest and the lowest are held against the extremes; those between them follow.
    if let (Some(last), Some(max)) = (percentiles.last(), latency.max_us)
        && Range::of(last.at).is_above(Range::of(max).widened(BUCKET_SHARE))
    {
        tally.found(contradiction(
            Check::PercentileOrder,
            place,
            format!(
                "{} is {}, and the longest I/O is shorter: {}",
                name_of(last.percent),
                us(last.at),
                us(max)
            ),
            "the maximum is of another run, direction or unit",
        ));
    }
    if let (Some(first), Some(min)) = (percentiles.first(), latency.min_us)
        && Range::of(min).is_above(Range::of(first.at).widened(BUCKET_SHARE))
    {
        tally.found(contradiction(
            Check::PercentileOrder,
            place,
            format!(
                "{} is {}, and the shortest I/O is longer: {}",
                name_of(first.percent),
                us(first.at),
                us(min)
            ),
            "the minimum is of another run, direction or unit",
        ));
    }
    if tally.findings.len() == before {
        tally.held(Check::PercentileOrder);
    }
}

fn check_mean(latency: &StatedLatency, place: &str, tally: &mut Tally) {
    let Some(mean) = latency.mean_us else { return };
    let beyond = |tally: &mut Tally, what: &str, extreme: Stated| {
        let off = 100.0 * (mean.value / extreme.value - 1.0);
        tally.found(AuditFinding {
            // An extreme of zero has no percentage.
            off_by_percent: Some(off).filter(|off| off.is_finite()),
            ..contradiction(
                Check::MeanInRange,
                place,
                format!("the mean is {}, and {what}: {}", us(mean), us(extreme)),
                "one of them is of another run, direction or unit",
            )
        });
    };
    let mut is_checked = false;
    if let Some(max) = latency.max_us {
        is_checked = true;
        if Range::of(mean).is_above(Range::of(max)) {
            return beyond(tally, "the longest I/O is shorter", max);
        }
    }
    if let Some(min) = latency.min_us {
        is_checked = true;
        if Range::of(min).is_above(Range::of(mean)) {
            return beyond(tally, "the shortest I/O is longer", min);
        }
    }
    if is_checked {
        tally.held(Check::MeanInRange);
    }
}

/// What the percentiles allow for the mean. Of the I/Os, at least the share 100 − p takes the p-th percentile or longer, and at
/// least the share p takes it or less; so the mean lies between two sums of steps.
fn mean_bounds(latency: &StatedLatency) -> Option<Range> {
    let percentiles = &latency.percentiles_us;
    if percentiles.is_empty() {
        return None;
    }
    let mut below = 0.0;
    let mut floor = latency.min_us.map_or(0.0, |min| Range::of(min).low);
    let mut bounds = Range::exact(0.0);
    for one in percentiles {
        let share = ((one.percent - below) / 100.0).max(0.0);
        let at = Range::of(one.at).widened(BUCKET_SHARE);
        bounds = bounds + Range { low: floor, high: at.high }.scaled(share);
        // Never down again: buckets and digits may put a percentile a little below the one before it.
        (below, floor) = (one.percent, at.low.max(floor));
    }
    let share = (100.0 - below) / 100.0;
    // Without the longest I/O the mean has no upper bound: one I/O may take as long as it likes.
    let longest = latency.max_us.map_or(f64::INFINITY, |max| Range::of(max).high);
    let rest =
        if share > 0.0 { Range { low: floor * share, high: longest * share } } else { Range::exact(0.0) };
    Some(bounds + rest)
}

/// The shares of a distribution are 100 % together, as far as their digits say; `None` where there are none.
fn shares_of_bands(latency: &StatedLatency) -> Option<Range> {
    let shares = latency.bands.iter().map(|band| Range::of(band.percent));
    (!latency.bands.is_empty()).then(|| shares.fold(Range::exact(0.0), |sum, share| sum + share))
}

fn check_shares(latency: &StatedLatency, place: &str, tally: &mut Tally) {
    let Some(shares) = shares_of_bands(latency) else { return };
    if shares.overlaps(Range::exact(100.0)) {
        return tally.held(Check::HistogramShares);
    }
    let sum: f64 = latency.bands.iter().map(|band| band.percent.value).sum();
    tally.found(AuditFinding {
        right: Some("shares that are 100 % together".to_owned()),
        off_by_percent: Some(sum - 100.0),
        ..contradiction(
            Check::HistogramShares,
            place,
            format!(
                "the shares of the histogram are {} % together, which no rounding explains: with it they are {shares} %",
                write_number(sum)
            ),
            "a share was changed or stands in another class, or a class is missing",
        )
    });
    if latency.mean_us.is_some() {
        tally.unchecked(format!(
            "{place}: the shares of the histogram are not 100 %, so they say nothing of the mean"
        ));
    }
}

/// What classes of a distribution allow for the mean: every I/O takes at least the lower edge of its class, and no more than the
/// upper one, or the longest where there is none.
fn mean_bounds_of_bands(latency: &StatedLatency) -> Option<Range> {
    let bands = &latency.bands;
    // Shares that are not 100 together are no distribution.
    if !shares_of_bands(latency)?.overlaps(Range::exact(100.0)) {
        return None;
    }
    let longest = latency.max_us.map_or(f64::INFINITY, |max| Range::of(max).high);
    let share = |band: &LatencyBand| Range::of(band.percent).scaled(1.0 / 100.0);
    let low = bands.iter().map(|band| share(band).low * band.from_us).sum();
    let high = bands.iter().filter(|band| band.percent.value > 0.0).map(|band| {
        let edge = band.below_us.unwrap_or(longest).min(longest);
        share(band).high * edge
    });
    Some(Range { low, high: high.sum() })
}

fn check_mean_by_percentiles(latency: &StatedLatency, place: &str, tally: &mut Tally) {
    // Percentiles first: their buckets are finer than the classes that tools print.
    let bounds = mean_bounds(latency).or_else(|| mean_bounds_of_bands(latency));
    let (Some(mean), Some(bounds)) = (latency.mean_us, bounds) else { return };
    let range = Range::of(mean);
    if range.overlaps(bounds) {
        return tally.held(Check::MeanByPercentiles);
    }
    let (side, edge) =
        if range.low > bounds.high { ("at most", bounds.high) } else { ("at least", bounds.low) };
    let off = 100.0 * (mean.value / edge - 1.0);
    tally.found(AuditFinding {
        right: Some(format!("{side} {} µs", write_number(edge))),
        off_by_percent: Some(off),
        ..contradiction(
            Check::MeanByPercentiles,
            place,
            format!(
                "the mean is {}, and the {} allow {side} {} µs: {}",
                us(mean),
                if latency.percentiles_us.is_empty() { "shares of its histogram" } else { "percentiles" },
                write_number(edge),
                write_change(off)
            ),
            "mean and percentiles are of different runs, units or parts of the latency, or percentiles were averaged",
        )
    });
}

/// With a mean m between a and b, the variance is at most (b − m)(m − a) (Bhatia and Davis, 2000).
fn check_deviation(latency: &StatedLatency, place: &str, tally: &mut Tally) {
    let (Some(deviation), Some(mean), Some(max)) = (latency.stddev_us, latency.mean_us, latency.max_us)
    else {
        return;
    };
    let (mean_range, max_range) = (Range::of(mean), Range::of(max));
    let min = latency.min_us.map_or(0.0, |min| Range::of(min).low);
    // The largest product that the digits allow: the middle between the extremes, where the mean may be there.
    let middle = f64::midpoint(min, max_range.high).clamp(mean_range.low, mean_range.high);
    let most = ((max_range.high - middle).max(0.0) * (middle - min).max(0.0)).sqrt();
    // A sample of few I/Os is divided by one less than their number, which is a factor of √2 at most.
    if Range::of(deviation).low <= most * std::f64::consts::SQRT_2 {
        return tally.held(Check::Deviation);
    }
    tally.found(AuditFinding {
        right: Some(format!("at most {} µs", write_number(most))),
        ..contradiction(
            Check::Deviation,
            place,
            format!(
                "the standard deviation is {}, and mean and extremes allow at most {} µs",
                us(deviation),
                write_number(most)
            ),
            "the extremes are not those of all I/Os, or the units differ",
        )
    });
}
