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

use crate::load::words;

pub use compared::{
    Caveat, ComparedFact, ConditionKind, Difference, ENOUGH_REPEATS, Incomparable, KnownSpread, MetricRange,
    OffsetSeed, PRINTED_SAME_PERCENT, RunsOfConfiguration, UnlikeContent,
};
pub use contradiction::Contradiction;
pub use doubts::Doubts;
pub use evidence::{Evidence, HeldPercentile};
pub use facts::{
    CacheByLatency, Changing, DerivedRate, FlatRate, Freezes, GeneratorUse, IoErrors, PolledIo, SeenIn,
    SharedHolder, Shortage, StallSeen, Unsteady,
};
pub use place::{CurvePlace, Place};
pub use swept::{LeftOut, NoCurve, NoPoint, OpenKnee, Split, SweptFact, UnresolvedKnee};

words! {
    /// The stable name of a finding.
    FindingId {
        /// The run did not end as planned, or another tool ended a job with an error. Serious.
        Failed = "failed",
        /// The checksum of a record (of a run, a sweep or an import) does not match: it was changed after it was written, and the
        /// verdict is inconclusive. Serious.
        AlteredRecord = "altered-record",
        /// The run was stopped before its end. Warning.
        Interrupted = "interrupted",
        /// I/Os failed or came back short, in any phase; the figures are those of the ones that succeeded. Warning; serious above 0.1 %.
        IoErrors = "io-errors",
        /// I/Os came back short: the file or device ends before the load does. Serious.
        ShortIo = "short-io",
        /// An I/O took a second or more, or had not returned when the load ended; nothing returned for 0.2 s or more, for 1 % of the time
        /// together; for an imported log, nothing completed for that long;
        /// for short probes of a sweep, how many are left out of their curve. Warning; serious if the I/O had not returned or took 15 s.
        Stalled = "stalled",
        /// iotrial itself did not run: it was stopped, frozen or throttled, or its machine stood still. Warning; note below 1 s and 1 %
        /// of the measured time.
        Paused = "paused",
        /// A finished search found no rate within the limits. Warning.
        LatencyLimitMissed = "latency-limit-missed",
        /// An open job did not keep its rate: I/Os were due and never issued (the worst job). Warning.
        NotIssued = "not-issued",
        /// The generator issued I/Os of an open job late, or noticed their completion late (the worst job). `held`, unless the generator
        /// caused less than a tenth of p99: `percent`, `latency_us`, `without_us` (lower bound without this delay) for p99 and p99.9.
        /// Warning; note if it changes no figure by much.
        LateIssues = "late-issues",
        /// A file system in memory was measured. Serious.
        InMemoryTarget = "in-memory-target",
        /// A share of an SMB server was measured: `paths`. Note.
        SmbShare = "smb-share",
        /// The page cache was between load and device. Warning.
        BufferedIo = "buffered-io",
        /// Of an import: it is not stated whether I/O bypassed the page cache. Note; warning where half of the I/Os took less than
        /// 5 µs, as none of a device does.
        UnknownCache = "unknown-cache",
        /// Threads polled for completions, as no database does. Note.
        PolledIo = "polled-io",
        /// Devices counted less than 90 % of what came from above, or latencies have two separate modes: a cache answered a part of the
        /// I/Os. Warning; note from 50 % on.
        CacheServed = "cache-served",
        /// The devices, or other partitions of their disk, moved over 10 % more than was issued. Warning.
        ForeignLoad = "foreign-load",
        /// The device was faster at first, then held at a lower rate. Warning; note if the burst ended before the measured phase.
        ThrottledAfterBurst = "throttled-after-burst",
        /// The load does not meet the SNIA criteria, by more than chance explains, or not within the time limit of `--until-steady`. Warning.
        Unsteady = "unsteady",
        /// IOPS × mean latency differs by more than 3 % from the outstanding I/Os. Warning.
        LittlesLaw = "littles-law",
        /// The generator limited the run: it used up its CPUs, waited for them, or lost them to the hypervisor (`stolen_percent`: at
        /// most, of the time of the driving CPUs). Warning.
        GeneratorBusy = "generator-busy",
        /// Time of day and monotonic clock diverged. Warning.
        ClockJump = "clock-jump",
        /// Less than 60 s were measured. Warning; serious if nothing was.
        ShortRun = "short-run",
        /// The IOPS were constant while I/Os waited and the device was partly idle: a limit is set, for one `direction` if that is
        /// named. If roles have their own devices, one finding per limit, with `roles`, and `devices` if their counters agree with what was
        /// issued. Note.
        FlatIopsLimit = "flat-iops-limit",
        /// The same for bytes per second. Note.
        FlatBandwidthLimit = "flat-bandwidth-limit",
        /// Devices further down moved over 10 % more than those that they carry. Note.
        AmplifiedIo = "amplified-io",
        /// Of an import: one of several disks was much busier than the others. Warning.
        UnevenDevices = "uneven-devices",
        /// More than 10 % of the I/Os were merged above the device. Note.
        MergedIo = "merged-io",
        /// Several targets are on one disk or device: `devices`, `targets`, `roles`. Note.
        SharedDisk = "shared-disk",
        /// The load touched less than the host's memory. Note.
        SmallWorkingSet = "small-working-set",
        /// Another engine than the usual one made the load. Note.
        EngineFallback = "engine-fallback",
        /// The plan differs from the request. Note.
        SizeReduced = "size-reduced",
        /// Of an import: the mean latency is in steps of more than a tenth of it. Warning.
        CoarseLatency = "coarse-latency",
        /// Of an import: percentiles are of the completion latency, the mean is of the total latency. Note.
        CompletionLatency = "completion-latency",
        /// Flushes are timed separately from the writes before them: these write latencies are not judged, and in a comparison left out.
        /// Warning.
        FlushesApart = "flushes-apart",
        /// Stated figures cannot all be true: IOPS and MiB/s, or rates and mean latencies. The verdict is inconclusive. Warning.
        ContradictoryFigures = "contradictory-figures",
        /// Of an import: IOPS are derived from MiB/s and block size. Note.
        DerivedRate = "derived-rate",
        /// A command for a metric of the application failed. Warning.
        MetricMissing = "metric-missing",
        /// Of an import: no role was given; judged as data. Note.
        NoRole = "no-role",
        /// The import did not understand something. Note.
        ImportWarnings = "import-warnings",
        /// The sweep did not end as planned. Warning; serious for a failure.
        Ended = "ended",
        /// Under one load the rate of the long probe changed steadily by 10 % or more, so no ceiling lasts: `from_iops`, `to_iops`,
        /// `seconds`. Warning.
        Drift = "drift",
        /// The rate of short probes does not last: `burst_iops`, `iops` (lasting), `ended_after_s` (null if only short probes show it).
        /// Warning.
        Burst = "burst",
        /// More outstanding I/Os than needed cost over 10 % of the highest rate: `falls_by_percent`. Warning.
        FallsAgain = "falls-again",
        /// Of a grid: the same outstanding I/Os, split otherwise into depth and jobs, do over 10 % less. Note.
        SplitMatters = "split-matters",
        /// A load did over 5 % more than the ceiling: `exceeded_by_percent`. Note.
        AboveCeiling = "above-ceiling",
        /// Points are over 15 % off the fitted curve, over all loads or from 0.4 to 2.5 times the knee: `rms_percent`, the larger of
        /// both. Warning.
        RoughFit = "rough-fit",
        /// The loads do not show where the knee is; equal curves together. Warning.
        KneeNotResolved = "knee-not-resolved",
        /// A stated result has nothing to compare, such as only “about” a number, or an imported result is not a point of a curve (the
        /// first 20 by name). Note.
        LeftOut = "left-out",
        /// You forced an unfair comparison. Warning.
        Forced = "forced",
        /// A report of several runs does not compare them: why. Note or warning.
        NotCompared = "not-compared",
        /// Doubts about the figures of the named runs, or a figure printed as “about” a number. Warning; note for printed figures.
        Caveat = "caveat",
        /// Several tools measured the runs. Warning.
        OtherTool = "other-tool",
        /// The named threshold sets or profiles differ in content, even under one name. Warning; note for profiles.
        OtherContent = "other-content",
        /// Some runs have another engine or ring, or no registered files or buffers. Note.
        GeneratorDiffers = "generator-differs",
        /// Random offsets are the same in some runs (fio without `randrepeat=0`, iotrial with one `--seed`) and not in others, or in all
        /// repeats of a configuration. Warning; note for repeats.
        OffsetsRepeat = "offsets-repeat",
        /// Each was measured at the highest rate found for it: rates are compared; figures of streams are shown but not judged. Note.
        OwnRates = "own-rates",
        /// A record was given twice, and counts once. Note.
        GivenTwice = "given-twice",
        /// An attribute never differs alone. Note.
        NoPair = "no-pair",
        /// One run: how much figures change from run to run is not known. Note.
        MeasuredOnce = "measured-once",
        /// Measured too briefly to tell a difference from chance. Note.
        TooFewIntervals = "too-few-intervals",
        /// Two to four repeats: wide intervals. Note.
        FewRepeats = "few-repeats",
        /// Stated figures: their spread is not known. Note.
        PrintedFigures = "printed-figures",
        /// Several runs state the figures; the one in the middle counts. Note.
        StatedRepeats = "stated-repeats",
        /// How much repeats differ, by the figure that differs most. Warning from 25 % on, otherwise note.
        RepeatsApart = "repeats-apart",
        /// `iotrial size`: no configuration of a provider meets the demand. Warning.
        NothingMeetsIt = "nothing-meets-it",
        /// `iotrial size`: there is no catalog to choose from. Warning.
        NoCatalog = "nothing",
    }
}

impl FindingId {
    /// The finding with this name; `None` of one that this version does not make.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|id| id.as_str() == word)
    }
}

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
