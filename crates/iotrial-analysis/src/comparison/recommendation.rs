//! The recommendation: which configuration, by how much, what to avoid and why, and what it costs.
//!
//! Every sentence is generated from what decided it.

use serde::Serialize;

use super::configuration::Configuration;
use super::delta::{Delta, Pair, TailProblem};
use super::factor::{Factor, GroupChange};
use super::metric::{Better, Metric, MetricGroup};
use super::ranking::{Ranking, Standing};

/// What to take and what not.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    /// Its key.
    pub configuration: String,
    /// Why.
    pub reason: String,
}

/// One that is worse in everything is avoided only where it is worse by so much in something.
const AVOID_PERCENT: f64 = 10.0;

/// What is known when it is decided.
pub(super) struct Evidence<'c> {
    pub(super) configurations: &'c [Configuration],
    pub(super) rankings: &'c [Ranking],
    pub(super) factors: &'c [Factor],
    pub(super) against_baseline: &'c [Pair],
}

impl Recommendation {
    pub(super) fn decide(evidence: &Evidence<'_>) -> Self {
        let configurations = evidence.configurations;
        let standings = Standing::all(configurations, evidence.rankings);
        let leaders: Vec<&Standing> =
            standings.iter().take_while(|one| one.mean_place - standings[0].mean_place < 1e-9).collect();
        let best = match leaders.as_slice() {
            [one] => Some(one.index),
            _ => None,
        };
        let against_best: Vec<Pair> = best.map_or_else(Vec::new, |best| {
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
            exceptions: tail_problems.iter().map(|problem| exception(configurations, problem)).collect(),
            avoid: best
                .map_or_else(Vec::new, |best| avoid(&configurations[best], &against_best, &tail_problems)),
            cpu: best.and_then(|best| cpu_cost(configurations, best)),
            tail_problems,
            standings,
        }
    }
}

fn titles(configurations: &[Configuration], key: &str) -> String {
    configurations.iter().find(|one| one.key == key).map_or_else(|| key.to_owned(), Configuration::title)
}

fn enumerate(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn sentence(configurations: &[Configuration], leaders: &[&Standing], rankings: &[Ranking]) -> String {
    match leaders {
        [] => "No metric is known of all configurations, so none can be recommended.".to_owned(),
        [best] => {
            let title = configurations[best.index].title();
            let count =
                rankings.iter().filter(|ranking| ranking.places.len() == configurations.len()).count();
            match (best.first_count, count) {
                (_, 1) => format!("{title} is the best in {}.", rankings[0].metric.title()),
                (first, all) if first == all && best.mean_place <= 1.0 + 1e-9 => {
                    format!("{title} is the best in all {all} metrics.")
                }
                (first, all) if first == all => {
                    format!(
                        "{title} is the best: nothing is shown to be better in any of {all} metrics, and it wins more of them than any other."
                    )
                }
                (first, all) => {
                    format!("{title} is the best over all: it is first in {first} of {all} metrics.")
                }
            }
        }
        several if several.len() == configurations.len() => {
            "No configuration is shown to be better than the others.".to_owned()
        }
        several => {
            let names: Vec<String> = several.iter().map(|one| configurations[one.index].title()).collect();
            format!(
                "{} share the first place: none of them is shown to be better over all.",
                enumerate(&names)
            )
        }
    }
}

/// A change for people: `+36.9 %`, `−7.3 %`.
pub(super) fn change(percent: f64) -> String {
    let text = format!("{:.1}", percent.abs());
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
    if low == high { low } else { format!("{} to {high}", low.trim_end_matches(" %")) }
}

fn group_ranges(pair: &Pair) -> String {
    let words = |group: &MetricGroup| {
        pair.range(*group).map(|(low, high)| format!("{} {}", group.as_str(), change_range(low, high)))
    };
    MetricGroup::RANKED.iter().filter_map(words).collect::<Vec<_>>().join(", ")
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
        let pair = Pair::new(second, best);
        reasons.push(format!("Against {}, the second: {}.", second.title(), group_ranges(&pair)));
    }
    for pair in against_best {
        let ahead: Vec<String> = pair
            .ranked()
            .filter(|delta| delta.reading.is_better())
            .map(|delta| format!("{} ({})", delta.metric.title(), change(delta.percent)))
            .collect();
        if !ahead.is_empty() {
            let other = titles(configurations, &pair.configuration);
            reasons.push(format!("{other} is better in {}.", enumerate(&ahead)));
        }
    }
    reasons
}

fn factor_sentences(factors: &[Factor]) -> Vec<String> {
    let mut sentences = Vec::new();
    for factor in factors {
        for step in factor.steps() {
            let changes = factor.changes(step);
            let words: Vec<String> = changes
                .iter()
                .map(|one| {
                    format!("{} {}", one.group.as_str(), change_range(one.low_percent, one.high_percent))
                })
                .collect();
            let step = format!("{} {} instead of {}", factor.attribute, named(step.1), named(step.0));
            sentences.push(format!("{step} {}: {}.", over_all(&changes), words.join(", ")));
        }
    }
    sentences
}

fn named(value: &str) -> &str {
    if value.is_empty() { "(none)" } else { value }
}

fn over_all(changes: &[GroupChange]) -> &'static str {
    let sum = |of: fn(&GroupChange) -> usize| changes.iter().map(of).sum::<usize>();
    let (better, worse, all) =
        (sum(|one| one.better_count), sum(|one| one.worse_count), sum(|one| one.count));
    match (better, worse) {
        (0, 0) => "makes no difference that is shown",
        (better, _) if better == all => "is better in everything",
        (_, worse) if worse == all => "is worse in everything",
        (_, 0) => "is better, where a difference is shown",
        (0, _) => "is worse, where a difference is shown",
        _ => "is better in some and worse in other respects",
    }
}

