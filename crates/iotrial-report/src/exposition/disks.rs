//! What the disks have done since watching began.

use iotrial_model::counters::{RecordedDisk, RecordedInterval};
use iotrial_model::load::Role;

use super::{Exposed, Metric, labels};

const INFO: Metric = ("iotrial_watch_info", "gauge", "The version of iotrial and the host; always 1.");
const INTERVAL: Metric = ("iotrial_watch_interval_seconds", "gauge", "How often the counters are read.");
const READING: Metric = (
    "iotrial_watch_last_reading_timestamp_seconds",
    "gauge",
    "When the counters were last read, in seconds since 1970.",
);
const LIMIT: Metric = (
    "iotrial_disk_latency_limit_seconds",
    "gauge",
    "A mean latency from this value on is not acceptable for the role of the disk.",
);

/// Sums of a disk, in the order of [`DiskSums`].
const SUMS: [Metric; 8] = [
    ("iotrial_disk_reads_total", "counter", "Reads that completed."),
    ("iotrial_disk_writes_total", "counter", "Writes that completed."),
    ("iotrial_disk_read_bytes_total", "counter", "Bytes read."),
    ("iotrial_disk_written_bytes_total", "counter", "Bytes written."),
    ("iotrial_disk_read_seconds_total", "counter", "Seconds that all reads took together."),
    ("iotrial_disk_write_seconds_total", "counter", "Seconds that all writes took together."),
    (
        "iotrial_disk_queue_seconds_total",
        "counter",
        "Seconds times the I/Os in flight; its rate is the mean queue.",
    ),
    (
        "iotrial_disk_busy_seconds_total",
        "counter",
        "Seconds with at least one I/O in flight; its rate is the utilisation.",
    ),
];

/// All of them, in their order.
pub(super) const METRICS: &[Metric] =
    &[INFO, INTERVAL, READING, LIMIT, SUMS[0], SUMS[1], SUMS[2], SUMS[3], SUMS[4], SUMS[5], SUMS[6], SUMS[7]];

/// A disk as it is labelled, with its limits.
#[derive(Debug, Clone, PartialEq)]
pub struct ExposedDisk {
    /// The name of the kernel.
    pub name: String,
    /// What it is for.
    pub role: Option<Role>,
    /// The target above it; empty if all disks are watched.
    pub target: String,
    /// The means from which on latency is not acceptable, in seconds: for reads, for writes.
    pub limits_s: [Option<f64>; 2],
}

/// The sums so far.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskExposition {
    version: String,
    host: String,
    interval_s: f64,
    last_reading_s: Option<f64>,
    disks: Vec<(ExposedDisk, [f64; 8])>,
}

impl DiskExposition {
    /// Nothing has happened yet.
    pub fn new(version: &str, host: &str, interval_s: f64, disks: Vec<ExposedDisk>) -> Self {
        Self {
            version: version.to_owned(),
            host: host.to_owned(),
            interval_s,
            last_reading_s: None,
            disks: disks.into_iter().map(|disk| (disk, [0.0; 8])).collect(),
        }
    }

    /// Adds what happened in an interval. Unknown values add nothing.
    pub fn add(&mut self, interval: &RecordedInterval) {
        self.last_reading_s = Some(interval.at_s);
        for (disk, sums) in &mut self.disks {
            let Some(did) = interval.disks.iter().find(|did| did.name == disk.name) else { continue };
            for (sum, more) in sums.iter_mut().zip(happened(did, interval.duration_s)) {
                *sum += more;
            }
        }
    }

