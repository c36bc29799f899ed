//! How long each load of a search takes, and why.

use std::time::Duration;

use iotrial_model::figure::LEAST_BEYOND;
use iotrial_model::latency_limit::{LatencyLimit, LimitStatistic};
use iotrial_model::plan::{Phase, PhaseKind, Plan};
use iotrial_model::search::{Probe, ProbeKind};

use super::{Limits, SearchError};

/// How many I/Os should be beyond the percentile before a probe ends. Their number is then exact to 10 % (the
/// square root of 100). With fewer than [`LEAST_BEYOND`] none is judged, however long that takes.
const WANTED_BEYOND: f64 = 100.0;
/// How many I/Os a mean should have.
// A mean of exponential latencies is then exact to 3 %.
const WANTED_FOR_MEAN: f64 = 1_000.0;
/// The longest that the closed load is measured.
// It only gives the mix and a first guess of the rate.
const LONGEST_SATURATION: Duration = Duration::from_secs(5);
/// How long it runs before that, at most.
// Queues of a closed load are full at once; caches and credits are not its business.
const SATURATION_RAMP: Duration = Duration::from_secs(1);
/// The same of the first longer run behind probes.
const CONFIRMATION_RAMP: Duration = Duration::from_secs(2);
/// How long queues may fill before a probe counts.
const PROBE_RAMP: Duration = Duration::from_secs(1);
/// No probe is shorter than this, nor than a hundred times the limit on one latency.
const SHORTEST_PROBE_S: f64 = 3.0;
// A single stall as long as the limit then touches at most 1 % of the probe.
const LEAST_LIMITS_PER_PROBE: f64 = 100.0;
/// The longest probe, in seconds. A percentile that needs longer is refused.
const LONGEST_PROBE_S: f64 = 3_600.0;
/// What a load takes beside its phases: threads and rings are made, I/Os that are still with the device come back, counters are read,
/// the journal is brought to the disk.
// Measured: 0.2 to 0.4 s on a virtual machine of two CPUs.
pub(super) const GAP: Duration = Duration::from_millis(500);
/// Every longer run but the first is shorter by this factor.
// Two of them take less time than the first, and still outlast what a probe of 3 s cannot see.
const LATER_CONFIRMATIONS: f64 = 1.0 / 3.0;
/// None is shorter, in seconds.
const SHORTEST_CONFIRMATION_S: f64 = 10.0;
/// I/Os of the rarest stream that a confirmation should have, where a set judges them.
// One slower than the limit is then no reason to leave its 99th percentile open (`most_beyond`: one of 473).
const WANTED_OF_RAREST: f64 = 500.0;
/// The first one gives up time for this many later ones, where there is too little for all.
const LATER_WANTED: u32 = 2;
/// But it keeps so much, in seconds.
// Twice a later one: it is the first that sees what a probe of 3 s cannot.
const LEAST_OF_FIRST_S: f64 = 20.0;

/// What the plan and the limit say about the length of each load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// The plan's ramp.
    ramp: Duration,
    /// What the plan measures.
    measure: Duration,
    /// The one limit, where there is only one.
    limit: Option<LatencyLimit>,
    /// Whether a confirmation is the first open load, as where a needed rate is decided.
    is_confirmed_first: bool,
}

/// The time that a load may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// For this one alone.
    pub(super) left: Duration,
    /// Probes that may still have to share it; at least one.
    pub(super) probes: usize,
}

impl Room {
    /// What each of the probes has.
    fn of_one_probe(self) -> Duration {
        (self.left / u32::try_from(self.probes).unwrap_or(u32::MAX)).saturating_sub(GAP)
    }
}

impl Times {
    pub(super) fn of(plan: &Plan, limits: &Limits, is_confirmed_first: bool) -> Self {
        let planned = |kind| plan.phases.iter().filter(|one| one.kind == kind).map(|one| one.duration).sum();
        Self {
            ramp: planned(PhaseKind::Ramp),
            measure: planned(PhaseKind::Measure),
            limit: limits.one_latency(),
            is_confirmed_first,
        }
    }

