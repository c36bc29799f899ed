//! Where more outstanding I/O buys no more throughput: the knee, the ceiling, and how sure both are.
//!
//! Works on a plain list of loads with their rates, from wherever they come. Two models are fitted, and the
//! one that lies closer to the points is taken:
//!
//! - queueing with a ceiling: `X(N) = min(C, N / (R₀ (1 + σ (N − 1))))`. Without a ceiling this is a closed
//!   network of equally loaded servers, one for each I/O that finds a free one (balanced job bounds:
//!   Zahorjan, Sevcik, Eager and Galler, 1982); with σ = 0 it is a device that serves a fixed number at once,
//!   or a rate limit before it (asymptotic bounds: Denning and Buzen, 1978). Where chance rounds the corner,
//!   `X(N) = N / (R₀ (1 + (N / (C R₀))ᵖ)^(1/p))`: both bounds as asymptotes, with p = 1 for the network, and
//!   the bounds themselves for large p;
//! - the universal scalability law (Gunther, 1993): `X(N) = N / (R₀ (1 + σ (N − 1) + κ N (N − 1)))`, which
//!   can fall again.
//!
//! The knee is where `X(N) / R(N)` is largest, throughput per latency (power: Giessler et al., 1978;
//! Kleinrock, 1979). As `R = N / X`, that is where `X² / N` is: below it one percent more load brings more
//! throughput than latency, beyond it more latency than throughput. On a device that serves c I/Os at once it
//! is c, behind a rate limit C it is `C R₀`.

use serde::Serialize;

mod model;

mod sustained;

mod top;

pub use model::Model;
pub(crate) use sustained::stalled_seconds;
pub use sustained::{Burst, Drift, Sustained};
pub(crate) use top::Top;

use crate::student::MOST_REACH_FACTOR;

/// A load with its rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadPoint {
    /// Outstanding I/Os, on all volumes together; at least 1.
    pub outstanding: u32,
    /// I/Os per second; more than zero.
    pub iops: f64,
    /// MiB per second.
    pub mib_per_s: f64,
    /// Mean latency; `None` where it is not known, and then `outstanding / iops` stands for it.
    pub lat_mean_us: Option<f64>,
    /// Relative standard error of the rate by the chance in few I/Os: the spread of their latencies, as a
    /// share of the mean, by the square root of their number. Zero where it is not known. Points with more
    /// count less.
    pub chance: f64,
}

impl LoadPoint {
    /// How much the point counts: what differs from time to time, and the chance in a mean over its I/Os.
    fn weight(&self) -> f64 {
        // Variances of independent errors add. Without the constant part a load with millions of I/Os would
        // count a thousand times as much as its neighbours, and the fit would follow its accidents.
        1.0 / (POINT_ERROR * POINT_ERROR + self.chance * self.chance)
    }
}

/// Relative difference of two measurements of one load, even on a quiet device.
const POINT_ERROR: f64 = 0.01;

/// How many times the rate that lasts a point has to reach to belong to a burst.
// Five errors of a point. Lower than `LEAST_BURST_RATIO`, which decides whether there was a burst at all;
// this one only keeps its points out of the fit.
const BURST_RATIO: f64 = 1.05;

/// Share of the ceiling from which a load counts as saturating.
const SATURATED_SHARE: f64 = 0.95;

/// A load this close to the knee, as a share of it, has been measured there.
const AT_KNEE: f64 = 0.05;

/// By how many percent the rate at the highest load has to be below its peak to have fallen rather than to
/// vary.
const MOST_FALL_PERCENT: f64 = 10.0;

/// The share that a step of the load has to add for the ceiling not to be reached.
// The lower load is at most half of the highest, so a device with any parallelism left gains far more than a
// tenth.
const LEAST_GAIN: f64 = 0.1;

/// A load on the fitted curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Load {
    /// Outstanding I/Os; a fraction where the curve is between whole ones.
    pub outstanding: f64,
    /// I/Os per second.
    pub iops: f64,
    /// MiB per second.
    pub bandwidth_mib_per_s: f64,
    /// Mean latency in µs; on the curve it follows from Little's law.
    pub lat_mean_us: f64,
}

