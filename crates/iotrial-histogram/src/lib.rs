//! Latency histograms in the bucket layout of HdrHistogram: three significant digits, up to one hour.
//!
//! Two types share the layout, so that merging is exact. [`LatencyRecorder`] is what the hot loop
//! writes for one interval: a flat array, no allocation, a few instructions an I/O.
//! [`LatencyHistogram`] is what is kept, merged, asked and stored: only the buckets that hold
//! something, so that ten minutes of intervals stay small. Percentiles are never averaged: histograms
//! are merged and asked again.
//!
//! The layout and the V2 encoding (`buckets.rs`) are those of
//! <https://github.com/HdrHistogram/HdrHistogram>; tests hold both against the `hdrhistogram` crate, which
//! has no sparse form.

#![forbid(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

mod buckets;

use buckets::{BucketWriter, Buckets, MOST_IN_BUCKET};

/// Values that differ by less may share a bucket however small they are.
// The lower end of the range that the header of the encoding states. A read from the page cache takes about a
// microsecond, so nothing that is read or written anywhere is below it.
const LOWEST_DISCERNIBLE_NS: u64 = 100;
/// Longer latencies are counted as this; the exact maximum is kept beside the buckets.
// An hour is far beyond any timeout of an operating system; the buckets up to there cost 110 KiB.
const HIGHEST_TRACKABLE_NS: u64 = 3_600_000_000_000;
// Three digits are 0.1 %, well below what two runs of one device differ by. A fourth would take sixteen times
// the memory, as steps come in powers of two.
const SIGNIFICANT_DIGITS: u32 = 3;
/// The narrowest bucket is 2^6 = 64 ns wide, the largest power of two below the lowest discernible value.
const UNIT_BITS: u32 = 6;
/// Half of the 2,048 linear steps that three significant digits need, as a power of two.
// Three digits want 2 × 10³ steps in each octave, rounded up to 2^11. Only the upper half of them is new in
// each octave, hence 2^10.
const HALF_BITS: u32 = 10;
/// One more than the index of one hour.
pub const BUCKET_COUNT: usize = bucket_index(HIGHEST_TRACKABLE_NS) + 1;

/// The bucket of a latency. At most [`HIGHEST_TRACKABLE_NS`] may be asked.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "an index is below 2^15")]
const fn bucket_index(latency_ns: u64) -> usize {
    // With the mask set, every value below 2^17 ns has its highest bit in the same place, so that the first
    // octave needs no branch.
    let linear_mask = ((1u64 << (HALF_BITS + 1)) - 1) << UNIT_BITS;
    let octave = 64 - (latency_ns | linear_mask).leading_zeros() - (UNIT_BITS + HALF_BITS + 1);
    // Shifted, a value is from 1,024 to 2,047 in every octave but the first. The sum therefore begins each
    // octave where the one before ended.
    (((octave as u64) << HALF_BITS) + (latency_ns >> (octave + UNIT_BITS))) as usize
}

/// The largest latency that falls into the bucket.
pub const fn bucket_upper_edge_ns(index: u32) -> u64 {
    // The first two halves belong to octave 0: there the lower half is used as well.
    let octave = (index >> HALF_BITS).saturating_sub(1);
    let step = (index - (octave << HALF_BITS)) as u64;
    ((step + 1) << (octave + UNIT_BITS)) - 1
}

/// The latencies of one interval, as the hot loop records them.
///
/// Counts are 32 bits wide, enough for one interval at any rate. The array of 110 KiB is touched only
/// where latencies fall.
#[derive(Debug, Clone)]
pub struct LatencyRecorder {
    // 2^32 of them in one interval and bucket would be billions of I/Os a second.
    counts: Box<[u32]>,
    // 2^64 ns are 584 years of waiting, all I/Os of an interval together.
    sum_ns: u64,
    min_ns: u64,
    max_ns: u64,
}

impl Default for LatencyRecorder {
    fn default() -> Self {
        Self { counts: vec![0; BUCKET_COUNT].into(), sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }
}

impl LatencyRecorder {
    /// Counts one I/O that took `latency_ns`.
    #[inline]
    pub fn record_ns(&mut self, latency_ns: u64) {
        // The bound is what makes the index safe: the array ends with the bucket of one hour.
        self.counts[bucket_index(latency_ns.min(HIGHEST_TRACKABLE_NS))] += 1;
        // The true latency, not the bounded one: mean and maximum stay exact beyond an hour.
        self.sum_ns += latency_ns;
        self.min_ns = self.min_ns.min(latency_ns);
        self.max_ns = self.max_ns.max(latency_ns);
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        // Only what was touched is cleared. The whole array would be 110 KiB to write once a second for each
        // job, direction and thread.
        if let Some(touched) = self.touched() {
            self.counts[touched].fill(0);
        }
        (self.sum_ns, self.min_ns, self.max_ns) = (0, u64::MAX, 0);
    }

