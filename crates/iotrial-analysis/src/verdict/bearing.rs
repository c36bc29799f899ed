//! What each finding means for the verdict: it speaks against the storage, it leaves the answer open, or it is to be kept in mind.

use std::time::Duration;

use iotrial_model::figure::Figure;
use iotrial_model::finding::{Evidence, Finding, FindingId, Severity};
use iotrial_model::plan::{Arrival, EngineDevice, PhaseKind, Plan};
use iotrial_model::subject::Subject;
use iotrial_model::units::format_duration;

use super::Advice;
use crate::judgement::{CLOCK_SLACK, Gap};
use crate::words::seconds_in_words;

/// A run that was measured for less says nothing about the time after it.
// Ten intervals of a second: with fewer there is neither a course to look at nor a pause of the host that would not decide every
// figure. From here to a minute the length is a caveat (finding `short-run`).
const SHORTEST_ANSWER: Duration = Duration::from_secs(10);
/// What is shorter has the finding `short-run`.
const LONG_ENOUGH: Duration = Duration::from_secs(60);
/// An advice to measure longer asks for no more than this.
const LONGEST_ADVICE: Duration = Duration::from_secs(3_600);

/// Everything beside the figures themselves that bears on the verdict.
#[derive(Debug, Default)]
pub(super) struct Bearing {
    /// What the storage did wrong, whatever its latencies.
    pub(super) against: Vec<Against>,
    /// Of these, what failed: I/Os, or the device as a whole.
    pub(super) failed: Vec<String>,
    /// Why the figures may not be the device's, or are too few.
    pub(super) doubts: Vec<Doubt>,
    /// Conditions to keep in mind, to follow «but» or «measured».
    pub(super) caveats: Vec<String>,
    /// The same in full.
    pub(super) caveat_reasons: Vec<String>,
    /// How long to measure so that the length is no caveat; `None` of what was long enough.
    longer: Option<Duration>,
}

/// What speaks against the storage.
#[derive(Debug)]
pub(super) struct Against {
    /// In full, without a full stop.
    pub(super) words: String,
    /// The finding that says so; `None` of what no finding says.
    pub(super) finding: Option<FindingId>,
}

/// A reason why there is no answer.
#[derive(Debug)]
pub(super) struct Doubt {
    /// In a few words, to follow a colon.
    pub(super) words: String,
    /// The same in full, for the list of reasons.
    pub(super) reason: String,
    /// What to change.
    pub(super) advice: Option<Advice>,
    /// The finding that raises it; `None` of what no finding says.
    pub(super) finding: Option<FindingId>,
}

/// What one finding is for the verdict.
enum Weight {
    Against,
    /// Against the storage, unless a doubt says that something else may have been the limit.
    AgainstIfSure,
    Doubt {
        words: String,
        advice: Option<Advice>,
    },
    Caveat(Option<String>),
    Nothing,
}

impl Bearing {
    /// Sorts what was found; `starved` are streams with hardly any I/O.
    pub(super) fn of(
        subject: &Subject<'_>,
        findings: &[Finding],
        gaps: &[Gap],
        starved: Vec<String>,
    ) -> Self {
        Self::with(subject, findings, gaps, starved, no_device(subject))
    }

    /// The same of one step. That no device was behind the load is said of all of it.
    pub(super) fn of_step(
        subject: &Subject<'_>,
        findings: &[Finding],
        gaps: &[Gap],
        starved: Vec<String>,
    ) -> Self {
        Self::with(subject, findings, gaps, starved, None)
    }

