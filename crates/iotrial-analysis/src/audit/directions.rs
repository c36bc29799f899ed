//! Reads and writes together are what is told of both, and the jobs together are what is told of all of them.

use iotrial_model::imported::{SourceKind, Stated, StatedStream};
use iotrial_model::load::Direction;
use iotrial_model::range::{Range, write_change, write_number, write_stated};
use iotrial_model::record::{JobCounts, OpCounts};
use iotrial_model::subject::{Facts, Ops, Subject};

use super::agreement::Told;
use super::part::{Part, Stream, bytes};
use super::tally::{AuditFinding, Check, Tally, Weight};

/// One figure of a stream.
type Figure = fn(&StatedStream) -> Option<Stated>;
/// One count of a stream.
type Count = fn(Facts<'_>) -> Option<u64>;
/// One stream of a job.
type OfOps = for<'r> fn(&Ops<'r>) -> Option<Facts<'r>>;

/// One figure of reads, of writes, and of both.
struct Sum {
    unit: &'static str,
    read: Stated,
    write: Stated,
    all: Stated,
}

/// Reads and writes together are what is printed of both.
pub(super) fn check_directions(part: &Part<'_>, tally: &mut Tally) {
    let of = |name: &str| part.streams.iter().find(|stream| stream.name == name);
    let (read, write) = (of("read"), of("write"));
    let Some(all) = of("total") else { return };
    let figures: [(&str, Figure); 4] = [
        ("IOPS", |stated| stated.iops),
        ("MiB/s", |stated| stated.bandwidth_mib_per_s),
        ("I/Os", |stated| stated.io_count.map(|count| Stated::exact(bytes(count)))),
        ("bytes", |stated| stated.bytes.map(|count| Stated::exact(bytes(count)))),
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
                "IOPS" => told.iops_differ(),
                "MiB/s" => told.bandwidth_differs(),
                _ => told.counts_differ(),
            })
        };
        tally.found(wrong_sum(part, &sum, [differs(read), differs(write), differs(Some(all))]));
    }
}

/// `differs` tells of reads, writes and both whether other figures of theirs contradict this one: the only one of them is wrong.
fn wrong_sum(part: &Part<'_>, sum: &Sum, differs: [bool; 3]) -> AuditFinding {
    let Sum { unit, read, write, all } = sum;
    let together = read.value + write.value;
    let off = 100.0 * (all.value / together - 1.0);
    let less = |other: &Stated| (all.value > other.value).then(|| write_number(all.value - other.value));
    let of_both = format!("{} {unit} for both", write_number(together));
    let of_reads = less(write).map(|right| format!("{right} {unit} read"));
    let of_writes = less(read).map(|right| format!("{right} {unit} written"));
    let (cause, right) = match (differs, of_reads, of_writes) {
        ([true, false, false], Some(right), _) => {
            ("the figures for writes and for both are consistent, those for reads are not", right)
        }
        ([false, true, false], _, Some(right)) => {
            ("the figures for reads and for both are consistent, those for writes are not", right)
        }
        ([false, false, true], ..) => {
            ("the figures for reads and for writes are consistent, those for both are not", of_both)
        }
        (_, of_reads, of_writes) => {
            let all = [Some(of_both), of_reads, of_writes];
            let all: Vec<String> = all.into_iter().flatten().collect();
            (
                "the total comes from another run, or covers one direction only",
                format!("either {}", all.join(" or ")),
            )
        }
    };
    AuditFinding {
        check: Check::Totals,
        weight: Weight::Contradiction,
        place: format!("{}, total", part.place),
        message: format!(
            "{} {unit} read and {} written make {}, not {}: {}",
            write_stated(*read),
            write_stated(*write),
            write_number(together),
            write_stated(*all),
            write_change(off)
        ),
        cause: cause.to_owned(),
        right: Some(right),
        off_by_percent: Some(off),
    }
}

