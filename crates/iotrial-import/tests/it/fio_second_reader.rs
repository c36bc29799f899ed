//! Each figure of real runs of fio by a second reader: what the import makes of a run is what fio's documentation says that its output
//! means (HOWTO, «Interpreting the output» and «JSON+ output»).
//!
//! fio writes each run as JSON and as text. Both are read by the import and by the readers here, which share no code with it; and the
//! text agrees with the JSON within its digits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use iotrial_import::{ForeignFile, Naming, import};
use iotrial_model::imported::{ImportedJob, StatedLatency, StatedStream};
use serde_json::Value;

/// Options of fio, one run each. All that change the layout of its output, and those that change what its figures mean.
const RUNS: [&str; 119] = [
    "--name=j --rw=read",
    "--name=j --rw=write",
    "--name=j --rw=randread",
    "--name=j --rw=randwrite",
    "--name=j --rw=rw",
    "--name=j --rw=randrw --rwmixread=70",
    "--name=j --rw=randrw --rwmixwrite=10",
    "--name=j --rw=trim --ioengine=null",
    "--name=j --rw=randtrim --ioengine=null",
    "--name=j --rw=trimwrite --ioengine=null",
    "--name=j --rw=randrw --bs=4k,16k",
    "--name=j --rw=randrw --bsrange=1k-8k",
    "--name=j --rw=randwrite --bssplit=4k/60:8k/40",
    "--name=j --rw=randread --bs=512",
    "--name=j --rw=read --bs=64k",
    "--name=j --rw=randread --bs=1000 --kb_base=1000",
    "--name=j --rw=read --bs=64k --kb_base=1000",
    "--name=j --rw=read --kb_base=1000 --unit_base=1",
    "--name=j --rw=read --unit_base=1",
    "--name=j --rw=read --unit_base=8",
    "--name=j --rw=randrw --ioengine=null --iodepth=16",
    "--name=j --rw=randrw --ioengine=libaio --iodepth=8",
    "--name=j --rw=randrw --ioengine=posixaio --iodepth=4",
    "--name=j --rw=randrw --ioengine=mmap",
    "--name=j --rw=randrw --ioengine=pvsync2",
    "--name=j --rw=randrw --numjobs=3",
    "--name=j --rw=randrw --numjobs=3 --group_reporting",
    "--name=j --rw=randwrite --numjobs=2 --group_reporting=1 --thread",
    "--name=j --rw=read --numjobs=2 --new_group",
    "--name=a --rw=read --name=b --rw=write",
    "--name=a --rw=read --stonewall --name=b --rw=write --stonewall",
    "--name=a --rw=read --name=b --stonewall --rw=write --name=c --rw=randrw",
    "--group_reporting --name=a --rw=read --name=b --rw=write",
    "--group_reporting --name=a --rw=read --numjobs=2 --name=b --stonewall --rw=write --numjobs=2",
    "--name=a --rw=read --group_reporting --name=b --new_group --rw=randwrite --group_reporting",
    "--name=j --rw=randrw --unified_rw_reporting=1",
    "--name=j --rw=randrw --unified_rw_reporting=mixed --numjobs=2 --group_reporting",
    "--name=j --rw=randrw --unified_rw_reporting=both",
    "--name=j --rw=randrw --unified_rw_reporting=both --numjobs=2 --group_reporting",
    "--name=j --rw=read --unified_rw_reporting=both",
    "--name=j --rw=randrw --unified_rw_reporting=1 --fsync=4",
    "--name=j --rw=randrw --percentile_list=50:99:99.9",
    "--name=j --rw=randrw --percentile_list=1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99:99.999:99.9999:100",
    "--name=j --rw=randrw --percentile_list=99.123456789:100",
    "--name=j --rw=randrw --lat_percentiles=1",
    "--name=j --rw=randrw --lat_percentiles=1 --clat_percentiles=0",
    "--name=j --rw=randrw --lat_percentiles=1 --clat_percentiles=1 --slat_percentiles=1",
    "--name=j --rw=randrw --slat_percentiles=1 --ioengine=libaio --iodepth=4",
    "--name=j --rw=randrw --clat_percentiles=0",
    "--name=j --rw=randrw --disable_lat=1",
    "--name=j --rw=randrw --disable_clat=1",
    "--name=j --rw=randrw --disable_slat=1 --ioengine=libaio --iodepth=4",
    "--name=j --rw=randrw --disable_lat=1 --disable_slat=1",
    "--name=j --rw=randrw --disable_clat=1 --disable_slat=1",
    "--name=j --rw=randrw --disable_lat=1 --disable_clat=1 --disable_slat=1",
    "--name=j --rw=randrw --disable_bw_measurement=1",
    "--name=j --rw=randrw --gtod_reduce=1",
    "--name=j --rw=randrw --gtod_reduce=1 --lat_percentiles=1",
    "--name=j --rw=write --verify=crc32c",
    "--name=j --rw=randwrite --verify=md5 --numjobs=2",
    "--name=j --rw=randwrite --verify=crc32c --do_verify=0",
    "--name=j --rw=randwrite --verify=sha256 --verify_backlog=16",
    "--name=j --rw=randrw --verify=crc32c",
    "--name=j --rw=write --fsync=1 --size=256k",
    "--name=j --rw=write --fdatasync=1 --size=256k",
    "--name=j --rw=randwrite --fdatasync=8",
    "--name=j --rw=randrw --fsync=4",
    "--name=j --rw=randrw --fsync=4 --numjobs=2 --group_reporting",
    "--name=j --rw=write --fsync=8 --lat_percentiles=1",
    "--name=j --rw=write --end_fsync=1",
    "--name=j --rw=write --fsync_on_close=1",
    "--name=j --rw=write --sync=1 --size=128k",
    "--name=j --rw=write --sync=dsync --size=128k",
    "--name=j --rw=write --sync_file_range=write:8",
    "--name=j --rw=write --fdatasync=4 --disable_lat=1",
    "--name=j --rw=write --fdatasync=4 --gtod_reduce=1",
    "--name=j --rw=randrw --ioengine=libaio --iodepth=4 --cmdprio_percentage=50",
    "--name=j --rw=randread --ioengine=libaio --iodepth=4 --cmdprio_percentage=30 --cmdprio_class=1 --cmdprio=3",
    "--name=j --rw=randread --ioengine=libaio --iodepth=4 --cmdprio_percentage=50 --lat_percentiles=1",
    "--name=j --rw=randread --ioengine=libaio --iodepth=4 --cmdprio_bssplit=4k/50:8k/50 --bsrange=4k-8k",
    "--name=j --rw=randread --prioclass=2 --prio=4",
    "--name=j --rw=randrw --rate_iops=400,100 --number_ios=100",
    "--name=j --rw=randread --rate=2m --size=256k",
    "--name=j --rw=randread --rate_iops=300 --rate_process=poisson --number_ios=60",
    "--name=j --rw=randread --thinktime=500 --number_ios=100",
    "--name=j --rw=randread --thinktime=1ms --thinktime_blocks=8 --number_ios=100",
    "--name=j --rw=randread --number_ios=50",
    "--name=j --rw=randread --number_ios=1",
    "--name=j --rw=randread --io_size=3m",
    "--name=j --rw=randread --loops=3",
    "--name=j --rw=randrw --time_based --runtime=1",
    "--name=j --rw=randrw --time_based --runtime=1 --ramp_time=500ms",
    "--name=j --rw=randrw --time_based --runtime=2 --status-interval=600ms",
    "--name=j --rw=randrw --time_based --runtime=2 --status-interval=600ms --numjobs=2 --group_reporting",
    "--name=j --rw=randrw --time_based --runtime=2 --status-interval=600ms --numjobs=2",
    "--name=j --rw=randread --time_based --runtime=2 --ioengine=null --ss=iops:50% --ss_dur=1s",
    "--name=j --rw=randread --random_distribution=zipf:1.1",
    "--name=j --rw=randread --random_distribution=zoned:50/5:30/15:20/80",
    "--name=j --rw=randread --random_distribution=pareto:0.2",
    "--name=j --rw=read --zonemode=strided --zonesize=64k --zonerange=64k --zoneskip=64k",
    "--name=j --rw=randread --offset=256k --size=512k",
    "--name=j --rw=randread --norandommap",
    "--name=j --rw=randread --percentage_random=50",
    "--name=j --rw=randread:4",
    "--name=j --rw=read:8k",
    "--name=j --rw=randread --nrfiles=4",
    "--name=j --rw=randread --nrfiles=4 --openfiles=2",
    "--name=j --rw=randread --filename=x:y",
    "--name=j --rw=randread --latency_target=10ms --latency_window=100ms --latency_percentile=90 --time_based --runtime=1",
    "--name=j --rw=randread --description=a_word",
    "--name=a-name.with/many:signs --rw=randread --filename=x",
    "--name=j --rw=write --buffer_compress_percentage=50 --refill_buffers",
    "--name=j --rw=read --ioengine=null --size=64g --bs=1m",
    "--name=j --rw=randrw --ioengine=null --size=1g --numjobs=4 --group_reporting --iodepth=64",
    "--name=j --rw=randread --write_lat_log=l --log_avg_msec=100",
    "--name=j --rw=randread --significant_figures=2",
    "--name=j --rw=randread --significant_figures=10",
    "--name=j --rw=randread --exitall",
    "--name=j --rw=write --continue_on_error=all --ignore_error=ENOSPC",
];

