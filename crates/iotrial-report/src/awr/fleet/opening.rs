//! What a report of several databases says first: how much they ask together, who makes it, and when.

use iotrial_analysis::awr::{AwrFleet, AwrSeries, Consolidated, OwnPeak};
use iotrial_analysis::words::number_in_words;
use iotrial_model::awr::AwrFigure;
use iotrial_model::words::{enumerate, in_brief};
use iotrial_words::awr as said;

use super::inventory::averages;
use super::{MOST_NAMES, names_of};
use crate::awr::section;
use crate::awr::series::{lists_of, moment, notes_of, span_of};
use crate::document::{Answer, Block, Section};

/// From this percentage of the sum of the peaks on, the peaks coincide.
const COINCIDE_PERCENT: f64 = 95.0;

/// The part before any table.
pub(super) fn opening(series: &AwrSeries, fleet: &AwrFleet) -> Section {
    let (requests, throughput) = (fleet.figure(AwrFigure::Requests), fleet.figure(AwrFigure::Throughput));
    let whole = fleet.intervals.iter().filter(|one| one.is_whole).count();
    let (headline, sentence) = match requests {
        // A single average of each says nothing about peaks.
        Some(one) if whole == 1 => (
            format!(
                "Together {} IOPS{}",
                number_in_words(one.together.average),
                throughput.map_or_else(String::new, |one| format!(
                    " and {} MiB/s",
                    number_in_words(one.together.average)
                ))
            ),
            format!(
                "Only one interval is covered by all databases, {}: it is an average, and it is not known whether the peaks coincide.",
                span_of(&one.peak_begin, &one.peak_end)
            ),
        ),
        Some(one) => (headline(one), sentence(one, throughput)),
        None => (
            never_together(series, fleet),
            "The reports do not overlap in time, so the load at any one time is not known.".to_owned(),
        ),
    };
    let sentence = format!("{sentence}{}", parts(fleet));
    let mut points = Vec::new();
    if requests.is_some() {
        points.extend(who(fleet));
    }
    if requests.is_some() && whole > 1 {
        points.extend(when(fleet));
    }
    if let (Some(requests), Some(throughput)) = (requests, throughput)
        && whole > 1
    {
        let average = format!(
            "{} IOPS and {} MiB/s",
            number_in_words(requests.together.average),
            number_in_words(throughput.together.average)
        );
        points.push(match requests.together.p95.zip(throughput.together.p95) {
            Some((iops, mib)) => format!(
                "for 95 % of the time, all of them together need at most {} IOPS and {} MiB/s; on average {average}",
                number_in_words(iops),
                number_in_words(mib)
            ),
            None => format!("on average, all of them together need {average}"),
        });
    }
    let not_added = fleet
        .not_added
        .iter()
        .map(|one| format!("{} is not added up: {}", one.database, said::why_not_added(&one.why)));
    let of_databases = series
        .databases
        .iter()
        .flat_map(|one| notes_of(one).into_iter().map(|note| format!("{}: {note}", one.database)));
    let notes: Vec<String> =
        not_added.chain(fleet.notes.iter().map(said::fleet_note)).chain(of_databases).collect();
    section(
        "answer",
        "",
        None,
        Block::Statement(Answer {
            is_good: None,
            headline,
            sentence,
            points,
            lists: lists_of(series, notes),
        }),
    )
}

/// The headline if there is no sum.
fn never_together(series: &AwrSeries, fleet: &AwrFleet) -> String {
    match names_of(fleet.members.iter()).as_slice() {
        [] | [_] => "Fewer than two databases have reports with times".to_owned(),
        [one, other] => format!("The reports of {one} and {other} do not overlap in time"),
        several => {
            let averages = averages(series).map_or_else(String::new, |iops| {
                format!(", {} IOPS if all are at their averages", number_in_words(iops))
            });
            format!("{} databases{averages}", several.len())
        }
    }
}

