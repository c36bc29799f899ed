//! Reports one after the other, as sysstat writes them: the disks of each, found again by their names.

use std::collections::HashMap;

use iotrial_model::counters::{Counter, CounterSeries, DiskCounters};

use super::{CountersError, MOST_DISKS, MOST_RATES};

/// The reports so far.
#[derive(Default)]
pub(super) struct Reports {
    disks: Vec<DiskCounters>,
    places: HashMap<String, usize>,
    count: usize,
    /// The first report of each recording, of several in one file.
    begins: Vec<usize>,
}

impl Reports {
    pub(super) fn is_empty(&self) -> bool {
        self.disks.is_empty()
    }

    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// Another recording begins with the next report: what is above it in a file, such as `Linux 6.1.0 (db01) …`, is there once more.
    pub(super) fn begin_recording(&mut self) {
        if self.begins.last() != Some(&self.count) {
            self.begins.push(self.count);
        }
    }

    /// How many recordings there are.
    pub(super) fn recordings(&self) -> usize {
        self.begins.len().max(1)
    }

    /// The next report begins.
    pub(super) fn begin(&mut self) -> Result<(), CountersError> {
        self.count += 1;
        self.check()
    }

    /// What a disk did in this report.
    pub(super) fn add(
        &mut self,
        name: &str,
        values: impl IntoIterator<Item = (Counter, f64)>,
    ) -> Result<(), CountersError> {
        self.add_at(self.count.saturating_sub(1), name, values)
    }

    /// What a disk did in an earlier report.
    pub(super) fn add_at(
        &mut self,
        interval: usize,
        name: &str,
        values: impl IntoIterator<Item = (Counter, f64)>,
    ) -> Result<(), CountersError> {
        let place = match self.places.get(name) {
            Some(place) => *place,
            None => {
                self.places.insert(name.to_owned(), self.disks.len());
                self.disks.push(DiskCounters::new(name));
                self.check()?;
                self.disks.len() - 1
            }
        };
        values.into_iter().for_each(|(counter, value)| self.disks[place].set(counter, interval, value));
        Ok(())
    }

    /// Every disk has room for every report, or a file with a new disk in each would grow with the square of its length.
    fn check(&self) -> Result<(), CountersError> {
        let is_within =
            self.disks.len() <= MOST_DISKS && self.disks.len().saturating_mul(self.count) <= MOST_RATES;
        if is_within { Ok(()) } else { Err(CountersError::TooMany) }
    }

    pub(super) fn series(self, tool: &'static str) -> CounterSeries {
        CounterSeries { interval_count: self.count, disks: self.disks, ..CounterSeries::new(tool) }
    }

    /// Leaves out the first report of each recording, whose means are since the boot, with their times. Of recordings that have a single
    /// report each nothing would be left: then all stay. How many were left out.
    pub(super) fn without_the_first_ones<'t>(
        &mut self,
        times: impl IntoIterator<Item = &'t mut Vec<f64>>,
    ) -> usize {
        let mut is_kept = vec![true; self.count];
        // Without a line that says so, the file is one recording.
        if self.begins.first() != Some(&0) {
            self.begins.insert(0, 0);
        }
        self.begins.retain(|begin| *begin < self.count);
        self.begins.iter().for_each(|begin| is_kept[*begin] = false);
        let kept: Vec<usize> = (0..self.count).filter(|at| is_kept[*at]).collect();
        if kept.is_empty() {
            return 0;
        }
        for times in times.into_iter().filter(|times| times.len() == is_kept.len()) {
            *times = kept.iter().map(|at| times[*at]).collect();
        }
        for disk in &mut self.disks {
            let mut of_kept = DiskCounters::new(std::mem::take(&mut disk.name));
            for counter in Counter::ALL.iter().copied().filter(|counter| disk.has(*counter)) {
                for (interval, at) in kept.iter().enumerate() {
                    disk.at(counter, *at).into_iter().for_each(|value| of_kept.set(counter, interval, value));
                }
            }
            *disk = of_kept;
        }
        self.count = kept.len();
        self.begins.len()
    }
}

/// Leaves out times of zero where there was no I/O: a latency is of I/Os. Where there were some, zero is what a time of less than half
/// of the last digit is printed as, and it counts as the others do. Rates are rounded before latencies are, so that a time without a
/// rate is one of very few I/Os and stays.
pub(super) fn drop_latencies_of_nothing(values: &mut Vec<(Counter, f64)>) {
    let had_io = |values: &[(Counter, f64)], rates: &[Counter]| {
        values.iter().any(|(counter, value)| rates.contains(counter) && *value > 0.0)
    };
    let latencies: [(Counter, &[Counter]); 3] = [
        (Counter::ReadLatency, &[Counter::ReadIops]),
        (Counter::WriteLatency, &[Counter::WriteIops]),
        (Counter::Latency, &[Counter::Iops, Counter::ReadIops, Counter::WriteIops]),
    ];
    for (latency, rates) in latencies {
        if !had_io(values, rates) {
            values.retain(|(counter, value)| *counter != latency || *value > 0.0);
        }
    }
}
