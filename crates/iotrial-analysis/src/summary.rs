//! The summary of a result: every figure that reports show, under the names of the `--json` interface.

use std::collections::{BTreeMap, BTreeSet};

use iotrial_model::bound::Bounded;
use iotrial_model::figure::CpuFigure;
use iotrial_model::finding::Finding;
use iotrial_model::imported::{Source, StatedCpu, Warning};
use iotrial_model::load::{Direction, Role};
use iotrial_model::metric::{APPLICATION, MetricKey};
use iotrial_model::plan::{Arrival, EngineKind};
use iotrial_model::record::{CpuUse, EndedHow, HostActivity};
use iotrial_model::search::Search;
use iotrial_model::setting::SettingReserve;
use iotrial_model::subject::{CpuTime, Device, Facts, Ops, Subject, SubjectJob};
use iotrial_model::verification::Verification;
use serde::{Serialize, Serializer};

use crate::device_chain::{ChainStep, StepFlow};
use crate::findings::{Observed, findings};
use crate::possible_cause::{PossibleCause, possible_causes};
use crate::settings::{Setting, settings_of_run};
use crate::steady_state::SteadyState;
use crate::stream::Streams;
use crate::threshold::ThresholdSet;
use crate::verdict::{Capacity, Outcome, StepResult, Verdict, as_answered, judge};

/// A result in figures. It is written as the document of a run or of an imported result, whose keys are interfaces: `docs/json.md`.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Where it comes from; `None` of a run of iotrial.
    pub source: Option<Source>,
    /// How the run ended; `None` where a source does not say so.
    pub ended: Option<EndedHow>,
    /// Why, unless it is complete; of one that ran until it was steady, after how long it was.
    pub ended_reason: Option<String>,
    /// What the figures mean.
    pub verdict: Verdict,
    /// The time that was measured; `None` where it is not stated.
    pub measured_s: Option<f64>,
    /// Whether the rate had stopped changing; `None` where too little was measured to say.
    pub steady_state: Option<SteadyState>,
    /// What came of each step of a load that changes; empty where it does not. All other figures are then those of the peak.
    pub steps: Vec<StepResult>,
    /// All jobs together.
    pub total: Streams,
    /// Reads and writes as one, and the bytes of both; `None` of a result of which no bytes are known.
    pub together: Option<Together>,
    /// What is known of all jobs together only as a bound, by metric.
    pub bounds: BTreeMap<String, Bounded>,
    /// Figures of an application that belong to it, by name.
    pub metrics: BTreeMap<String, f64>,
    /// All jobs of a role together, of what was counted; empty where a source states the jobs.
    pub roles: BTreeMap<Role, Streams>,
    /// Each job, in the order of the plan or of the source.
    pub jobs: Vec<JobSummary>,
    /// CPU time; `None` where the clock is simulated, and where it is not known.
    pub cpu: Option<CpuSummary>,
    /// What other programs did on the host before and during the load; `None` where nobody looked.
    pub host_activity: Option<HostActivity>,
    /// What the operating system counted at the devices below; `None` where nothing is known of that.
    pub device: Option<DeviceFigures>,
    /// The highest rate within limits, and what is needed of it; absent where no search was made.
    pub capacity: Option<Capacity>,
    /// The search for it, load by load.
    pub search: Option<Search>,
    /// What the storage gave back of what was written; absent where nobody compared.
    pub verification: Option<Verification>,
    /// Settings of the database that follow from it, as proposals; empty where nothing follows.
    pub settings: Vec<Setting>,
    /// What the reader should know, the most serious first.
    pub findings: Vec<Finding>,
    /// Settings of the host that may be why it is too slow; empty where it is not, and where nobody read the host.
    pub possible_causes: Vec<PossibleCause>,
    /// What an import did not understand.
    pub warnings: Vec<Warning>,
}

/// The document of a run. What could not be measured is null.
#[derive(Serialize)]
struct RunDocument<'s> {
    ended: Option<EndedHow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_reason: Option<&'s str>,
    #[serde(serialize_with = "iotrial_words::verdict::in_json")]
    verdict: &'s Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    capacity: Option<&'s Capacity>,
    measured_s: Option<f64>,
    #[serde(skip_serializing_if = "<[StepResult]>::is_empty")]
    steps: &'s [StepResult],
    steady_state: Option<&'s SteadyState>,
    total: &'s Streams,
    #[serde(skip_serializing_if = "Option::is_none")]
    together: Option<&'s Together>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metrics: &'s BTreeMap<String, f64>,
    roles: &'s BTreeMap<Role, Streams>,
    jobs: &'s [JobSummary],
    cpu: Option<&'s CpuSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host_activity: Option<&'s HostActivity>,
    device: Option<&'s DeviceFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<&'s Search>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification: Option<&'s Verification>,
    #[serde(skip_serializing_if = "<[Setting]>::is_empty")]
    settings: &'s [Setting],
    #[serde(serialize_with = "iotrial_words::finding::in_json")]
    findings: &'s [Finding],
    #[serde(skip_serializing_if = "<[PossibleCause]>::is_empty")]
    possible_causes: &'s [PossibleCause],
}

