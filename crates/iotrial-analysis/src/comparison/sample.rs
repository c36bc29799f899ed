//! A sample: one run of one configuration, or one result as its source states it, with what has to agree for a comparison to
//! be fair.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use iotrial_bootstrap::{Spread, Unit, Units};
use iotrial_model::bound::{BoundRelation, Bounded};
use iotrial_model::content::digest_of_toml;
use iotrial_model::figure::{CpuFigure, Figure};
use iotrial_model::finding::{Caveat, Contradiction, Finding, FindingId, Severity};
use iotrial_model::gate::Spoilt;
use iotrial_model::host_fact::HostReport;
use iotrial_model::imported::{StatedBound, TablePlace};
use iotrial_model::load::Role;
use iotrial_model::metric::{Metric, MetricKey};
use iotrial_model::plan::Plan;
use iotrial_model::record::{AttributeValue, EndedHow, Interval, OpCounts, RunRecord};
use iotrial_model::stream::{Stream, StreamOf};
use iotrial_model::subject::{CpuTime, Facts, Subject};
use iotrial_model::table::PublishedTable;
use serde::{Serialize, Serializer};

use super::capacity::Found;
use super::circumstances::Circumstances;
use super::conditions::{Conditions, Taken, load_of_jobs};
use super::host_difference::telling;
use super::offsets::Offsets;
use super::shape::{LoadShape, ShapedLoad};
use crate::contradiction::contradictions;
use crate::figures::Figures;
use crate::findings::findings;
use crate::latency_course::LatencyCourse;
use crate::stream::Streams;
use crate::threshold::ThresholdSet;
use crate::verdict::{self, Category, Verdict, judge};

/// One run of one configuration, or one printed row.
///
/// A sample is much smaller than its record: the intervals are gone, and what they tell about the spread is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Where it comes from, for messages: a path, or a row of a table.
    pub source: String,
    /// Id of the record or of the row.
    pub id: String,
    /// Under what it was measured: the profile, or the title of a table.
    pub subject: String,
    /// What the configuration is called.
    pub label: Option<String>,
    /// The key of its configuration, where that has to be the same in several comparisons.
    pub(super) key: Option<String>,
    /// What to show instead where nobody gave it a name: of another tool's result its job or its file.
    pub(super) title: Option<String>,
    /// What distinguishes the configuration.
    pub attributes: BTreeMap<String, AttributeValue>,
    pub(super) conditions: Conditions,
    /// How the generator worked: what may differ, and is told.
    pub(super) generator: Conditions,
    /// Where the offsets of its random I/O come from; `None` where that is not known.
    pub(super) offsets: Option<Offsets>,
    /// What the reader should know about its figures.
    pub(super) caveats: Vec<Caveat>,
    /// Where, under what load, when and by what.
    pub(super) circumstances: Circumstances,
    /// What was read of the host before the load, as far as it can make a difference.
    pub(super) host: Option<Box<HostReport>>,
    /// CPU time of all CPUs that the hypervisor took, in percent; `None` where that was not counted.
    pub(super) steal_percent: Option<f64>,
    /// In what its figures contradict each other.
    pub(super) contradictions: Vec<Contradiction>,
    /// The slowest I/O of each stream, in µs.
    pub(super) worst_io_us: Vec<(Stream, f64)>,
    /// The highest rate within the limits, where it searched for it and knows.
    pub(super) found: Option<Found>,
    /// Why its figures are those of a part of the load only: it did not end as planned, or I/Os failed.
    pub(super) spoilt: Option<Spoilt>,
    /// Whether it searched for a rate.
    pub(super) has_searched: bool,
    /// The role of all its jobs, where they have one.
    pub(super) only_role: Option<Role>,
    /// Whether a search chose the rate of its load.
    pub(super) is_at_own_rate: bool,
    /// What its verdict says, where somebody judged it.
    pub(super) outcome: Option<Outcome>,
    /// Whether it is a printed row, which has no repeats.
    pub(super) is_printed: bool,
    /// Figures as a source states them, each with the load where the configuration has several; none where iotrial counted.
    pub(super) stated: Vec<(Metric, f64)>,
    /// The profile of its load, where it has one.
    pub(super) profile: Option<NamedContent>,
    /// What is known only as a bound, with the load as above.
    pub(super) bounds: Vec<(Metric, Bounded)>,
    /// What iotrial counted; `None` where a source states figures instead.
    // The one difference that is left between results. Counts of several runs can be merged and drawn again, so that their
    // figures and how uncertain these are can only be computed when all runs are known. A stated figure can only be taken.
    pub(super) counted: Option<Box<Counted>>,
    /// The load with its roles, as far as it is stated; `None` where iotrial counted, whose runs have to agree in it.
    load: Option<String>,
    /// The same as numbers, where it is one kind of I/O.
    shape: Option<LoadShape>,
    pub(super) is_one_of_several_loads: bool,
}

