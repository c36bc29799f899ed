//! What a page shows first of a comparison: the decisive figure of each configuration as a number and as a bar, or curves over a grid of
//! loads, and the line that is quoted.

use iotrial_analysis::comparison::{
    Comparison, ComparisonMatrix, Configuration, Contender, LoadMatrix, LoadRow, Metric, MetricGroup,
};
use iotrial_model::metric::MetricKey;
use iotrial_words::recommendation::times;

use super::charts::drawn_keys;
use super::curves::{self, Grid};
use super::{loads, marked, measured};
use crate::chart::{Axis, Bar, BarChart, BarSeries, Scale};
use crate::document::{Beside, Block, Front, KeyFigure, MOST_FIGURES};
use crate::quantity::Quantity;
use crate::table::Value;
use crate::text::cut;

/// Names of configurations are cut to this many characters.
const LONGEST_NAME: usize = 40;
/// More charts than this are no first view.
const MOST_CHARTS: usize = 4;

/// The front of a comparison.
pub(crate) fn of(comparison: &Comparison) -> Front {
    let closing = comparison.times().map(|fact| times(&fact));
    if let Some(matrix) = &comparison.over_loads {
        return over_loads(matrix, &Grid::of_stated(comparison), closing);
    }
    let Some(metric) = comparison.decisive() else { return Front::default() };
    let keys = drawn_keys(comparison);
    let shown: Vec<&Configuration> =
        comparison.configurations.iter().filter(|one| keys.contains(&one.key.as_str())).collect();
    let figures = match shown.len() <= MOST_FIGURES {
        true => shown.iter().map(|one| figure(comparison, one, &metric)).collect(),
        // The best and the baseline come first, and the others after them.
        false => {
            let named = keys.iter().filter_map(|key| comparison.configuration(key));
            named.take(MOST_FIGURES).map(|one| figure(comparison, one, &metric)).collect()
        }
    };
    let lines = measured::in_brief(&comparison.configurations);
    Front { title: None, figures, chart: bars(comparison, &shown, &metric), lines, closing }
}

/// The front of a comparison under several loads.
pub(super) fn of_matrix(all: &ComparisonMatrix, matrix: &LoadMatrix) -> Front {
    over_loads(matrix, &Grid::of_loads(all), matrix.times().map(|fact| times(&fact)))
}

fn over_loads(matrix: &LoadMatrix, grid: &Grid<'_>, closing: Option<String>) -> Front {
    let count_of = |one: &Contender| {
        matrix.loads.iter().filter(|row| row.is_compared() && row.is_won_by(&one.key)).count()
    };
    let won = |one: &Contender| {
        let count = Value::Count(count_of(one) as u64);
        KeyFigure::new(cut(&one.title(), LONGEST_NAME), Quantity::Count, count)
            .beside(Some(Beside::Of(matrix.compared_count(), "loads won")))
    };
    // Where there is no winner, a nought for each would say that they are alike.
    let are_few = matrix.configurations.len() <= MOST_FIGURES;
    let figures = match matrix.configurations.iter().any(|one| count_of(one) > 0) {
        true => matrix.configurations.iter().filter(|_| are_few).map(won).collect(),
        false => of_first_loads(matrix),
    };
    let chart = curves::throughput(grid, "front", MOST_CHARTS).or_else(|| loads::first_bars(matrix));
    Front { title: None, figures, chart, lines: measured::in_brief(&matrix.configurations), closing }
}

/// What each configuration does under the first loads, as many as there is room for.
fn of_first_loads(matrix: &LoadMatrix) -> Vec<KeyFigure> {
    let count = MOST_FIGURES / matrix.configurations.len().max(1);
    let of_load = |row: &LoadRow| {
        let metric = row.metrics.first()?;
        let figure = |one: &Contender| {
            let cell = metric.cells.iter().find(|cell| cell.configuration == one.key)?;
            let name = cut(&format!("{}, {}", one.title(), row.load), LONGEST_NAME);
            let value = Value::amount(Some(cell.value?));
            let range = cell.interval.map(|(low, high)| Beside::Range(low, high));
            Some(KeyFigure::new(name, quantity(&metric.metric), value).beside(range))
        };
        Some(matrix.configurations.iter().filter_map(figure).collect::<Vec<_>>())
    };
    matrix.loads.iter().filter(|row| row.is_compared()).filter_map(of_load).take(count).flatten().collect()
}

/// A figure of a configuration, with where it lies.
fn value(one: &Configuration, metric: &Metric) -> (Value, Option<(f64, f64)>) {
    match one.capacity.filter(|_| metric.key == MetricKey::Capacity) {
        Some(capacity) if capacity.is_lower_bound => {
            (Value::Bounded { sign: "≥", number: capacity.iops, reading: None }, None)
        }
        Some(capacity) => {
            (Value::Number(capacity.iops), capacity.high_iops.map(|high| (capacity.low_iops, high)))
        }
        None => (Value::amount(one.amount(metric)), one.interval(metric)),
    }
}

fn quantity(metric: &Metric) -> Quantity {
    match &metric.key {
        MetricKey::Capacity => Quantity::Iops,
        key => key.figure().map_or(Quantity::Unitless, |(_, figure)| figure.unit().into()),
    }
}

fn figure(comparison: &Comparison, one: &Configuration, metric: &Metric) -> KeyFigure {
    let (value, interval) = value(one, metric);
    let mark = marked(comparison, &one.key);
    let name = if one.key == one.label { mark } else { format!("{mark} {}", one.label) };
    KeyFigure::new(cut(&name, LONGEST_NAME), quantity(metric), value)
        .beside(interval.map(|(low, high)| Beside::Range(low, high)))
}

fn bars(comparison: &Comparison, shown: &[&Configuration], metric: &Metric) -> Option<Block> {
    let bar = |one: &&Configuration| {
        let (value, interval) = value(one, metric);
        Some(Bar { value: value.as_number()?, interval, reading: None })
    };
    let bars: Vec<Option<Bar>> = shown.iter().map(bar).collect();
    let largest = bars.iter().flatten().map(|bar| bar.value).fold(0.0, f64::max);
    let has_intervals = bars.iter().flatten().any(|bar| bar.interval.is_some());
    let better = match metric.group() {
        MetricGroup::TypicalLatency | MetricGroup::TailLatency => ", less is better",
        _ => ", more is better",
    };
    let interval = if has_intervals { ", with 95 % intervals" } else { "" };
    (bars.iter().flatten().count() > 1).then(|| {
        Block::Bars(vec![BarChart {
            id: "front-decisive".to_owned(),
            title: format!("{}{better}{interval}", title(metric)),
            value: Axis { name: "", quantity: quantity(metric), scale: Scale::Linear, to: 0.0 },
            reach: 2.0 * largest,
            groups: shown.iter().map(|one| name(comparison, one)).collect(),
            series: vec![BarSeries { key: String::new(), name: String::new(), hue: 0, bars }],
            decisive: None,
            mark: None,
        }])
    })
}

fn name(comparison: &Comparison, one: &Configuration) -> String {
    let mark = if marked(comparison, &one.key) == one.key { "" } else { super::CONTRADICTORY };
    cut(&format!("{}{mark}", one.title()), LONGEST_NAME)
}

fn title(metric: &Metric) -> String {
    match &metric.key {
        MetricKey::Capacity => "Highest rate within the limits".to_owned(),
        _ => {
            let title = metric.title();
            let mut letters = title.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        }
    }
}
