//! The highest rate within the limits, of one run or of several, as far as searches found it.

use iotrial_model::search::Search;
use iotrial_model::subject::Subject;
use serde::Serialize;

use crate::student::{CONFIDENCE, student_limit};
use crate::verdict::{Capacity, Outcome, Verdict};

/// What one search found: the highest rate that held, and the lowest above it that did not, in IOPS.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    /// Zero where no rate held.
    held: f64,
    /// `None` where the device may carry any more than that.
    not_held: Option<f64>,
}

impl Found {
    /// Of a run that searched for a rate; `None` of any other, and where the search does not know: its loads disagreed, it did not
    /// come to its end, or its verdict is inconclusive.
    pub(super) fn of(subject: &Subject<'_>, verdict: &Verdict) -> Option<Self> {
        let capacity = Capacity::of(subject, verdict)?;
        match (capacity.iops, verdict.of_device()?) {
            (Some(held), _) => {
                Some(Self { held, not_held: capacity.not_held_iops.filter(|_| !capacity.is_lower_bound) })
            }
            (None, Outcome::NotQualified) => {
                Some(Self { held: 0.0, not_held: subject.search.and_then(lowest_not_held) })
            }
            (None, _) => None,
        }
    }
}

fn lowest_not_held(search: &Search) -> Option<f64> {
    let failed = search.probes.iter().filter(|probe| probe.held == Some(false));
    failed.filter_map(|probe| probe.asked_iops).reduce(f64::min)
}

/// The highest rate of the load's mix that stays within its limits, of all runs of a configuration that found one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CapacityFigure {
    /// I/Os per second: of one run the highest rate that held, of several their geometric mean.
    pub iops: f64,
    /// Whether it may be any more than that: something other than the device kept higher rates from holding, or none was tried.
    pub is_lower_bound: bool,
    /// Where it lies with 95 % confidence: of one run from the highest rate that held …
    pub low_iops: f64,
    /// … to the lowest that did not; `None` where it is a lower bound.
    pub high_iops: Option<f64>,
    /// Runs that found one.
    pub run_count: usize,
}

impl CapacityFigure {
    /// `None` where no run found one.
    pub(super) fn of(found: &[Found]) -> Option<Self> {
        let (first, others) = found.split_first()?;
        let is_lower_bound = found.iter().any(|one| one.not_held.is_none());
        let run_count = found.len();
        let highest = || found.iter().filter_map(|one| one.not_held).reduce(f64::max);
        let (iops, low_iops, high_iops) = if others.is_empty() {
            (first.held, first.held, first.not_held)
        } else if found.iter().any(|one| one.held <= 0.0) {
            // Nothing has no logarithm; what the runs found is all that can be said.
            let lowest = found.iter().map(|one| one.held).fold(f64::INFINITY, f64::min);
            (lowest, lowest, highest())
        } else {
            let count = run_count as f64;
            let mean = found.iter().map(|one| one.held.ln()).sum::<f64>() / count;
            let variance =
                found.iter().map(|one| (one.held.ln() - mean).powi(2)).sum::<f64>() / (count - 1.0);
            // What each search leaves open is even over the width between its two rates, whose variance is a twelfth of its square.
            let width = |one: &Found| one.not_held.map_or(0.0, |above| (above / one.held).ln());
            let left_open = found.iter().map(|one| width(one).powi(2) / 12.0).sum::<f64>() / count;
            let reach =
                student_limit(1.0 - CONFIDENCE, count - 1.0) * ((variance + left_open) / count).sqrt();
            (mean.exp(), (mean - reach).exp(), Some((mean + reach).exp()))
        };
        let high_iops = high_iops.filter(|_| !is_lower_bound);
        Some(Self { iops, is_lower_bound, low_iops, high_iops, run_count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(held: f64, not_held: f64) -> Found {
        Found { held, not_held: Some(not_held) }
    }

    #[test]
    fn one_search_lies_between_its_two_rates_and_several_around_their_mean() {
        let one = CapacityFigure::of(&[found(40_000.0, 41_000.0)]).unwrap();
        assert_eq!((one.iops, one.low_iops, one.high_iops), (40_000.0, 40_000.0, Some(41_000.0)));
        let five: Vec<Found> =
            [40_000.0, 41_000.0, 39_000.0, 40_500.0, 39_500.0].map(|held| found(held, held * 1.02)).to_vec();
        let all = CapacityFigure::of(&five).unwrap();
        assert!((39_900.0..40_100.0).contains(&all.iops), "{all:?}");
        assert!(all.low_iops > 38_500.0 && all.high_iops.unwrap() < 41_500.0, "{all:?}");
    }

    #[test]
    fn one_search_without_an_end_makes_all_of_them_a_lower_bound() {
        let bound = Found { held: 50_000.0, not_held: None };
        let all = CapacityFigure::of(&[bound, found(49_000.0, 50_000.0)]).unwrap();
        assert!(all.is_lower_bound && all.high_iops.is_none());
        assert_eq!(CapacityFigure::of(&[]), None);
    }

    #[test]
    fn where_a_search_found_that_no_rate_holds_it_is_nothing_to_what_did_not_hold() {
        let none = CapacityFigure::of(&[found(0.0, 900.0)]).unwrap();
        assert_eq!((none.iops, none.high_iops), (0.0, Some(900.0)));
        let mixed = CapacityFigure::of(&[found(0.0, 900.0), found(950.0, 1_000.0)]).unwrap();
        assert_eq!((mixed.iops, mixed.high_iops), (0.0, Some(1_000.0)));
    }
}