/// The document of an imported result, without what no source states.
#[derive(Serialize)]
struct ImportDocument<'s> {
    source: &'s Source,
    #[serde(serialize_with = "iotrial_words::verdict::in_json")]
    verdict: &'s Verdict,
    measured_s: Option<f64>,
    total: &'s Streams,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    bounds: &'s BTreeMap<String, Bounded>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metrics: &'s BTreeMap<String, f64>,
    jobs: &'s [JobSummary],
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu: Option<&'s CpuSummary>,
    #[serde(serialize_with = "iotrial_words::finding::in_json")]
    findings: &'s [Finding],
    warnings: &'s [Warning],
}

impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(source) = &self.source {
            let document = ImportDocument {
                source,
                verdict: &self.verdict,
                measured_s: self.measured_s,
                total: &self.total,
                bounds: &self.bounds,
                metrics: &self.metrics,
                jobs: &self.jobs,
                cpu: self.cpu.as_ref(),
                findings: &self.findings,
                warnings: &self.warnings,
            };
            return document.serialize(serializer);
        }
        let document = RunDocument {
            ended: self.ended,
            ended_reason: self.ended_reason.as_deref(),
            verdict: &self.verdict,
            capacity: self.capacity.as_ref(),
            measured_s: self.measured_s,
            steps: &self.steps,
            steady_state: self.steady_state.as_ref(),
            total: &self.total,
            together: self.together.as_ref(),
            metrics: &self.metrics,
            roles: &self.roles,
            jobs: &self.jobs,
            cpu: self.cpu.as_ref(),
            host_activity: self.host_activity.as_ref(),
            device: self.device.as_ref(),
            search: self.search.as_ref(),
            verification: self.verification.as_ref(),
            settings: &self.settings,
            findings: &self.findings,
            possible_causes: &self.possible_causes,
        };
        document.serialize(serializer)
    }
}

/// Reads and writes of all jobs as one: what else would be added up by hand.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Together {
    /// I/Os per second.
    pub iops: f64,
    /// MiB per second.
    pub bandwidth_mib_per_s: f64,
    /// Read in the measured phase.
    pub read_bytes: u64,
    /// Written in the measured phase.
    pub write_bytes: u64,
}

impl Together {
    pub(crate) fn of(subject: &Subject<'_>) -> Option<Self> {
        Self::of_parts(&subject.parts(), subject.measured_s()?)
    }

    /// Of parts that ran at once, for so long.
    pub(crate) fn of_parts(parts: &[Ops<'_>], measured_s: f64) -> Option<Self> {
        if measured_s <= 0.0 {
            return None;
        }
        // What is not there moved nothing; what is there and not known leaves the sum unknown.
        let (mut moved, mut count) = ([0_u64; 2], 0_u64);
        for (at, direction) in [Direction::Read, Direction::Write].into_iter().enumerate() {
            for facts in parts.iter().filter_map(|ops| ops.get(direction)) {
                moved[at] = moved[at].checked_add(facts.bytes()?)?;
                count = count.checked_add(facts.io_count()?)?;
            }
        }
        let [read_bytes, write_bytes] = moved;
        let bytes = read_bytes.checked_add(write_bytes).filter(|bytes| *bytes > 0)?;
        Some(Self {
            iops: count as f64 / measured_s,
            bandwidth_mib_per_s: bytes as f64 / measured_s / 1_048_576.0,
            read_bytes,
            write_bytes,
        })
    }
}

/// What one job did: its figures, and whether it kept its rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobSummary {
    /// Its name in the plan, or as the source calls it.
    pub name: String,
    /// What it stands for, where somebody said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// What came to be due, where it does not issue its I/Os when others complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// Figures of each stream, over all copies of the job.
    #[serde(flatten)]
    pub streams: Streams,
}

