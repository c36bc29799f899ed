//! The same configurations under several loads: a row for each load, which one is the best there, and one answer over all.

use std::collections::BTreeMap;

use iotrial_model::bound::Amount;
use iotrial_model::circumstances::LoadInBrief;
use iotrial_model::figure::Figure;
use iotrial_model::metric::{Metric, MetricGroup, MetricKey};
use iotrial_model::recommendation::{
    Answer, ChangeOverLoads, LoadNames, OverLoadsAnswer, OverLoadsCost, OverLoadsFacts, OverLoadsReason,
    Reservation, ReservationKind,
};
use iotrial_model::record::AttributeValue;
use iotrial_model::stream::Stream;
use iotrial_words::recommendation as words;
use serde::Serialize;

use super::circumstances::{Circumstances, loads_in_words};
use super::configuration::Configuration;
use super::cost::{Price, price_of};
use super::delta::{BoundedDelta, Delta, Pair, Reading, stream_ranges};
use super::ranking::{Ranking, Standing};
use super::recommendation::Recommendation;
use super::sample::Outcome;

/// I/Os of this many bytes on average and more are told in MiB/s.
// «Inside SQL Server I/O best practices»: sequential I/O of 64 KiB and more is about throughput, random I/O of 8 KiB about the rate.
const LARGE_BYTES: f64 = 65_536.0;
/// MB/s that were printed as MiB/s are 5 % off; an I/O of 64 KiB is large all the same.
const SIZE_TOLERANCE: f64 = 0.94;

/// The configurations under each load, and which to take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoadMatrix {
    /// What is compared, in the order in which it was given.
    pub configurations: Vec<Contender>,
    /// Key of the configuration that changes are from.
    pub baseline: String,
    /// In the order in which they were given.
    pub loads: Vec<LoadRow>,
    /// Key of the configuration to take; `None` where none is the best under more than half of the loads.
    pub best: Option<String>,
    /// Under how many loads it is the best.
    pub best_count: usize,
    /// The answer in one sentence: where it does not hold, and what speaks against it.
    pub sentence: String,
    /// By how much, as a range over the loads.
    pub reasons: Vec<String>,
    /// What speaks against relying on it.
    #[serde(serialize_with = "super::reservation::in_json")]
    pub reservations: Vec<Reservation>,
    /// What the configurations cost, where they say it.
    pub cost: Option<String>,
    /// What the sentences are made of.
    #[serde(skip)]
    pub facts: OverLoadsFacts,
}

/// A configuration, whatever the load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contender {
    /// The same in the comparison under each load.
    pub key: String,
    /// What it is called.
    pub label: String,
    /// What distinguishes it under every load.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// Runs or rows under all loads.
    pub run_count: usize,
    /// The time that was measured under all loads; `None` for printed figures.
    pub measured_s: Option<f64>,
    /// Where, when and by what it was measured, under all loads.
    #[serde(skip)]
    pub circumstances: Circumstances,
    /// Whether its own figures contradict each other under any load.
    pub is_contradictory: bool,
    /// What it costs a month, where it says so.
    pub price: Option<Price>,
}

impl Contender {
    /// Key and label: `C (three volumes)`.
    pub fn title(&self) -> String {
        if self.key == self.label { self.key.clone() } else { format!("{} ({})", self.key, self.label) }
    }
}

/// What the configurations do under one load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoadRow {
    /// What the load is called.
    pub load: String,
    /// Jobs, block sizes and outstanding I/Os, each kind once; empty where it is not known.
    #[serde(rename = "in_words", serialize_with = "loads_in_words")]
    pub in_brief: Vec<LoadInBrief>,
    /// Keys of those that are the best there: one, several that share the first place, or none where only one was measured.
    pub best: Vec<String>,
    /// Throughput, or the capacity within the limits, and then what else is looked at first.
    pub metrics: Vec<LoadMetric>,
    /// What the verdicts say, by the key of the configuration; empty where nobody judged.
    pub outcomes: BTreeMap<String, Vec<Outcome>>,
    /// What the throughput costs a month, by the key of the configuration: of 1,000 IOPS, or of 100 MiB/s.
    pub price_per: BTreeMap<String, f64>,
}

