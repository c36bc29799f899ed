//! What each finding means for the verdict: it speaks against the storage, it leaves the answer open, or it is to be kept in mind.

use std::time::Duration;

use iotrial_model::figure::Figure;
use iotrial_model::finding::{Evidence, Finding, FindingId, SHORTEST_TRUSTED, Severity};
use iotrial_model::plan::{Arrival, EngineDevice, PhaseKind, Plan};
use iotrial_model::record::EndedHow;
use iotrial_model::subject::Subject;
use iotrial_model::verdict::{
    Advice, Caveat, Change, Doubt, DoubtKind, Gap, Judged, Objection, Starved, WhyNotJudged,
};

use crate::judgement::CLOCK_SLACK;

/// A run that was measured for less says nothing about the time after it.
// Ten intervals of a second: with fewer there is neither a course to look at nor a pause of the host that would not decide every
// figure. From here to a minute the length is a caveat (finding `short-run`).
const SHORTEST_ANSWER: Duration = Duration::from_secs(10);
/// A search that met the end of a burst is made again with longer runs of this length.
// A choice: most write caches and the credits of smaller cloud volumes are used up by then.
const PAST_BURST: Duration = Duration::from_secs(600);
/// An advice to measure longer asks for no more than this.
pub(super) const LONGEST_ADVICE: Duration = Duration::from_secs(3_600);

/// Everything beside the figures themselves that bears on the verdict.
#[derive(Debug, Default)]
pub(super) struct Bearing {
    /// What the storage did wrong, whatever its latencies.
    pub(super) objections: Vec<Objection>,
    /// Of these, what failed: I/Os, or the device as a whole.
    pub(super) failed: Vec<Finding>,
    /// Why the figures may not be the device's, or are too few.
    pub(super) doubts: Vec<Doubt>,
    /// Doubts that can only have made the storage look slower, beside figures that decide all the same.
    pub(super) settled: Vec<Doubt>,
    /// Conditions to keep in mind.
    pub(super) caveats: Vec<Caveat>,
    /// Findings that decide nothing, those of the caveats among them.
    pub(super) other_findings: Vec<Finding>,
    /// How long to measure so that the length is no caveat; `None` of what was long enough.
    pub(super) longer: Option<Duration>,
}

/// What one finding is for the verdict.
enum Weight {
    Against,
    /// Against the storage, unless a doubt says that something else may have been the limit.
    AgainstIfSure,
    Doubt(DoubtKind, Advice),
    Caveat(Option<Caveat>),
    Nothing,
}

impl Bearing {
    /// Sorts what was found; `starved` are streams with hardly any I/O.
    pub(super) fn new(
        subject: &Subject<'_>,
        findings: &[Finding],
        gaps: &[Gap],
        starved: Vec<Starved>,
    ) -> Self {
        Self::with(subject, findings, gaps, starved, no_device(subject))
    }

    /// The same of one step. That no device was behind the load is said of all of it.
    pub(super) fn of_step(
        subject: &Subject<'_>,
        findings: &[Finding],
        gaps: &[Gap],
        starved: Vec<Starved>,
    ) -> Self {
        Self::with(subject, findings, gaps, starved, None)
    }

