//! Why there is no comparison, and what the reader can do.

use iotrial_model::finding::Incomparable;
use iotrial_model::load::Role;

/// Why there is no comparison.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CompareError {
    /// There are fewer than two configurations.
    #[error("there is only one configuration{}", .label.as_ref().map(|label| format!(", `{label}`, with {runs} runs")).unwrap_or_default())]
    OnlyOne {
        /// Its label, where it has several runs.
        label: Option<String>,
        /// Runs of that configuration; 0 where nothing was given.
        runs: usize,
    },
    /// There are fewer than two sweeps.
    #[error("there is only one sweep")]
    OnlyOneSweep,
    /// No two sweeps measured the same kind of I/O.
    #[error("no two of the sweeps have a pattern in common")]
    NoCommonCurve,
    /// One label stands for two configurations.
    #[error("`{label}` stands for two configurations: the attributes of {first} and of {other} differ")]
    LabelClash {
        /// The label that both have.
        label: String,
        /// Where the first of them comes from.
        first: String,
        /// Where the other one comes from.
        other: String,
    },
    /// A printed configuration has two values for one metric.
    #[error("`{label}` is printed twice: there are two values for {metric}")]
    PrintedTwice {
        /// Label of the configuration.
        label: String,
        /// Title of the metric that is stated twice under one load.
        metric: String,
    },
    /// A configuration has printed and measured figures.
    #[error("`{label}` is both measured here and stated by another source")]
    PrintedAndMeasured {
        /// Label that the measured runs and the stated results share.
        label: String,
    },
    /// A run ended before anything was measured.
    #[error("{source_name} measured nothing")]
    NothingMeasured {
        /// Where the run comes from.
        source_name: String,
    },
    /// They cannot be compared fairly.
    #[error("{}", iotrial_words::finding::compared::incomparable(.0))]
    Incomparable(Box<Incomparable>),
    /// The runs are of several loads, and each of these would be a comparison by itself.
    #[error("the runs have several loads; `iotrial compare` compares the configurations under each of them")]
    SeveralLoads,
    /// There is no comparison under one of several loads.
    #[error("under {load}, {error}")]
    UnderLoad {
        /// What the load is called.
        load: String,
        /// Where its runs come from.
        sources: Vec<String>,
        /// Why.
        error: Box<Self>,
    },
    /// There is nothing that two of them have.
    #[error("no two configurations have a metric in common")]
    NoCommonMetric,
    /// No configuration is called so.
    #[error("no configuration is called `{name}`; there are {}", .known.join(", "))]
    UnknownBaseline {
        /// What the user gave as the baseline.
        name: String,
        /// Those that there are.
        known: Vec<String>,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// The attribute does not tell any two configurations apart.
    #[error("the configurations do not differ in `{attribute}`{}", if .known.is_empty() { String::new() } else { format!("; they differ in {}", .known.join(", ")) })]
    UnknownAttribute {
        /// What the user gave as the factor.
        attribute: String,
        /// Those in which they differ.
        known: Vec<String>,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// The attribute never differs alone.
    #[error("no two configurations differ in `{attribute}` alone")]
    NoPair {
        /// The factor that the user gave.
        attribute: String,
        /// All attributes in which they differ.
        differing: Vec<String>,
    },
    /// A gate is about a change, and there is nothing that it could be a change from.
    #[error("the gate `{gate}` is about a change, and there is no baseline")]
    NoBaseline {
        /// The gate as text.
        gate: String,
    },
    /// A gate names a metric that no configuration has.
    #[error("no configuration has the metric `{name}`; there are {near}{}", names_roles(.roles))]
    UnknownMetric {
        /// The metric as the gate spells it.
        name: String,
        /// Those that there are and that are like it, in words.
        near: String,
        /// The roles that there are, where the name begins with none of them and with no stream either.
        roles: Vec<Role>,
        /// What was probably meant.
        nearest: Option<String>,
    },
}

fn names_roles(roles: &[Role]) -> String {
    let words: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
    if words.is_empty() { String::new() } else { format!("; the roles are {}", words.join(", ")) }
}

impl CompareError {
    /// Whether it is about the same thing that the user asked for.
    pub(super) fn is_about_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::UnknownBaseline { .. }, Self::UnknownBaseline { .. }) => true,
            (
                Self::UnknownAttribute { .. } | Self::NoPair { .. },
                Self::UnknownAttribute { .. } | Self::NoPair { .. },
            ) => true,
            (Self::UnknownMetric { name, .. }, Self::UnknownMetric { name: other, .. }) => name == other,
            _ => false,
        }
    }

    /// What the reader can do.
    pub fn hint(&self) -> Option<String> {
        let did_you_mean =
            |nearest: &Option<String>| nearest.as_ref().map(|near| format!("did you mean `{near}`?"));
        match self {
            Self::OnlyOne { label: Some(_), .. } => Some(
                "runs with the same label and the same attributes are repeats of one configuration; `iotrial report` checks it against gates on values"
                    .to_owned(),
            ),
            Self::OnlyOne { label: None, .. } => {
                Some("give two or more records, a folder of records, or a --table".to_owned())
            }
            Self::LabelClash { .. } => {
                Some("a label stands for one configuration, so all its runs need the same attributes".to_owned())
            }
            Self::PrintedTwice { .. } => Some(
                "printed figures cannot be merged: give the rows different labels, attributes or loads"
                    .to_owned(),
            ),
            Self::PrintedAndMeasured { .. } => {
                Some("give the imported or printed results another label".to_owned())
            }
            Self::Incomparable { .. } => {
                Some("--force compares them anyway, with a warning".to_owned())
            }
            Self::NoCommonMetric => Some(
                "at least two of them need the same figure of the same stream, such as read.iops".to_owned(),
            ),
            Self::UnderLoad { error, .. } => error.hint(),
            Self::SeveralLoads => None,
            Self::OnlyOneSweep => {
                Some("give two or more sweeps; `iotrial report` shows a single one in full".to_owned())
            }
            Self::NoCommonCurve => {
                Some("measure the same patterns, such as `iotrial sweep --pattern randread-8k`".to_owned())
            }
            Self::NothingMeasured { .. } => Some("leave it out, or compare the others with --force".to_owned()),
            Self::UnknownBaseline { nearest, .. }
            | Self::UnknownAttribute { nearest, .. }
            | Self::UnknownMetric { nearest, .. } => did_you_mean(nearest),
            Self::NoBaseline { .. } => Some(
                "give a value such as `write.p99 < 2ms`, or `iotrial compare BASELINE NEW --gate …`".to_owned(),
            ),
            Self::NoPair { differing, .. } => Some(format!(
                "they always differ in several of {} at once: measure two that differ in only one",
                differing.join(", ")
            )),
        }
    }
}
