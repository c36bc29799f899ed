//! `cargo xtask facts`: whether the program says the same of a thousand results as it did when its facts were frozen.
//!
//! A change of the structure must not change an answer. So the JSON of each case is split into facts (ids, numbers, outcomes, their order,
//! exit codes), which are compared, and words, which are not. Of each case a digest of its facts is kept in `xtask/facts.tsv`; what differs
//! in detail shows a comparison with the program of the commit before.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, bail};
use sha2::{Digest as _, Sha256};

use crate::workspace::build_folder;

mod cases;
mod fact;

use cases::{Case, Inputs, SHARED_FOLDER};
use fact::{Facts, Places};

const USAGE: &str = "\
Usage: cargo xtask facts [OPTIONS] [NAME]...

Runs every case (imports, AWR reports, counters, simulated runs, sweeps and studies, comparisons, audits, sizings), or those whose name
begins with NAME, and compares the facts of its JSON with those that were frozen: ids, numbers, outcomes, order, exit codes. Words may differ.
Fails if a fact differs. Cases on the shared data are left out where it is missing (IOTRIAL_SHARED, default ../shared).

  --program FILE  the program to try [default: the release one, which is built]
  --against FILE  compare with what this program says, fact by fact, and not with the frozen digests
  --one-in N      only each Nth case [default: 1]
  --freeze        keep the facts as they are now; the commit says why those that differ do
  --show          print the facts of the cases
  --list          list the cases";

/// What is kept, one line a case: name, exit codes, number of facts, digest.
const FROZEN: &str = "xtask/facts.tsv";

#[derive(Default)]
struct Options {
    names: Vec<String>,
    program: Option<PathBuf>,
    against: Option<PathBuf>,
    one_in: Option<usize>,
    freeze: bool,
    show: bool,
    list: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().with_context(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--program" => options.program = Some(value()?.into()),
                "--against" => options.against = Some(value()?.into()),
                "--one-in" => options.one_in = Some(value()?.parse().context("--one-in needs a number")?),
                "--freeze" => options.freeze = true,
                "--show" => options.show = true,
                "--list" => options.list = true,
                option if option.starts_with('-') => bail!("no option {option}"),
                name => options.names.push(name.to_owned()),
            }
        }
        Ok(options)
    }

    /// Whether every case is tried, so that a frozen one that is not among them is gone.
    fn tries_all(&self) -> bool {
        self.names.is_empty() && self.one_in.unwrap_or(1) <= 1
    }
}

/// What is kept of the facts of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Kept {
    exit_codes: String,
    count: usize,
    digest: String,
}

impl Kept {
    fn of(facts: &Facts) -> Self {
        let digest = Sha256::digest(facts.lines.join("\n"));
        let digest = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self { exit_codes: facts.exit_codes.clone(), count: facts.lines.len(), digest }
    }
}

