//! Wholes and their parts, and what is not there: the cases of what strangers handed over, with the figures that are right.
//!
//! The files are data to check against and no part of the project: `IOTRIAL_SHARED` names their folder. What the audit says of the
//! same files is tested with the program (`crates/iotrial/tests/it/real_results.rs`).

use std::path::{Path, PathBuf};

use iotrial_import::awr::{AwrError, read_awr};
use iotrial_import::counters::{CountersError, read_counters};
use iotrial_import::{ForeignFile, ImportError, Imported, Naming, import};
use iotrial_model::awr::AwrReport;
use iotrial_model::counters::{Counter, CounterSeries, Counters, Times};
use iotrial_model::imported::{ImportedJob, StatedStream};

/// A file of the cases; `None` where there are none.
fn case(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from);
    let path = shared.join("data/cases").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: there is no `{}`; IOTRIAL_SHARED names the folder of the data", path.display());
    None
}

fn read(path: &Path) -> Result<Imported, ImportError> {
    let bytes = std::fs::read(path).unwrap();
    let beside = |name: &str| std::fs::read(path.with_file_name(name)).ok();
    import(&ForeignFile { name: "case", bytes: &bytes, beside: &beside }, &Naming::default())
}

fn results(name: &str) -> Option<Imported> {
    Some(read(&case(name)?).unwrap_or_else(|error| panic!("{name}: {error}")))
}

fn series(name: &str) -> Option<CounterSeries> {
    let bytes = std::fs::read(case(name)?).unwrap();
    Some(read_counters(&bytes).unwrap_or_else(|error| panic!("{name}: {error}")).series().unwrap())
}

fn reports(name: &str) -> Option<Result<Vec<AwrReport>, AwrError>> {
    Some(read_awr(&std::fs::read(case(name)?).unwrap()))
}

fn only(imported: &Imported) -> &ImportedJob {
    let [record] = &imported.records[..] else { panic!("{} records", imported.records.len()) };
    let [job] = &record.jobs[..] else { panic!("{record:#?}") };
    job
}

fn iops(stream: Option<&StatedStream>) -> f64 {
    stream.and_then(|stream| stream.iops).map_or(0.0, |iops| iops.value)
}

fn mean_us(stream: Option<&StatedStream>) -> f64 {
    stream.and_then(|stream| stream.total_latency.mean_us).map_or(0.0, |mean| mean.value)
}

#[test]
fn one_file_of_a_vdbench_folder_is_read_and_the_others_are_parts_of_it() {
    let Some(folder) = case("import2/01-vdbench-folder") else { return };
    let (mut read_files, mut parts) = (Vec::new(), 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match read(&path) {
            Ok(imported) => read_files.push((path, imported)),
            Err(error) => {
                assert!(
                    matches!(error, ImportError::Part { whole: "flatfile.html" }),
                    "{}: {error}",
                    path.display()
                );
                assert!(error.is_foreign());
                parts += 1;
            }
        }
    }
    let [(path, imported)] = &read_files[..] else { panic!("{read_files:#?}") };
    assert!(path.ends_with("flatfile.html"));
    assert_eq!((only(imported).ops.write.as_ref().unwrap().iops.unwrap().value, parts), (390_635.0, 7));
}

#[test]
fn the_sum_over_clients_is_no_client() {
    let Some(imported) = results("import2/02-fio-text-two-clients.txt") else { return };
    let [record] = &imported.records[..] else { panic!("{imported:#?}") };
    let total = record.total.as_ref().unwrap();
    assert_eq!((iops(total.read.as_ref()), iops(total.write.as_ref())), (8_830.0, 8_997.0));
    let names: Vec<&str> = record.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["h1: j", "h1: j"]);
    // Options stand behind the name of the client.
    for job in &record.jobs {
        assert_eq!((job.load.iodepth, job.load.block_size().map(|size| size.get())), (Some(4), Some(4_096)));
    }
    assert_eq!(iops(record.jobs[1].ops.read.as_ref()), 3_602.0);
}

