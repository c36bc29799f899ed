use super::*;

/// sysstat 12: the first report is a mean since the start.
const IOSTAT: &str = "Linux 5.15.0-91-generic (db01) \t11/21/2026 \t_x86_64_\t(8 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1.49    0.00    1.67    0.94    0.00   95.90

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     f/s f_await  aqu-sz  %util
sda              9.00    999.00     0.00   0.00    0.50    32.00    9.00     99.00     0.00   0.00    0.50    33.71    0.00    0.00    0.10   0.46

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1.49    0.00    1.67    0.94    0.00   95.90

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     f/s f_await  aqu-sz  %util
sda            100.00    800.00     0.00   0.00    0.50     8.00   50.00    800.00     0.00   0.00    0.50    16.00    0.00    0.00    0.10   0.46
sdb              1.00      8.00     0.00   0.00    0.50     8.00    0.00      0.00     0.00   0.00    0.50    16.00    0.00    0.00    0.10   0.46

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1.49    0.00    1.67    0.94    0.00   95.90

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     f/s f_await  aqu-sz  %util
sda            300.00   2400.00     0.00   0.00    0.50     8.00   50.00    800.00     0.00   0.00    0.50    16.00    0.00    0.00    0.10   0.46
";

fn rates(series: &CounterSeries, disk: &str) -> Vec<Option<(f64, f64, f64, f64)>> {
    let disk = series.disks.iter().find(|one| one.name == disk).unwrap();
    let of = |one: &iotrial_model::counters::DiskRates| {
        (one.read_iops, one.write_iops, one.read_bytes_per_s, one.write_bytes_per_s)
    };
    disk.rates.iter().map(|one| one.as_ref().map(of)).collect()
}

#[test]
fn iostat_is_read_by_its_header_and_without_the_mean_since_the_start() {
    let series = read_counters(IOSTAT.as_bytes()).unwrap();
    assert_eq!((series.tool, series.host.as_deref(), series.interval_count()), ("iostat", Some("db01"), 2));
    assert_eq!(rates(&series, "sda")[0], Some((100.0, 50.0, 819_200.0, 819_200.0)));
    assert_eq!(rates(&series, "sda")[1], Some((300.0, 50.0, 2_457_600.0, 819_200.0)));
    assert_eq!(rates(&series, "sdb")[1], None);
    assert!(series.notes[0].contains("the first report is left out"), "{:?}", series.notes);
    // sysstat 10, in another language, in megabytes, a long name on a line of its own.
    let old = "Linux 3.10.0 (old) 11/30/2021 _x86_64_ (1 CPU)

Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
a-very-long-name-of-a-volume
                  0,00     0,02    1,50    0,50     2,00     1,00    52,53     0,00    0,88    0,53    1,29   0,52   0,01
";
    let series = read_counters(old.as_bytes()).unwrap();
    assert_eq!(rates(&series, "a-very-long-name-of-a-volume"), [Some((1.5, 0.5, 2_097_152.0, 1_048_576.0))]);
    assert!(series.notes[0].contains("there is one report only"), "{:?}", series.notes);
}

#[test]
fn sysstat_json_is_read_from_iostat_and_from_sadf() {
    let iostat = r#"{"sysstat": {"hosts": [{"nodename": "db01", "date": "06/01/20", "statistics": [
        {"timestamp": "06/01/20 10:20:00", "disk": [{"disk_device": "sda", "r/s": 9.0, "w/s": 9.0, "rkB/s": 9.0, "wkB/s": 9.0, "util": 0.46}]},
        {"timestamp": "06/01/20 10:20:15", "disk": [{"disk_device": "sda", "r/s": 6.5, "w/s": 2.0, "rkB/s": 52.0, "wkB/s": 32.0, "util": 0.46}]}]}]}}"#;
    let series = read_counters(iostat.as_bytes()).unwrap();
    assert_eq!((series.interval_count(), series.interval_s), (1, Some(15.0)));
    assert_eq!(rates(&series, "sda"), [Some((6.5, 2.0, 53_248.0, 32_768.0))]);
    let sadf = r#"{"sysstat": {"hosts": [{"nodename": "db01", "statistics": [
        {"timestamp": {"date": "2019-04-18", "time": "13:20:19", "interval": 600}, "io": {"tps": 20.85, "io-reads": {"rtps": 12.5, "bread": 200.0}, "io-writes": {"wtps": 4.0, "bwrtn": 64.0}}},
        {"timestamp": {"date": "2019-04-18", "time": "13:30:19", "interval": 600}, "io": {"tps": 20.85, "io-reads": {"rtps": 1.0, "bread": 16.0}, "io-writes": {"wtps": 0.0, "bwrtn": 0.0}}}]}]}}"#;
    let series = read_counters(sadf.as_bytes()).unwrap();
    assert_eq!((series.tool, series.interval_s), ("sar", Some(600.0)));
    assert_eq!(
        rates(&series, "all disks"),
        [Some((12.5, 4.0, 102_400.0, 32_768.0)), Some((1.0, 0.0, 8_192.0, 0.0))]
    );
}

