//! The row `counters`: how long a week of PerfMon takes, and how much memory.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};

use super::alone::mib;
use super::figure::{Figure, Target};
use super::tools::Bench;
use super::watched::{OFTEN, Watched};

const DISKS: usize = 64;
/// Samples of 15 s in a week.
const SAMPLES: usize = 7 * 24 * 240;
/// As the usual collector has them, with the most that each of them shows.
const COUNTERS: [(&str, f64); 8] = [
    ("Disk Reads/sec", 1_000.0),
    ("Disk Writes/sec", 1_000.0),
    ("Disk Read Bytes/sec", 8e6),
    ("Disk Write Bytes/sec", 8e6),
    ("Avg. Disk sec/Read", 0.02),
    ("Avg. Disk sec/Write", 0.02),
    ("Avg. Disk Queue Length", 8.0),
    ("% Idle Time", 100.0),
];
/// So many different values of each: a prime, so that no disk repeats another one.
const VALUES: usize = 997;

/// A week of samples of 15 s of 64 disks, judged.
///
/// # Errors
///
/// When the file cannot be made, or not all of it is read.
pub(crate) fn counters(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let path = bench.folder.join("week.csv");
    let samples = bench.options.of_size(SAMPLES, 8);
    write_week(&path, samples).with_context(|| format!("cannot write `{}`", path.display()))?;
    let (mut seconds, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..bench.options.pairs {
        let watched = Watched::iotrial(&mut bench.watch_file(&path), OFTEN)?;
        if watched.document["interval_count"] != samples {
            bail!("not all of the {samples} samples were read");
        }
        seconds.push(watched.wall_s());
        let peak = watched.peak_resident_bytes();
        memory.push(mib(peak.context("the system does not tell how much memory is resident")?));
    }
    // Half a gigabyte that nobody else needs.
    let _ = fs::remove_file(&path);
    let name = |what: &str| format!("a week of PerfMon, 64 disks: {what}");
    Ok(vec![
        Figure::alone(name("seconds"), seconds, Some(Target::at_most(10.0))),
        Figure::alone(name("MiB resident"), memory, Some(Target::at_most(1024.0))),
    ])
}

/// Numbers of 17 digits, as PerfMon writes them; drawn anew with each call, and always the same.
fn write_week(path: &Path, samples: usize) -> std::io::Result<()> {
    let mut state = 1_u64;
    let mut share = || {
        // Numerical Recipes: enough for digits that do not repeat.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let values: Vec<Vec<String>> = COUNTERS
        .iter()
        .map(|(_, most)| (0..VALUES).map(|_| format!(",\"{:.17}\"", most * share())).collect())
        .collect();
    let mut file = BufWriter::new(File::create(path)?);
    write!(file, "\"(PDH-CSV 4.0) (GMT Standard Time)(0)\"")?;
    for disk in 0..DISKS {
        for (counter, _) in COUNTERS {
            write!(file, ",\"\\\\DB01\\PhysicalDisk({disk} V{disk}:)\\{counter}\"")?;
        }
    }
    let mut line = String::new();
    for sample in 0..samples {
        let second = 15 * sample;
        let (day, hour) = (second / 86_400, second / 3_600 % 24);
        line.clear();
        // Writing to a string cannot fail.
        let _ = write!(
            line,
            "\r\n\"11/{:02}/2026 {hour:02}:{:02}:{:02}.123\"",
            2 + day,
            second / 60 % 60,
            second % 60
        );
        for disk in 0..DISKS {
            for (counter, values) in values.iter().enumerate() {
                line += &values[(31 * sample + 7 * disk + counter) % VALUES];
            }
        }
        file.write_all(line.as_bytes())?;
    }
    file.flush()
}