/// Tries the cases, and says which differ.
pub(crate) fn facts(arguments: &[String], root: &Path) -> anyhow::Result<ExitCode> {
    if arguments.iter().any(|argument| matches!(argument.as_str(), "--help" | "-h")) {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::parse(arguments)?;
    let inputs = Inputs::find(root);
    let cases: Vec<Case> = cases::all(&inputs)
        .into_iter()
        .filter(|case| {
            options.names.is_empty() || options.names.iter().any(|name| case.name.starts_with(name))
        })
        .step_by(options.one_in.unwrap_or(1).max(1))
        .collect();
    if options.list {
        cases.iter().for_each(|case| println!("{:<60} {}", case.name, case.lines.join(" ; ")));
        return Ok(ExitCode::SUCCESS);
    }
    let program = match &options.program {
        Some(program) => program.clone(),
        None => built(root)?,
    };
    let program = program.canonicalize().with_context(|| format!("no program {}", program.display()))?;
    let found = facts_of_all(&cases, &program, &inputs)?;
    if options.show {
        for (case, facts) in cases.iter().zip(&found) {
            println!("# {}, exit codes {}", case.name, facts.exit_codes);
            facts.lines.iter().for_each(|line| println!("{line}"));
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(against) = &options.against {
        let against = against.canonicalize().with_context(|| format!("no program {}", against.display()))?;
        let before = facts_of_all(&cases, &against, &inputs)?;
        return Ok(told_differences(&cases, &before, &found));
    }
    let kept = cases.iter().zip(&found).map(|(case, facts)| (case.name.clone(), Kept::of(facts))).collect();
    held_against_frozen(&options, &inputs, kept, &root.join(FROZEN))
}

/// Says which facts differ from the frozen ones at `path`, which are gone and which are new; or freezes them.
fn held_against_frozen(
    options: &Options,
    inputs: &Inputs,
    kept: BTreeMap<String, Kept>,
    path: &Path,
) -> anyhow::Result<ExitCode> {
    let mut frozen = read_frozen(path)?;
    let differs = |(name, now): &(&String, &Kept)| frozen.get(*name).is_some_and(|before| before != *now);
    let differing: Vec<&String> = kept.iter().filter(differs).map(|(name, _)| name).collect();
    let fresh: Vec<&String> = kept.keys().filter(|name| !frozen.contains_key(*name)).collect();
    // Of some of the cases nobody can say that one of the others is gone.
    let is_missing = |name: &&String| options.tries_all() && !kept.contains_key(*name);
    let missing: Vec<&String> = frozen.keys().filter(is_missing).collect();
    let gone = if inputs.shared.is_some() { missing.as_slice() } else { &[] };
    println!(
        "{} cases, {} facts; {} differ, {} are new, {} are gone",
        kept.len(),
        kept.values().map(|kept| kept.count).sum::<usize>(),
        differing.len(),
        fresh.len(),
        gone.len()
    );
    if inputs.shared.is_none() {
        println!("skipped: the cases on shared data, which is missing ({SHARED_FOLDER}, default ../shared)");
    }
    differing.iter().for_each(|name| println!("differs: {name}"));
    let is_same = differing.is_empty() && fresh.is_empty() && gone.is_empty();
    if options.freeze {
        if !gone.is_empty() {
            frozen.clear();
        }
        frozen.extend(kept);
        write_frozen(path, &frozen)?;
        return Ok(ExitCode::SUCCESS);
    }
    fresh.iter().for_each(|name| println!("not frozen: {name}"));
    gone.iter().for_each(|name| println!("gone: {name}"));
    if !differing.is_empty() {
        println!("`cargo xtask facts --against PROGRAM` shows what differs from that program");
    }
    Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The program of this checkout.
fn built(root: &Path) -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status =
        Command::new(cargo).args(["build", "--release", "-p", "iotrial"]).current_dir(root).status()?;
    anyhow::ensure!(status.success(), "the program cannot be built");
    Ok(build_folder(root).join("release").join(format!("iotrial{}", std::env::consts::EXE_SUFFIX)))
}

fn facts_of_all(cases: &[Case], program: &Path, inputs: &Inputs) -> anyhow::Result<Vec<Facts>> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeMap::new());
    let work = || -> anyhow::Result<()> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(index) else { return Ok(()) };
            let facts = facts_of(case, program, inputs).with_context(|| case.name.clone())?;
            found.lock().expect("no thread panics").insert(index, facts);
        }
    };
    std::thread::scope(|scope| {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("it does not panic"))
    })?;
    Ok(found.into_inner().expect("no thread panicked").into_values().collect())
}

/// Carries out the lines of a case one after the other, with a store of its own.
fn facts_of(case: &Case, program: &Path, inputs: &Inputs) -> anyhow::Result<Facts> {
    let folder = tempfile::tempdir()?;
    for (name, text) in &case.files {
        fs::write(folder.path().join(name), text)?;
    }
    let places = Places { store: folder.path(), shared: inputs.shared.as_deref(), golden: &inputs.golden };
    let mut facts = Facts::default();
    for line in &case.lines {
        let mut command = Command::new(program);
        command.args(places.filled_in(line)).current_dir(folder.path()).stdin(Stdio::null());
        command.env("IOTRIAL_STORE", folder.path().join("store")).env("IOTRIAL_CONFIG", "none");
        command.env("TZ", "UTC").env("HOME", folder.path()).env_remove("XDG_DATA_HOME");
        let output = command.output().context("the program cannot be started")?;
        let code = output.status.code().map_or_else(|| output.status.to_string(), |code| code.to_string());
        facts.add(&code, &output.stdout, &places);
        give_fixed_ids(&folder.path().join("store"))?;
    }
    Ok(facts)
}

