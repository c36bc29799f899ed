//! How long the I/Os of a stream took over time, kept small: what heat maps of several runs side by side are
//! made of.

use std::sync::LazyLock;

use iotrial_model::histogram::{BUCKET_COUNT, bucket_upper_edge_ns};
use iotrial_model::plan::Plan;
use iotrial_model::record::Interval;
use iotrial_model::stream::Stream;

use crate::latency_map::{Stretches, band_edge_us, edge_below};

/// The latencies of one stream of a run over time, all phases, in fine bands that suit any run.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyCourse {
    end_s: f64,
    /// For each stretch of time its bands, ascending, with their shares of the I/Os in percent. Only bands
    /// that hold something are kept, and in single precision: a comparison may hold a thousand courses.
    stretches: Vec<Vec<(i32, f32)>>,
}

/// Courses in the bands that all of them have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct AlignedCourses {
    /// The lower edge of the first band and the upper edge of the last one. All bands have the same factor
    /// between their edges.
    pub bands_us: (f64, f64),
    /// In the order in which they were given.
    pub courses: Vec<AlignedCourse>,
}

/// A course whose bands are those of the others that it is shown beside.
#[derive(Debug, Clone, PartialEq)]
pub struct AlignedCourse {
    /// The end of the last stretch; the first one starts with the load.
    pub end_s: f64,
    /// For each stretch, for each band from the shortest latency on, its share of the I/Os that completed in
    /// the stretch. A stretch in which none completed has no shares.
    pub shares_percent: Vec<Vec<f64>>,
}

/// Two maps beside one another leave each half the width of a page.
const MOST_STRETCHES: u32 = 100;
/// Bands from one power of ten to the next.
// 10^(1/20) is a factor of 1.12: finer than a heat map shows, so that any coarser bands can be made by
// joining.
const BANDS_PER_DECADE: i32 = 20;
/// More bands than this cannot be distinguished at the height of a chart.
const MOST_BANDS: i32 = 40;
/// How many neighbouring bands may become one, the finest first.
// All of them divide 20, so a power of ten is always an edge, whatever was joined.
const JOINED: [i32; 4] = [1, 2, 4, 5];

impl LatencyCourse {
    /// The course of a stream of all jobs; `None` where no I/O completed.
    pub(crate) fn of_stream(intervals: &[Interval], plan: &Plan, stream: Stream) -> Option<Self> {
        let stretches = Stretches::of(intervals, plan.interval, MOST_STRETCHES)?;
        let mut counts = vec![[0; BAND_COUNT]; stretches.count];
        for interval in intervals {
            let column = &mut counts[stretches.index(interval)];
            for (_, part) in stream.parts(plan, &interval.jobs) {
                for (index, count) in part.total_latency.buckets_by_index() {
                    column[usize::from(BAND_OF_BUCKET[index as usize])] += count;
                }
            }
        }
        let stretches_of: Vec<_> = counts.iter().map(shares_percent).collect();
        let is_empty = stretches_of.iter().all(Vec::is_empty);
        (!is_empty).then(|| Self { end_s: stretches.end_s(), stretches: stretches_of })
    }

    fn bands(&self) -> impl Iterator<Item = i32> {
        self.stretches.iter().flatten().map(|(band, _)| *band)
    }
}

/// The band that holds the shortest latency of a histogram, below 100 ns.
const LOWEST_BAND: i32 = -2 * BANDS_PER_DECADE;
/// From there to the longest latency, an hour, are less than twelve decades.
const BAND_COUNT: usize = 12 * BANDS_PER_DECADE as usize;

/// For each bucket of a histogram its band, counted from the lowest.
// A table, because a record has very many buckets: a search for the band of each took an eighth of the CPU time of a comparison.
static BAND_OF_BUCKET: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let band = |index: usize| {
        let upper_edge_ns = bucket_upper_edge_ns(u32::try_from(index).expect("an index is below 2^15"));
        let band = edge_below(upper_edge_ns as f64 / 1e3, BANDS_PER_DECADE) - LOWEST_BAND;
        u8::try_from(band).expect("all latencies of a histogram have a band")
    };
    (0..BUCKET_COUNT).map(band).collect()
});

