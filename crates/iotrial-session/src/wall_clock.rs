//! What time it is, by a clock that may be set to anything.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use ulid::Ulid;

/// Two hosts that share a store may differ by so much.
// A choice: far more than hosts differ that ask a time server, and less than anybody waits between two runs that must not be confused.
const TOLERANCE: Duration = Duration::from_secs(300);

/// The time now. A clock that is set beyond the years that can be written is at the nearest that can.
pub fn now() -> Timestamp {
    nearest(SystemTime::now())
}

/// The day that it is where the user is.
pub fn today() -> Date {
    now().to_zoned(TimeZone::system()).date()
}

fn nearest(time: SystemTime) -> Timestamp {
    let end = if time < UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(time).unwrap_or(end)
}

/// Whether a result with this id, said to have started at that time, is ahead of `now`: the clock of its host was wrong, or somebody
/// wrote it so. Names are sorted by the time in the id, and people read the start.
pub fn is_ahead(id: &str, started_at: &str, now: Timestamp) -> bool {
    // Beyond the last that can be written nothing is.
    let Ok(latest) = now.checked_add(TOLERANCE) else { return false };
    let of_id = Ulid::from_string(id).ok().map(|id| id.timestamp_ms());
    // No id is of a time before 1970, whatever the clock said.
    let is_later = |ms: u64| i64::try_from(ms).is_ok_and(|ms| ms > latest.as_millisecond().max(0));
    of_id.is_some_and(is_later) || started_at.parse::<Timestamp>().is_ok_and(|start| start > latest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds since 1970 of clocks that were set wrong: in 1600, 1969, 1970, 1980, 2038 and later, at the end of 9999, and beyond it.
    const CLOCKS: [i64; 14] = [
        i64::MIN,
        -377_705_116_800,
        -11_676_096_000,
        -1,
        0,
        315_532_800,
        2_147_483_647,
        2_147_483_648,
        4_294_967_296,
        253_402_207_200,
        253_402_300_799,
        253_402_300_800,
        1 << 48,
        i64::MAX,
    ];

    #[test]
    fn every_clock_has_a_time_that_can_be_written_and_read_again() {
        let mut times = Vec::new();
        for seconds in CLOCKS {
            let since = Duration::from_secs(seconds.unsigned_abs());
            let time =
                if seconds < 0 { UNIX_EPOCH.checked_sub(since) } else { UNIX_EPOCH.checked_add(since) };
            // Windows has no such times.
            let Some(time) = time else { continue };
            let nearest = nearest(time);
            assert_eq!(nearest.to_string().parse::<Timestamp>().unwrap(), nearest, "{seconds}");
            // As lists and lines of catalogs show it.
            let _ = nearest.to_zoned(TimeZone::fixed(jiff::tz::offset(14))).date();
            let id = Ulid::from_datetime(time).to_string();
            assert!(!is_ahead(&id, &nearest.to_string(), nearest), "{seconds}");
            times.push(nearest);
        }
        assert!(times.is_sorted());
    }

    #[test]
    fn a_start_is_ahead_by_its_time_or_by_its_id_and_what_is_no_time_is_not() {
        let now: Timestamp = "2026-11-26T12:00:00Z".parse().unwrap();
        let id = |time: &str| {
            let at: Timestamp = time.parse().unwrap();
            Ulid::from_parts(at.as_millisecond().unsigned_abs(), 0).to_string()
        };
        let (before, after) = (id("2026-11-26T11:00:00Z"), id("2056-11-26T11:00:00Z"));
        let check = |id: &str, start: &str, expected: bool| {
            assert_eq!(is_ahead(id, start, now), expected, "{id} {start}");
        };
        check(&before, "2026-11-26T11:00:00Z", false);
        check(&before, "2026-11-26T12:04:00Z", false);
        check(&before, "2026-11-26T12:06:00Z", true);
        check(&before, "9999-12-30T22:00:00Z", true);
        check(&after, "2026-11-26T11:00:00Z", true);
        check("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "", true);
        for none in ["", "yesterday", "+10000-01-01T00:00:00Z", "2056-01-01T00:00:00", "\u{0}"] {
            check(&before, none, false);
            check("no id", none, false);
        }
    }
}
