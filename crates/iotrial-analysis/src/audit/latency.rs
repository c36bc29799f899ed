//! A latency with its mean, extremes and percentiles held against itself.

use iotrial_model::imported::{LatencyBand, Stated, StatedLatency};
use iotrial_model::range::{Range, write_change, write_number, write_stated};
use iotrial_model::stated_latency::{BUCKET_SHARE, ContradictingParts, LAST_BUCKET_END_US};

use super::outstanding::fits;
use super::part::{Part, Stream};
use super::tally::{AuditFinding, Check, Tally, Weight};

/// All latencies of a part.
pub(super) fn check_latencies(part: &Part<'_>, tally: &mut Tally) {
    for stream in &part.streams {
        let is_refuted = check_parts(part, stream, tally);
        let kinds = [
            ("latency", &stream.stated.total_latency),
            ("completion latency", &stream.stated.completion_latency),
            ("submission latency", &stream.stated.submission_latency),
        ];
        for (name, latency) in kinds {
            // What is known to be of other I/Os, or of none, is not accused again for what follows from that.
            if is_refuted && std::ptr::eq(latency, &raw const stream.stated.completion_latency) {
                continue;
            }
            let place = format!("{}, {} {name}", part.place, stream.name);
            let clipped = check_clipped(latency, &place, tally);
            check_order(latency, &place, tally);
            check_mean(latency, &place, tally);
            check_shares(latency, &place, tally);
            // The end of a histogram is no latency, and would be an upper bound for the mean that does not hold.
            if !clipped {
                check_mean_by_percentiles(part, stream, latency, &place, tally);
            }
            check_deviation(latency, &place, tally);
        }
    }
}

/// An I/O is created, submitted and completed. Whether the completion latency is the one of both that is wrong: Little's law
/// tells, where the load keeps its I/Os outstanding.
fn check_parts(part: &Part<'_>, stream: &Stream<'_>, tally: &mut Tally) -> bool {
    let stated = &*stream.stated;
    if !stated.has_parts() {
        return false;
    }
    let Some(ContradictingParts { total, parts, has_submission }) = stated.contradicting_parts() else {
        tally.held(Check::LatencyParts);
        return false;
    };
    let words = if has_submission { "submission and completion take" } else { "completion alone takes" };
    let off = 100.0 * (total.value / parts.middle() - 1.0);
    let whole = Range::of(total);
    let (by_total, by_parts) = (fits(part, stream, whole), fits(part, stream, parts));
    let is_unstamped = part
        .loads
        .iter()
        .any(|load| load.options.get("sqthread_poll").is_some_and(|value| value.trim() != "0"));
    // Completions of such a queue are timed from a stamp that nobody set, which makes them longer and never shorter.
    let is_rubbish = is_unstamped && parts.is_above(whole);
    let culprit = match (by_total, by_parts) {
        _ if is_rubbish => Culprit::Completion,
        (Some(true), Some(false)) => Culprit::Completion,
        (Some(false), Some(true)) => Culprit::Total,
        _ => Culprit::Unknown,
    };
    let law = |borne: &str| {
        format!(
            "Little's law agrees with {borne}, so the other figure comes from another run, has another unit, or was changed"
        )
    };
    let (cause, right) = match culprit {
        Culprit::Completion if is_rubbish => (
            "with `sqthread_poll` a kernel thread submits, and fio does not note when: its completion latencies and their \
             percentiles are meaningless"
                .to_owned(),
            format!("the mean of {}, without percentiles", us(total)),
        ),
        Culprit::Completion => {
            let submission = stated.submission_latency.mean_us.map_or(0.0, |mean| mean.value);
            let most = write_number((total.value - submission).max(0.0));
            let bound = if has_submission { "" } else { "at most " };
            (law("the total latency"), format!("a completion latency of {bound}{most} µs"))
        }
        Culprit::Total => {
            let at_least = if has_submission { "" } else { "at least " };
            (law("the parts"), format!("a mean of {at_least}{} µs", write_number(parts.middle())))
        }
        Culprit::Unknown => (
            "one of them was changed, comes from another run, or has another unit".to_owned(),
            format!("either {} µs, or parts that add up to {}", write_number(parts.middle()), us(total)),
        ),
    };
    let place = format!("{}, {} latency", part.place, stream.name);
    let message = format!(
        "the mean is {}, but {words} {} µs: {}",
        us(total),
        write_number(parts.middle()),
        write_change(off)
    );
    tally.found(AuditFinding {
        right: Some(right),
        off_by_percent: Some(off),
        ..contradiction(Check::LatencyParts, &place, message, &cause)
    });
    culprit == Culprit::Completion
}

