//! What is said of a comparison: whole sentences with a full stop, except of what a run or a sweep says of itself.

use iotrial_model::finding::{
    Caveat, ComparedFact, Difference, ENOUGH_REPEATS, Incomparable, KnownSpread, MetricRange, OffsetSeed,
    PRINTED_SAME_PERCENT, RunsOfConfiguration, UnlikeContent,
};
use iotrial_model::words::{enumerate, in_brief};

use super::message;
use super::source::contradiction;
use crate::numbers::{latency_in_words, rate_in_words, with_thousands};
use crate::place::curve;

/// The sentence of a finding of a comparison.
pub fn says(fact: &ComparedFact) -> String {
    match fact {
        ComparedFact::NotComparable { first, other, differences } => not_compared(&format!(
            "{first} and {other} cannot be compared ({}); `iotrial compare --force` compares them anyway",
            differences_in_words(differences)
        )),
        ComparedFact::NotCompared { reason } => not_compared(reason),
        ComparedFact::Forced(both) => format!("Compared by force: {}.", incomparable(both)),
        ComparedFact::NothingMeasured { source } => format!("Left out: {source} measured nothing."),
        ComparedFact::NothingStated { source } => {
            format!("Left out: {source} measured nothing that can be compared.")
        }
        ComparedFact::RecordTwice { id } => format!("The record {id} was given twice, and counts once."),
        ComparedFact::SweepTwice { id } => format!("The sweep {id} was given twice, and counts once."),
        ComparedFact::OneConfiguration { loads } => {
            let load = |(load, labels): &(String, Vec<String>)| format!("{load} ({})", enumerate(labels));
            let loads: Vec<String> = loads.iter().map(load).collect();
            format!("Measured on only one configuration, so not compared: {}.", enumerate(&loads))
        }
        ComparedFact::OneSweep { curves } => {
            let curves: Vec<String> = curves.iter().map(curve).collect();
            format!("In only one sweep, so not compared: {}.", enumerate(&curves))
        }
        ComparedFact::NoPair { attributes } => no_pair(attributes),
        ComparedFact::Configurations(known, names) => known_spread(*known, &few(names)),
        ComparedFact::FewRepeats { configurations } => {
            let names: Vec<String> =
                configurations.iter().map(|(name, runs)| format!("{name} ({runs})")).collect();
            format!(
                "Few repeats: {}. With fewer than {ENOUGH_REPEATS}, most intervals are too wide to tell whether there is a difference; more repeats narrow them.",
                few(&names)
            )
        }
        ComparedFact::SingleSweeps => "Each sweep is a single measurement: its intervals show how uncertain it is, plus 1 % for the change from one sweep to the next on a quiet device. Other work on a shared device causes larger changes.".to_owned(),
        ComparedFact::OwnRates { configurations } => {
            let rates = configurations.iter().map(|(name, iops)| format!("{name} {}", rate_in_words(*iops)));
            format!(
                "Each configuration was measured at the highest rate that its own search found (IOPS: {}). iotrial compares these rates; it shows the streams but does not judge or rank them. --need measures all at one rate.",
                few(&rates.collect::<Vec<_>>())
            )
        }
        ComparedFact::RunCaveat { caveat, run, is_alike, runs } => {
            run_caveat(caveat, *run, *is_alike, runs)
        }
        ComparedFact::SweepCaveat { sweeps, finding } => {
            format!("{}: {} [{}]", enumerate(sweeps), message(finding), finding.id)
        }
        ComparedFact::MoreWarnings { warning_count: 1 } => {
            "One more warning is listed with the loads below.".to_owned()
        }
        ComparedFact::MoreWarnings { warning_count } => {
            format!("{warning_count} more warnings are listed with the loads below.")
        }
        ComparedFact::Contradictions { configuration, first, other_count } => {
            let others = match other_count {
                0 => String::new(),
                count => format!(" (and {count} more)"),
            };
            format!("The figures of {configuration} contradict each other: {}{others}", contradiction(first))
        }
        ComparedFact::RepeatsApart { configuration, run_count, apart_percent, widest, rate } => {
            let also = rate.as_ref().map(|rate| format!("; {}", span(rate))).unwrap_or_default();
            format!(
                "{configuration}: its {run_count} runs differ by up to {} %: {}{also}.",
                with_thousands(*apart_percent),
                span(widest)
            )
        }
        ComparedFact::ThresholdSets(both) => format!(
            "Their outcomes are by different threshold sets: {}. What one calls good the other may not, with the same latencies.",
            unlike_content(both)
        ),
        ComparedFact::Profiles(both) => format!("Their profiles differ: {}.", unlike_content(both)),
        ComparedFact::OffsetsOfOne { .. }
        | ComparedFact::SameOffsets { .. }
        | ComparedFact::WritesLeftOut { .. }
        | ComparedFact::OtherTool { .. }
        | ComparedFact::GeneratorDiffers { .. } => of_generators(fact),
    }
}

