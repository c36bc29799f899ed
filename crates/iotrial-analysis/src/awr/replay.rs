//! The I/O that reports tell of, as a load that can be made again: streams by role at the reported rates, and the reported latencies
//! that the same database would notice.
//!
//! All I/O of the report is in exactly one stream, so that the sums are those of the report: what is not known to be redo, temporary
//! or a copy is data.

use iotrial_model::awr::{
    AwrFigure, Derivation, FigureOrigin, FigurePlace, Level, RatesOf, ReplayNote, ReportedRates, SeriesNote,
};
use iotrial_model::load::{Direction, Pattern, Role};
use iotrial_model::stream::Stream;
use iotrial_model::units::ByteSize;
use serde::Serialize;

use super::flow::{Flow, multi_by_bytes, share_of, sizes_of, split};
use super::said;
use super::series::DatabaseSeries;

/// A rate below this is no stream of its own: in ten minutes it is a handful of I/Os.
const NEGLIGIBLE_PER_S: f64 = 0.05;
/// A mean of waits needs so many of them (`docs/thresholds.md`), with room for the chance of Poisson arrivals.
const JUDGED_IOS: f64 = 150.0;
/// What Oracle takes for a block where nothing is set.
const USUAL_BLOCK_KIB: f64 = 8.0;
/// How long a full run measures, at least.
const FULL_S: f64 = 600.0;
/// Files of the quick form, all together.
pub const QUICK_SIZE: ByteSize = ByteSize::gib(8);
/// Copies of a sequential job: each reads or writes a part of its own, as several sessions do.
const COPIES: u32 = 4;
/// Outstanding I/Os of one copy, beyond which there are more copies.
const DEEPEST: u32 = 1_024;
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
    #[serde(serialize_with = "said::rates_of")]
    pub source: RatesOf,
    /// By how much the rates are more than those of the reports; 1 for the same.
    pub scale: f64,
    /// What runs at once.
    pub streams: Vec<ReplayStream>,
    /// The latencies that the database had.
    pub limits: Vec<ReplayLimit>,
    /// What is to be known of it.
    #[serde(serialize_with = "said::replay_notes")]
    pub notes: Vec<ReplayNote>,
    /// The same of the reports themselves.
    #[serde(skip)]
    pub doubts: Vec<SeriesNote>,
    /// How long the quick form has to measure, so that each latency is judged by enough I/Os.
    #[serde(skip)]
    pub quick_s: f64,
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
    pub pattern: Pattern,
    /// Where rate and size are from.
    #[serde(serialize_with = "said::figure_origin")]
    pub origin: FigureOrigin,
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
    #[serde(serialize_with = "said::figure_origin")]
    pub origin: FigureOrigin,
}

impl DatabaseSeries {
    /// The load of the database at a level. `None` where there are no rates with a size. `reports` is what the user calls them.
    pub fn replay(&self, level: Level, scale: f64, reports: &str) -> Option<Replay> {
        let level = self.known_level(level);
        // One size for all intervals: a mean of two would be the block of neither.
        let block = self.statistics(AwrFigure::BlockKib).filter(|one| one.average == one.peak);
        let block_kib = block.map_or(USUAL_BLOCK_KIB, |one| one.average);
        let (streams, mut notes) = (Vec::new(), Vec::new());
        if block.is_none() {
            notes.push(ReplayNote::BlockAssumed { kib: block_kib });
        }
        let mut load = Builder { series: self, level, scale, block_kib, streams, notes };
        let reads = load.all(AwrFigure::Reads, AwrFigure::ReadMib, Direction::Read);
        let writes = load.all(AwrFigure::Writes, AwrFigure::WriteMib, Direction::Write);
        if let Some(all) = reads {
            load.reads(all);
        }
        if let Some(all) = writes {
            load.writes(all);
        }
        let Builder { streams, mut notes, .. } = load;
        let (limits, quick_s) = self.limits(&streams, &mut notes);
        let interval_count = self.intervals.len();
        let rates = ReportedRates::Replayed { level, interval_count, covered_s: self.covered_s };
        (!streams.is_empty()).then(|| Replay {
            database: self.database.clone(),
            source: RatesOf { reports: reports.to_owned(), rates },
            scale,
            streams,
            limits,
            notes,
            doubts: self.notes.clone(),
            quick_s,
        })
    }

