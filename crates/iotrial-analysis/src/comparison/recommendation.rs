//! The recommendation: which configuration, by how much, what to avoid and why, and what it costs.
//!
//! Every sentence is generated from what decided it.

use iotrial_model::figure::{Better, CpuFigure, Figure};
use iotrial_model::metric::MetricKey;
use iotrial_model::stream::Stream;
use iotrial_model::units::group_thousands;
use iotrial_model::words::{enumerate, in_brief};
use serde::Serialize;

use super::configuration::Configuration;
use super::delta::{Delta, Pair, Reading, TailProblem, shown_range};
use super::factor::{Factor, GroupChange};
use super::metric::{Metric, MetricGroup};
use super::ranking::{LEAST_WEIGHT_PERCENT, Ranking, Standing};

/// What to take and what not.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Recommendation {
    /// Key of the configuration to take; `None` where none is shown to be the best.
    pub best: Option<String>,
    /// The answer in one sentence.
    pub sentence: String,
    /// By how much, and where not.
    pub reasons: Vec<String>,
    /// What each factor does.
    pub factors: Vec<String>,
    /// Changes that look better than they are.
    pub tail_problems: Vec<TailProblem>,
    /// The same in sentences.
    pub exceptions: Vec<String>,
    /// What not to take, the worst reason first.
    pub avoid: Vec<Avoid>,
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

/// By how much one that is worse in everything has to be worse in something before it is advised against, in
/// percent.
// A choice: worse everywhere by a little is a second choice, not something to avoid. Ten percent is five
// times what counts as the same in printed figures.
const AVOID_PERCENT: f64 = 10.0;

/// What is known when it is decided.
pub(super) struct Evidence<'c> {
    pub(super) configurations: &'c [Configuration],
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
        let best = match leaders.as_slice() {
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
        Self {
            best: best.map(|best| configurations[best].key.clone()),
            sentence: sentence(configurations, &leaders, evidence.rankings),
            reasons: best
                .map_or_else(Vec::new, |best| reasons(configurations, best, &standings, &against_best)),
            factors: factor_sentences(evidence.factors),
            exceptions: exceptions(configurations, &tail_problems),
            avoid: best.map_or_else(Vec::new, |best| {
                avoid(&configurations[best], &against_best, &tail_problems, evidence.rankings.len())
            }),
            cpu: best.and_then(|best| {
                let second = standings.get(1).map_or(best, |second| second.index);
                // Costs are relative to what people know, the baseline. Where that won, to the alternative.
                let other = if evidence.baseline == best { second } else { evidence.baseline };
                cpu_cost(&configurations[best], &configurations[other])
            }),
            tail_problems,
            standings,
        }
    }
}

fn titles(configurations: &[Configuration], key: &str) -> String {
    configurations.iter().find(|one| one.key == key).map_or_else(|| key.to_owned(), Configuration::title)
}

/// Over a grid of loads hundreds of metrics may have to be named: beyond these they are only counted.
// A choice: a sentence with more names is not read.
const MOST_NAMED: usize = 12;

fn names_of(words: &[String]) -> String {
    // Two fewer, so that «and N more» stands for three at least.
    if words.len() > MOST_NAMED { in_brief(words, MOST_NAMED, MOST_NAMED - 2) } else { enumerate(words) }
}

fn sentence(configurations: &[Configuration], leaders: &[&Standing], rankings: &[Ranking]) -> String {
    match leaders {
        [] => "No metric is known of all configurations, so none can be recommended.".to_owned(),
        [best] => {
            let title = configurations[best.index].title();
            let count =
                rankings.iter().filter(|ranking| ranking.places.len() == configurations.len()).count();
            match (best.first_count, count) {
                // With one metric it is the order, and «best in all 1 metrics» is not English.
                (_, 1) => format!("{title} is the best in {}.", rankings[0].metric.title()),
                // First everywhere and alone everywhere: only then is the mean exactly 1.
                (first, all) if first == all && best.mean_place <= 1.0 + 1e-9 => {
                    format!("{title} is the best in all {all} metrics.")
                }
                (first, all) if first == all => {
                    format!(
                        "{title} is the best: nothing is shown to be better by {LEAST_WEIGHT_PERCENT:.0} % or more in any of {all} metrics, and it wins more of them than any other."
                    )
                }
                (first, all) => {
                    format!("{title} is the best over all: it is first in {first} of {all} metrics.")
                }
            }
        }
        several if several.len() == configurations.len() => {
            format!(
                "No configuration is shown to be better than the others by {LEAST_WEIGHT_PERCENT:.0} % or more."
            )
        }
        several => {
            let names: Vec<String> = several.iter().map(|one| configurations[one.index].title()).collect();
            format!(
                "{} share the first place: none of them is shown to be better over all.",
                names_of(&names)
            )
        }
    }
}

