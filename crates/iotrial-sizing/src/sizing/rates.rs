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
        // The answer itself does for less, and for as much more as it has room: whoever has it pays no more, although the search
        // may prefer other volumes that cost a little more or less.
        let has_room = times <= 1.0 || room.is_some_and(|room| room >= times * (1.0 - 1e-9));
        // What is printed as two amounts is not the same.
        let is_same = money(other, currency) == money(now, currency);
        if has_room && (is_same || times > 1.0 || other > now) {
            return Some(format!("{words} would cost the same"));
        }
        let instead = configuration.beside(&answer.configuration);
        if is_same {
            return Some(format!("{words} would cost the same, with {instead} instead"));
        }
        Some(format!("{words} would cost {}{}: {instead}", money(other, currency), change(other, now)))
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

/// By how much a cost is more or less, in brackets; nothing where that rounds to nothing.
fn change(cost: f64, now: f64) -> String {
    let percent = 100.0 * (cost / now - 1.0);
    if percent.abs() < 0.05 {
        return String::new();
    }
    format!(" ({percent:+.1} %)").replace('-', "−")
}
