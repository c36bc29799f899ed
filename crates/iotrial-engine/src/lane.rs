//! What a job's copies on one thread do next, and where.
//!
//! In a closed job each copy is a lane: its outstanding I/Os are its own. The copies of an open job are one
//! lane on their thread, with the slots of all of them and one stream of arrivals, so that no arrival waits
//! for a slot while another copy has one free; the copies only decide where the I/Os go. The logs of a group
//! commit are lanes of their own all the same, because a commit belongs to one log.

use std::collections::VecDeque;

use iotrial_measure::arrivals::Arrivals;
use iotrial_measure::course::LoadCourse;
use iotrial_measure::pace::{Pace, PaceShare};
use iotrial_measure::random::{Random, RandomStream};
use iotrial_model::load::{BlockSizes, Direction, Durability, Spacing};
use iotrial_model::plan::{Arrival, Job, Plan};

use crate::group_commit::LogWriter;
use crate::offset::{Offsets, Stretch};
use crate::queue::Request;

/// So many bits count the writes of a lane: a million a second for twelve days.
const WRITES_BITS: u32 = 40;

/// One copy of a job: where its I/Os go.
pub(crate) struct JobCopy {
    /// Index into the plan's jobs.
    pub(crate) job: usize,
    /// Which copy of the job, from 0.
    number: u64,
    /// Its number among the copies of all jobs, by which its random numbers are told from others.
    index: u32,
    place: Place,
    /// Where it goes after that, in turn; empty where it stays.
    next_places: VecDeque<Place>,
    /// How many bytes go to a place before it is the next one's turn.
    stripe_unit: u64,
    /// How many of them went to this place.
    bytes_in_turn: u64,
}

/// An area, and where the next I/O on it goes.
struct Place {
    area: u32,
    offsets: Offsets,
    /// Where several commits become one write.
    log: Option<LogWriter>,
}

impl JobCopy {
    /// All copies of all jobs, in the order of the plan.
    pub(crate) fn all(plan: &Plan) -> Vec<Self> {
        let copies = |job: &Job| 0..u64::from(job.numjobs);
        // By job and then by copy, whatever thread a copy comes to: its number decides what it draws, so that
        // a closed job touches the same places with any number of threads.
        let all = plan
            .jobs
            .iter()
            .enumerate()
            .flat_map(|(index, job)| copies(job).map(move |number| (index, job, number)));
        all.zip(0..)
            .map(|((job_index, job, number), index)| Self::new(plan, index, job_index, job, number))
            .collect()
    }

    fn new(plan: &Plan, index: u32, job_index: usize, job: &Job, number: u64) -> Self {
        // Counted among the copies on an area: each sequential one starts in its own part of it, and each log
        // has its own.
        let (mut next_places, stripe_unit): (VecDeque<Place>, u64) = match job.stripe_unit {
            // All copies work on every area.
            Some(unit) => {
                let copies = u64::from(job.numjobs);
                let place = |area: &usize| Place::new(plan, job, *area, number, copies);
                (job.areas.iter().map(place).collect(), unit.get())
            }
            None => {
                let area_count = job.areas.len() as u64;
                let on_area = number % area_count;
                let area = job.areas[usize::try_from(on_area).expect("fewer than the areas")];
                // Copies are dealt to areas in turn, so that as many work on each. Those that share this one:
                // every `area_count`-th.
                let copies_here = (u64::from(job.numjobs) - on_area).div_ceil(area_count);
                let place = Place::new(plan, job, area, number / area_count, copies_here);
                (VecDeque::from([place]), u64::MAX)
            }
        };
        let place = next_places.pop_front().expect("a plan gives every job an area");
        Self { job: job_index, number, index, place, next_places, stripe_unit, bytes_in_turn: 0 }
    }

    /// Whether its I/Os may take the slots of the job's other copies.
    fn shares_slots(&self, plan: &Plan) -> bool {
        // A closed copy has its outstanding I/Os always under way, so that there is nothing to share.
        plan.jobs[self.job].arrival != Arrival::Closed && self.place.log.is_none()
    }

