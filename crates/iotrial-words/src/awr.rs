//! What is said of AWR reports.

mod part;
mod remark;

pub use part::{ADVICE, cells_beside, part, part_notes};
pub use remark::remark;

#[cfg(test)]
mod tests;
