//! The three outcomes on devices of a real kernel: loop devices with a limit, with somebody else's load, and above a cache.
//! Skipped with a message where they cannot be made.

use crate::rig;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::rig::{Loop, is_root, turn};
use crate::support::{Bench, Ran};
use crate::throttled::{READS, Throttled, ensure, filled, is_measured, memory_folder, within_three_tries};
use serde_json::Value;

fn reading(bench: &Bench, target: &Path, more: &[&str]) -> Command {
    fs::write(bench.path().join("reads.toml"), READS).unwrap();
    let arguments = ["run", "./reads.toml", "--target", rig::text(target), "--json", "--quiet"];
    bench.command(&[&arguments[..], more].concat())
}

/// The exit code and the summary of a run.
fn outcome(command: &mut Command) -> (i32, Value) {
    let ran = Ran::from(command.output().unwrap());
    (ran.code, ran.json())
}

fn expect(of: &(i32, Value), outcome: &str, code: i32) -> Result<(), String> {
    let (exit_code, summary) = of;
    let verdict = &summary["verdict"];
    ensure(verdict["outcome"] == outcome, &format!("it is not {outcome}"), verdict)?;
    // The code says the same as the verdict, whatever that is.
    assert_eq!(*exit_code, code, "{verdict:#}");
    Ok(())
}