/// On which side of the reported load the knee is, where the loads do not show the knee itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KneeBound {
    /// At it or below: the lowest load that was measured does already what the highest one does.
    AtOrBelow,
    /// At it or above: the rate still rises in proportion.
    AtOrAbove,
    /// On either side: there is no other load.
    Unknown,
}

/// The ends of a 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Confidence {
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Confidence {
    /// Whether it encloses a value, and says more of it than that it is somewhere.
    fn tells_of(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
            && self.high <= MOST_REACH_FACTOR * value
            && value <= MOST_REACH_FACTOR * self.low
    }
}

/// Knee and ceiling of a curve, and how well the points show them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Saturation {
    /// The highest load with latency still in proportion: where the fitted curve has it, with the rate and
    /// latency that were measured there, or the curve's where no load lies within 5 %. With `knee_bound` it
    /// is a bound of the knee.
    pub knee: Load,
    /// On which side of `knee` the knee lies; `None` where the knee is that load.
    pub knee_bound: Option<KneeBound>,
    /// Of the knee's outstanding I/Os; `None` with too few points to tell, and of a bound.
    pub knee_confidence: Option<Confidence>,
    /// The lowest measured load, from the knee on, that reaches 95 % of the ceiling.
    pub saturated: Load,
    /// The rate that more outstanding I/O does not raise.
    pub ceiling_iops: f64,
    /// The same in MiB per second.
    pub ceiling_mib_per_s: f64,
    /// Of `ceiling_iops`; `None` with too few points to tell. Where the rate falls again its upper end covers what a load between the measured
    /// ones may reach.
    pub ceiling_confidence: Option<Confidence>,
    /// Whether the ceiling was seen: the highest loads brought no more. Otherwise it is only the highest rate
    /// measured.
    pub is_reached: bool,
    /// By how many percent the best load lies above the ceiling, which the others do not hold with it; zero
    /// where none does.
    pub exceeded_by_percent: f64,
    /// By how many percent the rate at the highest load lies below the highest rate; zero where it does not
    /// fall.
    pub falls_by_percent: f64,
    /// The model that was taken; `None` where the loads are fewer than three, or all beyond the knee, so that
    /// no curve has anything to hold on to. Then all other figures are measured ones.
    pub fit: Option<Fit>,
}

/// A fitted model, and how well it fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fit {
    /// The curve with its parameters.
    #[serde(flatten)]
    pub model: Model,
    /// Root of the mean squared relative distance of the points from the curve.
    pub rms_percent: f64,
    /// Share of the variance of the rates that the curve explains; `None` where the rates do not vary.
    pub r_squared: Option<f64>,
    /// How many points it was fitted to.
    pub point_count: usize,
}

/// The mean of what was measured at one load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeanPoint {
    /// Outstanding I/Os of this load.
    pub outstanding: u32,
    /// I/Os per second.
    pub iops: f64,
    /// MiB per second.
    pub mib_per_s: f64,
    /// Mean of the mean latencies in µs.
    pub lat_mean_us: f64,
    /// How many measurements it is the mean of.
    pub count: usize,
}

/// The means by load, the lowest first. Loads without any rate are left out.
pub(crate) fn by_load(points: &[LoadPoint]) -> Vec<MeanPoint> {
    let mut loads: Vec<u32> = points.iter().filter(|one| is_usable(one)).map(|one| one.outstanding).collect();
    loads.sort_unstable();
    loads.dedup();
    let mean = |outstanding: u32| {
        let same = || points.iter().filter(move |one| one.outstanding == outstanding && is_usable(one));
        let count = same().count();
        // The mean of rates is right here: repeats of one load last equally long, so it is the rate over all
        // of their time.
        let mean_of = |of: fn(&LoadPoint) -> f64| same().map(of).sum::<f64>() / count as f64;
        let iops = mean_of(|one| one.iops);
        // N = X R in a closed load. A measured mean counts first, because ramps and ends make the two differ.
        let by_littles_law = 1e6 * f64::from(outstanding) / iops;
        let measured: Vec<f64> = same().filter_map(|one| one.lat_mean_us).collect();
        let lat_mean_us = if measured.is_empty() {
            by_littles_law
        } else {
            measured.iter().sum::<f64>() / measured.len() as f64
        };
        MeanPoint { outstanding, iops, mib_per_s: mean_of(|one| one.mib_per_s), lat_mean_us, count }
    };
    loads.into_iter().map(mean).collect()
}