/// One metric of all configurations under a load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoadMetric {
    /// Of what, without the load.
    pub metric: Metric,
    /// In the order of the configurations.
    pub cells: Vec<LoadCell>,
}

/// One metric of one configuration under a load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoadCell {
    /// Key of the configuration.
    pub configuration: String,
    /// Its figure, or the bound that is known of it; `None` where it is not known.
    pub value: Option<Amount>,
    /// Where the figure lies with 95 % confidence, looked at by itself; `None` where that is not known.
    #[serde(skip)]
    pub interval: Option<(f64, f64)>,
    /// The change from the baseline; `None` of the baseline itself, and where one of the two has no figure.
    pub delta: Option<Delta>,
    /// The same where one of the two is known only as a bound.
    pub bounded: Option<BoundedDelta>,
}

/// What the comparison under one load came to.
#[derive(Clone, Copy)]
pub(super) struct LoadAnswer<'c> {
    /// What the load is called.
    pub(super) load: &'c str,
    pub(super) configurations: &'c [Configuration],
    /// From the baseline to each of the others.
    pub(super) against_baseline: &'c [Pair],
    pub(super) recommendation: &'c Recommendation,
    /// The attribute of which the configurations have more or less, where that is all in which they differ.
    pub(super) counted: Option<&'c str>,
}

impl LoadMatrix {
    /// The matrix of a comparison whose metrics carry several loads; `None` where they do not.
    pub(super) fn of_stated(all: LoadAnswer<'_>, metrics: &[Metric], baseline: &str) -> Option<Self> {
        let mut loads: Vec<&str> = Vec::new();
        for load in metrics.iter().filter_map(|metric| metric.load.as_deref()) {
            if !loads.contains(&load) {
                loads.push(load);
            }
        }
        let row = |load: &&str| {
            let of_load = |metric: &&Metric| metric.load.as_deref() == Some(*load);
            let metrics: Vec<Metric> = metrics.iter().filter(of_load).cloned().collect();
            let has_any = |one: &&Configuration| metrics.iter().any(|metric| one.amount(metric).is_some());
            let measured: Vec<Configuration> = all.configurations.iter().filter(has_any).cloned().collect();
            let rankings = Ranking::all(&measured, &metrics, Metric::is_ranked);
            // Where a number of the same thing is all that differs, more of it does more, and nothing is the best.
            let best = match all.counted {
                Some(_) => Vec::new(),
                None => leaders(&Standing::all(&measured, &rankings)),
            };
            LoadRow::new(LoadAnswer { load, ..all }, Some(*load), best)
        };
        (loads.len() > 1).then(|| {
            let rows = loads.iter().map(row).collect();
            let reservations = all.recommendation.reservations.iter();
            let best = &all.recommendation.best;
            let reservations = reservations.map(|one| (best.clone(), one.clone())).collect();
            let contenders = all.configurations.iter().map(|one| Contender::of(&[one])).collect();
            Self::decide(contenders, baseline.to_owned(), rows, reservations, all.counted)
        })
    }

    /// The matrix of a comparison for each load.
    pub(super) fn of_comparisons(answers: &[LoadAnswer<'_>], keys: &[String], baseline: &str) -> Self {
        let contender = |key: &String| {
            let all = answers.iter().flat_map(|answer| answer.configurations);
            let all: Vec<&Configuration> = all.filter(|one| one.key == *key).collect();
            (!all.is_empty()).then(|| Contender::of(&all))
        };
        let row = |answer: &LoadAnswer<'_>| {
            // As above.
            let best = match &answer.recommendation.best {
                Some(best) => vec![best.clone()],
                None if answer.counted.is_some() => Vec::new(),
                // One alone is first, and not recommended.
                None if answer.recommendation.reservations.iter().any(Reservation::stops) => Vec::new(),
                None => leaders(&answer.recommendation.standings),
            };
            LoadRow::new(*answer, None, best)
        };
        let rows: Vec<LoadRow> = answers.iter().map(row).collect();
        let reservations = reservations_of(answers, &rows);
        let counted = answers.first().and_then(|first| first.counted);
        let counted = counted.filter(|_| answers.iter().all(|answer| answer.counted.is_some()));
        let contenders = keys.iter().filter_map(contender).collect();
        Self::decide(contenders, baseline.to_owned(), rows, reservations, counted)
    }

