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

/// A rate, from the total beside it where that says it with more digits: `1.0` per second is anything from 0.95 to 1.05, and a
/// quotient of two such rates is noise.
fn precise(printed: Quoted, total: &Quoted, elapsed_s: &Quoted) -> Quoted {
    let rate = total.number.zip(elapsed_s.number).and_then(|(total, elapsed)| total.over(elapsed));
    let Some(rate) = rate else { return printed };
    // Where the two contradict each other, what is printed is to be seen.
    let is_finer = printed
        .number
        .is_none_or(|number| rate.resolution < number.resolution && printed.agrees_with(rate, 0.0));
    if is_finer {
        Quoted::derived(rate, total.place.clone(), "the total divided by the elapsed time")
    } else {
        printed
    }
}

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
            let printed = section.quoted(row, per_second, number::plain);
            let rate = precise(printed, &total, &report.interval.elapsed_s);
            report.activity.push(Statistic { name: label, total, per_second: rate });
        }
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::awr::Standing;
    use iotrial_model::imported::Stated;

    use super::*;

    fn rate(printed: &str, total: f64) -> (f64, Standing) {
        let hour = Stated { value: 3_600.0, resolution: 0.6 };
        let total = Stated { value: total, resolution: 1.0 };
        let printed = Quoted::printed(Stated::parse(printed).unwrap(), "rate");
        let rate = precise(printed, &Quoted::printed(total, "total"), &Quoted::printed(hour, ""));
        (rate.value().unwrap(), rate.standing)
    }

    #[test]
    fn a_rate_has_the_digits_of_whichever_column_has_more() {
        assert_eq!(rate("1.0", 3_420.0), (0.95, Standing::Derived));
        // The elapsed time is known to three in ten thousand.
        assert_eq!(rate("8051.3", 28_984_680.0), (8_051.3, Standing::Printed));
        // A contradiction stays what is printed, for the checks to see.
        assert_eq!(rate("1.0", 36_000.0), (1.0, Standing::Printed));
    }
}
