//! How the storage servers are: alerts, disks that are not online, marks, and whose I/O it is.

use iotrial_model::awr::{AwrReport, Exadata};

pub(super) fn of(report: &AwrReport) -> Vec<String> {
    let Some(exadata) = &report.exadata else { return Vec::new() };
    let mut lines = Vec::new();
    lines.extend(alerts(exadata));
    if let [first, others @ ..] = exadata.offline_disks.as_slice() {
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        lines.push(format!("not online: {} on {}{more}", first.disk, first.cell));
    }
    lines.extend(marks(exadata));
    lines.extend(modes(exadata));
    lines.extend(this_database(exadata));
    lines
}

fn alerts(exadata: &Exadata) -> Vec<String> {
    let total = exadata.totals.iter().find(|one| one.section.starts_with("Exadata Alerts Summary"));
    let of = |name: &str| {
        let printed = total.and_then(|one| one.values.iter().find(|value| value.name == name));
        let listed = || exadata.alerts.iter().filter(|one| one.severity.eq_ignore_ascii_case(name)).count();
        printed.and_then(|one| one.value.value).unwrap_or_else(|| listed() as f64)
    };
    let (critical, warning) = (of("Critical"), of("Warning"));
    let mut lines = Vec::new();
    if critical + warning > 0.0 {
        let latest = exadata.alerts.iter().find(|one| one.severity.eq_ignore_ascii_case("critical"));
        let latest = latest.map_or_else(String::new, |one| {
            let first = one.message.split(". ").next().unwrap_or(&one.message);
            format!("; on {} since {}: {first}", one.cell, one.time)
        });
        let plural = |count: f64| if count == 1.0 { "" } else { "s" };
        lines.push(format!(
            "{critical:.0} critical alert{} and {warning:.0} warning{} are open{latest}",
            plural(critical),
            plural(warning)
        ));
    }
    let quarantines = exadata.alerts.iter().filter(|one| one.message.contains("Smart Scan is disabled"));
    let count = quarantines.count();
    if count > 0 {
        lines.push(format!(
            "{count} quarantine{} smart scan for statements or whole databases on these cells (the alerts name them): those reads are not offloaded today, so they lose nothing when the database moves",
            if count == 1 { " disables" } else { "s disable" }
        ));
    }
    lines
}

fn marks(exadata: &Exadata) -> Option<String> {
    let count = |mark: char| exadata.outliers.iter().filter(|one| one.value.contains(mark)).count();
    let parts: Vec<String> = [
        ('*', "beyond the capacity of a disk or cell (`*`)"),
        ('^', "above the normal range (`^`)"),
        ('v', "below the normal range (`v`)"),
    ]
    .into_iter()
    .filter_map(|(mark, words)| {
        let count = count(mark);
        (count > 0).then(|| format!("{count} {words}"))
    })
    .collect();
    (!parts.is_empty()).then(|| format!("values of cells and disks: {}", parts.join(", ")))
}

fn modes(exadata: &Exadata) -> Option<String> {
    let first = exadata.flash_cache_modes.first()?;
    let words = match first.mode.to_ascii_lowercase().as_str() {
        "writeback" => "writes complete when flash has them, so plain storage must be as fast for writes",
        "writethrough" => "writes complete when disks have them, so plain flash is faster for writes",
        _ => return None,
    };
    let size: f64 = exadata.flash_cache_modes.iter().filter_map(|one| one.size_gib.value).sum();
    let size = if size > 0.0 {
        format!(" of {} GiB", iotrial_model::units::group_thousands(&format!("{size:.0}")))
    } else {
        String::new()
    };
    Some(format!("the flash cache{size} is {}: {words}", first.mode))
}

fn this_database(exadata: &Exadata) -> Option<String> {
    let all: f64 = exadata.top_databases.iter().filter_map(|one| one.mib_per_s.value).sum();
    let one = exadata.top_databases.iter().find(|one| one.is_current)?;
    let mib = one.mib_per_s.value.filter(|_| all > 0.0)?;
    Some(format!(
        "{} moves {:.1} of the {} MiB/s that the busiest databases move on these cells ({:.0} %): separate storage for it can be smaller than the cells",
        one.name,
        mib,
        iotrial_model::units::group_thousands(&format!("{all:.0}")),
        100.0 * mib / all
    ))
}
