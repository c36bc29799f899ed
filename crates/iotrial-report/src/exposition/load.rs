//! What a load does while it runs: a run, or one load after another of a sweep or a study.
//!
//! In addition to the sums there are the figures of the last interval, a second: for people who look with a browser, and for percentiles
//! that do not come from buckets.

use iotrial_analysis::figures::Figures;
use iotrial_analysis::live_load::{LiveInterval, LiveLoad};
use iotrial_model::plan::{Arrival, PhaseKind};
use iotrial_model::record::{JobCounts, OpCounts, RunRecord};
use iotrial_model::stream::Stream as IoStream;

use super::{Exposed, Metric, labels};

const INFO: Metric = ("iotrial_run_info", "gauge", "The load under way, and who makes it; always 1.");
const PHASE: Metric = ("iotrial_run_phase", "gauge", "1 for the phase under way, 0 for the others.");
const STEP: Metric =
    ("iotrial_run_step", "gauge", "The step of a load that changes, from 1; 0 outside of steps.");
const ELAPSED: Metric = ("iotrial_run_elapsed_seconds", "gauge", "Time since the load under way began.");
const LEFT: Metric = (
    "iotrial_run_left_seconds",
    "gauge",
    "Longest time until all loads are over, without the layout of files.",
);
const LOADS: Metric = (
    "iotrial_run_loads_total",
    "counter",
    "Loads that began: one for a run, many for a search, a sweep or a study.",
);
const LAYOUT: Metric = ("iotrial_run_layout_bytes", "gauge", "Bytes to be written before the load.");
const LAID_OUT: Metric =
    ("iotrial_run_layout_written_bytes", "gauge", "Bytes of the layout that are written.");

const LATENCY: Metric = (
    "iotrial_job_latency_seconds",
    "histogram",
    "Total latency of the I/Os that succeeded; its count is their number.",
);
const BYTES: Metric = ("iotrial_job_bytes_total", "counter", "Bytes of the I/Os that succeeded.");
const ERRORS: Metric = ("iotrial_job_errors_total", "counter", "I/Os that failed or came back short.");
const LATE: Metric = (
    "iotrial_job_late_total",
    "counter",
    "I/Os of an open load that iotrial issued late although it had room for them.",
);
const IOPS: Metric = ("iotrial_job_iops", "gauge", "I/Os per second in the last interval.");
const BANDWIDTH: Metric = ("iotrial_job_bytes_per_second", "gauge", "Bytes per second in the last interval.");
const MEAN: Metric =
    ("iotrial_job_latency_mean_seconds", "gauge", "Mean total latency of the last interval.");
const QUANTILE: Metric = (
    "iotrial_job_latency_quantile_seconds",
    "gauge",
    "Percentiles of the total latency in the last interval; quantile 1 is the longest.",
);
const OUTSTANDING: Metric = (
    "iotrial_job_outstanding",
    "gauge",
    "I/Os that waited or were with the device in the last interval, on average: rate times mean latency.",
);
const NOT_ISSUED: Metric = (
    "iotrial_job_not_issued_total",
    "counter",
    "I/Os of an open load that were due and were given up at the end of a step or of the load.",
);
const OFFERED: Metric = (
    "iotrial_job_offered_iops",
    "gauge",
    "The rate of an open load in the last interval: what it wants to issue.",
);
const BACKLOG: Metric = (
    "iotrial_job_backlog",
    "gauge",
    "I/Os of an open load that were due and not issued at the end of the last interval.",
);

/// All of them, in their order.
pub(super) const METRICS: &[Metric] = &[
    INFO,
    PHASE,
    STEP,
    ELAPSED,
    LEFT,
    LOADS,
    LAYOUT,
    LAID_OUT,
    LATENCY,
    BYTES,
    ERRORS,
    LATE,
    NOT_ISSUED,
    IOPS,
    BANDWIDTH,
    MEAN,
    QUANTILE,
    OUTSTANDING,
    OFFERED,
    BACKLOG,
];

