//! The line that is quoted of a comparison.

use iotrial_model::figure::Figure;
use iotrial_model::metric::MetricKey;
use iotrial_model::recommendation::TimesFact;
use iotrial_model::stream::Stream;

/// `B does 3.1 times the IOPS of A for 1.3 times the price.`
pub fn times(fact: &TimesFact) -> String {
    let TimesFact { better, other, metric, .. } = fact;
    let factor = match (number(fact.least), number(fact.most)) {
        (least, most) if least == most => least,
        (least, most) => format!("{least} to {most}"),
    };
    let figure = match metric {
        MetricKey::Capacity => "IOPS".to_owned(),
        MetricKey::Figure(Stream::Mixed, figure) if figure.is_latency() => format!("{figure} latency"),
        MetricKey::Figure(stream, figure) if figure.is_latency() => format!("{stream} {figure} latency"),
        MetricKey::Figure(Stream::Mixed, figure) => rate(*figure).to_owned(),
        MetricKey::Figure(stream, figure) => format!("{stream} {}", rate(*figure)),
        other => other.short_name().to_owned(),
    };
    let loads = match (fact.shown_count, fact.load_count) {
        (1, 1) => String::new(),
        (shown, all) if shown == all => format!(", under all {all} loads"),
        (shown, all) => format!(", under {shown} of {all} loads"),
    };
    let is_latency = metric.figure().is_some_and(|(_, figure)| figure.is_latency());
    // The highest rates of the two: neither is a rate within limits of the other one.
    let limits = if *metric == MetricKey::Capacity { ", both within the limits" } else { "" };
    let price = fact.price_ratio.map(number);
    let said = if is_latency {
        let costs = match price.as_deref() {
            None => String::new(),
            Some("1.00") => "; both cost the same".to_owned(),
            Some(price) => format!("; {better} costs {price} times as much"),
        };
        format!("{other} has {factor} times the {figure} of {better}{loads}{costs}")
    } else {
        let costs = match price.as_deref() {
            None => String::new(),
            Some("1.00") => " for the same price".to_owned(),
            Some(price) => format!(" for {price} times the price"),
        };
        let comma = if limits.is_empty() || costs.is_empty() { "" } else { "," };
        format!("{better} does {factor} times the {figure} of {other}{limits}{comma}{costs}{loads}")
    };
    let simulated = if fact.is_simulated { "Simulated: " } else { "" };
    format!("{simulated}{said}.")
}

const fn rate(figure: Figure) -> &'static str {
    match figure {
        Figure::Bandwidth => "bandwidth",
        _ => "IOPS",
    }
}

/// A factor: near one the second digit is what differs, and of hundreds none behind the point matters.
fn number(factor: f64) -> String {
    match factor {
        ..1.2 => format!("{factor:.2}"),
        ..99.5 => format!("{factor:.1}"),
        _ => format!("{factor:.0}"),
    }
}
