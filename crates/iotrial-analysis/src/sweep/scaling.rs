//! What volumes do together, held against what each does alone.

use std::collections::BTreeSet;

use iotrial_model::record::TargetRecord;
use iotrial_model::sweep::{LoadPattern, ProbePurpose, ProbeRecord, SweepRecord};
use serde::Serialize;

use super::limit::{Limit, LimitKind, Reached, Steady, WAITED, WAITED_TOO, beside, waited_for_a_cpu};
use super::{Curve, Probe, SeenProbe, sustained};
use crate::shared_device::SharedDevices;
use crate::words::with_thousands;

/// Together at least this share of the sum: anything less has a cause.
const FULL_EFFICIENCY_PERCENT: f64 = 90.0;

/// One pattern on more and more volumes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scaling {
    /// The kind of I/O.
    pub pattern: LoadPattern,
    /// The first volume alone, then more and more of them.
    pub rows: Vec<ScalingRow>,
    /// What all of them share, or that it is nothing.
    pub limit: Limit,
}

/// Some volumes at once.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScalingRow {
    /// Volumes under load at once, from 1.
    pub volume_count: usize,
    /// Outstanding I/Os on all of them together.
    pub outstanding: u32,
    /// I/Os per second, all together.
    pub iops: f64,
    /// MiB per second, all together.
    pub bandwidth_mib_per_s: f64,
    /// Mean total latency over all of them; `None` where nothing completed.
    pub lat_mean_us: Option<f64>,
    /// 99th percentile of latency.
    pub lat_p99_us: Option<f64>,
    /// The sum of what each of them does alone.
    pub sum_of_alone_iops: f64,
    /// `iops` in percent of that sum.
    pub efficiency_percent: f64,
}

/// The scaling of every pattern that was measured on several volumes at once.
pub(super) fn scaling(record: &SweepRecord, seen: &[SeenProbe<'_>], curves: &[Curve]) -> Vec<Scaling> {
    let mut patterns: Vec<LoadPattern> = Vec::new();
    for probe in record.probes.iter().filter(|probe| probe.purpose == ProbePurpose::Together) {
        if !patterns.contains(&probe.pattern) {
            patterns.push(probe.pattern);
        }
    }
    let tables: Vec<(LoadPattern, Vec<ScalingRow>)> = patterns
        .into_iter()
        .map(|pattern| (pattern, rows(seen, curves, pattern)))
        .filter(|(_, rows)| rows.len() > 1)
        .collect();
    let all: Vec<Reached> = tables.iter().filter_map(|(pattern, rows)| reached(*pattern, rows)).collect();
    tables
        .into_iter()
        .map(|(pattern, rows)| {
            let limit = limit_of(record, seen, curves, pattern, &rows, &all);
            Scaling { pattern, rows, limit }
        })
        .collect()
}

fn rows(seen: &[SeenProbe<'_>], curves: &[Curve], pattern: LoadPattern) -> Vec<ScalingRow> {
    let alone = |volume: usize| {
        let curve = curves.iter().find(|one| (one.pattern, one.volume) == (pattern, volume))?;
        curve.saturation.as_ref().map(|found| (curve, found))
    };
    let mut rows = Vec::new();
    if let Some((curve, found)) = alone(0) {
        let long = curve.probes.iter().rfind(|one| one.purpose == ProbePurpose::Sustained);
        let best = || curve.probes.iter().max_by(|a, b| a.point().iops.total_cmp(&b.point().iops));
        if let Some(probe) = long.or_else(best) {
            rows.push(row(1, probe, found.ceiling_iops, found.ceiling_iops));
        }
    }
    for SeenProbe { probe, figures, .. } in together(seen, pattern) {
        let sum: Option<f64> =
            probe.volumes.iter().map(|volume| alone(*volume).map(|(_, found)| found.ceiling_iops)).sum();
        let (Some(sum), Some(rate)) = (sum, sustained(probe)) else { continue };
        rows.push(row(probe.volumes.len(), figures, rate.iops, sum));
    }
    rows
}

fn together<'s, 'r>(
    seen: &'s [SeenProbe<'r>],
    pattern: LoadPattern,
) -> impl Iterator<Item = &'s SeenProbe<'r>> {
    let is_one =
        move |probe: &ProbeRecord| probe.purpose == ProbePurpose::Together && probe.pattern == pattern;
    seen.iter().filter(move |seen| is_one(seen.probe))
}

/// All volumes of a group of more than one.
fn all_of(volume_count: usize) -> &'static str {
    if volume_count == 2 { "both" } else { "all of them" }
}

