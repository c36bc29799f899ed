//! What the text around a printed table says of its rows, computed again from its figures.

use std::cmp::Ordering;

use iotrial_model::audit::{
    AuditFinding, AuditPlace, Cause, Check, Conflict, Gain, PrintedAmount, Reason, Right, Weight,
};
use iotrial_model::bound::{Amount, BoundRelation, Bounded};
use iotrial_model::figure::Better;
use iotrial_model::imported::Stated;
use iotrial_model::metric::MetricKey;
use iotrial_model::range::Range;
use iotrial_model::table::{Claim, PricePart, PrintedCategory, PrintedNumber, PublishedTable};

use super::tally::Tally;
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
            Claim::Worst { row, metric } => claims.check_worst(row, metric.as_deref(), tally),
            Claim::Limit { metric, rows, limits } => claims.check_limits(metric, rows, limits, tally),
            Claim::Price { row, total, parts } => check_price(row, total.into(), parts, tally),
        }
    }
}

struct Claims<'t> {
    table: &'t PublishedTable,
}

fn metric_of(name: &str) -> Option<Metric> {
    MetricKey::from_key(name).map(Metric::from)
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
    printed: PrintedAmount,
}

impl Known {
    /// Whether it is higher than another one for sure, as far as the digits go.
    fn is_above(&self, other: &Self) -> bool {
        match (self.amount, other.amount) {
            (Amount::Exact(_), Amount::Exact(_)) => self.range.is_above(other.range),
            (one, other) => one.surely(other) == Some(Ordering::Greater),
        }
    }

    /// Whether it is on that side of a number, as far as the digits go; `None` where its bound leaves that open.
    fn is_within(&self, relation: BoundRelation, limit: f64) -> Option<bool> {
        let Range { low, high } = self.range;
        let (low_included, high_included) = self.amount.includes_ends();
        let (may, must) = match relation {
            BoundRelation::Below => (low < limit, high < limit || high == limit && !high_included),
            BoundRelation::AtMost => (low < limit || low == limit && low_included, high <= limit),
            BoundRelation::Above => (high > limit, low > limit || low == limit && !low_included),
            BoundRelation::AtLeast => (high > limit || high == limit && high_included, low >= limit),
            BoundRelation::About => (true, true),
        };
        match self.amount {
            Amount::Exact(_) => Some(may),
            Amount::Bounded(_) => {
                if may == must {
                    Some(may)
                } else {
                    None
                }
            }
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
            let printed = PrintedAmount { relation: None, number: stated };
            return Some(Known { range, amount: Amount::Exact(stated.value), printed });
        }
        let row = self.table.rows.iter().find(|one| one.id == row)?;
        let bound = row.bounds.iter().find(|bound| bound.metric == metric)?;
        let stated = Stated::from(&bound.number);
        let amount = Amount::Bounded(Bounded { relation: bound.relation, value: stated.value });
        let (low, high) = amount.range();
        let printed = PrintedAmount { relation: Some(bound.relation), number: stated };
        Some(Known { range: Range { low, high }, amount, printed })
    }

    fn check_delta(&self, metric: &str, baseline: &str, row: &str, claimed: Stated, tally: &mut Tally) {
        let (metric, baseline, row) = (metric.to_owned(), baseline.to_owned(), row.to_owned());
        let figures = self.known(&baseline, &metric).zip(self.known(&row, &metric));
        let Some((from, to)) = figures.filter(|(from, _)| from.range.high > 0.0) else {
            return tally.unchecked(Reason::NotInBothRows { metric, baseline, row });
        };
        let place = AuditPlace::Change { metric, baseline, row };
        let (Amount::Exact(from_value), Amount::Exact(to_value)) = (from.amount, to.amount) else {
            return check_delta_of_bounds(place, &from, &to, claimed, tally);
        };
        let possible = change(from.range, to.range);
        if possible.overlaps(Range::of_change(claimed)) {
            return tally.held(Check::ClaimedChange);
        }
        let percent = 100.0 * (to_value / from_value - 1.0);
        let opposite = 100.0 * (from_value / to_value - 1.0);
        // Within half a step of the one decimal that changes are mostly printed with.
        let overlaps_opposite = Range::of(claimed).overlaps(Range::from_to(opposite - 0.05, opposite + 0.05));
        let cause = if overlaps_opposite { Cause::ChangeReversed } else { Cause::Usual };
        // From what is printed as 0 there is only the least change that its digits leave.
        let right = if from_value > 0.0 {
            Right::Change { bound: None, percent }
        } else {
            Right::Change { bound: Some(BoundRelation::AtLeast), percent: possible.low }
        };
        tally.found(wrong_change(place, &from, &to, claimed).because(cause).with_right(right));
    }

