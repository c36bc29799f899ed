//! A catalog: what one provider or one own site has to offer, with limits, prices, rules, and the source and
//! date of each.
//!
//! [`Catalog::parse`] is the only way to one, so a `Catalog` that exists is consistent: every source, volume
//! and level that is named exists. The format is `iotrial.catalog/1` (`docs/catalogs.md`).

use std::collections::BTreeMap;

use iotrial_model::content::reads_like;
use iotrial_model::demand::{LatencyClass, Os};
use iotrial_model::toml_reader::{Mistakes, nearest};
use serde::Serialize;

use crate::measure::Measure;

mod block_limit;
mod capacity;
mod raid;
mod host_cache;
mod paid;
mod rule;
mod slots;
mod read;
mod read_machine;

pub use block_limit::{BlockLimit, BlockSizes};
pub use capacity::{CapacityLimit, CapacityPool};
pub use host_cache::HostCache;
pub(crate) use paid::Committed;
pub use paid::{
    BackupPrice, Commitment, ConstrainedFrom, Database, DatabaseLicence, DatabasePrice, EgressStep, Paid,
    Passive, Term,
};
pub use raid::RaidGroup;
pub(crate) use rule::Circumstances;
pub use rule::{Effect, Rule, When};
pub(crate) use slots::{Attached, TooMany};

/// The value of `format` in a file.
pub(crate) const CATALOG_FORMAT: &str = "iotrial.catalog/1";

/// One provider or one own site.
#[derive(Debug, Clone, PartialEq)]
pub struct Catalog {
    /// The short name that configurations and options use.
    pub provider: String,
    /// The name for headings.
    pub title: String,
    /// The file that it is of, where a built-in catalog has the same provider and other content.
    pub of_file: Option<String>,
    /// Where the prices hold.
    pub region: Option<String>,
    /// ISO 4217; prices are in it unless they say otherwise.
    pub currency: String,
    /// Length of a month for hourly prices, in hours. Vendors differ: 730 is a twelfth of a year, 744 are 31
    /// days.
    pub hours_per_month: f64,
    /// Keyed by the name that the tables of the file use for them.
    pub sources: BTreeMap<String, Source>,
    /// Rates from `currency` into others.
    pub exchange: Vec<ExchangeRate>,
    /// Prices of operating systems.
    pub licences: Vec<Licence>,
    /// What a bill has beside machines and volumes by the hour.
    pub paid: Paid,
    /// What all volumes of some kinds share on their way, such as the ports of an array.
    pub paths: Vec<SharedPath>,
    /// How much of some kinds of volume one machine may have in all.
    pub capacity_limits: Vec<CapacityLimit>,
    /// At least one.
    pub volumes: Vec<VolumeKind>,
    /// At least one.
    pub machines: Vec<Machine>,
    /// What may not, or should not, be put together.
    pub rules: Vec<Rule>,
    /// What is known to be missing.
    pub gaps: Vec<Gap>,
}

/// Where figures come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Who says it.
    pub text: String,
    /// The day on which it held, as `YYYY-MM-DD`; `None` where the source carries no date.
    pub as_of: Option<String>,
}

/// What one unit of the catalog's currency is in another one.
#[derive(Debug, Clone, PartialEq)]
pub struct ExchangeRate {
    /// The currency that it converts into, ISO 4217.
    pub to: String,
    /// How many units of `to` one unit of the catalog's currency buys.
    pub per_unit: f64,
    /// Name in [`Catalog::sources`].
    pub source: String,
}

/// The price of an operating system.
#[derive(Debug, Clone, PartialEq)]
pub struct Licence {
    /// The operating system it is for.
    pub os: Os,
    /// Price of a physical core for an hour.
    pub per_ocpu_hour: f64,
    /// Price of a hardware thread for an hour.
    pub per_vcpu_hour: f64,
    /// Name in [`Catalog::sources`].
    pub source: String,
}

