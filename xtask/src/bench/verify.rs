//! What comparing costs: the same load with every page compared, and without.

use anyhow::Context as _;

use super::figure::{Figure, Target};
use super::load::{BenchJob, Measured, Stream, profile};
use super::options::Times;
use super::tools::{Bench, seconds};
use super::watched::{SELDOM, Watched};

/// Files of this size are laid out and read in less time than the load takes.
const SIZE: &str = "256MiB";

/// CPU for one I/O of the load, with `iotrial verify` and with `iotrial run`. A write that is compared is a read as well.
pub(crate) fn verify(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let times = bench.options.times();
    let mut figures = Vec::new();
    for (name, read_percent) in [("reads", 100), ("70 % reads", 70), ("writes", 0)] {
        let profile = bench.write_profile(&profile(BenchJob::closed(read_percent, "8KiB", 32), 1))?;
        let (mut verified, mut plain) = (Vec::new(), Vec::new());
        for pair in 0..bench.options.pairs {
            let seed = (pair + 1).to_string();
            let mut one = |compares: bool| -> anyhow::Result<()> {
                let cpu_us = cpu_per_io_us(bench, &profile, &seed, times, compares)?;
                if compares {
                    verified.push(cpu_us)
                } else {
                    plain.push(cpu_us)
                };
                Ok(())
            };
            // Who comes first alternates.
            let first = pair % 2 == 0;
            one(first)?;
            one(!first)?;
        }
        figures.push(Figure {
            name: format!("{name}: CPU µs per I/O, compared and not"),
            ours: verified,
            theirs: plain,
            target: Some(Target::ratio(f64::NEG_INFINITY, 2.0)),
        });
    }
    Ok(figures)
}

fn cpu_per_io_us(
    bench: &Bench,
    profile: &str,
    seed: &str,
    times: Times,
    compares: bool,
) -> anyhow::Result<f64> {
    let size = bench.options.of_size(SIZE, "16MiB");
    let (ramp, runtime) = (seconds(times.ramp), seconds(times.runtime));
    let arguments =
        ["--engine", "uring", "--size", size, "--seed", seed, "--ramp", &ramp, "--duration", &runtime];
    let mut command =
        if compares { bench.verify(profile, &arguments) } else { bench.iotrial(profile, &arguments) };
    let run = Watched::iotrial(&mut command, SELDOM)?;
    let [read, write] = ["read", "write"].map(|one| Stream::of_iotrial(&run.document, one));
    Ok(Measured::new(read, write, run.cpus_in_load(times).context("iotrial")?).cpu_per_io_us)
}
