//! The stretches of a load that are handed over as one.

use std::time::Duration;

use iotrial_model::plan::{PhaseKind, Plan};

/// A stretch of a phase that is handed over as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Its phase; a window never crosses the border of one.
    pub phase: PhaseKind,
    /// From the start of the load.
    pub start_ns: u64,
    /// From the start of the load.
    pub end_ns: u64,
    /// Whether a round ends with it, so that the load may end there before its time.
    pub ends_round: bool,
}

impl Window {
    /// The whole load, cut at the plan's interval and at the borders of phases.
    pub fn all(plan: &Plan) -> Vec<Self> {
        let interval_ns = as_ns(plan.interval);
        let round_ns = plan.until_steady.map(|until| as_ns(until.round));
        let mut windows = Vec::new();
        let mut start_ns = 0;
        for phase in &plan.phases {
            // Intervals are counted from the start of each phase: otherwise a ramp of 2.5 s would make every
            // measured one straddle two seconds, and leave half of one at both ends.
            let (phase_start_ns, phase_end_ns) = (start_ns, start_ns + as_ns(phase.duration));
            let ends_round = |end_ns: u64| {
                let is_border = |round_ns| (end_ns - phase_start_ns).is_multiple_of(round_ns);
                phase.kind == PhaseKind::Measure && round_ns.is_some_and(is_border)
            };
            while start_ns < phase_end_ns {
                // The last one of a phase may be shorter, so that no I/O of the next phase counts in it.
                let end_ns = (start_ns + interval_ns).min(phase_end_ns);
                windows.push(Self { phase: phase.kind, start_ns, end_ns, ends_round: ends_round(end_ns) });
                start_ns = end_ns;
            }
        }
        windows
    }
}

pub(crate) fn as_ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
