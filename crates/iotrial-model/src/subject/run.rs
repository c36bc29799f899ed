//! The view of a run, and of each step of one whose load changes.

use std::borrow::Cow;
use std::time::Duration;

use super::{Course, Device, Facts, Machine, Ops, Subject, SubjectJob, SubjectStep};
use crate::builtin::falsely_named_profile;
use crate::content::shown_name;
use crate::imported::{Stated, StatedBlockSize, StatedLoad};
use crate::metric::APPLICATION;
use crate::plan::{Arrival, PhaseKind, Plan};
use crate::record::{CpuUse, DeviceCounters, Interval, JobCounts, OpCounts, RunRecord};

fn shown_profile(record: &RunRecord) -> Cow<'_, str> {
    let name = &record.plan.profile;
    shown_name(name, falsely_named_profile(name, &record.profile).is_some())
}

impl<'r> Subject<'r> {
    /// The view of a run, also of one that ended before it measured anything.
    ///
    /// Where the load changes in steps, its figures are those of the peak: of the judged step with the highest load that was measured
    /// whole, the last one of several.
    pub fn of_run(record: &'r RunRecord) -> Self {
        let whole = Part {
            jobs: &record.jobs,
            intervals: &record.intervals,
            measured: record.measured_duration(),
            cpu: record.cpu.as_ref(),
            devices: &record.devices,
            share: 1.0,
        };
        let steps = Self::steps_of_run(record);
        let rank = |step: &&SubjectStep<'_>| (step.planned.judged, step.is_whole);
        let by_load = |a: &&SubjectStep<'_>, b: &&SubjectStep<'_>| {
            let share = |step: &SubjectStep<'_>| step.planned.mean_share();
            rank(a).cmp(&rank(b)).then(share(a).total_cmp(&share(b)))
        };
        let Some(peak) = steps.iter().max_by(by_load) else { return Self::of_part(record, &whole) };
        Self {
            ended: Some(&record.ended),
            whole_course: Course::Counted(&record.intervals),
            peak: Some(peak.number - 1),
            ..peak.subject.clone()
        }
        .with_steps(steps)
    }

    fn with_steps(self, steps: Vec<SubjectStep<'r>>) -> Self {
        Self { steps, ..self }
    }

