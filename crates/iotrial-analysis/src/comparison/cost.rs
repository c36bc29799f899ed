//! What a configuration costs, in money and in CPU time, against another one.

use iotrial_model::figure::CpuFigure;
use iotrial_model::metric::Metric;
use iotrial_model::recommendation::{CostFact, CpuFact};
use serde::Serialize;

use super::configuration::Configuration;

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
pub(super) fn cost(best: &Configuration, other: &Configuration) -> Option<CostFact> {
    let (mine, others) = (price_of(best)?, price_of(other)?);
    (mine.currency == others.currency).then(|| CostFact {
        best: best.title(),
        other: other.title(),
        currency: mine.currency,
        best_per_month: mine.per_month,
        other_per_month: others.per_month,
        rate_ratio: rate_ratio(best, other),
    })
}

/// What the best one needs, against the baseline or, where it is that itself, the second.
pub(super) fn cpu_cost(best: &Configuration, other: &Configuration) -> Option<CpuFact> {
    let percent = |one: &Configuration| {
        let of = |figure| one.figure(&Metric::of_cpu(figure));
        // Both shares or none: user time alone would make kernel-heavy drivers look cheap.
        Some((of(CpuFigure::User)?, of(CpuFigure::System)?))
    };
    let fact = CpuFact {
        best: best.title(),
        other: other.title(),
        best_percent: percent(best)?,
        other_percent: percent(other)?,
        rate_ratio: rate_ratio(best, other),
    };
    // A baseline with no measurable CPU time would give infinity.
    fact.cpu_ratio().is_finite().then_some(fact)
}

/// `None` where the other one has no rate.
fn rate_ratio(best: &Configuration, other: &Configuration) -> Option<f64> {
    Some(best.rate() / other.rate()).filter(|ratio| ratio.is_finite())
}
