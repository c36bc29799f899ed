//! Sizes and times as people write them: `8KiB`, `2GiB`, `60s`.
//!
//! A bare number is refused where a unit is needed, because `--duration 60` has been read as
//! minutes by one person and as milliseconds by another.

use std::fmt;
use std::ops::{Add, Mul, Sub};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A number of bytes.
///
/// In text `k`, `m`, `g`, `t` and `KiB`, `MiB`, `GiB`, `TiB` are powers of 1,024, as in fio, in SQL
/// Server and in Oracle; `kB`, `MB`, `GB`, `TB`, `PB` are powers of 1,000, as on a disk's label. In files
/// it is a plain number of bytes under a key that ends in `_bytes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ByteSize(u64);

/// The units that [`ByteSize`] understands, as listed in error messages.
pub(crate) const SIZE_UNITS: &str =
    "B, k or KiB, m or MiB, g or GiB, t or TiB, PiB (1,024), kB, MB, GB, TB, PB (1,000)";

/// The units that [`parse_duration`] understands, as listed in error messages.
pub(crate) const TIME_UNITS: &str = "us, ms, s, m (or min), h";

/// Why a text is not a size or a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseQuantityError {
    /// The text has no unit.
    #[error("`{text}` has no unit; the units are {units}")]
    NoUnit {
        /// What was given.
        text: String,
        /// The units that exist.
        units: &'static str,
    },
    /// The unit is not one of ours.
    #[error("`{text}` has the unknown unit `{unit}`; the units are {units}")]
    UnknownUnit {
        /// What was given.
        text: String,
        /// The part taken for a unit.
        unit: String,
        /// The units that exist.
        units: &'static str,
    },
    /// There is no number before the unit, or it is negative or not finite.
    #[error("`{text}` does not start with a number of zero or more")]
    NotANumber {
        /// What was given.
        text: String,
    },
    /// It is zero where something must happen.
    #[error("`{text}` must be more than zero")]
    Zero {
        /// What was given.
        text: String,
    },
    /// The number times the unit does not fit, or is not a whole number of the smallest unit.
    #[error("`{text}` is too large, or not a whole number of {smallest}")]
    OutOfRange {
        /// What was given.
        text: String,
        /// `bytes` or `nanoseconds`.
        smallest: &'static str,
    },
}

impl ByteSize {
    /// For a file that is read again and may be edited: with a unit where that is exact, otherwise in bytes.
    pub fn exact(self) -> String {
        let readable = self.to_string();
        if readable.parse() == Ok(self) { readable } else { format!("{}B", self.0) }
    }

    /// One kibibyte, 1,024 bytes.
    pub const KIB: Self = Self(1 << 10);
    /// One mebibyte, 1,024 KiB.
    pub const MIB: Self = Self(1 << 20);
    /// One gibibyte, 1,024 MiB.
    pub const GIB: Self = Self(1 << 30);

    /// A size of `bytes` bytes.
    pub const fn bytes(bytes: u64) -> Self {
        Self(bytes)
    }

    /// A size of `kib` kibibytes.
    pub const fn kib(kib: u64) -> Self {
        Self(kib << 10)
    }

    /// A size of `mib` mebibytes.
    pub const fn mib(mib: u64) -> Self {
        Self(mib << 20)
    }

    /// A size of `gib` gibibytes.
    pub const fn gib(gib: u64) -> Self {
        Self(gib << 30)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The largest multiple of `unit` that is not larger than this size. `unit` must not be zero.
    pub(crate) const fn round_down_to(self, unit: Self) -> Self {
        Self(self.0 - self.0 % unit.0)
    }

    /// The smallest multiple of `unit` that is not smaller than this size. `unit` must not be zero.
    pub(crate) const fn round_up_to(self, unit: Self) -> Self {
        Self(self.0.next_multiple_of(unit.0))
    }
}

/// Ends at the largest size: a sum of sizes that a user wrote must not wrap, and no target holds it anyway.
impl Add for ByteSize {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for ByteSize {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        // Not saturating like the sum: a negative size is a mistake of ours, and hiding it would make a
        // length too large.
        Self(self.0 - other.0)
    }
}

/// Ends at the largest size, as a sum does.
impl Mul<u64> for ByteSize {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl std::iter::Sum for ByteSize {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self(0), Add::add)
    }
}

