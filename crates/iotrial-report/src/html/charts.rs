//! Drawings of a page and their legends, for the template.

use minijinja::Value as Template;
use serde::Serialize;

use super::figures::{self, FiguresView};
use crate::chart::{BarChart, Chart, HeatMap};
use crate::quantity::LatencyUnit;
use crate::svg::{self, Legend};

/// A drawing under its title.
#[derive(Serialize)]
pub(super) struct ChartView<'d> {
    title: &'d str,
    svg: Template,
    figures: Option<FiguresView>,
}

impl<'d> ChartView<'d> {
    pub(super) fn of_chart(prefix: &str, chart: &'d Chart, unit: LatencyUnit) -> Self {
        let svg = svg::write_chart(prefix, chart, unit);
        Self::new(&chart.title, svg, figures::of_chart(chart, unit))
    }

    pub(super) fn of_map(prefix: &str, map: &'d HeatMap, unit: LatencyUnit) -> Self {
        Self::new(&map.title, svg::write_heat_map(prefix, map, unit), figures::of_map(map, unit))
    }

    pub(super) fn of_bars(prefix: &str, chart: &'d BarChart, unit: LatencyUnit) -> Self {
        let svg = svg::write_bar_chart(prefix, chart, unit);
        Self::new(&chart.title, svg, figures::of_bars(chart, unit))
    }

    fn new(title: &'d str, svg: String, figures: Option<FiguresView>) -> Self {
        Self { title, svg: Template::from_safe_string(svg), figures }
    }
}

/// What a line or a colour means, with a sample of it.
#[derive(Serialize)]
pub(super) struct LegendView {
    name: String,
    sample: Template,
}

/// The lines of a legend.
pub(super) fn shown(legend: Vec<Legend>) -> Vec<LegendView> {
    let line = |one: Legend| LegendView { name: one.name, sample: Template::from_safe_string(one.sample) };
    legend.into_iter().map(line).collect()
}