fn is_usable(point: &LoadPoint) -> bool {
    point.outstanding > 0 && point.iops.is_finite() && point.iops > 0.0
}

/// Whether the highest load brought hardly more than a lower one. The highest is at least twice the lower
/// one, so that it had its chance.
pub(crate) fn is_saturated(points: &[LoadPoint]) -> bool {
    let means = by_load(points);
    let Some((top, lower)) = means.split_last() else { return false };
    // A highest load of 17 next to one of 16 proves nothing when it brings no more.
    let best = lower.iter().filter(|one| one.outstanding <= top.outstanding / 2).map(|one| one.iops);
    best.max_by(f64::total_cmp).is_some_and(|best| top.iops < (1.0 + LEAST_GAIN) * best)
}

impl Saturation {
    /// The same where no rate lasts: there is neither a ceiling nor a knee that would be there again.
    pub(crate) fn without_end(self) -> Self {
        let knee_bound = Some(KneeBound::Unknown);
        Self { knee_bound, knee_confidence: None, ceiling_confidence: None, is_reached: false, ..self }
    }

    /// What the points say; `None` without any. `sustained` is the rate that lasts, where it was measured:
    /// then points above it are those of a burst, and say nothing of the ceiling.
    pub fn of(points: &[LoadPoint], sustained: Option<Sustained>) -> Option<Self> {
        let usable = of_what_lasts(points, sustained);
        let means = by_load(&usable);
        let (first, last) = (means.first()?, means.last()?);
        let fixed = sustained.map(|rate| rate.iops);
        let without_curve = without_curve(&means, fixed.is_some());
        let fit = if without_curve.is_some() { None } else { model::fit(&usable, fixed) };
        let model = fit.as_ref().map(|fit| fit.model);
        let highest = means.iter().map(|one| one.iops).fold(0.0, f64::max);
        let falls_by_percent = (100.0 * (1.0 - last.iops / highest)).max(0.0);
        // Here all points count, those of a burst as well: that more load brings no more is true in a burst, too.
        let is_reached =
            is_saturated(points) || model.is_some_and(|model| model.has_ceiling_within(last.outstanding));
        // A model's ceiling that no measurement came near is not a result, nor is one between a peak and what
        // follows it. Below a fall of 10 % it may be noise; from there on the peak of the curve and the last rate
        // are two different answers, and the highest measured rate is taken.
        let of_model = model
            .and_then(|model| model.ceiling_iops())
            .filter(|_| is_reached && falls_by_percent < MOST_FALL_PERCENT);
        // In this order: measured over a whole step, fitted to the curve, and only then the highest seen.
        let ceiling_iops = fixed.or(of_model).unwrap_or(highest);
        // A ratio of sums. Sizes may be mixed, and the mean of the ratios would give a slow load as much say
        // as a fast one.
        let mib_per_io = means.iter().map(|one| one.mib_per_s).sum::<f64>()
            / means.iter().map(|one| one.iops).sum::<f64>();
        let curve = Drawn { model, fixed, ceiling_iops, mib_per_io };
        let (at, knee_bound) = match (without_curve, model) {
            (Some((at, bound)), _) => (f64::from(at), bound),
            (None, model) => {
                let model = model?;
                let (at, bound) = model.knee_or_bound(first.outstanding, last.outstanding, is_reached);
                let is_drawn = bound.is_none() && model.draws_its_corner();
                (measured_beside(at, &means).filter(|_| is_drawn).unwrap_or(at), bound)
            }
        };
        // What was measured there counts more than what was fitted. But not what was measured in a burst: a knee
        // above the ceiling that is stated beside it is none.
        let is_near = |one: &&MeanPoint| (f64::from(one.outstanding) / at - 1.0).abs() <= AT_KNEE;
        let near = means.iter().find(is_near).filter(|one| !curve.is_in_burst(one));
        let knee = near.map_or_else(|| curve.load(at), |one| Load { outstanding: at, ..Load::of(one) });
        // With the burst's points, for what was really measured at a load.
        let all = by_load(points);
        let saturating = all.iter().find(|one| {
            // Where the knee is only known to be at or below the lowest load, every load may be the first
            // that saturates.
            (knee_bound == Some(KneeBound::AtOrBelow)
                // Rounded, because a fitted knee of 8.02 is the measured load 8.
                || f64::from(one.outstanding) >= at.round())
                && one.iops >= SATURATED_SHARE * ceiling_iops
        });
        let saturated = saturating.map_or(knee, |one| {
            // Of what was measured in the burst this is what remains.
            if curve.is_in_burst(one) { curve.load(f64::from(one.outstanding)) } else { Load::of(one) }
        });
        let confidence = fit.as_ref().and_then(|fit| model::confidence(&usable, sustained, fit));
        let (knee_confidence, of_model) = confidence.unzip();
        let ceiling_confidence = match sustained {
            Some(rate) => rate.confidence(),
            // What the bootstrap says of the model's ceiling holds for no other.
            None => of_model.filter(|one| (one.low..=one.high).contains(&ceiling_iops)),
        };
        // Where the rate falls again, its top may lie between two loads, and its best load is one of several that differ by chance. What fell because a
        // store was used up has no top.
        let has_burst = sustained.is_some_and(|rate| rate.burst.is_some());
        let top = Top::of(&usable).filter(|_| !has_burst);
        let ceiling_confidence = ceiling_confidence.map(|one| match top {
            Some(top) => Confidence { high: top.at_most_iops().max(one.high), ..one },
            None => one,
        });
        Some(Self {
            knee,
            knee_bound,
            // A bound has no interval: the bootstrap would say how certain the wrong number is.
            // Nor has a load that was taken instead of the curve's, and one that may be anywhere is not known.
            knee_confidence: knee_confidence.filter(|one| knee_bound.is_none() && one.tells_of(at)),
            saturated,
            ceiling_iops,
            ceiling_mib_per_s: ceiling_iops * mib_per_io,
            ceiling_confidence,
            is_reached,
            // Of all loads, not of the curve: what is reported is a measurement that contradicts the ceiling.
            exceeded_by_percent: (100.0 * (highest / ceiling_iops - 1.0)).max(0.0),
            falls_by_percent,
            fit,
        })
    }
}

