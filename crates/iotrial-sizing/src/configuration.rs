//! A configuration: a machine and the volumes on it, as somebody plans or has it. Format
//! `iotrial.configuration/1` (`docs/size.md`). [`Configuration::on`] finds everything that it names in a
//! catalog.

use std::collections::BTreeMap;

use iotrial_model::demand::{Demand, Mirror, Os};
use iotrial_model::load::Role;
use iotrial_model::toml_reader::{Mistakes, Scalar, TableReader, read_toml};
use iotrial_model::units::ByteSize;
use serde::Serialize;

use crate::catalog::{
    Attached, Attachment, Catalog, HostCache, Level, Machine, Processors, Route, UnknownName, VolumeKind,
};
use crate::measure::{Load, LoadStream, is_sequential, is_shipped};

mod pool;

mod text;

mod words;

pub use pool::Pool;
use pool::read_pool;
pub(crate) use pool::telling_name;

/// The value of `format` in a file.
pub(crate) const CONFIGURATION_FORMAT: &str = "iotrial.configuration/1";

/// More pools than anybody keeps apart.
// A pool is a row in every table and a weight in every limit. Five roles exist, so 32 is far beyond use and
// bounds hostile files.
const MOST_POOLS: usize = 32;

/// A machine with volumes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Configuration {
    /// One line for headings.
    pub title: String,
    /// The provider in whose catalog everything is looked up.
    pub provider: String,
    /// Name of the machine in the catalog.
    pub machine: String,
    /// Cores, where the machine has as many as are ordered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocpus: Option<u32>,
    /// Memory, where the machine has as much as is ordered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<f64>,
    /// The operating system.
    pub os: Os,
    /// Whether the price includes its licence.
    pub licence: bool,
    /// Whether machines share the volumes.
    pub clustered: bool,
    /// How often the machine writes everything.
    pub mirror: Mirror,
    /// To how many other machines the writes of the shipped roles go over the network.
    pub replicas: u32,
    /// The roles of which replicas get the writes; empty is the log.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shipped: Vec<Role>,
    /// I/Os in flight at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outstanding: Option<u32>,
    /// What an I/O takes on average, with which `outstanding` limits the rate.
    // Without a latency, `outstanding` limits nothing: by Little's law both are needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_mean_us: Option<f64>,
    /// What cannot be counted and is said of it, such as `effort`, for comparisons.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// Stripe sets, each for some roles; at least one.
    pub pools: Vec<Pool>,
}

/// Why a configuration cannot be had.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConfigurationError {
    /// A name that the catalog does not have.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// A choice that has to be made.
    #[error("`{key}` is missing for `{name}`")]
    Missing {
        /// The key that is missing.
        key: &'static str,
        /// What needs it.
        name: String,
        /// What there is to choose from.
        hint: String,
    },
    /// A figure that cannot be ordered.
    #[error("{what} of `{name}` must be {allowed}, not {given}")]
    OutOfRange {
        /// What it is, with its unit.
        what: &'static str,
        /// What it is ordered for.
        name: String,
        /// What can be ordered.
        allowed: String,
        /// What was asked for.
        given: String,
    },
    /// A figure for something that has no such choice.
    #[error("`{key}` cannot be chosen for `{name}`")]
    NoChoice {
        /// The key that has no effect.
        key: &'static str,
        /// What has no choice.
        name: String,
    },
    /// A volume that would be a part of a machine that has none.
    #[error("the catalog lists no local disk for `{machine}`")]
    NoLocalDisk {
        /// Name of the machine.
        machine: String,
    },
    /// A role that is assigned to two pools, or to none.
    #[error("the role `{role}` is on {}", if *.count == 0 { "no pool".to_owned() } else { format!("{count} pools") })]
    Placement {
        /// The role that is placed wrongly.
        role: Role,
        /// How many pools take it.
        count: usize,
    },
}

