//! A stream is what a table has one row for: reads, writes, or those writes that are commits.

use std::fmt;

use crate::load::{Role, words};

words! {
    /// The I/Os that are looked at together. The one spelling is the one for people; a name that is part of a key is spelled
    /// by [`Stream::metric_word`] or [`Stream::key`].
    Stream {
        /// All reads of the jobs that are looked at, whatever their size or pattern.
        Read = "read",
        /// All writes, commits among them.
        Write = "write",
        /// Log writes that are durable when they complete, and the commits of a group commit.
        Commit = "commit",
        /// Reads and writes as one, of a result whose source does not tell them apart.
        Mixed = "mixed I/O",
    }
}

impl Stream {
    /// Those that iotrial measures: it always tells reads from writes.
    pub const OF_RUNS: [Self; 3] = [Self::Read, Self::Write, Self::Commit];
    /// Those that other sources state: none of them times commits apart from writes.
    pub const STATED: [Self; 3] = [Self::Read, Self::Write, Self::Mixed];

    /// The name in printed tables, metrics and gates: `total` is what a table prints below reads and writes.
    pub const fn metric_word(self) -> &'static str {
        match self {
            Self::Mixed => "total",
            Self::Read | Self::Write | Self::Commit => self.as_str(),
        }
    }

    /// The key in records and JSON, and the name in the figures of a report: `total` is all jobs there.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Mixed => "all",
            Self::Read | Self::Write | Self::Commit => self.as_str(),
        }
    }

    /// The stream that printed tables, metrics and gates call so.
    pub fn from_metric_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|stream| stream.metric_word() == word)
    }
}

/// A stream of all jobs together, or of the jobs of one role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamOf {
    /// The role; `None` of all jobs together.
    // First, so that those of all jobs come before those of a role.
    pub role: Option<Role>,
    /// The stream.
    pub stream: Stream,
}

impl StreamOf {
    /// Of all jobs together.
    pub const fn all(stream: Stream) -> Self {
        Self { role: None, stream }
    }

    /// The name in metrics and gates: `commit`, or `log.commit`.
    pub fn metric_word(self) -> String {
        let stream = self.stream.metric_word();
        self.role.map_or_else(|| stream.to_owned(), |role| format!("{role}.{stream}"))
    }
}

impl fmt::Display for StreamOf {
    /// The name for people: `commit`, or `log commit`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.role {
            Some(role) => write!(f, "{role} {}", self.stream.metric_word()),
            None => f.write_str(self.stream.metric_word()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_as_one_have_a_name_of_their_own_in_each_place() {
        let mixed = Stream::Mixed;
        assert_eq!((mixed.as_str(), mixed.metric_word(), mixed.key()), ("mixed I/O", "total", "all"));
        for stream in Stream::OF_RUNS {
            assert_eq!([stream.metric_word(), stream.key()], [stream.as_str(); 2]);
        }
        for stream in Stream::ALL {
            assert_eq!(Stream::from_metric_word(stream.metric_word()), Some(*stream));
        }
    }
}