    fn with(
        subject: &Subject<'_>,
        findings: &[Finding],
        gaps: &[Gap],
        starved: Vec<String>,
        no_device: Option<Doubt>,
    ) -> Self {
        let mut bearing = Self::default();
        let mut slow = Vec::new();
        bearing.doubts.extend(no_device);
        // Without a long run the record of a search is its last probe of a few seconds; how short that is decides nothing.
        let is_probe = subject.search.is_some_and(|search| search.result.is_none() && search.need.is_none());
        // Whoever stopped a run before it measured knows why there are no figures.
        let was_stopped = subject.measured.is_some_and(|measured| measured.is_zero())
            && findings.iter().any(|one| one.id == FindingId::Interrupted);
        for finding in findings.iter().filter(|one| !(is_probe && one.id == FindingId::ShortRun)) {
            if was_stopped && finding.id == FindingId::ShortRun {
                bearing.caveat_reasons.push(finding.message.clone());
                continue;
            }
            match weigh(subject, finding, findings) {
                Weight::Against => {
                    bearing.against.push(Against::of(finding));
                    bearing.failed.push(finding.message.clone());
                }
                Weight::AgainstIfSure => slow.push(Against::of(finding)),
                Weight::Doubt { words, advice } => {
                    let (reason, id) = (finding.message.clone(), Some(finding.id));
                    bearing.doubts.push(Doubt { words, reason, advice, finding: id });
                }
                Weight::Caveat(words) => {
                    if finding.id == FindingId::ShortRun && subject.source.is_none() {
                        bearing.longer = measure_longer(subject, LONG_ENOUGH).duration;
                    }
                    bearing.caveats.extend(words);
                    bearing.caveat_reasons.push(finding.message.clone());
                }
                Weight::Nothing => {}
            }
        }
        // One reason in the sentence, however many findings say it.
        let mut said = std::collections::HashSet::new();
        bearing.doubts.retain(|doubt| {
            said.insert(doubt.words.clone()) || {
                bearing.caveat_reasons.push(doubt.reason.clone());
                false
            }
        });
        // A rate that was not kept is the storage's fault only where nothing else may have kept it from coming about.
        if bearing.doubts.is_empty() {
            bearing.against.extend(slow);
        } else {
            bearing.caveat_reasons.extend(slow.into_iter().map(|one| one.words));
        }
        if is_probe {
            // Its loads of seconds follow from the length of the long one, which is what can be asked for.
            let planned: Duration = subject.plan.map_or(Duration::ZERO, |plan| {
                let measured = plan.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure);
                measured.map(|phase| phase.duration).sum()
            });
            bearing.longer =
                (planned < LONG_ENOUGH).then(|| measure_longer(subject, LONG_ENOUGH).duration).flatten();
        }
        if is_probe || was_stopped {
            return bearing;
        }
        let longer = || Some(longer_advice(subject, gaps));
        bearing.doubts.extend(starved.into_iter().map(|reason| Doubt {
            words: reason.clone(),
            reason,
            advice: longer(),
            finding: None,
        }));
        // Means carry little of what databases wait for: without the 99th percentile of a stream that the set judges by it there is no
        // answer. That p99.9 is missing is only told: a log of 100 commits a second would need a quarter of an hour for it.
        // Nobody can be asked to measure longer what another tool has measured; there it is a caveat.
        let rare = gaps.iter().filter(|gap| gap.lacks == Some(Figure::LatencyP99));
        bearing.doubts.extend(rare.filter(|_| subject.source.is_none()).map(|gap| Doubt {
            words: format!("too few I/Os for {}", gap.words),
            reason: gap.reason.clone(),
            advice: longer(),
            finding: None,
        }));
        bearing
    }

    /// Bounds that lie on both sides of their limits leave the question open.
    pub(super) fn add_undecided(&mut self, gaps: &[Gap]) {
        let undecided = gaps.iter().filter(|gap| gap.is_undecided);
        self.doubts.extend(undecided.map(|gap| Doubt {
            words: gap.reason.clone(),
            reason: gap.reason.clone(),
            advice: Some(Advice::of("Ask the source for the exact figure, or measure it.")),
            finding: None,
        }));
    }

    /// What to change first. One advice at a time: the next run shows what is left. It is long enough at once, though, so that it does
    /// not end with the next doubt or caveat.
    pub(super) fn advice(&self) -> Option<Advice> {
        let mut advices = self.doubts.iter().filter_map(|doubt| doubt.advice.as_ref());
        let first = advices.next()?.clone();
        let longest = advices.filter_map(|one| one.duration).chain(self.longer).max();
        Some(Advice { duration: first.duration.max(longest), ..first })
    }
}

impl Against {
    fn of(finding: &Finding) -> Self {
        Self { words: finding.message.clone(), finding: Some(finding.id) }
    }
}

/// An engine without a device has figures, and they are of no storage.
fn no_device(subject: &Subject<'_>) -> Option<Doubt> {
    let (words, reason) = match subject.engine.map(|engine| engine.facts().device)? {
        EngineDevice::None => {
            let words = "the null engine measures only the generator and uses no device";
            (words, words)
        }
        EngineDevice::Simulated => {
            ("the device was simulated", "the device was simulated, so no storage was measured")
        }
        EngineDevice::Real => return None,
    };
    // The next command that is suggested leaves it out already.
    let advice =
        Some(Advice { is_change: false, ..Advice::of("Leave out --engine to measure a real device.") });
    Some(Doubt { words: words.to_owned(), reason: reason.to_owned(), advice, finding: None })
}

/// How long it has to be for the rarest figure that is missing, rounded up to minutes.
fn longer_advice(subject: &Subject<'_>, gaps: &[Gap]) -> Advice {
    let measured = subject.measured.unwrap_or_default().max(Duration::from_secs(1));
    let factor = gaps
        .iter()
        .filter(|gap| gap.lacks == Some(Figure::LatencyP99))
        .filter_map(|gap| Some(gap.least_io_count as f64 / gap.io_count.filter(|count| *count > 0)? as f64))
        .fold(1.0, f64::max);
    // A fifth more than is needed on average, because rates vary.
    let needed = measured.mul_f64((1.2 * factor).min(1e6)).clamp(Duration::from_secs(60), LONGEST_ADVICE);
    measure_longer(subject, needed)
}

