//! A figure of which only a bound is known: «< 1 ms», «≥ 80,000 IOPS».
//!
//! A bound is never turned into a number. What follows from it for sure is said, and the rest cannot be told.

use std::cmp::Ordering;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

/// On which side of a number a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundRelation {
    /// The figure is lower than the number.
    Below,
    /// The figure is the number or lower.
    AtMost,
    /// The figure is higher than the number.
    Above,
    /// The figure is the number or higher.
    AtLeast,
    /// The figure is near the number, on either side; how near is not stated.
    About,
}

impl BoundRelation {
    /// All of them, with the key of each in files and JSON.
    pub(crate) const ALL: [(&'static str, Self); 5] = [
        ("below", Self::Below),
        ("at_most", Self::AtMost),
        ("above", Self::Above),
        ("at_least", Self::AtLeast),
        ("about", Self::About),
    ];

    /// The key in files and JSON.
    pub fn key(self) -> &'static str {
        let known = Self::ALL.into_iter().find(|(_, relation)| *relation == self);
        known.expect("all relations are listed").0
    }

    /// The sign that is written before the number.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Below => "<",
            Self::AtMost => "≤",
            Self::Above => ">",
            Self::AtLeast => "≥",
            Self::About => "≈",
        }
    }

    /// The relation whose sign a text begins with, and what follows the sign: `< 1000`, `<= 2`, `≥80000`, `~5`.
    pub fn split_from(text: &str) -> Option<(Self, &str)> {
        // The longer signs first: `<=` also begins with `<`.
        const SIGNS: [(&str, BoundRelation); 8] = [
            ("<=", BoundRelation::AtMost),
            (">=", BoundRelation::AtLeast),
            ("≤", BoundRelation::AtMost),
            ("≥", BoundRelation::AtLeast),
            ("<", BoundRelation::Below),
            (">", BoundRelation::Above),
            ("≈", BoundRelation::About),
            ("~", BoundRelation::About),
        ];
        let text = text.trim();
        SIGNS.into_iter().find_map(|(sign, relation)| Some((relation, text.strip_prefix(sign)?.trim())))
    }
}

/// A number, and on which side of it a figure is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounded {
    /// Which side.
    pub relation: BoundRelation,
    /// The number, of the unit that the figure has.
    pub value: f64,
}

/// As `{"below": 1000}`.
impl Serialize for Bounded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.relation.key(), &self.value)?;
        map.end()
    }
}

/// What is known of a figure: its number, or a bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Amount {
    /// The figure itself.
    Exact(f64),
    /// Only on which side of a number it is.
    Bounded(Bounded),
}

/// One end of what a figure may be.
#[derive(Debug, Clone, Copy)]
struct End {
    value: f64,
    /// Whether the figure may be the end itself.
    is_included: bool,
}

impl Amount {
    /// The figure, where it is known.
    pub const fn exact(self) -> Option<f64> {
        match self {
            Self::Exact(value) => Some(value),
            Self::Bounded(_) => None,
        }
    }

    /// The number that is shown, with a sign before it where it is a bound.
    pub const fn shown(self) -> (Option<&'static str>, f64) {
        match self {
            Self::Exact(value) => (None, value),
            Self::Bounded(Bounded { relation, value }) => (Some(relation.sign()), value),
        }
    }

    /// The lowest and the highest that the figure may be. No figure is below zero.
    pub fn range(self) -> (f64, f64) {
        let (low, high) = self.ends();
        (low.value, high.value)
    }

    /// The same, with an end that is not included moved by the least that a number can move.
    pub fn reachable(self) -> (f64, f64) {
        let (low, high) = self.ends();
        let low_value = if low.is_included { low.value } else { low.value.next_up() };
        // Nothing is below infinity that could be meant.
        let is_open = !high.is_included && high.value.is_finite();
        (low_value, if is_open { high.value.next_down() } else { high.value })
    }

    /// Whether the lowest and the highest are values that the figure may have.
    pub fn includes_ends(self) -> (bool, bool) {
        let (low, high) = self.ends();
        (low.is_included, high.is_included)
    }

