//! Reports that strangers hand over (`cases/awr` of the shared data): each file with what is right of it, as its ORIGIN.md says. What the
//! program makes of them further on is in `real_results.rs` of the program.

use std::path::PathBuf;

use iotrial_import::awr::{AwrError, read_awr};
use iotrial_model::awr::AwrReport;

fn folder() -> Option<PathBuf> {
    let beside = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from);
    let folder = shared.join("data/cases/awr");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no `{}`; IOTRIAL_SHARED names the folder of the data", folder.display());
    None
}

/// What is right of a file.
enum Right {
    /// Whole reports with these requests per second.
    Requests(&'static [f64]),
    /// A report of which a part is missing, with the CPUs of sessions in Load Profile, and without any counters.
    Part(f64),
    /// A report of a cluster without counters, whole or not.
    NoCounters {
        is_cut: bool,
    },
    NoEmptyLines,
    ClusterText,
}

/// Each file, and the test that has the rest of it.
const CASES: &[(&str, Right, &str)] = &[
    (
        "01-two-reports-in-one-file.txt",
        Right::Requests(&[1_243.0, 1_846.0]),
        "two_reports_in_one_file_are_two_intervals",
    ),
    (
        "02-saved-by-a-browser.mht",
        Right::Requests(&[897.0]),
        "a_report_is_the_same_however_it_was_saved_or_mailed",
    ),
    (
        "02-the-same-page.html",
        Right::Requests(&[897.0]),
        "where_nothing_waited_for_a_cpu_nothing_is_added_to_the_need",
    ),
    (
        "03-saturated-host-aix.html",
        Right::Requests(&[1_281.0]),
        "where_cpus_were_short_the_need_is_what_was_used_and_what_waited_for_it",
    ),
    (
        "04-resource-manager.html",
        Right::Requests(&[585.0]),
        "where_cpus_were_short_the_need_is_what_was_used_and_what_waited_for_it",
    ),
    (
        "05-memory-statistics-11.2.txt",
        Right::Requests(&[1_244.0]),
        "memory_without_a_ruler_is_read_at_the_end_of_the_interval",
    ),
    ("06-statspack-of-05.txt", Right::Requests(&[1_243.0]), "awr_and_statspack_of_one_database_are_one"),
    ("07-head-only.txt", Right::Part(1.9), "a_head_has_the_rates_of_its_load_profile"),
    (
        "08-quoted-mail.txt",
        Right::Requests(&[1_244.0]),
        "a_report_is_the_same_however_it_was_saved_or_mailed",
    ),
    ("09-no-empty-lines.txt", Right::NoEmptyLines, "what_is_no_whole_report_is_refused_with_the_reason"),
    (
        "10-solaris-head.html",
        Right::Part(2.8),
        "how_hard_it_is_to_leave_exadata_is_open_where_its_counters_were_not_read",
    ),
    (
        "11-cluster-report-as-text.txt",
        Right::ClusterText,
        "what_is_no_whole_report_is_refused_with_the_reason",
    ),
    (
        "12-exadata-cut-off.html.gz",
        Right::NoCounters { is_cut: true },
        "how_hard_it_is_to_leave_exadata_is_open_where_its_counters_were_not_read",
    ),
    (
        "12-exadata-without-counters.html.gz",
        Right::NoCounters { is_cut: true },
        "how_hard_it_is_to_leave_exadata_is_open_where_its_counters_were_not_read",
    ),
];

fn requests(report: &AwrReport) -> Option<f64> {
    let rate = |name: &str| report.statistic(name).and_then(|one| one.per_second.value());
    Some(rate("physical read total IO requests")? + rate("physical write total IO requests")?)
}

#[test]
fn each_case_is_read_as_its_origin_says() {
    let Some(folder) = folder() else { return };
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut files: Vec<String> = files.map(|name| name.to_string_lossy().into_owned()).collect();
    files.retain(|name| name != "ORIGIN.md");
    files.sort();
    let known: Vec<&str> = CASES.iter().map(|(file, ..)| *file).collect();
    assert_eq!(files, known);
    for (file, right, _) in CASES {
        let read = read_awr(&std::fs::read(folder.join(file)).unwrap());
        let one = |read: Result<Vec<AwrReport>, AwrError>| {
            let [one] = <[AwrReport; 1]>::try_from(read.unwrap()).unwrap();
            one
        };
        match right {
            Right::Requests(rates) => {
                let read = read.unwrap_or_else(|error| panic!("{file}: {error}"));
                let found: Vec<f64> = read.iter().map(|one| requests(one).unwrap().round()).collect();
                assert_eq!(&found, rates, "{file}");
                assert!(read.iter().all(|one| one.cut.is_none()), "{file}");
            }
            Right::Part(cpus) => {
                let one = one(read);
                let found = AwrReport::named(&one.load_profile, "DB CPU(s)").and_then(|one| one.value());
                assert_eq!((found, requests(&one), one.cut.is_some()), (Some(*cpus), None, true), "{file}");
            }
            Right::NoCounters { is_cut } => {
                let one = one(read);
                assert_eq!((requests(&one), one.cut.is_some()), (None, *is_cut), "{file}");
            }
            Right::NoEmptyLines => assert!(matches!(read, Err(AwrError::NoEmptyLines)), "{file}: {read:?}"),
            Right::ClusterText => assert!(matches!(read, Err(AwrError::ClusterText)), "{file}: {read:?}"),
        }
    }
}

#[test]
fn names_and_cpus_come_from_the_other_places_that_print_them() {
    let Some(folder) = folder() else { return };
    let read = |text: &str| read_awr(text.as_bytes()).unwrap().remove(0);
    let page = String::from_utf8_lossy(&std::fs::read(folder.join("04-resource-manager.html")).unwrap())
        .into_owned();
    let managed = read(&page);
    assert_eq!((managed.database.name.as_str(), &managed.database.container), ("EJD1POD", &None));
    assert_eq!((managed.host.cpus.value(), managed.host.cpu_limit.value()), (None, Some(8.0)));
    // Without its limits there still is the parameter.
    let by_parameter = read(&page.replace("Database Resource Limits", "Something else"));
    assert_eq!(by_parameter.host.cpu_limit.value(), Some(8.0));
    // The header, the heading of another table, and the statistics of the system have the CPUs of a host.
    let text = std::fs::read_to_string(folder.join("05-memory-statistics-11.2.txt")).unwrap();
    let cpus = |text: &str| {
        let host = read(text).host;
        [&host.cpus, &host.cores, &host.sockets].map(|one| one.value())
    };
    let all = [Some(8.0), Some(8.0), Some(2.0)];
    assert_eq!(cpus(&text), all);
    let header = text.lines().find(|line| line.contains("CPUs Cores Sockets")).unwrap();
    let no_header = text.replace(header, &header.replace("CPUs Cores Sockets", "Some Other Columns"));
    assert_eq!(cpus(&no_header), all);
    let no_heading = no_header.replace("Host CPU (CPUs:    8 Cores:    8 Sockets:    2)", "Host CPU");
    assert_ne!(no_heading, no_header);
    assert_eq!(cpus(&no_heading), all);
    assert_eq!(cpus(&no_heading.replace("NUM_CPU", "NUM_ANY")), [None; 3]);
}
