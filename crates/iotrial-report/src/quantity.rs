//! How a number is written: its unit and its rounding, chosen once for all renderers.

use iotrial_model::figure::FigureUnit;
use iotrial_model::units::group_thousands;
use iotrial_words::numbers::{decimals_of_latency, decimals_of_rate, seconds_in_words, with_decimals};

/// What a number measures. The number itself is always in the unit named here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// No number: words.
    Words,
    /// How many of something.
    Count,
    /// Outstanding I/Os, a fraction where a curve says how many.
    Load,
    /// I/Os per second.
    Iops,
    /// MiB per second.
    BandwidthMibPerS,
    /// MB per second of 10^6 bytes, as vendors state limits.
    BandwidthMbPerS,
    /// A sum of money, in the currency that the words next to it name.
    Money,
    /// Microseconds; shown in µs or ms.
    LatencyUs,
    /// Microseconds of CPU time.
    CpuTimeUs,
    /// Bytes; shown in the largest binary unit that fits.
    Bytes,
    /// A time in seconds.
    Seconds,
    /// A share in percent, 0 to 100 for most.
    Percent,
    /// A quotient, 1 where both sides agree.
    Ratio,
    /// A number whose name says the unit, to four digits.
    Unitless,
    /// A change in hundredths, always with its sign and one decimal.
    ChangePercent,
    /// A mean of places in rankings.
    Place,
}

impl From<FigureUnit> for Quantity {
    fn from(unit: FigureUnit) -> Self {
        match unit {
            FigureUnit::Iops => Self::Iops,
            FigureUnit::MibPerS => Self::BandwidthMibPerS,
            FigureUnit::Us => Self::LatencyUs,
        }
    }
}

impl Quantity {
    /// The unit of the number itself, as in files for programs.
    pub(crate) const fn plain_unit(self) -> &'static str {
        match self {
            Self::Words
            | Self::Count
            | Self::Load
            | Self::Ratio
            | Self::Unitless
            | Self::Place
            | Self::Money => "",
            Self::Iops => "IOPS",
            Self::BandwidthMibPerS => "MiB/s",
            Self::BandwidthMbPerS => "MB/s",
            Self::LatencyUs | Self::CpuTimeUs => "us",
            Self::Bytes => "bytes",
            Self::Seconds => "s",
            Self::Percent | Self::ChangePercent => "%",
        }
    }
}

/// The unit of every latency in one document, so that no two columns are misread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LatencyUnit {
    /// If there are latencies and all are below 0.01 ms.
    Microseconds,
    /// If a latency is longer, or there is none.
    Milliseconds,
}

impl LatencyUnit {
    /// The unit for a document whose longest latency is this.
    pub(crate) fn for_longest_us(longest_us: f64) -> Self {
        // Sentences are in ms, and so is what stands beside them. Only memory is so fast that ms have one digit for it.
        if longest_us > 0.0 && longest_us < 10.0 { Self::Microseconds } else { Self::Milliseconds }
    }
}

/// One way to write all numbers of a column or an axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumberFormat {
    /// The unit; empty where the header says it all.
    pub(crate) unit: &'static str,
    factor: f64,
    /// What the smallest number of a column deserves; latencies and rates have those of each number.
    decimals: usize,
    each: Option<fn(f64) -> usize>,
    /// Whether a plus is written too.
    is_signed: bool,
}

