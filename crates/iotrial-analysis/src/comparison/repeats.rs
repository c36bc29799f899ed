//! Repeats whose figures are stated: those of the run in the middle, and how far all of them lie apart.
//!
//! Percentiles cannot be merged without histograms and must not be averaged, and figures of different runs
//! contradict one another: the rate of a slow run with the latency of a fast one is no run that ever was. So
//! all figures of a load are those of one run.

use iotrial_model::metric::Metric;

/// The figures of repeats together.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    /// Those of the run in the middle.
    pub(super) figures: Vec<(Metric, f64)>,
    /// The lowest and the highest of each metric that several runs state.
    pub(super) ranges: Vec<(Metric, (f64, f64))>,
}

impl Repeats {
    /// Of what each run states. The runs of each load are ordered by the metric that most of them state, of
    /// several the first one in the order of tables; of an even number the lower one of two counts. What that
    /// run does not state is taken from the run next to it.
    pub(super) fn of(runs: &[Vec<(Metric, f64)>]) -> Self {
        // Each load is its own question: a run at depth 1 and one at depth 32 have no common middle.
        let mut loads: Vec<&Option<String>> = Vec::new();
        for (metric, _) in runs.iter().flatten() {
            if !loads.contains(&&metric.load) {
                loads.push(&metric.load);
            }
        }
        let mut all = Self::default();
        for load in loads {
            let of_load = |run: &Vec<(Metric, f64)>| -> Vec<(Metric, f64)> {
                run.iter().filter(|(metric, _)| metric.load == *load).cloned().collect()
            };
            let stated: Vec<_> = runs.iter().map(of_load).filter(|run| !run.is_empty()).collect();
            all.add_load(stated);
        }
        all
    }

    fn add_load(&mut self, runs: Vec<Vec<(Metric, f64)>>) {
        let mut metrics: Vec<Metric> = Vec::new();
        for (metric, _) in runs.iter().flatten() {
            if !metrics.contains(metric) {
                metrics.push(metric.clone());
            }
        }
        metrics.sort_by_key(Metric::position);
        // The metric that most runs state orders them, so that as few runs as possible fall out of the order.
        let stated_by = |metric: &Metric| runs.iter().filter(|run| value_of(run, metric).is_some()).count();
        let most = metrics.iter().map(stated_by).max().unwrap_or_default();
        let Some(by) = metrics.iter().find(|metric| stated_by(metric) == most) else { return };
        let runs = from_the_middle(&runs, by);
        for metric in metrics {
            let values: Vec<f64> = runs.iter().filter_map(|run| value_of(run, &metric)).collect();
            if values.len() > 1 {
                let (low, high) =
                    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                        (value.min(low), value.max(high))
                    });
                self.ranges.push((metric.clone(), (low, high)));
            }
            // `runs` starts with the middle one, so the first value is that of the middle run or of the
            // nearest one that states the metric.
            self.figures.extend(values.first().map(|value| (metric, *value)));
        }
    }
}

fn value_of(run: &[(Metric, f64)], metric: &Metric) -> Option<f64> {
    run.iter().find(|(known, _)| known == metric).map(|(_, value)| *value)
}

/// The run in the middle by a metric, then those next to it; those without the metric come last.
fn from_the_middle<'r>(runs: &'r [Vec<(Metric, f64)>], by: &Metric) -> Vec<&'r Vec<(Metric, f64)>> {
    let mut ordered: Vec<(f64, &Vec<(Metric, f64)>)> =
        runs.iter().filter_map(|run| Some((value_of(run, by)?, run))).collect();
    ordered.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Of an even number the lower of the two, never their mean: a mean of two runs is a run that did not
    // happen.
    let middle = ordered.len().saturating_sub(1) / 2;
    let mut places: Vec<usize> = (0..ordered.len()).collect();
    // Stable, so of two equally near the lower one comes first.
    places.sort_by_key(|place| place.abs_diff(middle));
    let without = runs.iter().filter(|run| value_of(run, by).is_none());
    places.into_iter().map(|place| ordered[place].1).chain(without).collect()
}

#[cfg(test)]
mod tests {
    use iotrial_model::figure::Figure;
    use iotrial_model::stream::Stream;

    use super::*;

    fn run(load: &str, iops: f64, lat_mean_us: f64) -> Vec<(Metric, f64)> {
        let metric =
            |figure| Metric { load: Some(load.to_owned()), ..Metric::of_figure(Stream::Read, figure) };
        vec![(metric(Figure::LatencyMean), lat_mean_us), (metric(Figure::Iops), iops)]
    }

    #[test]
    fn figures_of_repeats_are_those_of_one_run_and_the_range_is_that_of_all() {
        let check = |runs: &[(f64, f64)], expected: (f64, f64), iops_range: (f64, f64)| {
            let runs: Vec<_> = runs.iter().map(|(iops, lat)| run("4k", *iops, *lat)).collect();
            let repeats = Repeats::of(&runs);
            let values: Vec<f64> = repeats.figures.iter().map(|(_, value)| *value).collect();
            assert_eq!(values, [expected.0, expected.1]);
            assert_eq!(repeats.ranges[0].1, iops_range);
        };
        check(&[(46_146.0, 1_380.0), (137_860.0, 460.0)], (46_146.0, 1_380.0), (46_146.0, 137_860.0));
        check(&[(300.0, 1.0), (100.0, 2.0), (200.0, 9.0)], (200.0, 9.0), (100.0, 300.0));
        check(&[(4.0, 1.0), (1.0, 4.0), (3.0, 2.0), (2.0, 3.0)], (2.0, 3.0), (1.0, 4.0));
    }

    #[test]
    fn each_load_has_its_own_run_in_the_middle_and_one_run_has_no_range() {
        let repeats = Repeats::of(&[run("4k", 10.0, 1.0), run("8k", 5.0, 2.0), run("8k", 4.0, 3.0)]);
        let values: Vec<f64> = repeats.figures.iter().map(|(_, value)| *value).collect();
        assert_eq!(values, [10.0, 1.0, 4.0, 3.0]);
        assert!(repeats.ranges.iter().all(|(metric, _)| metric.load.as_deref() == Some("8k")));
    }

    #[test]
    fn what_the_run_in_the_middle_does_not_state_is_taken_from_the_next_one() {
        let mut poor = run("4k", 2.0, 5.0);
        poor.remove(0);
        let repeats = Repeats::of(&[run("4k", 1.0, 9.0), poor, run("4k", 3.0, 4.0)]);
        assert_eq!(repeats.figures.iter().map(|(_, value)| *value).collect::<Vec<_>>(), [2.0, 9.0]);
    }
}