    /// As Prometheus reads it.
    pub fn text(&self) -> String {
        let mut text = Exposed::default();
        text.metric(INFO);
        text.sample(INFO.0, &labels(&[("version", &self.version), ("host", &self.host)]), 1);
        text.metric(INTERVAL);
        text.sample(INTERVAL.0, "", self.interval_s);
        if let Some(at_s) = self.last_reading_s {
            text.metric(READING);
            text.sample(READING.0, "", at_s);
        }
        text.metric(LIMIT);
        for (disk, _) in &self.disks {
            for (direction, limit) in ["read", "write"].into_iter().zip(disk.limits_s) {
                if let Some(limit) = limit {
                    let labels = format!("{},direction=\"{direction}\"", labels_of(disk));
                    text.sample(LIMIT.0, &labels, limit);
                }
            }
        }
        for (at, metric) in SUMS.into_iter().enumerate() {
            text.metric(metric);
            for (disk, sums) in &self.disks {
                text.sample(metric.0, &labels_of(disk), sums[at]);
            }
        }
        text.0
    }
}

/// What a disk adds to its sums.
fn happened(did: &RecordedDisk, seconds: f64) -> [f64; 8] {
    let times = |rate: Option<f64>| rate.unwrap_or(0.0) * seconds;
    let (reads, writes) = (times(did.read_iops), times(did.write_iops));
    [
        reads,
        writes,
        times(did.read_bytes_per_s),
        times(did.write_bytes_per_s),
        reads * did.read_latency_s.unwrap_or(0.0),
        writes * did.write_latency_s.unwrap_or(0.0),
        times(did.queue),
        times(did.busy_share),
    ]
}

fn labels_of(disk: &ExposedDisk) -> String {
    let role = disk.role.map_or("", Role::as_str);
    labels(&[("device", &disk.name), ("role", role), ("target", &disk.target)])
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::check_format;
    use super::*;

    fn exposition() -> DiskExposition {
        let disk = |name: &str, role, limits_s| ExposedDisk {
            name: name.to_owned(),
            role,
            target: "/a \"b\"\\\n".to_owned(),
            limits_s,
        };
        let disks =
            vec![disk("sda", Some(Role::Log), [Some(0.005), Some(0.005)]), disk("sdb", None, [None, None])];
        DiskExposition::new("0.1.0", "db01", 1.0, disks)
    }

    fn interval() -> RecordedInterval {
        let did = RecordedDisk {
            name: "sda".to_owned(),
            read_iops: Some(100.0),
            write_iops: Some(0.0),
            read_bytes_per_s: Some(819_200.0),
            write_bytes_per_s: Some(0.0),
            read_latency_s: Some(0.002),
            queue: Some(0.25),
            busy_share: Some(0.5),
            ..RecordedDisk::default()
        };
        RecordedInterval { at_s: 1_795_000_000.0, duration_s: 2.0, disks: vec![did] }
    }

    #[test]
    fn sums_grow_by_what_happened_and_begin_at_zero() {
        let mut exposition = exposition();
        assert!(
            exposition.text().contains("iotrial_disk_reads_total{device=\"sdb\",role=\"\""),
            "a disk is there before it did anything"
        );
        exposition.add(&interval());
        exposition.add(&interval());
        let text = exposition.text();
        let of_sda = "{device=\"sda\",role=\"log\",target=\"/a \\\"b\\\"\\\\\\n\"}";
        for (name, value) in [
            ("iotrial_disk_reads_total", "400"),
            ("iotrial_disk_read_bytes_total", "3276800"),
            ("iotrial_disk_read_seconds_total", "0.8"),
            ("iotrial_disk_queue_seconds_total", "1"),
            ("iotrial_disk_busy_seconds_total", "2"),
            ("iotrial_disk_writes_total", "0"),
        ] {
            assert!(text.contains(&format!("\n{name}{of_sda} {value}\n")), "{name}: {text}");
        }
        // Unknown is nothing, and no reason to begin again.
        let unknown = RecordedDisk { name: "sda".to_owned(), ..RecordedDisk::default() };
        exposition.add(&RecordedInterval { disks: vec![unknown], ..interval() });
        assert!(exposition.text().contains(&format!("\niotrial_disk_reads_total{of_sda} 400\n")));
    }

    #[test]
    fn every_line_is_in_the_format() {
        let mut exposition = exposition();
        exposition.add(&interval());
        check_format(&exposition.text(), METRICS);
    }
}
