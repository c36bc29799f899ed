//! A load that iotrial and fio both run: a profile, and the fio job file that does the same on the same bytes.

use std::fmt::Write as _;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::options::Times;

/// One job of a profile that a benchmark writes, random over its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BenchJob {
    pub(crate) read_percent: u8,
    /// Size of one I/O with its unit, such as `8KiB`.
    pub(crate) block_size: &'static str,
    pub(crate) numjobs: u32,
    pub(crate) iodepth: u32,
    /// Poisson arrivals per second; `None` where each completion makes room for the next.
    pub(crate) iops: Option<u32>,
}

impl BenchJob {
    /// One copy that is always `iodepth` deep.
    pub(crate) const fn closed(read_percent: u8, block_size: &'static str, iodepth: u32) -> Self {
        Self { read_percent, block_size, numjobs: 1, iodepth, iops: None }
    }
}

/// A profile of so many jobs like this one. Sizes and times are placeholders: every run gives its own.
pub(crate) fn profile(job: BenchJob, job_count: usize) -> String {
    let mut text = "format = \"iotrial.profile/1\"\nname = \"bench\"\ntitle = \"Benchmark\"\n\
         schedule = { duration = \"60s\" }\nquick = { size = \"1GiB\", duration = \"10s\" }\n"
        .to_owned();
    for index in 0..job_count {
        let BenchJob { read_percent, block_size, numjobs, iodepth, iops } = job;
        let rate =
            iops.map_or_else(String::new, |iops| format!("rate = \"{iops} iops\"\nspacing = \"poisson\"\n"));
        let _ = write!(
            text,
            "\n[[job]]\nname = \"bench{index}\"\nrole = \"data\"\npattern = \"random\"\n\
             rwmix_read_percent = {read_percent}\nblock_size = \"{block_size}\"\nnumjobs = {numjobs}\n\
             iodepth = {iodepth}\nsize = \"1GiB\"\n{rate}"
        );
    }
    text
}

/// How fio is to run a plan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FioSettings {
    /// Its engine: `io_uring` or `null`.
    pub(crate) engine: &'static str,
    /// With registered files and buffers: io_uring at its best.
    pub(crate) registered: bool,
    pub(crate) times: Times,
    pub(crate) seed: u64,
}

/// A fio job file of the plan's jobs on the plan's bytes.
///
/// # Errors
///
/// When the plan is not as it is known here.
pub(crate) fn fio_jobs(plan: &Value, settings: FioSettings) -> anyhow::Result<String> {
    let FioSettings { engine, registered, times: Times { ramp, runtime, .. }, seed } = settings;
    // The page cache stays warm (fio drops it otherwise), offsets repeat as iotrial's do, and percentiles are
    // those of the total latency.
    let mut text = format!(
        "[global]\nioengine={engine}\ndirect={}\ninvalidate=0\nthread\ntime_based\nruntime={}\nramp_time={}\n\
         randseed={seed}\nnorandommap\nlat_percentiles=1\nclat_percentiles=0\ngroup_reporting\n",
        u8::from(plan["direct"].as_bool().context("the plan does not say whether it is direct")?),
        runtime.as_secs(),
        ramp.as_secs(),
    );
    if registered {
        text.push_str("registerfiles=1\nfixedbufs=1\n");
    }
    for job in plan["jobs"].as_array().context("the plan has no jobs")? {
        let area = area_of(plan, job)?;
        let read_percent = job["rwmix_read_percent"].as_u64().context("a job has no read share")?;
        let rw = match (job["pattern"].as_str(), read_percent) {
            (Some("random"), 0) => "randwrite",
            (Some("random"), 100) => "randread",
            (Some("random"), _) => "randrw",
            (_, 0) => "write",
            (_, 100) => "read",
            _ => "rw",
        };
        let _ = write!(
            text,
            "[{}]\nfilename={}\noffset={}\nsize={}\nrw={rw}\nrwmixread={read_percent}\nbs={}\nnumjobs={}\niodepth={}\n",
            job["name"].as_str().context("a job has no name")?,
            area["path"].as_str().context("an area has no path")?,
            area["offset_bytes"],
            area["length_bytes"],
            job["block_size_bytes"],
            job["numjobs"],
            job["iodepth"],
        );
    }
    Ok(text)
}

