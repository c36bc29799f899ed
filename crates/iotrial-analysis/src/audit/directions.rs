//! Reads and writes together are what is told of both, and the jobs together are what is told of all of them.

use iotrial_model::audit::{
    AuditFinding, Cause, Check, Compared, LatencyKind, Reason, ResultPart, Right, RightFigure, RightQuantity,
    Unit, Weight,
};
use iotrial_model::imported::{SourceKind, Stated, StatedLatency, StatedStream};
use iotrial_model::load::Direction;
use iotrial_model::range::Range;
use iotrial_model::record::{JobCounts, OpCounts};
use iotrial_model::stated_latency::BUCKET_SHARE;
use iotrial_model::stream::Stream as StreamKind;
use iotrial_model::subject::{Facts, Ops, Subject};

use super::agreement::Told;
use super::asked;
use super::part::{Part, Stream, bytes};
use super::tally::Tally;

/// One figure of a stream.
type Figure = fn(&StatedStream) -> Option<Stated>;
/// One count of a stream.
type Count = fn(Facts<'_>) -> Option<u64>;
/// One stream of a job.
type OfOps = for<'r> fn(&Ops<'r>) -> Option<Facts<'r>>;

/// One figure of reads, of writes, and of both.
struct Sum {
    unit: Unit,
    read: Stated,
    write: Stated,
    all: Stated,
}

/// Reads and writes together are what is printed of both.
pub(super) fn check_directions(part: &Part<'_>, tally: &mut Tally) {
    let (read, write) = (part.stream(StreamKind::Read), part.stream(StreamKind::Write));
    let Some(all) = part.stream(StreamKind::Mixed) else { return };
    let figures: [(Unit, Figure); 4] = [
        (Unit::Iops, |stated| stated.iops),
        (Unit::MibPerS, |stated| stated.bandwidth_mib_per_s),
        (Unit::Ios, |stated| stated.io_count.map(|count| Stated::exact(bytes(count)))),
        (Unit::Bytes, |stated| stated.bytes.map(|count| Stated::exact(bytes(count)))),
    ];
    for (unit, figure) in figures {
        // A direction that the load does not have is none of it.
        let of_direction = |stream: Option<&Stream<'_>>, direction| match stream {
            Some(stream) => figure(&stream.stated),
            None => part.never_does(direction).then_some(Stated::exact(0.0)),
        };
        let sums = (of_direction(read, Direction::Read), of_direction(write, Direction::Write));
        let ((Some(read_figure), Some(write_figure)), Some(all_figure)) = (sums, figure(&all.stated)) else {
            continue;
        };
        if read.is_none() && write.is_none() {
            continue;
        }
        let sum = Sum { unit, read: read_figure, write: write_figure, all: all_figure };
        if (Range::of(sum.read) + Range::of(sum.write)).overlaps(Range::of(sum.all)) {
            tally.held(Check::Totals);
            continue;
        }
        let differs = |stream: Option<&Stream<'_>>| {
            let told = stream.map(|stream| Told::of(part, stream));
            told.is_some_and(|told| match unit {
                Unit::Iops => told.iops_differ(),
                Unit::MibPerS => told.bandwidth_differs(),
                _ => told.counts_differ(),
            })
        };
        tally.found(wrong_sum(part, &sum, [differs(read), differs(write), differs(Some(all))]));
    }
    if let (Some(read), Some(write)) = (read, write) {
        check_latencies_of_both(part, [read, write, all], tally);
    }
}

