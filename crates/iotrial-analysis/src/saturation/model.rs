//! The two models, fitted by least squares of relative distances.

use iotrial_model::split_mix::SplitMix64;
use serde::Serialize;

use super::{Confidence, Fit, KneeBound, LoadPoint, Sustained};

/// A curve of throughput over outstanding I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "model", rename_all = "kebab-case")]
pub enum Model {
    /// `min(C, N / (R₀ (1 + σ (N − 1))))`, or with σ = 0 and a round corner
    /// `N / (R₀ (1 + (N / (C R₀))ᵖ)^(1/p))`.
    Queueing {
        /// R₀: the latency of one I/O alone.
        alone_us: f64,
        /// σ: what each further I/O adds, as a share of R₀; 1 / σ servers share the work.
        contention: f64,
        /// C, I/Os per second; `None` where no load came near it.
        ceiling_iops: Option<f64>,
        /// p: how sharp the corner is, 1 for servers that are met by chance; `None` for a sharp one, and then
        /// σ may be more than zero.
        sharpness: Option<f64>,
    },
    /// `N / (R₀ (1 + σ (N − 1) + κ N (N − 1)))`.
    UniversalScalabilityLaw {
        /// R₀: the latency of one I/O alone.
        alone_us: f64,
        /// σ: the share that goes one by one.
        contention: f64,
        /// κ: what each pair of I/Os costs beyond that.
        coherency: f64,
    },
}

impl Model {
    /// I/Os per second at that many outstanding ones.
    pub fn iops(&self, outstanding: f64) -> f64 {
        match *self {
            Self::Queueing { alone_us, contention, ceiling_iops, sharpness } => {
                // From N / X = R₀ (1 + σ (N − 1)): each further I/O adds the same share of R₀ to the latency
                // of all.
                let rising = 1e6 * outstanding / (alone_us * (1.0 + contention * (outstanding - 1.0)));
                match (ceiling_iops, sharpness) {
                    // Both bounds are asymptotes: for small N the second term vanishes, for large N the
                    // first.
                    (Some(ceiling), Some(p)) => rising / (1.0 + (rising / ceiling).powf(p)).powf(1.0 / p),
                    (Some(ceiling), None) => rising.min(ceiling),
                    (None, _) => rising,
                }
            }
            Self::UniversalScalabilityLaw { alone_us, contention, coherency } => {
                let others = outstanding - 1.0;
                1e6 * outstanding
                    / (alone_us * (1.0 + contention * others + coherency * outstanding * others))
            }
        }
    }

