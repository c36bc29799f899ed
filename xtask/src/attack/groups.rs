//! Control groups with little memory, few processes, few CPUs, a slow store, and one that is frozen: a clear error, or the run with its finding.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::Ground;
use super::ground::{Loop, Mounted, Ran};
use super::left_over::{GROUP_PREFIX, GROUPS, remove_group};

const MIB: u64 = 1 << 20;

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    memory(ground)?;
    processes(ground)?;
    processors(ground)?;
    frozen(ground)?;
    slow_store(ground)
}

/// A control group of version 1; removed when it is dropped, with whatever is still in it.
struct Group(PathBuf);

impl Group {
    /// Of a controller, with some files written; `None` where this host has no such controller.
    fn new(ground: &mut Ground, controller: &str, settings: &[(&str, String)]) -> Option<Self> {
        let number = ground.fresh().ok()?.file_name()?.to_string_lossy().into_owned();
        let path =
            Path::new(GROUPS).join(controller).join(format!("{GROUP_PREFIX}{}-{number}", std::process::id()));
        if !path.parent()?.join("cgroup.procs").exists() || fs::create_dir(&path).is_err() {
            ground.skip(format!("no controller {controller} of control groups, version 1"));
            return None;
        }
        let group = Self(path);
        for (file, value) in settings {
            if let Err(error) = fs::write(group.0.join(file), value) {
                ground.skip(format!("{controller}: {file} cannot be {value}: {error}"));
                return None;
            }
        }
        Some(group)
    }

    /// The program in the group from its beginning.
    fn command(&self, ground: &Ground, words: &str) -> Command {
        ground.shell(&format!("echo $$ > '{}/cgroup.procs'; exec \"$IOTRIAL\" {words}", self.0.display()))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        remove_group(&self.0);
    }
}

/// Done, or an error with its words, and nothing left.
fn wrong(ran: &Ran, target: &Path) -> Option<String> {
    // The shell did not come to begin the program.
    if ran.err().contains("fork: ") || ran.err().contains("bash: ") {
        return None;
    }
    let is_refused = ran.code == Some(3) && ran.err().contains("error: ");
    let left = fs::read_dir(target).map_or(0, |entries| entries.count());
    ran.crash().or_else(|| (!ran.is_done() && !is_refused).then(|| ran.seen())).or_else(|| {
        (left > 0 && !ran.err().contains("iotrial clean"))
            .then(|| format!("{left} files left: {}", ran.seen()))
    })
}

fn words(target: &Path, more: &str) -> String {
    format!("run mini.toml --target '{}' --closed -q {more}", target.display())
}

/// The kernel ends a process that has no memory without a word to it: then what is left is found by `clean`.
fn memory(ground: &mut Ground) -> anyhow::Result<()> {
    ground.begin_kind();
    for mib in [8, 12, 16, 24, 32, 48, 64, 128] {
        for engine in ["uring", "threads"] {
            if !ground.tries() {
                continue;
            }
            let limit = [("memory.limit_in_bytes", (mib * MIB).to_string())];
            let Some(group) = Group::new(ground, "memory", &limit) else { return Ok(()) };
            let target = ground.fresh()?;
            let ran = ground.end(
                group.command(ground, &words(&target, &format!("--duration 200ms --engine {engine}"))),
            )?;
            let was_killed = fs::read_to_string(group.0.join("memory.oom_control")).is_ok_and(|text| {
                text.lines().any(|line| line.strip_prefix("oom_kill ").is_some_and(|count| count != "0"))
            });
            let wrong = if was_killed && ran.code.is_none() {
                ground.run(&["clean", &target.display().to_string(), "--yes"])?;
                let left = fs::read_dir(&target)?.count();
                (left > 0).then(|| format!("{left} files that clean does not find"))
            } else {
                wrong(&ran, &target)
            };
            ground.case(format!("{mib} MiB of memory, {engine}"), wrong);
        }
    }
    Ok(())
}

fn processes(ground: &mut Ground) -> anyhow::Result<()> {
    ground.begin_kind();
    for count in [1, 2, 3, 4, 5, 6, 7, 8, 12, 16] {
        for engine in ["uring", "threads"] {
            if !ground.tries() {
                continue;
            }
            let Some(group) = Group::new(ground, "pids", &[("pids.max", count.to_string())]) else {
                return Ok(());
            };
            let target = ground.fresh()?;
            let ran = ground.end(
                group.command(ground, &words(&target, &format!("--duration 200ms --engine {engine}"))),
            )?;
            ground.case(format!("{count} processes, {engine}"), wrong(&ran, &target));
        }
    }
    Ok(())
}

