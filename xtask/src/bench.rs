//! `cargo xtask bench`: the figures that iotrial has to reach, measured next to those of other tools.
//!
//! `docs/benchmarks.md` says what each row means and how to read the table.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

mod figure;

mod options;

mod watched;

mod load;

mod tools;

mod duel;

mod alone;
mod awake;

mod comparison;

mod awr;
mod counters;
mod equal_pairs;
mod import;
mod sizing;
mod truth;
mod verify;

use awake::Awake;
use duel::{Duel, DuelFigure, Load, Peer};
use figure::{Figure, Target};
use load::BenchJob;
use options::Options;
pub(crate) use options::T_IO_URING;
use tools::Bench;

pub(crate) const USAGE: &str = "\
Usage: cargo xtask bench [ROW]... [OPTIONS]

Rows, by name or by what the name begins with; all of them without one:
  null            the generator alone: CPU for one I/O
  page-cache      4 KiB random reads that the page cache answers, 32 outstanding
  t-io-uring      the same, compared with fio's t/io_uring, a loop that does nothing else
  direct          8 KiB random direct reads on the disk, 32 outstanding
  latency-read    direct reads, 1, 8 and 64 outstanding: mean and p99 as fio sees them
  latency-write   the same of direct writes
  sqlserver-mix   the profile sqlserver-oci-published, and the same mix by fio
  fio-job         a job file of fio, by `iotrial run --fio-job` and by fio
  poisson         open loads of 1,000 to 600,000 a second: rate, and distribution of the arrivals
  stall           open and closed load on a simulated device that freezes for one second
  memory          resident memory of 20 jobs over ten minutes
  queues          threads of 1,000 queues
  compare         1,000 records of a minute each, compared
  import          10,000 JSON files of fio, imported
  awr             1,000 AWR reports of a megabyte, five databases over 200 hours
  counters        a week of PerfMon, 64 disks every 15 s
  size            a demand over all providers, and an explanation
  equal-pairs     pairs of runs of equal simulated devices, compared: how many are called different
  verify          a load with every page compared, and without: CPU for one I/O
  truth           loop devices with limits of the kernel: what iotrial says of them; takes root