    fn check_rank(&self, metric: &str, order: &[String], tally: &mut Tally) {
        let Some(better) = metric_of(metric).and_then(|metric| metric.better()) else {
            return tally.unchecked(Reason::NoBetter(metric.to_owned()));
        };
        let figures: Option<Vec<(&String, Known)>> =
            order.iter().map(|row| Some((row, self.known(row, metric)?))).collect();
        let Some(mut figures) = figures else {
            return tally.unchecked(Reason::NotInEveryRow(metric.to_owned()));
        };
        let is_better = |a: &Known, b: &Known| match better {
            Better::Higher => a.is_above(b),
            Better::Lower => b.is_above(a),
        };
        // Not only neighbours: digits may leave them equal where those further apart are not.
        let wrong = figures.iter().enumerate().find_map(|(index, (row, figure))| {
            let later = figures[index + 1..].iter().find(|(_, later)| is_better(later, figure))?;
            Some(Conflict::Ranking {
                row: (*row).clone(),
                figure: figure.printed,
                later: later.0.clone(),
                later_figure: later.1.printed,
            })
        });
        let Some(conflict) = wrong else {
            return tally.held(Check::ClaimedRanking);
        };
        let value = |known: &Known| known.amount.shown().1;
        figures.sort_by(|(_, a), (_, b)| match better {
            Better::Higher => value(b).total_cmp(&value(a)),
            Better::Lower => value(a).total_cmp(&value(b)),
        });
        let right = figures.into_iter().map(|(row, _)| row.clone()).collect();
        let finding = AuditFinding::new(AuditPlace::Metric(metric.to_owned()), conflict);
        tally.found(finding.with_right(Right::Order(right)));
    }

    fn check_recommendation(&self, best: &str, avoid: &[String], tally: &mut Tally) {
        // By the same comparison that `compare` shows, so that audit and comparison of a table cannot disagree.
        let samples = Sample::of_table(self.table, "the table");
        let comparison = match Comparison::new(samples, &CompareRequest::default()) {
            Ok(comparison) => comparison,
            Err(error) => return tally.unchecked(Reason::NoRecommendation(error.to_string())),
        };
        let recommendation = &comparison.recommendation;
        let is_told_to_avoid = avoid.iter().any(|row| row == best);
        let favoured = recommendation.best.clone();
        if favoured.as_deref() == Some(best) && !is_told_to_avoid {
            return tally.held(Check::ClaimedRecommendation);
        }
        let conflict = Conflict::Recommendation {
            row: best.to_owned(),
            favoured: favoured.clone(),
            sentence: recommendation.sentence.clone(),
        };
        let finding = AuditFinding::new(AuditPlace::Row(best.to_owned()), conflict);
        tally.found(match favoured {
            Some(favoured) => finding.with_right(Right::Row(favoured)),
            None => finding.weighing(Weight::Doubt),
        });
    }

