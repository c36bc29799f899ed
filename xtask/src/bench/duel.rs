//! Rows that compare iotrial with another tool: the same load on the same bytes, in pairs.
//!
//! Machines are noisy, so only neighbouring runs are compared: every figure is the median of the pairs' ratios, and
//! who comes first in a pair alternates. fio's job file is made from iotrial's plan, and both get the same seed.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::figure::{Figure, Judged, Target};
use super::load::{BenchJob, FioSettings, Measured, Stream, fio_jobs, fio_mix, of_t_io_uring, profile};
use super::options::{T_IO_URING, Times};
use super::tools::{Bench, LaidFiles, seconds};
use super::watched::{SELDOM, Watched};

/// What is compared.
pub(crate) struct Duel {
    /// One after the other, on the same files; a label stands before the names of their figures.
    pub(crate) loads: Vec<(String, Load)>,
    /// All files together; `None` takes that of the options.
    pub(crate) size: Option<&'static str>,
    pub(crate) engine: &'static str,
    pub(crate) peer: Peer,
    /// Through the page cache, which holds all of it.
    pub(crate) buffered: bool,
    /// The other tool runs twice in each pair, which shows what the machine alone does to a ratio.
    pub(crate) twice: bool,
    pub(crate) figures: &'static [DuelFigure],
}

/// The other tool.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Peer {
    /// fio with this engine; `registered` is with registered files and buffers.
    Fio { engine: &'static str, registered: bool },
    /// fio's `t/io_uring`, a loop that submits, reaps and counts, and does nothing else.
    BareLoop,
}

impl Peer {
    /// # Errors
    ///
    /// When it is not there, with what to do.
    fn ensure_is_there(self, bench: &Bench) -> anyhow::Result<()> {
        match self {
            _ if bench.options.alone => {}
            Self::Fio { .. } => ensure!(
                bench.fio_version.is_some(),
                "fio is not installed (apt-get install fio); --alone measures iotrial without it"
            ),
            Self::BareLoop => ensure!(
                bench.t_io_uring.is_some(),
                "there is no `{T_IO_URING}` on the path, and --t-io-uring names none; `docs/benchmarks.md` says how it is built; --alone \
                 measures iotrial without it"
            ),
        }
        Ok(())
    }
}

