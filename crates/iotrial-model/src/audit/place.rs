//! Where something was found.

use crate::stream::Stream;

/// Where something does not agree, or could not be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditPlace {
    /// A record as a whole.
    Record,
    /// All jobs of a result.
    AllJobs,
    /// A part of a result.
    Result(ResultPart),
    /// A row of a printed table, by its id.
    Row(String),
    /// A metric of one row.
    RowMetric {
        /// Id of the row.
        row: String,
        /// Such as `read.lat_mean_us`.
        metric: String,
    },
    /// A metric of all rows.
    Metric(String),
    /// A metric of two rows.
    Change {
        /// Such as `read.lat_mean_us`.
        metric: String,
        /// Id of the row that is compared with.
        baseline: String,
        /// Id of the row that is compared.
        row: String,
    },
    /// Two rows.
    Rows {
        /// Id of the row that is compared with.
        baseline: String,
        /// Id of the row that is compared.
        row: String,
    },
}

/// A part of a result, from the whole of it down to a latency of one stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultPart {
    /// Where its source has it, such as `jobs[0]` or `row A`; `None` of a run.
    pub source: Option<String>,
    /// The name of a job; `None` of all of them.
    pub job: Option<String>,
    /// Reads, writes, or both as one ([`Stream::Mixed`]); none of what is of no stream, and two of their sum.
    pub streams: Vec<Stream>,
    /// Which latency of the stream.
    pub latency: Option<LatencyKind>,
}

impl ResultPart {
    /// A stream of this part.
    pub fn stream(&self, stream: Stream) -> Self {
        self.streams(&[stream])
    }

    /// Streams of this part together.
    pub fn streams(&self, streams: &[Stream]) -> Self {
        Self { streams: streams.to_vec(), ..self.clone() }
    }

    /// A latency of a stream of this part.
    pub fn latency(&self, stream: Stream, latency: LatencyKind) -> Self {
        Self { latency: Some(latency), ..self.stream(stream) }
    }
}

impl From<ResultPart> for AuditPlace {
    fn from(part: ResultPart) -> Self {
        Self::Result(part)
    }
}

impl From<&ResultPart> for AuditPlace {
    fn from(part: &ResultPart) -> Self {
        Self::Result(part.clone())
    }
}

/// Which latency of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LatencyKind {
    /// Creation to completion.
    Total,
    /// Submission to completion.
    Completion,
    /// Creation to submission.
    Submission,
}
