//! Instance Activity: the counters of the database. Every kind of report has them, and rates are taken from here.

use std::collections::HashSet;

use iotrial_model::awr::{AwrReport, Quoted, Statistic};

use super::number;
use super::page::Page;
use crate::text::kept;

/// Key, Other and all Instance Activity Stats of an instance; System Statistics of a cluster.
const HEADINGS: [&str; 5] = [
    "Instance Activity Stats",
    "Key Instance Activity Stats",
    "Other Instance Activity Stats",
    "System Statistics (Global)",
    "Global Activity Statistics",
];

/// More counters than Oracle has.
const MOST_COUNTERS: usize = 10_000;

/// Reads the counters.
pub(super) fn read(page: &Page, report: &mut AwrReport) {
    let mut known: HashSet<String> = HashSet::new();
    for section in page.called(&HEADINGS) {
        let name = section.column(&["Statistic"]);
        let total = section.column(&["Total"]);
        let per_second = section.column(&["per Second"]);
        // Absolute values and hourly rates are under headings that begin alike.
        let (Some(name), Some(_), Some(_)) = (name, total, per_second) else { continue };
        for row in &section.rows {
            let label = kept(row.cell(name));
            // 12.1 repeats the key counters among all of them.
            if report.activity.len() >= MOST_COUNTERS || label.is_empty() || !known.insert(label.clone()) {
                continue;
            }
            let total = section.quoted(row, total, number::plain);
            let mut rate = section.quoted(row, per_second, number::plain);
            let elapsed = &report.interval.elapsed_s;
            if let (None, Some(total), Some(seconds)) = (rate.value, total.value, elapsed.value)
                && seconds > 0.0
            {
                let step = total / seconds * (elapsed.half_step / seconds);
                rate = Quoted::derived(total / seconds, step, rate.place, "the total by the elapsed time");
            }
            report.activity.push(Statistic { name: label, total, per_second: rate });
        }
    }
}
