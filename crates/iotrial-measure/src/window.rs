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
    /// Whether a step begins or ends behind it: what is due by then and not issued is given up.
    pub ends_step: bool,
}

impl Window {
    /// The whole load, cut at the plan's interval and at the borders of phases and steps.
    pub fn all(plan: &Plan) -> Vec<Self> {
        let interval_ns = as_ns(plan.interval);
        let round_ns = plan.until_steady.map(|until| as_ns(until.round));
        let step_borders_ns: Vec<u64> = plan.step_borders().into_iter().map(as_ns).collect();
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
                // The same goes for steps, and the first one of a step begins with it.
                let next_step_ns = step_borders_ns.iter().copied().find(|border_ns| *border_ns > start_ns);
                let border_ns = next_step_ns.unwrap_or(u64::MAX).min(phase_end_ns);
                let end_ns = (start_ns + interval_ns).min(border_ns);
                let ends_step = step_borders_ns.contains(&end_ns);
                let ends_round = ends_round(end_ns);
                windows.push(Self { phase: phase.kind, start_ns, end_ns, ends_round, ends_step });
                start_ns = end_ns;
            }
        }
        windows
    }
}

pub(crate) fn as_ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