    /// A gain without its metric is true where all metrics of a kind show it.
    fn check_gain(&self, baseline: &str, row: &str, claimed: Stated, words: Option<&str>, tally: &mut Tally) {
        let Some(before) = self.table.rows.iter().find(|one| one.id == baseline) else { return };
        let mut gains: Vec<(MetricGroup, Range, Gain)> = Vec::new();
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
            gains.push((metric.group(), range, Gain { metric: name.clone(), percent: value }));
        }
        let claimed_range = Range::of(claimed);
        let (fitting, others): (Vec<_>, Vec<_>) =
            gains.into_iter().partition(|(_, range, _)| range.overlaps(claimed_range));
        let place = AuditPlace::Rows { baseline: baseline.to_owned(), row: row.to_owned() };
        if fitting.is_empty() && others.is_empty() {
            return tally.unchecked_at(place, Reason::NoCommonFigure);
        }
        let first_group = fitting.first().map(|(group, ..)| *group);
        let is_rival =
            |(group, ..): &(MetricGroup, Range, Gain)| first_group.is_none_or(|first| first == *group);
        let rivals: Vec<Gain> = others.into_iter().filter(is_rival).map(|(.., gain)| gain).collect();
        if rivals.is_empty() {
            return tally.held(Check::ClaimedGain);
        }
        let conflict = Conflict::Gain {
            claimed_percent: claimed.value,
            quote: words.map(str::to_owned),
            fitting: fitting.into_iter().map(|(.., gain)| gain).collect(),
            others: rivals,
        };
        let finding = AuditFinding::new(place, conflict);
        let has_right = first_group.is_some();
        tally.found(if has_right { finding.with_right(Right::GainsWithMetrics) } else { finding });
    }

    /// A row is the worst by a metric if no other one is worse for sure.
    fn check_worst(&self, row: &str, metric: Option<&str>, tally: &mut Tally) {
        let rows = &self.table.rows;
        let metrics: Vec<&str> = metric.map_or_else(
            || {
                rows.first()
                    .map_or_else(Vec::new, |row| row.figures.iter().map(|(name, _)| &**name).collect())
            },
            |metric| vec![metric],
        );
        let (mut fitting, mut others, mut is_known) = (Vec::new(), Vec::new(), false);
        for metric in metrics {
            let Some(better) = metric_of(metric).and_then(|metric| metric.better()) else { continue };
            let figures: Option<Vec<(&str, Known)>> =
                rows.iter().map(|row| Some((&*row.id, self.known(&row.id, metric)?))).collect();
            let Some(figures) = figures else { continue };
            let is_worse = |one: &Known, other: &Known| match better {
                Better::Higher => other.is_above(one),
                Better::Lower => one.is_above(other),
            };
            let value = |known: &Known| known.amount.shown().1;
            let worst = figures.iter().max_by(|(_, a), (_, b)| match better {
                Better::Higher => value(b).total_cmp(&value(a)),
                Better::Lower => value(a).total_cmp(&value(b)),
            });
            let own = figures.iter().find(|(id, _)| *id == row);
            let Some(((worst_row, worst), (_, own))) = worst.zip(own) else { continue };
            is_known = true;
            // Otherwise their digits do not tell them apart.
            if value(own) == value(worst) {
                fitting.push(metric.to_owned());
            } else if is_worse(worst, own) {
                others.push((metric.to_owned(), (*worst_row).to_owned()));
            }
        }
        let place = AuditPlace::Row(row.to_owned());
        if !is_known {
            let reason =
                metric.map_or(Reason::NoCommonFigure, |metric| Reason::NotInEveryRow(metric.to_owned()));
            return tally.unchecked_at(place, reason);
        }
        let count = |id: &str| others.iter().filter(|(_, row)| row == id).count();
        // Of several, the first that the table has.
        let Some(rival) = others.iter().map(|(_, row)| row).rev().max_by_key(|row| count(row)).cloned()
        else {
            return tally.held(Check::ClaimedWorst);
        };
        let is_wrong = count(&rival) > fitting.len();
        let finding = AuditFinding::new(place, Conflict::Worst { fitting, others });
        tally.found(if is_wrong {
            finding.with_right(Right::Row(rival))
        } else {
            finding.weighing(Weight::Doubt)
        });
    }

    /// A limit is broken where a figure is beyond it for sure.
    fn check_limits(
        &self,
        metric: &str,
        rows: &[String],
        limits: &[(BoundRelation, PrintedNumber)],
        tally: &mut Tally,
    ) {
        let named = |id: &String| rows.is_empty() || rows.contains(id);
        let known: Vec<(&String, Known)> = self
            .table
            .rows
            .iter()
            .filter(|row| named(&row.id))
            .filter_map(|row| Some((&row.id, self.known(&row.id, metric)?)))
            .collect();
        if let Some(row) = rows.iter().find(|row| known.iter().all(|(id, _)| id != row)) {
            return tally.unchecked(Reason::NotInRow { row: row.clone(), metric: metric.to_owned() });
        }
        if known.is_empty() {
            return tally.unchecked(Reason::NotInEveryRow(metric.to_owned()));
        }
        for (row, figure) in known {
            for (relation, number) in limits {
                let limit = Stated::from(number);
                let place = AuditPlace::RowMetric { row: row.clone(), metric: metric.to_owned() };
                match figure.is_within(*relation, limit.value) {
                    Some(true) => tally.held(Check::ClaimedLimit),
                    None => tally.unchecked_at(place, Reason::OnlyBound),
                    Some(false) => {
                        let conflict = Conflict::Limit { relation: *relation, limit, figure: figure.printed };
                        tally.found(AuditFinding::new(place, conflict));
                    }
                }
            }
        }
    }

    fn check_category(&self, row: &str, metric: &str, claimed: &str, tally: &mut Tally) {
        let Some(figure) = self.known(row, metric) else {
            let (row, metric) = (row.to_owned(), metric.to_owned());
            return tally.unchecked(Reason::NotInRow { row, metric });
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
            return tally.unchecked(Reason::NoCategory);
        };
        let is_claimed = |one: &PrintedCategory| one.name.eq_ignore_ascii_case(claimed);
        if categories[best..=worst].iter().any(is_claimed) {
            return tally.held(Check::ClaimedCategory);
        }
        let own = &categories[figure.amount.exact().and_then(place_of).unwrap_or(worst)].name;
        let conflict = Conflict::Category {
            figure: figure.amount,
            claimed: claimed.to_owned(),
            own: own.clone(),
            claimed_ms: categories.iter().position(is_claimed).map(|index| edges_ms(categories, index)),
        };
        let place = AuditPlace::RowMetric { row: row.to_owned(), metric: metric.to_owned() };
        tally.found(AuditFinding::new(place, conflict).with_right(Right::Category(own.clone())));
    }
}

