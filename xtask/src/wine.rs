//! The program for Windows, run under Wine: the part of the tests that knows no operating system, and runs as a user makes them.
//!
//! Wine is not Windows: it does the I/O on files by calls of Linux, one after the other, and answers questions about disks from what Linux reports. It shows that the
//! program starts, does its I/O correctly and ends as it should, and says nothing about speed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::setup::{self, WINDOWS_C_COMPILER, WINDOWS_TARGET};
use crate::step::Outcome;
use crate::test_run::run_tests;
use crate::workspace::{build_folder, find_program};

/// Wine 8 has no `ProcessPrng`, from which Rust's standard library takes random numbers. This lies beside the tests and nowhere else.
const RANDOM_NUMBERS: &str = "\
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID data, ULONG length); /* RtlGenRandom */
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return SystemFunction036(data, (ULONG)length); }
";

/// The crates with tests that hold on every operating system, and which of their integration tests do.
const TESTS: [(&str, &[&str]); 6] = [
    ("iotrial-histogram", &[]),
    ("iotrial-model", &[]),
    ("iotrial-measure", &[]),
    ("iotrial-host", &[]),
    ("iotrial-engine", &["real_files::"]),
    ("iotrial", &["windows::", "windows_record::"]),
];

/// Builds for Windows and runs it.
pub(crate) fn run(root: &Path) -> anyhow::Result<Outcome> {
    if !setup::has_windows_target() || find_program(WINDOWS_C_COMPILER).is_none() {
        return Ok(Outcome::Skipped(format!("{WINDOWS_TARGET} cannot be built here")));
    }
    let Some(wine) = setup::wine() else { return Ok(Outcome::Skipped("Wine is not installed".to_owned())) };
    let target = build_folder(root);
    let built = target.join(WINDOWS_TARGET).join("debug");
    put_random_numbers(&target, &[&built, &built.join("deps")])?;
    // A prefix of its own: that of the user is none of our business.
    let prefix = target.join("wine");
    fs::create_dir_all(&prefix)?;
    let runner = runner(&wine, &[&target, &prefix]);
    let (mut passed, mut skipped) = (true, Vec::new());
    // All are built at once: with each choice of crates cargo would build those of others anew.
    for test in built_tests(root)? {
        let mut command = Command::new(&runner[0]);
        command.args(&runner[1..]).arg(&test.program).args(test.filter).arg("--show-output");
        command.current_dir(&test.folder);
        command.env("WINEPREFIX", &prefix).env("WINEDEBUG", "-all");
        match run_tests(&mut command)? {
            Outcome::PassedWithout(reasons) => skipped.extend(reasons),
            outcome => passed &= outcome == Outcome::Passed,
        }
    }
    Ok(match (passed, skipped.is_empty()) {
        (true, true) => Outcome::Passed,
        (true, false) => Outcome::PassedWithout(skipped),
        (false, _) => Outcome::Failed,
    })
}

/// A program of tests that was built for Windows.
struct BuiltTest {
    program: PathBuf,
    /// Of its crate, where its tests expect to be run.
    folder: PathBuf,
    filter: &'static [&'static str],
}

fn built_tests(root: &Path) -> anyhow::Result<Vec<BuiltTest>> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(["test", "--no-run", "--locked", "--target", WINDOWS_TARGET]);
    command.args(["--lib", "--test", "it", "--message-format", "json-render-diagnostics"]);
    command.args(TESTS.iter().flat_map(|(name, _)| ["-p", name]));
    let output = command.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    ensure!(output.status.success(), "the tests cannot be built for Windows");
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let test = |message: Value| {
        let is_test = message["profile"]["test"] == true;
        let program = PathBuf::from(message["executable"].as_str().filter(|_| is_test)?);
        let folder = PathBuf::from(message["manifest_path"].as_str()?).parent()?.to_owned();
        let (_, filter) = TESTS.iter().find(|(name, _)| folder.ends_with(name))?;
        // The unit tests of a crate are all run.
        let filter: &[&str] = if message["target"]["name"] == "it" { filter } else { &[] };
        Some(BuiltTest { program, folder, filter })
    };
    let tests: Vec<BuiltTest> = messages.filter_map(test).collect();
    ensure!(tests.len() >= TESTS.len(), "only {} programs of tests were built", tests.len());
    Ok(tests)
}

/// The command that runs a test. For root it is Wine without the power to open what the rights of a file forbid, so that a test is denied
/// what Windows denies it; but not where the folders of the tests are somebody else's, who alone may write to them then.
fn runner(wine: &Path, folders: &[&Path]) -> Vec<String> {
    const SETPRIV: [&str; 2] = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"];
    let may_write = |folder: &&Path| {
        let mut test = Command::new(SETPRIV[0]);
        test.arg(SETPRIV[1]).args(["test", "-w"]).arg(folder).stderr(Stdio::null());
        test.status().is_ok_and(|status| status.success())
    };
    let wine = wine.display().to_string();
    let without_power = folders.iter().all(may_write).then(|| SETPRIV.map(str::to_owned));
    without_power.into_iter().flatten().chain([wine]).collect()
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
        for (name, filter) in TESTS {
            let is_run = |line: &&str| {
                let words: Vec<&str> = line.split_whitespace().collect();
                let has_crate = words.windows(2).any(|pair| pair == ["-p", name]);
                has_crate && filter.iter().all(|filter| words.contains(filter))
            };
            assert!(lines.iter().any(is_run), "{name}");
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
