//! In what the hosts of configurations differ: which setting has which value where.
//!
//! Devices have other names on other hosts, so that parts are held against each other by their kind, and by their target where each
//! configuration has as many of these.

use iotrial_model::host_fact::{FactId, FactValue, HostReport, Part, PartKind, Reading};
use serde::{Serialize, Serializer};

/// Memory that differs by less is the same machine under another kernel, which keeps more or less of it for itself.
const SAME_MEMORY_PERCENT: i64 = 3;

/// Facts that say nothing of how fast a host is, or that differ from one minute to the next.
const NOISE: [FactId; 7] = [
    FactId::FreeSpace,
    FactId::FreePercent,
    FactId::MountPoint,
    FactId::NfsAddress,
    // Told by the number of parts below.
    FactId::Members,
    FactId::Disks,
    FactId::LoadInFlight,
];

/// A setting that differs between configurations. Its keys are an interface: `docs/json.md`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostDifference {
    /// The target below which the parts are, as the first configuration calls it; `None` where it is the same of all targets, or of
    /// the host itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The kind of the parts.
    pub part: PartKind,
    /// The setting; `None` of how many such parts there are.
    #[serde(serialize_with = "fact_or_count")]
    pub fact: Option<FactId>,
    /// By configuration, in their order.
    pub values: Vec<HostValues>,
}

/// What a configuration has of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostValues {
    /// Key of the configuration.
    pub configuration: String,
    /// Each value once, the most frequent first; several where its parts, or its runs, differ. Empty where it is not known, or where
    /// no part has it.
    pub values: Vec<FactValue>,
}

fn fact_or_count<S: Serializer>(fact: &Option<FactId>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(fact.map_or("count", FactId::as_str))
}

/// What of a host can make a difference: known facts, without those that say nothing of how fast it is.
pub(super) fn telling(report: &HostReport) -> HostReport {
    let mut report = report.clone();
    let parts = report.chains.iter_mut().flat_map(|chain| &mut chain.parts).chain([&mut report.host]);
    for part in parts {
        part.facts.retain(|fact| !NOISE.contains(&fact.id) && matches!(fact.reading, Reading::Known(_)));
    }
    report
}

/// What follows from the shape of a machine, or from how its disks are attached and by which driver, and is no setting of its own.
const FOLLOWING: [FactId; 29] = [
    FactId::Shape,
    FactId::Ocpus,
    FactId::ShapeMemory,
    FactId::Machine,
    FactId::CpuCount,
    FactId::NumaNodes,
    FactId::Memory,
    FactId::NetworkLimit,
    FactId::Transport,
    FactId::Model,
    FactId::VolumeType,
    FactId::Driver,
    FactId::DriverVersion,
    FactId::HardwareQueues,
    FactId::QueueInterrupts,
    FactId::NrRequests,
    FactId::QueueDepth,
    FactId::MaxRequest,
    FactId::OptimalIo,
    FactId::CommandTimeout,
    FactId::State,
    FactId::Lun,
    FactId::Fua,
    FactId::WriteCache,
    FactId::Rotational,
    FactId::CanQueue,
    FactId::CommandsPerLun,
    FactId::LinkSpeed,
    FactId::ReceiveQueues,
];

impl HostDifference {
    /// Whether it follows from the shape of the machine, or from the attachment of its disks: two hosts that differ in nothing else differ
    /// in that alone.
    pub(super) fn follows(&self) -> bool {
        match self.fact {
            Some(fact) => FOLLOWING.contains(&fact),
            None => matches!(self.part, PartKind::Controller | PartKind::Interface),
        }
    }

    /// What differs, in the order host, file system, layers, disks, controllers. `hosts` has what was read of the host of each run of
    /// each configuration, by its key; where fewer than two have anything, nothing differs.
    pub(super) fn between(hosts: &[(&str, Vec<&HostReport>)]) -> Vec<Self> {
        if hosts.iter().filter(|(_, reports)| !reports.is_empty()).count() < 2 {
            return Vec::new();
        }
        let mut differences = Self::of_parts(hosts, None, PartKind::Host, |report| vec![&report.host]);
        let targets = targets_of_all(hosts);
        for kind in PartKind::ALL.iter().copied().filter(|kind| *kind != PartKind::Host) {
            let of_all = Self::of_parts(hosts, None, kind, |report| parts(report, kind, |_| true));
            let Some(targets) = &targets else {
                differences.extend(of_all);
                continue;
            };
            let of_each = targets.iter().enumerate().flat_map(|(at, name)| {
                Self::of_parts(hosts, Some(name.clone()), kind, |report| {
                    parts(report, kind, |chain| chain == at)
                })
            });
            differences.extend(joined(of_each.collect(), targets.len()));
        }
        differences
    }

