//! The plan of one probe of a sweep: one kind of I/O with given outstanding I/Os on some of the volumes.

use std::time::Duration;

use super::interval::interval_of;
use super::{
    Area, Arrival, FILE_HEADER_SIZE, Job, LONGEST_PHASE, Phase, PhaseKind, Plan, PlanError, check_outstanding,
};
use crate::load::{BlockSizes, Distribution, Durability, Pattern, Role};
use crate::load_pattern::LoadPattern;
use crate::units::ByteSize;

/// From one sequential probe to the next the start moves by this many MiB, modulo half of the area. A prime, so that it comes back
/// to the same place only after as many probes as there are places.
const START_STEP_MIB: u64 = 7_919;

/// What a probe is to measure.
#[derive(Debug, Clone, Copy)]
pub struct ProbeRequest<'p> {
    /// The kind of I/O, with its block size.
    pub pattern: LoadPattern,
    /// Indices into [`Plan::areas`]: what works at once; at least one.
    pub volumes: &'p [usize],
    /// Outstanding I/Os on each of these volumes; at least one.
    pub outstanding: u32,
    /// The load runs so long before it is measured; may be zero.
    pub ramp: Duration,
    /// The measured phase; more than zero.
    pub measure: Duration,
    /// Probes that were made on the same areas before this one.
    pub number: u64,
    /// Logical CPUs of the host.
    pub cpu_count: u32,
    /// Main memory of the host; `None` where it is not known.
    pub memory: Option<ByteSize>,
}

impl Plan {
    /// The plan of a probe on the areas of this plan, with its engine and its access.
    ///
    /// Whatever the number of jobs, each volume has exactly the outstanding I/Os that were asked for. What the last probe read may
    /// still be in a cache: a sequential load starts at another place each time, and a random one has another seed.
    ///
    /// # Errors
    ///
    /// When the block is no multiple of a sector or does not fit an area, when a phase is empty or too long, and when there are more
    /// outstanding I/Os than the threads or the memory hold.
    ///
    /// # Panics
    ///
    /// When a volume is none of the plan's.
    pub fn probe(&self, request: &ProbeRequest<'_>) -> Result<Self, PlanError> {
        let ProbeRequest { pattern, volumes, outstanding, ramp, measure, number, .. } = *request;
        assert!(!volumes.is_empty() && outstanding > 0, "a probe has a volume and an outstanding I/O");
        if measure.is_zero() {
            return Err(PlanError::NoDuration);
        }
        if ramp.max(measure) > LONGEST_PHASE {
            return Err(PlanError::TooLong);
        }
        volumes.iter().try_for_each(|volume| self.check_block(pattern, &self.areas[*volume]))?;
        let mut areas = self.areas.clone();
        if pattern.order == Pattern::Sequential {
            for area in &mut areas {
                let start = start_of(number, area.length, pattern.block_size);
                (area.offset, area.length) = (area.offset + start, area.length - start);
            }
        }
        let cpu_count = request.cpu_count.max(1);
        let volume_count = u32::try_from(volumes.len()).unwrap_or(u32::MAX);
        let parts = match pattern.order {
            // Two streams would read the same area in two places, which is not sequential any more.
            Pattern::Sequential => 1,
            // The simulated device is driven by one thread.
            Pattern::Random if self.engine.is_simulated() => 1,
            // Dealt out to the CPUs, so that one of them is not what limits the device. No part is without an I/O.
            Pattern::Random => (cpu_count / volume_count).clamp(1, outstanding),
        };
        let job = |volume: usize, part: u32| Job {
            name: format!("volume-{volume}-{part}"),
            role: Role::Data,
            pattern: pattern.order,
            distribution: Distribution::Uniform,
            rwmix_read_percent: pattern.rwmix_read_percent,
            block_size: BlockSizes::one(pattern.block_size),
            // The rest of the division goes to the first parts.
            iodepth: outstanding / parts + u32::from(part < outstanding % parts),
            numjobs: 1,
            arrival: Arrival::Closed,
            durability: Durability::None,
            flush_every: 1,
            group_commit: None,
            areas: vec![volume],
            stripe_unit: None,
            working_set: areas[volume].length.round_down_to(pattern.block_size),
        };
        let places = volumes.iter().flat_map(|volume| (0..parts).map(move |part| (*volume, part)));
        let jobs: Vec<Job> = places.map(|(volume, part)| job(volume, part)).collect();
        let threads = match self.engine.is_simulated() {
            true => 1,
            false => cpu_count.clamp(1, u32::try_from(jobs.len()).unwrap_or(u32::MAX)),
        };
        check_outstanding(&jobs, threads, request.memory)?;
        let phases = [(PhaseKind::Ramp, ramp), (PhaseKind::Measure, measure)].into_iter();
        Ok(Self {
            threads,
            seed: self.seed.wrapping_add(number),
            interval: interval_of(ramp + measure),
            phases: phases
                .filter(|(_, duration)| !duration.is_zero())
                .map(|(kind, duration)| Phase { kind, duration })
                .collect(),
            steps: Vec::new(),
            need: None,
            until_steady: None,
            verified: false,
            io_deadline: None,
            pages_per_entry: 1,
            areas,
            jobs,
            notes: Vec::new(),
            ..self.clone()
        })
    }