/// Upper edges of the buckets, in seconds: three per decade, and more near the limits of the threshold sets.
// Both text and number, because queries compare the text.
const EDGES: [(&str, u64); 23] = [
    ("0.00005", 50_000),
    ("0.0001", 100_000),
    ("0.0002", 200_000),
    ("0.0003", 300_000),
    ("0.0005", 500_000),
    ("0.00075", 750_000),
    ("0.001", 1_000_000),
    ("0.0015", 1_500_000),
    ("0.002", 2_000_000),
    ("0.003", 3_000_000),
    ("0.005", 5_000_000),
    ("0.0075", 7_500_000),
    ("0.01", 10_000_000),
    ("0.015", 15_000_000),
    ("0.02", 20_000_000),
    ("0.03", 30_000_000),
    ("0.05", 50_000_000),
    ("0.1", 100_000_000),
    ("0.2", 200_000_000),
    ("0.5", 500_000_000),
    ("1", 1_000_000_000),
    ("2", 2_000_000_000),
    ("5", 5_000_000_000),
];

/// How many jobs that are gone keep their sums: a study of many configurations must not make the text grow for ever.
const MOST_STREAMS: usize = 500;

/// What is served about the loads of a session, except their progress.
#[derive(Debug, Clone)]
pub struct LoadExposition {
    version: String,
    host: String,
    /// The load under way, or the last one.
    load: Option<Load>,
    /// Every stream of every load so far.
    streams: Vec<Stream>,
    /// Jobs of open loads, with what they never issued.
    open_jobs: Vec<(String, u64)>,
}

#[derive(Debug, Clone)]
struct Load {
    /// Version, host, label and so on.
    about: String,
    /// Labels of each job of the plan, without the direction.
    jobs: Vec<String>,
    /// The last interval: figures and mean outstanding by labels, offered rate and backlog by job.
    last: Vec<(String, Figures, f64)>,
    offered: Vec<(String, f64, u64)>,
}

/// What a metric shows of the sums.
type OfStream = fn(&Stream) -> u64;
/// What a metric shows of the last interval.
type OfFigures = fn(&Figures) -> Option<f64>;

/// The sums of one direction of a job.
#[derive(Debug, Clone)]
struct Stream {
    labels: String,
    buckets: [u64; EDGES.len()],
    io_count: u64,
    latency_s: f64,
    bytes: u64,
    error_count: u64,
    late_count: u64,
}

impl LoadExposition {
    /// Before anything has begun. `host` is empty if it must not be shown.
    pub fn new(version: &str, host: &str) -> Self {
        Self {
            version: version.to_owned(),
            host: host.to_owned(),
            load: None,
            streams: Vec::new(),
            open_jobs: Vec::new(),
        }
    }

    /// The load of a record begins. For an anonymous one, neither host nor paths are shown.
    pub fn start(&mut self, record: &RunRecord) {
        self.give_up();
        let anonymous = record.anonymous.then(|| {
            let mut record = record.clone();
            record.anonymize();
            record
        });
        let record = anonymous.as_ref().unwrap_or(record);
        let host = if record.anonymous { "" } else { &self.host };
        let plan = &record.plan;
        let label = record.label.as_deref().unwrap_or_default();
        let jobs: Vec<String> = (0..plan.jobs.len()).map(|job| labels_of_job(record, job)).collect();
        let about = labels(&[
            ("version", &self.version),
            ("host", host),
            ("label", label),
            ("profile", &plan.profile),
            ("engine", plan.engine.as_str()),
        ]);
        for (labels, job) in jobs.iter().zip(&plan.jobs) {
            let directions =
                [("read", job.reads()), ("write", job.writes()), ("commit", job.group_commit.is_some())];
            for (direction, _) in directions.iter().filter(|(_, is_there)| *is_there) {
                let labels = directed(labels, direction);
                // From zero on: a counter that appears with its first error has no rate then.
                if self.streams.iter().all(|stream| stream.labels != labels) {
                    self.streams.push(Stream::new(labels));
                }
            }
            if matches!(job.arrival, Arrival::Open { .. })
                && self.open_jobs.iter().all(|(one, _)| one != labels)
            {
                self.open_jobs.push((labels.clone(), 0));
            }
        }
        self.streams.drain(..self.streams.len().saturating_sub(MOST_STREAMS));
        self.open_jobs.drain(..self.open_jobs.len().saturating_sub(MOST_STREAMS));
        self.load = Some(Load { about, jobs, last: Vec::new(), offered: Vec::new() });
    }

