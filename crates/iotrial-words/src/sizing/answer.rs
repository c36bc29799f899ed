//! What a search comes to.

use iotrial_model::finding::{Finding, FindingId, Severity};
use iotrial_sizing::sizing::{AmongCatalogs, NearestLimit, ProviderStop, Sizing, SizingAnswer, WithoutDisk};

use super::{limit, money, share, sum_in_words, wall};
use crate::numbers::with_thousands;

/// Short form: provider, configuration and cost.
pub fn headline(answer: &SizingAnswer, currency: &str) -> String {
    match answer {
        SizingAnswer::Cheapest { title, configuration, per_month, without, .. } => format!(
            "{title}: {configuration}, {} a month{}{}",
            money(*per_month, currency),
            if answer.is_full() { ", without headroom" } else { "" },
            not_considered(without)
        ),
        SizingAnswer::Incomplete { .. } => "No answer has a complete cost".to_owned(),
        SizingAnswer::Nothing { .. } => "Nothing meets the demand".to_owned(),
    }
}

/// Long form in one sentence: what it is the cheapest of, and what binds.
pub fn sentence(answer: &SizingAnswer, currency: &str) -> String {
    match answer {
        SizingAnswer::Cheapest { among, limit, .. } => {
            let limit = limit.as_ref().map(nearest_limit).unwrap_or_default();
            format!("{}; {limit}", cheapest_of(among, currency))
        }
        SizingAnswer::Incomplete { configuration, cost } => format!(
            "{configuration} meets the demand for {}, but the catalog lacks a part of its price, so it cannot be called the cheapest",
            sum_in_words(cost, currency)
        ),
        SizingAnswer::Nothing { stop: at, is_closest } => {
            let at = at.as_ref().map(stop).unwrap_or_default();
            if *is_closest { format!("Closest is {at}") } else { at }
        }
    }
}

fn not_considered(without: &[WithoutDisk]) -> String {
    if without.is_empty() {
        return String::new();
    }
    let all: Vec<String> = without.iter().map(|one| format!("{} of {}", one.disk, one.title)).collect();
    format!(" (not considered: {})", all.join(", "))
}

fn cheapest_of(among: &AmongCatalogs, currency: &str) -> String {
    let those = if among.has_incomplete { " among the answers with a complete cost" } else { "" };
    let of = match among.catalogs {
        1 => "the catalog".to_owned(),
        count => format!("{count} catalogs"),
    };
    let unless = among.unless.map_or_else(String::new, |one| {
        format!(
            " unless you take {} volumes instead of {}, for {} (--tolerance 0)",
            one.volumes,
            one.fewer,
            money(one.per_month, currency)
        )
    });
    format!("It is the cheapest in {of}{those}{unless}")
}

fn nearest_limit(nearest: &NearestLimit) -> String {
    let NearestLimit::First { first, next } = nearest else {
        return "the demand uses less than 1 % of every limit".to_owned();
    };
    let next = next.as_ref().map_or_else(String::new, |next| {
        let percent = match next.percent {
            ..1.0 => "less than 1 %".to_owned(),
            percent => format!("{percent:.0} %"),
        };
        format!("; the next is {} ({percent})", limit(next))
    });
    let room = match first.headroom_percent() {
        0.0 => "no headroom".to_owned(),
        percent => format!("headroom {} %", with_thousands(percent)),
    };
    format!(
        "the first limit is {}: {} ({:.0} % used, {room}){next}",
        limit(first),
        share(first),
        first.percent
    )
}

/// Where a provider stops.
pub(super) fn stop(stop: &ProviderStop) -> String {
    let ProviderStop { title, wall: at, carries_times, closest } = stop;
    let at = wall(at);
    match (carries_times, closest) {
        (Some(times), Some(closest)) => format!(
            "{title}: the limiting factor is {at}; {closest} comes closest with {:.0} % of the rates",
            // Rounded down, since 99.7 % shown as 100 % would contradict the sentence.
            (100.0 * times).floor()
        ),
        (None, Some(closest)) => format!("{title}: {at}; {closest} comes closest"),
        _ => format!("{title}: {at}"),
    }
}

/// Where there is nothing to buy, and why.
pub fn findings(sizing: &Sizing) -> Vec<Finding> {
    if sizing.found.is_empty() && sizing.against.is_empty() {
        let message = "no catalog was searched".to_owned();
        return vec![Finding::without_evidence(FindingId::NoCatalog, Severity::Warning, message)];
    }
    let stops = sizing.found.iter().filter_map(ProviderStop::of);
    let nothing =
        |at: ProviderStop| Finding::without_evidence(FindingId::NothingMeetsIt, Severity::Warning, stop(&at));
    stops.map(nothing).collect()
}
