//! The journal of a run: what is on disk while it lasts, readable after a crash at any moment.
//!
//! One JSON document a line: first the record as far as it is known, again when more is known before a load,
//! then every interval as it ends. When the run ends the whole record is written beside it and the journal
//! goes. [`RunRecord::from_journal`] makes a record of whatever a crash left.

use crate::content::Checksum;
use crate::record::{CheckRecordError, Ended, EndedHow, Interval, JobCounts, RunRecord};

/// Why a journal is not a record.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The run ended before its first line was whole.
    #[error("the journal holds no complete first line")]
    Empty,
    /// The first line is not the beginning of a record.
    #[error("the first line of the journal is not a record")]
    NoRecord(#[source] serde_json::Error),
    /// It contradicts itself: nothing that iotrial wrote does.
    #[error("the journal contradicts itself")]
    Check(#[source] CheckRecordError),
}

/// The record as far as it is known, as a line.
///
/// # Errors
///
/// When the record cannot be written as JSON.
pub fn record_line(record: &RunRecord) -> Result<Vec<u8>, serde_json::Error> {
    line(record)
}

/// One interval, as a line.
///
/// # Errors
///
/// When the interval cannot be written as JSON.
pub fn interval_line(interval: &Interval) -> Result<Vec<u8>, serde_json::Error> {
    line(interval)
}

/// Any line of a journal.
#[derive(serde::Deserialize)]
#[serde(untagged)]
// `untagged` tries the variants in this order, and nearly every line is an interval.
enum Line {
    Interval(Interval),
    Record(Box<RunRecord>),
}

fn line(value: &impl serde::Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

impl RunRecord {
    /// The record that a crash left, up to the last interval that was written whole.
    ///
    /// # Errors
    ///
    /// When not even the first line is there, or the journal contradicts itself.
    pub fn from_journal(journal: &[u8]) -> Result<Self, JournalError> {
        // A torn last line has no newline, or is no JSON: both end the journal.
        let mut lines = journal.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let first = lines.next().ok_or(JournalError::Empty)?;
        let mut record: Self = serde_json::from_slice(first).map_err(JournalError::NoRecord)?;
        let mut intervals = Vec::new();
        let mut is_altered = record.checksum != Checksum::Absent;
        // The first line that cannot be read ends the journal; what follows a torn line belongs to nothing.
        for line in lines.map_while(|line| serde_json::from_slice(line).ok()) {
            match line {
                Line::Interval(interval) => intervals.push(interval),
                // A load begins anew behind it, where the one before was only a try.
                Line::Record(again) => (record, intervals) = (*again, Vec::new()),
            }
            is_altered |= record.checksum != Checksum::Absent;
        }
        // Held against itself before anything is added up: a stranger may have written it, and counts of 2^64 − 1 have no sum.
        record.intervals = intervals;
        (record.jobs, record.steps) = (vec![JobCounts::default(); record.plan.jobs.len()], Vec::new());
        record.check().map_err(JournalError::Check)?;
        // An I/O that was under way at the end of an interval is in the next one as well. Only those of the
        // last interval are really unfinished.
        let borders = record.plan.step_borders();
        record.intervals.iter_mut().rev().skip(1).for_each(|one| one.forget_unfinished(&borders));
        // No line of a journal has one: somebody made a journal of a record that was whole, whose checksum then says nothing.
        record.checksum = if is_altered { Checksum::Differs } else { Checksum::Absent };
        // The totals are written at the end of a run only, so they are added up from what is there.
        record.jobs = Self::totals_of_intervals(&record.plan, &record.intervals);
        record.steps = Self::steps_of_intervals(&record.plan, &record.intervals);
        record.ended = Ended {
            how: EndedHow::Interrupted,
            reason: Some(
                "iotrial ended without finishing the record: it was killed, or the host went down".into(),
            ),
        };
        Ok(record)
    }
}
