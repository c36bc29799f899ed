//! Processor licences of Oracle Database that a number of vCPUs takes.

use std::collections::BTreeSet;

use iotrial_model::awr::{EnterpriseFeature, NoStandardEdition2};
use serde::Serialize;

use crate::awr::said;

/// Oracle Processor Core Factor Table: x86 of Intel and AMD.
const X86_CORE_FACTOR: f64 = 0.5;
/// «Licensing Oracle Software in the Cloud Computing Environment»: of AWS, Azure and Google Cloud two vCPUs with hyper-threading are
/// one processor, and the core factor does not apply.
const VCPUS_PER_PROCESSOR: u32 = 2;
/// The same document: every four vCPUs, or fewer, count as one socket of Standard Edition 2 …
const VCPUS_PER_SOCKET: u32 = 4;
/// … and no instance of it may have more.
const MOST_VCPUS_OF_SE2: u32 = 8;

/// Processor licences. They are what the published rules say of a number of vCPUs; what a contract says goes before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Licences {
    /// Enterprise Edition on own x86 hardware with as many cores.
    pub own_hardware: u32,
    /// Enterprise Edition in an authorised cloud.
    pub authorised_cloud: u32,
    /// Standard Edition 2 in an authorised cloud; absent beyond its cap of 8 vCPUs, and where something is in use that it does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_edition_2: Option<u32>,
    /// Why it cannot be Standard Edition 2; absent where it can.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "said::no_standard_edition_2")]
    pub no_standard_edition_2: Option<NoStandardEdition2>,
}

impl Licences {
    /// `enterprise` is what is in use today that Standard Edition 2 does not have.
    pub(super) fn of(vcpus: u32, enterprise: &BTreeSet<EnterpriseFeature>) -> Self {
        let why_not = if !enterprise.is_empty() {
            Some(NoStandardEdition2::InUse(enterprise.iter().copied().collect()))
        } else if vcpus > MOST_VCPUS_OF_SE2 {
            Some(NoStandardEdition2::TooManyVcpus { vcpus, most: MOST_VCPUS_OF_SE2 })
        } else {
            None
        };
        Self {
            own_hardware: of_cores(f64::from(vcpus) / 2.0),
            authorised_cloud: vcpus.div_ceil(VCPUS_PER_PROCESSOR),
            standard_edition_2: why_not.is_none().then(|| vcpus.div_ceil(VCPUS_PER_SOCKET)),
            no_standard_edition_2: why_not,
        }
    }
}

/// Enterprise Edition for so many cores of x86.
pub(super) fn of_cores(cores: f64) -> u32 {
    // Cores are at most millions, see `whole_cores`; of a host they follow from printed counts, with a trace of the arithmetic.
    let cores = cores - 1e-6;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped just before")]
    let licences = (cores * X86_CORE_FACTOR).ceil().clamp(1.0, 1e6) as u32;
    licences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_are_those_of_the_published_rules() {
        let check = |vcpus, own_hardware, authorised_cloud, standard_edition_2: Option<u32>| {
            let of = Licences::of(vcpus, &BTreeSet::new());
            let counts = (of.own_hardware, of.authorised_cloud, of.standard_edition_2);
            assert_eq!(counts, (own_hardware, authorised_cloud, standard_edition_2), "{vcpus}");
            assert_eq!(of.no_standard_edition_2.is_none(), standard_edition_2.is_some());
        };
        check(2, 1, 1, Some(1));
        check(4, 1, 2, Some(1));
        // Oracle rounds up to the next four, and the core factor halves what own hardware takes.
        check(6, 2, 3, Some(2));
        check(8, 2, 4, Some(2));
        check(10, 3, 5, None);
        check(96, 24, 48, None);
    }

    #[test]
    fn standard_edition_2_is_not_offered_for_what_it_does_not_have() {
        let in_use = [EnterpriseFeature::DataGuard, EnterpriseFeature::Rac];
        let of = Licences::of(2, &BTreeSet::from(in_use));
        assert_eq!(of.standard_edition_2, None);
        assert_eq!(of.no_standard_edition_2, Some(NoStandardEdition2::InUse(in_use.to_vec())));
    }
}