/// A mean of both is that of reads and writes, each weighted by its I/Os; a percentile of both is between theirs, because at the lower of
/// the two too few of either are done, and at the higher one enough of both.
fn check_latencies_of_both(part: &Part<'_>, streams: [&Stream<'_>; 3], tally: &mut Tally) {
    type OfStream = fn(&StatedStream) -> &StatedLatency;
    let kinds: [(LatencyKind, OfStream); 2] = [
        (LatencyKind::Total, |stated| &stated.total_latency),
        (LatencyKind::Completion, |stated| &stated.completion_latency),
    ];
    let [read_stream, write_stream, _] = streams;
    for (kind, latency) in kinds {
        let [read, write, all] = streams.map(|stream| latency(&stream.stated));
        let place = part.place.latency(StreamKind::Mixed, kind);
        if let (Some(read), Some(write), Some(all)) = (read.mean_us, write.mean_us, all.mean_us) {
            let expected = mean_of_both(read, write, read_share(part, read_stream, write_stream));
            let room = Range {
                low: expected.low * (1.0 - MEAN_SHARE) - MEAN_US,
                high: expected.high * (1.0 + MEAN_SHARE) + MEAN_US,
            };
            let is_plain_mean = (Range::of(read) + Range::of(write)).scaled(0.5).overlaps(Range::of(all));
            let cause = if is_plain_mean { Cause::NotWeighted } else { Cause::Usual };
            let compared = Compared::LatencyOfDirections { percent: None, read, write };
            tally.compare(
                Range::of(all).overlaps(room),
                of_both(&place, compared, all, expected).because(cause),
            );
        }
        for one in &all.percentiles_us {
            let of = |latency: &StatedLatency| {
                let same = latency.percentiles_us.iter().find(|other| other.percent == one.percent);
                same.map(|same| same.at)
            };
            let (Some(read), Some(write)) = (of(read), of(write)) else { continue };
            let (reads, writes) = (Range::of(read), Range::of(write));
            let between = Range { low: reads.low.min(writes.low), high: reads.high.max(writes.high) };
            let compared = Compared::LatencyOfDirections { percent: Some(one.percent), read, write };
            tally.compare(
                Range::of(one.at).overlaps(between.widened(BUCKET_SHARE)),
                of_both(&place, compared, one.at, between),
            );
        }
    }
}

/// A latency of both, in µs, with what those of reads and writes allow.
fn of_both(place: &ResultPart, compared: Compared, all: Stated, expected: Range) -> AuditFinding {
    let nearest = all.value.clamp(expected.low, expected.high);
    AuditFinding::of_figures(place, compared, all, expected)
        .expecting(None, Unit::Us)
        .off_by(100.0 * (all.value / nearest - 1.0))
}

/// All that the mean of both may be, with this share of reads.
fn mean_of_both(read: Stated, write: Stated, share: Range) -> Range {
    let (read, write) = (Range::of(read), Range::of(write));
    let mean = |share: f64| read.scaled(share) + write.scaled(1.0 - share);
    // It moves evenly with the share, so its ends are at those of the share.
    let (least, most) = (mean(share.low), mean(share.high));
    Range { low: least.low.min(most.low), high: least.high.max(most.high) }
}

/// The share of reads, from 0 to 1: by counts, or else by rates that nothing contradicts, or else as the load asks for it. Without any of
/// these it may be any.
fn read_share(part: &Part<'_>, read: &Stream<'_>, write: &Stream<'_>) -> Range {
    let counts = read.stated.io_count.zip(write.stated.io_count);
    let counts = counts.map(|(read, write)| (Range::exact(bytes(read)), Range::exact(bytes(write))));
    let is_sound = |stream: &Stream<'_>| !Told::of(part, stream).iops_differ();
    let rates = || {
        let rates = read.stated.iops.zip(write.stated.iops).filter(|_| is_sound(read) && is_sound(write));
        rates.map(|(read, write)| (Range::of(read), Range::of(write)))
    };
    let share = |read: f64, write: f64| if read > 0.0 { read / (read + write) } else { 0.0 };
    match counts.or_else(rates).filter(|(read, write)| read.high + write.high > 0.0) {
        Some((read, write)) => Range { low: share(read.low, write.high), high: share(read.high, write.low) },
        None => asked::share_of_reads(part).unwrap_or(Range { low: 0.0, high: 1.0 }),
    }
}

/// `differs` tells of reads, writes and both whether other figures of theirs contradict this one: the only one of them is wrong.
fn wrong_sum(part: &Part<'_>, sum: &Sum, differs: [bool; 3]) -> AuditFinding {
    let Sum { unit, read, write, all } = *sum;
    let together = read.value + write.value;
    // What is left of both for one direction, where anything is.
    let less = |quantity, other: Stated| {
        (all.value > other.value).then(|| RightFigure::exactly(quantity, all.value - other.value))
    };
    let of_both = RightFigure::exactly(RightQuantity::Both(unit), together);
    let of_reads = less(RightQuantity::Read(unit), write);
    let of_writes = less(RightQuantity::Written(unit), read);
    let (cause, right) = match (differs, of_reads, of_writes) {
        ([true, false, false], Some(right), _) => (Cause::OnlyWrong(StreamKind::Read), right.into()),
        ([false, true, false], _, Some(right)) => (Cause::OnlyWrong(StreamKind::Write), right.into()),
        ([false, false, true], ..) => (Cause::OnlyWrong(StreamKind::Mixed), of_both.into()),
        _ => (Cause::Usual, Right::either([Some(of_both), of_reads, of_writes].into_iter().flatten())),
    };
    let (place, compared) =
        (part.place.stream(StreamKind::Mixed), Compared::SumOfDirections { read, write, unit });
    let finding = AuditFinding::of_figures(place, compared, all, together).because(cause);
    finding.with_right(right).with_difference()
}

