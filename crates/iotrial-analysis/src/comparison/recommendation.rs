//! The recommendation: which configuration, by how much, what to avoid and why, and what it costs.
//!
//! Every sentence is generated from what decided it.

use iotrial_model::bound::Amount;
use iotrial_model::metric::{Metric, MetricGroup, MetricKey};
use iotrial_model::stream::Stream;
use iotrial_words::changes::{change, groups_in_words, ios_of, names_of};
use iotrial_words::recommendation as words;
use serde::Serialize;

use super::configuration::Configuration;
use super::cost::{cost, cpu_cost};
use super::delta::{Delta, MUCH_FACTOR, Pair, Reading, stream_ranges};
use super::factor::{Factor, GroupChange, varying_attributes};
use super::ranking::{LEAST_WEIGHT_PERCENT, Ranking, Standing};
use super::reservation::{Reservation, ReservationKind, freezes, reservations};
use super::scaling::{Scaling, is_counted};
use super::tail_problem::{TailProblem, exceptions, tail_problems};
use crate::verdict::Category;
use crate::words::{latency_in_words, with_thousands};

/// What to take and what not.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Recommendation {
    /// Key of the configuration to take; `None` where none is shown to be the best.
    pub best: Option<String>,
    /// The answer in one sentence. What speaks against it is in the same sentence.
    pub sentence: String,
    /// Why the best one, or the whole comparison, is not to be relied upon; none of most.
    pub reservations: Vec<Reservation>,
    /// By how much, and where not.
    pub reasons: Vec<String>,
    /// What each factor does.
    pub factors: Vec<String>,
    /// Changes that look better than they are.
    pub tail_problems: Vec<TailProblem>,
    /// The same in sentences.
    pub exceptions: Vec<String>,
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
}

/// A configuration not to take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Avoid {
    /// Key of the configuration.
    pub configuration: String,
    /// The reason in words.
    pub reason: String,
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
    pub(super) baseline: usize,
}

impl Recommendation {
    pub(super) fn decide(evidence: &Evidence<'_>) -> Self {
        let configurations = evidence.configurations;
        let standings = Standing::all(configurations, evidence.rankings);
        let leaders: Vec<&Standing> =
            // Means of places are sums of fractions; equal ones may differ in the last bit.
            standings.iter().take_while(|one| one.mean_place - standings[0].mean_place < 1e-9).collect();
        let is_scaling = is_scaling(configurations, evidence.scaling);
        let best = match leaders.as_slice() {
            // More of the same does more, which is no reason to buy it.
            _ if is_scaling => None,
            // A tie has no winner, and the sentence says so. Picking the first of them would depend on the
            // order of the input.
            [one] => Some(one.index),
            _ => None,
        };
        let against_best: Vec<Pair> = best.map_or_else(Vec::new, |best| {
            // `skip(1)` skips the best itself, which a unique leader is.
            let others = standings.iter().skip(1).map(|other| &configurations[other.index]);
            others.map(|other| Pair::new(&configurations[best], other)).collect()
        });
        let tail_problems = tail_problems(evidence, &against_best);
        let reservations = reservations(configurations, best, &against_best);
        let scaling = scaling_sentences(configurations, evidence.scaling);
        let ranked = || evidence.against_baseline.iter().flat_map(Pair::ranked);
        let is_unknown = ranked().next().is_some() && ranked().all(|delta| delta.reading.is_unknown());
        let answer = match scaling.first().zip(evidence.scaling.first()).filter(|_| is_scaling) {
            Some((words, scaling)) => format!("{} {words}", differ_only_in(&scaling.attribute)),
            None => sentence(configurations, &leaders, evidence.rankings, &reservations, is_unknown),
        };
        // What freezes first: of tails there may be more than a page shows.
        let exceptions = freezes(configurations, best).chain(exceptions(configurations, &tail_problems));
        let exceptions = exceptions.map(|fact| words::exception(&fact)).collect();
        Self {
            best: best.map(|best| configurations[best].key.clone()),
            sentence: words::with_reservations(
                &answer,
                best.is_some(),
                reservations.iter().map(|one| &one.cause),
            ),
            reservations,
            scaling,
            cost: best.and_then(|best| {
                let second = standings.get(1).map_or(best, |second| second.index);
                let other = if evidence.baseline == best { second } else { evidence.baseline };
                Some(words::cost(&cost(&configurations[best], &configurations[other])?))
            }),
            reasons: best
                .map_or_else(Vec::new, |best| reasons(configurations, best, &standings, &against_best)),
            factors: factor_sentences(evidence.factors),
            exceptions,
            avoid: best.map_or_else(Vec::new, |best| {
                avoid(
                    configurations,
                    &configurations[best],
                    &against_best,
                    &tail_problems,
                    evidence.rankings.len(),
                )
            }),
            cpu: best.and_then(|best| {
                let second = standings.get(1).map_or(best, |second| second.index);
                // Costs are relative to what people know, the baseline. Where that won, to the alternative.
                let other = if evidence.baseline == best { second } else { evidence.baseline };
                Some(words::cpu_cost(&cpu_cost(&configurations[best], &configurations[other])?))
            }),
            tail_problems,
            standings,
        }
    }
}

