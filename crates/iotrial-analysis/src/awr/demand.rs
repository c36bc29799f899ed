//! What a database asked for, as a demand that sizing takes.

use iotrial_model::awr::AwrFigure;
use iotrial_model::demand::{Demand, DemandStream};
use iotrial_model::load::Direction;

use super::series::{AwrStatistics, DatabaseSeries};

/// What a demand asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The mean over time.
    Average,
    /// What is not exceeded in 95 % of the time.
    P95,
    /// The same of 99 %.
    P99,
    /// The highest interval.
    Peak,
}

impl Level {
    pub(super) const fn of(self, statistics: &AwrStatistics) -> f64 {
        match self {
            Self::Average => statistics.average,
            Self::P95 => statistics.p95,
            Self::P99 => statistics.p99,
            Self::Peak => statistics.peak,
        }
    }

    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Average => "the average",
            Self::P95 => "the 95th percentile",
            Self::P99 => "the 99th percentile",
            Self::Peak => "the highest interval",
        }
    }
}

impl DatabaseSeries {
    /// The demand at a level: each of the four rates by itself, as of counters, because the interval with the most requests is rarely the
    /// one with the most bytes. `None` where a rate has no size. `source` is what the user calls the reports.
    pub fn demand(&self, level: Level, source: &str) -> Option<Demand> {
        let at = |figure| self.statistics(figure).map(|one| level.of(one));
        let stream = |direction, requests, mib| {
            let (iops, mib): (f64, f64) = (at(requests)?, at(mib)?);
            (iops > 0.0 && mib > 0.0).then(|| DemandStream {
                role: None,
                direction,
                iops,
                block_size_bytes: mib * f64::from(1 << 20) / iops,
            })
        };
        let streams: Vec<DemandStream> = [
            stream(Direction::Read, AwrFigure::Reads, AwrFigure::ReadMib),
            stream(Direction::Write, AwrFigure::Writes, AwrFigure::WriteMib),
        ]
        .into_iter()
        .flatten()
        .collect();
        let mut notes = self.notes.clone();
        let intervals = self.intervals.len();
        if intervals == 1 {
            notes.push(format!(
                "one interval of {:.0} minutes: its average is all that is known, and its busy minutes are not",
                self.covered_s / 60.0
            ));
        }
        notes.push(
            "sizes are bytes by requests: small reads of one block and large ones of scans are one stream"
                .to_owned(),
        );
        let level = if intervals == 1 { "the average".to_owned() } else { level.words().to_owned() };
        (!streams.is_empty()).then(|| Demand {
            source: Some(format!(
                "{source}: {level} of {intervals} interval{}",
                if intervals == 1 { "" } else { "s" }
            )),
            notes,
            ..Demand::new(self.database.clone(), streams)
        })
    }
}
