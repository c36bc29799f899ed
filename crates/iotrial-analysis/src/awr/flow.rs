//! Requests with their bytes, and how those of one kind are told from those of another.

/// No request of Oracle to a disk is larger, on the systems that are known.
const LARGEST_KIB: f64 = 1024.0;
/// The smallest I/O of a disk.
const SECTOR_BYTES: f64 = 512.0;
/// A mix of two sizes is drawn by weights of this sum.
// A ten-thousandth of a doubling: the mean is right within 0.01 %.
const WEIGHTS: f64 = 10_000.0;

/// Requests per second and their MiB per second.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Flow {
    pub(super) iops: f64,
    pub(super) mib_per_s: f64,
}

impl Flow {
    pub(super) fn is_there(&self) -> bool {
        self.iops > 0.0 && self.mib_per_s > 0.0
    }

    pub(super) fn mean_kib(&self) -> f64 {
        if self.iops > 0.0 { self.mib_per_s * 1024.0 / self.iops } else { 0.0 }
    }

    /// The bytes that it has beyond a block for each request: those that requests of several blocks account for.
    fn beyond_blocks(&self, block_kib: f64) -> f64 {
        (self.mib_per_s - self.iops * block_kib / 1024.0).max(0.0)
    }

    /// A part of it, and what is left. A part of next to nothing stays in what is left, and one that is more than the whole is cut to
    /// it: rates are rounded, and each is a percentile by itself.
    pub(super) fn without(self, part: Option<Self>, negligible: f64) -> (Self, Self) {
        let Some(part) = part.filter(|part| part.iops >= negligible && part.mib_per_s > 0.0) else {
            return (Self::default(), self);
        };
        let share = (self.iops / part.iops).min(self.mib_per_s / part.mib_per_s).clamp(0.0, 1.0);
        let part = Self { iops: part.iops * share, mib_per_s: part.mib_per_s * share };
        let rest = Self {
            iops: (self.iops - part.iops).max(0.0),
            mib_per_s: (self.mib_per_s - part.mib_per_s).max(0.0),
        };
        // Requests without bytes, or bytes without requests, are no I/O of their own.
        if rest.is_there() && rest.mean_kib() <= LARGEST_KIB * 4.0 {
            (part, rest)
        } else {
            (self, Self::default())
        }
    }
}

/// The share of the multi-block requests that is in `rest`: the counter does not say in which kind of file they are, and where the
/// requests are larger there are more of them.
pub(super) fn share_of(rest: Flow, others: &[Flow], block_kib: f64) -> f64 {
    let own = rest.beyond_blocks(block_kib);
    let all: f64 = own + others.iter().map(|one| one.beyond_blocks(block_kib)).sum::<f64>();
    if all > 0.0 { own / all } else { 1.0 }
}

/// How many requests are large, where nobody counts them: as many of the largest size as the bytes beyond single blocks fill.
pub(super) fn multi_by_bytes(all: Flow, block_kib: f64) -> f64 {
    (all.beyond_blocks(block_kib) * 1024.0 / (LARGEST_KIB - block_kib)).min(all.iops)
}

/// Requests of one block, and those of several, of which only the number is known. Those of one block are as large as a block, and
/// the others share what is left; where that would make them larger than any request, the small ones are several blocks as well.
pub(super) fn split(all: Flow, multi: Option<f64>, block_kib: f64, negligible: f64) -> (Flow, Flow) {
    let multi = multi.filter(|multi| multi.is_finite()).unwrap_or(0.0).clamp(0.0, all.iops);
    if multi < negligible || !all.is_there() {
        return (all, Flow::default());
    }
    let small = all.iops - multi;
    if small < negligible {
        return (Flow::default(), all);
    }
    let left_kib = all.mib_per_s * 1024.0 - small * block_kib;
    let large_mib = multi * (left_kib / multi).clamp(2.0 * block_kib, LARGEST_KIB) / 1024.0;
    let small_mib = all.mib_per_s - large_mib;
    if small_mib * 1024.0 * 1024.0 < small * SECTOR_BYTES {
        // Nothing is left for them: the numbers contradict each other, and all have one size.
        return (
            Flow { iops: small, mib_per_s: all.mib_per_s * small / all.iops },
            Flow { iops: multi, mib_per_s: all.mib_per_s * multi / all.iops },
        );
    }
    (Flow { iops: small, mib_per_s: small_mib }, Flow { iops: multi, mib_per_s: large_mib })
}

