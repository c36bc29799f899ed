//! What is critical about the host, said before a load begins: a result under it would be void, or the data at risk.

use iotrial_analysis::host_check::{Database, Weight, builtin_rules, judge_host};
use iotrial_model::foreign_text::harmless;
use iotrial_model::host_fact::{HostReport, PartKind};

use crate::observer::Observer;

/// The critical findings of a host, a line each. `profile` says by its name for which database.
pub(crate) fn critical(report: &HostReport, profile: &str) -> Vec<String> {
    let answer = judge_host(report.clone(), &builtin_rules(), Database::of_profile(profile));
    let critical = answer.findings.iter().filter(|finding| finding.severity == Weight::Critical);
    critical
        .map(|finding| match finding.kind {
            PartKind::Host => finding.title.clone(),
            _ => format!("{} ({})", finding.title, harmless(&finding.parts.join(", "))),
        })
        .collect()
}

/// What was said already: a study looks at the same hosts again before each of its loads.
#[derive(Debug, Default)]
pub(crate) struct HostWarnings {
    told: Vec<String>,
}

impl HostWarnings {
    /// Says what is critical below the targets of a load and was not said before. It measures all the same.
    pub(crate) fn tell(&mut self, report: Option<&HostReport>, profile: &str, observer: &dyn Observer) {
        let Some(report) = report else { return };
        let new: Vec<String> =
            critical(report, profile).into_iter().filter(|line| !self.told.contains(line)).collect();
        for line in &new {
            observer.warn(&format!("warning: {line}"));
        }
        if let Some(chain) = report.chains.first().filter(|_| !new.is_empty()) {
            observer
                .warn(&format!("`iotrial check --target {}` says what to change", harmless(&chain.target)));
        }
        self.told.extend(new);
    }
}
