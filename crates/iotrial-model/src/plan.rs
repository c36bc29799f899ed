//! A plan is a profile on given targets with every decision taken.
//!
//! [`Plan::decide`] takes the decisions, from facts that were gathered before; it asks nothing of the
//! world. An engine carries a plan out and never picks a default.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use crate::engine::{EngineDevice, EngineFacts, EngineKind};
use crate::load::{BlockSizes, Distribution, Durability, FollowedOp, GroupCommit, LogTail, Pattern, Role};
use crate::need::Need;
use crate::priority::Priority;
use crate::profile::{JobProfile, Profile, Schedule};
pub use crate::sim_device::{SimDevice, SimStall};
use crate::step::Step;
pub use crate::target::{FreeSpace, LEAST_FREE, TargetFacts, TargetKind};
use crate::units::{ByteSize, group_thousands, optional_seconds, seconds};

mod error;
mod arrival;
mod size;
mod areas;
mod interval;
mod bursts;
mod until_steady;
mod probe;
mod sectors;
mod steps;

pub use arrival::Arrival;
pub use error::PlanError;
pub use probe::ProbeRequest;
pub use until_steady::{STEADY_ROUNDS, SteadyTimes, UntilSteady};

use areas::Areas;
use interval::interval_of;

/// The first part of every file that iotrial makes. It carries the header page; a whole mebibyte
/// keeps the data aligned to any stripe.
pub const FILE_HEADER_SIZE: ByteSize = ByteSize::MIB;

/// No phase is longer.
// A choice, long enough for any soak test; it keeps sums of durations far from overflow.
const LONGEST_PHASE: Duration = Duration::from_secs(30 * 86_400);

/// I/Os in flight for one thread: what a ring of the kernel holds.
// `IORING_MAX_ENTRIES` of the Linux kernel.
pub const MOST_OUTSTANDING_PER_THREAD: u32 = 32_768;

/// What the user asks beside the profile and the targets.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRequest {
    /// Full schedule and sizes instead of the quick ones.
    pub full: bool,
    /// All files together; `None` takes the profile's and shrinks it to what is free.
    pub size: Option<ByteSize>,
    /// Cache of the array or controller below the targets, where its size is known: files are to be several times as large.
    pub array_cache: Option<ByteSize>,
    /// The measured phase; `None` takes the profile's.
    pub measure: Option<Duration>,
    /// The ramp; `None` takes the profile's.
    pub ramp: Option<Duration>,
    /// Steps of equal length in place of the profile's: the share of the full load of each, in percent; empty takes the profile's.
    pub staircase: Vec<f64>,
    /// The rate that the steps of the staircase are shares of; `None` is the full load of the profile.
    pub need: Option<Need>,
    /// Who carries it out.
    pub engine: EngineKind,
    /// Why it is another engine than asked for or than usual.
    pub engine_reason: Option<String>,
    /// The device, where the engine is `sim`.
    pub sim: SimDevice,
    /// Whether I/O goes past the page cache; where it does not, memory is measured as much as the device.
    pub direct: bool,
    /// The threads ask the devices for completions instead of waiting for their interrupts.
    pub polled: bool,
    /// How its threads rank among other programs.
    pub priority: Priority,
    /// All randomness comes from it.
    pub seed: u64,
    /// Logical CPUs of the host.
    pub cpu_count: u32,
    /// Main memory of the host; `None` where it is not known.
    pub memory: Option<ByteSize>,
}

impl PlanRequest {
    /// Asks for nothing but an engine: the profile's quick schedule and sizes, direct I/O, seed 1, one CPU, memory unknown.
    ///
    /// A run fills in every field from what the user said and the host has; this is the start for plans of a single load,
    /// such as those of tests.
    pub fn of_engine(engine: EngineKind) -> Self {
        Self {
            full: false,
            size: None,
            array_cache: None,
            measure: None,
            ramp: None,
            staircase: Vec::new(),
            need: None,
            engine,
            engine_reason: None,
            sim: SimDevice::default(),
            direct: true,
            polled: false,
            priority: Priority::Normal,
            seed: 1,
            cpu_count: 1,
            memory: None,
        }
    }
}

/// What is decided: nothing is left open for the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the profile.
    pub profile: String,
    /// Whether it is the profile's quick form.
    pub quick: bool,
    /// Who carries it out.
    pub engine: EngineKind,
    /// Why it is another engine than asked for or than usual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_reason: Option<String>,
    /// The device, where the engine is `sim`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sim: Option<SimDevice>,
    /// Threads that drive the queues; they are not `numjobs`.
    pub threads: u32,
    /// Whether I/O goes past the page cache; where it does not, memory is measured as much as the device.
    pub direct: bool,
    /// The threads ask the devices for completions instead of waiting for their interrupts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub polled: bool,
    /// How its threads rank among other programs.
    #[serde(default, skip_serializing_if = "Priority::is_normal")]
    pub priority: Priority,
    /// All randomness comes from it.
    pub seed: u64,
    /// How often the load hands its facts over.
    #[serde(rename = "interval_s", with = "seconds")]
    pub interval: Duration,
    /// Stretches of the load in their order; those that would last no time are left out.
    pub phases: Vec<Phase>,
    /// How the load changes within the measured phase, which is as long as they are together; empty where it does not. The phases
    /// before have the load that the first step begins with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// The rate that is needed and that the full load of the steps stands for; only where it was asked for steps of a need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need: Option<Need>,
    /// The measured phase ends before its time, as soon as the load is steady.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_steady: Option<UntilSteady>,
    /// Whether everything that is read is compared with what was written: the figures are those of a load that also compares.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub verified: bool,
    /// How long an I/O of a load that compares may take before it counts as one that hangs.
    #[serde(
        rename = "io_deadline_s",
        with = "optional_seconds",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub io_deadline: Option<Duration>,
    /// Pages that share an entry of the map of what was written, where everything that is read is compared; of one of them the last write is
    /// known. 1 where it is of each page.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub pages_per_entry: u32,
    /// Cache of the array or controller below the targets, as the user gave it; absent where nobody did.
    #[serde(default, rename = "array_cache_bytes", skip_serializing_if = "Option::is_none")]
    pub array_cache: Option<ByteSize>,
    /// Whether it keeps as many outstanding as saturate the storage, so that its latencies are the length of its queue, and not judged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub saturates: bool,
    /// The files and slices of devices that the jobs work on.
    pub areas: Vec<Area>,
    /// The loads that run at once. Counts and intervals of a record are in the same order.
    pub jobs: Vec<Job>,
    /// What was changed from what was asked, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// An I/O that takes longer hangs, unless another time is given.
