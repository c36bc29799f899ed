//! The summary of a record: every figure that reports show, under the names of the `--json` interface.

use std::collections::BTreeMap;

use iotrial_model::load::{Direction, Role};
use iotrial_model::record::{CpuUse, DeviceCounters, EndedHow, Finding, JobCounts, OpCounts, RunRecord};
use serde::Serialize;

use crate::steady_state::SteadyState;
use crate::stream::{StreamCounts, Streams};
use crate::verdict::Verdict;

/// A record in figures. Its keys are an interface: `docs/json.md`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// How the run ended.
    pub ended: EndedHow,
    /// What the figures mean.
    pub verdict: Verdict,
    /// The time that was measured.
    pub measured_s: f64,
    /// Whether the rate had stopped changing; `None` where too little was measured to say.
    pub steady_state: Option<SteadyState>,
    /// All jobs together.
    pub total: Streams,
    /// All jobs of a role together.
    pub roles: BTreeMap<Role, Streams>,
    /// Each job, in the order of the plan.
    pub jobs: Vec<JobSummary>,
    /// CPU; `None` where the clock is simulated.
    pub cpu: Option<CpuFigures>,
    /// What the operating system counted at the devices below; `None` where nothing could be read.
    pub device: Option<DeviceFigures>,
    /// What the reader should know, the most serious first.
    pub findings: Vec<Finding>,
}

/// One job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobSummary {
    /// Its name in the plan.
    pub name: String,
    /// What it stands for.
    pub role: Role,
    /// Its streams.
    #[serde(flatten)]
    pub streams: Streams,
}

/// CPU time of the generator over the measured phase.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CpuFigures {
    /// In user space, as a share of all CPUs of the host.
    pub usr_percent: f64,
    /// In the kernel, as a share of all CPUs of the host.
    pub sys_percent: f64,
    /// User and kernel time for one I/O that succeeded; `None` without I/Os.
    pub per_io_us: Option<f64>,
    /// Anything but idle and waiting, of the whole host; `None` where it could not be read.
    pub host_busy_percent: Option<f64>,
    /// Taken by the hypervisor; `None` where it could not be read.
    pub host_steal_percent: Option<f64>,
}

/// What was issued against what the devices below counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceFigures {
    /// Each device, as counted.
    pub devices: Vec<DeviceCounters>,
    /// Bytes that the devices read for each byte that was read; `None` where nothing was read.
    pub read_bytes_ratio: Option<f64>,
    /// Bytes that the devices wrote for each byte that was written; `None` where nothing was written.
    pub write_bytes_ratio: Option<f64>,
}

impl Summary {
    /// Computes every figure of a record.
    pub fn new(record: &RunRecord, verdict: Verdict) -> Self {
        let role_of = |job: usize| record.plan.jobs[job].role;
        let streams_of = |select: &dyn Fn(usize) -> bool| StreamCounts::of(record, select).figures(record);
        let mut findings = record.findings.clone();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let total = StreamCounts::of(record, |_| true);
        Self {
            ended: record.ended.how,
            verdict,
            measured_s: record.measured_duration().as_secs_f64(),
            steady_state: SteadyState::of(record),
            total: total.figures(record),
            roles: record
                .roles()
                .into_iter()
                .map(|role| (role, streams_of(&|job| role_of(job) == role)))
                .collect(),
            jobs: record
                .plan
                .jobs
                .iter()
                .enumerate()
                .map(|(index, job)| JobSummary {
                    name: job.name.clone(),
                    role: job.role,
                    streams: streams_of(&|other| other == index),
                })
                .collect(),
            cpu: record.cpu.as_ref().map(|cpu| cpu_figures(cpu, record.host.cpu_count, &total.counts)),
            device: device_figures(&record.devices, &total.counts),
            findings,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "shares to 15 digits")]
fn cpu_figures(cpu: &CpuUse, cpu_count: u32, total: &JobCounts) -> CpuFigures {
    let available_s = cpu.wall.as_secs_f64() * f64::from(cpu_count);
    let percent = |used_s: f64| if available_s > 0.0 { 100.0 * used_s / available_s } else { 0.0 };
    let io_count: u64 = Direction::ALL.iter().filter_map(|one| total.get(*one)).map(OpCounts::io_count).sum();
    CpuFigures {
        usr_percent: percent(cpu.user.as_secs_f64()),
        sys_percent: percent(cpu.system.as_secs_f64()),
        per_io_us: (io_count > 0).then(|| (cpu.user + cpu.system).as_secs_f64() * 1e6 / io_count as f64),
        host_busy_percent: cpu.host_busy_s.map(percent),
        host_steal_percent: cpu.host_steal_s.map(percent),
    }
}

/// The first device of the list is the nearest to the targets only where there is one; with several,
/// all of them are nearest ones of different targets, so their bytes add up.
#[expect(clippy::cast_precision_loss, reason = "ratios to 15 digits")]
fn device_figures(devices: &[DeviceCounters], total: &JobCounts) -> Option<DeviceFigures> {
    if devices.is_empty() {
        return None;
    }
    let ratio = |counted: u64, issued: Option<&OpCounts>| {
        issued.filter(|counts| counts.bytes > 0).map(|counts| counted as f64 / counts.bytes as f64)
    };
    Some(DeviceFigures {
        read_bytes_ratio: ratio(devices.iter().map(|d| d.read_bytes).sum(), total.get(Direction::Read)),
        write_bytes_ratio: ratio(devices.iter().map(|d| d.write_bytes).sum(), total.get(Direction::Write)),
        devices: devices.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_record::healthy;
    use crate::threshold::ThresholdSet;
    use crate::verdict::judge;

    fn summary_of(record: &RunRecord) -> serde_json::Value {
        let verdict = judge(record, &ThresholdSet::builtin("flash").unwrap());
        serde_json::to_value(Summary::new(record, verdict)).unwrap()
    }

    fn keys(value: &serde_json::Value) -> Vec<&str> {
        value.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn the_keys_are_those_of_the_documented_interface() {
        let summary = summary_of(&healthy());
        let documented = include_str!("../../../docs/json.md");
        let figures = &summary["total"]["read"];
        for table in [&summary, &summary["verdict"], &summary["cpu"], &summary["device"], figures] {
            for key in keys(table) {
                assert!(documented.contains(&format!("`{key}`")), "docs/json.md does not name `{key}`");
            }
        }
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