/// A document that a result names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedContent {
    /// As it is shown.
    pub(super) name: String,
    /// The digest of what it says.
    pub(super) sha256: String,
}

/// What a verdict says of a run, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// `qualified`, `inconclusive`, `not qualified` or `not judged`.
    pub word: String,
    /// The worst category of all that was judged.
    pub category: Option<Category>,
    /// The threshold set that judged.
    pub thresholds: String,
    /// The digest of what it says.
    pub thresholds_sha256: String,
    /// How many runs of the configuration it says this of.
    pub run_count: usize,
}

impl Outcome {
    fn of(verdict: &Verdict) -> Self {
        Self {
            word: verdict.word().to_owned(),
            category: verdict.category,
            thresholds: verdict.thresholds.clone(),
            thresholds_sha256: verdict.thresholds_sha256.clone(),
            run_count: 1,
        }
    }

    /// Whether the figures may not be the device's.
    pub fn is_inconclusive(&self) -> bool {
        self.word == verdict::Outcome::Inconclusive.as_str()
    }

    /// Whether it says the same.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (&self.word, self.category, &self.thresholds, &self.thresholds_sha256)
            == (&other.word, other.category, &other.thresholds, &other.thresholds_sha256)
    }
}

/// What iotrial counted in one run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Counted {
    pub(super) duration: Duration,
    /// Of all jobs together, and then of each role where there are several.
    pub(super) streams: Vec<(StreamOf, OpCounts)>,
    /// How the latencies of each stream with any I/O spread over time.
    pub(super) courses: Vec<(Stream, LatencyCourse)>,
    pub(super) cpu: Option<GeneratorCpu>,
    /// What an application did meanwhile, as somebody told it.
    pub(super) application: Vec<(Metric, f64)>,
    /// `None` where the intervals are too few, or none are known.
    pub(super) spread: Option<Spread>,
}

/// CPU time of the generator.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct GeneratorCpu {
    pub(super) user_s: f64,
    pub(super) system_s: f64,
    /// Both, without the watching of the clock.
    pub(super) work_s: f64,
    /// Of all CPUs of the host.
    pub(super) available_s: f64,
}

impl Sample {
    /// The sample of a result. `source` says where it lies.
    ///
    /// What was counted is kept with its histograms, and its seconds with how they spread; what a source states is kept as
    /// its figures.
    pub fn of(subject: &Subject<'_>, source: impl Into<String>) -> Self {
        let is_counted = subject.is_counted();
        let results_of = || format!("results of {}", subject.tool_name().unwrap_or_default());
        Self {
            source: source.into(),
            id: subject.id.to_owned(),
            subject: subject.profile_name.as_deref().map_or_else(results_of, str::to_owned),
            label: subject.label.map(str::to_owned),
            key: None,
            title: subject.source.filter(|_| !subject.is_printed()).map(|_| subject.title().to_owned()),
            attributes: subject.attributes.clone().into_owned(),
            conditions: Conditions::of(subject, load_of_jobs(subject, false)),
            generator: Conditions::of_generator(subject),
            offsets: Offsets::of(subject),
            caveats: caveats(subject),
            circumstances: Circumstances::of(subject),
            host: subject.host_facts.map(|report| Box::new(telling(report))),
            steal_percent: steal_percent(subject),
            contradictions: contradictions(subject),
            worst_io_us: worst_ios(subject),
            found: None,
            spoilt: spoilt(subject),
            has_searched: subject.search.is_some(),
            only_role: only_role(subject),
            is_at_own_rate: subject.search.is_some_and(|search| search.need.is_none()),
            outcome: None,
            is_printed: subject.is_printed(),
            profile: digest_of_toml(subject.profile_text)
                .zip(subject.profile_name.as_deref())
                .map(|(sha256, name)| NamedContent { name: name.to_owned(), sha256 }),
            stated: if is_counted { Vec::new() } else { stated_figures(subject) },
            bounds: bounds(subject),
            counted: is_counted.then(|| Box::new(Counted::of(subject))),
            load: if is_counted { None } else { load_of_jobs(subject, true) },
            shape: LoadShape::of(subject),
            is_one_of_several_loads: false,
        }
    }