    /// `counted` is the attribute of which the configurations have more or less, where that is all in which they differ.
    fn decide(
        configurations: Vec<Contender>,
        baseline: String,
        loads: Vec<LoadRow>,
        reservations: Vec<OfLoads>,
        counted: Option<&str>,
    ) -> Self {
        let compared: Vec<&LoadRow> = loads.iter().filter(|row| row.is_compared()).collect();
        let wins = |one: &Contender| compared.iter().filter(|row| row.is_won_by(&one.key)).count();
        let most = configurations.iter().max_by_key(|one| wins(one));
        // More than half of the loads: that many only one can win.
        let best = most.filter(|one| 2 * wins(one) > compared.len());
        let answer = match counted {
            Some(attribute) if best.is_none() => {
                OverLoadsAnswer::Same(Answer::OnlyMore(attribute.to_owned()))
            }
            _ => answer(&configurations, best, &compared),
        };
        // What is said of another configuration than the one to take is told under its load.
        let is_meant = |one: &&OfLoads| {
            let of_best = matches!(one.1.kind(), ReservationKind::Froze | ReservationKind::LosesInRole);
            !of_best || best.is_some_and(|best| one.0.as_ref() == Some(&best.key))
        };
        let reservations: Vec<Reservation> =
            reservations.iter().filter(is_meant).map(|(_, one)| one.clone()).collect();
        let facts = OverLoadsFacts {
            answer,
            reasons: reasons(&configurations, best, &baseline, &compared),
            cost: cost(&configurations, &loads),
        };
        Self {
            best: best.map(|best| best.key.clone()),
            best_count: best.map_or(0, wins),
            sentence: words::with_reservations(
                &words::answer_over_loads(&facts.answer),
                best.is_some(),
                &reservations,
            ),
            reasons: facts.reasons.iter().map(words::reason_over_loads).collect(),
            reservations,
            cost: facts.cost.as_ref().map(words::cost_over_loads),
            facts,
            configurations,
            baseline,
            loads,
        }
    }

    /// One configuration by its key.
    pub fn configuration(&self, key: &str) -> Option<&Contender> {
        self.configurations.iter().find(|one| one.key == key)
    }

    /// The loads under which the best one is not the best.
    pub fn exceptions(&self) -> Vec<&str> {
        let is_won = |row: &LoadRow| self.best.as_ref().is_some_and(|best| row.is_won_by(best));
        let others = self.loads.iter().filter(|row| row.is_compared() && !is_won(row));
        others.map(|row| row.load.as_str()).collect()
    }

    /// Loads under which configurations could be compared.
    pub fn compared_count(&self) -> usize {
        self.loads.iter().filter(|row| row.is_compared()).count()
    }
}

/// A reservation, with the key of the configuration that is the best where it holds.
type OfLoads = (Option<String>, Reservation);

impl Contender {
    /// The configuration as it is under each load.
    fn of(all: &[&Configuration]) -> Self {
        let first = all[0];
        let is_everywhere = |(name, value): &(&String, &AttributeValue)| {
            all.iter().all(|one| one.attributes.get(*name) == Some(*value))
        };
        let attributes = first.attributes.iter().filter(is_everywhere);
        let mut circumstances = Circumstances::default();
        all.iter().for_each(|one| circumstances.merge(one.circumstances.clone()));
        Self {
            key: first.key.clone(),
            label: first.label.clone(),
            attributes: attributes.map(|(name, value)| (name.clone(), value.clone())).collect(),
            run_count: all.iter().map(|one| one.run_count()).sum(),
            measured_s: all.iter().map(|one| one.measured_s).sum(),
            circumstances,
            is_contradictory: all.iter().any(|one| one.is_contradictory()),
            price: price_of(first),
        }
    }
}