    /// Makes the plan of the closed load as short as that one may be.
    pub(super) fn shorten_saturation(self, plan: &mut Plan) {
        for phase in &mut plan.phases {
            phase.duration = match phase.kind {
                PhaseKind::Measure => phase.duration.min(LONGEST_SATURATION),
                PhaseKind::Ramp => phase.duration.min(SATURATION_RAMP),
                PhaseKind::Precondition => phase.duration,
            };
        }
    }

    /// How long the closed load takes, with its ramp.
    pub(super) fn saturation(self) -> Duration {
        self.ramp.min(SATURATION_RAMP) + self.measure.min(LONGEST_SATURATION)
    }

    /// How long a probe takes that is measured for so many seconds, with its ramp.
    pub(super) fn probe_of(self, measure_s: f64) -> Duration {
        PROBE_RAMP + Duration::from_secs_f64(measure_s.ceil())
    }

    /// How long a confirmation takes after so many others, with its ramp.
    pub(super) fn confirmation(self, earlier: usize) -> Duration {
        self.confirmation_ramp(earlier) + Duration::from_secs_f64(self.confirmation_s(earlier).ceil())
    }

    /// The phases of the first confirmation where time is not short.
    pub(super) fn phases_of_confirmation(self) -> Vec<Phase> {
        let measure = Duration::from_secs_f64(self.confirmation_s(0).ceil());
        phases_of(self.confirmation_ramp(0), measure)
    }

    /// Whether a confirmation had its time, and was not ended early.
    pub(super) fn is_whole(probe: &Probe) -> bool {
        probe.held == Some(true) || probe.duration.as_secs_f64() >= SHORTEST_CONFIRMATION_S
    }

    /// The later ones for which the first one gives up time.
    pub(super) fn later_confirmations(self) -> Duration {
        (self.confirmation(1) + GAP) * LATER_WANTED
    }

    /// How long the first confirmation takes where there is little time, with its ramp.
    pub(super) fn least_of_confirmation(self) -> Duration {
        let least_s = LEAST_OF_FIRST_S.min(self.confirmation_s(0));
        self.confirmation_ramp(0) + Duration::from_secs_f64(least_s.ceil())
    }

    /// The phases of a probe, which is as long as its statistic needs, or of a confirmation after so many `earlier` ones, which is as
    /// long as the plan says and not shorter than the least that the statistic needs; both are shorter where the room asks for it, and
    /// `None` where not even the shortest fits. `rarest` is the stream with the fewest I/Os, and how many it has a second.
    ///
    /// # Errors
    ///
    /// When the statistic needs more time than there is.
    pub(super) fn phases(
        self,
        kind: ProbeKind,
        earlier: usize,
        rarest: (&str, f64),
        room: Room,
    ) -> Result<Option<Vec<Phase>>, SearchError> {
        let (wanted_s, least_s) = self.for_statistic(rarest)?;
        let (ramp, measure_s, shortest_s) = match kind {
            ProbeKind::Confirmation => {
                let whole_s = self.confirmation_s(earlier);
                let later = self.later_confirmations() + self.confirmation_ramp(0);
                let without_s = room.left.saturating_sub(later).as_secs_f64();
                // A needed rate is decided by the first one, and none comes later.
                let measure_s = match earlier {
                    0 if !self.is_confirmed_first => without_s.clamp(LEAST_OF_FIRST_S.min(whole_s), whole_s),
                    _ => whole_s,
                };
                let measure_s = measure_s.max(self.for_rarest(rarest.1));
                (self.confirmation_ramp(earlier), measure_s, SHORTEST_CONFIRMATION_S.min(whole_s))
            }
            // The user's `--duration` bounds a probe, but never below what the statistic needs at least. So does the time that all
            // probes have together: a rare percentile is then less exact, and more of them make up for it.
            _ => {
                let shortest_s = self.shortest_probe_s();
                let fair_s = (room.of_one_probe().saturating_sub(PROBE_RAMP)).as_secs_f64();
                let measure_s = wanted_s.min(fair_s).max(shortest_s).min(self.measure.as_secs_f64());
                (PROBE_RAMP, measure_s, measure_s)
            }
        };
        // Whole seconds, because intervals are seconds and a cut one would have its own rate.
        let whole = |s: f64| Duration::from_secs_f64(s.max(least_s).max(1.0).ceil());
        let longest = Duration::from_secs(room.left.saturating_sub(ramp).as_secs());
        let measure = whole(measure_s.floor().max(shortest_s)).min(longest);
        if measure < whole(shortest_s) {
            return Ok(None);
        }
        Ok(Some(phases_of(ramp, measure)))
    }