/// What came to be due at a job, I/Os or the commits of a group commit, and what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Arrivals {
    /// The rate that was asked; `None` of a job that follows another.
    pub asked_iops: Option<f64>,
    /// What was done, by the second of the measured phase.
    pub done_iops: f64,
    /// What was due and not even issued at the end of the load.
    pub not_issued_count: u64,
}

impl JobSummary {
    /// Every job, in its order.
    pub(crate) fn all(subject: &Subject<'_>) -> Vec<Self> {
        subject.jobs.iter().enumerate().map(|(index, job)| Self::of(subject, index, job)).collect()
    }

    fn of(subject: &Subject<'_>, index: usize, job: &SubjectJob<'_>) -> Self {
        Self {
            name: job.name.to_string(),
            role: job.role,
            arrivals: Arrivals::of(subject, index, job),
            streams: Streams::of_ops(&job.ops),
        }
    }
}

impl Arrivals {
    fn of(subject: &Subject<'_>, index: usize, job: &SubjectJob<'_>) -> Option<Self> {
        let planned = job.planned?;
        let asked_iops = match planned.arrival {
            Arrival::Closed => return None,
            Arrival::Open { .. } => job.load.rate_iops,
            Arrival::Following { .. } => None,
        };
        let measured_s = subject.measured.map(|measured| measured.as_secs_f64()).filter(|s| *s > 0.0)?;
        let done: u64 = job.arrivals().filter_map(Facts::io_count).sum();
        let backlog = subject.intervals.counted().last().and_then(|last| last.backlog.get(index));
        let not_issued_count = backlog.copied().unwrap_or_default();
        Some(Self { asked_iops, done_iops: done as f64 / measured_s, not_issued_count })
    }
}

/// CPU time over the measured phase, with what its source knows of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CpuSummary {
    /// Of the generator of iotrial, and of the host beside it.
    Counted(CpuFigures),
    /// As a source states it.
    Stated(StatedCpu),
}

/// CPU time of the generator over the measured phase.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CpuFigures {
    /// In user space, as a share of all CPUs of the host.
    pub usr_percent: f64,
    /// In the kernel, as a share of all CPUs of the host.
    pub sys_percent: f64,
    /// The part of both in which threads only watched the clock, as a share of all CPUs of the host.
    pub watched_percent: f64,
    /// User and kernel time for one I/O that succeeded, without the watching; `None` without I/Os.
    pub per_io_us: Option<f64>,
    /// Anything but idle and waiting, of the whole host; `None` where it could not be read.
    pub host_busy_percent: Option<f64>,
    /// Taken by the hypervisor; `None` where it could not be read.
    pub host_steal_percent: Option<f64>,
    /// Of the one thread that used most beside watching the clock, as a share of one CPU; `None` where it could not be read.
    pub busiest_thread_percent: Option<f64>,
    /// Time that threads of the generator were ready to run and had no CPU, summed over the threads, per second; `None`
    /// where the kernel does not count it.
    pub run_queue_delay_ms_per_s: Option<f64>,
    /// Time in which the kernel's threads that complete I/Os were ready to run and had no CPU, beyond what is usual, in ms per second, summed
    /// over the threads; `None` where the system does not show them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_io_delay_ms_per_s: Option<f64>,
    /// How often a thread of the generator lost its CPU without having asked to wait, per second; `None` where it could
    /// not be read.
    pub involuntary_switches_per_s: Option<f64>,
}

/// What a device counted over the measured phase, as far as it is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceCount {
    /// As the operating system calls it.
    pub name: String,
    /// Reads that the device completed.
    pub read_count: Option<u64>,
    /// Reads that were merged into others before.
    pub read_merge_count: Option<u64>,
    /// Bytes that it read.
    pub read_bytes: Option<u64>,
    /// Writes that the device completed.
    pub write_count: Option<u64>,
    /// Writes that were merged into others before.
    pub write_merge_count: Option<u64>,
    /// Bytes that it wrote.
    pub write_bytes: Option<u64>,
    /// Flushes completed; 0 where the kernel does not count them.
    pub flush_count: Option<u64>,
    /// Share of the time in which it had something to do, as a source states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_percent: Option<f64>,
}

impl DeviceCount {
    fn of(device: &Device<'_>) -> Self {
        Self {
            name: device.name.to_owned(),
            read_count: device.read.io_count,
            read_merge_count: device.read.merge_count,
            read_bytes: device.read.bytes,
            write_count: device.write.io_count,
            write_merge_count: device.write.merge_count,
            write_bytes: device.write.bytes,
            flush_count: device.flush_count,
            busy_percent: device.busy_percent.map(|stated| stated.value),
        }
    }
}