    /// An interval of the load that began last is over.
    pub fn interval(&mut self, interval: &LiveInterval<'_>) {
        let Some(load) = &mut self.load else { return };
        load.last.clear();
        load.offered.clear();
        let jobs = load.jobs.iter().zip(interval.counts()).zip(&interval.figures().jobs);
        for ((labels, counts), job) in jobs {
            for (direction, stream, op) in directions(counts) {
                let labels = directed(labels, direction);
                let Some(sums) = self.streams.iter_mut().find(|stream| stream.labels == labels) else {
                    continue;
                };
                let outstanding = sums.add(op) / interval.duration().as_secs_f64().max(1e-9);
                if let Some(figures) = job.streams.get(stream) {
                    load.last.push((labels, figures.clone(), outstanding));
                }
            }
            if let Some((arrivals, asked)) = job.arrivals.and_then(|one| Some((one, one.asked_iops?))) {
                load.offered.push((labels.clone(), asked, arrivals.backlog_count));
            }
        }
        // What is due at the end of a step is given up there.
        if interval.plan().step_borders().contains(&interval.elapsed()) {
            self.give_up();
        }
    }

    /// The load is over. May be called without one, and more than once.
    pub fn finish(&mut self) {
        self.give_up();
        if let Some(load) = &mut self.load {
            load.last.clear();
            load.offered.clear();
        }
    }

    /// Counts what is never issued.
    fn give_up(&mut self) {
        for (labels, _, backlog) in self.load.iter_mut().flat_map(|load| &mut load.offered) {
            if let Some((_, sum)) = self.open_jobs.iter_mut().find(|(one, _)| one == labels) {
                *sum += std::mem::take(backlog);
            }
        }
    }

    /// The text that Prometheus reads, with the progress of the loads.
    pub fn text(&self, live: &LiveLoad) -> String {
        let mut text = Exposed::default();
        let waiting = || labels(&[("version", &self.version), ("host", &self.host)]);
        text.metric(INFO);
        let about = self.load.as_ref().map_or_else(waiting, |load| load.about.clone());
        text.sample(INFO.0, &about, 1);
        text.metric(PHASE);
        let (done, all) = live.laid_out();
        let now = live.phase().as_str();
        let phases = [PhaseKind::Precondition, PhaseKind::Ramp, PhaseKind::Measure].map(PhaseKind::as_str);
        for phase in ["none", "layout"].into_iter().chain(phases) {
            text.sample(PHASE.0, &labels(&[("phase", phase)]), u8::from(phase == now));
        }
        for (metric, value) in [
            (STEP, live.step() as f64),
            (ELAPSED, live.elapsed().as_secs_f64()),
            (LEFT, live.left().as_secs_f64()),
            (LOADS, live.count() as f64),
            (LAYOUT, all as f64),
            (LAID_OUT, done as f64),
        ] {
            text.metric(metric);
            text.sample(metric.0, "", value);
        }
        self.sums(&mut text);
        self.last_interval(&mut text);
        text.0
    }

