//! Figures held against bands: which of them can be judged, and where they fall.

use std::time::Duration;

use iotrial_model::bound::{Amount, BoundRelation, Bounded};
use iotrial_model::figure::Figure;
use iotrial_model::imported::{StatedOps, StatedStream};
use iotrial_model::load::Role;
use iotrial_model::stream::Stream;
use iotrial_model::subject::{Facts, Ops, Subject, SubjectJob};
use iotrial_model::units::ByteSize;
use serde::{Serialize, Serializer};

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
    /// Which of its figures.
    #[serde(serialize_with = "as_title")]
    pub statistic: Figure,
    /// The latency that was held against its bands; of a bound its number.
    pub value_us: f64,
    /// On which side of that number it is, where only a bound is known. The category is then the worst one that it may have
    /// below the number, and the best one above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundRelation>,
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
    /// The latency, or the bound.
    pub fn amount(&self) -> Amount {
        let value = self.value_us;
        self.bound.map_or(Amount::Exact(value), |relation| Amount::Bounded(Bounded { relation, value }))
    }

    /// The words for the stream: `log commits`.
    pub(crate) fn stream_words(&self) -> String {
        format!("{} {}s", self.role, self.stream)
    }

    /// How much of what is acceptable is used up; 1 is the limit.
    fn share_of_limit(&self) -> f64 {
        self.value_us / self.limit_us
    }

    pub(crate) fn is_acceptable(&self) -> bool {
        self.category <= Category::Acceptable
    }

    /// The word for the category; of a bound also in which direction it may be another one.
    pub(crate) fn category_words(&self) -> String {
        let ends = [Category::Excellent, Category::Unsustainable];
        match self.bound {
            Some(_) if ends.contains(&self.category) => self.category.to_string(),
            Some(BoundRelation::Below | BoundRelation::AtMost) => format!("{} or better", self.category),
            Some(_) => format!("{} or worse", self.category),
            None => self.category.to_string(),
        }
    }

    /// The figure in one clause, for the list of reasons.
    pub(crate) fn reason(&self) -> String {
        let Self { role, stream, statistic, shown, .. } = self;
        let (category, limit) = (self.category_words(), format_limit(self.limit_us));
        format!("{role} {stream} {statistic} is {shown}: {category} (acceptable below {limit})")
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
    /// Whether a bound is known that lies on both sides of the limit.
    pub(crate) is_undecided: bool,
}

impl Gap {
    /// Something that the set has no bands for.
    fn without_bands(words: String, reason: String) -> Self {
        Self {
            words,
            reason,
            is_unstated: false,
            lacks: None,
            io_count: None,
            least_io_count: 0,
            is_undecided: false,
        }
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
        Self::of(subject, streams_by_role(subject), thresholds)
    }

    /// The streams that each role has.
    fn of(subject: &Subject<'_>, roles: Vec<(Role, RoleStreams)>, thresholds: &ThresholdSet) -> Self {
        let mut judgement = Self::default();
        let is_of_all = subject.stated_total.is_some() && roles.len() == 1;
        for (role, streams) in roles {
            if !thresholds.judges_role(role) {
                let reason = format!("{role} is not judged: {} has no bands for it", thresholds.name);
                judgement.gaps.push(Gap::without_bands(role.to_string(), reason));
                continue;
            }
            for (stream, figures) in streams {
                // Bounds are of all jobs together.
                let bound_of = |figure| subject.bound_of(stream, figure).filter(|_| is_of_all);
                judgement.add_stream(role, stream, figures.as_ref(), &bound_of, thresholds);
            }
        }
        judgement
    }