impl ConfigurationError {
    /// What the reader can do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown(unknown) => Some(unknown.hint.clone()),
            Self::Missing { hint, .. } => Some(hint.clone()),
            Self::Placement { .. } => Some(
                "each role must be on exactly one pool; a pool without `roles` takes the remaining roles"
                    .to_owned(),
            ),
            Self::OutOfRange { .. } | Self::NoChoice { .. } | Self::NoLocalDisk { .. } => None,
        }
    }
}

impl Configuration {
    /// Reads a configuration from its TOML text.
    ///
    /// # Errors
    ///
    /// Every mistake with line and column.
    pub fn parse(text: &str) -> Result<Self, Mistakes> {
        read_toml(text, |top| {
            top.required("format", |top, key| top.word(key, &[(CONFIGURATION_FORMAT, ())]));
            let title = top.text("title");
            let provider = top.required("provider", TableReader::text);
            let machine = top.required("machine", TableReader::name);
            // The range only keeps hostile numbers out; the catalog knows the real one for each machine.
            let ocpus = top.count("ocpus", 1..=4096);
            let memory_gib = top.size("memory").map(gib);
            let os_words: Vec<_> = Os::ALL.iter().map(|os| (os.as_str(), *os)).collect();
            let mirror_words: Vec<_> = Mirror::ALL.iter().map(|mirror| (mirror.as_str(), *mirror)).collect();
            let os = top.word("os", &os_words).unwrap_or(Os::Linux);
            let licence = top.boolean("licence").unwrap_or(true);
            let clustered = top.boolean("clustered").unwrap_or(false);
            let mirror = top.word("mirror", &mirror_words).unwrap_or(Mirror::None);
            let replicas = top.count("replicas", 0..=16).unwrap_or(0);
            let role_words: Vec<_> = Role::ALL.iter().map(|role| (role.as_str(), *role)).collect();
            let shipped = if top.has("shipped") { top.words("shipped", &role_words) } else { None };
            let outstanding = top.count("outstanding", 1..=1 << 24);
            let latency = top.duration("latency_mean").map(|time| time.as_secs_f64() * 1e6);
            let attributes =
                top.table("attributes", |table| Some(read_attributes(table))).unwrap_or_default();
            let pools = top.required("pool", |top, key| top.tables(key, read_pool))?;
            if pools.len() > MOST_POOLS {
                return top.refuse("pool", format!("there are more than {MOST_POOLS} pools"));
            }
            let machine = machine?;
            Some(Self {
                title: title.unwrap_or_else(|| machine.clone()),
                provider: provider?,
                machine,
                ocpus,
                memory_gib,
                os,
                licence,
                clustered,
                mirror,
                replicas,
                shipped: shipped.unwrap_or_default(),
                outstanding,
                latency_mean_us: latency,
                attributes,
                pools,
            })
        })
    }

