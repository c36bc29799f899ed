//! The pools of a configuration, a line for each.

use iotrial_sizing::explanation::Explanation;
use iotrial_sizing::requirement::Share;

use crate::document::{Block, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// Bytes in one MB/s, as vendors state limits.
const MB: f64 = 1e6;

/// What each pool is made of, holds and carries, and which limits it meets first; `None` where there is only one.
pub(crate) fn pools_section(explanation: &Explanation) -> Option<Section> {
    if explanation.pools.is_empty() {
        return None;
    }
    let limit = |share: &Option<Share>| {
        let words = share.as_ref().map(|share| format!("{}, {}", share.element, share.measure));
        [Value::number(share.as_ref().map(|share| share.percent)), Value::text(words)]
    };
    // In one cell, so that the share is always shown with its limit.
    let of_machine =
        |share: &Share| format!("{:.0} % of {}, {}", share.percent, share.element, share.measure);
    let rows = explanation.pools.iter().map(|pool| Row {
        cells: [
            Value::Text(pool.name.clone()),
            Value::Text(pool.volumes.clone()),
            Value::number(pool.asked_gib.filter(|gib| *gib > 0.0)),
            Value::Number(pool.usable_gib),
            Value::number(pool.iops),
            Value::number(pool.bandwidth_bytes_per_s.map(|bytes| bytes / MB)),
        ]
        .into_iter()
        .chain(limit(&pool.fullest))
        .chain([Value::text(pool.fullest_shared.as_ref().map(of_machine)), Value::number(pool.per_month)])
        .collect(),
        is_total: false,
    });
    let mut table = Table {
        caption: format!("The pools, {} a month", explanation.cost.currency),
        columns: vec![
            Column::new("pool", Quantity::Words),
            Column::new("volumes", Quantity::Words),
            Column::new("asked, GiB", Quantity::Count).optional(),
            Column::new("holds, GiB", Quantity::Count),
            Column::new("IOPS", Quantity::Count),
            Column::new("MB/s", Quantity::Count).optional(),
            Column::new("used", Quantity::Percent),
            Column::new("of its own", Quantity::Words),
            Column::new("of the machine", Quantity::Words).optional(),
            Column::new("a month", Quantity::Money),
        ],
        rows: rows.collect(),
        at_a_glance: true,
    };
    table.drop_empty_columns();
    Some(Section {
        id: "pools",
        heading: "The pools",
        note: Some(
            "For each pool, the most used limit of its own volumes, and the most used limit of the machine, which all pools share."
                .to_owned(),
        ),
        blocks: vec![Block::Table(table)],
    })
}
