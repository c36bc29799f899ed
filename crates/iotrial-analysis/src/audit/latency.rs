//! A latency with its mean, extremes and percentiles held against itself.

use iotrial_model::audit::{
    AuditFinding, Cause, Check, Compared, LatencyKind, Reason, ResultPart, Right, RightFigure, RightQuantity,
    Unit, Weight,
};
use iotrial_model::bound::BoundRelation;
use iotrial_model::imported::{LatencyBand, Stated, StatedLatency};
use iotrial_model::range::Range;
use iotrial_model::stated_latency::{BUCKET_SHARE, ContradictingParts, LAST_BUCKET_END_US};
use iotrial_model::stream::Stream as StreamKind;

use super::outstanding::fits;
use super::part::{Part, Stream};
use super::tally::Tally;

/// All latencies of a part.
pub(super) fn check_latencies(part: &Part<'_>, tally: &mut Tally) {
    check_copied(part, tally);
    for stream in &part.streams {
        let is_refuted = check_parts(part, stream, tally);
        let kinds = [
            (LatencyKind::Total, &stream.stated.total_latency),
            (LatencyKind::Completion, &stream.stated.completion_latency),
            (LatencyKind::Submission, &stream.stated.submission_latency),
        ];
        for (kind, latency) in kinds {
            // What is known to be of other I/Os, or of none, is not accused again for what follows from that.
            if is_refuted && kind == LatencyKind::Completion {
                continue;
            }
            let place = part.place.latency(stream.kind, kind);
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

/// Reads and writes whose latencies have the same digits, all of them. With fewer than five a chance is possible, as of tools that print
/// whole milliseconds.
fn check_copied(part: &Part<'_>, tally: &mut Tally) {
    const LEAST_STEPS: f64 = 1e4;
    let (Some(read), Some(write)) = (part.stream(StreamKind::Read), part.stream(StreamKind::Write)) else {
        return;
    };
    let figures = |stream: &Stream<'_>| {
        let latency = stream.latency();
        let long =
            |stated: Stated| stated.resolution > 0.0 && stated.value / stated.resolution >= LEAST_STEPS;
        Some([latency.mean_us.filter(|mean| long(*mean))?, latency.stddev_us.filter(|stddev| long(*stddev))?])
    };
    let (Some([mean, deviation]), Some([other, other_deviation])) = (figures(read), figures(write)) else {
        return;
    };
    let is_copied = mean.value == other.value && deviation.value == other_deviation.value;
    let finding = AuditFinding::of_figures(&part.place, Compared::CopiedLatency, mean, other);
    tally.compare(!is_copied, finding.weighing(Weight::Doubt));
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
    let whole = Range::of(total);
    let (by_total, by_parts) = (fits(part, stream, whole), fits(part, stream, parts));
    let is_unstamped = part
        .loads
        .iter()
        .any(|load| load.options.get("sqthread_poll").is_some_and(|value| value.trim() != "0"));
    let cause = match (by_total, by_parts) {
        // Completions of such a queue are timed from a stamp that nobody set, which makes them longer and never shorter.
        _ if is_unstamped && parts.is_above(whole) => Cause::NoSubmissionTimes,
        (Some(true), Some(false)) => Cause::LittlesLawWithTotal,
        (Some(false), Some(true)) => Cause::LittlesLawWithParts,
        _ => Cause::Usual,
    };
    // A part that is longer than the whole by itself is the wrong one, unless the other is longer as well.
    let above = |latency: &StatedLatency| latency.mean_us.is_some_and(|mean| Range::of(mean).is_above(whole));
    let is_submission_wrong = above(&stated.submission_latency) && !above(&stated.completion_latency);
    let cause = if is_submission_wrong && cause == Cause::LittlesLawWithTotal { Cause::Usual } else { cause };
    let sum = parts.middle();
    // Of completion alone it is only known that it is no longer than the whole.
    let bounded = |quantity, bound, value: f64| {
        let bound = Some(bound).filter(|_| !has_submission);
        Right::from(RightFigure { quantity, bound, value: value.into() })
    };
    let right = match cause {
        Cause::Usual if is_submission_wrong => {
            let completion = stated.completion_latency.mean_us.map_or(0.0, |mean| mean.value);
            let submission = (total.value - completion).max(0.0);
            bounded(RightQuantity::SubmissionLatency, BoundRelation::AtMost, submission)
        }
        Cause::NoSubmissionTimes => Right::MeanWithoutPercentiles(total),
        Cause::LittlesLawWithTotal => {
            let submission = stated.submission_latency.mean_us.map_or(0.0, |mean| mean.value);
            let completion = (total.value - submission).max(0.0);
            bounded(RightQuantity::CompletionLatency, BoundRelation::AtMost, completion)
        }
        Cause::LittlesLawWithParts => bounded(RightQuantity::MeanLatency, BoundRelation::AtLeast, sum),
        _ => Right::either([
            RightFigure::exactly(Unit::Us, sum),
            RightFigure::exactly(RightQuantity::LatencyParts, total),
        ]),
    };
    let place = part.place.latency(stream.kind, LatencyKind::Total);
    let finding = AuditFinding::of_figures(place, Compared::LatencyParts { has_submission }, total, sum);
    tally.found(finding.because(cause).with_right(right).with_difference());
    matches!(cause, Cause::NoSubmissionTimes | Cause::LittlesLawWithTotal)
}

/// Whether a percentile is only the end of a histogram.
fn check_clipped(latency: &StatedLatency, place: &ResultPart, tally: &mut Tally) -> bool {
    let ends: Vec<_> = latency.percentiles_us.iter().filter(|one| one.is_clipped()).collect();
    let Some(first) = ends.first() else { return false };
    let compared = Compared::ClippedPercentile { percent: first.percent, higher_count: ends.len() - 1 };
    let right = Right::Percentile { least_us: LAST_BUCKET_END_US, longest_us: latency.max_us };
    let finding = AuditFinding::of_figures(place, compared, first.at, LAST_BUCKET_END_US);
    // A limit of the tool, and no figure that was changed.
    tally.found(finding.with_right(right).weighing(Weight::Doubt));
    true
}

fn check_order(latency: &StatedLatency, place: &ResultPart, tally: &mut Tally) {
    let percentiles = &latency.percentiles_us;
    if percentiles.is_empty() {
        return;
    }
    let before = tally.findings.len();
    let mut found = |compared, stated: Stated, expected: Stated| {
        tally.found(AuditFinding::of_figures(place, compared, stated, expected));
    };
    for pair in percentiles.windows(2) {
        let [lower, higher] = pair else { unreachable!("a window of two") };
        if Range::of(lower.at).is_above(Range::of(higher.at)) {
            let (percent, higher_percent) = (lower.percent, higher.percent);
            found(Compared::Percentiles { percent, higher_percent }, lower.at, higher.at);
        }
    }
    // The highest and the lowest are held against the extremes; those between them follow.
    if let Some((last, max)) = latency.percentile_beyond_longest() {
        found(Compared::PercentileBeyondLongest(last.percent), last.at, max);
    }
    // The end of a histogram stands for all that is longer, and no I/O has to be as short.
    if let (Some(first), Some(min)) =
        (percentiles.first().filter(|first| !first.is_clipped()), latency.min_us)
        && Range::of(min).is_above(Range::of(first.at).widened(BUCKET_SHARE))
    {
        found(Compared::PercentileBelowShortest(first.percent), first.at, min);
    }
    if tally.findings.len() == before {
        tally.held(Check::PercentileOrder);
    }
}

fn check_mean(latency: &StatedLatency, place: &ResultPart, tally: &mut Tally) {
    let Some(mean) = latency.mean_us else { return };
    let Some((_, extreme)) = latency.mean_beyond_extremes() else {
        if latency.max_us.or(latency.min_us).is_some() {
            tally.held(Check::MeanInRange);
        }
        return;
    };
    let is_beyond = extreme.value < mean.value;
    let compared = if is_beyond { Compared::MeanBeyondLongest } else { Compared::MeanBelowShortest };
    tally.found(AuditFinding::of_figures(place, compared, mean, extreme).with_difference());
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

fn check_shares(latency: &StatedLatency, place: &ResultPart, tally: &mut Tally) {
    let Some(shares) = shares_of_bands(latency) else { return };
    if shares.overlaps(Range::exact(100.0)) {
        return tally.held(Check::HistogramShares);
    }
    let sum: f64 = latency.bands.iter().map(|band| band.percent.value).sum();
    let finding = AuditFinding::of_figures(place, Compared::HistogramShares, sum, shares);
    tally.found(finding.with_right(Right::SharesOf100).off_by(sum - 100.0));
    if latency.mean_us.is_some() {
        tally.unchecked_at(place, Reason::SharesNot100);
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
    // What is printed as 0 % may be a few I/Os, of which those of the last class may take as long as they like; none are in a class
    // beyond the longest.
    let high = bands.iter().filter(|band| share(band).high > 0.0 && band.from_us <= longest).map(|band| {
        let edge = band.below_us.unwrap_or(longest).min(longest);
        share(band).high * edge
    });
    Some(Range { low, high: high.sum() })
}

fn check_mean_by_percentiles(
    part: &Part<'_>,
    stream: &Stream<'_>,
    latency: &StatedLatency,
    place: &ResultPart,
    tally: &mut Tally,
) {
    // Percentiles first: their buckets are finer than the classes that tools print.
    let bounds = mean_bounds(latency).or_else(|| mean_bounds_of_bands(latency));
    let (Some(mean), Some(bounds)) = (latency.mean_us, bounds) else { return };
    let range = Range::of(mean);
    if range.overlaps(bounds) {
        return tally.held(Check::MeanByPercentiles);
    }
    let (bound, edge) = if range.low > bounds.high {
        (BoundRelation::AtMost, bounds.high)
    } else {
        (BoundRelation::AtLeast, bounds.low)
    };
    let by_shares = latency.percentiles_us.is_empty();
    let compared = if by_shares { Compared::MeanByShares } else { Compared::MeanByPercentiles };
    let cause = if changed_places(part, stream) { Cause::PercentilesSwapped } else { Cause::Usual };
    let finding = AuditFinding::of_figures(place, compared(bound), mean, edge).because(cause);
    tally.found(finding.expecting(Some(bound), Unit::Us).with_difference());
}

/// Whether the mean of reads fits the percentiles of writes and the other way round. Percentiles stand in a table of their own in
/// some tools, so that one of two tables may be swapped.
fn changed_places(part: &Part<'_>, stream: &Stream<'_>) -> bool {
    let other = match stream.kind {
        StreamKind::Read => StreamKind::Write,
        StreamKind::Write => StreamKind::Read,
        StreamKind::Commit | StreamKind::Mixed => return false,
    };
    let Some(other) = part.stream(other) else { return false };
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
fn check_deviation(latency: &StatedLatency, place: &ResultPart, tally: &mut Tally) {
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
    let agree = Range::of(deviation).low <= most * std::f64::consts::SQRT_2;
    let finding = AuditFinding::of_figures(place, Compared::Deviation, deviation, most);
    tally.compare(agree, finding.expecting(Some(BoundRelation::AtMost), Unit::Us));
}