/// The size in the largest binary unit that shows it exactly, otherwise with two decimals of the
/// largest one that it fills: `8 KiB`, `512 MiB`, `1.43 GiB`.
impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(&str, u64); 4] =
            [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
        let exact = UNITS.iter().find(|(_, unit)| self.0 >= *unit && self.0.is_multiple_of(*unit));
        match exact {
            // From 1,024 on a larger unit is easier to compare: `1.99 GiB` and not `2042 MiB`. Two decimals of a larger
            // unit are shown.
            Some((name, unit)) if self.0 / unit < 1_024 || *name == "TiB" => {
                write!(f, "{} {name}", self.0 / unit)
            }
            _ => match UNITS.iter().find(|(_, unit)| self.0 >= *unit) {
                Some((name, unit)) => write!(f, "{:.2} {name}", self.0 as f64 / *unit as f64),
                None => write!(f, "{} B", self.0),
            },
        }
    }
}

impl FromStr for ByteSize {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, ParseQuantityError> {
        let (number, unit) = split_number_and_unit(text, SIZE_UNITS)?;
        let factor = bytes_of(unit).ok_or_else(|| unknown_unit(text, unit, SIZE_UNITS))?;
        // Exactly, not through f64: a size in a file name or a plan must not depend on the last bit of
        // `1.1 GB`.
        scale(number, factor)
            .map(Self)
            .ok_or_else(|| ParseQuantityError::OutOfRange { text: text.to_owned(), smallest: "bytes" })
    }
}

/// How many bytes one of a unit of size is.
fn bytes_of(unit: &str) -> Option<u64> {
    Some(match unit {
        "B" | "b" => 1,
        "k" | "K" | "KiB" | "kib" | "Ki" => 1 << 10,
        "m" | "M" | "MiB" | "mib" | "Mi" => 1 << 20,
        "g" | "G" | "GiB" | "gib" | "Gi" => 1 << 30,
        "t" | "T" | "TiB" | "tib" | "Ti" => 1 << 40,
        "PiB" | "pib" | "Pi" => 1 << 50,
        "kB" | "KB" | "kb" => 1_000,
        "MB" | "mb" => 1_000_000,
        "GB" | "gb" => 1_000_000_000,
        "TB" | "tb" => 1_000_000_000_000,
        "PB" | "pb" => 1_000_000_000_000_000,
        _ => return None,
    })
}

/// Reads a time such as `500ms`, `60s`, `5m` or `1h`.
///
/// # Errors
///
/// When the text has no unit, an unknown one, or no number that fits.
pub fn parse_duration(text: &str) -> Result<Duration, ParseQuantityError> {
    let (number, unit) = split_number_and_unit(text, TIME_UNITS)?;
    let factor: u64 = match unit {
        "ns" => 1,
        "us" | "µs" => 1_000,
        "ms" => 1_000_000,
        "s" | "sec" => 1_000_000_000,
        // Minutes, as in systemd and Go; months do not occur here.
        "m" | "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return Err(unknown_unit(text, unit, TIME_UNITS)),
    };
    scale(number, factor)
        .map(Duration::from_nanos)
        .ok_or_else(|| ParseQuantityError::OutOfRange { text: text.to_owned(), smallest: "nanoseconds" })
}

/// A time in the form that [`parse_duration`] reads: `90s`, `5m`, `500ms`.
pub fn format_duration(duration: Duration) -> String {
    let ns = duration.as_nanos();
    const UNITS: [(&str, u128); 5] = [
        ("h", 3_600_000_000_000),
        ("m", 60_000_000_000),
        ("s", 1_000_000_000),
        ("ms", 1_000_000),
        ("us", 1_000),
    ];
    if ns == 0 {
        return "0s".to_owned();
    }
    // The largest unit that divides it, so nothing is rounded and the text reads back as the same time.
    match UNITS.iter().find(|(_, unit)| ns.is_multiple_of(*unit)) {
        Some((name, unit)) => format!("{}{name}", ns / unit),
        None => format!("{ns}ns"),
    }
}