/// A price is right where some values that its digits may stand for are the sum of some that those of its parts may.
fn check_price(row: &str, total: Stated, parts: &[PricePart], tally: &mut Tally) {
    let range = |number: &PrintedNumber| Range::of(Stated::from(number));
    let part = |part: &PricePart| range(&part.quantity) * range(&part.unit_price);
    let sum = parts.iter().map(part).fold(Range::exact(0.0), |sum, part| sum + part);
    if sum.overlaps(Range::of(total)) {
        return tally.held(Check::ClaimedPrice);
    }
    let finding = AuditFinding::new(AuditPlace::Row(row.to_owned()), Conflict::Price { total });
    tally.found(finding.with_right(Right::Sum(sum)));
}

fn wrong_change(place: AuditPlace, from: &Known, to: &Known, claimed: Stated) -> AuditFinding {
    let (from, to, claimed_percent) = (from.printed, to.printed, claimed.value);
    AuditFinding::new(place, Conflict::Change { from, to, claimed_percent })
}

/// A claimed change is wrong where no figure that the bounds leave has it; where they leave room, nothing is confirmed.
fn check_delta_of_bounds(place: AuditPlace, from: &Known, to: &Known, claimed: Stated, tally: &mut Tally) {
    let (least, most) = from.amount.change_percent(to.amount);
    let possible = Range { low: least.unwrap_or(f64::NEG_INFINITY), high: most.unwrap_or(f64::INFINITY) };
    if possible.overlaps(Range::of_change(claimed)) {
        return tally.unchecked_at(place, Reason::OnlyBound);
    }
    let (bound, percent) = match (least, most) {
        (_, Some(most)) if claimed.value > most => (BoundRelation::AtMost, most),
        (Some(least), _) => (BoundRelation::AtLeast, least),
        _ => return,
    };
    let right = Right::Change { bound: Some(bound), percent };
    tally.found(wrong_change(place, from, to, claimed).with_right(right));
}

/// From where to where a category reaches, in ms.
fn edges_ms(categories: &[PrintedCategory], index: usize) -> (Option<f64>, Option<f64>) {
    let from = index.checked_sub(1).and_then(|before| categories[before].below_ms);
    (from, categories[index].below_ms)
}