    /// Finds everything that it names.
    ///
    /// # Errors
    ///
    /// When a name is unknown, a choice is missing, or a figure cannot be ordered.
    pub fn on<'c>(&self, catalog: &'c Catalog) -> Result<Resolved<'c>, ConfigurationError> {
        let machine = self.sized_machine(catalog)?;
        let pools = self
            .pools
            .iter()
            .map(|pool| pool.on(catalog, machine.machine))
            .collect::<Result<Vec<_>, ConfigurationError>>()?;
        for role in Role::ALL {
            // No pool is fine here, as long as no load for that role is asked.
            let count = self.pools.iter().filter(|pool| pool.roles.contains(role)).count();
            if count > 1 {
                return Err(ConfigurationError::Placement { role: *role, count });
            }
        }
        Ok(Resolved { configuration: self.clone(), catalog, machine, pools })
    }

    fn sized_machine<'c>(&self, catalog: &'c Catalog) -> Result<SizedMachine<'c>, ConfigurationError> {
        let machine = catalog.machine(&self.machine)?;
        // A figure that has no effect is refused rather than ignored: the price would not be that of what was
        // written.
        if matches!(machine.processors, Processors::Fixed { .. }) {
            if self.ocpus.is_some() {
                return Err(ConfigurationError::NoChoice { key: "ocpus", name: machine.name.clone() });
            }
            if self.memory_gib.is_some() {
                return Err(ConfigurationError::NoChoice { key: "memory", name: machine.name.clone() });
            }
        }
        let missing =
            // Memory has a least value to fall back on, cores do not: nobody means «one core» by leaving them
            // out.
            |key, hint: String| ConfigurationError::Missing { key, name: machine.name.clone(), hint };
        if let Processors::Flexible { ocpus_min, ocpus_max, .. } = machine.processors
            && self.ocpus.is_none()
        {
            return Err(missing("ocpus", format!("choose from {ocpus_min} to {ocpus_max}")));
        }
        SizedMachine::new(machine, self.ocpus, self.memory_gib).map_err(|(what, allowed, given)| {
            ConfigurationError::OutOfRange { what, name: machine.name.clone(), allowed, given }
        })
    }

    /// The configuration under what a demand says of copies, replicas and clusters, where that is more.
    #[must_use]
    pub fn under(&self, demand: &Demand) -> Self {
        // The larger of both: a configuration may protect more than asked, and a demand may ask for more than
        // it was written with.
        let more = |a: Mirror, b: Mirror| if a.copies() >= b.copies() { a } else { b };
        Self {
            mirror: more(self.mirror, demand.mirror),
            replicas: self.replicas.max(demand.replicas),
            shipped: if demand.shipped.is_empty() { self.shipped.clone() } else { demand.shipped.clone() },
            clustered: self.clustered || demand.clustered,
            ..self.clone()
        }
    }
}

/// Words, numbers and truths by names that the writer chooses, as words.
fn read_attributes(table: &mut TableReader<'_>) -> BTreeMap<String, String> {
    let words = |scalar: Scalar| match scalar {
        Scalar::Text(text) => text,
        Scalar::Number { text, .. } => text,
        Scalar::Boolean(is_so) => if is_so { "yes" } else { "no" }.to_owned(),
    };
    table.scalars().into_iter().map(|(name, scalar)| (name, words(scalar))).collect()
}

fn gib(size: ByteSize) -> f64 {
    // Sizes up to 2^53 bytes (8 PiB) are exact in a double, which is what the 15 digits are about.
    size.get() as f64 / ByteSize::GIB.get() as f64
}

impl crate::catalog::Provisioned {
    /// The most IOPS that a volume of this size may have.
    pub(crate) fn most_iops(&self, size_gib: u64) -> f64 {
        // What is included may exceed what the ratio allows for a small volume; the vendor still grants it.
        // The ceiling of the kind holds in any case.
        (self.iops_per_gib_max * size_gib as f64).max(self.iops_included).min(self.iops_max)
    }
}

impl crate::catalog::ProvisionedBandwidth {
    /// The unit of one step.
    pub(crate) fn unit(&self) -> crate::measure::BandwidthUnit {
        use crate::measure::BandwidthUnit::{Mb, Mib};
        // A step is 1,000,000 or 1,048,576 bytes; anything between tells them apart.
        if self.step > 1.01e6 { Mib } else { Mb }
    }

    /// The most bytes per second at these IOPS.
    pub fn most(&self, iops: f64) -> f64 {
        (self.per_iops_max * iops).max(self.included).min(self.max)
    }

    /// The least bandwidth that can be ordered with so many IOPS, in whole steps.
    pub(crate) fn least(&self, iops: f64) -> f64 {
        // A vendor that asks for bandwidth with the IOPS sells it in steps, too. The tolerance keeps 40,960 IOPS at 160 MiB/s, and not at 161.
        let asked = (self.per_iops_min * iops / self.step * (1.0 - 1e-9)).ceil() * self.step;
        asked.max(self.min).min(self.max)
    }
}

/// A configuration with everything that it names.
#[derive(Debug, Clone)]
pub struct Resolved<'c> {
    /// As it was given.
    pub configuration: Configuration,
    /// Whose parts it is made of.
    pub catalog: &'c Catalog,
    /// The machine in the size that was ordered.
    pub machine: SizedMachine<'c>,
    /// In the order of the configuration.
    pub pools: Vec<ResolvedPool<'c>>,
}

