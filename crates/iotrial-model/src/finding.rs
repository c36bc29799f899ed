//! Findings: what the reader should know about the figures of a result, each with its evidence.
//!
//! The set of findings is closed: [`FindingId`] has every id that any command prints, and each finding that has facts behind
//! it has a variant of [`Evidence`] for them. What is written is made from these types. Nothing reads it back by key but the
//! edge of the file ([`RecordedFinding::typed`]), because a file may come from a version with other findings.
//!
//! The ids and the keys of the evidence are an interface: `docs/json.md`.

mod compared;
mod contradiction;
mod doubts;
mod evidence;
mod facts;
mod place;
mod swept;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use compared::{
    Caveat, ComparedFact, ConditionKind, Difference, ENOUGH_REPEATS, Incomparable, KnownSpread, MetricRange,
    OffsetSeed, PRINTED_SAME_PERCENT, RunsOfConfiguration, UnlikeContent,
};
pub use contradiction::Contradiction;
pub use doubts::Doubts;
pub use evidence::{Evidence, FindingId};
pub use facts::{
    CacheByDevices, CacheByLatency, Changing, DerivedRate, FlatRate, ForeignLoad, Freezes, GeneratorUse,
    HeldPercentile, IoErrors, LateIssues, LatencyLimitMissed, NotAsWritten, PolledIo, Scaling, SeenIn,
    SharedHolder, Shortage, StallSeen, Stalled, Unsteady,
};
pub use place::{CurvePlace, Place};
pub use swept::{LeftOut, NoCurve, NoPoint, OpenKnee, Split, SweptFact, UnresolvedKnee};

/// From here on a load is trusted to have been measured for long enough.
// A minute: caches of drives and burst credits of small volumes hide the real speed for less.
pub const SHORTEST_TRUSTED: Duration = Duration::from_secs(60);
/// The most that rounds of a steady load may differ, in percent of their average.
pub const MOST_RANGE_PERCENT: f64 = 20.0;
/// The most that a line fitted through them may rise or fall from the first to the last round, in percent of the average.
pub const MOST_SLOPE_PERCENT: f64 = 10.0;
/// The most of what came to be due in an open job over the rounds that may only have made its queue longer, in percent.
// One percent of a minute is more than half a second of arrivals waiting: by then the queue is not an accident of the moment.
pub const MOST_BACKLOG_GROWTH_PERCENT: f64 = 1.0;
/// A thread that is ready and waits for a CPU makes every I/O that completes meanwhile look slower; at this share of the time, in percent,
/// the 90th percentile is that of the scheduler.
pub const MOST_DELAY_PERCENT: f64 = 10.0;
/// The gap between two latencies of a cache reaches from some latency to so many times that.
pub const GAP_RATIO: f64 = 2.0;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; the figures stand.
    Note,
    /// The figures may not mean what they seem to.
    Warning,
    /// The figures must not be relied upon.
    Serious,
}

impl Severity {
    /// The word for people and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Serious => "serious",
        }
    }
}

/// Something that the reader should know about the figures. `iotrial_words::finding` says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Its stable name.
    pub id: FindingId,
    /// How much it weighs.
    pub severity: Severity,
    /// The part of the result that it is about; `None` where it is about all of it.
    pub place: Option<Place>,
    /// The facts behind it.
    pub evidence: Evidence,
    /// What a record says of it that keeps fewer facts than its sentence has; `None` where the facts say everything.
    pub recorded: Option<String>,
}

impl Finding {
    /// A finding of all of a result.
    pub const fn new(id: FindingId, severity: Severity, evidence: Evidence) -> Self {
        Self { id, severity, place: None, evidence, recorded: None }
    }

    /// A finding of a comparison.
    pub const fn of_comparison(id: FindingId, severity: Severity, fact: ComparedFact) -> Self {
        Self::new(id, severity, Evidence::Compared(fact))
    }

    /// A finding of which nothing but a sentence is known.
    pub const fn without_evidence(id: FindingId, severity: Severity, sentence: String) -> Self {
        Self { id, severity, place: None, evidence: Evidence::Nothing {}, recorded: Some(sentence) }
    }

    /// The same as a finding of a part of the result.
    #[must_use]
    pub fn placed(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// Whether the other one says the same of the same part, by its facts.
    pub fn is_like(&self, other: &Self) -> bool {
        self.id == other.id && self.place == other.place && self.evidence.is_like(&other.evidence)
    }
}

/// A finding as it is written in a record: what the version that wrote it found. Results are shown with findings that are
/// computed from their facts, so that a page never has those of two versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedFinding {
    /// Its stable name. A text, because a record may come from a version with other findings.
    pub id: String,
    /// How much it weighs.
    pub severity: Severity,
    /// One sentence with the numbers.
    pub message: String,
    /// The facts behind it, by name with unit.
    pub evidence: BTreeMap<String, serde_json::Value>,
}

