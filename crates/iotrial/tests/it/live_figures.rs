//! `--listen` of run, sweep and study: what Prometheus reads while a load is made.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;

use crate::support::Bench;

/// A program that serves while it works; stopped at the end, whatever became of the test.
struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn start(bench: &Bench, arguments: &[&str]) -> Self {
        let mut child = bench.interruptible(&[arguments, &["--listen", "0"]].concat()).spawn().unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let (mut line, mut before) = (String::new(), String::new());
        while !line.starts_with("serving http://") {
            before += &std::mem::take(&mut line);
            assert!(told.read_line(&mut line).unwrap() > 0, "it ended before it served: {before}");
        }
        let address = line.trim()["serving http://".len()..].strip_suffix("/metrics").unwrap().to_owned();
        // Read to its end, so that the program never waits for somebody who reads.
        std::thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
        Self { child, address }
    }

    fn get(&self, path: &str) -> Option<String> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        Some(answer)
    }

    /// Asks until the answer has all of these.
    #[track_caller]
    fn until(&self, words: &[&str]) -> String {
        // Two minutes, on a machine with little time for us; each question waits for its answer, so that nothing spins.
        let begin = std::time::Instant::now();
        let mut last = String::new();
        while begin.elapsed().as_secs() < 120 {
            last = self.get("/metrics").unwrap_or_default();
            if words.iter().all(|word| last.contains(word)) {
                return last;
            }
        }
        panic!("no {words:?} in:\n{last}");
    }

    fn interrupt(&self) {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The value of a sample whose line begins so.
fn value(text: &str, begin: &str) -> f64 {
    let line =
        text.lines().find(|line| line.starts_with(begin)).unwrap_or_else(|| panic!("no {begin} in:\n{text}"));
    line.rsplit_once(' ').unwrap().1.parse().unwrap()
}

/// A load on a simulated device that goes on until somebody ends it.
const ENDLESS: [&str; 10] = [
    "run",
    "--engine",
    "sim",
    "--sim",
    "service_time_us = 2000, parallelism = 4",
    "--closed",
    "--duration",
    "700h",
    "--label",
    "one \"big\" volume",
];

/// Two configurations on simulated devices; the first load goes on until somebody ends it.
const STUDY: &str = r#"
format = "iotrial.study/1"
name = "speed"
title = "Slow or fast"
profiles = ["sqlserver-log"]
repeats = 2

[load]
engine = "sim"
ramp = "0s"
duration = "700h"

[[configuration]]
label = "slow"
sim = { service_time_us = 8000.0 }

[[configuration]]
label = "fast"
sim = { service_time_us = 2000.0 }
"#;

#[test]
fn a_run_serves_its_live_figures_and_its_sums_agree_with_them() {
    if cfg!(not(unix)) {
        return;
    }
    let bench = Bench::new();
    let mut run = Serving::start(&bench, &ENDLESS);
    let text = run.until(&["iotrial_run_phase{phase=\"measure\"} 1", "iotrial_job_iops{"]);
    assert!(text.starts_with("HTTP/1.1 200 OK") && text.contains("version=0.0.4"), "{text}");
    assert!(
        text.contains("label=\"one \\\"big\\\" volume\",profile=\"sqlserver-oltp\",engine=\"sim\"} 1"),
        "{text}"
    );
    let of_data =
        "label=\"one \\\"big\\\" volume\",job=\"sql-data\",role=\"data\",target=\"\",direction=\"read\"";
    let of = |name: &str| value(&text, &format!("iotrial_job_{name}{{{of_data}"));
    let (count, sum, bytes) = (of("latency_seconds_count"), of("latency_seconds_sum"), of("bytes_total"));
    assert!(count > 0.0 && bytes / count == 8_192.0, "{text}");
    // A load on a simulated device does not change: the last second is as the mean of all.
    let (mean, elapsed) = (of("latency_mean_seconds"), value(&text, "iotrial_run_elapsed_seconds"));
    assert!(
        (sum / count / mean - 1.0).abs() < 0.1 && (count / elapsed / of("iops") - 1.0).abs() < 0.1,
        "{text}"
    );
    assert!((of("outstanding") / (of("iops") * mean) - 1.0).abs() < 0.01, "{text}");
    // The buckets add up, and the 99th percentile is in the one that they say.
    let buckets: Vec<(f64, f64)> = text
        .lines()
        .filter_map(|line| line.strip_prefix(&format!("iotrial_job_latency_seconds_bucket{{{of_data},le=\"")))
        .map(|rest| rest.split_once("\"} ").unwrap())
        .map(|(edge, count)| (edge.replace("+Inf", "inf").parse().unwrap(), count.parse().unwrap()))
        .collect();
    assert!(buckets.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1), "{buckets:?}");
    assert_eq!(buckets.last().unwrap().1, count);
    assert_eq!(of("errors_total") + of("late_total"), 0.0);
    run.interrupt();
    let code = run.child.wait().unwrap().code();
    assert_eq!((code, bench.stored(".iotrial.json").len() + bench.stored(".zst").len()), (Some(130), 1));
}