/// A machine with its cores and memory.
#[derive(Debug, Clone, Copy)]
pub struct SizedMachine<'c> {
    /// The machine of the catalog.
    pub machine: &'c Machine,
    /// Physical cores, where they are known.
    pub ocpus: Option<u32>,
    /// Hardware threads of all cores.
    pub vcpus: u32,
    /// Memory in GiB.
    pub memory_gib: f64,
    /// Out of the machine and into it, in bytes per second; each `None` where no source says.
    pub egress: Option<f64>,
    /// Into the machine, like `egress`.
    pub ingress: Option<f64>,
}

impl<'c> SizedMachine<'c> {
    /// The machine of that size; without a memory the least that it can have. An error is what, what is
    /// allowed, and what was given.
    pub(crate) fn new(
        machine: &'c Machine,
        ocpus: Option<u32>,
        memory_gib: Option<f64>,
    ) -> Result<Self, (&'static str, String, String)> {
        let (ocpus, vcpus, memory_gib) = match machine.processors {
            Processors::Fixed { ocpus, vcpus, memory_gib } => (ocpus, vcpus, memory_gib),
            Processors::Flexible {
                ocpus_min,
                ocpus_max,
                vcpus_per_ocpu,
                memory_min_gib,
                memory_max_gib,
                memory_per_ocpu_max_gib,
            } => {
                let ocpus = ocpus.unwrap_or(ocpus_min);
                if !(ocpus_min..=ocpus_max).contains(&ocpus) {
                    let allowed = format!("from {ocpus_min} to {ocpus_max}");
                    return Err(("the number of OCPUs", allowed, ocpus.to_string()));
                }
                // Every core has at least the least memory.
                let least = memory_min_gib * f64::from(ocpus);
                let most = memory_max_gib.min(memory_per_ocpu_max_gib * f64::from(ocpus));
                let memory = memory_gib.unwrap_or(least);
                // No tolerance: both sides come from whole GiB and whole cores.
                if memory < least || memory > most {
                    let allowed = format!("from {least} to {most} GiB with {ocpus} OCPU");
                    return Err(("the memory", allowed, format!("{memory} GiB")));
                }
                (Some(ocpus), ocpus * vcpus_per_ocpu, memory)
            }
        };
        let scaled = |most: f64| match machine.network.and_then(|network| network.per_ocpu) {
            Some(per_ocpu) => (per_ocpu * f64::from(ocpus.unwrap_or(1))).min(most),
            None => most,
        };
        Ok(Self {
            machine,
            ocpus,
            vcpus,
            memory_gib,
            egress: machine.network.map(|network| scaled(network.egress)),
            ingress: machine.network.and_then(|network| network.ingress).map(scaled),
        })
    }
}

/// A pool with the volumes that it is made of.
#[derive(Debug, Clone, Copy)]
pub struct ResolvedPool<'c> {
    /// Kind of volume.
    pub kind: &'c VolumeKind,
    /// Level of performance.
    pub level: &'c Level,
    /// How it is attached.
    pub attachment: Option<&'c Attachment>,
    /// How many volumes.
    pub count: u32,
    /// Size of each volume.
    pub size_gib: u64,
    /// Of each, where IOPS are bought.
    pub iops: f64,
    /// Of each in bytes per second, where IOPS are bought.
    pub bandwidth: f64,
    /// What the host caches.
    pub host_cache: HostCache,
    /// Share of reads from the cache, 0 to 1.
    pub cache_hit: f64,
}

impl<'c> ResolvedPool<'c> {
    /// All volumes together.
    pub fn total_gib(&self) -> f64 {
        self.size_gib as f64 * f64::from(self.count)
    }

    /// As far as places for volumes are counted.
    pub(crate) fn attached(&self) -> Attached<'c> {
        let attachment = self.attachment.map(|one| one.name.as_str());
        Attached { kind: self.kind, attachment, count: self.count }
    }
}

