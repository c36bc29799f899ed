//! Words for a move away from Exadata.

use iotrial_model::awr::{
    CellState, CompressedReads, FeatureFacts, HccCpu, LowHigh, MemoryFacts, PlainReads, RangeAssumption,
    ShareOfBytes, Use,
};

use crate::numbers::{number_in_words, with_thousands};

const NO_COUNTERS: &str = "no counters for it";

/// What the report says of a feature, and what takes its place; without a full stop.
pub fn feature(used: Use, facts: &FeatureFacts) -> String {
    match facts {
        FeatureFacts::SmartScan { time_percent, bytes } => smart_scan(used, *time_percent, *bytes),
        FeatureFacts::Hcc { read, read_percent, cpu } => hcc(used, *read, *read_percent, *cpu),
        FeatureFacts::StorageIndex { saved } => {
            saved_bytes(used, *saved, "partitions or zone maps take its place")
        }
        FeatureFacts::ColumnarCache { saved } => {
            saved_bytes(used, *saved, "the In-Memory column store takes its place")
        }
        FeatureFacts::FlashCache { hit_percent: None, .. } => NO_COUNTERS.to_owned(),
        FeatureFacts::FlashCache { hit_percent: Some(percent), .. } if used == Use::Used => {
            format!("serves {percent:.0} % of the reads: plain storage must be flash too")
        }
        FeatureFacts::FlashCache { hit_percent: Some(percent), time_percent: Some(time) } => {
            format!(
                "serves {percent:.0} % of the reads; sessions wait little for small ones ({time:.1} % of DB time)"
            )
        }
        FeatureFacts::FlashCache { hit_percent: Some(percent), time_percent: None } => {
            format!(
                "serves {percent:.0} % of the reads; the report does not have how long sessions wait for small ones"
            )
        }
        FeatureFacts::FlashLog { first_percent, outliers_prevented, commits_percent } => {
            flash_log(*first_percent, *outliers_prevented, *commits_percent)
        }
        FeatureFacts::Backup { waited_s: Some(seconds) } => format!(
            "{} s of waits for backup, restore or new files on cells: elsewhere block change tracking and the host do it",
            number_in_words(*seconds)
        ),
        FeatureFacts::Backup { waited_s: None } => "no waits for it".to_owned(),
        FeatureFacts::Cluster { instance_count } => match used {
            Use::Used => format!(
                "{}: elsewhere a cluster needs shared storage and a separate network; a single machine with a standby may be enough",
                if *instance_count > 1 {
                    format!("{instance_count} instances")
                } else {
                    "a cluster".to_owned()
                }
            ),
            Use::NotUsed => "a single instance".to_owned(),
            Use::Little | Use::NotStated => "the report does not say".to_owned(),
        },
    }
}

fn smart_scan(used: Use, time_percent: Option<f64>, bytes: Option<ShareOfBytes>) -> String {
    let time = time_percent.map(|percent| format!("{percent:.1} % of DB time"));
    let bytes = bytes.map(|ShareOfBytes { mib_per_s, percent }| {
        format!("{} MiB/s, {percent:.0} % of the bytes read", number_in_words(mib_per_s))
    });
    let seen = time.into_iter().chain(bytes).collect::<Vec<_>>().join(", ");
    match used {
        Use::Used => format!(
            "{seen}: elsewhere the database itself reads and filters, which needs read throughput and CPU, or indexes and partitions"
        ),
        Use::NotStated => "no waits and no counters for it".to_owned(),
        Use::Little | Use::NotUsed => seen,
    }
}

fn hcc(used: Use, read: Option<CompressedReads>, read_percent: Option<f64>, cpu: Option<HccCpu>) -> String {
    let Some(read) = read else {
        return match used {
            Use::NotUsed => "nothing was decompressed".to_owned(),
            _ => "no counters for it (Oracle leaves them out if they are zero); check `dba_tables.compress_for` to be sure".to_owned(),
        };
    };
    let ratio = if read.is_counted {
        format!("{:.1} times as much after decompression", read.ratio)
    } else {
        "the ratio is not known, because only the columns that are read are decompressed".to_owned()
    };
    let share = read_percent
        .map_or_else(String::new, |percent| format!(" ({} % of the bytes read)", number_in_words(percent)));
    let mut parts = vec![format!(
        "{} MiB/s of compressed data are read{share}; {ratio}",
        number_in_words(read.mib_per_s)
    )];
    if read.is_of_cells_only {
        parts.push("only the cells count them, and their columnar cache counts the same way; check `dba_tables.compress_for` to be sure".to_owned());
    }
    parts.push(match cpu {
        Some(HccCpu::OfDbTime { percent }) => format!("its CPU is {percent:.1} % of DB time"),
        Some(HccCpu::OfCells { units }) => format!(
            "the cells count {} units of time for it (Oracle does not document the unit); the report does not have its CPU time in the database",
            number_in_words(units)
        ),
        None => "its CPU time is not in the report".to_owned(),
    });
    if used == Use::Used {
        parts.push(
            "plain storage does not have it: data grows by that ratio, on disk and in backups".to_owned(),
        );
    }
    parts.join("; ")
}

