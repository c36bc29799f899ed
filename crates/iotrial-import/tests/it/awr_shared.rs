//! Every real AWR report at hand reads, with the values that an independent reader found.

use std::path::{Path, PathBuf};

use iotrial_import::awr::{looks_like_awr, read_awr};
use iotrial_model::awr::{AwrKind, AwrReport, Named, Quoted, SegmentIo, SegmentStatistic, WaitSide};
use iotrial_model::imported::Stated;

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

fn reports(path: &Path) -> Vec<AwrReport> {
    let bytes = std::fs::read(path).unwrap();
    assert!(looks_like_awr(&bytes), "{}", path.display());
    read_awr(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn rate(report: &AwrReport, name: &str) -> Quoted {
    report.statistic(name).map_or_else(Quoted::default, |one| one.per_second.clone())
}

#[test]
fn every_report_reads_with_identity_interval_and_counters() {
    let Some(folder) = folder() else { return };
    let mut count = 0;
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".tsv") {
            continue;
        }
        count += 1;
        let all = reports(&path);
        for report in &all {
            // Older versions of AWR-Miner have the id in the name of the file only.
            assert!(report.database.id.is_some() || !report.database.name.is_empty(), "{name}");
            assert!(report.database.release.is_some(), "{name}");
            let interval = &report.interval;
            assert!(interval.begin.is_some() && interval.end.is_some(), "{name}: {interval:?}");
            assert!(interval.elapsed_s.value().unwrap() > 0.0, "{name}");
            assert!(!report.instances.is_empty(), "{name}");
            assert!(!interval.has_restart, "{name}");
            assert!(report.warnings.is_empty(), "{name}: {:?}", report.warnings);
            if report.kind == AwrKind::Miner {
                assert!(report.printed_figures.len() >= 6, "{name}");
                continue;
            }
            assert!(report.activity.len() > 100, "{name}: {} counters", report.activity.len());
            assert!(report.waits.len() > 10, "{name}: {} waits", report.waits.len());
            assert!(report.load_profile.len() >= 9, "{name}: {:?}", report.load_profile);
            assert!(!report.parameters.is_empty(), "{name}");
            // A pluggable database has neither; 11.1 has no I/O by function.
            let is_pluggable = report.kind == AwrKind::Pluggable && report.io_by_function.is_empty();
            let is_old = report.database.release.as_deref() == Some("11.1.0.7.0");
            assert!(!report.histograms.is_empty() || is_pluggable, "{name}");
            assert!(!report.io_by_function.is_empty() || is_pluggable || is_old, "{name}");
            let has_host = report.host.cpus.is_there();
            assert!(has_host, "{name}: {:?}", report.host);
            let has_memory = !report.memory.is_empty() || report.kind == AwrKind::Pluggable;
            assert!(has_memory, "{name}");
        }
        if name.ends_with(".out") {
            assert!(all.len() > 8, "{name}: {}", all.len());
        }
        let first = &all[0];
        for line in first.contradictions.iter().chain(&first.corrections) {
            eprintln!("{name}: {line}");
        }
    }
    assert_eq!(count, 31);
}

