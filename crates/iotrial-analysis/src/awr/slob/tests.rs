//! Series of runs with known rates.

use iotrial_model::awr::Quoted;
use iotrial_model::imported::Stated;

use super::*;

/// A report of a run on host `host`, `minute` minutes into the hour.
fn report(host: u32, sessions: u32, minute: u32, reads_per_s: f64) -> SlobReport {
    let quoted = |value: f64| Quoted::printed(Stated::exact(value), "");
    SlobReport {
        file: format!("host{host}/awr.txt.{sessions:02}"),
        database: format!("SLOB{host}"),
        hosts: [format!("host{host}")].into(),
        sessions: Some(f64::from(sessions)),
        sessions_from: OF_NAME,
        begin: Some(format!("2024-02-29T23:{minute:02}:{host:02}")),
        end: Some(format!("2024-03-01T00:{minute:02}:{host:02}")),
        elapsed_s: quoted(3600.0),
        db_cpu: quoted(1.0),
        db_time: quoted(f64::from(sessions)),
        executes_per_s: quoted(1.0),
        logical_reads_per_s: quoted(1.0),
        reads_per_s: quoted(reads_per_s),
        read_mib_per_s: quoted(reads_per_s / 128.0),
        writes_per_s: quoted(0.0),
        write_mib_per_s: quoted(0.0),
        redo_mib_per_s: quoted(0.0),
        sequential_read_us: quoted(reads_per_s / 1_000.0),
        direct_read_us: Quoted::default(),
        parallel_read_us: Quoted::default(),
        parallel_write_us: Quoted::default(),
        redo_write_us: Quoted::default(),
        top_wait: None,
        instances: [(format!("SLOB{host}"), 1)].into(),
        read_waits: [reads_per_s * 3_600.0, 0.0, 0.0],
    }
}

/// An hour later each, so that runs do not overlap.
fn at_hour(mut report: SlobReport, hour: u32) -> SlobReport {
    let time = |hour: u32| Some(format!("2024-05-01T{hour:02}:00:00"));
    (report.begin, report.end) = (time(hour), time(hour + 1));
    report
}

#[test]
fn three_hosts_with_2_500_000_are_98_percent_of_three_times_850_000() {
    let mut reports = vec![at_hour(report(1, 49, 0, 850_000.0), 1), at_hour(report(1, 1, 0, 30_000.0), 2)];
    for (host, iops) in [(1, 830_000.0), (2, 835_000.0), (3, 835_000.0)] {
        reports.push(report(host, 49, host, iops));
    }
    let series = SlobSeries::of(reports);
    let hosts: Vec<(usize, Option<f64>, f64)> =
        series.runs.iter().map(|run| (run.hosts, run.sessions_per_host, run.iops.unwrap())).collect();
    assert_eq!(hosts, [(1, Some(1.0), 30_000.0), (1, Some(49.0), 850_000.0), (3, Some(49.0), 2_500_000.0)]);
    let [one, three] = series.by_hosts.as_slice() else { panic!("{series:?}") };
    assert_eq!((one.best_iops, one.of_fewest_hosts_percent), (850_000.0, None));
    assert_eq!(three.best_iops, 2_500_000.0);
    assert!((three.of_fewest_hosts_percent.unwrap() - 98.04).abs() < 0.01, "{three:?}");
    assert_eq!(series.runs[2].of_fewest_hosts_percent, three.of_fewest_hosts_percent);
    // 49 times 30,000 would be in proportion.
    assert!((series.runs[1].of_first_percent.unwrap() - 57.82).abs() < 0.01);
    assert!(series.notes.is_empty() && series.left_out.is_empty(), "{series:?}");
}

#[test]
fn runs_that_follow_one_another_stay_apart_although_hosts_do_not_start_together() {
    // The second host is three minutes late, so that its first run reaches into the second one of the other.
    let mut reports = Vec::new();
    for (host, late) in [(1, 0), (2, 3)] {
        for (hour, sessions) in [(1, 7), (2, 14)] {
            let mut one = report(host, sessions, 0, 1_000.0);
            one.begin = Some(format!("2024-05-01T{hour:02}:{late:02}:00"));
            one.end = Some(format!("2024-05-01T{:02}:{late:02}:00", hour + 1));
            reports.push(one);
        }
    }
    let series = SlobSeries::of(reports);
    let runs: Vec<(usize, Option<f64>)> =
        series.runs.iter().map(|run| (run.hosts, run.sessions_per_host)).collect();
    assert_eq!(runs, [(2, Some(7.0)), (2, Some(14.0))]);
}