#[test]
fn sar_is_read_with_its_means_and_restarts_left_out() {
    let text = "Linux 5.4.0 (db01) \t11/21/2026 \t_x86_64_\t(4 CPU)

12:50:01 PM       tps      rtps      wtps      dtps   bread/s   bwrtn/s   bdscd/s
12:55:01 PM     20.00     12.50      4.00      3.50    200.00     64.00      0.00
01:00:01 PM      1.00      1.00      0.00      0.00     16.00      0.00      0.00

01:03:00 PM       LINUX RESTART      (4 CPU)

01:05:01 PM       tps      rtps      wtps      dtps   bread/s   bwrtn/s   bdscd/s
01:10:01 PM      2.00      2.00      0.00      0.00     32.00      0.00      0.00
Average:         20.85     12.83      4.81      3.21     57.43     38.50     32.08
";
    let series = read_counters(text.as_bytes()).unwrap();
    let reads: Vec<f64> = rates(&series, "all disks").into_iter().map(|one| one.unwrap().0).collect();
    assert_eq!((reads, series.interval_s), (vec![12.5, 1.0, 2.0], Some(600.0)));
}

#[test]
fn perfmon_is_read_by_disk_with_blank_values_left_out() {
    let columns = |instance: &str| {
        ["Disk Reads/sec", "Disk Writes/sec", "Disk Read Bytes/sec", "Disk Write Bytes/sec"]
            .map(|counter| format!("\"\\\\DB01\\PhysicalDisk({instance})\\{counter}\""))
            .join(",")
    };
    let text = format!(
        "\"(PDH-CSV 4.0) (W. Europe Standard Time)(-60)\",{},{},\"\\\\DB01\\LogicalDisk(C:)\\Disk Reads/sec\",\"\\\\DB01\\Memory\\Available MBytes\"\r\n\
         \"11/21/2026 10:00:00.000\",\" \",\" \",\" \",\" \",\" \",\" \",\" \",\" \",\" \",\"1\"\r\n\
         \"11/21/2026 10:00:15.001\",\"100\",\"50\",\"819200\",\"409600\",\"101\",\"51\",\"1\",\"1\",\"5\",\"1\"\r\n\
         \"11/21/2026 10:00:30.001\",\"200\",\"50\",\"1638400\",\"409600\",\"201\",\"51\",\"1\",\"1\",\"5\",\"1\"\r\n\
         Exiting, please wait...\r\n",
        columns("0 C:"),
        columns("_Total")
    );
    let series = read_counters(text.as_bytes()).unwrap();
    assert_eq!((series.tool, series.host.as_deref()), ("PerfMon", Some("DB01")));
    assert_eq!(series.disks.iter().map(|disk| disk.name.as_str()).collect::<Vec<_>>(), ["0 C:", "_Total"]);
    assert_eq!(rates(&series, "0 C:")[..2], [None, Some((100.0, 50.0, 819_200.0, 409_600.0))]);
    assert_eq!(series.whole_disks(), [0]);
    assert!((series.interval_s.unwrap() - 15.0).abs() < 0.01);
    // As PowerShell redirects it.
    let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read_counters(&wide).unwrap(), series);
}

#[test]
fn what_has_no_reads_and_writes_apart_is_told_how_to_be_recorded() {
    let check = |text: &str, expected: &str, hint: &str| {
        let error = read_counters(text.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(error.hint().unwrap_or_default().contains(hint), "{:?}", error.hint());
    };
    let plain = "Linux 3.10.0 (h) 11/30/2021\n\nDevice:            tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\nsda 0.24 5.24 1.10 203305 42533\n";
    check(plain, "iostat without reads and writes apart", "iostat -x -y");
    let sar_d = "Linux 5.4.0 (h) 11/21/2026\n\n12:50:01  DEV  tps  rkB/s  wkB/s\n12:55:01 sda 1 2 3\n";
    check(sar_d, "sar without reads and writes apart", "sar -b");
    check(
        "\"(PDH-CSV 4.0)\",\"\\\\H\\Process(a)\\Private Bytes\"\n\"01/15/2026 10:00:00.630\",\"1\"\n",
        "a log of PerfMon without",
        "PhysicalDisk(*)",
    );
    check(
        "{\"sysstat\": {\"hosts\": [{\"statistics\": [{\"disk\": [{\"disk_device\": \"sda\", \"tps\": 8.59}]}]}]}}",
        "without reads and writes apart",
        "-x",
    );
    check("{\"sysstat\": {\"hosts\": [{\"stat", "it ends before its JSON does", "cut off");
    check("dear diary", "it is neither", "iostat -x");
    check(&IOSTAT.replace("2400.00", "2400 00"), "line 20: `sda", "cut off");
    // What lacks something is counters all the same, and other files are not.
    let is_unknown = |bytes: &[u8]| matches!(read_counters(bytes), Err(CountersError::Unknown));
    assert!(
        !is_unknown(plain.as_bytes()) && is_unknown(b"dear diary") && is_unknown(b"{\"fio version\": 1}")
    );
}

/// Whatever a file holds: no panic. Cut anywhere, and with any byte turned.
#[test]
fn broken_counters_are_errors_or_less() {
    for length in 0..IOSTAT.len() {
        let _ = read_counters(&IOSTAT.as_bytes()[..length]);
        let mut turned = IOSTAT.as_bytes().to_vec();
        turned[length] ^= 0x15;
        let _ = read_counters(&turned);
    }
}
