//! The program for Windows, run under Wine: the part of the tests that knows no operating system, and runs as a user makes them.
//!
//! Wine is no Windows: it does most I/O on files within the call, and answers questions about disks from what Linux tells. What it shows is that the
//! program starts, does its I/O right, and ends as it should.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::setup::{self, WINDOWS_C_COMPILER, WINDOWS_TARGET};
use crate::step::{Outcome, shown};
use crate::workspace::find_program;

/// Where Debian has it; its own name is taken by a script that asks for 32 bits as well.
const WINE: [&str; 2] = ["/usr/lib/wine/wine64", "/usr/lib64/wine/wine64"];

/// Wine 8 has no `ProcessPrng`, from which Rust's standard library takes random numbers. This lies beside the tests and nowhere else.
const RANDOM_NUMBERS: &str = "\
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID data, ULONG length); /* RtlGenRandom */
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return SystemFunction036(data, (ULONG)length); }
";

/// The tests that hold on every operating system.
const TESTS: [&[&str]; 5] = [
    &["-p", "iotrial-model", "--lib"],
    &["-p", "iotrial-measure", "--lib"],
    &["-p", "iotrial-host", "--lib"],
    &["-p", "iotrial-engine", "--lib", "--test", "real_files"],
    &["-p", "iotrial", "--test", "windows"],
];

/// The program itself; `None` where there is none.
pub(crate) fn wine() -> Option<PathBuf> {
    WINE.iter().map(PathBuf::from).find(|path| path.is_file()).or_else(|| find_program("wine64"))
}

/// Builds for Windows and runs it.
pub(crate) fn run(root: &Path) -> anyhow::Result<Outcome> {
    if !setup::has_windows_target() || find_program(WINDOWS_C_COMPILER).is_none() {
        return Ok(Outcome::Skipped(format!("{WINDOWS_TARGET} cannot be built here")));
    }
    let Some(wine) = wine() else { return Ok(Outcome::Skipped("Wine is not installed".to_owned())) };
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let built = target.join(WINDOWS_TARGET).join("debug");
    put_random_numbers(&target, &[&built, &built.join("deps")])?;
    // A prefix of its own: that of the user is none of our business.
    let prefix = target.join("wine");
    let share = make_share(&wine, &prefix)?;
    for tests in TESTS {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(root).args(["test", "--locked", "--no-fail-fast", "--target", WINDOWS_TARGET]);
        command
            .args(tests)
            .env("WINEPREFIX", &prefix)
            .env("WINEDEBUG", "-all")
            .env("IOTRIAL_TEST_SHARE", share);
        command.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", &wine);
        if shown(&mut command)? != Outcome::Passed {
            return Ok(Outcome::Failed);
        }
    }
    Ok(Outcome::Passed)
}

/// A folder that Wine shows as a share of a file server, and its name there.
fn make_share(wine: &Path, prefix: &Path) -> anyhow::Result<&'static str> {
    // Wine makes its drives when it makes this folder, and never later.
    if !prefix.join("dosdevices").is_dir() {
        fs::create_dir_all(prefix)?;
        let mut nothing = Command::new(wine);
        nothing.args(["cmd", "/c", "exit"]).env("WINEPREFIX", prefix).env("WINEDEBUG", "-all");
        ensure!(shown(&mut nothing)? == Outcome::Passed, "Wine does not start");
    }
    let folder = prefix.join("dosdevices/unc/iotrial/share");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(r"\\iotrial\share")
}

/// Beside the programs, where Windows looks first.
pub(crate) fn put_random_numbers(scratch: &Path, folders: &[&Path]) -> anyhow::Result<()> {
    let source = scratch.join("process_prng.c");
    fs::create_dir_all(scratch)?;
    fs::write(&source, RANDOM_NUMBERS).context("cannot write the source of ProcessPrng")?;
    for folder in folders {
        fs::create_dir_all(folder)?;
        let library = folder.join("bcryptprimitives.dll");
        let mut compiler = Command::new(WINDOWS_C_COMPILER);
        compiler.arg("-shared").arg("-o").arg(&library).arg(&source).arg("-ladvapi32");
        ensure!(compiler.status()?.success(), "{WINDOWS_C_COMPILER} cannot make {}", library.display());
    }
    Ok(())
}