/// Something of which there are several, and through which the I/O of some volumes is spread.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedPath {
    /// What it is, such as `front-end ports`.
    pub name: String,
    /// How many share the load.
    pub count: u32,
    /// Names of volumes that pass; empty means all.
    pub volumes: Vec<String>,
    /// What one of them carries; bandwidth in bytes per second.
    pub limits: Vec<(Measure, f64)>,
    /// I/Os in flight at one of them.
    pub queue_depth: Option<f64>,
    /// Name in [`Catalog::sources`]; `None` for those of a machine, which has its own.
    pub source: Option<String>,
}

/// What the traffic of a volume passes between volume and machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Route {
    /// The machine's limits for volumes, apart from its network.
    Volumes,
    /// The machine's limits for volumes, over its network.
    VolumesOverNetwork,
    /// The machine's network alone, as NFS does.
    Network,
    /// Nothing: the volume is a part of the machine, and is lost with it.
    Local,
}

impl Route {
    /// Whether it takes from the machine's network.
    pub(crate) const fn takes_network(self) -> bool {
        matches!(self, Self::VolumesOverNetwork | Self::Network)
    }
}

/// A kind of volume with its levels.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeKind {
    /// Unique in the catalog.
    pub name: String,
    /// The vendor's name.
    pub title: String,
    /// What its traffic passes.
    pub route: Route,
    /// How fast it answers; `None` where no source says.
    pub latency: Option<LatencyClass>,
    /// Most volumes of this kind on one machine; `None` leaves the limit to the machine.
    pub count_max: Option<u32>,
    /// Bytes up to which an I/O counts as one; a larger I/O counts as several. `None` counts every I/O once.
    pub iops_unit: Option<f64>,
    /// Whether bandwidth is counted in those units, too, unless the I/O is sequential: rotating disks with throughput credits.
    pub has_credits: bool,
    /// Whether databases usually lie on it, so that an answer without it has to say so.
    pub is_main: bool,
    /// How its capacity is bought, where not by the volume.
    pub pool: Option<CapacityPool>,
    /// Whether all volumes of the kind on a machine have their limits together, by their size together.
    pub shared_by_machine: bool,
    /// Ways to attach it; empty where there is only one.
    pub attachments: Vec<Attachment>,
    /// At least one; a kind without levels has one without a name.
    pub levels: Vec<Level>,
    /// Name in [`Catalog::sources`].
    pub source: String,
}

/// A way to attach a volume.
#[derive(Debug, Clone, PartialEq)]
pub struct Attachment {
    /// Unique in the kind.
    pub name: String,
    /// What it carries for one volume.
    pub limits: Vec<(Measure, f64)>,
    /// Name in [`Catalog::sources`].
    pub source: String,
}

/// One level of performance of a kind of volume.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Unique in the kind; empty where the kind has only one.
    pub name: String,
    /// The smallest, in GiB; as large as `size_max_gib` where the size is fixed.
    pub size_min_gib: u64,
    /// The largest, in GiB.
    pub size_max_gib: u64,
    /// By size; all of them hold, also where two are of one measure.
    pub limits: Vec<SizedLimit>,
    /// At a small block size, by size.
    pub by_block: Vec<BlockLimit>,
    /// Whether the vendor commits itself to its IOPS.
    pub iops_commitment: bool,
    /// What is bought apart from the size.
    pub provisioned: Option<Provisioned>,
    /// What lies below, where it is a RAID group.
    pub raid: Option<RaidGroup>,
    /// Performance units for each GiB (VPU of OCI).
    pub vpus_per_gib: f64,
    /// `None` where no source that can be relied on has one.
    pub price: Option<VolumePrice>,
}

/// A limit that grows with the size: `base + per_gib × size`, at least `min`, at most `max`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizedLimit {
    /// What it bounds.
    pub measure: Measure,
    /// The limit at size zero.
    pub base: f64,
    /// What each GiB adds.
    pub per_gib: f64,
    /// Lower bound, whatever the size.
    pub min: f64,
    /// Upper bound, whatever the size.
    pub max: f64,
    /// What it allows for a while, where that is more than for good.
    pub burst: Option<f64>,
}