/// Why nothing is recommended where one configuration only has more of the same.
pub(super) fn differ_only_in(attribute: &str) -> String {
    format!("The configurations differ only in “{attribute}”, so none is recommended.")
}

/// Whether the configurations are the same thing in different numbers, and nothing else.
pub(super) fn is_scaling(configurations: &[Configuration], scaling: &[Scaling]) -> bool {
    let differing = varying_attributes(configurations);
    let is_one = matches!(differing.as_slice(), [only] if is_counted(only));
    is_one && !scaling.is_empty()
}

fn scaling_sentences(configurations: &[Configuration], scaling: &[Scaling]) -> Vec<String> {
    let sentence = |one: &Scaling| {
        let title = |key: &str| titles(configurations, key);
        let load = one.metric.load.as_ref().map(|load| format!(" under {load}")).unwrap_or_default();
        format!(
            "From {} to {} {}, {} against {}: {}{load} grows from {} to {}, a factor of {:.2} ({:.0} % efficiency).",
            one.from_count,
            one.to_count,
            one.attribute,
            title(&one.to),
            title(&one.from),
            Metric { load: None, ..one.metric.clone() }.title(),
            with_thousands(one.from_value),
            with_thousands(one.to_value),
            one.to_value / one.from_value,
            one.efficiency_percent
        )
    };
    scaling.iter().map(sentence).collect()
}

pub(super) fn titles(configurations: &[Configuration], key: &str) -> String {
    configurations.iter().find(|one| one.key == key).map_or_else(|| key.to_owned(), Configuration::title)
}

/// `both metrics`, `all 10 metrics`.
fn all_metrics(count: usize) -> String {
    if count == 2 { "both metrics".to_owned() } else { format!("all {count} metrics") }
}

fn sentence(
    configurations: &[Configuration],
    leaders: &[&Standing],
    rankings: &[Ranking],
    reservations: &[Reservation],
    is_unknown: bool,
) -> String {
    let froze = reservations.iter().any(|one| one.kind == ReservationKind::Froze);
    match leaders {
        [] => "No metric is known for all configurations, so none can be recommended.".to_owned(),
        [best] => {
            let title = configurations[best.index].title();
            let whole: Vec<&Ranking> =
                rankings.iter().filter(|ranking| ranking.places.len() == configurations.len()).collect();
            match (best.first_count, whole.len()) {
                // With one metric it is the order, and «best in all 1 metrics» is not English.
                (_, 1) => format!("{title} is the best in {}.", whole[0].metric.title()),
                // The worst I/O has no metric of its own, and a configuration that freezes is not the best in all.
                (first, all) if froze => {
                    format!("{title} is first in {first} of {all} metrics")
                }
                // First everywhere and alone everywhere: only then is the mean exactly 1.
                (first, all) if first == all && best.mean_place <= 1.0 + 1e-9 => {
                    format!("{title} is the best in {}.", all_metrics(all))
                }
                (first, all) if first == all => {
                    format!(
                        "{title} is the best: no other is shown to be better by {LEAST_WEIGHT_PERCENT:.0} % or more in any of {all} metrics, and it wins more of them than any other."
                    )
                }
                (first, all) => {
                    format!("{title} is the best overall: it is first in {first} of {all} metrics.")
                }
            }
        }
        several if several.len() == configurations.len() && is_unknown => {
            "Too little was measured to tell the configurations apart.".to_owned()
        }
        several if several.len() == configurations.len() => {
            format!("No clear winner: no difference of {LEAST_WEIGHT_PERCENT:.0} % or more could be shown.")
        }
        several => {
            let names: Vec<String> = several.iter().map(|one| configurations[one.index].title()).collect();
            format!("{} share the first place: none of them is shown to be better overall.", names_of(&names))
        }
    }
}

fn group_ranges<'p>(pair: &'p Pair, is_meant: impl Fn(&Delta) -> bool + 'p) -> String {
    let is_meant = &is_meant;
    let of_group =
        |group: &MetricGroup| (*group, stream_ranges(pair.of_group(*group).filter(|delta| is_meant(delta))));
    groups_in_words(&MetricGroup::RANKED.iter().map(of_group).collect::<Vec<_>>())
}

