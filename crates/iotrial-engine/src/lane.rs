//! One copy of a job: what it does next, and where.

use iotrial_model::load::{Direction, Durability};
use iotrial_model::plan::{Arrival, Job, Plan};

use crate::offset::Offsets;
use crate::pace::Pace;
use crate::queue::Request;
use crate::random::Random;

/// The streams of randomness for due times; the lanes' own begin at zero.
const PACE_STREAM: u64 = 1 << 34;

/// One copy of a job: its outstanding I/Os and where they go.
pub(crate) struct Lane {
    /// Index into the plan's jobs.
    pub(crate) job: usize,
    area: u32,
    offsets: Offsets,
    random: Random,
    rwmix_read_percent: u8,
    durable: bool,
    block_size: u32,
    iodepth: u32,
    /// When its I/Os are due; `None` where each completion makes room for the next.
    pub(crate) pace: Option<Pace>,
}

impl Lane {
    /// All copies of all jobs, in the order of the plan.
    pub(crate) fn all(plan: &Plan) -> Vec<Self> {
        let copies = |job: &Job| 0..u64::from(job.numjobs);
        let lanes = plan
            .jobs
            .iter()
            .enumerate()
            .flat_map(|(index, job)| copies(job).map(move |copy| (index, job, copy)));
        lanes
            .enumerate()
            .map(|(stream, (index, job, copy))| {
                let area_count = job.areas.len() as u64;
                let on_area = copy % area_count;
                let area = job.areas[usize::try_from(on_area).expect("fewer than the areas")];
                // The copies that share this area: every `area_count`-th one.
                let copies_here = (u64::from(job.numjobs) - on_area).div_ceil(area_count);
                let first_byte = plan.areas[area].offset.get();
                let block_size = job.block_size.get();
                Self {
                    job: index,
                    area: u32::try_from(area).expect("a plan has few areas"),
                    offsets: Offsets::new(
                        job.pattern,
                        first_byte,
                        job.working_set.get(),
                        block_size,
                        copy / area_count,
                        copies_here,
                    ),
                    random: Random::new(plan.seed, stream as u64),
                    rwmix_read_percent: job.rwmix_read_percent,
                    durable: job.durability == Durability::Dsync,
                    block_size: u32::try_from(block_size).expect("a block is at most 64 MiB"),
                    iodepth: job.iodepth,
                    pace: match job.arrival {
                        Arrival::Closed => None,
                        Arrival::Open { iops, spacing } => {
                            let random = Random::new(plan.seed, PACE_STREAM + stream as u64);
                            Some(Pace::new(spacing, iops, copy, u64::from(job.numjobs), random))
                        }
                    },
                }
            })
            .collect()
    }

    /// How many I/Os are outstanding.
    pub(crate) fn iodepth(&self) -> u32 {
        self.iodepth
    }

    /// The largest I/O of each of the lanes' slots, slot by slot.
    pub(crate) fn slot_lengths(lanes: &[Self]) -> Vec<u32> {
        lanes.iter().flat_map(|lane| std::iter::repeat_n(lane.block_size, lane.iodepth as usize)).collect()
    }

    #[inline]
    pub(crate) fn next_request(&mut self, slot: u32) -> Request {
        let reads = match self.rwmix_read_percent {
            0 => false,
            100 => true,
            percent => self.random.below(100) < u64::from(percent),
        };
        Request {
            slot,
            area: self.area,
            offset: self.offsets.next(&mut self.random),
            length: self.block_size,
            direction: if reads { Direction::Read } else { Direction::Write },
            durable: self.durable && !reads,
        }
    }
}
