//! The rule of free space: a tenth and a gibibyte stay free, whoever shares the room.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use super::Ground;
use super::ground::{Loop, Mounted};

/// What stays free, but for what the file system needs for its own accounts.
const LEAST_MIB: u64 = 1_024 - 16;
/// So long it may be less: two runs may reserve in the same moment, and one of them gives way.
const MOMENT: Duration = Duration::from_millis(300);

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    two_runs(ground)?;
    subvolumes(ground)?;
    overlay(ground)?;
    kept_files(ground)
}

/// A file system of 1,600 MiB, of which about 500 may be filled.
fn small(ground: &mut Ground, kind: &str) -> anyhow::Result<Option<(Mounted, Loop, std::path::PathBuf)>> {
    let (device, place) = match (Loop::new(ground.path(), 1_600), ground.fresh()) {
        (Ok(device), place) => (device, place?),
        (Err(error), _) => {
            ground.skip(error);
            return Ok(None);
        }
    };
    let node = device.path().display().to_string();
    let flags: &[&str] = if kind == "ext4" { &["-qF", "-m", "0"] } else { &["-qf"] };
    let made = Command::new(format!("mkfs.{kind}")).args(flags).arg(&node).output();
    if !made.is_ok_and(|made| made.status.success()) {
        ground.skip(format!("no mkfs.{kind}"));
        return Ok(None);
    }
    let folder = place.join("m");
    match Mounted::new(&[&node], &folder) {
        Ok(mounted) => Ok(Some((mounted, device, folder))),
        Err(error) => {
            ground.skip(format!("{kind}: {error}"));
            Ok(None)
        }
    }
}

fn available_mib(folder: &std::path::Path) -> u64 {
    let df = Command::new("df").args(["-BM", "--output=avail"]).arg(folder).output();
    let text = df.map(|df| String::from_utf8_lossy(&df.stdout).into_owned()).unwrap_or_default();
    text.lines().last().and_then(|line| line.trim().trim_end_matches('M').parse().ok()).unwrap_or_default()
}

fn two_runs(ground: &mut Ground) -> anyhow::Result<()> {
    let Some((_mounted, _device, folder)) = small(ground, "ext4")? else { return Ok(()) };
    let profile = ground.profile().display().to_string();
    for number in 0..5 {
        let mut children = Vec::new();
        for name in ["a", "b"] {
            let target = folder.join(name).display().to_string();
            let arguments = [
                "run",
                &profile,
                "--target",
                &target,
                "--size",
                "350MiB",
                "--duration",
                "500ms",
                "--closed",
                "--quiet",
            ];
            let mut command = ground.command(&arguments);
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
            children.push(command.spawn()?);
        }
        let mut short_since: Option<Instant> = None;
        let (mut longest, mut least) = (Duration::ZERO, u64::MAX);
        while children.iter_mut().any(|child| child.try_wait().is_ok_and(|ended| ended.is_none())) {
            let free = available_mib(&folder);
            least = least.min(free);
            if free < LEAST_MIB {
                longest = longest.max(short_since.get_or_insert_with(Instant::now).elapsed());
            } else {
                short_since = None;
            }
        }
        ground.case(
            format!("two runs at once on ext4, {number}"),
            (longest > MOMENT).then(|| format!("{least} MiB free, for {longest:?} less than the rule")),
        );
    }
    Ok(())
}

/// A run on two directories that asks for more than the room that they share is refused, as it is on one.
fn refused(ground: &mut Ground, what: &str, one: &str, other: &str) -> anyhow::Result<()> {
    let profile = ground.file(
        "two.toml",
        super::ground::PROFILE.replace("numjobs = 1\niodepth = 4", "numjobs = 2\niodepth = 2"),
    )?;
    let profile = profile.display().to_string();
    let arguments = [
        "run",
        &profile,
        "--target",
        one,
        "--target",
        other,
        "--size",
        "640MiB",
        "--duration",
        "100ms",
        "--closed",
        "--quiet",
    ];
    let ran = ground.run(&arguments)?;
    let is_refused = ran.code == Some(3) && ran.err().contains("stay free");
    ground.case(what, (!is_refused).then(|| ran.seen()));
    Ok(())
}

fn subvolumes(ground: &mut Ground) -> anyhow::Result<()> {
    let Some((_mounted, _device, folder)) = small(ground, "btrfs")? else { return Ok(()) };
    for name in ["a", "b"] {
        let made =
            Command::new("btrfs").args(["-q", "subvolume", "create"]).arg(folder.join(name)).status()?;
        anyhow::ensure!(made.success(), "no subvolume");
    }
    let path = |name: &str| folder.join(name).display().to_string();
    refused(ground, "two subvolumes of btrfs share their room", &path("a"), &path("b"))
}

fn overlay(ground: &mut Ground) -> anyhow::Result<()> {
    let Some((_mounted, _device, folder)) = small(ground, "ext4")? else { return Ok(()) };
    for name in ["lower", "upper", "work", "plain"] {
        fs::create_dir(folder.join(name))?;
    }
    let path = |name: &str| folder.join(name).display().to_string();
    let options = format!("lowerdir={},upperdir={},workdir={}", path("lower"), path("upper"), path("work"));
    let over = ground.fresh()?.join("over");
    let _overlay = match Mounted::new(&["-t", "overlay", "overlay", "-o", &options], &over) {
        Ok(mounted) => mounted,
        Err(error) => {
            ground.skip(format!("overlay: {error}"));
            return Ok(());
        }
    };
    refused(
        ground,
        "an overlay and the file system below it share their room",
        &over.display().to_string(),
        &path("plain"),
    )
}

/// Files that another profile kept are no room of this one.
fn kept_files(ground: &mut Ground) -> anyhow::Result<()> {
    let Some((_mounted, _device, folder)) = small(ground, "ext4")? else { return Ok(()) };
    let other = ground.file(
        "other.toml",
        super::ground::PROFILE
            .replace("name = \"data\"", "name = \"other\"")
            // Of the 500 MiB that may be filled, some are left: where nothing is, a run is refused.
            .replace("\"8MiB\"", "\"300MiB\""),
    )?;
    let target = folder.join("t").display().to_string();
    let run = |profile: &str, more: &[&'static str]| {
        let mut arguments = vec!["run".to_owned(), profile.to_owned()];
        arguments
            .extend(["--target", &target, "--duration", "50ms", "--closed", "--quiet"].map(str::to_owned));
        arguments.extend(more.iter().map(|&one| one.to_owned()));
        arguments
    };
    let words = |arguments: &[String]| -> anyhow::Result<_> {
        ground.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let first = words(&run(&other.display().to_string(), &["--keep-files"]))?;
    let large = ground.file("large.toml", super::ground::PROFILE.replace("\"8MiB\"", "\"600MiB\""))?;
    let second = words(&run(&large.display().to_string(), &[]))?;
    let goes_on = second.is_done() && second.crash().is_none();
    // It shrinks to the room that there is, and never fails half way.
    let free = available_mib(&folder);
    ground.case(
        "files of another profile are not counted as free",
        (!goes_on || free + 64 < LEAST_MIB)
            .then(|| format!("{} then {}; {free} MiB free", first.seen(), second.seen())),
    );
    Ok(())
}
