//! Figures in rows: one for each stream of a role, of a job, of a step.

use iotrial_analysis::figures::Figures;
use iotrial_analysis::stream::Streams;
use iotrial_model::figure::Figure;
use iotrial_model::stream::Stream;

use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// A row for each of the listed streams, behind the same labels.
pub(crate) fn stream_rows(labels: &[&str], streams: &Streams, listed: &[Stream], is_total: bool) -> Vec<Row> {
    listed.iter().map(|stream| figures_row(labels, stream.key(), streams.get(*stream), is_total)).collect()
}

/// A stream that was planned and never came to be has no figures at all.
pub(crate) fn figures_row(labels: &[&str], stream: &str, figures: Option<&Figures>, is_total: bool) -> Row {
    let value = |figure| Value::number(figures.and_then(|figures| figures.get(figure)));
    let mut cells: Vec<Value> = labels.iter().map(|label| Value::Text((*label).to_owned())).collect();
    cells.push(Value::Text(stream.to_owned()));
    cells.extend(Figure::ALL.map(value));
    cells.extend([
        figures.and_then(|f| f.error_count).map_or(Value::Absent, Value::Count),
        figures.and_then(|f| f.io_count).map_or(Value::Absent, Value::Count),
    ]);
    Row { cells, is_total }
}

/// The table of [`figures_row`]s. Errors have a column only where there are any.
pub(crate) fn figures_table(
    caption: &str,
    labels: &[&'static str],
    rows: Vec<Row>,
    at_a_glance: bool,
) -> Table {
    let column = |figure: Figure| match Column::of_figure(figure) {
        column if figure == Figure::LatencyP90 => column.first_to_go(),
        column if figure.is_detail() => column.optional(),
        column => column,
    };
    let mut columns: Vec<Column> = labels.iter().map(|label| Column::new(*label, Quantity::Words)).collect();
    columns.push(Column::new("stream", Quantity::Words));
    columns.extend(Figure::ALL.map(column));
    columns.extend([Column::new("errors", Quantity::Count), Column::new("I/Os", Quantity::Count).optional()]);
    let mut table = Table { caption: caption.to_owned(), columns, rows, at_a_glance };
    let errors = table.columns.len() - 2;
    let failed = |row: &Row| matches!(row.cells[errors], Value::Count(count) if count > 0);
    if !table.rows.iter().any(failed) {
        table.columns.remove(errors);
        table.rows.iter_mut().for_each(|row| drop(row.cells.remove(errors)));
    }
    table
}