#[test]
fn whoever_asks_badly_does_no_harm_to_a_run() {
    if cfg!(not(unix)) {
        return;
    }
    let bench = Bench::new();
    let load = [
        "run",
        "--engine",
        "sim",
        "--closed",
        "--duration",
        "10s",
        "--ramp",
        "0s",
        "--seed",
        "7",
        "--json",
        "--quiet",
    ];
    let alone = bench.run(&load);
    let mut run = Serving::start(&bench, &load);
    // They hang without a word, in the middle of one, and send what is no request at all.
    let mut hanging: Vec<TcpStream> = Vec::new();
    for number in 0..64 {
        let Ok(mut stream) = TcpStream::connect(&run.address) else { break };
        let _ = match number % 3 {
            0 => Ok(()),
            1 => stream.write_all(b"GET /met"),
            _ => stream.write_all(&[0xff; 20_000]),
        };
        hanging.push(stream);
    }
    let mut out = String::new();
    run.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(run.child.wait().unwrap().code(), Some(alone.code));
    drop(hanging);
    // The same load, I/O for I/O: nobody who looks changes it.
    let served: serde_json::Value = serde_json::from_str(&out).unwrap();
    let alone = alone.json();
    let of = |json: &serde_json::Value| json["jobs"].to_string();
    assert!(of(&alone).len() > 100, "{alone:#}");
    assert_eq!(of(&served), of(&alone));
}

#[test]
fn an_open_load_says_what_it_offers_and_what_it_never_issued() {
    if cfg!(not(unix)) {
        return;
    }
    let bench = Bench::new();
    let profile = "format = \"iotrial.profile/1\"\nname = \"sqlserver-open\"\ntitle = \"Open\"\n\
         schedule = { ramp = \"0s\", duration = \"3s\" }\nquick = { size = \"1GiB\", ramp = \"0s\", duration = \"3s\" }\n\
         [[job]]\nname = \"pages\"\nrole = \"data\"\npattern = \"random\"\nrwmix_read_percent = 100\nblock_size = \"8KiB\"\n\
         iodepth = 4\nrate = \"1000 iops\"\nsize = \"1GiB\"\n";
    std::fs::write(bench.path().join("open.toml"), profile).unwrap();
    // One at a time, each 2 ms: half of what is offered is never issued.
    let device = "service_time_us = 2000, parallelism = 1";
    let run = Serving::start(
        &bench,
        &[
            "run",
            "open.toml",
            "--engine",
            "sim",
            "--sim",
            device,
            "--steps",
            "100%,50%",
            "--duration",
            "700h",
        ],
    );
    let text = run.until(&["iotrial_job_backlog{", "iotrial_run_step 1\n"]);
    assert_eq!(value(&text, "iotrial_job_offered_iops{"), 1_000.0, "{text}");
    assert!((value(&text, "iotrial_job_iops{") / 500.0 - 1.0).abs() < 0.05, "{text}");
    let elapsed = value(&text, "iotrial_run_elapsed_seconds");
    assert!((value(&text, "iotrial_job_backlog{") / (500.0 * elapsed) - 1.0).abs() < 0.2, "{text}");
    assert_eq!(value(&text, "iotrial_job_not_issued_total{"), 0.0);
}

#[test]
fn a_sweep_counts_its_loads_and_a_study_names_its_configuration() {
    if cfg!(not(unix)) {
        return;
    }
    let bench = Bench::new();
    let sweep = Serving::start(
        &bench,
        &[
            "sweep",
            "--engine",
            "sim",
            "--pattern",
            "randread-8k",
            "--grid",
            "1,2,4,8",
            "--step",
            "2000s",
            "--idle",
            "1s",
        ],
    );
    let text = sweep.until(&["iotrial_run_loads_total 2\n", "iotrial_job_iops{"]);
    assert!(value(&text, "iotrial_job_latency_seconds_count{") > 0.0, "{text}");
    drop(sweep);
    std::fs::write(bench.path().join("two.toml"), STUDY).unwrap();
    let study = Serving::start(&bench, &["study", "two.toml"]);
    study.until(&["iotrial_run_phase{phase=\"measure\"} 1", "iotrial_job_iops{label=\""]);
}

#[test]
fn a_port_in_use_is_refused_before_anything_is_written() {
    let bench = Bench::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    std::fs::write(bench.path().join("two.toml"), STUDY).unwrap();
    for command in [&["run", "--target", "data"][..], &["sweep", "--target", "data"], &["study", "two.toml"]]
    {
        let refused = bench.run(&[command, &["--listen", &address]].concat()).expect_code(2);
        assert!(refused.stderr.contains(&format!("cannot listen on {address}")), "{}", refused.stderr);
        assert!(bench.data_files().is_empty() && !bench.store().exists(), "{command:?} wrote something");
    }
    // A run that is only planned takes no port.
    bench.run(&["run", "--target", "data", "--dry-run", "--listen", &address]).expect_code(0);
    bench.run(&["study", "two.toml", "--dry-run", "--listen", &address]).expect_code(0);
}