/// The powers of two around a mean, with weights that make it the mean: requests and bytes per second are both right then. Larger
/// sizes are multiples of smaller ones, as offsets want it.
pub(super) fn sizes_of(mean_bytes: f64) -> Vec<(u64, u32)> {
    const LARGEST_BYTES: f64 = 64.0 * 1024.0 * 1024.0;
    let mean = mean_bytes.clamp(SECTOR_BYTES, LARGEST_BYTES);
    let mut low = SECTOR_BYTES;
    while low * 2.0 <= mean {
        low *= 2.0;
    }
    let high = ((mean - low) / low * WEIGHTS).round();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sizes up to 64 MiB, weights up to 10,000"
    )]
    let (size, high) = (low as u64, high as u32);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "10,000")]
    let all = WEIGHTS as u32;
    match high {
        0 => vec![(size, 1)],
        high if high >= all => vec![(2 * size, 1)],
        high => vec![(size, all - high), (2 * size, high)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_of_two_sizes_has_the_mean_that_was_asked_for() {
        for kib in [0.5, 3.25, 8.0, 8.51, 15.999, 412.3, 1024.0, 1100.8] {
            let sizes = sizes_of(kib * 1024.0);
            let weight: f64 = sizes.iter().map(|(_, weight)| f64::from(*weight)).sum();
            let bytes: f64 = sizes.iter().map(|(size, weight)| *size as f64 * f64::from(*weight)).sum();
            let mean_kib = bytes / weight / 1024.0;
            assert!((mean_kib / kib - 1.0).abs() < 1e-4, "{kib}: {sizes:?}");
        }
        assert_eq!(sizes_of(8192.0), [(8192, 1)]);
        assert_eq!(sizes_of(12_288.0), [(8192, 5000), (16_384, 5000)]);
    }

    #[test]
    fn single_block_requests_are_blocks_and_the_others_share_the_rest() {
        // 900 reads of 8 KiB, 100 of 512 KiB.
        let all = Flow { iops: 1000.0, mib_per_s: 900.0 / 128.0 + 50.0 };
        let (small, large) = split(all, Some(100.0), 8.0, 0.05);
        assert!((small.mean_kib() - 8.0).abs() < 1e-9 && (large.mean_kib() - 512.0).abs() < 1e-9);
        // More bytes than 100 requests can have: the small ones are larger than a block.
        let all = Flow { iops: 1000.0, mib_per_s: 200.0 };
        let (small, large) = split(all, Some(100.0), 8.0, 0.05);
        assert!((large.mean_kib() - 1024.0).abs() < 1e-9 && (small.mib_per_s - 100.0).abs() < 1e-9);
        // Fewer bytes than requests can have.
        let all = Flow { iops: 1000.0, mib_per_s: 0.5 };
        let (small, large) = split(all, Some(100.0), 8.0, 0.05);
        assert!((small.mib_per_s + large.mib_per_s - 0.5).abs() < 1e-12);
        assert!((small.iops + large.iops - 1000.0).abs() < 1e-9);
    }

    #[test]
    fn what_no_two_sizes_can_make_has_one() {
        let one_size = |iops, mib_per_s, multi| {
            let (small, large) = split(Flow { iops, mib_per_s }, multi, 8.0, 5.0);
            small.mean_kib() >= large.mean_kib() * (1.0 - 1e-9)
        };
        // Smaller than a block on average: these are no reads of data. Larger than any request: these are no requests.
        assert!(one_size(1_000.0, 0.5, Some(100.0)));
        assert!(one_size(1_000.0, 8_000.0, Some(500.0)));
        assert!(one_size(1_000.0, 10.0, Some(0.0)) && one_size(1_000.0, 10.0, None));
        assert!(one_size(1_000.0, 10.0, Some(f64::NAN)));
    }

    #[test]
    fn multi_block_requests_are_where_requests_are_larger_than_a_block() {
        // 100 MiB in requests of 8 KiB, and in the others 30 and 10 MiB beyond a block each.
        let rest = Flow { iops: 12_800.0, mib_per_s: 130.0 };
        let other = Flow { iops: 128.0, mib_per_s: 11.0 };
        assert_eq!(share_of(rest, &[other], 8.0), 0.75);
        assert_eq!(share_of(rest, &[], 8.0), 1.0);
        assert_eq!(share_of(Flow { iops: 1.0, mib_per_s: 0.001 }, &[other], 8.0), 0.0);
    }

    #[test]
    fn large_requests_that_nobody_counts_follow_from_the_bytes() {
        // 900 of 8 KiB and 100 of 1 MiB.
        let all = Flow { iops: 1_000.0, mib_per_s: 900.0 / 128.0 + 100.0 };
        assert!((multi_by_bytes(all, 8.0) - 100.0).abs() < 1e-9);
        assert_eq!(multi_by_bytes(Flow { iops: 1_000.0, mib_per_s: 1.0 }, 8.0), 0.0);
    }

    #[test]
    fn a_part_and_the_rest_are_the_whole_and_a_part_is_never_more() {
        let all = Flow { iops: 100.0, mib_per_s: 10.0 };
        let (part, rest) = all.without(Some(Flow { iops: 20.0, mib_per_s: 9.0 }), 0.05);
        assert_eq!((part.iops + rest.iops, part.mib_per_s + rest.mib_per_s), (100.0, 10.0));
        let (part, rest) = all.without(Some(Flow { iops: 200.0, mib_per_s: 9.0 }), 0.05);
        assert!(
            part.iops <= 100.0 && (part.mib_per_s + rest.mib_per_s - 10.0).abs() < 1e-9,
            "{part:?} {rest:?}"
        );
        assert_eq!(all.without(Some(Flow { iops: 0.01, mib_per_s: 9.0 }), 0.05), (Flow::default(), all));
        assert_eq!(all.without(None, 0.05), (Flow::default(), all));
    }
}