/// How the load was made.
fn of_generators(fact: &ComparedFact) -> String {
    match fact {
        ComparedFact::OffsetsOfOne { repeating, seed, drawing } => format!(
            "{repeating} uses the same offsets in every run ({}), but {drawing} draws new ones (randrepeat=0): only the first benefits from what an earlier run left in a cache of the device, the array or the host.",
            seed_in_words(seed)
        ),
        ComparedFact::SameOffsets { first, other_count, seed } => {
            let others = if *other_count > 0 { format!(" and {other_count} more") } else { String::new() };
            let way = match seed {
                OffsetSeed::Given(_) => "without --seed each run draws its own",
                OffsetSeed::RandSeed(_) | OffsetSeed::RandRepeat => "randrepeat=0 draws new ones",
            };
            format!(
                "{first}{others} used the same offsets as an earlier run of the same configuration ({}): caches may have answered what that run had read, so the repeats prove less than they seem to; {way}.",
                seed_in_words(seed)
            )
        }
        ComparedFact::WritesLeftOut { first, other_count } => {
            let others = if *other_count > 0 { format!(" and {other_count} others") } else { String::new() };
            format!(
                "The write latencies of {first}{others} do not include the flushes, which it reports separately while others count them as part of the write. These latencies are left out."
            )
        }
        ComparedFact::OtherTool { first, first_tool, other, other_tool } => format!(
            "{first} was measured by {first_tool} and {other} by {other_tool}: tools time different parts of an I/O, and may count a flush as an I/O, so they cause a part of the difference."
        ),
        ComparedFact::GeneratorDiffers { first, other, differences } => format!(
            "The generator worked differently in {first} and {other} ({}): this explains a part of the difference in CPU time and in short latencies.",
            differences.iter().map(difference).collect::<Vec<_>>().join("; ")
        ),
        _ => unreachable!("its caller matched it"),
    }
}

fn not_compared(why: &str) -> String {
    format!("No changes, ranking or recommendation are given: {why}.")
}

/// What two samples are called, and in what they differ.
pub fn incomparable(both: &Incomparable) -> String {
    let Incomparable { first, other, labels, differences } = both;
    let names = match labels {
        Some((one, another)) if one != another => format!("`{one}` and `{another}`"),
        // Whoever typed two labels would take them for one of each.
        Some((both, _)) => format!("{first} and {other}, which both have the label `{both}`,"),
        None => format!("{first} and {other}"),
    };
    format!("{names} cannot be compared: {}", differences_in_words(differences))
}

fn difference(one: &Difference) -> String {
    format!("{}: {} against {}", one.what, one.first, one.other)
}

/// A difference with more characters than this is only named, where a shorter one is told whole: two loads of several jobs are
/// a paragraph, and their profiles say it in four words.
const LONGEST_DIFFERENCE: usize = 100;

/// All of them in a sentence; values contain commas.
fn differences_in_words(differences: &[Difference]) -> String {
    let is_long = |words: &String| words.chars().count() > LONGEST_DIFFERENCE;
    let words: Vec<String> = differences.iter().map(difference).collect();
    let all_long = words.iter().all(is_long);
    let in_brief = |one: &Difference| format!("the {} differs", one.what);
    let named = differences.iter().zip(words);
    let named = named.map(|(one, words)| if is_long(&words) && !all_long { in_brief(one) } else { words });
    named.collect::<Vec<_>>().join("; ")
}

/// A few names, or the first ones of many.
fn few(names: &[String]) -> String {
    in_brief(names, 6, 5)
}

