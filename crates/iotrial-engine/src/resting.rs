//! Slots of closed lanes that rest while a load that changes in steps is below its full one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use iotrial_measure::course::LoadCourse;
use iotrial_model::plan::Plan;

use crate::lane::Lane;

/// Which slots rest, and until when; nothing where the load does not change.
pub(crate) struct Resting {
    /// How the load changes, and by slot the share of the full load above which it works; `None` where all of them always do.
    course: Option<(LoadCourse, Vec<f64>)>,
    /// By when there is enough load for them again.
    slots: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Resting {
    /// None rests yet.
    pub(crate) fn among(plan: &Plan, lanes: &[Lane]) -> Self {
        // What has arrivals does what is due, and has fewer of them while there is less load.
        let has_closed = lanes.iter().any(|lane| lane.arrivals.is_none());
        let thresholds =
            lanes.iter().flat_map(|lane| (0..lane.iodepth()).map(|slot| lane.threshold_of(slot)));
        let course = LoadCourse::of(plan).filter(|_| has_closed);
        let course = course.map(|course| (course, thresholds.collect::<Vec<f64>>()));
        let most = course.as_ref().map_or(0, |(_, thresholds)| thresholds.len());
        Self { course, slots: BinaryHeap::with_capacity(most) }
    }

    /// Takes a slot for which there is not enough load; `false` where it has to work.
    #[inline]
    pub(crate) fn takes(&mut self, slot: u32, now_ns: u64) -> bool {
        let Some((course, thresholds)) = &self.course else { return false };
        let threshold = thresholds[slot as usize];
        if course.is_above(threshold, now_ns) {
            return false;
        }
        // A load that only falls has no use for it any more.
        let wake_ns = course.next_above(threshold, now_ns).unwrap_or(u64::MAX);
        self.slots.push(Reverse((wake_ns, slot)));
        true
    }

    /// The next slot that has rested long enough.
    #[inline]
    pub(crate) fn wake(&mut self, now_ns: u64) -> Option<u32> {
        let Reverse((wake_ns, slot)) = self.slots.peek().copied()?;
        (wake_ns <= now_ns).then(|| {
            self.slots.pop();
            slot
        })
    }

    /// When the next one wakes.
    #[inline]
    pub(crate) fn next_ns(&self) -> Option<u64> {
        self.slots.peek().map(|Reverse((wake_ns, _))| *wake_ns)
    }

    /// Those that rest.
    pub(crate) fn slots(&self) -> impl ExactSizeIterator<Item = u32> {
        self.slots.iter().map(|Reverse((_, slot))| *slot)
    }
}
