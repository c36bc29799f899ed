//! Rates over the calendar: the axis, lines that hold for an interval, and the levels across them.

use crate::chart::{Axis, Dash, Line, Scale, Shape};
use crate::quantity::Quantity;

/// The lower axis: the time of the database's host.
pub(super) const fn calendar() -> Axis {
    Axis { name: "", quantity: Quantity::Unitless, scale: Scale::Calendar, to: 0.0 }
}

/// A value across the whole chart, such as a percentile.
pub(super) fn level(name: &str, dash: Dash, value: f64, from: f64, to: f64) -> Line {
    Line {
        name: name.to_owned(),
        hue: 0,
        dash,
        shape: Shape::Level,
        points: vec![(from, Some(value)), (to, Some(value))],
    }
}
