//! A report that was cut off: which sections are missing, and what is not known without them.

use iotrial_model::awr::{AwrReport, WaitSide};
use serde::Serialize;

/// How much of a report is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CutOff {
    /// The last line of the file.
    pub line: usize,
    /// The heading of the last table, which may lack rows; empty where there is none.
    pub after: String,
    /// What is missing, in the order of reports; empty where only later sections are, of which iotrial reads nothing.
    pub missing: Vec<MissingSection>,
}

/// A section that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MissingSection {
    /// Its heading.
    pub section: &'static str,
    /// What is not known without it.
    pub effect: &'static str,
}

/// What is read of every report, in the order of reports: heading, what is not known without it, and whether it is not there.
type Expected = (&'static str, &'static str, fn(&AwrReport) -> bool);

const EXPECTED: [Expected; 8] = [
    ("Load Profile", "DB time, redo and transactions per second are not known", |report| {
        report.load_profile.is_empty()
    }),
    (
        "Foreground Wait Events",
        "it is not known what limits the database or how long its reads and commits take",
        |report| report.waits.iter().all(|one| one.side == WaitSide::Background),
    ),
    ("Background Wait Events", "it is not known how long redo writes take", |report| {
        report.waits.iter().all(|one| one.side == WaitSide::Foreground)
    }),
    (
        "Instance Activity Stats",
        "rates come from the summary at the beginning, if there is one, and single-block reads cannot be distinguished from multi-block reads",
        // Statistics are sorted by name, so that a part of them is no use without these.
        |report| !report.activity.iter().any(|one| one.name.starts_with("physical write total")),
    ),
    (
        "IOStat by Filetype",
        "redo logs, temporary files, archives and backups cannot be distinguished",
        |report| report.io_by_file_type.is_empty(),
    ),
    ("Tablespace IO Stats", "the I/O of each tablespace is not known", |report| {
        report.tablespaces.is_empty()
    }),
    ("Buffer Pool Advisory", "it is not known what more memory would save", |report| {
        report.advisories.is_empty()
    }),
    ("init.ora Parameters", "there are no remarks about parameters", |report| report.parameters.is_empty()),
];

impl CutOff {
    /// `None` of a whole report.
    pub(super) fn of(report: &AwrReport) -> Option<Self> {
        let cut = report.cut.as_ref()?;
        let missing = EXPECTED.iter().filter(|(_, _, is_missing)| is_missing(report));
        let mut missing: Vec<MissingSection> =
            missing.map(|(section, effect, _)| MissingSection { section, effect }).collect();
        let waits_for_cells = || report.waits.iter().any(|one| one.event.starts_with("cell "));
        if report.exadata.is_none() && waits_for_cells() {
            let effect = "the counters of the storage servers are not known";
            missing.push(MissingSection { section: "Exadata Statistics", effect });
        }
        Some(Self { line: cut.line, after: cut.after.clone(), missing })
    }

    /// Where, in words without a full stop.
    pub fn place(&self) -> String {
        match self.after.as_str() {
            "" => format!("in line {}, before its first table", self.line),
            after => format!("in line {}, in or after “{after}”", self.line),
        }
    }

    /// All of it in one sentence without a full stop.
    pub fn sentence(&self) -> String {
        let names: Vec<&str> = self.missing.iter().map(|one| one.section).collect();
        let missing = match names.as_slice() {
            [] => "later sections are missing".to_owned(),
            names => format!("missing: {}", names.join(", ")),
        };
        format!("the report is cut off {}; {missing}", self.place())
    }
}
