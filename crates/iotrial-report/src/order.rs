//! A configuration as it is ordered: a Terraform file, or commands of the provider's own tool, in the units of the provider's forms.
//! What a person has to decide (names, zones, networks, images) is a variable.

use iotrial_model::demand::{Mirror, Os};
use iotrial_model::foreign_text::harmless;
use iotrial_sizing::configuration::{Configuration, Pool};

mod aws;
mod azure;
mod gcp;
mod hcl;
mod oci;
mod stripe;

use stripe::striping;

/// One MiB/s and one MB/s in bytes per second.
const MIB: f64 = 1_048_576.0;
const MB: f64 = 1e6;

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

/// The form of the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Terraform,
    Commands,
}

/// A pool as it is ordered.
struct Part<'c> {
    /// The name of its resources and variables, such as `data`.
    name: String,
    pool: &'c Pool,
}

/// A configuration with the names of its parts.
struct Order<'c> {
    configuration: &'c Configuration,
    /// Those that are ordered; disks of the machine itself come with it.
    parts: Vec<Part<'c>>,
    /// How many machines are wanted.
    has_pair: bool,
}

/// The Terraform file of a configuration; `has_pair` says that a second machine belongs to it.
///
/// # Errors
///
/// When the provider or a kind of volume comes from a user's own catalog.
pub fn terraform(configuration: &Configuration, has_pair: bool) -> Result<String, NoOrder> {
    written(configuration, has_pair, Form::Terraform)
}

/// The commands of the provider's tool that make a configuration, as a shell script.
///
/// # Errors
///
/// As [`terraform`].
pub fn commands(configuration: &Configuration, has_pair: bool) -> Result<String, NoOrder> {
    written(configuration, has_pair, Form::Commands)
}

fn written(configuration: &Configuration, has_pair: bool, form: Form) -> Result<String, NoOrder> {
    let order = Order { configuration, parts: parts(configuration), has_pair };
    let text = match (configuration.provider.as_str(), form) {
        ("aws", Form::Terraform) => aws::terraform(&order)?,
        ("aws", Form::Commands) => aws::commands(&order)?,
        ("azure", Form::Terraform) => azure::terraform(&order)?,
        ("azure", Form::Commands) => azure::commands(&order)?,
        ("gcp", Form::Terraform) => gcp::terraform(&order)?,
        ("gcp", Form::Commands) => gcp::commands(&order)?,
        ("oci", Form::Terraform) => oci::terraform(&order)?,
        ("oci", Form::Commands) => oci::commands(&order)?,
        (other, _) => return Err(NoOrder::Provider(other.to_owned())),
    };
    let head = match form {
        Form::Terraform => "",
        Form::Commands => "#!/bin/sh\n",
    };
    let stops = if form == Form::Commands { "set -eu\n" } else { "" };
    Ok(format!("{head}{}{stops}\n{text}\n{}", opening(&order), striping(&order)))
}

/// What is said before anything is ordered.
fn opening(order: &Order<'_>) -> String {
    let configuration = order.configuration;
    let mut text = format!(
        "# Written by `iotrial size`: {}\n# {}\n",
        harmless(&configuration.title),
        harmless(&configuration.in_short())
    );
    text.push_str(
        "# Check names, network and image before you apply it; the boot disk is the provider's default.\n",
    );
    if order.has_pair {
        text.push_str("# The second machine of the pair: the same once more, with another name and zone.\n");
    }
    text
}

/// The pools with a name each: that of their roles.
fn parts(configuration: &Configuration) -> Vec<Part<'_>> {
    let ordered = configuration.pools.iter().filter(|pool| pool.volume != "local-disk");
    let mut parts: Vec<Part<'_>> = Vec::new();
    for pool in ordered {
        let roles: Vec<&str> = pool.roles.iter().map(|role| role.as_str()).collect();
        let plain = if roles.is_empty() { "data".to_owned() } else { roles.join("_") };
        let same = parts.iter().filter(|part| part.name.starts_with(&plain)).count();
        let name = if same == 0 { plain } else { format!("{plain}_{}", same + 1) };
        parts.push(Part { name, pool });
    }
    parts
}

impl Order<'_> {
    /// How many volumes come before those of a part.
    fn before(&self, name: &str) -> u32 {
        self.parts.iter().take_while(|part| part.name != name).map(|part| part.pool.count).sum()
    }

    /// The name of the machine as it is ordered, without the way in which it is used.
    fn machine(&self) -> &str {
        self.configuration.machine.split_once('/').map_or(&self.configuration.machine, |(name, _)| name)
    }

    fn is_windows(&self) -> bool {
        self.configuration.os == Os::Windows
    }

    /// How the machine itself writes everything.
    fn mirror(&self) -> Mirror {
        self.configuration.mirror
    }

    fn unknown(&self, pool: &Pool) -> NoOrder {
        NoOrder::Volume { provider: self.configuration.provider.clone(), volume: pool.volume.clone() }
    }
}

/// A whole number of a unit, rounded up: less than was asked would not carry it.
fn whole(amount: f64, unit: f64) -> String {
    format!("{:.0}", (amount / unit - 1e-6).ceil().max(0.0))
}

/// A word of a shell command. Names come from catalogs, which anybody may have written; that none begins with `-` is held where they are
/// read.
fn shell(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", harmless(text).replace('\'', "'\\''"))
}
