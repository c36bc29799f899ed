//! What the storage of Exadata spares today, as counters and cells have it.

use iotrial_model::awr::{AwrFigure, Quoted};
use serde::Serialize;

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

impl Saving {
    fn bytes(
        id: &'static str,
        what: &'static str,
        mib: Option<Quoted>,
        of: (&'static str, Option<f64>),
    ) -> Option<Self> {
        let mib = mib?;
        let percent = share(&mib, of.1);
        Some(Self {
            id,
            what,
            whose: Whose::ThisDatabase,
            mib_per_s: Some(mib),
            per_s: None,
            percent,
            of: of.0,
        })
    }

    fn requests(
        id: &'static str,
        what: &'static str,
        rate: Option<Quoted>,
        of: (&'static str, Option<f64>),
    ) -> Option<Self> {
        let rate = rate?;
        let percent = share(&rate, of.1);
        Some(Self {
            id,
            what,
            whose: Whose::ThisDatabase,
            mib_per_s: None,
            per_s: Some(rate),
            percent,
            of: of.0,
        })
    }
}

/// Hits of a scan may count more than once: a share beyond the whole says nothing.
fn share(part: &Quoted, whole: Option<f64>) -> Option<f64> {
    let percent = 100.0 * part.value()? / whole.filter(|whole| *whole > 0.0)?;
    (percent <= 101.0).then_some(percent.min(100.0))
}

pub(super) fn of(view: &View<'_>) -> Vec<Saving> {
    let figure = |figure| view.figures.get(figure).and_then(Quoted::sound);
    let (reads, read_mib) = (figure(AwrFigure::Reads), figure(AwrFigure::ReadMib));
    let eligible = view.mib("cell physical IO bytes eligible for predicate offload");
    let scanned = ("bytes of smart scans", eligible.as_ref().and_then(|one| one.value()));
    let of_database = [
        Saving::bytes("offload", "went through smart scans", eligible.clone(), ("bytes read", read_mib)),
        Saving::bytes(
            "returned",
            "came back from smart scans",
            view.mib("cell physical IO interconnect bytes returned by smart scan"),
            scanned,
        ),
        Saving::bytes(
            "storage-index",
            "saved by the storage index",
            view.mib("cell physical IO bytes saved by storage index"),
            scanned,
        ),
        Saving::bytes(
            "columnar-cache",
            "saved by the columnar cache",
            view.mib("cell physical IO bytes saved by columnar cache"),
            scanned,
        ),
        Saving::bytes(
            "balanced",
            "sent unfiltered, because cells were short of CPU",
            view.mib("cell physical IO bytes sent directly to DB node to balance CPU"),
            scanned,
        ),
        Saving::requests(
            "flash-reads",
            "reads from the flash cache",
            view.rate("cell flash cache read hits"),
            ("reads", reads),
        ),
        Saving::bytes(
            "optimized-bytes",
            "bytes from flash, or saved by an index",
            view.mib("physical read total bytes optimized"),
            ("bytes read", read_mib),
        ),
        Saving::requests(
            "flash-writes",
            "writes into the flash cache",
            view.rate("physical write requests optimized"),
            ("writes", figure(AwrFigure::Writes)),
        ),
        Saving::requests(
            "overwrites",
            "writes that flash kept away from disks",
            view.rate("cell overwrites in flash cache"),
            ("writes", figure(AwrFigure::Writes)),
        ),
    ];
    of_database.into_iter().flatten().chain(of_cells(view)).collect()
}

/// What the cells say of all databases: the section, the column of the amount per second, and that of the share.
fn of_cells(view: &View<'_>) -> Vec<Saving> {
    let bytes: [(&str, &str, &str, &str, &str, &str); 4] = [
        (
            "cell-storage-index",
            "saved by the storage index",
            "Smart IO",
            "Storage Index MB",
            "Storage Index % Optimized",
            "bytes of smart I/O",
        ),
        (
            "cell-flash-scans",
            "smart I/O from flash",
            "Smart IO",
            "Flash Cache MB",
            "Flash Cache % Optimized",
            "bytes of smart I/O",
        ),
        (
            "cell-offload",
            "not returned by smart I/O",
            "Smart IO",
            "Offload MB",
            "Offload % Efficiency",
            "bytes of smart I/O",
        ),
        (
            "cell-passthru",
            "smart I/O that passed through",
            "Smart IO",
            "Passthru MB",
            "Passthru % Passthru",
            "bytes of smart I/O",
        ),
    ];
    let elapsed = view.report.interval.elapsed_s.value().filter(|elapsed| *elapsed > 0.0);
    let mut all: Vec<Saving> = Vec::new();
    for (id, what, section, amount, share, of) in bytes {
        // 19c has the rate beside the amount.
        let per_second = view.of_cells(section, &amount.replace(" MB", " per Sec")).cloned();
        let amount = view.of_cells(section, amount);
        let rate = per_second.or_else(|| Some(amount?.clone().scaled(1.0 / elapsed?)));
        if let Some(rate) = rate {
            all.push(Saving {
                id,
                what,
                whose: Whose::AllDatabases,
                mib_per_s: Some(rate),
                per_s: None,
                percent: view.of_cells(section, share).and_then(|one| one.value()),
                of,
            });
        }
    }
    let requests: [(&str, &str, &str, &str, &str, &str); 3] = [
        (
            "cell-oltp-hits",
            "small reads from flash",
            "Flash Cache User Reads Per Second",
            "Read Requests per Second OLTP",
            "OLTP %Hit",
            "small reads",
        ),
        (
            "cell-scan-hits",
            "reads of scans from flash",
            "Flash Cache User Reads Per Second",
            "Read Requests per Second Scan",
            "Scan %Hit",
            "bytes of scans",
        ),
        (
            "cell-flash-log",
            "redo that flash log wrote first",
            "Flash Log",
            "Write Requests per Sec",
            "First Writes %Flash Log",
            "writes of redo",
        ),
    ];
    for (id, what, section, amount, share, of) in requests {
        let efficiency = if section == "Flash Log" { section } else { "Flash Cache User Reads Efficiency" };
        let percent = view.of_cells(efficiency, share).and_then(|one| one.value());
        // 19c tells the writes to flash log from those to redo logs.
        let rate =
            view.of_cells(section, amount).or_else(|| view.of_cells(section, "Write Requests Flash Log/s"));
        if rate.is_some() || percent.is_some() {
            let rate = rate.cloned();
            all.push(Saving {
                id,
                what,
                whose: Whose::AllDatabases,
                mib_per_s: None,
                per_s: rate,
                percent,
                of,
            });
        }
    }
    all
}
