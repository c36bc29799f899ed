//! What is in the way where nothing meets a demand.

use iotrial_model::words::in_brief;
use iotrial_sizing::measure::grouped;
use iotrial_sizing::search::{Requirement, Wall, WallAmount};

use super::{amount, limit};

/// What is in the way, in one sentence without a full stop.
pub fn wall(wall: &Wall) -> String {
    match wall {
        Wall::Limit { share, unpriced } => {
            let share = share.as_ref().map_or_else(String::new, |share| {
                let (needed, most) = (amount(share.measure, share.used), amount(share.measure, share.most));
                format!("{}: {needed} are needed, and at most {most} are available", limit(share))
            });
            share + &without_price(unpriced)
        }
        Wall::Amount { amount: of, unpriced } => {
            format!("the limiting factor is {}{}", amount_in_the_way(of), without_price(unpriced))
        }
        Wall::Requirements(all) => {
            let names: Vec<String> = all.iter().map(requirement).collect();
            format!("dropping {} would make an answer possible", names.join(" or "))
        }
        Wall::Several => {
            "several requirements together: dropping only one of them still leaves no answer".to_owned()
        }
    }
}

/// That the limit is then one of the catalog, and not of the provider.
fn without_price(machines: &[String]) -> String {
    if machines.is_empty() {
        return String::new();
    }
    let them = if machines.len() == 1 { "it" } else { "them" };
    format!(
        "; {} would sustain the demand, but the catalog has no price for {them}",
        in_brief(machines, 4, 3)
    )
}

fn amount_in_the_way(amount: &WallAmount) -> String {
    match amount {
        WallAmount::Vcpus { needed, most } => format!(
            "the number of vCPUs: {} are needed, and at most {} are available",
            grouped(f64::from(*needed)),
            grouped(f64::from(*most))
        ),
        WallAmount::Memory { needed, most_gib } => {
            format!("the memory: {needed} is needed, and at most {} GiB are available", grouped(*most_gib))
        }
        WallAmount::Capacity { needed_gib, most_gib } => format!(
            "the capacity: {} GiB are needed, and at most {} are available",
            grouped(*needed_gib),
            grouped(*most_gib)
        ),
    }
}

fn requirement(requirement: &Requirement) -> String {
    match requirement {
        Requirement::Latency { latency, pool: None } => format!("the latency `{latency}`"),
        Requirement::Latency { latency, pool: Some(pool) } => format!("the latency `{latency}` of {pool}"),
        Requirement::Kinds(pool) => format!("the kinds of volume of {pool}"),
        Requirement::Durability(pool) => format!(
            "the requirement that {} survives the machine (`local` in --pool)",
            pool.as_deref().unwrap_or("the data")
        ),
        Requirement::Cluster => "the cluster".to_owned(),
        Requirement::Os(os) => os.to_string(),
        Requirement::Replicas => "the replicas".to_owned(),
        Requirement::Mirror => "the mirror".to_owned(),
    }
}
