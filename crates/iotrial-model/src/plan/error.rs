//! Why a profile cannot be planned on some targets.

use std::path::PathBuf;
use std::time::Duration;

use super::{FILE_HEADER_SIZE, MOST_OUTSTANDING_PER_THREAD};
use crate::given_target::in_words;
use crate::load::Role;
use crate::target::NoSpace;
use crate::units::{ByteSize, duration_in_words};

/// Why a profile cannot be planned on the targets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// There is nothing to run on.
    #[error("no target was given")]
    NoTarget,
    /// The space rule leaves too little.
    #[error(transparent)]
    NoSpace(NoSpace),
    /// A given file or a device is smaller than its part of what was asked.
    #[error("{needed} are needed on `{}`, which holds {usable}", path.display())]
    BeyondEnd {
        /// The file or device.
        path: PathBuf,
        /// Its part of the size of all files.
        needed: ByteSize,
        /// What it holds.
        usable: ByteSize,
    },
    /// The engine writes nothing that could be read back.
    #[error("the `{engine}` engine writes nothing that could be read back")]
    NothingToVerify {
        /// Its name.
        engine: &'static str,
    },
    /// What an area holds was not written by this run.
    #[error("what is on `{}` was not written by this run, so it cannot be verified", path.display())]
    UnknownContent {
        /// The file or device.
        path: PathBuf,
    },
    /// I/Os are no multiples of a sector.
    #[error("the blocks of job `{job}` are no multiples of 512 bytes, so sectors cannot be verified")]
    NoWholeSectors {
        /// Its name.
        job: String,
    },
    /// Two targets are the same place.
    #[error("`{}` is given twice as a target", path.display())]
    SameTarget {
        /// With links resolved.
        path: PathBuf,
    },
    /// A target was given to roles, and no file would lie on it.
    #[error("no file would be placed on `{}`: {} {} fewer files than targets", path.display(), in_words(roles), if roles.len() == 1 { "has" } else { "have" })]
    WithoutFile {
        /// With links resolved.
        path: PathBuf,
        /// The roles that it was given to; at least one.
        roles: Vec<Role>,
    },
    /// A file or slice cannot hold what the job does.
    #[error(
        "a total size of {size} leaves {given} of data for each file of job `{job}`; every file has a header of {FILE_HEADER_SIZE}, and this profile needs a total of at least {least_size}"
    )]
    SizeTooSmall {
        /// The job that starves.
        job: String,
        /// The size of all files.
        size: ByteSize,
        /// The job's share, per file.
        given: ByteSize,
        /// The smallest size of all files.
        least_size: ByteSize,
    },
    /// Only a ring polls.
    #[error("the `{engine}` engine cannot poll for completions")]
    PolledEngine {
        /// The one asked for.
        engine: &'static str,
    },
    /// The page cache has no completions to poll for.
    #[error("I/O through the page cache cannot be polled")]
    PolledBuffered,
    /// A flush ends with an interrupt.
    #[error("job `{job}` waits for stable storage, which cannot be polled")]
    PolledDurable {
        /// Name of the job.
        job: String,
    },
    /// The block does not fit the sectors of the target.
    #[error("block size {block_size} of job `{job}` is not a multiple of the {sector_size} sectors of `{}`", path.display())]
    Misaligned {
        /// Name of the job whose block size does not fit.
        job: String,
        /// Its block size.
        block_size: ByteSize,
        /// What the target needs.
        sector_size: ByteSize,
        /// Path of the target.
        path: PathBuf,
    },
    /// The job writes, and the device was not released for that.
    #[error("job `{job}` writes, and `{}` is a raw device that was not released for destruction", path.display())]
    DeviceNotReleased {
        /// Name of the job that writes.
        job: String,
        /// Path of the device.
        path: PathBuf,
    },
    /// The measured phase would be empty.
    #[error("the measured phase must last longer than zero")]
    NoDuration,
    /// A phase would not end.
    #[error("a phase must not last longer than 30 days")]
    TooLong,
    /// A part of a period has another rate than was asked.
    #[error(
        "{} is not a whole number of burst periods ({} each), and only whole periods have the requested rate",
        duration_in_words(*asked),
        duration_in_words(*period)
    )]
    PartOfPeriod {
        /// The measured phase that the user asked for.
        asked: Duration,
        /// The time after which the bursts of all jobs come together again.
        period: Duration,
        /// The shortest phase of whole periods that is not shorter than asked.
        whole: Duration,
    },
    /// No phase can hold whole periods of the bursts of all jobs.
    #[error(
        "the bursts of the jobs coincide only after more than 30 days, which is longer than a phase may last"
    )]
    BurstsApart,
    /// These jobs cannot do a step, as it says.
    #[error("{0}")]
    Steps(String),
    /// A step is too short to be one.
    #[error("step {number} would last {}; a step must last at least 100 ms", duration_in_words(*duration))]
    ShortStep {
        /// Counted from 1.
        number: usize,
        /// How long it would be.
        duration: Duration,
    },
    /// A load that changes on purpose is never steady.
    #[error("a load with steps changes on purpose, so that it cannot be measured until it is steady")]
    SteadySteps,
    /// There is no time for the rounds that are compared.
    #[error(
        "steady state takes five rounds, {} together, and the limit is {}",
        duration_in_words(*window),
        duration_in_words(*limit)
    )]
    LimitTooShort {
        /// The longest that the user would wait for a steady state.
        limit: Duration,
        /// The rounds that are compared.
        window: Duration,
    },
    /// More I/Os at once than the threads can have in flight.
    #[error(
        "{outstanding} outstanding I/Os on {threads} threads are more than {MOST_OUTSTANDING_PER_THREAD} each"
    )]
    TooDeep {
        /// I/Os in flight of all copies of all jobs together.
        outstanding: u64,
        /// Threads that would drive them.
        threads: u32,
    },
    /// The buffers of all outstanding I/Os would not fit.
    #[error("the buffers of all outstanding I/Os take {needed}, more than half of the {memory} of this host")]
    TooMuchMemory {
        /// One block for each outstanding I/O.
        needed: ByteSize,
        /// Main memory of the host.
        memory: ByteSize,
    },
}
