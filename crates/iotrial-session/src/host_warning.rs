//! What is critical about the host, said before a load begins: a result under it would be void, or the data at risk.

use std::path::PathBuf;

use iotrial_analysis::host_check::{Database, RuleSet, Weight, judge_host};
use iotrial_model::foreign_text::harmless;
use iotrial_model::host_fact::{HostReport, PartKind};

use crate::observer::Observer;

/// A host as it was before a load.
#[derive(Debug, Clone)]
pub(crate) struct SeenHost {
    /// What was read of it.
    pub(crate) report: HostReport,
    /// What it is judged by: the built-in rules, and those of whoever asked for the load.
    pub(crate) rules: RuleSet,
    /// Where the latter are.
    pub(crate) own_rules: Vec<PathBuf>,
}

/// The critical findings of a host, a line each. `profile` says by its name for which database.
fn critical(host: &SeenHost, profile: &str) -> Vec<String> {
    let answer = judge_host(host.report.clone(), &host.rules, Database::of_profile(profile));
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
    pub(crate) fn tell(&mut self, host: Option<&SeenHost>, profile: &str, observer: &dyn Observer) {
        let Some(host) = host else { return };
        let own: Vec<String> =
            host.rules.replaced.iter().map(|one| format!("{} of {}", one.rule, one.by)).collect();
        let note = format!("note: rules of a file are in the place of built-in ones: {}", own.join(", "));
        if !own.is_empty() && !self.told.contains(&note) {
            observer.warn(&harmless(&note));
            self.told.push(note);
        }
        let new: Vec<String> =
            critical(host, profile).into_iter().filter(|line| !self.told.contains(line)).collect();
        for line in &new {
            observer.warn(&format!("warning: {line}"));
        }
        if let Some(chain) = host.report.chains.first().filter(|_| !new.is_empty()) {
            let own = host.own_rules.iter().map(|place| format!(" --rules {}", place.display()));
            let check = format!("iotrial check --target {}{}", chain.target, own.collect::<String>());
            observer.warn(&format!("`{}` says what to change", harmless(&check)));
        }
        self.told.extend(new);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use iotrial_analysis::host_check::builtin_rules;
    use iotrial_model::host_fact::{Fact, FactId, FactValue, Part, Reading, TargetChain};
    use iotrial_model::plan::Plan;
    use iotrial_model::record::{Interval, RunRecord};

    use super::*;

    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);

    impl Observer for Heard {
        fn say(&self, _: &str) {}
        fn warn(&self, text: &str) {
            self.0.lock().unwrap().push(text.to_owned());
        }
        fn layout(&self, _: u64, _: u64) {}
        fn left(&self, _: Duration) {}
        fn start(&self, _: &RunRecord, _: bool) {}
        fn interval(&self, _: &Plan, _: &Interval) {}
        fn finish(&self) {}
    }

    /// A host with a file system whose barriers are as they are said to be.
    fn host(mount: &str, barriers: &str) -> SeenHost {
        let fact = Fact {
            id: FactId::Barriers,
            reading: Reading::Known(FactValue::text(barriers)),
            from: "/proc/self/mountinfo".to_owned(),
        };
        let part = Part { facts: vec![fact], ..Part::new(PartKind::Filesystem, mount) };
        let report = HostReport {
            name: "db01".to_owned(),
            host: Part::new(PartKind::Host, "db01"),
            chains: vec![TargetChain { target: format!("{mount}/data"), parts: vec![part], ends: None }],
        };
        SeenHost { report, rules: builtin_rules(), own_rules: Vec::new() }
    }

    #[test]
    fn what_is_critical_is_said_once_and_what_is_as_it_should_be_never() {
        let (heard, mut warnings) = (Heard::default(), HostWarnings::default());
        warnings.tell(None, "sqlserver-oltp", &heard);
        warnings.tell(Some(&host("/a", "on")), "sqlserver-oltp", &heard);
        assert!(heard.0.lock().unwrap().is_empty());
        for _ in 0..2 {
            warnings.tell(Some(&host("/a", "off")), "sqlserver-oltp", &heard);
        }
        warnings.tell(Some(&host("/b", "off")), "", &heard);
        let heard = heard.0.into_inner().unwrap();
        assert_eq!(
            heard,
            [
                "warning: write barriers are switched off (/a)",
                "`iotrial check --target /a/data` says what to change",
                "warning: write barriers are switched off (/b)",
                "`iotrial check --target /b/data` says what to change",
            ]
        );
    }

    #[test]
    fn a_rule_that_silences_a_built_in_one_is_named_once() {
        let own = "format = \"iotrial.host-rules/1\"\n[[rule]]\nid = \"barriers-off\"\ntitle = \"fine\"\nof = [\"filesystem\"]\nfact = \"barriers\"\n\
                   want.any = { one_of = [\"on\", \"off\"] }\nseverity = \"low\"\nwhy = \"so\"\nsource = \"us\"\n";
        let mut host = host("/a", "off");
        host.rules.add(RuleSet::parse(own).unwrap(), "ours.toml");
        let (heard, mut warnings) = (Heard::default(), HostWarnings::default());
        for _ in 0..2 {
            warnings.tell(Some(&host), "", &heard);
        }
        let heard = heard.0.into_inner().unwrap();
        assert_eq!(
            heard,
            ["note: rules of a file are in the place of built-in ones: barriers-off of ours.toml"]
        );
    }
}
