//! What a database asks for, as a demand that sizing takes.

use iotrial_model::awr::{AwrFigure, DemandNote, RatesOf, ReportedRates};
use iotrial_model::demand::{Demand, DemandStream};
use iotrial_model::load::{Direction, Role};
use iotrial_model::units::ByteSize;
use iotrial_words::awr as words;

use super::flow::{Flow, split};
use super::right_size::{SizeRequest, Sized, rate_of};
use super::series::DatabaseSeries;

/// A share of all reads that is no stream of its own.
const NEARLY_NONE: f64 = 0.005;

/// The rate of a figure that is asked for.
type RateOf<'r> = &'r dyn Fn(AwrFigure) -> Option<f64>;

impl DatabaseSeries {
    /// The demand of the sizing: each rate by itself, as of counters, because the interval with the most requests is rarely the
    /// one with the most bytes. `None` where nothing was sized, or a rate has no size. `reports` is what the user calls them.
    pub fn demand(&self, request: &SizeRequest, reports: &str) -> Option<Demand> {
        let sizing = self.right_size.as_ref()?;
        let chosen = &sizing.chosen;
        let at = |figure| rate_of(self, request, chosen, figure);
        let mut notes: Vec<DemandNote> = self.notes.iter().cloned().map(DemandNote::Series).collect();
        notes.extend(sizing.notes.iter().cloned().map(DemandNote::Size));
        let factors = sizing.factors.iter().map(|one| (one.name, one.value)).collect();
        notes.push(DemandNote::Method { method: chosen.method, factors });
        let mut streams = self.reads(&at, &mut notes);
        streams.extend(writes(&at, &mut notes));
        for (direction, requests) in
            [(Direction::Read, AwrFigure::Reads), (Direction::Write, AwrFigure::Writes)]
        {
            let iops = at(requests).unwrap_or(0.0);
            if iops > 0.0 && streams.iter().all(|one| one.direction != direction) {
                notes.push(DemandNote::WithoutBytes { direction, iops });
            }
        }
        let rates = ReportedRates::Sized {
            level: chosen.level,
            interval_count: self.intervals.len(),
            method: chosen.method,
        };
        (!streams.is_empty()).then(|| Demand {
            source: Some(words::rates_of(&RatesOf { reports: reports.to_owned(), rates })),
            notes: notes.iter().map(words::demand_note).collect(),
            vcpus_min: chosen.vcpus.unwrap_or(0).min(1 << 16),
            memory_min: memory_of(chosen),
            ..Demand::new(self.database.clone(), streams)
        })
    }

    fn reads(&self, at: RateOf<'_>, notes: &mut Vec<DemandNote>) -> Vec<DemandStream> {
        let Some(all) = flow(at, AwrFigure::Reads, AwrFigure::ReadMib) else { return Vec::new() };
        // Nearly none of one kind is one stream: its size would be all noise.
        let negligible = NEARLY_NONE * all.iops;
        let share = at(AwrFigure::MultiBlockReads)
            .zip(at(AwrFigure::SingleBlockReads))
            .map(|(multi, single)| multi / (multi + single));
        let block = self.statistics(AwrFigure::BlockKib).map(|one| one.average);
        let parts =
            share.zip(block).map(|(share, block)| split(all, Some(share * all.iops), block, negligible));
        match parts.filter(|(single, multi)| single.is_there() && single.mean_kib() < multi.mean_kib()) {
            Some((single, multi)) => {
                notes.push(DemandNote::ReadsApart);
                [single, multi].map(|part| stream(part, None, Direction::Read)).to_vec()
            }
            None => {
                notes.push(DemandNote::ReadsTogether);
                all.is_there().then(|| stream(all, None, Direction::Read)).into_iter().collect()
            }
        }
    }
}

fn writes(at: RateOf<'_>, notes: &mut Vec<DemandNote>) -> Vec<DemandStream> {
    let Some(all) = flow(at, AwrFigure::Writes, AwrFigure::WriteMib) else { return Vec::new() };
    // A log of more than all writes is a contradiction of the report: then nobody knows what of them is redo.
    let log = flow(at, AwrFigure::LogWrites, AwrFigure::LogWriteMib)
        .filter(|log| log.iops < all.iops && log.mib_per_s < all.mib_per_s);
    let (log, rest) = all.without(log, 0.0);
    let rest = rest.is_there().then(|| stream(rest, None, Direction::Write));
    let log = log.is_there().then(|| stream(log, Some(Role::Log), Direction::Write));
    notes.extend(log.is_some().then_some(DemandNote::RedoApart));
    rest.into_iter().chain(log).collect()
}

fn flow(at: RateOf<'_>, requests: AwrFigure, mib: AwrFigure) -> Option<Flow> {
    Some(Flow { iops: at(requests)?, mib_per_s: at(mib)? })
}

/// In whole GiB, as machines have it.
fn memory_of(chosen: &Sized) -> ByteSize {
    let gib = chosen.memory_gib.map_or(0.0, f64::ceil);
    // No machine has a million GiB.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped just before")]
    ByteSize::gib(gib.clamp(0.0, 1e6) as u64)
}

fn stream(flow: Flow, role: Option<Role>, direction: Direction) -> DemandStream {
    DemandStream { role, direction, iops: flow.iops, block_size_bytes: flow.mean_kib() * 1024.0 }
}
