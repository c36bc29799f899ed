//! What the same work would ask of plain storage, as a range.

use iotrial_model::awr::{AwrFigure, Quoted};
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
pub(super) fn of(view: &View<'_>) -> (Vec<Ask>, Vec<String>) {
    let figure = |figure| view.figures.get(figure).and_then(Quoted::sound);
    let value = |name: &str| view.mib(name).and_then(|one| one.value);
    let (mut asks, mut words) = (Vec::new(), Vec::new());
    let eligible = value("cell physical IO bytes eligible for predicate offload").unwrap_or(0.0);
    let returned = value("cell physical IO interconnect bytes returned by smart scan").unwrap_or(0.0);
    let compressed = compressed(view);
    let expanded = compressed.as_ref().map_or(0.0, |one| one.mib_per_s * (one.ratio - 1.0));
    if let Some(read) = figure(AwrFigure::ReadMib) {
        // Bytes of smart scans are among the physical reads, also those that the storage index spared.
        let scanned = eligible.min(read);
        let low = read - scanned + returned.min(scanned);
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
            let left = returned.min(scanned) / MIB_PER_SCAN_READ;
            asks.push(Ask {
                id: "reads_per_s",
                what: "reads, IOPS",
                today: reads,
                low: (reads - of_scans + left).min(reads),
                high: reads + expanded / MIB_PER_SCAN_READ,
            });
        }
        if scanned > 0.0 {
            words.push("low: the database reads only what smart scans return today, because indexes, partitions or the In-Memory column store avoid the rest".to_owned());
            words.push("high: scans read everything that smart scans cover, including what the storage index and the columnar cache save today, 1 MiB at a time".to_owned());
        } else {
            words.push(
                "low and high are both today's reads, because the report has no smart scans".to_owned(),
            );
        }
        words.push(match &compressed {
            Some(one) if one.is_counted => format!(
                "high: data with hybrid columnar compression are stored uncompressed, {:.1} times as large",
                one.ratio
            ),
            Some(one) => format!(
                "high: data with hybrid columnar compression are stored uncompressed, {:.0} times as large: OMAT's rule of thumb for QUERY HIGH (6 to 18, depending on the kind of compression), because the report does not have the ratio{}",
                one.ratio,
                if one.is_of_cells_only { "; this is too high if the counts of the cells come from the columnar cache" } else { "" }
            ),
            None => "data keeps its present size, because the report has no hybrid columnar compression".to_owned(),
        });
        words.push("more memory would lower both ends: see below".to_owned());
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
        words.push(
            "each write is counted once, as the database issues it: if ASM mirrors on the new storage, add the copies"
                .to_owned(),
        );
    }
    latencies(view, &mut asks, &mut words);
    (asks, words)
}

/// How slow a wait may become before DB time grows by a tenth. What nobody waits for has no such limit.
fn latencies(view: &View<'_>, asks: &mut Vec<Ask>, words: &mut Vec<String>) {
    let figure = |figure| view.figures.get(figure).and_then(Quoted::sound);
    let single = ["cell single block physical read", "db file sequential read"];
    if let Some(today) = figure(AwrFigure::SingleBlockReadUs) {
        match view.share(&single).filter(|share| *share >= 1.0) {
            Some(share) => asks.push(Ask {
                id: "single_block_read_us",
                what: "single-block read, µs",
                today,
                low: today,
                high: today * (1.0 + MUCH_PERCENT / share),
            }),
            None => words.push(
                "single-block reads are less than 1 % of DB time: their latency hardly matters".to_owned(),
            ),
        }
    }
    let commit = figure(AwrFigure::CommitUs).zip(view.share(&["log file sync"]));
    if let Some(today) = figure(AwrFigure::RedoWriteUs) {
        match commit.filter(|(_, share)| *share >= 1.0) {
            // What commits may take longer is all for the write.
            Some((commit, share)) => asks.push(Ask {
                id: "redo_write_us",
                what: "redo write, µs",
                today,
                low: today,
                high: today + commit * MUCH_PERCENT / share,
            }),
            None => words.push(
                "commits are less than 1 % of DB time: the latency of redo writes hardly matters".to_owned(),
            ),
        }
    }
    if asks.iter().any(|ask| ask.id.ends_with("_us")) {
        words.push(
            "latencies: low is the value of today; at high, this wait alone makes DB time 10 % longer"
                .to_owned(),
        );
    }
}
