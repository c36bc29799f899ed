//! Legends: what lines and colours mean, each with a sample of it.

use super::{
    write_bar_sample, write_cut_sample, write_level_sample, write_limit_sample, write_meaning_sample,
    write_sample,
};
use crate::chart::{BarChart, BarSeries, CUT_NOTE, Chart, HeatMap, Line, Shape};

/// What a line or a colour means.
pub(crate) struct Legend {
    /// In words.
    pub(crate) name: String,
    /// An `<svg>` element.
    pub(crate) sample: String,
}

impl Legend {
    fn new(name: impl Into<String>, sample: String) -> Self {
        Self { name: name.into(), sample }
    }
}

/// Every line of the charts once, then what else is drawn.
pub(crate) fn legend(charts: &[Chart]) -> Vec<Legend> {
    let mut lines: Vec<&Line> = Vec::new();
    let named = charts.iter().flat_map(|chart| &chart.lines).filter(|line| line.shape != Shape::Level);
    for line in named {
        // By name: charts of a group share their lines.
        if !lines.iter().any(|known| known.name == line.name) {
            lines.push(line);
        }
    }
    let has_limits = charts.iter().any(|chart| !chart.limits.is_empty());
    let limits = has_limits.then(|| Legend::new("limit: acceptable below", write_limit_sample()));
    let lines = lines.into_iter().map(|line| Legend::new(line.name.as_str(), write_sample(line)));
    lines.chain(limits).collect()
}

/// Every series once. One alone has no name, and needs none.
pub(crate) fn bar_legend(charts: &[BarChart]) -> Vec<Legend> {
    let mut series: Vec<&BarSeries> = Vec::new();
    for one in charts.iter().flat_map(|chart| &chart.series) {
        if !series.iter().any(|known| known.name == one.name) {
            series.push(one);
        }
    }
    let named = series.iter().filter(|one| !one.name.is_empty());
    let mut legend: Vec<Legend> =
        named.map(|one| Legend::new(one.name.as_str(), write_bar_sample(one))).collect();
    let mut bars = series.iter().flat_map(|one| one.bars.iter().flatten());
    if bars.any(|bar| bar.reading.is_some()) {
        let samples = write_meaning_sample().into_iter();
        legend.extend(samples.map(|(words, sample)| Legend::new(words, sample)));
    }
    if charts.iter().any(BarChart::cuts_any) {
        legend.push(Legend::new(CUT_NOTE.trim_end_matches('.'), write_cut_sample()));
    }
    legend
}

/// The levels of heat maps.
pub(crate) fn level_legend() -> Vec<Legend> {
    // One sample more than there are borders: below the first, between, from the last on.
    let samples = (0..=HeatMap::LEVELS_PERCENT.len()).map(write_level_sample);
    samples.map(|(words, sample)| Legend::new(words, sample)).collect()
}
