//! A record that is no larger than what is read.
//!
//! Hundreds of jobs over an hour make a record that nothing reads again: there is a limit, because records of strangers are read, too.
//! Its course is then kept in longer intervals. Counts and histograms of the whole stay exact.

use std::io::{self, Write};
use std::time::Duration;

use super::{Interval, RunRecord};

/// The most that is read of a record.
#[derive(Debug, Clone, Copy)]
pub struct RecordLimit {
    /// Bytes of its text.
    pub bytes: u64,
    /// JSON objects in it.
    pub objects: u64,
}

impl RecordLimit {
    /// What is left of it behind a text; nothing of what is used up.
    #[must_use]
    pub fn without(self, text: &[u8]) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(text.len() as u64),
            objects: self.objects.saturating_sub(object_count(text)),
        }
    }
}

/// As the reader counts them, also those within a text, which are few.
fn object_count(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte == b'{').count() as u64
}

impl RunRecord {
    /// Joins neighbouring intervals, two and two, until the record is within `limit` as it is written; says so in the notes of its plan.
    /// What has no two intervals that can be joined stays as it is.
    ///
    /// # Errors
    ///
    /// When the record cannot be written as JSON.
    pub fn keep_within(&mut self, limit: RecordLimit) -> serde_json::Result<()> {
        let planned = self.plan.interval;
        while !self.is_within(limit)? && self.join_intervals() {
            self.plan.interval *= 2;
        }
        if self.plan.interval > planned {
            self.plan.notes.push(format!(
                "the course is kept in intervals of {} s instead of {} s: the record would be larger than what is read",
                self.plan.interval.as_secs_f64(),
                planned.as_secs_f64()
            ));
        }
        Ok(())
    }

    fn is_within(&self, limit: RecordLimit) -> serde_json::Result<bool> {
        let mut length = Length::default();
        serde_json::to_writer(&mut length, self)?;
        Ok(length.bytes <= limit.bytes && length.objects <= limit.objects)
    }

    /// Makes one interval of each two that may be one; whether there were any.
    fn join_intervals(&mut self) -> bool {
        let borders = self.plan.step_borders();
        let round_ns = self.plan.until_steady.map_or(u128::MAX, |until| until.round.as_nanos().max(1));
        let measured_from = self.measured_intervals().next().map(|first| first.start).unwrap_or_default();
        // Steps, and the rounds of a load that runs until it is steady, are judged apart.
        let is_border = |end: Duration| {
            borders.contains(&end) || end.abs_diff(measured_from).as_nanos().is_multiple_of(round_ns)
        };
        let before = self.intervals.len();
        let mut joined: Vec<Interval> = Vec::with_capacity(before);
        let mut may_grow = false;
        for interval in std::mem::take(&mut self.intervals) {
            match joined.last_mut() {
                Some(last)
                    if may_grow && last.phase == interval.phase && !is_border(last.start + last.duration) =>
                {
                    last.join(interval);
                    may_grow = false;
                }
                _ => {
                    joined.push(interval);
                    may_grow = true;
                }
            }
        }
        self.intervals = joined;
        self.intervals.len() < before
    }
}

impl Interval {
    /// Adds the one that follows.
    fn join(&mut self, next: Self) {
        self.duration += next.duration;
        self.jobs.iter_mut().zip(&next.jobs).for_each(|(mine, theirs)| mine.merge(theirs));
        // What was due and not issued at its end, which is that of the other one.
        self.backlog = next.backlog;
    }
}

/// How long a text is, without the text.
#[derive(Default)]
struct Length {
    bytes: u64,
    objects: u64,
}

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        self.objects += object_count(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::plan::PhaseKind;
    use crate::record::{JobCounts, OpCounts};

    /// The seed of the fuzzer: a ramp and a measured phase in seconds, and two steps.
    fn record() -> RunRecord {
        let mut record: RunRecord =
            serde_json::from_str(include_str!("../../../../fuzz/seeds/record/steps.json")).unwrap();
        let pattern = record.intervals.last().unwrap().clone();
        record.intervals = (0..64)
            .map(|second| Interval {
                phase: if second < 8 { PhaseKind::Ramp } else { PhaseKind::Measure },
                start: Duration::from_secs(second),
                duration: Duration::from_secs(1),
                backlog: vec![second],
                ..pattern.clone()
            })
            .collect();
        record
    }

    fn length(record: &RunRecord) -> u64 {
        serde_json::to_vec(record).unwrap().len() as u64
    }

    fn done(record: &RunRecord) -> (u64, u64) {
        let counts =
            |job: &JobCounts| job.read.as_ref().map_or((0, 0), |ops: &OpCounts| (ops.io_count(), ops.bytes));
        record
            .intervals
            .iter()
            .flat_map(|one| &one.jobs)
            .map(counts)
            .fold((0, 0), |(a, b), (c, d)| (a + c, b + d))
    }

    #[test]
    fn a_record_beyond_the_limit_keeps_its_counts_in_longer_intervals_and_says_so() {
        let whole = record();
        let mut kept = whole.clone();
        let limit = RecordLimit { bytes: length(&whole) / 3, objects: u64::MAX };
        kept.keep_within(limit).unwrap();
        assert!(length(&kept) <= limit.bytes + 200, "{} of {}", length(&kept), limit.bytes);
        assert_eq!(done(&kept), done(&whole));
        assert_eq!((kept.jobs.len(), &kept.steps), (whole.jobs.len(), &whole.steps));
        let note = kept.plan.notes.last().unwrap();
        let told = format!("in intervals of {} s instead of 1 s", kept.plan.interval.as_secs());
        assert!(kept.plan.interval > Duration::from_secs(1) && note.contains(&told), "{note}");
        // One after the other, without a gap, and none across the end of the ramp.
        let mut at = Duration::ZERO;
        for one in &kept.intervals {
            assert_eq!(one.start, at);
            at += one.duration;
        }
        assert_eq!(at, Duration::from_secs(64));
        assert!(kept.intervals.iter().any(|one| one.start == Duration::from_secs(8)));
        // What was waiting is what was waiting at the end of the last of them.
        assert_eq!(kept.intervals.last().unwrap().backlog, [63]);
        kept.check().unwrap();
    }

    #[test]
    fn a_record_within_the_limit_stays_as_it_is() {
        let whole = record();
        let mut kept = whole.clone();
        kept.keep_within(RecordLimit { bytes: length(&whole), objects: u64::MAX }).unwrap();
        assert_eq!(kept, whole);
    }

    #[test]
    fn objects_count_as_bytes_do_and_what_cannot_become_smaller_stays() {
        let mut kept = record();
        kept.keep_within(RecordLimit { bytes: u64::MAX, objects: 1 }).unwrap();
        let intervals = kept.intervals.len();
        assert!(intervals < 8, "{intervals}");
        // Only borders are left between them: another attempt changes nothing.
        kept.keep_within(RecordLimit { bytes: u64::MAX, objects: 1 }).unwrap();
        assert_eq!(kept.intervals.len(), intervals);
    }
}
