//! Figures compared with bands: which of them can be judged, and where they fall.

use std::time::Duration;

use iotrial_model::bound::{BoundRelation, Bounded};
use iotrial_model::figure::{Figure, most_beyond};
use iotrial_model::imported::{StatedOps, StatedStream};
use iotrial_model::load::{Direction, Role};
use iotrial_model::stream::Stream;
use iotrial_model::subject::{Facts, Ops, Subject, SubjectJob};
use iotrial_model::units::ByteSize;
use iotrial_model::verdict::{Category, Gap, Judged, Starved, WhyNotJudged};
use iotrial_words::numbers::decimals_of_latency;

use crate::device_part::DevicePart;
use crate::figures::{Figures, percentile_us};
use crate::generator_part::{AgainstLimit, StreamLatency, intervals_left_alone, is_open, statistic_of};
use crate::queue_latency::{queue_of, shows_queue};
use crate::stream::{Streams, judged_streams};
use crate::threshold::{Bands, ThresholdSet};

/// A latency for people, to three digits: `0.085 ms`, `0.85 ms`, `6.34 ms`, `62.1 ms`, `18,171 ms`.
///
/// What would read as another category than it is, or as the limit without being it, gets more: 4.999 ms must not
/// read as 5 ms where a band begins there.
fn rounded_ms(us: f64, bands: &Bands) -> f64 {
    let ms = us / 1_000.0;
    // As in every table.
    let factor = 10f64.powi(i32::try_from(decimals_of_latency(ms)).unwrap_or_default());
    let rounded = (ms * factor).round() / factor;
    let rounded_us = rounded * 1_000.0;
    let misleads = bands.category(rounded_us) != bands.category(us)
        || (rounded_us == bands.limit_us() && us != bands.limit_us());
    // Half a nanosecond makes up for what binary fractions lack of a decimal one.
    if misleads { ((ms + 5e-7) * 1e4).floor() / 1e4 } else { rounded }
}

/// The category that a bound leaves for sure, where it decides: the worst one that a figure below it may have, or the best one
/// above it. `None` where the limit lies on the side on which the figure is.
fn category_of_bound(bounded: Bounded, bands: &Bands) -> Option<Category> {
    let value = bounded.value;
    let is_fine = |category: &Category| *category <= Category::Acceptable;
    match bounded.relation {
        // Below 1 ms is not 1 ms: on the edge of a band it is in the better one.
        BoundRelation::Below => Some(bands.category(value.next_down())).filter(is_fine),
        BoundRelation::AtMost => Some(bands.category(value)).filter(is_fine),
        BoundRelation::Above => Some(bands.category(value.next_up())).filter(|one| !is_fine(one)),
        BoundRelation::AtLeast => Some(bands.category(value)).filter(|one| !is_fine(one)),
        BoundRelation::About => None,
    }
}

/// The streams that a role has, with their figures where there are any.
pub(crate) type RoleStreams = Vec<(Stream, Option<Figures>)>;

/// Streams that are judged by the bands of some roles.
struct OfRoles {
    /// Mostly one. Several where a source states figures of all of them together only.
    roles: Vec<Role>,
    streams: RoleStreams,
    /// Whether they are of all jobs together, as the source states them: bounds are of these.
    is_total: bool,
}

/// In less time a single pause of the device or of the host decides every figure.
pub(crate) const SHORTEST_JUDGED: Duration = Duration::from_secs(1);
/// A phase may come out shorter than it was planned by so much: its last interval ends when the clock is read.
pub(crate) const CLOCK_SLACK: Duration = Duration::from_millis(20);

/// What was held against the bands.
#[derive(Default)]
pub(crate) struct Judgement {
    pub(crate) judged: Vec<Judged>,
    pub(crate) gaps: Vec<Gap>,
    /// Streams with hardly any I/O.
    pub(crate) starved: Vec<Starved>,
}