/// What is run.
pub(crate) enum Load {
    /// A built-in profile.
    BuiltIn(&'static str),
    /// One job.
    Job(BenchJob),
    /// A job file of fio, which both tools read.
    FioMix,
}

/// A figure that both tools give: its name, how to get it, its target. `None` where the load has no such thing.
pub(crate) type DuelFigure = (&'static str, fn(&Measured) -> Option<f64>, Option<Target>);

impl Duel {
    /// Runs all pairs; iotrial alone where that is asked.
    pub(crate) fn run(&self, bench: &Bench) -> anyhow::Result<Vec<Figure>> {
        self.peer.ensure_is_there(bench)?;
        let mut figures = Vec::new();
        let mut files = None;
        for (label, load) in &self.loads {
            let runs = Pairs { duel: self, bench, load }.run(&mut files)?;
            for figure in self.figures {
                figures.extend(figure_of(label, figure, &runs));
                figures.extend(scatter_of(label, figure, &runs));
            }
        }
        Ok(figures)
    }
}

/// One figure of all pairs; `None` where the load has no such thing.
fn figure_of(label: &str, figure: &DuelFigure, runs: &[Pair]) -> Option<Figure> {
    let (name, value, target) = figure;
    let ours: Option<Vec<f64>> = runs.iter().map(|pair| value(&pair.ours)).collect();
    let theirs = runs.iter().filter_map(|pair| pair.theirs.as_ref()).filter_map(value).collect();
    Some(Figure { name: labelled(label, name), ours: ours?, theirs, target: *target })
}

/// The same figure of the other tool's second runs against its first ones; `None` where it ran once, or nothing is judged by them.
fn scatter_of(label: &str, figure: &DuelFigure, runs: &[Pair]) -> Option<Figure> {
    let (name, value, target) = figure;
    let of = |run: fn(&Pair) -> Option<&Measured>| -> Option<Vec<f64>> {
        runs.iter().map(|pair| value(run(pair)?)).collect()
    };
    target.filter(|target| target.of == Judged::Ratio)?;
    let (again, theirs) = (of(|pair| pair.again.as_ref())?, of(|pair| pair.theirs.as_ref())?);
    Some(Figure {
        name: format!("{}, other tool twice", labelled(label, name)),
        ours: again,
        theirs,
        target: None,
    })
}

fn labelled(label: &str, name: &str) -> String {
    if label.is_empty() { name.to_owned() } else { format!("{label}: {name}") }
}

/// Neighbouring runs.
struct Pair {
    ours: Measured,
    /// Absent where iotrial runs alone.
    theirs: Option<Measured>,
    /// The second run of the other tool, where the duel has one.
    again: Option<Measured>,
}

/// The pairs of one load.
struct Pairs<'b> {
    duel: &'b Duel,
    bench: &'b Bench,
    load: &'b Load,
}

impl Pairs<'_> {
    fn run(&self, files: &mut Option<LaidFiles>) -> anyhow::Result<Vec<Pair>> {
        let plan = self.bench.plan(&self.word(1)?, &self.arguments())?;
        // The loads of a row lie on the same files, which are removed after the last one.
        let files = files.get_or_insert_with(|| LaidFiles::of(&plan));
        // One short run lays the files out; every later one of either tool uses them.
        let mut lay_out = self.bench.iotrial(&self.word(1)?, &self.arguments());
        Watched::iotrial(lay_out.args(["--duration", "1s", "--ramp", "0s", "--seed", "1"]), SELDOM)?;
        let mut runs = Vec::new();
        for pair in 0..self.bench.options.pairs {
            let seed = pair as u64 + 1;
            let is_ours_first = pair % 2 == 0;
            let ours_first = is_ours_first.then(|| self.ours(seed, files)).transpose()?;
            let has_peer = !self.bench.options.alone;
            let mut theirs = has_peer.then(|| self.theirs(seed, &plan, files)).transpose()?;
            let is_twice = has_peer && self.duel.twice;
            let mut again = is_twice.then(|| self.theirs(seed, &plan, files)).transpose()?;
            if is_twice && !is_ours_first {
                // The neighbour of iotrial's run is the one it is held against.
                std::mem::swap(&mut theirs, &mut again);
            }
            let ours = ours_first.map_or_else(|| self.ours(seed, files), Ok)?;
            eprintln!("  pair {}: {}", pair + 1, told(&ours, theirs.as_ref()));
            runs.push(Pair { ours, theirs, again });
        }
        Ok(runs)
    }

    /// What `iotrial run` is given to run.
    fn word(&self, seed: u64) -> anyhow::Result<String> {
        match self.load {
            Load::BuiltIn(name) => Ok((*name).to_owned()),
            Load::Job(job) => self.bench.write_profile(&profile(*job, 1)),
            Load::FioMix => {
                self.bench.write_fio_job(&fio_mix(None, self.mix_unit_mib(), self.times(), seed)?)
            }
        }
    }

    fn times(&self) -> Times {
        self.bench.options.times()
    }

    /// A mix of fio has eight of them: 2 GiB.
    fn mix_unit_mib(&self) -> u32 {
        self.bench.options.of_size(256, 8)
    }

    fn arguments(&self) -> Vec<&str> {
        let mut arguments = vec!["--engine", self.duel.engine];
        // A job of fio has its own size.
        if !matches!(self.load, Load::FioMix) {
            arguments.extend(["--size", self.duel.size.unwrap_or(&self.bench.options.size)]);
        }
        if self.duel.engine != "null" {
            arguments.push("--keep-files");
        }
        if self.duel.buffered {
            arguments.push("--buffered");
        }
        arguments
    }

    fn ours(&self, seed: u64, files: &LaidFiles) -> anyhow::Result<Measured> {
        self.make_ready(files)?;
        let times = self.times();
        let mut command = self.bench.iotrial(&self.word(seed)?, &self.arguments());
        command.args(["--seed", &seed.to_string()]);
        // A job of fio has its own times, too.
        if !matches!(self.load, Load::FioMix) {
            command.args(["--ramp", &seconds(times.ramp), "--duration", &seconds(times.runtime)]);
        }
        let run = Watched::iotrial(&mut command, SELDOM)?;
        let [read, write] = ["read", "write"].map(|one| Stream::of_iotrial(&run.document, one));
        Ok(Measured::new(read, write, run.cpus_in_load(times).context("iotrial")?))
    }