/// Which of total and completion latency is wrong.
#[derive(Clone, Copy, PartialEq)]
enum Culprit {
    Total,
    Completion,
    Unknown,
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
    let ends: Vec<_> = latency.percentiles_us.iter().filter(|one| one.is_clipped()).collect();
    let Some(first) = ends.first() else { return false };
    let longest = latency.max_us.map_or_else(String::new, |max| format!(", and at most {}", us(max)));
    tally.found(AuditFinding {
        right: Some(format!("at least {} µs{longest}", write_number(LAST_BUCKET_END_US))),
        ..contradiction(
            Check::ClippedHistogram,
            place,
            format!(
                "{} is {}, which is the last bucket of fio's histogram and not a latency{}",
                name_of(first.percent),
                us(first.at),
                match ends.len() {
                    1 => String::new(),
                    count => format!("; so are {} higher percentiles", count - 1),
                }
            ),
            "some I/Os took longer than 17.2 s, and fio counts all of these in its last bucket",
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
                    "{} is {}, but {} is less: {}",
                    name_of(pair[0].percent),
                    us(pair[0].at),
                    name_of(pair[1].percent),
                    us(pair[1].at)
                ),
                "two figures were swapped, or come from different runs",
            ));
        }
    }
    // The highest and the lowest are held against the extremes; those between them follow.
    if let Some((last, max)) = latency.percentile_beyond_longest() {
        tally.found(contradiction(
            Check::PercentileOrder,
            place,
            format!(
                "{} is {}, but the longest I/O is shorter: {}",
                name_of(last.percent),
                us(last.at),
                us(max)
            ),
            "the maximum comes from another run or direction, or has another unit",
        ));
    }
    // The end of a histogram stands for all that is longer, and no I/O has to be as short.
    if let (Some(first), Some(min)) =
        (percentiles.first().filter(|first| !first.is_clipped()), latency.min_us)
        && Range::of(min).is_above(Range::of(first.at).widened(BUCKET_SHARE))
    {
        tally.found(contradiction(
            Check::PercentileOrder,
            place,
            format!(
                "{} is {}, but the shortest I/O is longer: {}",
                name_of(first.percent),
                us(first.at),
                us(min)
            ),
            "the minimum comes from another run or direction, or has another unit",
        ));
    }
    if tally.findings.len() == before {
        tally.held(Check::PercentileOrder);
    }
}

fn check_mean(latency: &StatedLatency, place: &str, tally: &mut Tally) {
    let Some(mean) = latency.mean_us else { return };
    let Some((_, extreme)) = latency.mean_beyond_extremes() else {
        if latency.max_us.or(latency.min_us).is_some() {
            tally.held(Check::MeanInRange);
        }
        return;
    };
    let what =
        if extreme.value < mean.value { "the longest I/O is shorter" } else { "the shortest I/O is longer" };
    let off = 100.0 * (mean.value / extreme.value - 1.0);
    tally.found(AuditFinding {
        // An extreme of zero has no percentage.
        off_by_percent: Some(off).filter(|off| off.is_finite()),
        ..contradiction(
            Check::MeanInRange,
            place,
            format!("the mean is {}, but {what}: {}", us(mean), us(extreme)),
            "one of them comes from another run or direction, or has another unit",
        )
    });
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
        right: Some("shares that add up to 100 %".to_owned()),
        off_by_percent: Some(sum - 100.0),
        ..contradiction(
            Check::HistogramShares,
            place,
            format!(
                "the shares of the histogram add up to {} %, which rounding does not explain: it allows {shares} %",
                write_number(sum)
            ),
            "a share was changed or is in the wrong class, or a class is missing",
        )
    });
    if latency.mean_us.is_some() {
        tally.unchecked(format!(
            "{place}: the shares of the histogram do not add up to 100 %, so they could not be compared with the mean"
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

fn check_mean_by_percentiles(
    part: &Part<'_>,
    stream: &Stream<'_>,
    latency: &StatedLatency,
    place: &str,
    tally: &mut Tally,
) {
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
    let cause = if changed_places(part, stream) {
        "reads and writes were swapped: the mean of each fits the percentiles of the other"
    } else {
        "mean and percentiles come from different runs or parts of the latency, have different units, or percentiles were averaged"
    };
    tally.found(AuditFinding {
        right: Some(format!("{side} {} µs", write_number(edge))),
        off_by_percent: Some(off),
        ..contradiction(
            Check::MeanByPercentiles,
            place,
            format!(
                "the mean is {}, but the {} allow {side} {} µs: {}",
                us(mean),
                if latency.percentiles_us.is_empty() { "shares of its histogram" } else { "percentiles" },
                write_number(edge),
                write_change(off)
            ),
            cause,
        )
    });
}

/// Whether the mean of reads fits the percentiles of writes and the other way round. Percentiles stand in a table of their own in
/// some tools, so that one of two tables may be swapped.
fn changed_places(part: &Part<'_>, stream: &Stream<'_>) -> bool {
    let other = match stream.name {
        "read" => "write",
        "write" => "read",
        _ => return false,
    };
    let Some(other) = part.streams.iter().find(|one| one.name == other) else { return false };
    let fits = |of: &Stream<'_>, to: &Stream<'_>| {
        // Extremes belong to the mean in the tables that are swapped, so only the percentiles are asked.
        let spread = to.stated.distribution();
        let bounds =
            mean_bounds(&StatedLatency { min_us: None, max_us: of.latency().max_us, ..spread.clone() });
        of.latency().mean_us.zip(bounds).is_some_and(|(mean, bounds)| Range::of(mean).overlaps(bounds))
    };
    fits(stream, other) && fits(other, stream)
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
                "the standard deviation is {}, but mean and extremes allow at most {} µs",
                us(deviation),
                write_number(most)
            ),
            "the extremes are not those of all I/Os, or the units differ",
        )
    });
}