    /// How many seconds the statistic of the one limit should have and must have. A set judges each figure only where enough I/Os
    /// carry it, so that no probe has to be long for its sake: the confirmation is what judges the rare ones.
    pub(super) fn for_statistic(self, (stream, iops): (&str, f64)) -> Result<(f64, f64), SearchError> {
        let Some(LatencyLimit { statistic, .. }) = self.limit else { return Ok((0.0, 0.0)) };
        let (wanted, least) = match statistic {
            // For a mean the least is a tenth of what is wanted, as for percentiles.
            LimitStatistic::Mean => (WANTED_FOR_MEAN, WANTED_FOR_MEAN * LEAST_BEYOND / WANTED_BEYOND),
            LimitStatistic::Percentile(percent) => {
                let beyond = 1.0 - percent / 100.0;
                (WANTED_BEYOND / beyond, LEAST_BEYOND / beyond)
            }
        };
        let (wanted_s, least_s) = (wanted / iops, least / iops);
        if least_s > LONGEST_PROBE_S {
            let (stream, hours) = (stream.to_owned(), least_s / 3_600.0);
            return Err(SearchError::TooRare { stream, statistic, hours });
        }
        Ok((wanted_s, least_s))
    }

    /// How many seconds a confirmation should have for the stream with the fewest I/Os, where a set judges it.
    fn for_rarest(self, iops: f64) -> f64 {
        match self.limit {
            None if iops > 0.0 => (WANTED_OF_RAREST / iops).min(self.measure.as_secs_f64()),
            _ => 0.0,
        }
    }

    /// The whole ramp where no open load went before; behind several of them caches are as warm as they get.
    fn confirmation_ramp(self, earlier: usize) -> Duration {
        match (self.is_confirmed_first, earlier) {
            (true, _) => self.ramp,
            (false, 0) => self.ramp.min(CONFIRMATION_RAMP),
            (false, _) => self.ramp.min(PROBE_RAMP),
        }
    }

    /// How long it is measured.
    fn confirmation_s(self, earlier: usize) -> f64 {
        let whole_s = self.measure.as_secs_f64();
        let later_s = (LATER_CONFIRMATIONS * whole_s).max(SHORTEST_CONFIRMATION_S).min(whole_s);
        if earlier == 0 { whole_s } else { later_s }
    }

    pub(super) fn shortest_probe_s(self) -> f64 {
        let of_limit = self.limit.map_or(0.0, |limit| limit.latency.as_secs_f64());
        SHORTEST_PROBE_S.max(LEAST_LIMITS_PER_PROBE * of_limit)
    }
}

/// A ramp, where it takes any time, and what is measured.
fn phases_of(ramp: Duration, measure: Duration) -> Vec<Phase> {
    let phases = [(PhaseKind::Ramp, ramp), (PhaseKind::Measure, measure)];
    let phases = phases.into_iter().filter(|(_, duration)| !duration.is_zero());
    phases.map(|(kind, duration)| Phase { kind, duration }).collect()
}
