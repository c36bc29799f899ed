//! What the text around a printed table says of its rows, computed again from its figures.

use std::cmp::Ordering;

use iotrial_model::bound::{Amount, BoundRelation, Bounded};
use iotrial_model::figure::Better;
use iotrial_model::imported::Stated;
use iotrial_model::metric::{APPLICATION, MetricKey};
use iotrial_model::range::{Range, write_change, write_stated};
use iotrial_model::table::{Claim, PrintedCategory, PublishedTable};
use iotrial_model::words::enumerate;

use super::tally::{AuditFinding, Check, Tally, Weight};
use crate::comparison::{CompareRequest, Comparison, Metric, MetricGroup, Sample};

/// All claims of a table.
pub(super) fn check_claims(table: &PublishedTable, tally: &mut Tally) {
    let claims = Claims { table };
    for claim in &table.claims {
        match claim {
            Claim::Delta { metric, baseline, row, percent } => {
                claims.check_delta(metric, baseline, row, percent.into(), tally);
            }
            Claim::Rank { metric, order } => claims.check_rank(metric, order, tally),
            Claim::Recommend { best, avoid } => claims.check_recommendation(best, avoid, tally),
            Claim::Gain { baseline, row, percent, words } => {
                claims.check_gain(baseline, row, percent.into(), words.as_deref(), tally);
            }
            Claim::Category { row, metric, category } => claims.check_category(row, metric, category, tally),
        }
    }
}

struct Claims<'t> {
    table: &'t PublishedTable,
}

fn metric_of(name: &str) -> Option<Metric> {
    MetricKey::from_key(name).map(Metric::from)
}

/// The words of a metric in a sentence: `read p99.9`.
fn words_of(name: &str) -> String {
    match metric_of(name) {
        Some(Metric { key: MetricKey::Named { place, name }, .. }) if place == APPLICATION => {
            name.replace('_', " ").replace(" per s", " per second")
        }
        Some(metric) => format!("{} {}", metric.key.place(), metric.short_name()),
        None => name.to_owned(),
    }
}

/// The change from one figure to another in hundredths.
fn change(from: Range, to: Range) -> Range {
    let quotient = to / from;
    Range { low: 100.0 * (quotient.low - 1.0), high: 100.0 * (quotient.high - 1.0) }
}

/// What a row says of a metric.
struct Known {
    /// The values that it may stand for.
    range: Range,
    amount: Amount,
    words: String,
}

impl Known {
    /// A latency in ms, as the categories are, with all digits that are printed in µs.
    fn in_ms(&self) -> String {
        let (sign, us) = self.amount.shown();
        let digits = format!("{:.6}", us / 1_000.0);
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        sign.map_or_else(|| digits.to_owned(), |sign| format!("{sign} {digits}"))
    }

    /// Whether it is higher than another one for sure, as far as the digits go.
    fn is_above(&self, other: &Self) -> bool {
        match (self.amount, other.amount) {
            (Amount::Exact(_), Amount::Exact(_)) => self.range.is_above(other.range),
            (one, other) => one.surely(other) == Some(Ordering::Greater),
        }
    }
}