impl SizedLimit {
    /// What a volume of this size may do for good.
    pub fn at(&self, size_gib: f64) -> f64 {
        // Not `clamp`, which panics where a catalog has a `min` above its `max`. The ceiling wins in that
        // case.
        (self.base + self.per_gib * size_gib).max(self.min).min(self.max)
    }
}

/// Performance that is bought apart from the size.
#[derive(Debug, Clone, PartialEq)]
pub struct Provisioned {
    /// IOPS that come with the capacity at no extra charge.
    pub iops_included: f64,
    /// The fewest IOPS that can be ordered.
    pub iops_min: f64,
    /// The most IOPS for each GiB; infinite where the size does not matter.
    pub iops_per_gib_max: f64,
    /// The most IOPS, whatever the size.
    pub iops_max: f64,
    /// Bandwidth, where there is one of its own.
    pub bandwidth: Option<ProvisionedBandwidth>,
}

/// Bandwidth of a provisioned volume, in bytes per second.
#[derive(Debug, Clone, PartialEq)]
pub struct ProvisionedBandwidth {
    /// Bandwidth that comes at no extra charge.
    pub included: f64,
    /// The least bandwidth that can be ordered.
    pub min: f64,
    /// The most bandwidth for each IOPS that is bought.
    pub per_iops_max: f64,
    /// The least bandwidth that has to be bought with each IOPS: Google asks for a 256th MiB/s. Zero where a vendor asks for none.
    pub per_iops_min: f64,
    /// The most bandwidth, whatever the IOPS.
    pub max: f64,
    /// Whether it is bought; otherwise it follows the IOPS.
    pub is_bought: bool,
    /// The smallest amount that can be added: 1 MB/s or 1 MiB/s.
    pub step: f64,
}

/// What a volume costs a month.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumePrice {
    /// The currency of all prices below, ISO 4217.
    pub currency: String,
    /// Flat price a month, whatever the size.
    pub per_month: f64,
    /// For each GiB, a month.
    pub per_gib_month: f64,
    /// For each GiB, an hour.
    pub per_gib_hour: f64,
    /// For each performance unit of each GiB, a month.
    pub per_vpu_gib_month: f64,
    /// For each IOPS beyond the included ones, a month; steps from which on another price holds.
    pub iops_steps: Vec<PriceStep>,
    /// For each IOPS beyond the included ones, an hour.
    pub per_iops_hour: f64,
    /// For each byte per second beyond the included ones, a month.
    pub per_bandwidth_month: f64,
    /// For each byte per second beyond the included ones, an hour.
    pub per_bandwidth_hour: f64,
    /// What is charged besides, and has no price in any source; the price is then known in part only.
    pub without: Option<String>,
    /// Name in [`Catalog::sources`].
    pub source: String,
}

/// The price of IOPS from a number on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriceStep {
    /// The number of IOPS from which this price applies.
    pub from: f64,
    /// Price of one IOPS a month.
    pub per_iops_month: f64,
}

/// A shape, virtual machine, instance or host.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// Unique in the catalog.
    pub name: String,
    /// How many processors it has.
    pub processors: Processors,
    /// The size that it is cut from, where it has fewer processors at the same price.
    pub constrained_from: Option<ConstrainedFrom>,
    /// Whether the processor is ARM rather than x86.
    pub arm: bool,
    /// The most volumes it takes; `None` where no source says.
    pub volumes_max: Option<u32>,
    /// The most volumes by the way they are attached.
    pub volumes_max_by_attachment: BTreeMap<String, u32>,
    /// `None` where it is in no source.
    pub network: Option<Network>,
    /// What it carries for volumes, by kind of volume.
    pub limits: Vec<MachineLimit>,
    /// Adapters of its own, such as host bus adapters.
    pub paths: Vec<SharedPath>,
    /// `None` where there is none, or its limits are in no source.
    pub host_cache: Option<HostCacheLimit>,
    /// `None` where there is none, or it is in no source.
    pub local_disk: Option<LocalDisk>,
    /// `None` where no source that can be relied on has one.
    pub price: Option<MachinePrice>,
    /// Why its limits for volumes are missing.
    pub gap: Option<String>,
    /// Name in [`Catalog::sources`].
    pub source: String,
}

