//! What node_exporter shows of the disks of a Linux host, in the text form of Prometheus: totals since the start. Each scrape is a snapshot.

use std::collections::HashMap;

use iotrial_model::counters::{Snapshot, SnapshotCounts, Snapshots};

use super::CountersError;
use crate::prometheus::Sample;
use crate::text::quote;

const TOOL: &str = "node_exporter";
const HINT: &str =
    "scrape it once more, some minutes later: `curl -s HOST:9100/metrics > later.txt`, and give both files";

/// Where a sample belongs, and what its number is multiplied by. The second name is that of versions before 0.16.
type Place = (&'static str, &'static str, f64, fn(&mut SnapshotCounts, f64));
const PLACES: [Place; 6] = [
    ("node_disk_reads_completed_total", "node_disk_reads_completed", 1.0, |disk, value| {
        disk.read_count = value
    }),
    ("node_disk_read_bytes_total", "node_disk_bytes_read", 1.0, |disk, value| disk.read_bytes = value),
    ("node_disk_read_time_seconds_total", "node_disk_read_time_ms", 1e-3, |disk, value| {
        disk.read_s = Some(value)
    }),
    ("node_disk_writes_completed_total", "node_disk_writes_completed", 1.0, |disk, value| {
        disk.write_count = value
    }),
    ("node_disk_written_bytes_total", "node_disk_bytes_written", 1.0, |disk, value| disk.write_bytes = value),
    ("node_disk_write_time_seconds_total", "node_disk_write_time_ms", 1e-3, |disk, value| {
        disk.write_s = Some(value)
    }),
];

/// Whether a text has counters of disks.
pub(super) fn is_it(text: &str) -> bool {
    text.contains("node_disk_reads_completed")
        && text.lines().any(|line| line.starts_with("node_disk_reads_completed"))
}

/// A scrape that is being read.
#[derive(Default)]
struct Scrape {
    snapshot: Snapshot,
    /// By the name of the device: its place, and which of the counters it has.
    known: HashMap<String, (usize, [bool; PLACES.len()])>,
    now_s: Option<f64>,
    boot_s: Option<f64>,
}

impl Scrape {
    fn end(mut self, snapshots: &mut Vec<Snapshot>) {
        if self.snapshot.parts.is_empty() {
            return;
        }
        self.snapshot.when.calendar_s = self.now_s;
        self.snapshot.when.running_s =
            self.now_s.zip(self.boot_s).map(|(now, boot)| now - boot).filter(|running| *running > 0.0);
        snapshots.push(self.snapshot);
    }
}

pub(super) fn read(text: &str) -> Result<Snapshots, CountersError> {
    let mut snapshots = Vec::new();
    let mut scrape = Scrape::default();
    for line in text.lines().filter(|line| line.starts_with("node_")) {
        let Some(sample) = Sample::of(line) else { continue };
        match sample.name {
            // It has the time once, behind the disks.
            "node_time_seconds" | "node_time" => {
                // Unless a server has gathered it, which has that of each host.
                if scrape.now_s.is_some() && sample.label("instance").is_none() {
                    std::mem::take(&mut scrape).end(&mut snapshots);
                }
                scrape.now_s = Some(sample.value);
            }
            "node_boot_time_seconds" | "node_boot_time" => scrape.boot_s = Some(sample.value),
            name => {
                let is_it = |(_, (new, old, ..)): &(usize, &Place)| *new == name || *old == name;
                let Some((at, (new, _, factor, set))) = PLACES.iter().enumerate().find(is_it) else {
                    continue;
                };
                let Some(device) = sample.label("device") else { continue };
                let host = sample.label("instance").map_or_else(String::new, |host| format!("{host} "));
                let disk = format!("{host}{device}");
                // A counter of the same disk once more is the next scrape.
                if scrape.known.get(&disk).is_some_and(|(_, has)| has[at]) {
                    std::mem::take(&mut scrape).end(&mut snapshots);
                }
                let parts = &mut scrape.snapshot.parts;
                let (place, has) = scrape.known.entry(disk).or_insert_with_key(|disk| {
                    parts.push(SnapshotCounts { name: quote(disk), ..SnapshotCounts::default() });
                    (parts.len() - 1, [false; PLACES.len()])
                });
                has[at] = true;
                set(&mut parts[*place], sample.value * if *new == name { 1.0 } else { *factor });
                if parts.len() > super::MOST_DISKS
                    || (snapshots.len() + 1).saturating_mul(parts.len()) > super::MOST_RATES
                {
                    return Err(CountersError::TooMany);
                }
            }
        }
    }
    scrape.end(&mut snapshots);
    Ok(Snapshots { tool: TOOL, hint: HINT, snapshots, notes: Vec::new() })
}
