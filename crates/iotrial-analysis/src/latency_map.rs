//! How the latencies of a stream spread, and how that changes over time: what a heat map shows.

use std::time::Duration;

use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::load::Role;
use iotrial_model::plan::Plan;
use iotrial_model::record::Interval;
use iotrial_model::stream::Stream;
use iotrial_model::subject::Subject;

/// Shares of I/Os by stretch of time and band of latency, all phases.
///
/// All maps of a record have the same stretches and the same bands, so that they can be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyMap {
    /// The role whose I/Os are shown.
    pub role: Role,
    /// The stream of that role.
    pub stream: Stream,
    /// The length of each stretch of time; the first one starts with the load.
    pub stretch_s: f64,
    /// The end of the last stretch.
    pub end_s: f64,
    /// The lower edge of the first band and the upper edge of the last one. All bands have the same factor
    /// between their edges, and a latency on an edge belongs to the band below it.
    pub bands_us: (f64, f64),
    /// For each stretch, for each band from the shortest latency on, its share of the I/Os that completed in
    /// the stretch. A stretch in which none completed has no shares.
    pub shares_percent: Vec<Vec<f64>>,
}

/// More stretches than this cannot be distinguished at the width of a page.
const MOST_STRETCHES: u32 = 200;
/// More bands than this cannot be distinguished at the height of a chart.
const MOST_BANDS: i32 = 40;
/// Bands from one power of ten to the next, the finest first: as many as [`MOST_BANDS`] leaves room for.
const BANDS_PER_DECADE: [i32; 7] = [20, 15, 10, 8, 5, 4, 3];
/// Shortest latency that the bands distinguish, in µs: histograms begin at 100 ns.
const SHORTEST_US: f64 = 0.1;

impl LatencyMap {
    /// A map of every stream of every role, in the order of tables; none where no I/O completed, and where a source states
    /// means instead of histograms.
    pub fn all(subject: &Subject<'_>) -> Vec<Self> {
        let (Some(plan), intervals) = (subject.plan, subject.whole_course.counted()) else {
            return Vec::new();
        };
        let (Some(bands), Some(stretches)) =
            (Bands::of(intervals), Stretches::of(intervals, plan.interval, MOST_STRETCHES))
        else {
            return Vec::new();
        };
        // From the plan, not from what completed: a stream that stood still has an empty map, which is a
        // result.
        let of_role = |role: Role| {
            let streams = Stream::planned(plan, |job| plan.jobs[job].role == role);
            streams.into_iter().map(move |stream| Self::new(plan, intervals, role, stream, bands, stretches))
        };
        plan.roles().into_iter().flat_map(of_role).collect()
    }

    fn new(
        plan: &Plan,
        intervals: &[Interval],
        role: Role,
        stream: Stream,
        bands: Bands,
        stretches: Stretches,
    ) -> Self {
        let mut counts = vec![vec![0u64; bands.count()]; stretches.count];
        for interval in intervals {
            let column = &mut counts[stretches.index(interval)];
            let select = |job: usize| plan.jobs[job].role == role;
            for (upper_edge, count) in stream.counts(plan, &interval.jobs, select).total_latency.buckets() {
                // The upper edge stands for the bucket, as everywhere else. Bands are much wider than
                // buckets.
                column[bands.index(upper_edge.as_secs_f64() * 1e6)] += count;
            }
        }
        Self {
            role,
            stream,
            stretch_s: stretches.length_s,
            end_s: stretches.end_s(),
            bands_us: (bands.edge_us(bands.first), bands.edge_us(bands.end)),
            shares_percent: counts.iter().map(|column| shares_percent(column)).collect(),
        }
    }
}

fn shares_percent(counts: &[u64]) -> Vec<f64> {
    let all: u64 = counts.iter().sum();
    // A stretch without I/Os has no shares; zeros would be drawn as if everything had been fast.
    if all == 0 { Vec::new() } else { counts.iter().map(|one| 100.0 * *one as f64 / all as f64).collect() }
}

/// The stretches of time of all maps of a record: whole intervals, as few of them as the width allows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretches {
    length_s: f64,
    pub(crate) count: usize,
}