impl LoadRow {
    /// `in_metrics` is the load as the metrics of the comparison carry it; `None` where the comparison is of one load.
    fn new(answer: LoadAnswer<'_>, in_metrics: Option<&str>, best: Vec<String>) -> Self {
        let of_load = |key: MetricKey| Metric { load: in_metrics.map(str::to_owned), key };
        let configurations = answer.configurations;
        let metrics: Vec<MetricKey> = looked_at_first(configurations, &of_load);
        let cell = |one: &Configuration, metric: &Metric| {
            let is_pair = |pair: &&Pair| pair.configuration == one.key;
            let pair = answer.against_baseline.iter().find(is_pair);
            LoadCell {
                configuration: one.key.clone(),
                value: one.amount(metric),
                interval: one.interval(metric),
                delta: pair.and_then(|pair| pair.delta(metric)).cloned(),
                bounded: pair.and_then(|pair| pair.bounded_delta(metric)).cloned(),
            }
        };
        let metrics: Vec<LoadMetric> = metrics
            .into_iter()
            .map(|key| LoadMetric {
                cells: configurations.iter().map(|one| cell(one, &of_load(key.clone()))).collect(),
                metric: key.into(),
            })
            .filter(|one| !one.is_of_other_rates())
            .collect();
        let mut in_brief: Vec<LoadInBrief> = Vec::new();
        for load in configurations.iter().flat_map(|one| &one.circumstances.loads) {
            if in_metrics.is_none() && !in_brief.contains(load) {
                in_brief.push(load.clone());
            }
        }
        let outcomes = configurations.iter().filter(|one| !one.outcomes.is_empty() && in_metrics.is_none());
        let price_per = metrics.first().filter(|one| one.metric.group() == MetricGroup::Throughput);
        let price_per = price_per.map(|rate| rate.price_per(configurations)).unwrap_or_default();
        Self {
            load: answer.load.to_owned(),
            in_brief,
            best,
            outcomes: outcomes.map(|one| (one.key.clone(), one.outcomes.clone())).collect(),
            metrics,
            price_per,
        }
    }

    /// Whether two configurations at least were measured under it.
    pub fn is_compared(&self) -> bool {
        let known = |one: &LoadMetric| one.cells.iter().filter(|cell| cell.value.is_some()).count();
        self.metrics.iter().map(known).max().unwrap_or_default() > 1
    }

    /// Whether this one alone is the best under it.
    pub fn is_won_by(&self, key: &str) -> bool {
        matches!(self.best.as_slice(), [only] if only == key)
    }
}

impl LoadMetric {
    /// Whether each was measured at the rate that a search found for it, so that its latency follows from that rate.
    fn is_of_other_rates(&self) -> bool {
        self.cells.iter().filter_map(|cell| cell.delta.as_ref()).any(|one| one.reading == Reading::OtherRate)
    }

    /// How much of the metric the price is of.
    pub fn price_unit(&self) -> (f64, &'static str) {
        match self.metric.key.figure() {
            Some((_, Figure::Bandwidth)) => (100.0, "100 MiB/s"),
            _ => (1_000.0, "1,000 IOPS"),
        }
    }

    /// What that much costs a month, of each configuration that says what it costs.
    fn price_per(&self, configurations: &[Configuration]) -> BTreeMap<String, f64> {
        let (unit, _) = self.price_unit();
        let price = |cell: &LoadCell| {
            let one = configurations.iter().find(|one| one.key == cell.configuration)?;
            let rate = cell.value?.exact().filter(|rate| *rate > 0.0)?;
            Some((one.key.clone(), unit * price_of(one)?.per_month / rate))
        };
        self.cells.iter().filter_map(price).collect()
    }
}

/// The keys of those that share the first place over all metrics.
fn leaders(standings: &[Standing]) -> Vec<String> {
    Standing::leaders(standings).iter().map(|one| one.configuration.clone()).collect()
}

