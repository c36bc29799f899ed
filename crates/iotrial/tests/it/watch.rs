//! `iotrial watch` with files of counters: what a DBA gives it, and what it answers.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::support::{Bench, Ran};
use serde_json::{Value, json};

/// A drive of data that does its work, and one of logs that does not: 40 intervals of 15 s, as a German Windows writes them.
fn perfmon() -> String {
    let names = [
        "Lesevorgänge/s",
        "Schreibvorgänge/s",
        "Bytes gelesen/s",
        "Bytes geschrieben/s",
        "Mittlere Sek./Lesevorgänge",
        "Mittlere Sek./Schreibvorgänge",
        "Durchschnittl. Warteschlangenlänge des Datenträgers",
        "Leerlaufzeit (%)",
    ];
    let columns = |disk: &str| {
        names.map(|name| format!(",\"\\\\DB01\\Physikalischer Datenträger({disk})\\{name}\"")).concat()
    };
    let mut text = format!(
        "\"(PDH-CSV 4.0) (Mitteleuropäische Zeit)(-60)\"{}{}{}\r\n",
        columns("1 D:"),
        columns("2 L:"),
        columns("_Total")
    );
    for at in 0..40_u32 {
        let data = [400 + at, 100, (400 + at) * 8192, 819_200];
        let log = [0, 300, 0, 300 * 4096];
        let row = |rates: [u32; 4], read_s: &str, write_s: &str| {
            let rates = rates.map(|rate| format!(",\"{rate}\"")).concat();
            format!("{rates},\"{read_s}\",\"{write_s}\",\"3,5\",\"60\"")
        };
        text += &format!(
            "\"11/21/2026 10:{:02}:{:02}.500\"{}{}{}\r\n",
            at / 4,
            15 * (at % 4),
            row(data, "0,004", "0,006"),
            row(log, "0", "0,012"),
            row(data, "0,004", "0,006")
        );
    }
    text
}

const BEFORE: &str = "\
database_name,name,type_desc,sample_ms,num_of_reads,num_of_bytes_read,io_stall_read_ms,num_of_writes,num_of_bytes_written,io_stall_write_ms
erp,erp_data,ROWS,600000,1000,8192000,5000,500,4096000,1000
erp,erp_log,LOG,600000,1,512,1,10000,40960000,9000
crm,crm_data,ROWS,600000,90000,737280000,90000,1,8192,1
";
const AFTER: &str = "\
database_name,name,type_desc,sample_ms,num_of_reads,num_of_bytes_read,io_stall_read_ms,num_of_writes,num_of_bytes_written,io_stall_write_ms
erp,erp_data,ROWS,1200000,241000,1974272000,1205000,60500,495616000,121000
erp,erp_log,LOG,1200000,1,512,1,310000,1269760000,2409000
crm,crm_data,ROWS,1200000,10,81920,10,1,8192,1
";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

fn disk<'v>(answer: &'v Value, name: &str) -> &'v Value {
    let disks = answer["disks"].as_array().unwrap();
    disks.iter().find(|disk| disk["name"] == name).unwrap_or_else(|| panic!("no {name}: {answer:#}"))
}

#[track_caller]
fn assert_near(value: &Value, wanted: f64) {
    let value = number(value);
    assert!((value - wanted).abs() <= 1e-9 * wanted.abs().max(1.0), "{value} and not {wanted}");
}