    /// The buckets between the shortest and the longest latency.
    fn touched(&self) -> Option<std::ops::RangeInclusive<usize>> {
        (self.min_ns <= self.max_ns).then(|| {
            let index = |ns: u64| bucket_index(ns.min(HIGHEST_TRACKABLE_NS));
            index(self.min_ns)..=index(self.max_ns)
        })
    }
}

/// A distribution of latencies.
///
/// Sum, minimum and maximum are exact; percentiles come from buckets that are at most 0.1 % wide
/// (64 ns below 131 µs).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatencyHistogram {
    buckets: Buckets,
    io_count: u64,
    // Wider than that of an interval: merging adds up sums, and counts from strangers' files are not bounded.
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        // The minimum starts at the top and the maximum at zero, so that merging needs no case for an empty
        // histogram.
        Self { buckets: Buckets::default(), io_count: 0, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }
}

impl From<&LatencyRecorder> for LatencyHistogram {
    #[expect(clippy::cast_possible_truncation, reason = "an index is below 2^15")]
    fn from(recorder: &LatencyRecorder) -> Self {
        let mut buckets = BucketWriter::default();
        let mut io_count = 0;
        // In ascending order, as the writer wants it.
        for index in recorder.touched().into_iter().flatten() {
            let count = u64::from(recorder.counts[index]);
            if count > 0 {
                buckets.push(index as u32, count);
                io_count += count;
            }
        }
        Self {
            buckets: buckets.finish(),
            io_count,
            sum_ns: recorder.sum_ns.into(),
            min_ns: recorder.min_ns,
            max_ns: recorder.max_ns,
        }
    }
}

impl LatencyHistogram {
    /// Counts `count` I/Os that took `latency` each.
    #[expect(clippy::cast_possible_truncation, reason = "an index is below 2^15")]
    pub fn record_n(&mut self, latency: Duration, count: u64) {
        if count == 0 {
            return;
        }
        let ns = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        // Through a merge, so there is one way in which buckets are added.
        let mut bucket = BucketWriter::default();
        bucket.push(bucket_index(ns.min(HIGHEST_TRACKABLE_NS)) as u32, count);
        self.merge(&Self {
            buckets: bucket.finish(),
            io_count: count,
            sum_ns: u128::from(ns) * u128::from(count),
            min_ns: ns,
            max_ns: ns,
        });
    }

    /// The histogram of latencies with their counts, in any order; `None` where they are more than can be
    /// added up.
    #[expect(clippy::cast_possible_truncation, reason = "an index is below 2^15")]
    pub fn of_counts(counts: impl IntoIterator<Item = (Duration, u64)>) -> Option<Self> {
        // A map, because the counts come in any order and many of them fall into one bucket. Merging them one
        // by one would be quadratic.
        let mut buckets: BTreeMap<u32, u64> = BTreeMap::new();
        let mut all = Self::default();
        for (latency, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            // Counts come from files of strangers here, so every sum is checked.
            let ns = u64::try_from(latency.as_nanos()).ok()?;
            let bucket = buckets.entry(bucket_index(ns.min(HIGHEST_TRACKABLE_NS)) as u32).or_default();
            *bucket = bucket.checked_add(count)?;
            all.io_count = all.io_count.checked_add(count)?;
            all.sum_ns = all.sum_ns.checked_add(u128::from(ns) * u128::from(count))?;
            all.min_ns = all.min_ns.min(ns);
            all.max_ns = all.max_ns.max(ns);
        }
        let mut written = BucketWriter::default();
        for (index, count) in buckets {
            if count > MOST_IN_BUCKET {
                return None;
            }
            written.push(index, count);
        }
        all.buckets = written.finish();
        Some(all)
    }

