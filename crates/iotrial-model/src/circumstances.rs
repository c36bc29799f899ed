//! What made figures, in brief: the load, the engine and the tool.

/// A load, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadInBrief {
    /// Its profile, where it was planned.
    pub profile: Option<String>,
    /// Whether it has the quick sizes and times of its profile.
    pub is_quick: bool,
    /// How many jobs.
    pub job_count: u64,
    /// Block sizes of all jobs, each once.
    pub block_sizes: Vec<String>,
    /// Outstanding I/Os of all jobs together; `None` where they are not known.
    pub outstanding: Option<u64>,
    /// The step whose figures these are, of a load that changes.
    pub figures_of: Option<String>,
}

impl LoadInBrief {
    /// Whether anything is known of it.
    pub fn is_known(&self) -> bool {
        let Self { profile, job_count, block_sizes, outstanding, figures_of, .. } = self;
        let has_jobs = *job_count > 1 || !block_sizes.is_empty();
        has_jobs || profile.is_some() || outstanding.is_some() || figures_of.is_some()
    }
}

/// What made the I/Os.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineInBrief {
    /// Its name.
    pub name: String,
    /// Whether they went past the page cache; `None` where that is not known, or nothing was touched.
    pub direct: Option<bool>,
}

/// What measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolInBrief {
    /// Nobody knows: the figures were printed in this paper or page.
    PrintedIn(String),
    /// A tool.
    Tool {
        /// Its name.
        name: String,
        /// Its version, where that is known.
        version: Option<String>,
    },
}
