//! `iotrial capture`: traces that other programs wrote, and a loop device under fio, traced live where this host lets root do it.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{Bench, start};

fn trace(name: &str) -> String {
    format!("{}/../iotrial-import/tests/block_trace/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn of<'a>(answer: &'a Value, figure: &str) -> &'a Value {
    answer["compared"].as_array().unwrap().iter().find(|one| one["figure"] == figure).unwrap()
}

#[test]
fn a_trace_becomes_a_profile_that_runs() {
    let bench = Bench::new();
    let answer = bench.run(&["capture", &trace("perf-script.txt"), "--json", "-o", "mine.toml"]);
    let answer = answer.expect_code(0).json();
    assert_eq!((&answer["facts"]["source"], &answer["io_count"]), (&"perf_script".into(), &160.into()));
    assert_eq!((&answer["read"]["count"], &answer["syncs"]["flush_count"]), (&83.into(), &39.into()));
    for figure in ["read_percent", "sequential_percent"] {
        let one = of(&answer, figure);
        let difference = one["capture"].as_f64().unwrap() - one["profile"].as_f64().unwrap();
        assert!(difference.abs() < 5.0, "{one}");
    }
    bench
        .run(&["run", "mine.toml", "--engine", "sim", "--ramp=0s", "--duration=2s", "--quiet", "--json"])
        .json();
}

#[test]
fn what_cannot_be_captured_is_refused() {
    let bench = Bench::new();
    fs::write(bench.path().join("other.in"), "Device r/s\nsda 1\n").unwrap();
    for words in [
        &["other.in"][..],
        &["no-such-file"],
        &["other.in", "other.in"],
        &["other.in", "--target", "."],
        &["0s"],
    ] {
        bench.run(&[&["capture"], words].concat()).expect_code(2);
    }
    bench.run(&["capture", "--target", "./no-such-folder", "1s"]).expect_code(2);
    bench.run(&["capture", "--pid", "4294967295", "1s"]).expect_code(2);
}

/// A loop device on a file, and tracefs where it is not mounted; both are given back.
struct Rig {
    device: String,
    tracefs: PathBuf,
    is_mounted_here: bool,
    _folder: tempfile::TempDir,
}

fn ran(program: &str, words: &[&str]) -> Option<String> {
    let output = Command::new(program).args(words).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

impl Rig {
    fn new() -> Result<Self, &'static str> {
        if !rustix::process::geteuid().is_root() {
            return Err("only root traces block I/O");
        }
        if ran("fio", &["--version"]).is_none() {
            return Err("fio is missing");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        fs::File::create(&file).unwrap().set_len(256 << 20).unwrap();
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let place = mounts.lines().find_map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            (words.get(2) == Some(&"tracefs")).then(|| PathBuf::from(words[1]))
        });
        let is_mounted_here = place.is_none();
        let tracefs = place.unwrap_or_else(|| folder.path().join("tracefs"));
        if is_mounted_here {
            fs::create_dir(&tracefs).unwrap();
            ran("mount", &["-t", "tracefs", "nodev", tracefs.to_str().unwrap()])
                .ok_or("tracefs cannot be mounted")?;
        }
        let device = ran("losetup", &["--find", "--show", file.to_str().unwrap()]);
        let rig =
            Self { device: device.clone().unwrap_or_default(), tracefs, is_mounted_here, _folder: folder };
        let has_events = rig.tracefs.join("events/block/block_rq_issue").exists();
        if device.is_none() || !has_events {
            return Err("no loop device, or no block events");
        }
        Ok(rig)
    }

    fn instance_of(&self, child: &Child) -> Option<PathBuf> {
        let ours = format!("iotrial-{}-", child.id());
        let entries = fs::read_dir(self.tracefs.join("instances")).unwrap().flatten();
        entries
            .map(|entry| entry.path())
            .find(|path| path.file_name().unwrap().to_string_lossy().starts_with(&ours))
    }

    fn capture(&self, bench: &Bench) -> Command {
        bench.interruptible(&["capture", "--target", &self.device, "10m", "--json"])
    }

    /// The instance of a capture that has begun.
    fn begun(&self, child: &mut Child) -> PathBuf {
        loop {
            assert!(child.try_wait().unwrap().is_none(), "the capture ended");
            let Some(instance) = self.instance_of(child) else { continue };
            let is_on =
                |file: &str| fs::read_to_string(instance.join(file)).is_ok_and(|on| on.starts_with('1'));
            if is_on("events/block/block_rq_complete/enable") && is_on("tracing_on") {
                return instance;
            }
        }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        if !self.device.is_empty() {
            ran("losetup", &["-d", &self.device]);
        }
        if self.is_mounted_here {
            ran("umount", &[self.tracefs.to_str().unwrap()]);
        }
    }
}