impl Judgement {
    /// Holds every figure that the set judges, and that enough I/Os carry, against its bands.
    pub(crate) fn new(subject: &Subject<'_>, thresholds: &ThresholdSet) -> Self {
        if shows_queue(subject) {
            return Self::of_queue(subject);
        }
        let measured = subject.measured.filter(|measured| !measured.is_zero());
        // A source may time less than it counts, so that its figures are taken as they are.
        let is_short =
            |measured: &Duration| subject.source.is_none() && *measured + CLOCK_SLACK < SHORTEST_JUDGED;
        if let Some(measured) = measured.filter(is_short) {
            let starved = Starved::Time { measured_s: measured.as_secs_f64() };
            return Self { starved: vec![starved], ..Self::default() };
        }
        let mut judgement = Self::of(subject, streams_by_role(subject), thresholds);
        judgement.bound_few(subject, thresholds);
        let parts = DevicePart::all(subject);
        for one in &mut judgement.judged {
            let mine = parts.iter().filter(|part| part.roles == [one.role]);
            one.devices = mine.flat_map(|part| part.devices.clone()).collect();
            take_generator_out(one, subject, thresholds);
        }
        judgement
    }

    /// A 99th percentile that has too few I/Os to be told, and enough to show that it is within its limits.
    ///
    /// Ten I/Os beyond a percentile make it a figure. To be below a limit takes fewer: where none of 299 is slower, the 99th percentile is
    /// not. The rarest stream of a load, often its commits, is judged by that after seconds instead of minutes.
    fn bound_few(&mut self, subject: &Subject<'_>, thresholds: &ThresholdSet) {
        if subject.source.is_some() {
            return;
        }
        for gap in std::mem::take(&mut self.gaps) {
            match bound_within_limit(&gap, subject, thresholds) {
                Some((stream, bounded, bands)) => {
                    self.add_bound(&gap.roles, stream, Figure::LatencyP99, bounded, bands);
                }
                None => self.gaps.push(gap),
            }
        }
    }

    /// Of a load whose latencies show its queue: none is judged.
    pub(crate) fn of_queue(subject: &Subject<'_>) -> Self {
        let why = WhyNotJudged::Queue(queue_of(subject));
        let gap = Gap { roles: Vec::new(), stream: None, statistic: None, why };
        Self { gaps: vec![gap], ..Self::default() }
    }

    fn of(subject: &Subject<'_>, all: Vec<OfRoles>, thresholds: &ThresholdSet) -> Self {
        let mut judgement = Self::default();
        for OfRoles { roles, streams, is_total } in all {
            if let [role] = roles[..]
                && !thresholds.judges_role(role)
            {
                let why = WhyNotJudged::NoLimits;
                judgement.gaps.push(Gap { roles, stream: None, statistic: None, why });
                continue;
            }
            for (stream, figures) in streams {
                let bounds_of =
                    |figure| subject.bounds_of(stream, figure).filter(|_| is_total).collect::<Vec<_>>();
                judgement.add_stream(&roles, stream, figures.as_ref(), &bounds_of, thresholds);
            }
        }
        judgement
    }

