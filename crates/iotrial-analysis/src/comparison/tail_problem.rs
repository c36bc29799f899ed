//! Tail problems: a change that looks better than it is, because the mean does not tell what happened to the slowest I/Os.

use iotrial_model::figure::Figure;
use iotrial_model::metric::{Metric, MetricKey};
use iotrial_model::recommendation::{ExceptionFact, TailFact};
use serde::Serialize;

use super::configuration::{Configuration, title_of};
use super::delta::{Delta, Pair, Reading};
use super::factor::Factor;

/// A change that looks better than it is: the mean does not tell what happened to the slowest I/Os.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TailProblem {
    /// Key of the configuration that is compared with.
    pub baseline: String,
    /// Key of the configuration that has the problem.
    pub configuration: String,
    /// The change of the tail, p99.9 or p99.
    pub tail: Delta,
    /// The mean of the same I/Os.
    pub mean: Delta,
}

impl TailProblem {
    /// Those of a pair: a tail that gets worse while the mean gets better, or that gets much worse while the
    /// mean gets worse by less than half as much.
    pub(super) fn of_pair(pair: &Pair) -> Vec<Self> {
        let problem = |mean: &Delta| {
            let (of, Figure::LatencyMean) = mean.metric.key.figure()? else { return None };
            // A role that has all the I/Os of its stream would be told twice.
            if pair.is_of_all(mean) {
                return None;
            }
            let tail_of = |figure: Figure| {
                let key = MetricKey::of_stream(of, figure);
                pair.delta(&Metric { key, ..mean.metric.clone() }).filter(|tail| {
                    let is_hidden = mean.reading.is_better() && tail.reading.is_worse();
                    // «Less than half as much»: a device that is slower in everything has no tail problem, it
                    // is slower.
                    is_hidden || (tail.reading == Reading::MuchWorse && mean.percent < tail.percent / 2.0)
                })
            };
            // p99.9 first: where both are known, the further tail is the stronger statement. Only one of them
            // is reported for a mean.
            let tail = [Figure::LatencyP999, Figure::LatencyP99].into_iter().find_map(tail_of)?;
            Some(Self {
                baseline: pair.baseline.clone(),
                configuration: pair.configuration.clone(),
                tail: tail.clone(),
                mean: mean.clone(),
            })
        };
        pair.deltas.iter().filter_map(problem).collect()
    }
}

/// Of every pair that is looked at anyway, each way round, once.
pub(super) fn tail_problems(
    factors: &[Factor],
    against_baseline: &[Pair],
    against_best: &[Pair],
) -> Vec<TailProblem> {
    let of_factors = factors.iter().flat_map(|factor| factor.pairs.iter().map(|pair| &pair.pair));
    // Pairs that differ in several respects say less, and are looked at where there are no others.
    let of_baseline = against_baseline.iter().filter(|_| factors.is_empty());
    let mut problems: Vec<TailProblem> = Vec::new();
    for pair in of_factors.chain(of_baseline).chain(against_best) {
        for pair in [pair, &pair.turned()] {
            for problem in TailProblem::of_pair(pair) {
                let is_known = problems.iter().any(|known| {
                    (&known.baseline, &known.configuration, &known.tail.metric)
                        == (&problem.baseline, &problem.configuration, &problem.tail.metric)
                });
                if !is_known {
                    problems.push(problem);
                }
            }
        }
    }
    // The worst tail first: that is the one to look at.
    problems.sort_by(|a, b| b.tail.percent.total_cmp(&a.tail.percent));
    problems
}

/// What is said of each of them.
pub(super) fn exceptions(
    configurations: &[Configuration],
    problems: &[TailProblem],
) -> impl Iterator<Item = ExceptionFact> {
    let title = |problem: &TailProblem| title_of(configurations, &problem.configuration);
    problems.iter().map(move |problem| ExceptionFact::Tail(title(problem), problem.fact()))
}

impl TailProblem {
    /// The same as a fact.
    pub(super) fn fact(&self) -> TailFact {
        let Self { baseline, tail, mean, .. } = self;
        TailFact {
            baseline: baseline.clone(),
            metric: tail.metric.clone(),
            from_us: tail.from,
            to_us: tail.to,
            tail_percent: tail.percent,
            mean_percent: mean.percent,
        }
    }
}
