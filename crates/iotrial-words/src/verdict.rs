//! What is said of a verdict: the sentence, the headline, the reasons and the advice, from what decided it.

mod bearing;
mod search;
mod steps;
mod verified;

use std::collections::HashSet;

use iotrial_model::bound::BoundRelation;
use iotrial_model::load::Role;
use iotrial_model::units::group_thousands;
use iotrial_model::verdict::{
    Basis, Category, Caveat, Doubt, Gap, Judged, LoadName, Meaning, Outcome, QueueLatency, Ruling, Verdict,
    WhyNot, WhyNotJudged,
};
use iotrial_model::words::enumerate;
use serde::{Serialize, Serializer};

pub use bearing::advice;
pub(crate) use bearing::objection;
use bearing::{caveats, doubts, gap, gap_in_full, reason};
use search::{SearchWords, search_reasons, search_words};
use steps::{steps_headline, steps_reasons, steps_sentence};

use crate::finding::message;
use crate::numbers::{decimals_of_latency, seconds_in_words, with_decimals};
use crate::search::left_alone;

/// What a load is called within a sentence.
pub(crate) fn load_name(load: &LoadName) -> String {
    match load {
        LoadName::Profile(name) => name.clone(),
        LoadName::Job { job, tool } => format!("the load “{job}” of {tool}"),
        LoadName::Tool(tool) => format!("the load of {tool}"),
        LoadName::Unnamed => "the load".to_owned(),
    }
}

/// What is said of a verdict.
pub struct VerdictWords {
    /// The answer in a few words, where a rate or a load was asked for and not only whether the storage is good enough.
    pub headline: Option<String>,
    /// One sentence or two, generated from what decided.
    pub sentence: String,
    /// What speaks for it, the most weighty first.
    pub reasons: Vec<String>,
}

/// The words of a verdict, from what decided it.
pub fn verdict(verdict: &Verdict) -> VerdictWords {
    match &verdict.basis {
        Basis::Run(ruling) => {
            VerdictWords { headline: None, sentence: sentence(ruling), reasons: reasons(ruling) }
        }
        Basis::Verified(ruling) => verified::verified(ruling, verdict.outcome),
        Basis::Steps(ruling) => VerdictWords {
            headline: Some(steps_headline(ruling)),
            sentence: steps_sentence(ruling),
            reasons: steps_reasons(ruling),
        },
        Basis::Search { answer, search, ruling, .. } => {
            let SearchWords { headline, sentence } = search_words(answer, verdict.outcome, search, ruling);
            VerdictWords { headline: Some(headline), sentence, reasons: search_reasons(answer, ruling) }
        }
    }
}

/// For `serialize_with`: a verdict in JSON.
pub fn in_json<S: Serializer>(one: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct InJson<'v> {
        outcome: Outcome,
        category: Option<Category>,
        #[serde(skip_serializing_if = "Option::is_none")]
        meaning: Option<&'v Meaning>,
        sentence: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        advice: Option<String>,
        reasons: Vec<String>,
        thresholds: &'v str,
        thresholds_sha256: &'v str,
        #[serde(skip_serializing_if = "Option::is_none")]
        step: Option<usize>,
        #[serde(skip_serializing_if = "Option::is_none")]
        queue: Option<QueueLatency>,
        judged: &'v [Judged],
    }
    let VerdictWords { sentence, reasons, .. } = verdict(one);
    let in_json = InJson {
        outcome: one.outcome,
        category: one.category,
        meaning: one.meaning.as_ref(),
        sentence,
        advice: one.advice.as_ref().map(advice),
        reasons,
        thresholds: &one.thresholds,
        thresholds_sha256: &one.thresholds_sha256,
        step: one.step,
        queue: one.queue(),
        judged: &one.judged,
    };
    in_json.serialize(serializer)
}