    /// The name for people.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Queueing { .. } => "queueing with a ceiling",
            Self::UniversalScalabilityLaw { .. } => "universal scalability law",
        }
    }

    /// The highest rate that the curve ever reaches; `None` where it has no end.
    pub fn ceiling_iops(&self) -> Option<f64> {
        match *self {
            Self::Queueing { alone_us, contention, ceiling_iops, .. } => {
                // N / (1 + σ (N − 1)) tends to 1 / σ, so contention alone is a ceiling too, if a distant one.
                ceiling_iops.or_else(|| (contention > 0.0).then(|| 1e6 / (alone_us * contention)))
            }
            Self::UniversalScalabilityLaw { alone_us, contention, coherency } => {
                if coherency > 0.0 {
                    // dX/dN = 0 at N = √((1 − σ) / κ) (Gunther, 2007).
                    return Some(self.iops(((1.0 - contention).max(0.0) / coherency).sqrt().max(1.0)));
                }
                (contention > 0.0).then(|| 1e6 / (alone_us * contention))
            }
        }
    }

    /// Whether its knee is where a rising part with contention is drawn into a ceiling. That part follows the corner that chance rounds, and meets the
    /// ceiling beyond the knee.
    pub(super) const fn draws_its_corner(&self) -> bool {
        matches!(*self, Self::Queueing { contention, ceiling_iops: Some(_), sharpness: None, .. } if contention > 0.0)
    }

    /// Whether the curve comes within 5 % of its ceiling by then.
    pub(super) fn has_ceiling_within(&self, outstanding: u32) -> bool {
        match self.ceiling_iops() {
            Some(ceiling) => {
                // A curve that turns has shown its ceiling once the peak is among the loads, however steep it
                // is there.
                let peak = match *self {
                    Self::UniversalScalabilityLaw { contention, coherency, .. } if coherency > 0.0 => {
                        ((1.0 - contention).max(0.0) / coherency).sqrt() <= f64::from(outstanding)
                    }
                    _ => false,
                };
                // The 5 % of `SATURATED_SHARE`.
                peak || self.iops(f64::from(outstanding)) >= 0.95 * ceiling
            }
            None => false,
        }
    }

    /// Where `X² / N` is largest, within the loads from `lowest` to `highest`.
    pub(super) fn knee(&self, lowest: u32, highest: u32) -> f64 {
        // Within the loads that were measured, because outside the curve is extrapolation.
        self.knee_anywhere().clamp(f64::from(lowest), f64::from(highest))
    }

    /// The same, and on which side of it the knee lies where it is outside those loads. It is never below
    /// one.
    pub(super) fn knee_or_bound(
        &self,
        lowest: u32,
        highest: u32,
        is_reached: bool,
    ) -> (f64, Option<KneeBound>) {
        let anywhere = self.knee_anywhere();
        // A lowest load of one is the end of the scale, not a bound: the knee cannot be below it.
        let bound = if lowest > 1 && anywhere < f64::from(lowest) {
            Some(KneeBound::AtOrBelow)
            // With a ceiling that was reached the knee has been passed, even if the fit puts it at the last
            // load.
        } else if !is_reached && anywhere >= f64::from(highest) {
            Some(KneeBound::AtOrAbove)
        } else {
            None
        };
        (self.knee(lowest, highest), bound)
    }

    fn knee_anywhere(&self) -> f64 {
        match *self {
            // d ln X / d ln N = 1 / (1 + (N / (C R₀))ᵖ) is 1/2 at N = C R₀, whatever p is.
            Self::Queueing { alone_us, ceiling_iops: Some(ceiling), sharpness: Some(_), .. } => {
                ceiling * alone_us / 1e6
            }
            Self::Queueing { alone_us, contention, ceiling_iops, .. } => {
                // d ln X / d ln N = 1/2 at N = (1 − σ) / σ on the rising part ...
                let power = if contention > 0.0 { (1.0 - contention) / contention } else { f64::INFINITY };
                // ... unless the ceiling comes first: C = N / (R₀ (1 + σ (N − 1))).
                let crossing = ceiling_iops.map_or(f64::INFINITY, |ceiling| {
                    // C R₀ is the number in work at the ceiling (Little). Solved for N; without room the
                    // contention keeps the curve below C for good.
                    let in_work = ceiling * alone_us / 1e6;
                    let room = 1.0 - in_work * contention;
                    if room > 0.0 { in_work * (1.0 - contention) / room } else { f64::INFINITY }
                });
                power.min(crossing)
            }
            Self::UniversalScalabilityLaw { contention, coherency, .. } => {
                // d ln X / d ln N = 1/2: 1 − σ − (σ − κ) N − 3 κ N² = 0.
                let (a, b, c) = (3.0 * coherency, contention - coherency, contention - 1.0);
                if a > 0.0 {
                    // The larger root: c is not positive, so the other one is not above zero.
                    (-b + (b * b - 4.0 * a * c).max(0.0).sqrt()) / (2.0 * a)
                } else if b > 0.0 {
                    -c / b
                } else {
                    // Neither term: the curve is a straight line, and X² / N rises for ever.
                    f64::INFINITY
                }
            }
        }
    }
}

