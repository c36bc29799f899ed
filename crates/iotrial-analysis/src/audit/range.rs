//! What a number in print may stand for, and arithmetic with it.

use std::fmt;
use std::ops::{Add, Div, Mul};

use iotrial_model::imported::Stated;
use iotrial_model::units::group_thousands;

/// The values that a printed number may stand for. Rules of arithmetic: Moore, Interval Analysis, 1966.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    /// Not below this.
    pub low: f64,
    /// Not above this.
    pub high: f64,
}

/// What double precision loses in a few operations.
const ROUNDING: f64 = 1e-12;

impl Range {
    /// Exactly this.
    pub(super) const fn exact(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// What was rounded to the nearest step of the last digit, or cut off behind it: half a step below the number, a whole one
    /// above.
    pub(super) fn of(stated: Stated) -> Self {
        let Stated { value, resolution } = stated;
        if value < 0.0 {
            return Self { low: value - resolution, high: value + resolution / 2.0 };
        }
        Self { low: (value - resolution / 2.0).max(0.0), high: value + resolution }
    }

    /// What a printed change may be: one that rounds to zero has either sign.
    pub(super) fn of_change(stated: Stated) -> Self {
        match stated {
            Stated { value: 0.0, resolution } => Self { low: -resolution, high: resolution },
            stated => Self::of(stated),
        }
    }

    /// The same where every digit counts, also zeros at the end.
    pub(super) fn of_all_digits(stated: Stated) -> Self {
        Self::of(Stated { resolution: stated.resolution.min(1.0), ..stated })
    }

    /// Whether both may stand for the same value.
    pub(super) fn overlaps(self, other: Self) -> bool {
        let slack = ROUNDING * self.high.abs().max(other.high.abs());
        self.low <= other.high + slack && other.low <= self.high + slack
    }

    /// Whether every value of this one is larger than every one of the other.
    pub(super) fn is_above(self, other: Self) -> bool {
        self.low > other.high + ROUNDING * other.high.abs()
    }

    /// The middle.
    pub(super) fn middle(self) -> f64 {
        f64::midpoint(self.low, self.high)
    }

    /// A value of both, such as a sum of shares.
    pub(super) fn scaled(self, factor: f64) -> Self {
        Self { low: self.low * factor, high: self.high * factor }
    }

    /// With so much room on both sides, as a part of itself.
    pub(super) fn widened(self, share: f64) -> Self {
        Self { low: self.low * (1.0 - share), high: self.high * (1.0 + share) }
    }

    /// From the lower of two to the higher.
    pub(super) fn from_to(a: f64, b: f64) -> Self {
        Self { low: a.min(b), high: a.max(b) }
    }
}

impl Add for Range {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }
}

/// Of ranges without negative numbers.
impl Mul for Range {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { low: self.low * other.low, high: self.high * other.high }
    }
}

/// Of ranges without negative numbers; the divisor may touch zero, and the quotient then has no upper end.
impl Div for Range {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Self { low: self.low / other.high, high: self.high / other.low }
    }
}

/// The middle with the digits that both ends share, or both ends.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = (write_number(self.low), write_number(self.high));
        if low == high { f.write_str(&low) } else { write!(f, "{low} to {high}") }
    }
}

/// A number as it was printed, thousands apart; of a counted one four digits.
pub(super) fn write_stated(stated: Stated) -> String {
    // No printed figure has more decimals that anybody reads.
    let decimals = (0..=3).find(|decimals| stated.resolution >= 0.99 * 10f64.powi(-decimals));
    match decimals.and_then(|decimals| usize::try_from(decimals).ok()) {
        Some(decimals) if stated.resolution > 0.0 => group(&format!("{:.decimals$}", stated.value)),
        _ => write_number(stated.value),
    }
}

/// A number for a sentence: four digits, thousands apart.
pub(super) fn write_number(number: f64) -> String {
    if !number.is_finite() {
        return "any".to_owned();
    }
    let magnitude = number.abs();
    let decimals = if magnitude >= 1_000.0 || magnitude == 0.0 {
        0
    } else if magnitude >= 100.0 {
        1
    } else if magnitude >= 10.0 {
        2
    } else {
        3
    };
    let text = group(&format!("{number:.decimals$}"));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A change in hundredths for a sentence, with its sign.
pub(super) fn write_change(percent: f64) -> String {
    let sign = if percent < 0.0 { "−" } else { "+" };
    format!("{sign}{:.1} %", percent.abs())
}

/// Thousands apart, with the minus sign of prose.
fn group(number: &str) -> String {
    group_thousands(number).replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_for_what_is_rounded_or_cut_off_to_it() {
        let range = Range::of(Stated { value: 4_044.0, resolution: 1.0 });
        assert_eq!((range.low, range.high), (4_043.5, 4_045.0));
        let range = Range::of(Stated { value: 850_000.0, resolution: 10_000.0 });
        assert_eq!((range.low, range.high), (845_000.0, 860_000.0));
        assert_eq!(Range::of(Stated::exact(7.0)), Range::exact(7.0));
        assert_eq!(Range::of(Stated { value: -7.3, resolution: 0.1 }).low, -7.3 - 0.1);
    }

    #[test]
    fn numbers_in_sentences_have_four_digits() {
        let check = |number: f64, text: &str| assert_eq!(write_number(number), text);
        check(6_640.625, "6,641");
        check(170.53, "170.5");
        check(8.0, "8");
        check(0.1234, "0.123");
        check(-1_234_567.0, "−1,234,567");
        check(f64::INFINITY, "any");
        assert_eq!(write_change(-7.302), "−7.3 %");
        let printed = |text: &str| write_stated(Stated::parse(text).unwrap());
        assert_eq!(
            ["1072.5", "30256.240", "770", "1e3"].map(printed),
            ["1,072.5", "30,256.240", "770", "1,000"]
        );
    }
}
