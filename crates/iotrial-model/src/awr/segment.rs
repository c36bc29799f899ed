//! Which objects of a database the I/O is for.

use serde::Serialize;

use super::Quoted;
use crate::load::words;

words! {
    /// By which statistic a report lists its busiest objects.
    SegmentStatistic {
        /// Blocks read.
        PhysicalReads = "physical-reads",
        /// Requests that read them.
        ReadRequests = "physical-read-requests",
        /// Blocks written.
        PhysicalWrites = "physical-writes",
        /// Requests that wrote them.
        WriteRequests = "physical-write-requests",
    }
}

/// I/O of a table, an index or a part of one. A report lists the busiest five of each statistic or so, and no other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SegmentIo {
    /// What is counted.
    pub statistic: SegmentStatistic,
    /// The pluggable database; `None` where the report does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Its owner.
    pub owner: String,
    /// The tablespace.
    pub tablespace: String,
    /// Its name; text reports cut it off.
    pub object: String,
    /// The partition, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subobject: Option<String>,
    /// Such as `TABLE`, `INDEX PARTITION` or `LOB`.
    pub kind: String,
    /// Over the interval.
    pub count: Quoted,
    /// Of the whole database, 0 to 100.
    pub percent: Quoted,
}
