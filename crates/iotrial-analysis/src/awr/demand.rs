//! What a database asks for, as a demand that sizing takes.

use iotrial_model::awr::AwrFigure;
use iotrial_model::demand::{Demand, DemandStream};
use iotrial_model::load::{Direction, Role};
use iotrial_model::units::ByteSize;
use serde::{Serialize, Serializer};

use super::right_size::{Method, SizeRequest, Sized, rate_of};
use super::series::{AwrStatistics, DatabaseSeries};

const MIB: f64 = 1_048_576.0;
/// The largest read of a scan.
// `db_file_multiblock_read_count` at its default reads 1 MiB at a time, whatever the block.
const LARGEST_READ: f64 = MIB;

/// What a demand asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The mean over time.
    Average,
    /// What is not exceeded in 95 % of the time.
    P95,
    /// The same of 99 %.
    P99,
    /// The highest interval.
    Peak,
}

impl Level {
    pub(super) const fn of(self, statistics: &AwrStatistics) -> f64 {
        match self {
            Self::Average => statistics.average,
            Self::P95 => statistics.p95,
            Self::P99 => statistics.p99,
            Self::Peak => statistics.peak,
        }
    }

    /// As tables and the command line have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Average => "average",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::Peak => "peak",
        }
    }

    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Average => "the average",
            Self::P95 => "the 95th percentile",
            Self::P99 => "the 99th percentile",
            Self::Peak => "the highest interval",
        }
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl DatabaseSeries {
    /// The demand of the sizing: each rate by itself, as of counters, because the interval with the most requests is rarely the
    /// one with the most bytes. `None` where nothing was sized, or a rate has no size. `source` is what the user calls the reports.
    pub fn demand(&self, request: &SizeRequest, source: &str) -> Option<Demand> {
        let sizing = self.right_size.as_ref()?;
        let chosen = &sizing.chosen;
        let at = |figure| rate_of(self, request, chosen, figure);
        let mut notes = self.notes.clone();
        notes.extend(sizing.notes.iter().cloned());
        let factors: Vec<String> =
            sizing.factors.iter().map(|one| format!("{} {}", one.name, one.value)).collect();
        notes.push(format!("method {}: {}", chosen.method.as_str(), factors.join(", ")));
        let mut streams = Vec::new();
        if let (Some(iops), Some(mib)) = (at(AwrFigure::Reads), at(AwrFigure::ReadMib)) {
            let all = Flow { iops, bytes: mib * MIB };
            let blocks = self.statistics(AwrFigure::BlockKib).map(|one| one.average * 1024.0);
            let split = at(AwrFigure::MultiBlockReads)
                .zip(at(AwrFigure::SingleBlockReads))
                .zip(blocks)
                .and_then(|((multi, single), block)| all.by_blocks(multi / (multi + single), block));
            match split {
                Some((single, multi)) => {
                    streams.extend(single.stream(None, Direction::Read));
                    streams.extend(multi.stream(None, Direction::Read));
                    notes.push("reads of one block and of several are streams of their own".to_owned());
                }
                None => {
                    streams.extend(all.stream(None, Direction::Read));
                    notes.push(
                        "all reads are one stream with their mean size: the source does not tell small ones from scans".to_owned(),
                    );
                }
            }
        }
        if let (Some(iops), Some(mib)) = (at(AwrFigure::Writes), at(AwrFigure::WriteMib)) {
            let all = Flow { iops, bytes: mib * MIB };
            let log = at(AwrFigure::LogWrites).zip(at(AwrFigure::LogWriteMib));
            let log = log.map(|(iops, mib)| Flow { iops, bytes: mib * MIB });
            match log.and_then(|log| Some((log, all.without(log)?))) {
                Some((log, rest)) => {
                    streams.extend(rest.stream(None, Direction::Write));
                    streams.extend(log.stream(Some(Role::Log), Direction::Write));
                    notes.push("writes of the redo log are a stream of their own".to_owned());
                }
                None => streams.extend(all.stream(None, Direction::Write)),
            }
        }
        let intervals = self.intervals.len();
        let level = match (intervals, chosen.method) {
            (1, _) => "the average",
            (_, Method::Peak) => "the highest of each rate",
            _ => chosen.level.words(),
        };
        let of = if intervals == 1 { "1 interval".to_owned() } else { format!("{intervals} intervals") };
        (!streams.is_empty()).then(|| Demand {
            source: Some(format!("{source}: {level} of {of}, method {}", chosen.method.as_str())),
            notes,
            vcpus_min: chosen.vcpus.unwrap_or(0).min(1 << 16),
            memory_min: memory_of(chosen),
            ..Demand::new(self.database.clone(), streams)
        })
    }
}