fn fio(device: &str) -> Vec<Value> {
    let file = format!("--filename={device}");
    let words = [
        &file,
        "--direct=1",
        "--ioengine=psync",
        "--output-format=json",
        "--randrepeat=1",
        "--name=mix",
        "--rw=randrw",
        "--rwmixread=70",
        "--bs=8k",
        "--size=100m",
        "--number_ios=4000",
        "--name=scan",
        "--rw=read",
        "--bs=256k",
        "--offset=100m",
        "--size=100m",
        "--number_ios=400",
        "--name=log",
        "--rw=write",
        "--bs=4k",
        "--fdatasync=1",
        "--offset=200m",
        "--size=50m",
        "--number_ios=600",
    ];
    let text = ran("fio", &words.map(AsRef::as_ref)).expect("fio runs");
    let answer: Value = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
    answer["jobs"].as_array().unwrap().clone()
}

#[test]
fn a_live_capture_has_what_fio_did_and_leaves_nothing_in_the_kernel() {
    let rig = match Rig::new() {
        Ok(rig) => rig,
        Err(why) => return println!("skipped: {why}"),
    };
    let bench = Bench::new();
    let mut child = start(&mut rig.capture(&bench));
    let instance = rig.begun(&mut child);
    let jobs = fio(&rig.device);
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!instance.exists());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let count = |job: usize, direction: &str| jobs[job][direction]["total_ios"].as_f64().unwrap();
    let (reads, writes) = (count(0, "read") + count(1, "read"), count(0, "write") + count(2, "write"));
    let all = reads + writes;
    let near = |figure: &Value, expected: f64| {
        assert!((figure.as_f64().unwrap() - expected).abs() < 5.0, "{figure} {expected}\n{answer:#}");
    };
    let sequential = 100.0 * (count(1, "read") + count(2, "write")) / all;
    let seconds = answer["duration_s"].as_f64().unwrap();
    for (figure, expected) in [("read_percent", 100.0 * reads / all), ("sequential_percent", sequential)] {
        near(&answer[figure], expected);
        near(&of(&answer, figure)["profile"], expected);
    }
    // In percent of what fio did.
    let syncs = |figure: &Value| Value::from(100.0 * figure.as_f64().unwrap() * seconds / count(2, "write"));
    near(&syncs(&answer["syncs"]["per_s"]), 100.0);
    near(&syncs(&of(&answer, "syncs_per_s")["profile"]), 100.0);
    let read_bytes = (count(0, "read") * 8_192.0 + count(1, "read") * 262_144.0) / reads;
    near(&Value::from(100.0 * answer["read"]["mean_bytes"].as_f64().unwrap() / read_bytes), 100.0);
    assert_eq!(answer["facts"]["lost_count"], 0);

    let mut child = start(&mut rig.capture(&bench));
    let instance = rig.begun(&mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(instance.exists());
    // Nothing happens on the device meanwhile, which is an error of its own.
    bench.run(&["capture", "--target", &rig.device, "100ms"]).expect_code(3);
    assert!(!instance.exists());
}