/// Of every pair that is looked at anyway, each way round, once.
fn tail_problems(evidence: &Evidence<'_>, against_best: &[Pair]) -> Vec<TailProblem> {
    let of_factors = evidence.factors.iter().flat_map(|factor| factor.pairs.iter().map(|pair| &pair.pair));
    let mut problems: Vec<TailProblem> = Vec::new();
    for pair in of_factors.chain(evidence.against_baseline).chain(against_best) {
        let key_of = |key: &str| evidence.configurations.iter().find(|one| one.key == key);
        let turned = key_of(&pair.configuration).zip(key_of(&pair.baseline)).map(|(a, b)| Pair::new(a, b));
        for pair in [Some(pair), turned.as_ref()].into_iter().flatten() {
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
    problems.sort_by(|a, b| b.tail.percent.total_cmp(&a.tail.percent));
    problems
}

fn exception(configurations: &[Configuration], problem: &TailProblem) -> String {
    let title = titles(configurations, &problem.configuration);
    let (tail, mean) = (&problem.tail, &problem.mean);
    let but = if mean.reading.is_better() {
        "better"
    } else if mean.reading.is_worse() {
        "slightly worse"
    } else {
        "the same"
    };
    format!(
        "Tail problem of {title}: against {}, {} is {} ({}), while the mean is {but} ({}).",
        problem.baseline,
        tail.metric.title(),
        tail.reading.as_str(),
        values(tail),
        change(mean.percent),
    )
}

/// `+163.4 %, 6,259 µs against 2,376 µs`.
fn values(delta: &Delta) -> String {
    format!("{}, {} against {}", change(delta.percent), latency(delta.to), latency(delta.from))
}

fn latency(us: f64) -> String {
    if us >= 10_000.0 { format!("{:.1} ms", us / 1_000.0) } else { format!("{us:.0} µs") }
}

fn avoid(best: &Configuration, against_best: &[Pair], problems: &[TailProblem]) -> Vec<Avoid> {
    let mut avoided: Vec<(bool, Avoid)> = Vec::new();
    for pair in against_best {
        let problem = problems
            .iter()
            .filter(|problem| problem.configuration == pair.configuration && problem.tail.reading.is_worse())
            .find(|problem| problem.baseline == best.key);
        let lost: Vec<&Delta> = pair.ranked().filter(|delta| delta.reading.is_worse()).collect();
        let is_worse_in_all = pair.ranked().all(|delta| delta.reading.is_worse());
        let is_far = lost.iter().any(|delta| loss_percent(delta) >= AVOID_PERCENT);
        let mut reasons = Vec::new();
        if let Some(problem) = problem {
            reasons.push(format!(
                "its tail: {} of {} against {} ({})",
                problem.tail.metric.title(),
                latency(problem.tail.to),
                latency(problem.tail.from),
                change(problem.tail.percent)
            ));
        }
        if is_worse_in_all && is_far {
            let count = lost.len();
            reasons.push(format!("worse than {} in all {count} metrics: {}", best.key, group_ranges(pair)));
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

/// What the best one needs against the one that needs least.
fn cpu_cost(configurations: &[Configuration], best: usize) -> Option<String> {
    let percent = |one: &Configuration| {
        let of = |name| one.figure(&Metric::new("cpu", name));
        Some((of("usr_percent")?, of("sys_percent")?))
    };
    let rate = |one: &Configuration| -> f64 {
        let iops =
            one.figures.iter().filter(|(metric, _)| metric.name == "iops" && metric.stream != "commit");
        iops.map(|(_, value)| value).sum()
    };
    let sum = |one: &Configuration| percent(one).map(|(usr, sys)| usr + sys);
    let best = &configurations[best];
    let (usr, sys) = percent(best)?;
    let needs_least = configurations
        .iter()
        .filter(|one| sum(one).is_some())
        .min_by(|a, b| sum(a).unwrap_or_default().total_cmp(&sum(b).unwrap_or_default()))?;
    if needs_least.key == best.key {
        return Some(format!("{} needs the least CPU: {usr:.1} % user and {sys:.1} % system.", best.title()));
    }
    let (least_usr, least_sys) = percent(needs_least)?;
    let times = (usr + sys) / (least_usr + least_sys);
    let rates = rate(best) / rate(needs_least);
    let for_rate = if rates.is_finite() { format!(" for {rates:.1} times the I/Os") } else { String::new() };
    Some(format!(
        "{} needs {usr:.1} % user and {sys:.1} % system CPU, {} needs {least_usr:.1} % and {least_sys:.1} %: {times:.1} times the CPU{for_rate}.",
        best.title(),
        needs_least.title(),
    ))
}