/// Of the two curves the queueing one is taken, unless the other is closer by this factor: it has a meaning
/// for storage.
// A choice. A law with three parameters follows noise more closely than a curve with two, so a little closer
// is to be expected of it.
const CLEARLY_CLOSER: f64 = 1.5;

/// The better of both models. `ceiling` is given where the rate that lasts was measured.
pub(super) fn fit(points: &[LoadPoint], ceiling: Option<f64>) -> Option<Fit> {
    let queueing = fit_queueing(points, ceiling)?;
    let is_closer = |law: &Model| CLEARLY_CLOSER * score(law, points) < score(&queueing, points);
    let model = fit_law(points).filter(is_closer).unwrap_or(queueing);
    Some(quality(model, points))
}

/// What a further parameter of a curve has to bring, in units of the expected error (Akaike, 1974): three
/// points lie on many a curve, and the simplest is meant.
// The weights make an expected squared distance about 1, so Akaike's 2 for each parameter is in the right
// unit.
const PARAMETER_COST: f64 = 2.0;

/// The error and the cost of what makes it small; the lower the better.
fn score(model: &Model, points: &[LoadPoint]) -> f64 {
    let parameters = match *model {
        Model::Queueing { contention, ceiling_iops, sharpness, .. } => {
            // R₀ is in every model and costs nothing.
            [contention > 0.0, ceiling_iops.is_some(), sharpness.is_some()]
        }
        Model::UniversalScalabilityLaw { contention, coherency, .. } => {
            [contention > 0.0, coherency > 0.0, false]
        }
    };
    let cost = |_: &bool| PARAMETER_COST;
    error(model, points) + parameters.iter().filter(|used| **used).map(cost).sum::<f64>()
}

/// Weighted squared logarithms of the distances.
fn error(model: &Model, points: &[LoadPoint]) -> f64 {
    points.iter().map(|one| one.weight() * distance(model, one).powi(2)).sum()
}

fn distance(model: &Model, point: &LoadPoint) -> f64 {
    // The logarithm of the ratio: half the rate is as far as twice the rate, and slow loads count as much as
    // fast ones.
    (point.iops / model.iops(f64::from(point.outstanding))).ln()
}

fn quality(model: Model, points: &[LoadPoint]) -> Fit {
    let count = points.len() as f64;
    let expected = |one: &LoadPoint| model.iops(f64::from(one.outstanding));
    let squared: f64 = points.iter().map(|one| (one.iops / expected(one) - 1.0).powi(2)).sum();
    let mean = points.iter().map(|one| one.iops).sum::<f64>() / count;
    let variance: f64 = points.iter().map(|one| (one.iops - mean).powi(2)).sum();
    let residual: f64 = points.iter().map(|one| (one.iops - expected(one)).powi(2)).sum();
    // Rates that differ by less than 5 % of their mean have no shape to explain.
    // R² compares with a horizontal line. Where the rates are nearly horizontal, it says nothing about the
    // fit and looks bad.
    let varies = variance > count * (0.05 * mean).powi(2);
    Fit {
        model,
        rms_percent: 100.0 * (squared / count).sqrt(),
        r_squared: varies.then(|| 1.0 - residual / variance),
        point_count: points.len(),
    }
}

/// The simplest of the forms that fit: a sharp corner, with contention before it or not, or a round one. Of
/// the two with the same number of parameters the round one is taken unless the other is closer by what a
/// parameter costs: near any limit chance rounds the corner.
fn fit_queueing(points: &[LoadPoint], fixed: Option<f64>) -> Option<Model> {
    let sharp = fit_sharp(points, fixed)?;
    let round = fit_round(points, fixed);
    let is_better = |round: &Model| {
        let has_contention = matches!(sharp, Model::Queueing { contention, .. } if contention > 0.0);
        // A sharp corner with contention has as many parameters as a round one, hence the favour. A sharp
        // corner alone has fewer and needs none.
        let favour = if has_contention { PARAMETER_COST } else { 0.0 };
        score(round, points) < score(&sharp, points) + favour
    };
    Some(round.filter(is_better).unwrap_or(sharp))
}