/// Gives the records of a store the ids 1, 2 and so on in the order in which they were made: their intervals are resampled from the id. A
/// record that was changed has no checksum any more.
fn give_fixed_ids(store: &Path) -> anyhow::Result<()> {
    let Ok(entries) = fs::read_dir(store) else { return Ok(()) };
    let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    paths.retain(|path| path.to_string_lossy().ends_with(".iotrial.json"));
    paths.sort();
    for (number, path) in paths.iter().enumerate() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let id = name.split('.').next().unwrap_or_default();
        let fixed = format!("{number:026}");
        if id == fixed {
            continue;
        }
        let text = fs::read_to_string(path)?;
        let text = text.rsplit_once(",\"checksum\":").map_or(text.as_str(), |(before, _)| before);
        fs::write(store.join(format!("{fixed}.iotrial.json")), text.replace(id, &fixed) + "}")?;
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Which facts of which cases differ, as `-` before and `+` now; what many cases have in common is counted.
fn told_differences(cases: &[Case], before: &[Facts], now: &[Facts]) -> ExitCode {
    let mut by_key: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut differing = 0;
    for ((case, before), now) in cases.iter().zip(before).zip(now) {
        if before == now {
            continue;
        }
        differing += 1;
        println!("{}: exit codes {} and {}", case.name, before.exit_codes, now.exit_codes);
        let (old, new): (BTreeSet<&String>, BTreeSet<&String>) =
            (before.lines.iter().collect(), now.lines.iter().collect());
        let changed =
            old.difference(&new).map(|line| ('-', line)).chain(new.difference(&old).map(|line| ('+', line)));
        let mut shown = 0;
        for (sign, line) in changed {
            by_key.entry(fact::key_of(line)).or_default().insert(&case.name);
            shown += 1;
            if shown <= 12 {
                println!("  {sign} {line}");
            }
        }
        if shown == 0 {
            println!("  only the order");
        }
    }
    println!("{} cases, {differing} differ", cases.len());
    for (key, names) in by_key {
        println!("{:>6} cases  {key}", names.len());
    }
    if differing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn read_frozen(path: &Path) -> anyhow::Result<BTreeMap<String, Kept>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        text => text.with_context(|| format!("cannot read {}", path.display()))?,
    };
    let line = |line: &str| {
        let [name, exit_codes, count, digest] = line.split('\t').collect::<Vec<_>>()[..] else {
            bail!("{}: not four columns: {line}", path.display());
        };
        let count = count.parse().with_context(|| format!("{}: {line}", path.display()))?;
        Ok((name.to_owned(), Kept { exit_codes: exit_codes.to_owned(), count, digest: digest.to_owned() }))
    };
    text.lines().map(line).collect()
}

fn write_frozen(path: &Path, frozen: &BTreeMap<String, Kept>) -> anyhow::Result<()> {
    let line = |(name, kept): (&String, &Kept)| {
        format!("{name}\t{}\t{}\t{}\n", kept.exit_codes, kept.count, kept.digest)
    };
    fs::write(path, frozen.iter().map(line).collect::<String>())
        .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("facts.tsv");
        let kept = Kept { exit_codes: "0 4".to_owned(), count: 12, digest: "ab".to_owned() };
        let frozen = BTreeMap::from([("a/b c".to_owned(), kept)]);
        write_frozen(&path, &frozen).unwrap();
        assert_eq!(read_frozen(&path).unwrap(), frozen);
        assert!(read_frozen(&folder.path().join("none")).unwrap().is_empty());
    }

    #[test]
    fn a_case_that_differs_or_is_new_or_gone_is_no_success_and_what_was_not_tried_is_not_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("facts.tsv");
        let kept = |digest: &str| Kept { exit_codes: "0".to_owned(), count: 1, digest: digest.to_owned() };
        let of = |cases: &[(&str, &str)]| -> BTreeMap<String, Kept> {
            cases.iter().map(|(name, digest)| ((*name).to_owned(), kept(digest))).collect()
        };
        write_frozen(&path, &of(&[("a", "1"), ("b", "2")])).unwrap();
        let inputs =
            |shared: Option<&str>| Inputs { shared: shared.map(Into::into), golden: "crates".into() };
        let holds = |options: &Options, shared: Option<&str>, cases: &[(&str, &str)]| {
            held_against_frozen(options, &inputs(shared), of(cases), &path).unwrap() == ExitCode::SUCCESS
        };
        let all = Options::default();
        assert!(holds(&all, Some("s"), &[("a", "1"), ("b", "2")]));
        assert!(!holds(&all, Some("s"), &[("a", "1"), ("b", "3")]));
        assert!(!holds(&all, Some("s"), &[("a", "1"), ("b", "2"), ("c", "3")]));
        assert!(!holds(&all, Some("s"), &[("a", "1")]));
        assert!(holds(&all, None, &[("a", "1")]));
        let some = Options { one_in: Some(2), ..Options::default() };
        assert!(holds(&some, Some("s"), &[("a", "1")]));
        assert!(holds(&Options { freeze: true, ..Options::default() }, Some("s"), &[("a", "4")]));
        assert_eq!(read_frozen(&path).unwrap(), of(&[("a", "4")]));
    }

    #[test]
    fn the_cases_have_names_of_their_own_and_are_enough() {
        let inputs = Inputs::find(&crate::workspace::root().unwrap());
        let cases = cases::all(&inputs);
        let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names.len(), cases.len());
        if inputs.shared.is_some() {
            assert!(cases.len() >= 900, "{}", cases.len());
        }
    }
}
