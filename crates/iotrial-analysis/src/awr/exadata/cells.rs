//! How the storage servers are: alerts, disks that are not online, marks, and whose I/O it is.

use iotrial_model::awr::{AwrReport, CellState, CellTotals, Exadata, LatestAlert};

pub(super) fn of(report: &AwrReport) -> Vec<CellState> {
    let Some(exadata) = &report.exadata else { return Vec::new() };
    let quarantines = exadata.alerts.iter().filter(|one| one.message.contains("Smart Scan is disabled"));
    let quarantine_count = quarantines.count();
    let offline = exadata.offline_disks.first().map(|first| CellState::OfflineDisks {
        disk: first.disk.clone(),
        cell: first.cell.clone(),
        other_count: exadata.offline_disks.len() - 1,
    });
    let states = [
        alerts(exadata),
        (quarantine_count > 0).then_some(CellState::Quarantines { count: quarantine_count }),
        offline,
        marks(exadata),
        cpu(exadata),
        flash_cache(exadata),
        this_database(exadata),
    ];
    states.into_iter().flatten().collect()
}

fn alerts(exadata: &Exadata) -> Option<CellState> {
    let total = exadata.totals.iter().find(|one| one.section.starts_with("Exadata Alerts Summary"));
    let of = |name: &str| {
        let printed = total.and_then(|one| one.values.iter().find(|value| value.name == name));
        let listed = || exadata.alerts.iter().filter(|one| one.severity.eq_ignore_ascii_case(name)).count();
        printed.and_then(|one| one.value.value()).unwrap_or_else(|| listed() as f64)
    };
    let (critical, warning) = (of("Critical"), of("Warning"));
    let latest = exadata.alerts.iter().find(|one| one.severity.eq_ignore_ascii_case("critical"));
    (critical + warning > 0.0).then(|| CellState::Alerts {
        critical,
        warning,
        latest: latest.map(|one| LatestAlert {
            cell: one.cell.clone(),
            time: one.time.clone(),
            message: one.message.clone(),
        }),
    })
}

fn marks(exadata: &Exadata) -> Option<CellState> {
    let count = |mark: char| exadata.outliers.iter().filter(|one| one.value.contains(mark)).count();
    let (beyond_capacity, above, below) = (count('*'), count('^'), count('v'));
    (beyond_capacity + above + below > 0).then_some(CellState::Marks { beyond_capacity, above, below })
}

/// The table of outliers has the means of all cells, whether any cell is one.
fn cpu(exadata: &Exadata) -> Option<CellState> {
    let value = |row: &CellTotals, name: &str| {
        row.values.iter().find(|value| value.name == name).and_then(|value| value.value.value())
    };
    let mean = |row: &CellTotals| value(row, "% CPU Usage Mean");
    let (all, mean_percent) = exadata.totals.iter().find_map(|row| Some((row, mean(row)?)))?;
    let own = |row: &CellTotals| Some((row.row.clone(), value(row, "% CPU")?));
    Some(CellState::Cpu {
        mean_percent,
        user_percent: value(all, "% User CPU Mean"),
        system_percent: value(all, "% System CPU Mean"),
        busiest: exadata.cell_rows.iter().filter_map(own).max_by(|a, b| a.1.total_cmp(&b.1)),
    })
}

fn flash_cache(exadata: &Exadata) -> Option<CellState> {
    let mode = &exadata.flash_cache_modes.first()?.mode;
    let is_write_back = mode.eq_ignore_ascii_case("writeback");
    (is_write_back || mode.eq_ignore_ascii_case("writethrough")).then(|| CellState::FlashCache {
        mode: mode.clone(),
        is_write_back,
        size_gib: exadata.flash_cache_modes.iter().filter_map(|one| one.size_gib.value()).sum(),
    })
}

fn this_database(exadata: &Exadata) -> Option<CellState> {
    let all_mib_per_s: f64 = exadata.top_databases.iter().filter_map(|one| one.mib_per_s.value()).sum();
    let one = exadata.top_databases.iter().find(|one| one.is_current)?;
    let mib_per_s = one.mib_per_s.value().filter(|_| all_mib_per_s > 0.0)?;
    Some(CellState::ThisDatabase { name: one.name.clone(), mib_per_s, all_mib_per_s })
}

#[cfg(test)]
mod tests {
    use iotrial_model::awr::{Named, Quoted};
    use iotrial_model::imported::Stated;

    use super::*;

    fn row(name: &str, values: &[(&str, f64)]) -> CellTotals {
        let value = |(name, value): &(&str, f64)| Named {
            name: (*name).to_owned(),
            value: Quoted::printed(Stated::exact(*value), "a place (line 1)"),
        };
        CellTotals {
            section: "Exadata OS CPU Statistics".to_owned(),
            row: name.to_owned(),
            values: values.iter().map(value).collect(),
        }
    }

    #[test]
    fn the_cpu_of_cells_is_their_printed_mean_with_the_busiest_of_them() {
        let mut exadata = Exadata::default();
        assert_eq!(cpu(&exadata), None);
        exadata.cell_rows = vec![row("cel01", &[("% CPU", 17.48)]), row("cel02", &[("% CPU", 18.48)])];
        assert_eq!(cpu(&exadata), None, "no mean is printed");
        let means = [("% CPU Usage Mean", 17.7), ("% User CPU Mean", 13.25), ("% System CPU Mean", 4.45)];
        exadata.totals = vec![row("All", &[("IOPS Mean", 1.0)]), row("All", &means)];
        let expected = CellState::Cpu {
            mean_percent: 17.7,
            user_percent: Some(13.25),
            system_percent: Some(4.45),
            busiest: Some(("cel02".to_owned(), 18.48)),
        };
        assert_eq!(cpu(&exadata), Some(expected));
    }
}
