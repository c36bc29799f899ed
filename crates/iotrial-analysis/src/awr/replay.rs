//! The I/O that reports tell of, as a load that can be made again: streams by role at the reported rates, and the reported latencies
//! that the same database would notice.
//!
//! All I/O of the report is in exactly one stream, so that the sums are those of the report: what is not known to be redo, temporary
//! or a copy is data.

mod text;

use iotrial_model::awr::{AwrFigure, SeriesNote};
use iotrial_model::load::{Direction, Pattern, Role};
use iotrial_model::stream::Stream;
use serde::Serialize;

use super::demand::Level;
use super::flow::{Flow, multi_by_bytes, share_of, sizes_of, split};
use super::series::DatabaseSeries;
use crate::words::number_in_words;

/// A rate below this is no stream of its own: in ten minutes it is a handful of I/Os.
const NEGLIGIBLE_PER_S: f64 = 0.05;
/// A mean of waits needs so many of them (`docs/thresholds.md`), with room for the chance of Poisson arrivals.
const JUDGED_IOS: f64 = 150.0;
/// How long the quick form measures, at least and at most.
const QUICK_S: (f64, f64) = (60.0, 600.0);
/// A mean of waits stands for the reads of a stream where at least this share of them was waited for one by one. Reads by direct path
/// are not: several are under way, and nobody waits for each.
const WAITED_FOR: f64 = 0.1;
/// Reads of so many blocks on average are no reads of single blocks.
const SINGLE_BLOCKS: f64 = 2.0;
/// Below this no block storage answers: a cache in memory did.
const CACHE_US: f64 = 50.0;
/// A volume that needs this long for each I/O still keeps the rate; one that is slower than that is found out by latency long before.
const PATIENCE_S: (f64, f64) = (0.010, 0.050);

/// A load like that of a database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replay {
    /// The database.
    pub database: String,
    /// Which reports, and which of their rates.
    pub source: String,
    /// By how much the rates are more than those of the reports; 1 for the same.
    pub scale: f64,
    /// What runs at once.
    pub streams: Vec<ReplayStream>,
    /// The latencies that the database had.
    pub limits: Vec<ReplayLimit>,
    /// What is to be known of it, each in one sentence without a full stop.
    pub notes: Vec<String>,
    /// The same of the reports themselves.
    #[serde(skip)]
    doubts: Vec<SeriesNote>,
    /// How long the quick form has to measure, so that each latency is judged by enough I/Os.
    #[serde(skip)]
    quick_s: f64,
}

/// One stream of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplayStream {
    /// The name of its job.
    pub name: &'static str,
    /// What it stands for.
    pub role: Role,
    /// Reads or writes.
    pub direction: Direction,
    /// Requests per second, scaled.
    pub iops: f64,
    /// MiB per second, scaled.
    pub mib_per_s: f64,
    /// Sizes in bytes with the weights by which they are drawn; their mean is the reported one.
    pub sizes: Vec<(u64, u32)>,
    /// How offsets follow one another.
    #[serde(skip)]
    pattern: Pattern,
    /// Where rate and size are from.
    pub origin: String,
}

/// A latency that the database had.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplayLimit {
    /// Whose.
    pub role: Role,
    /// Reads, or commits of the log.
    pub stream: Stream,
    /// The mean in microseconds.
    pub mean_us: f64,
    /// Which wait, and where it is printed.
    pub origin: String,
}

