//! What a block trace says of a load: sizes, direction, sequence, arrivals, hot spots, syncs, outstanding I/Os and latencies; and the profile
//! that makes such a load again.
//!
//! Events are counted as they come. Memory is bounded, however long the trace is: what does not fit a limit is counted without its detail.

mod counts;
mod profile;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use iotrial_model::block_trace::{
    BlockEvent, BlockEventKind, BlockOp, CaptureRemark, CapturedJob, IoClass, TraceFacts,
};
use iotrial_model::histogram::{LatencyHistogram, LatencyRecorder};
use serde::Serialize;

use counts::{Arrivals, Outstanding, Regions, Streams};
pub use profile::{Compared, ComparedFigure, compared};

/// Events are put into the order of time among so many: those of several CPUs come a little out of order.
const REORDERED: usize = 1 << 14;
/// So many I/Os may wait for their completion.
const MOST_OUTSTANDING: usize = 1 << 16;
/// So many different sizes are told apart in each class; the others count as the next power of two.
const MOST_SIZES: usize = 256;
/// The place of what is neither read nor write.
const OTHERS: usize = IoClass::ALL.len();
/// Sequential writes up to this may be those of a log.
const SMALL: u64 = 128 << 10;
/// Fewer I/Os do not describe a load.
const FEW_IOS: u64 = 1_000;

/// A trace as it is counted.
#[derive(Default)]
pub struct Capture {
    waiting: BinaryHeap<Reverse<InTime>>,
    sequence: u64,
    begin_ns: Option<u64>,
    end_ns: u64,
    event_count: u64,
    classes: [ClassCount; IoClass::ALL.len()],
    /// Latencies of reads, of writes and of flushes.
    latencies: [LatencyRecorder; 3],
    completion_count: u64,
    flush_count: u64,
    durable_count: u64,
    streams: Streams,
    /// Where random I/Os go.
    regions: Regions,
    arrivals: Arrivals,
    under_way: HashMap<(u32, u64, BlockOp), (u64, Option<IoClass>)>,
    /// How many of each class are outstanding now; in the last place flushes and the like.
    now: [usize; OTHERS + 1],
    outstanding: Outstanding,
}

/// An event in the order of time; of the same time in the order in which they came.
struct InTime(BlockEvent, u64);

impl InTime {
    const fn key(&self) -> (u64, u64) {
        (self.0.at_ns, self.1)
    }
}

impl PartialEq for InTime {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for InTime {}

impl PartialOrd for InTime {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for InTime {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// I/Os that are alike.
#[derive(Debug, Clone, Default)]
struct ClassCount {
    count: u64,
    bytes: u64,
    sizes: BTreeMap<u64, u64>,
    /// Outstanding I/Os of the class, as each of them found it.
    outstanding: Outstanding,
}

impl ClassCount {
    fn add(&mut self, bytes: u64, outstanding: usize) {
        let is_known = self.sizes.contains_key(&bytes) || self.sizes.len() < MOST_SIZES;
        let size = if is_known { bytes } else { bytes.next_power_of_two() };
        *self.sizes.entry(size).or_default() += 1;
        self.count += 1;
        self.bytes += bytes;
        self.outstanding.found(outstanding);
    }

    fn take(&mut self, other: &mut Self) {
        for (size, count) in std::mem::take(&mut other.sizes) {
            *self.sizes.entry(size).or_default() += count;
        }
        self.count += std::mem::take(&mut other.count);
        self.bytes += std::mem::take(&mut other.bytes);
        self.outstanding.take(&mut other.outstanding);
    }
}

impl Capture {
    /// Takes an event.
    pub fn add(&mut self, event: BlockEvent) {
        self.event_count += 1;
        self.sequence += 1;
        self.waiting.push(Reverse(InTime(event, self.sequence)));
        if self.waiting.len() > REORDERED
            && let Some(Reverse(InTime(first, _))) = self.waiting.pop()
        {
            self.count(first);
        }
    }

    fn count(&mut self, event: BlockEvent) {
        // Traces that were put together need not begin with the earliest.
        self.begin_ns = Some(self.begin_ns.map_or(event.at_ns, |begin| begin.min(event.at_ns)));
        self.end_ns = self.end_ns.max(event.at_ns);
        match event.kind {
            BlockEventKind::Issue => self.issued(event),
            BlockEventKind::Complete => self.completed(event),
        }
    }