/// The values of p that are tried. At the corner the rate is C / 2^(1/p), so that neighbours differ by 3 % at
/// most; beyond the last one a corner looks as sharp as any.
const SHARPNESS: [f64; 15] =
    [1.0, 1.15, 1.35, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.3, 8.0, 10.0, 12.5, 16.0, 25.0];

/// A round corner: the best R₀ and C for each p. `None` for fewer loads than it has parameters.
fn fit_round(points: &[LoadPoint], fixed: Option<f64>) -> Option<Model> {
    let mut loads: Vec<u32> = points.iter().map(|one| one.outstanding).collect();
    loads.sort_unstable();
    loads.dedup();
    // R₀, C and p take three loads; with fewer the fit is exact and means nothing.
    if loads.len() < 3 {
        return None;
    }
    let models = SHARPNESS.map(|sharpness| fit_corner(points, fixed, sharpness));
    models.into_iter().min_by(|a, b| error(a, points).total_cmp(&error(b, points)))
}

/// The best R₀ and C for one p.
fn fit_corner(points: &[LoadPoint], fixed: Option<f64>, sharpness: f64) -> Model {
    let highest = points.iter().map(|one| one.iops).fold(0.0, f64::max);
    let alone = |one: &LoadPoint| 1e6 * f64::from(one.outstanding) / one.iops;
    // N / X is never below R₀ on this curve, so the shortest is close to it. The bounds leave room for noise.
    let shortest = points.iter().map(alone).fold(f64::INFINITY, f64::min);
    let model = |alone_us: f64, ceiling: f64| Model::Queueing {
        alone_us,
        contention: 0.0,
        ceiling_iops: Some(ceiling),
        sharpness: Some(sharpness),
    };
    let of_ceiling = |ceiling: f64| {
        // For each ceiling the best R₀ is sought anew: the two depend on each other, and a search along one
        // axis at a time would creep.
        let alone_us = lowest_at([shortest / 2.0, shortest * 1.5], |us| error(&model(us, ceiling), points));
        model(alone_us, ceiling)
    };
    let ceiling = fixed.unwrap_or_else(|| {
        // Up to four times the highest rate: beyond that no load has come near the ceiling, and any value
        // fits as well.
        lowest_at([highest * 0.8, highest * 4.0], |ceiling| error(&of_ceiling(ceiling), points))
    });
    of_ceiling(ceiling)
}

/// Where `value` is lowest between two bounds, on a scale of equal factors, by golden sections (Kiefer,
/// 1953).
fn lowest_at([low, high]: [f64; 2], value: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    // By factors, because both parameters are scales.
    let (mut low, mut high) = (low.ln(), high.ln());
    let at = |share: f64, low: f64, high: f64| low + share * (high - low);
    let (mut left, mut right) = (at(1.0 - GOLDEN, low, high), at(GOLDEN, low, high));
    let (mut of_left, mut of_right) = (value(left.exp()), value(right.exp()));
    // 0.01 %, a hundredth of the error of a point.
    while high - low > 1e-4 {
        if of_left <= of_right {
            (high, right, of_right) = (right, left, of_left);
            left = at(1.0 - GOLDEN, low, high);
            of_left = value(left.exp());
        } else {
            (low, left, of_left) = (left, right, of_right);
            right = at(GOLDEN, low, high);
            of_right = value(right.exp());
        }
    }
    ((low + high) / 2.0).exp()
}

