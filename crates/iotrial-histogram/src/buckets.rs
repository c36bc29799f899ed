//! The buckets that hold something, as they are kept and stored: HdrHistogram's V2 payload.
//!
//! A bucket takes two or three bytes: how many empty ones lie before it, and its count. A record of ten
//! minutes has ten million of them.

use std::sync::LazyLock;

use super::{BUCKET_COUNT, HIGHEST_TRACKABLE_NS, LOWEST_DISCERNIBLE_NS, SIGNIFICANT_DIGITS};

/// No bucket counts more. Every number then ends with a byte below 128 and can be read from its end too.
// Zigzag doubles it to 2^55, and eight bytes of seven bits hold that. A ninth byte would carry eight bits,
// and its highest one would no longer say whether a number goes on.
pub(super) const MOST_IN_BUCKET: u64 = 1 << 54;

/// Index and count of each bucket that holds something, by index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Buckets {
    /// A number for each bucket, its count; before it, where buckets are empty, minus their number.
    payload: Box<[u8]>,
    /// One more than the last index.
    end: u32,
}

impl Buckets {
    /// From the lowest to the highest.
    pub(super) fn iter(&self) -> BucketIter<'_> {
        BucketIter { payload: &self.payload, next: 0, end: self.end }
    }

    /// The sum of two.
    pub(super) fn merged(&self, other: &Self) -> Self {
        // Sums begin with nothing, and often end with the one thing that was there.
        if self.end == 0 {
            return other.clone();
        }
        // The result is never longer: common buckets become one number, and runs of empty ones are only cut.
        let mut merged = BucketWriter::with_capacity(self.payload.len() + other.payload.len());
        let (mut left, mut right) = (self.iter(), other.iter());
        let (mut l, mut r) = (left.next(), right.next());
        loop {
            match (l, r) {
                (Some((index, count)), Some((other_index, more))) if index == other_index => {
                    // Saturating, as `push` bounds the count anyway.
                    merged.push(index, count.saturating_add(more));
                    (l, r) = (left.next(), right.next());
                }
                (Some((index, count)), other) if other.is_none_or(|(other, _)| index < other) => {
                    merged.push(index, count);
                    l = left.next();
                }
                (_, Some((index, count))) => {
                    merged.push(index, count);
                    r = right.next();
                }
                (_, None) => return merged.finish(),
            }
        }
    }

    /// HdrHistogram's V2 encoding, uncompressed, in nanoseconds.
    #[expect(clippy::cast_possible_truncation, reason = "the payload is below 300 KiB")]
    pub(super) fn to_hdr_v2(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(V2_HEADER_LENGTH + self.payload.len());
        // In the order of HdrHistogram's header: cookie, length of the payload, offset for normalising
        // (none), digits, lowest, highest, and the ratio of integers to doubles (1).
        bytes.extend(V2_COOKIE.to_be_bytes());
        bytes.extend((self.payload.len() as u32).to_be_bytes());
        bytes.extend(0u32.to_be_bytes());
        bytes.extend(SIGNIFICANT_DIGITS.to_be_bytes());
        bytes.extend(LOWEST_DISCERNIBLE_NS.to_be_bytes());
        bytes.extend(HIGHEST_TRACKABLE_NS.to_be_bytes());
        bytes.extend(1f64.to_be_bytes());
        bytes.extend(&self.payload);
        bytes
    }

    /// The buckets of a V2 encoding that has our layout, and the sum of their counts.
    // Summed here, because the numbers are in hand: a record has a histogram for each job, direction and second, and to
    // decode each of them again for its sum took a seventh of the time of a comparison.
    pub(super) fn from_hdr_v2(bytes: &[u8]) -> Result<(Self, u64), HdrV2Error> {
        // An empty histogram of ours has the only header that is accepted; comparing bytes needs no parser
        // for fields that may have one value only.
        static EMPTY: LazyLock<Vec<u8>> = LazyLock::new(|| Buckets::default().to_hdr_v2());
        let empty = EMPTY.as_slice();
        let (header, mut payload) = bytes.split_at_checked(V2_HEADER_LENGTH).ok_or(HdrV2Error::Layout)?;
        // The length of the payload, at 4 to 7, is the one part of the header that may differ.
        if header[..4] != empty[..4] || header[8..] != empty[8..] {
            return Err(HdrV2Error::Layout);
        }
        let all = payload;
        let mut index = 0u32;
        let mut sum = 0u64;
        // Whether the payload is what a writer of ours makes of these buckets, byte for byte.
        let (mut is_ours, mut ends_with_skip) = (true, false);
        while !payload.is_empty() {
            let before = payload;
            let number = take_number(&mut payload).ok_or(HdrV2Error::Payload)?;
            let taken = &before[..before.len() - payload.len()];
            let is_overlong = taken.len() > 1 && taken.last() == Some(&0);
            let Ok(count) = u64::try_from(number) else {
                let skipped = u32::try_from(number.unsigned_abs()).map_err(|_| HdrV2Error::Payload)?;
                // The number comes from a file and may skip beyond any index.
                index = index.checked_add(skipped).ok_or(HdrV2Error::Payload)?;
                is_ours &= !is_overlong && !ends_with_skip;
                ends_with_skip = true;
                continue;
            };
            if index as usize >= BUCKET_COUNT || count > MOST_IN_BUCKET {
                return Err(HdrV2Error::Payload);
            }
            sum = sum.checked_add(count).ok_or(HdrV2Error::Payload)?;
            // A count of zero is valid in the format. It is not kept, since a bucket that is kept holds
            // something.
            is_ours &= !is_overlong && count > 0;
            ends_with_skip = false;
            index += 1;
        }
        // Nearly always, and a copy takes a fraction of the time of writing every number again.
        if is_ours && !ends_with_skip {
            return Ok((Self { payload: all.into(), end: index }, sum));
        }
        let mut buckets = BucketWriter::with_capacity(all.len());
        let walk = BucketIter { payload: all, next: 0, end: index };
        walk.filter(|(_, count)| *count > 0).for_each(|(index, count)| buckets.push(index, count));
        Ok((buckets.finish(), sum))
    }
}