fn saved_bytes(used: Use, saved: Option<ShareOfBytes>, instead: &str) -> String {
    let Some(ShareOfBytes { mib_per_s, percent }) = saved else { return NO_COUNTERS.to_owned() };
    let instead = if used == Use::Used { format!("; {instead}") } else { String::new() };
    format!("saves {} MiB/s, {percent:.0} % of what smart scans cover{instead}", number_in_words(mib_per_s))
}

fn flash_log(first: Option<f64>, prevented: Option<f64>, commits: Option<f64>) -> String {
    let mut words = first.map_or_else(
        || "no section about it".to_owned(),
        |percent| format!("wrote first in {percent:.0} % of the cases, for all databases on the cells"),
    );
    if let Some(prevented) = prevented.filter(|prevented| *prevented > 0.0) {
        words.push_str(&format!(", and saved the log from {} slow writes", number_in_words(prevented)));
    }
    if let Some(percent) = commits.filter(|_| first.is_some()) {
        words.push_str(&format!("; commits are {percent:.1} % of DB time"));
    }
    words
}

/// What more memory would save, without a full stop.
pub fn memory(facts: &MemoryFacts) -> String {
    const ESTIMATE: &str = "Oracle estimates, from the time since the instance was started, that";
    let number = |number: &f64| number_in_words(*number);
    match facts {
        MemoryFacts::BufferCacheIsEnough { now_mib } => format!(
            "Oracle estimates that a buffer cache larger than {} MiB would save almost no reads",
            number(now_mib)
        ),
        MemoryFacts::LargerBufferCache { now_mib, larger_mib, percent, blocks_per_s, mib_per_s } => {
            let mib = mib_per_s.map_or_else(String::new, |mib| format!(", {} MiB/s", number(&mib)));
            let amount = blocks_per_s
                .map_or_else(String::new, |blocks| format!(": {} blocks per second{mib}", number(&blocks)));
            format!(
                "{ESTIMATE} a buffer cache of {} MiB instead of {} would save {percent:.0} % of the reads into it{amount}",
                number(larger_mib),
                number(now_mib)
            )
        }
        MemoryFacts::PgaIsEnough => {
            "Oracle estimates that a larger PGA would save almost no temporary I/O".to_owned()
        }
        MemoryFacts::LargerPga { now_mib, larger_mib, percent } => format!(
            "{ESTIMATE} a PGA of {} MiB instead of {} would save {percent:.0} % of the temporary I/O of sorts and joins",
            number(larger_mib),
            number(now_mib)
        ),
        MemoryFacts::AtMost { blocks_per_s, mib_per_s, hit_percent, direct_blocks_per_s } => {
            let mib = mib_per_s.map_or_else(String::new, |mib| format!(" ({} MiB/s)", number(&mib)));
            let hits = hit_percent
                .map_or_else(String::new, |hits| format!(", {hits:.1} % of the logical reads are in it"));
            let direct = direct_blocks_per_s.map_or_else(String::new, |direct| {
                format!(
                    "; {} blocks per second bypass it with direct path reads, which more memory does not avoid",
                    number(&direct)
                )
            });
            format!(
                "the report has no advisory: more memory could save at most the {} blocks per second{mib} that are read into the buffer cache{hits}{direct}",
                number(blocks_per_s)
            )
        }
    }
}

/// What the ends of a range take for granted, without a full stop.
pub fn range_assumption(assumption: &RangeAssumption) -> String {
    use RangeAssumption as Assumed;
    let words = match assumption {
        Assumed::LowIsWhatScansReturn => {
            "low: the database reads only what smart scans return today, because indexes, partitions or the In-Memory column store avoid the rest"
        }
        Assumed::HighIsWhatScansCover => {
            "high: scans read everything that smart scans cover, including what the storage index and the columnar cache save today, 1 MiB at a time"
        }
        Assumed::NoSmartScans => "low and high are both today's reads, because the report has no smart scans",
        Assumed::ScansNotCounted => {
            "low and high are both today's reads, because the report does not have what smart scans cover and return"
        }
        Assumed::Uncompressed { ratio, is_counted: true, .. } => {
            return format!(
                "high: data with hybrid columnar compression are stored uncompressed, {ratio:.1} times as large"
            );
        }
        Assumed::Uncompressed { ratio, is_counted: false, is_of_cells_only } => {
            return format!(
                "high: data with hybrid columnar compression are stored uncompressed, {ratio:.0} times as large: OMAT's rule of thumb for QUERY HIGH (6 to 18, depending on the kind of compression), because the report does not have the ratio{}",
                if *is_of_cells_only {
                    "; this is too high if the counts of the cells come from the columnar cache"
                } else {
                    ""
                }
            );
        }
        Assumed::NothingCompressed => {
            "data keeps its present size, because the report has no hybrid columnar compression"
        }
        Assumed::MemoryAsToday => "more memory would lower both ends: see below",
        Assumed::WritesCountOnce => {
            "each write is counted once, as the database issues it: if ASM mirrors on the new storage, add the copies"
        }
        Assumed::NoWaitForSingleBlocks => {
            "single-block reads are less than 1 % of DB time: their latency hardly matters"
        }
        Assumed::NoWaitForCommits => {
            "commits are less than 1 % of DB time: the latency of redo writes hardly matters"
        }
        Assumed::LatencyEnds => {
            "latencies: low is the value of today; at high, this wait alone makes DB time 10 % longer"
        }
    };
    words.to_owned()
}