impl DatabaseSeries {
    /// The load of the database at a level. `None` where there are no rates with a size. `source` is what the user calls the
    /// reports.
    pub fn replay(&self, level: Level, scale: f64, source: &str) -> Option<Replay> {
        let level = self.known_level(level);
        let at = |figure| self.statistics(figure).map(|one| level.of(one));
        let mut notes = Vec::new();
        let flow = |requests, mib| Some(Flow { iops: at(requests)?, mib_per_s: at(mib)? });
        let mut all_reads = flow(AwrFigure::Reads, AwrFigure::ReadMib);
        let mut all_writes = flow(AwrFigure::Writes, AwrFigure::WriteMib);
        if all_reads.is_none() && all_writes.is_none() {
            return None;
        }
        // One size for all intervals: a mean of two would be the block of neither.
        let block_kib = self.statistics(AwrFigure::BlockKib).filter(|one| one.average == one.peak);
        let block_kib = block_kib.map(|one| one.average);
        if block_kib.is_none() {
            notes
                .push("the reports do not state the block size of the database: 8 KiB is assumed".to_owned());
        }
        let block_kib = block_kib.unwrap_or(8.0);
        for (all, what) in [(&mut all_reads, "reads"), (&mut all_writes, "writes")] {
            if let Some(all) = all.as_mut().filter(|all| all.iops >= NEGLIGIBLE_PER_S && all.mib_per_s <= 0.0)
            {
                // AWR-Miner has one decimal.
                all.mib_per_s = all.iops * block_kib / 1024.0;
                notes.push(format!(
                    "the reports round the bytes of {what} to 0 MiB/s: one block per I/O is assumed"
                ));
            }
        }
        let mut streams = Vec::new();
        let mut push = |name, role, direction, pattern, flow: Flow, origin: String| {
            if flow.iops >= NEGLIGIBLE_PER_S && flow.mib_per_s > 0.0 {
                streams.push(ReplayStream {
                    name,
                    role,
                    direction,
                    iops: flow.iops * scale,
                    mib_per_s: flow.mib_per_s * scale,
                    sizes: sizes_of(flow.mean_kib() * 1024.0),
                    pattern,
                    origin,
                });
            }
        };
        if let Some(all) = all_reads {
            let (temp, rest) =
                all.without(flow(AwrFigure::TempReads, AwrFigure::TempReadMib), NEGLIGIBLE_PER_S);
            let counted = at(AwrFigure::MultiBlockReads);
            let multi = match counted {
                Some(multi) => multi * share_of(rest, &[temp], block_kib),
                // AWR-Miner counts all reads together. One stream of their mean size would be compared with a wait for one block.
                None => multi_by_bytes(rest, block_kib),
            };
            let (small, large) = split(rest, Some(multi), block_kib, NEGLIGIBLE_PER_S);
            let of_large = if counted.is_some() {
                self.origin(level, AwrFigure::MultiBlockReads)
            } else {
                if large.is_there() {
                    notes.push("the reports do not separate single-block reads: iotrial assumes the mix of single blocks and requests of 1 MiB that gives the reported bytes".to_owned());
                }
                format!("from the bytes; {}", self.origin(level, AwrFigure::ReadMib))
            };
            let of_small =
                format!("all reads minus the others below; {}", self.origin(level, AwrFigure::Reads));
            // The counter of requests of several blocks begins where a request is large.
            let is_single = small.mean_kib() < SINGLE_BLOCKS * block_kib;
            let name = if is_single { "single-block-reads" } else { "small-reads" };
            push(name, Role::Data, Direction::Read, Pattern::Random, small, of_small);
            push("multi-block-reads", Role::Scan, Direction::Read, Pattern::Sequential, large, of_large);
            let origin = self.origin(level, AwrFigure::TempReads);
            push("temp-reads", Role::Tempdb, Direction::Read, Pattern::Sequential, temp, origin);
        }
        if let Some(all) = all_writes {
            let files = flow(AwrFigure::LogWrites, AwrFigure::LogWriteMib);
            let redo =
                files.filter(Flow::is_there).or_else(|| flow(AwrFigure::RedoWrites, AwrFigure::RedoMib));
            let redo_figure = if files.is_some_and(|files| files.is_there()) {
                AwrFigure::LogWrites
            } else {
                AwrFigure::RedoWrites
            };
            if redo.is_none_or(|redo| redo.iops < NEGLIGIBLE_PER_S) {
                notes.push(match at(AwrFigure::RedoMib) {
                    Some(mib) if mib > 0.0 => {
                        "the reports do not count redo writes separately: they are among the other writes"
                            .to_owned()
                    }
                    _ => "the reports have almost no redo, so the load has no log".to_owned(),
                });
            }
            let (redo, rest) = all.without(redo, NEGLIGIBLE_PER_S);
            let (temp, rest) =
                rest.without(flow(AwrFigure::TempWrites, AwrFigure::TempWriteMib), NEGLIGIBLE_PER_S);
            let (copies, rest) =
                rest.without(flow(AwrFigure::BackupWrites, AwrFigure::BackupWriteMib), NEGLIGIBLE_PER_S);
            let multi = at(AwrFigure::MultiBlockWrites)
                .map(|multi| multi * share_of(rest, &[redo, temp, copies], block_kib));
            let (small, large) = split(rest, multi, block_kib, NEGLIGIBLE_PER_S);
            let origin = self.origin(level, AwrFigure::Writes);
            // A mix of all sizes, with redo in it, is no stream of the database writer.
            let (name, origin) = match multi {
                Some(_) => ("db-writer", format!("all writes minus the others below; {origin}")),
                None => ("writes", format!("all writes, which the source does not separate; {origin}")),
            };
            push(name, Role::Data, Direction::Write, Pattern::Random, small, origin);
            let origin = self.origin(level, AwrFigure::MultiBlockWrites);
            push("direct-writes", Role::Scan, Direction::Write, Pattern::Sequential, large, origin);
            let origin = self.origin(level, AwrFigure::TempWrites);
            push("temp-writes", Role::Tempdb, Direction::Write, Pattern::Sequential, temp, origin);
            let origin = self.origin(level, AwrFigure::BackupWrites);
            push("archive-and-backup", Role::Backup, Direction::Write, Pattern::Sequential, copies, origin);
            let origin = self.origin(level, redo_figure);
            push("redo", Role::Log, Direction::Write, Pattern::Sequential, redo, origin);
        }
        let (limits, quick_s) = self.limits(&streams, &mut notes);
        let intervals = self.intervals.len();
        let source = match intervals {
            1 if self.covered_s > 7_200.0 => {
                format!("{source}: the average of {:.1} hours", self.covered_s / 3_600.0)
            }
            1 => format!("{source}: the average of {:.0} minutes", self.covered_s / 60.0),
            _ => format!("{source}: {} of {intervals} intervals", level.words()),
        };
        (!streams.is_empty()).then(|| Replay {
            database: self.database.clone(),
            source,
            scale,
            streams,
            limits,
            notes,
            doubts: self.notes.clone(),
            quick_s,
        })
    }

