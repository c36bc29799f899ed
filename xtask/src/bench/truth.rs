//! The row `truth`: what iotrial says of devices whose limits are known, in tests that measure for minutes and need a host that has a CPU to spare.

use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use super::figure::{Figure, Target};
use super::tools::Bench;

/// The variable by which the tests of `crates/iotrial/tests/alone` know that they are asked for.
const ASKED: &str = "IOTRIAL_TEST_TRUTH";
/// In what a test says that skips.
const SKIPPED: &str = ": skipped, ";
/// One of them, of some seconds.
const SMALLEST: &str = "a_limit_of_a_real_kernel";

/// Loop devices with limits of the kernel: the ceiling, the limit that is named, and the outcome. They take root, and say so where it is missing.
///
/// # Errors
///
/// When the tests cannot be started.
pub(crate) fn truth(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(&bench.root).env(ASKED, "1");
    // As `cargo xtask test` builds them, so that nothing is built twice.
    command.args([
        "test",
        "--workspace",
        "--locked",
        "--no-fail-fast",
        "--test",
        "alone",
        "--",
        "--show-output",
    ]);
    command.args(bench.options.of_size(None, Some(SMALLEST)));
    let output = command.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (held, failed, skipped) = counted(&text);
    ensure!(held + failed + skipped > 0, "no test ran:\n{text}");
    if failed > 0 {
        println!("{text}");
    }
    // The smallest input is there to see whether the row works.
    ensure!(failed == 0 || !bench.options.smallest, "a test failed");
    text.lines().filter(|line| line.contains(SKIPPED)).for_each(|line| println!("skipped: {line}"));
    Ok(vec![
        Figure::alone("claims about known devices that held", vec![f64::from(held)], None),
        Figure::alone("claims that failed", vec![f64::from(failed)], Some(Target::at_most(0.0))),
    ])
}

/// How many tests showed something, failed, and skipped, which libtest counts among those that passed.
fn counted(text: &str) -> (u32, u32, u32) {
    let mut held = 0_u32;
    let (mut failed, mut skipped) = (0, 0);
    for line in text.lines() {
        held += u32::from(line.starts_with("test ") && line.ends_with("... ok"));
        failed += u32::from(line.starts_with("test ") && line.ends_with("... FAILED"));
        skipped += u32::from(line.contains(SKIPPED));
    }
    (held.saturating_sub(skipped), failed, skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_skips_shows_nothing() {
        let text = "test a::b ... ok\ntest c ... FAILED\ntest d ... ok\nd: skipped, because it needs root\ntest result: FAILED. 2 passed";
        assert_eq!(counted(text), (1, 1, 1));
    }
}
