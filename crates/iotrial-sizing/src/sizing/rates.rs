//! What more or less of the rates would cost, in sentences beside an answer.

use super::money;
use crate::explanation::Explanation;
use crate::search::CostCurve;

/// What a tenth more and a tenth less of the rates would change.
pub(super) fn more_and_less(curve: &CostCurve, answer: &Explanation, currency: &str) -> Vec<String> {
    let now = answer.cost.per_month;
    let room = answer.fit.as_ref().and_then(|fit| fit.carries_times);
    let words = |times: f64, words: &str| {
        let point = curve.at(times)?;
        let (Some(other), Some(configuration)) = (point.per_month, &point.configuration) else {
            return Some(format!("{words}: no configuration sustains it"));
        };
        let has_room = times <= 1.0 || room.is_some_and(|room| room >= times * (1.0 - 1e-9));
        let instead = configuration.beside(&answer.configuration);
        Some(format!("{words} would cost {}", cost_words(times, has_room, (now, other), &instead, currency)))
    };
    let mut all: Vec<String> =
        // A choice: a small error of the rates either way, and growth. All of them must be points of the
        // curve.
        [words(1.1, "10 % more I/O"), words(0.9, "10 % less I/O"), words(1.5, "50 % more I/O")]
            .into_iter()
            .flatten()
            .collect();
    // Less than half a percent is what rounding up to whole GiB and whole steps leaves over. Nobody can plan
    // with it.
    if let Some(room) = room.filter(|room| *room > 1.005) {
        all.insert(
            0,
            match room {
                ..2.0 => format!("it has {:.1} % headroom", 100.0 * (room - 1.0)),
                ..100.0 => format!("it sustains {room:.0} times the demand"),
                // Nobody asks by how many thousand percent there is enough.
                _ => "it sustains far more than the demand".to_owned(),
            },
        );
    }
    all
}

/// What `times` as much costs, where the answer costs the first amount and the cheapest for it the other one.
fn cost_words(times: f64, has_room: bool, (now, other): (f64, f64), instead: &str, currency: &str) -> String {
    // What is printed as two amounts is not the same.
    let is_same = money(other, currency) == money(now, currency);
    // The answer itself does for less, and for as much more as it has room: whoever has it pays no more, although the search may
    // prefer other volumes that cost a little more or less.
    if has_room && (is_same || times > 1.0 || other > now) {
        return "the same".to_owned();
    }
    if is_same {
        return format!("the same, with {instead} instead");
    }
    // Fewer volumes were preferred at a cost a little above the cheapest, so that more may seem to cost less.
    if times > 1.0 && other < now {
        return format!("no more ({}), with {instead} instead", money(other, currency));
    }
    format!("{}{}: {instead}", money(other, currency), change(other, now))
}

/// By how much a cost is more or less, in brackets; nothing where that rounds to nothing.
fn change(cost: f64, now: f64) -> String {
    let percent = 100.0 * (cost / now - 1.0);
    if percent.abs() < 0.05 {
        return String::new();
    }
    format!(" ({percent:+.1} %)").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_never_seems_to_cost_less_and_two_amounts_are_not_the_same() {
        let check = |times, has_room, other, expected: &str| {
            assert_eq!(cost_words(times, has_room, (1_000.0, other), "two of them", "USD"), expected);
        };
        check(1.1, true, 995.0, "the same");
        check(1.1, false, 1_000.2, "the same, with two of them instead");
        check(1.1, false, 995.0, "no more (995 USD), with two of them instead");
        check(1.1, false, 1_005.0, "1,005 USD (+0.5 %): two of them");
        check(0.9, true, 1_005.0, "the same");
        check(0.9, true, 990.0, "990 USD (−1.0 %): two of them");
    }
}