/// Every way to divide the loads into rising ones and those at the ceiling is tried. On the rising part
/// `N / X` is a straight line over `N − 1`; the ceiling is the mean of the others.
fn fit_sharp(points: &[LoadPoint], fixed: Option<f64>) -> Option<Model> {
    let mut sorted = points.to_vec();
    sorted.sort_by_key(|one| one.outstanding);
    // All points in the rising part is one of the splits, and then there is no ceiling unless it is given.
    let splits = (1..=sorted.len()).filter(|split| {
        // Measurements of one load stay together.
        *split == sorted.len() || sorted[*split].outstanding != sorted[split - 1].outstanding
    });
    let models = splits.filter_map(|split| {
        let (rising, flat) = sorted.split_at(split);
        let terms: Vec<[f64; 2]> = rising.iter().map(|one| [1.0, f64::from(one.outstanding) - 1.0]).collect();
        let [alone, slope] = least_squares(rising, &terms)?;
        let ceiling = fixed.or_else(|| {
            // The mean of logarithms is what least squares of relative distances asks for.
            let weights: f64 = flat.iter().map(LoadPoint::weight).sum();
            (!flat.is_empty())
                .then(|| (flat.iter().map(|one| one.weight() * one.iops.ln()).sum::<f64>() / weights).exp())
        });
        Some(Model::Queueing {
            alone_us: 1e6 * alone,
            // σ above 1 would mean that two I/Os together do less than one alone; that is what κ is for.
            contention: (slope / alone).min(1.0),
            ceiling_iops: ceiling,
            sharpness: None,
        })
    });
    models.min_by(|a, b| score(a, &sorted).total_cmp(&score(b, &sorted)))
}

fn fit_law(points: &[LoadPoint]) -> Option<Model> {
    let mut loads: Vec<u32> = points.iter().map(|one| one.outstanding).collect();
    loads.sort_unstable();
    loads.dedup();
    if loads.len() < 3 {
        return None;
    }
    let terms: Vec<[f64; 3]> = points
        // N / X is linear in the parameters, so no iteration is needed and there is no local minimum.
        .iter()
        .map(|one| {
            let n = f64::from(one.outstanding);
            [1.0, n - 1.0, n * (n - 1.0)]
        })
        .collect();
    let [alone, contention, coherency] = least_squares(points, &terms)?;
    Some(Model::UniversalScalabilityLaw {
        alone_us: 1e6 * alone,
        contention: (contention / alone).min(1.0),
        coherency: coherency / alone,
    })
}

/// The factors of the terms that make `N / X` of the points, none below zero and the first above it, by least
/// squares of relative distances. With so few terms every set of those that are not zero is tried. `None` where what the points are
/// uncertain by leaves the range of numbers, so that none of them counts: a hostile record.
fn least_squares<const T: usize>(points: &[LoadPoint], terms: &[[f64; T]]) -> Option<[f64; T]> {
    let response = |one: &LoadPoint| f64::from(one.outstanding) / one.iops;
    let mut best: Option<(f64, [f64; T])> = None;
    // Bounds of zero make it a problem that needs a solver in general. With three terms there are four sets,
    // and the best valid one is the answer.
    for set in 0..1_usize << (T - 1) {
        let used: Vec<usize> = (0..T).filter(|term| *term == 0 || set >> (term - 1) & 1 == 1).collect();
        // Normal equations, each point divided by its response.
        let mut rows = vec![vec![0.0; used.len() + 1]; used.len()];
        for (one, term) in points.iter().zip(terms) {
            // Divided by the square of the response: relative distances, so that the low loads with their
            // small N / X count as well.
            let weight = one.weight() / response(one).powi(2);
            for (row, i) in rows.iter_mut().zip(&used) {
                for (cell, j) in row.iter_mut().zip(&used) {
                    *cell += weight * term[*i] * term[*j];
                }
                row[used.len()] += weight * term[*i] * response(one);
            }
        }
        let Some(solution) = solve(rows) else { continue };
        // A negative cost of waiting has no meaning, and its curve may cross zero between the loads.
        if solution[0] <= 0.0 || solution.iter().any(|factor| *factor < 0.0) {
            continue;
        }
        let mut factors = [0.0; T];
        used.iter().zip(&solution).for_each(|(term, factor)| factors[*term] = *factor);
        let squared: f64 = points
            .iter()
            .zip(terms)
            .map(|(one, term)| {
                let expected: f64 = factors.iter().zip(term).map(|(factor, term)| factor * term).sum();
                one.weight() * (expected / response(one) - 1.0).powi(2)
            })
            .sum();
        let score = squared + PARAMETER_COST * (used.len() - 1) as f64;
        if best.is_none_or(|(least, _)| score < least) {
            best = Some((score, factors));
        }
    }
    // The set with R₀ alone has a positive solution, a weighted mean, wherever the weights are numbers.
    best.map(|(_, factors)| factors)
}

