//! The section on what is bought in which year.

use iotrial_sizing::search::{Year, YearPlan};
use iotrial_sizing::sizing::Sizing;
use iotrial_words::sizing as words;

use crate::document::{Block, Section};
use crate::pools::{missing, not_included, per_month};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, TableOf, Value};

/// What is bought when: the cheapest provider year by year, and all of them compared with buying on day one.
pub(crate) fn year_plans(sizing: &Sizing) -> Option<Section> {
    let cheapest = sizing.plans.first()?;
    let mut blocks = vec![Block::Table(years(cheapest, &sizing.currency, true))];
    blocks.push(Block::Table(totals(sizing)));
    // The other providers in full are for the page: a terminal has the totals.
    let others = sizing.plans.iter().skip(1);
    blocks.extend(others.map(|plan| Block::Table(years(plan, &sizing.currency, false))));
    Some(Section {
        id: "years",
        heading: "What is bought when",
        note: Some(
            "Each year is sized for what is needed at its end. The kind of volume and its level stay the same in all years. Volumes that can grow keep their number; if they cannot grow, more are added. The machine can change every year, or every three years with a three-year commitment. All years use today's list prices."
                .to_owned(),
        ),
        blocks,
    })
}

fn years(plan: &YearPlan, currency: &str, at_a_glance: bool) -> Table {
    let changes = |year: &Year| match year.changes.as_slice() {
        [] => "nothing".to_owned(),
        changes => changes.iter().map(words::year_change).collect::<Vec<_>>().join("; "),
    };
    let mut table = TableOf::<&Year>::new(format!("{}, year by year, {currency}", plan.title))
        .column(Column::new("year", Quantity::Count), |year| Value::Count(year.year.into()))
        .column(Column::new("GiB", Quantity::Count).under("capacity"), |year| {
            Value::Number(year.capacity_gib)
        })
        .column(Column::new("rates", Quantity::Ratio).optional(), |year| Value::Number(year.load_times))
        .words("configuration", |year| year.configuration.in_short())
        .words("bought or changed", |year| changes(year))
        .column(per_month(currency), |year| Value::Number(year.per_month))
        .column(Column::new(format!("{currency}/year"), Quantity::Money), |year| Value::Number(year.per_year))
        .rows(&plan.years);
    let mut total = vec![Value::Absent; table.columns.len()];
    total[0] = Value::Text("total".to_owned());
    total[table.columns.len() - 1] = Value::Number(plan.total);
    table.rows.push(Row { cells: total, is_total: true });
    Table { at_a_glance, ..table }
}

fn totals(sizing: &Sizing) -> Table {
    let years = sizing.plans.first().map_or(0, |plan| plan.years.len());
    let change = |plan: &YearPlan| 100.0 * (plan.total / plan.total_from_day_one - 1.0);
    TableOf::<&YearPlan>::new(format!("{years} years by provider, {}", sizing.currency))
        .words("provider", |plan| plan.title.clone())
        .column(Column::new("bought when needed", Quantity::Money), |plan| Value::Number(plan.total))
        .column(Column::new("bought on day one", Quantity::Money), |plan| {
            Value::Number(plan.total_from_day_one)
        })
        .column(Column::new("change", Quantity::ChangePercent), |plan| Value::Number(change(plan)))
        .column(not_included().optional(), |plan| missing(&plan.missing))
        .rows(&sizing.plans)
}
