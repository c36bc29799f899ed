//! Figures held against bands: which of them can be judged, and where they fall.

use std::time::Duration;

use iotrial_model::figure::Figure;
use iotrial_model::imported::{StatedOps, StatedStream};
use iotrial_model::load::Role;
use iotrial_model::stream::Stream;
use iotrial_model::subject::{Facts, Ops, Subject, SubjectJob};
use iotrial_model::units::ByteSize;
use iotrial_model::words::enumerate;
use serde::{Serialize, Serializer};

use crate::device_part::DevicePart;
use crate::figures::Figures;
use crate::stream::Streams;
use crate::threshold::{Bands, Category, ThresholdSet};
use crate::words::seconds_in_words;

/// One figure held against its bands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// What the I/Os stand for.
    pub role: Role,
    /// Of which stream.
    pub stream: Stream,
    /// Kernel names of the devices of the role, where it has some that no other one has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// Which of its figures.
    #[serde(serialize_with = "as_title")]
    pub statistic: Figure,
    /// The latency that was held against its bands.
    pub value_us: f64,
    /// Where it falls.
    pub category: Category,
    /// From here on it is no longer acceptable.
    pub limit_us: f64,
    /// The figure for people, with its unit.
    #[serde(skip)]
    pub shown: String,
}

/// JSON has the word for people: the key of a statistic with its unit would say `us` twice beside `value_us`.
fn as_title<S: Serializer>(figure: &Figure, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(figure.title())
}

impl Judged {
    /// The words for the stream: `log commits`, or `log commits on sdb`.
    pub(crate) fn stream_words(&self) -> String {
        format!("{} {}s{}", self.role, self.stream, self.on())
    }

    /// ` on sdb`, where the role has devices of its own.
    fn on(&self) -> String {
        if self.devices.is_empty() { String::new() } else { format!(" on {}", enumerate(&self.devices)) }
    }

    /// How much of what is acceptable is used up; 1 is the limit.
    fn share_of_limit(&self) -> f64 {
        self.value_us / self.limit_us
    }

    pub(crate) fn is_acceptable(&self) -> bool {
        self.category <= Category::Acceptable
    }

    /// The figure in one clause, for the list of reasons.
    pub(crate) fn reason(&self) -> String {
        let Self { role, stream, statistic, category, shown, .. } = self;
        let limit = format_limit(self.limit_us);
        let on = self.on();
        format!("{role} {stream} {statistic}{on} is {shown}: {category} (acceptable below {limit})")
    }
}

/// The worst first: by category, within one by how much of what is acceptable is used up.
pub(crate) fn by_weight(judged: &[Judged]) -> Vec<&Judged> {
    let mut all: Vec<&Judged> = judged.iter().collect();
    all.sort_by(|a, b| b.category.cmp(&a.category).then(b.share_of_limit().total_cmp(&a.share_of_limit())));
    all
}

/// A latency for people, to three digits: `0.085 ms`, `0.85 ms`, `6.34 ms`, `62.1 ms`.
///
/// What would read as another category than it is, or as the limit without being it, gets more: 4.999 ms must not
/// read as 5 ms where a band begins there.
fn format_latency(us: f64, bands: &Bands) -> String {
    let ms = us / 1_000.0;
    let decimals: i32 = match ms {
        ..1.0 => 3,
        ..10.0 => 2,
        _ => 1,
    };
    let factor = 10f64.powi(decimals);
    let rounded = (ms * factor).round() / factor;
    let rounded_us = rounded * 1_000.0;
    let misleads = bands.category(rounded_us) != bands.category(us)
        || (rounded_us == bands.limit_us() && us != bands.limit_us());
    // Half a nanosecond makes up for what binary fractions lack of a decimal one.
    let shown = if misleads { ((ms + 5e-7) * 1e4).floor() / 1e4 } else { rounded };
    format!("{shown} ms")
}

/// A limit as it stands in the threshold file: `50 ms`, `0.5 ms`.
pub(crate) fn format_limit(us: f64) -> String {
    format!("{} ms", us / 1_000.0)
}

