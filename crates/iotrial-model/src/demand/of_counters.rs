//! The demand of a database that runs already, from what the operating system counts at its disks.

use super::{Demand, DemandStream};
use crate::counters::{CounterSeries, DiskRates};
use crate::load::Direction;
use crate::units::group_thousands;
use crate::words::in_brief;

/// Length in seconds from which an interval hides peaks that a database feels.
// A choice: a checkpoint or a batch of seconds disappears in a mean over a minute.
const LONG_INTERVAL_S: f64 = 60.0;
/// The number of intervals below which a percentile says little.
// With a hundred intervals the 99th percentile is the second highest; with fewer, 99 and 100 are one value.
const FEW_INTERVALS: usize = 100;

/// What a demand takes for the size of an I/O, in bytes.
const SIZES: std::ops::RangeInclusive<f64> = 1.0..=1_073_741_824.0;

/// Why counters cannot become a demand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CounterDemandError {
    /// A disk that is not in the series.
    #[error("there is no disk `{name}` in it")]
    NoDisk {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Nothing was counted.
    #[error("no interval in it has the rates of a disk")]
    NoInterval,
    /// Nothing was read or written.
    #[error("the disks in it did nothing")]
    Idle,
    /// Bytes and I/Os do not go together: one of them is wrong, or of something else than disks.
    #[error("its {direction}s have {} bytes each, and an I/O has from 1 to 1,073,741,824", group_thousands(&format!("{bytes:.0}")))]
    NoSize {
        /// Reads or writes.
        direction: Direction,
        /// Bytes per second over I/Os per second, rounded to a whole number.
        bytes: u64,
    },
}

impl Demand {
    /// What disks did in all but the busiest intervals: `percentile` percent of them ask for no more, of each
    /// of the four rates by itself (IOPS and bandwidth, reads and writes). Without `wanted` every whole disk
    /// counts.
    ///
    /// # Errors
    ///
    /// When a disk is not there, or nothing was counted.
    pub fn of_counters(
        name: &str,
        series: &CounterSeries,
        wanted: &[String],
        percentile: f64,
    ) -> Result<Self, CounterDemandError> {
        let chosen = chosen(series, wanted)?;
        let at = |interval: usize| {
            // Disks are added interval by interval and before the percentile: their busiest moments need not
            // be the same.
            let counted = chosen.iter().filter_map(|disk| series.disks[*disk].rates[interval]);
            // An interval in which none of them was counted is left out; counting it as idle would lower the
            // percentile.
            counted.reduce(|sum, rates| sum + rates)
        };
        let rates: Vec<DiskRates> = (0..series.interval_count()).filter_map(at).collect();
        if rates.is_empty() {
            return Err(CounterDemandError::NoInterval);
        }
        let stream = |direction, measures: Measures| {
            // Each of the four rates by itself. One interval would not do: the busiest in reads is rarely the
            // busiest in bytes.
            let [iops, bytes_per_s] = measures.map(|measure| rank(&rates, measure, percentile));
            // The block size is their quotient, so both are needed.
            (iops > 0.0 && bytes_per_s > 0.0).then(|| DemandStream {
                role: None,
                direction,
                iops,
                block_size_bytes: bytes_per_s / iops,
            })
        };
        let streams: Vec<DemandStream> = [stream(Direction::Read, READS), stream(Direction::Write, WRITES)]
            .into_iter()
            .flatten()
            .collect();
        if streams.is_empty() {
            return Err(CounterDemandError::Idle);
        }
        // A demand of such sizes could be written and never be read again, and nothing is bought for it.
        let has_no_size = |stream: &&DemandStream| !SIZES.contains(&stream.block_size_bytes);
        if let Some(stream) = streams.iter().find(has_no_size) {
            return Err(CounterDemandError::NoSize {
                direction: stream.direction,
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for a message")]
                bytes: stream.block_size_bytes.round() as u64,
            });
        }
        let names: Vec<&str> = chosen.iter().map(|disk| series.disks[*disk].name.as_str()).collect();
        let intervals = match series.interval_s {
            Some(seconds) => format!("{} intervals of {} s", rates.len(), rounded(seconds)),
            None => format!("{} intervals", rates.len()),
        };
        let title = series.host.clone().unwrap_or_else(|| name.to_owned());
        Ok(Self {
            source: Some(format!(
                "{name}: {} at {}, percentile {percentile} of {intervals}",
                series.tool,
                in_brief(&names, 8, 6)
            )),
            notes: notes(series, &chosen, &rates, percentile),
            ..Self::new(format!("what {title} does"), streams)
        })
    }
}

/// IOPS and bytes per second of one direction.
type Measures = [fn(&DiskRates) -> f64; 2];
const READS: Measures = [|rates| rates.read_iops, |rates| rates.read_bytes_per_s];
const WRITES: Measures = [|rates| rates.write_iops, |rates| rates.write_bytes_per_s];

