//! By how much two configurations differ in what is looked at first, and for how much more money.

use crate::metric::MetricKey;

/// How many times one configuration does what another one does, in the figure that is looked at first. Only where that is shown: the interval
/// of the change leaves out that there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct TimesFact {
    /// The one that does better.
    pub better: String,
    /// The one that it is compared with.
    pub other: String,
    /// Of what.
    pub metric: MetricKey,
    /// The least factor under any load of `shown_count`, 1 or more: of rates the better one by the other, of latencies the other one by the
    /// better.
    pub least: f64,
    /// The greatest.
    pub most: f64,
    /// Under how many loads it is shown; under the others no difference is, or another one is better.
    pub shown_count: usize,
    /// Loads under which both were measured; 1 of a comparison under one load.
    pub load_count: usize,
    /// How many times the price of the other one the better one costs; `None` where the price of one is not known, or in another currency.
    pub price_ratio: Option<f64>,
    /// Whether every device was simulated.
    pub is_simulated: bool,
}
