use iotrial_model::counters::{Counter, CounterSeries, Counters};
use iotrial_model::demand::Demand;
use iotrial_model::load::Role;

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
    let disk = &series.disks[series.disk(disk).unwrap()];
    let of = |one: iotrial_model::counters::DiskRates| {
        (one.read_iops, one.write_iops, one.read_bytes_per_s, one.write_bytes_per_s)
    };
    (0..series.interval_count).map(|at| disk.rates(at).map(of)).collect()
}

/// A source that has rates.
fn read_series(bytes: &[u8]) -> Result<CounterSeries, CountersError> {
    match read_counters(bytes)? {
        Counters::Series(series) => Ok(series),
        Counters::Snapshots(snapshots) => panic!("{snapshots:?}"),
    }
}

/// All that was counted of a disk in an interval.
fn counted(series: &CounterSeries, disk: &str, at: usize) -> Vec<(&'static str, f64)> {
    let disk = &series.disks[series.disk(disk).unwrap()];
    Counter::ALL.iter().filter_map(|one| Some((one.as_str(), disk.at(*one, at)?))).collect()
}

#[test]
fn iostat_is_read_by_its_header_and_without_the_mean_since_the_start() {
    let series = read_series(IOSTAT.as_bytes()).unwrap();
    assert_eq!((series.tool, series.host.as_deref(), series.interval_count), ("iostat", Some("db01"), 2));
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
    let series = read_series(old.as_bytes()).unwrap();
    assert_eq!(rates(&series, "a-very-long-name-of-a-volume"), [Some((1.5, 0.5, 2_097_152.0, 1_048_576.0))]);
    assert!(series.notes[0].contains("there is only one report"), "{:?}", series.notes);
}

#[test]
fn sysstat_json_is_read_from_iostat_and_from_sadf() {
    let iostat = r#"{"sysstat": {"hosts": [{"nodename": "db01", "date": "06/01/20", "statistics": [
        {"timestamp": "06/01/20 10:20:00", "disk": [{"disk_device": "sda", "r/s": 9.0, "w/s": 9.0, "rkB/s": 9.0, "wkB/s": 9.0, "util": 0.46}]},
        {"timestamp": "06/01/20 10:20:15", "disk": [{"disk_device": "sda", "r/s": 6.5, "w/s": 2.0, "rkB/s": 52.0, "wkB/s": 32.0, "util": 0.46}]}]}]}}"#;
    let series = read_series(iostat.as_bytes()).unwrap();
    assert_eq!((series.interval_count, series.interval_s), (1, Some(15.0)));
    assert_eq!(rates(&series, "sda"), [Some((6.5, 2.0, 53_248.0, 32_768.0))]);
    let sadf = r#"{"sysstat": {"hosts": [{"nodename": "db01", "statistics": [
        {"timestamp": {"date": "2019-04-18", "time": "13:20:19", "interval": 600}, "io": {"tps": 20.85, "io-reads": {"rtps": 12.5, "bread": 200.0}, "io-writes": {"wtps": 4.0, "bwrtn": 64.0}}},
        {"timestamp": {"date": "2019-04-18", "time": "13:30:19", "interval": 600}, "io": {"tps": 20.85, "io-reads": {"rtps": 1.0, "bread": 16.0}, "io-writes": {"wtps": 0.0, "bwrtn": 0.0}}}]}]}}"#;
    let series = read_series(sadf.as_bytes()).unwrap();
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
    let series = read_series(text.as_bytes()).unwrap();
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
    let series = read_series(text.as_bytes()).unwrap();
    assert_eq!((series.tool, series.host.as_deref()), ("PerfMon", Some("DB01")));
    assert_eq!(series.disks.iter().map(|disk| disk.name.as_str()).collect::<Vec<_>>(), ["0 C:", "_Total"]);
    assert_eq!(rates(&series, "0 C:")[..2], [None, Some((100.0, 50.0, 819_200.0, 409_600.0))]);
    assert_eq!(series.whole_disks(), [0]);
    assert!((series.interval_s.unwrap() - 15.0).abs() < 0.01);
    // As PowerShell redirects it.
    let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read_series(&wide).unwrap(), series);
}