// SQL Server reports an I/O after 15 s (error 833), and SQLIOSim does.
pub const IO_DEADLINE: Duration = Duration::from_secs(15);

/// What a load works on is at least so many times the cache of an array, or the array may answer from it.
// «Predeployment I/O Best Practices» (M. Ruthruff, Microsoft, 2007): test files two to four times the size of the cache.
pub const LEAST_TIMES_ARRAY_CACHE: u64 = 2;

/// How much of a log goes to one of several targets before the next one.
// Coarse striping of Oracle ASM, which online redo logs have by default since 11.2: an allocation unit, which is 1 MiB unless somebody
// chose a larger one. A write of a log is rarely larger.
pub const STRIPE_UNIT: ByteSize = ByteSize::mib(1);

/// What is known of a page where what is read is compared, in bytes.
pub const MAP_ENTRY_BYTES: u64 = size_of::<u64>() as u64;

/// The part of the memory of a host that the map of what was written may take, as a divisor.
// A choice. What is verified needs the page cache of the host less than what is measured, but a host in use has others.
const MAP_MEMORY_PART: u64 = 16;

/// Every sector of so many bytes carries a stamp where what is read is compared.
const VERIFIED_SECTOR: u64 = 512;

/// A stretch of the load that all jobs begin and end together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// What it is for.
    pub kind: PhaseKind,
    /// How long it lasts.
    #[serde(rename = "duration_s", with = "seconds")]
    pub duration: Duration,
}

/// What a phase is for; only [`PhaseKind::Measure`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PhaseKind {
    /// Brings the device to its lasting state.
    Precondition,
    /// Fills queues and caches, so that the measured phase does not begin on an idle device; its I/Os do not count.
    Ramp,
    /// The phase whose I/Os count.
    Measure,
}

impl PhaseKind {
    /// The word for people and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Precondition => "precondition",
            Self::Ramp => "ramp",
            Self::Measure => "measure",
        }
    }
}

/// A stretch of a file or device that iotrial owns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// The file or device.
    pub path: PathBuf,
    /// How it comes to be.
    pub kind: AreaKind,
    /// First byte of the data.
    #[serde(rename = "offset_bytes")]
    pub offset: ByteSize,
    /// Bytes of data.
    #[serde(rename = "length_bytes")]
    pub length: ByteSize,
    /// Smallest unit of direct I/O here.
    #[serde(rename = "sector_size_bytes")]
    pub sector_size: ByteSize,
}

/// How an area comes to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AreaKind {
    /// A file that iotrial makes in a target directory, or keeps from an earlier run.
    ManagedFile,
    /// A slice of a file that iotrial made earlier and the user named.
    GivenFile,
    /// A slice of a raw device, read only.
    DeviceRead,
    /// A slice of a raw device whose content the user gave up.
    DeviceDestroy,
    /// Nothing: the engine touches no target.
    Imagined,
}

/// One homogeneous load, decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Unique in the plan: tables and findings refer to the job by it.
    pub name: String,
    /// What it represents in the database.
    pub role: Role,
    /// How offsets follow one another.
    pub pattern: Pattern,
    /// How evenly random offsets are spread.
    #[serde(default, skip_serializing_if = "Distribution::is_uniform")]
    pub distribution: Distribution,
    /// Share of reads: 0 is all writes, 100 is all reads.
    pub rwmix_read_percent: u8,
    /// Sizes of the I/Os; of a group commit, the block of the log.
    #[serde(flatten)]
    pub block_size: BlockSizes,
    /// Outstanding I/Os of each copy.
    pub iodepth: u32,
    /// Number of parallel copies; copy `n` works on area `n` modulo their number, or each on all areas where they are striped.
    pub numjobs: u32,
    /// When I/Os are issued: as others complete, at a rate, or behind those of another job.
    pub arrival: Arrival,
    /// When a write counts as done.
    pub durability: Durability,
    /// Of the writes of a copy, one in this many is durable; the others are done when the operating system
    /// says so.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub flush_every: u32,
    /// Whether several commits become one write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_commit: Option<GroupCommit>,
    /// Indices into [`Plan::areas`]; never empty.
    pub areas: Vec<usize>,
    /// Bytes that each copy puts on one of its areas before it goes on to the next; `None` where a copy stays on one.
    #[serde(default, rename = "stripe_unit_bytes", skip_serializing_if = "Option::is_none")]
    pub stripe_unit: Option<ByteSize>,
    /// Bytes touched from the start of each area, a multiple of the block size.
    #[serde(rename = "working_set_bytes")]
    pub working_set: ByteSize,
}

const fn one() -> u32 {
    1
}

const fn is_one(count: &u32) -> bool {
    *count == 1
}

impl Job {
    /// The largest I/O.
    pub fn largest_io(&self) -> ByteSize {
        self.group_commit.map_or_else(|| self.block_size.largest(), |group| group.largest_write)
    }

    /// What is not said by pattern, block size, `iodepth` and durability alone, for people, in the words of
    /// the profile.
    pub fn particulars(&self, plan: &Plan) -> Vec<String> {
        let mut all = Vec::new();
        if !self.distribution.is_uniform() {
            all.push(self.distribution.to_string());
        }
        if !self.block_size.shares().is_empty() {
            all.push(self.block_size.to_string());
        }
        match self.arrival {
            Arrival::Closed => {}
            Arrival::Open { iops, spacing, bursts } => {
                // As rates are written everywhere: whole from 10 per second.
                let rounded = if iops < 9.95 { (10.0 * iops).round() / 10.0 } else { iops.round() };
                let rounded = group_thousands(&rounded.to_string());
                all.push(format!("open, {rounded} IOPS, {spacing}"));
                all.extend(bursts.map(|bursts| bursts.to_string()));
            }
            Arrival::Following { job, per, ratio } => {
                let op = if per == FollowedOp::Any { "I/O" } else { per.as_str() };
                let what = if self.group_commit.is_some() { "commits" } else { "I/Os" };
                let leader = plan.jobs.get(job).map_or("?", |job| job.name.as_str());
                all.push(format!("{ratio} {what} for each {op} of {leader}"));
            }
        }
        if let Some(GroupCommit { commit_size, largest_write, tail }) = self.group_commit {
            let tail = match tail {
                LogTail::Pad => "padded to whole blocks",
                LogTail::Rewrite => "a partly filled block is written again",
            };
            all.push(format!(
                "group commit: {commit_size} a commit, writes of up to {largest_write}, {tail}"
            ));
        }
        if self.flush_every > 1 {
            all.push(format!("durable every {} writes", self.flush_every));
        }
        if let Some(unit) = self.stripe_unit {
            all.push(format!("striped over {} files, {unit} on each in turn", self.areas.len()));
        }
        all
    }

