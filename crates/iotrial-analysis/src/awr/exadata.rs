//! Away from Exadata: what its storage does for this database today, what the same work would ask of plain storage, and how hard the
//! move is. Nothing is guessed: a feature of which the report says nothing is not stated, which is not the same as not used.

mod ask;
mod cells;
mod feature;
mod memory;
mod range;
mod saving;

use iotrial_model::awr::{AwrFigures, AwrReport, CellState, Named, Quoted, RangeAssumption, WaitSide};
use serde::Serialize;

use super::said;

pub use ask::Ask;
pub use feature::Feature;
pub use memory::MemorySaving;
pub(super) use range::PlainRange;
pub use saving::{Saving, Whose};

const MIB: f64 = 1_048_576.0;
/// What has a tenth of DB time is worth a decision: the rule of Microsoft's guide for Oracle on Azure NetApp Files.
const MUCH_PERCENT: f64 = 10.0;
/// Any flash reads this many MiB per second: what scans less loses nothing by reading it all.
// A choice, far below what one cloud volume or one NVMe device reads.
const ANY_STORAGE_READS_MIB: f64 = 100.0;

/// How hard it is to leave Exadata. The more of its own features are in use, the harder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Difficulty {
    /// Exadata is fast hardware for this database.
    Easy,
    /// Something has to take the place of features.
    SomeWork,
    /// The database rests on features that other storage does not have.
    Hard,
}

impl Difficulty {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::SomeWork => "some work",
            Self::Hard => "hard",
        }
    }
}

/// What share of DB time a kind of read from cells has.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimeShare {
    /// The kind.
    pub what: &'static str,
    /// How well it uses Exadata: `optimal`, `less optimal`, `least optimal`.
    pub offload: &'static str,
    /// Share of DB time, 0 to 100; absent where the report has no waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<f64>,
    /// Whether that is a tenth or more.
    pub is_much: bool,
}

/// The answer for one report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExadataMove {
    /// How hard it is; absent where the report lacks waits or counters, unless what it has is hard already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<Difficulty>,
    /// Whether that is of a part of the database alone, and of the whole nobody knows it.
    pub is_of_part: bool,
    /// Where DB time goes.
    pub time: Vec<TimeShare>,
    /// What is used of Exadata.
    pub features: Vec<Feature>,
    /// What that spares today.
    pub savings: Vec<Saving>,
    /// What more memory would spare.
    pub memory: Vec<MemorySaving>,
    /// What plain storage would be asked.
    pub ask: Vec<Ask>,
    /// What the two ends of each range take for granted.
    #[serde(serialize_with = "said::range_assumptions")]
    pub assumptions: Vec<RangeAssumption>,
    /// How the storage servers are.
    #[serde(serialize_with = "said::cell_states")]
    pub cells: Vec<CellState>,
}

impl ExadataMove {
    /// `None` for a database that is not on Exadata.
    pub(super) fn of(report: &AwrReport, figures: &AwrFigures) -> Option<Self> {
        let view = View { report, figures };
        if !view.is_on_exadata() {
            return None;
        }
        let time = view.time();
        let features = feature::of(&view, &time);
        let (ask, assumptions) = ask::of(&view);
        Some(Self {
            difficulty: feature::difficulty(&features, view.is_read()),
            is_of_part: false,
            savings: saving::of(&view),
            memory: memory::of(&view),
            cells: cells::of(report),
            time,
            features,
            ask,
            assumptions,
        })
    }
}

/// A report as these questions see it.
struct View<'r> {
    report: &'r AwrReport,
    figures: &'r AwrFigures,
}

impl View<'_> {
    /// Cells have sections and events of their own. Some counters of cells are printed, as zero or not, on any storage.
    fn is_on_exadata(&self) -> bool {
        let waits = |event: &str| self.report.waits.iter().any(|wait| wait.event.starts_with(event));
        self.report.exadata.is_some()
            || ["cell single block physical read", "cell multiblock physical read", "cell smart"]
                .iter()
                .any(|event| waits(event))
    }

    /// Whether counters and waits of users were read, and neither ends with the file.
    fn is_read(&self) -> bool {
        let is_of_users = |wait: &iotrial_model::awr::Wait| wait.side != WaitSide::Background;
        let counters = &self.report.activity;
        !counters.is_empty() && self.report.waits.iter().any(is_of_users) && self.report.cut.is_none()
    }

    /// A counter per second that is there and not contradicted.
    fn rate(&self, name: &str) -> Option<Quoted> {
        let one = &self.report.statistic(name)?.per_second;
        one.sound().map(|_| one.clone())
    }

    /// The same in MiB per second.
    fn mib(&self, name: &str) -> Option<Quoted> {
        Some(self.rate(name)?.scaled(1.0 / MIB))
    }

    /// The sum over the cells of a column, by the section and the end of the column's name.
    fn of_cells(&self, section: &str, column: &str) -> Option<&Quoted> {
        let totals = &self.report.exadata.as_ref()?.totals;
        let named = |one: &&Named| one.name.eq_ignore_ascii_case(column);
        let of_section = totals.iter().filter(|one| {
            // A heading and the titles below it.
            one.section.split(": ").any(|title| title.eq_ignore_ascii_case(section))
        });
        of_section.flat_map(|one| one.values.iter().find(named)).map(|one| &one.value).next()
    }

    /// Share of DB time of events that begin so; `None` where the report has no waits of users.
    fn share(&self, events: &[&str]) -> Option<f64> {
        let of_users = || {
            let waits = self.report.waits.iter();
            waits.filter(|wait| matches!(wait.side, WaitSide::Foreground | WaitSide::Both))
        };
        of_users().any(|wait| wait.percent.is_there()).then(|| {
            let named = of_users().filter(|wait| events.iter().any(|event| wait.event.starts_with(event)));
            named.filter_map(|wait| wait.percent.sound()).sum()
        })
    }

    fn time(&self) -> Vec<TimeShare> {
        let kinds: [(&str, &str, &[&str]); 3] = [
            ("smart scans", "optimal", &["cell smart table scan", "cell smart index scan"]),
            ("multiblock reads", "less optimal", &["cell multiblock physical read"]),
            (
                "single-block reads",
                "least optimal",
                &["cell single block physical read", "cell list of blocks physical read"],
            ),
        ];
        kinds
            .map(|(what, offload, events)| {
                let percent = self.share(events);
                TimeShare { what, offload, percent, is_much: percent.is_some_and(|one| one >= MUCH_PERCENT) }
            })
            .to_vec()
    }
}