    /// The sample of a run, with its verdict by the set that judged it when it was made.
    pub fn of_run(record: &RunRecord, source: impl Into<String>) -> Self {
        let subject = Subject::of_run(record);
        // A set that is no longer valid judges nothing, which says nothing about the figures.
        let set = ThresholdSet::of_record(&record.thresholds).ok();
        let verdict = set.map(|set| judge(&subject, &findings(&subject), &set));
        match verdict {
            Some(verdict) => Self::of_judged(&subject, &verdict, source),
            None => Self::of(&subject, source),
        }
    }

    /// The sample of a result that was judged.
    pub fn of_judged(subject: &Subject<'_>, verdict: &Verdict, source: impl Into<String>) -> Self {
        Self {
            outcome: Some(Outcome::of(verdict)),
            found: Found::of(subject, verdict),
            ..Self::of(subject, source)
        }
    }

    /// The samples of a printed table, one a row. `source` says where the table lies.
    pub fn of_table(table: &PublishedTable, source: &str) -> Vec<Self> {
        let records = table.records(&TablePlace { file: source.to_owned(), ..TablePlace::default() });
        let sample = |subject: Subject<'_>| Self {
            subject: table.title.clone(),
            ..Self::of(&subject, format!("row `{}` of {source}", subject.id))
        };
        records.iter().map(Subject::of_imported).map(sample).collect()
    }

    /// Under what it was taken.
    pub(super) const fn taken(&self) -> Taken<'_> {
        Taken { source: self.source.as_str(), label: self.label.as_ref(), conditions: &self.conditions }
    }

    /// Whether both are of one load.
    pub(super) fn has_load_of(&self, other: &Self) -> bool {
        self.load == other.load && !self.conditions.is_other_load(&other.conditions)
    }

    /// The load that its metrics carry, where they carry one, with its shape.
    pub(super) fn shaped_load(&self) -> Option<ShapedLoad> {
        let load = self.load.clone().filter(|_| self.is_one_of_several_loads);
        Some(ShapedLoad { load, shape: self.shape? })
    }

    /// Whether nothing was measured.
    pub(super) fn is_empty(&self) -> bool {
        let mut streams = self.counted.iter().flat_map(|run| &run.streams);
        self.stated.is_empty() && self.bounds.is_empty() && streams.all(|(_, counts)| counts.io_count() == 0)
    }

    /// Forgets the stated figures of some metrics.
    pub(super) fn leave_out(&mut self, is_left_out: impl Fn(&Metric) -> bool) {
        self.stated.retain(|(metric, _)| !is_left_out(metric));
        self.bounds.retain(|(metric, _)| !is_left_out(metric));
    }

    /// The same run as one of the configuration that a study knows by this name.
    #[must_use]
    pub fn named(self, label: impl Into<String>, attributes: BTreeMap<String, AttributeValue>) -> Self {
        Self { label: Some(label.into()), attributes, ..self }
    }
}

fn steal_percent(subject: &Subject<'_>) -> Option<f64> {
    let Some(CpuTime::Counted { used, all_cpu_count, .. }) = subject.cpu else { return None };
    let available_s = used.wall.as_secs_f64() * f64::from(all_cpu_count);
    used.host_steal_s.filter(|_| available_s > 0.0).map(|steal_s| 100.0 * steal_s / available_s)
}