    fn check_block(&self, pattern: LoadPattern, area: &Area) -> Result<(), PlanError> {
        let (job, block_size, sector_size) = (pattern.to_string(), pattern.block_size, area.sector_size);
        if !block_size.get().is_multiple_of(sector_size.get()) {
            return Err(PlanError::Misaligned { job, block_size, sector_size, path: area.path.clone() });
        }
        if area.length < block_size {
            return Err(PlanError::SizeTooSmall {
                job,
                size: self.areas.iter().map(|area| area.length).sum(),
                given: area.length,
                least_size: (block_size + FILE_HEADER_SIZE) * self.areas.len() as u64,
            });
        }
        Ok(())
    }
}

/// Where a sequential probe starts: in the first half of its area, at a whole MiB, and before the last block.
fn start_of(number: u64, length: ByteSize, block_size: ByteSize) -> ByteSize {
    let half_mib = length.get() / 2 / ByteSize::MIB.get();
    let start = ByteSize::mib(if half_mib > 0 { number.wrapping_mul(START_STEP_MIB) % half_mib } else { 0 });
    // Blocks of many MiB may be larger than what is left of a small area.
    if length.get() - start.get() < block_size.get() { ByteSize::default() } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{EngineKind, MOST_OUTSTANDING_PER_THREAD, PlanRequest, TargetFacts, TargetKind};
    use crate::profile::{LayoutRequest, Profile};

    fn base(engine: EngineKind, size: ByteSize) -> Plan {
        let profile = Profile::for_layout(&LayoutRequest {
            name: "sweep",
            title: "Probes",
            size,
            file_count: 2,
            block_size: ByteSize::kib(64),
            writes: false,
            duration: Duration::from_secs(1),
        });
        let request = PlanRequest { seed: 7, cpu_count: 4, ..PlanRequest::of_engine(engine) };
        let device = |path: &str| TargetFacts {
            path: path.into(),
            roles: Vec::new(),
            kind: TargetKind::Device { size: ByteSize::gib(1), destroy: true },
            sector_size: ByteSize::bytes(512),
        };
        Plan::decide(&profile, &request, &[device("/dev/a"), device("/dev/b")]).unwrap()
    }

    fn request<'p>(pattern: &str, volumes: &'p [usize], outstanding: u32) -> ProbeRequest<'p> {
        ProbeRequest {
            pattern: pattern.parse().unwrap(),
            volumes,
            outstanding,
            ramp: Duration::from_secs(1),
            measure: Duration::from_secs(10),
            number: 3,
            cpu_count: 4,
            memory: Some(ByteSize::gib(8)),
        }
    }

    fn of_volume(plan: &Plan, volume: usize) -> u32 {
        plan.jobs.iter().filter(|job| job.areas == [volume]).map(Job::total_iodepth).sum()
    }

    #[test]
    fn each_volume_has_exactly_the_outstanding_ios_that_were_asked_for() {
        let base = base(EngineKind::Uring, ByteSize::gib(1));
        for outstanding in [1, 2, 3, 7, 64] {
            for volumes in [&[0][..], &[1], &[0, 1]] {
                for pattern in ["randread-8k", "read-64k"] {
                    let plan = base.probe(&request(pattern, volumes, outstanding)).unwrap();
                    let each: Vec<u32> = volumes.iter().map(|volume| of_volume(&plan, *volume)).collect();
                    assert_eq!(each, vec![outstanding; volumes.len()], "{pattern} {outstanding}");
                    assert!(plan.jobs.iter().all(|job| job.iodepth > 0));
                }
            }
        }
    }

    #[test]
    fn random_io_is_dealt_out_to_the_cpus_and_a_sequential_stream_stays_one() {
        let parts = |engine, pattern: &str, volumes: &[usize]| {
            base(engine, ByteSize::gib(1)).probe(&request(pattern, volumes, 64)).unwrap().jobs.len()
        };
        assert_eq!(parts(EngineKind::Uring, "randread-8k", &[0]), 4);
        assert_eq!(parts(EngineKind::Uring, "randread-8k", &[0, 1]), 4);
        assert_eq!(parts(EngineKind::Uring, "read-64k", &[0]), 1);
        assert_eq!(parts(EngineKind::Sim, "randread-8k", &[0]), 1);
    }

    #[test]
    fn probes_differ_in_seed_and_sequential_ones_in_their_place() {
        let base = base(EngineKind::Uring, ByteSize::gib(1));
        let probe = |pattern: &str, number| {
            base.probe(&ProbeRequest { number, ..request(pattern, &[0], 4) }).unwrap()
        };
        assert_ne!(probe("randread-8k", 0).seed, probe("randread-8k", 1).seed);
        assert_eq!(probe("randread-8k", 0).areas, probe("randread-8k", 1).areas);
        let (first, second) = (&probe("read-64k", 0).areas[0], &probe("read-64k", 1).areas[0]);
        assert_ne!(first.offset, second.offset);
        assert_eq!(first.offset + first.length, second.offset + second.length);
    }

    #[test]
    fn a_sequential_probe_has_room_for_its_block_wherever_it_starts() {
        let base = base(EngineKind::Uring, ByteSize::mib(8));
        for number in 0..20 {
            let asked = ProbeRequest { number, ..request("read-4m", &[0], 1) };
            let plan = base.probe(&asked).unwrap();
            assert!(plan.jobs[0].working_set >= ByteSize::mib(4), "{number}: {:?}", plan.areas[0]);
        }
    }

    #[test]
    fn what_no_host_can_hold_is_refused() {
        let base = base(EngineKind::Uring, ByteSize::gib(1));
        let deep = request("read-64k", &[0, 1], MOST_OUTSTANDING_PER_THREAD);
        assert!(matches!(base.probe(&deep), Err(PlanError::TooDeep { .. })));
        let wide = ProbeRequest { memory: Some(ByteSize::mib(64)), ..request("read-1m", &[0], 64) };
        assert!(matches!(base.probe(&wide), Err(PlanError::TooMuchMemory { .. })));
    }

    #[test]
    fn a_block_that_does_not_fit_and_an_empty_or_endless_phase_are_refused() {
        let base = base(EngineKind::Uring, ByteSize::mib(8));
        let probe = |asked: ProbeRequest<'_>| base.probe(&asked).unwrap_err();
        assert!(matches!(probe(request("read-8m", &[0], 1)), PlanError::SizeTooSmall { .. }));
        let measure = Duration::ZERO;
        assert_eq!(probe(ProbeRequest { measure, ..request("read-64k", &[0], 1) }), PlanError::NoDuration);
        let measure = LONGEST_PHASE + Duration::from_secs(1);
        assert_eq!(probe(ProbeRequest { measure, ..request("read-64k", &[0], 1) }), PlanError::TooLong);
        let mut coarse = base.clone();
        coarse.areas[0].sector_size = ByteSize::kib(4);
        let asked = request("randread-512B", &[0], 1);
        assert!(matches!(coarse.probe(&asked), Err(PlanError::Misaligned { .. })));
    }
}