/// Makes [`Buckets`], from the lowest index to the highest.
#[derive(Default)]
pub(super) struct BucketWriter {
    payload: Vec<u8>,
    end: u32,
}

impl BucketWriter {
    /// With room for a payload of `bytes` bytes.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { payload: Vec::with_capacity(bytes), end: 0 }
    }

    /// Adds a bucket above the last one. A count of more than [`MOST_IN_BUCKET`] becomes that.
    pub(super) fn push(&mut self, index: u32, count: u64) {
        // The encoding is a list of differences, so the order cannot be mended later.
        debug_assert!(index >= self.end && count > 0, "buckets ascend, and hold something");
        if index > self.end {
            // A negative number says how many empty buckets are skipped; that is what makes a sparse
            // histogram small.
            push_number(&mut self.payload, -i64::from(index - self.end));
        }
        push_number(&mut self.payload, count.min(MOST_IN_BUCKET).cast_signed());
        self.end = index + 1;
    }

    /// No more will come.
    pub(super) fn finish(self) -> Buckets {
        Buckets { payload: self.payload.into_boxed_slice(), end: self.end }
    }
}

/// Walks the buckets from either end.
#[derive(Clone)]
pub(super) struct BucketIter<'b> {
    payload: &'b [u8],
    /// The lowest index that the payload may begin with.
    next: u32,
    /// One more than the index it ends with.
    end: u32,
}

impl Iterator for BucketIter<'_> {
    type Item = (u32, u64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let number = take_number(&mut self.payload)?;
            if let Ok(count) = u64::try_from(number) {
                // Within `end`, because the payload was written by us or checked when it was read.
                self.next += 1;
                return Some((self.next - 1, count));
            }
            self.next += empty_ones(number);
        }
    }
}

impl DoubleEndedIterator for BucketIter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        loop {
            let (&last, before) = self.payload.split_last()?;
            debug_assert!(last < 0x80, "no number has nine bytes");
            // Every byte of a number but its last has the highest bit set, so its beginning is found by
            // walking back over such bytes.
            let more = before.iter().rev().take_while(|byte| **byte >= 0x80).count();
            let (rest, mut number) = self.payload.split_at(before.len() - more);
            self.payload = rest;
            let number = take_number(&mut number)?;
            if let Ok(count) = u64::try_from(number) {
                self.end -= 1;
                return Some((self.end, count));
            }
            self.end -= empty_ones(number);
        }
    }
}

fn empty_ones(number: i64) -> u32 {
    u32::try_from(number.unsigned_abs()).expect("fewer buckets are skipped than there are")
}

// HdrHistogram's base for version 2, with the bit that says that counts have the variable length of ZigZag
// LEB128.
const V2_COOKIE: u32 = 0x1c84_9303 | 0x10;
// Four fields of 4 bytes and three of 8.
const V2_HEADER_LENGTH: usize = 40;

/// Why stored bytes are not one of our histograms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum HdrV2Error {
    #[error("not an HdrHistogram V2 of 3 digits from 100 ns to 1 h")]
    Layout,
    #[error("the counts of the HdrHistogram are damaged")]
    Payload,
}

