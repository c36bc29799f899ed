//! What is said of AWR reports.

mod away;
mod part;
mod remark;

pub use away::{cell_state, feature, memory, plain_reads, range_assumption};
pub use part::{ADVICE, cells_beside, part, part_notes};
pub use remark::remark;

#[cfg(test)]
mod tests;
