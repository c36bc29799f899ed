//! Killed at any call: `clean` finds what is left, and the next run is not in its way.

use std::fs;
use std::process::{Command, Stdio};

use super::Ground;

/// Calls at which a run, a removal and a clean-up are killed, each at its first ones.
const CALLS: [&str; 12] = [
    "openat",
    "mkdirat",
    "flock",
    "pwrite64",
    "fsync",
    "linkat",
    "fallocate",
    "fdatasync",
    "renameat",
    "unlinkat",
    "close",
    "ftruncate",
];

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    if Command::new("strace").arg("--version").output().is_err() {
        ground.skip("there is no strace");
        return Ok(());
    }
    for no_tmpfile in [false, true] {
        for call in CALLS {
            // Opens and closes are many before anything is made.
            let moments: &[u32] =
                if matches!(call, "openat" | "close") { &[60, 90, 120, 150, 180] } else { &[1, 2, 3, 4] };
            for moment in moments {
                if ground.tries() {
                    killed(ground, call, *moment, no_tmpfile)?;
                }
            }
        }
    }
    Ok(())
}

fn killed(ground: &mut Ground, call: &str, moment: u32, no_tmpfile: bool) -> anyhow::Result<()> {
    let place = ground.fresh()?;
    let target = place.join("t");
    fs::create_dir(&target)?;
    let profile = ground.profile().display().to_string();
    let shown = target.display().to_string();
    let run = ["run", &profile, "--target", &shown, "--duration", "50ms", "--closed", "--quiet"];
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call},linkat")]);
    command.args(["-e", &format!("inject={call}:signal=KILL:when={moment}")]);
    // As on a file system that gives a nameless file no name later, so that it is made under another one.
    if no_tmpfile && call != "linkat" {
        command.args(["-e", "inject=linkat:error=EOPNOTSUPP"]);
    }
    command.arg(ground.program()).args(run).current_dir(ground.path()).env("IOTRIAL_STORE", ground.store());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    let how = if no_tmpfile { ", named first" } else { "" };
    let name = format!("killed at {call} {moment}{how}");
    ground.run(&["clean", &shown, "--yes"])?;
    let left: Vec<_> = fs::read_dir(&target)?.flatten().map(|one| one.file_name()).collect();
    ground.case(format!("{name}: clean leaves nothing"), (!left.is_empty()).then(|| format!("{left:?}")));
    let again = ground.run(&run)?;
    ground.case(format!("{name}: the next run measures"), (!again.is_done()).then(|| again.seen()));
    Ok(())
}