/// A number and one step of its last digit; 0 for one that is exact.
type Figures = BTreeMap<String, (f64, f64)>;

/// What one entry of a result says: its name and its figures, by names such as `read.clat.mean`. Latencies are µs, rates MiB/s.
type Entry = (String, Figures);

/// A folder of its own that is gone when the test is.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        // Several tests of one process.
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("iotrial-fio-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// Runs fio in a folder; its output, or `None` where there is no fio.
fn fio(folder: &Path, options: &str, format: &str) -> Option<String> {
    std::fs::create_dir_all(folder).unwrap();
    let output = format!("--output-format={format}");
    // Small files in the page cache: what is compared is what fio says of them.
    let common = ["--size=1m", "--bs=4k", "--output=out.txt", output.as_str()];
    let ran = Command::new("fio")
        .args(common)
        .args(options.split(' '))
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "fio {options}: {said}");
    let written = std::fs::read(folder.join("out.txt")).unwrap();
    Some(String::from_utf8(written).unwrap())
}

/// An output in both formats: the JSON documents, and the text.
fn apart(output: &str) -> (String, String) {
    let (mut json, mut text) = (String::new(), String::new());
    let mut is_json = false;
    for line in output.lines() {
        is_json |= line == "{";
        let part = if is_json { &mut json } else { &mut text };
        part.push_str(line);
        part.push('\n');
        is_json &= line != "}";
    }
    (json, text)
}

