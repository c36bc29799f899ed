//! A configuration that people would expect, beside the answer: why it loses, or that it does not.

use iotrial_model::demand::Demand;
use serde::Serialize;

use super::{SizingError, cost_words, money};
use crate::catalog::Catalog;
use crate::chain::ElementKind;
use crate::configuration::Configuration;
use crate::explanation::{Explanation, Question};
use crate::price::CostPart;
use crate::search::Search;

/// A configuration that somebody would expect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Against {
    /// Everything about it.
    pub explanation: Explanation,
    /// How much more than the answer it costs; absent without an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_per_month: Option<f64>,
    /// Why it loses, or that it does not.
    pub sentence: String,
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
    let sentence = why_it_loses(&explanation, answer, more_per_month, request.tolerance);
    Ok(Against { explanation, more_per_month, sentence })
}

fn why_it_loses(
    explanation: &Explanation,
    answer: Option<&Explanation>,
    more: Option<f64>,
    tolerance: f64,
) -> String {
    let configuration = &explanation.configuration;
    let name = if configuration.title == configuration.machine {
        configuration.in_short()
    } else {
        format!("{} ({})", configuration.title, configuration.in_short())
    };
    let currency = &explanation.cost.currency;
    let fit = explanation.fit.as_ref().expect("it was compared with a demand");
    if !fit.is_met {
        // The same tolerance as when the fit was decided, or a limit that is exactly full would be named as a
        // reason.
        let overfull = fit.shares.iter().filter(|share| share.percent > 100.0 * (1.0 + 1e-9));
        let mut reasons: Vec<String> = overfull
            .map(|share| format!("{} would be {:.0} % used", share.in_words(), share.percent))
            .collect();
        reasons.extend(fit.unmet.iter().map(|unmet| unmet.message.clone()));
        return format!("{name} does not meet the demand: {}", reasons.join("; "));
    }
    let (Some(answer), Some(more)) = (answer, more) else {
        let known = cost_words(&explanation.cost, currency);
        return match answer {
            None => format!("{name} meets the demand for {known}"),
            Some(answer) if explanation.cost.per_month > answer.cost.per_month => format!(
                "{name} meets the demand and costs at least {} more: {known}",
                money(explanation.cost.per_month - answer.cost.per_month, currency)
            ),
            Some(_) => format!(
                "{name} meets the demand and cannot be compared with the answer, because a part has no price: {known}"
            ),
        };
    };
    // Less than half a cent: the last bits of two sums.
    if more.abs() < 0.005 {
        return format!("{name} costs the same as the answer");
    }
    // The answer has fewer volumes where these cost hardly more.
    let (volumes, fewer) = (explanation.volumes, answer.volumes);
    if more < 0.0 && -more <= tolerance * answer.cost.per_month && volumes > fewer {
        return format!(
            "{name} costs {} less than the answer and has {volumes} volumes instead of {fewer}: within the tolerance the search prefers fewer",
            money(-more, currency),
        );
    }
    // The search is exact over what it covers, so something cheaper must be outside of that, and the sentence
    // says what.
    if more < 0.0 {
        return format!(
            "{name} costs {} less than the answer, because it uses something that the search leaves out: {}",
            money(-more, currency),
            "pools that were not requested (--pool), a cache, a machine below the minimum size, or a kind of volume that must be selected by name (--volume)"
        );
    }
    let part = |part: CostPart| {
        let sum = |one: &Explanation| one.cost.of_part(part);
        (part, sum(explanation) - sum(answer))
    };
    let mut parts: Vec<(CostPart, f64)> = CostPart::ALL.into_iter().map(part).collect();
    // Differences are shown in whole units, and smaller ones would print as zero.
    parts.retain(|(_, difference)| difference.abs() >= 0.5);
    // The largest difference first, since that is the answer to «why is it dearer?».
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let differences: Vec<String> =
        parts.iter().map(|(part, difference)| format!("{} {difference:+.0}", part.as_str())).collect();
    let idle = fit
        .shares
        .iter()
        .filter(|share| share.kind == ElementKind::Volumes)
        .map(|share| share.percent)
        // The fullest of the volume limits: how much of what was paid for the load can use at most.
        .fold(0.0, f64::max);
    format!(
        "{name} meets the demand and costs {} more ({}); its volumes are {idle:.0} % used",
        money(more, currency),
        differences.join(", ")
    )
}
