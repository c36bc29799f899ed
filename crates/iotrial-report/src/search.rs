//! The search for the highest rate that holds a latency limit: its answer and its probes.

use iotrial_analysis::summary::Summary;
use iotrial_model::latency_limit::SearchLimit;
use iotrial_model::record::EndedHow;
use iotrial_model::search::{Probe, ProbeKind, Search};
use iotrial_words::numbers::{rate_in_words, seconds_in_words};

use crate::chart::{Axis, Chart, ChartGroup, Dash, Limit, Line, Scale, Shape};
use crate::document::{Block, Fact, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// Why its rates are not those of the device.
const COMMITS: &str =
    " Rates count every commit; several may share one log write, so the device does fewer I/Os.";
/// Why a load may ask for more than all.
const ABOVE_SATURATION: &str = " The rate at saturation was measured for only a few seconds and is approximate, so a load may request slightly more than 100 % of it.";

/// Absent where no limit was given.
pub(crate) fn search(summary: &Summary) -> Option<Section> {
    let (search, ended) = (summary.search.as_ref()?, summary.ended?);
    let mut blocks = vec![Block::Facts(facts(search, ended))];
    blocks.extend(chart(search));
    blocks.push(Block::Table(probes(search)));
    if let Some(result) = &search.result {
        let row = |name: &str, iops: f64, is_total| Row {
            cells: vec![Value::Text(name.to_owned()), Value::Number(iops)],
            is_total,
        };
        let mut rows: Vec<Row> = result.job_rates.iter().map(|job| row(&job.name, job.iops, false)).collect();
        // Jobs that follow others have no rate of their own, and their I/Os count in the sum.
        let listed: f64 = result.job_rates.iter().map(|job| job.iops).sum();
        let followers = result.held_iops - listed;
        if followers >= 0.5 {
            rows.push(row("jobs that follow these", followers, false));
        }
        rows.push(row("total", result.held_iops, true));
        blocks.push(Block::Table(Table {
            caption: "The highest rate within the limits, by job".to_owned(),
            columns: vec![Column::new("job", Quantity::Words), Column::new("rate", Quantity::Iops)],
            rows,
            at_a_glance: false,
        }));
    }
    Some(Section {
        id: "search",
        heading: if search.need.is_some() { "Required rate" } else { "Highest rate within the limit" },
        note: Some(format!(
            "{} All jobs run at fixed shares of one rate, with random (Poisson) arrivals; latency counts from the time at which an I/O was due. “Worst” is the latency that is closest to its limit, or furthest beyond it.{}{}",
            answer(search, ended),
            if search.result.as_ref().is_some_and(|result| result.device_iops.is_some()) {
                COMMITS
            } else {
                ""
            },
            if is_above_saturation(search) { ABOVE_SATURATION } else { "" },
        )),
        blocks,
    })
}

/// Whether any load asked for clearly more than the closed load did.
fn is_above_saturation(search: &Search) -> bool {
    search.probes.iter().filter_map(|probe| probe.share).any(|share| share >= 1.005)
}

/// The answer in a sentence, and whose figures the report shows.
fn answer(search: &Search, ended: EndedHow) -> String {
    if ended != EndedHow::Complete {
        return "The search was not finished. The sections after this one show its last load.".to_owned();
    }
    let Some(result) = &search.result else {
        return without_result(search);
    };
    let (held, limit) = (rate_in_words(result.held_iops), search.shown_limit().in_words());
    // Not the highest that passed and the lowest that failed: single loads near the answer pass or fail by chance.
    let answer = match result.not_held_iops {
        Some(not_held) => format!(
            "Taken together, these loads put the highest rate within {limit} between {held} and {} IOPS; a single load near it may pass or fail by chance.",
            rate_in_words(not_held)
        ),
        None if search.was_tried_above(result.held_iops) => format!(
            "Taken together, these loads show that at least {held} IOPS stay within {limit}; too few loads ran at higher rates to say where the limit is."
        ),
        None => format!(
            "Taken together, these loads show that {held} IOPS stay within {limit}; that is more than the closed load reaches, and no higher rate was tried."
        ),
    };
    let doubts = &result.not_held_doubts;
    let doubt = if doubts.is_empty() {
        String::new()
    } else {
        format!(" Loads at higher rates failed while {}: the device itself may do more.", doubts.in_words())
    };
    format!(
        "{answer}{doubt} The sections after this one show {}.",
        match &search.need {
            Some(need) => format!("the long run at the required {} IOPS", rate_in_words(need.total_iops())),
            None => "the run that confirmed the rate".to_owned(),
        }
    )
}

/// What is known where no rate was shown to stay within the limits.
fn without_result(search: &Search) -> String {
    let limit = search.shown_limit().in_words();
    let known = if search.probes.iter().any(|probe| probe.held == Some(true)) {
        format!("Some loads stayed within {limit}, but no rate was confirmed.")
    } else {
        format!("No load that was tried stayed within {limit}.")
    };
    // The record is that of a long run where there was one, whatever it showed.
    let is_long = search.need.is_some()
        && search.probes.iter().any(|probe| probe.kind == ProbeKind::Confirmation && probe.held.is_some());
    let whose = if is_long { "a long run at the required rate" } else { "the last load" };
    format!("{known} The sections after this one show {whose}.")
}

fn facts(search: &Search, ended: EndedHow) -> Vec<Fact> {
    let fact = |name: &str, quantity, value| Fact { name: name.to_owned(), quantity, value };
    let mut facts = vec![fact("limit", Quantity::Words, Value::Text(search.limit.to_string()))];
    if let Some(need) = &search.need {
        let carries = match search.carries_need {
            Some(true) => "yes",
            Some(false) => "no",
            None => "not known",
        };
        facts.push(fact("needed", Quantity::Words, Value::Text(need.in_words())));
        facts.push(fact("sustained", Quantity::Words, Value::Text(carries.to_owned())));
    }
    match &search.result {
        Some(result) => {
            let worst = &result.worst;
            let statistic = worst.statistic.as_deref().unwrap_or("worst");
            let name = format!("{statistic} at that rate, {} {}s", worst.role, worst.stream);
            // One load that failed is told, though chance may have been the reason.
            let failed = search.failed_above(result.held_iops).filter(|_| result.not_held_iops.is_none());
            let lowest_failed = match failed {
                Some(failed) => fact(
                    "lowest rate that failed (one load, no proof)",
                    Quantity::Iops,
                    Value::Number(failed),
                ),
                None => {
                    fact("shown to be beyond the limits", Quantity::Iops, Value::number(result.not_held_iops))
                }
            };
            facts.extend([
                fact("shown to be within the limits", Quantity::Iops, Value::Number(result.held_iops)),
                lowest_failed,
                fact(&name, Quantity::LatencyUs, Value::Number(worst.latency_us)),
            ]);
            facts.extend(
                result
                    .device_iops
                    .map(|iops| fact("I/Os of the device at that rate", Quantity::Iops, Value::Number(iops))),
            );
        }
        None => {
            let any_held = search.probes.iter().any(|probe| probe.held == Some(true));
            let none = if ended == EndedHow::Complete && !any_held { "none" } else { "not known" };
            facts.push(fact("shown to be within the limits", Quantity::Words, Value::Text(none.to_owned())));
        }
    }
    facts
}

/// The limit of files in which there is only one.
fn one_limit_us(search: &Search) -> Option<f64> {
    match &search.limit {
        SearchLimit::Latency(limit) => Some(limit.latency.as_secs_f64() * 1e6),
        SearchLimit::Thresholds(_) => None,
    }
}

/// How much of its limit the worst latency used, over the rate that was offered; the closed load at saturation offers none.
fn chart(search: &Search) -> Option<Block> {
    let line = |name: &str, hue: usize, held: bool, shape: Shape, kind: Option<ProbeKind>| {
        // Roles have different limits, so that only the share of each is comparable.
        let of_probe = |probe: &Probe| {
            let worst = probe.worst.as_ref()?;
            let limit_us = worst.limit_us.or_else(|| one_limit_us(search))?;
            Some((probe.asked_iops?, Some(100.0 * worst.latency_us / limit_us)))
        };
        let is_meant =
            |probe: &&Probe| probe.held == Some(held) && kind.is_none_or(|kind| probe.kind == kind);
        let mut points: Vec<(f64, Option<f64>)> =
            search.probes.iter().filter(is_meant).filter_map(of_probe).collect();
        points.sort_by(|left, right| left.0.total_cmp(&right.0));
        let name = name.to_owned();
        (!points.is_empty()).then_some(Line { name, hue, dash: Dash::Solid, shape, points })
    };
    let lines = [
        line("passed", 2, true, Shape::Points, None),
        line("failed", 1, false, Shape::Points, None),
        line("confirmed", 2, true, Shape::Ring, Some(ProbeKind::Confirmation)),
    ];
    let lines: Vec<Line> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| {
        Block::Charts(ChartGroup {
            charts: vec![Chart {
                id: "search-rates".to_owned(),
                title: "How much of its limit the worst latency used, by offered rate".to_owned(),
                x: Axis { name: "offered rate", quantity: Quantity::Iops, scale: Scale::Linear, to: 0.0 },
                y: Axis { name: "of the limit", quantity: Quantity::Percent, scale: Scale::Log, to: 0.0 },
                lines,
                spans: Vec::new(),
                limits: vec![Limit { name: search.limit.to_string(), value: 100.0, until: None }],
            }],
        })
    })
}

