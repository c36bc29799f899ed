//! A configuration that people would expect, beside the answer: why it loses, or that it does not.

use iotrial_model::demand::Demand;

use super::SizingError;
use crate::catalog::Catalog;
use crate::chain::ElementKind;
use crate::configuration::Configuration;
use crate::explanation::{Explanation, Question};
use crate::price::{CostPart, KnownSum};
use crate::requirement::{Share, Unmet};
use crate::search::Search;

/// A configuration that somebody would expect.
#[derive(Debug, Clone, PartialEq)]
pub struct Against {
    /// Everything about it.
    pub explanation: Explanation,
    /// How much more than the answer it costs; `None` without an answer.
    pub more_per_month: Option<f64>,
    /// Why it loses, or that it does not.
    pub standing: AgainstAnswer,
}

/// How a configuration does against the answer; sums are a month.
#[derive(Debug, Clone, PartialEq)]
pub enum AgainstAnswer {
    /// It does not meet the demand.
    Fails {
        /// Limits of which the load takes more than there is.
        overfull: Vec<Share>,
        /// What else is missing.
        unmet: Vec<Unmet>,
    },
    /// It meets the demand, and there is no answer.
    Alone {
        /// What it costs.
        cost: KnownSum,
    },
    /// Already what is known of its cost is more.
    AtLeastDearer {
        /// By so much.
        more: f64,
        /// What it costs.
        cost: KnownSum,
    },
    /// A part has no price, so that nobody can say which costs less.
    NotComparable {
        /// What it costs.
        cost: KnownSum,
    },
    /// It costs the same.
    Same,
    /// It costs less, within the tolerance for fewer volumes.
    WithinTolerance {
        /// By so much.
        less: f64,
        /// How many volumes it has.
        volumes: u32,
        /// How many the answer has.
        fewer: u32,
    },
    /// It costs less, because it uses something that the search leaves out.
    OutsideSearch {
        /// By so much.
        less: f64,
    },
    /// It costs more.
    Dearer {
        /// By so much.
        more: f64,
        /// The parts that differ by half a unit or more, the largest difference first.
        parts: Vec<(CostPart, f64)>,
        /// The fullest limit of its volumes: how much of what was paid for the load can use at most.
        volumes_used_percent: f64,
    },
}

pub(super) fn hold(
    configuration: &Configuration,
    catalog: &Catalog,
    demand: &Demand,
    request: &Search,
    answer: Option<&Explanation>,
) -> Result<Against, SizingError> {
    // What the demand says holds for every configuration that is to meet it.
    // Otherwise a configuration without the asked copies or licence would win by leaving them out.
    let asked = Configuration { os: demand.os, licence: demand.licence, ..configuration.under(demand) };
    let resolved = asked.on(catalog)?;
    let question = Question {
        demand: Some(demand),
        money: request.money.clone(),
        burst: demand.allow_burst,
        ..Question::default()
    };
    let explanation = Explanation::new(&resolved, &question)?;
    // What has no price in part costs more than its sum, nobody knows by how much.
    let more_per_month = answer
        .filter(|_| explanation.cost.is_complete())
        .map(|answer| explanation.cost.per_month - answer.cost.per_month);
    let standing = standing(&explanation, answer, more_per_month, request.tolerance);
    Ok(Against { explanation, more_per_month, standing })
}

fn standing(
    explanation: &Explanation,
    answer: Option<&Explanation>,
    more: Option<f64>,
    tolerance: f64,
) -> AgainstAnswer {
    let fit = explanation.fit.as_ref().expect("it was compared with a demand");
    if !fit.is_met {
        let overfull = fit.shares.iter().filter(|share| share.is_overfull()).cloned().collect();
        return AgainstAnswer::Fails { overfull, unmet: fit.unmet.clone() };
    }
    let cost = explanation.cost.sum();
    let Some(answer) = answer else { return AgainstAnswer::Alone { cost } };
    let Some(more) = more else {
        let more = cost.per_month - answer.cost.per_month;
        return if more > 0.0 {
            AgainstAnswer::AtLeastDearer { more, cost }
        } else {
            AgainstAnswer::NotComparable { cost }
        };
    };
    // Less than half a cent: the last bits of two sums.
    if more.abs() < 0.005 {
        return AgainstAnswer::Same;
    }
    // The answer has fewer volumes where these cost hardly more.
    let (volumes, fewer) = (explanation.volumes, answer.volumes);
    if more < 0.0 && -more <= tolerance * answer.cost.per_month && volumes > fewer {
        return AgainstAnswer::WithinTolerance { less: -more, volumes, fewer };
    }
    // The search is exact over what it covers, so something cheaper must be outside of that.
    if more < 0.0 {
        return AgainstAnswer::OutsideSearch { less: -more };
    }
    let part = |part: CostPart| (part, explanation.cost.of_part(part) - answer.cost.of_part(part));
    let mut parts: Vec<(CostPart, f64)> = CostPart::ALL.into_iter().map(part).collect();
    // Differences are shown in whole units, and smaller ones would print as zero.
    parts.retain(|(_, difference)| difference.abs() >= 0.5);
    // The largest difference first, since that is the answer to «why is it dearer?».
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let of_volumes = fit.shares.iter().filter(|share| share.kind == ElementKind::Volumes);
    let volumes_used_percent = of_volumes.map(|share| share.percent).fold(0.0, f64::max);
    AgainstAnswer::Dearer { more, parts, volumes_used_percent }
}