    /// Outstanding I/Os of all copies together.
    pub fn total_iodepth(&self) -> u32 {
        self.iodepth * self.numjobs
    }

    /// Whether any of its I/Os is a write.
    pub fn writes(&self) -> bool {
        self.rwmix_read_percent < 100
    }

    /// Whether any of its I/Os is a read.
    pub fn reads(&self) -> bool {
        self.rwmix_read_percent > 0
    }

    /// Whether every write of it is a commit: durable when it completes.
    pub fn is_commit(&self) -> bool {
        let is_durable = self.durability != Durability::None && self.flush_every == 1;
        self.role == Role::Log && is_durable && self.group_commit.is_none()
    }
}

impl Plan {
    /// Takes every decision.
    ///
    /// Each job's file is spread over the targets that take its role, one file a target, as a database spreads its data
    /// files. A log stays in one file, unless more targets were given to logs than there are logs: then it is striped over them
    /// ([`STRIPE_UNIT`]). All files shrink and grow in proportion to the profile's.
    ///
    /// # Errors
    ///
    /// When the targets cannot hold or serve the profile.
    pub fn decide(
        profile: &Profile,
        request: &PlanRequest,
        targets: &[TargetFacts],
    ) -> Result<Self, PlanError> {
        let has_none = |job: &JobProfile| targets.iter().all(|target| !target.takes(job.role));
        if targets.is_empty() || profile.jobs.iter().any(has_none) {
            return Err(PlanError::NoTarget);
        }
        for (position, target) in targets.iter().enumerate() {
            // The same place twice would be two files of one name, or two slices that overlap.
            if targets[..position].iter().any(|earlier| earlier.path == target.path) {
                return Err(PlanError::SameTarget { path: target.path.clone() });
            }
        }
        // Whoever names a role and a place expects figures of that place.
        if let Some(TargetFacts { path, roles, .. }) = size::without_a_file(profile, targets) {
            return Err(PlanError::WithoutFile { path: path.clone(), roles: roles.clone() });
        }
        let Schedule { precondition, ramp, measure } =
            if request.full { profile.schedule } else { profile.quick.schedule };
        let (ramp, measure) = (request.ramp.unwrap_or(ramp), request.measure.unwrap_or(measure));
        let mut notes = Vec::new();
        let profile = &*sectors::log_blocks_of_whole_sectors(profile, targets, &mut notes);
        if measure.is_zero() {
            return Err(PlanError::NoDuration);
        }
        // Before the check of the longest phase, because whole periods of bursts may make it longer.
        let (steps, measure) = steps::decide(profile, request, measure, &mut notes)?;
        if [precondition, ramp, measure].into_iter().any(|phase| phase > LONGEST_PHASE) {
            return Err(PlanError::TooLong);
        }
        check_polled(profile, request)?;
        let phases =
            [(PhaseKind::Precondition, precondition), (PhaseKind::Ramp, ramp), (PhaseKind::Measure, measure)];
        // A phase of zero would be a window without an interval.
        let phases = phases.into_iter().filter(|(_, duration)| !duration.is_zero());

        let size = size::decide(profile, request, targets, &mut notes)?;
        let mut areas = Areas::new(profile, size, targets);
        let mut jobs =
            (0..profile.jobs.len()).map(|position| areas.place(position)).collect::<Result<Vec<_>, _>>()?;
        if request.need.is_none() {
            steps::deepen(&mut jobs, &steps);
        }
        let copies: u32 = jobs.iter().map(|job| job.numjobs).sum();
        // A simulated clock is moved by one thread, or its order would depend on the scheduler. More threads
        // than copies would have nothing to drive.
        let threads = if request.engine.is_simulated() { 1 } else { request.cpu_count.clamp(1, copies) };
        check_outstanding(&jobs, threads, request.memory)?;
        // By the whole load, ramp and precondition included: all of it becomes intervals of the record.
        let interval = interval_of(precondition + ramp + measure);
        Ok(Self {
            profile: profile.name.clone(),
            quick: !request.full,
            engine: request.engine,
            engine_reason: request.engine_reason.clone(),
            sim: request.engine.is_simulated().then(|| request.sim.clone()),
            threads,
            direct: request.direct,
            polled: request.polled,
            priority: request.priority,
            seed: request.seed,
            interval,
            phases: phases.map(|(kind, duration)| Phase { kind, duration }).collect(),
            steps,
            need: request.need.clone().filter(|_| !request.staircase.is_empty()),
            until_steady: None,
            verified: false,
            io_deadline: None,
            pages_per_entry: 1,
            array_cache: request.array_cache,
            saturates: profile.saturates,
            areas: areas.areas,
            jobs,
            notes,
        })
    }

    /// What the map of what was written may take of the memory of a host, unless another size is given.
    pub const fn map_memory_of(memory: ByteSize) -> ByteSize {
        ByteSize::bytes(memory.get() / MAP_MEMORY_PART)
    }

    /// The same plan with everything that is read compared with what was written; an I/O that takes longer than `io_deadline` hangs.
    /// Where the map of all pages takes more than `map_memory`, several pages share an entry; `None` is no limit.
    ///
    /// # Errors
    ///
    /// Where the areas are not written by this run, so that nobody knows what they should hold, or where sectors have no room for a stamp.
    pub fn verified(self, map_memory: Option<ByteSize>, io_deadline: Duration) -> Result<Self, PlanError> {
        if !self.engine.touches_targets() {
            return Err(PlanError::NothingToVerify { engine: self.engine.as_str() });
        }
        let is_known = |area: &&Area| matches!(area.kind, AreaKind::ManagedFile | AreaKind::DeviceDestroy);
        if let Some(area) = self.areas.iter().find(|area| !is_known(area)) {
            return Err(PlanError::UnknownContent { path: area.path.clone() });
        }
        let is_odd = |job: &&Job| !job.block_size.unit().get().is_multiple_of(VERIFIED_SECTOR);
        if let Some(job) = self.jobs.iter().find(is_odd) {
            return Err(PlanError::NoWholeSectors { job: job.name.clone() });
        }
        let mut plan = Self { verified: true, io_deadline: Some(io_deadline), ..self };
        let needed = plan.whole_map();
        if let Some(allowed) = map_memory.filter(|allowed| needed > *allowed) {
            let pages_per_entry = needed.get().div_ceil(allowed.get().max(MAP_ENTRY_BYTES));
            plan.pages_per_entry = u32::try_from(pages_per_entry).unwrap_or(u32::MAX);
            plan.notes.push(format!(
                "a map of all pages would take {needed} of memory, more than {allowed}: the last write is known of 1 page in {pages_per_entry} (--map-memory)"
            ));
        }
        Ok(plan)
    }

