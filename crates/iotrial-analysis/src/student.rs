//! What an interval needs: the two distributions, the normal one and Student's, the error of a difference, and how wide it may be.

/// An interval, or all intervals of a pair together, hold the truth with this probability.
// The convention of the field; the documents and the words «95 % confidence» in reports depend on it.
pub(crate) const CONFIDENCE: f64 = 0.95;
/// Factor from which a change is called «much» better or worse.
// A choice. A factor and not a percentage, so that the word is the same whichever configuration is the
// baseline: −50 % one way is +100 % the other.
pub const MUCH_FACTOR: f64 = 2.0;
/// An interval that reaches further than this factor to either side of a change is left out, whoever measured it.
// A choice: from a tenth to tenfold is a statement about nothing, and was once printed with 45 digits.
pub(crate) const MOST_REACH_FACTOR: f64 = 10.0;

/// How uncertain the logarithm of a figure is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogError {
    pub(crate) variance: f64,
    /// Degrees of freedom of the variance.
    pub(crate) degrees: f64,
}

impl LogError {
    /// Of the mean of independent measurements; `None` of fewer than two.
    pub(crate) fn of_mean(logs: &[f64]) -> Option<Self> {
        let count = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let squares: f64 = logs.iter().map(|log| (log - mean) * (log - mean)).sum();
        let degrees = count - 1.0;
        (logs.len() > 1).then(|| Self { variance: squares / degrees / count, degrees })
    }

    /// How far the interval of the difference of two reaches to either side, where it errs with the probability `share`.
    ///
    /// Variances of logarithms add: ln(b / a) = ln b − ln a, and the two were measured independently.
    pub(crate) fn reach_of_difference(self, other: Self, share: f64) -> f64 {
        let variance = self.variance + other.variance;
        let part = |one: Self| one.variance * one.variance / one.degrees;
        // Welch (1947), Satterthwaite (1946).
        let degrees = if variance > 0.0 {
            variance * variance / (part(self) + part(other))
        } else {
            self.degrees + other.degrees
        };
        // The formula never goes below the smaller of the two, and each is at least 1; the `max` only guards against rounding.
        student_limit(share, degrees.max(1.0)) * variance.sqrt()
    }
}

/// The share of a normal distribution beyond ± `z`: 5 % beyond 1.96.
///
/// Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26; the error is below 2e-7.
pub(crate) fn normal_beyond(z: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] =
        [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let polynomial = COEFFICIENTS.iter().fold(0.0, |sum, coefficient| (sum + coefficient) * t);
    (polynomial * (-x * x).exp()).clamp(0.0, 1.0)
}

/// The value beyond which, on both sides together, `share` of Student's distribution lies.
///
/// `share` lies between 0 and 1, and `degrees` is more than 0.
pub(crate) fn student_limit(share: f64, degrees: f64) -> f64 {
    // The logarithm of the tail is nearly a straight line, which the Illinois method (Dowell and Jarratt
    // 1971) follows.
    let above = |t: f64| (student_beyond(t, degrees) / share).ln();
    let (mut low, mut above_low) = (0.0, -share.ln());
    let (mut high, mut above_high) = (1.0, above(1.0));
    // The tail falls as t^−degrees: with one degree of freedom and a small share the limit is in the
    // thousands, so the bracket is found by doubling.
    while above_high > 0.0 && high < 1e9 {
        (low, above_low) = (high, above_high);
        high *= 2.0;
        above_high = above(high);
    }
    // Ten digits are more than any interval is worth.
    // It converges in a few steps; the bound is for arguments that are not numbers.
    for _ in 0..100 {
        let next = high - above_high * (high - low) / (above_high - above_low);
        let above_next = above(next);
        if !above_next.is_finite() || above_next.abs() < 1e-10 {
            return next;
        }
        if (above_next > 0.0) == (above_high > 0.0) {
            // The end that stays counts half, or it would stay for ever.
            above_low /= 2.0;
        } else {
            (low, above_low) = (high, above_high);
        }
        (high, above_high) = (next, above_next);
    }
    high
}

/// The share of Student's distribution beyond ± `t`.
fn student_beyond(t: f64, degrees: f64) -> f64 {
    regularized_beta(degrees / (degrees + t * t), degrees / 2.0, 0.5)
}

/// I_x(a, b), by its continued fraction (Abramowitz and Stegun 26.5.8), evaluated by Lentz's method.
fn regularized_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    // The fraction converges fast on this side only; the other one is its mirror image.
    // The border is near the mean of the beta distribution. On its other side the fraction converges slowly.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(1.0 - x, b, a) / b
    }
}

fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    // Lentz's method divides by both; a value of exactly zero is replaced by one far below any term.
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    // The number of terms grows with the square root of the larger argument; 2,000 is enough for millions of
    // degrees.
    for step in 1..2_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            fraction *= d * c;
        }
        // Below the rounding of a few thousand multiplications nothing improves any more.
        if (d * c - 1.0).abs() < 1e-13 {
            break;
        }
    }
    fraction
}

/// Stirling's series, after moving the argument up to where it is exact to 13 digits.
fn ln_gamma(x: f64) -> f64 {
    let mut shift = 0.0;
    let mut x = x;
    // At 10 the first omitted term, 1 / (1188 x⁹), is below 1e-12.
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    let series =
        (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1_260.0 - 1.0 / (1_680.0 * x * x)) / (x * x)) / (x * x)) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_agree_with_printed_tables() {
        for (z, beyond) in [(1.0, 0.317_311), (1.959_964, 0.05), (2.575_829, 0.01), (3.290_527, 0.001)] {
            assert!((normal_beyond(z) - beyond).abs() < 1e-6, "{z}");
        }
        for (share, degrees, limit) in [
            (0.05, 1.0, 12.706_205),
            (0.05, 2.0, 4.302_653),
            (0.05, 4.0, 2.776_445),
            (0.01, 9.0, 3.249_836),
            (0.001, 30.0, 3.645_959),
            (0.05, 200.0, 1.971_896),
        ] {
            assert!((student_limit(share, degrees) - limit).abs() < 1e-5, "{share} {degrees}");
        }
    }
}
