//! What a demand asks for and a configuration does not have.

use iotrial_sizing::measure::grouped;
use iotrial_sizing::requirement::{Slow, Unmet};

use super::breach;

/// What is missing, in one sentence without a full stop.
pub fn unmet(unmet: &Unmet) -> String {
    match unmet {
        Unmet::Vcpus { needed, has } => format!("{needed} vCPUs are needed, but it has {has}"),
        Unmet::Memory { needed_gib, has_gib } => {
            format!("{} GiB of memory are needed, but it has {}", grouped(*needed_gib), grouped(*has_gib))
        }
        Unmet::Capacity { needed_gib, has_gib, pool } => format!(
            "{} GiB are needed{} with growth and copies, but it has {}",
            grouped(*needed_gib),
            for_pool(pool.as_deref()),
            grouped(*has_gib)
        ),
        Unmet::Pool(pool) => format!("there is no pool for {pool}"),
        Unmet::Durability { pool, volume } => {
            format!("{pool} must survive the machine, but {volume} is lost with it")
        }
        Unmet::Latency(slow) => too_slow(slow),
        Unmet::Os { needed, has } => format!("it runs {has}, but {needed} is required"),
        Unmet::Rule(broken) => breach(broken),
    }
}

/// That a kind of volume is too slow, or may be.
pub(super) fn too_slow(slow: &Slow) -> String {
    let is = slow.latency.map_or_else(|| "not in the catalog".to_owned(), |latency| latency.to_string());
    let Slow { volume, needed, pool, .. } = slow;
    format!("the latency of {volume} is {is}, but {needed} is required{}", for_pool(pool.as_deref()))
}

fn for_pool(pool: Option<&str>) -> String {
    pool.map_or_else(String::new, |pool| format!(" for {pool}"))
}