Options:
  --list            list the rows, and run none
  --program FILE    the iotrial to measure [default: built with the Cargo profile `dist`]
  --smallest        each row once on its smallest input, to see that it works; the figures mean nothing
  --alone           iotrial alone, without fio and t/io_uring; otherwise a row whose other tool is missing fails
  --t-io-uring FILE fio's t/io_uring [default: the program t-io_uring on the path]; docs/benchmarks.md says how it is built
  --pairs 5         pairs of runs, the order within a pair alternates
  --runtime 10      seconds that each run measures
  --size 2GiB       all files together, where the I/O is direct
  --target FOLDER   where the files are made [default: below the build's folder]
  --json FILE       where the figures go [default: bench.json below the build's folder]
  --long            memory: also ten real minutes on the disk
  --awake           keep the CPUs from sleeping, by loops of the lowest priority: what the disk and the tools do
                    without what a sleeping CPU takes to wake up

Examples:
  cargo xtask bench
  cargo xtask bench null page-cache --pairs 7
  cargo xtask bench latency --runtime 30 --target /mnt/volume
  cargo xtask bench sqlserver fio-job --pairs 15 --awake
  cargo xtask bench --smallest --alone --program target/debug/iotrial";

/// A row of the table: what is measured, and how.
struct Row {
    name: &'static str,
    run: fn(&Bench) -> anyhow::Result<Vec<Figure>>,
}

const ROWS: [Row; 20] = [
    Row { name: "null", run: |bench| null().run(bench) },
    Row { name: "page-cache", run: |bench| page_cache().run(bench) },
    Row { name: "t-io-uring", run: |bench| t_io_uring().run(bench) },
    Row { name: "direct", run: |bench| direct().run(bench) },
    Row { name: "latency-read", run: |bench| latency(100).run(bench) },
    Row { name: "latency-write", run: |bench| latency(0).run(bench) },
    Row { name: "sqlserver-mix", run: |bench| mix(Load::BuiltIn("sqlserver-oci-published")).run(bench) },
    Row { name: "fio-job", run: |bench| mix(Load::FioMix).run(bench) },
    Row { name: "poisson", run: alone::poisson },
    Row { name: "stall", run: alone::stall },
    Row { name: "memory", run: alone::memory },
    Row { name: "queues", run: alone::queues },
    Row { name: "compare", run: comparison::compare },
    Row { name: "import", run: import::import },
    Row { name: "awr", run: awr::awr },
    Row { name: "counters", run: counters::counters },
    Row { name: "size", run: sizing::size },
    Row { name: "equal-pairs", run: equal_pairs::equal_pairs },
    Row { name: "verify", run: verify::verify },
    Row { name: "truth", run: truth::truth },
];

/// The names of all rows, in the order in which they run.
pub(crate) fn row_names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

const IOPS: fn(&load::Measured) -> Option<f64> = |measured| Some(measured.iops);
const CPU: fn(&load::Measured) -> Option<f64> = |measured| Some(measured.cpu_per_io_us);

/// Two tools on the same device: what they say of it may differ by so much.
const ALIKE: Option<Target> = Some(Target::ratio(0.97, 1.03));
const MEAN_AND_P99: &[DuelFigure] = &[
    ("read mean µs", |measured| Some(measured.read?.mean_us), ALIKE),
    ("read p99 µs", |measured| Some(measured.read?.p99_us), ALIKE),
    ("write mean µs", |measured| Some(measured.write?.mean_us), ALIKE),
    ("write p99 µs", |measured| Some(measured.write?.p99_us), ALIKE),
];

/// Direct I/O through io_uring; fio with all that makes it fast.
fn on_disk(loads: Vec<(String, Load)>, figures: &'static [DuelFigure]) -> Duel {
    Duel {
        loads,
        size: None,
        engine: "uring",
        peer: Peer::Fio { engine: "io_uring", registered: true },
        buffered: false,
        twice: true,
        figures,
    }
}

fn one(job: BenchJob) -> Vec<(String, Load)> {
    vec![(String::new(), Load::Job(job))]
}

fn null() -> Duel {
    const FIGURES: &[DuelFigure] =
        &[("CPU µs per I/O", CPU, Some(Target::at_most(0.060))), ("IOPS", IOPS, None)];
    let loads = one(BenchJob::closed(70, "8KiB", 32));
    let peer = Peer::Fio { engine: "null", registered: false };
    Duel { engine: "null", peer, twice: false, ..on_disk(loads, FIGURES) }
}

fn page_cache() -> Duel {
    const FIGURES: &[DuelFigure] = &[
        ("CPU µs per I/O", CPU, Some(Target::ratio(f64::NEG_INFINITY, 0.60))),
        ("IOPS", IOPS, Some(Target::ratio(1.6, f64::INFINITY))),
    ];
    from_page_cache(FIGURES)
}

/// The same with nothing around the calls of the kernel.
fn t_io_uring() -> Duel {
    const FIGURES: &[DuelFigure] =
        &[("CPU µs per I/O", CPU, Some(Target::ratio(f64::NEG_INFINITY, 1.05))), ("IOPS", IOPS, None)];
    Duel { peer: Peer::BareLoop, twice: true, ..from_page_cache(FIGURES) }
}

fn from_page_cache(figures: &'static [DuelFigure]) -> Duel {
    let loads = one(BenchJob::closed(100, "4KiB", 32));
    Duel { size: Some("256MiB"), buffered: true, twice: false, ..on_disk(loads, figures) }
}

fn direct() -> Duel {
    const FIGURES: &[DuelFigure] =
        &[("CPU µs per I/O", CPU, Some(Target::ratio(f64::NEG_INFINITY, 0.65))), ("IOPS", IOPS, ALIKE)];
    on_disk(one(BenchJob::closed(100, "8KiB", 32)), FIGURES)
}

fn latency(read_percent: u8) -> Duel {
    let load = |iodepth| Load::Job(BenchJob::closed(read_percent, "8KiB", iodepth));
    let loads = [1, 8, 64].map(|iodepth| (format!("{iodepth} deep"), load(iodepth)));
    on_disk(loads.into(), MEAN_AND_P99)
}

/// A mix as a database has it: both tools as they are used for such a mix, fio without registered files and buffers.
fn mix(load: Load) -> Duel {
    const NEAR: Option<Target> = Some(Target::ratio(0.95, 1.05));
    const FIGURES: &[DuelFigure] = &[
        ("read IOPS", |measured| Some(measured.read?.iops), NEAR),
        ("write IOPS", |measured| Some(measured.write?.iops), NEAR),
        ("read mean µs", |measured| Some(measured.read?.mean_us), None),
        ("write mean µs", |measured| Some(measured.write?.mean_us), None),
        ("read p99 µs", |measured| Some(measured.read?.p99_us), None),
        ("write p99 µs", |measured| Some(measured.write?.p99_us), None),
        ("CPU µs per I/O", CPU, None),
    ];
    let peer = Peer::Fio { engine: "io_uring", registered: false };
    Duel { peer, ..on_disk(vec![(String::new(), load)], FIGURES) }
}

/// What became of a row.
struct Done {
    name: &'static str,
    result: anyhow::Result<Vec<Figure>>,
}

/// Runs the rows that were asked for, prints the table, and writes all figures as JSON.
///
/// A target that is missed is a figure like others; only a row that could not be measured makes the whole fail.
///
/// # Errors
///
/// When nothing could be measured at all, or the figures could not be written.
pub(crate) fn bench(arguments: &[String], root: &Path) -> anyhow::Result<ExitCode> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.iter().any(|argument| argument == "--list") {
        row_names().for_each(|name| println!("{name}"));
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::parse(arguments).context("see `cargo xtask bench --help`")?;
    if let Some(lost) = options.rows.iter().find(|row| !ROWS.iter().any(|one| one.name.starts_with(*row))) {
        bail!("there is no row `{lost}`; there are {}", ROWS.map(|row| row.name).join(", "));
    }
    let bench = Bench::prepare(options, root)?;
    let json_path = bench.options.json.clone().unwrap_or_else(|| bench.folder.join("bench.json"));
    let mut awake = bench.options.awake.then(Awake::all).transpose()?;
    let mut all = Vec::new();
    for row in ROWS.iter().filter(|row| bench.options.wants(row.name)) {
        eprintln!("{}", row.name);
        let mut result = (row.run)(&bench);
        // No figure of the smallest input reaches or misses anything.
        if let Ok(figures) = &mut result
            && bench.options.smallest
        {
            figures.iter_mut().for_each(|figure| figure.target = None);
        }
        bench.forget_records();
        if let Err(error) = &result {
            eprintln!("  not measured: {error:#}");
        }
        all.push(Done { name: row.name, result });
        // After every row: a run that is stopped keeps what it has.
        fs::write(&json_path, format!("{:#}\n", document(&bench, &all)))
            .with_context(|| format!("cannot write `{}`", json_path.display()))?;
    }
    if awake.as_mut().is_some_and(|awake| !awake.lasts()) {
        bail!(
            "the CPUs were not kept awake: a loop under `chrt --idle 0` ended, so that these figures are none"
        );
    }
    println!("{}", heading(&bench));
    println!("{}", table(&all));
    println!("Written to {}", json_path.display());
    Ok(if all.iter().all(|row| row.result.is_ok()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn heading(bench: &Bench) -> String {
    let Options { pairs, runtime, size, awake, smallest, program, .. } = &bench.options;
    let peer = bench.fio_version.as_deref().unwrap_or("no fio");
    let runtime_s = runtime.as_secs();
    let host = host();
    let text = |key: &str| host[key].as_str().unwrap_or("unknown").to_owned();
    let awake = if *awake { ", kept awake" } else { "" };
    let program = program.as_ref().map_or_else(String::new, |path| format!(", {}", path.display()));
    let warning = if *smallest {
        "The smallest inputs, to see that the rows work: the figures mean nothing.\n\n"
    } else {
        ""
    };
    format!(
        "{warning}{} UTC, {} CPUs ({}), Linux {}, {peer}, commit {}{program}, {pairs} pairs of {runtime_s} s, {size} on the disk{awake}\n",
        said("date", &["-u", "+%-d %B %Y %H:%M"], &bench.root),
        host["cpu_count"],
        text("cpu"),
        text("kernel"),
        commit(&bench.root),
    )
}

/// The commit that was measured, and whether there are changes beyond it.
fn commit(root: &Path) -> String {
    said("git", &["describe", "--always", "--abbrev=12", "--exclude=*", "--dirty"], root)
}

/// What a tool prints, or that it is unknown.
fn said(tool: &str, arguments: &[&str], root: &Path) -> String {
    let output = Command::new(tool).args(arguments).current_dir(root).output().ok();
    let output = output.filter(|output| output.status.success());
    output.map_or_else(|| "unknown".to_owned(), |one| String::from_utf8_lossy(&one.stdout).trim().to_owned())
}

/// All figures as a Markdown table, aligned for a terminal.
fn table(rows: &[Done]) -> String {
    let header = ["row", "figure", "iotrial", "other tool", "ratio", "spread", "target", "reached"];
    let mut lines = vec![header.map(str::to_owned)];
    for row in rows {
        match &row.result {
            Ok(figures) => lines.extend(figures.iter().map(|figure| {
                let [name, ours, theirs, ratio, spread, target, reached] = figure.cells();
                [row.name.to_owned(), name, ours, theirs, ratio, spread, target, reached]
            })),
            Err(_) => {
                let dash = || "–".to_owned();
                let lost = "not measured".to_owned();
                lines.push([row.name.to_owned(), lost, dash(), dash(), dash(), dash(), dash(), dash()]);
            }
        }
    }
    let widths: [usize; 8] = std::array::from_fn(|column| {
        lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default()
    });
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        for (cell, width) in line.iter().zip(widths) {
            text.push_str(&format!("| {cell:<width$} "));
        }
        text.push_str("|\n");
        if index == 0 {
            text.extend(widths.map(|width| format!("| {} ", "-".repeat(width.max(3)))));
            text.push_str("|\n");
        }
    }
    text
}

fn document(bench: &Bench, rows: &[Done]) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| match &row.result {
            Ok(figures) => {
                json!({ "name": row.name, "figures": figures.iter().map(Figure::json).collect::<Vec<_>>() })
            }
            Err(error) => json!({ "name": row.name, "not_measured": format!("{error:#}") }),
        })
        .collect();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    json!({
        "format": "iotrial.bench/1",
        "unix_time_s": now.as_secs(),
        "host": host(),
        "commit": commit(&bench.root),
        "fio": bench.fio_version,
        "t_io_uring": bench.t_io_uring,
        "program": bench.options.program,
        "smallest": bench.options.smallest,
        "pairs": bench.options.pairs,
        "runtime_s": bench.options.runtime.as_secs(),
        "ramp_s": bench.options.times().ramp.as_secs(),
        "size": bench.options.size,
        "awake": bench.options.awake,
        "rows": rows,
    })
}

/// What kind of machine it is; what cannot be told is null.
fn host() -> Value {
    let cpu_info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line =
        |key: &str| Some(cpu_info.lines().find(|line| line.starts_with(key))?.split_once(':')?.1.trim());
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").ok();
    json!({
        "cpu": line("model name"),
        "cpu_count": std::thread::available_parallelism().ok().map(std::num::NonZero::get),
        "is_virtual": line("flags").map(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
        "kernel": kernel.as_deref().map(str::trim),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_stands_in_the_help_and_no_name_begins_another() {
        for row in &ROWS {
            assert!(USAGE.contains(&format!("\n  {} ", row.name)), "{}", row.name);
            assert_eq!(ROWS.iter().filter(|one| one.name.starts_with(row.name)).count(), 1, "{}", row.name);
        }
    }

    #[test]
    fn the_table_is_aligned_and_a_row_that_failed_stays_in_it() {
        let figure = Figure::alone("p99 ms", vec![410.0], Some(Target::within(390.0, 430.0)));
        let rows = [
            Done { name: "stall", result: Ok(vec![figure]) },
            Done { name: "direct", result: Err(anyhow::anyhow!("no room")) },
        ];
        let expected = "\
| row    | figure       | iotrial | other tool | ratio | spread | target     | reached |
| ------ | ------------ | ------- | ---------- | ----- | ------ | ---------- | ------- |
| stall  | p99 ms       | 410.0   | –          | –     | –      | 390 to 430 | yes     |
| direct | not measured | –       | –          | –     | –      | –          | –       |
";
        assert_eq!(table(&rows), expected);
    }
}
