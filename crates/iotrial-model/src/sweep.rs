//! The record of a sweep: one pattern after the other, each at several loads.
//!
//! [`SweepRecord`] owns the file format `iotrial.sweep/1` (`docs/record.md`). As in a record of a run, it holds facts only.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::content::Checksum;
use crate::finding::RecordedFinding;
use crate::host_fact::HostReport;
pub use crate::load_pattern::{LoadPattern, PATTERN_WORDS, ParsePatternError};
use crate::plan::{EngineKind, PhaseKind, SimDevice};
use crate::priority::{GrantedPriority, Priority};
use crate::record::{
    AttributeValue, CpuUse, DeviceCounters, Ended, Host, HostActivity, JobCounts, LONGEST, Layout,
    MOST_COUNTED, TargetRecord, Tool, are_counts_in_range, are_devices_in_range, are_host_facts_in_range,
    written_host_facts,
};
use crate::units::{ByteSize, optional_seconds, seconds};

/// The value of `format` in the record of a sweep.
pub const SWEEP_FORMAT: &str = "iotrial.sweep/1";

/// What happened in one sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepRecord {
    /// [`SWEEP_FORMAT`]; a file with another format is not the record of a sweep and is not read as one.
    pub format: String,
    /// A ULID, made when the sweep was set up: unique, and in the order of time. The store names the file by it.
    pub id: String,
    /// What the user calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What distinguishes the configuration.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, AttributeValue>,
    /// The program that measured, with its method.
    pub tool: Tool,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// The machine that made the load.
    pub host: Host,
    /// What was read of the host and of what is below the volumes before the sweep began; `None` where the engine touches none, and in
    /// older records.
    #[serde(default, with = "written_host_facts", skip_serializing_if = "Option::is_none")]
    pub host_facts: Option<HostReport>,
    /// What other programs did on the host before and during the sweep; `None` where the engine touches no volume, and where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_activity: Option<HostActivity>,
    /// The volumes as they were found; empty where the engine touches none.
    pub targets: Vec<TargetRecord>,
    /// What was asked and decided for all probes.
    pub settings: SweepSettings,
    /// How the files came to be; `None` where nothing had to be laid out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// In the order in which they were made.
    pub probes: Vec<ProbeRecord>,
    /// How it ended.
    pub ended: Ended,
    /// What its checksum says of it. Whoever writes the file adds the key, as the last one.
    #[serde(default, skip_serializing)]
    pub checksum: Checksum,
}

/// What holds for all probes of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepSettings {
    /// How the loads are chosen.
    pub method: SweepMethod,
    /// Who carries the I/Os out.
    pub engine: EngineKind,
    /// Why it is another engine than asked for or than usual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_reason: Option<String>,
    /// The device, where the engine is `sim`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sim: Option<SimDevice>,
    /// Whether I/O goes past the page cache.
    pub direct: bool,
    /// How the threads rank among other programs.
    #[serde(default, skip_serializing_if = "Priority::is_normal")]
    pub priority: Priority,
    /// What was granted of that, as of the last probe; `None` where nothing was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted_priority: Option<GrantedPriority>,
    /// The first probe's; each later one has the next.
    pub seed: u64,
    /// Measured phase of a long probe.
    #[serde(rename = "step_s", with = "seconds")]
    pub step: Duration,
    /// Without load between one pattern and the next.
    #[serde(rename = "idle_s", with = "seconds")]
    pub idle: Duration,
    /// How often each load is measured.
    pub repeats: u32,
    /// How long the load of a pattern that writes ran on a volume before the pattern was measured there; `None` where nothing ran before.
    #[serde(
        rename = "precondition_s",
        with = "optional_seconds",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub precondition: Option<Duration>,
    /// Long probes of patterns that write were measured until they were steady, for at most this time; `None` where they were measured
    /// for a step.
    #[serde(
        rename = "until_steady_s",
        with = "optional_seconds",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub until_steady: Option<Duration>,
    /// Bytes of data on each volume.
    #[serde(rename = "sizes_bytes")]
    pub sizes: Vec<ByteSize>,
    /// Cache of the array or controller below the volumes, as the user gave it; absent where nobody did.
    #[serde(default, rename = "array_cache_bytes", skip_serializing_if = "Option::is_none")]
    pub array_cache: Option<ByteSize>,
    /// What was changed from what was asked, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How the loads of a sweep are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SweepMethod {
    /// By what the probes before them showed.
    Search,
    /// The user names every load.
    Grid,
    /// The test series of the SQLIO paper.
    Sqlio,
    /// A search on files so small that a cache below holds them: what is measured is the way to it.
    Channel,
}

