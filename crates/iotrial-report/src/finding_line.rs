//! A line of a document that says what the reader should know, with its weight and a name.
//!
//! The report finds nothing itself. A line is made from a finding, or from something else that was decided elsewhere: then its
//! name is not the id of a finding ([`About`]).

use std::collections::BTreeMap;

use iotrial_analysis::host_check::Weight;
use iotrial_analysis::sweep::LimitKind;
use iotrial_model::audit::Check;
use iotrial_model::database_run::DatabaseRemarkId;
use iotrial_model::finding::{Finding, FindingId, Severity};
use iotrial_model::observation::ObservationKind;
use iotrial_sizing::measured::BoundBy;
use iotrial_words::evidence::{fact_name, held_percentile};

use crate::quantity::{LatencyUnit, NumberFormat, Quantity};
use crate::table::{Fact, Value};

/// The fact of a setting that holds a command. Short forms do not wrap it: it is to be copied.
pub(crate) const CHANGE: &str = "change";

/// A finding, or something else that was decided before the report, as a line that a reader sees.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingLine {
    /// How much it weighs.
    pub severity: Severity,
    /// Its name. Private, so that nothing but a finding can bring the id of one.
    name: String,
    /// One sentence with the numbers.
    pub message: String,
    /// The facts behind it.
    pub evidence: Vec<Fact>,
    /// Another word for its weight, if there are more than three weights; the facts are then shown in short forms too, because
    /// they say what to do.
    weight: Option<Weight>,
}

/// What a line is about that is not a finding.
#[derive(Debug, Clone, Copy)]
pub(crate) enum About<'a> {
    /// What holds a rate.
    Limit(LimitKind),
    /// A check of an audit.
    Check(Check),
    /// Something that an import did not understand.
    Import,
    /// A provider: one of its rules that is broken, or something that its catalog does not know.
    Provider(&'a str),
    /// The age of a catalog.
    OldCatalog,
    /// A requirement that is not met.
    Unmet(&'a str),
    /// What limited a measured rate.
    BoundBy(&'a [BoundBy]),
    /// Figures of a measurement that contradict each other.
    Contradiction,
    /// Why a measurement may not be one of a device.
    Caveat,
    /// A rate that is not stated, but follows from other figures.
    Derived,
    /// A rule of a check of a host.
    Rule(&'a str),
    /// What counters show.
    Observation(ObservationKind),
    /// A load on a database.
    Database(DatabaseRemarkId),
}

impl About<'_> {
    fn name(self) -> String {
        match self {
            Self::Limit(kind) => kind.as_str().to_owned(),
            Self::Check(check) => check.as_str().to_owned(),
            Self::Provider(name) => name.to_owned(),
            Self::Import => "import".to_owned(),
            Self::OldCatalog => "old".to_owned(),
            Self::Unmet(what) => what.replace(' ', "-"),
            Self::BoundBy(bounds) => {
                bounds.iter().map(|bound| bound_word(*bound)).collect::<Vec<_>>().join("-and-")
            }
            Self::Contradiction => "contradiction".to_owned(),
            Self::Caveat => "caveat".to_owned(),
            Self::Derived => "derived".to_owned(),
            Self::Rule(id) => id.to_owned(),
            Self::Observation(kind) => kind.as_str().to_owned(),
            Self::Database(id) => id.as_str().to_owned(),
        }
    }
}

const fn bound_word(bound: BoundBy) -> &'static str {
    match bound {
        BoundBy::Configuration => "configuration",
        BoundBy::Concurrency => "concurrency",
        BoundBy::Ceiling => "ceiling",
        BoundBy::Unknown => "unknown",
        BoundBy::OtherConfiguration => "other-configuration",
        BoundBy::Burst => "burst",
    }
}

impl FindingLine {
    /// A finding with the facts behind it.
    pub(crate) fn of(finding: &Finding) -> Self {
        let facts = finding.evidence.facts();
        // The unit of a rate is with the rate.
        let shown = facts.iter().filter(|(name, _)| name.as_str() != UNIT);
        let evidence = shown.map(|(name, value)| evidence(name, value, unit_of(name, &facts))).collect();
        Self { evidence, ..Self::brief(finding) }
    }

    /// A finding whose facts are in a table next to it.
    pub(crate) fn brief(finding: &Finding) -> Self {
        Self {
            severity: finding.severity,
            name: finding.id.to_string(),
            message: iotrial_words::finding::message(finding),
            evidence: Vec::new(),
            weight: None,
        }
    }

    /// A line that is not from a finding.
    pub(crate) fn about(about: About<'_>, severity: Severity, message: String) -> Self {
        Self { severity, name: about.name(), message, evidence: Vec::new(), weight: None }
    }

    /// A setting of a host that is not as it should be, with what to do about it.
    pub(crate) fn of_setting(rule: &str, weight: Weight, message: String, evidence: Vec<Fact>) -> Self {
        let severity = match weight {
            Weight::Critical | Weight::High => Severity::Serious,
            Weight::Medium => Severity::Warning,
            Weight::Low | Weight::Info => Severity::Note,
        };
        Self { evidence, weight: Some(weight), ..Self::about(About::Rule(rule), severity, message) }
    }

    /// The word for how much it weighs.
    pub fn label(&self) -> &'static str {
        self.weight.map_or(self.severity.as_str(), Weight::as_str)
    }

    /// Whether short forms show the facts behind it.
    pub(crate) const fn is_in_full(&self) -> bool {
        self.weight.is_some()
    }

    /// The id of the finding, or what else it is about.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What goes behind the message in brackets: its name, but for a caveat, whose message ends with the name of what it is about.
    pub(crate) fn tag(&self) -> Option<&str> {
        Some(self.name.as_str()).filter(|name| *name != FindingId::Caveat.as_str())
    }
}