/// A change for people: `+36.9 %`, `−7.3 %`.
pub(super) fn change(percent: f64) -> String {
    let text = group_thousands(&format!("{:.1}", percent.abs()));
    // The text decides and not the number, so that −0.04 becomes «±0.0» and never «−0.0».
    let sign = if text == "0.0" {
        "±"
    } else if percent < 0.0 {
        "−"
    } else {
        "+"
    };
    format!("{sign}{text} %")
}

fn change_range(low_percent: f64, high_percent: f64) -> String {
    let (low, high) = (change(low_percent), change(high_percent));
    // Two changes that print alike are one.
    if low == high { low } else { format!("{} to {high}", low.trim_end_matches(" %")) }
}

/// What happens to groups of metrics: only shown changes count as an effect.
fn group_words(changes: &[(MetricGroup, Option<(f64, f64)>)]) -> String {
    let shown = changes.iter().filter_map(|(group, shown_percent)| {
        let (low, high) = (*shown_percent)?;
        Some(format!("{} {}", group.as_str(), change_range(low, high)))
    });
    let mut words: Vec<String> = shown.collect();
    let others = changes.iter().filter(|(_, shown_percent)| shown_percent.is_none());
    let others: Vec<String> = others.map(|(group, _)| group.as_str().to_owned()).collect();
    if !others.is_empty() {
        words.push(format!("no difference shown in {}", names_of(&others)));
    }
    words.join(", ")
}

fn group_ranges(pair: &Pair) -> String {
    let of_group = |group: &MetricGroup| {
        pair.of_group(*group).next()?;
        Some((*group, shown_range(pair.of_group(*group))))
    };
    group_words(&MetricGroup::RANKED.iter().filter_map(of_group).collect::<Vec<_>>())
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
        reasons.push(format!("Against {}, the second: {}.", second.title(), group_ranges(&pair)));
    }
    for pair in against_best {
        let ahead: Vec<String> = pair
            .ranked()
            // `against_best` goes from the best to the other, so «better» is what the other one wins.
            .filter(|delta| delta.reading.is_better())
            .map(|delta| format!("{} ({})", delta.metric.title(), change(delta.percent)))
            .collect();
        if !ahead.is_empty() {
            let other = titles(configurations, &pair.configuration);
            reasons.push(format!("{other} is better in {}.", names_of(&ahead)));
        }
    }
    reasons
}