/// One sentence on a run.
fn sentence(ruling: &Ruling) -> String {
    let (load, set) = (load_name(&ruling.load), &ruling.set);
    let lacks = |why: &WhyNotJudged| ruling.gaps.iter().any(|gap| gap.why == *why);
    match (ruling.objections.first(), ruling.doubts.as_slice(), ruling.worst()) {
        (Some(against), ..) => format!("Not qualified for {load}: {}.", objection(against)),
        (None, [], None) if ruling.queue().is_some() => {
            let queue = ruling.queue().map_or_else(String::new, |queue| bearing::queue(&queue));
            format!("The latencies of {load} are not judged: {queue}.")
        }
        (None, [], None) if lacks(&WhyNotJudged::NotStated) => {
            format!("Not judged: the source states no latency of {load} that {set} judges.")
        }
        (None, [], None) if lacks(&WhyNotJudged::DifferentLimits) => format!(
            "Not judged: the figures of {load} combine several roles, for which {set} has different limits."
        ),
        (None, [], None) => format!("Not judged: {set} has no limits for the I/O of {load}."),
        (None, [], Some(worst)) if worst.is_acceptable() => {
            let but = conditions(&ruling.caveats, &ruling.gaps);
            let but =
                if but.is_empty() { String::new() } else { format!(", but measured {}", enumerate(&but)) };
            // «acceptable» alone would let a heavy load pass by a word that its source means for test environments.
            let meaning = ruling.meaning.as_ref();
            let suitable =
                meaning.map(|one| format!(": suitable for {}", one.suitable_for)).unwrap_or_default();
            format!(
                "Qualified for {load} by `{set}`{but}: the worst figure is {} ({}{suitable}){}.",
                figure_at(worst),
                category(worst),
                settled(&ruling.settled)
            )
        }
        (None, [], Some(worst)) => {
            format!("Not qualified for {load}: {} (`{set}`){}.", too_slow(worst), measured(&ruling.caveats))
        }
        (None, doubts, worst) => open_sentence(&load, set, worst, doubts),
    }
}

/// `. Also, the generator was short of CPU, which can only make the storage look slower`, or nothing: a sentence of its own, because what is
/// told as a condition may have made it look faster.
fn settled(all: &[Doubt]) -> String {
    let words: Vec<String> = all.iter().map(bearing::doubt).collect();
    match words.is_empty() {
        true => String::new(),
        false => format!(". Also, {}, which can only make the storage look slower", enumerate(&words)),
    }
}

/// Why there is no answer, and only then what the figures would say.
fn open_sentence(load: &str, set: &str, worst: Option<&Judged>, open: &[Doubt]) -> String {
    let figures = worst.map_or_else(String::new, |worst| {
        format!(" The worst figure, {}, would be rated {} by `{set}`.", figure_at(worst), category(worst))
    });
    format!("Inconclusive for {load}: {}.{figures}", doubts(open))
}

/// What bears on the verdict: what forbids it, what leaves it open, what is too slow, what is to be kept in mind and what is
/// missing. Of what was fast enough only the worst is told, where nothing is worse, and the number of the others.
fn reasons(ruling: &Ruling) -> Vec<String> {
    let set = &ruling.set;
    let (fast, slow): (Vec<&Judged>, Vec<&Judged>) =
        ruling.judged.iter().partition(|one| one.is_acceptable());
    let best_told = fast.first().filter(|_| slow.is_empty());
    let rest_count = fast.len() - usize::from(best_told.is_some());
    let rest = (rest_count > 0).then(|| {
        let (others, are_as) = match best_told {
            Some(_) => ("the other ", "at least as good"),
            None => ("", "acceptable or better"),
        };
        let are = if rest_count == 1 { "is" } else { "are" };
        format!("{others}{rest_count} of {} figures judged by `{set}` {are} {are_as}", ruling.judged.len())
    });
    let unjudged: Vec<&str> = ruling.unjudged.iter().map(|figure| figure.title()).collect();
    let unjudged = (!unjudged.is_empty()).then(|| {
        let are = if unjudged.len() == 1 { "it is" } else { "they are" };
        format!("`{set}` has no limits for {}, so {are} not judged", enumerate(&unjudged))
    });
    let mut reasons: Vec<String> = ruling.objections.iter().map(objection).collect();
    reasons.extend(ruling.doubts.iter().chain(&ruling.settled).map(reason));
    reasons.extend(slow.into_iter().map(figure));
    reasons.extend(ruling.worst().zip(ruling.meaning.as_ref()).map(|(worst, meaning)| {
        let Meaning { impact, suitable_for } = meaning;
        format!("{set}: {} means {impact}; suitable for {suitable_for}", worst.category)
    }));
    reasons.extend(ruling.other_findings.iter().map(message));
    reasons.extend(ruling.gaps.iter().map(|one| gap_in_full(one, set)));
    reasons.extend(unjudged);
    reasons.extend(best_told.map(|worst| figure(worst)));
    reasons.extend(rest);
    each_once(reasons)
}

/// A gap that leaves the answer open, for one, is told as the doubt that it is.
fn each_once(mut reasons: Vec<String>) -> Vec<String> {
    let mut told = HashSet::new();
    reasons.retain(|reason| told.insert(reason.clone()));
    reasons
}

