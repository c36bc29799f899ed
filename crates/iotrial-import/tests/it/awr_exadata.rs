//! What reports say of Exadata and of memory: a small report in the layout of 18c, written by hand, and the real ones at hand.

use std::path::{Path, PathBuf};

use iotrial_import::awr::read_awr;
use iotrial_model::awr::{AdvisedMemory, AwrReport, Exadata};

const HTML: &str = include_str!("../awr/exadata-18c.html");

fn exadata(report: &AwrReport) -> &Exadata {
    report.exadata.as_ref().unwrap()
}

/// A column of a row of totals.
fn total(report: &AwrReport, section: &str, row: &str, column: &str) -> Option<f64> {
    let totals = exadata(report).totals.iter();
    let mut of_row = totals.filter(|one| one.section.ends_with(section) && one.row == row);
    of_row.find_map(|one| AwrReport::named(&one.values, column)?.value())
}

#[test]
fn headers_that_take_two_rows_do_not_move_the_columns_behind_them() {
    let report = read_awr(HTML.as_bytes()).unwrap().remove(0);
    let of = |column| total(&report, "Outlier Cells", "F/5.8T", column);
    assert_eq!(of("IOPs Total"), Some(40_000.0));
    assert_eq!(of("IOPs Per Cell Average"), Some(20_000.0));
    assert_eq!(of("IOPs Per Disk Mean"), Some(5_000.0));
    assert_eq!(of("IOPs Per Disk Std Dev"), Some(800.0));
}

#[test]
fn every_mark_is_kept_with_its_value_and_cell() {
    let report = read_awr(HTML.as_bytes()).unwrap().remove(0);
    let marks: Vec<_> = exadata(&report)
        .outliers
        .iter()
        .map(|one| (one.what.as_str(), one.name.as_str(), one.value.as_str()))
        .collect();
    assert_eq!(
        marks,
        [
            ("Exadata OS IO Statistics - Outlier Cells: IOPs Per Cell Average", "cel01", "26,000.00 ^"),
            ("Exadata OS IO Statistics - Outlier Cells: IOPs Per Disk Mean", "cel01", "6,500.00 *"),
            ("Exadata OS CPU Statistics - Top Cells: % CPU", "cel01", "39.34 ^"),
            ("Exadata OS CPU Statistics - Top Cells: % CPU", "cel02", "10.10 v"),
        ]
    );
}

#[test]
fn alerts_disks_and_the_flash_cache_are_read_and_blank_cells_go_on() {
    let report = read_awr(HTML.as_bytes()).unwrap().remove(0);
    let exadata = exadata(&report);
    let alerts: Vec<_> =
        exadata.alerts.iter().map(|one| (one.cell.as_str(), one.severity.as_str())).collect();
    assert_eq!(alerts, [("cel01", "critical"), ("cel01", "warning"), ("cel02", "warning")]);
    assert_eq!(exadata.alerts[1].message, "Packages are not uploaded.");
    assert_eq!(exadata.offline_disks[0].cell, "cel02");
    assert_eq!(exadata.offline_disks[0].disk, "CD_03_cel02 HardDisk failed");
    assert_eq!(exadata.flash_cache_modes[0].mode, "WriteBack");
    assert_eq!(exadata.flash_cache_modes[0].size_gib.value(), Some(23_845.8));
    let this = exadata.top_databases.iter().find(|one| one.is_current).unwrap();
    assert_eq!((this.flash_mib_per_s.value(), this.disk_mib_per_s.value()), (Some(180.0), Some(20.0)));
}

#[test]
fn a_part_of_the_databases_without_a_column_is_not_none() {
    let of = |html: &str| {
        let report = read_awr(html.as_bytes()).unwrap().remove(0);
        let this = exadata(&report).top_databases.iter().find(|one| one.is_current).unwrap();
        [&this.flash_requests_percent, &this.flash_mib_percent, &this.disk_mib_per_s].map(|one| one.value())
    };
    assert_eq!(of(HTML), [Some(90.0), Some(90.0), Some(20.0)]);
    // Blank where nothing came from disks.
    let blank = HTML.replace("<td>72,000.00</td>", "<td></td>").replace("<td>360,000</td>", "<td></td>");
    assert_eq!(of(&blank), [Some(100.0), Some(100.0), Some(0.0)]);
    let without = HTML.replace("<th>Flash</th><th>Disk</th>", "<th>Flash</th><th>Other</th>");
    assert_eq!(of(&without), [None, None, None]);
}

