//! The demand of a database that runs already, from what the operating system counts at its disks.

use super::{Demand, DemandStream};
use crate::counters::{ALL_DISKS, Counter, CounterSeries, DiskRates};
use crate::load::{Direction, Role};
use crate::units::group_thousands;
use crate::words::{counted, in_brief};

/// Length in seconds from which an interval hides peaks that a database feels.
// A choice: a checkpoint or a batch of seconds disappears in a mean over a minute.
const LONG_INTERVAL_S: f64 = 60.0;
/// The number of intervals below which a percentile says little.
// With a hundred intervals the 99th percentile is the second highest; with fewer, 99 and 100 are one value.
const FEW_INTERVALS: usize = 100;

/// From so many percent of the intervals on, counters ask for more than the demand: what is rare is left to queues.
pub const USUAL_PERCENTILE: f64 = 95.0;

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
    /// Reads and writes are not apart, or their bytes are not counted.
    #[error("it is from {tool} and does not have reads and writes separately, each with its bytes")]
    Lacking {
        /// What counted.
        tool: &'static str,
    },
    /// Nothing was counted.
    #[error("no interval in it has the rates of a disk")]
    NoInterval,
    /// Nothing was read or written.
    #[error("the disks in it did nothing")]
    Idle,
    /// Bytes and I/Os do not go together: one of them is wrong, or of something else than disks.
    #[error("its {direction}s have {} bytes each, but an I/O must have from 1 to 1,073,741,824", group_thousands(&format!("{bytes:.0}")))]
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
        let rates = rates_of(series, &chosen);
        if rates.is_empty() {
            // A rate that is only lacking in some intervals would have made the others.
            let lacks_some = |disk: &usize| !has_rates(series, *disk);
            return Err(if !chosen.is_empty() && chosen.iter().all(lacks_some) {
                CounterDemandError::Lacking { tool: series.tool }
            } else {
                CounterDemandError::NoInterval
            });
        }
        let stream = |rates: &[DiskRates], role, direction, measures: Measures| {
            // Each of the four rates by itself. One interval would not do: the busiest in reads is rarely the
            // busiest in bytes.
            let [iops, bytes_per_s] = measures.map(|measure| rank(rates, measure, percentile));
            // The block size is their quotient, so both are needed.
            (iops > 0.0 && bytes_per_s > 0.0).then(|| DemandStream {
                role,
                direction,
                iops,
                block_size_bytes: bytes_per_s / iops,
            })
        };
        let mut streams = Vec::new();
        // Apart by role where disks have roles, since each can be bought for itself. Those without one come first.
        for role in [None].into_iter().chain(Role::ALL.iter().copied().map(Some)) {
            let of_role: Vec<usize> =
                chosen.iter().copied().filter(|disk| series.disks[*disk].role == role).collect();
            let rates = rates_of(series, &of_role);
            if rates.is_empty() {
                continue;
            }
            streams.extend(stream(&rates, role, Direction::Read, READS));
            streams.extend(stream(&rates, role, Direction::Write, WRITES));
        }
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
        let of_s =
            series.interval_s.map_or_else(String::new, |seconds| format!(" of {} s", rounded(seconds)));
        let intervals = match rates.len() {
            1 => format!("the only interval{of_s}"),
            count => format!("{} of {}{of_s}", nth_percentile(percentile), counted(count as u64, "interval")),
        };
        let title = series.host.clone().unwrap_or_else(|| name.to_owned());
        Ok(Self {
            source: Some(format!("{name}: {} of {}, {intervals}", series.tool, in_brief(&names, 8, 6))),
            notes: notes(series, &chosen, &rates, percentile),
            ..Self::new(format!("the load of {title}"), streams)
        })
    }
}

/// Without any of these there is no demand.
const RATES: [Counter; 4] = [Counter::ReadIops, Counter::WriteIops, Counter::ReadBytes, Counter::WriteBytes];

/// IOPS and bytes per second of one direction.
type Measures = [fn(&DiskRates) -> f64; 2];
const READS: Measures = [|rates| rates.read_iops, |rates| rates.read_bytes_per_s];
const WRITES: Measures = [|rates| rates.write_iops, |rates| rates.write_bytes_per_s];