    /// Latencies that there is something to compare with, and how long that takes.
    // Means over all intervals, whatever the level: in an idle interval a handful of waits have any mean, and a percentile of them would
    // be a limit that nobody had to live with.
    fn limits(&self, streams: &[ReplayStream], notes: &mut Vec<ReplayNote>) -> (Vec<ReplayLimit>, f64) {
        let wanted: [(Role, Stream, &[AwrFigure]); 3] = [
            (Role::Data, Stream::Read, &[AwrFigure::SingleBlockReadUs]),
            (Role::Scan, Stream::Read, &[AwrFigure::MultiBlockReadUs]),
            (Role::Log, Stream::Commit, &[AwrFigure::RedoWriteUs, AwrFigure::CommitUs]),
        ];
        let (mut limits, mut quick_s) = (Vec::new(), QUICK_S.0);
        for (role, stream, figures) in wanted {
            let direction = if stream == Stream::Read { Direction::Read } else { Direction::Write };
            let of_role = streams.iter().filter(|one| one.role == role && one.direction == direction);
            let iops: f64 = of_role.map(|one| one.iops).sum();
            if iops <= 0.0 {
                continue;
            }
            match self.limit(figures, iops) {
                Ok((figure, mean_us)) => {
                    if mean_us < CACHE_US {
                        notes.push(ReplayNote::FromMemory { figure, mean_us });
                    }
                    quick_s = quick_s.max(JUDGED_IOS / iops);
                    let place = self.printed(figure).unwrap_or(FigurePlace::MeanOver(self.intervals.len()));
                    let origin = FigureOrigin { figure, derivation: Derivation::Same, place };
                    limits.push(ReplayLimit { role, stream, mean_us, origin });
                }
                Err(why_not) => notes.push(why_not.unwrap_or(ReplayNote::NoWait { role, stream })),
            }
        }
        (limits, quick_s.ceil())
    }

    /// The first of these waits that has a mean, unless it is no latency of single I/Os, or the load has too few of them. `Err(None)`
    /// where there is no such wait.
    fn limit(&self, figures: &[AwrFigure], iops: f64) -> Result<(AwrFigure, f64), Option<ReplayNote>> {
        let average = |figure| self.statistics(figure).map(|one| one.average);
        let found =
            figures.iter().find_map(|figure| Some((*figure, average(*figure)?)).filter(|one| one.1 > 0.0));
        let (figure, mean_us) = found.ok_or(None)?;
        if let Some((waits_per_s, reads_per_s)) = waits_for(figure)
            .and_then(|(waits, reads)| average(waits).zip(average(reads)))
            .filter(|(waits, reads)| *waits < WAITED_FOR * reads)
        {
            return Err(Some(ReplayNote::FewWaits { figure, waits_per_s, reads_per_s }));
        }
        if JUDGED_IOS / iops > QUICK_S.1 {
            return Err(Some(ReplayNote::Rare { figure, iops }));
        }
        Ok((figure, mean_us))
    }

    /// Where a figure is printed; `None` where it follows from several reports.
    fn printed(&self, figure: AwrFigure) -> Option<FigurePlace> {
        self.places.get(&figure).filter(|place| !place.is_empty()).cloned().map(FigurePlace::Printed)
    }
}

/// A load that is being put together.
struct Builder<'s> {
    series: &'s DatabaseSeries,
    level: Level,
    scale: f64,
    block_kib: f64,
    streams: Vec<ReplayStream>,
    notes: Vec<ReplayNote>,
}

