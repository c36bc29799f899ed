//! Which disks of a recording are there, and what became of the others.

use std::collections::HashMap;

use super::{RecordedDisk, RecordedInterval};

/// What became of a disk while it was watched. Times are seconds since the beginning of 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DiskChange {
    /// It was not there.
    Gone {
        /// When it was seen last.
        from_s: f64,
        /// When it was there again; `None` where it did not come back.
        until_s: Option<f64>,
    },
    /// Another disk has its name, or its counters began anew.
    Replaced {
        /// At the end of the interval in which that was.
        at_s: f64,
    },
}

/// Follows the disks of a recording from one interval to the next.
#[derive(Debug, Clone, Default)]
pub struct Presences {
    disks: HashMap<String, Presence>,
    interval_count: usize,
}

#[derive(Debug, Clone, Default)]
struct Presence {
    /// The number of the last interval with it.
    last_seen: usize,
    changes: Vec<DiskChange>,
}

impl Presence {
    fn away(&mut self) -> Option<&mut Option<f64>> {
        match self.changes.last_mut() {
            Some(DiskChange::Gone { until_s, .. }) if until_s.is_none() => Some(until_s),
            _ => None,
        }
    }
}

impl Presences {
    /// Notes which disks are there in the next interval. One that was never there is not missed.
    pub fn add(&mut self, interval: &RecordedInterval) {
        self.interval_count += 1;
        let begin_s = interval.at_s - interval.duration_s;
        for disk in &interval.disks {
            // Without an owned name where it is known, which is every time but the first.
            let Some(presence) = self.disks.get_mut(&disk.name) else {
                let presence = Presence { last_seen: self.interval_count, changes: Vec::new() };
                self.disks.insert(disk.name.clone(), presence);
                continue;
            };
            presence.last_seen = self.interval_count;
            if let Some(until_s) = presence.away() {
                *until_s = Some(begin_s);
            } else if !is_counted(disk) {
                presence.changes.push(DiskChange::Replaced { at_s: interval.at_s });
            }
        }
        for presence in self.disks.values_mut() {
            if presence.last_seen != self.interval_count && presence.away().is_none() {
                presence.changes.push(DiskChange::Gone { from_s: begin_s, until_s: None });
            }
        }
    }

    /// What became of a disk, in the order of time.
    pub fn changes(&self, name: &str) -> &[DiskChange] {
        self.disks.get(name).map_or(&[], |presence| &presence.changes)
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
    fn changes(course: &[Option<Option<f64>>]) -> Vec<DiskChange> {
        let mut presences = Presences::default();
        for (at, there) in course.iter().enumerate() {
            let disk =
                |read_iops| RecordedDisk { name: "sda".to_owned(), read_iops, ..RecordedDisk::default() };
            let disks = there.map(disk).into_iter().collect();
            presences.add(&RecordedInterval { at_s: 1.0 + at as f64, duration_s: 1.0, disks });
        }
        presences.changes("sda").to_vec()
    }

    #[test]
    fn a_disk_that_goes_comes_back_or_begins_anew_is_noticed_and_one_that_comes_late_is_not_missed() {
        let (idle, busy, anew, gone) = (Some(Some(0.0)), Some(Some(9.0)), Some(None), None);
        let away = |from_s, until_s| DiskChange::Gone { from_s, until_s };
        assert_eq!(changes(&[busy, idle, busy]), []);
        assert_eq!(changes(&[gone, gone, busy]), []);
        assert_eq!(changes(&[busy, gone, gone]), [away(1.0, None)]);
        assert_eq!(changes(&[busy, gone, gone, busy, gone]), [away(1.0, Some(3.0)), away(4.0, None)]);
        assert_eq!(changes(&[busy, anew, busy]), [DiskChange::Replaced { at_s: 2.0 }]);
        // One that is back with counters that begin anew was away, and that says it.
        assert_eq!(changes(&[busy, gone, anew, busy]), [away(1.0, Some(2.0))]);
    }
}
