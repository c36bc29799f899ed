//! A grid of depth and jobs as fio-plot's users know it: a row for each depth, a column for each number of jobs, and the same as lines.

use iotrial_analysis::figures::Figures;
use iotrial_analysis::sweep::{Curve, SweepSummary};
use iotrial_model::figure::Figure;
use iotrial_model::words::counted;

use super::{LATENCY, curve_name};
use crate::chart::{Axis, Chart, ChartGroup, Dash, Line, Scale, Shape};
use crate::document::{Block, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// Numbers of jobs that have a column, as the header of a column is a word of ours; others are in the list of probes.
const JOBS: [(u64, &str); 20] = [
    (1, "1 job"),
    (2, "2 jobs"),
    (3, "3 jobs"),
    (4, "4 jobs"),
    (5, "5 jobs"),
    (6, "6 jobs"),
    (8, "8 jobs"),
    (10, "10 jobs"),
    (12, "12 jobs"),
    (16, "16 jobs"),
    (20, "20 jobs"),
    (24, "24 jobs"),
    (32, "32 jobs"),
    (48, "48 jobs"),
    (64, "64 jobs"),
    (96, "96 jobs"),
    (128, "128 jobs"),
    (256, "256 jobs"),
    (512, "512 jobs"),
    (1024, "1,024 jobs"),
];
/// More lines than this are not told apart in one chart.
const MOST_LINES: usize = 8;
/// More curves than this are left to the list of probes.
const MOST_CURVES: usize = 12;

const DEPTH: Axis = Axis { name: "iodepth", quantity: Quantity::Count, scale: Scale::Doublings, to: 0.0 };

/// The depths and the numbers of jobs of a curve, each in order.
struct Grid<'c> {
    curve: &'c Curve,
    depths: Vec<u64>,
    jobs: Vec<u64>,
}

impl<'c> Grid<'c> {
    /// `None` if one of them is always the same: the load alone then says everything.
    fn of(curve: &'c Curve) -> Option<Self> {
        let sorted = |of: fn(&iotrial_analysis::sweep::Probe) -> Option<u64>| {
            let mut all: Vec<u64> = curve.probes.iter().filter_map(of).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let (depths, jobs) = (sorted(|probe| probe.iodepth), sorted(|probe| probe.numjobs));
        (depths.len() > 1 && jobs.len() > 1).then_some(Self { curve, depths, jobs })
    }

    /// A figure of one cell; with repeats, the middle one.
    fn at(&self, depth: u64, jobs: u64, figure: Figure) -> Option<f64> {
        let is_it = |probe: &&iotrial_analysis::sweep::Probe| {
            (probe.iodepth, probe.numjobs) == (Some(depth), Some(jobs))
        };
        let of = |figures: &Figures| figures.get(figure);
        let mut all: Vec<f64> =
            self.curve.probes.iter().filter(is_it).filter_map(|probe| of(&probe.figures)).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len().checked_sub(1)? / 2).copied()
    }

    fn table(&self, name: &str, figure: Figure, what: &str, quantity: Quantity) -> Table {
        let jobs = || JOBS.iter().filter(|(jobs, _)| self.jobs.contains(jobs));
        let row = |depth: &u64| Row {
            cells: std::iter::once(Value::Count(*depth))
                .chain(jobs().map(|(jobs, _)| Value::number(self.at(*depth, *jobs, figure))))
                .collect(),
            is_total: false,
        };
        let columns = std::iter::once(Column::new("iodepth", Quantity::Count))
            .chain(jobs().map(|(_, title)| Column::new(*title, quantity).shaded()));
        Table {
            caption: format!("{name}: {what} by depth and jobs"),
            columns: columns.collect(),
            rows: self.depths.iter().map(row).collect(),
            at_a_glance: false,
        }
    }

    fn chart(&self, number: usize, name: &str, figure: Figure, what: &str, y: Axis) -> Chart {
        // The fewest and the most jobs are among those that are drawn.
        let step = self.jobs.len().div_ceil(MOST_LINES).max(1);
        let drawn = self.jobs.iter().rev().step_by(step).collect::<Vec<_>>();
        let line = |(hue, jobs): (usize, &&u64)| Line {
            name: counted(**jobs, "job"),
            hue,
            dash: Dash::of_series(hue),
            shape: Shape::Course,
            points: self
                .depths
                .iter()
                .map(|depth| (*depth as f64, self.at(*depth, **jobs, figure)))
                .collect(),
        };
        Chart {
            id: format!("grid-{number}-{}", figure.key().replace('_', "-")),
            title: format!("{name}: {what} by depth, a line for each number of jobs"),
            x: DEPTH,
            y,
            lines: drawn.iter().rev().enumerate().map(line).collect(),
            spans: Vec::new(),
            limits: Vec::new(),
        }
    }
}

/// Every curve whose loads differ in both depth and jobs.
fn blocks(summary: &SweepSummary) -> Vec<Block> {
    let grids = summary.curves.iter().filter_map(Grid::of).take(MOST_CURVES);
    let rate = Axis { name: "", quantity: Quantity::Iops, scale: Scale::Linear, to: 0.0 };
    grids
        .enumerate()
        .flat_map(|(number, grid)| {
            let name = curve_name(summary, grid.curve);
            let charts = vec![
                grid.chart(number, &name, Figure::Iops, "I/Os per second", rate),
                grid.chart(number, &name, Figure::LatencyMean, "mean latency", LATENCY),
            ];
            [
                Block::Table(grid.table(&name, Figure::Iops, "I/Os per second", Quantity::Iops)),
                Block::Table(grid.table(&name, Figure::LatencyMean, "mean latency", Quantity::LatencyUs)),
                Block::Charts(ChartGroup { charts }),
            ]
        })
        .collect()
}

pub(super) fn section(summary: &SweepSummary) -> Option<Section> {
    let note = "Each cell is one load: outstanding I/Os per job (down) by number of jobs (across). Along a diagonal the product is the same. Stronger colours are higher figures.";
    super::section("depth-by-jobs", "Depth by jobs", Some(note.to_owned()), blocks(summary))
}