/// What the import says of a result.
fn imported(text: &str, options: &str) -> Vec<Entry> {
    let file = ForeignFile { name: "out.txt", bytes: text.as_bytes(), beside: &|_| None };
    let imported = import(&file, &Naming::default()).unwrap_or_else(|error| panic!("{options}: {error}"));
    let jobs = imported.records.iter().flat_map(|record| &record.jobs).map(entry_of);
    let total =
        imported.records.iter().filter_map(|record| record.total.clone()).map(|ops| {
            entry_of(&ImportedJob { name: ALL_CLIENTS.to_owned(), ops, ..ImportedJob::default() })
        });
    jobs.chain(total).collect()
}

/// fio's sum over all clients: no job, and without a share of a CPU in a record.
const ALL_CLIENTS: &str = "All clients";

fn entry_of(job: &ImportedJob) -> Entry {
    let mut figures = Figures::new();
    for (name, stream) in job.ops.streams() {
        add_stream(if name == "all" { "mixed" } else { name }, stream, &mut figures);
    }
    let shares = job.cpu.map_or([None; 2], |cpu| [cpu.usr_percent, cpu.sys_percent]);
    for (name, share) in ["usr_cpu", "sys_cpu"].into_iter().zip(shares) {
        figures.extend(share.map(|share| (name.to_owned(), (share.value, share.resolution))));
    }
    (job.name.clone(), figures)
}

