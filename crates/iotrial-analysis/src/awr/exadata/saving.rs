//! What the storage of Exadata spares today, as counters and cells have it.

use iotrial_model::awr::{AwrFigure, Quoted};
use serde::Serialize;

use self::SpareCounter::{Bytes, Requests};
use super::View;

/// Whom a figure is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Whose {
    /// The database of the report.
    ThisDatabase,
    /// All databases on the storage servers.
    AllDatabases,
}

impl Whose {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ThisDatabase => "this database",
            Self::AllDatabases => "all on the cells",
        }
    }
}

/// Something that storage spares.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Saving {
    /// The same for the same kind.
    pub id: &'static str,
    /// In words.
    pub what: &'static str,
    /// Whom it is of.
    pub whose: Whose,
    /// MiB per second, where it is bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mib_per_s: Option<Quoted>,
    /// Per second, where it is requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_s: Option<Quoted>,
    /// Its share, 0 to 100 …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<f64>,
    /// … of this.
    pub of: &'static str,
}

/// What an amount is a share of.
#[derive(Clone, Copy)]
enum ShareOf {
    BytesRead,
    BytesOfScans,
    Reads,
    Writes,
}

/// A counter of the database.
#[derive(Clone, Copy)]
enum SpareCounter {
    Bytes(&'static str),
    Requests(&'static str),
}

const ELIGIBLE: &str = "cell physical IO bytes eligible for predicate offload";

/// What the counters of a database say: id, words, counter, and what it is a share of.
const OF_DATABASE: [(&str, &str, SpareCounter, ShareOf); 9] = [
    ("offload", "went through smart scans", Bytes(ELIGIBLE), ShareOf::BytesRead),
    (
        "returned",
        "came back from smart scans",
        Bytes("cell physical IO interconnect bytes returned by smart scan"),
        ShareOf::BytesOfScans,
    ),
    (
        "storage-index",
        "saved by the storage index",
        Bytes("cell physical IO bytes saved by storage index"),
        ShareOf::BytesOfScans,
    ),
    (
        "columnar-cache",
        "saved by the columnar cache",
        Bytes("cell physical IO bytes saved by columnar cache"),
        ShareOf::BytesOfScans,
    ),
    (
        "balanced",
        "sent unfiltered, because cells were short of CPU",
        Bytes("cell physical IO bytes sent directly to DB node to balance CPU"),
        ShareOf::BytesOfScans,
    ),
    ("flash-reads", "reads from the flash cache", Requests("cell flash cache read hits"), ShareOf::Reads),
    (
        "optimized-bytes",
        "bytes from flash, or saved by an index",
        Bytes("physical read total bytes optimized"),
        ShareOf::BytesRead,
    ),
    (
        "flash-writes",
        "writes into the flash cache",
        Requests("physical write requests optimized"),
        ShareOf::Writes,
    ),
    (
        "overwrites",
        "writes that flash kept away from disks",
        Requests("cell overwrites in flash cache"),
        ShareOf::Writes,
    ),
];

const SMART_IO: &str = "Smart IO";
const FLASH_LOG: &str = "Flash Log";
const FLASH_READS: &str = "Flash Cache User Reads Per Second";
const FLASH_HITS: &str = "Flash Cache User Reads Efficiency";

/// Bytes that the cells count of all databases, by columns of Smart IO: id, words, rate of 19c, amount of all versions, and share.
const BYTES_OF_CELLS: [(&str, &str, [&str; 3]); 4] = [
    (
        "cell-storage-index",
        "saved by the storage index",
        ["Storage Index per Sec", "Storage Index MB", "Storage Index % Optimized"],
    ),
    (
        "cell-flash-scans",
        "smart I/O from flash",
        ["Flash Cache per Sec", "Flash Cache MB", "Flash Cache % Optimized"],
    ),
    ("cell-offload", "not returned by smart I/O", ["Offload per Sec", "Offload MB", "Offload % Efficiency"]),
    (
        "cell-passthru",
        "smart I/O that passed through",
        ["Passthru per Sec", "Passthru MB", "Passthru % Passthru"],
    ),
];

/// Requests that the cells count, and the share of all requests of that kind.
struct CellRequests {
    id: &'static str,
    what: &'static str,
    /// Section of the rate, and its column: the first that the report has.
    rate: (&'static str, &'static [&'static str]),
    /// Section and column of the share.
    share: (&'static str, &'static str),
    /// What the share is of.
    of: &'static str,
}

const REQUESTS_OF_CELLS: [CellRequests; 3] = [
    CellRequests {
        id: "cell-oltp-hits",
        what: "small reads from flash",
        rate: (FLASH_READS, &["Read Requests per Second OLTP"]),
        share: (FLASH_HITS, "OLTP %Hit"),
        of: "small reads",
    },
    CellRequests {
        id: "cell-scan-hits",
        what: "reads of scans from flash",
        rate: (FLASH_READS, &["Read Requests per Second Scan"]),
        share: (FLASH_HITS, "Scan %Hit"),
        of: "bytes of scans",
    },
    CellRequests {
        id: "cell-flash-log",
        what: "redo that flash log wrote first",
        // 19c tells the writes to flash log from those to redo logs.
        rate: (FLASH_LOG, &["Write Requests per Sec", "Write Requests Flash Log/s"]),
        share: (FLASH_LOG, "First Writes %Flash Log"),
        of: "writes of redo",
    },
];

pub(super) fn of(view: &View<'_>) -> Vec<Saving> {
    let figure = |figure| view.figures.get(figure).and_then(Quoted::sound);
    let scanned = view.mib(ELIGIBLE).and_then(|one| one.value());
    let whole = |whole| match whole {
        ShareOf::BytesRead => ("bytes read", figure(AwrFigure::ReadMib)),
        ShareOf::BytesOfScans => ("bytes of smart scans", scanned),
        ShareOf::Reads => ("reads", figure(AwrFigure::Reads)),
        ShareOf::Writes => ("writes", figure(AwrFigure::Writes)),
    };
    let of_database = OF_DATABASE.into_iter().filter_map(|(id, what, amount, of)| {
        let (of, all) = whole(of);
        let (mib_per_s, per_s) = match amount {
            Bytes(counter) => (view.mib(counter), None),
            Requests(counter) => (None, view.rate(counter)),
        };
        let percent = share(mib_per_s.as_ref().or(per_s.as_ref())?, all);
        Some(Saving { id, what, whose: Whose::ThisDatabase, mib_per_s, per_s, percent, of })
    });
    of_database.chain(bytes_of_cells(view)).chain(requests_of_cells(view)).collect()
}

/// Hits of a scan may count more than once: a share beyond the whole says nothing.
fn share(part: &Quoted, whole: Option<f64>) -> Option<f64> {
    let percent = 100.0 * part.value()? / whole.filter(|whole| *whole > 0.0)?;
    (percent <= 101.0).then_some(percent.min(100.0))
}

fn bytes_of_cells(view: &View<'_>) -> impl Iterator<Item = Saving> {
    let elapsed = view.report.interval.elapsed_s.value().filter(|elapsed| *elapsed > 0.0);
    BYTES_OF_CELLS.into_iter().filter_map(move |(id, what, columns)| {
        let [rate, amount, percent] = columns.map(|column| view.of_cells(SMART_IO, column));
        let mib_per_s = match rate {
            Some(rate) => rate.clone(),
            None => amount?.clone().scaled(1.0 / elapsed?),
        };
        Some(Saving {
            id,
            what,
            whose: Whose::AllDatabases,
            mib_per_s: Some(mib_per_s),
            per_s: None,
            percent: percent.and_then(Quoted::value),
            of: "bytes of smart I/O",
        })
    })
}

fn requests_of_cells(view: &View<'_>) -> impl Iterator<Item = Saving> {
    REQUESTS_OF_CELLS.into_iter().filter_map(|CellRequests { id, what, rate, share, of }| {
        let (section, columns) = rate;
        let per_s = columns.iter().find_map(|column| view.of_cells(section, column)).cloned();
        let percent = view.of_cells(share.0, share.1).and_then(Quoted::value);
        let whose = Whose::AllDatabases;
        let is_there = per_s.is_some() || percent.is_some();
        is_there.then_some(Saving { id, what, whose, mib_per_s: None, per_s, percent, of })
    })
}
