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
        MetricKey::Capacity => "IOPS within the limits".to_owned(),
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
    let price = fact.price_ratio.map(number);
    let said = match (is_latency, price) {
        (false, None) => format!("{better} does {factor} times the {figure} of {other}{loads}"),
        (false, Some(price)) if price == "1.00" => {
            format!("{better} does {factor} times the {figure} of {other} for the same price{loads}")
        }
        (false, Some(price)) => {
            format!("{better} does {factor} times the {figure} of {other} for {price} times the price{loads}")
        }
        (true, None) => format!("{other} has {factor} times the {figure} of {better}{loads}"),
        (true, Some(price)) if price == "1.00" => {
            format!("{other} has {factor} times the {figure} of {better} for the same price{loads}")
        }
        (true, Some(price)) => {
            format!(
                "{other} has {factor} times the {figure} of {better}{loads}; {better} costs {price} times as much"
            )
        }
    };
    if fact.is_simulated { format!("Simulated: {said}.") } else { format!("{said}.") }
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