/// Stated results of one configuration under several loads carry the load in each metric, and do not have to agree in it. Whether
/// there are several shows only when all samples are known.
pub(super) fn tell_loads_apart(samples: &mut [Sample]) {
    // Attributes tell configurations apart; without them the label does, and without a label nothing. What was printed in one
    // place has nothing to do with what was printed in another, or measured.
    let key = |sample: &Sample| {
        if sample.counted.is_some() {
            return None;
        }
        let configuration = match sample.attributes.is_empty() {
            false => serde_json::json!(sample.attributes).to_string(),
            true => sample.label.clone()?,
        };
        Some(((sample.conditions.origin().to_owned(), configuration), sample.load.clone()))
    };
    let mut first: HashMap<(String, String), Option<String>> = HashMap::new();
    let mut several: HashSet<String> = HashSet::new();
    for ((origin, configuration), load) in samples.iter().filter_map(key) {
        let known = first.entry((origin.clone(), configuration)).or_insert_with(|| load.clone());
        if *known != load {
            several.insert(origin);
        }
    }
    for sample in samples.iter_mut().filter(|sample| sample.counted.is_none()) {
        if several.contains(sample.conditions.origin()) {
            sample.is_one_of_several_loads = true;
            sample.stated.iter_mut().for_each(|(metric, _)| metric.load.clone_from(&sample.load));
            sample.bounds.iter_mut().for_each(|(metric, _)| metric.load.clone_from(&sample.load));
            sample.conditions.forget_load();
        }
    }
}

impl Counted {
    fn of(subject: &Subject<'_>) -> Self {
        let streams_of = |role: Option<Role>| {
            let is_meant = |job: usize| role.is_none() || subject.jobs[job].role == role;
            let counted = |stream: Stream| (StreamOf { role, stream }, stream.counts_of(subject, role));
            subject.streams_of(is_meant).into_iter().map(counted).collect::<Vec<_>>()
        };
        let of_roles = roles_apart(subject).into_iter().flat_map(|role| streams_of(Some(role)));
        let of_all = streams_of(None);
        let together = together(&of_all);
        let streams: Vec<(StreamOf, OpCounts)> = of_all.into_iter().chain(together).chain(of_roles).collect();
        // Only a plan tells which counts of an interval are commits.
        let over_time = subject.plan.map(|plan| Self::over_time(subject, plan, &streams));
        let (spread, courses) = over_time.unwrap_or_default();
        let cpu = subject.cpu.and_then(|cpu| match cpu {
            CpuTime::Counted { used, all_cpu_count, .. } => Some(GeneratorCpu {
                user_s: used.user.as_secs_f64(),
                system_s: used.system.as_secs_f64(),
                work_s: used.work_s(),
                available_s: used.wall.as_secs_f64() * f64::from(all_cpu_count),
            }),
            CpuTime::Stated(_) => None,
        });
        let application = subject
            .other
            .iter()
            .filter_map(|(name, stated)| Some((MetricKey::from_key(name)?.into(), stated.value)))
            .collect();
        Self { duration: subject.measured.unwrap_or_default(), streams, courses, cpu, application, spread }
    }

