//! What `cargo xtask bench` was asked for.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};

/// Every load runs so long before it is measured.
const RAMP: Duration = Duration::from_secs(1);

/// When a load runs, and when it is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) ramp: Duration,
    /// The measured phase.
    pub(crate) runtime: Duration,
    /// Whether CPU and threads are those of the whole program, and not of its load alone: a load of a second may be shorter than what the
    /// program does besides.
    pub(crate) is_whole: bool,
}

/// The rows that were asked for, and how they are measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Options {
    /// Names of rows, or what they begin with; empty for all.
    pub(crate) rows: Vec<String>,
    /// Pairs of runs for each row with a peer, and runs for each without.
    pub(crate) pairs: usize,
    /// The measured phase of a run.
    pub(crate) runtime: Duration,
    /// All files of a run with direct I/O together, with a unit.
    pub(crate) size: String,
    /// Where the files are made; `None` takes a folder below the build's.
    pub(crate) target: Option<PathBuf>,
    /// Where the figures go; `None` takes a file below the build's folder.
    pub(crate) json: Option<PathBuf>,
    /// Whether rows take the full length that a default run shortens.
    pub(crate) long: bool,
    /// Whether the CPUs are kept from sleeping.
    pub(crate) awake: bool,
    /// The iotrial to measure; `None` builds one.
    pub(crate) program: Option<PathBuf>,
    /// fio's `t/io_uring`; `None` looks for [`T_IO_URING`] on the path.
    pub(crate) t_io_uring: Option<PathBuf>,
    /// Whether iotrial runs without the tools that rows compare it with.
    pub(crate) alone: bool,
    /// Whether each row runs once on its smallest input, to see that it works: the figures mean nothing.
    pub(crate) smallest: bool,
}

/// What fio's `t/io_uring` is called when it is installed: `io_uring` alone says too little.
pub(crate) const T_IO_URING: &str = "t-io_uring";

impl Options {
    /// # Errors
    ///
    /// When an option is unknown, lacks its value, or has one that says nothing.
    pub(crate) fn parse(arguments: &[String]) -> anyhow::Result<Self> {
        let smallest = arguments.iter().any(|argument| argument == "--smallest");
        let (least_pairs, least_runtime) = if smallest { (1, 1) } else { (3, 3) };
        let mut options = Self {
            rows: Vec::new(),
            pairs: if smallest { 1 } else { 5 },
            runtime: Duration::from_secs(if smallest { 1 } else { 10 }),
            size: if smallest { "64MiB" } else { "2GiB" }.to_owned(),
            target: None,
            json: None,
            long: false,
            awake: false,
            program: None,
            t_io_uring: None,
            alone: false,
            smallest,
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().with_context(|| format!("`{argument}` needs a value"));
            match argument.as_str() {
                "--pairs" => options.pairs = value()?.parse().context("--pairs is a number")?,
                "--runtime" => {
                    let seconds = value()?.parse().context("--runtime is a number of seconds")?;
                    options.runtime = Duration::from_secs(seconds);
                }
                "--size" => options.size.clone_from(value()?),
                "--target" => options.target = Some(value()?.into()),
                "--json" => options.json = Some(value()?.into()),
                "--long" => options.long = true,
                "--awake" => options.awake = true,
                "--program" => options.program = Some(value()?.into()),
                "--t-io-uring" => options.t_io_uring = Some(value()?.into()),
                "--alone" => options.alone = true,
                "--smallest" => {}
                unknown if unknown.starts_with('-') => bail!("unknown option `{unknown}`"),
                row => options.rows.push(row.to_owned()),
            }
        }
        if options.pairs < least_pairs {
            bail!("--pairs must be at least {least_pairs}: a median of fewer says nothing");
        }
        if options.runtime < Duration::from_secs(least_runtime) {
            bail!("--runtime must be at least {least_runtime}: a shorter run shows its beginning");
        }
        Ok(options)
    }

    /// When the load runs, and when it is measured.
    pub(crate) fn times(&self) -> Times {
        let ramp = if self.smallest { Duration::ZERO } else { RAMP };
        Times { ramp, runtime: self.runtime, is_whole: self.smallest }
    }

    /// One of two: the input of a figure that means something, or the smallest that shows that the row works.
    pub(crate) fn of_size<T>(&self, full: T, smallest: T) -> T {
        if self.smallest { smallest } else { full }
    }

    /// Whether the row of this name was asked for.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|row| name.starts_with(row.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Options> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn rows_and_options_come_in_any_order() {
        let options = parse("null --pairs 7 page-cache --runtime 4 --json x.json --long --awake").unwrap();
        assert_eq!((options.pairs, options.runtime), (7, Duration::from_secs(4)));
        assert!(options.long && options.awake);
        assert!(options.wants("null") && options.wants("page-cache") && !options.wants("stall"));
        assert!(parse("").unwrap().wants("stall"), "without names all rows are run");
    }

    #[test]
    fn the_smallest_input_is_one_pair_of_a_second_wherever_it_is_asked_for() {
        for line in ["--smallest null", "null --smallest --pairs 1 --runtime 1"] {
            let options = parse(line).unwrap();
            assert_eq!((options.pairs, options.times().ramp), (1, Duration::ZERO), "{line}");
            assert_eq!((options.runtime, options.of_size(9, 1)), (Duration::from_secs(1), 1), "{line}");
        }
        assert_eq!(parse("null").unwrap().of_size(9, 1), 9);
    }

    #[test]
    fn what_says_nothing_is_refused() {
        for (line, part) in [
            ("--pairs 2", "at least 3"),
            ("--runtime 1", "at least 3"),
            ("--pairs", "needs a value"),
            ("--runtime ten", "number of seconds"),
            ("--fast", "unknown option `--fast`"),
            ("--smallest --pairs 0", "at least 1"),
        ] {
            let error = format!("{:#}", parse(line).unwrap_err());
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
