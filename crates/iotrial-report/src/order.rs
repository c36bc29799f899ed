//! A configuration as it is ordered: a Terraform file, or commands of the provider's own tool, in the units of the provider's forms.
//! What a person has to decide (names, zones, networks, images) is a variable.
//!
//! Each provider has a template for each tool in `order`. Here is what fills them in, and how names become words of their languages.

use iotrial_model::demand::Os;
use iotrial_model::foreign_text::harmless;
use iotrial_sizing::catalog::HostCache;
use iotrial_sizing::configuration::{Configuration, Pool};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value as Template};
use serde::Serialize;

/// Why a configuration cannot be written as an order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoOrder {
    /// A provider from a user's own catalog.
    #[error("iotrial does not know how to order from the provider `{0}`")]
    Provider(String),
    /// A kind of volume that the provider's tools take in another way.
    #[error("iotrial does not know how to order `{volume}` from `{provider}`")]
    Volume {
        /// The provider.
        provider: String,
        /// The kind of volume.
        volume: String,
    },
}

/// The Terraform file of a configuration; `has_pair` says that a second machine belongs to it.
///
/// # Errors
///
/// When the provider or a kind of volume comes from a user's own catalog.
pub fn terraform(configuration: &Configuration, has_pair: bool) -> Result<String, NoOrder> {
    Ok(filled(Seller::of(configuration)?.terraform, &Order::new(configuration, has_pair)?, hcl))
}

/// The commands of the provider's tool that make a configuration, as a shell script.
///
/// # Errors
///
/// As [`terraform`].
pub fn commands(configuration: &Configuration, has_pair: bool) -> Result<String, NoOrder> {
    Ok(filled(Seller::of(configuration)?.commands, &Order::new(configuration, has_pair)?, shell))
}

/// A provider whose tools iotrial knows.
struct Seller {
    provider: &'static str,
    terraform: &'static str,
    commands: &'static str,
    /// One MB/s in the provider's forms, in bytes per second.
    mb_per_s: f64,
    volumes: &'static [Sold],
}

/// A kind of volume as it is sold.
struct Sold {
    /// The name in the catalog; one that ends in `-` is the beginning of names.
    volume: &'static str,
    /// The provider's word, where it is another one.
    kind: Option<&'static str>,
    /// What is bought apart from the size.
    iops: bool,
    throughput: bool,
}

const fn sold(volume: &'static str, kind: Option<&'static str>, iops: bool, throughput: bool) -> Sold {
    Sold { volume, kind, iops, throughput }
}

const MIB: f64 = 1_048_576.0;

const SELLERS: [Seller; 4] = [
    Seller {
        provider: "aws",
        terraform: include_str!("order/aws.tf.j2"),
        commands: include_str!("order/aws.sh.j2"),
        mb_per_s: MIB,
        volumes: &[
            sold("gp2", None, false, false),
            sold("gp3", None, true, true),
            sold("io1", None, true, false),
            sold("io2", None, true, false),
            sold("st1", None, false, false),
            sold("sc1", None, false, false),
        ],
    },
    Seller {
        provider: "azure",
        terraform: include_str!("order/azure.tf.j2"),
        commands: include_str!("order/azure.sh.j2"),
        mb_per_s: 1e6,
        volumes: &[
            sold("premium-ssd", Some("Premium_LRS"), false, false),
            sold("premium-ssd-v2", Some("PremiumV2_LRS"), true, true),
            sold("ultra-disk", Some("UltraSSD_LRS"), true, true),
            sold("standard-ssd", Some("StandardSSD_LRS"), false, false),
            sold("standard-hdd", Some("Standard_LRS"), false, false),
            sold("netapp-files", None, false, false),
        ],
    },
    Seller {
        provider: "gcp",
        terraform: include_str!("order/gcp.tf.j2"),
        commands: include_str!("order/gcp.sh.j2"),
        mb_per_s: MIB,
        volumes: &[
            sold("pd-extreme", None, true, false),
            sold("pd-", None, false, false),
            sold("hyperdisk-balanced", None, true, true),
            sold("hyperdisk-extreme", None, true, false),
            sold("hyperdisk-throughput", None, false, true),
            sold("hyperdisk-", None, false, false),
        ],
    },
    Seller {
        provider: "oci",
        terraform: include_str!("order/oci.tf.j2"),
        commands: include_str!("order/oci.sh.j2"),
        mb_per_s: MIB,
        volumes: &[sold("block-volume", None, false, false)],
    },
];

