//! Rows without a peer: arrivals, the stall test, memory and threads.

use std::num::NonZero;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;

use super::figure::{Figure, Target};
use super::load::{BenchJob, profile};
use super::options::Times;
use super::tools::{Bench, seconds};
use super::watched::{OFTEN, SELDOM, Watched};

/// Of the loop itself, seen by the bench target of the engine; and the whole program at the highest rate.
pub(crate) fn poisson(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let runtime_s = bench.options.runtime.as_secs().to_string();
    let document = bench.bench_target("iotrial-engine", "arrivals", &["--seconds", &runtime_s])?;
    let rates = document["rates"].as_array().context("`arrivals` gave no rates")?;
    let mut figures = Vec::new();
    for one in rates {
        figures.extend(arrivals(one).context("`arrivals` gave other keys")?);
    }
    let job = BenchJob { iops: Some(600_000), ..BenchJob::closed(100, "8KiB", 4_096) };
    let profile = bench.write_profile(&profile(job, 1))?;
    let found = (1..=bench.options.pairs).map(|seed| {
        let mut command =
            bench.iotrial(&profile, &["--engine", "null", "--ramp", &seconds(bench.options.times().ramp)]);
        command.args(["--duration", &seconds(bench.options.runtime), "--seed", &seed.to_string()]);
        let summary = Watched::iotrial(&mut command, SELDOM)?.document;
        Ok(number(&summary, "/total/read/iops")? / 600_000.0)
    });
    let found = found.collect::<anyhow::Result<_>>()?;
    let target = Some(Target::within(0.995, 1.005));
    figures.push(Figure::alone("600000/s, `iotrial run`: found / asked rate", found, target));
    Ok(figures)
}

/// The figures of one rate; `None` where a key is missing.
fn arrivals(one: &Value) -> Option<Vec<Figure>> {
    let rate = one["rate"].as_f64()?;
    let (ideal, real) = (&one["ideal"], &one["real"]);
    let half_a_percent = Some(Target::within(0.995, 1.005));
    // Under the exponential distribution the median of √n · D is 0.828; that of 200 samples has a standard
    // deviation of 0.02. Both ends count: a stream that is too even is no Poisson stream either.
    let passes = Some(Target::within(0.76, 0.90));
    let distances = ideal["ks"].as_array()?.iter().map(Value::as_f64).collect::<Option<_>>()?;
    let alone = |name: &str, value, target| Figure::alone(format!("{rate}/s: {name}"), vec![value], target);
    Some(vec![
        alone("found / asked rate, 10⁶ arrivals", ideal["found_rate"].as_f64()? / rate, half_a_percent),
        Figure::alone(format!("{rate}/s: KS √n·D of due times"), distances, passes),
        alone("issued / due", real["issued_count"].as_f64()? / real["due_count"].as_f64()?, half_a_percent),
        alone("KS D of issue times", real["ks"].as_f64()? / real["gap_count"].as_f64()?.sqrt(), None),
        alone("issued late, p99 µs", real["late_p99_us"].as_f64()?, None),
    ])
}

/// Seeds of the stall test: some 5,000 arrivals fall into the stall, give or take 70, and p99 moves with them.
const STALL_SEEDS: u64 = 9;

/// An open and a closed load on a device that freezes for one second of sixty.
pub(crate) fn stall(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let open = BenchJob { iops: Some(5_000), ..BenchJob::closed(100, "8KiB", 32) };
    let [p50, p99, p999] = stalled(bench, open, bench.options.of_size(STALL_SEEDS, 1))?;
    let mut figures = vec![
        Figure::alone("open 5000/s: p50 ms", p50, Some(Target::within(0.19, 0.21))),
        Figure::alone("open 5000/s: p99 ms", p99, Some(Target::within(390.0, 430.0))),
        Figure::alone("open 5000/s: p99.9 ms", p999, Some(Target::within(928.0, 948.0))),
    ];
    let closed = stalled(bench, BenchJob::closed(100, "8KiB", 1), 1)?;
    for (name, values) in ["p50", "p99", "p99.9"].into_iter().zip(closed) {
        let target = Some(Target::within(0.19, 0.21));
        figures.push(Figure::alone(format!("closed: {name} ms"), values, target));
    }
    Ok(figures)
}

/// p50, p99 and p99.9 in ms, each for all seeds.
fn stalled(bench: &Bench, job: BenchJob, seeds: u64) -> anyhow::Result<[Vec<f64>; 3]> {
    let profile = bench.write_profile(&profile(job, 1))?;
    let (start_s, load_s) = bench.options.of_size((30, 60), (1, 3));
    let device = format!(
        "service_time_us = 200, service_spread = 0, parallelism = 32, \
         stalls = [{{ start_s = {start_s}, duration_s = 1 }}]"
    );
    let mut values: [Vec<f64>; 3] = Default::default();
    for seed in 1..=seeds {
        let mut command = bench.iotrial(&profile, &["--engine", "sim", "--sim", &device, "--ramp", "0s"]);
        command.args(["--duration", &format!("{load_s}s"), "--seed", &seed.to_string()]);
        let summary = Watched::iotrial(&mut command, SELDOM)?.document;
        for (values, key) in values.iter_mut().zip(["lat_p50_us", "lat_p99_us", "lat_p999_us"]) {
            values.push(number(&summary, &format!("/total/read/{key}"))? / 1e3);
        }
    }
    Ok(values)
}

