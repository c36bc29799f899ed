//! What is said of the parts of a bill: licences, and what is bought when.

use super::money;
use crate::explanation::Explanation;
use crate::price::CostPart;
use crate::search::YearPlan;

/// What of the sum goes to the database, and how its licences are counted.
pub(super) fn licences_in_words(answer: &Explanation, currency: &str) -> Vec<String> {
    let cost = &answer.cost;
    let database = cost.of_part(CostPart::Database);
    let share = (database > 0.0).then(|| {
        format!(
            "database licences are {} of it ({:.0} %)",
            money(database, currency),
            100.0 * database / cost.per_month
        )
    });
    share.into_iter().chain(cost.notes.iter().cloned()).collect()
}

/// What buying when it is needed costs, and saves.
pub(super) fn plan_in_words(plan: &YearPlan, currency: &str) -> String {
    let years = plan.years.len();
    let less = 100.0 * (1.0 - plan.total / plan.total_from_day_one);
    let against = if less >= 0.05 {
        format!(
            "{less:.1} % less than {} with everything bought on day one",
            money(plan.total_from_day_one, currency)
        )
    } else {
        "no cheaper than buying everything on day one".to_owned()
    };
    let without = if plan.missing.is_empty() {
        String::new()
    } else {
        format!(" (without the {})", plan.missing.join(" and the "))
    };
    format!(
        "bought when needed, {years} year{} cost {} with {}{without}, {against}",
        if years == 1 { "" } else { "s" },
        money(plan.total, currency),
        plan.title
    )
}