/// A tenth of a CPU: the run says that it had too little, and never that the device stood still.
fn processors(ground: &mut Ground) -> anyhow::Result<()> {
    let quota = [("cpu.cfs_period_us", "500000".to_owned()), ("cpu.cfs_quota_us", "50000".to_owned())];
    ground.begin_kind();
    for engine in ["uring", "threads"] {
        if !ground.tries() {
            continue;
        }
        let Some(group) = Group::new(ground, "cpu", &quota) else { return Ok(()) };
        let target = ground.fresh()?;
        let ran = ground.end(
            group.command(ground, &words(&target, &format!("--duration 5s --json --engine {engine}"))),
        )?;
        let summary: Value = serde_json::from_slice(&ran.stdout).unwrap_or_default();
        ground.case(format!("a tenth of a CPU, {engine}"), wrong(&ran, &target));
        let is_said = has(&summary, "paused") || has(&summary, "generator-busy");
        let name = format!("a tenth of a CPU, {engine}: said, and no stall of the device");
        ground.case(name, (!is_said || has(&summary, "stalled")).then(|| summary["findings"].to_string()));
    }
    Ok(())
}

fn frozen(ground: &mut Ground) -> anyhow::Result<()> {
    ground.begin_kind();
    for (engine, frozen_ms) in [("uring", 400), ("uring", 1_500), ("threads", 1_500)] {
        if !ground.tries() {
            continue;
        }
        let Some(group) = Group::new(ground, "freezer", &[]) else { return Ok(()) };
        let target = ground.fresh()?;
        let mut command =
            group.command(ground, &words(&target, &format!("--duration 6s --json --engine {engine}")));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        std::thread::sleep(Duration::from_millis(2_500));
        fs::write(group.0.join("freezer.state"), "FROZEN")?;
        std::thread::sleep(Duration::from_millis(frozen_ms));
        fs::write(group.0.join("freezer.state"), "THAWED")?;
        let output = child.wait_with_output()?;
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let is_told = has(&summary, "paused") && !has(&summary, "stalled");
        ground.case(
            format!("{engine} frozen for {frozen_ms} ms: told as a pause, and not as a stall of the device"),
            (!is_told).then(|| format!("{:?} {}", output.status.code(), summary["findings"])),
        );
    }
    Ok(())
}

/// The journal goes to a device of 16 KiB a second: the record is whole, and nothing of it is in the figures.
fn slow_store(ground: &mut Ground) -> anyhow::Result<()> {
    let device = match Loop::new(ground.path(), 64) {
        Ok(device) => device,
        Err(error) => {
            ground.skip(error);
            return Ok(());
        }
    };
    let node = device.path().display().to_string();
    let name = node.trim_start_matches("/dev/");
    anyhow::ensure!(Command::new("mkfs.ext4").args(["-qF", &node]).status()?.success(), "no ext4 on {node}");
    let place = ground.fresh()?.join("m");
    let _mounted = Mounted::new(&[&node], &place)?;
    let number = fs::read_to_string(format!("/sys/block/{name}/dev"))?;
    let limit = format!("{} 16384", number.trim());
    let settings = [("blkio.throttle.write_bps_device", limit)];
    let Some(group) = Group::new(ground, "blkio", &settings) else { return Ok(()) };
    let (target, store) = (ground.fresh()?, place.join("store"));
    let more = format!("--duration 4s --json --store '{}'", store.display());
    let ran = ground.end(group.command(ground, &words(&target, &more)))?;
    ground.case("a store of 16 KiB/s", wrong(&ran, &target));
    let summary: Value = serde_json::from_slice(&ran.stdout).unwrap_or_default();
    let accused = ["stalled", "paused", "late-issues"].into_iter().find(|id| has(&summary, id));
    ground.case(
        "a store of 16 KiB/s: nothing of it is in the figures",
        accused.map(|id| format!("{id} in {}", summary["findings"])),
    );
    let shown = ground.run(&["report", "last", "--json", "--store", &store.display().to_string()])?;
    let is_whole = shown.out().contains("\"ended\": \"complete\"");
    ground.case("a store of 16 KiB/s: the record is whole", (!is_whole).then(|| shown.seen()));
    Ok(())
}

fn has(summary: &Value, id: &str) -> bool {
    summary["findings"].as_array().is_some_and(|all| all.iter().any(|one| one["id"] == id))
}
