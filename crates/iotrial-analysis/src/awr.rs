//! What an AWR report means for storage: the figures of one interval, the latency of waits with a category, what an expert would
//! remark, and the figures of a database over many intervals; what machine and storage that takes, and what Exadata does for it.

mod about;
mod change;
mod cut;
mod demand;
mod exadata;
mod figures;
mod fleet;
mod flow;
mod latencies;
mod machine;
mod part;
mod remarks;
mod replay;
mod right_size;
mod said;
mod sample;
mod series;
mod slob;

use iotrial_model::awr::{AwrFigures, AwrReport, CutOff, Part, Remark};
use serde::Serialize;

pub use about::About;
pub use change::{AwrChange, Both, ChangedFigure, ChangedLatency, ChangedPlace, ChangedWait, SideOfChange};
pub use exadata::{Ask, Difficulty, ExadataMove, Feature, MemorySaving, Saving, TimeShare, Whose};
pub use fleet::{AwrFleet, Consolidated, FleetInterval, FleetMember, OwnPeak, UnknownDatabase};
pub use latencies::WaitLatency;
pub use remarks::Limit;
pub use replay::{QUICK_SIZE, Replay, ReplayLimit, ReplayStream};
pub use right_size::{Factor, Licences, Provision, RightSizing, SizeRequest, Sized};
pub use sample::AwrSample;
pub use series::{AwrSeries, AwrStatistics, DatabaseSeries, SeriesInterval};
pub use slob::{SlobHosts, SlobReport, SlobRun, SlobSeries, SlobWait, is_slob_report};

use crate::threshold::ThresholdSet;

/// What one report says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AwrAnswer {
    /// The report itself.
    pub awr: AwrReport,
    /// How much of the report is missing; `None` of a whole one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<CutOff>,
    /// What the report is a part of; `None` where it has the whole database, as far as it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// What the database asks of its storage.
    pub figures: AwrFigures,
    /// The waits that are waits for I/O.
    pub latencies: Vec<WaitLatency>,
    /// Where the time of users goes, the largest share first.
    pub limits: Vec<Limit>,
    /// What to know and what to look at.
    #[serde(serialize_with = "said::remarks")]
    pub remarks: Vec<Remark>,
    /// What its storage does for the database, and what other storage would be asked; `None` where it is not on Exadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub away_from_exadata: Option<ExadataMove>,
    /// What machine and storage it takes, once that is asked ([`AwrAnswer::sized`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right_size: Option<RightSizing>,
}

impl AwrAnswer {
    /// Works it out; latencies are judged by the means of `thresholds`.
    pub fn of(report: AwrReport, thresholds: &ThresholdSet) -> Self {
        let figures = figures::figures_of(&report);
        let latencies = latencies::latencies_of(&report, thresholds);
        let limits = remarks::limits_of(&report);
        let part = part::part_of(&[AwrSample::of(&report, "")]);
        let remarks = remarks::remarks_of(&report, &figures, &latencies, part.as_ref());
        let away_from_exadata =
            ExadataMove::of(&report, &figures).map(|away| ExadataMove { is_of_part: part.is_some(), ..away });
        let cut_off = cut::cut_off_of(&report);
        Self {
            awr: report,
            cut_off,
            part,
            figures,
            latencies,
            limits,
            remarks,
            away_from_exadata,
            right_size: None,
        }
    }

    /// With the machine and the storage that it takes.
    pub fn sized(self, request: &SizeRequest) -> Self {
        // A report is a series of one interval; one without an elapsed time is none.
        let series = AwrSeries::of(vec![AwrSample::of(&self.awr, "")]);
        let right_size = series.databases.first().map(|one| RightSizing::of(one, request, Some(&self.awr)));
        Self { right_size, ..self }
    }
}
