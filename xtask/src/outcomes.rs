//! Three cases in which the figures may not be the device's, again and again: somebody else writes to the disk, too little is measured, the
//! device never sees a byte. Each has to be found every time, and to leave the answer open; what is good enough beside a foreign writer is
//! good enough.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::attack::Loop;
use crate::attack::left_over::{self, OwnFolder};
use crate::carried_out::{INCONCLUSIVE, carried_out, how_it_ended};
use crate::workspace::{build_folder, find_program};

const USAGE: &str = "\
Usage: cargo xtask outcomes [--count N] [--program FILE] [--smallest]

  --count N       so many runs of each case [default: 20]
  --program FILE  the iotrial to run [default: the debug one, which is built]
  --smallest      one run of 3 s of each case, to see that the task works

Each case is a run of 2 or 10 s on 64 MiB below the build's folder. The device that sees no byte is a loop device above the page cache,
which needs root. Stopped by a signal, the task takes it down; killed, it leaves that to the next time.";

/// What the folder of the task begins with.
const FOLDER_PREFIX: &str = "outcomes-";

/// Random reads, so that nothing but the case itself leaves the answer open.
const PROFILE: &str = r#"format = "iotrial.profile/1"
name = "reads"
title = "Random reads"
schedule = { ramp = "1s", duration = "10s" }
quick = { size = "64MiB", ramp = "1s", duration = "10s" }
[[job]]
name = "reads"
role = "data"
pattern = "random"
rwmix_read_percent = 100
block_size = "8KiB"
iodepth = 4
size = "64MiB"
"#;

/// Runs each case so often, and says how often it was told.
pub(crate) fn outcomes(arguments: &[String], root: &Path) -> anyhow::Result<ExitCode> {
    let is_smallest = arguments.iter().any(|argument| argument == "--smallest");
    let mut count = if is_smallest { 1 } else { 20 };
    let mut program = None;
    let mut arguments = arguments.iter().filter(|argument| *argument != "--smallest");
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--count", Some(number)) => count = number.parse().context("--count takes a number")?,
            ("--program", Some(file)) => program = Some(PathBuf::from(file)),
            _ => {
                println!("{USAGE}");
                return Ok(ExitCode::from(2));
            }
        }
    }
    let program = program.map_or_else(|| build(root), Ok)?;
    // The cases run in another folder.
    let program =
        program.canonicalize().with_context(|| format!("there is no program {}", program.display()))?;
    let build = build_folder(root);
    fs::create_dir_all(&build).with_context(|| format!("cannot make {}", build.display()))?;
    left_over::take_down(&build, FOLDER_PREFIX)?;
    left_over::stop_in_order()?;
    let folder = OwnFolder::new(&build, FOLDER_PREFIX)?;
    let profile = if is_smallest { PROFILE.replace("10s", "3s") } else { PROFILE.to_owned() };
    fs::write(folder.path().join("reads.toml"), profile)?;
    let mut is_as_expected = true;
    for case in [Case::ForeignWriter, Case::Short, Case::NoByte] {
        let Some(target) = Target::of(case, folder.path())? else {
            println!("{}: skipped, because it needs root and losetup", case.name());
            continue;
        };
        let right = (0..count)
            .map(|_| case.is_told(&program, folder.path(), &target))
            .collect::<Result<Vec<_>, _>>()?;
        let counted = right.iter().filter(|one| **one).count();
        println!("{}: told {counted} of {count} times, by `{}`", case.name(), case.finding());
        is_as_expected &= counted == right.len();
    }
    Ok(if is_as_expected { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn build(root: &Path) -> anyhow::Result<PathBuf> {
    let mut cargo = Command::new("cargo");
    let output = cargo
        .args(["build", "-p", "iotrial", "--message-format", "json-render-diagnostics"])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    // Cargo knows where its target folder is, whatever the environment says.
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages.filter_map(|one| Some(PathBuf::from(one.get("executable")?.as_str()?)));
    programs.next_back().context("iotrial was not built")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    ForeignWriter,
    Short,
    NoByte,
}

impl Case {
    const fn name(self) -> &'static str {
        match self {
            Self::ForeignWriter => "a foreign writer on the disk",
            Self::Short => "--duration 2s",
            Self::NoByte => "a device that sees no byte",
        }
    }

    /// What has to be found: an answer that is left open for another reason would hide that this one was missed.
    const fn finding(self) -> &'static str {
        match self {
            Self::ForeignWriter => "foreign-load",
            Self::Short => "short-run",
            Self::NoByte => "cache-served",
        }
    }

    fn is_told(self, program: &Path, folder: &Path, target: &Target) -> anyhow::Result<bool> {
        let _writer = (self == Self::ForeignWriter).then(|| Writer::start(folder)).transpose()?;
        let mut run = Command::new(program);
        run.current_dir(folder)
            .args(["run", "./reads.toml", "--closed", "--json", "--quiet", "--store", "store"])
            .arg("--target")
            .arg(target.path());
        if self == Self::Short {
            run.args(["--duration", "2s"]);
        }
        // Into files: a pipe would have to be emptied while this waits.
        let [out, err] = ["out", "err"].map(|name| folder.join(name));
        run.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?);
        let mut child = run.spawn().with_context(|| format!("cannot start {}", program.display()))?;
        let status = left_over::wait(&mut child)?;
        let ended = how_it_ended(status, &fs::read(err)?);
        ensure!(carried_out(status), "{}: {ended}", self.name());
        let summary: Value = serde_json::from_slice(&fs::read(out)?)
            .with_context(|| format!("{}: the summary is not JSON: {ended}", self.name()))?;
        let findings = summary["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_found = findings.iter().any(|one| one["id"] == self.finding());
        let outcome = &summary["verdict"]["outcome"];
        let is_open = outcome == "inconclusive" && status.code() == Some(INCONCLUSIVE);
        let is_good_enough = self == Self::ForeignWriter && outcome == "qualified" && status.success();
        let is_told = is_found && (is_open || is_good_enough);
        if !is_told {
            println!("{}: {}", self.name(), summary["verdict"]);
        }
        Ok(is_told)
    }
}

/// Where the load goes.
enum Target {
    Folder(PathBuf),
    Loop(Loop),
}

impl Target {
    /// `None` where it cannot be made here.
    fn of(case: Case, folder: &Path) -> anyhow::Result<Option<Self>> {
        if case != Case::NoByte {
            return Ok(Some(Self::Folder(folder.join("data"))));
        }
        if find_program("losetup").is_none() {
            return Ok(None);
        }
        let file = folder.join("cached");
        // Written and not only sized: what is a hole would be read from nowhere on any device.
        fs::write(&file, vec![0x5a; 64 << 20])?;
        Ok(Loop::over(&file).ok().map(Self::Loop))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Folder(path) => path,
            Self::Loop(device) => device.path(),
        }
    }
}

/// Writes to a file of its own on the same disk, past the page cache, until it is dropped.
struct Writer(Child);

impl Writer {
    fn start(folder: &Path) -> anyhow::Result<Self> {
        // Ends with this process, however that ends.
        let script = "while kill -0 $PPID; do dd if=/dev/zero of=foreign bs=1M count=64 oflag=direct conv=notrunc; done 2>/dev/null";
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).current_dir(folder).stdin(Stdio::null());
        Ok(Self(shell.spawn().context("cannot start sh")?))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // The `dd` under way writes its 64 MiB to the end, and nobody starts another one.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