impl Stretches {
    /// At most about `most` of them, over intervals that were to last `interval`.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few hundred, or the intervals"
    )]
    pub(crate) fn of(intervals: &[Interval], interval: Duration, most: u32) -> Option<Self> {
        let last = intervals.last()?;
        let end_s = (last.start + last.duration).as_secs_f64();
        // A record from elsewhere may state an interval of zero. A millionth of the run bounds the number of
        // columns.
        let interval_s = interval.as_secs_f64().max(end_s / 1e6);
        if interval_s <= 0.0 {
            return None;
        }
        // Whole intervals, so that every interval falls into one stretch and nothing has to be divided.
        let length_s = interval_s * (end_s / interval_s / f64::from(most)).ceil().max(1.0);
        // A remainder of less than a hundredth is the jitter of the clock.
        let count = ((end_s / length_s - 0.01).ceil() as usize).max(1);
        Some(Self { length_s, count })
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is held within the count"
    )]
    pub(crate) fn index(&self, interval: &Interval) -> usize {
        // By its middle, since starts and ends are off by the jitter of the clock.
        let middle_s = (interval.start + interval.duration / 2).as_secs_f64();
        // The last one may end beyond the last stretch by that jitter.
        ((middle_s / self.length_s) as usize).min(self.count - 1)
    }

    /// The end of the last one.
    pub(crate) fn end_s(&self) -> f64 {
        self.length_s * self.count as f64
    }
}

/// The bands of latency of all maps of a record. Edge `n` lies at `10^(n / per_decade)` microseconds.
#[derive(Debug, Clone, Copy)]
struct Bands {
    per_decade: i32,
    /// The lower edge of the first band.
    first: i32,
    /// The upper edge of the last band.
    end: i32,
}

impl Bands {
    fn of(intervals: &[Interval]) -> Option<Self> {
        let jobs = || intervals.iter().flat_map(|interval| &interval.jobs);
        // Commits of a group commit wait for longer than the writes that hold them.
        let counts = || jobs().flat_map(|job| job.read.iter().chain(&job.write).chain(&job.commit));
        let latencies = || counts().map(|counts| &counts.total_latency);
        // Over all streams of the record, so that maps of reads and of writes have the same scale and can be
        // compared by eye.
        let shortest_us = latencies().filter_map(LatencyHistogram::min).min()?.as_secs_f64() * 1e6;
        let longest_us = latencies().filter_map(LatencyHistogram::max).max()?.as_secs_f64() * 1e6;
        let fitting = BANDS_PER_DECADE.into_iter().map(|per_decade| {
            let first = edge_below(shortest_us, per_decade);
            Self { per_decade, first, end: (edge_below(longest_us, per_decade) + 1).max(first + 1) }
        });
        // The finest resolution that fits; the coarsest where none does, since a map too tall beats no map.
        let mut fitting = fitting.skip_while(|bands| {
            bands.end - bands.first > MOST_BANDS
                && bands.per_decade > BANDS_PER_DECADE[BANDS_PER_DECADE.len() - 1]
        });
        fitting.next()
    }

    fn count(&self) -> usize {
        usize::try_from(self.end - self.first).unwrap_or(1)
    }

    fn index(&self, latency_us: f64) -> usize {
        // Clamped, because the edge of a bucket may be just outside the extremes that the bands were made of.
        let edge = edge_below(latency_us, self.per_decade).clamp(self.first, self.end - 1);
        usize::try_from(edge - self.first).unwrap_or_default()
    }

    fn edge_us(&self, edge: i32) -> f64 {
        band_edge_us(edge, self.per_decade)
    }
}

/// Edge `n` lies at `10^(n / per_decade)` microseconds.
pub(crate) fn band_edge_us(edge: i32, per_decade: i32) -> f64 {
    10f64.powf(f64::from(edge) / f64::from(per_decade))
}

/// The last edge that is below a latency, not on it.
#[expect(clippy::cast_possible_truncation, reason = "a logarithm")]
pub(crate) fn edge_below(latency_us: f64, per_decade: i32) -> i32 {
    // The 1e-9 keeps a latency that is meant to be on an edge (100 µs) on it, although its logarithm is off
    // in the last bit.
    (latency_us.max(SHORTEST_US).log10() * f64::from(per_decade) - 1e-9).ceil() as i32 - 1
}

#[cfg(test)]
mod tests {
    use iotrial_model::record::RunRecord;

    use super::*;
    use crate::test_record::{counts, healthy, measured};

