//! What the databases of a fleet ask together, as a demand that sizing takes.

use iotrial_model::awr::{AwrFigure, DemandNote, Level, RatesOf, ReportedRates};
use iotrial_model::demand::{Demand, DemandStream};
use iotrial_model::load::Direction;
use iotrial_model::words::in_brief;
use iotrial_words::awr as words;

use super::AwrFleet;
use crate::awr::SizeRequest;

impl AwrFleet {
    /// The demand at a level of what all of them ask at the same time, each of the four rates by itself. `None` where no time is covered by
    /// all, or no rate has a size: a sum of peaks is nothing that was ever asked for. Only a factor that is given is applied. `reports` is
    /// what the user calls them.
    pub fn demand(&self, request: &SizeRequest, reports: &str) -> Option<Demand> {
        let level = self.known_level(request.level());
        let factor = request.factor_io.unwrap_or(1.0);
        let at = |figure| self.figure(figure).map(|one| one.together.at(level) * factor);
        let stream = |direction, requests, mib| {
            let (iops, mib): (f64, f64) = (at(requests)?, at(mib)?);
            (iops > 0.0 && mib > 0.0).then(|| DemandStream {
                // A role is one of data, log and temp: a database is none.
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
        if streams.is_empty() {
            return None;
        }
        let names: Vec<String> = self.members.iter().map(|one| one.database.clone()).collect();
        let rates = ReportedRates::Together { level, database_count: names.len(), covered_s: self.covered_s };
        Some(Demand {
            source: Some(words::rates_of(&RatesOf { reports: reports.to_owned(), rates })),
            notes: self.demand_notes(&names, request).iter().map(words::demand_note).collect(),
            ..Demand::new(in_brief(&names, 5, 4), streams)
        })
    }

    fn demand_notes(&self, names: &[String], request: &SizeRequest) -> Vec<DemandNote> {
        let mut notes = vec![DemandNote::Databases(names.to_vec())];
        notes.extend(self.not_added.iter().cloned().map(DemandNote::NotIncluded));
        for one in &self.members {
            let database = || one.database.clone();
            notes.extend(one.part.clone().map(|part| DemandNote::OfPart { database: database(), part }));
            notes.extend(
                one.away_from_exadata.map(|reads| DemandNote::PlainReads { database: database(), reads }),
            );
        }
        let percent = self.figure(AwrFigure::Requests).and_then(|one| one.peak_percent);
        notes.extend(percent.map(|percent| DemandNote::PeakTogether { percent }));
        match request.factor_io {
            Some(factor) => notes.push(DemandNote::Factor(factor)),
            None if self.whole_intervals() == 1 => notes.push(DemandNote::OneInterval),
            None => {}
        }
        notes.push(DemandNote::OwnMachines);
        notes.extend(self.notes.iter().cloned().map(DemandNote::Fleet));
        notes.push(DemandNote::MeanSizes);
        notes
    }

    /// What stands for a level that is asked for where there are too few intervals.
    fn known_level(&self, level: Level) -> Level {
        let has_percentiles = self.figures.iter().any(|one| one.together.p95.is_some());
        match level {
            _ if self.whole_intervals() == 1 => Level::Average,
            Level::P95 | Level::P99 if !has_percentiles => Level::Peak,
            known => known,
        }
    }

    /// How many pieces of time all databases have reports of.
    fn whole_intervals(&self) -> usize {
        self.intervals.iter().filter(|one| one.is_whole).count()
    }
}
