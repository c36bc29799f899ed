//! The recommendation: which configuration, by how much, what to avoid and why, and what it costs.
//!
//! What decides is data; `iotrial_words::recommendation` says it.

use iotrial_model::bound::{BoundRelation, Bounded};
use iotrial_model::metric::{Metric, MetricGroup};
use iotrial_model::recommendation::{
    Answer, AvoidFact, Effect, FactorFact, GroupRanges, ReasonFact, RecommendationFacts, Reservation,
    ReservationKind, Scaling, SureBound,
};
use iotrial_model::stream::Stream;
use iotrial_words::recommendation as words;
use serde::Serialize;

use super::configuration::{Configuration, title_of};
use super::cost::{cost, cpu_cost};
use super::delta::{Delta, Pair, Reading, stream_ranges};
use super::factor::{Factor, FactorPair, GroupChange, varying_attributes};
use super::host_difference::HostDifference;
use super::ranking::{Ranking, Standing};
use super::reservation::{freezes, reservations};
use super::scaling::is_counted;
use super::tail_cause::{TailCauses, tail_causes};
use super::tail_problem::{TailProblem, exceptions, tail_problems};
use crate::student::MUCH_FACTOR;
use crate::verdict::Category;

/// What to take and what not.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Recommendation {
    /// Key of the configuration to take; `None` where none is shown to be the best, and where that one loses in all latencies of a role.
    pub best: Option<String>,
    /// The answer in one sentence. What speaks against it is in the same sentence.
    pub sentence: String,
    /// Why the best one, or the whole comparison, is not to be relied upon; none of most.
    #[serde(serialize_with = "super::reservation::in_json")]
    pub reservations: Vec<Reservation>,
    /// By how much, and where not.
    pub reasons: Vec<String>,
    /// What each factor does.
    pub factors: Vec<String>,
    /// Changes that look better than they are.
    pub tail_problems: Vec<TailProblem>,
    /// The same in sentences.
    pub exceptions: Vec<String>,
    /// In what configurations with worse tails differ from those that they were compared with; empty where nothing is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tail_causes: Vec<TailCauses>,
    /// What a larger number of the same thing does.
    pub scaling: Vec<String>,
    /// What not to take, the worst reason first. A second choice is not among them.
    pub avoid: Vec<Avoid>,
    /// What the best one costs in money, where the configurations say what they cost.
    pub cost: Option<String>,
    /// What the best one costs in CPU time; `None` where that was not measured.
    pub cpu: Option<String>,
    /// All configurations by their mean place, the best first.
    pub standings: Vec<Standing>,
    /// What the sentences are made of.
    #[serde(skip)]
    pub facts: RecommendationFacts,
}

/// A configuration not to take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Avoid {
    /// Key of the configuration.
    pub configuration: String,
    /// The reason in words.
    pub reason: String,
    /// What shows it.
    #[serde(skip)]
    pub facts: Vec<AvoidFact>,
}

/// By which factor one that is worse in everything has to be worse in most metrics before it is advised against.
// A choice: worse everywhere by a little is another choice, not something to avoid.
const AVOID_FACTOR: f64 = 1.25;
/// The same of the second best: it must be half as good, or it is a second choice.
const AVOID_SECOND_FACTOR: f64 = MUCH_FACTOR;
/// Of so many metrics at most one is better in a configuration that is advised against for its reads or its writes.
// A choice: 2 of 490 metrics, of a device whose write cache is off, are no reason to take it.
const EXCEPTIONS_OF: usize = 20;

/// What is known when it is decided.
pub(super) struct Evidence<'c> {
    pub(super) configurations: &'c [Configuration],
    pub(super) scaling: &'c [Scaling],
    pub(super) rankings: &'c [Ranking],
    pub(super) factors: &'c [Factor],
    pub(super) against_baseline: &'c [Pair],
    pub(super) host_differences: &'c [HostDifference],
    pub(super) baseline: usize,
}

