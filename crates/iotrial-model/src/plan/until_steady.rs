//! A plan whose measured phase lasts until the load is steady.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::bursts::common_multiple;
use super::interval::interval_of;
use super::{LONGEST_PHASE, Phase, PhaseKind, Plan, PlanError};
use crate::units::seconds;

/// How many consecutive rounds are compared; they are the window that is measured (SNIA PTS 2.0).
pub const STEADY_ROUNDS: u32 = 5;

/// How many rounds the load runs before it gives up, unless the user says otherwise (SNIA PTS 2.0).
const MOST_ROUNDS: u32 = 25;

/// A measured phase that ends as soon as its last [`STEADY_ROUNDS`] rounds are steady, and at its limit, the
/// duration of the phase, at the latest. Whether they are steady is decided by whoever looks at the
/// intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UntilSteady {
    /// Length of a round: a whole number of intervals.
    #[serde(rename = "round_s", with = "seconds")]
    pub round: Duration,
}

impl UntilSteady {
    /// The window that is measured in the end.
    pub fn window(self) -> Duration {
        self.round * STEADY_ROUNDS
    }
}

/// The times of a load that waits for a steady state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SteadyTimes {
    /// Its rounds.
    pub until: UntilSteady,
    /// The measured phase of a load that does not become steady.
    pub longest: Duration,
    /// How often the load hands its facts over.
    interval: Duration,
}

impl SteadyTimes {
    /// Of a load that runs for `before` and was to be measured for `asked`, which becomes the window: a round is a fifth of it, in whole
    /// seconds. The limit is cut to whole rounds; `None` is 25 rounds.
    ///
    /// # Errors
    ///
    /// When the limit is shorter than the window, or longer than a phase may be.
    pub fn new(before: Duration, asked: Duration, limit: Option<Duration>) -> Result<Self, PlanError> {
        Self::in_periods(before, asked, limit, 1)
    }

    /// The same in rounds of whole periods of so many seconds.
    fn in_periods(
        before: Duration,
        asked: Duration,
        limit: Option<Duration>,
        period_s: u128,
    ) -> Result<Self, PlanError> {
        if limit.is_some_and(|limit| limit > LONGEST_PHASE) {
            return Err(PlanError::TooLong);
        }
        // Rounds are whole seconds, as intervals are: a round has to end where an interval does.
        let mut round_s = asked.as_nanos().div_ceil(u128::from(STEADY_ROUNDS) * 1_000_000_000).max(1);
        round_s = round_s.next_multiple_of(period_s);
        // Longer rounds may need longer intervals, and the other way round; both grow, and soon agree.
        loop {
            let round = Duration::from_secs(u64::try_from(round_s).map_err(|_| PlanError::TooLong)?);
            let until = UntilSteady { round };
            let most = limit.unwrap_or(round * MOST_ROUNDS);
            if most < until.window() {
                return Err(PlanError::LimitTooShort { limit: most, window: until.window() });
            }
            // Whole rounds only: a last round that is cut short could not be compared with the others.
            let rounds = u32::try_from(most.as_secs() / round.as_secs()).map_err(|_| PlanError::TooLong)?;
            let longest = round * rounds;
            if longest > LONGEST_PHASE {
                return Err(PlanError::TooLong);
            }
            let interval = interval_of(before + longest);
            let fitting_s = round_s.next_multiple_of(common_multiple(period_s, interval.as_secs().into()));
            if fitting_s == round_s {
                return Ok(Self { until, longest, interval });
            }
            round_s = fitting_s;
        }
    }
}

impl Plan {
    /// The same load, measured until it is steady, for `limit` at most.
    ///
    /// The duration that was planned becomes the window, as [`SteadyTimes`] has it. With bursts a round holds whole periods of them.
    ///
    /// # Errors
    ///
    /// When the limit is shorter than the window, or longer than a phase may be.
    pub fn until_steady(mut self, limit: Option<Duration>) -> Result<Self, PlanError> {
        if !self.steps.is_empty() {
            return Err(PlanError::SteadySteps);
        }
        let (measured, others): (Vec<Phase>, Vec<Phase>) =
            self.phases.iter().partition(|phase| phase.kind == PhaseKind::Measure);
        let before: Duration = others.iter().map(|phase| phase.duration).sum();
        let asked: Duration = measured.iter().map(|phase| phase.duration).sum();
        let period_s = self
            .burst_period()
            // In seconds, as far as whole rounds of both are needed.
            .map_or(1, |period| common_multiple(period.as_nanos(), 1_000_000_000) / 1_000_000_000);
        let SteadyTimes { until, longest, interval } =
            SteadyTimes::in_periods(before, asked, limit, period_s)?;
        self.phases.retain(|phase| phase.kind != PhaseKind::Measure);
        self.phases.push(Phase { kind: PhaseKind::Measure, duration: longest });
        (self.interval, self.until_steady) = (interval, Some(until));
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{EngineKind, PlanRequest, TargetFacts, TargetKind};
    use crate::profile::Profile;
    use crate::units::ByteSize;

    fn plan(measure: Duration) -> Plan {
        let text = "format = \"iotrial.profile/1\"\nname = \"a\"\ntitle = \"A\"\n\
                    schedule = { ramp = \"30s\", duration = \"300s\" }\nquick = { size = \"1GiB\", duration = \"30s\" }\n\
                    [[job]]\nname = \"a\"\nrole = \"data\"\npattern = \"random\"\nrwmix_read_percent = 70\n\
                    block_size = \"8KiB\"\niodepth = 8\nsize = \"1GiB\"\n";
        let request =
            PlanRequest { full: true, measure: Some(measure), ..PlanRequest::of_engine(EngineKind::Sim) };
        let target = TargetFacts {
            path: "sim".into(),
            roles: Vec::new(),
            kind: TargetKind::Imagined,
            sector_size: ByteSize::bytes(512),
        };
        Plan::decide(&Profile::parse(text).unwrap(), &request, &[target]).unwrap()
    }

    /// Seconds of a round, of the interval, and of the measured phase at most.
    fn decided(measure_s: u64, limit_s: Option<u64>) -> [u64; 3] {
        let plan = plan(Duration::from_secs(measure_s));
        let plan = plan.until_steady(limit_s.map(Duration::from_secs)).unwrap();
        let measure = plan.phases.last().unwrap().duration;
        [plan.until_steady.unwrap().round, plan.interval, measure].map(|time| time.as_secs())
    }

    #[test]
    fn a_round_is_a_fifth_of_the_duration_and_the_limit_is_cut_to_whole_rounds() {
        assert_eq!(decided(300, None), [60, 1, 1_500]);
        assert_eq!(decided(30, None), [6, 1, 150]);
        assert_eq!(decided(31, None), [7, 1, 175]);
        assert_eq!(decided(1, None), [1, 1, 25]);
        assert_eq!(decided(30, Some(100)), [6, 1, 96]);
        assert_eq!(decided(30, Some(30)), [6, 1, 30]);
    }

    #[test]
    fn a_round_is_a_whole_number_of_intervals_however_long_the_load() {
        assert_eq!(decided(5_000, None), [1_001, 7, 25_025]);
        let [round, interval, measure] = decided(300, Some(86_400));
        assert_eq!((round % interval, measure % round), (0, 0));
    }

    #[test]
    fn a_limit_without_room_for_the_window_is_refused() {
        let limit = Duration::from_secs(29);
        let error = plan(Duration::from_secs(30)).until_steady(Some(limit)).unwrap_err();
        assert_eq!(error, PlanError::LimitTooShort { limit, window: Duration::from_secs(30) });
    }
}
