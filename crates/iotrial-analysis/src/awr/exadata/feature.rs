//! What of Exadata a database uses, and how hard the move is for it.

use iotrial_model::awr::{AwrFigure, CompressedReads, FeatureFacts, HccCpu, ShareOfBytes, Use};
use serde::Serialize;

use super::{ANY_STORAGE_READS_MIB, Difficulty, MUCH_PERCENT, TimeShare, View};

/// From this score on a move is some work, and from this one on it is hard: one feature that other storage does not have and that
/// must be replaced is some work, two of them are hard.
// A choice, as are the weights; the source of the idea (Microsoft's guide) counts features and gives no numbers.
const SOME_WORK: u32 = 2;
const HARD: u32 = 4;

/// By a share from which on it counts.
fn by_share(percent: Option<f64>, much: f64) -> Use {
    match percent {
        None => Use::NotStated,
        Some(percent) if percent >= much => Use::Used,
        Some(percent) if percent > 0.0 => Use::Little,
        Some(_) => Use::NotUsed,
    }
}

/// By a share of bytes, where there are so many of `whole_mib` that other storage would notice.
fn by_bytes(percent: Option<f64>, whole_mib: Option<f64>) -> Use {
    match by_share(percent, MUCH_PERCENT) {
        Use::Used if whole_mib.is_some_and(|mib| mib < ANY_STORAGE_READS_MIB) => Use::Little,
        other => other,
    }
}

/// Something that Exadata has.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Feature {
    /// The same for the same feature.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Whether it is used.
    pub used: Use,
    /// How much harder it makes the move, where it is used.
    pub weight: u32,
    /// What the report says of it, and what takes its place; without a full stop.
    pub text: String,
    /// What the text is made from.
    #[serde(skip)]
    pub facts: FeatureFacts,
}

impl Feature {
    fn new(id: &'static str, name: &'static str, used: Use, weight: u32, facts: FeatureFacts) -> Self {
        Self { id, name, used, weight, text: iotrial_words::awr::feature(used, &facts), facts }
    }

    /// What it adds to the difficulty.
    pub fn score(&self) -> u32 {
        if self.used == Use::Used { self.weight } else { 0 }
    }
}

/// `None` where nothing is stated of any feature, and where so much was not read that the move may be harder: what is seen can only add
/// to it. `is_read` says whether counters and waits of users were read to their end.
pub(super) fn difficulty(features: &[Feature], is_read: bool) -> Option<Difficulty> {
    if features.iter().all(|one| one.used == Use::NotStated) {
        return None;
    }
    match features.iter().map(Feature::score).sum::<u32>() {
        score if score >= HARD => Some(Difficulty::Hard),
        _ if !is_read => None,
        score if score >= SOME_WORK => Some(Difficulty::SomeWork),
        _ => Some(Difficulty::Easy),
    }
}

pub(super) fn of(view: &View<'_>, time: &[TimeShare]) -> Vec<Feature> {
    let mut features = vec![smart_scan(view, time), hcc(view)];
    features.extend(spared(view));
    features.extend([flash_cache(view, time), flash_log(view), backup(view), cluster(view)]);
    features
}

fn quotient(part: Option<f64>, whole: Option<f64>) -> Option<f64> {
    let (part, whole) = (part?, whole?);
    if whole > 0.0 {
        return Some(100.0 * part / whole);
    }
    // Nothing was scanned of nothing; but where the whole is printed as 0 and a part of it is not, nobody knows.
    (part <= 0.0).then_some(0.0)
}

const ELIGIBLE: &str = "cell physical IO bytes eligible for predicate offload";

fn smart_scan(view: &View<'_>, time: &[TimeShare]) -> Feature {
    let share = time.first().and_then(|one| one.percent);
    let eligible = view.mib(ELIGIBLE).and_then(|one| one.value());
    let of_bytes = quotient(eligible, view.figures.value(AwrFigure::ReadMib));
    let used_by_bytes = by_bytes(of_bytes, eligible);
    let used = match by_share(share, MUCH_PERCENT) {
        Use::Used => Use::Used,
        // A report may have waits or counters alone.
        Use::NotStated => used_by_bytes,
        used_by_time if matches!(used_by_bytes, Use::NotStated | Use::NotUsed) => used_by_time,
        _ => used_by_bytes,
    };
    let facts = FeatureFacts::SmartScan { time_percent: share, bytes: share_of_bytes(eligible, of_bytes) };
    Feature::new("smart-scan", "smart scan", used, 3, facts)
}

