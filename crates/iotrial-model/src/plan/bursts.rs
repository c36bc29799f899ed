//! Bursts and the time that is measured: only whole periods have the rate that was asked.

use std::time::Duration;

use super::{Arrival, LONGEST_PHASE, Plan, PlanError};
use crate::load::Bursts;
use crate::profile::Profile;
use crate::units::duration_in_words;

impl Plan {
    /// The shortest time that holds whole periods of the bursts of every job; `None` without bursts.
    pub fn burst_period(&self) -> Option<Duration> {
        let bursts = self.jobs.iter().filter_map(|job| match job.arrival {
            Arrival::Open { bursts, .. } => bursts,
            Arrival::Closed | Arrival::Following { .. } => None,
        });
        common_period(bursts).map(duration)
    }
}

/// The measured phase of a profile: as it was `asked`, or whole periods of its bursts where the profile
/// itself set it.
pub(super) fn measured_phase(
    profile: &Profile,
    asked: Duration,
    is_by_user: bool,
    notes: &mut Vec<String>,
) -> Result<Duration, PlanError> {
    let Some(period_ns) = common_period(profile.jobs.iter().filter_map(|job| job.bursts)) else {
        return Ok(asked);
    };
    let period = duration(period_ns);
    if period > LONGEST_PHASE {
        // A common multiple of periods such as 7 min and 11 min is soon longer than a phase may be.
        return Err(PlanError::BurstsApart);
    }
    let whole = whole_periods(asked, period);
    if whole == asked {
        return Ok(asked);
    }
    if is_by_user {
        // What the user asked for is not changed without asking; what the profile says is, with a note.
        return Err(PlanError::PartOfPeriod { asked, period, whole });
    }
    notes.push(format!(
        "the measured phase lasts {} instead of {}: whole periods of the bursts, which are {} long",
        duration_in_words(whole),
        duration_in_words(asked),
        duration_in_words(period)
    ));
    Ok(whole)
}

/// `time` rounded up to whole periods.
pub(super) fn whole_periods(time: Duration, period: Duration) -> Duration {
    duration(time.as_nanos().next_multiple_of(period.as_nanos()))
}

/// The least common multiple of two times in ns; at most what is far too long for a phase.
pub(super) fn common_multiple(a: u128, b: u128) -> u128 {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    // Divided before it is multiplied, and bounded at 584 years, which is refused as too long later.
    (a / divisor).saturating_mul(b).min(u128::from(u64::MAX))
}

fn common_period(bursts: impl Iterator<Item = Bursts>) -> Option<u128> {
    bursts.map(|one| one.period.as_nanos()).reduce(common_multiple)
}

fn duration(ns: u128) -> Duration {
    Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{EngineKind, PlanRequest, TargetFacts, TargetKind};
    use crate::units::ByteSize;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A plan of two jobs with bursts of these periods; the profile measures for ten seconds.
    fn decided(periods: [&str; 2], measure: Option<Duration>) -> Result<Plan, PlanError> {
        let job = |(name, period): (&str, &str)| {
            format!(
                "[[job]]\nname = \"{name}\"\nrole = \"data\"\npattern = \"random\"\nrwmix_read_percent = 0\n\
                 block_size = \"8KiB\"\niodepth = 8\nsize = \"1GiB\"\nrate = \"500 iops\"\n\
                 bursts = {{ period = \"{period}\", spread = \"1s\" }}\n"
            )
        };
        let jobs: String = ["a", "b"].into_iter().zip(periods).map(job).collect();
        let text = format!(
            "format = \"iotrial.profile/1\"\nname = \"a\"\ntitle = \"A\"\nschedule = {{ duration = \"10s\" }}\n\
             quick = {{ size = \"1GiB\", duration = \"10s\" }}\n{jobs}"
        );
        let request = PlanRequest { measure, ..PlanRequest::of_engine(EngineKind::Sim) };
        let target = TargetFacts {
            path: "sim".into(),
            roles: Vec::new(),
            kind: TargetKind::Imagined,
            sector_size: ByteSize::bytes(512),
        };
        Plan::decide(&Profile::parse(&text).unwrap(), &request, &[target])
    }

    #[test]
    fn a_profile_that_measures_a_part_of_a_period_measures_whole_ones_and_says_so() {
        let plan = decided(["60s", "60s"], None).unwrap();
        assert_eq!(plan.duration(), seconds(60));
        assert!(
            plan.notes[0].starts_with("the measured phase lasts 60 s instead of 10 s: whole periods"),
            "{:?}",
            plan.notes
        );
        // Six and four seconds come together every twelve.
        assert_eq!(decided(["6s", "4s"], None).unwrap().duration(), seconds(12));
        let plan = decided(["5s", "2s"], None).unwrap();
        assert_eq!((plan.duration(), plan.notes.len()), (seconds(10), 0));
    }

    #[test]
    fn a_duration_of_the_user_with_a_part_of_a_period_is_refused_with_the_next_whole_one() {
        let error = decided(["6s", "4s"], Some(seconds(30))).unwrap_err();
        let (asked, period, whole) = (seconds(30), seconds(12), seconds(36));
        assert_eq!(error, PlanError::PartOfPeriod { asked, period, whole });
        assert!(decided(["6s", "4s"], Some(seconds(36))).is_ok());
    }

    #[test]
    fn bursts_that_do_not_come_together_within_a_phase_are_refused() {
        assert_eq!(decided(["100001s", "99991s"], None).unwrap_err(), PlanError::BurstsApart);
    }

    #[test]
    fn rounds_that_are_compared_are_whole_periods() {
        let plan = decided(["60s", "60s"], None).unwrap().until_steady(None).unwrap();
        assert_eq!(plan.until_steady.unwrap().round, seconds(60));
        let plan = decided(["2500ms", "2500ms"], None).unwrap().until_steady(None).unwrap();
        // Whole seconds too, which the intervals are.
        assert_eq!(plan.until_steady.unwrap().round, seconds(5));
        let error = decided(["60s", "60s"], None).unwrap().until_steady(Some(seconds(120))).unwrap_err();
        assert_eq!(error, PlanError::LimitTooShort { limit: seconds(120), window: seconds(300) });
    }
}