    fn theirs(&self, seed: u64, plan: &Value, files: &LaidFiles) -> anyhow::Result<Measured> {
        self.make_ready(files)?;
        match self.duel.peer {
            Peer::Fio { engine, registered } => {
                self.fio(seed, plan, FioSettings { engine, registered, times: self.times(), seed })
            }
            Peer::BareLoop => self.bare_loop(plan),
        }
    }

    fn fio(&self, seed: u64, plan: &Value, settings: FioSettings) -> anyhow::Result<Measured> {
        let jobs = match self.load {
            Load::FioMix => fio_mix(Some(plan), self.mix_unit_mib(), settings.times, seed)?,
            _ => fio_jobs(plan, settings)?,
        };
        let run = Watched::other(&mut self.bench.fio(&jobs)?, SELDOM)?;
        let [read, write] = ["read", "write"].map(|one| Stream::of_fio(&run.document, one));
        Ok(Measured::new(read, write, run.cpus_in_load(settings.times).context("fio")?))
    }

    fn bare_loop(&self, plan: &Value) -> anyhow::Result<Measured> {
        let mut times = self.times();
        // It prints the last second only when the next one begins.
        times.runtime += Duration::from_secs(1);
        let mut command = self.bench.t_io_uring(plan, (times.ramp + times.runtime).as_secs())?;
        let run = Watched::text(&mut command, SELDOM, of_t_io_uring)?;
        let by_second = run.document["iops_by_second"].as_array().into_iter().flatten();
        // The first line is that of the ramp.
        let ramp_lines = usize::try_from(times.ramp.as_secs())?;
        let iops: Vec<f64> = by_second.filter_map(Value::as_f64).skip(ramp_lines).collect();
        ensure!(!iops.is_empty(), "t/io_uring ended too early");
        Ok(Measured::counted(mean(&iops), run.cpus_in_load(times).context("t/io_uring")?))
    }

    fn make_ready(&self, files: &LaidFiles) -> anyhow::Result<()> {
        if self.duel.buffered { files.warm() } else { Ok(()) }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn told(ours: &Measured, theirs: Option<&Measured>) -> String {
    let one = |run: &Measured| format!("{:.0} IOPS, {:.3} µs CPU per I/O", run.iops, run.cpu_per_io_us);
    theirs.map_or_else(|| one(ours), |theirs| format!("iotrial {}; other tool {}", one(ours), one(theirs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(iops: f64, cpu_per_io_us: f64) -> Measured {
        let read = Some(Stream { iops, mean_us: 1.0, p99_us: 2.0 });
        Measured { read, write: None, iops, cpu_per_io_us }
    }

    #[test]
    fn a_figure_holds_every_pair_and_one_that_the_load_has_not_is_left_out() {
        let runs = [
            Pair { ours: run(10.0, 1.0), theirs: Some(run(5.0, 4.0)), again: Some(run(10.0, 4.0)) },
            Pair { ours: run(12.0, 1.0), theirs: Some(run(4.0, 2.0)), again: Some(run(4.0, 4.0)) },
        ];
        let iops: DuelFigure = ("IOPS", |m| Some(m.iops), None);
        let figure = figure_of("8 deep", &iops, &runs).unwrap();
        assert_eq!((figure.name.as_str(), figure.ratios()), ("8 deep: IOPS", vec![2.0, 3.0]));
        let writes: DuelFigure = ("write IOPS", |m| Some(m.write?.iops), None);
        assert_eq!(figure_of("", &writes, &runs), None);
        assert_eq!(scatter_of("8 deep", &iops, &runs), None, "nothing is judged by it");
        let judged: DuelFigure = (iops.0, iops.1, Some(Target::ratio(0.97, 1.03)));
        let scatter = scatter_of("8 deep", &judged, &runs).unwrap();
        assert_eq!(
            (scatter.name.as_str(), scatter.ratios()),
            ("8 deep: IOPS, other tool twice", vec![2.0, 1.0])
        );
    }

    #[test]
    fn without_fio_the_figures_of_iotrial_remain() {
        let cpu: DuelFigure = ("CPU µs per I/O", |m| Some(m.cpu_per_io_us), Some(Target::at_most(2.0)));
        let alone = |cpu_per_io_us| Pair { ours: run(10.0, cpu_per_io_us), theirs: None, again: None };
        let figure = figure_of("", &cpu, &[alone(1.0), alone(3.0)]).unwrap();
        assert_eq!((figure.theirs.len(), figure.is_reached()), (0, Some(true)));
    }
}