fn share_of_bytes(mib_per_s: Option<f64>, percent: Option<f64>) -> Option<ShareOfBytes> {
    Some(ShareOfBytes { mib_per_s: mib_per_s?, percent: percent? })
}

/// Bytes before and after decompression in the database, under the names of 11.2 and 12.1, and of 12.2 and later.
const HCC_OF_DATABASE: [(&str, &str); 2] = [
    ("EHCC Compressed Length Decompressed", "EHCC Decompressed Length Decompressed"),
    ("HCC scan rdbms bytes compressed", "HCC scan rdbms bytes decompressed"),
];
/// The same in cells, where the columnar cache counts as well: it keeps blocks of ordinary tables in the same form.
const HCC_OF_CELLS: (&str, &str) = ("HCC scan cell bytes compressed", "HCC scan cell bytes decompressed");
/// OMAT's rule of thumb for QUERY HIGH, between 6 for QUERY LOW and 18 for ARCHIVE HIGH (`omat/README.md`).
const USUAL_RATIO: f64 = 10.0;

/// `None` where nothing compressed was read, or nothing is stated.
pub(super) fn compressed(view: &View<'_>) -> Option<CompressedReads> {
    let rates = |(before, after): (&str, &str)| {
        let before = view.mib(before)?.value().filter(|mib| *mib > 0.0)?;
        Some((before, view.mib(after).and_then(|one| one.value()).unwrap_or(0.0)))
    };
    let sum = |all: &[(f64, f64)]| all.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let of_database: Vec<(f64, f64)> = HCC_OF_DATABASE.into_iter().filter_map(rates).collect();
    let of_cells = rates(HCC_OF_CELLS);
    let (before, after) = sum(&of_database.iter().copied().chain(of_cells).collect::<Vec<_>>());
    let is_counted = after > before;
    (before > 0.0).then(|| CompressedReads {
        mib_per_s: before,
        ratio: if is_counted { after / before } else { USUAL_RATIO },
        is_counted,
        is_of_cells_only: of_database.is_empty(),
    })
}

fn is_hcc(name: &str) -> bool {
    name.starts_with("EHCC ") || name.starts_with("HCC ")
}

fn hcc(view: &View<'_>) -> Feature {
    let counters = || view.report.activity.iter().filter(|one| is_hcc(&one.name));
    let found = compressed(view);
    let of_reads = quotient(found.as_ref().map(|one| one.mib_per_s), view.figures.value(AwrFigure::ReadMib));
    let used = match &found {
        Some(one) if one.is_of_cells_only => by_share(of_reads, MUCH_PERCENT),
        // Whatever is stored so must be stored in another way.
        Some(_) => Use::Used,
        None if counters().any(|one| one.name.ends_with("ompressed")) => Use::NotUsed,
        None => Use::NotStated,
    };
    Feature::new(
        "hcc",
        "hybrid columnar compression",
        used,
        3,
        // Cells may count blocks that their columnar cache gave them, and that nobody read.
        FeatureFacts::Hcc { read: found, read_percent: of_reads.filter(|one| *one <= 100.0), cpu: cpu(view) },
    )
}

/// CPU of compression and decompression where it is printed: in the database as a share of DB time, in cells as it stands, because Oracle
/// does not say its unit.
fn cpu(view: &View<'_>) -> Option<HccCpu> {
    let of = |word: &str| -> Option<f64> {
        let counters = view.report.activity.iter().filter(|one| is_hcc(&one.name));
        let times = counters.filter(|one| one.name.contains(word)).filter_map(|one| one.total.sound());
        times.reduce(|a, b| a + b)
    };
    // Times among the counters of a database are in hundredths of a second.
    if let Some(percent) =
        quotient(of("CPU").map(|time| time / 100.0), view.report.interval.db_time_s.value())
    {
        return Some(HccCpu::OfDbTime { percent });
    }
    let units = of("cell CUs decompression time").filter(|time| *time > 0.0)?;
    Some(HccCpu::OfCells { units })
}

