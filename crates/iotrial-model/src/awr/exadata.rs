//! What the storage servers of Exadata say in a report.

use serde::Serialize;

use super::{Named, Quoted};

/// What storage servers say of themselves. Unless it says otherwise, of all databases on them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Exadata {
    /// Model of the servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How many there are.
    pub cells: Quoted,
    /// Sums over all cells: section, and the printed columns of its row of totals.
    pub totals: Vec<CellTotals>,
    /// Disk groups of ASM.
    pub disk_groups: Vec<DiskGroup>,
    /// How the flash cache is set up.
    pub flash_cache_modes: Vec<FlashCacheMode>,
    /// Alerts that were open at the end.
    pub alerts: Vec<CellAlert>,
    /// Disks that were not online at the end.
    pub offline_disks: Vec<OfflineDisk>,
    /// The databases with the most I/O.
    pub top_databases: Vec<TopDatabase>,
    /// What is beyond its normal range, with the mark.
    pub outliers: Vec<Outlier>,
}

/// A row of totals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellTotals {
    /// The heading.
    pub section: String,
    /// Of which rows: `Total (4)`, or a type of disk.
    pub row: String,
    /// Columns with a number, under their printed names.
    pub values: Vec<Named>,
}

/// A disk group of ASM.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DiskGroup {
    /// Its name.
    pub name: String,
    /// Its size with all copies, in GiB.
    pub size_gib: Quoted,
    /// What of it is used.
    pub used_gib: Quoted,
    /// NORMAL writes twice, HIGH three times.
    pub redundancy: String,
}

/// A database on the storage servers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TopDatabase {
    /// Its name; `OTHER` is all that is not named.
    pub name: String,
    /// Whether it is the database of the report.
    pub is_current: bool,
    /// Requests per second.
    pub requests_per_s: Quoted,
    /// MiB per second.
    pub mib_per_s: Quoted,
    /// Share of the requests that flash served, 0 to 100.
    pub flash_requests_percent: Quoted,
    /// The same of the bytes.
    pub flash_mib_percent: Quoted,
    /// MiB per second from and to flash.
    pub flash_mib_per_s: Quoted,
    /// The same of disks.
    pub disk_mib_per_s: Quoted,
}

/// How the flash cache of cells is set up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlashCacheMode {
    /// `WriteBack` or `WriteThrough`.
    pub mode: String,
    /// Such as `normal`.
    pub status: String,
    /// Size in GiB.
    pub size_gib: Quoted,
    /// Which cells: `All`, or a name.
    pub cells: String,
}

/// An alert of a storage server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CellAlert {
    /// The cell.
    pub cell: String,
    /// When it was raised, as it is printed.
    pub time: String,
    /// Such as `critical`.
    pub severity: String,
    /// Its text.
    pub message: String,
}

/// A disk that was not online.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OfflineDisk {
    /// The cell.
    pub cell: String,
    /// The disk and its state, as they are printed.
    pub disk: String,
}

/// A disk or cell beyond its normal range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outlier {
    /// The heading, such as `Exadata OS Statistics Outliers`, and the column.
    pub what: String,
    /// The cell or disk.
    pub name: String,
    /// As it is printed, with its mark: `^` above the range, `v` below, `*` of concern.
    pub value: String,
}