#[test]
fn a_sum_of_both_directions_overwrites_neither() {
    let (Some(both), Some(mixed)) =
        (results("import2/03-fio-text-unified-both.txt"), results("import2/03b-fio-text-unified-mixed.txt"))
    else {
        return;
    };
    let ops = &only(&both).ops;
    assert_eq!(mean_us(ops.write.as_ref()), 2_011_940.0);
    let percentiles = &ops.write.as_ref().unwrap().completion_latency.percentiles_us;
    assert_eq!((percentiles.len(), percentiles[0].at.value), (17, 2_005_000.0));
    assert_eq!(ops.all, None);
    let ops = &only(&mixed).ops;
    let all = ops.all.as_ref();
    assert_eq!((iops(all), mean_us(all), all.unwrap().io_count), (7_245.0, 549.73, Some(7_253)));
    assert!(ops.read.is_none() && ops.write.is_none());
}

#[test]
fn of_a_run_that_is_told_while_it_goes_on_the_last_report_counts() {
    let Some(imported) = results("import2/11-fio-text-status-interval.txt") else { return };
    let read = only(&imported).ops.read.as_ref();
    assert_eq!((iops(read), read.unwrap().io_count), (7_975.0, Some(7_983)));
    assert_eq!(imported.records[0].devices.len(), 1);
    assert_eq!(imported.records[0].devices[0].read_count, Some(17_485));
}

#[test]
fn a_job_alone_is_not_taken_for_a_group() {
    for (name, size) in [
        ("import2/05-verify-called-group.json", 4_096),
        ("import2/05b-fio-text-verify.txt", 4_096),
        ("import2/06-global-name-called-group.json", 4_096),
        ("import2/18d-planted-runtime-halved.json", 8_192),
    ] {
        let Some(imported) = results(name) else { return };
        let load = &only(&imported).load;
        assert_eq!(load.block_size().map(|size| size.get()), Some(size), "{name}");
        assert_eq!(load.verifies(), name.contains("verify"), "{name}");
    }
}

#[test]
fn of_an_option_that_stands_twice_the_last_counts() {
    let Some(imported) = results("import2/17-option-twice.json") else { return };
    assert_eq!(only(&imported).load.block_size().unwrap().get(), 16_384);
    let warnings = imported.warnings.iter().chain(&imported.records[0].warnings);
    assert!(
        warnings.clone().count() > 0
            && warnings.clone().all(|one| one.message.contains("the last one counts"))
    );
}

#[test]
fn what_a_log_or_a_terminal_added_is_taken_off() {
    for (name, iops_of_reads, iops_of_writes) in [
        ("import2/13-fio-text-kubernetes-log.log", 9_513.0, None),
        ("import2/13b-fio-text-ansi.txt", 9_513.0, None),
        ("field/07-kubectl-timestamps.txt", 0.0, Some(6_167.0)),
    ] {
        let Some(imported) = results(name) else { return };
        let ops = &only(&imported).ops;
        assert_eq!(iops(ops.read.as_ref()), iops_of_reads, "{name}");
        assert!(iops_of_writes.is_none_or(|wanted| iops(ops.write.as_ref()) == wanted), "{name}");
    }
}

#[test]
fn the_command_line_above_an_output_tells_what_its_job_does_not() {
    let (Some(with), Some(without)) =
        (results("field/07b-command-line-above.md"), results("field/07-kubectl-timestamps.txt"))
    else {
        return;
    };
    let (with, without) = (&only(&with).load, &only(&without).load);
    assert_eq!((with.direct, with.flush_every, with.runtime_s), (Some(true), Some(1), Some(300.0)));
    assert_eq!((without.direct, without.flush_every), (None, None));
    assert_eq!((with.iodepth, with.numjobs), (without.iodepth, without.numjobs));
}

#[test]
fn half_of_a_mix_is_told() {
    let Some(imported) = results("field/04-1024-outstanding-half-a-mix.txt") else { return };
    assert!(only(&imported).ops.write.is_none());
    assert_eq!(imported.records[0].warnings.len(), 1, "{imported:#?}");
}

#[test]
fn threads_of_each_storage_are_not_all_that_is_outstanding() {
    let Some(imported) = results("import2/12-vdbench-threads-per-sd-and-host.html") else { return };
    let load = &only(&imported).load;
    assert_eq!((load.outstanding, load.options["threads"].as_str()), (None, "8"));
}