impl Seller {
    fn of(configuration: &Configuration) -> Result<&'static Self, NoOrder> {
        let provider = &configuration.provider;
        let known = SELLERS.iter().find(|seller| seller.provider == provider);
        known.ok_or_else(|| NoOrder::Provider(provider.clone()))
    }

    fn sold(&self, volume: &str) -> Option<&Sold> {
        let is_it =
            |one: &&Sold| one.volume == volume || one.volume.ends_with('-') && volume.starts_with(one.volume);
        self.volumes.iter().find(is_it)
    }
}

/// A configuration as the templates see it.
#[derive(Serialize)]
struct Order<'c> {
    provider: &'c str,
    title: String,
    in_short: String,
    /// Whether a second machine is wanted.
    has_pair: bool,
    /// As it is ordered, without the way in which it is used.
    machine: &'c str,
    /// Ebdsv5 and Ebsv5 have other limits over each interface; what follows a `/` in a catalog says which was sized.
    is_scsi: bool,
    is_windows: bool,
    ocpus: Option<u32>,
    memory_gib: Option<String>,
    /// How often the machine itself writes everything.
    copies: u32,
    /// Device names that AWS recommends for data volumes, and those behind them: beyond z it has two letters.
    ebs_devices: Vec<String>,
    /// Those that are ordered; disks of the machine itself come with it.
    parts: Vec<OrderedPool<'c>>,
}

/// A pool as it is ordered.
#[derive(Serialize)]
struct OrderedPool<'c> {
    /// The name of its resources and variables: that of its roles, such as `data`.
    name: String,
    volume: &'c str,
    /// The provider's word for it.
    kind: &'c str,
    level: &'c str,
    /// Performance units of a level such as `vpu-20`.
    vpus: Option<u32>,
    attachment: &'c str,
    host_cache: HostCache,
    count: u32,
    /// How many volumes come before its own.
    before: u32,
    size_gib: u64,
    /// What is bought for each, in the provider's unit.
    iops: Option<String>,
    throughput: Option<String>,
}

impl<'c> Order<'c> {
    fn new(configuration: &'c Configuration, has_pair: bool) -> Result<Self, NoOrder> {
        let seller = Seller::of(configuration)?;
        let mut parts: Vec<OrderedPool<'c>> = Vec::new();
        for pool in configuration.pools.iter().filter(|pool| pool.volume != "local-disk") {
            let part = OrderedPool::new(pool, seller, &parts).ok_or_else(|| NoOrder::Volume {
                provider: configuration.provider.clone(),
                volume: pool.volume.clone(),
            })?;
            parts.push(part);
        }
        let one_letter = ('f'..='z').map(|letter| format!("/dev/sd{letter}"));
        let two_letters =
            ('b'..='c').flat_map(|one| ('a'..='z').map(move |two| format!("/dev/xvd{one}{two}")));
        let machine = &configuration.machine;
        Ok(Self {
            provider: &configuration.provider,
            title: harmless(&configuration.title),
            in_short: harmless(&configuration.in_short()),
            has_pair,
            machine: machine.split_once('/').map_or(machine, |(name, _)| name),
            is_scsi: machine.ends_with("/scsi"),
            is_windows: configuration.os == Os::Windows,
            ocpus: configuration.ocpus,
            memory_gib: configuration.memory_gib.map(|gib| gib.to_string()),
            copies: configuration.mirror.copies(),
            ebs_devices: one_letter.chain(two_letters).collect(),
            parts,
        })
    }
}

