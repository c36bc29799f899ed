//! Charts: lines over one axis, heat maps, bars side by side; with what is worth marking.

use iotrial_analysis::comparison::Reading;

use crate::quantity::Quantity;

/// Charts that share their lines, and so their legend.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartGroup {
    /// Shown side by side where there is room.
    pub charts: Vec<Chart>,
}

/// Lines over one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Unique in the document; letters, digits and hyphens.
    pub id: String,
    /// What is shown, without unit.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// What is drawn.
    pub lines: Vec<Line>,
    /// Stretches of `x` that count differently.
    pub spans: Vec<Span>,
    /// Values of `y` that should not be exceeded.
    pub limits: Vec<Limit>,
}

/// What runs along an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// The header, without unit; empty where the title of the chart says it.
    pub name: &'static str,
    /// What it measures.
    pub quantity: Quantity,
    /// How values become distances.
    pub scale: Scale,
    /// The axis reaches at least this far, even without a point there.
    pub to: f64,
}

/// The axis of latencies, which span several powers of ten; the title of the chart names them.
pub(crate) const LATENCY_AXIS: Axis =
    Axis { name: "", quantity: Quantity::LatencyUs, scale: Scale::Log, to: 0.0 };

/// The name of an axis of time.
pub(crate) const TIME: &str = "time since the start of the load";

/// How values become distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, from zero.
    Linear,
    /// Equal factors are equal distances.
    Log,
    /// The same, with the ticks at 1, 2, 4, 8 and so on: for outstanding I/Os and block sizes.
    // Outstanding I/Os and block sizes are chosen as powers of two; ticks at 1, 2 and 5 would all miss them.
    Doublings,
    /// Seconds of the calendar since 1970, in the time of whoever printed them; evenly, from the first to the last.
    Calendar,
    /// Percentiles by their number of nines: 90, 99 and 99.9 are evenly apart.
    // A linear axis would put everything from p99 on into one pixel.
    Nines,
}

/// One curve, or points of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// For the legend.
    pub name: String,
    /// Distinguishes it from others by hue and marker: those with the same hue belong together.
    pub hue: usize,
    /// Distinguishes it from others of the same hue.
    pub dash: Dash,
    /// Whether it is a course, a set of points, or what was fitted to them.
    pub shape: Shape,
    /// From left to right; `None` is a gap.
    pub points: Vec<(f64, Option<f64>)>,
}

/// How a line is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A line through all points, with a few markers to tell it from others.
    Course,
    /// Separate points: what was measured.
    Points,
    /// A line without any marker: what was fitted to points.
    Fit,
    /// Each value holds until the next place: means of intervals.
    Step,
    /// The same on top of the layers before it, so that the height is the sum.
    Layer,
    /// A value across the chart with its name at it: a percentile, a peak. It is in no legend.
    Level,
    /// A ring around each point: what was looked for.
    Ring,
    /// A line through all points in their order, which need not be from left to right; each point has its label next to it.
    Path(Vec<String>),
}

/// How a line is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dash {
    /// Not at all.
    Solid,
    /// In long pieces.
    Dashed,
    /// In long and short pieces.
    DashDot,
}

impl Dash {
    /// How the line of one of many series is broken: five hues tell the first ones apart, the next ones are
    /// dashed.
    pub(crate) const fn of_series(index: usize) -> Self {
        // Hue by the remainder, dash by the quotient: neighbours in a legend differ in hue, and fifteen
        // series differ without colour as well.
        match index / Line::HUE_COUNT % 3 {
            0 => Self::Solid,
            1 => Self::Dashed,
            _ => Self::DashDot,
        }
    }
}

impl Line {
    /// As many hues as the style sheet has.
    pub(crate) const HUE_COUNT: usize = 5;
}

/// A stretch of the x axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// One word, such as the name of a phase.
    pub name: String,
    /// What the stretch is.
    pub kind: SpanKind,
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

/// What a stretch of the x axis is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// It does not count like the rest, and is shaded.
    Apart,
    /// A step of a load that changes; it is divided from its neighbours by a line.
    Step,
}

/// A value of the y axis that should not be exceeded.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// Whose limit it is.
    pub name: String,
    /// The highest that is still acceptable.
    pub value: f64,
    /// The last `x` that it holds for; `None` where it holds for all.
    pub until: Option<f64>,
}

/// Shares by stretch of the x axis and band of the y axis, the larger the stronger the colour.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// Unique in the document; letters, digits and hyphens.
    pub id: String,
    /// What is shown, without unit.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// The outer edges of the columns, which are evenly wide.
    pub x_range: (f64, f64),
    /// The outer edges of the rows, which are evenly high on the scale of `y`.
    pub y_range: (f64, f64),
    /// For each column, for each row from the bottom: a share of the column in percent. A column may be
    /// empty.
    pub shares_percent: Vec<Vec<f64>>,
    /// Stretches of `x` that count differently.
    pub spans: Vec<Span>,
}