fn row(volume_count: usize, probe: &Probe, iops: f64, sum_of_alone_iops: f64) -> ScalingRow {
    let figures = &probe.figures;
    let mib_per_io = figures
        .iops
        .filter(|iops| *iops > 0.0)
        .map_or(0.0, |iops| figures.bandwidth_mib_per_s.unwrap_or(0.0) / iops);
    ScalingRow {
        volume_count,
        outstanding: probe.outstanding,
        iops,
        bandwidth_mib_per_s: iops * mib_per_io,
        lat_mean_us: figures.lat_mean_us,
        lat_p99_us: figures.lat_p99_us,
        sum_of_alone_iops,
        efficiency_percent: 100.0 * iops / sum_of_alone_iops,
    }
}

fn reached(pattern: LoadPattern, rows: &[ScalingRow]) -> Option<Reached> {
    let last = rows.last()?;
    Some(Reached {
        order: pattern.order,
        block_bytes: pattern.block_size.get(),
        rwmix_read_percent: pattern.rwmix_read_percent,
        iops: last.iops,
        mib_per_s: last.bandwidth_mib_per_s,
        // The volumes were loaded as deep as each does most alone (`load_for_together`).
        is_ceiling: true,
    })
}

fn limit_of(
    record: &SweepRecord,
    seen: &[SeenProbe<'_>],
    curves: &[Curve],
    pattern: LoadPattern,
    rows: &[ScalingRow],
    all: &[Reached],
) -> Limit {
    let last = rows.last().expect("a table has rows");
    let count = last.volume_count;
    if last.efficiency_percent >= FULL_EFFICIENCY_PERCENT {
        let own =
            curves.iter().filter(|curve| curve.pattern == pattern).filter_map(|curve| curve.limit.as_ref());
        let kinds: BTreeSet<&str> = own.clone().map(|limit| limit.kind.as_str()).collect();
        let each = match (kinds.len(), own.clone().next()) {
            (1, Some(limit)) => {
                format!("; the limit is each volume's own ({}): {}", limit.kind.as_str(), limit.sentence)
            }
            _ => "; the limit is each volume's own".to_owned(),
        };
        return Limit::new(
            LimitKind::NoneShared,
            format!(
                "{count} volumes together do {:.0} % of what they do separately{each}",
                last.efficiency_percent
            ),
        );
    }
    let short = format!(
        "{count} volumes together do {} IOPS, {:.0} % of the {} that they do separately",
        with_thousands(last.iops),
        last.efficiency_percent,
        with_thousands(last.sum_of_alone_iops)
    );
    let probe = together(seen, pattern).last().expect("a table has a probe of several volumes");
    let mine = reached(pattern, rows).expect("a table has rows");
    let steady = mine.steady_rate(all);
    let alone: Vec<&Curve> = curves.iter().filter(|curve| curve.pattern == pattern).collect();
    let beside = beside(seen, &record.targets, &alone, steady.map(|(steady, _)| steady));
    let shared = shared_device(record, probe.probe);
    if let Some(limit) = Limit::of_probe(probe, beside) {
        let also = shared.map_or_else(String::new, |words| format!("; {} are on {words}", all_of(count)));
        return Limit::new(limit.kind, format!("{short}: {}{also}", limit.sentence));
    }
    let evidence = steady.map(|(steady, other)| mine.evidence(steady, &other));
    // What they lie on is known, whatever else took a part: a generator that waited would make it less, and not let them share less.
    if let Some(words) = shared {
        let also = evidence.map_or_else(String::new, |evidence| format!(", and do {evidence}"));
        let waited = if waited_for_a_cpu(probe) { format!("; {WAITED_TOO}") } else { String::new() };
        return Limit::new(
            LimitKind::SharedDevice,
            format!("{short}: {all} are on {words}{also}{waited}", all = all_of(count)),
        );
    }
    if waited_for_a_cpu(probe) {
        return Limit::new(LimitKind::Unknown, format!("{short}, {WAITED}"));
    }
    let (kind, cause) = match (steady, evidence) {
        (Some((Steady::Bandwidth, _)), Some(evidence)) => (
            LimitKind::SharedPath,
            format!("{evidence}: a limit on bytes per second of the path that they share, or of the machine"),
        ),
        (Some((Steady::Iops, _)), Some(evidence)) => (
            LimitKind::IopsLimit,
            format!("{evidence}: a limit on I/Os per second that they share, such as one of the machine or the array"),
        ),
        _ => (
            LimitKind::Unknown,
            "they share a limit; a sweep with another block size shows whether it limits I/Os or bytes per second"
                .to_owned(),
        ),
    };
    Limit::new(kind, format!("{short}: {cause}"))
}

/// The devices that all volumes of the probe lie on, in words.
fn shared_device(record: &SweepRecord, probe: &ProbeRecord) -> Option<String> {
    let targets: Option<Vec<TargetRecord>> =
        probe.volumes.iter().map(|volume| record.targets.get(*volume).cloned()).collect();
    let targets = targets?;
    let all = SharedDevices::all(&targets).into_iter();
    all.filter(|shared| shared.targets.len() == targets.len()).map(|shared| shared.in_words()).next()
}
