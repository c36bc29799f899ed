//! The section on what is bought in which year.

use iotrial_sizing::search::YearPlan;
use iotrial_sizing::sizing::Sizing;
use iotrial_words::sizing as words;

use crate::document::{Block, Section};
use crate::pools::per_month;
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

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
    let row = |year: &iotrial_sizing::search::Year| Row {
        cells: vec![
            Value::Count(year.year.into()),
            Value::Number(year.capacity_gib),
            Value::Number(year.load_times),
            Value::Text(year.configuration.in_short()),
            Value::Text(if year.changes.is_empty() {
                "nothing".to_owned()
            } else {
                year.changes.iter().map(words::year_change).collect::<Vec<_>>().join("; ")
            }),
            Value::Number(year.per_month),
            Value::Number(year.per_year),
        ],
        is_total: false,
    };
    let mut rows: Vec<Row> = plan.years.iter().map(row).collect();
    let mut total = vec![Value::Text("total".to_owned())];
    total.extend([Value::Absent, Value::Absent, Value::Absent, Value::Absent, Value::Absent]);
    total.push(Value::Number(plan.total));
    rows.push(Row { cells: total, is_total: true });
    Table {
        caption: format!("{}, year by year, {currency}", plan.title),
        columns: vec![
            Column::new("year", Quantity::Count),
            Column::new("GiB", Quantity::Count).under("capacity"),
            Column::new("rates", Quantity::Ratio).optional(),
            Column::new("configuration", Quantity::Words),
            Column::new("bought or changed", Quantity::Words),
            per_month(currency),
            Column::new(format!("{currency}/year"), Quantity::Money),
        ],
        rows,
        at_a_glance,
    }
}

fn totals(sizing: &Sizing) -> Table {
    let row = |plan: &YearPlan| Row {
        cells: vec![
            Value::Text(plan.title.clone()),
            Value::Number(plan.total),
            Value::Number(plan.total_from_day_one),
            Value::Number(100.0 * (plan.total / plan.total_from_day_one - 1.0)),
            Value::text((!plan.missing.is_empty()).then(|| words::missing_prices(&plan.missing).join(", "))),
        ],
        is_total: false,
    };
    let years = sizing.plans.first().map_or(0, |plan| plan.years.len());
    Table {
        caption: format!("{years} years by provider, {}", sizing.currency),
        columns: vec![
            Column::new("provider", Quantity::Words),
            Column::new("bought when needed", Quantity::Money),
            Column::new("bought on day one", Quantity::Money),
            Column::new("change", Quantity::ChangePercent),
            Column::new("not included", Quantity::Words).optional(),
        ],
        rows: sizing.plans.iter().map(row).collect(),
        at_a_glance: true,
    }
}