    fn ends(self) -> (End, End) {
        let end = |value: f64, is_included: bool| End { value, is_included };
        let (lowest, highest) = (end(0.0, true), end(f64::INFINITY, false));
        match self {
            Self::Exact(value) => (end(value, true), end(value, true)),
            Self::Bounded(Bounded { relation, value }) => match relation {
                BoundRelation::Below => (lowest, end(value, false)),
                BoundRelation::AtMost => (lowest, end(value, true)),
                BoundRelation::Above => (end(value, false), highest),
                BoundRelation::AtLeast => (end(value, true), highest),
                // Whoever prints «about» does not say how far off it may be.
                BoundRelation::About => (lowest, highest),
            },
        }
    }

    /// Whether it is lower or higher than another for sure; `Equal` only of two numbers. `None` where that cannot be told.
    pub fn surely(self, other: Self) -> Option<Ordering> {
        if let (Self::Exact(a), Self::Exact(b)) = (self, other) {
            return a.partial_cmp(&b);
        }
        let is_below = |one: Self, other: Self| {
            let (high, low) = (one.ends().1, other.ends().0);
            high.value < low.value || (high.value == low.value && !(high.is_included && low.is_included))
        };
        match (is_below(self, other), is_below(other, self)) {
            (true, _) => Some(Ordering::Less),
            (_, true) => Some(Ordering::Greater),
            _ => None,
        }
    }

    /// The least and the greatest change to another one, in percent of this one; `None` for an end that is not known.
    pub fn change_percent(self, to: Self) -> (Option<f64>, Option<f64>) {
        let ((low, high), (to_low, to_high)) = (self.range(), to.range());
        let percent = |from: f64, to: f64| {
            let change = 100.0 * (to / from - 1.0);
            // From nothing, or to any number, there is no change in percent.
            (from > 0.0 && change.is_finite()).then_some(change)
        };
        (percent(high, to_low), percent(low, to_high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounded(text: &str) -> Amount {
        let (relation, number) = BoundRelation::split_from(text).unwrap();
        Amount::Bounded(Bounded { relation, value: number.parse().unwrap() })
    }

    #[test]
    fn what_a_bound_says_for_sure_is_told_and_nothing_else() {
        let check = |one: Amount, other: Amount, expected: Option<Ordering>| {
            assert_eq!(one.surely(other), expected, "{one:?} {other:?}");
            assert_eq!(other.surely(one), expected.map(Ordering::reverse), "{other:?} {one:?}");
        };
        check(bounded("< 1000"), Amount::Exact(4_000.0), Some(Ordering::Less));
        check(bounded("< 1000"), Amount::Exact(1_000.0), Some(Ordering::Less));
        check(bounded("<= 1000"), Amount::Exact(1_000.0), None);
        check(bounded("< 1000"), Amount::Exact(500.0), None);
        check(bounded("> 1000"), bounded("≤1000"), Some(Ordering::Greater));
        check(bounded("≥ 1000"), bounded("≤ 1000"), None);
        check(bounded("< 1000"), bounded("< 1000"), None);
        check(bounded("~1000"), Amount::Exact(9e9), None);
        check(Amount::Exact(1.0), Amount::Exact(1.0), Some(Ordering::Equal));
    }

    #[test]
    fn a_change_to_a_bound_has_the_ends_that_are_known() {
        let change = |from: Amount, to: Amount| from.change_percent(to);
        assert_eq!(change(Amount::Exact(4_000.0), bounded("< 1000")), (Some(-100.0), Some(-75.0)));
        assert_eq!(change(bounded("< 1000"), Amount::Exact(4_000.0)), (Some(300.0), None));
        assert_eq!(change(Amount::Exact(100.0), bounded("> 150")), (Some(50.0), None));
        assert_eq!(change(bounded("< 10"), bounded("< 10")), (Some(-100.0), None));
    }

    #[test]
    fn a_bound_is_written_as_its_relation_and_its_number() {
        let json = |amount: Amount| serde_json::to_string(&amount).unwrap();
        assert_eq!(json(bounded("≤ 2000")), r#"{"at_most":2000.0}"#);
        assert_eq!(json(Amount::Exact(7.5)), "7.5");
        for (key, relation) in BoundRelation::ALL {
            assert_eq!((relation.key(), serde_json::to_value(relation).unwrap()), (key, key.into()));
        }
    }
}
