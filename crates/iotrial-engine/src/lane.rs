//! One copy of a job: what it does next, and where.

use std::collections::VecDeque;

use iotrial_model::load::{BlockSizes, Direction, Durability};
use iotrial_model::plan::{Arrival, Job, Plan};

use crate::arrivals::Arrivals;
use crate::group_commit::LogWriter;
use crate::offset::{Offsets, Stretch};
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
    sizes: Sizes,
    largest_io: u32,
    durability: Durability,
    flush_every: u32,
    /// Writes since the last durable one.
    unflushed_writes: u32,
    iodepth: u32,
    /// When its I/Os are due; `None` where each completion makes room for the next.
    pub(crate) arrivals: Option<Arrivals>,
    /// Where several commits become one write.
    pub(crate) log: Option<LogWriter>,
}

/// How long the I/Os of a lane are.
enum Sizes {
    One(u32),
    /// By weight.
    Mix {
        shares: Vec<SizeShare>,
        total_weight: u64,
    },
}

struct SizeShare {
    /// The weights of this size and of all smaller ones.
    weight_up_to: u64,
    length: u32,
    /// The same in units of the offsets.
    units: u64,
}

impl Sizes {
    fn new(sizes: &BlockSizes) -> Self {
        if sizes.shares().is_empty() {
            return Self::One(as_length(sizes.unit().get()));
        }
        let mut weight_up_to = 0;
        let shares = sizes.shares().iter().map(|share| {
            weight_up_to += u64::from(share.weight);
            let units = share.size.get() / sizes.unit().get();
            SizeShare { weight_up_to, length: as_length(share.size.get()), units }
        });
        Self::Mix { shares: shares.collect(), total_weight: sizes.total_weight() }
    }

    /// Length in bytes and in units.
    #[inline]
    fn next(&self, random: &mut Random) -> (u32, u64) {
        match self {
            Self::One(length) => (*length, 1),
            Self::Mix { shares, total_weight } => {
                let drawn = random.below(*total_weight);
                let share = shares.iter().find(|share| drawn < share.weight_up_to);
                let SizeShare { length, units, .. } = share.expect("the last one has the total weight");
                (*length, *units)
            }
        }
    }
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
            .map(|(stream, (index, job, copy))| Self::new(plan, stream as u64, index, job, copy))
            .collect()
    }

    fn new(plan: &Plan, stream: u64, index: usize, job: &Job, copy: u64) -> Self {
        let area_count = job.areas.len() as u64;
        let on_area = copy % area_count;
        let area = job.areas[usize::try_from(on_area).expect("fewer than the areas")];
        // The copies that share this area: every `area_count`-th one.
        let copies_here = (u64::from(job.numjobs) - on_area).div_ceil(area_count);
        let stretch = Stretch {
            first_byte: plan.areas[area].offset.get(),
            length: job.working_set.get(),
            unit: job.block_size.unit().get(),
        };
        let copy_here = copy / area_count;
        Self {
            job: index,
            area: u32::try_from(area).expect("a plan has few areas"),
            offsets: Offsets::new(job.pattern, job.distribution, stretch, copy_here, copies_here),
            random: Random::new(plan.seed, stream),
            rwmix_read_percent: job.rwmix_read_percent,
            sizes: Sizes::new(&job.block_size),
            largest_io: as_length(job.largest_io().get()),
            durability: job.durability,
            flush_every: job.flush_every,
            unflushed_writes: 0,
            iodepth: job.iodepth,
            arrivals: match job.arrival {
                Arrival::Closed => None,
                Arrival::Open { iops, spacing, bursts } => {
                    let random = Random::new(plan.seed, PACE_STREAM + stream);
                    let copies = u64::from(job.numjobs);
                    Some(Arrivals::Paced(Pace::new(spacing, bursts, iops, copy, copies, random)))
                }
                Arrival::Following { .. } => Some(Arrivals::Fed(VecDeque::new())),
            },
            log: job.group_commit.map(|group| LogWriter::new(group, stretch.part(copy_here, copies_here))),
        }
    }

    /// How many I/Os are outstanding.
    pub(crate) fn iodepth(&self) -> u32 {
        self.iodepth
    }

    /// The largest I/O of each of the lanes' slots, slot by slot.
    pub(crate) fn slot_lengths(lanes: &[Self]) -> Vec<u32> {
        lanes.iter().flat_map(|lane| std::iter::repeat_n(lane.largest_io, lane.iodepth as usize)).collect()
    }

    /// The next I/O of a lane that is no group commit.
    #[inline]
    pub(crate) fn next_request(&mut self, slot: u32) -> Request {
        let reads = match self.rwmix_read_percent {
            0 => false,
            100 => true,
            percent => self.random.below(100) < u64::from(percent),
        };
        let (length, units) = self.sizes.next(&mut self.random);
        Request {
            slot,
            area: self.area,
            offset: self.offsets.next(units, &mut self.random),
            length,
            direction: if reads { Direction::Read } else { Direction::Write },
            durability: if reads { Durability::None } else { self.next_durability() },
        }
    }

    /// The write of so many commits of a group commit.
    pub(crate) fn next_log_write(&mut self, slot: u32, commits: u64) -> Request {
        let log = self.log.as_mut().expect("only a group commit writes commits");
        let (offset, length) = log.write(commits);
        let durability = self.durability;
        Request { slot, area: self.area, offset, length, direction: Direction::Write, durability }
    }

    #[inline]
    fn next_durability(&mut self) -> Durability {
        if self.durability == Durability::None {
            return Durability::None;
        }
        self.unflushed_writes += 1;
        if self.unflushed_writes < self.flush_every {
            return Durability::None;
        }
        self.unflushed_writes = 0;
        self.durability
    }
}

fn as_length(bytes: u64) -> u32 {
    u32::try_from(bytes).expect("an I/O is at most 64 MiB")
}