/// What is looked at first of a load: its throughput, or the highest rate within the limits, and then what its sessions wait for.
pub(super) fn looked_at_first(
    configurations: &[Configuration],
    of_load: &impl Fn(MetricKey) -> Metric,
) -> Vec<MetricKey> {
    let is_known = |key: &MetricKey| {
        let metric = of_load(key.clone());
        configurations.iter().any(|one| one.amount(&metric).is_some())
    };
    let figure =
        |stream: Stream, figure: Figure| Some(MetricKey::Figure(stream, figure)).filter(|key| is_known(key));
    let streams = [Stream::Mixed, Stream::Read, Stream::Write, Stream::Commit];
    let rate = streams.into_iter().find_map(|stream| {
        let (iops, bandwidth) = (figure(stream, Figure::Iops), figure(stream, Figure::Bandwidth));
        let is_large = configurations.iter().find_map(|one| {
            let value = |key: &Option<MetricKey>| one.figure(&of_load(key.clone()?));
            Some(value(&bandwidth)? * 1_048_576.0 / value(&iops)? >= LARGE_BYTES * SIZE_TOLERANCE)
        });
        if is_large == Some(true) { bandwidth.or(iops) } else { iops.or(bandwidth) }
    });
    let capacity = Some(MetricKey::Capacity).filter(|key| is_known(key));
    let latencies = |stream: Stream| {
        [Figure::LatencyP99, Figure::LatencyMean, Figure::LatencyP50]
            .into_iter()
            .find_map(|one| figure(stream, one))
    };
    let of_commits = latencies(Stream::Commit);
    let of_others = [Stream::Read, Stream::Write, Stream::Mixed].into_iter().filter_map(latencies);
    let waited_for: Vec<MetricKey> = match of_commits {
        Some(of_commits) => vec![of_commits],
        None => of_others.take(2).collect(),
    };
    let mut named: Vec<MetricKey> = Vec::new();
    for (metric, _) in configurations.iter().flat_map(|one| &one.figures) {
        let is_application =
            metric.group() == MetricGroup::Application && *metric == of_load(metric.key.clone());
        if is_application && !named.contains(&metric.key) {
            named.push(metric.key.clone());
        }
    }
    capacity.or(rate).into_iter().chain(waited_for).chain(named).collect()
}

