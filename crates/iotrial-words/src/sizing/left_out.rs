//! What a search did not look at, or not in full.

use iotrial_model::words::in_brief;
use iotrial_sizing::price::MissingPrice;
use iotrial_sizing::search::{NotSearched, WithoutFigures};

use super::missing_price;
use super::unmet::too_slow;

/// What was left out, and why, in one sentence without a full stop.
pub fn left_out(one: &NotSearched) -> String {
    match one {
        NotSearched::Slow(slow) => too_slow(slow),
        NotSearched::PartUnpriced { volume, part } => format!("{volume}: no price of its {part} in the catalog"),
        NotSearched::Unpriced { volume, levels } if levels.is_empty() => {
            format!("{volume}: no price in the catalog")
        }
        NotSearched::Unpriced { volume, levels } => {
            format!("{volume} {}: no price in the catalog", levels.join(", "))
        }
        NotSearched::NoRate { volume, from, to } => {
            format!("{volume}: its price is in {from}; --rate {from}/{to}=… includes it")
        }
        NotSearched::RotatingDisks { volume, option } => format!(
            "{volume}: rotating disks, which suit large sequential I/O; --volume {option} includes them"
        ),
        NotSearched::NoCommitment { volume, levels, option } => format!(
            "{volume} {}: the vendor does not commit to its IOPS; --volume {option} includes it",
            levels.join(", ")
        ),
        NotSearched::NoLevel { volume } => format!("{volume}: no level was selected"),
        NotSearched::Machines { machines, without } => {
            let why = match without {
                WithoutFigures::Price => "no price in the catalog".to_owned(),
                WithoutFigures::Limits => "no limits for volumes in the catalog".to_owned(),
                WithoutFigures::Committed(term) => format!(
                    "the catalog has no price for them {}: their on-demand price is used",
                    term.in_words()
                ),
            };
            format!("{}: {why}", in_brief(machines, 4, 3))
        }
        NotSearched::NetworkLimits => "the network rate of some machines is not in the catalog: their writes to replicas are not checked against a limit".to_owned(),
        NotSearched::FromTheCost(missing @ MissingPrice::Licence(_)) => format!(
            "the {} has no price in the catalog, so the true cost is higher",
            missing_price(missing)
        ),
        NotSearched::FromTheCost(missing) => {
            format!("not in the cost, because it is not in the catalog: the {}", missing_price(missing))
        }
    }
}
