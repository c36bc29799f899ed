//! What may be why the tail of a configuration is worse than that of another one.

use serde::Serialize;

use crate::host_fact::{FactId, FactValue, PartKind};

/// Something in which two configurations differ. That it made a tail longer is not shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TailCause {
    /// An attribute.
    Attribute {
        /// Its name.
        name: String,
        /// Its value in the configuration that is compared with; empty where it has none.
        from: String,
        /// Its value in the one with the worse tail; empty where it has none.
        to: String,
    },
    /// A setting of the host.
    Setting {
        /// The target below which it is; absent where it is the same of all.
        #[serde(skip_serializing_if = "Option::is_none")]
        target: Option<String>,
        /// Of which part.
        part: PartKind,
        /// Which setting.
        fact: FactId,
        /// Its values in the configuration that is compared with.
        from: Vec<FactValue>,
        /// Its values in the one with the worse tail.
        to: Vec<FactValue>,
    },
    /// CPU time that the hypervisor took, in percent of all CPUs.
    Steal {
        /// From the configuration that is compared with.
        from_percent: f64,
        /// From the one with the worse tail.
        to_percent: f64,
    },
}
