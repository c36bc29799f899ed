//! Whether the operating system prefers the threads of a load where programs wait for CPUs.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::load::words;

words! {
    /// How the threads of a load rank among other programs.
    // Real-time priority is not among them: it pushes the kernel's own workers aside, and made durable writes beside reads three to five times slower
    // (ext4, 2 CPUs).
    Priority {
        /// As any other program.
        Normal = "normal",
        /// Before other programs: nice -10, for the threads and for their autogroup.
        High = "high",
    }
}

impl Default for Priority {
    fn default() -> Self {
        // The first of the words, because a variant of them takes no attribute that would make it the usual one.
        Self::ALL[0]
    }
}

impl Priority {
    /// What each of them is called.
    pub fn by_word() -> [(&'static str, Self); 2] {
        [Self::Normal, Self::High].map(|priority| (priority.as_str(), priority))
    }

    /// Whether nothing is asked of the scheduler, for serde.
    pub const fn is_normal(&self) -> bool {
        matches!(self, Self::Normal)
    }
}

/// What the operating system granted a load that asked for a high priority. The lower a nice value, the more CPU time: from -20 to 19.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantedPriority {
    /// Nice value of the threads.
    pub nice: i32,
    /// Nice value of their autogroup, within which alone that of a thread counts; `None` where the kernel makes no autogroups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autogroup_nice: Option<i32>,
}

impl fmt::Display for GrantedPriority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nice {}", self.nice)?;
        self.autogroup_nice.map_or(Ok(()), |nice| write!(f, ", autogroup nice {nice}"))
    }
}
