//! What more or less of the rates would cost.

use super::SizingPoint;
use crate::explanation::Explanation;
use crate::search::CostCurve;

/// What a multiple of the rates costs; `instead` is what of the configuration differs from the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum RatesCost {
    /// Nothing sustains it.
    Nothing,
    /// The answer itself does for it.
    Same,
    /// As much, rounded to whole units, with another configuration.
    SameWith {
        /// What differs.
        instead: String,
    },
    /// More of the rates costs less than the answer, which has fewer volumes than the cheapest.
    NoMore {
        /// What it costs a month.
        per_month: f64,
        /// What differs.
        instead: String,
    },
    /// Another sum.
    Other {
        /// What it costs a month.
        per_month: f64,
        /// What the answer costs.
        now: f64,
        /// What differs.
        instead: String,
    },
}

/// What a tenth more and a tenth less of the rates would change, and half as much again.
pub(super) fn more_and_less(curve: &CostCurve, answer: &Explanation) -> Vec<SizingPoint> {
    let now = answer.cost.per_month;
    let room = answer.fit.as_ref().and_then(|fit| fit.carries_times);
    let point = |times: f64| {
        let point = curve.at(times)?;
        let (Some(other), Some(configuration)) = (point.per_month, &point.configuration) else {
            return Some(SizingPoint::Rates { times, cost: RatesCost::Nothing });
        };
        let has_room = times <= 1.0 || room.is_some_and(|room| room >= times * (1.0 - 1e-9));
        let instead = configuration.beside(&answer.configuration);
        Some(SizingPoint::Rates { times, cost: cost_of(times, has_room, (now, other), instead) })
    };
    // Less than half a percent is what rounding up to whole GiB and whole steps leaves over. Nobody can plan
    // with it.
    let headroom = room.filter(|room| *room > 1.005).map(|times| SizingPoint::Headroom { times });
    // A choice: a small error of the rates either way, and growth. All of them must be points of the curve.
    headroom.into_iter().chain([1.1, 0.9, 1.5].into_iter().filter_map(point)).collect()
}

/// What `times` as much costs, where the answer costs the first amount and the cheapest for it the other one.
fn cost_of(times: f64, has_room: bool, (now, other): (f64, f64), instead: String) -> RatesCost {
    // Sums are said in whole units: what is said as two amounts is not the same.
    let is_same = other.round() == now.round();
    // The answer itself does for less, and for as much more as it has room: whoever has it pays no more, although the search may
    // prefer other volumes that cost a little more or less.
    if has_room && (is_same || times > 1.0 || other > now) {
        return RatesCost::Same;
    }
    if is_same {
        return RatesCost::SameWith { instead };
    }
    // Fewer volumes were preferred at a cost a little above the cheapest, so that more may seem to cost less.
    if times > 1.0 && other < now {
        return RatesCost::NoMore { per_month: other, instead };
    }
    RatesCost::Other { per_month: other, now, instead }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_never_seems_to_cost_less_and_two_amounts_are_not_the_same() {
        let instead = || "two of them".to_owned();
        let check = |times, has_room, other, expected: RatesCost| {
            assert_eq!(cost_of(times, has_room, (1_000.0, other), instead()), expected);
        };
        let other = |per_month| RatesCost::Other { per_month, now: 1_000.0, instead: instead() };
        check(1.1, true, 995.0, RatesCost::Same);
        check(1.1, false, 1_000.2, RatesCost::SameWith { instead: instead() });
        check(1.1, false, 995.0, RatesCost::NoMore { per_month: 995.0, instead: instead() });
        check(1.1, false, 1_005.0, other(1_005.0));
        check(0.9, true, 1_005.0, RatesCost::Same);
        check(0.9, true, 990.0, other(990.0));
    }
}