    /// What a figure is called, and where it is.
    fn origin(&self, level: Level, figure: AwrFigure) -> String {
        match self.places.get(&figure).filter(|place| !place.is_empty()) {
            Some(place) => format!("{}: {place}", figure.title()),
            None if self.intervals.len() > 1 => format!("{}: {}", figure.title(), level.words()),
            None => figure.title().to_owned(),
        }
    }

    /// Latencies that there is something to compare with, and how long that takes.
    // Means over all intervals, whatever the level: in an idle interval a handful of waits have any mean, and a percentile of them would
    // be a limit that nobody had to live with.
    fn limits(&self, streams: &[ReplayStream], notes: &mut Vec<String>) -> (Vec<ReplayLimit>, f64) {
        let redo =
            [(AwrFigure::RedoWriteUs, "log file parallel write"), (AwrFigure::CommitUs, "log file sync")];
        let wanted = [
            (Role::Data, Stream::Read, &[(AwrFigure::SingleBlockReadUs, "a single-block read")][..]),
            (Role::Scan, Stream::Read, &[(AwrFigure::MultiBlockReadUs, "a multi-block read into the cache")]),
            (Role::Log, Stream::Commit, &redo[..]),
        ];
        let (mut limits, mut quick_s) = (Vec::new(), QUICK_S.0);
        for (role, stream, figures) in wanted {
            let direction = if stream == Stream::Read { Direction::Read } else { Direction::Write };
            let of_role = streams.iter().filter(|one| one.role == role && one.direction == direction);
            let iops: f64 = of_role.map(|one| one.iops).sum();
            if iops <= 0.0 {
                continue;
            }
            let found = figures.iter().find_map(|(figure, name)| {
                let mean_us = self.statistics(*figure)?.average;
                (mean_us > 0.0).then_some((*figure, *name, mean_us))
            });
            let Some((figure, name, mean_us)) = found else {
                notes.push(format!(
                    "the reports have no wait that shows the latency of {role} {stream}s, so they are not judged",
                    stream = stream.as_str()
                ));
                continue;
            };
            let average = |figure| self.statistics(figure).map(|one| one.average);
            if let Some((waits, reads)) = waits_for(figure)
                .and_then(|(waits, reads)| average(waits).zip(average(reads)))
                .filter(|(waits, reads)| *waits < WAITED_FOR * reads)
            {
                notes.push(format!(
                    "sessions waited for {name} only {} times per second, but there were {} such reads: most were issued in groups, as with direct path, so the mean wait is not the latency of one read, and no limit is set",
                    number_in_words(waits),
                    number_in_words(reads)
                ));
                continue;
            }
            let needed_s = JUDGED_IOS / iops;
            if needed_s > QUICK_S.1 {
                notes.push(format!(
                    "`{}` happens {iops:.2} times per second, which is too rare to judge within ten minutes, so no limit is set",
                    figure.title()
                ));
                continue;
            }
            if mean_us < CACHE_US {
                notes.push(format!(
                    "{name} took {mean_us:.0} µs: it was served from memory (the cache of a file system or of Exadata), and no volume can be as fast; use --thresholds flash for what databases usually need"
                ));
            }
            quick_s = quick_s.max(needed_s);
            let place = match self.places.get(&figure) {
                Some(place) if !place.is_empty() => format!("{}: {place}", figure.title()),
                _ => format!("{}: the mean over {} intervals", figure.title(), self.intervals.len()),
            };
            limits.push(ReplayLimit { role, stream, mean_us, origin: place });
        }
        (limits, quick_s.ceil())
    }
}