/// One load on some volumes for some seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeRecord {
    /// The kind of I/O that it made.
    pub pattern: LoadPattern,
    /// Outstanding I/Os on each volume.
    pub outstanding: u32,
    /// Indices into [`SweepRecord::targets`]; 0 where the engine touches none.
    pub volumes: Vec<usize>,
    /// What it is for.
    pub purpose: ProbePurpose,
    /// Length of the measured phase.
    #[serde(rename = "measured_s", with = "seconds")]
    pub measured: Duration,
    /// What each volume did in the measured phase, in the order of `volumes`.
    pub counts: Vec<JobCounts>,
    /// All phases second by second, all volumes together.
    pub course: Vec<ProbeSecond>,
    /// Threads that drove the load, each on one CPU at a time: what the CPU time of the generator is a share of. `None` in older
    /// records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driving_threads: Option<u32>,
    /// CPU time over the measured phase; `None` where the clock is simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<CpuUse>,
    /// What the operating system counted at the devices below over the measured phase.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceCounters>,
    /// What the version that wrote it found. A sweep is shown with what is found in its facts instead, as far as they go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<RecordedFinding>,
}

/// What a probe is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProbePurpose {
    /// A short one that looks for the knee.
    Search,
    /// A long one beyond the knee: the rate that lasts.
    Sustained,
    /// A long one of a grid or a series.
    Grid,
    /// A long one on several volumes at once.
    Together,
}

impl ProbePurpose {
    /// The word for people and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Sustained => "sustained",
            Self::Grid => "grid",
            Self::Together => "together",
        }
    }
}

/// About one second of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ProbeSecond {
    /// Its phase; none crosses the border of one.
    pub phase: PhaseKind,
    /// Its length by the clock of the probe: about a second, the last of a phase may be shorter.
    #[serde(rename = "duration_s", with = "seconds")]
    pub duration: Duration,
    /// I/Os that succeeded.
    pub io_count: u64,
}

/// Why the record of a sweep contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckSweepError {
    /// The volumes of a probe are none, or not those that were counted.
    #[error("its probe {probe} has counts for volumes that it does not name")]
    Volumes {
        /// Place of the probe in the record, counting from 1.
        probe: usize,
    },
    /// A number is beyond what any sweep can reach.
    #[error("its {what} is out of range")]
    OutOfRange {
        /// The number in words that follow «its», such as `measured time`.
        what: &'static str,
    },
}

impl SweepRecord {
    /// Holds a record against itself, so that every sum and every index of the analysis is safe. Records come
    /// from strangers.
    ///
    /// # Errors
    ///
    /// The first contradiction.
    pub fn check(&self) -> Result<(), CheckSweepError> {
        let in_range =
            |what, holds: bool| if holds { Ok(()) } else { Err(CheckSweepError::OutOfRange { what }) };
        // A choice: more than a day of probes of one second each.
        in_range("number of probes", self.probes.len() <= 100_000)?;
        in_range("number of volumes", self.targets.len() <= 10_000)?;
        in_range("part of the host", self.host_facts.as_ref().is_none_or(are_host_facts_in_range))?;
        in_range("activity of the host", self.host_activity.as_ref().is_none_or(HostActivity::is_in_range))?;
        // Without targets there is one volume all the same: the engine itself.
        let volume_count = self.targets.len().max(1);
        for (index, probe) in self.probes.iter().enumerate() {
            let fits = (1..=volume_count).contains(&probe.volumes.len())
                && probe.volumes.len() == probe.counts.len()
                && probe.volumes.iter().all(|volume| *volume < volume_count);
            if !fits {
                return Err(CheckSweepError::Volumes { probe: index + 1 });
            }
            in_range("outstanding I/O", (1..=1 << 16).contains(&probe.outstanding))?;
            // No phase is planned longer (`LONGEST_PHASE`).
            in_range("measured time", probe.measured <= Duration::from_secs(30 * 86_400))?;
            in_range("CPU time", probe.cpu.as_ref().is_none_or(CpuUse::is_in_range))?;
            in_range("device count", are_devices_in_range(&probe.devices))?;
            let course_s = probe.course.iter().map(|second| second.duration.as_secs_f64()).sum::<f64>();
            in_range("course", course_s <= LONGEST.as_secs_f64())?;
        }
        in_range("layout", self.layout.as_ref().is_none_or(Layout::is_in_range))?;
        in_range("step", self.settings.step <= LONGEST && self.settings.idle <= LONGEST)?;
        let waits = [self.settings.precondition, self.settings.until_steady];
        in_range("wait for a steady state", waits.into_iter().flatten().all(|wait| wait <= LONGEST))?;
        in_range("size", self.settings.sizes.iter().all(|size| size.get() < MOST_COUNTED))?;
        // Of all probes together: those of a pattern, or of several volumes, are added.
        in_range("count", are_counts_in_range(self.probes.iter().flat_map(|probe| &probe.counts)))?;
        let seconds = self.probes.iter().flat_map(|probe| &probe.course);
        let io_count: u128 = seconds.map(|second| u128::from(second.io_count)).sum();
        in_range("count", io_count < u128::from(MOST_COUNTED))
    }
}