    /// How the figures spread over the intervals, and the course of the latencies.
    fn over_time<'s>(
        subject: &Subject<'s>,
        plan: &Plan,
        streams: &[(StreamOf, OpCounts)],
    ) -> (Option<Spread>, Vec<(Stream, LatencyCourse)>) {
        let durations_s: Vec<f64> =
            subject.measured_intervals().map(|interval| interval.duration.as_secs_f64()).collect();
        // Where one role has all I/Os of a stream, it is the same stream.
        let same_of_all = |(of, counts): &(StreamOf, OpCounts)| {
            let is_same = |(all, of_all): &&(StreamOf, OpCounts)| {
                *all == StreamOf::all(of.stream) && of_all.io_count() == counts.io_count()
            };
            of.role.and_then(|_| streams.iter().find(is_same)).map(|(all, _)| *all)
        };
        let by_interval = |kind: DrawnTogether| -> Vec<(StreamOf, &OpCounts, Vec<Unit<'_>>)> {
            let of_kind =
                streams.iter().filter(|one| DrawnTogether::of(one.0) == kind && same_of_all(one).is_none());
            of_kind
                .map(|(of, total)| {
                    let is_meant = |job: usize| of.role.is_none() || of.role == Some(plan.jobs[job].role);
                    // What each job did in an interval.
                    let unit = |one: &'s Interval| -> Unit<'s> {
                        if kind == DrawnTogether::Together {
                            return one
                                .jobs
                                .iter()
                                .flat_map(|job| job.read.iter().chain(&job.write))
                                .collect();
                        }
                        let parts = of.stream.parts(plan, &one.jobs).into_iter();
                        parts.filter(|(job, _)| is_meant(*job)).map(|(_, counts)| counts).collect()
                    };
                    (*of, total, subject.measured_intervals().map(unit).collect())
                })
                .collect()
        };
        // Roles are drawn by themselves, in blocks as long as they need: a role that comes in bursts must not make the intervals of
        // everything together wider. So are reads and writes together, which follow from the two.
        let spread_of = |kind: DrawnTogether| {
            let units = Units::new(durations_s.clone(), &by_interval(kind));
            units.spread_of_intervals(seed_of(subject.id))
        };
        let spread = spread_of(DrawnTogether::All).map(|all| {
            let same = streams.iter().filter_map(|one| Some((same_of_all(one)?, one.0)));
            let with_same = same.fold(all, |spread, (all, of)| spread.with_same(all, of));
            let is_drawn = |kind: DrawnTogether| {
                streams.iter().any(|one| DrawnTogether::of(one.0) == kind && same_of_all(one).is_none())
            };
            let others =
                [DrawnTogether::Together, DrawnTogether::Role].into_iter().filter(|kind| is_drawn(*kind));
            others.filter_map(spread_of).fold(with_same, Spread::joined)
        });
        let course = |(of, _): &(StreamOf, OpCounts)| {
            let stream = Some(of.stream).filter(|_| DrawnTogether::of(*of) == DrawnTogether::All)?;
            Some((stream, LatencyCourse::of_stream(subject.intervals.counted(), plan, stream)?))
        };
        let courses = streams.iter().filter_map(course).collect();
        (spread, courses)
    }
}

/// What is drawn together of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DrawnTogether {
    /// Reads, writes and commits of all jobs.
    All,
    /// Reads and writes of all jobs as one.
    Together,
    /// The streams of the roles.
    Role,
}

impl DrawnTogether {
    fn of(stream: StreamOf) -> Self {
        match (stream.role, stream.stream) {
            (Some(_), _) => Self::Role,
            (None, Stream::Mixed) => Self::Together,
            (None, _) => Self::All,
        }
    }
}

/// Reads and writes as one, where the load has both.
fn together(streams: &[(StreamOf, OpCounts)]) -> Option<(StreamOf, OpCounts)> {
    let has_writes = streams.iter().any(|(of, _)| of.stream == Stream::Write);
    // Commits are among the writes, where there are others; where there are none, they are the writes.
    let is_part = |of: &StreamOf| of.stream != Stream::Commit || !has_writes;
    let parts: Vec<&OpCounts> =
        streams.iter().filter(|(of, _)| is_part(of)).map(|(_, counts)| counts).collect();
    let [first, others @ ..] = parts.as_slice() else { return None };
    let mut merged = (*first).clone();
    others.iter().for_each(|counts| merged.merge(counts));
    (!others.is_empty()).then_some((StreamOf::all(Stream::Mixed), merged))
}

/// The roles of a load, where it has several: of a single one, everything is of that role.
fn roles_apart(subject: &Subject<'_>) -> BTreeSet<Role> {
    let roles: Option<BTreeSet<Role>> = subject.jobs.iter().map(|job| job.role).collect();
    roles.filter(|roles| roles.len() > 1).unwrap_or_default()
}