impl NumberFormat {
    /// The format that shows the smallest of `numbers` well and the largest without noise.
    pub(crate) fn fit(
        quantity: Quantity,
        latency_unit: LatencyUnit,
        numbers: impl Iterator<Item = f64>,
    ) -> Self {
        // Digits that the smallest number deserves, and decimals that are never exceeded.
        let (unit, factor, significant, most_decimals) = match quantity {
            Quantity::Words | Quantity::Count | Quantity::Bytes => ("", 1.0, 1, 0),
            Quantity::Load => ("", 1.0, 2, 1),
            Quantity::Iops => ("IOPS", 1.0, 2, 1),
            Quantity::BandwidthMibPerS => ("MiB/s", 1.0, 3, 2),
            Quantity::BandwidthMbPerS => ("MB/s", 1.0, 3, 1),
            // Nine significant digits are more than any sum has, so the two decimals decide.
            Quantity::Money => ("", 1.0, 9, 2),
            Quantity::LatencyUs => match latency_unit {
                LatencyUnit::Microseconds => ("µs", 1.0, 3, 1),
                LatencyUnit::Milliseconds => ("ms", 1e-3, 3, 3),
            },
            Quantity::CpuTimeUs => ("µs", 1.0, 2, 1),
            Quantity::Seconds => ("s", 1.0, 3, 3),
            Quantity::Percent => ("%", 1.0, 2, 1),
            Quantity::Ratio => ("×", 1.0, 3, 2),
            Quantity::Unitless => ("", 1.0, 4, 3),
            Quantity::ChangePercent => ("%", 1.0, 9, 1),
            Quantity::Place => ("", 1.0, 3, 2),
        };
        // Zeros need no digits and would ask for none; a logarithm of them does not exist.
        let shown = numbers.map(|number| (number * factor).abs()).filter(|number| *number > 0.0);
        let (smallest, largest) =
            shown.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), n| (low.min(n), high.max(n)));
        // A third decimal is for numbers that would be left with one digit.
        let most_decimals = if smallest >= 0.1 { most_decimals.min(2) } else { most_decimals };
        let is_signed = quantity == Quantity::ChangePercent;
        let decimals = (significant - whole_digits(smallest))
            .min(most_decimals)
            // Six digits in all: 123,456.7 is not more exact than 123,457.
            .min(MOST_DIGITS - whole_digits(largest))
            .max(0);
        // What sentences quote is written as they write it, whatever stands in the same column.
        let each: Option<fn(f64) -> usize> = match (quantity, latency_unit) {
            (Quantity::Iops, _) => Some(decimals_of_rate),
            (Quantity::LatencyUs, LatencyUnit::Milliseconds) => Some(decimals_of_latency),
            (Quantity::LatencyUs, LatencyUnit::Microseconds) => {
                Some(|us| usize::from(us != 0.0 && us.abs() < 99.95))
            }
            _ => None,
        };
        Self { unit, factor, decimals: usize::try_from(decimals).unwrap_or_default(), each, is_signed }
    }

    /// The number in the unit, all its digits.
    pub(crate) fn in_unit(&self, number: f64) -> f64 {
        number * self.factor
    }

    fn decimals_of(&self, number: f64) -> usize {
        self.each.map_or(self.decimals, |each| each(number * self.factor))
    }

    /// The same rounding as a number format of spreadsheets, for a cell of its own.
    pub(crate) fn spreadsheet_format_of(&self, number: f64) -> String {
        Self { decimals: self.decimals_of(number), ..*self }.spreadsheet_format()
    }

    /// The rounding of a column as a number format of spreadsheets.
    pub(crate) fn spreadsheet_format(&self) -> String {
        // Spreadsheets round by the same rule (`half_up`).
        match self.decimals {
            0 => "#,##0".to_owned(),
            decimals => format!("#,##0.{}", "0".repeat(decimals)),
        }
    }

    /// The number without its unit.
    pub(crate) fn write(&self, number: f64) -> String {
        let written = with_decimals(number * self.factor, self.decimals_of(number));
        if !self.is_signed {
            return written;
        }
        // A change that rounds to nothing has no direction, and a minus is as wide as a plus.
        // A proportional minus moves columns of numbers, hence the sign U+2212.
        let digits = written.trim_start_matches('-');
        let is_zero = digits.chars().all(|c| matches!(c, '0' | '.'));
        let sign = if is_zero {
            "±"
        } else if number < 0.0 {
            "−"
        } else {
            "+"
        };
        format!("{sign}{digits}")
    }

    /// The number without its unit and with no more decimals than it has, for round numbers.
    pub(crate) fn write_round(&self, number: f64) -> String {
        // Three decimals, because ticks and limits are round numbers already.
        let written = group_thousands(&format!("{:.3}", number * self.factor));
        let written = without_trailing_zeros(&written);
        // As in a change.
        if self.is_signed { written.replace('-', "−") } else { written.to_owned() }
    }

    /// The number with its unit.
    pub(crate) fn write_with_unit(&self, number: f64) -> String {
        match self.unit {
            "" => without_trailing_zeros(&self.write(number)).to_owned(),
            "×" => format!("{}×", self.write(number)),
            "s" => seconds_in_words(number),
            unit => format!("{} {unit}", self.write(number)),
        }
    }
}