impl Recommendation {
    pub(super) fn decide(evidence: &Evidence<'_>) -> Self {
        let configurations = evidence.configurations;
        let standings = Standing::all(configurations, evidence.rankings);
        let leaders = Standing::leaders(&standings);
        let is_scaling = is_scaling(configurations, evidence.scaling);
        let first = match leaders {
            // More of the same does more, which is no reason to buy it.
            _ if is_scaling => None,
            // A tie has no winner, and the sentence says so. Picking the first of them would depend on the
            // order of the input.
            [one] => Some(one.index),
            _ => None,
        };
        let against_first: Vec<Pair> = first.map_or_else(Vec::new, |first| {
            // `skip(1)` skips the first itself, which a unique leader is.
            let others = standings.iter().skip(1).map(|other| &configurations[other.index]);
            others.map(|other| Pair::new(&configurations[first], other)).collect()
        });
        let tail_problems = tail_problems(evidence.factors, evidence.against_baseline, &against_first);
        let reservations = reservations(configurations, first, &against_first);
        // What is first in the most metrics and makes every commit wait twice as long is a choice that nobody can make for the user.
        let best = first.filter(|_| !reservations.iter().any(Reservation::stops));
        let title = |key: &str| title_of(configurations, key);
        let scaling_words = |one: &Scaling| words::scaling(one, &title(&one.from), &title(&one.to));
        let scaling: Vec<String> = evidence.scaling.iter().map(scaling_words).collect();
        let ranked = || evidence.against_baseline.iter().flat_map(Pair::ranked);
        let is_unknown = ranked().next().is_some() && ranked().all(|delta| delta.reading.is_unknown());
        let answer = match evidence.scaling.first().filter(|_| is_scaling) {
            Some(scaling) => Answer::OnlyMore(scaling.attribute.clone()),
            None => answer(configurations, leaders, evidence.rankings, &reservations, is_unknown),
        };
        let mut sentence = words::answer(&answer);
        if let Some(scaling) = scaling.first().filter(|_| is_scaling) {
            sentence = format!("{sentence} {scaling}");
        }
        // Costs are relative to what people know, the baseline. Where that won, to the alternative.
        let against = best.map(|best| {
            let second = standings.get(1).map_or(best, |second| second.index);
            let other = if evidence.baseline == best { second } else { evidence.baseline };
            (&configurations[best], &configurations[other])
        });
        let metric_count = evidence.rankings.len();
        let avoid = best.map(|best| {
            avoid(configurations, &configurations[best], &against_first, &tail_problems, metric_count)
        });
        // What freezes first: of tails there may be more than a page shows.
        let exceptions = freezes(configurations, first).chain(exceptions(configurations, &tail_problems));
        let facts = RecommendationFacts {
            answer: Some(answer),
            reasons: first
                .map_or_else(Vec::new, |first| reasons(configurations, first, &standings, &against_first)),
            factors: factor_facts(evidence.factors),
            exceptions: exceptions.collect(),
            cost: against.and_then(|(best, other)| cost(best, other)),
            cpu: against.and_then(|(best, other)| cpu_cost(best, other)),
        };
        Self {
            best: best.map(|best| configurations[best].key.clone()),
            sentence: words::with_reservations(&sentence, first.is_some(), &reservations),
            reservations,
            reasons: facts.reasons.iter().map(words::reason).collect(),
            factors: facts.factors.iter().map(words::factor).collect(),
            tail_causes: tail_causes(configurations, &tail_problems, evidence.host_differences),
            tail_problems,
            exceptions: facts.exceptions.iter().map(words::exception).collect(),
            scaling,
            avoid: avoid.unwrap_or_default(),
            cost: facts.cost.as_ref().map(words::cost),
            cpu: facts.cpu.as_ref().map(words::cpu_cost),
            standings,
            facts,
        }
    }
}

/// Whether the configurations are the same thing in different numbers, and nothing else.
pub(super) fn is_scaling(configurations: &[Configuration], scaling: &[Scaling]) -> bool {
    let differing = varying_attributes(configurations);
    let is_one = matches!(differing.as_slice(), [only] if is_counted(only));
    is_one && !scaling.is_empty()
}

fn answer(
    configurations: &[Configuration],
    leaders: &[Standing],
    rankings: &[Ranking],
    reservations: &[Reservation],
    is_unknown: bool,
) -> Answer {
    let froze = reservations.iter().any(|one| one.kind() == ReservationKind::Froze);
    match leaders {
        [] => Answer::NoCommonMetric,
        [first] => {
            let best = configurations[first.index].title();
            let whole: Vec<&Ranking> =
                rankings.iter().filter(|ranking| ranking.places.len() == configurations.len()).collect();
            let (first_count, metric_count) = (first.first_count, whole.len());
            if reservations.iter().any(Reservation::stops) {
                return Answer::FirstButLosesRole { first: best, first_count, metric_count };
            }
            if let [only] = whole.as_slice() {
                return Answer::BestInOne { best, metric: only.metric.clone() };
            }
            match first_count == metric_count {
                _ if froze => Answer::FirstButFreezes { best, first_count, metric_count },
                // First everywhere and alone everywhere: only then is the mean exactly 1.
                true if first.mean_place <= 1.0 + 1e-9 => Answer::BestInAll { best, metric_count },
                true => Answer::BestWithTies { best, metric_count },
                false => Answer::BestOverall { best, first_count, metric_count },
            }
        }
        several if several.len() == configurations.len() && is_unknown => Answer::TooLittle,
        several if several.len() == configurations.len() => Answer::NoWinner,
        several => Answer::Shared(several.iter().map(|one| configurations[one.index].title()).collect()),
    }
}