impl RecordedFinding {
    /// The finding, where it is one that the kept facts of a probe may need (`iotrial-analysis` says which and why); `None` of
    /// any other one, and where its evidence is not what it should be.
    pub fn typed(&self) -> Option<Finding> {
        let facts = || serde_json::Value::Object(self.evidence.clone().into_iter().collect());
        let id = FindingId::from_word(&self.id)?;
        let evidence = match id {
            FindingId::IoErrors => Evidence::IoErrors(serde_json::from_value(facts()).ok()?),
            FindingId::CacheServed => Evidence::CacheByLatency(serde_json::from_value(facts()).ok()?),
            FindingId::PolledIo => Evidence::PolledIo(serde_json::from_value(facts()).ok()?),
            FindingId::GeneratorBusy => Evidence::GeneratorBusy(serde_json::from_value(facts()).ok()?),
            FindingId::Unsteady => Evidence::Unsteady(serde_json::from_value(facts()).ok()?),
            _ => return None,
        };
        let recorded = Some(self.message.clone());
        Some(Finding { recorded, ..Finding::new(id, self.severity, evidence) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Direction;

    #[test]
    fn a_word_names_one_finding_and_reads_as_it_is_written() {
        for id in FindingId::ALL {
            assert_eq!(FindingId::from_word(id.as_str()), Some(*id));
            assert_eq!(serde_json::to_value(id).unwrap(), id.as_str());
        }
        assert_eq!(FindingId::from_word("latency-spike"), None);
    }

    #[test]
    fn evidence_is_one_flat_object_in_the_order_of_its_names() {
        let evidence =
            Evidence::GeneratorBusy(GeneratorUse { busy_percent: 97.5, ..GeneratorUse::default() });
        let text = serde_json::to_string(&evidence.facts()).unwrap();
        let start = r#"{"busiest_thread_percent":null,"busy_percent":97.5,"driven_cpu_count":0,"host_busy_percent":null,"#;
        assert!(text.starts_with(start), "{text}");
        for evidence in [Evidence::Nothing {}, Evidence::Compared(ComparedFact::SingleSweeps)] {
            assert_eq!(serde_json::to_string(&evidence).unwrap(), "{}");
            assert!(evidence.facts().is_empty());
        }
    }

    #[test]
    fn a_finding_of_another_version_is_passed_over() {
        let evidence = Evidence::CacheByLatency(CacheByLatency {
            seen_in: SeenIn::Latency,
            direction: Direction::Read,
            job: "pages".to_owned(),
            cache_percent: 30.0,
            fast_median_us: 100.0,
            slow_median_us: 2_000.0,
            gap_from_us: 150.0,
            area_count: 0,
        });
        let mut written = RecordedFinding {
            id: FindingId::CacheServed.as_str().to_owned(),
            severity: Severity::Warning,
            message: "two latencies".to_owned(),
            evidence: evidence.facts(),
        };
        let read = written.typed().unwrap();
        assert_eq!((read.evidence, read.recorded), (evidence, Some(written.message.clone())));
        written.evidence.remove("seen_in");
        assert_eq!(written.typed(), None);
        written.id = "latency-spike".to_owned();
        assert_eq!(written.typed(), None);
    }

    #[test]
    fn findings_are_alike_by_their_facts_and_a_time_by_more_than_what_clocks_are_off() {
        let of_run = |measured_s| {
            Finding::new(FindingId::ShortRun, Severity::Warning, Evidence::ShortRun { measured_s })
        };
        let of_comparison = |finding: Finding| {
            let caveat = Evidence::Compared(ComparedFact::RunCaveat {
                caveat: Caveat::Finding(Box::new(finding)),
                run: None,
                is_alike: true,
                runs: Vec::new(),
            });
            Finding::new(FindingId::Caveat, Severity::Warning, caveat)
        };
        for (other_s, is_like) in [(30.000_2, true), (29.9, true), (31.0, false)] {
            let (one, other) = (of_run(30.0), of_run(other_s));
            assert_eq!(one.is_like(&other), is_like, "{other_s}");
            assert_eq!(of_comparison(one).is_like(&of_comparison(other)), is_like, "{other_s}");
        }
        assert!(!of_run(30.0).is_like(&of_run(30.0).placed(Place::EveryLoad)));
    }
}