fn add_stream(name: &str, stream: &StatedStream, figures: &mut Figures) {
    let rates =
        [("iops", stream.iops), ("mib_per_s", stream.bandwidth_mib_per_s), ("runtime_s", stream.runtime_s)];
    for (figure, stated) in rates {
        figures.extend(stated.map(|stated| (format!("{name}.{figure}"), (stated.value, stated.resolution))));
    }
    for (figure, count) in [("count", stream.io_count), ("bytes", stream.bytes)] {
        figures.extend(count.map(|count| (format!("{name}.{figure}"), (count as f64, 0.0))));
    }
    let parts = [
        ("lat", &stream.total_latency),
        ("clat", &stream.completion_latency),
        ("slat", &stream.submission_latency),
    ];
    for (part, latency) in parts {
        add_latency(&format!("{name}.{part}"), latency, figures);
    }
}

fn add_latency(name: &str, latency: &StatedLatency, figures: &mut Figures) {
    let moments = [
        ("min", latency.min_us),
        ("max", latency.max_us),
        ("mean", latency.mean_us),
        ("stddev", latency.stddev_us),
    ];
    for (figure, stated) in moments {
        figures.extend(stated.map(|stated| (format!("{name}.{figure}"), (stated.value, stated.resolution))));
    }
    for one in &latency.percentiles_us {
        figures.insert(format!("{name}.{}", percentile(one.percent)), (one.at.value, one.at.resolution));
    }
}

/// The name of a percentile, to six digits as in JSON: text has as many as were asked for.
fn percentile(percent: f64) -> String {
    format!("p{}", (percent * 1e6).round() / 1e6)
}

/// What a JSON document says, by fio's documentation of its keys.
fn said_by_json(document: &Value) -> Vec<Entry> {
    let list = document.get("jobs").or(document.get("client_stats")).unwrap();
    list.as_array().unwrap().iter().map(said_by_job).collect()
}

fn said_by_job(job: &Value) -> Entry {
    let mut figures = Figures::new();
    for direction in ["read", "write", "trim", "mixed", "sync"] {
        let stream = &job[direction];
        let number = |key: &str| stream[key].as_f64();
        // A direction has figures where it did something; of flushes only their times are told.
        let timed = stream["lat_ns"]["N"].as_f64().unwrap_or(0.0);
        if number("total_ios").unwrap_or(0.0) + timed == 0.0 {
            continue;
        }
        let mut put = |name: String, number: Option<f64>| {
            figures.extend(number.map(|number| (format!("{direction}.{name}"), (number, 0.0))));
        };
        let count = number("total_ios").filter(|count| *count > 0.0);
        put("count".to_owned(), count.or((direction == "sync").then_some(timed)));
        put("bytes".to_owned(), number("io_bytes"));
        put("iops".to_owned(), number("iops"));
        put("mib_per_s".to_owned(), number("bw_bytes").map(|bytes| bytes / 1_048_576.0));
        put("runtime_s".to_owned(), number("runtime").map(|ms| ms / 1e3));
        for part in ["lat", "clat", "slat"] {
            let latency = &stream[format!("{part}_ns")];
            if latency["N"].as_f64().unwrap_or(0.0) == 0.0 {
                continue;
            }
            let us = |value: &Value| value.as_f64().map(|ns| ns / 1e3);
            for (figure, key) in [("min", "min"), ("max", "max"), ("mean", "mean"), ("stddev", "stddev")] {
                put(format!("{part}.{figure}"), us(&latency[key]));
            }
            for (percent, at) in latency["percentile"].as_object().into_iter().flatten() {
                put(format!("{part}.{}", percentile(percent.parse().unwrap())), us(at));
            }
        }
    }
    let is_total = job["jobname"] == ALL_CLIENTS;
    for key in ["usr_cpu", "sys_cpu"].into_iter().filter(|_| !is_total) {
        figures.extend(job[key].as_f64().map(|share| (key.to_owned(), (share, 0.0))));
    }
    let host = job["hostname"].as_str().filter(|_| !is_total);
    let host = host.map_or(String::new(), |host| format!("{host}: "));
    (format!("{host}{}", job["jobname"].as_str().unwrap()), figures)
}

