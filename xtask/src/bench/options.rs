//! What `cargo xtask bench` was asked for.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};

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
}

impl Options {
    /// # Errors
    ///
    /// When an option is unknown, lacks its value, or has one that says nothing.
    pub(crate) fn parse(arguments: &[String]) -> anyhow::Result<Self> {
        let mut options = Self {
            rows: Vec::new(),
            pairs: 5,
            runtime: Duration::from_secs(10),
            size: "2GiB".to_owned(),
            target: None,
            json: None,
            long: false,
            awake: false,
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
                unknown if unknown.starts_with('-') => bail!("unknown option `{unknown}`"),
                row => options.rows.push(row.to_owned()),
            }
        }
        if options.pairs < 3 {
            bail!("--pairs must be at least 3: a median of fewer says nothing");
        }
        if options.runtime < Duration::from_secs(3) {
            bail!("--runtime must be at least 3: a shorter run shows its beginning");
        }
        Ok(options)
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
    fn what_says_nothing_is_refused() {
        for (line, part) in [
            ("--pairs 2", "at least 3"),
            ("--runtime 1", "at least 3"),
            ("--pairs", "needs a value"),
            ("--runtime ten", "number of seconds"),
            ("--fast", "unknown option `--fast`"),
        ] {
            let error = format!("{:#}", parse(line).unwrap_err());
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