/// A length of time in a sentence or a table, exactly: `30 s`, `2 min 5 s`, `2 h 30 min`, `0.4 ms`. What a user may paste is
/// [`format_duration`].
///
/// Minutes begin at two of them, and hours too: `90 s` and `60 s or more` are compared at a glance, and nobody waits «1 min 0 s».
pub fn duration_in_words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds == 0 && !duration.is_zero() {
        return format!("{} ms", duration.as_nanos() as f64 / 1e6);
    }
    let (hours, minutes) = match seconds {
        0..120 => (0, 0),
        120..7_200 => (0, seconds / 60),
        _ => (seconds / 3_600, seconds % 3_600 / 60),
    };
    let rest = duration - Duration::from_secs(3_600 * hours + 60 * minutes);
    let mut words = Vec::new();
    if hours > 0 {
        words.push(format!("{} h", group_thousands(&hours.to_string())));
    }
    if minutes > 0 {
        words.push(format!("{minutes} min"));
    }
    if !rest.is_zero() || words.is_empty() {
        words.push(format!("{} s", rest.as_nanos() as f64 / 1e9));
    }
    words.join(" ")
}

/// A measured length of time as [`duration_in_words`] has it, with the digits that a reader needs and never rounded to nothing: tenths
/// below 10 s, whole minutes from 2 h, whole hours from 48 h. What is negative or no number is `0 s`.
pub fn seconds_in_words(seconds: f64) -> String {
    let step = match seconds {
        172_800.0.. => 3_600.0,
        7_200.0.. => 60.0,
        9.95.. => 1.0,
        0.999_5.. => 0.1,
        0.001.. => 1e-3,
        _ => 1e-4,
    };
    duration_in_words(Duration::try_from_secs_f64((seconds / step).round() * step).unwrap_or_default())
}

/// How much is to be done per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// I/Os per second.
    Iops(f64),
    /// Bytes per second.
    BytesPerSecond(f64),
}

/// The units that [`Rate`] understands, as listed in error messages.
pub(crate) const RATE_UNITS: &str = "iops, or a size per second such as MiB/s";

impl FromStr for Rate {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, ParseQuantityError> {
        let (number, unit) = split_number_and_unit(text, RATE_UNITS)?;
        let amount: f64 =
            number.parse().map_err(|_| ParseQuantityError::NotANumber { text: text.to_owned() })?;
        let rate = match unit.strip_suffix("/s").map(str::trim_end) {
            // The units of sizes, so that `MB/s` and `MiB/s` mean in a rate what they mean in a size. But a rate is a quotient and
            // no count: 1,395.2 MiB/s, as a report prints it, is no whole number of bytes in any second.
            Some("") => return Err(unknown_unit(text, unit, RATE_UNITS)),
            Some(size) => {
                let factor = bytes_of(size).ok_or_else(|| unknown_unit(text, unit, RATE_UNITS))?;
                Self::BytesPerSecond(amount * factor as f64)
            }
            None if unit.eq_ignore_ascii_case("iops") => Self::Iops(amount),
            None => return Err(unknown_unit(text, unit, RATE_UNITS)),
        };
        match rate {
            Self::Iops(amount) | Self::BytesPerSecond(amount)
                if amount > 0.0 && amount <= MOST_PER_SECOND =>
            {
                Ok(rate)
            }
            Self::Iops(0.0) | Self::BytesPerSecond(0.0) => {
                Err(ParseQuantityError::Zero { text: text.to_owned() })
            }
            _ => Err(ParseQuantityError::OutOfRange { text: text.to_owned(), smallest: "bytes" }),
        }
    }
}

/// No device does more, in I/Os or in bytes.
// 10 TB/s, and as I/Os far beyond any device: a bound for typing errors, which keeps products within range.
const MOST_PER_SECOND: f64 = 1e13;

