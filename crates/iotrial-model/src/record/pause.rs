//! When the generator itself stood still.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::units::seconds;

/// A time in which iotrial did not run: a signal or a control group stopped it, or its whole machine stood still.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pause {
    /// Since the start of the load.
    #[serde(rename = "start_s", with = "seconds")]
    pub start: Duration,
    /// How long it lasted; known to some tens of milliseconds.
    #[serde(rename = "duration_s", with = "seconds")]
    pub duration: Duration,
}

impl Pause {
    /// How much of it lies between two times since the start of the load.
    pub fn within(&self, from: Duration, to: Duration) -> Duration {
        self.end().min(to).saturating_sub(self.start.max(from))
    }

    /// Since the start of the load.
    pub fn end(&self) -> Duration {
        self.start.saturating_add(self.duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_within_two_times_is_their_overlap() {
        let s = Duration::from_secs;
        let pause = Pause { start: s(10), duration: s(5) };
        let cases = [((0, 20), 5), ((12, 13), 1), ((0, 11), 1), ((14, 30), 1), ((0, 10), 0), ((15, 20), 0)];
        for ((from, to), expected) in cases {
            assert_eq!(pause.within(s(from), s(to)), s(expected), "{from} to {to}");
        }
    }
}
