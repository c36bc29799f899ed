//! Numbers within sentences.

use iotrial_model::units::group_thousands;
pub use iotrial_model::units::seconds_in_words;

/// Rounded to a whole number, with a comma before every three digits: `2,000`.
pub fn with_thousands(value: f64) -> String {
    // Adding nothing makes a negative zero a plain one.
    group_thousands(&format!("{:.0}", value.round() + 0.0))
}

/// A number of a sentence, with no more decimals than it needs, and never `0.0`, which would read as nothing: `1,204`, `18.3`, `0.25`.
pub fn number_in_words(number: f64) -> String {
    let decimals = match number.abs() {
        100.0.. => 0,
        1.0.. => 1,
        0.005.. => 2,
        0.0 => 0,
        _ => return "less than 0.01".to_owned(),
    };
    group_thousands(&format!("{number:.decimals$}"))
}

/// `1 outstanding I/O`, `1,024 outstanding I/Os`.
pub fn outstanding_in_words(count: f64) -> String {
    let count = with_thousands(count);
    format!("{count} outstanding I/O{}", if count == "1" { "" } else { "s" })
}

/// A count, with a comma before every three digits.
pub fn count_with_thousands(count: u64) -> String {
    with_thousands(count as f64)
}

/// A point in time for people, of seconds since the beginning of 1970: `2026-11-25 10:42:05 UTC`.
pub fn moment_in_words(unix_s: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "what is beyond the calendar has no name")]
    let moment = jiff::Timestamp::from_second(unix_s as i64);
    moment.map_or_else(
        |_| "an unknown time".to_owned(),
        |moment| moment.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
    )
}

/// A latency, with the digits that it has in every table: `2.31 ms`, `831 ms`, `12,346 ms`.
pub fn latency_in_words(latency_us: f64) -> String {
    let ms = latency_us / 1e3;
    format!("{} ms", with_decimals(ms, decimals_of_latency(ms)))
}

/// A rate of I/Os or commits per second, with the digits that it has in every table: `159,324`, `7.6`.
pub fn rate_in_words(iops: f64) -> String {
    with_decimals(iops, decimals_of_rate(iops))
}

/// Decimals of a latency in ms: three digits, as buckets of histograms are 1 % wide; whole ms from 100, and nothing below 1 µs.
pub fn decimals_of_latency(ms: f64) -> usize {
    // Each limit is what rounds to the next length: 9.996 is 10.0 and not 10.00.
    match ms.abs() {
        99.95.. => 0,
        9.995.. => 1,
        0.999_5.. => 2,
        0.0 => 0,
        _ => 3,
    }
}

/// Decimals of a rate: none from 10 per second, and below no more than two digits.
pub fn decimals_of_rate(iops: f64) -> usize {
    match iops.abs() {
        9.95.. => 0,
        0.095.. => 1,
        0.0 => 0,
        _ => 2,
    }
}

/// With so many decimals, and a comma before every three digits.
pub fn with_decimals(number: f64, decimals: usize) -> String {
    // Adding nothing makes a negative zero a plain one.
    group_thousands(&format!("{:.decimals$}", half_up(number, decimals) + 0.0))
}

/// The number, where it is exactly between two with `decimals` decimals, a trace further from zero:
/// spreadsheets round 1,072.5 and 0.125 up, and Rust to the even neighbour.
pub fn half_up(number: f64, decimals: usize) -> f64 {
    let scaled = number.abs() * 10f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX));
    // 1e-9 relative to the number: products such as 1.005 × 100 miss the half by a few bits.
    let is_half = (scaled.fract() - 0.5).abs() < 1e-9 * scaled.max(1.0);
    if is_half { number * (1.0 + 1e-9) } else { number }
}

/// A share for people, as a multiple where hundredths would be too many: `12 %`, `133 times`.
pub fn percent_or_times(percent: f64) -> String {
    if percent.abs() < 1_000.0 {
        format!("{} %", with_thousands(percent))
    } else {
        format!("{} times", with_thousands(percent / 100.0))
    }
}

/// The same as the beginning of a sentence.
pub fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The same within a sentence.
pub fn lower(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_a_sentence_has_few_digits_and_is_never_rounded_to_nothing() {
        let check = |number: f64, expected: &str| assert_eq!(number_in_words(number), expected);
        check(12_345.6, "12,346");
        check(100.0, "100");
        check(8.05, "8.1");
        check(0.5, "0.50");
        check(0.004, "less than 0.01");
        check(0.0, "0");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(with_thousands(2_000.2), "2,000");
        assert_eq!((with_thousands(999.0), with_thousands(1_234_567.0)), ("999".into(), "1,234,567".into()));
        assert_eq!((with_thousands(-0.2), with_thousands(-1_000.0)), ("0".into(), "-1,000".into()));
    }

    #[test]
    fn a_latency_has_three_digits_and_a_rate_is_whole_from_ten() {
        let check = |latency_us: f64, words: &str| assert_eq!(latency_in_words(latency_us), words);
        check(8.4, "0.008 ms");
        check(85.4, "0.085 ms");
        check(999.4, "0.999 ms");
        check(999.6, "1.00 ms");
        check(9_000.0, "9.00 ms");
        check(9_996.0, "10.0 ms");
        check(1_072_500.0, "1,073 ms");
        check(12_345_678.0, "12,346 ms");
        let check = |iops: f64, words: &str| assert_eq!(rate_in_words(iops), words);
        check(159_324.4, "159,324");
        check(9.96, "10");
        check(7.64, "7.6");
        check(0.04, "0.04");
        check(0.0, "0");
    }

    #[test]
    fn many_hundredths_are_times() {
        assert_eq!((percent_or_times(13_344.0), percent_or_times(67.4)), ("133 times".into(), "67 %".into()));
    }
}