/// The points that are none of a burst.
fn of_what_lasts(points: &[LoadPoint], sustained: Option<Sustained>) -> Vec<LoadPoint> {
    let usable = || points.iter().filter(|one| is_usable(one));
    let lasts = |one: &LoadPoint| sustained.is_none_or(|rate| one.iops <= BURST_RATIO * rate.iops);
    let lowest = usable().map(|one| one.outstanding).min();
    let is_lowest = |one: &LoadPoint| Some(one.outstanding) == lowest;
    // The lowest load is kept even where it was measured in a burst alone: R₀ comes from it, and without it no
    // curve has a foot.
    let lowest_lasts = usable().any(|one| is_lowest(one) && lasts(one));
    usable().filter(|one| lasts(one) || is_lowest(one) && !lowest_lasts).copied().collect()
}

/// The curve with its ceiling.
struct Drawn {
    model: Option<Model>,
    /// The rate that lasts, where it was measured.
    fixed: Option<f64>,
    ceiling_iops: f64,
    mib_per_io: f64,
}

impl Drawn {
    fn load(&self, outstanding: f64) -> Load {
        let of_curve = self.model.map_or(self.ceiling_iops, |model| model.iops(outstanding));
        // The universal scalability law is fitted without the rate that lasts, and may run above it.
        let iops = of_curve.min(self.fixed.unwrap_or(f64::INFINITY));
        // Little's law, so that the three figures of a load on the curve agree with one another.
        let lat_mean_us = 1e6 * outstanding / iops;
        Load { outstanding, iops, bandwidth_mib_per_s: iops * self.mib_per_io, lat_mean_us }
    }

    fn is_in_burst(&self, one: &MeanPoint) -> bool {
        self.fixed.is_some_and(|rate| one.iops > BURST_RATIO * rate)
    }
}