fn chosen(series: &CounterSeries, wanted: &[String]) -> Result<Vec<usize>, CounterDemandError> {
    if wanted.is_empty() {
        return Ok(series.whole_disks());
    }
    let find = |name: &String| {
        // Windows shows a drive's letter in upper case, and people type it in either.
        let found = series.disks.iter().position(|disk| disk.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| CounterDemandError::NoDisk {
            name: name.clone(),
            known: series.disks.iter().map(|disk| disk.name.clone()).collect(),
        })
    };
    let mut found = wanted.iter().map(find).collect::<Result<Vec<usize>, _>>()?;
    // A disk that is named twice must not be added twice.
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The nearest rank: the least value that `percentile` percent of the values do not exceed.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of intervals")]
fn rank(rates: &[DiskRates], measure: fn(&DiskRates) -> f64, percentile: f64) -> f64 {
    let mut values: Vec<f64> = rates.iter().map(measure).collect();
    values.sort_by(f64::total_cmp);
    // Nearest rank, so the answer is a rate that was measured and not one between two. The 1e-9 keeps 95 % of
    // 20 at rank 19 where the product is off in the last bit.
    let rank = (percentile / 100.0 * values.len() as f64 - 1e-9).ceil() as usize;
    values[rank.clamp(1, values.len()) - 1]
}

fn notes(series: &CounterSeries, chosen: &[usize], rates: &[DiskRates], percentile: f64) -> Vec<String> {
    let mut notes = series.notes.clone();
    let sum: Measures = [
        |rates| rates.read_iops + rates.write_iops,
        |rates| rates.read_bytes_per_s + rates.write_bytes_per_s,
    ];
    let at = |percent: f64| {
        let [iops, bytes_per_s] = sum.map(|measure| rank(rates, measure, percent));
        format!("{} IOPS and {:.1} MB/s", group_thousands(&format!("{iops:.0}")), bytes_per_s / 1e6)
    };
    notes.push(format!(
        "reads and writes together: median {}, 95 % {}, 99 % {}, the busiest {}",
        at(50.0),
        at(95.0),
        at(99.0),
        at(100.0)
    ));
    notes.push(format!(
        "each rate is its own percentile {percentile}: they need not have come at the same time, so that the demand is at least what any but the busiest intervals asked; idle hours in the series lower it"
    ));
    if let Some(seconds) = series.interval_s.filter(|seconds| *seconds >= LONG_INTERVAL_S) {
        notes.push(format!("each interval is a mean over {} s, which hides shorter peaks", rounded(seconds)));
    }
    if rates.len() < FEW_INTERVALS {
        notes.push(format!("{} intervals are few: the busiest hour may lie outside", rates.len()));
    }
    // Only busy ones are worth a note; an idle disk changes nothing.
    let is_busy = |disk: &usize| {
        series.disks[*disk].rates.iter().flatten().any(|rates| rates.read_iops + rates.write_iops > 0.0)
    };
    let others: Vec<&str> = (0..series.disks.len())
        .filter(|disk| !chosen.contains(disk) && is_busy(disk))
        .map(|disk| series.disks[disk].name.as_str())
        .collect();
    if !others.is_empty() {
        notes.push(format!("not counted: {}", in_brief(&others, 8, 6)));
    }
    notes
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::DiskCounters;

    /// Two disks of which the second does one tenth of the first, over a hundred intervals that grow by one
    /// read each.
    fn growing() -> CounterSeries {
        let rates = |scale: f64| {
            (1..=100)
                .map(|number| {
                    let iops = f64::from(number) * scale;
                    Some(DiskRates {
                        read_iops: iops,
                        write_iops: 0.0,
                        read_bytes_per_s: iops * 8192.0,
                        write_bytes_per_s: 0.0,
                    })
                })
                .collect()
        };
        let disk = |name: &str, scale| DiskCounters { name: name.to_owned(), rates: rates(scale) };
        CounterSeries {
            tool: "iostat",
            host: Some("db01".to_owned()),
            interval_s: Some(300.0),
            disks: vec![disk("sda", 10.0), disk("sdb", 1.0), disk("dm-0", 11.0)],
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_demand_is_the_percentile_of_the_sum_over_the_disks() {
        let demand = Demand::of_counters("a.txt", &growing(), &[], 95.0).unwrap();
        let [read] = demand.streams.as_slice() else { panic!("{:?}", demand.streams) };
        assert_eq!((read.direction, read.iops, read.block_size_bytes), (Direction::Read, 1_045.0, 8192.0));
        assert_eq!(
            demand.source.as_deref(),
            Some("a.txt: iostat at sda, sdb, percentile 95 of 100 intervals of 300 s")
        );
        let notes = demand.notes.join("\n");
        for words in ["median 550 IOPS", "the busiest 1,100 IOPS", "a mean over 300 s", "not counted: dm-0"] {
            assert!(notes.contains(words), "{words}: {notes}");
        }
        let one = Demand::of_counters("a.txt", &growing(), &["SDB".to_owned()], 100.0).unwrap();
        assert_eq!(one.streams[0].iops, 100.0);
    }

    #[test]
    fn disks_that_are_not_there_or_did_nothing_are_no_demand() {
        let error = Demand::of_counters("a.txt", &growing(), &["sdc".to_owned()], 95.0).unwrap_err();
        assert_eq!(error.to_string(), "there is no disk `sdc` in it");
        let mut idle = growing();
        idle.disks.iter_mut().for_each(|disk| disk.rates = vec![Some(DiskRates::default())]);
        assert_eq!(Demand::of_counters("a", &idle, &[], 95.0).unwrap_err(), CounterDemandError::Idle);
        let huge = DiskRates { read_bytes_per_s: 2e12, read_iops: 4.0, ..DiskRates::default() };
        idle.disks.iter_mut().for_each(|disk| disk.rates = vec![Some(huge)]);
        let error = Demand::of_counters("a", &idle, &[], 95.0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "its reads have 500,000,000,000 bytes each, and an I/O has from 1 to 1,073,741,824"
        );
        idle.disks.iter_mut().for_each(|disk| disk.rates = vec![None, None]);
        assert_eq!(Demand::of_counters("a", &idle, &[], 95.0).unwrap_err(), CounterDemandError::NoInterval);
    }
}
