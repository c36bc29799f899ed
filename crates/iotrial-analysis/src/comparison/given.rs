//! What was given to compare: each once, the one that others are compared with, and what several of them say.

use std::collections::BTreeSet;

use iotrial_model::finding::{ComparedFact, Finding, FindingId, Severity};
use iotrial_model::toml_reader::nearest;

use super::error::CompareError;

/// What was given twice counts once. `id` is `None` of what may be there twice.
pub(super) fn once<T>(
    all: Vec<T>,
    id: impl Fn(&T) -> Option<String>,
    given_twice: fn(String) -> ComparedFact,
    findings: &mut Vec<Finding>,
) -> Vec<T> {
    let mut seen = BTreeSet::new();
    let mut once = Vec::with_capacity(all.len());
    for one in all {
        match id(&one) {
            Some(id) if !seen.insert(id.clone()) => {
                findings.push(Finding::of_comparison(FindingId::GivenTwice, Severity::Note, given_twice(id)));
            }
            _ => once.push(one),
        }
    }
    once
}

/// What a user may call something that is compared.
#[derive(Clone, Copy)]
pub(super) struct Named<'n> {
    pub(super) label: &'n str,
    pub(super) key: &'n str,
    /// Of its records.
    pub(super) ids: &'n [String],
}

/// The place of what is called so: by its label, or else by its key, or else by an id.
pub(super) fn find_baseline<'n>(
    all: impl Iterator<Item = Named<'n>> + Clone,
    name: &str,
) -> Result<usize, CompareError> {
    let by = |is_called: &dyn Fn(Named<'_>) -> bool| all.clone().position(is_called);
    by(&|one| one.label == name)
        .or_else(|| by(&|one| one.key == name))
        .or_else(|| by(&|one| one.ids.iter().any(|id| id == name)))
        .ok_or_else(|| CompareError::UnknownBaseline {
            name: name.to_owned(),
            nearest: nearest(name, all.clone().map(|one| one.label)).map(str::to_owned),
            known: all.map(|one| format!("`{}`", one.label)).collect(),
        })
}

/// The warnings among the findings of several, in this order: each once, with the names of those that have it.
pub(super) fn warnings_with_names<'f>(
    all: impl Iterator<Item = (&'f str, &'f [Finding])>,
) -> Vec<(&'f Finding, Vec<&'f str>)> {
    let mut told: Vec<(&Finding, Vec<&str>)> = Vec::new();
    for (name, findings) in all {
        for one in findings.iter().filter(|one| one.severity >= Severity::Warning) {
            match told.iter_mut().find(|(known, _)| known.is_like(one)) {
                Some((_, names)) => names.push(name),
                None => told.push((one, vec![name])),
            }
        }
    }
    told
}