fn group_ranges<'p>(pair: &'p Pair, is_meant: impl Fn(&Delta) -> bool + 'p) -> GroupRanges {
    let is_meant = &is_meant;
    let of_group =
        |group: &MetricGroup| (*group, stream_ranges(pair.of_group(*group).filter(|delta| is_meant(delta))));
    MetricGroup::RANKED.iter().map(of_group).collect()
}

fn reasons(
    configurations: &[Configuration],
    best: usize,
    standings: &[Standing],
    against_best: &[Pair],
) -> Vec<ReasonFact> {
    let mut reasons = Vec::new();
    let best = &configurations[best];
    if let Some(second) = standings.get(1) {
        let second = &configurations[second.index];
        // From the second to the best, so that signs read as the gain of the recommended one.
        let pair = Pair::new(second, best);
        let ranges = group_ranges(&pair, |_| true);
        // Of bounds alone there are no ranges.
        if ranges.iter().any(|(_, ranges)| !ranges.is_empty()) {
            reasons.push(ReasonFact::AgainstSecond { second: second.title(), ranges });
        }
        let bounds = sure_bounds(&pair);
        reasons.extend((!bounds.is_empty()).then_some(ReasonFact::SureBounds(bounds)));
    }
    for pair in against_best {
        let change = |delta: &Delta| (delta.metric.clone(), delta.percent);
        // `against_best` goes from the best to the other, so «better» is what the other one wins.
        let over_all: Vec<_> = pair.ranked().filter(|delta| delta.reading.is_better()).map(change).collect();
        let is_of_role = |delta: &&Delta| delta.reading.is_better() && !pair.is_of_all(delta);
        let in_roles: Vec<_> = pair.ranked_in_roles().filter(is_of_role).map(change).collect();
        for (is_by_role, changes) in [(false, over_all), (true, in_roles)] {
            if !changes.is_empty() {
                let other = title_of(configurations, &pair.configuration);
                reasons.push(ReasonFact::OtherBetter { other, is_by_role, changes });
            }
        }
    }
    reasons
}

/// What bounds say for sure.
fn sure_bounds(pair: &Pair) -> Vec<SureBound> {
    let sure = pair.bounded.iter().filter(|delta| delta.metric.is_ranked()).filter_map(|delta| {
        let Bounded { relation, value: percent } = delta.sure_change()?;
        Some(SureBound {
            metric: delta.metric.clone(),
            // Below −75 is a fall by more than that.
            is_beyond: matches!(relation, BoundRelation::Below | BoundRelation::Above),
            percent,
            from: delta.from,
            to: delta.to,
        })
    });
    sure.collect()
}

fn factor_facts(factors: &[Factor]) -> Vec<FactorFact> {
    let mut facts = Vec::new();
    for factor in factors {
        for step in factor.steps() {
            let changes = factor.changes(step);
            // Where bounds are sure of a change, or too little was measured, «no difference shown» would be wrong.
            let is_told = |one: &&GroupChange| {
                one.ranges.iter().any(|range| range.shown_percent.is_some())
                    || one.better_count + one.worse_count == 0 && one.unknown_count < one.count
            };
            let told = changes.iter().filter(is_told);
            facts.push(FactorFact {
                attribute: factor.attribute.clone(),
                from: step.0.to_owned(),
                to: step.1.to_owned(),
                effect: effect(factor, step, &changes),
                // Of several pairs each metric counts several times.
                has_several_pairs: pairs_of(factor, step).count() > 1,
                ranges: told.map(|one| (one.group, one.ranges.clone())).collect(),
            });
        }
    }
    facts
}

fn pairs_of<'f>(factor: &'f Factor, step: (&str, &str)) -> impl Iterator<Item = &'f FactorPair> {
    factor.pairs.iter().filter(move |pair| (pair.from.as_str(), pair.to.as_str()) == step)
}

/// Up to this many changes are listed one by one where all others go the other way.
// A choice: beyond four the exceptions are the rule's other half, and are counted instead.
const MOST_EXCEPTIONS: usize = 4;

fn effect(factor: &Factor, step: (&str, &str), changes: &[GroupChange]) -> Effect {
    let sum = |of: fn(&GroupChange) -> usize| changes.iter().map(of).sum::<usize>();
    let (better_count, worse_count, count) =
        (sum(|one| one.better_count), sum(|one| one.worse_count), sum(|one| one.count));
    let unknown_count = sum(|one| one.unknown_count);
    let exceptions = |is_exception: fn(Reading) -> bool| -> Vec<(Metric, String)> {
        let named = pairs_of(factor, step).flat_map(|pair| {
            let deltas = pair.pair.ranked().filter(move |delta| is_exception(delta.reading));
            deltas.map(|delta| (delta.metric.clone(), pair.same.clone()))
        });
        named.collect()
    };
    match (better_count, worse_count) {
        (0, 0) if unknown_count == count => Effect::Unknown,
        (0, 0) if unknown_count > 0 => Effect::NoneKnown { known_count: count - unknown_count, count },
        (0, 0) => Effect::None,
        (better, _) if better == count => Effect::AllBetter,
        (_, worse) if worse == count => Effect::AllWorse,
        (_, 0) | (0, _) => Effect::Some { better_count, worse_count, count },
        // Twice as many at least, or «except for» would misname an even split.
        (better, worse) if worse <= MOST_EXCEPTIONS && better > 2 * worse => {
            Effect::BetterExcept(exceptions(Reading::is_worse))
        }
        (better, worse) if better <= MOST_EXCEPTIONS && worse > 2 * better => {
            Effect::WorseExcept(exceptions(Reading::is_better))
        }
        _ => Effect::Some { better_count, worse_count, count },
    }
}

