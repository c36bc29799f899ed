//! What is said of AWR reports.

mod away;
mod cut;
mod part;
mod remark;
mod series_note;
mod size_note;

pub use away::{cell_state, feature, memory, plain_reads, range_assumption};
pub use cut::{cut_off, missing_section, place_of_cut};
pub use part::{on_cells, part};
pub use remark::remark;
pub use series_note::{file_fact, file_note, series_note, slob_note};
pub use size_note::size_note;

#[cfg(test)]
mod tests;