    /// What the map of what was written was allowed to take, by what it has room for; `None` where it has an entry for each page.
    pub fn map_memory(&self) -> Option<ByteSize> {
        let bytes = self.whole_map().get().div_ceil(self.pages_per_entry.max(1).into());
        (self.pages_per_entry > 1).then_some(ByteSize::bytes(bytes))
    }

    /// A map with an entry for each page.
    fn whole_map(&self) -> ByteSize {
        let pages: u64 = (0..self.areas.len()).map(|area| self.pages_of(area)).sum();
        ByteSize::bytes(pages.saturating_mul(MAP_ENTRY_BYTES))
    }

    /// Entries of the map of what was written to an area: one for each page, or for [`Self::pages_per_entry`] of them.
    ///
    /// At least as many as the largest I/O has pages, so that no two pages of an I/O share one.
    pub fn map_entries_of(&self, area: usize) -> u64 {
        let pages = self.pages_of(area);
        let longest_pages = self.largest_io_of(area).get().div_ceil(self.page_of(area).get());
        pages.div_ceil(self.pages_per_entry.max(1).into()).max(longest_pages).min(pages)
    }

    /// The largest I/O on an area; none where no job works there.
    pub fn largest_io_of(&self, area: usize) -> ByteSize {
        let jobs = self.jobs.iter().filter(|job| job.areas.contains(&area));
        jobs.map(Job::largest_io).max().unwrap_or_default()
    }

    /// The page of an area: the largest size that every I/O on it is a multiple of.
    pub fn page_of(&self, area: usize) -> ByteSize {
        let jobs = self.jobs.iter().filter(|job| job.areas.contains(&area));
        let page = jobs.map(|job| job.block_size.unit().get()).reduce(common_divisor);
        page.map_or(self.areas[area].sector_size, ByteSize::bytes)
    }

    /// The pages of an area; the last one may be cut.
    pub fn pages_of(&self, area: usize) -> u64 {
        self.areas[area].length.get().div_ceil(self.page_of(area).get())
    }

    /// The job that this one follows, or itself where another one follows it; `None` where it is on its own.
    /// Jobs with the same leader are driven by one thread.
    pub fn leader_of(&self, job: usize) -> Option<usize> {
        leader_of(&self.jobs, job)
    }

    /// From the start of the load to the end of the last phase.
    pub fn duration(&self) -> Duration {
        self.phases.iter().map(|phase| phase.duration).sum()
    }

    /// What is measured of it, where it is not ended before.
    pub fn measured(&self) -> Duration {
        let measured = self.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure);
        measured.map(|phase| phase.duration).sum()
    }

    /// Makes the measured phase, of which there must be one, so long.
    pub fn set_measured(&mut self, duration: Duration) {
        for phase in self.phases.iter_mut().filter(|phase| phase.kind == PhaseKind::Measure) {
            phase.duration = duration;
        }
    }

    /// Outstanding I/Os of all jobs together.
    pub fn total_iodepth(&self) -> u32 {
        self.jobs.iter().map(Job::total_iodepth).sum()
    }

    /// The roles that occur, in the order in which tables show them.
    pub fn roles(&self) -> Vec<Role> {
        Role::ALL.iter().copied().filter(|role| self.jobs.iter().any(|job| job.role == *role)).collect()
    }

    /// The roles whose jobs work on the area of that index, in the order in which tables show them.
    pub fn roles_of(&self, area: usize) -> Vec<Role> {
        let works_there =
            |role: &Role| self.jobs.iter().any(|job| job.role == *role && job.areas.contains(&area));
        Role::ALL.iter().copied().filter(works_there).collect()
    }

    /// Bytes that are on the targets before the load starts: all files and all slices to be filled.
    pub fn bytes_to_lay_out(&self) -> ByteSize {
        self.areas
            .iter()
            .map(|area| match area.kind {
                // The header is before the data, and the offset is its length.
                AreaKind::ManagedFile => area.length + area.offset,
                AreaKind::DeviceDestroy => area.length,
                AreaKind::GivenFile | AreaKind::DeviceRead | AreaKind::Imagined => ByteSize::default(),
            })
            .sum()
    }
}

fn leader_of(jobs: &[Job], job: usize) -> Option<usize> {
    let followed_by = |one: &Job| match one.arrival {
        Arrival::Following { job, .. } => Some(job),
        _ => None,
    };
    followed_by(&jobs[job])
        .or_else(|| jobs.iter().any(|other| followed_by(other) == Some(job)).then_some(job))
}

/// What a polled ring of the kernel carries: direct reads and writes, and nothing that waits for a flush.
fn check_polled(profile: &Profile, request: &PlanRequest) -> Result<(), PlanError> {
    if !request.polled {
        return Ok(());
    }
    if !request.engine.facts().can_poll {
        return Err(PlanError::PolledEngine { engine: request.engine.as_str() });
    }
    if !request.direct {
        return Err(PlanError::PolledBuffered);
    }
    match profile.jobs.iter().find(|job| job.durability != Durability::None) {
        Some(job) => Err(PlanError::PolledDurable { job: job.name.clone() }),
        None => Ok(()),
    }
}

