//! How much of a database its reports have: one instance of several is a part of it, and nothing says how large.

use serde::Serialize;

/// Fewer intervals than this share without all instances are for a note: average and percentiles are those of the whole.
const FEW: f64 = 0.05;

/// Reports of a part of a database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// How many instances there are reports of at the same time.
    pub instances: usize,
    /// How many the cluster has; absent where the reports do not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_instances: Option<u32>,
    /// In how many intervals some are missing …
    pub lacking_intervals: usize,
    /// … of how many.
    pub intervals: usize,
    /// What the storage servers count of the whole database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_cells: Option<OnCells>,
}

/// A database as storage servers count it, with all its instances.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OnCells {
    /// What they call it.
    pub database: String,
    /// Its requests per second, with each copy of a mirrored write.
    pub requests_per_s: f64,
    /// Its MiB per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mib_per_s: Option<f64>,
    /// By how many times these are the requests of the reports.
    pub times: f64,
}

impl Part {
    /// Whether so much is missing that no figure is that of the database.
    pub fn is_much(&self) -> bool {
        self.on_cells.is_some() || self.lacking_intervals as f64 > FEW * self.intervals as f64
    }

    /// Whether the same instances are missing all the time, so that a size is that of the others.
    pub fn is_throughout(&self) -> bool {
        self.lacking_intervals == self.intervals
    }
}