#[test]
fn what_has_nothing_of_disks_is_told_how_to_be_recorded() {
    let check = |text: &str, expected: &str, hint: &str| {
        let error = read_counters(text.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(error.hint().unwrap_or_default().contains(hint), "{:?}", error.hint());
    };
    check(
        "\"(PDH-CSV 4.0)\",\"\\\\H\\Process(a)\\Private Bytes\"\n\"01/15/2026 10:00:00.630\",\"1\"\n",
        "a PerfMon log without PhysicalDisk or LogicalDisk counters",
        "PhysicalDisk(*)",
    );
    check(
        r#"{"sysstat": {"hosts": [{"statistics": [{"timestamp": {"date": "2018-08-29", "time": "09:34:34"}, "cpu-load": []}]}]}}"#,
        "sar without anything of disks",
        "sar -b",
    );
    check("{\"sysstat\": {\"hosts\": [{\"stat", "it ends before its JSON is complete", "cut off");
    check("dear diary", "it is neither", "iostat -x");
    check(&IOSTAT.replace("2400.00", "2400 00"), "line 20: `sda", "cut off");
    check(
        "database_id,file_id,num_of_reads,io_stall_read_ms,num_of_writes\n1,1,1,1,1\n",
        "sys.dm_io_virtual_file_stats without num_of_bytes_read",
        "sample_ms",
    );
    let is_unknown = |bytes: &[u8]| matches!(read_counters(bytes), Err(CountersError::Unknown));
    assert!(is_unknown(b"dear diary") && is_unknown(b"{\"fio version\": 1}"));
}

#[test]
fn what_has_both_directions_together_is_read_as_that_and_makes_no_demand() {
    let check = |text: &str, disk: &str, expected: &[(&str, f64)], hint: &str| {
        let series = read_series(text.as_bytes()).unwrap();
        let counted = counted(&series, disk, 0);
        assert_eq!(counted.len(), expected.len(), "{counted:?}");
        for ((name, value), (as_named, wanted)) in counted.iter().zip(expected) {
            assert!(name == as_named && (value - wanted).abs() < 1e-9, "{counted:?}");
        }
        let error = Demand::of_counters("a", &series, &[], 95.0).unwrap_err();
        assert!(error.to_string().contains("does not have reads and writes separately"), "{error}");
        assert!(how_to_record(&error).unwrap_or_default().contains(hint), "{error}");
    };
    let plain = "Linux 3.10.0 (h) 11/30/2021\n\nDevice:            tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\nsda 0.24 5.24 1.10 203305 42533\n";
    let bytes = [("read_bytes_per_s", 5.24 * 1024.0), ("write_bytes_per_s", 1.10 * 1024.0), ("iops", 0.24)];
    check(plain, "sda", &bytes, "iostat -x -y");
    let sar_d = "Linux 5.4.0 (h) 11/21/2026\n\n12:50:01  DEV  tps  rkB/s  wkB/s areq-sz aqu-sz await %util\n12:55:01 sda 1.00 2.00 3.00 5.00 0.02 20.00 1.50\n12:55:01 sdb 0.00 0.00 0.00 0.00 0.00 0.00 0.00\n";
    let of_sda = [
        ("read_bytes_per_s", 2048.0),
        ("write_bytes_per_s", 3072.0),
        ("iops", 1.0),
        ("latency_s", 0.02),
        ("queue", 0.02),
        ("busy_share", 0.015),
    ];
    check(sar_d, "sda", &of_sda, "sar -b");
    assert_eq!(
        read_series(sar_d.as_bytes()).unwrap().interval_count,
        1,
        "disks of one moment are one interval"
    );
    check(
        "{\"sysstat\": {\"hosts\": [{\"statistics\": [{\"disk\": [{\"disk_device\": \"sda\", \"tps\": 8.59}]}]}]}}",
        "sda",
        &[("iops", 8.59)],
        "-x",
    );
}

#[test]
fn latencies_queue_and_time_are_read_with_the_unit_of_their_source() {
    let series = read_series(IOSTAT.as_bytes()).unwrap();
    let of_sda = counted(&series, "sda", 1);
    for (name, wanted) in
        [("read_latency_s", 0.0005), ("write_latency_s", 0.0005), ("queue", 0.1), ("busy_share", 0.0046)]
    {
        let value = of_sda.iter().find(|(one, _)| *one == name).unwrap().1;
        assert!((value - wanted).abs() < 1e-12, "{name}: {value}");
    }
}

/// As a German, a French and a Russian Windows write it, the first in a code page of its own.
#[test]
fn perfmon_is_read_in_other_languages_and_code_pages() {
    let text = |object: &str, names: [&str; 6]| {
        let columns: String =
            names.iter().map(|name| format!(",\"\\\\DB01\\{object}(1 D:)\\{name}\"")).collect();
        format!(
            "\"(PDH-CSV 4.0) (Mitteleuropäische Zeit)(-60)\"{columns}\r\n\"11/21/2026 10:00:15.001\",\"100\",\"50\",\"819200\",\"409600\",\"0,005\",\"0\"\r\n"
        )
    };
    let check = |bytes: &[u8]| {
        let series = read_series(bytes).unwrap();
        assert_eq!(series.disks.len(), 1);
        let expected = [
            ("read_iops", 100.0),
            ("write_iops", 50.0),
            ("read_bytes_per_s", 819_200.0),
            ("write_bytes_per_s", 409_600.0),
            ("read_latency_s", 0.005),
        ];
        // Zero is what Windows writes where nothing was written in the interval.
        assert_eq!(counted(&series, "d:", 0), expected);
    };
    let german = text(
        "Physikalischer Datenträger",
        [
            "Lesevorgänge/s",
            "Schreibvorgänge/s",
            "Bytes gelesen/s",
            "Bytes geschrieben/s",
            "Mittlere Sek./Lesevorgänge",
            "Mittlere Sek./Schreibvorgänge",
        ],
    );
    check(german.as_bytes());
    // Windows-1252.
    check(&german.chars().map(|letter| u8::try_from(letter).unwrap()).collect::<Vec<u8>>());
    let french = text(
        "Disque physique",
        [
            "Lectures disque/s",
            "Écritures disque/s",
            "Lectures disque, octets/s",
            "Écritures disque, octets/s",
            "Moyenne disque s/lecture",
            "Moyenne disque s/écriture",
        ],
    );
    check(french.as_bytes());
    let russian = text(
        "Физический диск",
        [
            "Обращений чтения с диска/с",
            "Обращений записи на диск/с",
            "Скорость чтения с диска (байт/с)",
            "Скорость записи на диск (байт/с)",
            "Среднее время чтения с диска (с)",
            "Среднее время записи на диск (с)",
        ],
    );
    check(russian.as_bytes());
}

#[test]
fn perfmon_with_queues_or_disk_time_alone_is_read_as_that() {
    let text = "\"(PDH-CSV 4.0)\",\"\\\\H\\LogicalDisk(C:)\\Avg. Disk Read Queue Length\",\"\\\\H\\LogicalDisk(C:)\\Avg. Disk Write Queue Length\",\"\\\\H\\LogicalDisk(C:)\\Current Disk Queue Length\",\"\\\\H\\LogicalDisk(C:)\\% Disk Time\"
\"09/19/2017 09:51:39.073\",\" \",\" \",\"7\",\" \"
\"09/19/2017 09:51:54.050\",\"0.25\",\"0.5\",\"0\",\"230.5\"
\"09/19/2017 09:52:09.050\",\"-1\",\"0.5\",\"0\",\"12.5\"
";
    let series = read_series(text.as_bytes()).unwrap();
    assert_eq!(counted(&series, "C:", 0), []);
    assert_eq!(counted(&series, "C:", 1), [("queue", 0.75), ("busy_share", 1.0)]);
    assert_eq!(counted(&series, "C:", 2), [("queue", 0.5), ("busy_share", 0.125)]);
    let notes = series.notes.join("\n");
    assert!(notes.contains("1 value is not a rate") && notes.contains("% Disk Time"), "{notes}");
}

#[test]
fn snapshots_of_sql_server_are_told_by_file_with_their_roles() {
    let text = "\u{feff}database_name;physical_name;type_desc;sample_ms;num_of_reads;num_of_bytes_read;io_stall_read_ms;num_of_writes;num_of_bytes_written;io_stall_write_ms
-------------;-------------;---------;---------;------------;-----------------;----------------;-------------;--------------------;-----------------
erp;D:\\erp.mdf;ROWS;1000;100;819200;500;10;81920;100
erp;L:\\erp.ldf;LOG;1000;1;512;1;1000;512000;900
tempdb;T:\\templog.ldf;LOG;1000;0;0;0;1;60000;1
erp;D:\\erp.mdf;ROWS;61000;6100;49971200;30500;10;81920;100
erp;L:\\erp.ldf;LOG;61000;1;512;1;13000;6656000;18900
tempdb;T:\\templog.ldf;LOG;61000;0;0;0;601;36060000;301
";
    let Counters::Snapshots(snapshots) = read_counters(text.as_bytes()).unwrap() else {
        panic!("it has snapshots")
    };
    assert_eq!(snapshots.snapshots.len(), 2);
    let series = snapshots.series().unwrap();
    let roles: Vec<_> = series.disks.iter().map(|disk| (disk.name.as_str(), disk.role)).collect();
    let expected = [
        ("D:\\erp.mdf", Some(Role::Data)),
        ("L:\\erp.ldf", Some(Role::Log)),
        ("T:\\templog.ldf", Some(Role::Tempdb)),
    ];
    assert_eq!(roles, expected);
    assert_eq!(series.disks[0].at(Counter::ReadIops, 0), Some(100.0));
    assert_eq!(series.disks[0].at(Counter::ReadLatency, 0), Some(0.005));
    assert_eq!(series.disks[0].at(Counter::WriteLatency, 0), None);
    assert_eq!(series.disks[1].at(Counter::WriteIops, 0), Some(200.0));
    assert_eq!(series.disks[1].at(Counter::WriteLatency, 0), Some(0.0015));
}

#[test]
fn snapshots_of_postgresql_are_read_before_and_since_version_18() {
    let of_16 = |time: &str, reads: u32, ms: f64| {
        format!(
            "{time},client backend,relation,normal,{reads},{ms},5,1.5,,,8192,9,2026-11-01 00:00:00+00\n{time},client backend,relation,bulkread,7,,,,,,8192,,\n"
        )
    };
    let header = "captured_at,backend_type,object,context,reads,read_time,writes,write_time,extends,extend_time,op_bytes,hits,stats_reset\n";
    let text = format!(
        "{header}{}{}",
        of_16("2026-11-21 10:00:00.5+00", 1_000, 100.0),
        of_16("2026-11-21 10:01:40.5+00", 3_000, 2_100.0)
    );
    let Counters::Snapshots(snapshots) = read_counters(text.as_bytes()).unwrap() else {
        panic!("it has snapshots")
    };
    let series = snapshots.series().unwrap();
    assert_eq!((series.interval_s, series.disks.len()), (Some(100.0), 2));
    assert_eq!(
        (series.disks[0].name.as_str(), series.disks[1].role),
        ("client backend, relation, normal", Some(Role::Scan))
    );
    assert_eq!(series.disks[0].at(Counter::ReadIops, 0), Some(20.0));
    assert_eq!(series.disks[0].at(Counter::ReadBytes, 0), Some(163_840.0));
    assert_eq!(series.disks[0].at(Counter::ReadLatency, 0), Some(0.001));
    // Without track_io_timing.
    let untimed =
        "captured_at,backend_type,object,context,reads,read_bytes,read_time,writes,write_bytes,write_time
2026-11-21T10:00:00,walwriter,wal,normal,0,0,0,100,819200,0
2026-11-21T10:00:10,walwriter,wal,normal,0,0,0,200,1638400,0
";
    let Counters::Snapshots(snapshots) = read_counters(untimed.as_bytes()).unwrap() else {
        panic!("it has snapshots")
    };
    let series = snapshots.series().unwrap();
    assert_eq!(
        (series.disks[0].role, series.disks[0].at(Counter::WriteIops, 0)),
        (Some(Role::Log), Some(10.0))
    );
    assert!(!series.disks[0].has(Counter::WriteLatency));
    assert!(series.notes.iter().any(|note| note.contains("track_io_timing was off")), "{:?}", series.notes);
}

#[test]
fn a_recording_is_read_to_its_last_whole_line() {
    let text = "{\"format\":\"iotrial.watch/1\",\"version\":\"0.1.0\",\"host\":\"db01\",\"interval_s\":1.0,\"stripes\":[[\"sda\",\"sdb\"]]}
{\"at_s\":1795000001.0,\"duration_s\":1.0,\"disks\":[{\"name\":\"sda\",\"role\":\"log\",\"read_iops\":5.0,\"write_iops\":0.0,\"read_bytes_per_s\":40960.0,\"write_bytes_per_s\":0.0,\"read_latency_s\":0.002,\"queue\":0.01,\"busy_share\":0.01}]}
{\"at_s\":1795000002.0,\"duration_s\":1.0,\"disks\":[{\"name\":\"sda\"},{\"name\":\"sdb\",\"read_iops\":1.0}]}
";
    let series = read_series(text.as_bytes()).unwrap();
    assert_eq!(
        (series.host.as_deref(), series.interval_count, series.durations_s.len()),
        (Some("db01"), 2, 2)
    );
    assert_eq!(series.disks[0].role, Some(Role::Log));
    assert_eq!(
        (series.disks[0].at(Counter::ReadLatency, 0), series.disks[0].at(Counter::ReadIops, 1)),
        (Some(0.002), None)
    );
    assert_eq!(series.stripes, [["sda", "sdb"]]);
    let cut = read_series(&text.as_bytes()[..text.len() - 20]).unwrap();
    assert_eq!(cut.interval_count, 1);
    assert!(cut.notes[0].contains("the last line is incomplete"), "{:?}", cut.notes);
    let newer = text.replace("watch/1", "watch/9");
    assert!(read_counters(newer.as_bytes()).unwrap_err().to_string().contains("`iotrial.watch/9`"));
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

#[test]
fn two_scrapes_of_node_exporter_are_two_snapshots() {
    let scrape = |now_s: u64, reads: u64, writes: u64| {
        format!(
            "# TYPE node_disk_reads_completed_total counter\n\
             node_disk_reads_completed_total{{device=\"sda\"}} {reads}\n\
             node_disk_read_bytes_total{{device=\"sda\"}} {}\n\
             node_disk_read_time_seconds_total{{device=\"sda\"}} {}\n\
             node_disk_writes_completed_total{{device=\"sda\"}} {writes}\n\
             node_disk_written_bytes_total{{device=\"sda\"}} {}\n\
             node_disk_write_time_seconds_total{{device=\"sda\"}} {}\n\
             node_boot_time_seconds 1000000\n\
             node_time_seconds {now_s}\n",
            8_192 * reads,
            reads / 500,
            16_384 * writes,
            writes / 200,
        )
    };
    let (first, later) = (scrape(1_001_000, 100_000, 20_000), scrape(1_001_100, 200_000, 40_000));
    let counters = read_counters((first.clone() + &later).as_bytes()).unwrap();
    let series = counters.series().unwrap();
    let disk = &series.disks[0];
    let at = |counter| disk.at(counter, 0).unwrap();
    assert_eq!((at(Counter::ReadIops), at(Counter::WriteIops)), (1_000.0, 200.0));
    assert_eq!((at(Counter::ReadBytes), at(Counter::WriteBytes)), (8_192_000.0, 3_276_800.0));
    assert_eq!((at(Counter::ReadLatency), at(Counter::WriteLatency)), (0.002, 0.005));
    let Counters::Snapshots(one) = read_counters(first.as_bytes()).unwrap() else { panic!() };
    assert_eq!(one.snapshots[0].when.running_s, Some(1_000.0));
}

#[test]
fn disks_of_several_hosts_in_one_text_are_no_scrapes_of_one_disk() {
    let of = |counter: &str, values: [u64; 2]| {
        let hosts = ["db1", "db2"].into_iter().zip(values);
        let line = |(host, value)| format!("{counter}{{device=\"sda\",instance=\"{host}\"}} {value}\n");
        hosts.map(line).collect::<String>()
    };
    let scrape = |reads: [u64; 2]| of("node_disk_reads_completed_total", reads);
    let Counters::Snapshots(both) =
        read_counters((scrape([5_000, 10]) + &scrape([6_000, 20])).as_bytes()).unwrap()
    else {
        panic!()
    };
    let counts: Vec<Vec<f64>> =
        both.snapshots.iter().map(|one| one.parts.iter().map(|disk| disk.read_count).collect()).collect();
    assert_eq!(counts, [[5_000.0, 10.0], [6_000.0, 20.0]]);
    assert_eq!(both.snapshots[0].parts[1].name, "db2 sda");
}
