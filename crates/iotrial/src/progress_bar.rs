//! A line with a bar: what is done, how much of it, and times.

use std::time::Duration;

/// Longer bars say no more.
const LONGEST: usize = 60;
/// Shorter ones say nothing.
const SHORTEST: usize = 4;

/// A word, a bar that is full at a share of 1, and times; shorter than `width` wherever the words are.
pub fn bar_line(what: &str, share: f64, times: &str, width: usize, has_colours: bool) -> String {
    // Two spaces on each side of the bar, and one column free at the end.
    let around = what.chars().count() + times.chars().count() + 5;
    let length = width.saturating_sub(around).min(LONGEST);
    if length < SHORTEST {
        return format!("{what}  {times}");
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the length")]
    let full = (share.clamp(0.0, 1.0) * length as f64).round() as usize;
    let (done, rest) = ("━".repeat(full), "─".repeat(length - full));
    if has_colours {
        format!("\x1b[1m{what}\x1b[0m  \x1b[36m{done}\x1b[0m\x1b[2m{rest}\x1b[0m  {times}")
    } else {
        format!("{what}  {done}{rest}  {times}")
    }
}

/// `0:42`, `12:00`, `1:05:00`.
pub fn clock(time: Duration) -> String {
    // Rounded, since what is timed ends a little after its second.
    let seconds = time.saturating_add(Duration::from_millis(500)).as_secs();
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_the_line_and_no_more() {
        assert_eq!(
            bar_line("ramp", 0.5, "0:01 of 0:02", 30, false),
            "ramp  ━━━━╸────  0:01 of 0:02".replace('╸', "━")
        );
        for width in 0..100 {
            let line = bar_line("ramp", 2.0, "0:01", width, true);
            assert!(console::measure_text_width(&line) < width.max(11), "{width}: {line}");
        }
    }

    #[test]
    fn a_time_has_hours_only_where_it_needs_them() {
        let of = |seconds| clock(Duration::from_secs(seconds));
        assert_eq!([of(0), of(42), of(720), of(3_900)], ["0:00", "0:42", "12:00", "1:05:00"]);
    }
}