/// Formats that print parts and their total, both of the same I/Os: diskspd's text the rows of threads and targets, fio those of clients.
/// Others print only one of them, or take parts and totals at different moments.
const WITH_PARTS: [SourceKind; 3] = [SourceKind::DiskspdText, SourceKind::FioJson, SourceKind::FioText];

/// A mean over all I/Os is that of the parts, each weighted by its I/Os: within so much, as clocks are read and digits cut.
const MEAN_SHARE: f64 = 0.01;
const MEAN_US: f64 = 3.0;

/// Parts against their total.
pub(super) fn check_jobs(subject: &Subject<'_>, tally: &mut Tally) {
    let (Some(source), Some(total)) = (subject.source, subject.stated_total) else { return };
    if !WITH_PARTS.contains(&source.kind) {
        return;
    }
    let is_told = |stream: Option<Facts<'_>>| stream.is_some_and(|one| one.io_count().is_some());
    if !subject.jobs.iter().any(|job| is_told(job.ops.read) || is_told(job.ops.write)) {
        return tally.unchecked(Reason::ForeignThreadRows);
    }
    let total = Ops::of_stated(total);
    let place = ResultPart { source: Some(source.place.clone()), ..ResultPart::default() };
    let streams: [(StreamKind, OfOps); 3] = [
        (StreamKind::Read, |ops| ops.read),
        (StreamKind::Write, |ops| ops.write),
        (StreamKind::Mixed, |ops| ops.all),
    ];
    for (kind, stream) in streams {
        let Some(total) = stream(&total) else { continue };
        let rows: Vec<Facts<'_>> = subject.jobs.iter().filter_map(|job| stream(&job.ops)).collect();
        // Targets that only read or only write are in the totals of both, and have none of their own.
        if kind == StreamKind::Mixed && rows.len() < subject.jobs.len() {
            continue;
        }
        check_mean_of_parts(&place.stream(kind), total, &rows, tally);
        let figures: [(Unit, Count); 2] =
            [(Unit::Ios, |one| one.io_count()), (Unit::Bytes, |one| one.bytes())];
        for (unit, figure) in figures {
            let Some(all) = figure(total).map(bytes) else { continue };
            let sum: f64 = rows.iter().filter_map(|row| figure(*row)).map(bytes).sum();
            // Of several targets one may stand under another name in the rows than in what was asked for.
            let may_lack_rows = subject.jobs.len() > 1 && sum < all;
            let weight = if may_lack_rows { Weight::Doubt } else { Weight::Contradiction };
            let right = Right::either([
                RightFigure::exactly(RightQuantity::TotalRow(unit), sum),
                RightFigure::exactly(RightQuantity::Rows, all),
            ]);
            let finding = AuditFinding::of_figures(place.stream(kind), Compared::ThreadRows(unit), sum, all);
            tally.compare(
                (sum - all).abs() < 0.5,
                finding.weighing(weight).with_right(right).with_difference(),
            );
        }
    }
}

/// The mean of a total against those of its parts.
fn check_mean_of_parts(place: &ResultPart, total: Facts<'_>, rows: &[Facts<'_>], tally: &mut Tally) {
    let of = |one: &Facts<'_>| Some((bytes(one.io_count()?), one.latency_mean_us()?));
    let (Some(mean_us), Some(parts)) =
        (total.latency_mean_us(), rows.iter().map(of).collect::<Option<Vec<(f64, f64)>>>())
    else {
        return;
    };
    let count: f64 = parts.iter().map(|(count, _)| count).sum();
    let is_all = total.io_count().map(bytes) == Some(count);
    if parts.len() < 2 || count <= 0.0 || !is_all {
        return;
    }
    let weighted = parts.iter().map(|(count, mean_us)| count * mean_us).sum::<f64>() / count;
    let finding = AuditFinding::of_figures(place, Compared::MeanOfParts, mean_us, weighted);
    let agree = (mean_us - weighted).abs() <= MEAN_SHARE * weighted + MEAN_US;
    tally.compare(agree, finding.expecting(None, Unit::Us).with_difference());
}

