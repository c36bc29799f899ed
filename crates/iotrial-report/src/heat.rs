//! Heat maps of latency over time: of one run, or of several side by side.

use iotrial_analysis::latency_course::AlignedCourses;

use crate::chart::{Axis, HeatMap, LATENCY_AXIS, Scale, TIME};
use crate::quantity::Quantity;

/// What a map shows.
pub(crate) const HOW_TO_READ: &str = "Each column holds all I/Os of a stretch of time. The larger their share in a band of latency, the stronger its colour.";

/// The lower edge of a map.
pub(crate) const TIME_AXIS: Axis =
    Axis { name: TIME, quantity: Quantity::Seconds, scale: Scale::Linear, to: 0.0 };

/// Maps in the same bands and along the same time. `what` tells them from other maps of the document.
pub(crate) fn side_by_side(
    what: &str,
    titles: impl Iterator<Item = String>,
    aligned: AlignedCourses,
) -> Vec<HeatMap> {
    let longest_s = aligned.courses.iter().map(|course| course.end_s).fold(0.0, f64::max);
    let y_range = aligned.bands_us;
    let numbered = titles.zip(aligned.courses).enumerate();
    numbered
        .map(|(number, (title, course))| HeatMap {
            id: format!("heat-{what}-{number}"),
            title,
            x: Axis { to: longest_s, ..TIME_AXIS },
            y: LATENCY_AXIS,
            x_range: (0.0, course.end_s),
            y_range,
            shares_percent: course.shares_percent,
            spans: Vec::new(),
        })
        .collect()
}
