//! The answer of a comparison with its reasons, what each factor does, and what to avoid.

use iotrial_model::bound::Amount;
use iotrial_model::metric::Metric;
use iotrial_model::recommendation::{
    Answer, AvoidFact, Effect, FactorFact, LEAST_WEIGHT_PERCENT, ReasonFact, Scaling, SureBound,
};

use super::{tail, without_load};
use crate::changes::{change, groups_in_words, ios_of, names_of};
use crate::numbers::{latency_in_words, with_thousands};

/// The answer, before what speaks against it.
pub fn answer(answer: &Answer) -> String {
    match answer {
        Answer::OnlyMore(attribute) => {
            format!("The configurations differ only in “{attribute}”, so none is recommended.")
        }
        Answer::NoCommonMetric => {
            "No metric is known for all configurations, so none can be recommended.".to_owned()
        }
        // With one metric it is the order, and «best in all 1 metrics» is not English.
        Answer::BestInOne { best, metric } => format!("{best} is the best in {}.", metric.title()),
        // The worst I/O has no metric of its own, and a configuration that freezes is not the best in all.
        Answer::FirstButFreezes { best, first_count, metric_count } => {
            format!("{best} is first in {first_count} of {metric_count} metrics")
        }
        Answer::FirstButLosesRole { first, first_count, metric_count } => {
            format!("None is recommended: {first} is first in {first_count} of {metric_count} metrics")
        }
        Answer::BestInAll { best, metric_count } => {
            format!("{best} is the best in {}.", all_metrics(*metric_count))
        }
        Answer::BestWithTies { best, metric_count } => format!(
            "{best} is the best: no other is shown to be better by {LEAST_WEIGHT_PERCENT:.0} % or more in any of {metric_count} metrics, and it wins more of them than any other."
        ),
        Answer::BestOverall { best, first_count, metric_count } => {
            format!("{best} is the best overall: it is first in {first_count} of {metric_count} metrics.")
        }
        Answer::TooLittle => "Too little was measured to tell the configurations apart.".to_owned(),
        Answer::NoWinner => {
            format!("No clear winner: no difference of {LEAST_WEIGHT_PERCENT:.0} % or more could be shown.")
        }
        Answer::Shared(names) => {
            format!("{} share the first place: none of them is shown to be better overall.", names_of(names))
        }
    }
}

/// `both metrics`, `all 10 metrics`.
fn all_metrics(count: usize) -> String {
    if count == 2 { "both metrics".to_owned() } else { format!("all {count} metrics") }
}

/// What a larger number brings; `from` and `to` name the configurations.
pub fn scaling(one: &Scaling, from: &str, to: &str) -> String {
    let load = one.metric.load.as_ref().map(|load| format!(" under {load}")).unwrap_or_default();
    let (verb, how) = match one.to_value / one.from_value {
        times if times >= 1.0 => {
            ("grows", format!("a factor of {times:.2} ({:.0} % efficiency)", one.efficiency_percent))
        }
        // More that does less does not scale, and has no efficiency.
        times => {
            ("falls", format!("by {:.0} %: more {} do not help here", 100.0 * (1.0 - times), one.attribute))
        }
    };
    format!(
        "From {} to {} {}, {to} against {from}: {}{load} {verb} from {} to {}, {how}.",
        one.from_count,
        one.to_count,
        one.attribute,
        without_load(&one.metric).title(),
        with_thousands(one.from_value),
        with_thousands(one.to_value),
    )
}

/// By how much the best one is better, or where it is not.
pub fn reason(fact: &ReasonFact) -> String {
    match fact {
        ReasonFact::AgainstSecond { second, ranges } => {
            format!("Compared with {second}, the second best: {}.", groups_in_words(ranges))
        }
        ReasonFact::SureBounds(bounds) => {
            let bounds: Vec<String> = bounds.iter().map(sure_bound).collect();
            format!("Certain although only bounds were printed: {}.", names_of(&bounds))
        }
        ReasonFact::OtherBetter { other, is_by_role, changes } => {
            let by_role = if *is_by_role { "By role, " } else { "" };
            let changes =
                changes.iter().map(|(metric, percent)| format!("{} ({})", metric.title(), change(*percent)));
            format!("{by_role}{other} is better in {}.", names_of(&changes.collect::<Vec<_>>()))
        }
    }
}

