//! What a database asks for, as a demand that sizing takes.

use iotrial_model::awr::AwrFigure;
use iotrial_model::demand::{Demand, DemandStream};
use iotrial_model::load::{Direction, Role};
use iotrial_model::units::ByteSize;
use serde::{Serialize, Serializer};

use super::flow::{Flow, split};
use super::right_size::{Method, SizeRequest, Sized, rate_of};
use super::series::{AwrStatistics, DatabaseSeries};

/// A share of all reads that is no stream of its own.
const NEARLY_NONE: f64 = 0.005;

/// What a demand asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The mean over time.
    Average,
    /// The level that is not exceeded for 95 % of the time.
    P95,
    /// The same of 99 %.
    P99,
    /// The highest interval.
    Peak,
}

impl Level {
    pub(super) fn of(self, statistics: &AwrStatistics) -> f64 {
        match self {
            Self::Average => statistics.average,
            // Of a few intervals, which have no percentiles, the highest.
            Self::P95 => statistics.p95.unwrap_or(statistics.peak),
            Self::P99 => statistics.p99.unwrap_or(statistics.peak),
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
        let mut notes: Vec<String> = self.notes.iter().map(iotrial_words::awr::series_note).collect();
        notes.extend(sizing.notes.iter().cloned());
        let factors: Vec<String> =
            sizing.factors.iter().map(|one| format!("{} {}", one.name, one.value)).collect();
        notes.push(format!("method {}: {}", chosen.method.as_str(), factors.join(", ")));
        let flow = |requests, mib| Some(Flow { iops: at(requests)?, mib_per_s: at(mib)? });
        let mut streams = Vec::new();
        if let Some(all) = flow(AwrFigure::Reads, AwrFigure::ReadMib) {
            // Nearly none of one kind is one stream: its size would be all noise.
            let negligible = NEARLY_NONE * all.iops;
            let share = at(AwrFigure::MultiBlockReads)
                .zip(at(AwrFigure::SingleBlockReads))
                .map(|(multi, single)| multi / (multi + single));
            let block = self.statistics(AwrFigure::BlockKib).map(|one| one.average);
            let parts =
                share.zip(block).map(|(share, block)| split(all, Some(share * all.iops), block, negligible));
            match parts.filter(|(single, multi)| single.is_there() && single.mean_kib() < multi.mean_kib()) {
                Some((single, multi)) => {
                    streams.extend([single, multi].map(|part| stream(part, None, Direction::Read)));
                    notes.push("single-block and multi-block reads are separate streams".to_owned());
                }
                None => {
                    streams.extend(all.is_there().then(|| stream(all, None, Direction::Read)));
                    notes.push(
                        "all reads are one stream with their mean size: the source does not separate small reads from scans".to_owned(),
                    );
                }
            }
        }
        if let Some(all) = flow(AwrFigure::Writes, AwrFigure::WriteMib) {
            // A log of more than all writes is a contradiction of the report: then nobody knows what of them is redo.
            let log = flow(AwrFigure::LogWrites, AwrFigure::LogWriteMib)
                .filter(|log| log.iops < all.iops && log.mib_per_s < all.mib_per_s);
            let (log, rest) = all.without(log, 0.0);
            streams.extend(rest.is_there().then(|| stream(rest, None, Direction::Write)));
            if log.is_there() {
                streams.push(stream(log, Some(Role::Log), Direction::Write));
                notes.push("redo log writes are a separate stream".to_owned());
            }
        }
        for (direction, requests, word) in
            [(Direction::Read, AwrFigure::Reads, "reads"), (Direction::Write, AwrFigure::Writes, "writes")]
        {
            let iops = at(requests).unwrap_or(0.0);
            if iops > 0.0 && streams.iter().all(|one: &DemandStream| one.direction != direction) {
                notes.push(format!(
                    "{iops:.1} {word} per second are not in the demand, because the report prints their bytes as zero"
                ));
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

fn stream(flow: Flow, role: Option<Role>, direction: Direction) -> DemandStream {
    DemandStream { role, direction, iops: flow.iops, block_size_bytes: flow.mean_kib() * 1024.0 }
}
