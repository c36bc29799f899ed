//! What a result says of the load that made it, where the tool says it in a misleading way.

use std::path::Path;

use iotrial_import::{ForeignFile, Imported, Naming, import};
use iotrial_model::imported::{StatedLoad, StatedStream};
use iotrial_model::load::Pattern;

fn read(text: &str) -> Imported {
    let beside = |_: &str| None;
    import(&ForeignFile { name: "f", bytes: text.as_bytes(), beside: &beside }, &Naming::default()).unwrap()
}

fn golden(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn load_of(text: &str) -> StatedLoad {
    read(text).records[0].jobs[0].load.clone()
}

/// A job of fio that did something, with these options and these other values.
fn fio_job(options: &str, others: &str) -> String {
    format!(
        "{{\"fio version\" : \"fio-3.33\", \"jobs\" : [{{\"jobname\" : \"a\", \"job options\" : {{{options}}}, {others}\
         \"read\" : {{\"io_bytes\" : 4096000, \"runtime\" : 1000, \"total_ios\" : 1000, \"iops\" : 1000.0}}}}]}}"
    )
}

#[test]
fn the_entry_of_a_group_has_all_copies_of_its_job_although_fio_does_not_tell_that_it_is_one() {
    let text = golden("fio/group.json");
    assert!(!text.contains("group_reporting"), "as fio writes it where the option has no value");
    let imported = read(&text);
    assert_eq!(imported.records[0].warnings, []);
    assert_eq!(load_of(&text).total_outstanding(), Some(12));
    // Without a group each copy has an entry of its own, and carries the number of all.
    let job = "{\"jobname\" : \"a\", \"job options\" : {\"rw\" : \"read\", \"iodepth\" : \"4\", \"ioengine\" : \"libaio\", \"numjobs\" : \"2\"}, \
               \"read\" : {\"io_bytes\" : 4096, \"runtime\" : 1000, \"total_ios\" : 1, \"iops\" : 1.0}}";
    let copies = read(&format!("{{\"fio version\" : \"fio-3.33\", \"jobs\" : [{job}, {job}]}}"));
    let outstanding: Vec<_> = copies.records[0].jobs.iter().map(|job| job.load.total_outstanding()).collect();
    assert_eq!(outstanding, [Some(4), Some(4)]);
}

#[test]
fn the_options_of_one_job_are_not_the_load_of_a_group_of_several() {
    let imported = read(&golden("fio/group-of-two.json"));
    let record = &imported.records[0];
    let [job] = &record.jobs[..] else { panic!("{record:#?}") };
    assert!(job.ops.read.is_some() && job.ops.write.is_some());
    assert_eq!((job.load.pattern, job.load.total_outstanding(), job.load.block_size()), (None, None, None));
    assert_eq!(job.load.options["bs"], "8k", "the last one of the group");
    assert!(record.warnings[0].message.contains("a group of several jobs"), "{:?}", record.warnings);
    // By the times alone: three seconds of one copy that ran for one.
    let longer = fio_job("\"rw\" : \"read\"", "\"job_runtime\" : 3000, ");
    assert_eq!(load_of(&longer).pattern, None);
    assert!(load_of(&fio_job("\"rw\" : \"read\"", "\"job_runtime\" : 1001, ")).pattern.is_some());
}

#[test]
fn a_depth_that_was_never_reached_because_the_engine_does_one_io_at_a_time_is_one() {
    let imported = read(&golden("fio/synchronous.json"));
    let record = &imported.records[0];
    assert_eq!(
        (record.jobs[0].load.iodepth, record.jobs[0].load.options["iodepth"].as_str()),
        (Some(1), "32")
    );
    assert_eq!(record.warnings[0].place, "jobs[0].iodepth_level");
}

#[test]
fn a_run_that_is_told_while_it_goes_on_is_one_run() {
    let imported = read(&golden("fio/status.json"));
    let [record] = &imported.records[..] else { panic!("{:#?}", imported.records) };
    assert_eq!(record.source.place, "document 3 (line 509), jobs");
    assert_eq!(record.jobs[0].ops.read.as_ref().unwrap().io_count, Some(649));
    assert!(record.warnings[0].message.contains("3 reports of the same run"), "{:?}", record.warnings);
    // Two runs of the same job, one after the other, are two.
    let run = |at: u64| {
        let job = fio_job("\"rw\" : \"read\"", "");
        job.replacen("\"jobs\"", &format!("\"timestamp_ms\" : {at}, \"jobs\""), 1) + "\n"
    };
    assert_eq!(read(&(run(1_000_000) + &run(1_001_200))).records.len(), 2);
    assert_eq!(read(&(run(1_000_000) + &run(1_000_400))).records.len(), 1);
}

#[test]
fn sizes_rates_and_pauses_are_those_of_fio() {
    let load = |options: &str| load_of(&fio_job(options, ""));
    assert_eq!(
        load("\"rw\" : \"read\", \"bs\" : \"8k\", \"kb_base\" : \"1000\"").block_size().unwrap().get(),
        8_000
    );
    assert_eq!(
        load("\"rw\" : \"randrw\", \"rate_iops\" : \"500\"").rate_iops,
        Some(1_000.0),
        "each direction"
    );
    assert_eq!(load("\"rw\" : \"randread\", \"rate_iops\" : \"500\"").rate_iops, Some(500.0));
    assert_eq!(load("\"rw\" : \"randrw\", \"rate_iops\" : \"500,200\"").rate_iops, Some(700.0));
    assert_eq!(load("\"rw\" : \"read\", \"bs\" : \"8k\", \"rate\" : \"8m\"").rate_iops, Some(1_024.0));
    let one_direction = load("\"rw\" : \"randrw\", \"rate\" : \",8m\"");
    assert!(one_direction.rate_iops.is_none() && one_direction.is_held_back());
    assert!(load("\"rw\" : \"read\", \"thinktime\" : \"100\"").is_held_back());
    assert!(!load("\"rw\" : \"read\", \"thinktime\" : \"0\"").is_held_back());
    assert_eq!(load("\"rw\" : \"randread\", \"percentage_random\" : \"40\"").pattern, None);
}

#[test]
fn diskspd_tells_each_of_several_targets_and_the_percentiles_of_all_are_not_those_of_one() {
    let imported = read(&golden("diskspd/two-targets.txt"));
    let [span, pool] = &imported.records[..] else { panic!("{:#?}", imported.records) };
    assert_eq!((&span.warnings, &pool.warnings), (&Vec::new(), &Vec::new()));
    let p99 = |stream: &Option<StatedStream>| {
        stream.as_ref().unwrap().total_latency.percentile(99.0).unwrap().value
    };
    let total = span.total.as_ref().unwrap();
    assert_eq!((p99(&total.read), p99(&total.write), p99(&total.all)), (720.0, 6_900.0, 4_700.0));
    assert_eq!(total.all.as_ref().unwrap().total_latency.percentiles_us.len(), 13);
    let [a, b] = &span.jobs[..] else { panic!("{span:#?}") };
    assert_eq!(a.ops.read.as_ref().unwrap().io_count, Some(100_000));
    assert_eq!((&a.ops.write, &b.ops.read), (&None, &None));
    assert_eq!((p99(&a.ops.read), p99(&b.ops.write)), (720.0, 6_900.0));
    assert_eq!((a.load.rate_iops, b.load.rate_iops), (None, Some(500.0)));
    // Three threads share eight I/Os each, whatever the target says.
    assert_eq!((pool.jobs[0].load.total_outstanding(), pool.jobs.len()), (Some(24), 1));
}

#[test]
fn what_diskspd_says_of_both_directions_is_kept_where_it_is_not_their_sum() {
    let both = |text: &str| {
        let ops = read(text).records[0].jobs[0].ops.clone();
        ops.all.map(|all| (all.io_count.unwrap(), all.bytes.unwrap()))
    };
    let xml = golden("diskspd/two-spans.xml");
    assert_eq!(both(&xml), Some((200_000, 1_638_400_000)));
    let changed = xml.replacen("<ReadCount>75000<", "<ReadCount>150000<", 1);
    assert_eq!(both(&changed), Some((200_000, 1_638_400_000)), "and not 275,000");
    // Rows of threads that are not their total are kept beside it.
    let text = golden("diskspd/two-spans.txt");
    assert!(read(&text).records.iter().all(|record| record.total.is_none() || record.jobs.len() > 1));
    let row =
        text.lines().find(|line| line.trim_start().starts_with("0 |") && line.contains(".dat")).unwrap();
    let cells: Vec<&str> = row.split('|').collect();
    let count: u64 = cells[2].trim().parse().unwrap();
    let changed = text.replacen(row, &row.replacen(&count.to_string(), &(count + 100).to_string(), 1), 1);
    let record = &read(&changed).records[0];
    let total = record.total.as_ref().unwrap();
    assert_ne!(total.all.as_ref().unwrap().io_count, record.jobs[0].ops.all.as_ref().unwrap().io_count);
}

#[test]
fn flushes_that_fio_counts_as_short_reads_are_no_short_reads() {
    let job = |read: &str, write: &str| {
        let stream = |more: &str| {
            format!(
                "{{\"io_bytes\" : 4096000, \"runtime\" : 1000, \"total_ios\" : 1000, \"iops\" : 1000.0{more}}}"
            )
        };
        let idle =
            "{\"io_bytes\" : 0, \"runtime\" : 0, \"total_ios\" : 0, \"iops\" : 0.0, \"short_ios\" : 8055}";
        let read = if read.is_empty() { idle.to_owned() } else { stream(read) };
        format!(
            "{{\"fio version\" : \"fio-3.33\", \"jobs\" : [{{\"jobname\" : \"a\", \"job options\" : {{\"rw\" : \"rw\"}}, \
             \"read\" : {read}, \"write\" : {}}}]}}",
            stream(write)
        )
    };
    let warned = |text: &str| {
        let record = &read(text).records[0];
        let short = record.warnings.iter().filter(|warning| warning.place.ends_with("short_ios"));
        short.map(|warning| warning.message.clone()).collect::<Vec<_>>()
    };
    assert!(warned(&job("", ", \"short_ios\" : 0")).is_empty());
    assert!(warned(&job(", \"short_ios\" : 8055", "")).is_empty(), "more than were read");
    assert_eq!(warned(&job(", \"short_ios\" : 3", "")), ["3 I/Os came back short"]);
    assert_eq!(warned(&job(", \"short_ios\" : 1", "")), ["1 I/O came back short"]);
}

/// The first test of Iometer 1.1, with other cells in the row of all.
fn iometer(cells: &[(&str, &str)]) -> Imported {
    let text = golden("iometer/1.1.csv");
    let header = text.lines().find(|line| line.starts_with("'Target Type")).unwrap();
    let row = text.lines().find(|line| line.starts_with("ALL,")).unwrap();
    let columns: Vec<&str> = header.split(',').collect();
    let mut changed: Vec<&str> = row.split(',').collect();
    for (name, cell) in cells {
        changed[columns.iter().position(|column| column == name).unwrap()] = cell;
    }
    read(&text.replacen(row, &changed.join(","), 1))
}

#[test]
fn a_direction_whose_rates_are_printed_as_zero_is_there_where_it_did_or_failed_anything() {
    let zeros = [
        ("Read IOps", "0.0000"),
        ("Read MiBps (Binary)", "0.0000"),
        ("Read MBps (Decimal)", "0.0000"),
        ("Average Read Response Time", "0.0000"),
        ("Maximum Read Response Time", "0.0000"),
        ("Bytes Read", "0"),
        ("Read I/Os", "0"),
    ];
    let reads = |more: &[(&str, &str)]| {
        let cells = [&zeros[..], more].concat();
        iometer(&cells).records[0].jobs[0].ops.read.clone()
    };
    assert_eq!(reads(&[]), None);
    assert_eq!(reads(&[("Read Errors", "100")]).unwrap().error_count, Some(100));
    assert_eq!(reads(&[("Read I/Os", "1")]).unwrap().io_count, Some(1));
    let slow = reads(&[("Maximum Read Response Time", "60000.0000")]).unwrap();
    assert_eq!(slow.total_latency.max_us.unwrap().value, 6e7);
}

#[test]
fn a_mean_of_terse_output_is_kept_where_the_longest_is_printed_as_zero() {
    let text = golden("fio/terse-3.txt");
    let submission = |text: &str| read(text).records[0].jobs[0].ops.read.clone().unwrap().submission_latency;
    assert_eq!(submission(&text).mean_us, None);
    let short = text.replacen(";0;0;0.000000;0.000000;", ";0;0;0.350000;0.120000;", 1);
    assert_eq!(submission(&short).mean_us.unwrap().value, 0.35);
}

#[test]
fn a_share_that_a_specification_of_iometer_does_not_state_is_not_zero() {
    let text = golden("iometer/1.1.csv");
    assert_eq!(load_of(&text).rwmix_read_percent, Some(67.0));
    let load = load_of(&text.replacen("8192,100,67,100,", "8192,100,,100,", 1));
    assert_eq!((load.rwmix_read_percent, load.pattern), (None, Some(Pattern::Random)));
    let load = load_of(&text.replacen("8192,100,67,100,", "8192,,67,100,", 1));
    assert_eq!((load.rwmix_read_percent, load.pattern), (None, None));
}

#[test]
fn bytes_that_diskspd_does_not_state_are_absent() {
    let text = golden("diskspd/two-spans.xml");
    let reads = |text: &str| {
        let imported = read(text);
        let record = &imported.records[0];
        let of_job = record.jobs.iter().find_map(|job| job.ops.read.clone());
        of_job.or(record.total.as_ref().and_then(|total| total.read.clone())).unwrap()
    };
    assert!(reads(&text).bytes.is_some());
    let (before, rest) = text.split_once("<ReadBytes>").unwrap();
    let (_, after) = rest.split_once("</ReadBytes>").unwrap();
    let without = reads(&format!("{before}{after}"));
    assert_eq!((without.bytes, without.io_count), (None, reads(&text).io_count));
}