    fn issued(&mut self, event: BlockEvent) {
        let class = self.class_of(event);
        self.flush_count += u64::from(event.op == BlockOp::Flush);
        if let Some(class) = class {
            self.durable_count += u64::from(event.is_durable);
            self.arrivals.add(event.at_ns - self.begin_ns.unwrap_or(event.at_ns));
            if !class.is_sequential() {
                self.regions.add(event.device, event.sector);
            }
        }
        // Those whose completions were lost stay, up to a limit, until their place is used again.
        if self.under_way.len() < MOST_OUTSTANDING {
            let earlier = self.under_way.insert(key(event), (event.at_ns, class));
            if let Some((_, class)) = earlier {
                self.end_of(class);
            }
            self.now[class.map_or(OTHERS, |class| class as usize)] += 1;
        }
        if let Some(class) = class {
            let alike = self.now[class as usize].max(1);
            self.outstanding.found(self.now[..OTHERS].iter().sum::<usize>().max(1));
            self.classes[class as usize].add(event.bytes, alike);
        }
    }

    fn end_of(&mut self, class: Option<IoClass>) {
        let now = &mut self.now[class.map_or(OTHERS, |class| class as usize)];
        *now = now.saturating_sub(1);
    }

    fn class_of(&mut self, event: BlockEvent) -> Option<IoClass> {
        let is_read = match event.op {
            BlockOp::Read => true,
            BlockOp::Write => false,
            BlockOp::Flush | BlockOp::Other => return None,
        };
        Some(match (self.streams.follows(event, is_read), is_read) {
            (false, true) => IoClass::RandomReads,
            (true, true) => IoClass::SequentialReads,
            (false, false) => IoClass::RandomWrites,
            (true, false) if event.bytes <= SMALL => IoClass::SmallSequentialWrites,
            (true, false) => IoClass::LargeSequentialWrites,
        })
    }

    fn completed(&mut self, event: BlockEvent) {
        // One that was issued before the trace began has no beginning.
        let Some((issued_ns, class)) = self.under_way.remove(&key(event)) else { return };
        self.end_of(class);
        let of = match event.op {
            BlockOp::Read => 0,
            BlockOp::Write => 1,
            BlockOp::Flush => 2,
            BlockOp::Other => return,
        };
        self.completion_count += 1;
        self.latencies[of].record_ns(event.at_ns.saturating_sub(issued_ns));
    }

    /// What was counted.
    pub fn answer(mut self, facts: TraceFacts) -> CaptureAnswer {
        while let Some(Reverse(InTime(event, _))) = self.waiting.pop() {
            self.count(event);
        }
        let spanned_s = (self.end_ns - self.begin_ns.unwrap_or(self.end_ns)) as f64 / 1e9;
        let seconds = facts.traced_s.unwrap_or(spanned_s).max(1e-3);
        let io_count = self.classes.iter().map(|class| class.count).sum::<u64>();
        let sequential = self.share(io_count, IoClass::is_sequential);
        let syncs = self.flush_count + self.durable_count;
        let write_count = io_count - self.count_of(IoClass::is_read);
        CaptureAnswer {
            duration_s: seconds,
            event_count: self.event_count,
            io_count,
            iops: io_count as f64 / seconds,
            read_percent: self.share(io_count, IoClass::is_read),
            sequential_percent: sequential,
            read: self.direction(true, seconds),
            write: self.direction(false, seconds),
            syncs: SyncsAnswer {
                per_s: syncs as f64 / seconds,
                flush_count: self.flush_count,
                durable_write_count: self.durable_count,
                writes_per_sync: (syncs > 0).then(|| write_count as f64 / syncs as f64),
                flush_p50_us: percentile_us(&self.latencies[2], 50.0),
                flush_p99_us: percentile_us(&self.latencies[2], 99.0),
            },
            arrivals: self.arrivals.answer(),
            hot_spots: self.regions.answer(),
            outstanding: self.outstanding.answer().filter(|_| self.has_completions()),
            remarks: self.remarks(&facts, io_count, write_count),
            jobs: profile::jobs(&self, seconds),
            facts,
        }
    }

    fn count_of(&self, is_it: fn(IoClass) -> bool) -> u64 {
        let classes = IoClass::ALL.iter().zip(&self.classes);
        classes.filter(|(class, _)| is_it(**class)).map(|(_, counted)| counted.count).sum()
    }

    fn share(&self, of: u64, is_it: fn(IoClass) -> bool) -> f64 {
        100.0 * self.count_of(is_it) as f64 / of.max(1) as f64
    }

    fn direction(&self, is_read: bool, seconds: f64) -> Option<DirectionAnswer> {
        let mut whole = ClassCount::default();
        let mut sequential = 0;
        for (class, counted) in IoClass::ALL.iter().zip(&self.classes) {
            if class.is_read() == is_read {
                sequential += if class.is_sequential() { counted.count } else { 0 };
                whole.take(&mut counted.clone());
            }
        }
        let latencies = &self.latencies[usize::from(!is_read)];
        (whole.count > 0).then(|| DirectionAnswer {
            count: whole.count,
            iops: whole.count as f64 / seconds,
            bytes_per_s: whole.bytes as f64 / seconds,
            mean_bytes: whole.bytes as f64 / whole.count as f64,
            sequential_percent: 100.0 * sequential as f64 / whole.count as f64,
            sizes: profile::most_frequent(&whole),
            p50_us: percentile_us(latencies, 50.0),
            p99_us: percentile_us(latencies, 99.0),
        })
    }