/// Gauss's elimination with the largest pivot; `None` where the equations depend on each other.
fn solve(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = rows.len();
    for column in 0..size {
        let pivot =
            (column..size).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        rows.swap(column, pivot);
        let pivot_row = rows[column].clone();
        // Relative to the column, since the terms range from 1 to N². 1e-12 leaves a few digits of the
        // sixteen.
        if pivot_row[column].abs() < 1e-12 * rows.iter().map(|row| row[column].abs()).fold(1e-300, f64::max) {
            return None;
        }
        for (_, row) in rows.iter_mut().enumerate().filter(|(index, _)| *index != column) {
            let factor = row[column] / pivot_row[column];
            row.iter_mut().zip(&pivot_row).for_each(|(cell, above)| *cell -= factor * above);
        }
    }
    let solution: Vec<f64> = (0..size).map(|index| rows[index][size] / rows[index][index]).collect();
    solution.iter().all(|factor| factor.is_finite()).then_some(solution)
}

/// How often the points are drawn anew for a confidence interval.
// The ends are then the sixth and the 195th value. More draws would refine an interval whose spread comes
// from a handful of repeats.
const DRAWS: usize = 200;

/// Rates whose squares, and those of their inverses, are numbers.
const DRAWABLE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// The 95 % intervals of the knee's outstanding I/Os and of the ceiling, by a parametric bootstrap (Efron,
/// 1979): the rates are drawn anew with the spread that repeats of one load have, and fitted again. Without
/// repeats the spread is that around the curve. `None` where neither leaves two degrees of freedom.
pub(super) fn confidence(
    points: &[LoadPoint],
    sustained: Option<Sustained>,
    fitted: &Fit,
) -> Option<(Confidence, Confidence)> {
    let (spread, freedom) = spread_of_repeats(points).or_else(|| {
        let freedom = points.len().checked_sub(3).filter(|freedom| *freedom >= 2)?;
        Some(((error(&fitted.model, points) / freedom as f64).sqrt(), freedom as f64))
    })?;
    // Few repeats underestimate the spread. Widening by Student's limit over the normal one makes the
    // interval as wide as theory asks for, without another distribution to draw from.
    let spread = spread * student_95(freedom) / student_95(f64::INFINITY);
    let (lowest, highest) =
        (points.iter().map(|one| one.outstanding).min()?, points.iter().map(|one| one.outstanding).max()?);
    // A fixed seed: the same points give the same interval.
    let mut normal = Normal(SplitMix64::new(0x9e37_79b9_7f4a_7c15));
    let (mut knees, mut ceilings) = (Vec::new(), Vec::new());
    for _ in 0..DRAWS {
        let drawn: Vec<LoadPoint> = points
            .iter()
            .map(|one| LoadPoint {
                // Multiplied by a log-normal factor, so that no drawn rate is negative; scaled by the weight
                // of each point.
                iops: one.iops * (spread / one.weight().sqrt() * normal.next()).exp(),
                ..*one
            })
            .collect();
        // Rates that are hundreds of powers of ten apart have a spread that no number holds: there is no interval.
        if drawn.iter().any(|one| !DRAWABLE.contains(&one.iops)) {
            return None;
        }
        let ceiling =
            // The rate that lasts has an error of its own, which is drawn with the rest.
            sustained.map(|rate| rate.iops + rate.iops_standard_error.unwrap_or_default() * normal.next());
        // The same curve as the one that is shown.
        let model = match fitted.model {
            Model::Queueing { sharpness: Some(p), .. } => Some(fit_corner(&drawn, ceiling, p)),
            Model::Queueing { .. } => fit_sharp(&drawn, ceiling),
            Model::UniversalScalabilityLaw { .. } => fit_law(&drawn),
        }?;
        // Clamped to the loads as the knee itself is.
        knees.push(model.knee(lowest, highest));
        let best = drawn.iter().map(|one| one.iops).fold(0.0, f64::max);
        ceilings.push(ceiling.or_else(|| model.ceiling_iops()).unwrap_or(best));
    }
    Some((middle_95(knees), middle_95(ceilings)))
}

