//! Rates over the calendar: the axis, lines that hold for an interval, and the levels across them.

use crate::chart::{Axis, Dash, Line, Scale, Shape};
use crate::quantity::Quantity;

/// The lower axis: the time of the database's host.
pub(super) const fn calendar() -> Axis {
    Axis { name: "", quantity: Quantity::Unitless, scale: Scale::Calendar, to: 0.0 }
}

/// Two values across the whole chart, the lower one first, if there is one. If both are nearly the same, they are one line: otherwise their labels
/// would overlap.
pub(super) fn levels(low: (&str, Option<f64>), high: (&str, f64), from: f64, to: f64) -> Vec<Line> {
    const APART: f64 = 0.03;
    match low {
        (_, None) => vec![level(high.0, Dash::DashDot, high.1, from, to)],
        (name, Some(value)) if (high.1 - value).abs() <= APART * high.1.abs() => {
            vec![level(&format!("{name} and {}", high.0), Dash::Dashed, high.1, from, to)]
        }
        (name, Some(value)) => {
            vec![level(name, Dash::Dashed, value, from, to), level(high.0, Dash::DashDot, high.1, from, to)]
        }
    }
}

/// A value across the whole chart, such as a percentile.
fn level(name: &str, dash: Dash, value: f64, from: f64, to: f64) -> Line {
    Line {
        name: name.to_owned(),
        hue: 0,
        dash,
        shape: Shape::Level,
        points: vec![(from, Some(value)), (to, Some(value))],
    }
}
