//! What a configuration costs, in money and in CPU time, against another one.

use iotrial_model::figure::CpuFigure;

use super::configuration::Configuration;
use super::metric::Metric;
use crate::words::with_thousands;

/// How the attribute ends that says what a configuration costs, such as `usd_per_month`; `size` writes it into studies.
const COST: &str = "_per_month";

/// Whether an attribute says what a configuration costs.
pub(super) fn is_cost(attribute: &str) -> bool {
    attribute.ends_with(COST)
}

/// What the best one costs a month against another one, and what that buys.
pub(super) fn cost(best: &Configuration, other: &Configuration) -> Option<String> {
    let price = |one: &Configuration, name: &str| {
        one.attributes.get(name)?.to_string().parse::<f64>().ok().filter(|price| *price > 0.0)
    };
    let name = best.attributes.keys().find(|name| is_cost(name))?;
    let (mine, others) = (price(best, name)?, price(other, name)?);
    let currency = name.trim_end_matches(COST).to_uppercase();
    let rates = best.rate() / other.rate();
    let for_rate = if rates.is_finite() { format!(" for {rates:.2} times the I/Os") } else { String::new() };
    Some(format!(
        "{} costs {} {currency} a month, {} {} {currency}: {:.2} times the price{for_rate}.",
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
            "{} needs {usr:.1} % user and {sys:.1} % system CPU, {} {other_usr:.1} % and {other_sys:.1} %: {} times the CPU{for_rate}.",
            best.title(),
            other.title(),
            factor(times),
        )
    })
}
