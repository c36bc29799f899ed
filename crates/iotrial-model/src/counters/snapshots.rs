//! Totals of a database at several moments, such as `sys.dm_io_virtual_file_stats` and `pg_stat_io` show them: what happened is the
//! difference of two.

use crate::counters::{Counter, CounterSeries, DiskCounters, Times};
use crate::load::Role;
use crate::units::group_thousands;
use crate::words::in_brief;

/// Totals of all parts, at several moments.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshots {
    /// What counted, such as `sys.dm_io_virtual_file_stats`.
    pub tool: &'static str,
    /// How to take a second one.
    pub hint: &'static str,
    /// In the order of the source.
    pub snapshots: Vec<Snapshot>,
    /// What is to be known of them, each in one sentence without a full stop.
    pub notes: Vec<String>,
}

/// When a snapshot was taken, as far as the source says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct When {
    /// Seconds since the machine was started.
    pub running_s: Option<f64>,
    /// Seconds since the beginning of 1970, on the clock of whoever wrote them.
    pub calendar_s: Option<f64>,
}

/// The totals of one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// When.
    pub when: When,
    /// Each part once.
    pub parts: Vec<SnapshotCounts>,
}

/// The totals of one part since its counters began.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SnapshotCounts {
    /// The file, or the kind of I/O.
    pub name: String,
    /// What it is for, where the source says so.
    pub role: Option<Role>,
    /// Reads.
    pub read_count: f64,
    /// Bytes read.
    pub read_bytes: f64,
    /// Seconds waited for reads, of all of them; `None` where it was not measured.
    pub read_s: Option<f64>,
    /// Writes.
    pub write_count: f64,
    /// Bytes written.
    pub write_bytes: f64,
    /// Seconds waited for writes.
    pub write_s: Option<f64>,
}

/// Why snapshots make no series.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// There is nothing to compare it with.
    #[error("there is only one snapshot of {tool}, and rates are the difference between two")]
    OnlyOne {
        /// What counted.
        tool: &'static str,
        /// How to take another one.
        hint: &'static str,
    },
    /// They are of several sources.
    #[error("snapshots of {one} and {other} cannot be combined")]
    Mixed {
        /// The tool of one file.
        one: &'static str,
        /// The tool of another.
        other: &'static str,
    },
    /// Nobody knows how long an interval is.
    #[error("the snapshots of {tool} do not state when they were taken, so there are no rates")]
    NoTime {
        /// What counted.
        tool: &'static str,
        /// Which column says it.
        hint: &'static str,
    },
    /// The same moment twice, or counters that all went back.
    #[error("no two snapshots of {tool} can be compared: {why}")]
    NotComparable {
        /// What counted.
        tool: &'static str,
        /// What is wrong with them.
        why: String,
    },
}

impl SnapshotError {
    /// What the reader can do.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::OnlyOne { hint, .. } | Self::NoTime { hint, .. } => Some(hint),
            Self::Mixed { .. } => Some("give snapshots of one system in one call"),
            Self::NotComparable { .. } => None,
        }
    }
}

impl Snapshots {
    /// Those of several files as if they were in one.
    ///
    /// # Errors
    ///
    /// When they are of several tools.
    pub fn join(mut self, other: Self) -> Result<Self, SnapshotError> {
        if self.tool != other.tool {
            return Err(SnapshotError::Mixed { one: self.tool, other: other.tool });
        }
        self.snapshots.extend(other.snapshots);
        for note in other.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        Ok(self)
    }

    /// What a single snapshot says by itself: one interval since the machine was started, with the mean wait of each part. A database that
    /// was started later had higher rates. `None` of several snapshots, and where nothing says how long the machine runs.
    pub fn since_start(&self) -> Option<CounterSeries> {
        let [one] = self.snapshots.as_slice() else { return None };
        let seconds = one.when.running_s.filter(|seconds| *seconds > 0.0)?;
        let from_zero = |part: &SnapshotCounts| SnapshotCounts {
            name: part.name.clone(),
            role: part.role,
            read_s: part.read_s.map(|_| 0.0),
            write_s: part.write_s.map(|_| 0.0),
            ..SnapshotCounts::default()
        };
        let zero = Snapshot {
            when: When { running_s: Some(0.0), calendar_s: one.when.calendar_s.map(|now| now - seconds) },
            parts: one.parts.iter().map(from_zero).collect(),
        };
        let mut both = Self { snapshots: vec![zero, one.clone()], ..self.clone() };
        both.notes.push(format!(
            "there is one snapshot: all figures are means since the machine was started {:.1} days ago, in which busy hours are hidden",
            seconds / 86_400.0
        ));
        both.series().ok()
    }