    /// Adds another histogram, exactly.
    pub fn merge(&mut self, other: &Self) {
        self.buckets = self.buckets.merged(&other.buckets);
        self.io_count += other.io_count;
        self.sum_ns += other.sum_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// How many I/Os were recorded.
    pub fn io_count(&self) -> u64 {
        self.io_count
    }

    /// The arithmetic mean, from the exact sum. `None` when nothing was recorded.
    pub fn mean_us(&self) -> Option<f64> {
        // From the sum and not from the buckets: a mean of bucket edges would be too high by half a bucket.
        (self.io_count > 0).then(|| self.sum_ns as f64 / self.io_count as f64 / 1_000.0)
    }

    /// The shortest latency, exactly. `None` when nothing was recorded.
    pub fn min(&self) -> Option<Duration> {
        (self.io_count > 0).then(|| Duration::from_nanos(self.min_ns))
    }

    /// The longest latency, exactly. `None` when nothing was recorded.
    pub fn max(&self) -> Option<Duration> {
        (self.io_count > 0).then(|| Duration::from_nanos(self.max_ns))
    }

    /// The latency below which `percent` of the recorded I/Os finished.
    ///
    /// `percent` runs from 0 to 100: the 99.9th percentile is `percentile(99.9)`. The answer is the
    /// upper edge of a bucket or the maximum, whichever is lower, so it is never below the true value
    /// and at most 0.1 % (or 64 ns) above it; latencies over one hour are the exception, they count as
    /// one hour. `None` when nothing was recorded: an empty interval has no latency, not a latency of
    /// zero.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rank between 1 and the number of I/Os"
    )]
    pub fn percentile(&self, percent: f64) -> Option<Duration> {
        // 99.9 % of 1,000 are 999, and not the next rank because the last bit of a product is one too many.
        let exact = percent / 100.0 * self.io_count as f64;
        let rank = ((exact * (1.0 - 1e-12)).ceil() as u64).clamp(1, self.io_count.max(1));
        let mut seen = 0;
        self.buckets
            .iter()
            .find(|(_, count)| {
                seen += count;
                seen >= rank
            })
            // The edge of the last bucket may be above the longest latency there was.
            .map(|(index, _)| Duration::from_nanos(bucket_upper_edge_ns(index).min(self.max_ns)))
    }

    /// Every bucket that holds something, shortest latency first: upper edge and number of I/Os.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> {
        self.buckets_ns().map(|(upper_edge_ns, count)| (Duration::from_nanos(upper_edge_ns), count))
    }

    /// The same with the upper edge in nanoseconds, which is faster where very many are looked at.
    pub fn buckets_ns(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        self.buckets_by_index().map(|(index, count)| (bucket_upper_edge_ns(index), count))
    }

    /// The same with the index of the bucket, which all histograms number alike: the fastest, where only the order of buckets matters.
    pub fn buckets_by_index(&self) -> impl DoubleEndedIterator<Item = (u32, u64)> {
        self.buckets.iter()
    }
}

/// As a record stores it: the buckets as other HdrHistogram tools read them (after Base64), and the figures
/// that buckets cannot give exactly.
#[derive(Serialize, Deserialize)]
struct HistogramText<'t> {
    #[serde(borrow)]
    hdr_v2_ns: Cow<'t, str>,
    sum_ns: u64,
    min_ns: u64,
    max_ns: u64,
}

impl Serialize for LatencyHistogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        HistogramText {
            hdr_v2_ns: BASE64.encode(self.buckets.to_hdr_v2()).into(),
            // Seconds of all I/Os together beyond 584 years do not occur in a file of ours; an error rather
            // than a wrong number.
            sum_ns: u64::try_from(self.sum_ns).map_err(ser::Error::custom)?,
            min_ns: self.min_ns,
            max_ns: self.max_ns,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LatencyHistogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = HistogramText::deserialize(deserializer)?;
        let bytes = BASE64.decode(text.hdr_v2_ns.as_bytes()).map_err(de::Error::custom)?;
        // The count is not stored beside the buckets, so the two can never disagree.
        let (buckets, io_count) = Buckets::from_hdr_v2(&bytes).map_err(de::Error::custom)?;
        Ok(Self { buckets, io_count, sum_ns: text.sum_ns.into(), min_ns: text.min_ns, max_ns: text.max_ns })
    }
}

#[cfg(test)]
mod tests {
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::{Deserializer as HdrDeserializer, Serializer as _, V2Serializer};
    use proptest::prelude::*;

    use super::*;

    fn histogram_of(latencies_ns: &[u64]) -> LatencyHistogram {
        let mut histogram = LatencyHistogram::default();
        for ns in latencies_ns {
            histogram.record_n(Duration::from_nanos(*ns), 1);
        }
        histogram
    }

    fn crate_histogram_of(latencies_ns: &[u64]) -> Histogram<u64> {
        let mut histogram =
            Histogram::new_with_bounds(LOWEST_DISCERNIBLE_NS, HIGHEST_TRACKABLE_NS, 3).unwrap();
        for ns in latencies_ns {
            histogram.saturating_record(*ns.min(&HIGHEST_TRACKABLE_NS));
        }
        histogram
    }

    /// The definition of a percentile, on the sorted list.
    fn percentile_of_sorted(sorted_ns: &[u64], percent: f64) -> u64 {
        // In whole thousandths of a percent, without a rounding.
        #[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation)]
        let rank = ((percent * 1_000.0).round() as usize * sorted_ns.len()).div_ceil(100_000).max(1);
        sorted_ns[rank - 1]
    }

