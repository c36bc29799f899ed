//! A configuration that somebody would expect, beside the answer.

use iotrial_sizing::configuration::Configuration;
use iotrial_sizing::sizing::{Against, AgainstAnswer};

use super::{limit, money, sum_in_words, unmet};

/// Why a configuration loses, or that it does not.
pub fn against(against: &Against) -> String {
    let explanation = &against.explanation;
    standing(&name(&explanation.configuration), &against.standing, &explanation.cost.currency)
}

/// Its title, with what it is made of.
fn name(configuration: &Configuration) -> String {
    if configuration.title == configuration.machine {
        configuration.in_short()
    } else {
        format!("{} ({})", configuration.title, configuration.in_short())
    }
}

pub(super) fn standing(name: &str, standing: &AgainstAnswer, currency: &str) -> String {
    match standing {
        AgainstAnswer::Fails { overfull, unmet: missing } => {
            let overfull =
                overfull.iter().map(|share| format!("{} would be {:.0} % used", limit(share), share.percent));
            let reasons: Vec<String> = overfull.chain(missing.iter().map(unmet)).collect();
            format!("{name} does not meet the demand: {}", reasons.join("; "))
        }
        AgainstAnswer::Alone { cost } => {
            format!("{name} meets the demand for {}", sum_in_words(cost, currency))
        }
        AgainstAnswer::AtLeastDearer { more, cost } => format!(
            "{name} meets the demand and costs at least {} more: {}",
            money(*more, currency),
            sum_in_words(cost, currency)
        ),
        AgainstAnswer::NotComparable { cost } => format!(
            "{name} meets the demand and cannot be compared with the answer, because a part has no price: {}",
            sum_in_words(cost, currency)
        ),
        AgainstAnswer::Same => format!("{name} costs the same as the answer"),
        AgainstAnswer::WithinTolerance { less, volumes, fewer } => format!(
            "{name} costs {} less than the answer and has {volumes} volumes instead of {fewer}: within the tolerance the search prefers fewer",
            money(*less, currency),
        ),
        AgainstAnswer::OutsideSearch { less } => format!(
            "{name} costs {} less than the answer, because it uses something that the search leaves out: {}",
            money(*less, currency),
            "pools that were not requested (--pool), a cache, a machine below the minimum size, or a kind of volume that must be selected by name (--volume)"
        ),
        AgainstAnswer::Dearer { more, parts, volumes_used_percent } => {
            let part = |(part, difference): &(iotrial_sizing::price::CostPart, f64)| {
                format!("{} {difference:+.0}", part.as_str())
            };
            format!(
                "{name} meets the demand and costs {} more ({}); its volumes are {volumes_used_percent:.0} % used",
                money(*more, currency),
                parts.iter().map(part).collect::<Vec<_>>().join(", ")
            )
        }
    }
}