impl HeatMap {
    /// Shares from which on the colour of a cell is stronger, in percent.
    // Factors of about three: shares range over three decades, and equal steps would show only the busiest
    // band.
    pub(crate) const LEVELS_PERCENT: [f64; 6] = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0];

    /// How strong the colour of a cell is: 0 for the smallest share; `None` where nothing is drawn.
    pub(crate) fn level(share_percent: f64) -> Option<usize> {
        let reached = Self::LEVELS_PERCENT.iter().filter(|from| share_percent >= **from).count();
        (share_percent > 0.0).then_some(reached)
    }

    /// The rows: as many as in any column that is not empty.
    pub(crate) fn row_count(&self) -> usize {
        self.shares_percent.iter().map(Vec::len).max().unwrap_or_default()
    }

    /// The upper edge of a row, which begins at the one before.
    pub(crate) fn upper_edge(&self, row: usize) -> f64 {
        let share = (row + 1) as f64 / self.row_count().max(1) as f64;
        let (low, high) = self.y_range;
        match self.y.scale {
            Scale::Linear | Scale::Calendar | Scale::Nines => low + share * (high - low),
            // On a logarithmic axis equal heights are equal factors.
            Scale::Log | Scale::Doublings => low * (high / low).powf(share),
        }
    }

    /// The middle of a column.
    pub(crate) fn middle(&self, column: usize) -> f64 {
        let (from, to) = self.x_range;
        let share = (column as f64 + 0.5) / self.shares_percent.len().max(1) as f64;
        from + share * (to - from)
    }
}

/// Values side by side, in groups: what configurations reach.
#[derive(Debug, Clone, PartialEq)]
pub struct BarChart {
    /// Unique in the document; letters, digits and hyphens.
    pub id: String,
    /// What is shown, without unit.
    pub title: String,
    /// Along the bars, from zero to either side.
    pub value: Axis,
    /// How far the axis may go on either side for an error bar, which is then cut and has no end mark.
    // Two repeats may have an interval of many times the value; with it on the axis, all bars would be
    // slivers. So would the others beside a bar that is longer than this, which is cut as well.
    pub reach: f64,
    /// The names of the groups, such as roles.
    pub groups: Vec<String>,
    /// What is shown side by side in each group, such as configurations.
    pub series: Vec<BarSeries>,
    /// The group that decides, such as the limit that binds; its name says so, too.
    pub decisive: Option<usize>,
    /// A value that all bars are compared with, such as what is asked for.
    pub mark: Option<Mark>,
}

/// A value across all bars.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// What it is.
    pub name: &'static str,
    /// On the axis of the bars.
    pub value: f64,
    /// Whether a bar that goes beyond it is too long.
    pub is_limit: bool,
}

/// One bar in each group.
#[derive(Debug, Clone, PartialEq)]
pub struct BarSeries {
    /// A few letters next to each bar.
    pub key: String,
    /// For the legend.
    pub name: String,
    /// Distinguishes it from others by hue and marker.
    pub hue: usize,
    /// In the order of the groups; `None` where there is nothing.
    pub bars: Vec<Option<Bar>>,
}

/// A value with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Where the bar ends; one below zero goes the other way.
    pub value: f64,
    /// The ends of the error bar, such as those of a confidence interval.
    pub interval: Option<(f64, f64)>,
    /// What a change means, which then gives the bar its colour; `None` where the value is not a change.
    pub reading: Option<Reading>,
}

/// Below a chart with an error bar that is longer than the axis.
pub(crate) const CUT_NOTE: &str = "What ends in an arrow goes on beyond the axis.";

impl BarChart {
    /// Whether an error bar reaches beyond what it may.
    pub(crate) fn cuts_any(&self) -> bool {
        let bars = self.series.iter().flat_map(|series| series.bars.iter().flatten());
        let mut ends = bars.filter_map(|bar| bar.interval);
        ends.any(|(low, high)| low < -self.reach || high > self.reach) || self.cuts_bars()
    }

    /// Whether a bar itself does.
    fn cuts_bars(&self) -> bool {
        self.series.iter().flat_map(|series| series.bars.iter().flatten()).any(|bar| bar.value > self.reach)
    }

    /// Everything that has to find room along the axis.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> {
        let bars = self.series.iter().flat_map(|series| series.bars.iter().flatten());
        let ends = move |bar: &Bar| {
            let (low, high) = bar.interval.unwrap_or((bar.value, bar.value));
            // The lower end of an error bar is inside the bar, unless that goes the other way.
            [bar.value.min(self.reach), high.min(self.reach), low.clamp(-self.reach, 0.0)]
        };
        bars.flat_map(ends).chain(self.mark.as_ref().map(|mark| mark.value))
    }
}
