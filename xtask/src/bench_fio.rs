//! `cargo xtask bench fio`: the same mix by fio and by iotrial in turn, on the same bytes.
//!
//! Machines are noisy, so only pairs of neighbouring runs are compared: the ratio is the median of the
//! pairs' ratios, and the order within a pair alternates.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::{Value, json};

/// What both tools report, in the same units.
#[derive(Debug, Clone, Copy)]
struct Measured {
    read_iops: f64,
    write_iops: f64,
    read_mean_us: f64,
    write_mean_us: f64,
    read_p99_us: f64,
    write_p99_us: f64,
    /// User and system time of the generator for one I/O.
    cpu_per_io_us: f64,
}

/// The rows of the table; the target is for the ratio iotrial / fio.
type Row = (&'static str, fn(&Measured) -> f64, Option<(f64, f64)>);
const ROWS: &[Row] = &[
    ("read IOPS", |m| m.read_iops, Some((0.95, 1.05))),
    ("write IOPS", |m| m.write_iops, Some((0.95, 1.05))),
    ("read mean µs", |m| m.read_mean_us, None),
    ("write mean µs", |m| m.write_mean_us, None),
    ("read p99 µs", |m| m.read_p99_us, None),
    ("write p99 µs", |m| m.write_p99_us, None),
    ("CPU µs per I/O", |m| m.cpu_per_io_us, None),
];

/// Options of the benchmark.
struct Options {
    pairs: usize,
    size: String,
    runtime_s: u32,
    target: PathBuf,
}

impl Options {
    fn parse(arguments: &[String], root: &Path) -> anyhow::Result<Self> {
        let mut options =
            Self { pairs: 5, size: "2GiB".into(), runtime_s: 15, target: root.join("target/bench/data") };
        for pair in arguments.chunks(2) {
            let [name, value] = pair else { bail!("`{}` needs a value", pair[0]) };
            match name.as_str() {
                "--pairs" => options.pairs = value.parse().context("--pairs is a number")?,
                "--size" => options.size.clone_from(value),
                "--runtime" => {
                    options.runtime_s = value.parse().context("--runtime is a number of seconds")?
                }
                "--target" => options.target = value.into(),
                _ => bail!("unknown option `{name}`; there are --pairs, --size, --runtime, --target"),
            }
        }
        if options.pairs < 3 {
            bail!("--pairs must be at least 3: a median of fewer says nothing");
        }
        Ok(options)
    }
}

/// Runs the pairs, prints the table, writes `target/bench/fio.json`.
pub(crate) fn bench_fio(arguments: &[String], root: &Path) -> anyhow::Result<()> {
    let options = Options::parse(arguments, root)?;
    let version = Command::new("fio").arg("--version").output();
    let Ok(version) = version else { bail!("fio is not installed: apt-get install fio") };
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    build(root)?;
    fs::create_dir_all(&options.target)?;

    // One short run lays the files out; every later one of either tool uses them.
    run_iotrial(root, &options, 1)?;
    let plan = plan_of_iotrial(root, &options)?;
    let mut pairs = Vec::new();
    for pair in 0..options.pairs {
        let (ours, theirs) = if pair % 2 == 0 {
            let ours = run_iotrial(root, &options, options.runtime_s)?;
            (ours, run_fio(&options, &plan)?)
        } else {
            let theirs = run_fio(&options, &plan)?;
            (run_iotrial(root, &options, options.runtime_s)?, theirs)
        };
        eprintln!(
            "pair {} of {}: read IOPS {:.0} / {:.0}",
            pair + 1,
            options.pairs,
            ours.read_iops,
            theirs.read_iops
        );
        pairs.push((ours, theirs));
    }
    for file in files_of(&plan) {
        fs::remove_file(file)?;
    }
    let rows = table(&pairs);
    println!(
        "sqlserver-oltp, {}, {} s, {} pairs, {version}\n",
        options.size, options.runtime_s, options.pairs
    );
    println!("{:<16} {:>12} {:>12} {:>8}  target", "median of", "iotrial", "fio", "ratio");
    for row in &rows {
        let target = row["target"].as_array().map_or(String::new(), |range| {
            let is_met = row["met"].as_bool().unwrap_or_default();
            format!("{} to {}  {}", range[0], range[1], if is_met { "met" } else { "MISSED" })
        });
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        let name = row["name"].as_str().unwrap_or_default();
        println!(
            "{name:<16} {:>12.2} {:>12.2} {:>8.3}  {target}",
            number("iotrial"),
            number("fio"),
            number("ratio")
        );
    }
    let path = root.join("target/bench/fio.json");
    fs::write(
        &path,
        serde_json::to_string_pretty(&json!({ "fio": version, "pairs": options.pairs, "rows": rows }))?,
    )?;
    println!("\nwritten to {}", path.display());
    Ok(())
}

fn table(pairs: &[(Measured, Measured)]) -> Vec<Value> {
    ROWS.iter()
        .map(|(name, figure, target)| {
            let ratio = median(pairs.iter().map(|(ours, theirs)| figure(ours) / figure(theirs)).collect());
            json!({
                "name": name,
                "iotrial": median(pairs.iter().map(|(ours, _)| figure(ours)).collect()),
                "fio": median(pairs.iter().map(|(_, theirs)| figure(theirs)).collect()),
                "ratio": ratio,
                "target": target.map(|(low, high)| vec![low, high]),
                "met": target.map(|(low, high)| (low..=high).contains(&ratio)),
            })
        })
        .collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

fn build(root: &Path) -> anyhow::Result<()> {
    let built = Command::new("cargo")
        .args(["build", "--release", "--package", "iotrial"])
        .current_dir(root)
        .status()?;
    if built.success() { Ok(()) } else { bail!("iotrial does not build") }
}

fn iotrial(root: &Path, options: &Options) -> Command {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let mut command = Command::new(target.join("release/iotrial"));
    command
        .args([
            "run",
            "sqlserver-oltp",
            "--keep-files",
            "--json",
            "--quiet",
            "--ramp",
            "2s",
            "--size",
            &options.size,
        ])
        .arg("--target")
        .arg(&options.target)
        .arg("--store")
        .arg(root.join("target/bench/store"));
    command
}

fn json_of(command: &mut Command) -> anyhow::Result<Value> {
    let output = command.output().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    // Exit code 1 is a verdict, not a failure.
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!("{:?} failed: {}", command.get_program(), String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn plan_of_iotrial(root: &Path, options: &Options) -> anyhow::Result<Value> {
    json_of(iotrial(root, options).arg("--dry-run"))
}

fn run_iotrial(root: &Path, options: &Options, runtime_s: u32) -> anyhow::Result<Measured> {
    let summary = json_of(iotrial(root, options).args(["--duration", &format!("{runtime_s}s")]))?;
    let number = |pointer: &str| {
        summary.pointer(pointer).and_then(Value::as_f64).with_context(|| format!("iotrial gave no {pointer}"))
    };
    Ok(Measured {
        read_iops: number("/total/read/iops")?,
        write_iops: number("/total/write/iops")?,
        read_mean_us: number("/total/read/lat_mean_us")?,
        write_mean_us: number("/total/write/lat_mean_us")?,
        read_p99_us: number("/total/read/lat_p99_us")?,
        write_p99_us: number("/total/write/lat_p99_us")?,
        cpu_per_io_us: number("/cpu/per_io_us")?,
    })
}

fn files_of(plan: &Value) -> Vec<String> {
    plan["areas"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|area| area["path"].as_str())
        .map(str::to_owned)
        .collect()
}

/// A fio job file of the plan's jobs on the plan's bytes.
fn fio_jobs(plan: &Value, runtime_s: u32) -> anyhow::Result<String> {
    let mut text = format!(
        "[global]\nioengine=io_uring\ndirect=1\nthread\ntime_based\nruntime={runtime_s}\nramp_time=2\nnorandommap\n\
         lat_percentiles=1\nclat_percentiles=0\ngroup_reporting\n"
    );
    for job in plan["jobs"].as_array().context("the plan has no jobs")? {
        let area = &plan["areas"][usize::try_from(job["areas"][0].as_u64().context("a job has no area")?)?];
        let read_percent = job["rwmix_read_percent"].as_u64().context("a job has no read share")?;
        let rw = match (job["pattern"].as_str(), read_percent) {
            (Some("random"), 0) => "randwrite",
            (Some("random"), 100) => "randread",
            (Some("random"), _) => "randrw",
            (_, 0) => "write",
            (_, 100) => "read",
            _ => "rw",
        };
        text.push_str(&format!(
            "[{}]\nfilename={}\noffset={}\nsize={}\nrw={rw}\nrwmixread={read_percent}\nbs={}\nnumjobs={}\niodepth={}\n",
            job["name"].as_str().context("a job has no name")?,
            area["path"].as_str().context("an area has no path")?,
            area["offset_bytes"],
            area["length_bytes"],
            job["block_size_bytes"],
            job["numjobs"],
            job["iodepth"],
        ));
    }
    Ok(text)
}

fn run_fio(options: &Options, plan: &Value) -> anyhow::Result<Measured> {
    let job_file = options.target.join("bench.fio");
    fs::write(&job_file, fio_jobs(plan, options.runtime_s)?)?;
    let result = json_of(Command::new("fio").arg("--output-format=json").arg(&job_file));
    fs::remove_file(&job_file)?;
    let result = result?;
    let job = &result["jobs"][0];
    let number = |pointer: &str| {
        job.pointer(pointer).and_then(Value::as_f64).with_context(|| format!("fio gave no {pointer}"))
    };
    let (read_count, write_count) = (number("/read/total_ios")?, number("/write/total_ios")?);
    // Percent of one CPU, summed over the group's threads as an average: fio divides by the thread count.
    let thread_count = job_thread_count(plan);
    let cpu_s =
        (number("/usr_cpu")? + number("/sys_cpu")?) / 100.0 * thread_count * f64::from(options.runtime_s);
    Ok(Measured {
        read_iops: number("/read/iops")?,
        write_iops: number("/write/iops")?,
        read_mean_us: number("/read/lat_ns/mean")? / 1e3,
        write_mean_us: number("/write/lat_ns/mean")? / 1e3,
        read_p99_us: number("/read/lat_ns/percentile/99.000000")? / 1e3,
        write_p99_us: number("/write/lat_ns/percentile/99.000000")? / 1e3,
        cpu_per_io_us: cpu_s * 1e6 / (read_count + write_count),
    })
}

fn job_thread_count(plan: &Value) -> f64 {
    plan["jobs"].as_array().into_iter().flatten().filter_map(|job| job["numjobs"].as_f64()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_two_middle_ones() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    fn the_fio_jobs_are_those_of_the_plan() {
        let plan = json!({
            "areas": [{ "path": "/x/a.iotrial", "offset_bytes": 1_048_576, "length_bytes": 4096 }],
            "jobs": [{ "name": "a", "pattern": "random", "rwmix_read_percent": 70, "block_size_bytes": 8192,
                       "numjobs": 6, "iodepth": 8, "areas": [0] }],
        });
        let text = fio_jobs(&plan, 20).unwrap();
        assert!(text.contains("runtime=20\n"), "{text}");
        let job = "[a]\nfilename=/x/a.iotrial\noffset=1048576\nsize=4096\nrw=randrw\nrwmixread=70\nbs=8192\nnumjobs=6\niodepth=8\n";
        assert!(text.ends_with(job), "{text}");
    }
}