/// Something that the set judges, or should, and that could not be judged.
pub(crate) struct Gap {
    /// For the sentence: `p99.9 of log commits`.
    pub(crate) words: String,
    /// For the list of reasons.
    pub(crate) reason: String,
    /// Whether the set would judge it, and the source does not state it.
    pub(crate) is_unstated: bool,
    /// Which figure has too few I/Os behind it; `None` where that is not why.
    pub(crate) lacks: Option<Figure>,
    /// How many there are, where that is known.
    pub(crate) io_count: Option<u64>,
    /// How many it needs.
    pub(crate) least_io_count: u64,
}

impl Gap {
    /// Something that the set has no bands for.
    fn without_bands(words: String, reason: String) -> Self {
        Self { words, reason, is_unstated: false, lacks: None, io_count: None, least_io_count: 0 }
    }
}

/// The streams that a role has, with their figures where there are any.
pub(crate) type RoleStreams = Vec<(Stream, Option<Figures>)>;

/// In less time a single pause of the device or of the host decides every figure.
const SHORTEST_JUDGED: Duration = Duration::from_secs(1);
/// A phase may come out shorter by what the clock was read early.
const CLOCK_SLACK: Duration = Duration::from_millis(20);

/// What was held against the bands.
#[derive(Default)]
pub(crate) struct Judgement {
    pub(crate) judged: Vec<Judged>,
    pub(crate) gaps: Vec<Gap>,
    /// Streams with hardly any I/O.
    pub(crate) starved: Vec<String>,
}

impl Judgement {
    /// Holds every figure that the set judges, and that enough I/Os carry, against its bands.
    pub(crate) fn new(subject: &Subject<'_>, thresholds: &ThresholdSet) -> Self {
        let measured = subject.measured.filter(|measured| !measured.is_zero());
        // A source may time less than it counts, so that its figures are taken as they are.
        let is_short =
            |measured: &Duration| subject.source.is_none() && *measured + CLOCK_SLACK < SHORTEST_JUDGED;
        if let Some(measured) = measured.filter(is_short) {
            let measured = seconds_in_words(measured.as_secs_f64());
            let starved = format!("only {measured} were measured, and less than a second is not judged");
            return Self { starved: vec![starved], ..Self::default() };
        }
        let mut judgement = Self::of(streams_by_role(subject), thresholds);
        let parts = DevicePart::all(subject);
        for one in &mut judgement.judged {
            let mine = parts.iter().filter(|part| part.roles == [one.role]);
            one.devices = mine.flat_map(|part| part.devices.clone()).collect();
        }
        judgement
    }

    /// The streams that each role has.
    fn of(roles: impl IntoIterator<Item = (Role, RoleStreams)>, thresholds: &ThresholdSet) -> Self {
        let mut judgement = Self::default();
        for (role, streams) in roles {
            if !thresholds.judges_role(role) {
                let reason = format!("{role} is not judged: {} has no bands for it", thresholds.name);
                judgement.gaps.push(Gap::without_bands(role.to_string(), reason));
                continue;
            }
            for (stream, figures) in streams {
                judgement.add_stream(role, stream, figures.as_ref(), thresholds);
            }
        }
        judgement
    }