/// A number of fio's text with the unit behind it, in bytes or plain, and one step of its last digit. In 3.x `k` is 1,000, `Ki` is
/// 1,024, and `bit` an eighth of a byte.
fn amount(text: &str) -> (f64, f64) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let decimals = digits.split_once('.').map_or(0, |(_, behind)| behind.len());
    let step: f64 = format!("1e-{decimals}").parse().unwrap();
    // Also `Mi` alone, of a sum over clients.
    let base: f64 = if unit.chars().nth(1) == Some('i') { 1_024.0 } else { 1_000.0 };
    let power = match unit.chars().next().map(|letter| letter.to_ascii_lowercase()) {
        Some('k') => 1,
        Some('m') => 2,
        Some('g') => 3,
        Some('t') => 4,
        _ => 0,
    };
    let factor = base.powi(power) / if unit.contains("bit") { 8.0 } else { 1.0 };
    (digits.parse::<f64>().unwrap_or_else(|_| panic!("{text}")) * factor, step * factor)
}

/// What stands behind a key, up to a comma, a bracket or a blank.
fn value<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    let rest = line.split_once(key)?.1.trim_start();
    Some(&rest[..rest.find([',', ' ', '(', '%', ';']).unwrap_or(rest.len())])
}

/// What a text says, by fio's documentation of its lines. Of several reports of a run the last.
fn said_by_text(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    // The direction that lines belong to, and the list of percentiles that rows belong to, with its unit in µs.
    let (mut direction, mut list) = ("", None);
    let mut client = String::new();
    for line in text.lines().map(str::trim) {
        if let Some((host, _)) = line.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            client = format!("{host}: ");
        }
        if let Some((name, _)) = line.split_once(": (groupid=") {
            let client = if name == ALL_CLIENTS { "" } else { client.as_str() };
            entries.push((format!("{client}{name}"), Figures::new()));
            direction = "";
            continue;
        }
        let Some((_, figures)) = entries.last_mut() else { continue };
        let per_us = |line: &str| match () {
            () if line.contains("(nsec)") => 1e-3,
            () if line.contains("(usec)") => 1.0,
            () => 1e3,
        };
        if let Some(row) = line.strip_prefix('|') {
            let Some((name, factor)) = &list else { continue };
            for cell in row.split(']').filter(|cell| cell.contains("th=[")) {
                let (percent, at) = cell.trim_start_matches(',').split_once("th=[").unwrap();
                let (at, step) = amount(at.trim());
                let percent: f64 = percent.trim().parse().unwrap();
                figures.insert(format!("{name}.{}", percentile(percent)), (at * factor, step * factor));
            }
            continue;
        }
        list = None;
        let (head, _) = line.split_once(':').unwrap_or((line, ""));
        match head.trim() {
            "read" | "write" | "trim" | "mixed" if line.contains("IOPS=") => {
                direction = ["read", "write", "trim", "mixed"].into_iter().find(|one| *one == head).unwrap();
                // Beside both directions their sum has no rate.
                if direction == "mixed" && value(line, "IOPS=") == Some("0") {
                    direction = "";
                    continue;
                }
                figures.insert(format!("{direction}.iops"), amount(value(line, "IOPS=").unwrap()));
                let (bytes, step) = amount(value(line, "BW=").unwrap());
                figures.insert(format!("{direction}.mib_per_s"), (bytes / 1_048_576.0, step / 1_048_576.0));
                let (_, runtime) = line.rsplit_once('/').unwrap();
                let ms: f64 = runtime.split_once("msec").unwrap().0.parse().unwrap();
                figures.insert(format!("{direction}.runtime_s"), (ms / 1e3, 1e-3));
            }
            "fsync/fdatasync/sync_file_range" => direction = "sync",
            "cpu" => {
                let is_total = entries.last().is_some_and(|(name, _)| name == ALL_CLIENTS);
                let Some((_, figures)) = entries.last_mut().filter(|_| !is_total) else { continue };
                for (name, key) in [("usr_cpu", "usr="), ("sys_cpu", "sys=")] {
                    figures.insert(name.to_owned(), amount(value(line, key).unwrap()));
                }
                direction = "";
            }
            "issued rwts" => {
                let mut counts = value_of_list(line, "total=");
                let has = |figures: &Figures, name: &str| {
                    figures.keys().any(|key| key.starts_with(&format!("{name}.")))
                };
                // fio counts a flush of `fdatasync` as a read that came back short.
                if counts[3] == 0.0 && !has(figures, "read") {
                    counts[3] = value_of_list(line, "short=")[0];
                }
                if has(figures, "mixed") {
                    // The sum of both directions is counted as reads.
                    figures.insert("mixed.count".to_owned(), (counts[0], 0.0));
                }
                for (name, count) in ["read", "write", "trim", "sync"].into_iter().zip(counts) {
                    if has(figures, name) && count > 0.0 {
                        figures.insert(format!("{name}.count"), (count, 0.0));
                    }
                }
            }
            head if direction.is_empty() || head.contains(" prio ") => {}
            head => {
                let part = match head.split([' ', '(']).next().unwrap() {
                    "lat" | "sync" => "lat",
                    "clat" => "clat",
                    "slat" => "slat",
                    _ => continue,
                };
                let name = format!("{direction}.{part}");
                if head.contains("percentiles") {
                    list = Some((name, per_us(line)));
                } else if line.contains("min=") {
                    for (figure, key) in
                        [("min", "min="), ("max", "max="), ("mean", "avg="), ("stddev", "stdev=")]
                    {
                        let (at, step) = amount(value(line, key).unwrap());
                        figures.insert(format!("{name}.{figure}"), (at * per_us(line), step * per_us(line)));
                    }
                }
            }
        }
    }
    entries
}