fn middle_95(mut drawn: Vec<f64>) -> Confidence {
    drawn.sort_by(f64::total_cmp);
    // A fortieth at each end leaves 95 %.
    let outside = drawn.len() / 40;
    Confidence { low: drawn[outside], high: drawn[drawn.len() - 1 - outside] }
}

/// How far measurements of one load lie apart, in units of what their weights expect, with the degrees of
/// freedom.
fn spread_of_repeats(points: &[LoadPoint]) -> Option<(f64, f64)> {
    let mut loads: Vec<u32> = points.iter().map(|one| one.outstanding).collect();
    loads.sort_unstable();
    loads.dedup();
    let freedom = points.len() - loads.len();
    let squares = |load: u32| {
        let same = || points.iter().filter(move |one| one.outstanding == load);
        // In logarithms, as all distances here.
        let mean = same().map(|one| one.iops.ln()).sum::<f64>() / same().count() as f64;
        same().map(|one| one.weight() * (one.iops.ln() - mean).powi(2)).sum::<f64>()
    };
    let sum: f64 = loads.into_iter().map(squares).sum();
    // With one degree of freedom the spread is a single difference, and Student's limit 12.7.
    (freedom >= 2).then(|| ((sum / freedom as f64).sqrt(), freedom as f64))
}

/// The 97.5th percentile of Student's distribution, within 2 % from two degrees of freedom on
/// (Cornish and Fisher's expansion, Abramowitz and Stegun 26.7.5).
fn student_95(freedom: f64) -> f64 {
    let z: f64 = 1.959_964;
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
        (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5) - 1920.0 * z.powi(3) - 945.0 * z)
            / 92_160.0,
    ];
    (1..).zip(terms).map(|(power, term)| term / freedom.powi(power)).sum::<f64>() + z
}

/// Normal numbers, the same ones each time (Box and Muller, 1958).
struct Normal(SplitMix64);

impl Normal {
    fn next(&mut self) -> f64 {
        // `1 − u` is in (0, 1], so the logarithm is finite.
        let (radius, angle) = (1.0 - self.0.unit(), self.0.unit());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_do_not_count_make_no_model() {
        let points = [1, 2, 4, 8].map(|outstanding| LoadPoint {
            outstanding,
            iops: 1_000.0,
            mib_per_s: 8.0,
            lat_mean_us: None,
            chance: f64::INFINITY,
        });
        assert!(fit(&points, None).is_none());
        assert!(fit(&points.map(|one| LoadPoint { chance: f64::NAN, ..one }), None).is_none());
        assert!(fit(&points.map(|one| LoadPoint { iops: 1e-300, chance: 0.0, ..one }), None).is_none());
        assert!(fit(&points.map(|one| LoadPoint { chance: 0.0, ..one }), None).is_some());
    }

    #[test]
    fn students_percentile_is_the_one_of_the_tables() {
        for (freedom, expected) in [(2.0, 4.303), (4.0, 2.776), (8.0, 2.306), (30.0, 2.042)] {
            let found = student_95(freedom);
            assert!((found / expected - 1.0).abs() < 0.03, "{freedom}: {found}");
        }
    }
}
