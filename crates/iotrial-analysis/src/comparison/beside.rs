//! Runs beside one another, where a comparison would not be fair.

use iotrial_model::finding::{ComparedFact, Finding, FindingId, Severity};

use super::configuration::Configuration;
use super::error::CompareError;
use super::matrix::Loads;
use super::sample::{Sample, tell_loads_apart};
use super::{CompareRequest, Comparison, subjects_of, without_doubles};

impl Comparison {
    /// Runs beside one another, held against each other where that is fair. Where it is not, each is a configuration of
    /// its own, nothing is said of differences, and [`Self::not_compared`] says why. Those that measured nothing are left
    /// out.
    pub fn or_beside(mut samples: Vec<Sample>) -> Self {
        samples.retain(|sample| !sample.is_empty());
        tell_loads_apart(&mut samples);
        let why = match Self::new(samples.clone(), &CompareRequest::default()) {
            Ok(comparison) => return comparison,
            Err(CompareError::Incomparable { .. }) if Loads::of(&samples).is_some() => {
                CompareError::SeveralLoads
            }
            Err(why) => why,
        };
        let mut doubles = Vec::new();
        let samples = without_doubles(samples, &mut doubles);
        // Only a printed configuration can have two values for one metric, and then there is nothing to show of any.
        let mut all = Self::beside(subjects_of(&samples), Configuration::each(samples).unwrap_or_default());
        all.findings.push(not_compared(&why, &all.configurations));
        all.findings.extend(doubles);
        all.not_compared = Some(why);
        all
    }
}

/// Why runs are not held against each other, and what the reader can do. That there is only one configuration is not a fault of
/// any of them.
fn not_compared(why: &CompareError, configurations: &[Configuration]) -> Finding {
    let severity = match why {
        CompareError::OnlyOne { .. } => Severity::Note,
        _ => Severity::Warning,
    };
    let key_of = |source: &String| {
        let one = configurations.iter().find(|one| one.sources.contains(source));
        one.map_or_else(|| source.clone(), |one| one.key.clone())
    };
    let fact = match why {
        CompareError::Incomparable(both) => ComparedFact::NotComparable {
            first: key_of(&both.first),
            other: key_of(&both.other),
            differences: both.differences.clone(),
        },
        _ => ComparedFact::NotCompared { reason: why.to_string() },
    };
    Finding::of_comparison(FindingId::NotCompared, severity, fact)
}