/// Where a job of a plan works; none of those here has several areas.
fn area_of<'p>(plan: &'p Value, job: &Value) -> anyhow::Result<&'p Value> {
    Ok(&plan["areas"][usize::try_from(job["areas"][0].as_u64().context("a job has no area")?)?])
}

/// A job file of fio for both tools: a mix of a database with several copies, a scan and a log that is flushed, in eight times `unit_mib`. For
/// iotrial the jobs lie on files that only have names; for fio, which would make files of its own, on the areas of the plan that
/// iotrial made of them.
///
/// # Errors
///
/// When the plan is not as it is known here.
pub(crate) fn fio_mix(
    plan: Option<&Value>,
    unit_mib: u32,
    Times { ramp, runtime, .. }: Times,
    seed: u64,
) -> anyhow::Result<String> {
    let mut text = format!(
        "[global]\nioengine=io_uring\ndirect=1\ninvalidate=0\nthread\ntime_based\nruntime={}\nramp_time={}\nrandseed={seed}\n\
         norandommap\nlat_percentiles=1\nclat_percentiles=0\ngroup_reporting\n",
        runtime.as_secs(),
        ramp.as_secs(),
    );
    let jobs = [
        ("pages", "rw=randrw\nrwmixread=70\nbs=8k\nnumjobs=4\niodepth=8", 4),
        ("scan", "rw=read\nbs=64k\niodepth=2", 3),
        ("log", "rw=write\nbs=4k\nfdatasync=1", 1),
    ];
    for (index, (name, options, units)) in jobs.into_iter().enumerate() {
        let area = match plan {
            Some(plan) => {
                let area = area_of(plan, &plan["jobs"][index])?;
                let path = area["path"].as_str().context("an area has no path")?;
                // A later size takes the place of an earlier one.
                format!("filename={path}\noffset={}\nsize={}", area["offset_bytes"], area["length_bytes"])
            }
            None => format!("filename={name}"),
        };
        let _ = write!(text, "[{name}]\n{options}\nsize={}m\n{area}\n", units * unit_mib);
    }
    Ok(text)
}

/// What both tools report of a run, in the same units; latencies are total ones, which fio calls `lat`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    /// Absent where the load has none.
    pub(crate) read: Option<Stream>,
    pub(crate) write: Option<Stream>,
    /// Of both directions together.
    pub(crate) iops: f64,
    /// CPU time of the generator's process and of the kernel for it, for one I/O.
    pub(crate) cpu_per_io_us: f64,
}

/// One direction of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stream {
    pub(crate) iops: f64,
    pub(crate) mean_us: f64,
    pub(crate) p99_us: f64,
}

impl Measured {
    /// Puts both directions and the CPUs in use together.
    pub(crate) fn new(read: Option<Stream>, write: Option<Stream>, cpus: f64) -> Self {
        let iops = read.iter().chain(&write).map(|stream| stream.iops).sum();
        Self { read, write, iops, cpu_per_io_us: cpus * 1e6 / iops }
    }

    /// Of a tool that counts I/Os and times none.
    pub(crate) fn counted(iops: f64, cpus: f64) -> Self {
        Self { read: None, write: None, iops, cpu_per_io_us: cpus * 1e6 / iops }
    }
}

/// What `t/io_uring` prints, a line such as `IOPS=786.24K, BW=3.07GiB/s, IOS/call=32/32` for each second.
///
/// # Errors
///
/// When there is no such line.
pub(crate) fn of_t_io_uring(text: &str) -> anyhow::Result<Value> {
    let iops = |line: &str| {
        let number = line.strip_prefix("IOPS=")?.split(',').next()?;
        let digits = number.trim_end_matches(['K', 'M']);
        let unit = match &number[digits.len()..] {
            "K" => 1e3,
            "M" => 1e6,
            _ => 1.0,
        };
        Some(digits.parse::<f64>().ok()? * unit)
    };
    let by_second: Vec<f64> = text.lines().filter_map(iops).collect();
    ensure!(!by_second.is_empty(), "it printed no IOPS");
    Ok(json!({ "iops_by_second": by_second }))
}

impl Stream {
    /// From a summary of iotrial; `None` where the load has nothing in this direction.
    pub(crate) fn of_iotrial(summary: &Value, direction: &str) -> Option<Self> {
        let stream = summary.pointer(&format!("/total/{direction}"))?;
        let number = |key: &str| stream[key].as_f64();
        Some(Self { iops: number("iops")?, mean_us: number("lat_mean_us")?, p99_us: number("lat_p99_us")? })
    }

