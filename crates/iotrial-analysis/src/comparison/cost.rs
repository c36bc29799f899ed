//! What a configuration costs, in money and in CPU time, against another one.

use iotrial_model::figure::CpuFigure;
use iotrial_model::metric::Metric;
use serde::Serialize;

use super::configuration::Configuration;
use crate::words::with_thousands;

/// How the attribute ends that says what a configuration costs, such as `usd_per_month`; `size` writes it into studies.
const COST: &str = "_per_month";

/// Whether an attribute says what a configuration costs.
pub(super) fn is_cost(attribute: &str) -> bool {
    attribute.ends_with(COST)
}

/// What a configuration costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Price {
    /// As its attribute says it: `EUR`.
    pub currency: String,
    /// In that currency; more than zero.
    pub per_month: f64,
}

/// What a configuration costs, where one of its attributes says so.
pub(super) fn price_of(one: &Configuration) -> Option<Price> {
    let (name, value) = one.attributes.iter().find(|(name, _)| is_cost(name))?;
    let per_month = value.to_string().parse::<f64>().ok().filter(|price| *price > 0.0)?;
    Some(Price { currency: name.trim_end_matches(COST).to_uppercase(), per_month })
}

/// What the best one costs a month against another one, and what that buys.
pub(super) fn cost(best: &Configuration, other: &Configuration) -> Option<String> {
    let (mine, others) = (price_of(best)?, price_of(other)?);
    if mine.currency != others.currency {
        return None;
    }
    let (currency, mine, others) = (mine.currency, mine.per_month, others.per_month);
    let rates = best.rate() / other.rate();
    let for_rate = if rates.is_finite() { format!(" for {rates:.2} times the I/Os") } else { String::new() };
    Some(format!(
        "{} costs {} {currency} a month and {} {} {currency}: {:.2} times the price{for_rate}.",
        best.title(),
        with_thousands(mine),
        other.title(),
        with_thousands(others),
        mine / others
    ))
}

/// What the best one needs, against the baseline or, where it is that itself, the second.
pub(super) fn cpu_cost(best: &Configuration, other: &Configuration) -> Option<String> {
    let percent = |one: &Configuration| {
        let of = |figure| one.figure(&Metric::of_cpu(figure));
        // Both shares or none: user time alone would make kernel-heavy drivers look cheap.
        Some((of(CpuFigure::User)?, of(CpuFigure::System)?))
    };
    let ((usr, sys), (other_usr, other_sys)) = (percent(best)?, percent(other)?);
    let times = (usr + sys) / (other_usr + other_sys);
    let rates = best.rate() / other.rate();
    // Of nearly as much, the second digit is what differs.
    let factor =
        |times: f64| if (0.8..1.2).contains(&times) { format!("{times:.2}") } else { format!("{times:.1}") };
    let for_rate =
        if rates.is_finite() { format!(" for {} times the I/Os", factor(rates)) } else { String::new() };
    // A baseline with no measurable CPU time would give infinity.
    times.is_finite().then(|| {
        format!(
            "{} needs {usr:.1} % user and {sys:.1} % system CPU, and {} {other_usr:.1} % and {other_sys:.1} %: {} times the CPU{for_rate}.",
            best.title(),
            other.title(),
            factor(times),
        )
    })
}
