//! What holds a rate at its ceiling, as a sweep found it: its kind, and the numbers that show it.

use crate::finding::Finding;
use crate::load::{Direction, words};
use crate::load_pattern::LoadPattern;

words! {
    /// What can hold a rate at its ceiling, as far as the loads of a sweep can tell. The names are an interface: `docs/json.md`.
    LimitKind {
        /// The load's host had no CPU left.
        Generator = "generator",
        /// A set limit on I/Os per second: constant rate while the device was partly idle.
        IopsCap = "iops-cap",
        /// A set limit on bytes per second: constant rate while the device was partly idle.
        BandwidthCap = "bandwidth-cap",
        /// The same I/Os per second in two block sizes: set, or of a device that takes as long for each of them.
        IopsLimit = "iops-limit",
        /// The same bytes per second in two block sizes: set, of the device, or of its path.
        BandwidthLimit = "bandwidth-limit",
        /// Of several volumes: bytes per second of the path that they share, or a limit of the machine.
        SharedPath = "shared-path",
        /// A rate held after a burst; a second block size tells which.
        RateCap = "rate-cap",
        /// What the device does at once.
        Device = "device",
        /// Of several volumes: a disk or device below all of them.
        SharedDevice = "shared-device",
        /// Of several volumes: nothing that they share, only each volume's own limit.
        NoneShared = "none-shared",
        /// Nothing: the highest load still did more.
        NotReached = "not-reached",
        /// The measurements do not tell.
        Unknown = "unknown",
    }
}

/// Which of two rates is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateUnit {
    /// I/Os per second.
    Iops,
    /// MiB per second.
    MibPerS,
}

/// What shows that a limit holds a rate. Rates are in I/Os per second unless they say otherwise.
#[derive(Debug, Clone, PartialEq)]
pub enum LimitCause {
    /// The generator was short of CPU, as the finding says.
    Generator(Box<Finding>),
    /// Those who made the load had no CPU left.
    BusyJobs {
        /// What each of them used, in percent of a CPU.
        cpu_percent: f64,
    },
    /// A rate stood still while the device idled.
    StoodStill {
        /// The rate.
        rate: f64,
        /// What it counts.
        unit: RateUnit,
        /// For how many seconds.
        seconds: f64,
        /// I/Os that were kept outstanding.
        outstanding: f64,
        /// How many times as long as one alone they took.
        wait_ratio: f64,
        /// How many of them the device was serving.
        in_work: f64,
    },
    /// The same cap as another kind of I/O on the volume shows.
    SameCap {
        /// The rate.
        rate: f64,
        /// What it counts.
        unit: RateUnit,
        /// The other kind of I/O.
        pattern: LoadPattern,
    },
    /// Of a mix, one direction does what a cap on it alone allows.
    CapOfDirection {
        /// The direction.
        direction: Direction,
        /// Its share of the I/Os, in percent.
        share_percent: u8,
        /// The cap.
        rate: f64,
        /// What it counts.
        unit: RateUnit,
        /// The kind of I/O, all of that direction, that shows the cap.
        pattern: LoadPattern,
    },
    /// A rate is the same in I/Os of another size.
    SameWithOtherSize(SameRate),
    /// The rate is still changing.
    Drift {
        /// At first.
        from_iops: f64,
        /// At last.
        to_iops: f64,
        /// For how many seconds it was watched.
        seconds: u64,
    },
    /// Only one load was measured.
    OneLoad {
        /// Its outstanding I/Os.
        outstanding: f64,
    },
    /// All loads that were measured are close together.
    LoadsTooClose {
        /// The least outstanding I/Os.
        least: f64,
        /// The most.
        most: f64,
    },
    /// The highest load still did more.
    StillRising {
        /// Its outstanding I/Os.
        most: u32,
        /// The highest rate.
        ceiling_iops: f64,
    },
    /// The rate was higher at first.
    BurstEnded {
        /// At first.
        burst_iops: f64,
        /// Later.
        iops: f64,
        /// Whether the generator waited for a CPU, which may be why.
        has_waited: bool,
    },
    /// The lowest load that was measured is at the knee or beyond it.
    BeyondKnee {
        /// Its outstanding I/Os.
        lowest: f64,
        /// The highest rate.
        ceiling_iops: f64,
        /// Whether the generator waited for a CPU.
        has_waited: bool,
    },
    /// Latency rises slowly below a knee and faster beyond.
    Knee {
        /// Outstanding I/Os there.
        outstanding: f64,
        /// Latency there, in µs.
        lat_mean_us: f64,
        /// Whether the generator waited for a CPU.
        has_waited: bool,
    },
    /// What several volumes do together, compared with what each does alone.
    Together {
        /// How many volumes.
        volume_count: usize,
        /// What they do together.
        iops: f64,
        /// The sum of what each does alone.
        sum_of_alone_iops: f64,
        /// Why.
        cause: TogetherCause,
    },
}

/// A rate that is the same in I/Os of two sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SameRate {
    /// What it counts.
    pub unit: RateUnit,
    /// Size of the smaller I/Os, in bytes, and their rate.
    pub small: (u64, f64),
    /// The same of the larger ones.
    pub large: (u64, f64),
}

/// Devices that several targets lie on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedOn {
    /// Their kernel names.
    pub names: Vec<String>,
    /// Whether nothing is known to carry them.
    pub are_disks: bool,
}

/// Why volumes do together what they do.
#[derive(Debug, Clone, PartialEq)]
pub enum TogetherCause {
    /// They do what they do alone; the limit of all of them, where it is of one kind.
    NoneShared(Option<(LimitKind, Box<LimitCause>)>),
    /// Their load by itself shows a limit; and what they lie on.
    Shown(Box<LimitCause>, Option<SharedOn>),
    /// They lie on the same device.
    SameDevice {
        /// That device.
        on: SharedOn,
        /// A rate that is the same in I/Os of another size.
        same_rate: Option<SameRate>,
        /// Whether the generator waited for a CPU as well.
        has_waited: bool,
    },
    /// The generator waited for a CPU.
    HasWaited,
    /// A rate is the same in I/Os of another size.
    SameWithOtherSize(SameRate),
    /// The measurements do not tell.
    Unknown,
}
