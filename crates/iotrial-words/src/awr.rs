//! What is said of AWR reports.

mod away;
mod change;
mod cut;
mod demand_note;
mod fleet_note;
mod part;
mod remark;
mod replay_note;
mod series_note;
mod size_note;
mod sizing;

pub use away::{cell_state, feature, memory, plain_reads, range_assumption};
pub use change::{change_caution, change_headline, db_time_of_transaction, judged_latency};
pub use cut::{cut_off, missing_section, place_of_cut};
pub use demand_note::{demand_note, rates_of};
pub use fleet_note::{fleet_note, why_not_added};
pub use part::{on_cells, part};
pub use remark::remark;
pub use replay_note::{figure_origin, replay_note};
pub use series_note::{file_fact, file_note, series_note, slob_note};
pub use size_note::size_note;
pub use sizing::{factor_reason, no_standard_edition_2, provided};

#[cfg(test)]
mod tests;