/// Jobs of the memory row, and the time that they run.
const MEMORY_JOBS: usize = 20;
const MEMORY_RUNTIME: Duration = Duration::from_secs(600);
const MEMORY_JOB: BenchJob = BenchJob { numjobs: 2, ..BenchJob::closed(70, "8KiB", 8) };

/// What is resident at the most. Memory grows with the intervals, which a simulated clock makes in seconds, and
/// with the threads, of which a simulated device has one; so a shorter run of several threads stands beside it,
/// and a real run of ten minutes for those who ask for it.
pub(crate) fn memory(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let profile = bench.write_profile(&profile(MEMORY_JOB, MEMORY_JOBS))?;
    let device = "service_time_us = 200, parallelism = 32, iops_cap = 20000";
    let minutes = seconds(bench.options.of_size(MEMORY_RUNTIME, Duration::from_secs(1)));
    let brief = seconds(bench.options.runtime);
    let mut runs = vec![
        ("20 jobs, 10 min, sim", vec!["--engine", "sim", "--sim", device, "--duration", &minutes]),
        ("20 jobs, short, null", vec!["--engine", "null", "--duration", &brief]),
    ];
    if bench.options.long {
        let real = vec!["--engine", "uring", "--duration", &minutes, "--size", &bench.options.size];
        runs.push(("20 jobs, 10 min, uring direct", real));
    }
    let mut figures = Vec::new();
    for (name, arguments) in runs {
        let mut command = bench.iotrial(&profile, &arguments);
        let run = Watched::iotrial(command.args(["--ramp", "0s", "--seed", "1"]), OFTEN)?;
        let peak =
            run.peak_resident_bytes().context("the system does not tell how much memory is resident")?;
        // Only an engine that moves bytes has buffers to move them through.
        let buffers = if arguments.contains(&"uring") { buffer_bytes(MEMORY_JOB) } else { 0 };
        let name = format!("{name}: MiB resident beside the buffers");
        figures.push(Figure::alone(
            name,
            vec![mib(peak.saturating_sub(buffers))],
            Some(Target::at_most(64.0)),
        ));
    }
    Ok(figures)
}

/// One buffer of 8 KiB for every outstanding I/O of all jobs.
fn buffer_bytes(job: BenchJob) -> u64 {
    u64::from(job.numjobs) * u64::from(job.iodepth) * MEMORY_JOBS as u64 * 8_192
}

pub(crate) fn mib(bytes: u64) -> f64 {
    bytes as f64 / 1_048_576.0
}

/// Threads that a run has beside those that drive the load: the main one, signals, progress, counters.
const THREADS_BESIDE: usize = 4;

/// A thousand queues: 4 jobs of 250 copies each.
pub(crate) fn queues(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let copies = bench.options.of_size(250, 5);
    let job = BenchJob { numjobs: copies, ..BenchJob::closed(70, "8KiB", 1) };
    let profile = bench.write_profile(&profile(job, 4))?;
    let cpus = std::thread::available_parallelism().map_or(1, NonZero::get);
    let target = Some(Target::at_most(f64_of(cpus + THREADS_BESIDE)));
    let buffered = ["--engine", "uring", "--buffered", "--size", bench.options.of_size("256MiB", "16MiB")];
    let mut figures = Vec::new();
    for (name, arguments) in [("null", &["--engine", "null"][..]), ("uring, page cache", &buffered)] {
        let mut command = bench.iotrial(&profile, arguments);
        let runtime = bench.options.runtime;
        command.args(["--ramp", "0s", "--duration", &seconds(runtime), "--seed", "1"]);
        let run = Watched::iotrial(&mut command, SELDOM)?;
        let threads = run.most_threads_in_load(Times { ramp: Duration::ZERO, ..bench.options.times() })?;
        let label = format!("{} queues, {name}", 4 * copies);
        figures.push(Figure::alone(format!("{label}: threads"), vec![f64_of(threads.own)], target));
        let workers = vec![f64_of(threads.kernel_workers)];
        figures.push(Figure::alone(format!("{label}: workers of the kernel"), workers, None));
        let iops = number(&run.document, "/total/read/iops")? + number(&run.document, "/total/write/iops")?;
        figures.push(Figure::alone(format!("{label}: IOPS"), vec![iops], None));
    }
    Ok(figures)
}

fn f64_of(count: usize) -> f64 {
    count as f64
}

fn number(summary: &Value, pointer: &str) -> anyhow::Result<f64> {
    summary.pointer(pointer).and_then(Value::as_f64).with_context(|| format!("iotrial gave no {pointer}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_rate_is_reached_where_due_and_issued_agree_and_the_gaps_pass_their_test() {
        let one = json!({
            "rate": 1000,
            "ideal": { "found_rate": 999.0, "ks": [0.5, 0.83, 1.2] },
            "real": { "issued_count": 990, "due_count": 1000, "ks": 2.0, "gap_count": 100, "late_p99_us": 2.5 },
        });
        let reached: Vec<Option<bool>> = arrivals(&one).unwrap().iter().map(Figure::is_reached).collect();
        assert_eq!(reached, [Some(true), Some(true), Some(false), None, None]);
        assert_eq!(arrivals(&json!({ "rate": 1000 })), None);
    }

    #[test]
    fn the_buffers_are_those_of_all_outstanding_ios() {
        assert_eq!(buffer_bytes(MEMORY_JOB), 20 * 2 * 8 * 8_192);
    }
}
