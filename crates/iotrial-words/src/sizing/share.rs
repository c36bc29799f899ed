//! Limits, and how much of them a load takes.

use iotrial_sizing::chain::ElementKind;
use iotrial_sizing::measure::{Measure, grouped};
use iotrial_sizing::requirement::Share;

/// An amount of a measure with its unit: `1,920 MB/s`.
pub fn amount(measure: Measure, amount: f64) -> String {
    let (unit, one) = measure.unit_for(amount);
    format!("{} {unit}", grouped(amount / one))
}

/// The share: `1,983 of 1,920 MB/s`.
pub fn share(share: &Share) -> String {
    // The unit is said once, after the second number.
    let (unit, one) = share.measure.unit_for(share.used);
    format!("{} of {} {unit}", grouped(share.used / one), grouped(share.most / one))
}

/// The limit as a phrase within a sentence: `the IOPS of 2 × vpu-10`, `the EBS limit on bandwidth`.
pub fn limit(share: &Share) -> String {
    let Share { kind, element, measure, .. } = share;
    let is_counted = element.starts_with(|letter: char| letter.is_ascii_digit());
    match kind {
        // The part is called by what it bounds: I/Os in flight.
        ElementKind::Concurrency => format!("the {element}"),
        _ if element.ends_with(" limit") => format!("the {element} on {measure}"),
        _ if is_counted => format!("the {measure} of {element}"),
        ElementKind::Network => {
            let outgoing = element.replacen("network out", "outgoing network", 1);
            format!("the {measure} of the {}", outgoing.replacen("network in", "incoming network", 1))
        }
        // The names in a catalog are anybody's.
        ElementKind::Machine if !element.starts_with("network") => {
            format!("the {measure} limit “{element}”")
        }
        _ => format!("the {measure} of the {element}"),
    }
}

/// The limit as short as a cell of a table: `2 × vpu-10 (IOPS)`.
pub fn limit_in_short(share: &Share) -> String {
    format!("{} ({})", share.element, share.measure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bandwidth_below_one_mb_per_s_is_in_kb_per_s() {
        let written = [28_160.0, 999_000.0, 1e6, 0.0].map(|bytes| amount(Measure::Bandwidth, bytes));
        assert_eq!(written, ["28.2 kB/s", "999 kB/s", "1 MB/s", "0 MB/s"]);
        assert_eq!(amount(Measure::Iops, 12.8), "12.8 IOPS");
    }

    #[test]
    fn both_numbers_of_a_share_have_the_unit_of_the_first() {
        let (kind, element) = (ElementKind::Volumes, "1 × vpu-10".to_owned());
        let small =
            Share { kind, element, measure: Measure::Bandwidth, used: 28_160.0, most: 1.2e8, percent: 0.02 };
        assert_eq!(share(&small), "28.2 of 120,000 kB/s");
    }
}
