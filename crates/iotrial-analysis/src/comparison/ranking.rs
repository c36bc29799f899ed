//! Ranking: the configurations in the order of each metric, and how they stand over all.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use iotrial_model::bound::Amount;
use iotrial_model::figure::Better;
use iotrial_model::metric::{Metric, MetricGroup};
use iotrial_model::recommendation::LEAST_WEIGHT_PERCENT;
use serde::Serialize;

use super::configuration::Configuration;
use super::delta::{PairJudge, Reading, percent_of, ranges_meet, surely};

/// The configurations in the order of one metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// The metric that the ranking is by.
    pub metric: Metric,
    /// The best first.
    pub places: Vec<Place>,
}

/// One configuration in a ranking.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Place {
    /// Key of the configuration.
    pub configuration: String,
    /// From 1; shared where no difference of weight is shown to the first one that has it.
    pub place: usize,
    /// The figure by which it was ranked, or the bound that decides.
    pub value: Amount,
    #[serde(skip)]
    index: usize,
}

impl Ranking {
    /// One for each of the metrics that `is_meant` picks and that at least two configurations have.
    pub(super) fn all(
        configurations: &[Configuration],
        metrics: &[Metric],
        is_meant: fn(&Metric) -> bool,
    ) -> Vec<Self> {
        metrics
            .iter()
            .filter(|metric| is_meant(metric) && !metric.is_sum_of(|part| metrics.contains(part)))
            .map(|metric| Self::of(configurations, metric))
            .filter(|ranking| ranking.places.len() > 1)
            .collect()
    }

    fn of(configurations: &[Configuration], metric: &Metric) -> Self {
        let mut values: Vec<(usize, Amount)> = configurations
            .iter()
            .enumerate()
            .filter_map(|(index, one)| Some((index, one.amount(metric)?)))
            .collect();
        // A bound has a place only where it is decided against all others. Those that are not are left out one after the other,
        // the last first, so that of two bounds that say the same one stays.
        let is_decided = |(index, one): &(usize, Amount), all: &[(usize, Amount)]| {
            one.exact().is_some()
                || all.iter().all(|(other, amount)| other == index || surely(*one, *amount).is_some())
        };
        while let Some(at) = values.iter().rposition(|one| !is_decided(one, &values)) {
            values.remove(at);
        }
        let is_higher_better = metric.better() == Some(Better::Higher);
        values.sort_by(|(_, a), (_, b)| {
            // `total_cmp`, so that a figure that is not a number cannot make the order depend on the input.
            let order = match (a.exact(), b.exact()) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                _ => a.surely(*b).unwrap_or(Ordering::Equal),
            };
            if is_higher_better { order.reverse() } else { order }
        });
        let mut places: Vec<Place> = Vec::with_capacity(values.len());
        let mut leader: Option<(usize, Amount, usize)> = None;
        for (position, (index, value)) in values.into_iter().enumerate() {
            // Compared with the leader of the place and not with the neighbour: small steps would otherwise
            // chain, and the first and the last of twenty would share a place.
            let shared = leader.filter(|(first, first_value, _)| {
                let (first, other) = (&configurations[*first], &configurations[index]);
                // A bound that has a place is decided, and shares none.
                let both = first_value.exact().zip(value.exact());
                both.is_some_and(|(from, to)| is_shared(first, other, metric, from, to))
            });
            // The next place counts everybody before it, as in sports: 1, 1, 3.
            let place = shared.map_or(position + 1, |(_, _, place)| place);
            if shared.is_none() {
                leader = Some((index, value, place));
            }
            places.push(Place { configuration: configurations[index].key.clone(), place, value, index });
        }
        Self { metric: metric.clone(), places }
    }
}

/// Whether two configurations share a place. Printed figures share one only where they are equal, or repeats
/// of one reach the other.
fn is_shared(first: &Configuration, other: &Configuration, metric: &Metric, from: f64, to: f64) -> bool {
    if first.is_printed && other.is_printed {
        return ranges_meet(first, other, metric);
    }
    if percent_of(from, to).abs() < LEAST_WEIGHT_PERCENT {
        return true;
    }
    let reading = PairJudge::new(first, other).delta(metric, from, to).reading;
    // Not knowing is treated like no difference: a place must not be won by it.
    reading == Reading::NoDifference || reading.is_unknown()
}

/// How a configuration stands over all metrics.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// Key of the configuration.
    pub configuration: String,
    /// Its mean place, each group of metrics weighing the same; 1 is first in everything.
    pub mean_place: f64,
    /// In how many rankings it is first, alone or with others.
    pub first_count: usize,
    #[serde(skip)]
    pub(super) index: usize,
}

impl Standing {
    /// All configurations, the best first, by the rankings in which all of them occur.
    pub(super) fn all(configurations: &[Configuration], rankings: &[Ranking]) -> Vec<Self> {
        let whole: Vec<&Ranking> =
            // A ranking that lacks a configuration cannot be averaged with the others: the missing one would
            // gain or lose by its absence.
            rankings.iter().filter(|ranking| ranking.places.len() == configurations.len()).collect();
        if whole.is_empty() {
            return Vec::new();
        }
        let mut sums: Vec<BTreeMap<MetricGroup, (f64, f64)>> = vec![BTreeMap::new(); configurations.len()];
        let mut first_counts = vec![0; configurations.len()];
        for ranking in &whole {
            for place in &ranking.places {
                // Those that share a place count as the middle of the places that they take.
                let sharing = ranking.places.iter().filter(|other| other.place == place.place).count();
                // Without this, sharing first place with nineteen others would be worth as much as winning
                // alone.
                let middle = place.place as f64 + (sharing - 1) as f64 / 2.0;
                let (sum, count) = sums[place.index].entry(ranking.metric.group()).or_default();
                *sum += middle;
                *count += 1.0;
                first_counts[place.index] += usize::from(place.place == 1);
            }
        }
        let mut standings: Vec<Self> = sums
            .into_iter()
            .enumerate()
            .map(|(index, groups)| Self {
                configuration: configurations[index].key.clone(),
                // A mean of means: each group weighs the same, so that five latencies do not outweigh two
                // rates. Places are averaged and not figures, because percent of IOPS and percent of a tail
                // have no common unit.
                mean_place: groups.values().map(|(sum, count)| sum / count).sum::<f64>()
                    / groups.len() as f64,
                first_count: first_counts[index],
                index,
            })
            .collect();
        standings.sort_by(|a, b| a.mean_place.total_cmp(&b.mean_place));
        standings
    }

    /// Of all, in their order, those that share the first place.
    pub(super) fn leaders(all: &[Self]) -> &[Self] {
        // Means of places are sums of fractions; equal ones may differ in the last bit.
        let count = all.iter().take_while(|one| one.mean_place - all[0].mean_place < 1e-9).count();
        &all[..count]
    }
}
