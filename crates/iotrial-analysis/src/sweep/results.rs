//! Results that were measured one by one over a grid of loads, as the curves of a sweep.

use std::collections::{BTreeSet, HashMap};

use iotrial_model::finding::{LeftOut, NoPoint};
use iotrial_model::imported::CpuBasis;
use iotrial_model::load_pattern::LoadPattern;
use iotrial_model::record::EndedHow;
use iotrial_model::subject::{Subject, SubjectJob};
use iotrial_model::sweep::{ProbePurpose, SweepMethod};
use iotrial_model::units::ByteSize;

use super::{Curve, Probe, SweepSummary, findings, limit};
use crate::saturation::{LoadPoint, Saturation};

/// What a point of a curve needs.
struct Point {
    pattern: LoadPattern,
    configuration: String,
    probe: Probe,
    /// What each copy of its job had of a CPU, in percent: user and kernel. `None` where that is not stated.
    cpu_percent: Option<f64>,
}

/// From so many percent of a CPU on, a copy of a job has no time left for more I/Os.
// A choice: what is missing are the moments in which it waits for the last of its I/Os, and other processes.
const BUSY_PERCENT: f64 = 90.0;

impl SweepSummary {
    /// The curves of results that were measured one by one: a curve for each kind of I/O of each configuration. Results that
    /// do not state their load are left out, and told.
    pub fn of_results<'r>(results: impl IntoIterator<Item = Subject<'r>>) -> (Self, Vec<LeftOut>) {
        let (mut points, mut left_out) = (Vec::new(), Vec::new());
        for subject in results {
            let whence = subject.whence().unwrap_or_else(|| subject.id.to_owned());
            match Point::of(&subject) {
                Ok(point) => points.push((point, whence)),
                Err(why) => left_out.push(LeftOut { whence, why }),
            }
        }
        let mut loads: HashMap<(String, LoadPattern), BTreeSet<u32>> = HashMap::new();
        for (point, _) in &points {
            loads.entry(point.curve()).or_default().insert(point.probe.outstanding);
        }
        // Repeats of one load are one point: only a second load tells whether more I/Os bring more.
        let is_alone = |point: &Point| loads.get(&point.curve()).is_none_or(|loads| loads.len() < 2);
        let (alone, points): (Vec<_>, Vec<_>) = points.into_iter().partition(|(point, _)| is_alone(point));
        left_out.extend(alone.into_iter().map(|(_, whence)| LeftOut { whence, why: NoPoint::OnlyLoad }));
        let mut volumes: Vec<String> = Vec::new();
        let mut curves: Vec<Curve> = Vec::new();
        let mut busiest: HashMap<(LoadPattern, usize), (f64, Option<f64>)> = HashMap::new();
        for (point, _) in points {
            let volume =
                volumes.iter().position(|known| *known == point.configuration).unwrap_or_else(|| {
                    volumes.push(point.configuration.clone());
                    volumes.len() - 1
                });
            let pattern = point.pattern;
            // Of the load with the highest rate alone: what held the others is another question.
            let iops = point.probe.figures.iops.unwrap_or_default();
            let of_best = busiest.entry((pattern, volume)).or_insert((iops, point.cpu_percent));
            if iops > of_best.0 {
                *of_best = (iops, point.cpu_percent);
            }
            match curves.iter_mut().find(|curve| (curve.pattern, curve.volume) == (pattern, volume)) {
                Some(curve) => curve.probes.push(point.probe),
                None => curves.push(Curve {
                    pattern,
                    volume,
                    probes: vec![point.probe],
                    sustained: None,
                    saturation: None,
                    limit: None,
                }),
            }
        }
        curves.sort_by_key(|curve| (curve.pattern, curve.volume));
        for curve in &mut curves {
            curve.probes.sort_by_key(|probe| probe.outstanding);
            let points: Vec<LoadPoint> = curve.probes.iter().map(Probe::point).collect();
            // No long measurement beyond the knee is among them that would tell the ceiling by itself.
            curve.saturation = Saturation::of(&points, None);
        }
        limit::name_limits(&[], &[], &mut curves);
        for curve in &mut curves {
            let of_best =
                busiest.get(&(curve.pattern, curve.volume)).and_then(|(_, cpu_percent)| *cpu_percent);
            if let Some(percent) = of_best.filter(|percent| *percent >= BUSY_PERCENT) {
                limit::name_generator(curve, percent);
            }
        }
        let mut findings = findings::of_curves(&curves, &volumes, false);
        findings.extend(findings::of_left_out(&left_out));
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let summary = Self {
            method: SweepMethod::Grid,
            ended: EndedHow::Complete,
            ended_reason: None,
            measured_s: curves.iter().flat_map(|curve| &curve.probes).map(|probe| probe.measured_s).sum(),
            volumes,
            curves,
            // Of results of others nobody knows on which volume they were measured.
            settings: Vec::new(),
            scaling: Vec::new(),
            findings,
            possible_causes: Vec::new(),
        };
        (summary, left_out)
    }
}

impl Point {
    /// The curve that it belongs to.
    fn curve(&self) -> (String, LoadPattern) {
        (self.configuration.clone(), self.pattern)
    }

