//! The figure that a comparison is told by, and how many times one configuration does what another one does: what is quoted of it.

use iotrial_model::metric::{Metric, MetricKey};
use iotrial_model::recommendation::{Reservation, ReservationKind, TimesFact};

use super::cost::{Price, price_of};
use super::delta::Delta;
use super::load_matrix::looked_at_first;
use super::{Comparison, LoadMatrix, LoadRow, Pair};

impl Comparison {
    /// The figure that is looked at first: of what is always looked at first, the first that is shown to differ, else the first. `None` where
    /// the configurations have no figure in common, and of several loads.
    pub fn decisive(&self) -> Option<Metric> {
        if self.over_loads.is_some() {
            return None;
        }
        let first: Vec<Metric> =
            looked_at_first(&self.configurations, &Metric::from).into_iter().map(Metric::from).collect();
        let differs = |metric: &&Metric| {
            self.against_baseline.iter().filter_map(|pair| pair.delta(metric)).any(is_shown)
        };
        first.iter().find(differs).or(first.first()).cloned()
    }

    /// How many times the best configuration does what the baseline does, or the second where it is the baseline itself; where none is the
    /// best, of the two that differ most. `None` where no difference is shown, and where figures contradict each other.
    pub fn times(&self) -> Option<TimesFact> {
        if let Some(matrix) = &self.over_loads {
            return matrix.times();
        }
        let metric = self.decisive()?;
        let delta_of = |pair: &Pair| pair.delta(&metric).filter(|delta| is_shown(delta)).cloned();
        let to = |key: &str| self.against_baseline.iter().find(|pair| pair.configuration == key);
        let pair = match &self.recommendation.best {
            Some(best) if *best != self.baseline => to(best)?,
            Some(_) => {
                let mut others = self.recommendation.standings.iter().map(|one| one.configuration.as_str());
                to(others.find(|key| *key != self.baseline)?)?
            }
            None => {
                let size = |pair: &&Pair| delta_of(pair).and_then(|delta| factor(&delta)).unwrap_or_default();
                self.against_baseline.iter().max_by(|a, b| size(a).total_cmp(&size(b)))?
            }
        };
        let delta = delta_of(pair)?;
        let times = factor(&delta)?;
        let (other, better) = match delta.reading.is_better() {
            true => (&pair.baseline, &pair.configuration),
            false => (&pair.configuration, &pair.baseline),
        };
        let (better, other) = (self.configuration(better)?, self.configuration(other)?);
        if better.is_contradictory() || other.is_contradictory() {
            return None;
        }
        Some(TimesFact {
            better: better.title(),
            other: other.title(),
            metric: metric.key,
            least: times,
            most: times,
            shown_count: 1,
            load_count: 1,
            price_ratio: price_ratio(price_of(better), price_of(other)),
            is_simulated: is_simulated(&self.recommendation.reservations),
        })
    }
}

impl LoadMatrix {
    /// The same over loads: how many times the best one does what the baseline does, or the other way round, under the loads where that is
    /// shown; `None` where that is half of them or fewer.
    pub fn times(&self) -> Option<TimesFact> {
        let best = self.best.as_ref()?;
        let other = match *best == self.baseline {
            false => best,
            // Of two the other one; of more, each changes by factors of its own.
            true => match self.configurations.as_slice() {
                [first, second] => {
                    if first.key == *best {
                        &second.key
                    } else {
                        &first.key
                    }
                }
                _ => return None,
            },
        };
        let places = self.loads.iter().map(|row| row.metrics.len()).max().unwrap_or_default();
        (0..places).find_map(|place| self.times_at(place, best, other))
    }

    /// Of the metric that stands at a place under every load. `other` is the one that is not the baseline.
    fn times_at(&self, place: usize, best: &str, other: &str) -> Option<TimesFact> {
        let is_best_other = best == other;
        let delta = |row: &LoadRow| {
            let metric = row.metrics.get(place)?;
            let cell = metric.cells.iter().find(|cell| cell.configuration == other)?;
            cell.delta.clone()
        };
        let deltas: Vec<Delta> = self.loads.iter().filter_map(delta).collect();
        let key = kind(&deltas.first()?.metric.key);
        let is_better = |delta: &&Delta| {
            is_shown(delta) && delta.reading.is_better() == is_best_other && kind(&delta.metric.key) == key
        };
        let factors: Vec<f64> = deltas.iter().filter(is_better).filter_map(factor).collect();
        if 2 * factors.len() <= deltas.len() {
            return None;
        }
        let one = |key: &str| self.configuration(key).filter(|one| !one.is_contradictory);
        let (better, other) = (one(best)?, one(if is_best_other { self.baseline.as_str() } else { other })?);
        Some(TimesFact {
            better: better.title(),
            other: other.title(),
            metric: key,
            least: factors.iter().copied().fold(f64::INFINITY, f64::min),
            most: factors.iter().copied().fold(0.0, f64::max),
            shown_count: factors.len(),
            load_count: deltas.len(),
            price_ratio: price_ratio(better.price.clone(), other.price.clone()),
            is_simulated: is_simulated(&self.reservations),
        })
    }
}

/// The same figure of all I/Os: loads have reads or writes, and one line is about all of them.
fn kind(key: &MetricKey) -> MetricKey {
    use iotrial_model::stream::Stream;
    match key {
        MetricKey::Figure(_, figure) => MetricKey::Figure(Stream::Mixed, *figure),
        other => other.clone(),
    }
}

/// Whether a change is more than chance: what was printed has no interval, and says nothing of that.
fn is_shown(delta: &Delta) -> bool {
    let is_supported = match delta.interval {
        Some(interval) => !interval.includes_zero(),
        // Of one side only a bound is known, and the reading says whether the other is beyond it.
        None => delta.metric.key == MetricKey::Capacity,
    };
    is_supported && (delta.reading.is_better() || delta.reading.is_worse())
}

/// How many times the larger of the two is the smaller; `None` of nothing.
fn factor(delta: &Delta) -> Option<f64> {
    let (low, high) = (delta.from.min(delta.to), delta.from.max(delta.to));
    Some(high / low).filter(|factor| factor.is_finite())
}

fn price_ratio(better: Option<Price>, other: Option<Price>) -> Option<f64> {
    let (better, other) = (better?, other?);
    (better.currency == other.currency).then_some(better.per_month / other.per_month)
}

fn is_simulated(reservations: &[Reservation]) -> bool {
    reservations.iter().any(|one| one.kind() == ReservationKind::Simulated)
}