#[test]
fn kdiskmark_counts_kib_by_the_thousand() {
    let Some(imported) = results("import2/10-kdiskmark-3.2.md") else { return };
    let all: Vec<&ImportedJob> = imported.records.iter().map(|record| &record.jobs[0]).collect();
    assert_eq!((all.len(), imported.records[0].source.tool.as_str()), (8, "KDiskMark"));
    assert_eq!(imported.records[0].source.version.as_deref(), Some("3.2.0"));
    let read = all[2].ops.read.as_ref().unwrap();
    assert_eq!((read.iops.unwrap().value, all[2].load.iodepth), (81.7, Some(32)));
    // 81.7 I/Os of 4 KiB.
    assert!((read.bandwidth_mib_per_s.unwrap().value - 81.7 * 4.0 / 1_024.0).abs() < 1e-3);
    assert!(all.iter().all(|job| job.load.is_mean_of_runs()));
}

#[test]
fn a_program_that_reads_results_is_none() {
    let Some(path) = case("import2/16-reader-of-fio.py") else { return };
    let error = read(&path).unwrap_err();
    assert!(error.is_foreign(), "{error}");
}

#[test]
fn flushes_are_a_stream_with_their_percentiles() {
    for (name, p99_us, count) in [
        ("field/02-fdatasync-fast-flush.txt", 5_145.0, 45_590),
        ("field/02-fdatasync-slow-flush.txt", 19_792.0, 10_029),
        ("field/02b-etcd-p99-19ms.txt", 19_792.0, 45_590),
    ] {
        let Some(imported) = results(name) else { return };
        let job = only(&imported);
        let sync = job.ops.sync.as_ref().unwrap();
        let p99 = sync.total_latency.percentile(99.0).unwrap();
        assert!(name.contains("02b") || (p99.value - p99_us).abs() < 1.0, "{name}: {p99:?}");
        assert_eq!((sync.io_count, job.load.flush_every), (Some(count), Some(1)), "{name}");
    }
}

/// The mean of a latency over all I/Os, in ms, of intervals that are all alike long.
fn mean_ms(series: &CounterSeries, disk: &str, rate: Counter, latency: Counter) -> f64 {
    let disk = &series.disks[series.disk(disk).unwrap()];
    let (mut time, mut ios) = (0.0, 0.0);
    for interval in 0..series.interval_count {
        if let (Some(rate), Some(latency)) = (disk.at(rate, interval), disk.at(latency, interval)) {
            (time, ios) = (time + rate * latency, ios + rate);
        }
    }
    1e3 * time / ios
}

#[test]
fn a_latency_that_is_printed_as_zero_counts_in_the_mean() {
    let (Some(zeros), Some(digits), Some(whole)) = (
        series("import2/07-iostat-await-zero.txt"),
        series("import2/07b-sar-d-same-with-decimals.txt"),
        series("import2/07b-sar-dec0.txt"),
    ) else {
        return;
    };
    let mean = mean_ms(&zeros, "sda", Counter::WriteIops, Counter::WriteLatency);
    assert!((mean - 3.0).abs() < 1e-9, "{mean}");
    let mean = mean_ms(&digits, "vda", Counter::Iops, Counter::Latency);
    assert!((mean - 0.574).abs() < 0.001, "{mean}");
    let mean = mean_ms(&whole, "vda", Counter::Iops, Counter::Latency);
    assert!((mean - 0.43).abs() < 0.01, "{mean}");
}

#[test]
fn recordings_that_were_appended_are_read_as_one_without_their_means_since_boot() {
    let (Some(appended), Some(one), Some(json)) = (
        series("field/01-iostat-runs-appended.txt"),
        series("field/01-iostat-one-run.txt"),
        series("field/01b-iostat-json-twice.json"),
    ) else {
        return;
    };
    assert_eq!((appended.interval_count, one.interval_count, json.interval_count), (25, 25, 5));
    let reads = |series: &CounterSeries| -> Vec<Option<f64>> {
        (0..series.interval_count).map(|at| series.disks[0].at(Counter::ReadIops, at)).collect()
    };
    assert_eq!(reads(&appended), reads(&one));
    assert_eq!(reads(&json), [Some(900.0); 5]);
}

#[test]
fn two_tables_of_the_same_moments_are_the_same_intervals() {
    let Some(both) = series("import2/14b-sar-d-and-b.txt") else { return };
    assert_eq!((both.interval_count, both.interval_s), (6, Some(1.0)));
    let vda = &both.disks[both.disk("vda").unwrap()];
    assert_eq!((vda.at(Counter::Iops, 0), vda.at(Counter::Iops, 5).is_some()), (Some(443.0), true));
}