    fn sums(&self, text: &mut Exposed) {
        text.metric(LATENCY);
        let (bucket, sum, count) =
            (format!("{}_bucket", LATENCY.0), format!("{}_sum", LATENCY.0), format!("{}_count", LATENCY.0));
        for stream in &self.streams {
            let mut below = 0;
            for ((edge, _), in_it) in EDGES.iter().zip(stream.buckets) {
                below += in_it;
                text.sample(&bucket, &format!("{},le=\"{edge}\"", stream.labels), below);
            }
            text.sample(&bucket, &format!("{},le=\"+Inf\"", stream.labels), stream.io_count);
            text.sample(&sum, &stream.labels, stream.latency_s);
            text.sample(&count, &stream.labels, stream.io_count);
        }
        let of: [(Metric, OfStream); 3] = [
            (BYTES, |stream| stream.bytes),
            (ERRORS, |stream| stream.error_count),
            (LATE, |stream| stream.late_count),
        ];
        for (metric, value) in of {
            text.metric(metric);
            for stream in &self.streams {
                text.sample(metric.0, &stream.labels, value(stream));
            }
        }
        text.metric(NOT_ISSUED);
        for (labels, count) in &self.open_jobs {
            text.sample(NOT_ISSUED.0, labels, count);
        }
    }

    fn last_interval(&self, text: &mut Exposed) {
        let last = self.load.iter().flat_map(|load| &load.last);
        let offered = self.load.iter().flat_map(|load| &load.offered);
        let seconds = |us: Option<f64>| us.map(|us| us / 1e6);
        let of: [(Metric, OfFigures); 2] = [
            (IOPS, |figures| figures.iops),
            (BANDWIDTH, |figures| figures.bandwidth_mib_per_s.map(|mib| mib * f64::from(1 << 20))),
        ];
        for (metric, value) in of {
            text.metric(metric);
            for (labels, figures, _) in last.clone() {
                value(figures).into_iter().for_each(|value| text.sample(metric.0, labels, value));
            }
        }
        // A second without an I/O has no latency, not one of zero.
        text.metric(MEAN);
        for (labels, figures, _) in last.clone() {
            seconds(figures.lat_mean_us).into_iter().for_each(|value| text.sample(MEAN.0, labels, value));
        }
        text.metric(QUANTILE);
        for (labels, figures, _) in last.clone() {
            for (quantile, us) in [
                ("0.5", figures.lat_p50_us),
                ("0.99", figures.lat_p99_us),
                ("0.999", figures.lat_p999_us),
                ("1", figures.lat_max_us),
            ] {
                let labels = format!("{labels},quantile=\"{quantile}\"");
                seconds(us).into_iter().for_each(|value| text.sample(QUANTILE.0, &labels, value));
            }
        }
        text.metric(OUTSTANDING);
        for (labels, _, outstanding) in last {
            text.sample(OUTSTANDING.0, labels, outstanding);
        }
        text.metric(OFFERED);
        for (labels, iops, _) in offered.clone() {
            text.sample(OFFERED.0, labels, iops);
        }
        text.metric(BACKLOG);
        for (labels, _, backlog) in offered {
            text.sample(BACKLOG.0, labels, backlog);
        }
    }
}

impl Stream {
    const fn new(labels: String) -> Self {
        Self {
            labels,
            buckets: [0; EDGES.len()],
            io_count: 0,
            latency_s: 0.0,
            bytes: 0,
            error_count: 0,
            late_count: 0,
        }
    }

    /// Adds what was counted; the seconds that its I/Os took together.
    fn add(&mut self, op: &OpCounts) -> f64 {
        let latency = &op.total_latency;
        for (upper_edge_ns, count) in latency.buckets_ns() {
            // By the upper edge, as percentiles are: at most 0.1 % above the true latency.
            let at = EDGES.partition_point(|(_, edge_ns)| *edge_ns < upper_edge_ns);
            if let Some(bucket) = self.buckets.get_mut(at) {
                *bucket += count;
            }
        }
        let latency_s = latency.mean_us().unwrap_or(0.0) * latency.io_count() as f64 / 1e6;
        self.io_count += latency.io_count();
        self.latency_s += latency_s;
        self.bytes += op.bytes;
        self.error_count += op.error_count;
        self.late_count += op.late_count;
        latency_s
    }
}

fn directions(counts: &JobCounts) -> impl Iterator<Item = (&'static str, IoStream, &OpCounts)> {
    let all = [
        ("read", IoStream::Read, &counts.read),
        ("write", IoStream::Write, &counts.write),
        ("commit", IoStream::Commit, &counts.commit),
    ];
    all.into_iter().filter_map(|(direction, stream, op)| Some((direction, stream, op.as_ref()?)))
}