    fn add_stream(
        &mut self,
        role: Role,
        stream: Stream,
        figures: Option<&Figures>,
        thresholds: &ThresholdSet,
    ) {
        let words = format!("{role} {stream}s");
        let all: Vec<(Figure, &Bands)> = Figure::JUDGED
            .into_iter()
            .filter_map(|statistic| Some((statistic, thresholds.bands(role, stream, statistic)?)))
            .collect();
        if all.is_empty() {
            let reason = format!("{words} are not judged: {} has no bands for them", thresholds.name);
            self.gaps.push(Gap::without_bands(words, reason));
            return;
        }
        // Of an imported result the count may not be known; what its source tells is then taken as it is.
        let io_count = figures.map_or(Some(0), |figures| figures.io_count);
        if let Some(io_count) = io_count.filter(|count| *count < Figure::LatencyMean.least_io_count()) {
            self.starved.push(format!("only {io_count} {words} finished, too few to judge"));
            return;
        }
        for (statistic, bands) in all {
            let value_us = figures.and_then(|figures| figures.get(statistic));
            let least = statistic.least_io_count();
            let too_few = io_count.filter(|count| *count < least);
            match value_us.filter(|_| too_few.is_none()) {
                Some(value_us) => self.judged.push(Judged {
                    role,
                    stream,
                    devices: Vec::new(),
                    statistic,
                    value_us,
                    category: bands.category(value_us),
                    limit_us: bands.limit_us(),
                    shown: format_latency(value_us, bands),
                }),
                None => {
                    let why = too_few.map_or_else(
                        || "the source does not state it".to_owned(),
                        |count| format!("{count} I/Os are fewer than {least}"),
                    );
                    self.gaps.push(Gap {
                        words: format!("{statistic} of {words}"),
                        reason: format!("{statistic} of {words} is not judged: {why}"),
                        is_unstated: too_few.is_none(),
                        lacks: too_few.map(|_| statistic),
                        io_count,
                        least_io_count: least,
                    });
                }
            }
        }
    }
}

/// The streams that each role has, in the order of tables, with their figures. Where nobody said what a job stands for, it is
/// taken for data.
fn streams_by_role(subject: &Subject<'_>) -> Vec<(Role, RoleStreams)> {
    let role_of = |job: &SubjectJob<'_>| job.role.unwrap_or(Role::Data);
    let has_any = |role: &Role| subject.jobs.iter().any(|job| role_of(job) == *role);
    let mut roles: Vec<Role> = Role::ALL.iter().copied().filter(has_any).collect();
    // What a source states of all jobs together belongs to a role only if they all do.
    let total = subject.stated_total.filter(|_| roles.len() <= 1).map(Ops::of_stated);
    if total.is_some() && roles.is_empty() {
        roles.push(Role::Data);
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
            // A write is durable when it is flushed, and how long that took is not in these latencies.
            streams.write = streams.write.map(Figures::without_latencies);
        }
        if let Some(plan) = subject.plan {
            // What was planned and never came to be is missed, where a source that lacks it did not have it.
            let planned = Stream::planned(plan, |job| plan.jobs[job].role == role).into_iter();
            return (role, planned.map(|stream| (stream, streams.get(stream).cloned())).collect());
        }
        // Writes that are all commits are judged as commits.
        if streams.commit.is_some() && !parts.iter().any(|ops| ops.has(Stream::Write)) {
            streams.write = None;
        }
        // Both at once say nothing new beside each of them.
        if streams.read.is_some() || streams.write.is_some() || streams.commit.is_some() {
            streams.all = None;
        }
        let there =
            Stream::ALL.iter().filter_map(|stream| Some((*stream, Some(streams.get(*stream)?.clone()))));
        (role, there.collect())
    };
    roles.into_iter().map(of_role).collect()
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
    use super::*;

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
        assert_eq!(judgement.starved, ["only 500 ms were measured, and less than a second is not judged"]);
    }

    #[test]
    fn latencies_have_three_digits_and_more_where_they_would_mislead() {
        let flash = ThresholdSet::builtin("oci-sqlserver").unwrap();
        let bands = flash.bands(Role::Data, Stream::Read, Figure::LatencyMean).unwrap();
        let check = |us: f64, text: &str| assert_eq!(format_latency(us, bands), text);
        check(8.4, "0.008 ms");
        check(85.0, "0.085 ms");
        check(850.0, "0.85 ms");
        check(2_876.0, "2.88 ms");
        check(62_149.0, "62.1 ms");
        check(24_002.6, "24 ms");
        check(4_999.0, "4.999 ms");
        check(5_000.0, "5 ms");
        check(5_001.0, "5.001 ms");
        check(999.9, "0.9999 ms");
        assert_eq!(format_limit(500.0), "0.5 ms");
    }
}
