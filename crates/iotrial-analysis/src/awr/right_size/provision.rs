//! What is there beside what is needed.

use iotrial_model::awr::{AwrFigure, AwrReport, Provided};
use serde::Serialize;

use super::licence::of_cores;
use super::{Sized, TARGET_THREADS_PER_CORE};
use crate::awr::said;
use crate::awr::series::DatabaseSeries;

/// OMAT takes machines with up to 150 % of the need for fitting ones (`template.xlsm`, filter of machines): beyond that it is more
/// than fits.
const MORE_THAN_FITS: f64 = 1.5;

/// Something that is bought today.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Provision {
    /// What kind of thing.
    #[serde(rename = "what", serialize_with = "said::provided")]
    pub kind: Provided,
    /// How much there is.
    pub has: f64,
    /// How much of it was used, where that is known: of CPUs by everybody on the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<f64>,
    /// How much of it the sizing takes.
    pub needs: f64,
    /// Whether that is more than one and a half times the need.
    pub is_over: bool,
}

impl Provision {
    fn new(kind: Provided, has: f64, uses: Option<f64>, needs: f64) -> Option<Self> {
        let is_over = has > MORE_THAN_FITS * needs;
        (has > 0.0 && needs >= 0.0).then_some(Self { kind, has, uses, needs, is_over })
    }
}

/// `ratio` is how many threads that are bought a thread of today counts.
pub(super) fn of(
    series: &DatabaseSeries,
    chosen: &Sized,
    ratio: f64,
    report: Option<&AwrReport>,
) -> Vec<Provision> {
    let at = |figure| series.statistics(figure).map(|one| one.at(chosen.level));
    let mut all = Vec::new();
    if let (Some(has), Some(vcpus)) = (at(AwrFigure::HostCpus), chosen.vcpus) {
        let kind = Provided::Cpus { vcpus_each: ratio };
        all.extend(Provision::new(kind, has, at(AwrFigure::HostBusyCpus), f64::from(vcpus) / ratio));
    }
    if let (Some(has), Some(needs)) = (at(AwrFigure::HostMemoryMib), chosen.memory_gib) {
        let used = at(AwrFigure::MemoryMib).map(|mib| mib / 1024.0);
        all.extend(Provision::new(Provided::Memory, has / 1024.0, used, needs));
    }
    let platform = report.and_then(|report| report.instances.first()?.platform.as_deref());
    // The core factor is that of x86; SPARC and POWER have others.
    let is_x86 = platform.is_some_and(|platform| {
        let platform = platform.to_ascii_lowercase();
        platform.contains("x86") || platform.contains("windows")
    });
    let has_cores = at(AwrFigure::HostCores).is_some();
    if let (Some(cpus), Some(licences), true) =
        (at(AwrFigure::HostCpus), chosen.licences.as_ref(), is_x86 && has_cores)
    {
        // Counted as what is bought: what a virtual machine calls a core is a vCPU, and half of one.
        let today = f64::from(of_cores(cpus * ratio / TARGET_THREADS_PER_CORE));
        all.extend(Provision::new(Provided::Licences, today, None, f64::from(licences.own_hardware)));
    }
    for group in report.and_then(|report| report.exadata.as_ref()).iter().flat_map(|one| &one.disk_groups) {
        if let (Some(size), Some(used)) = (group.size_gib.value(), group.used_gib.value()) {
            let kind = Provided::DiskGroup(group.name.clone());
            all.extend(Provision::new(kind, size, Some(used), used));
        }
    }
    all
}