    fn steps_of_run(record: &'r RunRecord) -> Vec<SubjectStep<'r>> {
        let plan = &record.plan;
        let borders = plan.step_borders();
        let parts = RunRecord::intervals_by_step(plan, &record.intervals).into_iter().zip(&record.steps);
        let steps = parts.zip(&plan.steps).enumerate().map(|(index, ((intervals, counts), planned))| {
            let counted = intervals.iter().filter(|one| one.phase == PhaseKind::Measure);
            let measured: Duration = counted.map(|one| one.duration).sum();
            let part = Part {
                jobs: &counts.jobs,
                intervals,
                measured,
                cpu: counts.cpu.as_ref(),
                devices: &counts.devices,
                share: planned.mean_share(),
            };
            let subject = Self {
                load_changes: !planned.is_constant(),
                part_of: Some(
                    plan.steps.iter().map(|one| one.duration).fold(Duration::ZERO, Duration::saturating_add),
                ),
                // How the run ended is told of the run.
                ended: None,
                ..Self::of_part(record, &part)
            };
            SubjectStep {
                number: index + 1,
                planned,
                start_s: borders[index].as_secs_f64(),
                // Times of intervals are read in seconds, with a fraction.
                is_whole: measured + Duration::from_millis(1) >= planned.duration,
                subject,
            }
        });
        steps.collect()
    }

    fn of_part(record: &'r RunRecord, part: &Part<'r>) -> Self {
        let Part { measured, share, .. } = *part;
        let jobs = record.plan.jobs.iter().enumerate().map(|(index, job)| {
            // A run that ended before anything was counted has its jobs in the plan only.
            let counts = part.jobs.get(index);
            let facts = |counts: &'r OpCounts| Facts::Counted(counts, measured);
            SubjectJob {
                name: Cow::Borrowed(job.name.as_str()),
                role: Some(job.role),
                load: Cow::Owned(load_of(&record.plan, index, share)),
                planned: Some(job),
                ops: Ops {
                    read: counts.and_then(|counts| counts.read.as_ref()).map(facts),
                    write: counts.and_then(|counts| counts.write.as_ref()).map(facts),
                    commit: counts.and_then(|counts| counts.commits(job)).map(facts),
                    all: None,
                    sync: None,
                    trim: None,
                    issued_when_due: job.arrival != Arrival::Closed,
                },
                not_issued_age: counts
                    .map(|counts| &counts.not_issued_age)
                    .filter(|_| job.arrival != Arrival::Closed),
                cpu: None,
                error: None,
            }
        });
        let subject = Self {
            label: record.label.as_deref(),
            tool: Some(&record.tool),
            measured_at: Some(&record.started_at),
            measured: Some(measured),
            ended: Some(&record.ended),
            jobs: jobs.collect(),
            profile_text: &record.profile,
            profile_name: Some(shown_profile(record)),
            checksum: record.checksum,
            plan: Some(&record.plan),
            engine: Some(record.plan.engine),
            engine_reason: record.plan.engine_reason.as_deref(),
            driving_threads: Some(driving_threads(&record.plan)),
            direct: Some(record.plan.direct),
            touched: Some(record.plan.jobs.iter().map(|job| job.working_set * job.areas.len() as u64).sum()),
            host: Some(Machine::of_run(&record.host)),
            host_facts: record.host_facts.as_ref(),
            host_activity: record.host_activity.as_ref(),
            targets: &record.targets,
            layout: record.layout.as_ref(),
            intervals: Course::Counted(part.intervals),
            whole_course: Course::Counted(part.intervals),
            engine_setup: record.engine_setup.as_ref(),
            devices: part.devices.iter().map(Device::of_run).collect(),
            pauses: &record.pauses,
            search: record.search.as_ref(),
            verification: record.verification.as_ref(),
            other: Cow::Owned(
                record.metrics.iter().map(|(name, value)| of_application(name, *value)).collect(),
            ),
            metric_failures: &record.metric_failures,
            ..Self::empty(&record.id, &record.attributes)
        };
        subject.with_cpu(part.cpu, &record.host)
    }
}

/// What was counted of a run, or of one of its steps.
struct Part<'r> {
    jobs: &'r [JobCounts],
    intervals: &'r [Interval],
    measured: Duration,
    cpu: Option<&'r CpuUse>,
    devices: &'r [DeviceCounters],
    /// Of the full load.
    share: f64,
}

/// A metric of an application, as sources have it.
fn of_application(name: &str, value: f64) -> (String, Stated) {
    (format!("{APPLICATION}.{name}"), Stated::exact(value))
}

/// Some engines have a thread for each outstanding I/O; the others drive everything with a few.
fn driving_threads(plan: &Plan) -> u32 {
    if plan.engine.facts().thread_for_each_io { plan.total_iodepth() } else { plan.threads }
}

/// A job of a plan in the words in which loads of any source are stated, at a share of its full load.
pub(super) fn load_of(plan: &Plan, index: usize, share: f64) -> StatedLoad {
    let job = &plan.jobs[index];
    let sizes = [job.block_size.unit(), job.block_size.largest()];
    StatedLoad {
        pattern: Some(job.pattern),
        rwmix_read_percent: Some(job.rwmix_read_percent.into()),
        block_sizes: sizes
            .into_iter()
            .map(|size| StatedBlockSize { direction: None, size, percent: None })
            .collect(),
        iodepth: Some(job.iodepth.into()),
        numjobs: Some(job.numjobs.into()),
        // Fewer than depth and copies say, where the load is less than the highest one.
        outstanding: (job.arrival == Arrival::Closed && share < f64::from(plan.depth_factor()))
            .then(|| plan.outstanding_at(index, share).into()),
        rate_iops: match job.arrival {
            Arrival::Open { iops, .. } => Some(iops * share),
            Arrival::Following { .. } => Some(0.0),
            Arrival::Closed => None,
        },
        ..StatedLoad::default()
    }
}
