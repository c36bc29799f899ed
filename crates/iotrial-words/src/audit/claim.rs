//! What is said of a claim that a text makes about a printed table.

use iotrial_model::audit::{Conflict, Gain, PrintedAmount, Right};
use iotrial_model::bound::Amount;
use iotrial_model::metric::{APPLICATION, MetricKey};
use iotrial_model::words::enumerate;

use super::right;
use crate::stated::{write_change, write_stated};

/// The words of a metric in a sentence: `read p99.9`.
pub(super) fn metric_in_words(key: &str) -> String {
    match MetricKey::from_key(key) {
        Some(MetricKey::Named { place, name }) if place == APPLICATION => {
            name.replace('_', " ").replace(" per s", " per second")
        }
        Some(metric) => format!("{} {}", metric.place(), metric.short_name()),
        None => key.to_owned(),
    }
}

/// All of them with their metrics: `read IOPS (+20.0 %) and read mean (+17.3 %)`.
pub(super) fn gains_in_words(gains: &[Gain]) -> String {
    let one = |gain: &Gain| format!("{} ({})", metric_in_words(&gain.metric), write_change(gain.percent));
    enumerate(&gains.iter().map(one).collect::<Vec<_>>())
}

/// In what a claim differs from the figures.
pub(super) fn message(claim: &Conflict, right: Option<&Right>) -> String {
    match claim {
        Conflict::Change { from, to, claimed_percent } => format!(
            "{} after {} is a change of {}, not of {}",
            printed(*to),
            printed(*from),
            right.map_or_else(String::new, |right| right::in_words(right, claim)),
            write_change(*claimed_percent)
        ),
        Conflict::Ranking { row, figure, later, later_figure } => format!(
            "row {row} is ranked before row {later}, but has {} against {}",
            printed(*figure),
            printed(*later_figure)
        ),
        Conflict::Recommendation { row, favoured: Some(favoured), sentence } => {
            format!("row {row} is recommended, but the figures favour {favoured}: {sentence}")
        }
        Conflict::Recommendation { row, favoured: None, sentence } => {
            format!("row {row} is recommended, but the figures show no best one: {sentence}")
        }
        Conflict::Gain { claimed_percent, quote, fitting, others } => {
            let quote =
                quote.as_ref().map_or_else(|| write_change(*claimed_percent), |words| format!("“{words}”"));
            let others = gains_in_words(others);
            if fitting.is_empty() {
                format!("{quote} is claimed, but no figure shows this gain: {others}")
            } else {
                format!("{quote} is true of {}, but not of {others}", gains_in_words(fitting))
            }
        }
        Conflict::Category { figure, claimed, own, claimed_ms } => format!(
            "{} ms is called {claimed}, but the table of categories calls it {own}{}",
            in_ms(*figure),
            claimed_ms.map_or_else(
                || " and does not have that word".to_owned(),
                |edges| format!(": {claimed} is {}", edges_in_words(edges))
            )
        ),
        Conflict::Worst { fitting, others } => {
            let in_words = |metrics: Vec<&String>| {
                enumerate(&metrics.into_iter().map(|metric| metric_in_words(metric)).collect::<Vec<_>>())
            };
            let mut rows: Vec<&String> = others.iter().map(|(_, row)| row).collect();
            rows.sort_unstable();
            rows.dedup();
            let of_row = |row: &&String| {
                let metrics = others.iter().filter(|(_, other)| other == *row).map(|(metric, _)| metric);
                format!("row {row} is the worst by {}", in_words(metrics.collect()))
            };
            let others = enumerate(&rows.iter().map(of_row).collect::<Vec<_>>());
            match fitting.is_empty() {
                true => format!("it is called the worst, but {others}"),
                false => format!(
                    "it is called the worst, which is true only by {}: {others}",
                    in_words(fitting.iter().collect())
                ),
            }
        }
        Conflict::Limit { relation, limit, figure } => {
            format!("{} is claimed to be {} {}", printed(*figure), relation.sign(), write_stated(*limit))
        }
        Conflict::Price { total } => format!(
            "{} is the price, but its parts add up to {}",
            write_stated(*total),
            right.map_or_else(String::new, |right| right::in_words(right, claim))
        ),
        Conflict::Figures { .. } | Conflict::AlteredRecord | Conflict::Run { .. } => {
            unreachable!("it is no claim")
        }
    }
}

fn printed(amount: PrintedAmount) -> String {
    let number = write_stated(amount.number);
    amount.relation.map_or_else(|| number.clone(), |relation| format!("{} {number}", relation.sign()))
}

/// A latency in ms, as the categories are, with all digits that are printed in µs.
fn in_ms(amount: Amount) -> String {
    let (sign, us) = amount.shown();
    let digits = format!("{:.6}", us / 1_000.0);
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    sign.map_or_else(|| digits.to_owned(), |sign| format!("{sign} {digits}"))
}

fn edges_in_words(edges: (Option<f64>, Option<f64>)) -> String {
    match edges {
        (None, Some(below)) => format!("below {below} ms"),
        (Some(from), Some(below)) => format!("{from} to {below} ms"),
        (Some(from), None) => format!("{from} ms and more"),
        (None, None) => "anything".to_owned(),
    }
}
