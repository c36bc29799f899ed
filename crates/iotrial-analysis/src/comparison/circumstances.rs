//! What was measured: where, under what load, when, and by what. A figure without these is an opinion.

use iotrial_model::circumstances::{EngineInBrief, LoadInBrief, ToolInBrief};
use iotrial_model::load::Role;
use iotrial_model::plan::EngineDevice;
use iotrial_model::record::TargetRecord;
use iotrial_model::subject::{Machine, Subject, SubjectJob};
use iotrial_model::units::ByteSize;
use iotrial_words::circumstances as words;
use serde::{Serialize, Serializer};

/// The circumstances of all runs of a configuration, or of one; each once, in the order in which they occur.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Circumstances {
    /// Whether a device was simulated, or none was there: the figures then say nothing about any storage.
    pub is_simulated: bool,
    /// The machines that measured.
    pub hosts: Vec<HostFacts>,
    /// What the load worked on; empty where that is not known.
    pub targets: Vec<TargetFacts>,
    /// Profile, block sizes and outstanding I/Os.
    #[serde(serialize_with = "loads_in_words")]
    pub loads: Vec<LoadInBrief>,
    /// What made the I/Os, and how.
    #[serde(serialize_with = "engines_in_words")]
    pub engines: Vec<EngineInBrief>,
    /// When each run began: RFC 3339, UTC, or whichever time its source states.
    pub measured_at: Vec<String>,
    /// What measured, with its version where that is known.
    #[serde(serialize_with = "tools_in_words")]
    pub tools: Vec<ToolInBrief>,
}

pub(super) fn loads_in_words<S: Serializer>(all: &[LoadInBrief], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(words::load))
}

fn engines_in_words<S: Serializer>(all: &[EngineInBrief], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(words::engine))
}

fn tools_in_words<S: Serializer>(all: &[ToolInBrief], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(words::tool))
}

/// A machine, as far as a reader of a page wants to know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostFacts {
    /// Network name; empty where it is not known.
    pub name: String,
    /// Operating system and its version; empty where it is not known.
    pub os: String,
    /// How many logical CPUs it has.
    pub cpu_count: Option<u32>,
    /// Its main memory, in bytes.
    #[serde(rename = "memory_bytes")]
    pub memory: Option<ByteSize>,
    /// Hypervisor or cloud, where it shows.
    pub virtualization: Option<String>,
}

/// A directory, file or device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TargetFacts {
    /// Where it is.
    pub path: String,
    /// Whose files lie there, where roles have targets of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// Type of the file system, such as `ext4`.
    pub filesystem: Option<String>,
    /// The block device below, with its model where that is known.
    pub device: Option<String>,
}

impl Circumstances {
    /// Those of several results together.
    pub fn of_all<'r>(subjects: impl Iterator<Item = Subject<'r>>) -> Self {
        let mut all = Self::default();
        subjects.for_each(|subject| all.merge(Self::of(&subject)));
        all
    }

    /// Those of one result.
    pub fn of(subject: &Subject<'_>) -> Self {
        let device = subject.engine.map(|engine| engine.facts().device);
        let stated_targets = || {
            let paths = subject.jobs.iter().flat_map(|job| &job.load.targets);
            paths.map(|path| TargetFacts {
                path: path.clone(),
                roles: Vec::new(),
                filesystem: None,
                device: None,
            })
        };
        let mut all = Self {
            is_simulated: device.is_some_and(|device| device != EngineDevice::Real),
            hosts: host_of(subject).into_iter().collect(),
            loads: load_of(subject).into_iter().collect(),
            engines: engine_of(subject).into_iter().collect(),
            measured_at: subject.measured_at.map(str::to_owned).into_iter().collect(),
            tools: tool_of(subject).into_iter().collect(),
            targets: Vec::new(),
        };
        let targets = subject.targets.iter().map(TargetFacts::of);
        // What another tool worked on is stated job by job.
        add(&mut all.targets, targets.chain(stated_targets().filter(|_| subject.targets.is_empty())));
        all
    }

    /// Where figures were printed that nobody measured here.
    pub fn printed_in(&self) -> Vec<&str> {
        let names = self.tools.iter().filter_map(|tool| match tool {
            ToolInBrief::PrintedIn(name) => Some(name.as_str()),
            ToolInBrief::Tool { .. } => None,
        });
        names.collect()
    }

    /// Takes those of another run of the same configuration in.
    pub(super) fn merge(&mut self, other: Self) {
        self.is_simulated |= other.is_simulated;
        add(&mut self.hosts, other.hosts);
        add(&mut self.targets, other.targets);
        add(&mut self.loads, other.loads);
        add(&mut self.engines, other.engines);
        add(&mut self.measured_at, other.measured_at);
        add(&mut self.tools, other.tools);
    }
}

