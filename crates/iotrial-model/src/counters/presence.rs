//! Which disks of a recording are there, and what became of the others.

use std::collections::HashMap;

use super::{RecordedDisk, RecordedInterval};

/// What became of a disk while it was watched. Times are seconds since the beginning of 1970, UTC. Counts and the newest of each kind, so
/// that a disk that comes and goes for weeks takes no more memory than another one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DiskChanges {
    /// How often it went away.
    pub gone_count: usize,
    /// For how long it was away in all, without the time that is not over.
    pub gone_s: f64,
    /// When it was away last.
    pub last_gone: Option<Absence>,
    /// How often another disk had its name, or its counters began anew.
    pub replaced_count: usize,
    /// At the end of the interval in which that was last.
    pub last_replaced_s: Option<f64>,
}

/// A time in which a disk was not there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Absence {
    /// When it was seen last.
    pub from_s: f64,
    /// When it was there again; `None` where it did not come back.
    pub until_s: Option<f64>,
}

/// Follows the disks of a recording from one interval to the next.
#[derive(Debug, Clone, Default)]
pub struct Presences {
    disks: HashMap<String, Presence>,
    interval_count: usize,
}

#[derive(Debug, Clone)]
struct Presence {
    /// The number of the last interval with it.
    last_seen: usize,
    /// Whether anything was known of it then.
    was_counted: bool,
    changes: DiskChanges,
}

impl DiskChanges {
    /// Adds what became of it in a later recording that has it and begins at `begin_s`.
    pub(super) fn add_later(&mut self, later: Self, begin_s: f64) {
        if self.is_away() && begin_s.is_finite() {
            self.is_back(begin_s);
        }
        self.gone_count += later.gone_count;
        self.gone_s += later.gone_s;
        self.last_gone = later.last_gone.or(self.last_gone);
        self.replaced_count += later.replaced_count;
        self.last_replaced_s = later.last_replaced_s.or(self.last_replaced_s);
    }

    const fn is_away(&self) -> bool {
        matches!(self.last_gone, Some(Absence { until_s: None, .. }))
    }

    fn goes(&mut self, from_s: f64) {
        self.gone_count += 1;
        self.last_gone = Some(Absence { from_s, until_s: None });
    }

    fn is_back(&mut self, until_s: f64) {
        if let Some(absence) = &mut self.last_gone {
            absence.until_s = Some(until_s);
            self.gone_s += (until_s - absence.from_s).max(0.0);
        }
    }

    const fn is_replaced(&mut self, at_s: f64) {
        self.replaced_count += 1;
        self.last_replaced_s = Some(at_s);
    }
}

impl Presences {
    /// Notes which disks are there in the next interval. One that was never there is not missed.
    pub fn add(&mut self, interval: &RecordedInterval) {
        self.interval_count += 1;
        let begin_s = interval.at_s - interval.duration_s;
        for disk in &interval.disks {
            let (last_seen, is_counted) = (self.interval_count, is_counted(disk));
            // Without an owned name where it is known, which is every time but the first.
            let Some(presence) = self.disks.get_mut(&disk.name) else {
                let presence =
                    Presence { last_seen, was_counted: is_counted, changes: DiskChanges::default() };
                self.disks.insert(disk.name.clone(), presence);
                continue;
            };
            if presence.changes.is_away() {
                presence.changes.is_back(begin_s);
            } else if presence.was_counted && !is_counted {
                // Once, and not for every interval in which nothing is known of it.
                presence.changes.is_replaced(interval.at_s);
            }
            (presence.last_seen, presence.was_counted) = (last_seen, is_counted);
        }
        for presence in self.disks.values_mut() {
            if presence.last_seen != self.interval_count && !presence.changes.is_away() {
                presence.changes.goes(begin_s);
            }
        }
    }

    /// What became of a disk.
    pub fn changes(&self, name: &str) -> DiskChanges {
        self.disks.get(name).map_or_else(DiskChanges::default, |presence| presence.changes)
    }
}

/// Whether anything of it is known; of a disk whose counters went back nothing is.
fn is_counted(disk: &RecordedDisk) -> bool {
    disk.counted().iter().any(|(_, value)| value.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each of these intervals of a second has the disk, and its rate.
    fn changes(course: &[Option<Option<f64>>]) -> DiskChanges {
        let mut presences = Presences::default();
        for (at, there) in course.iter().enumerate() {
            let disk =
                |read_iops| RecordedDisk { name: "sda".to_owned(), read_iops, ..RecordedDisk::default() };
            let disks = there.map(disk).into_iter().collect();
            presences.add(&RecordedInterval { at_s: 1.0 + at as f64, duration_s: 1.0, disks });
        }
        presences.changes("sda")
    }

    #[test]
    fn a_disk_that_goes_comes_back_or_begins_anew_is_noticed_and_one_that_comes_late_is_not_missed() {
        let (idle, busy, anew, gone) = (Some(Some(0.0)), Some(Some(9.0)), Some(None), None);
        let nothing = DiskChanges::default();
        let away = |gone_count, gone_s, from_s, until_s| DiskChanges {
            gone_count,
            gone_s,
            last_gone: Some(Absence { from_s, until_s }),
            ..nothing
        };
        let replaced =
            |replaced_count, at_s| DiskChanges { replaced_count, last_replaced_s: Some(at_s), ..nothing };
        assert_eq!(changes(&[busy, idle, busy]), nothing);
        assert_eq!(changes(&[gone, gone, busy]), nothing);
        assert_eq!(changes(&[busy, gone, gone]), away(1, 0.0, 1.0, None));
        assert_eq!(changes(&[busy, gone, gone, busy]), away(1, 2.0, 1.0, Some(3.0)));
        assert_eq!(changes(&[busy, gone, gone, busy, gone]), away(2, 2.0, 4.0, None));
        assert_eq!(changes(&[busy, anew, busy]), replaced(1, 2.0));
        // One that is back with counters that begin anew was away, and that says it.
        assert_eq!(changes(&[busy, gone, anew, busy]), away(1, 1.0, 1.0, Some(2.0)));
        // Nothing known for a while is one change, and nothing ever known is none.
        assert_eq!(changes(&[busy, anew, anew, anew, busy, anew, busy]), replaced(2, 6.0));
        assert_eq!(changes(&[anew, anew, anew, busy]), nothing);
        // It is in the next recording.
        let mut joined = changes(&[busy, gone]);
        joined.add_later(nothing, 9.0);
        assert_eq!(joined, away(1, 8.0, 1.0, Some(9.0)));
        joined.add_later(away(1, 0.0, 12.0, None), 10.0);
        assert_eq!(joined, away(2, 8.0, 12.0, None));
    }
}