fn sure_bound(bound: &SureBound) -> String {
    let SureBound { metric, is_beyond, percent, from, to } = bound;
    let least = if *is_beyond { "more than" } else { "at least" };
    let way = if *percent < 0.0 { "lower" } else { "higher" };
    let by = change(percent.abs());
    let by = by.trim_start_matches('+');
    let (from, to) = (amount_in_words(metric, *from), amount_in_words(metric, *to));
    format!("{} is {least} {by} {way} ({to} against {from})", metric.title())
}

fn amount_in_words(metric: &Metric, amount: Amount) -> String {
    let in_words =
        |value: f64| if metric.is_in_us() { latency_in_words(value) } else { with_thousands(value) };
    match amount.shown() {
        (Some(sign), value) => format!("{sign} {}", in_words(value)),
        (None, value) => in_words(value),
    }
}

/// What a step of a factor does.
pub fn factor(fact: &FactorFact) -> String {
    // Of bounds alone there are no ranges.
    let ranges = groups_in_words(&fact.ranges);
    let ranges = if ranges.is_empty() { ranges } else { format!(": {ranges}") };
    let named = |value: &str| if value.is_empty() { "(none)".to_owned() } else { value.to_owned() };
    format!(
        "{} {} instead of {} {}{ranges}.",
        fact.attribute,
        named(&fact.to),
        named(&fact.from),
        effect(&fact.effect, if fact.has_several_pairs { "changes" } else { "metrics" })
    )
}

/// `what` is what is counted.
fn effect(effect: &Effect, what: &str) -> String {
    match effect {
        // «No difference» would be an answer, and there is none.
        Effect::Unknown => "was not measured enough to show a difference".to_owned(),
        Effect::NoneKnown { known_count, count } => {
            format!(
                "makes no measurable difference in {known_count} of {count} {what}, and the others are open"
            )
        }
        Effect::None => "makes no measurable difference".to_owned(),
        Effect::AllBetter => "is better in everything".to_owned(),
        Effect::AllWorse => "is worse in everything".to_owned(),
        Effect::Some { better_count, worse_count: 0, count } => {
            format!("is better in {better_count} of {count} {what} and worse in none")
        }
        Effect::Some { better_count: 0, worse_count, count } => {
            format!("is worse in {worse_count} of {count} {what} and better in none")
        }
        Effect::Some { better_count, worse_count, count } => {
            format!("is better in {better_count} and worse in {worse_count} of {count} {what}")
        }
        Effect::BetterExcept(others) => format!("is better, except for {}", exceptions(others)),
        Effect::WorseExcept(others) => format!("is worse, except for {}", exceptions(others)),
    }
}

fn exceptions(metrics: &[(Metric, String)]) -> String {
    let named = metrics.iter().map(|(metric, same)| match same.as_str() {
        "" => metric.title(),
        same => format!("{} with {same}", metric.title()),
    });
    names_of(&named.collect::<Vec<_>>())
}

/// Why a configuration is advised against, all reasons together.
pub fn avoid(facts: &[AvoidFact]) -> String {
    let reason = |fact: &AvoidFact| match fact {
        AvoidFact::Stream { stream, best, metric_count, ranges } => format!(
            "its {} are worse than those of {best} in {}: {}",
            ios_of(*stream),
            all_metrics(*metric_count),
            groups_in_words(ranges)
        ),
        AvoidFact::Tail(fact) => tail(fact),
        AvoidFact::Judged(category, best) => format!("judged {}, which {best} is not", category.as_str()),
        AvoidFact::All { best, only, metric_count, has_others, ranges } => {
            let both = if *has_others { " that both have" } else { "" };
            // «All 1 metrics» is not English.
            let what = match only {
                Some(only) => only.title(),
                None => format!("{}{both}", all_metrics(*metric_count)),
            };
            format!("worse than {best} in {what}: {}", groups_in_words(ranges))
        }
    };
    facts.iter().map(reason).collect::<Vec<_>>().join("; ")
}
