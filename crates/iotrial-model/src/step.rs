//! A load that changes on purpose: steps of the measured phase, each with its share of the full load.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::units::{duration_in_words, seconds};

/// No load has more of them: a table of more rows is a chart.
pub const MOST_STEPS: usize = 100;

/// The largest share of the full load: ten times what the profile says, for jobs with a rate of their own.
pub const MOST_LOAD_PERCENT: f64 = 1_000.0;

/// A stretch of the measured phase with a load of its own, which is a share of the full load: of the rate of each open job, and of
/// the outstanding I/Os of each closed one. What follows another job follows it in every step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What its author calls it, such as `peak`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How long it lasts; more than zero.
    #[serde(rename = "duration_s", with = "seconds")]
    pub duration: Duration,
    /// Its share of the full load, or the one that it ends with; more than zero.
    pub load_percent: f64,
    /// The share that it begins with, from which the load changes evenly to `load_percent`; `None` where it does not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_percent: Option<f64>,
    /// Whether the outcome of the run depends on it.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub judged: bool,
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_yes(judged: &bool) -> bool {
    *judged
}

impl Step {
    /// A judged step of one load without a name.
    pub const fn constant(duration: Duration, load_percent: f64) -> Self {
        Self { name: None, duration, load_percent, from_percent: None, judged: true }
    }

    /// Whether the load stays the same all through it.
    pub fn is_constant(&self) -> bool {
        self.from_percent.is_none_or(|from| from.total_cmp(&self.load_percent).is_eq())
    }

    /// The share of the full load that it begins with, 1 is all of it.
    pub fn first_share(&self) -> f64 {
        self.from_percent.unwrap_or(self.load_percent) / 100.0
    }

    /// The share of the full load that it ends with.
    pub fn last_share(&self) -> f64 {
        self.load_percent / 100.0
    }

    /// The share over all of it: the load changes evenly.
    pub fn mean_share(&self) -> f64 {
        f64::midpoint(self.first_share(), self.last_share())
    }

    /// The load in words: `75 %`, `0 to 100 %`.
    pub fn load_in_words(&self) -> String {
        match self.from_percent.filter(|_| !self.is_constant()) {
            Some(from) => format!("{} to {} %", percent(from), percent(self.load_percent)),
            None => format!("{} %", percent(self.load_percent)),
        }
    }

    /// What it is called, as the `number`th one from 1: `step 2 “peak” (100 %)`.
    pub fn label(&self, number: usize) -> String {
        let name = self.name.as_ref().map(|name| format!(" “{name}”")).unwrap_or_default();
        format!("step {number}{name} ({})", self.load_in_words())
    }

    /// The same where there is room for a few letters: `2 peak`, `3`.
    pub fn short_label(&self, number: usize) -> String {
        self.name.as_ref().map_or_else(|| number.to_string(), |name| format!("{number} {name}"))
    }

    /// Steps one after the other: `2 steps: build-up 0 to 100 % 10 min, peak 100 % 40 min`.
    pub fn all_in_words(steps: &[Self]) -> String {
        let words = steps.iter().map(|step| {
            let name = step.name.as_ref().map(|name| format!("{name} ")).unwrap_or_default();
            let judged = if step.judged { "" } else { " (not judged)" };
            format!("{name}{} {}{judged}", step.load_in_words(), duration_in_words(step.duration))
        });
        let words: Vec<String> = words.collect();
        format!("{} {}: {}", steps.len(), if steps.len() == 1 { "step" } else { "steps" }, words.join(", "))
    }
}

/// At most one decimal: shares of a given rate have many.
fn percent(percent: f64) -> f64 {
    (10.0 * percent).round() / 10.0
}

/// Why a text is not a share of the full load.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a share of the full load, such as 75% (more than 0 and at most 1000)")]
pub struct ParsePercentError(String);

/// Reads a share such as `75%` or `75 %`; more than zero and at most [`MOST_LOAD_PERCENT`].
///
/// # Errors
///
/// When it is something else.
pub fn parse_percent(text: &str) -> Result<f64, ParsePercentError> {
    let number = text.trim().strip_suffix('%').and_then(|number| number.trim_end().parse::<f64>().ok());
    number
        .filter(|percent| *percent > 0.0 && *percent <= MOST_LOAD_PERCENT)
        .ok_or_else(|| ParsePercentError(text.to_owned()))
}

/// Reads a staircase such as `25%,50%,75%,100%`: the share of each step, at least two of them.
///
/// # Errors
///
/// When a part is not a share, or there are too few or too many.
pub fn parse_staircase(text: &str) -> Result<Vec<f64>, String> {
    let shares: Vec<f64> =
        text.split(',').map(parse_percent).collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    match shares.len() {
        2..=MOST_STEPS => Ok(shares),
        1 => Err("one step is a load that does not change; give two or more, such as 50%,100%".to_owned()),
        _ => Err(format!("there are at most {MOST_STEPS} steps")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_staircase_is_read_share_by_share_and_what_is_none_is_told() {
        assert_eq!(parse_staircase("25%, 50 %,100%"), Ok(vec![25.0, 50.0, 100.0]));
        for (text, told) in [
            ("50%", "give two or more"),
            ("50,100", "`50` is not a share"),
            ("0%,50%", "`0%` is not a share"),
            ("50%,2000%", "`2000%` is not a share"),
            ("", "`` is not a share"),
        ] {
            let error = parse_staircase(text).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }

    #[test]
    fn a_step_says_its_load_and_its_name() {
        let minute = Duration::from_secs(60);
        let peak = Step { name: Some("peak".to_owned()), ..Step::constant(minute, 100.0) };
        let rise = Step { from_percent: Some(0.0), judged: false, ..Step::constant(minute, 100.0) };
        assert_eq!(peak.label(2), "step 2 “peak” (100 %)");
        assert_eq!(rise.label(1), "step 1 (0 to 100 %)");
        assert_eq!((rise.mean_share(), rise.is_constant()), (0.5, false));
        assert_eq!(
            Step::all_in_words(&[rise, peak]),
            "2 steps: 0 to 100 % 60 s (not judged), peak 100 % 60 s"
        );
    }
}
