//! What follows from printed figures.

use iotrial_model::audit::DerivedRate;
use iotrial_model::units::ByteSize;
use iotrial_model::words::enumerate;

use super::widest;
use crate::stated::{write_number, write_range};

/// Rows that are named; of more, the lowest and the highest are.
const MOST_ROWS: usize = 6;

/// How the rate is computed: `(1,024 × MiB/s − 8 × IOPS) ÷ 56`.
pub fn formula(one: &DerivedRate) -> String {
    const KIB: u64 = 1 << 10;
    let (small, large) = (one.small.get(), one.large.get());
    let is_whole = small.is_multiple_of(KIB) && large.is_multiple_of(KIB);
    // In KiB where they are whole, as sizes of blocks are written.
    let (mib, unit) = if is_whole { (1_024.0, KIB) } else { (1_048_576.0, 1) };
    let number = |bytes: u64| write_number((bytes / unit) as f64);
    format!("({} × MiB/s − {} × IOPS) ÷ {}", write_number(mib), number(small), number(large - small))
}

/// A sentence for each mix of sizes, with its rate in each row.
pub fn derived_rates(all: &[DerivedRate]) -> Vec<String> {
    let mut groups: Vec<Vec<&DerivedRate>> = Vec::new();
    let is_alike = |a: &DerivedRate, b: &DerivedRate| {
        (a.stream, a.small, a.large, a.role) == (b.stream, b.small, b.large, b.role)
    };
    for one in all {
        match groups.iter_mut().find(|group| is_alike(group[0], one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups.iter().map(|group| of_one_mix(group)).collect()
}

fn of_one_mix(group: &[&DerivedRate]) -> String {
    let first = group[0];
    let size = |size: ByteSize| size.to_string();
    let whose = first.role.map_or_else(String::new, |role| format!(" ({role})"));
    let rates = match group {
        [only] => format!("{} a second", write_number(only.iops)),
        few if few.len() <= MOST_ROWS => {
            let of_row = |one: &&DerivedRate| {
                let place = one.place.source.as_deref().unwrap_or("the run");
                format!("{} ({place})", write_number(one.iops))
            };
            format!("{} a second", enumerate(&few.iter().map(of_row).collect::<Vec<_>>()))
        }
        many => {
            let rates: Vec<f64> = many.iter().map(|one| one.iops).collect();
            format!("{} a second in {} rows", write_range(widest(&rates)), many.len())
        }
    };
    let reach =
        |one: &&DerivedRate| 100.0 * (one.iops - one.range.low).max(one.range.high - one.iops) / one.iops;
    let widest_percent = group.iter().map(reach).fold(0.0, f64::max);
    format!(
        "The {}s are of {} and {}, so those of {}{whose} follow from IOPS and MiB/s: {} = {rates}, within {widest_percent:.1} % by the digits in print.",
        first.stream,
        size(first.small),
        size(first.large),
        size(first.large),
        formula(first),
    )
}
