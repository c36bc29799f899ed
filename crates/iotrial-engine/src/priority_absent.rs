//! Where no priority is asked for.

use iotrial_model::priority::{GrantedPriority, Priority};

/// Why the priority could not be raised.
#[derive(Debug, thiserror::Error)]
#[error("--priority high is not available on this operating system")]
pub struct PriorityError;

impl PriorityError {
    /// What the reader can do about it.
    pub const fn hint(&self) -> &'static str {
        "leave --priority out"
    }
}

/// A priority that is put back when this is dropped; here it is never raised.
#[derive(Debug)]
pub struct RaisedPriority;

impl RaisedPriority {
    /// Never succeeds where a high priority is asked for.
    ///
    /// # Errors
    ///
    /// Always then.
    pub fn new(priority: Priority) -> Result<Self, PriorityError> {
        if priority.is_normal() { Ok(Self) } else { Err(PriorityError) }
    }

    /// Nothing.
    pub const fn granted(&self) -> Option<GrantedPriority> {
        None
    }
}

/// Whether a load could have that priority.
///
/// # Errors
///
/// For a high one.
pub fn check_priority(priority: Priority) -> Result<(), PriorityError> {
    RaisedPriority::new(priority).map(drop)
}
