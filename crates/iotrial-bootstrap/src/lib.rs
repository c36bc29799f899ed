//! How far the figures of a configuration could have come out otherwise: the bootstrap.
//!
//! A run is cut into its intervals, or a configuration into its runs. These are drawn again with repetition,
//! each draw is asked for all figures, and the figures of many draws show how uncertain the measured ones
//! are. Neighbouring intervals resemble each other, so intervals are drawn in blocks. Percentiles are asked
//! of the merged histograms of each draw, as they are of a run. Method, sources and limits:
//! `docs/compare.md`.

#![forbid(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

use iotrial_model::figure::Figure;
use iotrial_model::histogram::bucket_upper_edge_ns;
use iotrial_model::record::OpCounts;
use iotrial_model::split_mix::SplitMix64;
use iotrial_model::stream::StreamOf;

/// How many draws are made. Twice as many change an interval by about a tenth of its distance from the figure
/// at most.
// The standard error of a standard deviation from n draws is about 1 / √(2n): 2.2 % with 1,000. The limit for
// all metrics together rests on the 50 draws beyond it.
pub const DRAW_COUNT: usize = 1_000;
/// The fewest blocks that a run is cut into.
// A choice. With three blocks, hence two degrees of freedom, Student's limit is already 4.3 standard errors.
// It also bounds the correction for narrow draws, k / (k − 1), to 4/3.
const LEAST_BLOCKS: usize = 4;
/// The fewest intervals from which a spread is computed.
// A choice: room for four blocks of three intervals.
const LEAST_INTERVALS: usize = 12;

/// What a figure is uncertain by in itself. A percentile is known to a bucket of its histogram, up to 0.1 % wide, and
/// draws that all fall into one bucket do not scatter.
fn resolution(figure: Figure) -> f64 {
    figure.percent().map_or(0.0, |_| 0.000_5)
}

/// The percentiles among the compared figures, the lowest first.
fn percentiles() -> impl Iterator<Item = Figure> {
    Figure::COMPARED.into_iter().filter(|figure| figure.percent().is_some())
}

/// One unit of one stream, part by part: what each job did, or each run.
pub type Unit<'c> = Vec<&'c OpCounts>;

/// What one stream did in each unit of resampling.
struct StreamUnits {
    stream: StreamOf,
    // f64 for counts: they are multiplied by weights and divided, and 2^53 I/Os are far more than any run
    // has.
    io_count: Vec<f64>,
    bytes: Vec<f64>,
    latency_sum_us: Vec<f64>,
    /// Upper edges of the buckets among which the percentiles of any draw lie, ascending.
    // Only these edges, because a histogram has thousands of buckets, and every draw would have to merge them
    // all.
    edges_us: Vec<f64>,
    /// For each edge, the I/Os of each unit up to it: one row an edge.
    // Single precision and one row an edge: a percentile of a draw is then a few dot products over adjacent
    // memory. Ranks need seven digits, not fifteen.
    up_to_edge: Vec<f32>,
    /// The edge of each percentile of all units together, where the search for that of a draw begins; 0 of other figures.
    usual_edges: [usize; Figure::COMPARED.len()],
}

/// Intervals of one run, or runs of one configuration.
pub struct Units {
    durations_s: Vec<f64>,
    streams: Vec<StreamUnits>,
}

/// How uncertain the figures of one configuration are. All numbers are of natural logarithms, so that 0.01 is
/// one percent.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// What the rows below are, in their order.
    pub figures: Vec<(StreamOf, Figure)>,
    /// Standard error of each figure.
    pub standard_errors: Vec<f64>,
    /// Deviation of each draw from the mean of all draws, in rows.
    deviations: Vec<f32>,
    /// The row of each figure. Streams that have the same I/Os share theirs.
    rows: Vec<usize>,
    /// Degrees of freedom of each figure: independent blocks less one.
    pub degrees: Vec<f64>,
}

impl Spread {
    /// Both, of figures that neither shares with the other.
    pub fn joined(mut self, other: Self) -> Self {
        let row_count = self.deviations.len() / DRAW_COUNT;
        self.figures.extend(other.figures);
        self.standard_errors.extend(other.standard_errors);
        self.deviations.extend(other.deviations);
        self.rows.extend(other.rows.into_iter().map(|row| row_count + row));
        self.degrees.extend(other.degrees);
        self
    }