/// Rows of threads, or of targets, against their totals: diskspd's text prints both. Other formats print only one of them, or take
/// parts and totals at different moments.
pub(super) fn check_jobs(subject: &Subject<'_>, tally: &mut Tally) {
    let (Some(source), Some(total)) = (subject.source, subject.stated_total) else { return };
    if source.kind != SourceKind::DiskspdText {
        return;
    }
    let is_told = |stream: Option<Facts<'_>>| stream.is_some_and(|one| one.io_count().is_some());
    if !subject.jobs.iter().any(|job| is_told(job.ops.read) || is_told(job.ops.write)) {
        return tally.unchecked(
            "the rows of the threads belong to none of the targets that were asked for".to_owned(),
        );
    }
    let total = Ops::of_stated(total);
    let streams: [(&str, OfOps); 3] =
        [("read", |ops| ops.read), ("write", |ops| ops.write), ("total", |ops| ops.all)];
    for (name, stream) in streams {
        let Some(total) = stream(&total) else { continue };
        let rows: Vec<Facts<'_>> = subject.jobs.iter().filter_map(|job| stream(&job.ops)).collect();
        // Targets that only read or only write are in the totals of both, and have none of their own.
        if name == "total" && rows.len() < subject.jobs.len() {
            continue;
        }
        let figures: [(&str, Count); 2] = [("I/Os", |one| one.io_count()), ("bytes", |one| one.bytes())];
        for (unit, figure) in figures {
            let Some(all) = figure(total).map(bytes) else { continue };
            let sum: f64 = rows.iter().filter_map(|row| figure(*row)).map(bytes).sum();
            if (sum - all).abs() < 0.5 {
                tally.held(Check::Totals);
                continue;
            }
            let off = 100.0 * (sum / all - 1.0);
            // Of several targets one may stand under another name in the rows than in what was asked for.
            let may_lack_rows = subject.jobs.len() > 1 && sum < all;
            let weight = if may_lack_rows { Weight::Doubt } else { Weight::Contradiction };
            tally.found(AuditFinding {
                check: Check::Totals,
                weight,
                place: format!("{}, {name}", source.place),
                message: format!(
                    "the rows of the threads add up to {} {unit}, but the total row has {}: {}",
                    write_number(sum),
                    write_number(all),
                    write_change(off)
                ),
                cause: "a row was changed, or is missing".to_owned(),
                right: Some(format!(
                    "either {} {unit} in the total, or rows that add up to {}",
                    write_number(sum),
                    write_number(all)
                )),
                off_by_percent: Some(off),
            });
        }
    }
}

/// The course of a run, as diskspd's XML tells it, against its runtime and its I/Os. A course that was shortened has fewer.
pub(super) fn check_course(subject: &Subject<'_>, tally: &mut Tally) {
    let Some(source) = subject.source.filter(|source| source.kind == SourceKind::DiskspdXml) else { return };
    let [ops] = subject.parts()[..] else { return };
    let stretches = || subject.intervals.stated().iter().filter(|interval| interval.job.is_none());
    let Some(last) = stretches().next_back() else {
        return tally.unchecked(format!(
            "{}: there are no intervals, so only rates could be checked against the runtime",
            source.place
        ));
    };
    let apart = [ops.read, ops.write].into_iter().flatten();
    let runtime = apart.filter_map(Facts::stated).find_map(|stream| stream.runtime_s);
    let Some(runtime) = runtime else { return };
    let end_s = last.start_s + last.duration_s;
    // The last stretch may be cut off by the end of the run.
    if last.start_s > Range::of(runtime).high {
        tally.found(AuditFinding {
            check: Check::Totals,
            weight: Weight::Contradiction,
            place: source.place.clone(),
            message: format!(
                "the time series ends at {} s, but the run took {} s",
                write_number(end_s),
                write_stated(runtime)
            ),
            cause: "the runtime was changed, or the time series comes from another run".to_owned(),
            right: Some(format!("a runtime of {} s", write_number(end_s))),
            off_by_percent: Some(100.0 * (runtime.value / end_s - 1.0)),
        });
    } else {
        tally.held(Check::Totals);
    }
    let is_whole =
        end_s >= runtime.value - last.duration_s && end_s <= Range::of(runtime).high + last.duration_s;
    for (name, stream) in [("read", ops.read), ("write", ops.write)] {
        let Some(counted) = stream.and_then(Facts::io_count).map(bytes) else { continue };
        let rates = || {
            stretches().filter_map(|one| {
                let stream = if name == "read" { &one.ops.read } else { &one.ops.write };
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
        let is_right =
            sum.low <= counted + outstanding && (!is_whole || sum.high + outstanding + after >= counted);
        if is_right {
            tally.held(Check::Totals);
            continue;
        }
        let off = 100.0 * (counted / sum.middle() - 1.0);
        tally.found(AuditFinding {
            check: Check::Totals,
            weight: Weight::Contradiction,
            place: format!("{}, {name}", source.place),
            message: format!(
                "the time series adds up to {sum} I/Os, but the threads count {}: {}",
                write_number(counted),
                write_change(off)
            ),
            cause: "one of them was changed, or comes from another run".to_owned(),
            right: None,
            off_by_percent: Some(off).filter(|off| off.is_finite()),
        });
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
        for (name, total, sum) in [("read", job.ops.read, &sum.read), ("write", job.ops.write, &sum.write)] {
            let counts = |ops: Option<&OpCounts>| ops.map_or((0, 0), |ops| (ops.io_count(), ops.bytes));
            let (total, sum) = (counts(total.and_then(Facts::counts)), counts(sum.as_ref()));
            if total == sum {
                tally.held(Check::Totals);
                continue;
            }
            tally.found(AuditFinding {
                check: Check::Totals,
                weight: Weight::Contradiction,
                place: format!("job {}, {name}", job.name),
                message: format!(
                    "the record counts {} I/Os, but its measured seconds add up to {}",
                    write_number(bytes(total.0)),
                    write_number(bytes(sum.0))
                ),
                cause: "the record was changed after the run".to_owned(),
                right: Some(format!("{} I/Os", write_number(bytes(sum.0)))),
                off_by_percent: None,
            });
        }
    }
}
