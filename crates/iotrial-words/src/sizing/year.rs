//! What is bought in which year.

use iotrial_model::words::counted;
use iotrial_sizing::measure::grouped;
use iotrial_sizing::search::YearChange;

/// What is bought or changed, in a few words.
pub fn year_change(change: &YearChange) -> String {
    match change {
        YearChange::Bought => "bought".to_owned(),
        YearChange::Machine(machine) => format!("machine {machine} (needs a restart)"),
        YearChange::Memory(gib) => format!("memory {} GiB (needs a restart)", grouped(*gib)),
        YearChange::Volumes(more) => {
            format!("{} (rebalance the stripe)", counted(u64::from(*more), "more volume"))
        }
        YearChange::Size { from_gib, to_gib } => {
            format!("each volume {} instead of {} GiB", grouped(*to_gib as f64), grouped(*from_gib as f64))
        }
        YearChange::Iops { from, to } => {
            format!("{} instead of {} IOPS each", grouped(*to), grouped(*from))
        }
        YearChange::Bandwidth => "bandwidth changed".to_owned(),
    }
}