/// In whole GiB, as machines have it.
fn memory_of(chosen: &Sized) -> ByteSize {
    let gib = chosen.memory_gib.map_or(0.0, f64::ceil);
    // No machine has a million GiB.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped just before")]
    ByteSize::gib(gib.clamp(0.0, 1e6) as u64)
}

/// Requests and bytes per second.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Flow {
    iops: f64,
    bytes: f64,
}

impl Flow {
    fn stream(self, role: Option<Role>, direction: Direction) -> Option<DemandStream> {
        (self.iops > 0.0 && self.bytes > 0.0).then(|| DemandStream {
            role,
            direction,
            iops: self.iops,
            block_size_bytes: self.bytes / self.iops,
        })
    }

    /// The part with one block each, and the part with several, of which there is this share. Both add up to the whole in requests and
    /// bytes. `None` where no sizes from a block to the largest read do that.
    fn by_blocks(self, share: f64, block: f64) -> Option<(Self, Self)> {
        // Nearly none of one kind is one stream: its size would be all noise.
        if !(0.005..=0.995).contains(&share) || block <= 0.0 {
            return None;
        }
        let (single, multi) = (self.iops * (1.0 - share), self.iops * share);
        // Where scans would have to be larger than they can be, the rest belongs to the small ones: control files have larger blocks.
        let of_multi = (self.bytes - single * block).min(multi * LARGEST_READ);
        let of_single = self.bytes - of_multi;
        let is_sane = of_multi > multi * block && of_single >= single * block * 0.999;
        let is_small = of_single / single < of_multi / multi;
        (is_sane && is_small)
            .then_some((Self { iops: single, bytes: of_single }, Self { iops: multi, bytes: of_multi }))
    }

    /// `None` where the part is not less than the whole in both.
    fn without(self, part: Self) -> Option<Self> {
        let rest = Self { iops: self.iops - part.iops, bytes: self.bytes - part.bytes };
        (part.iops > 0.0 && part.bytes > 0.0 && rest.iops > 0.0 && rest.bytes > 0.0).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: f64 = 8192.0;

    #[track_caller]
    fn check(iops: f64, bytes: f64, share: f64, expected: Option<(f64, f64)>) {
        let found = Flow { iops, bytes }.by_blocks(share, BLOCK);
        let sizes = found.map(|(single, multi)| (single.bytes / single.iops, multi.bytes / multi.iops));
        assert_eq!(sizes, expected);
        if let Some((single, multi)) = found {
            assert_eq!((single.iops + multi.iops, single.bytes + multi.bytes), (iops, bytes));
        }
    }

    #[test]
    fn one_mean_becomes_the_two_sizes_that_make_it() {
        // 900 of 8 KiB and 100 of 512 KiB have a mean of 58 KiB, which nobody reads.
        let bytes = 900.0 * BLOCK + 100.0 * 524_288.0;
        check(1_000.0, bytes, 0.1, Some((BLOCK, 524_288.0)));
    }

    #[test]
    fn a_scan_is_never_larger_than_it_can_be() {
        let bytes = 900.0 * 2.0 * BLOCK + 100.0 * MIB;
        check(1_000.0, bytes, 0.1, Some((2.0 * BLOCK, MIB)));
    }

    #[test]
    fn what_no_two_sizes_can_make_stays_one_stream() {
        // Smaller than a block on average: these are no reads of data.
        check(1_000.0, 1_000.0 * 512.0, 0.1, None);
        check(1_000.0, 1_000.0 * BLOCK, 0.0, None);
        check(1_000.0, 1_000.0 * BLOCK, f64::NAN, None);
        check(1_000.0, 1_000.0 * 8.0 * MIB, 0.5, None);
    }
}