/// What scans need not read.
fn spared(view: &View<'_>) -> [Feature; 2] {
    let eligible = view.mib(ELIGIBLE).and_then(|one| one.value());
    let by_counter = |counter: &str| {
        let mib = view.mib(counter).and_then(|one| one.value());
        let percent = quotient(mib, eligible);
        (by_bytes(percent, eligible), share_of_bytes(mib, percent))
    };
    let (index, saved_by_index) = by_counter("cell physical IO bytes saved by storage index");
    let (cache, saved_by_cache) = by_counter("cell physical IO bytes saved by columnar cache");
    let (of_index, of_cache) = (
        FeatureFacts::StorageIndex { saved: saved_by_index },
        FeatureFacts::ColumnarCache { saved: saved_by_cache },
    );
    [
        Feature::new("storage-index", "storage index", index, 1, of_index),
        Feature::new("columnar-cache", "columnar cache", cache, 1, of_cache),
    ]
}

fn flash_cache(view: &View<'_>, time: &[TimeShare]) -> Feature {
    let hits = view.rate("cell flash cache read hits").and_then(|one| one.value());
    let percent = quotient(hits, view.figures.value(AwrFigure::Reads)).map(|percent| percent.min(100.0));
    let share = time.last().and_then(|one| one.percent);
    // Hits are missed where sessions wait for small reads.
    let used = match by_share(percent, 50.0) {
        Use::Used if share.is_none_or(|share| share < MUCH_PERCENT) => Use::Little,
        other => other,
    };
    let facts = FeatureFacts::FlashCache { hit_percent: percent, time_percent: share };
    Feature::new("flash-cache", "flash cache", used, 1, facts)
}

fn flash_log(view: &View<'_>) -> Feature {
    let first = view.of_cells("Flash Log", "First Writes %Flash Log").and_then(|one| one.value());
    let prevented = view.of_cells("Flash Log", "Outliers Prevented").and_then(|one| one.value());
    let commits = view.share(&["log file sync"]);
    let used = match first {
        None => Use::NotStated,
        Some(percent) if percent <= 0.0 => Use::NotUsed,
        Some(_) => by_share(commits, MUCH_PERCENT),
    };
    let facts = FeatureFacts::FlashLog {
        first_percent: first,
        outliers_prevented: prevented,
        commits_percent: commits,
    };
    Feature::new("flash-log", "flash log", used, 1, facts)
}

fn backup(view: &View<'_>) -> Feature {
    let events =
        ["cell smart incremental backup", "cell smart restore from backup", "cell smart file creation"];
    let waits = view.report.waits.iter().filter(|wait| events.contains(&wait.event.as_str()));
    let seconds: Option<f64> = waits.filter_map(|wait| wait.total_s.sound()).reduce(|a, b| a + b);
    let used = match seconds {
        _ if view.report.waits.is_empty() => Use::NotStated,
        None => Use::NotUsed,
        // A minute of an interval is no backup that anybody would miss.
        Some(seconds) => by_share(Some(seconds / 6.0), MUCH_PERCENT),
    };
    let facts = FeatureFacts::Backup { waited_s: seconds };
    Feature::new("smart-backup", "smart backup and file creation", used, 1, facts)
}

fn cluster(view: &View<'_>) -> Feature {
    let report = view.report;
    let instances = report.running_instances.or(u32::try_from(report.instances.len()).ok()).unwrap_or(1);
    let used = match (report.database.is_rac, instances) {
        (_, 2..) | (Some(true), _) => Use::Used,
        (Some(false), _) => Use::NotUsed,
        (None, _) => Use::NotStated,
    };
    Feature::new("rac", "RAC", used, 1, FeatureFacts::Cluster { instance_count: instances })
}