fn reasons(
    configurations: &[Configuration],
    best: usize,
    standings: &[Standing],
    against_best: &[Pair],
) -> Vec<String> {
    let mut reasons = Vec::new();
    let best = &configurations[best];
    if let Some(second) = standings.get(1) {
        let second = &configurations[second.index];
        // From the second to the best, so that signs read as the gain of the recommended one.
        let pair = Pair::new(second, best);
        // Of bounds alone there are no ranges.
        let ranges = group_ranges(&pair, |_| true);
        if !ranges.is_empty() {
            reasons.push(format!("Compared with {}, the second best: {ranges}.", second.title()));
        }
        reasons.extend(bounds_sentence(&pair));
    }
    for pair in against_best {
        let ahead: Vec<String> = pair
            .ranked()
            // `against_best` goes from the best to the other, so «better» is what the other one wins.
            .filter(|delta| delta.reading.is_better())
            .map(|delta| format!("{} ({})", delta.metric.title(), change(delta.percent)))
            .collect();
        let other = titles(configurations, &pair.configuration);
        if !ahead.is_empty() {
            reasons.push(format!("{other} is better in {}.", names_of(&ahead)));
        }
        let in_roles: Vec<String> = pair
            .ranked_in_roles()
            .filter(|delta| delta.reading.is_better() && !is_of_all(pair, delta))
            .map(|delta| format!("{} ({})", delta.metric.title(), change(delta.percent)))
            .collect();
        if !in_roles.is_empty() {
            reasons.push(format!("By role, {other} is better in {}.", names_of(&in_roles)));
        }
    }
    reasons
}

/// What bounds say for sure; `None` where there are none, or nothing is sure.
fn bounds_sentence(pair: &Pair) -> Option<String> {
    let sure = pair.bounded.iter().filter(|delta| delta.metric.is_ranked()).filter_map(|delta| {
        let (sign, percent) = delta.sure_change()?;
        let (from, to) = (amount_words(&delta.metric, delta.from), amount_words(&delta.metric, delta.to));
        // `<` −75 is a fall by more than that.
        let least = if matches!(sign, "<" | ">") { "more than" } else { "at least" };
        let way = if percent < 0.0 { "lower" } else { "higher" };
        let by = change(percent.abs());
        let by = by.trim_start_matches('+');
        Some(format!("{} is {least} {by} {way} ({to} against {from})", delta.metric.title()))
    });
    let sure: Vec<String> = sure.collect();
    (!sure.is_empty()).then(|| format!("Certain although only bounds were printed: {}.", names_of(&sure)))
}

fn amount_words(metric: &Metric, amount: Amount) -> String {
    let in_words =
        |value: f64| if metric.is_in_us() { latency_in_words(value) } else { with_thousands(value) };
    match amount.shown() {
        (Some(sign), value) => format!("{sign} {}", in_words(value)),
        (None, value) => in_words(value),
    }
}

/// Whether a figure of a role is that of all I/Os of its stream, as of commits where only the log has any.
pub(super) fn is_of_all(pair: &Pair, delta: &Delta) -> bool {
    let MetricKey::OfRole(_, stream, figure) = delta.metric.key else { return false };
    let of_all = pair.delta(&Metric { key: MetricKey::Figure(stream, figure), ..delta.metric.clone() });
    of_all.is_some_and(|of_all| (of_all.from, of_all.to) == (delta.from, delta.to))
}

fn factor_sentences(factors: &[Factor]) -> Vec<String> {
    let mut sentences = Vec::new();
    for factor in factors {
        for step in factor.steps() {
            let changes = factor.changes(step);
            // Where bounds are sure of a change, or too little was measured, «no difference shown» would be wrong.
            let is_told = |one: &&GroupChange| {
                one.ranges.iter().any(|range| range.shown_percent.is_some())
                    || one.better_count + one.worse_count == 0 && one.unknown_count < one.count
            };
            let told = changes.iter().filter(is_told);
            let ranges: Vec<_> = told.map(|one| (one.group, one.ranges.clone())).collect();
            // Of bounds alone there are no ranges.
            let words = groups_in_words(&ranges);
            let words = if words.is_empty() { words } else { format!(": {words}") };
            sentences.push(format!(
                "{} {} instead of {} {}{words}.",
                factor.attribute,
                named(step.1),
                named(step.0),
                over_all(factor, step, &changes),
            ));
        }
    }
    sentences
}

fn named(value: &str) -> &str {
    if value.is_empty() { "(none)" } else { value }
}

/// Up to this many changes are listed one by one where all others go the other way.
// A choice: beyond four the exceptions are the rule's other half, and are counted instead.
const MOST_EXCEPTIONS: usize = 4;