impl Load {
    /// As it was measured.
    fn of(one: &MeanPoint) -> Self {
        Self {
            outstanding: f64::from(one.outstanding),
            iops: one.iops,
            bandwidth_mib_per_s: one.mib_per_s,
            lat_mean_us: one.lat_mean_us,
        }
    }
}

/// A load this close to a corner that is only drawn stands for it, as for a search ([`crate::knee_search`]).
const BESIDE_KNEE: f64 = 0.1;

/// Of the loads that were measured beside a knee the one with most throughput per latency: those within a tenth of it, and the whole loads on
/// both sides where nothing lies between them.
fn measured_beside(knee: f64, means: &[MeanPoint]) -> Option<f64> {
    let is_measured = |load: f64| means.iter().any(|one| f64::from(one.outstanding) == load);
    let is_enclosed = is_measured(knee.floor()) && is_measured(knee.ceil());
    let is_beside = |one: &&MeanPoint| {
        let load = f64::from(one.outstanding);
        (load / knee - 1.0).abs() <= BESIDE_KNEE || is_enclosed && (load - knee).abs() < 1.0
    };
    let power = |one: &MeanPoint| one.iops * one.iops / f64::from(one.outstanding);
    let best = means.iter().filter(is_beside).max_by(|a, b| power(a).total_cmp(&power(b)))?;
    Some(f64::from(best.outstanding))
}

/// The load at the knee, or the one that bounds it, where no curve is to be fitted: with fewer than three
/// loads, and where the lowest of them does already what the others do. `None` where a curve tells.
/// `has_ceiling` is whether the rate that lasts was measured: then a curve needs no three loads.
///
/// What bounds it follows from `X² / N` alone, which rises up to the knee and falls beyond it.
fn without_curve(means: &[MeanPoint], has_ceiling: bool) -> Option<(u32, Option<KneeBound>)> {
    let (first, last) = (means.first()?, means.last()?);
    let highest = means.iter().map(|one| one.iops).fold(0.0, f64::max);
    let load_ratio = f64::from(last.outstanding) / f64::from(first.outstanding);
    // How the logarithm of the rate rises with that of the load: 1 in proportion, 1/2 at the knee.
    let slope = (last.iops / first.iops).ln() / load_ratio.ln();
    // Flat needs both: little gain over all, and less than the square root of the load. Two loads that differ
    // by 10 % gain little because there is little to gain.
    let is_flat = means.len() > 1 && highest < (1.0 + LEAST_GAIN) * first.iops && slope < 0.5;
    if is_flat && first.outstanding > 1 {
        return Some((first.outstanding, Some(KneeBound::AtOrBelow)));
    }
    match means.len() {
        // The rate that lasts is a third point, far beyond the knee.
        _ if has_ceiling => None,
        1 if first.outstanding > 1 => Some((first.outstanding, Some(KneeBound::Unknown))),
        // The knee is never below one.
        1 => Some((1, Some(KneeBound::AtOrAbove))),
        2 if is_flat => Some((1, None)),
        // A rate in proportion (95 % of it, to allow for noise) has not met any limit yet, so the knee is at
        // the higher load or beyond.
        2 if slope >= SATURATED_SHARE => Some((last.outstanding, Some(KneeBound::AtOrAbove))),
        // From 1/2 on X² / N still rises, so the knee is beyond the lower load. How far, two points do not
        // tell.
        2 if slope >= 0.5 => Some((first.outstanding, Some(KneeBound::AtOrAbove))),
        2 => Some((last.outstanding, Some(KneeBound::AtOrBelow))),
        _ => None,
    }
}

/// The knee of the curve through the points, whatever it can hold on to: where a search looks next. `None`
/// without any.
pub(crate) fn knee_to_try(points: &[LoadPoint]) -> Option<f64> {
    let usable: Vec<LoadPoint> = points.iter().filter(|one| is_usable(one)).copied().collect();
    let loads = || usable.iter().map(|one| one.outstanding);
    // All points, bursts included, and without the rate that lasts: this runs while the search is still going
    // on.
    Some(model::fit(&usable, None)?.model.knee(loads().min()?, loads().max()?))
}

#[cfg(test)]
#[path = "saturation/tests.rs"]
mod tests;
