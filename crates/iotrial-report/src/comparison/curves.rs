//! Curves over a grid of loads: throughput and latency by outstanding I/Os, or by block size, a line for each configuration.

use iotrial_analysis::comparison::{
    Comparison, ComparisonMatrix, Configuration, LoadShape, Metric, ShapedLoad,
};
use iotrial_model::figure::Figure;
use iotrial_model::load::Pattern;
use iotrial_model::metric::MetricKey;
use iotrial_model::stream::Stream;
use iotrial_model::units::ByteSize;

use crate::chart::{Axis, Chart, ChartGroup, Dash, LATENCY_AXIS, Line, Scale, Shape};
use crate::document::{Block, Section};
use crate::quantity::Quantity;
use crate::text::cut;

/// More configurations than this are not told apart in one chart.
const MOST_LINES: usize = 8;
/// More charts than this are no longer read; the tables have every load.
const MOST_CHARTS: usize = 12;
/// Names in legends are cut to this many characters.
const LONGEST_NAME: usize = 40;
/// With fewer loads there is no course to see.
const LEAST_POINTS: usize = 3;
/// I/Os of this many bytes and more are about throughput in bytes.
// As in the tables of loads: «Inside SQL Server I/O best practices».
const LARGE_BYTES: u64 = 65_536;

/// Loads of one kind of I/O each, and who was measured under them.
pub(crate) struct Grid<'c> {
    points: Vec<Point<'c>>,
    /// Keys and titles.
    configurations: Vec<(String, String)>,
}

struct Point<'c> {
    shape: LoadShape,
    /// The load that metrics carry.
    load: Option<&'c String>,
    configurations: &'c [Configuration],
}

impl Point<'_> {
    fn value(&self, key: &str, stream: Stream, figure: Figure) -> Option<f64> {
        let metric = Metric { load: self.load.cloned(), key: MetricKey::Figure(stream, figure) };
        self.configurations.iter().find(|one| one.key == key)?.figure(&metric)
    }
}

/// Along what the loads of a kind of I/O differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Along {
    Outstanding,
    BlockSize,
}

/// The loads that become the points of one chart.
struct Kind<'g> {
    along: Along,
    order: Pattern,
    rwmix_read_percent: f64,
    /// Of `Along::Outstanding` the size of every I/O, of `Along::BlockSize` how many are outstanding.
    same: u64,
    points: Vec<&'g Point<'g>>,
}

impl<'c> Grid<'c> {
    /// The grid of a comparison whose metrics carry their loads.
    pub(crate) fn of_stated(comparison: &'c Comparison) -> Self {
        let named = comparison.shapes.iter().filter(|one| one.load.is_some());
        let point = |one: &'c ShapedLoad| Point {
            shape: one.shape,
            load: one.load.as_ref(),
            configurations: &comparison.configurations,
        };
        let configurations = comparison.configurations.iter().map(|one| (one.key.clone(), one.title()));
        Self { points: named.map(point).collect(), configurations: configurations.collect() }
    }

    /// The grid of comparisons under one load each.
    pub(crate) fn of_loads(all: &'c ComparisonMatrix) -> Self {
        let Some(matrix) = &all.over_loads else { return Self::of_stated(&all.rows[0].comparison) };
        let of_row = all.rows.iter().filter_map(|row| match row.comparison.shapes.as_slice() {
            [ShapedLoad { load: None, shape }] => {
                Some(Point { shape: *shape, load: None, configurations: &row.comparison.configurations })
            }
            _ => None,
        });
        let configurations = matrix.configurations.iter().map(|one| (one.key.clone(), one.title()));
        Self { points: of_row.collect(), configurations: configurations.collect() }
    }

    /// The kinds of I/O with a course: by outstanding I/Os where these differ, else by block size.
    fn kinds(&self) -> Vec<Kind<'_>> {
        let mut kinds: Vec<Kind<'_>> = Vec::new();
        for along in [Along::Outstanding, Along::BlockSize] {
            for point in &self.points {
                let LoadShape { order, rwmix_read_percent, block_bytes, outstanding } = point.shape;
                let same = if along == Along::Outstanding { block_bytes } else { outstanding };
                let is_it = |kind: &&mut Kind<'_>| {
                    (kind.along, kind.order, kind.same) == (along, order, same)
                        && (kind.rwmix_read_percent - rwmix_read_percent).abs() < 0.5
                };
                match kinds.iter_mut().find(is_it) {
                    Some(kind) => kind.points.push(point),
                    None => kinds.push(Kind { along, order, rwmix_read_percent, same, points: vec![point] }),
                }
            }
            kinds.retain(|kind| kind.along != along || kind.places().len() >= LEAST_POINTS);
            // Of a grid in both, the curves by outstanding I/Os say more, and one chart for each depth would be too many.
            if !kinds.is_empty() {
                break;
            }
        }
        kinds
    }
}

