//! A configuration: all runs of the same thing, and their figures together.

use std::collections::BTreeMap;
use std::time::Duration;

use iotrial_bootstrap::{Spread, Unit, Units};
use iotrial_model::bound::{Amount, Bounded};
use iotrial_model::figure::{CpuFigure, Figure};
use iotrial_model::finding::{Contradiction, ENOUGH_REPEATS};
use iotrial_model::gate::Spoilt;
use iotrial_model::host_fact::HostReport;
use iotrial_model::load::Role;
use iotrial_model::metric::{Metric, MetricKey};
use iotrial_model::record::{AttributeValue, OpCounts};
use iotrial_model::stream::{Stream, StreamOf};
use iotrial_words::finding::contradiction;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::capacity::{CapacityFigure, Found};
use super::circumstances::Circumstances;
use super::error::CompareError;
use super::repeats::Repeats;
use super::sample::{Counted, GeneratorCpu, Outcome, RunCaveat, Sample, figure_of_enough, seed_of};
use crate::figures::Figures;
use crate::latency_course::LatencyCourse;
use crate::series::{CurvePoint, latency_curve};
use crate::student::{CONFIDENCE, MOST_REACH_FACTOR, MUCH_FACTOR, student_limit};
use crate::verdict::Category;

const GIB: f64 = 1_073_741_824.0;

/// Rates that differ by less are one load.
// A choice: latency of a device that is not saturated hardly changes with a hundredth of its load.
const SAME_RATE: f64 = 1.01;

/// All runs of the same thing.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Configuration {
    /// A short name, unique in the comparison: `A`, `B`, …
    pub key: String,
    /// What it is called.
    pub label: String,
    /// What distinguishes it.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// Where its figures come from, run by run.
    pub sources: Vec<String>,
    /// Whether its figures were printed, not measured.
    pub is_printed: bool,
    /// The time that was measured, of all runs together; `None` for printed figures.
    pub measured_s: Option<f64>,
    /// Figures of all runs together, in the order of tables.
    #[serde(serialize_with = "as_map")]
    pub figures: Vec<(Metric, f64)>,
    /// What is known only as a bound, in the order of tables.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<(Metric, Bounded)>,
    /// The lowest and the highest of each figure that several of its runs state; empty where it was measured here, and for one
    /// run.
    #[serde(serialize_with = "as_map")]
    pub ranges: Vec<(Metric, (f64, f64))>,
    /// What the reader should know about its figures.
    pub caveats: Vec<RunCaveat>,
    /// What was measured: where, under what load, when, and by what.
    pub circumstances: Circumstances,
    /// What was read of the hosts of its runs, each once; empty where nobody looked.
    #[serde(skip)]
    pub(super) hosts: Vec<HostReport>,
    /// The most CPU time of all CPUs that the hypervisor took from one of its runs, in percent; `None` where that was not counted.
    #[serde(skip)]
    pub(super) steal_percent: Option<f64>,
    /// What the verdicts on its runs say, each once; empty where nobody judged them.
    pub outcomes: Vec<Outcome>,
    /// In what its figures contradict each other; such figures are compared, and marked wherever they are used.
    #[serde(serialize_with = "contradictions_in_words")]
    pub contradictions: Vec<Contradiction>,
    /// The highest rate within the limits, where its runs searched for it and know.
    pub capacity: Option<CapacityFigure>,
    /// Why the figures of one of its runs are those of a part of its load only.
    #[serde(skip)]
    pub(super) spoilt: Option<Spoilt>,
    /// Whether any of its runs searched for a rate, whatever came of it.
    #[serde(skip)]
    pub(super) has_searched: bool,
    /// The role of all jobs, where they have one.
    #[serde(skip)]
    pub(super) only_role: Option<Role>,
    /// Whether a search chose the rate of its load, and not a need or a profile.
    #[serde(skip)]
    is_at_own_rate: bool,
    /// The slowest I/O of any run, by stream, in µs.
    #[serde(serialize_with = "worst_as_map")]
    pub worst_io_us: Vec<(Stream, f64)>,
    /// Ids of its runs, or of its rows.
    #[serde(skip)]
    pub(super) run_ids: Vec<String>,
    /// How uncertain the figures are; `None` where that is not known.
    #[serde(skip)]
    pub(super) spread: Option<Spread>,
    /// What an application did, run by run, of measured runs that say it.
    #[serde(skip)]
    pub(super) application: Vec<(Metric, Vec<f64>)>,
    /// How figures move together from one interval to the next, of its first run.
    #[serde(skip)]
    pub(super) together: Option<Spread>,
    /// What each stream did in all runs together; empty for printed figures.
    #[serde(skip)]
    streams: Vec<(StreamOf, OpCounts)>,
    /// The longest latency of the run with the shortest one, and of that with the longest; empty for printed figures.
    #[serde(skip)]
    longest_us: Vec<(StreamOf, (f64, f64))>,
    /// How the latencies of each stream of its first run spread over time.
    #[serde(skip)]
    courses: Vec<(Stream, LatencyCourse)>,
}

