//! What is to be known of the parts of a bill: licences, and what is bought when.

use super::SizingPoint;
use crate::explanation::Explanation;
use crate::price::CostPart;
use crate::search::YearPlan;

/// What of the sum goes to the database, and how its licences are counted.
pub(super) fn licences(answer: &Explanation) -> impl Iterator<Item = SizingPoint> {
    let cost = &answer.cost;
    let per_month = cost.of_part(CostPart::Database);
    let percent = 100.0 * per_month / cost.per_month;
    let share = (per_month > 0.0).then_some(SizingPoint::Database { per_month, percent });
    share.into_iter().chain(cost.notes.iter().cloned().map(SizingPoint::OfCost))
}

/// What buying when it is needed costs, and saves.
pub(super) fn bought_when_needed(plan: &YearPlan) -> SizingPoint {
    SizingPoint::BoughtWhenNeeded {
        title: plan.title.clone(),
        years: plan.years.len(),
        total: plan.total,
        total_from_day_one: plan.total_from_day_one,
        missing: plan.missing.clone(),
    }
}