    fn add_stream(
        &mut self,
        role: Role,
        stream: Stream,
        figures: Option<&Figures>,
        bound_of: &dyn Fn(Figure) -> Option<Bounded>,
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
            if let Some(bounded) = bound_of(statistic) {
                self.add_bound(role, stream, statistic, bounded, bands);
                continue;
            }
            let value_us = figures.and_then(|figures| figures.get(statistic));
            let least = statistic.least_io_count();
            let too_few = io_count.filter(|count| *count < least);
            match value_us.filter(|_| too_few.is_none()) {
                Some(value_us) => self.judged.push(Judged {
                    role,
                    stream,
                    statistic,
                    value_us,
                    bound: None,
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
                        is_undecided: false,
                    });
                }
            }
        }
    }

    fn add_bound(&mut self, role: Role, stream: Stream, statistic: Figure, bounded: Bounded, bands: &Bands) {
        let sign = bounded.relation.sign();
        let shown = format!("{sign} {}", format_latency(bounded.value, bands));
        let Some(category) = category_of_bound(bounded, bands) else {
            let words = format!("{statistic} of {role} {stream}s");
            let limit = format_limit(bands.limit_us());
            let reason =
                format!("{words} is only known as {shown}, which does not say whether it is below {limit}");
            let gap = Gap::without_bands(words, reason);
            return self.gaps.push(Gap { is_undecided: true, ..gap });
        };
        self.judged.push(Judged {
            role,
            stream,
            statistic,
            value_us: bounded.value,
            bound: Some(bounded.relation),
            category,
            limit_us: bands.limit_us(),
            shown,
        });
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
        // Of what was printed as a bound only, the other figures are not known.
        if total.is_some() {
            let unknown = |stream| subject.has_bound(stream).then(Figures::unknown);
            streams.read = streams.read.or_else(|| unknown(Stream::Read));
            streams.write = streams.write.or_else(|| unknown(Stream::Write));
            streams.all = streams.all.or_else(|| unknown(Stream::Mixed));
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
    use iotrial_model::imported::TablePlace;
    use iotrial_model::table::PublishedTable;

    use super::*;
    use crate::verdict::{Outcome, judge};

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
    fn a_bound_is_judged_where_it_decides_and_leaves_the_question_open_where_it_does_not() {
        let check = |figures: &str, limit: &str, outcome: Outcome, words: &str| {
            let table =
                format!("format = \"iotrial.table/1\"\ntitle = \"T\"\n[[row]]\nid = \"A\"\n{figures}\n");
            let table = PublishedTable::parse(&table).unwrap();
            let records = table.records(&TablePlace::default());
            let set = ThresholdSet::parse(&format!(
                "format = \"iotrial.thresholds/1\"\nname = \"own\"\ntitle = \"Own\"\n[[bands]]\nroles = [\"data\"]\nsource = \"me\"\nmean = {{ good_below = \"0.1ms\", acceptable_below = \"{limit}\" }}\n"
            ))
            .unwrap();
            let verdict = judge(&Subject::of_imported(&records[0]), &[], &set);
            assert_eq!(verdict.outcome, outcome, "{}", verdict.sentence);
            assert!(verdict.sentence.contains(words), "{}", verdict.sentence);
        };
        let below = "read = { lat_mean_us = \"< 1000\" }";
        check(below, "2ms", Outcome::Qualified, "data read mean at < 1 ms (acceptable or better)");
        check(below, "1ms", Outcome::Qualified, "data read mean at < 1 ms (acceptable or better)");
        let open =
            "mean of data reads is only known as < 1 ms, which does not say whether it is below 0.5 ms";
        check(below, "0.5ms", Outcome::Inconclusive, open);
        let most = "read = { lat_mean_us = \"<= 1000\" }";
        check(most, "1ms", Outcome::Inconclusive, "only known as ≤ 1 ms");
        let above = "read = { lat_mean_us = \"> 5000\" }";
        check(above, "2ms", Outcome::NotQualified, "a mean of > 5 ms, above the acceptable 2 ms");
        check(above, "9ms", Outcome::Inconclusive, "only known as > 5 ms");
        check("read = { lat_mean_us = \"~10\" }", "9ms", Outcome::Inconclusive, "only known as ≈ 0.01 ms");
        // What is too slow for sure is, whatever a bound leaves open.
        let both = format!("{below}\nwrite = {{ lat_mean_us = 900 }}");
        check(&both, "0.5ms", Outcome::NotQualified, "data writes have a mean of 0.9 ms");
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