    /// From the one group of jobs of fio's result.
    pub(crate) fn of_fio(result: &Value, direction: &str) -> Option<Self> {
        let stream = result.pointer(&format!("/jobs/0/{direction}"))?;
        if stream["total_ios"].as_u64() == Some(0) {
            return None;
        }
        let lat_us = |pointer: &str| Some(stream.pointer(pointer)?.as_f64()? / 1e3);
        Some(Self {
            iops: stream["iops"].as_f64()?,
            mean_us: lat_us("/lat_ns/mean")?,
            p99_us: lat_us("/lat_ns/percentile/99.000000")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_fio_jobs_are_those_of_the_plan() {
        let plan = json!({
            "direct": true,
            "areas": [{ "path": "/x/a.iotrial", "offset_bytes": 1_048_576, "length_bytes": 4096 }],
            "jobs": [{ "name": "a", "pattern": "random", "rwmix_read_percent": 70, "block_size_bytes": 8192,
                       "numjobs": 6, "iodepth": 8, "areas": [0] }],
        });
        let [ramp, runtime] = [2, 20].map(Duration::from_secs);
        let times = Times { ramp, runtime, is_whole: false };
        let settings = FioSettings { engine: "io_uring", registered: true, times, seed: 7 };
        let text = fio_jobs(&plan, settings).unwrap();
        for line in ["direct=1", "runtime=20", "ramp_time=2", "randseed=7", "registerfiles=1", "fixedbufs=1"]
        {
            assert!(text.lines().any(|one| one == line), "no `{line}` in {text}");
        }
        let job = "[a]\nfilename=/x/a.iotrial\noffset=1048576\nsize=4096\nrw=randrw\nrwmixread=70\nbs=8192\nnumjobs=6\niodepth=8\n";
        assert!(text.ends_with(job), "{text}");
        let plain = fio_jobs(&plan, FioSettings { registered: false, ..settings }).unwrap();
        assert!(!plain.contains("fixedbufs"), "{plain}");
    }

    #[test]
    fn a_profile_has_so_many_jobs_and_an_open_one_its_rate() {
        let job = BenchJob { iops: Some(600_000), ..BenchJob::closed(70, "8KiB", 32) };
        let text = profile(job, 2);
        assert_eq!(text.matches("[[job]]").count(), 2);
        assert!(text.contains("name = \"bench1\"") && text.contains("rate = \"600000 iops\""), "{text}");
        assert!(!profile(BenchJob::closed(70, "8KiB", 32), 1).contains("rate ="));
    }

    #[test]
    fn both_tools_are_read_in_the_same_units_and_an_absent_direction_stays_absent() {
        let summary =
            json!({ "total": { "read": { "iops": 1000.0, "lat_mean_us": 200.0, "lat_p99_us": 300.0 } } });
        let result = json!({ "jobs": [{
            "read": { "total_ios": 5, "iops": 1000.0,
                      "lat_ns": { "mean": 200_000.0, "percentile": { "99.000000": 300_000 } } },
            "write": { "total_ios": 0, "iops": 0.0 },
        }] });
        let ours = Stream::of_iotrial(&summary, "read");
        assert_eq!(ours, Some(Stream { iops: 1000.0, mean_us: 200.0, p99_us: 300.0 }));
        assert_eq!(Stream::of_fio(&result, "read"), ours);
        assert_eq!((Stream::of_iotrial(&summary, "write"), Stream::of_fio(&result, "write")), (None, None));
        // Half a CPU for 1,000 I/Os a second.
        assert_eq!(Measured::new(ours, None, 0.5).cpu_per_io_us, 500.0);
        assert_eq!(Measured::counted(1000.0, 0.5).cpu_per_io_us, 500.0);
    }

    #[test]
    fn the_barest_loop_is_read_second_by_second() {
        let text = "submitter=0, tid=1\nIOPS=950, BW=3MiB/s, IOS/call=32/32\nIOPS=460.64K, BW=1MiB/s\nIOPS=1.25M, BW=4GiB/s\nMaximum IOPS=1.25M\n";
        let iops = of_t_io_uring(text).unwrap();
        assert_eq!(iops["iops_by_second"], json!([950.0, 460_640.0, 1_250_000.0]));
        assert!(of_t_io_uring("Maximum IOPS=0\n").is_err());
    }
}