    fn maps_of(record: &RunRecord) -> Vec<LatencyMap> {
        LatencyMap::all(&Subject::of_run(record))
    }

    #[test]
    fn the_shares_of_a_stretch_add_up_to_the_whole_and_stand_in_the_band_of_the_latency() {
        let maps = maps_of(&healthy());
        assert_eq!(maps.len(), 3);
        for map in &maps {
            // 300 intervals of a second in stretches of two.
            assert_eq!((map.stretch_s, map.shares_percent.len()), (2.0, 150));
            let (low_us, high_us) = map.bands_us;
            assert!(low_us < 500.0 && high_us >= 500.0, "{low_us} {high_us}");
            for column in &map.shares_percent {
                assert!((column.iter().sum::<f64>() - 100.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_slow_second_stands_in_its_column_and_a_higher_band() {
        let record = measured(30, |second| if second == 17 { 160 } else { 16_000 });
        let map = &maps_of(&record)[0];
        let highest = |column: &Vec<f64>| column.iter().rposition(|share| *share > 0.0);
        let slow: Vec<usize> = (0..30)
            .filter(|second| highest(&map.shares_percent[*second]) > highest(&map.shares_percent[0]))
            .collect();
        assert_eq!(slow, [17]);
        assert!(map.shares_percent.iter().all(|column| column.len() <= 40));
    }

    #[test]
    fn a_stretch_without_io_has_no_shares_and_a_run_without_io_has_no_maps() {
        let mut record = measured(10, |_| 16_000);
        record.intervals[4].jobs.iter_mut().for_each(|job| job.read = None);
        let reads = &maps_of(&record)[0];
        assert!(reads.shares_percent[4].is_empty() && !reads.shares_percent[3].is_empty());
        record
            .intervals
            .iter_mut()
            .for_each(|one| one.jobs.iter_mut().for_each(|job| *job = Default::default()));
        assert_eq!(maps_of(&record), []);
        record.intervals.clear();
        assert_eq!(maps_of(&record), []);
    }

    #[test]
    fn latencies_from_a_microsecond_to_an_hour_fit_the_bands() {
        let mut record = measured(3, |_| 16_000);
        let reads = record.intervals[0].jobs[0].read.get_or_insert_default();
        reads.total_latency.record_n(Duration::from_nanos(80), 5);
        reads.total_latency.record_n(Duration::from_secs(3600), 5);
        let map = &maps_of(&record)[0];
        let column = &map.shares_percent[0];
        assert!(column.len() <= 40, "{}", column.len());
        // The bucket of the histogram that holds 80 ns ends at 128 ns.
        assert!(column[..2].iter().sum::<f64>() > 0.0 && column[column.len() - 1] > 0.0);
        assert!(map.bands_us.0 <= 0.1 && map.bands_us.1 >= 3.6e9);
    }

    #[test]
    fn commits_of_a_group_stand_in_the_bands_of_their_own_latency_and_not_of_their_writes() {
        let mut record = healthy();
        record.plan.jobs[1].group_commit = Some(iotrial_model::load::GroupCommit {
            commit_size: iotrial_model::units::ByteSize::bytes(700),
            largest_write: iotrial_model::units::ByteSize::kib(60),
            tail: iotrial_model::load::LogTail::Pad,
        });
        for interval in &mut record.intervals {
            interval.jobs[1].commit = Some(counts(10_000, Duration::from_millis(30)));
        }
        let maps = maps_of(&record);
        let band_of = |stream: Stream| {
            let map = maps.iter().find(|map| map.role == Role::Log && map.stream == stream).unwrap();
            (
                map.shares_percent[0].iter().position(|share| *share > 99.0),
                map.bands_us,
                map.shares_percent[0].len(),
            )
        };
        let (writes, bands_us, band_count) = band_of(Stream::Write);
        let (commits, ..) = band_of(Stream::Commit);
        assert!(bands_us.1 >= 30_000.0, "{bands_us:?}");
        assert!(
            writes < commits && commits == Some(band_count - 1),
            "{writes:?} {commits:?} of {band_count}"
        );
    }

    #[test]
    fn a_latency_on_an_edge_belongs_to_the_band_below() {
        assert_eq!(edge_below(1_000.0, 10), 29);
        assert_eq!(edge_below(1_000.1, 10), 30);
    }
}
