//! A number as a source states it, with the resolution that its digits have.
//!
//! It never stands for itself alone: which values it may stand for says [`Range::of`](crate::range::Range::of), and a printed
//! 0.00 is one of them only.

use std::ops::{Add, Sub};

use serde::{Deserialize, Serialize};

use crate::table::PrintedNumber;

/// A number as a source states it. Units are converted, and no digit is lost or won.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stated {
    /// In the unit that the name of its field ends in.
    pub value: f64,
    /// One step of the last digit, in the same unit: 1,000 µs where a tool prints whole milliseconds. What was measured lies
    /// within one step of the value, and within half of one where the source is known to round. Zero for a number that was counted.
    pub resolution: f64,
}

/// What a source does with the digits that it does not print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// It rounds to the nearest step, as Oracle's reports do (`round` and `to_char` of SQL): half a step to either side.
    Nearest,
    /// It rounds or cuts off, and nobody knows which: fio cuts off nanoseconds and rounds their means, and other tools do not say.
    /// Half a step towards zero, a whole one away from it.
    NearestOrCutOff,
}

impl Stated {
    /// A number that is exact, such as one that was counted.
    pub const fn exact(value: f64) -> Self {
        Self { value, resolution: 0.0 }
    }

    /// A number with so many digits behind the point.
    pub fn with_decimals(value: f64, decimals: u32) -> Self {
        Self { value, resolution: power_of_ten(-i32::try_from(decimals.min(300)).expect("small")) }
    }

    /// Reads a number as it is printed: `21`, `178.85`, `1.2e3`. `None` for anything that is no finite number.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        // Words such as `inf` are numbers to Rust.
        if !text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) {
            return None;
        }
        let value: f64 = text.parse().ok()?;
        let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let decimals = digits.split_once('.').map_or(0, |(_, behind)| behind.len());
        let exponent = exponent.parse::<i32>().ok()? - i32::try_from(decimals).ok()?;
        value.is_finite().then(|| Self { value, resolution: power_of_ten(exponent) })
    }

    /// The same in a unit that is smaller by `factor`. 5.6061 ms are 5,606.1 µs, and not what binary fractions make of them.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let exact = |number: f64| format!("{:.14e}", number * factor).parse().unwrap_or(number * factor);
        Self { value: exact(self.value), resolution: exact(self.resolution) }
    }

    /// So many times the number, in binary.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self { value: self.value * factor, resolution: self.resolution * factor }
    }

    /// The same in a unit that is larger by `factor`.
    #[must_use]
    pub fn per(self, factor: f64) -> Self {
        Self { value: self.value / factor, resolution: self.resolution / factor }
    }

    /// The quotient of two rounded numbers. Of rounding errors that are small only the first order counts. `None` where the
    /// divisor is not above zero: what is printed as 0 is too little to divide by.
    pub fn over(self, divisor: Self) -> Option<Self> {
        let value = self.value / divisor.value;
        let resolution = (self.resolution + value.abs() * divisor.resolution) / divisor.value;
        (divisor.value > 0.0).then_some(Self { value, resolution })
    }
}

/// Of rounded numbers: both may be off, and in opposite directions.
impl Add for Stated {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, resolution: self.resolution + other.resolution }
    }
}

/// Of rounded numbers, as their sum.
impl Sub for Stated {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, resolution: self.resolution + other.resolution }
    }
}

impl From<&PrintedNumber> for Stated {
    fn from(number: &PrintedNumber) -> Self {
        let stated = Self::parse(&number.text.replace('_', "")).unwrap_or(Self::exact(number.value));
        let is_whole = stated.resolution == 1.0 && stated.value != 0.0;
        if number.keeps_zeros || !is_whole {
            return stated;
        }
        let steps = (0..15).map(|zeros| 10f64.powi(zeros));
        let resolution = steps.take_while(|step| stated.value % step == 0.0).last().unwrap_or(1.0);
        Self { resolution, ..stated }
    }
}

/// The number that is written `1e-2`: products of 10 are rounded otherwise on other systems.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resolution_is_one_step_of_the_last_digit() {
        let check = |text: &str, value: f64, resolution: f64| {
            let found = Stated::parse(text).unwrap();
            assert!((found.value - value).abs() <= 1e-9 * value.abs(), "{text}: {found:?}");
            assert!((found.resolution / resolution - 1.0).abs() < 1e-9, "{text}: {found:?}");
        };
        check("21", 21.0, 1.0);
        check(" 178.85 ", 178.85, 0.01);
        check("8.10", 8.1, 0.01);
        check("1.25e3", 1250.0, 10.0);
        check("-7", -7.0, 1.0);
        for none in ["", "inf", "nan", "1,2", "0x10", "1e999", "--1", "1e", "."] {
            assert_eq!(Stated::parse(none), None, "{none}");
        }
    }

    #[test]
    fn zeros_at_the_end_of_a_printed_number_are_digits_only_in_a_string() {
        let check = |text: &str, keeps_zeros, resolution: f64| {
            let value = text.parse().unwrap();
            let printed = PrintedNumber { text: text.to_owned(), value, keeps_zeros };
            assert_eq!(Stated::from(&printed).resolution, resolution, "{text}");
        };
        check("98600", false, 100.0);
        check("98600", true, 1.0);
        check("6812", false, 1.0);
        check("1072.5", false, 0.1);
        check("0", false, 1.0);
    }

    #[test]
    fn a_change_of_unit_changes_the_resolution_with_the_value() {
        let ms = Stated::parse("21").unwrap();
        assert_eq!(ms.times(1_000.0), Stated { value: 21_000.0, resolution: 1_000.0 });
        assert_eq!(Stated::parse("5.6061").unwrap().times(1_000.0).value, 5_606.1);
        assert_eq!(Stated::parse("1536").unwrap().per(1_024.0).value, 1.5);
    }
}