/// Processors and memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Processors {
    /// Sold in one size.
    Fixed {
        /// Physical cores, where the price needs them.
        ocpus: Option<u32>,
        /// Hardware threads, which is what most vendors count.
        vcpus: u32,
        /// Memory in GiB.
        memory_gib: f64,
    },
    /// Sold by the core and the GiB.
    Flexible {
        /// The fewest cores.
        ocpus_min: u32,
        /// The most cores.
        ocpus_max: u32,
        /// Hardware threads of a core.
        vcpus_per_ocpu: u32,
        /// The least memory.
        memory_min_gib: f64,
        /// The most memory.
        memory_max_gib: f64,
        /// The most memory for each core.
        memory_per_ocpu_max_gib: f64,
    },
}

/// The network of a machine, in bytes per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Network {
    /// Out of the machine, whatever its cores.
    pub egress: f64,
    /// Into the machine; `None` where no source says.
    pub ingress: Option<f64>,
    /// In each direction for each core; `egress` and `ingress` are then the most.
    pub per_ocpu: Option<f64>,
}

/// What a machine carries for volumes of some kinds.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineLimit {
    /// The vendor's name for the limit.
    pub name: String,
    /// Names of volumes that it holds for; empty means all.
    pub volumes: Vec<String>,
    /// At most one for each measure.
    pub limits: Vec<MachineMeasure>,
}

/// A limit of a machine in one measure; bandwidth in bytes per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MachineMeasure {
    /// What it bounds.
    pub measure: Measure,
    /// The most, where it does not depend on the network; infinite where it is only relative.
    pub max: f64,
    /// Bytes (or I/Os) for each byte per second of the network: OCI states limits of a shape that way.
    pub per_network: Option<f64>,
    /// What it allows for a while, where that is more than for good.
    pub burst: Option<f64>,
}

/// What the host's cache serves in reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HostCacheLimit {
    /// Reads per second.
    pub iops: f64,
    /// Bytes per second.
    pub bandwidth: f64,
    /// Its size in GiB.
    pub size_gib: f64,
}

/// Disks that are a part of the machine, all together.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalDisk {
    /// How much they hold.
    pub size_gib: u64,
    /// What they carry; bandwidth in bytes per second.
    pub limits: Vec<(Measure, f64)>,
    /// Whether they have their limits together with the host's cache.
    pub with_host_cache: bool,
}

/// What a machine costs.
#[derive(Debug, Clone, PartialEq)]
pub struct MachinePrice {
    /// The currency of all prices below, ISO 4217.
    pub currency: String,
    /// Flat price a month.
    pub per_month: f64,
    /// Flat price an hour.
    pub per_hour: f64,
    /// For each core, an hour.
    pub per_ocpu_hour: f64,
    /// For each GiB of memory, an hour.
    pub per_memory_gib_hour: f64,
    /// Name in [`Catalog::sources`].
    pub source: String,
}

/// Something that the catalog does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// What is missing.
    pub text: String,
    /// The disk that is missing, where it is one on which databases usually lie.
    pub main_disk: Option<String>,
    /// Name in [`Catalog::sources`]: where it was looked for.
    pub source: String,
}

/// A name that the catalog does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the catalog `{provider}` has no {what} `{name}`")]
pub struct UnknownName {
    /// The provider whose catalog was asked.
    pub provider: String,
    /// `machine`, `volume`, `level` or `attachment`.
    pub what: &'static str,
    /// What was asked for.
    pub name: String,
    /// What was probably meant, or what there is.
    pub hint: String,
}

/// One of them: machines, volumes and rules; then what else is paid to this provider; then the price lists of databases, which are
/// the same with all of them.
macro_rules! built_in {
    ($provider:literal) => {
        concat!(
            include_str!(concat!("../../../catalogs/", $provider, ".toml")),
            include_str!(concat!("../../../catalogs/", $provider, "-paid.toml")),
            include_str!("../../../catalogs/databases.toml"),
        )
    };
}

