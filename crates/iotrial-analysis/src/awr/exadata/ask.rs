//! What the same work would ask of plain storage, as a range.

use iotrial_model::awr::{AwrFigure, CompressedReads, Quoted, RangeAssumption};
use serde::Serialize;

use super::feature::compressed;
use super::{MUCH_PERCENT, View};

/// A scan of plain storage reads 1 MiB at a time.
const MIB_PER_SCAN_READ: f64 = 1.0;

/// Something that storage is asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ask {
    /// The same for the same kind: `read_mib_per_s`, `reads_per_s`, `write_mib_per_s`, `writes_per_s`, `single_block_read_us`,
    /// `redo_write_us`.
    pub id: &'static str,
    /// In words, with the unit.
    pub what: &'static str,
    /// What the report has.
    pub today: f64,
    /// The end that takes the least.
    pub low: f64,
    /// The end that takes the most; of a latency the slowest that does.
    pub high: f64,
}

/// The ranges with their assumptions.
pub(super) fn of(view: &View<'_>) -> (Vec<Ask>, Vec<RangeAssumption>) {
    let figure = |figure| view.figures.get(figure).and_then(Quoted::sound);
    let value = |name: &str| view.mib(name).and_then(|one| one.value());
    let (mut asks, mut assumptions) = (Vec::new(), Vec::new());
    let eligible = value("cell physical IO bytes eligible for predicate offload");
    let returned = value("cell physical IO interconnect bytes returned by smart scan");
    let compressed = compressed(view);
    let expanded = compressed.as_ref().map_or(0.0, |one| one.mib_per_s * (one.ratio - 1.0));
    if let Some(read) = figure(AwrFigure::ReadMib) {
        // Bytes of smart scans are among the physical reads, also those that the storage index spared.
        let scanned = eligible.map(|eligible| eligible.min(read));
        // A counter that is not printed is not zero: without both nobody knows what scans spare.
        let scans = match scanned {
            Some(scanned) if scanned > 0.0 => returned.map(|returned| (scanned, returned.min(scanned))),
            scanned => scanned.map(|scanned| (scanned, 0.0)),
        };
        let (scanned, left) = scans.unwrap_or_default();
        let low = read - scanned + left;
        asks.push(Ask {
            id: "read_mib_per_s",
            what: "reads, MiB/s",
            today: read,
            low,
            high: read + expanded,
        });
        if let Some(reads) = figure(AwrFigure::Reads) {
            // Requests of scans are among those of several blocks.
            let most = figure(AwrFigure::MultiBlockReads).unwrap_or(reads);
            let of_scans = (scanned / MIB_PER_SCAN_READ).min(most);
            let left = left / MIB_PER_SCAN_READ;
            asks.push(Ask {
                id: "reads_per_s",
                what: "reads, IOPS",
                today: reads,
                low: (reads - of_scans + left).min(reads),
                high: reads + expanded / MIB_PER_SCAN_READ,
            });
        }
        match scans {
            None => assumptions.push(RangeAssumption::ScansNotCounted),
            Some(_) if scanned > 0.0 => assumptions
                .extend([RangeAssumption::LowIsWhatScansReturn, RangeAssumption::HighIsWhatScansCover]),
            Some(_) => assumptions.push(RangeAssumption::NoSmartScans),
        }
        assumptions.push(compressed.map_or(RangeAssumption::NothingCompressed, |one| {
            let CompressedReads { ratio, is_counted, is_of_cells_only, .. } = one;
            RangeAssumption::Uncompressed { ratio, is_counted, is_of_cells_only }
        }));
        assumptions.push(RangeAssumption::MemoryAsToday);
    }
    let writes = [
        ("write_mib_per_s", "writes, MiB/s", AwrFigure::WriteMib),
        ("writes_per_s", "writes, IOPS", AwrFigure::Writes),
    ];
    for (id, what, name) in writes {
        if let Some(today) = figure(name) {
            asks.push(Ask { id, what, today, low: today, high: today });
        }
    }
    if asks.iter().any(|ask| ask.id == "writes_per_s") {
        assumptions.push(RangeAssumption::WritesCountOnce);
    }
    latencies(view, &mut asks, &mut assumptions);
    (asks, assumptions)
}

/// How slow a wait may become before DB time grows by a tenth. What nobody waits for has no such limit.
fn latencies(view: &View<'_>, asks: &mut Vec<Ask>, assumptions: &mut Vec<RangeAssumption>) {
    let figure = |figure| view.figures.get(figure).and_then(Quoted::sound);
    let single = ["cell single block physical read", "db file sequential read"];
    if let Some((today, share)) = figure(AwrFigure::SingleBlockReadUs).zip(view.share(&single)) {
        match share {
            1.0.. => asks.push(Ask {
                id: "single_block_read_us",
                what: "single-block read, µs",
                today,
                low: today,
                high: today * (1.0 + MUCH_PERCENT / share),
            }),
            _ => assumptions.push(RangeAssumption::NoWaitForSingleBlocks),
        }
    }
    let commits = view.share(&["log file sync"]);
    if let Some((today, share)) = figure(AwrFigure::RedoWriteUs).zip(commits) {
        match figure(AwrFigure::CommitUs).filter(|_| share >= 1.0) {
            // What commits may take longer is all for the write.
            Some(commit) => asks.push(Ask {
                id: "redo_write_us",
                what: "redo write, µs",
                today,
                low: today,
                high: today + commit * MUCH_PERCENT / share,
            }),
            None => assumptions.push(RangeAssumption::NoWaitForCommits),
        }
    }
    if asks.iter().any(|ask| ask.id.ends_with("_us")) {
        assumptions.push(RangeAssumption::LatencyEnds);
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::awr::{AwrFigures, AwrReport, Statistic};
    use iotrial_model::imported::Stated;

    use super::super::super::replay::tests::report;
    use super::*;

    /// The low end of the MiB that are read, and what it takes for granted, of 1,000 MiB/s and these counters in MiB/s.
    fn low(counters: &[(&str, f64)]) -> (f64, RangeAssumption) {
        let quoted = |value: f64| Quoted::printed(Stated::exact(value), "a place (line 1)");
        let activity = counters.iter().map(|(name, mib)| Statistic {
            name: (*name).to_owned(),
            total: Quoted::default(),
            per_second: quoted(mib * 1_048_576.0),
        });
        let mut figures = AwrFigures::default();
        figures.put(AwrFigure::ReadMib, quoted(1_000.0));
        let report = AwrReport { activity: activity.collect(), ..report(&[], Vec::new()) };
        let (asks, assumptions) = of(&View { report: &report, figures: &figures });
        (asks[0].low, assumptions[0])
    }

    #[test]
    fn a_counter_that_is_missing_is_not_a_scan_of_nothing() {
        let eligible = |mib| ("cell physical IO bytes eligible for predicate offload", mib);
        let returned = |mib| ("cell physical IO interconnect bytes returned by smart scan", mib);
        assert_eq!(low(&[]), (1_000.0, RangeAssumption::ScansNotCounted));
        assert_eq!(low(&[eligible(600.0)]), (1_000.0, RangeAssumption::ScansNotCounted));
        assert_eq!(low(&[eligible(0.0)]), (1_000.0, RangeAssumption::NoSmartScans));
        let counted = low(&[eligible(600.0), returned(100.0)]);
        assert_eq!(counted, (500.0, RangeAssumption::LowIsWhatScansReturn));
    }
}
