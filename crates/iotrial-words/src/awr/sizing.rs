//! Words for how a size follows and what it takes, without a full stop.

use iotrial_model::awr::{FactorReason, NoStandardEdition2, Provided};
use iotrial_model::words::enumerate;

/// Why a factor is what it is.
pub fn factor_reason(reason: FactorReason) -> String {
    let words = match reason {
        FactorReason::FewIntervals { enough } => {
            return format!(
                "fewer than {enough} intervals have no 95th percentile, so the highest interval is doubled, as OMAT does"
            );
        }
        FactorReason::AsAsked => "as asked",
        FactorReason::Measured => "the level was measured, so nothing is added",
        FactorReason::OneInterval => {
            "one interval has only an average, which hides its peak, so it is doubled, as OMAT does"
        }
        FactorReason::OfOmat => "OMAT's default",
        FactorReason::MemoryGuide => "Oracle's Performance Tuning Guide: SGA and PGA are 80 % of the memory",
        FactorReason::ShortOfCpu => "above it OMAT considers a host short of CPU",
        FactorReason::NoReserve => "OMAT sizes by sessions and leaves no reserve beyond its factor",
        FactorReason::BusiestMinute => "in the busiest minute all CPUs may be in use",
    };
    words.to_owned()
}

/// Why it cannot be Standard Edition 2, after a colon.
pub fn no_standard_edition_2(why: &NoStandardEdition2) -> String {
    match why {
        NoStandardEdition2::TooManyVcpus { vcpus, most } => {
            format!("{vcpus} vCPUs exceed its limit of {most}")
        }
        NoStandardEdition2::InUse(features) => {
            let names: Vec<&str> = features.iter().map(|one| one.as_str()).collect();
            format!("it does not have {}, which is in use today", enumerate(&names))
        }
    }
}

/// What is bought today, with its unit: `CPUs`, `memory, GiB`.
pub fn provided(kind: &Provided) -> String {
    match kind {
        Provided::Cpus { .. } => "CPUs".to_owned(),
        Provided::Memory => "memory, GiB".to_owned(),
        Provided::Licences => "licences, Enterprise Edition on x86".to_owned(),
        Provided::DiskGroup(name) => format!("disk group {name} of all databases, GiB"),
    }
}