    fn has_completions(&self) -> bool {
        self.completion_count > 0
    }

    fn remarks(&self, facts: &TraceFacts, io_count: u64, write_count: u64) -> Vec<CaptureRemark> {
        let holds = [
            (CaptureRemark::LostEvents, facts.lost_count > 0),
            (CaptureRemark::FewIos, io_count < FEW_IOS),
            (CaptureRemark::NoSyncs, write_count > 0 && self.flush_count + self.durable_count == 0),
            (CaptureRemark::NoCompletions, io_count > 0 && !self.has_completions()),
        ];
        holds.into_iter().filter(|(_, holds)| *holds).map(|(remark, _)| remark).collect()
    }
}

/// What an I/O is known by until it is done. The kernel has no place for a flush.
const fn key(event: BlockEvent) -> (u32, u64, BlockOp) {
    let sector = if matches!(event.op, BlockOp::Flush) { 0 } else { event.sector };
    (event.device, sector, event.op)
}

fn percentile_us(latencies: &LatencyRecorder, percent: f64) -> Option<f64> {
    LatencyHistogram::from(latencies).percentile(percent).map(|latency| latency.as_secs_f64() * 1e6)
}

/// What a trace says of the load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaptureAnswer {
    /// The circumstances.
    pub facts: TraceFacts,
    /// How long, in seconds.
    pub duration_s: f64,
    /// Events that counted.
    pub event_count: u64,
    /// Reads and writes that were issued.
    pub io_count: u64,
    /// Of these per second.
    pub iops: f64,
    /// Share of reads.
    pub read_percent: f64,
    /// Share of those that follow another of their stream.
    pub sequential_percent: f64,
    /// Reads; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<DirectionAnswer>,
    /// Writes; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<DirectionAnswer>,
    /// Flushes and durable writes.
    pub syncs: SyncsAnswer,
    /// How I/Os follow one another in time.
    pub arrivals: ArrivalsAnswer,
    /// Where random I/Os go; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hot_spots: Option<HotSpotsAnswer>,
    /// Outstanding I/Os as each found it, itself included; absent without completions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outstanding: Option<OutstandingAnswer>,
    /// What the figures cannot be relied upon for.
    pub remarks: Vec<CaptureRemark>,
    /// The jobs that make such a load.
    #[serde(skip)]
    pub jobs: Vec<CapturedJob>,
}

/// All I/Os of a direction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DirectionAnswer {
    /// How many.
    pub count: u64,
    /// The same per second.
    pub iops: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Bytes of an I/O on average.
    pub mean_bytes: f64,
    /// Share of those that follow another of their stream.
    pub sequential_percent: f64,
    /// The most frequent sizes.
    pub sizes: Vec<SizeShare>,
    /// Latency from issue to completion that half of them kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_us: Option<f64>,
    /// The same of 99 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99_us: Option<f64>,
}

/// How frequent a size is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SizeShare {
    /// The size.
    pub bytes: u64,
    /// Share of the I/Os.
    pub percent: f64,
}

/// What makes writes durable.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SyncsAnswer {
    /// Flushes and durable writes per second.
    pub per_s: f64,
    /// Flushes of the cache of the device.
    pub flush_count: u64,
    /// Writes that were durable themselves.
    pub durable_write_count: u64,
    /// Writes for each of both; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes_per_sync: Option<f64>,
    /// What half of the flushes took at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush_p50_us: Option<f64>,
    /// The same of 99 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush_p99_us: Option<f64>,
}

/// How I/Os follow one another in time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ArrivalsAnswer {
    /// Standard deviation of the I/Os in 10 ms by their mean; `None` for less than a second.
    pub variation_per_10_ms: Option<f64>,
    /// The same where each I/O came by chance at the same mean rate.
    pub variation_by_chance: Option<f64>,
    /// I/Os of the busiest second by those of a mean one.
    pub peak_second_ratio: Option<f64>,
}

/// How unevenly the regions of 1 MiB are used that random I/Os touch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HotSpotsAnswer {
    /// Regions that were touched.
    pub region_count: usize,
    /// Share of the I/Os in the busiest 1 % of them.
    pub busiest_1_percent: f64,
    /// In the busiest 10 %.
    pub busiest_10_percent: f64,
    /// In the busiest 20 %.
    pub busiest_20_percent: f64,
    /// I/Os of a region on average: with few of them, regions differ by chance.
    pub ios_per_region: f64,
}

/// I/Os that were outstanding.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OutstandingAnswer {
    /// On average.
    pub mean: f64,
    /// For half of the I/Os at most so many.
    pub p50: u32,
    /// For 99 % of them.
    pub p99: u32,
}

#[cfg(test)]
mod tests;
