//! The highest rates within the limits, where runs searched for them.

use iotrial_analysis::comparison::{CapacityFigure, Comparison, Configuration};

use super::marked;
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// A row for each configuration; `None` where no run searched for a rate.
pub(super) fn table(comparison: &Comparison) -> Option<Table> {
    let row = |one: &Configuration| {
        let capacity = one.capacity;
        let number = |of: fn(CapacityFigure) -> Option<f64>| Value::number(capacity.and_then(of));
        Row {
            cells: vec![
                Value::Text(marked(comparison, &one.key)),
                Value::Text(one.label.clone()),
                Value::Text(match capacity {
                    None => "not known".to_owned(),
                    Some(capacity) if capacity.is_lower_bound => "at least".to_owned(),
                    Some(_) => "about".to_owned(),
                }),
                number(|one| Some(one.iops)),
                number(|one| Some(one.low_iops)),
                number(|one| one.high_iops),
                Value::Count(capacity.map_or(0, |capacity| capacity.run_count) as u64),
            ],
            is_total: false,
        }
    };
    let is_known = comparison.configurations.iter().any(|one| one.capacity.is_some());
    is_known.then(|| Table {
        caption: "Highest rate within the limits".to_owned(),
        columns: vec![
            Column::new("key", Quantity::Words),
            Column::new("configuration", Quantity::Words),
            Column::new("capacity", Quantity::Words),
            Column::new("IOPS", Quantity::Iops),
            Column::new("low", Quantity::Iops).under("95 %"),
            Column::new("high", Quantity::Iops).under("95 %"),
            Column::new("runs", Quantity::Count).optional(),
        ],
        rows: comparison.configurations.iter().map(row).collect(),
        at_a_glance: true,
    })
}
