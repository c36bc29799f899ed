//! What Oracle estimates for more and less memory.

use iotrial_model::awr::{Advice, AdvisedMemory, AwrReport};

use super::number;
use super::page::{Page, Section};

/// Oracle prints twenty sizes of each pool.
const MOST_SIZES: usize = 200;

/// The names of a column in the forms and releases.
type Names = &'static [&'static str];

/// Reads the advisories of the default buffer pool and of the PGA. In a cluster they are of one instance each, and no sum of them would
/// say anything: the first is taken.
pub(super) fn read(page: &Page, report: &mut AwrReport) {
    for section in page.called(&["Buffer Pool Advisory"]) {
        advice(section, AdvisedMemory::BufferCache, BUFFER_POOL, report);
    }
    for section in page.called(&["PGA Memory Advisory"]) {
        advice(section, AdvisedMemory::Pga, PGA, report);
    }
}

/// Size, factor and estimate.
const BUFFER_POOL: [Names; 3] = [
    &["Size for Est (M)"],
    &["Size Factor", "Size Factr"],
    &["Estimated Phys Reads (thousands)", "Est Phys Reads (thousands)", "Estimated Physical Reads"],
];
const PGA: [Names; 3] = [
    &["PGA Target Est (MB)", "PGA Aggr Target Est (MB)"],
    &["Size Factr", "Size Factor"],
    &["Estd Extra W/A MB Read/ Written to Disk", "Estd Extra W/A MB Read/Written to Disk"],
];

fn advice(section: &Section, memory: AdvisedMemory, names: [Names; 3], report: &mut AwrReport) {
    let [size, factor, estimate] = names.map(|names| section.column(names));
    if size.is_none() || factor.is_none() || estimate.is_none() {
        return;
    }
    // Pools for tables that are kept, or with blocks of another size, have tables or letters of their own.
    let pool = section.column(&["P"]);
    let mut last = 0.0;
    for row in section.rows.iter().filter(|row| pool.is_none() || row.at(pool) == "D") {
        let one = Advice {
            memory,
            size_mib: section.quoted(row, size, number::plain),
            factor: section.quoted(row, factor, number::plain),
            estimate: section.quoted(row, estimate, number::plain),
        };
        // Sizes rise; where they begin again, it is another pool or instance.
        let Some(value) = one.size_mib.value().filter(|value| *value > last) else { return };
        if report.advisories.len() >= MOST_SIZES || !one.factor.is_there() || !one.estimate.is_there() {
            return;
        }
        last = value;
        report.advisories.push(one);
    }
}
