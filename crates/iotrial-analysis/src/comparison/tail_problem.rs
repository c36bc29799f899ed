//! Tail problems: a change that looks better than it is, because the mean does not tell what happened to the slowest I/Os.

use iotrial_model::figure::Figure;
use iotrial_model::metric::{Metric, MetricKey};
use iotrial_words::changes::{as_long, longer};
use serde::Serialize;

use super::configuration::Configuration;
use super::delta::{Delta, Pair, Reading};
use super::recommendation::{Evidence, is_of_all, titles};

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
            if is_of_all(pair, mean) {
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
pub(super) fn tail_problems(evidence: &Evidence<'_>, against_best: &[Pair]) -> Vec<TailProblem> {
    let of_factors = evidence.factors.iter().flat_map(|factor| factor.pairs.iter().map(|pair| &pair.pair));
    // Pairs that differ in several respects say less, and are looked at where there are no others.
    let of_baseline = evidence.against_baseline.iter().filter(|_| evidence.factors.is_empty());
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

/// One sentence for each of them.
pub(super) fn exceptions(configurations: &[Configuration], problems: &[TailProblem]) -> Vec<String> {
    let sentence = |problem: &TailProblem| {
        let mean = longer(problem.mean.percent);
        format!(
            "{}: {}, while its mean is {mean}.",
            titles(configurations, &problem.configuration),
            problem.tail_in_words()
        )
    };
    problems.iter().map(sentence).collect()
}

impl TailProblem {
    /// `under random write 4 KiB 2 x 1 its write p99 is 46 times as long as that of B (7,832 µs against 169 µs)`.
    pub(super) fn tail_in_words(&self) -> String {
        let Self { baseline, tail, .. } = self;
        let under = tail.metric.load.as_ref().map(|load| format!("under {load} ")).unwrap_or_default();
        let metric = Metric { load: None, ..tail.metric.clone() };
        format!(
            "{under}its {} is {} that of {baseline} ({} against {})",
            metric.title(),
            as_long(tail.percent),
            latency(tail.to),
            latency(tail.from)
        )
    }
}

fn latency(us: f64) -> String {
    match us {
        us if us >= 10_000.0 => format!("{:.1} ms", us / 1_000.0),
        // Rounded first and then cut, since 1,999.6 would otherwise print as «1,1000».
        us if us >= 999.5 => format!("{},{:03.0} µs", ((us + 0.5) / 1_000.0).floor(), us.round() % 1_000.0),
        us if us >= 99.95 => format!("{us:.0} µs"),
        us => format!("{us:.1} µs"),
    }
}