/// Zigzag LEB128: seven bits a byte, the lowest first.
#[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "zigzag works on the bits")]
fn push_number(bytes: &mut Vec<u8>, number: i64) {
    // Zigzag puts the sign into the lowest bit, so that small negative numbers stay short too.
    let mut rest = ((number << 1) ^ (number >> 63)) as u64;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// The number that zigzag made these bits of.
#[inline]
#[expect(clippy::cast_possible_wrap, reason = "zigzag works on the bits")]
fn number(bits: u64) -> i64 {
    ((bits >> 1) as i64) ^ -((bits & 1) as i64)
}

#[inline]
fn take_number(bytes: &mut &[u8]) -> Option<i64> {
    // Nearly all numbers have one or two bytes. What longer ones need stands apart, so that this is small enough to be
    // inlined into every walk over buckets.
    match **bytes {
        [] => None,
        [first, ref rest @ ..] if first < 0x80 => {
            *bytes = rest;
            Some(number(first.into()))
        }
        [first, second, ref rest @ ..] if second < 0x80 => {
            *bytes = rest;
            Some(number(u64::from(first & 0x7f) | u64::from(second) << 7))
        }
        _ => take_long_number(bytes),
    }
}

#[cold]
fn take_long_number(bytes: &mut &[u8]) -> Option<i64> {
    let mut bits = 0u64;
    // HdrHistogram's numbers have at most nine bytes; the ninth carries eight bits.
    for position in 0..9 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let is_last = position == 8 || byte < 0x80;
        // The ninth byte needs no flag, as nothing can follow it.
        bits |= u64::from(if position == 8 { byte } else { byte & 0x7f }) << (7 * position);
        if is_last {
            break;
        }
    }
    Some(number(bits))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn buckets_of(pairs: &[(u32, u64)]) -> Buckets {
        let mut writer = BucketWriter::default();
        pairs.iter().for_each(|(index, count)| writer.push(*index, *count));
        writer.finish()
    }

    fn pairs() -> impl Strategy<Value = Vec<(u32, u64)>> {
        let last = u32::try_from(BUCKET_COUNT).unwrap();
        let count = prop_oneof![1u64..300, 1..=MOST_IN_BUCKET / 2];
        prop::collection::btree_map(0..last, count, 0..60).prop_map(|pairs| pairs.into_iter().collect())
    }

    proptest! {
        #[test]
        fn buckets_come_out_as_they_went_in_from_either_end(pairs in pairs()) {
            let buckets = buckets_of(&pairs);
            prop_assert_eq!(buckets.iter().collect::<Vec<_>>(), pairs.clone());
            let backwards: Vec<_> = buckets.iter().rev().collect();
            prop_assert_eq!(backwards, pairs.iter().rev().copied().collect::<Vec<_>>());
            let sum = pairs.iter().map(|(_, count)| count).sum();
            prop_assert_eq!(Buckets::from_hdr_v2(&buckets.to_hdr_v2()), Ok((buckets, sum)));
        }

        #[test]
        fn a_sum_has_the_buckets_of_both(left in pairs(), right in pairs()) {
            let mut expected: std::collections::BTreeMap<u32, u64> = left.iter().copied().collect();
            right.iter().for_each(|(index, count)| *expected.entry(*index).or_default() += count);
            let merged = buckets_of(&left).merged(&buckets_of(&right));
            prop_assert_eq!(merged, buckets_of(&expected.into_iter().collect::<Vec<_>>()));
        }

        #[test]
        fn no_bytes_make_a_reader_panic(garbage in prop::collection::vec(any::<u8>(), 0..60)) {
            let bytes = [Buckets::default().to_hdr_v2(), garbage].concat();
            if let Ok((buckets, sum)) = Buckets::from_hdr_v2(&bytes) {
                prop_assert_eq!(buckets.iter().count(), buckets.iter().rev().count());
                prop_assert_eq!(sum, buckets.iter().map(|(_, count)| count).sum::<u64>());
                // Whoever wrote them: what is kept is what a writer of ours makes of them.
                let pairs: Vec<_> = buckets.iter().collect();
                prop_assert_eq!(buckets, buckets_of(&pairs));
            }
        }
    }

    #[test]
    fn buckets_are_the_same_however_a_tool_spelled_them() {
        let check = |payload: &[u8]| {
            let bytes = [Buckets::default().to_hdr_v2().as_slice(), payload].concat();
            assert_eq!(Buckets::from_hdr_v2(&bytes), Ok((buckets_of(&[(2, 1), (3, 5)]), 6)), "{payload:x?}");
        };
        // As we write it: two skipped, one, five.
        check(&[3, 2, 10]);
        // Skipped one by one, or by counts of zero.
        check(&[1, 1, 2, 10]);
        check(&[0, 0, 2, 10]);
        check(&[1, 0, 2, 10]);
        // Something skipped, or a count of zero, behind the last one.
        check(&[3, 2, 10, 3]);
        check(&[3, 2, 10, 0]);
        // Numbers with more bytes than they need.
        check(&[0x83, 0, 2, 10]);
        check(&[3, 2, 0x8a, 0x80, 0]);
    }

    #[test]
    fn a_count_that_no_run_can_have_is_damage() {
        let mut bytes = Buckets::default().to_hdr_v2();
        push_number(&mut bytes, (MOST_IN_BUCKET + 1).cast_signed());
        assert_eq!(Buckets::from_hdr_v2(&bytes), Err(HdrV2Error::Payload));
    }

    #[test]
    fn a_bucket_among_others_takes_two_or_three_bytes() {
        let near: Vec<(u32, u64)> =
            (0..1_000).map(|step| (2_000 + 3 * step, 1 + u64::from(step % 40))).collect();
        assert!(buckets_of(&near).payload.len() <= 2 * near.len() + 2);
    }
}