/// `needed` is how long the figures at hand need; of a step, all steps become longer with it.
fn measure_longer(subject: &Subject<'_>, needed: Duration) -> Advice {
    let whole = subject.part_of.filter(|_| !subject.measured.unwrap_or_default().is_zero());
    let factor = whole.map_or(1.0, |whole| {
        (whole.as_secs_f64() / subject.measured.unwrap_or_default().as_secs_f64()).clamp(1.0, 1e3)
    });
    let minutes = needed.mul_f64(factor).as_secs().div_ceil(60);
    Advice::longer(Duration::from_secs(60 * minutes))
}

fn doubt(words: &str, advice: &str) -> Weight {
    Weight::Doubt { words: words.to_owned(), advice: Some(Advice::of(advice)) }
}

fn caveat(words: &str) -> Weight {
    Weight::Caveat(Some(words.to_owned()))
}

/// Every finding has its place here, so that a new one cannot be forgotten.
fn weigh(subject: &Subject<'_>, finding: &Finding, all: &[Finding]) -> Weight {
    use FindingId as Id;
    let is_note = finding.severity == Severity::Note;
    match finding.id {
        // What failed, failed on the device, whoever else used it.
        Id::Failed | Id::IoErrors | Id::ShortIo => Weight::Against,
        // What follows another job has no rate that it could miss: its commits that wait for the write under way are latency.
        Id::NotIssued if !has_rate(subject, finding) => Weight::Caveat(None),
        // A search asks of each of its loads whether the rate was kept, and answers by all of them.
        Id::NotIssued if subject.search.is_some() => Weight::Caveat(None),
        Id::NotIssued => Weight::AgainstIfSure,
        Id::LatencyLimitMissed => match &finding.evidence {
            Evidence::LatencyLimitMissed { doubts, .. } if !doubts.is_empty() => doubt(
                "something other than the device may have been the limit",
                "Stop other work on this host and its devices, and measure again.",
            ),
            _ => Weight::Against,
        },
        Id::Stalled if finding.severity == Severity::Serious => Weight::Against,
        Id::Interrupted if subject.measured.is_some_and(|measured| measured.is_zero()) => {
            doubt("the run was interrupted before anything was measured", "Run it again, and let it finish.")
        }
        Id::Interrupted => doubt("the run was interrupted", "Run it again, and let it finish."),
        Id::AlteredRecord => doubt(
            "the record was changed after it was written, so its figures prove nothing",
            "Ask for the record as iotrial wrote it, or measure again.",
        ),
        Id::InMemoryTarget => {
            doubt("the target is in memory, so the figures are those of memory", "Choose a target on a disk.")
        }
        Id::BufferedIo => doubt(
            "the I/O went through the page cache, so the figures mix memory and device",
            match subject.source {
                // Its author used another tool.
                Some(_) => "Measure again with direct I/O (fio: direct=1, diskspd: -Sh).",
                None => "Leave out --buffered.",
            },
        ),
        _ if is_note => Weight::Nothing,
        Id::ShortRun => of_short_run(subject, finding),
        Id::Unsteady => of_unsteady(subject, finding),
        // A burst that ended is why a load was unsteady, and one of the two is enough.
        Id::ThrottledAfterBurst if all.iter().any(|one| one.id == Id::Unsteady && is_waited_for(one)) => {
            Weight::Caveat(None)
        }
        Id::ThrottledAfterBurst => doubt(
            "a burst ended during the measurement, so the figures mix the burst with the lower rate after it",
            "Measure until the load is steady: --until-steady.",
        ),
        Id::CacheServed => doubt(
            match &finding.evidence {
                Evidence::CacheByLatency(_) => "the I/Os have two separate latencies, which is typical of a cache",
                _ => "a cache served I/Os that the devices never saw",
            },
            "Make the files larger than the cache: a larger --size.",
        ),
        Id::ForeignLoad => doubt(
            "the devices did more I/O than iotrial issued: something else used them, or a layer above them added I/O",
            "Stop other work on these devices, and measure again.",
        ),
        Id::GeneratorBusy | Id::LateIssues => doubt(
            // Being late follows from being short of CPU, and is a reason of its own only where that was not seen.
            if all.iter().any(|one| one.id == Id::GeneratorBusy && one.severity != Severity::Note) {
                "the generator was short of CPU"
            } else {
                "the generator issued I/Os late"
            },
            "Stop other programs on this host, or give it more CPUs, and measure again.",
        ),
        Id::ClockJump => {
            doubt("the clock jumped during the measurement", "Wait until the clock is set, and measure again.")
        }
        Id::LittlesLaw => doubt(
            "latencies and rates contradict each other",
            "Look at what `iotrial audit` says of this result.",
        ),
        // Only latencies are judged: that IOPS and MiB/s contradict each other, or that percentiles were left out for it, is to be
        // kept in mind.
        Id::ContradictoryFigures => match finding.evidence {
            Evidence::ContradictoryFigures { is_of_latency: true, .. } => doubt(
                "latencies and rates contradict each other",
                "Look at what `iotrial audit` says of this result.",
            ),
            _ => caveat("with figures that contradict each other"),
        },
        Id::Stalled => caveat("with a stall of a second or more"),
        Id::Paused => caveat("while iotrial itself was stopped for some of the time"),
        Id::CoarseLatency => caveat("with latencies in coarse steps"),
        // What lacks its flushes is not judged, and the gap is told with the other gaps.
        Id::FlushesApart => Weight::Caveat(None),
        // Warnings that concern the reader and not the figures.
        Id::UnknownCache
        | Id::PolledIo
        | Id::FlatIopsLimit
        | Id::FlatBandwidthLimit
        | Id::AmplifiedIo
        | Id::UnevenDevices
        | Id::MergedIo
        | Id::SharedDisk
        | Id::SmallWorkingSet
        | Id::SmbShare
        | Id::EngineFallback
        | Id::SizeReduced
        | Id::CompletionLatency
        | Id::NoRole
        | Id::DerivedRate
        | Id::MetricMissing
        | Id::ImportWarnings
        // Of sweeps, comparisons and sizing.
        | Id::Ended
        | Id::Drift
        | Id::Burst
        | Id::FallsAgain
        | Id::SplitMatters
        | Id::AboveCeiling
        | Id::RoughFit
        | Id::KneeNotResolved
        | Id::LeftOut
        | Id::Forced
        | Id::NotCompared
        | Id::Caveat
        | Id::OtherTool
        | Id::OtherContent
        | Id::GeneratorDiffers
        | Id::OffsetsRepeat
        | Id::OwnRates
        | Id::GivenTwice
        | Id::NoPair
        | Id::MeasuredOnce
        | Id::TooFewIntervals
        | Id::FewRepeats
        | Id::PrintedFigures
        | Id::StatedRepeats
        | Id::RepeatsApart
        | Id::NothingMeetsIt
        | Id::NoCatalog => Weight::Caveat(None),
    }
}

