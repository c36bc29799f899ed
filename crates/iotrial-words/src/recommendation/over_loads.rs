//! Which configuration is the best over several loads, by how much, and what they cost.

use iotrial_model::recommendation::{
    ChangeOverLoads, LoadNames, OverLoadsAnswer, OverLoadsCost, OverLoadsReason,
};
use iotrial_model::words::enumerate;

use crate::changes::{groups_in_words, names_of};
use crate::numbers::with_thousands;

/// The answer over all loads, before what speaks against it.
pub fn answer_over_loads(answer: &OverLoadsAnswer) -> String {
    match answer {
        OverLoadsAnswer::Same(answer) => super::answer(answer),
        OverLoadsAnswer::NoCommonLoad => {
            "No two configurations were measured under the same load, so none can be recommended.".to_owned()
        }
        OverLoadsAnswer::BestUnderAll { best, loads } => match loads.as_slice() {
            [only] => format!("{best} is the best under {only}."),
            [_, _] => format!("{best} is the best under both loads."),
            all => format!("{best} is the best under all {} loads.", all.len()),
        },
        OverLoadsAnswer::BestUnderMost { best, best_count, load_count, others, undecided } => {
            let other = |(one, loads): &(String, LoadNames)| format!("{}, where {one} is", names_of(loads));
            let mut exceptions: Vec<String> = others.iter().map(other).collect();
            if !undecided.is_empty() {
                exceptions.push(format!("{}, where none is shown to be the best", names_of(undecided)));
            }
            format!(
                "{best} is the best under {best_count} of {load_count} loads; the {} {}.",
                if load_count - best_count == 1 { "exception is" } else { "exceptions are" },
                exceptions.join(", and ")
            )
        }
        OverLoadsAnswer::NoneShown(loads) => match loads.as_slice() {
            [only] => format!("No configuration is shown to be the best under {only}."),
            [_, _] => "No configuration is shown to be the best under either load.".to_owned(),
            all => {
                format!("No configuration is shown to be the best under any of the {} loads.", all.len())
            }
        },
        OverLoadsAnswer::NoneUnderMost { load_count, winners, undecided } => {
            let winner = |(one, loads): &(String, LoadNames)| format!("{one} is under {}", names_of(loads));
            let mut parts: Vec<String> = winners.iter().map(winner).collect();
            parts.extend((!undecided.is_empty()).then(|| format!("none is under {}", names_of(undecided))));
            format!(
                "No configuration is the best under most of the {load_count} loads: {}.",
                parts.join("; ")
            )
        }
    }
}

/// By how much the best one and the baseline differ over loads.
pub fn reason_over_loads(reason: &OverLoadsReason) -> String {
    let whose = match &reason.of {
        ChangeOverLoads::OfOther { other, best } => format!("{other} compared with {best}, over all loads"),
        ChangeOverLoads::OfBest(baseline) => format!("Compared with {baseline}"),
        ChangeOverLoads::WhereBest { baseline, best } => {
            format!("Compared with {baseline}, where {best} is the best")
        }
        ChangeOverLoads::WhereNotBest { baseline, loads } => {
            format!("Compared with {baseline}, under {}", names_of(loads))
        }
    };
    // One figure for several loads would be taken for the change under each of them.
    let where_shown = if reason.is_partly { ", counting only differences that are shown" } else { "" };
    format!("{whose}{where_shown}: {}.", groups_in_words(&reason.ranges))
}

/// What the configurations cost, and which of them costs least for what it does.
pub fn cost_over_loads(cost: &OverLoadsCost) -> String {
    let OverLoadsCost { currency, per_month, cheapest, load_count } = cost;
    let price = |(one, price): &(String, f64)| format!("{one} costs {} {currency}", with_thousands(*price));
    let prices: Vec<String> = per_month.iter().map(price).collect();
    let least = |(one, count): &(String, usize)| format!("{one} under {count} of {load_count} loads");
    let cheapest: Vec<String> = cheapest.iter().map(least).collect();
    let for_work = if cheapest.is_empty() {
        String::new()
    } else {
        format!(" The lowest price for throughput: {}.", enumerate(&cheapest))
    };
    format!("{} a month.{for_work}", enumerate(&prices))
}