impl<'c> OrderedPool<'c> {
    /// `None` where the seller's tools do not know the kind of volume.
    fn new(pool: &'c Pool, seller: &Seller, earlier: &[Self]) -> Option<Self> {
        let sold = seller.sold(&pool.volume)?;
        let vpus = pool.level.strip_prefix("vpu-").and_then(|vpus| vpus.parse().ok());
        if seller.provider == "oci" && vpus.is_none() {
            return None;
        }
        let roles: Vec<&str> = pool.roles.iter().map(|role| role.as_str()).collect();
        let plain = if roles.is_empty() { "data".to_owned() } else { roles.join("_") };
        let same = earlier.iter().filter(|part| part.name.starts_with(&plain)).count();
        let bandwidth = pool.bandwidth.filter(|one| one.is_finite() && sold.throughput);
        Some(Self {
            name: if same == 0 { plain } else { format!("{plain}_{}", same + 1) },
            volume: &pool.volume,
            kind: sold.kind.unwrap_or(&pool.volume),
            level: &pool.level,
            vpus,
            attachment: pool.attachment.as_deref().unwrap_or("paravirtualized"),
            host_cache: pool.host_cache,
            count: pool.count,
            before: earlier.iter().map(|part| part.count).sum(),
            size_gib: pool.size_gib,
            iops: pool.iops.filter(|_| sold.iops).map(|iops| whole(iops, 1.0)),
            throughput: bandwidth.map(|bandwidth| whole(bandwidth, seller.mb_per_s)),
        })
    }
}

/// A whole number of a unit, rounded up: less than was asked would not carry it.
fn whole(amount: f64, unit: f64) -> String {
    format!("{:.0}", (amount / unit - 1e-6).ceil().max(0.0))
}

/// What all templates include; in comments nothing has to be escaped.
const INCLUDED: [(&str, &str); 3] = [
    ("opening.j2", include_str!("order/opening.j2")),
    ("stripes.j2", include_str!("order/stripes.j2")),
    ("variables.tf.j2", include_str!("order/variables.tf.j2")),
];

/// A template with what is ordered. Names come from catalogs, which anybody may have written: every value is escaped for the language.
fn filled(template: &'static str, order: &Order<'_>, escape: fn(&str) -> String) -> String {
    let try_fill = || {
        let mut templates = Environment::new();
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
        templates.set_syntax(syntax.build()?);
        templates.set_undefined_behavior(UndefinedBehavior::Strict);
        templates.set_auto_escape_callback(|name| match name {
            "opening.j2" | "stripes.j2" => AutoEscape::None,
            _ => AutoEscape::Custom("order".into()),
        });
        templates.set_formatter(move |out, state, value| match value.as_str() {
            Some(text) if !value.is_safe() && *state.auto_escape() != AutoEscape::None => {
                Ok(out.write_str(&escape(text))?)
            }
            _ => Ok(write!(out, "{value}")?),
        });
        // Git may check files out with CRLF on Windows, and a shell would not read them.
        for (name, text) in INCLUDED.into_iter().chain([("order", template)]) {
            templates.add_template_owned(name, text.replace("\r\n", "\n"))?;
        }
        templates.get_template("order")?.render(Template::from(Serde(order)))
    };
    // The templates are ours, and tests fill in every branch of them.
    try_fill()
        .unwrap_or_else(|error: minijinja::Error| panic!("a template of orders does not fit: {error:#}"))
}

/// The inside of a string of Terraform's language.
fn hcl(text: &str) -> String {
    let mut out = String::new();
    for c in harmless(text).chars() {
        match c {
            '"' | '\\' => out.push('\\'),
            // `${` and `%{` would be evaluated.
            '$' | '%' => out.push(c),
            _ => {}
        }
        out.push(c);
    }
    out
}

/// A word of a shell command. That none begins with `-` is made sure where names are read.
fn shell(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", harmless(text).replace('\'', "'\\''"))
}
