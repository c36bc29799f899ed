//! Zipf-distributed ranks over any number of items, without a table.

use iotrial_measure::random::Random;

/// Draws ranks from 0 to `n` - 1, rank `k` with a probability in proportion to (`k` + 1)<sup>-`theta`</sup>.
///
/// Rejection inversion: the area under the continuous x<sup>-`theta`</sup> is inverted, and the few draws
/// that fall outside the histogram of the discrete distribution are drawn again. Time and memory do not
/// depend on `n`. Source: Hörmann and Derflinger, «Rejection-inversion to generate variates from monotone
/// discrete distributions», 1996.
#[derive(Debug, Clone)]
pub(crate) struct Zipf {
    count: f64,
    theta: f64,
    /// The area up to the first item, without the part of it that is always rejected.
    area_of_first: f64,
    /// The area up to the last item.
    area_of_all: f64,
    /// So close above the drawn point an item is always accepted.
    always_accepted: f64,
}

impl Zipf {
    /// Over `count` items, at least one; `theta` must be more than zero.
    pub(crate) fn new(count: u64, theta: f64) -> Self {
        let count = count as f64;
        let mut zipf = Self { count, theta, area_of_first: 0.0, area_of_all: 0.0, always_accepted: 0.0 };
        zipf.area_of_first = zipf.area(1.5) - 1.0;
        zipf.area_of_all = zipf.area(count + 0.5);
        zipf.always_accepted = 2.0 - zipf.point(zipf.area(2.5) - zipf.weight(2.0));
        zipf
    }

    /// The next rank.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an item is from 1 to the count"
    )]
    pub(crate) fn next(&self, random: &mut Random) -> u64 {
        loop {
            let area = self.area_of_all + random.unit() * (self.area_of_first - self.area_of_all);
            let point = self.point(area);
            // Rounding may lead one beyond either end, where the integral has room for a half more.
            let item = point.round().clamp(1.0, self.count);
            // The cheap test answers most draws; only the others need two powers more.
            if item - point <= self.always_accepted || area >= self.area(item + 0.5) - self.weight(item) {
                return item as u64 - 1;
            }
        }
    }

    fn weight(&self, x: f64) -> f64 {
        (-self.theta * x.ln()).exp()
    }

    /// The integral of the weight from 1 to `x`, for every `theta`, 1 included.
    fn area(&self, x: f64) -> f64 {
        // By way of (e^t - 1) / t, which is 1 at t = 0: the textbook's (x^(1-θ) - 1) / (1 - θ) divides by
        // zero where θ is 1, and loses its digits close to it.
        let log = x.ln();
        expm1_ratio((1.0 - self.theta) * log) * log
    }

    /// The inverse of [`Self::area`].
    fn point(&self, area: f64) -> f64 {
        // Rounding may lead just below -1, where the logarithm ends.
        let t = (area * (1.0 - self.theta)).max(-1.0);
        (ln_1p_ratio(t) * area).exp()
    }
}

/// (e^t - 1) / t, also where t is nearly zero.
fn expm1_ratio(t: f64) -> f64 {
    if t.abs() > 1e-8 { t.exp_m1() / t } else { 1.0 + t / 2.0 }
}

/// ln(1 + t) / t, also where t is nearly zero.
fn ln_1p_ratio(t: f64) -> f64 {
    if t.abs() > 1e-8 { t.ln_1p() / t } else { 1.0 - t / 2.0 }
}

/// A way through all numbers from 0 to `count` - 1 that visits each once and spreads any few neighbours over
/// the whole range: so the hot ranks do not lie side by side.
#[derive(Debug, Clone)]
pub(crate) struct Scatter {
    count: u64,
    step: u64,
}