fn over_all(factor: &Factor, step: (&str, &str), changes: &[GroupChange]) -> String {
    let sum = |of: fn(&GroupChange) -> usize| changes.iter().map(of).sum::<usize>();
    let (better, worse, all) =
        (sum(|one| one.better_count), sum(|one| one.worse_count), sum(|one| one.count));
    let exceptions = |is_exception: fn(Reading) -> bool| -> String {
        let pairs = factor.pairs.iter().filter(|pair| (pair.from.as_str(), pair.to.as_str()) == step);
        let named = pairs.flat_map(|pair| {
            let deltas = pair.pair.ranked().filter(move |delta| is_exception(delta.reading));
            deltas.map(|delta| match pair.same.as_str() {
                "" => delta.metric.title(),
                same => format!("{} with {same}", delta.metric.title()),
            })
        });
        names_of(&named.collect::<Vec<_>>())
    };
    // Of several pairs each metric counts several times.
    let pairs = factor.pairs.iter().filter(|pair| (pair.from.as_str(), pair.to.as_str()) == step);
    let what = if pairs.count() > 1 { "changes" } else { "metrics" };
    match (better, worse) {
        // «No difference» would be an answer, and there is none.
        (0, 0) if sum(|one| one.unknown_count) == all => {
            "was not measured enough to show a difference".to_owned()
        }
        (0, 0) if sum(|one| one.unknown_count) > 0 => {
            let known = all - sum(|one| one.unknown_count);
            format!("makes no measurable difference in {known} of {all} {what}, and the others are open")
        }
        (0, 0) => "makes no measurable difference".to_owned(),
        (better, _) if better == all => "is better in everything".to_owned(),
        (_, worse) if worse == all => "is worse in everything".to_owned(),
        (_, 0) => format!("is better in {better} of {all} {what} and worse in none"),
        (0, _) => format!("is worse in {worse} of {all} {what} and better in none"),
        // Twice as many at least, or «except for» would misname an even split.
        (better, worse) if worse <= MOST_EXCEPTIONS && better > 2 * worse => {
            format!("is better, except for {}", exceptions(Reading::is_worse))
        }
        (better, worse) if better <= MOST_EXCEPTIONS && worse > 2 * better => {
            format!("is worse, except for {}", exceptions(Reading::is_better))
        }
        (better, worse) => format!("is better in {better} and worse in {worse} of {all} {what}"),
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
        reasons.extend(problem.map(|problem| words::tail(&problem.fact())));
        if let Some(category) = critical(one, best) {
            reasons.push(format!("judged {category}, which {} is not", best.key));
        }
        // Worse by a percent in all metrics is certain and harmless.
        let is_worse_over_all = is_worse_in_all && 2 * far > ranked;
        // Before its tail, which says less than that all the rest is as much worse.
        if !is_worse_over_all && let Some(stream) = much_worse_stream(pair, best, least) {
            reasons.insert(0, stream);
        }
        if is_worse_over_all {
            let both = if ranked == metric_count { "" } else { " that both have" };
            // «All 1 metrics» is not English.
            let only = pair.ranked().next().filter(|_| ranked == 1);
            let what = match only {
                Some(only) => only.metric.title(),
                None => format!("{}{both}", all_metrics(ranked)),
            };
            reasons.push(format!("worse than {} in {what}: {}", best.key, group_ranges(pair, |_| true)));
        }
        if !reasons.is_empty() {
            let avoid = Avoid { configuration: pair.configuration.clone(), reason: reasons.join("; ") };
            avoided.push((problem.is_none(), avoid));
        }
    }
    // Those with a tail problem come first, the others in the order of their places.
    avoided.sort_by_key(|(has_no_problem, _)| *has_no_problem);
    avoided.into_iter().map(|(_, avoid)| avoid).collect()
}

/// The reads, writes or commits that are much worse than those of the best one, of a configuration that is better in next to nothing.
fn much_worse_stream(pair: &Pair, best: &Configuration, least: f64) -> Option<String> {
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
        is_worse.then(|| {
            let ranges = group_ranges(pair, |delta| is_of(delta, stream));
            format!(
                "its {} are worse than those of {} in {}: {ranges}",
                ios_of(stream),
                best.key,
                all_metrics(count)
            )
        })
    })
}

/// The word for its category, where that is critical or worse and the one of the best is acceptable or better.
fn critical(one: &Configuration, best: &Configuration) -> Option<&'static str> {
    let is_fine = best.worst_category().is_some_and(|category| category <= Category::Acceptable);
    one.worst_category().filter(|category| is_fine && *category >= Category::Critical).map(Category::as_str)
}
