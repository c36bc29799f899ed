//! The randomness of a run: xoshiro256++, seeded from the plan, the same on every machine and for ever.
//!
//! It is written out here because a plan and its seed must give the same offsets with every version of
//! iotrial; a crate is free to change its generator. Source: Blackman and Vigna, «Scrambled linear
//! pseudorandom number generators», 2021, <https://prng.di.unimi.it/>.

use iotrial_model::split_mix::SplitMix64;

/// What random numbers are drawn for. All streams of a seed are listed here, so that nobody takes the numbers
/// of another.
///
/// The payload is 32 bits wide so that no stream can run into the next one's numbers. A number, once given,
/// stays: records of earlier versions were drawn from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RandomStream {
    /// Where the I/Os of a copy of a job go: the copies of all jobs, counted from 0.
    Copy(u32),
    /// What the buffers of a thread hold, by its number.
    Buffers(u32),
    /// How long the simulated device takes.
    SimDevice,
    /// When the I/Os of an open job are due, by the first of its copies that share the arrivals.
    Pace(u32),
    /// The reads that find out which kind of ring is the cheapest.
    RingProbe,
}

impl RandomStream {
    const fn number(self) -> u64 {
        match self {
            Self::Copy(copy) => copy as u64,
            Self::Buffers(thread) => (1 << 32) + thread as u64,
            Self::SimDevice => 1 << 33,
            Self::Pace(copy) => (1 << 34) + copy as u64,
            Self::RingProbe => 1 << 35,
        }
    }
}

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// A stream of a seed, from its start; streams do not overlap in practice.
    pub fn new(seed: u64, stream: RandomStream) -> Self {
        // Seeds and stream numbers are both small, so the number is spread over all 64 bits before the two
        // are put together: otherwise stream 2 of seed 1 and stream 1 of seed 2 would be one. The factor is
        // odd, so that no two numbers become one.
        let stream = SplitMix64::new(stream.number().wrapping_mul(0xA24B_AED4_963E_E407)).next_u64();
        // Seeded by a generator of another kind, as the authors of xoshiro advise: from a state that is
        // mostly zeros its first numbers are not random, and from zeros alone nothing but zeros comes.
        let mut mixer = SplitMix64::new(seed ^ stream);
        Self { state: std::array::from_fn(|_| mixer.next_u64()) }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number from 0 to `bound` - 1, each as likely as any other to within `bound` / 2^64.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        // The upper half of a product (Lemire 2019) and no remainder: a division would cost more than the
        // rest of the draw. The few draws that rejection would make exact are left in; blocks / 2^64 is far
        // below what any test could see.
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// A number from 0 up to, and without, 1.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        // The upper bits: a double carries 53, and with more of them rounding could give 1, which makes an
        // exponential gap infinite.
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_sequence() {
        // From the reference implementation in C with the state 1, 2, 3, 4.
        let mut random = Random { state: [1, 2, 3, 4] };
        let first: Vec<u64> = (0..4).map(|_| random.next_u64()).collect();
        assert_eq!(first, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    #[test]
    fn streams_of_one_seed_differ_and_equal_streams_agree() {
        let draw = |seed, copy| Random::new(seed, RandomStream::Copy(copy)).next_u64();
        assert_eq!(draw(7, 3), draw(7, 3));
        assert_ne!(draw(7, 3), draw(7, 4));
        assert_ne!(draw(7, 3), draw(8, 3));
    }

    #[test]
    fn no_two_streams_coincide_whatever_copy_or_thread_they_are_for() {
        // The first and last number of each kind; what lies between them belongs to it.
        let of_many = |stream: fn(u32) -> RandomStream| [stream(0).number(), stream(u32::MAX).number()];
        let of_one = |stream: RandomStream| [stream.number(); 2];
        let mut ranges = [
            of_many(RandomStream::Copy),
            of_many(RandomStream::Buffers),
            of_one(RandomStream::SimDevice),
            of_many(RandomStream::Pace),
            of_one(RandomStream::RingProbe),
        ];
        ranges.sort_unstable();
        for pair in ranges.windows(2) {
            assert!(pair[0][1] < pair[1][0], "{ranges:?}");
        }
    }

    #[test]
    fn below_covers_its_range_evenly() {
        let mut random = Random::new(1, RandomStream::Copy(0));
        let mut counts = [0u32; 10];
        for _ in 0..100_000 {
            counts[usize::try_from(random.below(10)).unwrap()] += 1;
        }
        // Nine degrees of freedom: chi squared stays below 27.9 in 999 of 1,000 seeds.
        let chi_squared: f64 =
            counts.iter().map(|count| (f64::from(*count) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi_squared < 27.9, "{counts:?}");
    }
}