    /// The rates between each snapshot and the next.
    ///
    /// Counters of a part that went back began anew in between: what was counted before is lost, and that interval of that part is left
    /// out with a note, as is that of a part that came or went.
    ///
    /// # Errors
    ///
    /// When there are no two, or nothing says when they were taken.
    pub fn series(mut self) -> Result<CounterSeries, SnapshotError> {
        let tool = self.tool;
        if self.snapshots.len() < 2 {
            return Err(SnapshotError::OnlyOne { tool, hint: self.hint });
        }
        let by_calendar = self.snapshots.iter().all(|one| one.when.calendar_s.is_some());
        let by_running = self.snapshots.iter().all(|one| one.when.running_s.is_some());
        if !by_calendar && !by_running {
            return Err(SnapshotError::NoTime { tool, hint: self.hint });
        }
        // Files may be given in any order. Without a calendar a machine that was started anew in between looks like the earlier one,
        // and the order of the files is all that there is.
        if by_calendar {
            let at = |one: &Snapshot| one.when.calendar_s.unwrap_or(0.0);
            self.snapshots.sort_by(|one, other| at(one).total_cmp(&at(other)));
        }
        let mut series = CounterSeries { notes: std::mem::take(&mut self.notes), ..CounterSeries::new(tool) };
        let (mut ends, mut restarted, mut same_moment) = (Vec::new(), Vec::new(), 0_usize);
        let mut places = std::collections::HashMap::new();
        let mut host_restarts = 0_usize;
        for pair in self.snapshots.windows(2) {
            let [then, now] = pair else { continue };
            let running = now.when.running_s.zip(then.when.running_s).map(|(now, then)| now - then);
            let calendar = now.when.calendar_s.zip(then.when.calendar_s).map(|(now, then)| now - then);
            if running.is_some_and(|seconds| seconds < 0.0) {
                host_restarts += 1;
                continue;
            }
            // The milliseconds of the server are exact, where a clock may be set.
            let Some(seconds) = running.filter(|s| *s > 0.0).or(calendar).filter(|seconds| *seconds > 0.0)
            else {
                same_moment += 1;
                continue;
            };
            let interval = series.interval_count;
            series.interval_count += 1;
            series.durations_s.push(seconds);
            ends.push(now.when.calendar_s.unwrap_or(0.0));
            let before: std::collections::HashMap<&str, &SnapshotCounts> =
                then.parts.iter().map(|part| (part.name.as_str(), part)).collect();
            for part in &now.parts {
                let Some(earlier) = before.get(part.name.as_str()) else { continue };
                let place = *places.entry(part.name.clone()).or_insert_with(|| {
                    let mut disk = DiskCounters::new(part.name.clone());
                    disk.role = part.role;
                    series.disks.push(disk);
                    series.disks.len() - 1
                });
                if !add(&mut series.disks[place], interval, part, earlier, seconds) {
                    restarted.push(part.name.clone());
                }
            }
        }
        if series.disks.is_empty() || series.interval_count == 0 {
            let why = match (host_restarts, same_moment) {
                (1.., _) => "the server was restarted between them",
                (_, 1..) => "they were taken at the same moment",
                _ => "they have no file in common",
            };
            return Err(SnapshotError::NotComparable { tool, why: why.to_owned() });
        }
        note_restarts(&mut series.notes, restarted, host_restarts);
        if same_moment > 0 {
            series.notes.push(format!(
                "{same_moment} snapshots were taken at the same moment as the one before and are left out"
            ));
        }
        if by_calendar {
            series.times = Times::OfCalendar(ends);
        }
        let mut sorted = series.durations_s.clone();
        sorted.sort_by(f64::total_cmp);
        series.interval_s = sorted.get(sorted.len() / 2).copied();
        Ok(series)
    }
}

fn note_restarts(notes: &mut Vec<String>, mut restarted: Vec<String>, host_restarts: usize) {
    let count = restarted.len();
    restarted.sort_unstable();
    restarted.dedup();
    if host_restarts > 0 {
        notes.push(format!(
            "the server was restarted between snapshots ({}): what happened between them is unknown",
            times_in_words(host_restarts)
        ));
    }
    if count > 0 {
        notes.push(format!(
            "counters of {} went backwards ({}): they restarted from zero, and what happened in those intervals is unknown",
            in_brief(&restarted, 4, 3),
            times_in_words(count)
        ));
    }
}

fn times_in_words(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{} times", group_thousands(&count.to_string())) }
}

