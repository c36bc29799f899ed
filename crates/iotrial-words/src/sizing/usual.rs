//! What somebody should know who did not ask for it.

use iotrial_model::load::Role;
use iotrial_sizing::sizing::{Shipped, SizingDoubt};

pub(super) fn doubt(doubt: &SizingDoubt) -> String {
    match doubt {
        SizingDoubt::Arm(machine) => format!(
            "{machine} has an ARM processor: SQL Server does not run on it, and not every Oracle Database does; --no-arm leaves such machines out"
        ),
        SizingDoubt::Cache { machine, percent, pool } => format!(
            "the cache of {machine} is assumed to serve {percent} % of the reads of {pool}: no vendor promises that, so measure it"
        ),
        SizingDoubt::RotatingDisks(volume) => {
            format!("{volume} has the latency of rotating disks; --latency single-digit-ms leaves it out")
        }
        SizingDoubt::OneStripe(roles) => format!(
            "{} share one stripe set here; --pool separates them, such as --pool log=200GiB --pool tempdb=300GiB",
            words(roles).join(", ")
        ),
        SizingDoubt::Shipped(Shipped::All) => {
            "the demand has no separate log, so every write counts as shipped to the replicas: an upper bound"
                .to_owned()
        }
        SizingDoubt::Shipped(Shipped::Roles(roles)) => format!(
            "only {} writes are sent to replicas; --ship ROLE selects other roles",
            words(roles).join(" and ")
        ),
        SizingDoubt::OtherMachines { others, has_pair } => {
            let (covered, their) = if *has_pair { ("two machines", "their") } else { ("one machine", "its") };
            let receive = match others {
                1 => "other machine that receives".to_owned(),
                others => format!("{others} other machines that receive"),
            };
            format!("the cost covers {covered} with {their} volumes, but not the {receive} the writes")
        }
        SizingDoubt::NoCapacity => {
            "no capacity is given, so the volumes are as small as the rates allow".to_owned()
        }
    }
}

fn words(roles: &[Role]) -> Vec<&'static str> {
    roles.iter().map(|role| role.as_str()).collect()
}