fn headline(requests: &Consolidated) -> String {
    let (together, apart) = (number_in_words(requests.together.peak), number_in_words(requests.apart.peak));
    match requests.peak_percent {
        Some(percent) if percent < COINCIDE_PERCENT => format!(
            "Consolidated, the peak is {percent:.0} % of the sum of the peaks: {together} IOPS instead of {apart}"
        ),
        _ => format!("The peaks coincide: {together} IOPS together"),
    }
}

fn sentence(requests: &Consolidated, throughput: Option<&Consolidated>) -> String {
    let mut text = format!("All together are busiest {}.", span_of(&requests.peak_begin, &requests.peak_end));
    if let Some(one) = throughput {
        let percent = one.peak_percent.map_or_else(String::new, |percent| {
            format!(", {percent:.0} % of the sum of the peaks of {} MiB/s", number_in_words(one.apart.peak))
        });
        text.push_str(&format!(
            " The highest throughput is {} MiB/s{percent}, {}.",
            number_in_words(one.together.peak),
            span_of(&one.peak_begin, &one.peak_end)
        ));
    }
    text
}

/// The databases with missing instances: the sum of all databases is then too low.
fn parts(fleet: &AwrFleet) -> String {
    let parts = fleet
        .members
        .iter()
        .filter_map(|one| Some(format!("{}: {}", one.database, said::part(one.part.as_ref()?))));
    match parts.collect::<Vec<String>>().as_slice() {
        [] => String::new(),
        parts => format!(
            " Rates are too low, because instances are missing (reports of {}).",
            in_brief(parts, MOST_NAMES, MOST_NAMES - 1)
        ),
    }
}

/// Who makes the load.
fn who(fleet: &AwrFleet) -> Option<String> {
    let share = |one: &Option<OwnPeak>| one.as_ref().and_then(|one| one.share_percent);
    let parts: Vec<String> = fleet
        .members
        .iter()
        .take(MOST_NAMES)
        .enumerate()
        .filter_map(|(at, one)| {
            let bytes = share(&one.throughput).map_or_else(String::new, |bytes| {
                format!(" and {bytes:.0} %{}", if at == 0 { " of the bytes" } else { "" })
            });
            let what = if at == 0 { " of the requests" } else { "" };
            Some(format!("{} {:.0} %{what}{bytes}", one.database, share(&one.requests)?))
        })
        .collect();
    let others = fleet.members.len().saturating_sub(MOST_NAMES);
    let more = match others {
        0 => String::new(),
        1 => "; one other makes the rest".to_owned(),
        others => format!("; {others} others make the rest"),
    };
    (!parts.is_empty()).then(|| format!("who: {}{more}", parts.join(", ")))
}

/// Whose own peak is at the common peak, and when the others have theirs.
fn when(fleet: &AwrFleet) -> Option<String> {
    let peaks = || fleet.members.iter().filter_map(|one| Some((one, one.requests.as_ref()?)));
    let with: Vec<&str> = names_of(peaks().filter(|(_, own)| own.has_peak_with_others).map(|(one, _)| one));
    let apart: Vec<String> = peaks()
        .filter(|(_, own)| !own.has_peak_with_others)
        .map(|(one, own)| format!("{} from {}", one.database, moment(&own.peak_begin)))
        .collect();
    let with_words = match with.as_slice() {
        [] => "no database has its own peak when all together are busiest".to_owned(),
        [one] => format!("{one} has its own peak when all together are busiest"),
        several if several.len() <= MOST_NAMES => {
            format!("{} have their own peaks when all together are busiest", enumerate(several))
        }
        several => format!(
            "{} have their own peaks when all together are busiest",
            in_brief(several, MOST_NAMES, MOST_NAMES - 1)
        ),
    };
    let apart_words = match apart.len() {
        0 => String::new(),
        _ => format!("; other times: {}", in_brief(&apart, MOST_NAMES, MOST_NAMES)),
    };
    (!fleet.members.is_empty()).then(|| format!("{with_words}{apart_words}"))
}