/// Why a load of several does not stay within the limits of `set`, or why that cannot be said.
pub fn why_not(why_not: &WhyNot, set: &str) -> String {
    match why_not {
        WhyNot::Failed(against) => objection(against),
        WhyNot::NoLimits => format!("{set} has no limits for this I/O"),
        WhyNot::Queue(queue) => format!("latencies are not judged: {}", bearing::queue(queue)),
        WhyNot::TooSlow(judged) => too_slow(judged),
        WhyNot::InDoubt(_) => {
            let words: Vec<String> = why_not.named_doubts().iter().map(bearing::doubt).collect();
            enumerate(&words)
        }
        WhyNot::CutShort { measured_s, planned_s } => format!(
            "it was cut short after {} of {}",
            seconds_in_words(*measured_s),
            seconds_in_words(*planned_s)
        ),
    }
}

/// What to keep in mind, to follow «measured».
fn conditions(caveats_: &[Caveat], gaps: &[Gap]) -> Vec<String> {
    let mut words = caveats(caveats_);
    if !gaps.is_empty() {
        let gaps: Vec<String> = gaps.iter().map(gap).collect();
        words.push(format!("without judging {}", enumerate(&gaps)));
    }
    words
}

/// `; measured for only 30 s`, or nothing.
fn measured(all: &[Caveat]) -> String {
    if all.is_empty() { String::new() } else { format!("; measured {}", enumerate(&caveats(all))) }
}

/// `data reads have a p99 of 3 ms, above the acceptable 2 ms`.
fn too_slow(worst: &Judged) -> String {
    // A value on the edge is not above it, and falls into the worse band.
    let above = if worst.value_us > worst.limit_us { "above" } else { "no longer below" };
    format!(
        "{} have a {} of {}, {above} the acceptable {}",
        streams(worst),
        worst.statistic,
        shown(worst),
        limit(worst.limit_us)
    )
}

/// The words for the stream: `log commits`, or `log commits on sdb`.
fn streams(judged: &Judged) -> String {
    format!("{} {}s{}", roles_of(judged), judged.stream, on_devices(judged))
}

/// What the I/Os of a figure stand for: `data`, `data, tempdb and log`.
pub fn roles_of(judged: &Judged) -> String {
    roles(&judged.roles())
}

fn roles(roles: &[Role]) -> String {
    enumerate(&roles.iter().map(|role| role.as_str()).collect::<Vec<_>>())
}

/// ` on sdb`, where the role has devices of its own.
fn on_devices(judged: &Judged) -> String {
    if judged.devices.is_empty() { String::new() } else { format!(" on {}", enumerate(&judged.devices)) }
}

/// `data read p99 at 3 ms`.
fn figure_at(judged: &Judged) -> String {
    format!("{} {} {} at {}", roles_of(judged), judged.stream, judged.statistic, shown(judged))
}

/// The word for the category; of a bound also in which direction it may be another one.
fn category(judged: &Judged) -> String {
    let ends = [Category::Excellent, Category::Unsustainable];
    match judged.bound {
        Some(_) if ends.contains(&judged.category) => judged.category.to_string(),
        Some(BoundRelation::Below | BoundRelation::AtMost) => format!("{} or better", judged.category),
        Some(_) => format!("{} or worse", judged.category),
        None => judged.category.to_string(),
    }
}

/// A figure in one clause, for the list of reasons.
fn figure(judged: &Judged) -> String {
    format!(
        "{} {} {}{} is {}: {} (limit {})",
        roles_of(judged),
        judged.stream,
        judged.statistic,
        on_devices(judged),
        shown(judged),
        category(judged),
        limit(judged.limit_us)
    )
}

/// The figure with its unit, and with its sign if it is a bound.
fn shown(judged: &Judged) -> String {
    match judged.bound {
        Some(relation) => format!("{} {}", relation.sign(), in_ms(judged.shown_ms)),
        None => {
            let of_which = judged.untouched.as_ref().map(|one| format!(" {}", left_alone(one)));
            format!("{}{}", in_ms(judged.shown_ms), of_which.unwrap_or_default())
        }
    }
}

/// A latency as tables have it, with more digits where it has them because fewer would put it on its limit.
fn in_ms(ms: f64) -> String {
    let written = with_decimals(ms, decimals_of_latency(ms));
    let has_all = written.replace(',', "").parse() == Ok(ms);
    format!("{} ms", if has_all { written } else { group_thousands(&ms.to_string()) })
}

/// A limit as it stands in the threshold file: `50 ms`, `0.5 ms`.
fn limit(us: f64) -> String {
    format!("{} ms", us / 1_000.0)
}

/// The outcome at the beginning of a sentence.
const fn qualified(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Qualified => "Qualified",
        Outcome::NotQualified => "Not qualified",
        Outcome::Inconclusive => "Inconclusive",
    }
}

/// Whether the short words of a doubt say all that its reason does.
fn is_told_in_full(one: &Doubt) -> bool {
    bearing::doubt(one) == reason(one)
}

#[cfg(test)]
mod tests;
