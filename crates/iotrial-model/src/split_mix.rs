//! SplitMix64: random numbers that are the same on every platform and with every version of iotrial.
//!
//! It is written out here, once, because what is drawn from a seed is part of a result: the order of a study that is
//! resumed, the content of files that a later run uses again, the interval of a comparison. A crate is free to change its
//! generator. Source: Steele, Lea and Flood, «Fast Splittable Pseudorandom Number Generators», 2014.

/// 2^64 divided by the golden ratio: multiples of it spread evenly over all words.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers with 64 bits of state. Every seed is a good one, and the period is 2^64.
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The stream of this seed, from its start.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// A number from 0 to `limit` - 1, each as likely as any other to within `limit` / 2^64.
    #[expect(clippy::cast_possible_truncation, reason = "the high half of a product is below its factor")]
    pub const fn below(&mut self, limit: usize) -> usize {
        // Multiply and shift: a remainder would favour small numbers, and costs a division.
        ((self.next_u64() as u128 * limit as u128) >> 64) as usize
    }

    /// A number from 0 up to, and without, 1.
    pub const fn unit(&mut self) -> f64 {
        // 53 bits, as many as a double carries: with more, rounding could give 1.
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Spreads every bit of a number over all bits of the answer. One-to-one on 64 bits: different numbers stay different.
#[inline]
pub const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_sequence() {
        // From the reference implementation in C (<https://prng.di.unimi.it/splitmix64.c>) with the seed 1234567.
        let mut random = SplitMix64::new(1_234_567);
        let first: Vec<u64> = (0..5).map(|_| random.next_u64()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn numbers_stay_within_their_limits() {
        let mut random = SplitMix64::new(1);
        for limit in 1..1_000 {
            assert!(random.below(limit) < limit);
            assert!((0.0..1.0).contains(&random.unit()));
        }
    }
}