fn probes(search: &Search) -> Table {
    // The shares of a need by role are those of a load of another mix.
    let has_saturation = search.probes.iter().any(|probe| search.is_saturation_of_mix(probe));
    let row = |(number, probe): (usize, &Probe)| Row {
        cells: vec![
            // Numbered, so that no two rows of a CSV are the same.
            Value::Text(format!("{} {}", number + 1, probe.kind.as_str())),
            Value::number(probe.share.filter(|_| has_saturation).map(|share| 100.0 * share)),
            Value::number(probe.asked_iops),
            Value::number(
                (probe.kind != ProbeKind::Saturation || search.is_saturation_of_mix(probe))
                    .then_some(probe.iops),
            ),
            Value::Text(seconds_in_words(probe.duration.as_secs_f64())),
            Value::number(probe.worst.as_ref().map(|worst| worst.latency_us)),
            Value::text(probe.worst.as_ref().map(|worst| {
                let statistic = worst.statistic.as_deref().unwrap_or_default();
                format!("{} {} {statistic}", worst.role, worst.stream).trim_end().to_owned()
            })),
            Value::text(probe.held.map(|held| if held { "yes" } else { "no" })),
            Value::text(probe.why_not.as_ref()),
            Value::text((!probe.doubts.is_empty()).then(|| probe.doubts.to_string())),
        ],
        is_total: false,
    };
    Table {
        caption:
            "The loads that were tried, with the latency that came closest to its limit or exceeded it most"
                .to_owned(),
        columns: vec![
            Column::new("load", Quantity::Words),
            Column::new("share of saturation", Quantity::Percent).optional(),
            Column::new("requested", Quantity::Iops),
            Column::new("achieved", Quantity::Iops),
            Column::new("time", Quantity::Words).optional(),
            Column::new("worst", Quantity::LatencyUs).under("lat"),
            Column::new("figure", Quantity::Words).under("lat"),
            Column::new("passed", Quantity::Words),
            Column::new("why not", Quantity::Words).optional(),
            Column::new("doubts", Quantity::Words).optional(),
        ],
        rows: search.probes.iter().enumerate().map(row).collect(),
        at_a_glance: true,
    }
}
