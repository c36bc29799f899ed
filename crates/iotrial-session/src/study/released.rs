//! The raw devices that the user released to a study, each with the token of what is on it.
//!
//! A token is for one content, and a load leaves another one. While a device is still held after a load, its token is made
//! anew, so that the next load finds what the last one left, and nothing else: whatever anybody else did to the device in
//! between, and a device that was put in its place, ends its release.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use iotrial_engine::targets;
use iotrial_model::given_target::GivenTarget;
use iotrial_model::plan::TargetKind;

use super::StudyError;
use super::file::StudyFile;
use iotrial_model::foreign_text::harmless;

/// Token by device, with links resolved.
#[derive(Debug, Default)]
pub(super) struct Released(BTreeMap<PathBuf, String>);

impl Released {
    /// Deals the tokens out to the raw devices of a study, in the order in which it names them first.
    pub(super) fn of(file: &StudyFile, tokens: &[String]) -> Result<Self, StudyError> {
        if tokens.is_empty() {
            return Ok(Self::default());
        }
        let mut devices: Vec<PathBuf> = Vec::new();
        let here = file.study.configurations.iter().filter(|one| !one.elsewhere);
        for target in here.flat_map(|one| &one.targets) {
            // What is not there yet, or cannot be looked at, is told when its turn comes.
            let device = device_at(&file.folder().join(&target.path));
            devices.extend(device.filter(|device| !devices.contains(device)));
        }
        // All or none: with some, the study would stop at the first device that has none, after hours of measuring the others.
        if devices.len() != tokens.len() {
            let devices = devices.iter().map(|one| harmless(&one.to_string_lossy())).collect();
            return Err(StudyError::Tokens { count: tokens.len(), devices });
        }
        Ok(Self(devices.into_iter().zip(tokens.iter().cloned()).collect()))
    }

    /// The tokens for the raw devices among some targets, each device once, in their order; none where one of them is not released.
    pub(super) fn tokens_for(&self, targets: &[GivenTarget]) -> Vec<String> {
        if self.0.is_empty() {
            return Vec::new();
        }
        // None rather than some: tokens are dealt out by position, and one that is missing would move the others to wrong devices.
        let mut devices: Vec<PathBuf> = Vec::new();
        for device in targets.iter().filter_map(|target| device_at(&target.path)) {
            if !devices.contains(&device) {
                devices.push(device);
            }
        }
        devices.iter().map(|device| self.0.get(device).cloned()).collect::<Option<_>>().unwrap_or_default()
    }

    /// What a load left on the devices that it held is what they were released with from now on.
    pub(super) fn renew(&mut self, left: Vec<(PathBuf, String)>) {
        self.0.extend(left);
    }
}

fn device_at(path: &Path) -> Option<PathBuf> {
    // By what the path leads to: links and by-id names of one device are one device, and have one token.
    let facts = targets::probe(path, None, &[]).ok()?.facts;
    matches!(facts.kind, TargetKind::Device { .. }).then_some(facts.path)
}