/// Endings of keys that name a unit, which is then written after the number.
// The longer ones first: `mib_per_s` ends in `_s` too.
const UNITS: [(&str, Quantity); 8] = [
    ("_mib_per_s", Quantity::BandwidthMibPerS),
    ("_per_s", Quantity::Unitless),
    ("_percent", Quantity::Percent),
    ("_bytes", Quantity::Bytes),
    ("_iops", Quantity::Iops),
    ("_count", Quantity::Count),
    ("_us", Quantity::LatencyUs),
    ("_s", Quantity::Seconds),
];

/// The fact that says the unit of other ones.
const UNIT: &str = "unit";

/// What a fact measures whose key does not say it, because that differs from finding to finding.
fn unit_of(name: &str, facts: &BTreeMap<String, serde_json::Value>) -> Option<Quantity> {
    let said_by = match name {
        "burst" | "plateau" => UNIT,
        "rounds" => "value",
        "round_iops" | "iops" => return Some(Quantity::Iops),
        "mib_per_s" => return Some(Quantity::BandwidthMibPerS),
        _ => return None,
    };
    match facts.get(said_by)?.as_str()? {
        "MiB/s" | "bandwidth" => Some(Quantity::BandwidthMibPerS),
        "IOPS" => Some(Quantity::Iops),
        "mean latency" => Some(Quantity::LatencyUs),
        _ => None,
    }
}