/// Whether the job that did not issue everything was given a rate.
fn has_rate(subject: &Subject<'_>, finding: &Finding) -> bool {
    let Evidence::NotIssued { job, .. } = &finding.evidence else { return false };
    let jobs = subject.plan.map(|plan| plan.jobs.as_slice()).unwrap_or_default();
    jobs.iter().any(|one| one.name == *job && matches!(one.arrival, Arrival::Open { .. }))
}

fn of_short_run(subject: &Subject<'_>, finding: &Finding) -> Weight {
    let measured = subject.measured.unwrap_or_default();
    let words = seconds_in_words(measured.as_secs_f64());
    // What a source measured is taken as it is: its author may have had reasons, and cannot be asked to measure again.
    if subject.source.is_none() && measured + CLOCK_SLACK < SHORTEST_ANSWER {
        let words =
            if measured.is_zero() { finding.message.clone() } else { format!("only {words} were measured") };
        return Weight::Doubt { words, advice: Some(measure_longer(subject, LONG_ENOUGH)) };
    }
    Weight::Caveat(Some(format!("for only {words}")))
}

/// Who waits for a steady state asks for one; else it is told beside the answer.
fn of_unsteady(subject: &Subject<'_>, finding: &Finding) -> Weight {
    if is_waited_for(finding) {
        return Weight::Doubt {
            words: finding.message.clone(),
            advice: Some(Advice::of(
                "Give it more time (--until-steady LIMIT), or find out what keeps changing.",
            )),
        };
    }
    Weight::Caveat(Some(match subject.plan.filter(|plan| plan.until_steady.is_some()) {
        Some(plan) => format!("without reaching a steady state within {}", waited(subject, plan)),
        None => "without reaching a steady state".to_owned(),
    }))
}

fn is_waited_for(finding: &Finding) -> bool {
    matches!(&finding.evidence, Evidence::Unsteady(unsteady) if unsteady.waited_s.is_some())
}

/// How long a load that was to run until it was steady did so.
fn waited(subject: &Subject<'_>, plan: &Plan) -> String {
    let load: Duration = subject.intervals.counted().iter().map(|interval| interval.duration).sum();
    let others = plan.phases.iter().filter(|phase| phase.kind != PhaseKind::Measure);
    format_duration(load.saturating_sub(others.map(|phase| phase.duration).sum()))
}