#[expect(clippy::cast_possible_truncation, reason = "a share to seven digits")]
fn shares_percent(counts: &[u64; BAND_COUNT]) -> Vec<(i32, f32)> {
    let all: u64 = counts.iter().sum();
    let held = (LOWEST_BAND..).zip(counts).filter(|(_, count)| **count > 0);
    held.map(|(band, count)| (band, (100.0 * *count as f64 / all as f64) as f32)).collect()
}

impl AlignedCourses {
    /// The courses in common bands, as fine as their range allows; `None` without any course.
    pub fn new(courses: &[&LatencyCourse]) -> Option<Self> {
        let bands = || courses.iter().flat_map(|course| course.bands());
        let (lowest, highest) = (bands().min()?, bands().max()?);
        let count_of = |joined: i32| highest.div_euclid(joined) - lowest.div_euclid(joined) + 1;
        let coarsest = JOINED[JOINED.len() - 1];
        // The coarsest is taken even if it leaves too many: 100 ns to an hour are ten and a half decades, or
        // 43 bands at four to a decade.
        let joined = JOINED.into_iter().find(|joined| count_of(*joined) <= MOST_BANDS).unwrap_or(coarsest);
        // `div_euclid`, because bands below 1 µs are negative, and ordinary division would join across zero.
        let first = lowest.div_euclid(joined);
        let count = usize::try_from(count_of(joined)).unwrap_or(1);
        let column = |shares: &Vec<(i32, f32)>| {
            let mut column = vec![0.0; if shares.is_empty() { 0 } else { count }];
            for (band, share) in shares {
                let row = usize::try_from(band.div_euclid(joined) - first).unwrap_or_default();
                column[row] += f64::from(*share);
            }
            column
        };
        let aligned = |course: &&LatencyCourse| AlignedCourse {
            end_s: course.end_s,
            shares_percent: course.stretches.iter().map(column).collect(),
        };
        let edge = |band: i32| band_edge_us(band * joined, BANDS_PER_DECADE);
        Some(Self {
            bands_us: (edge(first), edge(first + count_of(joined))),
            courses: courses.iter().map(aligned).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_record::{healthy, measured};

    #[test]
    fn aligned_courses_have_the_same_bands_and_shares_that_add_up_to_the_whole() {
        let (fast, slow) = (measured(30, |_| 16_000), measured(200, |_| 160));
        let courses = [&fast, &slow]
            .map(|record| LatencyCourse::of_stream(&record.intervals, &record.plan, Stream::Read).unwrap());
        let aligned = AlignedCourses::new(&courses.each_ref()).unwrap();
        let (low_us, high_us) = aligned.bands_us;
        let lengths: Vec<usize> = aligned.courses.iter().map(|one| one.shares_percent.len()).collect();
        // A stretch for each second, and of two seconds where there would be more than a hundred.
        assert_eq!(lengths, [30, 100]);
        for (record, course) in [&fast, &slow].into_iter().zip(&aligned.courses) {
            let mean_us = record.jobs[0].read.as_ref().unwrap().total_latency.mean_us().unwrap();
            assert!(low_us < mean_us && mean_us < high_us, "{low_us} {mean_us} {high_us}");
            for column in &course.shares_percent {
                assert_eq!(column.len(), aligned.courses[0].shares_percent[0].len());
                assert!(column.len() <= 40);
                assert!((column.iter().sum::<f64>() - 100.0).abs() < 1e-3, "{column:?}");
            }
        }
    }

    #[test]
    fn a_latency_stands_between_the_edges_of_its_band() {
        let record = healthy();
        let course = LatencyCourse::of_stream(&record.intervals, &record.plan, Stream::Read).unwrap();
        let aligned = AlignedCourses::new(&[&course]).unwrap();
        let (low_us, high_us) = aligned.bands_us;
        let mut all = record.intervals.iter().flat_map(|one| Stream::Read.parts(&record.plan, &one.jobs));
        assert!(all.all(|(_, counts)| {
            let latency = &counts.total_latency;
            latency.min().unwrap().as_secs_f64() * 1e6 >= low_us * (1.0 - 1e-2)
                && latency.max().unwrap().as_secs_f64() * 1e6 <= high_us * (1.0 + 1e-2)
        }));
    }

    #[test]
    fn a_stream_without_io_has_no_course() {
        let mut record = measured(10, |_| 16_000);
        record.intervals.clear();
        assert_eq!(LatencyCourse::of_stream(&record.intervals, &record.plan, Stream::Read), None);
        assert_eq!(AlignedCourses::new(&[]), None);
    }
}