/// How much is known of the spread of configurations.
fn known_spread(known: KnownSpread, names: &str) -> String {
    match known {
        KnownSpread::Printed => format!(
            "The source gives no spread for {names}. Changes are taken at face value; less than {PRINTED_SAME_PERCENT:.0} % counts as no difference."
        ),
        KnownSpread::StatedRepeats => format!(
            "Several runs that cannot be merged: {names}. The figures are those of the run in the middle; if the ranges of two configurations overlap, no difference is shown."
        ),
        KnownSpread::SingleRun => format!(
            "Measured once: {names}. The intervals show how uncertain the single run is, but not what changes from one run to the next; only repeats show that."
        ),
        KnownSpread::TooFewIntervals => format!(
            "Measured too briefly to tell a difference from chance: {names}. Measure a minute or longer, or repeat."
        ),
    }
}

fn no_pair(attributes: &[String]) -> String {
    let attributes: Vec<String> = attributes.iter().map(|name| format!("`{name}`")).collect();
    let (names, effect) = match attributes.as_slice() {
        [first @ .., last] if !first.is_empty() => {
            (format!("{} or {last}", first.join(", ")), "the effect of each")
        }
        all => (all.concat(), "its effect"),
    };
    format!(
        "No two configurations differ only in {names}, so {effect} cannot be separated from that of the other differences."
    )
}

/// What speaks against the figures of a run.
fn caveat_in_words(caveat: &Caveat) -> String {
    match caveat {
        Caveat::Interrupted => "the run was interrupted".to_owned(),
        Caveat::Failed => "the run failed".to_owned(),
        Caveat::PrintedAbout { metric, value } => {
            format!("{metric} was printed as about {value}, so it is not compared")
        }
        Caveat::Finding(finding) => format!("{} [{}]", message(finding), finding.id),
    }
}

/// What speaks against the figures of a run; which run of its configuration that is, from 1, goes before it where there are several.
pub fn caveat(run: Option<usize>, caveat: &Caveat) -> String {
    let run = run.map_or_else(String::new, |run| format!("run {run}: "));
    format!("{run}{}", caveat_in_words(caveat))
}

/// More runs of a configuration than this that say the same are only counted.
const MOST_RUNS_NAMED: usize = 4;

fn run_caveat(caveat: &Caveat, run: Option<usize>, is_alike: bool, runs: &[RunsOfConfiguration]) -> String {
    // All runs of a configuration are the configuration.
    let name = |one: &RunsOfConfiguration| {
        let RunsOfConfiguration { configuration, runs, run_count } = one;
        match runs.as_slice() {
            runs if runs.len() >= *run_count => configuration.clone(),
            [run] => format!("{configuration} run {run}"),
            runs if runs.len() > MOST_RUNS_NAMED => {
                format!("{configuration} ({} of {run_count} runs)", runs.len())
            }
            runs => {
                let runs: Vec<String> = runs.iter().map(ToString::to_string).collect();
                format!("{configuration} runs {}", enumerate(&runs))
            }
        }
    };
    let names = few(&runs.iter().map(name).collect::<Vec<_>>());
    // Before the figures: a line may end before they do.
    let others = match runs.first().filter(|_| !is_alike) {
        Some(first) => {
            let run = run.map_or_else(String::new, |run| format!(" run {run}"));
            format!(" (the figures are those of {}{run}; others differ)", first.configuration)
        }
        None => String::new(),
    };
    format!("{names}{others}: {}", caveat_in_words(caveat))
}

fn span(range: &MetricRange) -> String {
    let in_words = |value: f64| match range.is_in_us {
        true => latency_in_words(value),
        false if value < 100.0 => format!("{value:.2}"),
        false => with_thousands(value),
    };
    format!("{} {} to {}", range.metric, in_words(range.low), in_words(range.high))
}

fn unlike_content(both: &UnlikeContent) -> String {
    let UnlikeContent { first, first_source, other, other_source } = both;
    let same_name = if first == other { ", which has the same name and other content" } else { "" };
    format!("`{first}` in {first_source} and `{other}` in {other_source}{same_name}")
}

fn seed_in_words(seed: &OffsetSeed) -> String {
    match seed {
        OffsetSeed::Given(seed) => format!("seed {seed}"),
        OffsetSeed::RandSeed(seed) => format!("randseed={seed}"),
        OffsetSeed::RandRepeat => "randrepeat=1".to_owned(),
    }
}

#[cfg(test)]
mod tests;