impl Scatter {
    /// Over `count` numbers, at least one.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "any step near the golden section will do"
    )]
    pub(crate) fn new(count: u64) -> Self {
        // Steps of the golden section of a circle lie as evenly as any; one that shares no factor with the
        // count meets all.
        let golden = (count as f64 * 0.618_033_988_749_895) as u64;
        let step = (golden.max(1)..).find(|step| gcd(*step, count) == 1).expect("a prime comes soon");
        Self { count, step }
    }

    /// Where the number goes.
    #[inline]
    pub(crate) fn place(&self, number: u64) -> u64 {
        // In 128 bits: from 2^32 blocks on, 16 TiB of 4 KiB, the product is longer than 64.
        let place = (u128::from(number) * u128::from(self.step)) % u128::from(self.count);
        u64::try_from(place).expect("it is less than the count")
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use iotrial_measure::random::RandomStream;

    /// Chi squared of so many draws against the exact probabilities, and its degrees of freedom.
    fn chi_squared(count: u64, theta: f64, draws: u32) -> (f64, f64) {
        let zipf = Zipf::new(count, theta);
        let mut random = Random::new(1, RandomStream::Copy(0));
        let mut seen = vec![0u32; usize::try_from(count).unwrap()];
        for _ in 0..draws {
            seen[usize::try_from(zipf.next(&mut random)).unwrap()] += 1;
        }
        let weights: Vec<f64> =
            (1..=u32::try_from(count).unwrap()).map(|k| f64::from(k).powf(-theta)).collect();
        let total: f64 = weights.iter().sum();
        let terms = seen.iter().zip(&weights).map(|(seen, weight)| {
            let expected = f64::from(draws) * weight / total;
            (f64::from(*seen) - expected).powi(2) / expected
        });
        (terms.sum(), f64::from(u32::try_from(count).unwrap() - 1))
    }

    #[test]
    fn every_rank_is_drawn_as_often_as_the_formula_says() {
        for theta in [0.2, 0.5, 0.99, 1.0, 1.2, 2.0] {
            for count in [2, 3, 50] {
                let (chi_squared, degrees) = chi_squared(count, theta, 400_000);
                // Wilson and Hilferty: below this in 9,999 of 10,000 seeds.
                let limit =
                    degrees * (1.0 - 2.0 / (9.0 * degrees) + 3.72 * (2.0 / (9.0 * degrees)).sqrt()).powi(3);
                assert!(chi_squared < limit, "{chi_squared} > {limit} for {count} items and theta {theta}");
            }
        }
    }

    #[test]
    fn a_huge_number_of_items_costs_nothing_and_keeps_the_head() {
        let count = 1u64 << 40;
        let zipf = Zipf::new(count, 1.2);
        let mut random = Random::new(1, RandomStream::Copy(0));
        let draws = 200_000;
        let first = (0..draws).filter(|_| zipf.next(&mut random) == 0).count();
        // 1 / zeta(1.2), the tail beyond 2^40 being worth 0.4 % of the sum.
        let expected = f64::from(draws) / 5.5735;
        let ratio = first as f64 / expected;
        assert!((0.97..1.03).contains(&ratio), "{ratio}");
        assert_eq!(Zipf::new(1, 0.99).next(&mut random), 0);
    }

    #[test]
    fn scattering_visits_every_number_once_and_parts_neighbours() {
        for count in [1, 2, 3, 10, 97, 4096, 100_000] {
            let scatter = Scatter::new(count);
            let mut places: Vec<u64> = (0..count).map(|number| scatter.place(number)).collect();
            let hottest = places[..places.len().min(10)].to_vec();
            places.sort_unstable();
            assert!(places.iter().copied().eq(0..count), "{count}");
            if count >= 4096 {
                let closest = hottest.iter().flat_map(|a| hottest.iter().map(move |b| a.abs_diff(*b)));
                assert!(closest.filter(|distance| *distance > 0).min().unwrap() > count / 30, "{hottest:?}");
            }
        }
        // Products beyond 64 bits.
        assert!(Scatter::new(u64::MAX).place(u64::MAX - 1) < u64::MAX);
    }
}
