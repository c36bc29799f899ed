//! Numbers that a source states, and what they may stand for, within sentences.

use iotrial_model::imported::Stated;
use iotrial_model::range::Range;
use iotrial_model::units::{ByteSize, group_thousands};

/// A number as it was printed, thousands apart; of a counted one four digits.
pub(crate) fn write_stated(stated: Stated) -> String {
    // No printed figure has more decimals that anybody reads.
    let decimals = (0..=3).find(|decimals| stated.resolution >= 0.99 * 10f64.powi(-decimals));
    match decimals.and_then(|decimals| usize::try_from(decimals).ok()) {
        Some(decimals) if stated.resolution > 0.0 => group(&format!("{:.decimals$}", stated.value)),
        _ => write_number(stated.value),
    }
}

/// A number for a sentence: four digits, thousands apart.
pub(crate) fn write_number(number: f64) -> String {
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

/// The number that both ends of a range are written as, or both ends.
pub(crate) fn write_range(range: Range) -> String {
    let (low, high) = (write_number(range.low), write_number(range.high));
    if low == high { low } else { format!("{low} to {high}") }
}

/// A change in hundredths for a sentence, with its sign.
pub(crate) fn write_change(percent: f64) -> String {
    let sign = if percent < 0.0 { "−" } else { "+" };
    format!("{sign}{:.1} %", percent.abs())
}

/// `8 KiB`, `8 KiB to 64 KiB`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes below 8 PiB")]
pub(crate) fn write_sizes(bytes: Range) -> String {
    let size = |bytes: f64| ByteSize::bytes(bytes as u64).to_string();
    let (low, high) = (size(bytes.low), size(bytes.high));
    if bytes.low == bytes.high { low } else { format!("{low} to {high}") }
}

/// Thousands apart, with the minus sign of prose.
fn group(number: &str) -> String {
    group_thousands(number).replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

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
