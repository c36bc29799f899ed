//! Which writes of a job are commits.

use super::Job;
use crate::load::{Durability, Role};

impl Job {
    /// Whether every write is a commit: durable when it completes. In a group commit a write holds several.
    pub fn is_commit(&self) -> bool {
        let is_durable = self.durability != Durability::None && self.flush_every == 1;
        self.role == Role::Log && is_durable && self.group_commit.is_none()
    }
}