    /// Notes an I/O of so many bytes on its place, and goes on to the next one where that had its share.
    // Whole I/Os only: the one that completes a stripe unit may go beyond it, as no write of a log is split here.
    #[inline]
    fn note_issued(&mut self, bytes: u32) {
        if self.next_places.is_empty() {
            return;
        }
        self.bytes_in_turn += u64::from(bytes);
        if self.bytes_in_turn >= self.stripe_unit {
            self.bytes_in_turn = 0;
            let next = self.next_places.pop_front().expect("it is not empty");
            self.next_places.push_back(std::mem::replace(&mut self.place, next));
        }
    }
}

impl Place {
    /// That of copy `copy` out of `copies` that work on the area.
    fn new(plan: &Plan, job: &Job, area: usize, copy: u64, copies: u64) -> Self {
        let stretch = Stretch {
            first_byte: plan.areas[area].offset.get(),
            length: job.working_set.get(),
            unit: job.block_size.unit().get(),
        };
        Self {
            area: u32::try_from(area).expect("a plan has few areas"),
            offsets: Offsets::new(job.pattern, job.distribution, stretch, copy, copies),
            log: job.group_commit.map(|group| LogWriter::new(group, stretch.part(copy, copies))),
        }
    }
}

/// Outstanding I/Os of a job on one thread, and what they do.
pub(crate) struct Lane {
    /// Index into the plan's jobs.
    pub(crate) job: usize,
    copies: Vec<JobCopy>,
    turns: Turns,
    random: Random,
    rwmix_read_percent: u8,
    sizes: Sizes,
    largest_io: u32,
    durability: Durability,
    flush_every: u32,
    /// Writes since the last durable one.
    unflushed_writes: u32,
    /// That of the last write; each write makes the next one.
    generation: u64,
    iodepth: u32,
    /// How many times the full load it has slots for.
    depth_factor: u64,
    /// Copies of the job on all threads.
    numjobs: u64,
    /// When its I/Os are due; `None` where each completion makes room for the next.
    pub(crate) arrivals: Option<Arrivals>,
}

/// Which copy's the next I/O is.
enum Turns {
    /// One after the other; the next one's index.
    InOrder(usize),
    /// Any, so that what arrives at random arrives at random at each copy's area too.
    Random,
}

/// How long the I/Os of a lane are.
enum Sizes {
    One(u32),
    /// One of several, drawn by weight.
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
                // A few sizes at most, so that a walk is faster than a search.
                let share = shares.iter().find(|share| drawn < share.weight_up_to);
                let SizeShare { length, units, .. } = share.expect("the last one has the total weight");
                (*length, *units)
            }
        }
    }
}

impl Lane {
    /// The lanes of one thread, which drives these copies.
    pub(crate) fn of_copies(plan: &Plan, copies: Vec<JobCopy>) -> Vec<Self> {
        let mut of_lanes: Vec<Vec<JobCopy>> = Vec::new();
        for copy in copies {
            // The order of the first copies decides the order of the lanes, and with it which slot has which
            // buffer: the same plan on as many threads always has the same.
            let is_together = |lane: &&mut Vec<JobCopy>| lane[0].job == copy.job && copy.shares_slots(plan);
            match of_lanes.iter_mut().find(is_together) {
                Some(lane) => lane.push(copy),
                None => of_lanes.push(vec![copy]),
            }
        }
        of_lanes.into_iter().map(|copies| Self::new(plan, copies)).collect()
    }

    /// A lane of some copies of one job.
    fn new(plan: &Plan, copies: Vec<JobCopy>) -> Self {
        // Copies that share their arrivals draw from the first one's numbers.
        let JobCopy { job: job_index, index, .. } = copies[0];
        let job = &plan.jobs[job_index];
        let arrivals = match job.arrival {
            Arrival::Closed => None,
            Arrival::Open { iops, spacing, bursts } => {
                let random = Random::new(plan.seed, RandomStream::Pace(index));
                let turns: Vec<u64> = copies.iter().map(|copy| copy.number).collect();
                let share = PaceShare { turns: &turns, of: job.numjobs.into() };
                let course = LoadCourse::of(plan);
                Some(Arrivals::Paced(Pace::new(spacing, bursts, course.as_ref(), iops, share, random)))
            }
            Arrival::Following { .. } => {
                // A follower that is further behind stops those that it follows, where they are closed.
                let waiting = u64::from(job.total_iodepth()) * most_commits(&copies[0]);
                Some(Arrivals::Fed(VecDeque::with_capacity(room(2 * waiting))))
            }
        };
        let is_random = matches!(job.arrival, Arrival::Open { spacing: Spacing::Poisson, .. });
        Self {
            job: job_index,
            turns: if is_random { Turns::Random } else { Turns::InOrder(0) },
            random: Random::new(plan.seed, RandomStream::Copy(index)),
            rwmix_read_percent: job.rwmix_read_percent,
            sizes: Sizes::new(&job.block_size),
            largest_io: as_length(job.largest_io().get()),
            durability: job.durability,
            flush_every: job.flush_every,
            unflushed_writes: 0,
            // The number of the first copy stands in the upper bits, so that no other lane of the load makes
            // the same ones.
            generation: u64::from(index) << WRITES_BITS,
            iodepth: job.iodepth * u32::try_from(copies.len()).expect("a job has few copies"),
            depth_factor: plan.depth_factor().into(),
            numjobs: job.numjobs.into(),
            copies,
            arrivals,
        }
    }