/// The four counts of `issued rwts: total=256,124,0,0 short=…`.
fn value_of_list(line: &str, key: &str) -> Vec<f64> {
    let list = line.split_once(key).unwrap().1.split(' ').next().unwrap();
    list.split(',').map(|count| count.parse().unwrap()).collect()
}

/// All in which two readers of one text differ.
fn differences(ours: &[Entry], theirs: &[Entry]) -> Vec<String> {
    let mut all = Vec::new();
    let names = |entries: &[Entry]| entries.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    if names(ours) != names(theirs) {
        return vec![format!("entries {:?} and {:?}", names(ours), names(theirs))];
    }
    for ((job, ours), (_, theirs)) in ours.iter().zip(theirs) {
        let keys: std::collections::BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
        for key in keys {
            let (one, other) = (ours.get(key), theirs.get(key));
            let same =
                one.zip(other).is_some_and(|(one, other)| (one.0 - other.0).abs() <= 1e-9 * other.0.abs());
            if !same {
                all.push(format!("{job} {key}: {one:?} and {other:?}"));
            }
        }
    }
    all
}

/// All in which a text contradicts the JSON of the same run: by more than a step of its digits, or by a figure that is not there.
fn contradictions(text: &[Entry], json: &[Entry]) -> Vec<String> {
    let mut all = Vec::new();
    if text.len() != json.len() {
        return vec![format!("{} and {} entries", text.len(), json.len())];
    }
    for ((job, text), (_, json)) in text.iter().zip(json) {
        for (key, (value, step)) in text {
            match json.get(key) {
                Some((exact, _)) if (value - exact).abs() <= step * 1.001 + 1e-9 * exact.abs() => {}
                // The JSON of a run that has both directions as one lacks its flushes.
                None if key.starts_with("sync.") && json.keys().any(|key| key.starts_with("mixed.")) => {}
                other => all.push(format!("{job} {key}: {value} ± {step} and {other:?}")),
            }
        }
    }
    all
}

/// Runs of fio at once: what they do is small, and most of their time is starting.
const AT_ONCE: usize = 6;

