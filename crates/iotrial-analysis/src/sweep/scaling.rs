//! What volumes do together, held against what each does alone.

use std::collections::BTreeSet;

use iotrial_model::rate_limit::{LimitCause, LimitKind, RateUnit, SharedOn, TogetherCause};
use iotrial_model::record::TargetRecord;
use iotrial_model::sweep::{LoadPattern, ProbePurpose, ProbeRecord, SweepRecord};
use serde::Serialize;

use super::limit::{Limit, Reached, beside, waited_for_a_cpu};
use super::{Curve, Probe, SeenProbe, sustained};
use crate::shared_device::SharedDevices;

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
    let limit = |kind, cause| {
        let ScalingRow { volume_count, iops, sum_of_alone_iops, .. } = *last;
        Limit::new(kind, LimitCause::Together { volume_count, iops, sum_of_alone_iops, cause })
    };
    if last.efficiency_percent >= FULL_EFFICIENCY_PERCENT {
        let own =
            curves.iter().filter(|curve| curve.pattern == pattern).filter_map(|curve| curve.limit.as_ref());
        let kinds: BTreeSet<LimitKind> = own.clone().map(|limit| limit.kind).collect();
        let each = own.clone().next().filter(|_| kinds.len() == 1);
        let each = each.map(|limit| (limit.kind, Box::new(limit.cause.clone())));
        return limit(LimitKind::NoneShared, TogetherCause::NoneShared(each));
    }
    let probe = together(seen, pattern).last().expect("a table has a probe of several volumes");
    let mine = reached(pattern, rows).expect("a table has rows");
    let same_rate = mine.same_rate(all);
    let alone: Vec<&Curve> = curves.iter().filter(|curve| curve.pattern == pattern).collect();
    let beside = beside(seen, &record.targets, &alone, same_rate.map(|rate| rate.unit));
    let shared = shared_device(record, probe.probe);
    let has_waited = waited_for_a_cpu(probe);
    if let Some(Limit { kind, cause, .. }) = Limit::of_probe(probe, beside) {
        return limit(kind, TogetherCause::Shown(Box::new(cause), shared));
    }
    // What they lie on is known, whatever else took a part: a generator that waited would make it less, and not let them share less.
    if let Some(on) = shared {
        return limit(LimitKind::SharedDevice, TogetherCause::SameDevice { on, same_rate, has_waited });
    }
    match same_rate {
        _ if has_waited => limit(LimitKind::Unknown, TogetherCause::HasWaited),
        Some(rate) if rate.unit == RateUnit::MibPerS => {
            limit(LimitKind::SharedPath, TogetherCause::SameWithOtherSize(rate))
        }
        Some(rate) => limit(LimitKind::IopsLimit, TogetherCause::SameWithOtherSize(rate)),
        None => limit(LimitKind::Unknown, TogetherCause::Unknown),
    }
}

/// The devices that all volumes of the probe lie on.
fn shared_device(record: &SweepRecord, probe: &ProbeRecord) -> Option<SharedOn> {
    let targets: Option<Vec<TargetRecord>> =
        probe.volumes.iter().map(|volume| record.targets.get(*volume).cloned()).collect();
    let targets = targets?;
    let shared =
        SharedDevices::all(&targets).into_iter().find(|shared| shared.targets.len() == targets.len())?;
    Some(SharedOn { names: shared.names, are_disks: shared.are_disks })
}