    /// With the rows of one stream under the name of another one as well, which has the same I/Os.
    pub fn with_same(mut self, stream: StreamOf, other: StreamOf) -> Self {
        for row in 0..self.figures.len() {
            let (of, figure) = self.figures[row];
            if of == stream {
                self.figures.push((other, figure));
                self.standard_errors.push(self.standard_errors[row]);
                self.degrees.push(self.degrees[row]);
                self.rows.push(self.rows[row]);
            }
        }
        self
    }

    /// The row of a figure.
    pub fn position(&self, stream: StreamOf, figure: Figure) -> Option<usize> {
        self.figures.iter().position(|known| *known == (stream, figure))
    }

    /// Deviation of each draw of a figure from the mean of all draws.
    pub fn deviations_of(&self, position: usize) -> &[f32] {
        let row = self.rows[position];
        &self.deviations[row * DRAW_COUNT..(row + 1) * DRAW_COUNT]
    }
}

fn number(count: u64) -> f64 {
    count as f64
}

fn length(count: usize) -> f64 {
    count as f64
}

/// The index of the bucket in which the percentile lies; `None` without I/Os.
fn percentile_bucket(counts: &OpCounts, percent: f64) -> Option<u32> {
    let rank = percent / 100.0 * number(counts.io_count());
    // From the longest latency down, which is the shorter way.
    let mut up_to = counts.io_count();
    let mut buckets = counts.total_latency.buckets_by_index().rev();
    buckets
        .find(|(_, count)| {
            up_to = up_to.saturating_sub(*count);
            // The rank is met by the bucket that takes the count below it.
            number(up_to) < rank
        })
        .map(|(index, _)| index)
}

fn in_us(ns: u64) -> f64 {
    ns as f64 / 1_000.0
}

