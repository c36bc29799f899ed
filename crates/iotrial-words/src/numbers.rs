//! Numbers within sentences.

use iotrial_model::units::group_thousands;

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

/// A count, with a comma before every three digits.
pub fn count_with_thousands(count: u64) -> String {
    with_thousands(count as f64)
}

/// A length of time for people, never rounded to nothing: `30 s`, `2.5 s`, `500 ms`, `0.4 ms`.
pub fn seconds_in_words(seconds: f64) -> String {
    let tenths = |number: f64| (10.0 * number).round() / 10.0;
    match seconds {
        10.0.. => format!("{} s", with_thousands(seconds)),
        0.9995.. => format!("{} s", tenths(seconds)),
        0.001.. => format!("{:.0} ms", 1e3 * seconds),
        _ => format!("{} ms", tenths(1e3 * seconds)),
    }
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

/// A latency in the unit that people say it in: `2.31 ms`, `831 ms`, `12.3 s`.
pub fn latency_in_words(latency_us: f64) -> String {
    if latency_us < 1e7 {
        format!("{} ms", three_digits(latency_us / 1e3))
    } else {
        format!("{} s", three_digits(latency_us / 1e6))
    }
}

/// `0.0831`, `0.831`, `8.31`, `83.1`, `8,310`.
fn three_digits(number: f64) -> String {
    let decimals = match number {
        ..0.1 => 4,
        ..1.0 => 3,
        ..10.0 => 2,
        ..100.0 => 1,
        _ => return with_thousands(number),
    };
    format!("{number:.decimals$}")
}

/// A share for people, as a multiple where hundredths would be too many: `12 %`, `133 times`.
pub fn percent_or_times(percent: f64) -> String {
    if percent.abs() < 1_000.0 {
        format!("{percent:.0} %")
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
    fn a_time_is_never_rounded_to_nothing() {
        let check = |seconds, words: &str| assert_eq!(seconds_in_words(seconds), words);
        check(59.98, "60 s");
        check(2.5, "2.5 s");
        check(0.9999, "1 s");
        check(0.5, "500 ms");
        check(0.001, "1 ms");
        check(0.000_4, "0.4 ms");
    }

    #[test]
    fn long_latencies_are_seconds_and_many_hundredths_are_times() {
        assert_eq!(latency_in_words(9_000.0), "9.00 ms");
        assert_eq!(latency_in_words(9_300_000.0), "9,300 ms");
        assert_eq!(latency_in_words(12_345_678.0), "12.3 s");
        assert_eq!((percent_or_times(13_344.0), percent_or_times(67.4)), ("133 times".into(), "67 %".into()));
    }
}
