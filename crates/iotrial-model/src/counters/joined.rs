//! Logs that follow one another, as a recorder leaves them that begins a new file each day or at a size.

use crate::words::in_brief;

use super::{CounterSeries, DiskCounters, MOST_RATES, NONE, Times};

/// Why files of counters are no single series. Each is named as its reader named it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// Two recorders count differently.
    #[error("`{one}` is from {tool} and `{other}` from {other_tool}")]
    Tools {
        /// A file.
        one: String,
        /// What counted there.
        tool: &'static str,
        /// Another one.
        other: String,
        /// What counted there.
        other_tool: &'static str,
    },
    /// Two machines.
    #[error("`{one}` is from {} and `{other}` from {}", named(host.as_deref()), named(other_host.as_deref()))]
    Hosts {
        /// A file.
        one: String,
        /// Its machine.
        host: Option<String>,
        /// Another one.
        other: String,
        /// Its machine.
        other_host: Option<String>,
    },
    /// Nobody knows which goes first.
    #[error(
        "`{file}` does not state on which day its intervals were, so its place among the files is not known"
    )]
    Undated {
        /// The file.
        file: String,
    },
    /// The same time twice.
    #[error("`{later}` begins before `{earlier}` ends: they overlap, and the same time would count twice")]
    Overlap {
        /// The file that begins first.
        earlier: String,
        /// The other one.
        later: String,
    },
    /// More than is read of one file.
    #[error("together they have more than {MOST_RATES} intervals of disks")]
    TooMany,
}

fn named(host: Option<&str>) -> String {
    host.map_or_else(|| "a machine without a name".to_owned(), |host| format!("`{host}`"))
}

impl JoinError {
    /// What the reader can do.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Undated { .. } => {
                "PerfMon, sadf and recordings of iotrial have dates; iostat has them with -t and S_TIME_FORMAT=ISO, sar with S_TIME_FORMAT=ISO"
            }
            Self::TooMany => "give fewer files",
            Self::Tools { .. } | Self::Hosts { .. } | Self::Overlap { .. } => {
                "several files are read as one log that rolled over: from one machine, one after the other; read any others one at a time"
            }
        }
    }
}

impl CounterSeries {
    /// The series of several files, in the order of their times, each behind its name. What was not recorded between two of them is a gap in the
    /// times.
    ///
    /// # Errors
    ///
    /// When they are not one recording of one machine.
    ///
    /// # Panics
    ///
    /// Without any file.
    pub fn of_files(mut files: Vec<(String, Self)>) -> Result<Self, JoinError> {
        files.sort_by(|(_, one), (_, other)| begin(one).total_cmp(&begin(other)));
        let mut files = files.into_iter();
        let (mut name, mut all) = files.next().expect("there is a file");
        if files.len() == 0 {
            return Ok(all);
        }
        let count = files.len() + 1;
        let mut partly: Vec<String> = Vec::new();
        for (later, next) in files {
            all.check_followed(&name, &next, &later)?;
            let names = |series: &Self| series.disks.iter().map(|disk| disk.name.clone()).collect::<Vec<_>>();
            let (known, new) = (names(&all), names(&next));
            let in_one = known.iter().filter(|one| !new.contains(one));
            partly.extend(in_one.chain(new.iter().filter(|one| !known.contains(one))).cloned());
            all.append(next);
            name = later;
        }
        partly.sort();
        partly.dedup();
        all.notes.push(format!("{count} files that follow one another are read as one"));
        if !partly.is_empty() {
            all.notes.push(format!("not in every file: {}", in_brief(&partly, 6, 5)));
        }
        Ok(all)
    }

    /// Whether `next` is the same recording, later.
    fn check_followed(&self, name: &str, next: &Self, later: &str) -> Result<(), JoinError> {
        let (one, other) = (name.to_owned(), later.to_owned());
        if self.tool != next.tool {
            return Err(JoinError::Tools { one, tool: self.tool, other, other_tool: next.tool });
        }
        if !same_host(self.host.as_deref(), next.host.as_deref()) {
            let (host, other_host) = (self.host.clone(), next.host.clone());
            return Err(JoinError::Hosts { one, host, other, other_host });
        }
        for (file, series) in [(name, self), (later, next)] {
            let is_dated = matches!(&series.times, Times::OfCalendar(times) if !times.is_empty());
            if !is_dated {
                return Err(JoinError::Undated { file: file.to_owned() });
            }
        }
        // The latest and not the last one: the clock may have been set back in between.
        let end = self.times.seconds().iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if begin(next) <= end {
            return Err(JoinError::Overlap { earlier: one, later: other });
        }
        let most_disks = self.disks.len().max(next.disks.len());
        if most_disks.saturating_mul(self.interval_count.saturating_add(next.interval_count)) > MOST_RATES {
            return Err(JoinError::TooMany);
        }
        Ok(())
    }