    fn with(
        subject: &Subject<'_>,
        findings: &[Finding],
        gaps: &[Gap],
        starved: Vec<Starved>,
        no_device: Option<Doubt>,
    ) -> Self {
        let mut bearing = Self::default();
        let (mut slow, mut repeated) = (Vec::new(), Vec::new());
        bearing.doubts.extend(no_device);
        // Without a long run the record of a search is its last probe of a few seconds; how short that is decides nothing.
        let is_probe = subject.search.is_some_and(|search| search.result.is_none() && search.need.is_none());
        // Whoever stopped a run before it measured knows why there are no figures.
        let was_stopped = subject.measured.is_some_and(|measured| measured.is_zero())
            && findings.iter().any(|one| one.id == FindingId::Interrupted);
        for finding in findings.iter().filter(|one| !(is_probe && one.id == FindingId::ShortRun)) {
            if was_stopped && finding.id == FindingId::ShortRun {
                bearing.other_findings.push(finding.clone());
                continue;
            }
            match weigh(subject, finding, findings) {
                Weight::Against => {
                    bearing.objections.push(Objection::Found(finding.clone()));
                    bearing.failed.push(finding.clone());
                }
                Weight::AgainstIfSure => slow.push(finding.clone()),
                // One reason in the sentence, however many findings say it.
                Weight::Doubt(kind, _) if bearing.doubts.iter().any(|doubt| doubt.kind == kind) => {
                    repeated.push(finding.clone());
                }
                Weight::Doubt(kind, advice) => {
                    bearing.doubts.push(Doubt { kind, finding: Some(finding.clone()), advice });
                }
                Weight::Caveat(caveat) => {
                    if finding.id == FindingId::ShortRun && subject.source.is_none() {
                        bearing.longer = measure_longer(subject, SHORTEST_TRUSTED).duration;
                    }
                    bearing.caveats.extend(caveat);
                    bearing.other_findings.push(finding.clone());
                }
                Weight::Nothing => {}
            }
        }
        bearing.other_findings.extend(repeated);
        // A rate that was not kept is the storage's fault only where nothing else may have kept it from coming about.
        if bearing.doubts.is_empty() {
            bearing.objections.extend(slow.into_iter().map(Objection::Found));
        } else {
            bearing.other_findings.extend(slow);
        }
        if is_probe {
            // Its loads of seconds follow from the length of the long one, which is what can be asked for.
            let planned = subject.plan.map_or(Duration::ZERO, Plan::measured);
            bearing.longer = (planned < SHORTEST_TRUSTED)
                .then(|| measure_longer(subject, SHORTEST_TRUSTED).duration)
                .flatten();
        }
        if !is_probe && !was_stopped {
            bearing.add_missing(subject, gaps, starved);
        }
        bearing
    }

    /// Streams and figures without enough I/Os.
    ///
    /// Means carry little of what databases wait for: without the 99th percentile of a stream that the set judges by it there is no
    /// answer. That p99.9 is missing is only told: a log of 100 commits a second would need a quarter of an hour for it.
    /// Nobody can be asked to measure longer what another tool has measured; there it is a caveat.
    fn add_missing(&mut self, subject: &Subject<'_>, gaps: &[Gap], starved: Vec<Starved>) {
        let advice = longer_advice(subject, gaps, &starved);
        let rare = gaps.iter().filter(|gap| lacks_p99(gap) && subject.source.is_none()).cloned();
        let kinds = starved.into_iter().map(DoubtKind::Starved).chain(rare.map(DoubtKind::TooFewIos));
        self.doubts.extend(kinds.map(|kind| Doubt { kind, finding: None, advice }));
    }

    /// Sets aside the doubts that change nothing about these figures.
    ///
    /// A generator that is late, and programs that use the same devices, make latencies longer and never shorter: what stays within its
    /// limits even so stays within them. What is too slow also without what the generator made of it is so however late that was; others
    /// on the devices may be why all the same.
    pub(super) fn settle(&mut self, judged: &[Judged]) {
        // Where the rate was not kept, another load was measured.
        let is_kept = !self.other_findings.iter().any(|one| one.id == FindingId::NotIssued);
        let all_hold = is_kept && !judged.is_empty() && judged.iter().all(Judged::is_acceptable);
        let one_fails = judged.iter().any(Judged::is_surely_too_slow);
        let is_settled = |doubt: &Doubt| match doubt.finding.as_ref().map(|finding| finding.id) {
            Some(FindingId::GeneratorBusy | FindingId::LateIssues) => all_hold || one_fails,
            Some(FindingId::ForeignLoad) => all_hold,
            // A cache makes a device look faster.
            Some(FindingId::ArrayCache) => !judged.iter().all(Judged::is_acceptable),
            _ => false,
        };
        // Without enough I/Os a limit is not known to be kept. Where another one is missed, that changes nothing.
        let is_only_missing =
            |doubt: &Doubt| matches!(doubt.kind, DoubtKind::TooFewIos(_) | DoubtKind::Starved(_));
        self.doubts.retain(|doubt| !(one_fails && is_only_missing(doubt)));
        let (settled, doubts) = std::mem::take(&mut self.doubts).into_iter().partition(is_settled);
        (self.settled, self.doubts) = (settled, doubts);
    }

