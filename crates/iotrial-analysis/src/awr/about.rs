//! What reports say of a database besides its figures: where its time goes, how much of it they have, what storage servers spare it, and
//! what its edition and its machine are.

use std::collections::BTreeSet;

use iotrial_model::awr::{AwrFigures, AwrReport, EnterpriseFeature, Part, WaitSide};
use serde::Serialize;

use super::exadata::{ExadataMove, PlainRange};
use super::part::{Instances, part_of};
use super::remarks::{Limit, shares_of_db_time};
use super::sample::AwrSample;

/// The largest shares of DB time that are kept.
const MOST_LIMITS: usize = 10;
/// From this release on Standard Edition 2 has no RAC (Oracle Database Licensing Information, 19c).
const NO_RAC_FROM: u32 = 19;

/// What one report says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct OfReport {
    pub(super) limits: Vec<Limit>,
    /// What they are shares of; none without waits.
    pub(super) db_time_s: f64,
    /// Whether it has the waits of users. One that is cut off before them may still have DB time and DB CPU.
    pub(super) has_waits: bool,
    pub(super) instances: Instances,
    pub(super) range: Option<PlainRange>,
    pub(super) enterprise: BTreeSet<EnterpriseFeature>,
    pub(super) is_virtual: bool,
    pub(super) release: Option<String>,
}

impl OfReport {
    pub(super) fn of(report: &AwrReport, figures: &AwrFigures) -> Self {
        let away = ExadataMove::of(report, figures);
        let has_waits = report.waits.iter().any(|wait| wait.side != WaitSide::Background);
        Self {
            limits: shares_of_db_time(report),
            db_time_s: if has_waits {
                report.interval.db_time_s.value().unwrap_or(0.0).max(0.0)
            } else {
                0.0
            },
            has_waits,
            instances: Instances::of(report, figures),
            enterprise: enterprise(report, away.is_some()),
            range: away.as_ref().map(PlainRange::of),
            is_virtual: is_virtual(report),
            release: report.database.release.clone(),
        }
    }
}

/// What all reports of a database say.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct About {
    /// Where the time of users goes over all intervals, the largest share first; empty where the source has no waits.
    pub limits: Vec<Limit>,
    /// What the reports are a part of; absent where they have the whole database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// What plain storage would be asked; `None` where the database is not on Exadata.
    #[serde(skip)]
    pub(super) range: Option<PlainRange>,
    /// What is in use that Standard Edition 2 does not have.
    #[serde(skip)]
    pub(super) enterprise: BTreeSet<EnterpriseFeature>,
    /// Whether the CPUs are those of a virtual machine, whatever it calls cores.
    #[serde(skip)]
    pub(super) is_virtual: bool,
    /// Release of the database, as the last report that has it writes it.
    #[serde(skip)]
    pub release: Option<String>,
}

impl About {
    pub(super) fn of(samples: &[AwrSample]) -> Self {
        Self {
            limits: limits_over(samples),
            part: part_of(samples),
            range: PlainRange::over(samples.iter().filter_map(|one| Some((one.about.range?, one.seconds())))),
            enterprise: samples.iter().flat_map(|one| one.about.enterprise.iter().copied()).collect(),
            is_virtual: samples.iter().any(|one| one.about.is_virtual),
            release: samples.iter().rev().find_map(|one| one.about.release.clone()),
        }
    }

    /// The part, where so much is missing that no figure is that of the database.
    pub fn large_part(&self) -> Option<&Part> {
        self.part.as_ref().filter(|part| part.is_much())
    }
}

