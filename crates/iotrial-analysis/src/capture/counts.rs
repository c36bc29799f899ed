//! Counters of bounded size: streams, regions, arrivals, outstanding I/Os.

use std::collections::HashMap;

use iotrial_model::block_trace::BlockEvent;

use super::{ArrivalsAnswer, HotSpotsAnswer, OutstandingAnswer};

/// So many streams are followed at once; the one that was quiet for longest makes room.
const MOST_STREAMS: usize = 128;
/// A stream is one from its third I/O on: in a small area, random I/Os follow another by chance.
const LEAST_FOLLOWED: u64 = 2;
/// So many regions are told apart, which is 512 GiB; I/Os elsewhere are left out.
const MOST_REGIONS: usize = 1 << 19;
/// Sectors of 512 bytes in a region of 1 MiB.
const REGION: u64 = 2_048;
/// More outstanding I/Os count as so many.
const MOST_COUNTED: usize = 4_096;

/// Where I/Os of each stream ended.
#[derive(Default)]
pub(super) struct Streams {
    known: Vec<Stream>,
    now: u64,
}

struct Stream {
    device: u32,
    is_read: bool,
    begin: u64,
    end: u64,
    used: u64,
    /// How many of its I/Os followed another.
    followed: u64,
}

impl Streams {
    /// Whether an I/O belongs to a sequence. A log writes its last block again until it is full, which is a sequence too.
    pub(super) fn follows(&mut self, event: BlockEvent, is_read: bool) -> bool {
        self.now += 1;
        let (begin, end) = (event.sector, event.sector.saturating_add(event.bytes / 512));
        let is_next = |one: &&mut Stream| {
            let is_place = if is_read { begin == one.end } else { one.begin <= begin && begin <= one.end };
            one.device == event.device && one.is_read == is_read && is_place
        };
        if let Some(stream) = self.known.iter_mut().find(is_next) {
            (stream.begin, stream.end, stream.used) = (begin, end, self.now);
            stream.followed += 1;
            return stream.followed >= LEAST_FOLLOWED;
        }
        let stream = Stream { device: event.device, is_read, begin, end, used: self.now, followed: 0 };
        if self.known.len() < MOST_STREAMS {
            self.known.push(stream);
        } else if let Some(oldest) = self.known.iter_mut().min_by_key(|one| one.used) {
            *oldest = stream;
        }
        false
    }
}

/// How often each region is used.
#[derive(Default)]
pub(super) struct Regions {
    counts: HashMap<(u32, u64), u64>,
}

impl Regions {
    pub(super) fn add(&mut self, device: u32, sector: u64) {
        let region = (device, sector / REGION);
        if self.counts.len() < MOST_REGIONS || self.counts.contains_key(&region) {
            *self.counts.entry(region).or_default() += 1;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn answer(&self) -> Option<HotSpotsAnswer> {
        let mut counts: Vec<u64> = self.counts.values().copied().collect();
        counts.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
        let all = counts.iter().sum::<u64>();
        let busiest = |percent: usize| {
            let regions = (counts.len() * percent).div_ceil(100);
            100.0 * counts.iter().take(regions).sum::<u64>() as f64 / all as f64
        };
        (all > 0).then(|| HotSpotsAnswer {
            region_count: counts.len(),
            busiest_1_percent: busiest(1),
            busiest_10_percent: busiest(10),
            busiest_20_percent: busiest(20),
            ios_per_region: all as f64 / counts.len() as f64,
        })
    }
}

/// I/Os in each 10 ms, and in each second.
#[derive(Default)]
pub(super) struct Arrivals {
    short: Bins,
    long: Bins,
}

/// Counts in intervals of one length, of which only the current one is kept.
#[derive(Default)]
struct Bins {
    at: u64,
    current: u64,
    sum: f64,
    squares: f64,
    largest: u64,
}

impl Bins {
    fn add(&mut self, at: u64) {
        if at > self.at {
            self.close();
            self.at = at;
        }
        self.current += 1;
    }

    fn close(&mut self) {
        let count = std::mem::take(&mut self.current);
        self.sum += count as f64;
        self.squares += (count * count) as f64;
        self.largest = self.largest.max(count);
    }
}

impl Arrivals {
    /// `since_ns` is from the beginning of the trace.
    pub(super) fn add(&mut self, since_ns: u64) {
        self.short.add(since_ns / 10_000_000);
        self.long.add(since_ns / 1_000_000_000);
    }

    /// Without the last interval, which is not whole.
    pub(super) fn answer(&self) -> ArrivalsAnswer {
        let (short, long) = (&self.short, &self.long);
        let mean = short.sum / short.at as f64;
        let is_known = long.at >= 1 && short.sum > 0.0;
        let variance = (short.squares / short.at as f64 - mean * mean).max(0.0);
        ArrivalsAnswer {
            variation_per_10_ms: is_known.then(|| variance.sqrt() / mean),
            variation_by_chance: is_known.then(|| 1.0 / mean.sqrt()),
            peak_second_ratio: is_known.then(|| long.largest as f64 * long.at as f64 / long.sum),
        }
    }
}

/// How many I/Os were outstanding, how often.
#[derive(Debug, Clone, Default)]
pub(super) struct Outstanding {
    counts: Vec<u64>,
}

impl Outstanding {
    pub(super) fn found(&mut self, outstanding: usize) {
        let at = outstanding.min(MOST_COUNTED);
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
    }

    pub(super) fn take(&mut self, other: &mut Self) {
        for (at, count) in std::mem::take(&mut other.counts).into_iter().enumerate() {
            if self.counts.len() <= at {
                self.counts.resize(at + 1, 0);
            }
            self.counts[at] += count;
        }
    }

    pub(super) fn answer(&self) -> Option<OutstandingAnswer> {
        let all = self.counts.iter().sum::<u64>();
        let sum = self.counts.iter().enumerate().map(|(at, count)| at as f64 * *count as f64).sum::<f64>();
        let percentile = |percent: u64| {
            let mut left = (all * percent).div_ceil(100);
            let at = self.counts.iter().position(|count| {
                left = left.saturating_sub(*count);
                left == 0
            });
            at.and_then(|at| u32::try_from(at).ok()).unwrap_or(0)
        };
        (all > 0).then(|| OutstandingAnswer {
            mean: sum / all as f64,
            p50: percentile(50),
            p99: percentile(99),
        })
    }
}