    /// Bounds that lie on both sides of their limits leave the question open.
    pub(super) fn add_undecided(&mut self, gaps: &[Gap]) {
        let undecided = gaps.iter().filter(|gap| matches!(gap.why, WhyNotJudged::Undecided { .. }));
        self.doubts.extend(undecided.map(|gap| Doubt {
            kind: DoubtKind::Undecided(gap.clone()),
            finding: None,
            advice: Advice::to(Change::AskSource),
        }));
    }

    /// What to change first. One advice at a time: the next run shows what is left. It is long enough at once, though, so that it does
    /// not end with the next doubt or caveat.
    pub(super) fn advice(&self) -> Option<Advice> {
        advice_of(&self.doubts, self.longer)
    }
}

/// The same of the doubts that are left; `longer` is how long to measure whatever the doubts are.
pub(super) fn advice_of(doubts: &[Doubt], longer: Option<Duration>) -> Option<Advice> {
    let mut advices = doubts.iter().map(|doubt| doubt.advice);
    let first = advices.next()?;
    let longest = advices.filter_map(|one| one.duration).chain(longer).max();
    Some(Advice { duration: first.duration.max(longest), ..first })
}

/// Whether it is the 99th percentile that has too few I/Os.
fn lacks_p99(gap: &Gap) -> bool {
    gap.statistic == Some(Figure::LatencyP99) && matches!(gap.why, WhyNotJudged::TooFewIos { .. })
}

/// An engine without a device has figures, and they are of no storage.
fn no_device(subject: &Subject<'_>) -> Option<Doubt> {
    let kind = match subject.engine.map(|engine| engine.facts().device)? {
        EngineDevice::None => DoubtKind::NullEngine,
        EngineDevice::Simulated => DoubtKind::Simulated,
        EngineDevice::Real => return None,
    };
    Some(Doubt { kind, finding: None, advice: Advice::to(Change::LeaveOutEngine) })
}

