//! A stream is what a table has one row for: reads, writes, or those writes that are commits.

use crate::load::words;

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