    fn of_parts<'h>(
        hosts: &[(&str, Vec<&'h HostReport>)],
        target: Option<String>,
        kind: PartKind,
        select: impl Fn(&'h HostReport) -> Vec<&'h Part>,
    ) -> Vec<Self> {
        let parts: Vec<Vec<Vec<&Part>>> =
            hosts.iter().map(|(_, reports)| reports.iter().map(|report| select(report)).collect()).collect();
        let difference = |fact: Option<FactId>, values: Vec<Vec<FactValue>>| {
            let values = hosts
                .iter()
                .zip(values)
                .map(|((key, _), values)| HostValues { configuration: (*key).to_owned(), values });
            Self { target: target.clone(), part: kind, fact, values: values.collect() }
        };
        let mut found = Vec::new();
        // How many there are says most: one disk against three, an array against none.
        let count = |part: &Vec<&Part>| FactValue::Number(i64::try_from(part.len()).unwrap_or(i64::MAX));
        let counts: Vec<Vec<FactValue>> =
            parts.iter().map(|runs| once(runs.iter().map(count).collect())).collect();
        if kind != PartKind::Host && are_different(None, &counts) {
            found.push(difference(None, counts));
        }
        for id in FactId::ALL.iter().copied() {
            let values = |runs: &Vec<Vec<&Part>>| {
                let all = runs.iter().flatten().filter_map(|part| part.value(id)).cloned();
                once(all.collect())
            };
            let of_run =
                |run: &Vec<&Part>| once(run.iter().filter_map(|part| part.value(id)).cloned().collect());
            // Also where only the runs of one configuration differ, which are held to be the same thing.
            let vary = parts.iter().any(|runs| {
                let of_runs: Vec<Vec<FactValue>> = runs.iter().map(of_run).collect();
                are_different(Some(id), &of_runs)
            });
            let values: Vec<Vec<FactValue>> = parts.iter().map(values).collect();
            if vary || are_different(Some(id), &values) {
                found.push(difference(Some(id), values));
            }
        }
        found
    }
}

/// The targets as the first host calls them, where all hosts have as many of them and more than one; `None` elsewhere.
fn targets_of_all(hosts: &[(&str, Vec<&HostReport>)]) -> Option<Vec<String>> {
    let mut all = hosts.iter().flat_map(|(_, reports)| reports.iter());
    let first: Vec<String> = all.next()?.chains.iter().map(|chain| chain.target.clone()).collect();
    (first.len() > 1 && all.all(|report| report.chains.len() == first.len())).then_some(first)
}

fn parts(report: &HostReport, kind: PartKind, is_meant: impl Fn(usize) -> bool) -> Vec<&Part> {
    let mut parts: Vec<&Part> = Vec::new();
    for (_, chain) in report.chains.iter().enumerate().filter(|(at, _)| is_meant(*at)) {
        for part in chain.parts.iter().filter(|part| part.kind == kind) {
            // A disk that carries several targets is one disk.
            if !parts.iter().any(|known| known.name == part.name) {
                parts.push(part);
            }
        }
    }
    parts
}

/// Each value once, the most frequent first.
fn once(all: Vec<FactValue>) -> Vec<FactValue> {
    let mut counted: Vec<(FactValue, usize)> = Vec::new();
    for value in all {
        match counted.iter_mut().find(|(known, _)| *known == value) {
            Some((_, count)) => *count += 1,
            None => counted.push((value, 1)),
        }
    }
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counted.into_iter().map(|(value, _)| value).collect()
}

/// Whether those that know it differ. What one host does not have, or does not tell, is no difference by itself: that it has no such
/// part is told by their number, and who may not read it has the same setting all the same.
fn are_different(id: Option<FactId>, values: &[Vec<FactValue>]) -> bool {
    let mut known = values.iter().filter(|values| !values.is_empty());
    let Some(first) = known.next() else { return false };
    let is_like = |other: &Vec<FactValue>| match (id, first.as_slice(), other.as_slice()) {
        (Some(FactId::Memory), [FactValue::Number(a)], [FactValue::Number(b)]) => {
            a.abs_diff(*b)
                <= a.unsigned_abs().max(b.unsigned_abs()) / 100 * SAME_MEMORY_PERCENT.unsigned_abs()
        }
        (_, a, b) => a.len() == b.len() && a.iter().all(|value| b.contains(value)),
    };
    !known.all(is_like)
}

/// What is the same below every target is told once.
fn joined(differences: Vec<HostDifference>, target_count: usize) -> Vec<HostDifference> {
    let mut all: Vec<HostDifference> = Vec::new();
    for one in &differences {
        let is_it = |other: &&HostDifference| other.fact == one.fact && other.values == one.values;
        let count = differences.iter().filter(is_it).count();
        if count < target_count {
            all.push(one.clone());
        } else if !all.iter().any(|known| is_it(&known)) {
            all.push(HostDifference { target: None, ..one.clone() });
        }
    }
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