/// A document of a comparison has clauses.
fn contradictions_in_words<S: Serializer>(all: &[Contradiction], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(contradiction))
}

/// The row of a metric in a spread, where it is a figure of a stream. What has a load was stated, and has none.
pub(super) fn row_in(spread: &Spread, metric: &Metric) -> Option<usize> {
    let (of, figure) = metric.key.figure().filter(|_| metric.load.is_none())?;
    spread.position(of, figure)
}

impl Configuration {
    /// A figure of all runs together; `None` where none of them has it.
    pub fn figure(&self, metric: &Metric) -> Option<f64> {
        self.figures.iter().find(|(known, _)| known == metric).map(|(_, value)| *value)
    }

    /// What is known of a figure: its value, or else a bound.
    pub fn amount(&self, metric: &Metric) -> Option<Amount> {
        let bound = || self.bounds.iter().find(|(known, _)| known == metric).map(|(_, bound)| *bound);
        self.figure(metric).map(Amount::Exact).or_else(|| bound().map(Amount::Bounded))
    }

    /// The lowest and the highest that its runs state of a figure; a single one is both.
    pub(super) fn stated_range(&self, metric: &Metric) -> Option<(f64, f64)> {
        let of_runs = self.ranges.iter().find(|(known, _)| known == metric).map(|(_, range)| *range);
        of_runs.or_else(|| self.figure(metric).map(|value| (value, value)))
    }

    /// The longest latency of the run with the shortest one, and of that with the longest, of runs that were measured here.
    pub(super) fn longest_us(&self, of: StreamOf) -> Option<(f64, f64)> {
        self.longest_us.iter().find(|(known, _)| *known == of).map(|(_, range)| *range)
    }

    /// Where a figure lies with 95 % confidence, looked at by itself; `None` where that is not known.
    pub fn interval(&self, metric: &Metric) -> Option<(f64, f64)> {
        // An error bar of two repeats would be longer than any bar.
        let is_repeated = (2..ENOUGH_REPEATS).contains(&self.run_count());
        let most = if is_repeated { MUCH_FACTOR } else { MOST_REACH_FACTOR };
        self.reach(metric).filter(|reach| *reach <= most.ln())?;
        self.spread_interval(metric)
    }

    /// The same however wide it is.
    fn spread_interval(&self, metric: &Metric) -> Option<(f64, f64)> {
        let reach = self.reach(metric)?;
        self.figure(metric).map(|value| (value * (-reach).exp(), value * reach.exp()))
    }

    /// Half the width of that interval, in logarithms.
    fn reach(&self, metric: &Metric) -> Option<f64> {
        let spread = self.spread.as_ref()?;
        let row = row_in(spread, metric)?;
        Some(student_limit(1.0 - CONFIDENCE, spread.degrees[row]) * spread.standard_errors[row])
    }