/// Splits `1.5GiB` into `1.5` and `GiB`; blanks between them are allowed, `_` and `,` in numbers are not.
fn split_number_and_unit<'a>(
    text: &'a str,
    units: &'static str,
) -> Result<(&'a str, &'a str), ParseQuantityError> {
    let trimmed = text.trim();
    // ASCII only: other scripts' digits would not parse as a number.
    let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(end);
    // «1.2.3» consists of digits and points and is no number.
    if number.is_empty() || number.parse::<f64>().is_err() {
        return Err(ParseQuantityError::NotANumber { text: text.to_owned() });
    }
    let unit = unit.trim();
    if unit.is_empty() {
        return Err(ParseQuantityError::NoUnit { text: text.to_owned(), units });
    }
    Ok((number, unit))
}

fn unknown_unit(text: &str, unit: &str, units: &'static str) -> ParseQuantityError {
    ParseQuantityError::UnknownUnit { text: text.to_owned(), unit: unit.to_owned(), units }
}

/// `number` times `factor`, exactly; `None` when that is not a whole number or does not fit.
fn scale(number: &str, factor: u64) -> Option<u64> {
    // In integers: 0.1 is not exact in binary, and `0.1 KiB` must be refused as a fraction of a byte instead
    // of becoming 102.
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let scaled = whole.checked_mul(factor)?;
    if fraction.is_empty() {
        return Some(scaled);
    }
    // 128 bits hold 38 digits of a fraction, more than anybody types; beyond that the checks below refuse it.
    let digits: u128 = fraction.parse().ok()?;
    let ten_to_the_digits = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let numerator = digits.checked_mul(u128::from(factor))?;
    // A part of a byte or of a nanosecond: refused instead of rounded, because the user meant something else.
    if numerator % ten_to_the_digits != 0 {
        return None;
    }
    scaled.checked_add(u64::try_from(numerator / ten_to_the_digits).ok()?)
}

/// A [`Duration`] as seconds with a fraction, for keys that end in `_s`.
pub mod seconds {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    /// Writes the seconds.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(duration.as_secs_f64())
    }

    /// Reads the seconds.
    ///
    /// # Errors
    ///
    /// When there is no number, or it is negative, not finite or too large for a [`Duration`].
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        // Negative numbers and those that are not finite would make `Duration` panic.
        let seconds = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(seconds).map_err(D::Error::custom)
    }
}

/// The same of a time that may be absent.
pub mod optional_seconds {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    /// Writes the seconds, or null.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => serializer.serialize_some(&duration.as_secs_f64()),
            None => serializer.serialize_none(),
        }
    }

    /// Reads the seconds, or null.
    ///
    /// # Errors
    ///
    /// When there is something else, or the number is negative, not finite or too large for a [`Duration`].
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        let seconds = Option::<f64>::deserialize(deserializer)?;
        seconds.map(Duration::try_from_secs_f64).transpose().map_err(D::Error::custom)
    }
}