/// What these disks did together, interval by interval.
fn rates_of(series: &CounterSeries, chosen: &[usize]) -> Vec<DiskRates> {
    let at = |interval: usize| {
        // Disks are added interval by interval and before the percentile: their busiest moments need not
        // be the same.
        let counted = chosen.iter().filter_map(|disk| series.disks[*disk].rates(interval));
        // An interval in which none of them was counted is left out; counting it as idle would lower the
        // percentile.
        counted.reduce(|sum, rates| sum + rates)
    };
    (0..series.interval_count).filter_map(at).collect()
}

fn has_rates(series: &CounterSeries, disk: usize) -> bool {
    RATES.into_iter().all(|counter| series.disks[disk].has(counter))
}

fn chosen(series: &CounterSeries, wanted: &[String]) -> Result<Vec<usize>, CounterDemandError> {
    if wanted.is_empty() {
        let whole = series.whole_disks();
        // sar has reads and writes apart of all disks together only, beside each disk with both.
        let sum = || series.disks.iter().position(|disk| disk.name == ALL_DISKS);
        return Ok(match sum().filter(|sum| has_rates(series, *sum)) {
            Some(sum) if !whole.iter().any(|disk| has_rates(series, *disk)) => vec![sum],
            _ => whole,
        });
    }
    let find = |name: &String| {
        series.disk(name).ok_or_else(|| CounterDemandError::NoDisk {
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
        // Less than 1 MB/s would look like no I/O at all.
        let (unit, one) = if bytes_per_s < 1e6 { ("kB/s", 1e3) } else { ("MB/s", 1e6) };
        format!("{} IOPS and {:.1} {unit}", group_thousands(&format!("{iops:.0}")), bytes_per_s / one)
    };
    if rates.len() == 1 {
        notes.push(format!("reads and writes together: {}", at(100.0)));
    } else {
        notes.push(format!(
            "reads and writes together: median {}, 95th percentile {}, 99th percentile {}, highest {}",
            at(50.0),
            at(95.0),
            at(99.0),
            at(100.0)
        ));
        notes.push(format!(
            "each rate is its own {}: the rates need not have occurred at the same time, so the demand covers all but the busiest intervals; idle hours in the series lower it",
            nth_percentile(percentile)
        ));
    }
    if let Some(seconds) = series.interval_s.filter(|seconds| *seconds >= LONG_INTERVAL_S) {
        notes.push(format!("each interval is a mean over {} s, which hides shorter peaks", rounded(seconds)));
    }
    if rates.len() < FEW_INTERVALS {
        notes.push(match rates.len() {
            1 => "only 1 interval: it may not cover the busiest hour".to_owned(),
            count => {
                format!("only {}: the busiest hour may not be among them", counted(count as u64, "interval"))
            }
        });
    }
    // Only busy ones are worth a note; an idle disk changes nothing.
    let is_busy = |disk: &usize| {
        (0..series.interval_count).any(|at| series.disks[*disk].iops(at).is_some_and(|iops| iops > 0.0))
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

/// `95th percentile`, `99.9th percentile`.
fn nth_percentile(percentile: f64) -> String {
    let text = percentile.to_string();
    let ending = match text.as_str() {
        "11" | "12" | "13" => "th",
        text if text.ends_with('1') => "st",
        text if text.ends_with('2') => "nd",
        text if text.ends_with('3') => "rd",
        _ => "th",
    };
    format!("{text}{ending} percentile")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::DiskCounters;

    /// Two disks of which the second does one tenth of the first, over a hundred intervals that grow by one
    /// read each.
    fn growing() -> CounterSeries {
        let disk = |name: &str, scale: f64| {
            let mut disk = DiskCounters::new(name);
            for at in 0..100_usize {
                let iops = (at + 1) as f64 * scale;
                note(&mut disk, at, [iops, 0.0, iops * 8192.0, 0.0]);
            }
            disk
        };
        CounterSeries {
            host: Some("db01".to_owned()),
            interval_s: Some(300.0),
            interval_count: 100,
            disks: vec![disk("sda", 10.0), disk("sdb", 1.0), disk("dm-0", 11.0)],
            ..CounterSeries::new("iostat")
        }
    }

    fn note(disk: &mut DiskCounters, at: usize, rates: [f64; 4]) {
        for (counter, rate) in RATES.into_iter().zip(rates) {
            disk.set(counter, at, rate);
        }
    }

    /// The same disks with other rates in their only interval.
    fn once(rates: [f64; 4]) -> CounterSeries {
        let mut series = growing();
        series.interval_count = 1;
        for disk in &mut series.disks {
            *disk = DiskCounters::new(disk.name.clone());
            note(disk, 0, rates);
        }
        series
    }

    #[test]
    fn a_demand_is_the_percentile_of_the_sum_over_the_disks() {
        let demand = Demand::of_counters("a.txt", &growing(), &[], 95.0).unwrap();
        let [read] = demand.streams.as_slice() else { panic!("{:?}", demand.streams) };
        assert_eq!((read.direction, read.iops, read.block_size_bytes), (Direction::Read, 1_045.0, 8192.0));
        assert_eq!(
            demand.source.as_deref(),
            Some("a.txt: iostat of sda, sdb, 95th percentile of 100 intervals of 300 s")
        );
        let notes = demand.notes.join("\n");
        for words in ["median 550 IOPS", "highest 1,100 IOPS", "a mean over 300 s", "not counted: dm-0"] {
            assert!(notes.contains(words), "{words}: {notes}");
        }
        let one = Demand::of_counters("a.txt", &growing(), &["SDB".to_owned()], 100.0).unwrap();
        assert_eq!(one.streams[0].iops, 100.0);
    }

    #[test]
    fn a_single_interval_has_no_percentiles_and_little_bandwidth_is_not_zero() {
        let mut series = once([12.8, 4.8, 28_160.0, 19_660.0]);
        series.disks.truncate(1);
        series.interval_s = None;
        let demand = Demand::of_counters("a.txt", &series, &[], 95.0).unwrap();
        assert_eq!(demand.source.as_deref(), Some("a.txt: iostat of sda, the only interval"));
        assert_eq!(
            demand.notes,
            [
                "reads and writes together: 18 IOPS and 47.8 kB/s",
                "only 1 interval: it may not cover the busiest hour"
            ]
        );
    }

    #[test]
    fn percentiles_are_ordinals() {
        let all = [50.0, 91.0, 92.0, 93.0, 11.0, 99.9].map(nth_percentile);
        assert_eq!(
            all.map(|text| text.replace(" percentile", "")),
            ["50th", "91st", "92nd", "93rd", "11th", "99.9th"]
        );
    }

    #[test]
    fn disks_with_roles_make_streams_of_their_own() {
        let mut series = growing();
        series.disks[1].role = Some(Role::Log);
        let demand = Demand::of_counters("a", &series, &[], 95.0).unwrap();
        let streams: Vec<_> = demand.streams.iter().map(|stream| (stream.role, stream.iops)).collect();
        assert_eq!(streams, [(None, 950.0), (Some(Role::Log), 95.0)]);
    }

    #[test]
    fn disks_that_are_not_there_or_did_nothing_are_no_demand() {
        let error = Demand::of_counters("a.txt", &growing(), &["sdc".to_owned()], 95.0).unwrap_err();
        assert_eq!(error.to_string(), "there is no disk `sdc` in it");
        let failed = |series: &CounterSeries| Demand::of_counters("a", series, &[], 95.0).unwrap_err();
        assert_eq!(failed(&once([0.0; 4])), CounterDemandError::Idle);
        assert_eq!(
            failed(&once([4.0, 0.0, 2e12, 0.0])).to_string(),
            "its reads have 500,000,000,000 bytes each, but an I/O must have from 1 to 1,073,741,824"
        );
        let mut none = once([0.0; 4]);
        none.interval_count = 0;
        assert_eq!(failed(&none), CounterDemandError::NoInterval);
        none.interval_count = 1;
        none.disks.iter_mut().for_each(|disk| *disk = DiskCounters::new(disk.name.clone()));
        none.disks.iter_mut().for_each(|disk| disk.set(Counter::Iops, 0, 5.0));
        assert_eq!(failed(&none), CounterDemandError::Lacking { tool: "iostat" });
    }
}
