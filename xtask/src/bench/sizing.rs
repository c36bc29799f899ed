//! The row `size`: how long an answer over all providers takes, and an explanation, and how much memory.

use std::fs;

use anyhow::Context as _;

use super::alone::mib;
use super::figure::{Figure, Target};
use super::tools::Bench;
use super::watched::{OFTEN, Watched};

/// Each run takes a fraction of a second: so many make a median.
const RUNS: u32 = 15;

const DEMAND: &str = r#"
format = "iotrial.demand/1"
title = "bench"
capacity = "4TiB"
growth_percent_per_year = 20
load_growth_percent_per_year = 10
years = 3
memory_min = "128GiB"
replicas = 1
[[role]]
name = "data"
read = { iops = 40000, block_size = "8KiB" }
write = { iops = 12000, block_size = "8KiB" }
[[role]]
name = "log"
write = { bandwidth = "60MB/s", block_size = "32KiB" }
"#;

const CONFIGURATION: &str = r#"
format = "iotrial.configuration/1"
provider = "azure"
machine = "Standard_E96ds_v5"
[[pool]]
roles = ["data"]
volume = "premium-ssd"
level = "P30"
count = 16
[[pool]]
roles = ["log"]
volume = "ultra-disk"
size = "256GiB"
iops = 20000
bandwidth = "400MB/s"
"#;

/// One demand over all built-in catalogs, one that nothing meets, and an explanation.
///
/// # Errors
///
/// When the program cannot be run.
pub(crate) fn size(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let demand = write(bench, "demand.toml", DEMAND)?;
    let configuration = write(bench, "configuration.toml", CONFIGURATION)?;
    let nothing = ["size", "--read", "20000000iops@8KiB", "--json"];
    let mut figures = measured(bench, "four providers", &["size", "--demand", &demand, "--json"], 1.0)?;
    figures.extend(measured(bench, "what nothing meets", &nothing, 1.0)?);
    let explain = ["size", "explain", &configuration, "--demand", &demand, "--json"];
    figures.extend(measured(bench, "explain", &explain, 0.05)?);
    Ok(figures)
}

fn write(bench: &Bench, name: &str, text: &str) -> anyhow::Result<String> {
    let path = bench.folder.join(name);
    fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(path.display().to_string())
}

fn measured(bench: &Bench, name: &str, arguments: &[&str], most_s: f64) -> anyhow::Result<Vec<Figure>> {
    let (mut seconds, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..bench.options.of_size(RUNS, 1) {
        let watched = Watched::iotrial(&mut bench.sizing(arguments), OFTEN)?;
        seconds.push(watched.wall_s());
        memory.extend(watched.peak_resident_bytes().map(mib));
    }
    Ok(vec![
        Figure::alone(format!("{name}: seconds"), seconds, Some(Target::at_most(most_s))),
        Figure::alone(format!("{name}: MiB resident"), memory, Some(Target::at_most(200.0))),
    ])
}