/// How storage servers are, without a full stop.
pub fn cell_state(state: &CellState) -> String {
    match state {
        CellState::Alerts { critical, warning, latest } => {
            let plural = |count: f64| if count == 1.0 { "" } else { "s" };
            let latest = latest.as_ref().map_or_else(String::new, |one| {
                let first = one.message.split(". ").next().unwrap_or(&one.message);
                format!("; on {} since {}: {first}", one.cell, one.time)
            });
            format!(
                "{critical:.0} critical alert{} and {warning:.0} warning{} are open{latest}",
                plural(*critical),
                plural(*warning)
            )
        }
        CellState::Quarantines { count } => format!(
            "{count} quarantine{} smart scan for statements or whole databases on these cells (the alerts name them): those reads are not offloaded today, so a move costs them nothing",
            if *count == 1 { " disables" } else { "s disable" }
        ),
        CellState::OfflineDisks { disk, cell, other_count } => {
            let more = if *other_count == 0 { String::new() } else { format!(" and {other_count} more") };
            format!("not online: {disk} on {cell}{more}")
        }
        CellState::Marks { beyond_capacity, above, below } => {
            let marks = [
                (*beyond_capacity, "beyond the capacity of a disk or cell (`*`)"),
                (*above, "above the normal range (`^`)"),
                (*below, "below the normal range (`v`)"),
            ];
            let parts: Vec<String> = marks
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, words)| format!("{count} {words}"))
                .collect();
            format!("values of cells and disks: {}", parts.join(", "))
        }
        CellState::Cpu { mean_percent, user_percent, system_percent, busiest } => {
            let parts: Vec<String> = [(user_percent, "user"), (system_percent, "system")]
                .into_iter()
                .filter_map(|(percent, what)| Some(format!("{:.2} % {what}", (*percent)?)))
                .collect();
            let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
            let busiest = busiest.as_ref().map_or_else(String::new, |(cell, percent)| {
                format!("; the busiest is {cell} with {percent:.2} %")
            });
            format!("their CPUs are busy for {mean_percent:.2} % of the time on average{parts}{busiest}")
        }
        CellState::FlashCache { mode, is_write_back, size_gib } => format!(
            "the flash cache{} is {mode}: {}",
            if *size_gib > 0.0 { format!(" of {} GiB", with_thousands(*size_gib)) } else { String::new() },
            if *is_write_back {
                "writes complete when flash has them, so plain storage must be as fast for writes"
            } else {
                "writes complete when disks have them, so plain flash is faster for writes"
            }
        ),
        CellState::ThisDatabase { name, mib_per_s, all_mib_per_s } => format!(
            "{name} moves {mib_per_s:.1} of the {} MiB/s that the busiest databases move on these cells ({:.0} %): separate storage for it can be smaller than the cells",
            with_thousands(*all_mib_per_s),
            100.0 * mib_per_s / all_mib_per_s
        ),
    }
}

/// What storage that is sized by the rates of a database on Exadata has to know, without a full stop.
pub fn plain_reads(reads: &PlainReads) -> String {
    let range = |ends: &LowHigh| {
        let (low, high) = (number_in_words(ends.low), number_in_words(ends.high));
        if low == high { low } else { format!("{low} to {high}") }
    };
    let bytes = reads.read_mib_per_s.as_ref().map(|ends| format!("{} MiB/s of reads", range(ends)));
    let requests = reads.reads_per_s.as_ref().map(|ends| format!("{} reads per second", range(ends)));
    let rates = bytes.into_iter().chain(requests).collect::<Vec<_>>().join(" and ");
    let opening = "on Exadata, offload and the storage index filter data before it reaches the database";
    match (rates.is_empty(), reads.is_counted) {
        (true, _) => format!("{opening}: other storage must deliver more than the cells return today"),
        (false, true) => format!(
            "{opening}: other storage must deliver {rates}: the least if indexes, partitions or the In-Memory column store avoid what is filtered today, the most if everything is read and stored uncompressed"
        ),
        (false, false) => format!(
            "{opening}, but the reports do not count this: other storage must deliver {rates}, as today"
        ),
    }
}

#[cfg(test)]
mod tests;