#[test]
fn runs_of_other_databases_are_compared_only_where_names_of_files_make_them_a_series() {
    let of = |sessions_from: &'static str, databases: [u32; 3]| {
        let runs = [(1, 1, 30_000.0), (2, 7, 200_000.0), (3, 49, 850_000.0)];
        let reports = runs.into_iter().zip(databases).map(|((hour, sessions, iops), database)| {
            let mut one = at_hour(report(1, sessions, 0, iops), hour);
            one.sessions_from = sessions_from;
            one.instances = [(format!("SLOB{database}"), 1)].into();
            one
        });
        let series = SlobSeries::of(reports.collect());
        let is_noted = series.notes.contains(&SlobNote::OtherDatabases { databases: 3 });
        (series.runs.iter().filter(|run| run.of_first_percent.is_some()).count(), is_noted)
    };
    assert_eq!(of("active sessions", [1, 1, 1]), (2, false));
    assert_eq!(of("active sessions", [1, 2, 3]), (0, true));
    assert_eq!(of(OF_NAME, [1, 2, 3]), (2, false));
}

#[test]
fn the_same_report_counts_once_and_a_sum_without_a_part_is_none() {
    let mut twin = report(1, 8, 0, 500.0);
    twin.file = "host1/awr.html".to_owned();
    twin.sessions_from = "active sessions";
    let mut blank = report(2, 8, 0, 500.0);
    blank.writes_per_s = Quoted::absent("", "blank in the report");
    assert_eq!(blank.iops(), None, "reads alone are not all requests");
    blank.reads_per_s = Quoted::absent("", "blank in the report");
    let series = SlobSeries::of(vec![twin, report(1, 8, 0, 500.0), blank]);
    assert_eq!(series.left_out[0].file, "host1/awr.html");
    assert_eq!((series.runs.len(), series.runs[0].hosts, series.runs[0].iops), (1, 2, None));
    assert!(series.by_hosts.is_empty());
}

#[test]
fn the_read_wait_of_a_run_is_the_one_that_took_most_time() {
    // A scan still has a few reads of single blocks, of the data dictionary.
    let mut scan = report(1, 8, 0, 8_000.0);
    scan.direct_read_us = Quoted::printed(Stated { value: 3_820.0, resolution: 10.0 }, "");
    scan.sequential_read_us = Quoted::printed(Stated { value: 750.0, resolution: 10.0 }, "");
    scan.read_waits = [109.0, 6_903_636.0, 0.0];
    let mut other = report(2, 8, 0, 8_000.0);
    other.direct_read_us = Quoted::printed(Stated { value: 1_000.0, resolution: 10.0 }, "");
    other.read_waits = [0.0, 6_903_636.0, 0.0];
    let series = SlobSeries::of(vec![scan, other]);
    let wait = series.runs[0].read_wait.unwrap();
    assert_eq!((wait.event, wait.name), ("direct path read", "DPR_LAT"));
    assert!((wait.mean_us - 2_410.0).abs() < 1e-6, "{wait:?}");
    assert_eq!(series.by_hosts[0].read_wait, Some(wait));

    let of_blocks = SlobSeries::of(vec![report(1, 8, 0, 8_000.0)]).runs[0].read_wait.unwrap();
    assert_eq!((of_blocks.event, of_blocks.mean_us), ("db file sequential read", 8.0));
}

#[test]
fn sessions_are_at_the_end_of_a_name_as_users_of_slob_have_it() {
    let check = |name: &str, expected: Option<f64>| assert_eq!(sessions_of_name(name), expected, "{name}");
    check("awr.txt.32", Some(32.0));
    check("a/b.3/awr.txt.007", Some(7.0));
    check("awr.html.12.gz", Some(12.0));
    check("awr.txt", None);
    check("awr_2023.10.12", None);
    check("awr.txt.0", None);
    check("awr.txt.x", None);
}

#[test]
fn times_differ_by_what_the_calendar_says() {
    let difference = |from: &str, to: &str| seconds_of(to).unwrap() - seconds_of(from).unwrap();
    assert_eq!(difference("2024-02-28T23:59:59", "2024-03-01T00:00:00"), 86_401);
    assert_eq!(difference("2023-02-28T00:00", "2023-03-01T00:00"), 86_400);
    assert_eq!(difference("2023-12-31T23:00:00", "2024-01-01T00:00:00"), 3_600);
    assert_eq!(seconds_of("yesterday"), None);
    assert_eq!(seconds_of("2024-13-01T00:00:00"), None);
}
