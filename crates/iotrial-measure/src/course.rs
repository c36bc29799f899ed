//! How much of its full load a plan has when: the steps on the clock of the load.

use std::sync::Arc;

use iotrial_model::plan::Plan;

use crate::window::as_ns;

/// The share of the full load at any time: even within a stretch, with jumps between two of them.
#[derive(Debug, Clone)]
pub struct LoadCourse {
    /// One after the other without a gap, from zero; never empty, and the last one has no end.
    stretches: Arc<[Stretch]>,
}

/// From one time to another, with the shares at both ends; 1 is the full load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) from_ns: f64,
    /// Infinite for the last one, whose load does not change.
    pub(crate) to_ns: f64,
    pub(crate) first_share: f64,
    pub(crate) last_share: f64,
}

impl Stretch {
    fn share_at(&self, ns: f64) -> f64 {
        self.first_share + self.slope() * (ns - self.from_ns)
    }

    /// What the share gains in a nanosecond.
    pub(crate) fn slope(&self) -> f64 {
        // A stretch that bursts leave no time has no length to divide by, and no arrival either.
        let gain = self.last_share - self.first_share;
        if gain == 0.0 { 0.0 } else { gain / (self.to_ns - self.from_ns) }
    }
}

impl LoadCourse {
    /// That of a plan; `None` where the load does not change.
    pub fn of(plan: &Plan) -> Option<Self> {
        let borders: Vec<f64> = plan.step_borders().iter().map(|border| as_ns(*border) as f64).collect();
        let (first, last) = (plan.steps.first()?, plan.steps.last()?);
        let mut stretches = Vec::new();
        // A load that is not measured yet is the one that the first step begins with: of one that rises from nothing there is none, or
        // the full load would come before its build-up, and use up the credits and fill the caches that it is to show.
        if borders[0] > 0.0 {
            let share = first.first_share();
            stretches.push(Stretch {
                from_ns: 0.0,
                to_ns: borders[0],
                first_share: share,
                last_share: share,
            });
        }
        stretches.extend(plan.steps.iter().zip(borders.windows(2)).map(|(step, border)| Stretch {
            from_ns: border[0],
            to_ns: border[1],
            first_share: step.first_share(),
            last_share: step.last_share(),
        }));
        // A thread may look a little late at the end of the load.
        let (end_ns, share) = (borders[borders.len() - 1], last.last_share());
        let after = Stretch { from_ns: end_ns, to_ns: f64::INFINITY, first_share: share, last_share: share };
        stretches.push(after);
        Some(Self { stretches: stretches.into() })
    }

    pub(crate) fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// Whether more than `threshold` of the full load is on at that time.
    pub fn is_above(&self, threshold: f64, ns: u64) -> bool {
        let ns = ns as f64;
        let now = self.stretches.iter().find(|stretch| ns < stretch.to_ns);
        now.is_some_and(|stretch| stretch.share_at(ns) > threshold)
    }

    /// The first moment from `from_ns` on at which more than `threshold` of the full load is on; `None` if that never comes.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times are not negative")]
    pub fn next_above(&self, threshold: f64, from_ns: u64) -> Option<u64> {
        let from = from_ns as f64;
        let later = self.stretches.iter().filter(|stretch| from < stretch.to_ns);
        later
            .filter_map(|stretch| {
                let start = stretch.from_ns.max(from);
                if stretch.share_at(start) > threshold {
                    return Some(start);
                }
                if stretch.last_share <= threshold {
                    return None;
                }
                let reached = stretch.from_ns + (threshold - stretch.first_share) / stretch.slope();
                // A nanosecond behind it, because at that moment the share is the threshold.
                Some(reached.ceil() + 1.0)
            })
            .map(|at| (at as u64).max(from_ns))
            .next()
    }
}

/// The steps of a load that changes, on the clock of a test.
#[cfg(test)]
pub(crate) fn course(steps: &[(u64, f64, f64)]) -> LoadCourse {
    let mut from_ns = 0.0;
    let mut stretches: Vec<Stretch> = Vec::new();
    for (seconds, first_share, last_share) in steps.iter().copied() {
        let to_ns = from_ns + (seconds * 1_000_000_000) as f64;
        stretches.push(Stretch { from_ns, to_ns, first_share, last_share });
        from_ns = to_ns;
    }
    let share = stretches[stretches.len() - 1].last_share;
    stretches.push(Stretch { from_ns, to_ns: f64::INFINITY, first_share: share, last_share: share });
    LoadCourse { stretches: stretches.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_a_step_that_rises_from_nothing_there_is_no_load() {
        let second = 1_000_000_000;
        let course = course(&[(5, 0.0, 0.0), (10, 0.0, 1.0)]);
        assert!(!course.is_above(0.0, 4 * second));
        assert_eq!(course.next_above(0.0, 0), Some(5 * second + 1));
    }

    #[test]
    fn the_moment_is_found_at_which_a_share_is_passed() {
        let course = course(&[(10, 0.0, 1.0), (10, 0.25, 0.25), (10, 0.5, 0.5)]);
        let second = 1_000_000_000;
        assert_eq!(course.next_above(0.0, 0), Some(1));
        assert_eq!(course.next_above(0.5, 0), Some(5 * second + 1));
        assert!(course.is_above(0.5, 5 * second + 1) && !course.is_above(0.5, 5 * second));
        assert_eq!(course.next_above(0.3, 4 * second), Some(4 * second));
        // Not in the second step, and from the beginning of the third.
        assert_eq!(course.next_above(0.3, 12 * second), Some(20 * second));
        assert_eq!(course.next_above(0.5, 12 * second), None);
    }
}