#[test]
fn a_volume_of_16000_iops_qualifies_for_10000_and_not_for_20000_needs_root() {
    let test = "a_volume_of_16000_iops_qualifies_for_10000_and_not_for_20000_needs_root";
    let _turn = turn();
    if !is_root(test) || !is_measured(test) {
        return;
    }
    let bench = Bench::new();
    let memory = memory_folder();
    let device = Loop::over(&filled(memory.path(), "disk", 128), &[]);
    let Some(group) = Throttled::new(&[&device], 16_000) else {
        eprintln!("{test}: skipped, because there is no blkio controller of cgroup v1");
        return;
    };
    let need = |iops: &str| outcome(&mut group.run(&reading(&bench, &device.node, &["--need", iops])));
    for (iops, expected, code, never) in
        [("10000iops", "qualified", 0, "not-qualified"), ("20000iops", "not-qualified", 1, "qualified")]
    {
        // A busy host can make either run inconclusive, but never turn one into the other.
        let tries = (0..3).map(|_| need(iops));
        let mut tried =
            tries.inspect(|(_, summary)| assert_ne!(summary["verdict"]["outcome"], never, "{summary:#}"));
        let is_decided = |of: &(i32, Value)| expect(of, expected, code).is_ok();
        let undecided: Vec<_> = tried.by_ref().take_while(|of| !is_decided(of)).collect();
        if undecided.len() == 3 {
            // What a hypervisor takes is no wait for the scheduler of this host: it only shows as I/Os that are late.
            let is_busy = |(code, summary): &(i32, Value)| {
                let said = summary.to_string();
                *code == 4 && (said.contains(r#""generator-busy""#) || said.contains(r#""late-issues""#))
            };
            assert!(undecided.iter().all(is_busy), "{undecided:#?}");
            eprintln!("{test}: not shown for {iops}, because others kept the processors busy three times");
        }
    }
}

/// A process of somebody else's, ended with the test.
struct Foreign(Child);

impl Drop for Foreign {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn somebody_elses_load_is_told_beside_an_answer_that_it_could_only_have_made_worse_needs_root() {
    let test = "somebody_elses_load_is_told_beside_an_answer_that_it_could_only_have_made_worse_needs_root";
    let _turn = turn();
    if !is_root(test) {
        return;
    }
    let bench = Bench::new();
    let memory = memory_folder();
    let device = Loop::over(&filled(memory.path(), "disk", 128), &[]);
    let node = rig::text(&device.node);
    let reader = "while :; do dd if=\"$0\" of=/dev/null bs=64k iflag=direct 2> /dev/null; done";
    let mut command = Command::new("sh");
    command.args(["-c", reader, node]).stdin(Stdio::null());
    let foreign = Foreign(command.spawn().unwrap());
    let beside = outcome(&mut reading(&bench, &device.node, &["--closed"]));
    drop(foreign);
    let (code, summary) = &beside;
    // The memory below is fast enough for two, unless the host has no CPU for them.
    let answered = (summary["verdict"]["outcome"].as_str(), *code);
    assert!([(Some("qualified"), 0), (Some("inconclusive"), 4)].contains(&answered), "{summary:#}");
    let reasons = beside.1["verdict"].to_string();
    assert!(reasons.contains("something else used"), "{reasons}");
}

#[test]
fn a_target_above_a_cache_is_inconclusive_needs_root() {
    let test = "a_target_above_a_cache_is_inconclusive_needs_root";
    let _turn = turn();
    if !is_root(test) {
        return;
    }
    let bench = Bench::new();
    // Without direct I/O the loop device reads its file through the page cache, which holds it as it was just written.
    let device = Loop::over(&filled(bench.path(), "disk", 64), &[]);
    // A kernel short of memory may drop the file, so that the first reads go to the disk.
    within_three_tries(|| {
        let cached = outcome(&mut reading(&bench, &device.node, &["--closed"]));
        expect(&cached, "inconclusive", 4)?;
        ensure(cached.1["verdict"]["advice"].is_string(), "there is no advice", &cached.1["verdict"])
    });
}

/// An open load that a file in memory carries in some 20 µs, and of which the thread alone, which watches the clock for 50 µs before each I/O,
/// needs more of a CPU than [`Rationed`] leaves it.
const DUE: &str = r#"
format = "iotrial.profile/1"
name = "due"
title = "Random reads at a rate"
schedule = { ramp = "1s", duration = "60s" }
quick = { size = "64MiB", duration = "8s" }
[[job]]
name = "reads"
role = "data"
pattern = "random"
rwmix_read_percent = 100
block_size = "8KiB"
numjobs = 1
iodepth = 256
size = "1GiB"
rate = "3000 iops"
spacing = "poisson"
"#;

/// A control group that has a CPU for 12 ms of each 100 ms; gone at the end.
struct Rationed(PathBuf);

impl Rationed {
    /// `None` where the kernel has no such groups.
    fn new() -> Option<Self> {
        let path = Path::new("/sys/fs/cgroup/cpu").join(format!("iotrial-test-{}", std::process::id()));
        fs::create_dir(&path).ok()?;
        let group = Self(path);
        fs::write(group.0.join("cpu.cfs_period_us"), "100000").ok()?;
        fs::write(group.0.join("cpu.cfs_quota_us"), "12000").ok()?;
        Some(group)
    }
}

impl Drop for Rationed {
    fn drop(&mut self) {
        // A group is busy for a moment after its last process has ended.
        if !(0..1_000).any(|_| fs::remove_dir(&self.0).is_ok()) {
            eprintln!("left over: {}", self.0.display());
        }
    }
}

#[test]
fn what_a_host_makes_of_p99_when_it_takes_the_cpu_is_told_and_not_put_on_the_device_needs_root() {
    let test = "what_a_host_makes_of_p99_when_it_takes_the_cpu_is_told_and_not_put_on_the_device_needs_root";
    let _turn = turn();
    if !is_root(test) || !is_measured(test) {
        return;
    }
    let bench = Bench::new();
    fs::write(bench.path().join("due.toml"), DUE).unwrap();
    let memory = memory_folder();
    let device = Loop::over(&filled(memory.path(), "disk", 64), &[]);
    let arguments =
        ["run", "./due.toml", "--closed", "--target", rig::text(&device.node), "--json", "--quiet"];
    let held = |summary: &Value| {
        let findings = summary["findings"].as_array().unwrap();
        let late = findings.iter().find(|one| one["id"] == "late-issues");
        late.map(|one| one["evidence"]["held"].clone()).unwrap_or_default()
    };
    let Some(group) = Rationed::new() else {
        eprintln!("{test}: skipped, because there is no cpu controller of cgroup v1");
        return;
    };
    within_three_tries(|| {
        let command = bench.command(&arguments);
        let mut within = Command::new("sh");
        within.args(["-ec", "echo $$ > \"$0\"; exec \"$@\"", rig::text(&group.0.join("cgroup.procs"))]);
        within.arg(command.get_program()).args(command.get_args()).current_dir(bench.path());
        within.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let (code, summary) = outcome(&mut within);
        let p99 = &held(&summary)[0];
        let [latency_us, without_us] =
            ["latency_us", "without_us"].map(|key| p99[key].as_f64().unwrap_or_default());
        ensure(latency_us > 20_000.0, "p99 is short, or nothing of it is the host's", &summary["findings"])?;
        // The kernel's own threads, which have no CPU either on a busy host, are the rest.
        ensure(without_us < 0.7 * latency_us, "most of it is said to be the device's", p99)?;
        expect(&(code, summary), "inconclusive", 4)
    });
    // With a CPU for itself nobody is accused; on a host that others use three times on end, that cannot be shown.
    let is_quiet =
        |summary: &Value| summary["cpu"]["run_queue_delay_ms_per_s"].as_f64().is_some_and(|ms| ms < 5.0);
    let runs = (0..3).map(|_| outcome(&mut bench.command(&arguments)).1);
    let Some(alone) = runs.into_iter().find(is_quiet) else {
        eprintln!(
            "{test}: not shown that nobody is accused, because others kept the processors busy three times"
        );
        return;
    };
    assert_eq!(held(&alone), Value::Null, "{:#}", alone["findings"]);
}