#[test]
fn a_log_of_perfmon_is_judged_by_the_role_of_each_drive() {
    let bench = Bench::new();
    // As relog writes it where it is told to, and in the code page of the system.
    let wide: Vec<u8> = format!("\u{feff}{}", perfmon()).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let narrow: Vec<u8> = perfmon().chars().map(|letter| u8::try_from(letter).unwrap()).collect();
    fs::write(bench.path().join("utf8.csv"), perfmon()).unwrap();
    fs::write(bench.path().join("utf16.csv"), wide).unwrap();
    fs::write(bench.path().join("1252.csv"), narrow).unwrap();
    let mut answers = Vec::new();
    for file in ["utf8.csv", "utf16.csv", "1252.csv"] {
        let ran =
            bench.run(&["watch", file, "--role", "data=D:", "--role", "log=L:", "--json"]).expect_code(1);
        answers.push(ran.json());
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    let answer = &answers[0];
    assert_eq!((answer["host"].as_str(), answer["tool"].as_str()), (Some("DB01"), Some("PerfMon")));
    assert_near(&disk(answer, "1 D:")["read"]["iops"]["mean"], 419.5);
    assert_near(&disk(answer, "1 D:")["read"]["iops"]["max"], 439.0);
    assert_near(&disk(answer, "1 D:")["busy_percent"]["mean"], 40.0);
    assert_near(&disk(answer, "2 L:")["write"]["latency_us"]["p95"], 12_000.0);
    assert!(disk(answer, "2 L:")["read"].get("latency_us").is_none(), "zero is not a latency");
    let of = |role: &str| answer["roles"].as_array().unwrap().iter().find(|one| one["role"] == role).unwrap();
    assert_eq!(
        (&of("data")["is_within"], &of("log")["is_within"]),
        (&Value::from(true), &Value::from(false))
    );
    assert_near(&of("log")["judged"][0]["limit_us"], 5_000.0);
    let shown =
        bench.run(&["watch", "utf8.csv", "--role", "data=D:", "--role", "log=L:"]).expect_code(1).stdout;
    for words in [
        "✗ Not good enough for log",
        "writes to 2 L: take 12.0 ms on average and up to 12.0 ms in 95 % of the",
        "40 intervals of 15 s",
        "left out, because it is counted elsewhere or was not requested: _Total",
        "next: iotrial watch utf8.csv --role data=D: --role log=L: --demand demand.toml",
    ] {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
    // Without a word about roles both are data, and good enough for that.
    let assumed = bench.run(&["watch", "utf8.csv"]).expect_code(0).stdout;
    assert!(assumed.contains("judged as data files, because no role was given for them"), "{assumed}");
    let page =
        bench.run(&["watch", "utf8.csv", "--html", "a.html", "--xlsx", "a.xlsx", "--csv", "a.out.csv"]);
    page.expect_code(0);
    let page = fs::read_to_string(bench.path().join("a.html")).unwrap();
    assert!(page.contains("Latency of the busiest disks") && page.contains("sqlserver-whitepaper"));
}

#[test]
fn a_demand_of_counters_has_the_roles_and_is_sized() {
    let bench = Bench::new();
    fs::write(bench.path().join("pm.csv"), perfmon()).unwrap();
    let roles = ["--role", "data=D:", "--role", "log=L:"];
    let ran =
        bench.run(&[&["watch", "pm.csv", "--demand", "d.toml"], roles.as_slice()].concat()).expect_code(1);
    assert!(ran.stdout.contains("next: iotrial size --demand d.toml"), "{}", ran.stdout);
    let demand = fs::read_to_string(bench.path().join("d.toml")).unwrap();
    assert!(demand.contains("latency of 2 L: is beyond the limits of sqlserver-whitepaper"), "{demand}");
    let sized =
        bench.run(&["size", "--demand", "d.toml", "--provider", "oci", "--json"]).expect_code(0).json();
    let streams = sized["demand"]["streams"].as_array().unwrap();
    let told: Vec<_> =
        streams.iter().map(|one| (one["role"].as_str().unwrap(), number(&one["iops"]))).collect();
    assert_eq!(told, [("data", 437.0), ("data", 100.0), ("log", 300.0)]);
    // A file is replaced only where that is said.
    bench.run(&["watch", "pm.csv", "--demand", "d.toml"]).expect_code(2);
    // `size` says the same of a source that is too slow.
    let slow = perfmon().replace("\"0,004\"", "\"0,035\"");
    fs::write(bench.path().join("slow.csv"), slow).unwrap();
    let sized =
        bench.run(&["size", "--demand", "slow.csv", "--provider", "oci", "--json"]).expect_code(0).json();
    let notes = sized["demand"]["notes"].to_string();
    assert!(notes.contains("on faster storage the demand would have been higher"), "{notes}");
}

#[test]
fn two_snapshots_of_sql_server_are_differenced_and_a_restart_is_told() {
    let bench = Bench::new();
    fs::write(bench.path().join("before.csv"), BEFORE).unwrap();
    fs::write(bench.path().join("after.csv"), AFTER).unwrap();
    let answer = bench.run(&["watch", "before.csv", "after.csv", "--json"]).expect_code(1).json();
    let data = disk(&answer, "erp erp_data");
    assert_eq!(data["role"], "data");
    assert_near(&data["read"]["iops"]["mean"], 400.0);
    assert_near(&data["read"]["latency_us"]["mean"], 5_000.0);
    assert_near(&data["write"]["latency_us"]["mean"], 2_000.0);
    let log = disk(&answer, "erp erp_log");
    assert_eq!(log["role"], "log");
    assert_near(&log["write"]["iops"]["mean"], 500.0);
    assert_near(&log["write"]["latency_us"]["mean"], 8_000.0);
    assert!(disk(&answer, "crm crm_data").get("queue").is_none(), "what went back is unknown: {answer:#}");
    assert!(
        answer["notes"].to_string().contains("counters of crm crm_data went backwards (once)"),
        "{answer:#}"
    );
    // One alone has the means since the start, which are no demand.
    let alone = bench.run(&["watch", "before.csv", "--json"]).json();
    assert_near(&disk(&alone, "erp erp_log")["write"]["latency_us"]["mean"], 900.0);
    assert_eq!(alone["interval_count"], 1, "{alone:#}");
    let alone = bench.run(&["watch", "before.csv", "--demand", "d.toml"]).expect_code(2).stderr;
    assert!(
        alone.contains("there is only one snapshot of sys.dm_io_virtual_file_stats")
            && alone.contains("sample_ms"),
        "{alone}"
    );
    let next = bench.run(&["watch", "before.csv"]);
    assert_eq!(next.next(), ["watch", "before.csv", "--html", "watch.html"]);
    bench.run(&next.next()).expect_code(next.code);
    // Both in one file make a demand, too.
    fs::write(bench.path().join("both.csv"), format!("{BEFORE}{}", AFTER.split_once('\n').unwrap().1))
        .unwrap();
    let both = bench.run(&["watch", "both.csv", "--json"]).expect_code(1).json();
    assert_eq!(both["disks"], answer["disks"]);
    bench.run(&["size", "--demand", "both.csv", "--provider", "oci"]).expect_code(0);
    // A recording beside a snapshot is a slip.
    fs::write(bench.path().join("pm.csv"), perfmon()).unwrap();
    let mixed = bench.run(&["watch", "before.csv", "pm.csv"]).expect_code(2).stderr;
    assert!(mixed.contains("snapshots and rates cannot be combined"), "{mixed}");
}

#[test]
fn the_next_command_keeps_the_files_their_roles_and_the_directory() {
    let bench = Bench::new();
    fs::write(bench.path().join("pm.csv"), perfmon()).unwrap();
    fs::write(bench.path().join("before.csv"), BEFORE).unwrap();
    fs::write(bench.path().join("after.csv"), AFTER).unwrap();
    let check = |arguments: &[&str]| {
        let ran = bench.run(&[&["watch"], arguments].concat()).expect_code(1);
        assert_eq!(ran.next(), [&["watch"], arguments, &["--demand", "demand.toml"]].concat());
        bench.run(&[&ran.next()[..], &["--overwrite"]].concat()).expect_code(1);
    };
    check(&["pm.csv", "--role", "log=L:", "--disk", "L:"]);
    check(&["before.csv", "after.csv"]);
    let live = bench.run(&["watch", "data", "--interval", "100ms", "--duration", "300ms"]);
    if live.code == 0 {
        let wanted = ["watch", "data", "--interval", "100ms", "--duration", "10m", "--record", "watch.jsonl"];
        assert_eq!(live.next(), wanted);
    }
}

#[test]
fn a_log_that_rolled_over_says_the_same_as_one_file_and_its_gaps_are_told() {
    let bench = Bench::new();
    let text = perfmon();
    let (header, rows) = text.split_once("\r\n").unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let write = |name: &str, rows: &[&str]| {
        fs::write(bench.path().join(name), format!("{header}\r\n{}\r\n", rows.join("\r\n"))).unwrap();
    };
    write("all.csv", &rows);
    write("1.csv", &rows[..13]);
    write("2.csv", &rows[13..]);
    write("late.csv", &rows[17..]);
    let whole = bench.run(&["watch", "all.csv", "--role", "log=L:", "--json"]).json();
    // In whatever order a shell lists them.
    let two = bench.run(&["watch", "2.csv", "1.csv", "--role", "log=L:", "--json"]).json();
    assert_eq!(two["disks"], whole["disks"]);
    assert_eq!((&two["interval_count"], &two["span"]), (&whole["interval_count"], &whole["span"]));
    assert!(two["notes"].to_string().contains("2 files that follow one another are read as one"), "{two:#}");
    let cut = bench.run(&["watch", "1.csv", "late.csv", "--role", "log=L:"]).stdout;
    assert!(cut.contains("1 gap of 60 s in all, for which there are no counters"), "{cut}");
    let refused = |arguments: &[&str], words: &[&str]| {
        let refused = bench.run(&[&["watch"], arguments].concat()).expect_code(2).stderr;
        words.iter().for_each(|words| assert!(refused.contains(words), "{words}:\n{refused}"));
    };
    refused(&["all.csv", "2.csv"], &["`2.csv` begins before `all.csv` ends", "from one machine"]);
    fs::write(bench.path().join("other.csv"), text.replace("DB01", "DB02").replace("11/21", "11/22"))
        .unwrap();
    refused(&["all.csv", "other.csv"], &["`all.csv` is from `DB01` and `other.csv` from `DB02`"]);
}

#[test]
fn files_of_sysstat_follow_one_another_where_they_are_dated() {
    let bench = Bench::new();
    let iostat = |date: &str, hour: u32, stamped: bool| {
        let mut text = format!("Linux 6.1.0 (db01) \t{date} \t_x86_64_\t(4 CPU)\n\n");
        for at in 0..6_u32 {
            if stamped {
                text += &format!("{date}T{hour:02}:00:{:02}+0000\n", 10 * at);
            }
            text += "Device r/s w/s rkB/s wkB/s r_await w_await aqu-sz %util\n";
            text += &format!("sda {} 10.00 800.00 80.00 1.00 2.00 0.12 5.00\n\n", 100 + at);
        }
        text
    };
    fs::write(bench.path().join("a.txt"), iostat("2026-11-21", 10, true)).unwrap();
    fs::write(bench.path().join("b.txt"), iostat("2026-11-22", 10, true)).unwrap();
    fs::write(bench.path().join("c.txt"), iostat("11/22/2026", 10, false)).unwrap();
    let both = bench.run(&["watch", "a.txt", "b.txt", "--json"]).json();
    // Without the first report of each, which is the mean since the start of the machine.
    assert_eq!((both["interval_count"].as_u64(), both["span"]["gap_count"].as_u64()), (Some(10), Some(1)));
    assert_near(&both["span"]["gap_s"], 86_400.0 - 50.0 + 10.0 - 10.0);
    let undated = bench.run(&["watch", "a.txt", "c.txt"]).expect_code(2).stderr;
    assert!(
        undated.contains("`c.txt` does not state on which day") && undated.contains("S_TIME_FORMAT=ISO"),
        "{undated}"
    );
    let sar = |date: &str| {
        let line = |at: u32| format!("10:{at:02}:00  50.00 20.00 30.00 800.00 900.00\n");
        let rows: String =
            (1..7).map(|at| line(10 * at % 60)).filter(|line| !line.starts_with("10:00")).collect();
        format!(
            "Linux 6.1.0 (db01) \t{date} \t_x86_64_\t(4 CPU)\n\n10:00:00  tps rtps wtps bread/s bwrtn/s\n{rows}"
        )
    };
    fs::write(bench.path().join("sa21"), sar("2026-11-21")).unwrap();
    fs::write(bench.path().join("sa22"), sar("2026-11-22")).unwrap();
    let both = bench.run(&["watch", "sa21", "sa22", "--json"]).json();
    assert_eq!((both["interval_count"].as_u64(), both["span"]["gap_count"].as_u64()), (Some(10), Some(1)));
}

#[test]
fn an_archive_of_counters_is_the_files_in_it() {
    let bench = Bench::new();
    let iostat = |day: u32| {
        let mut text = format!("Linux 6.1.0 (db01) \t2026-11-{day} \t_x86_64_\t(4 CPU)\n\n");
        for at in 0..6_u32 {
            text += &format!("2026-11-{day}T10:00:{:02}+0000\n", 10 * at);
            text += "Device r/s w/s rkB/s wkB/s r_await w_await aqu-sz %util\n";
            text += &format!("sda {} 10.00 800.00 80.00 1.00 2.00 0.12 5.00\n\n", 100 + at);
        }
        text
    };
    let files = [("a.txt", iostat(21)), ("b.txt", iostat(22))];
    files.iter().for_each(|(name, text)| fs::write(bench.path().join(name), text).unwrap());
    let plain = bench.run(&["watch", "a.txt", "b.txt", "--json"]).expect_code(0).json();
    let zip_of = |name: &str, files: &[(&str, String)]| {
        let mut archive = zip::ZipWriter::new(fs::File::create(bench.path().join(name)).unwrap());
        for (name, text) in files {
            archive.start_file(format!("host/{name}"), zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap();
    };
    let read_me = ("README.md", "what these files are of".to_owned());
    zip_of("logs.zip", &[&files[..], std::slice::from_ref(&read_me)].concat());
    let ran = bench.run(&["watch", "logs.zip", "--json"]).expect_code(0);
    assert!(ran.stderr.contains("README.md"), "{}", ran.stderr);
    let packed = ran.json();
    assert_eq!(
        (&packed["interval_count"], &packed["span"], &packed["roles"]),
        (&plain["interval_count"], &plain["span"], &plain["roles"])
    );
    zip_of("other.zip", &[read_me]);
    bench.run(&["watch", "other.zip"]).expect_code(2);
    zip_of("hostile.zip", &[("../../a.txt", iostat(21))]);
    bench.run(&["watch", "hostile.zip"]).expect_code(2);
}

#[test]
fn what_cannot_be_read_or_does_not_go_together_is_refused_with_what_to_do() {
    let bench = Bench::new();
    let check = |text: &str, arguments: &[&str], words: &[&str]| {
        fs::write(bench.path().join("in.csv"), text).unwrap();
        let refused = bench.run(&[&["watch", "in.csv"], arguments].concat()).expect_code(2).stderr;
        words.iter().for_each(|words| assert!(refused.contains(words), "{words}:\n{refused}"));
    };
    check("a,b,c\n1,2,3\n", &[], &["cannot read `in.csv`", "takes counters: PerfMon CSV"]);
    let process =
        "\"(PDH-CSV 4.0)\",\"\\\\H\\Process(a)\\Private Bytes\"\n\"01/15/2026 10:00:00.630\",\"1\"\n";
    check(process, &[], &["without PhysicalDisk or LogicalDisk counters", "logman create counter"]);
    check(&perfmon(), &["--role", "log=X:"], &["the counters have no disk `X:`", "1 D:, 2 L:, _Total"]);
    check(&perfmon(), &["--role", "lag=L:"], &["`lag` is not a role", "data, tempdb, log"]);
    check(&perfmon(), &["--stripe", "L:"], &["a stripe is two disks or more"]);
    check(&perfmon(), &["--record", "x.jsonl"], &["--record is for disks that are watched live"]);
    check(&perfmon(), &["--thresholds", "flush"], &["there is no built-in threshold set `flush`"]);
    let queue = "\"(PDH-CSV 4.0)\",\"\\\\H\\PhysicalDisk(0 C:)\\Current Disk Queue Length\"\n\"01/15/2026 10:00:00.630\",\"1\"\n";
    check(
        queue,
        &["--demand", "d.toml"],
        &["does not have reads and writes separately, each with its bytes", "logman create counter"],
    );
    assert!(!bench.path().join("d.toml").exists());
}

/// What `iostat -x` prints without an interval: the mean since the machine was started.
const SINCE_START: &str = "\
Linux 6.1.0 (db1) \t2026-11-19 \t_x86_64_\t(8 CPU)

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util
sda            128.00   1024.00     0.00   0.00    2.50     8.00   64.00    512.00     0.00   0.00    3.00     8.00    0.51  15.00
";

#[test]
fn a_mean_without_busy_times_is_good_on_average_and_qualifies_nothing() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("one.txt"), SINCE_START).unwrap();
    let shown = bench.run(&["watch", "one.txt", "--details"]).expect_code(4).stdout;
    assert!(shown.contains("? Good enough on average") && !shown.contains('✓'), "{shown}");
    assert!(shown.contains("which rates the mean against sqlserver-whitepaper"), "{shown}");
    assert!(shown.contains("use `--role log=sda`"), "{shown}");
    // A few bytes are not none.
    let few = SINCE_START.replace("1024.00", "   8.00").replace("512.00", "  4.00");
    std::fs::write(bench.path().join("few.txt"), few).unwrap();
    let shown_few = bench.run(&["watch", "few.txt"]).expect_code(4).stdout;
    assert!(shown_few.contains("0.008") && shown_few.contains("0.004"), "{shown_few}");
    // What is too slow even on average is not good enough.
    let slow = SINCE_START.replace(" 2.50 ", "42.50 ");
    std::fs::write(bench.path().join("slow.txt"), slow).unwrap();
    let shown = bench.run(&["watch", "slow.txt"]).expect_code(1).stdout;
    assert!(shown.contains("✗ Not good enough for data"), "{shown}");
}

#[test]
fn a_few_intervals_have_no_p95_and_the_slowest_one_decides() {
    let bench = Bench::new();
    let (head, block) = SINCE_START.split_once("\n\n").unwrap();
    let watched = |last: &str, code: i32| {
        let blocks = [block, block, block, last].join("\n");
        fs::write(bench.path().join("few.txt"), format!("{head}\n\n{blocks}")).unwrap();
        let shown = bench.run(&["watch", "few.txt"]).expect_code(code).stdout;
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let good = watched(block, 0);
    assert!(good.contains("on average and in every interval with at least 1 I/O per second."), "{good}");
    assert!(!good.contains("95 %") && !good.contains("p95 "), "{good}");
    // The mean is 15.8 ms, within the limit of 20 ms.
    let slow = watched(&block.replace(" 2.50 ", "42.50 "), 1);
    assert!(slow.contains("up to 42.5 ms in the slowest interval; the limit is 20.0 ms"), "{slow}");
}

#[test]
fn an_idle_or_untimed_source_is_not_judged_and_that_is_no_yes() {
    let bench = Bench::new();
    fs::write(bench.path().join("idle.csv"), "\"(PDH-CSV 4.0)\",\"\\\\H\\PhysicalDisk(0 C:)\\Disk Transfers/sec\"\n\"01/15/2026 10:00:00.630\",\"0\"\n\"01/15/2026 10:00:15.630\",\" \"\n").unwrap();
    let shown = bench.run(&["watch", "idle.csv"]).expect_code(4).stdout;
    assert!(shown.contains("Nothing to judge"), "{shown}");
    // Less than an hour is told with its seconds, and latencies are not spoken of where there are none.
    assert!(shown.contains("2026-01-15 09:59:46 to 2026-01-15 10:00:16"), "{shown}");
    assert!(shown.contains("Fewer than 20 intervals have no p95; max is the highest interval."), "{shown}");
    fs::write(
        bench.path().join("plain.txt"),
        "Linux 6.1 (h) 11/30/2026\n\nDevice tps kB_read/s kB_wrtn/s\nsda 500 4000 100\n",
    )
    .unwrap();
    let shown = bench.run(&["watch", "plain.txt"]).expect_code(4).stdout;
    assert!(shown.contains("Not judged") && shown.contains("reads and writes"), "{shown}");
}

/// The file of the shared data, or `None` with a message.
fn shared(path: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from);
    let path = folder.join("data").join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: there is no `{}`; IOTRIAL_SHARED names the folder of the data", path.display());
    None
}

fn watched(bench: &Bench, path: &Path) -> Ran {
    bench.run(&["watch", path.to_str().unwrap(), "--json"])
}

#[test]
fn every_shared_file_is_read_or_says_that_it_has_no_disks() {
    let Some(folder) = shared("perfmon") else { return };
    let bench = Bench::new();
    let of_folder =
        |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let mut files = of_folder(&folder);
    files.extend(of_folder(&folder.with_file_name("iostat")));
    let (mut read, mut without_disks) = (0, 0);
    for file in files.iter().filter(|file| !file.ends_with("SOURCES.tsv")) {
        let ran = watched(&bench, file);
        match ran.code {
            0 | 1 | 4 => {
                read += 1;
                assert!(!ran.json()["disks"].as_array().unwrap().is_empty(), "{}", file.display());
            }
            2 => {
                without_disks += 1;
                let says = ran.stderr.contains("without PhysicalDisk or LogicalDisk counters")
                    || ran.stderr.contains("without anything of disks");
                assert!(says && ran.stderr.contains("hint: "), "{}: {}", file.display(), ran.stderr);
            }
            code => panic!("{}: {code}: {}", file.display(), ran.stderr),
        }
    }
    eprintln!("{read} files read, {without_disks} without disks");
    assert!(read >= 10);
}

/// Values that are read off the file by other means than ours: by the names of its columns, and split at spaces.
#[test]
fn figures_of_iostat_are_those_of_the_file() {
    for name in ["kellyjonbrazil__ubuntu-18.04_iostat-x.out", "sysstat__expected.iostat-x-ALL"] {
        let Some(path) = shared(&format!("iostat/{name}")) else { return };
        let bench = Bench::new();
        let text = fs::read_to_string(&path).unwrap();
        // The last report; both files have one that counts.
        let report = text.rfind("Device ").map(|at| &text[at..]).unwrap();
        let mut lines = report.lines();
        let header: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
        let mut seen = 0;
        let answer = watched(&bench, &path).json();
        for line in lines.take_while(|line| !line.trim().is_empty()) {
            let cells: Vec<&str> = line.split_whitespace().collect();
            let cell = |name: &str| -> f64 {
                cells[header.iter().position(|one| *one == name).unwrap()].parse().unwrap()
            };
            let Some(found) = answer["disks"].as_array().unwrap().iter().find(|one| one["name"] == cells[0])
            else {
                continue;
            };
            seen += 1;
            assert_near(&found["read"]["iops"]["mean"], cell("r/s"));
            assert_near(&found["write"]["iops"]["mean"], cell("w/s"));
            assert_near(&found["read"]["bytes_per_s"]["mean"], 1024.0 * cell("rkB/s"));
            assert_near(&found["write"]["bytes_per_s"]["mean"], 1024.0 * cell("wkB/s"));
            assert_near(&found["queue"]["mean"], cell("aqu-sz"));
            assert_near(&found["busy_percent"]["mean"], cell("%util"));
            for (direction, rate, wait) in [("read", "r/s", "r_await"), ("write", "w/s", "w_await")] {
                if cell(rate) >= 1.0 {
                    assert_near(&found[direction]["latency_us"]["mean"], 1000.0 * cell(wait));
                }
            }
        }
        assert!(seen >= 1, "{name}");
    }
}

#[test]
fn figures_of_perfmon_are_those_of_the_file() {
    let Some(path) = shared("perfmon/rajitharul__perfmon.csv") else { return };
    let bench = Bench::new();
    let answer = watched(&bench, &path).json();
    let text = fs::read_to_string(&path).unwrap();
    // `% Disk Time` is the last column; no cell has a comma.
    let column = text
        .lines()
        .skip(1)
        .filter_map(|line| line.rsplit_once(',')?.1.trim_matches('"').parse::<f64>().ok());
    let column: Vec<f64> = column.map(|percent| percent.min(100.0)).collect();
    let busy = &answer["disks"][0]["busy_percent"];
    assert_eq!(busy["interval_count"].as_u64(), Some(column.len() as u64));
    assert!((number(&busy["mean"]) - column.iter().sum::<f64>() / column.len() as f64).abs() < 1e-9);
    assert_near(&busy["max"], column.iter().copied().fold(0.0, f64::max));
    let Some(path) = shared("perfmon/Narmadha6790__DataCollector01.csv") else { return };
    let answer = watched(&bench, &path).json();
    let text = fs::read_to_string(&path).unwrap();
    let cells =
        |line: &str| line.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect::<Vec<_>>();
    // Of C: the queue of reads is the third column, that of writes the seventh.
    let rows = text.lines().skip(1).map(cells);
    let queue: Vec<f64> =
        rows.filter_map(|row| Some(row[2].parse::<f64>().ok()? + row[6].parse::<f64>().ok()?)).collect();
    let found = &disk(&answer, "C:")["queue"];
    assert!((number(&found["mean"]) - queue.iter().sum::<f64>() / queue.len() as f64).abs() < 1e-9);
    assert_near(&found["max"], queue.iter().copied().fold(0.0, f64::max));
}

#[test]
fn figures_of_sadf_are_those_of_the_file() {
    let Some(path) = shared("iostat/sysstat__expected.sadf-j") else { return };
    let bench = Bench::new();
    let answer = watched(&bench, &path).json();
    let file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let statistics = file["sysstat"]["hosts"][0]["statistics"].as_array().unwrap();
    let of_sda: Vec<&Value> = statistics
        .iter()
        .filter_map(|one| one["disk"].as_array()?.iter().find(|disk| disk["disk-device"] == "sda"))
        .collect();
    let sum = |key: &str| of_sda.iter().map(|one| number(&one[key])).sum::<f64>() / of_sda.len() as f64;
    let found = disk(&answer, "sda");
    assert!((number(&found["both"]["iops"]["mean"]) - sum("tps")).abs() < 1e-9);
    assert!((number(&found["queue"]["mean"]) - sum("aqu-sz")).abs() < 1e-9);
    assert!((number(&found["busy_percent"]["mean"]) - sum("util-percent")).abs() < 1e-9);
    // Each I/O with the latency of its interval.
    let ios = of_sda.iter().map(|one| number(&one["tps"])).sum::<f64>();
    let waited = of_sda.iter().map(|one| number(&one["tps"]) * number(&one["await"])).sum::<f64>();
    assert!((number(&found["both"]["latency_us"]["mean"]) - 1_000.0 * waited / ios).abs() < 1e-6);
}

/// Whether this host shows disks, which a container may not, and other systems do in other ways.
fn has_disks() -> bool {
    let has = fs::read_to_string("/proc/diskstats").is_ok_and(|text| {
        text.lines().any(|line| line.contains("vd") || line.contains("sd") || line.contains("nvme"))
    });
    if !has {
        eprintln!("skipped: this host shows no disk in /proc/diskstats");
    }
    has
}

#[test]
fn a_disk_that_goes_away_or_is_replaced_leaves_the_answer_open() {
    let bench = Bench::new();
    let disk = |name: &str, ms: f64| json!({ "name": name, "read_iops": 500.0, "read_bytes_per_s": 4e6, "read_latency_s": ms / 1e3 });
    let unknown = |name: &str| json!({ "name": name });
    let check = |intervals: &[Vec<Value>], code: i32, is_good: Value, kinds: &[&str], gap_count: u64| {
        let head = json!({ "format": "iotrial.watch/1", "version": "0.1.0", "host": "h", "interval_s": 1.0 });
        let interval = |(at, disks): (usize, &Vec<Value>)| json!({ "at_s": 1_795_000_000.0 + at as f64, "duration_s": 1.0, "disks": disks });
        let lines = [head].into_iter().chain(intervals.iter().enumerate().map(interval));
        fs::write(
            bench.path().join("r.jsonl"),
            lines.map(|line| line.to_string() + "\n").collect::<String>(),
        )
        .unwrap();
        let said = bench.run(&["watch", "r.jsonl", "--details"]).expect_code(code).stdout;
        assert_eq!(said.contains("Good enough"), is_good == true, "{said}");
        kinds.iter().for_each(|kind| assert!(said.contains(&format!("[{kind}]")), "{said}"));
        let answer = bench.run(&["watch", "r.jsonl", "--json"]).expect_code(code).json();
        assert_eq!(answer["is_good"], is_good, "{answer:#}");
        let found: Vec<&str> = answer["observations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["kind"].as_str().unwrap())
            .collect();
        assert_eq!((found.as_slice(), answer["span"]["gap_count"].as_u64()), (kinds, Some(gap_count)));
    };
    let both = vec![disk("sda", 1.0), disk("sdb", 1.0)];
    let one = vec![disk("sda", 1.0)];
    let anew = vec![disk("sda", 1.0), unknown("sdb")];
    let slow = vec![disk("sda", 90.0)];
    let null = Value::Null;
    check(&[both.clone(), both.clone(), both.clone()], 0, true.into(), &[], 0);
    check(&[both.clone(), one.clone(), one.clone()], 4, null.clone(), &["disk-gone"], 1);
    check(&[both.clone(), one.clone(), both.clone(), one.clone()], 4, null.clone(), &["disk-gone"], 2);
    check(&[both.clone(), anew.clone(), both.clone()], 4, null.clone(), &["disk-replaced"], 0);
    check(&[both.clone(), anew, one.clone()], 4, null, &["disk-gone", "disk-replaced"], 1);
    // One that came late was never missed, and what is too slow is so whatever else happened.
    check(&[one, both.clone(), both.clone()], 0, true.into(), &[], 0);
    check(&[both, slow.clone(), slow], 1, false.into(), &["disk-gone"], 1);
    // A file that a loop device holds, as a package of the system does, is nobody's storage.
    let with_loop = vec![disk("sda", 1.0), disk("loop3", 1.0)];
    check(&[with_loop, vec![disk("sda", 1.0)]], 0, true.into(), &[], 0);
    // Unless somebody asked for it.
    let recording = fs::read_to_string(bench.path().join("r.jsonl")).unwrap();
    fs::write(bench.path().join("r.jsonl"), recording.replacen("{", "{\"targets\":[\"/dev/loop3\"],", 1))
        .unwrap();
    bench.run(&["watch", "r.jsonl"]).expect_code(4);
}

#[test]
fn a_recording_of_this_host_says_the_same_when_it_is_read_again() {
    if !has_disks() {
        return;
    }
    let bench = Bench::new();
    let live = ["watch", "--interval", "100ms", "--duration", "400ms", "--record", "r.jsonl", "--json"];
    let ran = bench.run(&live);
    assert!(matches!(ran.code, 0 | 1 | 4), "{}{}", ran.stdout, ran.stderr);
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["format"], "iotrial.watch/1");
    let (summary, intervals) = lines[1..].split_last().unwrap();
    let summary = &summary["summary"];
    assert_eq!(summary["interval_count"].as_u64(), Some(intervals.len() as u64));
    assert!(
        intervals
            .iter()
            .all(|one| number(&one["duration_s"]) > 0.0 && !one["disks"].as_array().unwrap().is_empty())
    );
    let again = bench.run(&["watch", "r.jsonl", "--json"]).json();
    for key in ["interval_count", "host", "tool", "is_good", "roles", "disks", "total"] {
        assert_eq!(again[key], summary[key], "{key}");
    }
    // What was streamed is a recording as well, with its summary at the end.
    fs::write(bench.path().join("stream.jsonl"), &ran.stdout).unwrap();
    assert_eq!(bench.run(&["watch", "stream.jsonl", "--json"]).json()["disks"], again["disks"]);
    bench.run(&live).expect_code(2);
    let cut = fs::read(bench.path().join("r.jsonl")).unwrap();
    fs::write(bench.path().join("cut.jsonl"), &cut[..cut.len() - 30]).unwrap();
    let cut = bench.run(&["watch", "cut.jsonl", "--json"]).json();
    assert_eq!(cut["interval_count"].as_u64(), Some(intervals.len() as u64 - 1));
    assert!(cut["notes"].to_string().contains("the last line is incomplete"), "{cut:#}");
}

#[test]
fn a_stop_ends_with_the_summary_and_the_counters_are_served_meanwhile() {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    if !has_disks() {
        return;
    }
    let bench = Bench::new();
    let mut child =
        bench.interruptible(&["watch", "--interval", "100ms", "--json", "--listen", "0"]).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    let address =
        line.trim().strip_prefix("serving http://").unwrap().strip_suffix("/metrics").unwrap().to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let (head, first) = (out.next().unwrap().unwrap(), out.next().unwrap().unwrap());
    assert!(head.contains("iotrial.watch/1") && first.contains("duration_s"), "{head}\n{first}");
    let get = |path: &str| {
        let mut stream = std::net::TcpStream::connect(&address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let metrics = get("/metrics");
    assert!(metrics.starts_with("HTTP/1.1 200 OK") && metrics.contains("version=0.0.4"), "{metrics}");
    assert!(
        metrics.contains("\niotrial_disk_reads_total{device=")
            && metrics.contains("iotrial_watch_info{version="),
        "{metrics}"
    );
    assert!(get("/else").starts_with("HTTP/1.1 404 "));
    // One that says nothing holds nobody up for good, and garbage ends nothing.
    drop(std::net::TcpStream::connect(&address).unwrap());
    assert!(get("/metrics").starts_with("HTTP/1.1 200 OK"));
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let last = out.map(Result::unwrap).last().unwrap();
    assert!(last.starts_with("{\"summary\":{\"tool\":\"iotrial watch\""), "{last}");
    assert!(matches!(child.wait().unwrap().code(), Some(0 | 1 | 4)));
}

#[test]
fn what_cannot_be_watched_is_refused_and_says_why() {
    let bench = Bench::new();
    let check = |arguments: &[&str], words: &str| {
        let refused = bench.run(&[&["watch"], arguments].concat()).expect_code(2).stderr;
        assert!(refused.contains(words), "{words}:\n{refused}");
    };
    check(&["/no/such/folder"], "cannot watch `/no/such/folder`");
    check(&["--interval", "1ms"], "an interval is from 100ms to 1h");
    check(&["--listen", "here"], "expected an address such as 127.0.0.1:9464");
    if has_disks() {
        check(&["/proc"], "`/proc` is not on a block device that this host shows");
        check(&["--role", "log=/nowhere"], "`/nowhere` is not among the disks that are watched");
        let data = bench.data();
        let data = data.to_str().unwrap();
        if bench.run(&["watch", data, "--interval", "100ms", "--duration", "100ms", "--json"]).code != 2 {
            check(&[data, ".", "--role", "log=."], "lies on devices that carry another target");
        }
        // Somebody else's port.
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap().to_string();
        check(&["--listen", &address], &format!("cannot listen on {address}"));
    }
}

#[test]
fn a_recording_is_compared_with_that_of_a_normal_time_under_the_same_load() {
    let bench = Bench::new();
    let normal = perfmon();
    fs::write(bench.path().join("normal.csv"), &normal).unwrap();
    // The same load, whose writes to the data took 6 ms and now take 11.
    fs::write(bench.path().join("now.csv"), normal.replace("\"0,004\",\"0,006\"", "\"0,004\",\"0,011\""))
        .unwrap();
    let of = |file: &str| bench.run(&["watch", file, "--baseline", "normal.csv", "--json"]).json();
    let slower = |answer: &Value| -> Vec<String> {
        let all = answer["observations"].as_array().unwrap().iter();
        let all = all.filter(|one| one["kind"] == "slower-than-baseline");
        all.map(|one| one["of"]["disk"].as_str().unwrap().to_owned()).collect()
    };
    let now = of("now.csv");
    assert_eq!(slower(&now), ["1 D:"]);
    let changes = now["baseline"]["changes"].as_array().unwrap();
    let writes = changes.iter().find(|one| one["disk"] == "1 D:" && one["direction"] == "write").unwrap();
    assert_eq!(
        (writes["same_load_us"]["baseline"].as_f64(), writes["same_load_us"]["now"].as_f64()),
        (Some(6_000.0), Some(11_000.0))
    );
    assert_eq!(slower(&of("normal.csv")), [""; 0]);
    bench.run(&["watch", "now.csv", "--baseline", "none.csv"]).expect_code(2);
    bench.run(&["watch", "--baseline", "study.toml"]).expect_code(2);
}
