//! What is said of a move away from Exadata.

use std::fmt::Write as _;

use iotrial_model::awr::LatestAlert;

use super::*;

const BYTES: Option<ShareOfBytes> = Some(ShareOfBytes { mib_per_s: 1_204.4, percent: 62.4 });

fn compressed(is_counted: bool, is_of_cells_only: bool) -> CompressedReads {
    CompressedReads { mib_per_s: 40.0, ratio: 9.8, is_counted, is_of_cells_only }
}

fn all_features() -> Vec<(Use, FeatureFacts)> {
    use FeatureFacts as Facts;
    let scan = |time_percent, bytes| Facts::SmartScan { time_percent, bytes };
    let hcc = |read: Option<CompressedReads>, cpu| Facts::Hcc { read, read_percent: read.map(|_| 12.5), cpu };
    let log = |first_percent, outliers_prevented, commits_percent| Facts::FlashLog {
        first_percent,
        outliers_prevented,
        commits_percent,
    };
    let cache = |hit_percent, time_percent| Facts::FlashCache { hit_percent, time_percent };
    vec![
        (Use::Used, scan(Some(40.0), BYTES)),
        (Use::Little, scan(Some(1.04), None)),
        (Use::NotUsed, scan(None, Some(ShareOfBytes { mib_per_s: 0.0, percent: 0.0 }))),
        (Use::NotStated, scan(None, None)),
        (Use::Used, hcc(Some(compressed(true, false)), Some(HccCpu::OfDbTime { percent: 3.25 }))),
        (Use::Used, hcc(Some(compressed(false, true)), Some(HccCpu::OfCells { units: 12_345.0 }))),
        (Use::Little, hcc(Some(compressed(true, true)), None)),
        (Use::NotUsed, hcc(None, None)),
        (Use::NotStated, hcc(None, None)),
        (Use::Used, Facts::StorageIndex { saved: BYTES }),
        (Use::Little, Facts::StorageIndex { saved: BYTES }),
        (Use::NotStated, Facts::StorageIndex { saved: None }),
        (Use::Used, Facts::ColumnarCache { saved: BYTES }),
        (Use::Used, cache(Some(97.0), Some(21.0))),
        (Use::Little, cache(Some(97.0), Some(2.0))),
        (Use::Little, cache(Some(97.0), None)),
        (Use::NotStated, cache(None, None)),
        (Use::Used, log(Some(90.0), Some(1_204.0), Some(12.0))),
        (Use::NotUsed, log(Some(0.0), Some(0.0), None)),
        (Use::NotStated, log(None, None, Some(12.0))),
        (Use::Used, Facts::Backup { waited_s: Some(812.0) }),
        (Use::NotUsed, Facts::Backup { waited_s: None }),
        (Use::Used, Facts::Cluster { instance_count: 2 }),
        (Use::Used, Facts::Cluster { instance_count: 1 }),
        (Use::NotUsed, Facts::Cluster { instance_count: 1 }),
        (Use::NotStated, Facts::Cluster { instance_count: 1 }),
    ]
}

fn all_memory() -> Vec<MemoryFacts> {
    let larger = |blocks_per_s, mib_per_s| MemoryFacts::LargerBufferCache {
        now_mib: 8_192.0,
        larger_mib: 12_288.0,
        percent: 37.5,
        blocks_per_s,
        mib_per_s,
    };
    vec![
        MemoryFacts::BufferCacheIsEnough { now_mib: 8_192.0 },
        larger(Some(150.0), Some(1.17)),
        larger(Some(150.0), None),
        larger(None, None),
        MemoryFacts::PgaIsEnough,
        MemoryFacts::LargerPga { now_mib: 2_048.0, larger_mib: 4_096.0, percent: 80.0 },
        MemoryFacts::AtMost {
            blocks_per_s: 400.0,
            mib_per_s: Some(3.125),
            hit_percent: Some(98.7),
            direct_blocks_per_s: Some(20_000.0),
        },
        MemoryFacts::AtMost {
            blocks_per_s: 400.0,
            mib_per_s: None,
            hit_percent: None,
            direct_blocks_per_s: None,
        },
    ]
}

fn all_assumptions() -> Vec<RangeAssumption> {
    use RangeAssumption as Assumed;
    let stored = |is_counted, is_of_cells_only| {
        let CompressedReads { ratio, .. } = compressed(is_counted, is_of_cells_only);
        Assumed::Uncompressed { ratio, is_counted, is_of_cells_only }
    };
    vec![
        Assumed::LowIsWhatScansReturn,
        Assumed::HighIsWhatScansCover,
        Assumed::NoSmartScans,
        Assumed::ScansNotCounted,
        stored(true, false),
        stored(false, false),
        stored(false, true),
        Assumed::NothingCompressed,
        Assumed::MemoryAsToday,
        Assumed::WritesCountOnce,
        Assumed::NoWaitForSingleBlocks,
        Assumed::NoWaitForCommits,
        Assumed::LatencyEnds,
    ]
}

fn all_states() -> Vec<CellState> {
    let latest = LatestAlert {
        cell: "cel01".into(),
        time: "2025-03-01T01:00:00".into(),
        message: "Hard disk failed. Replace it.".into(),
    };
    let offline = |other_count| CellState::OfflineDisks {
        disk: "CD_03_cel02 HardDisk failed".into(),
        cell: "cel02".into(),
        other_count,
    };
    let flash = |mode: &str, size_gib| CellState::FlashCache {
        mode: mode.into(),
        is_write_back: mode == "WriteBack",
        size_gib,
    };
    vec![
        CellState::Alerts { critical: 1.0, warning: 2.0, latest: Some(latest) },
        CellState::Alerts { critical: 0.0, warning: 1.0, latest: None },
        CellState::Quarantines { count: 1 },
        CellState::Quarantines { count: 2 },
        offline(0),
        offline(3),
        CellState::Marks { beyond_capacity: 1, above: 2, below: 3 },
        CellState::Marks { beyond_capacity: 0, above: 2, below: 0 },
        CellState::Cpu {
            mean_percent: 17.7,
            user_percent: Some(13.25),
            system_percent: Some(4.45),
            busiest: Some(("cel02".into(), 18.48)),
        },
        CellState::Cpu { mean_percent: 20.0, user_percent: None, system_percent: None, busiest: None },
        flash("WriteBack", 25_600.0),
        flash("WriteThrough", 0.0),
        CellState::ThisDatabase { name: "SHOP".into(), mib_per_s: 73.2, all_mib_per_s: 4_880.0 },
    ]
}

#[test]
fn what_is_said_of_a_move_away_from_exadata_is_on_one_page() {
    let mut page = String::new();
    for (used, facts) in &all_features() {
        writeln!(page, "feature, {}: {}", used.as_str(), feature(*used, facts)).unwrap();
    }
    for facts in &all_memory() {
        writeln!(page, "memory: {}", memory(facts)).unwrap();
    }
    for assumption in &all_assumptions() {
        writeln!(page, "range: {}", range_assumption(assumption)).unwrap();
    }
    for state in &all_states() {
        writeln!(page, "cells: {}", cell_state(state)).unwrap();
    }
    let bytes = Some(LowHigh { low: 100.0, high: 560.0 });
    let requests = Some(LowHigh { low: 1_000.0, high: 1_000.0 });
    for (read_mib_per_s, reads_per_s, is_counted) in
        [(bytes, requests, true), (None, requests, false), (None, None, false)]
    {
        let reads = PlainReads { read_mib_per_s, reads_per_s, is_counted };
        writeln!(page, "reads: {}", plain_reads(&reads)).unwrap();
    }
    insta::assert_snapshot!("away", page);
}