/// Shares of the DB time of all reports together: a share of a busy hour counts for more than that of a quiet one.
pub(super) fn limits_over(samples: &[AwrSample]) -> Vec<Limit> {
    // A report without waits says nothing of them: its time would thin those of the others out.
    let samples: Vec<&AwrSample> = match samples.iter().filter(|one| one.about.has_waits).collect::<Vec<_>>()
    {
        none if none.is_empty() => samples.iter().collect(),
        those => those,
    };
    let all: f64 = samples.iter().map(|one| one.about.db_time_s).sum();
    // Reports without DB time have shares all the same.
    let weight = |one: &AwrSample| {
        if all > 0.0 { one.about.db_time_s / all } else { 1.0 / samples.len() as f64 }
    };
    let mut limits: Vec<Limit> = Vec::new();
    for sample in &samples {
        for one in &sample.about.limits {
            let percent = one.percent * weight(sample);
            match limits.iter_mut().find(|sum| sum.what == one.what) {
                Some(sum) => sum.percent += percent,
                None => limits.push(Limit { what: one.what.clone(), percent }),
            }
        }
    }
    limits.sort_by(|a, b| b.percent.total_cmp(&a.percent).then_with(|| a.what.cmp(&b.what)));
    limits.truncate(MOST_LIMITS);
    limits
}

/// Sockets with one core each have not been made for servers since 2006: where there are several, a hypervisor shows its vCPUs so.
fn is_virtual(report: &AwrReport) -> bool {
    const SEVERAL: f64 = 4.0;
    let host = &report.host;
    let (cpus, cores, sockets) = (host.cpus.value(), host.cores.value(), host.sockets.value());
    cpus >= Some(SEVERAL) && cpus == cores && cores == sockets
}

/// Whether an archive destination is a standby: it has the attribute `SERVICE=`, and not a path with such a word in it.
fn names_a_service(destination: &str) -> bool {
    let lower = destination.to_ascii_lowercase();
    lower.match_indices("service").any(|(at, word)| {
        let is_word = !lower[..at].ends_with(|c: char| c.is_alphanumeric() || "_/\\.-".contains(c));
        is_word && lower[at + word.len()..].trim_start().starts_with('=')
    })
}

/// What only Enterprise Edition has, as far as a report shows that it is in use.
fn enterprise(report: &AwrReport, is_on_exadata: bool) -> BTreeSet<EnterpriseFeature> {
    let release = report.database.release.as_deref().and_then(|release| release.split('.').next());
    let release: Option<u32> = release.and_then(|first| first.parse().ok());
    let is_rac = report.database.is_rac == Some(true) || report.instances.len() > 1;
    let memory = report.parameter("inmemory_size").map(|one| one.trim_matches(|c: char| !c.is_ascii_digit()));
    let ships_redo = report
        .parameters
        .iter()
        .filter(|one| one.name.starts_with("log_archive_dest_"))
        .any(|one| names_a_service(&one.value));
    let flashback = report
        .io_by_file_type
        .iter()
        .any(|one| one.name.eq_ignore_ascii_case("Flashback Log") && one.write_mib_per_s.sound() > Some(0.0));
    let scans = report.waits.iter().any(|one| {
        one.side != WaitSide::Background
            && one.event.starts_with("PX Deq")
            && one.percent.sound() >= Some(1.0)
    });
    [
        (is_rac && release.is_some_and(|release| release >= NO_RAC_FROM), EnterpriseFeature::Rac),
        (is_on_exadata, EnterpriseFeature::Exadata),
        (memory.and_then(|one| one.parse::<f64>().ok()) > Some(0.0), EnterpriseFeature::InMemory),
        (ships_redo, EnterpriseFeature::DataGuard),
        (flashback, EnterpriseFeature::Flashback),
        (scans, EnterpriseFeature::Parallel),
    ]
    .into_iter()
    .filter_map(|(is_used, feature)| is_used.then_some(feature))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standby_is_told_by_its_attribute_and_not_by_a_path() {
        for one in ["SERVICE=stby ASYNC", "location=/arch  service = \"stby\"", "async,service=(stby)"] {
            assert!(names_a_service(one), "{one}");
        }
        for one in [
            "LOCATION=/arch/services/db1",
            "location=/u01/service=1",
            "LOCATION=USE_DB_RECOVERY_FILE_DEST",
            "",
        ] {
            assert!(!names_a_service(one), "{one}");
        }
    }
}