/// The same number with a comma before every three digits: `12,345.67`.
pub fn group_thousands(number: &str) -> String {
    let (sign, rest) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (whole, fraction) = rest.split_once('.').map_or((rest, None), |(w, f)| (w, Some(f)));
    let mut grouped = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        // Counted from the end of the whole part: the separator is before every third digit from the right.
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if let Some(fraction) = fraction {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_1024_unless_the_unit_is_a_decimal_one() {
        let check = |text: &str, bytes: u64| assert_eq!(text.parse(), Ok(ByteSize::bytes(bytes)), "{text}");
        check("8k", 8192);
        check("8KiB", 8192);
        check("8kB", 8000);
        check("1.5g", 1_610_612_736);
        check("2 GiB", 2_147_483_648);
        check("512B", 512);
        check("0.5k", 512);
        check("1TB", 1_000_000_000_000);
        check("1PiB", 1 << 50);
        check("2PB", 2_000_000_000_000_000);
    }

    #[test]
    fn size_without_a_unit_is_refused_and_the_message_lists_the_units() {
        let message = "8192".parse::<ByteSize>().unwrap_err().to_string();
        assert_eq!(
            message,
            "`8192` has no unit; the units are B, k or KiB, m or MiB, g or GiB, t or TiB, PiB (1,024), kB, MB, GB, TB, PB (1,000)"
        );
    }

    #[test]
    fn garbage_is_refused_as_a_size_and_as_a_time() {
        for text in
            ["", " ", "k", "-8k", "8x", "8kk", "1.2.3g", "0.0001k", "99999999999999t", "NaNk", "1e3k", "８k"]
        {
            assert!(text.parse::<ByteSize>().is_err(), "{text}");
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn rates_are_ios_or_bytes_per_second_and_more_than_zero() {
        assert_eq!("5000 iops".parse(), Ok(Rate::Iops(5_000.0)));
        assert_eq!("0.5IOPS".parse(), Ok(Rate::Iops(0.5)));
        assert_eq!("200MiB/s".parse(), Ok(Rate::BytesPerSecond(209_715_200.0)));
        // As a report prints it: a rate is a mean, and seldom a whole number of bytes.
        assert_eq!("1395.2MiB/s".parse(), Ok(Rate::BytesPerSecond(1395.2 * 1_048_576.0)));
        assert_eq!("0.1 KiB/s".parse(), Ok(Rate::BytesPerSecond(102.4)));
        let message = "5MX/s".parse::<Rate>().unwrap_err().to_string();
        assert!(message.contains("MX/s") && message.contains("iops"), "{message}");
        for text in
            ["0 iops", "0MiB/s", "5000", "5000/s", "-1 iops", "1e99 iops", "99999999999999999 iops", "MiB/s"]
        {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_in_words_has_two_units_at_most_where_it_is_long_and_loses_nothing() {
        let check =
            |text: &str, words: &str| assert_eq!(duration_in_words(parse_duration(text).unwrap()), words);
        check("0s", "0 s");
        check("400us", "0.4 ms");
        check("500ms", "500 ms");
        check("2500ms", "2.5 s");
        check("1m", "60 s");
        check("90s", "90 s");
        check("125s", "2 min 5 s");
        check("30m", "30 min");
        check("1h", "60 min");
        check("7265s", "2 h 1 min 5 s");
        check("168h", "168 h");
    }

    #[test]
    fn a_measured_time_is_rounded_but_never_to_nothing() {
        let check = |seconds: f64, words: &str| assert_eq!(seconds_in_words(seconds), words);
        check(59.98, "60 s");
        check(9.97, "10 s");
        check(2.54, "2.5 s");
        check(0.9999, "1 s");
        check(0.5, "500 ms");
        check(0.001, "1 ms");
        check(0.000_4, "0.4 ms");
        check(119.7, "2 min");
        check(3_612.3, "60 min 12 s");
        check(9_029.0, "2 h 30 min");
        check(604_815.0, "168 h");
        check(-1.0, "0 s");
        check(f64::NAN, "0 s");
    }

    #[test]
    fn times_are_read_and_written_in_the_same_form() {
        for text in ["500ms", "60us", "90s", "5m", "1h", "0s"] {
            assert_eq!(format_duration(parse_duration(text).unwrap()), text);
        }
        assert_eq!(parse_duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(
            parse_duration("60"),
            Err(ParseQuantityError::NoUnit { text: "60".into(), units: TIME_UNITS })
        );
    }

    #[test]
    fn display_is_exact_where_a_unit_divides_and_rounded_elsewhere() {
        let check = |bytes: u64, text: &str| assert_eq!(ByteSize::bytes(bytes).to_string(), text);
        check(0, "0 B");
        check(512, "512 B");
        check(8192, "8 KiB");
        check(1_610_612_736, "1.50 GiB");
        check(1_610_612_737, "1.50 GiB");
        check(160 << 30, "160 GiB");
    }

    #[test]
    fn thousands_are_grouped_and_the_fraction_is_left_alone() {
        assert_eq!(
            ["1", "999", "1000", "-1234567.0001"].map(group_thousands),
            ["1", "999", "1,000", "-1,234,567.0001"]
        );
    }
}