    /// How many I/Os are outstanding.
    pub(crate) fn iodepth(&self) -> u32 {
        self.iodepth
    }

    /// The share of the full load above which the slot of that number among its slots is in use, of a closed lane.
    pub(crate) fn threshold_of(&self, slot: u32) -> f64 {
        // Slots of all copies in turn: at half the load each copy has half of its outstanding I/Os, and of copies with one each
        // every other one works.
        let before = (u64::from(slot) * self.numjobs + self.copies[0].number) * self.depth_factor;
        before as f64 / (u64::from(self.iodepth) * self.numjobs) as f64
    }

    /// The largest I/O of each of the lanes' slots, slot by slot.
    pub(crate) fn slot_lengths(lanes: &[Self]) -> Vec<u32> {
        lanes.iter().flat_map(|lane| std::iter::repeat_n(lane.largest_io, lane.iodepth as usize)).collect()
    }

    /// How many commits a write can hold, as far as memory is set aside for them.
    pub(crate) fn commits_to_keep(&self) -> usize {
        if self.log().is_some() { room(most_commits(&self.copies[0])) } else { 0 }
    }

    /// The log of a group commit.
    pub(crate) fn log(&self) -> Option<&LogWriter> {
        self.copies[0].place.log.as_ref()
    }

    /// The copy whose I/O is the next one.
    #[inline]
    fn next_copy(&mut self) -> usize {
        // Nothing is drawn where there is no choice: a job has the offsets that its seed gave before copies
        // shared lanes.
        if self.copies.len() == 1 {
            return 0;
        }
        match &mut self.turns {
            Turns::InOrder(next) => {
                let copy = *next;
                *next = if copy + 1 == self.copies.len() { 0 } else { copy + 1 };
                copy
            }
            #[expect(clippy::cast_possible_truncation, reason = "below the number of copies")]
            Turns::Random => self.random.below(self.copies.len() as u64) as usize,
        }
    }

    /// The next I/O of a lane that is no group commit.
    #[inline]
    pub(crate) fn next_request(&mut self, slot: u32) -> Request {
        // The order of the draws is a part of the plan's meaning: direction, size, copy, place. Another one
        // would change what every seed does.
        let reads = match self.rwmix_read_percent {
            0 => false,
            100 => true,
            percent => self.random.below(100) < u64::from(percent),
        };
        // Nothing is drawn for a load of one direction, nor for one of one size: what is not a choice must
        // not move the draws behind it.
        let (length, units) = self.sizes.next(&mut self.random);
        let copy = self.next_copy();
        let copy = &mut self.copies[copy];
        let (area, offset) = (copy.place.area, copy.place.offsets.next(units, &mut self.random));
        copy.note_issued(length);
        Request {
            slot,
            area,
            offset,
            length,
            direction: if reads { Direction::Read } else { Direction::Write },
            durability: if reads { Durability::None } else { self.next_durability() },
            generation: if reads { 0 } else { self.next_generation() },
        }
    }

    /// The write of so many commits of a group commit.
    pub(crate) fn next_log_write(&mut self, slot: u32, commits: u64) -> Request {
        let copy = &mut self.copies[0];
        let Place { area, log, .. } = &mut copy.place;
        let area = *area;
        let (offset, length) = log.as_mut().expect("only a group commit writes commits").write(commits);
        copy.note_issued(length);
        let (durability, generation) = (self.durability, self.next_generation());
        Request { slot, area, offset, length, direction: Direction::Write, durability, generation }
    }

