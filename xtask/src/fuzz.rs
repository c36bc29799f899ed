//! `cargo xtask fuzz`: every reader of what strangers write, each for some minutes, with what it tried.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};

use crate::step::{Outcome, shown};
use crate::workspace::build_folder;

/// One kind of input, with what its mutations begin with.
struct Row {
    /// On the command line, and of its corpus.
    name: &'static str,
    /// The program: a file of `fuzz/fuzz_targets`.
    target: &'static str,
    /// Longest input in bytes: little more than the seeds have, as every byte costs speed.
    most_bytes: u32,
    /// A file of `fuzz/dictionaries`.
    dictionary: Option<&'static str>,
    /// Folders below the checkout.
    seeds: &'static [&'static str],
}

/// Where the golden files of the import are.
#[cfg(test)]
const GOLDEN: &str = "crates/iotrial-import/tests/golden";

const fn row(
    name: &'static str,
    target: &'static str,
    most_bytes: u32,
    dictionary: &'static str,
    seeds: &'static [&'static str],
) -> Row {
    Row { name, target, most_bytes, dictionary: Some(dictionary), seeds }
}

/// All of them. A format of the import has a row of its own, because mutations of one never become another.
const ROWS: &[Row] = &[
    row("fio", "import", 8_192, "fio_json", &["fuzz/seeds/import", "crates/iotrial-import/tests/golden/fio"]),
    row("diskspd", "import", 6_144, "results", &["crates/iotrial-import/tests/golden/diskspd"]),
    row("sqlio", "import", 4_096, "results", &["crates/iotrial-import/tests/golden/sqlio"]),
    row("iometer", "import", 4_096, "results", &["crates/iotrial-import/tests/golden/iometer"]),
    row(
        "crystaldiskmark",
        "import",
        2_048,
        "results",
        &["crates/iotrial-import/tests/golden/crystaldiskmark"],
    ),
    row("vdbench", "import", 4_096, "results", &["crates/iotrial-import/tests/golden/vdbench"]),
    row(
        "summaries",
        "import",
        4_096,
        "results",
        &[
            "crates/iotrial-import/tests/golden/fio-summary",
            "crates/iotrial-import/tests/golden/sysbench",
            "crates/iotrial-import/tests/golden/elbencho",
            "crates/iotrial-import/tests/golden/pg-test-fsync",
            "crates/iotrial-import/tests/golden/prometheus",
            "crates/iotrial-import/tests/golden/application",
        ],
    ),
    row("csv", "import", 2_048, "results", &["crates/iotrial-import/tests/golden/table"]),
    row(
        "import_shown",
        "import_shown",
        8_192,
        "results",
        &["fuzz/seeds/import", "crates/iotrial-import/tests/golden/vdbench"],
    ),
    row("fio_job", "fio_job", 2_048, "fio_job", &["fuzz/seeds/fio_job"]),
    row("awr", "awr", 5_120, "awr", &["crates/iotrial-import/tests/awr"]),
    row("awr_shown", "awr_shown", 5_120, "awr", &["crates/iotrial-import/tests/awr"]),
    row("counters", "counters", 4_096, "counters", &["fuzz/seeds/counters"]),
    row("table", "table", 2_048, "table", &["crates/iotrial-import/tests/golden/table"]),
    Row {
        name: "packed",
        target: "packed",
        most_bytes: 4_096,
        dictionary: None,
        seeds: &["fuzz/seeds/packed"],
    },
    row("record", "record", 20_480, "record", &["fuzz/seeds/record"]),
    row("journal", "journal", 16_384, "record", &["fuzz/seeds/journal"]),
    row("sweep", "sweep", 12_288, "sweep", &["fuzz/seeds/sweep"]),
    row("imported", "imported", 6_144, "imported", &["fuzz/seeds/imported"]),
    row("study", "study", 4_096, "study", &["fuzz/seeds/study"]),
    row("study_journal", "study_journal", 4_096, "study", &["fuzz/seeds/study_journal"]),
    row("profile", "profile", 8_192, "profile", &["crates/iotrial-model/profiles"]),
    row(
        "thresholds",
        "thresholds",
        4_096,
        "thresholds",
        &["fuzz/seeds/thresholds", "crates/iotrial-analysis/thresholds"],
    ),
    row("catalog", "catalog", 4_096, "sizing", &["fuzz/seeds/catalog"]),
    row("configuration", "configuration", 2_048, "sizing", &["fuzz/seeds/configuration"]),
    row("demand", "demand", 2_048, "sizing", &["fuzz/seeds/demand"]),
];

