//! Drawings of a page and their legends, for the template.

use minijinja::Value as Template;
use serde::Serialize;

use super::figures::{self, FiguresView};
use crate::chart::{BarChart, BarSeries, CUT_NOTE, Chart, ChartGroup, HeatMap, Line, Shape};
use crate::quantity::LatencyUnit;
use crate::svg;

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

impl LegendView {
    pub(super) fn new(name: impl Into<String>, sample: String) -> Self {
        Self { name: name.into(), sample: Template::from_safe_string(sample) }
    }
}

/// Every line of the group once, then what else is drawn.
pub(super) fn legend(group: &ChartGroup) -> Vec<LegendView> {
    let mut lines: Vec<&Line> = Vec::new();
    let named = group.charts.iter().flat_map(|chart| &chart.lines).filter(|line| line.shape != Shape::Level);
    for line in named {
        // By name: charts of a group share their lines.
        if !lines.iter().any(|known| known.name == line.name) {
            lines.push(line);
        }
    }
    let has_limits = group.charts.iter().any(|chart| !chart.limits.is_empty());
    let limits = has_limits.then(|| LegendView::new("limit: acceptable below", svg::write_limit_sample()));
    let lines = lines.into_iter().map(|line| LegendView::new(line.name.as_str(), svg::write_sample(line)));
    lines.chain(limits).collect()
}

/// Every series once.
pub(super) fn bar_legend(charts: &[BarChart]) -> Vec<LegendView> {
    let mut series: Vec<&BarSeries> = Vec::new();
    for one in charts.iter().flat_map(|chart| &chart.series) {
        if !series.iter().any(|known| known.name == one.name) {
            series.push(one);
        }
    }
    let mut legend: Vec<LegendView> =
        series.iter().map(|one| LegendView::new(one.name.as_str(), svg::write_bar_sample(one))).collect();
    let mut bars = series.iter().flat_map(|one| one.bars.iter().flatten());
    if bars.any(|bar| bar.reading.is_some()) {
        let samples = svg::write_meaning_sample().into_iter();
        legend.extend(samples.map(|(words, sample)| LegendView::new(words, sample)));
    }
    if charts.iter().any(BarChart::cuts_any) {
        legend.push(LegendView::new(CUT_NOTE.trim_end_matches('.'), svg::write_cut_sample()));
    }
    legend
}