/// How long it has to be for the rarest figure that is missing, rounded up to minutes.
fn longer_advice(subject: &Subject<'_>, gaps: &[Gap], starved: &[Starved]) -> Advice {
    let measured = subject.measured.unwrap_or_default().max(Duration::from_secs(1));
    let of_gaps = gaps.iter().filter(|gap| lacks_p99(gap)).filter_map(|gap| match gap.why {
        WhyNotJudged::TooFewIos { io_count, least_io_count } => Some((io_count, least_io_count)),
        _ => None,
    });
    let of_streams = starved.iter().filter_map(|starved| match starved {
        Starved::Stream { io_count, least_io_count, .. } => Some((*io_count, *least_io_count)),
        Starved::Time { .. } => None,
    });
    let missing = of_gaps.chain(of_streams).filter(|(io_count, _)| *io_count > 0);
    let factor =
        missing.map(|(io_count, least_io_count)| least_io_count as f64 / io_count as f64).fold(1.0, f64::max);
    // A fifth more than is needed on average, because rates vary.
    let needed = measured.mul_f64(1.2 * factor).clamp(Duration::from_secs(60), LONGEST_ADVICE);
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

const fn doubt(kind: DoubtKind, change: Change) -> Weight {
    Weight::Doubt(kind, Advice::to(change))
}

/// What a finding says of the verdict. One that is named nowhere below concerns the reader and not the figures; so do those of sweeps,
/// comparisons and sizings.
fn weigh(subject: &Subject<'_>, finding: &Finding, all: &[Finding]) -> Weight {
    // These two whatever its severity.
    match speaks_against(subject, finding).or_else(|| what_else_was_measured(subject, finding.id)) {
        Some(weight) => weight,
        None if finding.severity == Severity::Note => Weight::Nothing,
        None => weigh_figures(subject, finding, all),
    }
}

/// Of what the storage did wrong; `None` of everything else.
fn speaks_against(subject: &Subject<'_>, finding: &Finding) -> Option<Weight> {
    use FindingId as Id;
    Some(match finding.id {
        // What failed, failed on the device, whoever else used it.
        Id::Failed | Id::IoErrors | Id::ShortIo => Weight::Against,
        // What follows another job has no rate that it could miss: its commits that wait for the write under way are latency.
        Id::NotIssued if !has_rate(subject, finding) => Weight::Caveat(None),
        // A search asks of each of its loads whether the rate was kept, and answers by all of them.
        Id::NotIssued if subject.search.is_some() => Weight::Caveat(None),
        Id::NotIssued => Weight::AgainstIfSure,
        Id::LatencyLimitMissed => match &finding.evidence {
            Evidence::LatencyLimitMissed(missed) if !missed.doubts.is_empty() => {
                doubt(DoubtKind::OtherLimit, Change::StopOthersOnHostAndDevices)
            }
            _ => Weight::Against,
        },
        // What was not back when somebody ended the load may have come.
        Id::Stalled
            if finding.severity == Severity::Serious && subject.ended_how() != EndedHow::Interrupted =>
        {
            Weight::Against
        }
        _ => return None,
    })
}

/// Of a result that is not one of the load on a device; `None` of everything else.
fn what_else_was_measured(subject: &Subject<'_>, id: FindingId) -> Option<Weight> {
    use FindingId as Id;
    let (kind, change) = match id {
        Id::Interrupted if subject.measured.is_some_and(|measured| measured.is_zero()) => {
            (DoubtKind::NothingMeasured, Change::RunAgain)
        }
        Id::Interrupted => (DoubtKind::Interrupted, Change::RunAgain),
        Id::AlteredRecord => (DoubtKind::AlteredRecord, Change::AskForRecord),
        Id::InMemoryTarget => (DoubtKind::InMemory, Change::ChooseDisk),
        // The author of an imported result used another tool.
        Id::BufferedIo if subject.source.is_some() => (DoubtKind::PageCache, Change::DirectIoOfTool),
        Id::BufferedIo => (DoubtKind::PageCache, Change::LeaveOutBuffered),
        _ => return None,
    };
    Some(doubt(kind, change))
}

/// Of what the figures may not show as it is; `finding` is more than a note.
fn weigh_figures(subject: &Subject<'_>, finding: &Finding, all: &[Finding]) -> Weight {
    use FindingId as Id;
    match finding.id {
        Id::UnknownCache => doubt(DoubtKind::PageCache, Change::DirectIoOfTool),
        Id::ShortRun => weigh_short_run(subject),
        Id::Unsteady => weigh_unsteady(subject, finding),
        // A burst that ended is why a load was unsteady, and one of the two is enough.
        Id::ThrottledAfterBurst if all.iter().any(is_waited_for) => Weight::Caveat(None),
        // A search and the wait for a steady load exclude each other.
        Id::ThrottledAfterBurst if subject.search.is_some() => {
            Weight::Doubt(DoubtKind::BurstEnded, Advice::longer(PAST_BURST))
        }
        Id::ThrottledAfterBurst => doubt(DoubtKind::BurstEnded, Change::UntilSteady),
        Id::CacheServed => doubt(
            match &finding.evidence {
                Evidence::CacheByLatency(_) => DoubtKind::TwoLatencies,
                _ => DoubtKind::CacheAboveDevices,
            },
            Change::LargerFiles,
        ),
        Id::ArrayCache => doubt(DoubtKind::ArrayCache, Change::LargerFiles),
        Id::ForeignLoad => doubt(DoubtKind::ForeignLoad, Change::StopOthersOnDevices),
        Id::GeneratorBusy | Id::LateIssues => doubt(
            // Being late follows from being short of CPU, and is a reason of its own only where that was not seen.
            if all.iter().any(|one| one.id == Id::GeneratorBusy && one.severity != Severity::Note) {
                DoubtKind::ShortOfCpu
            } else {
                DoubtKind::IssuedLate
            },
            Change::StopOthersOnHost,
        ),
        Id::ClockJump => doubt(DoubtKind::ClockJump, Change::WaitForClock),
        Id::LittlesLaw => doubt(DoubtKind::Contradiction, Change::LookAtAudit),
        // Only latencies are judged: that IOPS and MiB/s contradict each other, or that percentiles were left out for it, is to be
        // kept in mind.
        Id::ContradictoryFigures => match finding.evidence {
            Evidence::ContradictoryFigures { is_of_latency: true, .. } => {
                doubt(DoubtKind::Contradiction, Change::LookAtAudit)
            }
            _ => Weight::Caveat(Some(Caveat::Contradiction)),
        },
        Id::Stalled => Weight::Caveat(Some(Caveat::Stall)),
        Id::Paused => Weight::Caveat(Some(Caveat::Paused)),
        Id::CoarseLatency => Weight::Caveat(Some(Caveat::CoarseLatency)),
        // Write latencies without their flushes are not judged, and among the gaps.
        _ => Weight::Caveat(None),
    }
}

/// Whether the job that did not issue everything was given a rate.
fn has_rate(subject: &Subject<'_>, finding: &Finding) -> bool {
    let Evidence::NotIssued { job, .. } = &finding.evidence else { return false };
    let jobs = subject.plan.map(|plan| plan.jobs.as_slice()).unwrap_or_default();
    jobs.iter().any(|one| one.name == *job && matches!(one.arrival, Arrival::Open { .. }))
}

fn weigh_short_run(subject: &Subject<'_>) -> Weight {
    let measured = subject.measured.unwrap_or_default();
    let measured_s = measured.as_secs_f64();
    // What a source measured is taken as it is: its author may have had reasons, and cannot be asked to measure again.
    if subject.source.is_none() && measured + CLOCK_SLACK < SHORTEST_ANSWER {
        return Weight::Doubt(DoubtKind::TooShort { measured_s }, measure_longer(subject, SHORTEST_TRUSTED));
    }
    Weight::Caveat(Some(Caveat::ShortRun { measured_s }))
}

/// Who waits for a steady state asks for one; else it is told beside the answer.
fn weigh_unsteady(subject: &Subject<'_>, finding: &Finding) -> Weight {
    if is_waited_for(finding) {
        return doubt(DoubtKind::NotSteadyInTime, Change::MoreTimeUntilSteady);
    }
    let plan = subject.plan.filter(|plan| plan.until_steady.is_some());
    Weight::Caveat(Some(Caveat::Unsteady { within: plan.map(|plan| waited(subject, plan)) }))
}

fn is_waited_for(finding: &Finding) -> bool {
    matches!(&finding.evidence, Evidence::Unsteady(unsteady) if unsteady.waited_s.is_some())
}

/// How long a load that was to run until it was steady did so.
fn waited(subject: &Subject<'_>, plan: &Plan) -> Duration {
    let load: Duration = subject.intervals.counted().iter().map(|interval| interval.duration).sum();
    let others = plan.phases.iter().filter(|phase| phase.kind != PhaseKind::Measure);
    load.saturating_sub(others.map(|phase| phase.duration).sum())
}

#[cfg(test)]
mod tests;