    fn add_stream(
        &mut self,
        roles: &[Role],
        stream: Stream,
        figures: Option<&Figures>,
        bounds_of: &dyn Fn(Figure) -> Vec<Bounded>,
        thresholds: &ThresholdSet,
    ) {
        let gap = |statistic, why| Gap { roles: roles.to_vec(), stream: Some(stream), statistic, why };
        let of_role = |role: &Role, statistic: Figure| thresholds.bands(*role, stream, statistic);
        // Of several roles one figure can only be judged where their bands are the same.
        let bands_of = |statistic: Figure| {
            let bands = of_role(roles.first()?, statistic)?;
            let is_same = |role| of_role(role, statistic).is_some_and(|other| other.judges_like(bands));
            roles.iter().all(is_same).then_some(bands)
        };
        let all: Vec<(Figure, &Bands)> = Figure::JUDGED
            .into_iter()
            .filter_map(|statistic| Some((statistic, bands_of(statistic)?)))
            .collect();
        if all.is_empty() {
            let has_any =
                |role| Figure::JUDGED.into_iter().any(|statistic| of_role(role, statistic).is_some());
            let is_mixed = roles.len() > 1 && roles.iter().any(has_any);
            let why = if is_mixed { WhyNotJudged::DifferentLimits } else { WhyNotJudged::NoLimits };
            return self.gaps.push(gap(None, why));
        }
        // Of an imported result the count may not be known; what its source tells is then taken as it is.
        let io_count = figures.map_or(Some(0), |figures| figures.io_count);
        if let Some(io_count) = io_count.filter(|count| *count < Figure::LatencyMean.least_io_count()) {
            // A missing p99.9 leaves no answer open.
            let needed = all.iter().filter(|(statistic, _)| *statistic != Figure::LatencyP999);
            let least_io_count = needed.map(|(statistic, _)| statistic.least_io_count()).max();
            let least_io_count = least_io_count.unwrap_or(Figure::LatencyMean.least_io_count());
            let roles = roles.to_vec();
            return self.starved.push(Starved::Stream { roles, stream, io_count, least_io_count });
        }
        for (statistic, bands) in all {
            let bounds = bounds_of(statistic);
            // Of both ends of a bucket at most one decides.
            let deciding = bounds.iter().find(|bounded| category_of_bound(**bounded, bands).is_some());
            if let Some(bounded) = deciding.or(bounds.first()) {
                self.add_bound(roles, stream, statistic, *bounded, bands);
                continue;
            }
            let value_us = figures.and_then(|figures| figures.get(statistic));
            let least_io_count = statistic.least_io_count();
            let too_few = io_count.filter(|count| *count < least_io_count);
            match value_us.filter(|_| too_few.is_none()) {
                Some(value_us) => self.judged.push(Judged {
                    role: roles[0],
                    further_roles: roles[1..].to_vec(),
                    stream,
                    devices: Vec::new(),
                    statistic,
                    value_us,
                    bound: None,
                    untouched: None,
                    is_open: false,
                    category: bands.category(value_us),
                    limit_us: bands.limit_us(),
                    shown_ms: rounded_ms(value_us, bands),
                }),
                None => {
                    let why = match too_few {
                        Some(io_count) => WhyNotJudged::TooFewIos { io_count, least_io_count },
                        None => WhyNotJudged::NotStated,
                    };
                    self.gaps.push(gap(Some(statistic), why));
                }
            }
        }
    }

    fn add_bound(
        &mut self,
        roles: &[Role],
        stream: Stream,
        statistic: Figure,
        bounded: Bounded,
        bands: &Bands,
    ) {
        let shown_ms = rounded_ms(bounded.value, bands);
        let Some(category) = category_of_bound(bounded, bands) else {
            let (relation, limit_us) = (bounded.relation, bands.limit_us());
            let why = WhyNotJudged::Undecided { relation, shown_ms, limit_us };
            let (roles, stream, statistic) = (roles.to_vec(), Some(stream), Some(statistic));
            return self.gaps.push(Gap { roles, stream, statistic, why });
        };
        self.judged.push(Judged {
            role: roles[0],
            further_roles: roles[1..].to_vec(),
            stream,
            devices: Vec::new(),
            statistic,
            value_us: bounded.value,
            bound: Some(bounded.relation),
            untouched: None,
            is_open: false,
            category,
            limit_us: bands.limit_us(),
            shown_ms,
        });
    }
}

/// The stream and the bands of a 99th percentile that has too few I/Os, and the bound that they put on it; `None` where that is not within
/// the limit.
fn bound_within_limit<'t>(
    gap: &Gap,
    subject: &Subject<'_>,
    thresholds: &'t ThresholdSet,
) -> Option<(Stream, Bounded, &'t Bands)> {
    let WhyNotJudged::TooFewIos { .. } = gap.why else { return None };
    let ([role], Some(stream), Some(Figure::LatencyP99)) = (&gap.roles[..], gap.stream, gap.statistic) else {
        return None;
    };
    let counts = stream.counts_of(subject, Some(*role));
    let io_count = counts.io_count();
    let within = io_count - most_beyond(io_count, 99.0)?;
    let value = percentile_us(&counts.total_latency, 100.0 * within as f64 / io_count as f64)?;
    let bounded = Bounded { relation: BoundRelation::AtMost, value };
    let bands = thresholds.bands(*role, stream, Figure::LatencyP99)?;
    category_of_bound(bounded, bands).map(|_| (stream, bounded, bands))
}