/// The catalogs that are part of the program.
// Embedded at compile time: the program answers without a network and without files beside it.
const BUILT_IN: [&str; 4] = [built_in!("oci"), built_in!("azure"), built_in!("aws"), built_in!("gcp")];

impl Catalog {
    /// Reads a catalog from its TOML text.
    ///
    /// # Errors
    ///
    /// Every mistake with line and column.
    pub fn parse(text: &str) -> Result<Self, Mistakes> {
        read::read(text)
    }

    /// The catalogs that are part of the program.
    pub fn built_in() -> Vec<Self> {
        BUILT_IN.iter().map(|text| Self::parse(text).expect("a test holds that they are valid")).collect()
    }

    /// The text of one that is part of the program.
    pub fn built_in_text(provider: &str) -> Option<&'static str> {
        let is_meant = |text: &&str| Self::parse(text).is_ok_and(|catalog| catalog.provider == provider);
        // A catalog is found by what it says of itself, since the order of `BUILT_IN` means nothing.
        BUILT_IN.into_iter().find(|text| is_meant(text))
    }

    /// The catalog of a provider that is part of the program.
    pub fn built_in_of(provider: &str) -> Option<Self> {
        Self::built_in().into_iter().find(|catalog| catalog.provider == provider)
    }

    /// The same as the catalog of a file. One that has the provider of a built-in catalog and other content says so wherever it is shown.
    #[must_use]
    pub fn of_file(self, file: &str) -> Self {
        let is_another = |one: &Self| reads_like(&one.provider, &self.provider) && *one != self;
        if !Self::built_in().iter().any(is_another) {
            return self;
        }
        let title = not_built_in(&self.title, file);
        Self { title, of_file: Some(file.to_owned()), ..self }
    }

    /// The provider, as it is shown.
    pub fn shown_provider(&self) -> String {
        self.of_file.as_ref().map_or_else(|| self.provider.clone(), |file| not_built_in(&self.provider, file))
    }

    /// A kind of volume by its name.
    ///
    /// # Errors
    ///
    /// When there is none of that name.
    pub fn volume(&self, name: &str) -> Result<&VolumeKind, UnknownName> {
        find(&self.volumes, name, |kind| &kind.name).ok_or_else(|| self.unknown("volume", name))
    }

    /// A machine by its name.
    ///
    /// # Errors
    ///
    /// When there is none of that name.
    pub fn machine(&self, name: &str) -> Result<&Machine, UnknownName> {
        find(&self.machines, name, |machine| &machine.name)
            .or_else(|| find(&self.paid.constrained, name, |machine| &machine.name))
            .ok_or_else(|| self.unknown("machine", name))
    }

    fn unknown(&self, what: &'static str, name: &str) -> UnknownName {
        let names: Vec<&str> = match what {
            "volume" => self.volumes.iter().map(|kind| kind.name.as_str()).collect(),
            _ => self.machines.iter().map(|machine| machine.name.as_str()).collect(),
        };
        unknown_name(&self.provider, what, name, &names)
    }

    /// The limit on all volumes of a kind together on one machine, and of which other kinds they are.
    pub(crate) fn capacity_limits_of<'c>(
        &'c self,
        kind: &'c VolumeKind,
    ) -> impl Iterator<Item = &'c CapacityLimit> {
        self.capacity_limits.iter().filter(|limit| holds_for(&limit.volumes, &kind.name))
    }

    /// A source as people cite it: text and date.
    pub(crate) fn cited(&self, source: &str) -> String {
        self.sources.get(source).map_or_else(|| source.to_owned(), Source::cited)
    }

    /// The oldest date of any source, and whether some have none.
    pub fn oldest(&self) -> (Option<&str>, bool) {
        let dates = self.sources.values().filter_map(|source| source.as_of.as_deref());
        // ISO dates sort as text in the order of time, so no calendar is needed.
        (dates.min(), self.sources.values().any(|source| source.as_of.is_none()))
    }

    /// The newest date of any source.
    pub fn newest(&self) -> Option<&str> {
        self.sources.values().filter_map(|source| source.as_of.as_deref()).max()
    }

    /// The price of an operating system; `None` where it is in no source. Linux costs nothing.
    pub fn licence(&self, os: Os) -> Option<&Licence> {
        self.licences.iter().find(|licence| licence.os == os)
    }
}

