//! What sweeps did at each load that any of them measured. Nothing is interpolated.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use iotrial_model::figure::Figure;
use iotrial_model::load_pattern::LoadPattern;
use iotrial_model::metric::{Metric, MetricKey};
use iotrial_model::record::OpCounts;
use iotrial_model::stream::Stream;
use iotrial_model::sweep::{ProbePurpose, ProbeRecord, SweepRecord};
use serde::Serialize;

use super::BETWEEN_SWEEPS;
use crate::comparison::delta::Delta;
use crate::figures::Figures;
use crate::student::{CONFIDENCE, LogError};
use crate::sweep::sustained;

/// What the sweeps did at one load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedLoad {
    /// Outstanding I/Os.
    pub outstanding: u32,
    /// In the order of the sweeps; only those that measured this load.
    pub cells: Vec<LoadPointCell>,
}

/// What one sweep did at one load, of all its probes there together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoadPointCell {
    /// Key of the sweep.
    pub sweep: String,
    /// How often it was measured there.
    pub probe_count: usize,
    /// Reads and writes together.
    #[serde(flatten)]
    pub figures: Figures,
    /// The change of the rate from the baseline; `None` of the baseline, and where that did not measure this load.
    pub iops_change: Option<Delta>,
    /// The same of the mean latency.
    pub latency_change: Option<Delta>,
}

/// All loads of a curve that any sweep measured.
pub(super) fn loads(
    sweeps: &[(&str, &SweepRecord)],
    baseline: usize,
    pattern: LoadPattern,
    volume: usize,
) -> Vec<ComparedLoad> {
    let probes_of = |(_, record): &(&str, &SweepRecord)| -> BTreeMap<u32, Vec<ProbeRecord>> {
        let mut all: BTreeMap<u32, Vec<ProbeRecord>> = BTreeMap::new();
        let is_meant = |probe: &&ProbeRecord| {
            // A long probe beyond the knee has a figure of its own: a burst that ends within it is no point of the curve.
            probe.pattern == pattern
                && probe.volumes == [volume]
                && !matches!(probe.purpose, ProbePurpose::Sustained | ProbePurpose::Together)
        };
        for probe in record.probes.iter().filter(is_meant) {
            all.entry(probe.outstanding).or_default().push(probe.clone());
        }
        all
    };
    let all: Vec<BTreeMap<u32, Vec<ProbeRecord>>> = sweeps.iter().map(probes_of).collect();
    let outstanding: BTreeSet<u32> = all.iter().flat_map(BTreeMap::keys).copied().collect();
    let load = |outstanding: u32| {
        let from = all[baseline].get(&outstanding);
        let cell = |(at, (key, _)): (usize, &(&str, &SweepRecord))| {
            let probes = all[at].get(&outstanding)?;
            let change = |figure: Figure| {
                let metric =
                    Metric { load: Some(pattern.to_string()), key: MetricKey::Figure(Stream::Mixed, figure) };
                change_at(metric, figure, from.filter(|_| at != baseline)?, probes)
            };
            Some(LoadPointCell {
                sweep: (*key).to_owned(),
                probe_count: probes.len(),
                figures: together(probes),
                iops_change: change(Figure::Iops),
                latency_change: change(Figure::LatencyMean),
            })
        };
        ComparedLoad { outstanding, cells: sweeps.iter().enumerate().filter_map(cell).collect() }
    };
    outstanding.into_iter().map(load).collect()
}

/// The figures of probes of one load, which ran one after the other: counts and times add, histograms are merged.
fn together(probes: &[ProbeRecord]) -> Figures {
    let mut counts = OpCounts::default();
    let each =
        probes.iter().flat_map(|probe| &probe.counts).flat_map(|one| one.read.iter().chain(&one.write));
    each.for_each(|one| counts.merge(one));
    Figures::new(&counts, probes.iter().map(|probe| probe.measured).sum::<Duration>())
}

/// The change of a figure at one load, with an interval where both sides measured it twice or more, or once for some seconds.
fn change_at(metric: Metric, figure: Figure, from: &[ProbeRecord], to: &[ProbeRecord]) -> Option<Delta> {
    let (a, b) = (together(from).get(figure)?, together(to).get(figure)?);
    let error = |probes: &[ProbeRecord]| {
        let log = |one: &ProbeRecord| together(std::slice::from_ref(one)).get(figure).map(f64::ln);
        LogError::of_mean(&probes.iter().map(log).collect::<Option<Vec<f64>>>()?)
    };
    let of_repeats =
        || error(from).zip(error(to)).map(|(from, to)| from.reach_of_difference(to, 1.0 - CONFIDENCE));
    let of_seconds = || {
        let (from, to) = (reach_of_seconds(from)?, reach_of_seconds(to)?);
        Some(from.hypot(to).hypot(BETWEEN_SWEEPS))
    };
    let reach = of_repeats().or_else(of_seconds);
    Some(Delta::of_curve(metric, a, b, reach))
}

/// The fewest seconds of a test whose spread tells how well its mean is known.
const LEAST_SECONDS: usize = 5;

/// Half of the 95 % interval of the rate of a long test that was made once, in logarithms, by its seconds. In a closed load the mean latency
/// is the I/Os outstanding by the rate, and has the same one. `None` of several tests, of short probes, and where the rate changed on
/// its way.
fn reach_of_seconds(probes: &[ProbeRecord]) -> Option<f64> {
    let [only] = probes else { return None };
    if only.purpose != ProbePurpose::Grid || only.course.len() < LEAST_SECONDS {
        return None;
    }
    let rate = sustained(only).filter(|rate| rate.burst.is_none() && rate.drift.is_none())?;
    // A standard error with many degrees of freedom: 1.96 of them are 95 %.
    Some(1.96 * rate.iops_standard_error? / rate.iops)
}