/// Where a latency is beyond its limit, the I/Os decide that the generator left alone, if there are enough of them; without them the answer
/// is open to doubts.
fn take_generator_out(judged: &mut Judged, subject: &Subject<'_>, thresholds: &ThresholdSet) {
    let (role, stream) = (judged.role, judged.stream);
    let bands = thresholds.bands(role, stream, judged.statistic);
    let (Some(bands), Some(statistic)) = (bands, statistic_of(judged.statistic)) else { return };
    if judged.is_acceptable() || subject.source.is_some() {
        return;
    }
    let counts = stream.counts_of(subject, Some(role));
    let latency = StreamLatency {
        counts: &counts,
        shown_us: judged.value_us,
        waiting_count: 0,
        is_open: is_open(subject, role),
        intervals_share: intervals_left_alone(subject, role, stream),
    };
    match latency.against(statistic, |us| bands.category(us) <= Category::Acceptable) {
        AgainstLimit::Holds | AgainstLimit::FailsSurely => {}
        AgainstLimit::Open => judged.is_open = true,
        AgainstLimit::HoldsUntouched(value_us, untouched)
        | AgainstLimit::FailsUntouched(value_us, untouched) => {
            judged.value_us = value_us;
            judged.shown_ms = rounded_ms(value_us, bands);
            judged.category = bands.category(value_us);
            judged.untouched = Some(untouched);
        }
    }
}

/// The streams that each role has, in the order of tables, with their figures. Where nobody said what a job stands for, it is
/// taken for data.
fn streams_by_role(subject: &Subject<'_>) -> Vec<OfRoles> {
    let has_any = |role: &Role| subject.jobs.iter().any(|job| role_of(job) == *role);
    let mut roles: Vec<Role> = Role::ALL.iter().copied().filter(has_any).collect();
    // What a source states of all jobs together belongs to a role only if they all do.
    let total = subject.stated_total.filter(|_| roles.len() <= 1).map(Ops::of_stated);
    if total.is_some() && roles.is_empty() {
        roles.push(Role::Data);
    }
    // Several roles of which none has figures of its own: those of all together are judged by the bands that they share.
    let has_own = || subject.jobs.iter().any(|job| job.ops.streams().next().is_some());
    if let (None, Some(stated)) = (total, subject.stated_total)
        && !has_own()
    {
        return of_all_roles(subject, stated, &roles);
    }
    let of_role = |role: Role| {
        let mine: Vec<&SubjectJob<'_>> = subject.jobs.iter().filter(|job| role_of(job) == role).collect();
        let parts: Vec<(Ops<'_>, Option<ByteSize>)> = match (total, mine.as_slice()) {
            (Some(total), [only]) => vec![(total, only.load.block_size())],
            (Some(total), _) => vec![(total, None)],
            (None, mine) => mine.iter().map(|job| (job.ops, job.load.block_size())).collect(),
        };
        let stated: Vec<StatedOps> = parts.iter().map(|(ops, size)| with_counts(ops, *size)).collect();
        let parts: Vec<Ops<'_>> =
            parts.iter().zip(&stated).map(|((ops, _), stated)| restated(ops, stated)).collect();
        let mut streams = match parts.as_slice() {
            [only] => Streams::of_ops(only),
            several => Streams::together(several),
        };
        if mine.iter().any(|job| job.ops.flushes_apart().is_some()) {
            // A write is durable when it is flushed: what is judged is the flush, and these latencies lack it.
            let has_commits = streams.commit.is_some();
            streams.write = streams.write.filter(|_| !has_commits).map(Figures::without_latencies);
        }
        if let Some(plan) = subject.plan {
            // What was planned and never came to be is missed, where a source that lacks it did not have it.
            let planned = judged_streams(plan, role).into_iter();
            let streams = planned.map(|stream| (stream, streams.get(stream).cloned())).collect();
            return OfRoles { roles: vec![role], streams, is_total: false };
        }
        // Writes that are all commits are judged as commits.
        if streams.commit.is_some() && !parts.iter().any(|ops| ops.has(Stream::Write)) {
            streams.write = None;
        }
        let is_total = total.is_some();
        if is_total {
            add_bounded(subject, &mut streams);
        }
        OfRoles { roles: vec![role], streams: told_streams(streams), is_total }
    };
    roles.into_iter().map(of_role).collect()
}