    fn of(subject: &Subject<'_>) -> Result<Self, NoPoint> {
        let (first, others) = subject.jobs.split_first().ok_or(NoPoint::NoLoad)?;
        let load = &first.load;
        let is_same = others.iter().all(|job| {
            (job.load.pattern, job.load.rwmix_read_percent, job.load.block_size())
                == (load.pattern, load.rwmix_read_percent, load.block_size())
        });
        if !is_same {
            return Err(NoPoint::SeveralKinds);
        }
        let percent = load.rwmix_read_percent.ok_or(NoPoint::NoShareOfReads)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
        let pattern = LoadPattern {
            order: load.pattern.ok_or(NoPoint::NoOrder)?,
            rwmix_read_percent: percent.round().clamp(0.0, 100.0) as u8,
            block_size: load.block_size().ok_or(NoPoint::NoBlockSize)?,
        };
        if subject.jobs.iter().any(|job| job.load.is_held_back()) {
            return Err(NoPoint::HeldBack);
        }
        let outstanding = subject.total_outstanding().filter(|sum| (1..=1 << 20).contains(sum));
        outstanding.ok_or(NoPoint::NoOutstanding)?;
        let mut probe = Probe::of(subject, ProbePurpose::Grid);
        let iops = probe.figures.iops.filter(|iops| *iops > 0.0).ok_or(NoPoint::NoRate)?;
        // All I/Os have one size, from which the bytes follow where they are not stated.
        let mib_per_s = iops * pattern.block_size.get() as f64 / ByteSize::MIB.get() as f64;
        probe.figures.bandwidth_mib_per_s.get_or_insert(mib_per_s);
        let cpu_percent = cpu_percent_of(subject);
        Ok(Self { pattern, configuration: configuration_of(subject), probe, cpu_percent })
    }
}

/// The share of a CPU that each copy had, of the job with the least: only if all are busy, nobody could do more.
fn cpu_percent_of(subject: &Subject<'_>) -> Option<f64> {
    let of_job = |job: &SubjectJob<'_>| {
        let cpu = job.cpu.filter(|cpu| cpu.of == CpuBasis::EachCopy)?;
        Some(cpu.usr_percent?.value + cpu.sys_percent?.value)
    };
    let all = subject.jobs.iter().map(of_job).collect::<Option<Vec<f64>>>()?;
    // Of several jobs the share may be the sum of their threads, which the audit tells.
    all.into_iter().reduce(f64::min).filter(|percent| *percent <= 101.0)
}

/// The label, else the attributes, else what it worked on.
fn configuration_of(subject: &Subject<'_>) -> String {
    if let Some(label) = subject.label {
        return label.to_owned();
    }
    let attributes: Vec<String> =
        subject.attributes.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let targets = subject.targets_in_words();
    match (attributes.is_empty(), targets.is_empty()) {
        (false, _) => attributes.join(" "),
        (true, false) => targets,
        (true, true) => subject.tool_name().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use iotrial_model::imported::ImportedRecord;
    use serde_json::{Value, json};

    use super::*;
    use crate::sweep::{LimitCause, LimitKind};

    /// Results of fio at doubling depths on a device that does 100,000 IOPS, each with this share of a CPU.
    fn results(cpu_percent: f64) -> Vec<ImportedRecord> {
        let stated = |value: f64| json!({ "value": value, "resolution": 0.01 });
        let result = |depth: u32| -> Value {
            let iops = (10_000.0 * f64::from(depth)).min(100_000.0);
            json!({
                "format": "iotrial.imported/1",
                "id": format!("01HF7YAT3VNDXMCP7GAZ0NF7{depth:02}"),
                "source": { "kind": "fio-json", "tool": "fio", "file": "f", "place": "jobs", "sha256": "", "read_by": "a test" },
                "jobs": [{
                    "name": "a",
                    "load": {
                        "pattern": "random", "rwmix_read_percent": 100.0, "block_sizes": [{ "size_bytes": 8192 }],
                        "iodepth": depth, "numjobs": 1, "direct": true, "targets": ["/dev/sdb"],
                    },
                    "read": {
                        "runtime_s": stated(10.0),
                        "iops": stated(iops),
                        "total_latency": { "mean_us": stated(f64::from(depth) / iops * 1e6) },
                    },
                    "cpu": { "usr_percent": stated(cpu_percent / 4.0), "sys_percent": stated(cpu_percent * 0.75), "of": "each-copy" },
                }],
            })
        };
        [1, 2, 4, 8, 16, 32, 64, 99].map(result).map(|one| serde_json::from_value(one).unwrap()).to_vec()
    }

    #[test]
    fn bytes_that_are_not_stated_follow_from_the_size_of_the_ios_and_are_not_zero() {
        let results = results(50.0);
        let (summary, _) = SweepSummary::of_results(results.iter().map(Subject::of_imported));
        let saturation = summary.curves[0].saturation.as_ref().unwrap();
        // 100,000 IOPS of 8 KiB.
        assert!((saturation.ceiling_mib_per_s / 781.25 - 1.0).abs() < 0.05, "{saturation:?}");
    }

    fn limit_of(results: &[ImportedRecord]) -> limit::Limit {
        let (summary, left_out) = SweepSummary::of_results(results.iter().map(Subject::of_imported));
        assert_eq!(left_out, []);
        summary.curves[0].limit.clone().unwrap()
    }

    #[test]
    fn jobs_of_fio_without_cpu_left_are_the_limit_of_their_curve() {
        let limit = limit_of(&results(97.0));
        assert_eq!(limit.kind, LimitKind::Generator, "{limit:?}");
        assert!(matches!(limit.cause, LimitCause::BusyJobs { cpu_percent } if cpu_percent.round() == 97.0));
    }

    #[test]
    fn jobs_of_fio_with_cpu_left_say_nothing_about_it() {
        let idle = limit_of(&results(40.0));
        assert_ne!(idle.kind, LimitKind::Generator);
        // Several threads in one figure are no share of one CPU.
        assert_eq!(limit_of(&results(150.0)), idle);
    }
}
