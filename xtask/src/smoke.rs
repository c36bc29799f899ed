//! The step `smoke`: every command of this crate once, on its smallest input, with the program that the tests have built. Code that no step
//! starts stops working without anybody noticing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, ensure};

use crate::bench;
use crate::setup;
use crate::step::Outcome;
use crate::workspace::{build_folder, find_program};

/// A command with its smallest input.
#[derive(Clone)]
struct Smoke {
    /// As in the list of `cargo xtask`.
    command: &'static str,
    arguments: Vec<String>,
}

/// A price of AWS, as small as an offer file can be.
const OFFER: &str = r#"{
  "formatVersion": "v1.0", "publicationDate": "2026-11-20T00:11:22Z",
  "products": {
    "A": { "sku": "A", "productFamily": "Compute Instance", "attributes": { "regionCode": "us-east-1", "instanceType": "r6i.4xlarge", "operatingSystem": "Linux", "tenancy": "Shared", "preInstalledSw": "NA", "capacitystatus": "Used" } }
  },
  "terms": { "OnDemand": {
    "A": { "A.J": { "priceDimensions": { "A.J.6": { "unit": "Hrs", "pricePerUnit": { "USD": "1.1000000000" } } } } }
  } }
}"#;

fn smoke(command: &'static str, arguments: &[&str]) -> Smoke {
    Smoke { command, arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect() }
}

/// A few cases of each attack class that needs root. They freeze the program and take its CPU away, and see whether it notices: nothing
/// else may do the same.
fn attacks(program: &Path) -> Vec<Smoke> {
    let of_class = |class| smoke("attack", &[class, "--one-in", "50", "--program", &text(program)]);
    root_classes().into_iter().map(of_class).collect()
}

/// All others. Their figures mean nothing, so that they may run beside anything.
fn others(program: &Path, folder: &Path) -> anyhow::Result<Vec<Smoke>> {
    let program = text(program);
    let offer = folder.join("offer.json");
    std::fs::write(&offer, OFFER)?;
    let mut all = vec![smoke("fuzz", &["--list"])];
    let figures = text(&folder.join("bench.json"));
    for row in bench::row_names() {
        let mut arguments = vec![row, "--smallest", "--program", &program, "--json", &figures];
        let other_tool = if row == "t-io-uring" { bench::T_IO_URING } else { "fio" };
        if find_program(other_tool).is_none() {
            arguments.push("--alone");
        }
        all.push(smoke("bench", &arguments));
    }
    if cfg!(unix) {
        all.push(smoke("outcomes", &["--smallest", "--program", &program]));
    }
    all.push(smoke("facts", &["--one-in", "10", "--program", &program]));
    all.push(smoke("dist", &["--only", "tar", "--program", &program, &text(&folder.join("dist"))]));
    all.push(smoke("catalog", &["aws", &text(&offer)]));
    Ok(all)
}

/// The attack classes that need root; the others are among the tests.
#[cfg(unix)]
fn root_classes() -> Vec<&'static str> {
    crate::attack::CLASSES.iter().filter(|class| class.needs_root).map(|class| class.name).collect()
}

#[cfg(not(unix))]
fn root_classes() -> Vec<&'static str> {
    Vec::new()
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Starts a few attacks.
pub(crate) fn run_attacks(root: &Path) -> anyhow::Result<Outcome> {
    if !setup::is_root() {
        return Ok(Outcome::Skipped("this is not root".to_owned()));
    }
    run_all(root, &attacks(&tested_program(root)?))
}

/// Starts all commands but the attacks.
pub(crate) fn run(root: &Path) -> anyhow::Result<Outcome> {
    let folder = tempfile::tempdir()?;
    run_all(root, &others(&tested_program(root)?, folder.path())?)
}

fn tested_program(root: &Path) -> anyhow::Result<PathBuf> {
    let program = build_folder(root).join("debug").join(format!("iotrial{}", std::env::consts::EXE_SUFFIX));
    ensure!(program.is_file(), "{} is not there: the step `test` builds it", program.display());
    Ok(program)
}

/// One after the other; shows the output of those that fail.
fn run_all(root: &Path, all: &[Smoke]) -> anyhow::Result<Outcome> {
    let (mut failed, mut skipped) = (0, BTreeSet::new());
    for smoke in all {
        let start = Instant::now();
        let output = Command::new(own_program()?)
            .arg(smoke.command)
            .args(&smoke.arguments)
            .current_dir(root)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", smoke.command))?;
        let name = [smoke.command, smoke.arguments.first().map_or("", String::as_str)].join(" ");
        let word = if output.status.success() { "ok" } else { "FAILED" };
        println!("smoke: {name:<24} {word:<7}{:>6.1} s", start.elapsed().as_secs_f64());
        // A comparison without its other tool, a device that cannot be made: it passed, and something was left out.
        let printed = String::from_utf8_lossy(&output.stdout);
        let left_out = printed.lines().filter(|line| line.contains("skipped"));
        skipped.extend(left_out.map(|line| format!("{name}: {}", line.trim())));
        if smoke.arguments.iter().any(|argument| argument == "--alone") {
            skipped.insert(format!("{name}: compared with nothing, because the other tool is not installed"));
        }
        if !output.status.success() {
            failed += 1;
            println!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    Ok(match failed {
        0 if skipped.is_empty() => Outcome::Passed,
        0 => Outcome::PassedWithout(skipped.into_iter().collect()),
        _ => Outcome::Failed,
    })
}

/// This program. The link leads to the file that runs, also where cargo has put another one in its place.
fn own_program() -> anyhow::Result<PathBuf> {
    let link = PathBuf::from("/proc/self/exe");
    if link.exists() { Ok(link) } else { std::env::current_exe().context("the own program has no path") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands that are steps of `cargo xtask test` themselves, or contain it.
    const STARTED_OTHERWISE: [&str; 2] = ["test", "structure"];

    #[test]
    fn every_command_is_started_by_a_step() {
        let listed = crate::USAGE.lines().filter_map(|line| line.strip_prefix("  "));
        let listed = listed.filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
        let listed: BTreeSet<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
        let folder = tempfile::tempdir().unwrap();
        let program = Path::new("iotrial");
        let smokes = [attacks(program), others(program, folder.path()).unwrap()].concat();
        let started = smokes.iter().map(|smoke| smoke.command).chain(STARTED_OTHERWISE);
        assert_eq!(listed, started.collect::<BTreeSet<_>>());
    }
}