/// Of what was printed as a bound only, the other figures are not known.
fn add_bounded(subject: &Subject<'_>, streams: &mut Streams) {
    let unknown = |stream| subject.has_bound(stream).then(Figures::unknown);
    streams.read = streams.read.take().or_else(|| unknown(Stream::Read));
    streams.write = streams.write.take().or_else(|| unknown(Stream::Write));
    streams.all = streams.all.take().or_else(|| unknown(Stream::Mixed));
}

/// Those that are judged, in the order of tables.
fn told_streams(mut streams: Streams) -> RoleStreams {
    // Both at once say nothing new beside each of them.
    if streams.read.is_some() || streams.write.is_some() || streams.commit.is_some() {
        streams.all = None;
    }
    let there = |stream: &Stream| Some((*stream, Some(streams.get(*stream)?.clone())));
    Stream::ALL.iter().filter_map(there).collect()
}

/// The figures that a source states of all jobs together, each stream with the roles that have I/Os in it.
fn of_all_roles(subject: &Subject<'_>, stated: &StatedOps, roles: &[Role]) -> Vec<OfRoles> {
    let counted = with_counts(&Ops::of_stated(stated), None);
    let mut streams = Streams::of_ops(&Ops::of_stated(&counted));
    add_bounded(subject, &mut streams);
    let does = |role: &Role, stream: Stream| {
        let direction = match stream {
            Stream::Read => Some(Direction::Read),
            Stream::Write | Stream::Commit => Some(Direction::Write),
            Stream::Mixed => None,
        };
        subject.jobs.iter().any(|job| role_of(job) == *role && job.load.does(direction))
    };
    let of_stream = |(stream, figures): (Stream, Option<Figures>)| {
        let doing: Vec<Role> = roles.iter().copied().filter(|role| does(role, stream)).collect();
        // A direction that no load has is somebody's all the same.
        let roles = if doing.is_empty() { roles.to_vec() } else { doing };
        OfRoles { roles, streams: vec![(stream, figures)], is_total: true }
    };
    told_streams(streams).into_iter().map(of_stream).collect()
}

/// What a job stands for. Where nobody said so, it is taken for data.
fn role_of(job: &SubjectJob<'_>) -> Role {
    job.role.unwrap_or(Role::Data)
}

/// What is stated of them, with the number of I/Os where it is not stated and follows: from the bytes and their block size, else from the rate
/// and the time. It says which statistics enough I/Os carry, and is shown nowhere as stated.
fn with_counts(ops: &Ops<'_>, block_size: Option<ByteSize>) -> StatedOps {
    let counted = |facts: Option<Facts<'_>>| {
        let mut stream = facts?.stated()?.clone();
        stream.io_count = stream.io_count.or_else(|| derived_count(&stream, block_size));
        Some(stream)
    };
    StatedOps {
        read: counted(ops.read),
        write: counted(ops.write),
        all: counted(ops.all),
        sync: ops.sync.and_then(|facts| facts.stated().cloned()),
        trim: ops.trim.and_then(|facts| facts.stated().cloned()),
    }
}

