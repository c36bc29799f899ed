//! A record step by step, where the load changes.

use serde::{Deserialize, Serialize};

use super::{CpuUse, DeviceCounters, Interval, JobCounts, RunRecord};
use crate::plan::{PhaseKind, Plan};

/// What happened in one step of a load that changes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StepCounts {
    /// Totals, in the order of the plan's jobs.
    pub jobs: Vec<JobCounts>,
    /// CPU time; `None` where the clock is simulated, and after a crash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<CpuUse>,
    /// What the operating system counted at the devices below.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceCounters>,
}

impl RunRecord {
    /// The intervals of each step that has any, in order. Those of the phases before are with the first step, whose load they have.
    pub fn intervals_by_step<'r>(plan: &Plan, intervals: &'r [Interval]) -> Vec<&'r [Interval]> {
        let borders = plan.step_borders();
        let mut rest = intervals;
        let mut all = Vec::new();
        for (position, end) in borders.iter().skip(1).enumerate() {
            // The last step has what is left, however late the clock was.
            let is_last = position + 1 == plan.steps.len();
            let count = rest.iter().take_while(|one| is_last || one.start < *end).count();
            let (mine, others) = rest.split_at(count);
            if !mine.iter().any(|one| one.phase == PhaseKind::Measure) {
                break;
            }
            all.push(mine);
            rest = others;
        }
        all
    }

    /// Totals of each step that has intervals, without CPU times and counters.
    pub fn steps_of_intervals(plan: &Plan, intervals: &[Interval]) -> Vec<StepCounts> {
        let steps = Self::intervals_by_step(plan, intervals).into_iter();
        let counts =
            |mine| StepCounts { jobs: Self::totals_of_intervals(plan, mine), ..StepCounts::default() };
        steps.map(counts).collect()
    }
}