#[test]
fn values_agree_with_an_independent_reader_within_their_printed_digits() {
    let Some(folder) = folder() else { return };
    let table = std::fs::read_to_string(folder.join("crosscheck.tsv")).unwrap();
    let (mut checked, mut wrong) = (0, Vec::new());
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let report = &reports(&folder.join(cells[0]))[0];
        let minutes = |value: &Quoted| value.clone().scaled(1.0 / 60.0);
        let profile =
            |name: &str| report.io_profile_row(name).map_or_else(Quoted::default, |row| row.total.clone());
        let load = |name: &str| AwrReport::named(&report.load_profile, name).cloned().unwrap_or_default();
        let found = [
            minutes(&report.interval.elapsed_s),
            minutes(&report.interval.db_time_s),
            profile("Total Requests"),
            profile("Total (MB)"),
            load("Read IO requests"),
            rate(report, "physical read total IO requests"),
            rate(report, "physical write total IO requests"),
            rate(report, "physical read total bytes"),
            rate(report, "physical write total bytes"),
        ];
        for (at, found) in found.iter().enumerate() {
            let cell = cells.get(at + 1).copied().unwrap_or("");
            if cell.is_empty() {
                continue;
            }
            checked += 1;
            let is_right = found.is_there() && found.agrees_with(Stated::parse(cell).unwrap(), 0.0);
            if !is_right {
                wrong.push(format!("{} column {}: {found:?} is not {cell}", cells[0], at + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > 200, "{checked}");
}

/// Both forms have the same value, as far as the coarser one has digits.
#[track_caller]
fn same(one: &Quoted, other: &Quoted, what: &str) {
    let (Some(_), Some(number)) = (one.number, other.number) else {
        panic!("{what}: {one:?}\nand {other:?}")
    };
    // A mean that is worked out of rounded totals has more slack than its digits say.
    assert!(one.agrees_with(number, 0.0), "{what}: {one:?}\nis not {other:?}");
}

#[test]
fn html_and_text_of_the_same_snapshots_have_the_same_values() {
    let Some(folder) = folder() else { return };
    for number in ["1", "2"] {
        let name = format!("1newstar__sample_awr_11204_{number}");
        let [html] = reports(&folder.join(format!("{name}.html"))).try_into().unwrap();
        let [text] = reports(&folder.join(format!("{name}.txt"))).try_into().unwrap();
        assert_eq!(html.database, text.database);
        // The start of an instance of this cluster drifts by minutes from one report to the next.
        assert_eq!(html.instances[0].name, text.instances[0].name);
        assert_eq!(html.instances[0].host, text.instances[0].host);
        assert_eq!(html.interval.begin, text.interval.begin);
        assert_eq!(html.interval.end_snapshot, text.interval.end_snapshot);
        same(&html.interval.elapsed_s, &text.interval.elapsed_s, "elapsed");
        same(&html.host.memory_gib, &text.host.memory_gib, "memory");
        let lists: [(&[Named], &[Named]); 4] = [
            (&html.load_profile, &text.load_profile),
            (&html.memory, &text.memory),
            (&html.efficiency, &text.efficiency),
            (&html.time_model, &text.time_model),
        ];
        for (html, text) in lists {
            assert!(!html.is_empty());
            for one in html {
                let other = text.iter().find(|other| {
                    let is_cut = other.name.len() >= 28 && one.name.starts_with(&other.name);
                    other.name == one.name || is_cut
                });
                // Blocks of the global cache have another name in each form.
                let Some(other) = other else {
                    assert!(one.name.starts_with("Global Cache"), "no {} in {text:?}", one.name);
                    continue;
                };
                if one.value.is_there() {
                    same(&one.value, &other.value, &one.name);
                }
            }
        }
        assert_eq!(html.io_profile.len(), text.io_profile.len());
        for (one, other) in html.io_profile.iter().zip(&text.io_profile) {
            same(&one.read, &other.read, &one.name);
            same(&one.total, &other.total, &one.name);
        }
        for name in [
            "physical read total IO requests",
            "physical read total multi block requests",
            "physical write total bytes",
            "redo size",
            "redo writes",
        ] {
            same(&rate(&html, name), &rate(&text, name), name);
        }
        for event in ["log file sync", "db file sequential read", "log file parallel write"] {
            for side in [WaitSide::Foreground, WaitSide::Background] {
                let (one, other) = (html.wait(event, side), text.wait(event, side));
                assert_eq!(one.is_some(), other.is_some(), "{event}");
                if let (Some(one), Some(other)) = (one, other) {
                    same(&one.waits, &other.waits, event);
                    if one.mean_us.is_there() && other.mean_us.is_there() {
                        same(&one.mean_us, &other.mean_us, event);
                    }
                }
            }
        }
        for (one, other) in
            [(&html.io_by_function, &text.io_by_function), (&html.io_by_file_type, &text.io_by_file_type)]
        {
            assert_eq!(one.len(), other.len());
            for (one, other) in one.iter().zip(other) {
                same(&one.reads_per_s, &other.reads_per_s, &one.name);
                same(&one.write_mib_per_s, &other.write_mib_per_s, &one.name);
            }
        }
        assert_eq!((html.tablespaces.len(), html.files.len()), (text.tablespaces.len(), text.files.len()));
        for (one, other) in html.tablespaces.iter().zip(&text.tablespaces) {
            assert_eq!(one.tablespace, other.tablespace);
            same(&one.writes, &other.writes, &one.tablespace);
        }
        assert_eq!(html.corrections, text.corrections);
        assert_eq!(html.corrections.len(), 1);
        let histogram = |report: &AwrReport| {
            let one = report.histograms.iter().find(|one| one.event == "log file sync");
            one.map(|one| one.buckets.clone())
        };
        assert_eq!(histogram(&html), histogram(&text));
        for one in &html.parameters {
            assert!(text.parameters.iter().any(|other| other.name == one.name), "{}", one.name);
        }
    }
}

#[test]
fn what_is_known_to_be_wrong_is_corrected_or_loses_its_standing() {
    let Some(folder) = folder() else { return };
    let one = &reports(&folder.join("pcambell__awrrpt_11g_awrrpt_1_36006_36007.html"))[0];
    let busiest = one.tablespaces.iter().find(|one| one.tablespace == "TS_UNIAUTH").unwrap();
    assert_eq!(busiest.writes.value(), Some(917_089.0));
    let data = one.io_by_file_type.iter().find(|one| one.name == "Data File").unwrap();
    assert_eq!(data.read_mib_per_s.value(), Some(558.265), "without its suffix it is still MiB");
    let cluster = &reports(&folder.join("Azure__levelup-oracle-on-iaas_lab1_awr_AWR_DBU.html"))[0];
    let total = cluster.io_by_function.iter().find(|one| one.is_total()).unwrap();
    assert_eq!(total.reads_per_s.sound(), None);
    assert_eq!(total.read_mib_per_s.sound(), Some(728.92));
    let exadata = &reports(&folder.join("eyko139__awr_PRDG_1_237812_237837.htm"))[0];
    let exadata = exadata.exadata.as_ref().unwrap();
    let top = &exadata.top_databases[0];
    assert_eq!((top.name.as_str(), top.mib_per_s.value()), ("CDWHP_C", Some(1280.56)));
    assert_eq!(top.requests_per_s.value(), Some(19_761.0));
    assert_eq!(exadata.cells.value(), Some(4.0));
    assert!(exadata.top_databases.iter().any(|one| one.is_current && one.name == "PRDG_C"));
}

#[test]
fn the_matrix_of_functions_agrees_with_the_table_of_functions() {
    let Some(folder) = folder() else { return };
    let mut with_matrix = 0;
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.extension().is_some_and(|extension| extension == "tsv") {
            continue;
        }
        for report in &reports(&path) {
            if report.io_matrix.is_empty() {
                continue;
            }
            with_matrix += 1;
            // LGWR writes to few kinds of file, so that none of its cells is left out of the table.
            let is_it = |name: &str| name.starts_with("LGWR");
            let function = report.io_by_function.iter().find(|one| is_it(&one.name));
            let cells = report.io_matrix.iter().filter(|one| is_it(&one.function));
            let sum: f64 = cells.filter_map(|one| one.writes_per_s.value()).sum();
            let Some(all) = function.and_then(|one| one.writes_per_s.value()) else { continue };
            assert!((sum - all).abs() <= 0.02 * all + 0.11, "{}: {sum} of {all}", path.display());
        }
    }
    assert!(with_matrix >= 10, "{with_matrix}");
}

#[test]
fn exadata_has_rows_of_each_cell() {
    let Some(folder) = folder() else { return };
    let report = reports(&folder.join("eyko139__awr_PRDG_1_237812_237837.htm")).remove(0);
    let exadata = report.exadata.unwrap();
    let cells: std::collections::BTreeSet<&str> = exadata
        .cell_rows
        .iter()
        .filter_map(|one| one.row.split(' ').next())
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(Some(cells.len() as f64), exadata.cells.value(), "{cells:?}");
    let is_cpu = |name: &&Named| name.name == "% CPU Usage Mean";
    let cpu = exadata.totals.iter().flat_map(|one| &one.values).find(is_cpu).unwrap();
    assert_eq!(cpu.value.value(), Some(17.70));
}

#[test]
fn objects_are_listed_with_their_share_of_the_io_of_the_database() {
    let Some(folder) = folder() else { return };
    let mut with_objects = 0;
    for path in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.extension().is_some_and(|extension| extension == "tsv") {
            continue;
        }
        for report in &reports(&path) {
            for statistic in SegmentStatistic::ALL {
                let all: Vec<&SegmentIo> =
                    report.segments.iter().filter(|one| one.statistic == *statistic).collect();
                let percent: f64 = all.iter().map(|one| one.percent.value().unwrap()).sum();
                assert!(percent <= 100.5, "{}, {statistic}: {percent} %", path.display());
                // The busiest first, and each as large a part of the same whole as it is printed to be.
                let counts: Vec<f64> = all.iter().map(|one| one.count.value().unwrap()).collect();
                assert!(counts.is_sorted_by(|a, b| a >= b), "{}, {statistic}: {counts:?}", path.display());
            }
            with_objects += usize::from(!report.segments.is_empty());
        }
    }
    assert!(with_objects >= 21, "{with_objects}");
    let report = &reports(&folder.join("pcambell__awrrpt_11g_awrrpt_1_36006_36007.html"))[0];
    let first = &report.segments[0];
    assert_eq!((first.owner.as_str(), first.object.as_str()), ("IDC_U_UNIAUTH", "T_ONLINE_USER"));
    assert_eq!((first.tablespace.as_str(), first.kind.as_str()), ("TS_UNIAUTH", "TABLE"));
    assert_eq!((first.count.value(), first.percent.value()), (Some(249_733_757.0), Some(96.93)));
    for number in ["1", "2"] {
        let of = |ending: &str| {
            reports(&folder.join(format!("1newstar__sample_awr_11204_{number}.{ending}"))).remove(0).segments
        };
        let (html, text) = (of("html"), of("txt"));
        assert_eq!(html.len(), text.len());
        for (one, other) in html.iter().zip(&text) {
            // Text reports cut names off.
            assert!(one.object.starts_with(&other.object), "{} and {}", one.object, other.object);
            assert_eq!((one.statistic, &one.owner), (other.statistic, &other.owner));
            same(&one.count, &other.count, &one.object);
            same(&one.percent, &other.percent, &one.object);
        }
    }
}