const USAGE: &str = "\
Usage: cargo xtask fuzz [ROW]... [OPTIONS]

Tries mutated inputs on every reader of what strangers write, one row after the other; all rows without a name. Prints for each how
many inputs were tried. What it finds is in `fuzz/artifacts`, and the command then fails. Needs cargo-fuzz and a nightly toolchain.

Options:
  --minutes N   how long each row runs [default: 1]
  --sanitizer S `address` looks for wrong memory as well, several times slower [default: none]
  --log FILE    append a line for each row, so that figures of several runs add up
  --list        list the rows

Examples:
  cargo xtask fuzz --minutes 10 --log fuzz.log
  cargo xtask fuzz record journal --minutes 60";

/// What the command line asks for.
struct Options {
    rows: Vec<&'static Row>,
    seconds: u64,
    sanitizer: String,
    log: Option<PathBuf>,
}

impl Options {
    fn parse(arguments: &[String]) -> anyhow::Result<Self> {
        let mut options = Self { rows: Vec::new(), seconds: 60, sanitizer: "none".to_owned(), log: None };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().with_context(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--minutes" => {
                    let minutes: f64 = value()?.parse().context("--minutes takes a number")?;
                    let seconds = std::time::Duration::try_from_secs_f64(minutes * 60.0);
                    options.seconds = seconds.context("--minutes takes a number above 0")?.as_secs().max(1);
                }
                "--sanitizer" => options.sanitizer.clone_from(value()?),
                "--log" => options.log = Some(value()?.into()),
                name => match ROWS.iter().find(|row| row.name == name) {
                    Some(row) => options.rows.push(row),
                    None => bail!("no row `{name}`; --list names them"),
                },
            }
        }
        if options.rows.is_empty() {
            options.rows = ROWS.iter().collect();
        }
        Ok(options)
    }
}