#[test]
fn what_sadf_writes_for_databases_is_what_sar_shows() {
    let Some(sar) = series("import2/07b-sar-d-same-with-decimals.txt") else { return };
    for name in ["import2/14-sadf-d.csv", "import2/14-sadf-p.txt"] {
        let Some(series) = series(name) else { return };
        assert_eq!(
            (series.interval_count, series.interval_s, series.host.as_deref()),
            (6, Some(1.0), Some("h1")),
            "{name}"
        );
        let wanted = mean_ms(&sar, "vda", Counter::Iops, Counter::Latency);
        let mean = mean_ms(&series, "vda", Counter::Iops, Counter::Latency);
        assert!((mean - wanted).abs() < 1e-9, "{name}: {mean}");
    }
}

#[test]
fn perfmon_that_a_spreadsheet_saved_is_read() {
    let rows = [
        ("import2/09-perfmon-de-semikolon.csv", true),
        ("import2/09-perfmon-en-24h-uk.csv", true),
        // Without seconds.
        ("import2/09-perfmon-en-excel.csv", false),
        ("import2/09-perfmon-es.csv", true),
        ("import2/09-perfmon-ru-1251.csv", true),
    ];
    for (name, has_times) in rows {
        let Some(series) = series(name) else { return };
        assert_eq!(series.interval_count, 40, "{name}");
        assert_eq!(series.interval_s, has_times.then_some(15.0), "{name}");
        assert_eq!(matches!(series.times, Times::OfCalendar(_)), has_times, "{name}");
        let reads = mean_ms(&series, "D:", Counter::ReadIops, Counter::ReadLatency);
        let writes = mean_ms(&series, "D:", Counter::WriteIops, Counter::WriteLatency);
        assert!((reads - 5.0).abs() < 1e-9 && (writes - 2.0).abs() < 1e-9, "{name}: {reads} and {writes}");
    }
}

#[test]
fn one_snapshot_has_mean_stalls_since_the_start() {
    for name in ["field/09-vfs-one-snapshot.csv", "field/09b-vfs-fixed-width.txt"] {
        let Some(path) = case(name) else { return };
        let counters = read_counters(&std::fs::read(path).unwrap()).unwrap();
        let Counters::Snapshots(snapshots) = &counters else { panic!("{counters:?}") };
        let series = snapshots.since_start().unwrap();
        assert_eq!((series.interval_count, series.disks.len()), (1, 4), "{name}");
        assert_eq!(series.interval_s, Some(864_000.0), "{name}");
        assert_eq!(series.notes.len(), 1, "{name}");
        // io_stall by count: 98,213,312 ms of 8,213,312 reads, and 30,812,312 ms of 2,412,331 writes.
        let stall = |at: usize, counter| series.disks[at].at(counter, 0).unwrap();
        assert!((stall(2, Counter::ReadLatency) - 98_213.312 / 8_213_312.0).abs() < 1e-9, "{name}");
        assert!((stall(3, Counter::WriteLatency) - 30_812.312 / 2_412_331.0).abs() < 1e-9, "{name}");
        // Without a second one there is no rate to plan with.
        assert!(counters.series().is_err());
    }
}

#[test]
fn numbers_for_people_are_refused_with_the_option() {
    let Some(path) = case("import2/20-iostat-xh.txt") else { return };
    let error = read_counters(&std::fs::read(path).unwrap()).unwrap_err();
    assert!(matches!(&error, CountersError::Lacking { tool, .. } if tool.contains("-h")), "{error}");
}

#[test]
fn esxtop_is_named() {
    let Some(path) = case("field/08-esxtop.csv") else { return };
    let error = read_counters(&std::fs::read(path).unwrap()).unwrap_err();
    assert!(matches!(&error, CountersError::Lacking { tool, .. } if tool.contains("esxtop")), "{error}");
}

#[test]
fn a_cache_of_the_system_is_told_by_old_versions_of_diskspd() {
    let Some(imported) = results("field/06-diskspd-2.0-write-cache.txt") else { return };
    assert_eq!(only(&imported).load.direct, Some(false));
}