    #[test]
    fn a_rank_that_is_a_whole_number_is_that_number() {
        for thousands in [1, 10, 100, 1_000] {
            let mut histogram = LatencyHistogram::default();
            histogram.record_n(Duration::from_micros(100), 999 * thousands);
            histogram.record_n(Duration::from_micros(900), thousands);
            assert!(histogram.percentile(99.9).unwrap() < Duration::from_micros(101), "{thousands} thousand");
        }
    }

    #[test]
    fn an_empty_histogram_has_no_latency_rather_than_zero() {
        let empty = LatencyHistogram::default();
        assert_eq!(
            (empty.percentile(50.0), empty.mean_us(), empty.max(), empty.min()),
            (None, None, None, None)
        );
    }

    #[test]
    fn a_latency_over_one_hour_is_counted_and_its_maximum_stays_exact() {
        let histogram = histogram_of(&[7_200_000_000_000]);
        assert_eq!(histogram.io_count(), 1);
        assert_eq!(histogram.max(), Some(Duration::from_secs(7200)));
    }

    fn latencies() -> impl Strategy<Value = Vec<u64>> {
        let one = prop_oneof![0u64..1_000, 1_000u64..10_000_000, 0u64..4_000_000_000_000];
        prop::collection::vec(one, 0..200)
    }

    proptest! {
        #[test]
        fn percentile_is_never_below_the_true_value_and_at_most_a_thousandth_above(
            mut latencies_ns in prop::collection::vec(1u64..10_000_000_000, 1..300),
            percent in prop::sample::select(vec![0.0, 1.0, 50.0, 90.0, 99.0, 99.9, 100.0]),
        ) {
            let found = histogram_of(&latencies_ns).percentile(percent).unwrap().as_nanos();
            latencies_ns.sort_unstable();
            let truth = u128::from(percentile_of_sorted(&latencies_ns, percent));
            prop_assert!(found >= truth && found <= truth + (truth / 1000).max(64), "{found} for {truth}");
        }

        #[test]
        fn buckets_are_those_of_the_hdrhistogram_crate(latencies_ns in latencies()) {
            let ours: Vec<(u64, u64)> = histogram_of(&latencies_ns)
                .buckets()
                .map(|(edge, count)| (u64::try_from(edge.as_nanos()).unwrap(), count))
                .collect();
            let theirs: Vec<(u64, u64)> = crate_histogram_of(&latencies_ns)
                .iter_recorded()
                .map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value()))
                .collect();
            prop_assert_eq!(ours, theirs);
        }

        #[test]
        fn the_hdrhistogram_crate_reads_what_we_write_and_we_read_what_it_writes(latencies_ns in latencies()) {
            let ours = histogram_of(&latencies_ns);
            let theirs = crate_histogram_of(&latencies_ns);
            let read: Histogram<u64> = HdrDeserializer::new().deserialize(&mut ours.buckets.to_hdr_v2().as_slice()).unwrap();
            prop_assert_eq!(&read, &theirs);
            let mut written = Vec::new();
            V2Serializer::new().serialize(&theirs, &mut written).unwrap();
            prop_assert_eq!(Buckets::from_hdr_v2(&written).unwrap().0, ours.buckets);
        }

        #[test]
        fn recording_through_recorders_and_merging_is_the_same_as_recording_once(
            latencies_ns in latencies(),
            split in 0usize..200,
        ) {
            let (left, right) = latencies_ns.split_at(split.min(latencies_ns.len()));
            let mut merged = LatencyHistogram::default();
            let mut recorder = LatencyRecorder::default();
            for part in [left, right] {
                recorder.clear();
                part.iter().for_each(|ns| recorder.record_ns(*ns));
                merged.merge(&LatencyHistogram::from(&recorder));
            }
            prop_assert_eq!(&merged, &histogram_of(&latencies_ns));
        }

        #[test]
        fn what_is_stored_reads_back_the_same(latencies_ns in latencies()) {
            let histogram = histogram_of(&latencies_ns);
            let text = serde_json::to_string(&histogram).unwrap();
            prop_assert_eq!(serde_json::from_str::<LatencyHistogram>(&text).unwrap(), histogram);
        }

        #[test]
        fn garbage_in_place_of_counts_is_an_error_not_a_panic(garbage in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut bytes = Buckets::default().to_hdr_v2();
            bytes.extend(&garbage);
            let text = format!(r#"{{"hdr_v2_ns":"{}","sum_ns":1,"min_ns":1,"max_ns":1}}"#, BASE64.encode(&bytes));
            let _ = serde_json::from_str::<LatencyHistogram>(&text);
            let _ = Buckets::from_hdr_v2(&garbage);
        }
    }
}