/// The same with `stated` in place of what is stated. What was counted knows its number, and stays.
fn restated<'r>(ops: &Ops<'r>, stated: &'r StatedOps) -> Ops<'r> {
    let either = |facts: Option<Facts<'r>>, stated: Option<Facts<'r>>| {
        facts.filter(|facts| facts.counts().is_some()).or(stated)
    };
    let stated = Ops::of_stated(stated);
    Ops {
        read: either(ops.read, stated.read),
        write: either(ops.write, stated.write),
        commit: ops.commit,
        all: either(ops.all, stated.all),
        sync: either(ops.sync, stated.sync),
        trim: either(ops.trim, stated.trim),
        issued_when_due: ops.issued_when_due,
    }
}

/// `None` where neither is stated, and where nothing was done.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and what is not above zero is left out"
)]
fn derived_count(stream: &StatedStream, block_size: Option<ByteSize>) -> Option<u64> {
    let of_bytes = || stream.bytes?.checked_div(block_size?.get());
    let of_rate = || Some((stream.iops?.value * stream.runtime_s?.value).round() as u64);
    of_bytes().or_else(of_rate).filter(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use iotrial_model::imported::TablePlace;
    use iotrial_model::table::PublishedTable;
    use iotrial_model::verdict::DoubtKind;

    use super::*;
    use crate::verdict::{Basis, Outcome, judge};

    fn of_run(record: &iotrial_model::record::RunRecord, set: &ThresholdSet) -> Judgement {
        Judgement::new(&Subject::of_run(record), set)
    }

    #[test]
    fn less_than_a_second_is_not_judged_and_a_second_is() {
        let set = ThresholdSet::builtin("flash").unwrap();
        let mut record = crate::test_record::measured(1, |_| 16_000);
        assert!(!of_run(&record, &set).judged.is_empty());
        record.intervals[0].duration = Duration::from_millis(500);
        let judgement = of_run(&record, &set);
        assert!(judgement.judged.is_empty());
        assert_eq!(judgement.starved, [Starved::Time { measured_s: 0.5 }]);
        let subject = Subject::of_run(&record);
        let is_short = |measured: Duration, subject: &Subject<'_>| {
            let subject = Subject { measured: Some(measured), ..subject.clone() };
            !Judgement::new(&subject, &set).starved.is_empty()
        };
        let shortest = SHORTEST_JUDGED - CLOCK_SLACK;
        assert!(!is_short(shortest, &subject) && is_short(shortest - Duration::from_nanos(1), &subject));
        // What a source measured is taken as it is.
        let imported = crate::test_record::imported();
        let source = Subject { source: Some(&imported.source), ..subject };
        assert!(!is_short(Duration::from_millis(500), &source));
    }

    #[test]
    fn a_bound_has_a_category_where_its_side_of_the_limit_is_sure() {
        let set = ThresholdSet::builtin("oci-sqlserver").unwrap();
        let bands = set.bands(Role::Data, Stream::Read, Figure::LatencyMean).unwrap();
        let of = |relation, value: f64| category_of_bound(Bounded { relation, value }, bands);
        // Good below 2 ms, acceptable below 5, poor below 10, critical below 20.
        assert_eq!(of(BoundRelation::Below, 2_000.0), Some(Category::Good));
        assert_eq!(of(BoundRelation::AtMost, 2_000.0), Some(Category::Acceptable));
        assert_eq!(of(BoundRelation::Below, 5_000.0), Some(Category::Acceptable));
        assert_eq!((of(BoundRelation::AtMost, 5_000.0), of(BoundRelation::Below, 5_001.0)), (None, None));
        assert_eq!(of(BoundRelation::AtLeast, 5_000.0), Some(Category::Poor));
        assert_eq!(of(BoundRelation::Above, 10_000.0), Some(Category::Critical));
        assert_eq!(of(BoundRelation::Above, 5_000.0_f64.next_down()), Some(Category::Poor));
        assert_eq!(of(BoundRelation::AtLeast, 5_000.0_f64.next_down()), None);
        assert_eq!(of(BoundRelation::Above, 4_000.0), None);
        assert_eq!(of(BoundRelation::About, 100.0), None);
    }

    #[test]
    fn the_number_of_ios_follows_from_their_bytes_or_from_the_rate_and_the_time() {
        use iotrial_model::imported::Stated;
        let of = |bytes: Option<u64>, iops: Option<f64>, seconds: f64, size: Option<ByteSize>| {
            let stream = StatedStream {
                bytes,
                iops: iops.map(Stated::exact),
                runtime_s: Some(Stated::exact(seconds)),
                ..StatedStream::default()
            };
            derived_count(&stream, size)
        };
        let size = Some(ByteSize::kib(8));
        assert_eq!(of(Some(81_920), Some(500.0), 10.0, size), Some(10));
        assert_eq!(of(Some(81_920), Some(99.97), 10.0, None), Some(1_000));
        assert_eq!(of(None, Some(99.94), 10.0, size), Some(999));
        assert_eq!((of(Some(8_191), None, 10.0, size), of(None, Some(0.0), 10.0, size)), (None, None));
        assert_eq!(of(Some(8_192), None, 10.0, size), Some(1));
    }

    #[test]
    fn both_directions_at_once_are_judged_only_where_neither_is_there_alone() {
        let streams = |present: &[Stream]| -> Vec<Stream> {
            let has = |stream| present.contains(&stream).then(Figures::unknown);
            let streams = Streams {
                read: has(Stream::Read),
                write: has(Stream::Write),
                commit: has(Stream::Commit),
                all: has(Stream::Mixed),
            };
            told_streams(streams).into_iter().map(|(stream, _)| stream).collect()
        };
        assert_eq!(streams(&[Stream::Mixed]), [Stream::Mixed]);
        for one in [Stream::Read, Stream::Write, Stream::Commit] {
            assert_eq!(streams(&[one, Stream::Mixed]), [one]);
        }
    }

    #[test]
    fn of_writes_whose_flushes_are_timed_apart_the_flushes_are_judged() {
        use iotrial_model::imported::{ImportedJob, Stated, StatedLatency};
        let with = |flush_us: Option<f64>| {
            let mean =
                |us: f64| StatedLatency { mean_us: Some(Stated::exact(us)), ..StatedLatency::default() };
            let stream = |us: f64| StatedStream {
                io_count: Some(100_000),
                total_latency: mean(us),
                ..StatedStream::default()
            };
            let ops =
                StatedOps { write: Some(stream(500.0)), sync: flush_us.map(stream), ..StatedOps::default() };
            let mut record = crate::test_record::imported();
            record.jobs.push(ImportedJob { role: Some(Role::Data), ops, ..ImportedJob::default() });
            let set = ThresholdSet::builtin("oci-sqlserver").unwrap();
            let Judgement { judged, gaps, .. } = Judgement::new(&Subject::of_imported(&record), &set);
            let judged = judged.iter().map(|one| (one.stream, one.value_us)).collect::<Vec<_>>();
            (judged, gaps.into_iter().map(|gap| gap.why).collect::<Vec<_>>())
        };
        assert_eq!(with(None), (vec![(Stream::Write, 500.0)], Vec::new()));
        assert_eq!(with(Some(700.0)), (vec![(Stream::Commit, 700.0)], Vec::new()));
    }

    #[test]
    fn a_bound_is_judged_where_it_decides_and_leaves_the_question_open_where_it_does_not() {
        let check = |figures: &str, limit: &str, outcome: Outcome, shown_ms: f64| {
            let table =
                format!("format = \"iotrial.table/1\"\ntitle = \"T\"\n[[row]]\nid = \"A\"\n{figures}\n");
            let table = PublishedTable::parse(&table).unwrap();
            let records = table.records(&TablePlace::default());
            let set = ThresholdSet::parse(&format!(
                "format = \"iotrial.thresholds/1\"\nname = \"own\"\ntitle = \"Own\"\n[[bands]]\nroles = [\"data\"]\nsource = \"me\"\nmean = {{ good_below = \"0.1ms\", acceptable_below = \"{limit}\" }}\n"
            ))
            .unwrap();
            let verdict = judge(&Subject::of_imported(&records[0]), &[], &set);
            assert_eq!(verdict.outcome, outcome, "{:?}", verdict.basis);
            let Basis::Run(ruling) = verdict.basis else { panic!("{:?}", verdict.basis) };
            match outcome {
                Outcome::Inconclusive => {
                    let WhyNotJudged::Undecided { shown_ms: shown, .. } = ruling.gaps[0].why else {
                        panic!("{:?}", ruling.gaps)
                    };
                    assert_eq!(shown, shown_ms);
                    assert_eq!(ruling.doubts[0].kind, DoubtKind::Undecided(ruling.gaps[0].clone()));
                }
                _ => assert_eq!(ruling.worst().unwrap().shown_ms, shown_ms),
            }
        };
        let below = "read = { lat_mean_us = \"< 1000\" }";
        check(below, "2ms", Outcome::Qualified, 1.0);
        check(below, "1ms", Outcome::Qualified, 1.0);
        check(below, "0.5ms", Outcome::Inconclusive, 1.0);
        let most = "read = { lat_mean_us = \"<= 1000\" }";
        check(most, "1ms", Outcome::Inconclusive, 1.0);
        let above = "read = { lat_mean_us = \"> 5000\" }";
        check(above, "2ms", Outcome::NotQualified, 5.0);
        check(above, "9ms", Outcome::Inconclusive, 5.0);
        check("read = { lat_mean_us = \"~10\" }", "9ms", Outcome::Inconclusive, 0.01);
        // What is too slow for sure is, whatever a bound leaves open.
        let both = format!("{below}\nwrite = {{ lat_mean_us = 900 }}");
        check(&both, "0.5ms", Outcome::NotQualified, 0.9);
    }

    #[test]
    fn figures_of_several_roles_together_are_judged_where_all_have_the_same_bands() {
        let text = "format = \"iotrial.table/1\"\ntitle = \"T\"\n[[job]]\nname = \"d\"\nrole = \"data\"\nread_percent = 70\n[[job]]\nname = \"l\"\nrole = \"log\"\nread_percent = 0\n[[row]]\nid = \"A\"\nread = { lat_mean_us = 1072.5 }\nwrite = { lat_mean_us = \"< 1000\" }\n";
        let records = PublishedTable::parse(text).unwrap().records(&TablePlace::default());
        let judged = |set: &str| {
            let set = ThresholdSet::builtin(set).unwrap();
            judge(&Subject::of_imported(&records[0]), &[], &set)
        };
        let verdict = judged("oci-sqlserver");
        let roles: Vec<usize> = verdict.judged.iter().map(|one| one.roles().len()).collect();
        assert_eq!(roles, [1, 2]);
        assert_eq!(verdict.judged[1].further_roles, [Role::Log]);
        assert_eq!(verdict.outcome, Outcome::Qualified, "{:?}", verdict.basis);
        // Bands of data for reads, and none that both have for writes.
        let verdict = judged("flash");
        assert_eq!(verdict.judged.len(), 1, "{:?}", verdict.basis);
        let Basis::Run(ruling) = verdict.basis else { panic!("{:?}", verdict.basis) };
        let [.., gap] = &ruling.gaps[..] else { panic!("{:?}", ruling.gaps) };
        assert_eq!((&gap.roles[..], gap.stream), (&[Role::Data, Role::Log][..], Some(Stream::Write)));
        assert_eq!(gap.why, WhyNotJudged::DifferentLimits);
    }

    #[test]
    fn latencies_have_three_digits_and_more_where_they_would_mislead() {
        let flash = ThresholdSet::builtin("oci-sqlserver").unwrap();
        let bands = flash.bands(Role::Data, Stream::Read, Figure::LatencyMean).unwrap();
        let check = |us: f64, ms: f64| assert_eq!(rounded_ms(us, bands), ms);
        check(8.4, 0.008);
        check(85.0, 0.085);
        check(850.0, 0.85);
        check(2_876.0, 2.88);
        check(62_149.0, 62.1);
        check(18_171_420.0, 18_171.0);
        check(24_002.6, 24.0);
        check(4_999.0, 4.999);
        check(5_000.0, 5.0);
        check(5_001.0, 5.001);
        check(999.9, 0.9999);
    }
}