/// A fact behind a finding, in words: its key without the unit, and the number with its unit. `quantity` is what it measures, where its key
/// does not say that.
fn evidence(key: &str, value: &serde_json::Value, quantity: Option<Quantity>) -> Fact {
    let of_unit = |(end, quantity): &(&'static str, Quantity)| Some((key.strip_suffix(end)?, *quantity));
    // A rate without a unit of its own keeps its name whole.
    let unit = UNITS.iter().find_map(of_unit).filter(|(_, quantity)| *quantity != Quantity::Unitless);
    let bare = unit.map_or(key, |(bare, _)| bare);
    let name = fact_name(key).map_or_else(|| bare.replace('_', " "), str::to_owned);
    let quantity = quantity.or(unit.map(|(_, quantity)| quantity));
    let number = match (quantity, value.as_u64(), value.as_f64()) {
        (None | Some(Quantity::Bytes | Quantity::Count), Some(count), _) => Some(Value::Count(count)),
        (Some(Quantity::Bytes), None, _) => None,
        (_, _, number) => number.map(Value::Number),
    };
    match number {
        Some(value) => Fact { name, quantity: quantity.unwrap_or(Quantity::Unitless), value },
        None => Fact { name, quantity: Quantity::Words, value: Value::Text(plain(value, quantity)) },
    }
}

/// A JSON value as people read it: text without quotes, fractions to four digits, lists with commas and one unit, and each fact of an object
/// with its unit.
fn plain(value: &serde_json::Value, quantity: Option<Quantity>) -> String {
    let written = |key: &str, value: &serde_json::Value| {
        let fact = evidence(key, value, None);
        (fact.value.written_with_unit(fact.quantity, LatencyUnit::Milliseconds), fact.name)
    };
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Bool(is_so) => if *is_so { "yes" } else { "no" }.to_owned(),
        serde_json::Value::Number(number) if number.is_f64() => {
            Value::number(number.as_f64()).written_with_unit(Quantity::Unitless, LatencyUnit::Milliseconds)
        }
        serde_json::Value::Array(items) if items.iter().all(serde_json::Value::is_number) => {
            let numbers: Vec<f64> = items.iter().filter_map(serde_json::Value::as_f64).collect();
            let quantity = quantity.unwrap_or(Quantity::Unitless);
            let format = NumberFormat::fit(quantity, LatencyUnit::Milliseconds, numbers.iter().copied());
            let all = numbers.iter().map(|number| format.write(*number)).collect::<Vec<_>>().join(", ");
            format!("{all} {}", format.unit).trim_end().to_owned()
        }
        serde_json::Value::Array(items) => {
            let are_objects = items.first().is_some_and(serde_json::Value::is_object);
            let between = if are_objects { "; " } else { ", " };
            items.iter().map(|item| plain(item, quantity)).collect::<Vec<_>>().join(between)
        }
        serde_json::Value::Object(facts) => {
            let of = |key: &str| facts.get(key).map(|value| written(key, value).0);
            // A percentile is known by its name.
            if let (Some(percent), Some(latency), Some(without)) =
                (facts.get("percent").and_then(serde_json::Value::as_f64), of("latency_us"), of("without_us"))
            {
                return format!("p{percent} {}", held_percentile(&latency, &without));
            }
            let said = |(key, value): (&String, &serde_json::Value)| {
                let (value, name) = written(key, value);
                format!("{name} {value}")
            };
            facts.iter().map(said).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_in_words_with_its_unit_and_never_a_key() {
        let written = |name: &str, value: serde_json::Value| {
            let fact = evidence(name, &value, None);
            let value = fact.value.written_with_unit(fact.quantity, LatencyUnit::Milliseconds);
            format!("{} {value}", fact.name)
        };
        assert_eq!(written("measured_s", 30.0.into()), "measured 30 s");
        assert_eq!(written("busiest_thread_percent", 14.08.into()), "busiest thread 14 %");
        assert_eq!(written("written_bytes", 4_194_304.into()), "written 4 MiB");
        assert_eq!(written("late_ios_per_s", 12.5.into()), "late ios per s 12.5");
        assert_eq!(written("longest_us", 2_500.0.into()), "longest 2.50 ms");
        assert_eq!(written("device", "vda".into()), "device vda");
        assert_eq!(written("direct", true.into()), "direct yes");
        // Two facts of one name would be told apart by their numbers only.
        assert_ne!(fact_name("late_count"), fact_name("late_percent"));
        let held = serde_json::json!([{"percent": 99.0, "latency_us": 9_150.0, "without_us": 3_490.0}]);
        let held = written("held", held);
        assert!(
            held.contains("p99 9.15 ms") && held.contains("3.49 ms") && !held.contains("percent 99"),
            "{held}"
        );
    }

    #[test]
    fn numbers_whose_unit_another_fact_names_have_it() {
        let shown = |facts: serde_json::Value, key: &str| {
            let facts: BTreeMap<String, serde_json::Value> = serde_json::from_value(facts).unwrap();
            let fact = evidence(key, &facts[key], unit_of(key, &facts));
            fact.value.written_with_unit(fact.quantity, LatencyUnit::Milliseconds)
        };
        let rounds = |value: &str| serde_json::json!({"value": value, "rounds": [754.0, 691.1, 1_132.0]});
        assert_eq!(shown(rounds("bandwidth"), "rounds"), "754, 691, 1,132 MiB/s");
        assert!(shown(rounds("mean latency"), "rounds").ends_with(" ms"));
        let iops = serde_json::json!({"value": "IOPS", "round_iops": [754.0, 691.1, 1_132.0]});
        assert_eq!(shown(iops, "round_iops"), "754, 691, 1,132 IOPS");
        let burst = serde_json::json!({"unit": "MiB/s", "burst": 250.0});
        assert_eq!(shown(burst, "burst"), "250 MiB/s");
    }

    /// Together with the private name of a line: no line that is not a finding looks like one.
    #[test]
    fn what_is_not_a_finding_has_the_name_of_none() {
        let bounds = [BoundBy::Configuration, BoundBy::Concurrency];
        let others = [About::Import, About::OldCatalog, About::BoundBy(&bounds), About::Contradiction];
        let observed = ObservationKind::ALL.iter().copied().map(About::Observation);
        for about in LimitKind::ALL.iter().copied().map(About::Limit).chain(others).chain(observed) {
            let line = FindingLine::about(about, Severity::Note, String::new());
            assert_eq!(FindingId::from_word(line.name()), None, "{}", line.name());
        }
    }
}
