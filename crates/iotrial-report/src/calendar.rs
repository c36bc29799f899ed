//! Seconds of the calendar as people read them. They are of the clock of whoever printed them, in no time zone.

use jiff::SignedDuration;
use jiff::civil::DateTime;

fn time_of(seconds: f64) -> Option<DateTime> {
    #[expect(clippy::cast_possible_truncation, reason = "seconds since 1970")]
    let since = SignedDuration::from_secs(seconds.round() as i64);
    DateTime::new(1970, 1, 1, 0, 0, 0, 0).ok()?.checked_add(since).ok()
}

/// `2025-03-03 10:00`.
pub(crate) fn moment(seconds: f64) -> String {
    time_of(seconds).map_or_else(String::new, |time| time.strftime("%Y-%m-%d %H:%M").to_string())
}

/// The same with its seconds: `2025-03-03 10:00:05`.
pub(crate) fn second(seconds: f64) -> String {
    time_of(seconds).map_or_else(String::new, |time| time.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

/// The same as programs read it: `2025-03-03T10:00:05`.
pub(crate) fn exact(seconds: f64) -> String {
    time_of(seconds).map_or_else(String::new, |time| time.to_string())
}

/// A tick of an axis: the hour, and at midnight the day.
pub(crate) fn tick(seconds: f64) -> String {
    let format = if seconds.rem_euclid(86_400.0) < 1.0 { "%-d %b" } else { "%H:%M" };
    time_of(seconds).map_or_else(String::new, |time| time.strftime(format).to_string())
}

/// Days since 1899-12-30, by which spreadsheets count.
pub(crate) fn spreadsheet_day(seconds: f64) -> f64 {
    seconds / 86_400.0 + 25_569.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_is_an_hour_and_midnight_is_a_day() {
        let at = 1_740_996_000.0;
        assert_eq!((moment(at).as_str(), exact(at).as_str()), ("2025-03-03 10:00", "2025-03-03T10:00:00"));
        assert_eq!(second(at + 5.0), "2025-03-03 10:00:05");
        assert_eq!((tick(at).as_str(), tick(at + 14.0 * 3_600.0).as_str()), ("10:00", "4 Mar"));
        // A spreadsheet shows 2025-03-03 as day 45719.
        assert_eq!(spreadsheet_day(at).floor(), 45_719.0);
    }
}