#[test]
fn figures_of_runs_of_fio_are_those_of_a_second_reader() {
    let folder = Folder::new();
    if Command::new("fio").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("skipped: there is no fio here");
        return;
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = Vec::new();
        while let Some(options) = RUNS.get(next.fetch_add(1, Ordering::Relaxed)) {
            let place = folder.0.join(format!("{}", options.len())).join(options.replace(['/', ' '], "_"));
            let output = fio(&place, options, "normal,json").unwrap();
            std::fs::remove_dir_all(&place).unwrap();
            wrong.extend(check(options, &output));
        }
        wrong
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_terse_line_says_what_the_json_of_its_run_does() {
    let folder = Folder::new();
    // With `lat_percentiles` those of the line are of whole latencies, which it does not say: JSON has both.
    for (version, options) in [
        ("3", "--name=j --rw=randrw"),
        ("4", "--name=j --rw=randrw"),
        ("5", "--name=j --rw=randrw"),
        ("3", "--name=a --rw=read --name=b --rw=write"),
        ("5", "--name=j --rw=randrw --numjobs=2 --group_reporting"),
        ("3", "--name=j --rw=randrw --disable_lat=1"),
        ("3", "--name=j --rw=write --percentile_list=50:99.5"),
    ] {
        let options = format!("{options} --terse-version={version}");
        let Some(output) = fio(&folder.0, &options, "terse,json") else {
            eprintln!("skipped: there is no fio here");
            return;
        };
        let (json, terse) = apart(&output);
        let wrong = contradictions(&imported(&terse, &options), &imported(&json, &options));
        assert!(wrong.is_empty(), "{options}:\n{}", wrong.join("\n"));
    }
}

/// A server of fio that ends with the test.
struct Server(PathBuf);

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(process) = std::fs::read_to_string(&self.0) {
            Command::new("kill").arg(process.trim()).status().ok();
        }
    }
}

#[test]
fn clients_and_their_sum_are_those_of_a_second_reader() {
    let folder = Folder::new();
    let at = |name: &str| folder.0.join(name).display().to_string();
    let job = format!("[global]\nsize=1m\ndirectory={}\n[j]\nrw=randrw\n[k]\nrw=read\n", folder.0.display());
    std::fs::write(at("job.fio"), job).unwrap();
    let _server = Server(folder.0.join("pid"));
    let server = [format!("--server=sock:{}", at("s")), format!("--daemonize={}", at("pid"))];
    let silent = |command: &mut Command| {
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    if !silent(Command::new("fio").args(server)) {
        eprintln!("skipped: there is no fio here that serves");
        return;
    }
    let client = [
        format!("--client=sock:{}", at("s")),
        at("job.fio"),
        "--output-format=normal,json".to_owned(),
        format!("--output={}", at("out.txt")),
    ];
    // A server that has just begun may not listen yet.
    let is_done = (0..500).any(|_| silent(Command::new("fio").args(&client)));
    assert!(is_done, "no client reached the server");
    let output = std::fs::read_to_string(at("out.txt")).unwrap();
    let wrong = check("clients", &output);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All that is wrong with what the import makes of an output.
fn check(options: &str, output: &str) -> Vec<String> {
    let (json, text) = apart(output);
    // Of a run that is told while it goes on the last report counts.
    let last = serde_json::Deserializer::from_str(&json).into_iter::<Value>().last().unwrap().unwrap();
    let by_json = said_by_json(&last);
    let mut by_text = said_by_text(&text);
    by_text.drain(..by_text.len() - by_json.len());
    let (ours_of_json, ours_of_text) = (imported(&json, options), imported(&text, options));
    let named = |kind: &str, all: Vec<String>| {
        all.into_iter().map(|one| format!("{options}: {kind}: {one}")).collect::<Vec<_>>()
    };
    [
        named("JSON", differences(&ours_of_json, &by_json)),
        named("text", differences(&ours_of_text, &by_text)),
        named("text and JSON", contradictions(&ours_of_text, &ours_of_json)),
    ]
    .concat()
}