/// What failed is in no figure, so that figures alone would look as if nothing had.
fn spoilt(subject: &Subject<'_>) -> Option<Spoilt> {
    // Of all steps, where the load changes: the figures are those of the peak.
    let facts = subject.steps.iter().flat_map(|step| step.subject.all_facts());
    let of_steps: u64 = facts.filter_map(Facts::error_count).sum();
    let of_figures: u64 = subject.all_facts().into_iter().filter_map(Facts::error_count).sum();
    let failed = of_steps.max(of_figures);
    match subject.ended_how() {
        EndedHow::Interrupted => Some(Spoilt::Interrupted),
        EndedHow::Failed => Some(Spoilt::Failed),
        EndedHow::Complete => (failed > 0).then_some(Spoilt::Errors(failed)),
    }
}

fn only_role(subject: &Subject<'_>) -> Option<Role> {
    let first = subject.jobs.first()?.role;
    first.filter(|_| subject.jobs.iter().all(|job| job.role == first))
}

/// The slowest I/O of each stream.
fn worst_ios(subject: &Subject<'_>) -> Vec<(Stream, f64)> {
    let streams = Streams::of(subject);
    let worst = |stream: &Stream| Some((*stream, streams.get(*stream)?.lat_max_us?));
    Stream::ALL.iter().filter_map(worst).collect()
}

fn stated_figures(subject: &Subject<'_>) -> Vec<(Metric, f64)> {
    let mut all: Vec<(MetricKey, f64)> = Vec::new();
    let streams = Streams::of(subject);
    // A row is taken as it was printed; of a result that was measured, the metrics are those of runs.
    let taken: &[Figure] = if subject.is_printed() { &Figure::ALL } else { &Figure::COMPARED };
    for stream in Stream::ALL {
        let Some(figures) = streams.get(*stream) else { continue };
        let of_stream = |figure: &Figure| {
            Some((MetricKey::Figure(*stream, *figure), figure_of_enough(figures, *figure)?))
        };
        all.extend(taken.iter().filter_map(of_stream));
    }
    let roles = if subject.is_printed() { BTreeSet::new() } else { roles_apart(subject) };
    for role in roles {
        let streams = Streams::of_role(subject, role);
        for (stream, figures) in
            Stream::ALL.iter().filter_map(|stream| Some((*stream, streams.get(*stream)?)))
        {
            let of_role = |figure: &Figure| {
                Some((MetricKey::OfRole(role, stream, *figure), figure_of_enough(figures, *figure)?))
            };
            all.extend(taken.iter().filter_map(of_role));
        }
    }
    if let Some(cpu) = subject.cpu {
        let of_cpu = |figure: &CpuFigure| Some((MetricKey::Cpu(*figure), cpu.get(*figure)?));
        all.extend(CpuFigure::ALL.iter().filter_map(of_cpu));
    }
    let other = subject.other.iter();
    all.extend(other.filter_map(|(name, stated)| Some((MetricKey::from_key(name)?, stated.value))));
    all.into_iter().map(|(key, value)| (Metric { load: None, key }, value)).collect()
}

fn bounds(subject: &Subject<'_>) -> Vec<(Metric, Bounded)> {
    let bound = |one: &StatedBound| Some((MetricKey::from_key(&one.metric)?.into(), one.bounded()));
    subject.bounds.iter().filter_map(bound).collect()
}

/// A figure, but no percentile with too few I/Os beyond it, where their number is known. A mean of a few is compared: how
/// uncertain it is shows in its interval, while a percentile of a few is the latency of one of them whatever is drawn.
pub(super) fn figure_of_enough(figures: &Figures, figure: Figure) -> Option<f64> {
    let is_too_few = |count: u64| figure.percent().is_some() && count < figure.least_io_count();
    figures.get(figure).filter(|_| !figures.io_count.is_some_and(is_too_few))
}

/// What speaks against the figures of a run of a configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct RunCaveat {
    /// Which run of its configuration, from 1; `None` where that has only one.
    pub run: Option<usize>,
    /// What it is.
    pub caveat: Caveat,
}

impl Serialize for RunCaveat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&iotrial_words::finding::compared::caveat(self.run, &self.caveat))
    }
}

