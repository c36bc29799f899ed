//! What the databases of a fleet ask together, as a demand that sizing takes.

use iotrial_model::awr::AwrFigure;
use iotrial_model::demand::{Demand, DemandStream};
use iotrial_model::load::Direction;
use iotrial_model::words::in_brief;

use super::AwrFleet;
use crate::awr::{Level, SizeRequest};

impl AwrFleet {
    /// The demand at a level of what all of them ask at the same time, each of the four rates by itself. `None` where no time is covered by
    /// all, or no rate has a size: a sum of peaks is nothing that was ever asked for. Only a factor that is given is applied. `source` is what
    /// the user calls the reports.
    pub fn demand(&self, request: &SizeRequest, source: &str) -> Option<Demand> {
        let level = self.known_level(request.level());
        let factor = request.factor_io.unwrap_or(1.0);
        let at = |figure| self.figure(figure).map(|one| level.of(&one.together) * factor);
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
        let names: Vec<&str> = self.members.iter().map(|one| one.database.as_str()).collect();
        let mut notes = vec![format!("databases: {}", names.join(", "))];
        notes.extend(
            self.not_added.iter().map(|one| format!("{} is not included: {}", one.database, one.why)),
        );
        for one in &self.members {
            notes.extend(
                one.part.as_ref().map(|part| format!("{}: {part}: the sums are too low", one.database)),
            );
            notes.extend(
                one.away_from_exadata.as_ref().map(|note| format!("{}, on average: {note}", one.database)),
            );
        }
        if let Some(percent) = self.figure(AwrFigure::Requests).and_then(|one| one.peak_percent) {
            notes.push(format!(
                "the peak of all requests together is {percent:.0} % of the sum of the peaks of the databases"
            ));
        }
        if let Some(factor) = request.factor_io {
            notes.push(format!("all rates are multiplied by {factor}, as requested (`--factor-io`)"));
        } else if self.whole_intervals() == 1 {
            notes.push(
                "all databases share only one interval: only its average is known, and no factor was added for its peak (OMAT assumes `--factor-io 2`)"
                    .to_owned(),
            );
        }
        notes.push(
            "vCPUs and memory belong to each database's own machine: `--database NAME` shows them".to_owned(),
        );
        notes.extend(self.notes.iter().cloned());
        notes.push(
            "sizes are bytes divided by requests: small single-block reads and large scan reads are one stream"
                .to_owned(),
        );
        Some(Demand {
            source: Some(format!(
                "{source}: {} of {} databases together, over {:.1} hours that all of them cover",
                level.words(),
                names.len(),
                self.covered_s / 3_600.0
            )),
            notes,
            ..Demand::new(in_brief(&names, 5, 4), streams)
        })
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
