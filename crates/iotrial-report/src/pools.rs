//! The pools of a configuration, a line for each.

use iotrial_sizing::explanation::Explanation;
use iotrial_sizing::pool_report::PoolReport;
use iotrial_sizing::price::MissingPrice;
use iotrial_sizing::requirement::Share;
use iotrial_words::sizing::{limit_in_short, missing_prices};

use crate::document::{Block, Section};
use crate::quantity::Quantity;
use crate::table::{Column, TableOf, Value};

/// Bytes in one MB/s, as vendors state limits.
const MB: f64 = 1e6;

/// What each pool is made of, holds and carries, and which limits it meets first; `None` where there is only one.
pub(crate) fn pools_section(explanation: &Explanation) -> Option<Section> {
    if explanation.pools.is_empty() {
        return None;
    }
    let short = |share: &Option<Share>| Value::text(share.as_ref().map(limit_in_short));
    let used = |share: &Option<Share>| Value::number(share.as_ref().map(|share| share.percent));
    // In one cell, so that the share is always shown with its limit.
    let of_machine = |share: &Share| format!("{:.0} % of {}", share.percent, limit_in_short(share));
    let bandwidths = explanation.pools.iter().filter_map(|pool| pool.bandwidth_bytes_per_s);
    let (bandwidth, unit) = bandwidth_column(bandwidths);
    let count = |name: &'static str| Column::new(name, Quantity::Count);
    let currency = &explanation.cost.currency;
    let mut table = TableOf::<&PoolReport>::new(format!("The pools, {currency} a month"))
        .words("pool", |pool| pool.name.clone())
        .words("volumes", |pool| pool.volumes.clone())
        .column(count("needed, GiB").optional(), |pool| {
            Value::number(pool.asked_gib.filter(|gib| *gib > 0.0))
        })
        .column(count("usable, GiB"), |pool| Value::Number(pool.usable_gib))
        .column(count("IOPS"), |pool| Value::number(pool.iops))
        // Whole numbers, as in every column beside it.
        .column(Column { quantity: Quantity::Count, ..bandwidth }.optional(), |pool| {
            Value::number(pool.bandwidth_bytes_per_s.map(|bytes| bytes / unit))
        })
        .column(Column::new("used", Quantity::Percent), |pool| used(&pool.fullest))
        .column(Column::new("own limit", Quantity::Words), |pool| short(&pool.fullest))
        .column(Column::new("limit of the machine", Quantity::Words).optional(), |pool| {
            Value::text(pool.fullest_shared.as_ref().map(of_machine))
        })
        .column(per_month(currency), |pool| Value::number(pool.per_month))
        .rows(&explanation.pools);
    table.drop_empty_columns();
    Some(Section {
        id: "pools",
        heading: "The pools",
        note: Some(
            "For each pool, the most used limit of its own volumes with how much of it is used, and the most used limit of the machine, which all pools share."
                .to_owned(),
        ),
        blocks: vec![Block::Table(table)],
    })
}

/// The column of what things cost a month.
pub(crate) fn per_month(currency: &str) -> Column {
    Column::new(format!("{currency}/month"), Quantity::Money)
}

/// The column of what has no price.
pub(crate) fn not_included() -> Column {
    Column::new("not included", Quantity::Words)
}

/// Its cell; absent where everything has a price.
pub(crate) fn missing(missing: &[MissingPrice]) -> Value {
    Value::text((!missing.is_empty()).then(|| missing_prices(missing).join(", ")))
}

/// A column of bandwidths, and the bytes per second of its unit: MB/s, or kB/s where one of them is less than 1 MB/s.
pub(crate) fn bandwidth_column(all: impl Iterator<Item = f64>) -> (Column, f64) {
    let least = all.filter(|bandwidth| *bandwidth > 0.0).fold(f64::INFINITY, f64::min);
    if least < MB {
        return (Column::new("kB/s", Quantity::Count), 1e3);
    }
    (Column::new("MB/s", Quantity::BandwidthMbPerS), MB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bandwidth_below_one_mb_per_s_makes_a_column_of_kb_per_s() {
        let name = |all: &[f64]| bandwidth_column(all.iter().copied()).0.name.into_owned();
        assert_eq!([name(&[28_160.0, 2e9]), name(&[0.0, 2e9]), name(&[])], ["kB/s", "MB/s", "MB/s"]);
    }
}
