//! What there is, in words, and the one refusal of what a command has no use for.

use anyhow::anyhow;

use super::IntakeError;
use crate::failure::Failure;
use crate::output::harmless;
use crate::shell_line::quoted;

/// The kinds of input, as they are called when one is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Run,
    Sweep,
    Kept,
    Results,
    Table,
    Counters,
    Awr,
    Demand,
    Configuration,
    Catalog,
    Study,
    StudyJournal,
    Profile,
    Thresholds,
    Folder,
}

impl Kind {
    /// With its article, as a sentence needs it.
    const fn words(self) -> &'static str {
        match self {
            Self::Run => "the record of a run",
            Self::Sweep => "the record of a sweep",
            Self::Kept => "an imported result",
            Self::Results => "a result of another tool",
            Self::Table => "a printed table",
            Self::Counters => "a file of counters",
            Self::Awr => "an AWR report",
            Self::Demand => "a demand",
            Self::Configuration => "a configuration",
            Self::Catalog => "a catalog",
            Self::Study => "a study",
            Self::StudyJournal => "the journal of a study",
            Self::Profile => "a profile",
            Self::Thresholds => "a threshold set",
            Self::Folder => "a folder",
        }
    }

    /// The command that takes it.
    fn next(self, name: &str) -> String {
        match self {
            Self::Run | Self::Sweep | Self::Kept => format!("`iotrial report {name}` shows it"),
            Self::Results => {
                format!("`iotrial report {name}` shows it, `iotrial import {name}` makes a record of it")
            }
            Self::Table => {
                format!("`iotrial audit {name}` checks it, `iotrial compare {name}` compares its rows")
            }
            Self::Counters => {
                format!(
                    "`iotrial watch {name}` judges it, with `--baseline FILE` it compares it with another one, and `iotrial size --demand {name}` finds what meets it"
                )
            }
            Self::Demand => format!("`iotrial size --demand {name}` finds what meets it"),
            Self::Awr => {
                format!(
                    "`iotrial awr {name}` reads it, with `--demand FILE` it writes what `size` and `run` take"
                )
            }
            Self::Configuration => format!("`iotrial size explain {name}` says what limits it"),
            Self::Catalog => format!("`iotrial size catalogs --catalog {name}` shows it"),
            Self::Study => format!(
                "`iotrial study {name}` measures it, `iotrial compare {name}` compares what is measured"
            ),
            Self::StudyJournal => "`iotrial study FILE --status` shows how far it came".to_owned(),
            Self::Profile => format!("`iotrial run {name}` runs it"),
            Self::Thresholds => format!("`iotrial report RESULT --thresholds {name}` judges by it"),
            Self::Folder => format!("`iotrial report {name}` shows the records in it"),
        }
    }

    /// Without its article.
    pub(super) fn noun(self) -> &'static str {
        self.words().split_once(' ').map_or("", |(_, noun)| noun)
    }
}

/// What a command takes, in the words of its refusal.
#[derive(Debug, Clone, Copy)]
pub struct Takes {
    /// As it is typed: `compare`, `size --demand`.
    pub command: &'static str,
    /// What it has a use for.
    pub what: &'static str,
}

impl Takes {
    /// A failure to read, with what the command takes where nothing says what the file is.
    pub fn with_hint(&self, error: IntakeError) -> Failure {
        let is_unknown = error.is_unknown();
        let failure = Failure::from(error);
        // Only then is the question what would have been right; a damaged file is the right one.
        if is_unknown {
            failure.hint(format!("`iotrial {}` takes {}", self.command, self.what))
        } else {
            failure
        }
    }

    /// What is said where nothing is of use; `others` are the kinds of the files that were passed over, and `names` what was asked for.
    pub fn none_among<N: AsRef<std::path::Path>>(&self, names: &[N], others: &[Kind]) -> Failure {
        let reports = others.iter().filter(|kind| **kind == Kind::Awr).count();
        if reports == 0 {
            return Failure::input(anyhow!("there is no result among these files"));
        }
        let names = names.iter().map(|name| quoted(&harmless(&name.as_ref().to_string_lossy())));
        let error = anyhow!(
            "there is no result among these files, but {}; `iotrial {}` takes {}",
            awr_reports(reports),
            self.command,
            self.what
        );
        Failure::input(error).hint(Kind::Awr.next(&names.collect::<Vec<_>>().join(" ")))
    }

    /// The one way in which a command says that it has no use for something.
    pub fn refuse(&self, name: &str, kind: Kind) -> Failure {
        // A name may be a stranger's, and could write to the terminal.
        let (name, what) = (harmless(name), kind.words());
        let error = anyhow!("`{name}` is {what}; `iotrial {}` takes {}", self.command, self.what);
        Failure::input(error).hint(kind.next(&name))
    }
}

/// How many there are, for a sentence.
pub fn awr_reports(count: usize) -> String {
    if count == 1 { "1 AWR report".to_owned() } else { format!("{count} AWR reports") }
}