fn avoid(
    configurations: &[Configuration],
    best: &Configuration,
    against_best: &[Pair],
    problems: &[TailProblem],
    metric_count: usize,
) -> Vec<Avoid> {
    let mut avoided: Vec<(bool, Avoid)> = Vec::new();
    // In the order of their places, so that the first one is the second best.
    for (place, pair) in against_best.iter().enumerate() {
        let Some(one) = configurations.iter().find(|one| one.key == pair.configuration) else { continue };
        // Only a problem against the recommended one is a reason to avoid; a worse tail than a third
        // configuration is not.
        let problem = problems
            .iter()
            .filter(|problem| problem.configuration == pair.configuration && problem.tail.reading.is_worse())
            .find(|problem| problem.baseline == best.key);
        let ranked = pair.ranked().count();
        let is_worse_in_all = pair.ranked().all(|delta| delta.reading.is_worse());
        let least = if place == 0 { AVOID_SECOND_FACTOR } else { AVOID_FACTOR };
        let far = pair.ranked().filter(|delta| delta.gain_factor().recip() >= least).count();
        let mut reasons = Vec::new();
        reasons.extend(problem.map(|problem| AvoidFact::Tail(problem.fact())));
        if let Some(category) = critical(one, best) {
            reasons.push(AvoidFact::Judged(category, best.key.clone()));
        }
        // Worse by a percent in all metrics is certain and harmless.
        let is_worse_over_all = is_worse_in_all && 2 * far > ranked;
        // Before its tail, which says less than that all the rest is as much worse.
        if !is_worse_over_all && let Some(stream) = much_worse_stream(pair, best, least) {
            reasons.insert(0, stream);
        }
        if is_worse_over_all {
            reasons.push(AvoidFact::All {
                best: best.key.clone(),
                only: pair.ranked().next().filter(|_| ranked == 1).map(|only| only.metric.clone()),
                metric_count: ranked,
                has_others: ranked != metric_count,
                ranges: group_ranges(pair, |_| true),
            });
        }
        if !reasons.is_empty() {
            let reason = words::avoid(&reasons);
            let avoid = Avoid { configuration: pair.configuration.clone(), reason, facts: reasons };
            avoided.push((problem.is_none(), avoid));
        }
    }
    // Those with a tail problem come first, the others in the order of their places.
    avoided.sort_by_key(|(has_no_problem, _)| *has_no_problem);
    avoided.into_iter().map(|(_, avoid)| avoid).collect()
}

/// The reads, writes or commits that are much worse than those of the best one, of a configuration that is better in next to nothing.
fn much_worse_stream(pair: &Pair, best: &Configuration, least: f64) -> Option<AvoidFact> {
    // One that wins something is a choice between reads and writes, and not advised against.
    if EXCEPTIONS_OF * pair.ranked().filter(|delta| delta.reading.is_better()).count() > pair.ranked().count()
    {
        return None;
    }
    let is_of =
        |delta: &Delta, stream: Stream| delta.metric.key.figure().is_some_and(|(of, _)| of.stream == stream);
    Stream::ALL.iter().find_map(|&stream| {
        let of_stream = || pair.ranked().filter(move |delta| is_of(delta, stream));
        let (count, far) =
            (of_stream().count(), of_stream().filter(|delta| delta.gain_factor().recip() >= least).count());
        // Of one metric alone there is no «all».
        let is_worse = count > 1 && of_stream().all(|delta| delta.reading.is_worse()) && 2 * far > count;
        is_worse.then(|| AvoidFact::Stream {
            stream,
            best: best.key.clone(),
            metric_count: count,
            ranges: group_ranges(pair, |delta| is_of(delta, stream)),
        })
    })
}

/// Its category, where that is critical or worse and the one of the best is acceptable or better.
fn critical(one: &Configuration, best: &Configuration) -> Option<Category> {
    let is_fine = best.worst_category().is_some_and(|category| category <= Category::Acceptable);
    one.worst_category().filter(|category| is_fine && *category >= Category::Critical)
}
