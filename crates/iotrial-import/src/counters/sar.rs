//! The text of `sar -b`: reads and writes of all disks together.

use iotrial_model::counters::{ALL_DISKS, CounterSeries, DiskCounters, DiskRates};

use super::{CountersError, MOST_RATES, rate, usual_step};
use crate::text::quote;

const TOOL: &str = "sar";
/// What `bread/s` counts, whatever the disk.
// The kernel's sector, as in /proc/diskstats; sar does not know the device's.
pub(super) const BLOCK_BYTES: f64 = 512.0;
pub(super) const LACKING: CountersError = CountersError::Lacking {
    tool: "sar",
    missing: "reads and writes apart",
    hint: "`sar -d` has only both together; `sar -b -f FILE` and `sadf -j FILE -- -b` have them apart",
};

/// `12:00:01 AM  tps  rtps  wtps  bread/s  bwrtn/s`; also that of `sar -d`, to say what it lacks.
pub(super) fn is_header(line: &str) -> bool {
    let has = |name: &str| line.split_whitespace().any(|word| word == name);
    has("tps") && (has("rtps") || has("DEV"))
}

/// The rates of all disks, interval by interval.
#[derive(Default)]
pub(super) struct Totals {
    rates: Vec<Option<DiskRates>>,
    intervals_s: Vec<f64>,
}

impl Totals {
    pub(super) fn add(&mut self, interval_s: Option<f64>, rates: DiskRates) -> Result<(), CountersError> {
        if self.rates.len() == MOST_RATES {
            return Err(CountersError::TooMany);
        }
        self.rates.push(Some(rates));
        // An interval of zero says nothing of the usual one.
        self.intervals_s.extend(interval_s.filter(|seconds| *seconds > 0.0));
        Ok(())
    }

    pub(super) fn series(mut self, host: Option<String>, name: &str) -> CounterSeries {
        self.intervals_s.sort_by(f64::total_cmp);
        // The median: one gap in the recording would move a mean.
        let interval_s = self.intervals_s.get(self.intervals_s.len() / 2).copied();
        let disks = vec![DiskCounters { name: name.to_owned(), rates: self.rates }];
        CounterSeries {
            tool: TOOL,
            host: host.map(|host| quote(&host)),
            interval_s,
            disks,
            notes: Vec::new(),
        }
    }
}

pub(super) fn read(text: &str) -> Result<CounterSeries, CountersError> {
    let mut totals = Totals::default();
    let mut times = Vec::new();
    let mut columns: Option<(usize, [usize; 4])> = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if is_header(line) {
            let at = |name: &str| words.iter().position(|word| *word == name);
            let found = (|| Some([at("rtps")?, at("wtps")?, at("bread/s")?, at("bwrtn/s")?]))();
            columns = Some((words.len(), found.ok_or(LACKING)?));
            continue;
        }
        // Means, restarts and blank lines have other columns.
        let Some((count, at)) = columns.filter(|(count, _)| *count == words.len()) else { continue };
        // A line of means begins with a word instead of a time.
        let Some(time) = time_of_day(words[0]) else { continue };
        debug_assert_eq!(count, words.len(), "only such lines are left");
        let [Some(read_iops), Some(write_iops), Some(read), Some(written)] =
            at.map(|index| rate(words[index]))
        else {
            continue;
        };
        times.push(time);
        totals.add(
            None,
            DiskRates {
                read_iops,
                write_iops,
                read_bytes_per_s: read * BLOCK_BYTES,
                write_bytes_per_s: written * BLOCK_BYTES,
            },
        )?;
    }
    let host = text.lines().next().and_then(|line| line.split_once('(')?.1.split_once(')'));
    let series = totals.series(host.map(|(host, _)| host.to_owned()), ALL_DISKS);
    Ok(CounterSeries { interval_s: usual_step(&times), ..series })
}

/// Seconds since midnight of `13:20:19`; on a clock of twelve hours they begin again at noon, which one step
/// of many does not change.
pub(super) fn time_of_day(text: &str) -> Option<f64> {
    let parts: Vec<f64> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    // The day is missing: a recording over midnight has one negative step, which the median ignores.
    let [hours, minutes, seconds] = parts[..] else { return None };
    Some((hours * 60.0 + minutes) * 60.0 + seconds)
}