#[test]
fn counters_without_an_interval_did_not_do_nothing() {
    let head = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\PhysicalDisk(0 C:)\\Disk Reads/sec\"\n";
    let error = read_counters(head.as_bytes()).unwrap_err();
    assert!(matches!(error, CountersError::NoInterval { .. }), "{error}");
    let error =
        read_counters(format!("{head}\"25 March\",\"5\"\n\"26 March\",\"5\"\n").as_bytes()).unwrap_err();
    assert!(matches!(&error, CountersError::Broken { place, .. } if place == "line 2"), "{error}");
}

fn requests(report: &AwrReport) -> f64 {
    let rate = |name: &str| report.statistic(name).and_then(|one| one.per_second.value()).unwrap();
    rate("physical read total IO requests") + rate("physical write total IO requests")
}

#[test]
fn two_reports_in_one_file_are_two_intervals() {
    let Some(reports) = reports("awr/01-two-reports-in-one-file.txt") else { return };
    let rates: Vec<f64> = reports.unwrap().iter().map(|report| requests(report).round()).collect();
    assert_eq!(rates, [1_243.0, 1_846.0]);
}

#[test]
fn a_report_is_the_same_however_it_was_saved_or_mailed() {
    let pairs = [
        ("awr/02-saved-by-a-browser.mht", "awr/02-the-same-page.html"),
        ("awr/08-quoted-mail.txt", "awr/05-memory-statistics-11.2.txt"),
    ];
    for (one, other) in pairs {
        let (Some(one), Some(other)) = (reports(one), reports(other)) else { return };
        let (one, other) = (one.unwrap().remove(0), other.unwrap().remove(0));
        assert!((requests(&one) - requests(&other)).abs() < 1e-9);
        assert_eq!((one.interval, one.activity.len()), (other.interval, other.activity.len()));
    }
}

#[test]
fn what_is_no_whole_report_is_refused_with_the_reason() {
    let (Some(lines), Some(cluster)) =
        (reports("awr/09-no-empty-lines.txt"), reports("awr/11-cluster-report-as-text.txt"))
    else {
        return;
    };
    assert!(matches!(lines, Err(AwrError::NoEmptyLines)), "{lines:#?}");
    assert!(matches!(cluster, Err(AwrError::ClusterText)), "{cluster:#?}");
}

#[test]
fn memory_without_a_ruler_is_read_at_the_end_of_the_interval() {
    let Some(reports) = reports("awr/05-memory-statistics-11.2.txt") else { return };
    let report = reports.unwrap().remove(0);
    let mib = |name: &str| AwrReport::named(&report.memory, name).and_then(|one| one.value());
    assert_eq!((mib("SGA use"), mib("PGA use")), (Some(1_024.0), Some(181.2)));
}

#[test]
fn each_figure_of_kbench_is_a_run() {
    let Some(imported) = results("field/10-kbench.txt") else { return };
    assert_eq!(imported.records.len(), 12);
    let of = |at: usize| &imported.records[at].jobs[0];
    assert_eq!((iops(of(0).ops.read.as_ref()), iops(of(1).ops.write.as_ref())), (28_832.0, 5_730.0));
    let mib = |stream: &Option<StatedStream>| stream.as_ref().unwrap().bandwidth_mib_per_s.unwrap().value;
    assert!((mib(&of(6).ops.read) - 1_047_018.0 / 1_024.0).abs() < 1e-6);
    assert!((mean_us(of(9).ops.write.as_ref()) - 1_029.192).abs() < 1e-6);
}

#[test]
fn a_percentile_of_etcds_flushes_lies_within_its_bucket() {
    let Some(imported) = results("field/11-etcd-metrics.txt") else { return };
    let [record] = &imported.records[..] else { panic!("{imported:#?}") };
    let bounds: Vec<f64> = record
        .bounds
        .iter()
        .filter(|one| one.metric == "commit.lat_p99_us")
        .map(|one| one.number.value)
        .collect();
    assert_eq!(bounds, [32_000.0, 16_000.0]);
    let flushes = record.total.as_ref().unwrap().sync.as_ref().unwrap();
    assert_eq!(flushes.io_count, Some(760_277));
    assert!((mean_us(Some(flushes)) - 1_382.371_4).abs() < 1e-3);
    assert_eq!(flushes.total_latency.bands.len(), 15);
}
