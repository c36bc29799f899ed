//! A run that is stopped itself, and a device that loses a part of itself: neither is told as the other, nor as healthy.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::Ground;
use super::ground::{Loop, Mounted};

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    for (stops, stopped_ms) in [(1, 250), (1, 600), (1, 1_500), (1, 3_000), (3, 1_200)] {
        for engine in ["uring", "threads"] {
            if !ground.tries() {
                continue;
            }
            stopped(ground, engine, stops, stopped_ms)?;
        }
    }
    never_stopped(ground)?;
    lost_end(ground)
}

/// A run of six seconds, which something is done to after two; what it says of itself.
fn measured(
    ground: &Ground,
    engine: &str,
    target: &str,
    act: &dyn Fn(u32) -> anyhow::Result<()>,
) -> anyhow::Result<(Option<i32>, Value)> {
    let profile = ground.profile().display().to_string();
    let arguments = [
        "run",
        &profile,
        "--engine",
        engine,
        "--target",
        target,
        "--duration",
        "6s",
        "--closed",
        "--quiet",
        "--json",
    ];
    let mut command = ground.command(&arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    std::thread::sleep(Duration::from_millis(2_500));
    act(child.id())?;
    let output = child.wait_with_output()?;
    Ok((output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or_default()))
}

fn has(summary: &Value, id: &str) -> bool {
    summary["findings"].as_array().is_some_and(|all| all.iter().any(|one| one["id"] == id))
}

fn signal(pid: u32, name: &str) -> anyhow::Result<()> {
    anyhow::ensure!(
        Command::new("kill").args([name, &pid.to_string()]).status()?.success(),
        "no such process"
    );
    Ok(())
}

fn stopped(ground: &mut Ground, engine: &str, stops: u32, stopped_ms: u64) -> anyhow::Result<()> {
    let target = ground.fresh()?.display().to_string();
    let act = |pid: u32| {
        for _ in 0..stops {
            signal(pid, "-STOP")?;
            std::thread::sleep(Duration::from_millis(stopped_ms));
            signal(pid, "-CONT")?;
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    };
    let (code, summary) = measured(ground, engine, &target, &act)?;
    let name = format!("{engine} stopped {stops} times for {stopped_ms} ms");
    ground.case(
        format!("{name}: told as a pause"),
        (!has(&summary, "paused")).then(|| format!("{code:?} {}", summary["findings"])),
    );
    ground.case(
        format!("{name}: no stall of the device"),
        has(&summary, "stalled").then(|| summary["findings"].to_string()),
    );
    Ok(())
}

fn never_stopped(ground: &mut Ground) -> anyhow::Result<()> {
    let target = ground.fresh()?.display().to_string();
    let (_, summary) = measured(ground, "uring", &target, &|_| Ok(()))?;
    ground.case(
        "a run that is not stopped has no pause",
        has(&summary, "paused").then(|| summary["findings"].to_string()),
    );
    Ok(())
}

/// The file behind a device is cut while a file system on it is measured.
fn lost_end(ground: &mut Ground) -> anyhow::Result<()> {
    ground.begin_kind();
    for engine in ["uring", "threads"] {
        if !ground.tries() {
            continue;
        }
        let device = match Loop::new(ground.path(), 64) {
            Ok(device) => device,
            Err(error) => {
                ground.skip(error);
                return Ok(());
            }
        };
        let node = device.path().display().to_string();
        let backing =
            fs::read_to_string(format!("/sys/block/{}/loop/backing_file", node.trim_start_matches("/dev/")))?;
        Command::new("mkfs.ext4").args(["-qF", "-m", "0", &node]).status()?;
        let folder = ground.fresh()?.join("m");
        let _mounted = Mounted::new(&[&node], &folder)?;
        let cut = |_| Ok(fs::OpenOptions::new().write(true).open(backing.trim())?.set_len(1 << 20)?);
        let (code, summary) = measured(ground, engine, &folder.display().to_string(), &cut)?;
        let outcome = summary["verdict"]["outcome"].clone();
        let is_told = code != Some(0) && outcome != "qualified";
        ground.case(
            format!("{engine} on a device that lost its end is not qualified"),
            (!is_told).then(|| format!("{code:?} {outcome} {}", summary["findings"])),
        );
    }
    Ok(())
}