impl Claims<'_> {
    fn figure(&self, row: &str, metric: &str) -> Option<Stated> {
        let row = self.table.rows.iter().find(|one| one.id == row)?;
        row.figure(metric).map(Stated::from)
    }

    /// A figure, or the bound that was printed of it.
    fn known(&self, row: &str, metric: &str) -> Option<Known> {
        if let Some(stated) = self.figure(row, metric) {
            let range = Range::of(stated);
            return Some(Known { range, amount: Amount::Exact(stated.value), words: write_stated(stated) });
        }
        let row = self.table.rows.iter().find(|one| one.id == row)?;
        let bound = row.bounds.iter().find(|bound| bound.metric == metric)?;
        let stated = Stated::from(&bound.number);
        let amount = Amount::Bounded(Bounded { relation: bound.relation, value: stated.value });
        let (low, high) = amount.range();
        let words = format!("{} {}", bound.relation.sign(), write_stated(stated));
        Some(Known { range: Range { low, high }, amount, words })
    }

    fn check_delta(&self, metric: &str, baseline: &str, row: &str, claimed: Stated, tally: &mut Tally) {
        let figures = self.known(baseline, metric).zip(self.known(row, metric));
        let Some((from, to)) = figures.filter(|(from, _)| from.range.high > 0.0) else {
            return tally
                .unchecked(format!("rows {baseline} and {row} do not both have {}", words_of(metric)));
        };
        let (Amount::Exact(from_value), Amount::Exact(to_value)) = (from.amount, to.amount) else {
            return self.check_delta_of_bounds(metric, (baseline, &from), (row, &to), claimed, tally);
        };
        if change(from.range, to.range).overlaps(Range::of_change(claimed)) {
            return tally.held(Check::ClaimedChange);
        }
        let right = 100.0 * (to_value / from_value - 1.0);
        let opposite = 100.0 * (from_value / to_value - 1.0);
        // Within half a step of the one decimal that changes are mostly printed with.
        let overlaps_opposite = Range::of(claimed).overlaps(Range::from_to(opposite - 0.05, opposite + 0.05));
        tally.found(AuditFinding {
            check: Check::ClaimedChange,
            weight: Weight::Contradiction,
            place: format!("{} from row {baseline} to row {row}", words_of(metric)),
            message: format!(
                "{} after {} is a change of {}, not of {}",
                to.words,
                from.words,
                write_change(right),
                write_change(claimed.value)
            ),
            cause: if overlaps_opposite {
                "the change was computed the other way round".to_owned()
            } else {
                "the figures or the change were misprinted, or come from different runs".to_owned()
            },
            right: Some(write_change(right)),
            off_by_percent: None,
        });
    }

    /// A claimed change is wrong where no figure that the bounds leave has it; where they leave room, nothing is confirmed.
    fn check_delta_of_bounds(
        &self,
        metric: &str,
        (baseline, from): (&str, &Known),
        (row, to): (&str, &Known),
        claimed: Stated,
        tally: &mut Tally,
    ) {
        let (least, most) = from.amount.change_percent(to.amount);
        let possible = Range { low: least.unwrap_or(f64::NEG_INFINITY), high: most.unwrap_or(f64::INFINITY) };
        let place = format!("{} from row {baseline} to row {row}", words_of(metric));
        if possible.overlaps(Range::of_change(claimed)) {
            return tally.unchecked(format!(
                "{place}: a figure is printed only as a bound, so the change is not known exactly"
            ));
        }
        let right = match (least, most) {
            (_, Some(most)) if claimed.value > most => format!("at most {}", write_change(most)),
            (Some(least), _) => format!("at least {}", write_change(least)),
            _ => return,
        };
        tally.found(AuditFinding {
            check: Check::ClaimedChange,
            weight: Weight::Contradiction,
            place,
            message: format!(
                "{} after {} is a change of {right}, not of {}",
                to.words,
                from.words,
                write_change(claimed.value)
            ),
            cause: "the figures or the change were misprinted, or come from different runs".to_owned(),
            right: Some(right),
            off_by_percent: None,
        });
    }

    fn check_rank(&self, metric: &str, order: &[String], tally: &mut Tally) {
        let Some(better) = metric_of(metric).and_then(|metric| metric.better()) else {
            return tally.unchecked(format!(
                "it is not known whether more or less of {} is better",
                words_of(metric)
            ));
        };
        let figures: Option<Vec<(&String, Known)>> =
            order.iter().map(|row| Some((row, self.known(row, metric)?))).collect();
        let Some(mut figures) = figures else {
            return tally.unchecked(format!("not every row has {}", words_of(metric)));
        };
        let is_better = |a: &Known, b: &Known| match better {
            Better::Higher => a.is_above(b),
            Better::Lower => b.is_above(a),
        };
        // Not only neighbours: digits may leave them equal where those further apart are not.
        let wrong = figures.iter().enumerate().find_map(|(index, (row, figure))| {
            let later = figures[index + 1..].iter().find(|(_, later)| is_better(later, figure))?;
            Some(((*row).clone(), figure.words.clone(), later.0.clone(), later.1.words.clone()))
        });
        let Some((row, figure, later, later_figure)) = wrong else {
            return tally.held(Check::ClaimedRanking);
        };
        let value = |known: &Known| known.amount.shown().1;
        figures.sort_by(|(_, a), (_, b)| match better {
            Better::Higher => value(b).total_cmp(&value(a)),
            Better::Lower => value(a).total_cmp(&value(b)),
        });
        let right: Vec<&str> = figures.iter().map(|(row, _)| row.as_str()).collect();
        tally.found(AuditFinding {
            check: Check::ClaimedRanking,
            weight: Weight::Contradiction,
            place: words_of(metric),
            message: format!(
                "row {row} is ranked before row {later}, but has {figure} against {later_figure}"
            ),
            cause: "the rows were ranked by another metric, or before a figure was corrected".to_owned(),
            right: Some(right.join(", ")),
            off_by_percent: None,
        });
    }

    fn check_recommendation(&self, best: &str, avoid: &[String], tally: &mut Tally) {
        // By the same comparison that `compare` shows, so that audit and comparison of a table cannot disagree.
        let samples = Sample::of_table(self.table, "the table");
        let comparison = match Comparison::new(samples, &CompareRequest::default()) {
            Ok(comparison) => comparison,
            Err(error) => return tally.unchecked(format!("the recommendation cannot be computed: {error}")),
        };
        let recommendation = &comparison.recommendation;
        let is_told_to_avoid = avoid.iter().any(|row| row == best);
        match &recommendation.best {
            Some(found) if found == best && !is_told_to_avoid => tally.held(Check::ClaimedRecommendation),
            Some(found) => tally.found(AuditFinding {
                check: Check::ClaimedRecommendation,
                weight: Weight::Contradiction,
                place: format!("row {best}"),
                message: format!(
                    "row {best} is recommended, but the figures favour {found}: {}",
                    recommendation.sentence
                ),
                cause: "something else decided, such as price or risk, or the figures changed".to_owned(),
                right: Some(format!("row {found}")),
                off_by_percent: None,
            }),
            None => tally.found(AuditFinding {
                check: Check::ClaimedRecommendation,
                weight: Weight::Doubt,
                place: format!("row {best}"),
                message: format!(
                    "row {best} is recommended, but the figures show no best one: {}",
                    recommendation.sentence
                ),
                cause: "something else decided, such as price or risk".to_owned(),
                right: None,
                off_by_percent: None,
            }),
        }
    }

    /// A gain without its metric is true where all metrics of a kind show it.
    fn check_gain(&self, baseline: &str, row: &str, claimed: Stated, words: Option<&str>, tally: &mut Tally) {
        let Some(before) = self.table.rows.iter().find(|one| one.id == baseline) else { return };
        let mut gains: Vec<(String, MetricGroup, Range, f64)> = Vec::new();
        for (name, number) in &before.figures {
            let Some(metric) = metric_of(name) else { continue };
            let (Some(better), Some(to)) = (metric.better(), self.figure(row, name)) else { continue };
            let from = Stated::from(number);
            // From nothing there is no change in percent; and less CPU time is what a run costs, not what a configuration
            // gains.
            if from.value <= 0.0 || to.value <= 0.0 || metric.group() == MetricGroup::Cpu {
                continue;
            }
            let change = change(Range::of(from), Range::of(to));
            let value = 100.0 * (to.value / from.value - 1.0);
            let (range, value) = match better {
                Better::Higher => (change, value),
                Better::Lower => (Range::from_to(-change.low, -change.high), -value),
            };
            gains.push((words_of(name), metric.group(), range, value));
        }
        let claimed_range = Range::of(claimed);
        let (fitting, others): (Vec<_>, Vec<_>) =
            gains.into_iter().partition(|(_, _, range, _)| range.overlaps(claimed_range));
        let place = format!("row {row} against row {baseline}");
        let quoted = words.map_or_else(|| write_change(claimed.value), |words| format!("“{words}”"));
        let list = |gains: &[&(String, MetricGroup, Range, f64)]| {
            let one = |(name, _, _, value): &&(String, MetricGroup, Range, f64)| {
                format!("{name} ({})", write_change(*value))
            };
            enumerate(&gains.iter().map(one).collect::<Vec<_>>())
        };
        let finding = |message: String, cause: &str, right: Option<String>| AuditFinding {
            check: Check::ClaimedGain,
            weight: Weight::Contradiction,
            place: place.clone(),
            message,
            cause: cause.to_owned(),
            right,
            off_by_percent: None,
        };
        let Some((_, group, ..)) = fitting.first() else {
            if others.is_empty() {
                return tally
                    .unchecked(format!("{place}: they have no figure in common that could show a gain"));
            }
            let all: Vec<_> = others.iter().collect();
            return tally.found(finding(
                format!("{quoted} is claimed, but no figure shows this gain: {}", list(&all)),
                "the gain refers to a metric that is not printed",
                None,
            ));
        };
        let rivals: Vec<_> = others.iter().filter(|(_, other, ..)| other == group).collect();
        if rivals.is_empty() {
            return tally.held(Check::ClaimedGain);
        }
        let fits: Vec<_> = fitting.iter().collect();
        tally.found(finding(
            format!("{quoted} is true of {}, but not of {}", list(&fits), list(&rivals)),
            "the text took the metric with the larger gain and did not name it",
            Some(format!("each gain with its metric, which is {}; {}", list(&fits), list(&rivals))),
        ));
    }

    fn check_category(&self, row: &str, metric: &str, claimed: &str, tally: &mut Tally) {
        let Some(figure) = self.known(row, metric) else {
            return tally.unchecked(format!("row {row} has no {}", words_of(metric)));
        };
        let categories = &self.table.categories;
        let place_of =
            |us: f64| categories.iter().position(|one| one.below_ms.is_none_or(|edge| us / 1_000.0 < edge));
        // The digits may reach over an edge: then any category that they reach is a true word.
        let range = figure.range;
        // Below 1 ms is not 1 ms.
        let high = match figure.amount {
            Amount::Bounded(Bounded { relation: BoundRelation::Below, .. }) => range.high.next_down(),
            _ => range.high,
        };
        let (Some(best), Some(worst)) = (place_of(range.low), place_of(high)) else {
            return tally.unchecked("no printed category contains the figure".to_owned());
        };
        let is_claimed = |one: &PrintedCategory| one.name.eq_ignore_ascii_case(claimed);
        if categories[best..=worst].iter().any(is_claimed) {
            return tally.held(Check::ClaimedCategory);
        }
        let own = &categories[figure.amount.exact().and_then(place_of).unwrap_or(worst)].name;
        let of_claimed = categories.iter().position(is_claimed).map(|index| edges(categories, index));
        tally.found(AuditFinding {
            check: Check::ClaimedCategory,
            weight: Weight::Contradiction,
            place: format!("row {row}, {}", words_of(metric)),
            message: format!(
                "{} ms is called {claimed}, but the table of categories calls it {own}{}",
                figure.in_ms(),
                of_claimed.map_or_else(
                    || " and does not have that word".to_owned(),
                    |edges| format!(": {claimed} is {edges}")
                )
            ),
            cause: "the text does not follow the categories of its own table".to_owned(),
            right: Some(own.clone()),
            off_by_percent: None,
        });
    }
}

fn edges(categories: &[PrintedCategory], index: usize) -> String {
    let from = index.checked_sub(1).and_then(|before| categories[before].below_ms);
    match (from, categories[index].below_ms) {
        (None, Some(below)) => format!("below {below} ms"),
        (Some(from), Some(below)) => format!("{from} to {below} ms"),
        (Some(from), None) => format!("{from} ms and more"),
        (None, None) => "anything".to_owned(),
    }
}
