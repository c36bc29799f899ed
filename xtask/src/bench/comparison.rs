//! The row `compare`: how long many records take, and how much memory.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

use super::alone::mib;
use super::figure::{Figure, Target};
use super::tools::Bench;
use super::watched::{OFTEN, SELDOM, Watched};

/// Runs of a simulated device, each with another seed; the records are copies of theirs.
const RUN_COUNT: usize = 10;
const RECORD_COUNT: usize = 1_000;
/// Most studies have a few configurations with many runs. The most work is a configuration for each record.
const CONFIGURATION_COUNTS: [usize; 2] = [20, RECORD_COUNT];

/// A thousand records of a minute each.
///
/// # Errors
///
/// When a record cannot be made or compared.
pub(crate) fn compare(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let record_count = bench.options.of_size(RECORD_COUNT, 4);
    let duration = bench.options.of_size("60s", "1s");
    let device = "service_time_us = 200, service_spread = 0.5, parallelism = 32";
    let run = |seed: usize| -> anyhow::Result<String> {
        let mut command = bench.iotrial("sqlserver-oci-published", &["--engine", "sim", "--sim", device]);
        command.args([
            "--ramp",
            "2s",
            "--duration",
            duration,
            "--label",
            "LABEL",
            "--seed",
            &seed.to_string(),
        ]);
        let summary = Watched::iotrial(&mut command, SELDOM)?.document;
        let path = summary["record"].as_str().context("iotrial gave no record")?;
        fs::read_to_string(path).with_context(|| format!("cannot read `{path}`"))
    };
    let texts = (1..=bench.options.of_size(RUN_COUNT, 1)).map(run).collect::<anyhow::Result<Vec<_>>>()?;
    let folder = bench.folder.join("records");
    let mut figures = Vec::new();
    for configuration_count in CONFIGURATION_COUNTS.map(|count| count.min(record_count)) {
        write_records(&folder, &texts, record_count, configuration_count)?;
        let (mut seconds, mut memory) = (Vec::new(), Vec::new());
        for _ in 0..bench.options.pairs {
            let watched = Watched::iotrial(&mut bench.compare(&folder), OFTEN)?;
            seconds.push(watched.wall_s());
            let peak = watched.peak_resident_bytes();
            memory.push(mib(peak.context("the system does not tell how much memory is resident")?));
        }
        let name =
            |what: &str| format!("{record_count} records, {configuration_count} configurations: {what}");
        figures.push(Figure::alone(name("seconds"), seconds, Some(Target::at_most(5.0))));
        figures.push(Figure::alone(name("MiB resident"), memory, Some(Target::at_most(500.0))));
    }
    // What is left there is written over by the next benchmark.
    let _ = fs::remove_dir_all(&folder);
    Ok(figures)
}

/// A record with another id has another checksum; one without is as good as one that fits.
fn without_checksum(record: &str) -> anyhow::Result<String> {
    let (before, after) = record.split_once("\"checksum\":\"").context("a record has no checksum")?;
    let (_, after) = after.split_once('"').context("the checksum of a record has no end")?;
    // Its comma goes as well: the one behind it, or before the end of the record that before it.
    Ok(match after.strip_prefix(',') {
        Some(after) => format!("{before}{after}"),
        None => format!("{}{after}", before.trim_end_matches(',')),
    })
}

/// Copies of the texts with ids and labels of their own.
fn write_records(
    folder: &Path,
    texts: &[String],
    record_count: usize,
    configuration_count: usize,
) -> anyhow::Result<()> {
    // What an earlier benchmark left must not be compared, too.
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    for number in 0..record_count {
        let text = &texts[number % texts.len()];
        let id = format!("01JD{number:022}");
        let label = format!("\"label\":\"configuration {}\"", number % configuration_count);
        let text = text.replacen("\"label\":\"LABEL\"", &label, 1);
        let (before, after) = text.split_once("\"id\":\"").context("a record has no id")?;
        let (_, after) = after.split_once('"').context("the id of a record has no end")?;
        let after = without_checksum(after)?;
        let path = folder.join(format!("{id}.iotrial.json"));
        fs::write(&path, format!("{before}\"id\":\"{id}\"{after}"))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_without_a_checksum_is_a_record() {
        let check = |with: &str, without: &str| assert_eq!(without_checksum(with).unwrap(), without);
        check("{\"a\":1,\"checksum\":\"x\",\"b\":2}\n", "{\"a\":1,\"b\":2}\n");
        check("{\"a\":1,\"checksum\":\"x\"}\n", "{\"a\":1}\n");
        assert!(without_checksum("{}").is_err());
    }
}