    /// Where a figure lies with confidence, as far as its own runs tell: the interval of its draws, of the longest latency the range of
    /// its runs, of a capacity the rates that held and did not, of stated repeats their range; to infinity where it is a lower bound.
    pub(super) fn where_it_lies(&self, metric: &Metric) -> Option<(f64, f64)> {
        if let Some(capacity) = self.capacity.filter(|_| metric.key == MetricKey::Capacity) {
            return Some((capacity.low_iops, capacity.high_iops.unwrap_or(f64::INFINITY)));
        }
        let of_runs = match metric.key.figure() {
            Some((of, Figure::LatencyMax)) => self.longest_us(of).filter(|_| self.run_count() > 1),
            _ => None,
        };
        let stated = || self.ranges.iter().find(|(known, _)| known == metric).map(|(_, range)| *range);
        of_runs.or_else(|| self.spread_interval(metric)).or_else(stated)
    }

    /// Whether its load has a stream, whether anything was measured of it or not.
    pub(super) fn has_stream(&self, of: StreamOf) -> bool {
        self.streams.iter().any(|(known, _)| *known == of)
    }

    /// I/Os of a stream, of all runs together; `None` where they were not counted here.
    pub(super) fn io_count(&self, of: StreamOf) -> Option<u64> {
        self.streams.iter().find(|(known, _)| *known == of).map(|(_, counts)| counts.io_count())
    }

    /// The streams that were measured, in the order of tables; none where figures were printed.
    pub fn streams(&self) -> impl Iterator<Item = Stream> {
        let is_meant = |of: &StreamOf| of.role.is_none() && of.stream != Stream::Mixed;
        self.streams.iter().filter(move |(of, _)| is_meant(of)).map(|(of, _)| of.stream)
    }

    /// The latency by percentile of a stream, of all runs together; empty where it was not measured.
    pub fn latency_curve(&self, stream: Stream) -> Vec<CurvePoint> {
        let of = StreamOf::all(stream);
        let counts = self.streams.iter().find(|(known, _)| *known == of).map(|(_, counts)| counts);
        counts.map_or_else(Vec::new, |counts| latency_curve(&counts.total_latency))
    }

    /// How the latencies of a stream spread over time, of the first run.
    pub fn course(&self, stream: Stream) -> Option<&LatencyCourse> {
        self.courses.iter().find(|(known, _)| *known == stream).map(|(_, course)| course)
    }

    /// How many runs it has.
    pub fn run_count(&self) -> usize {
        self.sources.len()
    }

    /// Key and label: `C (three volumes)`.
    pub fn title(&self) -> String {
        if self.key == self.label { self.key.clone() } else { format!("{} ({})", self.key, self.label) }
    }

    /// All I/Os a second.
    pub(super) fn rate(&self) -> f64 {
        // Commits are not I/Os of their own; their writes have been counted. Nor are reads and writes together, where both are
        // known.
        let is_sum = |metric: &Metric| metric.is_sum_of(|part| self.figure(part).is_some());
        let is_rate = |metric: &Metric| matches!(metric.key, MetricKey::Figure(stream, Figure::Iops) if stream != Stream::Commit);
        let rates = self.figures.iter().filter(|(metric, _)| is_rate(metric) && !is_sum(metric));
        rates.map(|(_, value)| value).sum()
    }

    /// What was read or written in all runs together, in GiB; `None` where that is not known.
    pub fn moved_gib(&self, stream: Stream) -> Option<f64> {
        self.figure(&MetricKey::moved_gib(stream).into())
    }

    /// Whether a search chose the rate of one of them, and the other one had another.
    pub(super) fn is_at_another_rate(&self, other: &Self) -> bool {
        let ratio = self.rate() / other.rate();
        let is_same = (SAME_RATE.recip()..=SAME_RATE).contains(&ratio);
        (self.is_at_own_rate || other.is_at_own_rate) && !is_same
    }

    /// Whether its own figures contradict each other.
    pub fn is_contradictory(&self) -> bool {
        !self.contradictions.is_empty()
    }