impl Source {
    /// Text and date.
    pub(crate) fn cited(&self) -> String {
        // The date is part of the citation: limits double and prices change within a year.
        match &self.as_of {
            Some(day) => format!("{} ({day})", self.text),
            None => format!("{} (no date)", self.text),
        }
    }
}

impl VolumeKind {
    /// A level by its name; the only one where there is no choice.
    ///
    /// # Errors
    ///
    /// When there is none of that name.
    pub fn level(&self, provider: &str, name: &str) -> Result<&Level, UnknownName> {
        let names = || self.levels.iter().map(|level| level.name.as_str()).collect::<Vec<_>>();
        find(&self.levels, name, |level| &level.name)
            .ok_or_else(|| unknown_name(provider, "level", name, &names()))
    }
}

impl Machine {
    /// The name as it is ordered. What follows a `/` is the way in which it is used: the same machine over another interface.
    pub(crate) fn ordered_name(&self) -> &str {
        self.name.split_once('/').map_or(&*self.name, |(name, _)| name)
    }

    /// Whether volumes of this kind can be attached, and how they are limited is known.
    pub fn takes(&self, kind: &VolumeKind) -> bool {
        match kind.route {
            Route::Network => self.network.is_some(),
            Route::Local => self.local_disk.is_some(),
            Route::Volumes | Route::VolumesOverNetwork => {
                // A machine whose limits name kinds of volumes takes only those kinds. One that states no
                // limit but has adapters of its own (a host of an own site) is bounded by the adapters
                // instead.
                self.gap.is_none()
                    && (self.limits.is_empty() && !self.paths.is_empty()
                        || self.limits.iter().any(|limit| holds_for(&limit.volumes, &kind.name)))
            }
        }
    }
}

fn not_built_in(name: &str, file: &str) -> String {
    format!("{name} (of {file}, not the built-in)")
}

/// Whether a list of volume names includes one; an empty list includes all.
pub(crate) fn holds_for(volumes: &[String], name: &str) -> bool {
    volumes.is_empty() || volumes.iter().any(|volume| volume == name)
}

fn find<'c, T>(all: &'c [T], name: &str, name_of: impl Fn(&T) -> &String) -> Option<&'c T> {
    // Case is ignored only where no name matches exactly, so names that differ in case alone can both be
    // asked for.
    let exact = all.iter().find(|one| name_of(one) == name);
    exact.or_else(|| all.iter().find(|one| name_of(one).eq_ignore_ascii_case(name)))
}

pub(crate) fn unknown_name(provider: &str, what: &'static str, name: &str, known: &[&str]) -> UnknownName {
    // A part of the name, or its letters without the vendor's prefix, is what people type.
    let plain = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
    };
    let typed = plain(name);
    let containing: Vec<&str> = known
        .iter()
        .copied()
        // Two letters or fewer would match most names.
        .filter(|known| typed.len() >= 3 && plain(known).contains(&typed))
        .take(5)
        .collect();
    let hint = if !containing.is_empty() {
        format!("did you mean {}?", containing.join(", "))
    } else if let Some(near) = nearest(name, known.iter().copied()) {
        format!("did you mean `{near}`?")
        // Above twenty names a list is no longer a hint; AWS and Azure have about a hundred machines each.
    } else if known.len() <= 20 {
        format!("there are {}", known.join(", "))
    } else {
        format!("`iotrial size catalogs {provider}` lists them")
    };
    UnknownName { provider: provider.to_owned(), what, name: name.to_owned(), hint }
}

#[cfg(test)]
mod tests;