fn check_outstanding(jobs: &[Job], threads: u32, memory: Option<ByteSize>) -> Result<(), PlanError> {
    // In 64 bits: 4,096 deep times 1,024 copies times the jobs of a file made to be large.
    let outstanding = jobs.iter().map(|job| u64::from(job.iodepth) * u64::from(job.numjobs)).sum();
    // Copies are dealt out by their depth, so no thread has more than its share and one copy; jobs that
    // follow one another count as one.
    let together = |index: usize, job: &Job| match leader_of(jobs, index) {
        Some(leader) => {
            let linked = (0..jobs.len()).filter(|other| leader_of(jobs, *other) == Some(leader));
            linked.map(|other| u64::from(jobs[other].iodepth) * u64::from(jobs[other].numjobs)).sum()
        }
        None => u64::from(job.iodepth),
    };
    let deepest = jobs.iter().enumerate().map(|(index, job)| together(index, job)).max().unwrap_or_default();
    if outstanding / u64::from(threads) + deepest > u64::from(MOST_OUTSTANDING_PER_THREAD) {
        return Err(PlanError::TooDeep { outstanding, threads });
    }
    let needed =
        jobs.iter().map(|job| job.largest_io() * (u64::from(job.iodepth) * u64::from(job.numjobs))).sum();
    match memory {
        // A choice. Half of the memory leaves the host its page cache and the loop its room; a load beyond
        // that would measure swapping.
        Some(memory) if needed > ByteSize::bytes(memory.get() / 2) => {
            Err(PlanError::TooMuchMemory { needed, memory })
        }
        _ => Ok(()),
    }
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn profile(jobs: &str) -> Profile {
        let head = r#"
format = "iotrial.profile/1"
name = "mine"
title = "Mine"
schedule = { ramp = "30s", duration = "300s" }
quick = { size = "1GiB", ramp = "5s", duration = "30s" }
"#;
        Profile::parse(&format!("{head}{jobs}")).unwrap()
    }

    const DATA_AND_LOG: &str = r#"
[[job]]
name = "data"
role = "data"
pattern = "random"
rwmix_read_percent = 70
block_size = "8KiB"
numjobs = 6
iodepth = 8
size = "30GiB"
[[job]]
name = "log"
role = "log"
pattern = "sequential"
rwmix_read_percent = 0
block_size = "64KiB"
numjobs = 2
iodepth = 4
size = "10GiB"
"#;

    fn request() -> PlanRequest {
        PlanRequest {
            cpu_count: 2,
            memory: Some(ByteSize::gib(8)),
            ..PlanRequest::of_engine(EngineKind::Uring)
        }
    }

    fn directory(path: &str, filesystem_id: u64, available: ByteSize) -> TargetFacts {
        let space = FreeSpace { filesystem_id, capacity: ByteSize::gib(20), available, kept: vec![] };
        TargetFacts {
            path: path.into(),
            roles: Vec::new(),
            kind: TargetKind::Directory(space),
            sector_size: ByteSize::bytes(512),
        }
    }

    #[test]
    fn files_share_the_size_in_the_profiles_proportion_and_never_exceed_it() {
        let plan = Plan::decide(&profile(DATA_AND_LOG), &request(), &[directory("/a", 1, ByteSize::gib(15))])
            .unwrap();
        let lengths: Vec<String> =
            plan.areas.iter().map(|area| (area.length + area.offset).to_string()).collect();
        assert_eq!(lengths, ["768 MiB", "256 MiB"]);
        assert_eq!(plan.bytes_to_lay_out(), ByteSize::GIB);
        assert_eq!(plan.total_iodepth(), 56);
        assert_eq!(plan.phases.len(), 2);
    }

    #[test]
    fn data_is_spread_over_all_targets_and_the_log_stays_whole() {
        let targets = [1, 2, 3].map(|id| directory(&format!("/{id}"), id, ByteSize::gib(15)));
        let plan = Plan::decide(&profile(DATA_AND_LOG), &request(), &targets).unwrap();
        let paths: Vec<String> = plan.areas.iter().map(|area| slashes(&area.path)).collect();
        assert_eq!(paths, ["/1/data.iotrial", "/2/data.iotrial", "/3/data.iotrial", "/2/log.iotrial"]);
        assert_eq!(plan.jobs[0].areas, [0, 1, 2]);
        assert!(plan.bytes_to_lay_out() <= ByteSize::GIB);
    }

    /// The directory, for these roles.
    fn of_roles(roles: &[Role], path: &str, filesystem_id: u64, available: ByteSize) -> TargetFacts {
        TargetFacts { roles: roles.to_vec(), ..directory(path, filesystem_id, available) }
    }

    /// As Unix writes it.
    fn slashes(path: &Path) -> String {
        path.display().to_string().replace('\\', "/")
    }

    fn paths_of(plan: &Plan, job: usize) -> Vec<String> {
        plan.jobs[job].areas.iter().map(|area| slashes(&plan.areas[*area].path)).collect()
    }

    #[test]
    fn each_role_lies_on_its_own_targets() {
        let room = ByteSize::gib(15);
        let targets = [
            of_roles(&[Role::Log], "/log", 1, room),
            of_roles(&[Role::Data], "/one", 2, room),
            of_roles(&[Role::Data], "/two", 3, room),
        ];
        let plan = Plan::decide(&profile(DATA_AND_LOG), &request(), &targets).unwrap();
        assert_eq!(paths_of(&plan, 0), ["/one/data.iotrial", "/two/data.iotrial"]);
        assert_eq!(paths_of(&plan, 1), ["/log/log.iotrial"]);
        // The proportion is the profile's, wherever the files lie.
        assert_eq!(
            plan.areas.iter().map(|area| (area.length + area.offset).get() >> 20).collect::<Vec<_>>(),
            [384, 384, 256]
        );
    }

    #[test]
    fn jobs_of_one_role_take_turns_on_its_targets_whatever_jobs_stand_between_them() {
        let second_log =
            DATA_AND_LOG.split("[[job]]").nth(2).unwrap().replace("\"log\"\nrole", "\"log-2\"\nrole");
        let jobs = format!(
            "[[job]]{second_log}{}[[job]]{}",
            DATA_AND_LOG.split("[[job]]").nth(1).map(|data| format!("[[job]]{data}")).unwrap(),
            DATA_AND_LOG.split("[[job]]").nth(2).unwrap()
        );
        let room = ByteSize::gib(15);
        let targets = [
            of_roles(&[Role::Log], "/a", 1, room),
            of_roles(&[Role::Log], "/b", 2, room),
            of_roles(&[Role::Data], "/c", 3, room),
        ];
        let plan = Plan::decide(&profile(&jobs), &request(), &targets).unwrap();
        let of_logs = [paths_of(&plan, 0), paths_of(&plan, 2)];
        assert_eq!(of_logs, [["/a/log-2.iotrial"], ["/b/log.iotrial"]]);
    }

    #[test]
    fn copies_per_target_are_as_many_on_each_of_its_volumes() {
        let jobs = DATA_AND_LOG.replace("numjobs = 6", "numjobs = 2\nper_target = true");
        let room = ByteSize::gib(15);
        let log = of_roles(&[Role::Log], "/log", 9, room);
        let of = |volumes: &[&str]| {
            let mut targets: Vec<TargetFacts> =
                volumes.iter().zip(1..).map(|(path, id)| of_roles(&[Role::Data], path, id, room)).collect();
            targets.push(log.clone());
            let plan = Plan::decide(&profile(&jobs), &request(), &targets).unwrap();
            (plan.jobs[0].numjobs, plan.jobs[0].areas.len(), plan.jobs[1].numjobs)
        };
        assert_eq!(of(&["/a"]), (2, 1, 2));
        assert_eq!(of(&["/a", "/b", "/c"]), (6, 3, 2));
        // A log for each volume, as each instance of a cluster has its own.
        let logs = profile(&DATA_AND_LOG.replace("numjobs = 2", "per_target = true"));
        let targets = ["/a", "/b"].iter().zip(1..).map(|(path, id)| directory(path, id, room));
        let plan = Plan::decide(&logs, &request(), &targets.collect::<Vec<_>>()).unwrap();
        let log = &plan.jobs[1];
        assert_eq!((log.numjobs, log.areas.len(), log.stripe_unit), (2, 2, None));
    }

    #[test]
    fn a_log_on_several_targets_of_its_role_is_striped_over_them() {
        let room = ByteSize::gib(15);
        let plan = |roles: [&[Role]; 3]| {
            let targets = ["/a", "/b", "/c"].iter().zip(roles).zip(1..);
            let targets = targets.map(|((path, roles), id)| of_roles(roles, path, id, room));
            Plan::decide(&profile(DATA_AND_LOG), &request(), &targets.collect::<Vec<_>>()).unwrap()
        };
        let apart = plan([&[Role::Data], &[Role::Log], &[Role::Log]]);
        let log = &apart.jobs[1];
        assert_eq!(paths_of(&apart, 1), ["/b/log.iotrial", "/c/log.iotrial"]);
        assert_eq!((log.numjobs, log.stripe_unit), (2, Some(STRIPE_UNIT)));
        // Together they are as large as one file would be, and both copies have a part in each.
        assert_eq!(mib_of_files(&apart), [768, 128, 128]);
        assert!(log.particulars(&apart).iter().any(|words| words.contains("striped over 2 files")));
        let both: &[Role] = &[Role::Data, Role::Log];
        assert_eq!(plan([&[Role::Data], both, both]).jobs[1].areas.len(), 2);
        // Nobody said that all of them are for the log.
        let any = plan([&[], &[], &[]]);
        assert_eq!((any.jobs[1].areas.len(), any.jobs[1].stripe_unit), (1, None));
    }

    #[test]
    fn a_target_of_a_role_that_would_get_no_file_is_refused() {
        let room = ByteSize::gib(15);
        let targets = [
            of_roles(&[Role::Data], "/a", 1, room),
            of_roles(&[Role::Data], "/b", 2, room),
            of_roles(&[Role::Log], "/log", 3, room),
        ];
        let one_copy = profile(&DATA_AND_LOG.replace("numjobs = 6", "numjobs = 1"));
        let error = Plan::decide(&one_copy, &request(), &targets).unwrap_err();
        assert_eq!(error.to_string(), "no file would be placed on `/b`: data has fewer files than targets");
        let only_data = Plan::decide(&profile(DATA_AND_LOG), &request(), &targets[..1]);
        assert_eq!(only_data, Err(PlanError::NoTarget));
    }

    #[test]
    fn room_is_counted_by_file_system_whatever_roles_lie_there() {
        let (little, much) = (ByteSize::mib(2048 + 600), ByteSize::gib(15));
        let targets = |second_id, second| {
            [of_roles(&[Role::Data], "/a", 7, little), of_roles(&[Role::Log], "/b", second_id, second)]
        };
        let shared = Plan::decide(&profile(DATA_AND_LOG), &request(), &targets(7, little)).unwrap();
        assert!(shared.bytes_to_lay_out() <= ByteSize::mib(600), "{}", shared.bytes_to_lay_out());
        // Three quarters are data: alone they may fill what is left there.
        let apart = Plan::decide(&profile(DATA_AND_LOG), &request(), &targets(8, much)).unwrap();
        assert!(apart.bytes_to_lay_out() > ByteSize::mib(790), "{}", apart.bytes_to_lay_out());
    }

    /// The plan where so much room is left and these files were kept.
    fn beside(kept: &[(&str, u64)], room_mib: u64) -> Plan {
        let mut target = directory("/a", 1, ByteSize::mib(2048 + room_mib));
        let TargetKind::Directory(space) = &mut target.kind else { panic!("it is a directory") };
        space.kept = kept.iter().map(|(name, mib)| ((*name).to_owned(), ByteSize::mib(*mib))).collect();
        Plan::decide(&profile(DATA_AND_LOG), &request(), &[target]).unwrap()
    }

    /// MiB of the data, which is three quarters, and of the log.
    fn mib_of_files(plan: &Plan) -> Vec<u64> {
        plan.areas.iter().map(|area| (area.length + area.offset).get() >> 20).collect()
    }

    #[test]
    fn a_kept_file_that_is_large_enough_gives_no_room_to_the_others() {
        // Of another profile: it stays.
        assert_eq!(mib_of_files(&beside(&[("other.iotrial", 300)], 400)), [300, 100]);
        // Too small: removed, and made anew in its own room and what is left.
        assert_eq!(mib_of_files(&beside(&[("log.iotrial", 40)], 360)), [300, 100]);
        // As large as the log of all that could be made without it, which it need not be: the data has the room that is free.
        let plan = beside(&[("log.iotrial", 200)], 300);
        assert_eq!(mib_of_files(&plan), [300, 100]);
        // Everything is there already.
        assert_eq!(mib_of_files(&beside(&[("data.iotrial", 768), ("log.iotrial", 256)], 0)), [768, 256]);
        assert_eq!(mib_of_files(&beside(&[("data.iotrial", 384), ("log.iotrial", 256)], 100)), [483, 161]);
    }

    #[test]
    fn only_the_sectors_of_its_own_targets_matter_to_a_role() {
        let room = ByteSize::gib(15);
        let coarse = TargetFacts { sector_size: ByteSize::kib(4), ..of_roles(&[Role::Log], "/log", 1, room) };
        let targets = [of_roles(&[Role::Data], "/data", 2, room), coarse];
        assert!(Plan::decide(&profile(&DATA_AND_LOG.replace("8KiB", "1KiB")), &request(), &targets).is_ok());
        let error = Plan::decide(&profile(&DATA_AND_LOG.replace("64KiB", "1KiB")), &request(), &targets);
        assert!(matches!(error, Err(PlanError::Misaligned { .. })), "{error:?}");
    }

    #[test]
    fn the_profiles_size_shrinks_to_the_free_space_and_says_so_but_an_asked_one_is_refused() {
        let little = [directory("/a", 1, ByteSize::mib(2048 + 512))];
        let plan = Plan::decide(&profile(DATA_AND_LOG), &request(), &little).unwrap();
        assert!(plan.bytes_to_lay_out() <= ByteSize::mib(512), "{}", plan.bytes_to_lay_out());
        assert!(plan.notes[0].contains("512 MiB instead of 1 GiB"), "{:?}", plan.notes);

        let asked = PlanRequest { size: Some(ByteSize::GIB), ..request() };
        let error = Plan::decide(&profile(DATA_AND_LOG), &asked, &little).unwrap_err();
        assert!(matches!(error, PlanError::NoSpace { .. }), "{error}");
        let full = [directory("/a", 1, ByteSize::GIB)];
        assert!(matches!(
            Plan::decide(&profile(DATA_AND_LOG), &request(), &full),
            Err(PlanError::NoSpace { .. })
        ));
    }

    #[test]
    fn two_directories_of_one_file_system_share_its_space() {
        let space = ByteSize::mib(2048 + 600);
        let targets = [directory("/a/1", 7, space), directory("/a/2", 7, space)];
        let plan = Plan::decide(&profile(DATA_AND_LOG), &request(), &targets).unwrap();
        assert!(plan.bytes_to_lay_out() <= ByteSize::mib(600), "{}", plan.bytes_to_lay_out());
    }

    #[test]
    fn a_raw_device_is_sliced_and_writing_needs_its_release() {
        let device = |destroy| TargetFacts {
            path: "/dev/x".into(),
            roles: Vec::new(),
            kind: TargetKind::Device { size: ByteSize::mib(512), destroy },
            sector_size: ByteSize::kib(4),
        };
        let error = Plan::decide(&profile(DATA_AND_LOG), &request(), &[device(false)]).unwrap_err();
        assert!(matches!(error, PlanError::DeviceNotReleased { .. }), "{error}");
        let asked = PlanRequest { size: Some(ByteSize::mib(400)), ..request() };
        let plan = Plan::decide(&profile(DATA_AND_LOG), &asked, &[device(true)]).unwrap();
        let ranges: Vec<_> = plan.areas.iter().map(|area| (area.offset, area.length)).collect();
        assert_eq!(
            ranges,
            [(ByteSize::mib(0), ByteSize::mib(300)), (ByteSize::mib(300), ByteSize::mib(100))]
        );
    }

    #[test]
    fn a_device_smaller_than_the_profile_is_used_whole_but_an_asked_size_beyond_it_is_refused() {
        let small = [TargetFacts {
            path: "/dev/x".into(),
            roles: Vec::new(),
            kind: TargetKind::Device { size: ByteSize::mib(64), destroy: true },
            sector_size: ByteSize::bytes(512),
        }];
        let plan = Plan::decide(&profile(DATA_AND_LOG), &request(), &small).unwrap();
        assert_eq!(plan.bytes_to_lay_out(), ByteSize::mib(64));
        assert!(plan.notes[0].contains("64 MiB in all are used instead of 1 GiB"), "{:?}", plan.notes);
        let asked = PlanRequest { size: Some(ByteSize::mib(65)), ..request() };
        let error = Plan::decide(&profile(DATA_AND_LOG), &asked, &small).unwrap_err();
        assert!(matches!(error, PlanError::BeyondEnd { .. }), "{error}");
    }

    #[test]
    fn the_smallest_size_that_an_error_names_works_and_one_mebibyte_less_does_not() {
        let target = [directory("/a", 1, ByteSize::gib(15))];
        let decide = |size| {
            Plan::decide(&profile(DATA_AND_LOG), &PlanRequest { size: Some(size), ..request() }, &target)
        };
        let Err(PlanError::SizeTooSmall { least_size, .. }) = decide(ByteSize::MIB) else {
            panic!("no error")
        };
        assert!(decide(least_size).is_ok(), "{least_size}");
        assert!(decide(least_size - ByteSize::MIB).is_err(), "{least_size}");
    }

    #[test]
    fn what_no_host_can_hold_or_wait_for_is_refused_before_anything_is_written() {
        let target = [directory("/a", 1, ByteSize::gib(15))];
        let decide =
            |jobs: &str, asked: PlanRequest| Plan::decide(&profile(jobs), &asked, &target).unwrap_err();
        let deep =
            DATA_AND_LOG.replace("iodepth = 8", "iodepth = 4096").replace("numjobs = 6", "numjobs = 1024");
        assert!(matches!(decide(&deep, request()), PlanError::TooDeep { outstanding: 4_194_312, .. }));
        let large = DATA_AND_LOG.replace("8KiB", "64MiB").replace("iodepth = 8", "iodepth = 512");
        assert!(matches!(decide(&large, request()), PlanError::TooMuchMemory { .. }));
        let long = PlanRequest { measure: Some(Duration::from_secs(200_000 * 3_600)), ..request() };
        assert_eq!(decide(DATA_AND_LOG, long), PlanError::TooLong);
    }

    #[test]
    fn a_map_that_is_too_large_has_an_entry_for_several_pages() {
        let target = [directory("/a", 1, ByteSize::gib(15))];
        let plan = Plan::decide(&profile(DATA_AND_LOG), &request(), &target).unwrap();
        let sum = |of: &dyn Fn(usize) -> u64| (0..plan.areas.len()).map(of).sum::<u64>();
        let map = sum(&|area| plan.pages_of(area)) * MAP_ENTRY_BYTES;
        let verified = |bytes: u64| plan.clone().verified(Some(ByteSize::bytes(bytes)), IO_DEADLINE).unwrap();
        assert_eq!(Plan::map_memory_of(ByteSize::gib(16)), ByteSize::GIB);
        let exact = plan.clone().verified(None, IO_DEADLINE).unwrap();
        assert_eq!((verified(map).pages_per_entry, exact.pages_per_entry), (1, 1));
        assert_eq!(exact.map_memory(), None);
        assert_eq!((exact.notes.len(), verified(map - 1).notes.len()), (0, 1));
        for (bytes, pages_per_entry) in [(map - 1, 2), (map / 2, 2), (map / 8, 8), (map / 8 - 1, 9)] {
            let sampled = verified(bytes);
            assert_eq!(sampled.pages_per_entry, pages_per_entry, "{bytes}");
            // Whoever asks for as much again gets the same map.
            let again = plan.clone().verified(sampled.map_memory(), IO_DEADLINE).unwrap();
            assert_eq!(again.pages_per_entry, pages_per_entry, "{bytes}");
            let entries = sum(&|area| sampled.map_entries_of(area));
            // Rounded up in each area.
            assert!(entries * MAP_ENTRY_BYTES <= bytes + 8 * plan.areas.len() as u64, "{bytes}: {entries}");
            let read: Plan = serde_json::from_str(&serde_json::to_string(&sampled).unwrap()).unwrap();
            assert_eq!(read, sampled);
        }
        // An I/O of 64 KiB beside those of 8 KiB: each of its pages has an entry, however small the map is.
        let mut mixed = plan.clone();
        mixed.jobs[0].block_size = BlockSizes::one(ByteSize::kib(64));
        let second = Job { block_size: BlockSizes::one(ByteSize::kib(8)), ..mixed.jobs[0].clone() };
        mixed.jobs.push(second);
        let least = mixed.verified(Some(ByteSize::bytes(1)), IO_DEADLINE).unwrap();
        assert_eq!(least.map_entries_of(least.jobs[0].areas[0]), 8);
    }

    #[test]
    fn what_nobody_wrote_is_not_verified() {
        let target = [directory("/a", 1, ByteSize::gib(15))];
        let plan = Plan::decide(&profile(DATA_AND_LOG), &request(), &target).unwrap();
        let changed = |change: &dyn Fn(&mut Plan)| {
            let mut plan = plan.clone();
            change(&mut plan);
            plan.verified(None, IO_DEADLINE)
        };
        for kind in [AreaKind::GivenFile, AreaKind::DeviceRead] {
            let refused = changed(&|plan| plan.areas[0].kind = kind).unwrap_err();
            assert!(matches!(refused, PlanError::UnknownContent { .. }), "{kind:?}");
        }
        let simulated = changed(&|plan| plan.engine = EngineKind::Sim).unwrap_err();
        assert!(matches!(simulated, PlanError::NothingToVerify { .. }));
        let odd =
            changed(&|plan| plan.jobs[0].block_size = BlockSizes::one(ByteSize::bytes(1_000))).unwrap_err();
        assert!(matches!(odd, PlanError::NoWholeSectors { .. }));
    }

    #[test]
    fn a_page_is_the_largest_size_that_all_ios_on_an_area_are_multiples_of() {
        assert_eq!(
            [(8192, 512), (65536, 8192), (12288, 8192)].map(|(a, b)| common_divisor(a, b)),
            [512, 8192, 4096]
        );
        let target = [directory("/a", 1, ByteSize::gib(15))];
        let mut plan = Plan::decide(&profile(DATA_AND_LOG), &request(), &target).unwrap();
        let unit = plan.jobs[0].block_size.unit();
        assert_eq!(plan.page_of(plan.jobs[0].areas[0]), unit);
        plan.areas[0].length = unit + unit + ByteSize::bytes(1);
        assert_eq!(plan.pages_of(0), 3);
    }

    #[test]
    fn what_cannot_be_polled_is_refused() {
        let target = [directory("/a", 1, ByteSize::gib(15))];
        let polled = PlanRequest { polled: true, ..request() };
        let decide = |jobs: &str, asked: &PlanRequest| Plan::decide(&profile(jobs), asked, &target);
        assert!(decide(DATA_AND_LOG, &polled).unwrap().polled);
        let threads = PlanRequest { engine: EngineKind::Threads, ..polled.clone() };
        assert_eq!(decide(DATA_AND_LOG, &threads), Err(PlanError::PolledEngine { engine: "threads" }));
        let buffered = PlanRequest { direct: false, ..polled.clone() };
        assert_eq!(decide(DATA_AND_LOG, &buffered), Err(PlanError::PolledBuffered));
        let durable = format!("{DATA_AND_LOG}durability = \"dsync\"\n");
        assert_eq!(decide(&durable, &polled), Err(PlanError::PolledDurable { job: "log".to_owned() }));
    }

    #[test]
    fn a_long_load_has_longer_intervals_and_never_more_than_an_hour_of_seconds() {
        let interval_s = |load_s: u64| interval_of(Duration::from_secs(load_s)).as_secs();
        assert_eq!([1, 35, 3_600, 3_601, 86_400].map(interval_s), [1, 1, 1, 2, 24]);
    }

    #[test]
    fn the_same_target_twice_is_refused() {
        let target = directory("/a", 1, ByteSize::gib(15));
        let error = Plan::decide(&profile(DATA_AND_LOG), &request(), &[target.clone(), target]).unwrap_err();
        assert!(matches!(error, PlanError::SameTarget { .. }), "{error}");
    }

    #[test]
    fn a_block_that_is_no_multiple_of_the_sector_is_refused() {
        let jobs = DATA_AND_LOG.replace("8KiB", "1KiB");
        let target = TargetFacts { sector_size: ByteSize::kib(4), ..directory("/a", 1, ByteSize::gib(15)) };
        let error = Plan::decide(&profile(&jobs), &request(), &[target]).unwrap_err();
        assert!(matches!(error, PlanError::Misaligned { .. }), "{error}");
    }

    #[test]
    fn a_size_that_cannot_hold_one_block_is_refused() {
        let asked = PlanRequest { size: Some(ByteSize::kib(4)), ..request() };
        let error = Plan::decide(&profile(DATA_AND_LOG), &asked, &[directory("/a", 1, ByteSize::gib(15))])
            .unwrap_err();
        assert!(matches!(error, PlanError::SizeTooSmall { .. }), "{error}");
    }
}
