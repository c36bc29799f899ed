//! The program for Windows, run under Wine: the part of the tests that knows no operating system, and runs as a user makes them.
//!
//! Wine is not Windows: it does the I/O on files by calls of Linux, one after the other, and answers questions about disks from what Linux reports. It shows that the
//! program starts, does its I/O correctly and ends as it should, and says nothing about speed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use crate::setup::{self, WINDOWS_C_COMPILER, WINDOWS_TARGET};
use crate::step::{Outcome, shown};
use crate::workspace::{build_folder, find_program};

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
    &["-p", "iotrial-engine", "--lib", "--test", "it"],
    &["-p", "iotrial", "--test", "it", "windows"],
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
    let target = build_folder(root);
    let built = target.join(WINDOWS_TARGET).join("debug");
    put_random_numbers(&target, &[&built, &built.join("deps")])?;
    // A prefix of its own: that of the user is none of our business.
    let prefix = target.join("wine");
    fs::create_dir_all(&prefix)?;
    let runner = runner(&wine, &[&target, &prefix]);
    for tests in TESTS {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(root).args(["test", "--locked", "--no-fail-fast", "--target", WINDOWS_TARGET]);
        command.args(tests).env("WINEPREFIX", &prefix).env("WINEDEBUG", "-all");
        command.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", &runner);
        if shown(&mut command)? != Outcome::Passed {
            return Ok(Outcome::Failed);
        }
    }
    Ok(Outcome::Passed)
}

/// The command that runs a test. For root it is Wine without the power to open what the rights of a file forbid, so that a test is denied
/// what Windows denies it; but not where the folders of the tests are somebody else's, who alone may write to them then.
fn runner(wine: &Path, folders: &[&Path]) -> String {
    const SETPRIV: [&str; 2] = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"];
    let may_write = |folder: &&Path| {
        let mut test = Command::new(SETPRIV[0]);
        test.arg(SETPRIV[1]).args(["test", "-w"]).arg(folder).stderr(Stdio::null());
        test.status().is_ok_and(|status| status.success())
    };
    let wine = wine.display().to_string();
    if folders.iter().all(may_write) { format!("{} {wine}", SETPRIV.join(" ")) } else { wine }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::root;

    #[test]
    fn a_runner_with_a_real_windows_tests_what_wine_does() {
        let workflow = fs::read_to_string(root().unwrap().join(".github/workflows/windows.yml")).unwrap();
        let lines: Vec<&str> = workflow.lines().filter(|line| line.contains("cargo test ")).collect();
        for tests in TESTS {
            // Pairs such as `-p iotrial-model` and `--test it`; `--lib` stands alone.
            let words = tests.join(" ");
            let asked: Vec<&str> = words.split(" -").collect();
            assert!(lines.iter().any(|line| asked.iter().all(|one| line.contains(one))), "{tests:?}");
        }
    }

    /// The workflow cannot call `carried_out`, so its shell is tried with every exit code.
    #[cfg(unix)]
    #[test]
    fn the_workflow_accepts_the_same_exit_codes() {
        use std::os::unix::process::ExitStatusExt as _;
        use std::process::ExitStatus;

        use crate::carried_out::carried_out;

        let workflow = fs::read_to_string(root().unwrap().join(".github/workflows/windows.yml")).unwrap();
        let runs: Vec<&str> = workflow.lines().filter(|line| line.contains("iotrial -- run ")).collect();
        assert!(!runs.is_empty());
        for run in runs {
            let (_, accepted) = run.split_once(" || ").expect("a run may give an answer that is not good");
            for code in 0..6 {
                let line = format!("(exit {code}) || {accepted}");
                let status = Command::new("bash").args(["-e", "-c", &line]).status().unwrap();
                assert_eq!(
                    status.success(),
                    carried_out(ExitStatus::from_raw(code << 8)),
                    "exit code {code}: {run}"
                );
            }
        }
    }
}
