//! Where a report was cut off.

use serde::Serialize;

/// The end of a report that was cut off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// The last line of the file, from 1.
    pub line: usize,
    /// The heading of the last table, which may lack rows; empty where there is none.
    pub after: String,
}