fn directed(labels: &str, direction: &str) -> String {
    format!("{labels},direction=\"{direction}\"")
}

/// Configuration, job, role, and the targets that its files are in.
fn labels_of_job(record: &RunRecord, job: usize) -> String {
    let job = &record.plan.jobs[job];
    let is_of_job = |area: &usize, target: &iotrial_model::record::TargetRecord| {
        record.plan.areas.get(*area).is_some_and(|area| target.holds(area))
    };
    let targets: Vec<&str> = record
        .targets
        .iter()
        .filter(|target| job.areas.iter().any(|area| is_of_job(area, target)))
        .map(|target| target.path.as_str())
        .collect();
    let label = record.label.as_deref().unwrap_or_default();
    labels(&[
        ("label", label),
        ("job", &job.name),
        ("role", job.role.as_str()),
        ("target", &targets.join(",")),
    ])
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::time::Duration;

    use iotrial_model::record::Interval;
    use serde_json::json;

    use super::super::check_format;
    use super::*;

    /// Of one open job with two steps of 10 s, on a target.
    fn record(label: &str) -> RunRecord {
        let step = |percent: f64| json!({ "duration_s": 10.0, "load_percent": percent });
        serde_json::from_value(json!({
            "format": "iotrial.record/1", "id": "01JD", "label": label, "started_at": "",
            "tool": { "name": "iotrial", "version": "0.1.0", "method_version": 1 },
            "host": { "name": "db-prod-07", "os": "Linux", "cpu_count": 4 },
            "targets": [{ "path": "/srv/acme", "kind": "directory", "sector_size_bytes": 512 }],
            "profile": "", "jobs": [], "intervals": [], "findings": [], "ended": { "how": "complete" },
            "plan": {
                "profile": "p", "quick": true, "engine": "uring", "threads": 1, "direct": true, "seed": 1, "interval_s": 1.0,
                "phases": [{ "kind": "measure", "duration_s": 20.0 }], "steps": [step(50.0), step(100.0)],
                "areas": [{ "path": "/srv/acme/data1.iotrial", "kind": "managed-file", "offset_bytes": 0, "length_bytes": 1, "sector_size_bytes": 512 }],
                "jobs": [{
                    "name": "pages", "role": "data", "pattern": "random", "rwmix_read_percent": 100, "block_size_bytes": 8192,
                    "iodepth": 1, "numjobs": 1, "arrival": { "kind": "open", "iops": 100.0, "spacing": "poisson" },
                    "durability": "none", "areas": [0], "working_set_bytes": 8192,
                }],
            },
        }))
        .unwrap()
    }

    /// This number of reads with that latency, in the second that begins then.
    fn second(at_s: u64, latency: Duration, count: u64, backlog: u64) -> Interval {
        let mut read = OpCounts { bytes: 8_192 * count, error_count: 1, ..OpCounts::default() };
        read.total_latency.record_n(latency, count);
        Interval {
            phase: PhaseKind::Measure,
            start: Duration::from_secs(at_s),
            duration: Duration::from_secs(1),
            jobs: vec![JobCounts { read: Some(read), ..JobCounts::default() }],
            backlog: vec![backlog],
        }
    }

    const OF_JOB: &str = "label=\"one\",job=\"pages\",role=\"data\",target=\"/srv/acme\"";

    /// What is served about a load, with its progress.
    struct Seen(LiveLoad, LoadExposition);

    impl Seen {
        fn new() -> Self {
            Self(LiveLoad::default(), LoadExposition::new("0.1.0", "db01"))
        }

        fn start(&mut self, record: &RunRecord) {
            self.0.start(&record.plan);
            self.1.start(record);
        }

        fn interval(&mut self, record: &RunRecord, interval: &Interval) {
            self.1.interval(&self.0.interval(&record.plan, interval));
        }

        fn finish(&mut self) {
            self.0.finish();
            self.1.finish();
        }

        fn text(&self) -> String {
            self.1.text(&self.0)
        }
    }

    #[track_caller]
    fn check(text: &str, line: &str) {
        assert!(text.contains(&format!("\n{}\n", line.replace("JOB", OF_JOB))), "no {line} in:\n{text}");
    }

    #[test]
    fn sums_go_on_and_the_last_second_is_replaced() {
        let (record, mut exposition) = (record("one"), Seen::new());
        exposition.start(&record);
        // From zero on, before anything was done.
        check(&exposition.text(), "iotrial_job_errors_total{JOB,direction=\"read\"} 0");
        exposition.interval(&record, &second(0, Duration::from_micros(400), 50, 0));
        exposition.interval(&record, &second(1, Duration::from_millis(4), 25, 7));
        let text = exposition.text();
        check_format(&text, METRICS);
        check(&text, "iotrial_job_latency_seconds_bucket{JOB,direction=\"read\",le=\"0.0003\"} 0");
        check(&text, "iotrial_job_latency_seconds_bucket{JOB,direction=\"read\",le=\"0.0005\"} 50");
        check(&text, "iotrial_job_latency_seconds_bucket{JOB,direction=\"read\",le=\"0.005\"} 75");
        check(&text, "iotrial_job_latency_seconds_count{JOB,direction=\"read\"} 75");
        check(&text, "iotrial_job_bytes_total{JOB,direction=\"read\"} 614400");
        check(&text, "iotrial_job_errors_total{JOB,direction=\"read\"} 2");
        check(&text, "iotrial_job_iops{JOB,direction=\"read\"} 25");
        check(&text, "iotrial_job_outstanding{JOB,direction=\"read\"} 0.1");
        check(&text, "iotrial_job_offered_iops{JOB} 50");
        check(&text, "iotrial_job_backlog{JOB} 7");
        check(&text, "iotrial_run_left_seconds 18");
    }

    #[test]
    fn what_is_due_at_the_end_of_a_step_or_of_the_load_was_never_issued() {
        let (record, mut exposition) = (record("one"), Seen::new());
        exposition.start(&record);
        exposition.interval(&record, &second(8, Duration::from_millis(1), 1, 5));
        check(&exposition.text(), "iotrial_job_not_issued_total{JOB} 0");
        exposition.interval(&record, &second(9, Duration::from_millis(1), 1, 6));
        check(&exposition.text(), "iotrial_job_not_issued_total{JOB} 6");
        exposition.interval(&record, &second(10, Duration::from_millis(1), 1, 3));
        check(&exposition.text(), "iotrial_run_step 2");
        check(&exposition.text(), "iotrial_job_offered_iops{JOB} 100");
        exposition.finish();
        exposition.finish();
        let text = exposition.text();
        check(&text, "iotrial_job_not_issued_total{JOB} 9");
        check(&text, "iotrial_run_phase{phase=\"none\"} 1");
        assert!(!text.contains("\niotrial_job_iops{"), "a load that is over does nothing: {text}");
    }

    #[test]
    fn an_anonymous_load_names_neither_host_nor_path() {
        let mut exposition = Seen(LiveLoad::default(), LoadExposition::new("0.1.0", "db-prod-07"));
        exposition.start(&RunRecord { anonymous: true, ..record("one") });
        let text = exposition.text();
        assert!(!text.contains("acme") && !text.contains("db-prod"), "{text}");
        assert!(text.contains("target=\"/target-1\""), "{text}");
    }

    #[test]
    fn many_configurations_do_not_grow_it_for_ever() {
        let mut exposition = Seen::new();
        (0..2 * MOST_STREAMS).for_each(|number| exposition.start(&record(&number.to_string())));
        let text = exposition.text();
        assert_eq!(text.matches("\niotrial_job_bytes_total{").count(), MOST_STREAMS);
        assert!(text.contains("iotrial_run_loads_total 1000\n") && text.contains("label=\"999\""));
    }
}
