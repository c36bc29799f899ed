//! What a session is asked for, in the words of the domain.
//!
//! Whoever asks translates into these once: a command line, a study file, a conversation. What is left out is decided by the session.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use iotrial_model::application::ApplicationMetrics;
use iotrial_model::given_target::GivenTarget;
use iotrial_model::latency_limit::LatencyLimit;
use iotrial_model::need::Need;
use iotrial_model::plan::{EngineKind, SimDevice};
use iotrial_model::priority::Priority;
use iotrial_model::record::AttributeValue;
use iotrial_model::sweep::LoadPattern;
use iotrial_model::units::ByteSize;

/// On which targets, by which engine, under which name: what holds for every load.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RigRequest {
    /// Directories, files of iotrial, or raw block devices, in the order in which files are dealt out; at least one where the
    /// engine touches any. In a load roles say whose files lie there; in a sweep, which has none, they are names.
    pub targets: Vec<GivenTarget>,
    /// Who does the I/O; `None` is `uring` where the kernel allows it, else `threads`.
    pub engine: Option<EngineKind>,
    /// Through the page cache instead of past it.
    pub buffered: bool,
    /// The threads ask the devices for completions instead of waiting for their interrupts.
    pub polled: bool,
    /// How the threads of the load rank among other programs.
    pub priority: Priority,
    /// All randomness comes from it; `None` is another one each time.
    pub seed: Option<u64>,
    /// The name of the configuration; `None`, like blanks alone, is no name.
    pub label: Option<String>,
    /// What distinguishes the configuration.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// The tokens that release raw devices to be destroyed, in the order of these devices among the targets,
    /// where one that is given several times counts once.
    pub destroy: Vec<String>,
    /// Files that were made stay for the next time.
    pub keep_files: bool,
    /// The record says nothing of whose machine it was.
    pub anonymous: bool,
    /// How the host is looked at before the load.
    pub host: HostLook,
    /// The simulated device, only where the engine is `sim`; `None` is the usual one.
    pub sim: Option<SimDevice>,
    /// Where records are kept; `None` is the platform's data folder.
    pub store: Option<PathBuf>,
}

/// How a host is looked at before a load, which is made whatever is found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostLook {
    /// Files of rules, or folders of them, besides the built-in ones: what is critical by them is a warning.
    pub rules: Vec<PathBuf>,
    /// The metadata service of the cloud, where it is to be asked; `None` opens no connection.
    pub cloud: Option<SocketAddr>,
}

/// A load on a rig: how much of the profile, how long, and what ends it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadRequest {
    /// The profile's full sizes and times instead of the quick ones.
    pub full: bool,
    /// All files together, more than zero; `None` is the profile's size, at most what is free.
    pub size: Option<ByteSize>,
    /// Cache of the array or controller below the targets; files are made at least twice as large where no size is asked for.
    pub array_cache: Option<ByteSize>,
    /// The measured phase; `None` is the profile's.
    pub duration: Option<Duration>,
    /// The load runs so long before it is measured; `None` is the profile's.
    pub ramp: Option<Duration>,
    /// Steps of equal length in place of the profile's: the share of the full load of each, in percent; empty is the profile's.
    pub staircase: Vec<f64>,
    /// What is to be found out.
    pub aim: Aim,
    /// Figures of an application that belong to the run.
    pub metrics: ApplicationMetrics,
    /// Commands that print such a figure, by its name; run when the load is over.
    pub metric_commands: Vec<(String, String)>,
    /// Where these commands run; empty is where the program is.
    pub command_folder: PathBuf,
    /// Where and by whom.
    pub rig: RigRequest,
}