    /// The slowest I/O of all, and of which stream.
    pub fn worst_io(&self) -> Option<(Stream, f64)> {
        self.worst_io_us.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The worst category that a verdict gave any of its runs.
    pub fn worst_category(&self) -> Option<Category> {
        self.outcomes.iter().filter_map(|outcome| outcome.category).max()
    }

    /// Groups samples: the same label and the same attributes are one configuration. A run without both is one of its own.
    pub(super) fn all(samples: Vec<Sample>) -> Result<Vec<Self>, CompareError> {
        let groups = groups(samples);
        for (index, group) in groups.iter().enumerate() {
            let label = &group[0].label;
            if let Some(other) =
                groups[..index].iter().find(|other| label.is_some() && other[0].label == *label)
            {
                return Err(CompareError::LabelClash {
                    label: label.clone().unwrap_or_default(),
                    first: other[0].source.clone(),
                    other: group[0].source.clone(),
                });
            }
        }
        Self::of_groups(groups)
    }

    /// Every sample as a configuration of its own.
    pub(super) fn each(samples: Vec<Sample>) -> Result<Vec<Self>, CompareError> {
        Self::of_groups(samples.into_iter().map(|sample| vec![sample]).collect())
    }

    fn of_groups(groups: Vec<Vec<Sample>>) -> Result<Vec<Self>, CompareError> {
        let keys = keys(&groups);
        groups.into_iter().zip(keys).map(|(group, key)| Self::of_group(group, key)).collect()
    }

    fn of_group(group: Vec<Sample>, key: String) -> Result<Self, CompareError> {
        let of_all = |role: &Role| group.iter().all(|sample| sample.only_role == Some(*role));
        let mut all = Self {
            key,
            label: label_of(&group),
            attributes: group[0].attributes.clone(),
            sources: group.iter().map(|sample| sample.source.clone()).collect(),
            run_ids: group.iter().map(|sample| sample.id.clone()).collect(),
            spoilt: group.iter().find_map(|sample| sample.spoilt),
            has_searched: group.iter().any(|sample| sample.has_searched),
            only_role: group[0].only_role.filter(of_all),
            is_at_own_rate: group.iter().any(|sample| sample.is_at_own_rate),
            ..Self::default()
        };
        let mut found: Vec<Found> = Vec::new();
        let mut stated: Vec<Vec<(Metric, f64)>> = Vec::new();
        let mut runs: Vec<Counted> = Vec::new();
        let is_repeated = group.len() > 1;
        for (number, sample) in (1..).zip(group) {
            let numbered = |caveat| RunCaveat { run: is_repeated.then_some(number), caveat };
            all.caveats.extend(sample.caveats.into_iter().map(numbered));
            all.circumstances.merge(sample.circumstances);
            all.hosts.extend(sample.host.map(|host| *host).filter(|host| !all.hosts.contains(host)));
            all.steal_percent = all.steal_percent.into_iter().chain(sample.steal_percent).reduce(f64::max);
            all.contradictions.extend(sample.contradictions);
            found.extend(sample.found);
            all.add_worst(sample.worst_io_us);
            all.add_outcome(sample.outcome);
            if let Some(run) = sample.counted {
                runs.push(*run);
                continue;
            }
            let is_known = |metric: &Metric| stated.iter().flatten().any(|(known, _)| known == metric);
            // Two printed values of one metric are a mistake in the table, or two loads that it does not tell apart;
            // imported ones are repeats.
            let again = sample.stated.iter().find(|(metric, _)| sample.is_printed && is_known(metric));
            if let Some((metric, _)) = again {
                return Err(CompareError::PrintedTwice { label: all.label, metric: metric.title() });
            }
            stated.push(sample.stated);
            all.add_bounds(sample.bounds);
        }
        // A stated figure has no spread, so that the two together would have neither a mean nor an interval that means
        // anything.
        if !stated.is_empty() && !runs.is_empty() {
            return Err(CompareError::PrintedAndMeasured { label: all.label });
        }
        all.is_printed = runs.is_empty();
        all.capacity = CapacityFigure::of(&found);
        Repeats { figures: all.figures, ranges: all.ranges } = Repeats::of(&stated);
        all.add_runs(runs);
        all.figures.extend(all.capacity.map(|capacity| (MetricKey::Capacity.into(), capacity.iops)));
        all.figures.sort_by_key(|(metric, _)| metric.position());
        // What another result of the same configuration states is better than a bound.
        all.bounds.retain(|(metric, _)| !all.figures.iter().any(|(known, _)| known == metric));
        all.bounds.sort_by_key(|(metric, _)| metric.position());
        Ok(all)
    }

    fn add_worst(&mut self, of_run: Vec<(Stream, f64)>) {
        for (stream, us) in of_run {
            match self.worst_io_us.iter_mut().find(|(known, _)| *known == stream) {
                Some((_, worst)) => *worst = worst.max(us),
                None => self.worst_io_us.push((stream, us)),
            }
        }
    }

    fn add_outcome(&mut self, of_run: Option<Outcome>) {
        let Some(outcome) = of_run else { return };
        match self.outcomes.iter_mut().find(|known| known.is_like(&outcome)) {
            Some(known) => known.run_count += 1,
            None => self.outcomes.push(outcome),
        }
    }

    /// Of repeats the first one; several bounds of one figure are no better than one.
    fn add_bounds(&mut self, of_run: Vec<(Metric, Bounded)>) {
        for (metric, bound) in of_run {
            if !self.bounds.iter().any(|(known, _)| *known == metric) {
                self.bounds.push((metric, bound));
            }
        }
    }

    /// What was measured here, if anything was.
    fn add_runs(&mut self, runs: Vec<Counted>) {
        if runs.is_empty() {
            return;
        }
        self.streams = merged_streams(&runs);
        self.longest_us = longest_of_runs(&runs, &self.streams);
        self.figures = figures_of_runs(&runs, &self.streams);
        self.spread = match runs.as_slice() {
            [run] => run.spread.clone(),
            several => spread_of_runs(several, &self.streams, seed_of(&self.run_ids[0])),
        };
        self.application = application_of_runs(&runs);
        self.measured_s = Some(runs.iter().map(|run| run.duration.as_secs_f64()).sum());
        if let Some(first) = runs.into_iter().next() {
            (self.together, self.courses) = (first.spread, first.courses);
        }
    }
}

/// Key and label of the one with this key.
pub(super) fn title_of(configurations: &[Configuration], key: &str) -> String {
    configurations.iter().find(|one| one.key == key).map_or_else(|| key.to_owned(), Configuration::title)
}

/// The samples of each configuration, in the order in which they came.
pub(super) fn groups(samples: Vec<Sample>) -> Vec<Vec<Sample>> {
    let mut groups: Vec<Vec<Sample>> = Vec::new();
    for sample in samples {
        match groups.iter_mut().find(|group| is_same_configuration(&group[0], &sample)) {
            Some(group) => group.push(sample),
            None => groups.push(vec![sample]),
        }
    }
    groups
}

fn worst_as_map<S: Serializer>(worst: &[(Stream, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(worst.iter().map(|(stream, us)| (stream.metric_word(), us)))
}

/// Whether they are runs of one configuration.
pub(super) fn is_same_configuration(a: &Sample, b: &Sample) -> bool {
    // Rows of one configuration under several loads are told apart by their labels only.
    if a.is_one_of_several_loads && b.is_one_of_several_loads && !a.attributes.is_empty() {
        return a.attributes == b.attributes;
    }
    let is_named = a.label.is_some() || !a.attributes.is_empty();
    is_named && a.label == b.label && a.attributes == b.attributes
}

/// Those that were given, or the ids of printed rows where all are short, else letters.
fn keys(groups: &[Vec<Sample>]) -> Vec<String> {
    if let Some(given) = groups.iter().map(|group| group[0].key.clone()).collect() {
        return given;
    }
    let ids: Vec<&str> = groups.iter().map(|group| group[0].id.as_str()).collect();
    let is_short = |id: &&str| (1..=3).contains(&id.chars().count()) && !id.contains(char::is_whitespace);
    let is_unique = |(index, id): (usize, &&str)| !ids[..index].contains(id);
    if ids.iter().all(is_short) && ids.iter().enumerate().all(is_unique) {
        return ids.into_iter().map(str::to_owned).collect();
    }
    (0..groups.len()).map(letters).collect()
}

/// `A` to `Z`, `AA`, `AB`, …
pub(super) fn letters(index: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(index % 26).expect("a letter"));
    if index < 26 { letter.to_string() } else { format!("{}{letter}", letters(index / 26 - 1)) }
}

/// The label, or the attributes, or what else says what it is, or the id. Rows under several loads are called by what their labels
/// begin with.
fn label_of(group: &[Sample]) -> String {
    let first = &group[0];
    let Some(label) = &first.label else {
        let attributes: Vec<String> =
            first.attributes.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let title = || first.title.as_ref().unwrap_or(&first.id).clone();
        return if attributes.is_empty() { title() } else { attributes.join(" ") };
    };
    let words: Vec<&str> = label.split_whitespace().collect();
    let mut common = words.len();
    for other in group[1..].iter().filter_map(|sample| sample.label.as_ref()) {
        let same = words.iter().zip(other.split_whitespace()).take_while(|(a, b)| **a == *b).count();
        common = common.min(same);
    }
    // Nothing in common: any of the labels is as good as the others.
    if common == words.len() || common == 0 {
        return label.clone();
    }
    words[..common].join(" ").trim_end_matches([',', ';', ':', '-']).to_owned()
}

/// The counts of each stream that all runs have, of all runs together; none without runs.
fn merged_streams(runs: &[Counted]) -> Vec<(StreamOf, OpCounts)> {
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    let mut merged = first.streams.clone();
    for (stream, counts) in &mut merged {
        let same = others.iter().flat_map(|run| &run.streams).filter(|(known, _)| known == stream);
        same.for_each(|(_, other)| counts.merge(other));
    }
    merged
}

/// The range of the longest latencies of the runs, stream by stream. Of a stream in which a run did nothing it has none.
fn longest_of_runs(runs: &[Counted], streams: &[(StreamOf, OpCounts)]) -> Vec<(StreamOf, (f64, f64))> {
    let longest = |run: &Counted, of: StreamOf| {
        let (_, counts) = run.streams.iter().find(|(known, _)| *known == of)?;
        // By way of nanoseconds, as the figure.
        counts.total_latency.max().map(|max| max.as_nanos() as f64 / 1_000.0)
    };
    let range = |(of, _): &(StreamOf, OpCounts)| {
        let all: Vec<f64> = runs.iter().map(|run| longest(run, *of)).collect::<Option<_>>()?;
        let ends = all.into_iter().map(|us| (us, us)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        Some((*of, ends))
    };
    streams.iter().filter_map(range).collect()
}

fn figures_of_runs(runs: &[Counted], streams: &[(StreamOf, OpCounts)]) -> Vec<(Metric, f64)> {
    let duration: Duration = runs.iter().map(|run| run.duration).sum();
    let mut all = Vec::new();
    let mut io_count = 0.0;
    let has_writes = streams.iter().any(|(of, _)| *of == StreamOf::all(Stream::Write));
    for (of, counts) in streams {
        let figures = Figures::new(counts, duration);
        let count = counts.io_count() as f64;
        // Commits are writes too where there are others, and what a role did is in the streams of all.
        let is_sum = *of == StreamOf::all(Stream::Mixed);
        let is_counted = of.role.is_some() || is_sum || (of.stream == Stream::Commit && has_writes);
        io_count += if is_counted { 0.0 } else { count };
        // The commits of a group commit are no transfers of their own. Latencies of reads and writes mixed are nobody's.
        let is_there = |figure: &Figure| match figure {
            Figure::Bandwidth => counts.bytes > 0,
            Figure::Iops => true,
            _ => !is_sum,
        };
        for figure in Figure::COMPARED.into_iter().filter(is_there) {
            let value = figure_of_enough(&figures, figure);
            all.extend(value.map(|value| (MetricKey::of_stream(*of, figure).into(), value)));
        }
        if of.role.is_none() && !is_sum && !is_counted && counts.bytes > 0 {
            // Commits without other writes are the writes.
            let place = if of.stream == Stream::Commit { Stream::Write } else { of.stream };
            all.push((MetricKey::moved_gib(place).into(), counts.bytes as f64 / GIB));
        }
    }
    let cpus: Option<Vec<GeneratorCpu>> = runs.iter().map(|run| run.cpu).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    all.extend(application_of_runs(runs).into_iter().map(|(metric, values)| (metric, mean(&values))));
    if let Some(cpus) = cpus {
        let sum = |of: fn(&GeneratorCpu) -> f64| cpus.iter().map(of).sum::<f64>();
        let (user_s, system_s, available_s) =
            (sum(|cpu| cpu.user_s), sum(|cpu| cpu.system_s), sum(|cpu| cpu.available_s));
        if available_s > 0.0 {
            all.push((Metric::of_cpu(CpuFigure::User), 100.0 * user_s / available_s));
            all.push((Metric::of_cpu(CpuFigure::System), 100.0 * system_s / available_s));
        }
        if io_count > 0.0 {
            all.push((Metric::of_cpu(CpuFigure::PerIo), 1e6 * sum(|cpu| cpu.work_s) / io_count));
        }
    }
    all
}

/// The values of each metric of an application, of those runs that have it.
fn application_of_runs(runs: &[Counted]) -> Vec<(Metric, Vec<f64>)> {
    let mut all: Vec<(Metric, Vec<f64>)> = Vec::new();
    for (metric, value) in runs.iter().flat_map(|run| &run.application) {
        match all.iter_mut().find(|(known, _)| known == metric) {
            Some((_, values)) => values.push(*value),
            None => all.push((metric.clone(), vec![*value])),
        }
    }
    all
}

fn unit_of(run: &Counted, stream: StreamOf) -> Unit<'_> {
    run.streams.iter().filter(|(known, _)| *known == stream).map(|(_, counts)| counts).collect()
}

/// From run to run; at least what the intervals of the runs let expect, because a few runs may agree by chance.
fn spread_of_runs(runs: &[Counted], totals: &[(StreamOf, OpCounts)], seed: u64) -> Option<Spread> {
    let durations_s = runs.iter().map(|run| run.duration.as_secs_f64()).collect();
    let streams: Vec<(StreamOf, &OpCounts, Vec<Unit<'_>>)> = totals
        .iter()
        .map(|(stream, total)| (*stream, total, runs.iter().map(|run| unit_of(run, *stream)).collect()))
        .collect();
    let mut spread = Units::new(durations_s, &streams).spread_of_runs(seed)?;
    let count = runs.len() as f64;
    for (position, (stream, figure)) in spread.figures.iter().enumerate() {
        let within = |run: &Counted| {
            let spread = run.spread.as_ref()?;
            Some(spread.standard_errors[spread.position(*stream, *figure)?])
        };
        let variances: Option<f64> = runs.iter().map(|run| within(run).map(|error| error * error)).sum();
        if let Some(sum) = variances {
            let least = sum.sqrt() / count;
            spread.standard_errors[position] = spread.standard_errors[position].max(least);
        }
    }
    Some(spread)
}

/// Figures, or their ranges, by metric.
fn as_map<T: Serialize, S: Serializer>(figures: &[(Metric, T)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(figures.len()))?;
    for (metric, value) in figures {
        map.serialize_entry(metric, value)?;
    }
    map.end()
}