/// What was issued against what the devices below counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceFigures {
    /// Each device, as counted.
    pub devices: Vec<DeviceCount>,
    /// Bytes that the nearest devices read for each byte that was read; `None` where nothing was read, or where it cannot
    /// be told.
    pub read_bytes_ratio: Option<f64>,
    /// Bytes that the nearest devices wrote for each byte that was written; `None` where nothing was written, or where it
    /// cannot be told.
    pub write_bytes_ratio: Option<f64>,
    /// The way from the load down through the devices.
    pub steps: Vec<ChainStep>,
}

impl Summary {
    /// Computes every figure of a result, and judges them.
    pub fn new(subject: &Subject<'_>, thresholds: &ThresholdSet) -> Self {
        let observed = Observed::of(subject);
        // With steps they are those of all of them, and what is observed here is the peak.
        let findings = if subject.steps.is_empty() { observed.findings() } else { findings(subject) };
        let verdict = judge(subject, &findings, thresholds);
        Self {
            source: subject.source.cloned(),
            ended: subject.ended.map(|ended| ended.how),
            ended_reason: subject.ended.and_then(|ended| ended.reason.clone()),
            measured_s: subject.measured_s(),
            steps: StepResult::all(subject, thresholds),
            total: Streams::of(subject),
            together: Together::of(subject),
            bounds: subject.bounds.iter().map(|one| (one.metric.clone(), one.bounded())).collect(),
            metrics: subject
                .other
                .iter()
                .filter_map(|(key, stated)| match MetricKey::from_key(key)? {
                    MetricKey::Named { place, name } if place == APPLICATION => Some((name, stated.value)),
                    _ => None,
                })
                .collect(),
            roles: by_role(subject),
            jobs: JobSummary::all(subject),
            cpu: subject.cpu.map(CpuSummary::of),
            host_activity: subject.host_activity.cloned(),
            device: device_figures(subject, observed.steps()),
            capacity: Capacity::of(subject, &verdict),
            search: as_answered(subject, &verdict),
            verification: subject.verification.cloned(),
            settings: {
                let reserve = reserve_of(subject, &verdict);
                settings_of_run(subject).into_iter().map(|one| one.with_reserve(reserve)).collect()
            },
            possible_causes: possible_causes(subject, &verdict),
            verdict,
            findings,
            warnings: subject.warnings.to_vec(),
            steady_state: observed.into_steady(),
        }
    }
}

/// Why the figures may not be those of a device.
fn reserve_of(subject: &Subject<'_>, verdict: &Verdict) -> Option<SettingReserve> {
    match verdict.outcome {
        _ if subject.engine.is_some_and(EngineKind::is_simulated) => Some(SettingReserve::Simulated),
        Outcome::Inconclusive => Some(SettingReserve::Inconclusive),
        Outcome::Qualified | Outcome::NotQualified => None,
    }
}

/// What was counted was given its role before it ran; where a source states the jobs, their roles are only what somebody said
/// of them.
pub(crate) fn by_role(subject: &Subject<'_>) -> BTreeMap<Role, Streams> {
    let counted = subject.jobs.iter().filter(|job| job.is_counted());
    let roles: BTreeSet<Role> = counted.filter_map(|job| job.role).collect();
    roles.into_iter().map(|role| (role, Streams::of_role(subject, role))).collect()
}

impl CpuSummary {
    fn of(cpu: CpuTime<'_>) -> Self {
        match cpu {
            CpuTime::Counted { used, all_cpu_count, .. } => {
                Self::Counted(CpuFigures::of(cpu, used, all_cpu_count))
            }
            CpuTime::Stated(stated) => Self::Stated(*stated),
        }
    }
}

impl CpuFigures {
    fn of(cpu: CpuTime<'_>, used: &CpuUse, all_cpu_count: u32) -> Self {
        let available_s = used.wall.as_secs_f64() * f64::from(all_cpu_count);
        let percent = |used_s: f64| if available_s > 0.0 { 100.0 * used_s / available_s } else { 0.0 };
        let per_s = |amount: f64| (!used.wall.is_zero()).then(|| amount / used.wall.as_secs_f64());
        Self {
            usr_percent: cpu.get(CpuFigure::User).unwrap_or_default(),
            sys_percent: cpu.get(CpuFigure::System).unwrap_or_default(),
            watched_percent: percent(used.watched_s),
            per_io_us: cpu.get(CpuFigure::PerIo),
            host_busy_percent: used.host_busy_s.map(percent),
            host_steal_percent: used.host_steal_s.map(percent),
            busiest_thread_percent: used.busiest_s().and_then(per_s).map(|share| 100.0 * share),
            run_queue_delay_ms_per_s: used.run_queue_delay_s.and_then(per_s).map(|share| 1e3 * share),
            kernel_io_delay_ms_per_s: used.kernel_io_delay_s.and_then(per_s).map(|share| 1e3 * share),
            involuntary_switches_per_s: used.involuntary_switch_count.and_then(|count| per_s(count as f64)),
        }
    }
}