/// The course of a run, as diskspd's XML tells it, against its runtime and its I/Os. A course that was shortened has fewer.
pub(super) fn check_course(subject: &Subject<'_>, tally: &mut Tally) {
    let Some(source) = subject.source.filter(|source| source.kind == SourceKind::DiskspdXml) else { return };
    let [ops] = subject.parts()[..] else { return };
    let place = ResultPart { source: Some(source.place.clone()), ..ResultPart::default() };
    let stretches = || subject.intervals.stated().iter().filter(|interval| interval.job.is_none());
    let Some(last) = stretches().next_back() else {
        return tally.unchecked_at(place, Reason::NoIntervals);
    };
    let apart = [ops.read, ops.write].into_iter().flatten();
    let runtime = apart.filter_map(Facts::stated).find_map(|stream| stream.runtime_s);
    let Some(runtime) = runtime else { return };
    let end_s = last.start_s + last.duration_s;
    // The last stretch may be cut off by the end of the run.
    let finding = AuditFinding::of_figures(&place, Compared::SeriesEnd, runtime, end_s);
    let finding = finding.expecting(None, RightQuantity::Runtime).with_difference();
    tally.compare(last.start_s <= Range::of(runtime).high, finding);
    let is_whole =
        end_s >= runtime.value - last.duration_s && end_s <= Range::of(runtime).high + last.duration_s;
    for (kind, stream) in [(StreamKind::Read, ops.read), (StreamKind::Write, ops.write)] {
        let Some(counted) = stream.and_then(Facts::io_count).map(bytes) else { continue };
        let rates = || {
            stretches().filter_map(|one| {
                let stream = if kind == StreamKind::Read { &one.ops.read } else { &one.ops.write };
                Some((Range::of(stream.as_ref()?.iops?), one.duration_s))
            })
        };
        let sum = rates().fold(Range::exact(0.0), |sum, (rate, seconds)| sum + rate.scaled(seconds));
        // I/Os that are under way at an end may be in the course and not in the count, or the other way round.
        let outstanding: f64 =
            subject.jobs.iter().map(|job| job.load.total_outstanding().map_or(1.0, bytes)).sum();
        // What came after the last stretch, at the highest rate of all.
        let highest = rates().map(|(rate, _)| rate.high).fold(0.0, f64::max);
        let after = (runtime.value - end_s).max(0.0) * highest;
        let agree =
            sum.low <= counted + outstanding && (!is_whole || sum.high + outstanding + after >= counted);
        let finding = AuditFinding::of_figures(place.stream(kind), Compared::SeriesSum, counted, sum);
        tally.compare(agree, finding.with_difference());
    }
}

/// The totals of a run are the sums of its measured seconds. What has no seconds by job, or none at all, has nothing to add up.
pub(super) fn check_intervals(subject: &Subject<'_>, tally: &mut Tally) {
    // What was planned has seconds, and a record that counts I/Os without any was changed.
    if subject.plan.is_none() && subject.intervals.counted().is_empty() {
        return;
    }
    for (index, job) in subject.jobs.iter().enumerate() {
        let mut sum = JobCounts::default();
        subject
            .measured_intervals()
            .filter_map(|interval| interval.jobs.get(index))
            .for_each(|one| sum.merge(one));
        let streams =
            [(StreamKind::Read, job.ops.read, &sum.read), (StreamKind::Write, job.ops.write, &sum.write)];
        for (kind, total, sum) in streams {
            let counts = |ops: Option<&OpCounts>| ops.map_or((0, 0), |ops| (ops.io_count(), ops.bytes));
            let (total, sum) = (counts(total.and_then(Facts::counts)), counts(sum.as_ref()));
            let place = ResultPart { job: Some(job.name.to_string()), ..ResultPart::default() }.stream(kind);
            let (total_count, sum_count) = (bytes(total.0), bytes(sum.0));
            let finding = AuditFinding::of_figures(place, Compared::MeasuredSeconds, total_count, sum_count);
            tally.compare(total == sum, finding.expecting(None, Unit::Ios));
        }
    }
}