impl StreamUnits {
    fn new(stream: StreamOf, total: &OpCounts, units: &[Unit<'_>]) -> Self {
        // A percentile of a draw lies between the lowest and the highest one of the parts drawn.
        let parts = || units.iter().flatten();
        let edges_of = |percent: f64| parts().filter_map(move |part| percentile_bucket(part, percent));
        let lowest = percentiles().next().and_then(Figure::percent);
        let lowest = lowest.and_then(|percent| edges_of(percent).min()).unwrap_or_default();
        let highest = percentiles().last().and_then(Figure::percent);
        let highest = highest.and_then(|percent| edges_of(percent).max()).unwrap_or_default();
        let edges = total.total_latency.buckets_by_index().map(|(index, _)| index);
        let edges: Vec<u32> = edges.filter(|edge| (lowest..=highest).contains(edge)).collect();
        // For each bucket above the lowest edge, the last edge below it: a walk over the buckets of a part then touches nothing else.
        let mut edge_below: Vec<u32> = Vec::new();
        for (edge, bounds) in (0u32..).zip(edges.windows(2)) {
            edge_below.extend((bounds[0]..bounds[1]).map(|_| edge));
        }
        let last = edges.len().saturating_sub(1);
        let mut up_to_edge = vec![0.0; edges.len() * units.len()];
        let mut beyond = vec![0u64; edges.len()];
        for (column, unit) in units.iter().enumerate() {
            let Some(first) = edges.first() else { break };
            beyond.fill(0);
            for part in unit {
                // Beyond the lowest edge lie few buckets: they are taken off, from the longest latency down.
                let buckets = part.total_latency.buckets_by_index().rev();
                for (index, count) in buckets.take_while(|(index, _)| index > first) {
                    let edge =
                        edge_below.get((index - first - 1) as usize).map_or(last, |edge| *edge as usize);
                    beyond[edge] += count;
                }
            }
            let mut up_to = unit.iter().map(|part| part.io_count()).sum::<u64>();
            for (row, count) in beyond.iter().enumerate().rev() {
                up_to -= count;
                up_to_edge[row * units.len() + column] = in_single(number(up_to));
            }
        }
        let sum = |of: fn(&OpCounts) -> f64| {
            units.iter().map(|unit| unit.iter().map(|part| of(part)).sum()).collect::<Vec<f64>>()
        };
        let mut of_stream = Self {
            stream,
            io_count: sum(|part| number(part.io_count())),
            bytes: sum(|part| number(part.bytes)),
            // Sums and not means: a mean of the means of intervals would weigh a second with ten I/Os like
            // one with ten thousand.
            latency_sum_us: sum(|part| part.total_latency.mean_us().unwrap_or(0.0) * number(part.io_count())),
            edges_us: edges.into_iter().map(|index| in_us(bucket_upper_edge_ns(index))).collect(),
            up_to_edge,
            usual_edges: [0; Figure::COMPARED.len()],
        };
        let all = vec![1.0; of_stream.io_count.len()];
        let io_count: f64 = of_stream.io_count.iter().sum();
        of_stream.usual_edges = Figure::COMPARED.map(|figure| {
            figure.share().map_or(0, |share| of_stream.edge_of_rank(&all, share * io_count, 0))
        });
        of_stream
    }

    /// The I/Os of each unit up to the percentile of all units together; `None` of what is no percentile, and without I/Os.
    fn up_to_usual(&self, figure: Figure) -> Option<&[f32]> {
        figure.share()?;
        let place = Figure::COMPARED.iter().position(|one| *one == figure)?;
        let last = self.edges_us.len().checked_sub(1)?;
        Some(self.row(self.usual_edges[place].min(last)))
    }

    fn row(&self, edge: usize) -> &[f32] {
        &self.up_to_edge[edge * self.io_count.len()..(edge + 1) * self.io_count.len()]
    }

    /// The compared figures of the draw that takes each unit as often as `weights` says.
    fn figures(&self, weights: &[f32], duration_s: f64) -> [f64; Figure::COMPARED.len()] {
        let io_count = weighted(weights, &self.io_count);
        let mut usual_edges = self.usual_edges.into_iter();
        Figure::COMPARED.map(|figure| match (figure, usual_edges.next().unwrap_or_default()) {
            // A ratio of sums, for the same reason.
            (Figure::Iops, _) => io_count / duration_s,
            (Figure::Bandwidth, _) => weighted(weights, &self.bytes) / duration_s,
            (Figure::LatencyMean, _) => weighted(weights, &self.latency_sum_us) / io_count,
            // What is neither a sum nor a percentile cannot be drawn again: no draw has a longer I/O than the longest.
            (other, usual) => other
                .share()
                .map_or(f64::NAN, |share| self.edge_us(self.edge_of_rank(weights, share * io_count, usual))),
        })
    }

    /// The first edge up to which at least `rank` I/Os of the draw lie; one more than the last where rounding in single precision leaves
    /// the rank just out of reach. `usual` is where it may lie, and changes only how long the search takes.
    fn edge_of_rank(&self, weights: &[f32], rank: f64, usual: usize) -> usize {
        // The counts up to an edge rise with the edge, in every draw. Most draws have their percentile near that of the run: two looks are
        // enough for these, and where more are needed the steps double until it is between two of them, which are then halved.
        let (mut low, mut high) = (0, self.edges_us.len());
        let (mut next, mut step) = (usual, 1);
        while low < high {
            let at = next.clamp(low, high - 1);
            if f64::from(weighted_single(weights, self.row(at))) < rank {
                (low, next) = (at + 1, at + step);
            } else {
                (high, next) = (at, at.saturating_sub(step));
            }
            step *= 2;
            if low > 0 && high < self.edges_us.len() && high - low < step {
                next = usize::midpoint(low, high);
            }
        }
        low
    }

    /// An edge, or the last one where there are fewer.
    fn edge_us(&self, edge: usize) -> f64 {
        self.edges_us.get(edge).or(self.edges_us.last()).copied().unwrap_or(f64::NAN)
    }

    /// By how much each unit moves each figure away from that of the run, in the unit of a sum that is zero over the run: the influence of
    /// the unit, up to a factor.
    fn influences(&self, durations_s: &[f64]) -> [Vec<f64>; Figure::COMPARED.len()] {
        let from_mean = |of: &[f64], by: &[f64]| -> Vec<f64> {
            let ratio = of.iter().sum::<f64>() / by.iter().sum::<f64>().max(1e-9);
            of.iter().zip(by).map(|(of, by)| of - ratio * by).collect()
        };
        Figure::COMPARED.map(|figure| match figure {
            Figure::Iops => from_mean(&self.io_count, durations_s),
            Figure::Bandwidth => from_mean(&self.bytes, durations_s),
            Figure::LatencyMean => from_mean(&self.latency_sum_us, &self.io_count),
            other => self.up_to_usual(other).map_or(Vec::new(), |row| {
                let counts = self.io_count.iter().zip(row);
                let beyond: Vec<f64> = counts.map(|(all, below)| all - f64::from(*below)).collect();
                from_mean(&beyond, &self.io_count)
            }),
        })
    }

    /// What the figures are sums of, unit by unit: rate, mean latency, and the shares beyond the percentiles.
    fn series(&self, durations_s: &[f64]) -> Vec<Vec<f64>> {
        // The percentile itself has no value for an interval with few I/Os; the share beyond it has one, and
        // its mean over the run is what defines the percentile.
        let beyond = |figure: Figure| -> Vec<f64> {
            let below = self.up_to_usual(figure);
            let count = |unit: usize| self.io_count[unit].max(1.0);
            (0..self.io_count.len())
                .map(|unit| 1.0 - below.map_or(0.0, |below| f64::from(below[unit])) / count(unit))
                .collect()
        };
        // The 1e-9 only prevents a division by zero.
        let divided = |by: &[f64], of: &[f64]| of.iter().zip(by).map(|(a, b)| a / b.max(1e-9)).collect();
        let sums = [divided(durations_s, &self.io_count), divided(&self.io_count, &self.latency_sum_us)];
        // p95 moves with the mean and p99, and would only add a series that remembers no longer than these.
        let ranked = percentiles().filter(|figure| figure.ranks());
        sums.into_iter().chain(ranked.map(beyond)).collect()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "seven digits are enough for a rank among draws")]
fn in_single(value: f64) -> f32 {
    value as f32
}

/// In eight parts, so that the processor adds several at once.
fn weighted(weights: &[f32], values: &[f64]) -> f64 {
    // Floating-point addition is not associative, so the compiler may not reorder it by itself. Eight sums
    // kept apart on purpose are two or four vector registers.
    let mut sums = [0.0f64; 8];
    let (weights, values) = (weights.chunks_exact(8), values.chunks_exact(8));
    let rest = weights.remainder().iter().zip(values.remainder());
    let rest: f64 = rest.map(|(weight, value)| f64::from(*weight) * value).sum();
    for (weights, values) in weights.zip(values) {
        for ((sum, weight), value) in sums.iter_mut().zip(weights).zip(values) {
            *sum += f64::from(*weight) * value;
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// The same in single precision.
fn weighted_single(weights: &[f32], values: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    let (weights, values) = (weights.chunks_exact(8), values.chunks_exact(8));
    let rest: f32 = weights.remainder().iter().zip(values.remainder()).map(|(a, b)| a * b).sum();
    for (weights, values) in weights.zip(values) {
        for ((sum, weight), value) in sums.iter_mut().zip(weights).zip(values) {
            *sum += weight * value;
        }
    }
    sums.iter().sum::<f32>() + rest
}

impl Units {
    /// `streams` has the counts of each stream: of all units together, and unit by unit, as many as
    /// durations.
    pub fn new(durations_s: Vec<f64>, streams: &[(StreamOf, &OpCounts, Vec<Unit<'_>>)]) -> Self {
        let of_stream = |(stream, total, units): &(StreamOf, &OpCounts, Vec<Unit<'_>>)| {
            StreamUnits::new(*stream, total, units)
        };
        Self { durations_s, streams: streams.iter().map(of_stream).collect() }
    }

    /// The spread of one run, whose units are intervals; `None` where they are too few to tell.
    pub fn spread_of_intervals(&self, seed: u64) -> Option<Spread> {
        let unit_count = self.durations_s.len();
        // Draws from a handful of intervals repeat the same few, and their spread says more about the draws
        // than about the device.
        if unit_count < LEAST_INTERVALS {
            return None;
        }
        let series = self.streams.iter().flat_map(|stream| stream.series(&self.durations_s));
        // The longest block that any series asks for is used for all, because all figures of a draw must come
        // from the same intervals, or their dependence would be lost.
        let asked_length = series.map(|series| block_length(&series)).fold(1.0, f64::max);
        let mut spread = self.spread(asked_length, seed)?;
        // Only of intervals: of three runs, all alike in kind, three blocks carry the spread whatever their values.
        let drawn_length = self.drawn_length(asked_length);
        for stream in &self.streams {
            for (figure, influence) in Figure::COMPARED.into_iter().zip(stream.influences(&self.durations_s))
            {
                let Some(row) = spread.position(stream.stream, figure) else { continue };
                let degrees = degrees_of_blocks(&influence, drawn_length);
                spread.degrees[row] = spread.degrees[row].min(degrees).max(1.0);
            }
        }
        Some(spread)
    }

    /// How many units a block has that is drawn, where so many were asked for.
    fn drawn_length(&self, asked_length: f64) -> usize {
        let unit_count = self.durations_s.len();
        // Whole number division rounds down, so there are at least `LEAST_BLOCKS` blocks; and `max(1)` for
        // two or three runs.
        let longest = (unit_count / LEAST_BLOCKS).max(1);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a block is not longer than the run"
        )]
        let asked = asked_length.ceil() as usize;
        asked.clamp(1, longest)
    }

    /// The spread of a configuration, whose units are runs; `None` with fewer than two.
    pub fn spread_of_runs(&self, seed: u64) -> Option<Spread> {
        // Runs are independent by design, so blocks of one. Two are the fewest that differ.
        (self.durations_s.len() >= 2).then(|| self.spread(1.0, seed)).flatten()
    }

    /// Blocks are drawn that are as long as asked for, and at most a quarter of all units: with longer ones
    /// the draws would hardly differ. What shorter blocks miss of the spread is made up for, and the degrees
    /// of freedom are those of the blocks asked for.
    fn spread(&self, asked_length: f64, seed: u64) -> Option<Spread> {
        let unit_count = self.durations_s.len();
        let block_length = self.drawn_length(asked_length);
        let block_count = length(unit_count) / length(block_length);
        // The variance of a mean grows with the correlation length. Where blocks had to be shorter, it comes
        // out too low by about this factor.
        let missed = (asked_length / length(block_length)).max(1.0);
        // Of the blocks asked for, not those drawn: what is made up for by a factor has not been observed.
        let degrees = (length(unit_count) / asked_length - 1.0).max(1.0);
        // The seed comes from the id of the record, so the same records always give the same intervals.
        let mut random = SplitMix64::new(seed);
        let figures: Vec<(StreamOf, Figure)> = self
            .streams
            .iter()
            .flat_map(|stream| Figure::COMPARED.map(|figure| (stream.stream, figure)))
            .collect();
        let mut logarithms = vec![0.0f64; figures.len() * DRAW_COUNT];
        let mut weights = vec![0.0f32; unit_count];
        for draw in 0..DRAW_COUNT {
            // As weights and not as a list of drawn units: each figure is then a dot product.
            weights.fill(0.0);
            // As many units as there are, the last block cut short. A draw of another length would scatter
            // differently.
            let mut left = unit_count;
            while left > 0 {
                let start = random.below(unit_count);
                for offset in 0..block_length.min(left) {
                    // Blocks run over the end into the beginning, so that no unit is drawn less often than
                    // others.
                    weights[(start + offset) % unit_count] += 1.0;
                }
                left = left.saturating_sub(block_length);
            }
            let duration_s = weighted(&weights, &self.durations_s);
            for (position, stream) in self.streams.iter().enumerate() {
                for (figure, value) in stream.figures(&weights, duration_s).into_iter().enumerate() {
                    // The logarithm, because figures vary by factors and the distribution of its draws is
                    // nearly symmetric. A figure of zero becomes −∞ and its row is dropped below.
                    logarithms[(position * Figure::COMPARED.len() + figure) * DRAW_COUNT + draw] = value.ln();
                }
            }
        }
        // Blocks that are drawn again scatter less than new ones would, by this factor (Hesterberg 2015,
        // section 3.2).
        let narrowness = (missed * block_count / (block_count - 1.0)).sqrt();
        let mut spread = Spread {
            figures: Vec::new(),
            standard_errors: Vec::new(),
            deviations: Vec::new(),
            rows: Vec::new(),
            degrees: Vec::new(),
        };
        for (figure, row) in figures.into_iter().zip(logarithms.chunks_exact(DRAW_COUNT)) {
            let mean = row.iter().sum::<f64>() / length(DRAW_COUNT);
            let variance = row.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / length(DRAW_COUNT - 1);
            // One draw without any I/O of a stream makes the whole row useless; the metric then has no
            // interval rather than a wrong one.
            if variance.is_finite() {
                spread.rows.push(spread.figures.len());
                spread.figures.push(figure);
                spread.degrees.push(degrees);
                let of_draws = variance.sqrt() * narrowness;
                // As a sum of squares: the width of a bucket and chance are independent.
                spread.standard_errors.push(of_draws.hypot(resolution(figure.1)));
                spread.deviations.extend(row.iter().map(|one| in_single(one - mean)));
            }
        }
        (!spread.figures.is_empty()).then_some(spread)
    }
}

/// Degrees of freedom of the spread of a figure, from the influence of each unit on it, in blocks: k / (κ − 1), with k blocks of the sums d and their kurtosis
/// κ = k Σ d⁴ / (Σ d²)².
///
/// It is half of k where the blocks are normal, and about one where a single block has nearly all of the variance: the p99.9 of a queue that was long once in a
/// minute. How long it is then, one run cannot tell, and the variance of its draws is as uncertain as that one block. The variance of a variance would ask for
/// 2 k / (κ − 1) (Satterthwaite 1946); but κ comes out too low from few blocks with a long tail: with all of it up to 6 % of pairs of equal queues were told to
/// differ, with half of it 2.5 to 5 % (`cargo xtask bench equal-pairs`).
fn degrees_of_blocks(influence: &[f64], block_length: usize) -> f64 {
    let sums = || influence.chunks(block_length).map(|block| block.iter().sum::<f64>());
    let squares: f64 = sums().map(|sum| sum * sum).sum();
    let fourth_powers: f64 = sums().map(|sum| sum.powi(4)).sum();
    // Where no unit differs, nothing is uncertain.
    if fourth_powers <= 0.0 {
        return f64::INFINITY;
    }
    let carriers = squares * squares / fourth_powers;
    // 1 / carriers is κ / k. All blocks alike have a κ of one, and then as many degrees as anybody asks for.
    let excess = 1.0 / carriers - 1.0 / length(influence.len().div_ceil(block_length));
    if excess > 0.0 { 1.0 / excess } else { f64::INFINITY }
}

/// How many neighbours are drawn together, so that blocks are nearly independent of each other.
///
/// Twice what the rule of Politis and White (2004) gives, corrected by Patton, Politis and White (2009), for
/// circular blocks, and at least two correlation times. The rule makes the error of the variance smallest;
/// but a block that is too short makes intervals too narrow, and one that is too long only makes them wider.
fn block_length(series: &[f64]) -> f64 {
    // The larger of two estimates, since their errors are not symmetric: too long a block only costs width,
    // too short a one promises more than is known.
    (2.0 * rule_of_politis_and_white(series)).max(2.0 * correlation_time(series)).max(1.0)
}

/// The number of neighbours that say as much as one independent value: (1 + r) / (1 - r) for a correlation r
/// from one to the next. In a short series r comes out too low, which is corrected (Kendall 1954).
fn correlation_time(series: &[f64]) -> f64 {
    let count = length(series.len());
    let mean = series.iter().sum::<f64>() / count;
    let variance: f64 = series.iter().map(|one| (one - mean).powi(2)).sum();
    // A constant series: what is left is rounding, of order 1e-9 of the mean. It would otherwise be
    // correlated with itself and ask for long blocks.
    if variance <= count * mean * mean * 1e-18 {
        // Half, so that twice this is a block of one.
        return 0.5;
    }
    let next: f64 = series.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    // For a true r the estimate from n values is low by about (1 + 3 r) / n; solved for r.
    let correlation = (next / variance + 1.0 / count) / (1.0 - 3.0 / count);
    // What may be chance is none: then neighbours are drawn one by one.
    if correlation < 1.5 / count.sqrt() {
        return 0.5;
    }
    // At 1 the time is infinite. 0.98 is a time of 99 intervals, beyond any quarter of a usual run.
    let correlation = correlation.min(0.98);
    (1.0 + correlation) / (1.0 - correlation)
}

fn rule_of_politis_and_white(series: &[f64]) -> f64 {
    let count = length(series.len());
    let mean = series.iter().sum::<f64>() / count;
    let covariance = |lag: usize| -> f64 {
        series.iter().zip(&series[lag..]).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / count
    };
    let variance = covariance(0);
    // See `correlation_time`.
    if variance <= mean * mean * 1e-18 {
        return 0.5;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
    let whole = |value: f64| value.ceil() as usize;
    // K_N, the stretch of insignificant lags that Politis and White ask for: max(5, √log₁₀ n).
    let quiet_lags = 5.max(whole(count.log10().sqrt()));
    // √n + K_N is the largest lag that the rule looks at; beyond the series there is no covariance at all.
    let most_lags = (whole(count.sqrt()) + quiet_lags).min(series.len() - 1);
    // Their limit for a correlation of chance, 2 √(log₁₀ n / n).
    let insignificant = 2.0 * (count.log10() / count).sqrt();
    let correlations: Vec<f64> = (0..=most_lags).map(|lag| covariance(lag) / variance).collect();
    // The last lag before a stretch of lags without correlation.
    let is_quiet =
        |lag: usize| correlations[lag + 1..].iter().take(quiet_lags).all(|one| one.abs() < insignificant);
    let last = (0..most_lags).find(|lag| is_quiet(*lag)).unwrap_or(most_lags);
    // M = 2 m̂, with m̂ the last significant lag.
    let bandwidth = (2 * last).min(most_lags);
    let (mut sum, mut slope) = (1.0, 0.0);
    for (lag, correlation) in correlations.iter().enumerate().take(bandwidth + 1).skip(1) {
        // A flat top with sloping sides.
        let window = (2.0 * (1.0 - length(lag) / length(bandwidth))).min(1.0);
        sum += 2.0 * window * correlation;
        // ĝ = Σ λ(k / M) R(k) and Ĝ = Σ λ(k / M) |k| R(k), both relative to R(0); the sums are symmetric, so
        // lags above zero count twice.
        slope += 2.0 * window * length(lag) * correlation;
    }
    // Negative correlations can make the estimate of the spectrum vanish; independent draws are then on the
    // safe side.
    if sum <= 0.0 {
        return 0.5;
    }
    // b = (2 Ĝ² / D)^(1/3) n^(1/3) with D = (4/3) ĝ² for the circular bootstrap (Patton, Politis and White
    // 2009): 2 / (4/3) = 1.5.
    (1.5 * (slope / sum).powi(2) * count).cbrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_of_a_rank_is_the_same_wherever_the_search_begins() {
        // Two units, with more and more I/Os up to each edge.
        for edge_count in [0, 1, 2, 3, 17] {
            let up_to_edge =
                (0..edge_count).flat_map(|edge: u16| [f32::from(edge + 1), f32::from(2 * edge)]).collect();
            let stream = StreamUnits {
                stream: StreamOf::all(iotrial_model::stream::Stream::Read),
                io_count: vec![17.0, 32.0],
                bytes: vec![0.0; 2],
                latency_sum_us: vec![0.0; 2],
                edges_us: (0..edge_count).map(f64::from).collect(),
                up_to_edge,
                usual_edges: [0; Figure::COMPARED.len()],
            };
            for rank in (0..60).map(f64::from) {
                // Up to the edge e lie e + 1 and 2 e I/Os.
                let expected = (0..usize::from(edge_count)).find(|edge| length(3 * edge + 1) >= rank);
                for usual in 0..20 {
                    let found = stream.edge_of_rank(&[1.0, 1.0], rank, usual);
                    assert_eq!(found, expected.unwrap_or(edge_count.into()), "{edge_count} {rank} {usual}");
                }
            }
        }
    }

    #[test]
    fn few_blocks_that_carry_a_figure_are_few_degrees_of_freedom() {
        let of = degrees_of_blocks;
        // As many below as above, all alike: nothing that the spread of the blocks could be wrong about.
        assert_eq!(of(&[1.0, -1.0, 1.0, -1.0, 1.0, -1.0], 1), f64::INFINITY);
        assert_eq!(of(&[0.0; 12], 1), f64::INFINITY);
        // Within one block neighbours count as one.
        assert_eq!(of(&[3.0, 3.0, 3.0, -3.0, -3.0, -3.0], 3), f64::INFINITY);
        // One block with nearly all, whose counterpart the others share; and two of them.
        let one: Vec<f64> = (0..60).map(|unit| if unit == 7 { 59.0 } else { -1.0 }).collect();
        assert!((1.0..1.1).contains(&of(&one, 1)), "{}", of(&one, 1));
        let two: Vec<f64> = (0..60).map(|unit| if unit % 30 == 7 { 29.0 } else { -1.0 }).collect();
        assert!((2.0..2.3).contains(&of(&two, 1)), "{}", of(&two, 1));
        // The quantiles of a Laplace distribution have κ = 6: a fifth of what there are.
        let quantile = |unit: usize| -(1.0 - (length(unit) + 0.5) / 2_000.0).ln();
        let tailed: Vec<f64> = (0..2_000).flat_map(|unit| [quantile(unit), -quantile(unit)]).collect();
        assert!((790.0..830.0).contains(&of(&tailed, 1)), "{}", of(&tailed, 1));
    }
}
