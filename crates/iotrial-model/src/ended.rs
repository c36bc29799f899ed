//! How a run or a sweep ended.

use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// In one word.
    pub how: EndedHow,
    /// Why, unless it is complete; of one that ran until it was steady, after how long it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The ways in which a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndedHow {
    /// As planned: to the end of the last phase, or until the load was steady where that was asked. I/Os may have failed all
    /// the same.
    Complete,
    /// By the user, a signal or a crash.
    Interrupted,
    /// Because it could not go on.
    Failed,
}