fn device_figures(subject: &Subject<'_>, steps: &[ChainStep]) -> Option<DeviceFigures> {
    if subject.devices.is_empty() {
        return None;
    }
    // From several parts of the load, where they have devices of their own.
    let first: Vec<&ChainStep> = steps.iter().filter(|step| step.is_from_load()).collect();
    let ratio = |flow: fn(&ChainStep) -> &StepFlow| {
        let above: u64 = first.iter().map(|step| flow(step).above_bytes).sum();
        let below: u64 = first.iter().map(|step| flow(step).below_bytes).sum();
        (above > 0).then(|| below as f64 / above as f64)
    };
    Some(DeviceFigures {
        devices: subject.devices.iter().map(DeviceCount::of).collect(),
        read_bytes_ratio: ratio(|step| &step.read),
        write_bytes_ratio: ratio(|step| &step.write),
        steps: steps.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use iotrial_model::record::RunRecord;

    use super::*;
    use crate::test_record::healthy;

    fn summary_of(record: &RunRecord) -> serde_json::Value {
        let thresholds = ThresholdSet::builtin("flash").unwrap();
        serde_json::to_value(Summary::new(&Subject::of_run(record), &thresholds)).unwrap()
    }

    fn keys(value: &serde_json::Value) -> Vec<&str> {
        value.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn roles_and_jobs_have_the_streams_of_their_load() {
        let summary = summary_of(&healthy());
        assert_eq!(keys(&summary["roles"]), ["data", "log"]);
        assert_eq!(keys(&summary["roles"]["data"]), ["read", "write"]);
        assert_eq!(keys(&summary["roles"]["log"]), ["commit", "write"]);
        assert_eq!(keys(&summary["jobs"][1]), ["commit", "name", "role", "write"]);
    }

    #[test]
    fn total_is_the_sum_of_the_jobs_and_percentiles_come_from_merged_histograms() {
        let summary = summary_of(&healthy());
        assert_eq!(summary["total"]["read"]["iops"], 8_000.0);
        assert_eq!(summary["total"]["write"]["iops"], 10_000.0);
        assert_eq!(summary["total"]["commit"]["iops"], 2_000.0);
        assert_eq!(summary["total"]["write"]["lat_p99_us"], 500.0);
        assert_eq!(summary["measured_s"], 300.0);
    }

    #[test]
    fn an_open_job_shows_what_was_asked_beside_what_was_done_and_what_still_waits() {
        let mut record = healthy();
        assert_eq!(summary_of(&record)["jobs"][0].get("arrivals"), None);
        record.plan.jobs[0].arrival =
            Arrival::Open { iops: 20_000.0, spacing: iotrial_model::load::Spacing::Poisson, bursts: None };
        record.intervals.last_mut().unwrap().backlog = vec![1_200_000, 0];
        let arrivals = &summary_of(&record)["jobs"][0]["arrivals"];
        assert_eq!((&arrivals["asked_iops"], &arrivals["done_iops"]), (&20_000.0.into(), &16_000.0.into()));
        assert_eq!(arrivals["not_issued_count"], 1_200_000);
    }

    #[test]
    fn cpu_is_a_share_of_all_cpus_and_devices_are_held_against_what_was_issued() {
        let summary = summary_of(&healthy());
        // A tenth of one of four CPUs in user space, a fifth in the kernel, for 18,000 I/Os a second.
        assert_eq!(
            (&summary["cpu"]["usr_percent"], &summary["cpu"]["sys_percent"]),
            (&2.5.into(), &5.0.into())
        );
        let per_io_us = summary["cpu"]["per_io_us"].as_f64().unwrap();
        assert!((per_io_us - 0.3e6 / 18_000.0).abs() < 1e-9, "{per_io_us}");
        assert_eq!(summary["device"]["read_bytes_ratio"], 1.0);
    }
}