/// More digits than this in the largest number of a column are noise.
const MOST_DIGITS: i32 = 6;

/// Digits before the decimal point; 0 below one.
fn whole_digits(number: f64) -> i32 {
    // Counted by comparison, so that no rounding of a logarithm is off by one.
    [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1e7].iter().map(|power| i32::from(number >= *power)).sum()
}

/// The same decimal number, as short as it can be.
pub(crate) fn without_trailing_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(quantity: Quantity, unit: LatencyUnit, numbers: &[f64], expected: &[&str]) {
        let format = NumberFormat::fit(quantity, unit, numbers.iter().copied());
        let written: Vec<String> = numbers.iter().map(|number| format.write(*number)).collect();
        assert_eq!(written, expected, "{numbers:?}");
    }

    #[test]
    fn a_column_has_the_decimals_that_its_smallest_number_needs() {
        let (us, ms) = (LatencyUnit::Microseconds, LatencyUnit::Milliseconds);
        check(Quantity::CpuTimeUs, ms, &[3.17, 45.04], &["3.2", "45.0"]);
        check(Quantity::Ratio, ms, &[1.005, 20.0], &["1.01", "20.00"]);
        check(Quantity::BandwidthMibPerS, us, &[12.345], &["12.3"]);
        check(Quantity::BandwidthMibPerS, ms, &[96.449, 1_234.5], &["96.4", "1,234.5"]);
    }

    #[test]
    fn a_latency_and_a_rate_have_the_digits_that_sentences_have() {
        let (us, ms) = (LatencyUnit::Microseconds, LatencyUnit::Milliseconds);
        check(
            Quantity::LatencyUs,
            ms,
            &[85.4, 312.0, 9_204.0, 45_120.4, 1_649_410.0, 0.0],
            &["0.085", "0.312", "9.20", "45.1", "1,649", "0"],
        );
        check(Quantity::LatencyUs, us, &[8.43, 85.43, 312.4], &["8.4", "85.4", "312"]);
        // As spreadsheets round.
        check(Quantity::Iops, ms, &[3.25, 12_345.5, 0.0], &["3.3", "12,346", "0"]);
    }

    #[test]
    fn a_number_whose_name_says_the_unit_has_four_digits_and_no_zeros_that_say_nothing() {
        let written = |number: f64| {
            let fitting = std::iter::once(number);
            NumberFormat::fit(Quantity::Unitless, LatencyUnit::Milliseconds, fitting).write_with_unit(number)
        };
        assert_eq!([12.362_7, 62_535.8, 30.0, -4.5].map(written), ["12.36", "62,536", "30", "-4.5"]);
    }

    #[test]
    fn a_change_has_its_sign_and_one_decimal() {
        check(
            Quantity::ChangePercent,
            LatencyUnit::Milliseconds,
            &[163.38, -7.29, 0.04, 1_234.56],
            &["+163.4", "−7.3", "±0.0", "+1,234.6"],
        );
    }

    #[test]
    fn latencies_of_storage_are_in_ms_as_in_sentences() {
        let check = |longest_us, unit| assert_eq!(LatencyUnit::for_longest_us(longest_us), unit);
        check(0.0, LatencyUnit::Milliseconds);
        check(9.0, LatencyUnit::Microseconds);
        check(82.0, LatencyUnit::Milliseconds);
        check(240.0, LatencyUnit::Milliseconds);
    }

    #[test]
    fn nothing_to_show_still_has_a_format() {
        check(Quantity::LatencyUs, LatencyUnit::Milliseconds, &[0.0], &["0"]);
        check(Quantity::Iops, LatencyUnit::Milliseconds, &[], &[]);
    }
}