impl Resolved<'_> {
    /// What of it holds data, each byte once.
    pub fn usable_gib(&self) -> f64 {
        // Copies of a mirror hold the same data. Replicas do not count here: they have volumes of their own.
        self.lasting_gib() / f64::from(self.configuration.mirror.copies())
    }

    /// All volumes that outlive the machine.
    pub(crate) fn lasting_gib(&self) -> f64 {
        // The machine's own disk is lost with the machine, so it holds no data that has to last.
        let lasting = self.pools.iter().filter(|pool| pool.kind.route != Route::Local);
        lasting.map(ResolvedPool::total_gib).sum()
    }

    /// How many volumes are bought; the disk of the machine itself is none of them.
    pub(crate) fn volume_count(&self) -> u32 {
        let bought = self.pools.iter().filter(|pool| pool.kind.route != Route::Local);
        bought.map(|pool| pool.count).fold(0, u32::saturating_add)
    }

    /// The roles of a pool: its own, or all that no other pool takes.
    pub(crate) fn roles_of(&self, pool: usize) -> Vec<Role> {
        let pools = &self.configuration.pools;
        if !pools[pool].roles.is_empty() {
            return pools[pool].roles.clone();
        }
        let is_free = |role: &&Role| pools.iter().all(|pool| !pool.roles.contains(role));
        Role::ALL.iter().filter(is_free).copied().collect()
    }

    /// What a pool is called: by its roles, or by what it takes besides.
    pub(crate) fn pool_name(&self, pool: usize) -> String {
        self.configuration.pool_name(pool)
    }

    /// The pool that a role is assigned to.
    ///
    /// # Errors
    ///
    /// When it is assigned to none, or to several.
    pub(crate) fn pool_of(&self, role: Option<Role>) -> Result<usize, ConfigurationError> {
        let pools = &self.configuration.pools;
        // With a single pool there is nothing to place, whatever roles a demand names.
        if pools.len() == 1 {
            return Ok(0);
        }
        // What is for nothing in particular is data.
        let meant = role.unwrap_or(Role::Data);
        let named = pools.iter().position(|pool| pool.roles.contains(&meant));
        let open: Vec<usize> = (0..pools.len()).filter(|pool| pools[*pool].roles.is_empty()).collect();
        match (named, open.as_slice()) {
            // A pool that names the role wins over one that takes the rest.
            (Some(pool), _) => Ok(pool),
            (None, [pool]) => Ok(*pool),
            (None, open) => Err(ConfigurationError::Placement { role: meant, count: open.len() }),
        }
    }

    /// A demand as a load on the pools, as large as it is at the end of its years.
    ///
    /// # Errors
    ///
    /// When a role is assigned to no pool, or to several.
    pub fn load_of(&self, demand: &Demand) -> Result<Load, ConfigurationError> {
        // Rates grow, block sizes do not: more users make more I/Os of the same kind.
        let growth = demand.load_growth();
        let shipped = if demand.shipped.is_empty() { &self.configuration.shipped } else { &demand.shipped };
        let log_is_apart = demand.streams.iter().any(|stream| stream.role == Some(Role::Log));
        let streams = demand.streams.iter().map(|stream| {
            Ok(LoadStream {
                pool: self.pool_of(stream.role)?,
                direction: stream.direction,
                iops: stream.iops * growth,
                block_size_bytes: stream.block_size_bytes,
                is_sequential: is_sequential(stream.role),
                is_shipped: is_shipped(shipped, stream.role, log_is_apart),
            })
        });
        Ok(Load { streams: streams.collect::<Result<_, ConfigurationError>>()? })
    }

    /// A load of which nothing is known but the pool that it goes to: sequential where everything on the pool is, and shipped
    /// where anything on it is.
    pub(crate) fn as_on(&self, pool: usize, load: &Load) -> Load {
        let roles = self.roles_of(pool);
        let is_sequential = !roles.is_empty() && roles.iter().all(|role| is_sequential(Some(*role)));
        let shipped = &self.configuration.shipped;
        load.known_as(is_sequential, roles.iter().any(|role| is_shipped(shipped, Some(*role), true)))
    }
}
