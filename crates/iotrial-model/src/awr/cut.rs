//! Where a report was cut off, and which sections it lacks.

use serde::Serialize;

use crate::load::words;

/// The end of a report that was cut off, or the gap in one of which a part within is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// The last line of the file, from 1; with a gap, which may be anywhere, that of the last row.
    pub line: usize,
    /// The heading of the last table, which may lack rows; empty where there is none.
    pub after: String,
    /// Whether the report goes on to its end behind a gap.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_gap: bool,
}

words! {
    /// What is read of every report, in the order of reports, by its heading.
    AwrSection {
        /// Rates per second of the whole database.
        LoadProfile = "Load Profile",
        /// What users wait for.
        ForegroundWaits = "Foreground Wait Events",
        /// What processes of the database wait for.
        BackgroundWaits = "Background Wait Events",
        /// Counters.
        InstanceActivity = "Instance Activity Stats",
        /// I/O by kind of file.
        IoByFiletype = "IOStat by Filetype",
        /// I/O by tablespace.
        Tablespaces = "Tablespace IO Stats",
        /// What another size of the buffer cache would do.
        BufferPoolAdvisory = "Buffer Pool Advisory",
        /// Parameters that are set.
        Parameters = "init.ora Parameters",
        /// Storage servers.
        Exadata = "Exadata Statistics",
    }
}

/// How much of a report is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CutOff {
    /// The last line of the file; with a gap, which may be anywhere, that of the last row.
    pub line: usize,
    /// The heading of the last table, which may lack rows; empty where there is none.
    pub after: String,
    /// Whether the report goes on to its end behind a gap.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_gap: bool,
    /// What is missing, in the order of reports; empty where only later sections are, of which iotrial reads nothing.
    pub missing: Vec<MissingSection>,
}

/// A section that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MissingSection {
    /// Which one.
    pub section: AwrSection,
    /// What is not known without it.
    pub effect: &'static str,
}
