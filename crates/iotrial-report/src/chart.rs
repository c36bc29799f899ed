//! A chart: lines over one axis, with what is worth marking.

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
    /// It reaches at least so far, even without a point there.
    pub to: f64,
}

/// How values become distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, from zero.
    Linear,
    /// Equal factors are equal distances.
    Log,
    /// Percentiles by their number of nines: 90, 99 and 99.9 are evenly apart.
    Nines,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// For the legend.
    pub name: String,
    /// Tells it from others by hue and marker: those with the same hue belong together.
    pub hue: usize,
    /// Tells it from others of the same hue.
    pub dash: Dash,
    /// From left to right; `None` is a gap.
    pub points: Vec<(f64, Option<f64>)>,
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

/// A stretch of the x axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// One word.
    pub name: &'static str,
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

/// A value of the y axis that should not be exceeded.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// Whose limit it is.
    pub name: String,
    /// The highest that is still acceptable.
    pub value: f64,
}
