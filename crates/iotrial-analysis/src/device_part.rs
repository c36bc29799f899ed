//! Parts of a load that have devices of their own: the data here, the log there.

use iotrial_model::load::Role;
use iotrial_model::plan::{Arrival, Plan};
use iotrial_model::record::{Interval, JobCounts, TargetRecord};
use iotrial_model::subject::{Course, Subject};

/// Jobs that lie on other devices than all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DevicePart {
    /// What its jobs stand for, in the order of tables.
    pub(crate) roles: Vec<Role>,
    /// Indices into the jobs of the plan, the lowest first.
    pub(crate) jobs: Vec<usize>,
    /// Kernel names of the devices that the targets of these jobs lie on themselves. What is below may be shared.
    pub(crate) devices: Vec<String>,
}

impl DevicePart {
    /// At least two parts, which have all jobs among them; none where all jobs lie on the same devices, or where that is not known.
    pub(crate) fn all(subject: &Subject<'_>) -> Vec<Self> {
        let Some(plan) = subject.plan else { return Vec::new() };
        let mut parts: Vec<(Vec<usize>, Vec<String>)> = Vec::new();
        for job in 0..plan.jobs.len() {
            let Some(devices) = devices_of(subject, plan, job) else { return Vec::new() };
            let mut joined = (vec![job], devices);
            let mut apart = Vec::new();
            // A job that lies on the devices of several parts makes them one, so each is looked at anew.
            for (jobs, devices) in parts {
                if devices.iter().any(|device| joined.1.contains(device)) {
                    joined.0.extend(jobs);
                    joined.1.extend(devices);
                } else {
                    apart.push((jobs, devices));
                }
            }
            parts = apart;
            parts.push(joined);
        }
        if parts.len() < 2 {
            return Vec::new();
        }
        let part = |(mut jobs, mut devices): (Vec<usize>, Vec<String>)| {
            jobs.sort_unstable();
            devices.sort_unstable();
            devices.dedup();
            let has = |role: &Role| jobs.iter().any(|job| plan.jobs[*job].role == *role);
            Self { roles: Role::ALL.iter().copied().filter(has).collect(), jobs, devices }
        };
        let mut all: Vec<Self> = parts.into_iter().map(part).collect();
        all.sort_by_key(|part| part.jobs[0]);
        all
    }

    /// The part as a result of its own: what it did in each interval, as if nothing else had run.
    pub(crate) fn facts(&self, subject: &Subject<'_>) -> PartFacts {
        let jobs_of = |interval: &Interval| -> Vec<JobCounts> {
            self.jobs.iter().map(|job| interval.jobs.get(*job).cloned().unwrap_or_default()).collect()
        };
        let backlog_of = |interval: &Interval| match interval.backlog.as_slice() {
            [] => Vec::new(),
            all => self.jobs.iter().map(|job| all.get(*job).copied().unwrap_or_default()).collect(),
        };
        let intervals = subject.intervals.counted().iter().map(|interval| Interval {
            jobs: jobs_of(interval),
            backlog: backlog_of(interval),
            ..*interval
        });
        let is_mine = |target: &&TargetRecord| {
            target.nearest_devices().any(|name| self.devices.iter().any(|mine| mine == name))
        };
        PartFacts {
            plan: subject.plan.map(|plan| self.plan(plan)),
            intervals: intervals.collect(),
            targets: subject.targets.iter().filter(is_mine).cloned().collect(),
        }
    }

    fn plan(&self, plan: &Plan) -> Plan {
        let mut jobs: Vec<_> = self.jobs.iter().map(|job| plan.jobs[*job].clone()).collect();
        for one in &mut jobs {
            if let Arrival::Following { job, .. } = &mut one.arrival {
                // One that follows a job of another part follows none that there is: it still waits for others to be due.
                *job = self.jobs.iter().position(|mine| *mine == *job).unwrap_or(usize::MAX);
            }
        }
        Plan { jobs, ..plan.clone() }
    }
}

/// What [`DevicePart::view`] borrows from.
pub(crate) struct PartFacts {
    plan: Option<Plan>,
    intervals: Vec<Interval>,
    targets: Vec<TargetRecord>,
}

impl DevicePart {
    /// The view of the part, for what looks at jobs, rates over time and devices.
    pub(crate) fn view<'p>(&self, facts: &'p PartFacts, subject: &Subject<'p>) -> Subject<'p> {
        Subject {
            plan: facts.plan.as_ref(),
            jobs: self.jobs.iter().filter_map(|job| subject.jobs.get(*job).cloned()).collect(),
            intervals: Course::Counted(&facts.intervals),
            targets: &facts.targets,
            ..subject.clone()
        }
    }
}

/// The devices that the areas of a job lie on; `None` where one is not known.
pub(crate) fn devices_of(subject: &Subject<'_>, plan: &Plan, job: usize) -> Option<Vec<String>> {
    let mut devices: Vec<String> = Vec::new();
    for area in &plan.jobs[job].areas {
        let area = plan.areas.get(*area)?;
        let target = subject.targets.iter().find(|target| target.holds(area))?;
        let before = devices.len();
        devices.extend(target.nearest_devices().map(str::to_owned));
        if devices.len() == before {
            return None;
        }
    }
    Some(devices)
}
