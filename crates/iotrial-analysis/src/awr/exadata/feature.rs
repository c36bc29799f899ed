//! What of Exadata a database uses, and how hard the move is for it.

use iotrial_model::awr::AwrFigure;
use serde::Serialize;

use super::{ANY_STORAGE_READS_MIB, Difficulty, MUCH_PERCENT, TimeShare, View};
use crate::words::number_in_words;

/// From this score on a move is some work, and from this one on it is hard: one feature that other storage does not have and that
/// must be replaced is some work, two of them are hard.
// A choice, as are the weights; the source of the idea (Microsoft's guide) counts features and gives no numbers.
const SOME_WORK: u32 = 2;
const HARD: u32 = 4;

/// Whether something is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// So much that it would be missed.
    Used,
    /// A little: nobody would notice.
    Little,
    /// Not at all.
    NotUsed,
    /// The report says nothing of it.
    NotStated,
}

impl Use {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Little => "little used",
            Self::NotUsed => "not used",
            Self::NotStated => "not stated",
        }
    }

    /// By a share from which on it counts.
    fn by_share(percent: Option<f64>, much: f64) -> Self {
        match percent {
            None => Self::NotStated,
            Some(percent) if percent >= much => Self::Used,
            Some(percent) if percent > 0.0 => Self::Little,
            Some(_) => Self::NotUsed,
        }
    }
}

