//! Where intervals are in time. Reports print the time of the database's host, without a time zone.

use std::collections::BTreeSet;
use std::ops::Range;

use iotrial_model::awr::SeriesNote;
use jiff::civil::DateTime;
use jiff::{SignedDuration, Span as Shift};

use crate::awr::series::{AwrSeries, SeriesInterval};

/// Snapshots that are no further apart are taken as one moment, whatever their intervals.
// Hosts take their snapshots at the full hour, and the clocks and the work of taking them spread over minutes.
const MOST_APART_S: i64 = 300;
/// The same as a share of the shortest interval, so that none becomes empty.
const MOST_APART_SHARE: i64 = 10;
/// The times of snapshots may differ from the elapsed time by so much before the interval has no place.
// A clock that was changed, as at the end of summer time, is off by an hour or more.
const MOST_OFF_SHARE: f64 = 0.1;

/// From when to when, in seconds of the calendar since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::awr) struct Span {
    pub(in crate::awr) begin: i64,
    pub(in crate::awr) end: i64,
}

fn seconds_of(text: &str) -> Option<i64> {
    let time: DateTime = text.parse().ok()?;
    Some(time.duration_since(DateTime::new(1970, 1, 1, 0, 0, 0, 0).ok()?).as_secs())
}

fn text_of(seconds: i64) -> String {
    let epoch = DateTime::new(1970, 1, 1, 0, 0, 0, 0).unwrap_or(DateTime::MIN);
    epoch
        .checked_add(SignedDuration::from_secs(seconds))
        .map_or_else(|_| String::new(), |time| time.to_string())
}

impl Span {
    /// Where an interval is; `None` where its times are not there, or contradict its length.
    pub(in crate::awr) fn of(interval: &SeriesInterval) -> Option<Self> {
        let span = Self {
            begin: seconds_of(interval.begin.as_deref()?)?,
            end: seconds_of(interval.end.as_deref()?)?,
        };
        // A minute for times without seconds, and for the instances of a cluster.
        let off = (span.seconds() - interval.seconds).abs();
        (span.end > span.begin && off <= 120.0 + MOST_OFF_SHARE * interval.seconds).then_some(span)
    }

    pub(super) fn seconds(&self) -> f64 {
        (self.end - self.begin) as f64
    }

    pub(super) fn begin_text(&self) -> String {
        text_of(self.begin)
    }

    pub(super) fn end_text(&self) -> String {
        text_of(self.end)
    }
}

/// The moments at which any database begins or ends an interval.
pub(super) struct Boundaries {
    /// The earliest and the latest of those that are one moment, in their order.
    moments: Vec<(i64, i64)>,
}

impl Boundaries {
    /// Snapshots a little apart become one moment. Otherwise the last busy seconds of one database and the first ones of another would be
    /// a piece of time of their own, whose sum has the peaks of both though they never were at the same time.
    pub(super) fn of(spans: impl Iterator<Item = Span> + Clone) -> Self {
        let shortest = spans.clone().map(|span| span.end - span.begin).min().unwrap_or(0);
        let most_apart = (shortest / MOST_APART_SHARE).min(MOST_APART_S);
        let mut all: Vec<i64> = spans.flat_map(|span| [span.begin, span.end]).collect();
        all.sort_unstable();
        let mut moments: Vec<(i64, i64)> = Vec::new();
        for at in all {
            match moments.last_mut() {
                // From the first of them, so that many databases in a row do not become one long moment.
                Some((first, last)) if at - *first <= most_apart => *last = at,
                _ => moments.push((at, at)),
            }
        }
        Self { moments }
    }

    /// Time between neighbours.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> {
        let middle = |(first, last): (i64, i64)| first + (last - first) / 2;
        self.moments.windows(2).map(move |pair| Span { begin: middle(pair[0]), end: middle(pair[1]) })
    }

    /// Which of them are within an interval.
    pub(super) fn between(&self, span: Span) -> Range<usize> {
        let at = |time: i64| self.moments.partition_point(|(_, last)| *last < time);
        at(span.begin)..at(span.end)
    }

    /// The most that snapshots were apart which are one moment.
    pub(super) fn most_apart_s(&self) -> i64 {
        self.moments.iter().map(|(first, last)| last - first).max().unwrap_or(0)
    }
}

/// There is no database of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no database `{name}`; the reports have {}", known.join(", "))]
pub struct UnknownDatabase {
    /// What was asked for.
    pub name: String,
    /// What there is.
    pub known: Vec<String>,
}

impl AwrSeries {
    /// Which database is meant, in any case of letters.
    fn at(&self, name: &str) -> Result<usize, UnknownDatabase> {
        let found = self.databases.iter().position(|one| one.database.eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownDatabase {
            name: name.to_owned(),
            known: self.databases.iter().map(|one| format!("`{}`", one.database)).collect(),
        })
    }

    /// Leaves only these databases; all of them where none is named.
    ///
    /// # Errors
    ///
    /// When one is not there.
    pub fn keep(&mut self, names: &[String]) -> Result<(), UnknownDatabase> {
        let wanted = names.iter().map(|name| self.at(name)).collect::<Result<Vec<usize>, _>>()?;
        if !wanted.is_empty() {
            let mut at = 0;
            self.databases.retain(|_| {
                at += 1;
                wanted.contains(&(at - 1))
            });
            let files: BTreeSet<&String> =
                self.databases.iter().flat_map(|one| &one.intervals).flat_map(|one| &one.files).collect();
            self.cut_off.retain(|one| files.contains(&one.file));
            let left_out: BTreeSet<&String> = self.databases.iter().flat_map(|one| &one.left_out).collect();
            self.left_out.retain(|one| left_out.contains(&one.file));
        }
        Ok(())
    }

    /// Moves the times of a database, whose host has its clock in another time zone.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn shift(&mut self, name: &str, seconds: i64) -> Result<(), UnknownDatabase> {
        let at = self.at(name)?;
        let database = &mut self.databases[at];
        let moved = |text: &String| {
            let time: DateTime = text.parse().ok()?;
            Some(time.checked_add(Shift::new().try_seconds(seconds).ok()?).ok()?.to_string())
        };
        for interval in &mut database.intervals {
            interval.begin = interval.begin.as_ref().and_then(moved);
            interval.end = interval.end.as_ref().and_then(moved);
        }
        database.notes.push(SeriesNote::ClockMoved { seconds });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_a_little_apart_are_one_moment_and_a_row_of_them_is_not() {
        let hour = |begin: i64| Span { begin, end: begin + 3_600 };
        let of = |spans: &[Span]| Boundaries::of(spans.iter().copied());
        let near = of(&[hour(0), hour(200), hour(3_600)]);
        assert_eq!(near.spans().collect::<Vec<_>>().len(), 2);
        assert_eq!((near.most_apart_s(), near.between(hour(200))), (200, 0..1));
        // Ten databases, each four minutes after the one before.
        let row: Vec<Span> = (0..10).map(|at| hour(at * 240)).collect();
        let row = of(&row);
        assert!(row.most_apart_s() <= MOST_APART_S);
        assert!(row.spans().count() > 5);
        // Intervals of a minute are not joined to nothing.
        let minutes: Vec<Span> = (0..5).map(|at| Span { begin: at * 60, end: at * 60 + 60 }).collect();
        assert_eq!(of(&minutes).spans().count(), 5);
    }
}