/// The values, each of them once.
fn add<T: PartialEq>(known: &mut Vec<T>, more: impl IntoIterator<Item = T>) {
    for one in more {
        if !known.contains(&one) {
            known.push(one);
        }
    }
}

impl HostFacts {
    fn of(host: Machine<'_>) -> Self {
        Self {
            name: host.name.unwrap_or_default().to_owned(),
            os: host.os.unwrap_or_default().to_owned(),
            // Another tool counts those of the whole host.
            cpu_count: host.cpu_count.or(host.host_cpu_count),
            memory: host.memory,
            virtualization: host.virtualization.map(str::to_owned),
        }
    }
}

impl TargetFacts {
    fn of(target: &TargetRecord) -> Self {
        let device = target.devices.first().map(|device| match &device.model {
            Some(model) => format!("{}, {}", device.name, model.trim()),
            None => device.name.clone(),
        });
        let TargetRecord { path, roles, filesystem, .. } = target.clone();
        Self { path, roles, filesystem, device }
    }
}

fn host_of(subject: &Subject<'_>) -> Option<HostFacts> {
    let known = |host: &HostFacts| !host.name.is_empty() || host.cpu_count.is_some();
    subject.host.map(HostFacts::of).filter(known)
}

fn load_of(subject: &Subject<'_>) -> Option<LoadInBrief> {
    let mut block_sizes: Vec<String> = Vec::new();
    for job in &subject.jobs {
        add(&mut block_sizes, sizes_of(job));
    }
    let outstanding: Option<u64> = subject.jobs.iter().map(outstanding_of).sum();
    let peak = subject.peak.and_then(|peak| subject.steps.get(peak));
    let load = LoadInBrief {
        profile: subject.plan.map(|_| subject.profile().to_owned()),
        is_quick: subject.plan.is_some_and(|plan| plan.quick),
        job_count: subject.jobs.len() as u64,
        block_sizes,
        outstanding: outstanding.filter(|count| *count > 0),
        figures_of: peak.map(|step| step.label()),
    };
    load.is_known().then_some(load)
}

fn sizes_of(job: &SubjectJob<'_>) -> Vec<String> {
    match job.planned {
        Some(planned) => vec![planned.block_size.to_string()],
        None => job.load.block_sizes.iter().map(|one| one.size.to_string()).collect(),
    }
}

fn outstanding_of(job: &SubjectJob<'_>) -> Option<u64> {
    let load = &job.load;
    load.outstanding.or_else(|| Some(load.numjobs.unwrap_or(1) * load.iodepth?))
}

fn engine_of(subject: &Subject<'_>) -> Option<EngineInBrief> {
    let stated = subject.jobs.iter().find_map(|job| job.load.engine.clone());
    let name = subject.engine.map(|engine| engine.as_str().to_owned()).or(stated)?;
    let touches = subject.engine.is_none_or(|engine| engine.touches_targets());
    let direct = subject.direct.or_else(|| subject.jobs.iter().find_map(|job| job.load.direct));
    Some(EngineInBrief { name, direct: direct.filter(|_| touches) })
}

fn tool_of(subject: &Subject<'_>) -> Option<ToolInBrief> {
    let name = subject.tool_name()?.to_owned();
    if subject.is_printed() {
        return Some(ToolInBrief::PrintedIn(name));
    }
    let own = subject.tool.map(|tool| &tool.version);
    let version = own.or_else(|| subject.source?.version.as_ref());
    Some(ToolInBrief::Tool { name, version: version.cloned() })
}