impl Kind<'_> {
    fn place(&self, point: &Point<'_>) -> u64 {
        match self.along {
            Along::Outstanding => point.shape.outstanding,
            Along::BlockSize => point.shape.block_bytes,
        }
    }

    /// Each once, in their order.
    fn places(&self) -> Vec<u64> {
        let mut places: Vec<u64> = self.points.iter().map(|point| self.place(point)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// What both directions together are called, or the only one.
    fn stream(&self, keys: &[(String, String)]) -> Stream {
        let has = |stream: &Stream| {
            self.points
                .iter()
                .any(|point| keys.iter().any(|(key, _)| point.value(key, *stream, Figure::Iops).is_some()))
        };
        let wanted = match self.rwmix_read_percent {
            percent if percent >= 99.5 => [Stream::Read, Stream::Mixed],
            percent if percent <= 0.5 => [Stream::Write, Stream::Mixed],
            _ => [Stream::Mixed, Stream::Read],
        };
        wanted.into_iter().find(has).unwrap_or(wanted[0])
    }

    /// `random read 4 KiB`.
    fn name(&self) -> String {
        let mix = match self.rwmix_read_percent {
            percent if percent >= 99.5 => "read".to_owned(),
            percent if percent <= 0.5 => "write".to_owned(),
            percent => format!("{percent:.0} % read"),
        };
        match self.along {
            Along::Outstanding => format!("{} {mix} {}", self.order, ByteSize::bytes(self.same)),
            Along::BlockSize => format!("{} {mix}, {} outstanding", self.order, self.same),
        }
    }

    /// A chart of a figure; `rate` chooses among several loads at one place, which differ in how their outstanding I/Os are split among jobs.
    fn chart(
        &self,
        id: String,
        keys: &[(String, String)],
        (rate, figure): (Figure, Figure),
    ) -> Option<Chart> {
        let stream = self.stream(keys);
        let best_at = |key: &str, place: u64| {
            let here = self.points.iter().filter(|point| self.place(point) == place);
            let here = here.filter_map(|point| Some((point.value(key, stream, rate)?, point)));
            let (_, best) = here.max_by(|a, b| a.0.total_cmp(&b.0))?;
            best.value(key, stream, figure)
        };
        let line = |(index, (key, title)): (usize, &(String, String))| {
            let points: Vec<(f64, Option<f64>)> =
                self.places().into_iter().map(|place| (place as f64, best_at(key, place))).collect();
            points.iter().any(|(_, value)| value.is_some()).then(|| Line {
                name: cut(title, LONGEST_NAME),
                hue: index,
                dash: Dash::of_series(index),
                shape: Shape::Course,
                points,
            })
        };
        let lines: Vec<Line> = keys.iter().take(MOST_LINES).enumerate().filter_map(line).collect();
        let what = match figure {
            Figure::Iops => "I/Os per second".to_owned(),
            Figure::Bandwidth => "bandwidth".to_owned(),
            other => format!("{other} latency"),
        };
        let x = match self.along {
            Along::Outstanding => ("outstanding I/Os", Quantity::Count),
            Along::BlockSize => ("block size", Quantity::Bytes),
        };
        let y = match figure.is_latency() {
            true => LATENCY_AXIS,
            false => Axis { name: "", quantity: figure.unit().into(), scale: Scale::Linear, to: 0.0 },
        };
        (!lines.is_empty()).then(|| Chart {
            id,
            title: format!("{}: {what}", self.name()),
            x: Axis { name: x.0, quantity: x.1, scale: Scale::Doublings, to: 0.0 },
            y,
            lines,
            spans: Vec::new(),
            limits: Vec::new(),
        })
    }

    /// The rate that tells most of I/Os of this size.
    fn rate(&self) -> Figure {
        let is_large = self.along == Along::BlockSize || self.same >= LARGE_BYTES;
        if is_large { Figure::Bandwidth } else { Figure::Iops }
    }
}

/// The charts of throughput, one for each kind of I/O; `id` begins their ids.
pub(crate) fn throughput(grid: &Grid<'_>, id: &str, most: usize) -> Option<Block> {
    let chart = |(number, kind): (usize, &Kind<'_>)| {
        let rate = kind.rate();
        kind.chart(format!("{id}-{number}"), &grid.configurations, (rate, rate))
    };
    let charts: Vec<Chart> = grid.kinds().iter().take(most).enumerate().filter_map(chart).collect();
    (!charts.is_empty()).then_some(Block::Charts(ChartGroup { charts }))
}

/// Throughput and latency over the grid; `None` where the loads are none.
pub(crate) fn section(grid: &Grid<'_>) -> Option<Section> {
    let kinds = grid.kinds();
    let figures = [Figure::LatencyP99, Figure::LatencyMean];
    let charts: Vec<Chart> = kinds
        .iter()
        .take(MOST_CHARTS / 2)
        .enumerate()
        .flat_map(|(number, kind)| {
            let rate = kind.rate();
            let of = |what: &str, figure| {
                kind.chart(format!("grid-{what}-{number}"), &grid.configurations, (rate, figure))
            };
            let latency = figures.into_iter().find_map(|figure| of("latency", figure));
            [of("rate", rate), latency]
        })
        .flatten()
        .collect();
    let shown = kinds.len().min(MOST_CHARTS / 2);
    let left_out = match kinds.len() - shown {
        0 => String::new(),
        _ => format!(" Of {} kinds of I/O the first {shown} are drawn.", kinds.len()),
    };
    (!charts.is_empty()).then(|| Section {
        id: "grid",
        heading: "Curves",
        note: Some(format!(
            "Where several loads have as many outstanding I/Os, in other numbers of jobs, the one with the highest throughput is drawn.{left_out}"
        )),
        blocks: vec![Block::Charts(ChartGroup { charts })],
    })
}
