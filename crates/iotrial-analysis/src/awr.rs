//! What an AWR report means for storage: the figures of one interval, the latency of waits with a category, what an expert would
//! remark, and the figures of a database over many intervals.

mod demand;
mod figures;
mod latencies;
mod remarks;
mod sample;
mod series;
mod fleet;

use iotrial_model::awr::{AwrFigures, AwrReport};
use serde::Serialize;

pub use demand::Level;
pub use fleet::{AwrFleet, Consolidated, FleetInterval, FleetMember, OwnPeak, UnknownDatabase};
pub use latencies::WaitLatency;
pub use remarks::{Limit, Remark};
pub use sample::AwrSample;
pub use series::{AwrSeries, AwrStatistics, DatabaseSeries, LeftOut, SeriesInterval};

use crate::threshold::ThresholdSet;

/// What one report says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AwrAnswer {
    /// The report itself.
    pub awr: AwrReport,
    /// What the database asks of its storage.
    pub figures: AwrFigures,
    /// The waits that are waits for I/O.
    pub latencies: Vec<WaitLatency>,
    /// Where the time of users goes, the largest share first.
    pub limits: Vec<Limit>,
    /// What to know and what to look at.
    pub remarks: Vec<Remark>,
}

impl AwrAnswer {
    /// Works it out; latencies are judged by the means of `thresholds`.
    pub fn of(report: AwrReport, thresholds: &ThresholdSet) -> Self {
        let figures = figures::figures_of(&report);
        let latencies = latencies::latencies_of(&report, thresholds);
        let limits = remarks::limits_of(&report);
        let remarks = remarks::remarks_of(&report, &figures, &latencies);
        Self { awr: report, figures, latencies, limits, remarks }
    }
}