#[test]
fn an_advisory_is_that_of_the_default_pool() {
    let report = read_awr(HTML.as_bytes()).unwrap().remove(0);
    let of = |memory| -> Vec<(f64, f64)> {
        let all = report.advisories.iter().filter(|one| one.memory == memory);
        all.map(|one| (one.size_mib.value().unwrap(), one.estimate.value().unwrap())).collect()
    };
    assert_eq!(
        of(AdvisedMemory::BufferCache),
        [(4_096.0, 3_000.0), (8_192.0, 2_000.0), (12_288.0, 1_250.0), (16_384.0, 1_200.0)]
    );
    assert_eq!(of(AdvisedMemory::Pga), [(4_096.0, 500.0), (8_192.0, 100.0)]);
}

#[test]
fn a_whole_name_is_never_taken_for_the_stump_of_a_longer_one() {
    let long = "cell physical IO interconnect bytes returned by smart scan";
    let other = HTML.replace(long, "cell physical IO interconnect bytes");
    let report = read_awr(other.as_bytes()).unwrap().remove(0);
    assert!(report.statistic("cell physical IO interconnect bytes").is_some());
    assert!(report.statistic(long).is_none());
}

/// The folder of the data; `None` where there is none.
fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from);
    let folder = shared.join("data/awr");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no `{}`; IOTRIAL_SHARED names the folder of the data", folder.display());
    None
}

fn real(folder: &Path, name: &str) -> AwrReport {
    read_awr(&std::fs::read(folder.join(name)).unwrap()).unwrap().remove(0)
}

#[test]
fn a_real_report_of_18c_has_the_values_that_stand_in_it() {
    let Some(folder) = folder() else { return };
    let report = real(&folder, "eyko139__awr_PRDG_1_237812_237837.htm");
    let of = |section, row, column| total(&report, section, row, column);
    assert_eq!(of("Exadata OS IO Statistics - Outlier Cells", "F/5.8T", "IOPs Per Disk Mean"), Some(4653.91));
    assert_eq!(of("Exadata OS IO Statistics - Outlier Cells", "H/12.5T", "IO MB/s Total"), Some(755.95));
    assert_eq!(
        of("Exadata Cell Server IOPS Statistics - Outlier Cells", "F/5.8T", "Large Reads/s Per Disk Mean"),
        Some(1783.80)
    );
    assert_eq!(of("Smart IO", "Total (4)", "Offload % Efficiency"), Some(78.81));
    assert_eq!(of("Flash Log", "Total (4)", "First Writes %Flash Log"), Some(87.89));
    let exadata = exadata(&report);
    let critical = exadata.alerts.iter().filter(|one| one.severity == "critical").count();
    assert_eq!((exadata.alerts.len(), critical), (17, 9));
    assert!(exadata.offline_disks.is_empty());
    let advice = report.advisories.iter().filter(|one| one.memory == AdvisedMemory::BufferCache);
    assert_eq!(advice.clone().next().unwrap().estimate.value(), Some(3_589_365.0));
    assert!(advice.count() >= 8);
}

#[test]
fn a_real_report_of_19c_has_its_marks_before_their_values_and_smart_io_where_it_belongs() {
    let Some(folder) = folder() else { return };
    let report = real(&folder, "Azure__levelup-oracle-on-iaas_lab1_awr_AWR_DBU.html");
    let marked = |what: &str| {
        let all = exadata(&report).outliers.iter();
        all.filter(|one| one.what.ends_with(what)).map(|one| one.value.as_str()).next()
    };
    // 11,251 I/Os per second and cell are beyond 2,556; a third of the total is beyond nothing.
    assert_eq!(marked("OS IO Statistics - Top Cells: IOPs Avg"), Some("11,250.97 *"));
    assert_eq!(marked("OS IO Statistics - Top Cells: IOPs %Total"), None);
    let of = |column| total(&report, "Smart IO", "Total (3)", column);
    assert_eq!((of("Hard Disk per Sec"), of("Offload per Sec")), (Some(6.1), Some(2215.5)));
    assert_eq!((of("Offload % Efficiency"), of("Passthru MB")), (Some(95.74), Some(88.0)));
    assert_eq!(of("Reverse Offload MB"), Some(150.47));
    assert!(report.corrections.iter().any(|one| one.contains("Hard Disk without names")));
}

#[test]
fn real_advisories_are_read_from_text_and_statspack() {
    let Some(folder) = folder() else { return };
    for name in ["1newstar__sample_awr_11204_1.txt", "TheYanVictor__statspack_example.txt"] {
        let report = real(&folder, name);
        for memory in [AdvisedMemory::BufferCache, AdvisedMemory::Pga] {
            let count = report.advisories.iter().filter(|one| one.memory == memory).count();
            assert!(count >= 8, "{name}: {count} sizes of the {}", memory.as_str());
        }
    }
}