/// How often was waited for what a latency is of, and how often it happened.
fn waits_for(figure: AwrFigure) -> Option<(AwrFigure, AwrFigure)> {
    match figure {
        AwrFigure::SingleBlockReadUs => Some((AwrFigure::SingleBlockReadWaits, AwrFigure::SingleBlockReads)),
        AwrFigure::MultiBlockReadUs => Some((AwrFigure::MultiBlockReadWaits, AwrFigure::MultiBlockReads)),
        _ => None,
    }
}

impl ReplayStream {
    /// I/Os that may be outstanding: the rate times the patience, so that a volume that is slower than reported shows its latency
    /// instead of losing the rate; and no more memory than a small host has.
    fn outstanding(&self) -> u32 {
        const MOST_BYTES: f64 = 256.0 * 1024.0 * 1024.0;
        const FEWEST: f64 = 16.0;
        const MOST: f64 = 16_384.0;
        // Small rates may wait longer for each.
        let patience = if self.iops > 10_000.0 { PATIENCE_S.0 } else { PATIENCE_S.1 };
        let largest = self.sizes.iter().map(|(size, _)| *size).max().unwrap_or(512) as f64;
        let wanted = (self.iops * patience).clamp(FEWEST, MOST).min((MOST_BYTES / largest).max(FEWEST));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 16 to 16,384")]
        let wanted = wanted.ceil() as u32;
        wanted
    }
}

#[cfg(test)]
mod tests;