/// What speaks against the figures of a result: how it ended, bounds that stand for a figure, and its findings.
fn caveats(subject: &Subject<'_>) -> Vec<Caveat> {
    let ended = match subject.ended.map(|ended| ended.how) {
        None | Some(EndedHow::Complete) => None,
        Some(EndedHow::Interrupted) => Some(Caveat::Interrupted),
        Some(EndedHow::Failed) => Some(Caveat::Failed),
    };
    // Of all bounds this one says nothing for sure.
    let about = subject.bounds.iter().filter(|bound| bound.relation == BoundRelation::About);
    let bounds =
        about.map(|bound| Caveat::PrintedAbout { metric: bound.metric.clone(), value: bound.number.value });
    let is_told = |finding: &Finding| {
        let is_the_end = ended.is_some() && matches!(finding.id, FindingId::Interrupted | FindingId::Failed);
        finding.severity >= Severity::Warning && !is_the_end
    };
    // Of what somebody printed there is no run that could be looked at.
    let findings = if subject.is_printed() { Vec::new() } else { findings(subject) };
    let found: Vec<Finding> = findings.into_iter().filter(is_told).collect();
    let found = found.into_iter().map(|finding| Caveat::Finding(Box::new(finding)));
    ended.into_iter().chain(bounds).chain(found).collect()
}

/// The same for the same record, another one for each other record (Fowler, Noll and Vo).
pub(super) fn seed_of(id: &str) -> u64 {
    id.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Audit;
    use crate::summary::Summary;
    use crate::test_record::healthy;

    #[test]
    fn what_was_counted_without_a_plan_has_the_figures_of_the_run_and_is_judged_by_its_latencies() {
        let (record, flash) = (healthy(), ThresholdSet::builtin("flash").unwrap());
        let run = Subject::of_run(&record);
        let planless = Subject { plan: None, ..run.clone() };
        let judged = |subject: &Subject<'_>| judge(subject, &[], &flash).judged;
        assert!(!judged(&run).is_empty());
        assert_eq!(judged(&planless), judged(&run));
        let figures = |subject: &Subject<'_>| {
            let Summary { total, roles, jobs, .. } = Summary::new(subject, &flash);
            (total, roles, jobs)
        };
        assert_eq!(figures(&planless), figures(&run));
        assert_eq!(Audit::of(&planless), Audit::of(&run));
        let counted = |subject: &Subject<'_>| *Sample::of(subject, "").counted.unwrap();
        let of_run = counted(&run);
        // Reads, writes, commits, and reads and writes together.
        let of_all = of_run.streams.iter().filter(|(of, _)| of.role.is_none());
        assert!(of_run.spread.is_some() && of_all.count() == 4);
        assert_eq!(counted(&planless), Counted { spread: None, courses: Vec::new(), ..of_run });
    }

    #[test]
    fn a_percentile_is_compared_where_ten_ios_lie_beyond_it_and_a_mean_of_any_number() {
        let check = |figure: Figure, io_count: u64, is_there: bool| {
            let mut counts = OpCounts::default();
            counts.total_latency.record_n(Duration::from_micros(500), io_count);
            let figures = Figures::new(&counts, Duration::from_secs(1));
            assert_eq!(figure_of_enough(&figures, figure).is_some(), is_there, "{figure} of {io_count}");
        };
        let least = [
            (Figure::LatencyP90, 100),
            (Figure::LatencyP99, 1_000),
            (Figure::LatencyP999, 10_000),
            (Figure::LatencyP9999, 100_000),
        ];
        for (figure, io_count) in least {
            check(figure, io_count - 1, false);
            check(figure, io_count, true);
        }
        check(Figure::LatencyMean, 1, true);
        check(Figure::LatencyMax, 1, true);
        check(Figure::Iops, 1, true);
    }

    #[test]
    fn a_percentile_whose_number_of_ios_is_not_known_is_taken_as_it_is_told() {
        let stated = iotrial_model::imported::StatedStream::default();
        let figures = Figures { lat_p9999_us: Some(900.0), ..Figures::together(&[Facts::Stated(&stated)]) };
        assert_eq!(figure_of_enough(&figures, Figure::LatencyP9999), Some(900.0));
    }
}
