//! Rates over the calendar: the axis, lines that hold for an interval, and the levels across them.

use crate::chart::{Axis, Chart, ChartGroup, Dash, Line, Scale, Shape};
use crate::document::Block;
use crate::quantity::Quantity;

/// The lower axis: the time of the database's host.
pub(super) const fn calendar() -> Axis {
    Axis { name: "", quantity: Quantity::Unitless, scale: Scale::Calendar, to: 0.0 }
}

/// A value across the whole chart, such as a percentile.
pub(super) fn level(name: &str, value: f64, from: f64, to: f64) -> Line {
    Line {
        name: name.to_owned(),
        hue: 0,
        dash: Dash::Dashed,
        shape: Shape::Level,
        points: vec![(from, Some(value)), (to, Some(value))],
    }
}

pub(super) fn stacked_group(charts: Vec<Chart>) -> Block {
    Block::Charts(ChartGroup { charts })
}