fn factor_sentences(factors: &[Factor]) -> Vec<String> {
    let mut sentences = Vec::new();
    for factor in factors {
        for step in factor.steps() {
            let changes = factor.changes(step);
            let ranges: Vec<_> = changes.iter().map(|one| (one.group, one.shown_percent)).collect();
            sentences.push(format!(
                "{} {} instead of {} {}: {}.",
                factor.attribute,
                named(step.1),
                named(step.0),
                over_all(factor, step, &changes),
                group_words(&ranges)
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
    match (better, worse) {
        (0, 0) => "makes no difference that is shown".to_owned(),
        (better, _) if better == all => "is better in everything".to_owned(),
        (_, worse) if worse == all => "is worse in everything".to_owned(),
        (_, 0) => format!("is better in {better} of {all} changes and worse in none"),
        (0, _) => format!("is worse in {worse} of {all} changes and better in none"),
        // Twice as many at least, or «except for» would misname an even split.
        (better, worse) if worse <= MOST_EXCEPTIONS && better > 2 * worse => {
            format!("is better, except for {}", exceptions(Reading::is_worse))
        }
        (better, worse) if better <= MOST_EXCEPTIONS && worse > 2 * better => {
            format!("is worse, except for {}", exceptions(Reading::is_better))
        }
        (better, worse) => format!("is better in {better} and worse in {worse} of {all} changes"),
    }
}

/// Of every pair that is looked at anyway, each way round, once.
fn tail_problems(evidence: &Evidence<'_>, against_best: &[Pair]) -> Vec<TailProblem> {
    let of_factors = evidence.factors.iter().flat_map(|factor| factor.pairs.iter().map(|pair| &pair.pair));
    // Pairs that differ in several respects say less, and are looked at where there are no others.
    let of_baseline = evidence.against_baseline.iter().filter(|_| evidence.factors.is_empty());
    let mut problems: Vec<TailProblem> = Vec::new();
    for pair in of_factors.chain(of_baseline).chain(against_best) {
        for pair in [pair, &pair.turned()] {
            for problem in TailProblem::of_pair(pair) {
                let is_known = problems.iter().any(|known| {
                    (&known.baseline, &known.configuration, &known.tail.metric)
                        == (&problem.baseline, &problem.configuration, &problem.tail.metric)
                });
                if !is_known {
                    problems.push(problem);
                }
            }
        }
    }
    // The worst tail first: that is the one to look at.
    problems.sort_by(|a, b| b.tail.percent.total_cmp(&a.tail.percent));
    problems
}

/// One sentence for each pair.
fn exceptions(configurations: &[Configuration], problems: &[TailProblem]) -> Vec<String> {
    let pair_of = |problem: &TailProblem| (problem.baseline.clone(), problem.configuration.clone());
    let mut pairs: Vec<(String, String)> = Vec::new();
    for problem in problems {
        if !pairs.contains(&pair_of(problem)) {
            pairs.push(pair_of(problem));
        }
    }
    let sentence = |pair: &(String, String)| {
        let of_pair = problems.iter().filter(|problem| pair_of(problem) == *pair);
        let words: Vec<String> = of_pair
            .map(|problem| {
                let (tail, mean) = (&problem.tail, &problem.mean);
                format!("{} {} while the mean is {}", tail.metric.title(), values(tail), change(mean.percent))
            })
            .collect();
        let (baseline, configuration) = pair;
        format!(
            "{} has a tail problem against {baseline}: {}.",
            titles(configurations, configuration),
            names_of(&words)
        )
    };
    pairs.iter().map(sentence).collect()
}

/// `+163.4 % (6,259 µs against 2,376 µs)`.
fn values(delta: &Delta) -> String {
    format!("{} ({} against {})", change(delta.percent), latency(delta.to), latency(delta.from))
}

fn latency(us: f64) -> String {
    match us {
        us if us >= 10_000.0 => format!("{:.1} ms", us / 1_000.0),
        // Rounded first and then cut, since 1,999.6 would otherwise print as «1,1000».
        us if us >= 999.5 => format!("{},{:03.0} µs", ((us + 0.5) / 1_000.0).floor(), us.round() % 1_000.0),
        us if us >= 99.95 => format!("{us:.0} µs"),
        us => format!("{us:.1} µs"),
    }
}

fn avoid(
    best: &Configuration,
    against_best: &[Pair],
    problems: &[TailProblem],
    metric_count: usize,
) -> Vec<Avoid> {
    let mut avoided: Vec<(bool, Avoid)> = Vec::new();
    for pair in against_best {
        // Only a problem against the recommended one is a reason to avoid; a worse tail than a third
        // configuration is not.
        let problem = problems
            .iter()
            .filter(|problem| problem.configuration == pair.configuration && problem.tail.reading.is_worse())
            .find(|problem| problem.baseline == best.key);
        let lost: Vec<&Delta> = pair.ranked().filter(|delta| delta.reading.is_worse()).collect();
        let is_worse_in_all = pair.ranked().all(|delta| delta.reading.is_worse());
        // Worse by a percent in all metrics is certain and harmless.
        let is_far = lost.iter().any(|delta| loss_percent(delta) >= AVOID_PERCENT);
        let mut reasons = Vec::new();
        if let Some(problem) = problem {
            reasons.push(format!("its tail, {} {}", problem.tail.metric.title(), values(&problem.tail)));
        }
        if is_worse_in_all && is_far {
            let count = lost.len();
            let both = if count == metric_count { "" } else { " that both have" };
            reasons.push(format!(
                "worse than {} in all {count} metrics{both}: {}",
                best.key,
                group_ranges(pair)
            ));
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

/// How much worse, from 0.
fn loss_percent(delta: &Delta) -> f64 {
    match delta.metric.better() {
        Some(Better::Higher) => -delta.percent,
        _ => delta.percent,
    }
}

/// What the best one needs, against the baseline or, where it is that itself, the second.
fn cpu_cost(best: &Configuration, other: &Configuration) -> Option<String> {
    let percent = |one: &Configuration| {
        let of = |figure| one.figure(&Metric::of_cpu(figure));
        // Both shares or none: user time alone would make kernel-heavy drivers look cheap.
        Some((of(CpuFigure::User)?, of(CpuFigure::System)?))
    };
    let rate = |one: &Configuration| -> f64 {
        // Commits are not I/Os of their own; their writes have been counted.
        let is_rate = |metric: &Metric| matches!(metric.key, MetricKey::Figure(stream, Figure::Iops) if stream != Stream::Commit);
        let iops = one.figures.iter().filter(|(metric, _)| is_rate(metric));
        iops.map(|(_, value)| value).sum()
    };
    let ((usr, sys), (other_usr, other_sys)) = (percent(best)?, percent(other)?);
    let times = (usr + sys) / (other_usr + other_sys);
    let rates = rate(best) / rate(other);
    // Of nearly as much, the second digit is what differs.
    let factor =
        |times: f64| if (0.8..1.2).contains(&times) { format!("{times:.2}") } else { format!("{times:.1}") };
    let for_rate =
        if rates.is_finite() { format!(" for {} times the I/Os", factor(rates)) } else { String::new() };
    // A baseline with no measurable CPU time would give infinity.
    times.is_finite().then(|| {
        format!(
            "{} needs {usr:.1} % user and {sys:.1} % system CPU, {} {other_usr:.1} % and {other_sys:.1} %: {} times the CPU{for_rate}.",
            best.title(),
            other.title(),
            factor(times),
        )
    })
}