    /// Adds what was counted later.
    fn append(&mut self, next: Self) {
        let offset = self.interval_count;
        let is_alike = self.durations_s.is_empty()
            && next.durations_s.is_empty()
            && match (self.interval_s, next.interval_s) {
                // A hundredth: samples are a little late, now and then.
                (Some(one), Some(other)) => (one - other).abs() <= 0.01 * one.max(other),
                (one, other) => one == other,
            };
        if !is_alike {
            // By its own length, or a minute would count as much as a second.
            let later = next.lengths();
            self.durations_s = self.lengths();
            self.durations_s.extend(later);
            // The usual one is that of most intervals.
            if next.interval_count > offset {
                self.interval_s = next.interval_s.or(self.interval_s);
            }
        }
        self.interval_s = self.interval_s.or(next.interval_s);
        self.interval_count += next.interval_count;
        let begin_s = begin(&next);
        if let (Times::OfCalendar(times), Times::OfCalendar(later)) = (&mut self.times, next.times) {
            times.extend(later);
        }
        for disk in next.disks {
            match self.disks.iter_mut().find(|one| one.name == disk.name) {
                Some(one) => one.append(offset, begin_s, disk),
                None => {
                    let mut one = DiskCounters::new(disk.name.clone());
                    one.append(offset, begin_s, disk);
                    self.disks.push(one);
                }
            }
        }
        for stripe in next.stripes {
            if !self.stripes.contains(&stripe) {
                self.stripes.push(stripe);
            }
        }
        for note in next.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// How long each interval is.
    fn lengths(&self) -> Vec<f64> {
        if self.durations_s.is_empty() {
            vec![self.interval_s.unwrap_or(1.0); self.interval_count]
        } else {
            self.durations_s.clone()
        }
    }
}

impl DiskCounters {
    /// Adds what was counted from interval `offset` on, which begins at `begin_s`.
    fn append(&mut self, offset: usize, begin_s: f64, later: Self) {
        self.role = self.role.or(later.role);
        self.changes.add_later(later.changes, begin_s);
        for (column, later) in self.columns.iter_mut().zip(later.columns) {
            if !later.is_empty() {
                column.resize(offset, NONE);
                column.extend(later);
            }
        }
    }
}

fn begin(series: &CounterSeries) -> f64 {
    series.times.seconds().first().copied().unwrap_or(f64::NEG_INFINITY)
}

/// Windows writes names of machines in upper case or not, as it likes.
fn same_host(one: Option<&str>, other: Option<&str>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        (one, other) => one == other,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::Counter;
    use super::*;

    /// Reads of `disk` at these times, each with its rate.
    fn series(host: &str, disk: &str, from_s: f64, step_s: f64, rates: &[f64]) -> CounterSeries {
        let mut counters = DiskCounters::new(disk);
        for (at, rate) in rates.iter().enumerate() {
            counters.set(Counter::ReadIops, at, *rate);
        }
        CounterSeries {
            host: Some(host.to_owned()),
            interval_s: Some(step_s),
            times: Times::OfCalendar((0..rates.len()).map(|at| from_s + step_s * at as f64).collect()),
            interval_count: rates.len(),
            disks: vec![counters],
            ..CounterSeries::new("PerfMon")
        }
    }

    fn joined(files: Vec<(&str, CounterSeries)>) -> Result<CounterSeries, JoinError> {
        CounterSeries::of_files(files.into_iter().map(|(name, series)| (name.to_owned(), series)).collect())
    }

    #[test]
    fn a_log_that_rolled_over_is_one_series_in_the_order_of_its_times() {
        let first = series("DB01", "0 C:", 1_000.0, 15.0, &[1.0, 2.0]);
        let second = series("db01", "0 C:", 1_100.0, 15.0, &[3.0, 4.0, 5.0]);
        let all = joined(vec![("b.csv", second), ("a.csv", first)]).unwrap();
        assert_eq!(all.times.seconds(), [1_000.0, 1_015.0, 1_100.0, 1_115.0, 1_130.0]);
        let rates: Vec<f64> = (0..5).map(|at| all.disks[0].at(Counter::ReadIops, at).unwrap()).collect();
        assert_eq!(rates, [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!((all.interval_count, all.interval_s, all.durations_s.len()), (5, Some(15.0), 0));
        assert_eq!(all.notes, ["2 files that follow one another are read as one"]);
    }

    #[test]
    fn a_disk_of_one_file_has_nothing_in_the_other_and_intervals_count_by_their_length() {
        let first = series("DB01", "0 C:", 1_000.0, 15.0, &[1.0, 2.0]);
        let second = series("DB01", "1 D:", 2_000.0, 60.0, &[3.0, 4.0, 5.0]);
        let all = joined(vec![("a.csv", first), ("b.csv", second)]).unwrap();
        assert_eq!(all.disks[0].at(Counter::ReadIops, 2), None);
        assert_eq!(all.disks[1].at(Counter::ReadIops, 1), None);
        assert_eq!(all.disks[1].at(Counter::ReadIops, 2), Some(3.0));
        assert_eq!(
            (all.durations_s.clone(), all.interval_s),
            (vec![15.0, 15.0, 60.0, 60.0, 60.0], Some(60.0))
        );
        assert!(all.notes[1].starts_with("not in every file: 0 C:"), "{:?}", all.notes);
    }

    #[test]
    fn what_is_no_single_log_is_refused_by_name() {
        let one = || ("a.csv", series("DB01", "0 C:", 1_000.0, 15.0, &[1.0, 2.0]));
        let check = |other: CounterSeries, words: &str| {
            let error = joined(vec![one(), ("b.csv", other)]).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        };
        check(
            series("DB02", "0 C:", 2_000.0, 15.0, &[1.0]),
            "`a.csv` is from `DB01` and `b.csv` from `DB02`",
        );
        check(series("DB01", "0 C:", 1_010.0, 15.0, &[1.0]), "`b.csv` begins before `a.csv` ends");
        // The same file twice.
        check(one().1, "they overlap");
        let undated =
            CounterSeries { times: Times::OfDay(vec![1.0]), ..series("DB01", "0 C:", 0.0, 1.0, &[1.0]) };
        check(undated, "on which day");
        let other = CounterSeries { tool: "iostat", ..series("DB01", "0 C:", 2_000.0, 15.0, &[1.0]) };
        check(other, "`a.csv` is from PerfMon and `b.csv` from iostat");
        let much = series("DB01", "0 C:", 2_000.0, 1.0, &[1.0; 3]);
        check(CounterSeries { interval_count: 2 * MOST_RATES, ..much }, "more than 4000000");
    }
}