/// What a load is made for.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Aim {
    /// The highest rate within the thresholds, unless the profile is closed by its own word, gives rates itself, or has nothing that
    /// the thresholds limit: then its figures.
    #[default]
    Usual,
    /// What the storage does in the measured phase, with the load as the profile has it.
    Figures,
    /// What it does when it no longer changes: measured until five consecutive rounds are steady, each a fifth of the duration.
    Steady {
        /// Gives up after so long; `None` is 25 rounds.
        limit: Option<Duration>,
    },
    /// Whether it gives back what is written, with the load as the profile has it.
    Verify {
        /// An I/O that takes longer hangs; more than zero. `None` is [`iotrial_model::plan::IO_DEADLINE`].
        io_deadline: Option<Duration>,
        /// What the map of what was written may take, more than zero; `None` is [`iotrial_model::plan::Plan::map_memory_of`] the host's memory.
        map_memory: Option<ByteSize>,
    },
    /// The highest rate of the load's mix that stays within the limits.
    Capacity {
        /// On every stream; `None` is what the threshold set calls acceptable.
        limit: Option<LatencyLimit>,
        /// The rate that is needed, decided first; `None` seeks only the highest.
        need: Option<Need>,
    },
}

/// A sweep: kinds of I/O, each at several loads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SweepRequest {
    /// Kinds of I/O with their block sizes, none of them twice; empty is the usual choice. A published series has its own.
    pub patterns: Vec<LoadPattern>,
    /// How the outstanding I/Os of each kind are chosen.
    pub loads: SweepLoads,
    /// All files together, more than zero; `None` is 1 GiB for each target, at most what is free.
    pub size: Option<ByteSize>,
    /// Cache of the array or controller below the targets; files are made at least twice as large where no size is asked for.
    pub array_cache: Option<ByteSize>,
    /// How long a load is measured that has to last, more than zero; `None` is 10 s, or what the series says.
    pub step: Option<Duration>,
    /// Without load between one kind of I/O and the next; `None` is 2 s, or what the series says.
    pub idle: Option<Duration>,
    /// How often each load is measured; `None` is twice, of a grid once.
    pub repeats: Option<u32>,
    /// How long the load of a kind that writes runs on a volume before the kind is measured there, more than zero; `None` measures at
    /// once.
    pub precondition: Option<Duration>,
    /// Loads that write and have to last are measured until five consecutive rounds are steady, each a fifth of their time.
    pub until_steady: Option<SteadyWait>,
    /// Where and by whom.
    pub rig: RigRequest,
}

/// The wait for a steady state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SteadyWait {
    /// Gives up after so long; `None` is 25 rounds.
    pub limit: Option<Duration>,
}

/// Which loads a sweep measures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SweepLoads {
    /// Those that find the knee.
    #[default]
    Search,
    /// The same on the way to the storage instead of the storage: sequential I/O on files that a cache below holds.
    Channel,
    /// Exactly these outstanding I/Os; at least one.
    Grid(Vec<u32>),
    /// The series of the SQLIO paper.
    Sqlio {
        /// With the times of the paper.
        full: bool,
        /// Outstanding I/Os of every test, in the order of the load; empty for those of the paper.
        loads: Vec<u32>,
    },
}

/// A study, beside what its file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StudyRequest {
    /// What becomes of what was measured before.
    pub earlier: Earlier,
    /// The tokens that release the raw devices of the study, in the order in which it names them first; those of none, or of all.
    pub destroy: Vec<String>,
    /// Where records are kept; `None` is the platform's data folder.
    pub store: Option<PathBuf>,
    /// What the commands of the study print goes nowhere, unless it is an error.
    pub quiet: bool,
    /// Its records say nothing of whose machine it was; the journal of the study does.
    pub anonymous: bool,
    /// How the hosts of its targets are looked at before each load.
    pub host: HostLook,
}

/// What becomes of the measurements that a study has already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Earlier {
    /// There must be none.
    #[default]
    Refused,
    /// They stay, and what is missing or failed is measured.
    Resumed {
        /// Even where the study is not the one that was begun: what the changes touch is measured again.
        accepts_changes: bool,
    },
    /// They are put aside, and all is measured anew; their records stay in the store.
    PutAside,
}