impl Use {
    /// By a share of bytes, where there are so many of `whole_mib` that other storage would notice.
    fn by_bytes(percent: Option<f64>, whole_mib: Option<f64>) -> Self {
        match Self::by_share(percent, MUCH_PERCENT) {
            Self::Used if whole_mib.is_some_and(|mib| mib < ANY_STORAGE_READS_MIB) => Self::Little,
            other => other,
        }
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
}

impl Feature {
    /// What it adds to the difficulty.
    pub fn score(&self) -> u32 {
        if self.used == Use::Used { self.weight } else { 0 }
    }
}

/// `None` where nothing is stated of any feature.
pub(super) fn difficulty(features: &[Feature]) -> Option<Difficulty> {
    if features.iter().all(|one| one.used == Use::NotStated) {
        return None;
    }
    Some(match features.iter().map(Feature::score).sum::<u32>() {
        score if score >= HARD => Difficulty::Hard,
        score if score >= SOME_WORK => Difficulty::SomeWork,
        _ => Difficulty::Easy,
    })
}

pub(super) fn of(view: &View<'_>, time: &[TimeShare]) -> Vec<Feature> {
    let mut features = vec![smart_scan(view, time), hcc(view)];
    features.extend(spared(view));
    features.extend([flash_cache(view, time), flash_log(view), backup(view), cluster(view)]);
    features
}

fn quotient(part: Option<f64>, whole: Option<f64>) -> Option<f64> {
    // Of nothing there is no part: nothing was scanned.
    let (part, whole) = (part?, whole?);
    Some(if whole > 0.0 { 100.0 * part / whole } else { 0.0 })
}

const ELIGIBLE: &str = "cell physical IO bytes eligible for predicate offload";

fn smart_scan(view: &View<'_>, time: &[TimeShare]) -> Feature {
    let share = time.first().and_then(|one| one.percent);
    let eligible = view.mib(ELIGIBLE).and_then(|one| one.value);
    let of_bytes = quotient(eligible, view.figures.value(AwrFigure::ReadMib));
    let by_bytes = Use::by_bytes(of_bytes, eligible);
    let used = match Use::by_share(share, MUCH_PERCENT) {
        Use::Used => Use::Used,
        // A report may have waits or counters alone.
        Use::NotStated => by_bytes,
        by_time if by_bytes == Use::NotStated || by_bytes == Use::NotUsed => by_time,
        _ => by_bytes,
    };
    let mut parts = Vec::new();
    parts.extend(share.map(|percent| format!("{percent:.1} % of DB time")));
    if let (Some(mib), Some(percent)) = (eligible, of_bytes) {
        parts.push(format!("{} MiB/s, {percent:.0} % of the bytes read", number_in_words(mib)));
    }
    let text = match used {
        Use::Used => format!(
            "{}: elsewhere the database itself reads and filters, which needs read throughput and CPU, or indexes and partitions",
            parts.join(", ")
        ),
        Use::NotStated => "no waits and no counters for it".to_owned(),
        _ => parts.join(", "),
    };
    Feature { id: "smart-scan", name: "smart scan", used, weight: 3, text }
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

/// Compressed data that were read.
pub(super) struct Compressed {
    /// MiB per second as they are stored.
    pub(super) mib_per_s: f64,
    /// How many times as large they are without.
    pub(super) ratio: f64,
    /// Whether that was counted: where only some columns are decompressed, there is less after than before, and nothing says the ratio.
    pub(super) is_counted: bool,
    /// Whether only cells count them, which also count their columnar cache.
    pub(super) is_of_cells_only: bool,
}

/// `None` where nothing compressed was read, or nothing is stated.
pub(super) fn compressed(view: &View<'_>) -> Option<Compressed> {
    let rates = |(before, after): (&str, &str)| {
        let before = view.mib(before)?.value.filter(|mib| *mib > 0.0)?;
        Some((before, view.mib(after).and_then(|one| one.value).unwrap_or(0.0)))
    };
    let sum = |all: &[(f64, f64)]| all.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let of_database: Vec<(f64, f64)> = HCC_OF_DATABASE.into_iter().filter_map(rates).collect();
    let of_cells = rates(HCC_OF_CELLS);
    let (before, after) = sum(&of_database.iter().copied().chain(of_cells).collect::<Vec<_>>());
    let is_counted = after > before;
    (before > 0.0).then(|| Compressed {
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
        Some(one) if one.is_of_cells_only => Use::by_share(of_reads, MUCH_PERCENT),
        // Whatever is stored so must be stored in another way.
        Some(_) => Use::Used,
        None if counters().any(|one| one.name.ends_with("ompressed")) => Use::NotUsed,
        None => Use::NotStated,
    };
    let mut parts = Vec::new();
    if let Some(one) = &found {
        let ratio = if one.is_counted {
            format!("{:.1} times as much after decompression", one.ratio)
        } else {
            "the ratio is not known, because only the columns that are read are decompressed".to_owned()
        };
        parts.push(format!("{} MiB/s of compressed data are read; {ratio}", number_in_words(one.mib_per_s)));
        if one.is_of_cells_only {
            parts.push("only the cells count them, and their columnar cache counts the same way; check `dba_tables.compress_for` to be sure".to_owned());
        }
        parts.push(cpu(view).unwrap_or_else(|| "its CPU time is not in the report".to_owned()));
    }
    if used == Use::Used {
        parts.push(
            "plain storage does not have it: data grows by that ratio, on disk and in backups".to_owned(),
        );
    }
    let text = match (used, parts.is_empty()) {
        (_, false) => parts.join("; "),
        (Use::NotUsed, _) => "nothing was decompressed".to_owned(),
        _ => "no counters for it (Oracle leaves them out if they are zero); check `dba_tables.compress_for` to be sure".to_owned(),
    };
    Feature { id: "hcc", name: "hybrid columnar compression", used, weight: 3, text }
}

/// CPU of compression and decompression where it is printed: in the database as a share of DB time, in cells as it stands, because Oracle
/// does not say its unit.
fn cpu(view: &View<'_>) -> Option<String> {
    let of = |word: &str| -> Option<f64> {
        let counters = view.report.activity.iter().filter(|one| is_hcc(&one.name));
        let times = counters.filter(|one| one.name.contains(word)).filter_map(|one| one.total.sound());
        times.reduce(|a, b| a + b)
    };
    // Times among the counters of a database are in hundredths of a second.
    if let Some(percent) = quotient(of("CPU").map(|time| time / 100.0), view.report.interval.db_time_s.value)
    {
        return Some(format!("its CPU is {percent:.1} % of DB time"));
    }
    let on_cells = of("cell CUs decompression time").filter(|time| *time > 0.0)?;
    Some(format!(
        "the cells count {} units of time for it (Oracle does not document the unit); the report does not have its CPU time in the database",
        number_in_words(on_cells)
    ))
}

/// What scans need not read.
fn spared(view: &View<'_>) -> Vec<Feature> {
    let eligible = view.mib(ELIGIBLE).and_then(|one| one.value);
    [
        (
            "storage-index",
            "storage index",
            "cell physical IO bytes saved by storage index",
            "partitions or zone maps take its place",
        ),
        (
            "columnar-cache",
            "columnar cache",
            "cell physical IO bytes saved by columnar cache",
            "the In-Memory column store takes its place",
        ),
    ]
    .map(|(id, name, counter, instead)| {
        let mib = view.mib(counter).and_then(|one| one.value);
        let percent = quotient(mib, eligible);
        let used = Use::by_bytes(percent, eligible);
        let text = match (mib, percent, used) {
            (Some(mib), Some(percent), Use::Used) => {
                format!(
                    "saves {} MiB/s, {percent:.0} % of what smart scans cover; {instead}",
                    number_in_words(mib)
                )
            }
            (Some(mib), Some(percent), _) => {
                format!("saves {} MiB/s, {percent:.0} % of what smart scans cover", number_in_words(mib))
            }
            _ => "no counters for it".to_owned(),
        };
        Feature { id, name, used, weight: 1, text }
    })
    .to_vec()
}

fn flash_cache(view: &View<'_>, time: &[TimeShare]) -> Feature {
    let hits = view.rate("cell flash cache read hits").and_then(|one| one.value);
    let percent = quotient(hits, view.figures.value(AwrFigure::Reads)).map(|percent| percent.min(100.0));
    let share = time.last().and_then(|one| one.percent);
    // Hits are missed where sessions wait for small reads.
    let used = match Use::by_share(percent, 50.0) {
        Use::Used if share.is_none_or(|share| share < MUCH_PERCENT) => Use::Little,
        other => other,
    };
    let text = match (percent, used) {
        (Some(percent), Use::Used) => {
            format!("serves {percent:.0} % of the reads: plain storage must be flash too")
        }
        (Some(percent), _) => format!(
            "serves {percent:.0} % of the reads; sessions wait little for small ones ({:.1} % of DB time)",
            share.unwrap_or(0.0)
        ),
        _ => "no counters for it".to_owned(),
    };
    Feature { id: "flash-cache", name: "flash cache", used, weight: 1, text }
}

fn flash_log(view: &View<'_>) -> Feature {
    let first = view.of_cells("Flash Log", "First Writes %Flash Log").and_then(|one| one.value);
    let prevented = view.of_cells("Flash Log", "Outliers Prevented").and_then(|one| one.value);
    let commits = view.share(&["log file sync"]);
    let used = match first {
        None => Use::NotStated,
        Some(percent) if percent <= 0.0 => Use::NotUsed,
        Some(_) => Use::by_share(commits, MUCH_PERCENT),
    };
    let mut text = first.map_or_else(
        || "no section about it".to_owned(),
        |percent| format!("wrote first in {percent:.0} % of the cases, for all databases on the cells"),
    );
    if let Some(prevented) = prevented.filter(|prevented| *prevented > 0.0) {
        text.push_str(&format!(", and saved the log from {} slow writes", number_in_words(prevented)));
    }
    if let Some(percent) = commits.filter(|_| first.is_some()) {
        text.push_str(&format!("; commits are {percent:.1} % of DB time"));
    }
    Feature { id: "flash-log", name: "flash log", used, weight: 1, text }
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
        Some(seconds) => Use::by_share(Some(seconds / 6.0), MUCH_PERCENT),
    };
    let text = match seconds {
        Some(seconds) => format!(
            "{} s of waits for backup, restore or new files on cells: elsewhere block change tracking and the host do it",
            number_in_words(seconds)
        ),
        None => "no waits for it".to_owned(),
    };
    Feature { id: "smart-backup", name: "smart backup and file creation", used, weight: 1, text }
}

fn cluster(view: &View<'_>) -> Feature {
    let report = view.report;
    let instances = report.running_instances.or(u32::try_from(report.instances.len()).ok()).unwrap_or(1);
    let used = match (report.database.is_rac, instances) {
        (_, 2..) | (Some(true), _) => Use::Used,
        (Some(false), _) => Use::NotUsed,
        (None, _) => Use::NotStated,
    };
    let text = match used {
        Use::Used => format!(
            "{}: elsewhere a cluster needs shared storage and a separate network; a single machine with a standby may be enough",
            if instances > 1 { format!("{instances} instances") } else { "a cluster".to_owned() }
        ),
        Use::NotUsed => "a single instance".to_owned(),
        _ => "the report does not say".to_owned(),
    };
    Feature { id: "rac", name: "RAC", used, weight: 1, text }
}
