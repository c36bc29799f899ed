//! Reports one after the other, as sysstat writes them: the disks of each, found again by their names.

use std::collections::HashMap;

use iotrial_model::counters::{Counter, CounterSeries, DiskCounters};

use super::{CountersError, MOST_RATES};

/// The reports so far.
#[derive(Default)]
pub(super) struct Reports {
    disks: Vec<DiskCounters>,
    places: HashMap<String, usize>,
    count: usize,
}

impl Reports {
    pub(super) fn is_empty(&self) -> bool {
        self.disks.is_empty()
    }

    pub(super) const fn count(&self) -> usize {
        self.count
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
        let place = match self.places.get(name) {
            Some(place) => *place,
            None => {
                self.places.insert(name.to_owned(), self.disks.len());
                self.disks.push(DiskCounters::new(name));
                self.check()?;
                self.disks.len() - 1
            }
        };
        let interval = self.count.saturating_sub(1);
        values.into_iter().for_each(|(counter, value)| self.disks[place].set(counter, interval, value));
        Ok(())
    }

    /// Every disk has room for every report, or a file with a new disk in each would grow with the square of its length.
    fn check(&self) -> Result<(), CountersError> {
        let is_within = self.disks.len().saturating_mul(self.count) <= MOST_RATES;
        if is_within { Ok(()) } else { Err(CountersError::TooMany) }
    }

    pub(super) fn series(self, tool: &'static str) -> CounterSeries {
        CounterSeries { interval_count: self.count, disks: self.disks, ..CounterSeries::new(tool) }
    }
}

/// A latency is of I/Os: a time of zero where there was none is none. Rates are rounded before latencies are, so that a time without a
/// rate is one of very few I/Os and stays.
pub(super) fn is_latency_of_nothing(counter: Counter, value: f64) -> bool {
    matches!(counter, Counter::ReadLatency | Counter::WriteLatency | Counter::Latency) && value == 0.0
}