    #[inline]
    fn next_generation(&mut self) -> u64 {
        self.generation += 1;
        self.generation
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

/// How many I/Os can be due at once without waiting for each other; of a log at its start, the commits of the
/// largest write.
fn most_commits(copy: &JobCopy) -> u64 {
    copy.place.log.as_ref().map_or(1, LogWriter::most_commits)
}

/// Memory is set aside for so many due times before the load, and for more of them when they come.
fn room(count: u64) -> usize {
    // Half a megabyte. A plan may ask for much more than ever waits, and memory that nobody touches is no
    // reserve.
    const MOST: u64 = 1 << 16;
    usize::try_from(count.min(MOST)).expect("it is small")
}

fn as_length(bytes: u64) -> u32 {
    u32::try_from(bytes).expect("an I/O is at most 64 MiB")
}

#[cfg(test)]
mod tests {
    use iotrial_model::units::ByteSize;

    use super::*;
    use crate::test_plan::striped_log;

    fn lanes(plan: &Plan) -> Vec<Lane> {
        Lane::of_copies(plan, JobCopy::all(plan))
    }

    /// Area, offset and length of so many writes of a lane.
    fn writes(count: u64, mut next: impl FnMut() -> Request) -> Vec<(u32, u64, u64)> {
        let place = |request: Request| (request.area, request.offset, u64::from(request.length));
        (0..count).map(|_| place(next())).collect()
    }

    #[test]
    fn a_striped_log_goes_on_to_the_next_volume_after_each_stripe_unit_and_is_sequential_on_each() {
        const BLOCK: u64 = 256 << 10;
        let plan = striped_log("block_size = \"256KiB\"");
        let lane = &mut lanes(&plan)[0];
        let writes = writes(10, || lane.next_request(0));
        let areas: Vec<u32> = writes.iter().map(|(area, ..)| *area).collect();
        assert_eq!(areas, [0, 0, 0, 0, 1, 1, 1, 1, 0, 0]);
        for area in [0, 1] {
            let offsets = writes.iter().filter(|(on, ..)| *on == area).map(|(_, offset, _)| *offset);
            assert!(offsets.enumerate().all(|(index, offset)| offset == index as u64 * BLOCK), "{writes:?}");
        }
    }

    #[test]
    fn commits_stay_in_one_write_at_the_border_of_a_stripe_unit() {
        let keys = "block_size = \"512B\"\ndurability = \"dsync\"\nrate = \"1000 iops\"\n\
                    group_commit = { commit_size = \"1000B\", largest_write = \"60KiB\" }";
        let plan = striped_log(keys);
        let lane = &mut lanes(&plan)[0];
        let commits = lane.log().unwrap().most_commits();
        let writes = writes(100, || lane.next_log_write(0, commits));
        let mut on_volume = [0; 2];
        for stripe in writes.chunk_by(|one, next| one.0 == next.0) {
            let bytes: u64 = stripe.iter().map(|(_, _, length)| length).sum();
            // The last one is under way.
            let is_whole = stripe.last() != writes.last();
            assert!(!is_whole || (1 << 20..(1 << 20) + (60 << 10)).contains(&bytes), "{bytes}");
            for (area, offset, length) in stripe {
                let end = &mut on_volume[*area as usize];
                assert_eq!((*offset, *length), (*end, 60 << 10));
                *end += length;
            }
        }
        assert!(on_volume.iter().all(|bytes| *bytes > 2 << 20), "{on_volume:?}");
    }

    #[test]
    fn each_writer_of_a_striped_log_has_its_own_part_of_every_volume() {
        let plan = striped_log("block_size = \"1MiB\"\nnumjobs = 2");
        let mut starts: Vec<(u32, u64)> = Vec::new();
        for lane in &mut lanes(&plan) {
            starts
                .extend(writes(2, || lane.next_request(0)).iter().map(|(area, offset, _)| (*area, *offset)));
        }
        let part = plan.jobs[0].working_set.get() / 2 / ByteSize::MIB.get() * ByteSize::MIB.get();
        assert_eq!(starts, [(0, 0), (1, 0), (0, part), (1, part)]);
    }
}