/// What speaks against the answers under each load: said once where it is the same of all, else with the loads.
fn reservations_of(answers: &[LoadAnswer<'_>], rows: &[LoadRow]) -> Vec<OfLoads> {
    let mut told: Vec<(OfLoads, Vec<String>)> = Vec::new();
    for (answer, row) in answers.iter().zip(rows) {
        for one in &answer.recommendation.reservations {
            let best = row.best.first().filter(|_| row.best.len() == 1).cloned();
            match told.iter_mut().find(|(known, _)| known.1 == *one && known.0 == best) {
                Some((_, loads)) => loads.push(answer.load.to_owned()),
                None => told.push(((best, one.clone()), vec![answer.load.to_owned()])),
            }
        }
    }
    let mut all: Vec<OfLoads> = Vec::new();
    for ((best, one), loads) in told {
        let is_whole = answers.iter().all(|answer| answer.recommendation.reservations.contains(&one));
        let one = if is_whole { one } else { Reservation::UnderLoads(loads, Box::new(one)) };
        if !all.iter().any(|(known_best, known)| *known == one && (is_whole || *known_best == best)) {
            all.push((best, one));
        }
    }
    all
}

fn answer(configurations: &[Contender], best: Option<&Contender>, compared: &[&LoadRow]) -> OverLoadsAnswer {
    let load_count = compared.len();
    let loads_of = |is_meant: &dyn Fn(&LoadRow) -> bool| -> LoadNames {
        compared.iter().filter(|row| is_meant(row)).map(|row| row.load.clone()).collect()
    };
    let undecided = loads_of(&|row| row.best.len() != 1);
    let won = |one: &Contender| loads_of(&|row| row.is_won_by(&one.key));
    let others = configurations.iter().filter(|one| best.is_none_or(|best| best.key != one.key));
    let others = others.map(|one| (one.title(), won(one))).filter(|(_, loads)| !loads.is_empty());
    let others: Vec<(String, LoadNames)> = others.collect();
    match best.map(|best| (best.title(), won(best))) {
        None if load_count == 0 => OverLoadsAnswer::NoCommonLoad,
        None if others.is_empty() => OverLoadsAnswer::NoneShown(undecided),
        None => OverLoadsAnswer::NoneUnderMost { load_count, winners: others, undecided },
        Some((best, loads)) if loads.len() == load_count => OverLoadsAnswer::BestUnderAll { best, loads },
        Some((best, loads)) => {
            OverLoadsAnswer::BestUnderMost { best, best_count: loads.len(), load_count, others, undecided }
        }
    }
}

/// By how much the best one and the baseline differ, as ranges over the loads: where it is the best, and where it is not.
fn reasons(
    configurations: &[Contender],
    best: Option<&Contender>,
    baseline: &str,
    compared: &[&LoadRow],
) -> Vec<OverLoadsReason> {
    let Some(best) = best else { return Vec::new() };
    if best.key == baseline {
        // Changes are from it: each of the others is told.
        let others = configurations.iter().filter(|one| one.key != baseline);
        let of = |one: &Contender| ChangeOverLoads::OfOther { other: one.title(), best: best.key.clone() };
        return others.filter_map(|one| reason(of(one), &one.key, compared)).collect();
    }
    let Some(baseline) = configurations.iter().find(|one| one.key == baseline).map(Contender::title) else {
        return Vec::new();
    };
    let (won, others): (Vec<&LoadRow>, Vec<&LoadRow>) =
        compared.iter().partition(|row| row.is_won_by(&best.key));
    if others.is_empty() {
        return reason(ChangeOverLoads::OfBest(baseline), &best.key, &won).into_iter().collect();
    }
    let loads = others.iter().map(|row| row.load.clone()).collect();
    let where_best = ChangeOverLoads::WhereBest { baseline: baseline.clone(), best: best.key.clone() };
    let where_not_best = ChangeOverLoads::WhereNotBest { baseline, loads };
    let both = [(where_best, won), (where_not_best, others)];
    both.into_iter().filter_map(|(of, rows)| reason(of, &best.key, &rows)).collect()
}

/// `None` where no change of this configuration is shown.
fn reason(of: ChangeOverLoads, key: &str, rows: &[&LoadRow]) -> Option<OverLoadsReason> {
    const GROUPS: [MetricGroup; 3] =
        [MetricGroup::Throughput, MetricGroup::TypicalLatency, MetricGroup::TailLatency];
    let deltas = deltas_of(key, rows);
    // Over many loads some always show nothing: what is told is where something changes.
    let is_shown = |delta: &Delta| delta.reading.is_better() || delta.reading.is_worse();
    let of_group = |group: MetricGroup| {
        let of_group = deltas.iter().filter(|delta| delta.metric.group() == group);
        (group, stream_ranges(of_group.copied().filter(|delta| is_shown(delta))))
    };
    let ranges = GROUPS.map(of_group).to_vec();
    let is_partly = deltas.iter().any(|delta| GROUPS.contains(&delta.metric.group()) && !is_shown(delta));
    let has_any = ranges.iter().any(|(_, ranges)| !ranges.is_empty());
    has_any.then_some(OverLoadsReason { of, ranges, is_partly })
}

/// All changes of a configuration from the baseline under these loads.
fn deltas_of<'r>(key: &str, rows: &[&'r LoadRow]) -> Vec<&'r Delta> {
    let metrics = rows.iter().flat_map(|row| &row.metrics);
    let cells = metrics.flat_map(|metric| &metric.cells).filter(|cell| cell.configuration == key);
    cells.filter_map(|cell| cell.delta.as_ref()).collect()
}

/// What the configurations cost, and under how many loads which of them costs least for what it does.
fn cost(configurations: &[Contender], loads: &[LoadRow]) -> Option<OverLoadsCost> {
    let priced: Vec<(&Contender, &Price)> =
        configurations.iter().filter_map(|one| Some((one, one.price.as_ref()?))).collect();
    let (_, first) = priced.first().filter(|_| priced.len() > 1)?;
    // Two currencies are no comparison.
    if priced.iter().any(|(_, price)| price.currency != first.currency) {
        return None;
    }
    let told: Vec<&LoadRow> = loads.iter().filter(|row| row.price_per.len() > 1).collect();
    let is_least = |row: &LoadRow, key: &str| {
        let least = row.price_per.values().copied().fold(f64::INFINITY, f64::min);
        row.price_per.get(key).is_some_and(|price| *price <= least)
    };
    let least_count = |key: &str| told.iter().filter(|row| is_least(row, key)).count();
    let cheapest = priced.iter().map(|(one, _)| (one.key.clone(), least_count(&one.key)));
    Some(OverLoadsCost {
        currency: first.currency.clone(),
        per_month: priced.iter().map(|(one, price)| (one.title(), price.per_month)).collect(),
        cheapest: cheapest.filter(|(_, count)| *count > 0).collect(),
        load_count: told.len(),
    })
}