impl Builder<'_> {
    fn at(&self, figure: AwrFigure) -> Option<f64> {
        self.series.statistics(figure).map(|one| one.at(self.level))
    }

    fn flow(&self, requests: AwrFigure, mib: AwrFigure) -> Option<Flow> {
        Some(Flow { iops: self.at(requests)?, mib_per_s: self.at(mib)? })
    }

    /// All I/O of a direction.
    fn all(&mut self, requests: AwrFigure, mib: AwrFigure, direction: Direction) -> Option<Flow> {
        let mut all = self.flow(requests, mib)?;
        if all.iops >= NEGLIGIBLE_PER_S && all.mib_per_s <= 0.0 {
            // AWR-Miner has one decimal.
            all.mib_per_s = all.iops * self.block_kib / 1024.0;
            self.notes.push(ReplayNote::BytesRounded(direction));
        }
        Some(all)
    }

    /// What a figure is called, and where it is.
    fn origin(&self, figure: AwrFigure, derivation: Derivation) -> FigureOrigin {
        let place = self.series.printed(figure).unwrap_or(if self.series.intervals.len() > 1 {
            FigurePlace::AtLevel(self.level)
        } else {
            FigurePlace::NotStated
        });
        FigureOrigin { figure, derivation, place }
    }

    fn push(&mut self, stream: (&'static str, Role, Direction, Pattern), flow: Flow, origin: FigureOrigin) {
        let (name, role, direction, pattern) = stream;
        if flow.iops >= NEGLIGIBLE_PER_S && flow.mib_per_s > 0.0 {
            self.streams.push(ReplayStream {
                name,
                role,
                direction,
                iops: flow.iops * self.scale,
                mib_per_s: flow.mib_per_s * self.scale,
                sizes: sizes_of(flow.mean_kib() * 1024.0),
                pattern,
                origin,
            });
        }
    }

    /// A stream whose rate is a figure.
    fn push_counted(
        &mut self,
        name: &'static str,
        role: Role,
        direction: Direction,
        flow: Flow,
        figure: AwrFigure,
    ) {
        let origin = self.origin(figure, Derivation::Same);
        self.push((name, role, direction, Pattern::Sequential), flow, origin);
    }

    fn reads(&mut self, all: Flow) {
        let block_kib = self.block_kib;
        let temp = self.flow(AwrFigure::TempReads, AwrFigure::TempReadMib);
        let (temp, rest) = all.without(temp, NEGLIGIBLE_PER_S);
        let counted = self.at(AwrFigure::MultiBlockReads);
        let multi = match counted {
            Some(multi) => multi * share_of(rest, &[temp], block_kib),
            // AWR-Miner counts all reads together. One stream of their mean size would be compared with a wait for one block.
            None => multi_by_bytes(rest, block_kib),
        };
        let (small, large) = split(rest, Some(multi), block_kib, NEGLIGIBLE_PER_S);
        if counted.is_none() && large.is_there() {
            self.notes.push(ReplayNote::ReadsNotSeparate);
        }
        // The counter of requests of several blocks begins where a request is large.
        let is_single = small.mean_kib() < SINGLE_BLOCKS * block_kib;
        let name = if is_single { "single-block-reads" } else { "small-reads" };
        let origin = self.origin(AwrFigure::Reads, Derivation::Rest);
        self.push((name, Role::Data, Direction::Read, Pattern::Random), small, origin);
        let origin = match counted {
            Some(_) => self.origin(AwrFigure::MultiBlockReads, Derivation::Same),
            None => self.origin(AwrFigure::ReadMib, Derivation::ByBytes),
        };
        self.push(("multi-block-reads", Role::Scan, Direction::Read, Pattern::Sequential), large, origin);
        self.push_counted("temp-reads", Role::Tempdb, Direction::Read, temp, AwrFigure::TempReads);
    }

    fn writes(&mut self, all: Flow) {
        let block_kib = self.block_kib;
        let (redo, redo_figure) = self.redo();
        let (redo, rest) = all.without(redo, NEGLIGIBLE_PER_S);
        let temp = self.flow(AwrFigure::TempWrites, AwrFigure::TempWriteMib);
        let (temp, rest) = rest.without(temp, NEGLIGIBLE_PER_S);
        let copies = self.flow(AwrFigure::BackupWrites, AwrFigure::BackupWriteMib);
        let (copies, rest) = rest.without(copies, NEGLIGIBLE_PER_S);
        let multi = self
            .at(AwrFigure::MultiBlockWrites)
            .map(|multi| multi * share_of(rest, &[redo, temp, copies], block_kib));
        let (small, large) = split(rest, multi, block_kib, NEGLIGIBLE_PER_S);
        // A mix of all sizes, with redo in it, is no stream of the database writer.
        let (name, derivation) = match multi {
            Some(_) => ("db-writer", Derivation::Rest),
            None => ("writes", Derivation::All),
        };
        let origin = self.origin(AwrFigure::Writes, derivation);
        self.push((name, Role::Data, Direction::Write, Pattern::Random), small, origin);
        for (name, role, flow, figure) in [
            ("direct-writes", Role::Scan, large, AwrFigure::MultiBlockWrites),
            ("temp-writes", Role::Tempdb, temp, AwrFigure::TempWrites),
            ("archive-and-backup", Role::Backup, copies, AwrFigure::BackupWrites),
            ("redo", Role::Log, redo, redo_figure),
        ] {
            self.push_counted(name, role, Direction::Write, flow, figure);
        }
    }

    /// Writes of redo, and whose count they are.
    fn redo(&mut self) -> (Option<Flow>, AwrFigure) {
        let files = self.flow(AwrFigure::LogWrites, AwrFigure::LogWriteMib).filter(Flow::is_there);
        let (redo, figure) = match files {
            Some(files) => (Some(files), AwrFigure::LogWrites),
            None => (self.flow(AwrFigure::RedoWrites, AwrFigure::RedoMib), AwrFigure::RedoWrites),
        };
        if redo.is_none_or(|redo| redo.iops < NEGLIGIBLE_PER_S) {
            let has_redo = self.at(AwrFigure::RedoMib).is_some_and(|mib| mib > 0.0);
            self.notes.push(if has_redo { ReplayNote::RedoNotSeparate } else { ReplayNote::NoRedo });
        }
        (redo, figure)
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
    pub fn outstanding(&self) -> u32 {
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

    /// Copies of its job.
    pub fn copies(&self) -> u32 {
        // A log is one place that is written to.
        let is_spread = self.pattern == Pattern::Sequential && self.role != Role::Log;
        let copies = if is_spread { COPIES } else { 1 };
        copies.max(self.outstanding().div_ceil(DEEPEST))
    }

    /// How large the file of its job is in a full run.
    // A choice, beyond the caches of most storage: reports do not say how much is stored.
    pub const fn file_size(&self) -> ByteSize {
        match self.role {
            Role::Data | Role::Scan => ByteSize::gib(32),
            Role::Tempdb | Role::Backup => ByteSize::gib(16),
            Role::Log => ByteSize::gib(4),
        }
    }
}

impl Replay {
    /// How long the full form measures.
    pub fn full_s(&self) -> f64 {
        FULL_S.max(self.quick_s)
    }
}

#[cfg(test)]
pub(super) mod tests;