/// Adds what a part did between two snapshots; `false` where a counter went back, and nothing is known.
fn add(
    disk: &mut DiskCounters,
    interval: usize,
    now: &SnapshotCounts,
    then: &SnapshotCounts,
    seconds: f64,
) -> bool {
    let times = |now: Option<f64>, then: Option<f64>| now.zip(then).map(|(now, then)| now - then);
    let (read_s, write_s) = (times(now.read_s, then.read_s), times(now.write_s, then.write_s));
    let counts = [
        (Counter::ReadIops, now.read_count - then.read_count),
        (Counter::WriteIops, now.write_count - then.write_count),
        (Counter::ReadBytes, now.read_bytes - then.read_bytes),
        (Counter::WriteBytes, now.write_bytes - then.write_bytes),
    ];
    // All or nothing: counters of a part begin anew together, and some of them may have passed their old value since.
    let goes_back = |count: f64| count < 0.0;
    if counts.iter().any(|(_, count)| goes_back(*count))
        || [read_s, write_s].into_iter().flatten().any(goes_back)
    {
        return false;
    }
    for (counter, count) in counts {
        disk.set(counter, interval, count / seconds);
    }
    let latencies = [
        (Counter::ReadLatency, read_s, now.read_count - then.read_count),
        (Counter::WriteLatency, write_s, now.write_count - then.write_count),
    ];
    for (counter, waited_s, count) in latencies {
        // Without I/O there is no latency, which is not one of zero.
        if let Some(waited_s) = waited_s.filter(|_| count > 0.0) {
            disk.set(counter, interval, waited_s / count);
        }
    }
    // Little: the time that all of them waited, over the time that passed.
    if let Some((read_s, write_s)) = read_s.zip(write_s) {
        disk.set(Counter::Queue, interval, (read_s + write_s) / seconds);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, reads: f64, read_ms: f64) -> SnapshotCounts {
        SnapshotCounts {
            name: name.to_owned(),
            read_count: reads,
            read_bytes: reads * 8192.0,
            read_s: Some(read_ms / 1_000.0),
            write_s: Some(0.0),
            ..SnapshotCounts::default()
        }
    }

    fn taken(running_s: f64, parts: Vec<SnapshotCounts>) -> Snapshot {
        Snapshot { when: When { running_s: Some(running_s), calendar_s: None }, parts }
    }

    fn of(snapshots: Vec<Snapshot>) -> Snapshots {
        Snapshots { tool: "dmv", hint: "take another one", snapshots, notes: Vec::new() }
    }

    #[test]
    fn what_happened_is_the_difference_of_two_snapshots() {
        let series = of(vec![
            taken(100.0, vec![part("a", 1_000.0, 5_000.0)]),
            taken(160.0, vec![part("a", 7_000.0, 35_000.0), part("new", 5.0, 1.0)]),
        ])
        .series()
        .unwrap();
        assert_eq!((series.interval_count, series.interval_s), (1, Some(60.0)));
        let [disk] = series.disks.as_slice() else {
            panic!("a file without an earlier count has no rate: {series:?}")
        };
        assert_eq!(disk.at(Counter::ReadIops, 0), Some(100.0));
        assert_eq!(disk.at(Counter::ReadBytes, 0), Some(819_200.0));
        assert_eq!(disk.at(Counter::ReadLatency, 0), Some(0.005));
        assert_eq!(disk.at(Counter::WriteLatency, 0), None, "no write has no latency");
        assert_eq!(disk.at(Counter::Queue, 0), Some(0.5));
    }

    #[test]
    fn counters_that_went_back_are_unknown_and_never_negative() {
        let series = of(vec![
            taken(0.0, vec![part("a", 1_000.0, 1.0), part("b", 1.0, 1.0)]),
            taken(10.0, vec![part("a", 5.0, 1.0), part("b", 11.0, 2.0)]),
            taken(20.0, vec![part("a", 15.0, 2.0), part("b", 21.0, 3.0)]),
        ])
        .series()
        .unwrap();
        let reads =
            |at: usize| (0..2).map(|one| series.disks[at].at(Counter::ReadIops, one)).collect::<Vec<_>>();
        assert_eq!((reads(0), reads(1)), (vec![None, Some(1.0)], vec![Some(1.0), Some(1.0)]));
        assert!(series.notes[0].starts_with("counters of a went backwards (once)"), "{:?}", series.notes);
    }

    #[test]
    fn snapshots_that_make_no_rate_say_why() {
        let check = |snapshots: Vec<Snapshot>, expected: &str| {
            let error = of(snapshots).series().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(vec![taken(1.0, vec![part("a", 1.0, 1.0)])], "there is only one snapshot of dmv");
        check(
            vec![taken(9.0, vec![part("a", 1.0, 1.0)]), taken(1.0, vec![part("a", 2.0, 1.0)])],
            "was restarted",
        );
        check(
            vec![taken(9.0, vec![part("a", 1.0, 1.0)]), taken(9.0, vec![part("a", 2.0, 1.0)])],
            "the same moment",
        );
        check(
            vec![taken(1.0, vec![part("a", 1.0, 1.0)]), taken(9.0, vec![part("b", 2.0, 1.0)])],
            "no file in common",
        );
        let timeless = Snapshot { when: When::default(), parts: vec![part("a", 1.0, 1.0)] };
        check(vec![timeless.clone(), timeless], "do not state when they were taken");
    }
}