/// Carries the command out: a line for each row, a failure if one found something.
pub(crate) fn fuzz(arguments: &[String], root: &Path) -> anyhow::Result<ExitCode> {
    if arguments.iter().any(|argument| matches!(argument.as_str(), "--help" | "-h")) {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.iter().any(|argument| argument == "--list") {
        for row in ROWS {
            println!(
                "{:<16} {:<14} at most {:>6} bytes, from {}",
                row.name,
                row.target,
                row.most_bytes,
                row.seeds.join(", ")
            );
        }
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::parse(arguments)?;
    lock_as_shipped(root)?;
    let mut is_clean = true;
    println!("{:<16} {:>13} {:>9}  found", "row", "inputs", "per s");
    for row in &options.rows {
        let tried = run(row, &options, root)?;
        let found = tried.found.as_deref().unwrap_or("-");
        println!("{:<16} {:>13} {:>9}  {found}", row.name, tried.inputs, tried.inputs / options.seconds);
        if let Some(log) = &options.log {
            let mut file = fs::File::options().create(true).append(true).open(log)?;
            writeln!(file, "{} {} {} {found}", row.name, options.sanitizer, tried.inputs)?;
        }
        is_clean &= tried.found.is_none();
    }
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What came of a row.
struct Tried {
    inputs: u64,
    /// The first line of what went wrong.
    found: Option<String>,
}

/// The targets are a workspace of their own, since they need a C++ compiler. They get the versions that are shipped.
fn lock_as_shipped(root: &Path) -> anyhow::Result<()> {
    let (shipped, own) = (root.join("Cargo.lock"), root.join("fuzz/Cargo.lock"));
    fs::copy(&shipped, &own)
        .with_context(|| format!("cannot copy {} to {}", shipped.display(), own.display()))?;
    Ok(())
}

/// Whether the targets can be compiled, which needs no nightly toolchain.
pub(crate) fn check(root: &Path) -> anyhow::Result<Outcome> {
    lock_as_shipped(root)?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["check", "--manifest-path", "fuzz/Cargo.toml", "--bins"]).current_dir(root);
    shown(command.env("CARGO_TARGET_DIR", build_folder(root)))
}

fn run(row: &Row, options: &Options, root: &Path) -> anyhow::Result<Tried> {
    let corpus = root.join("fuzz/corpus").join(row.name);
    let artifacts = root.join("fuzz/artifacts").join(row.name);
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let mut command = Command::new("cargo");
    // A cargo that runs this task has named its own toolchain, and would build with that one.
    command.env_remove("RUSTUP_TOOLCHAIN").current_dir(root);
    command.args(["+nightly", "fuzz", "run", "--sanitizer", &options.sanitizer, row.target]).arg(&corpus);
    command.args(row.seeds).arg("--");
    command.arg(format!("-max_total_time={}", options.seconds));
    command.arg(format!("-max_len={}", row.most_bytes));
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    command.args(["-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1"]);
    if let Some(dictionary) = row.dictionary {
        command.arg(format!("-dict=fuzz/dictionaries/{dictionary}.dict"));
    }
    let output = command.output().context("cargo cannot be run")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let Some(inputs) = inputs_of(&text) else {
        bail!("`{}` did not run; is cargo-fuzz installed?\n{text}", row.name);
    };
    let is_cause = |line: &&str| line.contains("panicked at") || line.contains("ERROR: ");
    let cause = || text.lines().find(is_cause).unwrap_or("it ended with an error").trim().to_owned();
    Ok(Tried { inputs, found: (!output.status.success()).then(cause) })
}

/// How many inputs were tried: by the figures at the end, or, where the program died before them, by the last line that counts.
fn inputs_of(text: &str) -> Option<u64> {
    let told = text.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let counted = || text.lines().rev().find_map(|line| line.strip_prefix('#')?.split_whitespace().next());
    told.map(str::trim).or_else(counted)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        crate::workspace::root().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn every_target_has_a_row_and_every_row_has_a_target_seeds_and_a_dictionary() {
        let folder = root().join("fuzz/fuzz_targets");
        let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{error}")).flatten();
        let mut targets: Vec<String> = files
            .map(|file| file.path().file_stem().unwrap_or_default().to_string_lossy().into_owned())
            .collect();
        targets.sort();
        let mut named: Vec<&str> = ROWS.iter().map(|row| row.target).collect();
        named.sort_unstable();
        named.dedup();
        assert_eq!(targets, named);
        for row in ROWS {
            for seeds in row.seeds {
                assert!(root().join(seeds).is_dir(), "{}: {seeds}", row.name);
            }
            if let Some(dictionary) = row.dictionary {
                assert!(
                    root().join(format!("fuzz/dictionaries/{dictionary}.dict")).is_file(),
                    "{dictionary}"
                );
            }
        }
        assert!(
            ROWS.iter()
                .filter(|row| row.target == "import")
                .all(|row| row.seeds.iter().any(|seeds| seeds.starts_with(GOLDEN)))
        );
    }

    #[test]
    fn inputs_are_counted_also_where_the_target_died() {
        assert_eq!(inputs_of("#12 NEW\nstat::number_of_executed_units: 4711\n"), Some(4_711));
        assert_eq!(inputs_of("#12 NEW\n#4096\tREDUCE cov: 1\nthread panicked at x\n"), Some(4_096));
        assert_eq!(inputs_of("error: no such command: `fuzz`"), None);
    }
}
